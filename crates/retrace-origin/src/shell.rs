//! Writes of a shell command, as far as its text alone tells.
//!
//! Plain commands are read: a text given in place (`cat > F <<'EOF'`), `echo`, `printf`, `tee`, `rm`, `mv`, `cp`, `touch`,
//! `truncate -s 0`, `sed -i` with literal patterns, `git mv`, `git rm`, `apply_patch`, `cd`, and a shell started with a
//! command. Variables that were given a plain value before are put in; a loop over plain words is followed word by word.
//! A write in a branch, in another loop, or behind a command that may have failed is said to be conditional: it may not
//! have run. Nothing else is expanded: a file that any other command names is [`Effect::Unparsed`], unless the command
//! only reads.

mod call;
mod commands;
mod lex;
mod powershell;
mod rewriting;
mod sed;
mod targets;
#[cfg(test)]
mod tests;

pub use call::{CallFile, files_of_call};
pub(crate) use commands::with_resolved;

use crate::path::name_of;
use crate::write::Effect;
use lex::{Joint, Redirection, Simple, Word};
use std::collections::HashMap;

/// Greatest depth of followed commands within commands (`bash -c`) are followed.
const DEEPEST: usize = 3;

/// Rounds of loops that are followed in one command; what is longer counts as a loop that nobody knows.
const MAX_ROUNDS: usize = 64;

/// Words before a command that do not change what it does to files.
const PREFIXES: [&str; 10] =
    ["sudo", "doas", "command", "builtin", "time", "nice", "nohup", "env", "exec", "!"];

/// Options of these that take the next word.
const PREFIX_VALUES: [&str; 5] = ["-u", "-g", "-n", "-C", "-a"];

/// Words that begin, divide and end compound commands.
const KEYWORDS: [&str; 15] = [
    "if", "then", "elif", "else", "fi", "for", "select", "while", "until", "do", "done", "case", "esac", "{",
    "}",
];

/// Commands taken not to fail, so that what stands behind them and `&&` was run. An assignment has no name. That a directory
/// is there is believed of who changes to it.
const SURE: [&str; 9] = ["", ":", "true", "cd", "pushd", "echo", "printf", "export", "set"];

/// Greatest nesting of compound commands.
const DEEPEST_COMPOUND: usize = 32;

/// One change of one file by a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Effected {
    /// The file as named.
    pub path: String,
    /// The directory it is relative to.
    pub directory: Option<String>,
    pub effect: Effect,
    /// True if it may not have been carried out.
    pub conditional: bool,
    /// True if the command names the file, and nobody knows whether it writes it.
    pub mentioned: bool,
}

/// The changes that a command makes, in order.
pub(crate) fn effects(command: &str, directory: Option<&str>) -> Vec<Effected> {
    let mut shell = Shell::default();
    shell.known.directory = directory.map(str::to_owned);
    shell.run(command);
    shell.found
}

/// State of the shell at a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Known {
    directory: Option<String>,
    /// Directories that `pushd` left, to which `popd` goes back.
    left: Vec<Option<String>>,
    /// Values of variables; `None` for one that was given something unknown.
    variables: HashMap<String, Option<String>>,
}

impl Known {
    /// Marks everything that changed since `before` as doubtful.
    fn doubt(&mut self, before: &Self) {
        if self.directory != before.directory {
            self.directory = None;
        }
        for (name, value) in &mut self.variables {
            if before.variables.get(name) != Some(value) {
                *value = None;
            }
        }
    }
}

/// State while a command is followed.
#[derive(Default)]
struct Shell {
    known: Known,
    found: Vec<Effected>,
    /// Commands within commands that are open.
    nested: usize,
    /// Branches and loops around the present command that may not run.
    doubts: usize,
    /// Loops around it whose number of rounds is not known.
    loops: usize,
    /// Rounds of loops that were followed.
    rounds: usize,
}

/// Bytes that a command puts out, where they are known.
type Output = Option<Vec<u8>>;

/// A part of a script: a simple command, or a word that builds compound ones.
struct Token {
    keyword: Option<&'static str>,
    /// Without the keyword.
    command: Simple,
}

/// Where the commands of a list stand.
struct Place<'t> {
    tokens: &'t [Token],
    at: usize,
}

impl Shell {
    fn run(&mut self, text: &str) {
        let Some(commands) = lex::commands(text) else {
            self.mentioned(text);
            return;
        };
        let tokens: Vec<Token> = commands.into_iter().flat_map(tokens).collect();
        if deepest(&tokens) > DEEPEST_COMPOUND {
            self.mentioned(text);
            return;
        }
        let mut place = Place { tokens: &tokens, at: 0 };
        while place.at < tokens.len() {
            // A token that ends nothing is passed over.
            self.list(&mut place, &[]);
            place.at += 1;
        }
    }

