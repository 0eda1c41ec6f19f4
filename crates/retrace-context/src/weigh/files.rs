//! Memory and instruction files: which they are, and where they stand in texts and results.

use crate::weight::FileClass;
use memchr::memmem;
use serde_json::Value;
use std::borrow::Cow;
use std::ops::Range;

/// Text that Claude Code writes before the content of each file it puts into a text.
const CONTENTS_OF: &str = "Contents of ";

/// End of the last of these files.
const END_OF_FILES: [&str; 2] = ["</system-reminder>", "IMPORTANT: this context may or may not be relevant"];

/// Names of files that hold instructions, wherever they are.
const INSTRUCTION_NAMES: [&str; 7] = [
    "claude.md",
    "claude.local.md",
    "agents.md",
    "agents.override.md",
    "gemini.md",
    "copilot-instructions.md",
    ".cursorrules",
];

/// Names of directories whose Markdown files are memory.
const MEMORY_DIRECTORIES: [&str; 6] =
    ["memory", "memories", "memories_v2", "agent-memory", "agent-memory-local", "memory-bank"];

/// Types under which Claude Code attaches memory; the others of its types are instructions.
const MEMORY_KINDS: [&str; 4] = ["automem", "autodream", "teammem", "agentmem"];

/// The class of a file by its path; `None` for any other file.
pub fn class_of_path(path: &str) -> Option<FileClass> {
    let lower = path.to_ascii_lowercase();
    let mut parts = lower.split(['/', '\\']).rev();
    let name = parts.next()?;
    if name == "memory.md" {
        return Some(FileClass::Memory);
    }
    if INSTRUCTION_NAMES.contains(&name) {
        return Some(FileClass::Instructions);
    }
    let is_markdown = name.ends_with(".md") || name.ends_with(".mdc");
    let directories: Vec<&str> = parts.collect();
    if is_markdown && directories.iter().any(|directory| MEMORY_DIRECTORIES.contains(directory)) {
        return Some(FileClass::Memory);
    }
    // `memory-tool` calls `/memories` what it may keep files of any name in.
    if lower.starts_with("/memories/") {
        return Some(FileClass::Memory);
    }
    let is_rule = is_markdown
        && directories
            .windows(2)
            .any(|pair| pair[0] == "rules" && (pair[1] == ".claude" || pair[1] == ".cursor"));
    is_rule.then_some(FileClass::Instructions)
}

/// The class of a file that an attachment carries; `None` for one that is neither.
pub(super) fn class_of_attached(attachment: &str, kind: &str, path: &str) -> Option<FileClass> {
    let kind = kind.to_ascii_lowercase();
    if MEMORY_KINDS.contains(&kind.as_str()) {
        return Some(FileClass::Memory);
    }
    let by_path = class_of_path(path);
    match attachment {
        // Codex (0.169).
        "memories.instructions" => Some(FileClass::Memory),
        "instructions" | "nested_memory" | "agents_md.instructions" => {
            Some(by_path.unwrap_or(FileClass::Instructions))
        }
        // A memory that a model put together, or one of an organization, has no path of a file.
        recall if recall.starts_with("relevant_memories") => Some(by_path.unwrap_or(FileClass::Memory)),
        _ => by_path,
    }
}

/// Text that Claude Code adds at the end of a file that is too long to be loaded whole.
const CUT: &str = "Only part of it was loaded";

/// True if a file that came in says that it was cut.
pub(super) fn is_cut(content: &str) -> bool {
    let tail = content.char_indices().rev().nth(600).map_or(content, |(at, _)| &content[at..]);
    tail.contains(CUT)
}

/// A file that a call reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Read {
    /// Its path as the call says.
    pub path: String,
    /// Its class.
    pub class: FileClass,
    /// True if the call asks for some of its lines.
    pub partial: bool,
}

/// Parameters that ask for a part of a file.
const PARTS: [&str; 9] =
    ["offset", "limit", "view_range", "pages", "start_line", "end_line", "line_start", "line_end", "range"];

/// The memory or instruction file that a call reads, by the name of its tool and its input.
pub(super) fn read_by(tool: &str, input: &Value) -> Option<Read> {
    let field = |name: &str| input.get(name).and_then(Value::as_str);
    let partial = PARTS.iter().any(|name| input.get(*name).is_some_and(|value| !value.is_null()));
    let path = match tool {
        "Read" | "NotebookRead" | "View" | "read_file" | "view_file" | "read" | "view" => {
            ["file_path", "path", "filePath", "absolute_path"].into_iter().find_map(field)?
        }
        "memory" | "str_replace_based_edit_tool" | "str_replace_editor" => {
            (field("command") == Some("view")).then(|| field("path")).flatten()?
        }
        _ => return None,
    };
    class_of_path(path).map(|class| Read { path: path.to_owned(), class, partial })
}

