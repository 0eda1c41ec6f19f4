//! The window that a hub serves: signing in, what a role has there, ending it, and doors that stay shut.

use super::tls::certificate;
use super::{Hub, HubProcess, Machine};
use retrace_api::wire::{HubMachineRef, HubPolicyReq, HubRole, HubRoleReq, HubTokenReq, Nothing, RedactReq};
use retrace_api::{COMMANDS, commands};
use retrace_hub::{HubOptions, People, ProviderOptions, Role, Running, TlsFiles};
use retrace_server::{Assets, HubWindow};
use retrace_sync::roles::{Right, allows, is_for_windows, right_of};
use retrace_tests::oidc::{CLIENT, Provider};
use retrace_tests::postgres::Postgres;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Stdio;
use std::sync::Arc;

const PAGE: &str = "<!doctype html><html><head></head><body></body></html>";

/// Options of a process that serves a window of its own.
fn with_window(options: HubOptions) -> HubOptions {
    let assets = Assets::from_files([("index.html".to_owned(), PAGE.as_bytes().to_vec())]);
    let window = HubWindow::new(&["hub.example".to_owned()], assets).expect("a window");
    HubOptions { beside: Some(retrace_cli::hub_window(window)), ..options }
}

fn serve(hub: &Hub) -> Running {
    retrace_hub::start(with_window(hub.options())).expect("a process")
}

/// An answer: status, head and body.
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{} {}", self.status, self.body))
    }

    /// Code of a refusal, which has every part of one.
    fn code(&self) -> String {
        let error = &self.json()["error"];
        for field in ["message", "hint", "subject"] {
            assert!(error[field].is_string(), "{field} in {error}");
        }
        error["code"].as_str().expect("a code").to_owned()
    }

    fn cookie(&self) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix("set-cookie: "))
    }
}

/// A browser at the address of a hub.
struct Browser {
    url: String,
    cookie: Option<String>,
    /// What it believes of an address with TLS.
    believes: Option<Arc<ClientConfig>>,
}

#[allow(clippy::needless_pass_by_value, reason = "requests are written where they are made")]
impl Browser {
    fn at(url: &str) -> Self {
        Self { url: url.to_owned(), cookie: None, believes: None }
    }

    /// The same browser at the address of another process.
    fn also_at(&self, url: &str) -> Self {
        Self { url: url.to_owned(), cookie: self.cookie.clone(), believes: self.believes.clone() }
    }

    fn host(&self) -> &str {
        self.url.split_once("://").expect("a scheme").1
    }

    /// Sends a request with these lines in its head.
    fn send(&self, first: &str, lines: &[String], body: &str) -> Answer {
        let length = body.len();
        let mut request = format!("{first} HTTP/1.1\r\nconnection: close\r\ncontent-length: {length}\r\n");
        for line in lines {
            request.push_str(&format!("{line}\r\n"));
        }
        request.push_str("\r\n");
        request.push_str(body);
        let mut plain = TcpStream::connect(self.host()).expect("the hub listens");
        let mut answer = Vec::new();
        // It may refuse before it has read everything.
        if let Some(config) = self.believes.as_ref().filter(|_| self.url.starts_with("https://")) {
            let name = ServerName::try_from("localhost").expect("a name");
            let session = ClientConnection::new(Arc::clone(config), name).expect("a client");
            let mut stream = StreamOwned::new(session, plain);
            let _ = stream.write_all(request.as_bytes());
            let _ = stream.read_to_end(&mut answer);
        } else {
            let _ = plain.write_all(request.as_bytes());
            let _ = plain.read_to_end(&mut answer);
        }
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
        Answer { status, head: head.to_owned(), body: body.to_owned() }
    }

    /// The lines that a browser sends from a page of the hub.
    fn lines(&self) -> Vec<String> {
        let mut lines = vec![
            format!("host: {}", self.host()),
            format!("origin: {}", self.url),
            "content-type: application/json".to_owned(),
        ];
        lines.extend(self.cookie.as_ref().map(|cookie| format!("cookie: other=1; {cookie}")));
        lines
    }

    fn post(&self, name: &str, body: &Value) -> Answer {
        self.send(&format!("POST /api/v1/{name}"), &self.lines(), &body.to_string())
    }

    /// What a command answers that is not refused.
    fn call(&self, name: &str, body: Value) -> Value {
        let answer = self.post(name, &body);
        assert_eq!(answer.status, 200, "{name}: {}", answer.body);
        answer.json()
    }

