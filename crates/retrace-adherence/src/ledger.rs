//! How sessions fared with each rule.

use crate::Rules;
use crate::anchor::{Anchor, Source};
use crate::guard::guards_of;
use crate::list::listed;
use crate::presence::{Presences, Spoken};
use crate::told::ToldVerdict;
use retrace_engine::target::time;
use retrace_message::Message;
use retrace_model::Timestamp;
use retrace_rules::{Deed, Deeds, Judging, Outcome, Rule, Sequence, Verdict, one_line};
use retrace_sessions::Entry;
use retrace_sources::repository_of;
use retrace_tokens::Counter;
use retrace_wire::{
    Adherence, AdherenceReq, ApiError, MemoryRule, PresenceGrade, RuleCase, RuleLedger, RuleOutcome,
    RuleWording,
};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Cases of one rule that are given at most.
const MOST_CASES: usize = 500;

/// How sessions fared with each rule on the list, or with the one that is named.
///
/// # Errors
/// `not_found` for an id that no rule has, `invalid` for a time that cannot be read.
pub fn adherence(inner: &Arc<Rules>, request: AdherenceReq) -> Result<Adherence, ApiError> {
    let (rules, hooks) =
        inner.read(|reader| Ok((listed(reader, request.rule.as_deref())?, reader.guards()?)))?;
    let since = request.since.as_deref().map(time).transpose()?;
    let Read { sessions, count, problems } = read_all(inner)?;
    let snapshot = inner.lab.index().snapshot();
    let mut presences = Presences::new(inner)?;
    let ledgers = rules.into_iter().map(|(view, rule)| {
        let mut ledger = Ledger::new(inner, view, &rule, since)?;
        ledger.row.guards = guards_of(&hooks, &ledger.row.rule_id);
        ledger.row.project = ledger.anchor.project(&snapshot).as_deref().map(retrace_wire::show);
        ledger.add(&sessions, &mut presences);
        if let Some(source) = ledger.anchor.source_now(&rule) {
            ledger.row.rule.source = Some(source);
        }
        Ok(ledger.finish(request.cases))
    });
    let rules = ledgers.collect::<Result<_, ApiError>>()?;
    Ok(Adherence { rules, sessions: count, problems })
}

/// A transcript with what was done in it.
pub(crate) struct Session {
    pub(crate) entry: Arc<Entry>,
    pub(crate) session: String,
    pub(crate) subagent: bool,
    pub(crate) deeds: Arc<Deeds>,
    /// Number of what is judged together: a session with its subagents.
    together: usize,
}

/// What sessions on this machine did.
pub(crate) struct Read {
    pub(crate) sessions: Vec<Session>,
    /// Sessions, of which each may have several transcripts.
    pub(crate) count: u64,
    pub(crate) problems: Vec<Message>,
}

/// Reads every session on this machine.
///
/// # Errors
/// A failure of the log.
pub(crate) fn read_all(inner: &Rules) -> Result<Read, ApiError> {
    inner.lab.index().update(&inner.lab);
    let snapshot = inner.lab.index().snapshot();
    let mut read: Vec<(Arc<Entry>, String, bool, usize)> = Vec::new();
    let mut together = 0;
    for session in snapshot.sessions() {
        for entries in session.together() {
            let one = |entry: &Arc<Entry>| {
                (Arc::clone(entry), session.id.clone(), session.is_subagent(entry), together)
            };
            read.extend(entries.into_iter().map(one));
            together += 1;
        }
    }
    let entries: Vec<Arc<Entry>> = read.iter().map(|(entry, _, _, _)| Arc::clone(entry)).collect();
    let mut problems = Vec::new();
    let mut sessions = Vec::new();
    for ((entry, session, subagent, together), deeds) in
        read.into_iter().zip(inner.deeds.of_all(inner, &entries)?)
    {
        match deeds {
            Ok(deeds) => {
                let deeds = with_copies(deeds, snapshot.copies().in_file(&entry.path));
                sessions.push(Session { entry, session, subagent, deeds, together });
            }
            Err(error) => problems.push(say::transcript_unreadable(
                retrace_wire::show(&entry.path),
                retrace_wire::sentence(&error),
            )),
        }
    }
    Ok(Read { sessions, count: snapshot.sessions().len() as u64, problems })
}

