//! Errors as data, and the text of it in each dialect.
//!
//! A text reaches the model as the clients send it: `docs` verbatim; `py` verbatim for what the tool says itself, Python's
//! `repr` for exceptions of the host; `ts` after `Error: `. Source of every string: the SDKs named at [`Dialect`] and the
//! documentation page; where the page has no string, `docs` has the SDKs' after `Error: `.

use crate::{Dialect, MODEL_ROOT};
use std::fmt::Write as _;
use std::path::PathBuf;
use thiserror::Error;

/// Largest number of lines a view shows. Source: both SDKs.
pub(crate) const MAX_LINES: usize = 999_999;

/// The most of an exception's text that the Python SDK sends, in characters. Source: `FIELD_MAX`.
const PY_EXCEPTION_CHARACTERS: usize = 4096;

/// Why a tool cannot be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The directory cannot be opened.
    #[error(transparent)]
    Root(#[from] retrace_files::RootError),
    /// The directory cannot be made.
    #[error("{} cannot be made: {source}", path.display())]
    Make {
        /// The directory.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    /// This platform cannot reach files by descriptor.
    #[error("the memory tool needs a platform that reaches files by descriptor")]
    Unsupported,
}

/// Why a call was not done. The display form is the text of the dialect `docs`. Paths are as the model sent them.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(
    missing_docs,
    reason = "the fields are what their names say, as the model sent them or as they stand"
)]
pub enum ToolError {
    /// `view` of nothing.
    #[error("The path {path} does not exist. Please provide a valid path.")]
    ViewMissing { path: String },
    /// `view` of a file with too many lines.
    #[error("File {path} exceeds maximum line limit of 999,999 lines.")]
    TooManyLines { path: String, lines: usize },
    /// `view` of a pipe, a device or a link that leads nowhere.
    #[error("Error: Unsupported file type for {path}")]
    UnsupportedType { path: String },
    /// `create` where something stands.
    #[error("Error: File {path} already exists")]
    Exists { path: String },
    /// `str_replace` in nothing.
    #[error("Error: The path {path} does not exist. Please provide a valid path.")]
    ReplaceMissing { path: String },
    /// `insert` into nothing.
    #[error("Error: The path {path} does not exist")]
    InsertMissing { path: String },
    /// `str_replace` in a directory or the like.
    #[error("Error: The path {path} does not exist. Please provide a valid path.")]
    ReplaceNotAFile { path: String },
    /// `insert` into a directory or the like.
    #[error("Error: The path {path} does not exist")]
    InsertNotAFile { path: String },
    /// The text to replace is not there.
    #[error("No replacement was performed, old_str `{old}` did not appear verbatim in {path}.")]
    NoMatch { path: String, old: String },
    /// The text to replace is there more than once.
    #[error(
        "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {}. Please ensure it is unique",
        list(lines)
    )]
    Ambiguous { old: String, lines: Vec<usize> },
    /// A line to insert after that the file does not have.
    #[error(
        "Error: Invalid `insert_line` parameter: {line}. It should be within the range of lines of the file: [0, {last}]"
    )]
    BadInsertLine { line: i64, last: usize },
    /// `delete` of nothing.
    #[error("Error: The path {path} does not exist")]
    DeleteMissing { path: String },
    /// `delete` of the whole memory.
    #[error("Error: Cannot delete the /memories directory itself")]
    DeleteRoot,
    /// `rename` of nothing.
    #[error("Error: The path {path} does not exist")]
    RenameMissing { path: String },
    /// `rename` to where something stands.
    #[error("Error: The destination {path} already exists")]
    DestinationExists { path: String },
    /// `rename` of the whole memory.
    #[error("Error: Cannot rename the /memories directory itself")]
    RenameRoot,
    /// A path elsewhere.
    #[error("Error: Path must start with /memories, got: {path}")]
    NotBelowRoot { path: String },
    /// A path that leaves the memory.
    #[error("Error: Path {path} would escape /memories directory")]
    Escapes { path: String },
    /// A path that leaves the memory through a link.
    #[error("Error: Path would escape /memories directory via symlink")]
    EscapesByLink { path: String },
    /// A file that went away while it was read.
    #[error("Error: The file {path} no longer exists (may have been deleted or renamed concurrently).")]
    Vanished { path: String },
    /// A file that became a link while it was read.
    #[error("Error: path {path:?} is a symlink")]
    BecameLink { path: String },
    /// A file that became something else while it was read.
    #[error("Error: path {path:?} is not a regular file")]
    BecameSpecial { path: String },
    /// A file that somebody else keeps writing.
    #[error("Error: The file {path} keeps changing; try again")]
    Unstable { path: String },
    /// A file that is not text.
    #[error("Error: The file {path} is not UTF-8 text")]
    NotText { path: String, at: usize, length: Option<usize>, bytes: Vec<u8> },
    /// Links that lead in a circle.
    #[error("Error: The path {path} leads in a circle of symbolic links")]
    Loop { path: String, shown: String },
    /// A path with a NUL character.
    #[error("Error: A path cannot hold a NUL character")]
    Nul { path: String },
    /// A content above the limit.
    #[error("Error: {path} is too large: {bytes} bytes, the limit is {limit}")]
    TooLarge { path: String, bytes: u64, limit: u64 },
    /// Deeper than directories are looked at.
    #[error("Error: {path} lies too deep: at most {limit} directories are looked into")]
    TooDeep { path: String, limit: usize },
    /// The host refused.
    #[error("Error: {path} cannot be used: {}", system_text(*code))]
    System {
        path: String,
        code: i32,
        /// The call as Node names it.
        call: &'static str,
        /// The path as the TypeScript SDK would print it, below `/memories`.
        shown: String,
        /// Its second path.
        shown_to: Option<String>,
    },
    /// A command the tool does not have.
    #[error("Error: Unknown command: {command}")]
    UnknownCommand { command: String },
    /// An input without what a command needs.
    #[error("Error: {problem}")]
    Input { problem: String },
    /// Sensitive text.
    #[error("Error: {path} was not written, because it would hold something sensitive: {}", found.join("; "))]
    Sensitive { path: String, found: Vec<String> },
    /// The caller did not allow the change.
    #[error("Error: The change was not made: {reason}")]
    Unobserved { reason: String },
}

