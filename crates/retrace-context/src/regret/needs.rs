//! Finding needs: one pass over each segment, remembering which results hold what.

use super::acts::{Act, act};
use super::passages::{ByPassage, line_number, passages};
use super::{Need, NeedRule, Needed};
use crate::compose::Labels;
use crate::outcome::BlockAt;
use memchr::memmem;
use retrace_transcript::{Block, BlockKind, Message, ResultPart, Segment, Transcript};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

/// Number of older results that would have served a need and are remembered.
const OLDER_KEPT: usize = 4;

/// Number of characters of evidence that are shown.
const EVIDENCE_LENGTH: usize = 160;

/// Of one answer, how many passages of one result are looked at: one shows the need.
const PASSAGES_SHOWN: usize = 1;

/// Facts of a result that stands in the context.
struct Standing {
    at: BlockAt,
    /// Number of messages of the segment before it.
    position: usize,
    lines: Range<u64>,
}

/// Who holds a passage.
#[derive(Default)]
struct Holders {
    /// Something that an edit of results does not clear holds it.
    other: bool,
    /// The latest results that hold it, the latest last.
    results: Vec<BlockAt>,
}

/// The pass over one segment.
pub(super) struct Needs<'t> {
    transcript: &'t Transcript,
    labels: &'t Labels<'t>,
    /// By id of the call: what its result says, for comparing.
    answers: &'t HashMap<&'t str, u64>,
    /// By id: the call.
    calls: HashMap<&'t str, Act<'t>>,
    holders: ByPassage<Holders>,
    reads: HashMap<&'t str, Vec<Standing>>,
    runs: HashMap<u64, Standing>,
    /// Position of the last edit, by file and of any.
    edits: HashMap<&'t str, usize>,
    last_edit: Option<usize>,
    /// Texts in the context, the latest last: where, whether a result, and what, without line numbers.
    texts: Vec<(BlockAt, bool, Cow<'t, str>)>,
    found: BTreeMap<(BlockAt, usize, NeedRule), Need>,
}

impl<'t> Needs<'t> {
    /// The results that were needed later, in the order of their places.
    pub(super) fn of(transcript: &Transcript) -> Vec<Needed> {
        let labels = Labels::new(transcript);
        let answers = answers(transcript);
        let mut found = BTreeMap::new();
        for (index, segment) in transcript.segments.iter().enumerate() {
            let requests = requests_by_answer(transcript, index);
            if requests.is_empty() {
                continue;
            }
            let mut needs = Needs {
                transcript,
                labels: &labels,
                answers: &answers,
                calls: HashMap::new(),
                holders: ByPassage::default(),
                reads: HashMap::new(),
                runs: HashMap::new(),
                edits: HashMap::new(),
                last_edit: None,
                texts: Vec::new(),
                found,
            };
            needs.segment(segment, &requests);
            found = needs.found;
        }
        collect(transcript, &labels, found)
    }

    fn segment(&mut self, segment: &'t Segment, requests: &HashMap<usize, usize>) {
        for (position, &index) in segment.messages.iter().enumerate() {
            let Some(message) = self.transcript.messages.get(index) else { continue };
            if let Some(&request) = requests.get(&index) {
                self.answer(message, request);
            }
            self.remember(segment, message, index, position);
        }
    }

    /// Looks what this answer needed of what stands in the context.
    fn answer(&mut self, message: &'t Message, request: usize) {
        for block in &message.blocks {
            match &block.kind {
                BlockKind::Text { text } => self.quotes(text, request),
                BlockKind::ToolUse { id, name, input, added, .. } => {
                    match act(name, input) {
                        Act::Read { path, lines } => self.reads_again(id, path, &lines, request),
                        Act::Run { key } => self.runs_again(id, key, request),
                        Act::Edit { replaced, .. } => {
                            for text in replaced {
                                self.edits_against(text, request);
                            }
                        }
                        Act::Other => {}
                    }
                    each_written_text(input, added, &mut |text| self.quotes(text, request));
                }
                _ => {}
            }
        }
    }

    fn reads_again(&mut self, id: &str, path: &str, lines: &Range<u64>, request: usize) {
        let edited = self.edits.get(path).copied();
        let Some(standing) = self.reads.get(path).and_then(|reads| {
            reads.iter().rev().find(|read| read.lines.start < lines.end && lines.start < read.lines.end)
        }) else {
            return;
        };
        if edited.is_none_or(|edit| edit < standing.position) {
            let evidence = self.labels.call(id);
            self.add(standing.at, request, NeedRule::ReadAgain, &evidence, Vec::new());
        }
    }

