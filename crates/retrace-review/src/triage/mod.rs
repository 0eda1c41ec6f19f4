//! Triage: what is left to review as rows that a person decides, what needs them first. This reads the facts of each change;
//! `cluster.rs` puts them into rows, `edit.rs` knows equal edits.

pub(crate) mod cluster;
pub(crate) mod edit;

use crate::Review;
use crate::inbox::places;
use crate::wire::{ApiError, Code, Finding, ItemVerb};
use cluster::{Fact, Need, need_of};
use edit::{EditLine, Form, edit_lines, form};
use retrace_engine::remembered::{FactKey, Remembered};
use retrace_health::Configurations;
use retrace_history::{notes_of, origin_note};
use retrace_log::{Items, Recent, Unreviewed, VersionRow};
use retrace_model::{Actor, RelPath, Sha256, VersionOperation};
use std::collections::HashMap;
use std::hash::Hash;
use std::num::NonZero;

/// Changes that are read in one go by a thread.
const PORTION: usize = 64;

/// Threads that read: what they do is reading one database, and a list must not take the machine.
const MOST_THREADS: usize = 4;

/// Forms of edits, by the pair of their contents.
#[derive(Default)]
pub(crate) struct Forms {
    known: Remembered<Option<Form>>,
}

impl Forms {
    pub(crate) fn forget(&self) {
        self.known.forget();
    }
}

/// What is known of all changes, and what it was made from.
pub(crate) struct Facts {
    pub facts: Vec<Fact>,
    /// The finding of each change that decides why it needs a person.
    pub findings: Vec<Option<Finding>>,
    pub newest: Vec<VersionRow>,
}

/// What one change says by itself.
struct Known {
    newest: VersionRow,
    verb: ItemVerb,
    is_unchanged: bool,
    form: Option<Form>,
    need: Option<Need>,
    finding: Option<Finding>,
}

impl Review {
    /// Reads the facts of everything in `items`.
    pub(crate) fn facts(&self, items: &[Unreviewed]) -> Result<Facts, ApiError> {
        let item = |at: usize| Some(&items[at]);
        let known = self.each_of(items.len(), item, |read, configurations, at| {
            self.known_of(read, &items[at], configurations)
        })?;
        let prompts = self.prompts(&known)?;
        let mut writers = Numbers::default();
        let mut numbers = Numbers::default();
        let mut all = Facts { facts: Vec::new(), findings: Vec::new(), newest: Vec::new() };
        for (item, known) in items.iter().zip(known) {
            // Evidence says how a session is known, and not which it is.
            let (writer, is_session) = match &item.writer {
                Actor::Session { id, .. } => ((Some(id.clone()), Actor::Unknown), true),
                other => ((None, other.clone()), false),
            };
            all.facts.push(Fact {
                store: item.store,
                writer: writers.of(writer),
                is_session,
                prompt: prompts.get(&item.newest).map(|prompt| numbers.of(prompt.clone())),
                operation: item.operation_seq,
                at: item.at.micros(),
                verb: known.verb,
                is_unchanged: known.is_unchanged,
                form: known.form,
                need: known.need,
            });
            all.findings.push(known.finding);
            all.newest.push(known.newest);
        }
        Ok(all)
    }

