//! Sync in the background, beside recording: off until it is switched on.
//!
//! One call at a time, on a thread of its own, so that recording never waits for it. After a failure the waits grow, and a part
//! of each is left to chance, so that the machines of an organisation do not all come back at once.

use crate::Together;
use crate::state::{self, LastSync};
use crate::sync::hub_sync;
use retrace_engine::recorder::Upkeep;
use retrace_wire::{ApiError, HubBackgroundReq, HubFault, HubStatus, HubSyncReq, HubSynced, Message};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Name of its work, by which `cancel` stops it.
const JOB: &str = "hub-background";

/// From a change until it is sent: changes mostly come together.
const SOON: Duration = Duration::from_secs(5);

/// Between two syncs where nothing changed here: what waits at the hub is fetched.
const PAUSE: Duration = Duration::from_secs(60);

/// The longest wait after failures.
const LONGEST: Duration = Duration::from_secs(15 * 60);

/// How often it is looked whether it was switched on.
const LOOK: Duration = Duration::from_secs(2);

/// Switches sync in the background on or off.
///
/// # Errors
/// `not_found` when no hub is joined, `cannot_write`.
pub fn hub_background(together: &Arc<Together>, request: HubBackgroundReq) -> Result<HubStatus, ApiError> {
    state::update_all(together, |member| member.background = request.on)?;
    together.stores_changed();
    crate::commands::status(together)
}

/// Syncs while the recorder runs.
pub struct SyncUpkeep {
    together: Arc<Together>,
    running: Option<JoinHandle<Result<HubSynced, ApiError>>>,
    due: Instant,
    look: Instant,
    failures: u32,
}

impl SyncUpkeep {
    /// For the recorder of this log.
    #[must_use]
    pub fn new(together: Arc<Together>) -> Self {
        let now = Instant::now();
        Self { together, running: None, due: now, look: now, failures: 0 }
    }

    fn collect(&mut self) {
        let Some(running) = self.running.take_if(|running| running.is_finished()) else { return };
        // Its own panic was reported by the panic hook; it counts as a failure.
        let ended = running.join().ok();
        let problem = match &ended {
            Some(Ok(synced)) => standing(synced),
            Some(Err(error)) => Some(error.message.clone()),
            None => Some(say::ended_early()),
        };
        let went_well = problem.is_none();
        self.failures = if went_well { 0 } else { self.failures.saturating_add(1) };
        let wait = wait_after(self.failures, self.together.random());
        self.due = Instant::now() + wait;
        let at = self.together.now().micros();
        let micros = i64::try_from(wait.as_micros()).unwrap_or(i64::MAX);
        let next_at = (!went_well).then(|| at.saturating_add(micros));
        let last = LastSync { at, went_well, problem, next_at };
        // Where that cannot be written, or the hub was left meanwhile, nothing depends on it.
        drop(state::update_all(&self.together, |member| member.last = Some(last)));
        self.together.stores_changed();
    }

    fn start_when_due(&mut self) {
        let now = Instant::now();
        if self.running.is_some() || now < self.look || now < self.due {
            return;
        }
        self.look = now + LOOK;
        let on = state::membership(&self.together)
            .is_ok_and(|member| member.is_some_and(|member| member.background));
        if !on {
            return;
        }
        let together = Arc::clone(&self.together);
        let sync =
            move || hub_sync(&together, HubSyncReq { job: Some(JOB.to_owned()), ..HubSyncReq::default() });
        self.running = std::thread::Builder::new().name("retrace-sync".to_owned()).spawn(sync).ok();
    }
}

/// What stands in the way; a clock that is wrong does not.
fn standing(synced: &HubSynced) -> Option<Message> {
    let stands = |code: HubFault| !matches!(code, HubFault::ClockSkew | HubFault::NotSearched);
    synced.problems.iter().find(|problem| stands(problem.code)).map(|problem| problem.message.clone())
}

/// The pause after so many failures in a row: doubled each time, between half of it and all of it by chance.
fn wait_after(failures: u32, random: u64) -> Duration {
    if failures == 0 {
        return PAUSE;
    }
    let longest = SOON.saturating_mul(1 << failures.min(20)).min(LONGEST);
    let half = longest / 2;
    let micros = u64::try_from(half.as_micros()).unwrap_or(u64::MAX).max(1);
    half + Duration::from_micros(random % micros)
}

impl Upkeep for SyncUpkeep {
    fn tick(&mut self) {
        self.collect();
        self.start_when_due();
    }

    fn committed(&mut self) {
        // After a failure the wait stays.
        if self.failures == 0 {
            self.due = self.due.min(Instant::now() + SOON);
        }
    }
}

impl Drop for SyncUpkeep {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            self.together.jobs.cancel(JOB);
            drop(running.join());
        }
    }
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "hub_background";
    ended_early() => "The sync ended early.",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_differ_by_chance() {
        assert_eq!(wait_after(0, 7), PAUSE);
        let mut before = Duration::ZERO;
        for failures in 1..40 {
            let (least, most) = (wait_after(failures, 0), wait_after(failures, u64::MAX));
            assert!(
                least >= before / 2 && most <= LONGEST && least <= most,
                "{failures}: {least:?} {most:?}"
            );
            before = least;
        }
        assert!(wait_after(39, 0) >= LONGEST / 2);
        assert_ne!(wait_after(5, 1), wait_after(5, 1_000_000));
    }
}
