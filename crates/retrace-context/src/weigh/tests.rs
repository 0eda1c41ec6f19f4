use super::story::{Story, WEIGHING, calls, characters, result, thinks, used, words};
use super::*;
use crate::weight::Basis;
use proptest::prelude::*;
use retrace_transcript::{AttachedFile, Media, MediaKind, Preamble, ResultPart, Tool, Usage};
use serde_json::json;

#[test]
fn a_call_and_its_result_are_framed_as_measured() {
    let mut story = Story::new("claude-sonnet-4-5");
    story
        .types("hello")
        .answers(None, vec![words("well"), calls("t0", "Read", json!({"path": "/a", "limit": 3}))])
        .results(&[("t0", "content")])
        .answers(None, vec![words("done")])
        .types("more");
    let weights = story.weights();
    assert_eq!(weights.messages[0][0], BlockWeight { content: 5, frame: 6 });
    assert_eq!(weights.messages[1][0], BlockWeight { content: 4, frame: 1 });
    // "Read" and its two parameters: limit, 3, path, /a with a line feed before each.
    let input = 1 + 5 + 1 + 1 + 1 + 4 + 1 + 2 + 2 * 13;
    assert_eq!(weights.messages[1][1], BlockWeight { content: input, frame: 4 + 33 });
    assert_eq!(weights.messages[2][0], BlockWeight { content: 7, frame: 12 });
    assert_eq!(weights.messages[4][0], BlockWeight { content: 4, frame: 6 });
    assert_eq!(weights.weighed, [11, 11 + 5 + input + 37 + 19]);
    assert_eq!(weights.contexts, weights.weighed);
    assert_eq!(weights.bases, [Basis::Counted, Basis::Counted]);
    assert_eq!(weights.placeholder, 9);
}

#[test]
fn parallel_calls_add_up_to_what_was_measured() {
    for (number, frame) in [(1, 45), (2, 110), (4, 188)] {
        let mut story = Story::new("");
        let ids: Vec<String> = (0..number).map(|id| format!("t{id}")).collect();
        story.types("x").answers(None, ids.iter().map(|id| calls(id, "", json!({}))).collect());
        story.results(&ids.iter().map(|id| (id.as_str(), "r")).collect::<Vec<_>>());
        let weights = story.weights();
        let sum: u64 = weights.messages[1..].iter().flatten().map(|block| block.total()).sum();
        assert_eq!(sum, frame + number, "{number} calls");
    }
}

#[test]
fn an_error_and_an_empty_result_have_their_marks() {
    let failed = BlockKind::ToolResult {
        tool_use_id: "t0".into(),
        content: vec![ResultPart::Text("no".into())],
        is_error: true,
        denied: false,
        server: false,
    };
    let mut story = Story::new("");
    story.says(Role::User, Origin::ToolResults, vec![failed, result("t1", "")]);
    let weights = story.weights();
    assert_eq!(weights.messages[0][0], BlockWeight { content: 2, frame: 12 + 8 });
    assert_eq!(weights.messages[0][1], BlockWeight { content: 0, frame: 12 + 14 });
}

#[test]
fn thinking_is_what_a_final_output_leaves() {
    let answer = vec![thinks(""), words("four"), calls("t0", "Read", json!({"a": "b"}))];
    let mut story = Story::new("claude-opus-4-8");
    story.types("x").answers(Some(used(10, 200)), answer);
    // Text 4 and 1; name 4, its input 4 and a parameter 13, and 33 around the call.
    assert_eq!(story.weights().messages[1][0].content, 200 - 5 - 4 - 4 - 13 - 33);

    story.transcript.requests[0].output_is_final = false;
    assert_eq!(story.weights().messages[1][0].content, 0);

    let mut story = Story::new("claude-opus-4-5-20251101");
    story.types("x").answers(Some(used(10, 9_000)), vec![thinks(&"t".repeat(350))]);
    let weights = story.weights();
    assert_eq!(weights.messages[1][0].content, 111);
    assert_eq!(weights.margins.len(), 1);
}

