//! The beta header.

use crate::open::BETA_MISSING;
use crate::refusal::Refusal;

/// The beta the SDKs send today. Source: Python SDK 2.11.0, TypeScript SDK 1.11.0.
pub const BETA_MEMORY: &str = "agent-memory-2026-07-22";
/// The beta older SDKs send. Source: Python SDK 0.110.0.
pub const BETA_MANAGED_AGENTS: &str = "managed-agents-2026-04-01";

/// Checks the values of all `anthropic-beta` headers of a request.
///
/// # Errors
/// When both betas are named (source: documentation page "Using agent memory"), or neither is.
pub fn check_betas<'h>(values: impl Iterator<Item = &'h str>) -> Result<(), Refusal> {
    let (mut memory, mut agents) = (false, false);
    for beta in values.flat_map(|value| value.split(',')) {
        memory |= beta.trim() == BETA_MEMORY;
        agents |= beta.trim() == BETA_MANAGED_AGENTS;
    }
    match (memory, agents) {
        (true, false) | (false, true) => Ok(()),
        (true, true) => Err(Refusal::invalid(
            "anthropic-beta",
            format!("{BETA_MEMORY} and {BETA_MANAGED_AGENTS} cannot be used together"),
        )),
        (false, false) => Err(Refusal::new(
            BETA_MISSING,
            format!("anthropic-beta: this endpoint is in beta; send {BETA_MEMORY} or {BETA_MANAGED_AGENTS}"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_the_two_and_not_both() {
        for (values, passes) in [
            (&[BETA_MEMORY][..], true),
            (&["other-2020-01-01, managed-agents-2026-04-01"][..], true),
            (&["managed-agents-2026-04-01,agent-memory-2026-07-22"][..], false),
            (&[BETA_MEMORY, BETA_MANAGED_AGENTS][..], false),
            (&[][..], false),
            (&["other"][..], false),
        ] {
            assert_eq!(check_betas(values.iter().copied()).is_ok(), passes, "{values:?}");
        }
    }
}
