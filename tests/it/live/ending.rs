//! Rules about the end of a session: it ended where its client does not say any more that it runs, or after half an hour in which
//! nothing was done; and it did not where it goes on.

use super::{PATIENCE, Session, broken, calls, wait_for};
use retrace_api::wire::{self, Event};
use retrace_api::{App, commands};
use retrace_model::Timestamp;
use retrace_tests::World;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::Receiver;

/// 2026-11-20T10:00:00Z and 23:00:00Z: before the first line of every session, and when it is written.
const BEFORE: i64 = 1_795_168_800_000_000;
const WRITTEN: i64 = 1_795_215_600_000_000;
const MINUTE: i64 = 60_000_000;

fn rules(world: &World) {
    world.record("build.md", "# Build\n- Push before you stop.\n- Use pnpm, never npm.\n");
    for rule in [
        json!({"kind": "at_end", "program": "git", "arguments": ["push"], "sentence": "Push before you stop.",
            "source": "notes:build.md:2"}),
        json!({"kind": "command_never", "program": "npm", "sentence": "Use pnpm, never npm.", "source": "notes:build.md:3"}),
    ] {
        commands::add_memory_rule(&world.app, wire::AddMemoryRule { rule, dismissed: false })
            .expect("a rule");
    }
}

/// What Claude Code keeps for a process, of a namespace that nobody can look into.
fn process(world: &World, number: u32, session: &str) -> PathBuf {
    let folder = world.path("home/.claude/sessions");
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join(format!("{number}.json"));
    let text = json!({"pid": number, "sessionId": session, "pidDomain": "linux:1:pid:[0]", "status": "idle"});
    std::fs::write(&file, text.to_string()).expect("a file");
    file
}

/// Waits until these breaks stand, the newest first.
fn wait_until(app: &App, events: &Receiver<Event>, expected: &[&str]) {
    while calls(&broken(app, true)) != expected {
        events.recv_timeout(PATIENCE).expect("a break is told or withdrawn");
    }
}

/// A world whose clock stands where it is set.
fn with_clock() -> (World, Arc<AtomicI64>) {
    let clock = Arc::new(AtomicI64::new(BEFORE));
    let given = Arc::clone(&clock);
    let now = move || Timestamp::from_micros(given.load(Ordering::SeqCst));
    (World::with(|options| options.clock = Arc::new(now)), clock)
}

#[test]
fn a_session_ends_when_its_client_says_no_more_that_it_runs() {
    let world = World::new();
    rules(&world);
    let events = world.app.subscribe();
    let (running, innocent) = (process(&world, 1, "aaaa"), process(&world, 2, "bbbb"));
    let recording = world.app.record(&[]).expect("it records");
    let mut session = Session::new(&world, "aaaa");
    let first = session.says("Change it.") + &session.writes("/home/ada/app/a.txt") + &session.tells("Done.");
    session.append(&first);
    let mut other = Session::new(&world, "bbbb");
    let text = other.says("Change it.")
        + &other.writes("/home/ada/app/b.txt")
        + &other.runs("git push")
        + &other.tells("Done.");
    other.append(&text);
    // That a turn ended is no end of a session: what is found first is found in what is done next.
    let next = session.says("Go on.") + &session.runs("npm ci") + &session.tells("Done.");
    session.append(&next);
    assert_eq!(calls(&wait_for(&world.app, &events, 1)), ["npm ci"]);
    std::fs::remove_file(&innocent).expect("it ran");
    std::fs::remove_file(&running).expect("it ran");
    let found = wait_for(&world.app, &events, 2);
    let end = &found[0];
    assert_eq!((end.what.as_str(), end.session.as_str(), end.at_end), ("git push", "aaaa", true));
    assert_eq!((end.turn, end.line, end.quiet_minutes), (Some(4), 6, None));
    assert_eq!((found[1].at_end, found[1].quiet_minutes), (false, None));
    // It is resumed, and goes on: it had not ended.
    let running = process(&world, 3, "aaaa");
    let more = session.says("Push it.") + &session.runs("git push");
    session.append(&more);
    wait_until(&world.app, &events, &["npm ci"]);
    let last = session.runs("npm test");
    session.append(&last);
    wait_for(&world.app, &events, 2);
    std::fs::remove_file(&running).expect("it ran");
    recording.stop();
    // While nothing recorded it was resumed and ended again: nothing is said of it before it was silent for long enough.
    let more =
        session.writes("/home/ada/app/c.txt") + &session.runs("npm run build") + &session.tells("Done.");
    session.append(&more);
    let recording = world.app.record(&[]).expect("it records");
    assert_eq!(calls(&wait_for(&world.app, &events, 3)), ["npm run build", "npm test", "npm ci"]);
    recording.stop();
    world.verify();
}

