//! The history that git kept of a directory.
//!
//! The program `git` is run, for reading alone: without hooks, pagers, filters, external differences, locks or the network,
//! and with nothing of the caller's `GIT_*` surroundings. A path is never taken for an option or a pattern.
//!
//! The state of the directory is what the first parents of `HEAD` say: each of their commits is compared with the one
//! before, and the state of the directory at its time is the commit's own. What was written on a branch comes in with
//! the merge, just before it, by its own writer (`follow`). Where its lines came from is what all parents say (`ancestry`,
//! `told`). A file keeps its history through renames, also from outside the directory.

mod ancestry;
mod follow;
mod told;

use super::{PastHistory, Steps, is_left_out};
use crate::git::{Running, cannot_run, command, failed, output, refused};
use crate::wire::show;
use crate::wire::{ApiError, Code};
use ancestry::Ancestry;
use follow::{History, Pending};
use retrace_log::{PastLine, PastLines, PastVersion};
use retrace_model::{RelPath, Rules};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use told::Versions;

/// Number of times renames into the directory are followed further back. A file that was moved oftener begins at the
/// last.
const MAX_ROUNDS: usize = 8;

/// Commits between two looks at whether to go on.
const COMMITS_A_STEP: usize = 200;

/// A directory whose history git may have.
pub(crate) struct GitPlace {
    /// The directory git is asked in.
    top: PathBuf,
    /// The directory or file, relative to the top of the repository, `/` between parts; empty for all of it.
    inside: Vec<u8>,
    /// A directory, as it is now. A file that had its name before is no file of it.
    is_directory: bool,
    /// Where in the store it lies; `None` for the store itself.
    below: Option<RelPath>,
}

impl GitPlace {
    /// The place of `path` below the repository that `directory` lies in; `below` is where in the store it belongs.
    ///
    /// # Errors
    /// `store_unavailable` when git is not there, `not_found` when the directory is in no repository.
    pub(crate) fn find(
        directory: &Path,
        path: Option<&str>,
        below: Option<RelPath>,
    ) -> Result<Self, ApiError> {
        let asked = directory
            .canonicalize()
            .map_err(|_| ApiError::new(Code::NotFound, say::no_such_directory(), show(directory)))?;
        let prefix = run(&asked, &["rev-parse", "--show-prefix"])?;
        let top = run(&asked, &["rev-parse", "--show-toplevel"]).ok();
        let top = top.map_or_else(|| asked.clone(), |top| PathBuf::from(os(&line(&top))));
        let mut inside = line(&prefix);
        if let Some(path) = path {
            if !inside.is_empty() && !inside.ends_with(b"/") {
                inside.push(b'/');
            }
            inside.extend_from_slice(path.as_bytes());
        }
        while inside.ends_with(b"/") {
            inside.pop();
        }
        let is_directory = path.is_none_or(|path| asked.join(path).is_dir());
        Ok(Self { top, inside, is_directory, below })
    }

    /// The path in the store of a path in the repository; `None` when it lies elsewhere.
    fn in_store(&self, path: &[u8]) -> Option<RelPath> {
        let rest = if self.inside.is_empty() {
            path
        } else if path == self.inside {
            if self.is_directory {
                return None;
            }
            // One file alone: it is where it was asked for, or under its own name.
            return match &self.below {
                Some(below) => Some(below.clone()),
                None => RelPath::from_bytes(path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)).ok(),
            };
        } else {
            path.strip_prefix(self.inside.as_slice())?.strip_prefix(b"/")?
        };
        match &self.below {
            None => RelPath::from_bytes(rest).ok(),
            Some(below) => RelPath::from_bytes([below.as_bytes(), b"/", rest].concat()).ok(),
        }
    }
}

