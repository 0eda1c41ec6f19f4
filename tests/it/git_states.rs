//! Whatever git kept of a directory, what is brought in of it agrees with git at every commit: states at a time, differences,
//! the log, blame and search. Histories are made at random, with renames, merges, reverts, times equal to the second
//! and clocks that were wrong; git itself says what is right.

use crate::rebuilt::Repository;
use retrace_api::{commands, wire};
use retrace_model::{RelPath, Rules, Sha256, Timestamp};
use retrace_tests::World;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

/// Where in the repository the memories lie.
pub(crate) const FOLDER: &str = "memory";

/// Characters of a commit's name in a note.
pub(crate) const SHORT: usize = 10;

pub(crate) type Tree = BTreeMap<String, Vec<String>>;

/// A generator of numbers, the same for the same seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit.max(1) as u64).expect("small")
    }

    pub(crate) fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn pick<'t, T>(&mut self, from: &'t [T]) -> Option<&'t T> {
        if from.is_empty() { None } else { from.get(self.below(from.len())) }
    }
}

/// A branch under way.
struct Side {
    base: Tree,
    tree: Tree,
    tip: usize,
    commits: usize,
    /// Files that it moved or deleted: the main line leaves them alone, so that a merge knows what is meant.
    taken: BTreeSet<String>,
}

/// Makes a history, and the stream that git makes it from.
pub(crate) struct Maker {
    random: Random,
    pub(crate) stream: String,
    words: usize,
    files: usize,
    pub(crate) marks: usize,
    clock: i64,
    /// True if clocks go wrong now and then.
    skewed: bool,
    tree: Tree,
    before: Option<Tree>,
    tip: usize,
    side: Option<Side>,
    /// The word that a line begins with, and nothing else does.
    first_words: Vec<String>,
    /// Names of files that went. Another file may get one while no branch is under way.
    freed: Vec<String>,
}

impl Maker {
    pub(crate) fn new(seed: u64, skewed: bool) -> Self {
        Self {
            random: Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
            stream: String::new(),
            words: 0,
            files: 0,
            marks: 0,
            // 2026-11-01T00:00:00Z
            clock: 1_793_491_200,
            skewed,
            tree: Tree::new(),
            before: None,
            tip: 0,
            side: None,
            first_words: Vec::new(),
            freed: Vec::new(),
        }
    }

    fn line(&mut self) -> String {
        self.words += 1;
        let word = format!("word{}x", self.words);
        self.first_words.push(word.clone());
        // Text that looks like a secret comes and goes like everything else.
        let more = if self.random.one_in(15) { " password = hunter2hunter2" } else { " is to be remembered" };
        format!("{word}{more} {}", self.random.next() % 1000)
    }

