//! What machines do to each other: a redaction that reaches all of them, proposals, one inbox.

use super::{Hub, Machine, Signer};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use retrace_api::commands;
use retrace_api::wire::{
    self, Code, HubApproveReq, HubCommentReq, HubDiffReq, HubHistoryReq, HubInboxReq, HubProposalKind,
    HubProposalRef, HubProposeReq, HubReachState, HubRedaction, HubRedactionRef, HubRole, HubRoleReq,
    HubShowReq, Nothing, RedactReq,
};
use retrace_model::Sha256;
use retrace_tests::holds_bytes;
use retrace_tests::network::Network;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

const SECRET: &str = "sk-live-quartz-heron-5521";

fn redact_secret(machine: &Machine) {
    let request = RedactReq {
        secret_base64: Some(STANDARD.encode(SECRET)),
        live: true,
        reason: Some("a key".to_owned()),
        ..RedactReq::default()
    };
    commands::redact(&machine.world.app, request).expect("a redaction");
}

fn redactions(machine: &Machine) -> Vec<HubRedaction> {
    commands::hub_redactions(&machine.world.app, Nothing {}).expect("a list").redactions
}

fn state_of(redaction: &HubRedaction, name: &str) -> HubReachState {
    let found = redaction.machines.iter().find(|machine| machine.name == name);
    found.unwrap_or_else(|| panic!("{name} is not concerned: {redaction:?}")).state
}

#[test]
fn a_secret_in_two_memories_goes_everywhere() {
    let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    a.record("keys.md", format!("deploy with {SECRET}\n"));
    b.record("notes.md", format!("what stays\nthe key is {SECRET}, ask first\n"));
    // A second content of the second machine, which it alone finds.
    b.record("same.md", format!("deploy with {SECRET}\n"));
    b.record("other.md", "nothing of it\n");
    a.synced();
    b.synced();
    redact_secret(&a);
    a.synced();
    let open = redactions(&a);
    assert_eq!(open.len(), 1);
    assert_eq!(state_of(&open[0], "a"), HubReachState::Done);
    assert_eq!(state_of(&open[0], "b"), HubReachState::Outstanding, "it is offline");
    assert!(!open[0].complete);
    assert!(open[0].versions >= 2 && open[0].contents >= 2, "{open:?}");
    assert_eq!(hub.tables_with(SECRET), Vec::<String>::new());
    let carried = b.synced();
    assert_eq!(carried.redactions.len(), 1, "{carried:?}");
    assert_eq!(carried.redactions[0].state, HubReachState::Done);
    for machine in [&a, &b] {
        assert!(!holds_bytes(&machine.data_dir(), SECRET.as_bytes()), "it is in a data directory");
        machine.world.verify();
    }
    // What stands beside it stays.
    assert_eq!(b.world.read("notes.md").as_deref(), Some("what stays\nthe key is [redacted], ask first\n"));
    assert_eq!(b.world.read("other.md").as_deref(), Some("nothing of it\n"));
    let done = redactions(&b);
    let first = done.iter().find(|redaction| redaction.id == open[0].id).expect("the order");
    assert!(first.complete, "{first:?}");
    for machine in &first.machines {
        let receipt = machine.receipt.as_ref().expect("a receipt");
        assert!(receipt.verified && receipt.purge == "done", "{receipt:?}");
    }
    assert!(b.synced().redactions.is_empty(), "nothing is carried out twice");
}

#[test]
fn what_was_redacted_is_kept_out_of_a_third_machine() {
    let Some((hub, [a, b, c])) = Hub::with_machines(["a", "b", "c"]) else { return };
    let content = format!("deploy with {SECRET}\n");
    let version = a.record("keys.md", &content);
    a.synced();
    let request = RedactReq { versions: vec![version.id], live: true, ..RedactReq::default() };
    commands::redact(&a.world.app, request).expect("a redaction");
    a.synced();
    c.record("copied.md", &content);
    let carried = c.synced();
    assert_eq!(carried.redactions.len(), 1, "{carried:?}");
    assert_eq!(c.world.read("copied.md").as_deref(), Some("[redacted]\n"));
    assert!(!holds_bytes(&c.data_dir(), SECRET.as_bytes()));
    let of_c = b.versions().into_iter().filter(|version| version.machine_name == "c");
    let words: Vec<String> = of_c.map(|version| version.content).collect();
    assert!(words.contains(&"redacted".to_owned()), "{words:?}");
    let hash = Sha256::of(content.as_bytes()).to_hex();
    assert_eq!(hub.tables_with(&hash), Vec::<String>::new(), "no hash of it stays");
    assert!(redactions(&b)[0].complete);
}

