//! Lines of a memory over all sessions.

use super::digests::Known;
use super::memories::{self, Held, StoreAt};
use super::places::{Places, Spoken, is_subagent};
use super::session::{compactions, spans_of, spans_of_file, title_of};
use crate::Lab;
use crate::lab::find::unique_id;
use crate::tokens::NEWEST;
use crate::wire::{
    ApiError, LineMove, PresenceCause, PresenceGrade, PresenceSpan, Reach, ReachCause, ReachReq,
    ReachRequests, ReachRow, show,
};
use retrace_engine::target::{Target, time};
use retrace_model::Timestamp;
use retrace_presence::{Conversation, Digest, Place};
use retrace_sessions::{Entry, KnownPresence, Snapshot};
use retrace_tokens::Counter;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Where lines of a memory were before a model, over all sessions and subagents of this machine, and why not elsewhere. Reads
/// every transcript at the first call and what is new at later ones.
///
/// # Errors
/// `not_found` for a memory that is not there, `invalid` for what names no memory and for lines it does not have.
pub fn reach(inner: &Arc<Lab>, request: ReachReq) -> Result<Reach, ApiError> {
    let since = request.since.as_deref().map(time).transpose()?.map(Timestamp::micros);
    let (stores, store, held) = inner.read(|reader| {
        let stores = memories::stores(reader)?;
        let Target::File { store, path, at: None } = inner.target(reader, &request.target)? else {
            return Err(ApiError::invalid(say::not_memory(), &request.target).hint(say::name_memory()));
        };
        let live = reader.live_at(store.id, &path)?;
        let memory =
            match live {
                Some(live) => reader.version_by_id(live.version)?.memory,
                None => reader.version_at(store.id, &path, None)?.map(|version| version.memory).ok_or_else(
                    || ApiError::new(crate::wire::Code::NotFound, say::no_such_memory(), &request.target),
                )?,
            };
        let store = memories::at(*store);
        let held = memories::held(reader, &store, memory, &path.to_text())?;
        Ok((stores, store, held))
    })?;
    let Some(newest) = held.memory.newest() else {
        return Err(ApiError::invalid(say::no_content(), &request.target));
    };
    let total = u32::try_from(held.memory.versions()[newest].lines.len()).unwrap_or(u32::MAX);
    let lines = match (request.from, request.to) {
        (None, _) => None,
        (Some(from), to) if (1..=total).contains(&from) && to.unwrap_or(from) >= from => {
            Some(from..=to.unwrap_or(from).min(total))
        }
        (Some(_), _) => {
            let message = if total == 1 { say::n1_no_such_lines() } else { say::no_such_lines(total) };
            return Err(ApiError::invalid(message, &request.target));
        }
    };
    let (snapshot, known) = inner.lab.presence.all(inner, &memories::roots(&stores));
    Ok(Reaching { store: &store, held: &held, newest, total, lines, since }.over(&snapshot, &known))
}

pub(super) struct Reaching<'a> {
    pub store: &'a StoreAt,
    pub held: &'a Held,
    pub newest: usize,
    pub total: u32,
    pub lines: Option<RangeInclusive<u32>>,
    pub since: Option<i64>,
}