/// A file within a text.
#[derive(Debug, PartialEq, Eq)]
pub struct Embedded<'text> {
    /// Its path as the heading says, or the text before it.
    pub path: Cow<'text, str>,
    /// Its class.
    pub class: FileClass,
    /// Where it stands in the text, heading included.
    pub range: Range<usize>,
    /// True if nothing says where it ends, so that more than the file may be in the range.
    pub is_open: bool,
}

impl Embedded<'_> {
    /// The content of the file, without its heading and the empty line that some clients put behind that. `text` is the text in
    /// which it was found.
    pub fn content<'text>(&self, text: &'text str) -> Option<&'text str> {
        let (heading, content) = text.get(self.range.clone())?.split_once('\n')?;
        let is_apart = heading.starts_with(CONTENTS_OF) || heading.trim_end() == INDEX.trim();
        Some(content.strip_prefix('\n').filter(|_| is_apart).unwrap_or(content))
    }
}

/// Files under a heading `Contents of PATH (…):` at the beginning of a line of `text`, in order. Other files than memory and
/// instructions end the one before them, and are left out.
pub fn embedded(text: &str) -> Vec<Embedded<'_>> {
    if !text.contains(CONTENTS_OF) {
        return Vec::new();
    }
    let headings: Vec<(usize, &str)> = text
        .match_indices(CONTENTS_OF)
        .filter(|(at, _)| *at == 0 || text.as_bytes()[at - 1] == b'\n')
        .filter_map(|(at, _)| heading(&text[at..]).map(|path| (at, path)))
        .collect();
    let mut files = Vec::new();
    for (number, &(start, path)) in headings.iter().enumerate() {
        let next = headings.get(number + 1).map_or(text.len(), |heading| heading.0);
        let section = &text[start..next];
        let end = END_OF_FILES.iter().filter_map(|end| section.find(end)).min().unwrap_or(section.len());
        if let Some(class) = class_of_path(path) {
            files.push(Embedded { path: path.into(), class, range: start..start + end, is_open: false });
        }
    }
    files
}

/// The heading under which Claude Code puts the index of a memory into a system prompt (2.1.280): a subagent's own memory stands
/// there.
const INDEX: &str = "\n## MEMORY.md\n";

/// Words before the directory of a memory, in the text that explains it.
const DIRECTORY: &str = " at `";

/// How the text begins that stands in place of an index without entries.
const NO_INDEX: &str = "Your MEMORY.md is currently empty";

/// How what follows the index in a system prompt begins.
const BEHIND_INDEX: [&str; 2] = ["\nMessages from the agent that launched you", "\nNotes:\n- Agent threads"];

/// Memory and instruction files in a text of a system prompt, in order: those under a heading of their own, and the index of a
/// memory that the text explains.
pub fn in_prompt(text: &str) -> Vec<Embedded<'_>> {
    let mut files = embedded(text);
    files.extend(index(text));
    files.sort_by_key(|file| file.range.start);
    files
}

/// The index of a memory behind the text that explains it.
fn index(text: &str) -> Option<Embedded<'_>> {
    // The index itself may hold the heading, and the prompt before it other directories.
    let (at, directory) = text.match_indices(INDEX).find_map(|(at, _)| {
        let (_, named) = text[..at].rmatch_indices(DIRECTORY).find_map(|(before, _)| {
            let named = text[before + DIRECTORY.len()..at].split_once('`')?.0;
            (named.ends_with(['/', '\\']) && !named.contains('\n')).then_some((before, named))
        })?;
        Some((at, named))
    })?;
    let start = at + 1;
    let content = start + INDEX.len() - 1;
    if text[content..].trim_start().starts_with(NO_INDEX) {
        return None;
    }
    let cut = text[content..].find(CUT).map(|note| {
        let note = content + note;
        note + text[note..].find('\n').unwrap_or(text.len() - note)
    });
    let behind = || BEHIND_INDEX.iter().filter_map(|words| text[content..].find(words)).min();
    let end = cut.or_else(|| behind().map(|end| content + end));
    Some(Embedded {
        path: format!("{directory}MEMORY.md").into(),
        class: FileClass::Memory,
        range: start..end.unwrap_or(text.len()),
        is_open: end.is_none(),
    })
}

