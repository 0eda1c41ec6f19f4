//! Indexes of the requests of large transcripts, one file each, in a directory of the data directory.
//!
//! The directory is disposable. A file is named by a hash of the transcript's path and holds no text of a conversation: ids,
//! digests and places. Its layout is that of [`kept`](crate::kept).

use crate::error::StoreError;
use crate::identity::Identity;
use crate::kept;
use retrace_transcript::requests::RequestIndex;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Usual name of the directory in the data directory.
pub const REQUESTS_DIRECTORY: &str = "requests";

const MARK: &[u8; 8] = b"RTRREQST";

/// Raised whenever an index that was kept could be read wrongly.
const VERSION: u32 = 1;

/// Files kept; the ones written longest ago go first.
const MAX_FILES: usize = 32;

#[derive(Serialize, Deserialize)]
struct Kept<I> {
    /// The transcript as it was.
    identity: Identity,
    index: I,
}

/// The index that was kept for a transcript; `None` where there is none for it as it is now.
#[must_use]
pub fn load_requests(directory: &Path, transcript: &Path, identity: &Identity) -> Option<RequestIndex> {
    let kept: Kept<RequestIndex> = kept::load(&file_of(directory, transcript), MARK, VERSION)?;
    (kept.identity == *identity && kept.index.is_sound()).then_some(kept.index)
}

/// Keeps the index of a transcript as it is now.
///
/// # Errors
/// [`StoreError`] when it cannot be written; another that was kept stays then.
pub fn save_requests(
    directory: &Path,
    transcript: &Path,
    identity: Identity,
    index: &RequestIndex,
) -> Result<(), StoreError> {
    let path = file_of(directory, transcript);
    fs::create_dir_all(directory).map_err(|source| StoreError::Write { path: path.clone(), source })?;
    kept::save(&path, MARK, VERSION, &Kept { identity, index })?;
    remove_oldest(directory);
    Ok(())
}

fn file_of(directory: &Path, transcript: &Path) -> PathBuf {
    let hash = Sha256::digest(transcript.as_os_str().as_encoded_bytes());
    let name: String = hash[..16].iter().map(|byte| format!("{byte:02x}")).collect();
    directory.join(format!("{name}.index"))
}

fn remove_oldest(directory: &Path) {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut files: Vec<(SystemTime, PathBuf)> = entries
        .filter(|entry| entry.path().extension().is_some_and(|end| end == "index"))
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    files.sort();
    let too_many = files.len().saturating_sub(MAX_FILES);
    for (_, path) in files.into_iter().take(too_many) {
        // Best effort: the next save tries again.
        let _ = fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use retrace_transcript::requests::SessionSplit;

    fn index() -> RequestIndex {
        let mut split = SessionSplit::new();
        split.feed(b"{\"type\":\"api-request\",\"id\":\"r1\",\"tail\":[]}\n");
        let (reading, log) = split.finish().expect("a session");
        RequestIndex::new(&reading.transcripts, log)
    }

    #[test]
    fn what_was_kept_is_for_the_file_as_it_was() {
        let directory = tempfile::tempdir().expect("a directory");
        let kept = directory.path().join(REQUESTS_DIRECTORY);
        let transcript = Path::new("/home/a/s.jsonl");
        let identity = Identity { size: 7, ..Identity::default() };
        assert!(load_requests(&kept, transcript, &identity).is_none());
        save_requests(&kept, transcript, identity, &index()).expect("it is kept");
        assert_eq!(load_requests(&kept, transcript, &identity), Some(index()));
        assert_eq!(load_requests(&kept, Path::new("/home/b/s.jsonl"), &identity), None);
        let grown = Identity { size: 8, ..identity };
        assert_eq!(load_requests(&kept, transcript, &grown), None);
    }

    #[test]
    fn a_damaged_file_is_as_none() {
        let directory = tempfile::tempdir().expect("a directory");
        let (transcript, identity) = (Path::new("/s.jsonl"), Identity::default());
        save_requests(directory.path(), transcript, identity, &index()).expect("it is kept");
        let path = file_of(directory.path(), transcript);
        let whole = fs::read(&path).expect("its bytes");
        for length in [0, 3, kept::HEADER_BYTES, whole.len() - 1] {
            fs::write(&path, &whole[..length]).expect("a part");
            assert_eq!(load_requests(directory.path(), transcript, &identity), None, "{length}");
        }
        let mut other = whole.clone();
        *other.last_mut().expect("a byte") ^= 1;
        fs::write(&path, &other).expect("another");
        assert_eq!(load_requests(directory.path(), transcript, &identity), None);
    }

    #[test]
    fn few_are_kept() {
        let directory = tempfile::tempdir().expect("a directory");
        for number in 0..MAX_FILES + 5 {
            let transcript = PathBuf::from(format!("/{number}.jsonl"));
            save_requests(directory.path(), &transcript, Identity::default(), &index()).expect("it is kept");
        }
        assert_eq!(fs::read_dir(directory.path()).expect("a listing").count(), MAX_FILES);
    }
}
