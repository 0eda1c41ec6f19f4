//! What the requests of every transcript on this machine held, kept in memory and in a file for the next process. The file is
//! disposable and holds no text; a redaction deletes it.

use super::of_store::OfStores;
use super::sought::{self, Lines};
use crate::Lab;
use crate::lab::{agent, loaded};
use crate::wire::ApiError;
use crate::wire::show;
use retrace_engine::lock;
use retrace_presence::{Digest, Proof, Scope, Shelf};
use retrace_sessions::{
    AgentName, Entry, Identity, KnownPresence, PRESENCE_FILE, PresenceFile, Snapshot, load_presence,
    save_presence,
};
use retrace_transcript::requests::as_sent;
use retrace_transcript::{Preamble, Transcript};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Conversations with the words of what they held, kept for the next question.
const MAX_WITH_WORDS: usize = 4;

/// Presence in the transcripts of this machine.
#[derive(Default)]
pub(crate) struct Presences {
    known: Mutex<Option<Arc<Known>>>,
    /// One is made at a time.
    making: Mutex<()>,
    with_words: Mutex<Vec<Arc<WithWords>>>,
    /// Lines of memories that transcripts are searched for.
    lines: Mutex<Option<Lines>>,
    /// Memories of stores over all of it.
    pub(super) of_stores: OfStores,
}

/// What every transcript held.
pub(crate) struct Known {
    pub shelf: Shelf,
    roots: Vec<String>,
    files: HashMap<PathBuf, Arc<KnownPresence>>,
    /// Files whose texts are on the shelf and that are not known any more.
    stale: usize,
    /// The last version of the log whose lines were looked for.
    through: AtomicU64,
}

impl Known {
    pub(crate) fn file(&self, path: &Path) -> Option<&Arc<KnownPresence>> {
        self.files.get(path)
    }

    /// Of one transcript alone.
    ///
    /// # Errors
    /// Those of [`loaded::load_place`] for a file.
    pub(crate) fn of_one(inner: &Lab, entry: &Entry, roots: Vec<String>) -> Result<Self, ApiError> {
        let mut shelf = Shelf::default();
        let identity = loaded::identity(&entry.path)?;
        let lines = inner.lab.presence.lines(inner)?;
        let scope = scope(inner, &roots, &lines);
        let conversations = read(&entry.path, &mut |_, digest| digest, &scope, &mut shelf)?;
        let agent = entry.is_subagent().then(|| agent_of(&entry.path)).flatten();
        let known = KnownPresence { path: entry.path.clone(), identity, conversations, agent };
        let files = HashMap::from([(entry.path.clone(), Arc::new(known))]);
        Ok(Self { shelf, roots, files, stale: 0, through: lines.through.into() })
    }
}

/// One transcript with the words of what it held.
pub(crate) struct WithWords {
    path: PathBuf,
    identity: Identity,
    roots: Vec<String>,
    through: u64,
    pub shelf: Shelf,
    pub conversations: Vec<Digest>,
    /// Ids of the requests, and the model of most, by conversation.
    pub names: Vec<(Vec<String>, Option<String>)>,
    pub agent: Option<AgentName>,
}

impl Presences {
    /// Forgets everything, the file included.
    pub(crate) fn forget(&self, inner: &Lab) {
        let _no_new_one = lock(&self.making);
        *lock(&self.known) = None;
        lock(&self.with_words).clear();
        *lock(&self.lines) = None;
        self.of_stores.forget();
        // Where it cannot be removed, whoever searches the data directory finds it there.
        let _ = std::fs::remove_file(file(inner));
    }

    fn lines(&self, inner: &Lab) -> Result<Lines, ApiError> {
        sought::lines(inner, &self.lines)
    }

