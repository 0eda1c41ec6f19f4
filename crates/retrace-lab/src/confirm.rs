//! Forecasts of a setting, checked with `count_tokens`. The one command that calls the network, and only after agreement.

use super::simulate::setting;
use crate::Lab;
use crate::jobs::Job;
use crate::lab::counter::{config, source};
use crate::lab::loaded::{self, Loaded, weigh_one};
use crate::lab::rebuild::{NotRebuilt, Rebuilt, rebuild, recorded};
use crate::wire::sentence;
use crate::wire::{ApiError, Code, ConfirmPlan, ConfirmReq, Confirmed, ConfirmedPoint, Event, NetworkCall};
use retrace_context::settings::{Edit, Setting};
use retrace_context::simulate::{Options, Prepared, simulate};
use retrace_count::{Cache, Client, Config, CountError, CountRequest, Counted, Plan, Run};
use retrace_message::{Argument, Message};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Requests checked unless asked otherwise.
const POINTS: u64 = 4;
/// The most requests checked in one call.
const MAX_POINTS: u64 = 100;

/// Name of the progress of a job without a name.
const UNNAMED: &str = "confirm";

/// One request to be counted, and what is forecast for it.
struct Check {
    index: usize,
    request: CountRequest,
    before: u64,
    after: u64,
    cached: bool,
    bytes: u64,
    calls: bool,
}

/// Says what would be sent, and sends it once the user agreed.
///
/// # Errors
/// Those of `context_show`; `invalid` for a setting that is refused, and for a run of a model the endpoint does not count;
/// `counter_unavailable` without a key or an answer.
pub fn context_confirm(inner: &Arc<Lab>, request: ConfirmReq) -> Result<Confirmed, ApiError> {
    let setting = setting(&request.variant)?;
    let loaded = loaded::load(inner, &request.transcript)?;
    let (config, _) = config(inner)?;
    let points = points(inner, &loaded, &setting, &request)?;
    let are_proved = points.iter().all(|&index| loaded.proved(index).is_some());
    let sent = counted_setting(&setting, are_proved);
    let mut limits = limits(&setting, &loaded, are_proved);
    let (mut checks, left_out) = checks(&loaded, &points, &sent)?;
    limits.extend(left_out.into_iter().map(|(what, count)| say::left_out(what, count)));
    let plan = inner.lab.counting.with_cache(inner, |cache| plan(&config, &mut checks, cache))?;
    let plan_view = plan_view(&plan, &config, &checks, limits);
    if !request.agreed {
        return Ok(Confirmed { plan: plan_view, points: Vec::new(), cancelled: false });
    }
    let job = inner.jobs.begin(request.job.as_deref())?;
    let task = request.job.as_deref().unwrap_or(UNNAMED);
    let run = run(inner, config, &plan, &job, task)?;
    note(inner, &run, &checks, &plan);
    let cancelled = matches!(run.ended_by, Some(CountError::Cancelled));
    if !cancelled
        && let Some(error) = &run.ended_by
        && run.counts.iter().all(Result::is_err)
    {
        return Err(unavailable(error));
    }
    let points = checks.iter().zip(&run.counts).map(|(check, count)| point(check, count)).collect();
    Ok(Confirmed { plan: plan_view, points, cancelled })
}

/// The requests to check: those asked for, or some at which the setting acts, the first, the last and the largest among
/// them; without any such, the largest ones.
fn points(
    inner: &Arc<Lab>,
    loaded: &Loaded,
    setting: &Setting,
    request: &ConfirmReq,
) -> Result<Vec<usize>, ApiError> {
    if let Some(indices) = &request.requests {
        let mut chosen = indices
            .iter()
            .map(|index| super::context::request_index(loaded, *index))
            .collect::<Result<Vec<_>, _>>()?;
        chosen.sort_unstable();
        chosen.dedup();
        return Ok(chosen);
    }
    let many = usize::try_from(request.points.unwrap_or(POINTS).clamp(1, MAX_POINTS)).unwrap_or(usize::MAX);
    let table = inner.lab.prices.get(inner);
    let options = Options { prices: &table.prices, ..Options::default() };
    let outcome = simulate(loaded.prepared(), setting, &options);
    let acting = outcome.requests.iter().filter(|request| request.after != request.before);
    let mut acting: Vec<(u64, usize)> = acting.map(|request| (request.before, request.index)).collect();
    if acting.is_empty() {
        acting = outcome.requests.iter().map(|request| (request.before, request.index)).collect();
    }
    Ok(spread(&acting, many))
}

