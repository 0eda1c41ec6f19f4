//! Letta Code MemFS: `~/.letta/agents/<agent>/memory`, a git repository. Source: Letta documentation, "MemFS";
//! `letta-ai/letta-code`, `memory-git.ts`.

use crate::scan::Scan;
use crate::{Found, Surroundings};
use retrace_model::StoreKind;

pub(super) fn find(surroundings: &Surroundings, scan: &mut Scan) -> Vec<Found> {
    let Some(agents) = scan.directory(&surroundings.home, &[".letta", "agents"]) else { return Vec::new() };
    let mut found = Vec::new();
    for agent in scan.directories(&agents) {
        let Some(root) = scan.directory(&agent.path, &["memory"]) else { continue };
        let mut evidence = vec![say::memory_directory_letta_agent(&agent.name)];
        if root.join(".git").is_dir() {
            evidence.push(say::git_repository_every_edit_commit());
        }
        if root.join("system").is_dir() {
            evidence.push(say::holds_system_part_always_context());
        }
        let reason = say::directory_letta_code_uses_agents();
        found.push(
            Found::new(root, StoreKind::Letta, format!("{} · Letta", agent.name), evidence).because(reason),
        );
    }
    found
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "letta";
    memory_directory_letta_agent(name) => "memory directory of the Letta agent {name}",
    git_repository_every_edit_commit() => "is a git repository, in which every edit is a commit",
    holds_system_part_always_context() => "holds system/, the part that is always in context",
    directory_letta_code_uses_agents() => "The directory is there; Letta Code uses it for agents whose memory is kept in files.",
}

#[cfg(test)]
mod tests {
    use crate::testing::Home;

    #[test]
    fn every_agent_is_a_store() {
        let home = Home::new();
        home.write(".letta/agents/agent-1/memory/system/persona.md", "x");
        home.write(".letta/agents/agent-1/memory/.git/HEAD", "x");
        home.make_directory(".letta/agents/agent-2/cache");
        let discovery = home.discover();
        assert_eq!(discovery.found.len(), 1);
        let agent = &discovery.found[0];
        assert_eq!((agent.name.as_str(), agent.files), ("agent-1 · Letta", 1));
        assert!(agent.tells("git repository") && agent.tells("system/"));
    }
}