#[test]
fn several_thoughts_share_the_rest_by_their_length() {
    let mut story = Story::new("claude-opus-4-8");
    story.types("x").answers(Some(used(10, 300)), vec![thinks("aa"), thinks("a"), words("")]);
    let weights = story.weights();
    assert_eq!((weights.messages[1][0].content, weights.messages[1][1].content), (200, 100));
}

#[test]
fn a_recorded_context_stands_and_an_estimated_one_has_its_range() {
    let image =
        Media { kind: MediaKind::Image, media_type: "image/png".into(), bytes: 9, pixels: Some((750, 100)) };
    let mut story = Story::new("claude-opus-4-8");
    story.says(Role::User, Origin::Typed, vec![BlockKind::Media(image)]);
    story.answers(None, vec![]).answers(Some(used(500, 1)), vec![]).answers(Some(used(0, 1)), vec![]);
    let weights = story.weights();
    assert_eq!(weights.contexts, [100, 500, 100]);
    assert_eq!(weights.bases[0], Basis::Estimated { low: 90, high: 110 });
    assert_eq!(weights.bases[1], Basis::Recorded);
    assert_eq!(weights.bases[2], weights.bases[0]);
}

#[test]
fn system_and_tools_weigh_where_they_are_recorded() {
    let mut story = Story::new("claude-opus-4-8");
    story.types("x").answers(None, vec![]);
    story.transcript.preambles = vec![Preamble {
        system: vec!["be brief".into()],
        tools: vec![Tool { name: "f".into(), definition: json!({"name": "f"}) }],
    }];
    story.transcript.requests[0].preamble = Some(0);
    let weights = story.weights();
    assert_eq!(weights.preambles[0], PreambleWeight { system: 8, tools: 12 + 346 });
    assert_eq!(weights.weighed[0], 8 + 12 + 346 + 7);
}

#[test]
fn a_memory_in_the_system_prompt_is_a_memory() {
    let index = "## MEMORY.md\n\n- a fact\n";
    let prompt =
        format!("It is at `/p/.claude/agent-memory/m/`.\n\n{index}\nNotes:\n- Agent threads are reset.");
    let path = "/p/.claude/agent-memory/m/MEMORY.md";
    let mut story = Story::new("claude-opus-4-8");
    story.types("x").answers(None, vec![]).types("y").answers(None, vec![]);
    story.transcript.preambles = vec![Preamble { system: vec![prompt.clone()], tools: vec![] }];
    story.transcript.requests.iter_mut().for_each(|request| request.preamble = Some(0));
    let weights = story.weights();
    let classes = crate::compose::compose(&story.transcript, &weights);
    let (whole, memory) = (prompt.chars().count() as i64, index.chars().count() as i64);
    assert_eq!((classes[0].system, classes[0].memory), (whole - memory, memory));
    let detail = crate::compose::compose_request(&story.transcript, &weights, 1, 1).unwrap();
    assert_eq!((detail.files.len(), detail.files[0].path.as_str()), (1, path));
    assert_eq!((detail.files[0].tokens, detail.system_prompt as i64), (memory as u64, whole - memory));
    let uses = crate::compose::file_uses(&story.transcript, &weights, &|_| Some(1.0));
    assert_eq!((uses.len(), uses[0].requests, uses[0].carried_tokens), (1, 2, 2 * memory as u64));
    assert_eq!(uses[0].cost_usd, Some(2.0 * memory as f64));
    let loaded = crate::loaded_files(&story.transcript, &weights);
    assert_eq!((loaded.len(), loaded[0].requests.as_slice(), loaded[0].loads.len()), (1, &[(0, 1)][..], 1));
    assert_eq!(loaded[0].loads[0].reason, crate::LoadReason::SessionStart);
}

