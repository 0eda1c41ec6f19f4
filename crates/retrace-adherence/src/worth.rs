//! What each memory costs a session, in which sessions it was, and how its rules fared before and after they were written.

use crate::Rules;
use crate::ledger::adherence;
use retrace_engine::root_of;
use retrace_engine::target::Target;
use retrace_lab::{memory_uses, prices_in, store_presence};
use retrace_log::{Reader, StoreRow};
use retrace_model::RelPath;
use retrace_wire::{
    AdherenceReq, ApiError, Code, MemoriesWorth, MemoryEffect, MemoryPrice, MemoryWorth, MemoryWorthReq,
    RuleLedger, RuleTally, RuleWorth, show,
};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

/// The job's name: `task` of its progress, and what `cancel` stops it by.
const JOB: &str = "worth";

/// Below so many points a rule's are no rate, and two are not compared.
const RATE_FROM: u64 = 10;

/// What each live memory costs and does; what costs and does nothing comes first. Reads every transcript at the first call and
/// what is new at later ones; `cancel` with `worth` stops it.
///
/// # Errors
/// `not_found` for an unknown store, `invalid` when it is being worked out already.
pub fn memory_worth(inner: &Arc<Rules>, request: MemoryWorthReq) -> Result<MemoriesWorth, ApiError> {
    let job = inner.jobs.begin(Some(JOB))?;
    let (stores, only) = inner.read(|reader| match (&request.memory, request.store.as_deref()) {
        (Some(target), _) => {
            let (store, path) = memory_named(inner, reader, target)?;
            Ok((vec![store], Some(path)))
        }
        (None, Some(name)) => Ok((vec![inner.store_named(reader, name)?], None)),
        (None, None) => {
            let listed = reader.stores()?.into_iter().filter(|store| store.removed_at.is_none());
            Ok((listed.collect(), None))
        }
    })?;
    let is_asked = |path: &str| only.as_deref().is_none_or(|only| only == path);
    let uses = memory_uses(&inner.lab, &job, JOB);
    let mut rules = rules_of(inner)?;
    let mut memories = Vec::new();
    for store in &stores {
        let prices = prices_in(&inner.lab, &store.id.to_string(), &uses)?;
        let prices: HashMap<&str, &MemoryPrice> =
            prices.iter().map(|price| (price.path.as_str(), price)).collect();
        let root = root_of(store);
        for memory in store_presence(&inner.lab, store, None)?.iter().filter(|memory| is_asked(&memory.path))
        {
            let price = prices.get(show(&root.join(&memory.path)).as_str());
            let rules = rules.remove(&(store.id.to_string(), memory.path.clone())).unwrap_or_default();
            memories.push(MemoryWorth {
                store_id: store.id.to_string(),
                store: store.name.clone(),
                memory_id: memory.memory.to_string(),
                path: memory.path.clone(),
                // What no session loaded cost none anything.
                tokens_per_session: price.and_then(|price| price.loaded_tokens_per_session).unwrap_or(0),
                cost_usd_per_session: price.and_then(|price| price.cost_usd_per_session),
                sessions: memory.sessions,
                present: memory.present,
                effect: effect(memory.sessions, memory.present, &rules),
                rules,
            });
        }
    }
    memories.sort_by(order);
    Ok(MemoriesWorth { memories, cancelled: job.is_stopped() })
}

/// The live memory that a target names: its store, and its path there.
fn memory_named(inner: &Rules, reader: &Reader<'_>, target: &str) -> Result<(StoreRow, String), ApiError> {
    let Target::File { store, path, at: None } = inner.target(reader, target)? else {
        return Err(ApiError::invalid(say::not_a_memory(), target).hint(say::name_a_memory()));
    };
    if reader.live_at(store.id, &path)?.is_none() {
        return Err(ApiError::new(Code::NotFound, say::no_live_memory(), target));
    }
    Ok((*store, RelPath::to_text(&path)))
}

/// Rules on the list by store and path.
fn rules_of(inner: &Arc<Rules>) -> Result<HashMap<(String, String), Vec<RuleWorth>>, ApiError> {
    let mut rules: HashMap<(String, String), Vec<RuleWorth>> = HashMap::new();
    for ledger in adherence(inner, AdherenceReq::default())?.rules {
        let Some(source) = ledger.rule.source.as_deref() else { continue };
        let target = match source.rsplit_once(':') {
            Some((target, line)) if line.parse::<u64>().is_ok() => target,
            _ => source,
        };
        // A source that is no memory any more has no memory to be told of.
        let found = inner.read(|reader| Ok(inner.target(reader, target).ok()))?;
        if let Some(Target::File { store, path, .. }) = found {
            let place = (store.id.to_string(), RelPath::to_text(&path));
            rules.entry(place).or_default().push(worth_of(&ledger));
        }
    }
    Ok(rules)
}

