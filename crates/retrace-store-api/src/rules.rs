//! What a write is decided by, wherever the stores are kept. Each rule is told what stands and says whether the write may go on.

use crate::call::{DeleteMemory, UpdateMemory};
use crate::limits::MEMORIES_PER_STORE;
use crate::open;
use crate::path::MemoryPath;
use crate::refusal::Refusal;
use retrace_model::{MemoryId, RelPath, Sha256};

/// What an update comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Update {
    /// Nothing: the memory is as it is wanted.
    Nothing,
    /// A version at this path; `moves` where the memory is at another one now.
    Version {
        /// Where it is then.
        path: RelPath,
        /// True if it is elsewhere now.
        moves: bool,
    },
}

/// Whether a store may be written to.
///
/// # Errors
/// The refusal for an archived store.
pub fn writable(archived: bool) -> Result<(), Refusal> {
    if archived {
        return Err(Refusal::new(open::ARCHIVED, "The memory store is archived and cannot be changed."));
    }
    Ok(())
}

/// Whether a store that holds `live` memories takes one more.
///
/// # Errors
/// The refusal for a full store.
pub fn room(live: u64) -> Result<(), Refusal> {
    if live >= MEMORIES_PER_STORE {
        let full = format!("The memory store holds {MEMORIES_PER_STORE} memories already.");
        return Err(Refusal::new(open::STORE_FULL, full));
    }
    Ok(())
}

/// What an update of a memory with this content at this path comes to. Whether the new path is free is asked afterwards.
///
/// # Errors
/// The refusal for a failed precondition.
pub fn update(change: &UpdateMemory, sha256: Sha256, path: &RelPath) -> Result<Update, Refusal> {
    let to = change.path.as_ref().map_or_else(|| path.clone(), MemoryPath::relative);
    let moves = to != *path;
    let wanted = change.content.as_ref().map(|text| Sha256::of(text.as_bytes()));
    let already = !moves && wanted.is_none_or(|wanted| wanted == sha256);
    if change.expected.is_some_and(|expected| expected != sha256) {
        let asks = change.content.is_some() || change.path.is_some();
        if !(open::ALREADY_AS_WANTED && asks && already) {
            return Err(Refusal::precondition());
        }
    }
    Ok(if already { Update::Nothing } else { Update::Version { path: to, moves } })
}

/// Whether a memory with this content may be deleted.
///
/// # Errors
/// The refusal for a failed precondition.
pub fn deletion(delete: DeleteMemory, sha256: Sha256) -> Result<(), Refusal> {
    if delete.expected.is_some_and(|expected| expected != sha256) {
        return Err(Refusal::precondition());
    }
    Ok(())
}

/// Whether a version may be redacted; `is_head` where it is the newest of a live memory.
///
/// # Errors
/// The refusal for such a one.
pub fn redaction(is_head: bool) -> Result<(), Refusal> {
    if is_head {
        let refusal = "The version is the newest of a live memory. Update or delete the memory first.";
        return Err(Refusal::new(open::REDACT_HEAD, refusal));
    }
    Ok(())
}

/// The refusal for a path that a memory is in the way of.
#[must_use]
pub fn taken(path: &RelPath, memory: MemoryId) -> Refusal {
    Refusal::in_the_way(format!("/{path}"), memory.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;
    use crate::call::View;

    fn change(content: Option<&str>, path: Option<&str>, expected: Option<&str>) -> UpdateMemory {
        UpdateMemory {
            content: content.map(str::to_owned),
            path: path.map(|path| MemoryPath::parse(path).expect("a path")),
            expected: expected.map(|text| Sha256::of(text.as_bytes())),
            unless_taken: false,
            view: View::Basic,
        }
    }

    #[test]
    fn what_an_update_comes_to() {
        let (now, path) = (Sha256::of(b"now"), RelPath::parse("a").expect("a path"));
        let decide = |change: UpdateMemory| update(&change, now, &path);
        let version =
            |path: &str, moves| Update::Version { path: RelPath::parse(path).expect("a path"), moves };
        for nothing in [
            change(None, None, None),
            change(Some("now"), None, None),
            change(Some("now"), Some("/a"), Some("before")),
            change(None, Some("/a"), Some("now")),
        ] {
            assert_eq!(decide(nothing), Ok(Update::Nothing));
        }
        assert_eq!(decide(change(Some("then"), None, Some("now"))), Ok(version("a", false)));
        assert_eq!(decide(change(Some("now"), Some("/b"), None)), Ok(version("b", true)));
        for failed in [
            change(None, None, Some("before")),
            change(Some("then"), None, Some("before")),
            change(Some("now"), Some("/b"), Some("before")),
        ] {
            assert_eq!(decide(failed).expect_err("refused").kind, Kind::PreconditionFailed);
        }
    }

    #[test]
    fn limits_and_guards() {
        assert!(room(MEMORIES_PER_STORE - 1).is_ok() && room(MEMORIES_PER_STORE).is_err());
        assert!(writable(false).is_ok() && writable(true).is_err());
        assert!(redaction(false).is_ok() && redaction(true).is_err());
        let (now, before) = (Sha256::of(b"now"), Sha256::of(b"before"));
        assert!(deletion(DeleteMemory { expected: Some(now) }, now).is_ok());
        assert!(deletion(DeleteMemory { expected: None }, now).is_ok());
        assert!(deletion(DeleteMemory { expected: Some(before) }, now).is_err());
    }
}
