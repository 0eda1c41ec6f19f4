//! The plain commands and what each does to the files it names.

use super::lex::{Simple, Word};
use super::targets::{below, into_directory, targets};
use super::{DEEPEST, Output, Shell, lex, sed};
use crate::patch;
use crate::path::{name_of, resolve};
use crate::write::Effect;

/// Commands that change no file they name.
const READING: [&str; 33] = [
    "ag",
    "awk",
    "basename",
    "bat",
    "cat",
    "cksum",
    "cmp",
    "cut",
    "date",
    "df",
    "diff",
    "dirname",
    "du",
    "file",
    "grep",
    "egrep",
    "head",
    "jq",
    "less",
    "ls",
    "md5sum",
    "more",
    "pwd",
    "readlink",
    "realpath",
    "rg",
    "sha256sum",
    "stat",
    "tail",
    "tree",
    "wc",
    "which",
    "xxd",
];

/// Subcommands of git that change files of the working tree.
const WRITING_GIT: [&str; 9] =
    ["apply", "checkout", "clean", "merge", "pull", "rebase", "reset", "restore", "stash"];

/// Options of `mv` and `cp` with which it depends on what is there whether they do anything, or where to.
const MOVES_ON_TERMS: [&str; 9] =
    ["-n", "-i", "-u", "-t", "-b", "--no-clobber", "--interactive", "--update", "--target"];

impl Shell {
    pub(super) fn named(
        &mut self,
        name: &str,
        arguments: &[Word],
        command: &Simple,
        input: Output,
    ) -> Output {
        match name {
            "cd" | "pushd" => {
                let to = arguments.iter().find(|word| !word.text.starts_with('-'));
                if name == "pushd" {
                    self.known.left.push(self.known.directory.clone());
                }
                self.known.directory = match to {
                    Some(to) if to.expands => None,
                    Some(to) => Some(resolve(&to.text, self.known.directory.as_deref())),
                    None => Some("~".to_owned()),
                };
                Some(Vec::new())
            }
            "popd" => {
                self.known.directory = self.known.left.pop().flatten();
                Some(Vec::new())
            }
            "export" | "readonly" | "local" | "declare" | "typeset" => {
                files(arguments).for_each(|word| self.assign(word));
                Some(Vec::new())
            }
            "read" | "unset" | "mapfile" | "readarray" => {
                for word in files(arguments) {
                    self.known.variables.insert(word.text.clone(), None);
                }
                Some(Vec::new())
            }
            "exit" | "return" => {
                self.left(arguments);
                Some(Vec::new())
            }
            "mkdir" | "set" | "sleep" | "false" | "test" | "[" | lex::TEST | lex::ARITHMETIC => {
                Some(Vec::new())
            }
            "sed" => self.sed(arguments, command),
            "echo" => echoed(arguments),
            "printf" => printed(arguments),
            "cat" if arguments.is_empty() || arguments.iter().all(|word| word.text == "-") => input,
            "tee" => {
                let append = arguments.iter().any(|word| word.text == "-a" || word.text == "--append");
                for file in files(arguments) {
                    let effect = match (&input, append) {
                        (Some(bytes), false) => Effect::Whole(bytes.clone()),
                        (Some(bytes), true) => Effect::Append(bytes.clone()),
                        (None, _) => Effect::Unparsed,
                    };
                    self.push(&file.text, effect);
                }
                input
            }
            "rm" | "unlink" | "rmdir" => self.each(arguments, &Effect::Delete),
            "touch" => self.each(arguments, &Effect::Append(Vec::new())),
            "truncate" if arguments.windows(2).any(|two| two[0].text == "-s" && two[1].text == "0") => {
                let named: Vec<Word> = arguments.iter().filter(|word| word.text != "0").cloned().collect();
                self.each(&named, &Effect::Whole(Vec::new()))
            }
            "mv" => self.moved(arguments, true),
            "cp" => self.moved(arguments, false),
            "git" => self.git(arguments),
            "apply_patch" | "applypatch" => {
                let text = arguments.first().map(|word| word.text.clone());
                let text = text
                    .or_else(|| input.and_then(|bytes| String::from_utf8(bytes).ok()))
                    .unwrap_or_default();
                for (path, effect) in patch::parse(&text) {
                    let effect = with_resolved(effect, self.known.directory.as_deref());
                    self.push(&path, effect);
                }
                None
            }
            "bash" | "sh" | "zsh" | "dash" | "eval" if self.nested < DEEPEST => {
                let program = arguments.iter().filter(|word| name == "eval" || !word.text.starts_with('-'));
                match program.clone().next() {
                    Some(word) if !word.expands && (name == "eval" || arguments.len() >= 2) => {
                        let kept = self.known.directory.clone();
                        self.nested += 1;
                        self.run(&word.text);
                        self.nested -= 1;
                        self.known.directory = kept;
                    }
                    _ => self.unknown(arguments, command),
                }
                None
            }
            "find"
                if !arguments
                    .iter()
                    .any(|word| matches!(word.text.as_str(), "-delete" | "-exec" | "-execdir")) =>
            {
                None
            }
            _ => {
                let written = targets(name, arguments);
                written.iter().for_each(|file| self.push(file, Effect::Unparsed));
                if !READING.contains(&name) {
                    self.unknown_but(&written, arguments, command);
                }
                None
            }
        }
    }

