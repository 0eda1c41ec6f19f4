//! Places outside of the log and of its stores that may keep what is redacted: files beside the memories, git repositories,
//! copies that Claude Code made before edits, bundles and exports that were written here, other worktrees, other stores. They
//! are read, named with what takes it out of them, and left.

use super::forms::{Forms, any_of};
use super::json_text;
use super::repositories::{self, Kept, Repository};
use super::survey::{Selection, for_each_file, masked_text};
use crate::Redactions;
use crate::wire::RedactionPlace;
use crate::wire::show;
use regex::bytes::Regex;
use retrace_engine::root_of;
use retrace_log::{ElsewhereKind, Place, PlaceState, StoreRow};
use retrace_message::Message;
use retrace_model::{RelPath, shell_word};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Longest time for all of it. A person waits for it.
const LONGEST: Duration = Duration::from_secs(20);

/// Larger files are not read.
const LARGEST_FILE: u64 = 256 << 20;

/// A bundle is read so far; what it unpacks to is not known before.
const LARGEST_BUNDLE: u64 = 1 << 30;

/// Files named in a detail.
const FILES_NAMED: usize = 5;

/// Directories within each other that are searched.
const DEEPEST: usize = 32;

/// Fewer bytes occur by chance.
const SHORTEST: usize = 6;

/// A place outside that was looked at.
pub(super) struct Outside {
    /// Kind: `git`, `file_history`, `bundle`, `export`, `worktree`, `store`.
    pub(super) kind: RedactionPlace,
    /// For people.
    pub(super) place: Message,
    pub(super) hits: u64,
    pub(super) detail: Option<Message>,
    pub(super) remedy: Option<Message>,
    /// False when it could not be searched to its end.
    finished: bool,
}

impl Outside {
    pub(super) fn entry(&self) -> Place {
        let state = match (self.hits, self.finished) {
            (0, true) => PlaceState::Clean,
            (0, false) => PlaceState::OutOfReach,
            _ => PlaceState::Left,
        };
        let remedy = self.remedy.clone().filter(|_| self.hits > 0);
        Place { remedy, ..Place::outside(self.place.clone(), state, self.hits, self.detail.clone()) }
    }
}

/// Texts to search for outside.
struct Search<'s> {
    any: Regex,
    forms: Forms,
    selection: &'s Selection,
    until: Instant,
}

