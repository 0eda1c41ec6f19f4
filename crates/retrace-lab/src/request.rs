//! One request of a transcript as it was sent.

use super::context::index_among;
use crate::Lab;
use crate::lab::find::{self, Place};
use crate::lab::loaded::{self, FileLines, Loaded};
use crate::lab::{rebuild, request_index};
use crate::wire::{ApiError, Code, RequestBody, RequestBodyReq};
use retrace_message::Message;
use retrace_transcript::requests::{RequestIndex, Unproved};
use serde_json::Value;
use std::sync::Arc;

/// One request as it was sent: rebuilt from what the client recorded, and proved by its digest. Where nothing is recorded,
/// it is put together from the lines of the transcript.
///
/// Of a large transcript only the lines of that request are read, once its index is known.
///
/// # Errors
/// Those of `context_show`; `not_found` for a request that is not there, `busy` for a file that changed meanwhile.
pub fn context_request(inner: &Arc<Lab>, request: RequestBodyReq) -> Result<RequestBody, ApiError> {
    let place = find::transcript(inner, &request.transcript)?;
    let at = request.at.trim();
    if let Some(found) = request_index::of(inner, &place.path)?
        && let Some(answer) = by_index(&place, &found.index, at, request.raw)?
    {
        if answer.proved == Some(true) || found.is_made_here {
            return Ok(answer);
        }
        let made = request_index::anew(inner, &place.path)?;
        if let Some(answer) = by_index(&place, &made.index, at, request.raw)? {
            return Ok(answer);
        }
    }
    let loaded = loaded::load_place(inner, place)?;
    whole(&loaded, at, request.raw)
}

/// By the index alone: `None` for what has to be put together from the lines of the transcript.
fn by_index(
    place: &Place,
    requests: &RequestIndex,
    at: &str,
    raw: bool,
) -> Result<Option<RequestBody>, ApiError> {
    let Some(answers) = requests.answers(place.part) else { return Ok(None) };
    let recorded_of = |index: usize| requests.recorded(place.part, index);
    let Ok(named) = named(requests, answers, &place.id, &recorded_of, at) else {
        // Read whole, it is told what there is instead.
        return Ok(None);
    };
    let (index, Some(recorded)) = named else { return Ok(None) };
    let answer = as_recorded(requests, &mut FileLines::open(&place.path)?, index, recorded, raw);
    let is_there = !answer.body.is_null() || answer.raw.is_some();
    Ok(Some(answer).filter(|_| is_there))
}

/// With the whole transcript at hand.
fn whole(loaded: &Loaded, at: &str, raw: bool) -> Result<RequestBody, ApiError> {
    let requests = loaded.request_index();
    let recorded_of = |index: usize| loaded.sent(index).map(|sent| sent.recorded);
    let answers = requests.answers(loaded.place.part).unwrap_or_default();
    let (index, recorded) = named(requests, answers, &loaded.place.id, &recorded_of, at)?;
    let mut answer = match recorded {
        Some(recorded) => as_recorded(requests, &mut loaded.lines()?, index, recorded, raw),
        None => RequestBody {
            index: index.map(|index| index as u64),
            id: index.map(|index| loaded.transcript().requests[index].id.clone()).unwrap_or_default(),
            source: None,
            proved: None,
            reason: Some(if loaded.lacks_history() {
                say::history_of_fork_not_found()
            } else {
                say::client_recorded_nothing()
            }),
            body: Value::Null,
            raw: None,
        },
    };
    if answer.body.is_null()
        && answer.raw.is_none()
        && let Some(index) = index
    {
        let body = from_lines(loaded, index);
        match raw {
            true => answer.raw = body.as_ref().map(Value::to_string),
            false => answer.body = body.unwrap_or_default(),
        }
    }
    Ok(answer)
}

/// Shortest beginning of an id, in characters, that is taken for one where it could be a number.
const SHORTEST_ID: usize = 4;

