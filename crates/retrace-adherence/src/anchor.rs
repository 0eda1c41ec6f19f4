//! The line that a rule comes from, through the versions of its memory.

use crate::Rules;
use retrace_engine::target::Target;
use retrace_engine::{Engine, root_of};
use retrace_lab::{FileAsked, MemoryAsked, instruction_file, is_beside, project_of, project_of_file};
use retrace_log::{Reader, StoreRow, VersionFilter, VersionRow};
use retrace_model::{MemoryId, RelPath, StoreKind, Timestamp, VersionOperation};
use retrace_rules::{Rule, asking_lines, has_sentence_of, is_wording_of, shown_lines};
use retrace_sessions::{ProjectRow, Snapshot};
use retrace_sources::repository_of;
use retrace_wire::{ApiError, Code};
use std::path::{Path, PathBuf};

/// Where a rule's sentence stands.
pub(crate) enum Source {
    /// A memory in the log.
    Memory(Box<Memory>),
    /// A file of which no version is kept.
    File {
        path: PathBuf,
        line: Option<u64>,
        /// The directory whose sessions can load it; `None` where all can.
        project: Option<PathBuf>,
    },
    /// Nobody said.
    Nowhere,
}

/// A memory that says a rule, whatever it is called by now.
pub(crate) struct Memory {
    pub(crate) store: StoreRow,
    /// The path by which the rule names it.
    pub(crate) path: RelPath,
    line: Option<u64>,
    /// The memory that was there when the rule was added.
    id: Option<MemoryId>,
    /// Where it is or was last.
    now: RelPath,
}

/// The rule's line in one version.
#[derive(Clone, Debug)]
pub(crate) struct Wording {
    /// The version; `None` where it was redacted.
    pub(crate) version_id: String,
    pub(crate) since: Timestamp,
    /// The line and its number, from 1; `None` where the version does not say the rule, or was redacted.
    pub(crate) line: Option<(u64, String)>,
    /// True if the version's content was redacted: whether it said the rule is not known.
    pub(crate) redacted: bool,
}

/// All that is known of where a rule comes from.
pub(crate) struct Anchor {
    pub(crate) source: Source,
    /// The versions of its memory, the oldest first. Empty where none are kept.
    pub(crate) wordings: Vec<Wording>,
    /// What presence is asked of.
    pub(crate) asked: Option<Asked>,
}

/// What presence is asked of.
#[allow(clippy::large_enum_variant, reason = "there is one for each rule that is asked for")]
pub(crate) enum Asked {
    /// A memory, with a line of each wording.
    Memory(MemoryAsked),
    /// A file of which no version is kept, with the line that says the rule now.
    File { file: FileAsked, line: u64 },
}

impl Anchor {
    /// Where a rule comes from that was added then.
    pub(crate) fn of(inner: &Rules, rule: &Rule, added_at: Timestamp) -> Result<Self, ApiError> {
        inner.read(|reader| {
            let source = source(inner, reader, rule.source.as_deref(), Some(added_at))?;
            let (wordings, asked) = match &source {
                Source::Memory(memory) => {
                    let versions = memory.versions(reader)?;
                    let asked = memory.asked(reader, &versions)?;
                    let line = (memory.line, added_at);
                    (wordings(reader, versions, line, rule, Back::ToTheFirst)?, Some(Asked::Memory(asked)))
                }
                Source::File { path, line, .. } => (Vec::new(), asked_of_file(path, *line, rule)),
                Source::Nowhere => (Vec::new(), None),
            };
            Ok(Self { source, wordings, asked })
        })
    }

    /// The rule's source as it is called now, with the line where its sentence stands; `None` where both are as before.
    pub(crate) fn source_now(&self, rule: &Rule) -> Option<String> {
        let named = rule.source.as_deref()?;
        match (&self.source, &self.asked) {
            (Source::Memory(memory), _) => memory.named_now(named, line_now(&self.wordings)),
            (Source::File { line: Some(_), .. }, Some(Asked::File { line, .. })) => at_line(named, *line),
            _ => None,
        }
    }

    /// The wording in force at a time. `None` where the rule did not stand then; `Some(None)` where nothing is known of it.
    pub(crate) fn at(&self, at: Option<Timestamp>) -> Option<Option<usize>> {
        if self.wordings.is_empty() {
            return Some(None);
        }
        if at.is_none() {
            return Some(None);
        }
        let index = self.index_at(at)?;
        let wording = &self.wordings[index];
        (wording.redacted || wording.line.is_some()).then_some(Some(index))
    }

