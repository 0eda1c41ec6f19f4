//! What was redacted stays out of the hub, at every door: a restored database, a machine that redacted before it joined, proposals,
//! comments, and contents in which it came back.

use super::{Hub, Machine};
use retrace_api::commands;
use retrace_api::wire::{
    Code, HubCommentReq, HubFault, HubHistoryReq, HubLeaveReq, HubPolicyReq, HubProposal, HubProposalKind,
    HubProposalRef, HubProposeReq, HubRedactionRef, HubRole, HubRoleReq, HubShowReq, HubShown, HubTokenReq,
    Nothing, RedactReq,
};
use retrace_hub::{DoctorOptions, HubOptions, State, doctor};
use retrace_tests::network::Network;
use retrace_tests::postgres::Postgres;
use std::path::Path;
use std::process::{Command, Stdio};

const SECRET: &str = "quartz-heron-5521-opens";

fn redact_secret(machine: &Machine, live: bool) {
    let request = RedactReq { find: Some(SECRET.to_owned()), live, ..RedactReq::default() };
    commands::redact(&machine.world.app, request).expect("a redaction");
}

fn redact_version(machine: &Machine, version: &str) {
    let request = RedactReq { versions: vec![version.to_owned()], live: true, ..RedactReq::default() };
    commands::redact(&machine.world.app, request).expect("a redaction");
}

fn token_of(owner: &Machine, role: HubRole) -> String {
    let request = HubTokenReq { role: Some(role), ..HubTokenReq::default() };
    commands::hub_token(&owner.world.app, request).expect("a token").token
}

/// What the hub says of the contents of a machine, by path.
fn contents_of(asks: &Machine, name: &str) -> Vec<(Option<String>, String)> {
    let of = asks.versions().into_iter().filter(|version| version.machine_name == name);
    of.map(|version| (version.path, version.content)).collect()
}

fn show(machine: &Machine, version: &str) -> HubShown {
    let request = HubShowReq { version: version.to_owned(), content: false };
    commands::hub_show(&machine.world.app, request).expect("a version")
}

fn comment(machine: &Machine, version: &str, text: &str) -> Result<HubShown, retrace_api::wire::ApiError> {
    let request = HubCommentReq { version: version.to_owned(), text: text.to_owned() };
    commands::hub_comment(&machine.world.app, request)
}

fn propose(
    machine: &Machine,
    version: &str,
    text: &str,
    note: Option<&str>,
) -> Result<HubProposal, retrace_api::wire::ApiError> {
    let request = HubProposeReq {
        kind: HubProposalKind::Edit,
        version: Some(version.to_owned()),
        text: Some(text.to_owned()),
        machine: None,
        store: None,
        at: None,
        note: note.map(str::to_owned),
    };
    commands::hub_propose(&machine.world.app, request)
}

fn now(machine: &Machine, id: &str) -> HubProposal {
    let list = commands::hub_proposals(&machine.world.app, Nothing {}).expect("a list").proposals;
    list.into_iter().find(|proposal| proposal.id == id).expect("the proposal")
}

/// A hub whose database was dumped, and is restored.
pub(super) struct Restored {
    postgres: Postgres,
    pub(super) network: Network,
    folder: tempfile::TempDir,
}

impl Restored {
    pub(super) fn start() -> Option<(Self, retrace_hub::Running)> {
        let postgres = Postgres::start()?;
        let folder = tempfile::tempdir().expect("a folder");
        postgres.sql("postgres", "CREATE DATABASE first");
        postgres.sql("postgres", "CREATE DATABASE second");
        let options = HubOptions::new(&postgres.url_of("first"), &folder.path().join("hub.key"));
        let hub = retrace_hub::start(options).expect("a hub");
        let network = Network::before(&[hub.url()]);
        Some((Self { postgres, network, folder }, hub))
    }

