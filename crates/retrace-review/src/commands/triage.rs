//! Everything left to review as rows, and what a row is asked for.

use crate::Review;
use crate::kinds::kind_filter;
use crate::target::version_named;
use crate::triage::cluster::{Row, rows};
use crate::triage::edit::{EditLine, form, varying};
use crate::triage::{Facts, edit_of};
use crate::view;
use crate::wire::{
    ApiError, BrokenRules, BrokenRulesReq, ClusterDifference, ClusterDifferenceReq, ClusterLine, InboxItem,
    InboxItems, InboxItemsReq, LineTag, Triage, TriageKind, TriageReq, TriageRow, Varying,
};
use retrace_adherence::broken_rules_in;
use retrace_engine::memories::{hidden, positions};
use retrace_health::Configurations;
use retrace_log::{Unreviewed, VersionRow};
use retrace_model::{Actor, MemoryId, Sha256};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A row of so many changes comes with all of its items: in a short list, and in a long one.
const WHOLE: [usize; 2] = [40, 12];

/// Longest short list.
const SHORT: usize = 400;

/// Most items that are asked for by their versions at once.
const LARGEST_PAGE: usize = 500;

/// Everything that this person has left to review, as rows: what needs a decision, the most urgent first, then the rest.
///
/// # Errors
/// `not_found` for an unknown store, `invalid` for a kind that is none.
pub fn triage(inner: &Arc<Review>, request: TriageReq) -> Result<Triage, ApiError> {
    let kind = kind_filter(request.kind.as_deref())?;
    let items = inner.read(|reader| {
        let store = request.store.as_deref().map(|name| inner.store_named(reader, name)).transpose()?;
        inner.left_to_review(reader, store.map(|store| store.id), kind.as_ref())
    })?;
    let facts = inner.facts(&items)?;
    let found = rows(&facts.facts);
    let shown_of = |row: &Row| {
        let whole = if items.len() <= SHORT { WHOLE[0] } else { WHOLE[1] };
        if row.members.len() <= whole { row.members.len() } else { 1 }
    };
    let all = found.needs.iter().chain(&found.routine);
    let shown: Vec<usize> = all.flat_map(|row| row.members.iter().take(shown_of(row)).copied()).collect();
    let item = |at: usize| Some(&items[shown[at]]);
    let mut said = inner
        .each_of(shown.len(), item, |read, configurations, at| {
            inner.inbox_item(read, &items[shown[at]], configurations)
        })?
        .into_iter();
    let mut row = |row: &Row| {
        let shown: Vec<InboxItem> = said.by_ref().take(shown_of(row)).collect();
        row_view(row, &items, &facts, shown)
    };
    let needs: Vec<TriageRow> = found.needs.iter().map(&mut row).collect();
    let routine: Vec<TriageRow> = found.routine.iter().map(&mut row).collect();
    let broken = match (&request.store, &request.kind) {
        (None, None) => {
            let asked = BrokenRulesReq::default();
            inner.read(|reader| broken_rules_in(&inner.memory_rules, reader, &asked))?
        }
        _ => BrokenRules::default(),
    };
    let count = |rows: &[TriageRow]| rows.iter().map(|row| row.versions.len() as u64).sum();
    Ok(Triage {
        total: items.len() as u64,
        needs_total: count(&needs),
        routine_total: count(&routine),
        needs,
        routine,
        broken: broken.broken,
        broken_total: broken.total,
    })
}

fn row_view(row: &Row, items: &[Unreviewed], facts: &Facts, shown: Vec<InboxItem>) -> TriageRow {
    let members = || row.members.iter().map(|at| &items[*at]);
    let first = row.members.first().copied().unwrap_or_default();
    let writer = members().next().map_or(&Actor::Unknown, |item| &item.writer);
    let is_one = row.members.iter().all(|at| facts.facts[*at].writer == facts.facts[first].writer);
    let mut stores: Vec<String> = members().map(|item| item.store.to_string()).collect();
    stores.sort_unstable();
    stores.dedup();
    let time = |at: Option<retrace_model::Timestamp>| at.map(|at| at.to_rfc3339()).unwrap_or_default();
    TriageRow {
        id: name_of(row, items, facts),
        kind: row.kind,
        reason: row.reason,
        finding: facts.findings.get(first).cloned().flatten(),
        versions: row.members.iter().map(|at| facts.newest[*at].id.to_string()).collect(),
        items: shown,
        stores,
        session: match writer {
            Actor::Session { id, .. } if is_one => Some(id.clone()),
            _ => None,
        },
        actor: if is_one { view::actor(writer) } else { None },
        started_at: time(members().map(|item| item.at).min()),
        ended_at: time(members().map(|item| item.at).max()),
    }
}

