//! Compares calls and paths with patterns.

mod names;
pub(crate) mod runners;

use crate::rule::{Command, Form};
use crate::shell::{Call, name_of};
use globset::{Glob, GlobBuilder, GlobMatcher};
use std::cell::RefCell;
use std::collections::HashMap;

/// An answer that may rest on what only the shell knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It matches.
    Yes,
    /// It does not.
    No,
    /// It does or does not, by a word that only the shell knows.
    Unknown,
}

impl From<bool> for Answer {
    fn from(yes: bool) -> Self {
        if yes { Self::Yes } else { Self::No }
    }
}

/// Options that stand before the subcommand of a program and take the next word as their value.
const GLOBAL_VALUES: [(&str, &[&str]); 14] = [
    ("git", &["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--exec-path"]),
    (
        "npm",
        &[
            "--prefix",
            "-C",
            "-w",
            "--workspace",
            "--registry",
            "--loglevel",
            "--userconfig",
            "--globalconfig",
            "--cache",
            "--tag",
            "--otp",
            "--omit",
            "--include",
            "--script-shell",
        ],
    ),
    ("pnpm", &["-C", "--dir", "-F", "--filter", "--registry", "--loglevel", "--reporter"]),
    ("pip", &["--python", "--log", "--proxy", "--retries", "--timeout", "--cert", "--cache-dir"]),
    ("yarn", &["--cwd"]),
    ("bun", &["--cwd"]),
    ("docker", &["--context", "-H", "--host", "--config", "-l"]),
    ("kubectl", &["-n", "--namespace", "--context", "--kubeconfig", "--cluster"]),
    ("helm", &["-n", "--namespace", "--kube-context"]),
    ("gh", &["-R", "--repo"]),
    ("glab", &["-R", "--repo"]),
    ("make", &["-C", "-f", "-I", "-o", "-W"]),
    ("go", &["-C"]),
    ("cargo", &["--config", "-Z", "-C", "--color"]),
];

/// Options of one meaning; an empty subcommand is any. Sources: the manual pages of git 2.47 and GNU coreutils 9.5, the help of npm
/// 11, pnpm 10, docker 28 and pip 25. docs/RULES.md has the list.
const SAME_OPTIONS: [(&str, &str, &[&str]); 26] = [
    ("git", "commit", &["-n", "--no-verify"]),
    ("git", "commit", &["-m", "--message"]),
    ("git", "commit", &["-a", "--all"]),
    ("git", "commit", &["-s", "--signoff"]),
    ("git", "commit", &["-S", "--gpg-sign"]),
    ("git", "push", &["-f", "--force"]),
    ("git", "push", &["-d", "--delete"]),
    ("git", "push", &["-u", "--set-upstream"]),
    ("git", "add", &["-A", "--all"]),
    ("git", "add", &["-f", "--force"]),
    ("git", "branch", &["-d", "--delete"]),
    ("git", "branch", &["-f", "--force"]),
    ("git", "clean", &["-f", "--force"]),
    ("git", "stash", &["-u", "--include-untracked"]),
    ("git", "rebase", &["-i", "--interactive"]),
    ("rm", "", &["-r", "-R", "--recursive"]),
    ("rm", "", &["-f", "--force"]),
    ("cp", "", &["-r", "-R", "--recursive"]),
    ("chmod", "", &["-R", "--recursive"]),
    ("chown", "", &["-R", "--recursive"]),
    ("sed", "", &["-i", "--in-place"]),
    ("npm", "", &["-g", "--global"]),
    ("pnpm", "", &["-g", "--global"]),
    ("docker", "rm", &["-f", "--force"]),
    ("docker", "rmi", &["-f", "--force"]),
    ("pip", "install", &["-U", "--upgrade"]),
];