/// Words of Claude Code around a reading that it repeats after a compaction, each at the beginning of a line.
const READ_CALLED: &str = "Called the Read tool with the following input: ";
const READ_RESULT: &str = "Result of calling the Read tool:\n";

/// A part of a reading that the client repeats. Its two parts stand in one text, in two of one message, or in two messages.
#[derive(Debug, PartialEq)]
pub enum Repeated {
    /// What was called, with this input.
    Called(Value),
    /// What it answered: its place in the text.
    Answered(Range<usize>),
}

/// Parts of readings that the client repeats in a text, in order.
pub fn repeated(text: &str) -> Vec<Repeated> {
    let begins_line = |at: &usize| *at == 0 || text.as_bytes()[at - 1] == b'\n';
    let places = |words| text.match_indices(words).map(|(at, _)| at).filter(begins_line);
    let mut parts: Vec<(usize, bool)> = places(READ_CALLED).map(|at| (at, true)).collect();
    parts.extend(places(READ_RESULT).map(|at| (at, false)));
    parts.sort_unstable();
    let part = |(number, &(at, is_call)): (usize, &(usize, bool))| {
        if is_call {
            let input = text[at + READ_CALLED.len()..].lines().next().unwrap_or_default();
            return Repeated::Called(serde_json::from_str(input).unwrap_or_default());
        }
        let start = at + READ_RESULT.len();
        let next = parts.get(number + 1).map_or(text.len(), |(next, _)| *next);
        let end = text[start..next].find("\n</system-reminder>").map_or(next, |end| start + end);
        Repeated::Answered(start..end)
    };
    parts.iter().enumerate().map(part).collect()
}

/// Lines that Gemini CLI writes around a file that it puts into an answer of a tool (0.61).
const CONTEXT_BEGINS: &str = "--- Context from: ";
const CONTEXT_ENDS: &str = "--- End of Context from: ";

/// What opencode writes before a file that it puts behind an answer of a tool (1.18), and what it and Claude Code write around
/// files there. Claude Code puts a file of its own heading there for models that take no messages of the role system (2.1.330).
const REMINDER: &str = "<system-reminder>\n";
const INSTRUCTIONS: &str = "Instructions from: ";
const REMINDER_ENDS: &str = "\n</system-reminder>";

/// Files in reminders that begin with one.
fn reminded(text: &str) -> Vec<Embedded<'_>> {
    let mut files = Vec::new();
    for at in memmem::find_iter(text.as_bytes(), REMINDER) {
        let begins_line = at == 0 || text.as_bytes()[at - 1] == b'\n';
        let start = at + REMINDER.len();
        if !begins_line {
            continue;
        }
        let end = text[start..].find(REMINDER_ENDS).map_or(text.len(), |end| start + end);
        if let Some(path) = heading(&text[start..end]) {
            if let Some(class) =
                class_of_path(path).or_else(|| is_markdown(path).then_some(FileClass::Instructions))
            {
                files.push(Embedded { path: path.into(), class, range: start..end, is_open: false });
            }
            continue;
        }
        if !text[start..].starts_with(INSTRUCTIONS) {
            continue;
        }
        let is_heading = |at: &usize| *at == start || text.as_bytes()[at - 1] == b'\n';
        let headings = text[start..end].match_indices(INSTRUCTIONS).map(|(at, _)| start + at);
        let headings: Vec<usize> = headings.filter(is_heading).collect();
        for (number, &from) in headings.iter().enumerate() {
            let to = headings.get(number + 1).copied().unwrap_or(end);
            let path = text[from + INSTRUCTIONS.len()..to].lines().next().unwrap_or_default().trim_end();
            if let Some(class) = class_of_path(path) {
                files.push(Embedded { path: path.into(), class, range: from..to, is_open: false });
            }
        }
    }
    files
}

fn is_markdown(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    lower.ends_with(".md") || lower.ends_with(".mdc")
}

/// Memory and instruction files that a client added to an answer of a tool, in order.
pub fn added(text: &str) -> Vec<Embedded<'_>> {
    let mut files = reminded(text);
    let mut from = 0;
    while let Some(at) = memmem::find(&text.as_bytes()[from..], CONTEXT_BEGINS.as_bytes()).map(|at| from + at)
    {
        from = at + CONTEXT_BEGINS.len();
        let begins_line = at == 0 || text.as_bytes()[at - 1] == b'\n';
        let line = text[from..].lines().next().unwrap_or_default();
        let Some(path) = line.trim_end().strip_suffix(" ---").filter(|_| begins_line) else { continue };
        let Some(end) = text[from..].find(&format!("{CONTEXT_ENDS}{path}")) else { continue };
        if let Some(class) = class_of_path(path) {
            files.push(Embedded { path: path.into(), class, range: at..from + end, is_open: false });
        }
        from += end;
    }
    files
}

