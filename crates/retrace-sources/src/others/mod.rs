//! Agents other than Claude Code that keep memory in plain files.
//!
//! A directory is listed when it is there; these agents' own switches are not read unless said so beside the source.

use retrace_message::Message;
mod basic_memory;
mod codex;
mod copilot;
mod gemini;
mod letta;
mod openclaw;
mod repository;
mod windsurf;

use crate::claude::Project;
use crate::scan::{Scan, Sort};
use crate::{Found, Surroundings};
use std::path::Path;

/// Finds the memory of all other agents. `projects` are the directories examined.
pub(crate) fn find(surroundings: &Surroundings, projects: &[Project], scan: &mut Scan) -> Vec<Found> {
    let mut found = codex::find(surroundings, scan);
    found.extend(gemini::find(surroundings, projects, scan));
    found.extend(letta::find(surroundings, scan));
    found.extend(openclaw::find(surroundings, scan));
    found.extend(basic_memory::find(surroundings, scan));
    found.extend(copilot::find(surroundings, scan));
    found.extend(windsurf::find(surroundings, scan));
    found.extend(repository::find(projects, scan));
    found
}

/// Those of `names` that are regular files in a directory, as one piece of evidence: `holds MEMORY.md and USER.md`.
fn holds(directory: &Path, names: &[&str]) -> Option<Message> {
    let there: Vec<&str> =
        names.iter().copied().filter(|name| crate::scan::is_file(&directory.join(name))).collect();
    let (last, others) = there.split_last()?;
    Some(if others.is_empty() { say::holds(last) } else { say::holds_2(others.join(", "), last) })
}

/// True if a directory holds a file named after a day: `2026-11-20.md`, `2026-11-20-topic.md`.
fn has_dated_notes(scan: &mut Scan, directory: &Path) -> bool {
    scan.entries(directory).iter().any(|entry| {
        let shape = entry.name.bytes().take(10).map(|byte| if byte.is_ascii_digit() { b'0' } else { byte });
        entry.sort == Sort::File && entry.name.ends_with(".md") && shape.eq(*b"0000-00-00")
    })
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "others";
    holds(last) => "holds {last}",
    holds_2(others, last) => "holds {others} and {last}",
}