    /// Status and code of a refusal.
    fn refused(&self, name: &str, body: Value) -> (u16, String) {
        let answer = self.post(name, &body);
        (answer.status, answer.code())
    }

    /// Keeps the cookie of an answer.
    fn keep(&mut self, answer: &Answer) {
        let cookie = answer.cookie().expect("a cookie");
        self.cookie = Some(cookie.split(';').next().expect("a pair").to_owned());
    }

    /// Signs in with a token; answers what the window is told.
    fn sign_in(&mut self, token: &str, name: &str) -> Value {
        let answer = self.post("hub_join", &json!({ "url": self.url, "token": token, "name": name }));
        assert_eq!(answer.status, 200, "{}", answer.body);
        self.keep(&answer);
        answer.json()
    }
}

fn token(owner: &Machine, role: HubRole) -> String {
    let request = HubTokenReq { role: Some(role), ..HubTokenReq::default() };
    commands::hub_token(&owner.world.app, request).expect("a token").token
}

fn item_of<'a>(inbox: &'a Value, path: &str) -> &'a Value {
    let items = inbox["items"].as_array().expect("items");
    items.iter().find(|item| item["path"] == path).unwrap_or_else(|| panic!("no {path} in {inbox}"))
}

#[test]
fn a_person_without_a_machine_reviews_in_a_browser() {
    let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let first = serve(&hub);
    a.record("tides.md", "Metres.\n");
    a.synced();
    b.record("berths.md", "Berth 9.\n");
    b.synced();
    b.record("berths.md", "Berth 7.\n");
    b.synced();

    let mut browser = Browser::at(first.url());
    let page = browser.send("GET /", &browser.lines(), "");
    assert_eq!(page.status, 200);
    assert!(page.body.contains("name=\"retrace-served-by\" content=\"hub\""), "{}", page.body);
    for line in ["content-security-policy: default-src 'none'", "x-frame-options: DENY"] {
        assert!(page.head.contains(line), "{line} in {}", page.head);
    }
    // What the window needs to start is told to everybody, and it is not much.
    let status = browser.call("hub_status", json!({}));
    assert_eq!((&status["url"], &status["org"], &status["role"]), (&Value::Null, &Value::Null, &Value::Null));
    assert_eq!(status["window"], json!({ "ends_at": null, "sign_in": false }));
    assert_eq!(browser.refused("hub_inbox", json!({})), (401, "key_refused".to_owned()));

    let status = browser.sign_in(&token(&a, HubRole::Reviewer), " Ann\u{1b} ");
    assert_eq!((&status["role"], &status["name"]), (&json!("reviewer"), &json!("Ann")));
    assert_eq!(status["url"], json!(first.url()));
    assert_eq!(status["waiting"]["unreviewed"], json!(2));
    assert!(status["window"]["ends_at"].is_string(), "{status}");

    let inbox = browser.call("hub_inbox", json!({}));
    assert_eq!(inbox["total"], json!(2));
    assert_eq!(item_of(&inbox, "tides.md")["machine_name"], "a");
    let berths = item_of(&inbox, "berths.md").clone();
    assert_eq!(berths["machine_name"], "b");
    let diff = browser.call("hub_diff", json!({ "a": berths["id"] }));
    assert!(diff.to_string().contains("Berth 7") || diff["added"] == json!(1), "{diff}");
    let shown = browser.call("hub_comment", json!({ "version": berths["id"], "text": "Who said so?" }));
    assert_eq!(shown["comments"][0]["person"], "Ann");
    assert_eq!(shown["comments"][0]["machine_name"], "browser of Ann");
    assert_eq!(browser.call("hub_approve", json!({ "versions": [berths["id"]] }))["memories"], 1);
    assert_eq!(browser.call("hub_inbox", json!({}))["total"], json!(1));
    let memory = format!("{}:berths.md", berths["store"].as_str().expect("a store"));
    let history = browser.call("hub_history", json!({ "memory": memory }));
    assert_eq!(history["versions"].as_array().map(Vec::len), Some(2));
    // The machine hears of it as of an approval on any other.
    assert_eq!(b.synced().reviews, 1);

    // A proposal, taken back by the window that made it.
    let before = browser.call("hub_show", json!({ "version": berths["id"] }))["before"].clone();
    let made = browser.call("hub_propose", json!({ "kind": "rollback", "version": before }));
    assert_eq!((&made["mine"], &made["here"]), (&json!(true), &json!(false)));
    let back = browser.call("hub_withdraw_proposal", json!({ "id": made["id"] }));
    assert_eq!(back["state"], "withdrawn");

    // Lists that need no machine.
    for (name, list) in [
        ("hub_sessions", "sessions"),
        ("hub_proposals", "proposals"),
        ("hub_redactions", "redactions"),
        ("hub_projects", "projects"),
    ] {
        assert!(browser.call(name, json!({}))[list].is_array(), "{name}");
    }
    assert!(browser.call("hub_adherence", json!({}))["rules"].is_array());
    assert_eq!(browser.call("hub_policy", json!({}))["transcripts"], "nothing");
    let machines = browser.call("hub_machines", json!({}));
    let window = machines["machines"].as_array().expect("machines").iter().find(|one| one["is_this"] == true);
    assert!(window.expect("the window")["window_ends_at"].is_string(), "{machines}");

    // What the role lacks, what needs a machine, what there is not.
    for (name, body) in [
        ("hub_audit", json!({})),
        ("hub_token", json!({ "owner": false })),
        ("hub_set_policy", json!({ "key": "transcripts", "value": "everything" })),
        ("hub_remove_machine", json!({ "machine": "a" })),
    ] {
        assert_eq!(browser.refused(name, body), (503, "key_refused".to_owned()), "{name}");
    }
    for name in ["hub_sync", "stores", "context_show", "redact", "no_such_command"] {
        assert_eq!(browser.refused(name, json!({})), (404, "not_found".to_owned()), "{name}");
    }
    assert_eq!(browser.refused("hub_show", json!({ "version": 5 })), (400, "invalid".to_owned()));

    // Any process with the key file opens the session; another address is another origin.
    let second = serve(&hub);
    let elsewhere = browser.also_at(second.url());
    assert_eq!(elsewhere.call("hub_inbox", json!({}))["total"], json!(1));

    // What was refused and done is in the audit log, with the window as who did it.
    let rows = commands::hub_audit(&a.world.app, Default::default()).expect("rows").rows;
    let of = |action: &str| {
        let ours = |row: &&retrace_api::wire::HubAuditRow| {
            row.action == action && row.machine_name.as_deref() == Some("browser of Ann")
        };
        rows.iter().rfind(ours).map(|row| row.outcome.clone())
    };
    for action in ["join", "read_content", "comment", "approve", "propose"] {
        assert_eq!(of(action).as_deref(), Some("done"), "{action}");
    }
    assert_eq!(of("remove").as_deref(), Some("refused"));

    // Another role counts at once, and being removed ends it at once, at every process.
    let id = status["machine"].as_str().expect("an id").to_owned();
    let role = HubRoleReq { machine: id.clone(), role: HubRole::Auditor };
    commands::hub_set_role(&a.world.app, role).expect("another role");
    assert_eq!(elsewhere.call("hub_status", json!({}))["role"], "auditor");
    let content = json!({ "version": berths["id"], "content": true });
    assert_eq!(browser.refused("hub_show", content), (503, "key_refused".to_owned()));
    commands::hub_remove_machine(&a.world.app, HubMachineRef { machine: id.clone() }).expect("removed");
    for browser in [&browser, &elsewhere] {
        let answer = browser.post("hub_inbox", &json!({}));
        assert_eq!((answer.status, answer.code().as_str()), (401, "key_refused"));
        assert!(answer.cookie().is_some_and(|cookie| cookie.contains("Max-Age=0")), "{}", answer.head);
        assert_eq!(browser.call("hub_status", json!({}))["url"], Value::Null);
    }
    let listed = commands::hub_machines(&a.world.app, Nothing {}).expect("machines").machines;
    assert!(listed.iter().all(|machine| machine.machine != id), "it has ended");
    drop((first, second));
}

