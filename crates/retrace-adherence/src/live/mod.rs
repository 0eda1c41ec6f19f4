//! Rules while sessions run: their transcripts are followed as they grow, and a rule that is broken becomes an entry of the log
//! that needs a person.
//!
//! Events of the operating system are hints where to look; the files are the truth, read on from where they were left, and all of
//! them are listed from time to time. What was there before the first look is no news: the ledger has it. How far each file was
//! judged is kept beside the log ([`kept`]), so that a restart tells nothing twice and leaves nothing out.
//!
//! A rule that no single call follows or breaks is judged over a session with its subagents ([`session`]), which the index of
//! transcripts tells, as the ledger does.
//!
//! A rule about the end of a session is judged when it ended: where its client says what runs, when it does not say so of this one any
//! more; else when nothing was done for [`SILENT_MINUTES`] behind the model's last word. What was found at an end is withdrawn where the session
//! goes on. Of a session whose turn did not end and that nobody says of that it ended, the ledger alone has it.

mod found;
mod kept;
mod report;
mod session;
mod sight;
mod together;

use crate::Rules;
use crate::deeds::newest_redaction;
use crate::list::rule_of;
use kept::{Kept, Place};
use report::{Candidate, Mark};
use retrace_engine::lock;
use retrace_engine::recorder::Upkeep;
use retrace_log::KeptRule;
use retrace_model::Timestamp;
use retrace_rules::{Judging, Rule, Sequence, Verdict};
use retrace_sessions::{Cancel, DatabaseState, Identity, Roots, Running, Snapshot, roots_of_home};
use retrace_watch::{Hint, Trees};
use retrace_wire::ApiError;
use session::Session;
use sight::Sight;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

pub(crate) use kept::LiveFile;

/// Lines that are written within so long of each other are judged together.
const GATHER: Duration = Duration::from_millis(100);

/// Every transcript is looked at so often, whatever events come; more often where the system gives no events.
const LIST_EVERY: Duration = Duration::from_secs(30);
const POLL_EVERY: Duration = Duration::from_secs(1);

/// What a report could not be written for is tried again after so long.
const TRY_AGAIN: Duration = Duration::from_secs(1);

/// How far files were judged is kept at most so often: what a crash loses is judged again and known by its mark.
const SAVE_EVERY: Duration = Duration::from_secs(10);

/// A session that has written nothing for so long is let go of; it is read again when it goes on.
const LET_GO: Duration = Duration::from_secs(15 * 60);

/// A session whose turn ended and in which nothing was done for so long counts as ended, where its client does not say what runs.
pub(crate) const SILENT_MINUTES: i64 = 30;
const SILENT_MICROS: i64 = SILENT_MINUTES * 60_000_000;

/// A session ended when its client has not said for so long that it runs: one that begins anew says so at once.
const SETTLE: Duration = Duration::from_secs(1);

/// What wakes the thread.
enum Wake {
    Changed(Vec<PathBuf>),
    /// Anything may have happened.
    Lost,
    /// Somebody committed to the log.
    Committed,
    Stop,
}

/// Follows running sessions beside recording, on a thread of its own.
pub struct LiveUpkeep {
    wake: Sender<Wake>,
    thread: Option<JoinHandle<()>>,
}

impl LiveUpkeep {
    /// For the recorder of this log.
    #[must_use]
    pub fn new(inner: Arc<Rules>) -> Self {
        let (wake, woken) = channel();
        let hints = wake.clone();
        let work = move || Live::new(inner, hints).run(&woken);
        // Without a thread the ledger still has every break.
        let thread = std::thread::Builder::new().name("retrace-live".to_owned()).spawn(work).ok();
        Self { wake, thread }
    }
}

impl Upkeep for LiveUpkeep {
    fn tick(&mut self) {}

    fn committed(&mut self) {
        // The thread is gone only where it could not be started.
        let _ = self.wake.send(Wake::Committed);
    }
}

impl Drop for LiveUpkeep {
    fn drop(&mut self) {
        let _ = self.wake.send(Wake::Stop);
        if let Some(thread) = self.thread.take() {
            // Its own panic was reported by the panic hook.
            drop(thread.join());
        }
    }
}

/// A rule as running sessions are judged by it.
struct LiveRule {
    number: u64,
    rule: Rule,
    added_at: Timestamp,
    judging: Judging<'static>,
}

