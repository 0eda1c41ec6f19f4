//! Notices to clients that did not ask.

use crate::wire::Event;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Hands events to whoever listens. A listener that went away is forgotten.
#[derive(Default)]
pub struct Events {
    listening: Mutex<Listening>,
}

#[derive(Default)]
struct Listening {
    listeners: Vec<Sender<Event>>,
    /// True if the feed of other processes' changes runs.
    fed: bool,
    /// Cursor that was last reported.
    reported: u64,
}

impl Events {
    /// Events from now on. Calls `start_feed` when the feed does not run; no other listener comes before that is done.
    pub fn subscribe(&self, start_feed: impl FnOnce()) -> Receiver<Event> {
        let (sender, receiver) = channel();
        let mut listening = self.lock();
        listening.listeners.push(sender);
        if !listening.fed {
            listening.fed = true;
            start_feed();
        }
        receiver
    }

    /// Hands an event to every listener.
    pub fn send(&self, event: &Event) {
        let mut listening = self.lock();
        if let Event::Advanced { cursor } = event {
            listening.reported = listening.reported.max(*cursor);
        }
        listening.listeners.retain(|listener| listener.send(event.clone()).is_ok());
    }

    /// Cursor that was last reported.
    pub fn reported(&self) -> u64 {
        self.lock().reported
    }

    /// True if nobody listens any more and the feed is to end; it is started again for the next listener.
    pub(crate) fn ends_feed(&self) -> bool {
        let mut listening = self.lock();
        listening.fed = !listening.listeners.is_empty();
        !listening.fed
    }

    fn lock(&self) -> MutexGuard<'_, Listening> {
        self.listening.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
