//! Whoever wrote a line on a branch is named for it after a merge, as git names them. Histories are made at random: branches of
//! branches, merges of many, merges that change something themselves, that take one side of what both changed or keep what one
//! side deleted, renames on any side, reverts, and times equal to the second. Every commit has a writer of its own.
//!
//! Lines of a file have an order that no commit changes, and no two are equal, so that there is one way to compare contents.

use crate::git_states::{FOLDER, Git, Random, add_store, commits_of, import, state_at, versions};
use crate::rebuilt::Repository;
use retrace_api::{commands, wire};
use retrace_model::Timestamp;
use retrace_tests::World;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A file: where it is, and its lines by their place in the order.
#[derive(Clone, PartialEq)]
struct File {
    path: String,
    lines: BTreeMap<u64, String>,
}

/// Files by what they are, wherever they are.
type Tree = BTreeMap<usize, File>;

/// A commit that is made.
struct Made {
    tree: Tree,
    /// It and all before it.
    with_before: BTreeSet<usize>,
}

/// Makes a history, and the stream that git makes it from.
struct Maker {
    random: Random,
    stream: String,
    words: usize,
    files: usize,
    clock: i64,
    made: Vec<Made>,
    /// Newest commits of branches; the first is the main one.
    tips: Vec<usize>,
}

impl Maker {
    fn new(seed: u64) -> Self {
        let mut maker = Self {
            random: Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
            stream: String::new(),
            words: 0,
            files: 0,
            // 2026-11-01T00:00:00Z
            clock: 1_793_491_200,
            made: Vec::new(),
            tips: Vec::new(),
        };
        let mut tree = Tree::new();
        for _ in 0..3 {
            maker.add(&mut tree);
        }
        let first = maker.commit("main", tree, &[]);
        maker.tips.push(first);
        maker
    }

    fn line(&mut self) -> String {
        self.words += 1;
        format!("word{} is to be remembered {}", self.words, self.random.next() % 1000)
    }

    fn name(&mut self) -> String {
        self.files += 1;
        let folder = self.random.pick(&["", "topics/", "a b/c/"]).copied().unwrap_or_default();
        format!("{folder}n{}.md", self.files)
    }

    fn add(&mut self, tree: &mut Tree) {
        let path = self.name();
        let count = 5 + self.random.below(7) as u64;
        let lines = (1..=count).map(|place| (place << 48, self.line())).collect();
        tree.insert(self.files, File { path, lines });
    }

    fn change(&mut self, file: &mut File) {
        for _ in 0..=self.random.below(2) {
            let places: Vec<u64> = file.lines.keys().copied().collect();
            let at = self.random.below(places.len() + 1);
            let before = at.checked_sub(1).map_or(0, |at| places[at]);
            let after = places.get(at).copied().unwrap_or(before + (2 << 48));
            match self.random.below(3) {
                0 if places.len() > 4 => drop(file.lines.remove(&places[at.min(places.len() - 1)])),
                1 if after - before > 2 && at < places.len() => {
                    file.lines.remove(&after);
                    let line = self.line();
                    file.lines.insert(before + (after - before) / 2, line);
                }
                _ if after - before > 2 => {
                    let line = self.line();
                    file.lines.insert(before + (after - before) / 2, line);
                }
                _ => {}
            }
        }
    }

    fn pick_file(&mut self, tree: &Tree) -> Option<usize> {
        let files: Vec<usize> = tree.keys().copied().collect();
        self.random.pick(&files).copied()
    }

    /// Makes what a file was at a commit before the file again.
    fn revert(&mut self, tree: &mut Tree, tip: usize) {
        let before: Vec<usize> = self.made[tip].with_before.iter().copied().collect();
        let Some(then) = self.random.pick(&before).copied() else { return };
        let then = self.made[then].tree.clone();
        let Some(file) = self.pick_file(&then) else { return };
        let is_taken = tree.iter().any(|(id, other)| *id != file && other.path == then[&file].path);
        if !is_taken {
            tree.insert(file, then[&file].clone());
        }
    }

    fn edit(&mut self, tree: &mut Tree, tip: Option<usize>) {
        let Some(file) = self.pick_file(tree) else { return self.add(tree) };
        match (self.random.below(12), tip) {
            (0, _) => self.add(tree),
            (1 | 2, _) => {
                let path = self.name();
                let mut moved = tree[&file].clone();
                moved.path = path;
                if self.random.one_in(2) {
                    self.change(&mut moved);
                }
                tree.insert(file, moved);
            }
            (3, _) if tree.len() > 2 => drop(tree.remove(&file)),
            (4, Some(tip)) => self.revert(tree, tip),
            _ => {
                let mut changed = tree[&file].clone();
                self.change(&mut changed);
                tree.insert(file, changed);
            }
        }
    }

