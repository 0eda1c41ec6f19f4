//! Memory kept inside project directories.
//!
//! - `.claude/memory/` and `memory/` with a `MEMORY.md` that links to files: copies of Claude Code memory, committed.
//!   Thousands of public repositories hold these paths.
//! - `memory/MEMORY.md` with `logs/` or `topics/`: Aeon, which runs in GitHub Actions (`aaronjmars/aeon`).
//! - `memory-bank/` with `activeContext.md`: the Cline memory bank (`cline/cline`, memory bank documentation).
//! - `memory/memories/`: the Anthropic memory tool with the file back end of the official SDKs, whose base is `./memory`
//!   (`anthropics/anthropic-sdk-python`, memory tool module).
//! - `claude-memory/`: memory of Claude that people keep in a repository of their own or beside the code.
//! - A `MEMORY.md` at the root with topics beside it: the repository is the memory. Where it holds other files too it is
//!   listed and not offered, since a recorder would record those as well.
//! - `SOUL.md` with `MEMORY.md` or dated notes in `memory/`: an OpenClaw workspace, wherever it lies.

use super::{has_dated_notes, holds, openclaw};
use crate::Found;
use crate::claude::{Project, folder_label};
use crate::scan::{Scan, Sort, is_file};
use retrace_message::Message;
use retrace_model::StoreKind;
use std::path::Path;

/// Bytes of an index that are searched for a link.
const INDEX_BYTES: u64 = 64 * 1024;

pub(super) fn find(projects: &[Project], scan: &mut Scan) -> Vec<Found> {
    let mut found = Vec::new();
    for project in projects {
        let directory = &project.directory;
        // A path of another platform, or the root, is no place to look into.
        if !directory.is_absolute() || directory.parent().is_none() {
            continue;
        }
        let mut stores = Vec::new();
        stores.extend(copy(scan, directory, &[".claude", "memory"], ".claude/memory"));
        stores.extend(aeon(scan, directory).or_else(|| copy(scan, directory, &["memory"], "memory")));
        for label in ["claude-memory", ".claude-memory"] {
            stores.extend(named_memory(scan, directory, label));
        }
        stores.extend(openclaw::in_project(scan, directory).or_else(|| whole(scan, directory)));
        stores.extend(memory_tool(scan, directory));
        stores.extend(memory_bank(scan, directory));
        found.extend(stores.into_iter().map(|store| store.of_project(Some(directory.clone()))));
    }
    found
}

fn copy(scan: &mut Scan, project: &Path, parts: &[&str], label: &str) -> Option<Found> {
    let root = scan.directory(project, parts)?;
    if !links_to_files(scan, &root.join("MEMORY.md")) {
        return None;
    }
    let evidence = vec![say::project_index_memory_md_links(label)];
    let name = format!("{} · {label}", folder_label(project));
    let reason = say::directory_agents_use_only_where();
    Some(Found::new(root, StoreKind::ClaudeAuto, name, evidence).because(reason))
}

/// A folder whose name says what it is: an index or any topic makes it memory.
fn named_memory(scan: &mut Scan, project: &Path, label: &str) -> Option<Found> {
    let root = scan.directory(project, &[label])?;
    let evidence = match holds(&root, &["MEMORY.md"]) {
        Some(index) => say::project(label, index),
        None => {
            let is_topic = |entry: &crate::scan::Entry| is_memory_file(entry) && entry.name.ends_with(".md");
            scan.entries(&root).iter().any(is_topic).then(|| say::project_topics(label))?
        }
    };
    let name = format!("{} · {label}", folder_label(project));
    let reason = say::directory_agents_use_only_where();
    Some(Found::new(root, StoreKind::ClaudeAuto, name, vec![evidence]).because(reason))
}

/// The project's own directory, where its index links to topics that lie beside it.
fn whole(scan: &mut Scan, project: &Path) -> Option<Found> {
    let index = project.join("MEMORY.md");
    let bytes = scan.beginning(&index, INDEX_BYTES)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let topics = targets(&text).filter(|target| is_below(target) && is_file(&project.join(target))).count();
    if topics == 0 {
        return None;
    }
    let evidence = vec![say::memory_md_root_project_topics()];
    let name = format!("{} · memory", folder_label(project));
    let found = Found::new(project.to_owned(), StoreKind::ClaudeAuto, name, evidence);
    let alone = scan.entries(project).iter().all(|entry| match entry.sort {
        Sort::File => is_memory_file(entry) || entry.name.starts_with('.') || BESIDE.contains(&&*entry.name),
        // Names of folders of texts are unlimited; those of code folders are known.
        Sort::Directory => !CODE_FOLDERS.contains(&&*entry.name),
        _ => true,
    });
    Some(if alone {
        found.because(say::directory_agents_use_only_where())
    } else {
        let mut found = found.because(say::project_holds_other_files_beside());
        found.enabled = false;
        found
    })
}

