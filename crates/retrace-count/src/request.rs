//! Body of a count, as the endpoint takes it, and the hash it is remembered by.

use crate::facts;
use retrace_message::{AsMessage, Message};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use std::io::{self, Write};

/// One request to be counted. The values are the API's own JSON, and go out unchanged.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CountRequest {
    /// The model's name.
    pub model: String,
    /// The array of messages.
    pub messages: Value,
    /// The system prompt: a string or an array of text blocks.
    pub system: Option<Value>,
    /// The array of tools.
    pub tools: Option<Value>,
    /// The setting of thinking.
    pub thinking: Option<Value>,
    /// The choice of tools.
    pub tool_choice: Option<Value>,
    /// The setting of context editing.
    pub context_management: Option<Value>,
    /// Values of `anthropic-beta`, without the one of counting itself, which is added.
    pub betas: Vec<String>,
    /// Further members of [`facts::MEMBERS`]; any other, or one that has a field above, is not sent.
    pub other: Map<String, Value>,
}

/// Answer of the endpoint. The vendor calls its counts an estimate of what a message would be billed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// Tokens of the request, after context editing where it asks for some.
    pub input_tokens: u64,
    /// Tokens before context editing; none where the request does not ask for any.
    pub original_input_tokens: Option<u64>,
}

/// The value is not a message request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, AsMessage)]
#[message("request")]
#[error("not a message request: {member} is missing or of the wrong type")]
pub struct NotARequest {
    /// The member that is missing or wrong.
    pub member: Message,
}

impl CountRequest {
    /// Takes over a request to the Messages API. What the endpoint does not take (`max_tokens`, `stream` and so on)
    /// is left out, as are members that are null; `betas`, where the SDK's form was kept, become the header.
    pub fn from_message_request(request: Value) -> Result<Self, NotARequest> {
        let Value::Object(mut members) = request else { return Err(NotARequest { member: say::object() }) };
        members.retain(|_, value| !value.is_null());
        let Some(Value::String(model)) = members.remove("model") else {
            return Err(NotARequest { member: Message::verbatim("model") });
        };
        let Some(messages @ Value::Array(_)) = members.remove("messages") else {
            return Err(NotARequest { member: Message::verbatim("messages") });
        };
        let betas = match members.remove("betas") {
            None => Vec::new(),
            Some(value) => serde_json::from_value(value)
                .map_err(|_| NotARequest { member: Message::verbatim("betas") })?,
        };
        let mut take = |name: &str| members.remove(name);
        let mut taken = Self {
            model,
            messages,
            system: take("system"),
            tools: take("tools"),
            thinking: take("thinking"),
            tool_choice: take("tool_choice"),
            context_management: take("context_management"),
            betas,
            other: Map::new(),
        };
        taken.other =
            members.into_iter().filter(|(name, _)| facts::MEMBERS.contains(&name.as_str())).collect();
        Ok(taken)
    }

    /// Adds the values of `anthropic-beta` that the request's own settings need and that it does not name yet. The
    /// SDK leaves this to the caller; the API refuses the settings without them.
    #[must_use]
    pub fn with_needed_betas(mut self) -> Self {
        let edits = self.context_management.as_ref().and_then(|value| value.get("edits")?.as_array());
        let types: Vec<&str> =
            edits.into_iter().flatten().filter_map(|edit| edit.get("type")?.as_str()).collect();
        let needed = [
            (types.iter().any(|name| name.starts_with("clear_")), facts::CONTEXT_MANAGEMENT_BETA),
            (types.iter().any(|name| name.starts_with("compact_")), facts::COMPACT_EDIT_BETA),
            (self.other.contains_key("compaction"), facts::COMPACTION_BETA),
        ];
        for (_, beta) in needed.into_iter().filter(|(needed, _)| *needed) {
            if !self.betas.iter().any(|named| named == beta) {
                self.betas.push(beta.to_owned());
            }
        }
        self
    }

    /// Value of `anthropic-beta`: none for the SDK's plain call, which serves when nothing needs the other.
    pub(crate) fn beta_header(&self) -> Option<String> {
        let beta_call =
            !self.betas.is_empty() || self.members().any(|(name, _)| facts::BETA_MEMBERS.contains(&name));
        beta_call.then(|| {
            let mut values: Vec<&str> = self.betas.iter().map(String::as_str).collect();
            values.push(facts::COUNTING_BETA);
            values.join(",")
        })
    }

