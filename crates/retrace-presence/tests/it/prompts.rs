//! What stands in a system prompt, and what the client repeats over several messages.

use retrace_presence::{
    Cause, Conversation, Digest, Grade, Limits, Loading, Memory, Proof, Scope, Shelf, Version, Way,
};
use serde_json::{Value, json};

/// A conversation whose requests are proved; the last one sends `messages`.
fn digest(system: &str, messages: &[Value], shelf: &mut Shelf) -> Digest {
    let request = json!({"model": "m", "system": system, "messages": messages});
    let response = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
        "content": [{"type": "text", "text": "ok"}], "usage": {"input_tokens": 9, "output_tokens": 1}});
    let log = json!({"request": {"body": request}, "response": {"body": response}}).to_string();
    let reading = retrace_transcript::read(log.as_bytes()).expect("a log of a proxy");
    Digest::of(&reading.transcripts[0], &|_| Proof::Proved, &Scope::default(), shelf)
}

fn at_start(content: &str) -> Memory {
    Memory::new(Loading::AtStart(Limits { lines: 200, bytes: 25_000 }), vec![Version::of(content, 0)])
}

const PATH: &str = "/p/.claude/agent-memory/m/MEMORY.md";

fn prompt(index: &str) -> String {
    format!("You are m.\n\nThere is a memory at `/p/.claude/agent-memory/m/`.\n\n## MEMORY.md\n\n{index}")
}

#[test]
fn an_agent_s_own_memory_is_present_in_its_system_prompt() {
    let content = "- a\n- b\n- c\n";
    for (index, present, cut) in [
        ("- a\n- b\n- c\n\nNotes:\n- Agent threads are reset.", vec![(1, 3)], vec![]),
        ("- a\n- b\n- c\n\nNo words that end it.", vec![(1, 3)], vec![]),
        (
            "- a\n- b\n\n> WARNING: MEMORY.md is 3 lines. Only part of it was loaded: starting at line 3.\n\nMore.",
            vec![(1, 2)],
            vec![((3, 3), Cause::Cut)],
        ),
    ] {
        let mut shelf = Shelf::default();
        let digest = digest(&prompt(index), &[json!({"role": "user", "content": "go"})], &mut shelf);
        let memory = at_start(content);
        let pieces = digest.pieces_of(&[PATH]);
        let conversation = Conversation::new(&digest, &shelf).of_subagent(true).in_system_prompt(true);
        let at = conversation.at(&memory, &pieces, None, 0).expect("the file");
        assert_eq!((at.ranges(), at.absent(), at.grade), (present, cut, Grade::Proved), "{index}");
    }
}

#[test]
fn a_memory_of_system_prompts_is_not_absent_because_it_is_a_subagent_s() {
    let mut shelf = Shelf::default();
    let instructions = "Contents of /p/CLAUDE.md (project instructions):\n\nUse tabs.";
    let proved = digest("You are m.", &[json!({"role": "user", "content": instructions})], &mut shelf);
    let mut told = proved.clone();
    told.requests[0].proof = Proof::None;
    assert!(told.requests[0].tells, "it holds instructions");
    for (digest, cause, grade) in
        [(&proved, Cause::SwitchedOff, Grade::Proved), (&told, Cause::Unknown, Grade::Unknown)]
    {
        let conversation = Conversation::new(digest, &shelf).of_subagent(true).in_system_prompt(true);
        let at = conversation.at(&at_start("- a\n"), &[], None, 0).expect("the file");
        assert_eq!((at.absent(), at.grade), (vec![((1, 1), cause)], grade));
    }
}

#[test]
fn a_reading_that_is_repeated_over_two_messages_is_present() {
    let reminder = |text: &str| json!({"type": "text", "text": format!("<system-reminder>\n{text}\n</system-reminder>")});
    let called = |path: &str| {
        reminder(&format!("Called the Read tool with the following input: {{\"file_path\":\"{path}\"}}"))
    };
    let answered = |text: &str| reminder(&format!("Result of calling the Read tool:\n{text}"));
    let messages = [
        json!({"role": "user", "content": "Summary."}),
        json!({"role": "user", "content": [called("/p/pkg/CLAUDE.md")]}),
        json!({"role": "user", "content": [answered("1\tUse tabs.\n2\tBe brief."), called("/p/a.txt"), answered("1\tno")]}),
    ];
    let mut shelf = Shelf::default();
    let digest = digest("", &messages, &mut shelf);
    let memory = Memory::new(Loading::OnDemand, vec![Version::of("Use tabs.\nBe brief.\n", 0)]);
    let pieces = digest.pieces_of(&["/p/pkg/CLAUDE.md"]);
    let at = Conversation::new(&digest, &shelf).at(&memory, &pieces, None, 0).expect("the file");
    assert_eq!(at.ranges(), [(1, 2)]);
}

