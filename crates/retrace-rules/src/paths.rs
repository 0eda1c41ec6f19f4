//! Compares paths with patterns of paths. A part of a path that only the shell knows stands as it was written.

use crate::matching::Answer;
use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

/// Patterns of paths, compiled.
#[derive(Clone, Debug)]
pub struct Paths {
    files: Set,
    /// Directories of which all is named.
    directories: Set,
}

/// Globs, and the same as parts, for paths that are not known whole.
#[derive(Clone, Debug)]
struct Set {
    globs: GlobSet,
    parts: Vec<Vec<Part>>,
}

/// A part of a path or of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Letter(char),
    /// A letter within a name.
    One,
    /// The same, at the beginning of what a star stands for: the shell finds no hidden file.
    OneVisible,
    /// Any text within a name.
    Name,
    /// Any text.
    Any,
}

/// Most steps of one comparison of parts; what is longer may match.
const MOST_STEPS: usize = 1 << 20;

/// Stands for a text that nobody knows: no pattern names it.
const SOMETHING: &str = "\u{1}";

impl Paths {
    /// Compiles patterns; what cannot be compiled matches nothing.
    #[must_use]
    pub fn of(patterns: &[String]) -> Self {
        Self {
            files: Set::of(patterns.iter().map(String::as_str)),
            directories: Set::of(patterns.iter().filter_map(|pattern| directory_of(pattern))),
        }
    }

    /// True if a path, its part below `directory`, or its part below the home that `directory` tells, matches.
    #[must_use]
    pub fn matches(&self, path: &str, directory: Option<&str>) -> bool {
        ways(path, directory).iter().any(|path| self.files.globs.is_match(path))
    }

    /// Whether a file that a command writes matches; `with_all_below` where all below it is changed as well.
    #[must_use]
    pub fn written(&self, path: &str, directory: Option<&str>, with_all_below: bool) -> Answer {
        let sets: &[&Set] = if with_all_below { &[&self.files, &self.directories] } else { &[&self.files] };
        let mut answer = Answer::No;
        for path in ways(path, directory) {
            for set in sets {
                match set.has(&path) {
                    Answer::Yes => return Answer::Yes,
                    Answer::Unknown => answer = Answer::Unknown,
                    Answer::No => {}
                }
            }
        }
        answer
    }
}

impl Set {
    fn of<'p>(patterns: impl Iterator<Item = &'p str>) -> Self {
        let (mut set, mut parts) = (GlobSetBuilder::new(), Vec::new());
        for pattern in patterns {
            let globs = path_globs(pattern).unwrap_or_default();
            // What only the shell knows is hardly a directory that is called as a file: `$DIR/a` is no file below `.env`.
            let last = pattern.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            let of_parts = if last.contains('.') { 1 } else { globs.len() };
            parts.extend(globs.iter().take(of_parts).map(|glob| parts_of_pattern(glob.glob())));
            for glob in globs {
                set.add(glob);
            }
        }
        Self { globs: set.build().unwrap_or_default(), parts }
    }

    /// Whether a path is in it: with every text for what only the shell knows, with some, or with none.
    fn has(&self, path: &str) -> Answer {
        let parts = parts_of_path(path);
        if parts.iter().all(|part| matches!(part, Part::Letter(_))) {
            return Answer::from(self.globs.is_match(path));
        }
        let with = |any: &str| {
            let text = |part: &Part| match part {
                Part::Letter(letter) => letter.to_string(),
                Part::Any => any.to_owned(),
                Part::One | Part::OneVisible | Part::Name => SOMETHING.to_owned(),
            };
            parts.iter().map(text).collect::<String>()
        };
        let deep = format!("{SOMETHING}/{SOMETHING}");
        if [SOMETHING, &deep].into_iter().all(|any| self.globs.is_match(with(any))) {
            return Answer::Yes;
        }
        let mut whole = parts;
        if !matches!(whole.first(), Some(Part::Letter('/') | Part::Any)) {
            whole.insert(0, Part::Letter('/'));
        }
        if self.parts.iter().any(|pattern| may_meet(&whole, pattern)) { Answer::Unknown } else { Answer::No }
    }
}

/// True if a path that a command names has no part that only the shell knows.
pub(crate) fn is_known(path: &str) -> bool {
    parts_of_path(path).iter().all(|part| matches!(part, Part::Letter(_)))
}

/// A path as a pattern may name it: whole, below a directory, and below `~` or the home that stands for.
fn ways(path: &str, directory: Option<&str>) -> Vec<String> {
    let mut ways = vec![path.to_owned()];
    let Some(directory) = directory else { return ways };
    let below = |path: &str, directory: &str| {
        path.strip_prefix(directory).filter(|rest| rest.starts_with('/')).map(str::to_owned)
    };
    ways.extend(path.strip_prefix(directory).map(|rest| rest.trim_start_matches('/').to_owned()));
    if let Some(home) = home_of(directory) {
        ways.extend(below(path, home).map(|rest| format!("~{rest}")));
        ways.extend(below(path, "~").map(|rest| format!("{home}{rest}")));
    }
    ways
}

/// The home below which a directory lies, as systems name homes.
fn home_of(directory: &str) -> Option<&str> {
    if directory == "/root" || directory.starts_with("/root/") {
        return Some("/root");
    }
    let below = ["/home/", "/Users/", "C:/Users/"].into_iter().find(|homes| directory.starts_with(homes))?;
    let rest = &directory[below.len()..];
    let name = rest.split('/').next().filter(|name| !name.is_empty())?;
    Some(&directory[..below.len() + name.len()])
}

