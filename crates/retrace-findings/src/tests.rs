//! Whole directories through the checker.

use crate::sarif::{self, Suppression};
use crate::{
    Baseline, BaselineError, Checker, Config, Content, File, Finding, Report, Repository, Severity,
    Surroundings,
};
use chrono::NaiveDate;
use proptest::prelude::*;
use retrace_model::Sha256;
use serde_json::Value;
use std::collections::BTreeSet;

fn files<'a>(given: &'a [(&'a str, &'a [u8])]) -> Vec<File<'a>> {
    given
        .iter()
        .map(|(path, bytes)| File {
            path,
            size: bytes.len() as u64,
            content: Content::Bytes(Sha256::of(bytes), bytes),
        })
        .collect()
}

fn check_with(config: &Config, given: &[(&str, &str)]) -> Report {
    let given: Vec<(&str, &[u8])> = given.iter().map(|(path, text)| (*path, text.as_bytes())).collect();
    Checker::new(config.clone(), 2).check(&files(&given), &Surroundings::default())
}

/// Rule, path and line of each finding.
fn places(report: &Report) -> Vec<(&str, &str, u32)> {
    let place = |finding: &'_ Finding| (finding.position().line, finding.rule.id.as_str());
    report
        .findings
        .iter()
        .map(|finding| (place(finding).1, finding.path.as_str(), place(finding).0))
        .collect()
}

fn check(given: &[(&str, &str)]) -> Vec<(String, String, u32)> {
    places(&check_with(&Config::default(), given))
        .into_iter()
        .map(|(rule, path, line)| (rule.to_owned(), path.to_owned(), line))
        .collect()
}

fn one(rule: &str, path: &str, line: u32) -> Vec<(String, String, u32)> {
    vec![(rule.to_owned(), path.to_owned(), line)]
}

/// Put together here, so that no scanner takes this file for a leak.
fn token() -> String {
    format!("{}_{}", "ghp", "q7Rt2mZx9Lk4Vb8Nw3Ys6Jd1Hf5Gc0PaTeUo")
}

const TOPIC: &str = "---\nname: a\ndescription: b\nmetadata:\n  type: project\n---\n\nThe text.\n";

#[test]
fn a_sound_directory_has_no_findings() {
    let index = "# Index\n\n- [A](a.md) — the first\n";
    let other = "---\nname: b\ntype: user\n---\nSee [[a]] and [A](../a.md).\n";
    assert_eq!(check(&[("MEMORY.md", index), ("a.md", TOPIC), ("logs/2026/x.md", "x\n")]), []);
    let deeper = "- [A](a.md)\n- b is in `sub/b.md`\n";
    assert_eq!(check(&[("MEMORY.md", deeper), ("a.md", TOPIC), ("sub/b.md", other)]), []);
}

#[test]
fn links_that_lead_nowhere() {
    assert_eq!(check(&[("MEMORY.md", "x\n- [A](gone.md)\n")]), one("links/missing-file", "MEMORY.md", 2));
    assert_eq!(check(&[("MEMORY.md", "- [A](gone.md)\n"), ("gone.md", "x\n")]), []);
    assert_eq!(check(&[("MEMORY.md", "`[A](gone.md)`\n")]), []);
    assert_eq!(check(&[("x/MEMORY.md", "# I\n"), ("x/a.md", "x\n")]), one("links/orphan", "x/a.md", 1));
    assert_eq!(check(&[("x/MEMORY.md", "# I\n"), ("y/a.md", "x\n")]), []);
    assert_eq!(check(&[("a.md", "\nsee [[gone]]\n")]), one("links/wiki", "a.md", 2));
    assert_eq!(check(&[("a.md", "see [[The B]], `[[x]]` and [[ -f y ]]\n"), ("c.md", "# The B\n")]), []);
    assert_eq!(check(&[("CLAUDE.md", "@docs/gone.md\n")]), one("links/import", "CLAUDE.md", 1));
    assert_eq!(check(&[("CLAUDE.md", "@docs/a.md `@gone.md` @someone\n"), ("docs/a.md", "x\n")]), []);
}

