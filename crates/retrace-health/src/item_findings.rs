//! Findings of what is left to review: of a content, what the content reviewed last did not have; of the directory, what
//! stands in lines that came since; and of the changes themselves.
//!
//! Rules over one content run once for each content and path; rules over a directory and over changes once for each state of
//! a store's log. A directory is looked at here as the log has it; `commands/check.rs` looks at what is on disk.

use crate::Checks;
use crate::check::{self, Files, Place};
use crate::wire::{self, ApiError};
use chrono::NaiveDate;
use retrace_engine::remembered::{FactKey, Remembered};
use retrace_engine::{lock, root_of};
use retrace_findings::events::{self, Change, Changes, EventFinding, Writer};
use retrace_findings::{Config, FileLink, Finding, check_one, file_links, new_since};
use retrace_log::{Items, Reader, Recent, StoreRow, Unreviewed, VersionFilter, VersionRow};
use retrace_model::{
    Actor, Evidence, MAX_FILE_BYTES, MemoryId, RelPath, Sha256, Source, StoreId, VersionOperation,
};
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
use std::sync::{Arc, Mutex};

/// The rule about links that lead to nothing.
const MISSING_FILE: &str = "links/missing-file";

/// The rule about redacted texts that stand on disk again.
const REDACTED_BACK: &str = "events/redacted-back";

/// Any content that is recorded is checked: rules take time in proportion to a text, and each text is checked once.
const LARGEST_CHECKED: u64 = MAX_FILE_BYTES;

/// Contents above this size take long enough that the two of a change are checked at the same time; bytes.
const LARGE: u64 = 128 << 10;

/// In stores with more memories the rules over a directory wait for `findings` of the store: a list is asked for after each
/// review. It is what a hosted store holds at most.
const MAX_IN_DIRECTORY: u64 = 2_000;

/// Of a store, so many of its newest changes are compared with the rules of events: weeks of work, and some milliseconds.
const EVENT_CHANGES: u64 = 2_000;

/// Newest version, how far writers were searched for, configuration.
type State = (u64, u64, Sha256);

/// The rules of events on one state of a store's log.
struct StoreEvents {
    /// Newest version of the log, how far writers were searched for, and the configuration.
    state: State,
    found: Vec<EventFinding>,
    /// The memory of each version that a finding is about, by its place in the log.
    memories: HashMap<u64, MemoryId>,
    /// The findings about each memory, with the versions that they are about.
    of_memory: HashMap<MemoryId, Vec<(usize, u64)>>,
}

/// Cache of findings.
#[derive(Default)]
pub(crate) struct FindingsCache {
    contents: Remembered<Found>,
    /// Shared by the many contents without findings.
    none: Found,
    events: Mutex<HashMap<StoreId, Arc<StoreEvents>>>,
    directories: Mutex<HashMap<StoreId, (DirectoryState, Arc<StoreDirectory>)>>,
}

/// Versions of a store, configuration, day.
type DirectoryState = (u64, Sha256, Option<NaiveDate>);

/// Findings of directory rules in a store, by path.
type StoreDirectory = HashMap<String, Vec<Finding>>;

/// The configurations of stores, each read once for a page of a list.
#[derive(Default)]
pub struct Configurations {
    known: HashMap<StoreId, Arc<Configured>>,
}

struct Configured {
    config: Config,
    identity: Sha256,
    store: StoreRow,
}

impl Configurations {
    /// Identity of the rules of a store: the same as long as it finds the same in a content.
    ///
    /// # Errors
    /// Failures of the database.
    pub fn identity(
        &mut self,
        inner: &Checks,
        reader: &Reader<'_>,
        store: StoreId,
    ) -> Result<Sha256, ApiError> {
        Ok(self.of(inner, reader, store)?.identity)
    }

