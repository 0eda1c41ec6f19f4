//! Lines that are looked for in whatever a model was shown: those of memories, each with the files that have it.

use crate::lines::{is_telling, split};
use crate::numbered;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Files that a line is kept with at most. What more have is common: it tells nothing of a file by itself.
const MOST_HOLDERS: usize = 8;

/// Longest line that is looked for, in bytes, so that a line of any length costs little.
const LONGEST: usize = 1 << 16;

/// A file whose lines are looked for.
#[derive(Clone, Debug)]
pub(crate) struct Owner {
    /// Paths that it is called by; the first is the one it is told by.
    pub paths: Vec<String>,
}

/// The files that have a line.
#[derive(Clone, Debug)]
pub(crate) enum Holders {
    /// These.
    Few(Vec<u32>),
    /// Too many to name.
    Many,
}

/// Lines that are looked for, with the files that have them. It holds hashes of lines, and no text.
#[derive(Clone, Debug, Default)]
pub struct Sought {
    owners: Vec<Owner>,
    by_key: HashMap<String, u32>,
    by_path: HashMap<String, u32>,
    lines: HashMap<u64, Holders, BuildHasherDefault<Same>>,
    /// A bit for each value of the last bits of a hash that a line has: most lines are told apart by it.
    bits: Vec<u64>,
}

impl Sought {
    /// Adds the lines of a version of a file. `key` is the same for all its versions; the first path is the one it is told by.
    pub fn add(&mut self, key: &str, paths: &[String], content: &str) {
        let Some(owner) = self.owner_of(key, paths) else { return };
        for line in split(content).map(str::trim_end).filter(|line| !line.is_empty() && line.len() <= LONGEST)
        {
            self.add_line(quick(line), owner);
        }
        if self.bits.len() * 8 < self.lines.len() {
            self.spread();
        }
    }

    fn owner_of(&mut self, key: &str, paths: &[String]) -> Option<u32> {
        let next = u32::try_from(self.owners.len()).ok()?;
        let owner = *self.by_key.entry(key.to_owned()).or_insert(next);
        if owner == next {
            self.owners.push(Owner { paths: Vec::new() });
        }
        let known = &mut self.owners[owner as usize].paths;
        if known.as_slice() != paths {
            *known = paths.to_vec();
            self.by_path.extend(paths.iter().map(|path| (path.clone(), owner)));
        }
        Some(owner)
    }

    fn add_line(&mut self, hash: u64, owner: u32) {
        let at = place(hash, self.bits.len());
        if let Some(word) = self.bits.get_mut(at) {
            *word |= 1 << (hash >> 58);
        }
        let holders = self.lines.entry(hash).or_insert_with(|| Holders::Few(Vec::new()));
        match holders {
            Holders::Few(few) if few.contains(&owner) => {}
            Holders::Few(few) if few.len() < MOST_HOLDERS => few.push(owner),
            _ => *holders = Holders::Many,
        }
    }

    /// Makes room for twice the lines.
    fn spread(&mut self) {
        let count = (self.lines.len() / 4).next_power_of_two().max(64);
        self.bits = vec![0; count];
        for hash in self.lines.keys() {
            self.bits[place(*hash, count)] |= 1 << (hash >> 58);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub(crate) fn owner(&self, at: u32) -> Option<&Owner> {
        self.owners.get(at as usize)
    }

    /// The file with this path.
    pub(crate) fn at(&self, path: &str) -> Option<u32> {
        self.by_path.get(path).copied()
    }

    fn holders(&self, line: &str) -> Option<&Holders> {
        let line = line.trim_end();
        if line.is_empty() || line.len() > LONGEST {
            return None;
        }
        let hash = quick(line);
        let may_be =
            self.bits.get(place(hash, self.bits.len())).is_some_and(|word| word >> (hash >> 58) & 1 == 1);
        if may_be { self.lines.get(&hash) } else { None }
    }

    /// Lines of a text that are looked for, as they stand there or behind what programs put before or after a line.
    pub(crate) fn hits<'t>(&self, text: &'t str) -> Vec<Hit<'_, 't>> {
        let mut hits = Vec::new();
        if self.is_empty() {
            return hits;
        }
        for (at, line) in split(text).enumerate() {
            if let Some((holders, form)) = self.line(line) {
                let is_telling = is_telling(form.text);
                hits.push(Hit {
                    at,
                    holders,
                    text: form.text,
                    number: form.number,
                    path: form.path,
                    is_telling,
                });
            }
        }
        hits
    }

    fn line<'t>(&self, line: &'t str) -> Option<(&Holders, Form<'t>)> {
        let found = |form: Form<'t>| Some((self.holders(form.text)?, form));
        let whole = found(Form { number: 0, path: None, text: line });
        whole.or_else(|| numbered::forms(line).into_iter().flatten().find_map(found))
    }
}

