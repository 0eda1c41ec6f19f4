//! Known transcripts at one moment, and the lists made from it. Nothing here changes or reads a file.

use crate::costs::{Calls, Copies};
use crate::entry::Entry;
use crate::roots::RootKind;
use retrace_message::Message;
use retrace_model::Timestamp;
use retrace_transcript::{Format, MemoryWrite, MicroDollars, Summary};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// All transcripts as known at one moment. It never changes; a later one is had from the index.
#[derive(Debug, Default)]
pub struct Snapshot {
    entries: BTreeMap<PathBuf, Arc<Entry>>,
    left: Vec<(PathBuf, Message)>,
    complete: bool,
    sessions: OnceLock<Vec<SessionRow>>,
    calls: OnceLock<Calls>,
    copies: OnceLock<Copies>,
}

/// A session: its own transcript and those of its subagents that lie in files of their own.
#[derive(Clone, Debug)]
pub struct SessionRow {
    /// Id of the session; the name of the file where the transcript tells none.
    pub id: String,
    /// The transcript. `None` where only subagents of it are left.
    pub main: Option<Arc<Entry>>,
    /// Further files of the same session, which a resume begins (Gemini CLI).
    pub further: Vec<Arc<Entry>>,
    /// Transcripts of subagents, in order of their beginning.
    pub subagents: Vec<Arc<Entry>>,
}

/// A project: the sessions that ran in one directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectRow {
    /// The directory as recorded; Claude Code's folder name where none is recorded; `None` where nothing says.
    pub project: Option<String>,
    /// Sessions.
    pub sessions: usize,
    /// Calls of the model, those of subagents among them; copies in several sessions are counted in each.
    pub requests: u64,
    /// Largest context of a request, in tokens.
    pub peak_context: u64,
    /// Writes to memory files.
    pub memory_writes: usize,
    /// Time of the last line.
    pub ended_at: Option<Timestamp>,
}

/// Counts over everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Transcript files.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Sessions.
    pub sessions: usize,
    /// Projects.
    pub projects: usize,
    /// Calls of the model, copies left out.
    pub calls: usize,
    /// Files that could not be read, or are no transcripts.
    pub problems: usize,
}

impl Entry {
    /// Id of the session: for a transcript of Claude Code the name of its file, which is what the session is resumed by
    /// (a fork begins with lines that carry the id of another); for others what the transcript tells; else the name of the
    /// file, or of the folder where all files are called the same.
    #[must_use]
    pub fn session_id(&self) -> String {
        let recorded = self.summary.as_ref().and_then(|summary| summary.session.id.clone());
        match (&self.place.of_session, self.place.kind) {
            (Some(session), _) => session.clone(),
            (None, RootKind::ClaudeCode) if !self.place.subagent => self.name(),
            (None, _) => recorded.unwrap_or_else(|| self.name()),
        }
    }

    /// True if it is the transcript of a subagent: by its place, or because it says so where an agent keeps all transcripts
    /// in one place (Codex, opencode). Its session is then the one that started it.
    #[must_use]
    pub fn is_subagent(&self) -> bool {
        let says_so = |summary: &Summary| {
            matches!(summary.format, Some(Format::CodexRollout | Format::Opencode))
                && summary.session.agent.is_some()
                && summary.session.agent != summary.session.id
        };
        self.place.subagent || self.summary.as_ref().is_some_and(says_so)
    }

    fn name(&self) -> String {
        let folder = || self.path.parent().and_then(Path::file_name);
        let stem = self.path.file_stem();
        let name = if self.place.kind == RootKind::Copilot && stem == Some("events".as_ref()) {
            folder()
        } else {
            stem
        };
        name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// For a subagent's transcript: its own id, as told or from its file's name.
    #[must_use]
    pub fn agent_id(&self) -> Option<String> {
        let recorded = self.summary.as_ref().and_then(|summary| summary.session.agent.clone());
        let name = || {
            let stem = self.path.file_stem()?.to_string_lossy();
            stem.strip_prefix("agent-").map(str::to_owned)
        };
        if self.place.subagent { name().or(recorded) } else { recorded }
    }

    /// Why there is nothing to show, or why what is shown may be old.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        let refusal =
            || self.summary.as_ref().and_then(|summary| summary.refusal.as_ref()).map(ToString::to_string);
        self.problem.as_ref().map(ToString::to_string).or_else(refusal)
    }

    /// Directory the session ran in, else Claude Code's folder name.
    #[must_use]
    pub fn project(&self) -> Option<&str> {
        let recorded = self.summary.as_ref().and_then(|summary| summary.session.project.as_deref());
        recorded.or(self.place.slug.as_deref())
    }

    fn first_at(&self) -> Option<Timestamp> {
        self.summary.as_ref().and_then(|summary| summary.first_at)
    }
}

impl SessionRow {
    /// Another file of the session. The one with most requests is the session's own.
    fn add_further(&mut self, entry: &Arc<Entry>) {
        let requests = |entry: &Arc<Entry>| entry.summary.as_ref().map_or(0, |summary| summary.requests);
        let mut further = Arc::clone(entry);
        if let Some(main) = self.main.as_mut().filter(|main| requests(main) < requests(&further)) {
            std::mem::swap(main, &mut further);
        }
        self.further.push(further);
    }

