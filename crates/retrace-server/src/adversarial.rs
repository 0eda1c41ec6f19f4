//! Thousands of adversarial requests to the whole server: paths, encodings, headers, bodies and methods that have opened holes
//! elsewhere. None may make it fail, and of a store that they do not name, by its own path, nothing may come out or change.

use crate::tests::{HOST, Server, TOKEN, request};
use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Method, Request, Uri};
use retrace_model::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

const REQUESTS: usize = 8_000;

/// Stands in the contents and paths of the store that must not be seen, and nowhere else.
const MARK: &str = "xyzzy";

/// Pieces that have opened holes elsewhere.
const PIECES: [&str; 38] = [
    "..",
    ".",
    "/",
    "//",
    "\\",
    "..\\",
    "%2e%2e",
    "%2F",
    "%252e%252e%252f",
    "%00",
    "%0d%0a",
    "%c0%ae",
    "%ff",
    "%",
    "%u002e",
    "\u{202e}",
    "\u{200b}",
    "e\u{301}",
    "é",
    "漢",
    "🦀",
    "~root",
    "C:",
    "CON",
    "$HOME",
    "`id`",
    "'; --",
    "<script>",
    "a",
    "b.md",
    " ",
    "*",
    "?",
    "#",
    "file://",
    "/etc/passwd",
    ";v=1",
    "&limit=1",
];

/// Numbers that follow from a seed (SplitMix64).
struct Numbers(u64);

fn mixed(mut number: u64) -> u64 {
    number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        usize::try_from(mixed(self.0) % limit as u64).expect("small")
    }

    fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    fn of<'t>(&mut self, choices: &[&'t str]) -> &'t str {
        choices[self.below(choices.len())]
    }

    fn text(&mut self, most: usize) -> String {
        (0..self.below(most)).map(|_| self.of(&PIECES)).collect()
    }
}

/// Two stores with a directory each, side by side, and one of the API alone; what is known of them.
struct Stores {
    server: Server,
    /// The store that is asked for.
    named: String,
    /// Every id of the other two but their own: of memories and versions; and cursors of their lists.
    others: Vec<String>,
}

impl Stores {
    async fn new() -> Self {
        let (seed, time) = (AtomicU64::new(1), AtomicI64::new(1_763_600_000_000_000));
        let server = Server::with(false, |options| {
            options.clock = Arc::new(move || Timestamp::from_micros(time.fetch_add(1_000, Ordering::SeqCst)));
            options.entropy = Arc::new(move |bytes: &mut [u8]| {
                for piece in bytes.chunks_mut(8) {
                    let number = mixed(seed.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::SeqCst)).to_be_bytes();
                    piece.copy_from_slice(&number[..piece.len()]);
                }
            });
        });
        let mut ids = BTreeMap::new();
        for name in ["named", "other"] {
            let folder = server.folder(name);
            let (file, text) = if name == "named" { ("a.md", "mine") } else { ("xyzzy.md", MARK) };
            std::fs::write(folder.join(file), text).expect("a file");
            std::fs::write(folder.join("b.md"), text).expect("a file");
            let added = server.call("add_store", &json!({ "root": folder, "name": name })).await;
            ids.insert(name, added.json()["id"].as_str().expect("an id").to_owned());
            server.call("share_store", &json!({ "store": name, "shared": true })).await;
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(server.folder("other"), server.folder("named").join("link"))
            .expect("a link");
        let mut stores = Self { server, named: ids["named"].clone(), others: Vec::new() };
        let made = stores.ask("POST", "/v1/memory_stores", &json!({ "name": "third" })).await;
        let third = made["id"].as_str().expect("an id").to_owned();
        for number in 0..3 {
            let body = json!({ "path": format!("/{MARK}/{number}.md"), "content": MARK });
            stores.ask("POST", &format!("/v1/memory_stores/{third}/memories"), &body).await;
        }
        for store in [third, ids["other"].clone()] {
            for list in ["memories", "memory_versions"] {
                let page = stores
                    .ask("GET", &format!("/v1/memory_stores/{store}/{list}?limit=1"), &Value::Null)
                    .await;
                stores.others.extend(page["next_page"].as_str().map(str::to_owned));
                let all = stores
                    .ask("GET", &format!("/v1/memory_stores/{store}/{list}?limit=100"), &Value::Null)
                    .await;
                for item in all["data"].as_array().expect("items") {
                    stores.others.push(item["id"].as_str().expect("an id").to_owned());
                }
            }
        }
        assert!(stores.others.len() > 10, "{:?}", stores.others);
        stores
    }

