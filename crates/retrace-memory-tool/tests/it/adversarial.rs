//! Adversarial input: paths that want out, links that want out, directories exchanged for links while calls run, and many
//! writers at once. Nothing outside the directory changes or is shown, nothing panics, no accepted write is lost.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use proptest::prelude::*;
use retrace_memory_tool::{Answer, Change, Dialect, MemoryTool, Observer, Options, Unobserved};
use retrace_model::RelPath;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Stands in every file outside, and in no file inside.
const OUTSIDE: &str = "what lies outside";

struct Ground {
    _temp: tempfile::TempDir,
    outside: PathBuf,
    root: PathBuf,
}

impl Ground {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let (outside, root) = (temp.path().join("outside"), temp.path().join("memories"));
        std::fs::create_dir_all(outside.join("d")).unwrap();
        std::fs::write(outside.join("secret.md"), OUTSIDE).unwrap();
        std::fs::write(outside.join("d/a.md"), OUTSIDE).unwrap();
        std::fs::create_dir_all(root.join("d")).unwrap();
        std::fs::write(root.join("a.md"), "inside\n").unwrap();
        std::fs::write(root.join("d/a.md"), "inside\n").unwrap();
        symlink(&outside, root.join("out")).unwrap();
        symlink("../outside/secret.md", root.join("secret")).unwrap();
        symlink("../outside/new.md", root.join("dangling")).unwrap();
        symlink("..", root.join("up")).unwrap();
        symlink("d", root.join("in")).unwrap();
        symlink("circle", root.join("circle")).unwrap();
        Self { _temp: temp, outside, root }
    }

    fn tool(&self, dialect: Dialect) -> MemoryTool {
        // Two tools over one directory must not name their hidden files alike.
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let random = || NEXT.fetch_add(1 << 16, Ordering::SeqCst);
        MemoryTool::open(&self.root, Options::new(dialect, Arc::new(random))).unwrap()
    }

    fn assert_untouched(&self) {
        let names = |path: &Path| -> BTreeSet<String> {
            let entries = std::fs::read_dir(path).unwrap().flatten();
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
        };
        assert_eq!(names(&self.outside), BTreeSet::from(["d".to_owned(), "secret.md".to_owned()]));
        assert_eq!(names(&self.outside.join("d")), BTreeSet::from(["a.md".to_owned()]));
        assert_eq!(
            names(self.root.parent().unwrap()),
            BTreeSet::from(["memories".to_owned(), "outside".to_owned()])
        );
        for file in ["secret.md", "d/a.md"] {
            assert_eq!(std::fs::read_to_string(self.outside.join(file)).unwrap(), OUTSIDE);
        }
    }
}

fn part() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => proptest::sample::select(vec![
            "..", ".", "", "out", "secret", "dangling", "up", "in", "circle", "a.md", "d", "memories", "outside",
            "secret.md", "%2e%2e", "%2e%2e%2f", "..\\", "..%2f", "\u{ff0e}\u{ff0e}", "..;", "\0", "~", "new.md",
        ]).prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}

fn hostile_path() -> impl Strategy<Value = String> {
    let prefix =
        proptest::sample::select(vec!["/memories/", "/memories", "/memories//", "/memories/../", "/", ""]);
    (prefix, proptest::collection::vec(part(), 0..6))
        .prop_map(|(prefix, parts)| format!("{prefix}{}", parts.join("/")))
}

fn hostile_call() -> impl Strategy<Value = Value> {
    (0..8u8, hostile_path(), hostile_path(), any::<i64>(), any::<Option<[i64; 2]>>()).prop_map(
        |(command, path, other, number, range)| match command {
            0 | 1 => json!({ "command": "view", "path": path, "view_range": range }),
            2 => json!({ "command": "create", "path": path, "file_text": "x" }),
            3 => json!({ "command": "str_replace", "path": path, "old_str": "i", "new_str": other }),
            4 => json!({ "command": "insert", "path": path, "insert_line": number, "insert_text": other }),
            5 => json!({ "command": "delete", "path": path }),
            6 => json!({ "command": "rename", "old_path": path, "new_path": other }),
            _ => json!({ "command": other, "path": [path], "view_range": number }),
        },
    )
}

