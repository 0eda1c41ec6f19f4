//! What clients are told without asking.

use crate::wire::Event;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Hands events to whoever listens. A listener that went away is forgotten.
#[derive(Default)]
pub(crate) struct Events {
    listening: Mutex<Listening>,
}

#[derive(Default)]
struct Listening {
    listeners: Vec<Sender<Event>>,
    /// Whether the feed of other processes' changes runs.
    fed: bool,
}

impl Events {
    /// Events from now on. Calls `start_feed` when the feed does not run; no other listener comes before that is done.
    pub(crate) fn subscribe(&self, start_feed: impl FnOnce()) -> Receiver<Event> {
        let (sender, receiver) = channel();
        let mut listening = self.lock();
        listening.listeners.push(sender);
        if !listening.fed {
            listening.fed = true;
            start_feed();
        }
        receiver
    }

    pub(crate) fn send(&self, event: &Event) {
        self.lock().listeners.retain(|listener| listener.send(event.clone()).is_ok());
    }

    /// Whether nobody listens any more and the feed is to end; it is started again for the next listener.
    pub(crate) fn ends_feed(&self) -> bool {
        let mut listening = self.lock();
        listening.fed = !listening.listeners.is_empty();
        !listening.fed
    }

    fn lock(&self) -> MutexGuard<'_, Listening> {
        self.listening.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
