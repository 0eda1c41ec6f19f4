//! The programs that a shell command calls.
//!
//! A command is parsed by a grammar of bash, so that `echo "npm ci"` calls `echo` alone and `sh -c 'npm ci'` calls `sh` and `npm`.
//! Followed are lists, pipelines, compound commands, functions that are called, command and process substitutions, commands
//! within commands (`sh -c`, `eval`, `xargs`, `find -exec`, here-documents of a shell), and programs that start another one
//! (`sudo`, `env`, `npx`, …). A variable that was given a plain value before is put in. Nothing else is expanded.

mod interpret;
mod words;

pub(crate) use interpret::name_of;

use brush_parser::ast::{
    AndOr, Assignment, AssignmentName, AssignmentValue, Command, CommandPrefixOrSuffixItem, CompoundCommand,
    CompoundList, FunctionBody, IoFileRedirectTarget, IoRedirect, Pipeline, RedirectList, SimpleCommand,
    Word as ShellWord,
};
use brush_parser::{ParserOptions, parse_tokens, uncached_tokenize_str};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, VecDeque};
use std::panic::catch_unwind;

/// Longest command that is parsed, in bytes. The parser's time grows faster than its input.
const LONGEST: usize = 64 << 10;

/// Deepest nesting of brackets that is parsed: the parser calls itself for each.
const DEEPEST_BRACKETS: usize = 40;

/// Deepest nesting of commands within commands that is followed.
const DEEPEST: usize = 8;

/// Most calls that are taken from one command.
const MOST_CALLS: usize = 1_000;

/// One call of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// Name of the program without its directory.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<Argument>,
    /// Programs that started it, the outermost first (`npx` of `npx tsc`), each with the words before the program it starts.
    pub within: Vec<Vec<String>>,
    /// Text on its standard input, where the command holds it.
    pub input: Option<String>,
}

impl Call {
    /// The call as one line, without quotation marks.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = self.program.clone();
        for argument in &self.arguments {
            text.push(' ');
            text.push_str(&argument.text);
        }
        text
    }
}

/// One argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Argument {
    /// Its text; a part that only the shell knows stands as it was written.
    pub text: String,
    /// True if the text is what the program gets.
    pub known: bool,
}

/// What was found in a command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calls {
    /// The calls, in the order of the text.
    pub calls: Vec<Call>,
    /// True if the command holds a call of a program whose name only the shell knows.
    pub hidden: bool,
    /// True if the command, or one within it, could not be parsed.
    pub unparsed: bool,
}

/// The calls of a command.
#[must_use]
pub fn calls(command: &str) -> Calls {
    let mut shell = Shell::default();
    shell.run(command);
    shell.found
}

#[derive(Default)]
struct Shell {
    found: Calls,
    variables: HashMap<String, Option<String>>,
    functions: HashMap<String, FunctionBody>,
    depth: usize,
    /// What the command before in a pipeline puts out, where it is known; then what this one does.
    piped: Option<String>,
}

impl Shell {
    fn run(&mut self, command: &str) {
        if self.depth >= DEEPEST {
            self.found.unparsed = true;
            return;
        }
        let short = if command.len() > LONGEST { without_documents(command) } else { None };
        // What stood in the documents is not known.
        self.found.unparsed |= short.is_some();
        let Some(program) = parsed(short.as_deref().unwrap_or(command)) else {
            self.found.unparsed |= !command.trim().is_empty();
            return;
        };
        self.depth += 1;
        for list in &program.complete_commands {
            self.list(list);
        }
        self.depth -= 1;
    }

    /// As [`Self::run`], of a shell whose variables and functions end with it.
    fn run_apart(&mut self, command: &str) {
        let (variables, functions) = (self.variables.clone(), self.functions.clone());
        self.run(command);
        (self.variables, self.functions) = (variables, functions);
    }

