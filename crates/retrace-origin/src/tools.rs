//! Calls of tools as changes of files, by the names and inputs of the clients that are known.
//!
//! Names: Claude Code (Write, Edit, MultiEdit, NotebookEdit, Bash), the memory tool and the text editor of the Messages API,
//! Codex (`apply_patch`, `shell`, `exec_command`), Copilot (`create`, `edit`, `bash`), Gemini (`write_file`, `replace`), opencode
//! (`write`, `edit`, `multiedit`, `apply_patch`, `bash`).

use crate::path::resolve;
use crate::write::{Effect, Replacement};
use crate::{patch, shell};
use serde_json::Value;

/// Names under which tools take a path.
const PATHS: [&str; 5] = ["file_path", "path", "filePath", "notebook_path", "filename"];

/// A call's change of one file: the path as named, the directory it is relative to, and what happens.
pub(crate) struct Change {
    pub named: String,
    pub path: String,
    pub effect: Effect,
    /// True if it may not have been carried out.
    pub conditional: bool,
    /// True if a command names the file, and nobody knows whether it writes it.
    pub mentioned: bool,
}

/// True if calls of a tool may write files; a scan of its input is worth it then.
pub(crate) fn may_write(tool: &str) -> bool {
    kind_of(tool).is_some()
}

/// True if a tool shows files.
pub(crate) fn shows_files(tool: &str) -> bool {
    matches!(
        tool,
        "Read"
            | "view"
            | "read_file"
            | "read"
            | "memory"
            | "str_replace_based_edit_tool"
            | "str_replace_editor"
    )
}

/// The path that a call which shows a file names.
pub(crate) fn shown_path<'i>(tool: &str, input: &'i Value) -> Option<&'i str> {
    let reads = match kind_of(tool) {
        Some(Kind::Commands) => text(input, &["command"]) == Some("view"),
        _ => shows_files(tool),
    };
    reads.then(|| text(input, &PATHS)).flatten()
}

enum Kind {
    Whole,
    Edit,
    MultiEdit,
    Move,
    Notebook,
    Commands,
    Patch,
    Shell,
}

/// The names under which servers of the model context protocol offer to write files of this machine. Source: the server
/// `filesystem` of the protocol's project, and those that follow it.
const OF_SERVERS: [&str; 6] = [
    "write_file",
    "edit_file",
    "create_file",
    "str_replace_editor",
    "str_replace_based_edit_tool",
    "move_file",
];

/// Servers whose files lie in a repository elsewhere.
const HOSTING: [&str; 4] = ["github", "gitlab", "gitea", "bitbucket"];

/// The name of a tool without that of the server that has it: `write_file` of `mcp__filesystem__write_file`. Others than these keep
/// their name, whatever it ends with.
fn of_server(tool: &str) -> &str {
    let Some((server, name)) = tool.strip_prefix("mcp__").and_then(|rest| rest.rsplit_once("__")) else {
        return tool;
    };
    let is_here = !HOSTING.iter().any(|hosting| server.to_lowercase().contains(hosting));
    if is_here && OF_SERVERS.contains(&name) { name } else { tool }
}

fn kind_of(tool: &str) -> Option<Kind> {
    Some(match of_server(tool) {
        "Write" | "write" | "create" | "write_file" | "create_file" | "WriteFile" => Kind::Whole,
        "Edit" | "edit" | "replace" | "str_replace" | "edit_file" | "Update" => Kind::Edit,
        "MultiEdit" | "multi_edit" | "multiedit" => Kind::MultiEdit,
        "move_file" => Kind::Move,
        "NotebookEdit" => Kind::Notebook,
        "memory" | "str_replace_based_edit_tool" | "str_replace_editor" => Kind::Commands,
        "apply_patch" => Kind::Patch,
        "Bash" | "bash" | "shell" | "local_shell" | "local_shell_call" | "exec_command" | "shell_command"
        | "run_shell_command" | "run_in_terminal" | "container.exec" | "powershell" | "PowerShell" => {
            Kind::Shell
        }
        _ => return None,
    })
}

