//! The inbox and reviewing: what is listed, what each verdict does, and what is refused.

use retrace_api::{commands, wire};
use retrace_model::Sha256;
use retrace_tests::{World, options_of};
use std::time::Duration;

fn inbox(world: &World) -> wire::Inbox {
    let inbox = commands::inbox(&world.app, wire::InboxReq::default()).expect("the inbox");
    let rows: u64 = inbox.groups.iter().map(|group| group.items.len() as u64).sum();
    let status = commands::status(&world.app, wire::Nothing {}).expect("a status");
    let stores = commands::stores(&world.app, wire::Nothing {}).expect("stores").stores;
    let badges: u64 = stores.iter().map(|store| store.unreviewed).sum();
    assert_eq!((rows, status.unreviewed, badges), (inbox.total, inbox.total, inbox.total), "badge = rows");
    inbox
}

fn items(world: &World) -> Vec<wire::InboxItem> {
    inbox(world).groups.into_iter().flat_map(|group| group.items).collect()
}

/// The item of a path.
fn item(world: &World, path: &str) -> wire::InboxItem {
    let found = items(world).into_iter().find(|item| item.path.as_deref() == Some(path));
    found.unwrap_or_else(|| panic!("{path} is not in the inbox"))
}

/// Verb and path of every item, newest first.
fn reported(world: &World) -> Vec<String> {
    let path = |item: &wire::InboxItem| item.path.clone().unwrap_or_else(|| "(redacted)".to_owned());
    items(world).iter().map(|item| format!("{} {}", item.verb, path(item))).collect()
}

fn request(verdict: &str, versions: &[&wire::InboxItem]) -> wire::ReviewReq {
    wire::ReviewReq {
        versions: versions.iter().map(|item| item.version_id.clone()).collect(),
        verdict: verdict.to_owned(),
        ..wire::ReviewReq::default()
    }
}

fn review(world: &World, verdict: &str, versions: &[&wire::InboxItem]) -> wire::Reviewed {
    commands::review(&world.app, request(verdict, versions)).expect("a review")
}

fn undo_review(world: &World) -> wire::Reviewed {
    commands::undo_review(&world.app, wire::UndoReviewReq::default()).expect("a review is taken back")
}

fn reasons(reviewed: &wire::Reviewed) -> Vec<(&str, &str)> {
    let skipped = reviewed.skipped.iter();
    skipped.map(|item| (item.path.as_deref().unwrap_or("-"), item.reason.as_str())).collect()
}

/// A world whose store began with `a.md`, `b.md` and `c.md`.
fn with_baseline() -> World {
    let world = World::new();
    let root = world.path("begun");
    std::fs::create_dir_all(&root).expect("a directory");
    for name in ["a.md", "b.md", "c.md"] {
        std::fs::write(root.join(name), "one\n").expect("a file");
    }
    std::fs::remove_dir(world.path("notes")).expect("it is empty");
    let removed = wire::StoreRef { store: "notes".to_owned() };
    commands::remove_store(&world.app, removed).expect("it is taken off the list");
    std::fs::rename(root, world.path("kept")).expect("a rename");
    world.add("kept");
    std::os::unix::fs::symlink(world.path("kept"), world.path("notes")).expect("a link");
    world
}

#[test]
fn what_was_there_at_the_beginning_is_known_and_verbs_and_sizes_say_what_changed() {
    let world = with_baseline();
    assert_eq!(reported(&world), Vec::<String>::new());
    world.write("a.md", "one\nand two\n");
    world.scan();
    world.remove("b.md");
    world.scan();
    std::fs::rename(world.path("notes/c.md"), world.path("notes/d.md")).expect("a rename");
    world.write("e.md", "new\n");
    world.scan();
    world.write("a.md", "one\nand three\n");
    world.scan();
    let mut verbs = reported(&world);
    verbs.sort();
    assert_eq!(verbs, ["changed a.md", "created e.md", "deleted b.md", "moved d.md"]);
    let a = item(&world, "a.md");
    assert_eq!(
        (a.versions, a.base_size_bytes, a.content_size_bytes, a.size_change),
        (2, Some(4), Some(14), Some(10))
    );
    assert!(a.base_version_id.is_some() && a.token_change.is_some_and(|change| change > 0), "{a:?}");
    let b = item(&world, "b.md");
    assert_eq!(
        (b.content_size_bytes, b.size_change, b.tokens, b.content_kind),
        (Some(0), Some(-4), Some(0), None)
    );
    let d = item(&world, "d.md");
    assert_eq!((d.previous_path.as_deref(), d.size_change, d.token_change), (Some("c.md"), Some(0), Some(0)));
    let e = item(&world, "e.md");
    assert_eq!((e.base_version_id, e.versions, e.base_size_bytes), (None, 1, Some(0)));
    assert_eq!(inbox(&world).groups.len(), 1, "all of it happened within seconds");
}

