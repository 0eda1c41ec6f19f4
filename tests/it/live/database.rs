//! Sessions in a database (opencode) are followed as transcripts in files are.

use super::{PATIENCE, broken, calls, never_npm, wait_for};
use retrace_api::commands;
use retrace_api::wire;
use retrace_tests::World;
use rusqlite::{Connection, params};
use serde_json::{Value, json};

/// 2026-11-20T23:00:00Z, in milliseconds: after everything that the test clock dates.
const LATER: i64 = 1_795_215_600_000;

/// A database as opencode keeps it, with its writer open: each change is one transaction.
struct Database {
    connection: Connection,
    /// False for one of a version that keeps no list of changes.
    has_list: bool,
    now: i64,
}

impl Database {
    fn new(world: &World, has_list: bool) -> Self {
        let folder = world.path("home/.local/share/opencode");
        std::fs::create_dir_all(&folder).expect("a folder");
        let connection = Connection::open(folder.join("opencode.db")).expect("a database");
        connection
            .execute_batch(
                "PRAGMA journal_mode = WAL;
                 CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, version TEXT,
                    agent TEXT, cost REAL, time_created INTEGER, time_updated INTEGER);
                 CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
                 CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER,
                    time_updated INTEGER, data TEXT);
                 CREATE INDEX part_of_message ON part (message_id, id);",
            )
            .expect("its tables");
        if has_list {
            connection
                .execute_batch(
                    "CREATE TABLE event_sequence (aggregate_id TEXT PRIMARY KEY, seq INTEGER NOT NULL);
                     CREATE TABLE event (id TEXT PRIMARY KEY, aggregate_id TEXT, seq INTEGER, type TEXT, data TEXT);",
                )
                .expect("its list of changes");
        }
        Self { connection, has_list, now: LATER }
    }

    /// Makes changes of a session, each with what the list says of it, in one transaction.
    fn change(&mut self, session: &str, changes: &[(&str, Value)], work: impl FnOnce(&Connection, i64)) {
        self.now += 1;
        let now = self.now;
        let act = self.connection.transaction().expect("a transaction");
        work(&act, now);
        act.execute("UPDATE session SET time_updated = ?2 WHERE id = ?1", params![session, now])
            .expect("its time");
        for (kind, data) in changes.iter().filter(|_| self.has_list) {
            act.execute(
                "INSERT INTO event_sequence VALUES (?1, 0) ON CONFLICT DO UPDATE SET seq = seq + 1",
                [session],
            )
            .expect("a number");
            act.execute(
                "INSERT INTO event SELECT hex(randomblob(8)), aggregate_id, seq, ?2, ?3 FROM event_sequence WHERE aggregate_id = ?1",
                params![session, kind, data.to_string()],
            )
            .expect("a change");
        }
        act.commit().expect("it is written");
    }

    fn session(&mut self, id: &str) {
        let info = json!({"sessionID": id, "info": {"id": id}});
        self.change(id, &[("session.created.1", info)], |act, now| {
            act.execute(
                "INSERT INTO session VALUES (?1, NULL, '/home/ada/app', 'A port', '1.18.33', 'build', 0, ?2, ?2)",
                params![id, now],
            )
            .expect("a session");
        });
    }

    /// A message as it is now, with its parts.
    fn message(&mut self, session: &str, number: u32, role: &str, parts: &[Value]) {
        let id = format!("msg_{session}_{number:03}");
        let created = LATER + i64::from(number) * 1_000;
        let data = json!({"role": role, "modelID": "claude-sonnet-4-5", "time": {"created": created},
            "tokens": {"input": 5, "output": 5}});
        let part_id = |at: usize| format!("prt_{session}_{number:03}_{at:02}");
        let mut changes =
            vec![("message.updated.1", json!({"sessionID": session, "info": {"id": id, "role": role}}))];
        for at in 0..parts.len() {
            let part = json!({"id": part_id(at), "messageID": id});
            changes.push(("message.part.updated.1", json!({"sessionID": session, "part": part})));
        }
        self.change(session, &changes, |act, now| {
            act.execute(
                "INSERT INTO message VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE SET time_updated = ?4, data = ?5",
                params![id, session, created, now, data.to_string()],
            )
            .expect("a message");
            for (at, part) in parts.iter().enumerate() {
                act.execute(
                    "INSERT INTO part VALUES (?1, ?2, ?3, ?4, ?4, ?5) ON CONFLICT DO UPDATE SET time_updated = ?4, data = ?5",
                    params![part_id(at), id, session, now, part.to_string()],
                )
                .expect("a part");
            }
        });
    }

    fn says(&mut self, session: &str, number: u32, text: &str) {
        self.message(session, number, "user", &[json!({"type": "text", "text": text})]);
    }

    /// An answer with one call that ended.
    fn runs(&mut self, session: &str, number: u32, command: &str) {
        self.message(session, number, "assistant", &[shell(session, number, "completed", command)]);
    }

    fn take_back(&mut self, session: &str, number: u32) {
        let id = format!("msg_{session}_{number:03}");
        let change = json!({"sessionID": session, "messageID": id});
        self.change(session, &[("message.removed.1", change)], |act, _| {
            act.execute("DELETE FROM part WHERE message_id = ?1", [&id]).expect("its parts");
            act.execute("DELETE FROM message WHERE id = ?1", [&id]).expect("the message");
        });
    }
}

