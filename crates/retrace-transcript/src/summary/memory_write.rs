//! Tool calls that write memory.

use crate::{Done, DoneWhat};
use retrace_model::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A call by which the model wrote to a memory file; whether it succeeded is not said. Or a file that a background extraction
/// said it wrote (`tool` is `memory_saved`; see [`background_saves`](crate::background_saves)).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryWrite {
    /// Path as the call names it.
    pub path: String,
    /// Name of the tool.
    pub tool: String,
    /// When the call was written.
    #[serde(with = "crate::saved::instant")]
    pub at: Option<Timestamp>,
    /// Its line in the file, from 1; 0 where a file is not made of lines.
    pub line: u64,
}

/// Tools that write files: those of Claude Code, the text editor of the Messages API, and of others.
const FILE_TOOLS: [&str; 10] = [
    "Write",
    "Edit",
    "MultiEdit",
    "NotebookEdit",
    "str_replace_based_edit_tool",
    "str_replace_editor",
    // Gemini CLI and opencode.
    "write_file",
    "replace",
    "write",
    "edit",
];

/// Codex's tool for changing files, and how its patches begin each file.
const PATCH_TOOL: &str = "apply_patch";
const PATCH_HEADS: [&str; 3] = ["*** Add File: ", "*** Update File: ", "*** Delete File: "];

/// The tool of the Messages API whose paths are all memory.
const MEMORY_TOOL: &str = "memory";

/// Commands of the text editor and the memory tool that only read.
const READING_COMMANDS: [&str; 1] = ["view"];

/// Names of files that are memory wherever they are.
const MEMORY_FILES: [&str; 3] = ["MEMORY.md", "CLAUDE.md", "CLAUDE.local.md"];

/// The path that a call writes to, if it is memory.
pub(crate) fn written<'a>(tool: &str, command: Option<&str>, paths: &[Option<&'a str>]) -> Option<&'a str> {
    let is_memory_tool = tool == MEMORY_TOOL;
    if !(is_memory_tool || FILE_TOOLS.contains(&tool))
        || command.is_some_and(|command| READING_COMMANDS.contains(&command))
    {
        return None;
    }
    let path = paths.iter().copied().flatten().find(|path| !path.is_empty())?;
    // Other tools may be called `memory`; the API's has paths below /memories.
    (is_memory_path(path) || (is_memory_tool && command.is_some() && path.starts_with("/memories")))
        .then_some(path)
}

/// The memory files that a call with all its input at hand writes to. Codex's patches name several.
pub(crate) fn paths_written<'a>(tool: &str, input: &'a Value) -> Vec<&'a str> {
    if tool == PATCH_TOOL {
        let patch = input.as_str().or_else(|| input["input"].as_str()).unwrap_or_default();
        let paths =
            patch.lines().filter_map(|line| PATCH_HEADS.iter().find_map(|head| line.strip_prefix(head)));
        return paths.map(str::trim).filter(|path| is_memory_path(path)).collect();
    }
    let text = |key: &str| input[key].as_str();
    let paths = [text("file_path"), text("filePath"), text("notebook_path"), text("path"), text("new_path")];
    written(tool, text("command"), &paths).into_iter().collect()
}

/// The memory files that the client says it changed.
pub(crate) fn paths_done(done: &Done) -> Vec<&str> {
    let DoneWhat::Files(files) = &done.what else { return Vec::new() };
    files.iter().map(|file| file.path.as_str()).filter(|path| is_memory_path(path)).collect()
}

/// True if a file at `path` is memory: by its name, or by a directory on its way. `memory` is also what source folders
/// are called, so below it only notes (`.md`) count.
pub(crate) fn is_memory_path(path: &str) -> bool {
    let mut parts = path.split(['/', '\\']).filter(|part| !part.is_empty()).rev();
    let Some(name) = parts.next() else { return false };
    if MEMORY_FILES.contains(&name) {
        return true;
    }
    let is_note = name.to_ascii_lowercase().ends_with(".md");
    parts.any(|part| {
        matches!(part, "memories" | "memories_v2")
            || (is_note && matches!(part, "memory" | "agent-memory" | "agent-memory-local"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_known_by_its_place() {
        for path in [
            "/home/a/.claude/projects/-x/memory/notes.md",
            "/p/CLAUDE.md",
            "/memories/a.txt",
            "C:\\Users\\a\\.claude\\CLAUDE.md",
            "memory/MEMORY.md",
        ] {
            assert!(is_memory_path(path), "{path}");
        }
        for path in ["/p/src/memory/heap.rs", "", "/", "/p/README.md", "/p/memory"] {
            assert!(!is_memory_path(path), "{path}");
        }
    }

    #[test]
    fn only_writing_calls_count() {
        assert_eq!(written("Write", None, &[Some("/a/CLAUDE.md")]), Some("/a/CLAUDE.md"));
        assert_eq!(written("Read", None, &[Some("/a/CLAUDE.md")]), None);
        assert_eq!(written("memory", Some("view"), &[Some("/memories")]), None);
        assert_eq!(written("memory", Some("create"), &[None, Some("/memories/a")]), Some("/memories/a"));
        assert_eq!(written("memory", None, &[Some("/elsewhere")]), None);
    }
}