/// Files that stand at the root of any repository.
const BESIDE: [&str; 5] = ["LICENSE", "LICENSE-MIT", "LICENSE-APACHE", "NOTICE", "CODEOWNERS"];

/// Folders that hold code or what is made of it.
const CODE_FOLDERS: [&str; 14] = [
    "app",
    "bin",
    "build",
    "cmd",
    "crates",
    "dist",
    "internal",
    "lib",
    "node_modules",
    "packages",
    "pkg",
    "src",
    "target",
    "tests",
];

fn is_memory_file(entry: &crate::scan::Entry) -> bool {
    let ending = entry.name.rsplit_once('.').map(|(_, ending)| ending);
    entry.sort == Sort::File && matches!(ending, Some("md" | "markdown" | "txt"))
}

/// True if a link leads to a file of the same directory or one below it.
fn is_below(target: &str) -> bool {
    let path = Path::new(target);
    path.is_relative()
        && path
            .components()
            .all(|part| matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir))
}

/// The Markdown files that an index links to, as they are written there.
fn targets(index: &str) -> impl Iterator<Item = &str> {
    index
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split([')', '\n', '#']).next())
        .map(str::trim)
        .filter(|target| target.ends_with(".md"))
}

/// True if an index has a Markdown link to a Markdown file: `](name.md)`.
fn links_to_files(scan: &mut Scan, index: &Path) -> bool {
    let Some(bytes) = scan.beginning(index, INDEX_BYTES) else { return false };
    targets(&String::from_utf8_lossy(&bytes)).next().is_some()
}

fn aeon(scan: &mut Scan, project: &Path) -> Option<Found> {
    let root = scan.directory(project, &["memory"])?;
    let index = holds(&root, &["MEMORY.md"])?;
    let logs = scan.directory(&root, &["logs"]).is_some_and(|logs| has_dated_notes(scan, &logs));
    let topics = scan.directory(&root, &["topics"]).is_some();
    let parts = match (logs, topics) {
        (true, true) => say::dated_logs_topics(),
        (true, false) => say::dated_logs(),
        (false, true) => Message::verbatim("topics/"),
        (false, false) => return None,
    };
    let evidence = vec![say::memory_project_aeon_keeps(index, parts)];
    let name = format!("{} · Aeon", folder_label(project));
    let reason = say::directory_agent_commits();
    Some(Found::new(root, StoreKind::Plain, name, evidence).because(reason))
}

fn memory_tool(scan: &mut Scan, project: &Path) -> Option<Found> {
    let root = scan.directory(project, &["memory", "memories"])?;
    let evidence = vec![say::memory_memories_where_official_sdks()];
    let name = format!("{} · memory tool", folder_label(project));
    let reason = say::directory_program_uses_memory_tool();
    Some(Found::new(root, StoreKind::MemoryTool, name, evidence).because(reason))
}

fn memory_bank(scan: &mut Scan, project: &Path) -> Option<Found> {
    let root = scan.directory(project, &["memory-bank"])?;
    holds(&root, &["activeContext.md"])?;
    let known = [
        "projectbrief.md",
        "productContext.md",
        "activeContext.md",
        "systemPatterns.md",
        "techContext.md",
        "progress.md",
    ];
    let evidence = vec![say::memory_bank_project(holds(&root, &known)?)];
    let name = format!("{} · Cline memory bank", folder_label(project));
    let reason = say::directory_cline_keeps_up_date();
    Some(Found::new(root, StoreKind::Cline, name, evidence).because(reason))
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "repository";
    project_index_memory_md_links(label) => "{label}/ in a project, with an index MEMORY.md that links to files",
    directory_agents_use_only_where() => "The directory is there; agents use it only where a setting or an instruction leads them to it.",
    project(label, index) => "{label}/ in a project, {index}",
    project_topics(label) => "{label}/ in a project, with topics",
    memory_md_root_project_topics() => "a MEMORY.md at the root of a project, with the topics it links to beside it",
    project_holds_other_files_beside() => "The project holds other files beside its memory, and all of them would be recorded; add it by name if that is meant.",
    dated_logs_topics() => "dated logs/ and topics/",
    dated_logs() => "dated logs/",
    memory_project_aeon_keeps(index, parts) => "memory/ in a project, {index} and {parts}, as Aeon keeps it",
    directory_agent_commits() => "The directory is there; the agent commits to it.",
    memory_memories_where_official_sdks() => "memory/memories/, where the official SDKs keep what the model sees as /memories",
    directory_program_uses_memory_tool() => "The directory is there; a program that uses the memory tool in this project writes to it.",
    memory_bank_project(known) => "memory-bank/ in a project, {known}",
    directory_cline_keeps_up_date() => "The directory is there; Cline keeps it up to date where its instructions ask for it.",
}

#[cfg(test)]
mod tests {
    use crate::testing::Home;
    use crate::{Surroundings, discover};
    use retrace_model::StoreKind;

