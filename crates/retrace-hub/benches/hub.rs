//! What a hub bears: versions a second with durable commits, a first sync, pages over many versions, two processes and one.
//!
//! `cargo bench -p retrace-hub --bench hub [-- BATCHES ROWS]`: batches of a thousand versions for each of eight machines, and rows
//! for the pages. Needs PostgreSQL from the system. Requests are made and signed before the clock runs, so that they are the
//! hub's cost alone; hubs are processes of their own.

#![allow(clippy::print_stdout, reason = "figures are printed")]
#![allow(clippy::panic, reason = "a measurement that is wrong ends")]

mod support;

use retrace_model::chain::{Leaf, commitment};
use retrace_model::{MachineId, MemoryId, RelPath, Sha256, StoreId, Timestamp, VersionOperation};
use retrace_sync::messages::{Append, Bytes, Contents, PackedContent, SentContent, SentOpened, SentVersion};
use retrace_sync::sign::head_text;
use rustix::process::{Pid, Signal, kill_process};
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use support::{Connection, Hub, Machine, OWNERS, Postgres, asked, fill};

/// Machines that send at the same time.
const MACHINES: u64 = 8;
/// Versions of one batch.
const BATCH: u64 = 1_000;
/// Versions of a first sync.
const FIRST: u64 = 100_000;
/// Pages that are asked for.
const PAGES: u64 = 200;
/// Share of a core that a hub may take where it is to be the limit.
const SHARE: f64 = 0.08;
/// How far a hub may be beyond its share, in seconds: a few of the clock's ticks.
const BEYOND: f64 = 0.02;
/// What `getconf CLK_TCK` says everywhere.
const TICKS: f64 = 100.0;

fn main() {
    let Some([batches, rows]) = asked([10, 1_000_000]) else { return };
    let Some(postgres) = Postgres::start() else { return };
    println!("{}", postgres.query("postgres", "SHOW server_version"));
    let folder = tempfile::tempdir().expect("a folder");
    let hubs = [(); 2].map(|()| Hub::start(&postgres, folder.path()));
    let mut machines = Machines::join(&hubs[0]);
    machines.batches("one process, batches of 1,000 with contents of 1 KB", &hubs[..1], &postgres, batches);
    machines.batches("two processes, the same", &hubs, &postgres, batches);
    machines.batches("one process, once more", &hubs[..1], &postgres, batches);
    // On a machine whose database has processors of its own, the hubs are the limit. Here they are made to be.
    for (name, hubs) in
        [("one process", &hubs[..1]), ("two processes", &hubs[..]), ("one process, once more", &hubs[..1])]
    {
        let name = format!("{name}, each held to {} % of a core", SHARE * 100.0);
        held(hubs, || machines.batches(&name, hubs, &postgres, batches));
    }
    machines.singly("one process, one version a request, without content", &hubs[..1], &postgres);
    machines.singly("two processes, the same", &hubs, &postgres);
    first_sync(&mut machines, &hubs[0], &postgres);
    pages(&mut machines, &hubs[0], &postgres, rows);
}

impl Machine {
    /// The next versions, and their contents.
    fn batch(&mut self, count: u64) -> (Append, Contents) {
        let after = self.head;
        let (mut versions, mut contents) = (Vec::new(), Vec::new());
        for _ in 0..count {
            self.local_seq += 1;
            let (version, content) = self.version();
            self.head = self.head.then(self.key.machine(), self.store, &version.leaf);
            versions.push(version);
            contents.push(content);
        }
        let claim = head_text(self.org, self.key.machine(), self.store, &self.head, 0);
        let append = Append {
            store: self.store.to_string(),
            name: "notes".to_owned(),
            kind: "notes".to_owned(),
            after_seq: after.seq,
            after: after.digest,
            versions,
            signature: Bytes(self.key.sign(&claim)),
        };
        (append, Contents { store: self.store.to_string(), contents })
    }