#[test]
fn a_session_in_which_nothing_is_done_for_half_an_hour_counts_as_ended() {
    let (world, clock) = with_clock();
    rules(&world);
    let events = world.app.subscribe();
    // Its directory is there when recording begins, so that it is watched from then on.
    process(&world, 1, "cccc");
    let recording = world.app.record(&[]).expect("it records");
    let mut session = Session::new(&world, "aaaa");
    let first = session.says("Change it.") + &session.writes("/home/ada/app/a.txt") + &session.tells("Done.");
    session.append(&first);
    // One whose turn did not end, one that its client says runs, one that pushed.
    let mut busy = Session::new(&world, "bbbb");
    let text = busy.says("Change it.") + &busy.writes("/home/ada/app/b.txt") + &busy.runs("cargo test");
    busy.append(&text);
    let mut waiting = Session::new(&world, "cccc");
    let text = waiting.says("Change it.") + &waiting.writes("/home/ada/app/c.txt") + &waiting.tells("Done.");
    waiting.append(&text);
    let mut innocent = Session::new(&world, "dddd");
    let text = innocent.says("Change it.")
        + &innocent.writes("/home/ada/app/d.txt")
        + &innocent.runs("git push")
        + &innocent.tells("Done.");
    innocent.append(&text);
    let mut other = Session::new(&world, "eeee");
    let mut breaks = |what: &str| {
        let line = other.runs(what);
        other.append(&line);
    };
    // Each is judged after everything that was judged with the one before. The clock stands before the lines until the first is told:
    // recording begins by it, on a thread of its own.
    breaks("npm ci");
    wait_for(&world.app, &events, 1);
    clock.store(WRITTEN + 29 * MINUTE, Ordering::SeqCst);
    breaks("npm test");
    wait_for(&world.app, &events, 2);
    clock.store(WRITTEN + 31 * MINUTE, Ordering::SeqCst);
    breaks("npm audit");
    let found = wait_for(&world.app, &events, 4);
    let end = found.iter().find(|one| one.at_end).expect("an end");
    assert_eq!((end.what.as_str(), end.session.as_str(), end.quiet_minutes), ("git push", "aaaa", Some(30)));
    recording.stop();
    // It goes on after all, while nothing records.
    let more = session.says("Go on.") + &session.runs("npm run lint");
    session.append(&more);
    let recording = world.app.record(&[]).expect("it records");
    wait_until(&world.app, &events, &["npm run lint", "npm audit", "npm test", "npm ci"]);
    recording.stop();
    world.verify();
}

#[test]
fn a_session_that_fell_silent_while_nothing_recorded_is_judged_afterwards_and_once() {
    let (world, clock) = with_clock();
    rules(&world);
    let events = world.app.subscribe();
    // Their directory is there when recording begins, so that it is watched from then on.
    let (mut other, mut session) = (Session::new(&world, "bbbb"), Session::new(&world, "aaaa"));
    let recording = world.app.record(&[]).expect("it records");
    // Judged no later than what is waited for.
    let text = other.says("Look.");
    other.append(&text);
    let first = session.says("Change it.")
        + &session.writes("/home/ada/app/a.txt")
        + &session.runs("npm ci")
        + &session.tells("Done.");
    session.append(&first);
    // The clock stands before the lines until they are read: recording begins by it, on a thread of its own.
    wait_for(&world.app, &events, 1);
    clock.store(WRITTEN + 5 * MINUTE, Ordering::SeqCst);
    recording.stop();
    clock.store(WRITTEN + 90 * MINUTE, Ordering::SeqCst);
    for count in 0..2 {
        let recording = world.app.record(&[]).expect("it records");
        let found = wait_for(&world.app, &events, 2 + count);
        assert_eq!(found.iter().filter(|one| one.at_end).count(), 1);
        assert_eq!(found.iter().find(|one| one.at_end).and_then(|one| one.quiet_minutes), Some(89));
        // Another break, so that what comes is judged after all that was there.
        let line = other.runs("npm test");
        other.append(&line);
        wait_for(&world.app, &events, 3 + count);
        recording.stop();
    }
}
