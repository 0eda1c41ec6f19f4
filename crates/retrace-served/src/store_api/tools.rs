//! The agent tools of the seed, over a store.

use super::Stop;
use super::read::{memory_object, text_of};
use super::write::Writing;
use retrace_log::{ApiStoreRow, Reader};
use retrace_model::StoreId;
use retrace_store_api::legacy::Tool;
use retrace_store_api::{CreateMemory, DeleteMemory, MemoryPath, Refusal, UpdateMemory, View};
use serde_json::{Value, json};

/// Lines a search answers with at most.
const MAX_LINES: usize = 100;

fn text_answer(content: impl Into<String>) -> Value {
    json!({ "content": content.into(), "is_error": false })
}

fn failed(content: impl Into<String>) -> Value {
    json!({ "content": content.into(), "is_error": true })
}

/// A tool that reads.
pub(super) fn read(reader: &Reader<'_>, store: &ApiStoreRow, tool: &Tool) -> Result<Value, Stop> {
    match tool {
        Tool::List(prefix) => {
            let mut lines = Vec::new();
            for (_, seq) in reader.live_paths(store.id, prefix.relative())? {
                if let Some(record) = reader.live_record_of(seq)?
                    && let Some(memory) = memory_object(reader, &record, View::Basic)?
                {
                    let unit = if memory.size == 1 { "byte" } else { "bytes" };
                    lines.push(format!("{} ({} {unit})", memory.path, memory.size));
                }
            }
            Ok(text_answer(if lines.is_empty() {
                "There are no memories.".to_owned()
            } else {
                lines.join("\n")
            }))
        }
        Tool::Search(query) => search(reader, store.id, &query.to_lowercase()),
        Tool::Read(path) => match text_at(reader, store.id, path)? {
            Some(text) => Ok(text_answer(text)),
            None => Ok(missing(path)),
        },
        Tool::Unreadable(why) => Ok(failed(why.clone())),
        Tool::Write(..) | Tool::Edit { .. } | Tool::Delete(_) => Ok(failed("This tool writes.")),
    }
}

fn missing(path: &MemoryPath) -> Value {
    failed(format!("There is no memory at {path}."))
}

fn text_at(reader: &Reader<'_>, store: StoreId, path: &MemoryPath) -> Result<Option<String>, Stop> {
    match reader.live_record_at(store, &path.relative())? {
        Some(record) => text_of(reader, &record.head),
        None => Ok(None),
    }
}

fn search(reader: &Reader<'_>, store: StoreId, query: &str) -> Result<Value, Stop> {
    let mut lines = Vec::new();
    for (path, seq) in reader.live_paths(store, b"")? {
        let Some(record) = reader.live_record_of(seq)? else { continue };
        let Some(text) = text_of(reader, &record.head)? else { continue };
        for (number, line) in (1..).zip(text.lines()) {
            if line.to_lowercase().contains(query) {
                if lines.len() == MAX_LINES {
                    lines.push(format!("Only the first {MAX_LINES} lines are shown."));
                    return Ok(text_answer(lines.join("\n")));
                }
                lines.push(format!("/{path}:{number}: {line}"));
            }
        }
    }
    Ok(text_answer(if lines.is_empty() { "Nothing was found.".to_owned() } else { lines.join("\n") }))
}

/// A tool that writes. What the API refuses is an answer for the model.
pub(super) fn write(writing: &mut Writing<'_, '_>, store: StoreId, tool: &Tool) -> Result<Value, Stop> {
    super::read::shown(&writing.act.reader(), store)?;
    match done(writing, store, tool) {
        Err(Stop::Refused(refusal)) => Ok(failed(refusal.message)),
        other => other,
    }
}

fn done(writing: &mut Writing<'_, '_>, store: StoreId, tool: &Tool) -> Result<Value, Stop> {
    match tool {
        Tool::Write(path, content) => {
            let (path, content) = (path.clone(), content.clone());
            let text = format!("Wrote {path}.");
            let new = CreateMemory { path, content, view: View::Basic, overwrite: true, expected: None };
            writing.create_memory(store, &new)?;
            Ok(text_answer(text))
        }
        Tool::Edit { path, old, new } => {
            let reader = writing.act.reader();
            let record = reader.live_record_at(store, &path.relative())?;
            let Some(record) = record else { return Ok(missing(path)) };
            let Some(text) = text_of(&reader, &record.head)? else { return Ok(missing(path)) };
            match text.matches(old.as_str()).count() {
                0 => return Ok(failed(format!("The text does not stand in {path}."))),
                1 => {}
                times => {
                    return Ok(failed(format!("The text stands {times} times in {path}; give more of it.")));
                }
            }
            let content = text.replacen(old.as_str(), new, 1);
            if content.len() > retrace_store_api::limits::CONTENT_BYTES {
                return Ok(failed("The memory would become too large."));
            }
            let expected = record.head.content.map(|content| content.sha256);
            let content = Some(content);
            let change =
                UpdateMemory { content, path: None, expected, unless_taken: false, view: View::Basic };
            writing.update_memory(store, record.head.memory, &change)?;
            Ok(text_answer(format!("Changed {path}.")))
        }
        Tool::Delete(path) => {
            let record = writing.act.reader().live_record_at(store, &path.relative())?;
            let Some(record) = record else { return Ok(missing(path)) };
            writing.delete_memory(store, record.head.memory, DeleteMemory { expected: None })?;
            Ok(text_answer(format!("Deleted {path}.")))
        }
        Tool::List(_) | Tool::Search(_) | Tool::Read(_) | Tool::Unreadable(_) => {
            Err(Refusal::not_found("tool", "").into())
        }
    }
}
