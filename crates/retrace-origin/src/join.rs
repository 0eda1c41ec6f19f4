//! The join: which call of which session explains a version.
//!
//! A version is explained by a write when the write, applied to the content before, gives exactly its bytes, or when several
//! in a row do: a recorder that looks a moment later sees only the last. What fits in path and time and only partly in
//! content is likely; then comes the session that the file itself names; then that one session alone was at work. Where two
//! sessions could have done it equally well, neither is taken: they are candidates.

use crate::apply::outcomes;
use crate::front_matter::{is_equal_but_for_stamp, origin_session};
use crate::path::is_below;
use crate::write::{Effect, Replacement, Write};
use retrace_model::Timestamp;
use std::collections::HashSet;

/// Largest delay of a call's date behind its version's: clocks of one machine agree, but a call's line is written with
/// the time of the client, the version with that of the recorder's transaction. 5 seconds.
pub const CLOCK_SLACK_MICROS: i64 = 5 * 1_000_000;

/// Longest time between a call's answer and a version to be likely although its content fits only in part. Recorders
/// look within seconds; what is longer ago had time to be changed by others. 2 minutes.
pub const LIKELY_WITHIN_MICROS: i64 = 120 * 1_000_000;

/// Number of writes in a row that may lie between two versions. A recorder looks at least once in some seconds; an
/// agent makes a few calls in that time.
pub const LONGEST_CHAIN: usize = 12;

/// Number of the latest writes of a path that are tried for one version.
const MAX_TRIED: usize = 200;

/// Part of a written text's lines that must be in the version for it to be likely: half.
const SHARED_LINES: (usize, usize) = (1, 2);

/// Facts of a version that wants an author.
#[derive(Clone, Copy, Debug)]
pub struct Version<'a> {
    /// Absolute path of its file.
    pub path: &'a str,
    /// Where the file was before, when the version moved it.
    pub moved_from: Option<&'a str>,
    /// The content of the version before; `None` where there was no file, and where it is not known.
    pub before: Option<&'a [u8]>,
    /// Its content; `None` for a deletion.
    pub after: Option<&'a [u8]>,
    /// When it was recorded.
    pub at: Timestamp,
    /// When the version before was recorded. `None` for the first, which may have lain there for long.
    pub previous_at: Option<Timestamp>,
    /// True if the file may have been there before: the first sight of it, taken when recording began.
    pub may_be_older: bool,
}

/// A session that was at work on a path's project for a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Presence {
    /// The session's id.
    pub session: String,
    /// From when.
    pub from: Timestamp,
    /// Until when.
    pub until: Timestamp,
}

/// Confidence of an answer, the surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// A call gives exactly these bytes.
    ExactContent,
    /// Path and time fit, the content in part.
    Likely,
    /// The file names the session, and nothing else fits.
    FrontMatter,
    /// One session was at work then.
    TimeOnly,
    /// Nobody can say.
    Unknown,
}

impl Confidence {
    /// The printed form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ExactContent => "exact_content",
            Self::Likely => "likely",
            Self::FrontMatter => "front_matter",
            Self::TimeOnly => "time_only",
            Self::Unknown => "unknown",
        }
    }
}

/// Basis of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Basis {
    /// The call's bytes are the content.
    Whole,
    /// The call, applied to the version before, gives the content.
    Applied,
    /// Several calls in a row give the content.
    Chain,
    /// The same for a first version, where a file was there that the first of them replaced.
    ChainOver,
    /// As one of these, but for the stamp that the client writes itself.
    Stamped,
    /// The client's own account of the call has the content.
    Reported,
    /// The call deletes the file.
    Deleted,
    /// The call moves the file.
    Renamed,
    /// The content holds what the call writes, among other things.
    InPart,
    /// A command names the file; what it does is not known.
    Named,
    /// The front matter names the session.
    FrontMatter,
    /// One session was at work.
    Present,
    /// Several sessions have an equal claim.
    EqualClaims,
    /// Nothing fits.
    Nothing,
}

impl Basis {
    /// The printed form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Applied => "applied",
            Self::Chain => "chain",
            Self::ChainOver => "chain_over",
            Self::Stamped => "stamped",
            Self::Reported => "told",
            Self::Deleted => "deleted",
            Self::Renamed => "renamed",
            Self::InPart => "in_part",
            Self::Named => "named",
            Self::FrontMatter => "front_matter",
            Self::Present => "present",
            Self::EqualClaims => "equal_claims",
            Self::Nothing => "nothing",
        }
    }
}

