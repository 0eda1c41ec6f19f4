//! The end of the window: starts the program, asks it, and starts it again when it ended.

use crate::protocol::{Hello, Line, Recording, Request, ask};
use crate::wire::{ApiError, Code, Event, Message, shell as say};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Starts a program that is to begin paused or not.
pub type Start = Box<dyn Fn(bool) -> Result<Ends, ApiError> + Send + Sync>;

/// Handler of events.
pub type Listen = Arc<dyn Fn(Event) + Send + Sync>;

type Answer = Result<Box<RawValue>, ApiError>;

/// The ends of the pipes to a program.
pub struct Ends {
    /// Where it reads requests.
    pub requests: Box<dyn Write + Send>,
    /// Where it writes answers.
    pub answers: Box<dyn Read + Send>,
    /// Waits for its end, which comes once `requests` is dropped.
    pub wait: Box<dyn FnOnce() + Send>,
}

/// The link to a program, which is started by the first request, and again by the first one after it ended.
pub struct Link {
    start: Start,
    listen: Arc<Mutex<Option<Listen>>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    running: Option<Running>,
    /// True if recording is paused, in this program and in one that takes its place.
    paused: bool,
    is_closed: bool,
    last_id: u64,
}

struct Running {
    requests: Box<dyn Write + Send>,
    waiting: Arc<Mutex<Waiting>>,
    wait: Box<dyn FnOnce() + Send>,
    hello: Hello,
}

/// Requests without an answer.
#[derive(Default)]
struct Waiting {
    by_id: HashMap<u64, Sender<Answer>>,
    /// True once the program writes nothing more.
    is_over: bool,
}

impl Link {
    /// A link to what `start` starts. Nothing is started yet.
    #[must_use]
    pub fn new(start: Start) -> Self {
        Self { start, listen: Arc::default(), state: Mutex::default() }
    }

    /// A link to the program beside this process's own file, over the log in `data_dir`, or where the program has it by itself.
    #[must_use]
    pub fn to_program(data_dir: Option<PathBuf>) -> Self {
        Self::new(Box::new(move |paused| start_program(&program_beside()?, data_dir.as_deref(), paused)))
    }

    /// Passes events on to `listen` from now on. It must not wait for an answer.
    pub fn listen(&self, listen: Listen) {
        *lock(&self.listen) = Some(listen);
    }

    /// What the program says of itself, started where it is not running.
    ///
    /// # Errors
    /// Why it does not start.
    pub fn hello(&self) -> Result<Hello, ApiError> {
        self.running(&mut lock(&self.state)).map(|running| running.hello.clone())
    }

    /// Asks by name. Blocks until the answer is there.
    ///
    /// # Errors
    /// The program's own, why it does not start, or that it ended meanwhile.
    pub fn call(&self, name: &str, request: Value) -> Result<Box<RawValue>, ApiError> {
        let (answered, answer) = channel();
        {
            let mut state = lock(&self.state);
            state.last_id += 1;
            let id = state.last_id;
            let line = Request { id, name: name.to_owned(), request };
            self.running(&mut state)?.send(&line, answered)?;
        }
        answer.recv().unwrap_or_else(|_| Err(ended()))
    }

    /// Asks for what is known by its type.
    ///
    /// # Errors
    /// As [`Link::call`].
    pub fn ask<T: DeserializeOwned>(&self, name: &str, request: &impl Serialize) -> Result<T, ApiError> {
        let request = serde_json::to_value(request).map_err(|error| not_understood(&error))?;
        let answer = self.call(name, request)?;
        serde_json::from_str(answer.get()).map_err(|error| not_understood(&error))
    }

    /// True if recording was paused here.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        lock(&self.state).paused
    }

    /// Stops recording until told otherwise, or goes on with it.
    ///
    /// # Errors
    /// As [`Link::call`].
    pub fn set_paused(&self, paused: bool) -> Result<(), ApiError> {
        let now: Recording = self.ask(ask::RECORD, &Recording { paused })?;
        lock(&self.state).paused = now.paused;
        Ok(())
    }

    /// Ends the program once what it records is committed, and waits for that. Nothing is started any more.
    pub fn close(&self) {
        let running = {
            let mut state = lock(&self.state);
            state.is_closed = true;
            state.running.take()
        };
        if let Some(running) = running {
            running.end();
        }
    }

    fn running<'a>(&self, state: &'a mut State) -> Result<&'a mut Running, ApiError> {
        if state.is_closed {
            return Err(ended());
        }
        if state.running.as_ref().is_some_and(Running::is_over)
            && let Some(over) = state.running.take()
        {
            // Gone already; it would stay behind as a zombie.
            over.end();
        }
        match &mut state.running {
            Some(running) => Ok(running),
            none => Ok(none.insert(self.begin((self.start)(state.paused)?)?)),
        }
    }

    /// Reads the first line, and the others on a thread.
    fn begin(&self, ends: Ends) -> Result<Running, ApiError> {
        let mut answers = BufReader::new(ends.answers);
        let hello = match read_line(&mut answers) {
            Ok(Some(Line::Hello(hello))) => hello,
            _ => return Err(not_started(say::program_behind_window_said_nothing())),
        };
        if hello.version != env!("CARGO_PKG_VERSION") {
            return Err(ApiError {
                subject: format!("{} / {}", env!("CARGO_PKG_VERSION"), hello.version),
                hint: say::restart_window_or_install_both(),
                ..not_started(say::window_and_program_differ())
            });
        }
        let waiting = Arc::<Mutex<Waiting>>::default();
        let (answered, listen) = (Arc::clone(&waiting), Arc::clone(&self.listen));
        let follow = std::thread::Builder::new().name("retrace-answers".to_owned());
        follow
            .spawn(move || {
                follow_answers(answers, &answered, &listen);
                let mut waiting = lock(&answered);
                waiting.is_over = true;
                // Whoever waits is told by the end of its channel.
                waiting.by_id.clear();
            })
            .map_err(|error| not_started(say::no_thread_can_started(error.to_string())))?;
        Ok(Running { requests: ends.requests, waiting, wait: ends.wait, hello })
    }
}