/// Reads the history of a place.
///
/// # Errors
/// `store_unavailable` when git fails, `invalid` when the import is stopped.
pub(crate) fn read(place: &GitPlace, rules: &Rules, steps: &Steps<'_>) -> Result<PastHistory, ApiError> {
    if !has_commits(place)? {
        return Err(ApiError::new(Code::NotFound, say::repository_no_commits_yet(), show(&place.top))
            .hint(say::no_history_bring_before_first()));
    }
    let mut asked: BTreeSet<Vec<u8>> = BTreeSet::from([place.inside.clone()]);
    // Paths outside whose files came in, or whose files became those.
    let mut entered: BTreeSet<Vec<u8>> = BTreeSet::new();
    let mut visited: BTreeSet<String> = BTreeSet::new();
    let mut commits = Vec::new();
    for _ in 0..MAX_ROUNDS {
        commits = log(place, &asked, Which::FirstParents, steps)?;
        let mut candidates: BTreeSet<String> = BTreeSet::new();
        for commit in commits.iter().filter(|commit| !commit.parents.is_empty()) {
            let added = commit.changes.iter().any(|change| change.status == b'A');
            if added && visited.insert(commit.id.clone()) {
                candidates.insert(commit.id.clone());
            }
        }
        let mut more = false;
        for (from, to) in renames_in(place, &candidates, steps)? {
            let comes_in = place.in_store(&to).is_some() || entered.contains(&to);
            if comes_in && place.in_store(&from).is_none() && asked.insert(from.clone()) {
                entered.insert(from);
                more = true;
            }
        }
        if !more {
            break;
        }
    }
    let mut times: Vec<i64> = commits.iter().map(|commit| commit.at).collect();
    follow::put_in_order(&mut times);
    let ancestry = if commits.iter().any(|commit| commit.parents.len() > 1) {
        Ancestry::read(place, &asked, steps)?
    } else {
        Ancestry::default()
    };
    let mut history = History::new(place, rules, &ancestry);
    for (commit, at) in commits.iter().zip(times) {
        history.follow(commit, at);
    }
    contents(place, history.lines(), rules, steps)
}

/// True if `HEAD` leads to a commit. It leads to none in a repository that was only begun, and git then takes its name for wrong.
fn has_commits(place: &GitPlace) -> Result<bool, ApiError> {
    let mut git = command(&place.top);
    git.args(["rev-parse", "--quiet", "--verify", "HEAD^{commit}"]).stderr(Stdio::piped());
    let done = git.output().map_err(|error| cannot_run(&error))?;
    match done.status.code() {
        Some(0) => Ok(true),
        // Asked to be quiet, it says nothing of a name that leads nowhere.
        Some(1) => Ok(false),
        _ => Err(refused(&done)),
    }
}

/// A commit that touched the place.
#[derive(Clone)]
struct Commit {
    id: String,
    parents: Vec<String>,
    /// When it was committed, in microseconds.
    at: i64,
    author: String,
    subject: String,
    changes: Vec<Change>,
}

/// One changed file of a commit.
#[derive(Clone)]
struct Change {
    /// `A`, `M`, `D`, `R`, `T`, …
    status: u8,
    /// Mode after it.
    mode: Vec<u8>,
    blob: String,
    /// Content before it, where that was a plain file's.
    before: Option<String>,
    from: Option<Vec<u8>>,
    path: Vec<u8>,
}

impl Change {
    /// True if a plain file is there after it; symbolic links and other repositories are not followed.
    fn is_file(&self) -> bool {
        self.status != b'D' && self.mode.starts_with(b"100")
    }

    /// True if it moved the file at a path elsewhere.
    fn moves(&self, path: &[u8]) -> bool {
        self.status == b'R' && self.from.as_deref() == Some(path)
    }
}

/// Commits to read.
#[derive(Clone, Copy)]
enum Which {
    /// `HEAD` and its first parents, each compared with the one before.
    FirstParents,
    /// All that `HEAD` leads to, with merges, which are not compared. Parents are the next ones before that are among them.
    All,
}