/// The answer for one version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// Confidence of the answer.
    pub confidence: Confidence,
    /// Basis of the answer.
    pub basis: Basis,
    /// The session; `None` when unknown.
    pub session: Option<String>,
    /// The call, as a place in the writes given; of several in a row the last.
    pub write: Option<usize>,
    /// Number of calls in a row that made the content; 0 without a call.
    pub steps: usize,
    /// Calls of other sessions that could have done it as well, one a session.
    pub candidates: Vec<usize>,
}

impl Match {
    const fn unknown() -> Self {
        Self {
            confidence: Confidence::Unknown,
            basis: Basis::Nothing,
            session: None,
            write: None,
            steps: 0,
            candidates: Vec::new(),
        }
    }
}

/// A call that explains a version, more or less.
#[derive(Clone, Copy, Debug)]
struct Claim {
    write: usize,
    basis: Basis,
    steps: usize,
}

/// Explains the versions of one memory, oldest first, by writes. `writes` are those of any transcript to any of the memory's
/// paths, and to directories above them; they are taken in the order of their times. `present` are the sessions that were at
/// work on the memory's project.
///
/// Writes that failed explain nothing, but for commands that were run: they explain what they give exactly and nothing else does. A call that was answered before the version before was recorded explains a version
/// only where its content is exact and it comes after the call that explains the version before: that is how a history that
/// is played back is known. `since` is when recording of the memory's store began: what was written since then was seen, so that
/// such a call explains nothing any more.
#[must_use]
pub fn join(
    versions: &[Version<'_>],
    writes: &[&Write],
    present: &[Presence],
    since: Option<Timestamp>,
) -> Vec<Match> {
    let rows = Rows { since, ..Rows::new(writes) };
    let mut told = Told::default();
    versions
        .iter()
        .map(|version| {
            let found = explain(version, &rows, &told, present);
            if let (Confidence::ExactContent, Some(write)) = (found.confidence, found.write) {
                told.last = rows.place(write).or(told.last);
                told.calls.insert(one_of(writes, write, version.path));
            }
            found
        })
        .collect()
}

/// What explained earlier versions exactly.
#[derive(Default)]
struct Told<'w> {
    /// Place of the last write.
    last: Option<usize>,
    /// The calls, each with the path of its version: one call brings one version of a path.
    calls: HashSet<OneOf<'w>>,
}

/// A part of a call, or the write itself where the call has no id, and a path.
type OneOf<'w> = (Option<&'w str>, usize, &'w str);

fn one_of<'w>(writes: &[&'w Write], at: usize, path: &'w str) -> OneOf<'w> {
    let write = writes[at];
    // A session that goes on from another holds copies of its calls.
    let id = write.tool_use_id.as_deref();
    (id, if id.is_some() { write.part } else { at }, path)
}

/// Writes in the order of their times.
struct Rows<'w> {
    writes: &'w [&'w Write],
    /// Those that did not fail, oldest first; those of unknown time come first.
    order: Vec<usize>,
    /// Place of each in `order`.
    rank: Vec<usize>,
    /// Those of commands that were run and failed, oldest first.
    failed: Vec<usize>,
    /// When recording began.
    since: Option<Timestamp>,
}