impl Search<'_> {
    fn is_late(&self) -> bool {
        Instant::now() > self.until
    }

    /// A path as it may be shown: it may hold what is redacted itself.
    fn shown(&self, path: &Path) -> String {
        masked_text(self.selection, &show(path))
    }

    fn ranges(&self, bytes: &[u8]) -> Vec<(usize, usize)> {
        self.any.find_iter(bytes).map(|found| (found.start(), found.end())).collect()
    }

    /// Matches in a file; `None` when it is too large or cannot be read.
    fn in_file(&self, path: &Path) -> Option<u64> {
        if std::fs::metadata(path).ok()?.len() > LARGEST_FILE {
            return None;
        }
        Some(self.any.find_iter(&std::fs::read(path).ok()?).count() as u64)
    }

    /// Searches the files below a folder.
    fn below(&self, kind: RedactionPlace, place: Message, folder: &Path, depth: usize) -> Outside {
        self.below_where(kind, place, (folder, depth), &|_| true)
    }

    /// Searches the files below a folder that `is_wanted`.
    fn below_where(
        &self,
        kind: RedactionPlace,
        place: Message,
        (folder, depth): (&Path, usize),
        is_wanted: &dyn Fn(&Path) -> bool,
    ) -> Outside {
        let (mut hits, mut finished) = (0, true);
        let mut holding = Vec::new();
        let whole = for_each_file(folder, depth, &mut |path| {
            if !is_wanted(path) {
                return;
            }
            if self.is_late() {
                finished = false;
                return;
            }
            match self.in_file(path) {
                None => finished = false,
                Some(0) => {}
                Some(found) => {
                    hits += found;
                    holding.push(path.to_path_buf());
                }
            }
        });
        finished &= whole;
        holding.sort();
        let detail = match (finished, holding.len()) {
            (true, 0) => None,
            (true, files) => Some(say::files(files)),
            (false, files) => Some(say::not_searched_end_least_files(files)),
        };
        let remedy = (!holding.is_empty()).then(|| say::delete_or_edit(self.named(&holding)));
        Outside { kind, place, hits, detail, remedy, finished }
    }

    fn in_bundle(&self, path: &Path) -> Option<u64> {
        let decoder = zstd::Decoder::new(std::fs::File::open(path).ok()?).ok()?;
        let mut lines = BufReader::new(decoder.take(LARGEST_BUNDLE));
        let (mut hits, mut line) = (0, Vec::new());
        loop {
            line.clear();
            match lines.read_until(b'\n', &mut line) {
                Ok(0) => return Some(hits),
                Ok(_) if !self.is_late() => {
                    hits += json_text::hits(&line, &|bytes| self.ranges(bytes));
                    hits += self
                        .forms
                        .in_bytes(&line)
                        .iter()
                        .filter(|(name, _)| *name == "base64")
                        .map(|(_, hits)| hits)
                        .sum::<u64>();
                }
                _ => return (hits > 0).then_some(hits),
            }
        }
    }

    fn bundle(&self, path: &Path) -> Outside {
        let found = self.in_bundle(path);
        Outside {
            kind: RedactionPlace::Bundle,
            place: say::bundle(self.shown(path)),
            hits: found.unwrap_or(0),
            detail: found.is_none().then(say::not_searched_end),
            remedy: Some(say::delete_bundle_copies_export_anew()),
            finished: found.is_some(),
        }
    }

    /// Files of a repository that are no objects; `None` where none holds it.
    fn files_of_repository(&self, repository: &Repository) -> Option<Outside> {
        let (files, mut finished) = repositories::files_beside_objects(&repository.common, self.until);
        let (mut hits, mut holding) = (0, Vec::new());
        for path in files {
            let is_small = std::fs::metadata(&path).is_ok_and(|found| found.len() <= LARGEST_FILE);
            let bytes = if is_small && !self.is_late() { std::fs::read(&path).ok() } else { None };
            let Some(bytes) = bytes else {
                finished = false;
                continue;
            };
            // An address has signs as `%40`.
            let found = self.any.find_iter(&bytes).count() as u64
                + self.forms.in_bytes(&bytes).iter().map(|(_, hits)| hits).sum::<u64>();
            if found > 0 {
                hits += found;
                holding.push(path);
            }
        }
        if hits == 0 && finished {
            return None;
        }
        let logs = repository.common.join("logs");
        let has_reflog = holding.iter().any(|path| path.starts_with(&logs));
        let (named, files) = (self.named(&holding), holding.len());
        let remedy = (hits > 0).then(|| match has_reflog {
            true => {
                let at = shell_word(&self.shown(&repository.top)).into_owned();
                say::delete_or_edit(named).then(say::expire_reflogs(at))
            }
            false => say::delete_or_edit(named),
        });
        Some(Outside {
            kind: RedactionPlace::Git,
            place: say::files_of_git_repository(self.shown(&repository.top)),
            hits,
            detail: Some(match finished {
                true => say::files(files),
                false => say::not_searched_end_least_files(files),
            }),
            remedy,
            finished,
        })
    }

    /// The first of some files, as they may be shown.
    fn named(&self, files: &[PathBuf]) -> String {
        let named: Vec<String> = files.iter().take(FILES_NAMED).map(|path| self.shown(path)).collect();
        let rest = if files.len() > FILES_NAMED { ", …" } else { "" };
        format!("{}{rest}", named.join(", "))
    }

    fn repository(&self, repository: &Repository) -> Outside {
        let kept = repositories::kept_in(repository, &self.any, self.until).unwrap_or_default();
        let Kept { commits, others, finished } = kept;
        let mut detail = match (finished, commits) {
            (true, 0) if others == 0 => None,
            (true, commits) => Some(say::commits_changed_file_or_message(commits)),
            (false, commits) => Some(say::not_searched_end_least_commits(commits)),
        };
        if let Some(detail) = detail.as_mut().filter(|_| others > 0) {
            *detail = say::with_objects(std::mem::take(detail), say::objects_no_commit(others));
        }
        let at = self.shown(&repository.top);
        let remedy = say::rewrite_whole_git_history(shell_word(&at).into_owned());
        Outside {
            kind: RedactionPlace::Git,
            place: say::git_repository(at),
            hits: commits + others,
            detail,
            remedy: Some(remedy),
            finished,
        }
    }
}

