//! Composition of a transcript's context.

use crate::Lab;
use crate::lab::agent;
use crate::lab::in_force;
use crate::lab::loaded::{self, Loaded};
use crate::lab::prices::{Table, is_fast_without_price, request_price};
use crate::lab::rows;
use crate::lab::view;
use crate::wire::show;
use crate::wire::{
    ApiError, Code, Composition, CompositionReq, ContextEvent, ContextFile, ContextPeak, ContextRequest,
    ContextShow, ContextShowReq, LargeBlock, NamedTokens, RestsOn, UnansweredRequest,
};
use crate::wire::{CarriedClass, ContextEventKind};
use retrace_context::compose::{FileUse, Named, answer, file_uses, parts};
use retrace_context::prices::Models;
use retrace_context::{FileClass, compose, compose_request};
use retrace_message::Message;
use retrace_sessions::SessionRow;
use retrace_tokens::Family;
use retrace_transcript::{Account, Cause, MicroDollars, Request, Segment, Transcript, Usage};
use std::sync::Arc;

/// Largest blocks that a composition names.
const LARGEST_BLOCKS: usize = 20;

/// Composition of the context, request by request.
///
/// # Errors
/// `not_found` for an unknown transcript, `invalid` for a name that several have and for a file that is none.
pub fn context_show(inner: &Arc<Lab>, request: ContextShowReq) -> Result<ContextShow, ApiError> {
    let loaded = loaded::load(inner, &request.transcript)?;
    let table = inner.lab.prices.get(inner);
    let transcript = loaded.transcript();
    let cost_usd = cost(transcript, &table);
    let placeholders = transcript.requests.iter().filter(|it| is_told_in_part(it)).count() as u64;
    let fast = fast_without_price(transcript, &table);
    let facts = loaded.model.as_deref().and_then(|model| Models::builtin().get(model));
    let parts = parts(transcript, &loaded.weights);
    let answer = loaded.weights.peak().map(|peak| view::answer(&answer(&parts, peak), &parts));
    let requests = requests(&loaded);
    Ok(ContextShow {
        transcript: loaded.place.id.clone(),
        path: show(&loaded.place.path),
        format: transcript.format.name().to_owned(),
        title: transcript.session.title.clone(),
        agent: agent::facts(&loaded.place.path),
        subagents: subagents(inner, &loaded),
        model: loaded.model.clone(),
        family: loaded.weights.family.to_owned(),
        family_assumed: loaded.weights.family_assumed,
        context_window: transcript.session.context_window.or_else(|| facts.map(|facts| facts.window)),
        family_range_percent: Family::parse(loaded.weights.family).and_then(|family| family.range(100)),
        peak: loaded.weights.peak().map(|request| ContextPeak {
            request: request as u64,
            tokens: loaded.weights.contexts[request],
            kind: view::kind(loaded.weights.bases[request]),
        }),
        answer,
        parts: parts.into_iter().map(view::part).collect(),
        proved_requests: requests.iter().filter(|request| request.proved == Some(true)).count() as u64,
        in_force: in_force::of(&loaded).map(|found| found.shown()),
        requests,
        events: events(&loaded),
        memory_files: files(&loaded, &table),
        cost_usd,
        cost_is_lower_bound: cost_usd.is_some() && placeholders + fast > 0,
        requests_with_placeholder_output: placeholders,
        requests_fast_without_price: fast,
        client_cost_usd: transcript.session.client_cost.map(MicroDollars::dollars),
        tools_used: transcript.session.tools_used.clone(),
        unanswered: unanswered(&loaded),
        remarks: remarks(loaded.account()).into_iter().collect(),
    })
}

/// Ids of the transcripts of the run's subagents, as far as the index knows them.
fn subagents(inner: &Lab, loaded: &Loaded) -> Vec<String> {
    if loaded.place.part > 0 {
        return Vec::new();
    }
    inner.lab.index.recall(inner);
    let snapshot = inner.lab.index.snapshot();
    let is_it =
        |session: &&SessionRow| session.main.as_ref().is_some_and(|main| main.path == loaded.place.path);
    let session = snapshot.sessions().iter().find(is_it);
    session.map(|session| rows::subagents(session, &loaded.place.id)).unwrap_or_default()
}

