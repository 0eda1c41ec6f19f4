//! The Context lab: transcripts, what fills them, and what settings would do.

use retrace_api::wire::{
    Code, CompositionReq, ConfirmReq, ContextShowReq, CounterKeyReq, DeployedReq, ExportReq, FigureKind,
    JobRef, LinesReq, MemoryPricesReq, NamedText, Nothing, SimulateReq, SweepReq, TokensReq, TranscriptsReq,
    TurnReq, Variant,
};
use retrace_api::{App, commands};
use retrace_tests::World;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A session of Claude Code with `turns` calls of a tool, each with a result of so many words.
pub(crate) fn session(id: &str, turns: usize, words: usize) -> String {
    let mut lines = Vec::new();
    let mut parent = Value::Null;
    let mut context = 20_000;
    let mut add = |kind: &str, uuid: String, message: Value, second: usize| {
        let line = json!({
            "type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": id, "isSidechain": false,
            "cwd": "/home/ada/app", "version": "2.1.160", "message": message,
            "timestamp": format!("2026-11-20T10:{:02}:{:02}.000Z", second / 60, second % 60),
        });
        parent = uuid.into();
        lines.push(line.to_string());
    };
    add("user", "u0".into(), json!({"role": "user", "content": "Tidy the parser."}), 0);
    for turn in 0..turns {
        let call = format!("toolu_{turn}");
        let path = format!("src/part_{}.rs", turn % 3);
        let result = format!("{turn} {}", "alpha beta gamma delta ".repeat(words / 4));
        let message = json!({
            "id": format!("msg_{id}_{turn}"), "role": "assistant", "type": "message",
            "model": "claude-opus-4-6", "stop_reason": "tool_use",
            "content": [{"type": "tool_use", "id": call, "name": "Read", "input": {"file_path": path}}],
            "usage": {"input_tokens": 10, "cache_creation_input_tokens": 1_000,
                      "cache_read_input_tokens": context, "output_tokens": 60},
        });
        add("assistant", format!("a{turn}"), message, turn * 2 + 1);
        let content = json!([{"type": "tool_result", "tool_use_id": call, "content": result}]);
        add("user", format!("r{turn}"), json!({"role": "user", "content": content}), turn * 2 + 2);
        context += words + 60;
    }
    lines.join("\n") + "\n"
}

/// A world with two sessions in its home.
fn lab() -> World {
    let world = World::new();
    let folder = world.path("home/.claude/projects/-home-ada-app");
    std::fs::create_dir_all(&folder).expect("a folder");
    for (id, turns) in [("aaaa1111-0000", 12), ("aaaa2222-0000", 4)] {
        std::fs::write(folder.join(format!("{id}.jsonl")), session(id, turns, 400)).expect("a transcript");
    }
    world
}

fn variant(name: &str, config: Value) -> Variant {
    Variant { name: name.to_owned(), config }
}

fn clearing(trigger: u64, keep: u64) -> Value {
    json!({"edits": [{"type": "clear_tool_uses_20250919",
        "trigger": {"type": "input_tokens", "value": trigger}, "keep": {"type": "tool_uses", "value": keep}}]})
}

fn simulate(
    app: &App,
    transcript: &str,
    config: Value,
) -> Result<retrace_api::wire::Simulation, retrace_api::wire::ApiError> {
    let request = SimulateReq {
        transcript: transcript.to_owned(),
        variants: vec![variant("one", config)],
        ..SimulateReq::default()
    };
    Ok(commands::context_simulate(app, request)?.simulations.remove(0))
}

#[test]
fn sessions_are_found_and_named() {
    let world = lab();
    let request = TranscriptsReq { wait: true, ..TranscriptsReq::default() };
    let found = commands::transcripts(&world.app, request).expect("an answer");
    assert!(!found.index.running && found.index.updated_at.is_some());
    assert_eq!(found.problems.len(), 0);
    assert_eq!((found.totals.sessions, found.totals.projects, found.totals.requests), (2, 1, 16));
    assert_eq!(found.totals.requests_without_price, 0);
    let sum: f64 = found.transcripts.iter().filter_map(|row| row.cost_usd).sum();
    assert!((sum - found.totals.cost_usd).abs() < 1e-9 && sum > 0.0);
    let row = found.transcripts.iter().find(|row| row.id == "aaaa1111-0000").expect("by its id");
    assert_eq!((row.requests, row.peak), (12, Some(21_010 + 11 * 460)));
    assert_eq!(row.title.as_deref(), Some("Tidy the parser."));

    let show =
        |name: &str| commands::context_show(&world.app, ContextShowReq { transcript: name.to_owned() });
    for name in ["aaaa1111-0000", "aaaa1", "aaaa1111-0000.jsonl", &row.path] {
        assert_eq!(show(name).expect("found").transcript, "aaaa1111-0000", "{name}");
    }
    let error = show("aaaa").expect_err("two begin so");
    assert_eq!(error.code, Code::Invalid);
    assert!(error.hint.contains("aaaa1111") && error.hint.contains("aaaa2222"), "{}", error.hint);
    assert_eq!(show("parser").expect_err("two have the title").code, Code::Invalid);
    assert_eq!(show("bbbb").expect_err("none").code, Code::NotFound);
    assert_eq!(show("").expect_err("none").code, Code::Invalid);
    assert_eq!(show("aaaa1111-0000#1").expect_err("no sidechain").code, Code::NotFound);
    assert_eq!(
        show(&world.path("home/").display().to_string()).expect_err("a directory").code,
        Code::Invalid
    );
}