/// The name of a row. That of a cluster stays when a member comes or goes: it is made of what the members have in common.
fn name_of(row: &Row, items: &[Unreviewed], facts: &Facts) -> String {
    let Some((first, fact)) = row.members.first().map(|at| (*at, &facts.facts[*at])) else {
        return String::new();
    };
    let item = &items[first];
    let writer = match &item.writer {
        Actor::Session { id, .. } => id.clone(),
        other => format!("{other:?}"),
    };
    let store = item.store.to_string();
    let rule = fact.need.as_ref().map(|need| need.rule.clone()).unwrap_or_default();
    // A burst is known by its oldest deletion: newer ones may join it.
    let oldest = row.members.last().map(|at| facts.newest[*at].id.to_string()).unwrap_or_default();
    let common = match row.kind {
        TriageKind::Single => return facts.newest[first].memory.to_string(),
        TriageKind::DeletedTogether => oldest,
        TriageKind::SameEdit => format!("{store} {:?} {rule}", fact.form),
        TriageKind::CreatedTogether => format!("{writer} {oldest}"),
        TriageKind::SameFinding => format!("{store} {rule} {:?}", row.reason),
        TriageKind::Session => writer,
        TriageKind::Writer => format!("{store} {writer}"),
        TriageKind::Unchanged => String::new(),
    };
    let hash = Sha256::of(common.as_bytes()).to_hex();
    format!("{}_{}", row.kind, hash.get(..16).unwrap_or_default())
}

/// Items by their newest versions, as they are now; what is reviewed by now is left out.
///
/// # Errors
/// `not_found` for an unknown version, `invalid` for too many.
pub fn inbox_items(inner: &Arc<Review>, request: InboxItemsReq) -> Result<InboxItems, ApiError> {
    if request.versions.len() > LARGEST_PAGE {
        return Err(ApiError::invalid(say::too_many_versions(LARGEST_PAGE), "versions"));
    }
    let left = left_of(inner, &request.versions)?;
    let mut configurations = Configurations::default();
    let items = inner.read(|reader| {
        let read = reader.items(&inner.user())?;
        let item = |(_, left): &(VersionRow, Unreviewed)| inner.inbox_item(&read, left, &mut configurations);
        left.iter().map(item).collect::<Result<_, ApiError>>()
    })?;
    Ok(InboxItems { items })
}

/// What is still left to review of the memories of these versions, in their order.
fn left_of(inner: &Review, versions: &[String]) -> Result<Vec<(VersionRow, Unreviewed)>, ApiError> {
    inner.read(|reader| {
        let person = inner.user();
        let mut left: Vec<(VersionRow, Unreviewed)> = Vec::new();
        let mut known: BTreeMap<MemoryId, ()> = BTreeMap::new();
        for text in versions {
            let version = version_named(reader, text)?;
            if known.insert(version.memory, ()).is_none()
                && let Some(found) = reader.unreviewed_memory(&person, version.memory)?
            {
                left.push((version, found));
            }
        }
        Ok(left)
    })
}

/// One difference for several changes that have the form of the first.
///
/// # Errors
/// `not_found` for an unknown version.
pub fn cluster_difference(
    inner: &Arc<Review>,
    request: ClusterDifferenceReq,
) -> Result<ClusterDifference, ApiError> {
    let left = left_of(inner, &request.versions)?;
    // The newest versions are at hand.
    let edits = inner.each_of(
        left.len(),
        |_| None,
        |read, _, at| {
            let (seen, item) = &left[at];
            let base = item.base.map(|seq| read.version(seq)).transpose()?;
            match base {
                Some(base) if item.newest == seen.id.seq => edit_of(&read.reader().recent(), &base, seen),
                _ => Ok(None),
            }
        },
    )?;
    let mut edits: Vec<Vec<EditLine>> = edits.into_iter().flatten().collect();
    let first = edits.first().map(|edit| form(edit));
    edits.retain(|edit| Some(form(edit)) == first);
    let varies = varying(&edits);
    let members = edits.len() as u64;
    let lines = edits.into_iter().next().unwrap_or_default().into_iter().zip(varies);
    let lines = lines.map(|(line, varies)| line_view(&line, &varies)).collect();
    Ok(ClusterDifference { members, others: request.versions.len() as u64 - members, lines })
}

fn line_view(line: &EditLine, varies: &[crate::triage::edit::Varying]) -> ClusterLine {
    let position = positions(&line.text);
    let changed = line.changed.iter().filter(|changed| !changed.is_empty());
    ClusterLine {
        tag: LineTag::from(line.tag),
        words: changed.map(|changed| (position(changed.start), position(changed.end))).collect(),
        varies: varies
            .iter()
            .map(|one| Varying {
                start: position(one.range.start),
                end: position(one.range.end),
                values: one.values as u64,
            })
            .collect(),
        hidden: hidden(&line.text, &line.hidden),
        text: line.text.clone(),
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "triage";
    too_many_versions(most) => "At most {most} versions are asked for at once.",
}
