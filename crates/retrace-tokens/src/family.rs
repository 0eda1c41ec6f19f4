//! Way of counting of a model.

use crate::openai;
use retrace_message::AsMessage;
use std::fmt;

/// Models that count alike.
///
/// The first four are Claude's, and what everything about frames and streams is about. OpenAI's count with the vocabularies
/// that its provider publishes. Of other vendors' models no vocabulary is here: their counts are estimates with a
/// [range](Self::range).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Family {
    /// Claude 3 to Opus 4.6, Sonnet 4.6 and Haiku 4.5.
    V3,
    /// Opus 4.7.
    V47,
    /// Opus 4.8, Sonnet 5, Fable 5 and what came later: the vocabulary of 4.7 in a shorter frame.
    V48,
    /// Opus 5: as 4.8, and whitespace at the end of the text is free.
    Opus5,
    /// GPT-4o, GPT-4.1 and later, the o series, gpt-oss and Codex models: `o200k_base`.
    O200k,
    /// GPT-4 and GPT-3.5: `cl100k_base`.
    Cl100k,
    /// Any other model: estimated.
    Other,
}

/// Believed bounds of the tokens of [`Family::Other`], in percent of the estimate. The estimate is counted with the
/// vocabulary of Claude 3, which lies between the known ones: on agent text `o200k_base` counts 84 to 89 percent of it, the
/// vocabulary of Claude 4.8 124 to 146 percent.
const OTHER_PERCENT: (u64, u64) = (75, 145);

impl Family {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::V3, Self::V47, Self::V48, Self::Opus5, Self::O200k, Self::Cl100k, Self::Other];

    /// Those of Claude, oldest first.
    pub const CLAUDE: [Self; 4] = [Self::V3, Self::V47, Self::V48, Self::Opus5];

    /// The name, as stored and as [`parse`](Self::parse) reads it: `v3`, `v4.7`, `v4.8`, `opus-5`, `o200k`, `cl100k`,
    /// `other`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::V3 => "v3",
            Self::V47 => "v4.7",
            Self::V48 => "v4.8",
            Self::Opus5 => "opus-5",
            Self::O200k => "o200k",
            Self::Cl100k => "cl100k",
            Self::Other => "other",
        }
    }

    /// True if models of Anthropic count so.
    #[must_use]
    pub const fn is_claude(self) -> bool {
        matches!(self, Self::V3 | Self::V47 | Self::V48 | Self::Opus5)
    }

    /// True if models of OpenAI count so.
    #[must_use]
    pub const fn is_openai(self) -> bool {
        matches!(self, Self::O200k | Self::Cl100k)
    }

    /// Believed bounds of a count of this family, ends included; `None` where it is counted with the family's own
    /// vocabulary.
    #[must_use]
    pub fn range(self, tokens: u64) -> Option<(u64, u64)> {
        let percent = |percent: u64| u128::from(tokens) * u128::from(percent);
        let whole = |tokens: u128| u64::try_from(tokens).unwrap_or(u64::MAX);
        (self == Self::Other)
            .then(|| (whole(percent(OTHER_PERCENT.0) / 100), whole(percent(OTHER_PERCENT.1).div_ceil(100))))
    }

    /// The family of that [name](Self::name), letter by letter.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|family| family.name() == name)
    }

    /// The tokens that the frame of a message adds once. Those of OpenAI are what its guide to counting adds to a message of a
    /// user and to the answer that is to follow.
    #[must_use]
    pub const fn frame(self) -> u64 {
        match self {
            Self::V3 | Self::O200k | Self::Cl100k | Self::Other => 7,
            Self::V47 => 11,
            Self::V48 | Self::Opus5 => 6,
        }
    }

    /// True if the frame ends in the opening of a word, which the text's first word then shares.
    pub(crate) const fn frame_opens(self) -> bool {
        matches!(self, Self::V3 | Self::V47)
    }

    /// True if typographic quotes are the ASCII ones.
    pub(crate) const fn folds_quotes(self) -> bool {
        matches!(self, Self::V3)
    }

    /// True if ASCII whitespace at the end of the text costs nothing.
    pub(crate) const fn has_free_tail(self) -> bool {
        matches!(self, Self::Opus5)
    }
}

impl fmt::Display for Family {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Why a model id has no family.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error, AsMessage)]
#[message("family")]
pub enum Unresolved {
    /// A Claude older than 3.0, which was counted in another way.
    #[error("Claude {major}.{minor} is older than the models that can be counted offline (3.0)")]
    Unsupported {
        /// The first component of the version.
        major: u8,
        /// The second, 0 where there is none.
        minor: u8,
    },
    /// No Claude, or one without a version: an alias, another vendor's model, a message that no model wrote.
    #[error("the model id names no version of Claude")]
    Unknown,
}

/// The family that a model's tokens are counted with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resolved {
    /// The family.
    pub family: Family,
    /// The id did not tell: `family` is the caller's default, which a user interface has to say.
    pub assumed: bool,
}

