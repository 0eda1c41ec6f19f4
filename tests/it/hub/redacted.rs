//! After a redaction nothing of it is left: in no table, in no file of the database once it was cleaned as docs/HUB.md says, in no
//! machine's data directory.

use super::Machine;
use retrace_hub::HubOptions;
use retrace_tests::holds_bytes;
use retrace_tests::postgres::Postgres;
use std::path::{Path, PathBuf};

const SECRET: &str = "the door opens with quartz-heron-5521";
const PATH: &str = "where-the-heron-sleeps.md";

/// Files of the write-ahead log that PostgreSQL uses again, as it comes: `min_wal_size`, 80 MB, by 16 MB.
const WAL_FILES: usize = 5;

/// Files below a directory that hold exact bytes.
fn files_with(directory: &Path, needle: &[u8]) -> Vec<PathBuf> {
    let (mut folders, mut found) = (vec![directory.to_path_buf()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a directory").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if std::fs::read(&path)
                .is_ok_and(|bytes| bytes.windows(needle.len()).any(|part| part == needle))
            {
                found.push(path);
            }
        }
    }
    found
}

fn bytes_of(hex: &str) -> Vec<u8> {
    let digit = |at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hexadecimal digits");
    (0..hex.len()).step_by(2).map(digit).collect()
}

/// What the database has of the content and its version: each must go.
fn traces(postgres: &Postgres) -> Vec<(&'static str, Vec<u8>)> {
    let version = format!("FROM versions WHERE path = convert_to('{PATH}', 'UTF8')");
    let content = format!("FROM contents WHERE sha256 = (SELECT content_sha256 {version})");
    let one = |name, sql: String| (name, bytes_of(&postgres.query("postgres", &sql)));
    vec![
        ("path", PATH.as_bytes().to_vec()),
        ("salt", bytes_of(&postgres.query("postgres", &format!("SELECT encode(salt, 'hex') {version}")))),
        one("hash", format!("SELECT encode(content_sha256, 'hex') {version}")),
        one("wrapped key", format!("SELECT encode(wrapped_key, 'hex') {content}")),
        one("encrypted content", format!("SELECT encode(bytes, 'hex') {content}")),
    ]
}

#[test]
fn nothing_is_left_of_what_was_redacted() {
    let Some(postgres) = Postgres::start() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let hub =
        retrace_hub::start(HubOptions::new(&postgres.url(), &folder.path().join("hub.key"))).expect("a hub");
    let (a, b) = (Machine::new("a"), Machine::new("b"));
    a.join(hub.url(), hub.owner_token().expect("a token")).expect("it joins");
    b.join(hub.url(), &a.token()).expect("it joins");
    a.record(PATH, format!("{SECRET}\n"));
    a.record("other.md", "what stays\n");
    b.record("fact.md", "what stays there\n");
    a.synced();
    b.synced();
    let traces = traces(&postgres);
    postgres.sql("postgres", "ANALYZE");
    postgres.sql("postgres", "CHECKPOINT");
    assert!(!files_with(&postgres.data(), PATH.as_bytes()).is_empty(), "the search finds what is there");
    let readable = |when: &str| {
        let found = files_with(&postgres.data(), SECRET.as_bytes());
        assert!(found.is_empty(), "{when} a content is readable in {found:?}");
        assert!(!holds_bytes(folder.path(), SECRET.as_bytes()), "{when} it is beside the key");
    };
    readable("from the beginning");

    // Deleting it makes a version that has the path as well.
    a.world.remove(PATH);
    a.world.scan();
    a.synced();
    let versions = a.world.log(PATH);
    let [deleted, created] = versions.as_slice() else { panic!("two versions: {versions:?}") };
    let (exit, _, errors) = a.run(&["--quiet", "redact", &deleted.id, &created.id]);
    assert_eq!(exit.0, 0, "{errors}");
    a.synced();
    b.synced();
    for machine in [&a, &b] {
        for (name, needle) in [("content", SECRET.as_bytes()), ("path", PATH.as_bytes())] {
            let found = files_with(&machine.data_dir(), needle);
            assert!(found.is_empty(), "the {name} is in {found:?}");
        }
    }
    readable("after the redaction");
    let rows = postgres.query("postgres", "SELECT count(*) FROM contents");
    assert_eq!(rows, "2", "its row is gone, the others stay");

    // Dead rows and old files of the write-ahead log, as docs/HUB.md says.
    postgres.sql("postgres", "VACUUM FULL");
    for _ in 0..WAL_FILES + 2 {
        postgres.sql("postgres", "SELECT pg_switch_wal()");
        postgres.sql("postgres", "CHECKPOINT");
    }
    for (name, needle) in &traces {
        let found = files_with(&postgres.data(), needle);
        assert!(found.is_empty(), "the {name} is in {found:?}");
    }
    assert_eq!(a.versions().iter().filter(|version| version.content == "redacted").count(), 2);
}
