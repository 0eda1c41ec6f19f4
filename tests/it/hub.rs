//! The hub: real PostgreSQL, real processes, several machines. Where PostgreSQL is not installed, these tests say so and do nothing.

mod agent_sdk;
mod approvals;
mod failover;
mod forks;
mod gone;
mod hostile;
mod kept_out;
mod left;
mod members;
mod mended;
mod model;
mod parts;
mod people;
mod policy;
mod proposals;
mod redacted;
mod said;
mod sessions;
mod stores_off_the_list;
mod sync;
mod tls;
mod together;
mod window;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use retrace_api::wire::{self, ApiError, HubJoinReq, HubSynced, HubTokenReq, HubVersion};
use retrace_api::{AppOptions, commands};
use retrace_cli::{Exit, Io, Stop, Terminal, Zone};
use retrace_hub::{HubOptions, Running};
use retrace_model::Timestamp;
use retrace_sync::sign::{SigningKey, request_text};
use retrace_tests::network::Network;
use retrace_tests::postgres::{Database, Postgres};
use retrace_tests::{World, child, options_of};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

/// A hub in this process, over a database of its own.
pub(crate) struct Hub {
    pub(crate) database: Database,
    pub(crate) folder: tempfile::TempDir,
    pub(crate) running: Running,
}

impl Hub {
    /// Tables in which some bytes stand, as text and as bytes.
    pub(crate) fn tables_with(&self, needle: &str) -> Vec<String> {
        let hex: String = needle.bytes().map(|byte| format!("{byte:02x}")).collect();
        let holding = format!("count(*) FILTER (WHERE t::text LIKE '%{needle}%' OR t::text LIKE '%{hex}%')");
        let tables = self.database.of_each_table(&holding).into_iter();
        tables.filter(|(_, count)| count != "0").map(|(table, _)| table).collect()
    }

    /// Starts one; `None` where PostgreSQL is not installed.
    pub(crate) fn start() -> Option<Self> {
        let database = Postgres::database()?;
        let folder = tempfile::tempdir().expect("a folder");
        let options = HubOptions::new(&database.url(), &folder.path().join("hub.key"));
        let running = retrace_hub::start(options).expect("a hub");
        Some(Self { database, folder, running })
    }

    /// One with machines that joined it, the first as the owner's. Store ids, keys and contents differ from machine to machine.
    pub(crate) fn with_machines<const N: usize>(names: [&str; N]) -> Option<(Self, [Machine; N])> {
        let hub = Self::start()?;
        let machines = names.map(Machine::new);
        hub.join_all(&machines);
        Some((hub, machines))
    }

    pub(crate) fn join_all(&self, machines: &[Machine]) {
        let token = self.running.owner_token().expect("nobody joined yet");
        machines[0].join(self.url(), token).expect("the owner joins");
        for machine in &machines[1..] {
            machine.join(self.url(), &machines[0].token()).expect("a member joins");
        }
    }

    pub(crate) fn url(&self) -> &str {
        self.running.url()
    }

    /// Options of one more process over the same database with the same key file.
    pub(crate) fn options(&self) -> HubOptions {
        HubOptions::new(&self.database.url(), &self.folder.path().join("hub.key"))
    }

    /// One more process, in this one, over the same database.
    pub(crate) fn another(&self) -> Running {
        retrace_hub::start(self.options()).expect("another hub")
    }
}

/// A machine: a log, a store `notes`, and the commands on it, in this process or in one of its own.
pub(crate) struct Machine {
    pub(crate) world: World,
    folder: tempfile::TempDir,
    name: String,
    number: u64,
    /// Seconds that its clock is ahead.
    skew: i64,
}

/// Machines of this test program, each with random numbers of its own.
static MACHINES: AtomicU64 = AtomicU64::new(1);

/// Processes of machines, which share no random numbers either.
const PROCESSES: u64 = 1 << 12;

impl Machine {
    pub(crate) fn new(name: &str) -> Self {
        Self::skewed(name, 0)
    }

