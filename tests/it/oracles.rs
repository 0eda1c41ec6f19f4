//! Our simulator against the programs whose behaviour was measured or written down: LiteLLM's implementation of context
//! editing, and the tool runner of the Python SDK talking to a server on this machine. Skipped where there is no Python
//! with both: `scripts/oracles` makes one, and `RETRACE_ORACLE_PYTHON` names it.

use retrace_context::sdk::{self, Call, Ending, LastMessage, RunEnd, SdkUsage, Summary, Trace, Turn};
use retrace_context::settings::CompactionControl;
use retrace_context::{
    Basis, BlockWeight, Cleared, Options, Prepared, RequestOutcome, Setting, Weights, simulate,
};
use retrace_transcript::{Block, BlockKind, ResultPart, Transcript};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Conversations with settings compared with LiteLLM.
const CONVERSATIONS: u64 = 1_500;

/// Scripts compared with the tool runner.
const SCRIPTS: u64 = 300;

/// Count of an image on both sides.
const MEDIA: u64 = 100;

/// Numbers that follow from a seed (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    fn of<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[usize::try_from(self.below(choices.len() as u64)).expect("small")].clone()
    }
}

fn python() -> Option<PathBuf> {
    let named = std::env::var_os("RETRACE_ORACLE_PYTHON").map(PathBuf::from);
    let python =
        named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/oracles/bin/python"));
    if python.is_file() {
        return Some(python);
    }
    println!(
        "skipped: no Python at {}; scripts/oracles makes one (RETRACE_ORACLE_PYTHON names another)",
        python.display()
    );
    None
}

/// Gives the cases to a program of `tests/oracles` and answers what it says of each.
fn ask(program: &str, cases: &[Value]) -> Option<Vec<Value>> {
    let python = python()?;
    let folder = tempfile::tempdir().expect("a folder");
    let (source, target) = (folder.path().join("cases.jsonl"), folder.path().join("answers.jsonl"));
    let lines: Vec<String> = cases.iter().map(Value::to_string).collect();
    std::fs::write(&source, lines.join("\n")).expect("the cases");
    let output = Command::new(python)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("oracles").join(program))
        .args([&source, &target])
        .output()
        .expect("Python runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answers = std::fs::read_to_string(target).expect("the answers");
    let answers: Vec<Value> =
        answers.lines().map(|line| serde_json::from_str(line).expect("an answer")).collect();
    assert_eq!(answers.len(), cases.len());
    Some(answers)
}

const TOOLS: [&str; 4] = ["read", "grep", "memory", "bash"];

/// A text of some bytes, now and then of characters of more than one byte.
fn text(numbers: &mut Numbers) -> String {
    let bytes = numbers.of(&[0, 1, 2, 30, 31, 32, 45, 46, 47, 48, 60, 120, 200, 500]);
    let letter = numbers.of(&["x", "x", "x", "é", "漢", "🦀"]);
    let mut text = letter.repeat(bytes / letter.len());
    while text.len() < bytes {
        text.push('x');
    }
    text
}

fn result_content(numbers: &mut Numbers) -> Value {
    match numbers.below(8) {
        0 => json!([{"type": "text", "text": text(numbers)}, {"type": "text", "text": text(numbers)}]),
        1 => json!([{
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"},
        }]),
        2 => json!([]),
        _ => text(numbers).into(),
    }
}

fn call(numbers: &mut Numbers, id: &str) -> Value {
    let input = if numbers.once_in(6) { json!({}) } else { json!({"path": text(numbers)}) };
    json!({"type": "tool_use", "id": id, "name": numbers.of(&TOOLS), "input": input})
}

