//! A session as a story: what it was asked, what it wrote after each prompt, what it had, what it cost.

use crate::History;
use crate::origin::{is_put_back, session_row, session_writes, without_put_back};
use crate::origins::{Locator, written};
use crate::wire::{ApiError, Session, SessionFile, SessionPrompt, SessionRef, SessionWrites};
use retrace_engine::path_from_bytes;
use retrace_lab::{SessionTold, session_told, shortened};
use retrace_log::{OriginRow, Reader, VersionRow};
use retrace_model::Timestamp;
use retrace_sessions::SessionRow;
use retrace_transcript::title_of;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// Characters of a title.
const TITLE: usize = 200;

/// Everything known of a session: what `session_writes` says, and what its transcripts tell beside it.
///
/// # Errors
/// Those of [`session_writes`].
pub fn session(inner: &Arc<History>, request: SessionRef) -> Result<Session, ApiError> {
    let name = request.session.clone();
    let mut writes = session_writes(inner, request)?;
    let snapshot = inner.lab.index().snapshot();
    let row = session_row(&snapshot, name.trim(), &writes.session_id)?;
    let mut told = session_told(&inner.lab, &writes.session_id, row);
    let placed = inner.read(|reader| {
        if let Some(row) = row {
            let locator = Locator::new(&reader.stores()?, &inner.options.surroundings.home);
            told.files.iter_mut().for_each(|file| locate(file, &locator, row));
        }
        placed(inner, reader, &writes, row, &mut told)
    })?;
    without_put_back(&mut writes);
    Ok(story(writes, told, placed))
}

/// The store and the path that a file is recorded under.
fn locate(file: &mut SessionFile, locator: &Locator, session: &SessionRow) {
    let Some(entry) = session.entries().next() else { return };
    let name = locator.names(&file.path, entry).into_iter().next();
    if let Some((store, path)) = name.as_deref().and_then(|name| name.split_once('/')) {
        (file.store_id, file.store_path) = (Some(store.to_owned()), Some(path.to_owned()));
    }
}

/// Versions beside the prompts.
struct Placed {
    /// Those without a prompt, oldest first.
    others: Vec<String>,
    /// Those left to review.
    unreviewed: Vec<String>,
}

/// Puts each version behind its prompt: by the turn of the call that wrote it, else by time.
fn placed(
    inner: &History,
    reader: &Reader<'_>,
    writes: &SessionWrites,
    session: Option<&SessionRow>,
    told: &mut SessionTold,
) -> Result<Placed, ApiError> {
    let left: BTreeSet<u64> =
        reader.unreviewed(&inner.user(), None)?.into_iter().map(|item| item.newest).collect();
    let mut placed = Placed { others: Vec::new(), unreviewed: Vec::new() };
    let has_transcript = !told.prompts.is_empty();
    let mut reported: HashMap<String, usize> = HashMap::new();
    let ids: HashSet<String> = writes.versions.iter().map(|row| row.version.id.clone()).collect();
    for (put_back, version) in writes.versions.iter().rev().map(|row| (is_put_back(row, &ids), &row.version))
    {
        let row = reader.version(version.seq)?;
        let first = written(reader, &row)?;
        let answer = reader.origin(first.id.seq)?;
        if left.contains(&version.seq) {
            placed.unreviewed.push(version.id.clone());
        }
        if put_back {
            continue;
        }
        let mut prompt = prompt_of(&first, answer.as_ref(), session, told);
        // A writer without a transcript may have reported its prompt.
        if !has_transcript && let Some(text) = reader.prompt_of(first.operation_seq)?.and_then(|row| row.text)
        {
            let prompts = &mut told.prompts;
            prompt = Some(*reported.entry(text).or_insert_with_key(|text| {
                prompts.push(reported_prompt(text, first.created_at));
                prompts.len() - 1
            }));
        }
        match prompt.and_then(|prompt| told.prompts.get_mut(prompt)) {
            Some(prompt) => prompt.versions.push(version.id.clone()),
            None => placed.others.push(version.id.clone()),
        }
    }
    Ok(placed)
}

fn reported_prompt(text: &str, at: Timestamp) -> SessionPrompt {
    SessionPrompt {
        text: text.to_owned(),
        truncated: false,
        at: Some(at.to_rfc3339()),
        request: None,
        requests: 0,
        cost_usd: None,
        cost_is_lower_bound: false,
        versions: Vec::new(),
    }
}

fn prompt_of(
    version: &VersionRow,
    answer: Option<&OriginRow>,
    session: Option<&SessionRow>,
    told: &SessionTold,
) -> Option<usize> {
    let call = answer.and_then(|answer| answer.call.as_ref());
    let main = session.and_then(|session| session.main.as_ref());
    let is_main = call.is_some_and(|call| call.conversation == 0)
        && answer.and_then(|answer| answer.transcript.as_deref()).map(path_from_bytes).as_ref()
            == main.map(|main| &main.path);
    let by_turn = call.filter(|_| is_main).and_then(|call| told.prompt_of_turn(call.turn?));
    let at = call.and_then(|call| call.at).unwrap_or(version.created_at);
    by_turn.or_else(|| told.prompt_at(at))
}

fn story(writes: SessionWrites, told: SessionTold, placed: Placed) -> Session {
    let row = told.row.as_ref();
    // The same line that names the session in lists.
    let first = told.prompts.iter().find_map(|prompt| title_of(&prompt.text));
    let first = first.map(|line| shortened(&line, TITLE));
    let peak = told.peak.or_else(|| row.and_then(|row| row.peak.zip(row.peak_kind)));
    Session {
        first_prompt: first,
        requests: row.map_or(0, |row| row.requests),
        cost_usd: row.and_then(|row| row.cost_usd),
        cost_is_lower_bound: row.is_some_and(|row| row.cost_is_lower_bound),
        requests_with_placeholder_output: row.map_or(0, |row| row.requests_with_placeholder_output),
        requests_fast_without_price: row.map_or(0, |row| row.requests_fast_without_price),
        client_cost_usd: row.and_then(|row| row.client_cost_usd),
        client_version: told.client_version,
        branch: told.branch,
        main_requests: told.main_requests,
        proved_requests: told.proved_requests,
        peak: peak.map(|(tokens, _)| tokens),
        peak_kind: peak.map(|(_, kind)| kind),
        peak_request: told.peak_request,
        prompts: told.prompts,
        other_versions: placed.others,
        unreviewed: placed.unreviewed,
        events: told.events,
        files: told.files,
        agents: told.agents,
        problem: told.problem,
        writes,
    }
}
