//! For the macros of this crate.

use crate::{Argument, AsMessage, Declaration, Message};
pub use linkme;
use std::fmt::Display;

/// Every declaration.
#[linkme::distributed_slice]
#[linkme(crate = linkme)]
pub static DECLARATIONS: [Declaration];

/// A value that becomes an argument by what it can: its message, its number, its text. The macro borrows it three times, so
/// that the first trait that fits is taken.
#[derive(Debug)]
pub struct Of<'a, T: ?Sized>(pub &'a T);

/// Of a value with a message.
pub trait ByMessage {
    /// The message itself.
    fn message(&self) -> Message;
    /// The argument.
    fn argument(&self) -> Argument;
}

impl<T: AsMessage + ?Sized> ByMessage for &&Of<'_, T> {
    fn message(&self) -> Message {
        self.0.message()
    }

    fn argument(&self) -> Argument {
        self.0.message().into()
    }
}

/// Of a number.
pub trait ByNumber {
    /// The argument.
    fn argument(&self) -> Argument;
}

impl<T: Copy + TryInto<i64> + Display> ByNumber for &Of<'_, T> {
    fn argument(&self) -> Argument {
        (*self.0).try_into().map_or_else(|_| Argument::Text(self.0.to_string()), Argument::Number)
    }
}

/// Of a value with a text.
pub trait ByText {
    /// A message without an id.
    fn message(&self) -> Message;
    /// The argument.
    fn argument(&self) -> Argument;
}

impl<T: Display + ?Sized> ByText for Of<'_, T> {
    fn message(&self) -> Message {
        Message::verbatim(self.0.to_string())
    }

    fn argument(&self) -> Argument {
        Argument::Text(self.0.to_string())
    }
}

/// Of a path.
pub trait ByPath {
    /// The argument.
    fn argument(&self) -> Argument;
}

impl ByPath for Of<'_, std::path::PathBuf> {
    fn argument(&self) -> Argument {
        Argument::Text(self.0.display().to_string())
    }
}
