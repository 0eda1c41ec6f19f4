//! Programs that start another program, and which words are that program's.

use super::{Argument, Call, Shell};

/// Shells, whose `-c` is a command.
const SHELLS: [&str; 8] = ["sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "mksh"];

/// How a program that starts another one is called.
struct Starter {
    program: &'static str,
    /// Words that must stand before what it starts, such as `exec` of `npm exec`; none where the program alone starts it.
    subcommands: &'static [&'static str],
    /// Options that take the next word as their value.
    with_value: &'static [&'static str],
    /// Words without a dash before the program, such as the duration of `timeout`.
    operands: usize,
    /// True if assignments may stand before the program.
    assignments: bool,
}

const fn starter(
    program: &'static str,
    subcommands: &'static [&'static str],
    with_value: &'static [&'static str],
) -> Starter {
    Starter { program, subcommands, with_value, operands: 0, assignments: false }
}

/// Programs that start the program named by their next words.
const STARTERS: [Starter; 56] = [
    Starter {
        assignments: true,
        ..starter("sudo", &[], &["-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-U"])
    },
    Starter { assignments: true, ..starter("doas", &[], &["-u", "-C"]) },
    Starter { assignments: true, ..starter("env", &[], &["-u", "-C", "--unset", "--chdir"]) },
    starter("command", &[], &[]),
    starter("builtin", &[], &[]),
    starter("exec", &[], &["-a"]),
    starter("time", &[], &["-f", "-o"]),
    starter("nohup", &[], &[]),
    starter("nice", &[], &["-n"]),
    starter("ionice", &[], &["-c", "-n"]),
    starter("setsid", &[], &[]),
    starter("stdbuf", &[], &["-i", "-o", "-e"]),
    Starter { operands: 1, ..starter("timeout", &[], &["-s", "-k", "--signal", "--kill-after"]) },
    Starter { operands: 1, ..starter("gtimeout", &[], &["-s", "-k"]) },
    starter("xargs", &[], &["-I", "-n", "-P", "-d", "-L", "-a", "-E", "-s"]),
    starter("watch", &[], &["-n", "--interval"]),
    starter(
        "parallel",
        &[],
        &["-j", "--jobs", "-I", "-n", "-N", "-a", "--arg-file", "--joblog", "--timeout"],
    ),
    Starter { operands: 1, ..starter("flock", &[], &["-w", "--timeout", "-E", "--conflict-exit-code"]) },
    Starter { operands: 1, ..starter("chroot", &[], &[]) },
    starter("unshare", &[], &["-R", "-w"]),
    Starter { operands: 1, ..starter("taskset", &[], &[]) },
    Starter { operands: 1, ..starter("chrt", &[], &[]) },
    starter("systemd-run", &[], &["-p", "-u", "--unit", "--property", "-E", "--setenv", "-M"]),
    starter("xvfb-run", &[], &["-n", "-s", "-e"]),
    starter("fakeroot", &[], &[]),
    starter("entr", &[], &[]),
    starter("corepack", &[], &[]),
    Starter { assignments: true, ..starter("cross-env", &[], &[]) },
    starter("unbuffer", &[], &[]),
    starter("chronic", &[], &[]),
    starter("caffeinate", &[], &["-t", "-w"]),
    starter("rtk", &[], &[]),
    starter("npx", &[], &["-p", "--package", "-w", "--workspace"]),
    starter("bunx", &[], &["-p", "--package"]),
    starter("pnpx", &[], &[]),
    starter("uvx", &[], &["--from", "--with", "-p", "--python"]),
    starter("pipx", &["run"], &["--spec"]),
    starter("npm", &["exec"], &["-p", "--package", "-w", "--workspace", "--prefix"]),
    starter("npm", &["x"], &["-p", "--package", "-w", "--workspace", "--prefix"]),
    starter("pnpm", &["exec"], &["-C", "--dir", "-F", "--filter"]),
    starter("pnpm", &["dlx"], &["--package"]),
    starter("yarn", &["exec"], &[]),
    starter("yarn", &["dlx"], &["-p", "--package"]),
    starter("bun", &["x"], &[]),
    starter(
        "uv",
        &["run"],
        &["--with", "--python", "-p", "--group", "--extra", "--project", "--directory", "--package"],
    ),
    starter("uv", &["tool", "run"], &["--with", "--python", "-p", "--from"]),
    starter("poetry", &["run"], &["-C", "--directory"]),
    starter("pipenv", &["run"], &[]),
    starter("pdm", &["run"], &["-p"]),
    starter("hatch", &["run"], &["-e"]),
    starter("rye", &["run"], &[]),
    starter("bundle", &["exec"], &[]),
    starter("mise", &["exec"], &["-C"]),
    Starter { operands: 1, ..starter("direnv", &["exec"], &[]) },
    starter("git", &["bisect", "run"], &["-C", "-c"]),
    starter("strace", &[], &["-o", "-e", "-p", "-s"]),
];

