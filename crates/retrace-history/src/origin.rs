//! Who wrote a version and why, and what a session wrote.

use crate::History;
use crate::origins::{
    Locator, as_of, note_of, notes_of, origin_note, put_back, sentences, session_of, transcript_of,
    unknown_note, written,
};
use crate::target::version_named;
use crate::view;
use crate::wire::OriginBlockKind;
use crate::wire::{
    ApiError, Code, Origin, OriginMessage, OriginReq, OriginWrite, SessionRef, SessionVersion, SessionWrite,
    SessionWrites, show,
};
use retrace_engine::{path_from_bytes, path_to_bytes};
use retrace_lab as lab_view;
use retrace_lab::shortened;
use retrace_log::{CallPlace, OriginRow, Reader, VersionRow};
use retrace_model::{Actor, StoreId};
use retrace_origin::{Effect, Found, Write, of_reading};
use retrace_sessions::{Cancel, Entry, SessionRow, Snapshot};
use retrace_transcript::{BlockKind, Message, Reading, ResultPart, Transcript};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

/// Messages before and after the write unless asked otherwise.
const AROUND: u64 = 4;
/// The most on each side.
const MAX_AROUND: u64 = 50;
/// Characters of the prompt and of the call's input.
const LONG_TEXT: usize = 20_000;
/// Characters of a message around the write.
const SHORT_TEXT: usize = 2_000;
/// Characters of a title.
const TITLE: usize = 200;
/// Larger transcripts are not read for one answer: 512 MiB in memory at once.
const LARGEST_FILE: u64 = 512 << 20;
/// Calls without a version that are listed.
const MAX_UNRECORDED: usize = 1_000;

/// Who wrote a version, and why: the session, the call, the prompt before it and the messages around it. Where that is not
/// sure yet, the version is compared with what transcripts hold by now first.
///
/// # Errors
/// `not_found` for an unknown version.
pub fn origin(inner: &Arc<History>, request: OriginReq) -> Result<Origin, ApiError> {
    if is_open(inner, &request.version)? {
        inner.origins.update(inner)?;
    } else if !inner.lab.index().was_begun() {
        inner.lab.index().update(&inner.lab);
    }
    let snapshot = inner.lab.index().snapshot();
    let (version_id, version, put_back, rows, note) = inner.read(|reader| {
        let named = version_named(reader, &request.version)?;
        let version = written(reader, &named)?.into_owned();
        let rows = reader.origins(version.id.seq)?;
        let note = origin_note(inner, reader, &version)?;
        Ok((named.id, version, put_back(reader, &named)?, rows, note))
    })?;
    let answer = rows.first();
    let note = note.unwrap_or_else(unknown_note);
    let prompt_row = inner.read(|reader| Ok(reader.prompt_of(version.operation_seq)?))?;
    let session = note.session_id.as_deref().and_then(|id| session_of(&snapshot, id));
    let mut written_by = Origin {
        version_id: version_id.to_string(),
        put_back,
        evidence: evidence(&version, answer),
        agent: session.and_then(agent),
        project: session.and_then(SessionRow::project).map(str::to_owned),
        agent_name: answer.and_then(|answer| answer.agent.clone()),
        started_at: session.and_then(SessionRow::started_at).map(|at| at.to_rfc3339()),
        ended_at: session.and_then(SessionRow::ended_at).map(|at| at.to_rfc3339()),
        write: None,
        prompt: prompt_row.and_then(|prompt_row| prompt_row.text),
        around: Vec::new(),
        candidates: rows.iter().skip(1).map(|row| note_of(inner, &snapshot, row, true)).collect(),
        note,
    };
    let place = answer.and_then(|answer| Some((answer.transcript.as_deref()?, answer.call.as_ref()?)));
    if let Some((path, call)) = place
        && let Some((reading, found)) = read(&snapshot, &path_from_bytes(path))
        && let Some(write) = the_write(&found, call)
    {
        let around = request.around.unwrap_or(AROUND).min(MAX_AROUND);
        written_by.prompt = write.prompt.as_ref().map(|prompt| cut(&prompt.text, LONG_TEXT).0);
        // A session's statement about its own extraction stands at no message.
        if !write.is_saying()
            && let Some(transcript) = reading.transcripts.get(write.conversation)
        {
            written_by.write = Some(called(write, transcript));
            written_by.around = messages(transcript, write, usize::try_from(around).unwrap_or(usize::MAX));
        }
    }
    Ok(written_by)
}

