//! Taking content out of history, and the proof.

use base64::Engine as _;
use retrace_api::{commands, wire};
use retrace_tests::{World, holds_bytes};

const SECRET: &str = "sk_live_4eC39HqLyjWDarjtT1zdp7dc";

fn by_secret(live: bool, dry_run: bool) -> wire::RedactReq {
    wire::RedactReq {
        secret_base64: Some(base64::engine::general_purpose::STANDARD.encode(SECRET)),
        live,
        dry_run,
        reason: Some("payment key".to_owned()),
        ..wire::RedactReq::default()
    }
}

fn with_secret() -> World {
    let world = World::new();
    world.record("keys.md", format!("# Keys\n\nsigning key is {SECRET}, rotate it\n"));
    world.record("keys.md", format!("# Keys\n\nsigning key is {SECRET}, rotate it soon\n"));
    world.record("clean.md", "nothing to hide\n");
    world
}

fn search(world: &World, query: &str, history: bool) -> usize {
    let request = wire::SearchReq { query: query.to_owned(), history, ..wire::SearchReq::default() };
    commands::search(&world.app, request).expect("a search").hits.len()
}

#[test]
fn a_preview_is_masked_and_changes_nothing() {
    let world = with_secret();
    let preview = commands::redact(&world.app, by_secret(true, true)).expect("a preview");
    let text = serde_json::to_string(&preview).expect("JSON");
    assert!(!text.contains(SECRET), "{text}");
    assert_eq!(preview.matches.iter().filter(|found| found.place == "version").count(), 2);
    let live = preview.matches.iter().find(|found| found.place == "live").expect("the live file");
    assert_eq!((live.line, live.action.as_str()), (Some(3), "replace_in_place"));
    assert!(
        live.masked
            .as_deref()
            .is_some_and(|line| line.starts_with("signing key is █") && line.ends_with("rotate it soon"))
    );
    assert!(world.read("keys.md").is_some_and(|content| content.contains(SECRET)));
    assert_eq!(world.log("keys.md").len(), 2);
}

#[test]
fn the_secret_is_gone_everywhere_and_the_facts_stay() {
    let world = with_secret();
    assert_eq!(search(&world, "rotate soon", false), 1);
    let done = commands::redact(&world.app, by_secret(true, false)).expect("a redaction");
    let receipt = done.receipt.expect("a receipt");
    assert_eq!((receipt.versions, receipt.live_files, receipt.purge.as_str()), (2, 1, "done"));
    assert_eq!(receipt.chain_verified, Some(true));
    for place in receipt.places.iter().filter(|place| place.state != "out_of_reach") {
        assert_eq!((place.state.as_str(), place.hits), ("clean", 0), "{}", place.place);
    }
    assert_eq!(
        world.read("keys.md").as_deref(),
        Some("# Keys\n\nsigning key is [redacted], rotate it soon\n")
    );
    assert!(!holds_bytes(&world.path("data"), SECRET.as_bytes()));
    let versions = world.log("");
    let redacted: Vec<_> = versions.iter().filter(|version| version.redacted_at.is_some()).collect();
    assert_eq!(redacted.len(), 2);
    for version in redacted {
        assert_eq!(
            (&version.path, &version.content_sha256, version.content_size_bytes),
            (&None, &None, None)
        );
        assert_eq!(version.source, "scan");
        assert!(!version.created_at.is_empty());
        let error = commands::show(&world.app, wire::ShowReq { version: version.id.clone(), content: true });
        assert_eq!(error.expect_err("it is gone").code, wire::Code::ContentRedacted);
    }
    assert_eq!(search(&world, SECRET, false) + search(&world, SECRET, true), 0);
    assert_eq!(search(&world, "rotate soon", false), 1, "the marker's line is still found");
    assert_eq!(world.scan(), 0);
}

#[test]
fn rolling_back_never_brings_it_back() {
    let world = with_secret();
    let before = world.log("keys.md");
    commands::redact(&world.app, by_secret(true, false)).expect("a redaction");
    let error = world.rollback("keys.md", &before[1]).expect_err("refused");
    assert_eq!(error.code, wire::Code::ContentRedacted);
    let request = wire::RestoreReq {
        store: "notes".to_owned(),
        at: before[0].operation_seq.to_string(),
        ..wire::RestoreReq::default()
    };
    commands::restore(&world.app, request).expect("a restore");
    assert!(!world.read("keys.md").is_some_and(|content| content.contains(SECRET)));
    let request = wire::UndoReq { operation_seq: Some(world.cursor()), dry_run: false };
    drop(commands::undo(&world.app, request));
    assert!(!world.read("keys.md").is_some_and(|content| content.contains(SECRET)));
}

