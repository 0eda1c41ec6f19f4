//! Edits: the lines that came and went between two contents, the form of an edit, by which equal edits of many memories are
//! known, and one difference that stands for all of them. Pure.

use retrace_diff::{DiffKind, DiffOptions, Granularity, Hidden, Tag};
use retrace_model::Sha256;
use std::collections::HashSet;
use std::ops::Range;

/// Larger contents are not compared: a note that many agents edit alike is small.
const LARGEST: usize = 256 << 10;

/// An edit of more lines is not compared with others: it is read by itself.
const MAX_LINES: usize = 64;

/// The form of an edit: half of a SHA-256.
pub(crate) type Form = [u8; 16];

/// A line that came or went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EditLine {
    pub tag: Tag,
    pub text: String,
    /// The stretch that changed, where the line replaces one or is replaced.
    pub changed: Option<Range<usize>>,
    pub hidden: Vec<Hidden>,
}

/// The lines that came and went; `None` where nothing did, a side is no text, or there are too many.
pub(crate) fn edit_lines(old: &[u8], new: &[u8]) -> Option<Vec<EditLine>> {
    if old.len().max(new.len()) > LARGEST {
        return None;
    }
    let options = DiffOptions { context: 0, granularity: Granularity::Lines, ..DiffOptions::default() };
    let diff = retrace_diff::diff(old, new, &options);
    let count = usize::try_from(diff.added.saturating_add(diff.removed)).unwrap_or(usize::MAX);
    if diff.kind == DiffKind::Binary || diff.truncated || count == 0 || count > MAX_LINES {
        return None;
    }
    let mut lines = Vec::new();
    for hunk in diff.hunks {
        let first = lines.len();
        let line = |line: retrace_diff::Line| EditLine {
            tag: line.tag,
            text: line.text,
            changed: None,
            hidden: line.hidden,
        };
        lines.extend(hunk.lines.into_iter().filter(|line| line.tag != Tag::Equal).map(line));
        pair(&mut lines[first..]);
    }
    Some(lines)
}

/// Sets the changed stretches of a hunk in which as many lines came as went: they are paired in their order.
fn pair(lines: &mut [EditLine]) {
    let went = lines.iter().take_while(|line| line.tag == Tag::Delete).count();
    let (gone, come) = lines.split_at_mut(went);
    if gone.is_empty() || gone.len() != come.len() {
        return;
    }
    for (old, new) in gone.iter_mut().zip(come) {
        let (from, to) = stretches(&old.text, &new.text);
        (old.changed, new.changed) = (Some(from), Some(to));
    }
}

/// The stretches of two texts between their common first and last words.
fn stretches(old: &str, new: &str) -> (Range<usize>, Range<usize>) {
    let (from, to): (Vec<&str>, Vec<&str>) = (words(old).collect(), words(new).collect());
    let first = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    let last = from[first..]
        .iter()
        .rev()
        .zip(to[first..].iter().rev())
        .take_while(|(one, other)| one == other)
        .count();
    let length = |words: &[&str]| words.iter().map(|word| word.len()).sum::<usize>();
    let start = length(&from[..first]);
    let (from_end, to_end) = (length(&from[..from.len() - last]), length(&to[..to.len() - last]));
    (start..from_end, start..to_end)
}

