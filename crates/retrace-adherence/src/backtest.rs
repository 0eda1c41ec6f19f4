//! A guard held against recorded sessions.

use crate::Rules;
use crate::anchor::Anchor;
use crate::ledger::{Session, case_of, read_all};
use crate::presence::{Presences, Spoken};
use retrace_model::Timestamp;
use retrace_rules::{Outcome, Rule, What, judge, one_line};
use retrace_wire::{ApiError, BackTest, RuleCase, RuleOutcome};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Cases that are given at most.
const MOST_CASES: usize = 50;

/// How a guard would have fared. `project` is where its settings are in force, everywhere without one.
pub(crate) fn back_test(
    inner: &Rules,
    (rule, added_at): (&Rule, Timestamp),
    project: Option<&Path>,
) -> Result<BackTest, ApiError> {
    let anchor = Anchor::of(inner, rule, added_at)?;
    let ran_there = |session: &Session| {
        let ran_in = session.entry.summary.as_ref().and_then(|summary| summary.session.project.as_deref());
        project.is_none_or(|project| ran_in.is_some_and(|ran| Path::new(ran).starts_with(project)))
    };
    let mut test =
        BackTest { sessions: 0, calls: 0, fired: 0, broken: 0, wrongly: 0, predates: 0, cases: Vec::new() };
    let mut presences = Presences::new(inner)?;
    let mut ids = BTreeSet::new();
    let mut cases = Vec::new();
    for session in read_all(inner)?.sessions {
        let spoken = Spoken { entry: &session.entry, part: 0 };
        if presences.could_have(&anchor, spoken) && ran_there(&session) {
            add(&mut test, &mut cases, &anchor, rule, &session);
            ids.insert(session.session);
        }
    }
    test.sessions = ids.len() as u64;
    cases.sort_by_key(|(at, case)| (Reverse(*at), case.line));
    test.cases = cases.into_iter().take(MOST_CASES).map(|(_, case)| case).collect();
    Ok(test)
}

/// Counts calls: one that breaks a rule twice is stopped once.
fn add(
    test: &mut BackTest,
    cases: &mut Vec<(Option<Timestamp>, RuleCase)>,
    anchor: &Anchor,
    rule: &Rule,
    session: &Session,
) {
    let all = &session.deeds.all;
    let call_of = |index: usize| {
        let deed = &all[index];
        (deed.conversation, deed.tool_use_id.clone().unwrap_or_else(|| format!("line {} {index}", deed.line)))
    };
    let is_call = |what: &What| matches!(what, What::Command { .. } | What::Edit { .. });
    let own = (0..all.len()).filter(|index| !all[*index].copied && is_call(&all[*index].what));
    let calls: BTreeSet<_> = own.map(call_of).collect();
    test.calls += calls.len() as u64;
    // What the hook does not know, the person's words, makes it fire where the ledger makes an exception.
    let mut fired = BTreeMap::new();
    for verdict in judge(&rule.pattern, &session.deeds) {
        if matches!(verdict.outcome, Outcome::Broken | Outcome::Excepted) {
            let kept = fired.entry(call_of(verdict.deed)).or_insert_with(|| verdict.clone());
            if verdict.outcome == Outcome::Broken {
                *kept = verdict;
            }
        }
    }
    test.fired += fired.len() as u64;
    for verdict in fired.into_values() {
        let deed = &all[verdict.deed];
        let outcome = match (anchor.at(deed.at), verdict.outcome) {
            (None, _) => RuleOutcome::Predates,
            (_, Outcome::Excepted) => RuleOutcome::Excepted,
            _ => RuleOutcome::Broken,
        };
        match outcome {
            RuleOutcome::Predates => test.predates += 1,
            RuleOutcome::Excepted => test.wrongly += 1,
            _ => test.broken += 1,
        }
        cases.push((deed.at, case_of(session, deed, one_line(&verdict.what), outcome)));
    }
}
