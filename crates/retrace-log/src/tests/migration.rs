//! Formats: made, kept, refused.

use super::harness::*;
use crate::*;
use rusqlite::Connection;
use std::path::Path;

fn schema_of(connection: &Connection) -> String {
    let mut query = connection
        .prepare("SELECT coalesce(sql, type || ' ' || name) FROM sqlite_schema ORDER BY type, name")
        .expect("prepares");
    let rows = query.query_map([], |row| row.get::<_, String>(0)).expect("asks");
    rows.collect::<Result<Vec<_>, _>>().expect("reads").join(";\n\n")
}

fn open(folder: &Path) -> Result<Writer, LogError> {
    Writer::open(LogFiles::new(folder), entropy(1))
}

fn database(folder: &Path) -> Connection {
    Connection::open(LogFiles::new(folder).database()).expect("a database")
}

#[test]
fn the_schema_is_as_released() {
    insta::assert_snapshot!(schema_of(&TestLog::new().raw()));
}

#[test]
fn a_log_is_made_where_there_is_none_and_where_there_is_an_empty_file() {
    for with_empty_file in [false, true] {
        let folder = tempfile::tempdir().expect("a folder");
        if with_empty_file {
            std::fs::write(LogFiles::new(folder.path()).database(), b"").expect("a file");
        }
        drop(open(folder.path()).expect("a log"));
        let database = database(folder.path());
        let number =
            |name| database.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).expect("a number");
        assert_eq!(number("user_version"), crate::migrate::FORMAT);
        assert_eq!(number("application_id"), crate::migrate::APPLICATION_ID);
        let mode: String =
            database.pragma_query_value(None, "journal_mode", |row| row.get(0)).expect("a mode");
        assert_eq!(mode, "wal");
    }
}

#[test]
fn a_log_of_the_newest_format_stays_as_it_is() {
    let mut log = TestLog::new();
    log.put("a.md", "one");
    let (before, head) = (schema_of(&log.raw()), log.writer.reader().chain_head().expect("a head"));
    let log = log.reopen(2);
    assert_eq!(schema_of(&log.raw()), before);
    assert_eq!(log.writer.reader().chain_head().expect("a head"), head);
    log.assert_sound();
}

/// Made by the program before there were reviews: two stores, one of them off the list; versions 1 to 3 are the baseline of
/// the first; a move, a session, a redaction, a content that was too large, a deletion.
const FORMAT_1: &[u8] = include_bytes!("fixtures/format_1.db.zst");

/// The head of its chain, as that program printed it.
const HEAD_OF_FORMAT_1: &str = "85c8c632d031ea7911de85f87e47aed829f646d82cbf3f86f45e210af0595d54";

/// The same, as the program with reviews and without origins left it.
const FORMAT_2: &[u8] = include_bytes!("fixtures/format_2.db.zst");

#[test]
fn format_1_is_brought_to_the_newest_and_keeps_what_it_holds() {
    is_brought_to_the_newest_and_keeps_what_it_holds(FORMAT_1);
}

#[test]
fn format_2_is_brought_to_the_newest_and_keeps_what_it_holds() {
    is_brought_to_the_newest_and_keeps_what_it_holds(FORMAT_2);
}

fn is_brought_to_the_newest_and_keeps_what_it_holds(packed: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder");
    let files = LogFiles::new(folder.path());
    std::fs::write(files.database(), zstd::decode_all(packed).expect("unpacks")).expect("a file");
    let refused = ReadConnection::open(&files).map(drop);
    assert!(
        matches!(refused, Err(LogError::Invalid(_))),
        "reading alone brings nothing up to date: {refused:?}"
    );
    let mut writer = open(folder.path()).expect("a log");
    assert_eq!(schema_of(&writer.connection), schema_of(&TestLog::new().raw()));
    let reader = writer.reader();
    assert_eq!(reader.chain_head().expect("a head").to_hex(), HEAD_OF_FORMAT_1);
    assert_eq!(reader.verify().expect("verifies").problems, Vec::<String>::new());
    assert_eq!(writer.verify_search().expect("verifies"), Vec::<String>::new());
    assert_eq!(reader.last_version().expect("reads"), 12);
    let left = |person| {
        let left = writer.reader().unreviewed(&user(person), None).expect("reads");
        left.into_iter().map(|item| (item.base, item.newest)).collect::<Vec<_>>()
    };
    // Versions outside the baseline are left to review: in the baseline is left to review: in the store on the list, by
    // everybody.
    let expected = [(None, 11), (None, 9), (None, 7), (None, 6), (Some(2), 5), (Some(1), 4)];
    assert_eq!((left("ada"), left("ben")), (expected.to_vec(), expected.to_vec()));
    let store = reader.stores().expect("stores")[0].id;
    writer.append(scan(store, START, vec![put(store, "kept.md", "changed\n")])).expect("appends");
    assert_eq!(writer.reader().unreviewed(&user("ada"), None).expect("reads")[0].base, Some(3));
    assert_eq!(writer.reader().verify().expect("verifies").problems, Vec::<String>::new());
}

