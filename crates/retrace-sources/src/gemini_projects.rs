//! Which folder of `.gemini/tmp` Gemini CLI keeps for a project, and whose a folder is. Sources: the program (0.61.0) and its
//! public source text, `projectRegistry.ts`, `storage.ts` and `storageMigration.ts`.
//!
//! The registry `projects.json` names folders by project; the file `.project_root` in a folder, or in the one of that name below
//! `history`, says whose it is, and goes before the registry.

use crate::git::lexical;
use crate::scan::{Scan, is_directory};
use retrace_model::Sha256;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// File that names the project of a folder.
const MARKER: &str = ".project_root";

/// Bytes read of it.
const MARKER_BYTES: u64 = 16 * 1024;

/// Folders that have markers, below `.gemini`.
const BASES: [&str; 2] = ["tmp", "history"];

/// Names that are tried for a project without a folder.
const MAX_NAMES: usize = 1_000;

/// The registry of a home.
pub(crate) struct Projects {
    /// Gemini CLI's folder, `.gemini`.
    own: PathBuf,
    /// Folder names by project.
    registered: BTreeMap<String, String>,
}

/// What a marker says of a folder.
enum Marked {
    Nothing,
    Project(PathBuf),
    Unreadable,
}

impl Projects {
    /// Reads `projects.json` in `own`; one of another form stands for none, as for the program.
    pub(crate) fn read(scan: &mut Scan, own: &Path) -> Self {
        let file = own.join("projects.json");
        let registry = if file.is_file() { scan.json(&file) } else { None };
        let entries = registry.as_ref().and_then(|value| value.get("projects")?.as_object());
        let texts = entries.and_then(|entries| {
            let text = |(root, name): (&String, &Value)| Some((root.clone(), name.as_str()?.to_owned()));
            entries.iter().map(text).collect::<Option<BTreeMap<_, _>>>()
        });
        Self { own: own.to_owned(), registered: texts.unwrap_or_default() }
    }

    /// The project that a marker of the folder of this name says.
    pub(crate) fn marked(&self, scan: &mut Scan, name: &str) -> Option<PathBuf> {
        BASES.iter().find_map(|base| match self.marker(scan, base, name) {
            Marked::Project(root) => Some(root),
            Marked::Nothing | Marked::Unreadable => None,
        })
    }

    /// The folder below `tmp` whose files the next session in `project` has. One named by the SHA-256 of the path, as older
    /// versions made it, is copied into that of today where this holds nothing yet.
    pub(crate) fn folder(&self, scan: &mut Scan, project: &Path) -> Option<PathBuf> {
        let temporary = self.own.join("tmp");
        let root = project.to_str()?;
        let is_its = |scan: &mut Scan, name: &str, base: &str| match self.marker(scan, base, name) {
            Marked::Nothing => true,
            Marked::Project(root) => root == project,
            Marked::Unreadable => false,
        };
        let registered = self.registered.get(root).cloned();
        let registered = registered.filter(|name| BASES.iter().all(|base| is_its(scan, name, base)));
        let name = registered.or_else(|| self.by_marker(scan, project)).or_else(|| {
            let taken: Vec<&String> =
                self.registered.iter().filter(|(of, _)| *of != root).map(|(_, name)| name).collect();
            let stem = slug(project);
            (0..MAX_NAMES)
                .map(|number| if number == 0 { stem.clone() } else { format!("{stem}-{number}") })
                .find(|name| !taken.contains(&name) && BASES.iter().all(|base| is_its(scan, name, base)))
        })?;
        let folder = temporary.join(name);
        let older = temporary.join(Sha256::of(root.as_bytes()).to_hex());
        let is_bare = |scan: &mut Scan| scan.entries(&folder).iter().all(|entry| entry.name == MARKER);
        Some(if is_directory(&older) && is_bare(scan) { older } else { folder })
    }

