//! What the operating system says, as the standard library passes it on.

/// The sentences; `{0}`, `{1}` … stand for what they are about.
pub(super) const SENTENCES: &[&str] = &[
    "stopped",
    "No such file or directory (os error {0})",
    "Permission denied (os error {0})",
    "Operation not permitted (os error {0})",
    "File exists (os error {0})",
    "Not a directory (os error {0})",
    "Is a directory (os error {0})",
    "Directory not empty (os error {0})",
    "No space left on device (os error {0})",
    "Disk quota exceeded (os error {0})",
    "Read-only file system (os error {0})",
    "Too many open files (os error {0})",
    "Too many levels of symbolic links (os error {0})",
    "File name too long (os error {0})",
    "Invalid argument (os error {0})",
    "Input/output error (os error {0})",
    "Broken pipe (os error {0})",
    "Connection refused (os error {0})",
    "Connection reset by peer (os error {0})",
    "Connection timed out (os error {0})",
    "Network is unreachable (os error {0})",
];
