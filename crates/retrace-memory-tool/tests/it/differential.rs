//! The dialects `py` and `ts` against the file-system classes they are made after: the same random calls over the same
//! random trees, answer by answer, and what stands on disk afterwards. `docs/COMPATIBILITY.md` lists what may differ.
//!
//! Skipped where the classes are not installed: `scripts/oracles DIRECTORY memory-tool` installs them, below
//! `target/oracles`; `RETRACE_ORACLE_MEMORY_TOOL` names another place.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]
#![allow(clippy::print_stdout, reason = "a test that is skipped says why, a comparison what it measured")]

use retrace_memory_tool::{Dialect, MemoryTool, Options};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const CASES: usize = 1120;
const CALLS: usize = 20;
const SEED: u64 = 20_250_818;

/// SplitMix64: the same cases each time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }
}

const NAMES: &[&str] = &[
    "a.md",
    "b.txt",
    "notes",
    "deep",
    ".hidden",
    "node_modules",
    "caf\u{e9}.md",
    "\u{65e5}\u{672c}",
    "with space",
    "..odd",
    "%2e%2e",
    "back\\slash",
    "line\nfeed",
    "quote'd",
    "d",
];

const WORDS: &[&str] =
    &["alpha", "beta", "aa", "a", "\u{e9}t\u{e9}", "$&", "'\"`", "\t", "x\u{2028}y", "\u{65e5}"];

fn text(random: &mut Random) -> String {
    let lines = match random.below(12) {
        0 => return String::new(),
        1 => return "\n\n\n".to_owned(),
        2 => 700,
        _ => 1 + random.below(6),
    };
    let ending = if random.below(4) == 0 { "\r\n" } else { "\n" };
    let mut text = String::new();
    for line in 0..lines {
        for _ in 0..random.below(4) {
            text.push_str(random.pick(WORDS));
        }
        if lines == 700 {
            // About 48 KB.
            text.push_str(&"0123456789".repeat(6));
        }
        if line + 1 < lines || random.below(3) > 0 {
            text.push_str(ending);
        }
    }
    text
}

/// A path below the root that may exist in the tree.
fn name(random: &mut Random, known: &[String]) -> String {
    if !known.is_empty() && random.below(4) > 0 {
        return random.pick(known);
    }
    let depth = 1 + random.below(3);
    (0..depth).map(|_| random.pick(NAMES)).collect::<Vec<_>>().join("/")
}

fn tree(random: &mut Random) -> (Vec<Value>, Vec<String>) {
    let mut kinds: BTreeMap<String, bool> = BTreeMap::new();
    let mut tree = Vec::new();
    for _ in 0..2 + random.below(7) {
        let path = name(random, &[]);
        let parts: Vec<&str> = path.split('/').collect();
        let above: Vec<String> = (1..parts.len()).map(|end| parts[..end].join("/")).collect();
        let blocked = above.iter().any(|above| kinds.get(above) == Some(&false));
        if blocked || kinds.contains_key(&path) {
            continue;
        }
        for above in above {
            kinds.insert(above, true);
        }
        let (kind, content) = match random.below(10) {
            0 => ("directory", String::new()),
            1..=3 => ("link", link(random, &kinds)),
            _ => ("file", text(random)),
        };
        kinds.insert(path.clone(), kind == "directory");
        tree.push(json!([kind, path, content]));
    }
    (tree, kinds.into_keys().collect())
}

fn link(random: &mut Random, known: &BTreeMap<String, bool>) -> String {
    let known: Vec<String> = known.keys().cloned().collect();
    match random.below(8) {
        0 => "/etc".to_owned(),
        1 => "../../../../etc/hostname".to_owned(),
        2 => random.pick(NAMES).to_owned(),
        3 => ".".to_owned(),
        _ if known.is_empty() => "a.md".to_owned(),
        4 | 5 => format!("{{root}}/{}", random.pick(&known)),
        _ => random.pick(&known),
    }
}

fn path(random: &mut Random, known: &[String]) -> String {
    let name = name(random, known);
    match random.below(24) {
        0 => "/memories".to_owned(),
        1 => "/memories/".to_owned(),
        2 => format!("/memories{name}"),
        3 => format!("/memories/{name}/"),
        4 => format!("/memories//{name}"),
        5 => format!("/memories/{name}/../{}", random.pick(NAMES)),
        6 => format!("/memories/../memories/{name}"),
        7 => format!("/memories/../{name}"),
        8 => format!("/memories/{name}/.."),
        9 => format!("/{name}"),
        10 => format!("/memories/./{name}"),
        11 => format!("/memories/{name}/{}", random.pick(NAMES)),
        12 => format!("/memories/{}", "n".repeat(300)),
        _ => format!("/memories/{name}"),
    }
}