    fn lines(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|_| self.line()).collect()
    }

    fn name(&mut self) -> String {
        if self.random.one_in(3)
            && let Some(freed) = self.freed.pop()
        {
            return freed;
        }
        self.files += 1;
        let folder = self.random.pick(&["", "topics/", "a b/c/"]).copied().unwrap_or_default();
        format!("{folder}n{}.md", self.files)
    }

    fn change(&mut self, lines: &mut Vec<String>) {
        for _ in 0..=self.random.below(2) {
            let at = self.random.below(lines.len() + 1);
            match self.random.below(3) {
                0 if lines.len() > 3 => drop(lines.remove(at.min(lines.len() - 1))),
                1 if !lines.is_empty() => {
                    let line = self.line();
                    let at = at.min(lines.len() - 1);
                    lines[at] = line;
                }
                _ => {
                    let line = self.line();
                    lines.insert(at, line);
                }
            }
        }
    }

    fn edit(&mut self, tree: &mut Tree, not: &BTreeSet<String>) {
        let files: Vec<String> = tree.keys().filter(|path| !not.contains(*path)).cloned().collect();
        match self.random.pick(&files).cloned() {
            Some(path) => {
                let mut lines = tree[&path].clone();
                while lines == tree[&path] {
                    self.change(&mut lines);
                }
                tree.insert(path, lines);
            }
            None => self.add(tree),
        }
    }

    fn add(&mut self, tree: &mut Tree) {
        let (name, count) = (self.name(), 4 + self.random.below(6));
        let lines = self.lines(count);
        tree.insert(name, lines);
    }

    /// Moves a file of `from`, and changes it now and then.
    fn rename(&mut self, tree: &mut Tree, from: &[String]) -> Option<String> {
        let path = self.random.pick(from)?.clone();
        let mut lines = tree.remove(&path)?;
        if self.random.one_in(2) {
            self.change(&mut lines);
        }
        let name = self.name();
        tree.insert(name, lines);
        Some(path)
    }

    fn commit(&mut self, branch: &str, tree: &Tree, parents: &[usize]) -> usize {
        self.marks += 1;
        let mark = self.marks;
        self.clock += self.random.pick(&[0, 0, 1, 7, 60, 600, 1800]).copied().unwrap_or(1);
        let wrong = if self.skewed && self.random.one_in(20) {
            self.random.pick(&[-7200, -40, 864_000]).copied().unwrap_or(0)
        } else {
            0
        };
        let at = self.clock + wrong;
        let writer = self.random.pick(&["Grace", "Ada", "Agent"]).copied().unwrap_or("Ada");
        let subject = format!("Step {mark}");
        self.stream.push_str(&format!(
            "commit refs/heads/{branch}\nmark :{mark}\nauthor {writer} <{writer}@example.org> {at} +0000\n\
             committer {writer} <{writer}@example.org> {at} +0000\ndata {}\n{subject}\n",
            subject.len()
        ));
        for (place, parent) in parents.iter().enumerate() {
            let word = if place == 0 { "from" } else { "merge" };
            self.stream.push_str(&format!("{word} :{parent}\n"));
        }
        self.stream.push_str("deleteall\n");
        let readme = format!("elsewhere {mark}\n");
        let files = tree.iter().map(|(path, lines)| (format!("{FOLDER}/{path}"), text(lines)));
        for (path, text) in files.chain([("README.md".to_owned(), readme)]) {
            self.stream.push_str(&format!("M 100644 inline \"{path}\"\ndata {}\n{text}\n", text.len()));
        }
        mark
    }

    pub(crate) fn step(&mut self) {
        if self.side.is_none() && self.tip > 0 && self.random.one_in(8) {
            self.side = Some(Side {
                base: self.tree.clone(),
                tree: self.tree.clone(),
                tip: self.tip,
                commits: 0,
                taken: BTreeSet::new(),
            });
        }
        match self.side.take() {
            Some(side) if side.commits > 0 && self.random.one_in(5) => self.merge(&side),
            Some(side) if self.random.one_in(2) => self.on_side(side),
            side => {
                self.side = side;
                self.on_main();
            }
        }
    }

    fn on_main(&mut self) {
        let mut tree = self.tree.clone();
        if self.side.is_none() {
            let went = self.before.iter().flat_map(Tree::keys).filter(|path| !tree.contains_key(*path));
            self.freed.extend(went.cloned().collect::<Vec<_>>());
            self.freed.retain(|path| !tree.contains_key(path));
        }
        let taken = self.side.as_ref().map(|side| side.taken.clone()).unwrap_or_default();
        let files: Vec<String> = tree.keys().cloned().collect();
        match self.random.below(20) {
            _ if tree.is_empty() => self.add(&mut tree),
            0..5 => self.add(&mut tree),
            5..8 if self.side.is_none() => drop(self.rename(&mut tree, &files)),
            8..10 if self.side.is_none() && tree.len() > 1 => {
                let path = self.random.pick(&files).cloned().unwrap_or_default();
                tree.remove(&path);
            }
            10..12 if self.side.is_none() && self.before.as_ref().is_some_and(|before| *before != tree) => {
                tree = self.before.clone().unwrap_or_default();
            }
            _ => self.edit(&mut tree, &taken),
        }
        let parents: Vec<usize> = (self.tip > 0).then_some(self.tip).into_iter().collect();
        self.tip = self.commit("main", &tree, &parents);
        self.before = Some(std::mem::replace(&mut self.tree, tree));
    }

    fn on_side(&mut self, mut side: Side) {
        self.freed.clear();
        let mut tree = side.tree.clone();
        let untouched: Vec<String> = tree
            .keys()
            .filter(|path| side.base.get(*path).is_none_or(|base| self.tree.get(*path) == Some(base)))
            .cloned()
            .collect();
        match self.random.below(10) {
            0..3 => self.add(&mut tree),
            3 => side.taken.extend(self.rename(&mut tree, &untouched)),
            4 if tree.len() > 1 => {
                if let Some(path) = self.random.pick(&untouched).cloned() {
                    tree.remove(&path);
                    side.taken.insert(path);
                }
            }
            _ => {}
        }
        if tree == side.tree {
            self.edit(&mut tree, &BTreeSet::new());
        }
        side.tip = self.commit("side", &tree, &[side.tip]);
        side.tree = tree;
        side.commits += 1;
        self.side = Some(side);
    }

    /// Merges as git does where nothing conflicts; where both changed a file, the lines that either added are in it.
    fn merge(&mut self, side: &Side) {
        let mut tree = Tree::new();
        let paths: BTreeSet<&String> = self.tree.keys().chain(side.tree.keys()).collect();
        for path in paths {
            let (base, ours, theirs) = (side.base.get(path), self.tree.get(path), side.tree.get(path));
            let merged = if theirs == base {
                ours.cloned()
            } else if ours == base {
                theirs.cloned()
            } else {
                let none = Vec::new();
                let (base, theirs) = (base.unwrap_or(&none), theirs.unwrap_or(&none));
                let ours = ours.unwrap_or(&none);
                let stays = |line: &&String| !base.contains(line) || theirs.contains(line);
                let mut merged: Vec<String> = ours.iter().filter(stays).cloned().collect();
                // A line that the branch added stands after what it stood after there, so that no line passes another.
                let mut after = 0;
                for line in theirs {
                    match merged.iter().position(|known| known == line) {
                        Some(place) => after = place + 1,
                        None if !base.contains(line) => {
                            merged.insert(after, line.clone());
                            after += 1;
                        }
                        None => {}
                    }
                }
                Some(merged)
            };
            tree.extend(merged.map(|lines| (path.clone(), lines)));
        }
        self.tip = self.commit("main", &tree, &[self.tip, side.tip]);
        self.tree = tree;
        self.before = None;
    }
}

