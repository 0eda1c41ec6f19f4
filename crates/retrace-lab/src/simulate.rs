//! Simulations of settings on a run.

use crate::Lab;
use crate::lab::loaded::{self, Loaded};
use crate::lab::{in_force, summaries, view};
use crate::wire::{
    ApiError, FigureKind, LinesReq, Regret, SimulateReq, SimulatedCompaction, SimulatedLine, SimulatedLines,
    SimulatedRequest, Simulation, SimulationStopped, SimulationTotals, SimulationWarning, Simulations,
    Variant,
};
use crate::wire::{RegretRule, StopCause};
use retrace_context::cache::CacheLife;
use retrace_context::prices::{Billed, Models};
use retrace_context::regret::Clearings;
use retrace_context::regret::NeedRule;
use retrace_context::settings::{Edit, Setting};
use retrace_context::simulate::{Options, Scratch, SummarySizes, simulate, simulate_totals};
use retrace_context::warnings::{Grounds, Warning, pays_back_after, warnings};
use retrace_context::{Basis, Cleared, Outcome, RequestOutcome, StopReason, Stopped};
use retrace_message::{AsMessage, Message};
use retrace_transcript::{BlockKind, Request, Usage};
use std::collections::HashSet;
use std::sync::Arc;

/// Settings tried in one call; a window shows four.
const MAX_VARIANTS: usize = 64;

/// Simulations of settings on a transcript.
///
/// # Errors
/// Those of `context_show`; `invalid` for a setting the API would refuse, in its own words, with the path in the setting as
/// the subject.
pub fn context_simulate(inner: &Arc<Lab>, request: SimulateReq) -> Result<Simulations, ApiError> {
    let SimulateReq { transcript, variants, model, cache_ttl, all_cleared, in_force } = &request;
    let settings = settings(variants)?.into_iter().collect::<Result<Vec<_>, _>>()?;
    with_options(inner, transcript, (model, cache_ttl), settings.iter(), |loaded, options| {
        let each = variants.iter().zip(&settings);
        let each = each.map(|(variant, setting)| one(loaded, variant, setting, options, *all_cleared));
        let simulations = each.collect();
        let ran = in_force.then(|| as_it_ran(loaded, options, *all_cleared)).flatten();
        Simulations { simulations, in_force: ran }
    })
}

/// What ran under the setting in force.
fn as_it_ran(loaded: &Loaded, options: &Options<'_>, all_cleared: bool) -> Option<Simulation> {
    let found = in_force::of(loaded)?;
    let options = Options { as_ran: true, ..options.clone() };
    let variant = Variant { name: in_force::NAME.to_owned(), config: found.config };
    let mut ran = one(loaded, &variant, &found.setting, &options, all_cleared);
    (ran.what, ran.in_force) = (found.what, true);
    Some(ran)
}

/// Chart lines of settings over a transcript.
///
/// # Errors
/// Those of `context_show`. A setting that the API would refuse is null among the lines.
pub fn context_lines(inner: &Arc<Lab>, request: LinesReq) -> Result<SimulatedLines, ApiError> {
    let LinesReq { transcript, variants, model, cache_ttl } = &request;
    let settings = settings(variants)?;
    let valid = settings.iter().flatten();
    with_options(inner, transcript, (model, cache_ttl), valid, |loaded, options| {
        let each = settings.iter().map(|setting| setting.as_ref().ok());
        SimulatedLines { lines: each.map(|setting| Some(line(loaded, setting?, options))).collect() }
    })
}

/// The settings of a request, each as the API would take or refuse it.
fn settings(variants: &[Variant]) -> Result<Vec<Result<Setting, ApiError>>, ApiError> {
    if variants.is_empty() {
        return Err(ApiError::invalid(say::no_setting_given(), "variants").hint(say::give_at_least_one()));
    }
    if variants.len() > MAX_VARIANTS {
        return Err(ApiError::invalid(say::most_settings_time(MAX_VARIANTS), "variants")
            .hint(say::sweep_tries_more()));
    }
    Ok(variants.iter().map(setting).collect())
}

