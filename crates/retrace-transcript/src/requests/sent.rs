//! A transcript of what was really sent, in place of what its lines let believe.
//!
//! Requests that are proved get segments of their own, made of the messages that they sent; all others keep what the lines
//! tell. Texts that the client put in become attachments of the kind that its lines name, so that a message of the person and the
//! reminders sent with it stay apart.

use super::canonical::Digest;
use super::log::RequestLog;
use super::marks::{Before, CacheMark, cache_marks, count_of, sizes_of};
use super::proof::{Begun, Prover};
use super::rebuild::OfRequest;
use super::shape::RecordedPreamble;
use super::{Lines, Unproved};
use crate::blocks::blocks;
use crate::claude_code::line::is_client_text;
use crate::lenient::Content;
use crate::{
    Account, AttachedFile, Block, BlockKind, Cause, Message, MessageIndex, Origin, Preamble, Role, Segment,
    Tool, Transcript,
};
use retrace_model::Timestamp;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// What is known of the record of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentOf {
    /// Its index in [`RequestLog::requests`].
    pub recorded: usize,
    /// Whether its digest proves it. What is not proved is told as its lines tell it.
    pub proof: Result<(), Unproved>,
    /// Its marks for the cache, in order; `None` where it is told as its lines tell it.
    pub marks: Option<Vec<CacheMark>>,
}

/// The kind of an attachment whose text no line names.
const REMINDER: &str = "reminder";

/// The kind of an attachment that comes with a reading; it may be sent in the result of it.
const NESTED: &str = "nested_memory";

const OPENING: &str = "<system-reminder>\n";
const CLOSING: &str = "\n</system-reminder>";

/// Makes the requests of a transcript what was sent, where that is recorded and proved. Answers, for each request, what is known
/// of its record; `None` where there is none.
///
/// `keeps` gets each new preamble once, in the order of [`Transcript::preambles`], and answers what the transcript keeps of it: a
/// session may have a system prompt and tools of their own for every request, and [`RequestLog::preamble`] reads them again.
pub fn as_sent(
    transcript: &mut Transcript,
    log: &RequestLog,
    lines: &mut dyn Lines,
    keeps: &mut dyn FnMut(RecordedPreamble) -> Preamble,
) -> Vec<Option<SentOf>> {
    let mut prover = Prover::new();
    let mut making: Option<Making> = None;
    let mut known = Vec::with_capacity(transcript.requests.len());
    let recorded: Vec<Option<usize>> =
        transcript.requests.iter().map(|request| log.answered_by(&request.id)).collect();
    for pair in recorded.chunks(2) {
        let mut begin = |at: usize| {
            let recorded = pair.get(at).copied().flatten().ok_or(Unproved::NoDigest)?;
            prover.begin(log, recorded, lines)
        };
        let (mut one, mut other) = (begin(0), begin(1));
        let parts = [&mut one, &mut other].map(|begun| begun.as_mut().ok().map(Begun::take_parts));
        let proofs = Begun::prove_both(one, other);
        for ((recorded, proof), parts) in pair.iter().zip(proofs).zip(parts) {
            let index = known.len();
            let mut marks = None;
            match recorded.zip(parts).filter(|_| proof.is_ok()) {
                Some((recorded, parts)) => {
                    // While nothing is proved, everything stays as the lines tell it.
                    let making = making.get_or_insert_with(|| {
                        let mut making = Making::new(transcript);
                        (0..index).for_each(|before| making.as_told(transcript, before));
                        making
                    });
                    marks =
                        making.sent(transcript, (index, recorded), parts, log, (&mut prover, lines), keeps);
                }
                None => {
                    if let Some(making) = &mut making {
                        making.as_told(transcript, index);
                    }
                }
            }
            known.push(recorded.map(|recorded| SentOf { recorded, proof, marks }));
        }
    }
    if let Some(making) = making {
        making.finish(transcript);
    }
    known
}

impl RequestLog {
    /// System prompt and tools of a request; `None` where their line is not in the file or cannot be read.
    pub fn preamble(&self, recorded: usize, lines: &mut dyn Lines) -> Option<Preamble> {
        Some(preamble_of(self.shape(self.requests().get(recorded)?, lines).ok()?))
    }
}