/// What was done, with the answers marked that a fork or a resumed session only repeats: they count where they were given.
fn with_copies(mut deeds: Arc<Deeds>, copies: Option<&HashSet<u64>>) -> Arc<Deeds> {
    let is_copied =
        |answer: Option<u64>| copies.zip(answer).is_some_and(|(copies, answer)| copies.contains(&answer));
    if deeds.all.iter().any(|deed| deed.copied != is_copied(deed.answer)) {
        for deed in &mut Arc::make_mut(&mut deeds).all {
            deed.copied = is_copied(deed.answer);
        }
    }
    deeds
}

pub(crate) struct Ledger<'r> {
    judging: Judging<'r>,
    pub(crate) anchor: Anchor,
    since: Option<Timestamp>,
    pub(crate) row: RuleLedger,
    /// Index of the row of each version's wording; `None` while the line was gone.
    wordings: Vec<Option<usize>>,
    sessions: BTreeMap<String, ()>,
    cases: Vec<(Option<Timestamp>, RuleCase)>,
    /// Of a rule about an order without a source, the projects that ever called what is to come first; empty for none.
    has_first: Option<BTreeSet<String>>,
    /// The same for other machines, where asked for.
    pub(crate) told: Option<Vec<ToldVerdict>>,
}

impl<'r> Ledger<'r> {
    pub(crate) fn new(
        inner: &Rules,
        view: MemoryRule,
        rule: &'r Rule,
        since: Option<Timestamp>,
    ) -> Result<Self, ApiError> {
        let anchor = Anchor::of(inner, rule, added_at(&view)?)?;
        let line = anchor.newest_line().unwrap_or(&rule.sentence);
        let tokens = Counter::of(retrace_engine::counts::NEWEST_FAMILY).content(line);
        let (by_version, wordings) = rows(&anchor);
        let row = RuleLedger {
            rule_id: view.rule_id,
            rule: view.rule,
            opportunities: 0,
            followed: 0,
            broken: 0,
            broken_present: 0,
            broken_inferred: None,
            broken_absent: BTreeMap::new(),
            broken_unknown: 0,
            excepted: 0,
            predates: 0,
            undecidable: 0,
            sessions: 0,
            tokens_per_session: tokens,
            last_at: None,
            guards: Vec::new(),
            project: None,
            by_version,
            cases: Vec::new(),
        };
        let judging = Judging::of(&rule.pattern);
        let (sessions, cases) = (BTreeMap::new(), Vec::new());
        Ok(Self { judging, anchor, since, row, wordings, sessions, cases, has_first: None, told: None })
    }

    /// Counts what became of the rule in every session.
    pub(crate) fn add(&mut self, sessions: &[Session], presences: &mut Presences) {
        if self.judging.is_of_session() {
            let together = || sessions.chunk_by(|one, other| one.together == other.together);
            // Nobody stated a rule without a source for these projects: those that never called what is to come first may not have it.
            if self.judging.is_about_an_order() && matches!(self.anchor.source, Source::Nowhere) {
                let calls =
                    |session: &&[Session]| self.judging.has_called_first(&sequence_of(session), usize::MAX);
                self.has_first =
                    Some(with_worktrees(together().map(ran_in), together().filter(calls).map(ran_in)));
            }
            together().for_each(|session| self.add_session(session, presences));
        } else {
            sessions.iter().for_each(|transcript| self.add_transcript(transcript, presences));
        }
    }

    fn add_session(&mut self, transcripts: &[Session], presences: &mut Presences) {
        let all = sequence_of(transcripts);
        let is_known = self.has_first.as_ref().is_none_or(|those| those.contains(ran_in(transcripts)));
        let found = self.judging.judge_all(&all).into_iter().map(|verdict| {
            let (part, deed) = all.order()[verdict.deed];
            let outcome = match verdict.outcome {
                Outcome::Broken if !is_known => Outcome::Undecidable,
                outcome => outcome,
            };
            (part, Verdict { deed, outcome, ..verdict })
        });
        self.add_verdicts(transcripts, found.collect(), presences);
    }

    fn add_transcript(&mut self, transcript: &Session, presences: &mut Presences) {
        let found = self.judging.judge(&transcript.deeds).into_iter().map(|verdict| (0, verdict));
        self.add_verdicts(std::slice::from_ref(transcript), found.collect(), presences);
    }

