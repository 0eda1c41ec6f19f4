//! Tokens around texts in a prompt.

use retrace_tokens::Family;

/// Framing of texts by a family of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Framing {
    /// Around the first, second, … call of one response together with their results, as sums over all calls so far.
    calls: &'static [u64],
    /// Around each further call and its result.
    further_call: u64,
    /// Of the frame of a call and its result, what stands around the result.
    pub(super) result: u64,
    /// For each parameter of a call, beside its name and value.
    pub(super) parameter: u64,
    /// Around a text that a person typed after a reply.
    pub(super) typed_text: u64,
    /// Around a text of an answer without calls, where `typed_text` does not have it.
    pub(super) answer_text: u64,
    /// Around a text that stands beside calls in an answer.
    pub(super) text_beside_calls: u64,
    /// Around a text that the client or the system puts in.
    pub(super) added_text: u64,
    /// Around a block of thinking whose size is recorded.
    pub(super) thinking: u64,
    /// Tokens that mark a result as an error.
    pub(super) error: u64,
    /// Tokens for a result without content.
    pub(super) no_content: u64,
    /// Text that the client puts around an attachment when it builds the request; it is not stored.
    pub(super) reminder: &'static str,
    /// The prompt that is put in with tools of any kind.
    pub(super) tool_prompt: u64,
    /// True if a call is written as the JSON of its arguments, not as a list of parameters.
    pub(super) calls_are_json: bool,
}

impl Framing {
    /// Claude's: measured on 11,551 pairs of consecutive calls of public transcripts (v3 family; the same constants held on 50
    /// pairs of the v4.7 family). `text_beside_calls`, `error` and `no_content` are the mode of what was left over on 1,283
    /// pairs (`examples/growth.rs`). One call alone takes 33 tokens of the output, and 45 of the next context. The prompt for
    /// tools is that of the documentation of tool use (Claude 4 models, `tool_choice` `auto`), not measured.
    pub const CLAUDE: Self = Self {
        calls: &[45, 110, 151, 188, 227, 266, 304],
        further_call: 39,
        result: 45 - 33,
        parameter: 13,
        typed_text: 6,
        answer_text: 0,
        text_beside_calls: 1,
        added_text: 0,
        thinking: 0,
        error: 8,
        no_content: 14,
        reminder: "<system-reminder>\n\n</system-reminder>",
        tool_prompt: 346,
        calls_are_json: false,
    };

    /// Framing of OpenAI's models: measured on 83 pairs of consecutive calls of three public Codex rollouts (gpt-5.4,
    /// gpt-5.5). Content, recorded reasoning and these explain half of the growths to a token and nine of ten to seven.
    /// A call alone has 22, several have 22 and 16 for each of them. Texts of a person are as OpenAI's guide to
    /// counting says.
    pub const OPENAI: Self = Self {
        calls: &[22, 54, 70, 86, 102, 118],
        further_call: 16,
        result: 10,
        parameter: 0,
        typed_text: 4,
        answer_text: 7,
        text_beside_calls: 7,
        added_text: 4,
        thinking: 2,
        error: 0,
        no_content: 0,
        reminder: "",
        tool_prompt: 0,
        calls_are_json: true,
    };

    /// Framing of a family. Of other vendors' models nothing is known: as OpenAI's.
    #[must_use]
    pub const fn of(family: Family) -> Self {
        if family.is_claude() { Self::CLAUDE } else { Self::OPENAI }
    }

    /// Around `calls` calls of one response and their results.
    pub(super) fn calls(&self, calls: u64) -> u64 {
        let known = self.calls.len() as u64;
        let of = |calls: u64| usize::try_from(calls - 1).ok().and_then(|at| self.calls.get(at)).copied();
        match calls {
            0 => 0,
            few if few <= known => of(few).unwrap_or(0),
            many => of(known).unwrap_or(0).saturating_add((many - known).saturating_mul(self.further_call)),
        }
    }

    /// Around the call that is the `nth` of its response, from 1, without those around its result.
    pub(super) fn call(&self, nth: u64) -> u64 {
        self.calls(nth).saturating_sub(self.calls(nth.saturating_sub(1))).saturating_sub(self.result)
    }
}

/// Text that Claude Code leaves in place of a result it dropped (micro-compaction).
pub(super) const DROPPED_RESULT: &str = "[Old tool result content cleared]";

/// Believed error of the size of tool definitions from the tokens of their JSON, in percent. Not measured: the
/// form in which they reach the model is not public.
pub(super) const TOOL_DEFINITIONS_PERCENT: u64 = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_results_add_up_to_what_was_measured() {
        for (framing, measured) in [
            (Framing::CLAUDE, [(1, 45), (2, 110), (3, 151), (7, 304), (8, 343), (10, 421)]),
            (Framing::OPENAI, [(1, 22), (2, 54), (3, 70), (5, 102), (6, 118), (8, 150)]),
        ] {
            for (number, measured) in measured {
                let sum: u64 = (1..=number).map(|nth| framing.call(nth) + framing.result).sum();
                assert_eq!(sum, measured, "{number} calls");
            }
            assert_eq!(framing.calls(0), 0);
        }
        assert_eq!(Framing::CLAUDE.call(1), 33);
    }
}