/// Some of the requests: the largest, then evenly from the first to the last.
fn spread(requests: &[(u64, usize)], many: usize) -> Vec<usize> {
    let mut chosen: BTreeSet<usize> = requests.iter().max().map(|(_, index)| *index).into_iter().collect();
    let count = requests.len();
    for step in 0..many {
        if chosen.len() >= many.min(count) {
            break;
        }
        let at = if many < 2 { 0 } else { step * (count - 1) / (many - 1) };
        chosen.insert(requests[at].1);
    }
    chosen.into_iter().collect()
}

/// Part of a setting that counting can show: the edits that clear tool uses. Counting triggers no compaction, and
/// clearing of thinking needs thinking with its signatures, which only recorded requests keep.
fn counted_setting(setting: &Setting, are_proved: bool) -> Setting {
    let counted = |edit: &&Edit| match edit {
        Edit::ClearToolUses(_) => true,
        Edit::ClearThinking(_) => are_proved,
        Edit::Compact(_) => false,
    };
    let edits = setting.edits.iter().filter(counted).cloned().collect();
    Setting { edits, ..Setting::default() }
}

fn limits(setting: &Setting, loaded: &Loaded, are_proved: bool) -> Vec<Message> {
    let mut limits = Vec::new();
    if !are_proved && setting.edits.iter().any(|edit| matches!(edit, Edit::ClearThinking(_))) {
        limits.push(say::clearing_thinking_cannot_checked_transcripts_2());
    }
    if setting.edits.iter().any(|edit| matches!(edit, Edit::Compact(_))) {
        limits.push(say::compaction_cannot_checked_counting_never());
    }
    if setting.compaction.is_some() || setting.compaction_control.is_some() {
        limits.push(say::compaction_caller_or_sdk_cannot());
    }
    if !are_proved && loaded.transcript().preambles.is_empty() {
        limits.push(say::file_not_keep_system_prompt_2());
    }
    limits
}

type LeftOut = BTreeMap<NotRebuilt, u64>;

fn checks(loaded: &Loaded, points: &[usize], sent: &Setting) -> Result<(Vec<Check>, LeftOut), ApiError> {
    let mut left_out = LeftOut::new();
    let mut checks = Vec::new();
    for &index in points {
        let transcript = loaded.transcript();
        let request = &transcript.requests[index];
        let model = request.model.as_deref().or(loaded.model.as_deref()).unwrap_or_default();
        let model = countable(model, loaded)?;
        let rebuilt = recorded(loaded, index, &model).or_else(|| rebuild(transcript, request, &model));
        let Some(rebuilt) = rebuilt else { continue };
        for (what, count) in &rebuilt.left_out {
            let most: &mut u64 = left_out.entry(*what).or_default();
            *most = (*most).max(*count);
        }
        checks.push(check(index, rebuilt, sent)?);
    }
    if checks.is_empty() {
        return Err(ApiError::invalid(say::nothing_these_requests_can_rebuilt(), loaded.place.id.clone())
            .hint(say::choose_others_or_another_transcript()));
    }
    Ok((checks, left_out))
}

/// The model's name as the endpoint takes it: clients add the size of the window.
fn countable(model: &str, loaded: &Loaded) -> Result<String, ApiError> {
    let name = model.split('[').next().unwrap_or_default().trim();
    if retrace_tokens::resolve(name).is_err() {
        let message = match name {
            "" => say::transcript_not_say_model_called(),
            name => say::not_model_count_tokens_counts(name),
        };
        return Err(
            ApiError::invalid(message, loaded.place.id.clone()).hint(say::only_runs_claude_models_can())
        );
    }
    Ok(name.to_owned())
}

