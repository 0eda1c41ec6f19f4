//! Where the parts of each request stand in a file.

use super::canonical::Digest;
use super::rewrite::{Marks, Rewriter};
use crate::lenient::{Count, List, Raw, Text, lenient_object};
use retrace_model::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::{HashMap, HashSet};

/// A line of a file, without its line break.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// Its first byte.
    pub at: u64,
    /// How many bytes it has.
    pub bytes: u64,
    /// Its number, from 1.
    pub line: u32,
}

/// Where the content of a message stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Part {
    /// In the line of a blob, under `message`.
    Blob(Span),
    /// In one or more lines of the session, joined.
    Spoken(Spoken),
}

/// A message of the session as it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Spoken {
    /// Lines that belong together: an index into [`RequestLog::runs`].
    run: usize,
    /// The first of these that was sent, and how many.
    first: usize,
    pub lines: usize,
    pub assistant: bool,
    /// Sent as the string that the line holds, rather than as a list of blocks.
    pub is_string: bool,
}

/// One request as recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// Its id.
    pub id: String,
    /// When it was made.
    #[serde(with = "crate::saved::instant")]
    pub at: Option<Timestamp>,
    /// Version of the client.
    pub version: Option<String>,
    /// What asked: `sdk`, `compact`, `agent:builtin:general-purpose`, ….
    pub source: String,
    /// Id of the subagent that made it.
    pub agent: Option<String>,
    /// Its line.
    pub span: Span,
    /// Number of its messages.
    pub messages: usize,
    pub(super) shape: Option<Digest>,
    /// The request whose first `keep` messages it begins with.
    pub(super) base: Option<usize>,
    pub(super) keep: usize,
    pub(super) tail: Vec<Option<Digest>>,
    pub(super) digest: Option<Digest>,
    /// True if the request it names as its base cannot be that.
    pub(super) base_is_missing: bool,
}

/// Every request that a session recorded, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestLog {
    pub(super) shapes: HashMap<Digest, Span>,
    pub(super) parts: HashMap<Digest, Part>,
    /// Lines of the session that may be one message, in order.
    runs: Vec<Vec<Span>>,
    requests: Vec<Recorded>,
    by_id: HashMap<String, usize>,
    /// By id of the answer: the id of its request.
    answered: HashMap<String, String>,
}

/// Most messages of one request. Beyond it a chain of bases is taken for damage.
const MOST_MESSAGES: usize = 1 << 20;

lenient_object! {
    struct RawShape<'a> {
        hash: Text<'a> = "shapeHash",
    }
}

lenient_object! {
    struct RawBlob<'a> {
        hash: Text<'a> = "hash",
    }
}

lenient_object! {
    struct RawRequest<'a> {
        id: Text<'a> = "id",
        timestamp: Text<'a> = "timestamp",
        version: Text<'a> = "version",
        source: Text<'a> = "querySource",
        agent: Text<'a> = "agentId",
        shape: Text<'a> = "shapeHash",
        base: Text<'a> = "base",
        keep: Count = "keep",
        tail: List<Text<'a>> = "tail",
        digest: Text<'a> = "requestDigest",
    }
}

impl RequestLog {
    /// All requests, in the order of the file.
    #[must_use]
    pub fn requests(&self) -> &[Recorded] {
        &self.requests
    }

