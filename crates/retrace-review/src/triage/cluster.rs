//! Puts changes into rows: what needs a decision, then the routine rest. Pure: it is told facts and says which belong together.
//!
//! Every change is in exactly one row. Which one depends on the facts alone, so that a list that is read again shows the same
//! rows but for what changed.

use super::edit::Form;
use crate::wire::{ItemVerb, NeedReason, Severity, TriageKind};
use retrace_findings::events::MASS_DELETE_GAP_MICROS;
use retrace_model::StoreId;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

/// Fewest changes that are shown as one: two are as quickly read one by one.
pub(crate) const FEWEST: usize = 3;

/// Findings of severity error are decided one by one; of so many changes of a store with the same rule nobody does that.
pub(crate) const MOST_SINGLE: usize = 50;

/// Why a change needs a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Need {
    pub reason: NeedReason,
    pub severity: Severity,
    /// The rule that found something; empty where the change itself is the reason.
    pub rule: String,
}

/// What is known of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fact {
    pub store: StoreId,
    /// Who, numbered: equal numbers are the same writer.
    pub writer: u32,
    /// True if the writer is a session.
    pub is_session: bool,
    /// The prompt after which it was written, numbered; `None` where it is not known.
    pub prompt: Option<u32>,
    pub operation: u64,
    /// When it was recorded, in microseconds.
    pub at: i64,
    pub verb: ItemVerb,
    /// The memory is as it was when it was last reviewed.
    pub is_unchanged: bool,
    /// The form of the edit, where it is a small one.
    pub form: Option<Form>,
    pub need: Option<Need>,
}

/// Changes that are reviewed together, as places in the list of facts, in its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub kind: TriageKind,
    pub reason: Option<NeedReason>,
    pub members: Vec<usize>,
}

/// All rows.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Rows {
    pub needs: Vec<Row>,
    pub routine: Vec<Row>,
}

/// Puts changes into rows. `facts` come newest first.
pub(crate) fn rows(facts: &[Fact]) -> Rows {
    let (mut needed, mut rest) = (Vec::new(), Vec::new());
    for (at, fact) in facts.iter().enumerate() {
        match fact.need {
            Some(_) => needed.push(at),
            None => rest.push(at),
        }
    }
    Rows { needs: needs(facts, needed), routine: routine(facts, rest) }
}

