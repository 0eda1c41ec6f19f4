//! Warnings: what to know before a setting is deployed. Each names the number it rests on.
//!
//! A warning is advice about these transcripts, not a refusal: what the API refuses is said by
//! [`Setting::from_json`] and [`Setting::refused_for`]. Of the refusals, those that people run into
//! have codes here too, so that a shell can show both in one list: [`of_refused`].

use crate::cache::Payback;
use crate::outcome::{Cleared, Outcome, StopReason, Totals};
use crate::prices::{ModelFacts, Prices, WRITE_5M_FACTOR};
use crate::settings::{
    AskedFor, CLEAR_THINKING, CLEAR_TOOL_USES, COMPACT, COMPACT_LEAST_TRIGGER, ClearToolUses, Edit, Setting,
    Trigger,
};
use retrace_message::{Figure, Message};
use retrace_tokens::{Family, family_of};
use retrace_transcript::{BlockKind, Transcript};
use serde_json::Value;
use std::collections::BTreeMap;

/// Least share of the requests since the first clearing at which something is newly cleared, in percent, for a trigger to be
/// called near the floor.
const EACH_TURN_PERCENT: usize = 50;

/// Least clearings for that.
const EACH_TURN_LEAST: usize = 4;

/// Least broken prefixes for which `clear_at_least` is advised.
const BREAKS_LEAST: usize = 3;

/// Tools that are an agent's memory.
const MEMORY_TOOLS: [&str; 1] = ["memory"];

/// Something to know before a setting is deployed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// For programs, such as `trigger_never_reached`.
    pub code: &'static str,
    /// A sentence that names the number.
    pub message: Message,
}

impl Warning {
    fn new(code: &'static str, message: Message) -> Self {
        Self { code, message }
    }
}

/// Grounds for warnings.
#[derive(Clone, Copy, Debug)]
pub struct Grounds<'a> {
    /// The setting.
    pub setting: &'a Setting,
    /// The transcript it was tried on.
    pub transcript: &'a Transcript,
    /// Outcome there.
    pub outcome: &'a Outcome,
    /// Sums of the same transcript without any setting.
    pub without: &'a Totals,
    /// The model it is priced by.
    pub model: Option<&'a ModelFacts>,
    /// True if the requests have thinking on.
    pub thinking: bool,
    /// The table of prices.
    pub prices: &'a Prices,
}

/// The warnings of one setting on one transcript, the gravest kinds first.
#[must_use]
pub fn warnings(grounds: &Grounds<'_>) -> Vec<Warning> {
    let mut found = Vec::new();
    if *grounds.setting != Setting::default() {
        found.extend(of_other_vendor(grounds.transcript));
    }
    refusals(grounds, &mut found);
    ends_early(grounds, &mut found);
    for (index, edit) in grounds.setting.edits.iter().enumerate() {
        match edit {
            Edit::ClearToolUses(edit) => clearing(grounds, edit, &mut found),
            Edit::Compact(edit) => {
                compacting(grounds, edit.trigger, &format!("`{COMPACT}`"), &mut found);
                if edit.trigger < COMPACT_LEAST_TRIGGER {
                    found.push(under_floor(edit.trigger));
                }
            }
            Edit::ClearThinking(_) if index > 0 => found.push(not_first(index)),
            Edit::ClearThinking(_) => {}
        }
    }
    if let Some(AskedFor::ContextReaches(tokens)) = grounds.setting.compaction.as_ref().map(|it| &it.when) {
        compacting(grounds, *tokens, "`compaction`", &mut found);
    }
    if let Some(control) = grounds.setting.compaction_control.as_ref().filter(|control| control.enabled) {
        compacting(grounds, control.context_token_threshold, "`compaction_control`", &mut found);
        server_tools(grounds.transcript, &mut found);
    }
    pays_back(grounds, &mut found);
    found
}

/// Warns that a run was made with a model that takes no such setting: clearing and compaction are asked of Anthropic's
/// API.
#[must_use]
pub fn of_other_vendor(transcript: &Transcript) -> Option<Warning> {
    let models = transcript.requests.iter().filter_map(|request| request.model.as_deref());
    let model = models.into_iter().find(|model| !family_of(model, Family::V48).family.is_claude())?;
    let message = say::clearing_setting_anthropics_api_another(model);
    Some(Warning::new("not_anthropic", message))
}

