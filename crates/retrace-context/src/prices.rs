//! Prices of tokens, and abilities of models: two data files, each line with its source and date.
//!
//! A person's own lines stand before ours: for a model they name, they replace every line of ours. A model that no line
//! names has no price, and a sum that needs it is `None`, never a guess.

mod ids;
mod models;
mod table;

pub use ids::normalised;
pub use models::{CACHEABLE_WHEN_UNKNOWN, ModelFacts, Models};
pub use table::{PriceError, PriceLine, Prices};

use retrace_model::Timestamp;

/// Cache write with a life of 5 minutes, relative to the price of input (vendor's page "Prompt caching").
pub const WRITE_5M_FACTOR: f64 = 1.25;
/// Cache write with a life of 1 hour, relative to the price of input (the same page).
pub const WRITE_1H_FACTOR: f64 = 2.0;
/// Cache read, relative to the price of input, where a line does not say (the same page).
pub const READ_FACTOR: f64 = 0.1;
/// Price of a batch relative to a call of its own (vendor's page "Pricing").
pub const BATCH_FACTOR: f64 = 0.5;
/// Price of inference kept within the United States costs relative to elsewhere (the same page).
pub const US_ONLY_FACTOR: f64 = 1.1;

/// Tokens of one call, by what each costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Billed {
    /// Input neither read from nor written to the cache.
    pub uncached: u64,
    /// Written to the cache with a life of 5 minutes.
    pub write_5m: u64,
    /// Written to the cache with a life of 1 hour.
    pub write_1h: u64,
    /// Read from the cache.
    pub read: u64,
    /// Output.
    pub output: u64,
    /// True if it was served in fast mode (`usage.speed`), which has prices of its own.
    pub fast: bool,
}

impl Billed {
    /// The whole prompt, which decides the tier.
    #[must_use]
    pub const fn prompt(&self) -> u64 {
        self.uncached.saturating_add(self.write_5m).saturating_add(self.write_1h).saturating_add(self.read)
    }
}

/// Suffix of a model's id for its fast mode, in the table and in the ids of routers.
pub const FAST_SUFFIX: &str = "-fast";

/// The lines of one model, ready for many calls.
#[derive(Clone, Debug, Default)]
pub struct ModelPrices<'p> {
    lines: Vec<&'p PriceLine>,
    /// Those of its fast mode.
    fast: Vec<&'p PriceLine>,
}

impl<'p> ModelPrices<'p> {
    /// The line for a call: of those in force at `at` (without a time: the latest) the one of the smallest tier that holds
    /// `prompt` tokens.
    #[must_use]
    pub fn line(&self, at: Option<Timestamp>, prompt: u64) -> Option<&'p PriceLine> {
        line_of(&self.lines, at, prompt)
    }

    /// Price of a call in US dollars; `None` without a line. A call in fast mode that has no price of its own is priced as
    /// others are: see [`Self::is_lower_bound`].
    #[must_use]
    pub fn cost(&self, at: Option<Timestamp>, billed: &Billed) -> Option<f64> {
        let fast = billed.fast.then(|| line_of(&self.fast, at, billed.prompt())).flatten();
        fast.or_else(|| self.line(at, billed.prompt())).map(|line| line.cost(billed))
    }

    /// True if a call costs more than [`Self::cost`] says: it was served in fast mode, whose price is not known here.
    #[must_use]
    pub fn is_lower_bound(&self, at: Option<Timestamp>, billed: &Billed) -> bool {
        billed.fast && line_of(&self.fast, at, billed.prompt()).is_none() && self.cost(at, billed).is_some()
    }
}