    /// One whose clock is some seconds ahead.
    pub(crate) fn skewed(name: &str, skew: i64) -> Self {
        let number = MACHINES.fetch_add(1, Ordering::SeqCst);
        let folder = tempfile::tempdir().expect("a folder");
        let world = World::over(machine_options(folder.path(), number * PROCESSES, skew));
        world.add("notes");
        Self { world, folder, name: name.to_owned(), number, skew }
    }

    /// The same directories, as a machine whose log is the same up to now.
    pub(crate) fn copy(&self) -> Self {
        let number = MACHINES.fetch_add(1, Ordering::SeqCst);
        let folder = tempfile::tempdir().expect("a folder");
        copy_all(&self.data_dir(), &folder.path().join("data"));
        let world = World::over(machine_options(folder.path(), number * PROCESSES, 0));
        Self { world, folder, name: self.name.clone(), number, skew: 0 }
    }

    pub(crate) fn data_dir(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub(crate) fn join(&self, url: &str, token: &str) -> Result<(), ApiError> {
        self.join_with(url, token, |_| {})
    }

    pub(crate) fn join_with(
        &self,
        url: &str,
        token: &str,
        change: impl FnOnce(&mut HubJoinReq),
    ) -> Result<(), ApiError> {
        let mut request = HubJoinReq {
            url: url.to_owned(),
            token: token.to_owned(),
            name: Some(self.name.clone()),
            ..HubJoinReq::default()
        };
        change(&mut request);
        commands::hub_join(&self.world.app, request).map(drop)
    }

    /// A token for one more machine; only an owner's makes one.
    pub(crate) fn token(&self) -> String {
        commands::hub_token(&self.world.app, HubTokenReq::default()).expect("a token").token
    }

    /// Writes a memory and records it.
    pub(crate) fn record(&self, path: &str, content: impl AsRef<[u8]>) -> wire::Version {
        self.world.record(path, content)
    }

    pub(crate) fn sync(&self) -> Result<HubSynced, ApiError> {
        commands::hub_sync(&self.world.app, wire::HubSyncReq::default())
    }

    /// Syncs, and there is nothing that stands in the way.
    pub(crate) fn synced(&self) -> HubSynced {
        let synced = self.sync().expect("a sync");
        assert!(synced.problems.is_empty(), "{:?}", synced.problems);
        synced
    }

    /// All versions of all machines at the hub.
    pub(crate) fn versions(&self) -> Vec<HubVersion> {
        let (mut versions, mut after) = (Vec::new(), None);
        loop {
            let request = wire::HubVersionsReq { after, limit: None };
            let page = commands::hub_versions(&self.world.app, request).expect("a page");
            versions.extend(page.versions);
            match page.next {
                Some(next) => after = Some(next),
                None => return versions,
            }
        }
    }

    /// Runs a command in this process: exit code, output and errors.
    pub(crate) fn run(&self, words: &[&str]) -> (Exit, String, String) {
        self.run_on(words, b"")
    }

    /// The same with something on its standard input.
    pub(crate) fn run_on(&self, words: &[&str], mut input: &[u8]) -> (Exit, String, String) {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let process = self.process();
        let options = |_| Ok(machine_options(self.folder.path(), process, self.skew));
        let mut io = Io {
            stdin: &mut input,
            stdout: &mut stdout,
            stderr: &mut stderr,
            terminal: Terminal::NONE,
            env: BTreeMap::new(),
            zone: Zone::Utc,
            options: &options,
            keys: None,
            stop: Stop::default(),
        };
        let exit = retrace_cli::run(words.iter().map(OsString::from), &mut io);
        drop(io);
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        (exit, text(stdout), text(stderr))
    }

    /// Prepares to run a command in a process of its own.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        program(self.folder.path(), self.process(), self.skew, words)
    }

    /// What it knows of its membership.
    pub(crate) fn status(&self) -> wire::HubStatus {
        commands::hub_status(&self.world.app, wire::Nothing {}).expect("a status")
    }