    fn named(home: &Home, projects: &[&str]) -> Surroundings {
        let mut surroundings = home.surroundings();
        surroundings.projects = projects.iter().map(|project| home.path(project)).collect();
        surroundings
    }

    #[test]
    fn every_kind_of_memory_in_a_project() {
        let home = Home::new();
        home.write("copy/.claude/memory/MEMORY.md", "- [A](a.md) — a\n");
        home.write("plain/memory/MEMORY.md", "- [A](sub/a.md)\n");
        home.write("aeon/memory/MEMORY.md", "# Index\n");
        home.write("aeon/memory/logs/2026-11-20.md", "x");
        home.write("tool/memory/memories/notes.txt", "x");
        home.write("bank/memory-bank/activeContext.md", "x");
        home.write("bank/memory-bank/progress.md", "x");
        let discovery = discover(&named(&home, &["copy", "plain", "aeon", "tool", "bank"]));
        for (root, name, kind) in [
            ("copy/.claude/memory", "copy · .claude/memory", StoreKind::ClaudeAuto),
            ("plain/memory", "plain · memory", StoreKind::ClaudeAuto),
            ("aeon/memory", "aeon · Aeon", StoreKind::Plain),
            ("tool/memory/memories", "tool · memory tool", StoreKind::MemoryTool),
            ("bank/memory-bank", "bank · Cline memory bank", StoreKind::Cline),
        ] {
            let found = discovery.at(&home.path(root));
            assert_eq!((found.name.as_str(), found.kind), (name, kind));
            assert!(found.enabled && found.project.is_some() && !found.reason.is_empty(), "{found:?}");
        }
        assert_eq!(discovery.problems, []);
    }

    #[test]
    fn a_workspace_a_repository_of_memory_and_a_folder_named_for_it() {
        let home = Home::new();
        home.write("claw/SOUL.md", "x");
        home.write("claw/MEMORY.md", "x");
        home.write("claw/memory/2026-11-20.md", "x");
        home.write("notes/MEMORY.md", "- [A](a.md)\n");
        home.write("notes/a.md", "x");
        home.write("notes/README.md", "x");
        home.write("code/MEMORY.md", "- [A](./a.md#part)\n");
        home.write("code/a.md", "x");
        home.write("code/Cargo.toml", "x");
        home.write("code/src/main.rs", "x");
        home.write("kept/claude-memory/MEMORY.md", "no links\n");
        home.write("kept/src/main.rs", "x");
        home.write("loose/claude-memory/tides.md", "x");
        let discovery = discover(&named(&home, &["claw", "notes", "code", "kept", "loose"]));
        for (root, name, kind, enabled) in [
            ("claw", "claw · OpenClaw", StoreKind::Openclaw, true),
            ("notes", "notes · memory", StoreKind::ClaudeAuto, true),
            ("code", "code · memory", StoreKind::ClaudeAuto, false),
            ("kept/claude-memory", "kept · claude-memory", StoreKind::ClaudeAuto, true),
            ("loose/claude-memory", "loose · claude-memory", StoreKind::ClaudeAuto, true),
        ] {
            let found = discovery.at(&home.path(root));
            assert_eq!((found.name.as_str(), found.kind, found.enabled), (name, kind, enabled));
            assert!(found.project.is_some() && !found.reason.is_empty(), "{found:?}");
        }
        let inside: Vec<_> =
            discovery.found.iter().filter(|found| found.root.ends_with("claw/memory")).collect();
        assert!(inside.iter().all(|found| !found.enabled || !found.exists), "{inside:?}");
        assert_eq!(discovery.problems, []);
    }

    #[test]
    fn what_only_looks_like_memory_is_left_out() {
        let home = Home::new();
        home.write("a/memory/MEMORY.md", "No links here (see a.md).\n");
        home.write("a/memory/allocator.c", "x");
        home.write("a/memory-bank/notes.md", "x");
        home.write("a/.claude/memory/other.md", "x");
        home.write("a/MEMORY.md", "- [A](gone.md) [B](../b/c.md) [C](https://x.test/a.md)\n");
        home.write("b/SOUL.md", "x");
        home.write("b/c.md", "x");
        home.write("b/claude-memory/allocator.c", "x");
        let discovery = discover(&named(&home, &["a", "b"]));
        let there: Vec<_> = discovery.found.iter().filter(|found| found.exists).collect();
        assert!(there.is_empty(), "{there:?}");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_a_project_is_reported_and_not_followed() {
        let home = Home::new();
        home.write("secret/MEMORY.md", "- [A](a.md)\n");
        home.make_directory("app/.claude");
        std::os::unix::fs::symlink(home.path("secret"), home.path("app/.claude/memory")).unwrap();
        std::os::unix::fs::symlink(home.path("secret"), home.path("app/memory-bank")).unwrap();
        let discovery = discover(&named(&home, &["app"]));
        assert!(!discovery.found.iter().any(|found| found.exists), "{discovery:?}");
        assert_eq!(discovery.problems.len(), 2, "{:?}", discovery.problems);
    }
}