    /// The index of the request with this id.
    #[must_use]
    pub fn by_id(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// The index of the request that an answer, told by its id, answers.
    #[must_use]
    pub fn answered_by(&self, answer: &str) -> Option<usize> {
        self.by_id(self.answered.get(answer)?)
    }

    /// Indexes of the requests that no answer of the file names: they failed or were given up, or their answer is no line of the
    /// session, as that of a compaction.
    #[must_use]
    pub fn unanswered(&self) -> Vec<usize> {
        let answered: HashSet<&str> = self.answered.values().map(String::as_str).collect();
        let requests = self.requests.iter().enumerate();
        requests
            .filter(|(_, request)| !answered.contains(request.id.as_str()))
            .map(|(index, _)| index)
            .collect()
    }

    /// The first line of a message.
    pub(super) fn first_line(&self, hash: Digest) -> Option<(u32, Option<Spoken>)> {
        match self.parts.get(&hash)? {
            Part::Blob(span) => Some((span.line, None)),
            Part::Spoken(spoken) => Some((self.lines_of(*spoken).first()?.line, Some(*spoken))),
        }
    }

    /// The lines of a message of the session.
    pub(super) fn lines_of(&self, spoken: Spoken) -> &[Span] {
        let run = self.runs.get(spoken.run).map_or(&[][..], Vec::as_slice);
        run.get(spoken.first..spoken.first + spoken.lines).unwrap_or_default()
    }

    /// Takes in a line that records a request or a part of one.
    pub(super) fn record(&mut self, kind: &str, span: Span, bytes: &[u8]) -> Result<(), serde_json::Error> {
        match kind {
            "api-request-shape" => {
                let raw: RawShape<'_> = serde_json::from_slice(bytes)?;
                if let Some(hash) = Digest::parse(raw.hash.or_empty()) {
                    self.shapes.entry(hash).or_insert(span);
                }
            }
            "api-request-blob" => {
                let raw: RawBlob<'_> = serde_json::from_slice(bytes)?;
                if let Some(hash) = Digest::parse(raw.hash.or_empty()) {
                    self.parts.entry(hash).or_insert(Part::Blob(span));
                }
            }
            _ => {
                let raw: RawRequest<'_> = serde_json::from_slice(bytes)?;
                self.request(raw, span);
            }
        }
        Ok(())
    }

    fn request(&mut self, raw: RawRequest<'_>, span: Span) {
        let id = raw.id.into_string().unwrap_or_default();
        if self.by_id.contains_key(&id) {
            // A copy, as a file that goes on from another may hold.
            return;
        }
        let keep = usize::try_from(raw.keep.or_zero()).unwrap_or(usize::MAX);
        let base = raw.base.as_str().and_then(|base| self.by_id(base));
        let held = base.map_or(0, |base| self.requests[base].messages);
        let base_is_missing = (raw.base.as_str().is_some() && base.is_none()) || keep > held;
        let keep = keep.min(held);
        let tail: Vec<Option<Digest>> =
            raw.tail.0.iter().map(|hash| Digest::parse(hash.or_empty())).collect();
        let messages = keep.saturating_add(tail.len());
        self.by_id.insert(id.clone(), self.requests.len());
        self.requests.push(Recorded {
            id,
            at: raw.timestamp.as_str().and_then(|at| Timestamp::parse(at).ok()),
            version: raw.version.into_string(),
            source: raw.source.into_string().unwrap_or_default(),
            agent: raw.agent.into_string(),
            span,
            messages: messages.min(MOST_MESSAGES),
            shape: Digest::parse(raw.shape.or_empty()),
            base,
            keep,
            tail,
            digest: Digest::parse(raw.digest.or_empty()),
            base_is_missing: base_is_missing || messages > MOST_MESSAGES,
        });
    }

    /// True if every request goes on from one before it.
    pub(super) fn bases_come_before(&self) -> bool {
        let mut each = self.requests.iter().enumerate();
        each.all(|(index, request)| request.base.is_none_or(|base| base < index))
    }

    /// A further line of a run; how many it has.
    fn push(&mut self, run: usize, span: Span) -> usize {
        let Some(lines) = self.runs.get_mut(run) else { return 1 };
        lines.push(span);
        lines.len()
    }

    /// A message of the session with this digest, unless one is known. It goes before a blob, which may be a copy.
    fn spoken(&mut self, digest: Digest, spoken: Spoken) {
        if !matches!(self.parts.get(&digest), Some(Part::Spoken(_))) {
            self.parts.insert(digest, Part::Spoken(spoken));
        }
    }

    /// The hashes of a request's messages, in order; `None` where one is no hash.
    pub(super) fn hashes(&self, request: usize) -> Vec<Option<Digest>> {
        let Some(recorded) = self.requests.get(request) else { return Vec::new() };
        let mut stretches: Vec<&[Option<Digest>]> = Vec::new();
        let (mut at, mut left) = (recorded, recorded.messages);
        loop {
            let own = left.saturating_sub(at.keep).min(at.tail.len());
            stretches.push(&at.tail[..own]);
            left = left.min(at.keep);
            // A base always comes before its request, so this ends.
            let Some(base) = at.base.filter(|_| left > 0).and_then(|base| self.requests.get(base)) else {
                break;
            };
            at = base;
        }
        stretches.into_iter().rev().flatten().copied().collect()
    }
}

lenient_object! {
    struct SpokenLine<'a> {
        kind: Text<'a> = "type",
        agent: Text<'a> = "agentId",
        request: Text<'a> = "requestRef",
        message: SpokenMessage<'a> = "message",
    }
}

