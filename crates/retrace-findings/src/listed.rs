//! Findings while rules run: of one rule in one file the first thousand are listed, the others are counted.
//!
//! A finding takes some hundred bytes more than the characters it is about, and a file can hold one every two bytes.

use crate::finding::{Behind, Finding, Rest};
use crate::registry::Rule;
use crate::remedy::Remedy;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Findings of one rule in one file that are listed one by one.
pub(crate) const MAX_LISTED: usize = 1_000;

/// Findings while rules run.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    findings: Vec<Finding>,
    /// By path, for each rule that found something there.
    tallies: HashMap<String, Vec<Tally>>,
    every_place: bool,
    /// True if the finding reported last is listed.
    last_is_listed: bool,
}

/// Number of findings of a rule in one file. Findings that a comment allows are counted apart.
#[derive(Debug)]
struct Tally {
    rule: &'static Rule,
    is_allowed: bool,
    found: usize,
    /// Index of the finding listed last.
    last: usize,
}

impl Listed {
    /// An empty list; with `every_place` each finding is listed, however many there are.
    pub(crate) fn new(every_place: bool) -> Self {
        Self { every_place, ..Self::default() }
    }

    /// Counts a finding of `rule`, which ends on `line` and is about `found`. True if the caller has to [push](Self::push) it.
    pub(crate) fn counts(
        &mut self,
        rule: &'static Rule,
        path: &str,
        is_allowed: bool,
        (line, found): (u32, &str),
    ) -> bool {
        self.last_is_listed = true;
        if self.every_place {
            return true;
        }
        if !self.tallies.contains_key(path) {
            self.tallies.insert(path.to_owned(), Vec::new());
        }
        let Some(tallies) = self.tallies.get_mut(path) else { return true };
        let same = |tally: &Tally| std::ptr::eq(tally.rule, rule) && tally.is_allowed == is_allowed;
        let at = tallies.iter().position(same).unwrap_or_else(|| {
            tallies.push(Tally { rule, is_allowed, found: 0, last: 0 });
            tallies.len() - 1
        });
        let tally = &mut tallies[at];
        tally.found += 1;
        if tally.found <= MAX_LISTED {
            tally.last = self.findings.len();
            return true;
        }
        self.last_is_listed = false;
        if let Some(last) = self.findings.get_mut(tally.last) {
            last.rest.add(line, found);
        }
        false
    }

    /// Lists a finding.
    pub(crate) fn push(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// Puts an act before the others of the finding that was reported last, if it is of `rule` and listed.
    pub(crate) fn mended_by(&mut self, rule: &str, remedy: Remedy) {
        let last = self.findings.last_mut().filter(|last| self.last_is_listed && last.rule.id == rule);
        if let Some(last) = last {
            last.remedies.insert(0, remedy);
        }
    }

    /// Says what text the finding that was reported last is about as well, if it is of `rule` and listed.
    pub(crate) fn with_text_behind(&mut self, rule: &str, text: &str) {
        let last = self.findings.last_mut().filter(|last| self.last_is_listed && last.rule.id == rule);
        if let Some(last) = last {
            last.behind = Behind::of(text);
        }
    }

    /// The listed findings, in the order of their reports.
    pub(crate) fn done(self) -> Vec<Finding> {
        self.findings
    }
}

impl Rest {
    fn add(&mut self, line: u32, found: &str) {
        let mut hasher = DefaultHasher::new();
        found.hash(&mut hasher);
        self.count += 1;
        self.last_line = self.last_line.max(line);
        // A sum, so that the order of lines does not matter.
        self.digest = self.digest.wrapping_add(hasher.finish());
    }
}

#[cfg(test)]
mod tests {
    use super::MAX_LISTED;
    use crate::{Baseline, Checker, Config, Content, File, Finding, Surroundings, check_one, new_since};
    use retrace_model::Sha256;

    fn check(text: &str) -> Vec<Finding> {
        check_one("a.md", text.as_bytes(), &Config::default())
    }

