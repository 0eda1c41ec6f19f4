//! A session with its subagents, as those rules judge it that no single call follows or breaks: one sequence of what all of them
//! did. Its end, and that it was none.

use super::LiveRule;
use super::found::{Found, call_of, mark_of};
use super::report::{Candidate, Mark};
use super::sight::Sight;
use retrace_model::Timestamp;
use retrace_rules::{Changed, Deeds, Outcome, Sequence, Verdict, What};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Transcripts that are followed.
pub(super) type Open = HashMap<PathBuf, Sight>;

/// Of a transcript that is not followed nothing is known.
static NOTHING: Deeds = Deeds { directory: None, all: Vec::new() };

/// Which transcripts belong together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Files {
    /// The session's own, then those of its subagents.
    pub(super) all: Vec<PathBuf>,
    /// False where only subagents are known.
    pub(super) has_main: bool,
}

#[derive(Default)]
pub(super) struct Session {
    files: Files,
    found: Found,
    /// What was judged, in order: transcripts, and places in them.
    order: Vec<(usize, usize)>,
    /// True if other transcripts belong to it than when it was judged.
    is_other: bool,
    /// Where the session ended: the mark of the last thing that was done, and how much was; `None` while it goes on.
    ended: Option<(Mark, usize)>,
    /// What rules about the end found there: by number of the rule.
    ends: Vec<(u64, Mark)>,
}

impl Session {
    pub(super) fn new(files: Files, rules: &[LiveRule]) -> Self {
        let mut session = Self { files, ..Self::default() };
        session.found.clear(rules);
        session
    }

    pub(super) const fn files(&self) -> &Files {
        &self.files
    }

    pub(super) fn has(&self, path: &Path) -> bool {
        self.files.all.iter().any(|file| file == path)
    }

    /// The session's own transcript.
    pub(super) fn main(&self) -> Option<&Path> {
        self.files.all.first().filter(|_| self.files.has_main).map(PathBuf::as_path)
    }

    /// Takes over which transcripts belong to it now.
    pub(super) fn take_files(&mut self, files: Files) {
        if self.files != files {
            self.files = files;
            // Its transcripts have other numbers now: nothing of the order holds.
            self.is_other = true;
        }
    }

    fn sequence<'o>(&self, open: &'o Open) -> Sequence<'o> {
        let parts = self.files.all.iter().map(|file| open.get(file).map_or(&NOTHING, Sight::deeds));
        Sequence::of_session(parts.collect(), self.files.has_main)
    }

    /// Judges what is new, in whichever of its transcripts.
    pub(super) fn judge(&mut self, open: &mut Open, rules: &[LiveRule]) {
        let mut changed = Changed::Nothing;
        for file in &self.files.all {
            let Some(sight) = open.get_mut(file) else { continue };
            let (more, is_anew) = sight.take_changed();
            changed = changed.max(more);
            if is_anew {
                // What it held before stays what it was.
                self.found.begin_anew();
                self.order.clear();
            }
        }
        let all = self.sequence(open);
        if std::mem::take(&mut self.is_other) || !all.order().starts_with(&self.order) {
            changed = Changed::Order;
        }
        self.found.judge(rules, |rule| rule.judging.is_of_session(), &all, changed);
        self.order = all.order().to_vec();
        self.went_on(&all);
    }

    /// Judges all of it by other rules. What is found by those that were there before was told.
    pub(super) fn begin_anew(&mut self, open: &mut Open, rules: &[LiveRule], is_new: impl Fn(u64) -> bool) {
        self.found.clear(rules);
        self.order.clear();
        self.judge(open, rules);
        self.found.keep_news(|at| is_new(rules[at].number));
    }

    /// Breaks that were found just now and are news, each with its transcript.
    pub(super) fn take_news(&mut self, open: &Open, rules: &[LiveRule]) -> Vec<(PathBuf, Candidate)> {
        let news = self.found.take_news().into_iter().filter_map(|news| {
            let (part, deed) = *self.order.get(news.verdict.deed)?;
            let path = self.files.all.get(part)?;
            let verdict = Verdict { deed, ..news.verdict };
            let candidate = open.get(path)?.news(&rules[news.rule], news.mark, verdict)?;
            Some((path.clone(), candidate))
        });
        news.collect()
    }

    /// Breaks that are none by what came later.
    pub(super) fn take_withdrawn(&mut self) -> Vec<(u64, Mark)> {
        self.found.take_withdrawn()
    }

    /// Withdraws what was found at an end where something was done behind it.
    fn went_on(&mut self, all: &Sequence<'_>) {
        if self.ended.is_some() && self.ended != end_of(all) {
            self.ended = None;
            self.found.withdraw(std::mem::take(&mut self.ends));
        }
    }

    /// When the last thing was done, where the model said its last word: the turn ended. `None` while it goes on.
    pub(super) fn said_last(&self, open: &Open) -> Option<Timestamp> {
        let main = open.get(self.main().filter(|_| self.ended.is_none())?)?;
        let all = self.sequence(open);
        let last = all.get(all.last()?)?;
        let newest = || (0..all.len()).filter_map(|at| all.get(at)?.at).max();
        matches!(last.what, What::Told(_)).then(|| newest().unwrap_or_else(|| main.modified()))
    }

    /// Takes over what was found at an end before: nothing of that is told again, and it is withdrawn where the session went on.
    pub(super) fn ended_before(&mut self, found: Vec<(u64, Mark)>, open: &Open, rules: &[LiveRule]) {
        let all = self.sequence(open);
        let Some(end) = end_of(&all) else { return };
        let stands = |(number, mark): &(u64, Mark)| {
            let rule = rules.iter().find(|rule| rule.number == *number);
            let is_broken = |rule: &LiveRule| {
                rule.judging.judge_all(&all).iter().any(|verdict| verdict.outcome == Outcome::Broken)
            };
            *mark == end.0 && rule.is_some_and(is_broken)
        };
        let (ends, gone): (Vec<_>, Vec<_>) = found.into_iter().partition(stands);
        self.ended = (!ends.is_empty()).then_some(end);
        self.ends = ends;
        self.found.withdraw(gone);
    }

    /// The session ended: judges it by the rules about that. What was done before `since` is no news.
    pub(super) fn end(
        &mut self,
        open: &Open,
        rules: &[LiveRule],
        since: Option<Timestamp>,
    ) -> Vec<Candidate> {
        let all = self.sequence(open);
        let Some(end) = end_of(&all).filter(|_| self.ended.is_none() && self.files.has_main) else {
            return Vec::new();
        };
        self.ended = Some(end);
        let mut found = Vec::new();
        for rule in rules.iter().filter(|rule| rule.judging.is_about_the_end()) {
            for verdict in rule.judging.judge_all(&all) {
                let Some(deed) = all.get(verdict.deed) else { continue };
                let is_late = |than: Timestamp| deed.at.is_none_or(|at| at >= than);
                let is_news = is_late(rule.added_at) && since.is_none_or(is_late);
                if verdict.outcome == Outcome::Broken && is_news {
                    let mark = end.0;
                    self.ends.push((rule.number, mark));
                    found.push(Candidate { rule: rule.number, mark, what: verdict.what, deed: deed.clone() });
                }
            }
        }
        found
    }
}

/// The mark of the last thing that was done in the main conversation, and how much was done.
fn end_of(all: &Sequence<'_>) -> Option<(Mark, usize)> {
    let deed = all.get(all.last()?)?;
    Some((mark_of(&call_of(deed), 0), all.len()))
}
