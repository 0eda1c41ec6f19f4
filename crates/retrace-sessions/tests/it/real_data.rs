//! The index over real transcripts. Skipped where they are not: `RETRACE_SHARED_DATA` names the folder that holds
//! `data/home` (or `home`), else it is `shared` beside the workspace.

#![allow(clippy::print_stdout, reason = "a test that is skipped says why")]

use retrace_sessions::{Cancel, Entry, Index, RootKind, Roots, UpdateReport, roots_of_home};
use retrace_transcript::Format;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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

fn update(index: &mut Index, roots: &Roots) -> UpdateReport {
    index.update(roots, &|_| {}, &Cancel::new())
}

fn indexed(roots: &Roots) -> Index {
    let mut index = Index::default();
    let report = update(&mut index, roots);
    assert_eq!(report.failed, []);
    index
}

/// The largest usage of each response, straight from the lines.
fn responses(path: &Path) -> BTreeMap<String, (u64, u64)> {
    let text = fs::read_to_string(path).expect("a transcript");
    let mut responses: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for line in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let message = &line["message"];
        if line["type"] != "assistant" || message["model"] == "<synthetic>" {
            continue;
        }
        let id = [&message["id"], &line["requestId"], &line["uuid"]].into_iter().find_map(Value::as_str);
        let count = |name: &str| message["usage"][name].as_u64().unwrap_or(0);
        let split = |name: &str| message["usage"]["cache_creation"][name].as_u64().unwrap_or(0);
        let written = count("cache_creation_input_tokens")
            .max(split("ephemeral_5m_input_tokens") + split("ephemeral_1h_input_tokens"));
        let context = count("input_tokens") + written + count("cache_read_input_tokens");
        let known = responses.entry(id.expect("an id").to_owned()).or_default();
        *known = (known.0.max(context), known.1.max(count("output_tokens")));
    }
    responses
}

fn claude_code(index: &Index) -> Vec<Arc<Entry>> {
    let snapshot = index.snapshot();
    snapshot.entries().filter(|entry| entry.place.kind == RootKind::ClaudeCode).map(Arc::clone).collect()
}

#[test]
fn every_response_is_counted_once_with_its_recorded_usage() {
    let Some(home) = home() else { return };
    let index = indexed(&roots_of_home(&home, &BTreeMap::new()));
    let mut all: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for entry in claude_code(&index) {
        let summary = entry.summary.as_ref().expect("it was read");
        assert_eq!(summary.format.or(Some(Format::ClaudeCode)), Some(Format::ClaudeCode));
        let expected = responses(&entry.path);
        assert_eq!(summary.requests, expected.len() as u64, "{}", entry.path.display());
        let counted: u64 = summary.models.values().map(|used| used.tokens.context()).sum();
        assert_eq!(
            counted,
            expected.values().map(|response| response.0).sum::<u64>(),
            "{}",
            entry.path.display()
        );
        for (id, (context, output)) in expected {
            let known = all.entry(id).or_default();
            *known = (known.0.max(context), known.1.max(output));
        }
    }
    let snapshot = index.snapshot();
    let calls = snapshot.calls();
    let of_claude_code: Vec<_> =
        calls.iter().filter(|call| call.entry.place.kind == RootKind::ClaudeCode).collect();
    assert_eq!(of_claude_code.len(), all.len());
    let context: u64 = of_claude_code.iter().map(|call| call.tokens.context()).sum();
    assert_eq!(context, all.values().map(|response| response.0).sum::<u64>());
    let output: u64 = of_claude_code.iter().map(|call| call.tokens.output).sum();
    assert_eq!(output, all.values().map(|response| response.1).sum::<u64>());
    println!("{:?}, {} copies left out", snapshot.totals(), calls.copies);
}

#[test]
fn subagents_find_their_session() {
    let Some(home) = home() else { return };
    let index = indexed(&roots_of_home(&home, &BTreeMap::new()));
    let snapshot = index.snapshot();
    let with_folder = snapshot.entries().filter(|entry| entry.place.of_session.is_some()).count();
    let joined: usize = snapshot
        .sessions()
        .iter()
        .filter(|row| row.main.is_some())
        .map(|row| row.subagents.iter().filter(|entry| entry.place.of_session.is_some()).count())
        .sum();
    assert_eq!(joined, with_folder);
    let ids: BTreeSet<_> = snapshot.sessions().iter().map(|row| row.id.clone()).collect();
    for id in ids {
        assert!(
            !snapshot.find(&id).is_empty() || snapshot.sessions().iter().any(|row| row.main.is_none()),
            "{id}"
        );
    }
}

/// Each file is given in three parts cut anywhere, the index kept in between.
#[test]
fn growing_in_parts_ends_like_one_reading() {
    let Some(home) = home() else { return };
    let whole = indexed(&roots_of_home(&home, &BTreeMap::new())).snapshot();
    let folder = tempfile::tempdir().expect("a folder");
    let roots = roots_of_home(folder.path(), &BTreeMap::new());
    let kept = folder.path().join(retrace_sessions::FILE_NAME);
    for part in 0..3 {
        for entry in whole.entries() {
            let bytes = fs::read(&entry.path).expect("a transcript");
            let cut = |part: usize| bytes.len() * part / 3;
            let path = folder.path().join(entry.path.strip_prefix(&home).expect("it is below the home"));
            fs::create_dir_all(path.parent().expect("it is below the folder")).expect("a directory");
            let mut file = fs::File::options().create(true).append(true).open(path).expect("a file");
            file.write_all(&bytes[cut(part)..cut(part + 1)]).expect("room");
        }
        let mut index = Index::load(&kept);
        let report = update(&mut index, &roots);
        assert_eq!(report.failed, []);
        assert_eq!(report.grown + report.read, whole.entries().len());
        println!("part {part}: {} read anew, {} gone on with", report.read, report.grown);
        index.save(&kept).expect("room");
    }
    let grown = Index::load(&kept).snapshot();
    for entry in whole.entries() {
        let path = folder.path().join(entry.path.strip_prefix(&home).expect("it is below the home"));
        let known = grown.entry(&path).expect("it was read");
        assert_eq!(known.summary, entry.summary, "{}", entry.path.display());
    }
}