fn preamble_of(mut fields: Map<String, Value>) -> Preamble {
    let system = match fields.remove("system") {
        Some(Value::String(text)) => vec![text],
        Some(Value::Array(blocks)) => {
            blocks.iter().filter_map(|block| block["text"].as_str().map(str::to_owned)).collect()
        }
        _ => Vec::new(),
    };
    let tools = match fields.remove("tools") {
        Some(Value::Array(tools)) => tools,
        _ => Vec::new(),
    };
    let tools = tools.into_iter().map(|definition| Tool {
        name: definition["name"].as_str().unwrap_or_default().to_owned(),
        definition,
    });
    Preamble { system, tools: tools.collect() }
}

/// The messages of a request.
#[derive(Default)]
struct Sent {
    hashes: Vec<Digest>,
    /// How often each of them.
    seen: HashMap<Digest, u32>,
    /// Where they are.
    messages: Vec<MessageIndex>,
}

struct Making {
    /// By line: the message that begins there.
    by_line: HashMap<u32, MessageIndex>,
    /// By line: when the message that begins there was written. What was sent stands close behind it.
    times: BTreeMap<u32, Timestamp>,
    attachments: Attachments,
    summaries: HashSet<String>,
    /// By hash, and which of several messages with it: where it is.
    messages: HashMap<(Digest, u32), MessageIndex>,
    /// What the request before sent: the next one mostly goes on from it.
    last: Sent,
    preambles: HashMap<Digest, (usize, Before)>,
    /// By message: how many blocks it was sent as, where these are not the blocks it is told as.
    blocks: HashMap<MessageIndex, u64>,
    segments: Vec<Segment>,
    /// By segment as told: where it is now.
    told: HashMap<usize, usize>,
    /// The segment that the request before went by, as told, and that it is in now.
    before: Option<(usize, usize)>,
    /// Messages that lines tell and that some request was told to have sent.
    in_segments: Vec<bool>,
}

impl Making {
    fn new(transcript: &Transcript) -> Self {
        let mut by_line = HashMap::new();
        let (mut summaries, mut times) = (HashSet::new(), BTreeMap::new());
        for (index, message) in transcript.messages.iter().enumerate() {
            by_line.entry(message.line).or_insert(index);
            times.extend(message.at.map(|at| (message.line, at)));
            if message.origin == Origin::Summary {
                let texts = message.blocks.iter().filter_map(|block| match &block.kind {
                    BlockKind::Text { text } => Some(text.trim().to_owned()),
                    _ => None,
                });
                summaries.extend(texts);
            }
        }
        let mut in_segments = vec![false; transcript.messages.len()];
        for &message in transcript.segments.iter().flat_map(|segment| &segment.messages) {
            in_segments[message] = true;
        }
        Self {
            by_line,
            times,
            attachments: Attachments::of(transcript),
            summaries,
            messages: HashMap::new(),
            last: Sent::default(),
            preambles: HashMap::new(),
            blocks: HashMap::new(),
            segments: Vec::new(),
            told: HashMap::new(),
            before: None,
            in_segments,
        }
    }

    /// A request that stays as its lines tell it.
    fn as_told(&mut self, transcript: &mut Transcript, index: usize) {
        let told = transcript.requests[index].segment;
        let segments = &mut self.segments;
        let now = *self.told.entry(told).or_insert_with(|| {
            let segment = transcript.segments.get(told).cloned();
            segments.extend(segment);
            segments.len().saturating_sub(1)
        });
        transcript.requests[index].segment = now;
        self.before = Some((told, now));
    }