/// Recorded requests without an answer, of the file's main conversation, which has them all.
fn unanswered(loaded: &Loaded) -> Vec<UnansweredRequest> {
    if loaded.place.part > 0 {
        return Vec::new();
    }
    let log = loaded.requests();
    let recorded = log.unanswered().into_iter().filter_map(|index| log.requests().get(index));
    let each = recorded.map(|request| UnansweredRequest {
        id: request.id.clone(),
        time: request.at.map(|at| at.to_rfc3339()),
        source: request.source.clone(),
        messages: request.messages as u64,
    });
    each.collect()
}

/// Requests in fast mode that are priced as others are.
pub(super) fn fast_without_price(transcript: &Transcript, table: &Table) -> u64 {
    transcript.requests.iter().filter(|request| is_fast_without_price(&table.prices, request)).count() as u64
}

fn requests(loaded: &Loaded) -> Vec<ContextRequest> {
    let (transcript, weights) = (loaded.transcript(), &loaded.weights);
    compose(transcript, weights)
        .iter()
        .zip(&transcript.requests)
        .enumerate()
        .map(|(index, (classes, request))| ContextRequest {
            index: index as u64,
            id: request.id.clone(),
            time: request.at.map(|at| at.to_rfc3339()),
            model: request.model.clone().filter(|model| Some(model) != loaded.model.as_ref()),
            recorded: request.usage.as_ref().map(view::usage),
            context: weights.contexts[index],
            kind: view::kind(weights.bases[index]),
            classes: view::classes(classes),
            rests_on: rests_on(loaded, index),
            proved: loaded.sent(index).map(|sent| sent.proof.is_ok()),
        })
        .collect()
}

/// What the composition of a request rests on.
fn rests_on(loaded: &Loaded, request: usize) -> RestsOn {
    match loaded.sent(request) {
        Some(sent) if sent.proof.is_ok() => RestsOn::Request,
        _ => RestsOn::Transcript,
    }
}

/// Events that took content away, in the order of the requests.
pub(super) fn events(loaded: &Loaded) -> Vec<ContextEvent> {
    let transcript = loaded.transcript();
    let mut events: Vec<ContextEvent> = transcript
        .segments
        .iter()
        .enumerate()
        .filter_map(|(index, segment)| event(loaded, index, segment))
        .collect();
    for (index, request) in transcript.requests.iter().enumerate() {
        let freed: u64 = request.applied_edits.iter().flatten().map(|edit| edit.cleared_input_tokens).sum();
        if freed > 0 {
            let after = loaded.weights.contexts[index];
            events.push(ContextEvent {
                before_request: index as u64,
                event: ContextEventKind::ServerEdit,
                tokens_before: Some(after.saturating_add(freed)),
                tokens_after: Some(after),
                note: say::server_reported_tokens_cleared_context(freed),
            });
        }
    }
    events.sort_by_key(|event| event.before_request);
    events
}