    /// Counts verdicts, each with the transcript that it is about.
    fn add_verdicts(
        &mut self,
        transcripts: &[Session],
        found: Vec<(usize, Verdict)>,
        presences: &mut Presences,
    ) {
        // By conversation: a transcript may hold several, and not all of them could have had the source.
        let mut concerned: BTreeMap<(usize, usize), bool> = BTreeMap::new();
        for (part, verdict) in found {
            let session = &transcripts[part];
            let deed = &session.deeds.all[verdict.deed];
            let spoken = Spoken { entry: &session.entry, part: deed.conversation };
            let could_have = || presences.could_have(&self.anchor, spoken);
            if !*concerned.entry((part, deed.conversation)).or_insert_with(could_have) {
                continue;
            }
            if self.since.is_none_or(|since| deed.at.is_some_and(|at| at >= since)) {
                self.add_verdict(session, deed, &verdict, presences);
            }
        }
    }

    fn add_verdict(&mut self, session: &Session, deed: &Deed, verdict: &Verdict, presences: &mut Presences) {
        let in_force = self.anchor.at(deed.at);
        let wording = match in_force {
            // What was done after the line was gone is no time before it.
            None => match self.anchor.index_at(deed.at) {
                None => Some(BEFORE),
                Some(version) => self.wordings.get(version).copied().flatten(),
            },
            Some(None) => None,
            Some(Some(version)) => self.wordings.get(version).copied().flatten(),
        };
        if let Some(row) = wording.and_then(|at| self.row.by_version.get_mut(at)) {
            row.opportunities += 1;
            match verdict.outcome {
                Outcome::Followed => row.followed += 1,
                Outcome::Broken => row.broken += 1,
                Outcome::Excepted => row.excepted += 1,
                Outcome::Undecidable => row.undecidable += 1,
            }
        }
        let outcome = match (in_force, verdict.outcome) {
            (None, _) => RuleOutcome::Predates,
            (_, Outcome::Followed) => RuleOutcome::Followed,
            (_, Outcome::Broken) => RuleOutcome::Broken,
            (_, Outcome::Excepted) => RuleOutcome::Excepted,
            (_, Outcome::Undecidable) => RuleOutcome::Undecidable,
        };
        let row = &mut self.row;
        row.opportunities += u64::from(outcome != RuleOutcome::Predates);
        match outcome {
            RuleOutcome::Followed => row.followed += 1,
            RuleOutcome::Broken => row.broken += 1,
            RuleOutcome::Excepted => row.excepted += 1,
            RuleOutcome::Predates => row.predates += 1,
            RuleOutcome::Undecidable => row.undecidable += 1,
        }
        let was_there = deed.request.filter(|_| outcome == RuleOutcome::Broken).and_then(|request| {
            let spoken = Spoken { entry: &session.entry, part: deed.conversation };
            presences.had_graded(&self.anchor, in_force?, spoken, request)
        });
        let (was_there, grade) = was_there.unzip();
        match was_there {
            _ if outcome != RuleOutcome::Broken => {}
            None => row.broken_unknown += 1,
            Some(Ok(())) => {
                row.broken_present += 1;
                if grade == Some(PresenceGrade::Inferred) {
                    *row.broken_inferred.get_or_insert(0) += 1;
                }
            }
            Some(Err(cause)) => *row.broken_absent.entry(cause.as_str().to_owned()).or_default() += 1,
        }
        if outcome != RuleOutcome::Predates {
            self.sessions.insert(session.session.clone(), ());
        }
        if let Some(told) = &mut self.told {
            told.push(ToldVerdict {
                transcript: session.entry.path.clone(),
                conversation: deed.conversation,
                request: deed.request.map(|request| request as u64),
                version: in_force
                    .flatten()
                    .and_then(|version| self.anchor.wordings.get(version))
                    .map(|wording| wording.version_id.clone()),
                outcome,
                present: was_there.map(|there| there.is_ok()),
                cause: was_there.and_then(Result::err),
                at: deed.at,
            });
            return;
        }
        let mut case = case_of(session, deed, one_line(&verdict.what), outcome);
        case.present = was_there.map(|there| there.is_ok());
        case.cause = was_there.and_then(Result::err);
        case.grade = grade;
        self.cases.push((deed.at, case));
    }