/// Leaves out what a person put back of what is there already: the session wrote it once.
pub(crate) fn without_put_back(writes: &mut SessionWrites) {
    let ids: HashSet<String> = writes.versions.iter().map(|row| row.version.id.clone()).collect();
    writes.versions.retain(|row| !is_put_back(row, &ids));
}

/// True for a version that puts back one of these.
pub(crate) fn is_put_back(row: &SessionVersion, ids: &HashSet<String>) -> bool {
    row.version.put_back.as_ref().is_some_and(|back| ids.contains(&back.version_id))
}

/// Everything a session wrote as far as is known, in all stores, and its calls that wrote and left no version.
///
/// # Errors
/// `not_found` where neither a transcript nor a version names the session, `invalid` for the beginning of several ids.
pub fn session_writes(inner: &Arc<History>, request: SessionRef) -> Result<SessionWrites, ApiError> {
    inner.origins.update(inner)?;
    let snapshot = inner.lab.index().snapshot();
    let name = request.session.trim();
    let id = inner.read(|reader| session_named(inner, reader, name))?;
    let session = session_row(&snapshot, name, &id)?;
    let mut explained = HashSet::new();
    let mut rebuilt: Vec<VersionRow> = Vec::new();
    let mut versions = Vec::new();
    let stores = inner.read(|reader| {
        let stores = reader.stores()?;
        let names: HashMap<StoreId, &str> =
            stores.iter().map(|store| (store.id, store.name.as_str())).collect();
        for seq in reader.versions_of_session(&id)? {
            let row = reader.version(seq)?;
            let first = written(reader, &row)?;
            let answer = reader.origin(first.id.seq)?;
            if let Some(answer) = &answer {
                explained.extend(explains(answer));
            }
            if row.rebuilt {
                rebuilt.push(row.clone());
            }
            let store = names.get(&row.store).copied().unwrap_or_default();
            let shown = view::listed(&row, &notes_of(inner, reader, [&row])?);
            versions.push(of_session(&first, answer.as_ref(), store, shown));
        }
        Ok(stores)
    })?;
    if session.is_none() && versions.is_empty() {
        return Err(ApiError::new(Code::NotFound, say::no_session_id_known(), &id)
            .hint(say::retrace_context_transcripts_lists_sessions()));
    }
    // A version that was first seen as a rebuilt version had left it is told by that one.
    let is_rebuilt = |seq: u64| rebuilt.iter().any(|row| row.id.seq == seq);
    versions.retain(|row: &SessionVersion| {
        row.version.baseline_of.as_ref().is_none_or(|older| !is_rebuilt(older.seq))
    });
    let locator = Locator::new(&stores, &inner.options.surroundings.home);
    let mut unrecorded =
        session.map(|session| unrecorded(session, &locator, &explained, &rebuilt)).unwrap_or_default();
    if let Some(session) = session.filter(|_| !unrecorded.is_empty()) {
        // What the session that this one goes on from called is not its own.
        let own: Vec<&Arc<Entry>> = session.entries().collect();
        let originals = snapshot.originals(&own);
        let above = inner.origins.gathered.writes(&originals, &locator, &Cancel::new(), &|_| ());
        let copied: HashSet<&str> = above
            .iter()
            .flat_map(|writes| writes.iter())
            .filter_map(|write| write.tool_use_id.as_deref())
            .collect();
        unrecorded.retain(|one| one.write.tool_use_id.as_deref().is_none_or(|id| !copied.contains(id)));
    }
    Ok(SessionWrites {
        title: session.and_then(SessionRow::title).map(|title| shortened(title, TITLE)),
        agent: session.and_then(agent),
        project: session.and_then(SessionRow::project).map(str::to_owned),
        models: session
            .map(|session| session.models().into_iter().map(str::to_owned).collect())
            .unwrap_or_default(),
        started_at: session.and_then(SessionRow::started_at).map(|at| at.to_rfc3339()),
        ended_at: session.and_then(SessionRow::ended_at).map(|at| at.to_rfc3339()),
        transcript: session.and_then(|session| transcript_of(&snapshot, session)),
        versions,
        unrecorded,
        session_id: id,
    })
}

