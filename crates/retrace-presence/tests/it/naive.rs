//! Invented sessions against a search of text in what each request sent: a line is present exactly where its text is.

#![allow(clippy::needless_pass_by_value, reason = "values are written where they are used")]

use proptest::prelude::*;
use retrace_presence::{Conversation, Digest, Loading, Memory, Proof, Scope, Shelf, Version};
use retrace_transcript::{BlockKind, ResultPart, Transcript};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const PATH: &str = "/p/memory/topic.md";

/// What happens in a turn.
#[derive(Clone, Debug)]
enum Step {
    /// The client loads the file, cut behind so many lines.
    Load { cut: usize },
    /// The model reads a part.
    Read { from: usize, lines: usize },
    /// The file is attached.
    Attach,
    /// A command prints a part of the file.
    Print { from: usize, lines: usize },
    /// Somebody changes a line.
    Change { line: usize },
    /// A line moves.
    Move { from: usize, to: usize },
    /// Lines are added at the end.
    Add { lines: usize },
    /// The conversation is compacted.
    Compact,
    /// The client clears the results so far.
    Clear,
    /// Something else.
    Talk,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0..14_usize).prop_map(|cut| Step::Load { cut }),
        (0..12_usize, 1..6_usize).prop_map(|(from, lines)| Step::Read { from, lines }),
        Just(Step::Attach),
        (0..12_usize, 1..4_usize).prop_map(|(from, lines)| Step::Print { from, lines }),
        (0..12_usize).prop_map(|line| Step::Change { line }),
        (0..12_usize, 0..12_usize).prop_map(|(from, to)| Step::Move { from, to }),
        (1..4_usize).prop_map(|lines| Step::Add { lines }),
        Just(Step::Compact),
        Just(Step::Clear),
        Just(Step::Talk),
    ]
}

/// A session as lines, and the versions of the file.
struct Session {
    lines: Vec<Value>,
    versions: Vec<Version>,
    contents: Vec<String>,
    file: Vec<String>,
    words: usize,
    last: Option<String>,
    calls: Vec<String>,
}

impl Session {
    fn new(lines: usize) -> Self {
        let mut session = Self {
            lines: Vec::new(),
            versions: Vec::new(),
            contents: Vec::new(),
            file: Vec::new(),
            words: 0,
            last: None,
            calls: Vec::new(),
        };
        session.add(lines);
        session.keep();
        session
    }

    fn add(&mut self, lines: usize) {
        for _ in 0..lines {
            self.words += 1;
            self.file.push(format!("- fact {} of the file", self.words));
        }
    }

    fn keep(&mut self) {
        let content = self.file.iter().map(|line| format!("{line}\n")).collect::<String>();
        let at = self.time();
        self.versions.push(Version::of(&content, at));
        self.contents.push(content);
    }

    /// One second a line.
    fn time(&self) -> i64 {
        self.lines.len() as i64 * 1_000_000
    }

    fn push(&mut self, kind: &str, mut line: Value) {
        let uuid = format!("u{}", self.lines.len());
        let second = self.lines.len();
        line["type"] = kind.into();
        line["uuid"] = uuid.clone().into();
        line["parentUuid"] = self.last.clone().into();
        line["sessionId"] = "s".into();
        line["version"] = "2.1.330".into();
        line["timestamp"] =
            format!("1970-01-01T{:02}:{:02}:{:02}Z", second / 3600, second / 60 % 60, second % 60).into();
        self.last = Some(uuid);
        self.lines.push(line);
    }

    fn user(&mut self, content: Value) {
        self.push("user", json!({"message": {"role": "user", "content": content}}));
    }

    fn answer(&mut self, block: Value) {
        let id = format!("msg_{}", self.lines.len());
        let message = json!({"id": id, "role": "assistant", "model": "claude-opus-4-8", "content": [block],
            "stop_reason": "end_turn", "usage": {"input_tokens": 5, "output_tokens": 5}});
        self.push("assistant", json!({"message": message}));
    }

    fn called(&mut self, name: &str, input: Value, result: &str) {
        let id = format!("toolu_{}", self.lines.len());
        self.answer(json!({"type": "tool_use", "id": id, "name": name, "input": input}));
        self.user(json!([{"type": "tool_result", "tool_use_id": id, "content": result}]));
        self.calls.push(id);
    }

