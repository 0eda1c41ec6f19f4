//! The rollouts that a fork of Codex goes on from: its own file holds nothing of them.

use retrace_transcript::{ForkedFrom, forked_from};
use std::path::{Path, PathBuf};

/// Forks of forks that are followed.
const DEPTH: usize = 32;

/// Bytes of all rollouts that one goes on from; what is beyond is not read.
pub const LARGEST_HISTORY: u64 = 256 << 20;

/// Directories of a home with rollouts, by how deep they lie there: those of a session that was archived are moved.
const FOLDERS: [(&str, usize); 2] = [("sessions", 3), ("archived_sessions", 0)];

/// The rollouts that one at `path` goes on from, the first one first, each with the ordinal before which its lines are history,
/// as [`retrace_transcript::read_fork`] takes them; and whether all of it was found.
#[must_use]
pub fn above(path: &Path, from: &ForkedFrom) -> (Vec<(Vec<u8>, u64)>, bool) {
    let (mut found, mut from, mut bytes) = (Vec::new(), Some(from.clone()), 0);
    let mut limit = u64::MAX;
    while let Some(ForkedFrom { thread, before }) = from.take() {
        let read =
            rollout(path, &thread).filter(|other| other != path && found.len() < DEPTH).and_then(|other| {
                bytes += std::fs::metadata(&other).ok()?.len();
                if bytes > LARGEST_HISTORY { None } else { std::fs::read(other).ok() }
            });
        let Some(read) = read else {
            found.reverse();
            return (found, false);
        };
        from = forked_from(&read);
        // What a fork takes of one is not more than the ones between them took.
        limit = limit.min(before);
        found.push((read, limit));
    }
    found.reverse();
    (found, true)
}

/// The rollout of a thread in the home that another one lies in, or else beside that one.
fn rollout(path: &Path, thread: &str) -> Option<PathBuf> {
    let ending = format!("-{thread}.jsonl");
    let is_of_home =
        |folder: &&Path| FOLDERS.iter().any(|(name, _)| folder.file_name() == Some(name.as_ref()));
    match path.ancestors().skip(1).find(is_of_home).and_then(Path::parent) {
        Some(home) => FOLDERS.iter().find_map(|(name, depth)| below(&home.join(name), &ending, *depth)),
        None => below(path.parent()?, &ending, 0),
    }
}

/// The file below a directory whose name ends so. Directories are by date: the latest are looked at first.
fn below(folder: &Path, ending: &str, depth: usize) -> Option<PathBuf> {
    let mut entries: Vec<_> = std::fs::read_dir(folder).ok()?.flatten().collect();
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.file_name()));
    let is_it = |entry: &&std::fs::DirEntry| {
        entry.file_name().to_string_lossy().ends_with(ending)
            && entry.file_type().is_ok_and(|kind| kind.is_file())
    };
    if let Some(found) = entries.iter().find(is_it) {
        return Some(found.path());
    }
    let deeper = depth.checked_sub(1)?;
    let folders = entries.iter().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders.into_iter().find_map(|entry| below(&entry.path(), ending, deeper))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn rollouts_above_a_fork_are_found_in_its_home() {
        let home = tempfile::tempdir().unwrap();
        let meta = |id: &str, from: Option<(&str, u64)>| {
            let from = from.map_or_else(String::new, |(thread, before)| {
                format!(r#","forked_from_id":"{thread}","forked_from_ordinal_exclusive":{before}"#)
            });
            format!("{{\"ordinal\":0,\"type\":\"session_meta\",\"payload\":{{\"id\":\"{id}\"{from}}}}}\n")
                .into_bytes()
        };
        let day = home.path().join("sessions/2026/11/20");
        let archived = home.path().join("archived_sessions");
        fs::create_dir_all(&day).unwrap();
        fs::create_dir_all(&archived).unwrap();
        let path = day.join("rollout-2026-11-20T10-00-00-t-3.jsonl");
        fs::write(archived.join("rollout-2026-11-19T10-00-00-t-1.jsonl"), meta("t-1", None)).unwrap();
        fs::write(day.join("rollout-2026-11-20T09-00-00-t-2.jsonl"), meta("t-2", Some(("t-1", 9)))).unwrap();
        fs::write(&path, meta("t-3", Some(("t-2", 5)))).unwrap();
        let from = forked_from(&fs::read(&path).unwrap()).unwrap();
        let (found, is_whole) = above(&path, &from);
        let limits: Vec<u64> = found.iter().map(|(_, before)| *before).collect();
        assert_eq!((found[0].0.clone(), limits, is_whole), (meta("t-1", None), vec![5, 5], true));
        fs::remove_file(archived.join("rollout-2026-11-19T10-00-00-t-1.jsonl")).unwrap();
        let (found, is_whole) = above(&path, &from);
        assert_eq!((found.len(), is_whole), (1, false));
        // One that goes on from itself ends.
        fs::write(&path, meta("t-3", Some(("t-3", 5)))).unwrap();
        assert_eq!(above(&path, &forked_from(&fs::read(&path).unwrap()).unwrap()), (Vec::new(), false));
    }
}