/// Options behind a subcommand that take the next word as their value; an empty subcommand is any. Sources as above.
const VALUES: [(&str, &str, &[&str]); 18] = [
    (
        "git",
        "commit",
        &[
            "-m",
            "--message",
            "-F",
            "--file",
            "-C",
            "--reuse-message",
            "-c",
            "--reedit-message",
            "-t",
            "--template",
            "--author",
            "--date",
            "--fixup",
            "--squash",
            "--trailer",
            "--cleanup",
            "--pathspec-from-file",
        ],
    ),
    ("git", "tag", &["-m", "--message", "-F", "--file", "-u", "--local-user", "--trailer", "--cleanup"]),
    ("git", "merge", &["-m", "-F", "--file", "-s", "--strategy", "-X", "--strategy-option", "--cleanup"]),
    ("git", "rebase", &["--onto", "-x", "--exec", "-s", "--strategy", "-X", "--strategy-option"]),
    ("git", "push", &["-o", "--push-option", "--repo", "--receive-pack", "--exec"]),
    ("git", "stash", &["-m", "--message", "--pathspec-from-file"]),
    ("git", "notes", &["-m", "--message", "-F", "--file", "--ref"]),
    ("git", "log", &["--author", "--grep", "--since", "--until", "-n", "-S", "-G", "-L", "--format"]),
    (
        "gh",
        "pr",
        &["-t", "--title", "-b", "--body", "-F", "--body-file", "-B", "--base", "-H", "--head", "-A"],
    ),
    ("gh", "issue", &["-t", "--title", "-b", "--body", "-F", "--body-file", "-l", "--label"]),
    ("gh", "release", &["-t", "--title", "-n", "--notes", "-F", "--notes-file", "--target"]),
    ("npm", "", &["-m", "--message", "--registry", "--tag", "--loglevel"]),
    ("grep", "", &["-e", "--regexp", "-f", "--file"]),
    ("egrep", "", &["-e", "--regexp", "-f", "--file"]),
    ("fgrep", "", &["-e", "--regexp", "-f", "--file"]),
    ("rg", "", &["-e", "--regexp", "-f", "--file", "-g", "--glob", "-r", "--replace"]),
    ("sed", "", &["-e", "--expression", "-f", "--file"]),
    ("psql", "", &["-c", "--command", "-f", "--file", "-d", "-h", "-p", "-U", "-v"]),
];

/// Options behind which a value may stand at once, and never in the next word; an empty subcommand is any: `-uno` is no `-n`.
const ATTACHED: [(&str, &str, &[&str]); 8] = [
    ("git", "commit", &["-u", "-S"]),
    ("git", "status", &["-u"]),
    ("git", "merge", &["-S"]),
    ("git", "rebase", &["-S"]),
    ("git", "tag", &["-n"]),
    ("git", "diff", &["-U", "-M", "-C", "-B", "-l", "-O"]),
    ("sed", "", &["-i"]),
    ("perl", "", &["-i"]),
];

/// Options with which a program only shows what it would do. Sources as above.
const REHEARSALS: [(&str, &str, &[&str]); 4] = [
    ("git", "push", &["-n"]),
    ("git", "add", &["-n"]),
    ("make", "", &["-n", "--just-print", "--recon"]),
    ("rsync", "", &["-n"]),
];

/// Programs whose options are whole words behind one dash: `find -name` is not `-n -a -m -e`.
const WORD_OPTIONS: [&str; 16] = [
    "find",
    "go",
    "gofmt",
    "java",
    "javac",
    "terraform",
    "tofu",
    "packer",
    "gcc",
    "g++",
    "clang",
    "clang++",
    "cc",
    "ffmpeg",
    "openssl",
    "xcodebuild",
];

/// True for an option that takes the next word as its value.
fn takes_value(program: &str, subcommand: &str, option: &str) -> bool {
    let program = names::plain(program);
    let of_program =
        VALUES.iter().filter(|(of, sub, _)| *of == program && (sub.is_empty() || *sub == subcommand));
    of_program.flat_map(|(_, _, values)| values.iter()).any(|value| *value == option)
}

/// True for an option that takes what stands behind it in the same word, if anything does.
fn takes_rest(program: &str, subcommand: &str, option: &str) -> bool {
    let of_program =
        ATTACHED.iter().filter(|(of, sub, _)| *of == program && (sub.is_empty() || *sub == subcommand));
    of_program.flat_map(|(_, _, options)| options.iter()).any(|attached| *attached == option)
}

