//! Nothing is approved by accident: an approval of several leaves errors out unless it is told otherwise, says what it comes
//! to before it is made, and is taken back as a whole, by whichever way it was asked for.

use retrace_api::commands;
use retrace_api::wire::{self, ReviewReq, ReviewUpToReq, Reviewed};
use retrace_tests::World;
use std::collections::BTreeSet;

/// Put together here, so that no scanner takes this file for a leak.
fn secret() -> String {
    format!("key {}_{}\n", "ghp", "q7Rt2mZx9Lk4Vb8Nw3Ys6Jd1Hf5Gc0PaTeUo")
}

fn items(world: &World) -> Vec<wire::InboxItem> {
    let request = wire::InboxReq { limit: Some(500), ..wire::InboxReq::default() };
    commands::inbox(&world.app, request)
        .expect("the inbox")
        .groups
        .into_iter()
        .flat_map(|group| group.items)
        .collect()
}

fn paths(world: &World) -> BTreeSet<String> {
    items(world).into_iter().filter_map(|item| item.path).collect()
}

fn set(paths: &[&str]) -> BTreeSet<String> {
    paths.iter().map(|path| (*path).to_owned()).collect()
}

fn has_error(item: &wire::InboxItem) -> bool {
    item.findings.iter().any(|finding| finding.severity == "error")
}

/// A world with two clean changes, one with a warning, and two with secrets, one operation each.
fn mixed() -> World {
    let world = World::new();
    world.record("clean.md", "one\n");
    world.record("leak.md", secret());
    world.record("hidden.md", "a\u{200b}b\n");
    world.record("other-leak.md", format!("more\n{}", secret()));
    world.record("last.md", "two\n");
    world
}

fn all_of(items: &[wire::InboxItem]) -> ReviewReq {
    ReviewReq {
        versions: items.iter().map(|item| item.version_id.clone()).collect(),
        verdict: "approve".to_owned(),
        ..ReviewReq::default()
    }
}

fn left(reviewed: &Reviewed) -> BTreeSet<String> {
    let left = reviewed.skipped.iter().filter(|item| item.reason == "findings");
    left.filter_map(|item| item.path.clone()).collect()
}

#[test]
fn of_several_those_with_errors_are_left_and_the_account_says_so() {
    let world = mixed();
    let before = items(&world);
    assert_eq!(before.iter().filter(|item| has_error(item)).count(), 2, "{before:?}");
    let request = all_of(&before);
    let plan =
        commands::review(&world.app, ReviewReq { dry_run: true, ..request.clone() }).expect("a preview");
    assert_eq!(paths(&world).len(), 5, "a preview does nothing");
    let done = commands::review(&world.app, request.clone()).expect("a review");
    assert_eq!(plan.approval, done.approval, "what is said first is what is done");
    let approval = done.approval.as_ref().expect("it was of several");
    assert_eq!((approval.approved, approval.left, approval.direction.as_str()), (3, 2, "named"));
    assert_eq!(approval.findings[0].severity, "error", "the worst first");
    let secrets =
        approval.findings.iter().find(|found| found.rule == "secret/github").expect("it is counted");
    assert_eq!(secrets.items, 2);
    assert!(approval.findings.iter().any(|found| found.rule == "hidden/zero-width"), "{approval:?}");
    assert!(approval.oldest_at < approval.newest_at);
    assert_eq!(left(&done), set(&["leak.md", "other-leak.md"]));
    assert!(done.skipped.iter().all(|item| !item.findings.is_empty()), "each says which");
    assert_eq!(paths(&world), set(&["leak.md", "other-leak.md"]));
    assert!(done.conflict_error().is_none(), "it did what it said");

    // The whole approval is taken back.
    commands::undo_review(&world.app, wire::UndoReviewReq::default()).expect("it is taken back");
    assert_eq!(paths(&world).len(), 5);

    // A ticked item is included, and nothing else; one item by itself is as the person saw it.
    let ticked = before.iter().find(|item| item.path.as_deref() == Some("leak.md")).expect("an item");
    let request = ReviewReq { ticked: vec![ticked.version_id.clone()], ..request };
    let done = commands::review(&world.app, request).expect("a review");
    assert_eq!((done.done.len(), left(&done)), (4, set(&["other-leak.md"])));
    let one = commands::review(&world.app, all_of(&items(&world))).expect("a review");
    assert_eq!((one.done.len(), one.approval), (1, None));
    assert_eq!(paths(&world), set(&[]));
}

