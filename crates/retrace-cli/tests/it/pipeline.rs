//! The examples for pipelines, as they are in `examples/`, run with the built program: the hook refuses and accepts commits
//! of a real repository, the steps of the workflow run in one. What they need besides (`git`, `sh`) may be missing on a
//! machine; a test that is skipped says so.

#![cfg(unix)]
#![allow(clippy::print_stdout, reason = "a test that is skipped says why")]

use serde_json::Value;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use yaml_rust2::{Yaml, YamlLoader};

const PROGRAM: &str = env!("CARGO_BIN_EXE_retrace");

/// Put together here, so that no scanner takes this file for a leak.
fn token() -> String {
    format!("{}_{}", "ghp", "q7Rt2mZx9Lk4Vb8Nw3Ys6Jd1Hf5Gc0PaTeUo")
}

fn example(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(path)
}

/// A repository of its own, with a home of its own, and the built program on the path.
struct Repository {
    folder: tempfile::TempDir,
}

impl Repository {
    /// `None`, with a word about it, where there is no Git.
    fn new() -> Option<Self> {
        if Command::new("git").arg("--version").output().is_err() {
            println!("skipped: git is not installed");
            return None;
        }
        let repository = Self { folder: tempfile::tempdir().expect("a folder") };
        for directory in ["home", "bin", "work", "tmp"] {
            std::fs::create_dir(repository.path(directory)).expect("a directory");
        }
        std::os::unix::fs::symlink(PROGRAM, repository.path("bin/retrace")).expect("a link");
        assert!(repository.git(&["init", "--quiet", "--initial-branch=main"]).status.success());
        Some(repository)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A command in the working tree that sees nothing of the machine's own settings.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        let path = std::env::var("PATH").unwrap_or_default();
        command
            .current_dir(self.path("work"))
            .env("PATH", format!("{}:{path}", self.path("bin").display()))
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.path("tmp"))
            .env("RETRACE_DATA_DIR", self.path("home/data"))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1");
        for (name, value) in [("NAME", "Ada"), ("EMAIL", "ada@example.test")] {
            command.env(format!("GIT_AUTHOR_{name}"), value).env(format!("GIT_COMMITTER_{name}"), value);
        }
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
            command.env_remove(name);
        }
        command
    }

    fn git(&self, words: &[&str]) -> Output {
        self.command("git").args(words).output().expect("git runs")
    }

    fn write(&self, path: &str, text: &str) {
        let target = self.path("work").join(path);
        std::fs::create_dir_all(target.parent().expect("a parent")).expect("directories");
        std::fs::write(target, text).expect("a file");
    }

    fn install_hook(&self) {
        let hook = self.path("work/.git/hooks/pre-commit");
        std::fs::create_dir_all(hook.parent().expect("a parent")).expect("a directory");
        std::fs::copy(example("pre-commit/pre-commit"), &hook).expect("a copy");
        std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).expect("it is executable");
    }

    fn commit(&self) -> Output {
        assert!(self.git(&["add", "--all"]).status.success());
        self.git(&["commit", "--quiet", "--message", "a change"])
    }

    fn commits(&self) -> usize {
        let log = self.git(&["rev-list", "--all"]);
        String::from_utf8_lossy(&log.stdout).lines().count()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_hook_refuses_a_secret_and_lets_a_clean_commit_through() {
    let Some(repository) = Repository::new() else { return };
    repository.install_hook();
    repository.write("memory/MEMORY.md", "# Index\n\n- [A](a.md) — first\n");
    repository.write("memory/a.md", "Nothing secret.\n");
    let clean = repository.commit();
    assert!(clean.status.success(), "{}", text(&clean.stderr));
    assert_eq!(repository.commits(), 1);

    repository.write("memory/a.md", &format!("The token is {}.\n", token()));
    let refused = repository.commit();
    let printed = format!("{}{}", text(&refused.stdout), text(&refused.stderr));
    assert_eq!(refused.status.code(), Some(1), "git's own code for a hook that refuses");
    assert!(printed.contains("memory/a.md:1:14: error:") && printed.contains("[secret/github]"), "{printed}");
    assert!(printed.contains("pre-commit: the memories have findings"), "{printed}");
    assert!(!printed.contains(&token()[4..10]), "masked here too");
    assert_eq!(repository.commits(), 1);

    // The staged content counts, not what stands in the working tree.
    repository.write("memory/a.md", "Nothing secret again.\n");
    assert_eq!(repository.git(&["commit", "--quiet", "--message", "still staged"]).status.code(), Some(1));
    let clean = repository.commit();
    // The same content as in the commit before would be nothing to commit; this one differs.
    assert!(clean.status.success(), "{}", text(&clean.stderr));
    assert_eq!(repository.commits(), 2);
    let left = std::fs::read_dir(repository.path("tmp")).expect("a directory").count();
    assert_eq!(left, 0, "the copy of what is staged is taken away");
}

#[test]
fn the_hook_itself_ends_with_the_codes_of_the_program() {
    let Some(repository) = Repository::new() else { return };
    repository.install_hook();
    let run = |severity: &str, program: Option<&str>| {
        let mut hook = repository.command("sh");
        hook.arg(".git/hooks/pre-commit").env("RETRACE_FAIL_ON", severity);
        if let Some(program) = program {
            hook.env("RETRACE", program);
        }
        hook.output().expect("a shell").status.code()
    };
    repository.write("CLAUDE.md", "See @docs/gone.md.\n");
    assert!(repository.git(&["add", "--all"]).status.success());
    assert_eq!(run("error", None), Some(0), "a warning alone");
    assert_eq!(run("warning", None), Some(5));
    assert_eq!(run("nonsense", None), Some(2));
    assert_eq!(run("warning", Some("/nonexistent/retrace")), Some(1), "not checked is not clean");
    // A baseline in the repository accepts what was there.
    let written = repository
        .command(PROGRAM)
        .args(["check", ".", "--write-baseline", "retrace-baseline.json"])
        .output()
        .expect("the program runs");
    assert!(written.status.success(), "{}", text(&written.stderr));
    assert!(repository.git(&["add", "--all"]).status.success());
    assert_eq!(run("warning", None), Some(0));
}

/// The workflow of the examples.
fn workflow() -> Yaml {
    let text = std::fs::read_to_string(example("github-workflow.yml")).expect("the example");
    YamlLoader::load_from_str(&text).expect("it parses").remove(0)
}

fn names(node: &Yaml) -> Vec<String> {
    let entries = node.as_hash().expect("a mapping");
    entries.keys().map(|key| key.as_str().expect("a name").to_owned()).collect()
}

#[test]
fn the_workflow_has_the_shape_of_one() {
    let workflow = workflow();
    assert_eq!(names(&workflow), ["name", "on", "permissions", "jobs"]);
    assert_eq!(names(&workflow["on"]), ["pull_request", "push"]);
    assert_eq!(workflow["permissions"]["security-events"].as_str(), Some("write"));
    let job = &workflow["jobs"]["check"];
    assert!(job["runs-on"].as_str().is_some());
    let steps = job["steps"].as_vec().expect("steps");
    for step in steps {
        assert!(step["uses"].as_str().is_some() != step["run"].as_str().is_some(), "{step:?}");
        let known = ["name", "uses", "with", "run", "env", "if"];
        assert!(names(step).iter().all(|name| known.contains(&name.as_str())), "{step:?}");
        if let Some(action) = step["uses"].as_str() {
            assert!(action.contains('@'), "{action} is pinned to a version");
        }
    }
    let upload = steps.last().expect("steps");
    assert_eq!(upload["with"]["sarif_file"].as_str(), Some("findings.sarif"));
    assert!(upload["if"].as_str().is_some_and(|condition| condition.starts_with("always()")));
}

/// Runs the step called `name` as the runner does on Linux: `bash -e` where there is one, `sh -e` elsewhere.
fn step(repository: &Repository, name: &str) -> Output {
    let workflow = workflow();
    let steps = workflow["jobs"]["check"]["steps"].as_vec().expect("steps").clone();
    let step = steps.iter().find(|step| step["name"].as_str() == Some(name)).expect("the step");
    let script = repository.path("step.sh");
    std::fs::write(&script, step["run"].as_str().expect("a script")).expect("a file");
    let shell = if Path::new("/bin/bash").exists() { "bash" } else { "sh" };
    repository.command(shell).arg("-e").arg(script).output().expect("a shell")
}

fn sarif(repository: &Repository) -> Value {
    let text = std::fs::read_to_string(repository.path("work/findings.sarif")).expect("the log");
    serde_json::from_str(&text).expect("JSON")
}

/// Violations of the OASIS schema in a log, which `retrace-findings` keeps.
fn problems(log: &Value) -> Vec<String> {
    let schema =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../retrace-findings/testdata/sarif-schema-2.1.0.json");
    let mut schema: Value =
        serde_json::from_str(&std::fs::read_to_string(schema).expect("the schema")).expect("JSON");
    // The official schema has an expression here that is none for validators that check it; the log names no language.
    for definition in ["run", "toolComponent"] {
        let language = &mut schema["definitions"][definition]["properties"]["language"];
        language.as_object_mut().expect("an object").remove("pattern").expect("the expression");
    }
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    validator.iter_errors(log).map(|error| error.to_string()).collect()
}

#[test]
fn the_steps_of_the_workflow_run() {
    let Some(repository) = Repository::new() else { return };
    repository.write("memory/MEMORY.md", "# Index\n\n- [A](a.md) — first\n");
    repository.write("memory/a.md", "Nothing secret.\n");
    let checked = step(&repository, "Check");
    assert!(checked.status.success(), "{}", text(&checked.stderr));
    let log = sarif(&repository);
    assert_eq!(problems(&log), Vec::<String>::new());
    assert_eq!(log["runs"][0]["results"].as_array().map(Vec::len), Some(0));

    repository.write("memory/a b é.md", &format!("{}\nsee [[gone]] a\u{200b}b\n", token()));
    let checked = step(&repository, "Check");
    assert_eq!(checked.status.code(), Some(5), "the job fails after the upload");
    let log = sarif(&repository);
    assert_eq!(problems(&log), Vec::<String>::new());
    let results = log["runs"][0]["results"].as_array().expect("results");
    let uris: BTreeMap<&str, &str> = results
        .iter()
        .filter_map(|result| {
            let location = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
            Some((result["ruleId"].as_str()?, location.as_str()?))
        })
        .collect();
    assert_eq!(uris.get("secret/github"), Some(&"memory/a%20b%20%C3%A9.md"), "{uris:?}");
    assert!(uris.contains_key("hidden/zero-width"), "{uris:?}");
    assert!(!text(&checked.stdout).contains(&token()[4..10]) && !log.to_string().contains(&token()[4..10]));

    // With a baseline in the repository the step uses it, and what it accepts is marked as suppressed.
    let written = repository
        .command(PROGRAM)
        .args(["check", ".", "--write-baseline", "retrace-baseline.json"])
        .output()
        .expect("the program runs");
    assert!(written.status.success(), "{}", text(&written.stderr));
    assert!(step(&repository, "Check").status.success());
    let log = sarif(&repository);
    assert_eq!(problems(&log), Vec::<String>::new());
    let results = log["runs"][0]["results"].as_array().expect("results");
    assert!(
        !results.is_empty() && results.iter().all(|result| result["suppressions"][0]["kind"] == "external")
    );
}
