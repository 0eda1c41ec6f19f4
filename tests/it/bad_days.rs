//! Bad days: a full disk, a read-only one, a database that another process holds, that is newer, or that is damaged.

use crate::mounts;
use crate::scenes::SECRET;
use base64::Engine as _;
use retrace_api::{App, commands, wire};
use retrace_log::{LogError, LogFiles, ReadConnection, Writer};
use retrace_model::Sha256;
use retrace_tests::tree;
use retrace_tests::{World, child, holds_bytes, options};
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::sync::mpsc::channel;
use std::time::Duration;
use wire::Code;

/// Bytes that do not compress, the same each time.
fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(length + 32);
    let mut number = seed << 32;
    while bytes.len() < length {
        number += 1;
        bytes.extend(Sha256::of(&number.to_be_bytes()).0);
    }
    bytes.truncate(length);
    bytes
}

fn world_in(directory: &Path) -> World {
    let world = World::over(options(directory));
    world.add("notes");
    world
}

fn scan(world: &World) -> Result<wire::Scanned, wire::ApiError> {
    commands::scan(&world.app, wire::ScanReq::default())
}

fn redaction() -> wire::RedactReq {
    wire::RedactReq {
        secret_base64: Some(base64::engine::general_purpose::STANDARD.encode(SECRET)),
        live: true,
        ..wire::RedactReq::default()
    }
}

/// Does something while another connection reads the state of the log as it is now.
pub(crate) fn while_somebody_reads(directory: &Path, work: impl FnOnce()) {
    let files = LogFiles::new(directory.join("data"));
    let (began, begun) = channel();
    let (finish, finished) = channel::<()>();
    let reader = std::thread::spawn(move || {
        let connection = ReadConnection::open(&files).expect("a connection");
        connection
            .snapshot(|reader| {
                let cursor = reader.cursor()?;
                began.send(()).expect("somebody waits");
                // It ends when the other side is dropped.
                assert!(finished.recv().is_err());
                Ok::<_, LogError>(cursor)
            })
            .expect("a read")
    });
    begun.recv().expect("the reader began");
    work();
    drop(finish);
    reader.join().expect("the reader ended");
}

#[test]
fn the_disk_of_the_log_is_full() {
    let Some(directory) = mounts::own("bad_days::the_disk_of_the_log_is_full") else { return };
    let ballast = directory.join("data/ballast");
    mounts::small(&directory.join("data"), 8 * 1024);
    let world = world_in(&directory);
    let first = world.record("a.md", "one\n");
    world.record("a.md", "two\n");
    world.record("keys.md", format!("key {SECRET}\n"));
    let live = tree::read(&world.path("notes"));
    // An older state that is being read keeps the write-ahead log from being used again from its start.
    while_somebody_reads(&directory, || {
        mounts::fill(&ballast, 0);
        world.write("new.md", noise(600_000, 1));
        let error = scan(&world).expect_err("no room");
        assert_eq!((error.code, error.code.exit_code()), (Code::CannotWrite, 1), "{error:?}");
        assert!(error.message.contains("full") && error.hint.contains("Free some space"), "{error:?}");
        std::fs::remove_file(world.path("notes/new.md")).expect("it was there");
        let error = world.rollback("a.md", &first).expect_err("no room");
        assert_eq!(error.code, Code::CannotWrite, "{error:?}");
        assert_eq!(tree::read(&world.path("notes")), live, "what the log could not take is put back");
        let error = commands::redact(&world.app, redaction()).expect_err("no room");
        assert_eq!(error.code, Code::CannotWrite, "{error:?}");
        assert_eq!(tree::read(&world.path("notes")), live, "a redaction happens as a whole or not at all");
    });
    assert_eq!(world.log("").len(), 3, "what was there can be read");
    std::fs::remove_file(&ballast).expect("it was there");
    world.rollback("a.md", &first).expect("there is room again");
    assert_eq!(world.read("a.md").as_deref(), Some("one\n"));
}

