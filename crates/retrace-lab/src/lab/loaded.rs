//! Transcripts that were read and weighed, kept for the next question about them: a slider asks many times a second.

use crate::Lab;
use crate::lab::agents_md;
use crate::lab::find::{self, Place};
use crate::lab::request_index;
use crate::wire::{ApiError, Code};
use crate::wire::{sentence, show};
use retrace_context::edits::PLACEHOLDER;
use retrace_context::regret::RegretIndex;
use retrace_context::simulate::Prepared;
use retrace_context::{Counts, PreambleCount, PreambleCounter, Weighing, Weights};
use retrace_engine::counts::NEWEST_FAMILY;
use retrace_engine::lock;
use retrace_sessions::Identity;
use retrace_tokens::{Counter, Family, Resolved, family_of};
use retrace_transcript::requests::{
    Lines, RecordedPreamble, RecordedTool, RequestIndex, RequestLog, SentOf, SessionSplit, Span, as_sent,
};
use retrace_transcript::{
    Account, Cause, ForkedFrom, Format, Message, Oddity, Origin, Preamble, Reading, Tool, Transcript,
};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, OnceLock};

/// Files kept.
const MAX_FILES: usize = 4;
/// Their bytes on disk together, unless one alone has more. In memory a transcript takes a few times as much.
const MAX_BYTES: u64 = 128 << 20;
/// Larger files are not read as a whole.
const LARGEST_FILE: u64 = 1 << 30;

/// One conversation, read and weighed.
pub(crate) struct Loaded {
    pub place: Place,
    file: Arc<FileRead>,
    /// Model of most requests.
    pub model: Option<String>,
    pub weights: Weights,
    prepared: OnceLock<Prepared>,
    regrets: OnceLock<RegretIndex>,
}

struct FileRead {
    stamp: Stamp,
    reading: Reading,
    /// What the file records of its requests.
    requests: Arc<RequestIndex>,
    /// By conversation and request: what is known of its record.
    sent: Vec<Vec<Option<SentOf>>>,
    /// By conversation: tokens of the preambles, whose texts are not held.
    preambles: Vec<Vec<PreambleCount>>,
    /// By conversation: what a person typed, as the lines tell it. What was sent may hold it in one message with what is not
    /// theirs, or several times.
    typed: Vec<Vec<Typed>>,
}

/// A message that a person typed.
pub(crate) struct Typed {
    /// Its place among the messages as the lines tell them.
    pub place: usize,
    /// The message.
    pub message: Message,
}

