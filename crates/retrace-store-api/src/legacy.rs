//! Agent tools that only the seed of the API had. Their names are the seed's, their parameters are our own,
//! because none was ever published.

use crate::body::Body;
use crate::limits::CONTENT_BYTES;
use crate::path::{MemoryPath, Prefix};
use crate::refusal::{Kind, Refusal};
use serde_json::{Value, json};

/// A call of one of the tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// Tool to run.
    pub tool: Tool,
    /// The session that calls, which becomes the author.
    pub session: Option<String>,
}

/// Request to a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tool {
    /// The paths below a prefix.
    List(Prefix),
    /// Lines that hold a text.
    Search(String),
    /// A content.
    Read(MemoryPath),
    /// Make or replace a memory.
    Write(MemoryPath, String),
    /// Replace the one place where a text stands.
    Edit {
        /// Of this memory.
        path: MemoryPath,
        /// The text that stands there.
        old: String,
        /// The text that is to stand there.
        new: String,
    },
    /// Delete a memory.
    Delete(MemoryPath),
    /// An input that cannot be read, and why. The model wrote it, so the model is told, as of anything else a tool refuses.
    Unreadable(String),
}

impl ToolCall {
    /// True if it changes anything.
    #[must_use]
    pub fn writes(&self) -> bool {
        matches!(self.tool, Tool::Write(..) | Tool::Edit { .. } | Tool::Delete(_))
    }
}

/// Reads `{"input": {…}, "session_id": …}`.
pub(crate) fn read(name: &str, body: &Body) -> Result<ToolCall, Refusal> {
    let session = body.optional_text("session_id")?.map(str::to_owned);
    let tool = match tool(name, body) {
        Err(refusal) if refusal.kind == Kind::InvalidRequest => Tool::Unreadable(refusal.message.into_text()),
        read => read?,
    };
    Ok(ToolCall { tool, session })
}

fn tool(name: &str, body: &Body) -> Result<Tool, Refusal> {
    let input = body.given("input").cloned().unwrap_or_else(|| json!({}));
    let input = Body::parse(input.to_string().as_bytes())?;
    let path = || MemoryPath::parse(input.text("path")?);
    Ok(match name {
        "memory_list" => Tool::List(
            input.optional_text("path_prefix")?.map(Prefix::parse).transpose()?.unwrap_or_else(Prefix::root),
        ),
        "memory_search" => match input.text("query")? {
            "" => return Err(Refusal::invalid("query", "must not be empty")),
            query => Tool::Search(query.to_owned()),
        },
        "memory_read" => Tool::Read(path()?),
        "memory_write" => Tool::Write(path()?, input.content()?),
        "memory_edit" => match input.text("old_str")? {
            "" => return Err(Refusal::invalid("old_str", "must not be empty")),
            old => Tool::Edit {
                path: path()?,
                old: old.to_owned(),
                new: input.optional_text("new_str")?.unwrap_or_default().to_owned(),
            },
        },
        "memory_delete" => Tool::Delete(path()?),
        _ => return Err(Refusal::not_found("tool", name)),
    })
}

/// The definitions of the tools, as a Messages request takes them.
#[must_use]
pub fn definitions() -> Value {
    let path = json!({ "type": "string", "description": "Path of the memory, beginning with a slash, such as /notes/todo.md" });
    let content =
        json!({ "type": "string", "description": format!("The whole text, at most {CONTENT_BYTES} bytes") });
    let tool = |name: &str, description: &str, properties: Value, required: &[&str]| {
        json!({
            "name": name,
            "description": description,
            "input_schema": { "type": "object", "properties": properties, "required": required },
        })
    };
    let prefix =
        json!({ "type": "string", "description": "Only below this directory; begins and ends with a slash" });
    json!([
        tool("memory_list", "List the memories of the store.", json!({ "path_prefix": prefix }), &[]),
        tool(
            "memory_search",
            "Find the lines of all memories that hold a text; upper and lower case are the same.",
            json!({ "query": { "type": "string", "description": "The text" } }),
            &["query"]
        ),
        tool("memory_read", "Read a memory.", json!({ "path": path }), &["path"]),
        tool(
            "memory_write",
            "Make a memory, or replace what it holds.",
            json!({ "path": path, "content": content }),
            &["path", "content"]
        ),
        tool(
            "memory_edit",
            "Replace a text that stands exactly once in a memory.",
            json!({
                "path": path,
                "old_str": { "type": "string", "description": "The text that stands there" },
                "new_str": { "type": "string", "description": "The text that is to stand there; nothing deletes it" },
            }),
            &["path", "old_str"]
        ),
        tool("memory_delete", "Delete a memory.", json!({ "path": path }), &["path"]),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_defined_tool_is_read_from_what_it_requires() {
        let Value::Array(tools) = definitions() else { panic!("a list") };
        assert_eq!(tools.len(), 6);
        for tool in tools {
            let name = tool["name"].as_str().expect("a name");
            let required = tool["input_schema"]["required"].as_array().expect("a list");
            let input: serde_json::Map<String, Value> = required
                .iter()
                .map(|field| (field.as_str().expect("a name").to_owned(), "/a".into()))
                .collect();
            let body = json!({ "input": input, "session_id": "sesn_1" }).to_string();
            let call = read(name, &Body::parse(body.as_bytes()).expect("a body")).expect(name);
            assert_eq!(call.session.as_deref(), Some("sesn_1"));
            if !required.is_empty() {
                let call = read(name, &Body::parse(b"{}").expect("a body")).expect(name);
                assert!(matches!(call.tool, Tool::Unreadable(_)) && !call.writes(), "{name}");
            }
        }
    }

    #[test]
    fn what_the_model_wrote_wrong_is_reported_to_the_model_and_what_the_client_did_to_the_client() {
        let asked =
            |name: &str, body: Value| read(name, &Body::parse(body.to_string().as_bytes()).expect("a body"));
        for input in [json!({ "path": "no/slash" }), json!({ "path": 5 }), json!([]), json!("text")] {
            let call = asked("memory_read", json!({ "input": input })).expect("a call");
            assert!(matches!(call.tool, Tool::Unreadable(_)), "{call:?}");
        }
        let wrong = asked("memory_read", json!({ "input": { "path": "/a" }, "session_id": 5 }));
        assert_eq!(wrong.expect_err("no session").kind, Kind::InvalidRequest);
        assert_eq!(asked("memory_none", json!({})).expect_err("no tool").kind, Kind::NotFound);
    }
}