    /// A request as it was sent; its marks for the cache. `None` where it stays as its lines tell it after all.
    fn sent(
        &mut self,
        transcript: &mut Transcript,
        (index, recorded): (usize, usize),
        (of, hashes): (OfRequest, Vec<Digest>),
        log: &RequestLog,
        (prover, lines): (&mut Prover, &mut dyn Lines),
        keeps: &mut dyn FnMut(RecordedPreamble) -> Preamble,
    ) -> Option<Vec<CacheMark>> {
        let Some(messages) = self.messages_of(transcript, log, &hashes, lines) else {
            self.as_told(transcript, index);
            return None;
        };
        let preamble = self.preamble(transcript, log, recorded, (prover, lines), keeps);
        let told = transcript.requests[index].segment;
        let segment = self.segment(transcript, told, &messages);
        let request = &mut transcript.requests[index];
        request.segment = segment;
        request.upto = messages.len();
        request.preamble = preamble.or(request.preamble);
        self.before = Some((told, segment));
        request.parameters = Value::Object(of.params);
        let shape = log.requests().get(recorded)?.shape?;
        let (_, before) = self.preambles.get(&shape)?;
        let count = |&message: &MessageIndex| {
            let told = || transcript.messages[message].blocks.len() as u64;
            self.blocks.get(&message).copied().unwrap_or_else(told)
        };
        let counts: Vec<u64> = messages.iter().map(count).collect();
        Some(cache_marks(&of.marks, before, &counts, |message| {
            log.message(*hashes.get(message)?, lines).ok().as_ref().map(sizes_of)
        }))
    }

    /// The messages with these hashes; `None` where there is none, or one cannot be read.
    fn messages_of(
        &mut self,
        transcript: &mut Transcript,
        log: &RequestLog,
        hashes: &[Digest],
        lines: &mut dyn Lines,
    ) -> Option<Vec<MessageIndex>> {
        let mut last = std::mem::take(&mut self.last);
        if !hashes.starts_with(&last.hashes) {
            last = Sent::default();
        }
        for &hash in &hashes[last.hashes.len()..] {
            let nth = last.seen.entry(hash).or_default();
            let key = (hash, *nth);
            *nth += 1;
            let message = match self.messages.get(&key) {
                Some(&message) => message,
                None => {
                    let message = self.message(transcript, log, key, lines)?;
                    self.messages.insert(key, message);
                    message
                }
            };
            last.hashes.push(hash);
            last.messages.push(message);
        }
        let messages = last.messages.clone();
        self.last = last;
        (!messages.is_empty()).then_some(messages)
    }

    /// The segment that begins with these messages: the one before, where they go on from it.
    fn segment(&mut self, transcript: &Transcript, told: usize, messages: &[MessageIndex]) -> usize {
        if let Some((_, at)) = self.before
            && let Some(segment) = self.segments.get_mut(at)
            && !self.told.values().any(|&kept| kept == at)
        {
            let shared = segment.messages.len().min(messages.len());
            if segment.messages[..shared] == messages[..shared] {
                segment.messages.extend_from_slice(&messages[shared..]);
                return at;
            }
        }
        let is_new = self.before.is_none_or(|(before, _)| before != told);
        let cause = transcript.segments.get(told).filter(|_| is_new).map(|segment| segment.cause.clone());
        // Where the request before is not recorded, nobody knows whether its history was another.
        let before_is_told = self.before.is_some_and(|(_, at)| self.told.values().any(|&kept| kept == at));
        let other = if before_is_told { Cause::Start } else { Cause::Replaced };
        let cause = cause.unwrap_or(other);
        self.segments.push(Segment { messages: messages.to_vec(), cause, dropped_results: Arc::default() });
        self.segments.len() - 1
    }

    /// A message that was sent: one that lines tell, where it is the same, or a new one.
    fn message(
        &mut self,
        transcript: &mut Transcript,
        log: &RequestLog,
        (hash, nth): (Digest, u32),
        lines: &mut dyn Lines,
    ) -> Option<MessageIndex> {
        let (line, spoken) = log.first_line(hash)?;
        let told = spoken.and_then(|spoken| {
            let &index = self.by_line.get(&line).filter(|_| nth == 0)?;
            let message = &transcript.messages[index];
            let mut of_message: Vec<u32> = message.blocks.iter().map(|block| block.line).collect();
            of_message.dedup();
            (of_message.len() == spoken.lines).then_some(index)
        });
        if told.is_some() {
            return told;
        }
        let value = log.message(hash, lines).ok()?;
        let message = self.read(&value, line)?;
        let index = transcript.messages.len();
        self.blocks.insert(index, count_of(&value));
        transcript.messages.push(message);
        Some(index)
    }

