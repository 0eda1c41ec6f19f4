//! OpenClaw workspaces: `MEMORY.md`, `USER.md`, `DREAMS.md` and dated notes in `memory/`. The whole workspace is the
//! store, as its documentation says to treat it as memory. Sources: OpenClaw documentation, pages "Memory", "Agent
//! workspace" and "Environment variables".

use super::{has_dated_notes, holds};
use crate::scan::{Scan, Sort, is_directory};
use crate::{Found, Problem, Surroundings, validate_memory_path};
use retrace_message::Message;
use retrace_model::StoreKind;
use serde_json::Value;
use std::path::{Path, PathBuf};

pub(super) fn find(surroundings: &Surroundings, scan: &mut Scan) -> Vec<Found> {
    let home = surroundings.directory("OPENCLAW_HOME", || surroundings.home.clone());
    let profile = profile(surroundings);
    let state = surroundings.directory("OPENCLAW_STATE_DIR", || match &profile {
        Some(profile) => home.join(format!(".openclaw-{profile}")),
        None => home.join(".openclaw"),
    });
    let config = surroundings.directory("OPENCLAW_CONFIG_PATH", || state.join("openclaw.json"));
    let mut places = configured(scan, &config, &home);
    if let Some(path) =
        surroundings.variable("OPENCLAW_WORKSPACE_DIR").map(PathBuf::from).filter(|path| path.is_absolute())
    {
        places.push((path, say::openclaw_workspace_dir_names()));
    }
    // Older versions put the workspace of a profile beside the default one.
    let older = profile.map(|profile| home.join(".openclaw").join(format!("workspace-{profile}")));
    for path in [Some(state.join("workspace")), older].into_iter().flatten() {
        places.push((path, say::default_workspace_openclaw()));
    }
    for entry in scan.entries(&state) {
        if let Some(agent) = entry.name.strip_prefix("workspace-").filter(|_| entry.sort == Sort::Directory) {
            places.push((entry.path, say::default_workspace_openclaw_agent(agent)));
        }
    }
    places.into_iter().filter_map(|(root, because)| workspace(scan, root, because)).collect()
}

/// `OPENCLAW_PROFILE`, unless it is the default one or would lead out of its directory.
fn profile(surroundings: &Surroundings) -> Option<String> {
    let name = surroundings.variable("OPENCLAW_PROFILE")?.to_str()?.to_owned();
    (name != "default" && !name.contains(['/', '\\'])).then_some(name)
}

/// The workspaces the configuration names: for all agents, and for each in both forms the list of agents has had.
fn configured(scan: &mut Scan, path: &Path, home: &Path) -> Vec<(PathBuf, Message)> {
    let Some(config) = scan.json5(path) else { return Vec::new() };
    let mut settings =
        vec![("agents.defaults.workspace".to_owned(), config.pointer("/agents/defaults/workspace"))];
    if let Some(entries) = config.pointer("/agents/entries").and_then(Value::as_object) {
        settings.extend(
            entries
                .iter()
                .map(|(agent, entry)| (format!("agents.entries.{agent}.workspace"), entry.get("workspace"))),
        );
    }
    if let Some(list) = config.pointer("/agents/list").and_then(Value::as_array) {
        settings.extend(
            list.iter()
                .enumerate()
                .map(|(at, entry)| (format!("agents.list[{at}].workspace"), entry.get("workspace"))),
        );
    }
    let mut places = Vec::new();
    for (key, value) in settings {
        let Some(text) = value.and_then(Value::as_str) else { continue };
        let place = say::key_in(key, path.display());
        match validate_memory_path(text, home) {
            Ok(root) => places.push((root, say::names(&place))),
            Err(refused) => scan.note(Problem::Refused { place, refused }),
        }
    }
    places
}

/// A project that is a workspace: its `SOUL.md` is what no other agent has.
pub(super) fn in_project(scan: &mut Scan, project: &Path) -> Option<Found> {
    holds(project, &["SOUL.md"])?;
    workspace(scan, project.to_owned(), say::project_soul_md_openclaw_reads())
}

