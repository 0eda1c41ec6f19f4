//! Review consequences of an act on files. They are written down in the transaction of the act.
//!
//! Whoever changes a memory with an act of their own knows it from then on. An act that takes another one back brings back
//! what was reviewed before that one: what was left to review is left again.

use crate::wire::ApiError;
use retrace_log::{Act, Appended, NewReview, Reader, ReviewedVersion};
use retrace_model::{Actor, MemoryId, Timestamp, Verdict};
use std::collections::BTreeMap;

/// A review that is part of an act on files.
#[derive(Clone, Debug)]
pub struct Decision {
    /// What was decided.
    pub verdict: Verdict,
    /// The person's words.
    pub note: Option<String>,
    /// The memories it is about, each with the version the person saw.
    pub seen: BTreeMap<MemoryId, u64>,
}

/// Who acted, and when.
#[derive(Clone, Copy)]
pub struct Who<'a> {
    /// The person.
    pub person: &'a Actor,
    /// When.
    pub at: Timestamp,
}

/// Writes down what an operation that was just appended means for the reviews of the person who acted. Answers the number
/// of the review in `decision`, or of the act that took one back.
pub fn note(
    act: &mut Act<'_>,
    who: Who<'_>,
    appended: &Appended,
    undoes: Option<u64>,
    decision: Option<&Decision>,
) -> Result<Option<u64>, ApiError> {
    let Some(operation) = appended.operation_seq else { return Ok(None) };
    let mut touched: BTreeMap<MemoryId, u64> = BTreeMap::new();
    for version in &appended.versions {
        touched.insert(act.reader().version(version.seq)?.memory, version.seq);
    }
    let mut number = None;
    if let Some(undone) = undoes
        && takes_back(&act.reader(), undone)?
    {
        while let Some(review) = act.reader().review_with(who.person, undone)? {
            number = Some(act.undo_review(who.person, review, who.at, Some(operation))?);
        }
        let reader = act.reader();
        let before = reader.operation(undone)?.first_version.saturating_sub(1);
        let mut left = Vec::new();
        for memory in touched.keys() {
            if reader.version_up_to(*memory, before)? > reader.known_through(who.person, *memory)? {
                left.push(*memory);
            }
        }
        touched.retain(|memory, _| !left.contains(memory));
    }
    if let Some(decision) = decision {
        number = record_decision(act, who, decision, Some(operation))?;
        touched.retain(|memory, _| !decision.seen.contains_key(memory));
    }
    let reviewed_versions: Vec<ReviewedVersion> = touched
        .into_iter()
        .map(|(memory, seq)| ReviewedVersion { memory, reviewed_seq: seq, through: seq })
        .collect();
    note_own(act, who, operation, reviewed_versions)?;
    Ok(number)
}

/// The same for an act that changes memories in passing, as a redaction takes one text out of them: whoever knew all of
/// a memory still does, and what was left to review is left.
pub fn note_in_passing(act: &mut Act<'_>, who: Who<'_>, appended: &Appended) -> Result<(), ApiError> {
    let Some(operation) = appended.operation_seq else { return Ok(()) };
    let before = act.reader().operation(operation)?.first_version.saturating_sub(1);
    let mut newest: BTreeMap<MemoryId, u64> = BTreeMap::new();
    for version in &appended.versions {
        newest.insert(act.reader().version(version.seq)?.memory, version.seq);
    }
    let mut reviewed_versions = Vec::new();
    for (memory, seq) in newest {
        let reader = act.reader();
        if reader.version_up_to(memory, before)? <= reader.known_through(who.person, memory)? {
            reviewed_versions.push(ReviewedVersion { memory, reviewed_seq: seq, through: seq });
        }
    }
    note_own(act, who, operation, reviewed_versions)
}

/// Reviews versions as the person's own act; without any there is no review.
fn note_own(
    act: &mut Act<'_>,
    who: Who<'_>,
    operation: u64,
    reviewed_versions: Vec<ReviewedVersion>,
) -> Result<(), ApiError> {
    if !reviewed_versions.is_empty() {
        let (person, at, operation_seq) = (who.person, who.at, Some(operation));
        act.review(NewReview {
            person,
            verdict: Verdict::Own,
            at,
            note: None,
            operation_seq,
            reviewed_versions,
        })?;
    }
    Ok(())
}

/// Appends a review of memories as they are now.
pub fn record_decision(
    act: &mut Act<'_>,
    who: Who<'_>,
    decision: &Decision,
    operation_seq: Option<u64>,
) -> Result<Option<u64>, ApiError> {
    let mut reviewed_versions = Vec::new();
    for (memory, reviewed_seq) in &decision.seen {
        let newest = act.reader().version_up_to(*memory, u64::MAX)?;
        reviewed_versions.push(ReviewedVersion {
            memory: *memory,
            reviewed_seq: *reviewed_seq,
            through: newest.unwrap_or(*reviewed_seq).max(*reviewed_seq),
        });
    }
    if reviewed_versions.is_empty() {
        return Ok(None);
    }
    let note = decision.note.as_deref();
    let (person, at) = (who.person, who.at);
    let review = NewReview { person, verdict: decision.verdict, at, note, operation_seq, reviewed_versions };
    Ok(Some(act.review(review)?))
}

/// True if undoing an operation takes an act back, rather than doing one again that was taken back.
fn takes_back(reader: &Reader<'_>, undone: u64) -> Result<bool, ApiError> {
    let mut takes_back = true;
    let mut next = reader.operation(undone)?.undoes;
    while let Some(seq) = next {
        takes_back = !takes_back;
        // An operation undoes an older one, so this ends.
        next = reader.operation(seq)?.undoes.filter(|older| *older < seq);
    }
    Ok(takes_back)
}
