//! Items of the OpenAI responses API, which Codex rollouts are made of too.

use crate::account::count;
use crate::lenient::{Count, List, Raw, Text, lenient_object};
use crate::media::{from_url, referred};
use crate::messages::tool;
use crate::{Account, BlockKind, MediaKind, Origin, ResultPart, Role, Tool, Usage};
use serde_json::Value;
use serde_json::value::RawValue;

lenient_object! {
    /// The fields of every known item together.
    struct RawItem<'a> {
        kind: Text<'a> = "type",
        role: Text<'a> = "role",
        id: Text<'a> = "id",
        call_id: Text<'a> = "call_id",
        name: Text<'a> = "name",
        content: Raw<'a> = "content",
        summary: Raw<'a> = "summary",
        encrypted: Text<'a> = "encrypted_content",
        arguments: Raw<'a> = "arguments",
        input: Raw<'a> = "input",
        action: Raw<'a> = "action",
        output: Raw<'a> = "output",
        tools: List<Raw<'a>> = "tools",
        passed_through: RawPassedThrough<'a> = "internal_chat_message_metadata_passthrough",
    }
}

lenient_object! {
    /// What Codex keeps with an item for itself (0.169).
    struct RawPassedThrough<'a> {
        kinds: List<Text<'a>> = "content_item_kinds",
    }
}

lenient_object! {
    /// A tool, or a namespace of tools.
    struct RawNamespace<'a> {
        kind: Text<'a> = "type",
        name: Text<'a> = "name",
        tools: List<Raw<'a>> = "tools",
    }
}

lenient_object! {
    struct RawPart<'a> {
        kind: Text<'a> = "type",
        text: Text<'a> = "text",
        refusal: Text<'a> = "refusal",
        encrypted: Text<'a> = "encrypted_content",
        image_url: Raw<'a> = "image_url",
        url: Text<'a> = "url",
        file_data: Text<'a> = "file_data",
    }
}

lenient_object! {
    /// `usage` of a response, and of Codex's `token_count`: input includes what was read from the cache.
    pub(crate) struct RawItemUsage<'a> {
        input: Count = "input_tokens",
        cached: Count = "cached_input_tokens",
        output: Count = "output_tokens",
        reasoning: Count = "reasoning_output_tokens",
        cache_write: Count = "cache_write_input_tokens",
        total: Count = "total_tokens",
        input_details: RawItemDetails<'a> = "input_tokens_details",
        output_details: RawItemDetails<'a> = "output_tokens_details",
    }
}

lenient_object! {
    pub(crate) struct RawItemDetails<'a> {
        cached: Count = "cached_tokens",
        reasoning: Count = "reasoning_tokens",
    }
}

impl RawItemUsage<'_> {
    pub(crate) fn is_recorded(&self) -> bool {
        self.input.0.is_some()
    }

    pub(crate) fn to_usage(&self) -> Usage {
        // Input is all of it, what the cache gave and took included.
        let all = self.input.or_zero();
        let cached = self.cached.0.or(self.input_details.cached.0).unwrap_or(0).min(all);
        let written = self.cache_write.or_zero().min(all - cached);
        Usage {
            input: all - cached - written,
            cache_read: cached,
            cache_creation: written,
            output: self.output.or_zero(),
            reasoning: self.reasoning.0.or(self.output_details.reasoning.0),
            ..Usage::default()
        }
    }
}

/// An item as part of a message.
#[derive(Debug)]
pub(crate) struct Item {
    pub role: Role,
    pub origin: Origin,
    pub blocks: Vec<BlockKind>,
    pub id: Option<String>,
    /// What Codex calls each block, such as `user.text` and `agents_md.instructions`; empty where it does not say.
    pub labels: Vec<String>,
    /// True if another agent sent it: it may come while a response is told.
    pub is_of_agent: bool,
    /// True if it is no message, but gives the model tools.
    pub is_tools: bool,
    /// These tools.
    pub tools: Vec<Tool>,
}

impl Item {
    fn new(role: Role, origin: Origin, blocks: Vec<BlockKind>, id: Option<String>) -> Self {
        Self {
            role,
            origin,
            blocks,
            id,
            labels: Vec::new(),
            is_of_agent: false,
            is_tools: false,
            tools: Vec::new(),
        }
    }

    /// A message of the model to which blocks will be added.
    pub(crate) fn answer(id: Option<String>) -> Self {
        Self::new(Role::Assistant, Origin::Model, Vec::new(), id)
    }

    /// The summary that stands for what was compacted.
    pub(crate) fn summary(text: String) -> Self {
        Self::new(Role::User, Origin::Summary, vec![BlockKind::Text { text }], None)
    }
}