#[test]
fn there_is_room_to_mask_but_not_to_purge() {
    let Some(directory) = mounts::own("bad_days::there_is_room_to_mask_but_not_to_purge") else { return };
    let ballast = directory.join("data/ballast");
    mounts::small(&directory.join("data"), 16 * 1024);
    let world = world_in(&directory);
    world.record("keys.md", format!("key {SECRET}\n"));
    for number in 0..6 {
        world.record("large.bin", noise(500_000, number));
    }
    drop(world);
    let world = World::over(retrace_tests::options_of(&directory, 1));
    mounts::fill(&ballast, 900_000);
    let done = commands::redact(&world.app, redaction()).expect("it is masked");
    let receipt = done.receipt.expect("a receipt");
    assert_eq!(receipt.purge, "pending");
    assert!(done.warnings.iter().any(|warning| warning.contains("full")), "{:?}", done.warnings);
    assert_eq!(world.read("keys.md").as_deref(), Some("key [redacted]\n"));
    std::fs::remove_file(&ballast).expect("it was there");
    let request = wire::ReceiptRef { receipt: receipt.id };
    let receipt = commands::recheck_receipt(&world.app, request).expect("there is room again");
    assert_eq!((receipt.purge.as_str(), receipt.chain_verified), ("done", Some(true)));
    assert!(!holds_bytes(&directory.join("data"), SECRET.as_bytes()));
}

#[test]
fn the_disk_of_the_memories_is_full() {
    let Some(directory) = mounts::own("bad_days::the_disk_of_the_memories_is_full") else { return };
    mounts::small(&directory.join("notes"), 1024);
    let world = world_in(&directory);
    let large = noise(600_000, 1);
    world.write("a.md", "one\n");
    world.write("large.bin", &large);
    world.scan();
    let then = world.cursor();
    world.write("a.md", "two\n");
    world.write("large.bin", "small by now\n");
    world.scan();
    mounts::fill(&directory.join("notes/.ballast"), 16 * 1024);
    let before = tree::read(&world.path("notes"));
    let first = world.log("large.bin").pop().expect("a version");
    let error = world.rollback("large.bin", &first).expect_err("no room");
    assert_eq!((error.code, error.subject.as_str()), (Code::CannotWrite, "large.bin"), "{error:?}");
    assert!(tree::read(&world.path("notes")) == before, "nothing is left behind");
    let request =
        wire::RestoreReq { store: "notes".to_owned(), at: then.to_string(), ..wire::RestoreReq::default() };
    let error = commands::restore(&world.app, request.clone()).expect_err("no room");
    assert_eq!(error.code, Code::CannotWrite, "{error:?}");
    assert!(tree::read(&world.path("notes")) == before, "all or nothing");
    assert_eq!(world.scan(), 0);
    std::fs::remove_file(directory.join("notes/.ballast")).expect("it was there");
    commands::restore(&world.app, request).expect("there is room again");
    assert_eq!(world.read("a.md").as_deref(), Some("one\n"));
}

#[test]
fn the_data_directory_is_read_only() {
    let Some(directory) = mounts::own("bad_days::the_data_directory_is_read_only") else { return };
    let world = world_in(&directory);
    let first = world.record("a.md", "one\n");
    drop(world);
    let before = tree::read(&directory.join("data"));
    mounts::read_only(&directory.join("data"));
    let world = World::over(options(&directory));
    assert_eq!(world.log("a.md").len(), 1, "what was recorded can be read");
    let verified = commands::verify(&world.app, wire::VerifyReq::default()).expect("it can be verified");
    assert!(verified.ok && verified.warnings.len() == 1, "{verified:?}");
    let found =
        commands::search(&world.app, wire::SearchReq { query: "one".to_owned(), ..Default::default() });
    assert!(found.is_ok(), "{found:?}");
    world.write("a.md", "two\n");
    let scanned = scan(&world);
    let rolled_back = world.rollback("a.md", &first);
    for error in [scanned.map(drop).expect_err("no scan"), rolled_back.map(drop).expect_err("no rollback")] {
        assert_eq!(error.code, Code::CannotWrite, "{error:?}");
        assert!(error.hint.contains("--data-dir"), "{error:?}");
    }
    assert_eq!(world.read("a.md").as_deref(), Some("two\n"), "nothing was done that is not recorded");
    drop(world);
    assert!(tree::read(&directory.join("data")) == before);
    mounts::writable(&directory.join("data"));
    let world = World::over(options(&directory));
    assert_eq!(world.log("a.md").len(), 1);
}