    /// Works something out of each of `count` places, on several threads; in their order. `item` answers the item whose versions
    /// will be asked for at a place.
    pub(crate) fn each_of<'i, T: Send>(
        &self,
        count: usize,
        item: impl Fn(usize) -> Option<&'i Unreviewed> + Sync,
        work: impl Fn(&Items<'_, '_>, &mut Configurations, usize) -> Result<T, ApiError> + Sync,
    ) -> Result<Vec<T>, ApiError> {
        let most = std::thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS);
        let threads = most.min(count.div_ceil(PORTION)).max(1);
        let share = count.div_ceil(threads).max(1);
        let part = |first: usize| {
            let mut configurations = Configurations::default();
            let mut done = Vec::new();
            for start in (first..count.min(first + share)).step_by(PORTION) {
                let end = count.min(first + share).min(start + PORTION);
                self.read(|reader| {
                    let items = reader.items(&self.user())?;
                    items.read_ahead((start..end).filter_map(&item).flat_map(places))?;
                    for at in start..end {
                        done.push(work(&items, &mut configurations, at)?);
                    }
                    Ok::<_, ApiError>(())
                })?;
            }
            Ok(done)
        };
        if threads == 1 {
            return part(0);
        }
        let part = &part;
        let parts: Vec<Result<Vec<T>, ApiError>> = std::thread::scope(|scope| {
            let running: Vec<_> =
                (0..threads).map(|thread| scope.spawn(move || part(thread * share))).collect();
            let bug = |_| Err(ApiError::new(Code::Internal, say::bug_retrace(), "triage"));
            running.into_iter().map(|thread| thread.join().unwrap_or_else(bug)).collect()
        });
        let mut all = Vec::with_capacity(count);
        for part in parts {
            all.extend(part?);
        }
        Ok(all)
    }

    /// The finding that decides why a change needs a person.
    pub(crate) fn finding_of(
        &self,
        items: &Items<'_, '_>,
        item: &Unreviewed,
        configurations: &mut Configurations,
    ) -> Result<Option<Finding>, ApiError> {
        Ok(self.known_of(items, item, configurations)?.finding)
    }

    fn known_of(
        &self,
        items: &Items<'_, '_>,
        item: &Unreviewed,
        configurations: &mut Configurations,
    ) -> Result<Known, ApiError> {
        let newest = items.version(item.newest)?;
        let base = item.base.map(|seq| items.version(seq)).transpose()?;
        let verb = verb_of(&newest, newest.path.as_ref(), base.as_ref());
        let is_unchanged = is_unchanged(&newest, base.as_ref());
        // Newer contents mostly lean on older ones, so the older one is read first.
        let contents = items.reader().recent();
        let form = match &base {
            Some(base) if verb == ItemVerb::Changed && !is_unchanged => {
                self.form_of(&contents, base, &newest)?
            }
            _ => None,
        };
        let is_reappeared = items.was_rejected(&newest)?;
        let mut findings =
            self.checks.findings_of_item((items, &contents), item, &newest, base.as_ref(), configurations)?;
        let short: Vec<_> =
            findings.iter().map(|finding| (finding.rule.as_str(), finding.severity)).collect();
        let need = need_of(&short, verb, is_unchanged, is_reappeared);
        let (need, at) = need.map_or((None, None), |(need, at)| (Some(need), at));
        let finding = at.map(|at| findings.swap_remove(at));
        Ok(Known { newest, verb, is_unchanged, form, need, finding })
    }

    /// The form of an edit; `None` where a side is no text or the edit is no small one.
    fn form_of(
        &self,
        contents: &Recent<'_>,
        base: &VersionRow,
        newest: &VersionRow,
    ) -> Result<Option<Form>, ApiError> {
        let (Some(before), Some(after)) = (text_hash(base), text_hash(newest)) else { return Ok(None) };
        if before == after {
            return Ok(None);
        }
        let key = FactKey::of_parts(&[b"form", &before.0, &after.0]);
        if let Some(known) = self.forms.known.get(key) {
            return Ok(known);
        }
        let found = edit_of(contents, base, newest)?.map(|lines| form(&lines));
        self.forms.known.keep(key, found);
        Ok(found)
    }

    /// The prompt after which each memory that came to be was written, with its session, by the place of the version. Of a
    /// session with several such memories the prompts are read from its transcript where they are not known yet.
    fn prompts(&self, known: &[Known]) -> Result<HashMap<u64, (String, String)>, ApiError> {
        let created: Vec<&VersionRow> = known
            .iter()
            .filter(|known| known.verb == ItemVerb::Created && known.need.is_none())
            .map(|known| &known.newest)
            .collect();
        if created.len() < cluster::FEWEST {
            return Ok(HashMap::new());
        }
        self.read(|reader| {
            let notes = notes_of(&self.history, reader, created.iter().copied())?.notes;
            let mut unread: HashMap<&str, Vec<&VersionRow>> = HashMap::new();
            for version in &created {
                if let Some(note) = notes.get(&version.id.seq)
                    && let (Some(session), None, Some(_)) = (&note.session_id, &note.prompt, note.turn)
                {
                    unread.entry(session).or_default().push(version);
                }
            }
            unread.retain(|_, versions| versions.len() >= cluster::FEWEST);
            for versions in unread.values() {
                // It keeps all prompts of the transcript.
                origin_note(&self.history, reader, versions[0])?;
            }
            let again = unread.values().flatten().copied();
            let read = notes_of(&self.history, reader, again)?.notes;
            let mut prompts = HashMap::new();
            for version in &created {
                let seq = version.id.seq;
                let Some(note) = read.get(&seq).or_else(|| notes.get(&seq)) else { continue };
                let Some(session) = note.session_id.clone() else { continue };
                // What the writer reported counts, until a redaction takes it out.
                let reported = reader.prompt_of(version.operation_seq)?;
                let reported = reported
                    .and_then(|prompt| prompt.text.or_else(|| prompt.turn.map(|turn| turn.to_string())));
                if let Some(prompt) = reported.or_else(|| note.prompt.clone()) {
                    prompts.insert(seq, (session, prompt));
                }
            }
            Ok(prompts)
        })
    }
}

