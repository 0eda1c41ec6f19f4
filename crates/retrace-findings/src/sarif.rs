//! A report as SARIF 2.1.0 (OASIS Static Analysis Results Interchange Format, the version code scanning services read).

use crate::baseline::fingerprints;
use crate::finding::Finding;
use crate::registry::{Rule, rules};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The schema the output names.
pub const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Salt of the fingerprints in SARIF: a constant, since services compare them between runs.
const SALT: &str = "retrace/v1";

/// Why a finding in the log does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suppression {
    /// A comment in the memory allows it.
    InSource,
    /// The baseline accepts it.
    External,
}

/// Content of one log.
#[derive(Clone, Copy, Debug)]
pub struct Log<'a> {
    /// Version of the program.
    pub program_version: &'a str,
    /// Prefix of each path so that it is one from the root of the repository: empty, or with a slash at its end.
    pub prefix: &'a str,
    /// Findings that count.
    pub findings: &'a [Finding],
    /// Findings that do not, with the reason.
    pub suppressed: &'a [(Finding, Suppression)],
}

/// The log as JSON. Only rules that found something are listed.
#[must_use]
pub fn log(log: &Log<'_>) -> Value {
    let all: Vec<Finding> =
        log.findings.iter().chain(log.suppressed.iter().map(|(finding, _)| finding)).cloned().collect();
    let used: Vec<&Rule> =
        rules().iter().filter(|rule| all.iter().any(|finding| finding.rule.id == rule.id)).collect();
    let index: BTreeMap<&str, usize> =
        used.iter().enumerate().map(|(index, rule)| (rule.id.as_str(), index)).collect();
    let reasons = std::iter::repeat_n(None, log.findings.len())
        .chain(log.suppressed.iter().map(|(_, reason)| Some(*reason)));
    let results: Vec<Value> = all
        .iter()
        .zip(fingerprints(&all, SALT))
        .zip(reasons)
        .map(|((finding, print), reason)| {
            let index = index.get(finding.rule.id.as_str()).copied().unwrap_or_default();
            result(finding, index, &print, reason, log.prefix)
        })
        .collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "Retrace",
                    "semanticVersion": log.program_version,
                    "rules": used.iter().map(|rule| descriptor(rule)).collect::<Vec<_>>(),
                }
            },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn descriptor(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "shortDescription": { "text": rule.explanation },
        "help": { "text": rule.remedy },
        "defaultConfiguration": { "enabled": rule.on, "level": rule.severity.as_str() },
        "properties": { "tags": [rule.group()] },
    })
}

fn result(finding: &Finding, index: usize, print: &str, reason: Option<Suppression>, prefix: &str) -> Value {
    let mut location = json!({ "artifactLocation": { "uri": uri(&format!("{prefix}{}", finding.path)) } });
    if let Some(span) = &finding.span {
        location["region"] = json!({
            "startLine": span.start.line,
            "startColumn": span.start.column,
            "endLine": span.end.line,
            "endColumn": span.end.column,
            "byteOffset": span.bytes.start,
            "byteLength": span.bytes.len(),
        });
    }
    let mut result = json!({
        "ruleId": finding.rule.id,
        "ruleIndex": index,
        "level": finding.severity.as_str(),
        "message": { "text": format!("{} {}", finding.message, finding.remedy()) },
        "locations": [{ "physicalLocation": location }],
        "partialFingerprints": { "retraceFinding/v1": print },
    });
    if let Some(reason) = reason {
        let kind = match reason {
            Suppression::InSource => "inSource",
            Suppression::External => "external",
        };
        result["suppressions"] = json!([{ "kind": kind }]);
    }
    result
}

/// A path as a relative reference (RFC 3986): everything but unreserved characters and slashes is percent-encoded. The
/// directory itself is `.`.
fn uri(path: &str) -> String {
    use std::fmt::Write as _;
    let path = if path.is_empty() { "." } else { path };
    let mut text = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            text.push(char::from(byte));
        } else {
            write!(text, "%{byte:02X}").expect("writing to a String cannot fail");
        }
    }
    text
}