/// A text with `*` for any part of it, compiled.
fn wildcard(text: &str) -> Option<Glob> {
    GlobBuilder::new(text).literal_separator(false).backslash_escape(false).build().ok()
}

fn fits(pattern: &str, text: &str) -> bool {
    if pattern == text || pattern == "*" {
        return true;
    }
    if !pattern.contains(['*', '?', '[', '{']) {
        return false;
    }
    COMPILED.with_borrow_mut(|compiled| {
        if let Some(matcher) = compiled.get(pattern) {
            return matcher.as_ref().is_some_and(|matcher| matcher.is_match(text));
        }
        if compiled.len() >= MOST_COMPILED {
            compiled.clear();
        }
        let matcher = wildcard(pattern).map(|glob| glob.compile_matcher());
        let is_match = matcher.as_ref().is_some_and(|matcher| matcher.is_match(text));
        compiled.insert(pattern.to_owned(), matcher);
        is_match
    })
}

/// Compiled patterns that a thread keeps: one is compared with every call of every session.
const MOST_COMPILED: usize = 256;

thread_local! {
    static COMPILED: RefCell<HashMap<String, Option<GlobMatcher>>> = RefCell::default();
}

/// True if a call is of the program that a pattern names, or may be.
pub(crate) fn program_matches(command: &Command, call: &Call) -> bool {
    match command.program.as_str() {
        "*" => runners::may_be_meant(&call.program, &command.arguments),
        program => !call.known || fits(program, &call.program) || fits(program, names::plain(&call.program)),
    }
}

/// Whether a call is one that a pattern names.
#[must_use]
pub fn call_matches(command: &Command, call: &Call) -> Answer {
    if !program_matches(command, call) {
        return Answer::No;
    }
    if !call.known && command.program != "*" {
        return may_match(command, call);
    }
    match arguments_match(command, call) {
        // What only the shell knows is no option there, and no task.
        Answer::Unknown if command.program == "*" && runners::does_nothing(&call.program) => Answer::No,
        answer => answer,
    }
}

/// Whether a call may be one that a pattern names, where only the shell knows its program: the arguments fit, or the word that
/// stands for the program may hold them, or it may be a program that starts another one.
fn may_match(command: &Command, call: &Call) -> Answer {
    let is_among = |word: &str| call.arguments.iter().any(|argument| fits(word, name_of(&argument.text)));
    let may = call.arguments.is_empty()
        || is_among(&command.program)
        || arguments_match(command, call) != Answer::No;
    if may { Answer::Unknown } else { Answer::No }
}

/// True for a call that only asks a program what it is: with `--help`, or `-help` where options are words behind one dash. Not so where
/// the pattern names that option.
pub(crate) fn asks_for_help(command: &Command, call: &Call) -> bool {
    let given = Parts::of(call).options;
    let is_word = WORD_OPTIONS.contains(&call.program.as_str());
    let mut helps = ["--help", "-help"].into_iter().take(if is_word { 2 } else { 1 });
    helps.any(|help| given.contains(&help) && !command.arguments.iter().any(|argument| argument == help))
}

/// True for a call that only shows what it would do, or what the program is.
pub(crate) fn is_rehearsal(command: &Command, call: &Call) -> bool {
    if asks_for_help(command, call) {
        return true;
    }
    let parts = Parts::of(call);
    let subcommand = parts.subcommand();
    let is_named = |option: &str| command.arguments.iter().any(|argument| argument == option);
    let is_given =
        |option: &str| !is_named(option) && has_option(&call.program, subcommand, option, &parts.options);
    let short = REHEARSALS
        .iter()
        .filter(|(program, sub, _)| *program == call.program && (sub.is_empty() || *sub == subcommand));
    is_given("--dry-run") || short.flat_map(|(_, _, options)| *options).any(|option| is_given(option))
}

