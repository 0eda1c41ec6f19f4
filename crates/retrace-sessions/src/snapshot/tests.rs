use crate::testing::{Home, answer, answer_of, indexed, prompt, two_turns};
use crate::{Cost, Snapshot};
use retrace_transcript::Tokens;
use std::path::Path;
use std::sync::Arc;

fn ids(snapshot: &Snapshot) -> Vec<(&str, usize)> {
    snapshot.sessions().iter().map(|row| (row.id.as_str(), row.subagents.len())).collect()
}

fn found(snapshot: &Snapshot, query: &str) -> Vec<String> {
    let stem = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    snapshot.find(query).iter().map(|entry| stem(&entry.path)).collect()
}

/// A tenth of a dollar for each token of input.
fn price(model: &str, tokens: &Tokens) -> Option<f64> {
    (model != "unpriced").then_some(tokens.input as f64 / 10.0)
}

#[test]
fn subagents_stand_with_their_session() {
    let home = Home::new();
    home.session("s1", &two_turns("s1"));
    home.write(".claude/projects/-work/s1/subagents/agent-a1.jsonl", answer("s1", 9, "msg_a1", 1));
    home.write(".claude/projects/-work/agent-a2.jsonl", answer("s1", 3, "msg_a2", 1));
    home.write(".claude/projects/-work/s7/subagents/agent-a3.jsonl", answer("s7", 20, "msg_a3", 1));
    // The same session in another project's folder, with a subagent of its own.
    home.write(".claude/projects/-copy/s1.jsonl", prompt("s1", 0, "copied"));
    home.write(".claude/projects/-copy/s1/subagents/agent-a4.jsonl", prompt("s1", 0, "copied"));
    let snapshot = indexed(&home).snapshot();
    assert_eq!(ids(&snapshot), [("s7", 1), ("s1", 2), ("s1", 1)]);
    let [orphan, session, _] = snapshot.sessions() else { panic!("three sessions") };
    assert!(orphan.main.is_none() && orphan.title().is_none());
    assert_eq!(session.requests(), 4);
    assert_eq!(session.peak_context(), 119);
    assert_eq!(session.title(), Some("Name the harbour"));
    assert_eq!(session.project(), Some("/proj"));
    let agents: Vec<_> = session.subagents.iter().map(|entry| entry.agent_id().unwrap()).collect();
    assert_eq!(agents, ["a2", "a1"]);
    assert_eq!(session.models(), ["claude-sonnet-4-5"]);
    assert_eq!(session.started_at().unwrap().to_rfc3339(), "2026-06-01T10:01:00.000000Z");
    assert_eq!(session.ended_at().unwrap().to_rfc3339(), "2026-06-01T10:09:30.000000Z");
}

#[test]
fn projects_gather_sessions_of_one_directory() {
    let home = Home::new();
    home.session("s1", &two_turns("s1"));
    home.session("s2", &two_turns("s2"));
    home.write(
        ".claude/projects/-silent/s3.jsonl",
        "{\"type\":\"summary\",\"summary\":\"x\",\"leafUuid\":\"y\"}\n",
    );
    let snapshot = indexed(&home).snapshot();
    let projects = snapshot.projects();
    let rows: Vec<_> =
        projects.iter().map(|row| (row.project.as_deref(), row.sessions, row.requests)).collect();
    assert_eq!(rows, [(Some("/proj"), 2, 4), (Some("-silent"), 1, 0)]);
    let totals = snapshot.totals();
    assert_eq!((totals.files, totals.sessions, totals.projects, totals.calls), (3, 3, 2, 4));
}

