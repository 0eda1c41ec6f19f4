//! The file of the key that tags of redacted contents are made with: beside the database, never in it.

use crate::{Entropy, LogError, LogFiles};
use retrace_tags::{KEY_BYTES, Key};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::Path;

/// The key of a log; `None` when it has none, or none any more.
///
/// # Errors
/// [`LogError::Damaged`] for a file that is no key, [`LogError::CannotWrite`] or [`LogError::Io`].
pub(crate) fn read(files: &LogFiles) -> Result<Option<Key>, LogError> {
    let path = files.redaction_key();
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(LogError::io(path)(error)),
    };
    let bytes: &[u8; KEY_BYTES] = bytes
        .as_slice()
        .try_into()
        .map_err(|_| LogError::Damaged(say::no_key_put_back_from(path.display())))?;
    Ok(Some(Key::new(bytes)))
}

/// The key of a log; a new one when it has none. It is on the disk when this returns.
///
/// # Errors
/// As [`read`], and [`LogError::Full`].
pub(crate) fn read_or_make(files: &LogFiles, entropy: &mut Entropy) -> Result<Key, LogError> {
    if let Some(key) = read(files)? {
        return Ok(key);
    }
    let mut bytes = [0; KEY_BYTES];
    entropy(&mut bytes);
    let path = files.redaction_key();
    write_private(files.directory(), &path, &bytes).map_err(LogError::io(&path))?;
    Ok(Key::new(&bytes))
}

/// Writes a file whole or not at all. The caller holds the log's write lock, so nobody else makes it.
fn write_private(directory: &Path, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let beside = path.with_extension("key.new");
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&beside)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    drop(file);
    std::fs::rename(&beside, path)?;
    if cfg!(unix) {
        File::open(directory)?.sync_all()?;
    }
    Ok(())
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "key";
    no_key_put_back_from(path) => "{path} is no key: put it back from a backup, or move it away",
}
