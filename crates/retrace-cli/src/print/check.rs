//! Findings, as compilers print them.

use super::{Style, count, visible};
use retrace_api::wire::{Checked, Finding};
use std::io::{Result, Write};

/// `PATH:LINE:COLUMN: severity: message [rule]`, then what to do.
pub(crate) fn finding(out: &mut (impl Write + ?Sized), finding: &Finding, style: Style) -> Result<()> {
    let paint = style.paint;
    let severity = match finding.severity.as_str() {
        "error" => paint.red("error"),
        "warning" => paint.yellow("warning"),
        other => paint.dim(other),
    };
    let path = if finding.path.is_empty() { "." } else { &finding.path };
    writeln!(
        out,
        "{}:{}:{}: {severity}: {} {}",
        paint.cyan(&visible::line(path)),
        finding.line,
        finding.column,
        visible::line(&finding.message),
        paint.dim(&format!("[{}]", visible::line(&finding.rule))),
    )?;
    writeln!(out, "    {}", visible::line(&finding.remedy))
}

/// How many there are, and how many do not count.
pub(crate) fn summary(checked: &Checked) -> String {
    let mut text = format!(
        "{}, {}, {} in {}.",
        count(checked.errors, "error", "errors"),
        count(checked.warnings, "warning", "warnings"),
        count(checked.notes, "note", "notes"),
        count(checked.files, "file", "files"),
    );
    for (number, why) in
        [(checked.allowed, "allowed by comments"), (checked.accepted, "accepted by the baseline")]
    {
        if number > 0 {
            text.push_str(&format!(" {number} more {why}."));
        }
    }
    text
}