    fn version(&self) -> (SentVersion, PackedContent) {
        let seq = self.local_seq;
        let mut text = format!("# Fact {seq} of {}\n", self.key.machine());
        for line in 0..16 {
            let word = Sha256::of(&[seq.to_be_bytes(), (line as u64).to_be_bytes()].concat()).to_hex();
            text.push_str(&format!("- {word} is what was found\n"));
        }
        let (sha256, size) = (Sha256::of(text.as_bytes()), text.len() as u64);
        let path = RelPath::parse(&format!("folder-{}/{}.md", seq % 40, seq % 5_000)).expect("a path");
        let salt = &Sha256::of(&seq.to_be_bytes()).0[..16];
        let mut memory = [0; 16];
        memory[8..].copy_from_slice(&(seq % 5_000).to_be_bytes());
        let commits = commitment(salt, &path, Some((&sha256, size)));
        let leaf = Leaf {
            seq,
            operation_seq: seq,
            store: self.store,
            memory: MemoryId(memory),
            change: VersionOperation::Modified,
            created_at: Timestamp::from_micros(1_790_000_000_000_000),
            commitment: commits,
            past: None,
        };
        let version = SentVersion {
            local_seq: seq,
            operation_seq: seq,
            memory: leaf.memory.to_string(),
            operation: leaf.change.to_string(),
            source: "scan".to_owned(),
            created_at: leaf.created_at.micros(),
            leaf: leaf.hash(),
            commitment: commits,
            observed: true,
            opened: Some(SentOpened {
                path: Bytes(path.as_bytes().to_vec()),
                salt: Some(Bytes(salt.to_vec())),
                content: Some(SentContent { sha256, size }),
            }),
        };
        let packed = Bytes(zstd::bulk::compress(text.as_bytes(), 3).expect("it packs"));
        (version, PackedContent { sha256, size, packed })
    }
}

/// Processor time of a process and of those it waited for, in seconds.
fn processor(process: &str) -> f64 {
    let Ok(text) = std::fs::read_to_string(format!("/proc/{process}/stat")) else { return 0.0 };
    let after = text.rsplit_once(") ").map_or("", |(_, after)| after);
    after.split(' ').skip(11).take(4).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / TICKS
}

/// Processor time of all processes of the database.
fn database_processor(postgres: &Postgres) -> f64 {
    let file = std::fs::read_to_string(postgres.data().join("postmaster.pid")).expect("it runs");
    let first = file.lines().next().expect("its process").to_owned();
    let processes = std::fs::read_dir("/proc").expect("processes").flatten();
    let names = processes.filter_map(|entry| entry.file_name().into_string().ok());
    let children = names.filter(|name| {
        let stat = std::fs::read_to_string(format!("/proc/{name}/stat")).unwrap_or_default();
        let after = stat.rsplit_once(") ").map_or("", |(_, after)| after);
        after.split(' ').nth(1) == Some(&first)
    });
    processor(&first) + children.map(|name| processor(&name)).sum::<f64>()
}

/// Runs it, and says what it took.
fn measured(name: &str, versions: u64, hubs: &[Hub], postgres: &Postgres, run: impl FnOnce()) {
    let hub_time = || hubs.iter().map(|hub| processor(&hub.process.id().to_string())).sum::<f64>();
    let (hub_before, database_before, began) = (hub_time(), database_processor(postgres), Instant::now());
    run();
    let took = began.elapsed().as_secs_f64();
    println!(
        "{name}: {versions} versions in {took:.1} s, {:.0} a second; processor time of hubs {:.1} s, of the database {:.1} s",
        versions as f64 / took,
        hub_time() - hub_before,
        database_processor(postgres) - database_before
    );
}

/// Runs it while each hub gets no more than its share of a core: it is stopped whenever it is beyond it.
fn held(hubs: &[Hub], run: impl FnOnce()) {
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for hub in hubs {
            scope.spawn(|| {
                let process = hub.process.id().to_string();
                let (before, began) = (processor(&process), Instant::now());
                let mut is_stopped = false;
                while !is_done.load(Ordering::Relaxed) {
                    let used = processor(&process) - before;
                    let is_beyond = used > began.elapsed().as_secs_f64() * SHARE + BEYOND;
                    if is_beyond != is_stopped {
                        is_stopped = is_beyond;
                        signal(&hub.process, if is_stopped { Signal::STOP } else { Signal::CONT });
                    }
                    std::thread::sleep(Duration::from_millis(10));
                }
                signal(&hub.process, Signal::CONT);
            });
        }
        run();
        is_done.store(true, Ordering::Relaxed);
    });
}

fn signal(process: &Child, signal: Signal) {
    kill_process(Pid::from_child(process), signal).expect("its parent may");
}

struct Machines(Vec<Machine>);

impl Machines {
    fn join(hub: &Hub) -> Self {
        let owner = Machine::join(hub, &hub.token, 1);
        let mut machines = vec![owner];
        for number in 2..=MACHINES + 1 {
            let token = machines[0].token(hub, "writer");
            machines.push(Machine::join(hub, &token, number));
        }
        Self(machines)
    }

