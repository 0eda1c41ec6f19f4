//! Recognising a file by its content.

use crate::lenient::{Link, Text, lenient_object};
use crate::lines::trim;
use crate::{Format, ReadError};

/// What one line shows of the file's format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineFormat {
    /// A line of a format made of lines.
    Lines(Format),
    /// A whole JSON document of a known format, or the beginning of a document that goes on in the next line.
    Document,
    /// Neither.
    Unknown,
}

/// What a value is, without the value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Shape {
    #[default]
    Absent,
    Null,
    Text,
    Object,
    List,
    Other,
}

impl<'de> serde::Deserialize<'de> for Shape {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::{Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
        struct ShapeVisitor;
        impl<'de> Visitor<'de> for ShapeVisitor {
            type Value = Shape;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("anything")
            }
            fn visit_bool<E: Error>(self, _: bool) -> Result<Shape, E> {
                Ok(Shape::Other)
            }
            fn visit_i64<E: Error>(self, _: i64) -> Result<Shape, E> {
                Ok(Shape::Other)
            }
            fn visit_u64<E: Error>(self, _: u64) -> Result<Shape, E> {
                Ok(Shape::Other)
            }
            fn visit_f64<E: Error>(self, _: f64) -> Result<Shape, E> {
                Ok(Shape::Other)
            }
            fn visit_str<E: Error>(self, _: &str) -> Result<Shape, E> {
                Ok(Shape::Text)
            }
            fn visit_unit<E: Error>(self) -> Result<Shape, E> {
                Ok(Shape::Null)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Shape, A::Error> {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Shape::List)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Shape, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Shape::Object)
            }
        }
        deserializer.deserialize_any(ShapeVisitor)
    }
}

lenient_object! {
    /// The keys by which formats are told apart.
    pub(crate) struct Probe<'a> {
        kind: Text<'a> = "type",
        session_id: Text<'a> = "sessionId",
        sdk_session_id: Text<'a> = "session_id",
        parent_uuid: Link<'a> = "parentUuid",
        leaf_uuid: Text<'a> = "leafUuid",
        snapshot: Shape = "snapshot",
        message: Shape = "message",
        uuid: Text<'a> = "uuid",
    }
}

/// Whether a line is JSON.
///
/// # Errors
/// Why it is not, without its content.
pub(crate) fn is_json(line: &[u8]) -> Result<(), String> {
    serde_json::from_slice::<serde::de::IgnoredAny>(line)
        .map(|_| ())
        .map_err(|error| crate::account::json_reason(&error))
}

/// What one line that is not blank shows.
pub(crate) fn line_format(line: &[u8]) -> LineFormat {
    let Ok(probe) = serde_json::from_slice::<Probe<'_>>(line) else {
        return if matches!(line.first(), Some(b'{' | b'[')) {
            LineFormat::Document
        } else {
            LineFormat::Unknown
        };
    };
    if is_claude_code(&probe) { LineFormat::Lines(Format::ClaudeCode) } else { LineFormat::Unknown }
}

fn is_claude_code(probe: &Probe<'_>) -> bool {
    probe.kind.as_str().is_some()
        && (probe.session_id.as_str().is_some()
            || probe.sdk_session_id.as_str().is_some()
            || probe.leaf_uuid.as_str().is_some()
            || probe.snapshot == Shape::Object
            || (probe.parent_uuid != Link::Absent && probe.uuid.as_str().is_some())
            || (probe.uuid.as_str().is_some() && probe.message == Shape::Object))
}

/// The format of a whole file.
///
/// # Errors
/// [`ReadError`] with what it looks like instead.
pub(crate) fn detect(bytes: &[u8]) -> Result<Format, ReadError> {
    for line in bytes.split(|&b| b == b'\n') {
        let line = trim(line);
        if let LineFormat::Lines(format) = line_format(line) {
            return Ok(format);
        }
    }
    Err(ReadError::Empty)
}
