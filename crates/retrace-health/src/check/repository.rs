//! A repository on disk, as far as claims of memories are compared with it. Each part is read when it is first asked for.

use super::ignored::Ignored;
use retrace_files::Root;
use retrace_findings::Repository;
use retrace_model::{RelPath, Rules};
use serde_json::Value;
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

/// Largest file of the repository that is read: 1 MiB.
const READ_BYTES: u64 = 1024 * 1024;

/// Directories of what is built or fetched: a claim about a file in one is not decided.
const MADE: [&str; 9] =
    ["target", "dist", "build", "out", ".next", "coverage", "vendor", "node_modules", ".venv"];

/// Ports below this are services of the system.
const FIRST_PORT: u16 = 1024;

/// The repository at a root.
pub(super) struct RepositoryOnDisk {
    root: PathBuf,
    files: OnceCell<Files>,
    packages: OnceCell<Option<Packages>>,
    recipes: OnceCell<Option<BTreeSet<String>>>,
    crates: OnceCell<Option<BTreeSet<String>>>,
    targets: OnceCell<Option<BTreeSet<String>>>,
    branches: OnceCell<Option<BTreeSet<String>>>,
    ports: OnceCell<Option<BTreeSet<u16>>>,
    ignored: OnceCell<Ignored>,
}

/// Entries looked at, at most: no repository that people write by hand has more, and a home directory with a `.git` does.
const MAX_ENTRIES: usize = 500_000;

/// Every path, every end of a path that starts after a slash, and the names of the directories at the root.
struct Files {
    paths: Vec<String>,
    ends: HashSet<String>,
    top: HashSet<String>,
    /// True if all of it was looked at: only then does a path that is not among them not exist.
    whole: bool,
}

#[derive(Default)]
struct Packages {
    scripts: BTreeSet<String>,
    names: BTreeSet<String>,
}

impl RepositoryOnDisk {
    pub(super) fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            files: OnceCell::new(),
            packages: OnceCell::new(),
            recipes: OnceCell::new(),
            crates: OnceCell::new(),
            targets: OnceCell::new(),
            branches: OnceCell::new(),
            ports: OnceCell::new(),
            ignored: OnceCell::new(),
        }
    }

    fn files(&self) -> &Files {
        self.files.get_or_init(|| {
            let mut files =
                Files { paths: Vec::new(), ends: HashSet::new(), top: HashSet::new(), whole: true };
            list(&self.root, &mut String::new(), &mut files);
            files.ends = files.paths.iter().flat_map(|path| ends(path)).map(str::to_owned).collect();
            files
        })
    }

    /// The texts of the files with this name, wherever they stand.
    fn texts<'a>(&'a self, is_wanted: impl Fn(&str) -> bool + 'a) -> impl Iterator<Item = String> + 'a {
        let root = Root::open(&self.root).ok();
        self.files().paths.iter().filter(move |path| is_wanted(path)).filter_map(move |path| {
            let bytes = root.as_ref()?.read(&RelPath::parse(path).ok()?, READ_BYTES).ok()?.bytes?;
            String::from_utf8(bytes).ok()
        })
    }

    fn packages(&self) -> Option<&Packages> {
        let read = || {
            let mut packages = None;
            for text in self.texts(|path| name(path) == "package.json") {
                let Ok(json) = serde_json::from_str::<Value>(&text) else { continue };
                let known: &mut Packages = packages.get_or_insert_with(Packages::default);
                known.scripts.extend(keys(&json["scripts"]));
                known.names.extend(json["name"].as_str().map(str::to_owned));
                for list in ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"] {
                    known.names.extend(keys(&json[list]));
                }
            }
            packages
        };
        self.packages.get_or_init(read).as_ref()
    }
}

impl Repository for RepositoryOnDisk {
    fn has_path(&self, path: &str) -> bool {
        let made = path.split('/').any(|part| MADE.contains(&part));
        made || !self.files().whole || self.files().ends.contains(path)
    }

    fn has_top_directory(&self, name: &str) -> bool {
        self.files().top.contains(name)
    }

    fn ignores(&self, path: &str) -> bool {
        self.ignored.get_or_init(|| Ignored::read(&self.root)).holds(path)
    }

    fn scripts(&self) -> Option<&BTreeSet<String>> {
        self.packages().map(|packages| &packages.scripts)
    }

    fn recipes(&self) -> Option<&BTreeSet<String>> {
        let read = || {
            let mut recipes = None;
            for text in self.texts(|path| is_justfile(name(path)) || path.ends_with(".just")) {
                // An import from elsewhere can have any name.
                if text.lines().any(|line| line.starts_with("import") || line.starts_with("mod ")) {
                    return None;
                }
                recipes.get_or_insert_with(BTreeSet::new).extend(recipes_of(&text));
            }
            recipes
        };
        self.recipes.get_or_init(read).as_ref()
    }