    /// Kills `retrace sync` in a process of its own at the moment that `network` passed so many bytes; answers whether that came
    /// before its end.
    pub(crate) fn kill_sync(&self, network: &Network, after: u64) -> bool {
        let slot = Arc::new(Mutex::new(None::<Child>));
        let (mut started, to_kill) = (slot.lock().expect("nobody panics with it"), Arc::clone(&slot));
        let killed = network.at(after, move || {
            if let Some(process) = to_kill.lock().expect("nobody panics with it").as_mut() {
                process.kill().expect("it runs");
            }
        });
        let mut process = self.command(&["--json", "sync"]).spawn().expect("a process");
        let mut output = process.stdout.take().expect("its output");
        *started = Some(process);
        drop(started);
        // Ends with the process.
        output.read_to_end(&mut Vec::new()).expect("its output");
        network.mend();
        let mut ended = slot.lock().expect("nobody panics with it");
        ended.as_mut().expect("it was started").wait().expect("it ends");
        killed.load(Ordering::SeqCst)
    }

    fn process(&self) -> u64 {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        self.number * PROCESSES + NEXT.fetch_add(1, Ordering::SeqCst)
    }
}

/// Options with the real clock, set wrong by some seconds, and random numbers of its own.
pub(crate) fn machine_options(directory: &Path, random: u64, skew: i64) -> AppOptions {
    let mut options = options_of(directory, random);
    let ahead = skew.saturating_mul(1_000_000);
    options.engine.clock = Arc::new(move || Timestamp::from_micros(now().saturating_add(ahead)));
    options
}

/// Prepares to run `retrace` in a process of its own, which may be killed.
pub(crate) fn program(directory: &Path, random: u64, skew: i64, words: &[&str]) -> Command {
    let task = format!("{random} {skew} {}", words.join("\n"));
    let mut command = child::command("hub::one_process", &task, directory);
    // A pipe that nobody reads would stop it.
    command.stdin(Stdio::null()).stderr(Stdio::null());
    command
}

/// Not a test of its own: one run of the program, told by its environment.
#[test]
fn one_process() {
    let Some((task, directory)) = child::task() else { return };
    let mut parts = task.splitn(3, ' ');
    let mut part = || parts.next().expect("a part");
    let (random, skew) = (part().parse().expect("a number"), part().parse().expect("a number"));
    let words: Vec<OsString> = part().split('\n').map(OsString::from).collect();
    if words.iter().any(|word| word == "serve") {
        // However the test program ends, its hubs end with it.
        std::thread::spawn(|| {
            let _ = std::io::stdin().read_to_end(&mut Vec::new());
            std::process::exit(0);
        });
    }
    let options = |_| Ok(machine_options(&directory, random, skew));
    let mut io = Io {
        stdin: &mut std::io::empty(),
        stdout: &mut std::io::stdout(),
        stderr: &mut std::io::stderr(),
        terminal: Terminal::NONE,
        env: BTreeMap::new(),
        zone: Zone::Utc,
        options: &options,
        keys: None,
        stop: Stop::on_signals(),
    };
    let exit = retrace_cli::run(words, &mut io);
    std::process::exit(i32::from(exit.0));
}

/// Signs requests as a machine does, for those that no machine would send.
pub(crate) struct Signer {
    pub(crate) key: SigningKey,
    pub(crate) org: String,
    pub(crate) machine: String,
}

impl Signer {
    pub(crate) fn of(machine: &Machine) -> Self {
        let text = std::fs::read_to_string(machine.data_dir().join("machine.key")).expect("its key");
        let seed = STANDARD.decode(text.trim()).expect("base 64");
        let status = machine.status();
        Self {
            key: SigningKey::from_seed(&seed).expect("a seed"),
            org: status.org.expect("it joined"),
            machine: status.machine.expect("it joined"),
        }
    }

    /// The key of a machine, whether it joined or not.
    pub(crate) fn of_file(machine: &Machine) -> SigningKey {
        let text = std::fs::read_to_string(machine.data_dir().join("machine.key")).expect("its key");
        SigningKey::from_seed(&STANDARD.decode(text.trim()).expect("base 64")).expect("a seed")
    }

