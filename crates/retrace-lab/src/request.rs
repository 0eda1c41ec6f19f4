//! One request of a transcript as it was sent.

use super::context::request_index;
use crate::Lab;
use crate::lab::loaded::{self, Loaded};
use crate::lab::rebuild;
use crate::wire::{ApiError, Code, RequestBody, RequestBodyReq};
use retrace_transcript::requests::Unproved;
use serde_json::Value;
use std::sync::Arc;

/// One request as it was sent: rebuilt from what the client recorded, and proved by its digest. Where nothing is recorded,
/// it is put together from the lines of the transcript.
///
/// # Errors
/// Those of `context_show`; `not_found` for a request that is not there, `busy` for a file that changed meanwhile.
pub fn context_request(inner: &Arc<Lab>, request: RequestBodyReq) -> Result<RequestBody, ApiError> {
    let loaded = loaded::load(inner, &request.transcript)?;
    let (index, recorded) = place(&loaded, request.at.trim())?;
    let mut answer = match recorded {
        Some(recorded) => as_recorded(&loaded, index, recorded, request.raw)?,
        None => RequestBody {
            index: index.map(|index| index as u64),
            id: index.map(|index| loaded.transcript().requests[index].id.clone()).unwrap_or_default(),
            source: None,
            proved: None,
            reason: Some(NOT_RECORDED.to_owned()),
            body: Value::Null,
            raw: None,
        },
    };
    if answer.body.is_null()
        && answer.raw.is_none()
        && let Some(index) = index
    {
        let body = from_lines(&loaded, index);
        match request.raw {
            true => answer.raw = body.as_ref().map(Value::to_string),
            false => answer.body = body.unwrap_or_default(),
        }
    }
    Ok(answer)
}

const NOT_RECORDED: &str = "The client recorded nothing of this request: it is put together from the lines of the transcript, \
     which do not keep everything.";

/// Index of a request in the transcript, and in what the client recorded.
fn place(loaded: &Loaded, at: &str) -> Result<(Option<usize>, Option<usize>), ApiError> {
    let recorded_of = |index: usize| loaded.sent(index).map(|sent| sent.recorded);
    let log = loaded.requests();
    let number = at.parse::<u64>();
    if let Some(Ok(index)) = number.clone().ok().map(|number| request_index(loaded, number)) {
        return Ok((Some(index), recorded_of(index)));
    }
    let requests = &loaded.transcript().requests;
    if let Some(index) = requests.iter().position(|request| request.id == at) {
        return Ok((Some(index), recorded_of(index)));
    }
    let mut named =
        log.requests().iter().enumerate().filter(|(_, one)| !at.is_empty() && one.id.starts_with(at));
    match (named.next(), named.next()) {
        (Some((recorded, _)), None) => {
            let index = (0..requests.len()).find(|&index| recorded_of(index) == Some(recorded));
            Ok((index, Some(recorded)))
        }
        (Some(_), Some(_)) => Err(ApiError::invalid(say::several_requests_id_begins(), at)),
        // No id begins with this number.
        (None, _) if number.is_ok() => {
            request_index(loaded, number.unwrap_or(u64::MAX)).map(|_| (None, None))
        }
        (None, _) => Err(ApiError::new(Code::NotFound, say::no_request_id(), at)
            .hint(say::request_named_index_transcript_from())),
    }
}

fn as_recorded(
    loaded: &Loaded,
    index: Option<usize>,
    recorded: usize,
    raw: bool,
) -> Result<RequestBody, ApiError> {
    let log = loaded.requests();
    let rebuilt = log.rebuild(recorded, &mut loaded.lines()?);
    let (body, canonical, proof) = match rebuilt {
        Ok(rebuilt) => (rebuilt.body, Some(rebuilt.canonical), rebuilt.proof),
        Err(why) => (Value::Null, None, Err(why)),
    };
    let of = log.requests().get(recorded);
    Ok(RequestBody {
        index: index.map(|index| index as u64),
        id: of.map(|of| of.id.clone()).unwrap_or_default(),
        source: of.map(|of| of.source.clone()),
        proved: Some(proof.is_ok()),
        reason: proof.err().map(unproved),
        raw: canonical.filter(|_| raw).and_then(|bytes| String::from_utf8(bytes).ok()),
        body: if raw { Value::Null } else { body },
    })
}

/// Why a request is not proved.
pub(super) fn unproved(why: Unproved) -> String {
    match why {
        Unproved::NoShape => say::line_system_prompt_tools_not().into_text(),
        Unproved::NoMessages(1) => say::one_messages_not_file().into_text(),
        Unproved::NoMessages(missing) => say::messages_not_file(missing).into_text(),
        Unproved::NoBase => say::request_goes_from_not_file().into_text(),
        Unproved::Mark => say::marks_place_cache_not().into_text(),
        Unproved::Unreadable => say::line_cannot_read().into_text(),
        Unproved::TooLarge => say::larger_than_request_can().into_text(),
        Unproved::NoDigest => say::client_recorded_no_digest().into_text(),
        Unproved::Differs => say::digest_another_than_what_rebuilt().into_text(),
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
