//! What is right and wrong with a hub: the database, its roles, the key file, the chains, the copies.
//!
//! It reads. Nothing is changed, made or migrated by it.

mod chains;
mod database;
mod people;
mod rights;

pub(crate) use rights::{Grant, granted};

use crate::Failure;
use crate::database::{begin, now, pool};
use crate::keys::HubKeys;
use deadpool_postgres::Object;
use retrace_model::OrgId;
use std::path::PathBuf;

/// What is to be examined.
#[derive(Clone)]
pub struct DoctorOptions {
    /// Address of the database.
    pub database: String,
    /// The key file; none where it is elsewhere.
    pub key_file: Option<PathBuf>,
    /// True to examine every link and every content; else the newest of each chain.
    pub whole: bool,
    /// Now, in microseconds since 1970: what is long ago is told from it. None for the clock of this process.
    pub now: Option<i64>,
}

/// How something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// As it should be.
    Ok,
    /// Worth a look.
    Warning,
    /// Harm is done or near.
    Error,
}

impl State {
    /// Its word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One thing that was examined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What, for programs.
    pub name: &'static str,
    /// How it is.
    pub state: State,
    /// What was found.
    pub found: String,
    /// What to do next; empty where nothing is to be done.
    pub next: String,
}

impl Check {
    fn new(name: &'static str, state: State, found: impl Into<String>, next: impl Into<String>) -> Self {
        Self { name, state, found: found.into(), next: next.into() }
    }

    fn ok(name: &'static str, found: impl Into<String>) -> Self {
        Self::new(name, State::Ok, found, "")
    }

    fn warning(name: &'static str, found: impl Into<String>, next: impl Into<String>) -> Self {
        Self::new(name, State::Warning, found, next)
    }

    fn error(name: &'static str, found: impl Into<String>, next: impl Into<String>) -> Self {
        Self::new(name, State::Error, found, next)
    }
}

/// What the checks share.
struct Examined {
    client: Object,
    org: OrgId,
    /// Public key of the hub, as the database has it.
    public_key: Vec<u8>,
    keys: Option<HubKeys>,
    whole: bool,
    now: i64,
}

/// Examines a hub. A database that cannot be reached, or is none of a hub, is a check that failed.
///
/// # Errors
/// [`Failure::Machine`] where this process lacks something.
pub fn doctor(options: &DoctorOptions) -> Result<Vec<Check>, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::Machine(error.to_string()))?;
    Ok(runtime.block_on(examine(options)))
}

async fn examine(options: &DoctorOptions) -> Vec<Check> {
    let mut checks = Vec::new();
    let reached = match pool(&options.database, 1) {
        Ok(pool) => pool.get().await.map_err(Failure::from),
        Err(failure) => Err(failure),
    };
    let client = match reached {
        Ok(client) => client,
        Err(failure) => {
            checks.push(Check::error("database", failure.to_string(), failure.hint()));
            return checks;
        }
    };
    // Read only, whatever a check does.
    let started = client.batch_execute("SET default_transaction_read_only = on").await;
    if let Err(error) = started {
        let failure = Failure::from(error);
        checks.push(Check::error("database", failure.to_string(), failure.hint()));
        return checks;
    }
    let first = database::first(&client, &mut checks).await;
    let (org, public_key) = match first {
        Ok(Some(hub)) => hub,
        Ok(None) => return checks,
        Err(failure) => {
            checks.push(Check::error("database", failure.to_string(), failure.hint()));
            return checks;
        }
    };
    let keys = key_file(options, &public_key, &mut checks);
    let examined = Examined {
        client,
        org,
        public_key,
        keys,
        whole: options.whole,
        now: options.now.unwrap_or_else(now),
    };
    let mut take = |name: &'static str, result: Result<Vec<Check>, Failure>| match result {
        Ok(found) => checks.extend(found),
        Err(failure) => checks.push(Check::error(name, failure.to_string(), failure.hint())),
    };
    take("row_level_security", database::security(&examined).await);
    take("policies", rights::policies(&examined).await);
    take("rights", rights::rights(&examined).await);
    take("replication", database::copies(&examined).await);
    take("backup", database::backup(&examined).await);
    take("leftovers", database::leftovers(&examined).await);
    take("heads", chains::heads(&examined).await);
    take("heads", chains::ends(&examined).await);
    take("chains", chains::links(&examined).await);
    take("contents", chains::contents(&examined).await);
    take("contents", chains::lost_contents(&examined).await);
    take("machines", people::machines(&examined).await);
    take("said", people::said(&examined).await);
    take("restored", people::restored(&examined).await);
    take("retention", people::retention(&examined).await);
    take("redactions", people::redactions(&examined).await);
    checks
}

fn key_file(options: &DoctorOptions, public_key: &[u8], checks: &mut Vec<Check>) -> Option<HubKeys> {
    let Some(file) = &options.key_file else {
        let next =
            "Give it with --key-file to see whether it belongs to this database and opens its contents.";
        checks.push(Check::warning("key_file", "It was not examined.", next));
        return None;
    };
    match HubKeys::read(file) {
        Ok(keys) if keys.signing.public() == public_key => {
            checks.push(Check::ok("key_file", "It belongs to this database."));
            Some(keys)
        }
        Ok(_) => {
            let failure = Failure::OtherKeyFile(file.display().to_string());
            checks.push(Check::error("key_file", failure.to_string(), failure.hint()));
            None
        }
        Err(failure) => {
            let next = "Put the key file back from its backup. Without it no content can be read.";
            checks.push(Check::error("key_file", failure.to_string(), next));
            None
        }
    }
}

impl Examined {
    /// Begins a transaction that sees the organisation, as a request does.
    async fn begin(&self) -> Result<(), Failure> {
        // A check that failed may have left one open.
        Ok(self.client.batch_execute(&format!("ROLLBACK; {}", begin(self.org))).await?)
    }

    async fn end(&self) -> Result<(), Failure> {
        Ok(self.client.batch_execute("ROLLBACK").await?)
    }
}

/// `1 version`, `2 versions`.
pub(crate) fn count(number: i64, one: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {one}s") }
}