/// Rule and message of the findings of a path's item.
fn found(world: &World, path: &str) -> Vec<(String, String)> {
    let found = item(world, path).findings.into_iter();
    found.map(|finding| (finding.rule, finding.message.into_text())).collect()
}

#[test]
fn rules_over_the_whole_directory_speak_of_what_came_with_the_change() {
    let world = with_baseline();
    let index = "- [A](a.md)\n- [B](b.md)\n- [C](c.md)\n";
    world.record("MEMORY.md", index);
    assert_eq!(found(&world, "MEMORY.md"), []);
    world.record("MEMORY.md", format!("{index}- [Gone](gone.md)\n"));
    let missing = |message: &str| vec![("links/missing-file".to_owned(), message.to_owned())];
    assert_eq!(found(&world, "MEMORY.md"), missing("The link leads to no file: \"gone.md\"."));
    review(&world, "approve", &[&item(&world, "MEMORY.md")]);
    // A finding that was there at the review is not reported again.
    world.record("MEMORY.md", format!("{index}- [Gone](gone.md)\n- and more\n"));
    assert_eq!(found(&world, "MEMORY.md"), []);
    // A deleted memory says who still links to it, the index what leads nowhere now.
    world.remove("b.md");
    world.record("d.md", "not in the index\n");
    assert_eq!(found(&world, "b.md"), missing("\"MEMORY.md\" line 2 still links to it."));
    assert_eq!(found(&world, "MEMORY.md"), []);
    assert_eq!(found(&world, "d.md")[0].0, "links/orphan");
}

#[test]
fn a_rule_that_the_person_turned_off_is_off_in_the_inbox_too() {
    let world = with_baseline();
    world.record("a.md", "hid\u{200b}den\n");
    assert_eq!(found(&world, "a.md")[0].0, "hidden/zero-width");
    let request =
        wire::SetFindingRule { rule: "hidden/zero-width".to_owned(), setting: Some("off".to_owned()) };
    commands::set_finding_rule(&world.app, request).expect("a setting");
    assert_eq!(found(&world, "a.md"), []);
}

#[test]
fn approving_takes_off_the_list_and_a_change_brings_back() {
    let world = with_baseline();
    world.record("a.md", "two\n");
    world.record("b.md", "two\n");
    let a = item(&world, "a.md");
    let preview = wire::ReviewReq { dry_run: true, ..request("approve", &[&a]) };
    let preview = commands::review(&world.app, preview).expect("a preview");
    assert_eq!((preview.done.len(), preview.review_seq, reported(&world).len()), (1, None, 2));
    let done = review(&world, "approve", &[&a]);
    assert_eq!((done.done[0].verdict.as_str(), done.review_seq), ("approved", Some(1)));
    assert_eq!(reported(&world), ["changed b.md"]);
    assert_eq!(reasons(&review(&world, "approve", &[&a])), [("a.md", "already_reviewed")]);
    world.record("a.md", "three\n");
    assert_eq!(item(&world, "a.md").base_version_id, Some(a.version_id), "what was approved is the base");
    review(&world, "approve", &[&item(&world, "b.md")]);
    undo_review(&world);
    assert_eq!(reported(&world), ["changed a.md", "changed b.md"]);
    undo_review(&world);
    assert_eq!(item(&world, "a.md").versions, 2, "both changes are left to review again");
    let error =
        commands::undo_review(&world.app, wire::UndoReviewReq::default()).expect_err("nothing is left");
    assert_eq!(error.code, wire::Code::NotFound);
}