    fn runs_again(&mut self, id: &str, key: u64, request: usize) {
        let Some(standing) = self.runs.get(&key) else { return };
        let unedited = self.last_edit.is_none_or(|edit| edit < standing.position);
        let first = self.call_at(standing.at).and_then(|call| self.answers.get(call));
        let again = self.answers.get(id);
        if unedited && again.is_some() && first == again {
            let evidence = self.labels.call(id);
            self.add(standing.at, request, NeedRule::RunAgain, &evidence, Vec::new());
        }
    }

    /// Id of the call whose result stands there.
    fn call_at(&self, at: BlockAt) -> Option<&'t str> {
        match &self.transcript.messages.get(at.message)?.blocks.get(at.block)?.kind {
            BlockKind::ToolResult { tool_use_id, .. } => Some(tool_use_id),
            _ => None,
        }
    }

    fn edits_against(&mut self, replaced: &str, request: usize) {
        let finder = memmem::Finder::new(replaced.as_bytes());
        let mut results = Vec::new();
        for (at, is_result, text) in self.texts.iter().rev() {
            if finder.find(text.as_bytes()).is_some() {
                if !is_result {
                    return;
                }
                results.push(*at);
            }
        }
        if let Some((&latest, older)) = results.split_first() {
            let older = older.iter().copied().take(OLDER_KEPT).collect();
            self.add(latest, request, NeedRule::EditedAgainst, replaced, older);
        }
    }

    fn quotes(&mut self, text: &str, request: usize) {
        let mut shown: HashMap<BlockAt, usize> = HashMap::new();
        let mut found = Vec::new();
        passages(text, |passage| {
            if let Some(holders) = self.holders.get(&passage.hash)
                && !holders.other
                && let Some((&latest, older)) = holders.results.split_last()
            {
                let times = shown.entry(latest).or_default();
                *times += 1;
                if *times <= PASSAGES_SHOWN {
                    found.push((latest, passage, older.to_vec()));
                }
            }
        });
        for (at, passage, older) in found {
            self.add(at, request, NeedRule::Quoted, &text[passage.start..passage.end], older);
        }
    }

    fn add(&mut self, at: BlockAt, request: usize, rule: NeedRule, evidence: &str, also: Vec<BlockAt>) {
        self.found.entry((at, request, rule)).or_insert_with(|| {
            let evidence = evidence.trim().chars().take(EVIDENCE_LENGTH).collect();
            Need { request, rule, evidence, also }
        });
    }

    /// From here on the blocks of this message stand in the context.
    fn remember(&mut self, segment: &Segment, message: &'t Message, index: usize, position: usize) {
        for (block, of) in message.blocks.iter().enumerate() {
            let at = BlockAt { message: index, block };
            match &of.kind {
                BlockKind::ToolUse { id, name, input, .. } => {
                    self.remember_call(id, name, input, position, at);
                }
                BlockKind::ToolResult { tool_use_id, content, is_error, .. } => {
                    if !segment.dropped_results.contains(tool_use_id) {
                        self.remember_result(tool_use_id, content, *is_error, position, at);
                    }
                }
                _ => each_other_text(of, &mut |text| self.remember_text(Cow::Borrowed(text), false, at)),
            }
        }
    }

    fn remember_call(&mut self, id: &'t str, name: &str, input: &'t Value, position: usize, at: BlockAt) {
        let act = act(name, input);
        if let Act::Edit { path, .. } = &act {
            self.edits.insert(path, position);
            self.last_edit = Some(position);
        }
        self.calls.insert(id, act);
        each_text(input, &mut |text| self.remember_text(Cow::Borrowed(text), false, at));
    }

    fn remember_result(
        &mut self,
        id: &str,
        content: &'t [ResultPart],
        is_error: bool,
        position: usize,
        at: BlockAt,
    ) {
        match self.calls.get(id) {
            Some(Act::Read { path, lines }) if !is_error => {
                let standing = Standing { at, position, lines: lines.clone() };
                self.reads.entry(path).or_default().push(standing);
            }
            Some(Act::Run { key }) => {
                self.runs.insert(*key, Standing { at, position, lines: 0..0 });
            }
            _ => {}
        }
        for part in content {
            if let ResultPart::Text(text) = part {
                self.remember_text(without_line_numbers(text), true, at);
            }
        }
    }

    fn remember_text(&mut self, text: Cow<'t, str>, is_result: bool, at: BlockAt) {
        passages(&text, |passage| {
            let holders = self.holders.entry(passage.hash).or_default();
            if !is_result {
                holders.other = true;
                holders.results = Vec::new();
            } else if !holders.other && holders.results.last() != Some(&at) {
                if holders.results.len() > OLDER_KEPT {
                    holders.results.remove(0);
                }
                holders.results.push(at);
            }
        });
        self.texts.push((at, is_result, text));
    }
}