/// Changes of a call, in order. `directory` is where it ran.
pub(crate) fn changes(tool: &str, input: &Value, directory: Option<&str>) -> Vec<Change> {
    let one = |effect: Option<Effect>| {
        let named = text(input, &PATHS).filter(|path| !path.is_empty());
        let change = named.zip(effect).map(|(named, effect)| Change {
            named: named.to_owned(),
            path: resolve(named, directory),
            effect,
            conditional: false,
            mentioned: false,
        });
        change.into_iter().collect()
    };
    match kind_of(tool) {
        Some(Kind::Whole) => one(text(input, &["content", "file_text", "contents"]).map(whole)),
        Some(Kind::Edit) => one(Some(replacement(input).map_or(Effect::Unparsed, Effect::Edit))),
        Some(Kind::MultiEdit) => {
            let edits = input["edits"]
                .as_array()
                .map(|edits| edits.iter().map(replacement).collect::<Option<Vec<_>>>());
            one(Some(edits.flatten().map_or(Effect::Unparsed, Effect::MultiEdit)))
        }
        Some(Kind::Move) => moved(input, &["source", "old_path"], &["destination", "new_path"], directory),
        Some(Kind::Notebook) => one(Some(Effect::Unparsed)),
        Some(Kind::Commands) => commanded(input, directory, one),
        Some(Kind::Patch) => {
            let patch =
                input.as_str().or_else(|| text(input, &["input", "patch", "patchText"])).unwrap_or_default();
            patched(patch, directory)
        }
        Some(Kind::Shell) => in_shell(input, directory),
        None => Vec::new(),
    }
}

fn commanded(
    input: &Value,
    directory: Option<&str>,
    one: impl Fn(Option<Effect>) -> Vec<Change>,
) -> Vec<Change> {
    match text(input, &["command"]) {
        Some("create") => one(text(input, &["file_text"]).map(whole)),
        Some("str_replace") => one(replacement(input).map(Effect::Edit)),
        Some("insert") => {
            let line = input["insert_line"].as_u64();
            let text = text(input, &["insert_text", "new_str"]);
            one(line.zip(text).map(|(line, text)| Effect::Insert { line, text: text.to_owned() }))
        }
        Some("delete") => one(Some(Effect::Delete)),
        Some("rename") => moved(input, &["old_path", "path"], &["new_path"], directory),
        Some("undo_edit") => one(Some(Effect::Unparsed)),
        _ => Vec::new(),
    }
}

/// A file that is moved, by the fields that name where from and where to.
fn moved(input: &Value, from: &[&str], to: &[&str], directory: Option<&str>) -> Vec<Change> {
    let change = text(input, from).zip(text(input, to)).map(|(from, to)| Change {
        named: from.to_owned(),
        path: resolve(from, directory),
        effect: Effect::Rename { to: resolve(to, directory) },
        conditional: false,
        mentioned: false,
    });
    change.into_iter().collect()
}

fn patched(patch: &str, directory: Option<&str>) -> Vec<Change> {
    let files = patch::parse(patch).into_iter().map(|(named, effect)| Change {
        path: resolve(&named, directory),
        effect: shell::with_resolved(effect, directory),
        named,
        conditional: false,
        mentioned: false,
    });
    files.collect()
}

/// The command that a call of a shell runs, as it would be typed; of a program in which calls stand (Codex's `exec`), the commands
/// that stand in it word for word, one a line. `None` for calls of other tools.
#[must_use]
pub fn command_of(tool: &str, input: &Value) -> Option<String> {
    let commands = commands_of(tool, input);
    (!commands.is_empty()).then(|| commands.join("\n"))
}

/// The commands that a call of a shell runs, as [`command_of`] has them together.
#[must_use]
pub fn commands_of(tool: &str, input: &Value) -> Vec<String> {
    if let Some(program) = program_of(tool, input) {
        let commands = in_program(program).into_iter().filter_map(|part| match part {
            Part::Command(command) => Some(command),
            Part::Patch(_) => None,
        });
        return commands.collect();
    }
    if !matches!(kind_of(tool), Some(Kind::Shell)) {
        return Vec::new();
    }
    vec![match typed(input) {
        Typed::Command(command) => command,
        Typed::Patch(patch) => format!("apply_patch {}", quoted(patch)),
    }]
}