/// Says of a place outside that it was not searched again.
pub(super) fn takes_secret_itself() -> Message {
    say::takes_secret_itself()
}

impl Redactions {
    /// Searches for matched texts outside of the log and of the stores that are redacted.
    pub(super) fn outside(
        &self,
        selection: &Selection,
        stores: &[StoreRow],
        matched: &BTreeSet<Vec<u8>>,
    ) -> Vec<Outside> {
        let long: Vec<&Vec<u8>> = matched.iter().filter(|text| text.len() >= SHORTEST).collect();
        let Some(any) = any_of(long.iter().copied()) else { return Vec::new() };
        let forms = Forms::of(long);
        let search = Search { any, forms, selection, until: Instant::now() + LONGEST };
        let mut found = Vec::new();
        let elsewhere = self.read(|reader| Ok(reader.elsewhere()?)).unwrap_or_default();
        let elsewhere: Vec<(ElsewhereKind, PathBuf)> = elsewhere
            .into_iter()
            .map(|(kind, path)| (kind, retrace_engine::path_from_bytes(&path)))
            .collect();
        for (kind, path) in elsewhere.iter().filter(|(_, path)| path.exists()) {
            match kind {
                ElsewhereKind::Bundle => found.push(search.bundle(path)),
                ElsewhereKind::Export => {
                    let place = say::exported_directory(search.shown(path));
                    found.push(search.below(RedactionPlace::Export, place, path, DEEPEST));
                }
                ElsewhereKind::Git => {}
            }
        }
        let copies = self.claude_folder().join("file-history");
        if copies.is_dir() {
            let place = say::copies_claude_code_keeps_before();
            found.push(search.below(RedactionPlace::FileHistory, place, &copies, 4));
        }
        self.beside_memories(&search, selection, stores, &mut found);
        self.other_stores(&search, selection, stores, &mut found);
        let imported = elsewhere.into_iter().filter(|(kind, _)| *kind == ElsewhereKind::Git);
        let roots = stores.iter().filter(|store| store.has_directory()).map(root_of);
        let mut repositories: BTreeMap<PathBuf, Repository> = BTreeMap::new();
        let mut worktrees: BTreeSet<PathBuf> = BTreeSet::new();
        for directory in roots.chain(imported.map(|(_, path)| path)).filter(|path| path.is_dir()) {
            let Some(repository) = repositories::repository_of(&directory) else { continue };
            worktrees.extend(repositories::same_place_in_worktrees(&repository, &directory));
            repositories.entry(repository.common.clone()).or_insert(repository);
        }
        let known: BTreeSet<PathBuf> = self
            .read(|reader| Ok(reader.stores()?))
            .unwrap_or_default()
            .iter()
            .filter(|store| store.removed_at.is_none() && store.has_directory())
            .map(|store| root_of(store).canonicalize().unwrap_or_else(|_| root_of(store)))
            .collect();
        // A worktree that is a store is looked at as one.
        for worktree in worktrees.difference(&known) {
            let place = say::worktree(search.shown(worktree));
            found.push(search.below(RedactionPlace::Worktree, place, worktree, DEEPEST));
        }
        found.extend(repositories.values().filter_map(|repository| search.files_of_repository(repository)));
        // The longest last, so that it takes no time from the others.
        found.extend(repositories.values().map(|repository| search.repository(repository)));
        found
    }

