//! What stands in a system prompt, and what the client repeats over several messages.

use retrace_presence::{
    Cause, Conversation, Digest, Grade, Limits, Loading, Memory, Proof, Scope, Shelf, Version,
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