impl ToolError {
    /// The text as the model gets it from a client of this dialect.
    #[must_use]
    pub fn text(&self, dialect: Dialect) -> String {
        match dialect {
            Dialect::Docs => self.to_string(),
            Dialect::Py => self.in_python(),
            Dialect::Ts => format!("Error: {}", self.in_typescript()),
        }
    }

    fn in_python(&self) -> String {
        match self {
            Self::BadInsertLine { line, last } => {
                format!("Invalid `insert_line` parameter: {line}. It should be within the range [0, {last}].")
            }
            Self::BecameLink { path } => format!("path {} is a symlink", python_string(path)),
            Self::BecameSpecial { path } => format!("path {} is not a regular file", python_string(path)),
            Self::EscapesByLink { path } => format!("Path {path} would escape /memories directory"),
            Self::NotText { at, length, bytes, .. } => {
                cut(not_utf8_in_python(*at, *length, bytes), PY_EXCEPTION_CHARACTERS)
            }
            Self::Loop { shown, .. } => {
                let quoted = format!("Symlink loop from {}", python_string(shown));
                cut(format!("RuntimeError({})", python_string(&quoted)), PY_EXCEPTION_CHARACTERS)
            }
            Self::Nul { .. } => "ValueError('embedded null byte')".to_owned(),
            Self::System { code, .. } => {
                format!("{}({code}, {})", python_class(*code), python_string(&system_text(*code)))
            }
            Self::UnknownCommand { command } => {
                let quoted = format!("Unknown command: {command}");
                cut(format!("NotImplementedError({})", python_string(&quoted)), PY_EXCEPTION_CHARACTERS)
            }
            other => other.in_both_sdks(),
        }
    }