    /// Follows commands until one of the words `ends`; answers what they put out.
    fn list(&mut self, place: &mut Place<'_>, ends: &[&str]) -> Output {
        let last = last_list(place, ends);
        let mut outer: Vec<Known> = Vec::new();
        let base = match place.tokens.get(place.at) {
            Some(token) if !ends.is_empty() => token.command.depth,
            _ => 0,
        };
        let mut all: Output = Some(Vec::new());
        let mut output: Output = Some(Vec::new());
        // The present command may not have been reached; the one before it may have failed.
        let (mut doubtful, mut may_fail) = (false, false);
        let mut before_doubt: Option<Known> = None;
        while let Some(token) = place.tokens.get(place.at) {
            if token.keyword.is_some_and(|word| ends.contains(&word)) {
                break;
            }
            let depth = token.command.depth.saturating_sub(base);
            while outer.len() < depth {
                outer.push(self.known.clone());
            }
            if outer.len() > depth {
                self.known = outer.swap_remove(depth);
                outer.truncate(depth);
            }
            let joint = token.command.joint;
            if joint != Joint::Pipe {
                put_out(&mut all, output.take().filter(|_| !doubtful));
            }
            doubtful = match joint {
                Joint::After => false,
                Joint::Or => true,
                Joint::And => {
                    (doubtful || may_fail) && !(self.nested == 0 && place.at >= last && ends.is_empty())
                }
                Joint::Pipe => doubtful,
            };
            if let Some(before) = before_doubt.take_if(|_| !doubtful || joint == Joint::Or) {
                self.known.doubt(&before);
            }
            if doubtful && before_doubt.is_none() {
                before_doubt = Some(self.known.clone());
            }
            let input = match &token.command.input {
                Some(text) => text.clone().map(String::into_bytes),
                None if joint == Joint::Pipe => output.take(),
                None => None,
            };
            self.doubts += usize::from(doubtful);
            may_fail = !is_sure(token);
            output = self.token(place, input);
            self.doubts -= usize::from(doubtful);
        }
        if let Some(before) = outer.into_iter().next() {
            self.known = before;
        }
        if let Some(before) = before_doubt {
            self.known.doubt(&before);
        }
        put_out(&mut all, output.filter(|_| !doubtful));
        all
    }

    /// Follows one command, simple or compound, and goes on behind it.
    fn token(&mut self, place: &mut Place<'_>, input: Output) -> Output {
        let token = place.tokens.get(place.at)?;
        place.at += 1;
        match token.keyword {
            Some("if") => {
                self.branches(place);
                self.closed(place, None)
            }
            Some("for" | "select") => {
                self.each_word(place, &token.command);
                self.closed(place, None)
            }
            Some("while" | "until") => {
                self.in_doubt(true, |shell| {
                    shell.list(place, &["do"]);
                    place.at += 1;
                    shell.list(place, &["done"]);
                });
                self.closed(place, None)
            }
            Some("case") => {
                self.in_doubt(false, |shell| drop(shell.list(place, &["esac"])));
                self.closed(place, None)
            }
            Some("{") => {
                let output = self.list(place, &["}"]);
                self.closed(place, output)
            }
            Some(_) => self.command(&token.command, None),
            None => self.command(&token.command, input),
        }
    }

    /// Passes the word that ends a compound command: where its output goes is with it.
    fn closed(&mut self, place: &mut Place<'_>, output: Output) -> Output {
        let end = place.tokens.get(place.at)?;
        place.at += 1;
        self.redirected(&end.command, output)
    }

    /// `if … then … elif … else …`, up to `fi`. The first condition is run, all else may not be.
    fn branches(&mut self, place: &mut Place<'_>) {
        self.list(place, &["then"]);
        self.in_doubt(false, |shell| {
            while place.tokens.get(place.at).is_some_and(|token| token.keyword != Some("fi")) {
                place.at += 1;
                shell.list(place, &["then", "elif", "else", "fi"]);
            }
        });
    }

    /// `for X in …; do …`, up to `done`.
    fn each_word(&mut self, place: &mut Place<'_>, head: &Simple) {
        let name = head.words.first().map(|word| word.text.clone()).unwrap_or_default();
        let list = head.words.get(2..).unwrap_or_default();
        let values: Vec<Word> = list.iter().map(|word| self.expanded(word)).collect();
        let is_plain = head.words.get(1).is_some_and(|word| word.text == "in")
            && values.iter().all(|value| !value.expands);
        self.list(place, &["do"]);
        place.at += 1;
        let body = place.at;
        let leaves = leaves_early(place);
        self.rounds += values.len();
        if !is_plain || leaves || values.is_empty() || self.rounds > MAX_ROUNDS {
            self.known.variables.insert(name, None);
            self.in_doubt(true, |shell| drop(shell.list(place, &["done"])));
            return;
        }
        for value in values {
            self.known.variables.insert(name.clone(), Some(value.text));
            place.at = body;
            self.list(place, &["done"]);
        }
    }

