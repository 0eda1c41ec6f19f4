//! Values that are said as a message.

use crate::Message;

/// A value that people are told of by a [`Message`]. Derived for errors: `#[derive(AsMessage)]`.
pub trait AsMessage {
    /// The message.
    fn message(&self) -> Message;
}

impl AsMessage for Message {
    fn message(&self) -> Message {
        self.clone()
    }
}

impl<T: AsMessage + ?Sized> AsMessage for &T {
    fn message(&self) -> Message {
        (**self).message()
    }
}

impl<T: AsMessage + ?Sized> AsMessage for Box<T> {
    fn message(&self) -> Message {
        (**self).message()
    }
}