fn text(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Answers of git.
pub(crate) struct Git<'a> {
    repository: &'a Repository,
    blobs: HashMap<String, Vec<u8>>,
}

/// A commit of the line of first parents.
pub(crate) struct Commit {
    pub(crate) id: String,
    pub(crate) at: i64,
}

impl<'a> Git<'a> {
    pub(crate) fn new(repository: &'a Repository) -> Self {
        let all = repository.ask(&["cat-file", "--batch-all-objects", "--batch"]);
        let mut blobs = HashMap::new();
        let mut rest = all.as_slice();
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let head = String::from_utf8_lossy(&rest[..end]).into_owned();
            let mut parts = head.split(' ');
            let (id, kind) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
            let size: usize = parts.next().expect("a size").parse().expect("a size");
            if kind == "blob" {
                blobs.insert(id.to_owned(), rest[end + 1..end + 1 + size].to_vec());
            }
            rest = &rest[end + 2 + size..];
        }
        Self { repository, blobs }
    }

    pub(crate) fn lines(&self, arguments: &[&str]) -> Vec<String> {
        let out = self.repository.ask(arguments);
        String::from_utf8_lossy(&out).lines().map(str::to_owned).collect()
    }

    /// Commits of the first parents that touched the directory, oldest first.
    pub(crate) fn commits(&self) -> Vec<Commit> {
        let format = "--format=%H %ct";
        let reported = self.lines(&["log", "--first-parent", "--reverse", format, "main", "--", FOLDER]);
        let commit = |line: &String| {
            let (id, at) = line.split_once(' ').expect("two words");
            Commit { id: id.to_owned(), at: at.parse().expect("a time") }
        };
        reported.iter().map(commit).collect()
    }

    /// Files of the directory after a commit, with the hashes of their contents.
    pub(crate) fn state(&self, commit: &str) -> BTreeMap<String, String> {
        let out = self.repository.ask(&["ls-tree", "-r", "-z", commit, &format!("{FOLDER}/")]);
        let text = String::from_utf8_lossy(&out);
        let entry = |entry: &str| {
            let (head, path) = entry.split_once('\t').expect("an entry");
            let blob = head.rsplit(' ').next().expect("a blob");
            (path[FOLDER.len() + 1..].to_owned(), Sha256::of(&self.blobs[blob]).to_hex())
        };
        text.split('\0').filter(|it| !it.is_empty()).map(entry).collect()
    }

    /// True if a line was in the directory before a commit.
    pub(crate) fn had(&self, commit: &str, line: &str) -> bool {
        let tree = self.lines(&["ls-tree", "-r", &format!("{commit}^1"), &format!("{FOLDER}/")]);
        let blobs = tree.iter().filter_map(|entry| self.blobs.get(entry.split([' ', '\t']).nth(2)?));
        blobs.into_iter().any(|blob| String::from_utf8_lossy(blob).lines().any(|known| known == line))
    }

    /// Paths that a commit wrote, and those that were gone after it, against its first parent.
    fn changes(&self, commit: &str) -> (BTreeSet<String>, BTreeSet<String>) {
        let first = format!("{commit}^1");
        let has_parent = self.lines(&["rev-list", "--parents", "-n", "1", commit])[0].contains(' ');
        let mut arguments = vec!["diff-tree", "-r", "-z", "--no-renames", "--name-status"];
        if has_parent {
            arguments.extend([first.as_str(), commit]);
        } else {
            arguments.extend(["--root", "--no-commit-id", commit]);
        }
        arguments.extend(["--", FOLDER]);
        let out = self.repository.ask(&arguments);
        let text = String::from_utf8_lossy(&out);
        let mut fields = text.split('\0').filter(|field| !field.is_empty());
        let (mut wrote, mut gone) = (BTreeSet::new(), BTreeSet::new());
        while let (Some(status), Some(path)) = (fields.next(), fields.next()) {
            let path = path[FOLDER.len() + 1..].to_owned();
            if status == "D" {
                gone.insert(path)
            } else {
                wrote.insert(path)
            };
        }
        (wrote, gone)
    }

    /// The commit that brought in each line of a file, and when it was made.
    pub(crate) fn blame(&self, commit: &str, path: &str) -> Vec<(String, i64)> {
        let file = format!("{FOLDER}/{path}");
        let mut found = Vec::new();
        let mut id = String::new();
        for line in self.lines(&["blame", "--line-porcelain", commit, "--", &file]) {
            if line.starts_with('\t') {
                continue;
            }
            let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
            if word.len() == 40 && word.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                id = word[..SHORT].to_owned();
            } else if word == "committer-time" {
                found.push((id.clone(), rest.parse().expect("a time")));
            }
        }
        found
    }
}