#[test]
fn front_matter_that_programs_cannot_use() {
    let bad = "---\nname: a\ndescription: one: two\n---\n";
    assert_eq!(check(&[("a.md", bad)]), one("front-matter/invalid", "a.md", 3));
    assert_eq!(
        check(&[("a.md", "---\nname: a\ntype: note\n---\n")]),
        one("front-matter/unknown-type", "a.md", 3)
    );
    assert_eq!(check(&[("a.md", TOPIC), ("b.md", TOPIC)]), one("front-matter/name-twice", "b.md", 2));
    assert_eq!(check(&[("x/a.md", TOPIC), ("y/a.md", TOPIC)]), []);
}

#[test]
fn text_that_is_not_seen() {
    assert_eq!(check(&[("a.md", "x\nab\u{200b}c\n")]), one("hidden/zero-width", "a.md", 2));
    assert_eq!(check(&[("a.md", "ab\u{202e}c\n")]), one("hidden/bidi", "a.md", 1));
    assert_eq!(check(&[("a.md", "a\u{e0041}\u{e0042}\u{e0043}\n")]), one("hidden/tag", "a.md", 1));
    assert_eq!(check(&[("a.md", "a\u{7}\n")]), one("hidden/control", "a.md", 1));
    assert_eq!(
        check(&[("a.md", "<!-- the reader does not see these words -->\n")]),
        one("hidden/comment", "a.md", 1)
    );
    assert_eq!(
        check(&[("a.md", "<!-- toc -->\n<!-- markdownlint-disable MD013 MD033 and some more -->\n")]),
        []
    );
    assert_eq!(check(&[("p\u{0430}y.md", "x\n")]), one("hidden/path", "p\u{0430}y.md", 1));
    let bytes: &[(&str, &[u8])] = &[("a.md", b"x\nab\xffc\n")];
    let report = Checker::new(Config::default(), 1).check(&files(bytes), &Surroundings::default());
    assert_eq!(places(&report), [("hidden/other", "a.md", 2)]);
    assert_eq!(report.findings[0].span.as_ref().unwrap().start.column, 3);
}

#[test]
fn sizes_and_numbers() {
    let index = "- x\n".repeat(201);
    assert_eq!(check(&[("MEMORY.md", &index)]), one("limits/index-cut", "MEMORY.md", 201));
    let long = format!("x\n- {}\n", "é".repeat(199));
    assert_eq!(check(&[("MEMORY.md", &long)]), one("limits/index-line", "MEMORY.md", 2));
    assert_eq!(
        check(&[("CLAUDE.md", &"é\n".repeat(20_001))]),
        one("limits/instructions-size", "CLAUDE.md", 1)
    );
    assert_eq!(check(&[("CLAUDE.md", &"é\n".repeat(20_000))]), []);
    assert_eq!(check(&[("a.md", &"é\n".repeat(34_134))]), one("limits/hosted-size", "a.md", 1));
    let lines = check(&[("a.md", &"\n".repeat(999_999))]);
    assert!(lines.contains(&one("limits/view-lines", "a.md", 1)[0]));
    assert!(!check(&[("a.md", &"\n".repeat(999_998))]).contains(&one("limits/view-lines", "a.md", 1)[0]));
    let many: Vec<String> = (0..2001).map(|number| format!("{number}.txt")).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|path| (path.as_str(), "x")).collect();
    assert_eq!(check(&many), one("limits/hosted-count", "", 1));
    assert_eq!(check(&many[..2000]), []);
    let unread = [File { path: "a.md", size: 20, content: Content::Unread }];
    let report = Checker::new(Config::default(), 1).check(&unread, &Surroundings::default());
    assert_eq!(places(&report), [("limits/not-checked", "a.md", 1)]);
}

#[test]
fn a_secret_is_in_no_output() {
    let secret = token();
    let text = format!("<!-- the token is {secret} today -->\n[x]({secret}.md) [[{secret}]]\n@{secret}.md\n");
    let given = [("CLAUDE.md", text.as_str()), ("MEMORY.md", text.as_str())];
    let report = check_with(&Config::default(), &given);
    assert!(report.findings.iter().any(|finding| finding.rule.id == "secret/github"));
    assert!(report.findings.iter().any(|finding| finding.rule.id == "links/missing-file"));
    assert!(report.findings.iter().any(|finding| finding.rule.id == "links/import"));
    let hash = Sha256::of(secret.as_bytes()).to_hex();
    let log = sarif::log(&sarif::Log {
        program_version: "1.0.0",
        prefix: "",
        findings: &report.findings,
        suppressed: &[],
    });
    let baseline = Baseline::of(&report.findings, [7; 16]).to_text();
    for output in [format!("{:?}", report.findings), log.to_string(), baseline] {
        assert!(!output.contains(&secret[4..12]), "{output}");
        assert!(!output.contains(&hash[..16]), "{output}");
    }
    // Also where the rule that knows it is off.
    let config = Config::parse("[rules]\nsecret = \"off\"\n").unwrap();
    let report = check_with(&config, &given);
    assert!(!report.findings.is_empty() && !format!("{:?}", report.findings).contains(&secret[4..12]));
}

