//! Holds the growth of recorded contexts against what their content weighs.
//!
//! ```text
//! cargo run --release -p retrace-context --example growth -- FOLDER
//! ```
//!
//! FOLDER is searched for transcripts (`*.jsonl`). A pair of consecutive requests counts when nothing but tool results came
//! between them: same segment and model, no thinking, no image, no text of a person or the client, both contexts recorded, v3
//! family. Growth that no content explains (reminders that the client adds and does not store) stays in: it is what the figures
//! above the third quartile show.

use retrace_context::{Counts, Weighing, Weights, compose};
use retrace_tokens::{Counter, Family, family_of, resolve};
use retrace_transcript::{BlockKind, Origin, Request, ResultPart, Transcript, Usage};
use std::error::Error;
use std::path::{Path, PathBuf};

/// One pair.
struct Pair {
    grown: i64,
    weighed: i64,
}

#[allow(clippy::print_stdout)]
fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args_os().nth(1).ok_or("which folder?")?);
    let mut pairs = Vec::new();
    let (mut transcripts, mut requests, mut unequal) = (0, 0, 0);
    for file in files(&folder)? {
        let Ok(reading) = retrace_transcript::read(&std::fs::read(&file)?) else { continue };
        for transcript in &reading.transcripts {
            let model = most_used_model(transcript);
            let family = family_of(&model, Family::V3).family;
            let weighing = Weighing::of(family, false, "");
            let mut counts = Counts::default();
            counts.update(transcript, Counter::of(family), &weighing, 2);
            let weights = counts.weights(transcript, &weighing);
            transcripts += 1;
            for (index, classes) in compose(transcript, &weights).iter().enumerate() {
                let recorded = transcript.requests[index].usage.as_ref().map(Usage::context);
                requests += u64::from(recorded.is_some());
                unequal += u64::from(
                    recorded.is_some_and(|recorded| recorded > 0 && classes.sum() != recorded as i64),
                );
            }
            if resolve(&model) == Ok(Family::V3) {
                pairs.extend(growth(transcript, &weights));
            }
        }
    }
    println!(
        "{transcripts} conversations, {requests} requests with recorded usage, {unequal} of them composed to another sum"
    );
    table(&pairs);
    Ok(())
}

fn files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "jsonl") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn most_used_model(transcript: &Transcript) -> String {
    let models: Vec<&str> =
        transcript.requests.iter().filter_map(|request| request.model.as_deref()).collect();
    let times = |model: &str| models.iter().filter(|other| **other == model).count();
    models.iter().max_by_key(|model| times(model)).map(|model| (*model).to_owned()).unwrap_or_default()
}

fn growth(transcript: &Transcript, weights: &Weights) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (index, two) in transcript.requests.windows(2).enumerate() {
        let (Some(before), Some(after)) = (context(&two[0]), context(&two[1])) else { continue };
        let segment = &transcript.segments[two[0].segment];
        let same =
            two[0].segment == two[1].segment && two[0].model == two[1].model && two[0].upto <= two[1].upto;
        if !same || !only_results(transcript, &segment.messages[two[0].upto..two[1].upto]) {
            continue;
        }
        let weighed = weights.weighed[index + 1] as i64 - weights.weighed[index] as i64;
        pairs.push(Pair { grown: after - before, weighed });
    }
    pairs
}

fn context(request: &Request) -> Option<i64> {
    request.usage.as_ref().map(|usage| usage.context() as i64).filter(|&context| context > 0)
}

/// Whether these messages are an answer with calls and their results, all of text.
fn only_results(transcript: &Transcript, messages: &[usize]) -> bool {
    let mut results = 0;
    for &index in messages {
        let message = &transcript.messages[index];
        if !matches!(message.origin, Origin::Model | Origin::ToolResults) {
            return false;
        }
        for block in &message.blocks {
            match &block.kind {
                BlockKind::Text { .. } if message.origin == Origin::Model => {}
                BlockKind::ToolUse { server: false, .. } => {}
                BlockKind::ToolResult { content, .. } => {
                    results += 1;
                    if content.iter().any(|part| !matches!(part, ResultPart::Text(_))) {
                        return false;
                    }
                }
                _ => return false,
            }
        }
    }
    results > 0
}

#[allow(clippy::print_stdout)]
fn table(pairs: &[Pair]) {
    let mut errors: Vec<f64> = pairs
        .iter()
        .filter(|pair| pair.grown > 0)
        .map(|pair| (pair.weighed - pair.grown).abs() as f64 / pair.grown as f64)
        .collect();
    errors.sort_by(f64::total_cmp);
    if errors.is_empty() {
        println!("no pairs");
        return;
    }
    let quantile = |part: f64| 100.0 * errors[((errors.len() - 1) as f64 * part) as usize];
    let within = |limit: f64| {
        100.0 * errors.iter().filter(|error| **error <= limit).count() as f64 / errors.len() as f64
    };
    let sum = |of: fn(&Pair) -> i64| pairs.iter().map(of).sum::<i64>() as f64;
    println!("{} pairs", errors.len());
    println!("| median | p75 | p90 | within 5 % | within 10 % | weighed / grown |");
    println!(
        "| {:.2} % | {:.1} % | {:.1} % | {:.0} % | {:.0} % | {:.3} |",
        quantile(0.5),
        quantile(0.75),
        quantile(0.9),
        within(0.05),
        within(0.1),
        sum(|pair| pair.weighed) / sum(|pair| pair.grown)
    );
    let mut differences: Vec<i64> = pairs.iter().map(|pair| pair.grown - pair.weighed).collect();
    differences.sort_unstable();
    let at = |part: f64| differences[((differences.len() - 1) as f64 * part) as usize];
    println!(
        "grown less weighed, in tokens: p10 {}, p25 {}, median {}, p75 {}, p90 {}",
        at(0.1),
        at(0.25),
        at(0.5),
        at(0.75),
        at(0.9)
    );
}
