//! Rules while sessions run: their transcripts are followed as they grow, and a rule that is broken becomes an entry of the log
//! that needs a person.
//!
//! Events of the operating system are hints where to look; the files are the truth, read on from where they were left, and all of
//! them are listed from time to time. What was there before the first look is no news: the ledger has it. How far each file was
//! judged is kept beside the log ([`kept`]), so that a restart tells nothing twice and leaves nothing out.
//!
//! Deliberately absent: rules about the end of a session, since nobody knows of one that runs that it ended. The ledger has them.

mod kept;
mod report;
mod sight;

use crate::Rules;
use crate::deeds::newest_redaction;
use crate::list::rule_of;
use kept::{Kept, Place};
use report::Candidate;
use retrace_engine::lock;
use retrace_engine::recorder::Upkeep;
use retrace_log::KeptRule;
use retrace_model::Timestamp;
use retrace_rules::{Judging, Rule};
use retrace_sessions::{Cancel, Identity, Roots, roots_of_home};
use retrace_watch::{Hint, Trees};
use retrace_wire::ApiError;
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
    /// Those that are followed.
    open: HashMap<PathBuf, Sight>,
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
            open: HashMap::new(),
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
        let later = self.open.values().filter_map(Sight::due).min();
        later.map_or(due, |later| due.min(later.saturating_duration_since(Instant::now())))
    }

    fn work(&mut self, changed: BTreeSet<PathBuf>, is_committed: bool) -> Result<(), ApiError> {
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
        if self.next_list <= now || changed.iter().any(|path| self.may_be_new(path)) {
            self.list()?;
        }
        let due = self.open.iter().filter(|(_, sight)| sight.due().is_some_and(|due| due <= now));
        let due: Vec<PathBuf> = due.map(|(path, _)| path.clone()).collect();
        for path in changed.into_iter().chain(due).collect::<BTreeSet<_>>() {
            if self.files.contains_key(&path) {
                self.look(&path)?;
            }
        }
        self.save()
    }

    /// Takes over the rules as they are now, and lets go of texts that a redaction may have taken out.
    fn read_log(&mut self) -> Result<(), ApiError> {
        let redaction = newest_redaction(&self.inner)?;
        if redaction != self.redaction {
            self.redaction = redaction;
            self.open.clear();
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
        Ok(())
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
        self.open.retain(|path, _| self.files.contains_key(path));
        let is_other = |path: &PathBuf, identity: &Identity| before.get(path) != Some(identity);
        let mut other: Vec<PathBuf> = self
            .files
            .iter()
            .filter(|(path, identity)| is_other(path, identity))
            .map(|(path, _)| path.clone())
            .collect();
        other.sort();
        if before.is_empty() {
            self.kept.keep_only(self.files.keys());
        }
        for path in other {
            self.look(&path)?;
        }
        let idle = Instant::now().checked_sub(LET_GO);
        self.open.retain(|_, sight| idle.is_none_or(|idle| sight.grown_at() > idle));
        Ok(())
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
        let Ok(identity) = retrace_sessions::identity(path) else {
            self.open.remove(path);
            self.files.remove(path);
            return Ok(());
        };
        self.files.insert(path.to_owned(), identity);
        let place = self.kept.place(path);
        if !self.open.contains_key(path) && self.is_old(place.as_ref(), &identity) {
            return Ok(());
        }
        let rules = &self.rules;
        match self.open.get_mut(path) {
            Some(known) => known.grow(path, &identity, rules),
            None => {
                let sight = Sight::open(path, identity, place.as_ref(), self.kept.since, rules);
                self.open.insert(path.to_owned(), sight);
            }
        }
        self.tell(path)
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
            report::withdraw(&self.inner, &self.rules, &withdrawn)?;
        }
        self.report(path, candidates)
    }

    /// True for a file of which nothing is news: it is as far as it was judged, or was not written since the first look.
    fn is_old(&self, place: Option<&Place>, identity: &Identity) -> bool {
        match place {
            Some(place) => place.offset == identity.size,
            None => identity.modified / 1_000 < self.kept.since.micros(),
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
