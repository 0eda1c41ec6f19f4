//! Counting the texts of one message. Nothing here looks at another message, so that messages can be counted apart.

use super::framing::{Framing, TOOL_DEFINITIONS_PERCENT};
use super::{BlockCount, Estimate, FileCount, RepeatCount, TextCounter, files, media};
use crate::weight::{FileClass, FileSource, PreambleCount, PreambleWeight, PromptFile};
use retrace_tokens::Family;
use retrace_transcript::{AttachedFile, BlockKind, Message, ResultPart, Sent};
use serde_json::Value;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Counts every block of a message.
pub(super) fn count_message(
    message: &Message,
    counter: &dyn TextCounter,
    framing: &Framing,
) -> Vec<BlockCount> {
    message.blocks.iter().map(|block| count_block(&block.kind, counter, framing)).collect()
}

fn count_block(kind: &BlockKind, counter: &dyn TextCounter, framing: &Framing) -> BlockCount {
    match kind {
        BlockKind::Text { text } => count_text(text, counter),
        BlockKind::Thinking { text, .. } => {
            BlockCount { characters: text.chars().count() as u64, ..BlockCount::default() }
        }
        BlockKind::ToolUse { name, .. } => {
            let input = kind.sent_input().unwrap_or_default();
            if framing.calls_are_json {
                count_json_call(name, &input, counter)
            } else {
                count_call(name, &input, counter)
            }
        }
        BlockKind::ToolResult { content, .. } => count_result(content, counter),
        BlockKind::Media(media) => BlockCount { media: media::estimate(media), ..BlockCount::default() },
        BlockKind::Attachment { attachment, files, text, rendered } => {
            let count = count_attachment(attachment, files, text, rendered.as_deref(), counter);
            match rendered {
                Some(rendered) => {
                    // What is attached is told by its name already.
                    let repeats = if files.is_empty() { repeats(rendered, counter) } else { Vec::new() };
                    BlockCount { files: count.files, repeats, ..of_text(rendered, counter) }
                }
                None => count,
            }
        }
        BlockKind::Compaction { content } => of_text(content.as_deref().unwrap_or_default(), counter),
        BlockKind::Unknown { json, .. } => of_text(json, counter),
    }
}

fn of_text(text: &str, counter: &dyn TextCounter) -> BlockCount {
    BlockCount { text: counter.content(text), ..BlockCount::default() }
}

fn count_text(text: &str, counter: &dyn TextCounter) -> BlockCount {
    let files = files::embedded(text)
        .into_iter()
        .map(|file| FileCount {
            class: file.class,
            source: FileSource::Embedded,
            partial: files::is_cut(&text[file.range.clone()]),
            tokens: counter.content(&text[file.range]),
            path: file.path.into_owned(),
        })
        .collect();
    BlockCount { files, repeats: repeats(text, counter), ..of_text(text, counter) }
}

/// Parts of readings that the client repeats in a text.
fn repeats(text: &str, counter: &dyn TextCounter) -> Vec<RepeatCount> {
    let count = |part| match part {
        files::Repeated::Called(input) => RepeatCount::Called(files::read_by("Read", &input)),
        files::Repeated::Answered(range) => RepeatCount::Answered { tokens: counter.content(&text[range]) },
    };
    files::repeated(text).into_iter().map(count).collect()
}

/// A call as Claude's are counted: the tool's name, then name and value of each parameter.
fn count_call(name: &str, input: &Value, counter: &dyn TextCounter) -> BlockCount {
    let mut text = name.to_owned();
    let mut add = |part: &str| {
        text.push('\n');
        text.push_str(part);
    };
    let mut parameters = 0;
    match input {
        Value::Object(fields) => {
            for (field, value) in fields {
                parameters += 1;
                add(field);
                match value {
                    Value::String(string) => add(string),
                    other => add(&other.to_string()),
                }
            }
        }
        Value::Null => {}
        Value::String(string) => add(string),
        other => add(&other.to_string()),
    }
    let name = counter.content(name);
    let text = counter.content(&text).saturating_sub(name);
    BlockCount { text, name, parameters, ..BlockCount::default() }
}

/// A call as its arguments are written: JSON, or a text as it is.
fn count_json_call(name: &str, input: &Value, counter: &dyn TextCounter) -> BlockCount {
    let text = match input {
        Value::Null => 0,
        Value::String(text) => counter.content(text),
        other => counter.content(&other.to_string()),
    };
    let parameters = input.as_object().map_or(0, |fields| fields.len() as u64);
    BlockCount { text, name: counter.content(name), parameters, ..BlockCount::default() }
}

fn count_result(content: &[ResultPart], counter: &dyn TextCounter) -> BlockCount {
    let mut count = BlockCount::default();
    for part in content {
        match part {
            ResultPart::Text(text) | ResultPart::Other(text) => {
                count.text = count.text.saturating_add(counter.content(text));
                count.files.extend(files::added(text).into_iter().map(|file| FileCount {
                    class: file.class,
                    source: FileSource::Attached,
                    partial: files::is_cut(&text[file.range.clone()]),
                    tokens: counter.content(&text[file.range]),
                    path: file.path.into_owned(),
                }));
            }
            ResultPart::Media(media) => count.media.add(media::estimate(media)),
        }
    }
    count
}

