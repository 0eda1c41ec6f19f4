//! How far each transcript was judged, in a file of the data directory.
//!
//! The file is disposable and holds no text: digests of paths, places, digests of the bytes before them. A redaction takes all of it
//! out but the time of the last look, a number, from which on what is written is news.

use super::SILENT_MICROS;
use crate::Rules;
use retrace_model::{Sha256, Timestamp};
use retrace_rules::Deed;
use retrace_sessions::kept as small;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Name of the file in the data directory.
const FILE: &str = "live.index";

const MARK: &[u8; 8] = b"RTRLIVES";

const VERSION: u32 = 1;

/// Calls are dated by their client, and files by the system: so much earlier than the last look they may be and still be new.
const SLACK_MICROS: i64 = 5_000_000;

/// Digest of a path.
type Key = [u8; 16];

/// Up to where a transcript was judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Place {
    /// Bytes of a file; of a session in a database what was done, counted.
    pub(super) offset: u64,
    /// Digest of the last bytes before, or of the ids of what was done last.
    pub(super) tail: [u8; 8],
}

/// What is kept.
#[derive(Debug)]
pub(super) struct Kept {
    /// Of a file that is not known, what was done since then is news.
    pub(super) since: Timestamp,
    /// Of a session that ended without a sign, what was done last must not lie before.
    pub(super) ends_since: Timestamp,
    places: HashMap<Key, Place>,
}

impl Kept {
    pub(super) fn place(&self, path: &Path) -> Option<Place> {
        self.places.get(&key(path)).copied()
    }

    /// True if the place is another one than before.
    pub(super) fn put(&mut self, path: &Path, place: Place) -> bool {
        self.places.insert(key(path), place) != Some(place)
    }

    /// Forgets files that are not there any more.
    pub(super) fn keep_only<'p>(&mut self, paths: impl Iterator<Item = &'p PathBuf>) {
        let there: HashSet<Key> = paths.map(|path| key(path)).collect();
        self.places.retain(|key, _| there.contains(key));
    }
}

fn key(path: &Path) -> Key {
    let Sha256(digest) = Sha256::of(path.as_os_str().as_encoded_bytes());
    let mut key = Key::default();
    key.copy_from_slice(&digest[..16]);
    key
}

#[derive(Serialize, Deserialize)]
struct Stored {
    since: i64,
    places: Vec<(Key, Place)>,
}

/// The file.
#[derive(Debug, Default)]
pub(crate) struct LiveFile;

impl LiveFile {
    pub(super) fn load(&self, inner: &Rules) -> Kept {
        match small::load::<Stored>(&file(inner), MARK, VERSION) {
            Some(stored) => Kept {
                since: Timestamp::from_micros(stored.since.saturating_sub(SLACK_MICROS)),
                ends_since: Timestamp::from_micros(stored.since.saturating_sub(SILENT_MICROS)),
                places: stored.places.into_iter().collect(),
            },
            None => {
                let now = inner.now();
                Kept { since: now, ends_since: now, places: HashMap::new() }
            }
        }
    }

    pub(super) fn save(&self, inner: &Rules, kept: &Kept, with_places: bool) {
        let mut places: Vec<(Key, Place)> = kept.places.iter().map(|(key, place)| (*key, *place)).collect();
        places.retain(|_| with_places);
        places.sort_by_key(|(key, _)| *key);
        let stored = Stored { since: inner.now().micros(), places };
        // A file that is not there costs time, no more: what is judged again is known by its mark.
        let _ = small::save(&file(inner), MARK, VERSION, &stored);
    }

    pub(super) fn forget(&self, inner: &Rules) {
        let path = file(inner);
        let Some(stored) = small::load::<Stored>(&path, MARK, VERSION) else {
            // Where it cannot be removed, whoever searches the data directory finds it there.
            let _ = std::fs::remove_file(&path);
            return;
        };
        let stored = Stored { places: Vec::new(), ..stored };
        if small::save(&path, MARK, VERSION, &stored).is_err() {
            let _ = std::fs::remove_file(&path);
        }
    }
}

fn file(inner: &Rules) -> PathBuf {
    inner.options.data_dir.join(FILE)
}

/// Digest of the last bytes of what was judged.
pub(super) fn tail(bytes: &[u8]) -> [u8; 8] {
    let Sha256(digest) = Sha256::of(bytes);
    let mut tail = [0; 8];
    tail.copy_from_slice(&digest[..8]);
    tail
}

/// So many of the last deeds are compared before a session in a database counts as judged up to there.
const LAST_DEEDS: usize = 64;

/// The place of a session in a database behind these deeds, by ids alone.
pub(super) fn deeds_place(deeds: &[Deed]) -> Place {
    let mut ids = Vec::new();
    for deed in &deeds[deeds.len().saturating_sub(LAST_DEEDS)..] {
        ids.extend(deed.line.to_le_bytes());
        ids.extend(deed.at.map(Timestamp::micros).unwrap_or_default().to_le_bytes());
        ids.extend(deed.tool_use_id.as_deref().unwrap_or_default().as_bytes());
        ids.push(0);
    }
    Place { offset: deeds.len() as u64, tail: tail(&ids) }
}