/// Every version of a store, oldest first.
pub(crate) fn versions(world: &World, store: &str) -> Vec<wire::Version> {
    let mut request =
        wire::LogReq { store: Some(store.to_owned()), limit: Some(1000), ..wire::LogReq::default() };
    let mut versions = Vec::new();
    loop {
        let page = commands::log(&world.app, request.clone()).expect("the log");
        versions.extend(page.versions);
        match page.next_before {
            Some(before) => request.before = Some(before),
            None => break,
        }
    }
    versions.reverse();
    versions
}

/// The commit that wrote a version, and the one of the first parents that it came with.
pub(crate) fn commits_of(note: &str) -> (String, String) {
    let open = note.find(" (").expect("a commit") + 2;
    let own = note[open..open + SHORT].to_owned();
    let with = note.split_once("merged in ").map_or(own.clone(), |(_, with)| with[..SHORT].to_owned());
    (own, with)
}

pub(crate) fn state_at(world: &World, store: &str, at: &str) -> BTreeMap<String, String> {
    let request = wire::MemoriesReq {
        store: store.to_owned(),
        at: Some(at.to_owned()),
        ..wire::MemoriesReq::default()
    };
    let memories = commands::memories(&world.app, request).expect("memories").memories;
    let count = memories.len();
    let state: BTreeMap<String, String> = memories
        .into_iter()
        .map(|memory| (memory.path.expect("a path"), memory.content_sha256.expect("a hash")))
        .collect();
    assert_eq!(state.len(), count, "two memories stand at one path at {at}");
    state
}

