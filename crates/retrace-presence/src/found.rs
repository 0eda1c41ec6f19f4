//! The parts of files that one message holds.

use crate::lines::{hash, split};
use crate::names::{self, Named, absolute};
use crate::numbered;
use crate::shelf::{Claim, Line, Text};
use crate::sift::{Naming, sift};
use crate::sought::{Owner, Sought};
use crate::words::Way;
use retrace_context::weigh::{Embedded, Repeated, added, class_of_path, embedded, in_prompt, repeated};
use retrace_origin::Effect;
use retrace_transcript::{AttachedFile, Block, BlockKind, Message, ResultPart, Role, Sent, without_imports};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Which files are asked about, and where relative paths begin.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Directories of memory: every file below one is asked about, beside those that are memory or instructions by their name.
    pub roots: Vec<String>,
    /// The home directory, for `~`.
    pub home: Option<String>,
    /// Lines that are looked for in whatever the model was shown, whoever brought it.
    pub sought: Arc<Sought>,
}

impl Scope {
    fn keeps(&self, path: &str) -> bool {
        let below = |root: &String| {
            path.strip_prefix(root.as_str()).is_some_and(|rest| rest.starts_with(['/', '\\']))
        };
        class_of_path(path).is_some() || self.roots.iter().any(below)
    }
}

/// A part of a file in a message.
#[derive(Debug)]
pub(crate) struct Found {
    pub path: String,
    pub way: Way,
    pub text: Text,
    pub words: Vec<String>,
    /// The call that brought it.
    pub call: Option<String>,
}

/// Calls of a conversation, by id.
pub(crate) type Calls<'t> = HashMap<&'t str, (&'t str, &'t Value)>;

/// Finds parts of files.
pub(crate) struct Finder<'t> {
    pub scope: &'t Scope,
    pub calls: Calls<'t>,
    /// Calls that failed, as their answers say.
    pub failed: HashSet<&'t str>,
    /// Paths that a client loaded, whatever they are called.
    pub loaded: HashSet<String>,
    /// Directory that relative paths begin at.
    pub directory: Option<&'t str>,
}

impl<'t> Finder<'t> {
    fn keeps(&self, path: &str) -> bool {
        self.scope.keeps(path) || self.loaded.contains(path)
    }

    /// Everything in a message, in order. A reading that the client repeats stands in two texts, what was called and its result,
    /// and the second may be in the next message: `called` is handed on to that.
    pub(crate) fn in_message(&self, message: &Message, called: &mut Option<String>) -> Vec<Found> {
        let mut found = Vec::new();
        for block in &message.blocks {
            self.in_block(block, message.role != Role::Assistant, called, &mut found);
        }
        found
    }

    /// `is_shown` is false for what the model itself said.
    fn in_block(&self, block: &Block, is_shown: bool, called: &mut Option<String>, found: &mut Vec<Found>) {
        match &block.kind {
            BlockKind::Text { text } => self.in_text(text, is_shown, called, found),
            BlockKind::Attachment { attachment, files, rendered, .. } => {
                let whole = self.attached(attachment, files, rendered.as_deref(), found);
                if let (Some(rendered), false) = (rendered, whole) {
                    self.in_text(rendered, true, called, found);
                }
            }
            BlockKind::ToolResult { tool_use_id, content, .. } => {
                for part in content {
                    if let ResultPart::Text(text) = part {
                        self.in_result(tool_use_id, text, called, found);
                    }
                }
            }
            BlockKind::ToolUse { id, name, input, .. } => {
                self.written(name, input, self.failed.contains(id.as_str()), found);
            }
            _ => {}
        }
    }

    /// The files of an attachment. `false` where what was sent for it is to be searched, because it holds them otherwise.
    fn attached(
        &self,
        attachment: &str,
        files: &[AttachedFile],
        rendered: Option<&str>,
        found: &mut Vec<Found>,
    ) -> bool {
        let way = match attachment {
            "instructions" | "agents_md.instructions" | "memories.instructions" => Way::Instructions,
            "nested_memory" => Way::Nested,
            recall if recall.starts_with("relevant_memories") => Way::Recalled,
            _ => Way::Attached,
        };
        let mut all = !files.is_empty();
        for file in files.iter().filter(|file| way != Way::Attached || self.keeps(&file.path)) {
            let content = file.content.trim_end();
            let is_there = |rendered: &str| file.sent == Sent::WithImports || rendered.contains(content);
            if rendered.is_some_and(|rendered| !is_there(rendered)) {
                all = false;
                continue;
            }
            let mut part = plain(file.path.clone(), way, &file.content);
            if file.sent == Sent::Cut {
                part.text.cut_at = u32::try_from(part.text.lines.len() + 1).ok();
            }
            found.push(part);
        }
        all
    }

