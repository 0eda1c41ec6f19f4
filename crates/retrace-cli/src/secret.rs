//! Bytes from a file, exactly as they are: what `--secret-file` and `--absent-file` name.

use crate::input;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use retrace_api::wire::Message;
use retrace_api::wire::{ApiError, Code};
use std::io::Read;
use std::path::Path;

/// Largest secret that is searched for. Private keys have some kilobytes.
const MAX_SECRET_BYTES: u64 = 1 << 20;

/// Reads the bytes in `path`, `-` for standard input, and gives them in base 64. One final line feed is not part of them,
/// since editors put it there.
///
/// # Errors
/// Those of [`input::read`], and [`Code::Invalid`] when it holds nothing. What it holds is never part of an error.
pub(crate) fn read(path: &Path, stdin: &mut dyn Read) -> Result<String, ApiError> {
    let bytes = input::read(path, stdin, MAX_SECRET_BYTES)?;
    let exact = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
    if exact.is_empty() {
        return Err(ApiError {
            code: Code::Invalid,
            message: Message::verbatim("The file is empty; there is nothing to look for."),
            hint: Message::verbatim("Write into it what is to be found; - reads it from standard input."),
            subject: path.display().to_string(),
        });
    }
    Ok(STANDARD.encode(exact))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from_stdin(bytes: &[u8]) -> Result<Vec<u8>, ApiError> {
        let mut stdin = bytes;
        read(Path::new("-"), &mut stdin).map(|text| STANDARD.decode(text).expect("base 64"))
    }

    #[test]
    fn one_final_line_feed_is_no_part_of_a_secret() {
        for (bytes, secret) in [
            (&b"s3cret"[..], &b"s3cret"[..]),
            (b"s3cret\n", b"s3cret"),
            (b"s3cret\n\n", b"s3cret\n"),
            (b"s3cret\r\n", b"s3cret\r"),
            (b" \xff\x00 ", b" \xff\x00 "),
        ] {
            assert_eq!(from_stdin(bytes).expect("a secret"), secret, "{bytes:?}");
        }
    }

    #[test]
    fn nothing_is_no_secret() {
        for bytes in [&b""[..], b"\n"] {
            assert_eq!(from_stdin(bytes).expect_err("nothing").code, Code::Invalid);
        }
        let missing = read(Path::new("/nonexistent/secret"), &mut std::io::empty());
        assert_eq!(missing.expect_err("no file").code, Code::NotFound, "as of every other file");
    }
}
