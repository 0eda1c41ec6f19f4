//! Redactions of mirrors: here, in what was taken back, and at the host; and those that the host made.

use super::{Mirrored, kinds, pull, push, queue, unreachable};
use retrace_api::commands;
use retrace_api::remote::api::RemoteError;
use retrace_api::wire::{self, Code};
use retrace_tests::holds_bytes;

#[test]
fn a_redaction_reaches_what_was_taken_back() {
    let secret = ["sk", "secret", "0123456789abcdef"].join("-");
    let mirrored = Mirrored::new(|host| {
        host.write("a.md", "one\n");
    });
    // A change whose content is in no version.
    let allow = wire::AllowFindingReq {
        store: mirrored.id.clone(),
        path: "a.md".to_owned(),
        rule: "links/wiki".to_owned(),
        reason: Some(secret.clone()),
        ..wire::AllowFindingReq::default()
    };
    let done = commands::allow_finding(mirrored.app(), allow).expect("an edit");
    assert_eq!(kinds(mirrored.app()), ["update"]);
    let undone = mirrored.undo(done.operation_seq.expect("an operation")).expect("undone");
    assert!(holds_bytes(&mirrored.world.path("data"), secret.as_bytes()), "it is kept, to be queued again");
    let request = wire::RedactReq { find: Some(secret.clone()), ..wire::RedactReq::default() };
    let redacted = commands::redact(mirrored.app(), request).expect("a redaction");
    assert!(redacted.warnings.is_empty(), "nothing of it was queued: {:?}", redacted.warnings);
    assert!(!holds_bytes(&mirrored.world.path("data"), secret.as_bytes()), "nothing here holds it");
    let refused = mirrored.undo(undone.operation_seq.expect("an operation")).expect_err("it is gone");
    assert_eq!(refused.code, Code::Invalid);
}

#[test]
fn a_redaction_reaches_the_host_by_the_queue_and_its_receipt_says_how_far_it_is() {
    let secret = ["sk", "secret", "0123456789abcdef"].join("-");
    let mirrored = Mirrored::new(|host| {
        host.write("a.md", &format!("key {secret}\n"));
        host.write("a.md", "clean");
        host.write("b.md", &format!("also {secret}\n"));
    });
    // A change that holds it waits, and one is fetched that holds it.
    let first = mirrored.log().pop().expect("the first");
    mirrored.rollback("a.md", &first);
    assert_eq!(kinds(mirrored.app()), ["update"]);
    let request = wire::RedactReq { find: Some(secret.clone()), live: true, ..wire::RedactReq::default() };
    let done = commands::redact(mirrored.app(), request).expect("a redaction");
    assert!(done.warnings.iter().any(|warning| warning.contains("withdrawn")), "{:?}", done.warnings);
    assert_eq!(kinds(mirrored.app()), ["update", "redact", "redact"]);
    assert!(!holds_bytes(&mirrored.world.path("data"), secret.as_bytes()), "nothing here holds it");
    let receipt = done.receipt.expect("a receipt");
    let place = |receipt: &wire::Receipt| {
        let place =
            receipt.places.iter().find(|place| place.place == "Host hosted").expect("the host's place");
        (place.state, place.hits)
    };
    assert_eq!(place(&receipt), (wire::PlaceState::Left, 2));
    let pushed = push(mirrored.app());
    assert_eq!((pushed.sent, pushed.queue.changes.len()), (3, 0), "{pushed:?}");
    let held = mirrored
        .host
        .versions()
        .into_iter()
        .any(|version| version.content.is_some_and(|content| content.contains(&secret)));
    assert!(!held, "the host does not have it any more");
    assert_eq!(mirrored.host.live()["b.md"], "also [redacted]\n");
    let listed = commands::receipts(mirrored.app(), wire::Nothing {}).expect("receipts").receipts;
    assert_eq!(place(&listed[0]), (wire::PlaceState::Clean, 0), "without being looked at again");
    let again = commands::recheck_receipt(mirrored.app(), wire::ReceiptRef { receipt: receipt.id })
        .expect("a receipt");
    assert_eq!(place(&again), (wire::PlaceState::Clean, 0));
    assert!(pull(mirrored.app()).finished);
    assert!(!holds_bytes(&mirrored.world.path("data"), secret.as_bytes()), "nothing came back");
}

#[test]
fn a_newest_version_is_not_redacted_at_the_host_before_there_is_a_newer_one() {
    let mirrored = Mirrored::new(|host| {
        host.write("a.md", "a secret of some length");
    });
    let head = mirrored.log().remove(0);
    let request = wire::RedactReq { versions: vec![head.id], ..wire::RedactReq::default() };
    commands::redact(mirrored.app(), request).expect("a redaction");
    let queued = queue(mirrored.app());
    assert!(queued[0].message.as_deref().is_some_and(|message| message.contains("newest")), "{queued:?}");
    let calls = mirrored.host.calls();
    assert_eq!(push(mirrored.app()).sent, 0);
    assert_eq!(mirrored.host.calls(), calls, "the host is not asked in vain");
    mirrored.host.write("a.md", "something else");
    pull(mirrored.app());
    assert_eq!(push(mirrored.app()).sent, 1);
    assert!(mirrored.host.versions()[0].redacted_at.is_some());
}

