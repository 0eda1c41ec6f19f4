//! Compares the growth of recorded contexts with what their content weighs.
//!
//! ```text
//! cargo run --release -p retrace-context --example growth -- FOLDER
//! ```
//!
//! FOLDER is searched for transcripts (`*.jsonl`). A pair of consecutive requests counts when nothing but tool results came
//! between them: same segment and model, no thinking, no image, no text of a person or the client, both contexts recorded, v3
//! family. Growth that no content explains (reminders that the client adds and does not store) stays in: it is what the figures
//! above the third quartile show.

use retrace_context::compose::{Growth, compose, growth};
use retrace_context::{Counts, Weighing};
use retrace_tokens::{Counter, Family, family_of, resolve};
use retrace_transcript::{Transcript, Usage};
use std::error::Error;
use std::path::{Path, PathBuf};

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

#[allow(clippy::print_stdout)]
fn table(pairs: &[Growth]) {
    let mut errors: Vec<f64> = pairs.iter().map(|pair| pair.error()).collect();
    errors.sort_by(f64::total_cmp);
    if errors.is_empty() {
        println!("no pairs");
        return;
    }
    let quantile = |part: f64| 100.0 * errors[((errors.len() - 1) as f64 * part) as usize];
    let within = |limit: f64| {
        100.0 * errors.iter().filter(|error| **error <= limit).count() as f64 / errors.len() as f64
    };
    let sum = |of: fn(&Growth) -> i64| pairs.iter().map(of).sum::<i64>() as f64;
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