    fn run(&self, name: &str, words: &[&str]) {
        let mut command = Command::new(self.postgres.programs().join(name));
        let output = command.args(words).stdin(Stdio::null()).output().expect("a program of PostgreSQL");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn file(&self) -> String {
        self.folder.path().join("hub.dump").display().to_string()
    }

    fn key_file(&self) -> std::path::PathBuf {
        Path::new(self.folder.path()).join("hub.key")
    }

    /// The restored database, for the doctor.
    pub(super) fn examined(&self) -> DoctorOptions {
        let database = self.postgres.url_of("second");
        DoctorOptions { database, key_file: Some(self.key_file()), whole: true, now: None }
    }

    pub(super) fn dump(&self) {
        self.run("pg_dump", &["-Fc", "-f", &self.file(), "-d", &self.postgres.url_of("first")]);
    }

    /// Serves the dump.
    pub(super) fn restore(&self, hub: retrace_hub::Running) -> retrace_hub::Running {
        hub.stop();
        self.run("pg_restore", &["--exit-on-error", "-d", &self.postgres.url_of("second"), &self.file()]);
        let options = HubOptions::new(&self.postgres.url_of("second"), &self.key_file());
        let hub = retrace_hub::start(options).expect("a hub over the restored database");
        self.network.turn_to(&[hub.url()]);
        hub
    }
}

#[test]
fn a_restored_hub_is_told_of_every_redaction_again() {
    let Some((restored, hub)) = Restored::start() else { return };
    let (a, b) = (Machine::new("a"), Machine::new("b"));
    a.join(&restored.network.url(), hub.owner_token().expect("a token")).expect("it joins");
    b.join(&restored.network.url(), &a.token()).expect("it joins");
    let whole = a.record("whole.md", "the whole of it has to go\n");
    a.record("keys.md", format!("deploy with {SECRET}\n"));
    b.record("same.md", "the whole of it has to go\n");
    b.record("notes.md", format!("what stays\nthe key is {SECRET}, ask first\n"));
    a.synced();
    b.synced();
    restored.dump();
    redact_version(&a, &whole.id);
    redact_secret(&a, true);
    a.synced();
    b.synced();
    let hub = restored.restore(hub);

    for machine in [&a, &b] {
        let problems = machine.sync().expect("an answer").problems;
        assert_eq!(problems.iter().map(|problem| problem.code).collect::<Vec<_>>(), [HubFault::HubCut]);
        let (exit, _, errors) = machine.run(&["sync", "--resend"]);
        assert_eq!(exit, retrace_cli::Exit::DONE, "{errors}");
    }
    for name in ["a", "b"] {
        for (path, content) in contents_of(&a, name) {
            assert_eq!(path.is_none(), content == "redacted", "{path:?} of {name} is {content}");
        }
        let gone = contents_of(&a, name).iter().filter(|(_, content)| content == "redacted").count();
        assert_eq!(gone, 2, "{name}");
    }
    a.synced();
    let list = commands::hub_redactions(&a.world.app, Nothing {}).expect("a list").redactions;
    assert!(!list.is_empty() && list.iter().all(|redaction| redaction.complete), "{list:?}");
    let checks = doctor(&restored.examined()).expect("it examines");
    assert!(checks.iter().all(|check| check.state != State::Error), "{checks:?}");
    hub.stop();
}

#[test]
fn a_hub_that_lost_a_redaction_and_no_version_is_told_of_it_by_the_next_sync() {
    let Some((restored, hub)) = Restored::start() else { return };
    let (a, b) = (Machine::new("a"), Machine::new("b"));
    a.join(&restored.network.url(), hub.owner_token().expect("a token")).expect("it joins");
    b.join(&restored.network.url(), &a.token()).expect("it joins");
    a.record("keys.md", format!("deploy with {SECRET}\n"));
    b.record("notes.md", format!("what stays, {SECRET}\n"));
    a.world.remove("keys.md");
    a.world.scan();
    a.synced();
    b.synced();
    restored.dump();
    // Nothing is live there any more, so no version comes of it.
    redact_secret(&a, false);
    a.synced();
    assert!(contents_of(&a, "b").iter().all(|(_, content)| content == "redacted"));
    let hub = restored.restore(hub);

    assert!(contents_of(&a, "b").iter().all(|(_, content)| content == "kept"), "the dump has it");
    a.synced();
    assert!(contents_of(&a, "b").iter().all(|(_, content)| content == "redacted"));
    assert!(contents_of(&a, "a").iter().any(|(_, content)| content == "redacted"));
    assert!(contents_of(&a, "a").iter().all(|(_, content)| content != "kept"));
    hub.stop();
}

#[test]
fn what_was_redacted_before_joining_is_looked_for_by_the_first_sync() {
    let Some((_hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    b.record("notes.md", format!("what stays\nthe key is {SECRET}, ask first\n"));
    b.record("same.md", "the whole of it has to go\n");
    b.record("other.md", "nothing of it\n");
    b.synced();
    let new = |name: &str| {
        let machine = Machine::new(name);
        let whole = machine.record("whole.md", "the whole of it has to go\n");
        machine.record("keys.md", format!("deploy with {SECRET}\n"));
        redact_version(&machine, &whole.id);
        redact_secret(&machine, true);
        machine
    };
    // Who reads no contents of others is told so; what is the same goes all the same.
    let writer = new("writer");
    writer.join(a.status().url.expect("it joined").as_str(), &a.token()).expect("it joins");
    let problems = writer.sync().expect("a sync").problems;
    assert_eq!(problems.iter().map(|problem| problem.code).collect::<Vec<_>>(), [HubFault::NotSearched]);
    let words = |path: &str| {
        let found = contents_of(&a, "b").into_iter().find(|(of, _)| of.as_deref() == Some(path));
        found.map(|(_, content)| content)
    };
    // The hub never had the bytes from it: somebody who reads contents has to agree.
    assert_eq!(words("same.md").as_deref(), Some("kept"));
    let orders = commands::hub_redactions(&a.world.app, Nothing {}).expect("a list").redactions;
    let waiting: Vec<_> = orders.iter().filter(|order| order.state.as_str() == "waiting").collect();
    assert!(!waiting.is_empty(), "{orders:?}");
    for order in waiting {
        let request = HubRedactionRef { id: order.id.clone() };
        commands::hub_approve_redaction(&a.world.app, request).expect("an owner agrees");
    }
    assert_eq!(words("same.md"), None, "it has no path any more");
    assert_eq!(words("notes.md").as_deref(), Some("kept"));
    writer.synced();

    let reviewer = new("reviewer");
    let url = a.status().url.expect("it joined");
    reviewer.join(&url, &token_of(&a, HubRole::Reviewer)).expect("it joins");
    reviewer.synced();
    assert_eq!(words("notes.md"), None);
    assert_eq!(words("other.md").as_deref(), Some("kept"));
    let carried = b.synced();
    assert_eq!(carried.redactions.len(), 2, "{carried:?}");
    assert_eq!(b.world.read("notes.md").as_deref(), Some("what stays\nthe key is [redacted], ask first\n"));
}

#[test]
fn what_is_redacted_between_two_identities_goes_from_the_chains_of_the_first() {
    let Some((_hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let url = a.status().url.expect("it joined");
    let whole = b.record("whole.md", "the whole of it has to go\n");
    b.record("keys.md", format!("deploy with {SECRET}\n"));
    b.synced();
    commands::hub_leave(&b.world.app, HubLeaveReq { new_identity: true }).expect("it leaves");
    redact_version(&b, &whole.id);
    redact_secret(&b, true);
    b.join(&url, &token_of(&a, HubRole::Reviewer)).expect("it joins");
    b.synced();
    let old: Vec<_> = contents_of(&a, "b").into_iter().filter(|(_, content)| content == "redacted").collect();
    assert_eq!(old.len(), 4, "two of each identity: {old:?}");
}

#[test]
fn a_proposal_does_not_bring_back_what_was_redacted() {
    let Some((_hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    a.record("keys.md", format!("deploy with {SECRET}\n"));
    let version = b.record("notes.md", "as it is\n");
    a.synced();
    b.synced();
    let text = format!("as it might be, with {SECRET} in it\n");
    let in_text = propose(&a, &version.id, &text, None).expect("a proposal");
    let note = format!("ask for {SECRET} first");
    let in_note = propose(&a, &version.id, "as it might be\n", Some(&note)).expect("a proposal");
    let neither = propose(&a, &version.id, "as it might be\n", Some("why not")).expect("a proposal");
    redact_secret(&a, true);
    a.synced();
    assert_eq!(now(&b, &in_text.id).state.as_str(), "withdrawn");
    let seen = now(&b, &in_note.id);
    assert_eq!((seen.state.as_str(), seen.note.as_deref()), ("withdrawn", Some("ask for [redacted] first")));
    assert_eq!(now(&b, &neither.id).state.as_str(), "waiting");
    let list = commands::hub_redactions(&a.world.app, Nothing {}).expect("a list").redactions;
    assert_eq!(list.iter().map(|redaction| redaction.texts).sum::<u64>(), 2, "{list:?}");

    // It is not proposed again, in words that another writer is refused with.
    for (text, note) in [(text.as_str(), None), ("something\n", Some(note.as_str()))] {
        let refused = propose(&a, &version.id, text, note).expect_err("it is kept out");
        assert_eq!(refused.code, Code::ContentRedacted);
        assert_eq!(refused.message.text(), "The content holds what was redacted.");
        assert!(!refused.hint.text().is_empty());
    }
}

#[test]
fn a_machine_refuses_a_proposal_that_holds_what_it_redacted() {
    let Some((_hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let version = b.record("notes.md", "as it is\n");
    b.record("keys.md", format!("deploy with {SECRET}\n"));
    b.synced();
    let proposal = propose(&a, &version.id, &format!("with {SECRET}\n"), None).expect("a proposal");
    redact_secret(&b, true);
    // A writer's search ends at its own contents.
    assert_eq!(b.sync().expect("a sync").problems[0].code, HubFault::NotSearched);
    assert_eq!(now(&b, &proposal.id).state.as_str(), "waiting");
    let accepted = HubProposalRef { id: proposal.id.clone() };
    let ended = commands::hub_accept_proposal(&b.world.app, accepted).expect("an answer");
    assert_eq!((ended.state.as_str(), ended.reason.as_deref()), ("refused", Some("content_redacted")));
    let why = ended.why.expect("it is told in words");
    assert_eq!(why.text(), "It is about a content that was redacted there, or holds what was.");
    assert_eq!(b.world.read("notes.md").as_deref(), Some("as it is\n"));
}

#[test]
fn a_comment_loses_what_was_redacted_and_brings_none_of_it() {
    let Some((_hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    a.record("keys.md", format!("deploy with {SECRET}\n"));
    let version = b.record("notes.md", "as it is\n");
    a.synced();
    b.synced();
    let role = HubRoleReq { machine: "b".to_owned(), role: HubRole::Reviewer };
    commands::hub_set_role(&a.world.app, role).expect("a role");
    comment(&b, &version.id, &format!("is it {SECRET}, still?")).expect("a comment");
    comment(&a, &version.id, "nothing of it").expect("a comment");
    redact_secret(&a, true);
    a.synced();
    let texts = |machine: &Machine| {
        let comments = show(machine, &version.id).comments.into_iter();
        comments.map(|comment| comment.text.unwrap_or_default()).collect::<Vec<_>>()
    };
    assert_eq!(texts(&a), ["is it [redacted], still?", "nothing of it"]);
    let (_, output, _) = a.run(&["hub", "redactions"]);
    assert!(output.contains("taken out of 1 other text"), "{output}");
    let refused = comment(&a, &version.id, &format!("it was {SECRET}")).expect_err("it is kept out");
    assert_eq!(refused.code, Code::ContentRedacted);
    // The very same comment is known again at the hub, whoever sends it.
    let refused = comment(&b, &version.id, &format!("is it {SECRET}, still?")).expect_err("it stays out");
    assert_eq!(refused.code, Code::Invalid);
    assert_eq!(texts(&b).len(), 2);
}

#[test]
fn a_content_in_which_it_came_back_stays_on_its_machine() {
    let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    a.record("keys.md", format!("deploy with {SECRET}\n"));
    b.record("notes.md", format!("the key is {SECRET}, ask first\n"));
    a.synced();
    b.synced();
    redact_secret(&a, true);
    a.synced();
    assert_eq!(b.synced().redactions.len(), 1);
    let kept = || hub.database.query("SELECT count(*) FROM contents");
    let before = kept();
    // Here, and on a machine that carried the order out: both know it again.
    for machine in [&a, &b] {
        let back = machine.record("again.md", format!("another text with {SECRET} in it\n"));
        let synced = machine.synced();
        assert_eq!((synced.stores[0].withheld, synced.stores[0].contents), (1, 0), "{synced:?}");
        assert_eq!(show(&a, &back.id).version.content, "not_sent");
        assert_eq!(machine.synced().stores[0].withheld, 0, "it is told once");
    }
    assert_eq!(kept(), before);
    let (_, output, _) = {
        a.record("once more.md", format!("a third text with {SECRET} in it\n"));
        a.run(&["sync"])
    };
    assert!(output.contains("1 content not sent: they hold what was redacted here"), "{output}");
    // Once the text is gone, everything is sent.
    a.record("again.md", "another text without it\n");
    let synced = a.synced();
    assert_eq!((synced.stores[0].withheld, synced.stores[0].contents), (0, 1));
}

#[test]
fn a_version_is_named_with_the_name_of_its_machine() {
    let Some(hub) = Hub::start() else { return };
    let a = Machine::new("a");
    let version = a.record("fact.md", "as it is\n");
    let b = a.copy();
    a.join(hub.url(), hub.running.owner_token().expect("nobody joined yet")).expect("it joins");
    b.join_with(hub.url(), &a.token(), |request| request.name = Some("tower".to_owned())).expect("it joins");
    a.synced();
    b.synced();
    assert_eq!(show(&a, &format!("{}@tower", version.id)).version.machine_name, "tower");
    assert_eq!(show(&a, &format!("{}@a", version.id)).version.machine_name, "a");
    let show = |version: &str| {
        let request = HubShowReq { version: version.to_owned(), content: false };
        commands::hub_show(&a.world.app, request).map(drop).expect_err("it names none")
    };
    let several = show(&version.id);
    assert_eq!(several.code, Code::Invalid);
    let text = several.message.text().to_string();
    assert!(text.contains("a machine_") && text.contains("tower machine_"), "{text}");
    assert_eq!(show(&format!("{}@nobody", version.id)).code, Code::NotFound);
}

#[test]
fn a_policy_says_what_it_is_not_about() {
    let Some((_hub, [a])) = Hub::with_machines(["a"]) else { return };
    a.record("fact.md", "as it is\n");
    a.synced();
    let set = |key: &str, value: &str| {
        let request = HubPolicyReq { key: key.to_owned(), value: value.to_owned() };
        commands::hub_set_policy(&a.world.app, request)
    };
    let note = set("retention_days.nosuch", "5").expect("one may come later").note.expect("a note");
    assert!(note.text().contains("no store called \"nosuch\" now"), "{}", note.text());
    for key in ["retention_days.notes", "retention_days.*", "retention_days.transcripts"] {
        assert!(set(key, "5").expect("a policy").note.is_none(), "{key}");
    }
    assert!(set("retention_days.nosuch", "none").expect("a policy").note.is_none());
    let refused = set("required_rules", "hidden,nosuchrule").expect_err("no such rule");
    assert_eq!((refused.code, refused.subject.as_str()), (Code::Invalid, "nosuchrule"));
    assert!(refused.hint.text().contains("hidden/zero-width"), "{}", refused.hint.text());
    set("required_rules", "hidden, secret").expect("groups");
}

#[test]
fn a_fork_is_told_once_and_with_what_the_hub_has() {
    let Some((_hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    a.record("fact.md", "the first\n");
    a.synced();
    let copy = a.copy();
    let version = a.record("fact.md", "the second\n");
    a.record("fact.md", "the third\n");
    a.synced();
    let role = HubRoleReq { machine: "b".to_owned(), role: HubRole::Reviewer };
    commands::hub_set_role(&a.world.app, role).expect("a role");
    copy.world.write("fact.md", "another one\n");
    copy.world.scan();
    // What waits for it makes the sync send twice.
    propose(&b, &version.id, "as it might be\n", None).expect("a proposal");
    let accept = retrace_api::wire::HubAcceptReq { store: "notes".to_owned(), accept: true };
    commands::hub_accept(&copy.world.app, accept).expect("it accepts proposals");
    let request = retrace_api::wire::HubSyncReq { resend: true, ..Default::default() };
    let synced = commands::hub_sync(&copy.world.app, request).expect("an answer");
    assert_eq!(synced.problems.iter().map(|problem| problem.code).collect::<Vec<_>>(), [HubFault::Fork]);
    assert_eq!(synced.stores[0].seq, 3, "what the hub has");
}

#[test]
fn who_is_refused_is_told_what_helps() {
    let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let version = a.record("fact.md", "as it is\n");
    a.synced();
    let refused = comment(&b, &version.id, "a writer's words").expect_err("a writer comments on nothing");
    assert_eq!(refused.code, Code::KeyRefused);
    assert_eq!(refused.hint.text(), "Run it on a machine of an owner or a reviewer.");
    let refused = commands::hub_token(&b.world.app, HubTokenReq::default()).map(drop).expect_err("a writer");
    assert_eq!(refused.hint.text(), "Run it on a machine of an owner.");
    let history = HubHistoryReq { memory: "notes:nosuch.md".to_owned(), ..HubHistoryReq::default() };
    let unknown = commands::hub_history(&a.world.app, history).map(drop).expect_err("no such memory");
    assert_eq!(unknown.code, Code::NotFound);

    // A hub that is not there: joining goes on with nothing.
    let url = hub.url().to_owned();
    hub.running.stop();
    let c = Machine::new("c");
    let refused = c.join(&url, "rthub_x_y").expect_err("nobody answers");
    assert_eq!(refused.code, Code::StoreUnavailable);
    assert_eq!(refused.hint.text(), "Check the address, and that the hub runs; then join again.");
}

#[test]
fn a_redaction_names_the_contents_that_no_search_sees() {
    let Some((hub, [a])) = Hub::with_machines(["a"]) else { return };
    a.record("fact.md", format!("before, with {SECRET}\n"));
    a.record("fact.md", "after\n");
    a.synced();
    let copies = || commands::hub_redactions(&a.world.app, Nothing {}).expect("a list").copies;
    let tells = |copies: &[retrace_api::wire::Message]| {
        copies.iter().any(|copy| copy.text().contains("retention dropped it"))
    };
    assert!(!tells(&copies()));
    hub.database.sql(
        "UPDATE versions SET expired = true WHERE seq = 1; DELETE FROM contents WHERE sha256 =
        (SELECT content_sha256 FROM versions WHERE seq = 1)",
    );
    assert!(tells(&copies()));
}