    fn crates(&self) -> Option<&BTreeSet<String>> {
        let read = || {
            let mut crates = None;
            for text in self.texts(|path| name(path) == "Cargo.toml") {
                crates.get_or_insert_with(BTreeSet::new).extend(crates_of(&text));
            }
            crates
        };
        self.crates.get_or_init(read).as_ref()
    }

    fn make_targets(&self) -> Option<&BTreeSet<String>> {
        let read = || {
            let is_makefile = |path: &str| {
                matches!(name(path), "Makefile" | "makefile" | "GNUmakefile") || path.ends_with(".mk")
            };
            let mut targets = None;
            for text in self.texts(is_makefile) {
                targets.get_or_insert_with(BTreeSet::new).extend(targets_of(&text));
            }
            // A target that is made of variables or patterns can have any name.
            targets.filter(|targets: &BTreeSet<String>| {
                !targets.iter().any(|name| name.contains('$') || name.contains('%'))
            })
        };
        self.targets.get_or_init(read).as_ref()
    }

    fn packages(&self) -> Option<&BTreeSet<String>> {
        self.packages().map(|packages| &packages.names)
    }

    fn branches(&self) -> Option<&BTreeSet<String>> {
        self.branches.get_or_init(|| branches(&self.root)).as_ref()
    }

    fn ports(&self) -> Option<&BTreeSet<u16>> {
        let read = || {
            let is_config = |path: &str| {
                let ending = path.rsplit('.').next().unwrap_or("");
                matches!(ending, "json" | "toml" | "yaml" | "yml" | "env" | "example" | "ini" | "conf" | "mk")
                    || matches!(name(path), "Makefile" | "Dockerfile" | "Procfile" | "Justfile" | "justfile")
                    || name(path).contains(".config.")
            };
            let ports: BTreeSet<u16> = self
                .texts(|path| {
                    path.matches('/').count() < 2 && !path.ends_with("lock.json") && is_config(path)
                })
                .flat_map(|text| numbers(&text))
                .collect();
            (!ports.is_empty()).then_some(ports)
        };
        self.ports.get_or_init(read).as_ref()
    }
}

/// Adds what is below `directory`, whose path from the root is `path`: hidden files too, links as they are and not
/// followed, nothing of Git's own and nothing that is built or fetched.
fn list(directory: &Path, path: &mut String, files: &mut Files) {
    let Ok(entries) = std::fs::read_dir(directory) else {
        files.whole = false;
        return;
    };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    let before = path.len();
    for entry in entries {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        if name == ".git" || MADE.contains(&name) {
            continue;
        }
        if files.paths.len() >= MAX_ENTRIES {
            files.whole = false;
            return;
        }
        if before > 0 {
            path.push('/');
        }
        path.push_str(name);
        files.paths.push(path.clone());
        // Of a link, the kind is that of the link.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            if before == 0 {
                files.top.insert(name.to_owned());
            }
            list(&entry.path(), path, files);
        }
        path.truncate(before);
    }
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// `a/b/c`, `b/c` and `c`.
fn ends(path: &str) -> impl Iterator<Item = &str> {
    std::iter::once(path).chain(path.match_indices('/').map(move |(at, _)| &path[at + 1..]))
}

fn keys(value: &Value) -> impl Iterator<Item = String> {
    value.as_object().into_iter().flatten().map(|(key, _)| key.clone())
}