#[test]
fn what_a_comment_allows() {
    let secret = token();
    for (text, left, allowed) in [
        (format!("{secret} <!-- retrace-allow: secret/github revoked -->\n"), 0, 1),
        (format!("# retrace-allow: secret it is revoked\n{secret}\n"), 0, 1),
        (format!("# retrace-allow: secret\n\n{secret}\n"), 1, 0),
        (format!("<!-- retrace-allow: links/wiki wrong rule -->\n{secret}\n"), 1, 0),
    ] {
        let report = check_with(&Config::default(), &[("a.md", &text)]);
        assert_eq!((report.findings.len(), report.allowed.len()), (left, allowed), "{text}");
        let config = Config::parse("inline-allow = false").unwrap();
        assert_eq!(check_with(&config, &[("a.md", &text)]).findings.len(), 1);
    }
    let orphan = "text\n\n<!-- retrace-allow: links/orphan on purpose -->\n";
    let report = check_with(&Config::default(), &[("MEMORY.md", "# I\n"), ("a.md", orphan)]);
    assert_eq!((report.findings.len(), report.allowed.len()), (0, 1));
}

#[test]
fn a_baseline_knows_a_finding_when_lines_move() {
    let secret = token();
    let before = check_with(&Config::default(), &[("a.md", &format!("{secret}\nsee [[gone]]\n"))]);
    let baseline = Baseline::parse(&Baseline::of(&before.findings, [1; 16]).to_text()).unwrap();
    assert_eq!(baseline.len(), 2);
    let text = format!("a new line\n\nsee [[gone]] and {secret}\nsee [[gone]] again and [[lost]]\n");
    let after = check_with(&Config::default(), &[("a.md", &text)]);
    let (new, accepted) = baseline.divide(after.findings);
    assert_eq!(accepted.len(), 2);
    assert_eq!(
        new.iter().map(|finding| finding.message.text()).collect::<Vec<_>>(),
        ["No memory is called \"gone\".", "No memory is called \"lost\"."]
    );
    let other = check_with(&Config::default(), &[("a.md", &format!("{}x\n", secret))]);
    assert_eq!(baseline.divide(other.findings).1.len(), 0, "another secret is a new finding");
    assert!(matches!(Baseline::parse("[]"), Err(BaselineError::Syntax(_))));
    let newer = "{\"version\":2,\"salt\":\"\",\"findings\":{}}";
    assert_eq!(Baseline::parse(newer), Err(BaselineError::Newer(2)));
}

#[test]
fn what_is_known_is_not_read_again() {
    let mut checker = Checker::new(Config::default(), 2);
    let given: &[(&str, &[u8])] = &[("a.md", b"[[gone]]\n"), ("b.md", b"fine\n")];
    let first = checker.check(&files(given), &Surroundings::default());
    assert_eq!((first.files, first.reused), (2, 0));
    assert!(
        checker.knows("a.md", Sha256::of(b"[[gone]]\n")) && !checker.knows("b.md", Sha256::of(b"other\n"))
    );
    let known = [
        File { path: "a.md", size: 9, content: Content::Known(Sha256::of(b"[[gone]]\n")) },
        File { path: "gone.md", size: 2, content: Content::Bytes(Sha256::of(b"x\n"), b"x\n") },
    ];
    let second = checker.check(&known, &Surroundings::default());
    assert_eq!((second.files, second.reused), (2, 1));
    assert_eq!(places(&second), [], "the link leads somewhere now");
    assert!(!checker.knows("b.md", Sha256::of(b"fine\n")));
}

struct Project(BTreeSet<String>, BTreeSet<u16>);