    fn in_typescript(&self) -> String {
        match self {
            Self::TooManyLines { path, lines } => {
                format!("File {path} has too many lines ({lines}). Maximum is 999,999 lines.")
            }
            Self::BecameLink { path } => format!("path {} is a symlink", json_string(path)),
            Self::BecameSpecial { path } => format!("path {} is not a regular file", json_string(path)),
            Self::Loop { shown, .. } => node_error(libc_codes::ELOOP, "realpath", shown, None),
            Self::System { code, call, shown, shown_to, .. } => {
                node_error(*code, call, shown, shown_to.as_deref())
            }
            Self::UnknownCommand { command } => format!("{command} not implemented"),
            Self::Nul { path } => format!(
                "The argument 'path' must be a string, Uint8Array, or URL without null bytes. Received '{}'",
                path.replace('\0', "\\x00")
            ),
            other => other.in_both_sdks(),
        }
    }

    /// The texts the SDKs have in common: those of the page without its prefix, but for the edits.
    fn in_both_sdks(&self) -> String {
        match self {
            Self::ReplaceNotAFile { path } | Self::InsertNotAFile { path } => {
                format!("The path {path} is not a file.")
            }
            Self::InsertMissing { path } => {
                format!("The path {path} does not exist. Please provide a valid path.")
            }
            other => {
                let text = other.to_string();
                text.strip_prefix("Error: ").map_or_else(|| text.clone(), str::to_owned)
            }
        }
    }
}

/// The numbers that the exceptions of the SDKs name. They are the same on Linux and macOS but for two.
#[allow(clippy::upper_case_acronyms)]
pub(crate) mod libc_codes {
    #[cfg(unix)]
    mod of_this_platform {
        use rustix::io::Errno;
        pub(crate) const ENOENT: i32 = Errno::NOENT.raw_os_error();
        pub(crate) const EACCES: i32 = Errno::ACCESS.raw_os_error();
        pub(crate) const EEXIST: i32 = Errno::EXIST.raw_os_error();
        pub(crate) const ENOTDIR: i32 = Errno::NOTDIR.raw_os_error();
        pub(crate) const EISDIR: i32 = Errno::ISDIR.raw_os_error();
        pub(crate) const EINVAL: i32 = Errno::INVAL.raw_os_error();
        pub(crate) const EFBIG: i32 = Errno::FBIG.raw_os_error();
        pub(crate) const ENOSPC: i32 = Errno::NOSPC.raw_os_error();
        pub(crate) const EROFS: i32 = Errno::ROFS.raw_os_error();
        pub(crate) const EPERM: i32 = Errno::PERM.raw_os_error();
        pub(crate) const ENAMETOOLONG: i32 = Errno::NAMETOOLONG.raw_os_error();
        pub(crate) const ENOTEMPTY: i32 = Errno::NOTEMPTY.raw_os_error();
        pub(crate) const ELOOP: i32 = Errno::LOOP.raw_os_error();
    }
    #[cfg(not(unix))]
    mod of_this_platform {
        pub(crate) const ENOENT: i32 = 2;
        pub(crate) const EACCES: i32 = 13;
        pub(crate) const EEXIST: i32 = 17;
        pub(crate) const ENOTDIR: i32 = 20;
        pub(crate) const EISDIR: i32 = 21;
        pub(crate) const EINVAL: i32 = 22;
        pub(crate) const EFBIG: i32 = 27;
        pub(crate) const ENOSPC: i32 = 28;
        pub(crate) const EROFS: i32 = 30;
        pub(crate) const EPERM: i32 = 1;
        pub(crate) const ENAMETOOLONG: i32 = 36;
        pub(crate) const ENOTEMPTY: i32 = 39;
        pub(crate) const ELOOP: i32 = 40;
    }
    pub(crate) use of_this_platform::*;
}

/// System's text for an error number, without the number.
fn system_text(code: i32) -> String {
    let text = std::io::Error::from_raw_os_error(code).to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

/// The class Python raises for an error number. Source: PEP 3151.
fn python_class(code: i32) -> &'static str {
    use libc_codes as is;
    match code {
        is::ENOENT => "FileNotFoundError",
        is::EEXIST => "FileExistsError",
        is::ENOTDIR => "NotADirectoryError",
        is::EISDIR => "IsADirectoryError",
        is::EACCES | is::EPERM => "PermissionError",
        _ => "OSError",
    }
}