/// The forecast is made of what is sent, not of what was recorded: the two would differ by all that is not kept.
fn check(index: usize, rebuilt: Rebuilt, sent: &Setting) -> Result<Check, ApiError> {
    let weights = weigh_one(&rebuilt.transcript);
    let prepared = Prepared::new(&rebuilt.transcript, &weights);
    let outcome = simulate(&prepared, sent, &Options::default());
    let (before, after) = outcome.requests.first().map_or((0, 0), |request| (request.before, request.after));
    let mut body = rebuilt.body;
    if !sent.edits.is_empty() {
        body.insert("context_management".to_owned(), without_nulls(sent.to_json(None)));
    }
    let request = CountRequest::from_message_request(Value::Object(body))
        .map_err(|error| ApiError::new(Code::Internal, sentence(&error), "request"))?
        .with_needed_betas();
    Ok(Check { index, request, before, after, cached: false, bytes: 0, calls: false })
}

fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(fields.map(|(name, value)| (name, without_nulls(value))).collect())
        }
        Value::Array(list) => list.into_iter().map(without_nulls).collect(),
        other => other,
    }
}

fn plan(config: &Config, checks: &mut [Check], cache: &Cache) -> Result<Plan, ApiError> {
    let cannot = |error: retrace_count::BadConfig| {
        ApiError::new(Code::CounterUnavailable, sentence(&error), config.base_url.clone())
            .hint(say::look_variable_anthropic_base_url())
    };
    for check in &mut *checks {
        let alone = Plan::new(config, vec![check.request.clone()], cache).map_err(cannot)?;
        (check.cached, check.bytes, check.calls) = (alone.cached > 0, alone.bytes, alone.calls > 0);
    }
    Plan::new(config, checks.iter().map(|check| check.request.clone()).collect(), cache).map_err(cannot)
}

fn plan_view(plan: &Plan, config: &Config, checks: &[Check], mut limits: Vec<Message>) -> ConfirmPlan {
    if let Some(proxy) = &plan.proxy {
        limits.push(say::calls_go_through_proxy(proxy));
    }
    let url = match plan.encrypted {
        true => Argument::from(&plan.url),
        false => say::not_encrypted(&plan.url).into(),
    };
    ConfirmPlan {
        calls: plan.calls as u64,
        cached: plan.cached as u64,
        bytes: plan.bytes,
        base_url: config.base_url.clone(),
        key_source: config.key.as_ref().map(source),
        requests: checks.iter().map(|check| check.index as u64).collect(),
        what: say::messages_calls_tools_their_results(url),
        limits: limits.into_iter().collect(),
    }
}

fn run(inner: &Arc<Lab>, config: Config, plan: &Plan, job: &Job, task: &str) -> Result<Run, ApiError> {
    let client = Client::new(config).map_err(|error| unavailable(&error))?;
    Ok(inner.lab.counting.with_cache(inner, |cache| {
        client.run(plan, cache, job.token(), &mut |progress| {
            let (done, total) = (progress.done as u64, Some(progress.calls as u64));
            inner.events.send(&Event::Progress { task: task.to_owned(), done, total });
        })
    }))
}

/// Lists every call that was made.
fn note(inner: &Lab, run: &Run, checks: &[Check], plan: &Plan) {
    for (check, count) in checks.iter().zip(&run.counts).filter(|(check, _)| check.calls) {
        let status = match count {
            Ok(_) => Some(200),
            Err(error) => match status(error) {
                Some(status) => status,
                None => continue,
            },
        };
        inner.lab.counting.note(NetworkCall {
            at: inner.now().to_rfc3339(),
            purpose: "count_tokens".to_owned(),
            url: plan.url.clone(),
            bytes: check.bytes,
            status,
        });
    }
    inner.lab.counting.note_retries(run.retries as u64);
}

