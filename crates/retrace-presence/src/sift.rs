//! Which files the lines of a text are of. The words themselves decide: lines that follow each other, enough of which are of one
//! file alone. What the call names is a second source: of a file that it names, a line that is common elsewhere may count.

use crate::lines::{BLANK, GAP, Weight, hash, split};
use crate::numbered::is_blank;
use crate::shelf::{Claim, Line, Text};
use crate::sought::{Hit, Holders, Owner, Sought};
use std::collections::BTreeMap;
use std::ops::Range;

/// How a call names a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Naming {
    /// It does not.
    No,
    /// It names a directory above it, or a pattern.
    Below,
    /// By its path.
    Exact,
}

/// Letters and words that lines of one file alone need, where the call does not name it.
const ALONE_LETTERS: usize = 12;
const ALONE_WORDS: usize = 3;

/// Lines and letters of a stretch that is a file's though every line is another's, too: a copy.
const COPY_LINES: usize = 3;
const COPY_LETTERS: usize = 60;

/// Letters of a line that says anything.
const ANY_LETTERS: usize = 3;

/// Lines that were picked out of a text, of one file.
pub(crate) struct Picked {
    pub owner: u32,
    pub text: Text,
    pub words: Vec<String>,
}

/// The lines of a text by file. `naming` says how the call that brought the text names a file.
pub(crate) fn sift(sought: &Sought, text: &str, naming: &dyn Fn(&Owner) -> Naming) -> Vec<Picked> {
    let hits = sought.hits(text);
    let mut of_owner: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (at, hit) in hits.iter().enumerate() {
        let Holders::Few(few) = hit.holders else { continue };
        for owner in few {
            if sought.owner(*owner).is_some_and(|owner| fits(owner, hit.path)) {
                of_owner.entry(*owner).or_default().push(at);
            }
        }
    }
    if of_owner.is_empty() {
        return Vec::new();
    }
    let named: BTreeMap<u32, Naming> =
        of_owner.keys().filter_map(|at| Some((*at, naming(sought.owner(*at)?)))).collect();
    let sifting = Sifting { sought, lines: Lines::of(text, &hits), hits: &hits, named: &named };
    of_owner.iter().flat_map(|(owner, own)| sifting.of_owner(*owner, own)).collect()
}

/// True if a path in a text may be of a file.
fn fits(owner: &Owner, path: Option<&str>) -> bool {
    let Some(path) = path else { return true };
    let path = path.trim_start_matches("./");
    let ends = |whole: &String| {
        let before = whole.strip_suffix(path);
        before.is_some_and(|before| before.is_empty() || before.ends_with('/') || path.starts_with('/'))
    };
    owner.paths.iter().any(ends)
}

/// The lines of a text.
struct Lines {
    /// By line: the hit that it is.
    hits: Vec<Option<usize>>,
    /// By line: lines before it that are no white space.
    said: Vec<usize>,
    /// By line: lines before it that are neither white space nor common.
    hard: Vec<usize>,
}

impl Lines {
    fn of(text: &str, hits: &[Hit<'_, '_>]) -> Self {
        let all: Vec<&str> = split(text).collect();
        let mut of_line = vec![None; all.len()];
        for (at, hit) in hits.iter().enumerate() {
            of_line[hit.at] = Some(at);
        }
        let (mut said, mut hard) = (vec![0; all.len() + 1], vec![0; all.len() + 1]);
        for (at, line) in all.iter().enumerate() {
            let hit = of_line[at].map(|hit| hits[hit].holders);
            let is_said = hit.is_some() || !is_blank(line);
            said[at + 1] = said[at] + usize::from(is_said);
            hard[at + 1] = hard[at] + usize::from(is_said && !matches!(hit, Some(Holders::Many)));
        }
        Self { hits: of_line, said, hard }
    }

    /// Lines of a range that are no white space.
    fn said(&self, range: &Range<usize>) -> usize {
        self.said[range.end] - self.said[range.start]
    }

    /// True if nothing but white space and common lines is in a range.
    fn is_soft(&self, range: Range<usize>) -> bool {
        self.hard[range.end] == self.hard[range.start]
    }

