//! Findings in memories, and the gate.

use crate::Checks;
use crate::check::{self, Around, Files, Place};
use crate::wire::{ApiError, CheckReq, Checked, Code, Findings, FindingsReq};
use retrace_engine::EngineOptions;
use retrace_findings::{Checker, Config, Finding, OwnRules, Report, Usage, rule};
use retrace_log::StoreRow;
use retrace_model::{Sha256, StoreId};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Stores whose last results are kept at most.
const MAX_CACHED_CHECKERS: usize = 64;

/// The rule about days that are past.
const DATE_PAST: &str = "truth/date-past";

/// A checker with the configuration it was made from, told apart by hash.
pub(crate) type CachedChecker = Arc<Mutex<(Sha256, Checker)>>;

/// Checks a directory, or a store by id or name. A directory needs no store; where a name is both, the directory is meant.
///
/// # Errors
/// `not_found` for neither, `invalid` for a configuration, baseline, rule or severity that cannot be used,
/// `store_unavailable` when the directory cannot be read.
pub fn check(inner: &Arc<Checks>, request: CheckReq) -> Result<Checked, ApiError> {
    if let Some(directory) = directory_named(&request.target) {
        let required = check::required_of(&inner.options.data_dir)?;
        return check::directory(&directory, &request, &around(&inner.options, &required));
    }
    let store =
        inner.read(|reader| inner.store_named(reader, &request.target)).map_err(|error| {
            match error.code {
                Code::NotFound => ApiError { message: say::no_such_target(), ..error },
                _ => error,
            }
        })?;
    // A store is looked at as its person wants it; a gate on a directory is the same for everybody, but for what an organisation
    // requires of a machine that joined it.
    let own = inner.own_rules()?;
    let about = inner.repository_of(&store);
    let around = Around { is_store: true, about: about.as_deref(), ..around(&inner.options, &own) };
    if !store.has_directory() {
        return inner.read(|reader| check::recorded(reader, &store, &request, &around));
    }
    inner.store_root(&store)?;
    check::directory(&crate::roots::place_of(&store), &request, &around)
}

/// The same for a directory, without a log: nothing is opened and nothing written besides what is read.
///
/// # Errors
/// As [`check`]; `not_found` when there is no such directory.
pub fn check_directory(options: &EngineOptions, request: &CheckReq) -> Result<Checked, ApiError> {
    let root = directory_named(&request.target)
        .ok_or_else(|| ApiError::new(Code::NotFound, say::no_such_target(), request.target.clone()))?;
    check::directory(&root, request, &around(options, &check::required_of(&options.data_dir)?))
}

/// The findings of a store as it is on disk now (in the log, where it has no directory), with the rules as its own configuration has them, then those about changes
/// that this person has not reviewed. Only files that changed since the last call are checked anew.
///
/// # Errors
/// `not_found` for an unknown store, `invalid` for a configuration that cannot be used, `store_unavailable`.
pub fn findings(inner: &Arc<Checks>, request: FindingsReq) -> Result<Findings, ApiError> {
    let store = inner.read(|reader| inner.store_named(reader, &request.store))?;
    let FoundInStore { report, events, .. } = inner.found_in(&store, None)?;
    let wanted = |path: &str| request.path.as_deref().is_none_or(|wanted| wanted == path);
    let mut findings: Vec<_> =
        report.findings.iter().filter(|one| wanted(&one.path)).map(check::finding_view).collect();
    findings.extend(events.into_iter().filter(|one| wanted(&one.path)));
    Ok(Findings {
        findings,
        allowed: check::total(report.allowed.iter().filter(|one| wanted(&one.path))),
        files: report.files as u64,
        reused: report.reused as u64,
    })
}

/// Findings of a store.
pub struct FoundInStore {
    /// Report on its files.
    pub report: Report,
    /// Findings of its unreviewed changes.
    pub events: Vec<crate::wire::Finding>,
    /// Days that are past, also where the rule is off: proposals of what could go are made of them.
    pub past: Vec<Finding>,
    /// Paths that could not be read, each a sentence.
    pub problems: Vec<retrace_message::Message>,
}

