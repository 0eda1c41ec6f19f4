//! The proof of many requests of one log, at the cost of what is new in each.
//!
//! A request mostly sends what the one before it sent, and then something. The hash of that beginning is kept after every
//! message; only what follows is read and hashed. Messages with a mark for the cache are among what follows. System prompt and
//! tools are mostly those of the request before, too: they are read and put in canonical form when they change.

use super::canonical::{Digest, canonical};
use super::log::{Recorded, RequestLog};
use super::rebuild::{CacheMark, OfRequest, of_request, set_mark};
use super::{Lines, Unproved};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Proves requests one after the other.
#[derive(Default)]
pub struct Prover {
    /// What stands around the messages of the request before.
    frame: Option<Frame>,
    /// What stands before the messages in canonical form.
    head: Vec<u8>,
    hashes: Vec<Digest>,
    /// After so many messages.
    states: Vec<Sha256>,
}

/// All of a request but its messages.
struct Frame {
    shape: Option<Digest>,
    params: Map<String, Value>,
    marks: Vec<CacheMark>,
    /// Canonical form before the messages, and after them.
    head: Vec<u8>,
    tail: Vec<u8>,
}

impl Frame {
    fn of(
        log: &RequestLog,
        recorded: &Recorded,
        params: Map<String, Value>,
        marks: Vec<CacheMark>,
        lines: &mut dyn Lines,
    ) -> Result<Self, Unproved> {
        let mut frame = params.clone();
        frame.extend(log.shape(recorded, lines)?);
        frame.remove(MESSAGES);
        let mut frame = Value::Object(frame);
        for mark in &marks {
            set_mark(&mut frame, &mark.path, mark.value.clone())?;
        }
        let (head, tail) = around_messages(&frame).ok_or(Unproved::Unreadable)?;
        Ok(Self { shape: recorded.shape, params, marks, head, tail })
    }

    fn is_of(&self, recorded: &Recorded, params: &Map<String, Value>, marks: &[CacheMark]) -> bool {
        self.shape.is_some() && self.shape == recorded.shape && self.params == *params && self.marks == marks
    }
}

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
        let recorded = log.requests().get(request).ok_or(Unproved::Unreadable)?;
        let hashes = log.whole(request)?;
        log.fits(recorded, &hashes)?;
        let OfRequest { params, marks } = of_request(recorded, lines)?;
        let mut of_frame = Vec::new();
        let mut in_messages: BTreeMap<usize, Vec<(Vec<Value>, Value)>> = BTreeMap::new();
        for mark in marks {
            match mark.path.split_first() {
                Some((Value::String(name), rest)) if name == MESSAGES => {
                    let (index, rest) = rest.split_first().ok_or(Unproved::Mark)?;
                    let index = index.as_u64().and_then(|index| usize::try_from(index).ok());
                    let index = index.filter(|&index| index < hashes.len()).ok_or(Unproved::Mark)?;
                    in_messages.entry(index).or_default().push((rest.to_vec(), mark.value));
                }
                _ => of_frame.push(mark),
            }
        }
        let frame = match self.frame.take().filter(|frame| frame.is_of(recorded, &params, &of_frame)) {
            Some(frame) => frame,
            None => Frame::of(log, recorded, params, of_frame, lines)?,
        };
        let first_marked = in_messages.keys().next().copied().unwrap_or(hashes.len());
        let mut hasher = self.go_back_to(&frame.head, &hashes, first_marked);
        for (index, &hash) in hashes.iter().enumerate().skip(self.hashes.len()) {
            let mut message = log.message(hash, lines)?;
            for (path, value) in in_messages.remove(&index).unwrap_or_default() {
                set_mark(&mut message, &path, value)?;
            }
            if index > 0 {
                hasher.update(b",");
            }
            hasher.update(canonical(&message).ok_or(Unproved::Unreadable)?);
            if index < first_marked {
                self.hashes.push(hash);
                self.states.push(hasher.clone());
            }
        }
        hasher.update(&frame.tail);
        self.frame = Some(frame);
        match recorded.digest {
            None => Err(Unproved::NoDigest),
            Some(digest) if digest == Digest::finish(hasher) => Ok(()),
            Some(_) => Err(Unproved::Differs),
        }
    }

    /// Keeps what this request begins like, and answers the hash of it.
    fn go_back_to(&mut self, head: &[u8], hashes: &[Digest], first_marked: usize) -> Sha256 {
        if head != self.head {
            self.hashes.clear();
            self.head = head.to_vec();
        }
        let shared = self.hashes.iter().zip(hashes).take_while(|(one, other)| one == other).count();
        let shared = shared.min(first_marked);
        self.hashes.truncate(shared);
        self.states.truncate(shared);
        self.states.last().cloned().unwrap_or_else(|| Sha256::new_with_prefix(&self.head))
    }
}

/// The canonical form before and after the list of messages, its brackets included.
fn around_messages(frame: &Value) -> Option<(Vec<u8>, Vec<u8>)> {
    let fields: &Map<String, Value> = frame.as_object()?;
    let (mut head, mut tail) = (Map::new(), Map::new());
    for (name, value) in fields {
        // The order of the canonical form is that of UTF-16.
        let goes_before = name.encode_utf16().cmp(MESSAGES.encode_utf16()) == Ordering::Less;
        if goes_before { &mut head } else { &mut tail }.insert(name.clone(), value.clone());
    }
    let mut before = canonical(&Value::Object(head))?;
    before.pop();
    if before.len() > 1 {
        before.push(b',');
    }
    before.extend_from_slice(b"\"messages\":[");
    let after = canonical(&Value::Object(tail))?;
    let separator: &[u8] = if after.len() > 2 { b"]," } else { b"]" };
    Some((before, [separator, after.get(1..)?].concat()))
}
