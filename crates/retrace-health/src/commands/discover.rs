//! Agent memory on this machine.

use crate::Checks;
use crate::wire::{ApiError, DiscoverReq, Discovered, DiscoveryProblem, Found};
use crate::wire::{sentence, show};
use retrace_engine::root_of;
use retrace_message::AsMessage;
use retrace_sources::Surroundings;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Searches for agent memory in the user's home, or in another one, and in the named projects.
///
/// # Errors
/// `invalid` when a directory cannot be made absolute.
pub fn discover(inner: &Arc<Checks>, request: DiscoverReq) -> Result<Discovered, ApiError> {
    let mut surroundings = inner.options.surroundings.clone();
    if let Some(home) = &request.home {
        // Another home is looked at as it is; the variables of this process speak of the user's own.
        surroundings.home = absolute(home)?;
        surroundings.env.clear();
    }
    for project in &request.projects {
        surroundings.projects.push(absolute(project)?);
    }
    inner.discovered_in(&surroundings)
}

impl Checks {
    /// Memory on the machine that is described, with the store that records each.
    ///
    /// # Errors
    /// A failure of the database.
    pub(super) fn discovered_in(&self, surroundings: &Surroundings) -> Result<Discovered, ApiError> {
        let discovery = retrace_sources::discover(surroundings);
        let known: BTreeMap<PathBuf, String> = self.read(|reader| {
            let listed = reader.stores()?.into_iter().filter(|store| store.removed_at.is_none());
            Ok(listed.map(|store| (root_of(&store), store.id.to_string())).collect())
        })?;
        let found = discovery
            .found
            .into_iter()
            .map(|found| Found {
                store_id: known
                    .get(&std::fs::canonicalize(&found.root).unwrap_or_else(|_| found.root.clone()))
                    .cloned(),
                root: show(&found.root),
                kind: found.kind.into(),
                name: found.name,
                evidence: found.evidence.into_iter().collect(),
                project: found.project.as_deref().map(show),
                enabled: found.enabled,
                reason: found.reason,
                exists: found.exists,
                files: found.files,
            })
            .collect();
        let problems = discovery
            .problems
            .iter()
            .map(|problem| DiscoveryProblem { subject: String::new(), message: sentence(problem) })
            .collect();
        Ok(Discovered { found, problems })
    }
}

fn absolute(text: &str) -> Result<PathBuf, ApiError> {
    std::path::absolute(text).map_err(|error| ApiError::invalid(error.message().sentence(), text))
}