#[test]
fn a_write_ahead_log_in_a_read_only_directory_is_read_too() {
    const NAME: &str = "bad_days::a_write_ahead_log_in_a_read_only_directory_is_read_too";
    let Some(directory) = mounts::own(NAME) else { return };
    let world = world_in(&directory);
    world.record("a.md", "one\n");
    world.record("a.md", "two\n");
    // A copy of a log in use has a write-ahead log with changes that are not in the database file.
    let copy = directory.join("copy");
    std::fs::create_dir(&copy).expect("a directory");
    for name in ["retrace.db", "retrace.db-wal", "retrace.db-shm"] {
        std::fs::copy(directory.join("data").join(name), copy.join(name)).expect("a copy");
    }
    assert!(std::fs::metadata(copy.join("retrace.db-wal")).expect("a file").len() > 0);
    mounts::read_only(&copy);
    let files = LogFiles::new(&copy);
    let read = ReadConnection::open(&files).expect("it can be read");
    let last = read.snapshot(|reader| reader.last_version()).expect("a number");
    assert_eq!(last, 2);
}

#[test]
fn a_data_directory_without_space_is_not_taken_for_one_without_rights() {
    const NAME: &str = "bad_days::a_data_directory_without_space_is_not_taken_for_one_without_rights";
    let Some(directory) = mounts::own(NAME) else { return };
    let data = directory.join("data");
    let world = world_in(&directory);
    world.record("a.md", "one\n");
    drop(world);
    let kept = tree::read(&data);
    mounts::small(&data, 1024);
    for (path, content) in &kept {
        std::fs::write(data.join(path), content).expect("it fits");
    }
    // Every page of the file system is taken, so that no file can be made.
    let mut ballast = std::fs::File::create(data.join("ballast")).expect("a file");
    while ballast.write_all(&[0; 4096]).is_ok() {}
    let world = World::over(retrace_tests::options_of(&directory, 1));
    world.write("b.md", "two\n");
    let error = scan(&world).map(drop).expect_err("no space");
    assert_eq!(error.message, "The disk with the database is full.", "{error:?}");
    assert_eq!(world.log("").len(), 1, "what is recorded can be read");
    let search = wire::SearchReq { query: "one".to_owned(), ..wire::SearchReq::default() };
    commands::search(&world.app, search).expect("what is indexed so far is searched");
    assert!(commands::verify(&world.app, wire::VerifyReq::default()).expect("it is checked").ok);
    drop(ballast);
    std::fs::remove_file(data.join("ballast")).expect("it was there");
    assert_eq!(world.scan(), 1, "there is room");
    assert_eq!(world.log("").len(), 2, "readers see what is written from now on");
}

#[test]
fn the_memories_are_read_only() {
    let Some(directory) = mounts::own("bad_days::the_memories_are_read_only") else { return };
    let world = world_in(&directory);
    let first = world.record("a.md", "one\n");
    world.record("a.md", "two\n");
    world.write("keys.md", format!("key {SECRET}\n"));
    mounts::read_only(&world.path("notes"));
    assert_eq!(world.scan(), 1, "it can be recorded all the same");
    let error = world.rollback("a.md", &first).expect_err("it cannot be written");
    assert_eq!((error.code, error.code.exit_code()), (Code::StoreUnavailable, 7), "{error:?}");
    assert_eq!(error.subject, "a.md");
    assert_eq!(world.scan(), 0);
    let done = commands::redact(&world.app, redaction()).expect("history can be redacted");
    let receipt = done.receipt.expect("a receipt");
    assert_eq!((receipt.versions, receipt.live_files, receipt.purge.as_str()), (1, 0, "done"));
    assert!(done.warnings.iter().any(|warning| warning.contains("keys.md")), "{:?}", done.warnings);
    assert!(!holds_bytes(&directory.join("data"), SECRET.as_bytes()));
    assert_eq!(world.scan(), 0, "the file that stays is not recorded again");
    mounts::writable(&world.path("notes"));
    world.rollback("a.md", &first).expect("it can be written again");
}

