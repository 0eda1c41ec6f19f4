//! Projects with memory that appear while Retrace runs: noticed, offered once, recorded without asking where a person chose it.
//!
//! What was there when the first store was added is not new. That, what a person declined, and what was ever a store are not
//! offered.

use crate::Checks;
use crate::keep;
use crate::wire::{AddStore, ApiError, Code, Event, Found, NewProjects, NewProjectsReq, Nothing, show};
use retrace_engine::recorder::Upkeep;
use retrace_engine::stores::{add_store, refuse_overlap};
use retrace_engine::{lock, root_of};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where the answers are kept, in the data directory.
const FILE: &str = "projects.json";

/// Calls of [`Upkeep::tick`] from one search to the next: some seconds.
const TICKS: u32 = 60;

/// Answers of a person, and what was there before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Answers {
    /// Record new projects without asking.
    always: bool,
    /// Directories that are not offered; null until there is a store.
    known: Option<BTreeSet<String>>,
}

/// Projects with memory that appeared after recording began and were neither recorded nor declined.
///
/// # Errors
/// `internal` when the answers cannot be read.
pub fn new_projects(inner: &Arc<Checks>, _: Nothing) -> Result<NewProjects, ApiError> {
    let answers = inner.project_answers()?;
    Ok(NewProjects { found: inner.projects_beside(answers.known.as_ref())?, always: answers.always })
}

/// Declines new projects, offers them again, or says if new ones are recorded without asking. Those that wait when that is
/// chosen are recorded at once by whoever records.
///
/// # Errors
/// `cannot_write`.
pub fn set_new_projects(inner: &Arc<Checks>, request: NewProjectsReq) -> Result<NewProjects, ApiError> {
    inner.change_project_answers(|answers| {
        if let Some(always) = request.always {
            answers.always = always;
        }
        if request.decline.is_empty() && request.offer.is_empty() {
            return;
        }
        let known = answers.known.get_or_insert_default();
        known.extend(request.decline);
        request.offer.iter().for_each(|root| {
            known.remove(root);
        });
    })?;
    inner.events.send(&Event::Projects);
    new_projects(inner, Nothing {})
}

impl Checks {
    fn projects_file(&self) -> PathBuf {
        self.options.data_dir.join(FILE)
    }

    fn project_answers(&self) -> Result<Answers, ApiError> {
        let file = self.projects_file();
        let Some(text) = keep::read(&file)? else { return Ok(Answers::default()) };
        serde_json::from_str(&text).map_err(|error| {
            ApiError::new(Code::Internal, say::answers_cannot_be_read(error.to_string()), show(&file))
                .hint(say::remove_file_to_be_asked_anew())
        })
    }

    /// Changes the answers; the first change after a store was added notes what is there as known.
    fn change_project_answers(&self, change: impl FnOnce(&mut Answers)) -> Result<Answers, ApiError> {
        // One at a time, so that none overwrites what another just kept.
        let _only = lock(&self.own_files_lock);
        let before = self.project_answers()?;
        let mut answers = before.clone();
        if answers.known.is_none() && self.has_had_stores()? {
            let there = self.projects_beside(Some(&BTreeSet::new()))?;
            answers.known = Some(there.into_iter().map(|found| found.root).collect());
        }
        change(&mut answers);
        if answers != before {
            let text = serde_json::to_string_pretty(&answers).expect("answers are plain values");
            // What was redacted stays out: a place with it in its name is masked.
            let text = self.tags()?.without_in_json(&text).unwrap_or(text);
            keep::replace(self, &self.projects_file(), text.as_bytes())?;
        }
        Ok(answers)
    }

    fn has_had_stores(&self) -> Result<bool, ApiError> {
        self.read(|reader| Ok(!reader.stores()?.is_empty()))
    }

    /// Projects with memory that could be recorded, but for the known ones; none while nothing is known.
    fn projects_beside(&self, known: Option<&BTreeSet<String>>) -> Result<Vec<Found>, ApiError> {
        let Some(known) = known else { return Ok(Vec::new()) };
        let discovered = self.discovered_in(&self.options.surroundings)?;
        // What was taken off the list was a decision, too.
        let stores: BTreeSet<PathBuf> =
            self.read(|reader| Ok(reader.stores()?.iter().map(root_of).collect()))?;
        let tags = self.tags()?;
        // A place with a redacted text in its name is kept masked, and compared so.
        let is_known = |root: &str| {
            known.contains(root) || tags.without_in_text(root).is_some_and(|masked| known.contains(&masked))
        };
        let is_new = |found: &Found| {
            let root = canonical(&found.root);
            found.exists
                && found.enabled
                && found.files > 0
                && found.store_id.is_none()
                && !is_known(&found.root)
                && !is_known(&show(&root))
                && !stores.contains(&root)
                && refuse_overlap(self, &root).is_ok()
        };
        let mut new: Vec<Found> = discovered.found.into_iter().filter(is_new).collect();
        new.sort_by(|one, other| one.root.cmp(&other.root));
        Ok(new)
    }
}

fn canonical(root: &str) -> PathBuf {
    std::fs::canonicalize(root).unwrap_or_else(|_| Path::new(root).to_path_buf())
}

/// Notices new projects while the recorder runs.
pub struct ProjectsUpkeep {
    checks: Arc<Checks>,
    /// Ticks until the next search.
    left: u32,
    /// Directories that were offered last.
    offered: Vec<String>,
    /// Directories that could not be recorded; they are offered instead.
    failed: BTreeSet<String>,
}

impl ProjectsUpkeep {
    /// For the recorder of this log.
    #[must_use]
    pub fn new(checks: Arc<Checks>) -> Self {
        Self { checks, left: 0, offered: Vec::new(), failed: BTreeSet::new() }
    }

    /// Searches once: records what is new where that was chosen, and tells listeners what else is.
    ///
    /// # Errors
    /// `internal` or `cannot_write` for the answers, or a failure of the database.
    pub fn search(&mut self) -> Result<(), ApiError> {
        let answers = self.checks.change_project_answers(|_| {})?;
        let mut offered = Vec::new();
        for Found { root, .. } in self.checks.projects_beside(answers.known.as_ref())? {
            if answers.always && !self.failed.contains(&root) {
                let request = AddStore { root: root.clone(), kind: None, name: None };
                if add_store(&self.checks, request).is_ok() {
                    continue;
                }
                self.failed.insert(root.clone());
            }
            offered.push(root);
        }
        if offered != self.offered {
            self.offered = offered;
            self.checks.events.send(&Event::Projects);
        }
        Ok(())
    }
}

impl Upkeep for ProjectsUpkeep {
    fn tick(&mut self) {
        if self.left > 0 {
            self.left -= 1;
            return;
        }
        self.left = TICKS;
        // Whoever asks for new projects meets the failure with a code.
        drop(self.search());
    }

    fn committed(&mut self) {}
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "new_projects";
    answers_cannot_be_read(error) => "The answers about new projects cannot be read: {error}.",
    remove_file_to_be_asked_anew() => "Remove the file to be asked anew.",
}
