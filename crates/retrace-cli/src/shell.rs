//! One run: its streams, what was asked of every command, and how it ends.

use crate::advice;
use crate::args::{Color, Global};
use crate::commands::Ended;
use crate::exit::Exit;
use crate::io::Io;
use crate::pager::Pages;
use crate::print::paint::Paint;
use crate::print::wrap::Wrapped;
use crate::print::{self, Style};
use crate::progress;
use crate::time;
use retrace_api::commands::Today;
use retrace_api::wire::Message;
use retrace_api::wire::{ApiError, Code};
use retrace_api::{App, AppOptions};
use std::cell::RefCell;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// Why a command could not do what was asked.
pub(crate) enum Failure {
    /// The program refused.
    Api(ApiError),
    /// Standard output cannot be written.
    Output(std::io::Error),
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self::Api(error)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Output(error)
    }
}

/// One run.
pub(crate) struct Shell<'run, 'io> {
    pub(crate) io: &'run mut Io<'io>,
    pub(crate) json: bool,
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
    paint: Paint,
    error_paint: Paint,
    pager: bool,
    data_dir: Option<PathBuf>,
    /// The command as it is typed, without its arguments: `rule remove`.
    command: String,
    /// The app that was opened, and the rows it had changed in the log by then.
    opened: RefCell<Option<(Arc<App>, u64)>>,
}

impl<'run, 'io> Shell<'run, 'io> {
    pub(crate) fn new(io: &'run mut Io<'io>, global: &Global, command: String) -> Self {
        let plain =
            io.variable("NO_COLOR").is_some() || io.variable("TERM").is_some_and(|name| name == "dumb");
        let paint = |terminal: bool| match global.color {
            Color::Always => Paint::colours(),
            Color::Auto if terminal && !plain => Paint::colours(),
            Color::Auto | Color::Never => Paint::plain(),
        };
        let data_dir = global.data_dir.clone().or_else(|| io.variable("RETRACE_DATA_DIR").map(PathBuf::from));
        Self {
            json: global.json,
            quiet: global.quiet,
            verbose: global.verbose,
            paint: paint(io.terminal.stdout),
            error_paint: paint(io.terminal.stderr),
            pager: io.terminal.stdout && !global.no_pager && !global.json,
            data_dir,
            command,
            opened: RefCell::new(None),
            io,
        }
    }

    /// Options of the app.
    pub(crate) fn options(&self) -> Result<AppOptions, ApiError> {
        (self.io.options)(self.data_dir.clone())
    }

    /// Opens the log.
    pub(crate) fn app(&self) -> Result<Arc<App>, ApiError> {
        let app = App::open(self.options()?).map(Arc::new)?;
        let changes = app.review().writer().reader().own_changes();
        self.opened.replace(Some((Arc::clone(&app), changes)));
        Ok(app)
    }

    /// After a command that wrote: what `retrace` alone says is made anew here, so that nobody waits for it there.
    fn keep_today(&self) {
        let Some((app, before)) = self.opened.take() else { return };
        if app.review().writer().reader().own_changes() != before {
            // Whoever asks meets the failure with a code.
            drop(Today::refresh(app.review()));
        }
    }

    /// Style of printed text. JSON has no use for it, and needs no clock.
    pub(crate) fn style(&self) -> Style {
        let tells_from_now = !self.json && !self.verbose;
        let options = if tells_from_now { self.options().ok() } else { None };
        Style {
            paint: self.paint,
            zone: self.io.zone,
            now: options.map(|options| (options.clock)()),
            columns: self.io.terminal.stdout.then(|| self.io.columns()),
            verbose: self.verbose,
        }
    }

    /// A time as typed, as the commands take it.
    ///
    /// # Errors
    /// `invalid`, with the forms that are read.
    pub(crate) fn time(&self, text: &str) -> Result<String, ApiError> {
        self.time_or(text, time::FORMS)
    }

    /// A time that may be left out.
    ///
    /// # Errors
    /// Those of [`Self::time`].
    pub(crate) fn time_if_any(&self, text: Option<&str>) -> Result<Option<String>, ApiError> {
        text.map(|text| self.time(text)).transpose()
    }

