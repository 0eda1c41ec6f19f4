//! Requests that a client recorded: shown as sent, proved, and what a composition rests on.

use retrace_api::commands;
use retrace_api::wire::{
    Code, CompositionReq, ContextShow, ContextShowReq, DeployedReq, RedactReq, RequestBody, RequestBodyReq,
    RestsOn, SimulateReq, TurnReq, Variant,
};
use retrace_model::Sha256;
use retrace_tests::World;
use serde_json::{Value, json};

/// The hash of a value as the client hashes it: keys here are plain and in order.
fn hash(value: &Value) -> String {
    Sha256::of(value.to_string().as_bytes()).to_string()
}

const INSTRUCTIONS: &str = "<system-reminder>\nContents of /p/CLAUDE.md:\n\nUse tabs.\n</system-reminder>";
const DATE: &str = "<system-reminder>\nToday's date is 2026-11-23.\n</system-reminder>";

fn attachment(kind: &str, fields: &Value, rendered: Option<&str>) -> Value {
    let mut line = json!({"type": "attachment", "uuid": rendered.map(|_| kind), "version": "2.1.330", "attachment": fields});
    line["attachment"]["type"] = kind.into();
    if let Some(text) = rendered {
        line["rendered"] = json!([{"content": text}]);
    }
    line
}

/// A session of two requests as 2.1.330 writes it. `tells` is the context that the first answer reports.
pub(crate) fn session(tells: u64) -> Vec<String> {
    session_under(tells, None)
}

/// The same with `context_management` in every request.
fn session_under(tells: u64, in_force: Option<&Value>) -> Vec<String> {
    let added =
        json!({"role": "system", "content": [{"type": "text", "text": "Today's date is 2026-11-23."}]});
    session_saying(tells, in_force, &added)
}

/// The same with another message of the client's.
fn session_saying(tells: u64, in_force: Option<&Value>, added: &Value) -> Vec<String> {
    let shape = json!({"system": [{"type": "text", "text": "You write code. ".repeat(40)}],
        "tools": [{"name": "Read", "description": "Reads a file. ".repeat(20), "input_schema": {"type": "object"}},
                  {"name": "Bash", "description": "Runs a command.", "input_schema": {"type": "object"}}]});
    let first = json!({"role": "user", "content": [{"type": "text", "text": INSTRUCTIONS}, {"type": "text", "text": "Tidy up."}]});
    let call = json!({"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"file_path": "a.rs"}});
    let called = json!({"role": "assistant", "content": [call]});
    let answered = json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "fn main() {}"}]});
    let mut params = json!({"model": "claude-opus-4-8", "max_tokens": 64000});
    if let Some(in_force) = in_force {
        params["context_management"] = in_force.clone();
    }
    let request = |id: &str, messages: &[&Value], keep: usize, base: Option<&str>| {
        let mut body = params.clone();
        body["system"] = shape["system"].clone();
        body["tools"] = shape["tools"].clone();
        body["messages"] = messages.iter().map(|message| (*message).clone()).collect();
        let last = messages.len() - 1;
        body["messages"][last]["content"][0]["cache_control"] = json!({"type": "ephemeral"});
        let mut line = json!({"id": id, "version": "2.1.330", "querySource": "sdk", "shapeHash": hash(&shape), "params": params,
            "keep": keep, "tail": messages[keep..].iter().map(|message| hash(message)).collect::<Vec<_>>(),
            "cacheControl": [{"path": ["messages", last, "content", 0], "value": {"type": "ephemeral"}}],
            "requestDigest": hash(&body)});
        if let Some(base) = base {
            line["base"] = base.into();
        }
        line
    };
    let answer = |uuid: &str, id: &str, of: &str, block: &Value, context: u64| {
        json!({"type": "assistant", "uuid": uuid, "version": "2.1.330", "requestRef": of, "message": {"id": id, "role": "assistant",
            "model": "claude-opus-4-8", "content": [block], "stop_reason": "end_turn",
            "usage": {"input_tokens": context, "output_tokens": 9}}})
    };
    let typed = |kind: &str, fields: &Value| format!("{{\"type\":\"{kind}\",{}", &fields.to_string()[1..]);
    let files = json!({"files": [{"path": "/p/CLAUDE.md", "type": "Project", "content": "Use tabs."}]});
    let snapshot = json!({"systemPrompt": ["You write code. ".repeat(40)], "tools": shape["tools"]});
    vec![
        json!({"type": "user", "uuid": "u1", "sessionId": "feed0001", "version": "2.1.330", "cwd": "/p",
            "message": {"role": "user", "content": "Tidy up."}})
        .to_string(),
        attachment("instructions", &files, Some(INSTRUCTIONS)).to_string(),
        attachment("date", &json!({}), Some(DATE)).to_string(),
        attachment("prompt_snapshot", &snapshot, None).to_string(),
        typed("api-request-shape", &json!({"shapeHash": hash(&shape), "shape": shape})),
        typed("api-request-blob", &json!({"hash": hash(&first), "message": first})),
        typed("api-request-blob", &json!({"hash": hash(added), "message": added})),
        typed("api-request", &request("11111111-aaaa", &[&first, added], 0, None)),
        answer("a1", "msg_1", "11111111-aaaa", &call, tells).to_string(),
        json!({"type": "user", "uuid": "r1", "version": "2.1.330", "message": answered}).to_string(),
        attachment("prompt_snapshot", &snapshot, None).to_string(),
        typed(
            "api-request",
            &request("22222222-bbbb", &[&first, added, &called, &answered], 2, Some("11111111-aaaa")),
        ),
        answer("a2", "msg_2", "22222222-bbbb", &json!({"type": "text", "text": "Done."}), tells + 60)
            .to_string(),
        json!({"type": "cost-state", "sessionId": "feed0001", "totalCostUSD": 0.5}).to_string(),
    ]
}