fn call(random: &mut Random, known: &mut Vec<String>, texts: &[String]) -> Value {
    let first = path(random, known);
    match random.below(13) {
        0..=2 => {
            let range = match random.below(6) {
                0 => json!([1, -1]),
                1 => json!([random.below(6), random.below(8)]),
                2 => json!([2, -2]),
                3 => json!([1]),
                _ => Value::Null,
            };
            if range.is_null() {
                json!({ "command": "view", "path": first })
            } else {
                json!({ "command": "view", "path": first, "view_range": range })
            }
        }
        3..=4 => {
            let created = first.trim_start_matches("/memories").trim_matches('/').to_owned();
            if !created.is_empty() && !created.contains("..") && created.len() < 200 {
                known.push(created);
            }
            json!({ "command": "create", "path": first, "file_text": text(random) })
        }
        5..=7 => {
            let old = match random.below(3) {
                0 if !texts.is_empty() => {
                    let text: Vec<char> = random.pick(texts).chars().collect();
                    let start = random.below(text.len().max(1));
                    text.iter().skip(start).take(random.below(30)).collect()
                }
                _ => random.pick(WORDS).to_owned(),
            };
            json!({ "command": "str_replace", "path": first, "old_str": old, "new_str": text(random) })
        }
        8..=9 => {
            let line = i64::try_from(random.below(9)).unwrap() - 1;
            json!({ "command": "insert", "path": first, "insert_line": line, "insert_text": text(random) })
        }
        10 => json!({ "command": "delete", "path": first }),
        11 => json!({ "command": "rename", "old_path": first, "new_path": path(random, known) }),
        _ if random.below(20) == 0 => json!({ "command": "bogus", "path": first }),
        _ => json!({ "command": "view", "path": first }),
    }
}

fn cases() -> Vec<Value> {
    let mut random = Random(SEED);
    (0..CASES)
        .map(|_| {
            let (tree, mut known) = tree(&mut random);
            let texts: Vec<String> = tree
                .iter()
                .filter(|entry| entry[0] == "file")
                .map(|entry| entry[2].as_str().unwrap().to_owned())
                .collect();
            let calls: Vec<Value> = (0..CALLS).map(|_| call(&mut random, &mut known, &texts)).collect();
            json!({ "tree": tree, "calls": calls })
        })
        .collect()
}

fn home() -> PathBuf {
    std::env::var_os("RETRACE_ORACLE_MEMORY_TOOL").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/oracles/memory-tool"),
        PathBuf::from,
    )
}

fn oracle(dialect: Dialect, scratch: &Path) -> Option<Command> {
    let home = home();
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/oracles");
    let (program, script, needed) = match dialect {
        Dialect::Py => (home.join("py/bin/python"), "memory_tool_py.py", home.join("py/bin/python")),
        _ => (PathBuf::from("node"), "memory_tool_ts.mjs", home.join("ts/node_modules/@anthropic-ai/sdk")),
    };
    if !needed.exists() {
        println!(
            "skipped: {} is not there; `scripts/oracles target/oracles memory-tool` makes it",
            needed.display()
        );
        return None;
    }
    let mut command = Command::new(program);
    command
        .arg(scripts.join(script))
        .arg(scratch.join("cases"))
        .arg(scratch.join("answers"))
        .arg(scratch.join("theirs"));
    if dialect == Dialect::Ts {
        command.arg(home.join("ts"));
    }
    Some(command)
}

/// In memory where the system has such a place: the classes wait for the disk after every write.
fn scratch() -> tempfile::TempDir {
    let shared = Path::new("/dev/shm");
    if shared.is_dir() { tempfile::tempdir_in(shared) } else { tempfile::tempdir() }.unwrap()
}

/// Directory sizes are the file system's.
fn normal(text: &str) -> String {
    let is_listing = text.starts_with("Here're the files");
    let mut normal = String::new();
    for (at, line) in text.split('\n').enumerate() {
        let bare = line.split_once('\t').filter(|_| is_listing && (at == 1 || line.ends_with('/')));
        let _ = write!(normal, "{}{}", if at > 0 { "\n" } else { "" }, bare.map_or(line, |(_, path)| path));
    }
    normal
}

fn build(root: &Path, tree: &Value) {
    let shown = root.to_str().unwrap();
    for entry in tree.as_array().unwrap() {
        let [kind, path, content] = [0, 1, 2].map(|at| entry[at].as_str().unwrap());
        let target = root.join(path);
        std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        match kind {
            "directory" => std::fs::create_dir_all(target).unwrap(),
            "link" => std::os::unix::fs::symlink(content.replace("{root}", shown), target).unwrap(),
            _ => std::fs::write(target, content).unwrap(),
        }
    }
}