/// Scope of the checks of a history: every commit's state and its place in the log, and so many differences and blames.
struct Checks {
    blames: usize,
    words: Vec<String>,
    in_time: bool,
}

/// Compares what was brought in of a history with git. Answers how many states were the same.
fn agrees(world: &World, store: &str, git: &Git<'_>, checks: &Checks, name: &str) -> usize {
    let commits = git.commits();
    let all = versions(world, store);
    let rebuilt: Vec<&wire::Version> = all.iter().filter(|version| version.rebuilt).collect();
    let mut by_commit: HashMap<String, Vec<&wire::Version>> = HashMap::new();
    for version in &rebuilt {
        let (_, with) = commits_of(version.note.as_deref().expect("a note"));
        by_commit.entry(with).or_default().push(version);
    }
    let stands = |commit: &Commit| by_commit[&commit.id[..SHORT]][0].created_at.clone();
    let live = {
        let request = wire::MemoriesReq { store: store.to_owned(), ..wire::MemoriesReq::default() };
        let memories = commands::memories(&world.app, request).expect("memories").memories;
        let memories = memories.into_iter();
        memories.map(|memory| (memory.path.unwrap_or_default(), memory.content_sha256.unwrap_or_default()))
    };
    let live: BTreeMap<String, String> = live.collect();
    let mut states = 0;
    let blamed_every = (commits.len() / checks.blames.max(1)).max(1);
    for (place, commit) in commits.iter().enumerate() {
        let label = format!("{name}, commit {place} of {} ({})", commits.len(), commit.id);
        assert!(by_commit.contains_key(&commit.id[..SHORT]), "{label}: nothing in the log");
        let at = stands(commit);
        if checks.in_time {
            assert_eq!(at, Timestamp::from_micros(commit.at * 1_000_000).to_rfc3339(), "{label}");
        }
        let (wrote, gone) = git.changes(&commit.id);
        let of_commit = &by_commit[&commit.id[..SHORT]];
        let path = |version: &&&wire::Version| version.path.clone();
        let is_gone = |version: &&&wire::Version| version.operation == "deleted";
        let reported: BTreeSet<String> =
            of_commit.iter().filter(|it| !is_gone(it)).filter_map(|it| path(&it)).collect();
        assert_eq!(reported, wrote, "{label}: what the log says was written");
        let moved = of_commit.iter().filter_map(|version| version.previous_path.clone());
        let reported: BTreeSet<String> =
            of_commit.iter().filter(is_gone).filter_map(|it| path(&it)).chain(moved).collect();
        assert_eq!(reported, gone, "{label}: what the log says was gone");
        // Of several commits of one time the last one counts.
        if commits.get(place + 1).is_some_and(|next| stands(next) == at) {
            continue;
        }
        let expected = git.state(&commit.id);
        assert_eq!(state_at(world, store, &at), expected, "{label}: its state at {at}");
        states += 1;
        let request = wire::DiffReq { a: format!("{store}@{at}"), ..wire::DiffReq::default() };
        let wire::DiffResult::Store(diff) = commands::diff(&world.app, request).expect("a difference") else {
            panic!("no difference of a store")
        };
        let reported: BTreeSet<String> =
            diff.files.into_iter().flat_map(|file| [Some(file.path), file.previous_path]).flatten().collect();
        let paths: BTreeSet<&String> = expected.keys().chain(live.keys()).collect();
        let differing: BTreeSet<String> =
            paths.into_iter().filter(|path| expected.get(*path) != live.get(*path)).cloned().collect();
        assert_eq!(reported, differing, "{label}: the difference to what is there now");
        if place % blamed_every == 0 || place + 1 == commits.len() {
            for path in expected.keys().take(6) {
                let target = format!("{store}:{path}@{at}");
                let request = wire::BlameReq { target: target.clone(), job: None };
                let blame = commands::blame(&world.app, request).expect("a blame");
                let reported: Vec<(String, i64)> = blame
                    .lines
                    .iter()
                    .map(|line| {
                        let version = &blame.versions[line.version.expect("a version") as usize];
                        let (own, _) = commits_of(version.note.as_deref().expect("a note"));
                        let when =
                            Timestamp::parse(&version.created_at).expect("a time").micros() / 1_000_000;
                        (own, if checks.in_time { when } else { 0 })
                    })
                    .collect();
                let mut right = git.blame(&commit.id, path);
                if !checks.in_time {
                    right.iter_mut().for_each(|(_, when)| *when = 0);
                }
                assert_eq!(reported, right, "{label}: blame of {path}");
            }
        }
    }
    for word in &checks.words {
        let request = wire::SearchReq {
            query: word.clone(),
            history: true,
            store: Some(store.to_owned()),
            limit: None,
        };
        let hits = commands::search(&world.app, request).expect("a search").hits;
        let reported: BTreeSet<String> = hits
            .iter()
            .filter_map(|hit| rebuilt.iter().find(|version| version.id == hit.version_id))
            .map(|version| commits_of(version.note.as_deref().expect("a note")).0)
            .collect();
        // The first commit that has it brought it in; reverts may do so again.
        let with_word = format!("-S{word}");
        let found =
            git.lines(&["log", "--reverse", "--topo-order", "--format=%H", &with_word, "main", "--", FOLDER]);
        // It may have been written over before its commit, or be of a branch and gone again before the merge.
        let main = ["log", "--first-parent", "-m", "--format=%H", &with_word, "main", "--", FOLDER];
        let Some(first) = found.first().filter(|_| !git.lines(&main).is_empty()) else { continue };
        assert!(reported.contains(&first[..SHORT]), "{name}: {word}: {reported:?} without {first}");
    }
    states
}