    /// A command behind an end of the script may not have run, unless the end says that the script failed.
    fn left(&mut self, arguments: &[Word]) {
        let fails = arguments
            .first()
            .is_some_and(|word| !word.expands && word.text.parse::<u8>().is_ok_and(|code| code > 0));
        if !fails {
            self.doubts += 1;
        }
    }

    /// `sed -i` changes its files line by line; without, it only reads.
    fn sed(&mut self, arguments: &[Word], command: &Simple) -> Output {
        match sed::parse(arguments) {
            sed::Sed::Reads => {}
            sed::Sed::Edits { files, edits } => {
                for file in files {
                    let effect = if file.expands { Effect::Unparsed } else { Effect::Lines(edits.clone()) };
                    self.push(&file.text, effect);
                }
            }
            sed::Sed::Unknown { files } => {
                let written: Vec<String> = files.iter().map(|file| file.text.clone()).collect();
                written.iter().for_each(|file| self.push(file, Effect::Unparsed));
                self.unknown_but(&written, arguments, command);
            }
        }
        None
    }

    fn each(&mut self, arguments: &[Word], effect: &Effect) -> Output {
        for file in files(arguments) {
            self.push(&file.text, if file.expands { Effect::Unparsed } else { effect.clone() });
        }
        Some(Vec::new())
    }

    fn moved(&mut self, arguments: &[Word], gone: bool) -> Output {
        let named: Vec<&Word> = files(arguments).collect();
        // Its effect depends on what is there, or a directory is named elsewhere.
        let asks = |word: &&Word| MOVES_ON_TERMS.iter().any(|option| word.text.starts_with(option));
        if arguments.iter().take_while(|word| word.text != "--").any(|word| asks(&word)) {
            let words: Vec<&str> = arguments.iter().map(|word| word.text.as_str()).collect();
            let named: Vec<&str> = named.iter().map(|word| word.text.as_str()).collect();
            let (sources, targets): (Vec<&str>, Vec<String>) =
                match (into_directory(&words), named.split_last()) {
                    (Some(into), _) => {
                        let sources: Vec<&str> = named.into_iter().filter(|word| *word != into).collect();
                        let targets = sources.iter().map(|from| below(into, from)).collect();
                        (sources, targets)
                    }
                    (None, Some((to, sources))) => (sources.to_vec(), vec![(*to).to_owned()]),
                    (None, None) => return Some(Vec::new()),
                };
            targets.iter().for_each(|to| self.push(to, Effect::Unparsed));
            for from in sources {
                if gone { self.push(from, Effect::Unparsed) } else { self.mention(from) }
            }
            return Some(Vec::new());
        }
        let (to, sources) = named.split_last()?;
        for from in sources {
            if from.expands || to.expands {
                if gone {
                    self.push(&from.text, Effect::Unparsed);
                } else {
                    self.mention(&from.text);
                }
                let into = sources.len() > 1 || to.text.ends_with('/');
                let target = if into { below(&to.text, &from.text) } else { to.text.clone() };
                self.push(&target, Effect::Unparsed);
                continue;
            }
            let into = sources.len() > 1 || is_directory(&to.text, &from.text);
            let target = if into {
                format!("{}/{}", to.text.trim_end_matches('/'), name_of(&from.text))
            } else {
                to.text.clone()
            };
            if gone {
                let to = resolve(&target, self.known.directory.as_deref());
                self.push(&from.text, Effect::Rename { to });
            } else {
                let from = resolve(&from.text, self.known.directory.as_deref());
                self.push(&target, Effect::Copy { from });
            }
        }
        Some(Vec::new())
    }

