//! Texts of people within values that a hub keeps: a redaction searches them one by one, and writes the value anew.

use crate::policy::Policy;
use std::collections::BTreeMap;

/// A policy with every text of a person put through a function: stores that it names, and rules that it wants. A store has the marker in
/// its name as the policy has it then, so its days hold as before.
#[must_use]
pub fn rewritten_policy(mut policy: Policy, mut one: impl FnMut(&str) -> String) -> Policy {
    let mut days = BTreeMap::new();
    for (store, of) in std::mem::take(&mut policy.retention_days) {
        let store = different(one(&store), |store| days.contains_key(store));
        days.insert(store, of);
    }
    policy.retention_days = days;
    for rule in &mut policy.required_rules {
        *rule = one(rule);
    }
    policy
}

/// A key, with a number where there is the same already.
#[must_use]
pub fn different(key: String, is_there: impl Fn(&str) -> bool) -> String {
    if !is_there(&key) {
        return key;
    }
    (2_u32..).map(|number| format!("{key} {number}")).find(|key| !is_there(key)).unwrap_or(key)
}
