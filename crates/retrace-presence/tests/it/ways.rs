//! A memory that comes before a model by whatever command: a line is present where its text is, and nowhere else.

use retrace_presence::{
    AtRequest, Cause, Conversation, Digest, Grade, Loading, Memory, Proof, Scope, Shelf, Sought, Version,
};
use serde_json::{Value, json};
use std::sync::Arc;

/// Lines of a memory of this name.
fn content(name: &str) -> String {
    let facts = (1..=8).map(|number| format!("- {name}-{number}: word {number} of this memory\n"));
    format!(
        "---\ntype: note\n---\n## Notes\n- a line that several memories have\n\n{}end\n",
        facts.collect::<String>()
    )
}

/// Lines from one to another of a memory.
fn part(name: &str, from: usize, to: usize) -> Vec<String> {
    content(name).lines().skip(from - 1).take(to + 1 - from).map(str::to_owned).collect()
}

fn printed(form: impl Fn(usize, &str) -> String, name: &str, from: usize, to: usize) -> String {
    let lines = (from..).zip(part(name, from, to));
    lines.map(|(number, line)| form(number, &line)).collect::<Vec<_>>().join("\n")
}

fn plain(name: &str, from: usize, to: usize) -> String {
    printed(|_, line| line.to_owned(), name, from, to)
}

fn scope() -> Scope {
    let mut sought = Sought::default();
    for name in ["a", "b", "sp ace", "deep/c"] {
        sought.add(name, &[format!("/m/{name}.md")], &content(name));
    }
    Scope { roots: vec!["/m".to_owned()], home: Some("/home/ann".to_owned()), sought: Arc::new(sought) }
}

/// What the memory `name` was before the model in the last request, where the calls gave these results.
fn at(name: &str, calls: &[(&str, Value, &str)]) -> AtRequest {
    let mut messages = vec![json!({"role": "user", "content": "go"})];
    for (number, (tool, input, result)) in calls.iter().enumerate() {
        let id = format!("toolu_{number}");
        messages.push(json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": tool, "input": input}]}));
        messages.push(json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": result}]}));
    }
    sent(name, &messages)
}

fn sent(name: &str, messages: &[Value]) -> AtRequest {
    let response = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
        "content": [{"type": "text", "text": "ok"}], "usage": {"input_tokens": 9, "output_tokens": 1}});
    let body = json!({"model": "m", "system": "You work.", "messages": messages});
    let log = json!({"request": {"body": body}, "response": {"body": response}}).to_string();
    let reading = retrace_transcript::read(log.as_bytes()).expect("a log of a proxy");
    let mut shelf = Shelf::default();
    let digest = Digest::of(&reading.transcripts[0], &|_| Proof::Proved, &scope(), &mut shelf);
    let memory = Memory::new(Loading::OnDemand, vec![Version::of(&content(name), 0)]);
    let pieces = digest.pieces_of(&[&format!("/m/{name}.md")]);
    let last = digest.requests.len() - 1;
    Conversation::new(&digest, &shelf).at(&memory, &pieces, None, last).expect("the memory")
}

fn bash(command: &str) -> Value {
    json!({"command": command})
}

/// A command, what it printed, and the lines of the memory in that.
type Printed = (&'static str, String, &'static [(u32, u32)]);

