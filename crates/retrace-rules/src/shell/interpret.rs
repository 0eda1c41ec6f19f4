//! What calls of programs start.

use super::files::PUT_IN;
use super::starters::{ELSEWHERE, Handed, STARTERS, TO_A_SHELL, handed, is_option, joined, takes_next};
use super::{Argument, Call, Shell};
use retrace_origin::CallFile;
use std::rc::Rc;

/// Shells, whose `-c` is a command.
const SHELLS: [&str; 8] = ["sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "mksh"];

impl Shell {
    /// A program that is started with these words.
    pub(super) fn start(&mut self, words: &[Argument], input: Option<&str>, within: &mut Vec<Vec<String>>) {
        let Some((first, arguments)) = words.split_first() else { return };
        if !self.step() {
            return;
        }
        let program = match name_in(first) {
            Some("") => return,
            Some(program) => program.to_owned(),
            None => {
                self.add_call(&first.text, false, arguments, input, within);
                return;
            }
        };
        if let Some(body) = self.functions.get(&program).cloned() {
            self.function(&body, arguments, input);
            return;
        }
        // Whether it is put in depends on how the shell was started.
        if let Some(command) = self.aliases.get(&program) {
            self.found.unparsed.push(command.clone());
        }
        // `command -v npm` asks where npm lies.
        let asks = program == "command"
            && arguments.first().is_some_and(|argument| ["-v", "-V"].contains(&argument.text.as_str()));
        self.add_call(&program, true, arguments, input, within);
        if asks {
            return;
        }
        if within.len() >= super::DEEPEST {
            self.found.unparsed.push(joined(words));
            return;
        }
        if is_fed(within, arguments) {
            let put_in = Argument { text: PUT_IN.to_owned(), known: false, quoted: false };
            self.write_files(&program, &[arguments, &[put_in]].concat(), input);
        } else {
            self.write_files(&program, arguments, input);
        }
        self.started_by(&program, words, input, within);
    }

    fn add_call(
        &mut self,
        program: &str,
        known: bool,
        arguments: &[Argument],
        input: Option<&str>,
        within: &[Vec<String>],
    ) {
        self.found.calls.push(Call {
            program: program.to_owned(),
            known,
            arguments: arguments.to_vec(),
            within: within.to_vec(),
            input: input.map(str::to_owned),
        });
    }

    /// A function that is called.
    fn function(
        &mut self,
        body: &brush_parser::ast::FunctionBody,
        arguments: &[Argument],
        input: Option<&str>,
    ) {
        if self.depth >= super::DEEPEST {
            self.found.unparsed.push(String::new());
            return;
        }
        self.depth += 1;
        let before = self.positional.replace(Rc::new(arguments.to_vec()));
        match self.redirects(body.1.as_ref()).or_else(|| input.map(str::to_owned)) {
            None => drop(self.compound(&body.0)),
            input => drop(self.with_input(input, |shell| shell.compound(&body.0))),
        }
        self.positional = before;
        self.depth -= 1;
    }

    /// What a program starts with its words.
    fn started_by(
        &mut self,
        program: &str,
        words: &[Argument],
        input: Option<&str>,
        within: &mut Vec<Vec<String>>,
    ) {
        let arguments = &words[1..];
        match program {
            program if SHELLS.contains(&program) => self.shell(arguments, input),
            "eval" => match input {
                None => self.run(&joined(arguments)),
                Some(input) => {
                    self.with_input(Some(input.to_owned()), |shell| shell.run(&joined(arguments)));
                }
            },
            "source" | "." => {
                if let Some(text) = arguments.first().and_then(|file| self.files.get(&file.text)).cloned() {
                    self.run(&text);
                }
            }
            "su" | "script" | "sg" => drop(self.option_c(arguments)),
            "at" | "batch" => input.into_iter().for_each(|input| self.run_apart(input)),
            "trap" => {
                if let Some(command) = arguments.first().filter(|command| command.known) {
                    self.run_apart(&command.text);
                }
            }
            "find" => self.find(words, within),
            "git" if arguments.iter().any(|argument| argument.text == "foreach") => {
                let command = arguments.iter().skip_while(|argument| argument.text != "foreach").skip(1);
                let command: Vec<Argument> =
                    command.filter(|word| !word.text.starts_with('-')).cloned().collect();
                self.run_apart(&joined(&command));
            }
            // What is typed into another terminal is read by whatever runs there.
            "tmux"
                if arguments
                    .first()
                    .is_some_and(|word| ["send-keys", "send"].contains(&word.text.as_str())) =>
            {
                self.found.unparsed.push(joined(&arguments[1..]));
            }
            "runuser" if self.option_c(arguments) => {}
            program if ELSEWHERE.contains(&program) => {
                let files = self.found.writes.len();
                self.starter(program, words, input, within);
                self.found.writes.truncate(files);
            }
            _ => self.starter(program, words, input, within),
        }
    }

    /// What a starter starts.
    fn starter(
        &mut self,
        program: &str,
        words: &[Argument],
        input: Option<&str>,
        within: &mut Vec<Vec<String>>,
    ) {
        let all = handed(program, &words[1..]);
        if !all.is_empty() {
            for one in all {
                match one {
                    Handed::Text(text) => self.run_apart(&text),
                    Handed::Words(inner) => {
                        within.push(vec![program.to_owned()]);
                        self.start(&inner, input, within);
                        within.pop();
                    }
                }
            }
            return;
        }
        for starter in STARTERS.iter().filter(|starter| starter.program == program) {
            let Some(at) = starter.starts_at(words) else { continue };
            // These hand their words to a shell: `watch 'npm t'`.
            if program == "ssh"
                || TO_A_SHELL.contains(&program) && words[at].text.contains(char::is_whitespace)
            {
                let command = words[at..].iter().take_while(|word| !word.text.starts_with(":::"));
                self.run_apart(&joined(&command.cloned().collect::<Vec<_>>()));
                return;
            }
            let before: Vec<String> = words[..at].iter().map(|word| word.text.clone()).collect();
            if program == "xargs" && self.of_lines(&before, &words[at..], input, within) {
                return;
            }
            within.push(before);
            // What `npx tsc@5 --version` starts is called tsc.
            let mut inner = words[at..].to_vec();
            if ["npx", "bunx", "pnpx", "uvx", "pnpm", "yarn", "npm", "bun", "pipx", "uv"].contains(&program) {
                inner[0].text = without_version(&inner[0].text).to_owned();
            }
            self.start(&inner, input, within);
            within.pop();
            return;
        }
        self.runner(program, words, input, within);
    }

    /// What a runner of scripts starts where it is given the name of a program: `pnpm tsc`, `yarn run prisma`.
    fn runner(
        &mut self,
        program: &str,
        words: &[Argument],
        input: Option<&str>,
        within: &mut Vec<Vec<String>>,
    ) {
        let text = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
        let is_run = text(1) == "run" && ["yarn", "bun"].contains(&program);
        let at = if is_run { 2 } else { 1 };
        let is_known = words.get(at).is_some_and(|word| word.known);
        if is_known && crate::matching::runners::starts(program, text(at)) {
            within.push(words[..at].iter().map(|word| word.text.clone()).collect());
            self.start(&words[at..], input, within);
            within.pop();
        }
    }

    /// A shell whose command `xargs -I` makes of its lines; true where it is one. Where they are not known, and the command begins
    /// with one, only the shell knows what it calls.
    fn of_lines(
        &mut self,
        xargs: &[String],
        words: &[Argument],
        input: Option<&str>,
        within: &mut Vec<Vec<String>>,
    ) -> bool {
        let Some(mark) = put_in_for(xargs) else { return false };
        let runs_text = words.first().and_then(name_in).is_some_and(|program| SHELLS.contains(&program));
        if !runs_text || mark.is_empty() || !words.iter().any(|word| word.text.contains(mark)) {
            return false;
        }
        let with = |line: &str, known: bool| {
            let put = |word: &Argument| Argument {
                text: word.text.replace(mark, line),
                known: word.known && (known || !word.text.contains(mark)),
                quoted: word.quoted,
            };
            words.iter().map(put).collect::<Vec<_>>()
        };
        let lines: Vec<&str> = input.into_iter().flat_map(str::lines).take(MOST_LINES).collect();
        let begins = |word: &Argument| word.text.trim_start_matches(['"', '\'', ' ']).starts_with(mark);
        if input.is_none() && !words.iter().any(begins) {
            return false;
        }
        within.push(xargs.to_vec());
        if input.is_none() {
            self.start(&with("$line", false), None, within);
        }
        for line in lines {
            self.start(&with(line.trim_start(), true), None, within);
        }
        within.pop();
        true
    }

    /// A shell's command: of `-c`, of a file whose text is known, or from standard input.
    fn shell(&mut self, arguments: &[Argument], input: Option<&str>) {
        let (mut is_command, mut is_input, mut at) = (false, false, 0);
        while let Some(word) = arguments.get(at) {
            let text = word.text.as_str();
            if text == "--" || text == "-" {
                at += 1;
                break;
            }
            if !(is_option(text) || text.len() > 1 && text.starts_with('+')) {
                break;
            }
            if !text.starts_with("--") {
                is_command |= text.contains('c');
                is_input |= text.contains('s');
            }
            at += if takes_next(&["-o", "-O", "--rcfile", "--init-file"], text)
                || text.starts_with('+') && text.ends_with(['o', 'O'])
            {
                2
            } else {
                1
            };
        }
        let rest = arguments.get(at..).unwrap_or_default();
        match (rest.split_first(), input) {
            (Some((command, rest)), _) if is_command => {
                // The first word behind it is the name of the shell.
                let rest = rest.get(1..).unwrap_or_default();
                self.with_input(input.map(str::to_owned), |shell| shell.run_with(&command.text, rest));
            }
            (_, Some(input)) if is_input || rest.is_empty() => {
                self.with_input(None, |shell| shell.run_with(input, rest));
            }
            (Some((file, rest)), _) if !is_input => {
                if let Some(text) = self.files.get(&file.text).cloned() {
                    self.run_with(&text, rest);
                }
            }
            _ => {}
        }
    }

    /// Follows the word after `-c` (or a cluster such as `-lc`), wherever it stands; true if there is one.
    fn option_c(&mut self, arguments: &[Argument]) -> bool {
        let option = arguments.iter().position(|argument| {
            let text = argument.text.as_str();
            text == "--command" || text.starts_with('-') && !text.starts_with("--") && text.ends_with('c')
        });
        let Some(command) = option.and_then(|at| arguments.get(at + 1)) else { return false };
        self.run_apart(&command.text);
        true
    }

    /// The programs of `find -exec`, and what `find -delete` removes.
    fn find(&mut self, words: &[Argument], within: &mut Vec<Vec<String>>) {
        let is_exec = |word: &Argument| ["-exec", "-execdir", "-ok", "-okdir"].contains(&word.text.as_str());
        let before = std::mem::replace(&mut self.found_below, found_by(words.get(1..).unwrap_or_default()));
        let mut rest = words;
        while let Some(at) = rest.iter().position(is_exec) {
            let after = &rest[at + 1..];
            let end =
                after.iter().position(|word| word.text == ";" || word.text == "+").unwrap_or(after.len());
            within.push(vec!["find".to_owned()]);
            self.start(&after[..end], None, within);
            within.pop();
            rest = &after[end..];
        }
        if words.iter().any(|word| word.text == "-delete") {
            self.write(&CallFile { path: PUT_IN.to_owned(), with_all_below: true, perhaps: false });
        }
        self.found_below = before;
    }
}

/// What `find` finds, for each place where it looks. Of its tests, a single name narrows it.
pub(super) fn found_by(arguments: &[Argument]) -> Vec<String> {
    let options = arguments.iter().skip_while(|word| ["-L", "-H", "-P"].contains(&word.text.as_str()));
    let places = options.take_while(|word| !word.text.starts_with(['-', '(', '!']) && word.text != "\\(");
    let mut places: Vec<&str> = places.map(|word| word.text.as_str()).collect();
    if places.is_empty() {
        places.push(".");
    }
    let is = |word: &Argument, names: &[&str]| names.contains(&word.text.as_str());
    let mut names =
        arguments.windows(2).filter(|two| is(&two[0], &["-name"])).map(|two| two[1].text.as_str());
    let narrows = !arguments.iter().any(|word| is(word, &["-o", "-or", "!", "-not", ","]));
    let name = names.next().filter(|_| narrows && names.next().is_none());
    let wild = |name: &str| name.contains(['*', '?', '[', '$', '`']);
    let found = match name {
        Some(name) if !wild(name) => format!("{PUT_IN}/{name}"),
        Some(name) => match name.strip_prefix('*').filter(|ending| !wild(ending)) {
            Some(ending) => format!("{PUT_IN}{ending}"),
            None => PUT_IN.to_owned(),
        },
        None => PUT_IN.to_owned(),
    };
    places.into_iter().map(|place| format!("{}/{found}", place.trim_end_matches('/'))).collect()
}

/// True if `xargs` puts its words behind those of a program.
fn is_fed(within: &[Vec<String>], arguments: &[Argument]) -> bool {
    let replaces = |words: &[String]| {
        words
            .iter()
            .any(|word| word.starts_with("-I") || word.starts_with("-i") || word.starts_with("--replace"))
    };
    within.last().is_some_and(|words| words.first().is_some_and(|first| first == "xargs") && !replaces(words))
        && !arguments.iter().any(|word| word.text.contains(PUT_IN))
}

/// Most lines of an input that `xargs` starts a shell for.
const MOST_LINES: usize = 64;

/// What `xargs` puts its lines in for: `{}` of `-I{}`, `-I {}`, `-i` and `--replace`.
fn put_in_for(words: &[String]) -> Option<&str> {
    let (at, word) = words.iter().enumerate().find(|(_, word)| {
        word.starts_with("-I") || word.starts_with("-i") || word.starts_with("--replace")
    })?;
    let given = word.trim_start_matches("--replace").trim_start_matches("-I").trim_start_matches("-i");
    match given.trim_start_matches('=') {
        "" if word == "-I" => words.get(at + 1).map(String::as_str),
        "" => Some(PUT_IN),
        given => Some(given),
    }
}

/// The name of the program that a word calls; `None` where only the shell knows it.
fn name_in(word: &Argument) -> Option<&str> {
    if let Some(program) = looked_up(&word.text).filter(|_| !word.known) {
        return Some(program);
    }
    let program = name_of(&word.text);
    // `~/bin/npm` is npm, wherever that is.
    let is_named = word.known || word.text.contains('/') && !program.contains(['$', '`', '*', '?', ')', '}']);
    is_named.then_some(program)
}

/// The program that `$(which npm)` or `$(command -v npm)` finds.
fn looked_up(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')'));
    let inner = inner.or_else(|| text.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')))?.trim();
    let asking = ["which ", "command -v ", "type -p ", "type -P ", "whereis -b "];
    let name = asking.iter().find_map(|asking| inner.strip_prefix(asking))?;
    // Where it is not found, nothing is called.
    let name = name.split(" 2>").next().unwrap_or_default().trim().trim_matches(['"', '\'']);
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "-_.+".contains(letter);
    (!name.is_empty() && name.chars().all(is_name)).then_some(name)
}