impl Repository for Project {
    fn has_path(&self, path: &str) -> bool {
        ["src/main.rs", "src"].contains(&path)
    }
    fn has_top_directory(&self, name: &str) -> bool {
        name == "src"
    }
    fn ignores(&self, path: &str) -> bool {
        path == "src/local.json"
    }
    fn scripts(&self) -> Option<&BTreeSet<String>> {
        Some(&self.0)
    }
    fn recipes(&self) -> Option<&BTreeSet<String>> {
        Some(&self.0)
    }
    fn crates(&self) -> Option<&BTreeSet<String>> {
        Some(&self.0)
    }
    fn make_targets(&self) -> Option<&BTreeSet<String>> {
        Some(&self.0)
    }
    fn packages(&self) -> Option<&BTreeSet<String>> {
        Some(&self.0)
    }
    fn branches(&self) -> Option<&BTreeSet<String>> {
        Some(&self.0)
    }
    fn ports(&self) -> Option<&BTreeSet<u16>> {
        Some(&self.1)
    }
}

#[test]
fn claims_that_are_not_true_any_more() {
    let project = Project(["test", "main", "@a/b"].map(str::to_owned).into(), [3000].into());
    let mut config = Config::default();
    config.only(&["truth".to_owned()]).unwrap();
    let surroundings = Surroundings {
        repository: Some(&project),
        today: NaiveDate::from_ymd_opt(2026, 11, 21),
        ..Surroundings::default()
    };
    for (text, rule) in [
        ("`src/main.rs`, `./src/main.rs:12`, `src/*.rs`, src/gone.rs", None),
        ("`src/gone.rs:3`", Some("truth/file")),
        ("`src/deeper/gone.rs`", Some("truth/file")),
        ("`src/local.json`, `cli/options.go`", None),
        ("`src/gone.rs` was removed", None),
        ("`npm run test`, `npm run install`, npm run gone", None),
        ("`npm run gone`", Some("truth/script")),
        ("`npm run build:*`, `bun run src/main.rs`", None),
        // No script of that name is meant, but a file.
        ("`bun run src/gone.ts`", Some("truth/command")),
        (
            "`node src/main.rs`, `./src/main.rs --x`, `python other/gone.py`, `./dist/../x`, node src/gone.ts",
            None,
        ),
        ("`node --import src/gone.ts`, `python -c 'x'`, `bash src/<x>.sh`, `bash src/local.json`", None),
        ("`bash src/gone.sh` was removed", None),
        ("`./gone.sh`", Some("truth/command")),
        ("`$ python3 -u src/gone.py --all`", Some("truth/command")),
        ("```sh\ncd x && ./gone.sh\n```", Some("truth/command")),
        ("`just test`, just gone, `just --list`, `cargo test -p main`, `cargo update -p gone`", None),
        ("`just gone`", Some("truth/command")),
        ("`cargo test --release -p gone one`", Some("truth/command")),
        ("`make test`, make sure it works, `make`", None),
        ("`make gone`", Some("truth/make-target")),
        ("`make CC=clang`", None),
        ("`@a/b`, `@a/b/sub` @a/c", None),
        ("`@a/c`", Some("truth/package")),
        ("`@shared/c`, `node@18/lib`", None),
        ("branch `main`, the `main` branch", None),
        ("on branch `gone`", Some("truth/branch")),
        ("localhost:3000, port 80, port 3000", None),
        ("localhost:4000", Some("truth/port")),
        ("due 2026-11-21, until 2027-01-01, on 2020-01-01", None),
        ("freeze begins 2026-03-05", Some("truth/date-past")),
        ("the deadline is March 5, 2026", Some("truth/date-past")),
    ] {
        let given: &[(&str, &[u8])] = &[("a.md", text.as_bytes())];
        let report = Checker::new(config.clone(), 1).check(&files(given), &surroundings);
        let found: Vec<_> = report.findings.iter().map(|finding| finding.rule.id.as_str()).collect();
        assert_eq!(found, rule.into_iter().collect::<Vec<_>>(), "{text}");
        let unknown = Checker::new(config.clone(), 1).check(&files(given), &Surroundings::default());
        assert!(unknown.findings.is_empty(), "{text}");
    }
}

#[test]
fn memories_that_say_the_same_or_the_opposite() {
    let mut config = Config::default();
    config.only(&["similar".to_owned()]).unwrap();
    let words = "the payment service retries twice and then gives up so that the queue drains before midnight and nobody is paged";
    let a = format!("{words}\n\nAlways run database migrations before deploying staging\n");
    let b = format!("{words}\n\nNever run database migrations before deploying staging\n");
    let report = check_with(&config, &[("a.md", &a), ("b.md", &b), ("c.md", "something else entirely\n")]);
    assert_eq!(
        places(&report),
        [("similar/near-duplicate", "b.md", 1), ("similar/contradiction", "b.md", 3)]
    );
}

