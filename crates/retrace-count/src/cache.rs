//! Answers kept by content, in one disposable file.
//!
//! The file is JSON lines, `{"request":HASH,"input_tokens":N,"original_input_tokens":N|null}`: a hash and two numbers,
//! no content. Lines are only appended, each in one write, so that several programs may share the file; what cannot be
//! read (a cut line, damage) is passed over. Deleting the file loses nothing but calls already made.

use crate::request::Counted;
use retrace_message::AsMessage;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The file's name in the directory that the caller gives.
const FILE_NAME: &str = "token-counts.jsonl";
/// Bytes after which the older half of the file is dropped when it is opened. About 60,000 answers.
const FILE_LIMIT: u64 = 8 * 1024 * 1024;

/// Hash of a request, as [`crate::request`] makes it.
pub(crate) type Digest = [u8; 32];

/// Answers by the request they are for.
#[derive(Debug, Default)]
pub struct Cache {
    answers: HashMap<Digest, Counted>,
    file: Option<File>,
    unread: usize,
}

/// The cache's file cannot be used. Counting works without it.
#[derive(Debug, thiserror::Error, AsMessage)]
#[message("counts")]
#[error("{action} {}: {source}", path.display())]
pub struct CacheError {
    /// Step that failed.
    action: &'static str,
    /// The file.
    path: PathBuf,
    /// Error of the system.
    source: io::Error,
}

impl Cache {
    /// A cache that is gone with the program.
    pub fn in_memory() -> Self {
        Self::default()
    }

    /// Opens the cache of a directory, which has to exist; makes its file, readable by the user alone.
    pub fn open(directory: &Path) -> Result<Self, CacheError> {
        Self::open_limited(directory, FILE_LIMIT)
    }

    fn open_limited(directory: &Path, limit: u64) -> Result<Self, CacheError> {
        let path = directory.join(FILE_NAME);
        let failed = |action| {
            let path = path.clone();
            move |source| CacheError { action, path, source }
        };
        // Opening a pipe would wait for its other end.
        if let Ok(about) = fs::symlink_metadata(&path)
            && !about.is_file()
        {
            return Err(failed("opening")(io::Error::other(say::not_regular_file())));
        }
        let mut file = open_private(&path).map_err(failed("opening"))?;
        let mut text = newest(&mut file, limit).map_err(failed("reading"))?;
        if file.metadata().map_err(failed("reading"))?.len() > limit {
            let half = usize::try_from(limit / 2).unwrap_or(usize::MAX);
            text = whole_lines(&text, half).to_vec();
            // Some systems replace no file that is open.
            drop(file);
            replace(&path, &text).map_err(failed("shortening"))?;
            file = open_private(&path).map_err(failed("opening"))?;
        }
        if text.last().is_some_and(|last| *last != b'\n') {
            // A line cut by a crash would swallow the next one.
            file.write_all(b"\n").map_err(failed("writing"))?;
        }
        let mut cache = Self { file: Some(file), ..Self::default() };
        for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            match read_line(line) {
                Some((digest, counted)) => {
                    cache.answers.insert(digest, counted);
                }
                None => cache.unread += 1,
            }
        }
        Ok(cache)
    }

    /// Number of answers it holds.
    pub fn len(&self) -> usize {
        self.answers.len()
    }

    /// True if it holds none.
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }

    /// Lines of the file that could not be read when it was opened.
    pub fn unread_lines(&self) -> usize {
        self.unread
    }

    pub(crate) fn get(&self, digest: &Digest) -> Option<Counted> {
        self.answers.get(digest).copied()
    }

    /// Keeps an answer. It is held in memory even when the file cannot be written.
    pub(crate) fn insert(&mut self, digest: Digest, counted: Counted) -> io::Result<()> {
        if self.answers.insert(digest, counted) == Some(counted) {
            return Ok(());
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        let line = json!({
            "request": hex(&digest),
            "input_tokens": counted.input_tokens,
            "original_input_tokens": counted.original_input_tokens,
        });
        file.write_all(format!("{line}\n").as_bytes())
    }
}

/// For reading and appending; made for the user alone, and closed to others where it was made otherwise.
fn open_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if file.metadata()?.permissions().mode() & 0o077 != 0 {
            file.set_permissions(fs::Permissions::from_mode(0o600))?;
        }
    }
    Ok(file)
}

/// The end of the file, at most `limit` bytes of it, beginning with a whole line.
fn newest(file: &mut File, limit: u64) -> io::Result<Vec<u8>> {
    let length = file.metadata()?.len();
    let skipped = length.saturating_sub(limit);
    file.seek(SeekFrom::Start(skipped))?;
    let mut text = Vec::new();
    file.take(limit).read_to_end(&mut text)?;
    if skipped > 0 {
        let begin = text.iter().position(|byte| *byte == b'\n').map_or(text.len(), |at| at + 1);
        text.drain(..begin);
    }
    Ok(text)
}

/// The last `length` bytes, less a line that begins before them.
fn whole_lines(text: &[u8], length: usize) -> &[u8] {
    let Some(skipped) = text.len().checked_sub(length) else { return text };
    let begin =
        text[skipped..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |at| skipped + at + 1);
    &text[begin..]
}