pub(crate) fn import(world: &World, repository: &Repository, store: &str) -> wire::ImportResult {
    let request = wire::ImportGitReq {
        directory: repository.folder().to_string_lossy().into_owned(),
        path: Some(FOLDER.to_owned()),
        store: Some(store.to_owned()),
        ..wire::ImportGitReq::default()
    };
    commands::import_git(&world.app, request).expect("an import")
}

/// Adds a directory that holds a state as a store.
pub(crate) fn add_store(world: &World, name: &str, files: impl Iterator<Item = (String, Vec<u8>)>) {
    for (path, bytes) in files {
        let file = world.path(name).join(path);
        std::fs::create_dir_all(file.parent().expect("a parent")).expect("a folder");
        std::fs::write(file, bytes).expect("a file");
    }
    world.add(name);
}

fn a_history_agrees(seed: u64, steps: usize, blames: usize) {
    let skewed = seed.is_multiple_of(3);
    let world = World::new();
    let Some(repository) = Repository::new(world.path("repository")) else { return };
    let mut maker = Maker::new(seed, skewed);
    while maker.marks < steps {
        maker.step();
    }
    repository.stream(maker.stream.as_bytes());
    let mut files = maker.tree.clone();
    if seed.is_multiple_of(2)
        && let Some(lines) = files.values_mut().next()
    {
        lines.push("not committed".to_owned());
    }
    let files = files.into_iter().map(|(path, lines)| (path, text(&lines).into_bytes()));
    add_store(&world, "kept", files);
    let first = import(&world, &repository, "kept");
    let git = Git::new(&repository);
    let words: Vec<String> =
        maker.first_words.iter().step_by(maker.first_words.len() / 12 + 1).cloned().collect();
    let checks = Checks { blames, words, in_time: !skewed };
    let name = format!("history {seed} of {steps}");
    let states = agrees(&world, "kept", &git, &checks, &name);
    println!("{name}: {} versions, {states} states the same", first.versions);
    assert_eq!(import(&world, &repository, "kept").versions, 0, "{name}: nothing comes in twice");
    let undo = wire::UndoReq { operation_seq: first.operation_seq, dry_run: false };
    commands::undo(&world.app, undo).expect("undone");
    assert_eq!(
        import(&world, &repository, "kept").versions,
        first.versions,
        "{name}: all of it comes in again"
    );
    let checks = Checks { blames: 1, words: Vec::new(), ..checks };
    assert_eq!(agrees(&world, "kept", &git, &checks, &name), states);
    world.verify();
}