/// A log from before permissions were kept: each file is read once more, and they are known from then on.
#[test]
fn format_2_learns_permissions_at_the_next_look() {
    let folder = tempfile::tempdir().expect("a folder");
    let unpacked = zstd::decode_all(FORMAT_2).expect("unpacks");
    std::fs::write(LogFiles::new(folder.path()).database(), unpacked).expect("a file");
    let mut writer = open(folder.path()).expect("a log");
    assert!(writer.reader().compared_transcripts().expect("reads").is_empty());
    let mut learnt = 0;
    let stores = writer.reader().stores().expect("stores");
    for store in stores {
        let heads = writer.reader().heads(store.id).expect("heads");
        for (path, head) in heads {
            let Some(seen) = head.seen else { continue };
            assert_eq!(seen.mode, None, "so that it differs from what is there");
            let seen = retrace_model::Seen { mode: Some(0o640), ..seen };
            writer.saw(store.id, &[(path.clone(), seen)], head.seen_at).expect("remembers");
            let reader = writer.reader();
            assert_eq!(reader.permissions_at(store.id, &path).expect("reads").file, Some(0o640));
            assert_eq!(reader.heads(store.id).expect("heads")[&path].seen, Some(seen));
            learnt += 1;
        }
    }
    assert!(learnt > 0);
}

/// A log from before it was kept which operations were imports of git: those that stand are known by their note.
#[test]
fn format_19_knows_imports_of_git_by_their_notes() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut connection = database(folder.path());
    crate::migrate::migrate_to(&mut connection, 19).expect("a log of format 19");
    let insert = "INSERT INTO operations (seq, source, created_at, note, undoes, first_version, created, modified, deleted, digest)
        VALUES (?1, ?2, ?1, ?3, ?4, 1, 0, 0, 0, zeroblob(32))";
    for (seq, source, note, undoes) in [
        (1, "import", "import from git of /home/ada/app", None),
        (2, "import", "import from a bundle", None),
        (3, "scan", "import from git of nothing", None),
        (4, "import", "import from git of notes", None),
        (5, "import", "undo of operation 4", Some(4)),
    ] {
        connection.execute(insert, rusqlite::params![seq, source, note, undoes]).expect("an operation");
    }
    drop(connection);
    let writer = open(folder.path()).expect("a log");
    let mut query =
        writer.connection.prepare("SELECT operation_seq, replaced_for FROM git_imports").expect("SQL");
    let found = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
    let found: Vec<(u64, Option<u64>)> = found.collect::<Result<_, _>>().expect("rows");
    assert_eq!(found, [(1, None), (4, None)]);
}

/// A log from before permissions were kept by memory: they are those of the files as they stood.
#[test]
fn format_22_knows_permissions_of_live_memories() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut connection = database(folder.path());
    crate::migrate::migrate_to(&mut connection, 22).expect("a log of format 22");
    connection
        .execute_batch(
            "PRAGMA foreign_keys = off;
             INSERT INTO stores (id, public, kind, root, name, created_at) VALUES (1, zeroblob(16), 'plain', x'2f', 'notes', 1);
             INSERT INTO memories (id, public, store_id) VALUES (1, zeroblob(16), 1), (2, randomblob(16), 1);
             INSERT INTO paths (id, bytes) VALUES (1, CAST('a.md' AS BLOB));
             INSERT INTO live (memory_id, store_id, path_id, version_seq, seen_at) VALUES (1, 1, 1, 1, 1);
             INSERT INTO permissions (path_id, store_id, mode) VALUES (1, 1, 384);",
        )
        .expect("rows");
    crate::migrate::migrate_to(&mut connection, 23).expect("a log of format 23");
    let mut query = connection.prepare("SELECT memory_id, mode FROM memory_modes").expect("SQL");
    let found = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
    let found: Vec<(u64, u32)> = found.collect::<Result<_, _>>().expect("rows");
    assert_eq!(found, [(1, 0o600)]);
}

