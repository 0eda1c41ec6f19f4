//! Sweep: many settings over many transcripts, and those among them that nothing beats.
//!
//! A [`Grid`] is a setting in which any value may stand for several. The settings it spells are tried in parallel, a
//! point being done when it was tried on every transcript; what is best is said by the [`pareto`] set over peak, price
//! and regrets. Threads are those of [`std::thread::scope`]; nothing outlives the call.

mod front;
mod grid;
mod settings;

pub use front::pareto;
pub use grid::{GRID_LIMIT, Grid, GridError};
pub use settings::{Subject, Trial, sweep_settings};

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Figures of one setting on one transcript, or on several together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    /// Largest context.
    pub peak: u64,
    /// Price in US dollars; `None` where a model has none.
    pub cost_usd: Option<f64>,
    /// Input over all requests.
    pub input: u64,
    /// Results cleared and later needed.
    pub regrets: u64,
    /// Requests at which something was newly cleared.
    pub clears: u64,
    /// Compactions.
    pub compactions: u64,
    /// Requests at which a cached prefix was broken.
    pub cache_breaks: u64,
}

impl Figures {
    /// True if another is the same in peak, price and regrets.
    fn is_as(&self, other: &Self) -> bool {
        let cost = |figures: &Self| figures.cost_usd.map(f64::to_bits);
        (self.peak, cost(self), self.regrets) == (other.peak, cost(other), other.regrets)
    }

    /// Those of two transcripts together: the larger peak, the sums of the rest.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            peak: self.peak.max(other.peak),
            cost_usd: self.cost_usd.zip(other.cost_usd).map(|(one, two)| one + two),
            input: self.input.saturating_add(other.input),
            regrets: self.regrets.saturating_add(other.regrets),
            clears: self.clears.saturating_add(other.clears),
            compactions: self.compactions.saturating_add(other.compactions),
            cache_breaks: self.cache_breaks.saturating_add(other.cache_breaks),
        }
    }
}

/// A setting that was tried on every transcript.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Its index among the settings.
    pub setting: usize,
    /// Its figures over all transcripts.
    pub figures: Figures,
    /// True if no other setting is as good in peak, price and regrets and better in one. Among the others is [`BASELINE`]: a
    /// setting that is as it in all three is not in it either.
    pub pareto: bool,
}

/// The setting that others are compared with: the first, which does nothing.
pub const BASELINE: usize = 0;

/// Result of a sweep.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Swept {
    /// The settings that were tried, in their order.
    pub points: Vec<Point>,
    /// True if it was stopped before its end.
    pub cancelled: bool,
}

/// Options of a sweep.
pub struct Run<'a> {
    /// Threads; at least one is used.
    pub threads: usize,
    /// Set by anyone to stop it: settings that are not done by then are left out.
    pub cancel: &'a AtomicBool,
    /// Is told after each setting how many are done, from any thread, one call at a time.
    pub progress: &'a (dyn Fn(usize) + Sync),
}