/// By message: the request of this segment that it answers.
fn requests_by_answer(transcript: &Transcript, segment: usize) -> HashMap<usize, usize> {
    transcript
        .requests
        .iter()
        .enumerate()
        .filter(|(_, request)| request.segment == segment)
        .filter_map(|(index, request)| Some((request.response?, index)))
        .collect()
}

/// By id of the call: a hash of what its result says. Two results of one id say nothing.
fn answers(transcript: &Transcript) -> HashMap<&str, u64> {
    let mut answers = HashMap::new();
    for block in transcript.messages.iter().flat_map(|message| &message.blocks) {
        if let BlockKind::ToolResult { tool_use_id, content, .. } = &block.kind {
            let mut hasher = DefaultHasher::new();
            for part in content {
                match part {
                    ResultPart::Text(text) | ResultPart::Other(text) => text.trim_end().hash(&mut hasher),
                    ResultPart::Media(media) => media.bytes.hash(&mut hasher),
                }
            }
            answers.insert(tool_use_id.as_str(), hasher.finish());
        }
    }
    answers
}

fn collect(
    transcript: &Transcript,
    labels: &Labels<'_>,
    found: BTreeMap<(BlockAt, usize, NeedRule), Need>,
) -> Vec<Needed> {
    let mut results: Vec<Needed> = Vec::new();
    for ((at, _, _), need) in found {
        match results.last_mut().filter(|result| result.at == at) {
            Some(result) => result.needs.push(need),
            None => {
                let kind = &transcript.messages[at.message].blocks[at.block].kind;
                let BlockKind::ToolResult { tool_use_id, .. } = kind else { continue };
                let label = labels.call(tool_use_id);
                results.push(Needed { tool_use_id: tool_use_id.clone(), at, label, needs: vec![need] });
            }
        }
    }
    results
}

/// Every text of an input that the model wrote: not what the client added to the record.
fn each_written_text<'t>(input: &'t Value, added: &[String], tell: &mut dyn FnMut(&'t str)) {
    match input {
        Value::Object(fields) if !added.is_empty() => {
            for (_, value) in fields.iter().filter(|(field, _)| !added.contains(field)) {
                each_text(value, tell);
            }
        }
        other => each_text(other, tell),
    }
}

/// Every string within a JSON value.
fn each_text<'v>(value: &'v Value, each: &mut dyn FnMut(&'v str)) {
    match value {
        Value::String(text) => each(text),
        Value::Array(values) => values.iter().for_each(|value| each_text(value, each)),
        Value::Object(fields) => fields.values().for_each(|value| each_text(value, each)),
        _ => {}
    }
}

/// The texts of a block that is neither call nor result.
fn each_other_text<'b>(block: &'b Block, each: &mut dyn FnMut(&'b str)) {
    match &block.kind {
        BlockKind::Text { text } | BlockKind::Unknown { json: text, .. } => each(text),
        BlockKind::Attachment { rendered: Some(text), .. } => each(text),
        BlockKind::Attachment { files, text, .. } => {
            files.iter().for_each(|file| each(&file.content));
            each(text);
        }
        BlockKind::Compaction { content: Some(text) } => each(text),
        // Thinking may be cleared, or be no more than a summary of what the model thought.
        _ => {}
    }
}

/// A text as it is in the file, where a tool put numbers before its lines.
fn without_line_numbers(text: &str) -> Cow<'_, str> {
    if !text.contains('→') {
        return Cow::Borrowed(text);
    }
    let mut bare = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        bare.push_str(&line[line_number(line.as_bytes())..]);
    }
    Cow::Owned(bare)
}