#[test]
fn of_what_is_loaded_at_the_start_a_part_that_was_written_says_nothing_of_the_rest() {
    let mut shelf = Shelf::default();
    let content = json!([{"type": "tool_use", "id": "t", "name": "Edit",
        "input": {"file_path": PATH, "old_string": "- x", "new_string": "- b"}}]);
    let messages = [
        json!({"role": "user", "content": "go"}),
        json!({"role": "assistant", "content": content}),
        json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}]}),
    ];
    let mut digest = digest("", &messages, &mut shelf);
    for (proof, tells, cause) in
        [(Proof::None, false, Cause::Unknown), (Proof::Proved, true, Cause::NotOpened)]
    {
        let last = digest.requests.len() - 1;
        (digest.requests[last].proof, digest.requests[last].tells) = (proof, tells);
        let pieces = digest.pieces_of(&[PATH]);
        let at = Conversation::new(&digest, &shelf).at(&at_start("- a\n- b\n"), &pieces, None, last);
        assert_eq!(at.expect("the file").absent(), [((1, 1), cause)]);
    }
}

/// A call and its answer.
fn called(id: &str, name: &str, input: &Value, answer: &Value) -> [Value; 2] {
    let call = json!({"type": "tool_use", "id": id, "name": name, "input": input});
    let mut result = json!({"type": "tool_result", "tool_use_id": id});
    for (key, value) in answer.as_object().into_iter().flatten() {
        result[key] = value.clone();
    }
    [json!({"role": "assistant", "content": [call]}), json!({"role": "user", "content": [result]})]
}

#[test]
fn files_that_the_client_puts_into_a_result_are_nested() {
    let text = "1\tx = 1\n2\t\n\n<system-reminder>\nContents of /p/.claude/rules/ts.md:\n\n# TS\n- No any.\n\n</system-reminder>\n\n\
                <system-reminder>\nContents of /p/pkg/CLAUDE.md:\n\n# Pkg\n- Brief.\n\n</system-reminder>";
    let [call, result] = called("t", "Read", &json!({"file_path": "/p/pkg/x.py"}), &json!({"content": text}));
    let mut shelf = Shelf::default();
    let digest = digest("", &[json!({"role": "user", "content": "go"}), call, result], &mut shelf);
    let told: Vec<(&str, Way)> = digest.pieces.iter().map(|piece| (piece.path.as_str(), piece.way)).collect();
    assert_eq!(told, [("/p/.claude/rules/ts.md", Way::Nested), ("/p/pkg/CLAUDE.md", Way::Nested)]);
    let versions = vec![Version::of("---\npaths: x\n---\n# TS\n- No any.\n", 0)];
    let memory = Memory::new(Loading::OnDemand, versions);
    let pieces = digest.pieces_of(&["/p/.claude/rules/ts.md"]);
    let last = digest.requests.len() - 1;
    let at = Conversation::new(&digest, &shelf).at(&memory, &pieces, None, last).expect("the file");
    assert_eq!((at.ranges(), at.grade), (vec![(4, 5)], Grade::Proved));
    assert_eq!(at.absent(), [((1, 3), Cause::Stripped)]);
}

#[test]
fn of_an_edit_that_failed_nothing_is_the_file_s() {
    let edit = json!({"file_path": PATH, "old_string": "- x", "new_string": "- b"});
    for (answer, paths) in [
        (json!({"content": "File has not been read yet.", "is_error": true}), 0),
        (json!({"content": "ok"}), 1),
    ] {
        let [call, result] = called("t", "Edit", &edit, &answer);
        let mut shelf = Shelf::default();
        let digest = digest("", &[json!({"role": "user", "content": "go"}), call, result], &mut shelf);
        assert_eq!(digest.paths().count(), paths, "{answer}");
    }
    // What a command wrote before it failed is there.
    let input = json!({"command": "printf '%s\\n' '- b' >> /p/.claude/agent-memory/m/MEMORY.md; false"});
    let [call, result] = called("t", "Bash", &input, &json!({"content": "", "is_error": true}));
    let mut shelf = Shelf::default();
    let digest = digest("", &[json!({"role": "user", "content": "go"}), call, result], &mut shelf);
    assert_eq!(digest.paths().count(), 1);
}

/// Requests at these times, and what they sent.
fn at_times(times: &[i64], messages: &[Value], shelf: &mut Shelf) -> Digest {
    let mut digest = digest("", messages, shelf);
    let last = digest.requests[0];
    digest.requests =
        times.iter().map(|at| retrace_presence::RequestFacts { at: Some(*at), ..last }).collect();
    for piece in &mut digest.pieces {
        piece.spans = vec![(1, times.len() as u32 - 1)];
    }
    digest
}