#[test]
fn a_window_is_closed_by_who_opened_it_and_by_time() {
    let Some((hub, [owner])) = Hub::with_machines(["a"]) else { return };
    let running = serve(&hub);
    let mut browser = Browser::at(running.url());
    browser.sign_in(&token(&owner, HubRole::Owner), "Ann");
    // What an owner's window made stays good without it.
    let made = browser.call("hub_token", json!({ "owner": false, "role": "reviewer" }));
    let out = browser.post("hub_leave", &json!({}));
    assert!(out.cookie().is_some_and(|cookie| cookie.contains("Max-Age=0")), "{}", out.head);
    assert_eq!(out.json()["url"], Value::Null);
    assert_eq!(browser.refused("hub_inbox", json!({})).0, 401);
    let mut other = Browser::at(running.url());
    other.sign_in(made["token"].as_str().expect("a token"), "Ben");
    // A window does not stand in for the last owner.
    let mut another = Browser::at(running.url());
    another.sign_in(&token(&owner, HubRole::Owner), "Cid");
    let last = json!({ "machine": "a", "role": "writer" });
    assert_eq!(another.refused("hub_set_role", last), (400, "invalid".to_owned()));
    assert_eq!(another.refused("hub_join", json!({ "url": "", "token": "x", "name": "y" })).0, 400);
    // Its time is over, whatever the cookie says.
    hub.database.sql("UPDATE machines SET ends_at = 1 WHERE name = 'browser of Ben'");
    assert_eq!(other.refused("hub_inbox", json!({})).0, 401);
    assert_eq!(another.call("hub_status", json!({}))["role"], "owner");
}

