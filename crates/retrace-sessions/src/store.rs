//! The index in one file of the data directory.
//!
//! The file is disposable: whatever is wrong with it, the answer is to read the transcripts again. Layout: 8 bytes of
//! mark, 4 bytes of version, 8 bytes of length of the body (both little-endian), 32 bytes that tell the rules of reading,
//! SHA-256 of the body, the body (postcard). It is replaced in one step, so that a reader finds an old or a new one and never a part. It holds titles, paths and
//! figures of transcripts, and is readable by its owner alone.

use crate::entry::{Entry, Resume};
use crate::error::StoreError;
use crate::identity::Identity;
use crate::roots::RootKind;
use crate::walk::Place;
use retrace_transcript::Summariser;
use sha2::{Digest as _, Sha256};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Usual name of the file in the data directory.
pub const FILE_NAME: &str = "transcripts.index";

const MARK: &[u8; 8] = b"RTRINDEX";

/// Raised when entries mean something else though the sample comes out the same ([`rules`]).
const VERSION: u32 = 8;

const HEADER_BYTES: usize = 8 + 4 + 8 + 32 + 32;

/// Lines of every format an index takes line by line, and of the things a summary tells.
const SAMPLES: [&str; 4] = [
    include_str!("samples/claude-code.jsonl"),
    include_str!("samples/codex.jsonl"),
    include_str!("samples/copilot.jsonl"),
    include_str!("samples/gemini.jsonl"),
];

/// Hash of the samples as this program reads them: another where summaries are made or written in another way. So what
/// an older program understood of a transcript is never shown by a newer one that would understand something else.
fn rules() -> &'static [u8; 32] {
    static RULES: OnceLock<[u8; 32]> = OnceLock::new();
    RULES.get_or_init(|| {
        let mut hash = Sha256::new();
        for entry in SAMPLES.map(sample) {
            // An entry that cannot be written here cannot be written here cannot be written at all, and then there is
            // no file to tell apart.
            hash.update(postcard::to_stdvec(&entry).unwrap_or_default());
        }
        hash.finalize().into()
    })
}

fn sample(lines: &str) -> Entry {
    let mut summariser = Summariser::new();
    summariser.feed(lines.as_bytes());
    Entry {
        path: PathBuf::from("sample"),
        place: Place::plain(RootKind::ClaudeCode),
        identity: Identity::default(),
        summary: Some(summariser.summary()),
        problem: None,
        resume: Some(Resume {
            state: summariser.to_bytes(),
            consumed: summariser.consumed(),
            fingerprint: [0; 32],
        }),
    }
}

/// A larger file is not read: an index of a hundred thousand transcripts is far below.
const SIZE_LIMIT: u64 = 1 << 30;

/// Leftovers of programs that died while writing are removed when they are this much older than a new one.
const LEFTOVER_AGE: Duration = Duration::from_secs(3600);

/// The entries kept in `path`; none where the file is absent, damaged or of another version.
pub(crate) fn load(path: &Path) -> Vec<Entry> {
    read(path).and_then(|bytes| decode(&bytes)).unwrap_or_default()
}

/// The bytes of a file that this crate keeps; `None` where there is none, or it is too large to be one.
pub(crate) fn read(path: &Path) -> Option<Vec<u8>> {
    let file = File::open(path).ok()?;
    let size = file.metadata().ok().filter(fs::Metadata::is_file)?.len();
    if size > SIZE_LIMIT {
        return None;
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).ok()?);
    file.take(SIZE_LIMIT).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn decode(bytes: &[u8]) -> Option<Vec<Entry>> {
    let (header, body) = bytes.split_at_checked(HEADER_BYTES)?;
    (header == header_of(body)).then(|| postcard::from_bytes(body).ok())?
}

fn encode(entries: &[&Entry]) -> Result<Vec<u8>, StoreError> {
    let mut bytes = vec![0; HEADER_BYTES];
    bytes = postcard::to_extend(entries, bytes).map_err(StoreError::Encode)?;
    let header = header_of(&bytes[HEADER_BYTES..]);
    bytes[..HEADER_BYTES].copy_from_slice(&header);
    Ok(bytes)
}

fn header_of(body: &[u8]) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..8].copy_from_slice(MARK);
    header[8..12].copy_from_slice(&VERSION.to_le_bytes());
    header[12..20].copy_from_slice(&(body.len() as u64).to_le_bytes());
    header[20..52].copy_from_slice(rules());
    header[52..].copy_from_slice(&Sha256::digest(body));
    header
}

/// Puts `entries` in place of what `path` holds, in one step.
pub(crate) fn save(path: &Path, entries: &[&Entry]) -> Result<(), StoreError> {
    replace(path, &encode(entries)?)
}

/// Puts `bytes` in place of what `path` holds, in one step.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let failed = |source| StoreError::Write { path: path.to_owned(), source };
    let (temporary, mut file) = temporary(path).map_err(failed)?;
    let written = file.write_all(bytes).and_then(|()| file.metadata()?.modified());
    drop(file);
    match written.and_then(|modified| fs::rename(&temporary, path).map(|()| modified)) {
        Ok(modified) => {
            remove_leftovers(path, modified);
            Ok(())
        }
        Err(source) => {
            // Best effort: the failure told is that of the write.
            let _ = fs::remove_file(&temporary);
            Err(failed(source))
        }
    }
}

/// A new file beside `path` that nobody else writes.
fn temporary(path: &Path) -> io::Result<(PathBuf, File)> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    loop {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{}-{number}{TEMPORARY_ENDING}", std::process::id()));
        let temporary = PathBuf::from(name);
        match options.open(&temporary) {
            // Left by a process of the same id, or one in another container.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(file) => return Ok((temporary, file)),
        }
    }
}

const TEMPORARY_ENDING: &str = ".tmp";

/// Removes temporaries that nobody can be writing any more, judged by the times of the file system itself.
fn remove_leftovers(path: &Path, now: std::time::SystemTime) {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return;
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let file_name = entry.file_name();
        let is_temporary = file_name.to_str().is_some_and(|other| {
            other
                .strip_prefix(name)
                .is_some_and(|rest| rest.starts_with('.') && rest.ends_with(TEMPORARY_ENDING))
        });
        let is_old = is_temporary
            && entry
                .metadata()
                .and_then(|metadata| metadata.modified())
                .is_ok_and(|modified| now.duration_since(modified).is_ok_and(|age| age > LEFTOVER_AGE));
        if is_old {
            // Best effort: the next save tries again.
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_samples_show_what_a_summary_tells() {
        let [claude_code, codex, copilot, gemini] =
            SAMPLES.map(sample).map(|entry| entry.summary.expect("it was summarised"));
        for summary in [&claude_code, &codex, &copilot, &gemini] {
            assert_eq!(summary.account.malformed, []);
        }
        assert_eq!(claude_code.requests, 2);
        assert_eq!((codex.requests, codex.memory_writes.len()), (2, 1));
        assert_eq!(codex.models["gpt-5.2"].tokens.cache_creation, 30);
        assert_eq!((gemini.requests, gemini.memory_writes.len()), (1, 1));
        assert_eq!(gemini.session.project.as_deref(), Some("/w"));
        assert_eq!(claude_code.compactions, 1);
        assert_eq!(claude_code.memory_writes.len(), 2);
        assert!(claude_code.session.title.is_some());
    }

    #[test]
    fn the_header_tells_the_rules() {
        let header = header_of(b"body");
        assert_eq!(&header[20..52], rules());
        assert_ne!(*rules(), [0; 32]);
    }
}
