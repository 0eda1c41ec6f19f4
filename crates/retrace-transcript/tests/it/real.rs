//! Readings of real transcripts, compared with a plain pass over the same lines. Skipped where they are not: the folder is
//! named by `RETRACE_SHARED_DATA`, or is `shared` beside the workspace.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, clippy::needless_pass_by_value)] // tests

use super::support;
use retrace_transcript::{
    Account, BlockKind, Cause, Format, Reading, ResultPart, Summariser, Transcript, read,
};
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
    let mut growth = Vec::new();
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
        growth.extend(explained(main));
    }
    if !growth.is_empty() {
        growth.sort_by(f64::total_cmp);
        let median = growth[growth.len() / 2];
        println!("{} steps, {median:.2} bytes a token at the median", growth.len());
        assert!((2.5..4.0).contains(&median), "{median}");
    }
    println!("{requests} requests, unknown: {unknown:?}");
}

#[test]
fn codex_and_copilot_sessions_are_read() {
    for (path, bytes) in files(".codex/sessions") {
        let reading = whole(&path, &bytes);
        let main = &reading.transcripts[0];
        assert_eq!(main.format, Format::CodexRollout);
        // A plain pass: each new running total is one call.
        let (mut plain, mut total) = (Vec::new(), 0);
        for line in bytes.split(|&byte| byte == b'\n') {
            let Ok(line) = serde_json::from_slice::<Value>(line) else { continue };
            let info = &line["payload"]["info"];
            let running = info["total_token_usage"]["total_tokens"].as_u64().unwrap_or(0);
            if running != total && running > 0 {
                total = running;
                plain.push(info["last_token_usage"]["input_tokens"].as_u64().expect("input"));
            }
        }
        let read: Vec<u64> =
            main.requests.iter().filter_map(|request| Some(request.usage.as_ref()?.context())).collect();
        println!(
            "{}: {} requests, {} with usage, {} told, {:?}",
            path.display(),
            main.requests.len(),
            read.len(),
            plain.len(),
            reading.account
        );
        assert_eq!(read, plain, "{}", path.display());
    }
    for (path, bytes) in files(".copilot") {
        let reading = whole(&path, &bytes);
        println!(
            "{}: {} requests, {:?}",
            path.display(),
            reading.transcripts[0].requests.len(),
            reading.account
        );
        assert_eq!(reading.transcripts[0].format, Format::CopilotEvents);
        assert!(reading.account.unknown.is_empty());
        let answers = memchr::memmem::find_iter(&bytes, br#""type":"assistant.message""#).count();
        assert_eq!(reading.transcripts[0].requests.len(), answers);
    }
}

/// Bytes of content for each token by which the context grew, for steps of some size whose content is all text. Agent text
/// has about three bytes a token (token-estimation.md, section 3).
fn explained(transcript: &Transcript) -> Vec<f64> {
    let mut steps = Vec::new();
    for pair in transcript.requests.windows(2) {
        let [before, after] = pair else { continue };
        let (Some(was), Some(is)) = (&before.usage, &after.usage) else { continue };
        if before.segment != after.segment || is.context() < was.context() + 500 {
            continue;
        }
        let new = &transcript.segments[after.segment].messages[before.upto..after.upto];
        assert_eq!(new.first(), before.response.as_ref(), "the answer comes first of what is new");
        let content: Option<u64> = new
            .iter()
            .flat_map(|&index| &transcript.messages[index].blocks)
            .map(|block| match &block.kind {
                BlockKind::Text { text } => Some(text.len() as u64),
                BlockKind::ToolUse { name, input, .. } => Some((name.len() + input.to_string().len()) as u64),
                BlockKind::ToolResult { content, .. } => content
                    .iter()
                    .map(|part| match part {
                        ResultPart::Text(text) => Some(text.len() as u64),
                        _ => None,
                    })
                    .sum(),
                _ => None,
            })
            .sum();
        #[allow(clippy::cast_precision_loss)]
        steps.extend(content.map(|bytes| bytes as f64 / (is.context() - was.context()) as f64));
    }
    steps
}
