//! The commands on one screen, grouped as people look for them.

use clap::Command;
use std::fmt::Write as _;

/// Each group with its commands; every command that is not hidden stands in exactly one.
pub(crate) const GROUPS: [(&str, &[&str]); 8] = [
    ("Start", &["discover", "stores", "record", "serve", "import", "export"]),
    ("Review", &["inbox", "approve", "reject", "review", "report"]),
    (
        "History",
        &[
            "log",
            "show",
            "diff",
            "blame",
            "origin",
            "session",
            "search",
            "presence",
            "memories",
            "instructions",
        ],
    ),
    ("Roll back", &["rollback", "restore", "undo"]),
    ("Redact", &["redact", "receipts", "verify"]),
    ("Findings and rules", &["check", "health", "rule", "adherence", "worth"]),
    ("Context", &["context", "tokens"]),
    ("Agents, hosts, shell", &["clients", "remote", "hub", "sync", "hook", "memory-tool", "completions"]),
];

/// Columns of the longest name, with the blanks behind it.
const NAMES: usize = 14;

/// The groups as text.
pub(crate) fn groups(program: &Command) -> String {
    let mut text = String::new();
    for (heading, names) in GROUPS {
        let _ = writeln!(text, "{heading}:");
        for command in names.iter().filter_map(|name| program.find_subcommand(name)) {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {:NAMES$}{about}", command.get_name());
        }
    }
    text
}
