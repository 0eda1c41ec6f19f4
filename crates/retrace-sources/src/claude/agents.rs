//! Subagent memory, one store for each agent and scope. Source: Claude Code documentation, subagents page; since 2.1.33.

use super::projects::Project;
use super::settings::Switch;
use super::{Claude, folder_label};
use crate::scan::{Entry, Scan, is_file};
use crate::{AgentScope, Found};
use retrace_model::StoreKind;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// All subagent memory: of the user, and of every project known here.
pub(super) fn find(claude: &Claude<'_>, projects: &[Project], scan: &mut Scan) -> Vec<Found> {
    let mut found = Vec::new();
    for base in BTreeSet::from([&claude.config_root, &claude.memory_base]) {
        let mut switch = claude.settings.switch(claude.surroundings, None);
        if *base != claude.memory_base {
            let reason = say::not_used_now_memory_kept(claude.memory_base.display());
            switch = Switch { on: false, reason };
        }
        for entry in agents(scan, base, &["agent-memory"]) {
            found.push(store(entry, AgentScope::User, None, &switch));
        }
    }
    for project in projects.iter().filter(|project| project.directory.is_absolute()) {
        let switch = claude.settings.switch(claude.surroundings, Some(&project.settings));
        for (folder, scope) in
            [("agent-memory", AgentScope::Project), ("agent-memory-local", AgentScope::Local)]
        {
            // A session in the home directory: its project memory is the user's, which is listed above.
            if scope == AgentScope::Project && claude.is_config_parent(&project.directory) {
                continue;
            }
            for entry in agents(scan, &project.directory, &[".claude", folder]) {
                found.push(store(entry, scope, Some(&project.directory), &switch));
            }
        }
    }
    found
}

fn agents(scan: &mut Scan, base: &Path, parts: &[&str]) -> Vec<Entry> {
    let Some(directory) = scan.directory(base, parts) else { return Vec::new() };
    scan.directories(&directory)
}

fn store(entry: Entry, scope: AgentScope, project: Option<&PathBuf>, switch: &Switch) -> Found {
    let agent = entry.name;
    let name = match (scope, project) {
        (AgentScope::Local, Some(project)) => format!("{} · {agent} agent (local)", folder_label(project)),
        (_, Some(project)) => format!("{} · {agent} agent", folder_label(project)),
        (_, None) => format!("{agent} agent (user)"),
    };
    let place = match scope {
        AgentScope::User => say::shared_all_projects(),
        AgentScope::Project => say::project_meant_committed(),
        AgentScope::Local => say::project_not_meant_committed(),
    };
    let mut evidence = vec![say::memory_directory_subagent(agent, place)];
    if is_file(&entry.path.join("MEMORY.md")) {
        evidence.push(say::holds_index_memory_md());
    }
    let reason = if switch.on {
        say::subagent_memory_on(&switch.reason)
    } else {
        say::subagent_memory_off(&switch.reason)
    };
    let mut found = Found::new(entry.path, StoreKind::ClaudeAgent, name, evidence)
        .of_project(project.cloned())
        .because(reason);
    found.enabled = switch.on;
    found.scope = Some(scope);
    found
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "agents";
    not_used_now_memory_kept(memory_base) => "Not used now: memory is kept in {memory_base}.",
    shared_all_projects() => "shared by all projects",
    project_meant_committed() => "of the project, meant to be committed",
    project_not_meant_committed() => "of the project, not meant to be committed",
    memory_directory_subagent(agent, place) => "memory directory of the subagent {agent}, {place}",
    holds_index_memory_md() => "holds the index MEMORY.md",
    subagent_memory_on(reason) => "Subagent memory is on together with auto memory. {reason}",
    subagent_memory_off(reason) => "Subagent memory is off together with auto memory. {reason}",
}