/// Puts another content in the file's place in one step. What another program appends meanwhile is lost, and counted
/// anew when it is needed.
fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    let beside = path.with_extension(format!("{}.tmp", std::process::id()));
    let written = open_private(&beside).and_then(|mut file| {
        file.set_len(0)?;
        file.write_all(text)
    });
    written.and_then(|()| fs::rename(&beside, path)).inspect_err(|_| {
        // The first failure is the one to tell of.
        let _ = fs::remove_file(&beside);
    })
}

fn read_line(line: &[u8]) -> Option<(Digest, Counted)> {
    let value: Value = serde_json::from_slice(line).ok()?;
    let original_input_tokens = match value.get("original_input_tokens")? {
        Value::Null => None,
        number => Some(number.as_u64()?),
    };
    let input_tokens = value.get("input_tokens")?.as_u64()?;
    Some((unhex(value.get("request")?.as_str()?)?, Counted { input_tokens, original_input_tokens }))
}

fn hex(digest: &Digest) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    digest
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|half| char::from(DIGITS[usize::from(half)]))
        .collect()
}

fn unhex(text: &str) -> Option<Digest> {
    let mut digest = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (byte, pair) in digest.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        let half = |at: usize| char::from(pair[at]).to_digit(16);
        *byte = u8::try_from(half(0)? * 16 + half(1)?).ok()?;
    }
    Some(digest)
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "cache";
    not_regular_file() => "it is not a regular file",
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(input_tokens: u64, original_input_tokens: Option<u64>) -> Counted {
        Counted { input_tokens, original_input_tokens }
    }

    fn path(directory: &tempfile::TempDir) -> PathBuf {
        directory.path().join(FILE_NAME)
    }

    #[test]
    fn answers_outlive_the_program() {
        let directory = tempfile::tempdir().unwrap();
        let mut cache = Cache::open(directory.path()).unwrap();
        cache.insert([1; 32], counted(5, None)).unwrap();
        cache.insert([171; 32], counted(6, Some(9))).unwrap();
        cache.insert([171; 32], counted(6, Some(9))).unwrap();
        drop(cache);
        let cache = Cache::open(directory.path()).unwrap();
        assert_eq!((cache.len(), cache.unread_lines()), (2, 0));
        assert_eq!(cache.get(&[1; 32]), Some(counted(5, None)));
        assert_eq!(cache.get(&[171; 32]), Some(counted(6, Some(9))));
        assert_eq!(cache.get(&[2; 32]), None);
        assert_eq!(fs::read_to_string(path(&directory)).unwrap().lines().count(), 2);
    }

    #[test]
    fn damage_and_a_cut_line_cost_only_themselves() {
        let directory = tempfile::tempdir().unwrap();
        let good = |byte| {
            format!(
                "{{\"request\":\"{}\",\"input_tokens\":3,\"original_input_tokens\":null}}",
                hex(&[byte; 32])
            )
        };
        let mut text = format!("{}\nnonsense\n\n[]\n{{\"request\":\"éé\"}}\n", good(1)).into_bytes();
        text.extend_from_slice(b"\xff\xfe\n");
        text.extend_from_slice(good(2).replace("3", "-3").as_bytes());
        text.extend_from_slice(b"\n{\"request\":\"00");
        fs::write(path(&directory), text).unwrap();
        let mut cache = Cache::open(directory.path()).unwrap();
        assert_eq!((cache.len(), cache.unread_lines()), (1, 6));
        cache.insert([9; 32], counted(1, None)).unwrap();
        assert_eq!(Cache::open(directory.path()).unwrap().get(&[9; 32]), Some(counted(1, None)));
    }

    #[test]
    fn the_file_stays_bounded_and_keeps_the_newest() {
        let directory = tempfile::tempdir().unwrap();
        let mut cache = Cache::open_limited(directory.path(), 2000).unwrap();
        for byte in 0..40 {
            cache.insert([byte; 32], counted(u64::from(byte), None)).unwrap();
        }
        let cache = Cache::open_limited(directory.path(), 2000).unwrap();
        assert!(fs::metadata(path(&directory)).unwrap().len() <= 1000);
        assert!(cache.len() >= 5 && cache.unread_lines() == 0, "{cache:?}");
        assert_eq!(cache.get(&[39; 32]), Some(counted(39, None)));
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn it_is_for_the_user_alone() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let mode = || fs::metadata(path(&directory)).unwrap().permissions().mode() & 0o777;
        Cache::open(directory.path()).unwrap();
        assert_eq!(mode(), 0o600);
        fs::set_permissions(path(&directory), fs::Permissions::from_mode(0o644)).unwrap();
        Cache::open(directory.path()).unwrap();
        assert_eq!(mode(), 0o600);
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/dev/null", path(&directory)).unwrap();
        assert!(Cache::open(directory.path()).unwrap_err().to_string().contains("not a regular file"));
        assert!(Cache::open(Path::new("/nowhere/at/all")).is_err());
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config::with_cases(64))]
        #[test]
        fn any_file_opens_and_takes_answers(bytes: Vec<u8>, limit in 0u64..80) {
            let directory = tempfile::tempdir().unwrap();
            fs::write(path(&directory), bytes).unwrap();
            Cache::open_limited(directory.path(), limit).unwrap().insert([7; 32], counted(1, None)).unwrap();
            assert_eq!(Cache::open(directory.path()).unwrap().get(&[7; 32]), Some(counted(1, None)));
        }
    }
}
