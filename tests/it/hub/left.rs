//! A redaction looks at every text that the hub keeps: agents' keys and policies lose it, rows of the audit log that hold it are named
//! until they are masked, and looking again finds what was written since.

use super::stores_off_the_list::api;
use super::{Hub, Machine};
use retrace_api::commands;
use retrace_api::wire::{
    Code, HubAgentTokenRef, HubAgentTokenReq, HubCommentReq, HubPolicyReq, HubRedaction, HubRedactionRef,
    HubRole, HubRoleReq, HubShowReq, HubTextLeft, Nothing, RedactReq,
};
use serde_json::json;

const SECRET: &str = "quartz-heron-5521-opens";

fn redact(machine: &Machine) {
    let request = RedactReq { find: Some(SECRET.to_owned()), live: true, ..RedactReq::default() };
    commands::redact(&machine.world.app, request).expect("a redaction");
}

fn redactions(machine: &Machine) -> Vec<HubRedaction> {
    commands::hub_redactions(&machine.world.app, Nothing {}).expect("a list").redactions
}

fn left(machine: &Machine) -> Vec<HubTextLeft> {
    redactions(machine).into_iter().flat_map(|redaction| redaction.left).collect()
}

fn set_policy(machine: &Machine, key: &str) -> Result<(), retrace_api::wire::ApiError> {
    let request = HubPolicyReq { key: key.to_owned(), value: "30".to_owned() };
    commands::hub_set_policy(&machine.world.app, request).map(drop)
}

#[test]
fn every_text_at_the_hub_loses_a_secret_and_rows_of_the_audit_log_are_named() {
    let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let named = HubAgentTokenReq { name: Some(format!("{SECRET}-ci")), ..HubAgentTokenReq::default() };
    let key = commands::hub_agent_token(&a.world.app, named.clone()).expect("a key");
    let metadata = json!({ "name": "of agents", "metadata": { "say \"hello\"": format!("\"{SECRET}\"") } });
    let store = api(&hub, &key.token, "/v1/memory_stores", &metadata, "sesn_agent");
    assert!(store["id"].is_string(), "{store}");
    let days = format!("retention_days.notes {SECRET}");
    set_policy(&a, &days).expect("a policy");
    a.record("keys.md", format!("deploy with {SECRET}\n"));
    b.record("other.md", "nothing of it\n");
    a.synced();
    b.synced();
    for table in ["agent_tokens", "api_stores", "audit", "policies"] {
        assert!(hub.tables_with(SECRET).iter().any(|with| with == table), "{table} has it at first");
    }

    redact(&a);
    a.synced();
    assert_eq!(hub.tables_with(SECRET), ["audit"], "nothing changes the audit log");
    let numbers = hub.database.query(&format!(
        "SELECT string_agg(seq::text, ', ' ORDER BY seq) FROM audit a WHERE a::text LIKE '%{SECRET}%'"
    ));
    let [of_audit] = &left(&a)[..] else { panic!("{:?}", left(&a)) };
    let text = of_audit.message.text();
    assert!(text.contains(&numbers) && text.contains("audit log"), "{numbers}: {text}");
    assert_eq!(of_audit.numbers.len() as u64, of_audit.rows);
    assert!(of_audit.hint.text().contains("recheck"), "{:?}", of_audit.hint);
    let (_, output, _) = a.run(&["hub", "redactions"]);
    assert!(output.contains(&numbers) && !output.contains(SECRET), "{output}");

    // The days hold as before, and the key is ended by the id that it has now.
    let policy = commands::hub_policy(&a.world.app, Nothing {}).expect("a policy");
    let days_of = |store: &str| policy.retention_days.get(store).copied();
    assert_eq!(days_of("notes [redacted]"), Some(30), "{policy:?}");
    let made = json!({ "path": "/a.md", "content": "still taken\n" });
    let memories = format!("/v1/memory_stores/{}/memories", store["id"].as_str().expect("an id"));
    assert_eq!(api(&hub, &key.token, &memories, &made, "sesn_agent")["path"], "/a.md");
    let keys = || commands::hub_agent_tokens(&a.world.app, Nothing {}).expect("keys").tokens;
    let id = keys().remove(0).id;
    assert!(id.starts_with("apikey_redacted-"), "{id}");
    commands::hub_agent_token_revoke(&a.world.app, HubAgentTokenRef { id }).expect("it ends");
    assert!(keys().remove(0).revoked_at.is_some());

    // It does not come back, and searching again makes no other redaction of it.
    assert_eq!(set_policy(&a, &days).expect_err("it is kept out").code, Code::ContentRedacted);
    let again = commands::hub_agent_token(&a.world.app, named).map(drop).expect_err("it is kept out");
    assert_eq!(again.code, Code::ContentRedacted);
    let (exit, _, errors) = a.run(&["sync", "--resend"]);
    assert_eq!(exit, retrace_cli::Exit::DONE, "{errors}");
    assert_eq!((redactions(&a).len(), left(&a).len()), (1, 1));
    assert_eq!(hub.tables_with(SECRET), ["audit"]);

    // Masked as docs/HUB.md says, it is named no more.
    hub.database.sql(&format!(
        "ALTER TABLE audit DISABLE TRIGGER audit_rows_stay;
         UPDATE audit SET subject = '[redacted]', person = NULL WHERE seq IN ({numbers});
         ALTER TABLE audit ENABLE TRIGGER audit_rows_stay"
    ));
    let id = redactions(&a).remove(0).id;
    commands::hub_recheck_redaction(&a.world.app, HubRedactionRef { id }).expect("it looks again");
    assert_eq!((left(&a).len(), hub.tables_with(SECRET)), (0, Vec::new()));
}

#[test]
fn looking_again_finds_what_was_written_since() {
    let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let role = HubRoleReq { machine: "b".to_owned(), role: HubRole::Reviewer };
    commands::hub_set_role(&a.world.app, role).expect("a role");
    a.record("keys.md", format!("deploy with {SECRET}\n"));
    let other = a.record("other.md", "nothing of it\n").id;
    a.synced();
    redact(&a);
    a.synced();
    // That machine never had it, so it does not know it.
    let request = HubCommentReq { version: other.clone(), text: format!("was it {SECRET}?") };
    commands::hub_comment(&b.world.app, request).expect("a comment");
    a.synced();
    let said = || {
        let request = HubShowReq { version: other.clone(), content: false };
        let comments = commands::hub_show(&a.world.app, request).expect("a version").comments;
        comments.into_iter().filter_map(|comment| comment.text).collect::<Vec<_>>()
    };
    assert_eq!(said(), [format!("was it {SECRET}?")]);
    let of_order = |list: Vec<HubRedaction>| list.into_iter().map(|one| one.id).collect::<Vec<_>>();
    let orders = of_order(redactions(&a));
    let request = HubRedactionRef { id: orders[0].clone() };
    commands::hub_recheck_redaction(&a.world.app, request).expect("it looks again");
    a.synced();
    assert_eq!(said(), ["was it [redacted]?"]);
    assert_eq!(of_order(redactions(&a)), orders, "it is the same redaction");
    assert!(redactions(&a)[0].texts > 0);
    assert_eq!(hub.tables_with(SECRET), Vec::<String>::new());
}
