use super::*;
use crate::harness::{Store, path};

fn scan(store: &Store, under: Option<&str>) -> Scan {
    store.root().scan(&Rules::default(), under.map(path).as_ref())
}

fn found(scan: &Scan) -> Vec<String> {
    scan.found.keys().map(RelPath::to_text).collect()
}

fn problems(scan: &Scan) -> Vec<String> {
    let mut problems: Vec<_> = scan.problems.iter().map(Problem::to_string).collect();
    problems.sort();
    problems
}

#[test]
fn the_rules_say_what_is_found() {
    let store = Store::new();
    for name in [
        "MEMORY.md",
        "a/b/c.md",
        ".claude/agent-memory/x.md",
        ".git/config",
        "a/node_modules/x/y.md",
        ".hidden",
        "a/b.md~",
        "a/.#b.md",
        "4913",
    ] {
        store.write(name, "text");
    }
    let whole = scan(&store, None);
    assert_eq!(found(&whole), [".claude/agent-memory/x.md", "MEMORY.md", "a/b/c.md"]);
    let directories: Vec<_> = whole.directories.keys().map(RelPath::to_text).collect();
    assert_eq!(directories, [".claude", ".claude/agent-memory", "a", "a/b"]);
    assert!(whole.is_complete() && whole.problems.is_empty());
    assert_eq!(whole.found.get(&path("MEMORY.md")).copied(), store.root().seen(&path("MEMORY.md")).unwrap());
}

#[test]
fn a_part_is_scanned_by_the_same_rules() {
    let store = Store::new();
    for name in ["a/b/c.md", "a/d.md", "a/.x/e.md", "node_modules/f/g.md", "a/.h"] {
        store.write(name, "text");
    }
    for (under, names) in [
        ("a", &["a/.x/e.md", "a/b/c.md", "a/d.md"][..]),
        ("a/b", &["a/b/c.md"]),
        ("a/d.md", &["a/d.md"]),
        ("a/.x", &["a/.x/e.md"]),
        ("a/.h", &[]),
        ("node_modules", &[]),
        ("node_modules/f", &[]),
        ("node_modules/f/g.md", &[]),
        ("none", &[]),
        ("none/x", &[]),
        ("a/d.md/x", &[]),
    ] {
        let part = scan(&store, Some(under));
        assert_eq!(found(&part), names, "{under}");
        assert!(part.is_complete() && part.problems.is_empty(), "{under}: {:?}", part.problems);
    }
    assert!(scan(&store, Some("a/b")).directories.contains_key(&path("a/b")));
}

#[cfg(target_os = "linux")]
#[test]
fn names_are_bytes() {
    use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt as _};
    let store = Store::new();
    let longest = [b'n'; 255];
    let names: [&[u8]; 7] = [
        b"with space.md",
        b"new\nline.md",
        "e\u{301}.md".as_bytes(),
        "\u{e9}.md".as_bytes(),
        b"caf\xe9.md",
        &longest,
        b"\\x2e",
    ];
    for name in names {
        fs::write(store.at("").join(OsStr::from_bytes(name)), "text").unwrap();
    }
    let scan = scan(&store, None);
    assert_eq!(scan.found.len(), names.len());
    for name in names {
        let path = RelPath::from_bytes(name).unwrap();
        assert!(scan.found.contains_key(&path), "{path}");
        assert_eq!(store.root().read(&path, 10).unwrap().size, 4);
    }
}

#[test]
fn what_is_no_file_is_shown_and_never_opened() {
    let store = Store::new();
    store.write("real/a.md", "text");
    store.link("real", "to-directory");
    store.link("real/a.md", "to-file.md");
    store.link("nowhere", "dangling");
    store.link("/etc", ".hidden-link");
    store.link("gone", ".#lock");
    store.link("/etc", "node_modules");
    store.link(".", "real/loop");
    store.fifo("pipe");
    store.fifo(".hidden-pipe");
    std::os::unix::net::UnixListener::bind(store.at("socket")).unwrap();
    let whole = scan(&store, None);
    assert_eq!(found(&whole), ["real/a.md"]);
    assert_eq!(
        problems(&whole),
        [
            "\".hidden-link\" is a symbolic link and was not followed",
            "\"dangling\" is a symbolic link and was not followed",
            "\"pipe\" is a named pipe",
            "\"real/loop\" is a symbolic link and was not followed",
            "\"socket\" is a socket",
            "\"to-directory\" is a symbolic link and was not followed",
            "\"to-file.md\" is a symbolic link and was not followed",
        ]
    );
    assert!(whole.is_complete(), "links and pipes hide no file");
    for under in ["to-directory", "to-directory/a.md", "real/loop/a.md"] {
        let part = scan(&store, Some(under));
        assert!(part.found.is_empty() && part.problems[0].kind == ProblemKind::Link, "{under}");
    }
}