/// Reads commits that touched any of `paths`, parents first.
fn log(
    place: &GitPlace,
    paths: &BTreeSet<Vec<u8>>,
    which: Which,
    steps: &Steps<'_>,
) -> Result<Vec<Commit>, ApiError> {
    let format = "--format=%x01%H%x00%P%x00%ct%x00%an <%ae>%x00%s";
    let which = match which {
        Which::FirstParents => ["--first-parent", "-m", format],
        Which::All => ["--full-history", "--parents", format],
    };
    let mut fields = Fields::start(place, paths, &which)?;
    let mut commits: Vec<Commit> = Vec::new();
    while let Some(field) = fields.next()? {
        let field = trimmed(&field);
        let mut next = || fields.next().map(Option::unwrap_or_default);
        if let Some(id) = field.strip_prefix(b"\x01") {
            let parents = next()?;
            let (at, author, subject) = (next()?, next()?, next()?);
            let id = text(id);
            if commits.last().is_none_or(|last| last.id != id) {
                commits.push(Commit {
                    id,
                    parents: text(&parents).split_whitespace().map(str::to_owned).collect(),
                    at: text(&at).parse::<i64>().unwrap_or(0).saturating_mul(1_000_000),
                    author: text(&author),
                    subject: text(&subject),
                    changes: Vec::new(),
                });
                if commits.len().is_multiple_of(COMMITS_A_STEP) {
                    steps.tell(commits.len(), None)?;
                }
            }
        } else if let Some(change) = field.strip_prefix(b":")
            && let Some(change) = change_from(change, &mut next)?
            && let Some(commit) = commits.last_mut()
        {
            commit.changes.push(change);
        }
    }
    fields.end()?;
    steps.go_on()?;
    Ok(commits)
}

/// What `git log` prints of commits, field by field.
struct Fields {
    child: Running,
    fields: std::io::Split<BufReader<std::process::ChildStdout>>,
    asking: std::thread::JoinHandle<()>,
}

impl Fields {
    /// Asks for commits that touched any of `paths`, parents first, with what they changed. Of merges that are compared with
    /// their parents, each comparison is one of its own.
    fn start(place: &GitPlace, paths: &BTreeSet<Vec<u8>>, which: &[&str]) -> Result<Self, ApiError> {
        let mut git = command(&place.top);
        git.args(["-c", "log.diffMerges=separate"]);
        git.args(["log", "--topo-order", "--reverse", "-z", "--root", "--raw", "--no-abbrev", "-M"]);
        git.args(["--no-ext-diff", "--no-textconv", "--no-show-signature", "--no-mailmap", "--no-notes"]);
        git.args(["--no-color", "--no-decorate", "--ignore-submodules=all", "--stdin"]);
        git.args(which).args(["HEAD", "--"]);
        let is_limited = paths.iter().all(|path| !path.is_empty());
        // Many paths are more than a program can be started with; git takes them from its input as well, one a line.
        let (told, given): (Vec<&Vec<u8>>, Vec<&Vec<u8>>) =
            paths.iter().filter(|_| is_limited).partition(|path| path.contains(&b'\n'));
        git.args(told.iter().map(|path| os(path)));
        let mut asked = b"--\n".to_vec();
        for path in &given {
            asked.extend_from_slice(path);
            asked.push(b'\n');
        }
        git.stdin(Stdio::piped());
        let mut child = Running::start(git)?;
        let mut to_git = child.stdin()?;
        // On a thread of its own: nobody knows how much of its input git reads before it prints.
        let asking = std::thread::spawn(move || drop(to_git.write_all(&asked)));
        let fields = BufReader::new(child.stdout()?).split(0);
        Ok(Self { child, fields, asking })
    }

    fn next(&mut self) -> Result<Option<Vec<u8>>, ApiError> {
        self.fields.next().transpose().map_err(|error| failed(error.to_string()))
    }

    fn end(self) -> Result<(), ApiError> {
        self.child.end()?;
        drop(self.asking.join());
        Ok(())
    }
}

/// Reads a raw entry: modes, blobs, status; then one path or two.
fn change_from(
    entry: &[u8],
    next: &mut impl FnMut() -> Result<Vec<u8>, ApiError>,
) -> Result<Option<Change>, ApiError> {
    let parts: Vec<&[u8]> = entry.split(|byte| *byte == b' ').collect();
    let [mode_before, mode, before, blob, status] = parts.as_slice() else { return Ok(None) };
    let Some(status) = status.first() else { return Ok(None) };
    let before = mode_before.starts_with(b"100").then(|| text(before));
    let first = next()?;
    let (from, path) = if matches!(status, b'R' | b'C') { (Some(first), next()?) } else { (None, first) };
    Ok(Some(Change { status: *status, mode: mode.to_vec(), blob: text(blob), before, from, path }))
}

