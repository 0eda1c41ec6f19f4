//! Runs every rule over recorded histories of memory directories, every version of every state, and prints each finding
//! once: what docs/FINDINGS.md was measured with.
//!
//! ```text
//! cargo run --release -p retrace-findings --example histories -- HISTORY.jsonl…
//! ```

use retrace_findings::{Checker, Config, Content, File, Surroundings, rules};
use retrace_model::Sha256;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

#[expect(clippy::print_stdout, reason = "what it is for")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut config = Config::default();
    for rule in rules() {
        config.set(&rule.id, rule.severity.as_str())?;
    }
    for name in std::env::args().skip(1) {
        let mut checker = Checker::new(config.clone(), 2);
        let mut state: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        let text = std::fs::read_to_string(&name)?;
        let events: Vec<Value> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
        let mut versions = 0;
        for (index, event) in events.iter().enumerate() {
            let path = event["path"].as_str().unwrap_or_default().to_owned();
            match event["op"].as_str() {
                Some("delete") => drop(state.remove(&path)),
                operation => {
                    if operation == Some("rename") {
                        state.remove(event["from"].as_str().unwrap_or_default());
                    }
                    versions += 1;
                    state.insert(path, event["text"].as_str().unwrap_or_default().as_bytes().to_vec());
                }
            }
            // A state is complete at the end of its step.
            if events.get(index + 1).is_some_and(|next| next["step"] == event["step"]) {
                continue;
            }
            let files: Vec<File<'_>> = state
                .iter()
                .map(|(path, bytes)| File {
                    path,
                    size: bytes.len() as u64,
                    content: Content::Bytes(Sha256::of(bytes), bytes),
                })
                .collect();
            let day = event["time"].as_i64().and_then(|time| chrono::DateTime::from_timestamp(time, 0));
            let surroundings =
                Surroundings { today: day.map(|day| day.date_naive()), ..Surroundings::default() };
            let report = checker.check(&files, &surroundings);
            for finding in report.findings {
                let bytes = state.get(&finding.path).map_or(&[][..], Vec::as_slice);
                let found =
                    finding.span.as_ref().and_then(|span| bytes.get(span.bytes.clone())).unwrap_or_default();
                let found = if finding.rule.sensitive {
                    String::new()
                } else {
                    String::from_utf8_lossy(found).into_owned()
                };
                if seen.insert((
                    finding.rule.id.clone(),
                    finding.path.clone(),
                    finding.message.clone(),
                    found.clone(),
                )) {
                    println!(
                        "{name}\t{}\t{}\t{}:{}\t{}\t{}",
                        event["step"],
                        finding.rule.id,
                        finding.path,
                        finding.position().line,
                        finding.message,
                        found.chars().take(160).collect::<String>().replace('\n', " ")
                    );
                }
            }
        }
        println!("{name}: {versions} versions, {} findings", seen.len());
    }
    Ok(())
}
