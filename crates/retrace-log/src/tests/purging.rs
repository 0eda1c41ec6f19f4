//! Redaction, second act: after a purge, what was masked is in no file of the data directory.
//!
//! Looked for in the raw bytes of every file: the content, every stretch of how it was packed, its hash in both forms,
//! salts, paths that nothing names any more, and pieces of words that nothing else holds.

use super::harness::*;
use crate::*;
use aho_corasick::AhoCorasick;
use retrace_model::Sha256;
use std::collections::BTreeSet;

/// Everything by which a version could be found in the raw bytes.
#[derive(Default)]
struct Traces(BTreeSet<Vec<u8>>);

impl Traces {
    fn add(&mut self, bytes: &[u8]) {
        self.0.insert(bytes.to_vec());
    }

    /// Every stretch of `length` bytes.
    fn add_stretches(&mut self, bytes: &[u8], length: usize) {
        bytes.windows(length).for_each(|stretch| self.add(stretch));
    }

    /// Notes what the log keeps of versions with random content, before they are masked.
    fn note(&mut self, log: &TestLog, seqs: &[u64]) {
        for seq in seqs {
            let version = log.version(*seq);
            let raw = log.raw();
            if let Some(content) = version.content {
                // The index of contents keeps the first eight bytes, which are enough to check a guess.
                self.add(&content.sha256.0[..8]);
                self.add(content.sha256.to_hex().as_bytes());
                let (data, salt): (Vec<u8>, Vec<u8>) = raw
                    .query_row("SELECT data, salt FROM blobs WHERE id = ?1", [version.blob_row], |row| {
                        Ok((row.get(0)?, row.get(1)?))
                    })
                    .expect("a content");
                self.add(&salt);
                self.add_stretches(&data, 16);
            } else {
                let salt: Vec<u8> = raw
                    .query_row("SELECT salt FROM versions WHERE seq = ?1", [seq], |row| row.get(0))
                    .expect("a salt");
                self.add(&salt);
            }
        }
    }

    /// Leaves out what contents that are kept are packed to as well: a line that stands in several versions may be packed
    /// to the same bytes in each.
    fn leave_out_what_is_kept(&mut self, log: &TestLog) {
        let raw = log.raw();
        let mut query = raw.prepare("SELECT data FROM blobs WHERE data IS NOT NULL").expect("prepares");
        let kept = query.query_map([], |row| row.get::<_, Vec<u8>>(0)).expect("asks");
        for data in kept {
            for stretch in data.expect("reads").windows(16) {
                self.0.remove(stretch);
            }
        }
    }

    /// Files whose raw bytes hold any of them, with one that they hold.
    fn found(&self, log: &TestLog) -> Vec<(String, String)> {
        let traces: Vec<&Vec<u8>> = self.0.iter().collect();
        let searcher = AhoCorasick::new(&traces).expect("a searcher");
        let mut found = Vec::new();
        for entry in std::fs::read_dir(log.files().directory()).expect("the data directory") {
            let entry = entry.expect("an entry");
            let bytes = std::fs::read(entry.path()).expect("a file");
            found.extend(searcher.find_iter(&bytes).map(|hit| {
                let name = entry.file_name().to_string_lossy().into_owned();
                (name, String::from_utf8_lossy(traces[hit.pattern().as_usize()]).into_owned())
            }));
        }
        found
    }
}

/// Masks and purges; answers the raw hits the purge itself found.
fn redact_and_purge(log: &mut TestLog, seqs: &[u64], plain: &[&str]) -> RawHits {
    let mut needles = log.redact(seqs).needles;
    plain.iter().for_each(|plain| needles.add(plain.as_bytes()));
    log.purge(&needles)
}

#[test]
fn nothing_is_left_of_a_content_its_hash_its_salt_its_path_and_its_words() {
    let mut log = TestLog::new();
    let word = noise(7, 40);
    let secret = format!("the key is {word} and nothing else\n");
    log.put("a.md", "a harmless note\n");
    log.put("secret-place/of-all.md", &secret);
    log.put("a.md", format!("a harmless note\n{secret}"));
    log.put("a.md", "a harmless note\nwithout it\n");
    log.delete("secret-place/of-all.md");
    log.index();
    let mut traces = Traces::default();
    traces.note(&log, &[2, 3, 5]);
    traces.add(b"secret-place/of-all.md");
    traces.add_stretches(word.as_bytes(), 8);
    assert!(!traces.found(&log).is_empty(), "it must be there to be missed later");
    let hits = redact_and_purge(&mut log, &[2, 3, 5], &[&secret, &word]);
    assert_eq!((traces.found(&log), hits.total()), (Vec::new(), 0));
    assert_eq!(log.search_history(&word), [0; 0]);
    assert_eq!(log.search_history("harmless"), [4, 1], "version 4's lines are all new, now that 3 is masked");
    log.assert_sound();
}

