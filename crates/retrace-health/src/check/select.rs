//! Selects the files of a repository that agents read as memory or instructions. Source: the tools' documentation, as
//! discovery uses it.

/// Directories whose files are memories or rules, wherever they stand.
const DIRECTORIES: [&str; 10] = [
    ".claude/memory/",
    ".claude/agent-memory/",
    ".claude/agent-memory-local/",
    ".claude/rules/",
    "memory/",
    "memories/",
    "memory-bank/",
    ".clinerules/",
    ".windsurf/rules/",
    ".cursor/rules/",
];

/// Names of instruction files.
const NAMES: [&str; 7] = [
    "MEMORY.md",
    "CLAUDE.md",
    "CLAUDE.local.md",
    "AGENTS.md",
    "AGENTS.override.md",
    "GEMINI.md",
    "copilot-instructions.md",
];

/// True if agents read the file at `path`, which is below the root of a repository.
pub(super) fn is_for_agents(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let text = [".md", ".mdc", ".txt", ".json", ".jsonl"].iter().any(|ending| name.ends_with(ending));
    let below = DIRECTORIES.iter().any(|directory| {
        path.starts_with(directory)
            || path.find(directory).is_some_and(|at| path[..at].ends_with('/') && directory.starts_with('.'))
    });
    NAMES.contains(&name) || (text && below)
}

/// True if a repository with these files is a memory directory that somebody keeps in Git, rather than a project: an index
/// stands at its root, and there is nothing that is no text of the kinds memories have.
pub(super) fn is_memory_alone(paths: impl Iterator<Item = String>) -> bool {
    const INDEXES: [&str; 2] = ["MEMORY.md", "memory_summary.md"];
    const ENDINGS: [&str; 8] = ["md", "mdc", "txt", "json", "jsonl", "yaml", "yml", "xml"];
    // A manifest of a package manager or a compiler makes a project, whatever else is there.
    const PROJECTS: [&str; 3] = ["package.json", "composer.json", "tsconfig.json"];
    let mut has_index = false;
    for path in paths {
        let name = path.rsplit('/').next().unwrap_or(&path);
        let is_text = name.rsplit_once('.').is_none_or(|(_, ending)| ENDINGS.contains(&ending));
        if !is_text && name != "retrace.toml" || PROJECTS.contains(&name) {
            return false;
        }
        has_index |= INDEXES.contains(&path.as_str());
    }
    has_index
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_directory_kept_in_git_is_no_project() {
        let alone = |paths: &[&str]| is_memory_alone(paths.iter().map(|path| (*path).to_owned()));
        assert!(alone(&["MEMORY.md", "tax rules.md", "logs/2026/11/2026-11-01.md", "notes", "retrace.toml"]));
        for project in [
            &["MEMORY.md", "src/main.rs"][..],
            &["MEMORY.md", "package.json"],
            &["README.md", "docs/a.md"],
            &["memory/MEMORY.md", "README.md"],
            &[],
        ] {
            assert!(!alone(project), "{project:?}");
        }
    }

    #[test]
    fn what_agents_read() {
        for path in [
            "CLAUDE.md",
            "a/AGENTS.md",
            ".claude/agent-memory/x/a.md",
            "memory/MEMORY.md",
            "app/.claude/rules/a.md",
        ] {
            assert!(is_for_agents(path), "{path}");
        }
        for path in ["src/main.rs", "README.md", "src/memory/pool.md", "memory/cache.rs", "docs/a.md"] {
            assert!(!is_for_agents(path), "{path}");
        }
    }
}
