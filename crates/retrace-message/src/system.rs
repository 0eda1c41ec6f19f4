//! Errors of the operating system, as the standard library passes them on.

use crate::{AsMessage, Message};
use std::io;

crate::messages! {
    /// What the operating system says, in the middle of a sentence or as one.
    saved mod say in "os";
    no_such_file_or_directory() => "no such file or directory",
    permission_denied() => "permission denied",
    operation_not_permitted() => "operation not permitted",
    file_exists() => "file exists",
    not_a_directory() => "not a directory",
    is_a_directory() => "is a directory",
    directory_not_empty() => "directory not empty",
    no_space_left_on_device() => "no space left on device",
    disk_quota_exceeded() => "disk quota exceeded",
    read_only_file_system() => "read-only file system",
    too_many_open_files() => "too many open files",
    too_many_levels_of_symbolic_links() => "too many levels of symbolic links",
    file_name_too_long() => "file name too long",
    invalid_argument() => "invalid argument",
    input_output_error() => "input/output error",
    broken_pipe() => "broken pipe",
    connection_refused() => "connection refused",
    connection_reset_by_peer() => "connection reset by peer",
    connection_timed_out() => "connection timed out",
    network_is_unreachable() => "network is unreachable",
}

crate::messages! {
    /// What the operating system says, as earlier versions wrote it: where it was saved it is known again.
    #[allow(dead_code, reason = "they are read and not written")]
    saved mod before in "system";
    no_such_file_or_directory(code) => "No such file or directory (os error {code})",
    permission_denied(code) => "Permission denied (os error {code})",
    operation_not_permitted(code) => "Operation not permitted (os error {code})",
    file_exists(code) => "File exists (os error {code})",
    not_a_directory(code) => "Not a directory (os error {code})",
    is_a_directory(code) => "Is a directory (os error {code})",
    directory_not_empty(code) => "Directory not empty (os error {code})",
    no_space_left_on_device(code) => "No space left on device (os error {code})",
    disk_quota_exceeded(code) => "Disk quota exceeded (os error {code})",
    read_only_file_system(code) => "Read-only file system (os error {code})",
    too_many_open_files(code) => "Too many open files (os error {code})",
    too_many_levels_of_symbolic_links(code) => "Too many levels of symbolic links (os error {code})",
    file_name_too_long(code) => "File name too long (os error {code})",
    invalid_argument(code) => "Invalid argument (os error {code})",
    input_output_error(code) => "Input/output error (os error {code})",
    broken_pipe(code) => "Broken pipe (os error {code})",
    connection_refused(code) => "Connection refused (os error {code})",
    connection_reset_by_peer(code) => "Connection reset by peer (os error {code})",
    connection_timed_out(code) => "Connection timed out (os error {code})",
    network_is_unreachable(code) => "Network is unreachable (os error {code})",
}

impl AsMessage for io::Error {
    fn message(&self) -> Message {
        let own = self.get_ref().and_then(|own| own.downcast_ref::<Message>());
        if let Some(own) = own {
            return own.clone();
        }
        let text = self.to_string();
        if self.raw_os_error().is_none() {
            return Message::verbatim(text);
        }
        let Some((words, _)) = text.split_once(" (os error ") else { return Message::verbatim(text) };
        match words {
            "No such file or directory" => say::no_such_file_or_directory(),
            "Permission denied" => say::permission_denied(),
            "Operation not permitted" => say::operation_not_permitted(),
            "File exists" => say::file_exists(),
            "Not a directory" => say::not_a_directory(),
            "Is a directory" => say::is_a_directory(),
            "Directory not empty" => say::directory_not_empty(),
            "No space left on device" => say::no_space_left_on_device(),
            "Disk quota exceeded" => say::disk_quota_exceeded(),
            "Read-only file system" => say::read_only_file_system(),
            "Too many open files" => say::too_many_open_files(),
            "Too many levels of symbolic links" => say::too_many_levels_of_symbolic_links(),
            "File name too long" => say::file_name_too_long(),
            "Invalid argument" => say::invalid_argument(),
            "Input/output error" => say::input_output_error(),
            "Broken pipe" => say::broken_pipe(),
            "Connection refused" => say::connection_refused(),
            "Connection reset by peer" => say::connection_reset_by_peer(),
            "Connection timed out" => say::connection_timed_out(),
            "Network is unreachable" => say::network_is_unreachable(),
            _ => Message::verbatim(words),
        }
    }
}

impl From<&io::Error> for crate::Argument {
    fn from(error: &io::Error) -> Self {
        error.message().into()
    }
}

impl From<io::Error> for crate::Argument {
    fn from(error: io::Error) -> Self {
        error.message().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_the_system_has_its_own_message_and_no_number() {
        for code in 1..40 {
            let error = io::Error::from_raw_os_error(code);
            let (text, full) = (error.message().text().to_lowercase(), error.to_string().to_lowercase());
            assert_eq!(full, format!("{text} (os error {code})"));
        }
        let missing = io::Error::from_raw_os_error(2).message();
        assert_eq!(missing.id(), "os.no_such_file_or_directory");
        let saved = Message::of_saved("Permission denied (os error 13)");
        assert_eq!(saved.id(), "system.permission_denied");
        assert_eq!(io::Error::other(missing.clone()).message(), missing);
        assert_eq!(io::Error::other("own words").message().id(), crate::VERBATIM);
    }
}