/// Whether the arguments of a call are those that a pattern names.
fn arguments_match(command: &Command, call: &Call) -> Answer {
    let parts = Parts::of(call);
    let wanted_options = command.arguments.iter().filter(|word| is_option(word));
    let wanted_words: Vec<&str> =
        command.arguments.iter().filter(|word| !is_option(word)).map(String::as_str).collect();
    let words = match words_match(&wanted_words, &parts, call) {
        Answer::Yes => Answer::Yes,
        other => task_matches(command, &wanted_words, &parts, call).unwrap_or(other),
    };
    if words == Answer::No {
        return Answer::No;
    }
    let subcommand = parts.subcommand();
    let mut answer = words;
    for option in wanted_options {
        if has_option(&call.program, subcommand, option, &parts.options) {
            continue;
        }
        if !parts.hidden {
            return Answer::No;
        }
        answer = Answer::Unknown;
    }
    answer
}

/// Arguments by what they are.
struct Parts<'c> {
    /// Words without a dash that are no value of a global option, and whether each is known.
    words: Vec<(&'c str, bool)>,
    options: Vec<&'c str>,
    /// True if a word stands for several that only the shell knows.
    hidden: bool,
    /// True if only the shell knows a word that is no option's value.
    unknown: bool,
}

impl<'c> Parts<'c> {
    fn of(call: &'c Call) -> Self {
        let plain = names::plain(&call.program);
        let values = GLOBAL_VALUES.iter().find(|(program, _)| *program == plain);
        let values = values.map_or(&[][..], |(_, values)| values);
        let mut parts = Self { words: Vec::new(), options: Vec::new(), hidden: false, unknown: false };
        let (mut skip, mut takes_value, mut only_words) = (false, false, false);
        for argument in &call.arguments {
            let text = argument.text.as_str();
            // A value is no option, whatever it looks like.
            let is_value = std::mem::take(&mut takes_value);
            if std::mem::take(&mut skip) || is_value && is_option(text) {
                continue;
            }
            parts.unknown |= !argument.known && !is_value;
            // In quotation marks it is one word, and what stands beside it is no option: `"$DIR/a"`.
            let may_be_any = || !argument.quoted && is_all_unknown(text);
            parts.hidden |= !argument.known && !is_value && may_be_any();
            if only_words || !is_option(text) {
                // `cargo +nightly test`
                if !(call.program == "cargo" && text.starts_with('+')) {
                    parts.words.push((text, argument.known));
                }
            } else if text == "--" {
                only_words = true;
            } else {
                parts.options.push(text);
                let subcommand = parts.subcommand();
                let is_run = || parts.words.len() == 1 && runners::is_run(&call.program, subcommand);
                let is_global = subcommand.is_empty() || is_of_two_words(&call.program) || is_run();
                skip = is_global && values.contains(&text);
                takes_value = ends_with_value(&call.program, subcommand, text);
            }
        }
        parts
    }

    fn subcommand(&self) -> &'c str {
        self.words.first().map_or("", |word| word.0)
    }
}

/// True for a word of which the shell alone knows every part.
fn is_all_unknown(text: &str) -> bool {
    unknown_parts(text).is_some_and(|known| known.iter().all(|part| part.is_empty()))
}