impl LiveRule {
    /// False for a break of an order that nobody stated for this project, where the session did not call the earlier act before:
    /// whether the project has one, the ledger knows.
    fn applies_at(&self, deeds: &Sequence<'_>, verdict: &Verdict) -> bool {
        self.rule.source.is_some() || self.judging.has_called_first(deeds, verdict.deed)
    }
}

/// All that is known of running sessions.
struct Live {
    inner: Arc<Rules>,
    roots: Roots,
    hints: Sender<Wake>,
    trees: Option<Trees>,
    /// The rules, and what they were made from.
    rules: Vec<LiveRule>,
    made_from: Vec<KeptRule>,
    kept: Kept,
    /// Every transcript that was listed.
    files: HashMap<PathBuf, Identity>,
    /// Databases of sessions as they were when their sessions were listed.
    databases: HashMap<PathBuf, DatabaseState>,
    /// Those that are followed.
    open: HashMap<PathBuf, Sight>,
    /// Their sessions, where a rule concerns a whole one.
    sessions: Vec<Session>,
    /// Transcripts whose sessions are to be judged.
    touched: BTreeSet<PathBuf>,
    /// Which transcripts there are, asked at most once in a pass.
    snapshot: Option<Arc<Snapshot>>,
    /// Sessions that their clients say run, and those that they do not say so of any more, with when they count as ended.
    running: Running,
    ending: HashMap<String, Instant>,
    redaction: Option<String>,
    /// Breaks that could not be written.
    left: Vec<(PathBuf, Vec<Candidate>)>,
    next_list: Instant,
    saved_at: Instant,
    is_unsaved: bool,
}

impl Live {
    fn new(inner: Arc<Rules>, hints: Sender<Wake>) -> Self {
        let surroundings = &inner.options.surroundings;
        let roots = roots_of_home(&surroundings.home, &surroundings.env);
        let kept = inner.live.load(&inner);
        let now = Instant::now();
        Self {
            roots,
            hints,
            trees: None,
            rules: Vec::new(),
            made_from: Vec::new(),
            kept,
            files: HashMap::new(),
            databases: HashMap::new(),
            open: HashMap::new(),
            sessions: Vec::new(),
            touched: BTreeSet::new(),
            snapshot: None,
            running: Running::default(),
            ending: HashMap::new(),
            redaction: None,
            left: Vec::new(),
            next_list: now,
            saved_at: now,
            is_unsaved: true,
            inner,
        }
    }

    fn run(mut self, woken: &Receiver<Wake>) {
        let (mut changed, mut is_committed) = (BTreeSet::new(), true);
        loop {
            // Failures of the log are met by whoever asks it for anything; here the next wake brings another try.
            drop(self.work(std::mem::take(&mut changed), std::mem::take(&mut is_committed)));
            let mut next = woken.recv_timeout(self.wait());
            let gathered = Instant::now() + GATHER;
            loop {
                match next {
                    Ok(Wake::Stop) | Err(RecvTimeoutError::Disconnected) => return self.end(),
                    Ok(Wake::Changed(paths)) => changed.extend(paths),
                    Ok(Wake::Lost) => self.next_list = Instant::now(),
                    Ok(Wake::Committed) => is_committed = true,
                    Err(RecvTimeoutError::Timeout) => break,
                }
                next = woken.recv_timeout(gathered.saturating_duration_since(Instant::now()));
            }
        }
    }

    /// Until something is due though nothing wakes the thread.
    fn wait(&self) -> Duration {
        if !self.left.is_empty() {
            return TRY_AGAIN;
        }
        if self.rules.is_empty() {
            return LIST_EVERY;
        }
        let due = self.next_list.saturating_duration_since(Instant::now());
        let later = self.open.values().filter_map(Sight::due).chain(self.ending.values().copied()).min();
        later.map_or(due, |later| due.min(later.saturating_duration_since(Instant::now())))
    }

