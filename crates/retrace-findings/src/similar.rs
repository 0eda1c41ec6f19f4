//! Memories that say the same, and lines that contradict each other; offline, by words alone.
//!
//! Likeness is the Jaccard index of word 3-grams (shingles; Broder 1997), exact. Pairs are found through the shingles they
//! share, those in very many files left out, so that a directory of ten thousand files is no square.

use crate::checker::Directory;
use crate::finding::Span;
use crate::page::Page;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Words in one shingle.
const SHINGLE: usize = 3;

/// Fewest shingles of a memory that is compared; shorter ones are alike by chance.
const FEWEST: usize = 12;

/// Likeness from which two memories are near-duplicates, in percent: six times the most that two different memories of four
/// recorded histories have in common (5 %), and what nine of ten versions of one memory have in common with the one before.
/// docs/FINDINGS.md has how it was measured.
const ALIKE_PERCENT: usize = 30;

/// A shingle in more memories than this is a figure of speech and finds no pairs.
const COMMON: usize = 40;

/// Fewest words two lines must share, in order, to be about the same thing.
const SHARED_WORDS: usize = 5;

/// What one file says, in words.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wording {
    /// Hashes of its shingles, sorted, each once.
    shingles: Vec<u64>,
    statements: Vec<Statement>,
}

/// One line without its values.
#[derive(Clone, Debug)]
struct Statement {
    /// Hash of the words that are neither values nor yes or no.
    frame: u64,
    values: Vec<String>,
    negative: bool,
    span: Span,
    shown: String,
}

/// The words of a page's body.
pub(crate) fn wording(page: &Page<'_>) -> Wording {
    let body = page.front_matter.as_ref().map_or(0, |found| found.whole.end);
    let text = page.text.as_str();
    let words: Vec<String> = words(text.get(body..).unwrap_or("")).collect();
    let mut shingles: Vec<u64> = words.windows(SHINGLE).map(hash).collect();
    shingles.sort_unstable();
    shingles.dedup();
    let statements = page
        .text
        .lines()
        .filter(|(range, _)| range.start >= body)
        .filter_map(|(range, line)| {
            let (frame, values, negative) = statement(line)?;
            Some(Statement { frame, values, negative, shown: page.shown(&range), span: page.span(&range) })
        })
        .collect();
    Wording { shingles, statements }
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '\'')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

fn hash<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// A line as frame, values and whether it forbids; `None` when it is too short to be compared.
fn statement(line: &str) -> Option<(u64, Vec<String>, bool)> {
    let (mut frame, mut values, mut negative) = (Vec::new(), Vec::new(), false);
    for word in line.split_whitespace() {
        let bare = word
            .trim_matches(|letter: char| !letter.is_alphanumeric() && !"/_".contains(letter))
            .to_lowercase();
        match bare.as_str() {
            "" | "the" | "a" | "an" | "is" | "are" | "be" => {}
            "not" | "never" | "no" | "don't" | "doesn't" | "isn't" | "cannot" | "without" | "avoid" => {
                negative = !negative;
            }
            "always" | "must" | "should" | "do" | "does" => {}
            value if value.chars().any(|letter| letter.is_ascii_digit()) || value.contains('/') => {
                values.push(bare);
            }
            _ => frame.push(bare),
        }
    }
    (frame.len() >= SHARED_WORDS).then(|| (hash(&frame), values, negative))
}

/// Rules over all memories of a directory.
pub(crate) fn check(directory: &mut Directory<'_>) {
    near_duplicates(directory);
    contradictions(directory);
}