    /// A range with the common lines and white space around it.
    fn widened(&self, range: Range<usize>) -> Range<usize> {
        let before = self.hard.partition_point(|hard| *hard < self.hard[range.start]);
        let after = self.hard.partition_point(|hard| *hard <= self.hard[range.end]);
        before.min(range.start)..(after - 1).max(range.end).min(self.hits.len())
    }
}

struct Sifting<'a, 't> {
    sought: &'a Sought,
    lines: Lines,
    hits: &'a [Hit<'a, 't>],
    named: &'a BTreeMap<u32, Naming>,
}

impl Sifting<'_, '_> {
    /// What is one file's, and what may be: `own` are its lines, in order.
    fn of_owner(&self, owner: u32, own: &[usize]) -> Vec<Picked> {
        let naming = self.naming(owner);
        let stretches = self.stretches(own);
        let count: usize = stretches.iter().map(|(range, _)| self.lines.said(range)).sum();
        if naming == Naming::Exact && count == self.lines.said(&(0..self.lines.hits.len())) {
            // The call names the file, and puts out nothing else.
            return self
                .picked(owner, Claim::Whole, stretches.into_iter().map(|(range, _)| range))
                .into_iter()
                .collect();
        }
        let (mut sure, mut unsure) = (Vec::new(), Vec::new());
        for (range, own) in stretches {
            if self.is_of(owner, naming, own) {
                sure.push(range);
            } else if naming > Naming::No && !self.is_explained(owner, naming, own) {
                unsure.push(range);
            }
        }
        let sure = self.picked(owner, Claim::Sifted, sure.into_iter());
        let unsure = self.picked(owner, Claim::Doubtful, unsure.into_iter());
        sure.into_iter().chain(unsure).collect()
    }

    fn naming(&self, owner: u32) -> Naming {
        self.named.get(&owner).copied().unwrap_or(Naming::No)
    }