/// Warnings with a code for a setting that was refused before it could be tried.
#[must_use]
pub fn of_refused(setting: &Value) -> Vec<Warning> {
    let fields = setting.get("context_management").unwrap_or(setting);
    let mut found = Vec::new();
    for (index, edit) in fields.get("edits").and_then(Value::as_array).into_iter().flatten().enumerate() {
        let kind = edit.get("type").and_then(Value::as_str);
        if kind == Some(CLEAR_THINKING) && index > 0 {
            found.push(not_first(index));
        }
        let trigger = edit.pointer("/trigger/value").and_then(Value::as_u64);
        if let Some(trigger) = trigger.filter(|&trigger| trigger < COMPACT_LEAST_TRIGGER)
            && kind == Some(COMPACT)
        {
            found.push(under_floor(trigger));
        }
    }
    found
}

fn not_first(index: usize) -> Warning {
    let message = say::edit_list_api_takes_first(CLEAR_THINKING, index + 1);
    Warning::new("thinking_not_first", message)
}

fn under_floor(trigger: u64) -> Warning {
    let (trigger, least) = (Figure::Count(trigger), Figure::Count(COMPACT_LEAST_TRIGGER));
    let message = say::trigger_tokens_api_takes_no(COMPACT, trigger, least);
    Warning::new("compaction_under_floor", message)
}

fn refusals(grounds: &Grounds<'_>, found: &mut Vec<Warning>) {
    for refused in grounds.setting.refused_for(grounds.model, grounds.thinking) {
        let code = if refused.message.contains("requires `thinking`") {
            "thinking_off"
        } else {
            "model_without_feature"
        };
        found.push(Warning::new(code, say::api_would_refuse(refused)));
    }
}

fn ends_early(grounds: &Grounds<'_>, found: &mut Vec<Warning>) {
    let Some(stopped) = grounds.outcome.stopped else { return };
    let (after, all) = (stopped.last + 1, grounds.outcome.requests.len());
    let message = match stopped.reason {
        StopReason::EndlessCompaction => {
            let floor = grounds.outcome.requests.get(stopped.last).map_or(0, |request| request.after);
            let floor = Figure::Count(floor);
            say::from_request_every_turn_compacts(after, all, floor)
        }
        StopReason::MaxIterations => say::max_iterations_ends_run_request(after, all),
        StopReason::Refusal => say::refusal_ends_run_request(after, all),
    };
    let code = match stopped.reason {
        StopReason::EndlessCompaction => "compaction_under_floor",
        StopReason::MaxIterations | StopReason::Refusal => "ends_early",
    };
    found.push(Warning::new(code, message));
}

fn clearing(grounds: &Grounds<'_>, edit: &ClearToolUses, found: &mut Vec<Warning>) {
    let clears: Vec<(usize, u64)> = clears(grounds.outcome);
    if clears.is_empty() {
        never_cleared(grounds, edit, found);
        return;
    }
    let since = grounds.outcome.requests.len() - clears[0].0;
    let often = clears.len() >= EACH_TURN_LEAST && clears.len() * 100 >= since * EACH_TURN_PERCENT;
    if often {
        let floor = clears
            .iter()
            .filter_map(|&(at, _)| Some(grounds.outcome.requests.get(at)?.after))
            .min()
            .unwrap_or(0);
        let message = say::clears_anew_requests_since_first(
            clears.len(),
            since,
            words_of(edit.trigger),
            Figure::Count(floor),
        );
        found.push(Warning::new("fires_each_turn", message));
    }
    let breaks = clears.iter().filter(|&&(at, _)| breaks(grounds.outcome, at)).count();
    if edit.clear_at_least.is_none() && breaks >= BREAKS_LEAST {
        let mut freed: Vec<u64> = clears.iter().map(|clear| clear.1).collect();
        freed.sort_unstable();
        let message = say::without_clear_least_cached_prefix(breaks, Figure::Count(freed[freed.len() / 2]));
        found.push(Warning::new("no_clear_at_least", message));
    }
    memory(grounds.transcript, edit, found);
}