/// A text in words: runs of letters, digits and underscores, and every other character by itself.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let is_word = |character: char| character.is_alphanumeric() || character == '_';
        let end = match is_word(first) {
            true => rest.find(|character| !is_word(character)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}

/// The form of an edit. Two edits have the same one when they replace the same words by the same words, or bring and take the
/// same lines, wherever that is and whatever stands beside it; numbers, dates and names with digits count as equal.
pub(crate) fn form(lines: &[EditLine]) -> Form {
    let mut parts: Vec<u8> = Vec::new();
    for line in lines {
        parts.push(if line.tag == Tag::Delete { b'-' } else { b'+' });
        parts.push(if line.changed.is_some() { b'~' } else { b'=' });
        let text = line.changed.clone().and_then(|changed| line.text.get(changed)).unwrap_or(&line.text);
        write_without_numbers(&mut parts, text.trim());
        parts.push(0);
    }
    let mut form = Form::default();
    form.copy_from_slice(&Sha256::of(&parts).0[..16]);
    form
}

/// Writes a text with one sign for each run of letters, digits and what joins them that holds a digit.
fn write_without_numbers(parts: &mut Vec<u8>, text: &str) {
    let joins = |character: char| character.is_alphanumeric() || "_-.:/+".contains(character);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match joins(first) {
            true => rest.find(|character| !joins(character)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (run, after) = rest.split_at(end);
        match run.chars().any(char::is_numeric) {
            true => parts.push(1),
            false => parts.extend_from_slice(run.as_bytes()),
        }
        rest = after;
    }
}

/// A stretch of a line that is not the same in all edits, with the number of different texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Varying {
    pub range: Range<usize>,
    pub values: usize,
}

/// For each line of the first edit the stretches that are otherwise in the others. All edits have as many lines.
pub(crate) fn varying(edits: &[Vec<EditLine>]) -> Vec<Vec<Varying>> {
    let Some(first) = edits.first() else { return Vec::new() };
    (0..first.len())
        .map(|at| {
            let texts: Vec<&str> =
                edits.iter().filter_map(|edit| Some(edit.get(at)?.text.as_str())).collect();
            varying_in(&texts)
        })
        .collect()
}

fn varying_in(texts: &[&str]) -> Vec<Varying> {
    let Some((head, others)) = texts.split_first() else { return Vec::new() };
    if others.iter().all(|other| other == head) {
        return Vec::new();
    }
    let split: Vec<Vec<&str>> = texts.iter().map(|text| words(text).collect()).collect();
    let own = &split[0];
    // Places of stretches in words, first and last of each text.
    let stretches: Vec<Vec<Range<usize>>> = if split.iter().all(|other| other.len() == own.len()) {
        let differs = |at: usize| split.iter().any(|other| other[at] != own[at]);
        let places: Vec<usize> = (0..own.len()).filter(|at| differs(*at)).collect();
        // What joins two words of a name varies with them.
        let joined = |one: &usize, other: &usize| {
            *other - *one <= 2
                && own[*one + 1..*other].iter().all(|word| matches!(*word, "-" | "." | ":" | "/"))
        };
        places.chunk_by(joined).map(|run| vec![run[0]..run[run.len() - 1] + 1; split.len()]).collect()
    } else {
        let shortest = split.iter().map(Vec::len).min().unwrap_or(0);
        let same = |at: &usize| split.iter().all(|other| other[*at] == own[*at]);
        let first = (0..shortest).take_while(same).count();
        let same_end = |back: &usize| {
            split.iter().all(|other| other[other.len() - 1 - back] == own[own.len() - 1 - back])
        };
        let last = (0..shortest - first).take_while(same_end).count();
        vec![split.iter().map(|other| first..other.len() - last).collect()]
    };
    stretches
        .into_iter()
        .map(|ranges| {
            let values: HashSet<String> =
                split.iter().zip(&ranges).map(|(words, range)| words[range.clone()].concat()).collect();
            let length = |words: &[&str]| words.iter().map(|word| word.len()).sum::<usize>();
            let start = length(&own[..ranges[0].start]);
            Varying { range: start..start + length(&own[ranges[0].clone()]), values: values.len() }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(old: &str, new: &str) -> Vec<EditLine> {
        edit_lines(old.as_bytes(), new.as_bytes()).expect("an edit")
    }

    fn note(number: u32, field: &str) -> String {
        format!("# Product {number}\n\n{field}: SKU-{number:04}\nprice: {}\n", number * 3)
    }

    #[test]
    fn the_same_edit_has_one_form_wherever_it_is_made() {
        let forms: HashSet<Form> =
            (1..50).map(|number| form(&edit(&note(number, "sku"), &note(number, "product_id")))).collect();
        assert_eq!(forms.len(), 1);
        assert_ne!(form(&edit(&note(1, "sku"), &note(1, "id"))), *forms.iter().next().expect("one"));
        let dated = |day: u32| form(&edit("# A\n", &format!("# A\nchecked: 2026-11-{day:02}T10:00:00Z\n")));
        assert_eq!(dated(1), dated(22));
        assert_ne!(form(&edit("a\n", "a\nowner: ada\n")), form(&edit("a\n", "a\nowner: bob\n")));
        assert_ne!(form(&edit("a\nb\n", "a\n")), form(&edit("a\n", "a\nb\n")));
    }

    #[test]
    fn what_varies_is_marked_and_counted() {
        let edits: Vec<_> =
            (1..=12).map(|number| edit(&note(number, "sku"), &note(number, "product_id"))).collect();
        let varies = varying(&edits);
        let marked = |at: usize| -> Vec<(&str, usize)> {
            varies[at].iter().map(|one| (&edits[0][at].text[one.range.clone()], one.values)).collect()
        };
        assert_eq!(edits[0].len(), 2);
        assert_eq!((marked(0), marked(1)), (vec![("0001", 12)], vec![("0001", 12)]));
        assert_eq!(edits[0][0].changed, Some(0..3));
        assert_eq!(&edits[0][1].text[edits[0][1].changed.clone().expect("a stretch")], "product_id");
    }

    #[test]
    fn stretches_of_another_length_vary_as_a_whole() {
        let varies = varying_in(&["see [A B](a.md) now", "see [C](c.md) now", "see [A B](a.md) now"]);
        assert_eq!(varies, [Varying { range: 5..11, values: 2 }]);
        assert!(varying_in(&["same", "same"]).is_empty());
        assert_eq!(varying_in(&["", "x"]), [Varying { range: 0..0, values: 2 }]);
    }

    #[test]
    fn what_is_no_text_too_large_or_equal_has_no_edit() {
        assert!(edit_lines(b"a", b"a").is_none());
        assert!(edit_lines(b"a", &[0, 159]).is_none());
        assert!(edit_lines(b"", &vec![b'x'; LARGEST + 1]).is_none());
        assert!(edit_lines(b"", "x\n".repeat(MAX_LINES + 1).as_bytes()).is_none());
    }
}
