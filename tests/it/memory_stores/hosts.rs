//! Who keeps the stores.

use super::model::{Answer, Keeper};
use crate::hub::{Hub, HubProcess, Machine};
use retrace_api::store_api::{StoreRequest, StoreService};
use retrace_api::wire::{HubAgentTokenReq, MountStoreReq, ScanReq, VerifyReq};
use retrace_api::{App, AppOptions, commands};
use retrace_server::{Assets, StartOptions, Transport};
use retrace_tests::postgres::{Database, Postgres};
use retrace_tests::{World, options_of};
use serde_json::Value;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tempfile::TempDir;

/// A server that clients reach over a socket.
pub(crate) trait Server {
    fn origin(&self) -> String;
    fn key(&self) -> String;
}

/// `retrace serve`, over the log of a machine.
pub(crate) struct Served {
    running: retrace_server::Running,
    _folder: TempDir,
}

impl Served {
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let options = AppOptions::for_this_machine(Some(folder.path().join("data"))).expect("options");
        let entropy = Arc::clone(&options.entropy);
        let app = Arc::new(App::open(options).expect("an app"));
        let options = StartOptions {
            listen: "127.0.0.1:0".to_owned(),
            transport: Transport::ThisMachine,
            hosts: Vec::new(),
            token_file: folder.path().join("token"),
            entropy,
            assets: Assets::default(),
            legacy_stores: false,
        };
        Self { running: retrace_server::start(app, options).expect("a server"), _folder: folder }
    }
}

impl Server for Served {
    fn origin(&self) -> String {
        self.running.origin().to_owned()
    }

    fn key(&self) -> String {
        self.running.token_file().token.reveal().to_owned()
    }
}

/// Two hubs in processes of their own over one database, behind one address.
pub(crate) struct TwoHubs {
    address: OneAddress,
    key: String,
    _processes: [HubProcess; 2],
    _folder: TempDir,
    _database: Database,
    _owner: Machine,
}

impl TwoHubs {
    /// Starts them; `None` where PostgreSQL is not installed.
    pub(crate) fn start() -> Option<Self> {
        let database = Postgres::database()?;
        let folder = tempfile::tempdir().expect("a folder");
        let processes = [(); 2].map(|()| HubProcess::start(&database.url(), folder.path()));
        let owner = Machine::new("owner");
        let token = processes[0].owner_token.as_deref().expect("the first start makes a token");
        owner.join(&processes[0].url, token).expect("the owner joins");
        let address = OneAddress::before(processes.each_ref().map(|process| process.url.as_str()));
        let key = key(&owner, None, false, "test");
        Some(Self {
            address,
            key,
            _processes: processes,
            _folder: folder,
            _database: database,
            _owner: owner,
        })
    }
}

impl Server for TwoHubs {
    fn origin(&self) -> String {
        self.address.url()
    }

    fn key(&self) -> String {
        self.key.clone()
    }
}

/// A key of an agent that the owner's machine makes.
pub(crate) fn key(owner: &Machine, store: Option<&str>, read_only: bool, name: &str) -> String {
    let request =
        HubAgentTokenReq { store: store.map(str::to_owned), read_only, name: Some(name.to_owned()) };
    commands::hub_agent_token(&owner.world.app, request).expect("a key").token
}

/// One address before two: each request goes to the other one than the request before. A client is told that its connection
/// ends with the answer, so that it has to come again.
pub(crate) struct OneAddress(SocketAddr);

impl OneAddress {
    /// One address before these (`http://127.0.0.1:1234`).
    pub(crate) fn before(targets: [&str; 2]) -> Self {
        let targets = targets.map(|target| {
            let (_, address) = target.split_once("://").expect("a scheme");
            address.parse::<SocketAddr>().expect("an address")
        });
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("its address");
        let next = Arc::new(AtomicUsize::new(0));
        // It ends with the test program.
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let next = Arc::clone(&next);
                std::thread::spawn(move || {
                    let target = targets[next.fetch_add(1, Ordering::SeqCst) % targets.len()];
                    // A connection that breaks is the client's to see.
                    drop(pass(&stream, target));
                });
            }
        });
        Self(address)
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.0)
    }
}

fn pass(mut client: &TcpStream, target: SocketAddr) -> std::io::Result<()> {
    let (mut head, mut buffer) = (Vec::new(), [0; 16 << 10]);
    let end = loop {
        if let Some(at) = head.windows(4).position(|four| four == b"\r\n\r\n") {
            break at;
        }
        let read = client.read(&mut buffer)?;
        if read == 0 {
            return Ok(());
        }
        head.extend_from_slice(&buffer[..read]);
    };
    let rest = head.split_off(end + 4);
    let lines = head[..end].split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
    let kept = lines.filter(|line| !line.to_ascii_lowercase().starts_with(b"connection:"));
    let mut head = kept.flat_map(|line| [line, b"\r\n"].concat()).collect::<Vec<u8>>();
    head.extend_from_slice(b"connection: close\r\n\r\n");
    let mut server = TcpStream::connect(target)?;
    server.write_all(&head)?;
    server.write_all(&rest)?;
    let (mut from, mut to) = (client.try_clone()?, server.try_clone()?);
    std::thread::spawn(move || {
        // The server tells the client what became of a body that broke off.
        let _ = std::io::copy(&mut from, &mut to);
    });
    std::io::copy(&mut server, &mut client)?;
    client.shutdown(std::net::Shutdown::Both)
}

