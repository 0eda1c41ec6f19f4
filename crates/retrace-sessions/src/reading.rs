//! Reads one file, from its beginning or from where it was left.

use crate::cancel::Cancel;
use crate::entry::{EDGE_BYTES, Edges, Entry, Problem, Resume};
use crate::identity::Identity;
use crate::opencode;
use crate::walk::{Found, Place};
use retrace_message::AsMessage;
use retrace_transcript::Summariser;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Take};
use std::path::Path;

/// Bytes read at once.
const CHUNK_BYTES: usize = 1 << 20;

/// Way a file was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// From the beginning.
    Anew,
    /// From where it was left.
    Continued,
}

/// Why there is no new entry.
#[derive(Debug)]
pub(crate) enum NotRead {
    /// Somebody wished to stop; what was known stays.
    Cancelled,
    /// The file is no longer there.
    Gone,
}

/// Largest part of one line or document that is held in memory; little in tests, so that they need not write much.
const HELD_LIMIT: u64 = if cfg!(test) { 8 << 20 } else { 256 << 20 };

/// Reason to stop a reading.
enum Stop {
    Cancelled,
    Failed(io::Error),
    TooLong,
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

/// Reads `path`, going on from `before` where the file has only grown. `read` is told of the bytes as they are read. A
/// file that cannot be read comes back as an entry that says why, with what was known before.
pub(crate) fn read(
    path: &Path,
    found: &Found,
    before: Option<&Entry>,
    read: &mut dyn FnMut(u64),
    cancel: &Cancel,
) -> Result<(Entry, Manner), NotRead> {
    let done = match opencode::session_of(path) {
        Some((database, id)) => of_database(path, found, &opencode::content(database, id), read),
        None => try_read(path, &found.place, before, read, cancel),
    };
    let problem = match done {
        Ok(done) => return Ok(done),
        Err(Stop::Cancelled) => return Err(NotRead::Cancelled),
        Err(Stop::Failed(error)) if error.kind() == ErrorKind::NotFound => return Err(NotRead::Gone),
        Err(Stop::Failed(error)) => Problem::Unreadable(error.message()),
        Err(Stop::TooLong) => Problem::TooLong { limit: HELD_LIMIT },
    };
    let entry = Entry {
        path: path.to_owned(),
        place: found.place.clone(),
        identity: found.identity,
        summary: before.and_then(|entry| entry.summary.clone()),
        problem: Some(problem),
        resume: None,
    };
    Ok((entry, Manner::Anew))
}

/// A session of a database, as it was found.
fn of_database(
    path: &Path,
    found: &Found,
    content: &io::Result<Vec<u8>>,
    read: &mut dyn FnMut(u64),
) -> Result<(Entry, Manner), Stop> {
    let bytes = content.as_ref().map_err(|error| io::Error::new(error.kind(), error.to_string()))?;
    let mut summariser = Summariser::new();
    summariser.feed(bytes);
    read(bytes.len() as u64);
    let entry = Entry {
        path: path.to_owned(),
        place: found.place.clone(),
        identity: found.identity,
        summary: Some(summariser.summary()),
        problem: None,
        resume: None,
    };
    Ok((entry, Manner::Anew))
}

fn try_read(
    path: &Path,
    place: &Place,
    before: Option<&Entry>,
    read: &mut dyn FnMut(u64),
    cancel: &Cancel,
) -> Result<(Entry, Manner), Stop> {
    let mut file = open(path)?;
    // The identity from before reading: what is written meanwhile makes the next scan see another one.
    let identity = Identity::of(&file.metadata()?);
    let continued = match before {
        Some(before) => continue_from(&mut file, identity, before)?,
        None => None,
    };
    let manner = if continued.is_some() { Manner::Continued } else { Manner::Anew };
    let mut intake = continued.unwrap_or_default();
    file.seek(SeekFrom::Start(intake.taken))?;
    let rest = file.take(identity.size.saturating_sub(intake.taken));
    take_all(rest, &mut intake, read, cancel)?;
    let entry = Entry {
        path: path.to_owned(),
        place: place.clone(),
        identity,
        summary: Some(intake.summariser.summary()),
        problem: None,
        resume: intake.resume(),
    };
    Ok((entry, manner))
}

fn take_all(
    mut rest: Take<File>,
    intake: &mut Intake,
    read: &mut dyn FnMut(u64),
    cancel: &Cancel,
) -> Result<(), Stop> {
    let mut chunk = vec![0; CHUNK_BYTES.min(usize::try_from(rest.limit()).unwrap_or(CHUNK_BYTES))];
    loop {
        if cancel.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        match rest.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(length) => {
                intake.take(&chunk[..length]);
                read(length as u64);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
        if intake.held() > HELD_LIMIT {
            return Err(Stop::TooLong);
        }
    }
}

/// A reading under way.
#[derive(Default)]
struct Intake {
    summariser: Summariser,
    /// Bytes taken from the beginning of the file.
    taken: u64,
    edges: Edges,
    /// Where the last whole line ended, and the edges there.
    line_end: (u64, Edges),
}

impl Intake {
    fn take(&mut self, bytes: &[u8]) {
        self.summariser.feed(bytes);
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |place| place + 1);
        self.edges.take(&bytes[..whole]);
        if whole > 0 {
            self.line_end = (self.taken + whole as u64, self.edges.clone());
        }
        self.edges.take(&bytes[whole..]);
        self.taken += bytes.len() as u64;
    }

    /// Bytes that belong to a line or document whose end has not come.
    fn held(&self) -> u64 {
        self.taken.saturating_sub(self.summariser.consumed())
    }

    /// From where to go on. A file that is not taken line by line is always read anew.
    fn resume(&self) -> Option<Resume> {
        let (consumed, edges) = &self.line_end;
        (*consumed > 0 && self.summariser.consumed() == *consumed).then(|| Resume {
            state: self.summariser.to_bytes(),
            consumed: *consumed,
            fingerprint: edges.fingerprint(),
        })
    }
}

/// Entry to go on from, if the file is the one that was read, has grown, and still has at both edges what was read.
fn continue_from(file: &mut File, identity: Identity, before: &Entry) -> io::Result<Option<Intake>> {
    let Some(resume) = &before.resume else { return Ok(None) };
    // A change in place without growth may be anywhere in the file.
    let has_grown = identity.same_file(&before.identity) && identity.size > before.identity.size;
    if !has_grown || identity.size < resume.consumed {
        return Ok(None);
    }
    let length = resume.consumed.min(EDGE_BYTES as u64);
    let head = read_at(file, 0, length)?;
    let tail = read_at(file, resume.consumed - length, length)?;
    let edges = Edges::from_parts(head, tail);
    if edges.fingerprint() != resume.fingerprint {
        return Ok(None);
    }
    // A state of another version, or damaged, is one to begin anew from.
    let summariser = Summariser::from_bytes(&resume.state).ok();
    Ok(summariser.filter(|summariser| summariser.consumed() == resume.consumed).map(|summariser| Intake {
        summariser,
        taken: resume.consumed,
        line_end: (resume.consumed, edges.clone()),
        edges,
    }))
}

fn read_at(file: &mut File, offset: u64, length: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a regular file for reading, never a link, and never waits for the other end of a pipe.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let file = options.open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other(say::not_regular_file())) }
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "reading";
    not_regular_file() => "not a regular file",
}
