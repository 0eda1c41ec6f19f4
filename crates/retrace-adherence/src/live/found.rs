//! What rules found in deeds that grow: breaks that are news, and breaks that are none by what came later.

use super::LiveRule;
use super::report::Mark;
use retrace_model::{Sha256, Timestamp};
use retrace_rules::{Changed, Course, Deed, Outcome, Sequence, Verdict};
use std::collections::HashSet;

/// What rules of one sort found so far.
#[derive(Default)]
pub(super) struct Found {
    /// By rule, in the order of the rules.
    of_rules: Vec<OfRule>,
    news: Vec<News>,
    /// By number of the rule.
    withdrawn: Vec<(u64, Mark)>,
}

/// A break that was not there before.
pub(super) struct News {
    /// Index of the rule.
    pub(super) rule: usize,
    pub(super) mark: Mark,
    pub(super) verdict: Verdict,
}

#[derive(Default)]
struct OfRule {
    course: Course,
    /// Breaks in what was done, told or not.
    broken: HashSet<Mark>,
    /// The call that was judged last, and the number of its verdicts.
    last: Option<(Vec<u8>, u32)>,
}

impl Found {
    /// Forgets all that was found, as for these rules; what was found before stays what it was.
    pub(super) fn clear(&mut self, rules: &[LiveRule]) {
        *self = Self::default();
        self.of_rules = rules.iter().map(|_| OfRule::default()).collect();
    }

    /// The same, where the deeds are others by now: what was told of them is withdrawn no more.
    pub(super) fn begin_anew(&mut self) {
        self.of_rules.iter_mut().for_each(|of| *of = OfRule::default());
    }

    /// Judges what is new by the rules that `is_asked` names, or all where what was known changed.
    pub(super) fn judge(
        &mut self,
        rules: &[LiveRule],
        is_asked: impl Fn(&LiveRule) -> bool,
        deeds: &Sequence<'_>,
        changed: Changed,
    ) {
        let asked = rules.iter().zip(&mut self.of_rules).enumerate().filter(|(_, (rule, _))| is_asked(rule));
        for (at, (rule, of)) in asked {
            let again = match changed {
                Changed::Nothing => false,
                Changed::Answers => rule.judging.asks_for_answers(),
                Changed::Refused | Changed::Order => true,
            };
            let before = again.then(|| std::mem::take(of).broken);
            for verdict in rule.judging.go_on(deeds, &mut of.course) {
                let Some(deed) = deeds.get(verdict.deed) else { continue };
                let mark = of.mark(deed);
                if verdict.outcome != Outcome::Broken || !rule.applies_at(deeds, &verdict) {
                    continue;
                }
                let is_known = before.as_ref().is_some_and(|before| before.contains(&mark));
                if of.broken.insert(mark) && !is_known {
                    self.news.push(News { rule: at, mark, verdict });
                }
            }
            if let Some(before) = before {
                self.withdrawn.extend(before.difference(&of.broken).map(|mark| (rule.number, *mark)));
            }
        }
    }

    /// Leaves the news of new rules alone.
    pub(super) fn keep_news(&mut self, is_new: impl Fn(usize) -> bool) {
        self.news.retain(|news| is_new(news.rule));
    }

    /// Breaks that were found since the last call.
    pub(super) fn take_news(&mut self) -> Vec<News> {
        std::mem::take(&mut self.news)
    }

    /// Notes breaks that are none by what came later.
    pub(super) fn withdraw(&mut self, found: impl IntoIterator<Item = (u64, Mark)>) {
        self.withdrawn.extend(found);
    }

    /// Breaks that are none by what came later.
    pub(super) fn take_withdrawn(&mut self) -> Vec<(u64, Mark)> {
        std::mem::take(&mut self.withdrawn)
    }
}

impl OfRule {
    /// The mark of the next verdict, which is about this deed: made of ids alone.
    fn mark(&mut self, deed: &Deed) -> Mark {
        let call = call_of(deed);
        let number = match &self.last {
            Some((last, number)) if *last == call => number + 1,
            _ => 0,
        };
        let mark = mark_of(&call, number);
        self.last = Some((call, number));
        mark
    }
}

/// What names a call, or anything else that was done: ids alone.
pub(super) fn call_of(deed: &Deed) -> Vec<u8> {
    let mut call = match &deed.tool_use_id {
        Some(id) => id.clone().into_bytes(),
        None => format!("line {} of {}", deed.line, deed.conversation).into_bytes(),
    };
    call.extend(deed.at.map(Timestamp::micros).unwrap_or_default().to_le_bytes());
    call
}

pub(super) fn mark_of(call: &[u8], number: u32) -> Mark {
    let mut all = call.to_vec();
    all.extend(number.to_le_bytes());
    let Sha256(digest) = Sha256::of(&all);
    let mut mark = Mark::default();
    mark.copy_from_slice(&digest[..16]);
    mark
}
