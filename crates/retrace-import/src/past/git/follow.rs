//! From commits to lines of versions: what each file of the directory was, in the order in which it came to stand there.
//!
//! The state of the directory at the time of a commit must be the commit's own. So a version stands from when its content came
//! into the directory: what was written on a branch with the merge, what was written elsewhere with the move, each just before
//! it and with its own date. Of several versions of a file at one instant the last counts.

use super::ancestry::{Ancestry, File};
use super::{Change, Commit, GitPlace, is_left_out, text};
use retrace_model::{Actor, RelPath, Rules, Timestamp};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Characters of a commit's name in a note.
const SHORT: usize = 10;

/// A version whose content is not read yet.
pub(super) struct Pending {
    pub(super) name: u64,
    /// Names of what it was made from, where that may be others than the one before it, in the order of parents.
    pub(super) made_from: Option<Vec<u64>>,
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
    made_from: Option<Vec<StepAt>>,
}

/// A step: the place of its line, and its own there.
type StepAt = (usize, usize);

/// Follows files through commits.
pub(super) struct History<'a> {
    place: &'a GitPlace,
    rules: &'a Rules,
    ancestry: &'a Ancestry,
    /// The step that a file of a commit is; `None` where there is none of it.
    steps: HashMap<File, Option<StepAt>>,
    lines: Vec<Vec<Step>>,
    /// The line of each file that is there, by its path in the repository.
    at: HashMap<Vec<u8>, usize>,
    commits: usize,
}

impl<'a> History<'a> {
    pub(super) fn new(place: &'a GitPlace, rules: &'a Rules, ancestry: &'a Ancestry) -> Self {
        let (steps, lines, at) = (HashMap::new(), Vec::new(), HashMap::new());
        Self { place, rules, ancestry, steps, lines, at, commits: 0 }
    }

    /// Goes on with the next commit. `at` is when it came to stand.
    pub(super) fn follow(&mut self, commit: &Commit, at: i64) {
        let place = self.ancestry.place(commit);
        let beside = place.map(|place| self.ancestry.brought(place)).unwrap_or_default();
        let mut seen: BTreeSet<&[u8]> = BTreeSet::new();
        // Removals come last, so that a move is one.
        let (gone, there): (Vec<&Change>, Vec<&Change>) =
            commit.changes.iter().partition(|change| !change.is_file());
        for change in there.into_iter().chain(gone) {
            if !seen.insert(&change.path) {
                continue;
            }
            if change.is_file() {
                self.put(commit, at, change, place, &beside);
            } else if let Some(line) = self.at.remove(&change.path) {
                let by = self.took_away(&beside, &change.path);
                self.push(line, commit, at, by, &change.path, (None, None));
            }
        }
        self.commits += 1;
    }

