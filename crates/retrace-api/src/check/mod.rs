//! Checking a directory: which files, which configuration, which repository. The rules are in `retrace-findings`.

mod ignored;
mod own;
mod repository;
mod select;

use crate::wire::{self, ApiError, CheckReq, Checked, Code};
use chrono::NaiveDate;
use repository::RepositoryOnDisk;
use retrace_files::{Root, Scan};
use retrace_findings::sarif::{self, Suppression};
use retrace_findings::{
    Baseline, Checker, Config, Content, File, Finding, OwnRules, Report, SALT_BYTES, Severity, Surroundings,
    Usage,
};
use retrace_model::{RelPath, Rules, Sha256, Timestamp};
use std::path::{Path, PathBuf};

/// Name of the configuration file, in the directory or at the root of its repository. It is not a memory.
pub(crate) const CONFIG_FILE: &str = "retrace.toml";

/// Largest configuration read: 1 MiB.
const CONFIG_BYTES: u64 = 1024 * 1024;

/// What a check needs besides the directory.
pub(crate) struct Around<'a> {
    /// What the person set of their own, where a store of theirs is checked.
    pub(crate) own: Option<&'a OwnRules>,
    pub(crate) now: Timestamp,
    pub(crate) entropy: &'a dyn Fn(&mut [u8]),
    pub(crate) program_version: &'a str,
}

/// One file that was read.
struct ReadFile {
    path: String,
    size: u64,
    /// Hash and, unless the checker knew it, bytes; `None` for what could not be read or is too large.
    content: Option<(Sha256, Option<Vec<u8>>)>,
}

/// Checks the directory at `root`.
pub(crate) fn directory(root: &Path, request: &CheckReq, around: &Around<'_>) -> Result<Checked, ApiError> {
    let opened = Root::open(root)?;
    let repository = repository_root(root, request)?;
    let mut config = configuration(&opened, repository.as_deref(), request.config.as_deref())?;
    if let Some(own) = around.own.filter(|_| request.config.is_none()) {
        own.apply(&mut config);
    }
    if !request.rules.is_empty() {
        config.only(&request.rules).map_err(|error| invalid(&error))?;
    }
    config.inline_allow &= !request.no_inline_allow;
    let limit = fail_on(request, &config)?;
    let baseline =
        request.baseline.as_deref().map(Baseline::parse).transpose().map_err(|error| invalid(&error))?;
    let mut checker = Checker::new(config, threads());
    let surroundings = StoreAround { repository: repository.as_deref(), now: around.now, usage: None };
    let (report, problems) = run(&mut checker, &opened, &surroundings);
    let place = place_in(repository.as_deref(), root);
    let mut checked = Checked {
        root: crate::error::show(root),
        repository: repository.as_deref().map(crate::error::show),
        findings: Vec::new(),
        errors: 0,
        warnings: 0,
        notes: 0,
        allowed: report.allowed.len() as u64,
        accepted: 0,
        files: report.files as u64,
        problems,
        failed: false,
        baseline: request.make_baseline.then(|| Baseline::of(&report.findings, salt(around)).to_text()),
        sarif: None,
    };
    let (findings, accepted) = match baseline {
        Some(baseline) => baseline.divide(report.findings),
        None => (report.findings, Vec::new()),
    };
    checked.accepted = accepted.len() as u64;
    checked.failed = limit.is_some_and(|limit| findings.iter().any(|finding| finding.severity >= limit));
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count() as u64;
    checked.errors = count(Severity::Error);
    checked.warnings = count(Severity::Warning);
    checked.notes = count(Severity::Note);
    if request.sarif {
        let external = accepted.into_iter().map(|finding| (finding, Suppression::External));
        let in_source = report.allowed.into_iter().map(|finding| (finding, Suppression::InSource));
        let suppressed: Vec<_> = in_source.chain(external).collect();
        let prefix = if place.is_empty() { String::new() } else { format!("{place}/") };
        let log = sarif::Log {
            program_version: around.program_version,
            prefix: &prefix,
            findings: &findings,
            suppressed: &suppressed,
        };
        checked.sarif = Some(format!("{:#}\n", sarif::log(&log)));
    }
    checked.findings = findings.iter().map(finding_view).collect();
    Ok(checked)
}

/// What is around the directory of a store.
pub(crate) struct StoreAround<'a> {
    /// Root of the repository it lies in.
    pub(crate) repository: Option<&'a Path>,
    pub(crate) now: Timestamp,
    /// What sessions tell of its memories.
    pub(crate) usage: Option<&'a Usage>,
}

/// Runs a checker over a directory; its report, and what could not be looked at.
pub(crate) fn run(checker: &mut Checker, root: &Root, around: &StoreAround<'_>) -> (Report, Vec<String>) {
    let scan = root.scan(&Rules::default(), None);
    let problems =
        scan.problems.iter().map(ToString::to_string).map(|text| crate::error::sentence(&text)).collect();
    let files = read(checker, root, &scan, around.repository);
    let files: Vec<File<'_>> = files.iter().map(ReadFile::view).collect();
    let place = place_in(around.repository, root.path());
    let on_disk = around.repository.map(RepositoryOnDisk::new);
    let surroundings = Surroundings {
        repository: on_disk.as_ref().map(|repository| repository as &dyn retrace_findings::Repository),
        place: &place,
        today: day(around.now),
        usage: around.usage,
    };
    (checker.check(&files, &surroundings), problems)
}