#[test]
fn doors_of_the_window_stay_shut() {
    let Some((hub, [owner])) = Hub::with_machines(["a"]) else { return };
    let running = serve(&hub);
    let mut browser = Browser::at(running.url());
    let given = token(&owner, HubRole::Reviewer);
    let answer = browser.post("hub_join", &json!({ "url": "", "token": given, "name": "Ann" }));
    let cookie = answer.cookie().expect("a cookie").to_owned();
    for part in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=604"] {
        assert!(cookie.contains(part), "{part} in {cookie}");
    }
    assert!(!cookie.contains("Secure"), "a loopback address has no TLS: {cookie}");
    assert!(!answer.body.contains(&given) && !cookie.contains(&given));
    browser.keep(&answer);
    assert_eq!(browser.call("hub_status", json!({}))["role"], "reviewer");
    // A token is used once.
    let again =
        Browser::at(running.url()).refused("hub_join", json!({ "url": "", "token": given, "name": "Eve" }));
    assert_eq!(again, (503, "key_refused".to_owned()));

    // Another host, another origin, none: refused before anything is looked at.
    let host = browser.host().to_owned();
    let with = |host: &str, origin: Option<&str>| {
        let mut lines = vec![format!("host: {host}"), "content-type: application/json".to_owned()];
        lines.extend(origin.map(|origin| format!("origin: {origin}")));
        lines.extend(browser.cookie.as_ref().map(|cookie| format!("cookie: {cookie}")));
        browser.send("POST /api/v1/hub_status", &lines, "{}")
    };
    let own = format!("http://{host}");
    assert_eq!(with(&host, Some(&own)).status, 200);
    let port = host.rsplit(':').next().expect("a port");
    assert_eq!(with(&format!("hub.example:{port}"), Some(&format!("http://hub.example:{port}"))).status, 200);
    for (host, origin) in [
        ("evil.example", Some("http://evil.example")),
        ("evil.example", Some(own.as_str())),
        (host.as_str(), Some("http://evil.example")),
        (host.as_str(), Some("http://127.0.0.1:1")),
        (host.as_str(), Some("null")),
        (host.as_str(), None),
    ] {
        let answer = with(host, origin);
        assert_eq!(answer.status, 403, "{host} {origin:?}: {}", answer.body);
        assert!(answer.cookie().is_none() && answer.head.contains("x-content-type-options: nosniff"));
    }
    let foreign = browser.send("GET /", &["host: evil.example".to_owned()], "");
    assert_eq!(foreign.status, 403);
    // A form of another page can send no JSON.
    let lines: Vec<String> =
        browser.lines().into_iter().map(|line| line.replace("application/json", "text/plain")).collect();
    assert_eq!(browser.send("POST /api/v1/hub_status", &lines, "{}").status, 415);

    // A session that was changed, or that another hub sealed, is none.
    let whole = browser.cookie.clone().expect("a cookie");
    let (name, value) = whole.split_once('=').expect("a pair");
    let changed: String = value.chars().rev().collect();
    for value in ["", "x", changed.as_str(), &value[1..], "AAAA"] {
        browser.cookie = Some(format!("{name}={value}"));
        assert_eq!(browser.refused("hub_inbox", json!({})).0, 401, "{value}");
    }
    let Some((elsewhere, [_])) = Hub::with_machines(["b"]) else { return };
    let other = serve(&elsewhere);
    let mut stranger = Browser::at(other.url());
    stranger.cookie = Some(whole.clone());
    assert_eq!(stranger.refused("hub_inbox", json!({})).0, 401);
    // Nor under the name that the other hub's cookie has.
    let status = Browser::at(other.url());
    let mut theirs = Browser::at(&status.url);
    theirs.sign_in(elsewhere_token(&elsewhere).as_str(), "Ann");
    let their_name = theirs.cookie.as_ref().expect("a cookie").split_once('=').expect("a pair").0.to_owned();
    assert_ne!(their_name, name);
    stranger.cookie = Some(format!("{their_name}={value}"));
    assert_eq!(stranger.refused("hub_inbox", json!({})).0, 401);

    // What opens a window is asked from inside alone.
    for name in ["window_hello", "window_join", "window_sign_in", "window_finish_sign_in"] {
        let (status, _) = super::post(running.url(), &format!("/hub/v1/{name}"), &[], b"{}");
        assert_eq!(status, 401, "{name}");
    }
}

