//! Damaged files: never a panic, and nothing is read wrongly without verification saying so.

use super::harness::*;
use crate::*;
use std::path::Path;

/// A log with some history, closed, as bytes; and all that the chain vouches for in it.
fn closed() -> (Vec<u8>, Vec<String>) {
    let mut log = TestLog::new();
    let store = log.store;
    for round in 0..30u64 {
        log.scan(vec![
            put(store, "a.md", format!("fact {round}\n{}\n", noise(1, 300))),
            put(store, &format!("dir/{}.md", round % 7), noise(100 + round, 80)),
        ]);
    }
    log.scan(vec![gone(store, "dir/0.md"), put(store, "large.txt", noise(2, 20_000))]);
    log.redact(&[9]);
    log.index();
    let files = log.files();
    let facts = facts(&log.writer.reader()).expect("reads");
    let TestLog { writer, .. } = &log;
    assert!(writer.empty_write_ahead_log().expect("empties"));
    (std::fs::read(files.database()).expect("reads"), facts)
}

/// Facts that the chain vouches for: versions with their contents, and operations.
fn facts(reader: &Reader<'_>) -> Result<Vec<String>, LogError> {
    let mut facts = Vec::new();
    for version in reader.versions(&VersionFilter::default())? {
        let content = match reader.content(&version) {
            Ok(content) => content.map(|content| content.bytes),
            Err(LogError::Redacted(_)) => None,
            Err(error) => return Err(error),
        };
        facts.push(format!(
            "{:?} {:?} {:?} {:?} {:?} {:?} {content:?}",
            version.id, version.number, version.operation, version.path, version.actor, version.note
        ));
    }
    for operation in reader.operations(None, None, 1000)? {
        facts.push(format!("{operation:?}"));
    }
    Ok(facts)
}

/// True if opening, verifying or reading says that something is wrong, or else nothing the chain vouches for is.
fn is_honest(folder: &Path, expected: &[String]) -> bool {
    let Ok(connection) = ReadConnection::open(&LogFiles::new(folder)) else { return true };
    match connection.snapshot(|reader| reader.verify()) {
        Err(_) => true,
        Ok(verified) if !verified.problems.is_empty() => true,
        Ok(_) => connection.snapshot(facts).is_ok_and(|facts| facts == expected),
    }
}

/// Opens for writing and does one of everything; any error will do.
fn use_it(folder: &Path) {
    let Ok(mut writer) = Writer::open(LogFiles::new(folder), entropy(3)) else { return };
    let Ok(stores) = writer.reader().stores() else { return };
    let Some(store) = stores.first().map(|store| store.id) else { return };
    let _ = writer.append(scan(store, START, vec![put(store, "a.md", "new"), gone(store, "dir/1.md")]));
    let _ = writer.index_some();
    let _ = writer.reader().search_history(&Words::parse("fact"), None, 10);
    let _ = writer.reader().memories_at(store, Some(3));
    let _ = writer.reader().activity(store, 10);
    let _ = writer.reader().receipts();
    let Ok(version) = writer.reader().version(3) else { return };
    let _ = writer.begin().and_then(|mut act| act.mask(&[version], 1));
    let _ = writer.purge(&Needles::default());
}

fn damaged(bytes: &[u8], expected: &[String], what: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(LogFiles::new(folder.path()).database(), bytes).expect("writes");
    assert!(is_honest(folder.path(), expected), "{what} is not noticed");
    use_it(folder.path());
}

/// Numbers that are the same in every run.
fn numbers(seed: u64) -> impl FnMut(usize) -> usize {
    let mut random = entropy(seed);
    move |bound| {
        let mut bytes = [0; 8];
        random(&mut bytes);
        usize::try_from(u64::from_be_bytes(bytes) % bound as u64).expect("below a usize")
    }
}

#[test]
fn single_flipped_bytes() {
    let (sound, facts) = closed();
    let mut below = numbers(1);
    for _ in 0..300 {
        let (at, flip) = (below(sound.len()), 1 + below(255));
        let mut bytes = sound.clone();
        bytes[at] ^= u8::try_from(flip).expect("a byte");
        damaged(&bytes, &facts, &format!("byte {at} flipped by {flip}"));
    }
}

#[test]
fn many_flipped_bytes() {
    let (sound, facts) = closed();
    let mut below = numbers(2);
    for round in 0..60 {
        let mut bytes = sound.clone();
        for _ in 0..1 << (round % 8) {
            let at = below(bytes.len());
            bytes[at] ^= u8::try_from(1 + below(255)).expect("a byte");
        }
        damaged(&bytes, &facts, &format!("round {round}"));
    }
}

#[test]
fn pages_lost_swapped_and_cut_off() {
    let (sound, facts) = closed();
    let pages = sound.len() / 4096;
    let mut below = numbers(3);
    for round in 0..60 {
        let mut bytes = sound.clone();
        let (one, two) = (below(pages) * 4096, below(pages) * 4096);
        match round % 3 {
            0 => bytes[one..one + 4096].fill(0),
            1 => {
                bytes[one..one + 4096].copy_from_slice(&sound[two..two + 4096]);
                bytes[two..two + 4096].copy_from_slice(&sound[one..one + 4096]);
            }
            _ => bytes.truncate(one + two % 4096),
        }
        damaged(&bytes, &facts, &format!("round {round}, pages {one} and {two}"));
    }
}