    /// Follows what may not run, or, where it `repeats`, any number of times.
    fn in_doubt(&mut self, repeats: bool, follow: impl FnOnce(&mut Self)) {
        let before = self.known.clone();
        self.doubts += 1;
        self.loops += usize::from(repeats);
        follow(self);
        self.loops -= usize::from(repeats);
        self.doubts -= 1;
        self.known.doubt(&before);
    }

    fn command(&mut self, command: &Simple, input: Output) -> Output {
        let words: Vec<Word> = command.words.iter().map(|word| self.expanded(word)).collect();
        let words = self.without_prefixes(&words);
        let name = words.first().map_or("", |word| name_of(&word.text));
        let arguments = words.get(1..).unwrap_or_default();
        let output = if words.is_empty() || matches!(name, ":" | "true") {
            Some(Vec::new())
        } else {
            self.named(name, arguments, command, input)
        };
        self.redirected(command, output)
    }

    /// Rest of an output after its redirections.
    fn redirected(&mut self, command: &Simple, output: Output) -> Output {
        let mut targets =
            command.redirections.iter().filter(|to| !crate::path::is_device(&to.to.text)).peekable();
        if targets.peek().is_none() {
            let is_lost = command.redirections.iter().any(|to| to.output);
            return if is_lost { Some(Vec::new()) } else { output };
        }
        for Redirection { to, append, output: is_output } in targets {
            let to = self.expanded(to);
            if to.expands {
                // As far as it is written its name is known.
                if has_name(&to.text) {
                    self.push(&to.text, Effect::Unparsed);
                }
                continue;
            }
            let effect = match (&output, *append) {
                (Some(bytes), false) if *is_output => Effect::Whole(bytes.clone()),
                (Some(bytes), true) if *is_output => Effect::Append(bytes.clone()),
                _ => Effect::Unparsed,
            };
            self.push(&to.text, effect);
        }
        Some(Vec::new())
    }

    /// A word with the values of its variables, where all of them are known.
    fn expanded(&self, word: &Word) -> Word {
        if word.variables.is_empty() || word.opaque {
            return word.clone();
        }
        let mut text = String::with_capacity(word.text.len());
        let mut from = 0;
        for variable in &word.variables {
            let Some(Some(value)) = self.known.variables.get(&variable.name) else { return word.clone() };
            // Without quotes a value is cut at blanks, and its patterns are looked up.
            let is_whole = variable.quoted
                || !value.contains(|letter: char| letter.is_whitespace() || "*?[".contains(letter));
            let (true, Some(before)) = (is_whole, word.text.get(from..variable.at.start)) else {
                return word.clone();
            };
            text.push_str(before);
            text.push_str(value);
            from = variable.at.end;
        }
        text.push_str(word.text.get(from..).unwrap_or_default());
        Word { text, backslash: word.backslash, ..Word::default() }
    }

    /// Takes the assignments before a command. Alone they stay.
    fn without_prefixes<'w>(&mut self, words: &'w [Word]) -> &'w [Word] {
        let mut assigned: Vec<&Word> = Vec::new();
        let (mut at, mut prefixed) = (0, false);
        while let Some(word) = words.get(at) {
            if assignment(&word.text).is_some() {
                assigned.push(word);
            } else if PREFIXES.contains(&word.text.as_str()) {
                prefixed = true;
            } else if prefixed && word.text.starts_with('-') {
                at += usize::from(PREFIX_VALUES.contains(&word.text.as_str()));
            } else {
                break;
            }
            at += 1;
        }
        let at = at.min(words.len());
        if assigned.len() == words.len() {
            assigned.into_iter().for_each(|word| self.assign(word));
        }
        &words[at..]
    }

    fn assign(&mut self, word: &Word) {
        if let Some((name, value)) = assignment(&word.text) {
            let value = (!word.expands && !name.ends_with('+')).then(|| value.to_owned());
            self.known.variables.insert(name.trim_end_matches('+').to_owned(), value);
        }
    }

    fn push(&mut self, path: &str, effect: Effect) {
        // The number of appends is not known either.
        let effect = match effect {
            Effect::Whole(_) | Effect::Delete => effect,
            Effect::Rename { to } if self.loops > 0 => {
                self.add(&to, Effect::Unparsed, false);
                Effect::Unparsed
            }
            _ if self.loops > 0 => Effect::Unparsed,
            effect => effect,
        };
        self.add(path, effect, false);
    }

    /// A file that a command names, and may write.
    fn mention(&mut self, path: &str) {
        self.add(path, Effect::Unparsed, true);
    }

    fn add(&mut self, path: &str, effect: Effect, mentioned: bool) {
        if path.is_empty() {
            return;
        }
        self.found.push(Effected {
            path: path.to_owned(),
            directory: self.known.directory.clone(),
            effect,
            conditional: self.doubts > 0,
            mentioned,
        });
    }
}

