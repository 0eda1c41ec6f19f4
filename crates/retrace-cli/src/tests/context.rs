//! The Context lab in a terminal.

use super::{Machine, Ran, file};
use crate::Exit;
use serde_json::{Value, json};

/// A Messages API request with so many uses of a tool.
fn request(uses: usize) -> String {
    let mut messages = vec![json!({"role": "user", "content": "Go."})];
    for turn in 0..uses {
        let id = format!("t{turn}");
        let call = json!({"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": "a.rs"}});
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": "word ".repeat(200)});
        messages.push(json!({"role": "assistant", "content": [call]}));
        messages.push(json!({"role": "user", "content": [result]}));
    }
    json!({"model": "claude-opus-4-6", "max_tokens": 10, "messages": messages}).to_string()
}

fn clearing(keep: u64) -> String {
    json!({"edits": [{"type": "clear_tool_uses_20250919",
        "trigger": {"type": "tool_uses", "value": 5}, "keep": {"type": "tool_uses", "value": keep}}]})
    .to_string()
}

/// A machine with a request of eight uses and two settings, and where they are.
fn lab() -> (Machine, [String; 3]) {
    let machine = Machine::new();
    let folder = machine.folder.path();
    let request = file(folder, "request.json", request(8).as_bytes());
    let few = file(folder, "few.json", clearing(2).as_bytes());
    let many = file(folder, "many.json", clearing(6).as_bytes());
    (machine, [request, few, many])
}

fn with_stdin(machine: &Machine, arguments: &[&str], stdin: &[u8]) -> Ran {
    machine.run_with(arguments, stdin, &mut Vec::new())
}

#[test]
fn tokens_are_counted_from_files_and_standard_input() {
    let machine = Machine::new();
    let path = file(machine.folder.path(), "a.md", b"hello, world");
    let model = ["--model", "claude-sonnet-4-5"];
    let ran = with_stdin(&machine, &["tokens", &path, "-", model[0], model[1], "--json"], b"hello, world");
    assert_eq!(ran.exit, Exit::DONE, "{}", ran.stderr);
    let lines = ran.lines();
    assert_eq!(lines.len(), 2);
    assert_eq!((&lines[0]["file"], &lines[1]["file"]), (&json!(path), &json!("-")));
    for line in &lines {
        assert_eq!((line["tokens"].as_u64(), line["family"].as_str()), (Some(3), Some("v3")));
        assert_eq!(
            (line["kind"].as_str(), line["model"].as_str()),
            (Some("counted offline"), Some(model[1]))
        );
    }
    let plain = with_stdin(&machine, &["tokens", "-", "-q"], b"hello, world");
    assert_eq!(plain.stdout, "4  -\n", "as the newest family counts");
    let absent = machine.folder.path().join("absent.md");
    assert_eq!(machine.run(&["tokens", &absent.to_string_lossy()]).exit, Exit(3));
}

#[test]
fn a_request_is_shown_and_simulated_with_the_promised_fields() {
    let (machine, [request, few, _]) = lab();
    let shown = machine.run(&["context", "show", &request, "--json"]).lines().remove(0);
    assert_eq!(shown["format"], "messages-request");
    let one = &shown["requests"][0];
    assert_eq!((one["index"].as_u64(), one["recorded"].clone()), (Some(0), Value::Null));
    assert_eq!(one["kind"], "counted offline");
    let classes = one["classes"].as_object().expect("classes");
    let sum: i64 = classes.values().filter_map(Value::as_i64).sum();
    assert_eq!(Some(sum), one["context"].as_i64());

    let simulated = machine.run(&["context", "simulate", &request, "--config", &few, "--json"]);
    assert_eq!(simulated.exit, Exit::DONE, "{}", simulated.stderr);
    let simulated = simulated.lines().remove(0);
    for field in ["transcript", "config", "model", "warnings", "totals", "requests", "regrets"] {
        assert!(simulated.get(field).is_some(), "{field}");
    }
    for field in ["peak", "input", "clears", "cache_writes", "cache_reads", "cost_usd", "regrets"] {
        assert!(simulated["totals"].get(field).is_some(), "{field}");
    }
    let one = &simulated["requests"][0];
    assert_eq!(one["cleared_tool_use_ids"], json!(["t0", "t1", "t2", "t3", "t4", "t5"]));
    assert_eq!(one["applied_edits"][0]["cleared_tool_uses"], 6);
    assert!(one["after"].as_u64() < one["before"].as_u64());
}

#[test]
fn standard_input_is_a_transcript_or_a_setting() {
    let (machine, [request, few, _]) = lab();
    let text = std::fs::read(&request).expect("the request");
    let ran = with_stdin(&machine, &["context", "simulate", "-", "--config", &few, "--json"], &text);
    assert_eq!(ran.lines()[0]["transcript"], "-");
    let setting = std::fs::read(&few).expect("the setting");
    let ran = with_stdin(&machine, &["context", "simulate", &request, "--config", "-", "--json"], &setting);
    assert_eq!(ran.lines()[0]["name"], "-");
    let ran = with_stdin(&machine, &["context", "show", "-", "--json"], b"Dear diary,\n");
    assert_eq!((ran.exit, ran.error_code().as_str()), (Exit(2), "invalid"));
    let error: Value = serde_json::from_str(&ran.stderr).expect("an error");
    assert_eq!(error["error"]["subject"], "-");
}

