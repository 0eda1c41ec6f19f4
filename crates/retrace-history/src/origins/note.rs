//! An answer of the join in words.

use super::{first_line, gather, put_back, written};
use crate::History;
use crate::view::Writers;
use crate::wire::show;
use crate::wire::{ApiError, OriginNote};
use crate::wire::{OriginConfidence, OriginRole};
use retrace_engine::path_from_bytes;
use retrace_lab::shortened;
use retrace_log::{OriginRow, Reader, VersionRow};
use retrace_message::Message;
use retrace_model::Evidence;
use retrace_model::{Actor, Timestamp};
use retrace_sessions::{SessionRow, Snapshot};
use std::collections::HashMap;
use std::path::Path;

/// Characters of a title.
const TITLE: usize = 200;

/// Larger transcripts are not read for the prompt of a row in a list: 64 MiB take a good tenth of a second.
const LARGEST_FOR_PROMPT: u64 = 64 << 20;

/// Role that the log keeps as a word; `None` for a word of a later version.
fn role_of(word: Option<&str>) -> Option<OriginRole> {
    word.and_then(|word| word.parse().ok())
}

/// Note on a version of which nothing is known.
pub(crate) fn unknown_note() -> OriginNote {
    OriginNote {
        confidence: OriginConfidence::Unknown,
        session_id: None,
        title: None,
        model: None,
        role: None,
        transcript: None,
        turn: None,
        prompt: None,
    }
}

/// Who wrote what a version has, in short; `None` when a person, the API or nobody in a session did. Titles come from the index as it
/// is; the prompt is read where it was not.
///
/// # Errors
/// A failure of the log.
pub fn origin_note(
    inner: &History,
    reader: &Reader<'_>,
    version: &VersionRow,
) -> Result<Option<OriginNote>, ApiError> {
    let version = &*written(reader, version)?;
    let snapshot = inner.lab.index().snapshot();
    if let Some(row) = reader.origin(version.id.seq)? {
        return Ok(Some(note_of(inner, &snapshot, &row, true)));
    }
    Ok(match &version.actor {
        Actor::Session { id, evidence } => {
            let session = session_of(&snapshot, id);
            let call = version
                .rebuilt
                .then(|| session.and_then(|session| call_at(session, version.created_at)))
                .flatten();
            let call = call.unwrap_or_else(unknown_note);
            // Prompt that the writer reported, until a redaction takes it out.
            let prompt_row = reader.prompt_of(version.operation_seq)?.unwrap_or_default();
            Some(OriginNote {
                turn: prompt_row.turn.or(call.turn),
                prompt: prompt_row.text.as_deref().map(first_line).or(call.prompt),
                confidence: (*evidence).into(),
                session_id: Some(id.clone()),
                title: session.and_then(title),
                transcript: session.and_then(|session| transcript_of(&snapshot, session)),
                model: call.model,
                role: call.role,
            })
        }
        _ => None,
    })
}