fn standing(root: &Path) -> Vec<Value> {
    let shown = root.to_str().unwrap();
    let mut found = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            let kind = entry.file_type().unwrap();
            if kind.is_symlink() {
                let target = std::fs::read_link(&path).unwrap().to_str().unwrap().replace(shown, "{root}");
                found.push(json!([name, "link", target]));
            } else if kind.is_dir() {
                found.push(json!([name, "directory", ""]));
                folders.push(path);
            } else {
                found.push(json!([name, "file", std::fs::read_to_string(&path).unwrap()]));
            }
        }
    }
    sorted(found)
}

fn sorted(mut tree: Vec<Value>) -> Vec<Value> {
    tree.sort_by_key(|entry| entry[0].as_str().unwrap().to_owned());
    tree
}

/// Why an answer may differ: a row of `docs/COMPATIBILITY.md`.
fn known_difference(dialect: Dialect, theirs: (&str, bool), ours: (&str, bool)) -> Option<&'static str> {
    let ours_escapes = ours.1 && ours.0.contains("would escape /memories directory");
    match dialect {
        Dialect::Py if ours.1 && ours.0.contains("Symlink loop") => Some(
            "links in a circle are an error wherever the path goes on to, and another link of the circle is named",
        ),
        Dialect::Ts if ours_escapes && !theirs.0.contains("would escape") => {
            Some("a link that leads outside to nothing is refused without looking whether something is there")
        }
        Dialect::Ts if theirs.1 && ours.1 && theirs.0.contains(", mkdir '") => {
            Some("a directory cannot be made behind a link that leads nowhere; the text of the host differs")
        }
        _ => None,
    }
}

fn compare(dialect: Dialect) {
    let scratch = scratch();
    let Some(mut command) = oracle(dialect, scratch.path()) else { return };
    let cases = cases();
    let lines: Vec<String> = cases.iter().map(Value::to_string).collect();
    std::fs::write(scratch.path().join("cases"), lines.join("\n") + "\n").unwrap();
    std::fs::create_dir(scratch.path().join("theirs")).unwrap();
    let ran = command.output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let answers = std::fs::read_to_string(scratch.path().join("answers")).unwrap();

    let next = Arc::new(AtomicU64::new(1));
    let (mut known, mut unknown) = (BTreeMap::<&str, usize>::new(), Vec::new());
    let (mut compared, mut took, mut theirs_took) = (0, Duration::ZERO, 0.0);
    for (number, (case, answers)) in cases.iter().zip(answers.lines()).enumerate() {
        let answers: Value = serde_json::from_str(answers).unwrap();
        let next = Arc::clone(&next);
        let mut options = Options::new(dialect, Arc::new(move || next.fetch_add(1 << 16, Ordering::SeqCst)));
        options.make_root = true;
        let root = scratch.path().join(format!("ours/{number}/memories"));
        let tool = MemoryTool::open(&root, options).unwrap();
        build(&root, &case["tree"]);
        theirs_took += answers["seconds"].as_f64().unwrap();
        let mut same = true;
        for (at, call) in case["calls"].as_array().unwrap().iter().enumerate() {
            let began = Instant::now();
            let ours = tool.call(call, &mut ());
            took += began.elapsed();
            let theirs = &answers["answers"][at];
            let (text, is_error) = (theirs[0].as_str().unwrap(), theirs[1].as_bool().unwrap());
            compared += 1;
            if (normal(text), is_error) == (normal(&ours.content), ours.is_error) {
                continue;
            }
            same = false;
            match known_difference(dialect, (text, is_error), (&ours.content, ours.is_error)) {
                Some(reason) => *known.entry(reason).or_default() += 1,
                None => unknown.push(format!(
                    "case {number} call {at}: {call}\n  theirs ({is_error}): {text:?}\n  ours ({}): {:?}\n  tree: {}",
                    ours.is_error, ours.content, case["tree"]
                )),
            }
            // The files on disk may differ from here on.
            break;
        }
        let theirs = sorted(answers["tree"].as_array().unwrap().clone());
        let ours = standing(&root);
        if same && theirs != ours {
            unknown.push(format!(
                "case {number}: the trees differ\n  theirs: {theirs:?}\n  ours: {ours:?}\n  {case}"
            ));
        }
    }
    println!(
        "{dialect}: {} calls asked, {compared} compared; ours {:.3} ms a call, theirs {:.3} ms; known differences: {known:?}",
        CASES * CALLS,
        took.as_secs_f64() * 1e3 / f64::from(compared),
        theirs_took * 1e3 / (CASES * CALLS) as f64
    );
    assert!(
        unknown.is_empty(),
        "{} differences, the first:\n{}",
        unknown.len(),
        unknown[..unknown.len().min(6)].join("\n")
    );
}

#[test]
fn as_the_python_class() {
    compare(Dialect::Py);
}

#[test]
fn as_the_typescript_class() {
    compare(Dialect::Ts);
}