/// A log as the program with hosted stores left it before there was more of them: a mirror, and a change that waits.
#[test]
fn format_7_is_brought_to_the_newest_and_keeps_its_mirrors_and_queue() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut connection = database(folder.path());
    crate::migrate::migrate_to(&mut connection, 7).expect("a log of format 7");
    connection
        .execute_batch(
            "INSERT INTO stores (id, public, kind, root, name, created_at)
                VALUES (1, zeroblob(16), 'remote', CAST('remote:https://a.example#memstore_1' AS BLOB), 'hosted', 1);
             INSERT INTO remotes (store_id, base_url, remote_id, pulled_at) VALUES (1, 'https://a.example', 'memstore_1', 5);
             INSERT INTO remote_queue (store_id, kind, path, remote_memory_id, source, created_at)
                VALUES (1, 'delete', CAST('a.md' AS BLOB), 'mem_1', 'rollback', 6);",
        )
        .expect("rows");
    drop(connection);
    let writer = open(folder.path()).expect("a log");
    assert_eq!(schema_of(&writer.connection), schema_of(&TestLog::new().raw()));
    let reader = writer.reader();
    let remotes = reader.remotes().expect("mirrors");
    assert_eq!((remotes.len(), remotes[0].pulled_at.map(|at| at.micros())), (1, Some(5)));
    assert_eq!((&remotes[0].host_name, remotes[0].swept_to, remotes[0].swept_at), (&None, None, None));
    let queue = reader.remote_queue(None).expect("a queue");
    assert_eq!((queue.len(), queue[0].change.remote_memory.as_deref()), (1, Some("mem_1")));
}

#[test]
fn a_newer_log_is_refused_and_not_touched() {
    let folder = tempfile::tempdir().expect("a folder");
    drop(open(folder.path()).expect("a log"));
    let newer = crate::migrate::FORMAT + 1;
    database(folder.path()).pragma_update(None, "user_version", newer).expect("a newer format");
    let before = std::fs::read(LogFiles::new(folder.path()).database()).expect("reads");
    for refused in
        [open(folder.path()).map(drop), ReadConnection::open(&LogFiles::new(folder.path())).map(drop)]
    {
        match refused {
            Err(LogError::Newer { found, known }) => assert_eq!((found, known), (newer, newer - 1)),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(std::fs::read(LogFiles::new(folder.path()).database()).expect("reads"), before);
}

#[test]
fn a_database_of_another_program_is_refused_and_not_touched() {
    let makers: [fn(&Connection); 4] = [
        |other| other.execute_batch("CREATE TABLE bookmarks (url TEXT)").expect("a table"),
        |other| other.execute_batch("PRAGMA application_id = 7; PRAGMA user_version = 1").expect("pragmas"),
        |other| other.execute_batch("PRAGMA user_version = 3").expect("a pragma"),
        // Ours by its mark, but of a format that cannot be.
        |other| {
            other
                .execute_batch("PRAGMA application_id = 1381257795; PRAGMA user_version = -1")
                .expect("pragmas");
        },
    ];
    for make in makers {
        let folder = tempfile::tempdir().expect("a folder");
        make(&database(folder.path()));
        let before = std::fs::read(LogFiles::new(folder.path()).database()).expect("reads");
        let refused = open(folder.path()).map(drop);
        assert!(matches!(refused, Err(LogError::Damaged(_))), "{refused:?}");
        assert_eq!(std::fs::read(LogFiles::new(folder.path()).database()).expect("reads"), before);
    }
}

#[test]
fn a_file_that_is_no_database_is_refused_and_not_touched() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "not a database\n".repeat(1000);
    std::fs::write(LogFiles::new(folder.path()).database(), &text).expect("a file");
    for refused in
        [open(folder.path()).map(drop), ReadConnection::open(&LogFiles::new(folder.path())).map(drop)]
    {
        assert!(matches!(refused, Err(LogError::Damaged(_))), "{refused:?}");
    }
    assert_eq!(std::fs::read(LogFiles::new(folder.path()).database()).expect("reads"), text.as_bytes());
}

#[test]
fn a_reader_makes_no_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = LogFiles::new(folder.path().join("data"));
    let refused = ReadConnection::open(&files).map(drop);
    assert!(matches!(refused, Err(LogError::CannotWrite(_))), "{refused:?}");
    std::fs::create_dir(files.directory()).expect("a folder");
    std::fs::write(files.database(), b"").expect("a file");
    let refused = ReadConnection::open(&files).map(drop);
    assert!(matches!(refused, Err(LogError::Invalid(_))), "{refused:?}");
}

#[cfg(unix)]
#[test]
fn the_files_are_their_users_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let mut log = TestLog::new();
    log.put("a.md", "one");
    let _lease = Lease::take(&log.files(), 1).expect("a lease");
    let mode = |path: &Path| std::fs::metadata(path).expect("metadata").permissions().mode() & 0o777;
    assert_eq!(mode(log.files().directory()), 0o700);
    let mut names = Vec::new();
    for entry in std::fs::read_dir(log.files().directory()).expect("the data directory") {
        let entry = entry.expect("an entry");
        assert_eq!(mode(&entry.path()), 0o600, "{:?}", entry.file_name());
        names.push(entry.file_name().into_string().expect("text"));
    }
    names.sort();
    assert_eq!(names, ["owner.lock", "retrace.db", "retrace.db-shm", "retrace.db-wal"]);
}