    /// Files in the directories of stores that were not looked at as live files: memories that are too large to be kept, and
    /// files that the rules leave out. What a repository keeps below `.git` is searched as a repository.
    fn beside_memories(
        &self,
        search: &Search<'_>,
        selection: &Selection,
        stores: &[StoreRow],
        found: &mut Vec<Outside>,
    ) {
        for store in stores.iter().filter(|store| store.has_directory()) {
            let top = root_of(store);
            let is_beside = |file: &Path| {
                let Ok(path) = file.strip_prefix(&top) else { return false };
                if path.components().any(|name| name.as_os_str() == ".git") {
                    return false;
                }
                let Ok(path) = RelPath::from_bytes(retrace_engine::path_to_bytes(path)) else { return true };
                let is_read = || std::fs::File::open(file).and_then(|file| file.metadata());
                self.rules.leaves_out(path.components()).is_some()
                    // One that may not be read is a place of its own.
                    || is_read().is_ok_and(|found| found.len() > self.rules.max_file_bytes)
            };
            let place = say::files_beside_memories(masked_text(selection, &store.name));
            let outside = search.below_where(RedactionPlace::Store, place, (&top, DEEPEST), &is_beside);
            if outside.hits > 0 || !outside.finished {
                found.push(outside);
            }
        }
    }

    /// Where only one store is redacted, live files of the others.
    fn other_stores(
        &self,
        search: &Search<'_>,
        selection: &Selection,
        stores: &[StoreRow],
        found: &mut Vec<Outside>,
    ) {
        let all = self.read(|reader| Ok(reader.stores()?)).unwrap_or_default();
        let is_other = |store: &&StoreRow| {
            store.removed_at.is_none()
                && store.has_directory()
                && !stores.iter().any(|chosen| chosen.id == store.id)
        };
        for store in all.iter().filter(is_other) {
            let place = say::live_files(masked_text(selection, &store.name));
            let mut outside = search.below(RedactionPlace::Store, place, &root_of(store), DEEPEST);
            outside.remedy = Some(say::repeat_redaction_all_stores_live());
            if outside.hits > 0 || !outside.finished {
                found.push(outside);
            }
        }
    }
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "outside";
    files(files) => "files: {files}",
    not_searched_end_least_files(files) => "not searched to its end: at least {files} files",
    delete_or_edit(files) => "Delete or edit: {files}",
    bundle(path) => "Bundle {path}",
    not_searched_end() => "not searched to its end",
    delete_bundle_copies_export_anew() => "Delete the bundle and its copies, and export it anew.",
    commits_changed_file_or_message(commits) => "commits with a changed file or a message that holds it: {commits}",
    not_searched_end_least_commits(commits) => "not searched to its end: at least {commits} commits",
    with_objects(commits, objects) => "{commits}{objects}",
    objects_no_commit(others) => "; objects of no commit: {others}",
    rewrite_whole_git_history(at) => "`git -C {at} filter-repo --sensitive-data-removal --replace-text FILE --replace-message FILE` rewrites contents and messages, where FILE holds the text and `==>[redacted]` behind it. Names of files want `--path-rename` beside it, names of writers `--mailmap`, and branches and tags other names. Then `git push --force --mirror`, and every clone is made anew.",
    // Receipts of before have it.
    #[allow(dead_code)]
    git_c_filter_repo_sensitive(at) => "`git -C {at} filter-repo --sensitive-data-removal --replace-text FILE` rewrites the history, where FILE holds the text and `==>[redacted]` behind it; then `git push --force --mirror`, and every clone is made anew.",
    git_repository(at) => "Git repository {at}",
    files_of_git_repository(at) => "Files of Git repository {at} beside its objects",
    expire_reflogs(at) => "`git -C {at} reflog expire --expire=now --all` empties what is below `logs`.",
    exported_directory(path) => "Exported directory {path}",
    copies_claude_code_keeps_before() => "Copies Claude Code keeps before edits",
    worktree(worktree) => "Worktree {worktree}",
    live_files(name) => "Live files of {name}",
    takes_secret_itself() => "It was not searched again, which takes the secret itself: `retrace redact --secret-file FILE --dry-run` searches there, and `retrace verify --absent-file FILE` the data directory.",
    files_beside_memories(name) => "Files of {name} that are not kept in the log",
    repeat_redaction_all_stores_live() => "Repeat the redaction for all stores, with --live.",
}
