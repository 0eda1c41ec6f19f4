//! Checking memories: which files, which configuration, which repository. The rules are in `retrace-findings`.
//!
//! A directory is checked as it is on disk; a store without one as the newest versions of its memories are in the log, a
//! redacted one as the empty memory that the Memory Stores API shows.

mod ignored;
mod own;
mod repository;
mod select;

pub(crate) use own::required_of;

use crate::wire::{self, ApiError, CheckReq, Checked, Code};
use chrono::NaiveDate;
use repository::RepositoryOnDisk;
use retrace_files::{Root, Scan};
use retrace_findings::sarif::{self, Suppression};
use retrace_findings::{
    Baseline, Checker, Config, Content, File, Finding, OwnRules, Remedy, Report, SALT_BYTES, Severity,
    Surroundings, Usage,
};
use retrace_log::{LogError, Reader};
use retrace_message::Message;
use retrace_model::{RelPath, Rules, Sha256, StoreId, Timestamp};
use std::path::{Path, PathBuf};

/// Name of the configuration file, in the directory or at the root of its repository. It is not a memory.
pub(crate) const CONFIG_FILE: &str = "retrace.toml";

/// Largest configuration read: 1 MiB.
const CONFIG_BYTES: u64 = 1024 * 1024;

/// Parameters of a check besides the directory.
pub(crate) struct Around<'a> {
    /// Settings of the person, where a store of theirs is checked.
    pub own: &'a OwnRules,
    /// True if a store is looked at, for which the settings of the person hold.
    pub is_store: bool,
    /// The repository the memories are about, where they are a store's; found above the directory when absent.
    pub about: Option<&'a Path>,
    pub now: Timestamp,
    pub entropy: &'a dyn Fn(&mut [u8]),
    pub program_version: &'a str,
}

/// One file that was read.
struct ReadFile {
    path: String,
    size: u64,
    /// Hash and, unless the checker knew it, bytes; `None` for what could not be read or is too large.
    content: Option<(Sha256, Option<Vec<u8>>)>,
}

/// Subject of a check, and the repository it is about.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    pub files: Files<'a>,
    /// Root of the repository that the memories lie in.
    pub repository: Option<&'a Path>,
    /// Root of the repository that they are about; the one they lie in when absent. Nothing is configured there.
    pub about: Option<&'a Path>,
    /// Where the directory lies whose memories are read from the log.
    pub directory: Option<&'a Path>,
}

/// Where memories are.
#[derive(Clone, Copy)]
pub enum Files<'a> {
    /// In a directory.
    Directory(&'a Root),
    /// In the log alone.
    Log(&'a Reader<'a>, StoreId),
}

/// Checks the directory at `root`.
pub(crate) fn directory(root: &Path, request: &CheckReq, around: &Around<'_>) -> Result<Checked, ApiError> {
    let opened = Root::open(root)?;
    let repository = repository_root(Some(root), request)?;
    let about = around.about.filter(|_| request.repository.is_none());
    let place =
        Place { files: Files::Directory(&opened), repository: repository.as_deref(), about, directory: None };
    gate(place, crate::wire::show(root), request, around)
}

/// Checks a store that has no directory. A repository is compared with it where the request names one.
pub(crate) fn recorded(
    reader: &Reader<'_>,
    store: &retrace_log::StoreRow,
    request: &CheckReq,
    around: &Around<'_>,
) -> Result<Checked, ApiError> {
    let repository = repository_root(None, request)?;
    let place = Place {
        files: Files::Log(reader, store.id),
        repository: repository.as_deref(),
        about: None,
        directory: None,
    };
    gate(place, String::from_utf8_lossy(&store.root).into_owned(), request, around)
}

