//! A small home directory for tests, made in a temporary directory.

use crate::{Discovery, Found, Platform, Surroundings, discover, slug};
use std::fs;
use std::path::{Path, PathBuf};

/// A temporary directory that plays the user's home at `<directory>/home/me`, so that names near the root stay out of play.
pub(crate) struct Home {
    directory: tempfile::TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let home = Self { directory };
        fs::create_dir_all(home.root()).unwrap();
        home
    }

    /// The home directory. Links on the way to it, as macOS has, are resolved.
    pub(crate) fn root(&self) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join("home").join("me")
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.root().join(below)
    }

    pub(crate) fn write(&self, file: &str, content: &str) -> PathBuf {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn make_directory(&self, directory: &str) -> PathBuf {
        let path = self.path(directory);
        fs::create_dir_all(&path).unwrap();
        path
    }

    /// An empty repository, as git lays it out.
    pub(crate) fn repository(&self, directory: &str) -> PathBuf {
        self.write(&format!("{directory}/.git/HEAD"), "ref: refs/heads/main\n");
        self.path(directory)
    }

    /// A linked worktree of `repository`, as `git worktree add` lays it out.
    pub(crate) fn worktree(&self, repository: &str, directory: &str, id: &str) -> PathBuf {
        let administration = self.path(&format!("{repository}/.git/worktrees/{id}"));
        self.write(&format!("{directory}/.git"), &format!("gitdir: {}\n", administration.display()));
        let link = self.path(&format!("{directory}/.git"));
        self.write(&format!("{repository}/.git/worktrees/{id}/gitdir"), &format!("{}\n", link.display()));
        self.write(&format!("{repository}/.git/worktrees/{id}/commondir"), "../..\n");
        self.path(directory)
    }

    /// The folder below `.claude/projects` that stands for a directory below the home.
    pub(crate) fn folder(&self, directory: &str) -> String {
        slug(self.path(directory).to_str().unwrap())
    }

    /// A transcript in `.claude/projects/<folder>` recorded in `cwd`.
    pub(crate) fn transcript(&self, folder: &str, cwd: &Path) {
        let line = serde_json::json!({"type": "user", "cwd": cwd, "sessionId": "s"});
        let text = format!("{{\"type\":\"summary\",\"summary\":\"x\"}}\n{line}\n");
        let name = slug(&cwd.to_string_lossy());
        self.write(&format!(".claude/projects/{folder}/s{}.jsonl", name.len()), &text);
    }

    /// Auto memory of a directory at its default place, with one memory and its index.
    pub(crate) fn auto_memory(&self, directory: &str) -> PathBuf {
        let memory = format!(".claude/projects/{}/memory", self.folder(directory));
        self.write(&format!("{memory}/MEMORY.md"), "- [Fact](fact.md) — a fact\n");
        self.write(&format!("{memory}/fact.md"), "A fact.\n");
        self.path(&memory)
    }

    /// A project with a transcript and auto memory.
    pub(crate) fn project(&self, directory: &str) -> PathBuf {
        self.transcript(&self.folder(directory), &self.path(directory));
        self.auto_memory(directory)
    }

    /// Surroundings of this home, with managed settings at `managed` below it.
    pub(crate) fn surroundings(&self) -> Surroundings {
        let mut surroundings = Surroundings::new(self.root(), Platform::Linux);
        surroundings.managed_directory = self.path("managed");
        surroundings
    }

    pub(crate) fn discover(&self) -> Discovery {
        discover(&self.surroundings())
    }

    /// A discovery with these environment variables.
    pub(crate) fn discover_with(&self, variables: &[(&str, &str)]) -> Discovery {
        let mut surroundings = self.surroundings();
        for (name, value) in variables {
            surroundings.env.insert((*name).to_owned(), value.into());
        }
        discover(&surroundings)
    }
}

impl Discovery {
    /// The entry for a directory.
    pub(crate) fn at(&self, root: &Path) -> &Found {
        self.found.iter().find(|found| found.root == root).unwrap_or_else(|| panic!("{root:?} in {self:#?}"))
    }

    pub(crate) fn has(&self, root: &Path) -> bool {
        self.found.iter().any(|found| found.root == root)
    }
}

impl Found {
    /// True if some piece of evidence holds `part`.
    pub(crate) fn tells(&self, part: &str) -> bool {
        self.evidence.iter().any(|evidence| evidence.contains(part))
    }
}
