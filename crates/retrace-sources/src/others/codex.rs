//! Codex memories: `memories_v2` and `memories` in `$CODEX_HOME`, else in `~/.codex`. Sources: `openai/codex`, README of its
//! memories crate; observed with 0.169: the feature `memories` is off unless `config.toml` switches it on, `memories.version`
//! says which directory is used, and without it a home that has `memories`, even empty, keeps it.

use super::holds;
use crate::scan::{Scan, is_directory};
use crate::{Found, Surroundings};
use retrace_message::Message;
use retrace_model::StoreKind;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Bytes read to tell the version line of the summary.
const SUMMARY_BYTES: u64 = 16;

/// Directories of both versions, with the version's name.
const VERSIONS: [(&str, &str); 2] = [("memories_v2", "v2"), ("memories", "v1")];

pub(super) fn find(surroundings: &Surroundings, scan: &mut Scan) -> Vec<Found> {
    let home = surroundings.directory("CODEX_HOME", || surroundings.home.join(".codex"));
    let config = Config::read(scan, &home);
    let roots: Vec<(PathBuf, &str)> = VERSIONS
        .into_iter()
        .filter_map(|(folder, version)| Some((scan.directory(&home, &[folder])?, version)))
        .collect();
    let are_both = roots.len() > 1;
    let found = roots.into_iter().map(|(root, version)| {
        let mut evidence = vec![say::memory_directory_codex(home.display())];
        let summary = scan.beginning(&root.join("memory_summary.md"), SUMMARY_BYTES).unwrap_or_default();
        if summary.split(|byte| *byte == b'\n').next().is_some_and(|line| line.trim_ascii() == b"v1") {
            evidence.push(say::memory_summary_md_begins_v1());
        }
        evidence.extend(holds(&root, &["MEMORY.md", "memory_summary.md", "raw_memories.md"]));
        if is_directory(&root.join("rollout_summaries")) {
            evidence.push(say::holds_rollout_summaries());
        }
        if root.join(".git").is_dir() {
            evidence.push(say::git_repository_codex_keeps_baseline());
        }
        let name = if are_both { format!("Codex ({version})") } else { "Codex".to_owned() };
        let (enabled, reason) = config.uses(version);
        let mut found = Found::new(root, StoreKind::Codex, name, evidence).because(reason);
        found.enabled = enabled;
        found
    });
    found.collect()
}

/// What `config.toml` says of memories.
struct Config {
    /// `features.memories`.
    on: Option<bool>,
    /// The version in use, and how that is known.
    version: String,
    because: Message,
}

impl Config {
    fn read(scan: &mut Scan, home: &Path) -> Self {
        let path = home.join("config.toml");
        let config = scan.toml(&path).unwrap_or_default();
        let mut part = |table: &str, key: &str| {
            let of = scan.setting(&path, &config, table, say::table(), |it| it.is_object().then_some(it))?;
            Some(of.get(key)?.clone())
        };
        let on = part("features", "memories").as_ref().and_then(Value::as_bool);
        let named = part("memories", "version").and_then(|version| version.as_str().map(str::to_owned));
        let (version, because) = match named {
            Some(version) => (version, say::config_names_this_version()),
            None if is_directory(&home.join("memories")) => {
                ("v1".to_owned(), say::home_with_memories_keeps_v1())
            }
            None => ("v2".to_owned(), say::new_home_has_v2()),
        };
        Self { on, version, because }
    }

    /// Whether Codex uses the directory of a version, and why.
    fn uses(&self, version: &str) -> (bool, Message) {
        if version != self.version {
            return (false, say::codex_uses_here(&self.version, &self.because));
        }
        match self.on {
            Some(true) => (true, say::memories_are_on(&self.because)),
            Some(false) => (false, say::memories_are_off()),
            None => (false, say::memories_are_off_by_default()),
        }
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "codex";
    holds_rollout_summaries() => "holds rollout_summaries",
    table() => "a table",
    config_names_this_version() => "config.toml names this version",
    home_with_memories_keeps_v1() => "a home with the directory memories keeps v1",
    new_home_has_v2() => "a new home has v2",
    codex_uses_here(version, because) => "Codex uses {version} here: {because}.",
    memories_are_on(because) => "config.toml has features.memories on, and {because}.",
    memories_are_off() => "config.toml has features.memories off.",
    memories_are_off_by_default() => "features.memories is off unless config.toml switches it on.",
    memory_directory_codex(home) => "the memory directory of Codex in {home}",
    memory_summary_md_begins_v1() => "memory_summary.md begins with v1",
    git_repository_codex_keeps_baseline() => "is a git repository, which Codex keeps as a baseline",
}

#[cfg(test)]
mod tests {
    use crate::testing::Home;

    #[test]
    fn the_default_home_and_another_one() {
        let home = Home::new();
        home.write(".codex/config.toml", "model = \"gpt-5.1-codex\"\n[features]\nmemories = true\n");
        home.write(".codex/memories/memory_summary.md", "v1\nText.\n");
        home.write(".codex/memories/rollout_summaries/a.md", "x");
        home.write(".codex/memories/.git/HEAD", "ref: refs/heads/main\n");
        home.write("elsewhere/memories/MEMORY.md", "x");
        let discovery = home.discover();
        let codex = discovery.at(&home.path(".codex/memories"));
        assert_eq!((codex.name.as_str(), codex.files, codex.enabled), ("Codex", 2, true));
        assert!(codex.tells("begins with v1") && codex.tells("git repository"));

        let elsewhere = home.path("elsewhere");
        let discovery = home.discover_with(&[("CODEX_HOME", elsewhere.to_str().unwrap())]);
        assert!(!discovery.has(&home.path(".codex/memories")));
        let found = discovery.at(&elsewhere.join("memories"));
        assert!(!found.enabled && found.reason.contains("off unless"), "{}", found.reason);
    }

    #[test]
    fn the_version_in_use_is_the_one_that_is_on() {
        for (config, folders, on) in [
            ("[features]\nmemories = true\n", &["memories_v2"][..], "memories_v2"),
            ("[features]\nmemories = true\n", &["memories_v2", "memories"], "memories"),
            (
                "[features]\nmemories = true\n[memories]\nversion = \"v2\"\n",
                &["memories_v2", "memories"],
                "memories_v2",
            ),
            ("[features]\nmemories = false\n", &["memories_v2"], ""),
            ("", &["memories"], ""),
            ("features = 3\n", &["memories"], ""),
            ("[broken", &["memories"], ""),
        ] {
            let home = Home::new();
            home.write(".codex/config.toml", config);
            for folder in folders {
                home.write(&format!(".codex/{folder}/memory_summary.md"), "v1\n");
            }
            let discovery = home.discover();
            for folder in folders {
                let found = discovery.at(&home.path(&format!(".codex/{folder}")));
                assert_eq!(found.enabled, *folder == on, "{config:?} {folder}: {}", found.reason);
            }
            assert_eq!(
                discovery.problems.len(),
                usize::from(config.contains("= 3") || config.contains("[b"))
            );
        }
    }
}