fn typed(transcript: &Transcript) -> Vec<Typed> {
    let messages = transcript.messages.iter().enumerate();
    // What a compaction keeps was typed before, and stands in its line again.
    let compactions: HashSet<u32> = transcript
        .segments
        .iter()
        .filter_map(|segment| match &segment.cause {
            Cause::Compacted(compaction) if compaction.line > 0 => Some(compaction.line),
            _ => None,
        })
        .collect();
    // What a fork of Codex goes on from was typed in another session, and has no line here.
    let is_above = |message: &Message| transcript.format == Format::CodexRollout && message.line == 0;
    let typed = messages.filter(|(_, message)| {
        message.origin == Origin::Typed && !compactions.contains(&message.line) && !is_above(message)
    });
    typed.map(|(place, message)| Typed { place, message: message.clone() }).collect()
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Stamp {
    bytes: u64,
    modified: i64,
}

impl Loaded {
    pub(crate) fn transcript(&self) -> &Transcript {
        &self.file.reading.transcripts[self.place.part]
    }

    /// What a person typed, in the order of the file.
    pub(crate) fn typed(&self) -> &[Typed] {
        &self.file.typed[self.place.part]
    }

    /// Account of the file's content, understood or not.
    pub(crate) fn account(&self) -> &Account {
        &self.file.reading.account
    }

    /// True for a fork whose original is not found: what its requests sent before its own messages is not there.
    pub(crate) fn lacks_history(&self) -> bool {
        self.account().oddities.contains_key(&Oddity::ForkWithoutItsHistory)
    }

    /// What the file records of its requests.
    pub(crate) fn requests(&self) -> &RequestLog {
        self.file.requests.log()
    }

    /// The same with the indexes of answers.
    pub(crate) fn request_index(&self) -> &RequestIndex {
        &self.file.requests
    }

    /// What is known of the record of a request; `None` where there is none.
    pub(crate) fn sent(&self, request: usize) -> Option<&SentOf> {
        self.file.sent.get(self.place.part)?.get(request)?.as_ref()
    }

    /// Its index among what the file records, of a request that is proved.
    pub(crate) fn proved(&self, request: usize) -> Option<usize> {
        self.sent(request).filter(|sent| sent.proof.is_ok()).map(|sent| sent.recorded)
    }

    /// System prompt and tools of a request, where they are known.
    pub(crate) fn preamble(&self, request: usize) -> Option<Preamble> {
        match self.proved(request) {
            Some(recorded) => self.requests().preamble(recorded, &mut self.lines().ok()?),
            None => {
                let transcript = self.transcript();
                transcript.preambles.get(transcript.requests.get(request)?.preamble?).cloned()
            }
        }
    }

    /// The lines of the file, which is still the one that was read.
    ///
    /// # Errors
    /// Those of [`load`] for a file.
    pub(crate) fn lines(&self) -> Result<FileLines, ApiError> {
        let path = &self.place.path;
        if stamp(path)? != self.file.stamp {
            return Err(ApiError::new(Code::Busy, say::transcript_changed_meanwhile(), show(path))
                .hint(say::try_again()));
        }
        FileLines::open(path)
    }

    /// Ready to be simulated.
    pub(crate) fn prepared(&self) -> &Prepared {
        self.prepared.get_or_init(|| {
            let (transcript, weights) = (self.transcript(), &self.weights);
            let marks = |request| self.sent(request).and_then(|sent| sent.marks.as_deref());
            let marks = (0..transcript.requests.len()).map(marks);
            Prepared::new(transcript, weights).with_marks(transcript, weights, marks)
        })
    }

    /// Results that were needed again.
    pub(crate) fn regrets(&self) -> &RegretIndex {
        self.regrets.get_or_init(|| RegretIndex::new(self.transcript()))
    }
}

/// Cached transcripts.
#[derive(Default)]
pub(crate) struct LoadedCache {
    /// The one asked for last is the last.
    kept: Mutex<Vec<Kept>>,
    /// One file is read at a time: two questions about one file read it once.
    reading: Mutex<()>,
}

struct Kept {
    path: PathBuf,
    file: Arc<FileRead>,
    parts: HashMap<usize, Arc<Loaded>>,
}

impl LoadedCache {
    /// Forgets everything.
    pub(crate) fn forget(&self) {
        lock(&self.kept).clear();
    }

    fn known(&self, place: &Place, stamp: &Stamp) -> Option<(Arc<FileRead>, Option<Arc<Loaded>>)> {
        let mut kept = lock(&self.kept);
        let at = kept.iter().position(|kept| kept.path == place.path)?;
        let found = kept.remove(at);
        if found.file.stamp != *stamp {
            return None;
        }
        let answer = (Arc::clone(&found.file), found.parts.get(&place.part).cloned());
        kept.push(found);
        Some(answer)
    }

    fn keep(&self, loaded: &Arc<Loaded>) {
        let mut kept = lock(&self.kept);
        let path = &loaded.place.path;
        let known = kept.iter_mut().find(|kept| kept.path == *path);
        match known.filter(|kept| Arc::ptr_eq(&kept.file, &loaded.file)) {
            Some(kept) => {
                kept.parts.insert(loaded.place.part, Arc::clone(loaded));
            }
            None => {
                kept.retain(|kept| kept.path != *path);
                kept.push(Kept {
                    path: path.clone(),
                    file: Arc::clone(&loaded.file),
                    parts: HashMap::from([(loaded.place.part, Arc::clone(loaded))]),
                });
            }
        }
        let bytes = |kept: &[Kept]| kept.iter().map(|kept| kept.file.stamp.bytes).sum::<u64>();
        while kept.len() > MAX_FILES || (kept.len() > 1 && bytes(&kept) > MAX_BYTES) {
            kept.remove(0);
        }
    }
}

/// The transcript that `text` names, read and weighed.
///
/// # Errors
/// Those of [`find::transcript`]; `not_found` and `store_unavailable` for a file that cannot be read, `invalid` for one that
/// is no transcript.
pub(crate) fn load(inner: &Arc<Lab>, text: &str) -> Result<Arc<Loaded>, ApiError> {
    load_place(inner, find::transcript(inner, text)?)
}

/// The transcript at a place, read and weighed.
///
/// # Errors
/// Those of [`load`] for a file.
pub(crate) fn load_place(inner: &Lab, place: Place) -> Result<Arc<Loaded>, ApiError> {
    let cache = &inner.lab.loaded;
    let (stamp, identity) = (stamp(&place.path)?, identity(&place.path)?);
    if let Some((_, Some(loaded))) = cache.known(&place, &stamp) {
        return Ok(loaded);
    }
    let _one_at_a_time = lock(&cache.reading);
    let file = match cache.known(&place, &stamp) {
        Some((_, Some(loaded))) => return Ok(loaded),
        Some((file, None)) => file,
        None => Arc::new(read(&place.path, stamp)?),
    };
    if place.part >= file.reading.transcripts.len() {
        let count = file.reading.transcripts.len() - 1;
        return Err(ApiError::new(Code::NotFound, say::no_such_conversation_file(), place.id)
            .hint(say::holds_beside_main_one(count)));
    }
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let loaded = Arc::new(weigh(place, file, threads));
    cache.keep(&loaded);
    request_index::keep(inner, &loaded.place.path, identity, &loaded.file.requests);
    Ok(loaded)
}

/// The main conversation of a file, read and weighed on this thread and not kept.
///
/// # Errors
/// Those of [`load`] for a file.
pub(crate) fn load_once(path: &Path) -> Result<Loaded, ApiError> {
    let file = Arc::new(read(path, stamp(path)?)?);
    let place = Place { path: path.to_path_buf(), part: 0, id: show(path) };
    Ok(weigh(place, file, 1))
}

fn stamp(path: &Path) -> Result<Stamp, ApiError> {
    let identity = identity(path)?;
    Ok(Stamp { bytes: identity.size, modified: identity.modified })
}

/// What tells if a file is still the one that was read.
///
/// # Errors
/// Those of [`load`] for a file.
pub(crate) fn identity(path: &Path) -> Result<Identity, ApiError> {
    retrace_sessions::identity(path).map_err(|error| unreadable(path, &error))
}

fn read(path: &Path, stamp: Stamp) -> Result<FileRead, ApiError> {
    let (reading, log) = split(path)?;
    let mut reading = of_one_request(reading);
    let (mut sent, mut preambles) = (Vec::new(), Vec::new());
    let typed = reading.transcripts.iter().map(typed).collect();
    if !log.requests().is_empty() {
        let mut lines = FileLines::open(path)?;
        for transcript in &mut reading.transcripts {
            let (known, counted) = sent_of(transcript, &log, &mut lines);
            sent.push(known);
            preambles.push(counted);
        }
    }
    let requests = Arc::new(RequestIndex::new(&reading.transcripts, log));
    Ok(FileRead { stamp, reading, requests, sent, preambles, typed })
}

/// What the requests of a transcript sent, and the tokens of each of their preambles. Most of the work is counting them, where
/// every request has a preamble of its own, so other threads count while the next one is read.
fn sent_of(
    transcript: &mut Transcript,
    log: &RequestLog,
    lines: &mut FileLines,
) -> (Vec<Option<SentOf>>, Vec<PreambleCount>) {
    let resolved = family(transcript, model_of_most(transcript).as_deref());
    let weighing = Weighing::of(resolved.family, resolved.assumed, PLACEHOLDER);
    let counter = Counter::of(resolved.family);
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(MOST_COUNTING);
    let (give, take) = sync_channel::<(usize, RecordedPreamble)>(threads);
    let take = Arc::new(Mutex::new(take));
    let count = |take: Arc<Mutex<Receiver<(usize, RecordedPreamble)>>>| {
        let (mut counted, mut preambles) = (Vec::new(), PreambleCounter::new(counter, &weighing));
        loop {
            let next = lock(&take).recv();
            let Ok((index, preamble)) = next else { return counted };
            counted.push((index, preambles.count(preamble)));
        }
    };
    std::thread::scope(|scope| {
        let start = |take| scope.spawn(move || count(take));
        let counting: Vec<_> = std::iter::repeat_n(take, threads).map(start).collect();
        let mut preambles = 0;
        let known = as_sent(transcript, log, lines, &mut |preamble| {
            // The names of tools stay.
            let named = |tool: &RecordedTool| Tool { name: tool.name.clone(), definition: Value::Null };
            let tools = preamble.tools.iter().map(named).collect();
            // It fails where every thread panicked, and joining them goes on with that.
            let _ = give.send((preambles, preamble));
            preambles += 1;
            Preamble { system: Vec::new(), tools }
        });
        drop(give);
        let mut counted = Vec::new();
        for thread in counting {
            counted.extend(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        counted.sort_by_key(|(index, _)| *index);
        (known, counted.into_iter().map(|(_, counts)| counts).collect())
    })
}

/// Threads that count preambles: reading them keeps no more busy.
const MOST_COUNTING: usize = 4;

/// Bytes read at a time.
const PIECE: usize = 1 << 18;

/// Reads a file piece by piece: its transcripts, and what it records of its requests.
///
/// # Errors
/// Those of [`load`] for a file.
pub(crate) fn split(path: &Path) -> Result<(Reading, RequestLog), ApiError> {
    finished(path, fed(path)?)
}

/// [`split`], and the lines of the file for who rebuilds its requests. Of a file that is not large they are those that were split.
///
/// # Errors
/// Those of [`load`] for a file.
pub(crate) fn split_with_lines(path: &Path) -> Result<(Reading, RequestLog, Box<dyn Lines>), ApiError> {
    if retrace_sessions::is_in_database(path) || stamp(path)?.bytes > LARGEST_HELD {
        let (reading, log) = split(path)?;
        return match log.requests().is_empty() {
            true => Ok((reading, log, Box::new(HeldLines(Vec::new())))),
            false => Ok((reading, log, Box::new(FileLines::open(path)?))),
        };
    }
    let bytes = bytes(path)?;
    let mut split = SessionSplit::new();
    split.feed(&bytes);
    let (reading, log) = finished(path, split)?;
    Ok((reading, log, Box::new(HeldLines(bytes))))
}

/// Larger files are read piece by piece, and their lines again.
const LARGEST_HELD: u64 = 16 << 20;

fn finished(path: &Path, split: SessionSplit) -> Result<(Reading, RequestLog), ApiError> {
    let mut is_whole = true;
    let above = |from: &ForkedFrom| {
        let (above, all) = retrace_sessions::above(path, from);
        is_whole = all;
        above
    };
    let (mut reading, log) = split.finish_after(above).map_err(|error| {
        ApiError::invalid(say::cannot_read_transcript_2(sentence(&error)), show(path))
            .hint(say::sessions_claude_code_codex_copilot_2())
    })?;
    if !is_whole {
        reading.account.oddities.insert(Oddity::ForkWithoutItsHistory, 1);
    }
    agents_md::tell_apart(&mut reading.transcripts, path);
    Ok((reading, log))
}

fn fed(path: &Path) -> Result<SessionSplit, ApiError> {
    if retrace_sessions::is_in_database(path) {
        let mut split = SessionSplit::new();
        split.feed(&bytes(path)?);
        return Ok(split);
    }
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    let mut file = BufReader::with_capacity(PIECE, file.take(LARGEST_FILE + 1));
    let (mut split, mut read) = (SessionSplit::new(), 0);
    loop {
        let piece = file.fill_buf().map_err(|error| unreadable(path, &error))?;
        if piece.is_empty() {
            return Ok(split);
        }
        let length = piece.len();
        read += length as u64;
        if read > LARGEST_FILE {
            return Err(too_large(path));
        }
        split.feed(piece);
        file.consume(length);
    }
}

/// Lines of a file that is in memory.
struct HeldLines(Vec<u8>);

impl Lines for HeldLines {
    fn line(&mut self, span: Span) -> Option<Cow<'_, [u8]>> {
        let from = usize::try_from(span.at).ok()?;
        let upto = from.checked_add(usize::try_from(span.bytes).ok()?)?;
        self.0.get(from..upto).map(Cow::Borrowed)
    }
}

/// Reads lines of a file again.
pub(crate) struct FileLines {
    file: File,
    line: Vec<u8>,
}

impl FileLines {
    /// # Errors
    /// Those of [`load`] for a file.
    pub(crate) fn open(path: &Path) -> Result<Self, ApiError> {
        let file = File::open(path).map_err(|error| unreadable(path, &error))?;
        Ok(Self { file, line: Vec::new() })
    }
}

impl Lines for FileLines {
    fn line(&mut self, span: Span) -> Option<Cow<'_, [u8]>> {
        self.line.resize(usize::try_from(span.bytes).ok()?, 0);
        self.file.seek(SeekFrom::Start(span.at)).ok()?;
        self.file.read_exact(&mut self.line).ok()?;
        Some(Cow::Borrowed(&self.line))
    }
}

/// A Messages API request is a transcript of one request: what it repeats of earlier ones is its history. An array of
/// messages, which is no request, keeps a request for each answer in it.
pub(crate) fn of_one_request(mut reading: Reading) -> Reading {
    for transcript in &mut reading.transcripts {
        let last = transcript.requests.pop();
        if let Some(last) = last {
            let is_request = transcript.format == Format::MessagesRequest
                && (last.model.is_some() || !last.parameters.is_null());
            if is_request {
                transcript.requests.clear();
            }
            transcript.requests.push(last);
        }
    }
    reading
}

/// All bytes of a file that may be a transcript.
pub(crate) fn bytes(path: &Path) -> Result<Vec<u8>, ApiError> {
    if retrace_sessions::is_in_database(path) {
        return retrace_sessions::read(path).map_err(|error| unreadable(path, &error));
    }
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    let mut bytes = Vec::new();
    file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(too_large(path));
    }
    Ok(bytes)
}