fn line_of<'p>(lines: &[&'p PriceLine], at: Option<Timestamp>, prompt: u64) -> Option<&'p PriceLine> {
    lines
        .iter()
        .copied()
        .filter(|line| at.is_none_or(|at| line.from.is_none_or(|from| from <= at)))
        .filter(|line| line.up_to.is_none_or(|up_to| prompt <= up_to))
        .max_by_key(|line| (line.from, std::cmp::Reverse(line.up_to.unwrap_or(u64::MAX))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn billed(prompt: u64) -> Billed {
        Billed { read: prompt, ..Billed::default() }
    }

    #[test]
    fn every_line_of_ours_reads_and_has_its_source() {
        let prices = Prices::builtin();
        assert_eq!(prices.lines().len(), 26);
        assert!(prices.lines().iter().all(|line| !line.source.is_empty() && line.date.len() >= 7));
        for line in prices.lines() {
            assert!((line.write_5m - line.input * WRITE_5M_FACTOR).abs() < 1e-9, "{line:?}");
            assert!((line.write_1h - line.input * WRITE_1H_FACTOR).abs() < 1e-9, "{line:?}");
        }
    }

    #[test]
    fn a_price_may_depend_on_the_day() {
        let prices = Prices::builtin();
        let sonnet = prices.of("claude-sonnet-5-5");
        let read = |day: Option<&str>| {
            let at = day.map(|day| Timestamp::parse(day).expect("a day"));
            sonnet.line(at, 10).expect("a line").read
        };
        assert!((read(Some("2026-10-06T23:59:59Z")) - 0.20).abs() < 1e-9);
        assert!((read(Some("2026-10-07")) - 0.10).abs() < 1e-9);
        assert!((read(None) - 0.10).abs() < 1e-9);
    }

    #[test]
    fn a_price_may_depend_on_the_prompt() {
        let prices = Prices::builtin();
        let haiku = prices.of("claude-haiku-5-5");
        let cost = |prompt| haiku.cost(None, &billed(prompt)).expect("a price");
        assert!((cost(100_000) - 0.001).abs() < 1e-12);
        assert!((cost(100_001) - 0.005_000_05).abs() < 1e-12);
    }

    #[test]
    fn fast_mode_has_its_own_price_or_the_sum_is_a_lower_bound() {
        let prices = Prices::builtin();
        let billed = Billed { uncached: 1_000_000, output: 100_000, fast: true, ..Billed::default() };
        let slow = Billed { fast: false, ..billed };
        let cost = |model: &str, billed| prices.of(model).cost(None, billed).expect("a price");
        for (model, fast) in [
            ("claude-opus-5-5", 8.0 + 4.0),
            ("claude-opus-5", 10.0 + 5.0),
            ("claude-opus-4-8-20260601", 10.0 + 5.0),
            ("claude-opus-4-7", 30.0 + 15.0),
            ("claude-opus-4-6[1m]", 30.0 + 15.0),
        ] {
            assert!((cost(model, &billed) - fast).abs() < 1e-9, "{model}");
            assert!(cost(model, &slow) < fast && !prices.of(model).is_lower_bound(None, &billed), "{model}");
        }
        // A router's id of the same.
        assert!((cost("anthropic/claude-opus-4.6-fast", &slow) - 45.0).abs() < 1e-9);
        let sonnet = prices.of("claude-sonnet-5");
        assert_eq!(sonnet.cost(None, &billed), sonnet.cost(None, &slow));
        assert!(sonnet.is_lower_bound(None, &billed) && !sonnet.is_lower_bound(None, &slow));
        assert!(!prices.of("gpt-5").is_lower_bound(None, &billed));
    }

    #[test]
    fn fable_and_mythos_have_a_price() {
        let of = |id: &str| {
            let line = Prices::builtin().of(id).line(None, 1).cloned().expect("a line");
            (line.input, line.output, line.read)
        };
        assert_eq!(of("claude-fable-5"), (10.0, 50.0, 1.0));
        assert_eq!(of("claude-mythos-5"), (10.0, 50.0, 1.0));
        assert_eq!(of("claude-fable-5-1"), (10.0, 50.0, 0.25));
    }

    #[test]
    fn own_lines_replace_ours_for_the_models_they_name() {
        let text = "claude-opus-5\t-\t-\t1\t2\t-\t-\t-\tcontract\t2026-11-01\n\nbroken line\n\
                    my-model\t-\t-\t1.5\t3\t2\t4\t0.5\n";
        let (prices, errors) = Prices::builtin().with_own(text);
        assert_eq!(errors.len(), 1);
        assert_eq!(errors[0].line, 3);
        let opus = prices.of("us.anthropic.claude-opus-5-20260801-v1:0");
        let line = opus.line(None, 1).expect("a line");
        assert_eq!((line.input, line.read), (1.0, 0.1));
        assert!(prices.of("my-model").line(None, 1).is_some());
        assert!(prices.of("claude-opus-4-8").line(None, 1).is_some());
        assert!(prices.of("gpt-5").line(None, 1).is_none());
    }
}