/// The parts of a path that a command names. Known to the shell alone are variables, substitutions, stars, and `{}`, for which a program
/// puts in what it found.
fn parts_of_path(path: &str) -> Vec<Part> {
    let mut parts = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some(letter) = rest.chars().next() {
        let begins = matches!(parts.last(), None | Some(Part::Letter('/')));
        let unknown = unknown_at(rest);
        match letter {
            _ if unknown > 0 => parts.push(Part::Any),
            '*' if begins => parts.extend([Part::OneVisible, Part::Name]),
            '*' => parts.push(Part::Name),
            '?' => parts.push(if begins { Part::OneVisible } else { Part::One }),
            letter => parts.push(Part::Letter(letter)),
        }
        rest = &rest[unknown.max(letter.len_utf8())..];
    }
    parts
}

/// The length of what only the shell knows, of any text, where a text begins with it.
pub(crate) fn unknown_at(text: &str) -> usize {
    if text.starts_with("{}") || text.starts_with("**") {
        return 2;
    }
    if let Some(inner) = text.strip_prefix('`') {
        return inner.find('`').map_or(text.len(), |end| end + 2);
    }
    let Some(inner) = text.strip_prefix('$') else { return 0 };
    match inner.chars().next() {
        Some(open @ ('{' | '(')) => {
            let close = if open == '{' { '}' } else { ')' };
            let mut depth = 0_usize;
            for (at, letter) in inner.char_indices() {
                depth += usize::from(letter == open);
                depth -= usize::from(letter == close);
                if depth == 0 {
                    return 1 + at + letter.len_utf8();
                }
            }
            text.len()
        }
        Some(letter) if letter.is_ascii_alphabetic() || letter == '_' => {
            let end = inner.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
            1 + end.unwrap_or(inner.len())
        }
        Some(letter) if letter.is_ascii_digit() || "@*#?!$".contains(letter) => 2,
        _ => 0,
    }
}

/// The parts of a pattern. Where it has more than stars, it may match more than it does.
fn parts_of_pattern(pattern: &str) -> Vec<Part> {
    let mut parts = Vec::with_capacity(pattern.len());
    // `**/a` is `a` as well; a path begins with a slash here.
    let mut rest = match pattern.strip_prefix("**/") {
        Some(rest) => {
            parts.extend([Part::Any, Part::Letter('/')]);
            rest
        }
        None => pattern,
    };
    while let Some(letter) = rest.chars().next() {
        let close = match letter {
            '{' => rest.find('}'),
            '[' => rest.find(']'),
            _ => None,
        };
        let (part, length) = match (letter, close) {
            ('{', Some(end)) => (Part::Any, end + 1),
            ('[', Some(end)) => (Part::One, end + 1),
            _ if rest.starts_with("**/") => (Part::Any, 3),
            _ if rest.starts_with("**") => (Part::Any, 2),
            ('*', _) => (Part::Name, 1),
            ('?', _) => (Part::One, 1),
            (letter, _) => (Part::Letter(letter), letter.len_utf8()),
        };
        parts.push(part);
        rest = &rest[length..];
    }
    parts
}

impl Part {
    const fn is_star(self) -> bool {
        matches!(self, Self::Name | Self::Any)
    }

    /// True if a star may stand for another part, or a piece of it.
    const fn may_be(self, other: Self) -> bool {
        !matches!((self, other), (Self::Name, Self::Letter('/')))
    }

    /// True if two single letters may be the same.
    fn may_equal(self, other: Self) -> bool {
        match (self, other) {
            (Self::Letter(one), Self::Letter(other)) => one == other,
            (Self::Letter(letter), wild) | (wild, Self::Letter(letter)) => {
                letter != '/' && !(wild == Self::OneVisible && letter == '.')
            }
            _ => true,
        }
    }
}

/// True if there is a text that both stand for.
fn may_meet(path: &[Part], pattern: &[Part]) -> bool {
    if path.len().saturating_mul(pattern.len()) > MOST_STEPS {
        return true;
    }
    // For each place of the pattern, whether what is left of both may meet; by places of the path, from its end.
    let mut row: Vec<bool> = vec![false; pattern.len() + 1];
    for at in (0..=path.len()).rev() {
        let below = std::mem::take(&mut row);
        row = vec![false; pattern.len() + 1];
        for of in (0..=pattern.len()).rev() {
            row[of] = match (path.get(at), pattern.get(of)) {
                (None, None) => true,
                (Some(one), other) if one.is_star() => {
                    below[of] || other.is_some_and(|other| one.may_be(*other) && row[of + 1])
                }
                (one, Some(other)) if other.is_star() => {
                    row[of + 1] || one.is_some_and(|one| other.may_be(*one) && below[of])
                }
                (Some(one), Some(other)) => one.may_equal(*other) && below[of + 1],
                _ => false,
            };
        }
    }
    row[0]
}

/// The globs of a pattern: anywhere in a path, and everything below what it names. `None` for a pattern that cannot be read.
#[must_use]
pub(crate) fn path_globs(pattern: &str) -> Option<Vec<Glob>> {
    let pattern = pattern.trim().trim_start_matches("./").trim_end_matches('/');
    if pattern.is_empty() {
        return None;
    }
    let build = |text: &str| GlobBuilder::new(text).literal_separator(true).build().ok();
    let anywhere = if pattern.starts_with('/') || pattern.starts_with("**/") {
        pattern.to_owned()
    } else {
        format!("**/{pattern}")
    };
    Some(vec![build(&anywhere)?, build(&format!("{anywhere}/**"))?])
}

/// The pattern of the directory whose whole content a pattern names: `generated` of `generated/**`.
fn directory_of(pattern: &str) -> Option<&str> {
    let directory = pattern.trim().trim_end_matches('/').strip_suffix("/**")?;
    (!directory.ends_with("**")).then_some(directory)
}

#[cfg(test)]
mod tests;