#[test]
fn with_tls_the_session_is_kept_to_it() {
    let Some((hub, [owner])) = Hub::with_machines(["a"]) else { return };
    owner.record("fact.md", "a fact\n");
    owner.synced();
    let (certificate_pem, key_pem) = certificate();
    let (certificate, key) = (hub.folder.path().join("cert.pem"), hub.folder.path().join("key.pem"));
    std::fs::write(&certificate, certificate_pem).expect("a file");
    std::fs::write(&key, key_pem).expect("a file");
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(&certificate).expect("PEM")).expect("a root");
    let believes = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let options = HubOptions { tls: Some(TlsFiles { certificate, key }), ..hub.options() };
    let running = retrace_hub::start(with_window(options)).expect("a process");
    assert!(running.url().starts_with("https://"), "{}", running.url());

    let mut browser = Browser { believes: Some(Arc::new(believes)), ..Browser::at(running.url()) };
    let page = browser.send("GET /", &[format!("host: {}", browser.host())], "");
    assert_eq!(page.status, 200, "{}", page.body);
    let token = token(&owner, HubRole::Reviewer);
    let answer = browser.post("hub_join", &json!({ "url": browser.url, "token": token, "name": "Ann" }));
    let cookie = answer.cookie().expect("a cookie").to_owned();
    // No page without TLS, and no other host, is sent a cookie whose name begins so.
    assert!(cookie.starts_with("__Host-retrace-hub-"), "{cookie}");
    let parts: Vec<&str> = cookie.split("; ").skip(1).collect();
    for part in ["Secure", "HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(parts.contains(&part), "{part} in {cookie}");
    }
    assert!(!cookie.contains("Domain="), "{cookie}");
    browser.keep(&answer);
    let inbox = browser.call("hub_inbox", json!({}));
    assert_eq!(item_of(&inbox, "fact.md")["machine_name"], "a");

    // The same address without TLS answers nothing in HTTP, whatever it is shown.
    let plain = browser.also_at(&browser.url.replace("https://", "http://"));
    for first in ["GET /", "POST /api/v1/hub_status", "GET /healthz"] {
        let answer = plain.send(first, &plain.lines(), "{}");
        assert_eq!((answer.status, answer.head.as_str(), answer.body.as_str()), (0, "", ""), "{first}");
    }
    // With TLS, a page of the address without it is another origin.
    let lines: Vec<String> =
        browser.lines().into_iter().map(|line| line.replace("origin: https://", "origin: http://")).collect();
    assert_eq!(browser.send("POST /api/v1/hub_inbox", &lines, "{}").status, 403);

    let out = browser.post("hub_leave", &json!({ "new_identity": false }));
    let ended = out.cookie().expect("the cookie is taken back");
    assert!(ended.starts_with("__Host-retrace-hub-") && ended.contains("Max-Age=0"), "{ended}");
    assert!(ended.contains("; Secure"), "without it the browser keeps the other one: {ended}");
    assert_eq!(browser.refused("hub_inbox", json!({})).0, 401);
}

/// A token of a hub, made past its machines.
fn elsewhere_token(hub: &Hub) -> String {
    let options = HubOptions { new_owner_token: true, ..hub.options() };
    let running = retrace_hub::start(options).expect("a process");
    running.owner_token().expect("a token").to_owned()
}

