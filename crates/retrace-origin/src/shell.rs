//! What a shell command writes, as far as its text alone tells.
//!
//! Plain commands are read: a text given in place (`cat > F <<'EOF'`), `echo`, `printf`, `tee`, `rm`, `mv`, `cp`, `touch`,
//! `truncate -s 0`, `git mv`, `git rm`, `apply_patch`, `cd`, and a shell started with a command. Nothing is expanded and no
//! branch is followed: a file that any other command names is [`Effect::Unparsed`], unless the command only reads.

mod lex;

use crate::patch;
use crate::path::{name_of, resolve};
use crate::write::Effect;
use lex::{Redirection, Simple, Word, commands};

/// Commands that change no file they name.
const READING: [&str; 44] = [
    "[",
    "[[",
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
    "echo",
    "exit",
    "export",
    "false",
    "file",
    "grep",
    "egrep",
    "head",
    "jq",
    "less",
    "ls",
    "md5sum",
    "mkdir",
    "more",
    "printf",
    "pwd",
    "readlink",
    "realpath",
    "rg",
    "sha256sum",
    "sleep",
    "stat",
    "tail",
    "test",
    "tree",
    "true",
    "wc",
    "which",
    "xxd",
];

/// Subcommands of git that change files of the working tree.
const WRITING_GIT: [&str; 9] =
    ["apply", "checkout", "clean", "merge", "pull", "rebase", "reset", "restore", "stash"];

/// Words before a command that do not change what it does to files.
const PREFIXES: [&str; 12] =
    ["sudo", "command", "builtin", "time", "nohup", "env", "exec", "then", "do", "else", "!", "{"];

/// How deep commands within commands (`bash -c`) are followed.
const DEEPEST: usize = 3;

/// The writes of a command, each with its path as named and the directory it is relative to.
pub(crate) fn effects(command: &str, directory: Option<&str>) -> Vec<(String, Option<String>, Effect)> {
    let mut shell = Shell { directory: directory.map(str::to_owned), found: Vec::new(), nested: 0 };
    shell.run(command);
    shell.found
}

/// A file written, the directory it is relative to, and how.
type Found = (String, Option<String>, Effect);

struct Shell {
    directory: Option<String>,
    found: Vec<Found>,
    nested: usize,
}

/// Bytes that a command puts out, where they are known.
type Output = Option<Vec<u8>>;

impl Shell {
    fn run(&mut self, text: &str) {
        let Some(commands) = commands(text) else {
            self.mentioned(text);
            return;
        };
        let mut outer: Vec<Option<String>> = Vec::new();
        let mut output: Output = None;
        for command in commands {
            while outer.len() < command.depth {
                outer.push(self.directory.clone());
            }
            while outer.len() > command.depth {
                self.directory = outer.pop().unwrap_or_default();
            }
            let input = match &command.input {
                Some(text) => text.clone().map(String::into_bytes),
                None if command.piped => output.take(),
                None => None,
            };
            output = self.command(&command, input);
        }
    }