/// A conversation that ends with the user, as a request does.
fn conversation(numbers: &mut Numbers) -> Vec<Value> {
    let mut messages = vec![json!({"role": "user", "content": format!("q{}", text(numbers))})];
    for round in 0..2 + numbers.below(10) {
        let ids: Vec<String> =
            (0..=numbers.of(&[0, 0, 0, 1, 2])).map(|call| format!("t{round}_{call}")).collect();
        let mut stated = Vec::new();
        if round > 0 && numbers.once_in(14) {
            stated.push(json!({"type": "compaction", "content": format!("s{}", text(numbers))}));
        }
        if numbers.once_in(3) {
            stated.push(json!({"type": "thinking", "thinking": text(numbers), "signature": "c2ln"}));
        }
        if numbers.once_in(2) {
            stated.push(json!({"type": "text", "text": format!("a{}", text(numbers))}));
        }
        stated.extend(ids.iter().map(|id| call(numbers, id)));
        messages.push(json!({"role": "assistant", "content": stated}));
        // Now and then a call stays without its result, and the person speaks instead.
        let mut answers: Vec<Value> = Vec::new();
        for id in &ids {
            if !numbers.once_in(15) {
                let content = result_content(numbers);
                answers.push(json!({"type": "tool_result", "tool_use_id": id, "content": content}));
            }
        }
        if answers.is_empty() || numbers.once_in(5) {
            answers.push(json!({"type": "text", "text": format!("u{}", text(numbers))}));
        }
        messages.push(json!({"role": "user", "content": answers}));
    }
    messages
}

fn edit(numbers: &mut Numbers, context: u64, uses: u64) -> Value {
    let mut edit = json!({"type": "clear_tool_uses_20250919"});
    edit["trigger"] = if numbers.once_in(3) {
        json!({"type": "tool_uses", "value": numbers.below(uses + 2)})
    } else {
        let around = [0, 0, context / 2, context.saturating_sub(1), context, context + 1];
        json!({"type": "input_tokens", "value": numbers.of(&around)})
    };
    if !numbers.once_in(4) {
        edit["keep"] = json!({"type": "tool_uses", "value": numbers.below(5)});
    }
    if numbers.once_in(3) {
        let value = numbers.of(&[0, 1, 50, 169, 170, 300, 500, 2_000]);
        edit["clear_at_least"] = json!({"type": "input_tokens", "value": value});
    }
    if numbers.once_in(3) {
        edit["exclude_tools"] = json!([numbers.of(&TOOLS)]);
    }
    match numbers.below(5) {
        0 => edit["clear_tool_inputs"] = json!(true),
        1 => edit["clear_tool_inputs"] = json!([numbers.of(&TOOLS), "other"]),
        _ => {}
    }
    edit
}

/// Characters of what an edit can take away; the other side counts the same.
fn characters(block: &Block) -> u64 {
    let of_text = |text: &str| text.chars().count() as u64;
    match &block.kind {
        BlockKind::Text { text } | BlockKind::Thinking { text, .. } => of_text(text),
        BlockKind::ToolUse { input, .. } if input.as_object().is_some_and(serde_json::Map::is_empty) => 0,
        BlockKind::ToolUse { input, .. } => of_text(&input.to_string()),
        BlockKind::ToolResult { content, .. } => content
            .iter()
            .map(|part| match part {
                ResultPart::Text(text) => of_text(text),
                ResultPart::Media(_) => MEDIA,
                ResultPart::Other(_) => 0,
            })
            .sum(),
        _ => 0,
    }
}

/// The summary of a compaction as the other side puts it into the system prompt.
fn summary(transcript: &Transcript, system: &str) -> u64 {
    let blocks = transcript.messages.iter().flat_map(|message| &message.blocks);
    let mut last = blocks.filter_map(|block| match &block.kind {
        BlockKind::Compaction { content } => content.as_deref(),
        _ => None,
    });
    let Some(content) = last.next_back() else { return 0 };
    let prefix = format!("Previous conversation summary: {content}\n\n");
    let prefix = if system.is_empty() { prefix.trim_end() } else { &prefix };
    prefix.chars().count() as u64
}