impl<'w> Rows<'w> {
    fn new(writes: &'w [&'w Write]) -> Self {
        let mut order: Vec<usize> = (0..writes.len()).collect();
        order.sort_by_key(|at| (done_at(writes[*at]), writes[*at].line, writes[*at].part));
        let (failed, order): (Vec<usize>, Vec<usize>) =
            order.into_iter().partition(|at| writes[*at].succeeded == Some(false));
        let failed = failed.into_iter().filter(|at| writes[*at].was_run).collect();
        let mut rank = vec![0; writes.len()];
        for (place, at) in order.iter().enumerate() {
            rank[*at] = place;
        }
        Self { writes, order, rank, failed, since: None }
    }

    /// Place of a write among those that did not fail.
    fn place(&self, write: usize) -> Option<usize> {
        (self.writes[write].succeeded != Some(false)).then(|| self.rank[write])
    }

    /// The latest writes that concern a version and were done by then, oldest first; without those that were done before the
    /// version before was recorded.
    fn fresh(&self, version: &Version<'_>) -> Vec<usize> {
        self.fresh_of(&self.order, version)
    }

    fn fresh_of(&self, order: &[usize], version: &Version<'_>) -> Vec<usize> {
        let latest = version.at.micros().saturating_add(CLOCK_SLACK_MICROS);
        let from = version.previous_at.map_or(i64::MIN, |at| at.micros().saturating_sub(CLOCK_SLACK_MICROS));
        let by_then = order.partition_point(|at| {
            // Answers come after their calls; a call that was made by then may be answered a little later.
            done_at(self.writes[*at])
                .is_none_or(|done| done.micros() <= latest.saturating_add(LIKELY_WITHIN_MICROS))
        });
        let mut found: Vec<usize> = order[..by_then]
            .iter()
            .rev()
            .take_while(|at| done_at(self.writes[**at]).is_none_or(|done| done.micros() >= from))
            .filter(|at| self.writes[**at].at.is_none_or(|at| at.micros() <= latest))
            .filter(|at| concerns(version, self.writes[**at]))
            .take(MAX_TRIED)
            .copied()
            .collect();
        found.reverse();
        found
    }

    /// The writes after a place that concern a version, oldest first.
    fn after(&self, last: Option<usize>, version: &Version<'_>) -> Vec<usize> {
        let latest = version.at.micros().saturating_add(CLOCK_SLACK_MICROS);
        let later = self.order.get(last.map_or(0, |last| last + 1)..).unwrap_or_default();
        later
            .iter()
            .take_while(|at| done_at(self.writes[**at]).is_none_or(|done| done.micros() <= latest))
            .filter(|at| concerns(version, self.writes[**at]))
            .take(MAX_TRIED)
            .copied()
            .collect()
    }
}

/// When a write was done, as far as told.
fn done_at(write: &Write) -> Option<Timestamp> {
    write.answered_at.or(write.at)
}

fn explain(version: &Version<'_>, rows: &Rows<'_>, told: &Told<'_>, present: &[Presence]) -> Match {
    let writes = rows.writes;
    let fresh = rows.fresh(version);
    // A session's statement about its extraction gives no content.
    let is_left = |at: &usize| {
        !writes[*at].is_saying()
            && !told.calls.contains(&one_of(writes, *at, version.path))
            && !is_passed(version, rows, &fresh, *at)
    };
    let calls: Vec<usize> = fresh.iter().copied().filter(is_left).collect();
    let claims = in_time_first(exact(version, writes, &calls), writes, version);
    if let Some(found) = choose(claims, writes, Confidence::ExactContent, version) {
        return found;
    }
    // A command that wrote and then failed.
    let failed = rows.fresh_of(&rows.failed, version);
    let failed: Vec<usize> = failed.into_iter().filter(is_left).collect();
    let claims = in_time_first(exact(version, writes, &failed), writes, version);
    if let Some(found) = choose(claims, writes, Confidence::ExactContent, version) {
        return found;
    }
    // Played back in order: the earliest that fits is the next. What was written while the store was recorded was changed again
    // when another version was recorded after it.
    let is_superseded = |at: &usize| {
        done_at(writes[*at]).is_some_and(|done| {
            rows.since.is_some_and(|since| since <= done)
                && version.previous_at.is_some_and(|previous| done <= previous)
        })
    };
    let mut next = rows.after(told.last, version);
    next.retain(|at| !is_superseded(at));
    let played = exact(version, writes, &next);
    if let Some(first) = played.iter().min_by_key(|claim| rows.rank[claim.write]) {
        let same = writes[first.write].session.as_ref();
        if played.iter().all(|claim| writes[claim.write].session.as_ref() == same) {
            return chosen(*first, writes, Confidence::ExactContent);
        }
    }
    let near = |write: &Write| {
        done_at(write)
            .is_some_and(|done| version.at.micros().saturating_sub(done.micros()) <= LIKELY_WITHIN_MICROS)
    };
    // What only adds to a file or names it does not explain the rest of a file that may have been there before.
    // Exact bytes make up for clocks that differ; lines in common do not, for they are there before the call as well.
    let is_later = |write: &Write| write.at.is_some_and(|at| at > version.at);
    let partial: Vec<Claim> = fresh
        .iter()
        .filter(|at| near(writes[**at]) && !is_later(writes[**at]) && !was_seen(version, writes[**at]))
        .filter(|at| !version.may_be_older || matches!(writes[**at].effect, Effect::Whole(_)))
        .filter_map(|at| Some(Claim { write: *at, basis: in_part(version, writes[*at])?, steps: 1 }))
        .collect();
    let undecided = match choose(partial, writes, Confidence::Likely, version) {
        Some(found) if found.session.is_some() => return found,
        undecided => undecided,
    };
    named_by_file(version).or(undecided).or_else(|| at_work(version, present)).unwrap_or_else(Match::unknown)
}