    /// Each machine on a thread of its own sends what was made for it, over its own connection.
    fn send(hubs: &[Hub], queues: &[Vec<Vec<u8>>]) {
        std::thread::scope(|scope| {
            for (at, queue) in queues.iter().enumerate() {
                let url = &hubs[at % hubs.len()].url;
                scope.spawn(move || {
                    let mut connection = Connection::to(url);
                    queue.iter().for_each(|request| drop(connection.send(request)));
                });
            }
        });
    }

    fn batches(&mut self, name: &str, hubs: &[Hub], postgres: &Postgres, batches: u64) {
        let queue = |machine: &mut Machine| {
            let mut requests = Vec::new();
            for _ in 0..batches {
                let (append, contents) = machine.batch(BATCH);
                requests.push(machine.signed("append", &append));
                requests.push(machine.signed("contents", &contents));
            }
            requests
        };
        let queues: Vec<_> = self.0[..MACHINES as usize].iter_mut().map(queue).collect();
        let versions = MACHINES * batches * BATCH;
        measured(name, versions, hubs, postgres, || Self::send(hubs, &queues));
    }

    fn singly(&mut self, name: &str, hubs: &[Hub], postgres: &Postgres) {
        let queue = |machine: &mut Machine| {
            let one = |_| {
                let (append, _) = machine.batch(1);
                machine.signed("append", &append)
            };
            (0..BATCH / 2).map(one).collect()
        };
        let queues: Vec<Vec<Vec<u8>>> = self.0[..MACHINES as usize].iter_mut().map(queue).collect();
        measured(name, MACHINES * BATCH / 2, hubs, postgres, || Self::send(hubs, &queues));
    }
}

fn first_sync(machines: &mut Machines, hub: &Hub, postgres: &Postgres) {
    let machine = machines.0.last_mut().expect("one that sent nothing yet");
    let mut requests = Vec::new();
    for _ in 0..FIRST / BATCH {
        let (append, contents) = machine.batch(BATCH);
        requests.push((append, contents));
    }
    // As a machine does: all versions, then all contents.
    let mut queue: Vec<Vec<u8>> =
        requests.iter().map(|(append, _)| machine.signed("append", append)).collect();
    queue.extend(requests.iter().map(|(_, contents)| machine.signed("contents", contents)));
    let hubs = std::slice::from_ref(hub);
    measured("one machine's first sync, the hub's part", FIRST, hubs, postgres, || {
        Machines::send(hubs, &[queue]);
    });
}

/// Fills the table with rows and asks for pages at places all over them.
fn pages(machines: &mut Machines, hub: &Hub, postgres: &Postgres, rows: u64) {
    let owner = &machines.0[0];
    let each = rows / OWNERS;
    fill(postgres, owner.org, each);
    let mut connection = Connection::to(&hub.url);
    let mut page = |name: &str, body: &serde_json::Value| {
        let request = owner.signed(name, body);
        let began = Instant::now();
        drop(connection.send(&request));
        began.elapsed()
    };
    let mut versions: Vec<Duration> = (0..PAGES)
        .map(|number| {
            let mut id = [0; 16];
            id[8..].copy_from_slice(&(1_001 + number % OWNERS).to_be_bytes());
            let after = format!("{}.{}.{}", StoreId(id), MachineId(id), number * each / PAGES);
            page("versions", &serde_json::json!({ "after": after, "limit": 500 }))
        })
        .collect();
    report("a page of 500 versions", &mut versions);
    let first = |limit: u64| serde_json::json!({ "limit": limit });
    let mut inbox: Vec<Duration> = (0..PAGES / 4).map(|_| page("inbox", &first(100))).collect();
    report("the first page of 100 of the inbox, with its total", &mut inbox);
    let further = |number: u64| {
        let after = format!("{}.{}", (each - number * 5) * 100, MemoryId([0xff; 16]));
        serde_json::json!({ "limit": 100, "after": after })
    };
    let mut inbox: Vec<Duration> = (0..PAGES).map(|number| page("inbox", &further(number))).collect();
    report("a further page of 100 of the inbox", &mut inbox);
}

fn report(name: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1_000.0;
    println!("{name}: p50 {:.1} ms, p95 {:.1} ms, longest {:.1} ms", at(0.5), at(0.95), at(1.0));
}
