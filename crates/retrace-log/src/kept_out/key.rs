//! The key that tags of redacted contents are made with: a file beside the database, never in it.

use crate::{Entropy, LogError, LogFiles};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256 as Hasher;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::Path;

/// Bytes of a key.
const BYTES: usize = 32;

/// A code made with the key.
pub(crate) type Code = [u8; 32];

/// A key.
pub(crate) struct Key {
    /// Has taken the key and nothing else.
    begun: Hmac<Hasher>,
    /// Tells which key it is, and nothing of it.
    pub(crate) check: [u8; 16],
}

impl std::fmt::Debug for Key {
    /// Never says what it is.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key")
    }
}

impl Key {
    pub(crate) fn new(bytes: &[u8; BYTES]) -> Self {
        let begun = Hmac::new_from_slice(bytes).expect("HMAC takes a key of any length");
        let mut key = Self { begun, check: [0; 16] };
        let code = key.code(b"retrace.key.1", b"");
        key.check.copy_from_slice(&code[..16]);
        key
    }

    /// The code of some bytes; `what` keeps codes of different things apart.
    pub(crate) fn code(&self, what: &[u8], bytes: &[u8]) -> Code {
        let mut mac = self.begun.clone();
        mac.update(what);
        mac.update(&[0]);
        mac.update(bytes);
        mac.finalize().into_bytes().into()
    }

    /// The first eight bytes of a code, as a number.
    pub(crate) fn number(&self, what: &[u8], bytes: &[u8]) -> u64 {
        self.code(what, bytes)[..8].iter().fold(0, |number, byte| (number << 8) | u64::from(*byte))
    }

    /// The key of a log; `None` when it has none, or none any more.
    ///
    /// # Errors
    /// [`LogError::Damaged`] for a file that is no key, [`LogError::CannotWrite`] or [`LogError::Io`].
    pub(crate) fn read(files: &LogFiles) -> Result<Option<Self>, LogError> {
        let path = files.redaction_key();
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(LogError::io(path)(error)),
        };
        let bytes: &[u8; BYTES] = bytes
            .as_slice()
            .try_into()
            .map_err(|_| LogError::Damaged(say::no_key_put_back_from(path.display())))?;
        Ok(Some(Self::new(bytes)))
    }

    /// The key of a log; a new one when it has none. It is on the disk when this returns.
    ///
    /// # Errors
    /// As [`Key::read`], and [`LogError::Full`].
    pub(crate) fn read_or_make(files: &LogFiles, entropy: &mut Entropy) -> Result<Self, LogError> {
        if let Some(key) = Self::read(files)? {
            return Ok(key);
        }
        let mut bytes = [0; BYTES];
        entropy(&mut bytes);
        let path = files.redaction_key();
        write_private(files.directory(), &path, &bytes).map_err(LogError::io(&path))?;
        Ok(Self::new(&bytes))
    }
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
