//! A repository on disk, as far as claims of memories are held against it. Each part is read when it is first asked for.

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
    targets: OnceCell<Option<BTreeSet<String>>>,
    branches: OnceCell<Option<BTreeSet<String>>>,
    ports: OnceCell<Option<BTreeSet<u16>>>,
}

/// Every path, and every end of a path that starts after a slash.
struct Files {
    paths: Vec<String>,
    ends: HashSet<String>,
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
            targets: OnceCell::new(),
            branches: OnceCell::new(),
            ports: OnceCell::new(),
        }
    }

    fn files(&self) -> &Files {
        self.files.get_or_init(|| {
            let mut rules = Rules::default();
            rules.skipped_directories.extend(MADE.map(str::to_owned));
            let scan = Root::open(&self.root).map(|root| root.scan(&rules, None)).unwrap_or_default();
            let paths: Vec<String> =
                scan.found.keys().chain(scan.directories.keys()).map(RelPath::to_text).collect();
            let ends = paths.iter().flat_map(|path| ends(path)).map(str::to_owned).collect();
            Files { paths, ends }
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
        // Hidden files are not listed, but may be asked for.
        let hidden = || RelPath::parse(path).is_ok() && self.root.join(path).symlink_metadata().is_ok();
        made || hidden() || self.files().ends.contains(path)
    }

    fn scripts(&self) -> Option<&BTreeSet<String>> {
        self.packages().map(|packages| &packages.scripts)
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
            targets
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
        write(".git/refs/heads/feat/x", "");
        write(".git/packed-refs", "# pack-refs\n0123 refs/remotes/origin/main\n");
        let repository = RepositoryOnDisk::new(folder.path());
        for path in ["src/app/main.ts", "app/main.ts", "src/app", ".env.example", "dist/a.js"] {
            assert!(repository.has_path(path), "{path}");
        }
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
        let targets = repository.make_targets().unwrap();
        assert!(targets.contains("run") && !targets.contains("VAR"));
        assert_eq!(repository.branches(), Some(&BTreeSet::from(["feat/x".to_owned(), "main".to_owned()])));
        assert!(repository.ports().unwrap().contains(&4200));
        let empty = tempfile::tempdir().unwrap();
        let nothing = RepositoryOnDisk::new(empty.path());
        assert_eq!((nothing.scripts(), nothing.make_targets(), nothing.branches()), (None, None, None));
        assert_eq!(nothing.ports(), None);
    }
}
