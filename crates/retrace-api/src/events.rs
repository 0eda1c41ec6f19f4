//! What clients are told without asking.

use crate::wire::Event;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

/// Hands events to whoever listens. A listener that went away is forgotten.
#[derive(Default)]
pub(crate) struct Events {
    listeners: Mutex<Vec<Sender<Event>>>,
}

impl Events {
    pub(crate) fn subscribe(&self) -> Receiver<Event> {
        let (sender, receiver) = channel();
        self.lock().push(sender);
        receiver
    }

    pub(crate) fn send(&self, event: &Event) {
        self.lock().retain(|listener| listener.send(event.clone()).is_ok());
    }

    pub(crate) fn has_listeners(&self) -> bool {
        !self.lock().is_empty()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Sender<Event>>> {
        self.listeners.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
