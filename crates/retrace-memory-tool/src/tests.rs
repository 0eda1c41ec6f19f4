//! The tool on a directory of its own: the rows of the fact sheet, links, modes, changes told.

#![allow(clippy::needless_pass_by_value, reason = "inputs are made for one call")]

use crate::{Change, Dialect, Guard, GuardMode, MemoryTool, Observer, Options, Sensitive, Unobserved};
use retrace_model::RelPath;
use serde_json::{Value, json};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tempfile::TempDir;

pub(crate) struct Memory {
    temp: TempDir,
    pub(crate) tool: MemoryTool,
}

pub(crate) fn options(dialect: Dialect) -> Options {
    let next = AtomicU64::new(1);
    Options::new(dialect, Arc::new(move || next.fetch_add(1 << 16, Ordering::SeqCst)))
}

impl Memory {
    pub(crate) fn new(dialect: Dialect) -> Self {
        Self::with(options(dialect))
    }

    fn with(mut options: Options) -> Self {
        let temp = tempfile::tempdir().unwrap();
        options.make_root = true;
        let tool = MemoryTool::open(&temp.path().join("base/memories"), options).unwrap();
        Self { temp, tool }
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.tool.root().join(below)
    }

    pub(crate) fn outside(&self, below: &str) -> PathBuf {
        self.temp.path().join(below)
    }