#[test]
fn rejecting_puts_back_what_was_known_whatever_happened_in_between() {
    let world = with_baseline();
    world.record("a.md", "two\n");
    world.record("a.md", "three\n");
    world.remove("b.md");
    world.record("new.md", "unwanted\n");
    std::fs::rename(world.path("notes/c.md"), world.path("notes/d.md")).expect("a rename");
    world.scan();
    let all = items(&world);
    let all: Vec<&wire::InboxItem> = all.iter().collect();
    let preview = wire::ReviewReq { dry_run: true, ..request("reject", &all) };
    let preview = commands::review(&world.app, preview).expect("a preview");
    assert_eq!(world.read("a.md").as_deref(), Some("three\n"), "a preview changes nothing");
    let done = review(&world, "reject", &all);
    let writes = |reviewed: &wire::Reviewed| serde_json::json!(reviewed.act.as_ref().expect("an act").writes);
    assert_eq!(writes(&preview), writes(&done), "preview equals act");
    for (path, content) in [
        ("a.md", Some("one\n")),
        ("b.md", Some("one\n")),
        ("c.md", Some("one\n")),
        ("d.md", None),
        ("new.md", None),
    ] {
        assert_eq!(world.read(path).as_deref(), content, "{path}");
    }
    assert_eq!((reported(&world).len(), world.scan(), done.skipped.len()), (0, 0, 0));
    let undone = undo_review(&world);
    assert!(undone.act.is_some_and(|act| act.operation_seq.is_some()));
    assert_eq!(
        (world.read("a.md").as_deref(), world.read("new.md").as_deref()),
        (Some("three\n"), Some("unwanted\n"))
    );
    assert_eq!(reported(&world).len(), 4, "all of it is left to review again");
    assert!(
        items(&world).iter().all(|item| !item.reappeared),
        "a rejection that was taken back does not count"
    );
    commands::undo(&world.app, wire::UndoReq::default()).expect_err("the newest act is itself an undo");
}

#[test]
fn undo_of_the_act_takes_the_rejection_back_as_well_and_again() {
    let world = with_baseline();
    world.record("a.md", "two\n");
    let done = review(&world, "reject", &[&item(&world, "a.md")]);
    let undo = |operation_seq| {
        let request = wire::UndoReq { operation_seq, dry_run: false };
        commands::undo(&world.app, request).expect("an undo").operation_seq
    };
    let undone = undo(done.act.expect("an act").operation_seq);
    assert_eq!((world.read("a.md").as_deref(), reported(&world).len()), (Some("two\n"), 1));
    undo(undone);
    assert_eq!((world.read("a.md").as_deref(), reported(&world).len()), (Some("one\n"), 0), "done again");
}

#[test]
fn acts_of_ones_own_are_known() {
    let world = with_baseline();
    let first = world.log("a.md").remove(0);
    world.record("b.md", "two\n");
    review(&world, "approve", &[&item(&world, "b.md")]);
    world.record("a.md", "two\n");
    let request = wire::RollbackReq {
        memory: Some("kept:a.md".to_owned()),
        to: Some(first.id),
        ..wire::RollbackReq::default()
    };
    commands::rollback(&world.app, request).expect("a rollback");
    assert_eq!(reported(&world), Vec::<String>::new());
    commands::undo(&world.app, wire::UndoReq::default()).expect("an undo");
    assert_eq!(reported(&world), ["changed a.md"], "it is as it was before: not reviewed");
}

