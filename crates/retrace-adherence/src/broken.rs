//! Breaks of rules that were found while sessions ran, as clients see them.

use crate::Rules;
use crate::list::{current, id_of};
use crate::live::SILENT_MINUTES;
use retrace_engine::view;
use retrace_log::{BrokenAct, KeptBroken, Reader, SeenAct};
use retrace_model::Timestamp;
use retrace_rules::{Pattern, Rule, one_line};
use retrace_sessions::Snapshot;
use retrace_wire::{
    ApiError, BrokenRule, BrokenRules, BrokenRulesReq, Code, Event, PresenceCause, PresenceGrade,
    RuleStanding, SeeBrokenRules, UndoneRuleAct,
};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;
use std::sync::Arc;

/// Prefix of a break's id.
const PREFIX: &str = "break_";

/// Breaks that are listed where no number is said, and at most.
const LISTED: [u64; 2] = [200, 1000];

/// Breaks that nobody saw yet, or all, the newest first.
///
/// # Errors
/// A failure of the database.
pub fn broken_rules(inner: &Arc<Rules>, request: BrokenRulesReq) -> Result<BrokenRules, ApiError> {
    inner.read(|reader| broken_rules_in(inner, reader, &request))
}

/// The same, of one state of the log.
///
/// # Errors
/// A failure of the database.
pub fn broken_rules_in(
    inner: &Rules,
    reader: &Reader<'_>,
    request: &BrokenRulesReq,
) -> Result<BrokenRules, ApiError> {
    let limit = request.limit.unwrap_or(LISTED[0]).min(LISTED[1]);
    let kept = reader.broken_rules(request.seen, limit)?;
    if kept.is_empty() {
        return Ok(BrokenRules::default());
    }
    // Titles are told as far as the index of transcripts is known; nobody waits for it here.
    inner.lab.index().recall(&inner.lab);
    let snapshot = inner.lab.index().snapshot();
    let broken = views(inner, reader, &kept, &snapshot)?;
    Ok(BrokenRules { broken, total: reader.broken_count(request.seen)? })
}

/// Says that a person saw breaks, or takes that back. The answer is what they are now.
///
/// # Errors
/// `not_found` for an id that no break has; nothing is changed then.
pub fn see_broken_rules(inner: &Arc<Rules>, request: SeeBrokenRules) -> Result<BrokenRules, ApiError> {
    let numbers = request.broken.iter().map(|id| number_of(id)).collect::<Result<Vec<u64>, _>>()?;
    let (person, now) = (inner.user(), inner.now());
    let what = if request.put_back { BrokenAct::PutBack } else { BrokenAct::Seen };
    inner.write(|act| {
        for number in &numbers {
            act.note_broken(&person, now, *number, what)?;
        }
        Ok(())
    })?;
    inner.events.send(&Event::Broken);
    let snapshot = inner.lab.index().snapshot();
    inner.read(|reader| {
        let kept = numbers.iter().map(|number| reader.broken_rule(*number)).collect::<Result<Vec<_>, _>>()?;
        let broken = views(inner, reader, &kept, &snapshot)?;
        Ok(BrokenRules { total: broken.len() as u64, broken })
    })
}

/// When the newest act on breaks was that can be taken back.
///
/// # Errors
/// A failure of the database.
pub fn newest_seen_act(reader: &Reader<'_>) -> Result<Option<Timestamp>, ApiError> {
    Ok(reader.newest_seen_acts()?.first().map(|act| act.at))
}

