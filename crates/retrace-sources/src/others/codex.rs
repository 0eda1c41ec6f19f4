//! Codex memories: `$CODEX_HOME/memories`, else `~/.codex/memories`. Source: `openai/codex`, README of its memories crate.

use super::holds;
use crate::scan::Scan;
use crate::{Found, Surroundings};
use retrace_model::StoreKind;

/// Bytes read to tell the version line of the summary.
const SUMMARY_BYTES: u64 = 16;

pub(super) fn find(surroundings: &Surroundings, scan: &mut Scan) -> Vec<Found> {
    let home = surroundings.directory("CODEX_HOME", || surroundings.home.join(".codex"));
    let Some(root) = scan.directory(&home, &["memories"]) else { return Vec::new() };
    let mut evidence = vec![format!("the memory directory of Codex in {}", home.display())];
    let summary = scan.beginning(&root.join("memory_summary.md"), SUMMARY_BYTES).unwrap_or_default();
    if summary.split(|byte| *byte == b'\n').next().is_some_and(|line| line.trim_ascii() == b"v1") {
        evidence.push("memory_summary.md begins with v1".to_owned());
    }
    evidence.extend(holds(&root, &["MEMORY.md", "memory_summary.md", "raw_memories.md"]));
    if root.join(".git").is_dir() {
        evidence.push("is a git repository, which Codex keeps as a baseline".to_owned());
    }
    let reason = "The directory is there; Codex uses it while its memories feature is on, which is not read.";
    vec![Found::new(root, StoreKind::Codex, "Codex".to_owned(), evidence).because(reason)]
}

#[cfg(test)]
mod tests {
    use crate::testing::Home;

    #[test]
    fn the_default_home_and_another_one() {
        let home = Home::new();
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
        assert!(discovery.has(&elsewhere.join("memories")) && !discovery.has(&home.path(".codex/memories")));
    }
}
