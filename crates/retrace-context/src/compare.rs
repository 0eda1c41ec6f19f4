//! Compare: two settings over the same transcript.

use crate::outcome::{Cleared, Outcome, Totals};
use crate::regret::Regret;
use std::collections::BTreeSet;

/// Changes of a new setting against a base.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Sums under the base.
    pub base: Totals,
    /// Sums under the new setting.
    pub new: Totals,
    /// Requests whose context differs: index, context under the base, context under the new setting. In order.
    pub requests: Vec<(usize, u64, u64)>,
    /// Tool uses whose results the new setting clears at some request and the base never does, in the order of their clearing.
    pub newly_cleared: Vec<String>,
    /// Those the base clears and the new setting never does.
    pub no_longer_cleared: Vec<String>,
    /// Tool uses regretted under the new setting alone.
    pub new_regrets: Vec<String>,
    /// Tool uses regretted under the base alone.
    pub spared_regrets: Vec<String>,
}

/// Compares a new setting's outcome with that of a base, each with its regrets. Requests that only one of them has differ from
/// nothing.
#[must_use]
pub fn compare(base: (&Outcome, &[Regret]), new: (&Outcome, &[Regret])) -> Comparison {
    let requests = base
        .0
        .requests
        .iter()
        .zip(&new.0.requests)
        .filter(|(base, new)| base.after != new.after)
        .map(|(base, new)| (new.index, base.after, new.after))
        .collect();
    let (base_cleared, new_cleared) = (cleared(base.0), cleared(new.0));
    let (base_regrets, new_regrets) = (regretted(base.1), regretted(new.1));
    let regrets = |totals: &Totals, regrets: &[Regret]| Totals { regrets: regrets.len() as u64, ..*totals };
    Comparison {
        base: regrets(&base.0.totals, base.1),
        new: regrets(&new.0.totals, new.1),
        requests,
        newly_cleared: without(&new_cleared, &base_cleared),
        no_longer_cleared: without(&base_cleared, &new_cleared),
        new_regrets: without(&new_regrets, &base_regrets),
        spared_regrets: without(&base_regrets, &new_regrets),
    }
}

fn cleared(outcome: &Outcome) -> Vec<&str> {
    let all = outcome.requests.iter().flat_map(|request| &request.newly_cleared);
    all.filter_map(|cleared| match cleared {
        Cleared::Result { tool_use_id, .. } => Some(tool_use_id.as_str()),
        _ => None,
    })
    .collect()
}

fn regretted(regrets: &[Regret]) -> Vec<&str> {
    regrets.iter().map(|regret| regret.tool_use_id.as_str()).collect()
}

/// Items of the one list that are not in the other, each once.
fn without(these: &[&str], those: &[&str]) -> Vec<String> {
    let mut seen: BTreeSet<&str> = those.iter().copied().collect();
    these.iter().filter(|id| seen.insert(id)).map(|id| (*id).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_compared_with_each_other() {
        assert_eq!(without(&["a", "b", "a", "c"], &["b"]), ["a", "c"]);
        let empty = Outcome {
            requests: Vec::new(),
            stopped: None,
            compactions: Vec::new(),
            totals: Totals { peak: 5, ..Totals::default() },
        };
        let same = compare((&empty, &[]), (&empty, &[]));
        assert_eq!((same.base, same.requests.len()), (empty.totals, 0));
    }
}
