//! Where transcripts are searched for.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Whose files lie below a root, and so where below it transcripts are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum RootKind {
    /// Configuration directory of Claude Code: `projects/<slug>/<session>.jsonl`,
    /// `projects/<slug>/<session>/subagents/agent-<id>.jsonl`, and of older versions `projects/<slug>/agent-<id>.jsonl`.
    ClaudeCode,
    /// Home of Codex: `sessions/YYYY/MM/DD/rollout-*.jsonl`, and what was archived, `archived_sessions/rollout-*.jsonl`.
    Codex,
    /// Home of Copilot CLI: `session-state/*.jsonl` and `session-state/<session>/events.jsonl`.
    Copilot,
    /// Named by the user: one file of any name, or a directory in which every `*.jsonl`, `*.ndjson` and `*.json` is a
    /// transcript, subdirectories included.
    Named,
    /// Configuration directory of Gemini CLI: `tmp/PROJECT/chats/session-*.jsonl`, and those of subagents in
    /// `tmp/PROJECT/chats/SESSION/*.jsonl`.
    Gemini,
    /// Data directory of opencode, with its database `opencode.db`.
    Opencode,
}

/// A place to look in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// Whose files lie here.
    pub kind: RootKind,
    /// The directory, or for [`RootKind::Named`] possibly a file. It may be a link; nothing below it that is a link is
    /// followed.
    pub path: PathBuf,
}

/// All places to look in. A file below two of them belongs to the first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roots(pub Vec<Root>);

impl Roots {
    /// Adds a place, unless it is there already.
    pub fn add(&mut self, kind: RootKind, path: impl Into<PathBuf>) {
        let root = Root { kind, path: path.into() };
        if !self.0.contains(&root) {
            self.0.push(root);
        }
    }

    /// One place of a kind.
    #[must_use]
    pub fn of(kind: RootKind, path: impl Into<PathBuf>) -> Self {
        let mut roots = Self::default();
        roots.add(kind, path);
        roots
    }
}

/// The usual places in the home directory `home`, whether they exist or not. `env` holds the variables the agents read;
/// one that is empty or not an absolute path does not count.
///
/// Sources: `CLAUDE_CONFIG_DIR`, else `~/.claude` (Claude Code documentation, environment variables page); `CODEX_HOME`,
/// else `~/.codex` (`openai/codex`); `COPILOT_HOME`, else `~/.copilot` (GitHub documentation, Copilot CLI configuration
/// directory); `GEMINI_CLI_HOME`, else the home directory, and `.gemini` in it (Gemini CLI 0.61); `XDG_DATA_HOME`,
/// else `~/.local/share`, and `opencode` in it (opencode 1.18).
#[must_use]
pub fn roots_of_home(home: &Path, env: &BTreeMap<String, OsString>) -> Roots {
    let mut roots = Roots::default();
    for (kind, variable, usual) in [
        (RootKind::ClaudeCode, "CLAUDE_CONFIG_DIR", ".claude"),
        (RootKind::Codex, "CODEX_HOME", ".codex"),
        (RootKind::Copilot, "COPILOT_HOME", ".copilot"),
    ] {
        let named = env.get(variable).map(PathBuf::from).filter(|path| path.is_absolute());
        roots.add(kind, named.unwrap_or_else(|| home.join(usual)));
    }
    // This variable stands for the home directory.
    let home_of_gemini = env.get("GEMINI_CLI_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    roots.add(RootKind::Gemini, home_of_gemini.as_deref().unwrap_or(home).join(".gemini"));
    let data = env.get("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    roots.add(RootKind::Opencode, data.unwrap_or_else(|| home.join(".local/share")).join("opencode"));
    roots
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_name_other_places_when_they_are_absolute() {
        let env = BTreeMap::from([
            ("CLAUDE_CONFIG_DIR".to_owned(), OsString::from("/elsewhere/claude")),
            ("CODEX_HOME".to_owned(), OsString::from("relative")),
            ("COPILOT_HOME".to_owned(), OsString::new()),
            ("GEMINI_CLI_HOME".to_owned(), OsString::from("/elsewhere/gemini")),
        ]);
        let roots = roots_of_home(Path::new("/home/ada"), &env);
        let paths: Vec<_> = roots.0.iter().map(|root| (root.kind, root.path.to_str().unwrap())).collect();
        assert_eq!(
            paths,
            [
                (RootKind::ClaudeCode, "/elsewhere/claude"),
                (RootKind::Codex, "/home/ada/.codex"),
                (RootKind::Copilot, "/home/ada/.copilot"),
                (RootKind::Gemini, "/elsewhere/gemini/.gemini"),
                (RootKind::Opencode, "/home/ada/.local/share/opencode"),
            ]
        );
    }

    #[test]
    fn a_place_is_added_once() {
        let mut roots = Roots::of(RootKind::Named, "/a");
        roots.add(RootKind::Named, "/a");
        assert_eq!(roots.0.len(), 1);
    }
}
