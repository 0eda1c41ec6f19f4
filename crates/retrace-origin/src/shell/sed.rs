//! `sed -i`, where its script has nothing but substitutions of literal texts and deletions of lines.

use super::lex::Word;
use crate::write::LineEdit;

/// Effect of a call of `sed`.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sed<'w> {
    /// It puts out what it makes.
    Reads,
    /// It changes files.
    Edits { files: Vec<&'w Word>, edits: Vec<LineEdit> },
    /// It changes files in a way that is not followed.
    Unknown { files: Vec<&'w Word> },
}

/// Reads the arguments of `sed`.
pub(super) fn parse(arguments: &[Word]) -> Sed<'_> {
    let mut in_place = false;
    let mut extended = false;
    let mut scripts: Vec<&Word> = Vec::new();
    let mut rest: Vec<&Word> = Vec::new();
    let mut words = arguments.iter();
    let mut understood = true;
    while let Some(word) = words.next() {
        match word.text.as_str() {
            // An empty ending is how the BSDs write it.
            "" if in_place && rest.is_empty() => {}
            "-e" | "--expression" => scripts.extend(words.next()),
            "-E" | "-r" | "--regexp-extended" => extended = true,
            "-f" | "--file" => {
                understood = false;
                scripts.extend(words.next());
            }
            "-ie" => {
                (understood, in_place) = (false, true);
                scripts.extend(words.next());
            }
            "-n" | "--quiet" | "--silent" | "-z" | "-s" => understood = false,
            text if text.starts_with("-i") || text.starts_with("--in-place") => in_place = true,
            text if text.starts_with('-') && text.len() > 1 => {
                understood = false;
                // Letters before it take nothing: `-ni`, `-Ei`.
                in_place |= !text.starts_with("--") && text.contains('i');
            }
            _ => rest.push(word),
        }
    }
    if !in_place {
        return Sed::Reads;
    }
    if scripts.is_empty() && !rest.is_empty() {
        scripts.push(rest.remove(0));
    }
    let edits: Option<Vec<LineEdit>> = scripts
        .iter()
        .flat_map(|script| script.text.split(['\n']).map(move |line| (script, line)))
        .map(|(script, line)| if script.expands { None } else { edits_of(line, extended) })
        .collect::<Option<Vec<_>>>()
        .map(|edits| edits.into_iter().flatten().collect());
    match edits {
        Some(edits) if understood && !edits.is_empty() && !rest.is_empty() => {
            Sed::Edits { files: rest, edits }
        }
        _ => Sed::Unknown { files: rest },
    }
}

/// The commands of one line of a script.
fn edits_of(line: &str, extended: bool) -> Option<Vec<LineEdit>> {
    let mut edits = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        let (edit, after) = edit_of(rest, extended)?;
        edits.push(edit);
        rest = after.trim_start();
        rest = match rest.strip_prefix(';') {
            Some(after) => after.trim_start(),
            None if rest.is_empty() => rest,
            None => return None,
        };
    }
    Some(edits)
}

fn edit_of(text: &str, extended: bool) -> Option<(LineEdit, &str)> {
    if let Some(rest) = text.strip_prefix('s') {
        let mark = rest.chars().next().filter(|mark| mark.is_ascii_punctuation() && *mark != '\\')?;
        let (old, rest) = until(&rest[1..], mark)?;
        let (new, rest) = until(rest, mark)?;
        let (all, rest) = rest.strip_prefix('g').map_or((false, rest), |rest| (true, rest));
        let old = literal(old, mark, extended)?;
        return Some((LineEdit::Replace { old, new: replacement(new, mark)?, all }, rest));
    }
    if let Some(rest) = text.strip_prefix('/') {
        let (pattern, rest) = until(rest, '/')?;
        let with = literal(pattern, '/', extended)?;
        return Some((LineEdit::DeleteWith(with), rest.strip_prefix('d')?));
    }
    let end = text.find(|letter: char| !letter.is_ascii_digit())?;
    let line = text[..end].parse::<u64>().ok().filter(|line| *line > 0)?;
    Some((LineEdit::Delete(line), text[end..].strip_prefix('d')?))
}

/// The text up to a mark that no backslash stands before, and what follows the mark.
fn until(text: &str, mark: char) -> Option<(&str, &str)> {
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            letter if letter == mark => return Some((&text[..at], &text[at + letter.len_utf8()..])),
            _ => {}
        }
    }
    None
}

/// A pattern that stands for itself.
fn literal(pattern: &str, mark: char, extended: bool) -> Option<String> {
    let special = if extended { "*.[]^$+?(){}|" } else { "*.[]^$" };
    let mut text = String::new();
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next()? {
                // A mark may be special itself, and then it is not clear which of both is meant.
                next if next == mark && !special.contains(next) => text.push(next),
                next if next == mark => return None,
                next if special.contains(next) || next == '\\' || next == '/' => text.push(next),
                _ => return None,
            },
            letter if special.contains(letter) => return None,
            letter => text.push(letter),
        }
    }
    (!text.is_empty()).then_some(text)
}

/// A replacement that stands for itself.
fn replacement(new: &str, mark: char) -> Option<String> {
    let mut text = String::new();
    let mut letters = new.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next()? {
                next if next == mark || matches!(next, '&' | '\\' | '/') => text.push(next),
                _ => return None,
            },
            '&' => return None,
            letter => text.push(letter),
        }
    }
    Some(text)
}