/// A line without what a program put around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form<'t> {
    /// Its number, 0 where none stands there.
    pub number: u32,
    /// The path before it.
    pub path: Option<&'t str>,
    /// The line itself.
    pub text: &'t str,
}

/// A line of a text that is looked for.
#[derive(Debug)]
pub(crate) struct Hit<'s, 't> {
    /// Its place among the lines of the text.
    pub at: usize,
    /// The files that have it.
    pub holders: &'s Holders,
    /// The line itself.
    pub text: &'t str,
    /// Its number, 0 where none stands there.
    pub number: u32,
    /// The path before it.
    pub path: Option<&'t str>,
    /// True if it says enough to be told from others.
    pub is_telling: bool,
}

fn place(hash: u64, count: usize) -> usize {
    // A power of two, or 0 where there is none.
    (hash as usize) & count.saturating_sub(1)
}

/// A hash that costs little: it is of nothing that is kept beyond this process.
fn quick(line: &str) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = line.len() as u64;
    let mut add = |word: u64| hash = (hash.rotate_left(23) ^ word).wrapping_mul(FACTOR);
    let (words, rest) = line.as_bytes().as_chunks::<8>();
    words.iter().for_each(|word| add(u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    add(u64::from_le_bytes(last));
    hash ^ (hash >> 29)
}

/// Takes a hash as it is.
#[derive(Clone, Default)]
struct Same(u64);

impl Hasher for Same {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(sought: &mut Sought, path: &str, content: &str) {
        sought.add(path, &[path.to_owned()], content);
    }

    #[test]
    fn lines_are_found_in_the_forms_in_which_programs_print_them() {
        let mut sought = Sought::default();
        let line = "- deploys run on Fridays: never by hand";
        add(&mut sought, "/m/a.md", &format!("# A\n{line}\n"));
        for form in [
            "",
            "12\t",
            "   12\t",
            "12:",
            "12-",
            "a.md:",
            "a.md:12:",
            "/m/a.md-12-",
            "+",
            "-",
            "> ",
            "    ",
            "12: ",
            "  12→",
        ] {
            let text = format!("x\n{form}{line}\r\ny");
            let hits = sought.hits(&text);
            assert_eq!(
                hits.iter().map(|hit| (hit.at, hit.text.trim_end())).collect::<Vec<_>>(),
                [(1, line)],
                "{form:?}"
            );
        }
        assert_eq!(sought.hits(&format!("{line}$")).len(), 1);
        assert!(sought.hits(&format!("x {line}")).is_empty());
    }

    #[test]
    fn what_too_many_files_have_is_of_none() {
        let mut sought = Sought::default();
        for file in 0..20 {
            add(&mut sought, &format!("/m/{file}.md"), &format!("---\nline {file} of it\n"));
        }
        let hits = sought.hits("---\nline 7 of it");
        assert!(matches!(hits[0].holders, Holders::Many));
        assert!(matches!(hits[1].holders, Holders::Few(few) if few == &[7]));
        assert_eq!(sought.at("/m/7.md"), Some(7));
    }
}