#[test]
fn who_guesses_tokens_is_stopped() {
    let Some((hub, [owner])) = Hub::with_machines(["a"]) else { return };
    let running = serve(&hub);
    let mut browser = Browser::at(running.url());
    let guess = json!({ "url": "", "token": "rthub_guess", "name": "Eve" });
    let statuses: Vec<u16> = (0..12).map(|_| browser.post("hub_join", &guess).status).collect();
    assert_eq!(statuses, [[503; 10].as_slice(), &[429; 2]].concat());
    assert_eq!(browser.refused("hub_join", guess), (429, "host_limited".to_owned()));
    let right = json!({ "url": "", "token": token(&owner, HubRole::Writer), "name": "Ann" });
    assert_eq!(browser.refused("hub_join", right.clone()).0, 429, "the right one does not jump the queue");
    // The count is a process's own, and no session counts.
    let second = serve(&hub);
    browser.url = second.url().to_owned();
    let answer = browser.post("hub_join", &right);
    browser.keep(&answer);
    for _ in 0..20 {
        browser.call("hub_status", json!({}));
    }
}

/// A process that believes a provider and serves a window.
fn with_provider(hub: &Hub, provider: &Provider, window_role: Option<Role>) -> Running {
    let options = ProviderOptions {
        issuer: provider.issuer(),
        client_id: CLIENT.to_owned(),
        domains: vec!["example.com".to_owned()],
        hours: 12,
        window_role,
    };
    let options = HubOptions { people: People::Of(options), ..hub.options() };
    retrace_hub::start(with_window(options)).expect("a process")
}

#[test]
fn a_person_signs_in_at_the_provider_where_that_is_offered() {
    let Some((hub, [a])) = Hub::with_machines(["a"]) else { return };
    let provider = Provider::start();
    let closed = with_provider(&hub, &provider, None);
    let mut browser = Browser::at(closed.url());
    assert_eq!(browser.call("hub_status", json!({}))["window"]["sign_in"], json!(false));
    assert_eq!(browser.refused("hub_sign_in", json!({})), (404, "not_found".to_owned()));
    let owners = retrace_hub::start(HubOptions {
        people: People::Of(ProviderOptions {
            issuer: provider.issuer(),
            client_id: CLIENT.to_owned(),
            domains: Vec::new(),
            hours: 1,
            window_role: Some(Role::Owner),
        }),
        ..hub.options()
    });
    assert!(owners.is_err(), "nobody becomes an owner by signing in");

    let open = with_provider(&hub, &provider, Some(Role::Reviewer));
    browser.url = open.url().to_owned();
    assert_eq!(browser.call("hub_status", json!({}))["window"]["sign_in"], json!(true));
    let begun = browser.call("hub_sign_in", json!({}));
    let finish = json!({ "handle": begun["handle"] });
    assert_eq!(browser.call("hub_finish_sign_in", finish.clone())["signed_in"], Value::Null);
    provider.approve("ann");
    let answer = browser.post("hub_finish_sign_in", &finish);
    assert_eq!(answer.json()["signed_in"]["person"], "ann@example.com", "{}", answer.body);
    browser.keep(&answer);
    let status = browser.call("hub_status", json!({}));
    assert_eq!((&status["role"], &status["name"]), (&json!("reviewer"), &json!("ann@example.com")));
    assert_eq!(status["signed_in"]["name"], "Name of ann");
    a.record("fact.md", "a fact\n");
    a.synced();
    let item = browser.call("hub_inbox", json!({}))["items"][0]["id"].clone();
    let shown = browser.call("hub_comment", json!({ "version": item, "text": "Is it?" }));
    assert_eq!(
        (&shown["comments"][0]["person"], &shown["comments"][0]["verified"]),
        (&json!("ann@example.com"), &json!(true))
    );
    // It was used up, and no other hub's handle is taken.
    let stranger = Browser::at(open.url());
    assert_eq!(stranger.refused("hub_finish_sign_in", finish).1, "key_refused");
    assert_eq!(
        stranger.refused("hub_finish_sign_in", json!({ "handle": "AAAA" })),
        (503, "key_refused".to_owned())
    );

    // Somebody of another domain is not taken, and leaves no window.
    let begun = stranger.call("hub_sign_in", json!({}));
    provider.answer(|token| token.claims["email"] = json!("eve@evil.example"));
    let refused = stranger.post("hub_finish_sign_in", &json!({ "handle": begun["handle"] }));
    assert_eq!((refused.code().as_str(), refused.cookie()), ("key_refused", None));
    let windows = hub.database.query("SELECT count(*) FROM machines WHERE ends_at IS NOT NULL");
    assert_eq!(windows, "1");

    // Two persons: who redacted in no window does not approve as a machine would, and a window signs in as a person.
    let set = HubPolicyReq { key: "two_person_redaction".to_owned(), value: "true".to_owned() };
    commands::hub_set_policy(&a.world.app, set).expect("a policy");
    let b = Machine::new("b");
    b.join(hub.url(), &token(&a, HubRole::Writer)).expect("it joins");
    b.record("other.md", "the harbour-gate-1974 code\n");
    b.synced();
    a.record("gate.md", "the harbour-gate-1974 code\n");
    a.synced();
    let redact = RedactReq { find: Some("harbour-gate-1974".to_owned()), live: true, ..RedactReq::default() };
    commands::redact(&a.world.app, redact).expect("redacted");
    a.synced();
    let listed = browser.call("hub_redactions", json!({}));
    let order = &listed["redactions"][0];
    assert_eq!(order["state"], "waiting");
    // Nobody was signed in on the machine that redacted, so two persons approve: she is the first.
    let listed = browser.call("hub_approve_redaction", json!({ "id": order["id"] }));
    assert_eq!(listed["redactions"][0]["state"], "waiting", "{listed}");
    assert_eq!(browser.refused("hub_approve_redaction", json!({ "id": order["id"] })).1, "key_refused");
    let mut other = Browser::at(open.url());
    let begun = other.call("hub_sign_in", json!({}));
    provider.approve("ben");
    let answer = other.post("hub_finish_sign_in", &json!({ "handle": begun["handle"] }));
    other.keep(&answer);
    let listed = other.call("hub_approve_redaction", json!({ "id": order["id"] }));
    assert_eq!(listed["redactions"][0]["state"], "ordered", "{listed}");

    // The sign-in opened the window: it ends with it, and with the provider.
    let out = browser.post("hub_sign_out", &json!({}));
    assert_eq!((out.status, out.code().as_str()), (401, "key_refused"));
    assert!(out.cookie().is_some_and(|cookie| cookie.contains("Max-Age=0")), "{}", out.head);
    assert_eq!(other.call("hub_status", json!({}))["signed_in"]["person"], "ben@example.com");
    let without = HubOptions { people: People::NoProvider, ..hub.options() };
    let third = retrace_hub::start(without).expect("a process");
    assert_eq!(other.refused("hub_inbox", json!({})), (401, "key_refused".to_owned()));
    let listed = commands::hub_machines(&a.world.app, Nothing {}).expect("machines").machines;
    assert!(listed.iter().all(|machine| machine.window_ends_at.is_none()), "{listed:?}");
    drop((closed, open, third));
}