/// Who wrote the versions of a list, with one look into the log. A prompt is told where it was read before;
/// no transcript is read. Versions that nobody in a session is known to have written are left out.
///
/// # Errors
/// A failure of the log.
pub fn notes_of<'v>(
    inner: &History,
    reader: &Reader<'_>,
    versions: impl IntoIterator<Item = &'v VersionRow>,
) -> Result<Writers, ApiError> {
    let mut writers = Writers::default();
    let mut rows = Vec::new();
    for version in versions {
        writers.put_back.extend(put_back(reader, version)?.map(|put_back| (version.id.seq, put_back)));
        rows.push((version.id.seq, written(reader, version)?));
    }
    let by_session: Vec<(u64, u64, &str, Evidence)> = rows
        .iter()
        .filter_map(|(seq, first)| match &first.actor {
            Actor::Session { id, evidence } => Some((*seq, first.id.seq, id.as_str(), *evidence)),
            _ => None,
        })
        .collect();
    if by_session.is_empty() {
        return Ok(writers);
    }
    let seqs: Vec<u64> = by_session.iter().map(|(_, first, ..)| *first).collect();
    let joined = reader.origins_of(&seqs)?;
    let snapshot = inner.lab.index().snapshot();
    // Note on a session without a call of it, looked up once for each.
    let mut sessions: HashMap<&str, OriginNote> = HashMap::new();
    let notes = by_session.into_iter().map(|(seq, first, id, evidence)| {
        let of_session = sessions.entry(id).or_insert_with(|| {
            let session = session_of(&snapshot, id);
            OriginNote {
                session_id: Some(id.to_owned()),
                title: session.and_then(title),
                transcript: session.and_then(|session| transcript_of(&snapshot, session)),
                ..unknown_note()
            }
        });
        let row = joined.get(&first).filter(|row| row.session.as_deref() == Some(id));
        let call = row.and_then(|row| row.call.as_ref());
        let transcript = row.and_then(|row| row.transcript.as_deref()).map(path_from_bytes);
        let line = call.and_then(|call| u32::try_from(call.line).ok());
        let note = OriginNote {
            confidence: evidence.into(),
            model: row.and_then(|row| row.model.clone()),
            role: row.and_then(|row| role_of(row.role.as_deref())),
            turn: call.and_then(|call| call.turn),
            prompt: transcript.zip(line).and_then(|(path, line)| inner.origins.prompts.get(&path, line)),
            ..of_session.clone()
        };
        (seq, note)
    });
    writers.notes = notes.collect();
    Ok(writers)
}

/// An answer, or a candidate, in short. `with_prompt`: its prompt is read where it was not.
pub(crate) fn note_of(
    inner: &History,
    snapshot: &Snapshot,
    row: &OriginRow,
    with_prompt: bool,
) -> OriginNote {
    let session = row.session.as_deref().and_then(|id| session_of(snapshot, id));
    let path = row.transcript.as_deref().map(path_from_bytes);
    let call = row.call.as_ref();
    let prompt = path.as_deref().zip(call).and_then(|(path, call)| {
        let line = u32::try_from(call.line).ok()?;
        inner
            .origins
            .prompts
            .get(path, line)
            .or_else(|| with_prompt.then(|| read_prompt(inner, snapshot, path, line)).flatten())
    });
    let transcript = match &path {
        Some(path) if path.exists() => {
            Some(transcript_at(snapshot, session, path, call.map_or(0, |call| call.conversation)))
        }
        Some(_) => None,
        None => session.and_then(|session| transcript_of(snapshot, session)),
    };
    OriginNote {
        confidence: row.confidence.parse().unwrap_or(OriginConfidence::Unknown),
        session_id: row.session.clone(),
        title: session.and_then(title),
        model: row.model.clone(),
        role: role_of(row.role.as_deref()),
        transcript,
        turn: call.and_then(|call| call.turn),
        prompt,
    }
}

/// Note on the call of a session's transcripts that wrote at an instant: what was rebuilt from them carries its time.
fn call_at(session: &SessionRow, at: Timestamp) -> Option<OriginNote> {
    session.entries().find_map(|entry| {
        if entry.identity.size > LARGEST_FOR_PROMPT {
            return None;
        }
        let writes = retrace_origin::writes(&retrace_sessions::read(&entry.path).ok()?).ok()?;
        let write = writes.into_iter().find(|write| write.answered_at.or(write.at) == Some(at))?;
        Some(OriginNote {
            model: write.model,
            role: role_of(Some(write.role.as_str())),
            turn: write.turn,
            prompt: write.prompt.map(|prompt| first_line(&prompt.text)),
            ..unknown_note()
        })
    })
}

pub(crate) fn session_of<'s>(snapshot: &'s Snapshot, id: &str) -> Option<&'s SessionRow> {
    snapshot.sessions().iter().find(|session| session.id == id)
}

fn title(session: &SessionRow) -> Option<String> {
    session.title().map(|title| shortened(title, TITLE))
}

/// The session's transcript as the Context lab names it.
pub(crate) fn transcript_of(snapshot: &Snapshot, session: &SessionRow) -> Option<String> {
    let entry = session.entries().next()?;
    Some(transcript_at(snapshot, Some(session), &entry.path, 0))
}