fn too_large(path: &Path) -> ApiError {
    ApiError::invalid(say::file_larger_than_mib_2(LARGEST_FILE >> 20), show(path))
}

fn unreadable(path: &Path, error: &std::io::Error) -> ApiError {
    let code = match error.kind() {
        ErrorKind::NotFound => Code::NotFound,
        _ => Code::StoreUnavailable,
    };
    ApiError::new(code, say::transcript_cannot_read(error), show(path)).hint(say::check_file_may_read())
}

/// The weights of a transcript of one request that is made here, counted as its model counts.
pub(crate) fn weigh_one(transcript: &Transcript) -> Weights {
    let model = model_of_most(transcript);
    let resolved = family(transcript, model.as_deref());
    let weighing = Weighing::of(resolved.family, resolved.assumed, PLACEHOLDER);
    retrace_context::weigh(transcript, Counter::of(resolved.family), &weighing)
}

fn weigh(place: Place, file: Arc<FileRead>, threads: usize) -> Loaded {
    let transcript = &file.reading.transcripts[place.part];
    let model = model_of_most(transcript);
    let resolved = family(transcript, model.as_deref());
    let weighing = Weighing::of(resolved.family, resolved.assumed, PLACEHOLDER);
    let mut counts = Counts::default();
    counts.update(transcript, Counter::of(resolved.family), &weighing, threads);
    if let Some(counted) = file.preambles.get(place.part).filter(|counted| !counted.is_empty()) {
        counts.set_preambles(counted.iter().cloned());
    }
    let weights = counts.weights(transcript, &weighing);
    Loaded { place, file, model, weights, prepared: OnceLock::new(), regrets: OnceLock::new() }
}

