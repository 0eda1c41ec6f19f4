//! Bodies of requests: one JSON object, its fields read with the API's words for what is wrong.

use crate::limits::{
    CONTENT_BYTES, DESCRIPTION_CHARACTERS, METADATA_KEY_CHARACTERS, METADATA_PAIRS,
    METADATA_VALUE_CHARACTERS, NAME_CHARACTERS,
};
use crate::open::{CONTENT_NULL, CONTENT_TOO_LARGE};
use crate::refusal::Refusal;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The fields of a body.
pub(crate) struct Body(Map<String, Value>);

impl Body {
    /// Reads a body. An empty one has no fields, as that of a client which sends none.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, Refusal> {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(Self(Map::new()));
        }
        match serde_json::from_slice(bytes) {
            Ok(Value::Object(fields)) => Ok(Self(fields)),
            Ok(_) => Err(Refusal::invalid("body", "must be a JSON object")),
            Err(error) => Err(Refusal::invalid("body", format!("is not JSON: {error}"))),
        }
    }

    /// A field that is there and not null.
    pub(crate) fn given(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    pub(crate) fn optional_text(&self, name: &str) -> Result<Option<&str>, Refusal> {
        match self.given(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(Refusal::invalid(name, "must be a string")),
        }
    }

    pub(crate) fn text(&self, name: &str) -> Result<&str, Refusal> {
        self.optional_text(name)?.ok_or_else(|| Refusal::invalid(name, "is required"))
    }

    /// The content of a new memory, which may be empty but not missing.
    pub(crate) fn content(&self) -> Result<String, Refusal> {
        if self.0.get("content").is_some_and(Value::is_null) {
            return Err(Refusal::new(CONTENT_NULL, "content: must be a string"));
        }
        checked_content(self.text("content")?)
    }

    /// The content of an update; `None` leaves it as it is.
    pub(crate) fn new_content(&self) -> Result<Option<String>, Refusal> {
        self.optional_text("content")?.map(checked_content).transpose()
    }

    pub(crate) fn name(&self) -> Result<Option<String>, Refusal> {
        let Some(name) = self.optional_text("name")? else { return Ok(None) };
        let characters = name.chars().count();
        if characters == 0 || characters > NAME_CHARACTERS {
            return Err(Refusal::invalid("name", say::must_1_characters(NAME_CHARACTERS)));
        }
        if name.chars().any(char::is_control) {
            return Err(Refusal::invalid("name", say::must_not_contain_control_characters()));
        }
        Ok(Some(name.to_owned()))
    }

    pub(crate) fn description(&self) -> Result<Option<String>, Refusal> {
        let Some(text) = self.optional_text("description")? else { return Ok(None) };
        if text.chars().count() > DESCRIPTION_CHARACTERS {
            let most = format!("must have at most {DESCRIPTION_CHARACTERS} characters");
            return Err(Refusal::invalid("description", most));
        }
        Ok(Some(text.to_owned()))
    }

    /// Metadata as a patch: `None` takes a key away. Limits on single pairs are checked, the number of pairs is not.
    pub(crate) fn metadata(&self) -> Result<Option<BTreeMap<String, Option<String>>>, Refusal> {
        let pairs = match self.given("metadata") {
            None => return Ok(None),
            Some(Value::Object(pairs)) => pairs,
            Some(_) => return Err(Refusal::invalid("metadata", "must be an object")),
        };
        let mut patch = BTreeMap::new();
        for (key, value) in pairs {
            let characters = key.chars().count();
            if characters == 0 || characters > METADATA_KEY_CHARACTERS {
                let range = format!("keys must have 1 to {METADATA_KEY_CHARACTERS} characters");
                return Err(Refusal::invalid("metadata", range));
            }
            let value = match value {
                Value::Null => None,
                Value::String(text) if text.chars().count() <= METADATA_VALUE_CHARACTERS => {
                    Some(text.clone())
                }
                Value::String(_) => {
                    let most = format!("values must have at most {METADATA_VALUE_CHARACTERS} characters");
                    return Err(Refusal::invalid("metadata", most));
                }
                _ => return Err(Refusal::invalid("metadata", "values must be strings")),
            };
            patch.insert(key.clone(), value);
        }
        Ok(Some(patch))
    }
}

/// Checks that metadata has no more pairs than a store may.
pub(crate) fn check_pairs(pairs: usize) -> Result<(), Refusal> {
    if pairs > METADATA_PAIRS {
        return Err(Refusal::invalid("metadata", format!("must have at most {METADATA_PAIRS} pairs")));
    }
    Ok(())
}

fn checked_content(text: &str) -> Result<String, Refusal> {
    if text.len() > CONTENT_BYTES {
        return Err(Refusal::new(
            CONTENT_TOO_LARGE,
            format!("content: must be at most {CONTENT_BYTES} bytes of UTF-8"),
        ));
    }
    Ok(text.to_owned())
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "body";
    must_1_characters(value) => "must have 1 to {value} characters",
    must_not_contain_control_characters() => "must not contain control characters",
}
