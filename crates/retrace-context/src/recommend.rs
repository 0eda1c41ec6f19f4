//! Recommendation: of the settings of a sweep over one run, the one that costs least.
//!
//! A result that was cleared and later needed has to be read again, which takes a request more. So a setting is ranked by its
//! price and, for each result read again beyond those of what ran, the price of a mean request of the run. Where prices are not
//! known, input takes their place. What does not save at least [`LEAST_SAVING`] is not recommended.

use crate::sweep::{BASELINE, Figures, Point};
use crate::{Setting, settings};
use serde_json::{Value, json};

/// Least saving that is worth a setting: a hundredth.
pub const LEAST_SAVING: f64 = 0.01;

/// Largest context below which nothing is recommended: there is too little to clear.
pub const LEAST_PEAK: u64 = 12_000;

/// Triggers as shares of the largest context, in percent.
const SHARES: [u64; 4] = [25, 40, 60, 80];

/// Tool uses that are kept.
const KEEPS: [u64; 3] = [3, 5, 10];

/// The tool whose results hold what an agent looked up in its memory.
const MEMORY_TOOL: &str = "memory";

/// Measure by which settings are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Price in US dollars.
    Price,
    /// Input tokens, where a model has no price.
    Input,
}

/// Result of a ranking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// Measure of the ranking.
    pub measure: Measure,
    /// What a result read again counts, in that measure.
    pub again: f64,
    /// The setting that costs least, by its place among the points; `None` where none saves enough.
    pub best: Option<usize>,
    /// The next best one that saves enough and differs in its figures.
    pub next: Option<usize>,
}

/// Ranks the points of a sweep, of which the first is what ran, over a run of so many requests. Points of which `is_tried` is
/// false are rows for comparison alone.
#[must_use]
pub fn choose(points: &[Point], requests: usize, is_tried: impl Fn(&Point) -> bool) -> Choice {
    let ran = points.iter().find(|point| point.setting == BASELINE).map(|point| point.figures);
    let ran = ran.unwrap_or_default();
    let measure = if points.iter().all(|point| point.figures.cost_usd.is_some()) && !points.is_empty() {
        Measure::Price
    } else {
        Measure::Input
    };
    let of = |figures: &Figures| match measure {
        Measure::Price => figures.cost_usd.unwrap_or_default(),
        Measure::Input => figures.input as f64,
    };
    let again = of(&ran) / requests.max(1) as f64;
    let ranked = |figures: &Figures| {
        // What ran has paid for its own already.
        of(figures) + figures.regrets.saturating_sub(ran.regrets) as f64 * again
    };
    let enough = of(&ran) * (1.0 - LEAST_SAVING);
    let mut order: Vec<usize> = (0..points.len())
        .filter(|&at| is_tried(&points[at]) && ranked(&points[at].figures) <= enough && enough > 0.0)
        .collect();
    order.sort_by(|&one, &other| {
        let (one, other) = (&points[one].figures, &points[other].figures);
        ranked(one)
            .total_cmp(&ranked(other))
            .then(one.regrets.cmp(&other.regrets))
            .then(one.peak.cmp(&other.peak))
    });
    let best = order.first().copied();
    let differs =
        |at: &usize| best.is_some_and(|best| ranked(&points[best].figures) < ranked(&points[*at].figures));
    Choice { measure, again, best, next: order.iter().copied().find(differs) }
}

/// The settings that are worth trying on a run: triggers below its largest context, and edits of thinking that were in force.
#[must_use]
pub fn settings_to_try(peak: u64, tools: &[String], in_force: Option<&Setting>) -> Vec<Value> {
    if peak < LEAST_PEAK || tools.is_empty() {
        return Vec::new();
    }
    let mut triggers: Vec<u64> = SHARES.iter().map(|share| round(peak / 100 * share)).collect();
    triggers.dedup();
    let exclude: Vec<&str> = tools.iter().map(String::as_str).filter(|&tool| tool == MEMORY_TOOL).collect();
    let thinking = in_force.and_then(|setting| {
        let edits = setting.edits.iter().filter(|edit| matches!(edit, settings::Edit::ClearThinking(_)));
        let kept = Setting { edits: edits.cloned().collect(), ..Setting::default() };
        kept.to_json(None)["edits"].as_array().cloned()
    });
    let mut settings = Vec::new();
    for &trigger in &triggers {
        for keep in KEEPS {
            for least in [0, round(trigger / 4)] {
                let mut edit = json!({"type": settings::CLEAR_TOOL_USES,
                    "trigger": {"type": "input_tokens", "value": trigger}, "keep": {"type": "tool_uses", "value": keep}});
                if least > 0 {
                    edit["clear_at_least"] = json!({"type": "input_tokens", "value": least});
                }
                if !exclude.is_empty() {
                    edit["exclude_tools"] = json!(exclude);
                }
                let mut edits = thinking.clone().unwrap_or_default();
                edits.push(edit);
                settings.push(json!({ "edits": edits }));
            }
        }
    }
    settings
}