#[test]
fn the_sarif_log_is_valid() {
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/sarif-schema-2.1.0.json"))
            .unwrap();
    let mut schema: Value = serde_json::from_str(&text).unwrap();
    // The official schema has an expression here that is none for validators that check it; the log names no language.
    for definition in ["run", "toolComponent"] {
        let language = &mut schema["definitions"][definition]["properties"]["language"];
        language.as_object_mut().unwrap().remove("pattern").unwrap();
    }
    let validator = jsonschema::validator_for(&schema).unwrap();
    let report = check_with(
        &Config::default(),
        &[
            ("MEMORY.md", &format!("# I\n[x](a b%20c.md)\n{}\n", token())),
            ("sub dir/é.md", "[[gone]]\na\u{200b}\u{202e}b\n"),
        ],
    );
    let suppressed = [
        (report.findings[0].clone(), Suppression::InSource),
        (report.findings[1].clone(), Suppression::External),
    ];
    for (findings, suppressed) in [(&report.findings[..], &suppressed[..]), (&[], &[])] {
        let log = sarif::Log { program_version: "1.2.3", prefix: "memory/", findings, suppressed };
        let log = sarif::log(&log);
        let problems: Vec<String> = validator.iter_errors(&log).map(|error| error.to_string()).collect();
        assert_eq!(problems, Vec::<String>::new());
        assert_eq!(log["runs"][0]["results"].as_array().unwrap().len(), findings.len() + suppressed.len());
    }
    // The test tests something.
    assert!(!validator.is_valid(&serde_json::json!({ "version": "2.1.0", "runs": [{}] })));
}

#[test]
fn severities_are_words() {
    for severity in [Severity::Note, Severity::Warning, Severity::Error] {
        assert_eq!(severity.as_str().parse(), Ok(severity));
    }
    assert!("fatal".parse::<Severity>().is_err());
    assert!(Severity::Error > Severity::Warning && Severity::Warning > Severity::Note);
}

fn everything() -> Config {
    let text: String = ["truth", "similar"].iter().map(|group| format!("{group} = \"on\"\n")).collect();
    Config::parse(&format!("[rules]\n{text}")).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn no_bytes_panic_and_places_fit(bytes in proptest::collection::vec(any::<u8>(), 0..600), name in "(MEMORY|CLAUDE|a)\\.(md|txt)") {
        let given: &[(&str, &[u8])] = &[(&name, &bytes), ("b.md", b"x")];
        let report = Checker::new(everything(), 2).check(&files(given), &Surroundings::default());
        for span in report.findings.iter().filter_map(|finding| finding.span.as_ref()) {
            prop_assert!(span.bytes.start <= span.bytes.end && span.bytes.end <= bytes.len().max(1));
            prop_assert!(span.start <= span.end);
        }
    }

    #[test]
    fn no_memory_panics(text in "(---\n|name: |type: |\\[\\[|\\]\\]|\\]\\(|\\.md|@|`|<!-- |-->|retrace-allow: |password=|secret|://|[a-z0-9 \n\u{200b}\u{e0041}é]){0,120}") {
        let given: &[(&str, &[u8])] = &[("MEMORY.md", text.as_bytes()), ("CLAUDE.md", text.as_bytes()), ("a.md", text.as_bytes())];
        let once = Checker::new(everything(), 2).check(&files(given), &Surroundings::default());
        let again = Checker::new(everything(), 1).check(&files(given), &Surroundings::default());
        prop_assert_eq!(format!("{:?}", once.findings), format!("{:?}", again.findings));
    }

    #[test]
    fn a_planted_secret_is_found_and_masked(before in "[a-z \n#*]{0,80}", after in "[a-z \n#*]{0,80}") {
        let secret = token();
        let text = format!("{before} {secret} {after}");
        let report = check_with(&Config::default(), &[("MEMORY.md", &text)]);
        prop_assert!(report.findings.iter().any(|finding| finding.rule.id == "secret/github"));
        let shown = format!("{report:?}");
        prop_assert!(!shown.contains(&secret[4..12]));
    }

    #[test]
    fn no_configuration_or_baseline_panics(text in "\\PC{0,200}") {
        let _ = Config::parse(&text);
        let _ = Baseline::parse(&text);
    }
}
