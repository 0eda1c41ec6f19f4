//! From commits to lines of versions: what each file of the directory was, in the order in which it came to stand there.
//!
//! The state of the directory at the time of a commit must be the commit's own. So a version stands from when its content came
//! into the directory: what was written on a branch with the merge, what was written elsewhere with the move, each just before
//! it and with its own date. Of several versions of a file at one instant the last counts.

use super::{Change, Commit, GitPlace, is_left_out, text};
use retrace_model::{Actor, RelPath, Rules, Timestamp};
use std::collections::{BTreeSet, HashMap};

/// Characters of a commit's name in a note.
const SHORT: usize = 10;

/// A version whose content is not read yet.
pub(super) struct Pending {
    pub(super) path: RelPath,
    /// From when it stood in the directory.
    pub(super) at: Timestamp,
    /// When it was committed, where that was before.
    pub(super) written_at: Option<Timestamp>,
    pub(super) actor: Actor,
    pub(super) note: String,
    /// `None` when it is gone.
    pub(super) blob: Option<String>,
}

/// Where a file of a commit lies.
enum Place {
    Inside(RelPath),
    /// The rules of recording leave it out.
    LeftOut,
    Outside,
}

/// One version of a file under way.
struct Step {
    /// In the store; `None` while it lies outside.
    path: Option<RelPath>,
    /// Commit of the line of first parents it came with, and that one's time.
    commit: usize,
    at: i64,
    /// When it was committed itself, where that was another commit.
    written: Option<i64>,
    actor: Actor,
    note: String,
    blob: Option<String>,
}

/// Follows files through commits.
pub(super) struct History<'a> {
    place: &'a GitPlace,
    rules: &'a Rules,
    lines: Vec<Vec<Step>>,
    /// The line of each file that is there, by its path in the repository.
    at: HashMap<Vec<u8>, usize>,
    commits: usize,
}

impl<'a> History<'a> {
    pub(super) fn new(place: &'a GitPlace, rules: &'a Rules) -> Self {
        Self { place, rules, lines: Vec::new(), at: HashMap::new(), commits: 0 }
    }

    /// Goes on with the next commit. `at` is when it came to stand, `beside` what it brought in where it is a merge, parents
    /// first.
    pub(super) fn follow(&mut self, commit: &Commit, at: i64, beside: &[Commit]) {
        let mut seen: BTreeSet<&[u8]> = BTreeSet::new();
        // Removals come last, so that a move is one.
        let (gone, there): (Vec<&Change>, Vec<&Change>) =
            commit.changes.iter().partition(|change| !change.is_file());
        for change in there.into_iter().chain(gone) {
            if !seen.insert(&change.path) {
                continue;
            }
            if change.is_file() {
                self.put(commit, at, change, beside);
            } else if let Some(line) = self.at.remove(&change.path) {
                let by = beside.iter().rev().find(|beside| beside.takes_away(&change.path));
                self.push(line, commit, at, by, &change.path, None);
            }
        }
        self.commits += 1;
    }

    fn put(&mut self, commit: &Commit, at: i64, change: &Change, beside: &[Commit]) {
        let (brought, before) = brought_by(beside, &change.path);
        // A branch may have moved a file and changed it so much that the merge as a whole does not look like a move.
        let moved = match change.status {
            b'R' => change.from.as_ref(),
            _ => Some(&before).filter(|before| commit.takes_away(before)),
        };
        let line = match self.at.get(&change.path) {
            Some(line) => *line,
            None => match moved.and_then(|from| self.at.remove(from)) {
                Some(line) => line,
                None => {
                    self.lines.push(Vec::new());
                    self.lines.len() - 1
                }
            },
        };
        self.at.insert(change.path.clone(), line);
        if let Some(from) = self.leaves(line, moved, &change.path) {
            let by = beside.iter().rev().find(|beside| beside.takes_away(from));
            self.push(line, commit, at, by, &change.path, None);
            return;
        }
        let is_brought = brought.last().is_some_and(|(_, blob)| **blob == change.blob);
        for (by, blob) in brought {
            self.push(line, commit, at, Some(by), &change.path, Some(blob.clone()));
        }
        if !is_brought {
            self.push(line, commit, at, None, &change.path, Some(change.blob.clone()));
        }
    }