    /// A time as typed, or the number of an operation, which stands as it is.
    ///
    /// # Errors
    /// Those of [`Self::time`].
    pub(crate) fn instant(&self, text: &str) -> Result<String, ApiError> {
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(text.to_owned());
        }
        let forms =
            format!("{} A number is that of an operation, as `retrace log -v` prints it.", time::FORMS);
        self.time_or(text, &forms)
    }

    /// What a person named, with the time behind its last `@` as the commands take it. A path may hold `@` itself: what is no
    /// time stands as it is, and so does the whole name of a memory. Where it could mean both it says so.
    ///
    /// # Errors
    /// Those of [`Self::options`], or a failure of the log.
    pub(crate) fn target(&mut self, app: &App, text: &str) -> Result<String, ApiError> {
        let Some((name, typed)) = text.rsplit_once('@') else { return Ok(text.to_owned()) };
        let is_operation = !typed.is_empty() && typed.bytes().all(|byte| byte.is_ascii_digit());
        // A number with a zero before it is the same operation, and another name.
        let read = if is_operation { Some(format!("0{typed}")) } else { self.read_time(typed)? };
        let Some(then) = read.map(|at| format!("{name}@{at}")) else { return Ok(text.to_owned()) };
        if app.review().is_name_of_memory(text)? {
            if app.review().is_name_of_memory(name)? {
                self.warn(&format!("{text} is the memory of this name. {name} as it was then is {then}."));
            }
            return Ok(text.to_owned());
        }
        Ok(if is_operation { text.to_owned() } else { then })
    }

    fn time_or(&self, text: &str, advice: &str) -> Result<String, ApiError> {
        self.read_time(text)?.ok_or_else(|| ApiError {
            code: Code::Invalid,
            message: Message::verbatim(format!("{text:?} is not a time.")),
            hint: Message::verbatim(advice),
            subject: text.to_owned(),
        })
    }

    fn read_time(&self, text: &str) -> Result<Option<String>, ApiError> {
        let options = self.options()?;
        let now = || (options.clock)();
        let at = match self.io.zone {
            print::Zone::Utc => time::read(text, now, &chrono::Utc),
            print::Zone::Machine => time::read(text, now, &chrono::Local),
        };
        Ok(at.map(time::printed))
    }

    /// Prints a result.
    pub(crate) fn print(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<(), Failure> {
        let columns = self.columns();
        let mut wrapped = Wrapped::new(&mut *self.io.stdout, columns);
        write(&mut wrapped)?;
        wrapped.flush()?;
        Ok(())
    }

    /// Prints a text of which no line is broken: a difference, a file, what another program reads.
    pub(crate) fn print_whole(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<(), Failure> {
        write(self.io.stdout)?;
        self.io.stdout.flush()?;
        Ok(())
    }

    /// Prints a result that may be long: on a terminal through the pager.
    pub(crate) fn print_long(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        self.pages(self.columns(), write)
    }

    /// The same for a text of which no line is broken.
    pub(crate) fn print_long_whole(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        self.pages(None, write)
    }

    fn pages(
        &mut self,
        columns: Option<usize>,
        write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut pages = Pages::new(self.io, self.pager);
        let mut wrapped = Wrapped::new(&mut pages, columns);
        let written = write(&mut wrapped);
        let flushed = wrapped.flush();
        pages.finish()?;
        written.and(flushed.map_err(Failure::Output))
    }

    /// Columns that lines of text are broken at; JSON, files and pipes have none.
    fn columns(&self) -> Option<usize> {
        (self.io.terminal.stdout && !self.json).then(|| self.io.columns())
    }

    /// Writes to standard error, where lines are broken if it is a terminal.
    fn tell(&mut self, text: &[u8]) {
        let columns = (self.io.terminal.stderr && !self.json).then(|| self.io.columns());
        let mut wrapped = Wrapped::new(&mut *self.io.stderr, columns);
        // A closed standard error is no reason to fail.
        let _ = wrapped.write_all(text).and_then(|()| wrapped.flush());
    }

    /// Prints the one object of an answer, or its text.
    pub(crate) fn print_one<T: serde::Serialize>(
        &mut self,
        answer: &T,
        text: impl FnOnce(&mut dyn Write, Style) -> std::io::Result<()>,
    ) -> Result<(), Failure> {
        let (json, style) = (self.json, self.style());
        self.print(|out| if json { print::json::line(out, answer) } else { text(out, style) })
    }

    /// Says something worth knowing that is not the result. Silent with `--quiet`, and with `--json`, whose readers have
    /// it in the result.
    pub(crate) fn note(&mut self, text: &str) {
        if !self.quiet && !self.json {
            self.tell(format!("{}\n", print::visible::line(text)).as_bytes());
        }
    }

    /// A sentence of the program as it is printed.
    pub(crate) fn told(&self, message: &Message) -> String {
        print::time::told(message, self.io.zone)
    }

    /// Warns of something that is part of no result.
    pub(crate) fn warn(&mut self, text: &str) {
        if self.json {
            let _ = print::json::line(self.io.stderr, &serde_json::json!({ "warning": { "message": text } }));
        } else {
            let warning = self.error_paint.yellow("warning:");
            self.tell(format!("{warning} {}\n", print::visible::line(text)).as_bytes());
        }
    }

    /// Prints an error. The exit code that goes with it.
    pub(crate) fn fail(&mut self, error: &ApiError) -> Exit {
        let _ = self.io.stdout.flush();
        let error = advice::advised(error.clone(), &self.command);
        let mut text = Vec::new();
        let _ = if self.json {
            print::json::error(&mut text, &error)
        } else {
            print::error::error(&mut text, &error, self.error_paint, self.io.zone)
        };
        self.tell(&text);
        Exit::of(error.code)
    }

    /// Runs work that may take long, and shows on a terminal that it goes on.
    pub(crate) fn work<T: Send>(&mut self, app: &App, task: &str, work: impl FnOnce() -> T + Send) -> T {
        let shows = self.io.terminal.stderr && !self.quiet && !self.json;
        if shows { progress::run(self.io.stderr, app, task, work) } else { work() }
    }

    /// Ends the run.
    pub(crate) fn end(&mut self, ended: Ended) -> Exit {
        self.keep_today();
        let flushed = self.io.stdout.flush().map_err(Failure::Output);
        match ended.and_then(|exit| flushed.map(|()| exit)) {
            Ok(exit) => exit,
            Err(Failure::Api(error)) => self.fail(&error),
            Err(Failure::Output(error)) => output_error(&error).map_or(Exit::DONE, |error| self.fail(&error)),
        }
    }
}

/// The error that standard output cannot be written; `None` where whoever read it has enough.
pub(crate) fn output_error(error: &std::io::Error) -> Option<ApiError> {
    if error.kind() == ErrorKind::BrokenPipe {
        return None;
    }
    let message =
        Message::verbatim(format!("The output cannot be written: {}.", retrace_api::wire::why(error)));
    Some(ApiError::new(Code::CannotWrite, message, "standard output"))
}
