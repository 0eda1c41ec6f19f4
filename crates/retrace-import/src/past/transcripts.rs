//! Reads the past of a store from the transcripts of this machine's agents: whole writes, edits chained from a known
//! content, contents shown by reads, and the copies Claude Code kept.
//!
//! A transcript names files as they were called on the machine and in the home it was written on. Beside the store's own
//! directory, those of the same agent's project elsewhere count for a store that an agent keeps below `projects/<slug>/`.

use super::lines::{self, Happening, What};
use super::{PastHistory, Steps, file_history, is_left_out};
use crate::Imports;
use crate::wire::ApiError;
use retrace_engine::root_of;
use retrace_log::StoreRow;
use retrace_model::RelPath;
use retrace_origin::{Effect, Shown, Write, read_where};
use retrace_sessions::Entry;
use std::path::Path;
use std::sync::Arc;

/// Names of a directory in transcripts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Names {
    /// The store's directory, `/` between parts.
    root: String,
    /// The same, when the person's home is written as `~`.
    below_home: Option<String>,
    /// Suffix of paths to it that begin with another home: `/projects/<slug>/<rest>`.
    ending: Option<String>,
}

impl Names {
    pub(crate) fn of(root: &Path, home: &Path) -> Self {
        let text = |path: &Path| path.to_string_lossy().replace('\\', "/").trim_end_matches('/').to_owned();
        let root_text = text(root);
        let below_home = root
            .strip_prefix(home)
            .ok()
            .map(|rest| format!("~/{}", text(rest)))
            .filter(|name| name.len() > 2);
        // Claude Code's folder of a project; its name says which project, whatever home it lies in.
        let ending = root_text.rfind("/projects/").map(|at| root_text[at..].to_owned());
        Self { root: root_text, below_home, ending: ending.filter(|ending| ending.matches('/').count() > 2) }
    }

    /// The path in the store of a path in a transcript; `None` when it lies elsewhere. An empty one is the directory itself.
    pub(crate) fn rest<'p>(&self, path: &'p str) -> Option<&'p str> {
        for root in std::iter::once(&self.root).chain(&self.below_home) {
            if let Some(rest) = below(path, root) {
                return Some(rest);
            }
        }
        let ending = self.ending.as_ref()?;
        let at = path.find(ending.as_str())?;
        let end = at + ending.len();
        let claude =
            path.get(..at).is_some_and(|before| before.ends_with("/.claude") || before == "~/.claude");
        if claude { below(path, path.get(..end)?) } else { None }
    }

    fn in_store(&self, path: &str) -> Option<RelPath> {
        RelPath::parse(self.rest(path)?).ok()
    }

    /// A text that a transcript holds when it names a file of the store.
    fn needle(&self) -> &str {
        // A relative path is named from a directory above; the last name of the root is part of it all the same.
        let last = self.root.rfind('/').map_or(0, |at| at + 1);
        self.ending.as_deref().unwrap_or(&self.root[last..])
    }
}

fn below<'p>(path: &'p str, directory: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(directory)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

/// Reads what all transcripts tell of a store.
///
/// # Errors
/// `invalid` when the import is stopped.
pub(crate) fn read(
    inner: &Arc<Imports>,
    store: &StoreRow,
    steps: &Steps<'_>,
) -> Result<PastHistory, ApiError> {
    inner.lab.index().update(&inner.lab);
    let snapshot = inner.lab.index().snapshot();
    let names = Names::of(&root_of(store), &inner.options.surroundings.home);
    let needle = memchr::memmem::Finder::new(names.needle());
    let mut happenings = Vec::new();
    let mut past_history = PastHistory::default();
    let (mut unread, mut missing) = (0u64, 0u64);
    let total = snapshot.entries().len();
    for (done, entry) in snapshot.entries().enumerate() {
        steps.tell(done, Some(total))?;
        let Ok(bytes) = retrace_sessions::read(&entry.path) else {
            unread += 1;
            continue;
        };
        if needle.find(&bytes).is_none() {
            continue;
        }
        let Ok(found) = read_where(&bytes, |path| names.rest(path).is_some()) else { continue };
        let session = entry.session_id();
        let session = (!session.is_empty()).then_some(session);
        let from_writes =
            found.writes.into_iter().filter_map(|write| of_write(&names, write, session.as_ref()));
        happenings.extend(from_writes);
        happenings
            .extend(found.shown.into_iter().filter_map(|shown| of_shown(&names, shown, session.as_ref())));
        missing += kept(&names, entry, &bytes, session.as_ref(), &mut happenings);
    }
    happenings.retain(|happening| !is_left_out(&inner.rules, &happening.path));
    let gathered = lines::gather(happenings);
    past_history.lines = gathered.lines;
    if gathered.gaps > 0 {
        past_history.warnings.push(say::calls_wrote_something_transcripts_not(gathered.gaps));
    }
    if missing > 0 {
        past_history.warnings.push(say::copies_sessions_kept_before_edit(missing));
    }
    if unread > 0 {
        past_history.warnings.push(say::transcripts_could_not_read(unread));
    }
    Ok(past_history)
}

