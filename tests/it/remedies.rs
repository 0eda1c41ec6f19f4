//! The remedies of a finding mend it: each act is previewed, done, takes the finding away, and comes back by `undo`.
//! And a memory of more than a mebibyte is checked and counted like any other.

use retrace_api::{commands, wire};
use retrace_tests::World;

/// The findings of the store, files and changes.
fn findings(world: &World) -> Vec<wire::Finding> {
    let request = wire::FindingsReq { store: "notes".to_owned(), ..wire::FindingsReq::default() };
    commands::findings(&world.app, request).expect("findings").findings
}

fn of(world: &World, rule: &str) -> Option<wire::Finding> {
    findings(world).into_iter().find(|finding| finding.rule == rule)
}

/// Does what a remedy says, or with `dry_run` asks what it would do.
fn carry_out(world: &World, finding: &wire::Finding, dry_run: bool) -> Option<wire::ActResult> {
    let (store, path) = ("notes".to_owned(), finding.path.clone());
    let app = &world.app;
    let result = match finding.remedies.first()?.clone() {
        wire::Remedy::PutBack { operation, path, deleted } => {
            let operation_seq = Some(operation);
            let request =
                wire::RollbackReq { operation_seq, path, deleted, dry_run, ..wire::RollbackReq::default() };
            commands::rollback(app, request)
        }
        wire::Remedy::StripCharacter { rule, start, .. } => {
            let (rule, start) = (Some(rule), Some(start));
            let request = wire::StripCharactersReq {
                store,
                path,
                rule,
                start,
                dry_run,
                ..wire::StripCharactersReq::default()
            };
            commands::strip_characters(app, request)
        }
        wire::Remedy::MoveLines { from, to } => {
            let (line, end_line, to) = (from, Some(to), "more.md".to_owned());
            let request = wire::MoveEntryReq {
                store,
                path,
                line,
                end_line,
                to,
                dry_run,
                ..wire::MoveEntryReq::default()
            };
            commands::move_entry(app, request)
        }
        wire::Remedy::Redact { rule, start } => {
            let finding = Some(wire::FindingPlace { store, path, rule, start });
            let request = wire::RedactReq { finding, live: true, dry_run, ..wire::RedactReq::default() };
            commands::redact(app, request)
        }
        wire::Remedy::Reach { .. } | wire::Remedy::Open { .. } => return None,
    };
    Some(result.expect("it is done"))
}

/// Put together here, so that no scanner takes this file for a leak.
fn token() -> String {
    format!("{}_{}", "ghp", "q7Rt2mZx9Lk4Vb8Nw3Ys6Jd1Hf5Gc0PaTeUo")
}

#[test]
fn the_first_act_of_a_finding_mends_it_and_comes_back() {
    let world = World::new();
    for number in 0..8 {
        world.write(&format!("{number}.md"), format!("memory {number}\n"));
    }
    let index: String = (1..=230).map(|number| format!("- fact {number}\n")).collect();
    world.write("MEMORY.md", index);
    world.write("hidden.md", "one\u{200b}two\u{202e}three\ncaf\u{e9}\u{e0041}\u{e0042}\n");
    world.scan();
    for number in 0..7 {
        world.remove(&format!("{number}.md"));
    }
    world.scan();
    for rule in ["events/mass-delete", "limits/index-cut", "hidden/zero-width", "hidden/bidi", "hidden/tag"] {
        let finding = of(&world, rule).unwrap_or_else(|| panic!("{rule} is found"));
        let preview = carry_out(&world, &finding, true).expect("an act");
        assert_eq!((preview.operation_seq, preview.conflicts.len()), (None, 0), "{rule}");
        assert!(of(&world, rule).is_some(), "a preview does nothing: {rule}");
        let done = carry_out(&world, &finding, false).expect("an act");
        assert!(done.operation_seq.is_some(), "{rule}");
        assert!(of(&world, rule).is_none(), "{rule} is mended");
        commands::undo(&world.app, wire::UndoReq::default()).expect("it comes back");
        if rule != "events/mass-delete" {
            assert!(of(&world, rule).is_some(), "{rule} is there again");
        }
    }
    let request = wire::StripCharactersReq {
        store: "notes".to_owned(),
        path: "hidden.md".to_owned(),
        ..wire::StripCharactersReq::default()
    };
    commands::strip_characters(&world.app, request.clone()).expect("all of them");
    assert_eq!(world.read("hidden.md").as_deref(), Some("onetwothree\ncaf\u{e9}\n"));
    let nothing = commands::strip_characters(&world.app, request.clone()).expect_err("nothing is left");
    assert_eq!(nothing.code, wire::Code::NotFound);
    let other = wire::StripCharactersReq { rule: Some("secret/github".to_owned()), ..request };
    assert_eq!(commands::strip_characters(&world.app, other).expect_err("no").code, wire::Code::Invalid);
    assert_eq!(world.scan(), 0, "the log says what the disk says");
}

