//! The gate: `retrace check` on directories and stores, as a program in a pipeline runs it.

use retrace_api::{App, AppOptions, commands, wire};
use retrace_cli::{Exit, Io, Stop, Terminal, Zone};
use retrace_tests::World;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A directory of memories and a data directory that is not there.
struct Machine {
    folder: tempfile::TempDir,
}

struct Ran {
    exit: Exit,
    stdout: String,
    stderr: String,
}

impl Machine {
    fn new(files: &[(&str, &str)]) -> Self {
        let machine = Self { folder: tempfile::tempdir().expect("a folder") };
        for (path, text) in files {
            machine.write(path, text);
        }
        machine
    }

    fn notes(&self) -> PathBuf {
        self.folder.path().join("notes")
    }

    fn write(&self, path: &str, text: &str) {
        let target = self.notes().join(path);
        std::fs::create_dir_all(target.parent().expect("a parent")).expect("directories");
        std::fs::write(target, text).expect("a file");
    }

    fn options(&self) -> AppOptions {
        retrace_tests::options(self.folder.path())
    }

    /// Runs `retrace check` on the directory with these further words.
    fn check(&self, words: &[&str]) -> Ran {
        let notes = self.notes().display().to_string();
        self.run(&[&["check", &notes], words].concat())
    }

    fn run(&self, words: &[&str]) -> Ran {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let options = |_| Ok(self.options());
        let mut io = Io {
            stdin: &mut std::io::empty(),
            stdout: &mut stdout,
            stderr: &mut stderr,
            terminal: Terminal::NONE,
            env: BTreeMap::new(),
            zone: Zone::Utc,
            options: &options,
            keys: None,
            stop: Stop::default(),
        };
        let exit = retrace_cli::run(words.iter().map(OsString::from), &mut io);
        drop(io);
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        Ran { exit, stdout: text(stdout), stderr: text(stderr) }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }
}

/// Put together here, so that no scanner takes this file for a leak.
fn token() -> String {
    format!("{}_{}", "ghp", "q7Rt2mZx9Lk4Vb8Nw3Ys6Jd1Hf5Gc0PaTeUo")
}

fn bad() -> Machine {
    let index = format!("# Index\n\n- [A](a.md) — first\n- [B](b.md) — gone\n- the token is {}\n", token());
    Machine::new(&[("MEMORY.md", &index), ("a.md", "---\nname: a\ntype: note\n---\nSee [[nowhere]].\n")])
}

#[test]
fn text_for_people() {
    let machine = bad();
    let ran = machine.check(&[]);
    assert_eq!(ran.exit, Exit::FINDINGS, "{}", ran.stderr);
    assert_eq!(
        ran.stdout,
        "MEMORY.md:4:7: warning: The link leads to no file: \"b.md\". [links/missing-file]\n    \
         Correct the link, or remove the line.\n\
         MEMORY.md:5:16: error: A GitHub token: ghp_… (40 characters). [secret/github]\n    \
         Revoke it with its provider, then redact it from the file and its history.\n\
         a.md:3:1: note: The type is \"note\". [front-matter/unknown-type]\n    \
         Use one of the four types.\n\
         a.md:5:7: note: No memory is called \"nowhere\". [links/wiki]\n    \
         Correct the name, or write the memory.\n"
    );
    assert_eq!(ran.stderr, "1 error, 1 warning, 2 notes in 2 files.\n");
    assert!(!machine.options().data_dir.exists(), "a directory is checked without a log");
}

#[test]
fn one_object_a_line_for_programs() {
    let ran = bad().check(&["--json"]);
    assert_eq!((ran.exit, ran.stderr.as_str()), (Exit::FINDINGS, ""));
    let lines: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 4);
    let first = &lines[1];
    assert_eq!(first["rule"], "secret/github");
    assert_eq!(first["severity"], "error");
    assert_eq!(
        (first["path"].as_str(), first["line"].as_u64(), first["column"].as_u64()),
        (Some("MEMORY.md"), Some(5), Some(16))
    );
    assert!(first["message"].is_string() && first["remedy"].is_string());
    assert!(!ran.stdout.contains(&token()[4..10]));
}