/// True of a write that another one followed before the version before was recorded: what it left was changed again by then.
fn is_passed(version: &Version<'_>, rows: &Rows<'_>, fresh: &[usize], at: usize) -> bool {
    let is_before = |at: usize| {
        done_at(rows.writes[at]).zip(version.previous_at).is_some_and(|(done, previous)| done <= previous)
    };
    is_before(at) && fresh.iter().any(|other| rows.rank[*other] > rows.rank[at] && is_before(*other))
}

/// The claims of calls made before the version was recorded. Only where there is none may a clock be wrong: then the earliest call is
/// the nearest, and comes last.
fn in_time_first(mut claims: Vec<Claim>, writes: &[&Write], version: &Version<'_>) -> Vec<Claim> {
    let is_in_time = |claim: &Claim| writes[claim.write].at.is_none_or(|at| at <= version.at);
    if claims.iter().any(is_in_time) {
        claims.retain(is_in_time);
    } else {
        claims.reverse();
    }
    claims
}

/// True if a write is about the version's file.
fn concerns(version: &Version<'_>, write: &Write) -> bool {
    let is_here = |path: &str| path == version.path || version.moved_from == Some(path);
    let is_above = |path: &str| {
        is_below(version.path, path) || version.moved_from.is_some_and(|from| is_below(from, path))
    };
    match &write.effect {
        Effect::Delete => is_above(&write.path),
        Effect::Rename { to } => is_above(&write.path) || is_above(to),
        Effect::Patch(patch) => is_here(&write.path) || patch.moved_to.as_deref().is_some_and(is_here),
        _ => is_here(&write.path),
    }
}

/// Every write that explains the version exactly.
fn exact(version: &Version<'_>, writes: &[&Write], tried: &[usize]) -> Vec<Claim> {
    let claim = |write: usize, basis: Basis, steps: usize| Claim { write, basis, steps };
    let Some(after) = version.after else {
        let gone = tried.iter().filter(|at| takes_away(version, writes[**at]));
        return gone.map(|at| claim(*at, Basis::Deleted, 1)).collect();
    };
    let mut claims: Vec<Claim> = Vec::new();
    for &at in tried {
        if let Some(basis) = gives(writes[at], version, after) {
            claims.push(claim(at, basis, 1));
        }
    }
    if claims.is_empty() && tried.len() > 1 {
        claims.extend(chain(version, writes, tried, after));
    }
    claims
}

fn takes_away(version: &Version<'_>, write: &Write) -> bool {
    match &write.effect {
        Effect::Delete => is_below(version.path, &write.path),
        Effect::Rename { .. } => is_below(version.path, &write.path),
        Effect::Patch(patch) => patch.moved_to.is_some() && write.path == version.path,
        _ => false,
    }
}

/// Basis if one write alone gives the content.
fn gives(write: &Write, version: &Version<'_>, after: &[u8]) -> Option<Basis> {
    if let Effect::Rename { to } = &write.effect {
        let from = version.moved_from?;
        let is_it = is_below(from, &write.path)
            && is_below(version.path, to)
            && from[write.path.len().min(from.len())..] == version.path[to.len().min(version.path.len())..];
        return (is_it && version.before == Some(after)).then_some(Basis::Renamed);
    }
    if write.path != version.path && version.moved_from.is_none() {
        return None;
    }
    // Nothing happened: that explains no version.
    if version.before == Some(after) {
        return None;
    }
    let made = outcomes(write, version.before);
    if made.iter().any(|made| made == after) {
        // A first version that replaces a file, as the client reports, is not the first content of it.
        let replaces = version.before.is_none() && write.reported.before.is_some();
        return Some(match write.effect {
            Effect::Whole(_) if replaces => Basis::Reported,
            Effect::Whole(_) => Basis::Whole,
            _ => Basis::Applied,
        });
    }
    if write.reported.after.as_ref().is_some_and(|reported| reported.as_bytes() == after) {
        return Some(Basis::Reported);
    }
    let reported = write.reported.after.iter().map(String::as_bytes);
    let stamped = made
        .iter()
        .map(Vec::as_slice)
        .chain(reported)
        .any(|made| is_equal_but_for_stamp(made, after, done_at(write)));
    stamped.then_some(Basis::Stamped)
}

