//! Export: a setting as something that runs, with the evidence for it in a comment.
//!
//! The code is written for the current SDKs (Python 2.x, TypeScript 1.x) and the Messages API; it takes the key and the base
//! URL from `ANTHROPIC_API_KEY` and `ANTHROPIC_BASE_URL`, as the SDKs do. `compaction_control` is gone from these SDKs: its
//! export asks their tool runner to compact at the same threshold, and says what differs. JSON has no comments, so the
//! JSON form is the setting alone.
//!
//! All text that comes from outside stands in comments or in string literals: control and format characters in comments are
//! written out, and literals are escaped.

use retrace_message::AsMessage;
mod curl;
mod literal;
mod python;
mod typescript;

pub(crate) use literal::visible;

use crate::sweep::Figures;
use crate::weigh::version;
pub(crate) use retrace_model::grouped;
use serde_json::{Map, Value, json};
use thiserror::Error;

/// Beta header of the edits that clear.
const CLEARING_BETA: &str = "context-management-2025-06-27";
/// Beta header of the edit that compacts.
const COMPACT_EDIT_BETA: &str = "compact-2026-01-12";
/// Beta header of the compaction that is asked for.
const COMPACTION_BETA: &str = "compact-2026-09-04";

/// `max_tokens` of the exported requests.
const MAX_TOKENS: u64 = 4_096;
/// Thinking budget of the exported requests, for models without adaptive thinking.
const THINKING_BUDGET: u64 = 2_048;
/// First version whose models think adaptively.
const FIRST_ADAPTIVE: (u32, u32) = (4, 6);

/// A form to export to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The setting alone.
    Json,
    /// A shell command.
    Curl,
    /// A program for the Python SDK.
    Python,
    /// A program for the TypeScript SDK.
    TypeScript,
}

impl Form {
    /// The form of that name; `None` for another.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "json" => Some(Self::Json),
            "curl" => Some(Self::Curl),
            "python" => Some(Self::Python),
            "typescript" => Some(Self::TypeScript),
            _ => None,
        }
    }
}

/// Why a setting has no such form.
#[derive(Clone, Debug, PartialEq, Eq, Error, AsMessage)]
#[message("export")]
pub enum ExportError {
    /// The SDK's own compaction runs in the SDK's loop; a single call cannot do it.
    #[error(
        "`compaction_control` works in an SDK's loop and has no form as a single call; export it to Python or TypeScript"
    )]
    OnlyInAnSdk,
    /// Not a setting.
    #[error("not a setting: {reason}")]
    NotASetting {
        /// Reason.
        reason: String,
    },
}

/// Evidence for a setting: the run it was tried on, and the outcome.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// Titles or ids of the transcripts.
    pub transcripts: Vec<String>,
    /// Requests in them.
    pub requests: u64,
    /// Without the setting.
    pub before: Figures,
    /// With it.
    pub after: Figures,
    /// Further notes: warnings, how the figures were come by. A line each.
    pub notes: Vec<String>,
}

/// A file to save or copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// A name for it.
    pub file_name: &'static str,
    /// Its media type.
    pub media_type: &'static str,
    /// Its content.
    pub text: String,
}

/// Writes `setting` (in the form of `Setting::to_json`, or within `{"context_management":…}`) under `name` for `model`.
///
/// # Errors
/// When it is no setting, or has no such form.
pub fn export(
    form: Form,
    name: &str,
    setting: &Value,
    model: &str,
    evidence: Option<&Evidence>,
) -> Result<Exported, ExportError> {
    let kind = Kind::of(setting)?;
    let context = Context { comment: comment(name, evidence), model, kind };
    let (file_name, media_type, text) = match form {
        Form::Json => ("context-management.json", "application/json", pretty(&without_nulls(setting))),
        Form::Curl => ("context-management.sh", "text/x-shellscript", curl::write(&context)?),
        Form::Python => ("context_management.py", "text/x-python", python::write(&context)),
        Form::TypeScript => ("context-management.mts", "text/x-typescript", typescript::write(&context)),
    };
    Ok(Exported { file_name, media_type, text })
}

/// Data for the writers of the forms.
struct Context<'a> {
    /// Lines of the comment, without what begins a comment.
    comment: Vec<String>,
    model: &'a str,
    kind: Kind,
}

