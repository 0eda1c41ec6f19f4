//! The memory tool of Copilot in VS Code. For the user: `<User>/globalStorage/github.copilot-chat/memory-tool/memories`;
//! for a workspace, with its repository and session memories inside:
//! `<User>/workspaceStorage/<hash>/GitHub.copilot-chat/memory-tool/memories`. Sources: VS Code documentation, "Use memory
//! with agents" (scopes); paths from many public logs.

use crate::claude::folder_label;
use crate::scan::{Entry, Scan};
use crate::{Found, Platform, Surroundings};
use retrace_message::Message;
use retrace_model::StoreKind;
use std::path::{Path, PathBuf};

/// Folders of the desktop editions below the directory for application data.
const EDITIONS: [&str; 4] = ["Code", "Code - Insiders", "Code - OSS", "VSCodium"];

/// Folders of the remote editions below the home directory.
const SERVERS: [&str; 3] = [".vscode-server", ".vscode-server-insiders", ".vscodium-server"];

pub(super) fn find(surroundings: &Surroundings, scan: &mut Scan) -> Vec<Found> {
    let applications = surroundings.application_data();
    let desktop =
        EDITIONS.iter().map(|edition| ((*edition).to_owned(), applications.join(edition).join("User")));
    let servers = SERVERS
        .iter()
        .map(|server| ((*server).to_owned(), surroundings.home.join(server).join("data").join("User")));
    let mut found = Vec::new();
    for (edition, user) in desktop.chain(servers) {
        if let Some(root) = memories(scan, &user.join("globalStorage")) {
            let evidence = vec![say::memory_tool_copilot_user_memories(&edition)];
            found.push(store(root, "Copilot (user)".to_owned(), evidence));
        }
        for workspace in scan.directories(&user.join("workspaceStorage")) {
            let Some(root) = memories(scan, &workspace.path) else { continue };
            found.push(of_workspace(scan, surroundings.platform, &edition, &workspace, root));
        }
    }
    found
}

fn store(root: PathBuf, name: String, evidence: Vec<Message>) -> Found {
    let reason = say::directory_copilot_uses_while_memory();
    Found::new(root, StoreKind::Copilot, name, evidence).because(reason)
}

/// The memories below the extension's folder, whose name is written in either case.
fn memories(scan: &mut Scan, storage: &Path) -> Option<PathBuf> {
    let names = ["GitHub.copilot-chat", "github.copilot-chat"];
    names.iter().find_map(|name| scan.directory(storage, &[name, "memory-tool", "memories"]))
}

fn of_workspace(
    scan: &mut Scan,
    platform: Platform,
    edition: &str,
    workspace: &Entry,
    root: PathBuf,
) -> Found {
    let mut evidence = vec![say::memory_tool_copilot_workspace_storage(edition, &workspace.name)];
    if root.join("repo").is_dir() {
        evidence.push(say::holds_repo_memories_repository());
    }
    let path = workspace.path.join("workspace.json");
    let file = scan.json(&path);
    let place = file.as_ref().and_then(|file| file.get("folder").or_else(|| file.get("workspace"))?.as_str());
    let mut project = None;
    if let Some(uri) = place {
        evidence.push(say::workspace_json_names(uri));
        project = file_path(uri, platform);
    }
    let label = project.as_deref().map_or_else(|| workspace.name.clone(), folder_label);
    store(root, format!("{label} · Copilot"), evidence).of_project(project)
}

/// The path of a `file:` address without a host; addresses of remote workspaces are paths of another machine.
fn file_path(uri: &str, platform: Platform) -> Option<PathBuf> {
    let path = percent_decoded(uri.strip_prefix("file://")?)?;
    if !path.starts_with('/') {
        return None;
    }
    if platform == Platform::Windows && path.as_bytes().get(2) == Some(&b':') {
        return Some(PathBuf::from(path[1..].replace('/', "\\")));
    }
    Some(PathBuf::from(path))
}

/// `None` when an escape is incomplete or the result is not UTF-8.
fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        if *first == b'%' {
            let [high, low, after @ ..] = after else { return None };
            let value = char::from(*high).to_digit(16)? * 16 + char::from(*low).to_digit(16)?;
            bytes.push(u8::try_from(value).ok()?);
            rest = after;
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "copilot";
    memory_tool_copilot_user_memories(edition) => "memory tool of Copilot in {edition}, user memories",
    directory_copilot_uses_while_memory() => "The directory is there; Copilot uses it while its memory tool is on, which is not read.",
    memory_tool_copilot_workspace_storage(edition, name) => "memory tool of Copilot in {edition}, workspace storage {name}",
    holds_repo_memories_repository() => "holds repo/, the memories of the repository",
    workspace_json_names(uri) => "workspace.json names {uri}",
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Home;

    #[test]
    fn user_and_workspace_memories_of_every_edition() {
        let home = Home::new();
        home.write(".config/Code/User/globalStorage/github.copilot-chat/memory-tool/memories/me.md", "x");
        let workspace = ".config/Code - Insiders/User/workspaceStorage/0a1b";
        home.write(&format!("{workspace}/GitHub.copilot-chat/memory-tool/memories/repo/a.md"), "x");
        home.write(&format!("{workspace}/workspace.json"), r#"{"folder": "file:///srv/work/my%20app"}"#);
        let remote = ".vscode-server/data/User/workspaceStorage/ffff";
        home.write(&format!("{remote}/GitHub.copilot-chat/memory-tool/memories/MTIz/plan.md"), "x");
        home.write(
            &format!("{remote}/workspace.json"),
            r#"{"folder": "vscode-remote://ssh-remote%2Bbox/srv/app"}"#,
        );
        let discovery = home.discover();
        let named: Vec<(&str, Option<&Path>)> =
            discovery.found.iter().map(|found| (found.name.as_str(), found.project.as_deref())).collect();
        let app = Path::new("/srv/work/my app");
        assert_eq!(
            named,
            [("Copilot (user)", None), ("ffff · Copilot", None), ("my app · Copilot", Some(app))]
        );
        assert!(discovery.found[2].tells("repo/"));
    }

    #[test]
    fn addresses_become_paths() {
        let linux = |uri| file_path(uri, Platform::Linux);
        assert_eq!(linux("file:///a/b%C3%A9"), Some(PathBuf::from("/a/bé")));
        assert_eq!(file_path("file:///c%3A/w/app", Platform::Windows), Some(PathBuf::from("c:\\w\\app")));
        for uri in ["file://server/a", "file:///a%", "file:///a%zz", "file:///%ff", "http://a/b", ""] {
            assert_eq!(linux(uri), None, "{uri}");
        }
    }
}