#[test]
fn a_reading_that_is_repeated_over_two_messages_is_a_file() {
    let mut story = Story::new("claude-opus-4-8");
    let put_in = |text: &str| BlockKind::Attachment {
        attachment: "reminder".into(),
        files: Vec::new(),
        text: String::new(),
        rendered: Some(text.into()),
    };
    let called = "Called the Read tool with the following input: {\"file_path\":\"/w/pkg/CLAUDE.md\"}";
    let other = "Called the Read tool with the following input: {\"file_path\":\"/w/a.txt\"}";
    story.says(Role::User, Origin::Client, vec![put_in(called)]);
    let answer = "Result of calling the Read tool:\n1\tTabs.";
    story.says(Role::User, Origin::Client, vec![put_in(answer), put_in(other), put_in(answer)]);
    story.answers(None, vec![]);
    let weights = story.weights();
    let found: Vec<_> =
        weights.files.iter().map(|file| (file.path.as_str(), file.at.message, file.tokens)).collect();
    assert_eq!(found, [("/w/pkg/CLAUDE.md", 1, 7)]);
    assert_eq!(crate::loaded_files(&story.transcript, &weights)[0].requests, [(0, 0)]);
}

#[test]
fn files_are_found_wherever_they_come_in() {
    let mut story = Story::new("claude-opus-4-8");
    let attached = BlockKind::Attachment {
        attachment: "nested_memory".into(),
        files: vec![AttachedFile {
            path: "/w/CLAUDE.md".into(),
            kind: "Project".into(),
            content: "abc".into(),
            ..AttachedFile::default()
        }],
        text: "tail".into(),
        rendered: None,
    };
    story.says(Role::User, Origin::Client, vec![attached]);
    story.types("# claudeMd\nContents of /p/memory/MEMORY.md:\n\nindex\n");
    story.answers(None, vec![calls("t0", "Read", json!({"file_path": "/p/memory/a.md"}))]);
    story.results(&[("t0", "12345")]);
    let weights = story.weights();
    let found: Vec<_> = weights.files.iter().map(|file| (file.class, file.source, file.tokens)).collect();
    assert_eq!(
        found,
        [
            (FileClass::Instructions, FileSource::Attached, 3 + 27),
            (FileClass::Memory, FileSource::Embedded, 40),
            (FileClass::Memory, FileSource::ReadByTool, 5),
        ]
    );
}

#[test]
fn only_what_is_new_is_counted_again() {
    let mut story = Story::new("claude-opus-4-8");
    for turn in 0..40 {
        story.types(&format!("question {turn}")).answers(None, vec![words("answer")]);
    }
    let mut counts = Counts::default();
    assert_eq!(counts.update(&story.transcript, &characters(), &WEIGHING, 2), 80);
    assert_eq!(counts.update(&story.transcript, &characters(), &WEIGHING, 2), 0);
    story.transcript.messages[79].blocks[0].kind = words("a longer answer");
    story.types("one more");
    assert_eq!(counts.update(&story.transcript, &characters(), &WEIGHING, 1), 2);
    let kept = counts.weights(&story.transcript, &WEIGHING);
    assert_eq!(kept.messages, story.weights().messages);
    let other = Weighing { family: "another", ..WEIGHING };
    assert_eq!(counts.update(&story.transcript, &characters(), &other, 1), 81);
}

#[test]
fn the_real_counter_weighs_a_lone_message_as_the_endpoint_counts_it() {
    for family in Family::CLAUDE {
        let mut story = Story::new("");
        story.types("hello, world").answers(None, vec![]);
        let counter = Counter::of(family);
        let weights = weigh(&story.transcript, counter, &Weighing::of(family, false, "[cleared]"));
        assert_eq!(weights.weighed[0], counter.count("hello, world"), "{}", family.name());
    }
}

/// Usage as OpenAI's formats record it.
fn reasoned(context: u64, output: u64, reasoning: u64) -> Usage {
    Usage { input: context, output, reasoning: Some(reasoning), ..Usage::default() }
}

