//! A setting in a form to deploy, with the evidence for it.

use super::simulate::{one, setting, summary_sizes};
use crate::App;
use crate::app::Inner;
use crate::error::sentence;
use crate::lab::loaded::{self, Loaded};
use crate::wire::{ApiError, ExportReq, Exported, Simulation, Variant};
use retrace_context::export::{Evidence, Form, export};
use retrace_context::settings::Setting;
use retrace_context::simulate::Options;
use retrace_context::sweep::Figures;
use std::sync::Arc;

/// The model that code names where neither the request nor a transcript does.
const MODEL: &str = "claude-sonnet-5-5";

/// Writes a setting as JSON, cURL, Python or TypeScript.
///
/// # Errors
/// Those of `context_show` where a transcript is named; `invalid` for a setting that is refused, or that has no such form.
pub fn context_export(app: &App, request: ExportReq) -> Result<Exported, ApiError> {
    let inner = &app.inner;
    let setting = setting(&request.variant)?;
    let form = Form::parse(&request.format).ok_or_else(|| {
        ApiError::invalid("There is no such form.", request.format.clone())
            .hint("Forms: json, curl, python, typescript.")
    })?;
    let loaded = request.transcript.as_deref().map(|name| loaded::load(inner, name)).transpose()?;
    let of_transcript = loaded.as_ref().and_then(|loaded| loaded.model.clone());
    let model = request.model.clone().or(of_transcript).unwrap_or_else(|| MODEL.to_owned());
    let evidence = loaded.as_ref().map(|loaded| evidence(inner, loaded, &request, &setting));
    let written = export(form, &request.variant.name, &request.variant.config, &model, evidence.as_ref())
        .map_err(|error| ApiError::invalid(sentence(&error), request.format.clone()))?;
    Ok(Exported {
        file_name: written.file_name.to_owned(),
        media_type: written.media_type.to_owned(),
        text: written.text,
    })
}

fn evidence(inner: &Arc<Inner>, loaded: &Loaded, request: &ExportReq, setting: &Setting) -> Evidence {
    let table = inner.lab.prices.get(inner);
    let options = Options {
        model: request.model.as_deref(),
        prices: &table.prices,
        summaries: summary_sizes(inner, std::slice::from_ref(setting)),
        ..Options::default()
    };
    let none = Variant { name: String::new(), config: serde_json::json!({}) };
    let before = one(loaded, &none, &Setting::default(), &options, false);
    let after = one(loaded, &request.variant, setting, &options, false);
    let title = loaded.transcript().session.title.clone();
    Evidence {
        transcripts: vec![title.unwrap_or_else(|| loaded.place.id.clone())],
        requests: after.requests.len() as u64,
        before: figures(&before),
        after: figures(&after),
        notes: after.warnings.into_iter().map(|warning| warning.message).collect(),
    }
}

const fn figures(simulation: &Simulation) -> Figures {
    let totals = &simulation.totals;
    Figures {
        peak: totals.peak,
        cost_usd: totals.cost_usd,
        input: totals.input,
        regrets: totals.regrets,
        clears: totals.clears,
        compactions: totals.compactions,
        cache_breaks: totals.cache_breaks,
    }
}
