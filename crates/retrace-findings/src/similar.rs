//! Memories that say the same, and lines that contradict each other; offline, by words alone. Which memories are alike is in
//! `likeness`.

use crate::checker::Directory;
use crate::config::Config;
use crate::finding::Span;
use crate::likeness::Likeness;
use crate::page::Page;
use crate::registry::known;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

const NEAR_DUPLICATE: &str = "similar/near-duplicate";
const CONTRADICTION: &str = "similar/contradiction";

/// Words in one shingle.
const SHINGLE: usize = 3;

/// Fewest words two lines must share, in order, to be about the same thing.
const SHARED_WORDS: usize = 5;

/// Wording of one file.
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

impl Wording {
    /// Hashes of its shingles, sorted, each once.
    pub(crate) fn shingles(&self) -> &[u64] {
        &self.shingles
    }

    #[cfg(test)]
    pub(crate) fn of_shingles(shingles: Vec<u64>) -> Self {
        Self { shingles, statements: Vec::new() }
    }
}

/// The words of a page's body, as far as the rules that are on ask for them.
pub(crate) fn wording(page: &Page<'_>, config: &Config) -> Wording {
    let is_on = |rule| config.severity(known(rule)).is_some();
    let body = page.front_matter.as_ref().map_or(0, |found| found.whole.end);
    let text = page.text.as_str();
    let shingles =
        if is_on(NEAR_DUPLICATE) { shingles_of(text.get(body..).unwrap_or("")) } else { Vec::new() };
    if !is_on(CONTRADICTION) {
        return Wording { shingles, statements: Vec::new() };
    }
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

/// Hashes of the word triples of a text, sorted, each once.
pub(crate) fn shingles_of(text: &str) -> Vec<u64> {
    let words: Vec<u64> = word_hashes(text).collect();
    let mut shingles: Vec<u64> = words.windows(SHINGLE).map(triple).collect();
    shingles.sort_unstable();
    shingles.dedup();
    shingles
}

/// The hash of each word in lower case.
fn word_hashes(text: &str) -> impl Iterator<Item = u64> {
    let mut lower = String::new();
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '\'')
        .filter(|word| !word.is_empty())
        .map(move |word| {
            lower.clear();
            if word.is_ascii() {
                lower.push_str(word);
                lower.make_ascii_lowercase();
            } else {
                lower.push_str(&word.to_lowercase());
            }
            hash(lower.as_str())
        })
}

/// One number for some others in their order. The numbers are hashes already, so that mixing them is enough (the finaliser of
/// `SplitMix64`; Steele, Lea and Flood 2014).
fn triple(words: &[u64]) -> u64 {
    words.iter().fold(0, |sum: u64, word| {
        let mut mixed = sum.rotate_left(21).wrapping_add(*word);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    })
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
pub(crate) fn check(directory: &mut Directory<'_>, likeness: &mut Likeness, threads: usize) {
    near_duplicates(directory, likeness, threads);
    contradictions(directory);
}

fn near_duplicates(directory: &mut Directory<'_>, likeness: &mut Likeness, threads: usize) {
    if !directory.asks_for(NEAR_DUPLICATE) {
        return;
    }
    for ((first, second), percent) in likeness.update(&directory.readings, threads) {
        let message = say::word_triples_those(percent, first);
        directory.report(NEAR_DUPLICATE, second, None, message, first);
    }
}

fn contradictions(directory: &mut Directory<'_>) {
    if !directory.asks_for(CONTRADICTION) {
        return;
    }
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
                let message = say::line_says_otherwise(first_path, first.span.start.line);
                found.push(((*path).clone(), statement.span.clone(), message, statement.shown.clone()));
            }
        }
    }
    for (path, span, message, shown) in found {
        directory.report(CONTRADICTION, &path, Some(&span), message, &shown);
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "similar";
    word_triples_those(percent, first) => "{percent} % of the word triples are those of \"{first}\".",
    line_says_otherwise(first_path, line) => "\"{first_path}\" line {line} says otherwise.",
}

#[cfg(test)]
mod tests {
    use super::*;

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