#[test]
fn the_proof_covers_what_masking_did_not_reach() {
    let mut log = TestLog::new();
    let secret = noise(7, 32);
    log.put("a.md", &secret);
    let at = log.tick();
    let change = vec![put(log.store, &format!("{secret}.md"), "named after it")];
    log.writer.append(Append { note: Some(&secret), ..scan(log.store, at, change) }).expect("appends");
    let hits = redact_and_purge(&mut log, &[1], &[&secret]);
    assert!(hits.total() >= 2, "in a note and in a path that were not asked to go: {hits:?}");
    assert!(hits.files.contains_key(std::path::Path::new("retrace.db")));
}

/// Notes that grow, shrink, move and go, until rows have moved between pages many times over.
fn work(log: &mut TestLog, seed: u64, operations: usize) {
    let mut random = entropy(seed);
    let mut below = move |bound: u64| {
        let mut bytes = [0; 8];
        random(&mut bytes);
        u64::from_be_bytes(bytes) % bound
    };
    let mut texts: Vec<String> = vec![String::new(); 40];
    for _ in 0..operations {
        let mut changes = Vec::new();
        for _ in 0..1 + below(3) {
            let at = usize::try_from(below(40)).expect("small");
            let mut lines: Vec<String> = texts[at].split_inclusive('\n').map(str::to_owned).collect();
            match below(8) {
                0 => lines.clear(),
                1 => lines.truncate(lines.len() / 2),
                _ => {
                    let place = usize::try_from(below(lines.len() as u64 + 1)).expect("small");
                    let word = noise(below(u64::MAX), 8 + usize::try_from(below(600)).expect("small"));
                    lines.insert(place, format!("fact {word}\n"));
                }
            }
            texts[at] = lines.concat();
            let name = format!("notes/{at}.md");
            match texts[at].is_empty() {
                true => changes.push(gone(log.store, &name)),
                false => changes.push(put(log.store, &name, &texts[at])),
            }
        }
        log.scan(changes);
    }
}

#[test]
fn nothing_is_left_in_a_database_whose_rows_moved_about() {
    let mut log = TestLog::new();
    for round in 0..6u64 {
        work(&mut log, 10 + round, 60);
        let words: Vec<String> = (0..5).map(|n| noise(1000 * (round + 1) + n, 30)).collect();
        let first = log.versions().len() as u64 + 1;
        for (n, word) in words.iter().enumerate() {
            let before = log.live().get("notes/3.md").cloned().flatten().unwrap_or_default();
            log.put("notes/3.md", format!("{before}secret {word}\n"));
            log.put(&format!("secrets/{n}-{word}.md"), noise(2000 * (round + 1) + n as u64, 700));
            log.delete(&format!("secrets/{n}-{word}.md"));
            log.put("notes/3.md", format!("{before}no more\n"));
            work(&mut log, 100 + round * 10 + n as u64, 10);
            if n % 2 == 0 {
                log.index();
            }
        }
        let secret_versions: Vec<u64> = log
            .versions()
            .iter()
            .filter(|version| version.id.seq >= first && is_secret(&log, version, &words))
            .map(|version| version.id.seq)
            .collect();
        assert!(secret_versions.len() >= 15, "{secret_versions:?}");
        let kept: Vec<(u64, String)> = log
            .versions()
            .iter()
            .filter(|version| version.content.is_some() && !secret_versions.contains(&version.id.seq))
            .map(|version| (version.id.seq, log.text(version.id.seq)))
            .collect();
        let mut traces = Traces::default();
        traces.note(&log, &secret_versions);
        words.iter().for_each(|word| traces.add_stretches(word.as_bytes(), 8));
        let hits = redact_and_purge(
            &mut log,
            &secret_versions,
            &words.iter().map(String::as_str).collect::<Vec<_>>(),
        );
        let before = traces.0.len();
        traces.leave_out_what_is_kept(&log);
        assert!(traces.0.len() * 10 > before * 9, "nearly all of it is of masked versions alone");
        assert_eq!((hits.total(), traces.found(&log)), (0, Vec::new()), "round {round}");
        for (seq, text) in kept {
            assert_eq!(log.text(seq), text, "version {seq} after round {round}");
        }
        log.assert_sound();
    }
}