/// A session in which the second request sends an answer, the note of an interruption and a prompt as one message, and the first
/// prompt anew beside another reminder. A third prompt was typed while the agent worked.
pub(crate) fn interrupted() -> Vec<String> {
    let shape = json!({"system": [{"type": "text", "text": "You write code."}], "tools": []});
    let text = |text: &str| json!({"type": "text", "text": text});
    let note = "[Request interrupted by user for tool use]";
    let first = json!({"role": "user", "content": [text("Tidy up.")]});
    let call = json!({"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "make"}});
    let called = json!({"role": "assistant", "content": [call]});
    let result = json!({"type": "tool_result", "tool_use_id": "toolu_1", "content": "Rejected."});
    let anew = json!({"role": "user", "content": [text(DATE), text("Tidy up.")]});
    let after = json!({"role": "user", "content": [result, text(note), text("Use npm.")]});
    let params = json!({"model": "claude-opus-4-8", "max_tokens": 64000});
    let typed = |kind: &str, fields: &Value| format!("{{\"type\":\"{kind}\",{}", &fields.to_string()[1..]);
    let blob =
        |message: &Value| typed("api-request-blob", &json!({"hash": hash(message), "message": message}));
    let request = |id: &str, messages: &[&Value]| {
        let mut body = params.clone();
        body["system"] = shape["system"].clone();
        body["tools"] = shape["tools"].clone();
        body["messages"] = messages.iter().map(|message| (*message).clone()).collect();
        let tail: Vec<String> = messages.iter().map(|message| hash(message)).collect();
        let line = json!({"id": id, "version": "2.1.330", "querySource": "sdk", "shapeHash": hash(&shape), "params": params,
            "keep": 0, "tail": tail, "cacheControl": [], "requestDigest": hash(&body)});
        typed("api-request", &line)
    };
    let answer = |uuid: &str, after: &str, of: &str, block: &Value| {
        json!({"type": "assistant", "uuid": uuid, "parentUuid": after, "version": "2.1.330", "requestRef": of,
            "message": {"id": format!("msg_{uuid}"), "role": "assistant", "model": "claude-opus-4-8", "content": [block],
                "stop_reason": "end_turn", "usage": {"input_tokens": 900, "output_tokens": 9}}})
        .to_string()
    };
    let user = |uuid: &str, after: Option<&str>, content: Value| {
        json!({"type": "user", "uuid": uuid, "parentUuid": after, "sessionId": "feed0002", "version": "2.1.330", "cwd": "/p",
            "message": {"role": "user", "content": content}})
        .to_string()
    };
    let queued = |uuid: &str, after: &str, mode: &str, prompt: &str| {
        let mut line =
            attachment("queued_command", &json!({"commandMode": mode, "prompt": prompt}), Some(prompt));
        (line["uuid"], line["parentUuid"]) = (uuid.into(), after.into());
        line.to_string()
    };
    vec![
        user("u1", None, json!("Tidy up.")),
        typed("api-request-shape", &json!({"shapeHash": hash(&shape), "shape": shape})),
        blob(&first),
        request("11111111-aaaa", &[&first]),
        answer("a1", "u1", "11111111-aaaa", &call),
        user("r1", Some("a1"), json!([result])),
        user("i1", Some("r1"), json!([text(note)])),
        user("u2", Some("i1"), json!("Use npm.")),
        blob(&anew),
        blob(&called),
        blob(&after),
        request("22222222-bbbb", &[&anew, &called, &after]),
        answer("a2", "u2", "22222222-bbbb", &text("Begun.")),
        queued("q1", "a2", "prompt", "And be quick."),
        queued("q2", "q1", "task-notification", "A task ended."),
        answer("a3", "q2", "33333333-cccc", &text("Done.")),
    ]
}

struct Told {
    world: World,
    path: String,
}

fn told(lines: &[String]) -> Told {
    let world = World::new();
    let path = world.path("session.jsonl");
    std::fs::write(&path, lines.join("\n") + "\n").expect("a transcript");
    Told { path: path.display().to_string(), world }
}

impl Told {
    fn show(&self) -> ContextShow {
        commands::context_show(&self.world.app, ContextShowReq { transcript: self.path.clone() })
            .expect("an answer")
    }

    fn request(&self, at: &str, raw: bool) -> RequestBody {
        let request = RequestBodyReq { transcript: self.path.clone(), at: at.to_owned(), raw };
        commands::context_request(&self.world.app, request).expect("an answer")
    }
}

#[test]
fn a_request_is_shown_as_sent_and_proved() {
    let told = told(&session(2_000));
    let second = told.request("1", false);
    assert_eq!(
        (second.index, second.id.as_str(), second.source.as_deref()),
        (Some(1), "22222222-bbbb", Some("sdk"))
    );
    assert_eq!((second.proved, second.reason.as_deref()), (Some(true), None));
    assert_eq!(second.body["messages"].as_array().map(Vec::len), Some(4));
    assert_eq!(second.body["messages"][3]["content"][0]["cache_control"], json!({"type": "ephemeral"}));
    assert_eq!(told.request("2222", false).body, second.body, "by its id");
    assert_eq!(told.request("msg_2", false).body, second.body, "by that of the answer");
    let raw = told.request("1", true);
    assert!(raw.body.is_null());
    assert_eq!(raw.raw, Some(second.body.to_string()), "to the byte");
    for (at, code) in [("7", Code::NotFound), ("zzz", Code::NotFound), ("", Code::NotFound)] {
        let request = RequestBodyReq { transcript: told.path.clone(), at: at.to_owned(), raw: false };
        assert_eq!(commands::context_request(&told.world.app, request).expect_err(at).code, code, "{at}");
    }
}

#[test]
fn an_interrupted_session_is_proved() {
    let told = told(&interrupted());
    let shown = told.show();
    let proved: Vec<Option<bool>> = ["0", "1"].map(|at| told.request(at, false).proved).to_vec();
    assert_eq!((shown.requests.len(), proved), (3, vec![Some(true), Some(true)]));
}

#[test]
fn a_composition_rests_on_the_request_where_it_is_proved() {
    let told = told(&session(2_000));
    let shown = told.show();
    assert!(shown.remarks.is_empty(), "{:?}", shown.remarks);
    for request in &shown.requests {
        assert_eq!((request.rests_on, request.proved), (RestsOn::Request, Some(true)));
        assert!(request.classes.system > 300, "{:?}", request.classes);
        assert!(request.classes.instructions > 0 && request.classes.attachments > 0);
        assert_eq!(request.classes.over_counted, 0);
        assert!(request.classes.not_recorded > 0, "the framing");
    }
    let request = CompositionReq { transcript: told.path.clone(), request: 1 };
    let composed = commands::context_composition(&told.world.app, request).expect("an answer");
    assert_eq!(composed.rests_on, RestsOn::Request);
    let tools: Vec<&str> = composed.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(tools, ["Read", "Bash"]);
    let kinds: Vec<&str> = composed.attachments.iter().map(|kind| kind.name.as_str()).collect();
    assert_eq!(kinds, ["instructions", "date"]);
    assert_eq!(composed.files[0].name, "/p/CLAUDE.md");
    let definitions: u64 = composed.tools.iter().map(|tool| tool.tokens).sum();
    let system = u64::try_from(composed.classes.system).expect("not below zero");
    assert!(composed.system_prompt > 0 && composed.system_prompt + definitions <= system);
    let turn = TurnReq { transcript: told.path.clone(), request: 1, ..TurnReq::default() };
    let turn = commands::context_turn(&told.world.app, turn).expect("an answer");
    let roles: Vec<&str> = turn.messages.iter().map(|message| message.role.as_str()).collect();
    assert_eq!(roles, ["user", "system", "assistant", "user", "assistant"]);
    let before: Vec<(&str, usize)> =
        turn.preamble.iter().map(|part| (part.origin.as_str(), part.blocks.len())).collect();
    assert_eq!(before, [("system_prompt", 1), ("tools", 2)]);
    assert_eq!((turn.proved, turn.source.as_deref()), (Some(true), Some("sdk")));
    let find = |words: &str| {
        let request = TurnReq {
            transcript: told.path.clone(),
            request: 1,
            find: Some(words.to_owned()),
            ..TurnReq::default()
        };
        let turn = commands::context_turn(&told.world.app, request).expect("an answer");
        let positions: Vec<u64> = turn.messages.iter().map(|message| message.position).collect();
        (turn.preamble.iter().map(|part| part.blocks.len()).sum::<usize>(), positions, turn.total)
    };
    assert_eq!(find("FN MAIN"), (0, vec![3], 1));
    assert_eq!(find("reads a file"), (1, vec![], 0));
    assert_eq!(find("nowhere"), (0, vec![], 0));
}

/// What is only a record must never make a class: the counts of a session of today were above its context.
#[test]
fn without_its_requests_a_session_of_today_weighs_what_was_rendered() {
    let lines: Vec<String> =
        session(2_000).into_iter().filter(|line| !line.contains("api-request")).collect();
    let told = told(&lines);
    for request in &told.show().requests {
        assert_eq!((request.rests_on, request.proved), (RestsOn::Transcript, None));
        assert_eq!(request.classes.system, 0);
        assert!(request.classes.attachments < 60, "{:?}", request.classes);
        assert!(request.classes.not_recorded > 1_000 && request.classes.over_counted == 0);
    }
    let request = told.request("1", false);
    assert_eq!((request.proved, request.source), (None, None));
    assert!(request.reason.expect("why").starts_with("The client recorded nothing"));
    assert!(request.body["messages"].is_array(), "put together from the lines");
}

#[test]
fn what_is_not_proved_says_why_and_rests_on_the_lines() {
    let damaged = |change: &dyn Fn(String) -> Option<String>| {
        let told = told(&session(2_000).into_iter().filter_map(change).collect::<Vec<_>>());
        let request = told.request("1", false);
        let row = told.show().requests.remove(1);
        assert_eq!(
            (request.proved, row.proved, row.rests_on),
            (Some(false), Some(false), RestsOn::Transcript)
        );
        assert!(request.body["messages"].is_array());
        request.reason.expect("why")
    };
    let changed = damaged(&|line| Some(line.replace("64000", "64001")));
    assert_eq!(changed, "Its digest is another than that of what was rebuilt.");
    let no_shape = damaged(&|line| (!line.contains("api-request-shape")).then_some(line));
    assert_eq!(no_shape, "The line with its system prompt and tools is not in the file.");
    let no_blobs = damaged(&|line| (!line.contains("api-request-blob")).then_some(line));
    assert_eq!(no_blobs, "2 of its messages are not in the file.");
}

/// What was in force is recorded, so that what responses report is held against a forecast without a proxy log.
#[test]
fn the_setting_in_force_is_that_of_the_recorded_requests() {
    let edits = json!([{"type": "clear_tool_uses_20250919", "trigger": {"type": "tool_uses", "value": 90}}]);
    let in_force = json!({ "edits": edits });
    let applied = json!({"applied_edits": []});
    let lines: Vec<String> = session_under(2_000, Some(&in_force))
        .into_iter()
        .map(|line| {
            line.replace("\"stop_reason\":", &format!("\"context_management\":{applied},\"stop_reason\":"))
        })
        .collect();
    let told = told(&lines);
    assert!(told.show().requests.iter().all(|request| request.rests_on == RestsOn::Request));
    let request = DeployedReq { transcript: told.path.clone(), ..DeployedReq::default() };
    let deployed = commands::context_deployed(&told.world.app, request).expect("an answer");
    assert_eq!(deployed.variant.expect("recorded").config["context_management"], in_force);
    assert_eq!((deployed.reporting, deployed.agreeing), (2, 2));
}

/// A system message may stand before the model for one turn alone: what it holds says so.
#[test]
fn what_a_system_message_holds_says_until_when_it_stands() {
    let text = json!([{"type": "text", "text": "Today's date is 2026-11-23."}]);
    let added = json!({"role": "system", "clear_at": "next_user_message", "content": text});
    let told = told(&session_saying(2_000, None, &added));
    assert_eq!(told.request("1", false).proved, Some(true));
    let turn = TurnReq { transcript: told.path.clone(), request: 1, ..TurnReq::default() };
    let turn = commands::context_turn(&told.world.app, turn).expect("an answer");
    let names: Vec<&str> =
        turn.messages.iter().flat_map(|message| &message.blocks).map(|block| block.name.as_str()).collect();
    assert!(names.contains(&"date (clear_at next_user_message)"), "{names:?}");
}

/// Of a large session an index of its requests is kept: the next process reads the lines of one request and no others. The
/// index is only a way there: without it, or with a damaged one, the answer is the same.
#[test]
fn a_request_of_a_large_session_is_shown_by_an_index_that_is_kept() {
    let padding = json!({"type": "user", "uuid": "p", "version": "2.1.330",
        "message": {"role": "user", "content": "Long ago. ".repeat(500_000)}});
    let mut lines = session(2_000);
    lines.insert(0, padding.to_string());
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("session.jsonl");
    std::fs::write(&path, lines.join("\n") + "\n").expect("a transcript");
    let kept = directory.path().join("data/requests");
    let files = || -> Vec<std::path::PathBuf> {
        let entries = std::fs::read_dir(&kept).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    };
    // Another process each time.
    let ask = |at: &str| {
        let world = World::over(retrace_tests::options(directory.path()));
        let transcript = path.display().to_string();
        commands::context_request(&world.app, RequestBodyReq { transcript, at: at.to_owned(), raw: true })
            .map(|request| (request.index, request.id, request.proved, request.raw))
    };
    let small = told(&session(2_000)).request("1", true);
    let expected = (small.index, small.id, small.proved, small.raw);
    assert_eq!(ask("1"), Ok(expected.clone()));
    let [index] = &files()[..] else { panic!("one index: {:?}", files()) };
    let whole = std::fs::read(index).expect("its bytes");
    assert_eq!(ask("1"), Ok(expected.clone()), "by the index");
    assert_eq!(ask("22222222"), Ok(expected.clone()), "by its id");
    assert_eq!(ask("9").expect_err("there is none").code, Code::NotFound);
    for damaged in [&whole[..whole.len() / 2], b""] {
        std::fs::write(index, damaged).expect("a damaged index");
        assert_eq!(ask("1"), Ok(expected.clone()), "without it");
        assert_eq!(std::fs::read(index).expect("its bytes").len(), whole.len(), "made again");
    }
    // A file that has grown is another.
    lines.insert(0, padding.to_string());
    std::fs::write(&path, lines.join("\n") + "\n").expect("a transcript");
    assert_eq!(ask("1"), Ok(expected));
    // It holds digests of what was said: a redaction removes it.
    assert_eq!(files().len(), 1);
    let world = World::over(retrace_tests::options(directory.path()));
    world.add("notes");
    world.record("keys.md", "The key is opensesame.\n");
    let find = RedactReq { find: Some("opensesame".to_owned()), live: true, ..RedactReq::default() };
    commands::redact(&world.app, find).expect("a redaction");
    assert_eq!(files(), [] as [std::path::PathBuf; 0]);
}

/// A session of many requests, each marked for the cache at the end of its system prompt and of its messages.
fn marked_session(rounds: usize) -> Vec<String> {
    let shape = json!({"system": [{"type": "text", "text": "You write code. ".repeat(400)}],
        "tools": [{"name": "Read", "description": "Reads a file.", "input_schema": {"type": "object"}}]});
    let params = json!({"model": "claude-opus-4-8", "max_tokens": 64000});
    let typed = |kind: &str, fields: &Value| format!("{{\"type\":\"{kind}\",{}", &fields.to_string()[1..]);
    let first = json!({"role": "user", "content": [{"type": "text", "text": "Tidy up."}]});
    let mut lines = vec![
        json!({"type": "user", "uuid": "u", "sessionId": "feed0002", "version": "2.1.330", "cwd": "/p", "message": first}).to_string(),
        typed("api-request-shape", &json!({"shapeHash": hash(&shape), "shape": shape})),
    ];
    let (mut messages, mut keep, mut read) = (vec![first], 0, 0);
    for round in 0..rounds {
        let mark = json!({"type": "ephemeral"});
        let last = messages.len() - 1;
        let mut body = params.clone();
        (body["system"], body["tools"]) = (shape["system"].clone(), shape["tools"].clone());
        body["messages"] = messages.clone().into();
        body["system"][0]["cache_control"] = mark.clone();
        body["messages"][last]["content"][0]["cache_control"] = mark.clone();
        let mut request = json!({"id": format!("r{round}"), "querySource": "sdk", "shapeHash": hash(&shape), "params": params,
            "keep": keep, "tail": messages[keep..].iter().map(hash).collect::<Vec<_>>(),
            "cacheControl": [{"path": ["system", 0], "value": mark}, {"path": ["messages", last, "content", 0], "value": mark}],
            "requestDigest": hash(&body)});
        if round > 0 {
            request["base"] = format!("r{}", round - 1).into();
        }
        lines.push(typed("api-request", &request));
        keep = messages.len();
        let id = format!("toolu_{round}");
        let call = json!({"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": "a.rs"}});
        let result =
            json!({"type": "tool_result", "tool_use_id": id, "content": "let width = 3; ".repeat(80)});
        let (called, answered) =
            (json!({"role": "assistant", "content": [call]}), json!({"role": "user", "content": [result]}));
        let context = 2_500 + 700 * round;
        lines.push(json!({"type": "assistant", "uuid": format!("a{round}"), "version": "2.1.330", "requestRef": format!("r{round}"),
            "message": {"id": format!("m{round}"), "role": "assistant", "model": "claude-opus-4-8", "content": [call],
                "usage": {"input_tokens": 3, "cache_read_input_tokens": read, "cache_creation_input_tokens": context - 3 - read,
                    "output_tokens": 40}}}).to_string());
        lines.push(
            json!({"type": "user", "uuid": format!("u{round}"), "version": "2.1.330", "message": answered})
                .to_string(),
        );
        read = context - 3;
        messages.extend([called, answered]);
    }
    lines
}

/// The cache of a simulation is that of the marks in the rebuilt requests: after a clearing far behind, what is read ends with the
/// system prompt, and not where the content changes. The baseline is what ran.
#[test]
fn a_simulation_reads_from_the_cache_what_the_marks_leave() {
    let told = told(&marked_session(40));
    let shown = told.show();
    assert!(shown.requests.iter().all(|request| request.proved == Some(true)));
    let simulate = |config: Value| {
        let variants = vec![Variant { name: "a".to_owned(), config }];
        let request = SimulateReq { transcript: told.path.clone(), variants, ..SimulateReq::default() };
        commands::context_simulate(&told.world.app, request).expect("a simulation").simulations.remove(0)
    };
    let ran = simulate(json!({}));
    for (simulated, request) in ran.requests.iter().zip(&shown.requests) {
        let recorded = request.recorded.as_ref().expect("usage");
        assert_eq!((simulated.after, simulated.cache_read), (request.context, recorded.cache_read));
    }
    let cleared = simulate(json!({"edits": [{"type": "clear_tool_uses_20250919",
        "trigger": {"type": "input_tokens", "value": 20_000}, "keep": {"type": "tool_uses", "value": 2},
        "clear_at_least": {"type": "input_tokens", "value": 4_000}}]}));
    let system = u64::try_from(shown.requests[0].classes.system).expect("not below zero");
    let mut clearings = 0;
    for (index, request) in cleared.requests.iter().enumerate().skip(1) {
        let before = &cleared.requests[index - 1];
        if request.cleared_tool_use_ids.is_empty() {
            // What the request before sent, but for the few tokens behind its last mark.
            assert!(
                request.cache_read.abs_diff(before.after) < 10,
                "request {index}: {}",
                request.cache_read
            );
            continue;
        }
        clearings += 1;
        let before_messages = system..=shown.requests[0].context;
        assert!(before_messages.contains(&request.cache_read), "request {index}: {}", request.cache_read);
        let changed_at = request.cache_break_at.expect("the content changes");
        assert!(request.cache_read < changed_at, "request {index}: {} of {changed_at}", request.cache_read);
    }
    assert!(clearings > 1, "{clearings}");
}
