//! Memory kept inside project directories.
//!
//! - `.claude/memory/` and `memory/` with a `MEMORY.md` that links to files: copies of Claude Code memory, committed.
//!   Thousands of public repositories hold these paths.
//! - `memory/MEMORY.md` with `logs/` or `topics/`: Aeon, which runs in GitHub Actions (`aaronjmars/aeon`).
//! - `memory-bank/` with `activeContext.md`: the Cline memory bank (`cline/cline`, memory bank documentation).
//! - `memory/memories/`: the Anthropic memory tool with the file back end of the official SDKs, whose base is `./memory`
//!   (`anthropics/anthropic-sdk-python`, memory tool module).

use super::{has_dated_notes, holds};
use crate::Found;
use crate::claude::{Project, folder_label};
use crate::look::Look;
use retrace_model::StoreKind;
use std::path::Path;

/// Bytes of an index that are searched for a link.
const INDEX_BYTES: u64 = 64 * 1024;

pub(super) fn find(projects: &[Project], look: &mut Look) -> Vec<Found> {
    let mut found = Vec::new();
    for project in projects {
        let directory = &project.directory;
        // A path of another platform, or the root, is no place to look into.
        if !directory.is_absolute() || directory.parent().is_none() {
            continue;
        }
        let mut stores = Vec::new();
        stores.extend(copy(look, directory, &[".claude", "memory"], ".claude/memory"));
        stores.extend(aeon(look, directory).or_else(|| copy(look, directory, &["memory"], "memory")));
        stores.extend(memory_tool(look, directory));
        stores.extend(memory_bank(look, directory));
        found.extend(stores.into_iter().map(|store| store.of_project(Some(directory.clone()))));
    }
    found
}

fn copy(look: &mut Look, project: &Path, parts: &[&str], label: &str) -> Option<Found> {
    let root = look.directory(project, parts)?;
    if !links_to_files(look, &root.join("MEMORY.md")) {
        return None;
    }
    let evidence = vec![format!("{label}/ in a project, with an index MEMORY.md that links to files")];
    let name = format!("{} · {label}", folder_label(project));
    let reason =
        "The directory is there; agents use it only where a setting or an instruction leads them to it.";
    Some(Found::new(root, StoreKind::ClaudeAuto, name, evidence).because(reason))
}

/// Whether an index has a Markdown link to a Markdown file: `](name.md)`.
fn links_to_files(look: &mut Look, index: &Path) -> bool {
    let Some(bytes) = look.beginning(index, INDEX_BYTES) else { return false };
    String::from_utf8_lossy(&bytes)
        .split("](")
        .skip(1)
        .any(|rest| rest.split([')', '\n']).next().is_some_and(|target| target.trim().ends_with(".md")))
}

fn aeon(look: &mut Look, project: &Path) -> Option<Found> {
    let root = look.directory(project, &["memory"])?;
    let index = holds(&root, &["MEMORY.md"])?;
    let logs = look.directory(&root, &["logs"]).is_some_and(|logs| has_dated_notes(look, &logs));
    let topics = look.directory(&root, &["topics"]).is_some();
    let parts = match (logs, topics) {
        (true, true) => "dated logs/ and topics/",
        (true, false) => "dated logs/",
        (false, true) => "topics/",
        (false, false) => return None,
    };
    let evidence = vec![format!("memory/ in a project, {index} and {parts}, as Aeon keeps it")];
    let name = format!("{} · Aeon", folder_label(project));
    let reason = "The directory is there; the agent commits to it.";
    Some(Found::new(root, StoreKind::Plain, name, evidence).because(reason))
}

fn memory_tool(look: &mut Look, project: &Path) -> Option<Found> {
    let root = look.directory(project, &["memory", "memories"])?;
    let evidence =
        vec!["memory/memories/, where the official SDKs keep what the model sees as /memories".to_owned()];
    let name = format!("{} · memory tool", folder_label(project));
    let reason = "The directory is there; a program that uses the memory tool in this project writes to it.";
    Some(Found::new(root, StoreKind::MemoryTool, name, evidence).because(reason))
}

fn memory_bank(look: &mut Look, project: &Path) -> Option<Found> {
    let root = look.directory(project, &["memory-bank"])?;
    holds(&root, &["activeContext.md"])?;
    let known = [
        "projectbrief.md",
        "productContext.md",
        "activeContext.md",
        "systemPatterns.md",
        "techContext.md",
        "progress.md",
    ];
    let evidence = vec![format!("memory-bank/ in a project, {}", holds(&root, &known)?)];
    let name = format!("{} · Cline memory bank", folder_label(project));
    let reason = "The directory is there; Cline keeps it up to date where its instructions ask for it.";
    Some(Found::new(root, StoreKind::Cline, name, evidence).because(reason))
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
    fn what_only_looks_like_memory_is_left_out() {
        let home = Home::new();
        home.write("a/memory/MEMORY.md", "No links here (see a.md).\n");
        home.write("a/memory/allocator.c", "x");
        home.write("a/memory-bank/notes.md", "x");
        home.write("a/.claude/memory/other.md", "x");
        let discovery = discover(&named(&home, &["a"]));
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