    /// The path a file had if it leaves the directory by a move to another. Whoever took it from there took it away: what was
    /// written elsewhere since is nothing of this directory.
    fn leaves<'p>(&self, line: usize, moved: Option<&'p Vec<u8>>, to: &[u8]) -> Option<&'p Vec<u8>> {
        let stands = self.lines[line].iter().rev().find(|step| step.path.is_some())?.blob.is_some();
        moved.filter(|_| stands && !matches!(self.place_of(to), Place::Inside(_)))
    }

    /// Adds a version to a line. `by` is the commit that wrote it, where that is not the one it came with.
    fn push(
        &mut self,
        line: usize,
        commit: &Commit,
        at: i64,
        by: Option<&Commit>,
        path: &[u8],
        blob: Option<String>,
    ) {
        let place = self.place_of(path);
        let steps = &self.lines[line];
        let stands = steps.iter().rev().find_map(|step| Some((step.path.clone()?, step.blob.is_some())));
        let (path_in_store, blob) = match (place, stands) {
            (Place::Inside(path), _) => (Some(path), blob),
            // It leaves the directory.
            (_, Some((path, true))) => (Some(path), None),
            (Place::Outside, None) if blob.is_some() => (None, blob),
            // Nothing is told of what the rules leave out, nor of what went and is elsewhere.
            _ => return,
        };
        // A change of the mode alone.
        if steps
            .last()
            .is_some_and(|last| last.blob.is_some() && last.blob == blob && last.path == path_in_store)
        {
            return;
        }
        let writer = by.unwrap_or(commit);
        let mut note = format!("{} ({})", writer.subject, short(&writer.id));
        if by.is_some() {
            note.push_str(&say::merged(short(&commit.id)));
        }
        if path_in_store.is_none() {
            note.push_str(&say::then(text(path)));
        }
        self.lines[line].push(Step {
            path: path_in_store,
            commit: self.commits,
            at,
            written: by.map(|by| by.at),
            actor: Actor::User { id: writer.author.clone() },
            note,
            blob,
        });
    }

    fn place_of(&self, path: &[u8]) -> Place {
        match self.place.in_store(path) {
            None => Place::Outside,
            Some(path) if is_left_out(self.rules, &path) => Place::LeftOut,
            Some(path) => Place::Inside(path),
        }
    }

    /// The lines of what was in the directory. Versions from elsewhere stand where their file came in. They keep their time
    /// where the directory itself came in with them; else they come with the move, since the directory did not hold them.
    pub(super) fn lines(self) -> Vec<Vec<Pending>> {
        let first_inside = |line: &Vec<Step>| line.iter().position(|step| step.path.is_some());
        let came = |line: &Vec<Step>| first_inside(line).map(|first| line[first].commit);
        let began = self.lines.iter().filter_map(came).min();
        let mut lines = Vec::new();
        for line in self.lines {
            let Some(first) = first_inside(&line) else { continue };
            let (commit, moved_at, into) = (line[first].commit, line[first].at, line[first].path.clone());
            let keeps_time = Some(commit) == began;
            let past_history = line.into_iter().filter_map(|step| {
                let is_outside = step.path.is_none();
                let comes_late = is_outside && !keeps_time;
                let (at, written) = if comes_late {
                    (moved_at, step.written.or(Some(step.at)))
                } else {
                    (step.at, step.written)
                };
                Some(Pending {
                    path: step.path.or_else(|| into.clone())?,
                    at: Timestamp::from_micros(at),
                    written_at: written.map(Timestamp::from_micros),
                    actor: step.actor,
                    note: step.note,
                    blob: step.blob,
                })
            });
            lines.push(past_history.collect());
        }
        lines
    }
}

