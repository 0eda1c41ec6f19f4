//! The files that one call of a program writes, by its words alone.

use super::commands::is_directory;
use super::lex::{Simple, Word};
use super::targets::{below, into_directory, plain};
use super::{DEEPEST, Shell};
use super::{powershell, rewriting};
use crate::path::{name_of, resolve};
use crate::write::Effect;

/// A file or a directory that a call of a program changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallFile {
    /// As the call names it.
    pub path: String,
    /// True if all below it is changed as well: it is removed or moved, or what is put at its place may be a directory.
    pub with_all_below: bool,
    /// True if this file is written only where a directory is that nobody knows of.
    pub perhaps: bool,
}

/// The files that a call of a program writes, by its words alone, relative to where it runs. Each word comes with whether its text
/// is what the program gets; `input` is the text on its standard input. Redirections are the shell's, and a command that is handed
/// over is not followed.
#[must_use]
pub fn files_of_call(program: &str, words: &[(&str, bool)], input: Option<&str>) -> Vec<CallFile> {
    if program == "git" {
        return of_git(words, input);
    }
    let texts: Vec<&str> = words.iter().map(|(text, _)| *text).collect();
    if let Some(files) = placed(program, &texts) {
        return files;
    }
    if let Some(files) = powershell::files(program, &texts) {
        return files;
    }
    if let Some(files) = rewriting::files(program, &texts) {
        return files;
    }
    if program == "patch" {
        match plain(&texts, &["-i", "-p", "-d", "-o", "-r"]).first() {
            _ if texts.iter().any(|word| matches!(*word, "--dry-run" | "-C" | "--check")) => {
                return Vec::new();
            }
            None => return rewriting::patched(input),
            Some(_) => {}
        }
    }
    let word = |(text, known): &(&str, bool)| Word {
        text: (*text).to_owned(),
        expands: !known,
        opaque: !known,
        ..Word::default()
    };
    let arguments: Vec<Word> = words.iter().map(word).collect();
    let mut shell = Shell { nested: DEEPEST, ..Shell::default() };
    shell.named(program, &arguments, &Simple::default(), input.map(|text| text.as_bytes().to_vec()));
    let removes = matches!(program, "rm" | "unlink" | "rmdir");
    let mut files = Vec::new();
    for found in shell.found.into_iter().filter(|found| !found.mentioned) {
        let with_all_below = removes || matches!(found.effect, Effect::Delete | Effect::Rename { .. });
        files.push(CallFile { path: found.path, with_all_below, perhaps: false });
        let to = match found.effect {
            Effect::Rename { to } => Some(to),
            Effect::Patch(patch) => patch.moved_to,
            _ => None,
        };
        files.extend(to.map(|path| CallFile { path, ..CallFile::default() }));
    }
    files
}

/// The files that git writes, below the directories of `-C`.
fn of_git(words: &[(&str, bool)], input: Option<&str>) -> Vec<CallFile> {
    let mut directory: Option<String> = None;
    let mut rest = words;
    while let [(option, _), after @ ..] = rest {
        rest = match (*option, after) {
            ("-C", [(to, _), after @ ..]) => {
                directory = Some(resolve(to, directory.as_deref()));
                after
            }
            ("-c" | "--git-dir" | "--work-tree" | "--namespace", [_, after @ ..]) => after,
            (option, after) if option.starts_with('-') => after,
            _ => break,
        };
    }
    let Some(((subcommand, _), rest)) = rest.split_first() else { return Vec::new() };
    let texts: Vec<&str> = rest.iter().map(|(text, _)| *text).collect();
    let mut files = match *subcommand {
        "mv" => placed("mv", &texts).unwrap_or_default(),
        "rm" if !texts.contains(&"--cached") => files_of_call("rm", rest, None),
        subcommand => rewriting::of_git(subcommand, &texts, input),
    };
    for file in files.iter_mut().filter(|_| directory.is_some()) {
        file.path = resolve(&file.path, directory.as_deref());
    }
    files
}