#[test]
fn up_to_a_point_leaves_errors_even_where_one_item_is_all_there_is() {
    let world = mixed();
    let up_to = ReviewUpToReq { up_to: world.cursor().to_string(), ..ReviewUpToReq::default() };
    let plan = commands::review_up_to(&world.app, ReviewUpToReq { dry_run: true, ..up_to.clone() })
        .expect("a preview");
    let done = commands::review_up_to(&world.app, up_to.clone()).expect("a review");
    assert_eq!(plan.approval, done.approval);
    let approval = done.approval.expect("it is of several");
    assert_eq!((approval.approved, approval.left, approval.direction.as_str()), (3, 2, "up_to"));
    assert_eq!(paths(&world), set(&["leak.md", "other-leak.md"]));
    commands::undo_review(&world.app, wire::UndoReviewReq::default()).expect("it is taken back");
    assert_eq!(paths(&world).len(), 5);

    let all = ReviewUpToReq { with_findings: true, ..up_to };
    let done = commands::review_up_to(&world.app, all).expect("a review");
    let approval = done.approval.expect("it is of several");
    assert_eq!(
        (approval.approved, approval.left, approval.findings[0].items),
        (5, 0, 2),
        "they are told all the same"
    );
    assert_eq!(paths(&world), set(&[]));

    // A point names no item, so that nobody says they looked at it.
    let only = world.record("third-leak.md", secret());
    let up_to = ReviewUpToReq { up_to: only.id.clone(), ..ReviewUpToReq::default() };
    let done = commands::review_up_to(&world.app, up_to.clone()).expect("a review");
    assert_eq!((done.done.len(), done.review_seq, left(&done)), (0, None, set(&["third-leak.md"])));
    let ticked = ReviewUpToReq { ticked: vec![only.id], ..up_to };
    assert_eq!(commands::review_up_to(&world.app, ticked).expect("a review").done.len(), 1);
}

#[test]
fn what_was_there_at_the_point_is_weighed_and_not_what_came_after() {
    let world = World::new();
    world.record("was.md", secret());
    world.record("becomes.md", "fine\n");
    let point = world.cursor().to_string();
    world.record("was.md", "fine now\n");
    world.record("becomes.md", secret());
    let done = commands::review_up_to(&world.app, ReviewUpToReq { up_to: point, ..ReviewUpToReq::default() });
    let done = done.expect("a review");
    assert_eq!(left(&done), set(&["was.md"]));
    assert_eq!(done.done.iter().map(|item| item.path.as_deref()).collect::<Vec<_>>(), [Some("becomes.md")]);
    assert_eq!(paths(&world), set(&["was.md", "becomes.md"]), "both changed after it");
}

/// Numbers that look like chance and are the same each time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % end
    }
}

/// Over any changes and any way to approve several: no item whose row shows an error leaves the inbox, everything else that
/// was meant does, the preview says exactly what is done, and taking it back brings the same inbox again.
#[test]
fn no_way_to_approve_several_takes_an_error_along() {
    for seed in 0..12 {
        let mut chance = Chance(seed);
        let world = World::new();
        for number in 0..6 {
            let name = format!("m{}.md", chance.below(5));
            match chance.below(5) {
                0 => world.record(&name, format!("{number}\n{}", secret())),
                1 => world.record(&name, format!("{number} a\u{200b}b\n")),
                2 if world.path("notes").join(&name).exists() => {
                    world.remove(&name);
                    world.scan();
                    continue;
                }
                _ => world.record(&name, format!("{number}\n")),
            };
        }
        for way in 0..3 {
            let before = items(&world);
            let meant: Vec<wire::InboxItem> =
                before.iter().filter(|_| way == 0 || chance.below(3) > 0).cloned().collect();
            if meant.len() < 2 {
                continue;
            }
            let approve = |dry_run| match way {
                2 => {
                    let up_to = world.cursor().to_string();
                    commands::review_up_to(
                        &world.app,
                        ReviewUpToReq { up_to, dry_run, ..ReviewUpToReq::default() },
                    )
                }
                _ => commands::review(&world.app, ReviewReq { dry_run, ..all_of(&meant) }),
            };
            let meant = if way == 2 { before.clone() } else { meant.clone() };
            let plan = approve(true).expect("a preview");
            let done = approve(false).expect("a review");
            assert_eq!(serde_json::json!(plan.done), serde_json::json!(done.done), "seed {seed}, way {way}");
            assert_eq!(plan.approval, done.approval, "seed {seed}, way {way}");
            let versions = |items: &[wire::InboxItem]| -> BTreeSet<String> {
                items.iter().map(|item| item.version_id.clone()).collect()
            };
            let kept: Vec<wire::InboxItem> = before
                .iter()
                .filter(|item| has_error(item) || !meant.iter().any(|one| one.version_id == item.version_id))
                .cloned()
                .collect();
            assert_eq!(versions(&items(&world)), versions(&kept), "seed {seed}, way {way}");
            if done.review_seq.is_some() {
                commands::undo_review(&world.app, wire::UndoReviewReq::default()).expect("it is taken back");
                assert_eq!(versions(&items(&world)), versions(&before), "seed {seed}, way {way}");
            }
        }
    }
}