#[test]
fn a_session_that_grows_is_read_again() {
    let world = lab();
    let path = world.path("home/.claude/projects/-home-ada-app/aaaa2222-0000.jsonl");
    let requests = || {
        let request = ContextShowReq { transcript: "aaaa2222".to_owned() };
        commands::context_show(&world.app, request).expect("an answer").requests.len()
    };
    assert_eq!(requests(), 4);
    std::fs::write(&path, session("aaaa2222-0000", 6, 400)).expect("a transcript");
    assert_eq!(requests(), 6);
    let request = TranscriptsReq { wait: true, ..TranscriptsReq::default() };
    let found = commands::transcripts(&world.app, request).expect("an answer");
    assert!(found.transcripts.iter().any(|row| row.requests == 6));
}

#[test]
fn what_fills_a_context_adds_up_to_what_was_recorded() {
    let world = lab();
    let request = ContextShowReq { transcript: "aaaa1111".to_owned() };
    let shown = commands::context_show(&world.app, request).expect("an answer");
    assert_eq!((shown.format.as_str(), shown.family.as_str()), ("claude-code", "v3"));
    assert_eq!(shown.requests.len(), 12);
    for request in &shown.requests {
        let recorded = request.recorded.as_ref().expect("usage");
        assert_eq!(request.context, recorded.input + recorded.cache_creation + recorded.cache_read);
        assert_eq!(request.kind, FigureKind::Recorded);
        assert_eq!(sum(&request.classes), i64::try_from(request.context).expect("small"));
    }
    let last = shown.requests.last().expect("requests");
    assert!(last.classes.tool_results > 4_000 && last.classes.not_recorded > 10_000, "{:?}", last.classes);
    let composition = |request| {
        let request = CompositionReq { transcript: "aaaa1111".to_owned(), request };
        commands::context_composition(&world.app, request)
    };
    let detail = composition(11).expect("an answer");
    assert_eq!(detail.classes, last.classes);
    assert_eq!(detail.tool_results.len(), 1);
    assert_eq!((detail.tool_results[0].name.as_str(), detail.tool_results[0].count), ("Read", 11));
    let error = composition(12).expect_err("there are twelve");
    assert_eq!((error.code, error.hint.text()), (Code::NotFound, "Requests are numbered from 0 to 11."));
}

fn sum(classes: &retrace_api::wire::ContextClasses) -> i64 {
    classes.system
        + classes.instructions
        + classes.memory
        + classes.tool_results
        + classes.tool_inputs
        + classes.text
        + classes.thinking
        + classes.attachments
        + classes.not_recorded
}

