//! Comments and proposals that were made on this machine, as far as the hub has to have them. A hub whose database was restored from an
//! older backup has lost those since: the machine finds out, and says which they were.
//!
//! Their texts are not kept here. A copy beside the log would be one more place that a redaction on another machine does not reach.

use crate::client::HubError;
use crate::kept;
use crate::redactions::{Context, instant};
use crate::state;
use retrace_engine::Engine;
use retrace_sync::messages::{NOT_ALLOWED, NOT_FOUND};
use retrace_sync::said::{AskSaid, LostSaid, SaidComment};
use retrace_wire::{ApiError, HubFault, HubLost, HubLostKind, HubProblem};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Comments and proposals that are remembered, the newest of them.
const REMEMBERED: usize = 1_000;

/// How long is told what was lost, in microseconds: thirty days.
const TOLD: i64 = 30 * 24 * 3_600 * 1_000_000;

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Said {
    /// Number and time of a comment at the hub.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    comment: Option<SaidComment>,
    /// Id of a proposal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    proposal: Option<String>,
    /// The version or the store that it is about.
    about: String,
    /// When.
    at: i64,
}

/// What was lost, and when that was found.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Lost {
    said: Said,
    found_at: i64,
}

#[derive(Default, Serialize, Deserialize)]
struct Kept {
    /// So many of the first were there when a sync came to its end.
    confirmed: usize,
    said: Vec<Said>,
    #[serde(default)]
    lost: Vec<Lost>,
}

fn file(inner: &Engine) -> PathBuf {
    inner.options.data_dir.join("hub-said.json")
}

fn kept(inner: &Engine) -> Result<Kept, ApiError> {
    kept::read(&file(inner))
}

fn save(inner: &Engine, mut kept: Kept) -> Result<(), ApiError> {
    let more = kept.said.len().saturating_sub(REMEMBERED);
    kept.said.drain(..more);
    kept.confirmed = kept.confirmed.saturating_sub(more);
    let more = kept.lost.len().saturating_sub(REMEMBERED);
    kept.lost.drain(..more);
    kept::replace(inner, &file(inner), &kept, say::not_kept)
}

fn note(inner: &Engine, said: Said) -> Result<(), ApiError> {
    let _held = state::hold(inner)?;
    let mut known = kept(inner)?;
    known.said.push(said);
    save(inner, known)
}

/// Remembers that a comment was made here.
pub(crate) fn note_comment(inner: &Engine, comment: SaidComment, about: &str) -> Result<(), ApiError> {
    let at = inner.now().micros();
    note(inner, Said { comment: Some(comment), proposal: None, about: about.to_owned(), at })
}

/// Remembers that a proposal was made here.
pub(crate) fn note_proposal(inner: &Engine, id: &str, about: &str) -> Result<(), ApiError> {
    let at = inner.now().micros();
    note(inner, Said { comment: None, proposal: Some(id.to_owned()), about: about.to_owned(), at })
}

/// Forgets a comment that was removed from here.
pub(crate) fn forget_comment(inner: &Engine, number: u64) -> Result<(), ApiError> {
    let _held = state::hold(inner)?;
    let mut known = kept(inner)?;
    let is_it = |said: &Said| said.comment.is_some_and(|comment| comment.number == number);
    if let Some(at) = known.said.iter().position(is_it) {
        known.said.remove(at);
        known.confirmed -= usize::from(at < known.confirmed);
        save(inner, known)?;
    }
    Ok(())
}

/// Forgets all of it: of another hub it means nothing.
pub(crate) fn forget(inner: &Engine) -> Result<(), ApiError> {
    state::remove(&file(inner))
}

/// What a hash of everything that the hub was told covers of it.
pub(crate) fn known(inner: &Engine) -> Result<impl Serialize, ApiError> {
    Ok(kept(inner)?.said)
}

/// Asks for all of it again at the end of this sync.
pub(crate) fn ask_again(inner: &Engine) -> Result<(), ApiError> {
    let _held = state::hold(inner)?;
    let known = kept(inner)?;
    if known.confirmed == 0 {
        return Ok(());
    }
    save(inner, Kept { confirmed: 0, ..known })
}

/// Asks for what no sync found at the hub since; answers what the hub has lost of it.
pub(crate) fn ask(context: &Context<'_>) -> Result<Option<HubProblem>, HubError> {
    let inner = context.together;
    let known = kept(inner)?;
    let open = known.said.get(known.confirmed..).unwrap_or_default();
    if open.is_empty() {
        return Ok(None);
    }
    let asked = AskSaid {
        comments: open.iter().filter_map(|said| said.comment).collect(),
        proposals: open.iter().filter_map(|said| said.proposal.clone()).collect(),
    };
    let lost: LostSaid = match context.hub.call("said", &asked) {
        // A hub that is older does not tell, and a role that was taken does not ask.
        Err(HubError::Refused { kind, .. }) if [NOT_FOUND, NOT_ALLOWED].contains(&kind.as_str()) => {
            return Ok(None);
        }
        answer => answer?,
    };
    let is_lost = |said: &Said| {
        said.comment.is_some_and(|comment| lost.comments.contains(&comment.number))
            || said.proposal.as_ref().is_some_and(|id| lost.proposals.contains(id))
    };
    let gone: Vec<Said> = open.iter().filter(|said| is_lost(said)).cloned().collect();
    let _held = state::hold(inner)?;
    // More may have been said meanwhile.
    let mut now = kept(inner)?;
    let (asked_for, found_at) = (known.said.len().min(now.said.len()), inner.now().micros());
    let added = now.said.split_off(asked_for);
    now.said.retain(|said| !gone.contains(said));
    now.confirmed = now.said.len();
    now.said.extend(added);
    now.lost.extend(gone.iter().map(|said| Lost { said: said.clone(), found_at }));
    save(inner, now)?;
    let comments = gone.iter().filter(|said| said.comment.is_some()).count();
    Ok((!gone.is_empty()).then(|| HubProblem {
        code: HubFault::SaidLost,
        store_id: None,
        message: say::lost(comments, gone.len() - comments),
        hint: say::say_again(),
    }))
}

/// What hubs lost of it in the last thirty days.
pub(crate) fn lost(inner: &Engine) -> Result<Vec<HubLost>, ApiError> {
    let since = inner.now().micros().saturating_sub(TOLD);
    let told = |lost: Lost| HubLost {
        kind: if lost.said.comment.is_some() { HubLostKind::Comment } else { HubLostKind::Proposal },
        about: lost.said.about,
        at: instant(lost.said.at),
        found_at: instant(lost.found_at),
    };
    Ok(kept(inner)?.lost.into_iter().filter(|lost| lost.found_at > since).map(told).collect())
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "hub_said";
    not_kept(error) => "What was said at the hub cannot be written down: {error}.",
    lost(comments, proposals) => "The hub lost what was said on this machine, since its database was restored or a lagging copy took over. Comments: {comments}, proposals: {proposals}.",
    say_again() => "`retrace hub status` names them. Say again what still holds; their texts are kept nowhere.",
}