/// Sends a signed request, and waits for the whole answer: its status and body.
fn send(sender: &Signer, url: &str, name: &str, body: &str) -> (u16, String) {
    let (_, address) = url.split_once("://").expect("a scheme");
    let mut stream = TcpStream::connect(address).expect("the hub listens");
    let mut request = format!(
        "POST /hub/v1/{name} HTTP/1.1\r\nhost: hub\r\nconnection: close\r\ncontent-length: {}\r\n",
        body.len()
    );
    for (name, value) in sender.headers(name, super::now(), body.as_bytes()) {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    request.push_str("\r\n");
    request.push_str(body);
    stream.write_all(request.as_bytes()).expect("it is sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    (status, answer)
}

#[test]
fn a_forged_receipt_is_refused() {
    let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    for machine in [&a, &b] {
        machine.record("keys.md", format!("deploy with {SECRET}\n"));
        machine.synced();
    }
    redact_secret(&a);
    a.synced();
    let order = redactions(&a)[0].id.clone();
    let (of_a, of_b) = (Signer::of(&a), Signer::of(&b));
    let forge = |sender: &Signer, named: &Signer, order: &str| {
        let body = serde_json::json!({
            "order": order, "machine": named.machine, "at": super::now(), "state": "done", "versions": 1,
            "live_files": 1, "purge": "done", "places_left": 0, "receipts": [], "chain_head": "",
        })
        .to_string();
        let request = serde_json::json!({
            "body": body, "signature": STANDARD.encode([7; 64]), "targets": [],
        });
        send(sender, hub.url(), "receipt", &request.to_string())
    };
    let (status, text) = forge(&of_b, &of_b, &order);
    assert!(status == 400 && text.contains("altered"), "a wrong signature: {status} {text}");
    let (status, text) = forge(&of_a, &of_b, &order);
    assert!(status == 400 && text.contains("altered"), "of another machine: {status} {text}");
    assert_eq!(state_of(&redactions(&a)[0], "b"), HubReachState::Outstanding);
    b.synced();
    assert!(redactions(&a)[0].complete);
}

#[test]
fn a_machine_that_dies_before_its_receipt_loses_nothing() {
    let Some((hub, [a, _])) = Hub::with_machines(["a", "x"]) else { return };
    let network = Network::before(&[hub.url()]);
    let b = Machine::new("b");
    b.join(&network.url(), &a.token()).expect("it joins");
    for machine in [&a, &b] {
        machine.record("keys.md", format!("deploy with {SECRET}\n"));
        machine.synced();
    }
    redact_secret(&a);
    a.synced();
    let mut killed_after_it = false;
    let mut after = 500;
    // At each place in the exchange, until a run came through.
    while b.kill_sync(&network, after) {
        let masked = b.world.log("keys.md").iter().any(|version| version.redacted_at.is_some());
        killed_after_it |= masked && state_of(&redactions(&a)[0], "b") == HubReachState::Outstanding;
        after += 400;
    }
    b.synced();
    assert!(redactions(&a)[0].complete, "{:?}", redactions(&a));
    assert!(!holds_bytes(&b.data_dir(), SECRET.as_bytes()));
    assert!(killed_after_it, "it was never killed in between");
}

#[test]
fn a_second_person_approves_where_the_policy_says_so() {
    let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let owner = Machine::new("owner");
    owner.join(hub.url(), &owners_token(&a)).expect("it joins");
    let policy = wire::HubPolicyReq { key: "two_person_redaction".to_owned(), value: "true".to_owned() };
    commands::hub_set_policy(&a.world.app, policy).expect("the policy is set");
    for machine in [&a, &b] {
        machine.record("keys.md", format!("deploy with {SECRET}\n"));
        machine.synced();
    }
    redact_secret(&a);
    a.synced();
    let waiting = redactions(&a).remove(0);
    assert_eq!(waiting.state, "waiting");
    assert!(b.synced().redactions.is_empty());
    assert!(b.world.read("keys.md").is_some_and(|text| text.contains(SECRET)));
    let approve = |machine: &Machine| {
        let id = waiting.id.clone();
        commands::hub_approve_redaction(&machine.world.app, HubRedactionRef { id })
    };
    assert_eq!(approve(&a).expect_err("the same machine").code, Code::KeyRefused);
    assert_eq!(approve(&b).expect_err("a writer").code, Code::KeyRefused);
    approve(&owner).expect("a second owner");
    assert_eq!(b.synced().redactions.len(), 1);
    a.synced();
    assert!(!holds_bytes(&b.data_dir(), SECRET.as_bytes()));
    let done =
        redactions(&owner).into_iter().find(|redaction| redaction.id == waiting.id).expect("the order");
    assert!(done.complete && done.approved_by.is_some(), "{done:?}");
}

fn owners_token(owner: &Machine) -> String {
    let request = wire::HubTokenReq { owner: true, ..wire::HubTokenReq::default() };
    commands::hub_token(&owner.world.app, request).expect("a token").token
}

#[test]
fn one_inbox_for_all_machines_and_approvals_reach_their_logs() {
    let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    b.record("notes.md", "first\n");
    b.synced();
    let before = commands::hub_inbox(&a.world.app, HubInboxReq::default()).expect("an inbox");
    let version = b.record("notes.md", "first\nsecond\n");
    b.synced();
    let inbox = commands::hub_inbox(&a.world.app, HubInboxReq::default()).expect("an inbox");
    assert_eq!(inbox.items.len() as u64, inbox.total.expect("counted"));
    assert!(inbox.items.len() >= before.items.len());
    let item = inbox.items.iter().find(|item| item.id == version.id).expect("the newest version");
    assert_eq!((item.machine_name.as_str(), item.path.as_deref()), ("b", Some("notes.md")));

    let (diff, words) = (HubDiffReq { a: version.id.clone(), b: None }, "is that so?");
    let diff = commands::hub_diff(&a.world.app, diff).expect("a difference");
    assert_eq!((diff.added, diff.removed), (1, 0));
    let history = HubHistoryReq { memory: "notes:notes.md".to_owned(), ..HubHistoryReq::default() };
    let history = commands::hub_history(&a.world.app, history).expect("a history");
    assert_eq!(history.versions.len(), 2);
    let comment = HubCommentReq { version: version.id.clone(), text: words.to_owned() };
    let shown = commands::hub_comment(&a.world.app, comment).expect("a comment");
    assert_eq!(shown.comments[0].text.as_deref(), Some(words));
    assert_eq!(hub.tables_with(words), Vec::<String>::new(), "comments are encrypted");
    let content = HubShowReq { version: version.id.clone(), content: true };
    let content = commands::hub_show(&a.world.app, content).expect("a version");
    assert_eq!(content.text.as_deref(), Some("first\nsecond\n"));

    let approve = HubApproveReq { versions: vec![version.id.clone()] };
    assert_eq!(commands::hub_approve(&a.world.app, approve.clone()).expect("approved").memories, 1);
    assert_eq!(commands::hub_approve(&a.world.app, approve).expect("approved").memories, 0, "it was before");
    let inbox = commands::hub_inbox(&a.world.app, HubInboxReq::default()).expect("an inbox");
    assert!(inbox.items.iter().all(|item| item.id != version.id));
    assert_eq!(b.synced().reviews, 1);
    assert_eq!(b.synced().reviews, 0, "each once");
    // The person has the same name on both machines of this test.
    let left = commands::inbox(&b.world.app, wire::InboxReq::default()).expect("an inbox");
    assert_eq!(left.total, 0, "{left:?}");
}

#[test]
fn a_writer_reads_no_content_of_others() {
    let Some((_hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let version = a.record("notes.md", "for owners\n");
    a.synced();
    let content = HubShowReq { version: version.id.clone(), content: true };
    let refused = commands::hub_show(&b.world.app, content).expect_err("a writer");
    assert_eq!(refused.code, Code::KeyRefused);
    let approve = HubApproveReq { versions: vec![version.id] };
    assert_eq!(commands::hub_approve(&b.world.app, approve).expect_err("a writer").code, Code::KeyRefused);

    b.record("own.md", "of the writer\n");
    b.synced();
    let inbox = |machine: &Machine| {
        commands::hub_inbox(&machine.world.app, HubInboxReq::default()).expect("an inbox")
    };
    let paths = |inbox: &wire::HubInbox| -> Vec<Option<String>> {
        inbox.items.iter().map(|item| item.path.clone()).collect()
    };
    let own = inbox(&b);
    assert_eq!((paths(&own), own.total), (vec![Some("own.md".to_owned())], Some(1)), "a writer's own");
    let all = inbox(&a);
    assert_eq!((all.items.len(), all.total, all.total_is_least), (2, Some(2), false));
    // Who audits sees what there is, and no content.
    let request = wire::HubRoleReq { machine: "b".to_owned(), role: HubRole::Auditor };
    commands::hub_set_role(&a.world.app, request).expect("an auditor");
    let audited = inbox(&b);
    assert_eq!((paths(&audited), audited.total), (paths(&all), Some(2)));
    let content = HubShowReq { version: all.items[0].id.clone(), content: true };
    let refused = commands::hub_show(&b.world.app, content).expect_err("an auditor");
    assert_eq!(refused.code, Code::KeyRefused);
}

fn propose_edit(machine: &Machine, version: &str, text: &str) -> wire::HubProposal {
    let request = HubProposeReq {
        kind: HubProposalKind::Edit,
        version: Some(version.to_owned()),
        text: Some(text.to_owned()),
        machine: None,
        store: None,
        at: None,
        note: None,
    };
    commands::hub_propose(&machine.world.app, request).expect("a proposal")
}

fn proposal(machine: &Machine, id: &str) -> wire::HubProposal {
    let list = commands::hub_proposals(&machine.world.app, Nothing {}).expect("a list");
    list.proposals.into_iter().find(|proposal| proposal.id == id).expect("the proposal")
}

#[test]
fn proposals_are_carried_out_where_they_are_accepted_and_conflict_with_newer_edits() {
    let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let first = b.record("notes.md", "first\n");
    let second = b.record("notes.md", "second\n");
    b.synced();

    let edit = propose_edit(&a, &second.id, "third, as proposed\n");
    assert_eq!(edit.state, "waiting");
    assert!(b.synced().proposals.is_empty(), "nobody accepted it");
    assert_eq!(b.world.read("notes.md").as_deref(), Some("second\n"));
    let id = edit.id.clone();
    let done = commands::hub_accept_proposal(&b.world.app, HubProposalRef { id }).expect("accepted");
    assert_eq!((done.state.as_str(), done.verified), ("done", Some(true)));
    assert_eq!(b.world.read("notes.md").as_deref(), Some("third, as proposed\n"));
    assert_eq!(proposal(&a, &edit.id).state, "done");
    assert_eq!(hub.tables_with("third, as proposed"), Vec::<String>::new());
    b.synced();

    let store = "notes".to_owned();
    let accept = wire::HubAcceptReq { store, accept: true };
    commands::hub_accept(&b.world.app, accept).expect("it accepts proposals");
    let back = HubProposeReq {
        kind: HubProposalKind::Rollback,
        version: Some(first.id),
        text: None,
        machine: None,
        store: None,
        at: None,
        note: Some("the first was right".to_owned()),
    };
    let back = commands::hub_propose(&a.world.app, back).expect("a proposal");
    let synced = b.synced();
    assert_eq!(synced.proposals.len(), 1, "{synced:?}");
    assert_eq!(proposal(&a, &back.id).state, "done");
    assert_eq!(b.world.read("notes.md").as_deref(), Some("first\n"));

    let stale = propose_edit(&a, &second.id, "too late\n");
    b.synced();
    assert_eq!(proposal(&a, &stale.id).state, "conflict");
    assert_eq!(b.world.read("notes.md").as_deref(), Some("first\n"));
}

#[test]
fn a_machine_that_records_syncs_in_the_background_once_that_is_switched_on() {
    let Some((hub, [a])) = Hub::with_machines(["a"]) else { return };
    assert!(!a.status().background.on, "it is off by default");
    let on = wire::HubBackgroundReq { on: true };
    assert!(commands::hub_background(&a.world.app, on).expect("it is switched on").background.on);
    let recording = a.world.app.record(&[]).expect("it records");
    a.world.write("notes.md", "by itself\n");
    // The database looks again and again.
    hub.database.sql(
        "DO $$ BEGIN FOR turn IN 1..600 LOOP
             IF EXISTS (SELECT 1 FROM contents) THEN RETURN; END IF;
             PERFORM pg_sleep(0.1);
         END LOOP; RAISE EXCEPTION 'nothing is sent'; END $$",
    );
    recording.stop();
    assert_eq!(a.versions().len(), 1);
}

#[test]
fn a_content_of_another_machine_is_shown_with_its_findings() {
    let Some((_hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let version = b.record("notes.md", "what st\u{200b}ays\n");
    b.synced();
    let shown = |content| {
        let request = HubShowReq { version: version.id.clone(), content };
        commands::hub_show(&a.world.app, request).expect("a version")
    };
    let findings = shown(true).findings;
    let rules: Vec<&str> = findings.iter().map(|finding| finding.rule.as_str()).collect();
    assert_eq!(rules, ["hidden/zero-width"]);
    assert!(findings[0].remedies.is_empty(), "its file is not here");
    assert!(shown(false).findings.is_empty(), "a content that is not asked for is not read");
}

/// Copies of one log have the same memories with the same times: a page that ends among them loses none.
#[test]
fn pages_end_between_machines_that_are_copies() {
    let Some((hub, [a])) = Hub::with_machines(["a"]) else { return };
    for count in 0..7 {
        a.world.write(&format!("f{count}.md"), format!("content {count}\n"));
    }
    a.world.scan();
    a.record("again.md", "first\n");
    a.record("again.md", "second\n");
    let copy = a.copy();
    std::fs::remove_file(copy.data_dir().join("hub.json")).expect("its membership");
    std::fs::remove_file(copy.data_dir().join("machine.key")).expect("its key");
    copy.join(hub.url(), &owners_token(&a)).expect("it joins as another machine");
    a.synced();
    copy.synced();
    for limit in [1, 2, 3, 5] {
        let (mut seen, mut after) = (Vec::new(), None);
        loop {
            let request = HubInboxReq { after, limit: Some(limit), machine: None };
            let page = commands::hub_inbox(&a.world.app, request).expect("a page");
            seen.extend(page.items.into_iter().map(|item| (item.machine, item.id)));
            match page.next {
                Some(next) => after = Some(next),
                None => break,
            }
        }
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 16, "pages of {limit}");
        let (mut seen, mut after) = (Vec::new(), None);
        loop {
            let memory = "notes:again.md".to_owned();
            let request = HubHistoryReq { memory, after, limit: Some(limit) };
            let page = commands::hub_history(&a.world.app, request).expect("a page");
            seen.extend(page.versions.into_iter().map(|item| (item.machine, item.id)));
            match page.next {
                Some(next) => after = Some(next),
                None => break,
            }
        }
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 4, "pages of {limit}");
    }
}

#[test]
fn a_comment_is_removed_by_whoever_wrote_it_and_by_an_owner() {
    let Some((hub, [owner, b, c])) = Hub::with_machines(["owner", "b", "c"]) else { return };
    for name in ["b", "c"] {
        let request = HubRoleReq { machine: name.to_owned(), role: HubRole::Reviewer };
        commands::hub_set_role(&owner.world.app, request).expect("a role");
    }
    let version = owner.record("fact.md", "a fact\n").id;
    owner.synced();
    let comment = |machine: &Machine, text: &str| {
        let request = HubCommentReq { version: version.clone(), text: text.to_owned() };
        commands::hub_comment(&machine.world.app, request).expect("a comment").comments
    };
    let said = comment(&owner, "of the owner");
    assert!(said[0].removable);
    comment(&b, "of b, one");
    let said = comment(&b, "of b, two");
    assert_eq!(said.iter().map(|one| one.removable).collect::<Vec<_>>(), [false, true, true]);
    let numbers: Vec<u64> = said.iter().map(|one| one.number).collect();
    let remove =
        |machine: &Machine, number: u64| machine.run(&["hub", "comment", "--remove", &number.to_string()]);
    let (exit, shown, errors) = b.run(&["hub", "show", &version]);
    assert_eq!(exit, retrace_cli::Exit::DONE, "{errors}");
    assert!(shown.contains(&format!("comment {} by", numbers[1])), "{shown}");

    for number in &numbers {
        let (exit, _, errors) = remove(&c, *number);
        assert_eq!(exit, retrace_cli::Exit::of(Code::KeyRefused), "{errors}");
        assert!(errors.contains("whoever wrote it"), "{errors}");
    }
    let (exit, _, errors) = remove(&b, numbers[0]);
    assert_eq!(exit, retrace_cli::Exit::of(Code::KeyRefused), "{errors}");
    let (exit, shown, errors) = remove(&b, numbers[1]);
    assert_eq!(exit, retrace_cli::Exit::DONE, "{errors}");
    assert!(!shown.contains("of b, one") && shown.contains("of b, two"), "{shown}");
    // Whoever is no reviewer any more removes what they wrote; an owner what anybody did.
    let request = HubRoleReq { machine: "b".to_owned(), role: HubRole::Writer };
    commands::hub_set_role(&owner.world.app, request).expect("a role");
    assert_eq!(remove(&b, numbers[2]).0, retrace_cli::Exit::DONE);
    assert_eq!(remove(&owner, numbers[0]).0, retrace_cli::Exit::DONE);
    assert_eq!(remove(&owner, numbers[0]).0, retrace_cli::Exit::of(Code::NotFound));
    assert_eq!(hub.database.query("SELECT count(*) FROM comments"), "0");
    let rows = "SELECT count(*) FROM audit WHERE action = 'remove_comment' AND outcome = ";
    assert_eq!(hub.database.query(&format!("{rows}'done'")), "3");
    assert_eq!(hub.database.query(&format!("{rows}'refused'")), "4");
}
