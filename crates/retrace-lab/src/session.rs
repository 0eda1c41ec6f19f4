//! A session as its transcripts tell it: prompts, what took content away, files that were loaded, subagents.

use crate::Lab;
use crate::context::{events, file_class, file_costs, is_told_in_part};
use crate::lab::find::Place;
use crate::lab::loaded::{self, Loaded, Typed};
use crate::lab::prices::{Table, is_fast_without_price, request_price};
use crate::lab::{agent, rows};
use crate::loads_told::LoadsTold;
use crate::memory_prices::uses_of;
use crate::presence::held_files;
use crate::wire::ContextEventKind;
use crate::wire::{
    CarriedClass, ContextEvent, FigureKind, LoadReason, LoadWitness, RecallScope, SessionAgent, SessionEvent,
    SessionFile, SessionLoad, SessionPrompt, TranscriptRow, show,
};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use retrace_context::loads::{self, LoadedFile, lost};
use retrace_context::{LoadReason as Reason, RecallScope as Scope, loaded_files};
use retrace_message::Message;
use retrace_model::Timestamp;
use retrace_sessions::{Entry, SessionRow};
use retrace_transcript::{BlockKind, Message as Said, Origin, Transcript};
use std::collections::HashMap;
use std::sync::Arc;

/// Characters of a prompt.
const PROMPT: usize = 4_000;

/// Bytes of subagents' transcripts that are read for one answer; what is beyond is listed without what it had.
const MAX_AGENT_BYTES: u64 = 64 << 20;

/// What the transcripts of a session tell of it.
#[derive(Default)]
pub struct SessionTold {
    /// The session's row in the list of transcripts, whose figures these are.
    pub row: Option<TranscriptRow>,
    /// Version of the client.
    pub client_version: Option<String>,
    /// Branch of the repository.
    pub branch: Option<String>,
    /// Requests of the main conversation.
    pub main_requests: u64,
    /// Of these, proved ones.
    pub proved_requests: u64,
    /// The largest context and its kind.
    pub peak: Option<(u64, FigureKind)>,
    /// The request that had it.
    pub peak_request: Option<u64>,
    /// Prompts, without versions.
    pub prompts: Vec<SessionPrompt>,
    /// What took content away.
    pub events: Vec<SessionEvent>,
    /// Files, without stores.
    pub files: Vec<SessionFile>,
    /// Subagents.
    pub agents: Vec<SessionAgent>,
    /// Why less is told than could be.
    pub problem: Option<Message>,
    /// When each prompt was typed.
    times: Vec<Option<Timestamp>>,
    /// By request of the main conversation: its prompt.
    by_request: Vec<Option<usize>>,
}

impl SessionTold {
    /// The prompt that a request of the main conversation follows, by its turn.
    #[must_use]
    pub fn prompt_of_turn(&self, turn: u64) -> Option<usize> {
        let request = usize::try_from(turn).ok()?.checked_sub(1)?;
        self.by_request.get(request).copied().flatten()
    }

    /// The last prompt until an instant.
    #[must_use]
    pub fn prompt_at(&self, at: Timestamp) -> Option<usize> {
        self.times.iter().rposition(|typed| typed.is_some_and(|typed| typed <= at))
    }
}

/// Reads the transcripts of a session; what hooks told of its loads comes to it.
pub fn session_told(inner: &Arc<Lab>, id: &str, session: Option<&SessionRow>) -> SessionTold {
    let mut told = SessionTold::default();
    let hooks = LoadsTold::of_session(inner, id);
    let main = session.and_then(|session| session.main.as_ref());
    told.row = session.and_then(|session| row_of(inner, session));
    match main.map(|main| loaded::load_place(inner, place(main))) {
        Some(Ok(loaded)) => {
            main_conversation(inner, &loaded, &mut told);
            told.problem = loaded.lacks_history().then(say::history_of_fork_not_found);
        }
        Some(Err(error)) => told.problem = Some(error.message),
        None if session.is_some() => told.problem = Some(say::only_transcripts_subagents_left()),
        None => told.problem = Some(say::no_transcript_session_machine()),
    }
    if let Some(session) = session {
        further_prompts(inner, session, &mut told);
        told.agents = agents(inner, session, &told);
    }
    if let Some(main) = main {
        add_held(inner, &place(main), &mut told.files);
    }
    hooks.tell(&mut told.files);
    told
}