fn event(loaded: &Loaded, index: usize, segment: &Segment) -> Option<ContextEvent> {
    let transcript = loaded.transcript();
    let contexts = &loaded.weights.contexts;
    let next = transcript.requests.iter().position(|request| request.segment == index);
    let before_request = next.unwrap_or(transcript.requests.len());
    let context_before = before_request.checked_sub(1).and_then(|before| contexts.get(before)).copied();
    let context_after = next.and_then(|next| contexts.get(next)).copied();
    let event_of =
        |event: ContextEventKind, before: Option<u64>, after: Option<u64>, note: Message| ContextEvent {
            before_request: before_request as u64,
            event,
            tokens_before: before.or(context_before),
            tokens_after: after.or(context_after),
            note,
        };
    match &segment.cause {
        Cause::Start => None,
        Cause::Compacted(compaction) => {
            let by = compaction.trigger.as_deref().map_or_else(say::how_begun_not_told, Message::verbatim);
            let note = say::compaction_put_summary_place_what(by);
            Some(event_of(
                ContextEventKind::Compaction,
                compaction.tokens_before,
                compaction.tokens_after,
                note,
            ))
        }
        Cause::Microcompacted { tokens_before, tokens_saved } => {
            let after = tokens_before.zip(*tokens_saved).map(|(before, saved)| before.saturating_sub(saved));
            let results = segment.dropped_results.len();
            let note = say::client_dropped_old_tool_results(results);
            Some(event_of(ContextEventKind::Microcompaction, *tokens_before, after, note))
        }
        Cause::Rewound => {
            Some(event_of(ContextEventKind::Rewind, None, None, say::person_went_back_earlier_message()))
        }
        Cause::Replaced => {
            Some(event_of(ContextEventKind::Replaced, None, None, say::client_sent_another_history()))
        }
    }
}

/// Memory and instruction files with what carrying them cost.
fn files(loaded: &Loaded, table: &Table) -> Vec<ContextFile> {
    file_costs(loaded, table)
        .into_iter()
        .map(|file| ContextFile {
            class: file_class(file.class),
            tokens: file.tokens,
            partial: file.partial,
            requests: file.requests,
            cost_usd: file.cost_usd,
            path: file.path,
        })
        .collect()
}

/// The files of a session; a token costs the mean of its request's cached and uncached input.
pub(super) fn file_costs(loaded: &Loaded, table: &Table) -> Vec<FileUse> {
    let transcript = loaded.transcript();
    let prices: Vec<Option<f64>> = transcript
        .requests
        .iter()
        .map(|request| {
            let context = request.usage.as_ref().map(retrace_transcript::Usage::context)?;
            let price = request_price(&table.prices, request, false)?;
            (context > 0).then(|| price / context as f64)
        })
        .collect();
    file_uses(transcript, &loaded.weights, &|index| prices.get(index).copied().flatten())
}

pub(super) const fn file_class(class: FileClass) -> CarriedClass {
    match class {
        FileClass::Instructions => CarriedClass::Instructions,
        FileClass::Memory => CarriedClass::Memory,
    }
}

/// Price of the run as recorded; `None` where a call has no price or nothing was recorded.
fn cost(transcript: &Transcript, table: &Table) -> Option<f64> {
    let recorded = transcript.requests.iter().filter(|request| request.usage.is_some());
    let mut sum = None;
    for request in recorded {
        sum = Some(sum.unwrap_or(0.0) + request_price(&table.prices, request, true)?);
    }
    sum
}

/// True for a request of whose usage the client recorded a part: a placeholder for its output, or, in a fork, nothing at all.
pub(super) fn is_told_in_part(request: &Request) -> bool {
    let is_empty = |usage: &Usage| usage.context() == 0 && usage.output == 0;
    request.usage.as_ref().is_some_and(|usage| !request.output_is_final || is_empty(usage))
}

/// Describes the parts of the file that were not understood.
fn remarks(account: &Account) -> Vec<Message> {
    let mut remarks = Vec::new();
    if account.malformed_lines > 0 {
        let lines = account.malformed_lines;
        remarks.push(match account.malformed.first() {
            Some(first) if lines == 1 => say::n1_line_could_not_read(first.line, &first.reason),
            Some(first) => say::lines_could_not_read_line(lines, first.line, &first.reason),
            None if lines == 1 => say::n1_line_could_not_read_2(),
            None => say::lines_could_not_read(lines),
        });
    }
    for (name, count) in &account.unknown {
        let name = if name.is_empty() { say::without_type() } else { Message::verbatim(name.as_str()) };
        remarks.push(match count {
            1 => say::not_understood_1_line_or(name),
            count => say::not_understood_lines_or_blocks(count.to_string(), name),
        });
    }
    if account.last_line_cut {
        remarks.push(say::last_line_cut_file_still());
    }
    for (what, count) in &account.oddities {
        remarks.push(say::oddity(what, *count));
    }
    remarks
}