fn worth_of(ledger: &RuleLedger) -> RuleWorth {
    let (mut before, mut after) = (RuleTally::default(), RuleTally::default());
    for wording in &ledger.by_version {
        let tally = if wording.version_id.is_some() { &mut after } else { &mut before };
        tally.followed += wording.followed;
        tally.broken += wording.broken;
    }
    RuleWorth { rule_id: ledger.rule_id.clone(), sentence: ledger.rule.sentence.clone(), before, after }
}

fn effect(sessions: u64, present: u64, rules: &[RuleWorth]) -> MemoryEffect {
    if sessions > 0 && present == 0 {
        return MemoryEffect::NeverPresent;
    }
    if rules.is_empty() {
        return MemoryEffect::NoRule;
    }
    let sum = |of: fn(&RuleWorth) -> RuleTally| {
        let add = |sum: (u64, u64), one: RuleTally| (sum.0 + one.followed, sum.1 + one.followed + one.broken);
        rules.iter().map(of).fold((0, 0), add)
    };
    let (before, after) = (sum(|rule| rule.before), sum(|rule| rule.after));
    if before.1 < RATE_FROM || after.1 < RATE_FROM {
        return MemoryEffect::TooFew;
    }
    // Two rates, compared without dividing.
    let is_better = u128::from(after.0) * u128::from(before.1) > u128::from(before.0) * u128::from(after.1);
    if is_better { MemoryEffect::Better } else { MemoryEffect::NoBetter }
}

/// What does nothing first, what works last; of each the dearest first.
fn order(one: &MemoryWorth, other: &MemoryWorth) -> Ordering {
    let class = |memory: &MemoryWorth| match memory.effect {
        MemoryEffect::NoBetter | MemoryEffect::NeverPresent => 0,
        MemoryEffect::NoRule | MemoryEffect::TooFew => 1,
        MemoryEffect::Better => 2,
    };
    let spent = |memory: &MemoryWorth| memory.cost_usd_per_session.unwrap_or(0.0) * memory.present as f64;
    let carried = |memory: &MemoryWorth| memory.tokens_per_session.saturating_mul(memory.present);
    class(one)
        .cmp(&class(other))
        .then_with(|| spent(other).total_cmp(&spent(one)))
        .then_with(|| carried(other).cmp(&carried(one)))
        .then_with(|| other.tokens_per_session.cmp(&one.tokens_per_session))
        .then_with(|| (&one.store, &one.path).cmp(&(&other.store, &other.path)))
}

retrace_message::messages! {
    /// Messages about what memories are worth.
    mod say in "worth";
    not_a_memory() => "This names no memory.",
    name_a_memory() => "A memory is named STORE:PATH.",
    no_live_memory() => "There is no such memory now.",
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(before: (u64, u64), after: (u64, u64)) -> RuleWorth {
        let tally = |(followed, broken)| RuleTally { followed, broken };
        RuleWorth {
            rule_id: "rule_1".to_owned(),
            sentence: String::new(),
            before: tally(before),
            after: tally(after),
        }
    }

    #[test]
    fn an_effect_is_told_from_ten_points_on() {
        for (present, rules, expected) in [
            (0, vec![rule((0, 10), (10, 0))], MemoryEffect::NeverPresent),
            (1, vec![], MemoryEffect::NoRule),
            (1, vec![rule((0, 9), (10, 0))], MemoryEffect::TooFew),
            (1, vec![rule((0, 10), (9, 0))], MemoryEffect::TooFew),
            (1, vec![rule((5, 5), (6, 4))], MemoryEffect::Better),
            (1, vec![rule((5, 5), (5, 5))], MemoryEffect::NoBetter),
            (1, vec![rule((5, 0), (5, 0)), rule((0, 5), (1, 4))], MemoryEffect::Better),
        ] {
            assert_eq!(effect(3, present, &rules), expected, "{rules:?}");
        }
        assert_eq!(effect(0, 0, &[]), MemoryEffect::NoRule);
    }

    #[test]
    fn what_costs_and_does_nothing_comes_first() {
        let memory = |path: &str, effect, tokens_per_session, cost: Option<f64>| MemoryWorth {
            store_id: String::new(),
            store: String::new(),
            memory_id: String::new(),
            path: path.to_owned(),
            tokens_per_session,
            cost_usd_per_session: cost,
            sessions: 3,
            present: u64::from(effect != MemoryEffect::NeverPresent),
            rules: Vec::new(),
            effect,
        };
        let mut memories = [
            memory("works", MemoryEffect::Better, 900, Some(9.0)),
            memory("never", MemoryEffect::NeverPresent, 800, None),
            memory("small", MemoryEffect::NoRule, 10, None),
            memory("large", MemoryEffect::NoRule, 700, None),
            memory("dear", MemoryEffect::NoRule, 5, Some(0.5)),
            memory("idle", MemoryEffect::NoBetter, 20, None),
        ];
        memories.sort_by(order);
        let paths: Vec<&str> = memories.iter().map(|memory| memory.path.as_str()).collect();
        assert_eq!(paths, ["idle", "never", "dear", "large", "small", "works"]);
    }
}
