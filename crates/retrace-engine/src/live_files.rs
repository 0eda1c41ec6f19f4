//! Files that change together with the log: the only way in which a writer displaces one.
//!
//! Whoever writes, the same holds. What stands at a path and is not in the log is committed in a transaction of its own before
//! anything is done about it; the writer then begins anew. What a writer displaces stays beside the file, under a hidden name, until
//! its versions are committed. If they cannot be, every file is made what it was: by a rename, which needs no space and keeps
//! mode, owner and times. So an answer that says "failed" means that nothing was done, and a retry does not meet its own work.
//! Where even that fails, the answer is [`Code::NotRecorded`].

use crate::engine::Engine;
use crate::scan::append_seen;
use crate::wire::{ApiError, Code};
use retrace_files::{Done, Expected, FileError, Held, Root};
use retrace_log::{Act, Change, LogError, Payload, Reader};
use retrace_memory_tool::Pending;
use retrace_model::{MemoryId, Permissions, RelPath, Sha256, StoreId};
use std::sync::Arc;

/// Number of times that a writer begins anew because something stood in its way that was not in the log.
const MAX_ATTEMPTS: u32 = 16;

/// Files that one transaction changed, and what it takes to undo it.
#[derive(Default)]
pub struct LiveFiles {
    done: Vec<Undo>,
    /// Changes that could not be undone.
    left: Vec<Left>,
    /// Something stood there that the log did not know: it is recorded in this transaction, which is to do nothing else.
    stood: bool,
}

enum Undo {
    /// A file was written or deleted; what it held is beside it.
    Held { store: StoreId, root: Arc<Root>, held: Box<Held>, before: Option<Sha256>, after: Option<Sha256> },
    /// A file was rewritten whose old content must not stay beside it.
    Rewritten { store: StoreId, root: Arc<Root>, path: RelPath, before: Vec<u8>, after: Sha256 },
    /// A file was deleted whose directory had to go.
    Cleared { store: StoreId, root: Arc<Root>, path: RelPath, before: Vec<u8>, permissions: Permissions },
    /// A call of the memory tool.
    Call { store: StoreId, root: Arc<Root>, pending: Pending },
}

/// A file that could not be made what it was.
#[derive(Clone)]
pub struct Left {
    /// Its store.
    pub store: StoreId,
    /// Its path there.
    pub path: RelPath,
}

/// Permission to displace a content that is too large for the log to keep.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Large {
    /// It only gets another name.
    MayMove,
    /// It would be gone.
    Refused,
}

