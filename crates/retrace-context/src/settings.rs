//! Settings: what a person would put into `context_management`, `compaction` or `compaction_control`.
//!
//! Reading a setting checks it as the API (or the SDK) would, with the API's own messages, so that a setting that reads
//! here is one that deploys. What depends on a transcript or a model is checked by [`Setting::refused_for`]. Deliberately
//! not here: what a setting does ([`crate::edits`], [`crate::simulate`]) and advice on it.
//!
//! Source of rules and defaults: the API's documentation of context editing and compaction (August 2026), the types of the
//! Python SDK 2.11.0, and, for the wording of refusals, measurements of the API published with LiteLLM 1.109.1.

mod error;
mod fields;
mod parse;
mod words;
mod write;

pub use error::SettingError;

use crate::prices::ModelFacts;
use serde_json::Value;
use std::collections::BTreeSet;

/// Dated type of the edit that clears tool uses.
pub const CLEAR_TOOL_USES: &str = "clear_tool_uses_20250919";
/// Dated type of the edit that clears thinking.
pub const CLEAR_THINKING: &str = "clear_thinking_20251015";
/// Dated type of the edit that compacts.
pub const COMPACT: &str = "compact_20260112";

/// Default trigger of [`ClearToolUses`], in input tokens.
pub const CLEAR_TOOL_USES_TRIGGER: u64 = 100_000;
/// Default of [`ClearToolUses::keep`].
pub const CLEAR_TOOL_USES_KEEP: u64 = 3;
/// Default trigger of [`Compact`], in input tokens.
pub const COMPACT_TRIGGER: u64 = 150_000;
/// Least trigger of [`Compact`] that the API takes.
pub const COMPACT_LEAST_TRIGGER: u64 = 50_000;
/// Default of [`CompactionControl::context_token_threshold`].
pub const COMPACTION_CONTROL_THRESHOLD: u64 = 100_000;

/// A setting. The default is none: nothing is edited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setting {
    /// `context_management.edits`, in the order they are applied.
    pub edits: Vec<Edit>,
    /// The top-level `compaction`, and when the caller asks for it. Never together with `edits`.
    pub compaction: Option<OnDemandCompaction>,
    /// The tool runner's compaction on the client's side.
    pub compaction_control: Option<CompactionControl>,
}

/// One entry of `context_management.edits`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// `clear_tool_uses_20250919`.
    ClearToolUses(ClearToolUses),
    /// `clear_thinking_20251015`.
    ClearThinking(ClearThinking),
    /// `compact_20260112`.
    Compact(Compact),
}

/// When clearing of tool uses begins: once the value is exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// More input tokens than this.
    InputTokens(u64),
    /// More clearable tool uses than this.
    ToolUses(u64),
}

/// Whose inputs are cleared together with their results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ClearInputs {
    /// Nobody's.
    #[default]
    None,
    /// Those of every tool.
    All,
    /// Those of the named tools.
    Of(Vec<String>),
}

impl ClearInputs {
    /// True if the inputs of this tool are cleared.
    #[must_use]
    pub fn covers(&self, tool: &str) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Of(tools) => tools.iter().any(|name| name == tool),
        }
    }
}

/// `clear_tool_uses_20250919`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClearToolUses {
    /// When it begins.
    pub trigger: Trigger,
    /// Number of the most recent clearable uses that are kept.
    pub keep: u64,
    /// Least tokens that a clearing frees.
    pub clear_at_least: Option<u64>,
    /// Tools whose uses are never cleared and never counted.
    pub exclude_tools: Vec<String>,
    /// Whose inputs go with their results.
    pub clear_tool_inputs: ClearInputs,
}

impl Default for ClearToolUses {
    fn default() -> Self {
        Self {
            trigger: Trigger::InputTokens(CLEAR_TOOL_USES_TRIGGER),
            keep: CLEAR_TOOL_USES_KEEP,
            clear_at_least: None,
            exclude_tools: Vec::new(),
            clear_tool_inputs: ClearInputs::None,
        }
    }
}

/// `clear_thinking_20251015`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClearThinking {
    /// Thinking that is kept; the model's default when absent.
    pub keep: Option<ThinkingKeep>,
}

/// Amount of thinking that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThinkingKeep {
    /// All of it.
    All,
    /// Thinking of the last so many assistant turns that hold thinking; at least 1.
    Turns(u64),
}

/// `compact_20260112`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compact {
    /// Input tokens at which it compacts: at least [`COMPACT_LEAST_TRIGGER`].
    pub trigger: u64,
    /// True if the response stops after the summary. The caller then asks again, and the tokens are the same.
    pub pause_after_compaction: bool,
    /// Replaces the default prompt.
    pub instructions: Option<String>,
}