    /// Files in a text of a system prompt.
    pub(crate) fn in_system(&self, text: &str) -> Vec<Found> {
        let mut found = in_prompt(text).iter().filter_map(|part| under_heading(part, text)).collect();
        self.picked(text, Way::Attached, &Named::default(), 0, &mut found);
        found
    }

    /// Files with a heading in a text, readings that the client repeats, and whatever else is shown there.
    fn in_text(&self, text: &str, is_shown: bool, called: &mut Option<String>, found: &mut Vec<Found>) {
        let start = found.len();
        for part in embedded(text) {
            found.extend(under_heading(&part, text));
        }
        self.repeated(text, None, called, found);
        if is_shown {
            self.picked(text, Way::Attached, &Named::default(), start, found);
        }
    }

    /// Readings that the client repeats in a text, which may be that of a result.
    fn repeated(&self, text: &str, id: Option<&str>, called: &mut Option<String>, found: &mut Vec<Found>) {
        for part in repeated(text) {
            match part {
                Repeated::Called(input) => *called = input["file_path"].as_str().map(str::to_owned),
                Repeated::Answered(range) => {
                    if let Some(path) = called.take().filter(|path| self.keeps(path))
                        && let Some(lines) = numbered::parse(&text[range])
                    {
                        found.push(with_numbers(path, Way::Attached, &lines, id.map(str::to_owned)));
                    }
                }
            }
        }
    }

    /// Lines of files that are looked for, wherever they stand in a text. What was found there otherwise, from `start` on, is
    /// not told again.
    fn picked(&self, text: &str, way: Way, named: &Named, start: usize, found: &mut Vec<Found>) {
        let is_known = |owner: &Owner| {
            let is_whole = |part: &Found| part.way != Way::Command && owner.paths.contains(&part.path);
            found.get(start..).unwrap_or_default().iter().any(is_whole)
        };
        let mut picked = Vec::new();
        for part in sift(&self.scope.sought, text, &|owner| naming(owner, named)) {
            let Some(owner) = self.scope.sought.owner(part.owner).filter(|owner| !is_known(owner)) else {
                continue;
            };
            let path = owner.paths.first().cloned().unwrap_or_default();
            picked.push(Found { path, way, text: part.text, words: part.words, call: None });
        }
        found.extend(picked);
    }

    fn in_result(&self, id: &str, text: &str, called: &mut Option<String>, found: &mut Vec<Found>) {
        let start = found.len();
        for part in added(text) {
            let content = part.content(text).unwrap_or_default();
            match without_imports(&part.path, content) {
                Some(apart) => {
                    found.extend(apart.into_iter().map(|(path, content)| plain(path, Way::Nested, &content)));
                }
                None => found.push(plain(part.path.into_owned(), Way::Nested, content)),
            }
        }
        // For some models the client puts into a result what it puts into a message of its own for others.
        self.repeated(text, Some(id), called, found);
        match self.calls.get(id) {
            Some((name, input)) => match self.read_by(name, input) {
                Some(path) => self.in_reading(path, text, start, found),
                None => self.in_output(name, input, text, start, found),
            },
            None => self.picked(text, Way::Command, &Named::default(), start, found),
        }
        // What takes the result away takes all of it.
        for part in found.iter_mut().skip(start) {
            part.call = Some(id.to_owned());
        }
    }

    /// A reading of a file, which may lead to another one: by a link.
    fn in_reading(&self, path: String, text: &str, start: usize, found: &mut Vec<Found>) {
        let named = Named { paths: vec![path.clone()], directory: None };
        if self.keeps(&path) {
            found.push(match numbered::parse(text) {
                Some(lines) => with_numbers(path, Way::Read, &lines, None),
                None => loose(path, Way::Read, text),
            });
        }
        self.picked(text, Way::Read, &named, start, found);
    }

