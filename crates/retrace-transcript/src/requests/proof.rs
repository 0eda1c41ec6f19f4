//! The proof of many requests of one log, at the cost of what is new in each.
//!
//! A request mostly sends what the one before it sent, and then something. The hash of that beginning is kept after every
//! message; only what follows is read and hashed. Messages with a mark for the cache are among what follows. System prompt and
//! tools are mostly those of the request before, too: they are read and put in canonical form when they change. They stand behind
//! the messages and are hashed anew for each request, of two requests in turns.

use super::canonical::{Digest, canonical};
use super::hashing::Hashing;
use super::log::{Recorded, RequestLog};
use super::rebuild::{CacheMark, OfRequest, Work, of_request, set_mark};
use super::shape::{Shape, around_messages};
use super::{Lines, Unproved};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Proves requests one after the other.
#[derive(Default)]
pub struct Prover {
    /// What stands around the messages of the request before.
    frame: Option<Frame>,
    /// System prompt and tools that were read last, the newest at the end.
    shapes: Vec<(Digest, Shape)>,
    /// Messages of the request before, with the bytes of the lines up to each.
    known: Vec<(Digest, u64)>,
    /// What stands before the messages in canonical form.
    head: Vec<u8>,
    hashes: Vec<Digest>,
    /// After so many messages.
    states: Vec<Hashing>,
    work: Work,
}

/// All of a request but its messages.
struct Frame {
    shape: Option<Digest>,
    params: Map<String, Value>,
    marks: Vec<CacheMark>,
    /// Canonical form before the messages, and after them.
    head: Vec<u8>,
    tail: Arc<[u8]>,
}

impl Frame {
    fn of(
        shape: &Shape,
        recorded: &Recorded,
        params: &Map<String, Value>,
        marks: &[&CacheMark],
    ) -> Result<Self, Unproved> {
        let mut frame = params.clone();
        frame.retain(|name, _| !shape.fields.contains_key(name));
        // Of system prompt and tools a value is made where they have a mark, and nowhere else.
        for name in marks.iter().filter_map(|mark| mark.path.first()?.as_str()) {
            if !frame.contains_key(name) {
                frame.extend(shape.value(name).map(|value| (name.to_owned(), value)));
            }
        }
        let mut frame = Value::Object(frame);
        for mark in marks {
            set_mark(&mut frame, &mark.path, mark.value.clone())?;
        }
        let mut own = BTreeMap::new();
        for (name, value) in frame.as_object().into_iter().flatten() {
            own.insert(name.as_str(), canonical(value).ok_or(Unproved::Unreadable)?);
        }
        let mut fields: BTreeMap<&str, &[u8]> =
            shape.fields.iter().map(|(name, field)| (name.as_str(), field.as_slice())).collect();
        fields.extend(own.iter().map(|(name, field)| (*name, field.as_slice())));
        fields.remove(MESSAGES);
        let (head, tail) = around_messages(&fields, MESSAGES).ok_or(Unproved::Unreadable)?;
        let marks = marks.iter().map(|mark| (*mark).clone()).collect();
        Ok(Self { shape: recorded.shape, params: params.clone(), marks, head, tail: tail.into() })
    }

    fn is_of(&self, recorded: &Recorded, params: &Map<String, Value>, marks: &[&CacheMark]) -> bool {
        self.shape.is_some()
            && self.shape == recorded.shape
            && self.params == *params
            && self.marks.iter().eq(marks.iter().copied())
    }
}

/// A request that is hashed but for its end.
pub(super) struct Begun {
    hashing: Hashing,
    tail: Arc<[u8]>,
    digest: Digest,
    /// What its line holds.
    of: OfRequest,
    /// The hashes of its messages.
    hashes: Vec<Digest>,
}

impl Begun {
    /// What its line holds, and the hashes of its messages; they are not needed for the proof.
    pub(super) fn take_parts(&mut self) -> (OfRequest, Vec<Digest>) {
        (std::mem::take(&mut self.of), std::mem::take(&mut self.hashes))
    }

    /// Whether the digest proves it.
    fn prove(self) -> Result<(), Unproved> {
        equal(self.hashing.finish_with(&self.tail), self.digest)
    }

    /// [`Self::prove`] of two requests, which is faster than one after the other.
    pub(super) fn prove_both(
        one: Result<Self, Unproved>,
        other: Result<Self, Unproved>,
    ) -> [Result<(), Unproved>; 2] {
        let (one, other) = match (one, other) {
            (Ok(one), Ok(other)) => (one, other),
            (one, other) => return [one.and_then(Self::prove), other.and_then(Self::prove)],
        };
        let ends = [(one.hashing, &*one.tail), (other.hashing, &*other.tail)];
        let [first, second] = Hashing::finish_both(ends);
        [equal(first, one.digest), equal(second, other.digest)]
    }
}

fn equal(hash: Digest, digest: Digest) -> Result<(), Unproved> {
    if hash == digest { Ok(()) } else { Err(Unproved::Differs) }
}

/// Shapes kept: those of the requests that are proved together.
const SHAPES: usize = 2;

/// The name of the field that stands in the middle.
const MESSAGES: &str = "messages";

