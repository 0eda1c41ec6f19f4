//! Answering: reads at once, writes many at a time.

use super::{Outcome, Refused, Stop, StoreAnswer, StoreRequest, failure, read, write};
use crate::Served;
use crate::live_files::LiveFiles;
use crate::wire::{ApiError, Code, Event};
use retrace_engine::lock;
use retrace_log::Act;
use retrace_model::Actor;
use retrace_store_api::{Call, legacy, request_id};
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// Writes done in one transaction at most. More would keep other processes waiting for the log.
const MAX_AT_ONCE: usize = 256;

/// Takes an answer when it is there.
type Reply = Box<dyn FnOnce(StoreAnswer) + Send>;

/// A write that waits for its turn.
struct Job {
    call: Call,
    author: Actor,
    request_id: String,
    reply: Reply,
}

/// The Memory Stores API of one app. Dropping it ends its thread once what waits is done.
pub struct StoreService {
    inner: Arc<Served>,
    legacy: bool,
    jobs: Mutex<Option<Sender<Job>>>,
    thread: Option<JoinHandle<()>>,
}

/// A request that was understood.
pub enum Ready {
    /// It has an answer already.
    Answered(StoreAnswer),
    /// It reads: run it with [`StoreService::read`].
    Read(Box<ReadJob>),
    /// It writes: hand it over with [`StoreService::write`].
    Write(Box<WriteJob>),
}

/// A read that was understood.
pub struct ReadJob {
    call: Call,
    request_id: String,
}

/// A write that was understood.
pub struct WriteJob {
    call: Call,
    author: Actor,
    request_id: String,
}

impl ReadJob {
    /// True if it reads one row or two: quicker than handing it to another thread. Lists may take milliseconds.
    #[must_use]
    pub fn is_short(&self) -> bool {
        matches!(self.call, Call::GetStore(_) | Call::GetMemory(..) | Call::GetVersion(..))
    }
}

impl StoreService {
    /// Starts answering. `legacy` also serves what only the seed of the API had.
    ///
    /// # Errors
    /// [`Code::Internal`] when the machine has no thread left.
    pub fn start(inner: &Arc<Served>, legacy: bool) -> Result<Self, ApiError> {
        let (jobs, waiting) = channel();
        let inner = Arc::clone(inner);
        let thread = {
            let inner = Arc::clone(&inner);
            std::thread::Builder::new()
                .name("retrace-stores".to_owned())
                .spawn(move || work(&inner, &waiting, legacy))
        };
        let thread = thread
            .map_err(|error| ApiError::new(Code::Internal, say::writing_thread_cannot_start(error), ""))?;
        Ok(Self { inner, legacy, jobs: Mutex::new(Some(jobs)), thread: Some(thread) })
    }

    /// Reads what a request asks for.
    #[must_use]
    pub fn prepare(&self, request: &StoreRequest) -> Ready {
        let request_id = self.request_id();
        match request.understand(self.legacy) {
            Err(refusal) => Ready::Answered(StoreAnswer::of(Err(refusal), request_id)),
            Ok(Call::ListTools) => {
                let tools = serde_json::json!({ "data": legacy::definitions() });
                Ready::Answered(StoreAnswer::of(Ok(tools), request_id))
            }
            Ok(call) if call.writes() => {
                let author = match &call {
                    Call::Tool(_, tool) if tool.session.is_some() => {
                        StoreRequest { session: tool.session.clone(), ..request.clone() }.author()
                    }
                    _ => request.author(),
                };
                Ready::Write(Box::new(WriteJob { call, author, request_id }))
            }
            Ok(call) => Ready::Read(Box::new(ReadJob { call, request_id })),
        }
    }

    /// Answers a read. Takes as long as the log takes to be read.
    #[must_use]
    pub fn read(&self, job: ReadJob) -> StoreAnswer {
        let outcome = self.inner.read(|reader| {
            match read::run(reader, &job.call, self.legacy, &self.inner.text_cache) {
                Ok(value) => Ok(Ok(value)),
                Err(Stop::Refused(refusal)) => Ok(Err(refusal)),
                Err(Stop::Failed(error)) => Err(error),
            }
        });
        StoreAnswer::of(outcome.unwrap_or_else(|error| Err(failure(&error))), job.request_id)
    }

    /// Takes a write; `reply` is called once it is durable or refused, from another thread.
    pub fn write(&self, job: WriteJob, reply: impl FnOnce(StoreAnswer) + Send + 'static) {
        let WriteJob { call, author, request_id } = job;
        let job = Job { call, author, request_id, reply: Box::new(reply) };
        let refused = match &*lock(&self.jobs) {
            Some(jobs) => jobs.send(job).err().map(|unsent| unsent.0),
            None => Some(job),
        };
        if let Some(job) = refused {
            let stopped = ApiError::new(Code::Internal, say::server_is_stopping(), "");
            (job.reply)(StoreAnswer::of(Err(failure(&stopped)), job.request_id));
        }
    }

    /// Answers a request, waiting for it.
    #[must_use]
    pub fn answer(&self, request: &StoreRequest) -> StoreAnswer {
        match self.prepare(request) {
            Ready::Answered(answer) => answer,
            Ready::Read(job) => self.read(*job),
            Ready::Write(job) => {
                let request_id = job.request_id.clone();
                let (send, receive) = channel();
                self.write(*job, move |answer| drop(send.send(answer)));
                receive.recv().unwrap_or_else(|_| {
                    let lost = ApiError::new(Code::Internal, say::writing_thread_ended(), "");
                    StoreAnswer::of(Err(failure(&lost)), request_id)
                })
            }
        }
    }