impl LiveFiles {
    /// Records what stands at these paths where it is not what the log has.
    ///
    /// # Errors
    /// When there was something: the writer is to return this, and is called again once that is committed. Else what keeps a
    /// file from being read, or from being displaced.
    pub fn record_standing<'p>(
        &mut self,
        inner: &Engine,
        act: &mut Act<'_>,
        (store, root): (StoreId, &Root),
        paths: impl IntoIterator<Item = &'p RelPath>,
        large: Large,
    ) -> Result<(), ApiError> {
        let mut changes = Vec::new();
        for path in paths {
            let standing = root.read(path, inner.rules.max_file_bytes);
            if let Ok(content) = &standing {
                keep_permissions(act, (store, root), path, content.seen.mode)?;
            }
            let payload = match standing {
                Ok(content) if content.bytes.is_none() && large == Large::Refused => {
                    return Err(ApiError::invalid(say::file_too_large_kept_log(), path.to_text())
                        .hint(say::move_elsewhere_yourself_then_repeat()));
                }
                Ok(content) => Payload::Content {
                    bytes: content.bytes,
                    sha256: content.sha256,
                    size: content.size,
                    seen: Some(content.seen),
                    moved_from: None,
                },
                // Nothing, or no regular file, so no memory.
                Err(FileError::Missing { .. }) => Payload::Gone,
                Err(error) if error.is_in_the_way() => Payload::Gone,
                Err(error) => return Err(error.into()),
            };
            changes.push(Change { store, path: path.clone(), payload });
        }
        if append_seen(act, store, changes, None, inner.now())? == 0 {
            return Ok(());
        }
        // Together with what was done it would not be committed first.
        self.stood = self.done.is_empty();
        Err(ApiError::new(Code::HeadMoved, say::somebody_else_wrote_file_meanwhile(), "")
            .hint(say::look_again_repeat()))
    }

    /// Puts a content in place of one that the log holds, or where nothing is: then, and in place of another memory than `memory`,
    /// with the permissions of the file it moves from, else of those that the memory had last, else of those that stood there last.
    ///
    /// # Errors
    /// [`FileError::Moved`] also when the log does not hold what stands there.
    pub fn put(
        &mut self,
        inner: &Engine,
        reader: &Reader<'_>,
        (store, root): (StoreId, &Arc<Root>),
        (path, expected, moved_from): (&RelPath, Expected, Option<&RelPath>),
        (memory, bytes): (Option<MemoryId>, &[u8]),
    ) -> Result<Done, FileError> {
        let before = recorded(reader, store, path, expected)?;
        let is_another = match memory {
            Some(memory) => stands_another(reader, store, path, memory)?,
            None => moved_from.is_some(),
        };
        let (random, faults) = (inner.random(), &*inner.options.faults);
        let mut done = match expected {
            // Another memory stood there: what comes keeps its own permissions.
            Expected::Hash(standing) if moved_from.is_some() || is_another => {
                let permissions = permissions(reader, (store, root), (path, memory), moved_from)?;
                root.replace_with(path, standing, bytes, &permissions, random, faults)?
            }
            Expected::Hash(_) => root.replace(path, expected, bytes, random, faults)?,
            Expected::Absent => {
                let permissions = permissions(reader, (store, root), (path, memory), moved_from)?;
                root.create_with(path, bytes, &permissions, random, faults)?
            }
        };
        self.hold(store, root, &mut done, before, Some(Sha256::of(bytes)));
        Ok(done)
    }

    /// Deletes a file whose content the log holds, and the directories that become empty. Their permissions are kept.
    ///
    /// # Errors
    /// As [`LiveFiles::put`].
    pub fn take(
        &mut self,
        inner: &Engine,
        act: &Act<'_>,
        (store, root): (StoreId, &Arc<Root>),
        path: &RelPath,
        standing: Sha256,
    ) -> Result<Done, FileError> {
        let before = recorded(&act.reader(), store, path, Expected::Hash(standing))?;
        let mode = root.seen(path)?.and_then(|seen| seen.mode);
        keep_permissions(act, (store, root), path, mode).map_err(|error| of_log(path, &error))?;
        let mut done = root.delete(path, standing, true, inner.random(), &*inner.options.faults)?;
        self.hold(store, root, &mut done, before, None);
        Ok(done)
    }

    /// As [`LiveFiles::take`], for a file below a path that a file is to get: nothing may stay beside it, since its directory has to go.
    /// The log has its content; it is put back by writing it again.
    ///
    /// # Errors
    /// As [`LiveFiles::put`].
    pub fn clear(
        &mut self,
        inner: &Engine,
        act: &Act<'_>,
        (store, root): (StoreId, &Arc<Root>),
        path: &RelPath,
        standing: Sha256,
    ) -> Result<Done, FileError> {
        recorded(&act.reader(), store, path, Expected::Hash(standing))?;
        let content = root.read(path, u64::MAX)?;
        let permissions = Permissions { file: content.seen.mode, directories: root.directory_modes(path) };
        act.keep_permissions(store, path, &permissions).map_err(|error| of_log(path, &error))?;
        let before = content.bytes.unwrap_or_default();
        let at_once = root.without_holding(path)?;
        let done = at_once.delete(path, standing, true, inner.random(), &*inner.options.faults)?;
        let (root, path) = (Arc::clone(root), path.clone());
        self.done.push(Undo::Cleared { store, root, path, before, permissions });
        Ok(done)
    }

    /// As [`LiveFiles::put`], for a content that must not stay beside the file either: it is put back by writing it again.
    ///
    /// # Errors
    /// As [`LiveFiles::put`].
    pub fn rewrite(
        &mut self,
        inner: &Engine,
        reader: &Reader<'_>,
        (store, root): (StoreId, &Arc<Root>),
        (path, standing): (&RelPath, Sha256),
        bytes: &[u8],
    ) -> Result<Done, FileError> {
        recorded(reader, store, path, Expected::Hash(standing))?;
        let before = root.read(path, u64::MAX)?.bytes.unwrap_or_default();
        let expected = Expected::Hash(standing);
        let done = root.replace(path, expected, bytes, inner.random(), &*inner.options.faults)?;
        let (root, path, after) = (Arc::clone(root), path.clone(), Sha256::of(bytes));
        self.done.push(Undo::Rewritten { store, root, path, before, after });
        Ok(done)
    }

    /// Takes over a call of the memory tool.
    pub fn called(&mut self, store: StoreId, root: &Arc<Root>, pending: Pending) {
        self.left.extend(pending.left().iter().map(|path| Left { store, path: path.clone() }));
        self.done.push(Undo::Call { store, root: Arc::clone(root), pending });
    }

    fn hold(
        &mut self,
        store: StoreId,
        root: &Arc<Root>,
        done: &mut Done,
        before: Option<Sha256>,
        after: Option<Sha256>,
    ) {
        if let Some(held) = done.held.take() {
            let (root, held) = (Arc::clone(root), Box::new(held));
            self.done.push(Undo::Held { store, root, held, before, after });
        }
    }

    /// Changes that were done and are not part of what the writer says it did.
    pub fn left(&self) -> &[Left] {
        &self.left
    }

    /// Undoes what was done to files, the last first; [`LiveFiles::left`] says what could not be. What somebody else made of a file
    /// since stays.
    pub fn take_back(&mut self, inner: &Engine) {
        let mut left = Vec::new();
        for undo in std::mem::take(&mut self.done).into_iter().rev() {
            match undo {
                Undo::Held { store, root, held, before, after } => {
                    let taken = match root.take_back(&held, inner.random(), &*inner.options.faults) {
                        // Another process cleared it away. The log has it.
                        Err(FileError::Missing { .. }) => {
                            inner.write_again((store, &root), held.path(), before, after)
                        }
                        taken => taken,
                    };
                    if !matches!(taken, Ok(()) | Err(FileError::Moved { .. })) {
                        left.push(Left { store, path: held.path().clone() });
                    }
                }
                Undo::Rewritten { store, root, path, before, after } => {
                    let (expected, random) = (Expected::Hash(after), inner.random());
                    let written = root.replace(&path, expected, &before, random, &*inner.options.faults);
                    if !matches!(written, Ok(_) | Err(FileError::Moved { .. })) {
                        left.push(Left { store, path });
                    }
                }
                Undo::Cleared { store, root, path, before, permissions } => {
                    let written = root.without_holding(&path).and_then(|root| {
                        root.create_with(&path, &before, &permissions, inner.random(), &*inner.options.faults)
                    });
                    if !matches!(written, Ok(_) | Err(FileError::Moved { .. })) {
                        left.push(Left { store, path });
                    }
                }
                Undo::Call { store, pending, .. } => {
                    left.extend(pending.take_back().into_iter().map(|path| Left { store, path }));
                }
            }
        }
        left.reverse();
        self.left.extend(left);
    }

    /// Drops displaced files: the log has what came of it. Answers the stores in which something stayed behind.
    fn let_go(self, inner: &Engine) -> Vec<StoreId> {
        let mut behind = Vec::new();
        for undo in self.done {
            let (store, stays) = match undo {
                Undo::Held { store, root, held, .. } => {
                    (store, root.let_go(&held, &*inner.options.faults).leftover.is_some())
                }
                Undo::Rewritten { store, .. } | Undo::Cleared { store, .. } => (store, false),
                // Held until here, so that the directory is that of the call.
                Undo::Call { store, pending, root } => {
                    let stays = pending.let_go();
                    drop(root);
                    (store, stays)
                }
            };
            if stays && !behind.contains(&store) {
                behind.push(store);
            }
        }
        behind
    }
}