    /// The members that are sent, in the SDK's order; the model is a string and comes apart.
    fn members(&self) -> impl Iterator<Item = (&'static str, Member<'_>)> {
        facts::MEMBERS.into_iter().filter_map(|name| {
            let value = match name {
                "model" => return Some((name, Member::Text(&self.model))),
                "messages" => Some(&self.messages),
                "system" => self.system.as_ref(),
                "tools" => self.tools.as_ref(),
                "thinking" => self.thinking.as_ref(),
                "tool_choice" => self.tool_choice.as_ref(),
                "context_management" => self.context_management.as_ref(),
                _ => self.other.get(name),
            };
            value.map(|value| (name, Member::Json(value)))
        })
    }

    /// The body as it is sent.
    pub(crate) fn body(&self) -> Vec<u8> {
        let mut body = Vec::new();
        self.write_body(&mut body, false).expect("a vector takes every byte, and keys of maps are strings");
        body
    }

    /// Length of the body, without holding it.
    pub(crate) fn body_bytes(&self) -> u64 {
        let mut length = Length(0);
        self.write_body(&mut length, false)
            .expect("a counter takes every byte, and keys of maps are strings");
        length.0
    }

    /// Hash of everything the answer depends on: the address, the API's version, the betas, and the body with the
    /// members of every object in order of their names.
    pub(crate) fn digest(&self, url: &str, version: &str) -> [u8; 32] {
        let mut hasher = Hasher(Sha256::new());
        let head = [DIGEST_FORM, url, version, &self.beta_header().unwrap_or_default()];
        serde_json::to_writer(&mut hasher, &head)
            .map_err(io::Error::from)
            .and_then(|()| self.write_body(&mut hasher, true))
            .expect("a hash takes every byte, and keys of maps are strings");
        hasher.0.finalize().into()
    }

    fn write_body(&self, out: &mut dyn Write, in_order: bool) -> io::Result<()> {
        let mut separator = "{";
        for (name, member) in self.members() {
            write!(out, "{separator}\"{name}\":")?;
            separator = ",";
            match member {
                Member::Text(text) => serde_json::to_writer(&mut *out, text)?,
                Member::Json(value) if in_order => write_in_order(value, out)?,
                Member::Json(value) => serde_json::to_writer(&mut *out, value)?,
            }
        }
        out.write_all(b"}")
    }
}

/// Marks how the hash is made, so that another way gets other hashes.
const DIGEST_FORM: &str = "retrace count_tokens 1";

