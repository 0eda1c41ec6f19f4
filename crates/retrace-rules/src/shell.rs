//! The programs that a shell command calls.
//!
//! A command is parsed by a grammar of bash, so that `echo "npm ci"` calls `echo` alone and `sh -c 'npm ci'` calls `sh` and `npm`.
//! Followed are lists, pipelines, compound commands, functions that are called, command and process substitutions, commands
//! within commands (`sh -c`, `eval`, `xargs`, `find -exec`, here-documents of a shell), and programs that start another one
//! (`sudo`, `env`, `npx`, …). A variable that was given a plain value before is put in; one that may have another value by a branch
//! is not. Nothing else is expanded. Files that a command writes are found on the way, each with its place among the calls.

mod files;
mod interpret;
mod starters;
mod state;
mod words;

pub(crate) use interpret::name_of;

use brush_parser::ast::{
    AndOr, Assignment, AssignmentName, AssignmentValue, Command, CommandPrefixOrSuffixItem, CompoundCommand,
    CompoundList, ExtendedTestExpr, FunctionBody, IoFileRedirectKind, IoFileRedirectTarget, IoRedirect,
    Pipeline, RedirectList, SimpleCommand, SubshellCommand,
};
use brush_parser::{ParserOptions, parse_tokens, uncached_tokenize_str};
use files::is_unknown;
use serde::{Deserialize, Serialize};
use state::State;
use std::collections::{HashMap, VecDeque};
use std::panic::catch_unwind;
use std::rc::Rc;

/// Longest command that is parsed, in bytes. The parser's time grows faster than its input.
const LONGEST: usize = 64 << 10;

/// Deepest nesting of brackets that is parsed: the parser calls itself for each.
const DEEPEST_BRACKETS: usize = 40;

/// Deepest nesting of commands within commands that is followed.
const DEEPEST: usize = 8;

/// Most calls that are taken from one command.
const MOST_CALLS: usize = 1_000;

/// Most simple commands that are followed in one command: functions and loops may repeat each other.
const MOST_STEPS: usize = 10_000;

/// One call of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// Name of the program without its directory; where only the shell knows it, the word as it was written.
    pub program: String,
    /// True if the name is known.
    pub known: bool,
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
    /// True if it stands in quotation marks as a whole, so that it is one word whatever the shell puts in.
    pub quoted: bool,
}

/// A file that a command writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileWrite {
    /// Its path, relative to where the command begins unless it is absolute.
    pub path: String,
    /// False if the command went to a directory that only the shell knows: the path is relative to that one.
    pub from_start: bool,
    /// True if all below it is changed as well: it is removed or moved, or what is put at its place may be a directory.
    pub with_all_below: bool,
    /// True if it is written only where a directory is that nobody knows of.
    pub perhaps: bool,
    /// The calls of the pipeline that writes it, as a range of [`Calls::calls`]. It is written when these are done.
    pub by: (usize, usize),
}

/// What was found in a command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calls {
    /// The calls, in the order of the text.
    pub calls: Vec<Call>,
    /// The files it writes, in that order as well.
    pub writes: Vec<FileWrite>,
    /// Texts of the command, or of one within it, that could not be parsed; empty where it is not known what stood there.
    pub unparsed: Vec<String>,
}

impl Calls {
    /// True if the command holds a call of a program whose name only the shell knows.
    #[must_use]
    pub fn hidden(&self) -> bool {
        self.calls.iter().any(|call| !call.known)
    }
}

/// The calls of a command.
#[must_use]
pub fn calls(command: &str) -> Calls {
    let mut shell = Shell::default();
    shell.run(command);
    if shell.steps > MOST_STEPS {
        shell.found.unparsed.push(command.to_owned());
    }
    shell.found
}

#[derive(Default)]
struct Shell {
    found: Calls,
    state: State,
    functions: HashMap<String, Rc<FunctionBody>>,
    aliases: HashMap<String, String>,
    /// Arguments of the function or the script that is followed; `None` where nobody knows them.
    positional: Option<Rc<Vec<Argument>>>,
    /// What stands in files that a process substitution makes, by path.
    files: HashMap<String, String>,
    depth: usize,
    steps: usize,
    /// What `find` puts in for `{}` in the command that it starts, for each place where it looks.
    found_below: Vec<String>,
    /// What `find` puts out in a pipeline, as [`Self::found_below`].
    finds: Vec<String>,
    /// What the command before in a pipeline puts out, where it is known; then what this one does.
    piped: Option<String>,
    /// What waits on the standard input of the commands within another one, where it is known, until one of them reads it.
    waiting: Option<String>,
    /// Up to where in the word that is read a substitution was followed that ends later than the parser of words says.
    followed_to: usize,
}