    /// The store's configuration with what the person set over it; the rules as they come where it has none or one that cannot
    /// be used, so that a list is shown whatever stands in a file.
    fn of(
        &mut self,
        inner: &Checks,
        reader: &Reader<'_>,
        store: StoreId,
    ) -> Result<Arc<Configured>, ApiError> {
        if let Some(known) = self.known.get(&store) {
            return Ok(Arc::clone(known));
        }
        let row = reader.store(store)?;
        let root = root_of(&row);
        let required = inner.required_alone();
        let as_it_lies = |at: Place<'_>| {
            let mut config = check::configuration(at, None)?;
            required.require(&mut config);
            Ok::<_, ApiError>(config)
        };
        let usable = |at: Place<'_>| inner.configuration(at).or_else(|_| as_it_lies(at)).ok();
        let read = || {
            if !row.has_directory() {
                let at = Place {
                    files: Files::Log(reader, store),
                    repository: None,
                    about: None,
                    directory: None,
                };
                return usable(at);
            }
            let (opened, repository) = (inner.store_root(&row).ok()?, check::repository_above(&root));
            let at = Place {
                files: Files::Directory(&opened),
                repository: repository.as_deref(),
                about: None,
                directory: None,
            };
            usable(at)
        };
        let config = read().unwrap_or_else(|| {
            let mut config = Config::default();
            required.require(&mut config);
            config
        });
        let identity = Sha256::of(format!("{config:?}").as_bytes());
        let configured = Arc::new(Configured { config, identity, store: row });
        self.known.insert(store, Arc::clone(&configured));
        Ok(configured)
    }
}

/// Findings of a content, shared by all that ask for them.
type Found = Arc<Vec<Finding>>;

/// What is known of the findings of a content.
enum Looked {
    Known(Found),
    Unchecked { key: FactKey, path: String, bytes: Rc<Vec<u8>> },
}

impl FindingsCache {
    /// Findings of the content of a version by itself; nothing for what is no text or too large.
    fn of_content(
        &self,
        contents: &Recent<'_>,
        version: &VersionRow,
        configured: &Configured,
    ) -> Result<Found, ApiError> {
        Ok(match self.look(contents, version, configured)? {
            Looked::Known(known) => known,
            Looked::Unchecked { key, path, bytes } => {
                self.keep(key, check_one(&path, &bytes, &configured.config))
            }
        })
    }

