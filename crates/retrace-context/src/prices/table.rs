//! The table of prices: `data/prices.tsv`, and a person's own lines in the same form.

use super::ids::normalised;
use super::{Billed, FAST_SUFFIX, ModelPrices, READ_FACTOR, WRITE_1H_FACTOR, WRITE_5M_FACTOR};
use retrace_message::{AsMessage, Message};
use retrace_model::Timestamp;
use std::sync::LazyLock;
use thiserror::Error;

const PER: f64 = 1e6;

/// One line of prices, in US dollars per million tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct PriceLine {
    /// The normalised id of the model ([`normalised`]).
    pub model: String,
    /// Holds for prompts up to so many tokens; `None` for all.
    pub up_to: Option<u64>,
    /// Holds from this instant on; `None` for always.
    pub from: Option<Timestamp>,
    /// Input.
    pub input: f64,
    /// Output.
    pub output: f64,
    /// Cache write with a life of 5 minutes.
    pub write_5m: f64,
    /// Cache write with a life of 1 hour.
    pub write_1h: f64,
    /// Cache read.
    pub read: f64,
    /// Where it comes from.
    pub source: String,
    /// As of which day or month.
    pub date: String,
    /// True if it is a person's own line.
    pub own: bool,
}

impl PriceLine {
    /// Price of a call in US dollars.
    #[must_use]
    pub fn cost(&self, billed: &Billed) -> f64 {
        let Billed { uncached, write_5m, write_1h, read, output, fast: _ } = *billed;
        (tokens(uncached) * self.input
            + tokens(write_5m) * self.write_5m
            + tokens(write_1h) * self.write_1h
            + tokens(read) * self.read
            + tokens(output) * self.output)
            / PER
    }
}

/// Exact up to 2^53, which no context reaches.
#[allow(clippy::cast_precision_loss, reason = "counts of tokens are far below 2^53")]
const fn tokens(count: u64) -> f64 {
    count as f64
}

/// Error in a line of a person's own file.
#[derive(Clone, Debug, PartialEq, Eq, Error, AsMessage)]
#[message("prices")]
#[error("line {line}: {reason}")]
pub struct PriceError {
    /// From 1.
    pub line: usize,
    /// In words.
    pub reason: Message,
}

/// The table: a person's own lines first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prices {
    lines: Vec<PriceLine>,
}

static BUILTIN: LazyLock<Prices> =
    LazyLock::new(|| Prices { lines: read(include_str!("../../data/prices.tsv"), false).0 });

impl Prices {
    /// The table this version comes with.
    #[must_use]
    pub fn builtin() -> &'static Self {
        &BUILTIN
    }

    /// This table with a person's own lines before it: tab-separated `model, up_to, from, input, output, write_5m,
    /// write_1h, read, source, date`, where `-` is said for none, columns after `output` may be missing, and lines that are
    /// blank, begin with `#` or are the heading are passed over. Lines of ours for a model that is named go. What cannot be
    /// read is answered beside the table.
    #[must_use]
    pub fn with_own(&self, text: &str) -> (Self, Vec<PriceError>) {
        let (mut lines, errors) = read(text, true);
        let ours: Vec<PriceLine> = self
            .lines
            .iter()
            .filter(|ours| lines.iter().all(|own| own.model != ours.model))
            .cloned()
            .collect();
        lines.extend(ours);
        (Self { lines }, errors)
    }

    /// Every line.
    #[must_use]
    pub fn lines(&self) -> &[PriceLine] {
        &self.lines
    }

    /// The lines of a model, however its id is written; none when it has no price.
    #[must_use]
    pub fn of(&self, id: &str) -> ModelPrices<'_> {
        let key = normalised(id);
        let fast = format!("{key}{FAST_SUFFIX}");
        let of = |key: &str| self.lines.iter().filter(|line| line.model == key).collect();
        ModelPrices { lines: of(&key), fast: of(&fast) }
    }
}

fn read(text: &str, own: bool) -> (Vec<PriceLine>, Vec<PriceError>) {
    let mut lines = Vec::new();
    let mut errors = Vec::new();
    for (index, text) in text.lines().enumerate() {
        let text = text.trim_end_matches('\r');
        if text.trim().is_empty() || text.starts_with('#') || text.starts_with("model\t") {
            continue;
        }
        match line(text, own) {
            Ok(line) => lines.push(line),
            Err(reason) => errors.push(PriceError { line: index + 1, reason }),
        }
    }
    (lines, errors)
}

fn line(text: &str, own: bool) -> Result<PriceLine, Message> {
    let columns: Vec<&str> = text.split('\t').map(str::trim).collect();
    let column = |index: usize| columns.get(index).copied().filter(|text| !text.is_empty() && *text != "-");
    let model = normalised(column(0).unwrap_or_default());
    if model.is_empty() {
        return Err(say::no_model());
    }
    let price = |index: usize, name: &str| column(index).map(|text| dollars(text, name)).transpose();
    let input = price(3, "input")?.ok_or(say::no_price_input())?;
    Ok(PriceLine {
        up_to: column(1).map(|text| text.parse().map_err(|_| say::up_not_number_tokens(text))).transpose()?,
        from: column(2).map(|text| Timestamp::parse(text).map_err(|error| error.message())).transpose()?,
        input,
        output: price(4, "output")?.ok_or(say::no_price_output())?,
        write_5m: price(5, "write_5m")?.unwrap_or(input * WRITE_5M_FACTOR),
        write_1h: price(6, "write_1h")?.unwrap_or(input * WRITE_1H_FACTOR),
        read: price(7, "read")?.unwrap_or(input * READ_FACTOR),
        source: column(8).unwrap_or_default().to_owned(),
        date: column(9).unwrap_or_default().to_owned(),
        model,
        own,
    })
}

fn dollars(text: &str, name: &str) -> Result<f64, Message> {
    match text.parse::<f64>() {
        Ok(price) if price.is_finite() && price >= 0.0 => Ok(price),
        _ => Err(say::not_price(name, text)),
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "table";
    no_model() => "there is no model",
    no_price_input() => "there is no price of input",
    up_not_number_tokens(text) => "up_to is not a number of tokens: {text}",
    no_price_output() => "there is no price of output",
    not_price(name, text) => "{name} is not a price: {text}",
}