fn tool(call: &str, name: &str, status: &str, input: &Value) -> Value {
    json!({"type": "tool", "callID": call, "tool": name,
        "state": {"status": status, "input": input, "output": "", "time": {"start": LATER, "end": LATER}}})
}

fn shell(session: &str, number: u32, status: &str, command: &str) -> Value {
    let input = if status == "pending" { json!({}) } else { json!({"command": command}) };
    tool(&format!("call_{session}_{number}"), "bash", status, &input)
}

/// What the ledger over the whole session says was broken.
fn ledger(world: &World) -> Vec<(String, Option<u64>, u64)> {
    let request = wire::AdherenceReq { cases: true, ..wire::AdherenceReq::default() };
    let rules = commands::adherence(&world.app, request).expect("a ledger").rules;
    let cases = rules.into_iter().flat_map(|rule| rule.cases);
    let broken = cases.filter(|case| case.outcome == wire::RuleOutcome::Broken);
    broken.map(|case| (case.what, case.turn, case.line)).collect()
}

fn told(found: &[wire::BrokenRule]) -> Vec<(String, Option<u64>, u64)> {
    found.iter().map(|one| (one.what.clone(), one.turn, one.line)).collect()
}

#[test]
fn a_break_in_a_database_is_found_as_its_call_is_made() {
    let world = World::new();
    never_npm(&world);
    let events = world.app.subscribe();
    let mut database = Database::new(&world, true);
    // What was there before is no news.
    database.now = LATER - 100 * 86_400_000;
    database.session("ses_old");
    database.runs("ses_old", 1, "npm install");
    database.now = LATER;
    let recording = world.app.record(&[]).expect("it records");
    database.session("ses_1");
    database.says("ses_1", 1, "Set it up.");
    // The call is known before its command is; then it runs, and it is told before it ends.
    database.message("ses_1", 2, "assistant", &[shell("ses_1", 2, "pending", "")]);
    database.message("ses_1", 2, "assistant", &[shell("ses_1", 2, "running", "npm ci")]);
    let found = wait_for(&world.app, &events, 1);
    let one = &found[0];
    assert_eq!(
        (one.what.as_str(), one.session.as_str(), one.turn, one.line),
        ("npm ci", "ses_1", Some(1), 3)
    );
    database.message("ses_1", 2, "assistant", &[shell("ses_1", 2, "completed", "npm ci")]);
    database.runs("ses_1", 3, "echo npm");
    let two = [
        json!({"type": "text", "text": "I test it."}),
        tool("call_4a", "bash", "completed", &json!({"command": "pnpm test"})),
        tool("call_4b", "bash", "running", &json!({"command": "npm test"})),
    ];
    database.message("ses_1", 4, "assistant", &two);
    let found = wait_for(&world.app, &events, 2);
    assert_eq!(calls(&found), ["npm test", "npm ci"]);
    let mut by_ledger = ledger(&world);
    by_ledger.retain(|(what, ..)| what != "npm install");
    assert_eq!(told(&found), by_ledger);
    recording.stop();
    world.verify();
}

#[test]
fn what_a_fork_in_a_database_repeats_is_found_and_counted_once() {
    let world = World::new();
    never_npm(&world);
    let events = world.app.subscribe();
    let mut database = Database::new(&world, true);
    let recording = world.app.record(&[]).expect("it records");
    // Answers of one step each, as opencode keeps them: a fork has all of it under other ids.
    let steps = |session: &str, number: u32, command: &str| {
        let tokens = json!({"input": 5 + number, "output": 5, "cache": {"read": 0, "write": 0}});
        vec![
            json!({"type": "step-start"}),
            shell(session, number, "completed", command),
            json!({"type": "step-finish", "tokens": tokens}),
        ]
    };
    let mut fork = |session: &str, own: &str| {
        database.session(session);
        database.says(session, 1, "Set it up.");
        database.message(session, 2, "assistant", &steps("ses_1", 2, "npm ci"));
        if !own.is_empty() {
            let number = u32::try_from((database.now - LATER) / 1_000).expect("a small number") + 1;
            database.message(session, number, "assistant", &steps(session, number, own));
        }
        database.now += 3_600_000;
    };
    fork("ses_1", "");
    wait_for(&world.app, &events, 1);
    fork("ses_2", "npm test");
    fork("ses_0", "npm run lint");
    let found = wait_for(&world.app, &events, 3);
    let mut what: Vec<_> = found.iter().map(|one| (one.what.as_str(), one.session.as_str())).collect();
    what.sort_unstable();
    assert_eq!(what, [("npm ci", "ses_1"), ("npm run lint", "ses_0"), ("npm test", "ses_2")]);
    let mut by_ledger: Vec<_> = ledger(&world).into_iter().map(|(what, ..)| what).collect();
    by_ledger.sort_unstable();
    assert_eq!(by_ledger, ["npm ci", "npm run lint", "npm test"]);
    recording.stop();
}