    /// The transcript's own, further ones of it, then those of the subagents.
    pub fn entries(&self) -> impl Iterator<Item = &Arc<Entry>> {
        self.main.iter().chain(&self.further).chain(&self.subagents)
    }

    /// What was done in one go: the transcript with those of the subagents, the session's own first, then each further file by
    /// itself.
    #[must_use]
    pub fn together(&self) -> Vec<Vec<&Arc<Entry>>> {
        let session = self.main.iter().chain(&self.subagents).collect();
        std::iter::once(session).chain(self.further.iter().map(|further| vec![further])).collect()
    }

    /// True for the transcript of a subagent of it.
    #[must_use]
    pub fn is_subagent(&self, entry: &Arc<Entry>) -> bool {
        self.subagents.iter().any(|subagent| Arc::ptr_eq(subagent, entry))
    }

    fn summaries(&self) -> impl Iterator<Item = &Summary> {
        self.entries().filter_map(|entry| entry.summary.as_ref())
    }

    fn main_summary(&self) -> Option<&Summary> {
        self.main.as_ref().and_then(|entry| entry.summary.as_ref())
    }

    /// Title from the transcript.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.main_summary().and_then(|summary| summary.session.title.as_deref())
    }

    /// The first line a person typed, where the title may be another.
    #[must_use]
    pub fn first_prompt(&self) -> Option<&str> {
        self.main_summary().and_then(|summary| summary.session.first_prompt.as_deref())
    }

    /// Directory it ran in, else Claude Code's folder name.
    #[must_use]
    pub fn project(&self) -> Option<&str> {
        self.entries().find_map(|entry| entry.project())
    }

    /// Time of the first line.
    #[must_use]
    pub fn started_at(&self) -> Option<Timestamp> {
        self.summaries().filter_map(|summary| summary.first_at).min()
    }

    /// Time of the last line.
    #[must_use]
    pub fn ended_at(&self) -> Option<Timestamp> {
        self.summaries().filter_map(|summary| summary.last_at).max()
    }

    /// Calls of the model, those of subagents among them.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.summaries().map(|summary| summary.requests).fold(0, u64::saturating_add)
    }

    /// Largest recorded context of the main conversation, in tokens; 0 where none is recorded.
    #[must_use]
    pub fn peak_context(&self) -> u64 {
        self.main_summary().map_or(0, |summary| summary.peak_context)
    }

    /// Compactions of the main conversation.
    #[must_use]
    pub fn compactions(&self) -> u64 {
        self.main_summary().map_or(0, |summary| summary.compactions)
    }

    /// Names of the models called, the main conversation's first. Calls that name none leave no mark.
    #[must_use]
    pub fn models(&self) -> Vec<&str> {
        let mut models: Vec<&str> = Vec::new();
        for name in self.summaries().flat_map(|summary| &summary.model_names) {
            if !name.is_empty() && !models.contains(&name.as_str()) {
                models.push(name);
            }
        }
        models
    }

    /// Writes to memory files, with the transcript they are in.
    pub fn memory_writes(&self) -> impl Iterator<Item = (&Path, &MemoryWrite)> {
        self.entries().flat_map(|entry| {
            let writes = entry.summary.iter().flat_map(|summary| &summary.memory_writes);
            writes.map(|write| (entry.path.as_path(), write))
        })
    }

    /// Its price by the client's own figures, in US dollars; `None` where it records none. A session of Claude Code has that of
    /// its subagents in its own file.
    #[must_use]
    pub fn client_cost(&self) -> Option<f64> {
        let of = |summary: &Summary| summary.session.client_cost.map(MicroDollars::dollars);
        self.summaries().filter_map(of).reduce(|sum, cost| sum + cost)
    }

    /// Bytes of all its files.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.entries().map(|entry| entry.identity.size).sum()
    }
}

impl Snapshot {
    pub(crate) fn new(
        entries: BTreeMap<PathBuf, Arc<Entry>>,
        left: Vec<(PathBuf, Message)>,
        complete: bool,
    ) -> Self {
        Self { entries, left, complete, ..Self::default() }
    }