fn of_write(names: &Names, write: Write, session: Option<&String>) -> Option<Happening> {
    let at = write.answered_at.or(write.at)?;
    let to = match &write.effect {
        Effect::Rename { to } => names.in_store(to),
        _ => None,
    };
    let from = match &write.effect {
        Effect::Copy { from } => names.in_store(from),
        _ => None,
    };
    // A file that moves in from elsewhere is told at the path it came to; what it holds is not known.
    let (path, to) = match (names.in_store(&write.path), to) {
        (Some(path), to) => (path, to),
        (None, Some(to)) => (to.clone(), Some(to)),
        (None, None) => return None,
    };
    let what = What::Wrote { write: Box::new(write), to, from };
    Some(Happening { at, session: session.cloned(), path, what })
}

fn of_shown(names: &Names, shown: Shown, session: Option<&String>) -> Option<Happening> {
    if !shown.is_whole {
        return None;
    }
    let what = What::Shown { text: shown.text, end_is_known: shown.end_is_known };
    Some(Happening { at: shown.at?, session: session.cloned(), path: names.in_store(&shown.path)?, what })
}

/// Adds the copies that a session kept; answers how many are gone.
fn kept(
    names: &Names,
    entry: &Entry,
    transcript: &[u8],
    session: Option<&String>,
    happenings: &mut Vec<Happening>,
) -> u64 {
    let Some(session) = session else { return 0 };
    let copies = file_history::copies(transcript, entry.project(), |path| names.in_store(path).is_some());
    let mut missing = 0;
    for copy in copies {
        let Some(path) = names.in_store(&copy.path) else { continue };
        let content = match &copy.name {
            None => None,
            Some(name) => {
                let place = file_history::place(&entry.path, session, name);
                match place.and_then(|place| std::fs::read(place).ok()) {
                    Some(bytes) => Some(bytes),
                    None => {
                        missing += 1;
                        continue;
                    }
                }
            }
        };
        happenings.push(Happening {
            at: copy.at,
            session: Some(session.clone()),
            path,
            what: What::Kept(content),
        });
    }
    missing
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "transcripts";
    calls_wrote_something_transcripts_not(gaps) => "Calls that wrote something the transcripts do not tell to the byte, and that were left out: {gaps}.",
    copies_sessions_kept_before_edit(missing) => "Copies that sessions kept before an edit and that are gone: {missing}.",
    transcripts_could_not_read(unread) => "Transcripts that could not be read: {unread}.",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_known_by_its_own_path_by_its_home_and_in_another_home() {
        let names =
            Names::of(Path::new("/home/ada/.claude/projects/-work-box/memory"), Path::new("/home/ada"));
        let rest = |path: &str| names.rest(path).map(str::to_owned);
        let found = Some("a/b.md".to_owned());
        assert_eq!(rest("/home/ada/.claude/projects/-work-box/memory/a/b.md"), found);
        assert_eq!(rest("~/.claude/projects/-work-box/memory/a/b.md"), found);
        assert_eq!(rest("/Users/ada/.claude/projects/-work-box/memory/a/b.md"), found);
        assert_eq!(rest("/home/ada/.claude/projects/-work-box/memory"), Some(String::new()));
        for elsewhere in [
            "/home/ada/.claude/projects/-work-box/memory2/a.md",
            "/home/ada/.claude/projects/-work-other/memory/a.md",
            "/srv/projects/-work-box/memory/a.md",
            "/srv/a.md",
        ] {
            assert_eq!(rest(elsewhere), None, "{elsewhere}");
        }
        let plain = Names::of(Path::new("/srv/notes"), Path::new("/home/ada"));
        assert_eq!(
            (plain.rest("/srv/notes/a.md"), plain.rest("/elsewhere/srv/notes/a.md")),
            (Some("a.md"), None)
        );
    }
}
