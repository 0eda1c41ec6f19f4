//! One conversation as it grows: where a message goes, and when a new segment begins.
//!
//! The file tells a tree; a request sent one path of it. Parallel tool calls make small forks that belong to the same
//! path: each result hangs on the line of its call. A fork is a rewind only if something else than results and notes of
//! the client would be left behind. Then a new segment begins with a copy of what is kept; two sessions that write to one
//! file by turns each go on in their own segment.

use crate::{
    Cause, Compaction, Format, Message, MessageIndex, Origin, Request, Segment, Session, Transcript,
};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Number of message indices all segments of a conversation may copy together (32 MiB). Only a file made for it gets
/// there; forks beyond are not followed but counted.
const COPIES: usize = 4 << 20;

/// A place in the tree: after a message, or at the beginning of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub segment: usize,
    /// `None` is the segment's beginning.
    pub message: Option<MessageIndex>,
}

/// Where the line says it belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    /// It does not say, or names a line that is not there: it goes on where the conversation is.
    Live,
    /// It begins a tree of its own.
    Root,
    /// After this place.
    Place(Place),
}

/// Messages a compaction keeps.
#[derive(Clone, Debug, Default)]
pub(super) struct Preserved {
    pub messages: Vec<MessageIndex>,
    /// True if they stand before the summary rather than after it.
    pub before_summary: bool,
}

#[derive(Debug)]
pub(super) struct Conversation {
    pub transcript: Transcript,
    live: usize,
    /// Segment and position where a message was placed last; `None` for those in no segment.
    homes: Vec<Option<(usize, usize)>>,
    /// Calls of tools that have no result yet, with the message that holds them.
    pending: HashMap<String, MessageIndex>,
    /// Messages kept by a compaction that stand after a summary still to come.
    awaiting_summary: Vec<MessageIndex>,
    /// Of each segment: for each of its messages, the last one up to it that a fork cannot pass over.
    barriers: Vec<Vec<Option<usize>>>,
    /// Of each segment: the longest beginning of it that a request sent, answer included.
    sent: Vec<usize>,
    /// Of each segment: how many messages a compaction left at its beginning, the summary among them. They are one
    /// piece: what hangs on any of them comes after all.
    bases: Vec<usize>,
    copies: usize,
    /// Forks that were not followed for want of room.
    pub forks_left: u64,
}

impl Conversation {
    pub(super) fn new(session: Session) -> Self {
        let start = Segment { messages: Vec::new(), cause: Cause::Start, dropped_results: Arc::default() };
        let transcript = Transcript {
            format: Format::ClaudeCode,
            session,
            preambles: Vec::new(),
            messages: Vec::new(),
            segments: vec![start],
            requests: Vec::new(),
            done: Vec::new(),
            folded: Vec::new(),
        };
        Self {
            transcript,
            live: 0,
            homes: Vec::new(),
            pending: HashMap::new(),
            awaiting_summary: Vec::new(),
            barriers: vec![Vec::new()],
            sent: vec![0],
            bases: vec![0],
            copies: 0,
            forks_left: 0,
        }
    }

    /// Keeps a message that no request sends.
    pub(super) fn keep_apart(&mut self, message: Message) -> MessageIndex {
        self.transcript.messages.push(message);
        self.homes.push(None);
        self.transcript.messages.len() - 1
    }

    /// Appends a message where it belongs. `answers` are the calls whose results it holds.
    pub(super) fn append(&mut self, message: Message, after: After, answers: &[String]) -> MessageIndex {
        let is_summary = message.origin == Origin::Summary;
        if !self.answers_live(answers) {
            self.go_to(after);
        }
        for id in answers {
            self.pending.remove(id);
        }
        let index = self.keep_apart(message);
        let is_first_summary = is_summary && self.awaits_summary();
        if !is_first_summary {
            self.apply_preserved();
        }
        self.push(index);
        if is_first_summary {
            if let Cause::Compacted(compaction) = &mut self.transcript.segments[self.live].cause {
                compaction.summary = Some(index);
            }
            self.bases[self.live] += 1;
            self.apply_preserved();
        }
        index
    }

    /// A call of a tool that is now open.
    pub(super) fn open_call(&mut self, id: &str, message: MessageIndex) {
        self.pending.insert(id.to_owned(), message);
    }

    /// Where the conversation is: its segment, and how many messages that has.
    pub(super) fn live(&self) -> (usize, usize) {
        (self.live, self.transcript.segments[self.live].messages.len())
    }

    /// The place right after `message`, or the end of the conversation for one in no segment.
    pub(super) fn place_of(&self, message: MessageIndex) -> Place {
        let home = self.homes.get(message).copied().flatten();
        Place { segment: home.map_or(self.live, |(segment, _)| segment), message: home.map(|_| message) }
    }

    /// The place at the end of the live segment.
    pub(super) fn end(&self) -> Place {
        Place { segment: self.live, message: self.transcript.segments[self.live].messages.last().copied() }
    }

    /// A request that the message just appended answers.
    pub(super) fn requested(&mut self, request: Request) -> usize {
        if let Some(sent) = self.sent.get_mut(request.segment) {
            *sent = (*sent).max(request.upto + 1);
        }
        self.transcript.requests.push(request);
        self.transcript.requests.len() - 1
    }

    /// A summary takes the place of what was there.
    pub(super) fn compact(&mut self, compaction: Compaction, mut preserved: Preserved) -> Place {
        self.apply_preserved();
        if !self.may_copy(preserved.messages.len()) {
            preserved.messages.clear();
        }
        self.begin(Vec::new(), Cause::Compacted(compaction), Arc::default());
        self.awaiting_summary = preserved.messages;
        if preserved.before_summary {
            self.apply_preserved();
        }
        Place { segment: self.live, message: None }
    }