#[test]
fn an_edited_text_is_written_recorded_and_approved() {
    let world = with_baseline();
    world.record("a.md", "two\n");
    let a = item(&world, "a.md");
    let edit = |expected: Option<String>| wire::ReviewReq {
        text: Some("my words\n".to_owned()),
        expected_sha256: expected,
        note: Some("shorter".to_owned()),
        ..request("approve", &[&a])
    };
    let refused = commands::review(&world.app, edit(Some(Sha256::of(b"other").to_hex()))).expect("an answer");
    assert_eq!((reasons(&refused), refused.review_seq), (vec![("a.md", "stale")], None));
    let done = commands::review(&world.app, edit(Some(Sha256::of(b"two\n").to_hex()))).expect("a review");
    assert_eq!(
        (done.done[0].verdict.as_str(), world.read("a.md").as_deref()),
        ("edited", Some("my words\n"))
    );
    let newest = world.log("a.md").remove(0);
    let by = wire::ActorView::UserActor { user_id: "ada".to_owned() };
    assert_eq!((newest.created_by, reported(&world).len(), world.scan()), (Some(by), 0, 0));
    undo_review(&world);
    assert_eq!(
        (world.read("a.md").as_deref(), reported(&world)),
        (Some("two\n"), vec!["changed a.md".to_owned()])
    );
    let same =
        wire::ReviewReq { text: Some("two\n".to_owned()), ..request("approve", &[&item(&world, "a.md")]) };
    let done = commands::review(&world.app, same).expect("the text that is there already");
    assert_eq!((done.done.len(), reported(&world).len()), (1, 0));
}

#[test]
fn what_changed_after_it_was_shown_is_skipped_with_its_reason_and_the_rest_done() {
    let world = with_baseline();
    for path in ["a.md", "b.md", "c.md"] {
        world.record(path, "two\n");
    }
    let (a, b, c) = (item(&world, "a.md"), item(&world, "b.md"), item(&world, "c.md"));
    let recorded = world.record("a.md", "three\n");
    let approved = review(&world, "approve", &[&a, &c]);
    assert_eq!((reasons(&approved), approved.done.len()), (vec![("a.md", "stale")], 1));
    let stale = &approved.skipped[0];
    assert_eq!(stale.base_version_id, a.base_version_id);
    assert_eq!((&stale.version_id, stale.found_version_id.as_ref()), (&a.version_id, Some(&recorded.id)));
    let error = approved.conflict_error().expect("a script must notice");
    assert_eq!(error.code, wire::Code::HeadMoved);
    undo_review(&world);
    // Nobody recorded this one yet.
    world.write("b.md", "written meanwhile\n");
    let rejected = review(&world, "reject", &[&a, &b, &c]);
    assert_eq!(reasons(&rejected), [("a.md", "stale"), ("b.md", "stale")]);
    assert_eq!(world.read("b.md").as_deref(), Some("written meanwhile\n"), "the newer edit stands");
    assert_eq!(world.read("c.md").as_deref(), Some("one\n"), "the other one is done");
    let conflict = &rejected.act.as_ref().expect("an act").conflicts[0];
    let three = [&conflict.expected_version_id, &conflict.found_version_id, &conflict.wanted_version_id];
    assert!(three.iter().all(|version| version.is_some()), "{conflict:?}");
    assert_eq!(rejected.skipped[1].found_version_id, conflict.found_version_id);
}

#[test]
fn what_was_rejected_is_marked_when_it_reappears() {
    let world = with_baseline();
    world.record("a.md", "bad\n");
    review(&world, "reject", &[&item(&world, "a.md")]);
    world.record("a.md", "good\n");
    assert!(!item(&world, "a.md").reappeared);
    world.record("a.md", "bad\n");
    world.record("elsewhere.md", "bad\n");
    assert!(item(&world, "a.md").reappeared && item(&world, "elsewhere.md").reappeared);
}

#[test]
fn everything_up_to_a_point_leaves_what_is_newer() {
    let world = with_baseline();
    world.record("a.md", "two\n");
    let point = world.record("b.md", "two\n");
    world.record("a.md", "three\n");
    world.record("new.md", "new\n");
    let up_to =
        |dry_run| wire::ReviewUpToReq { up_to: point.id.clone(), dry_run, ..wire::ReviewUpToReq::default() };
    let preview = commands::review_up_to(&world.app, up_to(true)).expect("a preview");
    assert_eq!((preview.done.len(), reported(&world).len()), (2, 3));
    let done = commands::review_up_to(&world.app, up_to(false)).expect("a review");
    assert_eq!(serde_json::json!(done.done), serde_json::json!(preview.done));
    assert_eq!(reported(&world), ["created new.md", "changed a.md"]);
    assert_eq!(item(&world, "a.md").versions, 1, "what was there at the point is the base");
    undo_review(&world);
    assert_eq!((reported(&world).len(), item(&world, "a.md").versions), (3, 2));
    let error = commands::review_up_to(&world.app, wire::ReviewUpToReq::default()).expect_err("no point");
    assert_eq!(error.code, wire::Code::Invalid);
}