/// The findings of a store's files.
pub struct CheckedFiles {
    pub report: Report,
    /// The rules as they were applied.
    config: Config,
    /// As in [`FoundInStore`].
    past: Vec<Finding>,
    problems: Vec<retrace_message::Message>,
}

impl Checks {
    /// The findings of a store, with what is known of the use of its memories. Only files that changed since the last call
    /// are checked anew.
    pub fn found_in(&self, store: &StoreRow, usage: Option<&Usage>) -> Result<FoundInStore, ApiError> {
        if !store.has_directory() {
            return self.read(|reader| {
                let at = Place {
                    files: Files::Log(reader, store.id),
                    repository: None,
                    about: None,
                    directory: None,
                };
                self.found_at(store, at, usage)
            });
        }
        let root = self.store_root(store)?;
        let repository = check::repository_above(root.path());
        let about = self.repository_of(store);
        let at = Place {
            files: Files::Directory(&root),
            repository: repository.as_deref(),
            about: about.as_deref(),
            directory: None,
        };
        self.found_at(store, at, usage)
    }

    fn found_at(
        &self,
        store: &StoreRow,
        at: Place<'_>,
        usage: Option<&Usage>,
    ) -> Result<FoundInStore, ApiError> {
        let CheckedFiles { report, config, past, problems } = self.checked_at(store.id, at, usage)?;
        let events = self.read(|reader| self.events_to_review(reader, store.id, &config))?;
        Ok(FoundInStore { report, events, past, problems })
    }

    /// The findings of a store's files, by the checker that is kept for it.
    pub fn checked_at(
        &self,
        store: StoreId,
        at: Place<'_>,
        usage: Option<&Usage>,
    ) -> Result<CheckedFiles, ApiError> {
        let mut config = self.configuration(at)?;
        let days_are_off = is_off(&config, DATE_PAST);
        if days_are_off {
            config.set(DATE_PAST, "on").map_err(|error| check::invalid(&error))?;
        }
        let identity = Sha256::of(format!("{config:?}").as_bytes());
        let kept = self.checker_of(store, identity, &config);
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.0 != identity {
            *kept = (identity, Checker::new(config, check::threads()));
        }
        let around = check::StoreAround { now: self.now(), usage };
        let (mut report, problems) = check::run(&mut kept.1, at, &around)?;
        let config = kept.1.config().clone();
        let past: Vec<Finding> =
            report.findings.iter().filter(|finding| finding.rule.id == DATE_PAST).cloned().collect();
        if days_are_off {
            report.findings.retain(|finding| finding.rule.id != DATE_PAST);
            report.allowed.retain(|finding| finding.rule.id != DATE_PAST);
        }
        Ok(CheckedFiles { report, config, past, problems })
    }

    /// The checker that is kept for a store.
    fn checker_of(&self, store: StoreId, identity: Sha256, config: &Config) -> CachedChecker {
        let mut checkers = self.checkers.lock().unwrap_or_else(PoisonError::into_inner);
        if checkers.len() >= MAX_CACHED_CHECKERS && !checkers.contains_key(&store) {
            checkers.clear();
        }
        let fresh = || Arc::new(Mutex::new((identity, Checker::new(config.clone(), check::threads()))));
        Arc::clone(checkers.entry(store).or_insert_with(fresh))
    }
}

fn is_off(config: &Config, id: &str) -> bool {
    rule(id).is_some_and(|rule| config.severity(rule).is_none())
}

fn directory_named(target: &str) -> Option<PathBuf> {
    let path = Path::new(target);
    (!target.is_empty() && path.is_dir())
        .then(|| std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
}

fn around<'a>(options: &'a EngineOptions, own: &'a OwnRules) -> Around<'a> {
    Around {
        own,
        is_store: false,
        about: None,
        now: (options.clock)(),
        entropy: &*options.entropy,
        program_version: options.program_version,
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "check";
    /// Neither a directory nor a store is called that.
    no_such_target() => "There is no such directory or store.",
}