    fn commit(&mut self, branch: &str, tree: Tree, parents: &[usize]) -> usize {
        let number = self.made.len();
        self.clock += self.random.pick(&[0, 0, 0, 1, 60]).copied().unwrap_or(1);
        let (at, mark) = (self.clock, number + 1);
        let subject = format!("Step {number}");
        self.stream.push_str(&format!(
            "commit refs/heads/{branch}\nmark :{mark}\nauthor W{number} <w{number}@example.org> {at} +0000\n\
             committer W{number} <w{number}@example.org> {at} +0000\ndata {}\n{subject}\n",
            subject.len()
        ));
        for (place, parent) in parents.iter().enumerate() {
            let word = if place == 0 { "from" } else { "merge" };
            self.stream.push_str(&format!("{word} :{}\n", parent + 1));
        }
        self.stream.push_str("deleteall\n");
        for file in tree.values() {
            let text: String = file.lines.values().map(|line| format!("{line}\n")).collect();
            self.stream.push_str(&format!(
                "M 100644 inline \"{FOLDER}/{}\"\ndata {}\n{text}\n",
                file.path,
                text.len()
            ));
        }
        let mut with_before = BTreeSet::from([number]);
        for parent in parents {
            with_before.extend(&self.made[*parent].with_before);
        }
        self.made.push(Made { tree, with_before });
        number
    }

    /// One file after a merge, given what it was before both sides, and on each.
    fn merged_file(
        &mut self,
        base: Option<&File>,
        ours: Option<&File>,
        theirs: Option<&File>,
    ) -> Option<File> {
        if theirs == base {
            return ours.cloned();
        }
        if ours == base {
            return theirs.cloned();
        }
        let (Some(ours), Some(theirs)) = (ours, theirs) else {
            // One side changed what the other deleted.
            let kept = ours.or(theirs).cloned();
            return if self.random.one_in(3) { None } else { kept };
        };
        match self.random.below(10) {
            0 | 1 => return Some(ours.clone()),
            2 | 3 => return Some(theirs.clone()),
            _ => {}
        }
        let none = File { path: String::new(), lines: BTreeMap::new() };
        let base = base.unwrap_or(&none);
        let path = if theirs.path == base.path { &ours.path } else { &theirs.path };
        let mut merged = File { path: path.clone(), lines: ours.lines.clone() };
        for (place, line) in &theirs.lines {
            if base.lines.get(place) != Some(line) {
                merged.lines.insert(*place, line.clone());
            }
        }
        merged.lines.retain(|place, line| {
            base.lines.get(place) != Some(line) || theirs.lines.get(place) == Some(line)
        });
        if self.random.one_in(5) {
            self.change(&mut merged);
        }
        Some(merged)
    }

    fn merge(&mut self, ours: usize, others: &[usize]) -> Tree {
        let mut tree = self.made[ours].tree.clone();
        let mut before = self.made[ours].with_before.clone();
        for other in others {
            let both = before.intersection(&self.made[*other].with_before).max().copied();
            let base = both.map_or_else(Tree::new, |both| self.made[both].tree.clone());
            let theirs = self.made[*other].tree.clone();
            let files: BTreeSet<usize> = tree.keys().chain(theirs.keys()).copied().collect();
            let mut merged = Tree::new();
            for file in files {
                let found = self.merged_file(base.get(&file), tree.get(&file), theirs.get(&file));
                if let Some(found) = found
                    && !merged.values().any(|known: &File| known.path == found.path)
                {
                    merged.insert(file, found);
                }
            }
            tree = merged;
            before.extend(&self.made[*other].with_before);
        }
        if self.random.one_in(12) {
            self.edit(&mut tree, None);
        }
        tree
    }