    fn command(&mut self, command: &Simple, input: Output) -> Output {
        let words = without_prefixes(&command.words);
        let name = words.first().map_or("", |word| name_of(&word.text));
        let arguments = words.get(1..).unwrap_or_default();
        let output = if words.is_empty() || matches!(name, ":" | "true") {
            Some(Vec::new())
        } else {
            self.named(name, arguments, command, input)
        };
        let mut targets =
            command.redirections.iter().filter(|to| !to.to.text.starts_with("/dev/")).peekable();
        if targets.peek().is_none() {
            return output;
        }
        for Redirection { to, append, output: is_output } in targets {
            if to.expands {
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

    fn named(&mut self, name: &str, arguments: &[Word], command: &Simple, input: Output) -> Output {
        match name {
            "cd" | "pushd" => {
                let to = arguments.iter().find(|word| !word.text.starts_with('-'));
                self.directory = match to {
                    Some(to) if to.expands => None,
                    Some(to) => Some(resolve(&to.text, self.directory.as_deref())),
                    None => Some("~".to_owned()),
                };
                Some(Vec::new())
            }
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
                    let effect = with_resolved(effect, self.directory.as_deref());
                    self.push(&path, effect);
                }
                None
            }
            "bash" | "sh" | "zsh" | "dash" | "eval" if self.nested < DEEPEST => {
                let program = arguments.iter().filter(|word| name == "eval" || !word.text.starts_with('-'));
                match program.clone().next() {
                    Some(word) if !word.expands && (name == "eval" || arguments.len() >= 2) => {
                        let kept = self.directory.clone();
                        self.nested += 1;
                        self.run(&word.text);
                        self.nested -= 1;
                        self.directory = kept;
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
            _ if READING.contains(&name) => None,
            _ => {
                self.unknown(arguments, command);
                None
            }
        }
    }

    fn each(&mut self, arguments: &[Word], effect: &Effect) -> Output {
        for file in files(arguments) {
            self.push(&file.text, if file.expands { Effect::Unparsed } else { effect.clone() });
        }
        Some(Vec::new())
    }

    fn moved(&mut self, arguments: &[Word], gone: bool) -> Output {
        let named: Vec<&Word> = files(arguments).collect();
        let (to, sources) = named.split_last()?;
        for from in sources {
            if from.expands || to.expands {
                self.push(&from.text, Effect::Unparsed);
                self.push(&to.text, Effect::Unparsed);
                continue;
            }
            let into = sources.len() > 1 || is_directory(&to.text, &from.text);
            let target = if into {
                format!("{}/{}", to.text.trim_end_matches('/'), name_of(&from.text))
            } else {
                to.text.clone()
            };
            if gone {
                let to = resolve(&target, self.directory.as_deref());
                self.push(&from.text, Effect::Rename { to });
            } else {
                let from = resolve(&from.text, self.directory.as_deref());
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
            name if WRITING_GIT.contains(&name) => self.each(rest, &Effect::Unparsed),
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

    /// Everything in a text that looks like the path of a file.
    fn mentioned(&mut self, text: &str) {
        let is_part = |letter: char| letter.is_alphanumeric() || "/._-~+@".contains(letter);
        for word in text.split(|letter| !is_part(letter)) {
            let word = word.trim_end_matches('.');
            let has_ending = name_of(word).rsplit_once('.').is_some_and(|(stem, ending)| {
                !stem.is_empty() && (1..=8).contains(&ending.len()) && ending.chars().any(char::is_alphabetic)
            });
            if has_ending {
                self.push(word, Effect::Unparsed);
            }
        }
    }

    fn push(&mut self, path: &str, effect: Effect) {
        if !path.is_empty() {
            self.found.push((path.to_owned(), self.directory.clone(), effect));
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

fn without_prefixes(words: &[Word]) -> &[Word] {
    let is_prefix = |word: &Word| {
        PREFIXES.contains(&word.text.as_str())
            || word.text.split_once('=').is_some_and(|(name, _)| {
                !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            })
    };
    let command = words.iter().position(|word| !is_prefix(word)).unwrap_or(words.len());
    &words[command..]
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

/// Whether a target names a directory, as far as its name tells: it ends with `/`, or it has no ending and the source has.
fn is_directory(to: &str, from: &str) -> bool {
    to.ends_with('/')
        || matches!(name_of(to), "." | ".." | "~")
        || (!name_of(to).contains('.') && name_of(from).contains('.'))
}

/// What `echo` puts out. Shells differ in whether they read backslashes, so with one nobody knows.
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

/// What `printf` puts out, where its format has nothing but `%s`, `%%` and the usual escapes.
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(command: &str) -> Vec<(String, Effect)> {
        let found = effects(command, Some("/p")).into_iter();
        found.map(|(path, directory, effect)| (resolve(&path, directory.as_deref()), effect)).collect()
    }

    fn whole(path: &str, text: &str) -> (String, Effect) {
        (path.to_owned(), Effect::Whole(text.as_bytes().to_vec()))
    }

    #[test]
    fn texts_given_in_place_are_contents() {
        assert_eq!(found("cat > a.md <<'EOF'\n# A $x\n  b\nEOF\n"), [whole("/p/a.md", "# A $x\n  b\n")]);
        assert_eq!(found("cat <<EOF > a.md && ls\nplain \\$5\nEOF"), [whole("/p/a.md", "plain $5\n")]);
        assert_eq!(found("cat > a.md <<EOF\n$(date)\nEOF"), [("/p/a.md".into(), Effect::Unparsed)]);
        assert_eq!(
            found("cd m && cat <<-'X' | tee b.md >/dev/null\n\tin\n\tX\n"),
            [whole("/p/m/b.md", "in\n")]
        );
        assert_eq!(
            found("cat >> ~/m/a.md << 'E'\nmore\nE\n"),
            [("~/m/a.md".to_owned(), Effect::Append(b"more\n".to_vec()))]
        );
    }

    #[test]
    fn echo_and_printf_are_read() {
        assert_eq!(
            found("echo \"- [A](a.md) it's\" >> M.md"),
            [("/p/M.md".to_owned(), Effect::Append(b"- [A](a.md) it's\n".to_vec()))]
        );
        assert_eq!(
            found("echo -n one two > M.md; : > N.md"),
            [whole("/p/M.md", "one two"), whole("/p/N.md", "")]
        );
        assert_eq!(found("printf '%s\\n' a 'b c' > M.md"), [whole("/p/M.md", "a\nb c\n")]);
        assert_eq!(found("printf '100%% of it\\n' > M.md"), [whole("/p/M.md", "100% of it\n")]);
        for unknown in
            ["echo 'a\\nb' > M.md", "echo $X > M.md", "printf '%d' 5 > M.md", "date > M.md", "ls 2> M.md"]
        {
            assert_eq!(found(unknown), [("/p/M.md".to_owned(), Effect::Unparsed)], "{unknown}");
        }
    }

    #[test]
    fn moves_and_deletions_are_read() {
        assert_eq!(
            found("rm -f a.md \"b c.md\""),
            [("/p/a.md".into(), Effect::Delete), ("/p/b c.md".into(), Effect::Delete)]
        );
        assert_eq!(found("mv a.md old/"), [("/p/a.md".into(), Effect::Rename { to: "/p/old/a.md".into() })]);
        assert_eq!(found("git mv a.md b.md"), [("/p/a.md".into(), Effect::Rename { to: "/p/b.md".into() })]);
        assert_eq!(
            found("cp a.md archive"),
            [("/p/archive/a.md".into(), Effect::Copy { from: "/p/a.md".into() })]
        );
        assert_eq!(
            found("(cd x && rm a.md) && rm b.md"),
            [("/p/x/a.md".into(), Effect::Delete), ("/p/b.md".into(), Effect::Delete)]
        );
        assert_eq!(
            found("bash -c 'cd y; rm a.md'; rm c.md"),
            [("/p/y/a.md".into(), Effect::Delete), ("/p/c.md".into(), Effect::Delete)]
        );
    }

    #[test]
    fn what_may_write_is_named_and_what_reads_is_not() {
        assert_eq!(found("sed -i 's/a/b/' m/a.md"), [("/p/m/a.md".into(), Effect::Unparsed)]);
        assert_eq!(
            found("python3 - <<'E'\nopen('/p/m/a.md','w')\nE"),
            [("/p/m/a.md".into(), Effect::Unparsed)]
        );
        for reading in [
            "cat m/a.md",
            "grep -n x m/a.md | head",
            "ls m/a.md; wc -l a.md",
            "git log -- a.md",
            "find . -name a.md",
        ] {
            assert_eq!(found(reading), [], "{reading}");
        }
    }

    #[test]
    fn a_patch_may_come_through_the_shell() {
        let patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a.md\n+x\n*** End Patch\nEOF";
        assert_eq!(found(patch), [whole("/p/a.md", "x\n")]);
    }

    proptest! {
        #[test]
        fn no_command_makes_it_panic(text in "[-a-z\\\\ '\"$(){}<>|&;\n#EOF*/.]{0,60}") {
            drop(effects(&text, Some("/p")));
        }
    }
}
