//! Query strings: decoded, each name once.

use crate::refusal::Refusal;
use retrace_model::{Sha256, Timestamp};
use std::collections::BTreeMap;

/// The decoded pairs of a query.
pub(crate) struct Query(BTreeMap<String, String>);

impl Query {
    /// Reads the part of an address after the question mark.
    pub(crate) fn parse(text: &str) -> Result<Self, Refusal> {
        let mut pairs = BTreeMap::new();
        for part in text.split('&').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let (Some(name), Some(value)) = (decode(name), decode(value)) else {
                return Err(Refusal::invalid("query", "is not percent-encoded UTF-8"));
            };
            if pairs.insert(name.clone(), value).is_some() {
                return Err(Refusal::invalid(&shown(&name), "is given more than once"));
            }
        }
        Ok(Self(pairs))
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    pub(crate) fn boolean(&self, name: &str) -> Result<bool, Refusal> {
        match self.text(name) {
            None => Ok(false),
            Some("true" | "True" | "1") => Ok(true),
            Some("false" | "False" | "0") => Ok(false),
            Some(_) => Err(Refusal::invalid(name, "must be true or false")),
        }
    }

    pub(crate) fn number(&self, name: &str) -> Result<Option<u64>, Refusal> {
        let Some(text) = self.text(name) else { return Ok(None) };
        // `+5` parses as a number too, but no client means that.
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse() {
            Ok(number) if digits => Ok(Some(number)),
            _ => Err(Refusal::invalid(name, "must be a whole number")),
        }
    }

    pub(crate) fn instant(&self, name: &str) -> Result<Option<Timestamp>, Refusal> {
        let Some(text) = self.text(name) else { return Ok(None) };
        match Timestamp::parse(text) {
            Ok(instant) => Ok(Some(instant)),
            Err(_) => Err(Refusal::invalid(name, "must be an RFC 3339 time")),
        }
    }

    pub(crate) fn hash(&self, name: &str) -> Result<Option<Sha256>, Refusal> {
        self.text(name).map(|text| hash(name, text)).transpose()
    }
}

/// Reads 64 lowercase hexadecimal digits.
pub(crate) fn hash(name: &str, text: &str) -> Result<Sha256, Refusal> {
    Sha256::from_hex(text)
        .filter(|_| !text.bytes().any(|byte| byte.is_ascii_uppercase()))
        .ok_or_else(|| Refusal::invalid(name, "must be 64 lowercase hexadecimal characters"))
}

/// A name a client gave, short enough for an answer.
fn shown(name: &str) -> String {
    name.chars().filter(|letter| !letter.is_control()).take(80).collect()
}

/// Decodes percent escapes and plus signs; `None` when it is no escape or no UTF-8.
pub(crate) fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let high = char::from(rest.next()?).to_digit(16)?;
                let low = char::from(rest.next()?).to_digit(16)?;
                bytes.push(u8::try_from(high * 16 + low).ok()?);
            }
            b'+' => bytes.push(b' '),
            byte => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_and_values_are_decoded() {
        let query = Query::parse("created_at%5Bgte%5D=2026-11-20T10%3A00%3A00%2B00%3A00&limit=5&&beta=true")
            .expect("pairs");
        assert_eq!(query.text("created_at[gte]"), Some("2026-11-20T10:00:00+00:00"));
        assert!(query.instant("created_at[gte]").expect("a time").is_some());
        assert_eq!(query.number("limit").expect("a number"), Some(5));
        assert!(Query::parse("limit=1&limit=2").is_err());
        assert!(Query::parse("a=%zz").is_err());
        assert!(Query::parse("limit=+5").expect("pairs").number("limit").is_err());
    }

    proptest! {
        #[test]
        fn no_query_panics(text: String) {
            if let Ok(query) = Query::parse(&text) {
                let _ = (query.number("limit"), query.boolean("a"), query.instant("b"), query.hash("c"));
            }
        }
    }
}