#[test]
fn whatever_a_command_looks_like_its_words_decide() {
    let whole = plain("a", 1, 15);
    let both = format!("{whole}\n{}", plain("b", 1, 15));
    let reversed = part("a", 1, 15).into_iter().rev().collect::<Vec<_>>().join("\n");
    let all: &[(u32, u32)] = &[(1, 15)];
    let table: Vec<Printed> = vec![
        ("cat /m/a.md", whole.clone(), all),
        ("cd /m && cat a.md", whole.clone(), all),
        ("cd /m; head -5 a.md", plain("a", 1, 5), &[(1, 5)]),
        ("pushd /m; cat a.md", format!("/m ~\n{whole}"), all),
        ("cd /m && grep -n word a.md", printed(|at, line| format!("{at}:{line}"), "a", 7, 14), &[(7, 14)]),
        (
            "cd /m && grep -rn word .",
            printed(|at, line| format!("./a.md:{at}:{line}"), "a", 7, 14),
            &[(7, 14)],
        ),
        ("grep -rhn word /m", printed(|at, line| format!("{at}:{line}"), "a", 8, 8), &[(8, 8)]),
        (
            "grep -rn -A1 a-1: /m",
            format!("/m/a.md:7:{}\n/m/a.md-8-{}", plain("a", 7, 7), plain("a", 8, 8)),
            &[(7, 8)],
        ),
        ("cat \"/m\"/a.md", whole.clone(), all),
        ("cat /m//a.md", whole.clone(), all),
        ("cat /m/*.md", both.clone(), all),
        ("cat /m/{a,b}.md", both.clone(), all),
        ("for f in /m/*.md; do cat \"$f\"; done", both.clone(), all),
        ("find /m -name '*.md' -exec cat {} +", both.clone(), all),
        ("ls /m/*.md | xargs cat", both.clone(), all),
        ("M=/m; cat $M/a.md", whole.clone(), all),
        ("cat $SOMEWHERE", whole.clone(), all),
        ("./show", format!("x\n{whole}\ny"), all),
        ("cat -A /m/a.md", printed(|_, line| format!("{line}$"), "a", 1, 5), &[(1, 5)]),
        ("cat -n /m/a.md", printed(|at, line| format!("{at:6}\t{line}"), "a", 1, 15), all),
        (
            "diff /m/a.md /dev/null",
            format!("1,15d0\n{}", printed(|_, line| format!("< {line}"), "a", 1, 15)),
            all,
        ),
        (
            "git diff --no-index /dev/null /m/a.md",
            format!("@@ -0,0 +1,15 @@\n{}", printed(|_, line| format!("+{line}"), "a", 1, 15)),
            all,
        ),
        ("tac /m/a.md", reversed, all),
        ("tail -n +12 /m/a.md", plain("a", 12, 15), &[(12, 15)]),
        (
            "head -2 /m/a.md /m/b.md",
            format!("==> /m/a.md <==\n{}\n\n==> /m/b.md <==\n{}", plain("a", 1, 8), plain("b", 1, 8)),
            &[(1, 8)],
        ),
    ];
    for (command, output, present) in table {
        let at = at("a", &[("Bash", bash(command), &output)]);
        assert_eq!((at.ranges(), at.grade), (present.to_vec(), Grade::Proved), "{command}");
    }
    for command in ["cat '/m/sp ace.md'", "cat /m/sp\\ ace.md", "cd /m && cat sp*"] {
        let at = at("sp ace", &[("Bash", bash(command), &plain("sp ace", 1, 15))]);
        assert_eq!((at.ranges(), at.grade), (all.to_vec(), Grade::Proved), "{command}");
    }
}

#[test]
fn other_clients_say_it_in_their_words() {
    let whole = plain("a", 1, 15);
    let labelled = format!("Output: {whole}\nProcess Group PGID: 7");
    let many = format!("--- /m/a.md ---\n\n{whole}\n\n--- End of content ---");
    for (tool, input, output) in [
        ("shell", json!({"command": ["bash", "-lc", "cat a.md"], "workdir": "/m"}), &whole),
        ("exec_command", json!({"cmd": "cat a.md", "workdir": "/m"}), &whole),
        ("exec", json!("await tools.exec_command({cmd: \"cat a.md\", workdir: \"/m\"})"), &whole),
        ("run_shell_command", json!({"command": "cat a.md", "dir_path": "/m"}), &labelled),
        ("read_many_files", json!({"include": ["/m/*.md"]}), &many),
        ("bash", json!({"command": "cat a.md", "workdir": "/m"}), &whole),
        ("mcp__files__show", json!({"id": 7}), &whole),
    ] {
        let at = at("a", &[(tool, input.clone(), output)]);
        assert_eq!((at.ranges(), at.grade), (vec![(1, 15)], Grade::Proved), "{tool} {input}");
    }
    let link = at(
        "a",
        &[(
            "Read",
            json!({"file_path": "/w/link.md"}),
            &printed(|at, line| format!("{at}\t{line}"), "a", 1, 15),
        )],
    );
    assert_eq!(link.ranges(), [(1, 15)]);
}

#[test]
fn a_line_that_stands_elsewhere_too_counts_only_as_this_memory_s() {
    for (command, output) in [
        ("cat /m/b.md", plain("b", 1, 15)),
        ("cd /m && head -5 b.md", plain("b", 1, 5)),
        ("cat README.md", "---\ntype: note\n---\n## Notes\nend\n".to_owned()),
        ("make", "ok\n---\nend\n".to_owned()),
    ] {
        let at = at("a", &[("Bash", bash(command), &output)]);
        assert_eq!(at.ranges(), [], "{command}");
        assert_eq!(at.grade, Grade::Proved, "{command}");
        assert!(
            at.absent().iter().all(|(_, cause)| *cause == Cause::NotOpened),
            "{command}: {:?}",
            at.absent()
        );
    }
    // One part of each: what both have is there with the part that only one has.
    let output = format!("{}\n{}", plain("b", 4, 7), plain("a", 7, 7));
    let at = at("a", &[("Bash", bash("show"), &output)]);
    assert_eq!(at.ranges(), [(7, 7)]);
}

#[test]
fn where_absence_cannot_be_known_it_is_not_proved() {
    // The same words as several memories have, from a command that names all of them.
    let output = "- a line that several memories have\nother\n";
    let at = at("a", &[("Bash", bash("grep -rh several /m README.md"), output)]);
    assert_eq!(at.ranges(), []);
    assert_ne!(at.grade, Grade::Proved);
    let unknown: Vec<_> = at.absent().into_iter().filter(|(_, cause)| *cause == Cause::Unknown).collect();
    assert_eq!(unknown, [((5, 5), Cause::Unknown)]);
}

