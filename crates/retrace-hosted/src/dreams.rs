//! Dreams of a host: runs there that read a store and sessions and write a store anew.
//!
//! Each command calls the host and keeps nothing: what a dream wrote is mirrored, compared with its input and taken over by
//! the commands for that. What may not be asked for is said before the host is called.

use crate::Hosted;
use crate::jobs::Job;
use crate::remote::{self, HostCalls};
use crate::wire::{
    ApiError, Code, CreateDreamReq, Dream, DreamPlan, DreamRef, DreamUsage, Dreams, DreamsReq, RemoteQueue,
};
use retrace_log::{LogError, Reader, RemoteRow};
use retrace_message::Message;
use retrace_model::StoreId;
use retrace_remote::{NewDream, OutputBehavior, RemoteDream, RemoteError};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Dreams that are listed.
const MAX: usize = 1_000;

/// Pages that are asked for. A host may give fewer dreams a page than asked, but not without end.
const PAGES: usize = 1_000;

/// Where a dream writes: a new store, or the one it reads.
const CREATE_NEW: &str = "create_new";
const UPDATE_EXISTING: &str = "update_existing";

/// The dreams of a host, newest first. Calls the host.
///
/// # Errors
/// `invalid` for what is no base URL, `store_unavailable` when the host cannot be reached, `host_limited` when its limit is
/// reached, `key_refused` when there is no key that it takes.
pub fn dreams(inner: &Arc<Hosted>, request: DreamsReq) -> Result<Dreams, ApiError> {
    let at = Dreaming::at(inner, request.base_url.as_deref())?;
    let listed = at.listed(request.include_archived).map_err(|error| at.refused(&error, "dreams"))?;
    let mirrors = inner.read(|reader| Ok(reader.remotes()?))?;
    let dreams = listed.into_iter().map(|dream| at.view(dream, &mirrors)).collect();
    Ok(Dreams { base_url: at.base_url, dreams })
}

/// Content of a request for a dream, and what is queued here that the dream would not read. Calls no host.
///
/// # Errors
/// `invalid` for what the API would refuse, for a store that is not hosted, for one of another host and for what is no base
/// URL; `not_found` for an unknown name of a store.
pub fn plan_dream(inner: &Arc<Hosted>, request: CreateDreamReq) -> Result<DreamPlan, ApiError> {
    retrace_store_api::dreams::check(&request.sessions, &request.model, request.instructions.as_deref())
        .map_err(|refusal| ApiError::invalid(refusal.message, "create_dream"))?;
    let (base_url, input_remote_id, mirror) = inner.dreamt_store(&request)?;
    Ok(DreamPlan {
        base_url: inner.base_url(base_url.as_deref())?,
        input_remote_id,
        input_store_id: mirror.map(|store| store.to_string()),
        sessions: request.sessions,
        model: request.model,
        instructions: request.instructions,
        output_behavior: if request.update_existing { UPDATE_EXISTING } else { CREATE_NEW }.to_owned(),
        queued: match mirror {
            Some(store) => inner.shown_queue(Some(store))?,
            None => RemoteQueue::default(),
        },
    })
}

/// Asks a host for a dream, which runs there.
///
/// # Errors
/// Those of `dreams` and `plan_dream`; `head_moved` while changes of the store are queued here that the dream would not read,
/// unless the request says that it may go without them, and while another dream writes the store; `not_found` where the host
/// has no such store.
pub fn create_dream(inner: &Arc<Hosted>, request: CreateDreamReq) -> Result<Dream, ApiError> {
    let (store, without_queued) = (request.store.clone(), request.without_queued);
    let plan = plan_dream(inner, request)?;
    let queued = plan.queued.changes.len();
    if queued > 0 && !without_queued {
        let reported = match queued {
            1 => say::n1_change_store_queued_here(),
            queued => say::changes_store_queued_here_not(queued),
        };
        return Err(
            ApiError::new(Code::HeadMoved, reported, &store).hint(say::push_first_retrace_remote_push())
        );
    }
    let at = Dreaming::at(inner, Some(&plan.base_url))?;
    let new = NewDream {
        input_store: plan.input_remote_id,
        sessions: plan.sessions,
        model: plan.model,
        instructions: plan.instructions,
        update_existing: plan.output_behavior == UPDATE_EXISTING,
    };
    let made = at.host.create_dream(&new);
    at.answer(inner, made, &store)
}

