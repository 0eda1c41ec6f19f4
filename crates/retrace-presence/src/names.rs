//! What the words of a shell command name, as far as its text alone tells. Nothing is looked up.

use std::collections::{HashMap, HashSet};

/// Words of a command that are kept.
const MOST_NAMES: usize = 256;

/// Longest word, in bytes: variables may make one of any length.
const LONGEST_WORD: usize = 4_096;

/// Bytes of variables that are put in, in one command: each may hold the others.
const MOST_PUT_IN: usize = 1 << 16;

/// Greatest depth of commands within words (`bash -c`, programs of other languages).
const DEEPEST: usize = 3;

/// What commands after which the directory is another are called.
const CHANGES_DIRECTORY: [&str; 2] = ["cd", "pushd"];

/// Commands whose words give variables a value.
const ASSIGNS: [&str; 4] = ["export", "local", "declare", "readonly"];

/// An absolute path, without `.`, `..` and empty parts. A relative one stays so without a directory.
pub(crate) fn absolute(path: &str, directory: Option<&str>, home: Option<&str>) -> String {
    let whole = match (path.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/')), home) {
        (Some(rest), Some(home)) => format!("{home}{rest}"),
        (None, _) if !path.starts_with('/') && path.get(1..2) != Some(":") => match directory {
            Some(directory) => format!("{directory}/{path}"),
            None => path.to_owned(),
        },
        _ => path.to_owned(),
    };
    if !whole.contains("/.") && !whole.contains("//") && !whole.starts_with("./") {
        return whole;
    }
    let mut parts: Vec<&str> = Vec::new();
    for (at, part) in whole.split('/').enumerate() {
        match part {
            "." => {}
            "" if at > 0 => {}
            ".." => match parts.last() {
                // Above the root is the root.
                Some(&"") => {}
                Some(&"..") | None => parts.push(part),
                Some(_) => drop(parts.pop()),
            },
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// What a command names.
#[derive(Debug, Default)]
pub(crate) struct Named {
    /// Files and directories, absolute, each once. The directory of a pattern stands for what fits it.
    pub paths: Vec<String>,
    /// The directory it ends in; `None` where nobody knows.
    pub directory: Option<String>,
}

/// What a command names that begins in a directory.
pub(crate) fn named(command: &str, directory: Option<&str>, home: Option<&str>) -> Named {
    let mut reading = Reading {
        home,
        directory: directory.map(str::to_owned),
        variables: HashMap::new(),
        found: Vec::new(),
        known: HashSet::new(),
        word: Word::default(),
        first: None,
        put_in: 0,
    };
    reading.read(command, 0);
    Named { paths: reading.found, directory: reading.directory }
}

/// The word that is read.
#[derive(Default)]
struct Word {
    text: String,
    /// True where it began, which an empty quotation does too.
    begun: bool,
    /// Where something stands in it that the shell makes anything of.
    open_at: Option<usize>,
    /// True if it holds what divides words where it is not quoted.
    holds_words: bool,
}

/// What the commands name that stand in a program of JavaScript as literals.
pub(crate) fn in_program(program: &str, directory: Option<&str>, home: Option<&str>) -> Named {
    let (mut at, mut place) = (0, directory.map(str::to_owned));
    let mut commands: Vec<String> = Vec::new();
    while let Some(start) = program[at..].find('"').map(|offset| at + offset) {
        let mut literals = serde_json::Deserializer::from_str(&program[start..]).into_iter::<String>();
        let Some(Ok(literal)) = literals.next() else {
            at = start + 1;
            continue;
        };
        at = start + literals.byte_offset();
        let key = program[..start].trim_end().strip_suffix(':').unwrap_or_default();
        if key.trim_end().trim_end_matches('"').ends_with("workdir") {
            place = Some(absolute(&literal, directory, home));
        } else {
            commands.push(literal);
        }
    }
    let mut all = Named { paths: Vec::new(), directory: place };
    for command in commands {
        let one = named(&command, all.directory.as_deref(), home);
        all.paths.extend(one.paths);
    }
    all.paths.truncate(MOST_NAMES);
    all
}

/// The path of a file or directory that a pattern names: what stands before anything open in it.
pub(crate) fn of_pattern(pattern: &str, directory: Option<&str>, home: Option<&str>) -> String {
    let before = match pattern.find(['*', '?', '[', '{']) {
        Some(open) => pattern[..open].rfind('/').map_or(".", |slash| &pattern[..slash]),
        None => pattern,
    };
    absolute(before.trim_end_matches('/'), directory, home)
}

struct Reading<'h> {
    home: Option<&'h str>,
    directory: Option<String>,
    variables: HashMap<String, String>,
    found: Vec<String>,
    known: HashSet<String>,
    word: Word,
    /// The first word of the command that is read.
    first: Option<String>,
    /// Bytes of variables that were put in.
    put_in: usize,
}

impl Reading<'_> {
    fn read(&mut self, text: &str, depth: usize) {
        let mut rest = text.chars();
        while let Some(letter) = rest.next() {
            match letter {
                '\'' => {
                    self.word.begun = true;
                    rest.by_ref().take_while(|letter| *letter != '\'').for_each(|letter| self.push(letter));
                }
                '"' => rest = self.quoted(rest),
                '\\' => match rest.next() {
                    Some('\n') | None => {}
                    Some(letter) => self.push_plain(letter),
                },
                '$' => rest = self.variable(rest),
                '*' | '?' | '[' | '{' => {
                    self.word.open_at.get_or_insert(self.word.text.len());
                    self.push_plain(letter);
                }
                ' ' | '\t' | '<' | '>' => self.end(depth),
                '\n' | '\r' | ';' | '|' | '&' | '(' | ')' | '`' => {
                    self.end(depth);
                    self.first = None;
                    // What another command puts out stands before it.
                    if matches!(letter, ')' | '`') && rest.as_str().starts_with('/') {
                        self.push_open();
                    }
                }
                letter => self.push_plain(letter),
            }
        }
        self.end(depth);
        self.first = None;
    }

    fn push_plain(&mut self, letter: char) {
        self.word.begun = true;
        if self.word.text.len() < LONGEST_WORD {
            self.word.text.push(letter);
        }
    }

    /// Something that nobody knows.
    fn push_open(&mut self) {
        self.word.open_at.get_or_insert(self.word.text.len());
        self.push_plain('*');
    }

    /// A letter within quotes.
    fn push(&mut self, letter: char) {
        self.word.holds_words |= letter.is_whitespace() || "()'\",;|&".contains(letter);
        self.push_plain(letter);
    }

    fn quoted<'t>(&mut self, mut rest: std::str::Chars<'t>) -> std::str::Chars<'t> {
        self.word.begun = true;
        while let Some(letter) = rest.next() {
            match letter {
                '"' => break,
                '\\' => {
                    if let Some(letter) = rest.next().filter(|letter| *letter != '\n') {
                        self.push(letter);
                    }
                }
                '$' => rest = self.variable(rest),
                letter => self.push(letter),
            }
        }
        rest
    }

    /// What stands behind a `$`: the value of a plain variable that is known; else nobody knows.
    fn variable<'t>(&mut self, mut rest: std::str::Chars<'t>) -> std::str::Chars<'t> {
        self.word.begun = true;
        let text = rest.as_str();
        let (name, length) = match text.strip_prefix('{') {
            Some(inner) => {
                let name = &inner[..name_length(inner)];
                (name, if inner[name.len()..].starts_with('}') { name.len() + 2 } else { 0 })
            }
            None => (&text[..name_length(text)], name_length(text)),
        };
        let value = match name {
            "HOME" => self.home.map(str::to_owned),
            "PWD" => self.directory.clone(),
            name => self.variables.get(name).cloned(),
        };
        let is_room = self.put_in < MOST_PUT_IN;
        match value.filter(|_| length > 0 && is_room) {
            Some(value) => {
                self.put_in += value.len();
                value.chars().for_each(|letter| self.push_plain(letter));
            }
            None => self.push_open(),
        }
        rest = text[length..].chars();
        rest
    }

    /// The end of a word.
    fn end(&mut self, depth: usize) {
        let word = std::mem::take(&mut self.word);
        if !word.begun {
            return;
        }
        let is_change = self.first.as_deref().is_some_and(|first| CHANGES_DIRECTORY.contains(&first));
        if is_change && !word.text.starts_with('-') {
            self.directory = match word.open_at {
                None => Some(self.absolute(&word.text)),
                Some(_) => None,
            };
            self.found(self.directory.clone());
            // It takes one word.
            self.first = Some(String::new());
            return;
        }
        let may_assign = self.first.as_deref().is_none_or(|first| ASSIGNS.contains(&first));
        if may_assign && word.open_at.is_none() && self.assigned(&word.text) {
            return;
        }
        self.name(&word.text, word.open_at);
        if let Some((before, value)) = word.text.split_once('=') {
            self.name(value, word.open_at.map(|at| at.saturating_sub(before.len() + 1)));
        }
        if word.holds_words && depth < DEEPEST {
            let first = self.first.take();
            self.read(&word.text, depth + 1);
            self.first = first;
        }
        self.first.get_or_insert(word.text);
    }

    /// True for an assignment, which is kept.
    fn assigned(&mut self, word: &str) -> bool {
        let Some((name, value)) = word.split_once('=') else { return false };
        let is_name = !name.is_empty() && name_length(name) == name.len();
        if is_name {
            let value = if value.starts_with('~') { self.absolute(value) } else { value.to_owned() };
            self.name(&value, None);
            self.variables.insert(name.to_owned(), value);
        }
        is_name
    }

    fn name(&mut self, word: &str, open_at: Option<usize>) {
        if word.starts_with('-') || word.is_empty() {
            return;
        }
        let path = match open_at.and_then(|at| word.get(..at)) {
            None if open_at.is_some() => return,
            None => self.absolute(word),
            Some(before) => match before.rfind('/') {
                Some(0) => return,
                Some(slash) => self.absolute(&before[..slash]),
                None => match &self.directory {
                    Some(directory) => directory.clone(),
                    None => return,
                },
            },
        };
        self.found(Some(path));
    }

    fn found(&mut self, path: Option<String>) {
        let Some(mut path) = path else { return };
        while path.len() > 1 && path.ends_with('/') {
            path.pop();
        }
        if self.found.len() < MOST_NAMES && self.known.insert(path.clone()) {
            self.found.push(path);
        }
    }

    fn absolute(&self, path: &str) -> String {
        absolute(path, self.directory.as_deref(), self.home)
    }
}

