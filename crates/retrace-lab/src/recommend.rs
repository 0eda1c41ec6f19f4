//! One recommended setting for a run, with its price and why.

use super::simulate::{cache_life, simulated_fast_without_price, warned, warnings_of};
use super::sweep::{Rows, try_all};
use crate::Lab;
use crate::lab::in_force;
use crate::lab::loaded::{self, Loaded};
use crate::wire::{ApiError, RecommendReq, Recommendation, SweepPoint, Variant};
use retrace_context::Setting;
use retrace_context::recommend::{Choice, LEAST_PEAK, Measure, choose, settings_to_try};
use retrace_context::simulate::{Options, simulate};
use retrace_context::sweep::{BASELINE, Figures, Point};
use retrace_context::warnings::of_other_vendor;
use retrace_message::{Figure, Message};
use std::sync::Arc;

/// Name of the progress without a name.
const UNNAMED: &str = "recommend";

/// Tries some settings on a run, and names the one that would have cost least once results that are read again are paid for.
///
/// # Errors
/// Those of `context_show`; `invalid` for a life of the cache that there is not.
pub fn context_recommend(inner: &Arc<Lab>, request: RecommendReq) -> Result<Recommendation, ApiError> {
    let job = inner.jobs.begin(request.job.as_deref())?;
    let cache_life = cache_life(request.cache_ttl.as_deref())?;
    let loaded = loaded::load(inner, &request.transcript)?;
    let table = inner.lab.prices.get(inner);
    let model = request.model.as_deref();
    let options = Options { model, cache_life, prices: &table.prices, ..Options::default() };
    let (variants, settings) = to_try(&loaded);
    let tried = settings.len();
    let transcripts = [loaded];
    let rows = Rows::new(&transcripts, variants, settings.clone());
    let task = request.job.as_deref().unwrap_or(UNNAMED);
    let swept = try_all(inner, &transcripts, &rows, &options, (task, job.stop()));
    let [loaded] = transcripts;
    let first = rows.for_comparison();
    let choice = choose(&swept.points, loaded.transcript().requests.len(), |point| point.setting >= first);
    let points: Vec<SweepPoint> = swept.points.iter().map(|point| rows.point(point)).collect();
    let baseline = points.first().cloned().unwrap_or_else(|| {
        rows.point(&Point { setting: BASELINE, figures: Figures::default(), pareto: false })
    });
    let best = choice.best.and_then(|at| points.get(at)).cloned();
    let setting = choice.best.map(|at| &settings[swept.points[at].setting - first]);
    let against = Against { choice, baseline: &baseline, tried };
    let why = match (&best, of_other_vendor(loaded.transcript())) {
        (_, Some(warning)) => vec![warning.message],
        (None, None) => vec![against.why_none(&loaded)],
        (Some(best), None) => against.why(best, choice.next.and_then(|at| points.get(at))),
    };
    let best = best.filter(|_| of_other_vendor(loaded.transcript()).is_none());
    let warnings = setting.filter(|_| best.is_some()).map_or_else(Vec::new, |setting| {
        warnings_of(&loaded, setting, &simulate(loaded.prepared(), setting, &options), &options)
    });
    Ok(Recommendation {
        transcript: loaded.place.id.clone(),
        input_change: best.as_ref().and_then(|best| change(best.input, baseline.input)),
        cost_change_usd: best.as_ref().and_then(|best| Some(best.cost_usd? - baseline.cost_usd?)),
        read_again: best.as_ref().map_or(0, |best| best.regrets.saturating_sub(baseline.regrets)),
        why,
        tried: swept.points.len().saturating_sub(first) as u64,
        points,
        cancelled: swept.cancelled,
        warnings: warnings.into_iter().map(warned).collect(),
        requests_fast_without_price: simulated_fast_without_price(&loaded, &options),
        best,
        baseline,
    })
}

/// The settings that are tried on a run, named by what they do.
fn to_try(loaded: &Loaded) -> (Vec<Variant>, Vec<Setting>) {
    let peak = loaded.weights.peak().map_or(0, |request| loaded.weights.contexts[request]);
    let in_force = in_force::of(loaded).map(|found| found.setting);
    let configs = settings_to_try(peak, loaded.prepared().tools(), in_force.as_ref());
    let read = configs.into_iter().filter_map(|config| {
        let setting = Setting::from_json(&config).ok()?;
        Some((Variant { name: setting.in_words().text().to_owned(), config }, setting))
    });
    read.unzip()
}