fn count_attachment(
    attachment: &str,
    attached: &[AttachedFile],
    text: &str,
    rendered: Option<&str>,
    counter: &dyn TextCounter,
) -> BlockCount {
    let mut count = of_text(text, counter);
    for file in attached {
        // Where the file says what was sent, a heading counts if it is in it.
        let heading = format!("Contents of {}", file.path);
        let heading = match rendered.is_none_or(|rendered| rendered.contains(&heading)) {
            true => counter.content(&format!("{heading}:\n\n")),
            false => 0,
        };
        let tokens = counter.content(&file.content).saturating_add(heading);
        count.text = count.text.saturating_add(tokens);
        let imported = || (file.sent == Sent::WithImports).then_some(FileClass::Instructions);
        if let Some(class) = files::class_of_attached(attachment, &file.kind, &file.path).or_else(imported) {
            let source = FileSource::Attached;
            count.files.push(FileCount {
                path: file.path.clone(),
                class,
                source,
                tokens,
                partial: file.sent == Sent::Cut || files::is_cut(&file.content),
            });
        }
    }
    count
}

/// Tokens of a system prompt, and the files in it.
pub(super) fn system(system: &[String], counter: &dyn TextCounter) -> (u64, Vec<PromptFile>) {
    let in_text = |text: &String| -> Vec<PromptFile> {
        let file = |file: files::Embedded<'_>| PromptFile {
            partial: files::is_cut(&text[file.range.clone()]),
            tokens: counter.content(&text[file.range]),
            path: file.path.into_owned(),
            class: file.class,
        };
        files::in_prompt(text).into_iter().map(file).collect()
    };
    let tokens = system.iter().map(|text| counter.content(text)).fold(0, u64::saturating_add);
    (tokens, system.iter().flat_map(in_text).collect())
}

/// A preamble whose system prompt and tools were counted. Tools are counted by the JSON of their definitions, to which the prompt
/// comes that the API puts in with them.
pub(super) fn preamble(
    (system, files): (u64, Vec<PromptFile>),
    tools: Vec<u64>,
    framing: &Framing,
) -> PreambleCount {
    let definitions = tools.iter().copied().fold(0, u64::saturating_add);
    let prompt = if tools.is_empty() { 0 } else { framing.tool_prompt };
    let weight = PreambleWeight { system, tools: definitions.saturating_add(prompt) };
    PreambleCount { weight, tools, files }
}

/// The range of a preamble's tokens, as counted with a family.
pub(crate) fn preamble_range(weight: PreambleWeight, family: Option<Family>) -> Estimate {
    let margin = u64::try_from(u128::from(weight.tools) * u128::from(TOOL_DEFINITIONS_PERCENT) / 100)
        .unwrap_or(u64::MAX);
    let middle = weight.system.saturating_add(weight.tools);
    let (low, high) = family.and_then(|family| family.range(middle)).unwrap_or((middle, middle));
    Estimate { low: low.saturating_sub(margin), middle, high: high.saturating_add(margin) }
}

/// Tells a message from another by the kinds and lengths of its blocks and the ids of its calls: enough for a file that is
/// only appended to, whose lines do not change.
pub(super) fn fingerprint(message: &Message) -> u64 {
    let mut hasher = DefaultHasher::new();
    message.uuid.hash(&mut hasher);
    message.line.hash(&mut hasher);
    for block in &message.blocks {
        std::mem::discriminant(&block.kind).hash(&mut hasher);
        match &block.kind {
            BlockKind::Text { text } | BlockKind::Thinking { text, .. } => text.len().hash(&mut hasher),
            BlockKind::ToolUse { id, name, .. } => (id, name).hash(&mut hasher),
            BlockKind::ToolResult { tool_use_id, content, .. } => {
                tool_use_id.hash(&mut hasher);
                for part in content {
                    part_size(part).hash(&mut hasher);
                }
            }
            BlockKind::Media(media) => media.bytes.hash(&mut hasher),
            BlockKind::Attachment { attachment, files, text, rendered } => {
                (attachment, text.len(), files.len(), rendered.as_ref().map(String::len)).hash(&mut hasher);
                for file in files {
                    (&file.path, file.content.len()).hash(&mut hasher);
                }
            }
            BlockKind::Compaction { content } => content.as_ref().map(String::len).hash(&mut hasher),
            BlockKind::Unknown { json, .. } => json.len().hash(&mut hasher),
        }
    }
    hasher.finish()
}

fn part_size(part: &ResultPart) -> u64 {
    match part {
        ResultPart::Text(text) | ResultPart::Other(text) => text.len() as u64,
        ResultPart::Media(media) => media.bytes,
    }
}
