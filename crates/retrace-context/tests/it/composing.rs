//! Weights and composition on real transcripts. Skipped where they are not: `RETRACE_SHARED_DATA` names the folder that holds
//! `data/home` (or `home`), else it is `shared` beside the workspace.

#![allow(clippy::print_stdout, reason = "a test that is skipped says why")]

use retrace_context::compose::growth;
use retrace_context::{Clearings, Counts, RegretIndex, Weighing, compose, compose_request};
use retrace_tokens::{Counter, Family, family_of, resolve};
use retrace_transcript::{Format, Usage};
use std::path::{Path, PathBuf};

/// Median error that the measurements behind the framing allow.
const MEDIAN_ERROR: f64 = 0.005;

fn home() -> Option<PathBuf> {
    let shared = std::env::var_os("RETRACE_SHARED_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let home = [shared.join("data/home"), shared.join("home")].into_iter().find(|home| home.is_dir());
    if home.is_none() {
        println!(
            "skipped: there are no transcripts below {} (RETRACE_SHARED_DATA names another place)",
            shared.display()
        );
    }
    home
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn real_contexts_are_what_was_recorded_and_content_explains_their_growth() {
    let Some(home) = home() else { return };
    let mut errors = Vec::new();
    let mut requests = 0;
    for file in files(&home) {
        let bytes = std::fs::read(&file).expect("a transcript");
        let Ok(reading) = retrace_transcript::read(&bytes) else { continue };
        for transcript in &reading.transcripts {
            let model =
                transcript.requests.iter().find_map(|request| request.model.clone()).unwrap_or_default();
            let family = family_of(&model, Family::V3).family;
            let weighing = Weighing::of(family, false, "[cleared]");
            let mut counts = Counts::default();
            counts.update(transcript, Counter::of(family), &weighing, 2);
            let weights = counts.weights(transcript, &weighing);
            let composed = compose(transcript, &weights);
            for (request, classes) in transcript.requests.iter().zip(&composed) {
                let recorded = request.usage.as_ref().map(Usage::context).filter(|&context| context > 0);
                if let Some(recorded) = recorded {
                    requests += 1;
                    assert_eq!(classes.sum(), recorded as i64, "{} in {}", request.id, file.display());
                }
            }
            if let Some(last) = transcript.requests.len().checked_sub(1) {
                let detail = compose_request(transcript, &weights, last, 5).expect("a request");
                assert_eq!(detail.classes, composed[last]);
                let results: u64 = detail.tool_results.iter().map(|named| named.tokens).sum();
                assert_eq!(results as i64, detail.classes.tool_results, "{}", file.display());
            }
            if transcript.format == Format::ClaudeCode && resolve(&model) == Ok(Family::V3) {
                errors.extend(growth(transcript, &weights).into_iter().map(|pair| pair.error()));
            }
            assert_eq!(RegretIndex::new(transcript).count(&Clearings::default()), 0);
        }
    }
    assert!(requests > 1_000 && errors.len() > 500, "{requests} requests, {} pairs", errors.len());
    errors.sort_by(f64::total_cmp);
    let median = errors[errors.len() / 2];
    assert!(median <= MEDIAN_ERROR, "a median error of {:.2} %", median * 100.0);
}