    fn step(&mut self) {
        let on = self.random.below(self.tips.len());
        let tip = self.tips[on];
        let branch = if on == 0 { "main".to_owned() } else { format!("b{}", self.made.len()) };
        let others: Vec<usize> = self.tips.iter().copied().filter(|other| *other != tip).collect();
        match self.random.below(10) {
            0 | 1 if self.tips.len() < 5 => {
                let old: Vec<usize> = self.made[tip].with_before.iter().rev().take(6).copied().collect();
                let from = self.random.pick(&old).copied().unwrap_or(tip);
                self.tips.push(from);
            }
            2 | 3 if !others.is_empty() => {
                let first = self.random.below(others.len());
                let mut with = vec![others[first]];
                if self.random.one_in(3) {
                    with.extend(others.get(first + 1).filter(|other| **other != with[0]));
                }
                with.retain(|other| !self.made[tip].with_before.contains(other));
                if with.is_empty() {
                    return;
                }
                let tree = self.merge(tip, &with);
                let parents: Vec<usize> = std::iter::once(tip).chain(with.iter().copied()).collect();
                self.tips[on] = self.commit(&branch, tree, &parents);
                if on == 0 && self.random.one_in(2) {
                    self.tips.retain(|tip| !with.contains(tip));
                }
            }
            _ => {
                let mut tree = self.made[tip].tree.clone();
                self.edit(&mut tree, Some(tip));
                if tree != self.made[tip].tree {
                    self.tips[on] = self.commit(&branch, tree, &[tip]);
                }
            }
        }
    }

    /// Brings all branches in.
    fn end(&mut self) {
        let main = self.tips[0];
        let mut others = self.tips.split_off(1);
        others.retain(|other| !self.made[main].with_before.contains(other));
        others.dedup();
        if !others.is_empty() {
            let tree = self.merge(main, &others);
            let parents: Vec<usize> = std::iter::once(main).chain(others).collect();
            self.tips[0] = self.commit("main", tree, &parents);
        }
    }
}

/// Lines that were compared, and what of them git says otherwise.
#[derive(Default)]
struct Compared {
    lines: usize,
    states: usize,
    words: usize,
    /// Lines that a commit moved from one file to another: they are followed on, which git does when it is asked to.
    moved: usize,
    /// The commit that wrote each version.
    commits: HashMap<String, String>,
    otherwise: Vec<String>,
}

impl Compared {
    fn blames(&mut self, world: &World, git: &Git<'_>, commit: &str, at: Option<&str>, label: &str) {
        for path in git.state(commit).keys() {
            let target = at.map_or_else(|| format!("kept:{path}"), |at| format!("kept:{path}@{at}"));
            let blame = commands::blame(&world.app, wire::BlameReq { target, job: None }).expect("a blame");
            let right = git.blame(commit, path);
            assert_eq!(blame.lines.len(), right.len(), "{label}: {path}");
            for (line, (id, _)) in blame.lines.iter().zip(right) {
                let version = &blame.versions[line.version.expect("a version") as usize];
                let (own, _) = commits_of(version.note.as_deref().expect("a note"));
                self.lines += 1;
                if self.lines.is_multiple_of(40) {
                    self.finds(world, git, (&line.text, &id), label);
                }
                let has_moved = || version.moved_from.is_some() && git.had(&id, &line.text);
                if own != id && has_moved() {
                    self.moved += 1;
                } else if own != id {
                    self.otherwise.push(format!("{label}: {path}: {} is of {id}, not of {own}", line.text));
                }
            }
        }
    }
}

impl Compared {
    /// Looks for the word of a line that nothing else has: the commit that wrote it is found. One that brought it back after
    /// another had taken it away may be missed (`docs/decisions/0007-rebuilt-versions.md`).
    fn finds(&mut self, world: &World, git: &Git<'_>, (line, id): (&str, &str), label: &str) {
        let word = line.split(' ').next().expect("a word");
        let with_word = format!("-S{word} ");
        let all = git.lines(&["log", "--reverse", "--topo-order", "--format=%H", &with_word, "main"]);
        if !all.first().is_some_and(|first| first.starts_with(id)) {
            return;
        }
        let (query, store) = (word.to_owned(), Some("kept".to_owned()));
        let request = wire::SearchReq { query, history: true, store, limit: None };
        let hits = commands::search(&world.app, request).expect("a search").hits;
        let found = hits.iter().any(|hit| self.commits.get(&hit.version_id).is_some_and(|own| own == id));
        self.words += 1;
        if !found {
            self.otherwise.push(format!("{label}: {word} is not found at {id}"));
        }
    }
}