/// Takes back what a person said last of breaks: those that were seen need a person again, those that were put back do not.
///
/// # Errors
/// `not_found` where there is no such act.
pub fn undo_seen(inner: &Arc<Rules>, dry_run: bool) -> Result<UndoneRuleAct, ApiError> {
    let (person, now) = (inner.user(), inner.now());
    let answer = |acts: &[SeenAct]| -> Result<UndoneRuleAct, ApiError> {
        let newest = acts.first().ok_or_else(|| ApiError::new(Code::NotFound, say::no_seen_act(), ""))?;
        Ok(UndoneRuleAct {
            becomes: if newest.is_seen { RuleStanding::Unseen } else { RuleStanding::Seen },
            rule_id: None,
            sentence: None,
            broken: acts.iter().rev().map(|act| format!("{PREFIX}{}", act.broken)).collect(),
            created_at: newest.at.to_rfc3339(),
        })
    };
    if dry_run {
        return answer(&inner.read(|reader| Ok(reader.newest_seen_acts()?))?);
    }
    let undone = inner.write(|act| {
        let acts = act.reader().newest_seen_acts()?;
        act.take_back_seen(&person, now, &acts)?;
        answer(&acts)
    })?;
    inner.events.send(&Event::Broken);
    Ok(undone)
}

fn number_of(id: &str) -> Result<u64, ApiError> {
    let number = id.strip_prefix(PREFIX).unwrap_or(id).parse().ok();
    number.ok_or_else(|| ApiError::new(Code::NotFound, say::no_such_break(), id))
}

/// Breaks as clients see them, their rules' sources as these are called now.
fn views(
    inner: &Rules,
    reader: &Reader<'_>,
    kept: &[KeptBroken],
    snapshot: &Snapshot,
) -> Result<Vec<BrokenRule>, ApiError> {
    let mut rules: BTreeMap<u64, Option<Rule>> = BTreeMap::new();
    let mut all = Vec::with_capacity(kept.len());
    for kept in kept {
        let rule = match rules.entry(kept.broken.rule) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(current(inner, reader, &reader.rule(kept.broken.rule)?)?),
        };
        all.push(one(kept, rule.as_ref(), snapshot));
    }
    Ok(all)
}

fn one(kept: &KeptBroken, rule: Option<&Rule>, snapshot: &Snapshot) -> BrokenRule {
    let broken = &kept.broken;
    let at_end = rule.is_some_and(|rule| matches!(rule.pattern, Pattern::AtEnd(_)));
    let quiet =
        broken.made_at.map(|made| broken.found_at.micros().saturating_sub(made.micros()) / 60_000_000);
    let quiet = quiet.filter(|minutes| at_end && *minutes >= SILENT_MINUTES);
    let entry = snapshot.entry(Path::new(&broken.transcript));
    let summary = entry.and_then(|entry| entry.summary.as_ref());
    BrokenRule {
        id: format!("{PREFIX}{}", kept.number),
        rule_id: id_of(broken.rule),
        sentence: rule.map(|rule| rule.sentence.clone()).unwrap_or_default(),
        source: rule.and_then(|rule| rule.source.clone()),
        what: one_line(&broken.what),
        at_end,
        quiet_minutes: quiet.and_then(|minutes| u64::try_from(minutes).ok()),
        session: broken.session.clone(),
        title: summary.and_then(|summary| summary.session.title.clone()),
        transcript: broken.transcript.clone(),
        subagent: broken.subagent,
        turn: broken.turn,
        line: broken.line,
        at: broken.made_at.map(|at| at.to_rfc3339()),
        found_at: broken.found_at.to_rfc3339(),
        present: broken.present,
        cause: broken.cause.as_deref().and_then(|word| word.parse::<PresenceCause>().ok()),
        grade: broken.grade.as_deref().and_then(|word| word.parse::<PresenceGrade>().ok()),
        seen_at: kept.seen.as_ref().map(|(at, _)| at.to_rfc3339()),
        seen_by: kept.seen.as_ref().and_then(|(_, actor)| view::actor(actor)),
    }
}

retrace_message::messages! {
    /// Messages about breaks of rules.
    mod say in "broken_rules";
    no_seen_act() => "Nothing was said of a break that could be taken back.",
    no_such_break() => "There is no such break of a rule.",
}
