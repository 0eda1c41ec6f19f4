//! The end of the program: reads requests, calls, writes answers and events.

use crate::program::Program;
use crate::protocol::{Hello, Line, Recording, Request, ask};
use crate::wire::{ApiError, Code, Event, shell as say};
use retrace_api::AppOptions;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};

/// Serves a window on standard input and output until the input ends.
///
/// # Errors
/// The streams, or the database at the end.
pub fn serve_standard_streams(options: Result<AppOptions, ApiError>, paused: bool) -> Result<(), ApiError> {
    serve(options, paused, BufReader::new(io::stdin()), BufWriter::new(io::stdout()))
}

/// Serves a window until `requests` ends; `paused`: without recording at first. The log is opened with the first request.
/// `options` that cannot be told are the answer to each.
///
/// # Errors
/// The streams, or the database at the end.
pub fn serve(
    options: Result<AppOptions, ApiError>,
    paused: bool,
    requests: impl BufRead,
    answers: impl Write + Send + 'static,
) -> Result<(), ApiError> {
    let out = Out { stream: Arc::new(Mutex::new(answers)) };
    let data_dir = options.as_ref().ok().map(|options| options.data_dir.clone());
    let version = env!("CARGO_PKG_VERSION").to_owned();
    out.write(&Line::Hello(Hello { version, data_dir })).map_err(|error| broken(&error))?;
    let events = out.clone();
    let program = Arc::new(Program::new(options, paused, move |received| pass_on(received, events.clone())));
    let read = answer_all(&program, requests, &out);
    program.close()?;
    read.map_err(|error| broken(&error))
}

/// Answers each request on a thread of its own, so that a long one holds up no other.
fn answer_all<W: Write + Send + 'static>(
    program: &Arc<Program>,
    mut requests: impl BufRead,
    out: &Out<W>,
) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        if requests.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let request: Request = serde_json::from_slice(&line)?;
        let (program, to_window) = (Arc::clone(program), out.clone());
        let id = request.id;
        let started = on_a_thread(move || {
            let line = match answer(&program, request) {
                Ok(answer) => Line::Answer { id, answer },
                Err(error) => Line::Error { id, error },
            };
            // A window that is gone reads no answer, and its end of the other pipe ends this process.
            drop(to_window.write(&line));
        });
        if let Err(error) = started {
            let error = internal(say::no_thread_can_started(error.to_string()));
            out.write(&Line::Error { id, error })?;
        }
    }
}

/// The answer to one request. A panic becomes an error of this one request.
fn answer(program: &Program, request: Request) -> Result<Box<RawValue>, ApiError> {
    let answered = catch_unwind(AssertUnwindSafe(|| match request.name.as_str() {
        ask::LOOK => written(&program.look(&read(request.request)?)?),
        ask::SETTINGS => written(&program.app()?.desktop_settings()?),
        ask::SET_SETTINGS => written(&program.set_settings(read(request.request)?)?),
        ask::RECORD => {
            let asked: Recording = read(request.request)?;
            written(&Recording { paused: program.set_paused(asked.paused) })
        }
        name => written(&program.app()?.call(name, request.request)?),
    }));
    answered.unwrap_or_else(|_| {
        let failed = internal(say::program_failed_command_log_before());
        Err(ApiError { hint: say::please_report_what_you_did(), ..failed })
    })
}

fn read<T: DeserializeOwned>(request: Value) -> Result<T, ApiError> {
    serde_json::from_value(request).map_err(|error| ApiError {
        code: Code::Invalid,
        message: say::request_not_json_2(error.to_string()),
        hint: say::bug_in_retrace(),
        subject: String::new(),
    })
}

fn written(answer: &impl Serialize) -> Result<Box<RawValue>, ApiError> {
    to_raw_value(answer).map_err(|error| ApiError {
        subject: error.to_string(),
        ..internal(say::program_failed_command_log_before())
    })
}

/// Passes events on until there are no more, or nobody reads them.
fn pass_on<W: Write + Send + 'static>(events: Receiver<Event>, out: Out<W>) {
    // Without a thread the window is not told of changes; what it asks for is answered all the same.
    drop(on_a_thread(move || events.iter().try_for_each(|event| out.write(&Line::Event(event))).is_ok()));
}

fn on_a_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> io::Result<()> {
    let builder = std::thread::Builder::new().name("retrace-window".to_owned());
    builder.spawn(work).map(drop)
}

/// The stream to the window, one line at a time.
struct Out<W> {
    stream: Arc<Mutex<W>>,
}

impl<W> Clone for Out<W> {
    fn clone(&self) -> Self {
        Self { stream: Arc::clone(&self.stream) }
    }
}

impl<W: Write> Out<W> {
    fn write(&self, line: &Line) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        // A line is written in one go; a panic in between is one of the stream, which fails again.
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        stream.write_all(&text)?;
        stream.flush()
    }
}

fn broken(error: &io::Error) -> ApiError {
    ApiError { subject: error.to_string(), ..internal(say::line_between_window_program_broke()) }
}

fn internal(message: crate::wire::Message) -> ApiError {
    ApiError { code: Code::Internal, message, hint: say::report_what_you_did(), subject: String::new() }
}
