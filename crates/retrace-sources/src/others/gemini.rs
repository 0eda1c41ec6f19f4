//! Gemini CLI private notes: `~/.gemini/tmp/<project>/memory`. Source: `google-gemini/gemini-cli`, `storage.ts` and
//! `docs/tools/memory.md`. The global `GEMINI.md` is an instruction file and is left out.

use crate::agents::gemini_home;
use crate::claude::{Project, folder_label};
use crate::gemini_projects::Projects;
use crate::scan::{Scan, is_directory};
use crate::{Found, Surroundings};
use retrace_message::Message;
use retrace_model::{Sha256, StoreKind};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Folders of what its extraction drafted (0.61).
const DRAFTS: [&str; 2] = [".inbox", "skills"];

pub(super) fn find(surroundings: &Surroundings, projects: &[Project], scan: &mut Scan) -> Vec<Found> {
    // `GEMINI_CLI_HOME` stands for the home directory, not for `.gemini`.
    let base = gemini_home(surroundings);
    let known = Projects::read(scan, &base);
    let Some(temporary) = scan.directory(&base, &["tmp"]) else { return Vec::new() };
    let registered = registered(scan, &base.join("projects.json"));
    let automatic = automatic(scan, &base.join("settings.json"));
    let mut found = Vec::new();
    for folder in scan.directories(&temporary) {
        let Some(root) = scan.directory(&folder.path, &["memory"]) else { continue };
        let mut evidence = vec![say::private_notes_gemini_cli_project(&folder.name)];
        let project = owner(scan, &known, &folder.name, &registered, projects);
        if let Some((_, because)) = &project {
            evidence.push(because.clone());
        }
        if automatic {
            evidence.push(say::experimental_automemory_folder_also_holds());
        }
        let drafts = DRAFTS.iter().filter(|draft| is_directory(&root.join(draft)));
        evidence.extend(drafts.map(|draft| say::holds_proposals(*draft)));
        let project = project.map(|(path, _)| path);
        let label = project.as_deref().map_or_else(|| folder.name.clone(), folder_label);
        let reason = say::directory_gemini_cli_reads_sessions();
        found.push(
            Found::new(root, StoreKind::Gemini, format!("{label} · Gemini"), evidence)
                .of_project(project)
                .because(reason),
        );
    }
    found
}

/// Project roots by folder name, from the registry `projects.json`: `{"projects": {"<root>": "<folder>"}}`.
fn registered(scan: &mut Scan, path: &Path) -> BTreeMap<String, PathBuf> {
    let Some(registry) = scan.json(path) else { return BTreeMap::new() };
    let projects = scan.setting(path, &registry, "projects", say::object(), Value::as_object);
    projects
        .into_iter()
        .flatten()
        .filter_map(|(root, folder)| Some((folder.as_str()?.to_owned(), PathBuf::from(root))))
        .collect()
}

fn automatic(scan: &mut Scan, path: &Path) -> bool {
    let settings = scan.json5(path);
    settings.and_then(|settings| settings.pointer("/experimental/autoMemory")?.as_bool()).unwrap_or(false)
}

/// The project of a folder and how that is known: the marker of the folder, the registry, or, in older installations, a
/// folder named by the SHA-256 of the path.
fn owner(
    scan: &mut Scan,
    known: &Projects,
    name: &str,
    registered: &BTreeMap<String, PathBuf>,
    projects: &[Project],
) -> Option<(PathBuf, Message)> {
    if let Some(root) = known.marked(scan, name) {
        let because = say::project_root_names(root.display());
        return Some((root, because));
    }
    if let Some(root) = registered.get(name) {
        return Some((root.clone(), say::projects_json_names(root.display())));
    }
    let hash = Sha256::from_hex(name)?;
    let project = projects
        .iter()
        .find(|project| Sha256::of(project.directory.as_os_str().as_encoded_bytes()) == hash)?;
    let because = say::folder_name_sha_256(project.directory.display());
    Some((project.directory.clone(), because))
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "gemini";
    holds_proposals(draft) => "{draft} holds proposals of its extraction, which no session loads",
    private_notes_gemini_cli_project(name) => "private notes of Gemini CLI for the project folder {name}",
    experimental_automemory_folder_also_holds() => "experimental.autoMemory is on: the folder also holds an inbox of patches to approve",
    directory_gemini_cli_reads_sessions() => "The directory is there; Gemini CLI reads it in sessions of this project.",
    object() => "an object",
    project_root_names(root) => ".project_root names {root}",
    projects_json_names(root) => "projects.json names {root}",
    folder_name_sha_256(directory) => "the folder name is the SHA-256 of {directory}",
}

#[cfg(test)]
mod tests {
    use crate::testing::Home;
    use retrace_model::Sha256;

    #[test]
    fn the_project_is_named_by_marker_registry_or_hash() {
        let home = Home::new();
        let app = home.make_directory("work/app");
        home.project("work/app");
        let hashed = Sha256::of(app.to_str().unwrap().as_bytes()).to_hex();
        for folder in ["marked", "listed", &hashed, "unknown", "past"] {
            home.write(&format!(".gemini/tmp/{folder}/memory/notes.md"), "x");
        }
        home.write(".gemini/tmp/marked/memory/.inbox/private/extraction.patch", "x");
        home.write(".gemini/tmp/marked/.project_root", "/srv/marked\n");
        home.write(".gemini/history/past/.project_root", "/srv/past");
        home.write(".gemini/projects.json", r#"{"projects": {"/srv/listed": "listed"}}"#);
        home.write(".gemini/settings.json", "{experimental: {autoMemory: true}, // on\n}");
        let discovery = home.discover();
        let at = |folder: &str| discovery.at(&home.path(&format!(".gemini/tmp/{folder}/memory")));
        assert_eq!(at("marked").name, "marked · Gemini");
        assert!(at("marked").tells(".inbox holds proposals") && !at("listed").tells("proposals"));
        assert_eq!(at("listed").project.as_deref(), Some(std::path::Path::new("/srv/listed")));
        assert_eq!(at("past").project.as_deref(), Some(std::path::Path::new("/srv/past")));
        assert_eq!(at(&hashed).project, Some(app));
        assert_eq!((at("unknown").name.as_str(), &at("unknown").project), ("unknown · Gemini", &None));
        assert!(at("unknown").tells("inbox of patches"));
        assert_eq!(discovery.problems, []);
    }
}