/// Runs `work` with the transcript and with what a request assumes: its model and the life of its cache.
fn with_options<'s, T>(
    inner: &Arc<Lab>,
    transcript: &str,
    (model, cache_ttl): (&Option<String>, &Option<String>),
    settings: impl IntoIterator<Item = &'s Setting>,
    work: impl FnOnce(&Loaded, &Options<'_>) -> T,
) -> Result<T, ApiError> {
    let cache_life = cache_life(cache_ttl.as_deref())?;
    let loaded = loaded::load(inner, transcript)?;
    let table = inner.lab.prices.get(inner);
    let options = Options {
        model: model.as_deref(),
        cache_life,
        prices: &table.prices,
        summaries: summary_sizes(inner, settings),
        ..Options::default()
    };
    Ok(work(&loaded, &options))
}

/// Chart line of a setting.
fn line(loaded: &Loaded, setting: &Setting, options: &Options<'_>) -> SimulatedLine {
    let outcome = simulate(loaded.prepared(), setting, options);
    let mut line = SimulatedLine {
        compacted: outcome.compactions.iter().map(|compaction| compaction.request as u64).collect(),
        ..SimulatedLine::default()
    };
    let mut turns = 0;
    for request in outcome.requests.iter().filter(|request| is_made(&outcome, request)) {
        let index = request.index as u64;
        line.after.push(request.after);
        let beside_thinking = |cleared: &Cleared| !matches!(cleared, Cleared::Thinking { .. });
        if request.newly_cleared.iter().any(beside_thinking) {
            line.cleared.push(index);
        } else if request.cleared_thinking_turns > turns {
            line.thinking.push(index);
        }
        turns = request.cleared_thinking_turns;
    }
    let regrets = loaded.regrets().regrets(&Clearings::of(&outcome));
    line.needed_again = regrets.iter().map(|regret| regret.needed_at as u64).collect();
    line.needed_again.sort_unstable();
    line.needed_again.dedup();
    line
}

/// A setting as the API would take it.
pub(super) fn setting(variant: &Variant) -> Result<Setting, ApiError> {
    Setting::from_json(&variant.config)
        .map_err(|error| ApiError::invalid(error.message(), error.path).hint(say::setting(&variant.name)))
}

pub(super) fn cache_life(ttl: Option<&str>) -> Result<Option<CacheLife>, ApiError> {
    ttl.map(|ttl| {
        CacheLife::parse(ttl).ok_or_else(|| {
            ApiError::invalid(say::cache_lives_5m_or_1h(), ttl).hint(say::omit_use_recorded_value())
        })
    })
    .transpose()
}

/// Learning sizes reads files, so only settings that compact ask for it.
pub(super) fn summary_sizes<'a>(
    inner: &Lab,
    settings: impl IntoIterator<Item = &'a Setting>,
) -> SummarySizes {
    let compacts = |setting: &Setting| {
        setting.compaction.is_some()
            || setting.compaction_control.is_some()
            || setting.edits.iter().any(|edit| matches!(edit, Edit::Compact(_)))
    };
    if settings.into_iter().any(compacts) { summaries::sizes(inner) } else { SummarySizes::default() }
}

pub(super) fn one(
    loaded: &Loaded,
    variant: &Variant,
    setting: &Setting,
    options: &Options<'_>,
    all_cleared: bool,
) -> Simulation {
    let outcome = simulate(loaded.prepared(), setting, options);
    let regrets = loaded.regrets().regrets(&Clearings::of(&outcome));
    let model = options.model.or(loaded.model.as_deref());
    let facts = model.and_then(|model| Models::builtin().get(model));
    let mut requests: Vec<SimulatedRequest> = outcome.requests.iter().map(request).collect();
    if all_cleared {
        list_all_cleared(loaded, &outcome, &mut requests);
    }
    Simulation {
        transcript: loaded.place.id.clone(),
        name: variant.name.clone(),
        what: setting.in_words(),
        in_force: false,
        config: setting.to_json(facts),
        model: model.map(str::to_owned),
        warnings: warnings_of(loaded, setting, &outcome, options).into_iter().map(warned).collect(),
        totals: SimulationTotals {
            requests_fast_without_price: simulated_fast_without_price(loaded, options),
            ..totals(&outcome, regrets.len() as u64, model, options)
        },
        requests,
        compactions: outcome.compactions.iter().map(compaction).collect(),
        regrets: regrets.into_iter().map(regret).collect(),
        stopped: outcome.stopped.map(|stopped| stopped_view(&stopped)),
    }
}