impl Running {
    fn is_over(&self) -> bool {
        lock(&self.waiting).is_over
    }

    /// Ends the program, and waits for that.
    fn end(self) {
        drop(self.requests);
        (self.wait)();
    }

    fn send(&mut self, request: &Request, answered: Sender<Answer>) -> Result<(), ApiError> {
        let mut line = serde_json::to_vec(request).map_err(|error| not_understood(&error))?;
        line.push(b'\n');
        {
            let mut waiting = lock(&self.waiting);
            if waiting.is_over {
                return Err(ended());
            }
            waiting.by_id.insert(request.id, answered);
        }
        self.requests.write_all(&line).and_then(|()| self.requests.flush()).map_err(|_| ended())
    }
}

/// Hands answers to those who wait and events to `listen`, until the program writes no more, or what is no line of it.
fn follow_answers(mut answers: impl BufRead, waiting: &Mutex<Waiting>, listen: &Mutex<Option<Listen>>) {
    while let Ok(Some(line)) = read_line(&mut answers) {
        let (id, answer) = match line {
            Line::Answer { id, answer } => (id, Ok(answer)),
            Line::Error { id, error } => (id, Err(error)),
            Line::Event(event) => {
                if let Some(listen) = lock(listen).clone() {
                    listen(event);
                }
                continue;
            }
            Line::Hello(_) => return,
        };
        if let Some(asker) = lock(waiting).by_id.remove(&id) {
            // Nobody waits any more when the window ends.
            let _ = asker.send(answer);
        }
    }
}

/// The next line; none at the end.
fn read_line(answers: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    if answers.read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    Ok(Some(serde_json::from_slice(&line)?))
}

/// Flag of Windows for a process without a console.
#[cfg(windows)]
const CREATE_NO_WINDOW: u32 = 0x0800_0000;

/// The program beside the file of this process.
fn program_beside() -> Result<PathBuf, ApiError> {
    let name = format!("{}{}", crate::PROGRAM, std::env::consts::EXE_SUFFIX);
    let here = std::env::current_exe().map_err(|error| ApiError {
        subject: error.to_string(),
        ..not_started(say::program_behind_window_not_started())
    })?;
    Ok(here.with_file_name(name))
}

fn start_program(program: &Path, data_dir: Option<&Path>, paused: bool) -> Result<Ends, ApiError> {
    let mut command = Command::new(program);
    command.arg(crate::COMMAND);
    if let Some(data_dir) = data_dir {
        command.arg("--data-dir").arg(data_dir);
    }
    if paused {
        command.arg("--paused");
    }
    // Ctrl-C in a terminal is the window's: it lets the program end in order.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    // A window has no console, and would be given one with its program.
    #[cfg(windows)]
    std::os::windows::process::CommandExt::creation_flags(&mut command, CREATE_NO_WINDOW);
    let started = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = started.map_err(|error| ApiError {
        subject: format!("{}: {}", program.display(), crate::wire::why(&error)),
        ..not_started(say::program_behind_window_not_started())
    })?;
    match (child.stdin.take(), child.stdout.take()) {
        (Some(requests), Some(answers)) => {
            // Its log stands whatever it says at its end.
            let wait = Box::new(move || drop(child.wait()));
            Ok(Ends { requests: Box::new(requests), answers: Box::new(answers), wait })
        }
        _ => Err(not_started(say::program_behind_window_said_nothing())),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Each change is one step, so a panic elsewhere leaves it whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn not_started(message: Message) -> ApiError {
    let hint = say::install_window_and_program_together();
    ApiError { code: Code::Internal, message, hint, subject: String::new() }
}

fn ended() -> ApiError {
    ApiError {
        code: Code::Internal,
        message: say::program_behind_window_ended(),
        hint: say::try_again_started_anew(),
        subject: String::new(),
    }
}

fn not_understood(error: &serde_json::Error) -> ApiError {
    ApiError {
        code: Code::Internal,
        message: say::line_between_window_program_broke(),
        hint: say::report_what_you_did(),
        subject: error.to_string(),
    }
}