fn compare(seed: u64, steps: usize, compared: &mut Compared) {
    let world = World::new();
    let Some(repository) = Repository::new(world.path("repository")) else { return };
    let mut maker = Maker::new(seed);
    while maker.made.len() < steps {
        maker.step();
    }
    maker.end();
    repository.stream(maker.stream.as_bytes());
    add_store(&world, "kept", std::iter::empty());
    import(&world, &repository, "kept");
    let own = |version: wire::Version| Some((version.id, commits_of(&version.note?.to_string()).0));
    compared.commits = versions(&world, "kept").into_iter().filter_map(own).collect();
    let git = Git::new(&repository);
    let commits = git.commits();
    let name = format!("history {seed} of {steps}");
    for (place, commit) in commits.iter().enumerate() {
        if commits.get(place + 1).is_some_and(|next| next.at == commit.at) {
            continue;
        }
        let at = Timestamp::from_micros(commit.at * 1_000_000).to_rfc3339();
        let label = format!("{name}, commit {place} of {} ({})", commits.len(), commit.id);
        assert_eq!(state_at(&world, "kept", &at), git.state(&commit.id), "{label}: its state at {at}");
        compared.states += 1;
        if place % 4 == 0 || place + 1 == commits.len() {
            compared.blames(&world, &git, &commit.id, Some(&at), &label);
        }
    }
    assert_eq!(import(&world, &repository, "kept").versions, 0, "{name}: nothing comes in twice");
    world.verify();
}

#[test]
fn every_line_is_of_the_commit_that_git_names() {
    // `RETRACE_MERGES=SEEDSxSTEPS` looks at more and at longer ones.
    let asked = std::env::var("RETRACE_MERGES").ok();
    let asked = asked.as_deref().and_then(|asked| asked.split_once('x'));
    let (seeds, steps): (u64, usize) = asked.map_or((12, 40), |(seeds, steps)| {
        (seeds.parse().expect("a number"), steps.parse().expect("a number"))
    });
    let mut compared = Compared::default();
    for seed in 1..=seeds {
        compare(seed, steps, &mut compared);
    }
    let Compared { lines, states, words, moved, otherwise, .. } = compared;
    println!(
        "{seeds} histories, {states} states, {lines} lines, {moved} of them moved between files, {words} words, \
         {} otherwise than git",
        otherwise.len()
    );
    let first = otherwise.iter().take(20).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(otherwise.is_empty(), "{} of {lines} lines:\n{first}", otherwise.len());
}

/// Who is named for each line of every file that is there at last.
fn named(world: &World, at: &str) -> BTreeMap<String, Vec<String>> {
    let request = wire::MemoriesReq {
        store: "kept".to_owned(),
        at: Some(at.to_owned()),
        ..wire::MemoriesReq::default()
    };
    let memories = commands::memories(&world.app, request).expect("memories").memories;
    let of = |path: String| {
        let target = format!("kept:{path}@{at}");
        let blame = commands::blame(&world.app, wire::BlameReq { target, job: None }).expect("a blame");
        let lines = blame.lines.iter();
        let named = lines.filter_map(|line| Some(blame.versions[line.version? as usize].version_id.clone()));
        (path, named.collect())
    };
    memories.into_iter().filter_map(|memory| memory.path).map(of).collect()
}

#[test]
fn every_line_keeps_its_writer_when_versions_of_a_branch_are_redacted() {
    let (mut redacted, mut lines, mut otherwise) = (0, 0, 0);
    for seed in 1..=8 {
        let world = World::new();
        let Some(repository) = Repository::new(world.path("repository")) else { return };
        let mut maker = Maker::new(seed);
        while maker.made.len() < 60 {
            maker.step();
        }
        maker.end();
        repository.stream(maker.stream.as_bytes());
        add_store(&world, "kept", std::iter::empty());
        import(&world, &repository, "kept");
        let last = maker.clock;
        let at = Timestamp::from_micros(last * 1_000_000).to_rfc3339();
        let live: BTreeSet<String> = state_at(&world, "kept", &at).into_values().collect();
        let merged = |version: &wire::Version| {
            let note = version.note.as_deref().is_some_and(|note| note.contains("merged in"));
            note && version.content_sha256.as_ref().is_some_and(|content| !live.contains(content))
        };
        let going: Vec<String> =
            versions(&world, "kept").into_iter().filter(merged).map(|it| it.id).step_by(3).collect();
        if going.is_empty() {
            continue;
        }
        let before = named(&world, &at);
        redacted += going.len();
        for version in going {
            let versions = vec![version];
            let request = wire::RedactReq { versions, ..wire::RedactReq::default() };
            commands::redact(&world.app, request).expect("a redaction");
            let now = named(&world, &at);
            assert_eq!(now.keys().collect::<Vec<_>>(), before.keys().collect::<Vec<_>>(), "history {seed}");
            for (then, now) in before.values().flatten().zip(now.values().flatten()) {
                lines += 1;
                otherwise += usize::from(then != now);
            }
        }
        import(&world, &repository, "kept");
        world.verify();
    }
    println!("{redacted} redacted, {lines} lines, {otherwise} of another version");
    assert!(redacted > 8 && otherwise == 0, "{redacted} redacted, {otherwise} of {lines} lines");
}