/// The directory that a call of a shell runs in: the one that its input names, or where the session is.
#[must_use]
pub fn directory_of(input: &Value, directory: Option<&str>) -> Option<String> {
    let input = input.get("action").unwrap_or(input);
    let named = text(input, &["workdir", "cwd", "working_directory", "directory"]);
    named.map(|named| resolve(named, directory)).or_else(|| directory.map(str::to_owned))
}

/// The text of a program in which calls stand.
fn program_of<'i>(tool: &str, input: &'i Value) -> Option<&'i str> {
    (tool == "exec").then(|| input.as_str().or_else(|| text(input, &["input"]))).flatten()
}

/// The files that a call writes, resolved, as far as its input says; those that a shell command only names are left out.
#[must_use]
pub fn paths_of(tool: &str, input: &Value, directory: Option<&str>) -> Vec<String> {
    let mut paths = Vec::new();
    let changes = match program_of(tool, input) {
        Some(program) => changes_in(program, directory),
        None => changes(tool, input, directory),
    };
    for change in changes.into_iter().filter(|change| !change.mentioned) {
        let to = match change.effect {
            Effect::Rename { to } => Some(to),
            Effect::Patch(patch) => patch.moved_to,
            _ => None,
        };
        paths.push(change.path);
        paths.extend(to);
    }
    paths.dedup();
    paths
}

/// The files that a call of a shell names without it being known whether it writes them, as it names them.
#[must_use]
pub fn only_named(tool: &str, input: &Value) -> Vec<String> {
    let (named, written): (Vec<Change>, Vec<Change>) =
        changes(tool, input, None).into_iter().partition(|change| change.mentioned);
    let is_written = |named: &String| written.iter().any(|change| change.named == *named);
    named.into_iter().map(|change| change.named).filter(|named| !is_written(named)).collect()
}

/// What a call does to files, in order, each with its resolved path, as far as its input says. A program in which calls stand
/// (Codex's `exec`) is read for patches and commands that stand in it word for word.
#[must_use]
pub fn effects_of(tool: &str, input: &Value, directory: Option<&str>) -> Vec<(String, Effect)> {
    let changes = match program_of(tool, input) {
        Some(program) => changes_in(program, directory),
        None => changes(tool, input, directory),
    };
    changes.into_iter().map(|change| (change.path, change.effect)).collect()
}

/// What stands in a program word for word.
enum Part {
    Command(String),
    Patch(String),
}

/// Patches and commands that stand in a program of JavaScript as literals.
fn in_program(program: &str) -> Vec<Part> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(start) = program[at..].find(['"', '\'', '`']).map(|offset| at + offset) {
        let Some((literal, end)) = literal(program, start) else {
            at = start + 1;
            continue;
        };
        at = end;
        let key = program[..start].trim_end().strip_suffix(':').unwrap_or_default();
        let key = key.trim_end().trim_end_matches(['"', '\'']);
        if literal.trim_start().starts_with(patch::BEGIN) {
            found.push(Part::Patch(literal));
        } else if key.ends_with("cmd") || key.ends_with("command") {
            found.push(Part::Command(literal));
        }
    }
    found
}

/// A literal at a place of a program, and where it ends; `None` for one that does not end, or with a part that only the program
/// knows.
fn literal(program: &str, start: usize) -> Option<(String, usize)> {
    let rest = program.get(start..)?;
    if rest.starts_with('"') {
        let mut literals = serde_json::Deserializer::from_str(rest).into_iter::<String>();
        let literal = literals.next()?.ok()?;
        return Some((literal, start + literals.byte_offset()));
    }
    let quote = rest.chars().next()?;
    let mut text = String::new();
    let mut letters = rest.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            letter if letter == quote => return Some((text, start + at + 1)),
            '\n' if quote == '\'' => return None,
            '$' if quote == '`' && rest[at..].starts_with("${") => return None,
            '\\' => match letters.next()?.1 {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                '\n' => {}
                other => text.push(other),
            },
            letter => text.push(letter),
        }
    }
    None
}