    /// The version in force at a time, whether it says the rule or not.
    pub(crate) fn index_at(&self, at: Option<Timestamp>) -> Option<usize> {
        let at = at?;
        self.wordings.iter().rposition(|wording| wording.since <= at)
    }

    /// Directory of the project that the source belongs to, where there is one on this machine.
    pub(crate) fn project(&self, snapshot: &Snapshot) -> Option<PathBuf> {
        let found = match &self.source {
            Source::Memory(memory) if !memory.store.has_directory() => None,
            // The name of its folder is lossy; the transcripts beside it say where sessions ran.
            Source::Memory(memory) if memory.store.kind == StoreKind::ClaudeAuto => {
                let root = root_of(&memory.store);
                let mut mains = snapshot.sessions().iter().filter_map(|session| session.main.as_ref());
                let ran = mains.find(|entry| is_beside(&root, &entry.path))?.project().map(PathBuf::from)?;
                Some(repository_of(&ran).unwrap_or(ran))
            }
            Source::Memory(memory) => project_of(&root_of(&memory.store)),
            Source::File { path, project, .. } => {
                let folder = path.parent()?;
                let ran_there = |row: ProjectRow| row.project.is_some_and(|ran| Path::new(&ran) == folder);
                let there = || snapshot.projects().into_iter().any(ran_there);
                project.clone().or_else(|| there().then(|| folder.to_path_buf()))
            }
            Source::Nowhere => None,
        };
        found.filter(|project| project.is_dir())
    }

    /// The newest wording of the line.
    pub(crate) fn newest_line(&self) -> Option<&str> {
        self.wordings.iter().rev().find_map(|wording| wording.line.as_ref().map(|(_, line)| line.as_str()))
    }
}

/// Gives a rule's source its line, and refuses one that is not there.
pub(crate) fn with_whole_source(inner: &Rules, mut rule: Rule) -> Result<Rule, ApiError> {
    let Some(text) = rule.source.clone() else { return Ok(rule) };
    let source = inner.read(|reader| source(inner, reader, Some(&text), None))?;
    let (content, line) = match &source {
        Source::Memory(memory) => (newest_text(inner, &memory.store, &memory.path, &text)?, memory.line),
        Source::File { path, line, .. } => match is_readable(path) {
            // Of one that is too large the lines are not known.
            true => (instruction_file(path), *line),
            false => return Err(no_source(&text)),
        },
        Source::Nowhere => return Err(no_source(&text)),
    };
    // Of one that is deleted, redacted or too large, the lines are not known.
    let Some(content) = content else { return Ok(rule) };
    let lines = content.lines().count() as u64;
    match line {
        Some(line) if line == 0 || line > lines => {
            return Err(ApiError::invalid(say::source_has_lines(lines), &text).hint(say::name_a_source()));
        }
        // Without a number, the line is the one that says the sentence.
        None if matches!(source, Source::Memory(_)) => {
            if let Some((number, _)) = line_of(&content, None, &rule, None) {
                rule.source = Some(format!("{text}:{number}"));
            }
        }
        Some(_) | None => {}
    }
    Ok(rule)
}

fn is_readable(path: &Path) -> bool {
    // Looked at before it is opened: a pipe would wait for its other end.
    std::fs::metadata(path).is_ok_and(|about| about.is_file()) && std::fs::File::open(path).is_ok()
}

/// The text of a memory now; `None` for one that was there and has none.
fn newest_text(
    inner: &Rules,
    store: &StoreRow,
    path: &RelPath,
    named: &str,
) -> Result<Option<String>, ApiError> {
    inner.read(|reader| {
        let filter = VersionFilter {
            store: Some(store.id),
            path: Some(path.clone()),
            limit: 1,
            ..VersionFilter::default()
        };
        if reader.versions(&filter)?.is_empty() {
            return Err(no_source(named));
        }
        let Some(version) = reader.version_at(store.id, path, None)? else { return Ok(None) };
        let content = reader.content(&version)?;
        Ok(content.map(|content| String::from_utf8_lossy(&content.bytes).into_owned()))
    })
}