fn gate(at: Place<'_>, root: String, request: &CheckReq, around: &Around<'_>) -> Result<Checked, ApiError> {
    let mut config = configuration(at, request.config.as_deref())?;
    match (&request.config, around.is_store) {
        (None, true) => around.own.apply(&mut config),
        _ => around.own.require(&mut config),
    }
    if !request.rules.is_empty() {
        config.only(&request.rules).map_err(|error| invalid(&error))?;
    }
    config.inline_allow &= !request.no_inline_allow;
    let limit = fail_on(request, &config)?;
    let baseline =
        request.baseline.as_deref().map(Baseline::parse).transpose().map_err(|error| invalid(&error))?;
    let mut checker = Checker::new(config, threads());
    let surroundings = StoreAround { now: around.now, usage: None };
    let (report, problems) = run(&mut checker, at, &surroundings)?;
    let place = at.in_repository();
    let mut checked = Checked {
        root,
        repository: at.about.or(at.repository).map(crate::wire::show),
        findings: Vec::new(),
        errors: 0,
        warnings: 0,
        notes: 0,
        allowed: total(&report.allowed),
        accepted: 0,
        files: report.files as u64,
        problems: problems.into_iter().collect(),
        failed: false,
        baseline: request.make_baseline.then(|| Baseline::of(&report.findings, salt(around)).to_text()),
        sarif: None,
    };
    let (findings, accepted) = match baseline {
        Some(baseline) => baseline.divide(report.findings),
        None => (report.findings, Vec::new()),
    };
    checked.accepted = total(&accepted);
    checked.failed = limit.is_some_and(|limit| findings.iter().any(|finding| finding.severity >= limit));
    let count = |severity| total(findings.iter().filter(|finding| finding.severity == severity));
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

/// Facts besides the memories.
pub(crate) struct StoreAround<'a> {
    pub now: Timestamp,
    /// Use of its memories by sessions.
    pub usage: Option<&'a Usage>,
}

/// Runs a checker; its report, and what could not be looked at.
pub(crate) fn run(
    checker: &mut Checker,
    at: Place<'_>,
    around: &StoreAround<'_>,
) -> Result<(Report, Vec<Message>), ApiError> {
    let (files, problems) = match at.files {
        Files::Directory(root) => {
            let scan = root.scan(&Rules::default(), None);
            let problems = scan.problems.iter().map(crate::wire::sentence).collect();
            (read(checker, root, &scan, at.repository), problems)
        }
        Files::Log(reader, store) => (read_log(checker, reader, store)?, Vec::new()),
    };
    let files: Vec<File<'_>> = files.iter().map(ReadFile::view).collect();
    let place = at.in_repository();
    let on_disk = at.about.or(at.repository).map(RepositoryOnDisk::new);
    let surroundings = Surroundings {
        repository: on_disk.as_ref().map(|repository| repository as &dyn retrace_findings::Repository),
        place: at.lies_in_what_it_is_about().then_some(&*place),
        today: day(around.now),
        usage: around.usage,
    };
    Ok((checker.check(&files, &surroundings), problems))
}

/// The newest contents of a store, as the log has them.
fn read_log(checker: &Checker, reader: &Reader<'_>, store: StoreId) -> Result<Vec<ReadFile>, ApiError> {
    let mut files = Vec::new();
    for memory in reader.memories_at(store, None)? {
        let Some(path) = memory.path.filter(|path| path.as_bytes() != CONFIG_FILE.as_bytes()) else {
            continue;
        };
        let path = path.to_text();
        let version = &memory.version;
        let file = match version.content {
            None => ReadFile { path, size: 0, content: Some((Sha256::of(b""), Some(Vec::new()))) },
            Some(info) if checker.knows(&path, info.sha256) => {
                ReadFile { path, size: info.size, content: Some((info.sha256, None)) }
            }
            Some(info) => {
                let bytes = match reader.content(version) {
                    Ok(content) => content.map(|content| content.bytes),
                    Err(LogError::NotKept(_) | LogError::Redacted(_)) => None,
                    Err(error) => return Err(error.into()),
                };
                let content = bytes.map(|bytes| (info.sha256, Some(bytes)));
                ReadFile { path, size: info.size, content }
            }
        };
        files.push(file);
    }
    Ok(files)
}

fn read(checker: &Checker, root: &Root, scan: &Scan, repository: Option<&Path>) -> Vec<ReadFile> {
    let rules = Rules::default();
    // The root of a repository holds its code too; only what agents read there is looked at.
    let whole = repository != Some(root.path())
        || select::is_memory_alone(scan.found.keys().map(|path| path.to_text()));
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

impl Place<'_> {
    /// True if the directory lies in the repository that its memories are about.
    fn lies_in_what_it_is_about(&self) -> bool {
        let repository = self.about.or(self.repository);
        self.root().zip(repository).is_some_and(|(root, repository)| root.starts_with(repository))
    }

    fn root(&self) -> Option<&Path> {
        match self.files {
            Files::Directory(root) => Some(root.path()),
            Files::Log(..) => self.directory,
        }
    }

    /// Where the directory lies in the repository, `/` between segments; empty for its root and outside it.
    fn in_repository(&self) -> String {
        let below = self.root().zip(self.repository).and_then(|(root, above)| root.strip_prefix(above).ok());
        let parts = below.into_iter().flat_map(Path::components);
        parts.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect::<Vec<_>>().join("/")
    }

    /// The text of the configuration that lies with the memories.
    fn own_configuration(&self) -> Result<Option<String>, ApiError> {
        match self.files {
            Files::Directory(root) => Ok(config_in(root)),
            Files::Log(reader, store) => {
                let Ok(path) = RelPath::parse(CONFIG_FILE) else { return Ok(None) };
                let Some(version) = reader.version_at(store, &path, None)? else { return Ok(None) };
                match reader.content(&version) {
                    Ok(content) => Ok(content
                        .filter(|content| content.info.size <= CONFIG_BYTES)
                        .map(|content| String::from_utf8_lossy(&content.bytes).into_owned())),
                    Err(LogError::NotKept(_) | LogError::Redacted(_)) => Ok(None),
                    Err(error) => Err(error.into()),
                }
            }
        }
    }
}

