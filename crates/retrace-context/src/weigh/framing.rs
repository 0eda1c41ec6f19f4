//! What stands around texts in a prompt, in tokens: measured on 11,551 pairs of consecutive calls of public transcripts
//! (v3 family; the same constants held on 50 pairs of the v4.7 family).

/// Tokens around the first, second, … call of one response together with their results, as sums over all calls so far.
const CALLS: [u64; 7] = [45, 110, 151, 188, 227, 266, 304];

/// Tokens around each further call and its result.
const FURTHER_CALL: u64 = 39;

/// Of the frame of a call and its result, what stands around the result. One call alone takes 33 tokens of the output, and
/// 45 of the next context.
pub(super) const RESULT: u64 = 45 - 33;

/// Tokens for each parameter of a call, beside its name and value.
pub(super) const PARAMETER: u64 = 13;

/// Tokens around a text that a person typed after a reply.
pub(super) const TYPED_TEXT: u64 = 6;

/// Tokens of a text that stands beside calls in an answer, besides its own. This and the next two are the mode of what was left
/// over on 1,283 pairs of consecutive calls (`examples/growth.rs`).
pub(super) const TEXT_BESIDE_CALLS: u64 = 1;

/// Tokens that mark a result as an error.
pub(super) const ERROR: u64 = 8;

/// Tokens that stand for a result without content.
pub(super) const NO_CONTENT: u64 = 14;

/// What the client puts around an attachment when it builds the request; it is not stored.
pub(super) const REMINDER: &str = "<system-reminder>\n\n</system-reminder>";

/// What Claude Code leaves in place of a result it dropped (micro-compaction).
pub(super) const DROPPED_RESULT: &str = "[Old tool result content cleared]";

/// Tokens of the prompt that is put in with tools of any kind (Claude 4 models, `tool_choice` `auto`; the documentation of
/// tool use). Not measured here.
pub(super) const TOOL_PROMPT: u64 = 346;

/// How far the true size of tool definitions is believed to lie from the tokens of their JSON, in percent. Not measured: the
/// form in which they reach the model is not public.
pub(super) const TOOL_DEFINITIONS_PERCENT: u64 = 20;

/// Tokens around `calls` calls of one response and their results.
pub(super) fn calls(calls: u64) -> u64 {
    let known = CALLS.len() as u64;
    match calls {
        0 => 0,
        few if few <= known => CALLS[few as usize - 1],
        many => CALLS[CALLS.len() - 1].saturating_add((many - known).saturating_mul(FURTHER_CALL)),
    }
}

/// Tokens around the call that is the `nth` of its response, from 1, without those around its result.
pub(super) fn call(nth: u64) -> u64 {
    calls(nth).saturating_sub(calls(nth.saturating_sub(1))).saturating_sub(RESULT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_results_add_up_to_what_was_measured() {
        for (number, measured) in [(1, 45), (2, 110), (3, 151), (7, 304), (8, 343), (10, 421)] {
            let sum: u64 = (1..=number).map(|nth| call(nth) + RESULT).sum();
            assert_eq!(sum, measured, "{number} calls");
        }
        assert_eq!(call(1), 33);
        assert_eq!(calls(0), 0);
    }
}