/// An error of Node's `fs`, as its message says it. Source: the table of libuv.
fn node_error(code: i32, call: &str, path: &str, to: Option<&str>) -> String {
    use libc_codes as is;
    let (name, text) = match code {
        is::ENOENT => ("ENOENT", "no such file or directory"),
        is::EACCES => ("EACCES", "permission denied"),
        is::EPERM => ("EPERM", "operation not permitted"),
        is::EEXIST => ("EEXIST", "file already exists"),
        is::ENOTDIR => ("ENOTDIR", "not a directory"),
        is::EISDIR => ("EISDIR", "illegal operation on a directory"),
        is::EINVAL => ("EINVAL", "invalid argument"),
        is::ENOSPC => ("ENOSPC", "no space left on device"),
        is::EROFS => ("EROFS", "read-only file system"),
        is::ENAMETOOLONG => ("ENAMETOOLONG", "name too long"),
        is::ENOTEMPTY => ("ENOTEMPTY", "directory not empty"),
        is::ELOOP => ("ELOOP", "too many symbolic links encountered"),
        _ => ("EIO", "i/o error"),
    };
    let to = to.map_or_else(String::new, |to| format!(" -> '{to}'"));
    format!("{name}: {text}, {call} '{path}'{to}")
}

/// A path below the memory as the model would write it.
pub(crate) fn shown_path<'a>(names: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut shown = MODEL_ROOT.to_owned();
    for name in names {
        shown.push('/');
        shown.push_str(&String::from_utf8_lossy(name));
    }
    shown
}

fn list(lines: &[usize]) -> String {
    let mut text = String::new();
    for (at, line) in lines.iter().enumerate() {
        let _ = write!(text, "{}{line}", if at == 0 { "" } else { ", " });
    }
    text
}

fn cut(text: String, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => text[..end].to_owned(),
        None => text,
    }
}

/// A string as Python's `repr` writes it. Unprintable characters outside ASCII are left as they are.
fn python_string(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut written = String::from(quote);
    for letter in text.chars() {
        match letter {
            '\\' => written.push_str("\\\\"),
            '\n' => written.push_str("\\n"),
            '\r' => written.push_str("\\r"),
            '\t' => written.push_str("\\t"),
            letter if letter == quote => {
                written.push('\\');
                written.push(letter);
            }
            letter if (letter as u32) < 0x20 || (0x7f..=0xa0).contains(&(letter as u32)) => {
                let _ = write!(written, "\\x{:02x}", letter as u32);
            }
            '\u{ad}' => written.push_str("\\xad"),
            '\u{2028}' => written.push_str("\\u2028"),
            '\u{2029}' => written.push_str("\\u2029"),
            '\u{feff}' => written.push_str("\\ufeff"),
            letter => written.push(letter),
        }
    }
    written.push(quote);
    written
}

fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// `UnicodeDecodeError` as Python's `repr` writes it: the bytes, where the first wrong ones are, and why.
fn not_utf8_in_python(at: usize, length: Option<usize>, bytes: &[u8]) -> String {
    let single = bytes.contains(&b'\'') && !bytes.contains(&b'"');
    let quote = if single { '"' } else { '\'' };
    let mut text = format!("UnicodeDecodeError('utf-8', b{quote}");
    // Bytes that are cut off later need not be written.
    for byte in bytes.iter().take(PY_EXCEPTION_CHARACTERS) {
        match *byte {
            b'\\' => text.push_str("\\\\"),
            b'\n' => text.push_str("\\n"),
            b'\r' => text.push_str("\\r"),
            b'\t' => text.push_str("\\t"),
            b'\'' if quote == '\'' => text.push_str("\\'"),
            byte @ 0x20..0x7f => text.push(char::from(byte)),
            byte => drop(write!(text, "\\x{byte:02x}")),
        }
    }
    let first = bytes.get(at).copied().unwrap_or(0);
    let (end, reason) = match length {
        None => (bytes.len(), "unexpected end of data"),
        Some(_) if !(0xc2..=0xf4).contains(&first) => (at + 1, "invalid start byte"),
        Some(length) => (at + length, "invalid continuation byte"),
    };
    let _ = write!(text, "{quote}, {at}, {end}, '{reason}')");
    text
}
