//! Everything at once: edits, redactions, cuts of the network, kills of hub and machines, clocks that are wrong. At the end every
//! machine and the hub agree, and nothing that was acknowledged is missing.
//!
//! `RETRACE_HUB_SEEDS=7,8,9` runs these seeds, `RETRACE_HUB_STEPS=500` more steps.

use super::failover::Pair;
use super::{HubProcess, Machine};
use retrace_api::wire::{HubFault, HubVersion};
use retrace_model::MachineId;
use retrace_tests::network::Network;
use retrace_tests::postgres::{Database, Postgres};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Seeds where none is named.
const SEEDS: &str = "1,2";

/// Steps of one seed where no number is named.
const STEPS: u64 = 24;

/// Seconds that the clocks of the machines are ahead.
const SKEWS: [i64; 3] = [0, 7 * 24 * 3_600, -3_600];

/// Bytes after which something happens, at most: about those of one sync.
const BYTES: u64 = 9_000;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}

/// Where the hubs keep everything.
enum Kept {
    /// In a database of its own.
    Alone(Database),
    /// On a primary with a synchronous standby, of which the first is killed in the middle.
    Twice(Pair),
}

impl Kept {
    fn url(&self) -> String {
        match self {
            Self::Alone(database) => database.url(),
            Self::Twice(pair) => pair.url(),
        }
    }

    fn query(&self, sql: &str) -> String {
        match self {
            Self::Alone(database) => database.query(sql),
            Self::Twice(pair) => pair.query_standby(sql),
        }
    }
}

struct Model {
    database: Kept,
    folder: tempfile::TempDir,
    hubs: Arc<Mutex<Vec<Option<HubProcess>>>>,
    network: Network,
    machines: Vec<Machine>,
    /// Per machine: digest of each head that was acknowledged.
    acknowledged: Vec<BTreeMap<u64, String>>,
    random: Random,
    texts: u64,
    /// What happened, for a seed that fails.
    happened: Vec<String>,
}

impl Model {
    fn new(database: Kept, seed: u64) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let first = HubProcess::start(&database.url(), folder.path());
        let second = HubProcess::start(&database.url(), folder.path());
        let network = Network::before(&[&first.url, &second.url]);
        let machines: Vec<Machine> = SKEWS.iter().map(|skew| Machine::skewed("m", *skew)).collect();
        let owner_token = first.owner_token.clone().expect("the first start makes a token");
        machines[0].join(&network.url(), &owner_token).expect("it joins");
        for machine in &machines[1..] {
            machine.join(&network.url(), &machines[0].token()).expect("it joins");
        }
        Self {
            database,
            folder,
            hubs: Arc::new(Mutex::new(vec![Some(first), Some(second)])),
            network,
            acknowledged: vec![BTreeMap::new(); machines.len()],
            machines,
            random: Random(seed),
            texts: 0,
            happened: Vec::new(),
        }
    }

    fn step(&mut self) {
        let at = self.random.below(self.machines.len() as u64) as usize;
        let what = self.random.below(10);
        let after = self.random.below(BYTES);
        self.happened.push(format!("machine {at}: {what} after {after} bytes"));
        match what {
            0..=3 => self.edit(at),
            4 => self.sync(at),
            5 => {
                self.network.at(after, || {});
                self.sync(at);
            }
            6 => {
                self.network.at_answer(after, || {});
                self.sync(at);
            }
            7 => {
                self.machines[at].kill_sync(&self.network, after);
            }
            8 => self.kill_a_hub(at, after),
            _ => self.redact(at),
        }
        self.network.mend();
        self.note(at);
    }

    /// The primary dies within a sync, and the standby takes over.
    fn fail_over(&mut self) {
        let Kept::Twice(pair) = &self.database else { return };
        let at = self.random.below(self.machines.len() as u64) as usize;
        let after = self.random.below(BYTES);
        self.happened.push(format!("machine {at}: the primary dies after {after} bytes"));
        let happened = self.network.at(after, pair.fail_over());
        self.edit(at);
        self.sync(at);
        self.network.mend();
        if !happened.load(std::sync::atomic::Ordering::SeqCst) {
            let Kept::Twice(pair) = &self.database else { return };
            pair.fail_over()();
        }
        self.note(at);
    }

    fn edit(&mut self, at: usize) {
        let machine = &self.machines[at];
        for _ in 0..=self.random.below(4) {
            let path = format!("{}.md", self.random.below(5));
            if self.random.below(5) == 0 && machine.world.read(&path).is_some() {
                machine.world.remove(&path);
            } else {
                self.texts += 1;
                let text = format!("text {} of {at}\n", self.texts);
                machine.world.write(&path, text.repeat(1 + self.random.below(60) as usize));
            }
        }
        machine.world.scan();
    }

    /// A sync that may fail, as the network may.
    fn sync(&self, at: usize) {
        let Ok(synced) = self.machines[at].sync() else { return };
        let bad: Vec<_> =
            synced.problems.iter().filter(|problem| problem.code != HubFault::ClockSkew).collect();
        assert!(bad.is_empty(), "{bad:?}");
    }

    fn kill_a_hub(&mut self, at: usize, after: u64) {
        let which = self.random.below(2) as usize;
        let hubs = Arc::clone(&self.hubs);
        self.network.at(after, move || drop(hubs.lock().expect("nobody panics with it")[which].take()));
        self.sync(at);
        self.network.mend();
        let mut hubs = self.hubs.lock().expect("nobody panics with it");
        if hubs[which].is_none() {
            hubs[which] = Some(HubProcess::start(&self.database.url(), self.folder.path()));
        }
        let urls: Vec<&str> = hubs.iter().flatten().map(|hub| hub.url.as_str()).collect();
        self.network.turn_to(&urls);
    }

    fn redact(&mut self, at: usize) {
        let machine = &self.machines[at];
        let mut left = machine.world.log("");
        left.retain(|version| version.redacted_at.is_none());
        if left.is_empty() {
            return;
        }
        let version = &left[self.random.below(left.len() as u64) as usize];
        let (exit, _, errors) = machine.run(&["--quiet", "redact", &version.id]);
        // A redaction is one whether or not everything is purged already.
        assert!([0, 6].contains(&exit.0), "{errors}");
    }

    /// Notes what was acknowledged to a machine, as it knows it.
    fn note(&mut self, at: usize) {
        let status = self.machines[at].status();
        let store = &status.stores[0];
        let Some(head) = store.head.clone() else { return };
        let newest = self.acknowledged[at].last_key_value().map_or(0, |(seq, _)| *seq);
        assert!(store.acknowledged >= newest, "what was acknowledged is forgotten");
        let known = self.acknowledged[at].insert(store.acknowledged, head.clone());
        assert!(known.is_none_or(|known| known == head), "a head has another digest than before");
    }

    /// Mends everything, syncs everywhere, and compares.
    fn end(&mut self) {
        self.network.mend();
        for at in 0..self.machines.len() {
            let synced = self.machines[at].sync().expect("nothing is broken any more");
            let mut problems = synced.problems.iter().map(|problem| problem.code);
            assert!(problems.all(|code| code == HubFault::ClockSkew), "{:?}", synced.problems);
            self.note(at);
        }
        // What one machine's last sync asked of another is done by now.
        let seen: Vec<Vec<HubVersion>> = self.machines.iter().map(Machine::versions).collect();
        for (at, machine) in self.machines.iter().enumerate() {
            assert_eq!(
                format!("{:?}", seen[at]),
                format!("{:?}", seen[0]),
                "two machines see different versions"
            );
            self.compare(at, machine, &seen[0]);
        }
    }

    fn compare(&self, at: usize, machine: &Machine, seen: &[HubVersion]) {
        let id = machine.status().machine.expect("it joined");
        let at_hub: Vec<_> = seen.iter().filter(|version| version.machine == id).collect();
        let mut here = machine.world.log("");
        here.reverse();
        let told: Vec<_> = at_hub.iter().map(|version| (&version.path, &version.content_sha256)).collect();
        let kept: Vec<_> = here.iter().map(|version| (&version.path, &version.content_sha256)).collect();
        assert_eq!(told, kept, "machine {at} and the hub differ");
        for (place, version) in at_hub.iter().enumerate() {
            assert_eq!(version.seq, place as u64 + 1);
            let expected = match (&version.path, &version.content_sha256) {
                (None, _) => "redacted",
                (_, None) => "none",
                _ => "kept",
            };
            assert_eq!(version.content, expected, "{version:?}");
        }
        let bytes = MachineId::parse(&id).expect("an id").0;
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        for (seq, digest) in &self.acknowledged[at] {
            let sql = format!(
                "SELECT encode(digest, 'hex') FROM versions WHERE machine = decode('{hex}', 'hex') AND seq = {seq}"
            );
            assert_eq!(&self.database.query(&sql), digest, "machine {at}: link {seq} was acknowledged");
        }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("{}", self.happened.join("\n"));
        }
    }
}

