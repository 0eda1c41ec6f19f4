//! After deployment: what the server reported to have edited, beside what the simulator forecasts.
//!
//! A response that says nothing about edits proves nothing, and is left out; an empty list says that nothing was edited.

use crate::outcome::Outcome;
use retrace_transcript::{AppliedEdit, Transcript};
use serde_json::{Value, json};

/// Forecast beside report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Deployed {
    /// Requests that say what the server edited and for which one of the two has an edit, in order.
    pub requests: Vec<DeployedRequest>,
    /// Requests that say what the server edited, even if nothing.
    pub reporting: u64,
    /// Of those, how many agree in the numbers of cleared uses and turns.
    pub agreeing: u64,
    /// Median of the absolute error in freed tokens, in percent, over requests where both freed some.
    pub median_error_percent: Option<f64>,
}

/// One request.
#[derive(Clone, Debug, PartialEq)]
pub struct DeployedRequest {
    /// Its index.
    pub index: usize,
    /// Edits that the simulator forecasts.
    pub forecast: Vec<AppliedEdit>,
    /// Edits that the response reports.
    pub reported: Vec<AppliedEdit>,
    /// True if they agree in the numbers of cleared uses and turns.
    pub agrees: bool,
    /// Freed tokens, forecast less reported, in percent of reported; `None` unless both freed some.
    pub error_percent: Option<f64>,
}

/// Compares `outcome` with what the responses of `transcript` report.
#[must_use]
pub fn deployed(transcript: &Transcript, outcome: &Outcome) -> Deployed {
    let mut found = Deployed::default();
    for (index, request) in transcript.requests.iter().enumerate() {
        let Some(reported) = &request.applied_edits else { continue };
        let forecast = outcome.requests.get(index).map_or(&[][..], |request| &request.applied_edits);
        let agrees = cleared(forecast) == cleared(reported);
        found.reporting += 1;
        found.agreeing += u64::from(agrees);
        if !forecast.is_empty() || !reported.is_empty() {
            found.requests.push(DeployedRequest {
                index,
                forecast: forecast.to_vec(),
                reported: reported.clone(),
                agrees,
                error_percent: error(freed(forecast), freed(reported)),
            });
        }
    }
    let mut errors: Vec<f64> =
        found.requests.iter().filter_map(|request| request.error_percent.map(f64::abs)).collect();
    errors.sort_by(f64::total_cmp);
    found.median_error_percent = errors.get(errors.len() / 2).copied();
    found
}

/// The setting that was in force: the `context_management` of the last recorded request that has one. `None` where requests
/// are not recorded.
#[must_use]
pub fn setting_in_force(transcript: &Transcript) -> Option<Value> {
    let of =
        |parameters: &Value| parameters.get("context_management").filter(|value| !value.is_null()).cloned();
    let setting = transcript.requests.iter().rev().find_map(|request| of(&request.parameters))?;
    Some(json!({ "context_management": setting }))
}

/// Cleared uses and turns. An edit that cleared none is as if it were not there.
fn cleared(edits: &[AppliedEdit]) -> (u64, u64) {
    edits.iter().fold((0, 0), |(uses, turns), edit| {
        (
            uses.saturating_add(edit.cleared_tool_uses.unwrap_or(0)),
            turns.saturating_add(edit.cleared_thinking_turns.unwrap_or(0)),
        )
    })
}

fn freed(edits: &[AppliedEdit]) -> u64 {
    edits.iter().fold(0, |sum, edit| sum.saturating_add(edit.cleared_input_tokens))
}

fn error(forecast: u64, reported: u64) -> Option<f64> {
    (forecast > 0 && reported > 0).then(|| (forecast as f64 - reported as f64) / reported as f64 * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Setting;
    use crate::simulate::{Options, Prepared, simulate};
    use crate::weigh::story::{Story, calls, used, words};

    fn edit(uses: u64, freed: u64) -> AppliedEdit {
        AppliedEdit {
            edit: "clear_tool_uses_20250919".into(),
            cleared_tool_uses: Some(uses),
            cleared_thinking_turns: None,
            cleared_input_tokens: freed,
        }
    }

    #[test]
    fn a_report_is_compared_with_the_forecast() {
        let mut story = Story::new("claude-opus-4-8");
        story.types("go");
        for turn in 0..6 {
            let id = format!("t{turn}");
            story.answers(Some(used(2_000, 5)), vec![calls(&id, "Read", json!({"file_path": id}))]);
            story.results(&[(&id, &"x".repeat(200))]);
        }
        story.answers(Some(used(2_000, 5)), vec![words("done")]);
        let setting = json!({"edits": [{"type": "clear_tool_uses_20250919",
            "trigger": {"type": "tool_uses", "value": 5}}]});
        story.transcript.requests[6].parameters = json!({"context_management": setting});
        story.transcript.requests[4].applied_edits = Some(Vec::new());
        story.transcript.requests[6].applied_edits = Some(vec![edit(3, 1_000)]);
        let in_force = setting_in_force(&story.transcript).unwrap();
        let prepared = Prepared::new(&story.transcript, &story.weights());
        let outcome = simulate(&prepared, &Setting::from_json(&in_force).unwrap(), &Options::default());
        let found = deployed(&story.transcript, &outcome);
        assert_eq!((found.reporting, found.agreeing), (2, 2));
        assert_eq!(found.requests.len(), 1);
        assert_eq!(found.requests[0].index, 6);
        let freed = found.requests[0].forecast[0].cleared_input_tokens as f64;
        let error = found.median_error_percent.expect("both freed some");
        assert!((error - (freed - 1_000.0).abs() / 10.0).abs() < 1e-9);
        story.transcript.requests[4].applied_edits = Some(vec![edit(1, 10)]);
        assert_eq!(deployed(&story.transcript, &outcome).agreeing, 1);
    }
}
