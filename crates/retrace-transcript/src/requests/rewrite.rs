//! Canonical JSON straight from JSON text. Nearly all that is hashed was written by the client with strings as canonical JSON has
//! them and whole numbers, so that only names have to be put in order: no value is made of it.
//!
//! What is not as plain as that (names with escapes or written twice, deep nesting) is left to [`canonical`], which decides in every
//! case what canonical JSON is.

use super::canonical::{canonical, strip_marks};
use memchr::memchr2;
use serde_json::value::RawValue;
use serde_json::{Number, Value};
use std::ops::Range;

/// What becomes of marks for the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marks {
    /// They stay.
    Kept,
    /// They are taken out, as by [`strip_marks`].
    Removed,
}

/// What was rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rewritten {
    /// True if a [`Value`] of the text is written with the same bytes. It is not where numbers have another form.
    pub is_as_value: bool,
}

/// The field that marks are in.
const MARK: &[u8] = b"cache_control";

/// Names that begin like this mean something else to the parser.
const RESERVED: &[u8] = b"$serde_json";

/// Deeper nesting is left to the parser, which has a limit of its own.
const DEEPEST: usize = 64;

/// Rewrites one text after the other; it is kept for the memory that it works in.
#[derive(Debug, Default)]
pub(super) struct Rewriter {
    /// Fields of the objects that are being read, those of inner ones last.
    fields: Vec<Field>,
    spare: Vec<u8>,
}

impl Rewriter {
    /// Adds a JSON text in canonical form. `None` where it cannot be hashed, as halves of characters and numbers that are too
    /// large; what was added then means nothing.
    pub(super) fn rewrite(&mut self, json: &RawValue, marks: Marks, into: &mut Vec<u8>) -> Option<Rewritten> {
        let (json, begun) = (json.get(), into.len());
        self.fields.clear();
        into.reserve(json.len());
        let Self { fields, spare } = self;
        let mut rewriting =
            Rewriting { json: json.as_bytes(), at: 0, into, marks, is_as_value: true, fields, spare };
        if rewriting.value(0).is_some() && rewriting.peek().is_none() {
            return Some(Rewritten { is_as_value: rewriting.is_as_value });
        }
        into.truncate(begun);
        let mut value: Value = serde_json::from_str(json).ok()?;
        if marks == Marks::Removed {
            strip_marks(&mut value);
        }
        into.extend_from_slice(&canonical(&value)?);
        Some(Rewritten { is_as_value: false })
    }
}

/// Every function answers `None` at what is not plain. The text is JSON, so only what canonical JSON has otherwise is looked at.
struct Rewriting<'j, 'o> {
    json: &'j [u8],
    at: usize,
    into: &'o mut Vec<u8>,
    marks: Marks,
    is_as_value: bool,
    fields: &'o mut Vec<Field>,
    spare: &'o mut Vec<u8>,
}

/// A field: where its name stands in the text, and where it was written.
#[derive(Debug)]
struct Field {
    name: Range<usize>,
    written: Range<usize>,
}

impl Rewriting<'_, '_> {
    /// The next byte that is no white space.
    fn peek(&mut self) -> Option<u8> {
        while let b' ' | b'\n' | b'\r' | b'\t' = *self.json.get(self.at)? {
            self.at += 1;
        }
        self.json.get(self.at).copied()
    }

    /// True if the next byte is this one, which is then passed.
    fn passes(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        match self.peek()? {
            b'"' => self.string(),
            b'{' => self.object(depth),
            b'[' => self.list(depth),
            b'-' | b'0'..=b'9' => self.number(),
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            b'n' => self.word(b"null"),
            _ => None,
        }
    }

    fn word(&mut self, word: &[u8]) -> Option<()> {
        self.json[self.at..].starts_with(word).then_some(())?;
        self.at += word.len();
        self.into.extend_from_slice(word);
        Some(())
    }