fn weights(transcript: &Transcript, system: &str) -> Weights {
    let weigh = |block: &Block| BlockWeight { content: characters(block), frame: 0 };
    let messages: Vec<Vec<BlockWeight>> =
        transcript.messages.iter().map(|message| message.blocks.iter().map(weigh).collect()).collect();
    let begins = transcript.messages.iter().rposition(|message| {
        message.blocks.iter().any(|block| matches!(block.kind, BlockKind::Compaction { .. }))
    });
    let sent: u64 = messages[begins.unwrap_or(0)..].iter().flatten().map(|weight| weight.total()).sum();
    let context = sent + system.chars().count() as u64 + summary(transcript, system);
    Weights {
        messages,
        preambles: vec![Default::default(); transcript.preambles.len()],
        contexts: vec![context],
        weighed: vec![context],
        bases: vec![Basis::Counted],
        placeholder: retrace_context::edits::PLACEHOLDER.chars().count() as u64,
        ..Weights::default()
    }
}

/// One conversation, read by our own reader.
struct Case {
    transcript: Transcript,
    weights: Weights,
    request: Value,
}

fn case(seed: u64) -> Case {
    let mut numbers = Numbers(seed);
    let messages = conversation(&mut numbers);
    let system = if numbers.once_in(2) { String::new() } else { format!("s{}", text(&mut numbers)) };
    let mut request = json!({"model": "claude-opus-5", "max_tokens": 1, "messages": messages});
    if !system.is_empty() {
        request["system"] = system.as_str().into();
    }
    let reading = retrace_transcript::read(request.to_string().as_bytes()).expect("a request");
    let mut transcript = reading.transcripts.into_iter().next().expect("one transcript");
    // The reader tells of earlier answers too; the question is what happens to the request as it stands.
    transcript.requests.drain(..transcript.requests.len() - 1);
    assert_eq!(
        transcript.requests[0].upto,
        request["messages"].as_array().expect("messages").len(),
        "{request}"
    );
    let weights = weights(&transcript, &system);
    let uses = transcript.messages.iter().flat_map(|message| &message.blocks);
    let uses = uses.filter(|block| matches!(block.kind, BlockKind::ToolUse { .. })).count() as u64;
    let edits: Vec<Value> =
        (0..=u64::from(numbers.once_in(6))).map(|_| edit(&mut numbers, weights.contexts[0], uses)).collect();
    request["edits"] = edits.into();
    Case { transcript, weights, request }
}

fn ours(case: &Case) -> Value {
    let setting = Setting::from_json(&json!({"edits": case.request["edits"]})).expect("a setting");
    let prepared = Prepared::new(&case.transcript, &case.weights);
    let outcome = simulate(&prepared, &setting, &Options::default());
    let request: &RequestOutcome = &outcome.requests[0];
    let (mut results, mut inputs) = (BTreeSet::new(), BTreeSet::new());
    for cleared in &request.newly_cleared {
        match cleared {
            Cleared::Result { tool_use_id, .. } => results.insert(tool_use_id.clone()),
            Cleared::Input { tool_use_id, tokens, .. } if *tokens > 0 => inputs.insert(tool_use_id.clone()),
            Cleared::Input { .. } | Cleared::Thinking { .. } => false,
        };
    }
    let applied: Vec<Value> = request
        .applied_edits
        .iter()
        .map(|edit| {
            json!({
                "type": edit.edit,
                "cleared_tool_uses": edit.cleared_tool_uses,
                "cleared_input_tokens": edit.cleared_input_tokens,
            })
        })
        .collect();
    json!({"applied": applied, "results": results, "inputs": inputs})
}

fn theirs(answer: &Value) -> Value {
    let sorted = |name: &str| -> BTreeSet<String> {
        let ids = answer[name].as_array().into_iter().flatten();
        ids.map(|id| id.as_str().expect("an id").to_owned()).collect()
    };
    json!({"applied": answer["applied"], "results": sorted("results"), "inputs": sorted("inputs")})
}

