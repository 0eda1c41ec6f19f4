//! A session that records its requests, as large as they grow: how long it takes to see one of them, and the whole.
//!
//! `cargo bench -p retrace-lab --bench requests [-- REQUESTS] [FILE]`; with a file, the session is made there and stays.

#![allow(clippy::print_stdout, reason = "figures are printed")]

use retrace_engine::{Engine, EngineOptions};
use retrace_lab::{KeyInMemory, Lab, context_composition, context_request, context_show};
use retrace_wire::{CompositionReq, ContextShowReq, RequestBodyReq};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Requests where no number is said.
const REQUESTS: usize = 2_000;

/// A compaction comes after so many.
const UNTIL_COMPACTION: usize = 250;

/// Tools of a request.
const TOOLS: usize = 40;

/// Times that a request is asked for by each way.
const RUNS: usize = 40;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with("--")).collect();
    let requests = arguments.iter().find_map(|it| it.parse().ok()).unwrap_or(REQUESTS);
    let directory = tempfile::tempdir().expect("a temporary directory");
    let named = arguments.iter().find(|it| it.parse::<usize>().is_err()).map(PathBuf::from);
    let file = named.unwrap_or_else(|| directory.path().join("session.jsonl"));
    session(&file, requests, TOOLS).expect("a session");
    let bytes = std::fs::metadata(&file).expect("a file").len();
    println!("a session of {requests} requests, {:.0} MB", bytes as f64 / 1e6);

    let lab = || lab(directory.path());
    let transcript = file.to_string_lossy().into_owned();
    let ask = |lab: &Arc<Lab>, at: usize| {
        let request = RequestBodyReq { transcript: transcript.clone(), at: at.to_string(), raw: true };
        let body = context_request(lab, request).expect("a request");
        assert_eq!(body.proved, Some(true), "{at}: {:?}", body.reason);
        body.raw.map_or(0, |raw| raw.len())
    };
    let first = lab();
    let (took, length) = timed(|| ask(&first, requests - 1));
    println!("the last request ({length} bytes), nothing known of the file: {took:.1?}");
    let mut any = (0..RUNS).map(|run| (run * 7919) % requests);
    report("any request, in the same process", || ask(&first, any.next().unwrap_or_default()));
    drop(first);
    let mut any = (0..RUNS).map(|run| (run * 6101) % requests);
    let mut each = Vec::new();
    for at in &mut any {
        let lab = lab();
        each.push(timed(|| ask(&lab, at)).0);
    }
    print("any request, each in a process that knows nothing but its files", each);
    println!("memory until here, at most: {}", peak_memory());

    let lab = lab();
    let show = || {
        let shown = context_show(&lab, ContextShowReq { transcript: transcript.clone() }).expect("a session");
        assert!(shown.requests.iter().all(|request| request.proved == Some(true)));
        shown.requests.len()
    };
    let (took, shown) = timed(show);
    let rate = bytes as f64 / 1e6 / took.as_secs_f64();
    println!("every one of {shown} requests proved and weighed: {took:.1?}, {rate:.0} MB/s");
    let request = CompositionReq { transcript: transcript.clone(), request: (shown - 1) as u64 };
    let (took, _) = timed(|| context_composition(&lab, request).expect("a composition"));
    println!("composition of one: {took:.1?}");
    drop(lab);

    let other = directory.path().join("one-tool.jsonl");
    session(&other, requests, 1).expect("a session");
    let bytes = std::fs::metadata(&other).expect("a file").len();
    let lab = self::lab(directory.path());
    let request = ContextShowReq { transcript: other.to_string_lossy().into_owned() };
    let (took, shown) = timed(|| context_show(&lab, request).expect("a session"));
    assert!(shown.requests.iter().all(|request| request.proved == Some(true)));
    let rate = bytes as f64 / 1e6 / took.as_secs_f64();
    println!("the same where one tool of {TOOLS} is another in each request: {took:.1?}, {rate:.0} MB/s");
    println!("memory, at most: {}", peak_memory());
}

fn lab(directory: &Path) -> Arc<Lab> {
    let mut options = EngineOptions::for_this_machine(Some(directory.join("data"))).expect("options");
    options.surroundings.home = directory.join("home");
    let engine = Engine::open(options).expect("an engine");
    Arc::new(Lab::new(engine, Arc::new(KeyInMemory::default())))
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let begun = Instant::now();
    let answer = work();
    (begun.elapsed(), answer)
}

fn report(what: &str, mut work: impl FnMut() -> usize) {
    print(what, (0..RUNS).map(|_| timed(&mut work).0).collect());
}

