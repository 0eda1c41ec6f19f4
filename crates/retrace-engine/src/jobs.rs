//! Work that runs under a name, so that it can be stopped.

use crate::engine::{Engine, lock};
use crate::wire::{ApiError, Event};
use retrace_outbound::Cancel;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Running jobs.
#[derive(Default)]
pub struct Jobs {
    running: Arc<Mutex<HashMap<String, Wish>>>,
}

/// A wish to stop: a flag to look at between two steps, and a token that ends waits.
#[derive(Clone, Default)]
struct Wish {
    stop: Arc<AtomicBool>,
    cancel: Cancel,
}

/// Work under way. It is forgotten when this is dropped.
pub struct Job {
    running: Arc<Mutex<HashMap<String, Wish>>>,
    name: Option<String>,
    wish: Wish,
}

impl Jobs {
    /// Begins work; without a name nobody can stop it.
    ///
    /// # Errors
    /// `invalid` when work of that name runs already.
    pub fn begin(&self, name: Option<&str>) -> Result<Job, ApiError> {
        let wish = Wish::default();
        if let Some(name) = name {
            let mut running = lock(&self.running);
            if running.contains_key(name) {
                return Err(ApiError::invalid(say::job_name_running(), name)
                    .hint(say::wait_cancel_or_choose_another()));
            }
            running.insert(name.to_owned(), wish.clone());
        }
        Ok(Job { running: Arc::clone(&self.running), name: name.map(str::to_owned), wish })
    }

    /// Asks work to stop; `false` when none of that name runs.
    pub fn cancel(&self, name: &str) -> bool {
        let found = lock(&self.running).get(name).cloned();
        if let Some(wish) = &found {
            wish.stop.store(true, Ordering::SeqCst);
            wish.cancel.cancel();
        }
        found.is_some()
    }
}

impl Job {
    /// Set once the work is to stop.
    pub fn stop(&self) -> &AtomicBool {
        &self.wish.stop
    }

    /// The same, to wait on.
    pub fn token(&self) -> &Cancel {
        &self.wish.cancel
    }

    /// True if it was asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.wish.stop.load(Ordering::SeqCst)
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            lock(&self.running).remove(name);
        }
    }
}

/// Most times that listeners are told of the progress of one import.
const STEPS_TOLD: usize = 100;

/// Tells listeners how far an import is, and asks whether it is to stop.
pub struct Steps<'a> {
    /// The engine.
    pub inner: &'a Engine,
    /// Name of the work.
    pub task: &'a str,
    /// Set once it is to stop.
    pub stop: &'a AtomicBool,
}

impl Steps<'_> {
    /// Says that `done` of `total` are done.
    ///
    /// # Errors
    /// `cancelled` when the import is to stop.
    pub fn tell(&self, done: usize, total: Option<usize>) -> Result<(), ApiError> {
        self.go_on()?;
        let every = total.map_or(STEPS_TOLD, |total| (total / STEPS_TOLD).max(1));
        if done.is_multiple_of(every) || total == Some(done) {
            self.inner.events.send(&Event::Progress {
                task: self.task.to_owned(),
                done: done as u64,
                total: total.map(|total| total as u64),
            });
        }
        Ok(())
    }

    /// Goes on, or stops.
    ///
    /// # Errors
    /// `cancelled` when the import is to stop.
    pub fn go_on(&self) -> Result<(), ApiError> {
        if self.stop.load(Ordering::SeqCst) {
            return Err(ApiError::invalid(say::import_stopped_nothing_brought(), self.task));
        }
        Ok(())
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "jobs";
    job_name_running() => "A job of this name is running.",
    wait_cancel_or_choose_another() => "Wait for it, cancel it, or choose another name.",
    import_stopped_nothing_brought() => "The import was stopped; nothing was brought in.",
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Code;

    #[test]
    fn a_job_is_stopped_by_its_name_while_it_runs() {
        let jobs = Jobs::default();
        assert!(!jobs.cancel("sweep"));
        let job = jobs.begin(Some("sweep")).unwrap();
        assert_eq!(jobs.begin(Some("sweep")).map(drop).unwrap_err().code, Code::Invalid);
        assert!(!job.is_stopped());
        assert!(jobs.cancel("sweep"));
        assert!(job.is_stopped());
        drop(job);
        assert!(!jobs.cancel("sweep"));
        assert!(!jobs.begin(Some("sweep")).unwrap().is_stopped(), "a new one of the name begins anew");
    }

    #[test]
    fn work_without_a_name_runs_concurrently() {
        let jobs = Jobs::default();
        let (one, other) = (jobs.begin(None).unwrap(), jobs.begin(None).unwrap());
        assert!(!one.is_stopped() && !other.is_stopped());
    }
}