    fn work(&mut self, changed: BTreeSet<PathBuf>, is_committed: bool) -> Result<(), ApiError> {
        self.snapshot = None;
        if is_committed {
            self.read_log()?;
        }
        if self.rules.is_empty() {
            // Nothing is followed; what is written meanwhile was written without a rule.
            return self.save();
        }
        for (path, candidates) in std::mem::take(&mut self.left) {
            self.report(&path, candidates)?;
        }
        let now = Instant::now();
        let (processes, changed): (BTreeSet<PathBuf>, BTreeSet<PathBuf>) =
            changed.into_iter().partition(|path| retrace_sessions::is_of_process(&self.roots, path));
        let has_process = !processes.is_empty();
        let is_listed = self.next_list <= now || changed.iter().any(|path| self.may_be_new(path));
        // Before any transcript is looked at: whoever acts on what is found there may end a session.
        if self.judges_ends() && (is_listed || has_process) {
            self.note_processes();
        }
        if is_listed {
            self.list()?;
        }
        let due = self.open.iter().filter(|(_, sight)| sight.due().is_some_and(|due| due <= now));
        let due: Vec<PathBuf> = due.map(|(path, _)| path.clone()).collect();
        let databases = changed.iter().filter_map(|path| retrace_sessions::database_of(path));
        for database in databases.collect::<BTreeSet<_>>() {
            for path in self.list_database(&database, None) {
                self.look_at(&path)?;
            }
        }
        for path in changed.into_iter().chain(due).collect::<BTreeSet<_>>() {
            if self.files.contains_key(&path) {
                self.look(&path)?;
            }
        }
        self.judge_sessions()?;
        if self.judges_ends() {
            self.end_sessions()?;
        }
        self.save()
    }

    /// Takes over the rules as they are now, and lets go of texts that a redaction may have taken out.
    fn read_log(&mut self) -> Result<(), ApiError> {
        let redaction = newest_redaction(&self.inner)?;
        if redaction != self.redaction {
            self.redaction = redaction;
            self.open.clear();
            self.sessions.clear();
        }
        let mut kept = self.inner.read(|reader| Ok(reader.rules()?))?;
        kept.retain(|rule| rule.removed_at.is_none());
        if kept == self.made_from {
            return Ok(());
        }
        let before: BTreeSet<u64> = self.rules.iter().map(|rule| rule.number).collect();
        self.rules = kept.iter().filter_map(live_rule).collect();
        self.made_from = kept;
        if before.is_empty() && !self.rules.is_empty() {
            self.next_list = Instant::now();
        }
        let rules = &self.rules;
        self.open.values_mut().for_each(|sight| sight.begin_anew(rules, |rule| !before.contains(&rule)));
        for path in self.open.keys().cloned().collect::<Vec<_>>() {
            self.tell(&path)?;
        }
        self.begin_sessions_anew(&before)
    }

    /// True for a path that the list may not have yet.
    fn may_be_new(&self, path: &Path) -> bool {
        let ending = path.extension().and_then(|ending| ending.to_str());
        match ending {
            Some("jsonl" | "json") => !self.files.contains_key(path) && path.is_file(),
            None => path.is_dir(),
            Some(_) => false,
        }
    }

    /// Lists every transcript, and looks at those that are not as they were.
    fn list(&mut self) -> Result<(), ApiError> {
        let has_events = self.watch();
        self.next_list = Instant::now() + if has_events { LIST_EVERY } else { POLL_EVERY };
        let listed: HashMap<PathBuf, Identity> =
            retrace_sessions::files(&self.roots, &Cancel::new()).into_iter().collect();
        let before = std::mem::replace(&mut self.files, listed);
        let databases = retrace_sessions::databases(&self.roots);
        self.databases.retain(|database, _| databases.contains(database));
        let of_database =
            |path: &PathBuf| path.parent().is_some_and(|parent| databases.iter().any(|one| one == parent));
        let stored = before.iter().filter(|(path, _)| of_database(path));
        self.files.extend(stored.map(|(path, identity)| (path.clone(), *identity)));
        let mut other: Vec<PathBuf> = Vec::new();
        for database in &databases {
            let known = self.databases.get(database).copied();
            other.extend(self.list_database(database, known));
        }
        self.open.retain(|path, _| self.files.contains_key(path));
        let is_other = |path: &PathBuf, identity: &Identity| before.get(path) != Some(identity);
        let files =
            self.files.iter().filter(|(path, identity)| !of_database(path) && is_other(path, identity));
        other.extend(files.map(|(path, _)| path.clone()));
        other.sort();
        if before.is_empty() {
            self.kept.keep_only(self.files.keys());
        }
        for path in other {
            match of_database(&path) {
                true => self.look_at(&path)?,
                false => self.look(&path)?,
            }
        }
        self.let_go();
        Ok(())
    }

    /// True if a rule is about the end of a session.
    fn judges_ends(&self) -> bool {
        self.rules.iter().any(|rule| rule.judging.is_about_the_end())
    }

    /// Takes over which sessions run, as their clients say.
    fn note_processes(&mut self) {
        let running = Running::read(&self.roots, &self.running);
        let until = Instant::now() + SETTLE;
        for gone in self.running.sessions().into_iter().filter(|session| !running.has(session)) {
            self.ending.entry(gone.to_owned()).or_insert(until);
        }
        self.ending.retain(|session, _| !running.has(session));
        self.running = running;
    }