#[test]
fn a_setting_clears_what_it_says() {
    let world = lab();
    let none = simulate(&world.app, "aaaa1111", json!({})).expect("an answer");
    assert!(none.requests.iter().all(|request| request.before == request.after));
    assert_eq!((none.totals.clears, none.totals.regrets), (0, 0));
    let some = simulate(&world.app, "aaaa1111", clearing(22_000, 2)).expect("an answer");
    assert!(some.totals.clears > 0 && some.totals.peak < none.totals.peak);
    assert!(some.totals.regrets > 0, "the same three files are read again and again");
    assert!(some.regrets.iter().all(|regret| regret.needed_at >= regret.cleared_at));
    let new: Vec<&String> = some.requests.iter().flat_map(|request| &request.cleared_tool_use_ids).collect();
    assert_eq!(new.len(), 9, "each is newly cleared once: {new:?}");

    let request = SimulateReq {
        transcript: "aaaa1111".to_owned(),
        variants: vec![variant("all", clearing(22_000, 2))],
        all_cleared: true,
        ..SimulateReq::default()
    };
    let all = commands::context_simulate(&world.app, request).expect("an answer").simulations.remove(0);
    let last = all.requests.last().expect("requests");
    assert_eq!(last.cleared_tool_use_ids.len(), 9);
    assert_eq!(last.applied_edits[0]["cleared_tool_uses"], 9);

    let turn = TurnReq {
        transcript: "aaaa1111".to_owned(),
        request: 11,
        variant: Some(variant("all", clearing(22_000, 2))),
        limit: Some(400),
        ..TurnReq::default()
    };
    let turn = commands::context_turn(&world.app, turn).expect("an answer");
    assert_eq!((turn.total, turn.messages.len()), (24, 24));
    let blocks = turn.messages.iter().flat_map(|message| &message.blocks);
    let gone: Vec<&str> =
        blocks.filter(|block| block.cleared).filter_map(|block| block.tool_use_id.as_deref()).collect();
    assert_eq!(gone, last.cleared_tool_use_ids);
    assert!(turn.messages.last().expect("messages").answer);
}

#[test]
fn lines_alone_say_what_the_whole_simulation_says() {
    let world = lab();
    let (valid, refused) =
        (clearing(22_000, 2), json!({"edits": [{"type": "clear_tool_uses_20250919", "keep": 3}]}));
    let request = LinesReq {
        transcript: "aaaa1111".to_owned(),
        variants: vec![variant("one", valid.clone()), variant("two", refused), variant("none", json!({}))],
        ..LinesReq::default()
    };
    let lines = commands::context_lines(&world.app, request).expect("an answer").lines;
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[1], None, "the API would refuse it");
    for (line, config) in [(&lines[0], valid), (&lines[2], json!({}))] {
        let line = line.as_ref().expect("a valid setting");
        let whole = simulate(&world.app, "aaaa1111", config).expect("an answer");
        let after: Vec<u64> = whole.requests.iter().map(|request| request.after).collect();
        assert_eq!(line.after, after);
        let cleared: Vec<u64> = whole
            .requests
            .iter()
            .filter(|request| request.cleared_tool_use_ids.len() + request.cleared_tool_inputs.len() > 0)
            .map(|request| request.index)
            .collect();
        assert_eq!(line.cleared, cleared);
        let mut again: Vec<u64> = whole.regrets.iter().map(|regret| regret.needed_at).collect();
        again.sort_unstable();
        again.dedup();
        assert_eq!(line.needed_again, again);
    }
}

#[test]
fn a_setting_that_the_api_would_refuse_is_refused_in_its_words() {
    let world = lab();
    let keep = json!({"edits": [{"type": "clear_tool_uses_20250919", "keep": 3}]});
    let error = simulate(&world.app, "aaaa1111", keep).expect_err("refused");
    assert_eq!(error.code, Code::Invalid);
    assert!(error.message.contains("keep: Input should be an object"), "{}", error.message);
    assert!(error.subject.starts_with("context_management.edits.0"), "{}", error.subject);
    assert!(error.hint.contains("\"one\""), "{}", error.hint);
    let nothing = SimulateReq { transcript: "aaaa1111".to_owned(), ..SimulateReq::default() };
    assert_eq!(commands::context_simulate(&world.app, nothing).expect_err("no setting").code, Code::Invalid);
}

#[test]
fn a_messages_request_is_a_transcript_of_one_request() {
    let world = lab();
    let tool = |id: &str| json!({"type": "tool_use", "id": id, "name": "read", "input": {"path": "a"}});
    let result = |id: &str| json!({"type": "tool_result", "tool_use_id": id, "content": "word ".repeat(100)});
    let mut messages = vec![json!({"role": "user", "content": "Go."})];
    for id in ["t0", "t1", "t2", "t3", "t4", "t5"] {
        messages.push(json!({"role": "assistant", "content": [tool(id)]}));
        messages.push(json!({"role": "user", "content": [result(id)]}));
    }
    let body = json!({"model": "claude-opus-4-6", "max_tokens": 10, "messages": messages});
    let path = world.path("request.json");
    std::fs::write(&path, body.to_string()).expect("a file");
    let config = json!({"edits": [{"type": "clear_tool_uses_20250919",
        "trigger": {"type": "tool_uses", "value": 5}}]});
    let simulated = simulate(&world.app, &path.display().to_string(), config).expect("an answer");
    assert_eq!(simulated.requests.len(), 1);
    assert_eq!(simulated.requests[0].cleared_tool_use_ids, ["t0", "t1", "t2"]);
    assert_eq!(simulated.requests[0].kind, FigureKind::CountedOffline);
}