/// Not a test of its own: holds the database until nobody writes to it any more.
#[test]
fn one_that_holds_the_database() {
    let Some((_, directory)) = child::task() else { return };
    let files = LogFiles::new(directory.join("data"));
    let mut writer = Writer::open(files, Box::new(|bytes: &mut [u8]| bytes.fill(7))).expect("a writer");
    let act = writer.begin().expect("a transaction");
    println!("held");
    let mut until = String::new();
    std::io::stdin().read_to_string(&mut until).expect("the parent closes it");
    drop(act);
}

#[test]
fn another_process_holds_the_database() {
    let world = World::with(|options| options.busy_wait = Some(Duration::from_millis(50)));
    let first = world.record("a.md", "one\n");
    world.record("a.md", "two\n");
    let mut holder = child::start("bad_days::one_that_holds_the_database", "hold", &world.path(""));
    let mut reported = holder.stdout.take().expect("its output");
    let mut heard = Vec::new();
    while !heard.ends_with(b"held\n") {
        let mut byte = [0];
        reported.read_exact(&mut byte).expect("it goes on");
        heard.push(byte[0]);
    }
    world.write("new.md", "new\n");
    for error in [
        scan(&world).map(drop).expect_err("it is held"),
        world.rollback("a.md", &first).map(drop).expect_err("it is held"),
    ] {
        assert_eq!(
            (error.code, error.code.exit_code(), error.code.http_status()),
            (Code::Busy, 4, 503),
            "{error:?}"
        );
        assert!(!error.hint.is_empty());
    }
    assert_eq!(world.read("a.md").as_deref(), Some("two\n"), "the file is left alone");
    assert_eq!(world.log("a.md").len(), 2, "reading goes on");
    drop(holder.stdin.take());
    reported.read_to_end(&mut heard).expect("its output");
    assert!(holder.wait().expect("it ends").success());
    assert_eq!(world.scan(), 1);
    world.rollback("a.md", &first).expect("the database is free");
}

/// The log of a small history in a directory, closed.
fn closed_log() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let world = world_in(directory.path());
    // Enough that most bytes of the database are content, not room that is left in small tables.
    for number in 0..90 {
        let note: String = noise(3000, number).iter().map(|byte| format!("{byte:02x} ")).collect();
        world.write(&format!("{}.md", number % 7), format!("# Note {number}\n{note}\n"));
        world.scan();
    }
    drop(world);
    directory
}

fn refused(directory: &Path) -> wire::ApiError {
    App::open(options(directory)).map(drop).expect_err("it cannot be opened")
}

#[test]
fn the_database_is_newer_than_the_program() {
    let directory = closed_log();
    let database = directory.path().join("data/retrace.db");
    // The format is SQLite's user version, four bytes at offset 60 of the header.
    let mut file = std::fs::OpenOptions::new().read(true).write(true).open(&database).expect("the database");
    std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(60)).expect("it is longer");
    file.write_all(&99u32.to_be_bytes()).expect("it can be written");
    drop(file);
    let before = tree::read(&directory.path().join("data"));
    let error = refused(directory.path());
    assert_eq!((error.code, error.code.exit_code()), (Code::DatabaseNewer, 8), "{error:?}");
    assert!(error.message.contains("99") && error.hint.contains("--data-dir"), "{error:?}");
    assert!(tree::read(&directory.path().join("data")) == before, "not a byte is changed");
}