    /// The folder whose marker alone names the project.
    fn by_marker(&self, scan: &mut Scan, project: &Path) -> Option<String> {
        BASES.iter().find_map(|base| {
            let names = scan.entries(&self.own.join(base)).into_iter().map(|entry| entry.name);
            let names: Vec<String> = names.collect();
            names.into_iter().find(|name| {
                let is_its = |other: &str, scan: &mut Scan| match self.marker(scan, other, name) {
                    Marked::Project(root) => Some(root == project),
                    Marked::Nothing => None,
                    Marked::Unreadable => Some(false),
                };
                is_its(base, scan) == Some(true)
                    && BASES.iter().all(|other| is_its(other, scan) != Some(false))
            })
        })
    }

    fn marker(&self, scan: &mut Scan, base: &str, name: &str) -> Marked {
        let file = self.own.join(base).join(name).join(MARKER);
        if !file.exists() {
            return Marked::Nothing;
        }
        let bytes = scan.beginning(&file, MARKER_BYTES);
        let named = bytes.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok()).map(str::trim);
        match named.map(|root| lexical(Path::new(root))) {
            Some(root) if root.file_name().is_some() => Marked::Project(root),
            _ => Marked::Unreadable,
        }
    }
}

/// The name of a new folder for a project.
fn slug(project: &Path) -> String {
    let name = project.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let name = name.replace(|letter: char| !(letter.is_ascii_lowercase() || letter.is_ascii_digit()), "-");
    let parts: Vec<&str> = name.split('-').filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { "project".to_owned() } else { parts.join("-") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Home;

    fn folder(home: &Home, project: &str) -> String {
        let (mut scan, own) = (Scan::default(), home.path(".gemini"));
        let projects = Projects::read(&mut scan, &own);
        let folder = projects.folder(&mut scan, &home.path(project)).expect("a folder");
        folder.strip_prefix(own.join("tmp")).expect("below it").display().to_string()
    }

    #[test]
    fn registry_marker_and_name_say_the_folder() {
        let home = Home::new();
        let (one, two) = (home.make_directory("one"), home.make_directory("two"));
        let name = |path: &Path| path.to_str().expect("a text").to_owned();
        assert_eq!(folder(&home, "one"), "one");
        // What the registry says counts, unless a marker says that the folder is another's.
        let registry = serde_json::json!({"projects": {name(&one): "first", name(&two): "one"}});
        home.write(".gemini/projects.json", &registry.to_string());
        assert_eq!((folder(&home, "one"), folder(&home, "two")), ("first".to_owned(), "one".to_owned()));
        home.write(".gemini/history/first/.project_root", "/elsewhere");
        assert_eq!(folder(&home, "one"), "one-1");
        // A marker alone, below either folder.
        home.write(".gemini/history/third/.project_root", &format!("{}/\n", name(&one)));
        assert_eq!(folder(&home, "one"), "third");
        home.write(".gemini/tmp/third/.project_root", "/elsewhere");
        assert_eq!(folder(&home, "one"), "one-1");
        // A registry of another form is none.
        home.write(".gemini/projects.json", r#"{"projects": {"/a": 1}}"#);
        assert_eq!(folder(&home, "two"), "two");
        let hash = Sha256::of(name(&two).as_bytes()).to_hex();
        home.write(&format!(".gemini/tmp/{hash}/memory/MEMORY.md"), "x");
        home.write(".gemini/tmp/two/.project_root", &name(&two));
        assert_eq!(folder(&home, "two"), hash);
        home.write(".gemini/tmp/two/logs.json", "[]");
        assert_eq!(folder(&home, "two"), "two");
    }

    #[test]
    fn names_of_folders_are_made_of_letters_and_digits() {
        for (name, expected) in
            [("My App", "my-app"), ("--x__y", "x-y"), ("Überall", "berall"), ("é", "project")]
        {
            assert_eq!(slug(Path::new("/w").join(name).as_path()), expected);
        }
    }
}