fn read(checker: &Checker, root: &Root, scan: &Scan, repository: Option<&Path>) -> Vec<ReadFile> {
    let rules = Rules::default();
    // The root of a repository holds its code too; only what agents read there is looked at.
    let whole = repository != Some(root.path());
    let wanted: Vec<(&RelPath, u64)> = scan
        .found
        .iter()
        .map(|(path, seen)| (path, seen.size))
        .filter(|(path, _)| whole || select::is_for_agents(&path.to_text()))
        .filter(|(path, _)| path.as_bytes() != CONFIG_FILE.as_bytes())
        .collect();
    let read_one = |(path, size): &(&RelPath, u64)| {
        let name = path.to_text();
        let content = root.read(path, rules.max_file_bytes).ok().and_then(|content| {
            let bytes = content.bytes?;
            let known = checker.knows(&name, content.sha256);
            Some((content.sha256, (!known).then_some(bytes)))
        });
        ReadFile { path: name, size: *size, content }
    };
    // Opening files takes longer than reading them; two threads halve it.
    let share = wanted.len().div_ceil(threads()).max(1);
    std::thread::scope(|scope| {
        let parts: Vec<_> = wanted
            .chunks(share)
            .map(|part| scope.spawn(move || part.iter().map(read_one).collect::<Vec<_>>()))
            .collect();
        parts
            .into_iter()
            .flat_map(|part| part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

impl ReadFile {
    fn view(&self) -> File<'_> {
        let content = match &self.content {
            Some((hash, Some(bytes))) => Content::Bytes(*hash, bytes),
            Some((hash, None)) => Content::Known(*hash),
            None => Content::Unread,
        };
        File { path: &self.path, size: self.size, content }
    }
}

/// The configuration given, or that of the directory, or that of its repository.
pub(crate) fn configuration(
    root: &Root,
    repository: Option<&Path>,
    given: Option<&str>,
) -> Result<Config, ApiError> {
    let text = match given {
        Some(text) => Some(text.to_owned()),
        None => config_in(root).or_else(|| config_in(&Root::open(repository?).ok()?)),
    };
    match text {
        Some(text) => Config::parse(&text).map_err(|error| invalid(&error)),
        None => Ok(Config::default()),
    }
}

fn config_in(root: &Root) -> Option<String> {
    let path = RelPath::parse(CONFIG_FILE).ok()?;
    let bytes = root.read(&path, CONFIG_BYTES).ok()?.bytes?;
    // What is no text is refused by the parser, rather than passed over.
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The repository asked for, or the one above the directory.
fn repository_root(root: &Path, request: &CheckReq) -> Result<Option<PathBuf>, ApiError> {
    match &request.repository {
        Some(given) => {
            let path = std::path::absolute(given).unwrap_or_else(|_| PathBuf::from(given));
            Root::open(&path)?;
            Ok(Some(path))
        }
        None => Ok(repository_above(root)),
    }
}

/// The nearest directory with `.git` at or above `root`.
pub(crate) fn repository_above(root: &Path) -> Option<PathBuf> {
    root.ancestors().find(|above| above.join(".git").symlink_metadata().is_ok()).map(Path::to_path_buf)
}

/// Where `root` lies in the repository, `/` between segments; empty for its root and outside it.
fn place_in(repository: Option<&Path>, root: &Path) -> String {
    let below = repository.and_then(|repository| root.strip_prefix(repository).ok());
    let parts = below.into_iter().flat_map(Path::components);
    parts.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect::<Vec<_>>().join("/")
}

fn fail_on(request: &CheckReq, config: &Config) -> Result<Option<Severity>, ApiError> {
    match request.fail_on.as_deref() {
        None => Ok(Some(config.fail_on.unwrap_or(Severity::Error))),
        Some("never") => Ok(None),
        Some(word) => word.parse().map(Some).map_err(|error| invalid(&error)),
    }
}

fn salt(around: &Around<'_>) -> [u8; SALT_BYTES] {
    let mut salt = [0; SALT_BYTES];
    (around.entropy)(&mut salt);
    salt
}

pub(crate) fn day(now: Timestamp) -> Option<NaiveDate> {
    NaiveDate::parse_from_str(now.to_rfc3339().get(..10)?, "%Y-%m-%d").ok()
}

pub(crate) fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

pub(crate) fn invalid(error: &dyn std::fmt::Display) -> ApiError {
    ApiError::new(Code::Invalid, crate::error::sentence(error), "")
}

/// A finding as clients see it.
pub(crate) fn finding_view(finding: &Finding) -> wire::Finding {
    let span = finding.span.as_ref();
    wire::Finding {
        rule: finding.rule.id.clone(),
        severity: finding.severity.as_str().to_owned(),
        path: finding.path.clone(),
        line: finding.position().line,
        column: finding.position().column,
        end_line: span.map(|span| span.end.line),
        end_column: span.map(|span| span.end.column),
        start: span.map(|span| span.bytes.start as u64),
        end: span.map(|span| span.bytes.end as u64),
        message: finding.message.clone(),
        remedy: finding.remedy().to_owned(),
    }
}
