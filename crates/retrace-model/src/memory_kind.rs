//! Kind of a memory file: told by whose store it is in, by its place and its name, and by the type in its front
//! matter.
//!
//! Sources: claude-code-memory.md sections 4 to 8, agent-memory-sources.md sections 1 and 3. Deliberately absent: reading
//! front matter (the caller passes its type in), and any look at the disk.
//!
//! Invariants: no path panics; the answer depends on the arguments alone; what is not recognised is `Other`, never a guess.

use crate::StoreKind;
use chrono::NaiveDate;
use std::fmt;

/// Purpose of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryClass {
    /// Loaded at the start of a session; points to the others.
    Index,
    /// A memory on one subject, read on demand.
    Topic,
    /// Notes of one day.
    DailyLog,
    /// Written for an agent by people: `CLAUDE.md`, `AGENTS.md`, `GEMINI.md`, rules.
    Instructions,
    /// Drafted by an agent in the background for a person to accept; no session loads it.
    Proposal,
    /// Anything else.
    #[default]
    Other,
}

impl MemoryClass {
    /// Every class.
    pub const ALL: [Self; 6] =
        [Self::Index, Self::Topic, Self::DailyLog, Self::Instructions, Self::Proposal, Self::Other];

    /// The printed form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Index => "index",
            Self::Topic => "topic",
            Self::DailyLog => "daily_log",
            Self::Instructions => "instructions",
            Self::Proposal => "proposal",
            Self::Other => "other",
        }
    }
}

/// Who shares a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryScope {
    /// This user in this project: auto memory.
    Project,
    /// Everybody who works in the repository: the `team` folder of auto memory.
    Team,
    /// An agent of this user, in all projects.
    AgentUser,
    /// An agent of a project, committed with it.
    AgentProject,
    /// An agent of a project, for this user alone.
    AgentLocal,
}

impl MemoryScope {
    /// The printed form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Team => "team",
            Self::AgentUser => "agent_user",
            Self::AgentProject => "agent_project",
            Self::AgentLocal => "agent_local",
        }
    }
}

/// Kind of a memory file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryKind {
    /// Its purpose.
    pub class: MemoryClass,
    /// Type of its front matter, as it stands there.
    pub memory_type: Option<String>,
    /// Who shares it; `None` where that is not known.
    pub scope: Option<MemoryScope>,
    /// The agent whose memory it is.
    pub agent: Option<String>,
    /// Day of a daily log. A log of a month without a day has none.
    pub day: Option<NaiveDate>,
}

/// Where a store is.
#[derive(Clone, Copy, Debug)]
pub struct StorePlace<'a> {
    /// Whose memory it holds.
    pub kind: StoreKind,
    /// Its directory, absolute.
    pub root: &'a str,
    /// Claude Code's configuration directory, absolute: agent memory below it is the user's, elsewhere a project's.
    pub config_root: &'a str,
}

/// Names of instruction files, wherever they are.
const INSTRUCTION_FILES: [&str; 9] = [
    "CLAUDE.md",
    "CLAUDE.local.md",
    "AGENTS.md",
    "AGENTS.override.md",
    "GEMINI.md",
    "copilot-instructions.md",
    "global_rules.md",
    ".cursorrules",
    ".windsurfrules",
];

/// Directories of which every file is an instruction: the folder and the one in it.
const RULE_FOLDERS: [(&str, &str); 3] = [(".claude", "rules"), (".cursor", "rules"), (".windsurf", "rules")];

/// A folder whose files are instructions by itself.
const CLINE_RULES: &str = ".clinerules";

/// Folders of subagent memory, each with an agent's folder in it.
const AGENT_FOLDER: &str = "agent-memory";
const AGENT_LOCAL_FOLDER: &str = "agent-memory-local";

/// Folder of shared memories in an auto memory.
const TEAM_FOLDER: &str = "team";

/// Codex: what its extension for notes on demand tells the model, and what its consolidation keeps for itself (0.169).
const CODEX_EXTENSION: [&str; 2] = ["extensions", "ad_hoc"];
const CODEX_DIFF: &str = "phase2_workspace_diff.md";

/// Folders in a private memory of Gemini CLI that hold what its extraction drafted (0.61).
const GEMINI_DRAFTS: [&str; 2] = [".inbox", "skills"];

/// Folders whose dated files are daily logs. `logs` is Claude Code's and Aeon's, `memory` OpenClaw's.
const LOG_FOLDERS: [&str; 3] = ["logs", "memory", "daily"];

