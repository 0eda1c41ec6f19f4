//! Taking back what a session wrote. What it is known to have written is taken back; what it is only likely to have written, by
//! the file's front matter or by time alone, is offered, and taken back where a person chooses it. Each can be left out.

use crate::Review;
use crate::plan::Plan;
use crate::target::version_named;
use crate::wire::{ApiError, Code, Conflict, ConflictReason, LikelyChange, RollbackReq};
use retrace_engine::written::written;
use retrace_log::{LogError, Reader, VersionRow};
use retrace_model::{Actor, Evidence, MemoryId, Source, StoreId, VersionOperation};
use std::collections::{BTreeMap, BTreeSet};

/// Versions that a session wrote, oldest first.
type Candidates = BTreeMap<u64, Candidate>;

struct Candidate {
    row: VersionRow,
    evidence: Evidence,
    /// True for the first sight of a file, of which no call gives the whole content.
    first_sight: bool,
    /// Of a version by which a person put back what the session wrote: the place of that one.
    put_back_of: Option<u64>,
}

impl Candidate {
    /// True if it is taken back without being chosen.
    const fn is_sure(&self) -> bool {
        is_sure(self.evidence) && !self.first_sight
    }

    fn offered(&self, included: bool) -> LikelyChange {
        LikelyChange {
            version_id: self.row.id.to_string(),
            store_id: self.row.store.to_string(),
            path: self.row.path.as_ref().map(ToString::to_string),
            operation: self.row.operation.into(),
            created_at: self.row.created_at.to_rfc3339(),
            confidence: self.evidence.as_str().to_owned(),
            first_sight: self.first_sight,
            included,
        }
    }
}

impl Review {
    pub(super) fn plan_session(
        &self,
        reader: &Reader<'_>,
        request: &RollbackReq,
        session: &str,
    ) -> Result<Plan, ApiError> {
        let session = &retrace_history::session_named(&self.history, reader, session)?;
        let candidates = candidates(reader, session)?;
        if candidates.is_empty() {
            return Err(ApiError::new(Code::NotFound, say::no_version_known_written_session(), session)
                .hint(say::retrace_log_actor_id_shows()));
        }
        let named = |versions: &[String]| {
            let found = versions.iter().map(|text| {
                let seq = version_named(reader, text)?.id.seq;
                candidates.contains_key(&seq).then_some(seq).ok_or_else(|| {
                    ApiError::invalid(say::session_not_known_written_version(), text)
                        .hint(say::retrace_rollback_session_id_dry())
                })
            });
            found.collect::<Result<BTreeSet<u64>, ApiError>>()
        };
        let (include, except) = (named(&request.include)?, named(&request.except)?);
        let is_chosen = |seq: u64, candidate: &Candidate| {
            let with_likely = request.include_likely && !candidate.first_sight;
            let wanted = candidate.is_sure() || with_likely || include.contains(&seq);
            wanted && !except.contains(&seq)
        };
        let mut plan = Plan::new(Source::Rollback, Some(say::rollback_session(session)));
        let (mut chosen, mut left) = (Vec::new(), Vec::new());
        for (seq, candidate) in &candidates {
            // What a person put back goes the way of what it is, and is no change of its own.
            let original = candidate.put_back_of.and_then(|first| Some((first, candidates.get(&first)?)));
            if let Some((first, original)) = original {
                let with_it = (is_chosen(first, original) || include.contains(seq)) && !except.contains(seq);
                if with_it { &mut chosen } else { &mut left }.push(candidate.row.clone());
                continue;
            }
            let included = is_chosen(*seq, candidate);
            if !candidate.is_sure() || !included {
                plan.likely.push(candidate.offered(included));
            }
            if candidate.is_sure() {
                plan.sure.push(candidate.offered(included));
            }
            if included { &mut chosen } else { &mut left }.push(candidate.row.clone());
        }
        self.take_back(reader, &mut plan, &chosen, |first| before_session(reader, first, session))?;
        for row in between(&chosen, &left) {
            plan.conflicts.push(in_between(row));
        }
        Ok(plan)
    }
}

