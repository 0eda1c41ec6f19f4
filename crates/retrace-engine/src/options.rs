//! Options of an [`Engine`](crate::Engine). Clock, randomness and surroundings are passed in, so that tests are the same each
//! time.

use crate::faults::Faults;
use crate::flush::Flushing;
use crate::wire::{ApiError, Code};
use retrace_files::NoFaults;
use retrace_model::Timestamp;
use retrace_sources::{Platform, Surroundings};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use std::time::{SystemTime, UNIX_EPOCH};

/// Names the data directory in the environment.
pub(crate) const DATA_DIR_VARIABLE: &str = "RETRACE_DATA_DIR";

/// Fills a buffer with random bytes.
pub type Randomness = dyn Fn(&mut [u8]) + Send + Sync;

/// Options of an engine.
#[derive(Clone)]
pub struct EngineOptions {
    /// Where the log is kept.
    pub data_dir: PathBuf,
    /// Now.
    pub clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    /// Random bytes.
    pub entropy: Arc<Randomness>,
    /// Login name of the person at this machine.
    pub user: String,
    /// Home directory, environment and platform, for discovery.
    pub surroundings: Surroundings,
    /// The program `retrace` on this machine, for what calls it later.
    pub program: PathBuf,
    /// Version of the program.
    pub program_version: &'static str,
    /// Wait for other processes' transactions; the log's own ten seconds when `None`.
    pub busy_wait: Option<Duration>,
    /// Called between the steps of scans and acts, so that tests can fail or stop them there; [`NoFaults`] otherwise.
    pub faults: Arc<dyn Faults>,
    /// Names this boot of the machine, differently from every other; `None` where the system has no name for it, and then
    /// nothing is left to flush later.
    pub boot: Option<String>,
    /// Deferral of flushes for the memory tool: [`Flushing::IN_BACKGROUND`], or a
    /// test's.
    pub flushing: Flushing,
}

impl EngineOptions {
    /// The options for this process on this machine. `data_dir` wins over `RETRACE_DATA_DIR`, which wins over the
    /// platform's data directory.
    ///
    /// # Errors
    /// [`Code::Invalid`] when no data directory is given and the user has no home directory.
    pub fn for_this_machine(data_dir: Option<PathBuf>) -> Result<Self, ApiError> {
        let env: BTreeMap<String, OsString> =
            std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value))).collect();
        let home = directories::BaseDirs::new().map(|directories| directories.home_dir().to_path_buf());
        let data_dir = data_dir
            .or_else(|| env.get(DATA_DIR_VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from))
            .or_else(|| {
                directories::ProjectDirs::from("", "", "retrace")
                    .map(|project| project.data_dir().to_path_buf())
            })
            .ok_or_else(|| ApiError {
                code: Code::Invalid,
                message: say::no_home_directory(),
                hint: say::give_data_directory(DATA_DIR_VARIABLE),
                subject: String::new(),
            })?;
        let data_dir = std::path::absolute(&data_dir).unwrap_or(data_dir);
        let user = ["USER", "LOGNAME", "USERNAME"]
            .iter()
            .find_map(|name| env.get(*name)?.to_str().filter(|name| !name.is_empty()))
            .unwrap_or("user")
            .to_owned();
        let mut surroundings = Surroundings::new(home.unwrap_or_default(), Platform::current());
        surroundings.env = env;
        Ok(Self {
            data_dir,
            clock: Arc::new(now),
            entropy: Arc::new(|bytes| {
                getrandom::fill(bytes).expect("the operating system provides random bytes");
            }),
            user,
            surroundings,
            program: this_program(),
            program_version: env!("CARGO_PKG_VERSION"),
            busy_wait: None,
            faults: Arc::new(NoFaults),
            boot: crate::flush::this_boot(),
            flushing: Flushing::IN_BACKGROUND,
        })
    }
}

/// The time of this machine, whose clock may stand before 1970 after its battery failed.
fn now() -> Timestamp {
    let micros = |since: std::time::Duration| i64::try_from(since.as_micros()).unwrap_or(i64::MAX);
    Timestamp::from_micros(match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => micros(since),
        Err(before) => -micros(before.duration()),
    })
}

/// The program of the terminal: this one, or the one beside the window's.
fn this_program() -> PathBuf {
    let name = format!("retrace{}", std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe().ok().map(|here| here.with_file_name(&name));
    beside.filter(|program| program.is_file()).unwrap_or_else(|| PathBuf::from(name))
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "options";
    no_home_directory() => "There is no home directory to keep the log in.",
    give_data_directory(variable) => "Give a directory with --data-dir or {variable}.",
}
