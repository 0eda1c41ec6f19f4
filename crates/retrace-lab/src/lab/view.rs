//! From the Context lab's own types to the wire's.

use crate::wire::{
    AnswerPart, AnswerRest, ContextAnswer, ContextClasses, ContextPart, FigureKind, PartClass, RecordedUsage,
};
use crate::wire::{MessageOrigin, MessageRole};
use retrace_context::compose;
use retrace_context::{Basis, Classes};
use retrace_transcript::{AppliedEdit, Origin, Role, Usage};
use serde_json::{Value, json};

pub(crate) const fn kind(basis: Basis) -> FigureKind {
    match basis {
        Basis::Recorded => FigureKind::Recorded,
        Basis::Exact => FigureKind::Exact,
        Basis::Counted => FigureKind::CountedOffline,
        Basis::Estimated { .. } => FigureKind::Estimated,
    }
}

pub(crate) const fn classes(classes: &Classes) -> ContextClasses {
    ContextClasses {
        system: classes.system,
        instructions: classes.instructions,
        memory: classes.memory,
        tool_results: classes.tool_results,
        tool_inputs: classes.tool_inputs,
        text: classes.text,
        thinking: classes.thinking,
        attachments: classes.attachments,
        not_recorded: classes.not_recorded,
        over_counted: classes.over_counted,
    }
}

pub(crate) const fn part_class(class: compose::PartClass) -> PartClass {
    match class {
        compose::PartClass::System => PartClass::System,
        compose::PartClass::ToolDefinitions => PartClass::ToolDefinitions,
        compose::PartClass::Instructions => PartClass::Instructions,
        compose::PartClass::Memory => PartClass::Memory,
        compose::PartClass::NotRecorded => PartClass::NotRecorded,
        compose::PartClass::Attachments => PartClass::Attachments,
        compose::PartClass::Text => PartClass::Text,
        compose::PartClass::Thinking => PartClass::Thinking,
        compose::PartClass::ToolInputs => PartClass::ToolInputs,
        compose::PartClass::ToolResults => PartClass::ToolResults,
    }
}

pub(crate) fn part(part: compose::Part) -> ContextPart {
    ContextPart { class: part_class(part.class), tool: part.tool, tokens: part.tokens }
}

pub(crate) fn answer(answer: &compose::Answer, parts: &[compose::Part]) -> ContextAnswer {
    let rest = &answer.rest;
    let named = answer.parts.iter().filter_map(|named| {
        let part = parts.get(named.part)?;
        Some(AnswerPart {
            class: part_class(part.class),
            tool: part.tool.clone(),
            tokens: named.tokens,
            said: named.said,
        })
    });
    ContextAnswer {
        request: answer.request as u64,
        tokens: answer.tokens,
        said: answer.said,
        parts: named.collect(),
        rest: (rest.count > 0).then_some(AnswerRest {
            count: rest.count as u64,
            tokens: rest.tokens,
            said: rest.said,
        }),
    }
}

pub(crate) const fn usage(usage: &Usage) -> RecordedUsage {
    RecordedUsage {
        input: usage.input,
        cache_creation: usage.cache_creation,
        cache_read: usage.cache_read,
        output: usage.output,
    }
}

/// As the API writes it.
pub(crate) fn applied_edit(edit: &AppliedEdit) -> Value {
    let mut value = json!({ "type": edit.edit, "cleared_input_tokens": edit.cleared_input_tokens });
    if let Some(uses) = edit.cleared_tool_uses {
        value["cleared_tool_uses"] = uses.into();
    }
    if let Some(turns) = edit.cleared_thinking_turns {
        value["cleared_thinking_turns"] = turns.into();
    }
    value
}

/// The word of the wire for who a message is of.
#[must_use]
pub const fn role(role: Role) -> MessageRole {
    match role {
        Role::User => MessageRole::User,
        Role::Assistant => MessageRole::Assistant,
        Role::System => MessageRole::System,
    }
}

pub(crate) const fn origin(origin: Origin) -> MessageOrigin {
    match origin {
        Origin::Typed => MessageOrigin::Typed,
        Origin::Model => MessageOrigin::Model,
        Origin::ToolResults => MessageOrigin::ToolResults,
        Origin::Client => MessageOrigin::Client,
        Origin::Summary => MessageOrigin::Summary,
        Origin::Synthetic => MessageOrigin::Synthetic,
        Origin::Unsaid => MessageOrigin::Unsaid,
    }
}