    /// True if an update came to its end and nothing has been begun since.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.complete
    }

    /// Every file, by path.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = &Arc<Entry>> {
        self.entries.values()
    }

    /// The entry of a file.
    #[must_use]
    pub fn entry(&self, path: &Path) -> Option<&Arc<Entry>> {
        self.entries.get(path)
    }

    /// Directories that could not be listed and files that were left alone, with the reason.
    #[must_use]
    pub fn left_out(&self) -> &[(PathBuf, Message)] {
        &self.left
    }

    /// Sessions, the one with the latest line first.
    #[must_use]
    pub fn sessions(&self) -> &[SessionRow] {
        self.sessions.get_or_init(|| sessions(self.entries.values()))
    }

    /// Projects, the one with the latest line first.
    #[must_use]
    pub fn projects(&self) -> Vec<ProjectRow> {
        let mut projects: BTreeMap<Option<&str>, ProjectRow> = BTreeMap::new();
        for session in self.sessions() {
            let project = session.project();
            let row = projects.entry(project).or_default();
            row.project = project.map(str::to_owned);
            row.sessions += 1;
            row.requests = row.requests.saturating_add(session.requests());
            row.peak_context = row.peak_context.max(session.peak_context());
            row.memory_writes += session.memory_writes().count();
            row.ended_at = row.ended_at.max(session.ended_at());
        }
        let mut rows: Vec<ProjectRow> = projects.into_values().collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.ended_at));
        rows
    }

    /// Every call of a model, once. Made at the first question and kept.
    #[must_use]
    pub fn calls(&self) -> &Calls {
        self.calls.get_or_init(|| Calls::of(self.entries.values()))
    }

    /// The answers that files only repeat. Made at the first question and kept.
    #[must_use]
    pub fn copies(&self) -> &Copies {
        self.copies.get_or_init(|| Copies::of(self.entries.values()))
    }

    /// The transcripts that hold the calls first of which these hold copies, as those of forks and resumed sessions do; without
    /// these themselves.
    #[must_use]
    pub fn originals(&self, of: &[&Arc<Entry>]) -> Vec<Arc<Entry>> {
        let ids = |entry: &Arc<Entry>| -> Vec<u64> {
            entry.summary.iter().flat_map(|summary| &summary.message_ids).map(|used| used.id).collect()
        };
        let wanted: HashSet<u64> = of.iter().flat_map(|entry| ids(entry)).collect();
        let mut found: BTreeMap<&Path, &Arc<Entry>> = BTreeMap::new();
        if !wanted.is_empty() {
            let mut first: HashMap<u64, &Arc<Entry>> = HashMap::new();
            for entry in self.entries() {
                for id in ids(entry).into_iter().filter(|id| wanted.contains(id)) {
                    let known = first.entry(id).or_insert(entry);
                    if (entry.first_at(), &entry.path) < (known.first_at(), &known.path) {
                        *known = entry;
                    }
                }
            }
            found.extend(first.into_values().map(|entry| (entry.path.as_path(), entry)));
        }
        let is_other = |entry: &&&Arc<Entry>| !of.iter().any(|one| one.path == entry.path);
        found.values().filter(is_other).map(|entry| Arc::clone(entry)).collect()
    }

    /// Counts over everything.
    #[must_use]
    pub fn totals(&self) -> Totals {
        Totals {
            files: self.entries.len(),
            bytes: self.entries().map(|entry| entry.identity.size).sum(),
            sessions: self.sessions().len(),
            projects: self.projects().len(),
            calls: self.calls().len(),
            problems: self.entries().filter(|entry| entry.trouble().is_some()).count(),
        }
    }
}

/// Joins the transcripts of subagents to that of their session: by id within one project's folder, then by id alone.
fn sessions<'e>(entries: impl Iterator<Item = &'e Arc<Entry>>) -> Vec<SessionRow> {
    let (subagents, mains): (Vec<_>, Vec<_>) = entries.partition(|entry| entry.is_subagent());
    let mut rows: Vec<SessionRow> = Vec::with_capacity(mains.len());
    let mut by_folder: HashMap<(PathBuf, String), usize> = HashMap::new();
    let mut by_id: HashMap<String, usize> = HashMap::new();
    for main in mains {
        let id = main.session_id();
        let key = (folder_of_project(main), id.clone());
        if main.place.kind == RootKind::Gemini
            && let Some(known) = by_folder.get(&key).and_then(|&place: &usize| rows.get_mut(place))
        {
            SessionRow::add_further(known, main);
            continue;
        }
        by_folder.entry(key).or_insert(rows.len());
        by_id.entry(id.clone()).or_insert(rows.len());
        rows.push(SessionRow {
            id,
            main: Some(Arc::clone(main)),
            further: Vec::new(),
            subagents: Vec::new(),
        });
    }
    for subagent in subagents {
        let id = subagent.session_id();
        let key = (folder_of_project(subagent), id.clone());
        let place = by_folder.get(&key).or_else(|| by_id.get(&id)).copied().unwrap_or_else(|| {
            by_folder.insert(key, rows.len());
            by_id.insert(id.clone(), rows.len());
            rows.push(SessionRow { id, main: None, further: Vec::new(), subagents: Vec::new() });
            rows.len() - 1
        });
        rows[place].subagents.push(Arc::clone(subagent));
    }
    for row in &mut rows {
        row.subagents.sort_by_key(|entry| entry.first_at());
    }
    rows.sort_by_cached_key(|row| std::cmp::Reverse(row.ended_at()));
    rows
}

/// The folder in which the files of a project's sessions lie.
fn folder_of_project(entry: &Entry) -> PathBuf {
    let levels = match (&entry.place.of_session, entry.place.kind) {
        (None, _) => 1,
        (Some(_), RootKind::Gemini) => 2,
        (Some(_), _) => 3,
    };
    entry.path.ancestors().nth(levels).map(Path::to_owned).unwrap_or_default()
}

#[cfg(test)]
mod tests;
