//! Sweeping settings over prepared transcripts.

use super::{Figures, Run, Swept, sweep};
use crate::outcome::Totals;
use crate::regret::{Clearings, RegretIndex};
use crate::settings::Setting;
use crate::simulate::{ClearedKind, Options, Prepared, Scratch, simulate_each};

/// A transcript to try settings on.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The transcript, ready to be simulated.
    pub prepared: &'a Prepared,
    /// Later needs of its results.
    pub regrets: &'a RegretIndex,
}

/// Tries no setting and then every setting on every transcript. The points are those of [`sweep`]: the setting of number `n` is
/// `settings[n - 1]`.
#[must_use]
pub fn sweep_settings(
    subjects: &[Subject<'_>],
    settings: &[Setting],
    options: &Options<'_>,
    run: &Run<'_>,
) -> Swept {
    let none = Setting::default();
    sweep(settings.len() + 1, subjects.len(), run, Trial::default, |trial, setting, subject| {
        let setting = setting.checked_sub(1).map_or(&none, |index| &settings[index]);
        trial.figures(&subjects[subject], setting, options)
    })
}

/// Memory of one thread.
#[derive(Debug, Default)]
pub struct Trial {
    scratch: Scratch,
    clearings: Clearings,
}

impl Trial {
    /// Figures of a setting for one transcript.
    pub fn figures(&mut self, subject: &Subject<'_>, setting: &Setting, options: &Options<'_>) -> Figures {
        let Self { scratch, clearings } = self;
        clearings.forget();
        let totals = simulate_each(subject.prepared, setting, options, scratch, |step| {
            for cleared in step.newly_cleared {
                if matches!(cleared.kind, ClearedKind::Result(_)) {
                    clearings.add(cleared.at, step.index, cleared.tokens);
                }
            }
        });
        Figures { regrets: subject.regrets.count(clearings), ..Figures::from(&totals) }
    }
}

impl From<&Totals> for Figures {
    fn from(totals: &Totals) -> Self {
        Self {
            peak: totals.peak,
            cost_usd: totals.cost_usd,
            input: totals.input,
            regrets: totals.regrets,
            clears: totals.clears,
            compactions: totals.compactions,
            cache_breaks: totals.cache_breaks,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regret::RegretIndex;
    use crate::simulate::simulate;
    use crate::sweep::{BASELINE, Grid};
    use crate::weigh::story::{Story, calls, used, words};
    use serde_json::json;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn a_point_says_what_the_whole_simulation_says() {
        let mut story = Story::new("claude-opus-4-8");
        story.types("go");
        for turn in 0..30_u64 {
            let id = format!("t{turn}");
            let path = format!("/file{}", turn % 7);
            story.answers(
                Some(used(10_000 + turn * 1_000, 50)),
                vec![calls(&id, "Read", json!({"file_path": path}))],
            );
            story.results(&[(&id, &"word ".repeat(180))]);
        }
        story.answers(Some(used(40_000, 50)), vec![words("done")]);
        let prepared = Prepared::new(&story.transcript, &story.weights());
        let regrets = RegretIndex::new(&story.transcript);
        let subject = Subject { prepared: &prepared, regrets: &regrets };
        let grid = Grid::from_json(&json!({"edits": [{
            "type": "clear_tool_uses_20250919",
            "trigger": {"type": "input_tokens", "value": {"grid": [12_000, 25_000, 90_000]}},
            "keep": {"type": "tool_uses", "value": {"grid": [2, 9]}},
        }]}))
        .unwrap();
        let settings: Vec<Setting> =
            grid.settings.iter().map(|setting| Setting::from_json(setting).unwrap()).collect();
        let options = Options::default();
        let never = AtomicBool::new(false);
        let run = Run { threads: 2, cancel: &never, progress: &|_| {} };
        let swept = sweep_settings(&[subject, subject], &settings, &options, &run);
        let settings = [vec![Setting::default()], settings].concat();
        assert_eq!(swept.points.len(), settings.len());
        for point in &swept.points {
            let outcome = simulate(&prepared, &settings[point.setting], &options);
            let regretted = regrets.count(&Clearings::of(&outcome));
            assert_eq!(point.figures.peak, outcome.totals.peak);
            assert_eq!(point.figures.regrets, regretted * 2);
            assert_eq!(point.figures.clears, outcome.totals.clears * 2);
        }
        assert_eq!(swept.points[BASELINE].figures.regrets, 0);
        assert!(swept.points[1].figures.regrets > swept.points[6].figures.regrets);
        assert!(swept.points.iter().any(|point| point.pareto));
    }
}