#[test]
fn nothing_below_an_unreadable_directory_is_called_gone() {
    let store = Store::new();
    store.write("open/a.md", "text");
    store.write("closed/b.md", "text");
    store.write("listed/c.md", "text");
    store.mode("closed", 0o000);
    store.mode("listed", 0o400);
    let (whole, part, behind) = store.unprivileged(|root| {
        let scan = |under: Option<&str>| root.scan(&Rules::default(), under.map(path).as_ref());
        (scan(None), scan(Some("closed")), scan(Some("closed/b.md")))
    });
    assert_eq!(found(&whole), ["open/a.md"]);
    assert!(!whole.is_complete());
    assert!(whole.covers(&path("open/z.md")) && whole.covers(&path("closed.md")));
    assert!(!whole.covers(&path("closed/b.md")) && !whole.covers(&path("closed/d/e.md")));
    assert!(!whole.covers(&path("listed/c.md")), "its names alone may be read");
    assert_eq!(problems(&whole), ["\"closed\" may not be read", "\"listed\" may not be read"]);
    for part in [part, behind] {
        assert!(part.found.is_empty() && !part.covers(&path("closed/b.md")));
    }
}

#[test]
fn an_unreadable_root_hides_everything() {
    let store = Store::new();
    store.write("a.md", "text");
    let scan = store.unprivileged(|root| {
        store.mode("", 0o000);
        root.scan(&Rules::default(), None)
    });
    store.mode("", 0o700);
    assert!(!scan.covers(&path("a.md")) && !scan.is_complete());
    assert_eq!(scan.unreadable, [None]);
    assert_eq!(problems(&scan), ["the directory may not be read"]);
}

#[test]
fn depth_is_limited_and_reported() {
    let store = Store::new();
    let deep = |levels: usize| vec!["d"; levels].join("/");
    store.write(&format!("{}/a.md", deep(DEPTH_LIMIT - 1)), "deepest");
    store.write(&format!("{}/b.md", deep(DEPTH_LIMIT)), "too deep");
    let whole = scan(&store, None);
    assert_eq!(whole.found.len(), 1);
    assert!(whole.problems.iter().all(|problem| problem.kind == ProblemKind::TooDeep));
    assert_eq!(whole.problems.len(), 1);
    assert!(!whole.covers(&path(&format!("{}/b.md", deep(DEPTH_LIMIT)))));
    let part = scan(&store, Some(&deep(DEPTH_LIMIT)));
    assert!(part.found.is_empty() && part.problems[0].kind == ProblemKind::TooDeep);
}

#[test]
fn a_path_longer_than_the_system_takes_is_reached_by_components() {
    let store = Store::new();
    let name = "d".repeat(250);
    let mut at = None;
    // 20 levels of 250 bytes are above PATH_MAX (4096).
    for _ in 0..20 {
        let next = match &at {
            None => path(&name),
            Some(at) => RelPath::join(at, name.as_bytes()).unwrap(),
        };
        let parent = store.root().parent_of(&next).unwrap();
        parent.create_directory(name.as_bytes(), 0o755).unwrap();
        at = Some(next);
    }
    let file = at.unwrap().join(b"a.md").unwrap();
    let done = store.root().replace(&file, crate::Expected::Absent, b"deep", 1, &crate::NoFaults).unwrap();
    let whole = scan(&store, None);
    assert_eq!(whole.found.get(&file).copied(), done.seen);
    assert_eq!(store.root().read(&file, 10).unwrap().bytes.unwrap(), b"deep");
}