#[test]
fn a_sweep_tries_a_grid_over_all() {
    let world = lab();
    let grid = json!({"edits": [{"type": "clear_tool_uses_20250919",
        "trigger": {"type": "input_tokens", "value": {"from": 21_000, "to": 25_000, "step": 1_000}},
        "keep": {"type": "tool_uses", "value": {"grid": [1, 3]}}}]});
    let request = SweepReq {
        transcripts: vec!["aaaa1111".to_owned(), "aaaa2222".to_owned()],
        grid,
        job: Some("sweep".to_owned()),
        ..SweepReq::default()
    };
    let events = world.app.subscribe();
    let swept = commands::context_sweep(&world.app, request).expect("an answer");
    assert_eq!((swept.points.len(), swept.transcripts, swept.cancelled), (11, 2, false));
    assert!(swept.points.iter().any(|point| point.pareto));
    // The run without a setting is the first row, and nothing it beats is marked.
    let none = &swept.points[0];
    assert!(none.baseline && swept.points[1..].iter().all(|point| !point.baseline));
    assert_eq!((none.variant.config.clone(), none.clears), (json!({}), 0));
    let costs = |point: &retrace_api::wire::SweepPoint| point.cost_usd.expect("a price");
    for point in swept.points[1..].iter().filter(|point| point.pareto) {
        let is_better = point.peak < none.peak || costs(point) < costs(none) || point.regrets < none.regrets;
        assert!(is_better, "{}", point.variant.name);
    }
    let reported: Vec<u64> = events
        .try_iter()
        .filter_map(|event| match event {
            retrace_api::wire::Event::Progress { task, done, .. } if task == "sweep" => Some(done),
            _ => None,
        })
        .collect();
    assert_eq!(reported.last(), Some(&11));
    for point in swept.points.iter().filter(|point| point.pareto) {
        let one = simulate(&world.app, "aaaa1111", point.variant.config.clone()).expect("an answer");
        let two = simulate(&world.app, "aaaa2222", point.variant.config.clone()).expect("an answer");
        assert_eq!(point.peak, one.totals.peak.max(two.totals.peak));
        assert_eq!(point.regrets, one.totals.regrets + two.totals.regrets);
    }
    let wrong = SweepReq {
        transcripts: vec!["aaaa1111".to_owned()],
        grid: json!({"edits": {"grid": []}}),
        ..SweepReq::default()
    };
    assert_eq!(commands::context_sweep(&world.app, wrong).expect_err("an empty list").code, Code::Invalid);
    assert!(!commands::cancel(&world.app, JobRef { job: "sweep".to_owned() }).expect("an answer").cancelled);
}

#[test]
fn a_setting_is_exported_with_its_evidence() {
    let world = lab();
    let export = |format: &str| {
        let request = ExportReq {
            transcript: Some("aaaa1111".to_owned()),
            variant: variant("early", clearing(22_000, 2)),
            format: format.to_owned(),
            ..ExportReq::default()
        };
        commands::context_export(&world.app, request)
    };
    let kept: Value = serde_json::from_str(&export("json").expect("JSON").text).expect("JSON");
    assert_eq!(kept["edits"], clearing(22_000, 2)["edits"]);
    for (format, part) in
        [("curl", "curl"), ("python", "import anthropic"), ("typescript", "@anthropic-ai/sdk")]
    {
        let exported = export(format).expect(format);
        assert!(
            exported.text.contains(part) && exported.text.contains("claude-opus-4-6"),
            "{}",
            exported.text
        );
        assert!(exported.text.contains("Tidy the parser."), "{}", exported.text);
    }
    let report = export("html").expect("a report");
    assert!(report.text.contains("Content-Security-Policy") && report.text.contains("Tidy the parser."));
    assert!(!report.text.contains("<script") && report.media_type == "text/html");
    assert_eq!(export("fortran").expect_err("unknown").code, Code::Invalid);
}

#[test]
fn nothing_is_sent_before_agreement_and_nothing_without_a_key() {
    let world = lab();
    let request = ConfirmReq {
        transcript: "aaaa1111".to_owned(),
        variant: variant("early", clearing(1_000, 2)),
        ..ConfirmReq::default()
    };
    let planned = commands::context_confirm(&world.app, request.clone()).expect("a plan");
    assert_eq!((planned.plan.calls, planned.plan.key_source.as_deref()), (4, None));
    assert!(planned.plan.bytes > 1_000 && planned.points.is_empty());
    assert!(planned.plan.limits.iter().any(|limit| limit.contains("system prompt")), "{:?}", planned.plan);
    let error =
        commands::context_confirm(&world.app, ConfirmReq { agreed: true, ..request }).expect_err("no key");
    assert_eq!(error.code, Code::CounterUnavailable);
    let status = commands::counter_status(&world.app, Nothing {}).expect("a status");
    assert!(status.calls.is_empty() && status.keyring);
    assert_eq!(commands::status(&world.app, Nothing {}).expect("a status").network_calls, 0);
}

