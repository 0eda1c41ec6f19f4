//! Agents other than Claude Code that keep memory in plain files.
//!
//! A directory is listed when it is there; these agents' own switches are not read unless said so beside the source.

mod basic_memory;
mod codex;
mod copilot;
mod gemini;
mod letta;
mod openclaw;
mod repository;
mod windsurf;

use crate::claude::Project;
use crate::look::{Look, Sort};
use crate::{Found, Surroundings};
use std::path::Path;

/// Finds the memory of all other agents. `projects` are the directories looked into.
pub(crate) fn find(surroundings: &Surroundings, projects: &[Project], look: &mut Look) -> Vec<Found> {
    let mut found = codex::find(surroundings, look);
    found.extend(gemini::find(surroundings, projects, look));
    found.extend(letta::find(surroundings, look));
    found.extend(openclaw::find(surroundings, look));
    found.extend(basic_memory::find(surroundings, look));
    found.extend(copilot::find(surroundings, look));
    found.extend(windsurf::find(surroundings, look));
    found.extend(repository::find(projects, look));
    found
}

/// Those of `names` that are regular files in a directory, as one piece of evidence: `holds MEMORY.md and USER.md`.
fn holds(directory: &Path, names: &[&str]) -> Option<String> {
    let there: Vec<&str> =
        names.iter().copied().filter(|name| crate::look::is_file(&directory.join(name))).collect();
    let (last, others) = there.split_last()?;
    Some(if others.is_empty() {
        format!("holds {last}")
    } else {
        format!("holds {} and {last}", others.join(", "))
    })
}

/// Whether a directory holds a file named after a day: `2026-11-20.md`, `2026-11-20-topic.md`.
fn has_dated_notes(look: &mut Look, directory: &Path) -> bool {
    look.entries(directory).iter().any(|entry| {
        let shape = entry.name.bytes().take(10).map(|byte| if byte.is_ascii_digit() { b'0' } else { byte });
        entry.sort == Sort::File && entry.name.ends_with(".md") && shape.eq(*b"0000-00-00")
    })
}