/// Kind of the memory file at `path` below a store is. `memory_type` is the type of its front matter.
#[must_use]
pub fn memory_kind(store: &StorePlace<'_>, path: &str, memory_type: Option<&str>) -> MemoryKind {
    let (scope, agent, inside) = scope_of(store, path);
    // The folder the file lies in, which at the top of a store is the store's own.
    let above = path.trim_start_matches('/').rsplit_once('/').map_or(store.root, |(folder, _)| folder);
    let folder = above.split(['/', '\\']).rfind(|part| !part.is_empty());
    let (class, day) = class_of(store.kind, &inside, folder.unwrap_or_default());
    MemoryKind {
        class,
        memory_type: memory_type.map(str::to_owned),
        scope,
        agent: agent.map(str::to_owned),
        day,
    }
}

/// True if the class of a file at `path` leaves its type open, so that its front matter is worth reading.
#[must_use]
pub fn may_have_type(path: &str) -> bool {
    is_markdown(path.rsplit('/').next().unwrap_or(path))
}

type Parts<'a> = Vec<&'a str>;

/// Scope, agent, and the path below the memory directory as its parts.
fn scope_of<'a>(store: &StorePlace<'a>, path: &'a str) -> (Option<MemoryScope>, Option<&'a str>, Parts<'a>) {
    let is_part = |part: &&str| !part.is_empty();
    let inside: Parts<'_> = path.split('/').filter(is_part).collect();
    let root: Parts<'_> = store.root.split(['/', '\\']).filter(is_part).collect();
    let whole: Parts<'_> = root.iter().chain(&inside).copied().collect();
    let is_agent_folder = |part: &&str| matches!(*part, AGENT_FOLDER | AGENT_LOCAL_FOLDER);
    // A file directly in the folder belongs to no agent.
    if let Some(at) = whole.iter().rposition(is_agent_folder).filter(|at| at + 2 < whole.len()) {
        let config: Parts<'_> = store.config_root.split(['/', '\\']).filter(is_part).collect();
        let scope = match whole[at] {
            AGENT_LOCAL_FOLDER => MemoryScope::AgentLocal,
            _ if whole[..at] == config[..] => MemoryScope::AgentUser,
            _ => MemoryScope::AgentProject,
        };
        return (Some(scope), Some(whole[at + 1]), whole[at + 2..].to_vec());
    }
    if store.kind != StoreKind::ClaudeAuto {
        return (None, None, inside);
    }
    match inside.split_first() {
        Some((&TEAM_FOLDER, rest)) if !rest.is_empty() => (Some(MemoryScope::Team), None, rest.to_vec()),
        _ => (Some(MemoryScope::Project), None, inside),
    }
}

fn class_of(kind: StoreKind, inside: &[&str], folder: &str) -> (MemoryClass, Option<NaiveDate>) {
    let Some((&name, folders)) = inside.split_last() else { return (MemoryClass::Other, None) };
    if kind == StoreKind::Gemini && folders.first().is_some_and(|first| GEMINI_DRAFTS.contains(first)) {
        return (MemoryClass::Proposal, None);
    }
    if kind == StoreKind::Codex && *folders == CODEX_EXTENSION && name == "instructions.md" {
        return (MemoryClass::Instructions, None);
    }
    if kind == StoreKind::Codex && folders.is_empty() && name == CODEX_DIFF {
        return (MemoryClass::Other, None);
    }
    if is_instructions(folders, name) {
        return (MemoryClass::Instructions, None);
    }
    if let Some(day) = daily_log(kind, folders, folder, name) {
        return (MemoryClass::DailyLog, day);
    }
    let is_index = match kind {
        // Codex loads this file into a session; its MEMORY.md is a handbook.
        StoreKind::Codex => name == "memory_summary.md",
        _ => name == "MEMORY.md",
    };
    if is_index {
        (MemoryClass::Index, None)
    } else if is_markdown(name) || (kind == StoreKind::MemoryTool && is_text(name)) {
        (MemoryClass::Topic, None)
    } else {
        (MemoryClass::Other, None)
    }
}

fn is_instructions(folders: &[&str], name: &str) -> bool {
    INSTRUCTION_FILES.contains(&name)
        || folders.contains(&CLINE_RULES)
        || folders.windows(2).any(|pair| RULE_FOLDERS.contains(&(pair[0], pair[1])))
}

fn is_markdown(name: &str) -> bool {
    [".md", ".markdown"].iter().any(|ending| name.len() > ending.len() && name.ends_with(ending))
}

