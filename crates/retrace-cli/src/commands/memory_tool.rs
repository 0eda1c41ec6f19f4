//! `retrace memory-tool`

use super::Ended;
use crate::exit::Exit;
use crate::print::json;
use crate::shell::Shell;
use clap::Args;
use retrace_api::wire::Message;
use retrace_api::wire::{ApiError, MemoryToolReq};
use retrace_api::{App, commands};
use serde::Serialize;
use serde_json::Value;
use std::io::{BufRead as _, BufReader, ErrorKind, Read as _};
use std::path::PathBuf;

/// Serve the memory tool over a directory
///
/// Reads one tool input a line from standard input, as {"command":…} or
/// {"session":…,"turn":…,"prompt":…,"input":{"command":…}}, where all but the
/// input may be left out; turn and prompt are shown with what was written.
/// Prints one line {"content":…,"is_error":…} for each, until the input ends;
/// paths that it changed but the store's rules leave out, such as hidden files,
/// are in "not_recorded". DIR is what the model sees as /memories; it is made,
/// and added as a store, where it is none.
///
/// With --mcp it serves the Model Context Protocol on standard input and output
/// instead, as a server of one tool, `memory`; each run of it is a session.
///
///     retrace memory-tool --root ./memories --session 2f1c
///     retrace memory-tool --root ./memories --mcp
#[derive(Args, Clone)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The directory the model sees as /memories
    #[arg(long, value_name = "DIR")]
    root: String,
    /// Whose texts and rules: those of the documentation, of the Python SDK or of the TypeScript SDK
    #[arg(
        long,
        value_name = "docs|py|ts",
        default_value = "docs",
        value_parser = ["docs", "py", "ts"],
        hide_possible_values = true
    )]
    dialect: String,
    /// The session that calls, where a line does not name one
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Serve the Model Context Protocol instead
    #[arg(long)]
    mcp: bool,
    /// Cut views after this many characters; 0 never cuts [default: 16000 with docs, else 0]
    #[arg(long, value_name = "CHARACTERS")]
    cap: Option<u64>,
    /// Treatment of a write that adds a secret, personal data, or hidden or hostile text
    #[arg(
        long,
        value_name = "off|warn|refuse",
        default_value = "off",
        value_parser = ["off", "warn", "refuse"],
        hide_possible_values = true
    )]
    guard: String,
    /// Rules of the guard, as `retrace check` reads them; not taken from DIR, which the model can write
    #[arg(long, value_name = "FILE")]
    guard_config: Option<PathBuf>,
    /// Text of that file
    #[arg(skip)]
    guard_rules: Option<String>,
}

/// A session that a client of the Model Context Protocol did not name: one a run.
fn run_of_mcp(shell: &Shell<'_, '_>) -> Result<String, ApiError> {
    let mut bytes = [0; 8];
    (shell.options()?.entropy)(&mut bytes);
    Ok(format!("mcp-{:016x}", u64::from_be_bytes(bytes)))
}

/// Longest line that is read, in bytes: a content of the largest size kept, each byte written as an escape.
const LONGEST_LINE: u64 = 64 * 1024 * 1024;

/// Output for a call.
#[derive(Serialize)]
struct Printed {
    content: String,
    is_error: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_recorded: Vec<String>,
}

impl Printed {
    fn refused(content: String) -> Self {
        Self { content, is_error: true, not_recorded: Vec::new() }
    }
}

pub(crate) fn run(arguments: &Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let guard_rules = arguments.guard_config.as_deref().map(super::check::read).transpose()?;
    let arguments = &Arguments { guard_rules, ..arguments.clone() };
    let app = shell.app()?;
    // A directory that cannot be served ends the program at once, not each call.
    let probe = serde_json::json!({ "command": "view", "path": "/memories" });
    commands::memory_tool(&app, arguments.request(None, probe))?;
    if arguments.mcp {
        let session = arguments.session.is_none().then(|| run_of_mcp(shell)).transpose()?;
        retrace_mcp::serve_standard_streams(app, arguments.request(session, Value::Null))?;
        return Ok(Exit::DONE);
    }
    let mut line = Vec::new();
    let io = &mut *shell.io;
    let mut input = BufReader::new(&mut *io.stdin);
    loop {
        line.clear();
        match input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line) {
            Ok(0) => return Ok(Exit::DONE),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(unreadable(&error).into()),
        }
        let whole = line.ends_with(b"\n") || (line.len() as u64) < LONGEST_LINE;
        let printed = if whole {
            if line.trim_ascii().is_empty() {
                continue;
            }
            arguments.answer(&app, &line)
        } else {
            skip_line(&mut input).map_err(|error| unreadable(&error))?;
            Printed::refused(format!("Error: The line is longer than {LONGEST_LINE} bytes."))
        };
        json::line(io.stdout, &printed)?;
        io.stdout.flush()?;
    }
}

/// Passes over the rest of a line.
fn skip_line(input: &mut impl std::io::BufRead) -> std::io::Result<()> {
    loop {
        let buffered = input.fill_buf()?;
        if buffered.is_empty() {
            return Ok(());
        }
        let end = buffered.iter().position(|byte| *byte == b'\n');
        let length = end.map_or(buffered.len(), |end| end + 1);
        input.consume(length);
        if end.is_some() {
            return Ok(());
        }
    }
}

fn unreadable(error: &std::io::Error) -> ApiError {
    ApiError::new(
        retrace_api::wire::Code::Internal,
        Message::verbatim(format!("The input cannot be read: {}.", retrace_api::wire::why(error))),
        "standard input",
    )
}

impl Arguments {
    fn request(&self, session: Option<String>, input: Value) -> MemoryToolReq {
        MemoryToolReq {
            store: None,
            root: Some(self.root.clone()),
            dialect: Some(self.dialect.clone()),
            session: session.or_else(|| self.session.clone()),
            prompt: None,
            turn: None,
            input,
            view_characters: self.cap,
            guard: Some(self.guard.clone()),
            guard_config: self.guard_rules.clone(),
        }
    }

    /// Answers one line.
    fn answer(&self, app: &App, line: &[u8]) -> Printed {
        let input: Value = match serde_json::from_slice(line) {
            Ok(input) => input,
            Err(error) => return Printed::refused(format!("Error: The line is not JSON: {error}.")),
        };
        let request = match input {
            Value::Object(mut object) if !object.contains_key("command") && object.contains_key("input") => {
                let text = |name: &str| object.get(name).and_then(Value::as_str).map(str::to_owned);
                let (session, prompt) = (text("session"), text("prompt"));
                let turn = object.get("turn").and_then(Value::as_u64);
                let input = object.remove("input").unwrap_or_default();
                MemoryToolReq { prompt, turn, ..self.request(session, input) }
            }
            input => self.request(None, input),
        };
        match commands::memory_tool(app, request) {
            Ok(answer) => Printed {
                content: answer.content,
                is_error: answer.is_error,
                not_recorded: answer.not_recorded,
            },
            Err(error) => Printed::refused(format!("Error: {}", error.message)),
        }
    }
}
