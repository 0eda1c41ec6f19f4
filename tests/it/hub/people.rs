//! People sign in at an identity provider; who they are is believed for as long as everything fits.

use super::{Hub, Machine, Signer};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use retrace_api::commands;
use retrace_api::wire::{
    ApiError, Code, HubApproveReq, HubAuditReq, HubCommentReq, HubInboxReq, HubPerson, HubPolicyReq,
    HubRedactionRef, HubSignInReq, HubTokenReq, Nothing, RedactReq,
};
use retrace_cli::Exit;
use retrace_hub::{HubOptions, People, ProviderOptions, Running};
use retrace_tests::oidc::{CLIENT, Provider, Signing, Token, seconds};
use serde_json::json;

/// One more process over the database of a hub, which believes a provider.
fn with_provider(hub: &Hub, provider: &Provider, domains: &[&str]) -> Running {
    let options = ProviderOptions {
        issuer: provider.issuer(),
        client_id: CLIENT.to_owned(),
        domains: domains.iter().map(|domain| (*domain).to_owned()).collect(),
        hours: 12,
        window_role: None,
    };
    retrace_hub::start(HubOptions { people: People::Of(options), ..hub.options() }).expect("a process")
}

/// A sign-in on a machine, which the provider answers as it was told.
fn sign_in(machine: &Machine) -> Result<Option<HubPerson>, ApiError> {
    let begun = commands::hub_sign_in(&machine.world.app, Nothing {})?;
    finish(machine, &begun.handle)
}

fn finish(machine: &Machine, handle: &str) -> Result<Option<HubPerson>, ApiError> {
    let request = HubSignInReq { handle: handle.to_owned() };
    commands::hub_finish_sign_in(&machine.world.app, request).map(|state| state.signed_in)
}

fn rows(machine: &Machine) -> Vec<retrace_api::wire::HubAuditRow> {
    let request = HubAuditReq { limit: Some(1_000), ..HubAuditReq::default() };
    commands::hub_audit(&machine.world.app, request).expect("the audit log").rows
}

