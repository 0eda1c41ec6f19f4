//! A grid of settings over several transcripts.

use super::simulate::{cache_life, setting, simulated_fast_without_price, summary_sizes, warned};
use crate::Lab;
use crate::lab::loaded::{self, Loaded};
use crate::wire::sentence;
use crate::wire::{ApiError, Event, Sweep, SweepPoint, SweepReq, Variant};
use retrace_context::regret::Clearings;
use retrace_context::settings::Setting;
use retrace_context::simulate::{ClearedKind, Options, Scratch, simulate_each};
use retrace_context::sweep::{BASELINE, Figures, Grid, Run, sweep};
use retrace_context::warnings::of_other_vendor;
use serde_json::json;
use std::sync::Arc;

/// Transcripts in one sweep: all of them are held in memory.
const MAX_TRANSCRIPTS: usize = 200;

/// Most times that listeners are told of the progress of one sweep.
const STEPS_TOLD: usize = 100;

/// Name of the run without a setting.
const NO_SETTING: &str = "no setting";

/// Name of the progress of a sweep without a name.
const UNNAMED: &str = "sweep";

/// Tries every setting of a grid on every transcript, in parallel; `cancel` with the job's name stops it.
///
/// # Errors
/// Those of `context_show`; `invalid` for a grid that cannot be read or a setting in it that is refused.
pub fn context_sweep(inner: &Arc<Lab>, request: SweepReq) -> Result<Sweep, ApiError> {
    let job = inner.jobs.begin(request.job.as_deref())?;
    let grid = Grid::from_json(&request.grid)
        .map_err(|error| ApiError::invalid(sentence(&error), "grid").hint(say::docs_context_md_says_how()))?;
    let none = Variant { name: NO_SETTING.to_owned(), config: json!({}) };
    let variants: Vec<Variant> = std::iter::once(none)
        .chain(grid.names.into_iter().zip(grid.settings).map(|(name, config)| Variant { name, config }))
        .collect();
    let settings = variants.iter().map(setting).collect::<Result<Vec<_>, _>>()?;
    let cache_life = cache_life(request.cache_ttl.as_deref())?;
    let transcripts = load_all(inner, &request.transcripts)?;
    let table = inner.lab.prices.get(inner);
    let options = Options {
        model: request.model.as_deref(),
        cache_life,
        prices: &table.prices,
        summaries: summary_sizes(inner, &settings),
        ..Options::default()
    };
    let task = request.job.as_deref().unwrap_or(UNNAMED);
    let total = settings.len();
    let progress = |done: usize| {
        if done == total || done.is_multiple_of((total / STEPS_TOLD).max(1)) {
            let (done, total) = (done as u64, Some(total as u64));
            inner.events.send(&Event::Progress { task: task.to_owned(), done, total });
        }
    };
    let run = Run {
        threads: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        cancel: job.stop(),
        progress: &progress,
    };
    let swept = sweep(
        total,
        transcripts.len(),
        &run,
        || (Scratch::default(), Clearings::default()),
        |scratch, setting, transcript| {
            figures(&transcripts[transcript], &settings[setting], &options, scratch)
        },
    );
    let points = swept
        .points
        .iter()
        .map(|point| SweepPoint {
            variant: variants[point.setting].clone(),
            peak: point.figures.peak,
            cost_usd: point.figures.cost_usd,
            input: point.figures.input,
            regrets: point.figures.regrets,
            clears: point.figures.clears,
            pareto: point.pareto,
            baseline: point.setting == BASELINE,
        })
        .collect();
    let mut warnings = Vec::new();
    for warning in transcripts.iter().filter_map(|loaded| of_other_vendor(loaded.transcript())).map(warned) {
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
    Ok(Sweep {
        points,
        transcripts: transcripts.len() as u64,
        cancelled: swept.cancelled,
        warnings,
        requests_fast_without_price: transcripts
            .iter()
            .map(|loaded| simulated_fast_without_price(loaded, &options))
            .sum(),
    })
}

fn load_all(inner: &Arc<Lab>, names: &[String]) -> Result<Vec<Arc<Loaded>>, ApiError> {
    if names.is_empty() {
        return Err(ApiError::invalid(say::no_transcript_named(), "transcripts")
            .hint(say::retrace_context_transcripts_lists_them()));
    }
    if names.len() > MAX_TRANSCRIPTS {
        return Err(ApiError::invalid(say::most_transcripts_one_sweep(MAX_TRANSCRIPTS), "transcripts"));
    }
    names.iter().map(|name| loaded::load(inner, name)).collect()
}

/// One setting over one transcript.
fn figures(
    loaded: &Loaded,
    setting: &Setting,
    options: &Options<'_>,
    (scratch, clearings): &mut (Scratch, Clearings),
) -> Figures {
    clearings.forget();
    let totals = simulate_each(loaded.prepared(), setting, options, scratch, |step| {
        for cleared in step.newly_cleared {
            if matches!(cleared.kind, ClearedKind::Result(_)) {
                clearings.add(cleared.at, step.index, cleared.tokens);
            }
        }
    });
    Figures {
        peak: totals.peak,
        cost_usd: totals.cost_usd,
        input: totals.input,
        regrets: loaded.regrets().count(clearings),
        clears: totals.clears,
        compactions: totals.compactions,
        cache_breaks: totals.cache_breaks,
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "sweep";
    docs_context_md_says_how() => "docs/CONTEXT.md says how a grid is written.",
    no_transcript_named() => "No transcript is named.",
    retrace_context_transcripts_lists_them() => "`retrace context transcripts` lists them.",
    most_transcripts_one_sweep(value) => "At most {value} transcripts in one sweep.",
}