/// Composition of one request, in detail.
///
/// # Errors
/// Those of [`context_show`]; `not_found` for a request that is not there.
pub fn context_composition(inner: &Arc<Lab>, request: CompositionReq) -> Result<Composition, ApiError> {
    let loaded = loaded::load(inner, &request.transcript)?;
    let index = request_index(&loaded, request.request)?;
    let composed =
        compose_request(loaded.transcript(), &loaded.weights, index, LARGEST_BLOCKS).ok_or_else(|| {
            no_such_request(loaded.transcript().requests.len(), &loaded.place.id, request.request)
        })?;
    Ok(Composition {
        request: request.request,
        context: composed.context,
        kind: view::kind(composed.basis),
        classes: view::classes(&composed.classes),
        files: composed
            .files
            .into_iter()
            .map(|file| NamedTokens { name: file.path, count: file.count, tokens: file.tokens })
            .collect(),
        tool_results: composed.tool_results.into_iter().map(named).collect(),
        tool_inputs: composed.tool_inputs.into_iter().map(named).collect(),
        system_prompt: composed.system_prompt,
        tools: composed.tools.into_iter().map(named).collect(),
        attachments: composed.attachments.into_iter().map(named).collect(),
        rests_on: rests_on(&loaded, index),
        largest: composed
            .largest
            .into_iter()
            .map(|block| LargeBlock {
                label: block.label,
                tokens: block.tokens,
                since_request: block.since_request as u64,
            })
            .collect(),
    })
}

fn named(named: Named) -> NamedTokens {
    NamedTokens { name: named.name, count: named.count, tokens: named.tokens }
}

/// The index of a request that is there.
pub(super) fn request_index(loaded: &Loaded, request: u64) -> Result<usize, ApiError> {
    index_among(loaded.transcript().requests.len(), &loaded.place.id, request)
}

/// An index among so many requests of a transcript.
pub(super) fn index_among(count: usize, transcript: &str, request: u64) -> Result<usize, ApiError> {
    let index = usize::try_from(request).ok().filter(|index| *index < count);
    index.ok_or_else(|| no_such_request(count, transcript, request))
}

fn no_such_request(count: usize, transcript: &str, request: u64) -> ApiError {
    let hint = match count {
        0 => say::transcript_holds_no_request(),
        count => say::requests_numbered_from_0(count - 1),
    };
    ApiError::new(Code::NotFound, say::no_request(request), transcript).hint(hint)
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "context";
    oddity(what, count) => "{what}: {count}.",
    server_reported_tokens_cleared_context(freed) => "The server reported {freed} tokens cleared by context editing.",
    compaction_put_summary_place_what(by) => "A compaction put a summary in place of what was there ({by}).",
    client_dropped_old_tool_results(results) => "The client dropped {results} old tool results in place.",
    person_went_back_earlier_message() => "A person went back to an earlier message.",
    client_sent_another_history() => "The client sent another history.",
    n1_line_could_not_read(line, reason) => "1 line could not be read: line {line}: {reason}.",
    lines_could_not_read_line(lines, line, reason) => "{lines} lines could not be read: line {line}: {reason}.",
    n1_line_could_not_read_2() => "1 line could not be read.",
    lines_could_not_read(lines) => "{lines} lines could not be read.",
    without_type() => "without a type",
    not_understood_1_line_or(name) => "Not understood: 1 line or block ({name}).",
    not_understood_lines_or_blocks(count, name) => "Not understood: {count} lines or blocks ({name}).",
    last_line_cut_file_still() => "The last line is cut, as in a file that is still written.",
    transcript_holds_no_request() => "The transcript holds no request.",
    requests_numbered_from_0(count) => "Requests are numbered from 0 to {count}.",
    no_request(request) => "There is no request {request}.",
    how_begun_not_told() => "how it was begun is not told",
}
