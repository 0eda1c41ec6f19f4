//! Finds the transcript that a person means: a path, an id or the beginning of one, words of a title. `#N` after any of
//! these means the N-th conversation inside the file (a sidechain).

use crate::Lab;
use crate::lab::rows::shortened;
use crate::wire::show;
use crate::wire::{ApiError, Code};
use retrace_message::Message;
use retrace_sessions::{Entry, Snapshot};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Candidates that a hint names.
const CANDIDATES: usize = 5;
/// Characters of a title in a hint.
const TITLE: usize = 40;

/// A transcript that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Its file.
    pub path: PathBuf,
    /// Conversation of the file.
    pub part: usize,
    /// Name: the session's id where that is one transcript's alone, else the path.
    pub id: String,
}

/// The transcript that `text` names. The index is asked for what is no path, and brought up to date when it does not know.
///
/// # Errors
/// `not_found`, or `invalid` for a name that several transcripts have.
pub(crate) fn transcript(inner: &Arc<Lab>, text: &str) -> Result<Place, ApiError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(ApiError::invalid(say::no_transcript_named(), "transcript"));
    }
    let whole = named(inner, text, 0);
    match (whole, split_part(text)) {
        (Err(error), Some((name, part))) if error.code == Code::NotFound => named(inner, name, part),
        (whole, _) => whole,
    }
}

pub(crate) fn split_part(text: &str) -> Option<(&str, usize)> {
    let (name, number) = text.rsplit_once('#')?;
    Some((name, number.parse().ok()?))
}

fn named(inner: &Arc<Lab>, name: &str, part: usize) -> Result<Place, ApiError> {
    if let Some(path) = file(name)? {
        let known = inner.lab.index.snapshot();
        let id = known.entry(&path).and_then(|entry| unique_id(&known, entry)).unwrap_or_else(|| show(&path));
        return Ok(Place { path, part, id: with_part(&id, part) });
    }
    let index = &inner.lab.index;
    let was_begun = index.was_begun();
    if !was_begun {
        index.update(inner);
    }
    let mut found = index.snapshot().find(name);
    if found.is_empty() && was_begun {
        index.update(inner);
        found = index.snapshot().find(name);
    }
    let known = index.snapshot();
    match &*found {
        [] => Err(ApiError::new(Code::NotFound, say::no_such_transcript(), name)
            .hint(say::retrace_context_transcripts_lists_them())),
        [entry] => {
            let id = unique_id(&known, entry).unwrap_or_else(|| show(&entry.path));
            Ok(Place { path: entry.path.clone(), part, id: with_part(&id, part) })
        }
        several => Err(ambiguous(name, several)),
    }
}

fn with_part(id: &str, part: usize) -> String {
    if part == 0 { id.to_owned() } else { format!("{id}#{part}") }
}

/// The absolute path of a file of this name; `None` where there is none.
fn file(name: &str) -> Result<Option<PathBuf>, ApiError> {
    let Ok(metadata) = std::fs::metadata(name) else { return Ok(None) };
    if metadata.is_dir() {
        // A title may be spelt like a directory here; a path is not.
        if name.contains(std::path::MAIN_SEPARATOR) {
            return Err(ApiError::invalid(say::directory_not_transcript(), name).hint(say::name_file()));
        }
        return Ok(None);
    }
    if !metadata.is_file() {
        return Err(ApiError::invalid(say::not_regular_file(), name));
    }
    Ok(Some(std::path::absolute(Path::new(name)).unwrap_or_else(|_| PathBuf::from(name))))
}

/// The session's id, where it is the transcript of a session and no other has the id.
pub(crate) fn unique_id(known: &Snapshot, entry: &Entry) -> Option<String> {
    if entry.is_subagent() {
        return None;
    }
    let id = entry.session_id();
    let alone = known.sessions().iter().filter(|session| session.id == id).count() == 1;
    (alone && !id.is_empty()).then_some(id)
}

fn ambiguous(name: &str, several: &[Arc<Entry>]) -> ApiError {
    let names: Vec<String> = several.iter().take(CANDIDATES).map(|entry| candidate(entry)).collect();
    let more = several.len().saturating_sub(CANDIDATES);
    ApiError::invalid(say::may_any_transcripts(several.len()), name).hint(if more > 0 {
        say::candidates_and_more(names.join(", "), more)
    } else {
        Message::verbatim(format!("{}.", names.join(", ")))
    })
}

/// By path where the id would be as ambiguous.
fn candidate(entry: &Entry) -> String {
    let title = entry.summary.as_ref().and_then(|summary| summary.session.title.as_deref());
    let title = title.map(|title| format!(" ({})", shortened(title, TITLE))).unwrap_or_default();
    format!("{}{title}", show(&entry.path))
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "find";
    no_transcript_named() => "No transcript is named.",
    no_such_transcript() => "There is no such transcript.",
    retrace_context_transcripts_lists_them() => "`retrace context transcripts` lists them; the path of a file will do, too.",
    directory_not_transcript() => "This is a directory, not a transcript.",
    name_file() => "Name a file in it.",
    not_regular_file() => "This is not a regular file.",
    may_any_transcripts(count) => "This may be any of {count} transcripts.",
    candidates_and_more(names, more) => "{names}, and {more} more.",
}

#[cfg(test)]
mod tests {
    use super::split_part;

    #[test]
    fn a_conversation_inside_a_file_has_a_number() {
        assert_eq!(split_part("a.jsonl#2"), Some(("a.jsonl", 2)));
        assert_eq!(split_part("a#b#3"), Some(("a#b", 3)));
        assert_eq!(split_part("issue #x"), None);
        assert_eq!(split_part("plain"), None);
    }
}