#[test]
fn tool_uses_are_cleared_as_litellm_clears_them() {
    let cases: Vec<Case> = (0..CONVERSATIONS).map(case).collect();
    let requests: Vec<Value> = cases.iter().map(|case| case.request.clone()).collect();
    let Some(answers) = ask("litellm_context.py", &requests) else { return };
    let mut acted = 0;
    for (seed, (case, answer)) in cases.iter().zip(&answers).enumerate() {
        assert!(answer.get("error").is_none(), "seed {seed}: {answer}");
        acted += usize::from(!answer["applied"].as_array().expect("a list").is_empty());
        assert_eq!(ours(case), theirs(answer), "seed {seed}: {}", case.request);
    }
    println!("{} conversations with settings, {acted} of them edited: all alike", cases.len());
    assert!(acted * 3 > cases.len(), "only {acted} cases test anything");
}

/// Values that do not fit, for each field that the other side checks.
fn misfits() -> Vec<Value> {
    let values = [
        json!(3),
        json!(-1),
        json!(1.5),
        json!("memory"),
        json!([1]),
        json!(["memory", 7]),
        json!({"type": "input_tokens", "value": -5}),
        json!({"type": "input_tokens", "value": "5"}),
        json!({"type": "input_tokens", "value": 2.5}),
        json!({"type": "input_tokens"}),
        json!({"type": "tool_uses", "value": 5}),
        json!({"value": 5}),
        json!("maybe"),
        json!({"a": 1}),
        json!(false),
    ];
    let fields = ["trigger", "keep", "clear_at_least", "exclude_tools", "clear_tool_inputs"];
    let mut edits = Vec::new();
    for field in fields {
        for value in &values {
            edits.push(json!({"type": "clear_tool_uses_20250919", field: value}));
        }
    }
    for first in fields {
        edits.push(json!({"type": "clear_tool_uses_20250919", first: 3, "exclude_tools": "x"}));
    }
    edits
}

#[test]
fn settings_are_refused_in_the_words_of_litellm() {
    let edits = misfits();
    let messages = json!([{"role": "user", "content": "q"}]);
    let requests: Vec<Value> =
        edits.iter().map(|edit| json!({"messages": messages, "edits": [edit]})).collect();
    let Some(answers) = ask("litellm_context.py", &requests) else { return };
    let mut refused = 0;
    for (edit, answer) in edits.iter().zip(&answers) {
        // Values that the other side does not look at (values within trigger and keep) is checked by ours alone.
        let Some(error) = answer.get("error").and_then(Value::as_str) else { continue };
        refused += 1;
        let ours = Setting::from_json(&json!({"edits": [edit]})).expect_err("a refusal").to_string();
        assert_eq!(ours, error, "{edit}");
    }
    println!("{refused} settings refused in the same words");
    assert!(refused > 40);
}

/// A script for the tool runner, in both forms.
struct Script {
    json: Value,
    control: CompactionControl,
    messages: usize,
    last: LastMessage,
    turns: Vec<Turn>,
    summaries: Vec<Summary>,
}

fn script(seed: u64) -> Script {
    let mut numbers = Numbers(seed ^ 0x5d4);
    let threshold = numbers.of(&[1, 50, 100, 1_000]);
    let mut turns = Vec::new();
    let mut json_turns = Vec::new();
    for _ in 0..=numbers.below(9) {
        let (turn, json) = scripted_turn(&mut numbers, threshold);
        turns.push(turn);
        json_turns.push(json);
    }
    let summaries: Vec<Summary> = (0..numbers.below(5))
        .map(|_| Summary {
            usage: SdkUsage { input: 1, output: 1, ..SdkUsage::default() },
            begins_with_text: !numbers.once_in(8),
        })
        .collect();
    let json_summaries: Vec<Value> = summaries
        .iter()
        .map(|summary| json!({"usage": {"input_tokens": 1, "output_tokens": 1}, "text": summary.begins_with_text}))
        .collect();
    let max_iterations = numbers.once_in(3).then(|| numbers.below(6));
    let enabled = !numbers.once_in(10);
    let (messages, last) = history(&mut numbers);
    Script {
        json: json!({
            "control": {"enabled": enabled, "context_token_threshold": threshold},
            "max_iterations": max_iterations,
            "messages": messages,
            "turns": json_turns,
            "summaries": json_summaries,
        }),
        control: CompactionControl {
            enabled,
            context_token_threshold: threshold,
            max_iterations,
            ..CompactionControl::default()
        },
        messages: messages.len(),
        last,
        turns,
        summaries,
    }
}