    /// The output of a command, a search, or a tool that nobody knows.
    fn in_output(&self, name: &str, input: &Value, text: &str, start: usize, found: &mut Vec<Found>) {
        let text = &*without_label(name, text);
        let named = self.named_by(name, input);
        let is_search = input.get("pattern").is_some();
        let is_command = name == "exec" || retrace_origin::command_of(name, input).is_some();
        let shows = is_command || is_search || name == "read_many_files";
        let is_plain = |path: &&String| shows && self.keeps(path) && self.scope.sought.at(path).is_none();
        let files: Vec<&String> = named.paths.iter().filter(is_plain).collect();
        let below = if is_command || is_search { self.searched(text, &files, &named) } else { Vec::new() };
        for mut part in files.iter().flat_map(|path| of_output(path, text, is_search)).chain(below) {
            part.text.is_loose = true;
            part.text.claim = Claim::Output;
            found.push(part);
        }
        let before = found.len();
        self.picked(text, Way::Command, &named, start, found);
        if !is_command && found.len() > before {
            // What an edit answers is what the model wrote.
            let written = retrace_origin::effects_of(name, input, self.directory);
            let written: Vec<String> = written.iter().map(|(path, _)| self.absolute(path)).collect();
            for part in found.iter_mut().skip(before).filter(|part| written.contains(&part.path)) {
                part.way = Way::Written;
            }
        }
    }

    /// Lines of a search that begin with the file they are of, by file. `files` are passed over.
    fn searched(&self, text: &str, files: &[&String], named: &Named) -> Vec<Found> {
        let of = |path: &str| {
            let places = [self.directory, named.directory.as_deref()];
            let paths = places.into_iter().map(|place| absolute(path, place, self.scope.home.as_deref()));
            let mut asked = paths.filter(|path| !files.contains(&path) && self.keeps(path));
            asked.next()
        };
        let mut found: Vec<(String, Vec<(u32, &str)>)> = Vec::new();
        // By path as the output has it: its place in `found`, none where nobody asks about it. An output may name a file a line.
        let mut known: HashMap<&str, Option<usize>> = HashMap::new();
        for (path, number, line) in split(text).filter_map(numbered::with_path) {
            let place = *known.entry(path).or_insert_with(|| {
                let whole = of(path)?;
                found.push((whole, Vec::new()));
                Some(found.len() - 1)
            });
            if let Some(place) = place {
                found[place].1.push((number, line));
            }
        }
        found.into_iter().map(|(path, lines)| with_numbers(path, Way::Command, &lines, None)).collect()
    }

    /// The file that a call reads.
    fn read_by(&self, tool: &str, input: &Value) -> Option<String> {
        let field = |name: &str| input.get(name).and_then(Value::as_str);
        let path = match tool {
            "Read" | "NotebookRead" | "View" | "read_file" | "view_file" | "read" | "view" => {
                field("file_path")
                    .or_else(|| field("path"))
                    .or_else(|| field("filePath"))
                    .or_else(|| field("absolute_path"))?
            }
            "memory" | "str_replace_based_edit_tool" | "str_replace_editor" => {
                (field("command") == Some("view")).then(|| field("path")).flatten()?
            }
            _ => return None,
        };
        Some(self.absolute(path))
    }

    /// What a command or a search names.
    fn named_by(&self, tool: &str, input: &Value) -> Named {
        let field = |names: &[&str]| names.iter().find_map(|name| input.get(*name));
        let place = field(&["workdir", "cwd", "working_directory", "directory", "dir_path"]);
        let place = place.and_then(Value::as_str).map(|place| self.absolute(place));
        let place = place.as_deref().or(self.directory);
        let home = self.scope.home.as_deref();
        match tool {
            "Bash" | "bash" | "shell" | "local_shell" | "exec_command" | "run_shell_command" => {
                match field(&["command", "cmd", "input"]) {
                    Some(Value::String(text)) => names::named(text, place, home),
                    Some(Value::Array(parts)) => {
                        let parts = parts.iter().filter_map(Value::as_str);
                        joined(parts.map(|part| names::named(part, place, home)))
                    }
                    _ => Named::default(),
                }
            }
            // A program in which commands stand is a text.
            "exec" => {
                let text = if input.is_string() { Some(input) } else { field(&["input", "cmd", "command"]) };
                names::in_program(text.and_then(Value::as_str).unwrap_or_default(), place, home)
            }
            "Grep" | "grep" | "search_file_content" | "grep_search" | "read_many_files" => {
                let text = field(&["path", "dir_path", "paths", "include"]);
                let texts: Vec<&str> = match text {
                    Some(Value::Array(parts)) => parts.iter().filter_map(Value::as_str).collect(),
                    text => vec![text.and_then(Value::as_str).unwrap_or(".")],
                };
                let paths = texts.into_iter().map(|path| names::of_pattern(path, place, home)).collect();
                Named { paths, directory: place.map(str::to_owned) }
            }
            _ => {
                let path = field(&["file_path", "path", "filePath", "absolute_path", "notebook_path"]);
                let path = path.and_then(Value::as_str).map(|path| absolute(path, place, home));
                Named { paths: path.into_iter().collect(), directory: None }
            }
        }
    }

