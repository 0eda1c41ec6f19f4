//! Cost of a scan: the first over 10,000 files of 2 KB, and one over the same files with nothing changed. The keeper is
//! a map in memory, so this is the cost of listing, comparing, reading and hashing alone.

use retrace_model::{Head, RelPath, Rules, StoreId, Timestamp};
use retrace_watch::{Batch, Keeper, KeeperError, Key, Status, Store, scan};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::{Duration, SystemTime};

const FILES: usize = 10_000;
const FILE_BYTES: usize = 2048;

/// Remembers heads and forgets contents. Its clock is an hour ahead, so that files made for the benchmark count as old.
#[derive(Default)]
struct Heads(BTreeMap<RelPath, Head>);

impl Keeper for Heads {
    fn heads(
        &mut self,
        _store: Key,
        _paths: Option<&BTreeSet<RelPath>>,
    ) -> Result<BTreeMap<RelPath, Head>, KeeperError> {
        Ok(self.0.clone())
    }

    fn observe(&mut self, _store: Key, batch: Batch) -> Result<(), KeeperError> {
        for seen in batch.observations {
            self.0.insert(seen.path, Head { seen: Some(seen.content.seen), seen_at: seen.scanned_at });
        }
        Ok(())
    }

    fn status(&mut self, _store: Key, _status: &Status) {}

    fn now(&self) -> Timestamp {
        let now = SystemTime::now() + Duration::from_secs(3600);
        let passed = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_micros(i64::try_from(passed.as_micros()).unwrap_or(i64::MAX))
    }
}

fn store() -> (tempfile::TempDir, Store) {
    let temp = tempfile::tempdir().expect("a temporary directory");
    for number in 0..FILES {
        let directory = temp.path().join(format!("{}", number / 100));
        fs::create_dir_all(&directory).expect("a directory");
        let content = format!("{number:08}").repeat(FILE_BYTES / 8);
        fs::write(directory.join(format!("{number}.md")), content).expect("a file");
    }
    let store = Store { key: StoreId([1; 16]), root: temp.path().to_owned(), rules: Rules::default() };
    (temp, store)
}

#[divan::bench(sample_count = 10)]
fn first_scan(bencher: divan::Bencher<'_, '_>) {
    let (_temp, store) = store();
    bencher.with_inputs(Heads::default).bench_local_refs(|keeper| {
        let scanned = scan(keeper, &store, None).expect("a keeper that does not fail");
        assert_eq!(scanned.read, FILES);
    });
}

#[divan::bench(sample_count = 30)]
fn scan_with_nothing_changed(bencher: divan::Bencher<'_, '_>) {
    let (_temp, store) = store();
    let mut keeper = Heads::default();
    scan(&mut keeper, &store, None).expect("a keeper that does not fail");
    bencher.bench_local(|| {
        let scanned = scan(&mut keeper, &store, None).expect("a keeper that does not fail");
        assert_eq!(scanned.read, 0);
    });
}

fn main() {
    divan::main();
}