#[test]
fn what_the_host_redacted_is_reported_and_kept_here() {
    let mirrored = Mirrored::new(|host| {
        host.write("a.md", "one");
        host.write("a.md", "two");
    });
    let first = mirrored.log().pop().expect("the first");
    mirrored.host.redact(&mirrored.host.versions()[0].id);
    let pulled = pull(mirrored.app());
    assert_eq!(pulled.redacted_at_host, [first.id]);
    assert_eq!(mirrored.remote().redacted_at_host, 1);
    assert_eq!(pull(mirrored.app()).redacted_at_host, Vec::<String>::new(), "said once");
}

/// A mirror of many versions, of which the oldest of `a.md` are redacted there since.
fn with_old_ones_redacted(count: usize) -> (Mirrored, Vec<String>) {
    let mirrored = Mirrored::new(|host| {
        for number in 0..90 {
            host.write("a.md", &format!("text {number}"));
        }
    });
    for version in &mirrored.host.versions()[..count] {
        mirrored.host.redact(&version.id);
    }
    let here = mirrored.log().into_iter().rev().take(count).map(|version| version.id).collect();
    (mirrored, here)
}

#[test]
fn what_the_host_redacted_long_ago_is_found_by_some_pulls_each_of_few_calls() {
    let (mirrored, old) = with_old_ones_redacted(2);
    // The fake host gives three a page: thirty are searched as the newest ones, and fifteen more by each pull, of which
    // it saw the first one before.
    let mut found = Vec::new();
    for round in 1..=5 {
        let pulled = pull(mirrored.app());
        assert!(pulled.finished && pulled.calls < 30, "{pulled:?}");
        found.extend(pulled.redacted_at_host);
        assert_eq!(found.is_empty(), round < 5, "round {round}");
        assert_eq!(mirrored.remote().looked_through_at.is_some(), round == 5, "round {round}");
    }
    found.sort();
    assert_eq!(found, old);
    let remote = mirrored.remote();
    assert_eq!((remote.redacted_at_host, remote.redacted_versions), (2, old.clone()), "whoever pulled");
    // It begins anew, and finds what was redacted since.
    mirrored.host.redact(&mirrored.host.versions()[2].id.clone());
    let news: usize = (0..5).map(|_| pull(mirrored.app()).redacted_at_host.len()).sum();
    assert_eq!((news, mirrored.remote().redacted_versions.len()), (1, 3));
    // A redacted finding is offered no more.
    let request = wire::RedactReq { versions: old, ..wire::RedactReq::default() };
    commands::redact(mirrored.app(), request).expect("a redaction");
    assert_eq!(mirrored.remote().redacted_versions.len(), 1);
}

#[test]
fn a_full_pull_sweeps_all_versions_at_once() {
    let (mirrored, old) = with_old_ones_redacted(1);
    let full = wire::PullReq { full: true, ..wire::PullReq::default() };
    let pulled = commands::pull_remote(mirrored.app(), full.clone()).expect("the log works").stores.remove(0);
    assert_eq!((pulled.finished, &pulled.redacted_at_host), (true, &old));
    let remote = mirrored.remote();
    assert_eq!((&remote.redacted_versions, remote.looked_through_at.is_some()), (&old, true));
    // One that is cut off is gone on with by a pull as usual: thirty pages, of which it saw twenty.
    mirrored.host.redact(&mirrored.host.versions()[1].id.clone());
    mirrored.host.fail_after(24, unreachable());
    let cut = commands::pull_remote(mirrored.app(), full).expect("the log works").stores.remove(0);
    assert!(!cut.finished, "{cut:?}");
    let mut pulls = 0;
    while mirrored.remote().redacted_versions.len() < 2 {
        assert!(pull(mirrored.app()).finished);
        pulls += 1;
    }
    assert!(pulls <= 3, "{pulls} pulls");
}

#[test]
fn a_host_that_limits_the_sweep_of_old_versions_or_cannot_do_it_keeps_no_pull_from_its_end() {
    let refused = RemoteError::Refused {
        status: 400,
        kind: "invalid_request_error".to_owned(),
        message: "no".to_owned(),
    };
    let limited = RemoteError::Limited { retry_after: None, message: "slowly".to_owned() };
    for error in [limited, refused] {
        let (mirrored, old) = with_old_ones_redacted(1);
        let before = mirrored.host.calls();
        assert!(pull(mirrored.app()).finished);
        let asked = mirrored.host.asked();
        let first = asked.iter().position(|asked| asked == "older_versions").expect("it is asked");
        mirrored.host.fail_after(first as u64 - before + 1, error.clone());
        let pulled = pull(mirrored.app());
        assert!(pulled.finished && pulled.problem.is_none(), "{error}: {pulled:?}");
        assert_eq!(mirrored.remote().problem, None);
        while mirrored.remote().redacted_versions != old {
            assert!(pull(mirrored.app()).finished);
        }
    }
}
