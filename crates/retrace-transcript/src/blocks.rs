//! Content as the Messages API shapes it: one string, or blocks.

use crate::account::{count, odd};
use crate::lenient::{Content, Flag, Raw, Text, lenient_object};
use crate::media::{RawSource, from_base64, referred};
use crate::{Account, Block, BlockKind, MediaKind, Oddity, ResultPart};
use serde_json::Value;
use serde_json::value::RawValue;

lenient_object! {
    /// The fields of every known block together.
    struct RawBlock<'a> {
        kind: Text<'a> = "type",
        text: Text<'a> = "text",
        thinking: Text<'a> = "thinking",
        signature: Text<'a> = "signature",
        data: Text<'a> = "data",
        id: Text<'a> = "id",
        name: Text<'a> = "name",
        input: Raw<'a> = "input",
        tool_use_id: Text<'a> = "tool_use_id",
        content: Content<'a> = "content",
        is_error: Flag = "is_error",
        source: RawSource<'a> = "source",
    }
}

/// The blocks of a message's `content`. An empty string is no block. A content that is one object, which no format has,
/// is none either.
pub(crate) fn blocks(content: Content<'_>, line: u32, account: &mut Account) -> Vec<Block> {
    match content {
        Content::Text(text) if text.is_empty() => Vec::new(),
        Content::Text(text) => vec![Block { kind: BlockKind::Text { text: text.into_owned() }, line }],
        Content::List(items) => {
            items.into_iter().map(|item| Block { kind: block(item, account), line }).collect()
        }
        Content::Object => {
            odd(account, Oddity::ContentThatIsAnObject);
            Vec::new()
        }
        Content::Absent => Vec::new(),
    }
}

/// One block.
pub(crate) fn block(json: &RawValue, account: &mut Account) -> BlockKind {
    let raw: RawBlock<'_> = match json.get().as_bytes().first() {
        Some(b'"') => return BlockKind::Text { text: string(json.get()) },
        _ => serde_json::from_str(json.get()).unwrap_or_default(),
    };
    let kind = raw.kind.or_empty();
    match kind {
        "text" => BlockKind::Text { text: owned(raw.text) },
        "thinking" => BlockKind::Thinking {
            text: owned(raw.thinking),
            signature_bytes: raw.signature.or_empty().len(),
            redacted: false,
        },
        "redacted_thinking" => BlockKind::Thinking {
            text: String::new(),
            signature_bytes: raw.data.or_empty().len(),
            redacted: true,
        },
        "tool_use" | "server_tool_use" | "mcp_tool_use" => BlockKind::ToolUse {
            server: kind != "tool_use",
            id: owned(raw.id),
            name: owned(raw.name),
            input: raw.input.0.map_or(Value::Null, input),
            added: Vec::new(),
        },
        "image" | "document" => media(&raw),
        "compaction" => BlockKind::Compaction {
            content: match raw.content {
                Content::Text(text) => Some(text.into_owned()),
                _ => None,
            },
        },
        _ if kind == "tool_result" || kind.ends_with("_tool_result") => BlockKind::ToolResult {
            server: kind != "tool_result",
            tool_use_id: owned(raw.tool_use_id),
            content: parts(raw.content, json, account),
            is_error: raw.is_error.0,
            denied: false,
        },
        _ => {
            count(&mut account.unknown, &format!("block/{kind}"));
            BlockKind::Unknown { type_name: kind.to_owned(), json: json.get().to_owned() }
        }
    }
}

/// A tool's input. Nested deeper than can be read, it is kept as text.
fn input(json: &RawValue) -> Value {
    serde_json::from_str(json.get()).unwrap_or_else(|_| Value::String(json.get().to_owned()))
}

fn media(raw: &RawBlock<'_>) -> BlockKind {
    let kind = if raw.kind.as_str() == Some("image") { MediaKind::Image } else { MediaKind::Document };
    let source = &raw.source;
    let media_type = source.media_type.or_empty();
    match source.kind.or_empty() {
        // The model reads a document of plain text as that text.
        "text" => BlockKind::Text { text: source.data.or_empty().to_owned() },
        "base64" => BlockKind::Media(from_base64(kind, media_type, source.data.or_empty())),
        _ => BlockKind::Media(referred(kind, media_type)),
    }
}

/// The parts of a tool's answer, which `block` holds.
fn parts(content: Content<'_>, block: &RawValue, account: &mut Account) -> Vec<ResultPart> {
    lenient_object! {
        struct Holder<'a> {
            content: Raw<'a> = "content",
        }
    }
    match content {
        Content::Text(text) => vec![ResultPart::Text(text.into_owned())],
        Content::List(items) => items.into_iter().map(|item| part(item, account)).collect(),
        // Some tools of the server answer with one object.
        Content::Object => {
            let holder: Holder<'_> = serde_json::from_str(block.get()).unwrap_or_default();
            holder.content.0.map(|content| part(content, account)).into_iter().collect()
        }
        Content::Absent => Vec::new(),
    }
}