    /// What the model writes to a file. A context edit that clears results leaves it. Of a call that failed nothing is the file's;
    /// a command may have failed behind what it wrote, a patch is made whole or not at all.
    fn written(&self, tool: &str, input: &Value, has_failed: bool, found: &mut Vec<Found>) {
        let is_command = retrace_origin::command_of(tool, input).is_some() || tool == "exec";
        for (path, effect) in retrace_origin::effects_of(tool, input, self.directory) {
            let path = self.absolute(&path);
            let is_undone = has_failed && (!is_command || matches!(effect, Effect::Patch(_)));
            if is_undone || !self.keeps(&path) {
                continue;
            }
            let mut part = |text: &str| found.push(loose(path.clone(), Way::Written, text));
            match effect {
                Effect::Whole(bytes) => {
                    let whole = String::from_utf8_lossy(&bytes);
                    let lines: Vec<(u32, &str)> = (1..).zip(split(&whole)).collect();
                    found.push(with_numbers(path, Way::Written, &lines, None));
                }
                Effect::Append(bytes) => part(&String::from_utf8_lossy(&bytes)),
                Effect::Edit(edit) => part(&edit.new),
                Effect::MultiEdit(edits) => edits.iter().for_each(|edit| part(&edit.new)),
                Effect::Insert { text, .. } => part(&text),
                Effect::Patch(patch) => patch.hunks.iter().for_each(|hunk| part(&hunk.new.join("\n"))),
                _ => {}
            }
        }
    }

    fn absolute(&self, path: &str) -> String {
        absolute(path, self.directory, self.scope.home.as_deref())
    }
}

/// How a call that names these names a file.
fn naming(owner: &Owner, named: &Named) -> Naming {
    let below = |name: &String| {
        let is_below =
            |path: &String| path.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('/'));
        owner.paths.iter().any(is_below)
    };
    if named.paths.iter().any(|name| owner.paths.contains(name)) {
        Naming::Exact
    } else if named.paths.iter().any(below) {
        Naming::Below
    } else {
        Naming::No
    }
}

/// What several commands name.
fn joined(all: impl Iterator<Item = Named>) -> Named {
    all.fold(Named::default(), |mut one, other| {
        one.paths.extend(other.paths);
        Named { directory: other.directory, ..one }
    })
}

/// The word that Gemini CLI puts before the first line of a command's output (seen with 0.61.0).
const OUTPUT_LABEL: &str = "Output: ";

/// The output of a command without the client's word before its first line, which else is no line of any file.
fn without_label<'a>(tool: &str, text: &'a str) -> Cow<'a, str> {
    if tool != "run_shell_command" {
        return Cow::Borrowed(text);
    }
    let at_start = text.starts_with(OUTPUT_LABEL).then_some(0);
    match at_start.or_else(|| Some(text.find(&format!("\n{OUTPUT_LABEL}"))? + 1)) {
        Some(at) => Cow::Owned(format!("{}{}", &text[..at], &text[at + OUTPUT_LABEL.len()..])),
        None => Cow::Borrowed(text),
    }
}

/// What the output of a command or a search holds of a file that it names.
fn of_output(path: &str, text: &str, is_search: bool) -> Vec<Found> {
    let file_name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let searched: Vec<(u32, &str)> =
        split(text).filter_map(|line| numbered::of_search(line, path, file_name)).collect();
    let numbered = numbered::in_output(text);
    // A search tool answers nothing else; a command may print anything beside.
    let raw = (!is_search || searched.is_empty()).then(|| loose(path.to_owned(), Way::Command, text));
    let of = |lines: Vec<(u32, &str)>| {
        (!lines.is_empty()).then(|| with_numbers(path.to_owned(), Way::Command, &lines, None))
    };
    raw.into_iter().chain(of(searched)).chain(of(numbered)).collect()
}

/// A note at the end of a file that is too long to be loaded whole.
const CUT: &str = "> WARNING: ";
const CUT_PART: &str = "Only part of it was loaded";

/// A whole file, which may say that it was cut.
fn plain(path: String, way: Way, content: &str) -> Found {
    let mut text = Text::default();
    let mut content = content.trim_end();
    if let Some(at) = content.rfind(CUT)
        && (at == 0 || content.as_bytes()[at - 1] == b'\n')
        && content[at..].contains(CUT_PART)
        && !content[at..].contains('\n')
    {
        let note = &content[at..];
        text.total = number_before(note, " lines");
        text.cut_at = note.find("starting at line ").and_then(|at| leading_number(&note[at + 17..]));
        content = content[..at].trim_end();
        if text.total.is_none() && text.cut_at.is_none() {
            // It says no more than that it was cut: behind its last line.
            text.cut_at = u32::try_from(split(content).count() + 1).ok();
        }
    }
    text.lines = split(content).map(|line| Line { number: 0, hash: hash(line) }).collect();
    Found { path, way, text, words: split(content).map(str::to_owned).collect(), call: None }
}