impl Commit {
    /// True if the file at a path is gone after it.
    fn takes_away(&self, path: &[u8]) -> bool {
        self.changes.iter().any(|change| {
            (change.path == path && !change.is_file())
                || (change.status == b'R' && change.from.as_deref() == Some(path))
        })
    }
}

/// The contents that commits beside the line gave the file that a merge has at a path, oldest first, back through its renames
/// among them; and its path before them.
fn brought_by<'c>(beside: &'c [Commit], path: &[u8]) -> (Vec<(&'c Commit, &'c String)>, Vec<u8>) {
    let mut path = path.to_vec();
    let mut brought = Vec::new();
    for commit in beside.iter().rev() {
        let Some(change) = commit.changes.iter().find(|change| change.path == path) else { continue };
        if !change.is_file() {
            break;
        }
        brought.push((commit, &change.blob));
        if let Some(from) = change.from.as_ref().filter(|_| change.status == b'R') {
            path.clone_from(from);
        }
    }
    brought.reverse();
    (brought, path)
}

fn short(id: &str) -> &str {
    id.get(..SHORT).unwrap_or(id)
}

/// Makes times follow the order of what they are of, with as few of them changed as can be: clocks differ, and one that
/// was wrong once must not move what came after it. A time that is out of order becomes that of the one before it, or
/// of the first that is in order.
pub(super) fn put_in_order(times: &mut [i64]) {
    // The longest row of times that do not fall: for each length the place of the smallest time that ends one.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(times.len());
    for (place, time) in times.iter().enumerate() {
        let length = ends.partition_point(|end| times[*end] <= *time);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() {
            ends.push(place);
        } else {
            ends[length] = place;
        }
    }
    let mut in_order = vec![false; times.len()];
    let mut place = ends.last().copied();
    while let Some(at) = place {
        in_order[at] = true;
        place = before[at];
    }
    let first = in_order.iter().position(|in_order| *in_order);
    let mut last = first.map_or(0, |first| times[first]);
    for (time, in_order) in times.iter_mut().zip(in_order) {
        if in_order {
            last = *time;
        } else {
            *time = last;
        }
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "follow";
    merged(id) => ", merged in {id}",
    then(path) => ", then at {path}",
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn change(status: u8, from: Option<&str>, path: &str, blob: &str) -> Change {
        let mode = if status == b'D' { b"000000" } else { b"100644" };
        let from = from.map(|from| from.as_bytes().to_vec());
        Change { status, mode: mode.to_vec(), blob: blob.to_owned(), from, path: path.as_bytes().to_vec() }
    }

    fn commit(at: i64, changes: Vec<Change>) -> Commit {
        let (id, subject) = (format!("{at:040}"), format!("c{at}"));
        Commit { id, parents: Vec::new(), at, author: "Ada".to_owned(), subject, changes }
    }

    /// What stands at each of `times`, and the notes of what ends something.
    fn followed(commits: &[(Commit, Vec<Commit>)], times: &[i64]) -> (Vec<Vec<String>>, Vec<String>) {
        let place =
            GitPlace { top: PathBuf::new(), inside: b"memory".to_vec(), is_directory: true, below: None };
        let rules = Rules::default();
        let mut history = History::new(&place, &rules);
        for (commit, beside) in commits {
            history.follow(commit, commit.at, beside);
        }
        let lines = history.lines();
        let state = |time: &i64| {
            let stands = |line: &Vec<Pending>| {
                let last = line.iter().rev().find(|version| version.at.micros() <= *time)?;
                last.blob.as_ref().map(|blob| format!("{} {blob}", last.path.to_text()))
            };
            lines.iter().filter_map(stands).collect()
        };
        let ends = lines.iter().flatten().filter(|version| version.blob.is_none());
        (times.iter().map(state).collect(), ends.map(|version| version.note.clone()).collect())
    }

    #[test]
    fn what_a_branch_took_out_of_the_directory_is_gone_with_the_merge() {
        let start = || (commit(1, vec![change(b'A', None, "memory/g.md", "x")]), vec![]);
        let out = |to: &str| change(b'R', Some("memory/g.md"), to, "x");
        let copied = || commit(2, vec![change(b'A', None, "other/b.md", "x")]);
        let took = || commit(3, vec![change(b'D', None, "memory/g.md", "")]);
        for (name, to, beside, by) in [
            ("moved out", "other/b.md", vec![commit(3, vec![out("other/b.md")])], "c3 "),
            ("hidden", "memory/.g.md", vec![commit(3, vec![out("memory/.g.md")])], "c3 "),
            ("copied, then deleted", "other/b.md", vec![copied(), took()], "c3 "),
            ("copied, and deleted by the merge", "other/b.md", vec![copied()], "c4 "),
            ("moved by the merge alone", "other/b.md", vec![], "c4 "),
            (
                "moved out and changed",
                "other/b.md",
                vec![
                    commit(2, vec![out("other/b.md")]),
                    commit(3, vec![change(b'M', None, "other/b.md", "x")]),
                ],
                "c2 ",
            ),
        ] {
            let merge = commit(4, vec![out(to)]);
            let back = commit(5, vec![change(b'R', Some(to), "memory/h.md", "x")]);
            let (states, ends) = followed(&[start(), (merge, beside), (back, vec![])], &[1, 4, 5]);
            assert_eq!(states, [vec!["g.md x"], vec![], vec!["h.md x"]], "{name}");
            assert!(matches!(ends.as_slice(), [end] if end.starts_with(by)), "{name}: {ends:?}");
        }
    }

    #[test]
    fn a_change_of_the_mode_alone_is_no_version_and_a_file_of_the_directorys_name_is_none_of_it() {
        let first = commit(1, vec![change(b'A', None, "memory", "m")]);
        let made = commit(2, vec![change(b'D', None, "memory", ""), change(b'A', None, "memory/a.md", "x")]);
        let mode = commit(3, vec![change(b'M', None, "memory/a.md", "x")]);
        let place =
            GitPlace { top: PathBuf::new(), inside: b"memory".to_vec(), is_directory: true, below: None };
        let rules = Rules::default();
        let mut history = History::new(&place, &rules);
        for one in [first, made, mode] {
            history.follow(&one, one.at, &[]);
        }
        let lines = history.lines();
        let told: Vec<_> = lines.iter().flatten().map(|one| (one.path.to_text(), one.note.clone())).collect();
        assert_eq!(told, [("a.md".to_owned(), format!("c2 ({})", "0".repeat(10)))]);
    }

    #[test]
    fn what_a_branch_wrote_elsewhere_comes_in_with_the_move() {
        let written = commit(2, vec![change(b'A', None, "other/b.md", "x")]);
        let merge = commit(3, vec![change(b'A', None, "other/b.md", "x")]);
        let first = commit(1, vec![change(b'A', None, "memory/k.md", "k")]);
        let into = commit(4, vec![change(b'R', Some("other/b.md"), "memory/b.md", "y")]);
        let commits = [(first, vec![]), (merge, vec![written]), (into, vec![])];
        let (states, _) = followed(&commits, &[3, 4]);
        assert_eq!(states, [vec!["k.md k"], vec!["k.md k", "b.md y"]]);
    }

    #[test]
    fn a_clock_that_was_wrong_once_moves_nothing_else() {
        for (times, expected) in [
            (vec![], vec![]),
            (vec![5], vec![5]),
            (vec![1, 2, 2, 3], vec![1, 2, 2, 3]),
            (vec![1, 2, 99, 3, 4], vec![1, 2, 2, 3, 4]),
            (vec![10, 11, 0, 12], vec![10, 11, 11, 12]),
            (vec![99, 1, 2, 3], vec![1, 1, 2, 3]),
            (vec![3, 2, 1], vec![1, 1, 1]),
        ] {
            let mut ordered = times.clone();
            put_in_order(&mut ordered);
            assert_eq!(ordered, expected, "{times:?}");
        }
    }
}
