//! Which contents a file was made from, along all parents.
//!
//! A file that a commit has as one of its parents has it is that parent's. Else it was made from what each parent has of it, at the
//! same path or at the one it was moved from, the first parent first. `git blame` follows lines in this way.

use super::{Change, Commit, Fields, GitPlace, Which, change_from, log, text, trimmed};
use crate::jobs::Steps;
use crate::wire::ApiError;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Files looked at on a way back between two that are remembered.
const REMEMBERED_EVERY: usize = 64;

/// A file of a commit: the commit's place, and the path in the repository.
pub(super) type File = (usize, Vec<u8>);

/// A commit that touched the place, and what it changed against each of its parents.
struct Made {
    commit: Commit,
    parents: Vec<usize>,
    /// For each parent; one against nothing where there is none.
    against: Vec<HashMap<Vec<u8>, Change>>,
}

/// All commits that `HEAD` leads to and that touched the place, and merges. Empty where there are no merges.
#[derive(Default)]
pub(super) struct Ancestry {
    made: Vec<Made>,
    places: HashMap<String, usize>,
    /// `HEAD` and its first parents.
    main: HashSet<usize>,
    /// Commits that came into the main line by now.
    came: RefCell<HashSet<usize>>,
    /// Where a file that others left as it was came from.
    found: RefCell<HashMap<File, File>>,
}

/// Where a file of a commit came from.
enum From {
    /// It is as a parent has it.
    Parent(File),
    /// The commit made it, from these.
    Made(Vec<File>),
}

impl Ancestry {
    /// Reads it.
    ///
    /// # Errors
    /// `store_unavailable` when git fails, `invalid` when the import is stopped.
    pub(super) fn read(
        place: &GitPlace,
        paths: &BTreeSet<Vec<u8>>,
        steps: &Steps<'_>,
    ) -> Result<Self, ApiError> {
        let commits = log(place, paths, Which::All, steps)?;
        let merges = merges(place, paths)?;
        let main = super::run(&place.top, &["rev-list", "--first-parent", "HEAD"])?;
        Ok(Self::of(commits, merges, text(&main).lines()))
    }