/// Numbers for equal values.
struct Numbers<T>(HashMap<T, u32>);

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<T: Hash + Eq> Numbers<T> {
    fn of(&mut self, value: T) -> u32 {
        let next = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        *self.0.entry(value).or_insert(next)
    }
}

/// What happened to a memory, which is at `path`, since it was last reviewed.
pub(crate) fn verb_of(newest: &VersionRow, path: Option<&RelPath>, base: Option<&VersionRow>) -> ItemVerb {
    let was_there = base.filter(|base| base.operation != VersionOperation::Deleted);
    match (newest.operation, was_there) {
        (VersionOperation::Deleted, _) => ItemVerb::Deleted,
        (_, None) => ItemVerb::Created,
        (_, Some(base)) => match (path, &base.path) {
            (Some(now), Some(before)) if now != before => ItemVerb::Moved,
            _ => ItemVerb::Changed,
        },
    }
}

/// True if the memory is as it was when it was last reviewed: the same content at the same path, or as absent as before.
fn is_unchanged(newest: &VersionRow, base: Option<&VersionRow>) -> bool {
    let is_there = |version: &VersionRow| version.operation != VersionOperation::Deleted;
    match base.filter(|base| is_there(base)) {
        None => !is_there(newest),
        Some(base) => {
            let hash = |version: &VersionRow| version.content.map(|content| content.sha256);
            is_there(newest)
                && newest.redaction.is_none()
                && base.path == newest.path
                && hash(base).is_some()
                && hash(base) == hash(newest)
        }
    }
}

fn text_hash(version: &VersionRow) -> Option<Sha256> {
    let content = version.content.filter(|content| content.is_text && content.kept)?;
    version.redaction.is_none().then_some(content.sha256)
}

/// The lines that came and went from one version to another.
pub(crate) fn edit_of(
    contents: &Recent<'_>,
    base: &VersionRow,
    newest: &VersionRow,
) -> Result<Option<Vec<EditLine>>, ApiError> {
    if text_hash(base).is_none() || text_hash(newest).is_none() {
        return Ok(None);
    }
    let (Some(old), Some(new)) = (contents.content(base)?, contents.content(newest)?) else {
        return Ok(None);
    };
    Ok(edit_lines(&old, &new))
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "triage";
    bug_retrace() => "This is a bug in Retrace.",
}