/// Reads one item. Calls and reasoning are the model's, outputs of tools the user's.
pub(crate) fn item(json: &RawValue, account: &mut Account) -> Item {
    let raw: RawItem<'_> = serde_json::from_str(json.get()).unwrap_or_default();
    let kind = raw.kind.or_empty();
    let id = raw.id.as_str().map(str::to_owned);
    let of_model = |blocks| Item::new(Role::Assistant, Origin::Model, blocks, id.clone());
    match kind {
        "message" => message(&raw, account),
        "" if raw.role.as_str().is_some() => message(&raw, account),
        "agent_message" => agent_message(&raw, account),
        "reasoning" => of_model(vec![reasoning(&raw)]),
        "function_call" | "custom_tool_call" => of_model(vec![BlockKind::ToolUse {
            id: raw.call_id.or_empty().to_owned(),
            name: raw.name.or_empty().to_owned(),
            input: raw.arguments.0.or(raw.input.0).map(arguments).unwrap_or_default(),
            server: false,
            added: Vec::new(),
        }]),
        "local_shell_call" => of_model(vec![call_by_type(&raw, kind, false)]),
        _ if kind.ends_with("_call") => of_model(vec![call_by_type(&raw, kind, true)]),
        _ if kind.ends_with("_output") => {
            let result = BlockKind::ToolResult {
                tool_use_id: raw.call_id.or_empty().to_owned(),
                content: raw.output.0.map(|output| output_parts(output, account)).unwrap_or_default(),
                is_error: raw.output.0.is_some_and(says_failed),
                denied: false,
                server: false,
            };
            Item::new(Role::User, Origin::ToolResults, vec![result], id)
        }
        // Encrypted remains of a compaction by the server.
        "compaction" | "compaction_summary" | "context_compaction" => {
            let remains = BlockKind::Thinking {
                text: String::new(),
                signature_bytes: raw.encrypted.or_empty().len(),
                redacted: true,
            };
            Item::new(Role::User, Origin::Summary, vec![remains], id)
        }
        // Tools given among the messages: no answer of the model.
        "additional_tools" => {
            let tools = raw.tools.0.iter().filter_map(|tool| tool.0).flat_map(flattened).collect();
            Item { is_tools: true, tools, ..Item::new(Role::System, Origin::Client, Vec::new(), id) }
        }
        _ => {
            count(&mut account.unknown, &format!("item/{kind}"));
            of_model(vec![BlockKind::Unknown { type_name: kind.to_owned(), json: json.get().to_owned() }])
        }
    }
}

/// What one agent tells another: a task, a message, its final answer (Codex 0.169). The model gets it as input.
fn agent_message(raw: &RawItem<'_>, account: &mut Account) -> Item {
    let id = raw.id.as_str().map(str::to_owned);
    let item = Item::new(Role::User, Origin::Client, content(raw, account), id);
    Item { is_of_agent: true, ..item }
}

fn content(raw: &RawItem<'_>, account: &mut Account) -> Vec<BlockKind> {
    match raw.content.0 {
        Some(content) if content.get().starts_with('[') => {
            let parts: Vec<&RawValue> = serde_json::from_str(content.get()).unwrap_or_default();
            parts.into_iter().map(|part| content_part(part, account)).collect()
        }
        Some(content) => vec![content_part(content, account)],
        None => Vec::new(),
    }
}

fn message(raw: &RawItem<'_>, account: &mut Account) -> Item {
    let blocks = content(raw, account);
    let (role, origin) = match raw.role.or_empty() {
        "assistant" => (Role::Assistant, Origin::Model),
        "system" | "developer" => (Role::System, Origin::Client),
        _ => (Role::User, Origin::Unsaid),
    };
    let labels = raw.passed_through.kinds.0.iter().map(|label| label.or_empty().to_owned()).collect();
    Item { labels, ..Item::new(role, origin, blocks, raw.id.as_str().map(str::to_owned)) }
}

/// A tool, or each tool of a namespace under the name `namespace.tool`.
fn flattened(json: &RawValue) -> Vec<Tool> {
    let raw: RawNamespace<'_> = serde_json::from_str(json.get()).unwrap_or_default();
    if raw.kind.or_empty() != "namespace" {
        return tool(json).into_iter().collect();
    }
    let inside = raw.tools.0.iter().filter_map(|inside| tool(inside.0?));
    inside.map(|tool| Tool { name: format!("{}.{}", raw.name.or_empty(), tool.name), ..tool }).collect()
}