#[test]
fn what_a_finding_is_about_is_put_back_and_nothing_beside_it() {
    let world = World::new();
    let index: String = (1..=40).map(|number| format!("- fact {number}\n")).collect();
    world.write("MEMORY.md", index);
    (0..8).for_each(|number| world.write(&format!("{number}.md"), format!("memory {number}\n")));
    world.scan();
    (0..7).for_each(|number| world.remove(&format!("{number}.md")));
    world.write("MEMORY.md", "- fact 1\n");
    world.write("new.md", "new\n");
    world.write("7.md", "changed\n");
    world.scan();
    let put_back = |rule: &str| {
        let finding = of(&world, rule).unwrap_or_else(|| panic!("{rule} is found"));
        carry_out(&world, &finding, false).expect("an act")
    };
    let done = put_back("events/mass-delete");
    assert_eq!((done.writes.len(), done.deletes.len()), (7, 0), "{done:?}");
    let done = put_back("events/index-shrank");
    assert_eq!((done.writes.len(), done.deletes.len()), (1, 0), "{done:?}");
    assert_eq!(world.read("new.md").as_deref(), Some("new\n"));
    assert_eq!(world.read("7.md").as_deref(), Some("changed\n"));
    let request = wire::RollbackReq { deleted: true, ..wire::RollbackReq::default() };
    let refused = commands::rollback(&world.app, request).expect_err("of which operation?");
    assert_eq!(refused.code, wire::Code::Invalid);
    let operation_seq = Some(1);
    let request = wire::RollbackReq { operation_seq, deleted: true, ..wire::RollbackReq::default() };
    assert_eq!(
        commands::rollback(&world.app, request).expect_err("it deleted nothing").code,
        wire::Code::NotFound
    );
}

#[test]
fn a_newer_edit_stops_the_removal_of_a_character() {
    let world = World::new();
    world.record("a.md", "one\u{200b}two\n");
    let finding = of(&world, "hidden/zero-width").expect("it is found");
    world.write("a.md", "newer \u{200b} text\n");
    let stopped = carry_out(&world, &finding, false).expect("an answer");
    assert_eq!((stopped.conflicts.len(), stopped.operation_seq), (1, None));
    assert_eq!(world.read("a.md").as_deref(), Some("newer \u{200b} text\n"));
}

#[test]
fn a_key_is_redacted_exactly_without_being_named() {
    let world = World::new();
    world.record("keys.md", format!("the token is `{}` for now\n", token()));
    let finding = of(&world, "secret/github").expect("it is found");
    let shown = serde_json::to_string(&finding).expect("JSON");
    assert!(!shown.contains(&token()[4..12]), "{shown}");
    let done = carry_out(&world, &finding, false).expect("an act");
    assert!(done.receipt.is_some());
    let left = world.read("keys.md").expect("a file");
    assert!(left.starts_with("the token is `") && left.ends_with("` for now\n"), "{left}");
    assert!(!left.contains(&token()) && of(&world, "secret/github").is_none());
}

#[test]
fn a_memory_of_more_than_a_mebibyte_is_checked_and_counted() {
    let world = World::new();
    let mut text: String = (0..60_000).map(|number| format!("fact {number} of many\n")).collect();
    text.push_str(&format!("the token is {}\n", token()));
    assert!(text.len() > 1 << 20);
    world.record("large.md", &text);
    let inbox = commands::inbox(&world.app, wire::InboxReq::default()).expect("the inbox");
    let item = &inbox.groups[0].items[0];
    assert_eq!((item.added, item.removed), (Some(60_001), Some(0)));
    assert!(item.tokens.is_some_and(|tokens| tokens > 100_000), "{:?}", item.tokens);
    assert!(item.findings.iter().any(|finding| finding.rule == "secret/github"), "{:?}", item.findings);
    assert_eq!(item.kind.class, "topic");
}

#[test]
fn a_text_made_to_have_very_many_findings_is_listed_in_part_and_counted_whole() {
    let world = World::new();
    world.record("usual.md", "nothing\n");
    world.record("many.md", "a\u{200b}".repeat(5_000));
    let count = |findings: &[wire::Finding]| findings.iter().map(wire::Finding::count).sum::<u64>();
    let inbox = commands::inbox(&world.app, wire::InboxReq::default()).expect("an inbox");
    let item = inbox
        .groups
        .iter()
        .flat_map(|group| &group.items)
        .find(|item| item.path.as_deref() == Some("many.md"));
    let item = item.expect("an item");
    assert_eq!((count(&item.findings), item.findings.len()), (5_000, 1_000));
    let health = commands::health(&world.app, wire::HealthReq { store: None, loads: false }).expect("health");
    let findings: Vec<_> = health.findings.iter().map(|found| found.finding.clone()).collect();
    assert_eq!((count(&findings), findings.len(), health.warnings), (5_000, 1_000, 5_000));
    let checked = commands::check(
        &world.app,
        wire::CheckReq { target: "notes".to_owned(), ..wire::CheckReq::default() },
    );
    let checked = checked.expect("a check");
    assert_eq!((count(&checked.findings), checked.findings.len(), checked.warnings), (5_000, 1_000, 5_000));
    // An act is about every place, also about those that are not listed.
    let strip = wire::StripCharactersReq {
        store: "notes".to_owned(),
        path: "many.md".to_owned(),
        ..Default::default()
    };
    commands::strip_characters(&world.app, strip).expect("all of them");
    assert_eq!(world.read("many.md"), Some("a".repeat(5_000)));
}
