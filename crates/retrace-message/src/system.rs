//! Errors of the operating system, as the standard library passes them on.

use crate::{AsMessage, Message};
use std::io;

crate::messages! {
    /// What the operating system says.
    saved mod say in "system";
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
        let Some(code) = self.raw_os_error() else { return Message::verbatim(text) };
        let Some((words, _)) = text.split_once(" (os error ") else { return Message::verbatim(text) };
        match words {
            "No such file or directory" => say::no_such_file_or_directory(code),
            "Permission denied" => say::permission_denied(code),
            "Operation not permitted" => say::operation_not_permitted(code),
            "File exists" => say::file_exists(code),
            "Not a directory" => say::not_a_directory(code),
            "Is a directory" => say::is_a_directory(code),
            "Directory not empty" => say::directory_not_empty(code),
            "No space left on device" => say::no_space_left_on_device(code),
            "Disk quota exceeded" => say::disk_quota_exceeded(code),
            "Read-only file system" => say::read_only_file_system(code),
            "Too many open files" => say::too_many_open_files(code),
            "Too many levels of symbolic links" => say::too_many_levels_of_symbolic_links(code),
            "File name too long" => say::file_name_too_long(code),
            "Invalid argument" => say::invalid_argument(code),
            "Input/output error" => say::input_output_error(code),
            "Broken pipe" => say::broken_pipe(code),
            "Connection refused" => say::connection_refused(code),
            "Connection reset by peer" => say::connection_reset_by_peer(code),
            "Connection timed out" => say::connection_timed_out(code),
            "Network is unreachable" => say::network_is_unreachable(code),
            _ => Message::verbatim(text),
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
    fn an_error_of_the_system_has_its_own_message_and_the_same_text() {
        for code in 1..40 {
            let error = io::Error::from_raw_os_error(code);
            assert_eq!(error.message().text(), error.to_string());
        }
        let missing = io::Error::from_raw_os_error(2).message();
        assert_eq!(missing.id(), "system.no_such_file_or_directory");
        assert_eq!(io::Error::other(missing.clone()).message(), missing);
        assert_eq!(io::Error::other("own words").message().id(), crate::VERBATIM);
    }
}
