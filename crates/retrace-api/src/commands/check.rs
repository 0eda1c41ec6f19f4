//! What is wrong with memories, and the gate.

use crate::App;
use crate::app::root_of;
use crate::check::{self, Around};
use crate::options::AppOptions;
use crate::wire::{ApiError, CheckReq, Checked, Code, Findings, FindingsReq};
use retrace_files::Root;
use retrace_findings::Checker;
use retrace_model::Sha256;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Stores whose last results are kept at most.
const KEPT_CHECKERS: usize = 64;

/// A checker with the configuration it was made from, told apart by hash.
pub(crate) type KeptChecker = Arc<Mutex<(Sha256, Checker)>>;

/// Checks a directory, or a store by id or name. A directory needs no store; where a name is both, the directory is meant.
///
/// # Errors
/// `not_found` for neither, `invalid` for a configuration, baseline, rule or severity that cannot be used,
/// `store_unavailable` when the directory cannot be read.
pub fn check(app: &App, request: CheckReq) -> Result<Checked, ApiError> {
    let inner = &app.inner;
    let root = match directory_named(&request.target) {
        Some(directory) => directory,
        None => {
            inner.read(|reader| inner.store_named(reader, &request.target)).map(|store| root_of(&store))?
        }
    };
    check::directory(&root, &request, &around(&inner.options))
}

/// The same for a directory, without a log: nothing is opened and nothing written besides what is read.
///
/// # Errors
/// As [`check`]; `not_found` when there is no such directory.
pub fn check_directory(options: &AppOptions, request: &CheckReq) -> Result<Checked, ApiError> {
    let root = directory_named(&request.target).ok_or_else(|| {
        ApiError::new(Code::NotFound, "There is no such directory or store.", request.target.clone())
    })?;
    check::directory(&root, request, &around(options))
}

/// The findings of a store as it is on disk now, with the rules as its own configuration has them, then those about changes
/// that this person has not reviewed. Only files that changed since the last call are checked anew.
///
/// # Errors
/// `not_found` for an unknown store, `invalid` for a configuration that cannot be used, `store_unavailable`.
pub fn findings(app: &App, request: FindingsReq) -> Result<Findings, ApiError> {
    let inner = &app.inner;
    let store = inner.read(|reader| inner.store_named(reader, &request.store))?;
    let root = Root::open(&root_of(&store))?;
    let repository = check::repository_above(root.path());
    let config = check::configuration(&root, repository.as_deref(), None)?;
    let identity = Sha256::of(format!("{config:?}").as_bytes());
    let kept = {
        let mut checkers = inner.checkers.lock().unwrap_or_else(PoisonError::into_inner);
        if checkers.len() >= KEPT_CHECKERS && !checkers.contains_key(&store.id) {
            checkers.clear();
        }
        let fresh = || Arc::new(Mutex::new((identity, Checker::new(config.clone(), check::threads()))));
        Arc::clone(checkers.entry(store.id).or_insert_with(fresh))
    };
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.0 != identity {
        *kept = (identity, Checker::new(config, check::threads()));
    }
    let (report, _) = check::run(&mut kept.1, &root, repository.as_deref(), inner.now());
    let wanted = |path: &str| request.path.as_deref().is_none_or(|wanted| wanted == path);
    let mut findings: Vec<_> =
        report.findings.iter().filter(|one| wanted(&one.path)).map(check::finding_view).collect();
    let events = inner.read(|reader| inner.events_to_review(reader, store.id, kept.1.config()))?;
    findings.extend(events.into_iter().filter(|one| wanted(&one.path)));
    Ok(Findings {
        findings,
        allowed: report.allowed.iter().filter(|one| wanted(&one.path)).count() as u64,
        files: report.files as u64,
        reused: report.reused as u64,
    })
}

fn directory_named(target: &str) -> Option<PathBuf> {
    let path = Path::new(target);
    (!target.is_empty() && path.is_dir())
        .then(|| std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
}

fn around(options: &AppOptions) -> Around<'_> {
    Around { now: (options.clock)(), entropy: &*options.entropy, program_version: options.program_version }
}
