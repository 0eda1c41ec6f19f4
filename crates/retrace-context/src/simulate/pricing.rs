//! Prices and facts of the models of a run, looked up once a run.

use super::Options;
use super::marks::RequestMarks;
use super::prepare::{Prepared, RequestFacts};
use crate::cache::{CacheLife, Split};
use crate::edits::tool_uses::signed;
use crate::prices::{BATCH_FACTOR, Billed, ModelFacts, ModelPrices, Models};
use crate::settings::ThinkingKeep;

/// Model for prices and defaults.
struct Model<'o> {
    facts: Option<&'static ModelFacts>,
    keep: ThinkingKeep,
    prices: ModelPrices<'o>,
}

/// Prices and facts by model.
pub(super) struct Pricing<'o> {
    models: Vec<Model<'o>>,
    /// By recorded model: what it keeps of thinking by default.
    keeps: Vec<ThinkingKeep>,
    overridden: bool,
    factor: f64,
    life: Option<CacheLife>,
    writes_for_an_hour: bool,
}

impl<'o> Pricing<'o> {
    pub(super) fn new(prepared: &Prepared, options: &Options<'o>) -> Self {
        let models = Models::builtin();
        let lookup = |id: &str| Model {
            facts: models.get(id),
            keep: models.thinking_keep(id),
            prices: options.prices.of(id),
        };
        Self {
            models: match options.model {
                Some(id) => vec![lookup(id)],
                None => prepared.models.iter().map(|id| lookup(id)).collect(),
            },
            keeps: prepared.models.iter().map(|id| models.thinking_keep(id)).collect(),
            overridden: options.model.is_some(),
            factor: options.price_factor,
            life: options.cache_life,
            writes_for_an_hour: prepared.writes_for_an_hour,
        }
    }

    fn entry(&self, request: &RequestFacts) -> Option<&Model<'o>> {
        if self.overridden { self.models.first() } else { self.models.get(request.model?) }
    }

    /// Facts of a request's model.
    pub(super) fn facts(&self, request: &RequestFacts) -> Option<&'static ModelFacts> {
        self.entry(request).and_then(|model| model.facts)
    }

    /// Thinking that the simulated model keeps by default; all where there is no model.
    pub(super) fn keep(&self, request: &RequestFacts) -> ThinkingKeep {
        self.entry(request).map_or(ThinkingKeep::All, |model| model.keep)
    }

    /// Thinking that the recorded model keeps by default; all where the model is not known.
    pub(super) fn recorded_keep(&self, request: &RequestFacts) -> ThinkingKeep {
        request.model.and_then(|model| self.keeps.get(model)).copied().unwrap_or(ThinkingKeep::All)
    }

    /// Price of one call made at a request.
    pub(super) fn cost(&self, request: &RequestFacts, split: Split, output: u64) -> Option<f64> {
        self.price(&self.entry(request)?.prices, request, split, output)
    }

    /// The same with the prices of another model.
    pub(super) fn price(
        &self,
        prices: &ModelPrices<'_>,
        request: &RequestFacts,
        split: Split,
        output: u64,
    ) -> Option<f64> {
        let write_1h = self.write_1h(request, split.write);
        let billed = Billed {
            uncached: split.uncached,
            write_5m: split.write - write_1h,
            write_1h,
            read: split.read,
            output,
            fast: request.usage.is_some_and(|usage| usage.fast),
        };
        let batch = request.usage.is_some_and(|usage| usage.batch);
        let factor = if batch { self.factor * BATCH_FACTOR } else { self.factor };
        prices.cost(request.at, &billed).map(|cost| cost * factor)
    }

    /// Of what is written at a request, what lives for an hour: by the option, else in the recorded proportion, else as
    /// most of the run.
    fn write_1h(&self, request: &RequestFacts, write: u64) -> u64 {
        match (self.life, request.usage) {
            (Some(CacheLife::Hour1), _) => write,
            (Some(CacheLife::Minutes5), _) => 0,
            (None, Some(usage)) if usage.reported_life && usage.write > 0 => {
                let share = u128::from(write) * u128::from(usage.write_1h) / u128::from(usage.write);
                u64::try_from(share).unwrap_or(write).min(write)
            }
            (None, _) => {
                let marked = request.marks.as_ref().and_then(RequestMarks::writes_for_an_hour);
                if marked.unwrap_or(self.writes_for_an_hour) { write } else { 0 }
            }
        }
    }

    /// True if the cache of the request before still lives, where that is not as recorded, or nothing that was recorded applies.
    pub(super) fn alive(
        &self,
        previous: Option<&RequestFacts>,
        request: &RequestFacts,
        as_recorded: bool,
    ) -> Option<bool> {
        let gap = previous?.at.zip(request.at).map(|(from, to)| to.micros().saturating_sub(from.micros()));
        let recorded = if self.writes_for_an_hour { CacheLife::Hour1 } else { CacheLife::Minutes5 };
        let life = self.life.unwrap_or(recorded);
        let lives = gap.is_none_or(|gap| gap <= life.micros());
        if !as_recorded {
            return Some(lives);
        }
        let would_have = gap.is_none_or(|gap| gap <= recorded.micros());
        (self.life.is_some() && lives != would_have).then_some(lives)
    }

    /// Life of every entry of the cache, where it is not that of the marks.
    pub(super) fn cache_life(&self) -> Option<CacheLife> {
        self.life
    }

    /// Price of the compactions that the server made within a response when it was recorded.
    pub(super) fn recorded_compactions(&self, request: &RequestFacts) -> Option<f64> {
        let Some([uncached, write, read, output]) = request.usage.map(|usage| usage.compactions) else {
            return Some(0.0);
        };
        if uncached | write | read | output == 0 {
            return Some(0.0);
        }
        self.cost(request, Split { read, write, uncached }, output)
    }
}

/// Recorded split.
pub(super) fn recorded(request: &RequestFacts) -> Option<Split> {
    request.usage.map(|usage| Split { read: usage.read, write: usage.write, uncached: usage.uncached })
}

/// A difference of tokens.
pub(super) fn difference(left: u64, right: u64) -> i64 {
    signed(left) - signed(right)
}