#[test]
fn a_log_for_code_scanning() {
    let machine = bad();
    std::fs::create_dir(machine.folder.path().join(".git")).expect("a directory");
    let ran = machine.check(&["--format", "sarif"]);
    let log: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let results = log["runs"][0]["results"].as_array().expect("results");
    assert_eq!((ran.exit, log["version"].as_str(), results.len()), (Exit::FINDINGS, Some("2.1.0"), 4));
    let location = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(location["artifactLocation"]["uri"], "notes/MEMORY.md", "from the root of the repository");
    assert_eq!(location["region"]["startLine"], 4);
    assert!(!ran.stdout.contains(&token()[4..10]));
}

#[test]
fn how_it_ends() {
    let machine = bad();
    for (words, exit) in [
        (&["--fail-on", "never"][..], 0),
        (&["--fail-on", "error"], 5),
        (&["--rule", "links", "--fail-on", "error"], 0),
        (&["--rule", "links", "--fail-on", "warning"], 5),
        (&["--rule", "links/wiki", "--fail-on", "warning"], 0),
        (&["--rule", "links/wiki", "--fail-on", "note"], 5),
        (&["--rule", "nonsense"], 2),
        (&["--fail-on", "nonsense"], 2),
        (&["--format", "nonsense"], 2),
        (&["--baseline", "/nonexistent/baseline"], 3),
        (&["--config", "/nonexistent/config"], 3),
    ] {
        let ran = machine.check(words);
        assert_eq!(ran.exit, Exit(exit), "{words:?}: {}", ran.stderr);
    }
    let nothing = machine.run(&["check", "/nonexistent/directory"]);
    assert_eq!(nothing.exit, Exit(3));
    assert!(nothing.stderr.contains("There is no such directory or store."), "{}", nothing.stderr);
    assert_eq!(Machine::new(&[("MEMORY.md", "# I\n")]).check(&["--fail-on", "note"]).exit, Exit::DONE);
}

#[test]
fn configuration_of_the_directory() {
    let machine = bad();
    machine.write("retrace.toml", "fail-on = \"note\"\nexclude = [\"a.md\"]\n[rules]\nsecret = \"off\"\n\"links/missing-file\" = \"note\"\n");
    let ran = machine.check(&[]);
    assert_eq!(ran.stdout.lines().filter(|line| !line.starts_with(' ')).count(), 1, "{}", ran.stdout);
    assert!(ran.stdout.starts_with("MEMORY.md:4:7: note:"), "{}", ran.stdout);
    assert_eq!(ran.exit, Exit::FINDINGS);
    machine.write("retrace.toml", "[rules]\nnonsense = \"on\"\n");
    assert_eq!(machine.check(&[]).exit, Exit(2));
    std::fs::write(machine.folder.path().join("other.toml"), "[rules]\nsecret = \"off\"\n").expect("a file");
    assert_eq!(machine.check(&["--config", &machine.path("other.toml")]).exit, Exit::DONE);
}

#[test]
fn a_baseline_holds_back_what_was_there() {
    let machine = bad();
    let baseline = machine.path("baseline.json");
    let ran = machine.check(&["--write-baseline", &baseline]);
    assert_eq!(ran.exit, Exit::DONE, "{}", ran.stderr);
    let text = std::fs::read_to_string(&baseline).expect("the baseline");
    assert!(!text.contains(&token()[4..10]));
    let ran = machine.check(&["--baseline", &baseline, "--fail-on", "note"]);
    assert_eq!((ran.exit, ran.stdout.as_str()), (Exit::DONE, ""));
    assert_eq!(ran.stderr, "0 errors, 0 warnings, 0 notes in 2 files. 4 more accepted by the baseline.\n");
    machine.write("a.md", "---\nname: a\ntype: note\n---\n\nA line more. See [[nowhere]] and [[lost]].\n");
    let ran = machine.check(&["--baseline", &baseline, "--fail-on", "note"]);
    assert_eq!(ran.exit, Exit::FINDINGS);
    assert!(ran.stdout.contains("\"lost\"") && !ran.stdout.contains("\"nowhere\""), "{}", ran.stdout);
}