/// Which requests held a file is what presence says of it; a file that only it knows, such as one that a command printed or the
/// model wrote itself, is added.
fn add_held(inner: &Arc<Lab>, place: &Place, files: &mut Vec<SessionFile>) {
    // What cannot be read tells nothing.
    let Ok((held, directory)) = held_files(inner, place) else { return };
    let directory = directory.unwrap_or_default();
    for held in held {
        let is_it = |file: &&mut SessionFile| {
            file.path == held.path || held.path.strip_prefix(&directory) == Some(&format!("/{}", file.path))
        };
        if let Some(file) = files.iter_mut().find(is_it) {
            file.requests = held.requests;
            continue;
        }
        let class = retrace_context::weigh::class_of_path(&held.path);
        let load = SessionLoad {
            reason: LoadReason::Read,
            told: None,
            scope: None,
            at: None,
            request: held.requests.first().map(|(from, _)| *from),
            by: None,
            agent: None,
            witness: LoadWitness::Transcript,
        };
        files.push(SessionFile {
            class: file_class(class.unwrap_or(retrace_context::FileClass::Memory)),
            path: held.path,
            kind: None,
            store_id: None,
            store_path: None,
            loads: Some(load).filter(|_| held.is_read).into_iter().collect(),
            requests: held.requests,
            tokens: held.tokens,
            partial: held.is_part,
            cost_usd: None,
        });
    }
    files.sort_by_key(|file| file.class != CarriedClass::Instructions);
}

fn place(entry: &Entry) -> Place {
    Place { path: entry.path.clone(), part: 0, id: show(&entry.path) }
}

fn row_of(inner: &Lab, session: &SessionRow) -> Option<TranscriptRow> {
    let path = show(&session.entries().next()?.path);
    rows::rows(inner).rows.iter().find(|row| row.path == path).cloned()
}

fn main_conversation(inner: &Lab, loaded: &Loaded, told: &mut SessionTold) {
    let transcript = loaded.transcript();
    let table = inner.lab.prices.get(inner);
    told.client_version.clone_from(&transcript.session.client_version);
    told.branch.clone_from(&transcript.session.branch);
    told.main_requests = transcript.requests.len() as u64;
    told.proved_requests =
        (0..transcript.requests.len()).filter(|request| loaded.proved(*request).is_some()).count() as u64;
    if let Some(request) = loaded.weights.peak() {
        let kind = crate::lab::view::kind(loaded.weights.bases[request]);
        told.peak = Some((loaded.weights.contexts[request], kind));
        told.peak_request = Some(request as u64);
    }
    prompts(loaded, &table, told);
    let files = loaded_files(transcript, &loaded.weights);
    told.events = session_events(loaded, &files, told);
    let costs: HashMap<String, Option<f64>> =
        file_costs(loaded, &table).into_iter().map(|file| (file.path, file.cost_usd)).collect();
    told.files = files.iter().map(|file| session_file(file, transcript, &costs)).collect();
}

fn prompt(message: &Said) -> SessionPrompt {
    let texts = message.blocks.iter().filter_map(|block| match &block.kind {
        BlockKind::Text { text } => Some(text.trim()),
        _ => None,
    });
    let text = texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
    let cut = text.char_indices().nth(PROMPT).map(|(at, _)| at);
    SessionPrompt {
        truncated: cut.is_some(),
        text: cut.map_or_else(|| text.clone(), |at| text[..at].to_owned()),
        at: message.at.map(|at| at.to_rfc3339()),
        request: None,
        requests: 0,
        cost_usd: None,
        cost_is_lower_bound: false,
        versions: Vec::new(),
    }
}