#[test]
fn what_a_database_got_while_nothing_recorded_is_found_once() {
    let world = World::new();
    let mut database = Database::new(&world, true);
    database.session("ses_1");
    database.says("ses_1", 1, "Set it up.");
    database.runs("ses_1", 2, "npm ci");
    never_npm(&world);
    let events = world.app.subscribe();
    let recording = world.app.record(&[]).expect("it records");
    wait_for(&world.app, &events, 1);
    recording.stop();
    // The message goes on, and another session begins.
    let more = [
        shell("ses_1", 2, "completed", "npm ci"),
        tool("call_more", "bash", "completed", &json!({"command": "npm test"})),
    ];
    database.message("ses_1", 2, "assistant", &more);
    database.session("ses_2");
    database.runs("ses_2", 1, "npm run lint");
    let recording = world.app.record(&[]).expect("it records");
    let found = wait_for(&world.app, &events, 3);
    let mut what = calls(&found);
    what.sort_unstable();
    assert_eq!(what, ["npm ci", "npm run lint", "npm test"]);
    recording.stop();
    // Without what is kept beside the log nothing is told again.
    std::fs::remove_file(world.path("data/live.index")).expect("it was kept");
    let recording = world.app.record(&[]).expect("it records");
    database.runs("ses_1", 3, "npm run build");
    let found = wait_for(&world.app, &events, 4);
    assert_eq!(found[0].what, "npm run build");
    recording.stop();
}

#[test]
fn a_verdict_of_a_database_is_withdrawn_and_what_is_taken_back_stays() {
    let world = World::new();
    world.record("build.md", "# Build\n- Run lint before you ship.\n- Use pnpm, never npm.\n");
    for rule in [
        json!({"kind": "order", "before": "lint", "after": "ship", "sentence": "Run lint before you ship.", "source": "notes:build.md:2"}),
        json!({"kind": "command_never", "program": "npm", "sentence": "Use pnpm, never npm.", "source": "notes:build.md:3"}),
    ] {
        commands::add_memory_rule(&world.app, wire::AddMemoryRule { rule, dismissed: false })
            .expect("a rule");
    }
    let events = world.app.subscribe();
    let recording = world.app.record(&[]).expect("it records");
    // The database comes while recording runs.
    let mut database = Database::new(&world, true);
    database.session("ses_1");
    database.says("ses_1", 1, "Ship it.");
    database.runs("ses_1", 2, "lint");
    let write = |status: &str| {
        tool("call_w", "write", status, &json!({"filePath": "/home/ada/app/a.txt", "content": "a\n"}))
    };
    let ship = tool("call_s", "bash", "running", &json!({"command": "ship"}));
    database.message("ses_1", 3, "assistant", &[write("running"), ship.clone()]);
    assert_eq!(calls(&wait_for(&world.app, &events, 1)), ["ship"]);
    // The file was not written: lint had run since the last edit.
    database.message("ses_1", 3, "assistant", &[write("error"), ship]);
    loop {
        if broken(&world.app, true).is_empty() {
            break;
        }
        events.recv_timeout(PATIENCE).expect("it is withdrawn");
    }
    // What the person takes back was done all the same.
    database.runs("ses_1", 4, "npm ci");
    assert_eq!(calls(&wait_for(&world.app, &events, 1)), ["npm ci"]);
    database.take_back("ses_1", 4);
    database.runs("ses_1", 5, "npm test");
    assert_eq!(calls(&wait_for(&world.app, &events, 2)), ["npm test", "npm ci"]);
    recording.stop();
}

#[test]
fn a_database_without_a_list_of_changes_is_read_whole() {
    let world = World::new();
    never_npm(&world);
    let events = world.app.subscribe();
    let mut database = Database::new(&world, false);
    let recording = world.app.record(&[]).expect("it records");
    database.session("ses_1");
    database.says("ses_1", 1, "Set it up.");
    database.runs("ses_1", 2, "npm ci");
    wait_for(&world.app, &events, 1);
    database.runs("ses_1", 3, "npm test");
    let found = wait_for(&world.app, &events, 2);
    assert_eq!(calls(&found), ["npm test", "npm ci"]);
    assert_eq!(told(&found), ledger(&world));
    recording.stop();
}