impl Default for Compact {
    fn default() -> Self {
        Self { trigger: COMPACT_TRIGGER, pause_after_compaction: false, instructions: None }
    }
}

/// The top-level `compaction`: the API has no trigger for it, so the setting says when the caller asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnDemandCompaction {
    /// Replaces the default prompt. Blank is absent.
    pub instructions: Option<String>,
    /// When the caller asks for it.
    pub when: AskedFor,
}

/// When a caller asks for a compaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AskedFor {
    /// Before the requests of these indices.
    At(BTreeSet<usize>),
    /// Before each request whose context has at least so many tokens.
    ContextReaches(u64),
}

/// Whose tool runner runs the compaction; the two differ in what a refusal does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SdkLanguage {
    /// The Python SDK: written in snake case. A refusal ends the run before any check.
    #[default]
    Python,
    /// The TypeScript SDK: written in camel case. A refusal is checked like any response.
    TypeScript,
}

/// `compaction_control` of the SDKs' tool runners (Python 0.75.0 to the last 0.x, TypeScript 0.71.0 to 0.128.0).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompactionControl {
    /// True if it is on.
    pub enabled: bool,
    /// Tokens at which it compacts: at or above.
    pub context_token_threshold: u64,
    /// Model that makes the summary; the run's own when absent.
    pub model: Option<String>,
    /// Replaces the default prompt.
    pub summary_prompt: Option<String>,
    /// `max_iterations` of the runner: calls of the model after which the run ends, summaries not counted.
    pub max_iterations: Option<u64>,
    /// Whose runner.
    pub language: SdkLanguage,
}

impl Default for CompactionControl {
    fn default() -> Self {
        Self {
            enabled: true,
            context_token_threshold: COMPACTION_CONTROL_THRESHOLD,
            model: None,
            summary_prompt: None,
            max_iterations: None,
            language: SdkLanguage::Python,
        }
    }
}

impl Setting {
    /// Reads a setting: `{"edits":[…]}` (also within `{"context_management":…}`), `{"compaction_control":{…}}` in snake
    /// case or `{"compactionControl":{…}}` in camel case (`max_iterations` beside it), `{"compaction":{"type":"summarize",
    /// …},"at":[…]}` or with `"context_reaches":N` in place of `at`, and `{}` or `null` for none.
    ///
    /// # Errors
    /// The first thing that is wrong, with its path and, where it is known, in the API's own words.
    pub fn from_json(value: &Value) -> Result<Self, SettingError> {
        parse::setting(value)
    }

    /// The setting as JSON with every default filled in, such that reading it gives the same setting. `model` fills in
    /// the default of `clear_thinking`; without it that default is left out.
    #[must_use]
    pub fn to_json(&self, model: Option<&ModelFacts>) -> Value {
        write::setting(self, model)
    }

    /// True if it does nothing.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.edits.is_empty()
            && self.compaction.is_none()
            && self.compaction_control.as_ref().is_none_or(|control| !control.enabled)
    }

    /// Refusals of the API because of the model or of thinking that is off: `thinking` says whether the requests
    /// have it on. Empty when nothing. A model that is not in the table is believed to have every feature.
    #[must_use]
    pub fn refused_for(&self, model: Option<&ModelFacts>, thinking: bool) -> Vec<SettingError> {
        let mut refused = Vec::new();
        for (index, edit) in self.edits.iter().enumerate() {
            let path = format!("context_management.edits.{index}.{}", edit.type_name());
            if matches!(edit, Edit::ClearThinking(_)) && !thinking {
                let message = say::strategy_requires_thinking_enabled(CLEAR_THINKING);
                refused.push(SettingError { path: path.clone(), message });
            }
            if let Some(model) = model.filter(|model| !model.supports(edit)) {
                let message = say::not_support(&model.key, edit.type_name());
                refused.push(SettingError { path, message });
            }
        }
        if self.compaction.is_some()
            && let Some(model) = model.filter(|model| !model.compaction)
        {
            let message = say::not_support_compaction(&model.key);
            refused.push(SettingError { path: "compaction".to_owned(), message });
        }
        refused
    }
}

impl Edit {
    /// Its dated type.
    #[must_use]
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::ClearToolUses(_) => CLEAR_TOOL_USES,
            Self::ClearThinking(_) => CLEAR_THINKING,
            Self::Compact(_) => COMPACT,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;

retrace_message::messages! {
    /// Messages of this module.
    mod say in "settings";
    strategy_requires_thinking_enabled(value) => "`{value}` strategy requires `thinking` to be enabled",
    not_support(key, type_name) => "{key} does not support `{type_name}`",
    not_support_compaction(key) => "{key} does not support compaction",
}