fn changes_in(program: &str, directory: Option<&str>) -> Vec<Change> {
    let of = |part| match part {
        Part::Patch(patch) => patched(&patch, directory),
        Part::Command(command) => changes("exec_command", &Value::String(command), directory),
    };
    in_program(program).into_iter().flat_map(of).collect()
}

/// What a call of a shell holds.
enum Typed<'i> {
    Command(String),
    Patch(&'i str),
}

fn typed(input: &Value) -> Typed<'_> {
    // A call of Codex's own shell tool holds it one level deeper.
    let input = input.get("action").unwrap_or(input);
    let list = input["command"].as_array().or_else(|| input["cmd"].as_array());
    let words: Option<Vec<&str>> = list.map(|list| list.iter().filter_map(Value::as_str).collect());
    match words.as_deref() {
        // A program with its arguments: as it would be typed.
        Some([tool, patch]) if *tool == "apply_patch" => Typed::Patch(patch),
        Some([shell, option, command])
            if option.starts_with('-') && option.ends_with('c') && shell.ends_with("sh") =>
        {
            Typed::Command((*command).to_owned())
        }
        Some(words) => Typed::Command(words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")),
        None => Typed::Command(
            text(input, &["command", "cmd", "script"]).or(input.as_str()).unwrap_or_default().to_owned(),
        ),
    }
}