    /// The newest of the commits that a merge brings in that took away the file at a path.
    fn took_away(&self, beside: &[usize], path: &[u8]) -> Option<&'a Commit> {
        let by = beside.iter().rev().find(|beside| self.ancestry.takes_away(**beside, path));
        by.map(|by| self.ancestry.commit(*by))
    }

    fn put(&mut self, commit: &Commit, at: i64, change: &Change, place: Option<usize>, beside: &[usize]) {
        let file = place.map(|place| (place, change.path.clone()));
        let origin = file.map(|file| self.ancestry.origin(file));
        let brought = match &origin {
            Some(origin) if commit.parents.len() > 1 => self.brought(origin),
            _ => Brought::default(),
        };
        let stood = match change.status {
            b'R' => change.from.clone(),
            _ => self.moved_beside(commit, &brought.before),
        };
        let moved = stood.as_ref();
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
            let by = self.took_away(beside, from);
            self.push(line, commit, at, by, &change.path, (None, None));
            // What was written elsewhere since is nothing of this directory.
            for file in brought.files.into_iter().chain(origin) {
                self.steps.entry(file).or_insert(None);
            }
            return;
        }
        for file in &brought.files {
            // What the merge made itself comes last, and is its own.
            if Some(file.0) != place {
                let by = self.ancestry.commit(file.0);
                let content = (self.ancestry.blob(file).cloned(), Some(self.made_from(file)));
                let step = self.push(line, commit, at, Some(by), &change.path, content);
                self.steps.insert(file.clone(), step);
            }
        }
        let Some(origin) = origin else {
            self.push(line, commit, at, None, &change.path, (Some(change.blob.clone()), None));
            return;
        };
        if Some(origin.0) != place && brought.files.contains(&origin) {
            return;
        }
        let is_merge = commit.parents.len() > 1;
        let made_from = is_merge.then(|| match self.steps.get(&origin) {
            // It is what stood elsewhere or before as a whole.
            Some(step) if Some(origin.0) != place => step.iter().copied().collect(),
            _ => self.made_from(&origin),
        });
        let step = self.push(line, commit, at, None, &change.path, (Some(change.blob.clone()), made_from));
        if Some(origin.0) == place {
            self.steps.insert(origin, step);
        }
    }

    /// Versions that came with a merge of the file that a file of it is, oldest first, and what stood before them.
    fn brought(&self, origin: &File) -> Brought {
        let mut brought = Brought::default();
        let mut seen = HashSet::new();
        let mut left = vec![origin.clone()];
        while let Some(file) = left.pop() {
            if !seen.insert(file.clone()) {
                continue;
            }
            match self.steps.get(&file) {
                Some(step) => brought.before.extend(step.map(|(line, _)| line)),
                None => {
                    left.extend(self.ancestry.made_from(&file));
                    brought.files.push(file);
                }
            }
        }
        brought.files.sort_unstable();
        brought
    }

    /// The path that one of the files stands at from which the parts of another came, where a merge took it away from there. A
    /// branch may have moved a file and changed it so much that the merge as a whole does not look like a move.
    fn moved_beside(&self, commit: &Commit, lines: &BTreeSet<usize>) -> Option<Vec<u8>> {
        let gone = |change: &'_ Change| match change.status {
            b'R' => change.from.clone(),
            _ => Some(&change.path).filter(|_| !change.is_file()).cloned(),
        };
        let is_one = |path: &Vec<u8>| self.at.get(path).is_some_and(|line| lines.contains(line));
        let changes = commit.changes.iter().filter(|_| !lines.is_empty());
        changes.filter_map(gone).find(is_one)
    }

    /// The steps that a file was made from.
    fn made_from(&self, file: &File) -> Vec<StepAt> {
        let from = self.ancestry.made_from(file);
        from.iter().filter_map(|file| self.steps.get(file).copied().flatten()).collect()
    }

    /// The path a file had if it leaves the directory by a move to another. Whoever took it from there took it away: what was
    /// written elsewhere since is nothing of this directory.
    fn leaves<'p>(&self, line: usize, moved: Option<&'p Vec<u8>>, to: &[u8]) -> Option<&'p Vec<u8>> {
        let stands = self.lines[line].iter().rev().find(|step| step.path.is_some())?.blob.is_some();
        moved.filter(|_| stands && !matches!(self.place_of(to), Place::Inside(_)))
    }

    /// Adds a version to a line: its content, and what it was made from where that is known to be others than the one before. `by` is
    /// the commit that wrote it, where that is not the one it came with. Answers the step that is it then.
    fn push(
        &mut self,
        line: usize,
        commit: &Commit,
        at: i64,
        by: Option<&Commit>,
        path: &[u8],
        (blob, made_from): (Option<String>, Option<Vec<StepAt>>),
    ) -> Option<StepAt> {
        let place = self.place_of(path);
        let steps = &self.lines[line];
        let stands = steps.iter().rev().find_map(|step| Some((step.path.clone()?, step.blob.is_some())));
        let (path_in_store, blob) = match (place, stands) {
            (Place::Inside(path), _) => (Some(path), blob),
            // It leaves the directory.
            (_, Some((path, true))) => (Some(path), None),
            (Place::Outside, None) if blob.is_some() => (None, blob),
            // Nothing is told of what the rules leave out, nor of what went and is elsewhere.
            _ => return None,
        };
        // A change of the mode alone.
        if steps
            .last()
            .is_some_and(|last| last.blob.is_some() && last.blob == blob && last.path == path_in_store)
        {
            return Some((line, self.lines[line].len() - 1));
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
            made_from,
        });
        Some((line, self.lines[line].len() - 1))
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
        for (place, line) in self.lines.into_iter().enumerate() {
            let Some(first) = first_inside(&line) else { continue };
            let (commit, moved_at, into) = (line[first].commit, line[first].at, line[first].path.clone());
            let keeps_time = Some(commit) == began;
            let past_history = line.into_iter().enumerate().filter_map(|(at_step, step)| {
                let is_outside = step.path.is_none();
                let comes_late = is_outside && !keeps_time;
                let (at, written) = if comes_late {
                    (moved_at, step.written.or(Some(step.at)))
                } else {
                    (step.at, step.written)
                };
                Some(Pending {
                    name: name((place, at_step)),
                    made_from: step.made_from.map(|from| from.into_iter().map(name).collect()),
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

/// What a merge brings in of a file.
#[derive(Default)]
struct Brought {
    /// Files of commits that made it what it is and came with the merge, parents first.
    files: Vec<File>,
    /// Lines of what those were made from.
    before: BTreeSet<usize>,
}

/// The name of a step.
fn name((line, step): StepAt) -> u64 {
    ((line as u64) << 32) | step as u64
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
        let before = (status != b'A').then(|| "before".to_owned());
        let from = from.map(|from| from.as_bytes().to_vec());
        Change {
            status,
            mode: mode.to_vec(),
            blob: blob.to_owned(),
            before,
            from,
            path: path.as_bytes().to_vec(),
        }
    }

    fn commit(at: i64, changes: Vec<Change>) -> Commit {
        let (id, subject) = (format!("{at:040}"), format!("c{at}"));
        Commit { id, parents: Vec::new(), at, author: "Ada".to_owned(), subject, changes }
    }

    /// A commit of the main line, what it brought in with it, and what it changed against that.
    type Step = (Commit, Vec<Commit>, Vec<Change>);

    fn ancestry(steps: Vec<Step>) -> (Vec<Commit>, Ancestry) {
        let (mut main, mut all, mut merges): (Vec<Commit>, Vec<Commit>, _) =
            (Vec::new(), Vec::new(), HashMap::new());
        for (mut commit, beside, changes) in steps {
            let first = main.last().map(|first| first.id.clone());
            let mut tip = first.clone();
            for mut one in beside {
                one.parents.extend(tip.replace(one.id.clone()));
                all.push(one);
            }
            if tip != first {
                merges.insert((commit.id.clone(), first.clone().unwrap()), commit.changes.clone());
                merges.insert((commit.id.clone(), tip.clone().unwrap()), changes);
            }
            commit.parents =
                first.clone().into_iter().chain(tip.filter(|tip| Some(tip) != first.as_ref())).collect();
            all.push(commit.clone());
            main.push(commit);
        }
        let ids: Vec<String> = main.iter().map(|commit| commit.id.clone()).collect();
        (main, Ancestry::of(all, merges, ids.iter().map(String::as_str)))
    }

    /// What stands at each of `times`, and the notes of what ends something.
    fn followed(steps: Vec<Step>, times: &[i64]) -> (Vec<Vec<String>>, Vec<String>) {
        let place =
            GitPlace { top: PathBuf::new(), inside: b"memory".to_vec(), is_directory: true, below: None };
        let rules = Rules::default();
        let (commits, ancestry) = ancestry(steps);
        let mut history = History::new(&place, &rules, &ancestry);
        for commit in &commits {
            history.follow(commit, commit.at);
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
        let start = || (commit(1, vec![change(b'A', None, "memory/g.md", "x")]), vec![], vec![]);
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
            let against = if name == "copied, and deleted by the merge" {
                vec![change(b'D', None, "memory/g.md", "")]
            } else {
                vec![]
            };
            let steps = vec![start(), (merge, beside, against), (back, vec![], vec![])];
            let (states, ends) = followed(steps, &[1, 4, 5]);
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
        let ancestry = Ancestry::default();
        let mut history = History::new(&place, &rules, &ancestry);
        for one in [first, made, mode] {
            history.follow(&one, one.at);
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
        let steps = vec![(first, vec![], vec![]), (merge, vec![written], vec![]), (into, vec![], vec![])];
        let (states, _) = followed(steps, &[3, 4]);
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