/// By the session's id where that is one transcript's alone, else by its path; a conversation inside a file has a number.
fn transcript_at(
    snapshot: &Snapshot,
    session: Option<&SessionRow>,
    path: &Path,
    conversation: u64,
) -> String {
    let is_main = session.and_then(|session| session.main.as_ref()).is_some_and(|main| main.path == path);
    let name = match session {
        Some(session)
            if is_main && snapshot.sessions().iter().filter(|other| other.id == session.id).count() == 1 =>
        {
            session.id.clone()
        }
        _ => show(path),
    };
    if conversation == 0 { name } else { format!("{name}#{conversation}") }
}

fn read_prompt(inner: &History, snapshot: &Snapshot, path: &Path, line: u32) -> Option<String> {
    let entry = snapshot.entry(path)?;
    if entry.identity.size > LARGEST_FOR_PROMPT {
        return None;
    }
    let found = retrace_origin::writes(&retrace_sessions::read(path).ok()?).ok()?;
    let mut wanted = None;
    for write in found.into_iter().map(|write| gather::as_of(entry, write)) {
        let prompt = write.prompt.as_ref().map(|prompt| first_line(&prompt.text)).unwrap_or_default();
        if write.line == line {
            wanted = Some(prompt.clone());
        }
        inner.origins.prompts.keep(path, write.line, prompt);
    }
    wanted.filter(|prompt| !prompt.is_empty())
}

/// Evidence of an answer, one sentence each.
pub(crate) fn sentences(row: &OriginRow) -> Vec<Message> {
    let tool = row.call.as_ref().map_or("call", |call| call.tool.as_str());
    let steps = row.steps;
    let first = match row.basis.as_str() {
        "whole" => say::call_wrote_exactly_these_bytes(tool),
        "applied" => say::call_applied_version_before_gives(tool),
        "chain" => say::calls_row_applied_version_before(steps),
        "stamped" => say::call_gives_these_bytes_but(tool),
        "told" => say::agents_own_account_call_exactly(tool),
        "deleted" => say::call_deletes_path(tool),
        "renamed" => say::call_moves_file_here(tool),
        "in_part" => say::what_call_wrote_path_shortly(tool),
        "named" if tool == retrace_origin::MEMORY_SAVED => say::session_says_background_extraction_wrote(),
        "named" => say::call_names_path_shortly_before(tool),
        "front_matter" => say::files_front_matter_names_session(),
        "present" => say::one_session_alone_work_project(),
        "equal_claims" => say::several_sessions_could_written_equally(),
        _ => say::no_transcript_call_fits(),
    };
    vec![first]
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "note";
    call_wrote_exactly_these_bytes(tool) => "A call of {tool} wrote exactly these bytes to this path.",
    call_applied_version_before_gives(tool) => "A call of {tool}, applied to the version before, gives exactly these bytes.",
    calls_row_applied_version_before(steps) => "{steps} calls in a row, applied to the version before, give exactly these bytes.",
    call_gives_these_bytes_but(tool) => "A call of {tool} gives these bytes but for the time in the front matter, which the agent writes by itself.",
    agents_own_account_call_exactly(tool) => "The agent's own account of a call of {tool} has exactly these bytes.",
    call_deletes_path(tool) => "A call of {tool} deletes this path.",
    call_moves_file_here(tool) => "A call of {tool} moves the file here.",
    what_call_wrote_path_shortly(tool) => "What a call of {tool} wrote to this path shortly before is in the content, among other things.",
    session_says_background_extraction_wrote() => "The session says that a background extraction of it wrote this path at about this time.",
    call_names_path_shortly_before(tool) => "A call of {tool} names this path shortly before; what it does to it is not known.",
    files_front_matter_names_session() => "The file's front matter names the session, and did not before.",
    one_session_alone_work_project() => "One session alone was at work on this project at the time.",
    several_sessions_could_written_equally() => "Several sessions could have written this equally well.",
    no_transcript_call_fits() => "No transcript has a call that fits.",
}