impl Shell {
    fn run(&mut self, command: &str) {
        if self.depth >= DEEPEST {
            self.found.unparsed.push(command.to_owned());
            return;
        }
        let short = if command.len() > LONGEST { without_documents(command) } else { None };
        if short.is_some() {
            // What stood in the documents is not known.
            self.found.unparsed.push(String::new());
        }
        let Some(program) = parsed(short.as_deref().unwrap_or(command)) else {
            if !command.trim().is_empty() {
                self.found.unparsed.push(command.to_owned());
            }
            return;
        };
        self.depth += 1;
        for list in &program.complete_commands {
            self.list(list);
        }
        self.depth -= 1;
    }

    /// As [`Self::run`], of a shell whose variables end with it.
    fn run_apart(&mut self, command: &str) {
        let mark = self.state.mark();
        self.run(command);
        self.state.roll_back(mark);
    }

    /// As [`Self::run_apart`], with arguments of its own.
    fn run_with(&mut self, command: &str, arguments: &[Argument]) {
        let before = self.positional.replace(Rc::new(arguments.to_vec()));
        self.run_apart(command);
        self.positional = before;
    }

    /// True if one more command is followed.
    const fn step(&mut self) -> bool {
        self.steps = self.steps.saturating_add(1);
        self.steps <= MOST_STEPS
    }

    /// Follows commands; answers what they put out together, where it is known.
    fn list(&mut self, list: &CompoundList) -> Option<String> {
        let mut all = Some(String::new());
        for item in &list.0 {
            let output = self.chain(&item.0);
            all = all.zip(output).map(|(all, output)| all + &output);
        }
        all.filter(|all| !all.is_empty())
    }

    /// Follows pipelines that are joined by `&&` and `||`. What one changes that may not have run is in doubt behind them.
    fn chain(&mut self, chain: &brush_parser::ast::AndOrList) -> Option<String> {
        let output = self.pipeline(&chain.first);
        let mut is_sure = is_sure(&chain.first);
        let mut doubt: Option<usize> = None;
        for more in &chain.additional {
            let pipeline = match more {
                AndOr::And(pipeline) => {
                    if !is_sure && doubt.is_none() {
                        doubt = Some(self.state.mark());
                    }
                    pipeline
                }
                AndOr::Or(pipeline) => {
                    if let Some(mark) = doubt {
                        self.state.doubt(mark);
                    }
                    doubt = Some(self.state.mark());
                    pipeline
                }
            };
            self.pipeline(pipeline);
            is_sure = is_sure && self::is_sure(pipeline);
        }
        if let Some(mark) = doubt {
            self.state.doubt(mark);
        }
        output.filter(|_| chain.additional.is_empty())
    }

    /// Follows a pipeline; answers what its last command puts out.
    fn pipeline(&mut self, pipeline: &Pipeline) -> Option<String> {
        let (first_call, first_write) = (self.found.calls.len(), self.found.writes.len());
        let mut piped = None;
        for (at, command) in pipeline.seq.iter().enumerate() {
            let mark = self.state.mark();
            self.piped = piped.take();
            let finds = std::mem::take(&mut self.finds);
            let before = (!finds.is_empty()).then(|| std::mem::replace(&mut self.found_below, finds));
            if at == 0 {
                self.command(command);
            } else {
                // It reads what the one before puts out, and nothing else.
                self.with_input(None, |shell| shell.command(command));
            }
            piped = self.piped.take();
            if let Some(before) = before {
                self.found_below = before;
            }
            if pipeline.seq.len() > 1 {
                // Each is a shell of its own.
                self.state.roll_back(mark);
            }
        }
        self.finds.clear();
        let by = (first_call, self.found.calls.len());
        let open = self.found.writes[first_write..].iter_mut();
        open.filter(|write| write.by == files::OPEN).for_each(|write| write.by = by);
        piped
    }

