//! Requests that no machine would send: none brings a hub down, none is answered with a fault of its own, none changes anything.

use super::{Hub, Machine, Signer, now, post, raw};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use retrace_model::{MemoryId, OrgId, Sha256, StoreId};
use retrace_sync::chain::Head;
use retrace_sync::messages::{BODY_HEADER, MAX_BODY_BYTES, MAX_SKEW_MICROS};
use retrace_sync::roles::REQUESTS;
use retrace_sync::sign::head_text;
use retrace_tests::postgres::Database;
use serde_json::{Value, json};
use std::io::Write as _;
use std::net::TcpStream;

/// Hostile requests of one run.
const REQUESTS_SENT: usize = 1_000;

/// Tables that may grow: refused attempts are noted, and so is every read of content.
const GROWING: [&str; 3] = ["audit", "refinery_schema_history", "spent"];

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn choose<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// What every table says, as one line each.
fn state(database: &Database) -> Vec<String> {
    let rows = "count(*) || ' ' || md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), ''))";
    let tables = database.of_each_table(rows).into_iter();
    let staying = tables.filter(|(table, _)| !GROWING.contains(&table.as_str()));
    let state: Vec<String> = staying.map(|(table, rows)| format!("{table} {rows}")).collect();
    assert!(state.len() > 10, "{state:?}");
    state
}

/// A value that is wrong nearly everywhere.
fn junk(random: &mut Random) -> Value {
    match random.below(14) {
        0 => Value::Null,
        1 => json!(-1),
        2 => json!(u64::MAX),
        3 => json!(i64::MIN),
        4 => json!(1.5),
        5 => json!(""),
        6 => json!("\u{0}"),
        7 => json!("a\u{0}b\u{202e}\u{1b}[31m"),
        8 => json!("x".repeat(100_000)),
        9 => json!([]),
        10 => json!({}),
        11 => json!("'; DROP TABLE versions; --"),
        12 => json!([[[[[[[[[[{ "a": [] }]]]]]]]]]]),
        _ => json!("0".repeat(64)),
    }
}

/// Puts junk in one place of a body.
fn spoil(body: &mut Value, random: &mut Random) {
    match body {
        Value::Object(fields) if !fields.is_empty() && random.below(5) != 0 => {
            let names: Vec<String> = fields.keys().cloned().collect();
            let name = random.choose(&names).clone();
            match random.below(4) {
                0 => drop(fields.remove(&name)),
                _ => spoil(&mut fields[&name], random),
            }
        }
        Value::Array(items) if !items.is_empty() && random.below(5) != 0 => {
            let at = random.below(items.len());
            spoil(&mut items[at], random);
        }
        other => *other = junk(random),
    }
}

/// A version of nothing that was recorded; whoever sends it signs another head.
fn append(store: &str) -> Value {
    let zero = "0".repeat(64);
    json!({
        "store": store, "name": "notes", "kind": "notes", "after_seq": 1, "after": zero,
        "versions": [{
            "local_seq": 9, "operation_seq": 9, "memory": "mem_00000000000000000000000000", "operation": "created",
            "source": "scan", "created_at": 5, "leaf": zero, "commitment": zero, "observed": false,
            "opened": { "path": STANDARD.encode("a.md"), "salt": null, "content": { "sha256": zero, "size": 6 } },
        }],
        "signature": STANDARD.encode([7; 64]),
    })
}

/// Bodies near what a request wants.
fn body(name: &str, store: &str) -> Value {
    let zero = "0".repeat(64);
    match name {
        "append" => append(store),
        "contents" => {
            json!({ "store": store, "contents": [{ "sha256": zero, "size": 3, "packed": STANDARD.encode("abc") }] })
        }
        "redact" => json!({ "store": store, "local_seqs": [u64::MAX, 0] }),
        "versions" => json!({ "after": "a.b.c", "limit": u64::MAX }),
        "link" => json!({ "store": store, "seq": u64::MAX }),
        "token" => json!({ "role": "king" }),
        _ => {
            json!({ "id": "x", "store": store, "machine": "machine_x", "role": "king", "time": "late", "text": 5 })
        }
    }
}