    fn finish(mut self, cases: bool) -> RuleLedger {
        self.cases.sort_by_key(|(at, case)| (Reverse(*at), case.line));
        let counts = self.cases.iter().filter(|(_, case)| case.outcome != RuleOutcome::Predates);
        self.row.last_at = counts.filter_map(|(at, _)| *at).max().map(|at| at.to_rfc3339());
        self.row.sessions = self.sessions.len() as u64;
        if cases {
            // Where there are too many, what was followed gives way to what was not.
            if self.cases.len() > MOST_CASES {
                self.cases
                    .sort_by_key(|(at, case)| (case.outcome != RuleOutcome::Broken, Reverse(*at), case.line));
                self.cases.truncate(MOST_CASES);
                self.cases.sort_by_key(|(at, case)| (Reverse(*at), case.line));
            }
            self.row.cases = self.cases.into_iter().map(|(_, case)| case).collect();
        }
        self.row
    }
}

/// A session with its subagents.
fn sequence_of(transcripts: &[Session]) -> Sequence<'_> {
    let has_main = transcripts.first().is_some_and(|first| !first.subagent);
    Sequence::of_session(transcripts.iter().map(|transcript| &*transcript.deeds).collect(), has_main)
}

/// The project that a session ran in, as its transcript says; empty where it says none.
fn ran_in(transcripts: &[Session]) -> &str {
    transcripts.iter().find_map(|transcript| transcript.entry.project()).unwrap_or_default()
}

/// Those of all projects that are some of these, or worktrees of the same repositories.
fn with_worktrees<'s>(
    all: impl Iterator<Item = &'s str>,
    some: impl Iterator<Item = &'s str>,
) -> BTreeSet<String> {
    let repository =
        |project: &str| repository_of(Path::new(project)).unwrap_or_else(|| PathBuf::from(project));
    let some: BTreeSet<PathBuf> = some.collect::<BTreeSet<_>>().into_iter().map(repository).collect();
    let all: BTreeSet<&str> = all.collect();
    all.into_iter().filter(|project| some.contains(&repository(project))).map(str::to_owned).collect()
}

/// When a rule was added.
fn added_at(view: &MemoryRule) -> Result<Timestamp, ApiError> {
    time(&view.added_at)
}

/// A case without what is known of the rule's presence.
pub(crate) fn case_of(session: &Session, deed: &Deed, what: String, outcome: RuleOutcome) -> RuleCase {
    RuleCase {
        outcome,
        what,
        session: session.session.clone(),
        title: session.entry.summary.as_ref().and_then(|summary| summary.session.title.clone()),
        transcript: retrace_wire::show(&session.entry.path),
        subagent: session.subagent || deed.conversation > 0,
        turn: deed.turn,
        line: u64::from(deed.line),
        at: deed.at.map(|at| at.to_rfc3339()),
        present: None,
        cause: None,
        grade: None,
    }
}

/// Index of the row of the time before the line stood there.
const BEFORE: usize = 0;

/// Rows of the wordings, and for each version the index of its row. The time before the line stood there is a row of its own. The
/// time after it was gone has none: it tells nothing of what the line brought about.
fn rows(anchor: &Anchor) -> (Vec<RuleWording>, Vec<Option<usize>>) {
    let mut rows: Vec<RuleWording> = Vec::new();
    let mut of_version = Vec::new();
    if !anchor.wordings.is_empty() {
        rows.push(row(None, None, None));
    }
    let mut last: Option<Option<String>> = None;
    for wording in &anchor.wordings {
        let text = wording.line.as_ref().map(|(_, line)| line.clone());
        if text.is_none() && !wording.redacted {
            last = None;
            of_version.push((rows.len() == 1).then_some(BEFORE));
            continue;
        }
        if last.as_ref() != Some(&text) {
            rows.push(row(Some(wording.version_id.clone()), Some(wording.since), wording.line.clone()));
            last = Some(text);
        }
        of_version.push(Some(rows.len() - 1));
    }
    (rows, of_version)
}

fn row(version_id: Option<String>, since: Option<Timestamp>, line: Option<(u64, String)>) -> RuleWording {
    let number = line.as_ref().map(|(number, _)| *number);
    RuleWording {
        version_id,
        since: since.map(Timestamp::to_rfc3339),
        line: line.map(|(_, line)| line),
        number,
        opportunities: 0,
        followed: 0,
        broken: 0,
        excepted: 0,
        undecidable: 0,
    }
}

retrace_message::messages! {
    /// Messages about the ledger.
    mod say in "adherence";
    transcript_unreadable(path, reason) => "{path}: {reason}",
}