/// Everything that a session wrote or is likely to have written, as far as it was observed: what it wrote before is no change to
/// take back now. What a person put back of it is its own again.
fn candidates(reader: &Reader<'_>, session: &str) -> Result<Candidates, ApiError> {
    let mut candidates = Candidates::new();
    let mut baselines: BTreeMap<StoreId, u64> = BTreeMap::new();
    for seq in reader.versions_of_session(session)? {
        let row = reader.version(seq)?;
        let (writer, first) = {
            let written = written(reader, &row)?;
            (written.actor.clone(), written.id.seq)
        };
        if let (false, Actor::Session { id, evidence }) = (row.rebuilt, writer)
            && id == session
        {
            let baseline = match baselines.get(&row.store) {
                Some(known) => *known,
                None => *baselines.entry(row.store).or_insert(reader.last_of_baseline(row.store)?),
            };
            let first_sight = row.operation == VersionOperation::Created
                && row.id.seq <= baseline
                && !is_whole(reader, &row, evidence)?;
            let put_back_of = row.put_back_of.is_some().then_some(first);
            candidates.insert(seq, Candidate { row, evidence, first_sight, put_back_of });
        }
    }
    Ok(candidates)
}

/// What a memory had before the first version of it that a session wrote. Where that one was found when recording began, it is the
/// newest version that was brought in and that another writer made.
fn before_session(
    reader: &Reader<'_>,
    first: &VersionRow,
    session: &str,
) -> Result<Option<VersionRow>, LogError> {
    let mut before = reader.version_before(first)?;
    while let Some(row) =
        before.take_if(|row| matches!(&row.actor, Actor::Session { id, .. } if row.rebuilt && id == session))
    {
        before = reader.version_before(&row)?;
    }
    Ok(before)
}

const fn is_sure(evidence: Evidence) -> bool {
    matches!(evidence, Evidence::Stated | Evidence::ExactContent | Evidence::Likely)
}

/// How the join calls what gives a whole content, without anything that was there before.
const WHOLE: [&str; 3] = ["whole", "chain", "stamped"];

/// True if calls of the session give the whole content of a version that has none before it.
fn is_whole(reader: &Reader<'_>, row: &VersionRow, evidence: Evidence) -> Result<bool, ApiError> {
    let basis = reader.origins(row.id.seq)?.into_iter().next().map(|origin| origin.basis);
    Ok(evidence == Evidence::Stated
        || (evidence == Evidence::ExactContent && basis.is_none_or(|basis| WHOLE.contains(&basis.as_str()))))
}

/// Versions that are left out although ones before and after them are taken back: putting the memory back to before the first
/// would take them too.
fn between<'l>(chosen: &[VersionRow], left: &'l [VersionRow]) -> Vec<&'l VersionRow> {
    let mut ends: BTreeMap<MemoryId, (u64, u64)> = BTreeMap::new();
    for row in chosen {
        let seq = row.id.seq;
        ends.entry(row.memory).and_modify(|(_, last)| *last = seq).or_insert((seq, seq));
    }
    let lies_between = |row: &&VersionRow| {
        ends.get(&row.memory).is_some_and(|(first, last)| *first < row.id.seq && row.id.seq < *last)
    };
    left.iter().filter(lies_between).collect()
}

fn in_between(row: &VersionRow) -> Conflict {
    let hash = row.content.map(|content| content.sha256.to_hex());
    Conflict {
        store_id: row.store.to_string(),
        path: super::rollback::shown_path(row),
        expected_sha256: None,
        found_sha256: hash,
        expected_version_id: None,
        found_version_id: Some(row.id.to_string()),
        wanted_version_id: None,
        reason: ConflictReason::ChangedSince,
        message: say::change_left_out_lies_between(),
    }
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "session_rollback";
    no_version_known_written_session() => "No version is known to be written by this session.",
    retrace_log_actor_id_shows() => "`retrace log --actor ID` shows what a session wrote, where that is known.",
    session_not_known_written_version() => "The session is not known to have written this version.",
    retrace_rollback_session_id_dry() => "`retrace rollback --session ID --dry-run` lists what it may have written.",
    rollback_session(session) => "rollback of session {session}",
    change_left_out_lies_between() => "A change that is left out lies between those that are rolled back.",
}
