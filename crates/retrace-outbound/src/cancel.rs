//! Stopping at any moment: a flag that can be waited on.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Stops what was started with it. Copies are the same token.
#[derive(Debug, Clone, Default)]
pub struct Cancel {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    cancelled: Mutex<bool>,
    changed: Condvar,
    children: Mutex<Vec<Weak<Inner>>>,
}

impl Cancel {
    /// A token that nobody has used yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops: waits end at once, no further call is begun, the answer of a call in the air is thrown away.
    pub fn cancel(&self) {
        *self.flag() = true;
        self.inner.changed.notify_all();
        let children = std::mem::take(&mut *self.children());
        for inner in children.iter().filter_map(Weak::upgrade) {
            Self { inner }.cancel();
        }
    }

    /// A token that stops with this one, but can also be stopped alone.
    pub fn child(&self) -> Self {
        let child = Self::new();
        let mut children = self.children();
        children.retain(|other| other.strong_count() > 0);
        children.push(Arc::downgrade(&child.inner));
        drop(children);
        // After it was entered: a stop before that would have passed it by.
        if self.is_cancelled() {
            child.cancel();
        }
        child
    }

    /// True if it was stopped.
    pub fn is_cancelled(&self) -> bool {
        *self.flag()
    }

    /// Waits for a time. True when it was stopped before or meanwhile.
    pub fn wait(&self, time: Duration) -> bool {
        let Some(end) = Instant::now().checked_add(time) else {
            return self.wait_until(|| None::<()>).is_none();
        };
        let mut flag = self.flag();
        while !*flag {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            flag = self.inner.changed.wait_timeout(flag, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        *flag
    }

    /// Waits until `ready` gives something, asking again after each [`Self::wake`]. None when it was stopped first.
    /// `ready` runs under the token's lock, and must not use the token.
    pub(crate) fn wait_until<T>(&self, mut ready: impl FnMut() -> Option<T>) -> Option<T> {
        let mut flag = self.flag();
        loop {
            if *flag {
                return None;
            }
            if let Some(value) = ready() {
                return Some(value);
            }
            flag = self.inner.changed.wait(flag).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Makes every [`Self::wait_until`] look again.
    pub(crate) fn wake(&self) {
        // Under the lock, or a waiter between its look and its wait would miss it.
        let _flag = self.flag();
        self.inner.changed.notify_all();
    }

    fn children(&self) -> MutexGuard<'_, Vec<Weak<Inner>>> {
        self.inner.children.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A panic elsewhere leaves a plain bool as it was: the lock's poison says nothing here.
    fn flag(&self) -> MutexGuard<'_, bool> {
        self.inner.cancelled.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_ends_when_another_thread_stops_it() {
        let cancel = Cancel::new();
        let other = cancel.clone();
        let thread = std::thread::spawn(move || other.wait(Duration::from_secs(3600)));
        cancel.cancel();
        assert!(thread.join().unwrap());
        assert!(cancel.is_cancelled());
        assert!(cancel.wait(Duration::MAX));
    }

    #[test]
    fn a_wait_that_nobody_stops_runs_out() {
        assert!(!Cancel::new().wait(Duration::from_millis(1)));
    }

    #[test]
    fn a_child_stops_with_its_parent_and_alone() {
        let parent = Cancel::new();
        let (one, two) = (parent.child(), parent.child());
        one.cancel();
        assert!(one.is_cancelled() && !two.is_cancelled() && !parent.is_cancelled());
        parent.cancel();
        assert!(two.is_cancelled() && parent.child().is_cancelled());
    }

    #[test]
    fn what_becomes_ready_is_handed_over() {
        let cancel = Cancel::new();
        let slot = Arc::new(Mutex::new(None));
        let (other, given) = (cancel.clone(), slot.clone());
        let thread = std::thread::spawn(move || {
            *given.lock().unwrap() = Some(7);
            other.wake();
        });
        assert_eq!(cancel.wait_until(|| slot.lock().unwrap().take()), Some(7));
        thread.join().unwrap();
        cancel.cancel();
        assert_eq!(cancel.wait_until(|| Some(1)), None);
    }
}