/// The memory tool's own examples are notes in `.txt`, `.xml` and without an ending.
fn is_text(name: &str) -> bool {
    [".txt", ".xml", ".json", ".yaml"].iter().any(|ending| name.ends_with(ending)) || !name.contains('.')
}

/// The day of a daily log, if it is one: `logs/YYYY/MM/…` with the day in the name (`YYYY-MM-DD…` or `DD…`), or
/// `logs/YYYY-MM-DD…`; OpenClaw's `memory/YYYY-MM-DD[-slug].md` likewise. A store can itself be such a folder.
fn daily_log(kind: StoreKind, folders: &[&str], folder: &str, name: &str) -> Option<Option<NaiveDate>> {
    if !is_markdown(name) {
        return None;
    }
    if let [.., "logs", year, month] = folders
        && let (Some(year), Some(month)) =
            (digits(year, 4), digits(month, 2).filter(|month| (1..=12).contains(month)))
    {
        let of_name = date_at_start(name);
        let of_folder = || {
            let day = digits(name.get(..2)?, 2)?;
            let ends = !name.as_bytes().get(2).is_some_and(u8::is_ascii_alphanumeric);
            NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day).filter(|_| ends)
        };
        return Some(of_name.or_else(of_folder));
    }
    let day = date_at_start(name)?;
    (LOG_FOLDERS.contains(&folder) || (folders.is_empty() && kind == StoreKind::Openclaw))
        .then_some(Some(day))
}

/// The date a name begins with, `YYYY-MM-DD`, not followed by a further letter or digit.
fn date_at_start(name: &str) -> Option<NaiveDate> {
    let date = name.get(..10)?;
    let ends = !name.as_bytes().get(10).is_some_and(u8::is_ascii_alphanumeric);
    let mut parts = date.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let year = i32::try_from(digits(year, 4)?).ok()?;
    NaiveDate::from_ymd_opt(year, digits(month, 2)?, digits(day, 2)?).filter(|_| ends)
}