#[test]
fn the_database_is_no_database() {
    for (what, damage) in [
        ("cut to half", &(|bytes: &mut Vec<u8>| bytes.truncate(bytes.len() / 2)) as &dyn Fn(&mut Vec<u8>)),
        ("cut to a part of its header", &|bytes| bytes.truncate(50)),
        ("cut within a page", &|bytes| bytes.truncate(5000)),
        ("with another header", &|bytes| bytes[..100].fill(0x5a)),
        ("of another program", &|bytes| bytes[68..72].fill(1)),
        ("text", &|bytes| *bytes = b"this is no database\n".repeat(1000)),
        ("without its schema", &|bytes| bytes[100..4096].fill(0)),
    ] {
        let directory = closed_log();
        let database = directory.path().join("data/retrace.db");
        let mut bytes = std::fs::read(&database).expect("the database");
        damage(&mut bytes);
        std::fs::write(&database, &bytes).expect("it can be written");
        let error = refused(directory.path());
        assert_eq!((error.code, error.code.exit_code()), (Code::DatabaseDamaged, 1), "{what}: {error:?}");
        assert!(
            error.hint.contains("Copy the data directory") && error.hint.contains("--data-dir"),
            "{what}: {error:?}"
        );
        assert!(error.subject.contains("data") || !error.subject.is_empty(), "{what}: {error:?}");
        assert!(std::fs::read(&database).expect("it is there") == bytes, "{what}: not a byte is changed");
    }
}

/// Makes a log with two more operations than the one it answers a copy of.
fn older_log(directory: &Path) -> tree::Tree {
    let world = world_in(directory);
    world.record("a.md", "one\n");
    drop(world);
    let older = tree::read(&directory.join("data"));
    let world = World::over(retrace_tests::options_of(directory, 1));
    world.record("a.md", "two\n");
    world.record("a.md", "three\n");
    drop(world);
    older
}

#[test]
fn the_log_is_not_the_one_that_was_kept() {
    type Damage = fn(&Path, &tree::Tree);
    let cases: [(&str, &str, Damage); 5] = [
        ("emptied", "empty", |data, _| std::fs::write(data.join("retrace.db"), b"").expect("it is emptied")),
        ("absent", "empty", |data, _| std::fs::remove_file(data.join("retrace.db")).expect("it goes")),
        ("older", "older", |data, older| {
            std::fs::write(data.join("retrace.db"), &older["retrace.db"]).expect("it is written");
        }),
        ("another", "another", |data, _| {
            let place = tempfile::tempdir().expect("a directory");
            let world = World::over(retrace_tests::options_of(place.path(), 5));
            world.add("notes");
            for text in ["x\n", "y\n", "z\n"] {
                world.record("b.md", text);
            }
            drop(world);
            std::fs::copy(place.path().join("data/retrace.db"), data.join("retrace.db")).expect("a copy");
        }),
        ("new", "empty", |data, _| {
            let place = tempfile::tempdir().expect("a directory");
            drop(World::over(retrace_tests::options_of(place.path(), 5)));
            std::fs::copy(place.path().join("data/retrace.db"), data.join("retrace.db")).expect("a copy");
        }),
    ];
    for (what, reported, damage) in cases {
        let directory = tempfile::tempdir().expect("a directory");
        let older = older_log(directory.path());
        let data = directory.path().join("data");
        damage(&data, &older);
        let before = tree::read(&data);
        let error = refused(directory.path());
        assert_eq!((error.code, error.code.exit_code()), (Code::DatabaseDamaged, 1), "{what}: {error:?}");
        assert!(error.message.contains(reported) && error.hint.contains("--accept-log"), "{what}: {error:?}");
        assert!(tree::read(&data) == before, "{what}: not a byte is changed");
        App::accept_log(&options(directory.path())).expect("it can be written");
        let world = World::over(retrace_tests::options_of(directory.path(), 7));
        assert_eq!(world.log("a.md").is_empty(), what != "older", "{what}");
    }
}

#[test]
fn a_note_of_the_log_that_lags_or_is_lost_is_as_good() {
    let directory = tempfile::tempdir().expect("a directory");
    let older = older_log(directory.path());
    let head = directory.path().join("data/retrace.head");
    std::fs::write(&head, &older["retrace.head"]).expect("it is written");
    assert_eq!(World::over(retrace_tests::options_of(directory.path(), 2)).log("a.md").len(), 3);
    for lost in [None, Some("garbage")] {
        match lost {
            None => std::fs::remove_file(&head).expect("it goes"),
            Some(text) => std::fs::write(&head, text).expect("it is written"),
        }
        assert_eq!(World::over(retrace_tests::options_of(directory.path(), 3)).log("a.md").len(), 3);
        assert!(std::fs::read_to_string(&head).expect("it is there").starts_with("retrace head 1\n"));
    }
}