    fn list(&mut self, list: &CompoundList) {
        for item in &list.0 {
            self.pipeline(&item.0.first);
            for more in &item.0.additional {
                match more {
                    AndOr::And(pipeline) | AndOr::Or(pipeline) => self.pipeline(pipeline),
                }
            }
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline) {
        let mut piped = None;
        for command in &pipeline.seq {
            self.piped = piped.take();
            self.command(command);
            piped = self.piped.take();
        }
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound, redirects) => {
                self.piped = None;
                self.redirects(redirects.as_ref());
                self.compound(compound);
            }
            Command::Function(function) => {
                self.functions.insert(function.fname.value.clone(), function.body.clone());
            }
            Command::ExtendedTest(..) => {}
        }
    }

    fn compound(&mut self, compound: &CompoundCommand) {
        match compound {
            CompoundCommand::Arithmetic(_) => {}
            CompoundCommand::ArithmeticForClause(clause) => self.list(&clause.body.list),
            CompoundCommand::BraceGroup(group) => self.list(&group.list),
            CompoundCommand::Subshell(subshell) => {
                let variables = self.variables.clone();
                self.list(&subshell.list);
                self.variables = variables;
            }
            CompoundCommand::ForClause(clause) => self.for_each(clause),
            CompoundCommand::CaseClause(clause) => {
                self.word(&clause.value);
                for case in &clause.cases {
                    if let Some(list) = &case.cmd {
                        self.list(list);
                    }
                }
            }
            CompoundCommand::IfClause(clause) => {
                self.list(&clause.condition);
                self.list(&clause.then);
                for other in clause.elses.iter().flatten() {
                    if let Some(condition) = &other.condition {
                        self.list(condition);
                    }
                    self.list(&other.body);
                }
            }
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                self.list(&clause.0);
                self.list(&clause.1.list);
            }
            CompoundCommand::Coprocess(coprocess) => self.command(&coprocess.body),
        }
    }

    /// A loop over words: its body once for each plain word where the variable names a program, once in all otherwise.
    fn for_each(&mut self, clause: &brush_parser::ast::ForClauseCommand) {
        let mut values: Vec<Option<String>> = Vec::new();
        for value in clause.values.iter().flatten() {
            let value = self.word(value);
            values.push(value.known.then_some(value.text));
        }
        values.truncate(MOST_ROUNDS);
        if values.is_empty() {
            values.push(None);
        }
        for value in values {
            self.variables.insert(clause.variable_name.clone(), value);
            self.list(&clause.body.list);
        }
    }

    fn redirects(&mut self, redirects: Option<&RedirectList>) {
        for redirect in redirects.iter().flat_map(|list| &list.0) {
            self.redirect(redirect);
        }
    }

    /// Follows what stands in a redirection; the text that goes to standard input comes back.
    fn redirect(&mut self, redirect: &IoRedirect) -> Option<String> {
        match redirect {
            IoRedirect::File(
                _,
                _,
                IoFileRedirectTarget::Filename(word) | IoFileRedirectTarget::Duplicate(word),
            )
            | IoRedirect::OutputAndError(word, _) => {
                self.word(word);
                None
            }
            IoRedirect::File(_, _, IoFileRedirectTarget::ProcessSubstitution(_, subshell)) => {
                self.list(&subshell.list);
                None
            }
            IoRedirect::File(_, _, IoFileRedirectTarget::Fd(_)) => None,
            IoRedirect::HereDocument(_, document) => {
                if document.requires_expansion {
                    self.substitutions_of_document(&document.doc);
                }
                Some(document.doc.value.clone())
            }
            IoRedirect::HereString(_, word) => Some(self.word(word).text),
        }
    }

    fn simple(&mut self, simple: &SimpleCommand) {
        if self.found.calls.len() >= MOST_CALLS {
            self.found.unparsed = true;
            return;
        }
        let mut input = self.piped.take();
        let mut given: Vec<&Assignment> = Vec::new();
        for item in simple.prefix.iter().flat_map(|prefix| &prefix.0) {
            match item {
                CommandPrefixOrSuffixItem::IoRedirect(redirect) => input = self.redirect(redirect).or(input),
                CommandPrefixOrSuffixItem::AssignmentWord(assignment, _) => given.push(assignment),
                CommandPrefixOrSuffixItem::Word(word) => drop(self.word(word)),
                CommandPrefixOrSuffixItem::ProcessSubstitution(_, subshell) => self.list(&subshell.list),
            }
        }
        let mut words = Vec::new();
        if let Some(name) = &simple.word_or_name {
            words.extend(self.split(name, true));
        }
        for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
            match item {
                CommandPrefixOrSuffixItem::IoRedirect(redirect) => input = self.redirect(redirect).or(input),
                CommandPrefixOrSuffixItem::Word(word)
                | CommandPrefixOrSuffixItem::AssignmentWord(_, word) => {
                    words.extend(self.split(word, false));
                }
                CommandPrefixOrSuffixItem::ProcessSubstitution(_, subshell) => self.list(&subshell.list),
            }
        }
        for assignment in given {
            let value = self.assigned(assignment);
            if let (AssignmentName::VariableName(name), true) = (&assignment.name, words.is_empty()) {
                self.variables.insert(name.clone(), value);
            }
        }
        if !words.is_empty() {
            self.export(&words);
            let output = interpret::output_of(&words, input.as_deref());
            self.start(&words, input.as_deref(), &mut Vec::new());
            self.piped = output;
        }
    }

    /// Variables that a command such as `export` gives a value.
    fn export(&mut self, words: &[Argument]) {
        if !["export", "declare", "typeset", "readonly", "local"].contains(&words[0].text.as_str()) {
            return;
        }
        for word in &words[1..] {
            if let Some((name, value)) = word.text.split_once('=') {
                self.variables.insert(name.to_owned(), word.known.then(|| value.to_owned()));
            }
        }
    }

    /// The value of an assignment, where it is plain.
    fn assigned(&mut self, assignment: &Assignment) -> Option<String> {
        match &assignment.value {
            AssignmentValue::Scalar(word) => {
                let value = self.word(word);
                (value.known && !assignment.append).then_some(value.text)
            }
            AssignmentValue::Array(words) => {
                for (_, word) in words {
                    self.word(word);
                }
                None
            }
        }
    }

    /// The words that one word becomes: a variable that stands for a command and its arguments is split at its spaces.
    fn split(&mut self, word: &ShellWord, first: bool) -> Vec<Argument> {
        let whole = self.word(word);
        let is_plain_variable = word.value.starts_with('$') && !word.value.starts_with("$'");
        if first && is_plain_variable && whole.known && whole.text.contains(' ') {
            let parts = whole.text.split_whitespace();
            return parts.map(|part| Argument { text: part.to_owned(), known: true }).collect();
        }
        vec![whole]
    }
}