/// Requests at which results were newly cleared, and what that freed.
fn clears(outcome: &Outcome) -> Vec<(usize, u64)> {
    let freed = |cleared: &[Cleared]| -> Option<u64> {
        let any = cleared.iter().any(|cleared| matches!(cleared, Cleared::Result { .. }));
        any.then(|| cleared.iter().fold(0, |sum: u64, cleared| sum.saturating_add(tokens_of(cleared))))
    };
    let of = |(index, request): (usize, &crate::outcome::RequestOutcome)| {
        Some((index, freed(&request.newly_cleared)?))
    };
    outcome.requests.iter().enumerate().filter_map(of).collect()
}

const fn tokens_of(cleared: &Cleared) -> u64 {
    match cleared {
        Cleared::Result { tokens, .. } | Cleared::Input { tokens, .. } | Cleared::Thinking { tokens, .. } => {
            *tokens
        }
    }
}

fn breaks(outcome: &Outcome, at: usize) -> bool {
    outcome.requests.get(at).is_some_and(|request| request.cache_break_at.is_some())
}

fn words_of(trigger: Trigger) -> Message {
    match trigger {
        Trigger::InputTokens(value) => say::tokens(Figure::Count(value)),
        Trigger::ToolUses(value) => say::tool_uses(Figure::Count(value)),
    }
}

fn never_cleared(grounds: &Grounds<'_>, edit: &ClearToolUses, found: &mut Vec<Warning>) {
    let largest = largest_context(grounds.outcome);
    let uses = most_uses(grounds.transcript, edit);
    let (reached, what) = match edit.trigger {
        Trigger::InputTokens(value) => {
            (largest > value, say::largest_context_run_tokens(Figure::Count(largest)))
        }
        Trigger::ToolUses(value) => (uses > value, say::most_tool_uses_one_request(Figure::Count(uses))),
    };
    let trigger = words_of(edit.trigger);
    if reached {
        let at_least = edit.clear_at_least.map(|least| say::clear_least_asks_tokens(Figure::Count(least)));
        let message = say::trigger_exceeded_but_nothing_cleared(
            trigger,
            Figure::Count(edit.keep),
            Figure::Count(uses),
            at_least.unwrap_or_default(),
        );
        found.push(Warning::new("nothing_to_clear", message));
    } else {
        let message = say::never_acts_trigger(CLEAR_TOOL_USES, trigger, what);
        found.push(Warning::new("trigger_never_reached", message));
    }
}

fn largest_context(outcome: &Outcome) -> u64 {
    outcome.requests.iter().map(|request| request.before).max().unwrap_or(0)
}

/// The most tool uses of tools that are not excluded in one request.
fn most_uses(transcript: &Transcript, edit: &ClearToolUses) -> u64 {
    let in_message: Vec<u64> = transcript
        .messages
        .iter()
        .map(|message| {
            let counts = |kind: &BlockKind| match kind {
                BlockKind::ToolUse { name, .. } => !edit.exclude_tools.contains(name),
                _ => false,
            };
            message.blocks.iter().filter(|block| counts(&block.kind)).count() as u64
        })
        .collect();
    let mut longest = vec![0; transcript.segments.len()];
    for request in &transcript.requests {
        if let Some(longest) = longest.get_mut(request.segment) {
            *longest = request.upto.max(*longest);
        }
    }
    let of = |(segment, upto): (&retrace_transcript::Segment, usize)| {
        segment.messages.iter().take(upto).filter_map(|&message| in_message.get(message)).sum()
    };
    transcript.segments.iter().zip(longest).map(of).max().unwrap_or(0)
}

fn memory(transcript: &Transcript, edit: &ClearToolUses, found: &mut Vec<Warning>) {
    let mut calls: BTreeMap<&str, u64> = BTreeMap::new();
    for block in transcript.messages.iter().flat_map(|message| &message.blocks) {
        if let BlockKind::ToolUse { name, .. } = &block.kind
            && MEMORY_TOOLS.contains(&name.as_str())
            && !edit.exclude_tools.contains(name)
        {
            *calls.entry(name).or_default() += 1;
        }
    }
    for (name, calls) in calls {
        let message = say::tool_not_exclude_tools_called(name, calls);
        found.push(Warning::new("memory_not_excluded", message));
    }
}