/// What a server answered: status, headers in lower case, body.
pub(crate) struct Told {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Told {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// One request over a connection of its own. `headers` beside those that every request has.
pub(crate) fn request(
    origin: &str,
    (method, target): (&str, &str),
    headers: &[(&str, &str)],
    body: &[u8],
) -> Told {
    let (_, address) = origin.split_once("://").expect("a scheme");
    let mut stream = TcpStream::connect(address).expect("a connection");
    let mut head = format!("{method} {target} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if !body.is_empty() {
        head.push_str(&format!("content-type: application/json\r\ncontent-length: {}\r\n", body.len()));
    }
    stream.write_all(format!("{head}\r\n").as_bytes()).expect("the head is sent");
    stream.write_all(body).expect("the body is sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
    let head = String::from_utf8_lossy(&answer[..end]).into_owned();
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).expect("a status");
    let headers = lines.filter_map(|line| line.split_once(':'));
    Told {
        status: status.parse().expect("a number"),
        headers: headers.map(|(name, value)| (name.to_lowercase(), value.trim().to_owned())).collect(),
        body: answer.split_off(end + 4),
    }
}

/// The log of a machine, without a socket. Each store may have a directory.
pub(crate) struct InLog {
    service: StoreService,
    world: World,
    folder: TempDir,
    mounted: bool,
}

impl InLog {
    /// In memory where the system has such a place, because a commit then takes no time.
    pub(crate) fn new(mounted: bool) -> Self {
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder");
        let world = World::over(options_of(folder.path(), 0));
        let service = StoreService::start(world.app.served(), false).expect("a service");
        Self { service, world, folder, mounted }
    }
}

impl Keeper for InLog {
    fn ask(&self, method: &str, path: &str, query: &str, body: Vec<u8>) -> Answer {
        let answer = self.service.answer(&StoreRequest {
            method: method.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            body,
            betas: vec!["agent-memory-2026-07-22".to_owned()],
            key_id: "apikey_test".to_owned(),
            session: None,
        });
        Answer {
            status: answer.status,
            value: serde_json::from_slice(&answer.body).expect("JSON"),
            retry: answer.retry,
            request_id: answer.request_id,
        }
    }

    fn made(&self, store: &str) {
        if self.mounted {
            let directory = self.folder.path().join(store).to_string_lossy().into_owned();
            let request = MountStoreReq { store: store.to_owned(), directory: Some(directory) };
            commands::mount_store(&self.world.app, request).expect("a mounted store");
        }
    }

    fn moves_into_itself(&self) -> bool {
        !self.mounted
    }

    fn check(&self) {
        let verified = commands::verify(&self.world.app, VerifyReq::default()).expect("verifies");
        assert_eq!(verified.problems, Vec::<&str>::new());
        if self.mounted {
            let scanned = commands::scan(&self.world.app, ScanReq::default()).expect("a scan");
            let found: u64 = scanned.stores.iter().map(|store| store.versions).sum();
            assert_eq!(found, 0, "the directories hold what the log says");
        }
    }
}

/// Two hubs in this process over one database; requests go to them in turns.
pub(crate) struct InHub {
    origins: [String; 2],
    next: AtomicUsize,
    key: String,
    owner: Machine,
    /// Versions that the owner's machine sees at the hub.
    hub: Hub,
    _another: retrace_hub::Running,
}

impl InHub {
    /// Starts them; `None` where PostgreSQL is not installed.
    pub(crate) fn new() -> Option<Self> {
        let (hub, [owner]) = Hub::with_machines(["owner"])?;
        let another = hub.another();
        let origins = [hub.url().to_owned(), another.url().to_owned()];
        let key = key(&owner, None, false, "test");
        Some(Self { origins, next: AtomicUsize::new(0), key, owner, hub, _another: another })
    }
}

impl Keeper for InHub {
    fn ask(&self, method: &str, path: &str, query: &str, body: Vec<u8>) -> Answer {
        let origin = &self.origins[self.next.fetch_add(1, Ordering::SeqCst) % 2];
        let target = if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") };
        let headers = [("x-api-key", self.key.as_str()), ("anthropic-beta", "agent-memory-2026-07-22")];
        let told = request(origin, (method, &target), &headers, &body);
        Answer {
            status: told.status,
            value: told.json(),
            retry: told.header("x-should-retry").map(|value| value == "true"),
            request_id: told.header("request-id").expect("an id").to_owned(),
        }
    }

    fn made(&self, _store: &str) {}

    fn moves_into_itself(&self) -> bool {
        true
    }

    /// Every version is one of the hub's chains, which hold what they say.
    fn check(&self) {
        let listed = self.owner.versions();
        let made = self.hub.database.query("SELECT count(*) FROM api_versions");
        assert_eq!(listed.len().to_string(), made);
        assert!(listed.iter().all(|version| version.machine_name == "api" && version.source == "api"));
        let lost = "SELECT count(*) FROM versions v WHERE v.content_sha256 IS NOT NULL AND NOT EXISTS
            (SELECT 1 FROM contents c WHERE c.store = v.store AND c.machine = v.machine AND c.sha256 = v.content_sha256)";
        assert_eq!(self.hub.database.query(lost), "0", "each content is there");
        let left = "SELECT count(*) FROM contents c WHERE NOT EXISTS
            (SELECT 1 FROM versions v WHERE c.store = v.store AND c.machine = v.machine AND c.sha256 = v.content_sha256)";
        assert_eq!(self.hub.database.query(left), "0", "no content is left of what was redacted");
    }
}