#[test]
fn what_was_written_at_a_known_time_did_not_exist_before() {
    let mut shelf = Shelf::default();
    let digest = at_times(&[5, 15, 25], &[json!({"role": "user", "content": "go"})], &mut shelf);
    let causes = |memory: &Memory| {
        let conversation = Conversation::new(&digest, &shelf);
        let at = |request| conversation.at(memory, &[], None, request).expect("the file").absent();
        [at(0), at(1), at(2)]
    };
    let one = |cause| vec![((1, 1), cause)];
    let first = || Version::of("- a\n", 10).or_older(true);
    let at_start = |version| Memory::new(Loading::AtStart(Limits { lines: 9, bytes: 99 }), vec![version]);
    // What is loaded at the start is as it was then.
    assert_eq!(
        causes(&at_start(first().dated())),
        [one(Cause::DidNotExist), one(Cause::DidNotExist), one(Cause::DidNotExist)]
    );
    // The first sight of a file does not tell that it was there before.
    assert_eq!(causes(&at_start(first())), [one(Cause::Unknown), one(Cause::Unknown), one(Cause::Unknown)]);
    assert_eq!(causes(&at_start(Version::of("- a\n", 0)))[0], one(Cause::SwitchedOff));
    let on_demand = |versions| Memory::new(Loading::OnDemand, versions);
    assert_eq!(
        causes(&on_demand(vec![first().dated()])),
        [one(Cause::DidNotExist), one(Cause::NotOpened), one(Cause::NotOpened)]
    );
    // Nothing was loaded, so no other version was.
    let two = on_demand(vec![Version::of("- a\n", 10).dated(), Version::of("- b\n", 20).dated()]);
    let conversation = Conversation::new(&digest, &shelf);
    let at = conversation.at(&two, &[], Some(1), 1).expect("the file");
    assert_eq!(at.absent(), one(Cause::DidNotExist));
    // Of the whole file each request is asked what it could have had.
    let told = conversation.spans_of_file(&two, &[]);
    let told: Vec<_> = told.iter().map(|span| (span.from, span.to, span.state.cause)).collect();
    assert_eq!(told, [(0, 0, Some(Cause::DidNotExist)), (1, 2, Some(Cause::NotOpened))]);
}

#[test]
fn what_is_loaded_at_the_start_is_what_had_the_name_of_the_index_then() {
    let index = Loading::AtStart(Limits { lines: 9, bytes: 99 });
    let at = |time: i64, was: Loading, is: Loading| {
        let mut shelf = Shelf::default();
        let mut digest = at_times(&[time], &[json!({"role": "user", "content": "go"})], &mut shelf);
        for request in &mut digest.requests {
            (request.proof, request.tells) = (Proof::None, false);
        }
        let version = |at| Version::of("- a\n", at);
        let memory = Memory::new(is, vec![version(10).loaded(was), version(20).loaded(is)]);
        assert!(memory.was_ever_loaded());
        let at = Conversation::new(&digest, &shelf).inferring(true).at(&memory, &[], None, 0);
        let at = at.expect("the file");
        (at.ranges(), at.grade, at.absent().first().map(|(_, cause)| *cause))
    };
    let inferred = (vec![(1, 1)], Grade::Inferred, None);
    let unopened = (vec![], Grade::Recorded, Some(Cause::NotOpened));
    for (was, is) in [(index, Loading::OnDemand), (Loading::OnDemand, index)] {
        let (before, after) = if was == index { (&inferred, &unopened) } else { (&unopened, &inferred) };
        assert_eq!((&at(15, was, is), &at(25, was, is)), (before, after), "{was:?}");
    }
}

#[test]
fn a_memory_that_came_after_the_session_began_is_asked_for_by_the_name_that_it_had() {
    let index = Loading::AtStart(Limits { lines: 9, bytes: 99 });
    let version = |at, loading| Version::of("- a\n", at).loaded(loading);
    let renamed = Memory::new(Loading::OnDemand, vec![version(10, index), version(20, Loading::OnDemand)]);
    let kept = Memory::new(index, vec![version(10, index)]);
    let causes = |times: &[i64], memory: &Memory, is_subagent: bool| -> Vec<Option<Cause>> {
        let mut shelf = Shelf::default();
        let digest = at_times(times, &[json!({"role": "user", "content": "go"})], &mut shelf);
        let conversation = Conversation::new(&digest, &shelf).of_subagent(is_subagent);
        let at = |request| conversation.at(memory, &[], None, request).expect("the file");
        (0..times.len()).map(|request| at(request).absent().first().map(|(_, cause)| *cause)).collect()
    };
    let (none, unopened) = (Some(Cause::DidNotExist), Some(Cause::NotOpened));
    assert_eq!(causes(&[5, 15, 25], &renamed, false), [none, none, unopened]);
    assert_eq!(causes(&[5, 15, 25], &kept, false), [none, none, none]);
    // A subagent that ran before the memory was there is not without it because it is a subagent.
    assert_eq!(causes(&[5], &kept, true), [none]);
    assert_eq!(causes(&[15], &kept, true), [Some(Cause::Subagent)]);
}