fn compacting(grounds: &Grounds<'_>, trigger: u64, what: &str, found: &mut Vec<Warning>) {
    let outcome = grounds.outcome;
    if outcome.compactions.is_empty() {
        let largest = Figure::Count(largest_context(outcome));
        let message = say::never_acts_trigger_tokens_largest(what, Figure::Count(trigger), largest);
        found.push(Warning::new("trigger_never_reached", message));
        return;
    }
    let Some(first) = outcome.compactions.first() else { return };
    let since = outcome.requests.len().saturating_sub(first.request);
    let many = outcome.compactions.len();
    if many >= EACH_TURN_LEAST && many * 100 >= since * EACH_TURN_PERCENT && outcome.stopped.is_none() {
        let floor =
            outcome.compactions.iter().filter_map(|it| Some(outcome.requests.get(it.request)?.after)).min();
        let message = say::compacts_requests_since_first_trigger(
            what,
            many,
            since,
            Figure::Count(trigger),
            Figure::Count(floor.unwrap_or(0)),
        );
        found.push(Warning::new("fires_each_turn", message));
    }
}

/// The SDK adds up the cache reads of all calls that the server made within one response.
fn server_tools(transcript: &Transcript, found: &mut Vec<Warning>) {
    let is_server = |kind: &BlockKind| matches!(kind, BlockKind::ToolUse { server: true, .. });
    let responses = transcript
        .messages
        .iter()
        .filter(|message| message.blocks.iter().any(|block| is_server(&block.kind)))
        .count();
    if responses > 0 {
        let message = say::responses_use_tools_server_whose(responses);
        found.push(Warning::new("server_tools_overcounted", message));
    }
}

/// When clearings have paid for themselves, in requests, over all of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaysBack {
    /// Requests until the clearings together have paid for themselves; `None` where they never do.
    pub after: Option<f64>,
    /// Clearings that broke a cached prefix.
    pub clearings: usize,
    /// Of these, how many have fewer requests left than they need.
    pub too_late: usize,
}

/// When the clearings of a run pay for themselves: what each costs at once against what it saves on each later request, by the
/// cache's prices relative to input. `None` where nothing breaks a cached prefix or the model has no price.
#[must_use]
pub fn pays_back_after(outcome: &Outcome, prices: &Prices, model: &str) -> Option<PaysBack> {
    let (mut extra, mut saved, mut found) = (0.0, 0.0, PaysBack { after: None, clearings: 0, too_late: 0 });
    let lines = prices.of(model);
    for (index, request) in outcome.requests.iter().enumerate() {
        let freed =
            request.newly_cleared.iter().fold(0, |sum: u64, cleared| sum.saturating_add(tokens_of(cleared)));
        let Some(first) = request.cache_break_at.filter(|_| freed > 0) else { continue };
        let line = lines.line(None, request.after)?;
        let read = if line.input > 0.0 { line.read / line.input } else { 0.0 };
        let prefix = request.after.saturating_add(freed);
        let payback = Payback::new(prefix as f64, first as f64, freed as f64, WRITE_5M_FACTOR, read);
        let left = (outcome.requests.len() - index - 1) as f64;
        extra += payback.extra;
        saved += payback.saved;
        found.clearings += 1;
        found.too_late += usize::from(payback.requests().is_none_or(|needed| needed > left));
    }
    found.after = Payback { extra, saved }.requests();
    (found.clearings > 0).then_some(found)
}

/// Two prices with as many digits as it takes to tell them apart; `None` where a hundredth of a cent does not.
fn distinguishable(one: f64, other: f64) -> Option<(Figure, Figure)> {
    (2..=4)
        .map(|digits| (Figure::dollars(one, digits), Figure::dollars(other, digits)))
        .find(|(one, other)| one != other)
}

