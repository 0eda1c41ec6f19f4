//! Places for connections: how many there are at once, and who leaves when all are taken.
//!
//! A connection that has shown no valid token yet gives its place to a new one, the oldest first. So nobody without a token can
//! keep out a client that has one by holding connections open.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// All places of a server.
#[derive(Debug)]
pub(crate) struct Places {
    most: usize,
    taken: Mutex<VecDeque<Arc<Mark>>>,
    freed: Notify,
}

/// Facts about one connection.
#[derive(Debug, Default)]
pub(crate) struct Mark {
    authenticated: AtomicBool,
    evicted: Notify,
}

impl Mark {
    /// A request of this connection showed a valid token.
    pub(crate) fn authenticate(&self) {
        self.authenticated.store(true, Ordering::Relaxed);
    }

    /// Ends when the place is given to another connection.
    pub(crate) async fn evicted(&self) {
        self.evicted.notified().await;
    }
}

/// A taken place; it is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    places: Arc<Places>,
    mark: Arc<Mark>,
}

impl Place {
    /// Facts about the connection.
    pub(crate) fn mark(&self) -> Arc<Mark> {
        Arc::clone(&self.mark)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.lock().retain(|mark| !Arc::ptr_eq(mark, &self.mark));
        self.places.freed.notify_one();
    }
}

impl Places {
    /// So many places.
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, taken: Mutex::new(VecDeque::with_capacity(most)), freed: Notify::new() })
    }

    /// A place for a new connection. When all are taken, the oldest connection without a valid token leaves; when all have
    /// shown one, this waits.
    pub(crate) async fn take(self: &Arc<Self>) -> Place {
        loop {
            if let Some(place) = self.try_take() {
                return place;
            }
            self.freed.notified().await;
        }
    }

    fn try_take(self: &Arc<Self>) -> Option<Place> {
        let mut taken = self.lock();
        if taken.len() >= self.most {
            let oldest = taken.iter().position(|mark| !mark.authenticated.load(Ordering::Relaxed))?;
            // Its permit is kept for a connection that does not wait yet.
            taken.remove(oldest)?.evicted.notify_one();
        }
        let mark = Arc::new(Mark::default());
        taken.push_back(Arc::clone(&mark));
        Some(Place { places: Arc::clone(self), mark })
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Arc<Mark>>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;
    use std::pin::pin;
    use std::task::Poll;

    /// Result of a future if it is done at once.
    async fn at_once<T>(future: impl Future<Output = T>) -> Option<T> {
        let mut future = pin!(future);
        poll_fn(|context| match future.as_mut().poll(context) {
            Poll::Ready(value) => Poll::Ready(Some(value)),
            Poll::Pending => Poll::Ready(None),
        })
        .await
    }

    #[tokio::test]
    async fn the_oldest_without_a_token_leaves() {
        let places = Places::new(3);
        let known = places.take().await;
        known.mark().authenticate();
        let first = places.take().await;
        let second = places.take().await;
        let third = at_once(places.take()).await.expect("a place is made");
        assert!(at_once(known.mark().evicted()).await.is_none());
        assert!(at_once(first.mark().evicted()).await.is_some());
        assert!(at_once(second.mark().evicted()).await.is_none());
        assert!(at_once(third.mark().evicted()).await.is_none());
        drop(first);
        assert_eq!(places.lock().len(), 3, "an evicted place is not given back twice");
    }

    #[tokio::test]
    async fn nobody_with_a_token_leaves() {
        let places = Places::new(1);
        let known = places.take().await;
        known.mark().authenticate();
        let mut next = pin!(places.take());
        assert!(at_once(next.as_mut()).await.is_none(), "it waits");
        drop(known);
        assert!(at_once(next).await.is_some());
    }
}