/// The family of a model id, or `default` where the id is none, or an alias of a Claude model (`opus`). A model of another
/// vendor is never counted as the default is.
#[must_use]
pub fn family_of(model_id: &str, default: Family) -> Resolved {
    if let Ok(family) = resolve(model_id) {
        return Resolved { family, assumed: false };
    }
    match openai::family(model_id) {
        Some(family) => Resolved { family, assumed: false },
        None if names_no_other(model_id) => Resolved { family: default, assumed: true },
        None => Resolved { family: Family::Other, assumed: true },
    }
}

/// Names of Claude models without their version.
const ALIASES: [&str; 6] = ["claude", "opus", "sonnet", "haiku", "fable", "mythos"];

/// True if an id names no model of another vendor: nothing, what a client writes for no model (`<synthetic>`), or a Claude
/// without a version. One that is too old to be counted is as another vendor's.
fn names_no_other(model_id: &str) -> bool {
    let lower = model_id.trim().to_lowercase();
    let is_too_old = matches!(resolve(&lower), Err(Unresolved::Unsupported { .. }));
    let is_alias =
        || lower.split(['-', '.', '_', '/', ':', '@', '[', ']', ' ']).any(|part| ALIASES.contains(&part));
    lower.is_empty() || lower.starts_with('<') || (!is_too_old && is_alias())
}

/// The family of a model id as found in requests, transcripts and price lists: with or without vendor, region, date, window
/// (`us.anthropic.claude-sonnet-4-5-20250929-v1:0`, `Claude Sonnet 4.6`, `claude-opus-5[1m]`).
///
/// # Errors
///
/// [`Unresolved`]: the id names no version, or one that is too old.
pub fn resolve(model_id: &str) -> Result<Family, Unresolved> {
    let lower = model_id.to_lowercase();
    let (_, rest) = lower.split_once("claude").ok_or(Unresolved::Unknown)?;
    let parts = || rest.split(['-', '.', '_', '/', ':', '@', '[', ']', ' ']);
    let mut from_major = parts().skip_while(|part| component(part).is_none());
    let major = from_major.next().and_then(component).ok_or(Unresolved::Unknown)?;
    let minor = from_major.next().and_then(component).unwrap_or(0);
    match (major, minor) {
        (..3, _) => Err(Unresolved::Unsupported { major, minor }),
        (3, _) | (4, ..7) => Ok(Family::V3),
        (4, 7) => Ok(Family::V47),
        (5, 0) if parts().any(|part| part == "opus") => Ok(Family::Opus5),
        _ => Ok(Family::V48),
    }
}

/// A component of a version: one or two ASCII digits. A date has eight.
fn component(part: &str) -> Option<u8> {
    let is_one = matches!(part.len(), 1 | 2) && part.bytes().all(|byte| byte.is_ascii_digit());
    part.parse().ok().filter(|_| is_one)
}

#[cfg(test)]
mod tests {
    use super::{Family, Resolved, Unresolved, family_of, resolve};

    #[test]
    fn every_listed_model_id() {
        let list = include_str!("../data/model-ids.tsv");
        let mut rows = 0;
        for line in list.lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<&str> = line.split('\t').collect();
            let resolved = match resolve(fields[0]) {
                Ok(family) => family.name(),
                Err(Unresolved::Unsupported { .. }) => "unsupported",
                Err(Unresolved::Unknown) => "unknown",
            };
            assert_eq!(resolved, fields[2], "{}", fields[0]);
            rows += 1;
        }
        assert_eq!(rows, 54);
    }

    #[test]
    fn a_default_is_reported() {
        let assumed = Resolved { family: Family::V47, assumed: true };
        for id in ["opus", "", "<synthetic>", "claude-3000", "CLAUDE", "claude-٣", "claude-opus-latest"] {
            assert_eq!(family_of(id, Family::V47), assumed, "{id}");
        }
        for id in ["claude-2.1", "gemini-3-pro", "llama-4", "gpt-2", "mistral/opusculum", "x"] {
            assert_eq!(family_of(id, Family::V47), Resolved { family: Family::Other, assumed: true }, "{id}");
        }
        for id in ["gpt-5.5", "openai/gpt-4o-mini"] {
            assert_eq!(
                family_of(id, Family::V47),
                Resolved { family: Family::O200k, assumed: false },
                "{id}"
            );
        }
        let known = Resolved { family: Family::V3, assumed: false };
        assert_eq!(family_of("claude-opus-4-6", Family::V47), known);
    }

    #[test]
    fn names_are_read_back() {
        for family in Family::ALL {
            assert_eq!(Family::parse(family.name()), Some(family));
            assert_eq!(family.to_string(), family.name());
        }
        assert_eq!(Family::parse("V3"), None);
    }

    #[test]
    fn what_is_estimated_has_its_range() {
        assert_eq!(Family::Other.range(1_000), Some((750, 1_450)));
        assert_eq!(Family::Other.range(1), Some((0, 2)));
        assert!(Family::Other.range(u64::MAX).is_some());
        assert!(Family::ALL.iter().filter(|family| family.range(9).is_some()).eq([&Family::Other]));
    }

    #[test]
    fn an_old_version_is_named() {
        let error = resolve("claude-instant-1.2").unwrap_err();
        assert_eq!(
            error.to_string(),
            "Claude 1.2 is older than the models that can be counted offline (3.0)"
        );
    }
}
