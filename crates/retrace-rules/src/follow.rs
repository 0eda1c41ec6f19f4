//! What a session does while its transcript grows: each new line is read once, and what it says is put to what is known.
//!
//! The deeds are always those of the whole file, but for the order among conversations. Where that cannot be had from the new
//! lines alone, [`NotFollowed`] says so and the whole file is to be read anew.

use crate::deeds::{Deed, Deeds, Failure, Placed, What, begun, deeds, is_question, note_copies, placed};
use retrace_model::Timestamp;
use retrace_origin::of_reading;
use retrace_transcript::{BlockKind, Format, Message, Origin, Queue, Reading, Transcript, id_hash};
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

mod stored;

/// Deeds of a transcript that grows.
#[derive(Debug, Default)]
pub struct Following {
    format: Option<Format>,
    /// Whole lines that were taken in.
    lines: u32,
    deeds: Deeds,
    /// For each deed the place of its message in its conversation.
    messages: Vec<usize>,
    conversations: Vec<Known>,
    /// Directory that lines of the main conversation name, before it has a message.
    directory: Option<String>,
    /// When it began, where it may repeat another session.
    begun: Option<Timestamp>,
    /// Lines with a uuid, by hash of it, with a hash of their bytes: a line that is repeated counts once.
    known_lines: HashMap<u64, u64>,
    /// Calls that failed.
    failed: HashSet<(usize, String)>,
    /// Lines with calls that write files and have no answer yet, by the number of the line: the answer tells more of what was
    /// written.
    open: BTreeMap<u32, Open>,
    /// What the person typed while the agent works.
    queue: Queue,
    /// Of a session whose messages are stored one by one.
    stored: Option<stored::Stored>,
}

#[derive(Debug)]
struct Open {
    calls: Vec<String>,
    line: Vec<u8>,
}

/// What is known of a conversation.
#[derive(Debug, Default)]
struct Known {
    /// Its subagent; `None` for the main one.
    agent: Option<String>,
    directory: Option<String>,
    messages: usize,
    requests: usize,
    /// By id of a response: a later line may bring more of it.
    responses: HashMap<String, Response>,
    questions: Vec<String>,
}

#[derive(Clone, Copy, Debug)]
struct Response {
    message: usize,
    request: usize,
    at: Option<Timestamp>,
}

/// What new lines did to the deeds that were known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Changed {
    /// Nothing: all that is new stands behind them.
    Nothing,
    /// Of some more is known by their answers.
    Answers,
    /// Their answers say of some that they were never carried out.
    Refused,
    /// Something was put among them.
    Order,
}

/// The new lines cannot be understood without those before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotFollowed;

/// Fields that place a line.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow, default)]
    uuid: Option<Cow<'a, str>>,
    #[serde(borrow, default, rename = "agentId")]
    agent: Option<Cow<'a, str>>,
    #[serde(borrow, default, rename = "parent_tool_use_id")]
    call: Option<Cow<'a, str>>,
    #[serde(default, rename = "isSidechain")]
    is_sidechain: bool,
}

