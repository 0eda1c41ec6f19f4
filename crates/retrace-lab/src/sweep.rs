//! A grid of settings over several transcripts.

use super::simulate::{cache_life, setting, simulated_fast_without_price, summary_sizes, warned};
use crate::Lab;
use crate::lab::in_force::{self, InForce};
use crate::lab::loaded::{self, Loaded};
use crate::wire::sentence;
use crate::wire::{ApiError, Event, Sweep, SweepPoint, SweepReq, Variant};
use retrace_context::regret::Clearings;
use retrace_context::settings::Setting;
use retrace_context::simulate::{ClearedKind, Options, Scratch, simulate_each};
use retrace_context::sweep::{BASELINE, Figures, Grid, Point, Run, Swept, sweep};
use retrace_context::warnings::of_other_vendor;
use retrace_message::Message;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

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
    let variants = grid.names.into_iter().zip(grid.settings).map(|(name, config)| Variant { name, config });
    let variants: Vec<Variant> = variants.collect();
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
    let rows = Rows::new(&transcripts, variants, settings);
    let task = request.job.as_deref().unwrap_or(UNNAMED);
    let tried = try_all(inner, &transcripts, &rows, &options, (task, job.stop()));
    let mut warnings = Vec::new();
    for warning in transcripts.iter().filter_map(|loaded| of_other_vendor(loaded.transcript())).map(warned) {
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
    Ok(Sweep {
        points: tried.points.iter().map(|point| rows.point(point)).collect(),
        transcripts: transcripts.len() as u64,
        cancelled: tried.cancelled,
        warnings,
        requests_fast_without_price: transcripts
            .iter()
            .map(|loaded| simulated_fast_without_price(loaded, &options))
            .sum(),
    })
}

/// What is tried: what ran under the settings in force, where any transcript has one; no setting; and the settings.
pub(super) struct Rows {
    rows: Vec<Row>,
    /// By transcript: the setting it ran under.
    ran: Vec<Setting>,
}

struct Row {
    variant: Variant,
    what: Message,
    /// `None` for what ran.
    setting: Option<Setting>,
}

impl Rows {
    /// Rows over these transcripts.
    pub(super) fn new(transcripts: &[Arc<Loaded>], variants: Vec<Variant>, settings: Vec<Setting>) -> Self {
        let in_force: Vec<Option<InForce>> = transcripts.iter().map(|loaded| in_force::of(loaded)).collect();
        let first = in_force.iter().flatten().next().map(|found| Row {
            variant: Variant { name: in_force::NAME.to_owned(), config: found.config.clone() },
            what: found.what.clone(),
            setting: None,
        });
        let none = Variant { name: NO_SETTING.to_owned(), config: json!({}) };
        let tried =
            std::iter::once(none).chain(variants).zip(std::iter::once(Setting::default()).chain(settings));
        let tried =
            tried.map(|(variant, setting)| Row { variant, what: setting.in_words(), setting: Some(setting) });
        let rows = first.into_iter().chain(tried).collect();
        let ran = in_force.into_iter().map(|found| found.map(|found| found.setting).unwrap_or_default());
        Self { rows, ran: ran.collect() }
    }

    /// Rows before the settings.
    pub(super) fn for_comparison(&self) -> usize {
        1 + usize::from(self.rows.first().is_some_and(|row| row.setting.is_none()))
    }

    /// A point as clients see it.
    pub(super) fn point(&self, point: &Point) -> SweepPoint {
        let row = &self.rows[point.setting];
        let Figures { peak, cost_usd, input, regrets, clears, .. } = point.figures;
        SweepPoint {
            variant: row.variant.clone(),
            peak,
            cost_usd,
            input,
            regrets,
            clears,
            pareto: point.pareto,
            baseline: point.setting == BASELINE,
            in_force: row.setting.is_none(),
            what: row.what.clone(),
        }
    }
}

/// Tries all rows on all transcripts, and tells listeners how far it is.
pub(super) fn try_all(
    inner: &Arc<Lab>,
    transcripts: &[Arc<Loaded>],
    rows: &Rows,
    options: &Options<'_>,
    (task, cancel): (&str, &AtomicBool),
) -> Swept {
    let total = rows.rows.len();
    let progress = |done: usize| {
        if done == total || done.is_multiple_of((total / STEPS_TOLD).max(1)) {
            let (done, total) = (done as u64, Some(total as u64));
            inner.events.send(&Event::Progress { task: task.to_owned(), done, total });
        }
    };
    let run = Run {
        threads: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        cancel,
        progress: &progress,
    };
    let as_ran = Options { as_ran: true, ..options.clone() };
    sweep(
        total,
        transcripts.len(),
        &run,
        || (Scratch::default(), Clearings::default()),
        |scratch, row, transcript| {
            let loaded = &transcripts[transcript];
            match &rows.rows[row].setting {
                Some(setting) => figures(loaded, setting, options, scratch),
                None => figures(loaded, &rows.ran[transcript], &as_ran, scratch),
            }
        },
    )
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