fn no_source(named: &str) -> ApiError {
    ApiError::new(Code::NotFound, say::no_such_source(), named).hint(say::name_a_source())
}

/// The source of a rule as it is called now, with the line where its sentence stands, where either is otherwise than when it was
/// added.
pub(crate) fn source_now(
    inner: &Engine,
    reader: &Reader<'_>,
    rule: &Rule,
    added_at: Timestamp,
) -> Result<Option<String>, ApiError> {
    let Some(named) = rule.source.as_deref() else { return Ok(None) };
    match source(inner, reader, Some(named), Some(added_at))? {
        Source::Memory(memory) => {
            let (versions, line) = (memory.versions(reader)?, (memory.line, added_at));
            let wordings = wordings(reader, versions, line, rule, Back::ToOneThatSaysIt)?;
            Ok(memory.named_now(named, line_now(&wordings)))
        }
        Source::File { path, line: Some(line), .. } => match asked_of_file(&path, Some(line), rule) {
            Some(Asked::File { line, .. }) => Ok(at_line(named, line)),
            _ => Ok(None),
        },
        Source::File { .. } | Source::Nowhere => Ok(None),
    }
}

/// The number of the rule's line in the newest version that says it.
fn line_now(wordings: &[Wording]) -> Option<u64> {
    wordings.iter().rev().find_map(|wording| wording.line.as_ref().map(|(at, _)| *at))
}

/// A source with another line; `None` where it is the same.
fn at_line(named: &str, line: u64) -> Option<String> {
    let (target, before) = parts(named);
    (before != Some(line)).then(|| format!("{target}:{line}"))
}

/// A source without its line, and the line.
fn parts(named: &str) -> (&str, Option<u64>) {
    match named.rsplit_once(':').map(|(target, line)| (target, line.parse::<u64>())) {
        Some((target, Ok(line))) => (target, Some(line)),
        _ => (named, None),
    }
}

fn source(
    inner: &Engine,
    reader: &Reader<'_>,
    text: Option<&str>,
    added_at: Option<Timestamp>,
) -> Result<Source, ApiError> {
    let Some(text) = text else { return Ok(Source::Nowhere) };
    let (target, line) = parts(text);
    if let Ok(Target::File { store, path, .. }) = inner.target(reader, target) {
        let memory = Memory::at(reader, *store, path, line, added_at)?;
        return Ok(Source::Memory(Box::new(memory)));
    }
    let file = PathBuf::from(target);
    if !file.is_absolute() {
        return Ok(Source::Nowhere);
    }
    // A file of a store is named by its whole path as well.
    let stores = reader.stores().unwrap_or_default();
    let holds = stores.into_iter().filter(|store| store.removed_at.is_none() && store.has_directory());
    for store in holds {
        let relative =
            file.strip_prefix(root_of(&store)).ok().map(|below| below.to_string_lossy().into_owned());
        if let Some(path) = relative.and_then(|below| RelPath::parse(&below).ok()) {
            return Ok(Source::Memory(Box::new(Memory::at(reader, store, path, line, added_at)?)));
        }
    }
    let project = project_of_file(&inner.options.surroundings, &file);
    Ok(Source::File { path: file, line, project })
}

impl Memory {
    /// What was at a path when a rule was added; without that, or where nothing was, what is there now or was last.
    fn at(
        reader: &Reader<'_>,
        store: StoreRow,
        path: RelPath,
        line: Option<u64>,
        added_at: Option<Timestamp>,
    ) -> Result<Self, ApiError> {
        let then = match added_at {
            Some(at) => reader.version_at_time(store.id, &path, at)?,
            None => None,
        };
        let found = match then {
            Some(version) => Some(version),
            None => reader.version_at(store.id, &path, None)?,
        };
        let found = match found {
            Some(version) => Some(version),
            None => at_path(reader, &store, &path)?.into_iter().max_by_key(order),
        };
        let id = found.map(|version| version.memory);
        let now = match id {
            Some(id) => last_path(reader, &store, id)?.unwrap_or_else(|| path.clone()),
            None => path.clone(),
        };
        Ok(Self { store, path, line, id, now })
    }