    fn read(&self, value: &Value, line: u32) -> Option<Message> {
        let role = match value["role"].as_str()? {
            "assistant" => Role::Assistant,
            "system" => Role::System,
            _ => Role::User,
        };
        let content = serde_json::to_string(&value["content"]).ok()?;
        let content: Content<'_> = serde_json::from_str(&content).ok()?;
        let mut blocks = blocks(content, line, &mut Account::default());
        if role != Role::Assistant {
            blocks = blocks.into_iter().flat_map(|block| self.attachments.told_apart(block, role)).collect();
        }
        if let Some(clear_at) = value["clear_at"].as_str() {
            name_clear_at(&mut blocks, clear_at);
        }
        let origin = self.origin(role, &blocks);
        let at = self.times.range(..=line).next_back().map(|(_, at)| *at);
        Some(Message { role, origin, blocks, uuid: None, api_id: None, at, line })
    }

    fn origin(&self, role: Role, blocks: &[Block]) -> Origin {
        let any = |is: &dyn Fn(&BlockKind) -> bool| blocks.iter().any(|block| is(&block.kind));
        let is_summary = |kind: &BlockKind| match kind {
            BlockKind::Text { text } => self.summaries.contains(text.trim()),
            _ => false,
        };
        match role {
            Role::Assistant => Origin::Model,
            Role::System => Origin::Client,
            Role::User if any(&|kind| matches!(kind, BlockKind::ToolResult { .. })) => Origin::ToolResults,
            Role::User if any(&is_summary) => Origin::Summary,
            Role::User if any(&|kind| !matches!(kind, BlockKind::Attachment { .. })) => Origin::Typed,
            Role::User => Origin::Client,
        }
    }

    fn preamble(
        &mut self,
        transcript: &mut Transcript,
        log: &RequestLog,
        recorded: usize,
        (prover, lines): (&mut Prover, &mut dyn Lines),
        keeps: &mut dyn FnMut(RecordedPreamble) -> Preamble,
    ) -> Option<usize> {
        let recorded = log.requests().get(recorded)?;
        let hash = recorded.shape?;
        if let Some(&(known, _)) = self.preambles.get(&hash) {
            return Some(known);
        }
        let shape = prover.shape(log, recorded, lines).ok()?;
        // Each is asked for once.
        let (preamble, before) = (std::mem::take(&mut shape.preamble), std::mem::take(&mut shape.before));
        let preamble = keeps(preamble);
        transcript.preambles.push(preamble);
        let index = transcript.preambles.len() - 1;
        self.preambles.insert(hash, (index, before));
        Some(index)
    }

    /// Puts the segments in place, and the messages in the order of the file; what only repeats messages that were sent goes.
    fn finish(self, transcript: &mut Transcript) {
        let mut is_kept: Vec<bool> = (0..transcript.messages.len())
            .map(|index| self.in_segments.get(index).is_some_and(|in_segment| !in_segment))
            .collect();
        for &message in self.segments.iter().flat_map(|segment| &segment.messages) {
            is_kept[message] = true;
        }
        for response in transcript.requests.iter().filter_map(|request| request.response) {
            is_kept[response] = true;
        }
        for segment in &self.segments {
            if let Cause::Compacted(compaction) = &segment.cause
                && let Some(summary) = compaction.summary
            {
                is_kept[summary] = true;
            }
        }
        let gone = transcript.messages.iter().zip(&is_kept).filter(|(_, is_kept)| !**is_kept);
        let mut folded: Vec<AttachedFile> = Vec::new();
        for block in gone.flat_map(|(message, _)| &message.blocks) {
            let BlockKind::Attachment { attachment, files, .. } = &block.kind else { continue };
            for file in files.iter().filter(|_| attachment == NESTED) {
                let file = AttachedFile { content: String::new(), ..file.clone() };
                if !folded.contains(&file) {
                    folded.push(file);
                }
            }
        }
        transcript.folded = folded;
        let mut order: Vec<usize> = (0..transcript.messages.len()).filter(|&index| is_kept[index]).collect();
        order.sort_by_key(|&index| (transcript.messages[index].line, index));
        let mut places = vec![0; transcript.messages.len()];
        for (place, &index) in order.iter().enumerate() {
            places[index] = place;
        }
        let mut messages: Vec<Option<Message>> =
            std::mem::take(&mut transcript.messages).into_iter().map(Some).collect();
        transcript.messages = order.into_iter().filter_map(|index| messages[index].take()).collect();
        transcript.segments = self.segments;
        for segment in &mut transcript.segments {
            segment.messages.iter_mut().for_each(|message| *message = places[*message]);
            if let Cause::Compacted(compaction) = &mut segment.cause {
                compaction.summary = compaction.summary.map(|summary| places[summary]);
            }
        }
        for request in &mut transcript.requests {
            request.response = request.response.map(|response| places[response]);
        }
    }
}