/// Most rounds of a loop that are followed.
const MOST_ROUNDS: usize = 16;

/// The parsed command; `None` for what the grammar refuses.
fn parsed(command: &str) -> Option<brush_parser::ast::Program> {
    if command.len() > LONGEST || brackets(command) > DEEPEST_BRACKETS {
        return None;
    }
    // The parser is not ours, and commands are whatever a model wrote: a panic of it is a command that cannot be parsed.
    catch_unwind(|| {
        let tokens = uncached_tokenize_str(command, &ParserOptions::default().tokenizer_options()).ok()?;
        parse_tokens(&tokens, &ParserOptions::default()).ok()
    })
    .ok()
    .flatten()
}

/// A command without the lines of its here-documents, so that what stands around a long one is found; `None` without any.
fn without_documents(command: &str) -> Option<String> {
    let mut kept = String::new();
    let mut waiting: VecDeque<&str> = VecDeque::new();
    let mut has_any = false;
    for line in command.split_inclusive('\n') {
        if let Some(word) = waiting.front() {
            if line.trim_end_matches(['\n', '\r']).trim_start_matches('\t') == *word {
                waiting.pop_front();
                kept.push_str(line);
            }
            continue;
        }
        kept.push_str(line);
        for (at, _) in line.match_indices("<<") {
            let rest = line[at + 2..].trim_start_matches('-').trim_start_matches([' ', '\t']);
            let rest = rest.trim_start_matches(['\'', '"', '\\']);
            let end = rest.find(|letter: char| !(letter.is_ascii_alphanumeric() || "_-.".contains(letter)));
            let word = &rest[..end.unwrap_or(rest.len())];
            // `<<<` is a text of one word.
            let is_document =
                !line[at + 2..].starts_with('<') && !line[..at].ends_with('<') && !word.is_empty();
            if is_document {
                waiting.push_back(word);
                has_any = true;
            }
        }
    }
    has_any.then_some(kept)
}

/// The deepest nesting of brackets, and of words that open a compound command.
fn brackets(command: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in command.bytes() {
        match byte {
            b'(' | b'{' | b'[' => depth += 1,
            b')' | b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    let opening = ["if", "while", "until", "for", "case", "select"];
    let opened = command.split_whitespace().filter(|word| opening.contains(word)).count();
    let closed = command.split(|letter: char| letter.is_whitespace() || letter == ';');
    let closed = closed.filter(|word| ["fi", "done", "esac"].contains(word)).count();
    deepest.max(opened.saturating_sub(closed))
}

#[cfg(test)]
mod tests;
