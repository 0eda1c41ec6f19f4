//! Small files of the data directory that only this user reads, replaced as a whole.

use crate::engine::Engine;
use crate::wire::show;
use crate::wire::{ApiError, Code};
use retrace_message::Message;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// Larger files are not ours.
pub const LARGEST: u64 = 8 << 20;

/// The text of a small file; `None` where there is none.
///
/// # Errors
/// `internal` when it is there and cannot be read, is too large or is no text.
pub fn read(path: &Path) -> Result<Option<String>, ApiError> {
    let failed = |why: Message| ApiError::new(Code::Internal, say::file_data_directory(why), show(path));
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(say::cannot_be_read(error))),
    };
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|error| failed(say::cannot_be_read(error)))?;
    if bytes.len() as u64 > LARGEST {
        return Err(failed(say::larger_than_mib(LARGEST >> 20)));
    }
    String::from_utf8(bytes).map(Some).map_err(|_| failed(say::not_utf_8_text()))
}

/// Puts a file in place of another in one step. Readers see the one or the other.
///
/// # Errors
/// `cannot_write`; the old file stays then.
pub fn replace(inner: &Engine, path: &Path, content: &[u8]) -> Result<(), ApiError> {
    let beside = beside(path, inner.random());
    let written = write_new(&beside, content).and_then(|()| std::fs::rename(&beside, path));
    written.map_err(|error| {
        // Nothing depends on it being gone.
        let _ = std::fs::remove_file(&beside);
        ApiError::new(Code::CannotWrite, say::data_directory_cannot_written(error), show(path))
            .hint(say::check_permissions_room_disk_or())
    })
}

fn beside(path: &Path, random: u64) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{random:016x}.tmp"));
    path.with_file_name(name)
}

fn write_new(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(content)?;
    file.sync_all()
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "keep";
    cannot_be_read(error) => "cannot be read: {error}",
    file_data_directory(why) => "A file of the data directory {why}.",
    larger_than_mib(value) => "is larger than {value} MiB",
    not_utf_8_text() => "is not UTF-8 text",
    check_permissions_room_disk_or() => "Check its permissions and the room on its disk, or name another with --data-dir.",
    data_directory_cannot_written(error) => "The data directory cannot be written: {error}.",
}