    /// One transcript with words.
    ///
    /// # Errors
    /// Those of [`loaded::load_place`] for a file.
    pub(crate) fn with_words(
        &self,
        inner: &Lab,
        path: &Path,
        roots: &[String],
    ) -> Result<Arc<WithWords>, ApiError> {
        let identity = loaded::identity(path)?;
        let lines = self.lines(inner)?;
        let is_it = |one: &Arc<WithWords>| {
            one.path == path && one.identity == identity && one.roots == roots && one.through == lines.through
        };
        if let Some(known) = lock(&self.with_words).iter().find(|one| is_it(one)) {
            return Ok(Arc::clone(known));
        }
        let mut shelf = Shelf::with_words();
        let scope = scope(inner, roots, &lines);
        let (mut conversations, mut names) = (Vec::new(), Vec::new());
        for transcript in read(
            path,
            &mut |transcript, digest| {
                names.push((
                    transcript.requests.iter().map(|request| request.id.clone()).collect(),
                    loaded::model_of_most(transcript),
                ));
                digest
            },
            &scope,
            &mut shelf,
        )? {
            conversations.push(transcript);
        }
        let made = Arc::new(WithWords {
            path: path.to_path_buf(),
            identity,
            roots: roots.to_vec(),
            through: lines.through,
            shelf,
            conversations,
            names,
            agent: agent_of(path),
        });
        let mut kept = lock(&self.with_words);
        kept.retain(|one| one.path != path);
        kept.push(Arc::clone(&made));
        if kept.len() > MAX_WITH_WORDS {
            kept.remove(0);
        }
        Ok(made)
    }

    /// Every transcript that the index knows, read where it is not known as it is now.
    pub(crate) fn all(&self, inner: &Arc<Lab>, roots: &[String]) -> (Arc<Snapshot>, Arc<Known>) {
        inner.lab.index.update(inner);
        let snapshot = inner.lab.index.snapshot();
        let _one_at_a_time = lock(&self.making);
        let before = lock(&self.known)
            .clone()
            .or_else(|| load_presence(&file(inner)).map(|file| Arc::new(known_of(file))));
        // Without the lines of the log everything else is found; whoever asks meets the failure too.
        let lines = self.lines(inner).unwrap_or_default();
        let through = |before: &Known| before.through.load(Ordering::Relaxed);
        let before = before.filter(|before| before.roots == roots && through(before) <= lines.through);
        let since = before.as_ref().map(|before| sought::since(inner, through(before)));
        let since = since.and_then(Result::ok).flatten();
        let entries: Vec<&Arc<Entry>> =
            snapshot.sessions().iter().flat_map(|session| session.entries()).collect();
        let is_known = |entry: &Entry| {
            let known = before.as_ref().and_then(|before| before.file(&entry.path));
            known.is_some_and(|known| known.identity == entry.identity && !may_hold_since(known, since))
        };
        let missing: Vec<&Arc<Entry>> = entries.iter().copied().filter(|entry| !is_known(entry)).collect();
        if let Some(before) = before.as_ref().filter(|_| missing.is_empty()) {
            before.through.store(lines.through, Ordering::Relaxed);
            *lock(&self.known) = Some(Arc::clone(before));
            return (snapshot, Arc::clone(before));
        }
        let scope = scope(inner, roots, &lines);
        let (mut shelf, mut files, mut stale) = match before {
            Some(before) => (before.shelf.clone(), before.files.clone(), before.stale),
            None => (Shelf::default(), HashMap::new(), 0),
        };
        let there: std::collections::HashSet<&Path> =
            entries.iter().map(|entry| entry.path.as_path()).collect();
        let count = files.len();
        files.retain(|path, _| there.contains(path.as_path()));
        stale += count - files.len();
        for (read, own) in read_all(&missing, &scope) {
            for known in read {
                let moved = moved(known, &own, &mut shelf);
                stale += usize::from(files.insert(moved.path.clone(), Arc::new(moved)).is_some());
            }
        }
        let mut known = Known { shelf, roots: roots.to_vec(), files, stale, through: lines.through.into() };
        if known.stale > known.files.len() / 4 {
            known = without_stale(known);
        }
        write(inner, &known);
        let known = Arc::new(known);
        *lock(&self.known) = Some(Arc::clone(&known));
        (snapshot, known)
    }
}

fn file(inner: &Lab) -> PathBuf {
    inner.options.data_dir.join(PRESENCE_FILE)
}

fn scope(inner: &Lab, roots: &[String], lines: &Lines) -> Scope {
    Scope {
        roots: roots.to_vec(),
        home: Some(show(&inner.options.surroundings.home)),
        sought: Arc::clone(&lines.sought),
    }
}

/// True if a request of a transcript was made at or after a time, so that it may have held what was written then.
fn may_hold_since(known: &KnownPresence, since: Option<i64>) -> bool {
    let requests = || known.conversations.iter().flat_map(|digest| &digest.requests);
    since.is_some_and(|since| requests().any(|facts| facts.at.is_none_or(|at| at >= since)))
}

fn agent_of(path: &Path) -> Option<AgentName> {
    let facts = agent::facts(path)?;
    Some(AgentName { agent_type: facts.agent_type, description: facts.description })
}