/// Stops a dream that has not ended. One that was stopped stays as it is.
///
/// # Errors
/// Those of `dreams`; `invalid` for what is no dream's id and for a dream that has ended, `not_found` for an unknown one.
pub fn cancel_dream(inner: &Arc<Hosted>, request: DreamRef) -> Result<Dream, ApiError> {
    let at = Dreaming::at(inner, request.base_url.as_deref())?;
    at.answer(inner, at.host.cancel_dream(&request.dream), &request.dream)
}

/// Archives a dream that has ended. One that was archived stays as it is.
///
/// # Errors
/// Those of `dreams`; `invalid` for what is no dream's id and for a dream that has not ended, `not_found` for an unknown one.
pub fn archive_dream(inner: &Arc<Hosted>, request: DreamRef) -> Result<Dream, ApiError> {
    let at = Dreaming::at(inner, request.base_url.as_deref())?;
    at.answer(inner, at.host.archive_dream(&request.dream), &request.dream)
}

impl Hosted {
    /// Host and id of the store a dream is to read, and its mirror here: a mirror that is named, or a store of the host.
    fn dreamt_store(
        &self,
        request: &CreateDreamReq,
    ) -> Result<(Option<String>, String, Option<StoreId>), ApiError> {
        let mirror = self.read(|reader| mirror_named(self, reader, &request.store))?;
        let Some(mirror) = mirror else {
            // A store that is named by its id at the host may be mirrored all the same.
            let base_url = self.base_url(request.base_url.as_deref())?;
            let is_it = |row: &RemoteRow| row.base_url == base_url && row.remote_id == request.store;
            let mirror = self.read(|reader| Ok(reader.remotes()?))?.into_iter().find(is_it);
            return Ok((Some(base_url), request.store.clone(), mirror.map(|row| row.store)));
        };
        let asked = request.base_url.as_deref().map(|asked| self.base_url(Some(asked))).transpose()?;
        if asked.is_some_and(|asked| asked != mirror.base_url) {
            return Err(ApiError::invalid(say::store_mirrored_from_another_host(), &request.store)
                .hint(say::host(mirror.base_url)));
        }
        Ok((Some(mirror.base_url), mirror.remote_id, Some(mirror.store)))
    }
}

