//! The thread that drives a recorder.

use crate::keeper::{Keeper, Store};
use crate::recorder::{Options, Recorder, Wake};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// Most events waiting while a scan is under way. Above that they are counted as lost, which means one full scan
/// instead of one at each.
const MAX_WAITING: usize = 20_000;

/// A running recorder. Dropping it stops it.
#[derive(Debug)]
pub struct Handle {
    inbox: Sender<Wake>,
    thread: Option<JoinHandle<()>>,
}

impl Handle {
    /// Wakes the recorder. `false` when it has ended.
    pub fn send(&self, wake: Wake) -> bool {
        self.inbox.send(wake).is_ok()
    }

    /// Ends the recorder once the scan under way is done, and waits for that.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        // When it has already ended there is nobody to tell.
        let _ = self.inbox.send(Wake::Stop);
        if let Some(thread) = self.thread.take() {
            // A panic outside any store's scan is reported by the panic hook; there is nothing to add.
            let _ = thread.join();
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.end();
    }
}

/// Starts recording `stores` on a thread of its own.
///
/// # Errors
/// When the system gives no thread.
pub fn start(keeper: impl Keeper + 'static, stores: Vec<Store>, options: Options) -> io::Result<Handle> {
    let (inbox, wakes) = channel();
    let events = inbox.clone();
    let thread = Builder::new().name("retrace-recorder".to_owned()).spawn(move || {
        let started = Instant::now();
        let wants_events = options.events;
        let mut recorder = Recorder::new(keeper, options, move || started.elapsed());
        let waiting = Arc::new(AtomicUsize::new(0));
        if wants_events {
            let counted = Arc::clone(&waiting);
            recorder.listen(move |wake| forward(&events, &counted, wake));
        }
        recorder.take(Wake::SetStores(stores));
        run(&mut recorder, &wakes, &waiting, started);
    })?;
    Ok(Handle { inbox, thread: Some(thread) })
}

/// Passes an event on, or, when too many wait already, that some were lost.
fn forward(events: &Sender<Wake>, waiting: &AtomicUsize, wake: Wake) {
    let wake = match waiting.fetch_add(1, Ordering::Relaxed) {
        count if count < MAX_WAITING => wake,
        MAX_WAITING => Wake::Overflow,
        _ => {
            waiting.fetch_sub(1, Ordering::Relaxed);
            return;
        }
    };
    // When the recorder has ended nobody wants to know.
    let _ = events.send(wake);
}

fn run<K: Keeper>(
    recorder: &mut Recorder<K>,
    wakes: &Receiver<Wake>,
    waiting: &AtomicUsize,
    started: Instant,
) {
    /// Sleep when nothing is due: there are no stores.
    const LONG: Duration = Duration::from_secs(3600);
    loop {
        recorder.work();
        let pause = recorder.next().map_or(LONG, |due| due.saturating_sub(started.elapsed()));
        let mut next = match wakes.recv_timeout(pause) {
            Ok(wake) => Some(wake),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        while let Some(wake) = next {
            if matches!(wake, Wake::Stop) {
                return;
            }
            if matches!(wake, Wake::Changed(_) | Wake::Overflow) {
                // Saturating, because an overflow may also be sent by hand.
                let _ =
                    waiting.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| count.checked_sub(1));
            }
            recorder.take(wake);
            next = wakes.try_recv().ok();
        }
    }
}

#[cfg(test)]
mod tests;