/// The content about to be displaced, which the log must hold.
fn recorded(
    reader: &Reader<'_>,
    store: StoreId,
    path: &RelPath,
    expected: Expected,
) -> Result<Option<Sha256>, FileError> {
    let Expected::Hash(standing) = expected else { return Ok(None) };
    let live = reader.live_at(store, path).map_err(|error| of_log(path, &error))?;
    match live {
        // Of a redacted content nothing is held; the file alone decides.
        Some(live) if live.sha256.is_none_or(|sha256| sha256 == standing) => Ok(Some(standing)),
        _ => Err(FileError::Moved { path: path.clone(), expected, found: Some(standing), kept: None }),
    }
}

/// A failure of the log on the way to a file.
pub(crate) fn of_log(path: &RelPath, error: &LogError) -> FileError {
    FileError::Io {
        path: path.clone(),
        doing: retrace_files::Doing::LookUpLog,
        source: std::io::Error::other(error.to_string()),
    }
}

/// True if another memory than this one stands at a path.
fn stands_another(
    reader: &Reader<'_>,
    store: StoreId,
    path: &RelPath,
    memory: MemoryId,
) -> Result<bool, FileError> {
    let standing = reader.live_at(store, path).and_then(|live| match live {
        Some(live) => Ok(reader.version_by_id(live.version)?.memory != memory),
        None => Ok(false),
    });
    standing.map_err(|error| of_log(path, &error))
}