/// True if transcripts may still tell more of a version than is known: its writer was not recorded, and no call gives its
/// content exactly.
fn is_open(inner: &History, version: &str) -> Result<bool, ApiError> {
    inner.read(|reader| {
        let named = version_named(reader, version)?;
        let version = written(reader, &named)?;
        let answer = reader.origin(version.id.seq)?;
        Ok(match answer {
            Some(answer) => answer.confidence != "exact_content",
            None => version.actor == Actor::Unknown && version.redaction.is_none(),
        })
    })
}

/// Sessions that an error names where several are meant.
const CANDIDATES: usize = 5;

/// A session by its id or the beginning of it, among those that wrote something and those that transcripts are known of. A name
/// that none begins with stays as it is.
///
/// # Errors
/// `invalid` for no name, or for the beginning of several ids, which the hint names.
pub fn session_named(inner: &History, reader: &Reader<'_>, name: &str) -> Result<String, ApiError> {
    if name.is_empty() {
        return Err(ApiError::invalid(say::no_session_named(), "session"));
    }
    let snapshot = inner.lab.index().snapshot();
    // The path of a transcript names its session, as it does for other commands.
    let path = std::path::absolute(name).ok().filter(|path| path.is_file());
    if let Some(entry) = path.and_then(|path| snapshot.entry(&path).cloned()) {
        return Ok(entry.session_id());
    }
    let known = snapshot.sessions().iter().map(|session| session.id.clone());
    let mut ids: BTreeSet<String> = known.filter(|id| id.starts_with(name)).collect();
    ids.extend(reader.sessions_beginning(name)?);
    if ids.contains(name) || ids.is_empty() {
        return Ok(name.to_owned());
    }
    if ids.len() == 1 {
        return Ok(ids.pop_first().unwrap_or_default());
    }
    let named = ids.iter().take(CANDIDATES).map(|id| {
        let title = session_of(&snapshot, id).and_then(SessionRow::title);
        title.map_or_else(|| id.clone(), |title| format!("{id} ({})", shortened(title, TITLE)))
    });
    let named: Vec<String> = named.collect();
    let more = if ids.len() > CANDIDATES { ", …" } else { "" };
    Err(ApiError::invalid(say::several_sessions_id_begins(), name)
        .hint(say::one_of(format!("{}{more}", named.join(", ")))))
}

/// The session of an id that a name gave; `None` where no transcript has it. A transcript that was copied has the id of the first:
/// then its path tells which is meant.
///
/// # Errors
/// `invalid` for an id that several transcripts have, which the hint names.
pub(crate) fn session_row<'s>(
    snapshot: &'s Snapshot,
    name: &str,
    id: &str,
) -> Result<Option<&'s SessionRow>, ApiError> {
    let named: Vec<&SessionRow> = snapshot.sessions().iter().filter(|session| session.id == id).collect();
    if let [] | [_] = named[..] {
        return Ok(named.first().copied());
    }
    let path = std::path::absolute(name).unwrap_or_default();
    let by_path = named.iter().find(|session| session.entries().any(|entry| entry.path == path));
    if let Some(session) = by_path {
        return Ok(Some(session));
    }
    let paths = named.iter().filter_map(|session| session.entries().next()).map(|entry| show(&entry.path));
    let paths: Vec<String> = paths.take(CANDIDATES).collect();
    let more = if named.len() > CANDIDATES { ", …" } else { "" };
    Err(ApiError::invalid(say::several_sessions_id_begins(), name)
        .hint(say::one_of(format!("{}{more}", paths.join(", ")))))
}

fn agent(session: &SessionRow) -> Option<String> {
    let summary = session.entries().find_map(|entry| entry.summary.as_ref())?;
    summary.format.map(|format| format.name().to_owned())
}