/// The request of the protocol that decides what a command of the window needs.
fn request_of(command: &str) -> &'static str {
    match command {
        "hub_status" => "waiting",
        "hub_leave" => "leave",
        "hub_versions" => "versions",
        "hub_token" => "token",
        "hub_machines" => "machines",
        "hub_set_role" => "role",
        "hub_remove_machine" => "remove",
        "hub_sign_in" => "sign_in",
        "hub_finish_sign_in" => "finish_sign_in",
        "hub_sign_out" => "sign_out",
        "hub_policy" => "policy",
        "hub_set_policy" => "set_policy",
        "hub_audit" => "audit",
        "hub_agent_token" => "agent_token",
        "hub_agent_tokens" => "agent_tokens",
        "hub_agent_token_revoke" => "revoke_agent_token",
        "hub_inbox" => "inbox",
        "hub_history" => "history",
        "hub_show" | "hub_diff" => "show",
        "hub_approve" => "approve",
        "hub_comment" => "comment",
        "hub_remove_comment" => "remove_comment",
        "hub_projects" => "projects",
        "hub_sessions" => "sessions",
        "hub_presence" => "session_presence",
        "hub_adherence" => "session_ledger",
        "hub_redactions" => "redactions",
        "hub_approve_redaction" => "approve_order",
        "hub_recheck_redaction" => "recheck_order",
        "hub_propose" => "propose",
        "hub_proposals" => "proposals",
        "hub_withdraw_proposal" => "withdraw",
        "hub_acknowledge" => "acknowledge",
        other => panic!("{other} has no request"),
    }
}