#[test]
fn who_signed_in_is_who_acts() {
    let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let app = &a.world.app;
    let refused = commands::hub_sign_in(app, Nothing {}).map(drop).expect_err("no provider");
    assert_eq!(refused.code, Code::NotFound);
    let offered = || commands::hub_machines(app, Nothing {}).expect("machines").sign_in;
    assert!(!offered(), "there is nothing to sign in at");
    let provider = Provider::start();
    // The first process serves on: which provider is believed is told by the database.
    let second = with_provider(&hub, &provider, &[]);
    assert!(offered());

    let begun = commands::hub_sign_in(app, Nothing {}).expect("it begins");
    assert_eq!(begun.user_code, "WDJB-MJHT");
    assert!(begun.verification_uri.starts_with(&provider.issuer()));
    assert_eq!(finish(&a, &begun.handle).expect("it waits"), None);
    provider.refuse("slow_down");
    let request = HubSignInReq { handle: begun.handle.clone() };
    assert!(commands::hub_finish_sign_in(app, request).expect("it waits").slower);
    provider.approve("ann");
    let person = finish(&a, &begun.handle).expect("an answer").expect("she signed in");
    assert_eq!((person.person.as_str(), person.name.as_str()), ("ann@example.com", "Name of ann"));
    assert_eq!(a.status().signed_in.as_ref(), Some(&person));
    // It is used up.
    assert_eq!(finish(&a, &begun.handle).expect_err("used").code, Code::KeyRefused);

    b.record("fact.md", "a fact\n");
    b.synced();
    let item = commands::hub_inbox(app, HubInboxReq::default()).expect("an inbox").items.remove(0);
    let comment = HubCommentReq { version: item.id.clone(), text: "Is it?".to_owned() };
    commands::hub_comment(app, comment).expect("a comment");
    commands::hub_approve(app, HubApproveReq { versions: vec![item.id.clone()] }).expect("approved");
    let show = retrace_api::wire::HubShowReq { version: item.id.clone(), content: false };
    let shown = commands::hub_show(app, show.clone()).expect("the version");
    assert_eq!((shown.comments[0].person.as_str(), shown.comments[0].verified), ("ann@example.com", true));
    assert_eq!((shown.reviews[0].person.as_str(), shown.reviews[0].verified), ("ann@example.com", true));
    let listed = commands::hub_machines(app, Nothing {}).expect("machines").machines;
    assert_eq!(listed[0].signed_in.as_ref(), Some(&person));
    assert_eq!(listed[1].signed_in, None);
    let audit = rows(&a);
    let of = |action: &str| audit.iter().rfind(|row| row.action == action).expect(action);
    for action in ["sign_in", "approve", "comment"] {
        assert_eq!((of(action).person.as_deref(), of(action).verified), (Some("ann@example.com"), true));
    }
    assert!(!of("append").verified, "nobody is signed in on the other machine");
    assert!(of("provider").after.as_deref().is_some_and(|after| after.contains(CLIENT)));

    // Signed out, the machine says again who it is.
    let (exit, _, errors) = a.run(&["hub", "sign-out"]);
    assert_eq!(exit, Exit::DONE, "{errors}");
    assert_eq!(a.status().signed_in, None);
    let comment = HubCommentReq { version: item.id, text: "And now?".to_owned() };
    commands::hub_comment(app, comment).expect("a comment");
    let shown = commands::hub_show(app, show).expect("the version");
    assert!(!shown.comments[1].verified);

    // Nothing that the provider handed out is in the database.
    let tables = hub.database.query(
        "SELECT (SELECT coalesce(string_agg(row_to_json(s)::text, ''), '') FROM sign_ins s)
             || (SELECT string_agg(row_to_json(a)::text, '') FROM audit a)",
    );
    assert!(tables.contains("ann@example.com"));
    for token in provider.handed_out() {
        assert!(!tables.contains(&token), "a token is kept");
    }
    second.stop();
}

/// Begins a sign-in whose token was changed, and answers what the machine is told.
fn refused(
    machine: &Machine,
    provider: &Provider,
    change: impl FnOnce(&mut Token) + Send + 'static,
) -> String {
    provider.answer(change);
    let error = sign_in(machine).expect_err("a token that is not believed");
    assert_eq!(error.code, Code::KeyRefused);
    assert!(error.hint.text().contains("sign-in"), "{}", error.hint.text());
    assert_eq!(machine.status().signed_in, None);
    let message = error.message.text().to_string();
    for token in provider.handed_out() {
        assert!(
            !message.contains(&token)
                && !token.split('.').any(|part| !part.is_empty() && message.contains(part))
        );
    }
    message
}

