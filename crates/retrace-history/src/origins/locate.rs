//! Finds the file and store of a path in a transcript.
//!
//! Within the join a file is named `STORE/PATH`: the store's id and the path in it. A path is found below a store's directory as
//! it is recorded and as the system resolves it; `~/` is the home directory; `/memories` is any store of a memory tool; and a
//! path below another home's configuration directory of the same agent is taken for the same one here, since transcripts and
//! memory move together when a home is copied or mounted elsewhere.

use retrace_engine::root_of;
use retrace_log::StoreRow;
use retrace_model::{RelPath, StoreId, StoreKind};
use retrace_origin::{Effect, Write, is_below, resolve};
use retrace_sessions::{Entry, RootKind};
use std::path::Path;

/// Where the memory tool's files are for the model (memory-tool.md).
const MEMORY_TOOL_ROOT: &str = "/memories";

/// Directories by which an agent's configuration is known on the way to a file.
const CONFIGURATIONS: [(RootKind, &str); 4] = [
    (RootKind::ClaudeCode, "/.claude/"),
    (RootKind::Codex, "/.codex/"),
    (RootKind::Copilot, "/.copilot/"),
    (RootKind::Gemini, "/.gemini/"),
];

/// The stores with their directories.
#[derive(Clone, Debug, Default)]
pub(crate) struct Locator {
    stores: Vec<Located>,
    home: String,
}

#[derive(Clone, Debug)]
struct Located {
    id: StoreId,
    /// The directory by each of its names.
    roots: Vec<String>,
    is_memory_tool: bool,
}

impl Locator {
    pub(crate) fn new(stores: &[StoreRow], home: &Path) -> Self {
        let stores = stores.iter().map(|store| {
            let root = root_of(store);
            let mut roots = vec![text(&root)];
            if let Ok(resolved) = std::fs::canonicalize(&root) {
                roots.push(text(&resolved));
            }
            roots.dedup();
            Located { id: store.id, roots, is_memory_tool: store.kind == StoreKind::MemoryTool }
        });
        Self { stores: stores.collect(), home: text(home) }
    }

    /// The names within the join of a resolved path; none for what is in no store. `entry` is the transcript it is from.
    pub(crate) fn names(&self, path: &str, entry: &Entry) -> Vec<String> {
        let mut names = self.below_stores(path);
        if let Some(rest) = path.strip_prefix("~/") {
            names.extend(self.below_stores(&format!("{}/{rest}", self.home)));
        }
        if is_below(path, MEMORY_TOOL_ROOT) {
            let rest = &path[MEMORY_TOOL_ROOT.len()..];
            names.extend(
                self.stores
                    .iter()
                    .filter(|store| store.is_memory_tool)
                    .map(|store| format!("{}{rest}", store.id)),
            );
        }
        if names.is_empty()
            && let Some(moved) = moved_here(path, entry)
        {
            names.extend(self.below_stores(&moved));
        }
        names.sort();
        names.dedup();
        names
    }

    fn below_stores(&self, path: &str) -> Vec<String> {
        let mut names = Vec::new();
        for store in &self.stores {
            for root in &store.roots {
                if is_below(path, root) {
                    names.push(format!("{}{}", store.id, &path[root.trim_end_matches('/').len()..]));
                } else if is_below(root, path) {
                    // A directory above the store.
                    names.push(store.id.to_string());
                }
            }
        }
        names
    }

    /// A write once for each file of a store that it is about.
    pub(crate) fn located(&self, write: Write, entry: &Entry) -> Vec<Write> {
        let target = |to: &str| self.names(to, entry).into_iter().next();
        let effect = match &write.effect {
            Effect::Rename { to } => Effect::Rename { to: target(to).unwrap_or_else(|| to.clone()) },
            Effect::Copy { from } => Effect::Copy { from: target(from).unwrap_or_else(|| from.clone()) },
            Effect::Patch(patch) => {
                let mut patch = patch.clone();
                patch.moved_to = patch.moved_to.map(|to| target(&to).unwrap_or(to));
                Effect::Patch(patch)
            }
            other => other.clone(),
        };
        let names = self.names(&write.path, entry);
        if names.is_empty() {
            // Something from elsewhere moved into a store.
            return vec![Write { effect, ..write }];
        }
        names.into_iter().map(|path| Write { path, effect: effect.clone(), ..write.clone() }).collect()
    }
}

/// The name within the join of a path of a store.
pub(crate) fn name_of(store: StoreId, path: &RelPath) -> String {
    format!("{store}/{path}")
}

/// A path below the configuration directory of another home, as one below this one's.
fn moved_here(path: &str, entry: &Entry) -> Option<String> {
    let (_, mark) = CONFIGURATIONS.iter().find(|(kind, _)| *kind == entry.place.kind)?;
    let (_, rest) = path.split_once(mark)?;
    let below = match entry.place.kind {
        RootKind::ClaudeCode => "projects",
        RootKind::Codex => "sessions",
        RootKind::Gemini => "tmp",
        _ => "session-state",
    };
    let root =
        entry.path.ancestors().find(|above| above.file_name().is_some_and(|name| name == below))?.parent()?;
    Some(resolve(&format!("{}/{rest}", text(root)), None))
}

fn text(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}