#[test]
fn every_commit_of_a_history_made_at_random_is_as_git_has_it() {
    // `RETRACE_HISTORIES=SEEDSxSTEPS` looks at more and at longer ones.
    let asked = std::env::var("RETRACE_HISTORIES").ok();
    let asked = asked.as_deref().and_then(|asked| asked.split_once('x'));
    match asked {
        Some((seeds, steps)) => {
            let (seeds, steps): (u64, usize) =
                (seeds.parse().expect("a number"), steps.parse().expect("a number"));
            (100..100 + seeds).for_each(|seed| a_history_agrees(seed, steps, 30));
        }
        None => [(1, 50), (2, 80), (3, 120), (4, 60), (5, 90)]
            .into_iter()
            .for_each(|(seed, steps)| a_history_agrees(seed, steps, 12)),
    }
}

/// A version: path, time, content, and what git says of it.
type Told = (Option<String>, String, Option<String>, String);

/// Every memory as its versions, in an order of its own.
fn memories_of(world: &World, store: &str) -> Vec<Vec<Told>> {
    let mut memories: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for it in versions(world, store).into_iter().filter(|it| it.rebuilt) {
        let told = (
            it.path,
            it.created_at,
            it.content_sha256,
            it.note.map_or_else(String::new, |note| note.to_string()),
        );
        memories.entry(it.memory_id).or_default().push(told);
    }
    let mut memories: Vec<_> = memories.into_values().collect();
    memories.sort();
    memories
}

/// True if an import replaced earlier ones.
fn has_replaced(result: &wire::ImportResult) -> bool {
    result.warnings.iter().any(|warning| warning.id() == "replaced.replaces")
}

#[test]
fn imports_in_between_come_to_the_same_as_one_of_all() {
    let mut replacing = Vec::new();
    for seed in 21..29 {
        let skewed = seed % 3 == 0;
        let world = World::new();
        let Some(repository) = Repository::new(world.path("repository")) else { return };
        add_store(&world, "kept", std::iter::empty());
        add_store(&world, "once", std::iter::empty());
        let mut maker = Maker::new(seed, skewed);
        let mut before = Vec::new();
        for stop in [12, 25, 31, 60] {
            while maker.marks < stop {
                maker.step();
            }
            // The whole stream again: equal commits are equal.
            repository.stream(maker.stream.as_bytes());
            before = memories_of(&world, "kept");
            let result = import(&world, &repository, "kept");
            replacing.push(has_replaced(&result));
        }
        import(&world, &repository, "once");
        let name = format!("history {seed}");
        let all = memories_of(&world, "once");
        assert_eq!(memories_of(&world, "kept"), all, "{name}");
        let checks = Checks { blames: 6, words: Vec::new(), in_time: !skewed };
        agrees(&world, "kept", &Git::new(&repository), &checks, &name);
        assert_eq!(import(&world, &repository, "kept").versions, 0, "{name}: nothing comes in twice");
        let last = versions(&world, "kept").iter().map(|version| version.operation_seq).max();
        commands::undo(&world.app, wire::UndoReq { operation_seq: last, dry_run: false }).expect("undone");
        assert_eq!(memories_of(&world, "kept"), before, "{name}: undone");
        import(&world, &repository, "kept");
        assert_eq!(memories_of(&world, "kept"), all, "{name}: imported again");
        world.verify();
    }
    assert!(replacing.contains(&true), "no import replaces another");
    let added = replacing.iter().filter(|replaces| !**replaces).count();
    assert!(added > 8, "what git goes on with is added to what it told: {replacing:?}");
}

#[test]
fn what_a_person_set_for_their_own_eyes_changes_nothing() {
    let imported = |settings: &[[&str; 2]]| {
        let world = World::new();
        let repository = Repository::new(world.path("repository"))?;
        let mut maker = Maker::new(2, false);
        while maker.marks < 60 {
            maker.step();
        }
        repository.stream(maker.stream.as_bytes());
        for [name, value] in settings {
            repository.ask(&["config", name, value]);
        }
        add_store(&world, "kept", std::iter::empty());
        let done = import(&world, &repository, "kept");
        Some((done.versions, done.memories))
    };
    let plain = imported(&[]);
    for way in ["off", "remerge", "combined", "dense-combined", "first-parent"] {
        assert_eq!(imported(&[["log.diffMerges", way]]), plain, "{way}");
    }
    let others = [["diff.relative", "true"], ["diff.renames", "false"], ["i18n.logOutputEncoding", "UTF-16"]];
    assert_eq!(imported(&others), plain);
}

