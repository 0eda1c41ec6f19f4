//! After another boot: what was not on the disk yet is made what the log says, where nobody made it anything newer.

use crate::engine::Engine;
use crate::faults::Point;
use crate::wire::ApiError;
use retrace_files::{Expected, FileError, Root};
use retrace_log::{Act, Append, LogError, Reader, Unflushed, VersionFilter, VersionRow};
use retrace_model::{Actor, Permissions, RelPath, Sha256, Source, StoreId};
use std::collections::{BTreeMap, BTreeSet};

/// State of a path by the log.
enum Says {
    /// It holds this content, in a file with these permissions.
    Holds { bytes: Vec<u8>, sha256: Sha256, permissions: Permissions },
    /// Nothing stands there.
    Nothing,
}

/// A path that may have fallen back.
struct Fallen {
    path: RelPath,
    says: Says,
    /// Hashes of its contents while the versions concerned were made, and shortly before.
    former: BTreeSet<Sha256>,
}

/// Outcome for a path.
enum Outcome {
    /// The disk holds what the log says, and did before.
    AsRecorded,
    /// It was made what the log says.
    PutBack,
    /// Somebody made it something newer, or nothing can be done about it.
    Left,
    /// Something stands in the way that may be about to go.
    Blocked,
    /// The system refused: another time perhaps.
    Refused,
}

impl Engine {
    /// Sees to every version of a store of which the log says that its file may not be on the disk. Those of this boot are
    /// waited for. For those of another one the files are put back where they are missing, empty, or what they were before;
    /// anything else is somebody's newer edit and is left for a scan to record. Nothing is recorded but a note, because disk
    /// and log agree then.
    ///
    /// Answers whether nothing is left to do.
    pub(crate) fn recover_unflushed(
        &self,
        act: &mut Act<'_>,
        store: StoreId,
        root: &Root,
    ) -> Result<bool, ApiError> {
        let rows = act.reader().unflushed(store)?;
        let of_this_boot = |row: &Unflushed| Some(row.boot.as_str()) == self.options.boot.as_deref();
        let (here, lost): (Vec<Unflushed>, Vec<Unflushed>) = rows.into_iter().partition(of_this_boot);
        let versions =
            lost.iter().map(|row| act.reader().version(row.seq)).collect::<Result<Vec<VersionRow>, _>>()?;
        let fallen = fallen(&act.reader(), store, &versions)?;
        let (put_back, refused) = self.put_all_back(root, &fallen);
        self.at(Point::FilesDone)?;
        let mut done: Vec<u64> = versions
            .iter()
            .filter(|version| places_of(version).all(|place| !refused.contains(place)))
            .map(|version| version.id.seq)
            .collect();
        let mut all = done.len() == versions.len();
        let mut paths = BTreeSet::new();
        for row in &here {
            paths.extend(places_of(&act.reader().version(row.seq)?).cloned());
        }
        match root.flush(&paths) {
            Ok(()) => done.extend(here.iter().map(|row| row.seq)),
            Err(_) => all = false,
        }
        act.note_flushed(&done)?;
        if put_back > 0 {
            let note = match put_back {
                1 => say::n1_file_put_back_recorded(),
                files => say::files_put_back_recorded_machine(files),
            };
            act.append(Append {
                store: Some(store),
                source: Source::Scan,
                actor: &Actor::Unknown,
                note: Some(&note),
                at: self.now(),
                undoes: None,
                changes: Vec::new(),
                even_if_empty: true,
            })?;
        }
        Ok(all)
    }

    /// Puts back what fell back; answers how many paths, and of which the system refused it. Contents come before deletions,
    /// so that a moved memory is never nowhere, and once more after them, for those that something stood in the way of.
    fn put_all_back<'f>(&self, root: &Root, fallen: &'f [Fallen]) -> (usize, BTreeSet<&'f RelPath>) {
        let (held, gone): (Vec<&Fallen>, Vec<&Fallen>) =
            fallen.iter().partition(|place| matches!(place.says, Says::Holds { .. }));
        let (mut put_back, mut refused, mut blocked) = (0, BTreeSet::new(), Vec::new());
        let mut go = |places: &[&'f Fallen], blocked: &mut Vec<&'f Fallen>| {
            for place in places {
                match self.put_one_back(root, place) {
                    Outcome::PutBack => put_back += 1,
                    Outcome::AsRecorded | Outcome::Left => {}
                    Outcome::Blocked => blocked.push(place),
                    Outcome::Refused => drop(refused.insert(&place.path)),
                }
            }
        };
        go(&held, &mut blocked);
        go(&gone, &mut Vec::new());
        // An obstacle that is in the way now is there to stay.
        go(&blocked, &mut Vec::new());
        (put_back, refused)
    }

    fn put_one_back(&self, root: &Root, place: &Fallen) -> Outcome {
        let Fallen { path, says, former } = place;
        let found = match root.read(path, self.rules.max_file_bytes) {
            Ok(content) => Some(content),
            Err(FileError::Missing { .. } | FileError::BelowAFile { .. }) => None,
            Err(FileError::Link { .. } | FileError::IsDirectory { .. } | FileError::NotAFile { .. }) => {
                return Outcome::Blocked;
            }
            Err(_) => return Outcome::Refused,
        };
        let fell_back = found.as_ref().is_none_or(|found| {
            // Empty, or the length alone got to the disk.
            let is_blank = found.bytes.as_ref().is_some_and(|bytes| bytes.iter().all(|byte| *byte == 0));
            is_blank || former.contains(&found.sha256)
        });
        let (random, faults) = (self.random(), &*self.options.faults);
        let made = match (says, &found) {
            (Says::Holds { sha256, .. }, Some(found)) if found.sha256 == *sha256 => {
                return flushed(root, path);
            }
            (Says::Nothing, None) => return flushed(root, path),
            _ if !fell_back => return Outcome::Left,
            (Says::Holds { bytes, .. }, Some(found)) => {
                root.replace(path, Expected::Hash(found.sha256), bytes, random, faults)
            }
            (Says::Holds { bytes, permissions, .. }, None) => {
                root.create_with(path, bytes, permissions, random, faults)
            }
            (Says::Nothing, Some(found)) => root.delete(path, found.sha256, true, random, faults),
        };
        match made {
            Ok(done) if done.synced => Outcome::PutBack,
            // In place, but not surely on the disk: the next scan asks again.
            Ok(_) => Outcome::Refused,
            Err(FileError::Moved { .. }) => Outcome::Left,
            Err(
                FileError::Link { .. }
                | FileError::IsDirectory { .. }
                | FileError::NotAFile { .. }
                | FileError::BelowAFile { .. },
            ) => Outcome::Blocked,
            Err(_) => Outcome::Refused,
        }
    }
}