/// A path, and the one it was moved to.
type Rename = (Vec<u8>, Vec<u8>);

/// Renames of whole commits, against their first parents: from where to where.
fn renames_in(
    place: &GitPlace,
    commits: &BTreeSet<String>,
    steps: &Steps<'_>,
) -> Result<Vec<Rename>, ApiError> {
    let mut renames = Vec::new();
    for (done, commit) in commits.iter().enumerate() {
        steps.tell(done, Some(commits.len()))?;
        let mut git = command(&place.top);
        git.args([
            "diff-tree",
            "-r",
            "-z",
            "-M",
            "--raw",
            "--no-ext-diff",
            "--no-textconv",
            "--diff-filter=R",
        ]);
        git.arg(format!("{commit}^1")).args([commit, "--"]);
        let out = output(git)?;
        let mut fields = out.split(|byte| *byte == 0).map(<[u8]>::to_vec);
        while let Some(field) = fields.next() {
            let Some(entry) = trimmed(&field).strip_prefix(b":") else { continue };
            let mut next = || Ok(fields.next().unwrap_or_default());
            if let Some(Change { from: Some(from), path, .. }) = change_from(entry, &mut next)? {
                renames.push((from, path));
            }
        }
    }
    Ok(renames)
}

/// Reads the contents of all versions, each once.
fn contents(
    place: &GitPlace,
    lines: Vec<Vec<Pending>>,
    rules: &Rules,
    steps: &Steps<'_>,
) -> Result<PastHistory, ApiError> {
    let wanted: BTreeSet<&String> =
        lines.iter().flatten().filter_map(|version| version.blob.as_ref()).collect();
    let blobs = blobs(place, &wanted, rules, steps)?;
    let mut past_history = PastHistory::default();
    let (mut too_large, mut missing) = (0u64, 0u64);
    let mut kept: Vec<Vec<Pending>> = Vec::with_capacity(lines.len());
    for line in lines {
        let has_content = |version: &Pending| match version.blob.as_ref().map(|blob| blobs.get(blob)) {
            None | Some(Some(Blob::Bytes(_))) => true,
            Some(Some(Blob::TooLarge)) => {
                too_large += 1;
                false
            }
            Some(None) => {
                missing += 1;
                false
            }
        };
        kept.push(line.into_iter().filter(has_content).collect());
    }
    let content = |blob: &String| match blobs.get(blob) {
        Some(Blob::Bytes(bytes)) => Some(bytes.as_slice()),
        _ => None,
    };
    let mut told = Versions::of(&kept, &content).told(steps)?;
    for line in kept.into_iter().filter(|line| !line.is_empty()) {
        let versions = line.into_iter().map(|version| {
            let content = version.blob.as_ref().and_then(content).map(<[u8]>::to_vec);
            let Pending { name, path, at, written_at, actor, note, .. } = version;
            let lines = told.remove(&name).unwrap_or_default();
            let told = PastLines { name: Some(name), lines };
            PastVersion { path, at, written_at, actor, note: Some(note), content, told }
        });
        past_history.lines.push(PastLine { versions: versions.collect() });
    }
    if too_large > 0 {
        let limit = rules.max_file_bytes >> 20;
        past_history.warnings.push(say::left_out_because_they_above(limit, too_large));
    }
    if missing > 0 {
        past_history.warnings.push(say::left_out_because_repository_not(missing));
    }
    Ok(past_history)
}

enum Blob {
    Bytes(Vec<u8>),
    TooLarge,
}