#[test]
fn a_key_is_kept_and_never_shown() {
    let world = lab();
    let set = |key: Option<&str>| {
        let request = CounterKeyReq { key: key.map(str::to_owned), remove: key.is_none() };
        commands::set_counter_key(&world.app, request)
    };
    let status = set(Some("sk-test-0123456789")).expect("kept");
    assert_eq!(status.key_source.as_deref(), Some("keyring"));
    assert!(!format!("{status:?}").contains("sk-test"));
    assert_eq!(set(Some("two words")).expect_err("no key").code, Code::Invalid);
    let nothing_reported = commands::set_counter_key(&world.app, CounterKeyReq::default());
    assert_eq!(nothing_reported.expect_err("neither").code, Code::Invalid);
    assert_eq!(
        commands::counter_status(&world.app, Nothing {}).expect("a status").key_source.as_deref(),
        Some("keyring"),
        "an empty request takes no key away"
    );
    assert_eq!(set(None).expect("forgotten").key_source, None);
}

#[test]
fn reports_are_compared_with_forecasts() {
    let world = lab();
    let request = |variant| DeployedReq { transcript: "aaaa1111".to_owned(), variant };
    let held = commands::context_deployed(&world.app, request(None)).expect("an answer");
    assert_eq!((held.reporting, held.requests.len()), (0, 0));
    let forecast = request(Some(variant("early", clearing(22_000, 2))));
    assert_eq!(commands::context_deployed(&world.app, forecast).expect("an answer").reporting, 0);
}

#[test]
fn memory_files_have_a_price() {
    let world = lab();
    let memory = "/home/ada/.claude/projects/-home-ada-app/memory/MEMORY.md";
    let text = session("cccc", 3, 100);
    let attachment = json!({
        "type": "attachment", "uuid": "m0", "parentUuid": "u0", "sessionId": "cccc", "isSidechain": false,
        "timestamp": "2026-11-20T10:00:00.500Z", "version": "2.1.160",
        "attachment": {"type": "instructions", "files": [
            {"path": memory, "type": "AutoMem", "content": "Always run the tests before a commit. ".repeat(20)}]},
    });
    let (first, rest) = text.split_once('\n').expect("lines");
    let rest = rest.replacen("\"parentUuid\":\"u0\"", "\"parentUuid\":\"m0\"", 1);
    let path = world.path("home/.claude/projects/-home-ada-app/cccc.jsonl");
    std::fs::write(path, format!("{first}\n{attachment}\n{rest}")).expect("a transcript");
    let prices = commands::context_memory(&world.app, MemoryPricesReq::default()).expect("an answer");
    assert_eq!((prices.sessions, prices.sessions_telling, prices.cancelled), (3, 1, false));
    assert_eq!(prices.files.len(), 1);
    assert_eq!((prices.files[0].path.as_str(), prices.files[0].sessions), (memory, 1));
    assert!(
        prices.files[0].tokens > 100 && prices.files[0].cost_usd_per_session.is_some_and(|cost| cost > 0.0)
    );
    let of_store =
        |store: &str| commands::context_memory(&world.app, MemoryPricesReq { store: Some(store.to_owned()) });
    world.record("note.md", "remember");
    let live = of_store("notes").expect("an answer").files;
    assert_eq!((live.len(), live[0].sessions, live[0].last_loaded_at.is_none()), (1, 0, true));
    assert!(live[0].tokens > 0);
    assert_eq!(of_store("nowhere").expect_err("unknown").code, Code::NotFound);
}

#[test]
fn own_prices_come_first_and_their_mistakes_are_reported() {
    let world = lab();
    let file = world.app.data_dir().join("prices.tsv");
    let cost = || simulate(&world.app, "aaaa1111", json!({})).expect("an answer").totals.cost_usd;
    let usual = cost().expect("a price");
    std::fs::write(&file, "claude-opus-4-6\t-\t-\t0\t0\nnonsense\n").expect("a file");
    let prices = commands::prices(&world.app, Nothing {}).expect("prices");
    assert_eq!(
        (prices.prices[0].model.as_str(), prices.prices[0].source.as_str()),
        ("claude-opus-4-6", "own")
    );
    assert!(prices.own_file_problem.expect("a problem").contains("ine 2"));
    assert!(usual > 0.0 && cost() == Some(0.0));
}

