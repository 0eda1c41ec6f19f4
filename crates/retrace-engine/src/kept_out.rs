//! Keeps redacted content out of everything that an act writes: files, stores of the API, calls of the memory tool.
//!
//! The log itself takes it out of what is imported and pulled, and refuses what nobody compared with its tags
//! (`retrace-log/src/kept_out.rs`). Here the bytes are changed or refused before a file is written.

use crate::engine::{Engine, lock};
use crate::plan::{Plan, Wanted};
use crate::wire::{ApiError, ImportedFile, key_lost};
use retrace_log::{FoundRedacted, MARKER, Tags};
use retrace_memory_tool::{Guard, Sensitive};
use retrace_message::Message;
use retrace_model::{RelPath, Sha256, StoreId};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

impl Engine {
    /// Redacted content that must not reappear.
    pub fn tags(&self) -> Result<Arc<Tags>, ApiError> {
        let mut known = lock(&self.known_tags).clone();
        let tags = self.read(|reader| Ok(reader.tags(&self.files, &mut known)?))?;
        *lock(&self.known_tags) = known;
        Ok(tags)
    }

    /// Paths of versions recorded after the place `since` that hold what was redacted before.
    pub(crate) fn redacted_back_since(&self, store: StoreId, since: u64) -> Result<Vec<String>, ApiError> {
        self.read(|reader| {
            let back = reader.redacted_back(store)?.into_iter().filter(|seq| *seq > since);
            let paths: BTreeSet<String> = back
                .map(|seq| Ok(reader.version(seq)?.path.map(|path| path.to_text())))
                .filter_map(|path: Result<Option<String>, ApiError>| path.transpose())
                .collect::<Result<_, _>>()?;
            Ok(paths.into_iter().collect())
        })
    }

    /// A plan that brings nothing back: what was redacted is replaced in what it would write, and each file named. No marker
    /// can stand in a path: a file whose path holds it is left out, with the deletion that would move it there.
    ///
    /// # Errors
    /// [`Code::Invalid`] where nothing is left to do, else a failure of the log.
    pub(crate) fn without_redacted<'p>(&self, plan: &'p Plan) -> Result<Cow<'p, Plan>, ApiError> {
        if plan.steps.iter().all(|step| step.wanted.is_none()) {
            return Ok(Cow::Borrowed(plan));
        }
        let tags = self.tags()?;
        let mut without = Cow::Borrowed(plan);
        let mut left_out = BTreeSet::new();
        for (place, step) in plan.steps.iter().enumerate() {
            let Some(wanted) = &step.wanted else { continue };
            // A path that stands there already is not brought back.
            if step.expected.is_none() && tags.brings_back(None, step.path.as_bytes()) {
                left_out.insert(place);
                let named = without_redacted_in(&tags, &step.path);
                without.to_mut().warnings.push(say::path_holds_what_redacted_not_written(named));
                continue;
            }
            let Some(bytes) = tags.without(&wanted.bytes) else { continue };
            let sha256 = Sha256::of(&bytes);
            let changed = without.to_mut();
            changed.steps[place].wanted =
                Some(Wanted { bytes, sha256, version: None, moved_from: wanted.moved_from.clone() });
            changed.warnings.push(say::holds_what_redacted_written_instead(step.path.to_string(), MARKER));
        }
        if let Cow::Owned(changed) = &mut without {
            leave_out(changed, &left_out);
            if let (Some(place), true) = (left_out.first(), changed.steps.is_empty()) {
                let path = without_redacted_in(&tags, &plan.steps[*place].path);
                return Err(ApiError::invalid(say::path_holds_what_redacted_nothing_done(), path)
                    .hint(say::write_memory_under_another_path()));
            }
            changed.tidy();
        }
        if tags.lost() > 0 {
            without.to_mut().warnings.push(key_lost());
        }
        Ok(without)
    }
}

/// A path with the marker in the place of what was redacted, for people.
fn without_redacted_in(tags: &Tags, path: &RelPath) -> String {
    tags.without_in_text(&path.to_text()).unwrap_or_else(|| MARKER.to_owned())
}