/// True if a version's content or path holds one of the words.
fn is_secret(log: &TestLog, version: &VersionRow, words: &[String]) -> bool {
    let text = version.content.map(|_| log.text(version.id.seq)).unwrap_or_default();
    let path = version.path.as_ref().map(ToString::to_string).unwrap_or_default();
    words.iter().any(|word| text.contains(word) || path.contains(word))
}

#[test]
fn a_purge_waits_for_readers_of_an_older_state_and_is_finished_later() {
    let mut log = TestLog::new();
    let word = noise(7, 40);
    log.put("a.md", &word);
    log.index();
    let mut traces = Traces::default();
    traces.note(&log, &[1]);
    traces.add_stretches(word.as_bytes(), 8);
    let connection = log.connection();
    connection
        .snapshot(|reader| -> Result<(), LogError> {
            let version = reader.version(1)?;
            let needles = log.redact(&[1]).needles;
            assert_eq!(log.writer.purge(&needles)?, None, "pending");
            assert_eq!(log.writer.purge(&needles)?, None, "still pending");
            assert_eq!(reader.content(&version)?.expect("it reads the older state").bytes, word.as_bytes());
            Ok(())
        })
        .expect("reads");
    assert!(!traces.found(&log).is_empty());
    // Another process finishes it, and knows no needles.
    let mut log = log.reopen(2);
    assert_eq!(log.purge(&Needles::default()).total(), 0);
    assert_eq!(traces.found(&log), Vec::new());
    log.assert_sound();
}

#[test]
fn a_purge_waits_for_a_writer_and_a_writer_for_a_purge() {
    let mut log = TestLog::new();
    log.put("a.md", "a secret");
    log.redact(&[1]);
    let mut other = Writer::open(log.files(), entropy(2)).expect("another writer");
    {
        let mut act = other.begin().expect("a transaction");
        act.append(scan(log.store, START, vec![put(log.store, "b.md", "two")])).expect("appends");
        assert_eq!(log.writer.purge(&Needles::default()).expect("asks"), None, "pending");
        act.commit().expect("commits");
    }
    assert!(log.writer.purge(&Needles::default()).expect("purges").is_some());
    other
        .append(scan(log.store, START, vec![put(log.store, "b.md", "three")]))
        .expect("goes on after a purge");
    assert_eq!(log.text(3), "three");
    log.assert_sound();
}

#[test]
fn a_content_that_reappeared_is_still_there_and_reported() {
    let mut log = TestLog::new();
    let secret = noise(7, 60);
    log.put("a.md", &secret);
    let mut needles = log.redact(&[1]).needles;
    needles.add(secret.as_bytes());
    log.put("b.md", &secret);
    let hits = log.purge(&needles);
    assert!(hits.total() > 0, "its hash at least: {hits:?}");
    assert_eq!(log.text(2), secret);
    let hits = redact_and_purge(&mut log, &[2], &[&secret]);
    assert_eq!(hits.total(), 0);
    assert_eq!(log.files_holding(&Sha256::of(secret.as_bytes()).0), [""; 0]);
}

#[test]
fn large_contents_are_purged_from_overflow_pages() {
    let mut log = TestLog::new();
    let mut bytes = vec![0; 300_000];
    entropy(9)(&mut bytes);
    log.put("large.bin", &bytes);
    work(&mut log, 3, 30);
    log.put("large.bin", &bytes[..100_000]);
    let mut traces = Traces::default();
    bytes.chunks_exact(16).for_each(|stretch| traces.add(stretch));
    assert!(!traces.found(&log).is_empty());
    let seqs: Vec<u64> = log
        .versions()
        .iter()
        .filter(|version| version.path == Some(path("large.bin")))
        .map(|version| version.id.seq)
        .collect();
    assert_eq!(seqs.len(), 2);
    redact_and_purge(&mut log, &seqs, &[]);
    assert_eq!(traces.found(&log), Vec::new());
    log.assert_sound();
}

/// Without writing the database anew, some forty traces are left here in unused parts of pages.
#[test]
fn nothing_is_left_of_many_versions_of_a_large_log() {
    let mut log = TestLog::new();
    work(&mut log, 77, 3000);
    let seqs: Vec<u64> =
        log.versions().iter().map(|version| version.id.seq).filter(|seq| seq.is_multiple_of(3)).collect();
    assert!(seqs.len() > 1500);
    let mut traces = Traces::default();
    traces.note(&log, &seqs);
    let hits = redact_and_purge(&mut log, &seqs, &[]);
    traces.leave_out_what_is_kept(&log);
    assert_eq!((hits.total(), traces.found(&log)), (0, Vec::new()));
    log.assert_sound();
}