    fn command(&mut self, command: &Command) {
        if !self.step() {
            return;
        }
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound, redirects) => {
                let piped = self.piped.take();
                let output = match self.redirects(redirects.as_ref()).or(piped) {
                    None => self.compound(compound),
                    input => self.with_input(input, |shell| shell.compound(compound)),
                };
                self.piped = output.filter(|_| redirects.is_none());
            }
            Command::Function(function) => {
                let body = Rc::new(function.body.clone());
                self.functions.insert(function.fname.value.clone(), body);
            }
            Command::ExtendedTest(test, redirects) => {
                self.piped = None;
                drop(self.redirects(redirects.as_ref()));
                self.test(&test.expr);
            }
        }
    }

    /// Follows commands that have a standard input of their own.
    fn with_input<T>(&mut self, input: Option<String>, follow: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.waiting, input);
        let output = follow(self);
        self.waiting = before;
        output
    }

    /// Follows the commands in the words of `[[ … ]]`.
    fn test(&mut self, test: &ExtendedTestExpr) {
        let mut open = vec![test];
        while let Some(test) = open.pop() {
            match test {
                ExtendedTestExpr::And(one, other) | ExtendedTestExpr::Or(one, other) => {
                    open.extend([&**other, &**one]);
                }
                ExtendedTestExpr::Not(inner) | ExtendedTestExpr::Parenthesized(inner) => open.push(inner),
                ExtendedTestExpr::UnaryTest(_, word) => drop(self.word(word)),
                ExtendedTestExpr::BinaryTest(_, one, other) => {
                    self.word(one);
                    self.word(other);
                }
            }
        }
    }

    fn compound(&mut self, compound: &CompoundCommand) -> Option<String> {
        match compound {
            CompoundCommand::Arithmetic(arithmetic) => self.substitutions_of(&arithmetic.expr.value),
            CompoundCommand::ArithmeticForClause(clause) => {
                for part in [&clause.initializer, &clause.condition, &clause.updater].into_iter().flatten() {
                    self.substitutions_of(&part.value);
                }
                self.perhaps(|shell| drop(shell.list(&clause.body.list)));
            }
            CompoundCommand::BraceGroup(group) => return self.list(&group.list),
            CompoundCommand::Subshell(subshell) => return self.apart(subshell),
            CompoundCommand::ForClause(clause) => self.for_each(clause),
            CompoundCommand::CaseClause(clause) => {
                self.word(&clause.value);
                let branches = clause.cases.iter().filter_map(|case| case.cmd.as_ref());
                let mut touched = Vec::new();
                for list in branches {
                    touched.extend(self.branch(|shell| drop(shell.list(list))));
                }
                self.state.forget(touched);
            }
            CompoundCommand::IfClause(clause) => {
                self.list(&clause.condition);
                let mut touched = self.branch(|shell| drop(shell.list(&clause.then)));
                for other in clause.elses.iter().flatten() {
                    touched.extend(self.branch(|shell| {
                        if let Some(condition) = &other.condition {
                            shell.list(condition);
                        }
                        shell.list(&other.body);
                    }));
                }
                self.state.forget(touched);
            }
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                self.perhaps(|shell| {
                    shell.list(&clause.0);
                    shell.list(&clause.1.list);
                });
            }
            CompoundCommand::Coprocess(coprocess) => {
                let mark = self.state.mark();
                self.command(&coprocess.body);
                self.state.roll_back(mark);
            }
        }
        None
    }

    /// Follows one of several ways; answers which variables have another value at its end. They have the old one again.
    fn branch(&mut self, follow: impl FnOnce(&mut Self)) -> Vec<String> {
        let (mark, waiting) = (self.state.mark(), self.waiting.clone());
        follow(self);
        self.waiting = waiting;
        self.state.roll_back(mark)
    }

    /// Follows what may not run, or not once.
    fn perhaps(&mut self, follow: impl FnOnce(&mut Self)) {
        let touched = self.branch(follow);
        self.state.forget(touched);
    }

    /// Follows a shell of its own; answers what it puts out.
    fn apart(&mut self, subshell: &SubshellCommand) -> Option<String> {
        let mark = self.state.mark();
        let output = self.list(&subshell.list);
        self.state.roll_back(mark);
        output
    }

    /// A loop over words: its body once for each plain word where the variable names a program, once in all otherwise.
    fn for_each(&mut self, clause: &brush_parser::ast::ForClauseCommand) {
        let mut values: Vec<Option<Argument>> = Vec::new();
        for value in clause.values.iter().flatten() {
            let value = self.word(value);
            // As far as it is known: `src/*.ts`.
            values.push((!is_unknown(&value.text) || value.known).then_some(value));
        }
        values.truncate(MOST_ROUNDS);
        if values.is_empty() {
            values.push(None);
        }
        for value in values {
            match value {
                Some(Argument { text, known: false, .. }) => {
                    self.state.set_partly(&clause.variable_name, &text);
                }
                value => self.state.set(&clause.variable_name, value.map(|value| value.text)),
            }
            self.list(&clause.body.list);
        }
    }

    /// Follows redirections; the text that goes to standard input comes back.
    fn redirects(&mut self, redirects: Option<&RedirectList>) -> Option<String> {
        let mut input = None;
        for redirect in redirects.iter().flat_map(|list| &list.0) {
            input = self.redirect(redirect).or(input);
        }
        input
    }

    /// Follows what stands in a redirection; the text that goes to standard input comes back.
    fn redirect(&mut self, redirect: &IoRedirect) -> Option<String> {
        match redirect {
            IoRedirect::File(_, kind, IoFileRedirectTarget::Filename(word)) => {
                let file = self.word(word);
                match kind {
                    IoFileRedirectKind::Write | IoFileRedirectKind::Append | IoFileRedirectKind::Clobber => {
                        self.redirected(&file);
                        None
                    }
                    _ => self.files.get(&file.text).cloned(),
                }
            }
            IoRedirect::File(_, kind, IoFileRedirectTarget::Duplicate(word)) => {
                let file = self.word(word);
                let is_descriptor = file.text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
                if matches!(kind, IoFileRedirectKind::DuplicateOutput) && !is_descriptor {
                    self.redirected(&file);
                }
                None
            }
            IoRedirect::OutputAndError(word, _) => {
                let file = self.word(word);
                self.redirected(&file);
                None
            }
            IoRedirect::File(_, _, IoFileRedirectTarget::ProcessSubstitution(_, subshell)) => {
                self.apart(subshell)
            }
            IoRedirect::File(_, _, IoFileRedirectTarget::Fd(_)) => None,
            IoRedirect::HereDocument(_, document) => {
                if document.requires_expansion {
                    self.substitutions_of(&document.doc.value);
                }
                Some(document.doc.value.clone())
            }
            IoRedirect::HereString(_, word) => Some(self.word(word).text),
        }
    }

    fn simple(&mut self, simple: &SimpleCommand) {
        if self.found.calls.len() >= MOST_CALLS {
            // As if there were no more steps.
            self.steps = MOST_STEPS + 1;
            return;
        }
        let mut input = self.piped.take();
        let mut given: Vec<&Assignment> = Vec::new();
        let mut is_redirected = false;
        let mut words = Vec::new();
        let prefix = simple.prefix.iter().flat_map(|prefix| &prefix.0);
        for item in prefix {
            match item {
                CommandPrefixOrSuffixItem::IoRedirect(redirect) => {
                    is_redirected |= takes_output(redirect);
                    input = self.redirect(redirect).or(input);
                }
                CommandPrefixOrSuffixItem::AssignmentWord(assignment, _) => given.push(assignment),
                CommandPrefixOrSuffixItem::Word(word) => drop(self.word(word)),
                CommandPrefixOrSuffixItem::ProcessSubstitution(_, subshell) => drop(self.apart(subshell)),
            }
        }
        if let Some(name) = &simple.word_or_name {
            words.extend(self.split(name));
        }
        for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
            match item {
                CommandPrefixOrSuffixItem::IoRedirect(redirect) => {
                    is_redirected |= takes_output(redirect);
                    input = self.redirect(redirect).or(input);
                }
                CommandPrefixOrSuffixItem::Word(word)
                | CommandPrefixOrSuffixItem::AssignmentWord(_, word) => words.extend(self.split(word)),
                CommandPrefixOrSuffixItem::ProcessSubstitution(_, subshell) => {
                    words.push(self.substituted(subshell));
                }
            }
        }
        for assignment in given {
            let value = self.assigned(assignment);
            if let (AssignmentName::VariableName(name), true) = (&assignment.name, words.is_empty()) {
                self.state.set(name, value);
            }
        }
        if !words.is_empty() {
            let reads = words.first().is_some_and(|first| !READ_NOTHING.contains(&first.text.as_str()));
            if reads && input.is_none() {
                input = self.waiting.take();
            }
            self.builtin(&words);
            let output = interpret::output_of(&words, input.as_deref());
            self.start(&words, input.as_deref(), &mut Vec::new());
            self.piped = output.filter(|_| !is_redirected);
            match interpret::name_of(&words[0].text) {
                "find" => self.finds = interpret::found_by(&words[1..]),
                // What these let through is a part of it.
                program if PASSING.contains(&program) => self.finds.clone_from(&self.found_below),
                _ => {}
            }
        }
    }

    /// The file of a process substitution.
    fn substituted(&mut self, subshell: &SubshellCommand) -> Argument {
        let output = self.apart(subshell);
        let path = format!("/dev/fd/{}", 63 + self.files.len());
        if let Some(output) = output {
            self.files.insert(path.clone(), output);
        }
        Argument { text: path, known: true, quoted: false }
    }

    /// What commands of the shell itself do to variables, aliases and the directory.
    fn builtin(&mut self, words: &[Argument]) {
        let Some((first, arguments)) = words.split_first() else { return };
        let plain = arguments.iter().filter(|word| !word.text.starts_with('-'));
        match first.text.as_str() {
            "export" | "declare" | "typeset" | "readonly" | "local" => {
                for word in plain {
                    if let Some((name, value)) = word.text.split_once('=') {
                        self.state.set(name, word.known.then(|| value.to_owned()));
                    }
                }
            }
            "read" | "unset" | "mapfile" | "readarray" => {
                plain.for_each(|word| self.state.set(&word.text, None));
            }
            "alias" => {
                for word in plain {
                    if let Some((name, value)) = word.text.split_once('=') {
                        self.aliases.insert(name.to_owned(), value.to_owned());
                    }
                }
            }
            "cd" | "pushd" => {
                let to = arguments.iter().find(|word| word.text == "-" || !word.text.starts_with('-'));
                if first.text == "pushd" {
                    self.remember();
                }
                self.go(to);
            }
            "popd" => self.go_back(),
            _ => {}
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
}

/// Commands that leave their standard input to those behind them, or to those that they start themselves.
const READ_NOTHING: [&str; 26] = [
    ":", "true", "false", "cd", "pushd", "popd", "echo", "printf", "export", "set", "unset", "local",
    "declare", "mkdir", "test", "[", "sleep", "ls", "pwd", "rm", "touch", "date", "trap", "eval", "source",
    ".",
];

/// Programs that put out a part of the lines that they get.
const PASSING: [&str; 8] = ["grep", "egrep", "rg", "sort", "uniq", "head", "tail", "shuf"];

/// Commands taken not to fail, so that what stands behind them and `&&` runs.
const SURE: [&str; 10] = [":", "true", "cd", "pushd", "echo", "printf", "export", "set", "mkdir", "local"];

/// True if a pipeline is one that does not fail.
fn is_sure(pipeline: &Pipeline) -> bool {
    match pipeline.seq.as_slice() {
        [Command::Simple(simple)] => {
            !pipeline.bang
                && simple.word_or_name.as_ref().is_none_or(|name| SURE.contains(&name.value.as_str()))
        }
        _ => false,
    }
}

/// True if the standard output goes elsewhere.
const fn takes_output(redirect: &IoRedirect) -> bool {
    use IoFileRedirectKind::{Append, Clobber, DuplicateOutput, Write};
    match redirect {
        IoRedirect::OutputAndError(..) => true,
        IoRedirect::File(None | Some(1), kind, _) => {
            matches!(kind, Write | Append | Clobber | DuplicateOutput)
        }
        _ => false,
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
    let parse = |command: &str| {
        catch_unwind(|| {
            let tokens =
                uncached_tokenize_str(command, &ParserOptions::default().tokenizer_options()).ok()?;
            parse_tokens(&tokens, &ParserOptions::default()).ok()
        })
        .ok()
        .flatten()
    };
    parse(command).or_else(|| parse(&with_for(command)?))
}

/// A command with `for` where it has `select`, which the parser does not know: both call what stands within them, once for each
/// word or answer. `None` where there is none.
fn with_for(command: &str) -> Option<String> {
    const SELECT: &str = "select";
    let mut text = String::with_capacity(command.len());
    let mut rest = command;
    let mut has_any = false;
    while let Some(at) = rest.find(SELECT) {
        let (before, after) = (&rest[..at], &rest[at + SELECT.len()..]);
        text.push_str(before);
        // Where a command begins.
        let so_far = text.trim_end_matches([' ', '\t']);
        let begins = so_far.is_empty()
            || so_far.ends_with([';', '&', '|', '(', '{', '\n', '!'])
            || ["do", "then", "else"].iter().any(|word| so_far.ends_with(word));
        let is_word = after.starts_with([' ', '\t']) && !text.ends_with(|sign: char| sign.is_alphanumeric());
        let is_loop = begins && is_word;
        has_any |= is_loop;
        text.push_str(if is_loop { "for" } else { SELECT });
        rest = after;
    }
    text.push_str(rest);
    has_any.then_some(text)
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