/// The configuration given, or that which lies with the memories, or that of the repository.
pub(crate) fn configuration(at: Place<'_>, given: Option<&str>) -> Result<Config, ApiError> {
    let text = match given {
        Some(text) => Some(text.to_owned()),
        None => match at.own_configuration()? {
            Some(text) => Some(text),
            None => at.repository.and_then(|root| config_in(&Root::open(root).ok()?)),
        },
    };
    match text {
        Some(text) => Config::parse(&text).map_err(|error| invalid(&error)),
        None => Ok(Config::default()),
    }
}

fn config_in(root: &Root) -> Option<String> {
    let path = RelPath::parse(CONFIG_FILE).ok()?;
    let bytes = root.read(&path, CONFIG_BYTES).ok()?.bytes?;
    // A file that is no text is refused by the parser, rather than passed over.
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The repository asked for, or the one above the directory.
fn repository_root(root: Option<&Path>, request: &CheckReq) -> Result<Option<PathBuf>, ApiError> {
    match &request.repository {
        Some(given) => {
            let path = std::path::absolute(given).unwrap_or_else(|_| PathBuf::from(given));
            Root::open(&path)?;
            Ok(Some(path))
        }
        None => Ok(root.and_then(repository_above)),
    }
}

/// The nearest directory with `.git` at or above `root`. A store without a directory lies in none.
pub(crate) fn repository_above(root: &Path) -> Option<PathBuf> {
    let above = root.is_absolute().then(|| root.ancestors())?;
    above.into_iter().find(|above| above.join(".git").symlink_metadata().is_ok()).map(Path::to_path_buf)
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

pub(crate) fn invalid(error: &impl retrace_message::AsMessage) -> ApiError {
    ApiError::new(Code::Invalid, crate::wire::sentence(error), "")
}

/// Number of findings, those that are counted and not listed among them.
pub(crate) fn total<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> u64 {
    findings.into_iter().map(Finding::count).sum()
}

/// A finding as clients see it.
pub(crate) fn finding_view(finding: &Finding) -> wire::Finding {
    let span = finding.span.as_ref();
    wire::Finding {
        rule: finding.rule.id.clone(),
        severity: finding.severity.into(),
        path: finding.path.clone(),
        line: finding.position().line,
        column: finding.position().column,
        end_line: span.map(|span| span.end.line),
        end_column: span.map(|span| span.end.column),
        start: span.map(|span| span.bytes.start as u64),
        end: span.map(|span| span.bytes.end as u64),
        message: finding.message.clone(),
        remedy: finding.remedy().to_owned(),
        remedies: finding.remedies.iter().filter_map(|remedy| remedy_view(finding, remedy)).collect(),
        more: finding.rest.count,
    }
}

/// An act with what it is about; none for one that needs a place where the finding has none.
fn remedy_view(finding: &Finding, remedy: &Remedy) -> Option<wire::Remedy> {
    let rule = finding.rule.id.clone();
    let bytes = finding.span.as_ref().map(|span| (span.bytes.start as u64, span.bytes.end as u64));
    Some(match remedy {
        Remedy::PutBack(operation) => wire::Remedy::PutBack {
            operation: *operation,
            path: (!finding.path.is_empty()).then(|| finding.path.clone()),
            deleted: finding.rule.id == "events/mass-delete",
        },
        Remedy::Redact => wire::Remedy::Redact { rule, start: bytes?.0 },
        Remedy::StripCharacter => {
            let (start, end) = bytes?;
            wire::Remedy::StripCharacter { rule, start, end }
        }
        Remedy::MoveLines(lines) => wire::Remedy::MoveLines { from: *lines.start(), to: *lines.end() },
        Remedy::Reach(lines) => wire::Remedy::Reach { from: *lines.start(), to: *lines.end() },
        Remedy::Open => wire::Remedy::Open { path: finding.path.clone(), line: finding.position().line },
    })
}