fn pays_back(grounds: &Grounds<'_>, found: &mut Vec<Warning>) {
    let Some(model) = grounds.model else { return };
    if let Some(pays) = pays_back_after(grounds.outcome, grounds.prices, &model.key)
        && pays.too_late > 0
    {
        let together = pays.after.map_or_else(say::they_never_pay_themselves, |after| {
            say::they_pay_themselves_after_requests(format!("{:.1}", after))
        });
        let message = say::clearings_not_paid_back_end(pays.too_late, pays.clearings, together);
        found.push(Warning::new("pays_back_late", message));
    }
    let (with, without) = (grounds.outcome.totals.cost_usd, grounds.without.cost_usd);
    if let (Some(with), Some(without)) = (with, without)
        && with > without
        && let Some((now, before)) = distinguishable(with, without)
    {
        found.push(Warning::new("costs_more", say::run_costs_without(now, before)));
    }
}

#[cfg(test)]
mod tests;

retrace_message::messages! {
    /// Messages of this module.
    mod say in "warnings";
    clearing_setting_anthropics_api_another(model) => "Clearing is a setting of Anthropic's API, and {model} is another vendor's model: it cannot be set there. The figures say what the same clearing would free in this run.",
    edit_list_api_takes_first(value, index) => "`{value}` is edit {index} of the list; the API takes it as the first alone.",
    trigger_tokens_api_takes_no(value, trigger, least) => "`{value}` has a trigger of {trigger} tokens; the API takes no less than {least}.",
    api_would_refuse(refused) => "The API would refuse it: {refused}.",
    from_request_every_turn_compacts(after, all, floor) => "From request {after} of {all} on every turn compacts: after a compaction the context is {floor} tokens, and with the answer that reaches the threshold again.",
    max_iterations_ends_run_request(after, all) => "`max_iterations` ends the run at request {after} of {all}.",
    refusal_ends_run_request(after, all) => "A refusal ends the run at request {after} of {all}.",
    clears_anew_requests_since_first(count, since, trigger, floor) => "It clears anew at {count} of the {since} requests since the first clearing: the trigger is {trigger}, and what stays after a clearing is {floor} tokens.",
    without_clear_least_cached_prefix(breaks, count) => "Without `clear_at_least` the cached prefix breaks {breaks} times; half of these clearings free {count} tokens or less.",
    tokens(value) => "{value} tokens",
    tool_uses(value) => "{value} tool uses",
    largest_context_run_tokens(largest) => "the largest context of this run is {largest} tokens",
    most_tool_uses_one_request(uses) => "the most tool uses in one request of this run that it may clear are {uses}",
    clear_least_asks_tokens(least) => " and `clear_at_least` asks for {least} tokens",
    trigger_exceeded_but_nothing_cleared(trigger, keep, uses, at_least) => "The trigger of {trigger} is exceeded, but nothing is cleared: `keep` keeps {keep} of at most {uses} tool uses{at_least}.",
    never_acts_trigger(value, trigger, what) => "`{value}` never acts: its trigger is {trigger}; {what}.",
    tool_not_exclude_tools_called(name, calls) => "The tool `{name}` is not in `exclude_tools`, and is called {calls} times: what the agent looked up in its memory would be cleared.",
    never_acts_trigger_tokens_largest(what, trigger, largest) => "{what} never acts: its trigger is {trigger} tokens; the largest context of this run is {largest} tokens.",
    compacts_requests_since_first_trigger(what, many, since, trigger, unwrap_or) => "{what} compacts at {many} of the {since} requests since the first: its trigger is {trigger} tokens, and what stands after a compaction is {unwrap_or} tokens.",
    responses_use_tools_server_whose(responses) => "{responses} responses use tools of the server, whose cache reads the SDK adds up over the calls within one response: it compacts before the context reaches the threshold.",
    they_never_pay_themselves() => "they never pay for themselves",
    they_pay_themselves_after_requests(after) => "they pay for themselves after {after} requests",
    clearings_not_paid_back_end(too_late, clearings, together) => "Clearings not paid off by the end of the run: {too_late} of {clearings}. Taken together {together}.",
    run_costs_without(now, before) => "The run costs {now} with it and {before} without.",
}