    /// The same of two versions, whose contents are checked at the same time.
    fn of_both(
        &self,
        contents: &Recent<'_>,
        (one, other): (&VersionRow, &VersionRow),
        configured: &Configured,
    ) -> Result<(Found, Found), ApiError> {
        let both = (self.look(contents, one, configured)?, self.look(contents, other, configured)?);
        let (
            Looked::Unchecked { key, path, bytes },
            Looked::Unchecked { key: other_key, path: other_path, bytes: other_bytes },
        ) = &both
        else {
            return Ok((
                self.of_content(contents, one, configured)?,
                self.of_content(contents, other, configured)?,
            ));
        };
        let (config, other_bytes) = (&configured.config, other_bytes.as_slice());
        let (found, other_found) = std::thread::scope(|scope| {
            let other = scope.spawn(move || check_one(other_path, other_bytes, config));
            let found = check_one(path, bytes, config);
            (found, other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        Ok((self.keep(*key, found), self.keep(*other_key, other_found)))
    }

    fn look(
        &self,
        contents: &Recent<'_>,
        version: &VersionRow,
        configured: &Configured,
    ) -> Result<Looked, ApiError> {
        let nothing = || Ok(Looked::Known(Arc::clone(&self.none)));
        let (Some(info), Some(path)) = (&version.content, &version.path) else { return nothing() };
        if !info.kept || info.size > LARGEST_CHECKED {
            return nothing();
        }
        let path = path.to_text();
        let key = FactKey::of_parts(&[path.as_bytes(), &info.sha256.0, &configured.identity.0]);
        if let Some(known) = self.contents.get(key) {
            return Ok(Looked::Known(known));
        }
        let Some(bytes) = contents.content(version)? else { return nothing() };
        Ok(Looked::Unchecked { key, path, bytes })
    }

    fn keep(&self, key: FactKey, found: Vec<Finding>) -> Found {
        let found = if found.is_empty() { Arc::clone(&self.none) } else { Arc::new(found) };
        self.contents.keep(key, Arc::clone(&found));
        found
    }

    fn of_events(
        &self,
        reader: &Reader<'_>,
        (last_version, joined_through): (u64, u64),
        configured: &Configured,
    ) -> Result<Arc<StoreEvents>, ApiError> {
        let store = &configured.store;
        let state = (last_version, joined_through, configured.identity);
        if let Some(known) = lock(&self.events).get(&store.id).filter(|known| known.state == state) {
            return Ok(Arc::clone(known));
        }
        let found = Arc::new(events_of(reader, configured, state)?);
        lock(&self.events).insert(store.id, Arc::clone(&found));
        Ok(found)
    }

    /// Findings of directory rules in a store, as the log has it.
    fn of_directory(
        &self,
        inner: &Checks,
        reader: &Reader<'_>,
        configured: &Configured,
    ) -> Result<Arc<StoreDirectory>, ApiError> {
        let store = &configured.store;
        let state = (store.versions, configured.identity, check::day(inner.now()));
        if let Some((known, found)) = lock(&self.directories).get(&store.id)
            && *known == state
        {
            return Ok(Arc::clone(found));
        }
        if reader.live_count(store.id)? > MAX_IN_DIRECTORY {
            let none = Arc::new(StoreDirectory::new());
            lock(&self.directories).insert(store.id, (state, Arc::clone(&none)));
            return Ok(none);
        }
        let (root, about) = (root_of(store), inner.repository_of(store));
        let repository = store.has_directory().then(|| check::repository_above(&root)).flatten();
        let at = Place {
            files: Files::Log(reader, store.id),
            repository: repository.as_deref(),
            about: about.as_deref(),
            directory: store.has_directory().then_some(&*root),
        };
        // A configuration that cannot be used is told by `findings` of the store; a list is shown all the same.
        let found =
            inner.checked_at(store.id, at, None).map(|checked| checked.report.findings).unwrap_or_default();
        let mut by_path = StoreDirectory::new();
        for finding in found.into_iter().filter(is_of_directory) {
            by_path.entry(finding.path.clone()).or_default().push(finding);
        }
        let found = Arc::new(by_path);
        lock(&self.directories).insert(store.id, (state, Arc::clone(&found)));
        Ok(found)
    }

    /// Forgets everything, so that nothing outlives the redaction of a content.
    pub(crate) fn forget(&self) {
        self.contents.forget();
        lock(&self.events).clear();
        lock(&self.directories).clear();
    }
}

/// True if a finding is of a rule that a content alone does not decide.
fn is_of_directory(finding: &Finding) -> bool {
    matches!(finding.rule.group(), "links" | "truth" | "similar")
        || matches!(
            finding.rule.id.as_str(),
            "front-matter/name-twice" | "hidden/path" | "limits/hosted-path"
        )
}

/// A version's content as text; `None` for what is none, is not kept or is too large.
fn text_of(contents: &Recent<'_>, version: &VersionRow) -> Result<Option<String>, ApiError> {
    let info = version.content.filter(|info| info.is_text && info.kept && info.size <= LARGEST_CHECKED);
    if info.is_none() || version.redaction.is_some() {
        return Ok(None);
    }
    Ok(contents.content(version)?.and_then(|bytes| std::str::from_utf8(&bytes).map(str::to_owned).ok()))
}

/// The newest changes of a store, oldest first, and the rules over them.
fn events_of(reader: &Reader<'_>, configured: &Configured, state: State) -> Result<StoreEvents, ApiError> {
    let store = &configured.store;
    let filter = VersionFilter { store: Some(store.id), limit: EVENT_CHANGES, ..VersionFilter::default() };
    let mut versions = reader.versions(&filter)?;
    versions.reverse();
    let before = store.versions.saturating_sub(versions.len() as u64);
    let redacted_back = reader.redacted_back(store.id)?;
    let changes: Vec<Change> = versions
        .iter()
        .zip(before..)
        // An imported version is of a time before; it is no change of now.
        .filter(|(version, _)| !matches!(version.source, Source::Import | Source::Rebuilt))
        .map(|(version, place)| Change {
            version: version.id.seq,
            operation: version.operation_seq,
            at: version.created_at,
            writer: writer(&version.actor),
            is_exempt: place < store.baseline || is_asked_for(version),
            memory: version.memory,
            path: version.path.as_ref().map(ToString::to_string),
            what: version.operation,
            redacted_back: redacted_back.contains(&version.id.seq),
        })
        .collect();
    let by_place: BTreeMap<u64, &VersionRow> =
        versions.iter().map(|version| (version.id.seq, version)).collect();
    let failed = OnceCell::new();
    let text = |place: u64| {
        let version = by_place.get(&place)?;
        version.content.filter(|info| info.is_text && info.kept && info.size <= LARGEST_CHECKED)?;
        match reader.content(version) {
            Ok(content) => String::from_utf8(content?.bytes).ok(),
            Err(error) => {
                let _ = failed.set(error);
                None
            }
        }
    };
    let found = events::check(
        &Changes { changes: &changes, memories: reader.live_count(store.id)?, text: &text },
        &configured.config,
    );
    if let Some(error) = failed.into_inner() {
        return Err(error.into());
    }
    let concerned = found.iter().flat_map(|event| &event.versions);
    let memories: HashMap<u64, MemoryId> =
        concerned.filter_map(|place| Some((*place, by_place.get(place)?.memory))).collect();
    let mut of_memory: HashMap<MemoryId, Vec<(usize, u64)>> = HashMap::new();
    for (index, event) in found.iter().enumerate() {
        for place in &event.versions {
            if let Some(memory) = memories.get(place) {
                of_memory.entry(*memory).or_default().push((index, *place));
            }
        }
    }
    Ok(StoreEvents { state, found, memories, of_memory })
}

fn writer(actor: &Actor) -> Writer {
    match actor {
        // A session known by time or front matter alone says nothing of who raced whom.
        Actor::Session { evidence: Evidence::TimeOnly | Evidence::FrontMatter, .. } => Writer::Known,
        Actor::Session { id, .. } => Writer::Session(id.clone()),
        Actor::Unknown => Writer::Unknown,
        Actor::Api { .. } | Actor::User { .. } | Actor::ServiceAccount { .. } => Writer::Known,
    }
}

/// True if a person asked for the change in Retrace, where they saw what it does before.
fn is_asked_for(version: &VersionRow) -> bool {
    matches!(version.actor, Actor::User { .. })
        || matches!(version.source, Source::Rollback | Source::Restore | Source::Redact)
}

/// The links to a deleted memory that its store still has.
fn links_to(
    reader: &Reader<'_>,
    newest: &VersionRow,
    path: &str,
    directory: &StoreDirectory,
) -> Result<Vec<wire::Finding>, ApiError> {
    let mut left = Vec::new();
    for (from, found) in directory {
        let broken: Vec<&Finding> = found.iter().filter(|finding| finding.rule.id == MISSING_FILE).collect();
        if broken.is_empty() {
            continue;
        }
        let Ok(place) = RelPath::parse(from) else { continue };
        let Some(version) = reader.version_at(newest.store, &place, None)? else { continue };
        let Some(text) = text_of(&reader.recent(), &version)? else { continue };
        let links = file_links(from, text.as_bytes());
        for finding in broken {
            let leads = |link: &&FileLink| {
                link.leads.as_deref() == Some(path)
                    && finding.span.as_ref().is_some_and(|span| span.bytes.start == link.written.start)
            };
            if let Some(link) = links.iter().find(leads) {
                let message = say::line_still_links(from, link.line);
                left.push(Finding { path: path.to_owned(), span: None, message, ..finding.clone() });
            }
        }
    }
    left.sort_by(|one, other| one.message.cmp(&other.message));
    Ok(left.iter().map(check::finding_view).collect())
}

/// The findings of one content of elsewhere, by the rules that are usually on.
#[must_use]
pub fn findings_by_usual_rules(path: &str, bytes: &[u8]) -> Vec<wire::Finding> {
    findings_elsewhere(path, bytes, &Config::default())
}

/// True if there is such a rule, or a group of rules.
#[must_use]
pub fn is_known_rule(selector: &str) -> bool {
    Config::default().set(selector, "on").is_ok()
}

/// The ids of all rules. What stands before the stroke of one is its group.
#[must_use]
pub fn known_rules() -> Vec<&'static str> {
    retrace_findings::rules().iter().map(|rule| rule.id.as_str()).collect()
}

fn findings_elsewhere(path: &str, bytes: &[u8], config: &Config) -> Vec<wire::Finding> {
    if bytes.len() as u64 > LARGEST_CHECKED {
        return Vec::new();
    }
    // Its acts would concern files that are not here.
    let shown = |finding: &Finding| wire::Finding { remedies: Vec::new(), ..check::finding_view(finding) };
    check_one(path, bytes, config).iter().map(shown).collect()
}

impl Checks {
    /// The findings of one content by itself, of a store that is not on this machine, by the rules as the person set them here.
    #[must_use]
    pub fn findings_of_content(&self, path: &str, bytes: &[u8]) -> Vec<wire::Finding> {
        let mut config = Config::default();
        // Whatever stands in a file of settings, a content is shown.
        self.own_rules().unwrap_or_else(|_| self.required_alone()).apply(&mut config);
        findings_elsewhere(path, bytes, &config)
    }

    /// The findings of an item of the inbox: those that are new in its content, then those about its changes.
    pub fn findings_of_item(
        &self,
        (items, contents): (&Items<'_, '_>, &Recent<'_>),
        item: &Unreviewed,
        newest: &VersionRow,
        base: Option<&VersionRow>,
        configurations: &mut Configurations,
    ) -> Result<Vec<wire::Finding>, ApiError> {
        let reader = items.reader();
        let configured = configurations.of(self, reader, item.store)?;
        let is_large = |version: &VersionRow| version.content.is_some_and(|info| info.size > LARGE);
        let (now, before) = match base {
            Some(base) if is_large(newest) && is_large(base) => {
                let (now, before) = self.findings_cache.of_both(contents, (newest, base), &configured)?;
                (now, Some(before))
            }
            _ => (self.findings_cache.of_content(contents, newest, &configured)?, None),
        };
        let mut findings: Vec<wire::Finding> = if now.is_empty() {
            Vec::new()
        } else {
            let before = match (before, base) {
                (Some(before), _) => before,
                (None, Some(base)) => self.findings_cache.of_content(contents, base, &configured)?,
                (None, None) => Arc::default(),
            };
            new_since(&before, &now).iter().map(check::finding_view).collect()
        };
        findings.extend(self.directory_findings_of((reader, contents), &configured, newest, base)?);
        let marks = (items.last_version(), items.joined_through());
        let events = self.findings_cache.of_events(reader, marks, &configured)?;
        let range = item.base.map_or(0, |base| base + 1)..=item.newest;
        let of_memory = events.of_memory.get(&newest.memory).map_or(&[][..], Vec::as_slice);
        let mut concerned: Vec<usize> =
            of_memory.iter().filter(|(_, place)| range.contains(place)).map(|(index, _)| *index).collect();
        concerned.dedup();
        let concerned = concerned.into_iter().filter_map(|index| events.found.get(index));
        findings.extend(concerned.map(|event| event_view(event, newest)));
        Ok(findings)
    }

    /// Findings of directory rules about an item: what stands in a line that came since the content reviewed last, and
    /// of the file as a whole where it is new at its path. Of a deleted memory, the links that lead nowhere now.
    fn directory_findings_of(
        &self,
        (reader, contents): (&Reader<'_>, &Recent<'_>),
        configured: &Configured,
        newest: &VersionRow,
        base: Option<&VersionRow>,
    ) -> Result<Vec<wire::Finding>, ApiError> {
        let directory = self.findings_cache.of_directory(self, reader, configured)?;
        if directory.is_empty() {
            return Ok(Vec::new());
        }
        let Some(path) = &newest.path else { return Ok(Vec::new()) };
        if newest.operation == VersionOperation::Deleted {
            return links_to(reader, newest, &path.to_text(), &directory);
        }
        let Some(found) = directory.get(&path.to_text()) else { return Ok(Vec::new()) };
        let Some(text) = text_of(contents, newest)? else { return Ok(Vec::new()) };
        let before = base.map(|base| text_of(contents, base)).transpose()?.flatten();
        let known: HashSet<&str> = before.iter().flat_map(|before| before.lines()).collect();
        let is_elsewhere = base.is_none_or(|base| base.path.as_ref() != Some(path));
        // A line is compared once for all findings in it: a memory can be one line of a megabyte with a finding every few bytes.
        let is_line_new: Vec<bool> = text.lines().map(|line| !known.contains(line)).collect();
        let is_new = |finding: &&Finding| match &finding.span {
            None => is_elsewhere,
            Some(span) => {
                let index = |line: u32| usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1);
                let first = index(span.start.line);
                // Findings that are counted with this one stand on the lines after it.
                let lines = is_line_new.get(first..=first.max(index(finding.rest.last_line)));
                lines.is_none_or(|lines| lines.contains(&true))
            }
        };
        Ok(found.iter().filter(is_new).map(check::finding_view).collect())
    }

    /// The findings about changes of a store that this person has not reviewed yet, each once.
    pub fn events_to_review(
        &self,
        reader: &Reader<'_>,
        store: StoreId,
        config: &Config,
    ) -> Result<Vec<wire::Finding>, ApiError> {
        let configured = Configured {
            config: config.clone(),
            identity: Sha256::of(format!("{config:?}").as_bytes()),
            store: reader.store(store)?,
        };
        let marks = (reader.last_version()?, reader.joined_through()?);
        let events = self.findings_cache.of_events(reader, marks, &configured)?;
        if events.found.is_empty() {
            return Ok(Vec::new());
        }
        let mut known_through: HashMap<MemoryId, Option<u64>> = HashMap::new();
        let mut findings = Vec::new();
        for event in &events.found {
            let mut is_open = false;
            for place in &event.versions {
                let Some(memory) = events.memories.get(place) else { continue };
                let known = match known_through.get(memory) {
                    Some(known) => *known,
                    None => {
                        let known = reader.known_through(&self.user(), *memory)?;
                        known_through.insert(*memory, known);
                        known
                    }
                };
                is_open |= match event.finding.rule.id.as_str() {
                    // Open as long as it stands there, whoever looked at it.
                    REDACTED_BACK => reader.version_up_to(*memory, u64::MAX)? == Some(*place),
                    _ => known.is_none_or(|known| known < *place),
                };
            }
            if is_open {
                findings.push(check::finding_view(&event.finding));
            }
        }
        Ok(findings)
    }
}

/// A finding about changes, beside the newest version. What was redacted and came back may be gone from the file again: the version
/// that holds it is then what is left to be redacted, and there is nothing to put back.
fn event_view(event: &EventFinding, newest: &VersionRow) -> wire::Finding {
    let seen = check::finding_view(&event.finding);
    match event.versions.last() {
        Some(version) if seen.rule == REDACTED_BACK && *version != newest.id.seq => wire::Finding {
            message: say::an_earlier_version_holds(*version),
            remedies: seen
                .remedies
                .into_iter()
                .filter(|one| matches!(one, wire::Remedy::Open { .. }))
                .collect(),
            ..seen
        },
        _ => seen,
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "item_findings";
    an_earlier_version_holds(version) => "Version {version} before it holds something that was redacted before. The file does not hold it any more; redact that version.",
    line_still_links(from, line) => "\"{from}\" line {line} still links to it.",
}
