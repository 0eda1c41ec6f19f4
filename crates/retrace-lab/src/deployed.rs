//! After deployment: what the server reported to have edited, beside the forecast.

use super::simulate::{setting, summary_sizes};
use crate::Lab;
use crate::lab::{loaded, view};
use crate::wire::{ApiError, Code, Deployed, DeployedReq, DeployedRequest, Variant};
use retrace_context::deployed::{deployed, setting_in_force};
use retrace_context::simulate::{Options, simulate};
use std::sync::Arc;

/// Name of a setting that was read from the recorded requests.
const AS_RECORDED: &str = "as recorded";

/// Compares the edits that responses report with the forecast for the setting in force: the given one, or the one that the
/// recorded requests carry.
///
/// # Errors
/// Those of `context_show`; `invalid` for a setting that is refused; `not_found` where responses report edits and nothing
/// says under which setting.
pub fn context_deployed(inner: &Arc<Lab>, request: DeployedReq) -> Result<Deployed, ApiError> {
    let loaded = loaded::load(inner, &request.transcript)?;
    let transcript = loaded.transcript();
    let recorded = || {
        let config = setting_in_force(transcript)?;
        Some(Variant { name: AS_RECORDED.to_owned(), config })
    };
    let Some(variant) = request.variant.or_else(recorded) else {
        let reporting = transcript.requests.iter().filter(|request| request.applied_edits.is_some()).count();
        let edited = transcript.requests.iter().flat_map(|request| request.applied_edits.iter().flatten());
        if edited.count() > 0 {
            return Err(ApiError::new(
                Code::NotFound,
                say::transcript_not_say_setting_force(),
                loaded.place.id.clone(),
            )
            .hint(say::give_setting_deployed()));
        }
        // Nothing was edited, and nothing was forecast.
        let reporting = reporting as u64;
        return Ok(Deployed { variant: None, requests: Vec::new(), reporting, agreeing: reporting });
    };
    let setting = setting(&variant)?;
    let table = inner.lab.prices.get(inner);
    let summaries = summary_sizes(inner, std::slice::from_ref(&setting));
    let options = Options { prices: &table.prices, summaries, ..Options::default() };
    let held = deployed(transcript, &simulate(loaded.prepared(), &setting, &options));
    Ok(Deployed {
        variant: Some(variant),
        requests: held
            .requests
            .iter()
            .map(|request| DeployedRequest {
                index: request.index as u64,
                forecast: request.forecast.iter().map(view::applied_edit).collect(),
                reported: request.reported.iter().map(view::applied_edit).collect(),
                error_percent: request.error_percent,
            })
            .collect(),
        reporting: held.reporting,
        agreeing: held.agreeing,
    })
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "deployed";
    transcript_not_say_setting_force() => "The transcript does not say which setting was in force.",
    give_setting_deployed() => "Give the setting that was deployed.",
}