fn evidence(version: &VersionRow, answer: Option<&OriginRow>) -> Vec<retrace_message::Message> {
    match (answer, &version.actor) {
        (Some(answer), _) => sentences(answer),
        (None, _) if version.baseline_of.is_some() => {
            let older = version.baseline_of.as_ref().map_or(0, |older| older.seq);
            vec![say::recording_began_content_version_had(older)]
        }
        (None, Actor::Session { .. }) if version.rebuilt => {
            vec![say::version_rebuilt_from_sessions_transcript()]
        }
        (None, Actor::Session { .. }) => vec![say::writer_said_when_wrote()],
        (None, Actor::User { .. }) => vec![say::person_machine_did_retrace()],
        (None, Actor::Api { .. } | Actor::ServiceAccount { .. }) => {
            vec![say::written_through_api()]
        }
        (None, Actor::Unknown) if version.redaction.is_some() => {
            vec![say::version_redacted_cannot_compared_transcripts()]
        }
        (None, Actor::Unknown) => vec![say::no_transcript_call_fits()],
    }
}

/// A transcript and its writes; `None` where it is gone.
fn read(snapshot: &Snapshot, path: &Path) -> Option<(Reading, Found)> {
    let entry = snapshot.entry(path)?;
    if entry.identity.size > LARGEST_FILE {
        return None;
    }
    let bytes = retrace_sessions::read(path).ok()?;
    let reading = retrace_transcript::read(&bytes).ok()?;
    let found = of_reading(&reading, &bytes, |_| true);
    Some((reading, found))
}

/// The write at a place. Where the file is another one by now it may be elsewhere, or gone.
fn the_write<'f>(found: &'f Found, call: &CallPlace) -> Option<&'f Write> {
    let is_it = |write: &&Write| match (&call.tool_use_id, &write.tool_use_id) {
        (Some(one), Some(other)) => one == other && write.part as u64 == call.part,
        _ => {
            u64::from(write.line) == call.line
                && write.message as u64 == call.message
                && write.part as u64 == call.part
        }
    };
    found.writes.iter().find(is_it)
}

fn called(write: &Write, transcript: &Transcript) -> OriginWrite {
    let block = transcript.messages.get(write.message).and_then(|message| message.blocks.get(write.block));
    let input = match block.map(|block| &block.kind) {
        Some(BlockKind::ToolUse { input, .. }) => serde_json::to_string_pretty(input).unwrap_or_default(),
        _ => String::new(),
    };
    let (input, truncated) = cut(&input, LONG_TEXT);
    OriginWrite {
        tool: write.tool.clone(),
        tool_use_id: write.tool_use_id.clone(),
        path: write.named.clone(),
        at: write.at.map(|at| at.to_rfc3339()),
        line: u64::from(write.line),
        input,
        truncated,
    }
}

/// The messages around a write, block by block.
fn messages(transcript: &Transcript, write: &Write, around: usize) -> Vec<OriginMessage> {
    let first = write.message.saturating_sub(around);
    let last = write.message.saturating_add(around).min(transcript.messages.len().saturating_sub(1));
    let turns: HashMap<usize, u64> = transcript
        .requests
        .iter()
        .enumerate()
        .filter_map(|(at, request)| Some((request.response?, at as u64 + 1)))
        .collect();
    let shown = transcript.messages.iter().enumerate().take(last + 1).skip(first);
    shown.flat_map(|(at, message)| blocks(at, message, turns.get(&at).copied(), write)).collect()
}

fn blocks(at: usize, message: &Message, turn: Option<u64>, write: &Write) -> Vec<OriginMessage> {
    let written_by = message.blocks.iter().enumerate().map(|(place, block)| {
        let (kind, text) = match &block.kind {
            BlockKind::Text { text } => (OriginBlockKind::Text, text.clone()),
            BlockKind::Thinking { text, .. } => (OriginBlockKind::Thinking, text.clone()),
            BlockKind::ToolUse { name, input, .. } => (OriginBlockKind::ToolUse, format!("{name} {input}")),
            BlockKind::ToolResult { content, .. } => {
                (OriginBlockKind::ToolResult, content.iter().map(part).collect::<Vec<_>>().join("\n"))
            }
            BlockKind::Compaction { content } => {
                (OriginBlockKind::Other, content.clone().unwrap_or_default())
            }
            BlockKind::Attachment { attachment, text, rendered, .. } => {
                (OriginBlockKind::Other, format!("{attachment} {}", rendered.as_ref().unwrap_or(text)))
            }
            BlockKind::Media(media) => {
                (OriginBlockKind::Other, format!("({}, {} bytes)", media.media_type, media.bytes))
            }
            BlockKind::Unknown { type_name, .. } => (OriginBlockKind::Other, type_name.clone()),
        };
        OriginMessage {
            role: lab_view::role(message.role),
            kind,
            text: cut(&text, SHORT_TEXT).0,
            at: message.at.map(|at| at.to_rfc3339()),
            turn,
            is_write: at == write.message && place == write.block,
        }
    });
    written_by.filter(|message| !message.text.is_empty() || message.is_write).collect()
}