#[test]
fn a_file_may_hold_several_named_settings() {
    let (machine, [request, ..]) = lab();
    let list = json!([{"name": "none", "config": {}}, {"name": "some", "config": {"edits": []}}, {}]);
    let path = file(machine.folder.path(), "list.json", list.to_string().as_bytes());
    let ran = machine.run(&["context", "simulate", &request, "--config", &path, "--json"]);
    let names: Vec<Value> = ran.lines().into_iter().map(|line| line["name"].clone()).collect();
    assert_eq!(names, ["none", "some", "list 3"]);
    let text = machine.run(&["context", "simulate", &request, "--config", &path]).stdout;
    assert!(text.contains("SETTING") && text.contains("none") && text.contains("counted offline"), "{text}");
}

#[test]
fn a_refusal_is_in_the_words_of_the_api() {
    let (machine, [request, ..]) = lab();
    let path = file(
        machine.folder.path(),
        "bad.json",
        br#"{"edits":[{"type":"clear_tool_uses_20250919","keep":3}]}"#,
    );
    let ran = machine.run(&["context", "simulate", &request, "--config", &path, "--json"]);
    assert_eq!(ran.exit, Exit(2));
    assert!(ran.stderr.contains("Input should be an object"), "{}", ran.stderr);
    let path = file(machine.folder.path(), "cut.json", b"{\"edits\":[");
    let ran = machine.run(&["context", "simulate", &request, "--config", &path]);
    assert_eq!(ran.exit, Exit(2));
    assert!(ran.stderr.contains("not JSON"), "{}", ran.stderr);
}

#[test]
fn two_settings_are_compared() {
    let (machine, [request, few, many]) = lab();
    let ran = machine.run(&["context", "compare", &few, &many, "--transcript", &request, "--json"]);
    assert_eq!(ran.exit, Exit::DONE, "{}", ran.stderr);
    let direct = ran.lines().remove(0);
    assert!(direct["difference"]["peak"].as_i64() > Some(0), "{direct}");

    let folder = machine.folder.path();
    let kept = |config: &str, name: &str| {
        let ran = machine.run(&["context", "simulate", &request, "--config", config, "--json"]);
        file(folder, name, ran.stdout.as_bytes())
    };
    let (base, new) = (kept(&few, "base.json"), kept(&many, "new.json"));
    let recorded = machine.run(&["context", "compare", &base, &new, "--json"]).lines().remove(0);
    assert_eq!(recorded["difference"], direct["difference"]);
    let text = machine.run(&["context", "compare", &base, &new]).stdout;
    assert!(text.contains("DIFFERENCE") && text.contains("peak"), "{text}");
    let ran = machine.run(&["context", "compare", &few, &new]);
    assert_eq!(ran.exit, Exit(2));
    assert!(ran.stderr.contains("--transcript"), "{}", ran.stderr);
}