impl Shell {
    /// A program that is started with these words.
    pub(super) fn start(&mut self, words: &[Argument], input: Option<&str>, within: &mut Vec<Vec<String>>) {
        let Some((first, arguments)) = words.split_first() else { return };
        let program = name_of(&first.text);
        // `~/bin/npm` is npm, wherever that is.
        let is_named =
            first.known || first.text.contains('/') && !program.contains(['$', '`', '*', '?', ')', '}']);
        if !is_named {
            self.found.hidden = true;
            return;
        }
        if program.is_empty() {
            return;
        }
        if let Some(body) = self.functions.get(program).cloned()
            && self.depth < super::DEEPEST
        {
            self.depth += 1;
            self.compound(&body.0);
            self.depth -= 1;
            return;
        }
        // `command -v npm` asks where npm lies.
        let asks = program == "command"
            && arguments.first().is_some_and(|argument| ["-v", "-V"].contains(&argument.text.as_str()));
        self.found.calls.push(Call {
            program: program.to_owned(),
            arguments: arguments.to_vec(),
            within: within.clone(),
            input: input.map(str::to_owned),
        });
        if asks || within.len() >= super::DEEPEST {
            return;
        }
        if SHELLS.contains(&program) {
            self.shell(arguments, input);
        } else if program == "eval" {
            self.run(&joined(arguments));
        } else if program == "su" || program == "script" {
            self.option_c(arguments);
        } else if program == "trap" {
            if let Some(command) = arguments.first().filter(|command| command.known) {
                self.run_apart(&command.text);
            }
        } else if program == "find" {
            self.find(words, within);
        } else if program == "git" && arguments.iter().any(|argument| argument.text == "foreach") {
            let command = arguments.iter().skip_while(|argument| argument.text != "foreach").skip(1);
            let command: Vec<Argument> =
                command.filter(|word| !word.text.starts_with('-')).cloned().collect();
            self.run_apart(&joined(&command));
        } else {
            self.started_by(words, input, within);
        }
    }

    /// What a starter starts.
    fn started_by(&mut self, words: &[Argument], input: Option<&str>, within: &mut Vec<Vec<String>>) {
        let program = name_of(&words[0].text);
        for starter in STARTERS.iter().filter(|starter| starter.program == program) {
            // `npx -c 'npm ci'` and `env -S 'npm ci'` hand a command over as one word.
            if let Some(command) = whole_command(program, &words[1..]) {
                self.run_apart(&command);
                return;
            }
            let Some(at) = starter.starts_at(words) else { continue };
            // These hand their words to a shell: `watch 'npm t'`.
            if ["watch", "parallel"].contains(&program) && words[at].text.contains(char::is_whitespace) {
                let command = words[at..].iter().take_while(|word| !word.text.starts_with(":::"));
                self.run_apart(&joined(&command.cloned().collect::<Vec<_>>()));
                return;
            }
            let before = words[..at].iter().map(|word| word.text.clone()).collect();
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
    }

    /// A shell's command: of `-c`, or from standard input.
    fn shell(&mut self, arguments: &[Argument], input: Option<&str>) {
        if self.option_c(arguments) {
            return;
        }
        let script = arguments.iter().any(|argument| !argument.text.starts_with('-'));
        if let (false, Some(input)) = (script, input) {
            self.run_apart(input);
        }
    }

    /// Follows the word after `-c` (or a cluster such as `-lc`); true if there is one.
    fn option_c(&mut self, arguments: &[Argument]) -> bool {
        let option = arguments.iter().position(|argument| {
            let text = argument.text.as_str();
            text.starts_with('-') && !text.starts_with("--") && text.ends_with('c')
        });
        let Some(command) = option.and_then(|at| arguments.get(at + 1)) else { return false };
        self.run_apart(&command.text);
        self.found.hidden |= !command.known && command.text.trim_start().starts_with('$');
        true
    }

    /// The programs of `find -exec`.
    fn find(&mut self, words: &[Argument], within: &mut Vec<Vec<String>>) {
        let is_exec = |word: &Argument| ["-exec", "-execdir", "-ok", "-okdir"].contains(&word.text.as_str());
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
    }
}

impl Starter {
    /// The index of the program that is started; `None` if none is.
    fn starts_at(&self, words: &[Argument]) -> Option<usize> {
        let (mut subcommands, mut operands) = (self.subcommands.iter(), self.operands);
        let mut wanted = subcommands.next();
        let mut at = 1;
        while let Some(word) = words.get(at) {
            let text = word.text.as_str();
            if text == "--" && wanted.is_none() {
                at += 1;
                break;
            }
            if text.starts_with('-') && text != "-" {
                at += if self.with_value.contains(&text) { 2 } else { 1 };
            } else if let Some(subcommand) = wanted {
                if text != *subcommand {
                    return None;
                }
                wanted = subcommands.next();
                at += 1;
            } else if self.assignments && is_assignment(text) {
                at += 1;
            } else if operands > 0 {
                operands -= 1;
                at += 1;
            } else {
                break;
            }
        }
        (wanted.is_none() && at < words.len()).then_some(at)
    }
}

/// The command that a starter takes as one word.
fn whole_command(program: &str, arguments: &[Argument]) -> Option<String> {
    let options: &[&str] = match program {
        "npx" | "npm" => &["-c", "--call"],
        "env" => &["-S", "--split-string"],
        // Behind the file.
        "flock" => {
            let at = arguments
                .iter()
                .position(|argument| ["-c", "--command"].contains(&argument.text.as_str()))?;
            return arguments.get(at + 1).map(|command| command.text.clone());
        }
        _ => return None,
    };
    let at = arguments.iter().take_while(|argument| argument.text.starts_with('-'));
    let at = at.enumerate().find(|(_, argument)| options.contains(&argument.text.as_str()))?.0;
    arguments.get(at + 1).map(|command| command.text.clone())
}

fn joined(arguments: &[Argument]) -> String {
    arguments.iter().map(|argument| argument.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// What a program puts out that does nothing else, as far as it is known.
pub(super) fn output_of(words: &[Argument], input: Option<&str>) -> Option<String> {
    let (first, arguments) = words.split_first()?;
    match name_of(&first.text) {
        "echo" => {
            let is_option =
                |argument: &&Argument| ["-n", "-e", "-E", "-ne", "-en"].contains(&argument.text.as_str());
            let escapes = arguments.iter().take_while(is_option).any(|option| option.text.contains('e'));
            let text = joined(&arguments.iter().skip_while(is_option).cloned().collect::<Vec<_>>());
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

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    })
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