/// Prompts, and the requests that follow each. A request belongs to the last prompt before its answer in the file: so does one
/// after a compaction, whose history has no prompt any more.
fn prompts(loaded: &Loaded, table: &Table, told: &mut SessionTold) {
    let (transcript, typed) = (loaded.transcript(), loaded.typed());
    told.prompts = typed.iter().map(|typed| prompt(&typed.message)).collect();
    told.times = typed.iter().map(|typed| typed.message.at).collect();
    let mut has_all = vec![true; typed.len()];
    // Messages that were sent have places of their own; where a file is made of lines, these tell the order.
    let line = |message: usize| transcript.messages.get(message).map_or(0, |message| message.line);
    for (index, request) in transcript.requests.iter().enumerate() {
        let sent = || {
            let last = transcript.sent(request).map(|(message, _)| (line(message), message)).max();
            last.map_or((0, 0), |(line, message)| (line, if line > 0 { usize::MAX } else { message + 1 }))
        };
        let answered = request.response.map_or_else(sent, |response| (line(response), response));
        let is_before = |typed: &Typed| (typed.message.line, typed.place) < answered;
        let prompt = typed.partition_point(is_before).checked_sub(1);
        told.by_request.push(prompt);
        let Some((prompt, all)) =
            prompt.and_then(|prompt| Some((told.prompts.get_mut(prompt)?, has_all.get_mut(prompt)?)))
        else {
            continue;
        };
        prompt.request.get_or_insert(index as u64);
        prompt.requests += 1;
        prompt.cost_is_lower_bound |=
            is_told_in_part(request) || is_fast_without_price(&table.prices, request);
        match request_price(&table.prices, request, true) {
            Some(price) => prompt.cost_usd = Some(prompt.cost_usd.unwrap_or(0.0) + price),
            None => *all = false,
        }
    }
    for (prompt, _) in told.prompts.iter_mut().zip(has_all).filter(|(_, all)| !all) {
        (prompt.cost_usd, prompt.cost_is_lower_bound) = (None, false);
    }
}

/// Prompts of further files of the same session, in the order in which they were typed.
fn further_prompts(inner: &Arc<Lab>, session: &SessionRow, told: &mut SessionTold) {
    let mut more = Vec::new();
    for entry in &session.further {
        let Ok(loaded) = loaded::load_place(inner, place(entry)) else { continue };
        more.extend(loaded.typed().iter().map(|typed| (typed.message.at, prompt(&typed.message))));
    }
    if more.is_empty() {
        return;
    }
    let own = told.times.drain(..).zip(told.prompts.drain(..)).enumerate();
    let mut all: Vec<(Option<Timestamp>, SessionPrompt, Option<usize>)> =
        own.map(|(number, (at, prompt))| (at, prompt, Some(number))).collect();
    // A resume repeats what was asked before it.
    more.retain(|(at, prompt)| !all.iter().any(|(known, said, _)| known == at && said.text == prompt.text));
    all.extend(more.into_iter().map(|(at, prompt)| (at, prompt, None)));
    all.sort_by_key(|(at, ..)| *at);
    let moved: HashMap<usize, usize> =
        all.iter().enumerate().filter_map(|(now, (.., before))| Some(((*before)?, now))).collect();
    for request in &mut told.by_request {
        *request = request.and_then(|before| moved.get(&before).copied());
    }
    for event in &mut told.events {
        let before = event.prompt.and_then(|before| usize::try_from(before).ok());
        event.prompt = before.and_then(|before| moved.get(&before)).map(|now| *now as u64);
    }
    (told.times, told.prompts) = all.into_iter().map(|(at, prompt, _)| (at, prompt)).unzip();
}

fn session_events(loaded: &Loaded, files: &[LoadedFile], told: &SessionTold) -> Vec<SessionEvent> {
    let gone = lost(files);
    let requests = &loaded.transcript().requests;
    let event = |event: ContextEvent| {
        let index = usize::try_from(event.before_request).unwrap_or(usize::MAX);
        let takes = matches!(event.event, ContextEventKind::Compaction | ContextEventKind::Microcompaction);
        let lost = gone.get(&index).filter(|_| takes && index < requests.len());
        // What took place stands behind the prompt before it, not the one that went on from it.
        let before = index.checked_sub(1).and_then(|before| told.by_request.get(before).copied().flatten());
        SessionEvent {
            at: requests.get(index).and_then(|request| request.at).map(|at| at.to_rfc3339()),
            prompt: before.map(|prompt| prompt as u64),
            lost: lost.map(|paths| paths.iter().map(|path| (*path).to_owned()).collect()).unwrap_or_default(),
            event: event.event,
            before_request: event.before_request,
            tokens_before: event.tokens_before,
            tokens_after: event.tokens_after,
            note: event.note,
        }
    };
    events(loaded).into_iter().map(event).collect()
}