#[test]
fn everybody_agrees_in_the_end() {
    let seeds = std::env::var("RETRACE_HUB_SEEDS").unwrap_or_else(|_| SEEDS.to_owned());
    let steps = std::env::var("RETRACE_HUB_STEPS").ok().and_then(|steps| steps.parse().ok()).unwrap_or(STEPS);
    for seed in seeds.split(',') {
        let seed = seed.trim().parse().expect("a seed is a number");
        let Some(database) = Postgres::database() else { return };
        println!("seed {seed}, {steps} steps");
        let mut model = Model::new(Kept::Alone(database), seed);
        for _ in 0..steps {
            model.step();
        }
        model.end();
    }
}

#[test]
fn everybody_agrees_after_the_primary_died() {
    let Some(pair) = Pair::start(true) else { return };
    let mut model = Model::new(Kept::Twice(pair), 3);
    for step in 0..STEPS / 2 {
        if step == STEPS / 4 {
            model.fail_over();
        }
        model.step();
    }
    model.end();
}

/// More versions than one batch holds, and a kill at each of several places in them.
#[test]
fn a_sync_that_is_killed_inside_a_batch_goes_on() {
    let Some(database) = Postgres::database() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let hub = HubProcess::start(&database.url(), folder.path());
    let network = Network::before(&[&hub.url]);
    let machine = Machine::new("a");
    machine.join(&network.url(), &hub.owner_token.clone().expect("a token")).expect("it joins");
    for file in 0..1_200 {
        machine.world.write(&format!("{}/{file}.md", file % 7), format!("fact {file}\n"));
    }
    assert_eq!(machine.world.scan(), 1_200);
    // In the first batch, in its answer, in the second one, in contents.
    for after in [200_000, 300_000, 60_000, 90_000] {
        machine.kill_sync(&network, after);
    }
    machine.synced();
    let seen = machine.versions();
    assert_eq!(seen.len(), 1_200);
    assert!(seen.iter().all(|version| version.content == "kept"));
}