    /// An ordinary request and its answer.
    async fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let method = Method::from_bytes(method.as_bytes()).expect("a method");
        let headers = [
            ("x-api-key", TOKEN),
            ("anthropic-beta", "agent-memory-2026-07-22"),
            ("content-type", "application/json"),
        ];
        let body = if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
        let reply = self.server.send(request(method, path, &headers).body(body).expect("a request")).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.json());
        reply.json()
    }

    /// Everything of the other two stores, as the API and the disk have it.
    async fn rest(&self) -> (Vec<Value>, BTreeMap<String, Vec<u8>>) {
        let mut rest = Vec::new();
        let stores = self.ask("GET", "/v1/memory_stores?limit=100&include_archived=true", &Value::Null).await;
        for store in stores["data"].as_array().expect("stores") {
            let id = store["id"].as_str().expect("an id");
            // Stores that adversarial requests made, or that they may change.
            if id == self.named || !["other", "third"].contains(&store["name"].as_str().expect("a name")) {
                continue;
            }
            rest.push(store.clone());
            for list in ["memories", "memory_versions"] {
                let path = format!("/v1/memory_stores/{id}/{list}?view=full&limit=20");
                rest.push(self.ask("GET", &path, &Value::Null).await);
            }
        }
        assert_eq!(rest.len(), 6);
        let mut files = BTreeMap::new();
        read_below(self.server.folder.path(), self.server.folder.path(), &mut files);
        (rest, files)
    }

    /// An id or cursor that belongs to another store than the named one.
    fn of_another(&self, numbers: &mut Numbers) -> &str {
        &self.others[numbers.below(self.others.len())]
    }

    fn path(&self, numbers: &mut Numbers) -> String {
        let mut path = match numbers.below(12) {
            0 => format!("/{}", numbers.text(8)),
            1 => format!("/api/v1/{}", numbers.text(4)),
            2 => format!("/v1/memory_stores/{}{}", self.named, numbers.text(6)),
            _ => format!("/v1/memory_stores/{}", self.named),
        };
        for _ in 0..numbers.below(4) {
            path += "/";
            let segment = match numbers.below(10) {
                0..4 => {
                    numbers.of(&["memories", "memory_versions", "tools", "redact", "memory_read"]).to_owned()
                }
                4..8 => self.of_another(numbers).to_owned(),
                _ => numbers.text(4),
            };
            path += &segment;
        }
        let query = match numbers.below(6) {
            0 => format!("?page={}&limit={}", self.of_another(numbers), numbers.below(200)),
            1 => format!("?path_prefix={}&depth={}", numbers.text(5), numbers.below(3)),
            2 => format!("?memory_id={}&view=full", self.of_another(numbers)),
            3 => format!("?view=full&created_at[gte]={}&{}", numbers.text(3), numbers.text(4)),
            _ => String::new(),
        };
        path += &query;
        path
    }

    fn body(&self, numbers: &mut Numbers) -> Vec<u8> {
        let mut fields = serde_json::Map::new();
        for name in ["path", "content", "name", "description", "metadata", "precondition", "store", "view"] {
            let value = match numbers.below(9) {
                0 => format!("/{}", numbers.text(6)).into(),
                1 => format!("/../other/{}", numbers.text(3)).into(),
                2 => "/link/stolen.md".into(),
                3 => self.of_another(numbers).into(),
                4 => json!({ "type": "content_sha256", "content_sha256": "0".repeat(64) }),
                5 => json!([[{ "a": numbers.text(3) }], null, 1e308]),
                6 => "a".repeat(numbers.below(200_000)).into(),
                _ => continue,
            };
            fields.insert(name.to_owned(), value);
        }
        let mut bytes = Value::Object(fields).to_string().into_bytes();
        match numbers.below(8) {
            0 => bytes.truncate(numbers.below(bytes.len() + 1)),
            1 => bytes = "[".repeat(numbers.below(100_000)).into_bytes(),
            2 => bytes = vec![0xff; numbers.below(64)],
            _ => {}
        }
        bytes
    }

    fn hostile(&self, numbers: &mut Numbers) -> Request<Body> {
        let uri = loop {
            let path = self.path(numbers);
            // Text that no client could send is tried with its bytes percent-encoded.
            let encoded: String = path
                .bytes()
                .map(|byte| {
                    if byte.is_ascii_graphic() && byte != b'"' {
                        char::from(byte).to_string()
                    } else {
                        format!("%{byte:02x}")
                    }
                })
                .collect();
            match path.parse::<Uri>().or_else(|_| encoded.parse()) {
                Ok(uri) => break uri,
                Err(_) => continue,
            }
        };
        let store_itself = uri.path().trim_end_matches('/').ends_with(&self.named);
        let method = match numbers
            .of(&["GET", "GET", "POST", "POST", "PATCH", "DELETE", "PUT", "HEAD", "OPTIONS", "TRACE", "BREW"])
        {
            // The store that is asked for stays, so that there is something to ask.
            "DELETE" if store_itself => "GET",
            method => method,
        };
        let mut built = Request::new(Body::from(self.body(numbers)));
        *built.method_mut() = Method::from_bytes(method.as_bytes()).expect("a method");
        *built.uri_mut() = uri;
        let host = if numbers.once_in(12) { numbers.of(&["evil.example", "", "127.0.0.1"]) } else { HOST };
        let key = if numbers.once_in(12) {
            numbers.of(&["", "0123456789abcdeg", "Bearer 0123456789abcdef"])
        } else {
            TOKEN
        };
        let beta =
            if numbers.once_in(8) { numbers.of(&["", "other", ",,,"]) } else { "agent-memory-2026-07-22" };
        let kind = if numbers.once_in(8) { "text/plain" } else { "application/json" };
        let session = numbers.text(4);
        let lines = [
            ("host", host),
            ("x-api-key", key),
            ("anthropic-beta", beta),
            ("content-type", kind),
            ("x-retrace-session", &*session),
        ];
        for (name, value) in lines {
            // Bytes above 127 are allowed in a header, and are no text.
            let value: Vec<u8> = value.bytes().filter(|byte| *byte >= b' ' && *byte != 127).collect();
            let value = HeaderValue::from_bytes(&value).expect("the bytes of a header");
            built.headers_mut().append(HeaderName::from_static(name), value);
        }
        if numbers.once_in(10) {
            let origin = HeaderValue::from_static("http://evil.example");
            built.headers_mut().append("origin", origin);
        }
        built
    }
}