/// One hostile request; answers its status.
fn send(url: &str, signer: &Signer, stranger: &Signer, store: &str, random: &mut Random) -> (String, u16) {
    let (name, _) = *random.choose(REQUESTS);
    let mut asked = body(name, store);
    spoil(&mut asked, random);
    let text = asked.to_string().into_bytes();
    let path = format!("/hub/v1/{name}");
    // Signed, these act whatever their body is.
    let acts = ["leave", "clock", "agent_token"].contains(&name);
    let kind = random.below(if acts { 7 } else { 12 });
    let (status, _) = match kind {
        0 => post(url, &path, &[], &text),
        1 => post(url, &path, &stranger.headers(name, now(), &text), &text),
        2 => {
            // Another machine's signature under this one's name.
            let mut headers = signer.headers(name, now(), &text);
            headers[3].1 = stranger.headers(name, now(), &text)[3].1.clone();
            post(url, &path, &headers, &text)
        }
        3 => {
            // Sent again with another time.
            let mut headers = signer.headers(name, now(), &text);
            headers[2].1 = (now() + 1).to_string();
            post(url, &path, &headers, &text)
        }
        4 => post(url, &path, &signer.headers(name, now() - MAX_SKEW_MICROS - 1_000_000, &text), &text),
        5 => post(url, &path, &signer.headers("head", now(), &text), &text),
        6 => post(url, &path, &signer.headers(name, i64::MIN, &text), &text),
        7 => {
            let mut cut = text.clone();
            cut.truncate(random.below(text.len() + 1));
            signer.send(url, name, &cut)
        }
        8 => {
            let mut noise = text.clone();
            let at = random.below(noise.len());
            noise[at] ^= 1 << random.below(8);
            // One bit of a signed body that is what it was would be the request itself.
            post(url, &path, &signer.headers(name, now(), &text), &noise)
        }
        9 => raw(url, &noise_bytes(random), true),
        _ => signer.send(url, name, &text),
    };
    (format!("{name} of kind {kind}: {asked}"), status)
}

/// Something that is hardly HTTP.
fn noise_bytes(random: &mut Random) -> Vec<u8> {
    let starts: [&[u8]; 6] = [
        b"",
        b"GET ",
        b"POST /hub/v1/append HTTP/1.1\r\ncontent-length: 99999999999999999999\r\n\r\n",
        b"POST /hub/v1/append HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        b"POST /hub/v1/%00 HTTP/1.1\r\nhost: a\r\nretrace-time: 9e99\r\nretrace-signature: !\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ];
    let mut bytes = random.choose(&starts).to_vec();
    for _ in 0..random.below(200) {
        bytes.push((random.next() & 0xff) as u8);
    }
    bytes
}

#[test]
fn nothing_hostile_changes_anything() {
    let Some((hub, [machine, other])) = Hub::with_machines(["a", "b"]) else { return };
    machine.record("fact.md", "a fact\n");
    machine.synced();
    other.synced();
    let stranger =
        Signer { key: Signer::of(&other).key, org: Signer::of(&machine).org, machine: "machine_none".into() };
    let signer = Signer::of(&machine);
    let store = machine.status().stores[0].store_id.clone();
    let before = state(&hub.database);
    let seed = std::env::var("RETRACE_HUB_SEEDS").ok().and_then(|seed| seed.parse().ok()).unwrap_or(3);
    let mut random = Random(seed);
    for count in 0..REQUESTS_SENT {
        let (what, status) = send(hub.url(), &signer, &stranger, &store, &mut random);
        assert!(status < 500, "seed {seed}, request {count} is answered with {status}: {:.300}", what);
    }
    assert_eq!(state(&hub.database), before);
    machine.record("fact.md", "another fact\n");
    assert_eq!(machine.synced().stores[0].versions, 1, "it works as before");
}

#[test]
fn a_body_without_end_is_refused() {
    let Some((hub, [machine])) = Hub::with_machines(["a"]) else { return };
    let signer = Signer::of(&machine);
    let body = vec![b' '; MAX_BODY_BYTES + 1];
    let (status, _) = signer.send(hub.url(), "versions", &body);
    // The hub may close the connection before its answer is read.
    assert!([0, 400].contains(&status), "{status}");
    let mut headers = signer.headers("versions", now(), b"");
    headers[1].1 = "machine_none".to_owned();
    let (status, _) = post(hub.url(), "/hub/v1/versions", &headers, &body[..1 << 20]);
    assert!([0, 401].contains(&status), "{status}");
    machine.synced();
}

