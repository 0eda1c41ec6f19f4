//! From the Context lab's own types to the wire's.

use crate::wire::{ContextClasses, FigureKind, RecordedUsage};
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
pub const fn role(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::System => "system",
    }
}

pub(crate) const fn origin(origin: Origin) -> &'static str {
    match origin {
        Origin::Typed => "typed",
        Origin::Model => "model",
        Origin::ToolResults => "tool_results",
        Origin::Client => "client",
        Origin::Summary => "summary",
        Origin::Synthetic => "synthetic",
        Origin::Unsaid => "unsaid",
    }
}