/// The family that a transcript is counted with. Where no model is recorded, its format says whose it is.
pub(crate) fn family(transcript: &Transcript, model: Option<&str>) -> Resolved {
    let unsaid = match transcript.format {
        Format::CodexRollout | Format::OpenAiChat | Format::OpenAiResponses => Family::O200k,
        Format::GeminiChat => Family::Other,
        _ => NEWEST_FAMILY,
    };
    family_of(model.unwrap_or_default(), unsaid)
}

/// The model of most requests.
pub(crate) fn model_of_most(transcript: &Transcript) -> Option<String> {
    let mut requests: HashMap<&str, usize> = HashMap::new();
    for model in transcript.requests.iter().filter_map(|request| request.model.as_deref()) {
        *requests.entry(model).or_default() += 1;
    }
    let most = requests.into_iter().max_by(|one, other| one.1.cmp(&other.1).then_with(|| other.0.cmp(one.0)));
    most.map(|(model, _)| model.to_owned())
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "loaded";
    try_again() => "Try again.",
    no_such_conversation_file() => "There is no such conversation in the file.",
    holds_beside_main_one(count) => "It holds {count} beside the main one.",
    transcript_cannot_read(error) => "The transcript cannot be read: {error}.",
    check_file_may_read() => "Check that the file is there and may be read.",
    transcript_changed_meanwhile() => "The transcript changed meanwhile.",
    cannot_read_transcript_2(error) => "This cannot be read as a transcript: {error}",
    sessions_claude_code_codex_copilot_2() => "Sessions of Claude Code, Codex, Gemini CLI, opencode and Copilot CLI, Messages API requests and responses, proxy logs, OpenAI chat and responses are understood.",
    file_larger_than_mib_2(value) => "The file is larger than {value} MiB.",
}