    /// A refusal of the transport itself, in the API's form.
    #[must_use]
    pub fn refuse(&self, refused: Refused) -> StoreAnswer {
        StoreAnswer::of(Err(refused.refusal()), self.request_id())
    }

    /// The answer when a request was lost on its way, which is a bug.
    #[must_use]
    pub fn failed(&self) -> StoreAnswer {
        let bug = ApiError::new(Code::Internal, say::bug_in_retrace(), "");
        StoreAnswer::of(Err(failure(&bug)), self.request_id())
    }

    fn request_id(&self) -> String {
        let (high, low) = (self.inner.random(), self.inner.random());
        request_id(u128::from(high) << 64 | u128::from(low))
    }
}

impl Drop for StoreService {
    fn drop(&mut self) {
        // Without a sender the thread ends after what waits.
        drop(lock(&self.jobs).take());
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

/// Does what waits, as much as there is at a time, until nobody can send any more.
fn work(inner: &Arc<Served>, waiting: &Receiver<Job>, legacy: bool) {
    while let Ok(first) = waiting.recv() {
        let mut batch = VecDeque::from([first]);
        batch.extend(waiting.try_iter().take(MAX_AT_ONCE - 1));
        while !batch.is_empty() {
            one_transaction(inner, &mut batch, legacy);
        }
    }
}

/// Does jobs from the front in one transaction and answers them. At least one job is taken off.
fn one_transaction(inner: &Arc<Served>, batch: &mut VecDeque<Job>, legacy: bool) {
    let mut done: Vec<(Job, Outcome)> = Vec::new();
    let mut failed = None;
    let mut after = Vec::new();
    let mut with_files = false;
    let committed = inner.write(|act| {
        while let Some(job) = batch.front() {
            if has_directory(act, &job.call)? {
                with_files = done.is_empty();
                break;
            }
            let Some(job) = batch.pop_front() else { break };
            match write::run(inner, act, &mut LiveFiles::default(), &job.call, &job.author, legacy) {
                Ok(written) => {
                    after.extend(written.after);
                    done.push((job, Ok(written.answer)));
                }
                Err(Stop::Refused(refusal)) => done.push((job, Err(refusal))),
                Err(Stop::Failed(error)) => {
                    failed = Some(job);
                    return Err(error);
                }
            }
        }
        Ok(())
    });
    match (committed, failed) {
        (Ok(()), _) if with_files => {
            if let Some(job) = batch.pop_front() {
                let outcome = with_its_files(inner, &job, legacy);
                (job.reply)(StoreAnswer::of(outcome, job.request_id));
            }
        }
        (Ok(()), _) => {
            tell(inner, after);
            for (job, outcome) in done {
                (job.reply)(StoreAnswer::of(outcome, job.request_id));
            }
        }
        // Nothing of the transaction happened: the others are done again without the one that failed.
        (Err(error), Some(job)) => {
            (job.reply)(StoreAnswer::of(Err(failure(&error)), job.request_id));
            for (job, _) in done.into_iter().rev() {
                batch.push_front(job);
            }
        }
        (Err(error), None) => {
            let none_was_taken = done.is_empty();
            for (job, _) in done {
                (job.reply)(StoreAnswer::of(Err(failure(&error)), job.request_id));
            }
            if none_was_taken && let Some(job) = batch.pop_front() {
                (job.reply)(StoreAnswer::of(Err(failure(&error)), job.request_id));
            }
        }
    }
}

/// Does a call that writes files as well, in a transaction of its own.
fn with_its_files(inner: &Arc<Served>, job: &Job, legacy: bool) -> Outcome {
    let mut refused = None;
    let written = inner.write_with_files(|act, files| {
        match write::run(inner, act, files, &job.call, &job.author, legacy) {
            Ok(written) => Ok(written),
            Err(Stop::Failed(error)) => Err(error),
            Err(Stop::Refused(refusal)) => {
                // Changes done before it was refused are undone.
                let stopped = ApiError::new(Code::HeadMoved, refusal.message.clone(), "");
                refused = Some(refusal);
                Err(stopped)
            }
        }
    });
    match (written, refused) {
        (Ok(written), _) => {
            tell(inner, written.after);
            Ok(written.answer)
        }
        (Err(error), Some(refusal)) if error.code != Code::NotRecorded => Err(refusal),
        (Err(error), _) => Err(failure(&error)),
    }
}

/// Tells listeners what became of writes that are durable.
fn tell(inner: &Served, after: impl IntoIterator<Item = Event>) {
    for what in after {
        if matches!(what, Event::Receipts) {
            inner.forget_memories();
        }
        inner.events.send(&what);
    }
}

/// True if a call may write files. Files cannot be taken back with the transaction, so such a call has one of its own.
fn has_directory(act: &Act<'_>, call: &Call) -> Result<bool, ApiError> {
    let (Call::CreateMemory(store, _)
    | Call::UpdateMemory(store, ..)
    | Call::DeleteMemory(store, ..)
    | Call::Tool(store, _)) = call
    else {
        return Ok(false);
    };
    Ok(act.reader().api_store(*store)?.is_some_and(|store| store.directory.is_some()))
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "served_queue";
    writing_thread_cannot_start(error) => "The writing thread cannot be started: {error}.",
    server_is_stopping() => "The server is stopping.",
    writing_thread_ended() => "The writing thread ended.",
    bug_in_retrace() => "This is a bug in Retrace.",
}