impl Prover {
    /// Nothing is known yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the digest of a request proves what is rebuilt of it.
    ///
    /// # Errors
    /// Why it does not.
    pub fn prove(&mut self, log: &RequestLog, request: usize, lines: &mut dyn Lines) -> Result<(), Unproved> {
        self.begin(log, request, lines)?.prove()
    }

    /// Hashes a request but for its end.
    pub(super) fn begin(
        &mut self,
        log: &RequestLog,
        request: usize,
        lines: &mut dyn Lines,
    ) -> Result<Begun, Unproved> {
        let recorded = log.requests().get(request).ok_or(Unproved::Unreadable)?;
        let hashes = self.whole(log, request)?;
        let of = of_request(recorded, lines)?;
        let mut of_frame = Vec::new();
        let mut in_messages: BTreeMap<usize, Vec<(&[Value], &Value)>> = BTreeMap::new();
        for mark in &of.marks {
            match mark.path.split_first() {
                Some((Value::String(name), rest)) if name == MESSAGES => {
                    let (index, rest) = rest.split_first().ok_or(Unproved::Mark)?;
                    let index = index.as_u64().and_then(|index| usize::try_from(index).ok());
                    let index = index.filter(|&index| index < hashes.len()).ok_or(Unproved::Mark)?;
                    in_messages.entry(index).or_default().push((rest, &mark.value));
                }
                _ => of_frame.push(mark),
            }
        }
        let frame = match self.frame.take().filter(|frame| frame.is_of(recorded, &of.params, &of_frame)) {
            Some(frame) => frame,
            None => Frame::of(self.shape(log, recorded, lines)?, recorded, &of.params, &of_frame)?,
        };
        let first_marked = in_messages.keys().next().copied().unwrap_or(hashes.len());
        let mut hashing = self.go_back_to(&frame.head, &hashes, first_marked);
        for (index, &hash) in hashes.iter().enumerate().skip(self.hashes.len()) {
            if index > 0 {
                hashing.update(b",");
            }
            match in_messages.remove(&index) {
                Some(marks) => {
                    let mut message = log.message(hash, lines)?;
                    for (path, value) in marks {
                        set_mark(&mut message, path, value.clone())?;
                    }
                    hashing.update(&canonical(&message).ok_or(Unproved::Unreadable)?);
                }
                None => {
                    log.canonical_message(hash, lines, &mut self.work)?;
                    hashing.update(&self.work.message);
                }
            }
            if index < first_marked {
                self.hashes.push(hash);
                self.states.push(hashing.clone());
            }
        }
        let tail = Arc::clone(&frame.tail);
        self.frame = Some(frame);
        let digest = recorded.digest.ok_or(Unproved::NoDigest)?;
        Ok(Begun { hashing, tail, digest, of, hashes })
    }

    /// The hashes of a request, all of them known, and of no more than fits into one. What it shares with the request before is
    /// not looked up again.
    fn whole(&mut self, log: &RequestLog, request: usize) -> Result<Vec<Digest>, Unproved> {
        let recorded = log.requests().get(request).ok_or(Unproved::Unreadable)?;
        let hashes = log.hashes_of(request)?;
        let is_known = |((known, _), hash): &(&(Digest, u64), &Option<Digest>)| Some(*known) == **hash;
        let shared = self.known.iter().zip(&hashes).take_while(is_known).count();
        self.known.truncate(shared);
        for hash in &hashes[shared..] {
            let Some((hash, size)) = hash.and_then(|hash| Some((hash, log.size_of(hash)?))) else {
                let missing = hashes.iter().filter(|hash| hash.and_then(|hash| log.size_of(hash)).is_none());
                return Err(Unproved::NoMessages(missing.count() as u64));
            };
            let before = self.known.last().map_or(0, |(_, bytes)| *bytes);
            self.known.push((hash, before.saturating_add(size)));
        }
        if hashes.len() != recorded.messages {
            return Err(Unproved::NoBase);
        }
        log.fits(recorded, self.known.last().map_or(0, |(_, bytes)| *bytes))?;
        Ok(self.known.iter().map(|(hash, _)| *hash).collect())
    }

    /// System prompt and tools of a request. Those that were read last are not read again.
    pub(super) fn shape(
        &mut self,
        log: &RequestLog,
        recorded: &Recorded,
        lines: &mut dyn Lines,
    ) -> Result<&mut Shape, Unproved> {
        let of = recorded.shape.ok_or(Unproved::NoShape)?;
        let at = match self.shapes.iter().position(|(known, _)| *known == of) {
            Some(at) => at,
            None => {
                let shape = Shape::of(&log.shape_line(recorded, lines)?)?;
                if self.shapes.len() == SHAPES {
                    self.shapes.remove(0);
                }
                self.shapes.push((of, shape));
                self.shapes.len() - 1
            }
        };
        Ok(&mut self.shapes[at].1)
    }

    /// Keeps what this request begins like, and answers the hash of it.
    fn go_back_to(&mut self, head: &[u8], hashes: &[Digest], first_marked: usize) -> Hashing {
        if head != self.head {
            self.hashes.clear();
            self.head = head.to_vec();
        }
        let shared = self.hashes.iter().zip(hashes).take_while(|(one, other)| one == other).count();
        let shared = shared.min(first_marked);
        self.hashes.truncate(shared);
        self.states.truncate(shared);
        self.states.last().cloned().unwrap_or_else(|| Hashing::of(&self.head))
    }
}