impl Following {
    /// A transcript that was read whole. `bytes` are whole lines, or a document.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let mut following = Self { format: retrace_transcript::detect(bytes), ..Self::default() };
        let Some(format) = following.format else { return following };
        let reading = retrace_transcript::read_as(format, bytes);
        if format == Format::ClaudeCode {
            following.note_lines(bytes);
            following.queue = Queue::default().after(bytes);
            following.add(reading, bytes, 0);
        } else {
            following.deeds = deeds(&reading, &of_reading(&reading, bytes, |_| true));
        }
        following.lines = count_lines(bytes);
        following
    }

    /// What the session did so far.
    #[must_use]
    pub const fn deeds(&self) -> &Deeds {
        &self.deeds
    }

    /// Whole lines that were taken in.
    #[must_use]
    pub const fn lines(&self) -> u32 {
        self.lines
    }

    /// Takes in the next whole lines of the file; of a session of a database, messages that are new or of which more is known.
    ///
    /// # Errors
    /// [`NotFollowed`] where the whole file is to be read anew; nothing was taken in then.
    pub fn take(&mut self, lines: &[u8]) -> Result<Changed, NotFollowed> {
        if self.stored.is_some() {
            return self.take_messages(lines);
        }
        if self.format != Some(Format::ClaudeCode) {
            return Err(NotFollowed);
        }
        let queue = self.queue.after(lines);
        if queue.is_given() {
            return Err(NotFollowed);
        }
        let new = self.without_repeated(lines)?;
        let mut reading = retrace_transcript::read_as(Format::ClaudeCode, &new);
        let comes_late = |transcript: &Transcript| {
            transcript.session.agent.is_none()
                && !transcript.messages.is_empty()
                && self.conversations.first().is_some_and(|first| first.agent.is_some())
        };
        // The main conversation is the first one, whenever it begins.
        if reading.transcripts.iter().any(comes_late) {
            return Err(NotFollowed);
        }
        self.queue = queue;
        self.note_lines(&new);
        let (before, numbers) = self.answered(&reading);
        let changed = if numbers.is_empty() {
            self.add(reading, &new, 0)
        } else {
            // Once more with the lines of the calls that are answered now.
            let count = count_lines(&before);
            let both = [&before, &*new].concat();
            reading = retrace_transcript::read_as(Format::ClaudeCode, &both);
            self.add(reading, &both, count)
        };
        self.lines = self.lines.saturating_add(count_lines(lines));
        Ok(changed)
    }

    /// The lines, those left blank that are known already. Refused where a line does not say whose it is.
    fn without_repeated<'l>(&self, lines: &'l [u8]) -> Result<Cow<'l, [u8]>, NotFollowed> {
        let mut kept = Cow::Borrowed(lines);
        let mut start = 0;
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            let range = start..start + line.len();
            start = range.end;
            let Some(head) = head(line) else { continue };
            if head.is_sidechain && head.agent.is_none() && head.call.is_none() {
                return Err(NotFollowed);
            }
            let is_known = head
                .uuid
                .is_some_and(|uuid| self.known_lines.get(&id_hash(&uuid)) == Some(&hash(line.trim_ascii())));
            if is_known {
                let without = kept.to_mut();
                without[range].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
            }
        }
        Ok(kept)
    }

    fn note_lines(&mut self, lines: &[u8]) {
        for line in lines.split(|byte| *byte == b'\n') {
            if let Some(uuid) = head(line).and_then(|head| head.uuid) {
                self.known_lines.entry(id_hash(&uuid)).or_insert_with(|| hash(line.trim_ascii()));
            }
        }
    }

    /// Lines of earlier calls that a reading answers, with their numbers.
    fn answered(&mut self, reading: &Reading) -> (Vec<u8>, Vec<u32>) {
        let blocks = reading.transcripts.iter().flat_map(|transcript| &transcript.messages);
        let answers: HashSet<&str> = blocks
            .flat_map(|message| &message.blocks)
            .filter_map(|block| match &block.kind {
                BlockKind::ToolResult { tool_use_id, .. } => Some(tool_use_id.as_str()),
                _ => None,
            })
            .collect();
        let is_answered = |open: &Open| open.calls.iter().any(|call| answers.contains(call.as_str()));
        let mut lines = Vec::new();
        let mut numbers = Vec::new();
        for (number, open) in &mut self.open {
            if is_answered(open) {
                lines.extend_from_slice(&open.line);
                lines.push(b'\n');
                numbers.push(*number);
                open.calls.retain(|call| !answers.contains(call.as_str()));
            }
        }
        self.open.retain(|_, open| !open.calls.is_empty());
        (lines, numbers)
    }

    /// Puts what new lines say to what is known. The first `old` lines are known, and read again for their answers.
    fn add(&mut self, mut reading: Reading, bytes: &[u8], old: u32) -> Changed {
        let numbers: Vec<Option<usize>> =
            reading.transcripts.iter().map(|transcript| self.number_of(transcript)).collect();
        for (transcript, number) in reading.transcripts.iter_mut().zip(&numbers) {
            let directory = match number {
                Some(number) => &mut self.conversations[*number].directory,
                None => &mut self.directory,
            };
            // That of the first line that names one.
            if directory.is_none() {
                directory.clone_from(&transcript.session.project);
            }
            transcript.session.project.clone_from(directory);
        }
        self.begun = self.begun.or_else(|| begun(&reading));
        let found = of_reading(&reading, bytes, |_| true);
        let questions = |at: usize| -> Vec<String> {
            numbers[at].map(|number| self.conversations[number].questions.clone()).unwrap_or_default()
        };
        let new = placed(&reading, &found, &questions);
        let mut changed = Changed::Nothing;
        let mut by_conversation: HashMap<usize, Vec<Placed>> = HashMap::new();
        for one in new {
            by_conversation.entry(one.deed.conversation).or_default().push(one);
        }
        for (at, transcript) in reading.transcripts.iter().enumerate() {
            let Some(number) = numbers[at] else { continue };
            changed = changed.max(self.note_failures(number, transcript));
            let places = self.conversations[number].places(transcript);
            let all = by_conversation.remove(&at).unwrap_or_default();
            let (known, new) = all.into_iter().partition(|placed| placed.deed.line <= old);
            changed = changed.max(self.refresh(number, known));
            changed = changed.max(self.put(number, new, &places, old));
            self.conversations[number].note(transcript);
        }
        self.note_open(&reading, bytes, old);
        if changed == Changed::Order {
            self.bring_in_order();
        }
        self.deeds.directory = match self.conversations.first() {
            Some(first) => first.directory.clone(),
            None => self.directory.clone(),
        };
        changed
    }

    /// Number of a conversation; `None` for the main one as long as it has no message.
    fn number_of(&mut self, transcript: &Transcript) -> Option<usize> {
        let agent = &transcript.session.agent;
        let known = self.conversations.iter().position(|known| known.agent == *agent);
        if known.is_some() || (agent.is_none() && transcript.messages.is_empty()) {
            return known;
        }
        let directory = if agent.is_none() { self.directory.take() } else { None };
        self.conversations.push(Known { agent: agent.clone(), directory, ..Known::default() });
        Some(self.conversations.len() - 1)
    }

    /// Answers to calls that were made in earlier lines.
    fn note_failures(&mut self, number: usize, transcript: &Transcript) -> Changed {
        let mut changed = Changed::Nothing;
        for block in transcript.messages.iter().flat_map(|message| &message.blocks) {
            let BlockKind::ToolResult { tool_use_id, is_error, denied, content, .. } = &block.kind else {
                continue;
            };
            let failure = Failure::of(transcript.format, *is_error, *denied, content);
            let key = (number, tool_use_id.clone());
            let is_call = |deed: &&mut Deed| {
                deed.conversation == number && deed.tool_use_id.as_ref() == Some(tool_use_id)
            };
            if failure.in_doubt {
                for call in self.deeds.all.iter_mut().rev().filter(is_call).filter(|call| !call.in_doubt) {
                    call.in_doubt = true;
                    changed = changed.max(Changed::Answers);
                }
            }
            let is_news = if failure.failed { self.failed.insert(key) } else { self.failed.remove(&key) };
            if !is_news {
                continue;
            }
            for call in self.deeds.all.iter_mut().rev().filter(is_call) {
                let is_other = call.refused != failure.refused;
                (call.failed, call.refused) = (failure.failed, failure.refused);
                changed = changed.max(if is_other { Changed::Refused } else { Changed::Answers });
            }
        }
        changed
    }

    /// Takes over what answers tell of files that were written.
    fn refresh(&mut self, number: usize, known: Vec<Placed>) -> Changed {
        let mut changed = Changed::Nothing;
        for Placed { deed: new, .. } in known {
            let What::Edit { path, written, .. } = new.what else { continue };
            let is_it = |deed: &&mut Deed| {
                deed.conversation == number
                    && deed.tool_use_id == new.tool_use_id
                    && matches!(&deed.what, What::Edit { path: of, written: had, .. } if *of == path && *had != written)
            };
            let found = self.deeds.all.iter_mut().rev().find(is_it);
            if let Some(What::Edit { written: had, .. }) = found.map(|deed| &mut deed.what) {
                *had = written;
                changed = Changed::Answers;
            }
        }
        changed
    }

    /// Puts new deeds behind those that are known, with the numbers that they have in the whole file.
    fn put(&mut self, number: usize, new: Vec<Placed>, places: &[Response], old: u32) -> Changed {
        let of_conversation =
            self.messages.iter().zip(&self.deeds.all).filter(|(_, deed)| deed.conversation == number);
        let mut last = of_conversation.map(|(at, _)| *at).next_back().unwrap_or_default();
        let mut changed = Changed::Nothing;
        let from = self.deeds.all.len();
        for Placed { deed, message } in new {
            let place = places[message];
            self.deeds.all.push(Deed {
                conversation: number,
                request: deed.request.map(|_| place.request),
                turn: deed.request.map(|_| place.request as u64 + 1),
                line: (deed.line - old).saturating_add(self.lines),
                at: place.at,
                ..deed
            });
            self.messages.push(place.message);
            if place.message < last {
                changed = Changed::Order;
            }
            last = last.max(place.message);
        }
        note_copies(&mut self.deeds.all[from..], self.begun);
        changed
    }

    /// Keeps the new lines whose calls write files and are not answered in them.
    fn note_open(&mut self, reading: &Reading, bytes: &[u8], old: u32) {
        let mut wanted: BTreeMap<u32, Vec<String>> = BTreeMap::new();
        for transcript in &reading.transcripts {
            let blocks = || transcript.messages.iter().flat_map(|message| &message.blocks);
            let answered: HashSet<&str> = blocks()
                .filter_map(|block| match &block.kind {
                    BlockKind::ToolResult { tool_use_id, .. } => Some(tool_use_id.as_str()),
                    _ => None,
                })
                .collect();
            for block in blocks().filter(|block| block.line > old) {
                if let BlockKind::ToolUse { id, .. } = &block.kind
                    && !answered.contains(id.as_str())
                {
                    wanted.entry(block.line).or_default().push(id.clone());
                }
            }
        }
        let edits: HashSet<&str> = self
            .deeds
            .all
            .iter()
            .rev()
            .take_while(|deed| deed.line > self.lines)
            .filter(|deed| matches!(deed.what, What::Edit { .. }))
            .filter_map(|deed| deed.tool_use_id.as_deref())
            .collect();
        wanted.retain(|_, calls| {
            calls.retain(|call| edits.contains(call.as_str()));
            !calls.is_empty()
        });
        for (number, line) in (1_u32..).zip(bytes.split(|byte| *byte == b'\n')) {
            if let Some(calls) = wanted.remove(&number) {
                let place = (number - old).saturating_add(self.lines);
                self.open.insert(place, Open { calls, line: line.to_vec() });
            }
        }
    }

    fn bring_in_order(&mut self) {
        let mut order: Vec<usize> = (0..self.messages.len()).collect();
        order.sort_by_key(|at| (self.deeds.all[*at].conversation, self.messages[*at]));
        let mut all: Vec<Option<Deed>> = std::mem::take(&mut self.deeds.all).into_iter().map(Some).collect();
        self.deeds.all = order.iter().filter_map(|at| all[*at].take()).collect();
        self.messages = order.iter().map(|at| self.messages[*at]).collect();
    }
}

