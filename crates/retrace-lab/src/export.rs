//! A setting in a form to deploy, with the evidence for it; and a report of settings in one file.

use super::context::file_costs;
use super::simulate::{one, setting, summary_sizes, warnings_of};
use super::tokens::ASSUMED_MODEL;
use crate::Lab;
use crate::lab::loaded::{self, Loaded};
use crate::wire::{ApiError, ExportReq, Exported, Simulation, Variant};
use crate::wire::{sentence, show};
use retrace_context::compose;
use retrace_context::export::{Evidence, Form, export};
use retrace_context::prices::Models;
use retrace_context::regret::Clearings;
use retrace_context::report::{Report, Tried, html};
use retrace_context::settings::Setting;
use retrace_context::simulate::{Options, simulate};
use retrace_context::sweep::Figures;
use std::sync::Arc;

/// The form of a report.
const REPORT: &str = "html";

/// Writes a setting as JSON, cURL, Python or TypeScript, or a report of it and those it is compared with.
///
/// # Errors
/// Those of `context_show` where a transcript is named; `invalid` for a setting that is refused, or that has no such form,
/// and for a report without a transcript.
pub fn context_export(inner: &Arc<Lab>, request: ExportReq) -> Result<Exported, ApiError> {
    let setting = setting(&request.variant)?;
    if request.format == REPORT {
        return report(inner, &request);
    }
    let form = Form::parse(&request.format).ok_or_else(|| {
        ApiError::invalid(say::no_such_form(), request.format.clone())
            .hint(say::forms_json_curl_python_typescript())
    })?;
    let loaded = request.transcript.as_deref().map(|name| loaded::load(inner, name)).transpose()?;
    let of_transcript = loaded.as_ref().and_then(|loaded| loaded.model.clone());
    let model = request.model.clone().or(of_transcript).unwrap_or_else(|| ASSUMED_MODEL.to_owned());
    let evidence = loaded.as_ref().map(|loaded| evidence(inner, loaded, &request, &setting));
    let written = export(form, &request.variant.name, &request.variant.config, &model, evidence.as_ref())
        .map_err(|error| ApiError::invalid(sentence(&error), request.format.clone()))?;
    Ok(Exported {
        file_name: written.file_name.to_owned(),
        media_type: written.media_type.to_owned(),
        text: written.text,
    })
}

fn evidence(inner: &Arc<Lab>, loaded: &Loaded, request: &ExportReq, setting: &Setting) -> Evidence {
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
        notes: after.warnings.into_iter().map(|warning| warning.message.into_text()).collect(),
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

/// One HTML file that shows what the settings do to the transcript.
fn report(inner: &Arc<Lab>, request: &ExportReq) -> Result<Exported, ApiError> {
    let name = request.transcript.as_deref().ok_or_else(|| {
        ApiError::invalid(say::report_needs_transcript(), "transcript").hint(say::name_run_about())
    })?;
    let variants: Vec<&Variant> = std::iter::once(&request.variant).chain(&request.against).collect();
    let settings = variants.iter().map(|variant| setting(variant)).collect::<Result<Vec<_>, _>>()?;
    let loaded = loaded::load(inner, name)?;
    let table = inner.lab.prices.get(inner);
    let options = Options {
        model: request.model.as_deref(),
        prices: &table.prices,
        summaries: summary_sizes(inner, &settings),
        ..Options::default()
    };
    let model = options.model.or(loaded.model.as_deref());
    let facts = model.and_then(|model| Models::builtin().get(model));
    let tried: Vec<_> = settings
        .iter()
        .map(|setting| {
            let outcome = simulate(loaded.prepared(), setting, &options);
            let regrets = loaded.regrets().regrets(&Clearings::of(&outcome));
            let warnings = warnings_of(&loaded, setting, &outcome, &options);
            (setting.to_json(facts), outcome, regrets, warnings)
        })
        .collect();
    let transcript = loaded.transcript();
    let title = transcript.session.title.clone().unwrap_or_else(|| loaded.place.id.clone());
    let sent: Vec<bool> =
        (0..transcript.requests.len()).map(|index| loaded.proved(index).is_some()).collect();
    let page = html(&Report {
        title: &title,
        facts: vec![
            format!("Model: {}.", model.unwrap_or("not recorded")),
            format!("Transcript: {}.", show(&loaded.place.path)),
            format!("Made by Retrace {} at {}.", inner.options.program_version, inner.now().to_rfc3339()),
            format!(
                "Contexts are as recorded where they are; what they were made of is counted offline (family {}).",
                loaded.weights.family
            ),
        ],
        transcript,
        contexts: &loaded.weights.contexts,
        classes: &compose(transcript, &loaded.weights),
        sent: &sent,
        files: &file_costs(&loaded, &table),
        window: transcript.session.context_window.or_else(|| facts.map(|facts| facts.window)),
        settings: variants
            .iter()
            .zip(&tried)
            .map(|(variant, (setting, outcome, regrets, warnings))| Tried {
                name: &variant.name,
                setting,
                outcome,
                regrets,
                warnings,
            })
            .collect(),
    });
    Ok(Exported {
        file_name: "context-report.html".to_owned(),
        media_type: "text/html".to_owned(),
        text: page,
    })
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "export";
    no_such_form() => "There is no such form.",
    forms_json_curl_python_typescript() => "Forms: json, curl, python, typescript, html.",
    report_needs_transcript() => "A report needs a transcript.",
    name_run_about() => "Name the run it is about.",
}