    /// A summary without a boundary before it, as at the beginning of a file that goes on from another.
    pub(super) fn compact_unannounced(&mut self, line: u32) {
        if !self.awaits_summary() && !self.transcript.segments[self.live].messages.is_empty() {
            self.compact(Compaction { line, ..Compaction::default() }, Preserved::default());
        }
    }

    /// The client dropped results in place, and whole messages (attachments).
    pub(super) fn microcompact(
        &mut self,
        cause: Cause,
        results: Vec<String>,
        messages: &BTreeSet<MessageIndex>,
    ) -> Place {
        self.apply_preserved();
        let segment = &self.transcript.segments[self.live];
        let size = segment.messages.len() + segment.dropped_results.len() + results.len();
        if self.may_copy(size) {
            let segment = &self.transcript.segments[self.live];
            let kept = segment.messages.iter().copied().filter(|index| !messages.contains(index)).collect();
            let mut dropped = (*segment.dropped_results).clone();
            dropped.extend(results);
            self.begin(kept, cause, Arc::new(dropped));
        }
        self.end()
    }

    /// From the first to the last of two messages, as the live segment has them.
    pub(super) fn stretch(&self, first: MessageIndex, last: MessageIndex) -> Vec<MessageIndex> {
        let messages = &self.transcript.segments[self.live].messages;
        let position = |wanted| self.position(wanted).filter(|home| home.0 == self.live).map(|home| home.1);
        match (position(first), position(last)) {
            (Some(first), Some(last)) if first <= last => messages[first..=last].to_vec(),
            _ => Vec::new(),
        }
    }

    fn awaits_summary(&self) -> bool {
        matches!(
            &self.transcript.segments[self.live].cause,
            Cause::Compacted(Compaction { summary: None, .. })
        )
    }

    /// Puts the messages kept by a compaction where they stand.
    fn apply_preserved(&mut self) {
        for index in std::mem::take(&mut self.awaiting_summary) {
            self.push(index);
            self.bases[self.live] += 1;
        }
    }

    fn push(&mut self, index: MessageIndex) {
        let messages = &mut self.transcript.segments[self.live].messages;
        let position = messages.len();
        self.homes[index] = Some((self.live, position));
        messages.push(index);
        self.raise_barrier(self.live, index, position);
    }

    /// Results and notes of the client may stand beside what comes after a fork; anything else may not.
    fn raise_barrier(&mut self, segment: usize, index: MessageIndex, position: usize) {
        let origin = self.transcript.messages[index].origin;
        let barriers = &mut self.barriers[segment];
        let before = barriers.last().copied().flatten();
        let is_barrier = !matches!(origin, Origin::ToolResults | Origin::Client);
        barriers.push(if is_barrier { Some(position) } else { before });
    }

    fn begin(&mut self, messages: Vec<MessageIndex>, cause: Cause, dropped_results: Arc<BTreeSet<String>>) {
        self.live = self.transcript.segments.len();
        self.sent.push(0);
        self.bases.push(0);
        self.barriers.push(Vec::with_capacity(messages.len()));
        for (position, &index) in messages.iter().enumerate() {
            self.homes[index] = Some((self.live, position));
            self.raise_barrier(self.live, index, position);
        }
        self.transcript.segments.push(Segment { messages, cause, dropped_results });
    }

    fn may_copy(&mut self, messages: usize) -> bool {
        if self.copies.saturating_add(messages) > COPIES {
            self.forks_left += 1;
            return false;
        }
        self.copies += messages;
        true
    }

    /// True if these are results that calls of the live segment wait for.
    fn answers_live(&self, answers: &[String]) -> bool {
        !answers.is_empty()
            && answers.iter().all(|id| {
                let call =
                    self.pending.get(id).and_then(|&message| self.homes.get(message).copied().flatten());
                call.is_some_and(|(segment, _)| segment == self.live)
            })
    }

    /// Makes the segment live in which a line after `after` stands, and cuts or copies it where it goes back.
    fn go_to(&mut self, after: After) {
        match after {
            After::Live => {}
            After::Root => {
                if !self.transcript.segments[self.live].messages.is_empty() {
                    self.begin(Vec::new(), Cause::Replaced, Arc::default());
                }
            }
            After::Place(place) => self.go_to_place(place),
        }
    }

    fn go_to_place(&mut self, place: Place) {
        let (segment, kept) = match place.message {
            Some(message) => {
                let Some((segment, position)) = self.position(message) else { return };
                (segment, (position + 1).max(self.bases[segment]))
            }
            None => (place.segment, self.bases[place.segment]),
        };
        let barrier = self.barriers[segment].last().copied().flatten();
        let goes_on = barrier.is_none_or(|barrier| barrier < kept);
        if goes_on {
            if segment != self.live {
                self.apply_preserved();
                self.live = segment;
            }
            return;
        }
        self.apply_preserved();
        if self.sent[segment] <= kept {
            // Typed and taken back before anything was asked of the model.
            for index in self.transcript.segments[segment].messages.split_off(kept) {
                self.homes[index] = None;
            }
            self.barriers[segment].truncate(kept);
            self.live = segment;
            return;
        }
        if self.may_copy(kept) {
            let source = &self.transcript.segments[segment];
            let (messages, dropped) = (source.messages[..kept].to_vec(), Arc::clone(&source.dropped_results));
            self.begin(messages, Cause::Rewound, dropped);
        }
    }

    /// Segment and position of a message: in the live segment if it is there, else where it was placed last.
    fn position(&self, message: MessageIndex) -> Option<(usize, usize)> {
        let home = self.homes.get(message).copied().flatten()?;
        let live = &self.transcript.segments[self.live].messages;
        if live.get(home.1) == Some(&message) { Some((self.live, home.1)) } else { Some(home) }
    }
}