/// Groups places by a key, in the order of their first; those without a key are given back.
fn by_key<K: Hash + Eq>(
    places: Vec<usize>,
    key: impl Fn(usize) -> Option<K>,
) -> (Vec<Vec<usize>>, Vec<usize>) {
    let (mut groups, mut left): (Vec<Vec<usize>>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut known: HashMap<K, usize> = HashMap::new();
    for at in places {
        match key(at) {
            None => left.push(at),
            Some(key) => {
                let group = *known.entry(key).or_insert_with(|| {
                    groups.push(Vec::new());
                    groups.len() - 1
                });
                groups[group].push(at);
            }
        }
    }
    (groups, left)
}

/// Takes groups of at least `fewest` out as rows of a kind; gives back the other places, in their order.
fn take<K: Hash + Eq>(
    rows: &mut Vec<(TriageKind, Vec<usize>)>,
    kind: TriageKind,
    fewest: usize,
    places: Vec<usize>,
    key: impl Fn(usize) -> Option<K>,
) -> Vec<usize> {
    let (groups, mut left) = by_key(places, key);
    for group in groups {
        match group.len() >= fewest {
            true => rows.push((kind, group)),
            false => left.extend(group),
        }
    }
    left.sort_unstable();
    left
}

fn needs(facts: &[Fact], places: Vec<usize>) -> Vec<Row> {
    let need = |at: usize| facts[at].need.as_ref();
    let is = |at: usize, wanted: NeedReason| need(at).is_some_and(|need| need.reason == wanted);
    let mut found = Vec::new();
    let (deleted, others) = places.into_iter().partition(|at| is(*at, NeedReason::Deleted));
    deletions(facts, deleted, &mut found);
    let rule = |at: usize| need(at).map(|need| (facts[at].store, need.reason, need.rule.clone()));
    let left = take(&mut found, TriageKind::SameEdit, FEWEST, others, |at| rule(at).zip(facts[at].form));
    let is_grave = |at: usize| need(at).is_some_and(|need| need.severity == Severity::Error);
    let (grave, light) = left.into_iter().partition(|at| is_grave(*at));
    let mut single = take(&mut found, TriageKind::SameFinding, MOST_SINGLE, grave, rule);
    single.extend(take(&mut found, TriageKind::SameFinding, FEWEST, light, rule));
    found.extend(single.into_iter().map(|at| (TriageKind::Single, vec![at])));
    let mut rows: Vec<Row> = found
        .into_iter()
        .map(|(kind, members)| {
            let reason = members.iter().filter_map(|at| need(*at)).map(|need| need.reason).min();
            Row { kind, reason, members }
        })
        .collect();
    rows.sort_by_key(|row| {
        let severity = row.members.iter().filter_map(|at| need(*at)).map(|need| need.severity).max();
        (row.reason, Reverse(severity), row.members.first().copied())
    });
    rows
}

/// Deletions of a writer in a store that followed each other closely are one row; one by itself is one, too.
fn deletions(facts: &[Fact], places: Vec<usize>, found: &mut Vec<(TriageKind, Vec<usize>)>) {
    let (groups, _) = by_key(places, |at| Some((facts[at].store, facts[at].writer)));
    for group in groups {
        let follows = |one: &usize, other: &usize| {
            let (one, other) = (&facts[*one], &facts[*other]);
            one.operation == other.operation || one.at.abs_diff(other.at) <= MASS_DELETE_GAP_MICROS
        };
        for burst in group.chunk_by(follows) {
            match burst {
                [one] => found.push((TriageKind::Single, vec![*one])),
                several => found.push((TriageKind::DeletedTogether, several.to_vec())),
            }
        }
    }
}

fn routine(facts: &[Fact], places: Vec<usize>) -> Vec<Row> {
    let (unchanged, places): (Vec<usize>, Vec<usize>) =
        places.into_iter().partition(|at| facts[*at].is_unchanged);
    let mut clusters = Vec::new();
    let edit = |at: usize| {
        let fact = &facts[at];
        (fact.verb == ItemVerb::Changed).then_some(fact.form).flatten().map(|form| (fact.store, form))
    };
    let places = take(&mut clusters, TriageKind::SameEdit, FEWEST, places, edit);
    let prompt = |at: usize| {
        let fact = &facts[at];
        (fact.verb == ItemVerb::Created).then_some(fact.prompt).flatten().map(|prompt| (fact.writer, prompt))
    };
    let places = take(&mut clusters, TriageKind::CreatedTogether, FEWEST, places, prompt);
    clusters.sort_by_key(|(_, members)| (Reverse(members.len()), members.first().copied()));
    // A session is one wherever it wrote; another writer is one in each store.
    let mut writers: BTreeMap<(u32, Option<StoreId>), Vec<usize>> = BTreeMap::new();
    for at in places {
        let fact = &facts[at];
        let store = (!fact.is_session).then_some(fact.store);
        writers.entry((fact.writer, store)).or_default().push(at);
    }
    let mut groups: Vec<(TriageKind, Vec<usize>)> = writers
        .into_iter()
        .map(|((_, store), members)| match store {
            None => (TriageKind::Session, members),
            Some(_) => (TriageKind::Writer, members),
        })
        .collect();
    groups.sort_by_key(|(_, members)| members.first().copied());
    let unchanged = (!unchanged.is_empty()).then_some((TriageKind::Unchanged, unchanged));
    let row = |(kind, members)| Row { kind, reason: None, members };
    clusters.into_iter().chain(groups).chain(unchanged).map(row).collect()
}

/// Why findings and the change itself need a decision: the most urgent reason, with the place of its finding. `None` for what
/// can be approved unread.
pub(crate) fn need_of(
    findings: &[(&str, Severity)],
    verb: ItemVerb,
    is_unchanged: bool,
    is_reappeared: bool,
) -> Option<(Need, Option<usize>)> {
    let found = findings.iter().enumerate().filter_map(|(at, (rule, severity))| {
        let reason = reason_of(rule, *severity)?;
        // That something was gone for a while is nothing any more.
        (!is_unchanged || reason != NeedReason::Deleted)
            .then(|| (Need { reason, severity: *severity, rule: (*rule).to_owned() }, Some(at)))
    });
    let own = |reason| (Need { reason, severity: Severity::Warning, rule: String::new() }, None);
    let deleted = (verb == ItemVerb::Deleted && !is_unchanged).then(|| own(NeedReason::Deleted));
    let reappeared = is_reappeared.then(|| own(NeedReason::Reappeared));
    found
        .chain(deleted)
        .chain(reappeared)
        .min_by_key(|(need, at)| (need.reason, Reverse(need.severity), at.is_none(), *at))
}

/// Why a finding needs a decision; `None` for notes.
fn reason_of(rule: &str, severity: Severity) -> Option<NeedReason> {
    let (group, name) = rule.split_once('/').unwrap_or((rule, ""));
    // Off unless somebody asked for it.
    if rule == "similar/contradiction" {
        return Some(NeedReason::Conflict);
    }
    if severity == Severity::Note {
        return None;
    }
    Some(match (group, name) {
        ("personal", _) if severity == Severity::Warning => NeedReason::Personal,
        ("secret" | "personal", _) | ("events", "redacted-back") => NeedReason::Secret,
        ("hostile", _) => NeedReason::Hostile,
        ("events", "mass-delete") => NeedReason::Deleted,
        ("limits", "index-cut") | ("events", "index-shrank") => NeedReason::IndexCut,
        ("events", "race") => NeedReason::Conflict,
        ("limits", _) => NeedReason::Limit,
        ("hidden", _) => NeedReason::Hidden,
        _ if severity == Severity::Error => NeedReason::Error,
        _ => NeedReason::Warning,
    })
}

#[cfg(test)]
#[path = "cluster_tests.rs"]
mod tests;
