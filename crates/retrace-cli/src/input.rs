//! Named inputs: a file, or standard input. Reading ends at a limit, so that a device or an endless pipe
//! costs no more than that.

use retrace_api::wire::Message;
use retrace_api::wire::{ApiError, Code};
use std::fs::File;
use std::io::{Error, ErrorKind, Read};
use std::path::Path;

/// Largest file that is read whole: larger than any transcript seen, and small beside the memory of a machine.
pub(crate) const MAX_INPUT_BYTES: u64 = 1 << 30;

/// Reads all bytes in `path`, `-` for standard input.
///
/// # Errors
/// [`Code::NotFound`] when there is no such file; [`Code::Invalid`] when it cannot be read, is neither a regular file nor a
/// pipe, or has more than `limit` bytes. What it holds is never part of an error.
pub(crate) fn read(path: &Path, stdin: &mut dyn Read, limit: u64) -> Result<Vec<u8>, ApiError> {
    let read = if path == Path::new("-") { up_to(stdin, limit) } else { read_file(path, limit) };
    read.map_err(|error| {
        let too_large = error.kind() == ErrorKind::FileTooLarge;
        let is_directory = error.kind() == ErrorKind::IsADirectory;
        ApiError {
            code: if error.kind() == ErrorKind::NotFound { Code::NotFound } else { Code::Invalid },
            message: if too_large {
                Message::verbatim(format!("The file has more than {limit} bytes."))
            } else {
                Message::verbatim(format!("The file cannot be read: {}.", retrace_api::wire::why(&error)))
            },
            hint: Message::verbatim(if is_directory {
                "Name files in the directory, such as DIR/*.md."
            } else {
                "Check the path; - is standard input."
            }),
            subject: path.display().to_string(),
        }
    })
}

/// Reads the text in `path`, as [`read`].
///
/// # Errors
/// Those of [`read`], and [`Code::Invalid`] for what is no text.
pub(crate) fn read_text(path: &Path, stdin: &mut dyn Read) -> Result<String, ApiError> {
    String::from_utf8(read(path, stdin, MAX_INPUT_BYTES)?).map_err(|_| {
        ApiError::invalid(Message::verbatim("The file is not UTF-8 text."), path.display().to_string())
    })
}

fn read_file(path: &Path, limit: u64) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let metadata = file.metadata()?;
    if is_device(&metadata) {
        return Err(Error::new(ErrorKind::InvalidInput, "a device is not a file"));
    }
    if metadata.is_file() && metadata.len() > limit {
        return Err(ErrorKind::FileTooLarge.into());
    }
    up_to(&mut file, limit)
}

/// True if it is a device, which may never end: `/dev/zero`, a disk.
fn is_device(metadata: &std::fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        let kind = metadata.file_type();
        kind.is_char_device() || kind.is_block_device()
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        false
    }
}

fn up_to(from: &mut dyn Read, limit: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_without_an_end_is_refused() {
        let mut endless = std::io::repeat(0);
        let error = read(Path::new("-"), &mut endless, 1000).expect_err("no end");
        assert_eq!((error.code, &*error.message), (Code::Invalid, "The file has more than 1000 bytes."));
        assert_eq!(read(Path::new("-"), &mut &[7_u8; 1000][..], 1000).expect("it fits").len(), 1000);
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_refused_before_it_is_read() {
        let error = read(Path::new("/dev/zero"), &mut std::io::empty(), u64::MAX).expect_err("a device");
        assert_eq!(error.message, "The file cannot be read: a device is not a file.");
    }

    #[test]
    fn of_a_directory_files_in_it_are_advised() {
        let folder = tempfile::tempdir().expect("a folder");
        let error = read(folder.path(), &mut std::io::empty(), 1000).expect_err("a directory");
        assert_eq!(error.hint, "Name files in the directory, such as DIR/*.md.");
    }

    #[test]
    fn a_missing_file_is_not_found() {
        let missing = read(Path::new("/nonexistent/secret"), &mut std::io::empty(), 1);
        assert_eq!(missing.expect_err("no file").code, Code::NotFound);
    }
}