/// Takes steps out of a plan, and the deletions of the files that they would have moved.
fn leave_out(plan: &mut Plan, places: &BTreeSet<usize>) {
    let stay: BTreeSet<(StoreId, RelPath)> = places
        .iter()
        .filter_map(|place| {
            let step = &plan.steps[*place];
            Some((step.store, step.wanted.as_ref()?.moved_from.clone()?))
        })
        .collect();
    let mut place = 0;
    plan.steps.retain(|step| {
        let is_out = places.contains(&place)
            || (step.wanted.is_none() && stay.contains(&(step.store, step.path.clone())));
        place += 1;
        !is_out
    });
}

/// Warnings about redacted parts of imported content, each a sentence.
pub fn warnings_of(found: &FoundRedacted) -> Vec<Message> {
    let mut warnings = Vec::new();
    let counted = |files: &BTreeMap<RelPath, u64>| files.values().sum::<u64>();
    match counted(&found.contents) {
        0 => {}
        1 => warnings.push(say::n1_version_holds_what_redacted(MARKER, named(&found.contents))),
        versions => {
            warnings.push(say::versions_hold_what_redacted_before(versions, MARKER, named(&found.contents)));
        }
    }
    match counted(&found.left_out) {
        0 => {}
        1 => warnings.push(say::n1_version_redacted_left_out(named(&found.left_out))),
        versions => warnings.push(say::versions_redacted_left_out(versions, named(&found.left_out))),
    }
    if found.paths > 0 {
        warnings.push(say::left_out_because_their_path(found.paths));
    }
    warnings
}

/// Files named in a sentence.
const FILES_NAMED: usize = 5;

/// The first files, for a sentence.
fn named(files: &BTreeMap<RelPath, u64>) -> String {
    let files = counted_files(files);
    let mut named: Vec<&str> = files.iter().take(FILES_NAMED).map(|file| file.path.as_str()).collect();
    if files.len() > FILES_NAMED {
        named.push("…");
    }
    named.join(", ")
}

/// The files of an import that hold what was redacted, those with most versions first.
pub fn files_of(found: &FoundRedacted) -> Vec<ImportedFile> {
    let mut all = found.contents.clone();
    for (path, versions) in &found.left_out {
        *all.entry(path.clone()).or_default() += versions;
    }
    counted_files(&all)
}

fn counted_files(files: &BTreeMap<RelPath, u64>) -> Vec<ImportedFile> {
    let file =
        |(path, versions): (&RelPath, &u64)| ImportedFile { path: path.to_text(), versions: *versions };
    let mut files: Vec<ImportedFile> = files.iter().map(file).collect();
    files.sort_by_key(|file| std::cmp::Reverse(file.versions));
    files
}

/// Finds what was redacted, for the memory tool.
pub struct Redacted(pub Arc<Tags>);

impl Guard for Redacted {
    fn findings(&self, text: &str) -> Vec<Sensitive> {
        let what = || "a text that was redacted".to_owned();
        self.0.marks_in(text.as_bytes()).into_iter().map(|mark| Sensitive { what: what(), mark }).collect()
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "kept_out";
    holds_what_redacted_written_instead(path, value) => "{path}: it holds what was redacted; {value} is written instead.",
    path_holds_what_redacted_not_written(path) => "{path}: the path holds what was redacted; the file is not written.",
    path_holds_what_redacted_nothing_done() => "The path holds what was redacted, so the file is not written.",
    write_memory_under_another_path() => "Put the content back under another path.",
    n1_version_holds_what_redacted(value, named) => "1 version holds what was redacted before; {value} stands in its place: {named}.",
    versions_hold_what_redacted_before(versions, value, named) => "{versions} versions hold what was redacted before; {value} stands in its place: {named}.",
    n1_version_redacted_left_out(named) => "1 version was redacted and does not come in again: {named}.",
    versions_redacted_left_out(versions, named) => "{versions} versions were redacted and do not come in again: {named}.",
    left_out_because_their_path(paths) => "Left out because their path holds what was redacted before: {paths}.",
}