    /// Puts together what commits changed, parents first, and what merges changed against each of their parents.
    pub(super) fn of<'m>(
        commits: Vec<Commit>,
        mut merges: HashMap<(String, String), Vec<Change>>,
        main: impl Iterator<Item = &'m str>,
    ) -> Self {
        let mut ancestry = Self::default();
        for (place, mut commit) in commits.into_iter().enumerate() {
            let parents: Vec<usize> =
                commit.parents.iter().filter_map(|parent| ancestry.places.get(parent).copied()).collect();
            let against = if commit.parents.len() > 1 {
                let against = commit.parents.iter().filter(|parent| ancestry.places.contains_key(*parent));
                let key = |parent: &String| (commit.id.clone(), parent.clone());
                against.map(|parent| by_path(merges.remove(&key(parent)).unwrap_or_default())).collect()
            } else {
                vec![by_path(std::mem::take(&mut commit.changes))]
            };
            ancestry.places.insert(commit.id.clone(), place);
            ancestry.made.push(Made { commit, parents, against });
        }
        ancestry.main = main.filter_map(|id| ancestry.places.get(id).copied()).collect();
        ancestry
    }

    /// The place of a commit; `None` where there are no merges at all.
    pub(super) fn place(&self, commit: &Commit) -> Option<usize> {
        self.places.get(&commit.id).copied()
    }

    pub(super) fn commit(&self, place: usize) -> &Commit {
        &self.made[place].commit
    }

    /// True if the file at a path is gone after a commit that is no merge.
    pub(super) fn takes_away(&self, place: usize, path: &[u8]) -> bool {
        let Some(changes) = self.made[place].against.first() else { return false };
        changes.get(path).is_some_and(|change| !change.is_file())
            || changes.values().any(|change| change.moves(path))
    }

    /// Content of a file that a commit made.
    pub(super) fn blob(&self, file: &File) -> Option<&String> {
        let change = self.made[file.0].against.first()?.get(&file.1)?;
        Some(&change.blob).filter(|_| change.is_file())
    }

    /// Commits that come into the main line with one of it, those that are no merges, parents first. Each comes in once.
    pub(super) fn brought(&self, place: usize) -> Vec<usize> {
        let mut came = self.came.borrow_mut();
        let parents = &self.made[place].parents;
        // The first parent may be one that did not touch the place, and nothing before it did.
        let has_first = parents.first().is_some_and(|first| self.main.contains(first));
        let (first, others) = parents.split_at(usize::from(has_first));
        self.come(first, &mut came);
        let mut brought = self.come(others, &mut came);
        came.insert(place);
        brought.retain(|place| self.made[*place].parents.len() < 2);
        brought.sort_unstable();
        brought
    }

    /// Commits and all before them that did not come yet.
    fn come(&self, from: &[usize], came: &mut HashSet<usize>) -> Vec<usize> {
        let mut new = Vec::new();
        let mut left = from.to_vec();
        while let Some(place) = left.pop() {
            if came.insert(place) {
                new.push(place);
                left.extend(&self.made[place].parents);
            }
        }
        new
    }

    /// The file that a file of a commit is: at the commit that made it what it is.
    pub(super) fn origin(&self, file: File) -> File {
        let mut found = self.found.borrow_mut();
        let mut passed: Vec<File> = Vec::new();
        let mut at = file;
        let mut count = 0;
        let origin = loop {
            if let Some(known) = found.get(&at) {
                break known.clone();
            }
            match self.from(&at) {
                From::Made(_) => break at,
                From::Parent(before) => {
                    if count % REMEMBERED_EVERY == 0 {
                        passed.push(at);
                    }
                    count += 1;
                    at = before;
                }
            }
        };
        found.extend(passed.into_iter().map(|file| (file, origin.clone())));
        origin
    }

    /// What a file was made from, where the commit made it: each at the commit that made it, the first parent's first.
    pub(super) fn made_from(&self, file: &File) -> Vec<File> {
        match self.from(file) {
            From::Parent(_) => Vec::new(),
            From::Made(from) => from.into_iter().map(|file| self.origin(file)).collect(),
        }
    }

    fn from(&self, (place, path): &File) -> From {
        let made = &self.made[*place];
        let before: Vec<(usize, Option<&Change>)> = made
            .parents
            .iter()
            .zip(&made.against)
            .map(|(parent, changes)| (*parent, changes.get(path)))
            .collect();
        let is_same = |change: &Change| change.before.as_ref() == Some(&change.blob);
        // One that has it at the same path goes before one that has it at another.
        for (parent, change) in &before {
            if change.is_none_or(|change| change.from.is_none() && is_same(change)) {
                return From::Parent((*parent, path.clone()));
            }
        }
        for (parent, change) in &before {
            if let Some(Change { from: Some(from), .. }) = change.filter(|change| is_same(change)) {
                return From::Parent((*parent, from.clone()));
            }
        }
        let mut contents = BTreeSet::new();
        let made_from = before.into_iter().filter_map(|(parent, change)| {
            let change = change?;
            let is_new = contents.insert(change.before.as_ref()?);
            is_new.then(|| (parent, change.from.as_ref().unwrap_or(path).clone()))
        });
        From::Made(made_from.collect())
    }
}

fn by_path(changes: Vec<Change>) -> HashMap<Vec<u8>, Change> {
    let mut known: HashMap<Vec<u8>, Change> = HashMap::with_capacity(changes.len());
    for change in changes {
        known.entry(change.path.clone()).or_insert(change);
    }
    known
}

/// What merges changed against each of their parents.
fn merges(
    place: &GitPlace,
    paths: &BTreeSet<Vec<u8>>,
) -> Result<HashMap<(String, String), Vec<Change>>, ApiError> {
    let mut fields = Fields::start(
        place,
        paths,
        &["--full-history", "--parents", "--merges", "-m", "--no-abbrev-commit", "--format=oneline"],
    )?;
    let mut merges: HashMap<(String, String), Vec<Change>> = HashMap::new();
    let mut at = None;
    while let Some(field) = fields.next()? {
        let field = trimmed(&field);
        let mut next = || fields.next().map(Option::unwrap_or_default);
        if let Some(change) = field.strip_prefix(b":") {
            if let (Some(change), Some(at)) = (change_from(change, &mut next)?, &at) {
                merges.entry(Clone::clone(at)).or_default().push(change);
            }
        } else if !field.is_empty() {
            at = compared(&text(field));
        }
    }
    fields.end()?;
    Ok(merges)
}

/// The commit and the parent that a comparison is of, from `ID PARENT… (from PARENT) SUBJECT`.
fn compared(head: &str) -> Option<(String, String)> {
    let (ids, rest) = head.split_once(" (from ")?;
    let (parent, _) = rest.split_once(')')?;
    Some((ids.split(' ').next()?.to_owned(), parent.to_owned()))
}