/// How a program puts files somewhere.
struct Places {
    /// Options that take the next word.
    with_value: &'static [&'static str],
    /// True if `-t DIR` names where they go.
    has_target: bool,
    /// True if its sources are gone then.
    moves: bool,
    /// True if what it puts may be a directory.
    directories: bool,
    /// True if a source that ends with `/` stands for what is in it.
    contents: bool,
}

/// The files of a program that puts its sources at its last word, or into it; `None` for another program.
fn placed(program: &str, words: &[&str]) -> Option<Vec<CallFile>> {
    let copies = Places {
        with_value: &["-S", "--suffix"],
        has_target: true,
        moves: false,
        directories: false,
        contents: false,
    };
    let recursive = |word: &&str| {
        let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
        matches!(*word, "--recursive" | "--archive")
            || letters.is_some_and(|letters| letters.contains(['r', 'R', 'a']))
    };
    let places = match program {
        "mv" => Places { moves: true, directories: true, ..copies },
        "cp" => Places { directories: words.iter().any(recursive), ..copies },
        "ln" => copies,
        "install" if words.iter().any(|word| matches!(*word, "-d" | "--directory")) => {
            return Some(Vec::new());
        }
        "install" => {
            Places { with_value: &["-m", "-o", "-g", "-S", "--mode", "--owner", "--group"], ..copies }
        }
        "rsync" => Places {
            with_value: &["-e", "-f", "--exclude", "--include", "--filter", "--rsh"],
            has_target: false,
            directories: true,
            contents: true,
            ..copies
        },
        _ => return None,
    };
    Some(places.files(words, program == "ln"))
}

impl Places {
    fn files(&self, words: &[&str], links: bool) -> Vec<CallFile> {
        let into = into_directory(words).filter(|_| self.has_target);
        let named: Vec<&str> = plain(words, self.with_value);
        let mut files = Vec::new();
        if let Some(into) = into {
            for from in named.into_iter().filter(|from| *from != into) {
                files.extend(self.source(from));
                files.push(self.inside(into, from));
            }
            return files;
        }
        match named.split_last() {
            // A link of its own name.
            Some((from, [])) if links => {
                files.push(CallFile { path: name_of(from).to_owned(), ..CallFile::default() });
            }
            // Of another machine it is no file here.
            Some((to, _)) if self.contents && to.contains(':') => {}
            Some((to, sources)) => {
                let is_exact = words.iter().any(|word| matches!(*word, "-T" | "--no-target-directory"));
                for from in sources {
                    files.extend(self.source(from));
                    files.extend(self.at(to, from, sources.len() > 1, is_exact));
                }
            }
            None => {}
        }
        files
    }

    /// A source that is gone.
    fn source(&self, from: &str) -> Option<CallFile> {
        self.moves.then(|| CallFile { path: from.to_owned(), with_all_below: true, perhaps: false })
    }

    /// What is written where a source goes to a directory.
    fn inside(&self, directory: &str, from: &str) -> CallFile {
        let is_content = from == "."
            || from.ends_with("/.")
            || from.ends_with("/..")
            || self.contents && from.ends_with('/');
        let path = if is_content { directory.to_owned() } else { below(directory, from) };
        CallFile { path, with_all_below: self.directories, perhaps: false }
    }

    /// What is written where a source goes to a place that may be a directory. It is one where its name says so, or several go there.
    fn at(&self, to: &str, from: &str, several: bool, is_exact: bool) -> Vec<CallFile> {
        let is_known = several || to.ends_with('/') || matches!(name_of(to), "." | ".." | "~");
        if is_known && !is_exact {
            return vec![self.inside(to, from)];
        }
        let mut files = vec![CallFile { path: to.to_owned(), with_all_below: true, perhaps: false }];
        if !is_exact && is_directory(to, from) {
            files.push(CallFile { perhaps: true, ..self.inside(to, from) });
        }
        files
    }
}
