//! The log as people read it: versions, operations, activity.

use crate::History;
use crate::origins::notes_of;
use crate::plan::undoable;
use crate::target::{memory_id, path};
use crate::target::{time, version_named};
use crate::view;
use crate::wire::{
    Activity, ActivityMark, ActivityReq, ApiError, LogPage, LogReq, ShowReq, Shown, TimelinePage, TimelineReq,
};
use base64::Engine as _;
use retrace_log::{Reader, VersionFilter, VersionRow};
use std::sync::Arc;

/// Rows of a page unless asked otherwise.
const PAGE: u64 = 100;
/// Rows of the largest page.
const LARGEST_PAGE: u64 = 1000;
/// Versions shown with each operation of a timeline.
const SHOWN_VERSIONS: u64 = 20;
/// Marks on a store's axis.
const MARKS: usize = 1000;

/// A page of versions, newest first.
///
/// # Errors
/// `not_found` for an unknown store or memory, `invalid` for a filter that cannot be read.
pub fn log(inner: &Arc<History>, request: LogReq) -> Result<LogPage, ApiError> {
    if request.actor.is_some() {
        super::origin::joined(inner)?;
    }
    // Titles and prompts of writers are told as far as the index of transcripts is kept.
    inner.recall_transcripts();
    inner.read(|reader| {
        let limit = page(request.limit)?;
        let filter = VersionFilter {
            store: request
                .store
                .as_deref()
                .map(|name| inner.store_named(reader, name))
                .transpose()?
                .map(|row| row.id),
            memory: request.memory.as_deref().map(memory_id).transpose()?,
            path: request.path.as_deref().map(path).transpose()?,
            operation: request
                .operation
                .as_deref()
                .map(|word| {
                    word.parse().map_err(|error| ApiError::invalid(crate::wire::sentence(&error), word))
                })
                .transpose()?,
            actor: request.actor.as_deref().map(|actor| actor_named(inner, reader, actor)).transpose()?,
            since: request.since.as_deref().map(time).transpose()?,
            until: request.until.as_deref().map(time).transpose()?,
            operation_seq: request.operation_seq,
            before: request.before,
            limit,
            ..VersionFilter::default()
        };
        let rows = reader.versions(&filter)?;
        let next_before = if rows.len() as u64 == limit { rows.last().map(|row| row.id.seq) } else { None };
        let writers = notes_of(inner, reader, &rows)?;
        Ok(LogPage { versions: rows.iter().map(|row| view::listed(row, &writers)).collect(), next_before })
    })
}

/// An actor by its name; a session also by the beginning of its id. None at all is `unknown`.
fn actor_named(inner: &History, reader: &Reader<'_>, name: &str) -> Result<String, ApiError> {
    match name {
        "unknown" => Ok(String::new()),
        name if reader.has_actor(name)? => Ok(name.to_owned()),
        name => crate::origin::session_named(inner, reader, name),
    }
}

/// A page of operations, newest first, each with its first versions.
///
/// # Errors
/// `not_found` for an unknown store.
pub fn timeline(inner: &Arc<History>, request: TimelineReq) -> Result<TimelinePage, ApiError> {
    inner.read(|reader| {
        let limit = page(request.limit)?;
        let store = request.store.as_deref().map(|name| inner.store_named(reader, name)).transpose()?;
        let rows = reader.operations(store.map(|row| row.id), request.before, limit)?;
        let next_before = if rows.len() as u64 == limit { rows.last().map(|row| row.seq) } else { None };
        let shown: Vec<Vec<VersionRow>> = rows
            .iter()
            .map(|row| {
                let filter = VersionFilter {
                    operation_seq: Some(row.seq),
                    limit: SHOWN_VERSIONS,
                    ..VersionFilter::default()
                };
                let mut versions = if row.versions == 0 { Vec::new() } else { reader.versions(&filter)? };
                versions.reverse();
                Ok(versions)
            })
            .collect::<Result<_, ApiError>>()?;
        let writers = notes_of(inner, reader, shown.iter().flatten())?;
        let operations = rows
            .iter()
            .zip(&shown)
            .map(|(row, versions)| Ok(view::operation(row, versions, &writers, undoable(reader, row)?)))
            .collect::<Result<_, ApiError>>()?;
        Ok(TimelinePage { operations, next_before })
    })
}

/// When a store changed, for the time machine's axis.
///
/// # Errors
/// `not_found` for an unknown store.
pub fn activity(inner: &Arc<History>, request: ActivityReq) -> Result<Activity, ApiError> {
    inner.read(|reader| {
        let store = inner.store_named(reader, &request.store)?;
        let past = reader.past_activity(store.id, MARKS)?.into_iter().map(|mark| (mark, true));
        let observed = reader.activity(store.id, MARKS)?.into_iter().map(|mark| (mark, false));
        let marks = past
            .chain(observed)
            .map(|(mark, rebuilt)| ActivityMark {
                operation_seq: mark.operation_seq,
                rebuilt,
                at: mark.at.to_rfc3339(),
                source: mark.source.into(),
                created: mark.counts.0,
                modified: mark.counts.1,
                deleted: mark.counts.2,
            })
            .collect();
        Ok(Activity { marks })
    })
}

/// One version, with its content where asked.
///
/// # Errors
/// `not_found` for an unknown version, `content_redacted` when its content is asked for and gone.
pub fn show(inner: &Arc<History>, request: ShowReq) -> Result<Shown, ApiError> {
    inner.read(|reader| {
        let row = version_named(reader, &request.version)?;
        let writers = notes_of(inner, reader, [&row])?;
        let mut shown = Shown { version: view::listed(&row, &writers), content: None, content_base64: None };
        if request.content
            && let Some(content) = reader.content(&row)?
        {
            match String::from_utf8(content.bytes) {
                Ok(text) => shown.content = Some(text),
                Err(error) => {
                    shown.content_base64 =
                        Some(base64::engine::general_purpose::STANDARD.encode(error.into_bytes()));
                }
            }
        }
        Ok(shown)
    })
}

fn page(limit: Option<u64>) -> Result<u64, ApiError> {
    match limit {
        None => Ok(PAGE),
        Some(0) => Err(ApiError::invalid(say::page_least_one_row(), "limit")),
        Some(limit) => Ok(limit.min(LARGEST_PAGE)),
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "history";
    page_least_one_row() => "A page has at least one row.",
}