/// Several writes in a row that lead from the content before to the content after, as a claim on the last of them. Where they are
/// of several sessions, each has an equal claim.
fn chain(version: &Version<'_>, writes: &[&Write], tried: &[usize], after: &[u8]) -> Vec<Claim> {
    // A session that goes on from another holds copies of its calls, which were made once.
    let mut made = HashSet::new();
    let is_first = |at: &&usize| {
        let write = writes[**at];
        write.tool_use_id.as_ref().is_none_or(|id| made.insert((id, write.part)))
    };
    let tried: Vec<usize> = tried.iter().filter(is_first).copied().collect();
    for end in (1..tried.len()).rev() {
        let longest = LONGEST_CHAIN.min(end + 1);
        for steps in 2..=longest {
            let part = &tried[end + 1 - steps..=end];
            if leads(version, writes, part, after) {
                let is_over = version.before.is_none() && writes[part[0]].reported.before.is_some();
                let basis = if is_over { Basis::ChainOver } else { Basis::Chain };
                return last_of_each_session(writes, part)
                    .into_iter()
                    .map(|write| Claim { write, basis, steps })
                    .collect();
            }
        }
    }
    Vec::new()
}

/// The last write of each session, in their order.
fn last_of_each_session(writes: &[&Write], part: &[usize]) -> Vec<usize> {
    let mut sessions = HashSet::new();
    let mut last: Vec<usize> =
        part.iter().rev().filter(|at| sessions.insert(&writes[**at].session)).copied().collect();
    last.reverse();
    last
}

fn leads(version: &Version<'_>, writes: &[&Write], part: &[usize], after: &[u8]) -> bool {
    let mut content: Option<Vec<u8>> = version.before.map(<[u8]>::to_vec);
    for &at in part {
        let write = writes[at];
        match &write.effect {
            Effect::Delete => content = None,
            _ => match crate::apply(write, content.as_deref()) {
                Some(made) => content = Some(made),
                None => return false,
            },
        }
    }
    let last = part.last().and_then(|at| done_at(writes[*at]));
    content.is_some_and(|content| content == after || is_equal_but_for_stamp(&content, after, last))
}

/// Basis if a write fits a version's content in part.
fn in_part(version: &Version<'_>, write: &Write) -> Option<Basis> {
    let Some(after) = version.after else {
        return matches!(write.effect, Effect::Unparsed).then_some(Basis::Named);
    };
    if matches!(write.effect, Effect::Unparsed | Effect::Copy { .. } | Effect::Rename { .. }) {
        return Some(Basis::Named);
    }
    let text = std::str::from_utf8(after).ok()?;
    let has = |part: &str| !part.trim().is_empty() && text.contains(part.trim_end_matches('\n'));
    let fits = match &write.effect {
        Effect::Whole(bytes) => std::str::from_utf8(bytes).is_ok_and(|whole| shares_lines(whole, text)),
        Effect::Append(bytes) => std::str::from_utf8(bytes).is_ok_and(has),
        Effect::Edit(edit) => has(&edit.new),
        Effect::MultiEdit(edits) => edits.iter().any(|edit| has(&edit.new)),
        Effect::Insert { text, .. } => has(text),
        Effect::Lines(edits) => edits.iter().any(|edit| match edit {
            crate::write::LineEdit::Replace { new, .. } => has(new),
            _ => false,
        }),
        Effect::Patch(patch) => patch.hunks.iter().any(|hunk| {
            let mut added =
                hunk.new.iter().filter(|line| !hunk.old.contains(line) && !line.trim().is_empty()).peekable();
            added.peek().is_some() && added.all(|line| text.contains(line.as_str()))
        }),
        _ => false,
    };
    fits.then_some(Basis::InPart)
}

/// True if what a write did is in the version before already, so that it does not explain this one: it was answered before
/// that version was recorded, or all of it is there. Who changes a file by hand a moment after a session must not be taken
/// for the session.
fn was_seen(version: &Version<'_>, write: &Write) -> bool {
    if write.answered_at.zip(version.previous_at).is_some_and(|(answered, previous)| answered <= previous) {
        return true;
    }
    let Some(before) = version.before else { return false };
    let text = std::str::from_utf8(before).unwrap_or_default();
    let is_done = |edit: &Replacement| {
        !edit.new.trim().is_empty() && text.contains(&edit.new) && !text.contains(&edit.old)
    };
    match &write.effect {
        Effect::Whole(bytes) => before == bytes || is_equal_but_for_stamp(bytes, before, done_at(write)),
        Effect::Append(bytes) => before.ends_with(bytes),
        Effect::Edit(edit) => is_done(edit),
        Effect::MultiEdit(edits) => edits.iter().all(is_done),
        _ => false,
    }
}