/// What a program puts out that does nothing else, as far as it is known.
pub(super) fn output_of(words: &[Argument], input: Option<&str>) -> Option<String> {
    let (first, arguments) = words.split_first()?;
    match name_of(&first.text) {
        "echo" => {
            let is_option =
                |argument: &&Argument| ["-n", "-e", "-E", "-ne", "-en"].contains(&argument.text.as_str());
            let given = || arguments.iter().take_while(is_option);
            let escapes = given().any(|option| option.text.contains('e'));
            let mut text = joined(&arguments.iter().skip_while(is_option).cloned().collect::<Vec<_>>());
            if !given().any(|option| option.text.contains('n')) {
                text.push('\n');
            }
            Some(if escapes { text.replace("\\n", "\n") } else { text })
        }
        "printf" => {
            let (format, values) = arguments.split_first()?;
            let mut values = values.iter();
            let mut text = String::new();
            let format = format.text.replace("\\n", "\n");
            let mut parts = format.split("%s");
            text.push_str(parts.next()?);
            for part in parts {
                text.push_str(values.next().map_or("", |value| &value.text));
                text.push_str(part);
            }
            // The format is used again for what is left.
            for value in values {
                text.push('\n');
                text.push_str(&value.text);
            }
            Some(text)
        }
        "cat" if arguments.iter().all(|argument| argument.text == "-") => input.map(str::to_owned),
        "tee" => input.map(str::to_owned),
        _ => None,
    }
}

/// The name of a program without its directory and without `.exe`.
pub(crate) fn name_of(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name.strip_suffix(".exe").or_else(|| name.strip_suffix(".cmd")).unwrap_or(name)
}

/// The name of a package without the version behind it.
fn without_version(package: &str) -> &str {
    let from = usize::from(package.starts_with('@'));
    package.get(from..).and_then(|rest| rest.find('@')).map_or(package, |at| &package[..from + at])
}