fn session_file(
    file: &LoadedFile,
    transcript: &Transcript,
    costs: &HashMap<String, Option<f64>>,
) -> SessionFile {
    let whole = file.loads.iter().rfind(|load| !load.partial);
    let largest = || file.loads.iter().map(|load| load.tokens).max().unwrap_or_default();
    SessionFile {
        path: file.path.clone(),
        class: file_class(file.class),
        kind: Some(file.kind.clone()).filter(|kind| !kind.is_empty()),
        store_id: None,
        store_path: None,
        loads: file.loads.iter().map(|load| session_load(load, &file.path, transcript)).collect(),
        requests: file.requests.iter().map(|(from, to)| (*from as u64, *to as u64)).collect(),
        tokens: whole.map_or_else(largest, |load| load.tokens),
        partial: whole.is_none(),
        cost_usd: costs.get(&file.path).copied().flatten(),
    }
}

fn session_load(load: &loads::Load, path: &str, transcript: &Transcript) -> SessionLoad {
    let nested = matches!(load.reason, Reason::NestedTraversal | Reason::PathGlobMatch | Reason::Hook);
    SessionLoad {
        reason: reason(load.reason),
        told: load.told.clone(),
        scope: load.scope.map(recall_scope),
        at: load.at.map(|at| at.to_rfc3339()),
        request: load.request.map(|request| request as u64),
        by: nested.then(|| read_before(transcript, load, path)).flatten(),
        agent: None,
        witness: LoadWitness::Transcript,
    }
}

/// The file that brought an instruction file with it: the last before its message that was read and that it is for. `None` where
/// nothing that was read is, and where a hook brought it and several were read at a time.
fn read_before(transcript: &Transcript, load: &loads::Load, brought: &str) -> Option<String> {
    let message = load.message?;
    let directory = transcript.session.project.as_deref().unwrap_or_default();
    let attached = transcript.messages.get(message)?.blocks.iter().find_map(|block| match &block.kind {
        BlockKind::Attachment { files, .. } => files.iter().find(|file| file.path == brought),
        _ => None,
    });
    let attached = attached.or_else(|| transcript.folded.iter().find(|file| file.path == brought));
    let fits = Fits::of(brought, attached.map_or(&[], |file| &file.globs), directory);
    let before = transcript.messages.get(..message)?.iter().rev();
    // Attachments stand close behind the result that brought them.
    let mut near = before.take_while(|message| message.origin != Origin::Typed).take(64);
    if load.reason == Reason::Hook {
        let last = near.find(|message| paths_read(message).next().is_some())?;
        let mut read = paths_read(last);
        return read.next().filter(|_| read.next().is_none()).map(str::to_owned);
    }
    near.find_map(|message| paths_read(message).filter(|path| fits.takes(path)).last().map(str::to_owned))
}

/// Paths that the calls of a message name.
fn paths_read(message: &Said) -> impl Iterator<Item = &str> {
    message.blocks.iter().filter_map(|block| match &block.kind {
        BlockKind::ToolUse { input, .. } => {
            ["file_path", "path", "filePath", "absolute_path"].iter().find_map(|name| input[*name].as_str())
        }
        _ => None,
    })
}

/// The files that bring an instruction file with them when they are read.
struct Fits<'a> {
    /// They lie below it, where no patterns are told.
    base: &'a str,
    /// One of these names them, where the file tells any; seen from the base, or from where relative paths begin.
    globs: Option<GlobSet>,
    /// Where relative paths begin.
    directory: &'a str,
}

