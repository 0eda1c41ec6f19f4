//! Readings of real transcripts, held against a plain pass over the same lines. Skipped where they are not: the folder is
//! named by `RETRACE_SHARED_DATA`, or is `shared` beside the workspace.

mod support;

use retrace_transcript::{Account, Cause, Reading, Summariser, read};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Files below `home/<folder>`, or none with the reason printed.
fn files(folder: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let shared = std::env::var_os("RETRACE_SHARED_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let mut folders = vec![shared.join("data/home").join(folder)];
    if !folders[0].is_dir() {
        println!(
            "skipped: there are no transcripts below {} (RETRACE_SHARED_DATA names another place)",
            shared.display()
        );
    }
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "jsonl") {
                let bytes = std::fs::read(&path).expect("a transcript");
                files.push((path, bytes));
            }
        }
    }
    files.sort();
    files
}

fn whole(path: &Path, bytes: &[u8]) -> Reading {
    let reading = read(bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    for transcript in &reading.transcripts {
        assert_eq!(support::check(transcript), Vec::<String>::new(), "{}", path.display());
    }
    assert_eq!(reading.account.bytes, bytes.len() as u64);
    assert_eq!(reading.account.malformed, [], "{}", path.display());
    reading
}

#[test]
fn the_context_of_each_claude_code_request_is_the_recorded_usage() {
    let (mut requests, mut unknown) = (0, BTreeMap::<String, u64>::new());
    for (path, bytes) in files(".claude/projects") {
        let reading = whole(&path, &bytes);
        for (name, number) in &reading.account.unknown {
            *unknown.entry(name.clone()).or_default() += number;
        }
        // A plain pass: the three input fields by message id, as maximum.
        let mut plain = BTreeMap::<String, u64>::new();
        for line in bytes.split(|&byte| byte == b'\n') {
            let Ok(line) = serde_json::from_slice::<Value>(line) else { continue };
            let message = &line["message"];
            if line["type"] != "assistant" || message["model"] == "<synthetic>" {
                continue;
            }
            let usage = &message["usage"];
            let split = ["ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"]
                .iter()
                .filter_map(|key| usage["cache_creation"][key].as_u64())
                .sum::<u64>();
            let context = usage["input_tokens"].as_u64().unwrap_or(0)
                + usage["cache_creation_input_tokens"].as_u64().unwrap_or(0).max(split)
                + usage["cache_read_input_tokens"].as_u64().unwrap_or(0);
            let id = message["id"].as_str().expect("an id").to_owned();
            let known = plain.entry(id).or_default();
            *known = context.max(*known);
        }
        let read: BTreeMap<String, u64> = reading
            .transcripts
            .iter()
            .flat_map(|transcript| &transcript.requests)
            .map(|request| (request.id.clone(), request.usage.as_ref().expect("usage").context()))
            .collect();
        assert_eq!(read, plain, "{}", path.display());
        requests += read.len();

        let mut summariser = Summariser::new();
        bytes.chunks(1000).for_each(|chunk| summariser.feed(chunk));
        let summary = summariser.summary();
        assert_eq!(summary.requests, plain.len() as u64, "{}", path.display());
        let main = &reading.transcripts[0];
        let peak =
            main.requests.iter().filter_map(|request| request.usage.as_ref()).map(|usage| usage.context());
        assert_eq!(summary.peak_context, peak.max().unwrap_or(0), "{}", path.display());
        assert_eq!(summary.session, main.session, "{}", path.display());
        let compactions =
            main.segments.iter().filter(|segment| matches!(segment.cause, Cause::Compacted(_))).count();
        assert_eq!(summary.compactions, compactions as u64, "{}", path.display());
        assert_eq!(summary.subagents, reading.transcripts.len() as u64 - 1, "{}", path.display());
        // The tree is gone over by the full reading alone.
        let account = Account { oddities: BTreeMap::new(), ..reading.account.clone() };
        assert_eq!(summary.account, account, "{}", path.display());
        println!(
            "{}: {} transcripts, {} messages, {} requests, segments {:?}, {:?} {:?}",
            path.file_name().unwrap().display(),
            reading.transcripts.len(),
            main.messages.len(),
            main.requests.len(),
            main.segments
                .iter()
                .map(|segment| format!("{:?}", segment.cause).chars().take(8).collect::<String>())
                .collect::<Vec<_>>(),
            main.session.title,
            reading.account.oddities,
        );
    }
    println!("{requests} requests, unknown: {unknown:?}");
}
