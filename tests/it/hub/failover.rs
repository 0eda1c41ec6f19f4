//! The database fails over while machines send: what was acknowledged is on both servers, or its loss is seen and mended.

use super::Machine;
use retrace_api::commands;
use retrace_api::wire::{HubFault, HubSyncReq, Nothing};
use retrace_hub::{HubOptions, Running};
use retrace_tests::network::Network;
use retrace_tests::postgres::Postgres;
use std::sync::{Arc, Mutex};

/// A primary with a streaming standby.
pub(super) struct Pair {
    primary: Arc<Mutex<Postgres>>,
    standby: Arc<Mutex<Postgres>>,
    url: String,
}

impl Pair {
    pub(super) fn start(synchronous: bool) -> Option<Self> {
        let primary = Postgres::start()?;
        let standby = primary.standby();
        if synchronous {
            primary.sql("postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'");
            primary.sql("postgres", "SELECT pg_reload_conf()");
        }
        let url = primary.url_with(&standby);
        let (primary, standby) = (Arc::new(Mutex::new(primary)), Arc::new(Mutex::new(standby)));
        Some(Self { primary, standby, url })
    }

    /// Both servers in one address.
    pub(super) fn url(&self) -> String {
        self.url.clone()
    }

    /// Asks the standby, which has everything that was acknowledged.
    pub(super) fn query_standby(&self, sql: &str) -> String {
        self.standby.lock().expect("nobody panics with it").query("postgres", sql)
    }

    /// Kills the primary and promotes the standby.
    pub(super) fn fail_over(&self) -> Box<dyn FnOnce() + Send> {
        let (primary, standby) = (Arc::clone(&self.primary), Arc::clone(&self.standby));
        Box::new(move || {
            primary.lock().expect("nobody panics with it").kill();
            standby.lock().expect("nobody panics with it").promote();
        })
    }
}

/// A hub that is pointed at both.
struct Served {
    pair: Pair,
    hub: Running,
    _folder: tempfile::TempDir,
}

impl Served {
    fn start(synchronous: bool) -> Option<Self> {
        let pair = Pair::start(synchronous)?;
        let folder = tempfile::tempdir().expect("a folder");
        let options = HubOptions::new(&pair.url(), &folder.path().join("hub.key"));
        let hub = retrace_hub::start(options).expect("a hub");
        Some(Self { pair, hub, _folder: folder })
    }
}

fn fails_over(
    register: impl FnOnce(&Network, Box<dyn FnOnce() + Send>) -> Arc<std::sync::atomic::AtomicBool>,
) {
    let Some(Served { pair, hub, _folder }) = Served::start(true) else { return };
    let network = Network::before(&[hub.url()]);
    let (a, b) = (Machine::new("a"), Machine::new("b"));
    a.join(&network.url(), hub.owner_token().expect("a token")).expect("it joins");
    b.join(&network.url(), &a.token()).expect("it joins");
    a.record("fact.md", "before\n");
    b.record("fact.md", "of b\n");
    a.synced();
    b.synced();
    for count in 0..20 {
        a.world.write(&format!("{count}.md"), format!("during {count}\n"));
    }
    a.world.scan();
    let happened = register(&network, pair.fail_over());
    a.synced();
    assert!(happened.load(std::sync::atomic::Ordering::SeqCst), "the primary was killed meanwhile");
    network.mend();
    b.record("fact.md", "after\n");
    b.synced();
    let seen = a.versions();
    assert_eq!(seen.len(), 23);
    assert!(seen.iter().all(|version| version.content == "kept"), "{seen:?}");
    assert_eq!(format!("{seen:?}"), format!("{:?}", b.versions()));
}

#[test]
fn the_primary_dies_while_versions_are_sent() {
    fails_over(|network, fail_over| network.at(5_000, fail_over));
}

#[test]
fn the_primary_dies_before_the_machine_hears_that_versions_were_taken() {
    fails_over(|network, fail_over| network.at_answer(8_000, fail_over));
}

#[test]
fn what_an_asynchronous_standby_lost_is_seen_and_sent_again() {
    let Some(Served { pair, hub, _folder }) = Served::start(false) else { return };
    let machine = Machine::new("a");
    machine.join(hub.url(), hub.owner_token().expect("a token")).expect("it joins");
    machine.record("fact.md", "both servers have it\n");
    machine.synced();
    {
        let (primary, mut standby) = (pair.primary.lock().expect("ours"), pair.standby.lock().expect("ours"));
        // The standby has everything up to here, and is gone while more is acknowledged.
        let place = primary.query("postgres", "SELECT pg_current_wal_lsn()");
        standby.wait_until("postgres", &format!("SELECT pg_last_wal_replay_lsn() >= '{place}'"));
        standby.kill();
    }
    machine.record("fact.md", "the primary alone has it\n");
    assert_eq!(machine.synced().stores[0].seq, 2);
    {
        let (mut primary, mut standby) =
            (pair.primary.lock().expect("ours"), pair.standby.lock().expect("ours"));
        primary.kill();
        standby.start_again();
        standby.promote();
    }
    let problems = machine.sync().expect("an answer").problems;
    assert_eq!(problems.iter().map(|problem| problem.code).collect::<Vec<_>>(), [HubFault::HubCut]);
    let resend = HubSyncReq { resend: true, ..HubSyncReq::default() };
    let synced = commands::hub_sync(&machine.world.app, resend).expect("a sync");
    assert!(synced.problems.is_empty(), "{:?}", synced.problems);
    let seen = machine.versions();
    assert_eq!(seen.len(), 2);
    assert!(seen.iter().all(|version| version.content == "kept"), "{seen:?}");
    assert!(machine.synced().problems.is_empty());
}

#[test]
fn a_redaction_names_the_replicas_that_stream_and_the_backups_that_stay() {
    let Some(Served { pair, hub, _folder }) = Served::start(true) else { return };
    let machine = Machine::new("a");
    machine.join(hub.url(), hub.owner_token().expect("a token")).expect("it joins");
    machine.record("fact.md", "what has to go\n");
    machine.synced();
    let version = machine.world.log("fact.md").remove(0).id;
    let (exit, _, errors) = machine.run(&["--quiet", "redact", &version, "--live"]);
    assert_eq!(exit.0, 0, "{errors}");
    machine.synced();
    let copies = || {
        let list = commands::hub_redactions(&machine.world.app, Nothing {}).expect("a list").copies;
        list.iter().map(|copy| copy.text().to_owned()).collect::<Vec<_>>().join("\n")
    };
    let said = copies();
    assert!(said.contains("Replicas that stream from the database: 1."), "{said}");
    assert!(said.contains("Backups made before keep it until they expire"), "{said}");
    assert!(said.contains("Dead rows stay"), "{said}");
    {
        let (primary, mut standby) = (pair.primary.lock().expect("ours"), pair.standby.lock().expect("ours"));
        // Without this a commit would wait for the standby that is gone.
        primary.sql("postgres", "ALTER SYSTEM RESET synchronous_standby_names");
        primary.sql("postgres", "SELECT pg_reload_conf()");
        standby.kill();
        primary.wait_until("postgres", "SELECT count(*) = 0 FROM pg_stat_replication");
    }
    assert!(copies().contains("No replica streams from the database now."), "{}", copies());
}