fn blobs(
    place: &GitPlace,
    wanted: &BTreeSet<&String>,
    rules: &Rules,
    steps: &Steps<'_>,
) -> Result<BTreeMap<String, Blob>, ApiError> {
    let mut found = BTreeMap::new();
    if wanted.is_empty() {
        return Ok(found);
    }
    let mut git = command(&place.top);
    git.args(["cat-file", "--batch", "--buffer"]);
    git.stdin(Stdio::piped());
    let mut child = Running::start(git)?;
    let asked: String = wanted.iter().map(|blob| format!("{blob}\n")).collect();
    let mut to_git = child.stdin()?;
    // On a thread of its own: git answers before all is asked.
    let asking = std::thread::spawn(move || drop(to_git.write_all(asked.as_bytes())));
    let mut answers = BufReader::new(child.stdout()?);
    let read_failed = |error: std::io::Error| failed(error.to_string());
    for (done, blob) in wanted.iter().enumerate() {
        steps.tell(done, Some(wanted.len()))?;
        let mut head = String::new();
        answers.read_line(&mut head).map_err(read_failed)?;
        let Some(size) = head.trim_end().rsplit(' ').next().and_then(|size| size.parse::<u64>().ok()) else {
            if head.is_empty() {
                break;
            }
            continue;
        };
        let mut bytes = Vec::new();
        if rules.max_file_bytes > 0 && size > rules.max_file_bytes {
            std::io::copy(&mut (&mut answers).take(size), &mut std::io::sink()).map_err(read_failed)?;
            found.insert((*blob).clone(), Blob::TooLarge);
        } else {
            (&mut answers).take(size).read_to_end(&mut bytes).map_err(read_failed)?;
            found.insert((*blob).clone(), Blob::Bytes(bytes));
        }
        // A line feed ends each answer.
        let mut end = [0];
        answers.read_exact(&mut end).map_err(read_failed)?;
    }
    drop(asking.join());
    child.end()?;
    Ok(found)
}

fn run(directory: &Path, arguments: &[&str]) -> Result<Vec<u8>, ApiError> {
    let mut git = command(directory);
    git.args(arguments).stderr(Stdio::piped());
    let done = git.output().map_err(|error| cannot_run(&error))?;
    if done.status.success() {
        return Ok(done.stdout);
    }
    // In English, as `command` asks for.
    let told = String::from_utf8_lossy(&done.stderr);
    Err(if told.contains("dubious ownership") {
        let message = say::git_does_not_read_repository();
        ApiError::new(Code::StoreUnavailable, message, show(directory))
            .hint(say::git_reads_another_user_s_where())
    } else if told.contains("not a git repository") {
        ApiError::new(Code::NotFound, say::directory_no_git_repository(), show(directory))
            .hint(say::import_git_dir_takes_directory())
    } else {
        ApiError { subject: show(directory), ..refused(&done) }
    })
}

/// Without the line feed that git puts before what follows a message.
fn trimmed(field: &[u8]) -> &[u8] {
    field.strip_prefix(b"\n").unwrap_or(field)
}

/// The one line that git printed, without the line feed that ends it: a path may hold others.
fn line(bytes: &[u8]) -> Vec<u8> {
    bytes.strip_suffix(b"\n").unwrap_or(bytes).to_vec()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(unix)]
fn os(bytes: &[u8]) -> std::ffi::OsString {
    use std::os::unix::ffi::OsStringExt as _;
    std::ffi::OsString::from_vec(bytes.to_vec())
}

#[cfg(not(unix))]
fn os(bytes: &[u8]) -> std::ffi::OsString {
    text(bytes).into()
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "git";
    no_such_directory() => "There is no such directory.",
    repository_no_commits_yet() => "The repository has no commits yet.",
    no_history_bring_before_first() => "There is no history to bring in before the first commit.",
    left_out_because_they_above(limit, too_large) => "Left out because they are above {limit} MiB: {too_large}.",
    left_out_because_repository_not(missing) => "Left out because the repository does not have their content: {missing}.",
    git_does_not_read_repository() => "Git does not read the repository that the directory lies in.",
    git_reads_another_user_s_where() => "Git reads a repository of another user only where its setting safe.directory names it.",
    directory_no_git_repository() => "The directory is in no git repository.",
    import_git_dir_takes_directory() => "`import git DIR` takes a directory that git keeps, or a clone of what kept it.",
}