/// Connections that begin a request and send nothing more.
fn stuck(hub: &Hub, count: usize, path: &str, length: usize) -> Vec<TcpStream> {
    let (_, address) = hub.url().split_once("://").expect("a scheme");
    let head = format!("POST {path} HTTP/1.1\r\nhost: hub\r\ncontent-length: {length}\r\n\r\n");
    let one = |_| {
        let mut stream = TcpStream::connect(address).expect("the hub listens");
        stream.write_all(head.as_bytes()).expect("it reads");
        stream
    };
    (0..count).map(one).collect()
}

#[test]
fn bodies_that_do_not_come_hold_nobody_up() {
    let Some((hub, [machine])) = Hub::with_machines(["a"]) else { return };
    let held: Vec<Vec<TcpStream>> =
        ["hello", "join"].map(|name| stuck(&hub, 40, &format!("/hub/v1/{name}"), 1_000)).into();
    assert_eq!(post(hub.url(), "/hub/v1/hello", &[], b"{}").0, 200);
    machine.record("fact.md", "a fact\n");
    assert_eq!(machine.synced().stores[0].versions, 1);
    drop(held);
}

#[test]
fn before_a_signature_is_shown_a_body_is_small() {
    let Some((hub, [machine])) = Hub::with_machines(["a"]) else { return };
    let signer = Signer::of(&machine);
    let large = vec![b' '; 256 * 1024];
    let (status, answer) = post(hub.url(), "/hub/v1/join", &[], &large);
    assert!(status == 400 && answer.contains("too large"), "{status} {answer}");
    // A machine of the hub, as anybody may say: nothing shows it before the body is there.
    let headers = signer.headers("versions", now(), &large);
    let (status, answer) = post(hub.url(), "/hub/v1/versions", &headers, &large);
    assert!(status == 400 && answer.contains("too large"), "{status} {answer}");
    // With its hash beside it, the signature is looked at first.
    let told = |body: &[u8]| (BODY_HEADER, Sha256::of(body).to_hex());
    let mut padded = json!({ "limit": 10 }).to_string().into_bytes();
    padded.extend_from_slice(&large);
    let mut headers = signer.headers("versions", now(), &padded);
    headers.push(told(&padded));
    assert_eq!(post(hub.url(), "/hub/v1/versions", &headers, &padded).0, 200);
    let mut headers = signer.headers("versions", now(), b"another");
    headers.push(told(&padded));
    let (status, answer) = post(hub.url(), "/hub/v1/versions", &headers, &padded[..100]);
    assert!(status == 401 && answer.contains("not signed"), "{status} {answer}");
    let mut headers = signer.headers("versions", now(), &padded);
    headers.push(told(&padded));
    let (status, answer) = post(hub.url(), "/hub/v1/versions", &headers, b"{\"limit\": 11}");
    assert!(status == 401 && answer.contains("on its way"), "{status} {answer}");
}

/// Sends the same signed request twice: the second answer, and what the tables say after each.
fn twice(hub: &Hub, signer: &Signer, name: &str, body: &Value) -> (u16, u16, bool) {
    let text = body.to_string().into_bytes();
    let headers = signer.headers(name, now(), &text);
    let path = format!("/hub/v1/{name}");
    let (first, _) = post(hub.url(), &path, &headers, &text);
    let between = state(&hub.database);
    let (second, _) = post(hub.url(), &path, &headers, &text);
    (first, second, between == state(&hub.database))
}