/// Index of a request in the transcript, and in what the client recorded.
fn named(
    requests: &RequestIndex,
    answers: &[String],
    transcript: &str,
    recorded_of: &dyn Fn(usize) -> Option<usize>,
    at: &str,
) -> Result<(Option<usize>, Option<usize>), ApiError> {
    let number = at.parse::<u64>();
    if let Ok(number) = number {
        match index_among(answers.len(), transcript, number) {
            Ok(index) => return Ok((Some(index), recorded_of(index))),
            // A number that is too large is no id, unless it is as long as one is given.
            Err(error) if at.len() < SHORTEST_ID => return Err(error),
            Err(_) => {}
        }
    }
    if let Some(index) = answers.iter().position(|id| id == at) {
        return Ok((Some(index), recorded_of(index)));
    }
    let recorded = requests.log().requests();
    let mut named = recorded.iter().enumerate().filter(|(_, one)| !at.is_empty() && one.id.starts_with(at));
    match (named.next(), named.next()) {
        (Some((recorded, _)), None) => {
            let index = (0..answers.len()).find(|&index| recorded_of(index) == Some(recorded));
            Ok((index, Some(recorded)))
        }
        (Some(_), Some(_)) => Err(ApiError::invalid(say::several_requests_id_begins(), at)),
        // No id begins with this number.
        (None, _) if number.is_ok() => {
            index_among(answers.len(), transcript, number.unwrap_or(u64::MAX)).map(|_| (None, None))
        }
        (None, _) => Err(ApiError::new(Code::NotFound, say::no_request_id(), at)
            .hint(say::request_named_index_transcript_from())),
    }
}

fn as_recorded(
    requests: &RequestIndex,
    lines: &mut FileLines,
    index: Option<usize>,
    recorded: usize,
    raw: bool,
) -> RequestBody {
    let rebuilt = requests.log().rebuild(recorded, lines);
    let (body, canonical, proof) = match rebuilt {
        Ok(rebuilt) => (rebuilt.body, Some(rebuilt.canonical), rebuilt.proof),
        Err(why) => (Value::Null, None, Err(why)),
    };
    let of = requests.log().requests().get(recorded);
    RequestBody {
        index: index.map(|index| index as u64),
        id: of.map(|of| of.id.clone()).unwrap_or_default(),
        source: of.map(|of| of.source.clone()),
        proved: Some(proof.is_ok()),
        reason: proof.err().map(unproved),
        raw: canonical.filter(|_| raw).and_then(|bytes| String::from_utf8(bytes).ok()),
        body: if raw { Value::Null } else { body },
    }
}

/// Why a request is not proved.
pub(super) fn unproved(why: Unproved) -> Message {
    match why {
        Unproved::NoShape => say::line_system_prompt_tools_not(),
        Unproved::NoMessages(1) => say::one_messages_not_file(),
        Unproved::NoMessages(missing) => say::messages_not_file(missing),
        Unproved::NoBase => say::request_goes_from_not_file(),
        Unproved::Mark => say::marks_place_cache_not(),
        Unproved::Unreadable => say::line_cannot_read(),
        Unproved::TooLarge => say::larger_than_request_can(),
        Unproved::NoDigest => say::client_recorded_no_digest(),
        Unproved::Differs => say::digest_another_than_what_rebuilt(),
    }
}

/// The body as the lines of the transcript tell it.
fn from_lines(loaded: &Loaded, index: usize) -> Option<Value> {
    let transcript = loaded.transcript();
    let request = transcript.requests.get(index)?;
    let model = request.model.as_deref().or(loaded.model.as_deref()).unwrap_or_default();
    rebuild::rebuild(transcript, request, model).map(|rebuilt| Value::Object(rebuilt.body))
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "request";
    client_recorded_nothing() => "The client recorded nothing of this request: it is put together from the lines of the transcript, which do not keep everything.",
    history_of_fork_not_found() => "The session is a fork, and the one that it goes on from is not found on this machine: what this request sent of it is missing here.",
    several_requests_id_begins() => "Several requests have an id that begins so.",
    no_request_id() => "There is no request of this id.",
    request_named_index_transcript_from() => "A request is named by its index in the transcript, from 0, or by its id.",
    line_system_prompt_tools_not() => "The line with its system prompt and tools is not in the file.",
    one_messages_not_file() => "One of its messages is not in the file.",
    messages_not_file(missing) => "{missing} of its messages are not in the file.",
    request_goes_from_not_file() => "The request that it goes on from is not in the file.",
    marks_place_cache_not() => "It marks a place for the cache that is not there.",
    line_cannot_read() => "A line of it cannot be read.",
    larger_than_request_can() => "It is larger than a request can be.",
    client_recorded_no_digest() => "The client recorded no digest of it.",
    digest_another_than_what_rebuilt() => "Its digest is another than that of what was rebuilt.",
}