/// True if a word may be one that a pattern names: what is known of it stands in that in this order.
fn may_be(pattern: &str, text: &str) -> bool {
    if pattern.contains(['*', '?', '[', '{']) {
        return true;
    }
    let Some(known) = unknown_parts(text) else { return true };
    let [first, middle @ .., last] = known.as_slice() else { return true };
    let Some(mut rest) = pattern.strip_prefix(first) else { return false };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// What is known of a word, around what only the shell knows; `None` where nothing is unknown.
fn unknown_parts(text: &str) -> Option<Vec<&str>> {
    let (mut parts, mut begin, mut at) = (Vec::new(), 0, 0);
    while at < text.len() {
        let length = crate::paths::unknown_at(&text[at..]);
        if length == 0 && !text[at..].starts_with(['*', '?']) {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
            continue;
        }
        parts.push(&text[begin..at]);
        at = (at + length.max(1)).min(text.len());
        begin = at;
    }
    if parts.is_empty() {
        return None;
    }
    parts.push(&text[begin..]);
    Some(parts)
}

/// True if the next word is the value of an option, or of the last letter of several: `-m`, `-am`.
fn ends_with_value(program: &str, subcommand: &str, given: &str) -> bool {
    if given.starts_with("--") || WORD_OPTIONS.contains(&program) {
        return takes_value(program, subcommand, given);
    }
    // One that takes what stands behind it takes no more.
    let letters = letters(program, subcommand, given);
    let last = letters.chars().next_back();
    given.len() == letters.len() + 1
        && last.is_some_and(|last| takes_value(program, subcommand, &format!("-{last}")))
}

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

/// Words in order: the first one is the first, the others come after it.
fn words_match(wanted: &[&str], parts: &Parts<'_>, call: &Call) -> Answer {
    let Some((first, rest)) = wanted.split_first() else { return Answer::Yes };
    let Some((word, known)) = parts.words.first() else {
        return if parts.hidden { Answer::Unknown } else { Answer::No };
    };
    if !fits(first, word) && !names::is_same_command(&call.program, first, word) {
        return if *known || !may_be(first, word) { Answer::No } else { Answer::Unknown };
    }
    // A subcommand of two words stands at the beginning: `gh pr list --search merge` merges nothing.
    if let (true, Some(second)) = (is_of_two_words(&call.program), rest.first()) {
        match parts.words.get(1) {
            Some((word, true)) if !fits(second, word) => return Answer::No,
            _ => {}
        }
    }
    let mut left = parts.words[1..].iter();
    let mut unknown = false;
    for wanted in rest {
        let found = left.by_ref().find(|(word, known)| {
            unknown |=
                !known && (may_be(wanted, word) || is_push(call, first) && may_be(wanted, pushed_to(word)));
            fits(wanted, word) || is_push(call, first) && fits(wanted, pushed_to(word))
        });
        if found.is_none() {
            return if unknown || parts.hidden { Answer::Unknown } else { Answer::No };
        }
    }
    Answer::Yes
}

/// Whether the task that a call runs is the one that a pattern names, where it runs one: `lint` of `npm run lint`. `None` where this
/// tells no more than the words do.
fn task_matches(command: &Command, wanted: &[&str], parts: &Parts<'_>, call: &Call) -> Option<Answer> {
    let named = command.program != "*";
    let (first, rest) = runners::wanted_task(&call.program, wanted, named)?.split_first()?;
    let has = |task: &Vec<(&str, bool)>| {
        let mut left = task[1..].iter();
        fits(first, task[0].0) && rest.iter().all(|wanted| left.any(|(word, _)| fits(wanted, word)))
    };
    let tasks = runners::tasks_of(&call.program, &parts.words);
    if tasks.iter().any(has) {
        return Some(Answer::Yes);
    }
    tasks.iter().any(|task| !task[0].1).then_some(Answer::Unknown)
}

/// True for a program whose subcommands are two words, `gh pr merge`.
fn is_of_two_words(program: &str) -> bool {
    ["gh", "glab"].contains(&program)
}

fn is_push(call: &Call, subcommand: &str) -> bool {
    call.program == "git" && subcommand == "push"
}

/// The branch that a refspec writes: `main` of `+HEAD:refs/heads/main`.
fn pushed_to(refspec: &str) -> &str {
    let to = refspec.rsplit(':').next().unwrap_or(refspec);
    let to = to.strip_prefix('+').unwrap_or(to);
    to.strip_prefix("refs/heads/").unwrap_or(to)
}

/// True if an option is among those given: as it is written, with a value behind it, among letters behind one dash, or by another
/// name. Letters behind one dash are all wanted, in any order and any number of words.
fn has_option(program: &str, subcommand: &str, wanted: &str, given: &[&str]) -> bool {
    if given.iter().any(|given| fits(wanted, given)) {
        return true;
    }
    let program = names::plain(program);
    let short = wanted.strip_prefix('-').filter(|short| !short.starts_with('-'));
    let Some(short) = short else { return has_one(program, subcommand, wanted, given) };
    let is_letters = short.bytes().all(|letter| letter.is_ascii_alphabetic())
        && (short.len() == 1 || !WORD_OPTIONS.contains(&program) && short.len() <= MOST_LETTERS);
    is_letters && short.chars().all(|letter| has_one(program, subcommand, &format!("-{letter}"), given))
}

/// More letters behind one dash are a word.
const MOST_LETTERS: usize = 4;

/// True if a long option, or a letter, is given, or another name of it.
fn has_one(program: &str, subcommand: &str, wanted: &str, given: &[&str]) -> bool {
    let mut same = SAME_OPTIONS
        .iter()
        .filter(|(of, sub, _)| *of == program && (sub.is_empty() || *sub == subcommand))
        .filter(|(_, _, names)| names.contains(&wanted))
        .flat_map(|(_, _, names)| names.iter().copied());
    let is_given = |name: &str| given.iter().any(|given| holds_option(program, subcommand, name, given));
    is_given(wanted) || same.any(is_given)
}

/// `--option` is in `--option=value`, and `-m` in `-am`; of git, also in what it takes for the option.
fn holds_option(program: &str, subcommand: &str, wanted: &str, given: &str) -> bool {
    if wanted == given || program == "git" && names::is_short_for(given, wanted) {
        return true;
    }
    if wanted.starts_with("--") {
        return given.split_once('=').is_some_and(|(given, _)| given == wanted);
    }
    !WORD_OPTIONS.contains(&program)
        && wanted.chars().nth(1).is_some_and(|letter| letters(program, subcommand, given).contains(letter))
}

/// The letters behind one dash, up to the first that takes what stands behind it.
fn letters<'g>(program: &str, subcommand: &str, given: &'g str) -> &'g str {
    let Some(given) = given.strip_prefix('-').filter(|given| !given.starts_with('-')) else { return "" };
    let ends = |(_, letter): &(usize, char)| {
        let option = format!("-{letter}");
        !letter.is_ascii_alphabetic()
            || takes_value(program, subcommand, &option)
            || takes_rest(program, subcommand, &option)
    };
    match given.char_indices().find(ends) {
        Some((at, letter)) if letter.is_ascii_alphabetic() => &given[..=at],
        Some((at, _)) => &given[..at],
        None => given,
    }
}

