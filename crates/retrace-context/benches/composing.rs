//! Speed of opening a transcript and cost of a sweep: weighing, composition, regret, a thousand
//! settings. The peer of weighing is the counter alone over the same texts; that of composition is going over the messages of
//! every request.
//!
//! ```text
//! cargo bench -p retrace-context --bench composing
//! ```

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use retrace_context::sweep::{Grid, Run, Subject, sweep_settings};
use retrace_context::{Counts, Options, Prepared, RegretIndex, Setting, Weighing, Weights, compose, weigh};
use retrace_tokens::{Counter, Family};
use retrace_transcript::{BlockKind, Request, ResultPart, Transcript};
use serde_json::json;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

fn main() {
    divan::main();
}

const REQUESTS: usize = 250;
const WEIGHING: Weighing<'static> = Weighing {
    family: "v3",
    family_assumed: false,
    frame: 7,
    framing: retrace_context::Framing::CLAUDE,
    placeholder: "[Cleared by context management]",
};

/// A session with two calls a request, in text like that of agents: code, paths, numbers, prose.
fn session() -> &'static Transcript {
    static SESSION: OnceLock<Transcript> = OnceLock::new();
    SESSION.get_or_init(|| {
        let mut messages = vec![json!({"role": "user", "content": "Find out why the build fails and mend it."})];
        for round in 0..REQUESTS {
            let path = format!("/proj/src/module_{}/part_{}.rs", round % 17, round % 5);
            let call = |name: &str, which: u8| {
                json!({"type": "tool_use", "id": format!("t{round}_{which}"), "name": name, "input": {"file_path": path, "limit": 200}})
            };
            let result = |which: u8| {
                let text: String = (0..20 + round % 90)
                    .map(|line| format!("{:>6}→    let value_{line} = parse(&input[{line}..{}])?; // step {round} of {which}\n", line + 1, line * 3))
                    .collect();
                json!({"type": "tool_result", "tool_use_id": format!("t{round}_{which}"), "content": text})
            };
            messages.push(json!({"role": "assistant", "content": [
                {"type": "text", "text": format!("Step {round} reads `{path}`, because the error names it twice.")},
                call("Read", 0), call("Grep", 1),
            ]}));
            messages.push(json!({"role": "user", "content": [result(0), result(1)]}));
        }
        let request = json!({"model": "claude-opus-4-6", "max_tokens": 1, "messages": messages}).to_string();
        let reading = retrace_transcript::read(request.as_bytes()).expect("a request");
        let mut transcript = reading.transcripts.into_iter().next().expect("one transcript");
        let last = transcript.requests.pop().expect("a request");
        transcript.requests = (0..REQUESTS)
            .map(|round| Request { upto: 2 * round + 1, response: Some(2 * round + 1), ..last.clone() })
            .collect();
        transcript
    })
}

fn weights() -> &'static Weights {
    static WEIGHTS: OnceLock<Weights> = OnceLock::new();
    WEIGHTS.get_or_init(|| weigh(session(), Counter::of(Family::V3), &WEIGHING))
}

/// The texts that weighing counts, but for calls.
fn texts() -> Vec<&'static str> {
    let blocks = session().messages.iter().flat_map(|message| &message.blocks);
    blocks
        .flat_map(|block| match &block.kind {
            BlockKind::Text { text } => vec![text.as_str()],
            BlockKind::ToolResult { content, .. } => content
                .iter()
                .filter_map(|part| match part {
                    ResultPart::Text(text) => Some(text.as_str()),
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        })
        .collect()
}

fn bytes() -> usize {
    texts().iter().map(|text| text.len()).sum()
}

#[divan::bench(args = [1, 2])]
fn weighing(bencher: Bencher<'_, '_>, threads: usize) {
    let counter = Counter::of(Family::V3);
    bencher.counter(BytesCount::new(bytes())).bench(|| {
        let mut counts = Counts::default();
        counts.update(session(), counter, &WEIGHING, threads);
        counts.weights(session(), &WEIGHING)
    });
}

#[divan::bench]
fn weighing_peer_the_counter_alone(bencher: Bencher<'_, '_>) {
    let counter = Counter::of(Family::V3);
    let texts = texts();
    bencher
        .counter(BytesCount::new(bytes()))
        .bench(|| texts.iter().map(|text| counter.content(black_box(text))).sum::<u64>());
}

#[divan::bench]
fn weighing_again_when_nothing_is_new(bencher: Bencher<'_, '_>) {
    let counter = Counter::of(Family::V3);
    let mut counts = Counts::default();
    counts.update(session(), counter, &WEIGHING, 1);
    bencher.bench_local(|| counts.update(session(), counter, &WEIGHING, 1));
}

#[divan::bench]
fn composition(bencher: Bencher<'_, '_>) {
    bencher.bench(|| compose(black_box(session()), weights()));
}

#[divan::bench]
fn composition_peer_every_message_of_every_request(bencher: Bencher<'_, '_>) {
    let weights = weights();
    bencher.bench(|| {
        let sum = |request| {
            session()
                .sent(request)
                .map(|(index, _)| weights.messages[index].iter().map(|block| block.total()).sum::<u64>())
                .sum()
        };
        session().requests.iter().map(sum).collect::<Vec<u64>>()
    });
}

#[divan::bench]
fn regret_index(bencher: Bencher<'_, '_>) {
    bencher.counter(BytesCount::new(bytes())).bench(|| RegretIndex::new(black_box(session())));
}

#[divan::bench(args = [1, 2], sample_count = 10)]
fn sweep_of_a_thousand_settings(bencher: Bencher<'_, '_>, threads: usize) {
    let prepared = Prepared::new(session(), weights());
    let regrets = RegretIndex::new(session());
    let grid = Grid::from_json(&json!({"edits": [{
        "type": "clear_tool_uses_20250919",
        "trigger": {"type": "input_tokens", "value": {"from": 20_000, "to": 119_000, "step": 1_000}},
        "keep": {"type": "tool_uses", "value": {"from": 1, "to": 10, "step": 1}},
    }]}))
    .expect("a grid");
    let settings: Vec<Setting> =
        grid.settings.iter().map(|setting| Setting::from_json(setting).expect("a setting")).collect();
    assert_eq!(settings.len(), 1_000);
    let never = AtomicBool::new(false);
    let run = Run { threads, cancel: &never, progress: &|_| {} };
    let subjects = [Subject { prepared: &prepared, regrets: &regrets }];
    bencher.bench(|| sweep_settings(&subjects, &settings, &Options::default(), &run));
}
