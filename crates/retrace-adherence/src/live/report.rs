//! A break that was found: whether the rule counts there and was before the model, and the entry of the log.

use super::LiveRule;
use crate::Rules;
use crate::anchor::Anchor;
use crate::presence::{Presences, Spoken};
use retrace_log::{BrokenAct, NewBroken};
use retrace_model::Actor;
use retrace_rules::Deed;
use retrace_sessions::Entry;
use retrace_wire::{ApiError, Event, show};
use std::path::Path;
use std::sync::Arc;

/// Tells a break from every other one of its rule.
pub(super) type Mark = [u8; 16];

/// A break that a session's transcript shows.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) rule: u64,
    pub(super) mark: Mark,
    pub(super) what: String,
    pub(super) deed: Deed,
}

/// Keeps the breaks of a transcript that count, and tells listeners.
///
/// # Errors
/// A failure of the database; nothing is kept then.
pub(super) fn report(
    inner: &Arc<Rules>,
    rules: &[LiveRule],
    path: &Path,
    candidates: &[Candidate],
) -> Result<(), ApiError> {
    let mut presences: Option<(Presences, Arc<Entry>)> = None;
    let mut broken = Vec::new();
    for candidate in candidates {
        let Some(of) = rules.iter().find(|rule| rule.number == candidate.rule) else { continue };
        let (presences, entry) = match &mut presences {
            Some(known) => known,
            None => match Presences::of_transcript(inner, path)? {
                Some(found) => presences.insert(found),
                // The index says why it is no transcript.
                None => return Ok(()),
            },
        };
        broken.extend(counted(inner, of, presences, entry, candidate)?);
    }
    if broken.is_empty() {
        return Ok(());
    }
    let is_new = inner.write(|act| {
        let mut is_new = false;
        for one in &broken {
            is_new |= act.add_broken(one)?.is_some();
        }
        Ok(is_new)
    })?;
    if is_new {
        inner.events.send(&Event::Broken);
    }
    Ok(())
}

/// The break as it is kept; `None` where the rule does not count there, or did not stand then.
fn counted(
    inner: &Rules,
    of: &LiveRule,
    presences: &mut Presences,
    entry: &Entry,
    candidate: &Candidate,
) -> Result<Option<NewBroken>, ApiError> {
    let deed = &candidate.deed;
    let is_of_subagent = entry.is_subagent() || deed.conversation > 0;
    // That a subagent ended is no end of its session; the ledger has it.
    if is_of_subagent && of.judging.is_about_the_end() {
        return Ok(None);
    }
    let anchor = Anchor::of(inner, &of.rule, of.added_at)?;
    let spoken = Spoken { entry, part: deed.conversation };
    if !presences.could_have(&anchor, spoken) {
        return Ok(None);
    }
    let Some(wording) = anchor.at(deed.at) else { return Ok(None) };
    let had = deed.request.and_then(|request| presences.had_graded(&anchor, wording, spoken, request));
    let (there, grade) = had.unzip();
    Ok(Some(NewBroken {
        rule: of.number,
        mark: candidate.mark,
        found_at: inner.now(),
        made_at: deed.at,
        session: entry.session_id(),
        transcript: show(&entry.path),
        subagent: is_of_subagent,
        turn: deed.turn,
        line: u64::from(deed.line),
        what: candidate.what.clone(),
        present: there.map(|there| there.is_ok()),
        cause: there.and_then(Result::err).map(|cause| cause.as_str().to_owned()),
        grade: grade.map(|grade| grade.as_str().to_owned()),
    }))
}

/// Notes breaks that are none by what their session did later.
///
/// # Errors
/// A failure of the database.
pub(super) fn withdraw(inner: &Arc<Rules>, withdrawn: &[(u64, Mark)]) -> Result<(), ApiError> {
    let now = inner.now();
    let is_any = inner.write(|act| {
        let mut is_any = false;
        for (rule, mark) in withdrawn {
            if let Some(kept) = act.reader().broken_by_mark(*rule, *mark)? {
                act.note_broken(&Actor::Unknown, now, kept.number, BrokenAct::Withdrawn)?;
                is_any = true;
            }
        }
        Ok(is_any)
    })?;
    if is_any {
        inner.events.send(&Event::Broken);
    }
    Ok(())
}
