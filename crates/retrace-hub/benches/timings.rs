//! Whether the time of an answer tells what is in another organisation: each request is asked for what is there and for what is
//! nowhere, by turns in random order.
//!
//! `cargo bench -p retrace-hub --bench timings [-- PAIRS ROWS]`: pairs for each request, and versions of the other organisation. Needs
//! PostgreSQL from the system.

#![allow(clippy::print_stdout, reason = "figures are printed")]

#[allow(dead_code, reason = "it is shared with another benchmark, which uses the rest")]
mod support;

use retrace_model::{MachineId, StoreId};
use retrace_sync::roles::REQUESTS;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use support::{Connection, Hub, Machine, OWNERS, Postgres, asked, fill};

/// Requests that end what is measured, or answer more with each turn.
const LEFT_OUT: [&str; 4] = ["leave", "role", "remove", "audit"];

fn main() {
    let Some([pairs, rows]) = asked([400, 200_000]) else { return };
    let Some(postgres) = Postgres::start() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let hub = Hub::start(&postgres, folder.path());
    let owner = Machine::join(&hub, &hub.token, 1);
    // Another organisation in the same database, as a process that was started for it serves it.
    postgres.sql("postgres", "UPDATE hub SET org = '\\xffffffffffffffffffffffffffffffff'");
    let second = Hub::start(&postgres, folder.path());
    let stranger = Machine::join(&second, &second.token, 2);
    fill(&postgres, stranger.org, rows / OWNERS);
    // The first of those that the rows are of.
    let mut id = [0; 16];
    id[8..].copy_from_slice(&1_001_u64.to_be_bytes());
    let there = bodies(&StoreId(id).to_string(), &MachineId(id).to_string());
    let nowhere = bodies(&StoreId([7; 16]).to_string(), &MachineId([7; 16]).to_string());

    let mut random = Random(1);
    let mut connection = Connection::to(&hub.url);
    let mut time = |name: &str, body: &Value| {
        let request = owner.signed(name, body);
        let began = Instant::now();
        let (status, _) = connection.ask(&request);
        (began.elapsed(), status)
    };
    let (mut asked, mut most) = (0, 0.0_f64);
    for (name, _) in REQUESTS.iter().filter(|(name, _)| !LEFT_OUT.contains(name)) {
        for (there, nowhere) in there.iter().zip(&nowhere) {
            let (mut of_there, mut of_nowhere) = (Vec::new(), Vec::new());
            for _ in 0..pairs {
                let there_first = random.next().is_multiple_of(2);
                let first = time(name, if there_first { there } else { nowhere });
                let second = time(name, if there_first { nowhere } else { there });
                let (there, nowhere) = if there_first { (first, second) } else { (second, first) };
                assert_eq!(there.1, nowhere.1, "{name}: the status tells");
                of_there.push(there.0);
                of_nowhere.push(nowhere.0);
            }
            let told = ranks(&of_there, &of_nowhere);
            asked += 1;
            most = most.max(told.abs());
            println!(
                "{name}: there {:.2} ms, nowhere {:.2} ms, z {told:+.1}",
                median(of_there),
                median(of_nowhere)
            );
        }
    }
    println!("{asked} requests, {pairs} pairs each, {rows} versions there: the largest |z| is {most:.1}");
}

/// Bodies that name a store and a machine in every field that a request may take them from.
fn bodies(store: &str, machine: &str) -> [Value; 2] {
    let all = json!({
        "store": store, "machine": machine, "version": store, "id": store, "a": store, "b": store,
        "limit": 100, "after": null, "seq": 1, "local_seqs": [1], "time": 0, "role": "writer", "key": "transcripts",
        "value": "nothing", "text": "x", "person": "p", "path": null, "content": true, "versions": [], "contents": [],
        "kind": "rollback", "name": "x", "memory": store, "to_carry_out": true, "since": null,
    });
    [all, json!({ "after": format!("{store}.{machine}.0"), "limit": 100, "machine": machine })]
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1_000.0
}

/// The rank sum test of Wilcoxon, by its normal approximation: by chance alone its amount is below 2 in 95 of 100 cases, and below
/// 4 but for one of 16,000.
fn ranks(one: &[Duration], other: &[Duration]) -> f64 {
    let mut all: Vec<(Duration, bool)> = one.iter().map(|time| (*time, true)).collect();
    all.extend(other.iter().map(|time| (*time, false)));
    all.sort_unstable();
    let of_one = all.iter().enumerate().filter(|(_, (_, is_one))| *is_one);
    let sum: f64 = of_one.map(|(rank, _)| rank as f64 + 1.0).sum();
    let (n, m) = (one.len() as f64, other.len() as f64);
    let expected = n * (n + m + 1.0) / 2.0;
    (sum - expected) / (n * m * (n + m + 1.0) / 12.0).sqrt()
}