/// Kind of the setting, ready to be written.
enum Kind {
    /// Nothing is edited.
    None,
    /// `context_management`.
    Edits { edits: Value, betas: Vec<&'static str>, thinks: bool },
    /// The top-level `compaction`.
    OnDemand { compaction: Value, when: When },
    /// `compaction_control`.
    Runner { threshold: u64, compaction: Value, model: Option<String>, max_iterations: Option<u64> },
}

/// When a compaction is asked for.
enum When {
    /// Before these turns, from 0.
    At(Vec<u64>),
    /// When the context has so many tokens.
    ContextReaches(u64),
}

impl Kind {
    fn of(setting: &Value) -> Result<Self, ExportError> {
        let wrong = |reason: &str| ExportError::NotASetting { reason: reason.to_owned() };
        let fields = match setting {
            Value::Null => return Ok(Self::None),
            Value::Object(fields) => fields,
            _ => return Err(wrong("must be an object")),
        };
        let fields = fields.get("context_management").and_then(Value::as_object).unwrap_or(fields);
        if let Some(edits) = fields.get("edits").and_then(Value::as_array).filter(|edits| !edits.is_empty()) {
            return Ok(Self::edits(edits));
        }
        if let Some(compaction) = fields.get("compaction") {
            return Ok(Self::OnDemand { compaction: without_nulls(compaction), when: when(fields) });
        }
        for (control, threshold, prompt, iterations) in [
            ("compaction_control", "context_token_threshold", "summary_prompt", "max_iterations"),
            ("compactionControl", "contextTokenThreshold", "summaryPrompt", "maxIterations"),
        ] {
            if let Some(control) = fields.get(control).and_then(Value::as_object) {
                if control.get("enabled") == Some(&Value::Bool(false)) {
                    return Ok(Self::None);
                }
                let mut compaction = json!({"type": "summarize"});
                if let Some(prompt) = control.get(prompt).filter(|prompt| prompt.is_string()) {
                    compaction["instructions"] = prompt.clone();
                }
                return Ok(Self::Runner {
                    threshold: control.get(threshold).and_then(Value::as_u64).unwrap_or(100_000),
                    compaction,
                    model: control.get("model").and_then(Value::as_str).map(str::to_owned),
                    max_iterations: fields.get(iterations).and_then(Value::as_u64),
                });
            }
        }
        let known = fields.keys().all(|name| name == "edits");
        if known {
            Ok(Self::None)
        } else {
            Err(wrong("none of `edits`, `compaction` and `compaction_control` is there"))
        }
    }

    fn edits(edits: &[Value]) -> Self {
        let of = |edit: &Value| edit.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        let kinds: Vec<String> = edits.iter().map(of).collect();
        let has = |beginning: &str| kinds.iter().any(|kind| kind.starts_with(beginning));
        let mut betas = Vec::new();
        if has("clear_") {
            betas.push(CLEARING_BETA);
        }
        if has("compact_") {
            betas.push(COMPACT_EDIT_BETA);
        }
        let edits = edits.iter().map(|edit| type_first(&without_nulls(edit))).collect();
        Self::Edits { edits, betas, thinks: has("clear_thinking_") }
    }
}

fn when(fields: &Map<String, Value>) -> When {
    match (fields.get("at").and_then(Value::as_array), fields.get("context_reaches").and_then(Value::as_u64))
    {
        (Some(turns), _) => When::At(turns.iter().filter_map(Value::as_u64).collect()),
        (None, Some(tokens)) => When::ContextReaches(tokens),
        (None, None) => When::At(Vec::new()),
    }
}

/// The parameter `thinking` that `model` takes.
fn thinking(model: &str) -> Value {
    match version(model) {
        Some(version) if version < FIRST_ADAPTIVE => {
            json!({"type": "enabled", "budget_tokens": THINKING_BUDGET})
        }
        _ => json!({"type": "adaptive"}),
    }
}

/// Without fields that are null: absent means the same.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name.clone(), without_nulls(value)))
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(values) => values.iter().map(without_nulls).collect(),
        plain => plain.clone(),
    }
}

/// Where fields keep the order they came in, an edit is read more easily with its type first.
fn type_first(edit: &Value) -> Value {
    let Value::Object(fields) = edit else { return edit.clone() };
    let mut ordered = Map::new();
    ordered.extend(fields.get("type").map(|kind| ("type".to_owned(), kind.clone())));
    ordered.extend(
        fields.iter().filter(|(name, _)| *name != "type").map(|(name, value)| (name.clone(), value.clone())),
    );
    ordered.into()
}

fn pretty(value: &Value) -> String {
    let mut text = literal::json(value, 0);
    text.push('\n');
    text
}

fn comment(name: &str, evidence: Option<&Evidence>) -> Vec<String> {
    let mut lines = vec![format!("Context setting \"{}\", exported by Retrace.", visible(name))];
    let Some(evidence) = evidence else { return lines };
    lines.push(format!(
        "Replayed over {} recorded requests of {} transcript(s): a forecast, not a promise.",
        grouped(evidence.requests),
        evidence.transcripts.len()
    ));
    lines.extend(evidence.transcripts.iter().map(|transcript| format!("  {}", visible(transcript))));
    let (before, after) = (&evidence.before, &evidence.after);
    lines.push(format!("Largest context: {} -> {} tokens", grouped(before.peak), grouped(after.peak)));
    lines.push(format!("Input in all: {} -> {} tokens", grouped(before.input), grouped(after.input)));
    lines.push(format!("Cost: {} -> {}", dollars(before.cost_usd), dollars(after.cost_usd)));
    lines.push(format!("Cleared results needed again: {} -> {}", before.regrets, after.regrets));
    lines.extend(evidence.notes.iter().map(|note| format!("Note: {}", visible(note))));
    lines
}

/// A price for people.
pub(crate) fn dollars(price: Option<f64>) -> String {
    price.map_or_else(|| "not known".to_owned(), |price| format!("${price:.2}"))
}

#[cfg(test)]
mod tests;