#[test]
fn a_copied_call_counts_once_and_for_the_session_that_began_first() {
    let home = Home::new();
    let first = home.session("s1", &two_turns("s1"));
    let fork = home.session("f1", &[two_turns("s1"), answer("f1", 5, "msg_new", 30)].concat());
    let second = answer_of("s1", 6, "msg_other", 4, "unpriced");
    home.write(".claude/projects/-work/s1/subagents/agent-a1.jsonl", second);
    let snapshot = indexed(&home).snapshot();
    let calls = snapshot.calls();
    assert_eq!((calls.len(), calls.copies), (4, 2));
    assert_eq!(calls.by_model()["claude-sonnet-4-5"].tokens.input, 5 + 9 + 30);
    let costs = calls.costs(&price);
    assert!((costs.total.amount - 4.4).abs() < 1e-9);
    assert_eq!(costs.total.priced, 3);
    assert_eq!(costs.total.unpriced["unpriced"], 1);
    // Both began at the same time, so the first by path has them.
    assert!((costs.of_file(&fork).amount - 4.4).abs() < 1e-9);
    assert_eq!(costs.of_file(&first), Cost::default());
    let by_session: Vec<_> =
        snapshot.sessions().iter().map(|row| (row.id.as_str(), costs.of_session(row))).collect();
    assert_eq!(by_session.iter().map(|(_, cost)| cost.priced).sum::<u64>(), 3);
    assert!(by_session.iter().any(|(id, cost)| *id == "s1" && cost.unpriced["unpriced"] == 1));
    let parts: f64 = costs.by_file.values().map(|cost| cost.amount).sum();
    assert!((parts - costs.total.amount).abs() < 1e-9);

    let home = Home::new();
    let first = home.session("s1", &[prompt("s1", 0, "Earlier"), two_turns("s1")].concat());
    home.session("f1", &two_turns("s1"));
    let snapshot = indexed(&home).snapshot();
    assert_eq!(snapshot.calls().costs(&price).of_file(&first).priced, 2);
}

#[test]
fn the_session_that_a_fork_goes_on_from_is_known_by_the_calls_it_copied() {
    let home = Home::new();
    let first = home.session("s1", &[prompt("s1", 0, "Earlier"), two_turns("s1")].concat());
    let fork = home.session("f1", &[two_turns("s1"), answer("f1", 5, "msg_new", 30)].concat());
    home.session("s2", &answer("s2", 5, "msg_another", 30));
    let snapshot = indexed(&home).snapshot();
    let originals = |path: &std::path::Path| -> Vec<std::path::PathBuf> {
        let entry = snapshot.entry(path).expect("an entry");
        snapshot.originals(&[entry]).iter().map(|entry| entry.path.clone()).collect()
    };
    assert_eq!(originals(&fork), std::slice::from_ref(&first));
    assert!(originals(&first).is_empty());
}

#[test]
fn the_larger_output_of_two_copies_counts() {
    let home = Home::new();
    let line = answer("s1", 1, "msg_1", 5);
    home.session("s1", &line.replace("\"output_tokens\":7", "\"output_tokens\":2"));
    home.session("s2", &line);
    let calls = indexed(&home).snapshot().calls().by_model();
    assert_eq!(calls["claude-sonnet-4-5"].tokens.output, 7);
    assert_eq!(calls["claude-sonnet-4-5"].calls, 1);
}

#[test]
fn calls_without_ids_are_not_taken_for_copies() {
    let home = Home::new();
    let nameless = |session: &str, input| {
        let line = answer(session, 1, "msg_x", input);
        line.replace("\"id\":\"msg_x\",", "")
            .replace("\"requestId\":\"req_msg_x\",", "")
            .replace("\"uuid\":\"a1\",", "")
    };
    home.session("s1", &nameless("s1", 5));
    home.session("s2", &nameless("s2", 6));
    assert_eq!(indexed(&home).snapshot().calls().len(), 2);
}

#[test]
fn a_transcript_is_found_by_path_id_beginning_and_words() {
    let home = Home::new();
    home.session("abc-1", &two_turns("abc-1"));
    home.session("abd-2", &prompt("abd-2", 7, "Name the river"));
    home.session("abc", &prompt("abc", 3, "Lighthouses of the north"));
    home.write(
        ".claude/projects/-work/abc-1/subagents/agent-77f.jsonl",
        prompt("abc-1", 9, "Name the harbour master"),
    );
    let snapshot = indexed(&home).snapshot();
    for (query, expected) in [
        ("abc", vec!["abc"]),
        ("abc-", vec!["abc-1"]),
        ("ab", vec!["abd-2", "abc", "abc-1"]),
        (" abd ", vec!["abd-2"]),
        ("77f", vec!["agent-77f"]),
        ("agent-77f", vec!["agent-77f"]),
        ("agent-7", vec!["agent-77f"]),
        ("-work/abc-1.jsonl", vec!["abc-1"]),
        ("HARBOUR name", vec!["abc-1"]),
        ("harbour master", vec!["agent-77f"]),
        ("name the", vec!["abd-2", "abc-1"]),
        ("nothing like it", vec![]),
        ("", vec![]),
    ] {
        assert_eq!(found(&snapshot, query), expected, "{query:?}");
    }
    let whole = home.path(".claude/projects/-work/abc.jsonl");
    assert_eq!(found(&snapshot, whole.to_str().unwrap()), ["abc"]);
}