    fn attach(&mut self, fields: Value, rendered: &str) {
        self.push("attachment", json!({"attachment": fields, "rendered": [{"content": rendered}]}));
    }

    fn numbered(&self, from: usize, lines: usize) -> String {
        let part = self.file.iter().enumerate().skip(from).take(lines);
        part.map(|(at, line)| format!("{}\t{line}", at + 1)).collect::<Vec<_>>().join("\n")
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Load { cut } => {
                let shown = self.file.len().min((*cut).max(1));
                let mut content = self.file[..shown].join("\n");
                if shown < self.file.len() {
                    let total = self.file.len();
                    content.push_str(&format!("\n\n> WARNING: topic.md is {total} lines (limit: {shown}). Only part of it was loaded: starting at line {}.", shown + 1));
                }
                let rendered =
                    format!("<system-reminder>\nContents of {PATH}:\n\n{content}\n</system-reminder>");
                let files = json!({"type": "instructions", "files": [{"path": PATH, "type": "AutoMem", "content": content}]});
                self.attach(files, &rendered);
            }
            Step::Read { from, lines } => {
                let from = (*from).min(self.file.len() - 1);
                let text = self.numbered(from, *lines);
                self.called("Read", json!({"file_path": PATH, "offset": from + 1, "limit": lines}), &text);
            }
            Step::Attach => {
                let content = self.file.join("\n");
                let text = self.numbered(0, self.file.len());
                let rendered = format!(
                    "<system-reminder>\nCalled the Read tool with the following input: {{\"file_path\":\"{PATH}\"}}\n</system-reminder>\n\
                     <system-reminder>\nResult of calling the Read tool:\n{text}\n</system-reminder>"
                );
                self.attach(json!({"type": "file", "filename": PATH, "content": {"file": {"filePath": PATH, "content": content}}}), &rendered);
            }
            Step::Print { from, lines } => {
                let from = (*from).min(self.file.len() - 1);
                let part: Vec<String> = self.file.iter().skip(from).take(*lines).cloned().collect();
                self.called(
                    "Bash",
                    json!({"command": format!("sed -n {from},+{lines}p {PATH}")}),
                    &part.join("\n"),
                );
            }
            Step::Change { line } => {
                let line = (*line).min(self.file.len() - 1);
                self.words += 1;
                self.file[line] = format!("- changed {} of the file", self.words);
                self.keep();
            }
            Step::Move { from, to } => {
                let moved = self.file.remove((*from).min(self.file.len() - 1));
                self.file.insert((*to).min(self.file.len()), moved);
                self.keep();
            }
            Step::Add { lines } => {
                self.add(*lines);
                self.keep();
            }
            Step::Compact => {
                self.last = None;
                self.push(
                    "system",
                    json!({"subtype": "compact_boundary", "content": "Conversation compacted",
                    "compactMetadata": {"trigger": "auto", "preTokens": 9}}),
                );
                self.push(
                    "user",
                    json!({"isCompactSummary": true, "message": {"role": "user", "content": "The summary."}}),
                );
                self.calls.clear();
            }
            Step::Clear => {
                let ids = std::mem::take(&mut self.calls);
                self.push("system", json!({"subtype": "microcompact_boundary", "content": "Cleared",
                    "microcompactMetadata": {"trigger": "auto", "preTokens": 9, "tokensSaved": 5, "compactedToolIds": ids}}));
            }
            Step::Talk => {}
        }
        self.answer(json!({"type": "text", "text": "Well."}));
        self.user(json!("Go on."));
    }
}