    /// Its versions, whatever it was called. What was at its first path before it, and at its last one after it was deleted, is
    /// the same file to its person.
    fn versions(&self, reader: &Reader<'_>) -> Result<Vec<VersionRow>, ApiError> {
        let mut all = match self.id {
            Some(id) => of_memory(reader, &self.store, id)?,
            None => Vec::new(),
        };
        let (Some(first), Some(last)) = (all.first().cloned(), all.last().cloned()) else {
            return at_path(reader, &self.store, &self.path);
        };
        let is_other = |version: &VersionRow| Some(version.memory) != self.id;
        let begins_at = all.iter().find_map(|version| version.path.clone());
        let before = at_path(reader, &self.store, begins_at.as_ref().unwrap_or(&self.path))?;
        all.extend(before.into_iter().filter(|version| is_other(version) && order(version) < order(&first)));
        if last.operation == VersionOperation::Deleted {
            let after = at_path(reader, &self.store, &self.now)?;
            all.extend(
                after.into_iter().filter(|version| is_other(version) && order(version) > order(&last)),
            );
        }
        all.sort_by_key(order);
        Ok(all)
    }

    /// What presence is asked of: the memory, or what stands in its place now that it is gone.
    fn asked(&self, reader: &Reader<'_>, versions: &[VersionRow]) -> Result<MemoryAsked, ApiError> {
        let of_id = versions.iter().rfind(|version| Some(version.memory) == self.id);
        let is_gone = of_id.is_none_or(|newest| newest.operation == VersionOperation::Deleted);
        if is_gone && reader.live_at(self.store.id, &self.now)?.is_some() {
            return MemoryAsked::at(reader, self.store.clone(), &self.now);
        }
        MemoryAsked::of(reader, self.store.clone(), self.id, &self.now)
    }

    /// How a source that names it is to name it now; `None` where it does.
    fn named_now(&self, named: &str, line: Option<u64>) -> Option<String> {
        if self.now == self.path {
            return self.line.and(line).and_then(|line| at_line(named, line));
        }
        let (target, _) = parts(named);
        let before = target.strip_suffix(self.path.to_text().as_str())?;
        let line = line.or(self.line).map(|line| format!(":{line}")).unwrap_or_default();
        Some(format!("{before}{}{line}", self.now.to_text()))
    }
}

fn order(version: &VersionRow) -> (Timestamp, u64) {
    (version.created_at, version.id.seq)
}

/// Versions of a memory, the oldest first.
fn of_memory(reader: &Reader<'_>, store: &StoreRow, id: MemoryId) -> Result<Vec<VersionRow>, ApiError> {
    let filter = VersionFilter { store: Some(store.id), memory: Some(id), ..VersionFilter::default() };
    let mut versions = reader.versions(&filter)?;
    versions.sort_by_key(order);
    Ok(versions)
}

/// Versions of whatever was at a path, the oldest first.
fn at_path(reader: &Reader<'_>, store: &StoreRow, path: &RelPath) -> Result<Vec<VersionRow>, ApiError> {
    let filter =
        VersionFilter { store: Some(store.id), path: Some(path.clone()), ..VersionFilter::default() };
    let mut versions = reader.versions(&filter)?;
    versions.retain(|version| version.path.as_ref().is_none_or(|at| at == path));
    versions.sort_by_key(order);
    Ok(versions)
}

/// Where a memory is or was last.
fn last_path(reader: &Reader<'_>, store: &StoreRow, id: MemoryId) -> Result<Option<RelPath>, ApiError> {
    let filter =
        VersionFilter { store: Some(store.id), memory: Some(id), limit: 1, ..VersionFilter::default() };
    if let Some(path) = reader.versions(&filter)?.pop().and_then(|version| version.path) {
        return Ok(Some(path));
    }
    // The newest one was redacted.
    Ok(of_memory(reader, store, id)?.into_iter().rev().find_map(|version| version.path))
}

/// A file that says the rule as it is now; what it said before, nobody knows.
fn asked_of_file(path: &Path, line: Option<u64>, rule: &Rule) -> Option<Asked> {
    let content = instruction_file(path)?;
    // Nobody knows how it read when the rule was confirmed; struck out or quoted, it says nothing.
    let named = || {
        named_line(&content, line, rule).filter(|line| !line.1.contains("~~") && is_asking(&content, line.0))
    };
    let (line, _) = line_of(&content, line, rule, None).or_else(named)?;
    Some(Asked::File { file: FileAsked::new(path, &content), line })
}