#[test]
fn a_token_that_does_not_fit_is_not_believed() {
    let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let provider = Provider::start();
    let second = with_provider(&hub, &provider, &["example.com"]);
    let claim = |name: &'static str, value: serde_json::Value| {
        move |token: &mut Token| token.claims[name] = value.clone()
    };
    let now = seconds();
    for (change, why) in [
        (claim("aud", json!("another-client")), "another client"),
        (claim("aud", json!([CLIENT, "another-client"])), "another client"),
        (claim("azp", json!("another-client")), "another client"),
        (claim("iss", json!("https://elsewhere.example")), "another issuer"),
        (claim("iss", json!([provider.issuer()])), "cannot be read"),
        (claim("exp", json!(now - 3_600)), "expired"),
        (claim("exp", json!("9999999999")), "cannot be read"),
        (claim("exp", json!(null)), "cannot be read"),
        (claim("nbf", json!(now + 3_600)), "does not hold yet"),
        (claim("iat", json!(now + 3_600)), "does not hold yet"),
        (claim("iat", json!(now - 3_600)), "another sign-in"),
        (claim("nonce", json!("of another sign-in")), "another sign-in"),
        (claim("sub", json!("")), "names nobody"),
        (claim("email", json!("ann@elsewhere.example")), "no verified address"),
        (claim("email", json!("ann@example.com.elsewhere.example")), "no verified address"),
        (claim("email_verified", json!(false)), "no verified address"),
    ] {
        let told = refused(&a, &provider, change);
        assert!(told.contains(why), "{why}: {told}");
    }
    let signed = |signing: Signing| move |token: &mut Token| token.signing = signing.clone();
    let header = |name: &'static str, value: serde_json::Value| {
        move |token: &mut Token| token.header[name] = value.clone()
    };
    for (told, why) in [
        (refused(&a, &provider, signed(Signing::None)), "key of the provider"),
        (refused(&a, &provider, signed(Signing::PublicKeyAsSecret)), "key of the provider"),
        (refused(&a, &provider, signed(Signing::Stranger("ec-1".to_owned()))), "signature does not fit"),
        (refused(&a, &provider, signed(Signing::Stranger("ec-9".to_owned()))), "key of the provider"),
        // The key says how it signs, and not the token.
        (refused(&a, &provider, header("alg", json!("RS256"))), "key of the provider"),
        (refused(&a, &provider, header("alg", json!("ES384"))), "key of the provider"),
        (refused(&a, &provider, header("kid", json!("rsa-1"))), "key of the provider"),
        (refused(&a, &provider, header("crit", json!(["exp"]))), "cannot be read"),
    ] {
        assert!(told.contains(why), "{why}: {told}");
    }
    // What another sign-in was given, and what another machine was given, are of no use here.
    let begun = commands::hub_sign_in(&b.world.app, Nothing {}).expect("it begins");
    provider.approve("ann");
    let stolen = finish(&a, &begun.handle).expect_err("of another machine");
    assert!(stolen.message.text().contains("did not begin on this machine"), "{}", stolen.message.text());
    assert_eq!(a.status().signed_in, None);
    let person = finish(&b, &begun.handle).expect("an answer").expect("they signed in");
    assert_eq!(person.person, "ann@example.com");
    // A signed request of the other machine with the same handle gets no further.
    let body = json!({ "handle": begun.handle }).to_string();
    let (status, answer) = Signer::of(&a).send(hub.url(), "finish_sign_in", body.as_bytes());
    assert_eq!(status, 403, "{answer}");
    let (status, answer) = Signer::of(&a).send(hub.url(), "finish_sign_in", br#"{"handle":"AAAA"}"#);
    assert_eq!(status, 403, "{answer}");
    for error in ["access_denied", "expired_token"] {
        provider.refuse(error);
        assert_eq!(sign_in(&a).expect_err(error).code, Code::KeyRefused);
    }
    let refusals =
        rows(&a).into_iter().filter(|row| row.action == "finish_sign_in" && row.outcome == "refused");
    assert!(refusals.count() >= 24, "refusals are in the audit log");
    second.stop();
}