fn in_shell(input: &Value, directory: Option<&str>) -> Vec<Change> {
    let directory = directory_of(input, directory);
    let command = match typed(input) {
        Typed::Patch(patch) => return patched(patch, directory.as_deref()),
        Typed::Command(command) => command,
    };
    let effects = shell::effects(&command, directory.as_deref()).into_iter();
    let changes = effects.map(|found| Change {
        path: resolve(&found.path, found.directory.as_deref()),
        named: found.path,
        effect: found.effect,
        conditional: found.conditional,
        mentioned: found.mentioned,
    });
    changes.collect()
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

fn whole(text: &str) -> Effect {
    Effect::Whole(text.as_bytes().to_vec())
}

fn replacement(input: &Value) -> Option<Replacement> {
    let old = text(input, &["old_string", "old_str", "oldString"])?;
    // Left out, it is the empty text.
    let new = text(input, &["new_string", "new_str", "newString"]).unwrap_or_default();
    let all = ["replace_all", "replaceAll"].iter().any(|key| input[key].as_bool() == Some(true));
    Some(Replacement { old: old.to_owned(), new: new.to_owned(), all })
}

fn text<'i>(input: &'i Value, keys: &[&str]) -> Option<&'i str> {
    keys.iter().find_map(|key| input[key].as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn paths(tool: &str, input: &Value) -> Vec<(String, Effect)> {
        changes(tool, input, Some("/p")).into_iter().map(|change| (change.path, change.effect)).collect()
    }

    #[test]
    fn what_stands_in_a_program_is_read() {
        let patch = "*** Begin Patch\n*** Add File: a.md\n+said \"x\"\n*** End Patch";
        let program = format!(
            "const p = {}; await tools.apply_patch(p);\ntext((await tools.exec_command({})).output); say(\"b.md > c.md\")",
            json!(patch),
            json!({"cmd": "echo 'b' > b.md"})
        );
        let found = effects_of("exec", &json!(program), Some("/p"));
        let whole = |bytes: &[u8]| Effect::Whole(bytes.to_vec());
        assert_eq!(
            found,
            [("/p/a.md".to_owned(), whole(b"said \"x\"\n")), ("/p/b.md".to_owned(), whole(b"b\n"))]
        );
    }

    #[test]
    fn the_command_of_a_call_is_found_in_every_form() {
        let program = "const r = await tools.exec_command({cmd: 'npm ci'}); tools.shell_command({\"command\": `npm t`}); say(\"npm x\"); run({cmd: `npm ${x}`})";
        for (tool, input, command) in [
            ("PowerShell", json!({"command": "npm ci"}), "npm ci"),
            (
                "local_shell_call",
                json!({"action": {"type": "exec", "command": ["bash", "-lc", "npm ci"]}}),
                "npm ci",
            ),
            ("local_shell", json!({"action": {"command": ["npm", "ci"]}}), "'npm' 'ci'"),
            ("exec", json!(program), "npm ci\nnpm t"),
            ("exec", json!({"input": program}), "npm ci\nnpm t"),
        ] {
            assert_eq!(command_of(tool, &input).as_deref(), Some(command), "{tool} {input}");
        }
        for input in [json!("text('npm ci')"), json!("`"), json!("'"), json!("cmd: \"")] {
            assert_eq!(command_of("exec", &input), None, "{input}");
        }
        let input = json!({"action": {"command": ["rm", "a.md"], "working_directory": "/w"}});
        assert_eq!(paths("local_shell_call", &input), [("/w/a.md".to_owned(), Effect::Delete)]);
        for command in [
            "Set-Content -Path a.md -Value x",
            "Remove-Item a.md",
            "copy-item b.md a.md",
            "'x' | Out-File a.md",
        ] {
            let found = paths("PowerShell", &json!({"command": command}));
            assert!(found.contains(&("/p/a.md".to_owned(), Effect::Unparsed)), "{command}: {found:?}");
        }
    }

    #[test]
    fn each_client_is_understood() {
        let whole = || Effect::Whole(b"x".to_vec());
        let edit = || Effect::Edit(Replacement { old: "a".into(), new: "b".into(), all: false });
        for (tool, input, path, effect) in [
            ("Write", json!({"file_path": "/m/a.md", "content": "x"}), "/m/a.md", whole()),
            ("create", json!({"path": "a.md", "file_text": "x"}), "/p/a.md", whole()),
            (
                "Edit",
                json!({"file_path": "/m/a.md", "old_string": "a", "new_string": "b"}),
                "/m/a.md",
                edit(),
            ),
            ("edit", json!({"path": "/m/a.md", "old_str": "a", "new_str": "b"}), "/m/a.md", edit()),
            (
                "memory",
                json!({"command": "create", "path": "/memories/a", "file_text": "x"}),
                "/memories/a",
                whole(),
            ),
            ("memory", json!({"command": "delete", "path": "/memories/a"}), "/memories/a", Effect::Delete),
            (
                "memory",
                json!({"command": "rename", "old_path": "/memories/a", "new_path": "/memories/b"}),
                "/memories/a",
                Effect::Rename { to: "/memories/b".into() },
            ),
            (
                "memory",
                json!({"command": "insert", "path": "/memories/a", "insert_line": 1, "insert_text": "x"}),
                "/memories/a",
                Effect::Insert { line: 1, text: "x".into() },
            ),
            (
                "apply_patch",
                json!("*** Begin Patch\n*** Delete File: a.md\n*** End Patch"),
                "/p/a.md",
                Effect::Delete,
            ),
            ("exec_command", json!({"cmd": "rm a.md", "workdir": "/w"}), "/w/a.md", Effect::Delete),
            ("shell", json!({"command": ["bash", "-lc", "rm a.md"]}), "/p/a.md", Effect::Delete),
            ("shell", json!({"command": ["rm", "it's.md"]}), "/p/it's.md", Effect::Delete),
            ("NotebookEdit", json!({"notebook_path": "/m/a.ipynb"}), "/m/a.ipynb", Effect::Unparsed),
        ] {
            assert_eq!(paths(tool, &input), [(path.to_owned(), effect)], "{tool} {input}");
        }
    }

    #[test]
    fn reading_calls_and_strange_inputs_change_nothing() {
        for (tool, input) in [
            ("Read", json!({"file_path": "/m/a.md"})),
            ("memory", json!({"command": "view", "path": "/memories"})),
            ("Write", json!({"content": "x"})),
            ("Write", json!("x")),
            ("Write", Value::Null),
            ("Bash", json!({"command": 5})),
            ("apply_patch", json!({})),
        ] {
            assert_eq!(paths(tool, &input), [], "{tool} {input}");
        }
        assert_eq!(
            shown_path("memory", &json!({"command": "view", "path": "/memories/a"})),
            Some("/memories/a")
        );
        assert_eq!(shown_path("memory", &json!({"command": "create", "path": "/memories/a"})), None);
        assert_eq!(shown_path("Read", &json!({"file_path": "/a"})), Some("/a"));
    }
}