#[test]
fn what_a_person_shows_is_before_the_model_and_what_it_says_itself_is_not_asked() {
    let shown = sent("a", &[json!({"role": "user", "content": format!("See:\n{}", plain("a", 7, 9))})]);
    assert_eq!(shown.ranges(), [(7, 9)]);
}

#[test]
fn what_the_client_puts_into_a_result_is_found() {
    let reading = printed(|at, line| format!("{at}\t{line}"), "a", 1, 15);
    let result = format!(
        "(Bash completed with no output)\n\n<system-reminder>\nCalled the Read tool with the following input: {{\"file_path\":\"/m/a.md\"}}\n</system-reminder>\n\n\
         <system-reminder>\nResult of calling the Read tool:\n{reading}\n16\t\n</system-reminder>\n\n<system-reminder>\nMore.\n</system-reminder>"
    );
    let again = at("a", &[("Bash", bash("true"), &result)]);
    assert_eq!((again.ranges(), again.grade), (vec![(1, 15)], Grade::Proved));
    let changes = printed(|at, line| format!("{at}\t{line}"), "sp ace", 8, 10);
    let note = format!(
        "Note: /m/sp ace.md changed on disk since you last read it. Here are the relevant changes (shown with line numbers):\n{changes}\n"
    );
    for result in [format!("done\n\n<system-reminder>\n{note}</system-reminder>"), note] {
        let noted = at("sp ace", &[("Bash", bash("true"), &result)]);
        assert_eq!(noted.ranges(), [(8, 10)], "{result}");
    }
}

/// Why the lines of `a` are absent behind a compaction, where the model read it before; with `rewound`, the person had taken that back.
fn cause_behind_a_compaction(rewound: bool) -> Vec<((u32, u32), Cause)> {
    let mut lines: Vec<Value> = Vec::new();
    let mut push = |kind: &str, uuid: &str, parent: Option<&str>, fields: Value| {
        let mut line = json!({"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "cwd": "/p",
            "version": "2.1.330", "timestamp": format!("2026-11-20T10:00:{:02}.000Z", lines.len())});
        line.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
        lines.push(line);
    };
    let says = |text: &str| json!({"message": {"role": "user", "content": text}});
    let answers = |id: &str, block: Value| json!({"message": {"id": id, "role": "assistant", "model": "claude-opus-5", "content": [block]}});
    let text = |text: &str| json!({"type": "text", "text": text});
    push("user", "u1", None, says("go"));
    push("assistant", "a1", Some("u1"), answers("m1", text("ok")));
    push("user", "u2", Some("a1"), says("look"));
    let call = json!({"type": "tool_use", "id": "t1", "name": "Bash", "input": bash("cat /m/a.md")});
    push("assistant", "a2", Some("u2"), answers("m2", call));
    let result = json!([{"type": "tool_result", "tool_use_id": "t1", "content": content("a")}]);
    push("user", "r2", Some("a2"), json!({"message": {"role": "user", "content": result}}));
    push("assistant", "a3", Some("r2"), answers("m3", text("seen")));
    push("user", "u3", Some(if rewound { "a1" } else { "a3" }), says("and now?"));
    push("assistant", "a4", Some("u3"), answers("m4", text("well")));
    push(
        "system",
        "c",
        None,
        json!({"subtype": "compact_boundary", "content": "Conversation compacted", "logicalParentUuid": "a4",
        "compactMetadata": {"trigger": "auto", "preTokens": 9}}),
    );
    push(
        "user",
        "u4",
        Some("c"),
        json!({"isCompactSummary": true, "message": {"role": "user", "content": "A summary."}}),
    );
    push("assistant", "a5", Some("u4"), answers("m5", text("on")));
    let log: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let reading = retrace_transcript::read(log.as_bytes()).expect("a session");
    let mut shelf = Shelf::default();
    let digest = Digest::of(&reading.transcripts[0], &|_| Proof::None, &scope(), &mut shelf);
    let memory = Memory::new(Loading::OnDemand, vec![Version::of(&content("a"), 0)]);
    let pieces = digest.pieces_of(&["/m/a.md"]);
    let conversation = Conversation::new(&digest, &shelf);
    let at = |request: usize| conversation.at(&memory, &pieces, None, request).expect("the memory");
    assert_eq!(at(2).ranges(), [(1, 15)]);
    at(digest.requests.len() - 1).absent()
}

#[test]
fn what_was_taken_back_went_in_no_compaction() {
    // An empty line tells nothing for itself.
    let compacted = [((1, 5), Cause::Compacted), ((6, 6), Cause::NotOpened), ((7, 15), Cause::Compacted)];
    assert_eq!(cause_behind_a_compaction(false), compacted);
    assert_eq!(cause_behind_a_compaction(true), [((1, 15), Cause::NotOpened)]);
}