#[test]
fn keys_change_and_a_sign_in_ends() {
    let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let provider = Provider::start();
    let second = with_provider(&hub, &provider, &[]);
    // The other algorithm, and an audience that is a list.
    provider.answer(|token| {
        token.signing = Signing::Key("rsa-1".to_owned());
        token.claims["aud"] = json!([CLIENT]);
        token.claims.as_object_mut().expect("claims").remove("nonce");
    });
    assert!(sign_in(&a).expect("an answer").is_some());
    provider.rotate("ec-2");
    provider.approve("ben");
    let person = sign_in(&a).expect("an answer").expect("with the new key");
    assert_eq!(person.person, "ben@example.com");
    let told = refused(&b, &provider, |token| token.signing = Signing::Stranger("ec-1".to_owned()));
    assert!(told.contains("key of the provider"), "{told}");
    // Somebody without a verified address is named by what nobody else has.
    provider.answer(|token| token.claims["email_verified"] = json!(false));
    let person = sign_in(&b).expect("an answer").expect("they signed in");
    assert_eq!(person.person, "Ann (ann)");

    // Its time is over.
    hub.database.sql("UPDATE sign_ins SET ends_at = 1");
    let listed = commands::hub_machines(&a.world.app, Nothing {}).expect("machines").machines;
    assert!(listed.iter().all(|machine| machine.signed_in.is_none()));
    commands::hub_policy(&a.world.app, Nothing {}).expect("a policy");
    commands::hub_token(&a.world.app, HubTokenReq::default()).map(drop).expect("a token");
    let row = rows(&a).into_iter().rfind(|row| row.action == "token").expect("the row");
    assert!(!row.verified && row.person.is_none());

    // Who leaves takes the sign-in along; another provider, or none, ends all of them.
    provider.approve("ann");
    sign_in(&b).expect("an answer");
    commands::hub_leave(&b.world.app, retrace_api::wire::HubLeaveReq::default()).expect("it leaves");
    b.join(hub.url(), &a.token()).expect("it joins again");
    provider.approve("ben");
    sign_in(&a).expect("an answer");
    let signed = |machine: &Machine| {
        let machines = commands::hub_machines(&machine.world.app, Nothing {}).expect("machines").machines;
        machines
            .into_iter()
            .filter_map(|machine| Some((machine.name, machine.signed_in?.person)))
            .collect::<Vec<_>>()
    };
    assert_eq!(signed(&a), [("a".to_owned(), "ben@example.com".to_owned())]);
    second.stop();
    let without = HubOptions { people: People::NoProvider, ..hub.options() };
    let third = retrace_hub::start(without).expect("a process");
    assert_eq!(signed(&a), []);
    third.stop();

    for bad in ["http://provider.example", "provider.example", "https://provider.example/?a=b", ""] {
        let options = ProviderOptions {
            issuer: bad.to_owned(),
            client_id: CLIENT.to_owned(),
            domains: Vec::new(),
            hours: 12,
            window_role: None,
        };
        let options = HubOptions { people: People::Of(options), ..hub.options() };
        let failure = retrace_hub::start(options).map(drop).expect_err(bad);
        assert!(failure.hint().contains("--oidc-issuer"), "{bad}: {failure}");
    }
}

#[test]
fn a_provider_that_fails_is_told_and_signs_nobody_in() {
    let Some((hub, [a])) = Hub::with_machines(["a"]) else { return };
    let provider = Provider::start();
    let second = with_provider(&hub, &provider, &[]);
    provider.refuse("unauthorized_client");
    let error = sign_in(&a).expect_err("refused");
    assert_eq!(error.code, Code::StoreUnavailable);
    assert!(error.message.text().contains("unauthorized_client"), "{}", error.message.text());
    provider.without_device_flow();
    let error = commands::hub_sign_in(&a.world.app, Nothing {}).map(drop).expect_err("no device flow");
    assert!(error.message.text().contains("no device authorization"), "{}", error.message.text());
    second.stop();
    let gone = ProviderOptions {
        issuer: "http://127.0.0.1:1".to_owned(),
        client_id: CLIENT.to_owned(),
        domains: Vec::new(),
        hours: 1,
        window_role: None,
    };
    let options = HubOptions { people: People::Of(gone), ..hub.options() };
    let third = retrace_hub::start(options).expect("a process starts without its provider");
    let error = commands::hub_sign_in(&a.world.app, Nothing {}).map(drop).expect_err("not reached");
    assert_eq!(error.code, Code::StoreUnavailable);
    assert_eq!(a.status().signed_in, None);
    third.stop();
}