/// How far back a rule's line is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Back {
    ToTheFirst,
    ToOneThatSaysIt,
}

/// The rule's line in each version, the oldest first.
fn wordings(
    reader: &Reader<'_>,
    versions: Vec<VersionRow>,
    (line, added_at): (Option<u64>, Timestamp),
    rule: &Rule,
    back: Back,
) -> Result<Vec<Wording>, ApiError> {
    let recent = reader.recent();
    // As the person read the line when they confirmed the rule, it says it, whatever else it says.
    let read = versions.iter().rfind(|version| version.created_at <= added_at && version.redaction.is_none());
    let read = read.map(|version| recent.content(version)).transpose()?.flatten();
    let read = read.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let named = read.as_ref().and_then(|text| Some((text, named_line(text, line, rule)?)));
    let confirmed = named
        .as_ref()
        .map(|(text, (number, line))| Confirmed { line: line.trim(), anywhere: !is_asking(text, *number) });
    let mut wordings = Vec::with_capacity(versions.len());
    // From the newest one back, since the line's number is of the newest version that the person saw.
    let mut number = line;
    for version in versions.iter().rev() {
        let redacted = version.redaction.is_some();
        let content = if redacted { None } else { recent.content(version)? };
        let found =
            content.and_then(|bytes| line_of(&String::from_utf8_lossy(&bytes), number, rule, confirmed));
        if let Some((at, _)) = &found {
            number = Some(*at);
        }
        let is_enough = back == Back::ToOneThatSaysIt && found.is_some();
        wordings.push(Wording {
            version_id: version.id.to_string(),
            since: version.created_at,
            line: found,
            redacted,
        });
        if is_enough {
            break;
        }
    }
    wordings.reverse();
    Ok(wordings)
}

/// The line that a person confirmed a rule by.
#[derive(Clone, Copy)]
struct Confirmed<'t> {
    line: &'t str,
    /// True where it stood in a block of code or a quotation: then it says the rule there too.
    anywhere: bool,
}

fn is_asking(text: &str, number: u64) -> bool {
    asking_lines(text).iter().any(|(at, _)| *at == number)
}

/// The line of a text with a rule's sentence, of several the nearest to a number, whatever else it says.
fn named_line(text: &str, near: Option<u64>, rule: &Rule) -> Option<(u64, String)> {
    let sentence = rule.sentence.trim();
    let lines = shown_lines(text);
    let says = lines.iter().filter(|(_, line)| !sentence.is_empty() && line.contains(sentence));
    let found = says.min_by_key(|(number, _)| near.map_or(*number, |near| number.abs_diff(near)));
    found.map(|(number, line)| (*number, line.clone().into_owned()))
}

/// The line of a text that says a rule: the one with its sentence, else a wording of it, of several the nearest to where it stood
/// in the version after it.
fn line_of(
    text: &str,
    near: Option<u64>,
    rule: &Rule,
    confirmed: Option<Confirmed<'_>>,
) -> Option<(u64, String)> {
    let distance = |number: u64| near.map_or(number, |near| number.abs_diff(near));
    let asking = asking_lines(text);
    let is_confirmed = |line: &str| confirmed.is_some_and(|confirmed| confirmed.line == line.trim());
    let anywhere =
        confirmed.filter(|confirmed| confirmed.anywhere).map_or_else(Vec::new, |_| shown_lines(text));
    let quoted = anywhere.iter().filter(|(_, line)| is_confirmed(line));
    let own =
        asking.iter().filter(|(_, line)| is_confirmed(line) || has_sentence_of(line, rule)).chain(quoted);
    let found = own.min_by_key(|(number, _)| distance(*number)).or_else(|| {
        let wordings = asking.iter().filter(|(_, line)| is_wording_of(line, rule));
        wordings.min_by_key(|(number, _)| distance(*number))
    });
    // A rule whose sentence is the person's own is the line they named, in the version they named it in alone.
    found.map(|(number, line)| (*number, line.clone().into_owned()))
}

retrace_message::messages! {
    /// Messages about where a rule comes from.
    mod say in "rule_sources";
    no_such_source() => "No memory and no file of this name is here.",
    source_has_lines(lines) => "The source of the rule has {lines} lines.",
    name_a_source() => "Name the source as STORE:PATH:LINE, or as the whole path of a file.",
}

#[cfg(test)]
mod tests;