fn change(is: u64, was: u64) -> Option<f64> {
    (was > 0).then(|| is as f64 / was as f64 - 1.0)
}

/// What a recommendation is said against.
struct Against<'a> {
    choice: Choice,
    baseline: &'a SweepPoint,
    tried: usize,
}

impl Against<'_> {
    fn amount(&self, point: &SweepPoint) -> Figure {
        match self.choice.measure {
            Measure::Price => dollars(point.cost_usd.unwrap_or_default()),
            Measure::Input => Figure::Count(point.input),
        }
    }

    fn again(&self) -> Figure {
        match self.choice.measure {
            Measure::Price => dollars(self.choice.again),
            Measure::Input => Figure::Count(self.choice.again.round().max(0.0) as u64),
        }
    }

    fn why(&self, best: &SweepPoint, next: Option<&SweepPoint>) -> Vec<Message> {
        let again = best.regrets.saturating_sub(self.baseline.regrets);
        let mut why = vec![match (self.choice.measure, again) {
            (Measure::Price, 0) => {
                say::cheapest_of(self.tried, self.amount(best), self.amount(self.baseline))
            }
            (Measure::Price, again) => say::cheapest_of_with_reads(
                self.tried,
                self.amount(best),
                self.amount(self.baseline),
                again,
                self.again(),
            ),
            (Measure::Input, 0) => {
                say::least_input_of(self.tried, self.amount(best), self.amount(self.baseline))
            }
            (Measure::Input, again) => say::least_input_of_with_reads(
                self.tried,
                self.amount(best),
                self.amount(self.baseline),
                again,
                self.again(),
            ),
        }];
        if best.peak < self.baseline.peak {
            why.push(say::largest_context_falls(Figure::Count(self.baseline.peak), Figure::Count(best.peak)));
        }
        if let Some(next) = next {
            let again = next.regrets.saturating_sub(self.baseline.regrets);
            why.push(say::next_best(next.what.clone(), self.amount(next), again));
        }
        why
    }

    fn why_none(&self, loaded: &Loaded) -> Message {
        if loaded.prepared().tools().is_empty() {
            return say::nothing_to_clear();
        }
        if self.tried == 0 {
            return say::too_small_to_clear(Figure::Count(self.baseline.peak), Figure::Count(LEAST_PEAK));
        }
        match self.choice.measure {
            Measure::Price => say::none_is_cheaper(self.tried, self.amount(self.baseline), self.again()),
            Measure::Input => say::none_has_less_input(self.tried, self.amount(self.baseline), self.again()),
        }
    }
}

fn dollars(amount: f64) -> Figure {
    Figure::dollars(amount, if amount != 0.0 && amount.abs() < 0.1 { 4 } else { 2 })
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "recommend";
    cheapest_of(tried, cost, ran) => "Of {tried} settings tried on this run it costs least: {cost}, where what ran cost {ran}.",
    cheapest_of_with_reads(tried, cost, ran, again, each) => "Of {tried} settings tried on this run it costs least: {cost}, where what ran cost {ran}, even with {each} more for each result that would be read again, {again} in all (a request of this run costs that on average).",
    least_input_of(tried, input, ran) => "Of {tried} settings tried on this run it needs the least input: {input} tokens, where what ran needed {ran}. The model has no known price.",
    least_input_of_with_reads(tried, input, ran, again, each) => "Of {tried} settings tried on this run it needs the least input: {input} tokens, where what ran needed {ran}, even with {each} more for each result that would be read again, {again} in all (a request of this run has that on average). The model has no known price.",
    largest_context_falls(ran, peak) => "The largest context falls from {ran} to {peak} tokens.",
    next_best(what, amount, again) => "Next best: {what} ({amount}; results read again: {again}).",
    nothing_to_clear() => "The run called no tool, so there are no results to clear.",
    too_small_to_clear(peak, least) => "The largest context is {peak} tokens. Below {least} there is too little to clear.",
    none_is_cheaper(tried, ran, each) => "None of {tried} settings tried on this run saves a hundredth of the {ran} that it cost, once each result that would be read again is counted as one more request at {each}.",
    none_has_less_input(tried, ran, each) => "None of {tried} settings tried on this run saves a hundredth of its input of {ran} tokens, once each result that would be read again is counted as one more request of {each} tokens.",
}