/// True if the last part of a path is a name, whatever stands before it.
fn has_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    !name.is_empty() && !name.contains(['$', '`', '(', ')', '*', '?', '[', '{', '}'])
}

/// The name and value of an assignment; the name ends with `+` where the value is put behind the one before.
fn assignment(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once('=')?;
    let plain = name.strip_suffix('+').unwrap_or(name);
    let is_name = !plain.is_empty()
        && !plain.starts_with(|first: char| first.is_ascii_digit())
        && plain.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_name.then_some((name, value))
}

/// Takes the words that build compound commands from the beginning of a command.
fn tokens(mut command: Simple) -> Vec<Token> {
    let mut tokens = Vec::new();
    while let Some(keyword) = command.words.first().and_then(keyword) {
        command.words.remove(0);
        let takes_all = matches!(keyword, "for" | "select" | "case" | "fi" | "done" | "esac" | "}");
        if takes_all || (command.words.is_empty() && command.redirections.is_empty()) {
            tokens.push(Token { keyword: Some(keyword), command });
            return tokens;
        }
        let head = Simple { joint: command.joint, depth: command.depth, ..Simple::default() };
        tokens.push(Token { keyword: Some(keyword), command: head });
        command.joint = Joint::After;
    }
    tokens.push(Token { keyword: None, command });
    tokens
}

fn keyword(word: &Word) -> Option<&'static str> {
    KEYWORDS.into_iter().find(|keyword| *keyword == word.text)
}

/// Where the last list of commands that are all joined begins: with the call they all succeeded, but for those behind `||`.
fn last_list(place: &Place<'_>, ends: &[&str]) -> usize {
    if !ends.is_empty() {
        return usize::MAX;
    }
    let mut open = 0_usize;
    let mut last = place.at;
    for (at, token) in place.tokens.iter().enumerate().skip(place.at) {
        let closes = matches!(token.keyword, Some("fi" | "done" | "esac" | "}"));
        if open == 0 && !closes && token.command.joint == Joint::After && token.command.depth == 0 {
            last = at;
        }
        match token.keyword {
            Some("if" | "for" | "select" | "while" | "until" | "case" | "{") => open += 1,
            Some("fi" | "done" | "esac" | "}") => open = open.saturating_sub(1),
            _ => {}
        }
    }
    last
}

/// True if a loop's body has a command that leaves it.
fn leaves_early(place: &Place<'_>) -> bool {
    let mut open = 0_usize;
    for token in place.tokens.iter().skip(place.at) {
        match token.keyword {
            Some("for" | "select" | "while" | "until") => open += 1,
            Some("done") if open == 0 => return false,
            Some("done") => open -= 1,
            _ => {}
        }
        let name = token.command.words.first().map_or("", |word| word.text.as_str());
        if matches!(name, "break" | "continue" | "exit" | "return") {
            return true;
        }
    }
    false
}

/// True if a command is one that does not fail.
fn is_sure(token: &Token) -> bool {
    let mut words = token.command.words.iter().map(|word| word.text.as_str());
    let name = words.find(|word| assignment(word).is_none()).unwrap_or_default();
    let is_sure = match name {
        "mkdir" => words.any(|word| word == "-p"),
        "cat" => words.next().is_none(),
        name => SURE.contains(&name),
    };
    token.keyword.is_none() && is_sure
}

/// Nesting depth of compound commands.
fn deepest(tokens: &[Token]) -> usize {
    let (mut open, mut most) = (0_usize, 0);
    for token in tokens {
        match token.keyword {
            Some("if" | "for" | "select" | "while" | "until" | "case" | "{") => open += 1,
            Some("fi" | "done" | "esac" | "}") => open = open.saturating_sub(1),
            _ => {}
        }
        most = most.max(open);
    }
    most
}

/// Adds an output to what was put out before.
fn put_out(all: &mut Output, more: Output) {
    *all = match (all.take(), more) {
        (Some(mut all), Some(more)) => {
            all.extend(more);
            Some(all)
        }
        _ => None,
    };
}
