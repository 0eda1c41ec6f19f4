//! Abilities of models.

use super::FAST_SUFFIX;
use super::ids::normalised;
use crate::settings::{Edit, ThinkingKeep};
use std::sync::LazyLock;

/// Least tokens of a cached prefix where the model is not in the table: the most common figure in it.
pub const CACHEABLE_WHEN_UNKNOWN: u64 = 1_024;

/// Facts of one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelFacts {
    /// Its normalised id.
    pub key: String,
    /// Window in tokens.
    pub window: u64,
    /// Least tokens of a prefix that is cached.
    pub cacheable: u64,
    /// Thinking that `clear_thinking_20251015` keeps when it is not sent or does not say.
    pub thinking_keep: ThinkingKeep,
    /// True if it takes `clear_tool_uses_20250919`.
    pub clear_tool_uses: bool,
    /// True if it takes `clear_thinking_20251015`.
    pub clear_thinking: bool,
    /// True if it takes `compact_20260112`.
    pub compact: bool,
    /// True if it takes the top-level `compaction`.
    pub compaction: bool,
    /// Where the line comes from.
    pub source: String,
    /// As of which day or month.
    pub date: String,
}

impl ModelFacts {
    /// True if it takes an edit.
    #[must_use]
    pub const fn supports(&self, edit: &Edit) -> bool {
        match edit {
            Edit::ClearToolUses(_) => self.clear_tool_uses,
            Edit::ClearThinking(_) => self.clear_thinking,
            Edit::Compact(_) => self.compact,
        }
    }
}

/// The table of models.
#[derive(Debug)]
pub struct Models {
    facts: Vec<ModelFacts>,
}

static BUILTIN: LazyLock<Models> = LazyLock::new(|| Models {
    facts: include_str!("../../data/models.tsv").lines().filter_map(line).collect(),
});

impl Models {
    /// The table this version comes with.
    #[must_use]
    pub fn builtin() -> &'static Self {
        &BUILTIN
    }

    /// Facts of a model, however its id is written; `None` when it is not in the table. Its fast mode is the same
    /// model.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&ModelFacts> {
        let id = normalised(id);
        let key = id.strip_suffix(FAST_SUFFIX).unwrap_or(&id);
        self.facts.iter().find(|facts| facts.key == key)
    }

    /// Thinking that a model keeps when `clear_thinking_20251015` is not sent or does not say; of a model that is not
    /// in the table by its family and version.
    #[must_use]
    pub fn thinking_keep(&self, id: &str) -> ThinkingKeep {
        match self.get(id) {
            Some(facts) => facts.thinking_keep,
            None if crate::weigh::keeps_earlier_turns(id) => ThinkingKeep::All,
            None => ThinkingKeep::Turns(1),
        }
    }

    /// Every model of the table.
    #[must_use]
    pub fn all(&self) -> &[ModelFacts] {
        &self.facts
    }
}

/// A line of the file; `None` for comments, the heading and what is not a line of the table (a test counts them).
fn line(text: &str) -> Option<ModelFacts> {
    let columns: Vec<&str> = text.split('\t').collect();
    let [key, window, cacheable, keep, tools, thinking, compact, compaction, source, date] = columns[..]
    else {
        return None;
    };
    let yes = |column: &str| column == "yes";
    Some(ModelFacts {
        key: key.to_owned(),
        window: window.parse().ok()?,
        cacheable: cacheable.parse().ok()?,
        thinking_keep: match keep {
            "all" => ThinkingKeep::All,
            turns => ThinkingKeep::Turns(turns.parse().ok()?),
        },
        clear_tool_uses: yes(tools),
        clear_thinking: yes(thinking),
        compact: yes(compact),
        compaction: yes(compaction),
        source: source.to_owned(),
        date: date.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prices::Prices;

    #[test]
    fn every_line_is_read() {
        let lines = include_str!("../../data/models.tsv").lines();
        let expected = lines.filter(|line| line.starts_with("claude-")).count();
        assert_eq!(Models::builtin().all().len(), expected);
    }

    #[test]
    fn every_model_with_a_price_has_its_facts() {
        for line in Prices::builtin().lines() {
            assert!(Models::builtin().get(&line.model).is_some(), "{}", line.model);
        }
    }

    #[test]
    fn thinking_is_kept_by_default_from_opus_4_5_and_sonnet_4_6_on() {
        let keep = |id: &str| Models::builtin().get(id).expect("a model").thinking_keep;
        for all in ["claude-opus-4-5", "claude-sonnet-4-6", "claude-opus-5[1m]", "claude-sonnet-5"] {
            assert_eq!(keep(all), ThinkingKeep::All, "{all}");
        }
        assert_eq!(Models::builtin().thinking_keep("claude-3-7-sonnet-20250219"), ThinkingKeep::Turns(1));
        assert_eq!(Models::builtin().thinking_keep("gpt-5"), ThinkingKeep::Turns(1));
        for last in ["claude-opus-4-1", "claude-sonnet-4-5-20250929", "claude-haiku-4-5", "claude-opus-4-0"] {
            assert_eq!(keep(last), ThinkingKeep::Turns(1), "{last}");
        }
    }
}