impl<'a> Fits<'a> {
    fn of(brought: &'a str, globs: &[String], directory: &'a str) -> Self {
        let folder = brought.rsplit_once(['/', '\\']).map_or("", |(folder, _)| folder);
        let own = folder.find("/.claude").map(|at| &folder[..at]);
        let patterns = (!globs.is_empty()).then(|| {
            let mut set = GlobSetBuilder::new();
            for glob in globs {
                let glob = glob.trim_start_matches("./").trim_end_matches('/');
                // A name without a directory is for files anywhere below, and the name of a directory for all in it.
                let anywhere = if glob.contains('/') { String::new() } else { "**/".to_owned() };
                let whole = format!("{anywhere}{}", glob.trim_start_matches('/'));
                for pattern in [whole.clone(), format!("{whole}/**")] {
                    if let Ok(glob) = GlobBuilder::new(&pattern).literal_separator(true).build() {
                        set.add(glob);
                    }
                }
            }
            set.build().unwrap_or_default()
        });
        Self { base: own.unwrap_or(folder), globs: patterns, directory }
    }

    fn takes(&self, path: &str) -> bool {
        let relative = !path.starts_with(['/', '\\']) && path.get(1..2) != Some(":");
        let whole = if relative { format!("{}/{path}", self.directory) } else { path.to_owned() };
        match &self.globs {
            None => below(&whole, self.base).is_some(),
            // Patterns of a person's own rule begin at the project.
            Some(globs) => {
                let seen = [self.base, self.directory].into_iter().filter_map(|from| below(&whole, from));
                seen.into_iter().any(|path| globs.is_match(path))
            }
        }
    }
}

/// A path as seen from a directory that it lies in; empty for the directory itself.
fn below<'p>(path: &'p str, directory: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(directory)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix(['/', '\\']) }
}

pub(crate) const fn reason(reason: Reason) -> LoadReason {
    match reason {
        Reason::SessionStart => LoadReason::SessionStart,
        Reason::Include => LoadReason::Include,
        Reason::NestedTraversal => LoadReason::NestedTraversal,
        Reason::PathGlobMatch => LoadReason::PathGlobMatch,
        Reason::Compact => LoadReason::Compact,
        Reason::Refresh => LoadReason::Refresh,
        Reason::Hook => LoadReason::Hook,
        Reason::Recall => LoadReason::Recall,
        Reason::Synthesis => LoadReason::Synthesis,
        Reason::Mention => LoadReason::Mention,
        Reason::Read => LoadReason::Read,
    }
}

const fn recall_scope(scope: Scope) -> RecallScope {
    match scope {
        Scope::Personal => RecallScope::Personal,
        Scope::Team => RecallScope::Team,
        Scope::Organization => RecallScope::Organization,
    }
}

fn agents(inner: &Lab, session: &SessionRow, told: &SessionTold) -> Vec<SessionAgent> {
    let table = inner.lab.prices.get(inner);
    let mut bytes = 0;
    let each = session.subagents.iter().map(|entry| {
        bytes += entry.identity.size;
        let uses = (bytes <= MAX_AGENT_BYTES).then(|| uses_of(inner, entry, &table)).flatten();
        let facts = agent::facts(&entry.path).unwrap_or_default();
        let summary = entry.summary.as_ref();
        let at = summary.and_then(|summary| summary.first_at);
        SessionAgent {
            id: entry.agent_id(),
            agent_type: Some(facts.agent_type).filter(|kind| !kind.is_empty()),
            description: facts.description,
            transcript: show(&entry.path),
            at: at.map(|at| at.to_rfc3339()),
            prompt: at.and_then(|at| told.prompt_at(at)).map(|prompt| prompt as u64),
            requests: summary.map_or(0, |summary| summary.requests),
            peak: summary.map(|summary| summary.peak_context).filter(|peak| *peak > 0),
            instructions: uses.as_ref().and_then(|uses| uses.instructions()),
            memories: uses.as_ref().and_then(|uses| uses.memories()),
            finished: facts.finished,
        }
    });
    each.collect()
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "session";
    history_of_fork_not_found() => "The session is a fork, and the one that it goes on from is not found on this machine: what its requests sent of it is missing here.",
    only_transcripts_subagents_left() => "The session's own transcript is gone; only those of its subagents are left.",
    no_transcript_session_machine() => "The session has no transcript on this machine.",
}