/// A rollout of Codex with so many turns, whose last call records no usage.
fn rollout(id: &str, turns: usize) -> String {
    let mut lines = vec![
        json!({"type": "session_meta", "payload": {"id": id, "cwd": "/home/ada/app", "cli_version": "0.142.0",
            "base_instructions": {"text": "Be brief. ".repeat(40)}}}),
        json!({"type": "turn_context", "payload": {"model": "gpt-5.5", "cwd": "/home/ada/app"}}),
    ];
    let item = |payload: Value| json!({"type": "response_item", "payload": payload});
    let (mut context, mut total) = (3_000, 0);
    for turn in 0..turns {
        lines.push(item(json!({"type": "message", "role": "user",
            "content": [{"type": "input_text", "text": format!("Look at part {turn}.")}]})));
        lines.push(item(json!({"type": "reasoning", "summary": [], "encrypted_content": "x"})));
        let call = format!("call_{turn}");
        lines.push(item(json!({"type": "function_call", "name": "exec_command", "call_id": call,
            "arguments": json!({"cmd": format!("cat src/part_{turn}.rs")}).to_string()})));
        lines.push(item(json!({"type": "function_call_output", "call_id": call,
            "output": "日本語のコードとその説明。 ".repeat(60)})));
        context += 900;
        total += context;
        let last = json!({"input_tokens": context, "cached_input_tokens": context - 500, "output_tokens": 80,
            "reasoning_output_tokens": 20, "total_tokens": context + 80});
        if turn + 1 < turns {
            lines.push(json!({"type": "event_msg", "payload": {"type": "token_count", "info": {
                "total_token_usage": {"total_tokens": total}, "last_token_usage": last}}}));
        }
    }
    lines.iter().map(|line| line.to_string() + "\n").collect()
}

#[test]
fn a_run_of_gpt_is_counted_with_its_own_vocabulary_and_nothing_is_below_zero() {
    let world = World::new();
    let folder = world.path("home/.codex/sessions/2026/11/20");
    std::fs::create_dir_all(&folder).expect("a folder");
    let id = "0199aaaa-0000-7000-8000-000000000001";
    std::fs::write(folder.join(format!("rollout-2026-11-20T10-00-00-{id}.jsonl")), rollout(id, 8))
        .expect("a transcript");
    let request = TranscriptsReq { wait: true, ..TranscriptsReq::default() };
    let row = commands::transcripts(&world.app, request).expect("an answer").transcripts.remove(0);
    let shown =
        commands::context_show(&world.app, ContextShowReq { transcript: id.to_owned() }).expect("found");
    assert_eq!((shown.family.as_str(), shown.family_assumed), ("o200k", false));
    holds_together(&row, &shown);
    assert_eq!((row.peak, row.peak_kind), (Some(3_000 + 7 * 900), Some(FigureKind::Recorded)));
    assert_eq!(shown.requests.last().map(|request| request.kind), Some(FigureKind::CountedOffline));
    let cleared = simulate(&world.app, id, clearing(1_000, 0)).expect("an answer");
    assert!(cleared.requests.iter().all(|request| request.after > 0), "{:?}", cleared.requests);
    assert_eq!(cleared.warnings[0].code, "not_anthropic");
    assert!(cleared.totals.clears > 0 && cleared.totals.peak < row.peak.expect("recorded"));
    assert!(simulate(&world.app, id, json!({})).expect("an answer").warnings.is_empty());
    let grid = json!({"edits": [{"type": "clear_tool_uses_20250919",
        "keep": {"type": "tool_uses", "value": {"grid": [1, 3]}}}]});
    let request = SweepReq { transcripts: vec![id.to_owned()], grid, ..SweepReq::default() };
    let swept = commands::context_sweep(&world.app, request).expect("an answer");
    assert_eq!(swept.warnings.len(), 1);
    assert_eq!(swept.points[0].peak, row.peak.expect("recorded"));
}

/// Checks that hold for every session: no figure is below zero, sums are what was recorded, and the list says what the
/// composition says.
fn holds_together(row: &retrace_api::wire::TranscriptRow, shown: &retrace_api::wire::ContextShow) {
    assert_eq!(row.peak, shown.peak.map(|peak| peak.tokens), "{}", row.path);
    assert_eq!(row.peak_kind, shown.peak.map(|peak| peak.kind), "{}", row.path);
    for request in &shown.requests {
        let classes = &request.classes;
        assert_eq!(sum(classes), i64::try_from(request.context).expect("a context"), "{}", row.path);
        let parts = [
            classes.system,
            classes.instructions,
            classes.memory,
            classes.tool_results,
            classes.tool_inputs,
            classes.text,
            classes.thinking,
            classes.attachments,
            classes.not_recorded,
            classes.over_counted,
        ];
        assert!(parts.iter().all(|&part| part >= 0), "{}: {classes:?}", row.path);
    }
}