/// A member's value.
enum Member<'a> {
    Text(&'a str),
    Json(&'a Value),
}

/// Writes a value with the members of objects sorted: whether a map keeps their order depends on how the program was
/// built, and the hash must not.
fn write_in_order(value: &Value, out: &mut dyn Write) -> io::Result<()> {
    match value {
        Value::Array(items) => {
            let mut separator = "[";
            for item in items {
                out.write_all(separator.as_bytes())?;
                separator = ",";
                write_in_order(item, out)?;
            }
            out.write_all(if items.is_empty() { b"[]" } else { b"]" })
        }
        Value::Object(members) => {
            let mut names: Vec<(&String, &Value)> = members.iter().collect();
            names.sort_unstable_by_key(|(name, _)| *name);
            let mut separator = "{";
            for (name, member) in names {
                out.write_all(separator.as_bytes())?;
                separator = ",";
                serde_json::to_writer(&mut *out, name)?;
                out.write_all(b":")?;
                write_in_order(member, out)?;
            }
            out.write_all(if members.is_empty() { b"{}" } else { b"}" })
        }
        scalar => Ok(serde_json::to_writer(out, scalar)?),
    }
}

struct Hasher(Sha256);

impl Write for Hasher {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Length(u64);

impl Write for Length {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.saturating_add(bytes.len() as u64);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "request";
    object() => "the object",
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn request() -> CountRequest {
        CountRequest {
            model: "claude-opus-5".into(),
            messages: json!([{"role": "user", "content": "Hello, é world"}]),
            ..CountRequest::default()
        }
    }

    #[test]
    fn the_body_is_the_one_that_the_sdk_sends() {
        // Recorded from the SDK, but for the order inside the values, which is the caller's.
        let plain = r#"{"messages":[{"content":"Hello, é world","role":"user"}],"model":"claude-opus-5"}"#;
        let body: Value = serde_json::from_slice(&request().body()).unwrap();
        assert_eq!(body, serde_json::from_str::<Value>(plain).unwrap());
        assert_eq!((request().body().len() as u64, request().body_bytes()), (82, 82));

        let full = CountRequest {
            system: Some(json!("s")),
            tools: Some(json!([])),
            thinking: Some(json!({"type": "enabled"})),
            tool_choice: Some(json!({"type": "auto"})),
            context_management: Some(json!({"edits": []})),
            other: json!({"speed": "fast", "max_tokens": 5, "model": "another"}).as_object().unwrap().clone(),
            ..request()
        };
        let text = String::from_utf8(full.body()).unwrap();
        let (_, rest) = text.split_once("\"model\"").unwrap();
        assert_eq!(
            rest,
            r#":"claude-opus-5","context_management":{"edits":[]},"speed":"fast","system":"s","thinking":{"type":"enabled"},"tool_choice":{"type":"auto"},"tools":[]}"#
        );
    }

    #[test]
    fn the_beta_header_is_the_one_that_the_sdk_sends() {
        assert_eq!(request().beta_header(), None);
        let with = |betas: &[&str], context: Option<Value>| CountRequest {
            betas: betas.iter().map(|beta| (*beta).to_owned()).collect(),
            context_management: context,
            ..request()
        };
        assert_eq!(with(&["a", "b"], None).beta_header().unwrap(), "a,b,token-counting-2024-11-01");
        assert_eq!(with(&[], Some(json!({}))).beta_header().unwrap(), "token-counting-2024-11-01");
    }

    #[test]
    fn needed_betas_are_added_once() {
        let edits =
            json!({"edits": [{"type": "clear_thinking_20251015"}, {"type": "compact_20260112"}, {}, 3]});
        let added = CountRequest { context_management: Some(edits), ..request() }.with_needed_betas();
        assert_eq!(added.betas, ["context-management-2025-06-27", "compact-2026-01-12"]);
        assert_eq!(added.clone().with_needed_betas(), added);
        assert!(request().with_needed_betas().betas.is_empty());
    }

    #[test]
    fn a_message_request_is_taken_over_without_what_the_endpoint_refuses() {
        let taken = CountRequest::from_message_request(json!({
            "model": "m", "messages": [], "max_tokens": 10, "stream": true, "system": null,
            "mcp_servers": [], "betas": ["x"], "metadata": {}
        }))
        .unwrap();
        assert_eq!(taken.system, None);
        assert_eq!(taken.betas, ["x"]);
        assert_eq!(taken.other.keys().collect::<Vec<_>>(), ["mcp_servers"]);
        for (value, member) in [
            (json!([]), say::object()),
            (json!({"messages": []}), Message::verbatim("model")),
            (json!({"model": "m", "messages": "x"}), Message::verbatim("messages")),
            (json!({"model": "m", "messages": [], "betas": [1]}), Message::verbatim("betas")),
        ] {
            assert_eq!(CountRequest::from_message_request(value), Err(NotARequest { member }));
        }
    }

    #[test]
    fn the_hash_is_about_content_address_and_betas_alone() {
        let one =
            CountRequest { tools: Some(serde_json::from_str(r#"[{"a":1,"b":[]}]"#).unwrap()), ..request() };
        let two = CountRequest {
            tools: Some(serde_json::from_str(r#"[ {"b": [], "a": 1} ]"#).unwrap()),
            ..request()
        };
        let hash = |request: &CountRequest| request.digest("u", "v");
        assert_eq!(hash(&one), hash(&two));
        assert_ne!(hash(&one), hash(&request()));
        assert_ne!(hash(&one), one.digest("u2", "v"));
        assert_ne!(hash(&one), one.digest("u", "v2"));
        assert_ne!(hash(&one), hash(&CountRequest { betas: vec!["x".into()], ..one.clone() }));
        assert_ne!(hash(&one), hash(&CountRequest { model: "other".into(), ..one.clone() }));
    }
}