fn near_duplicates(directory: &mut Directory<'_>) {
    let files: Vec<(&String, &[u64])> = directory
        .readings
        .iter()
        .map(|(path, reading)| (path, reading.wording.shingles.as_slice()))
        .filter(|(_, shingles)| shingles.len() >= FEWEST)
        .collect();
    // Sorting millions of shingles takes a fraction of what a map of them takes.
    let mut holders: Vec<(u64, u32)> = Vec::new();
    for (index, (_, shingles)) in files.iter().enumerate() {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        holders.extend(shingles.iter().map(|shingle| (*shingle, index)));
    }
    holders.sort_unstable();
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let same = holders.chunk_by(|one, other| one.0 == other.0);
    for holders in same.filter(|holders| (2..=COMMON).contains(&holders.len())) {
        for (at, (_, first)) in holders.iter().enumerate() {
            pairs.extend(holders[at + 1..].iter().map(|(_, second)| (*first, *second)));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    let mut found = Vec::new();
    for (first, second) in pairs {
        let (Some(a), Some(b)) = (files.get(first as usize), files.get(second as usize)) else { continue };
        let alike = percent_alike(a.1, b.1);
        if alike >= ALIKE_PERCENT {
            found.push((
                b.0.clone(),
                format!("{alike} % of the word triples are those of \"{}\".", a.0),
                a.0.clone(),
            ));
        }
    }
    for (path, message, other) in found {
        directory.report("similar/near-duplicate", &path, None, message, &other);
    }
}

/// The Jaccard index of two sorted sets, in percent, rounded down.
fn percent_alike(a: &[u64], b: &[u64]) -> usize {
    let (mut at, mut other, mut shared) = (0, 0, 0);
    while let (Some(one), Some(two)) = (a.get(at), b.get(other)) {
        match one.cmp(two) {
            std::cmp::Ordering::Less => at += 1,
            std::cmp::Ordering::Greater => other += 1,
            std::cmp::Ordering::Equal => {
                shared += 1;
                at += 1;
                other += 1;
            }
        }
    }
    let all = a.len() + b.len() - shared;
    (shared * 100).checked_div(all).unwrap_or(0)
}

fn contradictions(directory: &mut Directory<'_>) {
    let mut by_frame: BTreeMap<u64, Vec<(&String, &Statement)>> = BTreeMap::new();
    for (path, reading) in &directory.readings {
        for statement in &reading.wording.statements {
            by_frame.entry(statement.frame).or_default().push((path, statement));
        }
    }
    let mut found = Vec::new();
    for statements in by_frame.into_values() {
        let Some((first_path, first)) = statements.first() else { continue };
        for (path, statement) in statements.iter().skip(1).filter(|(path, _)| path != first_path) {
            let otherwise = statement.negative != first.negative
                || statement.values.len() == first.values.len() && statement.values != first.values;
            if otherwise {
                let message = format!("\"{}\" line {} says otherwise.", first_path, first.span.start.line);
                found.push(((*path).clone(), statement.span.clone(), message, statement.shown.clone()));
            }
        }
    }
    for (path, span, message, shown) in found {
        directory.report("similar/contradiction", &path, Some(span), message, &shown);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shingles(text: &str) -> Vec<u64> {
        let words: Vec<String> = words(text).collect();
        let mut shingles: Vec<u64> = words.windows(SHINGLE).map(hash).collect();
        shingles.sort_unstable();
        shingles.dedup();
        shingles
    }

    #[test]
    fn likeness_in_percent() {
        let a = shingles("run the formatter before each commit and push");
        assert_eq!(percent_alike(&a, &a), 100);
        assert_eq!(percent_alike(&a, &shingles("nothing in common with that other one")), 0);
        assert_eq!(percent_alike(&a, &[]), 0);
        assert_eq!(percent_alike(&[], &[]), 0);
        // Six triples and six, of which five are shared.
        assert_eq!(percent_alike(&a, &shingles("run the formatter before each commit and wait")), 71);
    }

    #[test]
    fn lines_that_say_otherwise() {
        let of = |line: &str| statement(line).unwrap();
        let one = of("- The staging server listens on port 3000 behind nginx");
        let other = of("* staging server listens on port 4000 behind nginx.");
        assert_eq!(one.0, other.0);
        assert_ne!(one.1, other.1);
        let always = of("Always run the database migrations before deploying");
        let never = of("Never run the database migrations before deploying");
        assert_eq!(always.0, never.0);
        assert_ne!(always.2, never.2);
        assert!(statement("too short").is_none());
    }
}