/// A number of exactly so many digits.
fn digits(text: &str, count: usize) -> Option<u32> {
    (text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

impl fmt::Display for MemoryKind {
    /// For people, shortly: `index`, `topic feedback`, `daily log 2026-03-01`, `team topic`, `reviewer agent (local) index`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.scope == Some(MemoryScope::Team) {
            f.write_str("team ")?;
        }
        if let Some(agent) = &self.agent {
            let scope = self.scope.map_or("", MemoryScope::as_str).trim_start_matches("agent_");
            write!(f, "{agent} agent ({scope}) ")?;
        }
        f.write_str(match self.class {
            MemoryClass::DailyLog => "daily log",
            class => class.as_str(),
        })?;
        if let Some(kind) = &self.memory_type {
            write!(f, " {kind}")?;
        }
        match self.day {
            Some(day) => write!(f, " {day}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(kind: StoreKind, root: &str, path: &str) -> String {
        let place = StorePlace { kind, root, config_root: "/home/me/.claude" };
        memory_kind(&place, path, None).to_string()
    }

    #[test]
    fn auto_memory_by_its_parts() {
        let root = "/home/me/.claude/projects/-app/memory";
        for (path, expected) in [
            ("MEMORY.md", "index"),
            ("testing.md", "topic"),
            ("team/MEMORY.md", "team index"),
            ("team/release.md", "team topic"),
            ("team.md", "topic"),
            ("logs/2026/03/2026-03-01.md", "daily log 2026-03-01"),
            ("logs/2026/03/07.md", "daily log 2026-03-07"),
            ("logs/2026/03/notes.md", "daily log"),
            ("logs/2026/03/31-evening.md", "daily log 2026-03-31"),
            ("logs/2026/02/31.md", "daily log"),
            ("logs/2026/13/01.md", "topic"),
            ("logs/2026/03/picture.png", "other"),
            ("CLAUDE.md", "instructions"),
            ("a/.claude/rules/style.md", "instructions"),
            ("notes.txt", "other"),
            (".md", "other"),
            ("", "other"),
        ] {
            assert_eq!(of(StoreKind::ClaudeAuto, root, path), expected, "{path}");
        }
    }

    #[test]
    fn agents_have_a_name_and_a_scope() {
        for (root, path, expected) in [
            ("/home/me/.claude/agent-memory/reviewer", "MEMORY.md", "reviewer agent (user) index"),
            ("/srv/app/.claude/agent-memory/reviewer", "MEMORY.md", "reviewer agent (project) index"),
            ("/srv/app/.claude/agent-memory-local/tester", "flaky.md", "tester agent (local) topic"),
            ("/srv/app/.claude/agent-memory", "tester/flaky.md", "tester agent (project) topic"),
            ("/srv/app/.claude/agent-memory", "README.md", "topic"),
            ("C:\\app\\.claude\\agent-memory-local\\tester", "a.md", "tester agent (local) topic"),
        ] {
            assert_eq!(of(StoreKind::ClaudeAgent, root, path), expected, "{root} {path}");
        }
    }

    #[test]
    fn other_agents_have_their_own_shapes() {
        for (kind, path, expected) in [
            (StoreKind::Openclaw, "MEMORY.md", "index"),
            (StoreKind::Openclaw, "memory/2026-03-01-release.md", "daily log 2026-03-01"),
            (StoreKind::Openclaw, "2026-03-01.md", "daily log 2026-03-01"),
            (StoreKind::Plain, "2026-03-01.md", "topic"),
            (StoreKind::Plain, "logs/2026-03-01.md", "daily log 2026-03-01"),
            (StoreKind::Plain, "logs/2026-03-0123.md", "topic"),
            (StoreKind::Codex, "memory_summary.md", "index"),
            (StoreKind::Codex, "MEMORY.md", "topic"),
            (StoreKind::Codex, "rollout_summaries/a.md", "topic"),
            (StoreKind::Codex, "extensions/ad_hoc/instructions.md", "instructions"),
            (StoreKind::Codex, "extensions/ad_hoc/notes/a.md", "topic"),
            (StoreKind::Codex, "phase2_workspace_diff.md", "other"),
            (StoreKind::Gemini, "GEMINI.md", "instructions"),
            (StoreKind::Gemini, "MEMORY.md", "index"),
            (StoreKind::Gemini, "build.md", "topic"),
            (StoreKind::Gemini, ".inbox/private/extraction.patch", "proposal"),
            (StoreKind::Gemini, "skills/notes/SKILL.md", "proposal"),
            (StoreKind::Plain, "skills/notes/SKILL.md", "topic"),
            (StoreKind::Plain, "AGENTS.md", "instructions"),
            (StoreKind::MemoryTool, "progress.txt", "topic"),
            (StoreKind::MemoryTool, "progress", "topic"),
            (StoreKind::Plain, "progress.txt", "other"),
        ] {
            assert_eq!(of(kind, "/srv/m", path), expected, "{kind} {path}");
        }
    }

    #[test]
    fn a_store_can_itself_be_a_folder_of_logs() {
        for (kind, root, path, expected) in [
            (StoreKind::Plain, "/srv/app/memory", "2026-03-01.md", "daily log 2026-03-01"),
            (StoreKind::Plain, "/srv/app/memory/", "2026-03-01-release.md", "daily log 2026-03-01"),
            (StoreKind::Plain, "C:\\app\\memory", "2026-03-01.md", "daily log 2026-03-01"),
            (StoreKind::Plain, "/srv/app/daily", "2026-03-01.md", "daily log 2026-03-01"),
            (StoreKind::ClaudeAuto, "/srv/app/.claude/memory", "2026-03-01.md", "daily log 2026-03-01"),
            (StoreKind::ClaudeAuto, "/srv/app/memory", "team/2026-03-01.md", "team topic"),
            (StoreKind::Plain, "/srv/app/memory", "notes/2026-03-01.md", "topic"),
            (StoreKind::Plain, "/srv/app/memory", "release.md", "topic"),
            (StoreKind::Plain, "/srv/app/memory-old", "2026-03-01.md", "topic"),
            (StoreKind::Plain, "/", "2026-03-01.md", "topic"),
        ] {
            assert_eq!(of(kind, root, path), expected, "{root} {path}");
        }
    }

    #[test]
    fn the_type_is_that_of_the_front_matter() {
        let place = StorePlace { kind: StoreKind::ClaudeAuto, root: "/m", config_root: "/c" };
        let kind = memory_kind(&place, "tone.md", Some("feedback"));
        assert_eq!((kind.to_string().as_str(), kind.scope), ("topic feedback", Some(MemoryScope::Project)));
        assert!(may_have_type("a/tone.md") && !may_have_type("a/tone.png"));
    }

    proptest! {
        #[test]
        fn no_path_panics(root in ".{0,40}", path in "(logs/|agent-memory/|team/|[0-9]{1,4}/|\\.|é){0,4}.{0,16}") {
            let place = StorePlace { kind: StoreKind::ClaudeAuto, root: &root, config_root: "/c" };
            let _ = memory_kind(&place, &path, None).to_string();
        }
    }
}