/// A part of a file, as an output has it.
fn loose(path: String, way: Way, text: &str) -> Found {
    let lines = split(text).map(|line| Line { number: 0, hash: hash(line) }).collect();
    let text_of = Text { lines, is_loose: true, ..Text::default() };
    Found { path, way, text: text_of, words: split(text).map(str::to_owned).collect(), call: None }
}

fn with_numbers(path: String, way: Way, lines: &[(u32, &str)], call: Option<String>) -> Found {
    let text = Text {
        lines: lines.iter().map(|(number, line)| Line { number: *number, hash: hash(line) }).collect(),
        ..Text::default()
    };
    Found { path, way, text, words: lines.iter().map(|(_, line)| (*line).to_owned()).collect(), call }
}

/// The file under a heading, without the heading and the empty line behind it.
fn under_heading(part: &Embedded<'_>, text: &str) -> Option<Found> {
    let mut file = plain(part.path.to_string(), Way::Instructions, part.content(text)?);
    file.text.is_loose = part.is_open;
    Some(file)
}

fn number_before(text: &str, word: &str) -> Option<u32> {
    let before = &text[..text.find(word)?];
    let digits = before.bytes().rev().take_while(u8::is_ascii_digit).count();
    before[before.len() - digits..].parse().ok()
}

fn leading_number(text: &str) -> Option<u32> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text[..digits].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_file_says_where() {
        let content = "a\nb\n\n> WARNING: MEMORY.md is 260 lines (limit: 200). Only part of it was loaded: 60 of 260 lines were cut off, starting at line 201 (\"- x\"). Keep it short.";
        let found = plain("/m/MEMORY.md".into(), Way::Instructions, content);
        assert_eq!((found.text.total, found.text.cut_at), (Some(260), Some(201)));
        assert_eq!(found.words, ["a", "b"]);
        let quoted = plain("/m/MEMORY.md".into(), Way::Instructions, "> WARNING: never push.\nc");
        assert_eq!((quoted.text.is_cut(), quoted.words.len()), (false, 2));
    }

    #[test]
    fn the_first_line_of_an_output_is_a_line_of_its_file() {
        for text in ["Output: one\ntwo", "<untrusted_context>\nOutput: one\ntwo"] {
            assert!(without_label("run_shell_command", text).ends_with("one\ntwo"));
            assert!(!without_label("run_shell_command", text).contains("Output"));
            assert_eq!(without_label("Bash", text), text);
        }
        assert_eq!(without_label("run_shell_command", "one\ntwo"), "one\ntwo");
    }

    #[test]
    fn a_search_tells_the_lines_of_each_file() {
        let scope = Scope { roots: vec!["/m".into()], ..Scope::default() };
        let finder = Finder {
            scope: &scope,
            calls: Calls::new(),
            failed: HashSet::new(),
            loaded: HashSet::new(),
            directory: None,
        };
        let output = "/m/a.md:2:two\n/m/b.md:x: y\n/w/c.rs:1:no\n/m/a.md:5:five\n/m/named.md:1:no\nplain\n";
        let found = finder.searched(output, &[&"/m/named.md".to_owned()], &Named::default());
        let told: Vec<(&str, Vec<u32>, &[String])> = found
            .iter()
            .map(|part| {
                let numbers = part.text.lines.iter().map(|line| line.number).collect();
                (part.path.as_str(), numbers, part.words.as_slice())
            })
            .collect();
        assert_eq!(
            told,
            [
                ("/m/a.md", vec![2, 5], &["two".to_owned(), "five".to_owned()][..]),
                ("/m/b.md", vec![0], &["x: y".to_owned()][..]),
            ]
        );
    }

    #[test]
    fn paths_are_made_absolute() {
        let scope = Scope { home: Some("/home/ann".into()), ..Scope::default() };
        let finder = Finder {
            scope: &scope,
            calls: Calls::new(),
            failed: HashSet::new(),
            loaded: HashSet::new(),
            directory: Some("/w/a"),
        };
        for (path, whole) in [
            ("~/x.md", "/home/ann/x.md"),
            ("../b/./c.md", "/w/b/c.md"),
            ("/m/.claude/x.md", "/m/.claude/x.md"),
            ("/m//x.md", "/m/x.md"),
            ("/../x.md", "/x.md"),
            ("x.md", "/w/a/x.md"),
        ] {
            assert_eq!(finder.absolute(path), whole, "{path}");
        }
    }
}