/// Names before a colon at the start of a line.
fn targets_of(text: &str) -> BTreeSet<String> {
    text.lines()
        .filter(|line| !line.starts_with(['\t', ' ', '#']))
        .filter_map(|line| line.split_once(':'))
        .filter(|(_, after)| !after.starts_with('='))
        .flat_map(|(names, _)| names.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

fn is_justfile(name: &str) -> bool {
    name.eq_ignore_ascii_case("justfile") || name.eq_ignore_ascii_case(".justfile")
}

/// First words of lines that name a recipe or an alias.
fn recipes_of(text: &str) -> BTreeSet<String> {
    let word = |text: &str| -> String {
        text.chars().take_while(|letter| letter.is_ascii_alphanumeric() || "_-".contains(*letter)).collect()
    };
    text.lines()
        .filter(|line| !line.starts_with(['\t', ' ', '#', '[']) && line.contains(':'))
        .map(|line| word(line.strip_prefix("alias ").unwrap_or(line).trim_start_matches('@')))
        .filter(|name| !name.is_empty())
        .collect()
}

/// The name of a package and those of its dependencies, which Cargo takes after `-p` as well: keys, and what `name` and
/// `package` say. Keys of other tables are among them, so that at worst a claim is believed.
fn crates_of(text: &str) -> BTreeSet<String> {
    let bare = |text: &str| text.trim().trim_matches(['"', '\'']).to_owned();
    let mut names = BTreeSet::new();
    for line in text.lines() {
        if let Some(table) = line.trim().strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            names.extend(table.rsplit('.').next().map(bare));
        } else if let Some((key, value)) = line.split_once('=') {
            names.extend(key.split('.').next().map(bare));
            if key.trim() == "name" {
                names.insert(bare(value));
            }
            if let Some((_, renamed)) = value.split_once("package") {
                names.extend(renamed.split('"').nth(1).map(str::to_owned));
            }
        }
    }
    names
}

fn numbers(text: &str) -> Vec<u16> {
    text.split(|letter: char| !letter.is_ascii_digit())
        .filter_map(|word| word.parse().ok())
        .filter(|port| *port >= FIRST_PORT)
        .collect()
}

/// Local and remote branches, from the files Git keeps them in; `None` where there is no Git directory.
fn branches(root: &Path) -> Option<BTreeSet<String>> {
    let git = root.join(".git");
    let git = match std::fs::read_to_string(&git) {
        // A worktree: a file that names its directory, which names the common one.
        Ok(text) => {
            let own = root.join(text.trim().strip_prefix("gitdir:")?.trim());
            match std::fs::read_to_string(own.join("commondir")) {
                Ok(common) => own.join(common.trim()),
                Err(_) => own,
            }
        }
        Err(_) => git,
    };
    if !git.is_dir() {
        return None;
    }
    let mut found = BTreeSet::new();
    let packed = std::fs::read_to_string(git.join("packed-refs")).unwrap_or_default();
    found.extend(packed.lines().filter_map(|line| branch_of(line.split(' ').nth(1)?)));
    let rules = Rules { max_file_bytes: 0, skipped_directories: Vec::new() };
    if let Ok(refs) = Root::open(&git.join("refs")) {
        let scan = refs.scan(&rules, None);
        found.extend(scan.found.keys().filter_map(|path| branch_of(&format!("refs/{}", path.to_text()))));
    }
    Some(found)
}

fn branch_of(reference: &str) -> Option<String> {
    if let Some(local) = reference.strip_prefix("refs/heads/") {
        return Some(local.to_owned());
    }
    reference.strip_prefix("refs/remotes/")?.split_once('/').map(|(_, branch)| branch.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_repository_has() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("src/app/main.ts", "");
        write(".env.example", "PORT=4100\n");
        write(
            "package.json",
            r#"{"name":"@me/app","scripts":{"test":"x"},"dependencies":{"@a/b":"1"},"port":4200}"#,
        );
        write("Makefile", ".PHONY: run\nrun: build\n\techo x:y\nVAR := x\n");
        write(
            "Justfile",
            "set shell := ['sh']\nalias t := check\n# no: x\n@check name='x': build\n  echo a:b\n",
        );
        write(
            "sub/Cargo.toml",
            "[package]\nname = \"my-app\"\n[dependencies]\nserde.workspace = true\nother = { package = \"real\" }\n[dependencies.tokio]\n",
        );
        write(".git/refs/heads/feat/x", "");
        write(".git/packed-refs", "# pack-refs\n0123 refs/remotes/origin/main\n");
        let repository = RepositoryOnDisk::new(folder.path());
        for path in ["src/app/main.ts", "app/main.ts", "src/app", ".env.example", "dist/a.js"] {
            assert!(repository.has_path(path), "{path}");
        }
        write("sub/.settings/own.yaml", "");
        write(".gitignore", "*.local.json\n/private\n# a comment\n!kept.local.json\n");
        let repository = RepositoryOnDisk::new(folder.path());
        assert!(repository.has_path(".settings/own.yaml") && repository.has_path("sub/.settings"));
        assert!(repository.has_top_directory("src") && !repository.has_top_directory("app"));
        assert!(repository.ignores("a/x.local.json") && repository.ignores("private/a/b"));
        assert!(!repository.ignores("a/kept.local.json") && !repository.ignores("a/private/b"));
        assert!(
            !repository.has_path("ain.ts")
                && !repository.has_path("../x")
                && !repository.has_path("src/gone.ts")
        );
        assert_eq!(repository.scripts(), Some(&BTreeSet::from(["test".to_owned()])));
        assert!(
            repository.packages.get().is_some()
                && Repository::packages(&repository).unwrap().contains("@a/b")
        );
        let recipes = repository.recipes().unwrap();
        assert!(
            recipes.contains("check") && recipes.contains("t") && !recipes.contains("echo"),
            "{recipes:?}"
        );
        let crates = repository.crates().unwrap();
        assert!(["my-app", "serde", "real", "tokio"].iter().all(|name| crates.contains(*name)), "{crates:?}");
        let targets = repository.make_targets().unwrap();
        assert!(targets.contains("run") && !targets.contains("VAR"));
        assert_eq!(repository.branches(), Some(&BTreeSet::from(["feat/x".to_owned(), "main".to_owned()])));
        assert!(repository.ports().unwrap().contains(&4200));
        let empty = tempfile::tempdir().unwrap();
        let nothing = RepositoryOnDisk::new(empty.path());
        assert_eq!((nothing.scripts(), nothing.make_targets(), nothing.branches()), (None, None, None));
        assert_eq!((nothing.ports(), nothing.recipes(), nothing.crates()), (None, None, None));
    }
}