#[test]
fn a_rollout_of_a_subagent_belongs_to_the_session_that_started_it() {
    let home = Home::new();
    let rollout = |id: &str, more: &str| {
        let meta = format!(r#"{{"type":"session_meta","payload":{{"id":"{id}","cwd":"/w"{more}}}}}"#);
        home.write(&format!(".codex/sessions/2026/11/23/rollout-{id}.jsonl"), format!("{meta}\n"));
    };
    rollout("01a2-main", r#","source":"exec","session_id":"01a2-main""#);
    let spawned = |parent: &str| {
        format!(r#","source":{{"subagent":{{"thread_spawn":{{"parent_thread_id":"{parent}","depth":1}}}}}}"#)
    };
    rollout("01a2-sub", &spawned("01a2-main"));
    rollout("01a2-deep", &format!(r#"{},"session_id":"01a2-main""#, spawned("01a2-sub")));
    rollout("01a2-lone", r#","source":{"subagent":"review"}"#);
    let index = indexed(&home);
    let snapshot = index.snapshot();
    let mut rows: Vec<(String, usize)> =
        snapshot.sessions().iter().map(|row| (row.id.clone(), row.subagents.len())).collect();
    rows.sort();
    assert_eq!(rows, [("01a2-lone".to_owned(), 0), ("01a2-main".to_owned(), 2)]);
    assert_eq!(found(&snapshot, "01a2-sub"), ["rollout-01a2-sub"]);
    assert_eq!(found(&snapshot, "01a2-main"), ["rollout-01a2-main"]);
}

#[test]
fn chats_of_gemini_cli_are_sessions_with_their_subagents() {
    let home = Home::new();
    let header = |id: &str, kind: &str| {
        format!(
            r#"{{"sessionId":"{id}","projectHash":"h","startTime":"2026-11-23T10:00:00.000Z","kind":"{kind}"}}"#
        ) + "\n"
    };
    let answer = |id: &str| {
        format!(
            r#"{{"id":"{id}","timestamp":"2026-11-23T10:00:01.000Z","type":"gemini","content":"Done.","model":"gemini-3.1-pro-preview","tokens":{{"input":9,"output":1}}}}"#
        ) + "\n"
    };
    let chats = ".gemini/tmp/app/chats";
    home.write(&format!("{chats}/session-1-g1.jsonl"), header("g1", "main") + &answer("m1"));
    home.write(&format!("{chats}/session-2-g1.jsonl"), header("g1", "main"));
    home.write(&format!("{chats}/session-1-g2.jsonl"), header("g2", "main") + &answer("m2"));
    home.write(&format!("{chats}/g1/a1.jsonl"), header("a1", "subagent") + &answer("m3"));
    home.write(&format!("{chats}/skill-extraction-7/a2.jsonl"), header("a2", "subagent") + &answer("m4"));
    let index = indexed(&home);
    let snapshot = index.snapshot();
    let mut rows: Vec<(String, usize, usize, u64)> = snapshot
        .sessions()
        .iter()
        .map(|row| (row.id.clone(), row.further.len(), row.subagents.len(), row.requests()))
        .collect();
    rows.sort();
    let row = |id: &str, further, subagents, requests| (id.to_owned(), further, subagents, requests);
    assert_eq!(rows, [row("g1", 1, 1, 2), row("g2", 0, 0, 1), row("skill-extraction-7", 0, 1, 1)]);
    assert_eq!(found(&snapshot, "g1"), ["session-1-g1"]);
    assert_eq!(found(&snapshot, "a1"), ["a1"]);
    assert!(snapshot.sessions().iter().all(|row| row.project() == Some("app")));
}

#[test]
fn a_session_that_tells_no_id_is_called_by_its_place() {
    let home = Home::new();
    home.write(".copilot/session-state/4d7f/events.jsonl", "");
    home.write(".copilot/session-state/99aa.jsonl", "");
    let mut ids: Vec<_> = indexed(&home).snapshot().sessions().iter().map(|row| row.id.clone()).collect();
    ids.sort();
    assert_eq!(ids, ["4d7f", "99aa"]);
}

#[test]
fn lists_are_made_once() {
    let home = Home::new();
    home.session("s1", &two_turns("s1"));
    let snapshot: Arc<Snapshot> = indexed(&home).snapshot();
    assert!(std::ptr::eq(snapshot.calls(), snapshot.calls()));
    assert!(std::ptr::eq(snapshot.sessions(), snapshot.sessions()));
}