/// The mirror a person named; `None` for an id that is not known here.
///
/// # Errors
/// `not_found` for a name that is not known, `invalid` for a store that is not hosted.
fn mirror_named(inner: &Hosted, reader: &Reader<'_>, name: &str) -> Result<Option<RemoteRow>, ApiError> {
    let store = match StoreId::parse(name) {
        Ok(id) => match reader.store(id) {
            Ok(store) => store,
            Err(LogError::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        },
        // An id of a host need not have the form of ours.
        Err(_) if name.starts_with("memstore_") => return Ok(None),
        Err(_) => inner.store_named(reader, name)?,
    };
    match reader.remote(store.id)? {
        Some(mirror) => Ok(Some(mirror)),
        None => Err(ApiError::invalid(say::store_not_hosted_dreams_run(), &store.name)
            .hint(say::name_mirror_hosted_store_or())),
    }
}

/// A host that is asked about its dreams.
struct Dreaming {
    base_url: String,
    host: Box<dyn HostCalls>,
    /// Calls are made while it runs.
    _job: Job,
}

impl Dreaming {
    fn at(inner: &Arc<Hosted>, base_url: Option<&str>) -> Result<Self, ApiError> {
        let base_url = inner.base_url(base_url)?;
        let job = inner.jobs.begin(None)?;
        let host = inner.host(&base_url, &job).map_err(|error| remote::refusal(&error, &base_url))?;
        Ok(Self { base_url, host, _job: job })
    }

    fn listed(&self, include_archived: bool) -> Result<Vec<RemoteDream>, RemoteError> {
        let (mut dreams, mut cursor, mut seen) = (Vec::new(), None::<String>, BTreeSet::new());
        for _ in 0..PAGES {
            let page = self.host.dreams(include_archived, cursor.as_deref())?;
            dreams.extend(page.items);
            match page.next {
                Some(next) if dreams.len() < MAX => {
                    if !seen.insert(next.clone()) {
                        let cause = say::pages_lead_circle();
                        return Err(RemoteError::NotUnderstood { cause });
                    }
                    cursor = Some(next);
                }
                _ => break,
            }
        }
        dreams.truncate(MAX);
        Ok(dreams)
    }

    fn answer(
        &self,
        inner: &Hosted,
        dream: Result<RemoteDream, RemoteError>,
        subject: &str,
    ) -> Result<Dream, ApiError> {
        let dream = dream.map_err(|error| self.refused(&error, subject))?;
        let mirrors = inner.read(|reader| Ok(reader.remotes()?))?;
        Ok(self.view(dream, &mirrors))
    }

    /// A failure of a call. What the host refuses because of how things stand is told apart from a host that is away.
    fn refused(&self, error: &RemoteError, subject: &str) -> ApiError {
        let mut refused = remote::refusal(error, subject);
        match error {
            RemoteError::Refused { status: 400, .. } => refused.code = Code::Invalid,
            RemoteError::Refused { status: 409, .. } => refused.code = Code::HeadMoved,
            _ => {}
        }
        refused
    }

    fn view(&self, dream: RemoteDream, mirrors: &[RemoteRow]) -> Dream {
        let mirror = |remote_id: Option<&String>| {
            let is_it = |row: &&RemoteRow| row.base_url == self.base_url && Some(&row.remote_id) == remote_id;
            mirrors.iter().find(is_it).map(|row| row.store.to_string())
        };
        Dream {
            input_store_id: mirror(dream.input_store.as_ref()),
            output_store_id: mirror(dream.output_store.as_ref()),
            id: dream.id,
            status: dream.status,
            input_remote_id: dream.input_store,
            output_remote_id: dream.output_store,
            sessions: dream.sessions,
            model: dream.model,
            instructions: dream.instructions,
            output_behavior: match dream.output_behavior {
                OutputBehavior::CreateNew => CREATE_NEW,
                OutputBehavior::UpdateExisting { .. } => UPDATE_EXISTING,
                OutputBehavior::Unknown => "unknown",
            }
            .to_owned(),
            session_id: dream.session_id,
            error: dream.error.map(|error| Message::verbatim(format!("{}: {}", error.kind, error.message))),
            usage: DreamUsage {
                input_tokens: dream.usage.input_tokens,
                output_tokens: dream.usage.output_tokens,
                cache_creation_input_tokens: dream.usage.cache_creation_input_tokens,
                cache_read_input_tokens: dream.usage.cache_read_input_tokens,
            },
            created_at: dream.created_at.to_rfc3339(),
            ended_at: dream.ended_at.map(|at| at.to_rfc3339()),
            archived_at: dream.archived_at.map(|at| at.to_rfc3339()),
        }
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "dreams";
    n1_change_store_queued_here() => "1 change of the store is queued here and not at its host, where the dream reads it. Nothing was asked for.",
    changes_store_queued_here_not(queued) => "{queued} changes of the store are queued here and not at its host, where the dream reads it. Nothing was asked for.",
    push_first_retrace_remote_push() => "Push first (`retrace remote push`), or say that it may go without them (`--without-queued`).",
    store_mirrored_from_another_host() => "The store is mirrored from another host.",
    host(base_url) => "Its host is {base_url}.",
    store_not_hosted_dreams_run() => "The store is not hosted; dreams run at a host.",
    name_mirror_hosted_store_or() => "Name the mirror of a hosted store, or a store's id at the host.",
    pages_lead_circle() => "its pages lead in a circle",
}