fn shares_lines(written: &str, found: &str) -> bool {
    let found: HashSet<&str> = found.lines().collect();
    let lines: Vec<&str> = written.lines().filter(|line| !line.trim().is_empty()).collect();
    let shared = lines.iter().filter(|line| found.contains(**line)).count();
    shared > 0 && shared * SHARED_LINES.1 >= lines.len() * SHARED_LINES.0
}

/// Takes the latest of several claims of one session. Of several sessions none is taken, unless the file, which did not do so
/// before, names one of them. `None` where there is no claim.
fn choose(
    claims: Vec<Claim>,
    writes: &[&Write],
    confidence: Confidence,
    version: &Version<'_>,
) -> Option<Match> {
    let newest = *claims.last()?;
    let mut sessions: Vec<(&Option<String>, Claim)> = Vec::new();
    for claim in claims.into_iter().rev() {
        let write = writes[claim.write];
        let is_known = sessions.iter().any(|(session, known)| {
            // A session that goes on from another holds copies of its calls.
            let other = writes[known.write];
            **session == write.session
                || (write.tool_use_id.is_some() && other.tool_use_id == write.tool_use_id)
        });
        if !is_known {
            sessions.push((&write.session, claim));
        }
    }
    if let [_] = sessions.as_slice() {
        let original = original(writes, newest);
        return Some(chosen(Claim { write: original, ..newest }, writes, confidence));
    }
    let named = introduced_session(version);
    if let Some((_, claim)) = sessions.iter().find(|(session, _)| named.is_some() && **session == named) {
        let candidates =
            sessions.iter().map(|(_, other)| other.write).filter(|at| *at != claim.write).collect();
        return Some(Match { candidates, ..chosen(*claim, writes, Confidence::Likely) });
    }
    let candidates = sessions.iter().map(|(_, claim)| claim.write).collect();
    Some(Match { basis: Basis::EqualClaims, candidates, ..Match::unknown() })
}

/// Of copies of one call the one of the session that made it: in the transcript it is the earliest line with the id.
fn original(writes: &[&Write], claim: Claim) -> usize {
    let Some(id) = &writes[claim.write].tool_use_id else { return claim.write };
    let part = writes[claim.write].part;
    let copies = writes
        .iter()
        .enumerate()
        .filter(|(_, write)| write.tool_use_id.as_ref() == Some(id) && write.part == part)
        .map(|(at, _)| at);
    // Callers give transcripts in the order of their beginning.
    copies.min().unwrap_or(claim.write)
}

fn chosen(claim: Claim, writes: &[&Write], confidence: Confidence) -> Match {
    Match {
        confidence,
        basis: claim.basis,
        session: writes[claim.write].session.clone(),
        write: Some(claim.write),
        steps: claim.steps,
        candidates: Vec::new(),
    }
}

/// The session that a version's front matter names and that of the version before did not.
fn introduced_session(version: &Version<'_>) -> Option<String> {
    let named = version.after.and_then(origin_session)?;
    (version.before.and_then(origin_session).as_ref() != Some(&named)).then_some(named)
}

fn named_by_file(version: &Version<'_>) -> Option<Match> {
    let session = introduced_session(version)?;
    Some(Match {
        confidence: Confidence::FrontMatter,
        basis: Basis::FrontMatter,
        session: Some(session),
        ..Match::unknown()
    })
}

fn at_work(version: &Version<'_>, present: &[Presence]) -> Option<Match> {
    // A first version may have lain there for long.
    version.previous_at?;
    let mut then = present.iter().filter(|presence| {
        presence.from <= version.at
            && version.at.micros() <= presence.until.micros().saturating_add(LIKELY_WITHIN_MICROS)
    });
    let first = then.next()?;
    then.all(|other| other.session == first.session).then(|| Match {
        confidence: Confidence::TimeOnly,
        basis: Basis::Present,
        session: Some(first.session.clone()),
        ..Match::unknown()
    })
}

#[cfg(test)]
mod tests;