#[test]
fn comments_allow_unless_they_may_not() {
    let text = format!("{} <!-- retrace-allow: secret/github it is revoked -->\n", token());
    let machine = Machine::new(&[("a.md", &text)]);
    let ran = machine.check(&[]);
    assert_eq!(
        (ran.exit, ran.stderr.as_str()),
        (Exit::DONE, "0 errors, 0 warnings, 0 notes in 1 file. 1 more allowed by comments.\n")
    );
    assert_eq!(machine.check(&["--no-inline-allow"]).exit, Exit::FINDINGS);
}

#[test]
fn at_the_root_of_a_repository_only_what_agents_read() {
    let secret = token();
    let machine = Machine::new(&[
        ("src/main.rs", &secret),
        (
            "CLAUDE.md",
            "@docs/a.md @docs/gone.md\n\nRun `npm run gone`, see `src/main.rs` and `src/gone.rs`.\n",
        ),
        ("docs/a.md", &secret),
        ("package.json", "{\"scripts\":{\"test\":\"x\"}}"),
        (".git/HEAD", "ref: refs/heads/main\n"),
    ]);
    let ran = machine.check(&["--json", "--fail-on", "warning"]);
    let rules = |ran: &Ran| -> Vec<String> {
        let object = |line| serde_json::from_str::<Value>(line).expect("JSON");
        ran.stdout.lines().map(|line| object(line)["rule"].as_str().expect("a rule").to_owned()).collect()
    };
    assert_eq!(ran.exit, Exit::FINDINGS, "{}", ran.stderr);
    assert_eq!(rules(&ran), ["links/import", "truth/script"]);
    let truth = machine.check(&["--json", "--rule", "truth", "--fail-on", "note"]);
    assert_eq!(rules(&truth), ["truth/script", "truth/file"]);
}

#[test]
fn stores_by_name_and_what_changed_since() {
    let world = World::new();
    world.write("MEMORY.md", "- [A](a.md)\n");
    world.write("b.md", "fine\n");
    let found = |world: &World, path: Option<&str>| {
        let request = wire::FindingsReq { store: "notes".to_owned(), path: path.map(str::to_owned) };
        commands::findings(&world.app, request).expect("findings")
    };
    let first = found(&world, None);
    let rules: Vec<&str> = first.findings.iter().map(|finding| finding.rule.as_str()).collect();
    assert_eq!((rules, first.files, first.reused), (vec!["links/missing-file", "links/orphan"], 2, 0));
    world.write("a.md", "there\n");
    let second = found(&world, None);
    assert_eq!((second.findings.len(), second.files, second.reused), (1, 3, 2));
    assert_eq!(found(&world, Some("b.md")).findings.len(), 1);
    assert_eq!(found(&world, Some("MEMORY.md")).findings.len(), 0);
    world.write("retrace.toml", "[rules]\nlinks = \"off\"\n");
    assert_eq!(found(&world, None).findings.len(), 0, "another configuration");
    let request = wire::CheckReq { target: "notes".to_owned(), ..wire::CheckReq::default() };
    assert_eq!(commands::check(&world.app, request).expect("a check").files, 3);
    let unknown = wire::CheckReq { target: "nowhere".to_owned(), ..wire::CheckReq::default() };
    let error = commands::check(&world.app, unknown).map(drop).expect_err("unknown");
    assert_eq!(error.code, wire::Code::NotFound);
}

/// A shell reads the hook of the examples without an error.
#[cfg(unix)]
#[test]
fn the_hook_of_the_examples_is_a_script() {
    let hook = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/pre-commit/pre-commit");
    let read = std::process::Command::new("sh").arg("-n").arg(&hook).status().expect("a shell");
    assert!(read.success());
}

#[test]
fn an_app_is_not_needed() {
    let machine = bad();
    let request =
        wire::CheckReq { target: machine.notes().display().to_string(), ..wire::CheckReq::default() };
    let checked = commands::check_directory(&machine.options(), &request).expect("a check");
    assert!(checked.failed && !machine.options().data_dir.exists());
    let app = App::open(machine.options()).expect("an app");
    assert_eq!(commands::check(&app, request).expect("a check").findings, checked.findings);
}
