//! Which files of a repository agents read as memory or instructions. Source: the tools' documentation, as discovery
//! uses it.

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

/// Whether agents read the file at `path`, which is below the root of a repository.
pub(super) fn is_for_agents(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let text = [".md", ".mdc", ".txt", ".json", ".jsonl"].iter().any(|ending| name.ends_with(ending));
    let below = DIRECTORIES.iter().any(|directory| {
        path.starts_with(directory)
            || path.find(directory).is_some_and(|at| path[..at].ends_with('/') && directory.starts_with('.'))
    });
    NAMES.contains(&name) || (text && below)
}

#[cfg(test)]
mod tests {
    use super::*;

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