#[test]
fn a_request_that_is_sent_again_does_nothing_more() {
    let Some((hub, [owner, member])) = Hub::with_machines(["owner", "member"]) else { return };
    owner.record("fact.md", "a fact\n");
    owner.synced();
    member.synced();
    let signer = Signer::of(&owner);
    let store = owner.status().stores[0].store_id.clone();
    let member_id = member.status().machine.expect("it joined");
    for (name, body) in [
        ("head", json!({ "store": store })),
        ("versions", json!({ "limit": 10 })),
        ("redact", json!({ "store": store, "local_seqs": [1] })),
        ("token", json!({ "role": "writer" })),
        ("set_policy", json!({ "key": "transcripts", "value": "nothing" })),
        ("role", json!({ "machine": member_id, "role": "auditor" })),
        ("agent_token", json!({ "read_only": true })),
    ] {
        let (first, second, same) = twice(&hub, &signer, name, &body);
        assert!(same, "{name} was carried out twice ({first}, {second})");
        assert!(second < 500, "{name}: {second}");
    }
    // An order that was taken back does not come again.
    let text = json!({ "machine": member_id, "role": "writer" }).to_string().into_bytes();
    let headers = signer.headers("role", now(), &text);
    assert_eq!(post(hub.url(), "/hub/v1/role", &headers, &text).0, 200);
    let back = json!({ "machine": member_id, "role": "auditor" }).to_string().into_bytes();
    assert_eq!(signer.send(hub.url(), "role", &back).0, 200);
    assert_eq!(post(hub.url(), "/hub/v1/role", &headers, &text).0, 409);
    let roles = hub.database.query("SELECT role FROM machines WHERE name = 'member'");
    assert_eq!(roles, "auditor");
}

#[test]
fn a_machine_that_left_is_not_made_to_leave_again() {
    let Some((hub, [owner, member])) = Hub::with_machines(["owner", "member"]) else { return };
    let signer = Signer::of(&member);
    let headers = signer.headers("leave", now(), b"{}");
    assert_eq!(post(hub.url(), "/hub/v1/leave", &headers, b"{}").0, 200);
    retrace_api::commands::hub_leave(&member.world.app, Default::default()).expect("it leaves");
    member.join(hub.url(), &owner.token()).expect("it joins again");
    assert_eq!(post(hub.url(), "/hub/v1/leave", &headers, b"{}").0, 409);
    member.synced();
}

/// Used by no machine, so that its rights are those of nobody.
#[test]
fn a_key_that_nobody_registered_asks_nothing() {
    let Some((hub, [machine])) = Hub::with_machines(["a"]) else { return };
    let unknown = Machine::new("unknown");
    unknown.join(hub.url(), &machine.token()).expect("it joins");
    let signer = Signer::of(&unknown);
    retrace_api::commands::hub_leave(&unknown.world.app, Default::default()).expect("it leaves");
    for (name, _) in REQUESTS {
        let (status, body) = signer.send(hub.url(), name, b"{}");
        assert_eq!(status, 401, "{name}: {body}");
    }
}

#[test]
fn a_text_that_no_column_holds_is_refused() {
    let Some((hub, [machine])) = Hub::with_machines(["a"]) else { return };
    let signer = Signer::of(&machine);
    let (store, leaf) = (StoreId([9; 16]), Sha256([1; 32]));
    let head = Head::EMPTY.then(signer.key.machine(), store, &leaf);
    let org = OrgId::parse(&signer.org).expect("an id");
    let signature = signer.key.sign(&head_text(org, signer.key.machine(), store, &head, 0));
    let append = |name: &str, source: &str| {
        json!({
            "store": store.to_string(), "name": name, "kind": "notes", "after_seq": 0, "after": Head::EMPTY.digest.to_hex(),
            "versions": [{
                "local_seq": 1, "operation_seq": 1, "memory": MemoryId([3; 16]).to_string(), "operation": "created",
                "source": source, "created_at": 5, "leaf": leaf.to_hex(), "commitment": leaf.to_hex(), "observed": false,
            }],
            "signature": STANDARD.encode(&signature),
        })
        .to_string()
    };
    for (name, source) in [("a\u{0}b", "scan"), ("notes", "sc\u{0}an")] {
        let (status, body) = signer.send(hub.url(), "append", append(name, source).as_bytes());
        assert_eq!(status, 400, "{body}");
    }
    assert_eq!(hub.database.query("SELECT count(*) FROM versions"), "0");
    let (status, body) = signer.send(hub.url(), "append", append("notes", "scan").as_bytes());
    assert_eq!(status, 200, "{body}");
}
