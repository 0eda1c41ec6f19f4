//! One setting over a session of 250 requests, and a thousand of them: what a slider and a sweep wait for. The peer is what
//! a plain implementation does for each setting: go over all messages of all requests.

use divan::{Bencher, black_box};
use retrace_context::{Options, Prepared, Scratch, Setting, Weights, simulate, simulate_totals};
use retrace_transcript::{BlockKind, Transcript};
use serde_json::{Value, json};

fn main() {
    divan::main();
}

const REQUESTS: usize = 250;

/// A session with two calls a request, told as a Messages API request so that our own reader makes it.
fn session() -> (Transcript, Weights) {
    let mut messages = vec![json!({"role": "user", "content": "Find out why the build fails and mend it."})];
    for round in 0..REQUESTS {
        let call = |name: &str, which: u8| json!({"type": "tool_use", "id": format!("t{round}_{which}"), "name": name, "input": {"path": "src/main.rs"}});
        let result = |which: u8| {
            let content = "x".repeat(200 + (round * 37) % 3_000);
            json!({"type": "tool_result", "tool_use_id": format!("t{round}_{which}"), "content": content})
        };
        messages.push(json!({"role": "assistant", "content": [
            {"type": "thinking", "thinking": "Which file is it?", "signature": "c2ln"}, call("read", 0), call("grep", 1),
        ]}));
        messages.push(json!({"role": "user", "content": [result(0), result(1)]}));
    }
    let request = json!({"model": "claude-opus-5", "max_tokens": 1, "messages": messages}).to_string();
    let reading = retrace_transcript::read(request.as_bytes()).expect("a request");
    let mut transcript = reading.transcripts.into_iter().next().expect("one transcript");
    // A request before each answer, whatever the reader makes of a history.
    let last = transcript.requests.pop().expect("a request");
    transcript.requests = (0..REQUESTS)
        .map(|round| retrace_transcript::Request { upto: 2 * round + 3, ..last.clone() })
        .collect();
    let weights = weights(&transcript);
    (transcript, weights)
}

/// A quarter of the bytes, which is near enough for a measurement of speed.
fn weights(transcript: &Transcript) -> Weights {
    let weigh = |kind: &BlockKind| {
        let bytes = match kind {
            BlockKind::ToolResult { content, .. } => content
                .iter()
                .map(|part| match part {
                    retrace_transcript::ResultPart::Text(text) => text.len(),
                    _ => 0,
                })
                .sum(),
            BlockKind::Text { text } | BlockKind::Thinking { text, .. } => text.len(),
            _ => 40,
        };
        retrace_context::BlockWeight { content: bytes as u64 / 4, frame: 10 }
    };
    let messages: Vec<Vec<_>> = transcript
        .messages
        .iter()
        .map(|message| message.blocks.iter().map(|block| weigh(&block.kind)).collect())
        .collect();
    let contexts: Vec<u64> = transcript
        .requests
        .iter()
        .map(|request| {
            let sent = transcript.sent(request).flat_map(|(index, _)| &messages[index]);
            20_000 + sent.map(|weight| weight.total()).sum::<u64>()
        })
        .collect();
    Weights {
        weighed: contexts.clone(),
        bases: vec![retrace_context::Basis::Counted; contexts.len()],
        contexts,
        messages,
        placeholder: 10,
        ..Weights::default()
    }
}

fn setting(value: &Value) -> Setting {
    Setting::from_json(value).expect("a setting")
}

fn clearing(trigger: u64, keep: u64, at_least: u64) -> Setting {
    setting(&json!({"edits": [
        {"type": "clear_thinking_20251015", "keep": {"type": "thinking_turns", "value": 1}},
        {
            "type": "clear_tool_uses_20250919",
            "trigger": {"type": "input_tokens", "value": trigger},
            "keep": {"type": "tool_uses", "value": keep},
            "clear_at_least": {"type": "input_tokens", "value": at_least},
        },
    ]}))
}

#[divan::bench]
fn prepare(bencher: Bencher<'_, '_>) {
    let (transcript, weights) = session();
    bencher.bench(|| Prepared::new(black_box(&transcript), &weights));
}

#[divan::bench(args = [40_000, 1_000_000])]
fn one_setting_whole(bencher: Bencher<'_, '_>, trigger: u64) {
    let (transcript, weights) = session();
    let prepared = Prepared::new(&transcript, &weights);
    let setting = clearing(trigger, 5, 5_000);
    bencher.bench(|| simulate(&prepared, black_box(&setting), &Options::default()));
}

#[divan::bench]
fn one_setting_totals(bencher: Bencher<'_, '_>) {
    let (transcript, weights) = session();
    let prepared = Prepared::new(&transcript, &weights);
    let setting = clearing(40_000, 5, 5_000);
    let mut scratch = Scratch::default();
    bencher
        .bench_local(|| simulate_totals(&prepared, black_box(&setting), &Options::default(), &mut scratch));
}

#[divan::bench(sample_count = 5)]
fn a_thousand_settings(bencher: Bencher<'_, '_>) {
    let (transcript, weights) = session();
    let prepared = Prepared::new(&transcript, &weights);
    let settings: Vec<Setting> =
        (0..1_000).map(|number| clearing(20_000 + 150 * number, number % 10, 1_000 * (number % 8))).collect();
    let mut scratch = Scratch::default();
    bencher.bench_local(|| {
        settings
            .iter()
            .map(|setting| simulate_totals(&prepared, setting, &Options::default(), &mut scratch).peak)
            .max()
    });
}

/// The peer: every block of every request once, by way of the messages.
#[divan::bench]
fn peer_walk_of_all_messages(bencher: Bencher<'_, '_>) {
    let (transcript, weights) = session();
    bencher.bench(|| {
        let mut results = 0_u64;
        for request in &transcript.requests {
            for (index, message) in black_box(&transcript).sent(request) {
                for (block, weight) in message.blocks.iter().zip(&weights.messages[index]) {
                    if matches!(block.kind, BlockKind::ToolResult { .. }) {
                        results += weight.content;
                    }
                }
            }
        }
        results
    });
}