#[test]
fn a_live_file_that_is_left_is_named_and_not_recorded_again_until_it_changes() {
    let world = with_secret();
    let done = commands::redact(&world.app, by_secret(false, false)).expect("a redaction");
    let receipt = done.receipt.expect("a receipt");
    let live = receipt.places.iter().find(|place| place.place.starts_with("Live files")).expect("a place");
    assert_eq!((live.state.as_str(), live.hits), ("left", 1));
    assert_eq!(world.scan(), 0, "the file did not change");
    let blame = || {
        let request = wire::BlameReq { target: "notes:keys.md".to_owned(), job: None };
        commands::blame(&world.app, request).expect("a blame").lines
    };
    assert!(
        blame().iter().all(|line| line.version.is_some() && line.or_before),
        "it is recorded: {:?}",
        blame()
    );
    assert!(!holds_bytes(&world.path("data"), SECRET.as_bytes()));
    world.write("keys.md", format!("# Keys\n\nsigning key is {SECRET}, rotate it now\n"));
    assert!(blame().iter().any(|line| line.version.is_none()), "an edit is not recorded yet");
    assert_eq!(world.scan(), 1, "what reappears is a new version");
}

#[test]
fn an_act_on_the_last_copy_of_what_was_redacted_says_so_first() {
    let world = World::new();
    world.record("keys.md", "# Keys\n");
    world.record("keys.md", format!("# Keys\n\nsigning key is {SECRET}\nAsk Ada.\n"));
    let first = world.log("keys.md").pop().expect("a version");
    commands::redact(&world.app, by_secret(false, false)).expect("a redaction");
    let back = |dry_run| {
        let at = first.operation_seq.to_string();
        let request =
            wire::RestoreReq { store: "notes".to_owned(), at, dry_run, ..wire::RestoreReq::default() };
        commands::restore(&world.app, request).expect("a restore")
    };
    let warned = |result: &wire::ActResult| {
        result.warnings.iter().filter(|it| it.id() == "plan.holds_what_was_redacted").count()
    };
    assert_eq!(warned(&back(true)), 1);
    assert!(
        world.read("keys.md").is_some_and(|content| content.contains("Ask Ada.")),
        "a preview changes nothing"
    );
    // Who edits it since has a version of it.
    world.write("keys.md", format!("# Keys\n\nsigning key is {SECRET}\nAsk Ada or Kim.\n"));
    world.scan();
    assert_eq!(warned(&back(true)), 0);
}

#[test]
fn by_version_all_with_the_same_content_go() {
    let world = World::new();
    let first = world.record("a.md", "private thoughts of one person\n");
    world.record("b.md", "private thoughts of one person\n");
    world.record("a.md", "harmless\n");
    let request = wire::RedactReq { versions: vec![first.id], live: true, ..wire::RedactReq::default() };
    let done = commands::redact(&world.app, request).expect("a redaction");
    assert_eq!(done.receipt.expect("a receipt").versions, 2);
    assert_eq!(
        world.read("b.md").as_deref(),
        Some("[redacted]\n"),
        "a live file with that content is replaced"
    );
    assert_eq!(world.read("a.md").as_deref(), Some("harmless\n"));
}

#[test]
fn by_pattern_in_paths_too() {
    let world = World::new();
    world.record("notes-on-jane.doe@example.org.md", "a person\n");
    world.record("list.md", "write to jane.doe@example.org\n");
    let request = wire::RedactReq {
        find: Some(r"[a-z.]+@example\.org".to_owned()),
        live: true,
        ..wire::RedactReq::default()
    };
    let done = commands::redact(&world.app, request).expect("a redaction");
    assert!(done.warnings.iter().any(|warning| warning.contains("name of a live file")));
    assert_eq!(world.read("list.md").as_deref(), Some("write to [redacted]\n"));
    let receipt = done.receipt.expect("a receipt");
    assert_eq!(receipt.versions, 2);
    assert_eq!(receipt.purge, "done");
}

#[test]
fn short_secrets_and_telling_reasons() {
    let world = World::new();
    world.record("pin.md", "pin 7391\n");
    let mut request = wire::RedactReq {
        secret_base64: Some(base64::engine::general_purpose::STANDARD.encode("7391")),
        reason: Some("the pin 7391".to_owned()),
        dry_run: true,
        ..wire::RedactReq::default()
    };
    let error = commands::redact(&world.app, request.clone()).expect_err("the reason holds it");
    assert!(!error.to_string().contains("7391"));
    request.reason = None;
    let preview = commands::redact(&world.app, request).expect("a preview");
    assert!(preview.warnings.iter().any(|warning| warning.contains("shorter than 12 bytes")));
}

