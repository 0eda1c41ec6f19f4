//! One request, put together from its parts.

use super::canonical::{Digest, canonical, strip_marks};
use super::log::{Content, Part, Recorded, RequestLog, Span, Spoken, block_of};
use super::rewrite::{Marks, Rewriter};
use super::{LARGEST_BODY, Lines, Unproved};
use crate::lenient::{List, Raw, lenient_object};
use crate::lines::trim;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// A request as it was sent.
#[derive(Clone, Debug)]
pub struct Rebuilt {
    /// Its body, without the header of the client's version, which is not recorded.
    pub body: Value,
    /// The body as canonical JSON, which the digest is of.
    pub canonical: Vec<u8>,
    /// Whether its digest proves it.
    pub proof: Result<(), Unproved>,
}

lenient_object! {
    struct Blob<'a> {
        message: Raw<'a> = "message",
    }
}

lenient_object! {
    struct ShapeLine<'a> {
        shape: Raw<'a> = "shape",
    }
}

lenient_object! {
    struct SentLine<'a> {
        params: Raw<'a> = "params",
        marks: List<Mark<'a>> = "cacheControl",
    }
}

lenient_object! {
    struct Mark<'a> {
        path: List<Value> = "path",
        value: Raw<'a> = "value",
    }
}

lenient_object! {
    struct ContentLine<'a> {
        message: ContentMessage<'a> = "message",
    }
}

lenient_object! {
    struct ContentMessage<'a> {
        content: Raw<'a> = "content",
    }
}

/// A mark for the cache.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CacheMark {
    pub path: Vec<Value>,
    pub value: Value,
}

/// What the line of a request itself holds.
#[derive(Default)]
pub(super) struct OfRequest {
    pub params: Map<String, Value>,
    pub marks: Vec<CacheMark>,
}

/// Memory that messages are put into canonical form in.
#[derive(Debug, Default)]
pub(super) struct Work {
    /// The message.
    pub message: Vec<u8>,
    content: Vec<u8>,
    rewriter: Rewriter,
}

impl RequestLog {
    /// Rebuilds a request.
    ///
    /// # Errors
    /// Why nothing can be put together. A body whose digest differs is no error: it is not proved.
    pub fn rebuild(&self, request: usize, lines: &mut dyn Lines) -> Result<Rebuilt, Unproved> {
        let recorded = self.requests().get(request).ok_or(Unproved::Unreadable)?;
        let hashes = self.whole(request)?;
        let sizes = hashes.iter().filter_map(|&hash| self.size_of(hash));
        self.fits(recorded, sizes.fold(0, u64::saturating_add))?;
        let of = of_request(recorded, lines)?;
        let mut body = of.params;
        body.extend(self.shape(recorded, lines)?);
        let messages: Result<Vec<Value>, Unproved> =
            hashes.iter().map(|&hash| self.message(hash, lines)).collect();
        body.insert("messages".to_owned(), Value::Array(messages?));
        let mut body = Value::Object(body);
        for mark in of.marks {
            set_mark(&mut body, &mark.path, mark.value)?;
        }
        let canonical = canonical(&body).ok_or(Unproved::Unreadable)?;
        let proof = match recorded.digest {
            None => Err(Unproved::NoDigest),
            Some(digest) if digest == Digest::of(&canonical) => Ok(()),
            Some(_) => Err(Unproved::Differs),
        };
        Ok(Rebuilt { body, canonical, proof })
    }

    /// The hashes of a request, all of them known.
    fn whole(&self, request: usize) -> Result<Vec<Digest>, Unproved> {
        let recorded = self.requests().get(request).ok_or(Unproved::Unreadable)?;
        let hashes = self.hashes_of(request)?;
        let known: Vec<Digest> =
            hashes.iter().flatten().copied().filter(|hash| self.parts.contains_key(hash)).collect();
        match hashes.len() - known.len() {
            0 if hashes.len() == recorded.messages => Ok(known),
            0 => Err(Unproved::NoBase),
            missing => Err(Unproved::NoMessages(missing as u64)),
        }
    }

    /// The hashes of a request whose base and shape are there.
    pub(super) fn hashes_of(&self, request: usize) -> Result<Vec<Option<Digest>>, Unproved> {
        let recorded = self.requests().get(request).ok_or(Unproved::Unreadable)?;
        if recorded.base_is_missing {
            return Err(Unproved::NoBase);
        }
        if recorded.shape.is_none_or(|shape| !self.shapes.contains_key(&shape)) {
            return Err(Unproved::NoShape);
        }
        Ok(self.hashes(request))
    }