fn request(outcome: &RequestOutcome) -> SimulatedRequest {
    let mut results = Vec::new();
    let mut inputs = Vec::new();
    for cleared in &outcome.newly_cleared {
        match cleared {
            Cleared::Result { tool_use_id, .. } => results.push(tool_use_id.clone()),
            Cleared::Input { tool_use_id, .. } => inputs.push(tool_use_id.clone()),
            Cleared::Thinking { .. } => {}
        }
    }
    SimulatedRequest {
        index: outcome.index as u64,
        before: outcome.before,
        after: outcome.after,
        range: range(outcome.basis),
        kind: view::kind(outcome.basis),
        cleared_tool_use_ids: results,
        cleared_tool_inputs: inputs,
        cleared_thinking_turns: outcome.cleared_thinking_turns,
        applied_edits: outcome.applied_edits.iter().map(view::applied_edit).collect(),
        cache_break_at: outcome.cache_break_at,
        cache_read: outcome.cache_read,
        cache_write: outcome.cache_write,
        cost_usd: outcome.cost_usd,
    }
}

const fn range(basis: Basis) -> Option<(u64, u64)> {
    match basis {
        Basis::Estimated { low, high } => Some((low, high)),
        Basis::Recorded | Basis::Exact | Basis::Counted => None,
    }
}

/// Lists at each request all that is cleared there, newly or before: of what was cleared so far, what the request sends.
fn list_all_cleared(loaded: &Loaded, outcome: &Outcome, requests: &mut [SimulatedRequest]) {
    let transcript = loaded.transcript();
    let (mut results, mut inputs) = (HashSet::new(), HashSet::new());
    for (simulated, request) in outcome.requests.iter().zip(requests) {
        for cleared in &simulated.newly_cleared {
            match cleared {
                Cleared::Result { tool_use_id, .. } => results.insert(tool_use_id.as_str()),
                Cleared::Input { tool_use_id, .. } => inputs.insert(tool_use_id.as_str()),
                Cleared::Thinking { .. } => false,
            };
        }
        request.cleared_tool_use_ids.clear();
        request.cleared_tool_inputs.clear();
        if simulated.cleared_tool_uses == 0 {
            continue;
        }
        for (_, message) in transcript.sent(&transcript.requests[simulated.index]) {
            for block in &message.blocks {
                match &block.kind {
                    BlockKind::ToolResult { tool_use_id, .. } if results.contains(tool_use_id.as_str()) => {
                        request.cleared_tool_use_ids.push(tool_use_id.clone());
                    }
                    BlockKind::ToolUse { id, .. } if inputs.contains(id.as_str()) => {
                        request.cleared_tool_inputs.push(id.clone());
                    }
                    _ => {}
                }
            }
        }
    }
}

fn totals(outcome: &Outcome, regrets: u64, model: Option<&str>, options: &Options<'_>) -> SimulationTotals {
    let totals = &outcome.totals;
    let made = outcome.requests.iter().filter(|request| is_made(outcome, request));
    let weakest = made.clone().map(|request| view::kind(request.basis)).max_by_key(|kind| weakness(*kind));
    let at_peak = made.rev().find(|request| request.after == totals.peak);
    SimulationTotals {
        peak: totals.peak,
        input: totals.input,
        clears: totals.clears,
        compactions: totals.compactions,
        cache_writes: totals.cache_writes,
        cache_reads: totals.cache_reads,
        cache_breaks: totals.cache_breaks,
        cost_usd: totals.cost_usd,
        requests_fast_without_price: 0,
        regrets,
        pays_back_after: model
            .and_then(|model| pays_back_after(outcome, options.prices, model))
            .and_then(|paid| paid.after),
        kind: weakest.unwrap_or(FigureKind::CountedOffline),
        range_percent: at_peak.and_then(half_width),
    }
}