impl Reaching<'_> {
    fn asked(&self) -> RangeInclusive<u32> {
        self.lines.clone().unwrap_or(1..=self.total)
    }

    pub(super) fn over(&self, snapshot: &Snapshot, known: &Known) -> Reach {
        let mut reach = self.empty();
        let mut places = Places::default();
        let (mut absent, mut lost) = (Causes::default(), Causes::default());
        for session in snapshot.sessions() {
            for entry in session.entries() {
                let Some(file) = known.file(&entry.path) else { continue };
                for (part, digest) in
                    file.conversations.iter().enumerate().filter(|(_, it)| !it.requests.is_empty())
                {
                    let begun = digest.requests.iter().find_map(|facts| facts.at);
                    if self.since.is_some_and(|since| begun.is_none_or(|at| at < since)) {
                        continue;
                    }
                    let spoken = spoken(entry, file, digest, part, known);
                    let pieces = self.held.pieces(digest, &known.shelf);
                    let conversation = places.conversation(self.store, &spoken, !pieces.is_empty());
                    let row = self.row(snapshot, entry, file, part, conversation, &pieces);
                    if conversation.place() != Place::Here && pieces.is_empty() {
                        reach.elsewhere += 1;
                        reach.rows.push(row);
                        continue;
                    }
                    reach.sessions += 1;
                    reach.subagents += u64::from(spoken.is_subagent);
                    let had = conversation.had(&self.held.memory, &pieces, self.newest);
                    for (count, had) in reach.lines.iter_mut().zip(had) {
                        *count += u32::from(had);
                    }
                    if row.present {
                        reach.present += 1;
                        let is_there = |span: &&PresenceSpan| self.is_there(span);
                        let sure = row
                            .spans
                            .iter()
                            .filter(is_there)
                            .any(|span| span.grade != PresenceGrade::Inferred);
                        reach.inferred += u64::from(!sure);
                    }
                    let causes = if row.present { &mut lost } else { &mut absent };
                    causes.add(row.cause, row.spans.iter().find_map(|span| span.cut_after));
                    count(&mut reach.requests, &row.spans);
                    reach.rows.push(row);
                }
            }
        }
        (reach.absent, reach.lost) = (absent.sorted(), lost.sorted());
        reach.rows.sort_by(|one, other| {
            other.started_at.cmp(&one.started_at).then_with(|| one.transcript.cmp(&other.transcript))
        });
        reach
    }

    fn is_there(&self, span: &PresenceSpan) -> bool {
        if self.lines.is_some() { span.present } else { span.lines > 0 }
    }

    fn empty(&self) -> Reach {
        let text = &self.held.texts[self.newest];
        let asked = self.asked();
        let chosen = text.lines().skip(*asked.start() as usize - 1).take(asked.clone().count());
        Reach {
            store_id: self.store.row.id.to_string(),
            memory_id: self.held.id.to_string(),
            path: self.held.path.clone(),
            version_id: self.held.rows[self.newest].id.to_string(),
            total_lines: self.total,
            from: self.lines.as_ref().map(|lines| *lines.start()),
            to: self.lines.as_ref().map(|lines| *lines.end()),
            tokens: Counter::of(NEWEST).content(&chosen.collect::<Vec<_>>().join("\n")),
            lines: vec![0; self.total as usize],
            moves: self.lines.as_ref().map(|lines| self.moves(*lines.start())).unwrap_or_default(),
            ..Reach::default()
        }
    }

    /// Versions that moved a line of the newest one.
    fn moves(&self, line: u32) -> Vec<LineMove> {
        let numbers = self.held.memory.numbers_of(self.newest, line);
        let mut moves = Vec::new();
        let mut before = None;
        for (row, number) in self.held.rows.iter().zip(numbers).take(self.newest + 1) {
            if let (Some(from), Some(to)) = (before, number)
                && from != to
            {
                moves.push(LineMove {
                    version_id: row.id.to_string(),
                    number: row.number,
                    at: row.created_at.to_rfc3339(),
                    from,
                    to,
                });
            }
            before = number.or(before);
        }
        moves
    }

    fn row(
        &self,
        snapshot: &Snapshot,
        entry: &Entry,
        file: &KnownPresence,
        part: usize,
        conversation: Conversation<'_>,
        pieces: &[usize],
    ) -> ReachRow {
        let digest = conversation.digest();
        let version_id = |version| self.held.version_id(version);
        // Of the whole file each request is asked what it had, of lines whether they were there.
        let spans = match &self.lines {
            None => spans_of_file(conversation, &self.held.memory, pieces, &version_id),
            Some(lines) => spans_of(conversation, &self.held.memory, pieces, self.newest, lines, &version_id),
        };
        let present = spans.iter().any(|span| self.is_there(span));
        let cause = match present {
            true => spans.last().filter(|last| !last.present).and_then(|last| last.cause),
            false => most(&spans),
        };
        let name = unique_id(snapshot, entry).unwrap_or_else(|| show(&entry.path));
        let time = |at: Option<i64>| at.map(|at| Timestamp::from_micros(at).to_rfc3339());
        ReachRow {
            transcript: if part == 0 { name } else { format!("{name}#{part}") },
            session: entry.session_id(),
            title: title_of(entry),
            project: entry.project().map(str::to_owned),
            agent: file.agent.as_ref().map(|agent| agent.agent_type.clone()),
            description: file.agent.as_ref().and_then(|agent| agent.description.clone()),
            started_at: time(digest.requests.iter().find_map(|facts| facts.at)),
            ended_at: time(digest.requests.iter().rev().find_map(|facts| facts.at)),
            requests: digest.requests.len() as u64,
            present,
            cause,
            compactions: compactions(digest),
            spans,
        }
    }
}