fn part(part: &ResultPart) -> String {
    match part {
        ResultPart::Text(text) | ResultPart::Other(text) => text.clone(),
        ResultPart::Media(media) => format!("({}, {} bytes)", media.media_type, media.bytes),
    }
}

/// A text cut to so many characters, and whether it was.
fn cut(text: &str, characters: usize) -> (String, bool) {
    match text.char_indices().nth(characters) {
        Some((at, _)) => (text[..at].to_owned(), true),
        None => (text.to_owned(), false),
    }
}

fn of_session(
    row: &VersionRow,
    answer: Option<&OriginRow>,
    store: &str,
    version: crate::wire::Version,
) -> SessionVersion {
    let confidence = match (answer, &row.actor) {
        (Some(answer), _) => answer.confidence.clone(),
        (None, Actor::Session { evidence, .. }) => evidence.as_str().to_owned(),
        _ => "unknown".to_owned(),
    };
    SessionVersion {
        store: store.to_owned(),
        confidence,
        turn: answer.and_then(|answer| answer.call.as_ref()).and_then(|call| call.turn),
        version,
    }
}

/// A call by its id and which of its changes it is; where it has none, by the name of its transcript, its line and the same. The
/// place of a transcript does not tell it: a client moves those of sessions that are archived.
type CallKey = (Vec<u8>, u64, u64);

fn call_key(tool_use_id: Option<&str>, transcript: &[u8], line: u64, part: u64) -> CallKey {
    if let Some(id) = tool_use_id {
        return (id.as_bytes().to_vec(), 0, part);
    }
    let name = transcript.rsplit(|byte| matches!(byte, b'/' | b'\\')).next().unwrap_or_default();
    (name.to_vec(), line, part)
}

/// The call that an answer names, with how many before it in a row belong to it.
fn explains(answer: &OriginRow) -> Option<(CallKey, u64)> {
    let call = answer.call.as_ref()?;
    let key = call_key(call.tool_use_id.as_deref(), answer.transcript.as_deref()?, call.line, call.part);
    Some((key, answer.steps.max(1)))
}

/// Calls of a session that wrote to a store, or to memory elsewhere, and that explain no version.
fn unrecorded(
    session: &SessionRow,
    locator: &Locator,
    explained: &HashSet<(CallKey, u64)>,
    rebuilt: &[VersionRow],
) -> Vec<SessionWrite> {
    let steps: HashMap<&CallKey, u64> = explained.iter().map(|(key, steps)| (key, *steps)).collect();
    let rebuilt = Rebuilt::of(rebuilt);
    session
        .entries()
        .flat_map(|entry| of_transcript(entry, locator, &steps, &rebuilt))
        .take(MAX_UNRECORDED)
        .collect()
}

/// Versions that were rebuilt from a session's transcripts: each carries the time of its call. By store and time, with the
/// path, where that is not redacted.
struct Rebuilt(HashMap<(String, i64), Vec<Option<String>>>);

impl Rebuilt {
    fn of(rows: &[VersionRow]) -> Self {
        let mut places: HashMap<_, Vec<_>> = HashMap::new();
        for row in rows {
            let key = (row.store.to_string(), row.created_at.micros());
            places.entry(key).or_default().push(row.path.as_ref().map(ToString::to_string));
        }
        Self(places)
    }