#[test]
fn what_cannot_be_read_is_a_row_too() {
    let world = with_baseline();
    world.record("binary.bin", [0u8, 159, 146, 150]);
    world.record("large.md", vec![b'x'; 10 * 1024 * 1024 + 1]);
    let secret = world.record("c.md", "the key is 7f3a9c1d5e2b\n");
    let redact = wire::RedactReq { versions: vec![secret.id], ..wire::RedactReq::default() };
    commands::redact(&world.app, redact).expect("a redaction of history alone");
    let kind = |path: &str| item(&world, path).content_kind;
    assert_eq!(kind("binary.bin").as_deref(), Some("binary"));
    assert_eq!(kind("large.md").as_deref(), Some("too_large"));
    let c = item(&world, "c.md");
    assert_eq!((c.content_kind.as_deref(), c.content_size_bytes, c.tokens), (Some("redacted"), None, None));
    let (binary, large) = (item(&world, "binary.bin"), item(&world, "large.md"));
    let done = review(&world, "reject", &[&binary, &large]);
    assert_eq!((reasons(&done), done.done.len()), (vec![("large.md", "too_large")], 1));
    assert_eq!(world.read("binary.bin"), None);
    review(&world, "approve", &[&large, &c]);
    assert_eq!(reported(&world), Vec::<String>::new());
}

#[test]
fn a_redaction_of_one_text_leaves_to_review_what_was_left() {
    let world = with_baseline();
    world.record("a.md", "the key is 7f3a9c1d5e2b\nthe other is 0d4b8e6a2c9f\n");
    world.record("c.md", "the key is 7f3a9c1d5e2b\n");
    review(&world, "approve", &[&item(&world, "c.md")]);
    let find = Some("7f3a9c1d5e2b".to_owned());
    let redact = wire::RedactReq { find, live: true, ..wire::RedactReq::default() };
    commands::redact(&world.app, redact).expect("a redaction");
    assert_eq!(reported(&world), ["changed a.md"], "nobody approved it; the other was known as a whole");
    assert_eq!(world.read("a.md").as_deref(), Some("the key is [redacted]\nthe other is 0d4b8e6a2c9f\n"));
    review(&world, "approve", &[&item(&world, "a.md")]);
    assert_eq!(reported(&world), Vec::<String>::new());
}

#[test]
fn what_would_be_put_back_must_be_there() {
    let world = with_baseline();
    let base = world.record("a.md", "the key is 7f3a9c1d5e2b\n");
    review(&world, "approve", &[&item(&world, "a.md")]);
    world.record("a.md", "clean\n");
    let redact = wire::RedactReq { versions: vec![base.id], ..wire::RedactReq::default() };
    commands::redact(&world.app, redact).expect("a redaction");
    let done = review(&world, "reject", &[&item(&world, "a.md")]);
    let error = done.conflict_error().expect("nothing was done");
    assert_eq!((reasons(&done), error.code), (vec![("a.md", "base_redacted")], wire::Code::ContentRedacted));
    assert_eq!(world.read("a.md").as_deref(), Some("clean\n"));
}

#[test]
fn everybody_has_an_inbox_of_their_own() {
    let directory = tempfile::tempdir().expect("a directory");
    let ada = World::over(options_of(directory.path(), 0));
    ada.add("notes");
    ada.record("a.md", "one\n");
    review(&ada, "approve", &[&item(&ada, "a.md")]);
    let mut options = options_of(directory.path(), 1);
    options.user = "ben".to_owned();
    let ben = World::over(options);
    assert_eq!((reported(&ada).len(), reported(&ben)), (0, vec!["created a.md".to_owned()]));
    let error = commands::undo_review(&ben.app, wire::UndoReviewReq { review_seq: Some(1), dry_run: false });
    assert_eq!(error.expect_err("it is not his").code, wire::Code::Invalid);
}

