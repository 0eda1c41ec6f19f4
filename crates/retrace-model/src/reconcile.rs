//! The decision at the heart of recording: given what the log last knew and what a scan of the directory found, which
//! paths are worth reading and which are gone.

use crate::{RelPath, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

/// File system data of one file, without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Size in bytes.
    pub size: u64,
    /// Time of last modification, nanoseconds since the Unix epoch.
    pub modified_nanos: i128,
    /// Time of last change of content or metadata, nanoseconds since the Unix epoch; equals `modified_nanos` where the
    /// platform has none.
    pub changed_nanos: i128,
    /// A number that changes when another file takes the path (inode on Unix), 0 where the platform has none.
    pub file_id: u64,
    /// Permission bits; `None` where they are not known, or the platform has none.
    pub mode: Option<u32>,
}

/// Permission bits of a file and of the directories on the way to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permissions {
    /// Those of the file; `None` where they are not known.
    pub file: Option<u32>,
    /// Those of its directories, from the top; fewer where the others are not known.
    pub directories: Vec<u32>,
}

/// State of a live memory when its file was last read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// File system data at that read; `None` when that is not known, which means: read it again.
    pub seen: Option<Seen>,
    /// When that look happened.
    pub seen_at: Timestamp,
}

/// Decisions after a scan of a directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reconciled {
    /// Paths whose content may differ from the log: read and hash them.
    pub to_read: BTreeSet<RelPath>,
    /// Paths the log holds as live and the directory no longer has.
    pub gone: BTreeSet<RelPath>,
}

/// A file whose change time lies within this many nanoseconds before the last look may have been written again within
/// the same tick of the file system's clock, so equal times prove nothing and it is read again. Linux stamps files at
/// timer ticks of at most 10 ms; ten of them leave room for a slow machine.
pub const RACY_WINDOW_NANOS: i128 = 100_000_000;

/// The same for times in whole seconds, as coarse file systems keep them: two seconds, the tick of FAT.
pub const COARSE_RACY_WINDOW_NANOS: i128 = 2_000_000_000;

/// Compares `heads` (live memories by path) with `found` (files by path) and says what to read and what is gone.
///
/// A path is read when it is new, when anything the file system says about it differs, when it was marked `dirty` by an
/// event, or when its times are too close to the last look to be trusted. `complete` says whether `found` covers the
/// whole directory: only then can a path be gone.
#[must_use]
pub fn reconcile(
    heads: &BTreeMap<RelPath, Head>,
    found: &BTreeMap<RelPath, Seen>,
    dirty: &BTreeSet<RelPath>,
    complete: bool,
) -> Reconciled {
    let to_read = found
        .iter()
        .filter(|(path, seen)| {
            dirty.contains(*path) || heads.get(*path).is_none_or(|head| !unchanged(head, seen))
        })
        .map(|(path, _)| path.clone())
        .collect();
    let gone = heads
        .keys()
        .filter(|path| !found.contains_key(*path) && (complete || dirty.contains(*path)))
        .cloned()
        .collect();
    Reconciled { to_read, gone }
}

fn unchanged(head: &Head, seen: &Seen) -> bool {
    let scanned_nanos = i128::from(head.seen_at.micros()) * 1000;
    let changed_nanos = seen.changed_nanos.max(seen.modified_nanos);
    let coarse = changed_nanos % 1_000_000_000 == 0;
    let window = if coarse { COARSE_RACY_WINDOW_NANOS } else { RACY_WINDOW_NANOS };
    let stable = changed_nanos + window < scanned_nanos;
    stable && head.seen.as_ref() == Some(seen)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i128 = 1_000_000_000;

    fn seen(size: u64, modified_seconds: i128) -> Seen {
        let nanos = modified_seconds * SECOND;
        Seen { size, modified_nanos: nanos, changed_nanos: nanos, file_id: 1, mode: Some(0o644) }
    }

    fn path(text: &str) -> RelPath {
        RelPath::parse(text).expect("a path")
    }

    fn check(head: Option<(Seen, i64)>, found: Option<Seen>, dirty: bool, complete: bool) -> (bool, bool) {
        let at = path("a.md");
        let heads = head
            .map(|(seen, at_seconds)| Head {
                seen: Some(seen),
                seen_at: Timestamp::from_micros(at_seconds * 1_000_000),
            })
            .map(|head| (at.clone(), head))
            .into_iter()
            .collect();
        let found = found.map(|seen| (at.clone(), seen)).into_iter().collect();
        let dirty = dirty.then(|| at.clone()).into_iter().collect();
        let decided = reconcile(&heads, &found, &dirty, complete);
        (decided.to_read.contains(&at), decided.gone.contains(&at))
    }

    #[test]
    fn every_case() {
        let (read, gone, nothing) = ((true, false), (false, true), (false, false));
        assert_eq!(check(None, Some(seen(1, 10)), false, true), read, "new");
        assert_eq!(check(Some((seen(1, 10), 20)), Some(seen(1, 10)), false, true), nothing, "unchanged");
        assert_eq!(check(Some((seen(1, 10), 20)), Some(seen(2, 10)), false, true), read, "other size");
        assert_eq!(check(Some((seen(1, 10), 20)), Some(seen(1, 11)), false, true), read, "other time");
        assert_eq!(
            check(Some((seen(1, 10), 11)), Some(seen(1, 10)), false, true),
            read,
            "too fresh to trust"
        );
        assert_eq!(check(Some((seen(1, 10), 20)), Some(seen(1, 10)), true, true), read, "marked by an event");
        assert_eq!(check(Some((seen(1, 10), 20)), None, false, true), gone, "gone");
        assert_eq!(check(Some((seen(1, 10), 20)), None, false, false), nothing, "not looked at");
        assert_eq!(check(Some((seen(1, 10), 20)), None, true, false), gone, "looked at and gone");
    }
}
