//! `retrace serve`

use super::Ended;
use crate::exit::Exit;
use crate::shell::Shell;
use clap::Args;
use retrace_api::wire::{ApiError, Code};
use retrace_api::{App, Recording};
use retrace_server::{Assets, Running, StartOptions};
use serde::Serialize;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// The same window in a browser, and the commands over HTTP
///
/// Prints the address, the token included, and serves until stopped. Listens
/// on this machine only. Records too, unless another process does.
///
/// Clients send the token as `Authorization: Bearer …` or `x-api-key: …` and
/// post to /api/v1/COMMAND. The Memory Stores API is at /v1/memory_stores:
/// give the official SDKs the address as base URL and the token as API key.
///
///     retrace serve --open
///     retrace serve --listen 127.0.0.1:7878 --token-file ./token
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Loopback address and port; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    listen: String,
    /// Open a browser. Other users of this machine may see the address, the token included, in the list of processes
    #[arg(long)]
    open: bool,
    /// The token; made, readable by you only, when missing [default: token in the data directory]
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Let the Memory Stores API overwrite by POST, take `not_exists`, and serve its former six agent tools
    #[arg(long)]
    legacy_stores: bool,
}

/// What is printed with `--json`.
#[derive(Serialize)]
struct Serving {
    /// The address for a browser, with the token.
    url: String,
    /// Where the token is.
    token_file: String,
    /// Where the commands are.
    origin: String,
    /// Whether this process records.
    recording: bool,
}

/// How often the recorder's place is tried for while another process has it.
const RETRY: Duration = Duration::from_secs(2);

pub(crate) fn run(arguments: Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    shell.io.stop.listen();
    let options = shell.options()?;
    let entropy = Arc::clone(&options.entropy);
    let app = Arc::new(App::open(options)?);
    let token_file = arguments.token_file.unwrap_or_else(|| app.data_dir().join("token"));
    let assets = Assets::of_this_program();
    let legacy_stores = arguments.legacy_stores;
    let server = retrace_server::start(
        Arc::clone(&app),
        StartOptions { listen: arguments.listen, token_file, entropy, assets, legacy_stores },
    )?;
    for warning in &server.token_file().warnings {
        shell.warn(warning);
    }
    let mut recording = try_to_record(&app)?;
    if recording.is_none() {
        shell.note("Another process records; this one takes over when it ends.");
    }
    say_where(&server, recording.is_some(), shell)?;
    if arguments.open {
        open(&server.url(), shell);
    }
    let mut tries = recording.is_none();
    while server.is_running() && !shell.io.stop.wait(RETRY) {
        if !tries {
            continue;
        }
        // The server goes on whatever becomes of recording.
        match try_to_record(&app) {
            Ok(None) => {}
            Ok(taken) => (recording, tries) = (taken, false),
            Err(error) => {
                shell.warn(&format!("Recording could not start. {}", error.message));
                tries = false;
            }
        }
    }
    server.stop();
    if let Some(recording) = recording {
        recording.stop();
    }
    Ok(Exit::DONE)
}

/// Records all stores; nothing when another process does.
fn try_to_record(app: &Arc<App>) -> Result<Option<Recording>, ApiError> {
    match app.record(&[]) {
        Ok(recording) => Ok(Some(recording)),
        Err(error) if error.code == Code::Busy => Ok(None),
        Err(error) => Err(error),
    }
}

fn say_where(
    server: &Running,
    records: bool,
    shell: &mut Shell<'_, '_>,
) -> Result<(), crate::shell::Failure> {
    let answer = Serving {
        url: server.url(),
        token_file: server.token_file().path.display().to_string(),
        origin: server.origin(),
        recording: records,
    };
    shell.print_one(&answer, |out, _| writeln!(out, "Retrace is at {}", answer.url))
}

/// Starts the browser. What it says is not ours; that it is missing is no failure of the server.
fn open(url: &str, shell: &mut Shell<'_, '_>) {
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else {
        ("xdg-open", &[])
    };
    let started = Command::new(program)
        .args(arguments)
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    match started {
        // Waited for on a thread, so that it does not stay behind as a zombie.
        Ok(mut browser) => drop(std::thread::spawn(move || browser.wait())),
        Err(error) => shell.warn(&format!("No browser can be started with {program}: {error}.")),
    }
}