/// Tries `settings` settings on `transcripts` transcripts, of which the first is [`BASELINE`]. `worker` makes the
/// scratch of one thread, and `trial` answers the figures of one setting on one transcript, both by index.
///
/// One setting at a time is handed to a thread, over all transcripts: so that all of a stopped sweep's points are whole.
pub fn sweep<S>(
    settings: usize,
    transcripts: usize,
    run: &Run<'_>,
    worker: impl Fn() -> S + Sync,
    trial: impl Fn(&mut S, usize, usize) -> Figures + Sync,
) -> Swept {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(0_usize);
    let work = || {
        let mut scratch = worker();
        let mut points = Vec::new();
        loop {
            let setting = next.fetch_add(1, Ordering::Relaxed);
            if setting >= settings || run.cancel.load(Ordering::Relaxed) {
                break;
            }
            let Some(figures) =
                on_all(transcripts, run.cancel, |transcript| trial(&mut scratch, setting, transcript))
            else {
                break;
            };
            points.push(Point { setting, figures, pareto: false });
            // A poisoned count is still a count: a panic of `progress` ends the sweep anyway.
            let mut done = done.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            *done += 1;
            (run.progress)(*done);
        }
        points
    };
    let mut points = std::thread::scope(|scope| {
        let others: Vec<_> = (1..run.threads.min(settings)).map(|_| scope.spawn(work)).collect();
        let mut points = work();
        for other in others {
            match other.join() {
                Ok(some) => points.extend(some),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        points
    });
    points.sort_unstable_by_key(|point| point.setting);
    let figures: Vec<Figures> = points.iter().map(|point| point.figures).collect();
    let baseline = points.first().filter(|point| point.setting == BASELINE).map(|point| point.figures);
    for (point, best) in points.iter_mut().zip(pareto(&figures)) {
        let is_as_none = point.setting != BASELINE && baseline.is_some_and(|none| none.is_as(&point.figures));
        point.pareto = best && !is_as_none;
    }
    let cancelled = points.len() < settings;
    Swept { points, cancelled }
}

/// The figures over all transcripts; `None` when stopped between two.
fn on_all(
    transcripts: usize,
    cancel: &AtomicBool,
    mut trial: impl FnMut(usize) -> Figures,
) -> Option<Figures> {
    let mut sum: Option<Figures> = None;
    for transcript in 0..transcripts {
        if cancel.load(Ordering::Relaxed) {
            return None;
        }
        let figures = trial(transcript);
        sum = Some(sum.map_or(figures, |sum| sum.and(figures)));
    }
    Some(sum.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run<'a>(threads: usize, cancel: &'a AtomicBool, progress: &'a (dyn Fn(usize) + Sync)) -> Run<'a> {
        Run { threads, cancel, progress }
    }

    /// A larger peak for a lower price.
    fn figures(setting: usize, transcript: usize) -> Figures {
        Figures {
            peak: (setting * 10 + transcript) as u64,
            cost_usd: Some(100.0 - (setting / 2) as f64),
            input: 1,
            ..Figures::default()
        }
    }

    #[test]
    fn every_setting_is_tried_on_every_transcript_on_any_number_of_threads() {
        let never = AtomicBool::new(false);
        let calls = AtomicUsize::new(0);
        let heard = Mutex::new(Vec::new());
        let progress = |done| heard.lock().unwrap().push(done);
        let one = sweep(
            50,
            3,
            &run(1, &never, &|_| {}),
            || (),
            |(), setting, transcript| figures(setting, transcript),
        );
        let four = sweep(
            50,
            3,
            &run(4, &never, &progress),
            || (),
            |(), setting, transcript| {
                calls.fetch_add(1, Ordering::Relaxed);
                figures(setting, transcript)
            },
        );
        assert_eq!(one, four);
        assert_eq!(calls.into_inner(), 150);
        assert_eq!(heard.into_inner().unwrap(), (1..=50).collect::<Vec<_>>());
        assert_eq!(
            one.points[7].figures,
            Figures { peak: 72, cost_usd: Some(291.0), input: 3, ..Figures::default() }
        );
        let best: Vec<usize> =
            one.points.iter().filter(|point| point.pareto).map(|point| point.setting).collect();
        assert_eq!(best, (0..50).step_by(2).collect::<Vec<_>>());
    }

    #[test]
    fn what_no_setting_beats_gets_no_star_and_neither_does_what_is_as_none() {
        let never = AtomicBool::new(false);
        let points =
            [(100, 27.76, 0), (80, 31.0, 0), (80, 66.0, 7), (100, 27.76, 0), (100, 28.0, 0), (90, 20.0, 1)];
        let best = |points: &[(u64, f64, u64)]| {
            let swept = sweep(
                points.len(),
                1,
                &run(2, &never, &|_| {}),
                || (),
                |(), setting, _| {
                    let (peak, cost, regrets) = points[setting];
                    Figures { peak, cost_usd: Some(cost), regrets, ..Figures::default() }
                },
            );
            swept
                .points
                .into_iter()
                .filter(|point| point.pareto)
                .map(|point| point.setting)
                .collect::<Vec<_>>()
        };
        assert_eq!(best(&points), [0, 1, 5]);
        // Nothing clears, everything costs more.
        assert_eq!(best(&[(50, 1.0, 0), (50, 2.0, 0), (50, 1.0, 0)]), [BASELINE]);
    }

    #[test]
    fn a_stopped_sweep_holds_whole_points_only() {
        let cancel = AtomicBool::new(false);
        let swept = sweep(
            1_000,
            2,
            &run(1, &cancel, &|done| cancel.store(done == 5, Ordering::Relaxed)),
            || (),
            |(), s, t| figures(s, t),
        );
        assert!(swept.cancelled);
        assert_eq!(swept.points.len(), 5);
        assert!(swept.points.iter().all(|point| point.figures.input == 2));
    }

    #[test]
    fn nothing_to_try_is_no_trouble() {
        let never = AtomicBool::new(false);
        let swept = sweep(0, 0, &run(0, &never, &|_| {}), || (), |(), s, t| figures(s, t));
        assert_eq!(swept, Swept::default());
        let swept = sweep(1, 0, &run(0, &never, &|_| {}), || (), |(), s, t| figures(s, t));
        assert_eq!(swept.points.len(), 1);
    }
}