impl Known {
    /// For each message of new lines where it stands in the whole conversation: a response that has begun goes on there.
    fn places(&self, transcript: &Transcript) -> Vec<Response> {
        let mut new = self.messages..;
        let mut next_request = self.requests;
        let mut requests: HashMap<usize, usize> = HashMap::new();
        for request in &transcript.requests {
            let Some(response) = request.response else { continue };
            let known = self.responses.get(&request.id).map(|known| known.request);
            let number = known.unwrap_or_else(|| {
                next_request += 1;
                next_request - 1
            });
            requests.insert(response, number);
        }
        let place = |(at, message): (usize, &Message)| match self.known(message) {
            Some(known) => *known,
            None => Response {
                message: new.next().unwrap_or(usize::MAX),
                request: requests.get(&at).copied().unwrap_or_default(),
                at: message.at,
            },
        };
        transcript.messages.iter().enumerate().map(place).collect()
    }

    /// The response that a message is more of.
    fn known(&self, message: &Message) -> Option<&Response> {
        self.responses.get(message.api_id.as_ref()?).filter(|_| message.origin == Origin::Model)
    }

    fn note(&mut self, transcript: &Transcript) {
        let places = self.places(transcript);
        for (message, place) in transcript.messages.iter().zip(places) {
            self.messages = self.messages.max(place.message + 1);
            if message.origin == Origin::Model {
                self.requests = self.requests.max(place.request + 1);
                // A line without any id is called by its number, which another one has by now.
                if let Some(id) = message.api_id.as_ref().filter(|id| !id.starts_with("line ")) {
                    self.responses.insert(id.clone(), place);
                }
            }
            for block in &message.blocks {
                if let BlockKind::ToolUse { id, name, .. } = &block.kind
                    && is_question(name)
                    && !self.questions.contains(id)
                {
                    self.questions.push(id.clone());
                }
            }
        }
    }
}

/// Fields that place a line; `None` for what is no object.
fn head(line: &[u8]) -> Option<Head<'_>> {
    serde_json::from_slice(line).ok()
}

/// FNV-1a over bytes.
fn hash(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

fn count_lines(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.iter().filter(|byte| **byte == b'\n').count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
