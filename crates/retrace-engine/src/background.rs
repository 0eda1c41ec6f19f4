//! A thread for work that nobody waits for.
//!
//! It is started when there is first something to do, and waits between. Its work is a state behind one lock: those
//! who have something change it and wake the thread.

use crate::engine::lock;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Instant;

/// A state, and the thread that works on it.
pub(crate) struct Background<S> {
    shared: Arc<Shared<S>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// The side of the thread.
pub(crate) struct Shared<S> {
    state: Mutex<Stopping<S>>,
    woken: Condvar,
}

struct Stopping<S> {
    state: S,
    stop: bool,
}

/// Work that the state has for the thread.
pub(crate) enum Next<T> {
    /// This, now.
    Work(T),
    /// Something, at this time.
    At(Instant),
    /// Nothing.
    Nothing,
}

impl<S: Default> Default for Background<S> {
    fn default() -> Self {
        let state = Mutex::new(Stopping { state: S::default(), stop: false });
        Self { shared: Arc::new(Shared { state, woken: Condvar::new() }), thread: Mutex::default() }
    }
}

impl<S: Send + 'static> Background<S> {
    /// Reads or changes the state.
    pub(crate) fn with<T>(&self, change: impl FnOnce(&mut S) -> T) -> T {
        self.shared.with(change)
    }

    /// Wakes the thread, and starts it where it does not run. False where no thread can be had.
    pub(crate) fn wake(&self, name: &str, run: impl FnOnce(&Shared<S>) + Send + 'static) -> bool {
        let mut thread = lock(&self.thread);
        if thread.is_none() {
            let shared = Arc::clone(&self.shared);
            *thread = Builder::new().name(name.to_owned()).spawn(move || run(&shared)).ok();
        }
        self.shared.woken.notify_one();
        thread.is_some()
    }

    /// Ends the thread once what it is doing is done, and waits for that.
    pub(crate) fn stop(&self) {
        lock(&self.shared.state).stop = true;
        self.shared.woken.notify_one();
        let thread = lock(&self.thread).take();
        // The thread itself may be the last to have what owns this.
        if let Some(thread) = thread
            && thread.thread().id() != std::thread::current().id()
        {
            // Its own panic was reported by the panic hook.
            drop(thread.join());
        }
    }
}

impl<S> Shared<S> {
    /// Reads or changes the state.
    pub(crate) fn with<T>(&self, change: impl FnOnce(&mut S) -> T) -> T {
        change(&mut lock(&self.state).state)
    }

    /// Waits until there is something to do; `None` when the thread is to end.
    pub(crate) fn next<T>(&self, mut next: impl FnMut(&mut S) -> Next<T>) -> Option<T> {
        let mut state: MutexGuard<'_, Stopping<S>> = lock(&self.state);
        loop {
            if state.stop {
                return None;
            }
            state = match next(&mut state.state) {
                Next::Work(work) => return Some(work),
                Next::Nothing => self.woken.wait(state).unwrap_or_else(PoisonError::into_inner),
                Next::At(due) => {
                    let left = due.saturating_duration_since(Instant::now());
                    self.woken.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn the_thread_does_what_comes_and_ends_when_it_is_stopped() {
        let background: Background<Vec<u32>> = Background::default();
        let (done, doing) = channel();
        let run = move |shared: &Shared<Vec<u32>>| {
            while let Some(number) =
                shared.next(|waiting: &mut Vec<u32>| waiting.pop().map_or(Next::Nothing, Next::Work))
            {
                done.send(number).expect("the test listens");
            }
        };
        background.with(|waiting| waiting.push(1));
        assert!(background.wake("test", run));
        assert_eq!(doing.recv(), Ok(1));
        background.with(|waiting| waiting.push(2));
        background.wake("test", |_| unreachable!("it runs already"));
        assert_eq!(doing.recv(), Ok(2));
        background.stop();
        assert!(doing.recv().is_err(), "the thread has ended");
    }

    #[test]
    fn what_is_due_later_is_done_later() {
        let background: Background<Option<Instant>> = Background::default();
        let (done, doing) = channel();
        let due = Instant::now() + std::time::Duration::from_millis(5);
        background.with(|waiting| *waiting = Some(due));
        background.wake("test", move |shared: &Shared<Option<Instant>>| {
            let next = |waiting: &mut Option<Instant>| match *waiting {
                Some(due) if Instant::now() >= due => {
                    *waiting = None;
                    Next::Work(())
                }
                Some(due) => Next::At(due),
                None => Next::Nothing,
            };
            while shared.next(next).is_some() {
                done.send(Instant::now()).expect("the test listens");
            }
        });
        assert!(doing.recv().is_ok_and(|at| at >= due));
        background.stop();
    }
}