    /// Judges the sessions that ended by the rules about that.
    fn end_sessions(&mut self) -> Result<(), ApiError> {
        let now = Instant::now();
        let ended: Vec<String> =
            self.ending.iter().filter(|(_, due)| **due <= now).map(|(session, _)| session.clone()).collect();
        for session in ended {
            self.ending.remove(&session);
            let is_it = |path: &&PathBuf| path.extension().is_some() && session_of(path) == session;
            let paths: Vec<PathBuf> = self.files.keys().filter(is_it).cloned().collect();
            for path in &paths {
                // All that it wrote before.
                self.look(path)?;
                self.open_at(path)?;
            }
            self.judge_sessions()?;
            for path in &paths {
                self.end_at(path, None)?;
            }
        }
        let silent_since = Timestamp::from_micros(self.inner.now().micros().saturating_sub(SILENT_MICROS));
        let is_silent = |session: &&Session| {
            let is_past = |last: Timestamp| last <= silent_since;
            self.may_have_ended(session) && session.said_last(&self.open).is_some_and(is_past)
        };
        let silent = self.sessions.iter().filter(is_silent).filter_map(Session::main);
        for path in silent.map(Path::to_owned).collect::<Vec<_>>() {
            self.end_at(&path, Some(self.kept.ends_since))?;
        }
        Ok(())
    }

    fn end_at(&mut self, path: &Path, since: Option<Timestamp>) -> Result<(), ApiError> {
        let Some(session) = self.sessions.iter_mut().find(|session| session.main() == Some(path)) else {
            return Ok(());
        };
        let candidates = session.end(&self.open, &self.rules, since);
        self.report(path, candidates)
    }

    /// Lists the sessions of a database where it is not as `known`, and answers those that went on.
    fn list_database(&mut self, database: &Path, known: Option<DatabaseState>) -> Vec<PathBuf> {
        // Its state from before: what is written meanwhile makes another one.
        let Ok(state) = retrace_sessions::database_state(database) else { return Vec::new() };
        if known == Some(state) {
            return Vec::new();
        }
        // One that cannot be read now is read with the next change, or listed again.
        let Ok(listed) = retrace_sessions::growing(database, &self.files) else { return Vec::new() };
        self.databases.insert(database.to_owned(), state);
        let there: BTreeSet<&PathBuf> = listed.iter().map(|(path, _)| path).collect();
        self.files.retain(|path, _| path.parent() != Some(database) || there.contains(path));
        let mut other = Vec::new();
        for (path, identity) in listed {
            if self.files.insert(path.clone(), identity) != Some(identity) {
                other.push(path);
            }
        }
        other
    }

    /// Has the directories of transcripts watched; false where the system does not.
    fn watch(&mut self) -> bool {
        if self.trees.is_none() {
            let hints = self.hints.clone();
            let tell = move |hint| {
                // The other end is gone only when everything ends.
                let _ = hints.send(match hint {
                    Hint::Changed(paths) => Wake::Changed(paths),
                    Hint::Lost => Wake::Lost,
                });
            };
            self.trees = Trees::start(tell).ok();
        }
        let directories = retrace_sessions::directories(&self.roots);
        self.trees.as_mut().is_some_and(|trees| trees.cover(&directories).is_ok())
    }

    /// Reads what a transcript has more than it had, and judges that.
    fn look(&mut self, path: &Path) -> Result<(), ApiError> {
        let identity = match retrace_sessions::is_in_database(path) {
            true => retrace_sessions::growing_session(path),
            false => retrace_sessions::identity(path),
        };
        let Ok(identity) = identity else {
            self.open.remove(path);
            self.files.remove(path);
            return Ok(());
        };
        self.files.insert(path.to_owned(), identity);
        self.look_at(path)
    }

    /// The same of one that was listed just now.
    fn look_at(&mut self, path: &Path) -> Result<(), ApiError> {
        let Some(identity) = self.files.get(path).copied() else { return Ok(()) };
        let place = self.kept.place(path);
        if !self.open.contains_key(path) && self.is_old(path, place.as_ref(), &identity) {
            return Ok(());
        }
        match self.open.get_mut(path) {
            Some(known) => {
                known.grow(path, &identity, &self.rules);
                self.touched.insert(path.to_owned());
                self.tell(path)
            }
            None => self.open_at(path),
        }
    }