/// Every line of what a request sent, also without the number before it.
fn sent(transcript: &Transcript, request: usize) -> BTreeSet<String> {
    let request = &transcript.requests[request];
    let dropped = &transcript.segments[request.segment].dropped_results;
    let mut lines = BTreeSet::new();
    let mut text = |text: &str| {
        for line in text.lines() {
            lines.insert(line.to_owned());
            if let Some((number, rest)) = line.split_once('\t')
                && number.parse::<u32>().is_ok()
            {
                lines.insert(rest.to_owned());
            }
        }
    };
    for block in transcript.sent(request).flat_map(|(_, message)| &message.blocks) {
        match &block.kind {
            BlockKind::Text { text: words } => text(words),
            BlockKind::Attachment { rendered: Some(rendered), .. } => text(rendered),
            BlockKind::ToolResult { tool_use_id, content, .. } if !dropped.contains(tool_use_id) => {
                for part in content {
                    if let ResultPart::Text(words) = part {
                        text(words);
                    }
                }
            }
            _ => {}
        }
    }
    lines
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn whatever_order_the_lines_come_to_stand_in_all_are_present(
        (order, permuted) in (1..40_usize).prop_flat_map(|count| {
            let order: Vec<usize> = (0..count).collect();
            (Just(order.clone()), Just(order).prop_shuffle())
        }),
        alike in 1..6_usize,
    ) {
        // Some lines are alike, and some say little.
        let line = |at: &usize| if at % 5 == 4 { format!("-{}", at % alike) } else { format!("- fact {} of this", at / alike) };
        let content = |order: &[usize]| order.iter().map(|at| format!("{}\n", line(at))).collect::<String>();
        let mut session = Session::new(1);
        session.file = order.iter().map(line).collect();
        session.user(json!("Begin."));
        session.step(&Step::Load { cut: usize::MAX });
        let text: String = session.lines.iter().map(|line| format!("{line}\n")).collect();
        let reading = retrace_transcript::read(text.as_bytes()).expect("a session");
        let mut shelf = Shelf::default();
        let scope = Scope { roots: vec!["/p/memory".to_owned()], ..Scope::default() };
        let digest = Digest::of(&reading.transcripts[0], &|_| Proof::None, &scope, &mut shelf);
        let versions = vec![Version::of(&content(&order), 0), Version::of(&content(&permuted), i64::MAX)];
        let memory = Memory::new(Loading::OnDemand, versions);
        let pieces = digest.pieces_of(&[PATH]);
        let conversation = Conversation::new(&digest, &shelf);
        let at = conversation.at(&memory, &pieces, Some(1), 0).expect("it is there");
        prop_assert_eq!(at.version, Some(0));
        let mut stood: Vec<u32> = Vec::new();
        for (state, own) in at.lines.iter().zip(&permuted) {
            prop_assert_eq!(state.absent, None);
            let number = state.as_line.expect("its number in what was loaded");
            prop_assert_eq!(line(&order[number as usize - 1]), line(own));
            stood.push(number);
        }
        stood.sort_unstable();
        prop_assert_eq!(stood, (1..=order.len() as u32).collect::<Vec<_>>());
    }

    #[test]
    fn a_line_is_present_exactly_where_its_text_is(begin in 1..14_usize, steps in prop::collection::vec(step(), 1..14)) {
        let mut session = Session::new(begin);
        session.user(json!("Begin."));
        for step in &steps {
            session.step(step);
        }
        session.answer(json!({"type": "text", "text": "Done."}));
        let text: String = session.lines.iter().map(|line| format!("{line}\n")).collect();
        let reading = retrace_transcript::read(text.as_bytes()).expect("a session");
        let transcript = &reading.transcripts[0];
        let mut shelf = Shelf::default();
        let scope = Scope { roots: vec!["/p/memory".to_owned()], ..Scope::default() };
        let digest = Digest::of(transcript, &|_| Proof::None, &scope, &mut shelf);
        let memory = Memory::new(Loading::OnDemand, session.versions.clone());
        let pieces = digest.pieces_of(&[PATH]);
        let conversation = Conversation::new(&digest, &shelf);
        for request in 0..transcript.requests.len() {
            let sent = sent(transcript, request);
            for reference in [None, memory.newest()] {
                let Some(at) = conversation.at(&memory, &pieces, reference, request) else { continue };
                let content = &session.contents[at.reference];
                for (line, state) in content.lines().zip(&at.lines) {
                    prop_assert_eq!(
                        state.absent.is_none(), sent.contains(line),
                        "request {} line {:?} of version {}: {:?}", request, line, at.reference, state
                    );
                }
            }
        }
        let newest = memory.newest().expect("a version");
        let count = memory.versions()[newest].lines.len() as u32;
        for span in conversation.spans(&memory, &pieces, newest, &(1..=count)) {
            for request in span.from..=span.to {
                let at = conversation.at(&memory, &pieces, Some(newest), request as usize).expect("it is there");
                prop_assert_eq!(at.present().count() as u32, span.state.present);
            }
        }
    }
}