#[test]
fn two_persons_are_two_persons_and_not_two_machines() {
    let Some((hub, [a, b, c])) = Hub::with_machines(["a", "b", "c"]) else { return };
    let provider = Provider::start();
    let second = with_provider(&hub, &provider, &[]);
    let app = &a.world.app;
    let key = |key: &str, value: &str| HubPolicyReq { key: key.to_owned(), value: value.to_owned() };
    commands::hub_set_policy(app, key("two_person_redaction", "true")).expect("a policy");
    for machine in ["b", "c"] {
        let role = retrace_api::wire::HubRole::Reviewer;
        let role = retrace_api::wire::HubRoleReq { machine: machine.to_owned(), role };
        commands::hub_set_role(app, role).expect("a role");
    }
    let redact = |text: &str| {
        for machine in [&a, &b] {
            machine.record("same.md", text);
            machine.synced();
        }
        let request =
            RedactReq { secret_base64: Some(STANDARD.encode(text)), live: true, ..RedactReq::default() };
        commands::redact(app, request).expect("a redaction");
        a.synced();
        let shown = commands::hub_redactions(app, Nothing {}).expect("redactions").redactions.remove(0);
        assert_eq!(shown.state.as_str(), "waiting");
        shown.id
    };
    let approve = |machine: &Machine, id: &str| {
        let request = HubRedactionRef { id: id.to_owned() };
        let all = commands::hub_approve_redaction(&machine.world.app, request)?;
        Ok::<_, ApiError>(
            all.redactions.into_iter().find(|redaction| redaction.id == id).expect("it is listed"),
        )
    };

    // Ann redacts, signed in: on no other machine is she a second person, and neither is nobody.
    provider.approve("ann");
    sign_in(&a).expect("an answer");
    let id = redact("the first secret of two machines\n");
    let error = approve(&b, &id).map(drop).expect_err("nobody");
    assert_eq!(error.code, Code::KeyRefused);
    assert!(error.hint.text().contains("hub sign-in"), "{}", error.hint.text());
    provider.approve("ann");
    sign_in(&b).expect("an answer");
    let error = approve(&b, &id).map(drop).expect_err("the same person");
    assert!(error.message.text().contains("first of the two persons"), "{}", error.message.text());
    provider.approve("ben");
    sign_in(&b).expect("an answer");
    let approved = approve(&b, &id).expect("a second person");
    assert_eq!((approved.state.as_str(), approved.approved_verified), ("ordered", true));
    assert_eq!(approved.first_person.as_deref(), Some("ann@example.com"));
    assert!(approved.approved_by.is_some_and(|who| who.starts_with("ben@example.com")));

    // Nobody is signed in where it is redacted: then two persons approve.
    commands::hub_sign_out(app, Nothing {}).expect("signed out");
    let id = redact("the second secret of two machines\n");
    let first = approve(&b, &id).expect("the first person");
    assert_eq!((first.state.as_str(), first.first_person.as_deref()), ("waiting", Some("ben@example.com")));
    assert!(approve(&b, &id).is_err());
    provider.approve("ben");
    sign_in(&c).expect("an answer");
    assert!(approve(&c, &id).is_err(), "another machine, the same person");
    // Another person counts, also on the machine that redacted.
    provider.approve("ann");
    sign_in(&a).expect("an answer");
    assert_eq!(approve(&a, &id).expect("a second person").state.as_str(), "ordered");
    second.stop();
}

#[test]
fn a_person_signs_in_from_a_terminal() {
    let Some((hub, [a])) = Hub::with_machines(["a"]) else { return };
    let provider = Provider::start();
    let second = with_provider(&hub, &provider, &[]);
    provider.approve("ann");
    let (exit, out, errors) = a.run(&["hub", "sign-in"]);
    assert_eq!(exit, Exit::DONE, "{errors}");
    assert!(
        out.contains("enter the code WDJB-MJHT") && out.contains("Signed in as ann@example.com"),
        "{out}"
    );
    let (_, out, _) = a.run(&["hub", "status"]);
    assert!(out.contains("signed in as ann@example.com"), "{out}");
    let (_, out, _) = a.run(&["hub", "machines"]);
    assert!(out.contains("signed in: ann@example.com"), "{out}");
    let (_, out, _) = a.run(&["hub", "audit"]);
    assert!(out.contains("(ann@example.com, signed in)"), "{out}");
    second.stop();
}