#[test]
fn no_path_leads_out() {
    // Some 40 calls a case. `RETRACE_HOSTILE_CASES=1000` tries more than 100,000 paths.
    let cases =
        std::env::var("RETRACE_HOSTILE_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(120);
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    for dialect in Dialect::ALL {
        let calls = proptest::collection::vec(hostile_call(), 30..50);
        proptest!(config.clone(), |(calls in calls)| {
            let ground = Ground::new();
            let tool = ground.tool(dialect);
            for call in &calls {
                let answer = tool.call(call, &mut ());
                prop_assert!(!answer.content.contains(OUTSIDE), "{call}: {}", answer.content);
            }
            ground.assert_untouched();
        });
    }
}

#[test]
fn any_json_is_answered() {
    let ground = Ground::new();
    for input in [
        json!(null),
        json!(1),
        json!("view"),
        json!([]),
        json!({}),
        json!({ "command": null }),
        json!({ "command": "view", "path": null }),
        json!({ "command": "insert", "path": "/memories/a.md", "insert_line": 1e300, "insert_text": "" }),
        json!({ "command": "view", "path": "/memories/a.md", "view_range": ["a", {}] }),
    ] {
        for dialect in Dialect::ALL {
            let Answer { is_error, .. } = ground.tool(dialect).call(&input, &mut ());
            assert!(is_error, "{input}");
        }
    }
}

#[test]
fn a_directory_exchanged_for_a_link_leads_nowhere() {
    for dialect in Dialect::ALL {
        let ground = Ground::new();
        let tool = ground.tool(dialect);
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                // The directory `d` and a link to `outside/d` take turns at the name.
                let (name, aside) = (ground.root.join("d"), ground.root.join(".aside"));
                while !done.load(Ordering::SeqCst) {
                    let _ = std::fs::rename(&name, &aside);
                    let _ = symlink(ground.outside.join("d"), &name);
                    std::thread::yield_now();
                    let _ = std::fs::remove_file(&name);
                    let _ = std::fs::rename(&aside, &name);
                }
            });
            for round in 0..400 {
                for call in [
                    json!({ "command": "view", "path": "/memories/d/a.md" }),
                    json!({ "command": "create", "path": format!("/memories/d/{round}.md"), "file_text": "x" }),
                    json!({ "command": "insert", "path": "/memories/d/a.md", "insert_line": 0, "insert_text": "x" }),
                    json!({ "command": "rename", "old_path": format!("/memories/d/{round}.md"), "new_path": "/memories/d/m.md" }),
                    json!({ "command": "delete", "path": "/memories/d/m.md" }),
                ] {
                    let answer = tool.call(&call, &mut ());
                    assert!(!answer.content.contains(OUTSIDE), "{call}");
                }
            }
            done.store(true, Ordering::SeqCst);
        });
        let names: Vec<_> = std::fs::read_dir(ground.outside.join("d")).unwrap().flatten().collect();
        assert_eq!(names.len(), 1);
        assert_eq!(std::fs::read_to_string(ground.outside.join("d/a.md")).unwrap(), OUTSIDE);
    }
}

/// Counts what was written.
#[derive(Default)]
struct Writes(Vec<Vec<u8>>);

impl Observer for Writes {
    fn before(&mut self, _: &[RelPath]) -> Result<(), Unobserved> {
        Ok(())
    }

    fn changed(&mut self, change: &Change<'_>) {
        if let Change::Written { bytes, .. } = change {
            self.0.push(bytes.to_vec());
        }
    }
}

#[test]
fn no_accepted_edit_of_many_writers_is_lost() {
    const WRITERS: usize = 8;
    const EDITS: usize = 12;
    let ground = Ground::new();
    std::fs::write(ground.root.join("a.md"), "").unwrap();
    let accepted: usize = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let tool = ground.tool(Dialect::ALL[writer % 2]);
                scope.spawn(move || {
                    let mut writes = Writes::default();
                    let mut accepted = 0;
                    for edit in 0..EDITS {
                        let text = format!("{writer}.{edit}");
                        let call = json!({ "command": "insert", "path": "/memories/a.md", "insert_line": 0, "insert_text": text });
                        accepted += usize::from(!tool.call(&call, &mut writes).is_error);
                    }
                    assert_eq!(writes.0.len(), accepted);
                    accepted
                })
            })
            .collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).sum()
    });
    let text = std::fs::read_to_string(ground.root.join("a.md")).unwrap();
    assert_eq!(text.lines().count(), accepted);
    assert_eq!(text.lines().collect::<BTreeSet<_>>().len(), accepted);
}