    /// Refuses what is larger than any request can be. `messages` are the bytes of their lines.
    pub(super) fn fits(&self, recorded: &Recorded, messages: u64) -> Result<(), Unproved> {
        let shape = recorded.shape.and_then(|shape| self.shapes.get(&shape)).map_or(0, |span| span.bytes);
        let bytes = shape.saturating_add(recorded.span.bytes).saturating_add(messages);
        if bytes > LARGEST_BODY { Err(Unproved::TooLarge) } else { Ok(()) }
    }

    /// Bytes of the lines of a message; `None` where it is not in the file.
    pub(super) fn size_of(&self, hash: Digest) -> Option<u64> {
        Some(match self.parts.get(&hash)? {
            Part::Blob(span) => span.bytes,
            Part::Spoken(spoken) => {
                self.lines_of(*spoken).iter().map(|span| span.bytes).fold(0, u64::saturating_add)
            }
        })
    }

    /// System prompt and tools.
    pub(super) fn shape(
        &self,
        recorded: &Recorded,
        lines: &mut dyn Lines,
    ) -> Result<Map<String, Value>, Unproved> {
        let bytes = self.shape_line(recorded, lines)?;
        let line: ShapeLine<'_> = serde_json::from_slice(trim(&bytes)).map_err(|_| Unproved::Unreadable)?;
        object(line.shape).ok_or(Unproved::Unreadable)
    }

    /// The line of system prompt and tools.
    pub(super) fn shape_line<'l>(
        &self,
        recorded: &Recorded,
        lines: &'l mut dyn Lines,
    ) -> Result<Cow<'l, [u8]>, Unproved> {
        let span = recorded.shape.and_then(|shape| self.shapes.get(&shape)).ok_or(Unproved::NoShape)?;
        lines.line(*span).ok_or(Unproved::Unreadable)
    }

    /// A message without marks for the cache.
    pub(super) fn message(&self, hash: Digest, lines: &mut dyn Lines) -> Result<Value, Unproved> {
        match self.parts.get(&hash).ok_or(Unproved::NoMessages(1))? {
            Part::Blob(span) => {
                let bytes = lines.line(*span).ok_or(Unproved::Unreadable)?;
                let line: Blob<'_> =
                    serde_json::from_slice(trim(&bytes)).map_err(|_| Unproved::Unreadable)?;
                let message = object(line.message).map(Value::Object).ok_or(Unproved::Unreadable)?;
                Ok(as_hashed(message, hash))
            }
            Part::Spoken(spoken) => self.spoken_message(*spoken, lines),
        }
    }

    /// A message without marks for the cache, in canonical form: [`Work::message`].
    pub(super) fn canonical_message(
        &self,
        hash: Digest,
        lines: &mut dyn Lines,
        work: &mut Work,
    ) -> Result<(), Unproved> {
        let Work { message: into, rewriter, .. } = &mut *work;
        into.clear();
        match self.parts.get(&hash).ok_or(Unproved::NoMessages(1))? {
            Part::Blob(span) => {
                let bytes = lines.line(*span).ok_or(Unproved::Unreadable)?;
                let line: Blob<'_> =
                    serde_json::from_slice(trim(&bytes)).map_err(|_| Unproved::Unreadable)?;
                let raw = line.message.0.ok_or(Unproved::Unreadable)?;
                let message: ContentMessage<'_> =
                    serde_json::from_str(raw.get()).map_err(|_| Unproved::Unreadable)?;
                if raw.get().starts_with('{') && !message.content.0.is_some_and(is_string) {
                    rewriter.rewrite(raw, Marks::Kept, into).ok_or(Unproved::Unreadable)?;
                    return Ok(());
                }
                // What was hashed may be another form of it.
                let message = self.message(hash, lines)?;
                into.extend_from_slice(&canonical(&message).ok_or(Unproved::Unreadable)?);
                Ok(())
            }
            Part::Spoken(spoken) => self.canonical_spoken(*spoken, lines, work),
        }
    }

    fn canonical_spoken(
        &self,
        spoken: Spoken,
        lines: &mut dyn Lines,
        work: &mut Work,
    ) -> Result<(), Unproved> {
        let role = if spoken.assistant { "assistant" } else { "user" };
        let Work { message: into, rewriter, content } = work;
        into.extend_from_slice(br#"{"content":["#);
        let begun = into.len();
        for &span in self.lines_of(spoken) {
            let bytes = lines.line(span).ok_or(Unproved::Unreadable)?;
            let line: ContentLine<'_> =
                serde_json::from_slice(trim(&bytes)).map_err(|_| Unproved::Unreadable)?;
            let raw = line.message.content.0.ok_or(Unproved::Unreadable)?;
            content.clear();
            rewriter.rewrite(raw, Marks::Removed, content).ok_or(Unproved::Unreadable)?;
            let of_text;
            let blocks = match Content::of(content) {
                Content::Text(text) if spoken.is_string => {
                    into.truncate(begun - 1);
                    into.extend_from_slice(text);
                    into.extend_from_slice(format!(",\"role\":\"{role}\"}}").as_bytes());
                    return Ok(());
                }
                Content::Text(text) => {
                    of_text = block_of(text);
                    &of_text
                }
                Content::Blocks(blocks) => blocks,
                Content::Other => return Err(Unproved::Unreadable),
            };
            if into.len() > begun && !blocks.is_empty() {
                into.push(b',');
            }
            into.extend_from_slice(blocks);
        }
        into.extend_from_slice(format!("],\"role\":\"{role}\"}}").as_bytes());
        Ok(())
    }

    fn spoken_message(&self, spoken: Spoken, lines: &mut dyn Lines) -> Result<Value, Unproved> {
        let role = if spoken.assistant { "assistant" } else { "user" };
        let mut blocks = Vec::new();
        for &span in self.lines_of(spoken) {
            match content(span, lines)? {
                Value::Array(items) => blocks.extend(items),
                text @ Value::String(_) if spoken.is_string => {
                    return Ok(json!({"role": role, "content": text}));
                }
                Value::String(text) => blocks.push(json!({"type": "text", "text": text})),
                _ => return Err(Unproved::Unreadable),
            }
        }
        Ok(json!({"role": role, "content": blocks}))
    }
}