/// The round number nearest to a number of tokens. The steps are nearer to each other than [`SHARES`] are.
fn round(tokens: u64) -> u64 {
    let power = 10_u64.pow(tokens.checked_ilog10().unwrap_or_default());
    let steps =
        [10_u64, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100].map(|tenths| power.saturating_mul(tenths) / 10);
    steps.into_iter().min_by_key(|step| step.abs_diff(tokens)).unwrap_or(tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(setting: usize, cost_usd: Option<f64>, input: u64, regrets: u64) -> Point {
        let figures = Figures { cost_usd, input, regrets, peak: 100, ..Figures::default() };
        Point { setting, figures, pareto: false }
    }

    #[test]
    fn what_is_read_again_is_paid_for() {
        // A request of the run costs 1 dollar.
        let points = [
            point(0, Some(100.0), 1_000, 0),
            point(1, Some(60.0), 600, 45),
            point(2, Some(66.0), 660, 10),
            point(3, Some(80.0), 800, 0),
        ];
        let choice = choose(&points, 100, |point| point.setting > 0);
        assert_eq!((choice.measure, choice.again), (Measure::Price, 1.0));
        assert_eq!((choice.best, choice.next), (Some(2), Some(3)));
        assert_eq!(choose(&points, 100, |point| point.setting == 1).best, None);
    }

    #[test]
    fn without_a_price_input_ranks_and_a_saving_of_less_than_a_hundredth_is_none() {
        let points = [point(0, None, 1_000, 0), point(1, None, 995, 0)];
        let choice = choose(&points, 10, |point| point.setting > 0);
        assert_eq!((choice.measure, choice.best), (Measure::Input, None));
        let points = [point(0, None, 1_000, 0), point(1, None, 900, 0)];
        assert_eq!(choose(&points, 10, |point| point.setting > 0).best, Some(1));
        assert_eq!(choose(&[], 0, |_| true).best, None);
    }

    #[test]
    fn what_ran_has_paid_for_its_own() {
        let points = [point(0, Some(100.0), 1_000, 8), point(1, Some(98.0), 600, 8)];
        assert_eq!(choose(&points, 100, |point| point.setting > 0).best, Some(1));
    }

    #[test]
    fn settings_stand_below_the_largest_context_and_are_all_different() {
        let tools = vec!["Read".to_owned(), "memory".to_owned()];
        for peak in [12_000, 25_000, 155_440, 980_000] {
            let settings = settings_to_try(peak, &tools, None);
            assert_eq!(settings.len(), 24, "{peak}");
            let mut names: Vec<String> = Vec::new();
            for setting in &settings {
                let read = Setting::from_json(setting).expect("a setting that the API takes");
                let [settings::Edit::ClearToolUses(edit)] = &read.edits[..] else { panic!("one edit") };
                let settings::Trigger::InputTokens(trigger) = edit.trigger else { panic!("tokens") };
                assert!(trigger < peak, "{trigger} of {peak}");
                assert_eq!(edit.exclude_tools, ["memory"]);
                names.push(read.in_words().text().to_owned());
            }
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), 24, "{names:?}");
        }
        assert!(settings_to_try(11_999, &tools, None).is_empty());
        assert!(settings_to_try(155_440, &[], None).is_empty());
    }

    #[test]
    fn edits_of_thinking_that_were_in_force_stay() {
        let in_force = json!({"edits": [{"type": "clear_thinking_20251015", "keep": "all"},
            {"type": "clear_tool_uses_20250919"}]});
        let in_force = Setting::from_json(&in_force).expect("a setting");
        let tried = settings_to_try(100_000, &["Read".to_owned()], Some(&in_force));
        for setting in tried {
            let read = Setting::from_json(&setting).expect("a setting");
            assert_eq!(read.edits.len(), 2);
            assert_eq!(read.edits[0], in_force.edits[0]);
        }
    }
}