fn print(what: &str, mut each: Vec<Duration>) {
    each.sort();
    println!("{what}: median {:.1?}, longest {:.1?}", each[each.len() / 2], each[each.len() - 1]);
}

/// As the operating system tells it.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "not told here".to_owned(), |line| line.trim().to_owned())
}

fn hash(value: &Value) -> String {
    digest(Sha256::new_with_prefix(value.to_string()))
}

fn digest(hasher: Sha256) -> String {
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn line(file: &mut impl Write, kind: &str, fields: &Value) -> std::io::Result<()> {
    writeln!(file, "{{\"type\":\"{kind}\",{}", &fields.to_string()[1..])
}

/// A session as Claude Code 2.1.330 writes one, with a shape of its own for every request, in which so many tools are others than
/// before, and a compaction now and then.
fn session(path: &Path, requests: usize, new_tools: usize) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    let file = &mut file;
    let system = json!([{"type": "text", "text": "You write code. ".repeat(1_500)}]);
    let params = json!({"max_tokens": 64_000, "model": "claude-opus-4-8"});
    let typed = json!({"role": "user", "content": [{"type": "text", "text": "Go on."}]});
    line(file, "user", &json!({"uuid": "u", "sessionId": "s", "version": "2.1.330", "message": typed}))?;
    // Canonical form as far as the messages go; what is behind them is hashed with each request.
    let beginning = || Sha256::new_with_prefix(br#"{"max_tokens":64000,"messages":["#);
    let (mut sent, mut count, mut tail) = (beginning(), 0_usize, Vec::new());
    let add = |sent: &mut Sha256, count: &mut usize, tail: &mut Vec<String>, message: &Value| {
        if *count > 0 {
            sent.update(b",");
        }
        sent.update(message.to_string());
        *count += 1;
        tail.push(hash(message));
    };
    add(&mut sent, &mut count, &mut tail, &typed);
    let mut kept = 0;
    for turn in 0..requests {
        let tool = |number: usize| json!({"name": format!("Tool{number}"), "description": "Reads a file. ".repeat(200), "turn": if number < new_tools { turn } else { 0 }});
        let shape = json!({"system": system, "tools": (0..TOOLS).map(tool).collect::<Vec<_>>()});
        line(file, "api-request-shape", &json!({"shapeHash": hash(&shape), "shape": shape}))?;
        let mut whole = sent.clone();
        let behind = json!({"model": params["model"], "system": shape["system"], "tools": shape["tools"]});
        whole.update(b"],");
        whole.update(&behind.to_string()[1..]);
        let mut request = json!({"id": format!("r{turn}"), "shapeHash": hash(&shape), "params": params, "keep": kept,
            "tail": tail, "cacheControl": [], "requestDigest": digest(whole)});
        if kept > 0 {
            request["base"] = format!("r{}", turn - 1).into();
        }
        line(file, "api-request", &request)?;
        (kept, tail) = (count, Vec::new());
        let call = json!({"type": "tool_use", "id": format!("t{turn}"), "name": "Read", "input": {"file_path": "a.rs"}});
        let result = json!({"type": "tool_result", "tool_use_id": format!("t{turn}"),
            "content": format!("let width = {turn};\n").repeat(300)});
        let called = json!({"role": "assistant", "content": [call]});
        let answered = json!({"role": "user", "content": [result]});
        let mut answer = called.clone();
        answer["id"] = format!("m{turn}").into();
        answer["model"] = params["model"].clone();
        answer["usage"] =
            json!({"input_tokens": 3, "cache_read_input_tokens": 1_000 + turn, "output_tokens": 9});
        line(
            file,
            "assistant",
            &json!({"uuid": format!("a{turn}"), "version": "2.1.330", "requestRef": format!("r{turn}"), "message": answer}),
        )?;
        line(file, "user", &json!({"uuid": format!("u{turn}"), "version": "2.1.330", "message": answered}))?;
        if (turn + 1) % UNTIL_COMPACTION == 0 {
            let summary =
                json!({"role": "user", "content": [{"type": "text", "text": format!("Summary {turn}.")}]});
            line(file, "api-request-blob", &json!({"hash": hash(&summary), "message": summary}))?;
            (sent, count, kept) = (beginning(), 0, 0);
            add(&mut sent, &mut count, &mut tail, &summary);
        } else {
            add(&mut sent, &mut count, &mut tail, &called);
            add(&mut sent, &mut count, &mut tail, &answered);
        }
    }
    file.flush()
}
