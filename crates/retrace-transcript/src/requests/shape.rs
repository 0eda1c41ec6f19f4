//! System prompt and tools of a request, read once for all that is made of them.

use super::Unproved;
use super::canonical::canonical;
use super::marks::Before;
use super::rewrite::{Marks, Rewriter};
use crate::lenient::{List, Text, lenient_object};
use crate::lines::trim;
use crate::{Preamble, Tool};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// System prompt and tools of a request as they were recorded. A session may have others for every request, so definitions of tools
/// are texts: who counts them needs no more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedPreamble {
    /// System prompt, one entry a text block.
    pub system: Vec<String>,
    /// Tools the model may call.
    pub tools: Vec<RecordedTool>,
}

/// A tool's definition as it was recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedTool {
    /// Name the model calls it by.
    pub name: String,
    /// The whole definition, as a [`Value`] of it is written.
    pub definition: String,
}

impl RecordedPreamble {
    /// With the definitions read.
    #[must_use]
    pub fn read(self) -> Preamble {
        let tools = self.tools.into_iter().map(|tool| Tool {
            name: tool.name,
            definition: serde_json::from_str(&tool.definition).unwrap_or_default(),
        });
        Preamble { system: self.system, tools: tools.collect() }
    }

    /// With the names of the tools alone.
    #[must_use]
    pub fn named(self) -> Preamble {
        let tools = self.tools.into_iter().map(|tool| Tool { name: tool.name, definition: Value::Null });
        Preamble { system: self.system, tools: tools.collect() }
    }
}

lenient_object! {
    struct ShapeLine<'a> {
        shape: Option<BTreeMap<String, &'a RawValue>> = "shape",
    }
}

lenient_object! {
    struct SystemBlock<'a> {
        text: Text<'a> = "text",
    }
}

lenient_object! {
    struct Named<'a> {
        name: Text<'a> = "name",
    }
}

/// What a line records of system prompt and tools.
#[derive(Debug, Default)]
pub(super) struct Shape {
    /// Its fields in canonical form.
    pub fields: BTreeMap<String, Vec<u8>>,
    /// The same as texts.
    pub preamble: RecordedPreamble,
    /// Sizes of its blocks.
    pub before: Before,
}

impl Shape {
    /// Of its line.
    pub(super) fn of(line: &[u8]) -> Result<Self, Unproved> {
        let line: ShapeLine<'_> = serde_json::from_slice(trim(line)).map_err(|_| Unproved::Unreadable)?;
        let (mut shape, mut rewriter) = (Self::default(), Rewriter::default());
        for (name, json) in line.shape.ok_or(Unproved::Unreadable)? {
            let field = match name.as_str() {
                "tools" if json.get().starts_with('[') => shape.tools(json, &mut rewriter),
                name => {
                    let mut field = Vec::with_capacity(json.get().len());
                    rewriter.rewrite(json, Marks::Kept, &mut field).and_then(|_| {
                        if name == "system" {
                            shape.system(json)?;
                        }
                        Some(field)
                    })
                }
            };
            shape.fields.insert(name, field.ok_or(Unproved::Unreadable)?);
        }
        Ok(shape)
    }

    fn system(&mut self, json: &RawValue) -> Option<()> {
        if json.get().starts_with('"') {
            self.preamble.system.push(serde_json::from_str(json.get()).ok()?);
            return Some(());
        }
        let blocks: List<SystemBlock<'_>> = serde_json::from_str(json.get()).ok()?;
        for block in blocks.0 {
            self.before.system.push(block.text.as_str().map_or(1, |text| text.len() as u64));
            self.preamble.system.extend(block.text.into_string());
        }
        Some(())
    }

    /// The list of tools in canonical form.
    fn tools(&mut self, json: &RawValue, rewriter: &mut Rewriter) -> Option<Vec<u8>> {
        let tools: Vec<&RawValue> = serde_json::from_str(json.get()).ok()?;
        self.before.tools = vec![1; tools.len()];
        let mut list = Vec::with_capacity(json.get().len());
        list.push(b'[');
        for tool in tools {
            if list.len() > 1 {
                list.push(b',');
            }
            let begun = list.len();
            let is_as_value = rewriter.rewrite(tool, Marks::Kept, &mut list)?.is_as_value;
            let name: Named<'_> = serde_json::from_str(tool.get()).ok()?;
            let definition = match is_as_value {
                true => String::from_utf8(list[begun..].to_vec()).ok()?,
                false => serde_json::from_str::<Value>(tool.get()).ok()?.to_string(),
            };
            let name = name.name.into_string().unwrap_or_default();
            self.preamble.tools.push(RecordedTool { name, definition });
        }
        list.push(b']');
        Some(list)
    }

    /// A field as a value.
    pub(super) fn value(&self, name: &str) -> Option<Value> {
        serde_json::from_slice(self.fields.get(name)?).ok()
    }
}

/// The canonical form before and after the list of messages, its brackets included. `fields` are all others, in canonical form.
pub(super) fn around_messages(fields: &BTreeMap<&str, &[u8]>, messages: &str) -> Option<(Vec<u8>, Vec<u8>)> {
    let place = |name: &str| name.encode_utf16().collect::<Vec<u16>>();
    let mut names: Vec<(Vec<u16>, &str)> = fields.keys().map(|name| (place(name), *name)).collect();
    // The order of the canonical form is that of UTF-16.
    names.sort();
    let (mut head, mut tail) = (b"{".to_vec(), b"]".to_vec());
    for (at, name) in names {
        let quoted = canonical(&Value::from(name))?;
        let field = [quoted.as_slice(), b":", fields[name]];
        if at < place(messages) {
            field.iter().for_each(|part| head.extend_from_slice(part));
            head.push(b',');
        } else {
            tail.push(b',');
            field.iter().for_each(|part| tail.extend_from_slice(part));
        }
    }
    head.extend_from_slice(format!("\"{messages}\":[").as_bytes());
    tail.push(b'}');
    Some((head, tail))
}