#[test]
fn pages_hold_every_item_once() {
    let world = World::with(|options| options.busy_wait = Some(Duration::from_secs(1)));
    for number in 0..23 {
        world.write(&format!("{number:02}.md"), format!("fact {number}\n"));
        if number % 5 == 0 {
            world.scan();
        }
    }
    world.scan();
    let mut request = wire::InboxReq { limit: Some(4), ..wire::InboxReq::default() };
    let mut paths = Vec::new();
    loop {
        let page = commands::inbox(&world.app, request.clone()).expect("a page");
        assert_eq!(page.total, 23);
        paths.extend(page.groups.into_iter().flat_map(|group| group.items).filter_map(|item| item.path));
        match page.next_before {
            Some(before) => request.before = Some(before),
            None => break,
        }
    }
    let whole: Vec<String> = items(&world).into_iter().filter_map(|item| item.path).collect();
    assert_eq!((paths.len(), paths), (23, whole));
}

#[test]
fn a_page_goes_on_where_the_last_one_ended_whatever_came_in_between() {
    let world = World::new();
    for number in 0..6 {
        world.record(&format!("{number}.md"), "one\n");
    }
    let page = |limit, before| {
        let request = wire::InboxReq { limit: Some(limit), before, ..wire::InboxReq::default() };
        commands::inbox(&world.app, request).expect("a page")
    };
    let paths = |page: &wire::Inbox| -> Vec<String> {
        let items = page.groups.iter().flat_map(|group| &group.items);
        items.filter_map(|item| item.path.clone()).collect()
    };
    let first = page(2, None);
    assert_eq!((paths(&first), first.groups_total), (vec!["5.md".to_owned(), "4.md".to_owned()], 1));
    let rest = ["3.md", "2.md", "1.md", "0.md"];

    // Something new comes to the group, which has another name then.
    world.record("new.md", "one\n");
    assert_ne!(page(2, None).groups[0].id, first.groups[0].id);
    assert_eq!(paths(&page(9, first.next_before.clone())), rest);

    // The item that the page ended with changes again, and the newest of the group then is reviewed.
    world.record("4.md", "two\n");
    let newest = item(&world, "5.md");
    commands::review(&world.app, request("approve", &[&newest])).expect("it is approved");
    assert_eq!(paths(&page(9, first.next_before)), rest);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let world = with_baseline();
    world.record("a.md", "two\n");
    let a = item(&world, "a.md");
    let text = Some("x".to_owned());
    for request in [
        request("approve", &[]),
        request("like", &[&a]),
        wire::ReviewReq { text: text.clone(), ..request("reject", &[&a]) },
        wire::ReviewReq { expected_sha256: Some("00".repeat(32)), ..request("approve", &[&a]) },
        wire::ReviewReq { text, expected_sha256: Some("zz".to_owned()), ..request("approve", &[&a]) },
    ] {
        let error = commands::review(&world.app, request.clone()).expect_err("refused");
        assert_eq!(error.code, wire::Code::Invalid, "{request:?}");
    }
    let unknown = wire::ReviewReq { versions: vec!["memver_none".to_owned()], ..request("approve", &[]) };
    assert_eq!(commands::review(&world.app, unknown).expect_err("unknown").code, wire::Code::NotFound);
    for before in ["", "1", "1.2", "1.2.x", "1.2.3.4"] {
        let request = wire::InboxReq { before: Some(before.to_owned()), ..wire::InboxReq::default() };
        assert_eq!(commands::inbox(&world.app, request).expect_err("no place").code, wire::Code::Invalid);
    }
    assert_eq!(reported(&world).len(), 1);
}

/// A page of one kind.
fn of_kind(world: &World, kind: &str, before: Option<String>) -> wire::Inbox {
    let request =
        wire::InboxReq { kind: Some(kind.to_owned()), before, limit: Some(2), ..wire::InboxReq::default() };
    commands::inbox(&world.app, request).expect("the inbox")
}