#[test]
fn a_lower_bound_says_why_it_is_one() {
    let world = World::new();
    let folder = world.path("home/.claude/projects/-home-ada-app");
    std::fs::create_dir_all(&folder).expect("a folder");
    let placeholders = session("cccc1111-0000", 3, 40)
        .replace("2.1.160", "2.1.20")
        .replace("\"output_tokens\":60", "\"output_tokens\":2");
    // Fast mode, of a model that has a price for it and of one that has none.
    let fast = |id: &str, model: &str| {
        session(id, 3, 40)
            .replace("\"output_tokens\":60", "\"output_tokens\":60,\"speed\":\"fast\"")
            .replace("claude-opus-4-6", model)
    };
    for (id, text) in [
        ("cccc1111-0000", placeholders),
        ("cccc2222-0000", fast("cccc2222-0000", "claude-opus-4-8")),
        ("cccc3333-0000", fast("cccc3333-0000", "claude-sonnet-4-6")),
        ("cccc4444-0000", session("cccc4444-0000", 3, 40).replace("claude-opus-4-6", "claude-opus-4-8")),
    ] {
        std::fs::write(folder.join(format!("{id}.jsonl")), text).expect("a transcript");
    }
    let request = TranscriptsReq { wait: true, ..TranscriptsReq::default() };
    let found = commands::transcripts(&world.app, request).expect("an answer");
    let of = |id: &str| {
        let row = found.transcripts.iter().find(|row| row.id == id).expect(id);
        let shown =
            commands::context_show(&world.app, ContextShowReq { transcript: id.to_owned() }).expect(id);
        assert!((row.cost_usd.expect(id) - shown.cost_usd.expect(id)).abs() < 1e-9, "{id}");
        assert_eq!(
            (row.cost_is_lower_bound, row.requests_with_placeholder_output, row.requests_fast_without_price),
            (
                shown.cost_is_lower_bound,
                shown.requests_with_placeholder_output,
                shown.requests_fast_without_price
            )
        );
        (row.cost_usd.expect(id), row.requests_with_placeholder_output, row.requests_fast_without_price)
    };
    assert_eq!((of("cccc1111-0000").1, of("cccc1111-0000").2), (3, 0));
    let (standard, fast) = (of("cccc4444-0000"), of("cccc2222-0000"));
    assert!((fast.0 - 2.0 * standard.0).abs() < 1e-9, "{} {}", fast.0, standard.0);
    assert_eq!((fast.1, fast.2, standard.1, standard.2), (0, 0, 0, 0));
    assert_eq!((of("cccc3333-0000").1, of("cccc3333-0000").2), (0, 3));
    for (id, placeholders, fast) in
        [("cccc1111-0000", 3, 0), ("cccc3333-0000", 0, 3), ("cccc4444-0000", 0, 0)]
    {
        let told = commands::session(&world.app, retrace_api::wire::SessionRef { session: id.to_owned() })
            .expect(id);
        assert_eq!(
            (told.requests_with_placeholder_output, told.requests_fast_without_price),
            (placeholders, fast),
            "{id}"
        );
        let priced = told.prompts.iter().filter(|prompt| prompt.cost_usd.is_some());
        let bounds: Vec<bool> = priced.map(|prompt| prompt.cost_is_lower_bound).collect();
        assert!(!bounds.is_empty() && bounds.iter().all(|bound| *bound == told.cost_is_lower_bound), "{id}");
    }
    assert_eq!(
        (found.totals.requests_with_placeholder_output, found.totals.requests_fast_without_price),
        (3, 3)
    );
    let run = |id: &str| simulate(&world.app, id, json!({})).expect("an answer").totals;
    assert!((run("cccc2222-0000").cost_usd.expect("a price") - fast.0).abs() < 1e-9);
    assert_eq!(run("cccc3333-0000").requests_fast_without_price, 3);
}