    /// Lines of a file that follow each other, what is common between and around them included.
    fn stretches<'o>(&self, own: &'o [usize]) -> Vec<(Range<usize>, &'o [usize])> {
        let at = |hit: usize| self.hits[hit].at;
        let parts = own.chunk_by(|one, other| self.lines.is_soft(at(*one) + 1..at(*other)));
        let range = |part: &[usize]| {
            let (first, last) = (part.first().copied().unwrap_or(0), part.last().copied().unwrap_or(0));
            self.lines.widened(at(first)..at(last) + 1)
        };
        parts.map(|part| (range(part), part)).collect()
    }

    /// True if lines that follow each other are of a file.
    fn is_of(&self, owner: u32, naming: Naming, own: &[usize]) -> bool {
        let (mut alone, mut all) = (Weight::default(), 0);
        for hit in own.iter().map(|at| &self.hits[*at]) {
            let weight = Weight::of(hit.text);
            all += weight.letters;
            if !self.is_alone(hit, owner, naming) {
                continue;
            }
            let is_enough = match naming {
                // The text names the file, too.
                Naming::Below | Naming::Exact if hit.path.is_some() => true,
                Naming::Exact => weight.letters >= ANY_LETTERS,
                Naming::Below => hit.is_telling,
                Naming::No => false,
            };
            if is_enough {
                return true;
            }
            alone.words += weight.words;
            alone.letters += weight.letters;
        }
        (alone.letters >= ALONE_LETTERS && alone.words >= ALONE_WORDS)
            || (own.len() >= COPY_LINES && all >= COPY_LETTERS)
    }

    /// True if no other file has a line that the call names as well as this one.
    fn is_alone(&self, hit: &Hit<'_, '_>, owner: u32, naming: Naming) -> bool {
        let Holders::Few(few) = hit.holders else { return false };
        few.iter().filter(|other| **other != owner).all(|other| {
            let told = |at: u32| self.sought.owner(at).and_then(|owner| owner.paths.first());
            let is_there = self.sought.owner(*other).is_some_and(|other| fits(other, hit.path));
            // A file that was deleted and made again has one path.
            !is_there || told(*other) == told(owner) || self.naming(*other) < naming
        })
    }

    /// True if each line is one of a file that the call names better.
    fn is_explained(&self, owner: u32, naming: Naming, own: &[usize]) -> bool {
        own.iter().all(|at| match self.hits[*at].holders {
            Holders::Few(few) => few.iter().any(|other| *other != owner && self.naming(*other) > naming),
            Holders::Many => false,
        })
    }

    fn picked(&self, owner: u32, claim: Claim, ranges: impl Iterator<Item = Range<usize>>) -> Option<Picked> {
        let mut picked =
            Picked { owner, text: Text { is_loose: true, claim, ..Text::default() }, words: Vec::new() };
        let mut push = |number: u32, hash: u64, words: &str| {
            picked.text.lines.push(Line { number, hash });
            picked.words.push(words.to_owned());
        };
        let mut end = None;
        for range in ranges {
            if end.is_some_and(|end| end < range.start) {
                push(0, GAP, "");
            }
            end = Some(range.end);
            for at in range {
                match self.lines.hits[at].map(|hit| &self.hits[hit]) {
                    Some(hit) => push(hit.number, hash(hit.text), hit.text),
                    None => push(0, BLANK, ""),
                }
            }
        }
        (!picked.text.lines.is_empty()).then_some(picked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHARED: &str = "- stands in both files";

    fn sought() -> Sought {
        let mut sought = Sought::default();
        let of = |name: &str| {
            format!(
                "---\ntype: note\n---\n## Notes\n- {name}-1: first word of it\n{SHARED}\n\n- {name}-2: second word\nend\n"
            )
        };
        for name in ["a", "b"] {
            sought.add(name, &[format!("/m/{name}.md")], &of(name));
        }
        for number in 0..20 {
            sought.add(&number.to_string(), &[format!("/n/{number}.md")], "---\ntype: note\n---\n## Notes\n");
        }
        sought
    }

    /// By file: the claim and the lines.
    fn sifted(text: &str, naming: &dyn Fn(&Owner) -> Naming) -> Vec<(String, Claim, Vec<String>)> {
        let sought = sought();
        let told = sift(&sought, text, naming).into_iter().map(|picked| {
            let path = sought.owner(picked.owner).map(|owner| owner.paths[0].clone());
            (path.unwrap_or_default(), picked.text.claim, picked.words)
        });
        told.collect()
    }

    fn nobody(_: &Owner) -> Naming {
        Naming::No
    }

    fn a_alone(owner: &Owner) -> Naming {
        if owner.paths[0] == "/m/a.md" { Naming::Exact } else { Naming::No }
    }

    #[test]
    fn the_words_decide_where_no_file_is_named() {
        let text = "x\n---\ntype: note\n- a-1: first word of it\ny\n- b-2: second word\n";
        let told = sifted(text, &nobody);
        assert_eq!(told.len(), 2, "{told:?}");
        assert_eq!(told[0].0, "/m/a.md");
        assert_eq!(told[0].2, ["---", "type: note", "- a-1: first word of it"]);
        assert_eq!((told[1].0.as_str(), told[1].1), ("/m/b.md", Claim::Sifted));
    }

    #[test]
    fn a_common_line_is_of_no_file() {
        for text in ["---\n", "## Notes\n", "---\ntype: note\n---\n", SHARED, "end\n"] {
            assert_eq!(sifted(text, &nobody), [], "{text}");
        }
    }

    #[test]
    fn of_a_file_that_is_named_a_common_line_counts_alone_and_else_is_doubtful() {
        let told = sifted(SHARED, &a_alone);
        assert_eq!((told[0].0.as_str(), told[0].1), ("/m/a.md", Claim::Whole));
        let told = sifted("end\nother", &|_| Naming::Below);
        assert!(told.iter().all(|(_, claim, _)| *claim == Claim::Doubtful) && told.len() == 2, "{told:?}");
        let told = sifted(&format!("/m/a.md:6:{SHARED}\n/m/b.md:6:{SHARED}"), &|_| Naming::Below);
        assert!(told.iter().all(|(_, claim, _)| *claim == Claim::Sifted) && told.len() == 2, "{told:?}");
    }
}