    /// Follows a transcript from now on.
    fn open_at(&mut self, path: &Path) -> Result<(), ApiError> {
        let Some(identity) = self.files.get(path).copied() else { return Ok(()) };
        if self.open.contains_key(path) {
            return Ok(());
        }
        self.follow(path, identity)?;
        if self.judges_sessions() { self.join(path) } else { Ok(()) }
    }

    fn follow(&mut self, path: &Path, identity: Identity) -> Result<(), ApiError> {
        let place = self.kept.place(path);
        let sight = Sight::open(path, identity, place.as_ref(), self.kept.since, &self.rules);
        self.open.insert(path.to_owned(), sight);
        self.tell(path)
    }

    /// What was found at the end of a session before.
    fn ends_of(&self, path: &Path) -> Result<Vec<(u64, Mark)>, ApiError> {
        let transcript = retrace_wire::show(path);
        let about_ends = self.rules.iter().filter(|rule| rule.judging.is_about_the_end());
        self.inner.read(|reader| {
            let mut found = Vec::new();
            for rule in about_ends {
                let marks = reader.broken_marks(rule.number, &transcript)?;
                found.extend(marks.into_iter().map(|mark| (rule.number, mark)));
            }
            Ok(found)
        })
    }

    /// Reports what was found in a transcript.
    fn tell(&mut self, path: &Path) -> Result<(), ApiError> {
        let Some(sight) = self.open.get_mut(path) else { return Ok(()) };
        let candidates = sight.take_news(&self.rules);
        let withdrawn = sight.take_withdrawn();
        if let Some(place) = sight.place() {
            self.is_unsaved |= self.kept.put(path, place);
        }
        if !withdrawn.is_empty() {
            report::withdraw(&self.inner, &withdrawn)?;
        }
        self.report(path, candidates)
    }

    /// True for a file of which nothing is news: it is as far as it was judged, or was not written since the first look.
    fn is_old(&self, path: &Path, place: Option<&Place>, identity: &Identity) -> bool {
        // It may not have ended when it was judged.
        if self.judges_ends() && identity.modified / 1_000 >= self.kept.ends_since.micros() {
            return false;
        }
        match place {
            Some(place) if !retrace_sessions::is_in_database(path) => place.offset == identity.size,
            _ => identity.modified / 1_000 < self.kept.since.micros(),
        }
    }

    fn report(&mut self, path: &Path, candidates: Vec<Candidate>) -> Result<(), ApiError> {
        if candidates.is_empty() {
            return Ok(());
        }
        let reported = report::report(&self.inner, &self.rules, path, &candidates);
        if reported.is_err() {
            self.left.push((path.to_owned(), candidates));
        }
        reported
    }

    fn save(&mut self) -> Result<(), ApiError> {
        let is_due = self.is_unsaved && self.saved_at.elapsed() >= SAVE_EVERY;
        if is_due { self.save_now() } else { Ok(()) }
    }

    fn save_now(&mut self) -> Result<(), ApiError> {
        if self.left.is_empty() {
            self.inner.live.save(&self.inner, &self.kept, self.redaction.as_ref())?;
            (self.is_unsaved, self.saved_at) = (false, Instant::now());
        }
        Ok(())
    }

    fn end(mut self) {
        // What is not kept is judged again and known by its mark.
        drop(self.save_now());
    }
}

/// The session that a file is called by.
fn session_of(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

fn live_rule(kept: &KeptRule) -> Option<LiveRule> {
    let rule = rule_of(kept)?;
    Some(LiveRule {
        number: kept.number,
        added_at: kept.added_at,
        judging: Judging::keeping(rule.pattern.clone()),
        rule,
    })
}

/// Where the state of this feature is kept, and what keeps a redaction and a save apart.
#[derive(Default)]
pub(crate) struct LiveTexts {
    file: std::sync::Mutex<LiveFile>,
}

impl LiveTexts {
    fn load(&self, inner: &Rules) -> Kept {
        lock(&self.file).load(inner)
    }

    fn save(&self, inner: &Rules, kept: &Kept, redaction: Option<&String>) -> Result<(), ApiError> {
        let file = lock(&self.file);
        // Another process may have redacted since these places were noted.
        let is_current = newest_redaction(inner)?.as_ref() == redaction;
        file.save(inner, kept, is_current);
        Ok(())
    }

    /// Forgets which files were judged how far. Nothing is kept for as long as the answer is held.
    pub(crate) fn forget(&self, inner: &Rules) -> std::sync::MutexGuard<'_, LiveFile> {
        let file = lock(&self.file);
        file.forget(inner);
        file
    }
}