    /// Headers of a signed request.
    pub(crate) fn headers(&self, name: &str, at: i64, body: &[u8]) -> Vec<(&'static str, String)> {
        let signature = self.key.sign(&request_text(&format!("/hub/v1/{name}"), at, body));
        vec![
            ("retrace-org", self.org.clone()),
            ("retrace-machine", self.machine.clone()),
            ("retrace-time", at.to_string()),
            ("retrace-signature", STANDARD.encode(signature)),
        ]
    }

    /// Sends a signed request; answers status and body.
    pub(crate) fn send(&self, url: &str, name: &str, body: &[u8]) -> (u16, String) {
        post(url, &format!("/hub/v1/{name}"), &self.headers(name, now(), body), body)
    }
}

/// Microseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

/// Posts to a hub; answers status and body. The status is 0 where the hub closed the connection without a word.
pub(crate) fn post(url: &str, path: &str, headers: &[(&str, String)], body: &[u8]) -> (u16, String) {
    let length = body.len();
    let mut head =
        format!("POST {path} HTTP/1.1\r\nhost: hub\r\nconnection: close\r\ncontent-length: {length}\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    raw(url, &[head.as_bytes(), body].concat(), false)
}

/// Sends bytes as they are; `ends` says that no more will come.
pub(crate) fn raw(url: &str, request: &[u8], ends: bool) -> (u16, String) {
    let (_, address) = url.split_once("://").expect("a scheme");
    let mut stream = TcpStream::connect(address).expect("the hub listens");
    // It may refuse before it has read everything.
    let _ = stream.write_all(request);
    if ends {
        let _ = stream.shutdown(std::net::Shutdown::Write);
    }
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    (status, body.to_owned())
}

/// A hub in a process of its own, which can be killed.
pub(crate) struct HubProcess {
    process: Child,
    pub(crate) url: String,
    pub(crate) owner_token: Option<String>,
}

impl HubProcess {
    /// Starts one over a database, with its key file in a folder.
    pub(crate) fn start(database: &str, folder: &Path) -> Self {
        // A pipe that nobody reads would stop it.
        Self::start_with(database, folder, &[], Stdio::null())
    }

    /// Starts one with more options.
    pub(crate) fn start_with(database: &str, folder: &Path, more: &[&str], errors: Stdio) -> Self {
        let key_file = folder.join("hub.key").display().to_string();
        let words = [
            "--json",
            "hub",
            "serve",
            "--database",
            database,
            "--listen",
            "127.0.0.1:0",
            "--key-file",
            &key_file,
        ];
        let words = [&words[..], more].concat();
        let mut process = program(folder, 0, 0, &words);
        let mut process = process.stdin(Stdio::piped()).stderr(errors).spawn().expect("a process");
        let mut lines = BufReader::new(process.stdout.take().expect("its output")).lines();
        // The name of the test stands before it on the same line.
        let json = |line: String| line.find('{').map(|at| line[at..].to_owned());
        let line = lines.by_ref().map_while(Result::ok).find_map(json);
        let said = line.unwrap_or_else(|| panic!("the hub did not start: {:?}", process.wait()));
        let said: serde_json::Value = serde_json::from_str(&said).expect("JSON");
        let text = |name: &str| said[name].as_str().map(str::to_owned);
        Self { process, url: text("url").expect("an address"), owner_token: text("owner_token") }
    }

    /// Kills it; nothing is answered any more.
    pub(crate) fn kill(mut self) {
        self.process.kill().expect("it runs");
        self.process.wait().expect("it ends");
    }
}

impl Drop for HubProcess {
    fn drop(&mut self) {
        // It may have been killed before.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn copy_all(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a directory");
    for entry in std::fs::read_dir(from).expect("a directory").flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy_all(&path, &target);
        } else {
            std::fs::copy(path, target).expect("a copy");
        }
    }
}
