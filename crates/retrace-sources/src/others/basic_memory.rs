//! Basic Memory projects, from `~/.basic-memory/config.json`, and the default one at `~/basic-memory`. Source:
//! `basicmachines-co/basic-memory`, `config.py` and its configuration reference.

use crate::scan::{Scan, is_directory};
use crate::{Found, Problem, Surroundings, validate_memory_path};
use retrace_model::StoreKind;
use serde_json::Value;

pub(super) fn find(surroundings: &Surroundings, scan: &mut Scan) -> Vec<Found> {
    let directory =
        surroundings.directory("BASIC_MEMORY_CONFIG_DIR", || surroundings.home.join(".basic-memory"));
    let path = directory.join("config.json");
    let config = scan.json(&path);
    let mut found = Vec::new();
    let projects = config
        .as_ref()
        .and_then(|config| scan.setting(&path, config, "projects", say::object(), Value::as_object));
    for (name, value) in projects.into_iter().flatten() {
        // A path alone, or in newer versions an object that holds it.
        let Some(text) = value.as_str().or_else(|| value.get("path")?.as_str()) else { continue };
        let place = say::project(name, path.display());
        match validate_memory_path(text, &surroundings.home) {
            Ok(root) => {
                let exists = is_directory(&root);
                let mut project =
                    Found::new(root, StoreKind::BasicMemory, format!("{name} · Basic Memory"), vec![place])
                        .because(say::configuration_basic_memory_lists());
                project.exists = exists;
                found.push(project);
            }
            Err(refused) => scan.note(Problem::Refused { place, refused }),
        }
    }
    let default = surroundings.directory("BASIC_MEMORY_HOME", || surroundings.home.join("basic-memory"));
    if config.is_none() && is_directory(&default) && !default.is_symlink() {
        let evidence = vec![say::default_project_directory_basic_memory()];
        let reason = say::directory_no_configuration_basic_memory();
        found.push(
            Found::new(default, StoreKind::BasicMemory, "main · Basic Memory".to_owned(), evidence)
                .because(reason),
        );
    }
    found
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "basic_memory";
    object() => "an object",
    project(name, path) => "project {name} in {path}",
    configuration_basic_memory_lists() => "The configuration of Basic Memory lists it.",
    default_project_directory_basic_memory() => "the default project directory of Basic Memory",
    directory_no_configuration_basic_memory() => "The directory is there; no configuration of Basic Memory was found.",
}

#[cfg(test)]
mod tests {
    use crate::Problem;
    use crate::testing::Home;

    #[test]
    fn the_projects_of_the_configuration_in_both_forms() {
        let home = Home::new();
        home.write("notes/work/a.md", "x");
        let config =
            r#"{"projects": {"work": "~/notes/work", "gone": {"path": "/srv/notes/gone"}, "all": "~/"}}"#;
        home.write(".basic-memory/config.json", config);
        let discovery = home.discover();
        assert_eq!(discovery.at(&home.path("notes/work")).name, "work · Basic Memory");
        assert!(!discovery.at(std::path::Path::new("/srv/notes/gone")).exists);
        assert!(
            matches!(&discovery.problems[..], [Problem::Refused { place, .. }] if place.contains("project all"))
        );
    }

    #[test]
    fn the_default_directory_counts_without_a_configuration() {
        let home = Home::new();
        home.write("basic-memory/a.md", "x");
        assert!(home.discover().has(&home.path("basic-memory")));
        home.write(".basic-memory/config.json", "{");
        let discovery = home.discover();
        assert!(discovery.has(&home.path("basic-memory")));
        assert!(matches!(&discovery.problems[..], [Problem::Damaged { .. }]));
    }
}