/// A blob may hold as a string what was hashed, and is proved, as a list of one text block.
fn as_hashed(mut message: Value, hash: Digest) -> Value {
    if let Value::String(text) = &message["content"] {
        let blocks = json!([{"type": "text", "text": text}]);
        if canonical(&message).is_none_or(|bytes| Digest::of(&bytes) != hash) {
            message["content"] = blocks;
        }
    }
    message
}

fn content(span: Span, lines: &mut dyn Lines) -> Result<Value, Unproved> {
    let bytes = lines.line(span).ok_or(Unproved::Unreadable)?;
    let line: ContentLine<'_> = serde_json::from_slice(trim(&bytes)).map_err(|_| Unproved::Unreadable)?;
    let mut content = value(line.message.content).ok_or(Unproved::Unreadable)?;
    strip_marks(&mut content);
    Ok(content)
}

/// Parameters and marks of a request.
pub(super) fn of_request(recorded: &Recorded, lines: &mut dyn Lines) -> Result<OfRequest, Unproved> {
    let bytes = lines.line(recorded.span).ok_or(Unproved::Unreadable)?;
    let line: SentLine<'_> = serde_json::from_slice(trim(&bytes)).map_err(|_| Unproved::Unreadable)?;
    let marks = line
        .marks
        .0
        .into_iter()
        .map(|mark| CacheMark { path: mark.path.0, value: value(mark.value).unwrap_or_default() });
    let marks = marks.collect();
    Ok(OfRequest { params: object(line.params).ok_or(Unproved::Unreadable)?, marks })
}

fn is_string(raw: &RawValue) -> bool {
    raw.get().starts_with('"')
}

fn value(raw: Raw<'_>) -> Option<Value> {
    serde_json::from_str(raw.0?.get()).ok()
}

fn object(raw: Raw<'_>) -> Option<Map<String, Value>> {
    match value(raw)? {
        Value::Object(fields) => Some(fields),
        _ => None,
    }
}

/// Sets `cache_control` of the object at a path.
pub(super) fn set_mark(body: &mut Value, path: &[Value], value: Value) -> Result<(), Unproved> {
    let mut at = body;
    for step in path {
        // A text that is marked is sent as a block, and is hashed as the string.
        if let (Value::String(text), Value::Number(_)) = (&*at, step) {
            *at = json!([{"type": "text", "text": text}]);
        }
        let next = match (at, step) {
            (Value::Object(fields), Value::String(name)) => fields.get_mut(name),
            (Value::Array(items), Value::Number(number)) => number
                .as_u64()
                .and_then(|index| usize::try_from(index).ok())
                .and_then(|index| items.get_mut(index)),
            _ => None,
        };
        at = next.ok_or(Unproved::Mark)?;
    }
    let Value::Object(fields) = at else { return Err(Unproved::Mark) };
    fields.insert("cache_control".to_owned(), value);
    Ok(())
}