/// The status that a failed call was answered with, if any; `None` where no call was made.
const fn status(error: &CountError) -> Option<Option<u16>> {
    match error {
        CountError::BadKey { status, .. }
        | CountError::Refused { status, .. }
        | CountError::Redirected { status, .. } => Some(Some(*status)),
        CountError::Unavailable { status, .. } => Some(*status),
        CountError::Limited { .. } => Some(Some(429)),
        CountError::BadAnswer { .. } => Some(Some(200)),
        CountError::Timeout { .. } | CountError::Cancelled => Some(None),
        CountError::NoKey | CountError::Config(_) | CountError::NotSent => None,
    }
}

fn unavailable(error: &CountError) -> ApiError {
    let hint = match error {
        CountError::NoKey => say::or_retrace_context_key_set(),
        CountError::BadKey { .. } => say::set_another_key(),
        _ => say::try_again_later_forecasts_need(),
    };
    ApiError::new(Code::CounterUnavailable, sentence(error), "count_tokens").hint(hint)
}

#[allow(clippy::cast_precision_loss, reason = "tokens are far below 2^53")]
fn point(check: &Check, count: &Result<Counted, CountError>) -> ConfirmedPoint {
    let counted = count.as_ref().ok();
    let after = counted.map(|counted| counted.input_tokens);
    let before = counted.map(|counted| counted.original_input_tokens.unwrap_or(counted.input_tokens));
    ConfirmedPoint {
        request: check.index as u64,
        forecast_before: check.before,
        forecast_after: check.after,
        exact_before: before,
        exact_after: after,
        error_percent: after
            .filter(|exact| *exact > 0)
            .map(|exact| (check.after as f64 - exact as f64) / exact as f64 * 100.0),
        problem: count.as_ref().err().map(sentence),
        cached: check.cached,
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "confirm";
    not_encrypted(url) => "{url}, not encrypted",
    left_out(what, count) => "Left out: {what} ({count}).",
    compaction_cannot_checked_counting_never() => "Compaction cannot be checked: counting never triggers one.",
    compaction_caller_or_sdk_cannot() => "Compaction by the caller or an SDK cannot be checked: it is no part of a request.",
    nothing_these_requests_can_rebuilt() => "Nothing of these requests can be rebuilt.",
    choose_others_or_another_transcript() => "Choose others, or another transcript.",
    transcript_not_say_model_called() => "The transcript does not say which model was called.",
    not_model_count_tokens_counts(name) => "{name} is not a model that count_tokens counts.",
    only_runs_claude_models_can() => "Only runs of Claude models can be confirmed.",
    look_variable_anthropic_base_url() => "Look at the variable ANTHROPIC_BASE_URL.",
    calls_go_through_proxy(proxy) => "Calls go through the proxy {proxy}.",
    messages_calls_tools_their_results(url) => "Messages, calls of tools and their results from the transcript, as they are, to {url}. Nothing is sampled, and counting is free of charge.",
    or_retrace_context_key_set() => "Or `retrace context key set`, which reads it from standard input.",
    set_another_key() => "Set another key.",
    try_again_later_forecasts_need() => "Try again later; forecasts need no network.",
    clearing_thinking_cannot_checked_transcripts_2() => "Clearing of thinking cannot be checked: transcripts keep no signatures of thinking.",
    file_not_keep_system_prompt_2() => "The file does not keep the system prompt and the tools, so that counts and forecasts here are without them, and an edit with a trigger in input tokens begins later than in the run.",
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn points_hold_the_largest_and_are_spread() {
        let requests: Vec<(u64, usize)> =
            (10..20).map(|index| (if index == 13 { 99 } else { 1 }, index)).collect();
        assert_eq!(spread(&requests, 1), [13]);
        assert_eq!(spread(&requests, 4), [10, 13, 16, 19]);
        assert_eq!(spread(&requests, 50).len(), 10);
        assert!(spread(&[], 4).is_empty());
    }
}