fn reasoning(raw: &RawItem<'_>) -> BlockKind {
    let mut texts = Vec::new();
    for list in [raw.summary.0, raw.content.0].into_iter().flatten() {
        let parts: List<RawPart<'_>> = serde_json::from_str(list.get()).unwrap_or_default();
        texts.extend(parts.0.into_iter().filter_map(|part| part.text.into_string()));
    }
    let encrypted = raw.encrypted.or_empty().len();
    BlockKind::Thinking { text: texts.join("\n"), signature_bytes: encrypted, redacted: encrypted > 0 }
}

/// A call of a tool whose item type is its name, such as `web_search_call`.
fn call_by_type(raw: &RawItem<'_>, kind: &str, server: bool) -> BlockKind {
    BlockKind::ToolUse {
        id: raw.call_id.as_str().or(raw.id.as_str()).unwrap_or_default().to_owned(),
        name: kind.trim_end_matches("_call").to_owned(),
        input: raw.action.0.or(raw.arguments.0).map(arguments).unwrap_or_default(),
        server,
        added: Vec::new(),
    }
}

/// Arguments of a call: JSON within a string, as a rule. What cannot be read stays text.
pub(crate) fn arguments(raw: &RawValue) -> Value {
    match serde_json::from_str(raw.get()) {
        Ok(Value::String(text)) => match serde_json::from_str::<Value>(&text) {
            Ok(object @ Value::Object(_)) => object,
            _ => Value::String(text),
        },
        Ok(value) => value,
        Err(_) => Value::String(raw.get().to_owned()),
    }
}

/// One part of a message's content.
pub(crate) fn content_part(json: &RawValue, account: &mut Account) -> BlockKind {
    if json.get().starts_with('"') {
        return BlockKind::Text { text: serde_json::from_str(json.get()).unwrap_or_default() };
    }
    let raw: RawPart<'_> = serde_json::from_str(json.get()).unwrap_or_default();
    match raw.kind.or_empty() {
        "text" | "input_text" | "output_text" | "summary_text" | "reasoning_text" => {
            BlockKind::Text { text: raw.text.into_string().unwrap_or_default() }
        }
        // Only the provider can read it.
        "encrypted_content" => {
            let signature_bytes = raw.encrypted.or_empty().len();
            BlockKind::Thinking { text: String::new(), signature_bytes, redacted: true }
        }
        "refusal" => BlockKind::Text { text: raw.refusal.into_string().unwrap_or_default() },
        "input_image" | "image_url" | "image" => {
            let url = raw.image_url.0.and_then(|url| {
                // A string, or an object that holds it.
                let object: RawPart<'_> = serde_json::from_str(url.get()).unwrap_or_default();
                object.url.into_string().or_else(|| serde_json::from_str(url.get()).ok())
            });
            BlockKind::Media(match url {
                Some(url) => from_url(MediaKind::Image, &url),
                None => referred(MediaKind::Image, ""),
            })
        }
        "input_file" | "file" => BlockKind::Media(match raw.file_data.as_str() {
            Some(data) => from_url(MediaKind::Document, data),
            None => referred(MediaKind::Document, ""),
        }),
        kind => {
            count(&mut account.unknown, &format!("part/{kind}"));
            BlockKind::Unknown { type_name: kind.to_owned(), json: json.get().to_owned() }
        }
    }
}

/// True if an output that is an object says that the tool failed.
fn says_failed(output: &RawValue) -> bool {
    lenient_object! {
        struct Outcome<'a> {
            success: Raw<'a> = "success",
        }
    }
    let json = output.get();
    let outcome: Outcome<'_> = if json.starts_with('{') {
        serde_json::from_str(json).unwrap_or_default()
    } else {
        Outcome::default()
    };
    outcome.success.0.is_some_and(|success| success.get() == "false")
}

/// A tool's output: a string, parts, or an object with the text under `content` or `output`.
fn output_parts(output: &RawValue, account: &mut Account) -> Vec<ResultPart> {
    lenient_object! {
        struct Holder<'a> {
            content: Text<'a> = "content",
            output: Text<'a> = "output",
        }
    }
    let json = output.get();
    if json.starts_with('[') {
        let items: Vec<&RawValue> = serde_json::from_str(json).unwrap_or_default();
        let parts = items.into_iter().map(|item| match content_part(item, account) {
            BlockKind::Text { text } => ResultPart::Text(text),
            BlockKind::Media(media) => ResultPart::Media(media),
            _ => ResultPart::Other(item.get().to_owned()),
        });
        return parts.collect();
    }
    if json.starts_with('"') {
        return vec![ResultPart::Text(serde_json::from_str(json).unwrap_or_default())];
    }
    let holder: Holder<'_> = serde_json::from_str(json).unwrap_or_default();
    match holder.content.into_string().or(holder.output.into_string()) {
        Some(text) => vec![ResultPart::Text(text)],
        None => vec![ResultPart::Other(json.to_owned())],
    }
}