/// Kinds with their counts, in a line.
fn counts(world: &World) -> String {
    let counted = commands::inbox_kinds(&world.app, wire::InboxKindsReq::default()).expect("kinds");
    assert_eq!(counted.total, inbox(world).total, "all of them are counted");
    for known in &counted.kinds {
        assert_eq!(of_kind(world, &known.kind, None).total, known.count, "a count is that of the list");
    }
    let words: Vec<String> =
        counted.kinds.iter().map(|known| format!("{} {}", known.kind, known.count)).collect();
    words.join(", ")
}

#[test]
fn a_list_of_one_kind_pages_counts_and_is_reviewed_by_itself() {
    let world = with_baseline();
    let typed = |kind: &str, number| format!("---\nname: x{number}\ntype: {kind}\n---\nText {number}.\n");
    for number in 0..5 {
        world.write(&format!("wish-{number}.md"), typed("feedback", number));
        world.write(&format!("fact-{number}.md"), typed("project", number));
    }
    world.write("MEMORY.md", "- [Wish](wish-0.md)\n");
    world.write("notes.bin", "no memory\n");
    world.scan();
    assert_eq!(counts(&world), "index 1, topic 10, other 1, topic:feedback 5, topic:project 5");

    // Each page holds items of the kind alone, and the badge goes on to count all.
    let mut paths = Vec::new();
    let mut before = None;
    loop {
        let page = of_kind(&world, "topic:feedback", before);
        assert_eq!((page.total, page.groups_total, page.groups[0].total), (5, 1, 5));
        assert!(page.groups[0].id.ends_with(":topic:feedback"), "{}", page.groups[0].id);
        paths.extend(page.groups.into_iter().flat_map(|group| group.items).filter_map(|item| item.path));
        match page.next_before {
            Some(next) => before = Some(next),
            None => break,
        }
    }
    paths.sort();
    assert_eq!(paths, ["wish-0.md", "wish-1.md", "wish-2.md", "wish-3.md", "wish-4.md"]);
    assert_eq!(inbox(&world).total, 12);

    // A review up to a point covers what the list shows.
    let up_to = |dry_run| wire::ReviewUpToReq {
        up_to: world.cursor().to_string(),
        kind: Some("topic:feedback".to_owned()),
        dry_run,
        ..wire::ReviewUpToReq::default()
    };
    let preview = commands::review_up_to(&world.app, up_to(true)).expect("a preview");
    let done = commands::review_up_to(&world.app, up_to(false)).expect("a review");
    assert_eq!(serde_json::json!(done.done), serde_json::json!(preview.done));
    assert_eq!(done.done.len(), 5);
    assert_eq!(counts(&world), "index 1, topic 5, other 1, topic:project 5");
    undo_review(&world);
    assert_eq!(counts(&world), "index 1, topic 10, other 1, topic:feedback 5, topic:project 5");

    // A deleted memory is of the kind that it had; a redacted one tells no type any more.
    review(&world, "approve", &[&item(&world, "fact-0.md")]);
    world.remove("fact-0.md");
    world.scan();
    let redacted = item(&world, "wish-0.md").version_id;
    let redact = wire::RedactReq { versions: vec![redacted], ..wire::RedactReq::default() };
    commands::redact(&world.app, redact).expect("a redaction");
    assert_eq!(counts(&world), "index 1, topic 10, other 1, topic:feedback 4, topic:project 5");
}

#[test]
fn a_kind_that_is_none_is_refused() {
    let world = with_baseline();
    let kind = Some("topics".to_owned());
    let inbox = wire::InboxReq { kind: kind.clone(), ..wire::InboxReq::default() };
    let up_to =
        wire::ReviewUpToReq { up_to: "1".to_owned(), kind: kind.clone(), ..wire::ReviewUpToReq::default() };
    let memories = wire::MemoriesReq { store: "kept".to_owned(), kind, at: None };
    for error in [
        commands::inbox(&world.app, inbox).expect_err("no kind"),
        commands::review_up_to(&world.app, up_to).expect_err("no kind"),
        commands::memories(&world.app, memories).expect_err("no kind"),
    ] {
        assert_eq!((error.code, error.subject.as_str()), (wire::Code::Invalid, "topics"));
        assert!(error.hint.contains("topic:TYPE"), "{}", error.hint);
    }
}