#[test]
fn a_run_of_openai_is_framed_as_its_own_and_forgets_the_reasoning_of_earlier_turns() {
    let weighing = Weighing { family: "o200k", frame: 7, framing: Framing::OPENAI, ..WEIGHING };
    let mut story = Story::new("gpt-5.5");
    story
        .types("hello")
        .answers(
            Some(reasoned(100, 90, 30)),
            vec![
                thinks(""),
                words("look"),
                calls("t0", "exec", json!({"cmd": "ls"})),
                calls("t1", "exec", json!("raw")),
            ],
        )
        .results(&[("t0", "a"), ("t1", "b")])
        .answers(Some(reasoned(300, 9, 0)), vec![words("done")])
        .types("more")
        .answers(Some(reasoned(400, 9, 0)), vec![]);
    let weights = weigh(&story.transcript, &characters(), &weighing);
    assert_eq!(weights.messages[1][0], BlockWeight { content: 30, frame: 2 });
    assert_eq!(weights.messages[1][1], BlockWeight { content: 4, frame: 7 });
    // The JSON of the arguments, and no parameters; the name and a call's part of 22.
    assert_eq!(weights.messages[1][2], BlockWeight { content: 12, frame: 4 + 12 });
    assert_eq!(weights.messages[1][3], BlockWeight { content: 3, frame: 4 + 22 });
    assert_eq!(weights.messages[2][0], BlockWeight { content: 1, frame: 10 });
    assert_eq!(weights.messages[3][0], BlockWeight { content: 4, frame: 7 });
    assert_eq!(weights.messages[4][0], BlockWeight { content: 4, frame: 4 });
    assert!(weights.margins.is_empty());
    let classes = crate::compose(&story.transcript, &weights);
    assert_eq!([classes[1].thinking, classes[2].thinking], [32, 0]);
}

#[test]
fn a_model_of_another_vendor_is_estimated_with_its_range() {
    let mut story = Story::new("gemini-3-pro");
    story.types(&"x".repeat(1_000)).answers(None, vec![]);
    let weighing = Weighing::of(Family::Other, true, "[cleared]");
    let weights = weigh(&story.transcript, &characters(), &weighing);
    assert_eq!(weights.contexts, [1_007]);
    assert_eq!(weights.bases, [Basis::Estimated { low: 757, high: 1_457 }]);
}

#[test]
fn what_the_client_added_to_a_call_is_not_counted() {
    let plan = |added: &[&str]| BlockKind::ToolUse {
        id: "t0".into(),
        name: "ExitPlanMode".into(),
        input: json!({"plan": "p".repeat(500), "allowedPrompts": []}),
        server: false,
        added: added.iter().map(ToString::to_string).collect(),
    };
    let of = |added: &[&str]| {
        let mut story = Story::new("claude-opus-4-6");
        story.types("x").answers(None, vec![plan(added)]);
        story.weights().messages[1][0].content
    };
    assert_eq!(of(&[]) - of(&["plan"]), 500 + 4 + 2 + 13);
}

#[test]
fn the_peak_is_the_largest_that_is_recorded_or_the_largest_of_all() {
    let mut story = Story::new("claude-opus-4-8");
    story.types("x").answers(Some(used(50, 1)), vec![]).answers(Some(used(70, 1)), vec![]);
    story.answers(Some(used(70, 1)), vec![]).types(&"y".repeat(900)).answers(None, vec![]);
    let weights = story.weights();
    assert!(weights.contexts[3] > 900);
    assert_eq!(weights.peak(), Some(1));
    let prepared = crate::Prepared::new(&story.transcript, &weights);
    let none = crate::simulate(&prepared, &crate::Setting::default(), &crate::Options::default());
    assert_eq!(none.totals.peak, 70);
    for request in &mut story.transcript.requests {
        request.usage = None;
    }
    assert_eq!(story.weights().peak(), Some(3));
    assert_eq!(Weights::default().peak(), None);
}