lenient_object! {
    struct SpokenMessage<'a> {
        id: Text<'a> = "id",
        content: Raw<'a> = "content",
    }
}

/// Finds the messages of a session that were sent as they stand in its lines.
#[derive(Default)]
pub(super) struct Speakers {
    /// By agent: the user's lines since the last answer.
    runs: HashMap<String, Joined>,
    /// By agent and message: the lines of an answer.
    answers: HashMap<(String, String), Joined>,
    rewriter: Rewriter,
    /// What the line says, in canonical form.
    content: Vec<u8>,
}

/// Lines joined to one message, hashed as they come.
struct Joined {
    run: usize,
    hasher: Sha256,
    has_block: bool,
}

impl Joined {
    fn new(run: usize) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(br#"{"content":["#);
        Self { run, hasher, has_block: false }
    }

    fn begin(log: &mut RequestLog) -> Self {
        log.runs.push(Vec::new());
        Self::new(log.runs.len() - 1)
    }

    /// Adds the blocks of a line, as canonical JSON without the brackets around them; the digest of all so far.
    fn add(&mut self, blocks: &[u8], role: &str) -> Digest {
        if !blocks.is_empty() {
            if std::mem::replace(&mut self.has_block, true) {
                self.hasher.update(b",");
            }
            self.hasher.update(blocks);
        }
        let mut whole = self.hasher.clone();
        whole.update(b"],\"role\":\"");
        whole.update(role.as_bytes());
        whole.update(b"\"}");
        Digest::finish(whole)
    }
}

impl Speakers {
    /// Takes in a line of the session.
    pub(super) fn line(&mut self, log: &mut RequestLog, span: Span, bytes: &[u8]) {
        let Ok(line) = serde_json::from_slice::<SpokenLine<'_>>(bytes) else { return };
        let agent = line.agent.or_empty().to_owned();
        let assistant = match line.kind.or_empty() {
            "assistant" => true,
            "user" => false,
            _ => return,
        };
        let Some(raw) = line.message.content.0 else { return };
        self.content.clear();
        if self.rewriter.rewrite(raw, Marks::Removed, &mut self.content).is_none() {
            return;
        }
        let content = Content::of(&self.content);
        if assistant {
            self.runs.remove(&agent);
            if let (Some(id), Some(request)) = (line.message.id.as_str(), line.request.as_str())
                && !log.answered.contains_key(id)
            {
                log.answered.insert(id.to_owned(), request.to_owned());
            }
            let Content::Blocks(blocks) = content else { return };
            let key = (agent, line.message.id.or_empty().to_owned());
            let joined = self.answers.entry(key).or_insert_with(|| Joined::begin(log));
            let lines = log.push(joined.run, span);
            let digest = joined.add(blocks, "assistant");
            log.spoken(
                digest,
                Spoken { run: joined.run, first: 0, lines, assistant: true, is_string: false },
            );
            return;
        }
        let run = self.runs.entry(agent).or_insert_with(|| Joined::begin(log));
        let lines = log.push(run.run, span);
        let alone = Spoken { run: run.run, first: lines - 1, lines: 1, assistant: false, is_string: false };
        let of_text;
        let blocks = match content {
            Content::Text(text) => {
                let whole = [br#"{"content":"#, text, br#","role":"user"}"#].concat();
                log.spoken(Digest::of(&whole), Spoken { is_string: true, ..alone });
                of_text = block_of(text);
                &of_text
            }
            Content::Blocks(blocks) => blocks,
            Content::Other => return,
        };
        if lines > 1 {
            log.spoken(Joined::new(run.run).add(blocks, "user"), alone);
        }
        let digest = run.add(blocks, "user");
        log.spoken(digest, Spoken { first: 0, lines, ..alone });
    }
}

/// What a message says, in canonical form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content<'a> {
    /// A string, with its quotes.
    Text(&'a [u8]),
    /// Blocks, without the brackets around them.
    Blocks(&'a [u8]),
    /// Nothing that is sent.
    Other,
}

impl<'a> Content<'a> {
    /// Of canonical JSON.
    pub(super) fn of(canonical: &'a [u8]) -> Self {
        match canonical {
            [b'"', ..] => Self::Text(canonical),
            [b'[', blocks @ .., b']'] => Self::Blocks(blocks),
            _ => Self::Other,
        }
    }
}

/// The block that a string is sent as.
pub(super) fn block_of(text: &[u8]) -> Vec<u8> {
    [br#"{"text":"#, text, br#","type":"text"}"#].concat()
}
