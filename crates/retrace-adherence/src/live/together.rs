//! Which transcripts belong together, and when what they did is judged as one.

use super::report;
use super::session::{Files, Session};
use super::{LET_GO, Live, session_of};
use retrace_sessions::Snapshot;
use retrace_wire::ApiError;
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

impl Live {
    /// True if a rule concerns a whole session.
    pub(super) fn judges_sessions(&self) -> bool {
        self.rules.iter().any(|rule| rule.judging.is_of_session())
    }

    /// Puts a transcript to its session, all of which is followed from then on.
    pub(super) fn join(&mut self, path: &Path) -> Result<(), ApiError> {
        let files = self.files_of(path);
        for file in &files.all {
            if let Some(identity) = self.files.get(file).copied().filter(|_| !self.open.contains_key(file)) {
                self.follow(file, identity)?;
            }
        }
        self.touched.insert(path.to_owned());
        let known = |session: &Session| files.all.iter().any(|file| session.has(file));
        if let Some(at) = self.sessions.iter().position(known) {
            // Those that were not known to belong together before.
            let mut number = 0;
            self.sessions.retain(|session| {
                number += 1;
                number <= at + 1 || !known(session)
            });
            self.sessions[at].take_files(files);
            return Ok(());
        }
        let mut session = Session::new(files, &self.rules);
        if let Some(main) = session.main().filter(|_| self.judges_ends()) {
            let ends = self.ends_of(main)?;
            session.ended_before(ends, &self.open, &self.rules);
        }
        self.sessions.push(session);
        Ok(())
    }

    /// The transcripts of a session, as the index knows them.
    fn files_of(&mut self, path: &Path) -> Files {
        let inner = &self.inner;
        let snapshot = self.snapshot.get_or_insert_with(|| {
            inner.lab.index().update(&inner.lab);
            inner.lab.index().snapshot()
        });
        // Where it is not known yet, it is asked for again when the transcript goes on.
        known_files(snapshot, path).unwrap_or_else(|| Files { all: vec![path.to_owned()], has_main: false })
    }

    /// Judges sessions of which a transcript went on.
    pub(super) fn judge_sessions(&mut self) -> Result<(), ApiError> {
        while let Some(path) = self.touched.first().cloned() {
            let has_path = |session: &Session| session.has(&path);
            let is_whole =
                self.sessions.iter().find(|session| has_path(session)).map(|known| known.files().has_main);
            if is_whole == Some(false) {
                self.join(&path)?;
            }
            if let Some(at) = self.sessions.iter().position(has_path) {
                self.judge_session(at)?;
            }
            self.touched.remove(&path);
        }
        Ok(())
    }

    fn judge_session(&mut self, at: usize) -> Result<(), ApiError> {
        let files = self.sessions[at].files().all.clone();
        for file in &files {
            self.catch_up(file)?;
        }
        let session = &mut self.sessions[at];
        session.judge(&mut self.open, &self.rules);
        self.touched.retain(|path| !files.contains(path));
        self.tell_session(at)
    }

    /// Reads what a transcript has by now: what a subagent did before is judged with what is new.
    fn catch_up(&mut self, path: &Path) -> Result<(), ApiError> {
        if retrace_sessions::is_in_database(path) {
            return Ok(());
        }
        let Some(sight) = self.open.get_mut(path) else { return Ok(()) };
        match retrace_sessions::identity(path) {
            Ok(identity) if sight.is_other(&identity) => {
                sight.grow(path, &identity, &self.rules);
                self.files.insert(path.to_owned(), identity);
                self.tell(path)
            }
            _ => Ok(()),
        }
    }

    /// Reports what was found in a session.
    fn tell_session(&mut self, at: usize) -> Result<(), ApiError> {
        let session = &mut self.sessions[at];
        let news = session.take_news(&self.open, &self.rules);
        let withdrawn = session.take_withdrawn();
        if !withdrawn.is_empty() {
            report::withdraw(&self.inner, &withdrawn)?;
        }
        // What cannot be written now is kept for later, each by itself.
        let mut reported = Ok(());
        for of_file in news.chunk_by(|(one, _), (other, _)| one == other) {
            let candidates = of_file.iter().map(|(_, candidate)| candidate.clone()).collect();
            reported = self.report(&of_file[0].0, candidates).and(reported);
        }
        reported
    }

    /// Judges every session by other rules. `before` are those that were there.
    pub(super) fn begin_sessions_anew(&mut self, before: &BTreeSet<u64>) -> Result<(), ApiError> {
        if !self.judges_sessions() {
            self.sessions.clear();
            self.touched.clear();
            return Ok(());
        }
        for path in self.open.keys().cloned().collect::<Vec<_>>() {
            if !self.sessions.iter().any(|session| session.has(&path)) {
                self.join(&path)?;
            }
        }
        for at in 0..self.sessions.len() {
            let session = &mut self.sessions[at];
            session.begin_anew(&mut self.open, &self.rules, |rule| !before.contains(&rule));
            self.tell_session(at)?;
        }
        Ok(())
    }

    /// True if nobody says of a session that it runs.
    pub(super) fn may_have_ended(&self, session: &Session) -> bool {
        session.main().is_some_and(|main| !self.running.has(&session_of(main)))
    }

    /// Lets go of transcripts to which nothing was written for long, but for those of a session whose end is to be judged, or whose
    /// other transcripts go on.
    pub(super) fn let_go(&mut self) {
        let Some(idle) = Instant::now().checked_sub(LET_GO) else { return };
        let judges_ends = self.judges_ends();
        let goes_on = |path: &PathBuf| self.open.get(path).is_some_and(|sight| sight.grown_at() > idle);
        let stays = |session: &&Session| {
            session.files().all.iter().any(goes_on)
                || judges_ends && self.may_have_ended(session) && session.said_last(&self.open).is_some()
        };
        let held = self.sessions.iter().filter(stays).flat_map(|session| session.files().all.clone());
        let held: HashSet<PathBuf> = held.collect();
        self.open.retain(|path, sight| sight.grown_at() > idle || held.contains(path));
        let open = &self.open;
        self.sessions.retain(|session| session.files().all.iter().any(|file| open.contains_key(file)));
    }
}

/// The transcripts that are judged with this one, as the ledger does it.
fn known_files(snapshot: &Arc<Snapshot>, path: &Path) -> Option<Files> {
    let entry = snapshot.entry(path)?;
    let row = snapshot.sessions().iter().find(|row| row.entries().any(|one| Arc::ptr_eq(one, entry)))?;
    let together = row.together().into_iter().find(|all| all.iter().any(|one| Arc::ptr_eq(one, entry)))?;
    let has_main = together.first().is_some_and(|first| !row.is_subagent(first));
    Some(Files { all: together.into_iter().map(|one| one.path.clone()).collect(), has_main })
}
