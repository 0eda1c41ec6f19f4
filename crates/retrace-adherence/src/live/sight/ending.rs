//! The end of a session that is followed, and that it was none.

use super::{Mark, Sight, call_of, mark_of};
use crate::live::LiveRule;
use crate::live::report::Candidate;
use retrace_model::Timestamp;
use retrace_rules::{Deed, Outcome, What};

impl Sight {
    /// Withdraws what was found at an end where something was done behind it.
    pub(super) fn went_on(&mut self) {
        if self.ended.is_some() && self.ended != self.last_mark() {
            self.ended = None;
            self.withdrawn.append(&mut self.ends);
        }
    }

    /// The mark of the last thing that was done in the main conversation.
    fn last_mark(&self) -> Option<Mark> {
        self.last().map(|(_, deed)| mark_of(&call_of(deed), 0))
    }

    fn last(&self) -> Option<(usize, &Deed)> {
        self.following.deeds().all.iter().enumerate().rev().find(|(_, deed)| deed.conversation == 0)
    }

    /// When the model said its last word and nothing was done since: the turn ended. `None` while it goes on.
    pub(in crate::live) fn said_last(&self) -> Option<Timestamp> {
        let (_, deed) = self.last().filter(|_| self.ended.is_none())?;
        let told = matches!(deed.what, What::Told(_));
        let file = || Timestamp::from_micros(self.identity.modified / 1_000);
        told.then(|| deed.at.unwrap_or_else(file))
    }

    /// Takes over what was found at an end before: nothing of that is told again, and it is withdrawn where the session went on.
    pub(in crate::live) fn ended_before(&mut self, found: Vec<(u64, Mark)>) {
        if found.is_empty() {
            return;
        }
        let last = self.last_mark();
        if found.iter().any(|(_, mark)| Some(*mark) == last) {
            self.ended = last;
        }
        let (ends, gone) = found.into_iter().partition(|(_, mark)| Some(*mark) == last);
        self.ends = ends;
        self.withdrawn.extend::<Vec<_>>(gone);
    }

    /// The session ended: judges it by the rules about that. What was done before `since` is no news.
    pub(in crate::live) fn end(&mut self, rules: &[LiveRule], since: Option<Timestamp>) -> Vec<Candidate> {
        if self.ended.is_some() {
            return Vec::new();
        }
        let Some(mark) = self.last_mark() else { return Vec::new() };
        self.ended = Some(mark);
        let deeds = self.following.deeds();
        let mut found = Vec::new();
        for rule in rules.iter().filter(|rule| rule.judging.is_about_the_end()) {
            for verdict in rule.judging.judge(deeds) {
                let Some(deed) = deeds.all.get(verdict.deed) else { continue };
                let is_late = |than: Timestamp| deed.at.is_none_or(|at| at >= than);
                let is_news = is_late(rule.added_at) && since.is_none_or(is_late);
                if verdict.outcome == Outcome::Broken && is_news {
                    self.ends.push((rule.number, mark));
                    found.push(Candidate { rule: rule.number, mark, what: verdict.what, deed: deed.clone() });
                }
            }
        }
        found
    }
}