#[test]
fn a_sweep_prints_what_nothing_beats() {
    let (machine, [request, ..]) = lab();
    let grid = clearing(0).replace(r#""value":0"#, r#""value":{"from":0,"to":6,"step":2}"#);
    let path = file(machine.folder.path(), "grid.json", grid.as_bytes());
    let ran = machine.run(&["context", "sweep", &request, "--grid", &path, "--json"]);
    assert_eq!(ran.exit, Exit::DONE, "{}", ran.stderr);
    assert_eq!(ran.lines()[0]["points"].as_array().map(Vec::len), Some(5));
    assert_eq!(ran.lines()[0]["points"][0]["baseline"], true);
    let ran = machine.run(&["context", "sweep", &request, "--grid", &path, "--all"]);
    assert_eq!(ran.stdout.lines().count(), 6, "{}", ran.stdout);
    assert!(ran.stdout.contains("no editing"), "{}", ran.stdout);
    let without_a_grid = machine.run(&["context", "sweep", &request, "--json"]);
    assert_eq!(without_a_grid.lines()[0]["points"].as_array().map(Vec::len), Some(1 + 4 * 4 * 3));
}

#[test]
fn nothing_is_sent_without_a_key_or_without_being_asked() {
    let (machine, [request, few, _]) = lab();
    let confirm = ["context", "confirm", &request, "--config", &few];
    let ran = machine.run(&confirm);
    assert_eq!(ran.exit, Exit(9), "{}", ran.stderr);
    let ran = with_stdin(&machine, &["context", "key", "set"], b"sk-test-0123\n");
    assert_eq!(ran.exit, Exit::DONE, "{}", ran.stderr);
    assert!(!ran.stdout.contains("sk-test") && ran.stdout.contains("keyring"), "{}", ran.stdout);
    let ran = machine.run(&confirm);
    assert_eq!(ran.exit, Exit(2));
    assert!(ran.stderr.contains("--yes") && ran.stderr.contains("1 call"), "{}", ran.stderr);
    assert_eq!(machine.run(&["context", "key", "remove"]).exit, Exit::DONE);
}

#[test]
fn a_setting_is_exported() {
    let (machine, [request, few, _]) = lab();
    let ran = machine.run(&["context", "export", &request, "--config", &few, "--format", "python"]);
    assert_eq!(ran.exit, Exit::DONE, "{}", ran.stderr);
    assert!(ran.stdout.contains("import anthropic"), "{}", ran.stdout);
    let to = machine.folder.path().join("report.html").display().to_string();
    let ran = machine.run(&["context", "export", &request, "--config", &few, "--format", "html", "-o", &to]);
    assert_eq!(ran.exit, Exit::DONE, "{}", ran.stderr);
    assert!(std::fs::read_to_string(&to).expect("the report").contains("<svg"));
}

#[test]
fn an_empty_home_has_no_sessions() {
    let machine = Machine::new();
    let ran = machine.run(&["context", "transcripts"]);
    assert_eq!((ran.exit, ran.stdout.as_str()), (Exit::DONE, ""));
    assert!(ran.stderr.contains("no such session"), "{}", ran.stderr);
    assert_eq!(machine.run(&["context", "show", "nothing"]).exit, Exit(3));
    assert_eq!(machine.run(&["context", "memory", "--json"]).exit, Exit::DONE);
}

#[test]
fn reports_stand_beside_forecasts() {
    let (machine, [_, few, _]) = lab();
    let edits =
        json!([{"type": "clear_tool_uses_20250919", "cleared_tool_uses": 6, "cleared_input_tokens": 1000}]);
    let body: Value = serde_json::from_str(&request(8)).expect("the request");
    let answer = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-4-6",
        "content": [{"type": "text", "text": "Done."}], "stop_reason": "end_turn",
        "usage": {"input_tokens": 2000, "output_tokens": 5}, "context_management": {"applied_edits": edits}});
    let pair = json!({"request": {"timestamp": 1, "method": "POST", "url": "https://api.example/v1/messages",
        "body": body}, "response": {"body": answer}});
    let path = file(machine.folder.path(), "log.jsonl", format!("{pair}\n").as_bytes());
    let ran = machine.run(&["context", "deployed", &path, "--config", &few, "--json"]);
    assert_eq!(ran.exit, Exit::DONE, "{}", ran.stderr);
    let held = ran.lines().remove(0);
    assert_eq!((held["reporting"].as_u64(), held["agreeing"].as_u64()), (Some(1), Some(1)), "{held}");
    let ran = machine.run(&["context", "deployed", &path]);
    assert_eq!((ran.exit, ran.stderr.contains("which setting")), (Exit(3), true), "{}", ran.stderr);
    let text = machine.run(&["context", "deployed", &path, "--config", &few]).stdout;
    assert!(text.contains("6 uses, 1,000 tokens"), "{text}");
}

#[test]
fn sessions_that_were_chosen_are_summed_beside_all() {
    let machine = Machine::new();
    for (project, session, answers) in
        [("a", "5f3c0000-1111-4222-8333-444444444444", 1), ("b", "7a2b0000-1111-4222-8333-444444444444", 2)]
    {
        let folder = machine.folder.path().join("home/.claude/projects").join(format!("-w-{project}"));
        std::fs::create_dir_all(&folder).expect("a folder");
        let entry = |number: u64, role: &str, message: Value| {
            json!({"type": role, "uuid": format!("{project}{number}"), "sessionId": session, "cwd": format!("/w/{project}"),
                "parentUuid": number.checked_sub(1).map(|before| format!("{project}{before}")),
                "timestamp": format!("2026-11-20T09:00:{number:02}Z"), "requestId": format!("req_{project}{number}"), "message": message})
        };
        let mut lines = Vec::new();
        for answer in 0..answers {
            lines.push(entry(answer * 2, "user", json!({"role": "user", "content": "Go on."})));
            lines.push(entry(answer * 2 + 1, "assistant", json!({"id": format!("msg_{project}{answer}"), "type": "message",
                "role": "assistant", "model": "claude-opus-4-6", "content": [{"type": "text", "text": "Done."}],
                "stop_reason": "end_turn", "usage": {"input_tokens": 2000, "output_tokens": 50}})));
        }
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        std::fs::write(folder.join(format!("{session}.jsonl")), text).expect("a transcript");
    }
    let all = machine.run(&["context", "transcripts"]).stderr;
    assert!(all.starts_with("2 sessions in 2 projects; all of them: 3 requests, "), "{all}");
    for chosen in [&["--project", "/w/a"][..], &["-n", "1", "--sort", "date", "5f3c"]] {
        let ran = machine.run(&[&["context", "transcripts"], chosen].concat());
        assert!(
            ran.stderr.starts_with("1 of 2 sessions in 2 projects; these: 1 request, "),
            "{}",
            ran.stderr
        );
        assert!(ran.stderr.contains("; all of them: 3 requests, "), "{}", ran.stderr);
    }
    assert_eq!(machine.run(&["context", "transcripts", "-n", "1", "--json"]).lines().len(), 1);
}