#[test]
fn tokens_are_counted_as_a_model_counts() {
    let world = World::new();
    let count = |model: Option<&str>| {
        let texts = vec![NamedText { name: "a".to_owned(), text: "hello, world".to_owned() }];
        let request = TokensReq { texts, model: model.map(str::to_owned) };
        commands::tokens(&world.app, request).expect("counts").counts.remove(0)
    };
    let known = count(Some("claude-sonnet-4-5-20250929"));
    assert_eq!((known.tokens, known.family.as_str(), known.family_assumed), (3, "v3", false));
    assert_eq!(known.kind, FigureKind::CountedOffline);
    let assumed = count(None);
    assert!(assumed.family_assumed && assumed.family == "v4.8");
    let gpt = count(Some("gpt-5.5"));
    assert_eq!((gpt.tokens, gpt.family.as_str(), gpt.family_assumed, gpt.range), (3, "o200k", false, None));
    assert_eq!(gpt.kind, FigureKind::CountedOffline);
    assert_eq!(count(Some("gpt-4")).family, "cl100k");
    let other = count(Some("gemini-3-pro"));
    assert_eq!((other.tokens, other.family.as_str(), other.kind), (3, "other", FigureKind::Estimated));
    assert_eq!(other.range, Some((2, 5)));
}

#[test]
fn files_that_are_no_transcripts_are_refused_with_a_reason() {
    let world = lab();
    for (name, content) in
        [("empty", &b""[..]), ("noise", b"\x00\xff\x00binary"), ("prose", b"Dear diary,\n")]
    {
        let path = world.path(name);
        std::fs::write(&path, content).expect("a file");
        let request = ContextShowReq { transcript: path.display().to_string() };
        let error = commands::context_show(&world.app, request).expect_err(name);
        assert_eq!(error.code, Code::Invalid, "{name}");
        assert!(!error.hint.is_empty() && error.subject.ends_with(name), "{error:?}");
    }
}

#[test]
fn a_redaction_leaves_no_title_in_the_index() {
    let world = lab();
    let wait = || TranscriptsReq { wait: true, ..TranscriptsReq::default() };
    commands::transcripts(&world.app, wait()).expect("an index");
    assert!(retrace_tests::holds_bytes(&world.app.data_dir(), b"Tidy the parser."));
    world.record("note.md", "Tidy the parser.");
    let request = retrace_api::wire::RedactReq {
        find: Some("Tidy the parser".to_owned()),
        ..retrace_api::wire::RedactReq::default()
    };
    commands::redact(&world.app, request).expect("redacted");
    assert!(!retrace_tests::holds_bytes(&world.app.data_dir(), b"Tidy the parser."));
    assert_eq!(commands::transcripts(&world.app, wait()).expect("an index").transcripts.len(), 2);
}

/// Every real transcript through the commands. Skipped where they are not: the folder is named by `RETRACE_SHARED_DATA`, or
/// is `shared` beside the workspace.
#[test]
fn real_transcripts_add_up() {
    let shared = std::env::var_os("RETRACE_SHARED_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
    let Some(home) =
        [shared.join("data/home"), shared.join("home")].into_iter().find(|folder| folder.is_dir())
    else {
        println!(
            "skipped: there are no transcripts below {} (RETRACE_SHARED_DATA names another place)",
            shared.display()
        );
        return;
    };
    let world = World::with(|options| options.surroundings.home = home);
    let request = TranscriptsReq { wait: true, ..TranscriptsReq::default() };
    let found = commands::transcripts(&world.app, request).expect("an answer");
    assert!(found.transcripts.len() > 20);
    let mut formats: BTreeMap<String, usize> = BTreeMap::new();
    for row in
        found.transcripts.iter().filter(|row| !found.problems.iter().any(|problem| problem.path == row.path))
    {
        let request = ContextShowReq { transcript: row.path.clone() };
        let shown = commands::context_show(&world.app, request).expect(&row.path);
        *formats.entry(shown.format.clone()).or_default() += 1;
        holds_together(row, &shown);
        for request in &shown.requests {
            if let Some(recorded) = &request.recorded
                && shown.format == "claude-code"
            {
                let context = recorded.input + recorded.cache_creation + recorded.cache_read;
                assert_eq!((request.context, request.kind), (context, FigureKind::Recorded), "{}", row.path);
            }
        }
        if !shown.requests.is_empty() {
            let none = simulate(&world.app, &row.path, json!({})).expect("an answer");
            let some = simulate(&world.app, &row.path, clearing(50_000, 3)).expect("an answer");
            assert!(some.totals.peak <= none.totals.peak, "{}", row.path);
            assert_eq!(Some(none.totals.peak), row.peak, "{}", row.path);
            assert!(some.requests.iter().all(|request| request.after > 0), "{}", row.path);
        }
    }
    println!("real transcripts: {formats:?}");
}
