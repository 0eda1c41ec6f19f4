//! The ledger as its owner shares it with other machines: what became of each rule at each point, without the call.

use crate::Rules;
use crate::anchor::Source;
use crate::ledger::{Ledger, Read, read_all};
use crate::list::listed;
use crate::presence::Presences;
use retrace_model::{StoreId, Timestamp};
use retrace_wire::{ApiError, PresenceCause, RuleFields, RuleOutcome};
use std::path::PathBuf;
use std::sync::Arc;

/// A rule with what became of it in every session on this machine.
pub struct ToldRule {
    /// The rule.
    pub rule: RuleFields,
    /// The store that its line stands in; none for one of a file or of nobody.
    pub store: Option<StoreId>,
    /// Tokens of its line.
    pub tokens: u64,
    /// What became of it, in order of the sessions.
    pub verdicts: Vec<ToldVerdict>,
}

/// A point at which a rule applied.
#[derive(Clone, Debug)]
pub struct ToldVerdict {
    /// The transcript.
    pub transcript: PathBuf,
    /// The conversation in it, from 0.
    pub conversation: usize,
    /// The request, from 0.
    pub request: Option<u64>,
    /// The version whose wording was in force.
    pub version: Option<String>,
    /// What became of it.
    pub outcome: RuleOutcome,
    /// Of a broken one: true if the rule was before the model.
    pub present: Option<bool>,
    /// Why it was not.
    pub cause: Option<PresenceCause>,
    /// When.
    pub at: Option<Timestamp>,
}

/// Every rule on the list, with what became of it.
///
/// # Errors
/// A failure of the database.
pub fn told_rules(inner: &Arc<Rules>) -> Result<Vec<ToldRule>, ApiError> {
    let rules = inner.read(|reader| listed(reader, None))?;
    if rules.is_empty() {
        return Ok(Vec::new());
    }
    let Read { sessions, .. } = read_all(inner)?;
    let mut presences = Presences::new(inner)?;
    let mut told = Vec::with_capacity(rules.len());
    for (view, rule) in rules {
        let mut ledger = Ledger::new(inner, view, &rule, None)?;
        ledger.told = Some(Vec::new());
        ledger.add(&sessions, &mut presences);
        let (store, is_of_memory) = match &ledger.anchor.source {
            Source::Memory(memory) => (Some(memory.store.id), true),
            Source::File { .. } | Source::Nowhere => (None, false),
        };
        let mut fields = ledger.row.rule;
        // The path of a file tells of this machine.
        fields.source = fields.source.filter(|_| is_of_memory);
        told.push(ToldRule {
            rule: fields,
            store,
            tokens: ledger.row.tokens_per_session,
            verdicts: ledger.told.unwrap_or_default(),
        });
    }
    Ok(told)
}