#[test]
fn the_size_of_a_file_is_that_of_the_last_whole_load() {
    let mut story = Story::new("claude-opus-4-8");
    let read = |id: &str, input| calls(id, "Read", input);
    let whole = json!({"file_path": "/p/memory/MEMORY.md"});
    let part = json!({"file_path": "/p/memory/MEMORY.md", "offset": 9, "limit": 3});
    let topic = json!({"file_path": "/p/memory/a.md", "limit": 3});
    story
        .types("x")
        .answers(None, vec![read("t0", whole), read("t1", topic.clone()), read("t2", topic)])
        .results(&[("t0", &"m".repeat(4_480)), ("t1", "12345"), ("t2", "123")])
        .answers(None, vec![read("t3", part)])
        .results(&[("t3", &"m".repeat(413))])
        .answers(None, vec![]);
    let uses = crate::compose::file_uses(&story.transcript, &story.weights(), &|_| None);
    let found: Vec<_> = uses.iter().map(|file| (file.path.as_str(), file.tokens, file.partial)).collect();
    assert_eq!(found, [("/p/memory/MEMORY.md", 4_480, false), ("/p/memory/a.md", 5, true)]);
    let cut = "line\n> WARNING: MEMORY.md is 260 lines (limit: 200). Only part of it was loaded: …";
    assert!(files::is_cut(cut) && !files::is_cut("line\n"));
}

fn any_block() -> impl Strategy<Value = BlockKind> {
    prop_oneof![
        ".{0,40}".prop_map(|text| words(&text)),
        ".{0,40}".prop_map(|text| thinks(&text)),
        ("[a-c]", "[a-c]{0,3}").prop_map(|(id, name)| calls(
            &id,
            &name,
            json!({"file_path": "memory/MEMORY.md"})
        )),
        ("[a-c]", ".{0,40}").prop_map(|(id, text)| result(&id, &text)),
        any::<u64>().prop_map(|bytes| BlockKind::ToolResult {
            tool_use_id: "a".into(),
            content: vec![ResultPart::Media(Media {
                kind: MediaKind::Document,
                media_type: String::new(),
                bytes,
                pixels: Some((u32::MAX, u32::MAX)),
            })],
            is_error: true,
            denied: false,
            server: false,
        }),
        Just(BlockKind::Compaction { content: Some("Contents of /w/CLAUDE.md:\n".into()) }),
    ]
}

proptest! {
    #[test]
    fn any_transcript_is_weighed_alike_on_one_thread_and_on_two(
        messages in proptest::collection::vec((0..3_u8, proptest::collection::vec(any_block(), 0..4)), 0..60),
        output in any::<u64>(),
    ) {
        let mut story = Story::new("claude-opus-4-8");
        for (kind, blocks) in messages {
            match kind {
                0 => story.says(Role::User, Origin::Typed, blocks),
                1 => story.answers(None, blocks),
                _ => story.answers(Some(used(output, output)), blocks),
            };
        }
        let one = story.weights();
        let mut counts = Counts::default();
        counts.update(&story.transcript, &characters(), &WEIGHING, 2);
        let two = counts.weights(&story.transcript, &WEIGHING);
        prop_assert_eq!(&one.messages, &two.messages);
        prop_assert_eq!(&one.weighed, &two.weighed);
        for (message, blocks) in one.messages.iter().enumerate() {
            prop_assert_eq!(blocks.len(), story.transcript.messages[message].blocks.len());
        }
        for (request, classes) in crate::compose(&story.transcript, &one).iter().enumerate() {
            if one.contexts[request] < i64::MAX as u64 {
                prop_assert_eq!(classes.sum(), one.contexts[request] as i64);
            }
            let parts = [
                classes.system, classes.instructions, classes.memory, classes.tool_results, classes.tool_inputs,
                classes.text, classes.thinking, classes.attachments, classes.not_recorded, classes.over_counted,
            ];
            prop_assert!(parts.iter().all(|&part| part >= 0), "{:?}", classes);
            let detail = crate::compose_request(&story.transcript, &one, request, 3).expect("a request");
            let results: u64 = detail.tool_results.iter().map(|named| named.tokens).sum();
            prop_assert_eq!(results as i64, detail.classes.tool_results);
            let inputs: u64 = detail.tool_inputs.iter().map(|named| named.tokens).sum();
            prop_assert_eq!(inputs as i64, detail.classes.tool_inputs);
        }
    }
}