/// Bytes of the name of a variable at the beginning of a text.
fn name_length(text: &str) -> usize {
    let is_letter = |(at, byte): &(usize, u8)| {
        *byte == b'_' || byte.is_ascii_alphabetic() || (*at > 0 && byte.is_ascii_digit())
    };
    text.bytes().enumerate().take_while(is_letter).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_name_files_in_many_ways() {
        for (command, path) in [
            ("cat /m/a.md", "/m/a.md"),
            ("cd /m && cat a.md", "/m/a.md"),
            ("cd /m; head -5 a.md", "/m/a.md"),
            ("pushd /m >/dev/null; cat a.md; popd", "/m/a.md"),
            ("cat '/m/sp ace.md'", "/m/sp ace.md"),
            ("cat /m/sp\\ ace.md", "/m/sp ace.md"),
            ("cat \"/m\"/a.md", "/m/a.md"),
            ("cat /m//a.md", "/m/a.md"),
            ("cat /m/deep/../a.md", "/m/a.md"),
            ("cat /m/*.md", "/m"),
            ("cat /m/{a,b}.md", "/m"),
            ("cd /m && head -3 *.md", "/m"),
            ("cd /m && grep -rn x .", "/m"),
            ("for f in /m/*.md; do cat \"$f\"; done", "/m"),
            ("find /m -name '*.md' -exec cat {} +", "/m"),
            ("M=/m; cat $M/a.md", "/m/a.md"),
            ("export M=/m; cat ${M}/a.md", "/m/a.md"),
            ("cat $HOME/m/a.md", "/home/ann/m/a.md"),
            ("cat ~/m/a.md", "/home/ann/m/a.md"),
            ("cd ~ && cat m/a.md", "/home/ann/m/a.md"),
            ("cat < /m/a.md", "/m/a.md"),
            ("bash -c 'cd /m && cat a.md'", "/m/a.md"),
            ("python3 -c \"print(open('/m/a.md').read())\"", "/m/a.md"),
            ("cmd --file=/m/a.md", "/m/a.md"),
            ("git diff --no-index /dev/null /m/a.md", "/m/a.md"),
            ("cat x.md", "/w/x.md"),
        ] {
            let found = named(command, Some("/w"), Some("/home/ann")).paths;
            assert!(found.iter().any(|name| name == path), "{command}: {found:?}");
        }
    }

    #[test]
    fn what_nobody_knows_names_nothing() {
        for command in
            ["cat $X/a.md", "cd $X && cat a.md", "cat \"$(pwd)/a.md\"", "echo 'a", "\"", "$", "${X", ""]
        {
            let found = named(command, Some("/w"), None).paths;
            assert!(found.iter().all(|name| !name.ends_with("/a.md")), "{command}: {found:?}");
        }
    }

    #[test]
    fn a_variable_of_itself_ends() {
        let command = format!("X=aaaaaaaa; {} cat $X", "X=$X$X;".repeat(64));
        assert!(named(&command, None, None).paths.iter().all(|name| name.len() <= LONGEST_WORD));
    }
}