    fn write(&self, below: &str, text: &str) {
        let path = self.path(below);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn text(&self, below: &str) -> String {
        std::fs::read_to_string(self.path(below)).unwrap()
    }

    fn mode(&self, below: &str) -> u32 {
        std::fs::symlink_metadata(self.path(below)).unwrap().permissions().mode() & 0o7777
    }

    fn says(&self, input: Value) -> String {
        let answer = self.tool.call(&input, &mut ());
        assert!(!answer.is_error, "{}", answer.content);
        answer.content
    }

    fn refuses(&self, input: Value) -> String {
        let answer = self.tool.call(&input, &mut ());
        assert!(answer.is_error, "{}", answer.content);
        answer.content
    }
}

fn view(path: &str) -> Value {
    json!({ "command": "view", "path": path })
}

fn create(path: &str, text: &str) -> Value {
    json!({ "command": "create", "path": path, "file_text": text })
}

fn replace(path: &str, old: &str, new: &str) -> Value {
    json!({ "command": "str_replace", "path": path, "old_str": old, "new_str": new })
}

fn insert(path: &str, line: i64, text: &str) -> Value {
    json!({ "command": "insert", "path": path, "insert_line": line, "insert_text": text })
}

fn delete(path: &str) -> Value {
    json!({ "command": "delete", "path": path })
}

fn rename(from: &str, to: &str) -> Value {
    json!({ "command": "rename", "old_path": from, "new_path": to })
}

#[test]
fn the_string_table() {
    const P: &str = "/memories/a.md";
    // Input; then the answers in docs, py, ts. A file `a.md` with two equal lines, a directory `d`.
    let rows: Vec<(Value, [&str; 3])> = vec![
        (
            view("/memories/none"),
            [
                "The path /memories/none does not exist. Please provide a valid path.",
                "The path /memories/none does not exist. Please provide a valid path.",
                "Error: The path /memories/none does not exist. Please provide a valid path.",
            ],
        ),
        (
            create(P, ""),
            [
                "Error: File /memories/a.md already exists",
                "File /memories/a.md already exists",
                "Error: File /memories/a.md already exists",
            ],
        ),
        (
            replace("/memories/none", "a", "b"),
            [
                "Error: The path /memories/none does not exist. Please provide a valid path.",
                "The path /memories/none does not exist. Please provide a valid path.",
                "Error: The path /memories/none does not exist. Please provide a valid path.",
            ],
        ),
        (
            replace("/memories/d", "a", "b"),
            [
                "Error: The path /memories/d does not exist. Please provide a valid path.",
                "The path /memories/d is not a file.",
                "Error: The path /memories/d is not a file.",
            ],
        ),
        (
            replace(P, "zzz", "b"),
            [
                "No replacement was performed, old_str `zzz` did not appear verbatim in /memories/a.md.",
                "No replacement was performed, old_str `zzz` did not appear verbatim in /memories/a.md.",
                "Error: No replacement was performed, old_str `zzz` did not appear verbatim in /memories/a.md.",
            ],
        ),
        (
            replace(P, "same", "b"),
            [
                "No replacement was performed. Multiple occurrences of old_str `same` in lines: 1, 2. Please ensure it is unique",
                "No replacement was performed. Multiple occurrences of old_str `same` in lines: 1, 2. Please ensure it is unique",
                "Error: No replacement was performed. Multiple occurrences of old_str `same` in lines: 1, 2. Please ensure it is unique",
            ],
        ),
        (
            insert("/memories/none", 0, "x"),
            [
                "Error: The path /memories/none does not exist",
                "The path /memories/none does not exist. Please provide a valid path.",
                "Error: The path /memories/none does not exist. Please provide a valid path.",
            ],
        ),
        (
            insert("/memories/d", 0, "x"),
            [
                "Error: The path /memories/d does not exist",
                "The path /memories/d is not a file.",
                "Error: The path /memories/d is not a file.",
            ],
        ),
        (
            insert(P, 9, "x"),
            [
                "Error: Invalid `insert_line` parameter: 9. It should be within the range of lines of the file: [0, 2]",
                "Invalid `insert_line` parameter: 9. It should be within the range [0, 2].",
                "Error: Invalid `insert_line` parameter: 9. It should be within the range of lines of the file: [0, 3]",
            ],
        ),
        (
            delete("/memories/none"),
            [
                "Error: The path /memories/none does not exist",
                "The path /memories/none does not exist",
                "Error: The path /memories/none does not exist",
            ],
        ),
        (
            delete("/memories/"),
            [
                "Error: Cannot delete the /memories directory itself",
                "Cannot delete the /memories directory itself",
                "Error: Cannot delete the /memories directory itself",
            ],
        ),
        (
            rename("/memories/none", "/memories/x"),
            [
                "Error: The path /memories/none does not exist",
                "The path /memories/none does not exist",
                "Error: The path /memories/none does not exist",
            ],
        ),
        (
            rename(P, P),
            [
                "Error: The destination /memories/a.md already exists",
                "The destination /memories/a.md already exists",
                "Error: The destination /memories/a.md already exists",
            ],
        ),
        (
            rename("/memories", "/memories/x"),
            [
                "Error: Cannot rename the /memories directory itself",
                "Cannot rename the /memories directory itself",
                "Error: Cannot rename the /memories directory itself",
            ],
        ),
        (
            view("/etc/passwd"),
            [
                "Error: Path must start with /memories, got: /etc/passwd",
                "Path must start with /memories, got: /etc/passwd",
                "Error: Path must start with /memories, got: /etc/passwd",
            ],
        ),
        (
            view("/memories/../x"),
            [
                "Error: Path /memories/../x would escape /memories directory",
                "Path /memories/../x would escape /memories directory",
                "Error: Path /memories/../x would escape /memories directory",
            ],
        ),
        (
            view("/memories/out"),
            [
                "Error: Path would escape /memories directory via symlink",
                "Path /memories/out would escape /memories directory",
                "Error: Path would escape /memories directory via symlink",
            ],
        ),
    ];
    for (at, dialect) in Dialect::ALL.into_iter().enumerate() {
        let memory = Memory::new(dialect);
        memory.write("a.md", "same\nsame\n");
        memory.write("d/b.md", "b");
        std::fs::write(memory.outside("secret"), "outside").unwrap();
        symlink("../../secret", memory.path("out")).unwrap();
        for (input, answers) in &rows {
            assert_eq!(memory.refuses(input.clone()), answers[at], "{dialect}: {input}");
        }
        assert_eq!(
            memory.says(create("/memories/n/e/w.md", "x\n")),
            "File created successfully at: /memories/n/e/w.md"
        );
        assert_eq!(
            memory.says(replace("/memories/n/e/w.md", "x", "y")),
            "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     1\ty\n     2\t"
        );
        assert_eq!(
            memory.says(insert("/memories/n/e/w.md", 1, "z\n")),
            "The file /memories/n/e/w.md has been edited."
        );
        assert_eq!(memory.text("n/e/w.md").trim_end(), "y\nz");
        assert_eq!(
            memory.says(rename("/memories/n", "/memories/m/o")),
            "Successfully renamed /memories/n to /memories/m/o"
        );
        assert_eq!(memory.says(delete("/memories/m")), "Successfully deleted /memories/m");
        assert!(!memory.path("m").exists());
    }
}

#[test]
fn a_directory_view() {
    for dialect in Dialect::ALL {
        let memory = Memory::new(dialect);
        memory.write("b.md", "bb");
        memory.write("a/c.md", "");
        memory.write("a/deep/x.md", "not shown");
        memory.write("node_modules/p.md", "p");
        memory.write(".hidden", "h");
        symlink("b.md", memory.path("link")).unwrap();
        symlink("none", memory.path("dangling")).unwrap();
        symlink("/etc", memory.path("out")).unwrap();
        let view = memory.says(view("/memories/"));
        // Directory sizes are the file system's.
        let lines: Vec<&str> = view
            .lines()
            .skip(1)
            .map(|line| if line.ends_with('/') { line.split('\t').nth(1).unwrap() } else { line })
            .collect();
        let mut expected = vec![
            "/memories/",
            "/memories//a/",
            "0B\t/memories//a/c.md",
            "/memories//a/deep/",
            "2B\t/memories//b.md",
            "2B\t/memories//link",
        ];
        if dialect == Dialect::Py {
            expected.extend(["/memories//node_modules/", "1B\t/memories//node_modules/p.md"]);
        }
        assert_eq!(lines, expected);
    }
}

#[test]
fn links_in_each_dialect() {
    for dialect in Dialect::ALL {
        let memory = Memory::new(dialect);
        memory.write("a.md", "one\n");
        symlink("a.md", memory.path("link")).unwrap();
        memory.says(replace("/memories/link", "one", "two"));
        let replaced = dialect == Dialect::Ts;
        assert_eq!(memory.text("a.md"), if replaced { "one\n" } else { "two\n" });
        assert_eq!(memory.text("link"), "two\n");
        assert_eq!(std::fs::symlink_metadata(memory.path("link")).unwrap().is_symlink(), !replaced);

        symlink("a.md", memory.path("second")).unwrap();
        memory.says(delete("/memories/second"));
        let link_stays = dialect == Dialect::Py;
        assert_eq!(std::fs::symlink_metadata(memory.path("second")).is_ok(), link_stays);
        assert_eq!(memory.path("a.md").exists(), !link_stays);
    }
}

#[test]
fn links_that_lead_back_are_followed_and_no_others() {
    for dialect in Dialect::ALL {
        let memory = Memory::new(dialect);
        memory.write("d/a.md", "inside");
        std::fs::create_dir(memory.outside("elsewhere")).unwrap();
        std::fs::write(memory.outside("elsewhere/a.md"), "outside").unwrap();
        symlink(memory.path("d"), memory.path("back")).unwrap();
        symlink(memory.outside("elsewhere"), memory.path("away")).unwrap();
        symlink("../../base/memories/d", memory.path("round")).unwrap();
        symlink("circle", memory.path("circle")).unwrap();
        for name in ["back", "round"] {
            assert!(memory.says(view(&format!("/memories/{name}/a.md"))).ends_with("\tinside"));
        }
        for input in [
            view("/memories/away/a.md"),
            view("/memories/away"),
            create("/memories/away/b.md", "x"),
            replace("/memories/away/a.md", "outside", "x"),
            delete("/memories/away/a.md"),
            rename("/memories/away/a.md", "/memories/b.md"),
            rename("/memories/d/a.md", "/memories/away/b.md"),
        ] {
            assert!(memory.refuses(input).contains("would escape"));
        }
        memory.refuses(view("/memories/circle"));
        assert_eq!(std::fs::read_dir(memory.outside("elsewhere")).unwrap().count(), 1);
        assert_eq!(std::fs::read_to_string(memory.outside("elsewhere/a.md")).unwrap(), "outside");
    }
}

#[test]
fn modes_are_the_dialects() {
    for dialect in Dialect::ALL {
        let memory = Memory::new(dialect);
        assert_eq!(memory.mode(""), 0o700);
        memory.says(create("/memories/x/y.md", "a"));
        assert_eq!((memory.mode("x"), memory.mode("x/y.md")), (0o700, 0o600));
        std::fs::set_permissions(memory.path("x/y.md"), std::fs::Permissions::from_mode(0o644)).unwrap();
        memory.says(replace("/memories/x/y.md", "a", "b"));
        assert_eq!(memory.mode("x/y.md"), if dialect == Dialect::Docs { 0o644 } else { 0o600 });
    }
}

#[derive(Default)]
struct Reported {
    before: Vec<String>,
    changes: Vec<String>,
    refuse: bool,
}

impl Observer for Reported {
    fn before(&mut self, paths: &[RelPath]) -> Result<(), Unobserved> {
        self.before.extend(paths.iter().map(RelPath::to_text));
        if self.refuse { Err(Unobserved("the log is full".to_owned())) } else { Ok(()) }
    }