/// Whatever bytes are wrong, an answer is right or an error that says so.
#[test]
fn bytes_in_the_middle_are_wrong() {
    let directory = closed_log();
    let database = directory.path().join("data/retrace.db");
    let sound = tree::read(&directory.path().join("data"));
    let length = sound["retrace.db"].len();
    let (mut noticed, mut tried) = (0, 0);
    for at in (4096..length - 64).step_by(length / 60) {
        tree::write(&directory.path().join("data"), &sound);
        let mut bytes = sound["retrace.db"].clone();
        bytes[at..at + 64].iter_mut().for_each(|byte| *byte ^= 0xa5);
        std::fs::write(&database, &bytes).expect("it can be written");
        tried += 1;
        noticed += usize::from(damage_is_noticed(directory.path(), at));
    }
    assert!(noticed * 2 > tried, "only {noticed} of {tried} were noticed");
}

fn damage_is_noticed(directory: &Path, at: usize) -> bool {
    let fair = |error: &wire::ApiError| {
        assert_eq!(error.code, Code::DatabaseDamaged, "byte {at}: {error:?}");
        assert!(!error.hint.is_empty());
    };
    let app = match App::open(options(directory)) {
        Ok(app) => app,
        Err(error) => {
            fair(&error);
            return true;
        }
    };
    let mut noticed = false;
    match commands::verify(&app, wire::VerifyReq::default()) {
        Ok(verified) => noticed |= !verified.ok,
        Err(error) => {
            fair(&error);
            noticed = true;
        }
    }
    let log = commands::log(&app, wire::LogReq { limit: Some(1000), ..wire::LogReq::default() });
    let versions = log.inspect_err(fair).map(|page| page.versions).unwrap_or_default();
    for version in versions {
        let shown = commands::show(&app, wire::ShowReq { version: version.id.clone(), content: true });
        match shown {
            Ok(shown) => {
                let text = shown.content.expect("these are texts");
                assert_eq!(Some(Sha256::of(text.as_bytes()).to_hex()), version.content_sha256, "byte {at}");
            }
            // A name that leads nowhere any more is as honest an answer.
            Err(error) if error.code == Code::NotFound => noticed = true,
            Err(error) => {
                fair(&error);
                noticed = true;
            }
        }
    }
    let scanned = commands::scan(&app, wire::ScanReq::default());
    drop(scanned.inspect_err(fair));
    noticed
}

#[test]
fn a_purge_that_somebody_reading_holds_up_is_finished_by_the_recorder() {
    let world = World::new();
    world.record("keys.md", format!("key {SECRET}\n"));
    let recording = world.app.record(&[]).expect("a recorder");
    let events = world.app.subscribe();
    let mut pending = None;
    while_somebody_reads(&world.path(""), || {
        let done = commands::redact(&world.app, redaction()).expect("it is masked");
        let receipt = done.receipt.expect("a receipt");
        assert_eq!((receipt.purge.as_str(), receipt.chain_verified), ("pending", None));
        assert_eq!(world.read("keys.md").as_deref(), Some("key [redacted]\n"));
        let status = commands::status(&world.app, wire::Nothing {}).expect("a status");
        assert_eq!(status.purge_pending, 1);
        pending = Some(receipt.id);
    });
    let pending = pending.expect("a receipt");
    let receipt = loop {
        let receipts = commands::receipts(&world.app, wire::Nothing {}).expect("receipts").receipts;
        let receipt = receipts.into_iter().find(|receipt| receipt.id == pending).expect("it is there");
        if receipt.purge == "done" {
            break receipt;
        }
        events.recv_timeout(Duration::from_secs(60)).expect("an event within the limit");
    };
    assert_eq!(receipt.chain_verified, Some(true));
    for place in receipt.places.iter().filter(|place| place.state != "out_of_reach") {
        assert_eq!((place.state.as_str(), place.hits), ("clean", 0), "{}", place.place);
        assert_eq!(place.detail, None, "this process knew what to look for: {}", place.place);
    }
    recording.stop();
    assert!(!holds_bytes(&world.path("data"), SECRET.as_bytes()));
}