/// Requests in fast mode that a simulation prices as others are, because the model it prices by has no price for it.
pub(super) fn simulated_fast_without_price(loaded: &Loaded, options: &Options<'_>) -> u64 {
    let is_one = |request: &&Request| {
        let fast = Billed { fast: true, ..Billed::default() };
        let model = options.model.or(request.model.as_deref());
        request.usage.as_ref().is_some_and(Usage::is_fast)
            && model.is_some_and(|model| options.prices.of(model).is_lower_bound(request.at, &fast))
    };
    loaded.transcript().requests.iter().filter(is_one).count() as u64
}

fn is_made(outcome: &Outcome, request: &RequestOutcome) -> bool {
    outcome.stopped.is_none_or(|stopped| request.index <= stopped.last)
}

const fn weakness(kind: FigureKind) -> u8 {
    match kind {
        FigureKind::Exact => 0,
        FigureKind::Recorded => 1,
        FigureKind::CountedOffline => 2,
        FigureKind::Estimated => 3,
    }
}

#[allow(clippy::cast_precision_loss, reason = "tokens are far below 2^53")]
fn half_width(request: &RequestOutcome) -> Option<f64> {
    let (low, high) = range(request.basis)?;
    (request.after > 0).then(|| high.saturating_sub(low) as f64 / 2.0 / request.after as f64 * 100.0)
}

fn compaction(compaction: &retrace_context::SimulatedCompaction) -> SimulatedCompaction {
    let (low, middle, high) = compaction.summary;
    SimulatedCompaction {
        request: compaction.request as u64,
        tokens_before: compaction.tokens_before,
        summary: middle,
        summary_range: (low, high),
        cost_usd: compaction.cost_usd,
        dropped_response: compaction.dropped_response.map(|index| index as u64),
    }
}

fn regret(regret: retrace_context::regret::Regret) -> Regret {
    Regret {
        tool_use_id: regret.tool_use_id,
        label: regret.label,
        tokens: regret.tokens,
        cleared_at: regret.cleared_at as u64,
        needed_at: regret.needed_at as u64,
        rule: match regret.rule {
            NeedRule::ReadAgain => RegretRule::ReadAgain,
            NeedRule::RunAgain => RegretRule::RunAgain,
            NeedRule::EditedAgainst => RegretRule::EditedAgainst,
            NeedRule::Quoted => RegretRule::Quoted,
        },
        evidence: Message::verbatim(regret.evidence),
    }
}

fn stopped_view(stopped: &Stopped) -> SimulationStopped {
    SimulationStopped {
        last: stopped.last as u64,
        reason: match stopped.reason {
            StopReason::EndlessCompaction => StopCause::EndlessCompaction,
            StopReason::MaxIterations => StopCause::MaxIterations,
            StopReason::Refusal => StopCause::Refusal,
        },
    }
}

/// Refusals of the API for this model, and other warnings before deploying the setting.
pub(super) fn warnings_of(
    loaded: &Loaded,
    setting: &Setting,
    outcome: &Outcome,
    options: &Options<'_>,
) -> Vec<Warning> {
    let model = options.model.or(loaded.model.as_deref());
    let without = simulate_totals(loaded.prepared(), &Setting::default(), options, &mut Scratch::default());
    warnings(&Grounds {
        setting,
        transcript: loaded.transcript(),
        outcome,
        without: &without,
        model: model.and_then(|model| Models::builtin().get(model)),
        thinking: loaded.prepared().has_thinking(),
        prices: options.prices,
    })
}

pub(super) fn warned(warning: Warning) -> SimulationWarning {
    SimulationWarning { code: warning.code.to_owned(), message: warning.message }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "simulate";
    give_at_least_one() => "Give at least one; {{}} is no editing.",
    no_setting_given() => "No setting is given.",
    most_settings_time(value) => "At most {value} settings at a time.",
    sweep_tries_more() => "A sweep tries more.",
    setting(name) => "The setting is \"{name}\".",
    cache_lives_5m_or_1h() => "A cache lives for 5m or 1h.",
    omit_use_recorded_value() => "Omit to use the recorded value.",
}