/// A conversation of a known file.
pub(super) fn spoken<'a>(
    entry: &'a Entry,
    file: &'a KnownPresence,
    digest: &'a Digest,
    part: usize,
    known: &'a Known,
) -> Spoken<'a> {
    Spoken {
        kind: Some(entry.place.kind),
        path: &entry.path,
        project: entry.project(),
        digest,
        shelf: &known.shelf,
        agent: file.agent.as_ref(),
        is_subagent: is_subagent(Some(entry), file.agent.as_ref(), part),
    }
}

/// The cause of most requests.
fn most(spans: &[PresenceSpan]) -> Option<PresenceCause> {
    let mut causes: BTreeMap<PresenceCause, u64> = BTreeMap::new();
    for span in spans {
        if let Some(cause) = span.cause {
            *causes.entry(cause).or_default() += span.to - span.from + 1;
        }
    }
    causes.into_iter().max_by_key(|(_, requests)| *requests).map(|(cause, _)| cause)
}

fn count(requests: &mut ReachRequests, spans: &[PresenceSpan]) {
    for span in spans {
        let of = match span.grade {
            PresenceGrade::Proved => &mut requests.proved,
            PresenceGrade::Recorded => &mut requests.recorded,
            PresenceGrade::Inferred => &mut requests.inferred,
            PresenceGrade::Unknown => &mut requests.unknown,
        };
        *of += span.to - span.from + 1;
    }
}

/// Numbers of conversations by cause.
#[derive(Default)]
struct Causes(BTreeMap<PresenceCause, (u64, Option<Option<u32>>)>);

impl Causes {
    fn add(&mut self, cause: Option<PresenceCause>, cut_after: Option<u32>) {
        let Some(cause) = cause else { return };
        let (count, cut) = self.0.entry(cause).or_default();
        *count += 1;
        *cut = match cut {
            None => Some(cut_after),
            Some(known) if *known == cut_after => Some(cut_after),
            Some(_) => Some(None),
        };
    }

    fn sorted(self) -> Vec<ReachCause> {
        let mut causes: Vec<ReachCause> = self
            .0
            .into_iter()
            .map(|(cause, (sessions, cut))| {
                let cut_after = cut.flatten().filter(|_| cause == PresenceCause::Cut);
                ReachCause { cause, sessions, cut_after }
            })
            .collect();
        causes.sort_by_key(|cause| std::cmp::Reverse(cause.sessions));
        causes
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "reach";
    not_memory() => "This names no memory.",
    name_memory() => "A memory is named STORE:PATH.",
    no_such_memory() => "There is no such memory.",
    no_content() => "The memory has no content that could be searched for.",
    n1_no_such_lines() => "The memory has 1 line; there are no others.",
    no_such_lines(total) => "The memory has {total} lines, and these are not among them.",
}