    #[test]
    fn beyond_the_thousandth_findings_are_counted() {
        for places in [MAX_LISTED, MAX_LISTED + 1, 5 * MAX_LISTED] {
            let text = "a\u{200b}b\u{202e}\n".repeat(places);
            let found = check(&text);
            for rule in ["hidden/zero-width", "hidden/bidi"] {
                let of: Vec<_> = found.iter().filter(|finding| finding.rule.id == rule).collect();
                assert_eq!(of.len(), MAX_LISTED, "{places} of {rule}");
                assert_eq!(of.iter().map(|finding| finding.count()).sum::<u64>(), places as u64);
                assert_eq!(of.last().expect("there are some").count(), (places - MAX_LISTED + 1) as u64);
            }
        }
    }

    #[test]
    fn every_place_is_listed_where_the_caller_needs_it() {
        let config = Config::default().with_every_place();
        let text = "a\u{200b}b\u{202e}\n".repeat(3 * MAX_LISTED);
        assert_eq!(check_one("a.md", text.as_bytes(), &config).len(), 6 * MAX_LISTED);
    }

    #[test]
    fn findings_that_comments_allow_take_no_place_of_others() {
        let allowed = "a\u{200b}b <!-- retrace-allow: hidden/zero-width -->\n\n".repeat(2 * MAX_LISTED);
        let found = check(&format!("{allowed}\n\na\u{200b}b\n"));
        let lines: Vec<_> = found.iter().map(|finding| finding.position().line as usize).collect();
        assert_eq!(lines, [4 * MAX_LISTED + 3]);
    }

    #[test]
    fn a_change_among_the_counted_findings_is_new() {
        let text = |places: usize| "a\u{200b}b\n".repeat(places);
        let (before, after) = (check(&text(1_500)), check(&text(1_510)));
        let new = new_since(&before, &after);
        assert_eq!(new.iter().map(Finding::count).collect::<Vec<_>>(), [10]);
        assert!(new_since(&after, &after).is_empty());
        assert!(new_since(&after, &before).is_empty(), "fewer are nothing new");
        let exchanged = check(&format!("{}a\u{200c}b\n", text(1_499)));
        assert_eq!(new_since(&before, &exchanged).iter().map(Finding::count).collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn what_is_written_below_the_cut_of_an_index_is_new() {
        let index = |lines: &[&str]| {
            let loaded: String = (0..200).map(|line| format!("- [a{line}](a{line}.md)\n")).collect();
            let text =
                format!("{loaded}{}", lines.iter().map(|line| format!("{line}\n")).collect::<String>());
            check_one("MEMORY.md", text.as_bytes(), &Config::default())
        };
        let new = |before: &[&str], after: &[&str]| {
            let new = new_since(&index(before), &index(after));
            new.iter().map(|finding| finding.rule.id.as_str()).collect::<Vec<_>>()
        };
        let before = ["- first", "- second", "- third"];
        assert_eq!(new(&[], &before), ["limits/index-cut"]);
        assert_eq!(new(&before, &["- first", "- second", "- third", "- more"]), ["limits/index-cut"]);
        assert_eq!(new(&before, &["- first", "- second", "- other"]), ["limits/index-cut"]);
        assert_eq!(new(&before, &before), [""; 0]);
        assert_eq!(new(&before, &["- first", "- second"]), [""; 0], "less is nothing new");
    }

    #[test]
    fn a_baseline_accepts_as_many_as_there_were() {
        let text = |places: usize| "a\u{200b}b\n".repeat(places);
        let baseline = Baseline::of(&check(&text(1_500)), [7; 16]);
        assert!(baseline.divide(check(&text(1_500))).0.is_empty());
        assert_eq!(baseline.divide(check(&text(1_501))).0.len(), 1);
    }

    #[test]
    fn links_of_a_directory_are_no_exception() {
        let text = "[a](b.md)\n".repeat(3 * MAX_LISTED);
        let content = Content::Bytes(Sha256::of(text.as_bytes()), text.as_bytes());
        let file = File { path: "a.md", size: text.len() as u64, content };
        let report = Checker::new(Config::default(), 1).check(&[file], &Surroundings::default());
        let missing = report.findings.iter().filter(|finding| finding.rule.id == "links/missing-file");
        assert_eq!(
            missing.map(Finding::count).collect::<Vec<_>>().iter().sum::<u64>(),
            3 * MAX_LISTED as u64
        );
        assert!(report.findings.len() < 2 * MAX_LISTED);
    }
}
