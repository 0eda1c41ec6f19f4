//! Carrying out a plan: several calls at once, told about as they end, kept as far as they came.

use crate::cache::Cache;
use crate::client::Client;
use crate::error::CountError;
use crate::plan::{Plan, Way};
use crate::request::Counted;
use retrace_outbound::{BadConfig, Cancel};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Progress of a run. Reported after each call, and before each wait for a further try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Calls that have ended, well or not.
    pub done: usize,
    /// Calls of the plan.
    pub calls: usize,
    /// Of those that have ended, the ones without a count.
    pub failed: usize,
    /// Further tries so far.
    pub retries: usize,
    /// The wait that has just begun.
    pub waiting: Option<Duration>,
}

/// Result of a run.
#[derive(Debug)]
pub struct Run {
    /// One for each request of the plan, in its order.
    pub counts: Vec<Result<Counted, CountError>>,
    /// Further tries that were needed.
    pub retries: usize,
    /// Why the run ended before all calls were made.
    pub ended_by: Option<CountError>,
    /// Why answers could not be written to the cache's file. They are in `counts` all the same.
    pub not_kept: Option<String>,
}

/// Report of a thread.
enum Report {
    Waiting(Duration),
    Ended(usize, Result<Counted, CountError>),
}

impl Client {
    /// Makes the calls of a plan, [`Config::threads`](crate::Config::threads) at a time, and keeps each answer in the
    /// cache as it arrives. A failure that the other calls would share ([`CountError::ends_a_run`]) ends it; what was
    /// counted until then is kept. Ends at once when stopped.
    pub fn run(
        &self,
        plan: &Plan,
        cache: &mut Cache,
        cancel: &Cancel,
        progress: &mut dyn FnMut(Progress),
    ) -> Run {
        let calls: Vec<usize> = (0..plan.steps.len()).filter(|at| plan.steps[*at].way == Way::Call).collect();
        let mut run = Run {
            counts: vec![Err(CountError::NotSent); plan.steps.len()],
            retries: 0,
            ended_by: self.other_address(plan),
            not_kept: None,
        };
        if run.ended_by.is_none() {
            self.make_calls(plan, &calls, &mut run, cache, cancel, progress);
        }
        for (at, step) in plan.steps.iter().enumerate() {
            match step.way {
                Way::Call => {}
                Way::Known(counted) => run.counts[at] = Ok(counted),
                Way::With(earlier) => run.counts[at] = run.counts[earlier].clone(),
            }
        }
        run
    }

    fn other_address(&self, plan: &Plan) -> Option<CountError> {
        (plan.url != self.url()).then(|| {
            CountError::Config(BadConfig::OtherPlan {
                planned: plan.url.clone(),
                called: self.url().to_owned(),
            })
        })
    }

    fn make_calls(
        &self,
        plan: &Plan,
        calls: &[usize],
        run: &mut Run,
        cache: &mut Cache,
        cancel: &Cancel,
        progress: &mut dyn FnMut(Progress),
    ) {
        let mut reported = Progress { done: 0, calls: calls.len(), failed: 0, retries: 0, waiting: None };
        let (next, patience) = (AtomicUsize::new(0), cancel.child());
        thread::scope(|scope| {
            let (sender, reports) = mpsc::channel();
            for _ in 0..self.config().threads.clamp(1, calls.len().max(1)) {
                let (sender, next, patience) = (sender.clone(), &next, &patience);
                scope.spawn(move || self.work(plan, calls, next, cancel, patience, &sender));
            }
            drop(sender);
            for report in reports {
                match report {
                    Report::Waiting(wait) => {
                        reported.retries += 1;
                        reported.waiting = Some(wait);
                    }
                    Report::Ended(at, result) => {
                        reported.done += 1;
                        reported.waiting = None;
                        reported.failed += usize::from(result.is_err());
                        keep(run, cache, plan, at, result);
                    }
                }
                progress(reported);
            }
        });
        run.retries = reported.retries;
        if cancel.is_cancelled() && reported.done < calls.len() {
            run.ended_by.get_or_insert(CountError::Cancelled);
        }
    }

    /// Takes the next request until there is none, or the run has ended.
    fn work(
        &self,
        plan: &Plan,
        calls: &[usize],
        next: &AtomicUsize,
        cancel: &Cancel,
        patience: &Cancel,
        sender: &mpsc::Sender<Report>,
    ) {
        while !patience.is_cancelled() {
            let Some(&at) = calls.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
            // The receiver lives until every sender is gone.
            let waiting = |wait| drop(sender.send(Report::Waiting(wait)));
            let result = self.count_telling(&plan.steps[at].request, cancel, patience, &waiting);
            if result.as_ref().is_err_and(CountError::ends_a_run) {
                patience.cancel();
            }
            drop(sender.send(Report::Ended(at, result)));
        }
    }
}

fn keep(run: &mut Run, cache: &mut Cache, plan: &Plan, at: usize, result: Result<Counted, CountError>) {
    match &result {
        Ok(counted) => {
            if let Err(error) = cache.insert(plan.steps[at].digest, *counted) {
                run.not_kept.get_or_insert(error.to_string());
            }
        }
        Err(error) if error.ends_a_run() => {
            run.ended_by.get_or_insert(error.clone());
        }
        Err(_) => {}
    }
    run.counts[at] = result;
}