#[test]
fn item_by_item_the_list_is_that_of_the_pages() {
    let world = World::new();
    for (stores, count) in [("notes", 150), ("other", 30)] {
        std::fs::create_dir_all(world.path(stores)).expect("a directory");
        if stores != "notes" {
            world.add(stores);
        }
        for number in 0..count {
            std::fs::write(world.path(stores).join(format!("{number}.md")), format!("{number}\n"))
                .expect("a file");
        }
        world.scan();
    }
    let mut paged: Vec<wire::InboxGroup> = Vec::new();
    let mut before = None;
    loop {
        let request = wire::InboxReq { before, limit: Some(7), ..wire::InboxReq::default() };
        let page = commands::inbox(&world.app, request).expect("a page");
        for group in page.groups {
            match paged.last_mut().filter(|last| last.id == group.id) {
                Some(last) => last.items.extend(group.items),
                None => paged.push(group),
            }
        }
        before = page.next_before;
        if before.is_none() {
            break;
        }
    }
    let list = commands::InboxList::read(world.app.review(), &wire::InboxReq::default()).expect("a list");
    let mut listed: Vec<wire::InboxGroup> = Vec::new();
    list.each(world.app.review(), |part| -> Result<(), wire::ApiError> {
        match part {
            commands::InboxPart::Group(group) => listed.push(group),
            commands::InboxPart::Item(item) => listed.last_mut().expect("a group").items.push(*item),
        }
        Ok(())
    })
    .expect("it is listed");
    let text = |groups: &[wire::InboxGroup]| serde_json::to_string_pretty(groups).expect("JSON");
    assert_eq!(text(&listed), text(&paged));
    assert!(listed.len() >= 2 && listed.iter().map(|group| group.items.len()).sum::<usize>() == 180);
    let of_group = list.versions(world.app.review(), &listed[0].id).expect("versions").expect("it is there");
    assert_eq!(of_group, listed[0].items.iter().map(|item| item.version_id.clone()).collect::<Vec<_>>());
    assert_eq!(list.versions(world.app.review(), "group_0").expect("no failure"), None);
    // Who has seen enough gets no more, and nobody waits for what nobody takes.
    let mut taken = 0;
    let stopped = list.each(world.app.review(), |_| {
        taken += 1;
        let (code, message) = (wire::Code::Busy, wire::Message::verbatim("Enough."));
        let enough = wire::ApiError { code, message, hint: wire::Message::default(), subject: String::new() };
        if taken == 70 { Err(enough) } else { Ok(()) }
    });
    assert_eq!((stopped.expect_err("it stops").message.text(), taken), ("Enough.", 70));
}

#[test]
fn a_rejection_that_leaves_what_is_too_large_says_so() {
    let world = World::new();
    world.record("a.md", "one\n");
    world.write("b.md", "two\n");
    let large = world.record("big.md", vec![b'x'; 10 * 1024 * 1024 + 1]);
    let small = world.log("b.md").remove(0);
    let reject = |versions: Vec<String>| {
        let request =
            wire::ReviewReq { versions, verdict: "reject".to_owned(), ..wire::ReviewReq::default() };
        commands::review(&world.app, request).expect("an answer")
    };
    let left = reject(vec![large.id.clone()]);
    let error = left.conflict_error().expect("nothing was done");
    assert_eq!((error.code, error.subject.as_str()), (wire::Code::HeadMoved, "big.md"));
    let some = reject(vec![large.id, small.id]);
    assert_eq!((some.done.len(), some.skipped.len()), (1, 1));
    assert_eq!(some.conflict_error().map(|error| error.code), Some(wire::Code::HeadMoved));
    assert_eq!((world.read("b.md"), world.path("notes/big.md").exists()), (None, true));
}