/// A turn whose usage is below, at or above the threshold.
fn scripted_turn(numbers: &mut Numbers, threshold: u64) -> (Turn, Value) {
    let used = numbers.of(&[threshold / 2, threshold - 1, threshold, threshold + 1, threshold * 3]);
    let output = numbers.below(used + 1);
    let cached = numbers.once_in(3);
    let read = if cached { numbers.below(used - output + 1) } else { 0 };
    let creation = if cached { numbers.below(used - output - read + 1) } else { 0 };
    let usage = SdkUsage {
        input: used - output - read - creation,
        cache_creation: cached.then_some(creation),
        cache_read: cached.then_some(read),
        output,
    };
    let calls = 1 + numbers.below(3);
    let (ending, word) = match numbers.below(7) {
        0 => (Ending::Answer, "answer"),
        1 => (Ending::Refusal, "refusal"),
        _ => (Ending::Calls(calls), "calls"),
    };
    let json = json!({
        "usage": {
            "input_tokens": usage.input,
            "output_tokens": usage.output,
            "cache_creation_input_tokens": usage.cache_creation,
            "cache_read_input_tokens": usage.cache_read,
        },
        "ending": word,
        "calls": calls,
    });
    (Turn { usage, ending }, json)
}

/// First messages of the caller; now and then it ends with the assistant, as only a caller makes it.
fn history(numbers: &mut Numbers) -> (Vec<Value>, LastMessage) {
    let mut messages = vec![json!({"role": "user", "content": "q"})];
    let other_blocks = match numbers.below(8) {
        0 => 0,
        1 => 1,
        _ => return (messages, LastMessage::User),
    };
    let mut blocks = vec![json!({"type": "tool_use", "id": "own", "name": "work", "input": {}})];
    blocks.extend((0..other_blocks).map(|_| json!({"type": "text", "text": "so"})));
    messages.push(json!({"role": "assistant", "content": blocks}));
    (messages, LastMessage::Assistant { other_blocks })
}

/// A trace in the words of the other side.
fn reported(trace: &Trace) -> Value {
    const NORMAL: [&str; 5] = ["max_tokens", "messages", "model", "system", "tools"];
    let calls: Vec<Value> = trace
        .calls
        .iter()
        .map(|call| match call {
            Call::Normal { messages } => json!(["normal", messages, NORMAL]),
            Call::Summary { messages, .. } => json!(["summary", messages, &NORMAL[..3]]),
        })
        .collect();
    let error = match trace.end {
        RunEnd::SummaryIsNoText => Some("Compaction response content is not of type 'text'"),
        RunEnd::ScriptEnded => Some("script ended"),
        RunEnd::Answered | RunEnd::Refused | RunEnd::LimitReached => None,
    };
    json!({"calls": calls, "yields": trace.yields, "tool_runs": trace.tool_runs, "error": error})
}

#[test]
fn the_tool_runner_compacts_as_the_python_sdk_does() {
    let scripts: Vec<Script> = (0..SCRIPTS).map(script).collect();
    let cases: Vec<Value> = scripts.iter().map(|script| script.json.clone()).collect();
    let Some(answers) = ask("sdk_runner.py", &cases) else { return };
    let mut compactions = 0;
    for (seed, (script, answer)) in scripts.iter().zip(&answers).enumerate() {
        let trace = sdk::run(&script.control, script.messages, script.last, &script.turns, &script.summaries);
        compactions += trace.calls.iter().filter(|call| matches!(call, Call::Summary { .. })).count();
        assert_eq!(&reported(&trace), answer, "seed {seed}: {}", script.json);
    }
    println!("{} scripts, {compactions} compactions: all alike", scripts.len());
    assert!(compactions > 100);
}
