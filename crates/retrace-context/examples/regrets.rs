//! Prints every regret of transcripts under two settings: what the precision in docs/CONTEXT.md was measured with.
//!
//! ```text
//! cargo run --release -p retrace-context --example regrets -- FOLDER [RULE]
//! ```
//!
//! FOLDER is searched for transcripts (`*.jsonl`). One line a regret: transcript, setting, rule, the requests at which it was
//! cleared and needed, the call that was cleared, the evidence. The settings clear early and a little (trigger 40,000
//! tokens, three results kept) and late and much (100,000, one kept).

use retrace_context::regret::{Clearings, RegretIndex};
use retrace_context::{Counts, Options, Prepared, Setting, Weighing, simulate};
use retrace_tokens::{Counter, Family, family_of};
use serde_json::json;
use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};

#[allow(clippy::print_stdout)]
fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args_os().nth(1).ok_or("which folder?")?);
    let only = std::env::args().nth(2);
    let setting = |trigger: u64, keep: u64| {
        Setting::from_json(&json!({"edits": [{
            "type": "clear_tool_uses_20250919",
            "trigger": {"type": "input_tokens", "value": trigger},
            "keep": {"type": "tool_uses", "value": keep},
        }]}))
        .map_err(|error| error.message)
    };
    let settings = [("early", setting(40_000, 3)?), ("late", setting(100_000, 1)?)];
    let mut sums: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for file in files(&folder)? {
        let Ok(reading) = retrace_transcript::read(&std::fs::read(&file)?) else { continue };
        let name = file.file_stem().map(|stem| stem.to_string_lossy().chars().take(8).collect::<String>());
        for transcript in &reading.transcripts {
            let family = family_of("", Family::V3).family;
            let weighing = Weighing::of(family, false, "");
            let mut counts = Counts::default();
            counts.update(transcript, Counter::of(family), &weighing, 2);
            let weights = counts.weights(transcript, &weighing);
            let prepared = Prepared::new(transcript, &weights);
            let index = RegretIndex::new(transcript);
            for (which, setting) in &settings {
                let outcome = simulate(&prepared, setting, &Options::default());
                for regret in index.regrets(&Clearings::of(&outcome)) {
                    *sums.entry((which, regret.rule.name())).or_default() += 1;
                    if only.as_deref().is_none_or(|only| only == regret.rule.name()) {
                        println!(
                            "{}\t{which}\t{}\t{}→{}\t{}\t{:?}",
                            name.as_deref().unwrap_or(""),
                            regret.rule.name(),
                            regret.cleared_at,
                            regret.needed_at,
                            regret.label,
                            regret.evidence
                        );
                    }
                }
            }
        }
    }
    for ((which, rule), count) in sums {
        println!("{which} {rule}: {count}");
    }
    Ok(())
}

/// Every `*.jsonl` below a folder, by path.
fn files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else if path.extension().is_some_and(|ending| ending == "jsonl") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