#[test]
fn a_directory_of_more_files_than_a_program_takes_arguments_is_imported() {
    let world = World::new();
    let Some(repository) = Repository::new(world.path("repository")) else { return };
    // Of paths alone more than the two megabytes that a program is started with.
    let count = 3_600;
    let below = ["a", "b", "c"].map(|letter| letter.repeat(200)).join("/");
    let commit = |at: u32| {
        format!("commit refs/heads/main\ncommitter Grace <grace@example.org> {at} +0000\ndata 4\nstep\n")
    };
    let mut stream = commit(1_793_491_200);
    for number in 0..count {
        stream.push_str(&format!("M 100644 inline old/{below}/{number}.md\ndata 5\n{number:05}\n"));
    }
    stream.push_str(&commit(1_793_491_201));
    stream.push_str("R old memory\n");
    repository.stream(stream.as_bytes());
    add_store(&world, "kept", std::iter::empty());
    let done = import(&world, &repository, "kept");
    // One version each: what a file was before the move is what it is after it.
    assert_eq!((done.memories, done.versions), (count, count));
}

/// Real histories, made to repositories. Skipped where they are not.
#[test]
fn every_step_of_a_real_history_is_as_git_has_it() {
    let Some(files) = crate::histories::histories() else { return };
    for file in files {
        let world = World::new();
        let Some(repository) = Repository::new(world.path("repository")) else { return };
        let mut tree: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        let mut stream = Vec::new();
        let mut mark = 0_i64;
        let changes = crate::histories::changes(&file);
        let mut places = changes.iter().peekable();
        while let Some(change) = places.next() {
            if let Some(from) = &change.from {
                tree.remove(from);
            }
            match &change.content {
                Some(content) => drop(tree.insert(change.path.clone(), content.clone())),
                None => drop(tree.remove(&change.path)),
            }
            if places.peek().is_some_and(|next| next.step == change.step) {
                continue;
            }
            // Two at a time.
            let at = 1_793_491_200 + mark / 2 * 60;
            mark += 1;
            stream.extend(
                format!("commit refs/heads/main\nmark :{mark}\ncommitter Ada <ada@example.org> {at} +0000\ndata 4\nstep\n")
                    .into_bytes(),
            );
            if mark > 1 {
                stream.extend(format!("from :{}\n", mark - 1).into_bytes());
            }
            stream.extend(b"deleteall\n");
            for (path, bytes) in &tree {
                stream.extend(
                    format!("M 100644 inline \"{FOLDER}/{path}\"\ndata {}\n", bytes.len()).into_bytes(),
                );
                stream.extend(bytes);
                stream.push(b'\n');
            }
        }
        repository.stream(&stream);
        add_store(&world, "kept", tree.into_iter());
        let done = import(&world, &repository, "kept");
        let git = Git::new(&repository);
        let name = file.file_stem().map(Path::new).expect("a name").display().to_string();
        // Blame of lines that stand twice in a file is a matter of taste; states are not.
        let checks = Checks { blames: 0, words: Vec::new(), in_time: true };
        let states = agrees_in_states(&world, &git, &checks, &name);
        println!("{name}: {} versions, {states} states the same", done.versions);
        assert_eq!(import(&world, &repository, "kept").versions, 0, "{name}: nothing comes in twice");
        world.verify();
    }
}

fn agrees_in_states(world: &World, git: &Git<'_>, checks: &Checks, name: &str) -> usize {
    let (commits, rules) = (git.commits(), Rules::default());
    let mut states = 0;
    for (place, commit) in commits.iter().enumerate() {
        if commits.get(place + 1).is_some_and(|next| next.at == commit.at) {
            continue;
        }
        let at = Timestamp::from_micros(commit.at * 1_000_000).to_rfc3339();
        let mut expected = git.state(&commit.id);
        // A path that the rules leave out is not recorded, and not brought in.
        expected.retain(|path, _| {
            let path = RelPath::parse(path).expect("a path");
            rules.leaves_out(path.components()).is_none()
        });
        assert_eq!(state_at(world, "kept", &at), expected, "{name}, commit {place}: {}", checks.in_time);
        states += 1;
    }
    states
}