#[test]
fn a_line_that_was_added_later_did_not_exist_while_the_rest_was_there() {
    let input = json!({"file_path": "/p/memory/a.md", "content": "- a\n- b\n"});
    let [call, result] = called("t", "Write", &input, &json!({"content": "ok"}));
    let mut shelf = Shelf::default();
    let digest =
        at_times(&[5, 15, 25], &[json!({"role": "user", "content": "go"}), call, result], &mut shelf);
    let whole = || Version::of("- a\n- b\n- c\n", 20).or_older(true);
    let pieces = digest.pieces_of(&["/p/memory/a.md"]);
    for (version, causes) in [
        (whole().dated(), [Cause::DidNotExist, Cause::NotOpened]),
        (whole(), [Cause::NotOpened, Cause::NotOpened]),
    ] {
        let memory = Memory::new(Loading::OnDemand, vec![version]);
        for (request, cause) in [1, 2].into_iter().zip(causes) {
            let at = Conversation::new(&digest, &shelf).at(&memory, &pieces, None, request);
            let at = at.expect("the file");
            assert_eq!((at.ranges(), at.absent()), (vec![(1, 2)], vec![((3, 3), cause)]), "{request}");
        }
    }
}

#[test]
fn of_an_answer_that_a_fork_copied_from_before_a_compaction_nothing_is_known() {
    let mut last: Option<String> = None;
    let mut line = |kind: &str, second: u32, fields: Value| {
        let uuid = format!("u{second}{kind}");
        let mut line = json!({"type": kind, "uuid": uuid, "parentUuid": last, "sessionId": "s", "version": "2.1.330",
            "timestamp": format!("2026-11-28T01:00:{second:02}.000Z")});
        line.as_object_mut().expect("an object").extend(fields.as_object().expect("fields").clone());
        last = Some(uuid);
        line.to_string()
    };
    let answer = |second: u32, block: Value, line: &mut dyn FnMut(&str, u32, Value) -> String| {
        let message = json!({"id": format!("msg_{second}"), "role": "assistant", "model": "claude-opus-4-8", "content": [block],
            "usage": {"input_tokens": 5, "output_tokens": 5}});
        line("assistant", second, json!({"message": message}))
    };
    // As in a fork that Claude Code 2.1.330 made after a compaction: what the compaction kept stands behind the summary.
    let lines = [
        line(
            "system",
            20,
            json!({"subtype": "compact_boundary", "content": "Conversation compacted",
            "compactMetadata": {"trigger": "auto", "preTokens": 9}}),
        ),
        line(
            "user",
            19,
            json!({"isCompactSummary": true, "message": {"role": "user", "content": "The summary."}}),
        ),
        answer(
            10,
            json!({"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}}),
            &mut line,
        ),
        line(
            "user",
            11,
            json!({"message": {"role": "user", "content":
            [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "x"}]}}),
        ),
        answer(30, json!({"type": "text", "text": "Done."}), &mut line),
    ];
    let reading = retrace_transcript::read(lines.join("\n").as_bytes()).expect("a session");
    let mut shelf = Shelf::default();
    let digest = Digest::of(&reading.transcripts[0], &|_| Proof::None, &Scope::default(), &mut shelf);
    assert_eq!(digest.requests.iter().map(|facts| facts.is_copied).collect::<Vec<_>>(), [true, false]);
    let memory = Memory::new(Loading::OnDemand, vec![Version::of("- a\n", 0)]);
    let conversation = Conversation::new(&digest, &shelf);
    let absent = |request: usize| {
        let at = conversation.at(&memory, &[], Some(0), request).expect("the file");
        (at.absent(), at.grade)
    };
    assert_eq!(absent(0), (vec![((1, 1), Cause::Unknown)], Grade::Unknown));
    assert_eq!(absent(1), (vec![((1, 1), Cause::NotOpened)], Grade::Recorded));
    let spans = conversation.spans(&memory, &[], 0, &(1..=1));
    assert_eq!(
        spans.iter().map(|span| (span.from, span.state.cause)).collect::<Vec<_>>(),
        [(0, Some(Cause::Unknown)), (1, Some(Cause::NotOpened))]
    );
}