#[test]
fn what_a_finding_is_about_is_taken_out_and_never_reported() {
    let world = World::new();
    let secret = SECRET.to_owned();
    world.record("a.md", format!("token {secret}\n"));
    world.record("a.md", format!("the token is {secret}\n"));
    world.record("b.md", "harmless\n");
    let health = commands::health(&world.app, wire::HealthReq::default()).expect("a scan");
    let found = health.findings.iter().map(|found| &found.finding).find(|it| it.rule.starts_with("secret/"));
    let found = found.expect("a finding").clone();
    let place = |start| wire::FindingPlace {
        store: "notes".to_owned(),
        path: found.path.clone(),
        rule: found.rule.clone(),
        start,
    };
    let mut request = wire::RedactReq {
        finding: Some(place(found.start.expect("a place"))),
        live: true,
        dry_run: true,
        ..wire::RedactReq::default()
    };
    let preview = commands::redact(&world.app, request.clone()).expect("a preview");
    assert!(
        preview.matches.iter().filter(|one| one.place == "version").count() == 2,
        "{:?}",
        preview.matches
    );
    assert!(!serde_json::to_string(&preview).expect("JSON").contains(&secret));
    // Nothing else is taken for it: not at another place, nor beside another choice.
    let moved = wire::RedactReq { finding: Some(place(0)), ..request.clone() };
    assert_eq!(commands::redact(&world.app, moved).expect_err("gone").code, wire::Code::NotFound);
    let twofold = wire::RedactReq { find: Some("x".to_owned()), ..request.clone() };
    assert_eq!(commands::redact(&world.app, twofold).expect_err("both").code, wire::Code::Invalid);
    request.dry_run = false;
    let done = commands::redact(&world.app, request).expect("a redaction");
    assert_eq!(done.receipt.expect("a receipt").versions, 2);
    assert_eq!(world.read("a.md").as_deref(), Some("the token is [redacted]\n"));
    assert!(!retrace_tests::holds_bytes(&world.path("data"), secret.as_bytes()));
}

#[test]
fn a_redaction_cannot_be_undone() {
    let world = with_secret();
    let done = commands::redact(&world.app, by_secret(true, false)).expect("a redaction");
    let request = wire::UndoReq { operation_seq: done.operation_seq, dry_run: false };
    assert_eq!(commands::undo(&world.app, request).expect_err("refused").code, wire::Code::Invalid);
}

#[test]
fn verify_tells_whether_bytes_are_absent() {
    let world = with_secret();
    let request = || wire::VerifyReq {
        absent_base64: Some(base64::engine::general_purpose::STANDARD.encode(SECRET)),
        ..wire::VerifyReq::default()
    };
    let before = commands::verify(&world.app, request()).expect("verification");
    assert_eq!(before.absent, Some(false));
    commands::redact(&world.app, by_secret(true, false)).expect("a redaction");
    let after = commands::verify(&world.app, request()).expect("verification");
    assert_eq!((after.absent, after.ok), (Some(true), true), "{:?}", after.found_in);
}

#[test]
fn a_redaction_over_several_stores_is_a_mark_on_the_axis_of_each() {
    let world = with_secret();
    let other = world.add("others");
    std::fs::write(world.path("others/keys.md"), format!("also {SECRET}\n")).expect("written");
    world.scan();
    let done = commands::redact(&world.app, by_secret(true, false)).expect("a redaction");
    for store in ["notes", other.id.as_str()] {
        let activity = commands::activity(&world.app, wire::ActivityReq { store: store.to_owned() });
        let newest = activity.expect("the axis").marks.pop().expect("a mark");
        assert_eq!(Some(newest.operation_seq), done.operation_seq, "{store}");
        assert_eq!((newest.created, newest.modified, newest.deleted), (0, 1, 0), "{store}");
    }
}

/// The history of a store that was taken off the list is redacted as well, however many are left on it.
#[test]
fn a_redaction_is_over_every_store_that_the_log_ever_had() {
    for also_there in [false, true] {
        let world = World::new();
        world.add("old");
        std::fs::write(world.path("old/gone.md"), format!("password {SECRET} here\n")).expect("a file");
        let kept = if also_there { format!("x {SECRET}\n") } else { "what stays\n".to_owned() };
        world.record("kept.md", kept);
        let request = wire::StoreRef { store: "old".to_owned() };
        commands::remove_store(&world.app, request).expect("it is taken off the list");
        let done = commands::redact(&world.app, by_secret(true, false)).expect("a redaction");
        let receipt = done.receipt.expect("a receipt");
        assert_eq!(receipt.versions, 1 + u64::from(also_there));
        for place in receipt.places.iter().filter(|place| place.state != "out_of_reach") {
            // Its files are still there, and nobody looked at them.
            let expected = if place.place.starts_with("Directory of a store") { "left" } else { "clean" };
            assert_eq!((place.state.as_str(), place.hits), (expected, 0), "{}", place.place);
        }
        world.verify();
    }
}
