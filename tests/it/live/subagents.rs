//! Rules that concern a session with its subagents: what is told while it runs is what the ledger says.

use super::{Session, broken, calls, wait_for};
use retrace_api::commands;
use retrace_api::wire;
use retrace_tests::World;
use serde_json::json;

/// A subagent of a session, with a file of its own, whose lines come behind so many of the session's.
fn subagent(world: &World, of: &Session, id: &str) -> Session {
    let mut subagent = Session::new(world, id);
    let folder = of.file.with_extension("").join("subagents");
    std::fs::create_dir_all(&folder).expect("a folder");
    (subagent.file, subagent.lines) = (folder.join(format!("agent-{id}.jsonl")), of.lines);
    subagent
}

fn rules(world: &World) {
    for rule in [
        json!({"kind": "order", "before": "npm run lint", "after": "git commit", "sentence": "Lint before you commit."}),
        json!({"kind": "command_never", "program": "yarn", "sentence": "Never yarn."}),
    ] {
        commands::add_memory_rule(&world.app, wire::AddMemoryRule { rule, dismissed: false })
            .expect("a rule");
    }
}

fn of_ledger(world: &World) -> Vec<(String, bool)> {
    let request = wire::AdherenceReq { cases: true, ..wire::AdherenceReq::default() };
    let ledger = commands::adherence(&world.app, request).expect("a ledger").rules.remove(0);
    let broken = ledger.cases.into_iter().filter(|case| case.outcome == wire::RuleOutcome::Broken);
    broken.map(|case| (case.what, case.subagent)).collect()
}

#[test]
fn what_a_subagent_did_counts_for_what_its_session_does() {
    let world = World::new();
    rules(&world);
    let events = world.app.subscribe();
    let recording = world.app.record(&[]).expect("it records");
    // Linted before the subagent changed something: broken.
    let mut session = Session::new(&world, "aaaa");
    let text = session.says("Go on.") + &session.runs("npm run lint");
    session.append(&text);
    let mut helper = subagent(&world, &session, "a1");
    let text = helper.says("Change it.") + &helper.writes("/home/ada/app/a.txt") + &helper.tells("Done.");
    helper.append(&text);
    session.lines = helper.lines;
    let text = session.runs("git commit -m first");
    session.append(&text);
    assert_eq!(calls(&wait_for(&world.app, &events, 1)), ["git commit -m first"]);
    // Linted by the subagent: followed, as the next break shows, which is judged after it.
    let mut helper = subagent(&world, &session, "a2");
    let text = helper.says("Lint it.") + &helper.runs("npm run lint") + &helper.tells("Done.");
    helper.append(&text);
    session.lines = helper.lines;
    let text = session.runs("git commit -m second") + &session.runs("yarn");
    session.append(&text);
    assert_eq!(calls(&wait_for(&world.app, &events, 2)), ["yarn", "git commit -m first"]);
    // A subagent that commits is judged by what its session did.
    let text = session.writes("/home/ada/app/b.txt");
    session.append(&text);
    let mut helper = subagent(&world, &session, "a3");
    let text = helper.says("Commit it.") + &helper.runs("git commit -m third");
    helper.append(&text);
    let found = wait_for(&world.app, &events, 3);
    assert_eq!(
        (found[0].what.as_str(), found[0].subagent, found[0].session.as_str()),
        ("git commit -m third", true, "aaaa")
    );
    recording.stop();
    let told: Vec<_> = broken(&world.app, true)
        .into_iter()
        .filter(|one| one.what != "yarn")
        .map(|one| (one.what, one.subagent))
        .collect();
    assert_eq!(told, of_ledger(&world));
    // Nothing of it is told again, and what a subagent wrote meanwhile counts.
    session.lines = helper.lines;
    let mut helper = subagent(&world, &session, "a4");
    let text = helper.says("Lint it.") + &helper.runs("npm run lint") + &helper.tells("Done.");
    helper.append(&text);
    session.lines = helper.lines;
    let text = session.runs("git commit -m fourth") + &session.runs("yarn add x");
    session.append(&text);
    let recording = world.app.record(&[]).expect("it records");
    let found = wait_for(&world.app, &events, 4);
    assert_eq!(found[0].what, "yarn add x");
    recording.stop();
    world.verify();
}

#[test]
fn a_push_of_a_subagent_ends_its_session_well() {
    let world = World::new();
    for rule in [
        json!({"kind": "at_end", "program": "git", "arguments": ["push"], "sentence": "Push before you stop."}),
        json!({"kind": "command_never", "program": "npm", "sentence": "Never use npm."}),
    ] {
        commands::add_memory_rule(&world.app, wire::AddMemoryRule { rule, dismissed: false })
            .expect("a rule");
    }
    let events = world.app.subscribe();
    let folder = world.path("home/.claude/sessions");
    std::fs::create_dir_all(&folder).expect("a folder");
    let process = |number: u32, session: &str| {
        let file = folder.join(format!("{number}.json"));
        let text =
            json!({"pid": number, "sessionId": session, "pidDomain": "linux:1:pid:[0]", "status": "idle"});
        std::fs::write(&file, text.to_string()).expect("a file");
        file
    };
    let running = [process(1, "aaaa"), process(2, "bbbb")];
    let recording = world.app.record(&[]).expect("it records");
    for (id, at_last) in [("aaaa", "git push"), ("bbbb", "touch /home/ada/app/b")] {
        let mut session = Session::new(&world, id);
        let text =
            session.says("Change it.") + &session.writes("/home/ada/app/a") + &session.runs("git push");
        session.append(&text);
        let mut helper = subagent(&world, &session, &format!("{id}1"));
        let text = helper.says("Go on.") + &helper.writes("/home/ada/app/c") + &helper.runs(at_last);
        helper.append(&text);
        session.lines = helper.lines;
        let text = session.tells("Done.") + &session.says("Go on.");
        let text = text + &session.runs("npm ci") + &session.tells("Done.");
        session.append(&text);
    }
    // Both are read while they run.
    wait_for(&world.app, &events, 2);
    running.iter().for_each(|file| std::fs::remove_file(file).expect("it ran"));
    let found = wait_for(&world.app, &events, 3);
    let at_end: Vec<_> = found.iter().filter(|one| one.at_end).collect();
    assert_eq!(at_end.iter().map(|one| one.session.as_str()).collect::<Vec<_>>(), ["bbbb"]);
    assert!(!at_end[0].subagent);
    recording.stop();
    world.verify();
}