fn flushed(root: &Root, path: &RelPath) -> Outcome {
    if root.flush([path]).is_ok() { Outcome::AsRecorded } else { Outcome::Refused }
}

/// The paths a version concerns: where its memory is, and where it was before.
fn places_of(version: &VersionRow) -> impl Iterator<Item = &RelPath> {
    version.path.iter().chain(&version.previous_path)
}

/// The paths of versions that may have fallen back. A path that got a newer version which is not among these is on the disk.
fn fallen(reader: &Reader<'_>, store: StoreId, versions: &[VersionRow]) -> Result<Vec<Fallen>, ApiError> {
    let among: BTreeSet<u64> = versions.iter().map(|version| version.id.seq).collect();
    let mut since: BTreeMap<RelPath, u64> = BTreeMap::new();
    for version in versions {
        for path in places_of(version) {
            // In the order of the log: the first one that is met stays.
            since.entry(path.clone()).or_insert(version.id.seq);
        }
    }
    let mut fallen = Vec::new();
    for (path, since) in since {
        let (newest, former) = history(reader, store, &path, since)?;
        if !newest.is_some_and(|seq| among.contains(&seq)) {
            continue;
        }
        let says = match reader.live_at(store, &path)? {
            None => Says::Nothing,
            Some(live) => match reader.content(&reader.version_by_id(live.version)?) {
                Ok(Some(content)) => Says::Holds {
                    sha256: content.info.sha256,
                    bytes: content.bytes,
                    permissions: private_where_unknown(&path, reader.permissions_at(store, &path)?),
                },
                // Too large to be kept, or taken out: a scan tells what stands there.
                Ok(None) | Err(LogError::NotKept(_) | LogError::Redacted(_)) => continue,
                Err(error) => return Err(error.into()),
            },
        };
        fallen.push(Fallen { path, says, former });
    }
    Ok(fallen)
}

/// Permissions for what is put back: nobody else may use what is not known to have been open to others.
fn private_where_unknown(path: &RelPath, known: Permissions) -> Permissions {
    let above = path.components().count() - 1;
    let mut directories = known.directories;
    directories.resize(above, 0o700);
    Permissions { file: known.file.or(Some(0o600)), directories }
}

/// Longest time that an unawaited change takes to the disk: Linux writes out after 30 seconds what changed, looks every
/// five, and commits the journal every five. Source: `dirty_expire_centisecs`, `dirty_writeback_centisecs`, `commit` of ext4.
const ON_THE_WAY_MICROS: i64 = 60_000_000;

/// The newest version that says anything of a path, and the contents the path had: from version `since` on, the one before, and
/// those whose file may have been on its way still when that version was made, which are somebody else's edits.
fn history(
    reader: &Reader<'_>,
    store: StoreId,
    path: &RelPath,
    since: u64,
) -> Result<(Option<u64>, BTreeSet<Sha256>), ApiError> {
    let filter = VersionFilter {
        store: Some(store),
        path: Some(path.clone()),
        observed_only: true,
        ..VersionFilter::default()
    };
    let flushed_at = reader.version(since)?.recorded_at.micros() - ON_THE_WAY_MICROS;
    let versions = reader.versions(&filter)?;
    let mut of_path =
        versions.iter().filter(|version| places_of(version).any(|place| place == path)).peekable();
    let newest = of_path.peek().map(|version| version.id.seq);
    let mut former = BTreeSet::new();
    for version in of_path.filter(|version| version.path.as_ref() == Some(path)) {
        former.extend(version.content.map(|content| content.sha256));
        if since > version.id.seq && version.recorded_at.micros() < flushed_at {
            break;
        }
    }
    Ok((newest, former))
}

#[cfg(test)]
mod tests;

retrace_message::messages! {
    /// Messages of this module.
    mod say in "recovery";
    n1_file_put_back_recorded() => "1 file was put back as recorded: the machine had stopped before the disk had them",
    files_put_back_recorded_machine(files) => "{files} files were put back as recorded: the machine had stopped before the disk had them",
}