    fn changed(&mut self, change: &Change<'_>) {
        self.changes.push(match change {
            Change::Written { path, bytes, .. } => format!("{path} = {}", String::from_utf8_lossy(bytes)),
            Change::Removed { path } => format!("{path} gone"),
            Change::Moved { from, to } => format!("{from} -> {to}"),
        });
    }
}

#[test]
fn every_change_is_reported_path_by_path() {
    for dialect in Dialect::ALL {
        let memory = Memory::new(dialect);
        memory.write("d/one.md", "1");
        memory.write("d/e/two.md", "2");
        let mut reported = Reported::default();
        for input in [
            create("/memories/a.md", "a\n"),
            insert("/memories/a.md", 1, "b\n"),
            rename("/memories/d", "/memories/f/g"),
            delete("/memories/f"),
            view("/memories"),
            delete("/memories/none"),
        ] {
            memory.tool.call(&input, &mut reported);
        }
        assert_eq!(
            reported.changes,
            [
                "a.md = a\n",
                "a.md = a\nb\n",
                "d/e/two.md -> f/g/e/two.md",
                "d/one.md -> f/g/one.md",
                "f/g/e/two.md gone",
                "f/g/one.md gone",
            ]
        );
        let mut refusing = Reported { refuse: true, ..Reported::default() };
        let refused = memory.tool.call(&delete("/memories/a.md"), &mut refusing);
        assert!(refused.is_error && refused.content.ends_with("The change was not made: the log is full"));
        assert_eq!((refusing.before, refusing.changes), (vec!["a.md".to_owned()], vec![]));
        assert!(memory.path("a.md").exists());
    }
}

struct NoNumbers;

impl Guard for NoNumbers {
    fn findings(&self, text: &str) -> Vec<Sensitive> {
        let digits = text.chars().filter_map(|letter| letter.to_digit(10));
        digits.map(|digit| Sensitive { what: "a digit".to_owned(), mark: digit.into() }).collect()
    }
}

#[test]
fn the_guard_checks_what_is_added() {
    let guarded = |mode| {
        let mut options = options(Dialect::Docs);
        options.guard = Some(Arc::new(NoNumbers));
        options.guard_mode = mode;
        Memory::with(options)
    };
    let refusing = guarded(GuardMode::Refuse);
    refusing.write("old.md", "7 was here\n");
    assert_eq!(
        refusing.refuses(create("/memories/a.md", "1")),
        "Error: /memories/a.md was not written, because it would hold something sensitive: a digit"
    );
    assert!(!refusing.path("a.md").exists());
    refusing.says(insert("/memories/old.md", 1, "no more"));
    refusing.refuses(insert("/memories/old.md", 1, "8"));
    let exchange =
        |new| json!({ "command": "str_replace", "path": "/memories/old.md", "old_str": "7", "new_str": new });
    refusing.refuses(exchange("9"));
    refusing.says(exchange("nothing"));
    let warning = guarded(GuardMode::Warn);
    assert_eq!(
        warning.says(create("/memories/a.md", "1")),
        "File created successfully at: /memories/a.md\nWarning: it holds something sensitive: a digit"
    );
    guarded(GuardMode::Off).says(create("/memories/a.md", "1"));
}

#[test]
fn the_guard_checks_names_as_well() {
    for dialect in Dialect::ALL {
        let guarded = |mode| {
            let mut options = options(dialect);
            options.guard = Some(Arc::new(NoNumbers));
            options.guard_mode = mode;
            Memory::with(options)
        };
        let rename = |from, to| json!({ "command": "rename", "old_path": from, "new_path": to });
        let refusing = guarded(GuardMode::Refuse);
        let quoted = refusing.refuses(create("/memories/key-1.md", "x"));
        assert!(quoted.ends_with("it would hold something sensitive: in its name: a digit"), "{quoted}");
        refusing.says(create("/memories/a.md", "x"));
        refusing.refuses(rename("/memories/a.md", "/memories/b/2.md"));
        assert!(refusing.path("a.md").exists() && !refusing.path("b").exists());
        refusing.write("3.md", "was here before\n");
        refusing.says(insert("/memories/3.md", 1, "its name is no news"));
        refusing.says(rename("/memories/3.md", "/memories/c-3.md"));
        let warning = guarded(GuardMode::Warn);
        warning.says(create("/memories/a.md", "x"));
        assert_eq!(
            warning.says(rename("/memories/a.md", "/memories/4.md")),
            "Successfully renamed /memories/a.md to /memories/4.md\nWarning: it holds something sensitive: in its name: a digit"
        );
    }
}

#[test]
fn a_directory_of_many_files_can_be_read_to_its_end() {
    let memory = Memory::new(Dialect::Docs);
    for number in 0..600 {
        memory.write(&format!("a-name-that-takes-some-room-{number:03}.md"), "");
    }
    let first = memory.says(view("/memories"));
    let (_, on) = first.split_once("Go on with view_range [").expect("it is cut");
    let from: u64 = on.split(',').next().unwrap().parse().unwrap();
    let mut rest = view("/memories");
    rest["view_range"] = json!([from, -1]);
    let rest = memory.says(rest);
    assert!(first.contains("-000.md\n") && rest.ends_with("-599.md"), "{rest}");
    assert_eq!((first + &rest).matches(".md").count(), 600);
}

#[test]
fn limits_are_kept() {
    let mut small = options(Dialect::Py);
    small.max_file_bytes = 8;
    let memory = Memory::with(small);
    memory.says(create("/memories/a.md", "12345678"));
    assert_eq!(
        memory.refuses(create("/memories/b.md", "123456789")),
        "/memories/b.md is too large: 9 bytes, the limit is 8"
    );
    memory.refuses(insert("/memories/a.md", 0, "x"));
    memory.write("big.md", "123456789");
    memory.refuses(view("/memories/big.md"));
    let deep = format!("/memories/{}x.md", "d/".repeat(200));
    assert!(memory.refuses(create(&deep, "")).contains("too deep"));
    assert!(!memory.path("d").exists());
}

#[test]
fn what_is_no_text_is_reported_as_the_client_says_it() {
    for (dialect, quoted) in [
        (Dialect::Docs, "Error: The file /memories/b is not UTF-8 text"),
        (Dialect::Py, "UnicodeDecodeError('utf-8', b'a\\xff\\'', 1, 2, 'invalid start byte')"),
    ] {
        let memory = Memory::new(dialect);
        std::fs::write(memory.path("b"), b"a\xff'").unwrap();
        if dialect == Dialect::Py {
            // Python prefers the other quotation mark where the text holds this one.
            let quoted = quoted.replace("b'a\\xff\\''", "b\"a\\xff'\"");
            assert_eq!(memory.refuses(view("/memories/b")), quoted);
        } else {
            assert_eq!(memory.refuses(view("/memories/b")), quoted);
        }
    }
    let memory = Memory::new(Dialect::Ts);
    std::fs::write(memory.path("b"), b"a\xff'").unwrap();
    assert!(memory.says(view("/memories/b")).ends_with("\ta\u{fffd}'"));
}

#[test]
fn a_special_file_is_no_memory() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    for dialect in Dialect::ALL {
        let memory = Memory::new(dialect);
        mknodat(CWD, memory.path("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        assert!(memory.refuses(view("/memories/pipe")).ends_with("Unsupported file type for /memories/pipe"));
        memory.refuses(replace("/memories/pipe", "a", "b"));
        memory.refuses(create("/memories/pipe", "a"));
        assert_eq!(memory.says(view("/memories")).lines().count(), 2);
    }
}

#[test]
fn a_root_that_is_not_there_is_an_error() {
    let temp = tempfile::tempdir().unwrap();
    assert!(MemoryTool::open(Path::new("/nonexistent/for/sure"), options(Dialect::Docs)).is_err());
    std::fs::write(temp.path().join("file"), "").unwrap();
    assert!(MemoryTool::open(&temp.path().join("file"), options(Dialect::Docs)).is_err());
    let memory = Memory::new(Dialect::Py);
    std::fs::remove_dir(memory.tool.root()).unwrap();
    assert_eq!(memory.refuses(view("/memories")), "FileNotFoundError(2, 'No such file or directory')");
}