fn part(json: &RawValue, account: &mut Account) -> ResultPart {
    lenient_object! {
        struct Kind<'a> {
            kind: Text<'a> = "type",
        }
    }
    let kind: Kind<'_> = serde_json::from_str(json.get()).unwrap_or_default();
    let is_string = json.get().starts_with('"');
    match kind.kind.or_empty() {
        "text" | "image" | "document" => match block(json, account) {
            BlockKind::Text { text } => ResultPart::Text(text),
            BlockKind::Media(media) => ResultPart::Media(media),
            _ => ResultPart::Other(json.get().to_owned()),
        },
        _ if is_string => ResultPart::Text(string(json.get())),
        _ => ResultPart::Other(json.get().to_owned()),
    }
}

fn owned(text: Text<'_>) -> String {
    text.into_string().unwrap_or_default()
}

/// The string a JSON text stands for. Lone surrogates make it unreadable: then it stays as it is written.
fn string(json: &str) -> String {
    serde_json::from_str(json).unwrap_or_else(|_| json.trim_matches('"').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> (Vec<Block>, Account) {
        let mut account = Account::default();
        (blocks(serde_json::from_str(json).unwrap(), 7, &mut account), account)
    }

    #[test]
    fn every_known_block_is_distinguished() {
        let (blocks, account) = read(
            r#"[{"type":"text","text":"a\nb"},{"type":"thinking","thinking":"t","signature":"abcd"},
            {"type":"redacted_thinking","data":"xyz"},{"type":"tool_use","id":"1","name":"Read","input":{"p":1}},
            {"type":"tool_result","tool_use_id":"1","content":"out","is_error":true},
            {"type":"web_search_tool_result","tool_use_id":"2","content":[{"type":"web_search_result"}]},
            {"type":"document","source":{"type":"text","data":"words"}},{"type":"image","source":{"type":"url"}},
            {"type":"compaction","content":"so far"},{"type":"compaction","content":null},
            {"type":"new_thing","x":[1]},"bare",7]"#,
        );
        let kinds: Vec<BlockKind> = blocks.into_iter().map(|block| block.kind).collect();
        let text = |text: &str| BlockKind::Text { text: text.to_owned() };
        assert_eq!(kinds[0], text("a\nb"));
        assert_eq!(kinds[1], BlockKind::Thinking { text: "t".into(), signature_bytes: 4, redacted: false });
        assert_eq!(kinds[2], BlockKind::Thinking { text: String::new(), signature_bytes: 3, redacted: true });
        assert!(matches!(&kinds[3], BlockKind::ToolUse { id, server: false, .. } if id == "1"));
        assert!(
            matches!(&kinds[4], BlockKind::ToolResult { is_error: true, content, .. } if content == &[ResultPart::Text("out".into())])
        );
        assert!(
            matches!(&kinds[5], BlockKind::ToolResult { server: true, content, .. } if matches!(content[0], ResultPart::Other(_)))
        );
        assert_eq!(kinds[6], text("words"));
        assert!(matches!(&kinds[7], BlockKind::Media(media) if media.bytes == 0));
        assert_eq!(kinds[8], BlockKind::Compaction { content: Some("so far".into()) });
        assert_eq!(kinds[9], BlockKind::Compaction { content: None });
        assert!(
            matches!(&kinds[10], BlockKind::Unknown { json, .. } if json == r#"{"type":"new_thing","x":[1]}"#)
        );
        assert_eq!(kinds[11], text("bare"));
        assert_eq!(account.unknown["block/new_thing"], 1);
        assert_eq!(account.unknown["block/"], 1);
    }

    #[test]
    fn wrong_types_are_no_error() {
        assert!(read("null").0.is_empty());
        assert!(read("\"\"").0.is_empty());
        assert!(read("17").0.is_empty());
        let (blocks, _) = read(r#"[{"type":"tool_use","id":5,"name":[],"input":"x"}]"#);
        assert!(
            matches!(&blocks[0].kind, BlockKind::ToolUse { id, input: Value::String(_), .. } if id.is_empty())
        );
    }

    #[test]
    fn an_input_too_deep_is_kept_as_text() {
        let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
        let (blocks, _) = read(&format!(r#"[{{"type":"tool_use","input":{deep}}}]"#));
        assert!(
            matches!(&blocks[0].kind, BlockKind::ToolUse { input: Value::String(text), .. } if *text == deep)
        );
    }
}