/// Posts `body` without the fields that the command does not have: one that it has not is refused before any right is asked.
fn with_its_own_fields(browser: &Browser, command: &str, mut body: Value) -> Answer {
    loop {
        let answer = browser.post(command, &body);
        let messages = answer.json()["error"]["messages"]["message"].clone();
        let unknown =
            messages.as_array().into_iter().flatten().find(|message| message["id"] == "table.no_such_field");
        let Some(unknown) = unknown else { return answer };
        let field = unknown["args"]["field"].as_str().expect("the field that is refused").to_owned();
        assert!(
            body.as_object_mut().expect("an object").remove(&field).is_some(),
            "{command}: {field} was not sent"
        );
    }
}

#[test]
fn every_command_and_role_has_what_the_table_of_rights_gives_it_and_no_more() {
    const OURS: &str = "the needle of this organisation";
    let Some(database) = Postgres::database() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let err = std::fs::File::create(&log).expect("a file");
    let hub = HubProcess::start_with(
        &database.url(),
        folder.path(),
        &["--window", "--log", "json"],
        Stdio::from(err),
    );
    let owner = Machine::new("owner");
    let first = hub.owner_token.clone().expect("nobody joined yet");
    owner.join(&hub.url, &first).expect("it joins");
    let version = owner.record("fact.md", OURS);
    owner.synced();
    let ours = owner.versions().remove(0);
    let mut tokens = vec![first];
    let mut sessions = Vec::new();
    let nobody = Browser::at(&hub.url);
    let bodies = [
        json!({}),
        json!({
            "version": version.id, "versions": [version.id], "a": version.id, "content": true, "text": "x", "kind": "rollback",
            "memory": format!("{}:fact.md", ours.store), "id": "proposal_00", "machine": "owner", "role": "writer",
            "key": "transcripts", "value": "nothing", "handle": "x", "limit": 10, "owner": false, "name": "x",
            "read_only": true,
        }),
    ];
    for role in [HubRole::Owner, HubRole::Reviewer, HubRole::Writer, HubRole::Auditor] {
        let of = Role::parse(role.as_str()).expect("a role");
        let mut browser = Browser::at(&hub.url);
        tokens.push(token(&owner, role));
        browser.sign_in(tokens.last().expect("a token"), role.as_str());
        for command in COMMANDS {
            let name = command.name;
            for body in &bodies {
                if !command.at_hub {
                    assert_eq!(browser.refused(name, body.clone()), (404, "not_found".to_owned()), "{name}");
                    continue;
                }
                if name == "hub_join" {
                    assert_eq!(browser.refused(name, json!({ "url": "", "token": "x" })).0, 400);
                    continue;
                }
                // Before the window is left, which ends what is tried here.
                let open = ["hub_status", "hub_join", "hub_sign_in", "hub_finish_sign_in"].contains(&name);
                if !open {
                    assert_eq!(nobody.post(name, body).status, 401, "{name}");
                }
                if name == "hub_leave" {
                    continue;
                }
                let right = right_of(request_of(name)).expect("a request");
                assert!(is_for_windows(right), "{name} sends");
                let answer = with_its_own_fields(&browser, name, body.clone());
                assert!(
                    (200..=503).contains(&answer.status) && answer.status != 500,
                    "{role} {name}: {} {}",
                    answer.status,
                    answer.body
                );
                if !allows(of, right) && answer.status != 400 {
                    assert_eq!(
                        (answer.status, answer.code().as_str()),
                        (503, "key_refused"),
                        "{role} {name}: {}",
                        answer.body
                    );
                }
                assert!(
                    !answer.body.contains(OURS) || allows(of, Right::ReadContent),
                    "{role} {name} shows a content: {}",
                    answer.body
                );
                for secret in tokens.iter().chain(&browser.cookie) {
                    assert!(!answer.body.contains(secret.as_str()), "{role} {name} shows a secret");
                }
            }
        }
        browser.call("hub_leave", json!({}));
        sessions.extend(browser.cookie.clone());
    }
    hub.kill();
    let log = std::fs::read_to_string(&log).expect("log lines");
    assert!(log.lines().any(|line| line.contains("\"request\":\"window_join\"")), "{log}");
    for secret in tokens.iter().chain(&sessions).map(String::as_str).chain([OURS, "fact.md"]) {
        assert!(!log.contains(secret.rsplit('=').next().unwrap_or(secret)), "the log shows {secret}");
    }
}