/// Permissions for a file where nothing of its memory is: those of the file it moves from, else those that the memory had last, in
/// directories as they were at the path.
fn permissions(
    reader: &Reader<'_>,
    (store, root): (StoreId, &Root),
    (path, memory): (&RelPath, Option<MemoryId>),
    moved_from: Option<&RelPath>,
) -> Result<Permissions, FileError> {
    let last = |path: &RelPath| reader.permissions_at(store, path).map_err(|error| of_log(path, &error));
    let mut permissions = last(path)?;
    let of_memory = memory.map(|memory| reader.mode_of(memory)).transpose();
    let of_memory = of_memory.map_err(|error| of_log(path, &error))?.flatten();
    if let Some(from) = moved_from {
        // What stands there says it better than what was seen last, unless this act put another memory there already.
        let recorded = reader.live_at(store, from).map_err(|error| of_log(from, &error))?;
        let now =
            root.read(from, 0).ok().filter(|now| recorded.is_some_and(|it| it.sha256 == Some(now.sha256)));
        permissions.file = match now.and_then(|now| now.seen.mode).or(of_memory) {
            Some(mode) => Some(mode),
            None => last(from)?.file.or(permissions.file),
        };
    } else {
        permissions.file = of_memory.or(permissions.file);
    }
    Ok(permissions)
}

/// Remembers the permissions of a file, and of its directories as they are now.
pub(crate) fn keep_permissions(
    act: &Act<'_>,
    (store, root): (StoreId, &Root),
    path: &RelPath,
    file: Option<u32>,
) -> Result<(), LogError> {
    act.keep_permissions(store, path, &Permissions { file, directories: root.directory_modes(path) })
}

impl Engine {
    /// Runs `work` in one transaction that changes files as well: both happen, or neither. It is run again when something stood
    /// in its way that was not in the log; that is committed by then.
    ///
    /// # Errors
    /// Those of `work` and of the log, and nothing was done then; [`Code::NotRecorded`] when a file could not be put back.
    pub fn write_with_files<T>(
        &self,
        mut work: impl FnMut(&mut Act<'_>, &mut LiveFiles) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        for _ in 0..MAX_ATTEMPTS {
            let mut files = LiveFiles::default();
            let written = self.write(|act| match work(act, &mut files) {
                _ if files.stood => Ok(None),
                Ok(answer) => Ok(Some(answer)),
                Err(error) => {
                    // While nobody else can read what is about to go.
                    files.take_back(self);
                    Err(error)
                }
            });
            match written {
                Ok(Some(answer)) => {
                    for store in files.let_go(self) {
                        let row = self.read(|reader| Ok(reader.store(store)?));
                        drop(row.and_then(|row| self.recover(&row)));
                    }
                    return Ok(answer);
                }
                Ok(None) => {}
                Err(error) => {
                    files.take_back(self);
                    return Err(not_recorded(error, &files.left));
                }
            }
        }
        Err(ApiError::new(Code::HeadMoved, say::somebody_else_keeps_writing_same(), "")
            .hint(say::nothing_done_what_they_wrote()))
    }

    /// Puts a content of the log in place of what an act wrote.
    fn write_again(
        &self,
        (store, root): (StoreId, &Root),
        path: &RelPath,
        before: Option<Sha256>,
        after: Option<Sha256>,
    ) -> Result<(), FileError> {
        let missing = || FileError::Missing { path: path.clone() };
        let before = before.ok_or_else(missing)?;
        let known = self.read(|reader| {
            let version = reader.version_with_content(&before)?;
            let content = version.map(|version| reader.content(&version)).transpose()?.flatten();
            Ok(content.zip(Some(reader.permissions_at(store, path)?)))
        });
        let (content, permissions) = known.ok().flatten().ok_or_else(missing)?;
        let (bytes, random, faults) = (content.bytes, self.random(), &*self.options.faults);
        let done = match after.map_or(Expected::Absent, Expected::Hash) {
            Expected::Absent => root.create_with(path, &bytes, &permissions, random, faults)?,
            expected @ Expected::Hash(_) => root.replace(path, expected, &bytes, random, faults)?,
        };
        if let Some(held) = done.held {
            drop(root.let_go(&held, &*self.options.faults));
        }
        Ok(())
    }
}

/// The failure of a writer, with what it left on the disk.
fn not_recorded(error: ApiError, left: &[Left]) -> ApiError {
    let Some(first) = left.first() else { return error };
    ApiError::new(Code::NotRecorded, say::done_not_recorded(error.message), first.path.to_text())
        .hint(say::files_changed_could_not_put(left.len()))
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "live_files";
    file_too_large_kept_log() => "The file is too large to be kept in the log, so it could not be put back afterwards.",
    move_elsewhere_yourself_then_repeat() => "Move it elsewhere yourself, then repeat.",
    somebody_else_wrote_file_meanwhile() => "Somebody else wrote the file meanwhile.",
    look_again_repeat() => "Look at it again and repeat.",
    somebody_else_keeps_writing_same() => "Somebody else keeps writing the same files.",
    nothing_done_what_they_wrote() => "Nothing was done; what they wrote is recorded. Repeat it when they are done.",
    done_not_recorded(message) => "It was done and is not recorded: {message}",
    files_changed_could_not_put(count) => "{count} files were changed and could not be put back. The next scan records them, without who and why; do not repeat it.",
}