/// The path of a heading: what stands between `Contents of ` and the remark in brackets or the colon that ends the line.
fn heading(text: &str) -> Option<&str> {
    let line = text.lines().next()?.strip_prefix(CONTENTS_OF)?.trim_end().strip_suffix(':')?;
    let path = line.find(" (").map_or(line, |remark| &line[..remark]).trim();
    (!path.is_empty()).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn files_are_known_by_their_paths() {
        for (path, class) in [
            ("/home/ann/.claude/CLAUDE.md", Some(FileClass::Instructions)),
            ("C:\\work\\AGENTS.md", Some(FileClass::Instructions)),
            ("/w/.claude/rules/style.md", Some(FileClass::Instructions)),
            ("/home/ann/.claude/projects/-w/memory/build.md", Some(FileClass::Memory)),
            ("/home/ann/.claude/projects/-w/memory/MEMORY.md", Some(FileClass::Memory)),
            ("/memories/notes.txt", Some(FileClass::Memory)),
            ("/w/src/memory/cache.rs", None),
            ("/w/README.md", None),
            ("", None),
        ] {
            assert_eq!(class_of_path(path), class, "{path}");
        }
        assert_eq!(class_of_attached("nested_memory", "", "/w/x.md"), Some(FileClass::Instructions));
        assert_eq!(class_of_attached("instructions", "AutoMem", "/w/x.md"), Some(FileClass::Memory));
        assert_eq!(class_of_attached("file", "", "/w/x.md"), None);
    }

    #[test]
    fn files_that_are_reminded_of_are_found() {
        let text = "<content>\n1: <system-reminder>\n2: Instructions from: /no/AGENTS.md\n</content>\n\n<system-reminder>\n\
                    Instructions from: /w/sub/AGENTS.md\n# Sub\nTabs.\n\nInstructions from: /w/CLAUDE.md\nBrief.\n</system-reminder>";
        let files = added(text);
        let found: Vec<(&str, &str)> =
            files.iter().map(|file| (&*file.path, &text[file.range.clone()])).collect();
        assert_eq!(
            found,
            [
                ("/w/sub/AGENTS.md", "Instructions from: /w/sub/AGENTS.md\n# Sub\nTabs.\n\n"),
                ("/w/CLAUDE.md", "Instructions from: /w/CLAUDE.md\nBrief."),
            ]
        );
        assert_eq!(files[0].content(text), Some("# Sub\nTabs.\n\n"));
        assert!(added("<system-reminder>\nInstructions from: /w/notes.md\nx\n</system-reminder>").is_empty());
    }

    #[test]
    fn files_that_claude_code_puts_into_a_result_are_found() {
        let text = "1\tx = 1\n2\tContents of /no/CLAUDE.md:\n\n<system-reminder>\nContents of /w/.claude/rules/ts.md:\n\n# TS\n\n\
                    </system-reminder>\n\n<system-reminder>\nContents of /w/docs/more.md:\n\nMore.\n\n</system-reminder>\n\n\
                    <system-reminder>\nContents of /w/data.txt:\n\nx\n</system-reminder>\n\n\
                    <system-reminder>\nWords.\n</system-reminder>";
        let files = added(text);
        let found: Vec<(&str, Option<&str>)> =
            files.iter().map(|file| (&*file.path, file.content(text))).collect();
        assert_eq!(found, [("/w/.claude/rules/ts.md", Some("# TS\n")), ("/w/docs/more.md", Some("More.\n"))]);
        assert!(files.iter().all(|file| file.class == FileClass::Instructions));
        assert_eq!(
            added("<system-reminder>\nContents of /w/CLAUDE.md:"),
            [Embedded {
                path: "/w/CLAUDE.md".into(),
                class: FileClass::Instructions,
                range: 18..43,
                is_open: false,
            }]
        );
    }

    #[test]
    fn a_call_that_reads_a_memory_is_one() {
        let read =
            |partial| Some(Read { path: "/p/memory/a.md".to_owned(), class: FileClass::Memory, partial });
        assert_eq!(read_by("Read", &json!({"file_path": "/p/memory/a.md"})), read(false));
        assert_eq!(read_by("Read", &json!({"file_path": "/p/memory/a.md", "limit": 9})), read(true));
        assert_eq!(read_by("Read", &json!({"file_path": "/p/memory/a.md", "offset": null})), read(false));
        assert!(read_by("memory", &json!({"command": "view", "path": "/memories/a"})).is_some());
        assert!(read_by("memory", &json!({"command": "create", "path": "/memories/a"})).is_none());
        assert_eq!(read_by("read", &json!({"filePath": "/p/memory/a.md"})), read(false));
        assert_eq!(read_by("read_file", &json!({"absolute_path": "/p/memory/a.md"})), read(false));
        assert!(read_by("Read", &json!("/p/memory/a.md")).is_none());
    }

    #[test]
    fn an_index_in_a_system_prompt_is_found_with_its_directory_and_its_end() {
        let before =
            "You keep notes at `/x/`.\n\nThere is a memory at `/p/.claude/agent-memory/m/`. See `/y/`.\n";
        let path = "/p/.claude/agent-memory/m/MEMORY.md";
        let found = |behind: &str| {
            let text = format!("{before}{INDEX}\n{behind}");
            let files = in_prompt(&text);
            let told = files.iter().map(|file| (file.path.to_string(), file.class, file.is_open));
            (told.collect::<Vec<_>>(), files.first().map(|file| text[file.range.clone()].to_owned()))
        };
        let memory = |is_open| vec![(path.to_owned(), FileClass::Memory, is_open)];
        let (told, text) = found("- a\n\n## MEMORY.md\n- b\n\nMessages from the agent that launched you: x");
        assert_eq!(told, memory(false));
        assert_eq!(text.as_deref(), Some("## MEMORY.md\n\n- a\n\n## MEMORY.md\n- b\n"));
        let (told, text) = found("- a\n\n> WARNING: Only part of it was loaded.\n\nAnything.");
        assert_eq!(told, memory(false));
        assert!(text.is_some_and(|text| text.ends_with("was loaded.")));
        assert_eq!(found("- a\n\nAnything.").0, memory(true));
        assert_eq!(found("Your MEMORY.md is currently empty. Anything.").0, []);
        assert_eq!(in_prompt("No directory.\n## MEMORY.md\n\n- a\n"), []);
    }

    #[test]
    fn readings_that_are_repeated_are_told_apart() {
        let text = "<system-reminder>\nCalled the Read tool with the following input: {\"file_path\":\"/a\"}\n</system-reminder>\n\
            Result of calling the Read tool:\n1\tx\n</system-reminder>\nsay Result of calling the Read tool:\nno";
        let parts = repeated(text);
        let [Repeated::Called(input), Repeated::Answered(range)] = &parts[..] else { panic!("{parts:?}") };
        assert_eq!((&input["file_path"], &text[range.clone()]), (&json!("/a"), "1\tx"));
        assert_eq!(repeated("1\tCalled the Read tool with the following input: {}"), []);
    }

    #[test]
    fn files_that_are_added_to_an_answer_are_found() {
        let text = "data\n--- Context from: /w/sub/GEMINI.md ---\nSpaces.\n--- End of Context from: /w/sub/GEMINI.md ---\n\
            --- Context from: /w/x.txt ---\nx\n--- End of Context from: /w/x.txt ---\n--- Context from: /w/GEMINI.md ---\n";
        let files = added(text);
        assert_eq!(files.len(), 1);
        assert_eq!((&*files[0].path, files[0].class), ("/w/sub/GEMINI.md", FileClass::Instructions));
        assert!(text[files[0].range.clone()].ends_with("Spaces.\n"));
    }

    #[test]
    fn files_within_a_text_end_at_the_next_heading_or_the_closing_words() {
        let text = "<system-reminder>\n# claudeMd\nContents of /w/CLAUDE.md (project instructions):\n\nUse tabs.\n\n\
            Contents of /w/notes.txt:\nother\nContents of /p/memory/MEMORY.md (auto-memory):\n\nan index\n\
            </system-reminder>\nnow what";
        let files = embedded(text);
        let found: Vec<(&str, FileClass)> = files.iter().map(|file| (&*file.path, file.class)).collect();
        assert_eq!(
            found,
            [("/w/CLAUDE.md", FileClass::Instructions), ("/p/memory/MEMORY.md", FileClass::Memory)]
        );
        assert!(text[files[0].range.clone()].ends_with("Use tabs.\n\n"));
        assert!(text[files[1].range.clone()].ends_with("an index\n"));
        assert_eq!(embedded("see Contents of /w/CLAUDE.md:\n"), []);
        assert_eq!(embedded("Contents of "), []);
    }
}