/// The files of all but the named store and the log. Links are not followed.
fn read_below(root: &Path, folder: &Path, into: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let entry = entry.expect("an entry");
        let name = entry.path().strip_prefix(root).expect("below the root").to_string_lossy().into_owned();
        if entry.file_type().expect("a type").is_dir() {
            if !matches!(&*name, "named" | "data") {
                read_below(root, &entry.path(), into);
            }
        } else {
            into.insert(name, std::fs::read(entry.path()).expect("bytes"));
        }
    }
}

#[tokio::test]
async fn none_makes_it_fail_and_nothing_of_another_store_comes_out() {
    let stores = Stores::new().await;
    let before = stores.rest().await;
    let place = stores.server.folder.path().to_string_lossy().into_owned();
    let (mut numbers, mut answered) = (Numbers(11), BTreeMap::new());
    for _ in 0..REQUESTS {
        let asked = stores.hostile(&mut numbers);
        let shown = format!("{} {} {:?}", asked.method(), asked.uri(), asked.headers());
        let reply = stores.server.send(asked).await;
        let reply_text = String::from_utf8_lossy(&reply.body);
        assert!(reply.status.as_u16() < 500, "{shown}: {} {reply_text}", reply.status);
        assert!(!reply_text.contains(MARK), "{shown}: {reply_text}");
        assert!(!reply_text.contains(&place), "{shown}: {reply_text}");
        *answered.entry(reply.status.as_u16()).or_insert(0_usize) += 1;
    }
    assert!(stores.rest().await == before, "another store is as it was");
    for status in [200, 400, 401, 403, 404, 405] {
        assert!(answered.get(&status).is_some_and(|count| *count > 20), "{answered:?}");
    }
}
