//! Prints a recommended setting, and what a context was made of in one sentence.

use super::simulate::points;
use super::table::{dollars, grouped, nth};
use super::{Style, count, visible};
use retrace_api::wire::{ContextAnswer, PartClass, Recommendation, RestsOn};
use std::io::{Result, Write};

/// The setting with its price and the reasons for it, or why there is none.
pub fn recommendation(
    out: &mut (impl Write + ?Sized),
    found: &Recommendation,
    all: bool,
    style: Style,
) -> Result<()> {
    let paint = style.paint;
    match &found.best {
        None => writeln!(out, "{}", paint.bold("No setting is recommended."))?,
        Some(best) => {
            writeln!(out, "{} {}", paint.bold("Recommended:"), paint.bold(&visible::line(&best.what)))?;
            let mut figures = Vec::new();
            if let Some(change) = found.input_change {
                figures.push(format!("{} of the input", percent(change)));
            }
            if let Some((change, ran)) = found.cost_change_usd.zip(found.baseline.cost_usd) {
                figures.push(format!("{} of {}", change_of_dollars(change), dollars(Some(ran))));
            }
            figures.push(count(found.read_again, "result read again", "results read again"));
            writeln!(out, "  {}", figures.join(", "))?;
        }
    }
    for why in &found.why {
        writeln!(out, "  {}", paint.dim(&visible::line(why)))?;
    }
    for warning in &found.warnings {
        writeln!(out, "{} {}", paint.yellow("warning:"), visible::line(&warning.message))?;
    }
    if let Some(best) = &found.best {
        writeln!(out, "  {}", visible::line(&best.variant.config.to_string()))?;
    }
    if all {
        writeln!(out)?;
        points(out, &found.points, true, found.requests_fast_without_price, style)?;
    }
    Ok(())
}

/// What the largest context was made of, in one sentence: `At its peak (request 208) this run held 155K tokens: …`.
pub fn answer(answer: &ContextAnswer, rests_on: RestsOn) -> String {
    let named = answer.parts.iter().map(|part| {
        format!("{} {}", part_name(part.class, part.tool.as_deref(), rests_on), compact(part.said))
    });
    let rest = answer.rest.filter(|rest| rest.said > 0);
    let rest =
        rest.map(|rest| format!("{} {}", count(rest.count, "other part", "other parts"), compact(rest.said)));
    let parts: Vec<String> = named.chain(rest).collect();
    let (request, said) = (nth(answer.request), compact(answer.said));
    format!("At its peak (request {request}) this run held {said} tokens: {}.", parts.join(", "))
}

/// The name of a part.
fn part_name(class: PartClass, tool: Option<&str>, rests_on: RestsOn) -> String {
    match (class, tool) {
        (PartClass::ToolResults, Some(tool)) => format!("{} results", visible::line(tool)),
        (PartClass::ToolResults, None) => "other results".to_owned(),
        (PartClass::System, _) => "system".to_owned(),
        (PartClass::ToolDefinitions, _) => "tool definitions".to_owned(),
        (PartClass::Instructions, _) => "instructions".to_owned(),
        (PartClass::Memory, _) => "memory".to_owned(),
        (PartClass::NotRecorded, _) if rests_on == RestsOn::Request => "framing".to_owned(),
        (PartClass::NotRecorded, _) => "not recorded".to_owned(),
        (PartClass::Attachments, _) => "attachments".to_owned(),
        (PartClass::Text, _) => "prompts and text".to_owned(),
        (PartClass::Thinking, _) => "thinking".to_owned(),
        (PartClass::ToolInputs, _) => "tool inputs".to_owned(),
    }
}

/// A round number in a few characters: `155K`, `4.5K`, `1.23M`.
fn compact(tokens: u64) -> String {
    for (unit, name) in [(1_000_000, "M"), (1_000, "K")] {
        if tokens >= unit {
            let text = format!("{:.2}", tokens as f64 / unit as f64);
            return format!("{}{name}", text.trim_end_matches('0').trim_end_matches('.'));
        }
    }
    grouped(tokens)
}

/// `−34 %`
fn percent(change: f64) -> String {
    let sign = if change < 0.0 { "−" } else { "+" };
    format!("{sign}{:.0} %", (change * 100.0).abs())
}

/// `−$4.23`
fn change_of_dollars(change: f64) -> String {
    let sign = if change < 0.0 { "−" } else { "+" };
    format!("{sign}{}", dollars(Some(change.abs())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use retrace_api::wire::{AnswerPart, AnswerRest};

    #[test]
    fn the_sentence_names_the_largest_part_first_and_adds_up() {
        let part = |class, tool: Option<&str>, said| AnswerPart {
            class,
            tool: tool.map(str::to_owned),
            tokens: said,
            said,
        };
        let said = ContextAnswer {
            request: 207,
            tokens: 155_440,
            said: 155_000,
            parts: vec![
                part(PartClass::ToolResults, Some("Read"), 94_000),
                part(PartClass::ToolDefinitions, None, 40_500),
                part(PartClass::NotRecorded, None, 20_000),
            ],
            rest: Some(AnswerRest { count: 2, tokens: 500, said: 500 }),
        };
        assert_eq!(
            answer(&said, RestsOn::Request),
            "At its peak (request 208) this run held 155K tokens: Read results 94K, tool definitions 40.5K, framing 20K, \
             2 other parts 500."
        );
        assert_eq!(
            (compact(1_230_000), compact(999), percent(-0.336)),
            ("1.23M".into(), "999".into(), "−34 %".into())
        );
        assert_eq!(change_of_dollars(-4.234), "−$4.23");
    }
}