    fn number(&mut self) -> Option<()> {
        let rest = &self.json[self.at..];
        let length = rest
            .iter()
            .position(|byte| !matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'))
            .unwrap_or(rest.len());
        let number = &rest[..length];
        self.at += length;
        if is_exact(number) {
            self.into.extend_from_slice(number);
        } else {
            self.is_as_value = false;
            let number: Number = serde_json::from_slice(number).ok()?;
            self.into.extend_from_slice(&canonical(&Value::Number(number))?);
        }
        Some(())
    }

    /// Where the string ends whose opening quote is next, and whether it stands there as canonical JSON has it.
    fn string_end(&self) -> Option<(usize, bool)> {
        let (mut at, mut is_canonical) = (self.at + 1, true);
        loop {
            at += memchr2(b'"', b'\\', self.json.get(at..)?)?;
            if self.json[at] == b'"' {
                return Some((at + 1, is_canonical));
            }
            match *self.json.get(at + 1)? {
                b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't' => {}
                b'u' => is_canonical &= is_control(self.json.get(at + 2..at + 6)?),
                _ => is_canonical = false,
            }
            at += 2;
        }
    }

    fn string(&mut self) -> Option<()> {
        let (end, is_canonical) = self.string_end()?;
        let string = &self.json[self.at..end];
        self.at = end;
        if is_canonical {
            self.into.extend_from_slice(string);
        } else {
            let text: String = serde_json::from_slice(string).ok()?;
            self.into.extend_from_slice(&canonical(&Value::String(text))?);
        }
        Some(())
    }

    fn list(&mut self, depth: usize) -> Option<()> {
        (depth < DEEPEST).then_some(())?;
        self.at += 1;
        self.into.push(b'[');
        if !self.passes(b']') {
            loop {
                self.value(depth + 1)?;
                if !self.passes(b',') {
                    break;
                }
                self.into.push(b',');
            }
            self.passes(b']').then_some(())?;
        }
        self.into.push(b']');
        Some(())
    }

    fn object(&mut self, depth: usize) -> Option<()> {
        (depth < DEEPEST).then_some(())?;
        self.at += 1;
        self.into.push(b'{');
        let (first, begun) = (self.fields.len(), self.into.len());
        let mut in_order = true;
        if !self.passes(b'}') {
            loop {
                let name = self.name()?;
                self.passes(b':').then_some(())?;
                let before = self.into.len();
                if before > begun {
                    self.into.push(b',');
                }
                let from = self.into.len();
                self.into.push(b'"');
                self.into.extend_from_slice(&self.json[name.clone()]);
                self.into.extend_from_slice(b"\":");
                self.value(depth + 1)?;
                if self.marks == Marks::Removed && self.json[name.clone()] == *MARK {
                    self.into.truncate(before);
                } else {
                    if let Some(last) = self.fields[first..].last() {
                        in_order &= self.json[last.name.clone()] < self.json[name.clone()];
                    }
                    self.fields.push(Field { name, written: from..self.into.len() });
                }
                if !self.passes(b',') {
                    break;
                }
            }
            self.passes(b'}').then_some(())?;
        }
        if !in_order {
            self.order(first, begun)?;
        }
        self.fields.truncate(first);
        self.into.push(b'}');
        Some(())
    }

    /// The name of a field, without its quotes. Of letters of ASCII alone the order of bytes is the order of canonical JSON.
    fn name(&mut self) -> Option<Range<usize>> {
        (self.peek()? == b'"').then_some(())?;
        let begun = self.at + 1;
        let length = memchr2(b'"', b'\\', self.json.get(begun..)?)?;
        let name = &self.json[begun..begun + length];
        let is_plain = self.json[begun + length] == b'"' && name.is_ascii() && !name.starts_with(RESERVED);
        is_plain.then_some(())?;
        self.at = begun + length + 1;
        Some(begun..begun + length)
    }

    /// Puts the fields of an object in order, which were written from `begun` on. `None` where two have one name.
    fn order(&mut self, first: usize, begun: usize) -> Option<()> {
        let json = self.json;
        self.fields[first..].sort_by(|one, other| json[one.name.clone()].cmp(&json[other.name.clone()]));
        let fields = &self.fields[first..];
        let is_twice = fields.windows(2).any(|pair| json[pair[0].name.clone()] == json[pair[1].name.clone()]);
        (!is_twice).then_some(())?;
        self.spare.clear();
        for field in fields {
            if !self.spare.is_empty() {
                self.spare.push(b',');
            }
            self.spare.extend_from_slice(&self.into[field.written.clone()]);
        }
        self.into.truncate(begun);
        self.into.extend_from_slice(self.spare);
        Some(())
    }
}

/// True for a whole number that a float holds, which is written as it stands.
fn is_exact(number: &[u8]) -> bool {
    let digits = number.strip_prefix(b"-").unwrap_or(number);
    let whole = digits.iter().try_fold(0_u64, |whole, digit| {
        let digit = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
        whole.checked_mul(10)?.checked_add(digit)
    });
    let is_written_short = digits.first() != Some(&b'0') || number == b"0";
    !digits.is_empty() && is_written_short && whole.is_some_and(|whole| whole <= 1 << f64::MANTISSA_DIGITS)
}

/// True for the digits of a control character that canonical JSON writes with digits.
fn is_control(digits: &[u8]) -> bool {
    matches!(
        digits,
        [b'0', b'0', b'0', b'0'..=b'7' | b'b' | b'e' | b'f'] | [b'0', b'0', b'1', b'0'..=b'9' | b'a'..=b'f']
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use proptest::prelude::*;

    /// By way of a value, which is what canonical JSON is defined by here.
    fn slowly(json: &str, marks: Marks) -> Option<Vec<u8>> {
        let mut value: Value = serde_json::from_str(json).ok()?;
        if marks == Marks::Removed {
            strip_marks(&mut value);
        }
        canonical(&value)
    }

    fn fast(json: &str, marks: Marks) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        Rewriter::default().rewrite(serde_json::from_str(json).unwrap(), marks, &mut bytes)?;
        Some(bytes)
    }

    #[test]
    fn a_text_is_rewritten_as_its_value_would_be() {
        let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
        let too_deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
        for json in [
            r#"{"b": 1, "a" : [ true, false , null ], "ab":{}, "":[]}"#,
            r#"{"z":1,"a":2,"m":{"y":"\n","x":{"k":1,"b":2}},"b":[{"d":1,"c":2}]}"#,
            r#"{"cache_control":{"type":"ephemeral"},"a":{"cache_control":1}}"#,
            r#"[{"x":1,"cache_control":2,"a":3}]"#,
            r#"{"a":1,"a":2}"#,
            r#"{"b":1,"a":2,"b":3}"#,
            r#"{"b":{"b":1,"a":2},"a":{"d":[{"z":1,"y":2}],"c":0}}"#,
            r#"{"\u0061":1}"#,
            r#"{"é":1,"z":2}"#,
            "{\"\u{10000}\":1,\"\u{e000}\":2}",
            r#"{"$serde_json::private::RawValue":"1"}"#,
            r#"{"$serde_json::private::Number":"1"}"#,
            r#"{"$schema":"x","$ref":"y"}"#,
            r#""\u00e9\/\u001b\u001B\u000a\u0008\u007f\ud83d\ude00\"\\\b\f\n\r\t é☃""#,
            r#""\ud83d""#,
            r#""\u0000\u000b\u000c\u001f""#,
            "[0,-0,-1,10,1.0,2.5,1e3,1E-7,123456789012345,9007199254740992,-9007199254740993,9007199254740993,12345678901234567890,-5e-324]",
            "1e999",
            " \n[ ]\t",
            &deep,
            &too_deep,
        ] {
            for marks in [Marks::Kept, Marks::Removed] {
                let text = |bytes: Option<Vec<u8>>| bytes.map(|bytes| String::from_utf8(bytes).unwrap());
                assert_eq!(text(fast(json, marks)), text(slowly(json, marks)), "{json} {marks:?}");
            }
        }
    }

    #[test]
    fn what_is_added_stands_behind_what_was_there() {
        let mut rewriter = Rewriter::default();
        for json in [r#"{"b":1,"a":2}"#, r#"{"a":1,"a":2}"#, r#"[{"b":{"d":1,"c":2},"a":2}]"#] {
            let mut bytes = b"x,".to_vec();
            rewriter.rewrite(serde_json::from_str(json).unwrap(), Marks::Kept, &mut bytes).unwrap();
            let expected = [b"x,".as_slice(), &slowly(json, Marks::Kept).unwrap()].concat();
            assert_eq!(bytes, expected, "{json}");
        }
    }

    /// JSON texts with names of few letters, so that some come twice.
    fn json() -> impl Strategy<Value = String> {
        let string = r#"([a-c /é☃\u{10000}]|\\u00[01][0-9a-fA-F]|\\n|\\/|\\\\|\\")*"#;
        let leaf = prop_oneof![
            any::<i64>().prop_map(|number| number.to_string()),
            any::<f64>().prop_filter("JSON has no others", |it| it.is_finite()).prop_map(|it| it.to_string()),
            "-?(0|[1-9][0-9]{0,17})([.][0-9]{1,4})?([eE][-+]?[0-9]{1,3})?",
            any::<String>().prop_map(|text| Value::String(text).to_string()),
            string.prop_map(|text| format!("\"{text}\"")),
            Just("null".to_owned()),
            Just("true".to_owned()),
        ];
        let name = prop_oneof!["[a-d]{0,2}", Just("cache_control".to_owned()), any::<String>()];
        let name = name.prop_map(|name| Value::String(name).to_string());
        leaf.prop_recursive(5, 64, 6, move |inner| {
            let space = prop_oneof![Just(""), Just(" "), Just("\n\t")];
            let list = |items: Vec<String>, space: &str| items.join(&format!("{space},{space}"));
            prop_oneof![
                (prop::collection::vec(inner.clone(), 0..5), space.clone())
                    .prop_map(move |(items, space)| format!("[{space}{}{space}]", list(items, space))),
                (prop::collection::vec((name.clone(), inner), 0..6), space).prop_map(
                    move |(fields, space)| {
                        let fields = fields.into_iter().map(|(name, value)| format!("{name}{space}:{value}"));
                        format!("{{{space}{}{space}}}", list(fields.collect(), space))
                    }
                ),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_text_is_rewritten_as_its_value_would_be(json in json()) {
            for marks in [Marks::Kept, Marks::Removed] {
                prop_assert_eq!(fast(&json, marks), slowly(&json, marks));
            }
            let mut bytes = Vec::new();
            let rewritten = Rewriter::default().rewrite(serde_json::from_str(&json).unwrap(), Marks::Kept, &mut bytes);
            if rewritten.is_some_and(|rewritten| rewritten.is_as_value) {
                let value: Value = serde_json::from_str(&json).unwrap();
                prop_assert_eq!(String::from_utf8(bytes).unwrap(), value.to_string());
            }
        }
    }
}
