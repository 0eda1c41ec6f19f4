//! `retrace serve`

use super::Ended;
use crate::exit::Exit;
use crate::shell::Shell;
use clap::Args;
use retrace_api::wire::{ApiError, Code};
use retrace_api::{App, Recording};
use retrace_server::{Assets, Running, StartOptions, Transport};
use serde::Serialize;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// Serve the window to a browser, and the commands over HTTP
///
/// Prints the address, the token included, and serves until stopped. Listens
/// on this machine only, unless it is given a certificate. Records too, unless
/// another process does.
///
/// Clients send the token as `Authorization: Bearer …` or `x-api-key: …` and
/// post to /api/v1/COMMAND. The Memory Stores API is at /v1/memory_stores:
/// give the official SDKs the address as base URL and the token as API key.
///
///     retrace serve --open
///     retrace serve --listen 127.0.0.1:7878 --token-file ./token
///     retrace serve --listen 0.0.0.0:8443 --host memory.example \
///         --tls-cert cert.pem --tls-key key.pem
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Address and port; port 0 takes a free one. Any but a loopback address wants --tls-cert or --insecure-plain-http
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    listen: String,
    /// A name clients reach it by, with or without a port; requests for other hosts are refused
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    /// The certificate, and those between it and the root, as PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Its private key, as PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Listen beyond this machine without encryption: everybody on the way can read the token and every memory
    #[arg(long, conflicts_with = "tls_cert")]
    insecure_plain_http: bool,
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

/// Output of `--json`.
#[derive(Serialize)]
struct Serving {
    /// The address for a browser, with the token.
    url: String,
    /// Where the token is.
    token_file: String,
    /// Where the commands are.
    origin: String,
    /// True if this process records.
    recording: bool,
}

/// Interval of attempts to record while another process has it.
const RETRY: Duration = Duration::from_secs(2);

pub(crate) fn run(arguments: Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    shell.io.stop.listen();
    let options = shell.options()?;
    let entropy = Arc::clone(&options.entropy);
    let app = Arc::new(App::open(options)?);
    let token_file = arguments.token_file.unwrap_or_else(|| app.data_dir().join("token"));
    let assets = Assets::of_this_program();
    let options = StartOptions {
        transport: transport(arguments.tls_cert, arguments.tls_key, arguments.insecure_plain_http),
        listen: arguments.listen,
        hosts: arguments.host,
        token_file,
        entropy,
        assets,
        legacy_stores: arguments.legacy_stores,
    };
    let server = retrace_server::start(Arc::clone(&app), options)?;
    if arguments.insecure_plain_http && !server.address().ip().is_loopback() {
        shell.warn("Nothing is encrypted: everybody on the way can read the token and every memory. Use --tls-cert and --tls-key.");
    }
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
    // A read that nobody waits for may still hold the app, so what is on its way to the disk is waited for here.
    app.flush()?;
    Ok(Exit::DONE)
}

/// Transport for other machines. The arguments are checked already: both files or none.
fn transport(certificate: Option<PathBuf>, key: Option<PathBuf>, plain: bool) -> Transport {
    match (certificate, key) {
        (Some(certificate), Some(key)) => Transport::Tls { certificate, key },
        _ if plain => Transport::InsecurePlainHttp,
        _ => Transport::ThisMachine,
    }
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
        Err(error) => shell
            .warn(&format!("No browser can be started with {program}: {}.", retrace_api::wire::why(&error))),
    }
}