    fn git(&mut self, arguments: &[Word]) -> Output {
        let at = arguments.iter().position(|word| !word.text.starts_with('-'));
        let (command, rest) = at.and_then(|at| arguments[at..].split_first())?;
        match command.text.as_str() {
            "mv" => self.moved(rest, true),
            "rm" if !rest.iter().any(|word| word.text == "--cached") => self.each(rest, &Effect::Delete),
            name if WRITING_GIT.contains(&name) => {
                // A name may be that of a branch.
                files(rest).for_each(|file| self.mention(&file.text));
                Some(Vec::new())
            }
            _ => None,
        }
    }

    /// A command that may do anything with the files it names, in its words and in the text it is given.
    fn unknown(&mut self, arguments: &[Word], command: &Simple) {
        for word in arguments {
            self.mentioned(&word.text);
        }
        if let Some(Some(text)) = &command.input {
            self.mentioned(text);
        }
    }

    /// The same, of one that writes some of them.
    fn unknown_but(&mut self, written: &[String], arguments: &[Word], command: &Simple) {
        let is_other = |word: &&Word| !written.iter().any(|file| word.text.ends_with(file.as_str()));
        let others: Vec<Word> = arguments.iter().filter(is_other).cloned().collect();
        self.unknown(&others, command);
    }

    /// Everything in a text that looks like the path of a file.
    pub(super) fn mentioned(&mut self, text: &str) {
        let is_part = |letter: char| letter.is_alphanumeric() || "/._-~+@".contains(letter);
        for word in text.split(|letter| !is_part(letter)) {
            let word = word.trim_end_matches('.');
            let has_ending = name_of(word).rsplit_once('.').is_some_and(|(stem, ending)| {
                !stem.is_empty() && (1..=8).contains(&ending.len()) && ending.chars().any(char::is_alphabetic)
            });
            if has_ending {
                self.mention(word);
            }
        }
    }
}

/// The path that a patch moves its file to, resolved.
pub(crate) fn with_resolved(effect: Effect, directory: Option<&str>) -> Effect {
    match effect {
        Effect::Patch(mut patch) => {
            patch.moved_to = patch.moved_to.map(|to| resolve(&to, directory));
            Effect::Patch(patch)
        }
        effect => effect,
    }
}

/// Arguments that are not options.
fn files(arguments: &[Word]) -> impl Iterator<Item = &Word> + Clone {
    let mut options_end = false;
    let mut named = Vec::new();
    for word in arguments {
        match word.text.as_str() {
            "--" if !options_end => options_end = true,
            text if !options_end && text.starts_with('-') && text.len() > 1 => {}
            _ => named.push(word),
        }
    }
    named.into_iter()
}

/// True if a target names a directory, as far as its name tells: it ends with `/`, or it has no ending and the source has.
pub(super) fn is_directory(to: &str, from: &str) -> bool {
    to.ends_with('/')
        || matches!(name_of(to), "." | ".." | "~")
        || (!name_of(to).contains('.') && name_of(from).contains('.'))
}

/// Output of `echo`. Shells differ in whether they read backslashes, so with one nobody knows.
fn echoed(arguments: &[Word]) -> Output {
    let mut words = arguments;
    let mut line_feed = true;
    while let Some((first, rest)) = words.split_first() {
        match first.text.as_str() {
            "-n" => line_feed = false,
            "-E" => {}
            "-e" => return None,
            _ => break,
        }
        words = rest;
    }
    if words.iter().any(|word| word.expands || word.backslash) {
        return None;
    }
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let mut text = texts.join(" ");
    if line_feed {
        text.push('\n');
    }
    Some(text.into_bytes())
}

/// Output of `printf`, where its format has nothing but `%s`, `%%` and the usual escapes.
fn printed(arguments: &[Word]) -> Output {
    let arguments = match arguments.split_first() {
        Some((first, rest)) if first.text == "--" => rest,
        _ => arguments,
    };
    let (format, values) = arguments.split_first()?;
    if arguments.iter().any(|word| word.expands) {
        return None;
    }
    let mut values = values.iter();
    let mut text = String::new();
    loop {
        let left = values.len();
        let mut letters = format.text.chars();
        while let Some(letter) = letters.next() {
            match (letter, letter == '%' || letter == '\\') {
                ('%', _) => match letters.next()? {
                    '%' => text.push('%'),
                    's' => text.push_str(values.next().map_or("", |word| &word.text)),
                    _ => return None,
                },
                (_, true) => match letters.next()? {
                    'n' => text.push('\n'),
                    't' => text.push('\t'),
                    '\\' => text.push('\\'),
                    '"' => text.push('"'),
                    _ => return None,
                },
                (letter, _) => text.push(letter),
            }
        }
        // The format is used again for what is left, as long as it takes something.
        if values.len() == 0 || values.len() == left {
            return Some(text.into_bytes());
        }
    }
}