/// A workspace is listed when something in it is memory.
fn workspace(scan: &mut Scan, root: PathBuf, because: Message) -> Option<Found> {
    if !is_directory(&root) {
        return None;
    }
    if root.is_symlink() {
        scan.note(Problem::Link { path: root });
        return None;
    }
    let mut evidence = vec![because];
    evidence.extend(holds(&root, &["MEMORY.md", "USER.md", "DREAMS.md"]));
    let notes = scan.directory(&root, &["memory"]);
    if notes.is_some_and(|notes| has_dated_notes(scan, &notes)) {
        evidence.push(say::holds_dated_notes_memory());
    }
    if evidence.len() == 1 {
        return None;
    }
    let label = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = if label == "workspace" { "OpenClaw".to_owned() } else { format!("{label} · OpenClaw") };
    let reason = say::workspace_openclaw_loads_memory_every();
    Some(Found::new(root, StoreKind::Openclaw, name, evidence).because(reason))
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "openclaw";
    key_in(key, path) => "{key} in {path}",
    openclaw_workspace_dir_names() => "OPENCLAW_WORKSPACE_DIR names it",
    default_workspace_openclaw() => "the default workspace of OpenClaw",
    default_workspace_openclaw_agent(agent) => "the default workspace of the OpenClaw agent {agent}",
    names(place) => "{place} names it",
    project_soul_md_openclaw_reads() => "a project with a SOUL.md, which OpenClaw reads",
    holds_dated_notes_memory() => "holds dated notes in memory/",
    workspace_openclaw_loads_memory_every() => "The workspace is there; OpenClaw loads its memory in every session.",
}

#[cfg(test)]
mod tests {
    use crate::Problem;
    use crate::testing::Home;

    #[test]
    fn the_default_workspace_needs_memory_in_it() {
        let home = Home::new();
        home.write(".openclaw/workspace/AGENTS.md", "x");
        assert_eq!(home.discover().found, []);
        home.write(".openclaw/workspace/memory/2026-11-20-plan.md", "x");
        let discovery = home.discover();
        let workspace = discovery.at(&home.path(".openclaw/workspace"));
        assert_eq!(workspace.name, "OpenClaw");
        assert!(workspace.tells("dated notes"));
    }

    #[test]
    fn the_configuration_names_others_and_bad_paths_are_problems() {
        let home = Home::new();
        home.write("claw/main/MEMORY.md", "x");
        home.write("claw/ops/USER.md", "x");
        home.write(".openclaw/workspace-home/DREAMS.md", "x");
        home.write(
            ".openclaw/openclaw.json",
            "{ // JSON5\n agents: { defaults: { workspace: '~/claw/main' }, list: [{ id: 'ops', workspace: '~/claw/ops' },],\n\
             entries: { bad: { workspace: '~/' } } } }",
        );
        let discovery = home.discover();
        assert!(discovery.at(&home.path("claw/main")).tells("agents.defaults.workspace"));
        assert!(discovery.at(&home.path("claw/ops")).tells("agents.list[0].workspace"));
        assert!(discovery.at(&home.path(".openclaw/workspace-home")).tells("agent home"));
        assert!(matches!(&discovery.problems[..], [Problem::Refused { .. }]), "{:?}", discovery.problems);
    }

    #[test]
    fn variables_move_it() {
        let home = Home::new();
        home.write("state/workspace/MEMORY.md", "x");
        home.write(".openclaw-night/workspace/MEMORY.md", "x");
        let state = home.path("state");
        let moved = home.discover_with(&[("OPENCLAW_STATE_DIR", state.to_str().unwrap())]);
        assert!(moved.has(&state.join("workspace")));
        let profile = home.discover_with(&[("OPENCLAW_PROFILE", "night")]);
        assert!(profile.has(&home.path(".openclaw-night/workspace")));
    }
}
