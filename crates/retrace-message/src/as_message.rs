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

/// Words without an id.
impl AsMessage for str {
    fn message(&self) -> Message {
        Message::verbatim(self)
    }
}

/// Words without an id.
impl AsMessage for String {
    fn message(&self) -> Message {
        Message::verbatim(self.as_str())
    }
}

/// An error that nobody knows more of: its own words, or the message that it is.
impl AsMessage for dyn std::error::Error + Send + Sync {
    fn message(&self) -> Message {
        self.downcast_ref::<Message>().cloned().unwrap_or_else(|| Message::verbatim(self.to_string()))
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
