//! Figures in messages: amounts that each language writes in its own way.

use serde::{Deserialize, Serialize};
use std::fmt;
use ts_rs::TS;

/// An amount in a message. The English text has it as English writes it; another language writes the same amount, as exact as
/// it came.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Figure {
    /// US dollars, as a decimal number with as many digits as are right: `1.303` is written `$1.303`.
    Usd(String),
    /// A number of things: `62500` is written `62,500`.
    Count(u64),
    /// Tokens of a setting in a few characters, exactly: `60000` is written `60K`, `62501` as `62501`.
    Tokens(u64),
}

impl Figure {
    /// US dollars with so many digits behind the point.
    #[must_use]
    pub fn dollars(amount: f64, digits: usize) -> Self {
        Self::Usd(format!("{amount:.digits$}"))
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usd(amount) => match amount.strip_prefix('-') {
                Some(amount) => write!(f, "-${amount}"),
                None => write!(f, "${amount}"),
            },
            Self::Count(count) => f.write_str(&grouped(*count)),
            Self::Tokens(tokens) => f.write_str(&compact(*tokens)),
        }
    }
}

/// `1234567` as `1,234,567`.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn compact(tokens: u64) -> String {
    for (unit, name) in [(1_000_000, "M"), (1_000, "K")] {
        let hundredths = unit / 100;
        if tokens >= unit && tokens.is_multiple_of(hundredths) {
            let (whole, part) = (tokens / unit, tokens % unit / hundredths);
            let part = format!("{part:02}");
            let part = part.trim_end_matches('0');
            let point = if part.is_empty() { "" } else { "." };
            return format!("{whole}{point}{part}{name}");
        }
    }
    tokens.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Argument;
    use serde_json::json;

    #[test]
    fn thousands_are_set_apart() {
        let written = [0, 999, 1_000, 1_234_567].map(grouped);
        assert_eq!(written, ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn figures_are_written_as_english_does() {
        let of = |figure: Figure| figure.to_string();
        assert_eq!(of(Figure::dollars(1.3, 3)), "$1.300");
        assert_eq!(of(Figure::dollars(-0.5, 2)), "-$0.50");
        assert_eq!(of(Figure::Count(62_500)), "62,500");
        assert_eq!(
            [60_000, 62_500, 1_250_000, 62_501, 999].map(|tokens| of(Figure::Tokens(tokens))),
            ["60K", "62.5K", "1.25M", "62501", "999"]
        );
    }

    #[test]
    fn a_figure_is_told_from_a_message() {
        let arguments =
            [Figure::dollars(1.3, 2), Figure::Count(7), Figure::Tokens(7)].map(Argument::Figure).to_vec();
        let json = serde_json::to_value(&arguments).expect("JSON");
        assert_eq!(json, json!([{"usd": "1.30"}, {"count": 7}, {"tokens": 7}]));
        assert_eq!(serde_json::from_value::<Vec<Argument>>(json).expect("arguments"), arguments);
        let message = crate::and_more("a", 2_u64);
        let json = serde_json::to_value(Argument::from(message.clone())).expect("JSON");
        assert_eq!(serde_json::from_value::<Argument>(json).expect("an argument"), message.into());
    }
}
