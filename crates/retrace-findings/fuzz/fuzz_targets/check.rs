//! Every rule over a directory of two files with any bytes: places lie in the file, one thread finds what two find, what is
//! known already is found again, and no file is looked at by itself with another result than within its directory.
#![no_main]
use chrono::NaiveDate;
use retrace_findings::{Checker, Config, Content, File, Surroundings, check_one, new_since, rules, sarif};
use retrace_model::Sha256;
use std::sync::OnceLock;

/// All rules on.
fn everything() -> &'static Config {
    static CONFIG: OnceLock<Config> = OnceLock::new();
    CONFIG.get_or_init(|| {
        let mut config = Config::default();
        for rule in rules() {
            config.set(&rule.id, "on").expect("a rule");
        }
        config
    })
}

const NAMES: [&str; 4] = ["MEMORY.md", "CLAUDE.md", "topics/a.md", ".claude/rules/b.md"];

libfuzzer_sys::fuzz_target!(|input: (u8, &[u8], &[u8])| {
    let (choice, one, other) = input;
    let (first, second) = (NAMES[usize::from(choice) % 4], "topics/other.md");
    let files = [
        File { path: first, size: one.len() as u64, content: Content::Bytes(Sha256::of(one), one) },
        File { path: second, size: other.len() as u64, content: Content::Bytes(Sha256::of(other), other) },
    ];
    let around = Surroundings { today: NaiveDate::from_ymd_opt(2026, 11, 21), ..Surroundings::default() };
    let mut checker = Checker::new(everything().clone(), 1);
    let found = checker.check(&files, &around);
    for finding in found.findings.iter().chain(&found.allowed) {
        let bytes = if finding.path == first { one } else { other };
        if let Some(span) = &finding.span {
            assert!(span.bytes.start <= span.bytes.end && span.bytes.end <= bytes.len());
            assert!(span.start <= span.end);
        }
    }
    let again = checker.check(&files, &around);
    assert_eq!(format!("{:?}", found.findings), format!("{:?}", again.findings));
    let alone = check_one(first, one, everything());
    assert!(new_since(&alone, &alone).is_empty());
    let log = sarif::Log { program_version: "1.0.0", prefix: "", findings: &found.findings, suppressed: &[] };
    assert_eq!(sarif::log(&log)["runs"][0]["results"].as_array().map(Vec::len), Some(found.findings.len()));
});
