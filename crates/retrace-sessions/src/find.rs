//! Finds the transcript that is meant.

use crate::entry::Entry;
use crate::roots::RootKind;
use crate::snapshot::Snapshot;
use std::path::Path;
use std::sync::Arc;

impl Snapshot {
    /// The transcripts that `query` may mean: one where it is clear, several where it is not, the one with the latest
    /// line first. The first of these that finds any decides:
    ///
    /// 1. the whole path of a file, or the end of one by whole names (`work/abc.jsonl`);
    /// 2. the id of a session, or of a subagent with or without `agent-`;
    /// 3. the beginning of such an id;
    /// 4. words that are all in the title, whatever their case; a subagent's only where no session's has them.
    ///
    /// A file that is below no root is not in the index: a caller who was given a path opens it.
    #[must_use]
    pub fn find(&self, query: &str) -> Vec<Arc<Entry>> {
        let query = query.trim();
        if query.is_empty() {
            return Vec::new();
        }
        let mut found = Vec::new();
        for step in [by_path, by_id, by_beginning_of_id, by_title_of_session, by_title] {
            found = self.entries().filter(|entry| step(entry, query)).map(Arc::clone).collect();
            if !found.is_empty() {
                break;
            }
        }
        without_further(&mut found);
        // By path, which the entries come in, where times are equal.
        found.sort_by_key(|entry| {
            std::cmp::Reverse(entry.summary.as_ref().and_then(|summary| summary.last_at))
        });
        found
    }
}

/// Of several files of one session of Gemini CLI, which a resume begins, the one with most requests is meant.
fn without_further(found: &mut Vec<Arc<Entry>>) {
    let requests = |entry: &Entry| entry.summary.as_ref().map_or(0, |summary| summary.requests);
    let is_own = |entry: &Entry| entry.place.kind == RootKind::Gemini && !entry.is_subagent();
    let all = found.clone();
    found.retain(|entry| {
        let same = |other: &&Arc<Entry>| {
            is_own(other)
                && other.session_id() == entry.session_id()
                && other.path.parent() == entry.path.parent()
        };
        let most =
            all.iter().filter(same).max_by_key(|other| (requests(other), std::cmp::Reverse(&other.path)));
        !is_own(entry) || most.is_none_or(|most| most.path == entry.path)
    });
}

fn by_path(entry: &Entry, query: &str) -> bool {
    entry.path.ends_with(Path::new(query))
}

/// The id a transcript is called by: its session's, or for a subagent its own.
fn id_of(entry: &Entry) -> Option<String> {
    if entry.is_subagent() { entry.agent_id() } else { Some(entry.session_id()) }
}

fn by_id(entry: &Entry, query: &str) -> bool {
    id_of(entry).is_some_and(|id| id == bare(entry, query))
}

fn by_beginning_of_id(entry: &Entry, query: &str) -> bool {
    id_of(entry).is_some_and(|id| id.starts_with(bare(entry, query)))
}

fn bare<'q>(entry: &Entry, query: &'q str) -> &'q str {
    let agent = query.strip_prefix("agent-").filter(|_| entry.is_subagent());
    agent.unwrap_or(query)
}

fn by_title_of_session(entry: &Entry, query: &str) -> bool {
    !entry.is_subagent() && by_title(entry, query)
}

fn by_title(entry: &Entry, query: &str) -> bool {
    let title = entry.summary.as_ref().and_then(|summary| summary.session.title.as_ref());
    title.is_some_and(|title| {
        let title = title.to_lowercase();
        query.to_lowercase().split_whitespace().all(|word| title.contains(word))
    })
}