/// Whether a call that a pattern names has the form that is asked.
#[must_use]
pub fn has_form(form: &Form, call: &Call) -> Answer {
    match form {
        Form::Without(text) => {
            let text = text.to_lowercase();
            let holds = |part: &str| part.to_lowercase().contains(&text);
            let found = call.arguments.iter().any(|argument| holds(&argument.text))
                || call.input.as_deref().is_some_and(holds);
            Answer::from(!found)
        }
        Form::With(wanted) => {
            let around: Vec<&str> = call.within.iter().flatten().map(String::as_str).collect();
            let around: Vec<&str> = around.into_iter().map(name_of).collect();
            // The value that stands with an option of the form is a word as well: `--env-file=.env.dev`.
            let words = call.arguments.iter().flat_map(|argument| {
                let text = argument.text.as_str();
                let value = text
                    .split_once('=')
                    .filter(|(option, _)| is_option(option) && wanted.iter().any(|wanted| wanted == option));
                std::iter::once(text).chain(value.map(|(_, value)| value))
            });
            let whole: Vec<&str> =
                around.into_iter().chain(std::iter::once(call.program.as_str())).chain(words).collect();
            let mut plain = whole.iter().filter(|word| !is_option(word));
            let has_words = wanted
                .iter()
                .filter(|word| !is_option(word))
                .all(|wanted| plain.by_ref().any(|word| fits(wanted, word)));
            let parts = Parts::of(call);
            let started = call.within.iter().flatten().map(String::as_str).filter(|word| is_option(word));
            let options: Vec<&str> = started.chain(parts.options.iter().copied()).collect();
            let has_options = wanted
                .iter()
                .filter(|word| is_option(word))
                .all(|wanted| has_option(&call.program, parts.subcommand(), wanted, &options));
            match (has_words && has_options, parts.unknown) {
                (true, _) => Answer::Yes,
                (false, true) => Answer::Unknown,
                (false, false) => Answer::No,
            }
        }
    }
}

#[cfg(test)]
mod tests;
