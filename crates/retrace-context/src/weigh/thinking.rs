//! Thinking: what it weighs, and whether a model still sees it.

use super::Estimate;
use retrace_tokens::{Family, family_of};

/// Characters to a token of thinking (Opus 4.5 and Sonnet 4.5, whose thinking is stored as it was; median error 7 tokens).
const CHARACTERS_TO_A_TOKEN: f64 = 3.5;

/// Tokens around a block of thinking (same measurement).
const FRAME: u64 = 11;

/// Half width of the range of thinking that is stored as it was, in tokens: twice the median error.
const STORED_ERROR: u64 = 14;

/// Half width of the range of thinking taken from recorded output, in tokens: errors of the counts it is the rest of.
const REST_ERROR: u64 = 20;

/// Largest ratio of a summarised thinking to its stored text. The text of Opus 4.6 does not foretell the size; this
/// only says that the range is wide.
const SUMMARY_FACTOR: u64 = 8;

/// Tokens of thinking whose text is stored as it was.
pub(super) fn stored(characters: u64) -> Estimate {
    let middle = by_characters(characters);
    Estimate { low: middle.saturating_sub(STORED_ERROR), middle, high: middle + STORED_ERROR }
}

/// Tokens of thinking of which only a summary is stored, and of which no final output is recorded. Nothing is known of it
/// where there is no text at all.
pub(super) fn summarised(characters: u64) -> Estimate {
    if characters == 0 {
        return Estimate { low: 0, middle: 0, high: 0 };
    }
    let middle = by_characters(characters);
    Estimate { low: FRAME, middle, high: middle.saturating_mul(SUMMARY_FACTOR) }
}

/// Tokens of thinking that is the rest of a recorded output.
pub(super) fn rest(tokens: u64) -> Estimate {
    Estimate {
        low: tokens.saturating_sub(REST_ERROR),
        middle: tokens,
        high: tokens.saturating_add(REST_ERROR),
    }
}

fn by_characters(characters: u64) -> u64 {
    (characters as f64 / CHARACTERS_TO_A_TOKEN).round() as u64 + FRAME
}

/// True if the model's stored thinking is what it thought, not a summary.
pub(super) fn is_stored_whole(model: &str) -> bool {
    let model = model.to_ascii_lowercase();
    ["opus-4-5", "opus-4.5", "sonnet-4-5", "sonnet-4.5"].iter().any(|name| model.contains(name))
}

/// True if a model sees the thinking of all earlier turns, when nothing else is asked for: Opus from 4.5, Sonnet from 4.6,
/// and models that are not known; older ones and Haiku up to 4.5 see that of the last turn alone (documentation of context
/// editing), and so do OpenAI's: in Codex rollouts the context falls by the recorded reasoning of a turn when the next begins.
#[must_use]
pub(crate) fn keeps_earlier_turns(model: &str) -> bool {
    let Some(version) = version(model) else {
        return !family_of(model, Family::V48).family.is_openai();
    };
    let model = model.to_ascii_lowercase();
    let opus_and_others = !model.contains("sonnet") && !model.contains("haiku");
    version >= if opus_and_others { (4, 5) } else { (4, 6) }
}

/// Major and minor version in the id of a Claude model, read as the tokenizer's family is; `None` for other models.
#[must_use]
pub(crate) fn version(model: &str) -> Option<(u32, u32)> {
    let model = model.to_ascii_lowercase();
    let (_, id) = model.split_once("claude")?;
    let number = |part: &str| {
        let is_number = (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| part.parse().ok()).flatten()
    };
    let mut parts =
        id.split(['-', '.', '_', '/', ':', '@', '[', ']', ' ']).skip_while(|part| number(part).is_none());
    let major = number(parts.next()?)?;
    Some((major, parts.next().and_then(number).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_models_keep_what_they_thought() {
        for (model, keeps) in [
            ("claude-opus-4-5-20251101", true),
            ("claude-opus-4-1-20250805", false),
            ("claude-opus-4-20250514", false),
            ("claude-sonnet-4-5-20250929", false),
            ("claude-sonnet-4-6", true),
            ("us.anthropic.claude-haiku-4-5-20251001-v1:0", false),
            ("claude-haiku-5-5", true),
            ("claude-3-7-sonnet-20250219", false),
            ("claude-fable-5", true),
            ("gpt-5.5", false),
            ("o4-mini", false),
            ("gemini-3-pro", true),
            ("", true),
        ] {
            assert_eq!(keeps_earlier_turns(model), keeps, "{model}");
        }
    }

    #[test]
    fn whole_thinking_goes_by_characters() {
        assert_eq!(stored(350).middle, 111);
        assert_eq!(summarised(0).high, 0);
        assert!(summarised(1_000).high > 2_000);
        assert!(is_stored_whole("claude-opus-4-5-20251101"));
        assert!(!is_stored_whole("claude-opus-4-6"));
    }
}