/// Says of what a system message holds until when it stands before the model (`clear_at`).
fn name_clear_at(blocks: &mut [Block], clear_at: &str) {
    for block in blocks {
        if let BlockKind::Attachment { attachment, .. } = &mut block.kind {
            attachment.push_str(&format!(" (clear_at {clear_at})"));
        }
    }
}

/// What the client put in, by the text that was sent for it.
#[derive(Default)]
struct Attachments {
    known: Vec<Attached>,
    /// By the first line of a text.
    by_first_line: HashMap<String, Vec<usize>>,
}

struct Attached {
    kind: String,
    files: Vec<AttachedFile>,
    /// Without the tags around it and the white space.
    text: String,
}

fn bare(text: &str) -> &str {
    let text = text.trim();
    let inner =
        text.strip_prefix(OPENING.trim_end()).and_then(|text| text.strip_suffix(CLOSING.trim_start()));
    inner.unwrap_or(text).trim()
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default().trim_end()
}

impl Attachments {
    fn of(transcript: &Transcript) -> Self {
        let mut attachments = Self::default();
        let mut seen = HashSet::new();
        for block in transcript.messages.iter().flat_map(|message| &message.blocks) {
            if let BlockKind::Attachment { attachment, files, rendered: Some(rendered), .. } = &block.kind {
                let text = bare(rendered);
                if text.is_empty() || !seen.insert(text) {
                    continue;
                }
                let at = attachments.known.len();
                attachments.by_first_line.entry(first_line(text).to_owned()).or_default().push(at);
                let (kind, files) = (attachment.clone(), files.clone());
                attachments.known.push(Attached { kind, files, text: text.to_owned() });
            }
        }
        attachments
    }

    /// The longest text of an attachment that `text` begins with.
    fn beginning(&self, text: &str) -> Option<&Attached> {
        let candidates = self.by_first_line.get(first_line(text))?;
        let candidates = candidates.iter().map(|&at| &self.known[at]);
        candidates
            .filter(|attached| text.starts_with(&attached.text))
            .max_by_key(|attached| attached.text.len())
    }

    /// A text that was sent, as what it is made of: texts of the client, each an attachment, and the rest.
    fn told_apart(&self, block: Block, role: Role) -> Vec<Block> {
        let BlockKind::Text { text } = &block.kind else { return vec![block] };
        let line = block.line;
        let attachment = |attachment: &str, files: &[AttachedFile], rendered: &str| Block {
            kind: BlockKind::Attachment {
                attachment: attachment.to_owned(),
                files: files.to_vec(),
                text: String::new(),
                rendered: Some(rendered.to_owned()),
            },
            line,
        };
        let inner = bare(text);
        if let Some(attached) = self.beginning(inner).filter(|attached| attached.text == inner) {
            return vec![attachment(&attached.kind, &attached.files, text)];
        }
        if role != Role::System {
            return if is_client_text(text) { vec![attachment(REMINDER, &[], text)] } else { vec![block] };
        }
        // Several are sent as one text. `at` is the beginning of a line, `rest` begins behind the last that is known.
        let (mut apart, mut rest, mut at) = (Vec::new(), text.as_str(), 0);
        while at < rest.len() {
            if let Some(attached) = self.beginning(&rest[at..]) {
                let (before, known) = rest.split_at(at);
                if !before.trim().is_empty() {
                    apart.push(attachment(REMINDER, &[], before));
                }
                let (known, behind) = known.split_at(attached.text.len());
                apart.push(attachment(&attached.kind, &attached.files, known));
                (rest, at) = (behind, 0);
            }
            at = memchr::memchr(b'\n', &rest.as_bytes()[at..]).map_or(rest.len(), |end| at + end + 1);
        }
        if !rest.trim().is_empty() {
            apart.push(attachment(REMINDER, &[], rest));
        }
        apart
    }
}