    /// True if a call left one of them.
    fn has(&self, write: &Write, locator: &Locator, entry: &Entry) -> bool {
        let Some(at) = write.answered_at.or(write.at) else { return false };
        // A call that moves or deletes may leave its version at another path.
        let is_elsewhere = matches!(write.effect, Effect::Rename { .. } | Effect::Delete);
        let to = match &write.effect {
            Effect::Rename { to } => locator.names(to, entry),
            _ => Vec::new(),
        };
        locator.names(&write.path, entry).iter().chain(&to).any(|name| {
            let (store, path) = name.split_once('/').unwrap_or((name, ""));
            let paths = self.0.get(&(store.to_owned(), at.micros()));
            paths.is_some_and(|paths| {
                is_elsewhere || paths.iter().any(|known| known.as_deref().is_none_or(|known| known == path))
            })
        })
    }
}

fn of_transcript(
    entry: &Arc<Entry>,
    locator: &Locator,
    steps: &HashMap<&CallKey, u64>,
    rebuilt: &Rebuilt,
) -> Vec<SessionWrite> {
    let memory: HashSet<&str> = entry
        .summary
        .iter()
        .flat_map(|summary| &summary.memory_writes)
        .map(|write| write.path.as_str())
        .collect();
    if entry.identity.size > LARGEST_FILE {
        return Vec::new();
    }
    let Ok(bytes) = retrace_sessions::read(&entry.path) else { return Vec::new() };
    let Ok(reading) = retrace_transcript::read(&bytes) else { return Vec::new() };
    let found =
        of_reading(&reading, &bytes, |path| memory.contains(path) || !locator.names(path, entry).is_empty());
    // A session's statement about an extraction is no call that could have left a version.
    let calls = found.writes.into_iter().filter(|write| !write.is_saying());
    let writes: Vec<Write> = calls.map(|write| as_of(entry, write)).collect();
    let path = path_to_bytes(&entry.path);
    // Of several in a row that gave one content, the recorder saw the last alone.
    let mut covered = vec![false; writes.len()];
    for at in 0..writes.len() {
        let write = &writes[at];
        let key = call_key(write.tool_use_id.as_deref(), &path, u64::from(write.line), write.part as u64);
        let row = steps.get(&key).copied().unwrap_or(0);
        let same = (0..=at).rev().filter(|other| {
            writes[*other].path == writes[at].path && writes[*other].succeeded != Some(false)
        });
        for other in same.take(usize::try_from(row).unwrap_or(usize::MAX)) {
            covered[other] = true;
        }
    }
    let left = writes.iter().zip(covered).filter(|(write, covered)| {
        !covered && write.succeeded != Some(false) && !rebuilt.has(write, locator, entry)
    });
    left.map(|(write, _)| SessionWrite {
        store_id: locator
            .names(&write.path, entry)
            .first()
            .and_then(|name| Some(name.split_once('/')?.0.to_owned())),
        turn: write.turn,
        write: OriginWrite {
            input: String::new(),
            ..called(write, &reading.transcripts[write.conversation])
        },
    })
    .collect()
}

/// Brings the join up to date before versions are asked for by their session, also where only transcripts are new.
///
/// # Errors
/// Those of the log.
pub fn joined(inner: &Arc<History>) -> Result<(), ApiError> {
    if inner.wants_join() { inner.origins.update(inner) } else { inner.origins.look_again(inner) }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "origin";
    no_session_id_known() => "No session of this id is known.",
    retrace_context_transcripts_lists_sessions() => "`retrace context transcripts` lists the sessions there are transcripts of.",
    no_session_named() => "No session is named.",
    several_sessions_id_begins() => "Several sessions have an id that begins so.",
    one_of(names) => "One of: {names}",
    recording_began_content_version_had(older) => "Recording began with this content: version {older} had left it so.",
    version_rebuilt_from_sessions_transcript() => "The version was rebuilt from this session's transcript.",
    writer_said_when_wrote() => "The writer said so when it wrote.",
    person_machine_did_retrace() => "A person at this machine did it in Retrace.",
    written_through_api() => "It was written through the API.",
    version_redacted_cannot_compared_transcripts() => "The version is redacted, so that it cannot be compared with transcripts.",
    no_transcript_call_fits() => "No transcript has a call that fits.",
}