fn known_of(file: PresenceFile) -> Known {
    let files = file.known.into_iter().map(|known| (known.path.clone(), Arc::new(known))).collect();
    let shelf = Shelf::from_texts(file.texts);
    Known { shelf, roots: file.roots, files, stale: 0, through: file.through.into() }
}

/// Keeps what was read, without what would put something redacted into the file again.
fn write(inner: &Lab, known: &Known) {
    let Ok(tags) = inner.tags() else { return };
    if tags.lost() > 0 {
        return;
    }
    let holds = |bytes: Option<Vec<u8>>| bytes.is_none_or(|bytes| !tags.secrets_at(&bytes).is_empty());
    let mut files: Vec<&Arc<KnownPresence>> = known
        .files
        .values()
        .filter(|known| tags.is_empty() || !holds(serde_json::to_vec(&***known).ok()))
        .collect();
    files.sort_by(|one, other| one.path.cmp(&other.path));
    let kept = PresenceFile {
        roots: known.roots.clone(),
        through: known.through.load(Ordering::Relaxed),
        texts: known.shelf.texts().to_vec(),
        known: files.into_iter().map(|known| (**known).clone()).collect(),
    };
    // Texts are of many transcripts; a file that is not there costs time, no more.
    if !tags.is_empty() && holds(serde_json::to_vec(&kept).ok()) {
        let _ = std::fs::remove_file(file(inner));
        return;
    }
    let _ = save_presence(&file(inner), &kept);
}

/// A transcript whose texts are put on another shelf.
fn moved(mut known: KnownPresence, from: &Shelf, to: &mut Shelf) -> KnownPresence {
    for piece in known.conversations.iter_mut().flat_map(|digest| &mut digest.pieces) {
        if let Some(text) = from.text(piece.text) {
            piece.text = to.put(text.clone(), Vec::new);
        }
    }
    known
}

fn without_stale(known: Known) -> Known {
    let mut shelf = Shelf::default();
    let files = known
        .files
        .iter()
        .map(|(path, file)| (path.clone(), Arc::new(moved((**file).clone(), &known.shelf, &mut shelf))));
    let files = files.collect();
    Known { shelf, roots: known.roots, files, stale: 0, through: known.through }
}

/// Reads transcripts on as many threads as there are processors; each has a shelf of its own.
fn read_all(missing: &[&Arc<Entry>], scope: &Scope) -> Vec<(Vec<KnownPresence>, Shelf)> {
    let next = AtomicUsize::new(0);
    let work = || {
        let (mut found, mut shelf) = (Vec::new(), Shelf::default());
        while let Some(entry) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
            // What cannot be read holds nothing; the index of transcripts says why.
            let conversations =
                read(&entry.path, &mut |_, digest| digest, scope, &mut shelf).unwrap_or_default();
            let agent = entry.is_subagent().then(|| agent_of(&entry.path)).flatten();
            found.push(KnownPresence {
                path: entry.path.clone(),
                identity: entry.identity,
                conversations,
                agent,
            });
        }
        (found, shelf)
    };
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|all| {
        let others: Vec<_> = (1..threads.min(missing.len())).map(|_| all.spawn(work)).collect();
        let mut found = vec![work()];
        for other in others {
            match other.join() {
                Ok(more) => found.push(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        found
    })
}

/// The conversations of a file, each handed to `each` with what it held.
fn read(
    path: &Path,
    each: &mut dyn FnMut(&Transcript, Digest) -> Digest,
    scope: &Scope,
    shelf: &mut Shelf,
) -> Result<Vec<Digest>, ApiError> {
    let (reading, log, mut lines) = loaded::split_with_lines(path)?;
    let mut reading = loaded::of_one_request(reading);
    let mut conversations = Vec::new();
    for transcript in &mut reading.transcripts {
        let sent = match log.requests().is_empty() {
            true => Vec::new(),
            false => as_sent(transcript, &log, &mut *lines, &mut |preamble| Preamble {
                system: preamble.system,
                tools: Vec::new(),
            }),
        };
        let proof = |request: usize| match sent.get(request).and_then(Option::as_ref) {
            None => Proof::None,
            Some(sent) if sent.proof.is_ok() => Proof::Proved,
            Some(_) => Proof::Failed,
        };
        let digest = Digest::of(transcript, &proof, scope, shelf);
        conversations.push(each(transcript, digest));
    }
    Ok(conversations)
}
