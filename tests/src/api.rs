//! The Memory Stores API of an app, called as a client would, without a transport.

use retrace_api::App;
use retrace_api::store_api::{StoreRequest, StoreService};
use serde_json::{Value, json};

/// The API of an app.
pub struct StoreApi {
    service: StoreService,
}

impl StoreApi {
    /// The API of an app, as it is today.
    #[must_use]
    pub fn of(app: &App) -> Self {
        Self { service: StoreService::start(app.served(), false).expect("a thread") }
    }

    /// The same, with what only the seed of the API had.
    #[must_use]
    pub fn legacy(app: &App) -> Self {
        Self { service: StoreService::start(app.served(), true).expect("a thread") }
    }

    /// Calls a path; answers the status and the body.
    #[must_use]
    pub fn call(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let request = StoreRequest {
            method: method.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            body: if body.is_null() { Vec::new() } else { body.to_string().into_bytes() },
            betas: vec!["agent-memory-2026-07-22".to_owned()],
            key_id: "apikey_test".to_owned(),
            session: None,
        };
        let answer = self.service.answer(&request);
        (answer.status, serde_json::from_slice(&answer.body).expect("JSON"))
    }

    /// Posts to a path, which must succeed.
    pub fn post(&self, path: &str, body: &Value) -> Value {
        let (status, answer) = self.call("POST", path, body);
        assert_eq!(status, 200, "{answer}");
        answer
    }

    /// Makes a store; answers its id.
    #[must_use]
    pub fn store(&self, name: &str) -> String {
        let made = self.post("/v1/memory_stores", &json!({ "name": name }));
        made["id"].as_str().expect("an id").to_owned()
    }

    /// Makes a memory; answers its id.
    pub fn create(&self, store: &str, path: &str, content: &str) -> String {
        let body = json!({ "path": path, "content": content });
        let made = self.post(&format!("/v1/memory_stores/{store}/memories"), &body);
        made["id"].as_str().expect("an id").to_owned()
    }

    /// Makes, changes or, without a content, deletes the memory at a path.
    pub fn put(&self, store: &str, path: &str, content: Option<&str>) {
        let memories = format!("/v1/memory_stores/{store}/memories");
        let (status, page) = self.call("GET", &format!("{memories}?limit=100"), &Value::Null);
        assert_eq!(status, 200, "{page}");
        let known = page["data"].as_array().and_then(|all| all.iter().find(|memory| memory["path"] == path));
        let id = known.map(|memory| memory["id"].as_str().unwrap_or_default().to_owned());
        match (id, content) {
            (None, Some(content)) => drop(self.create(store, path, content)),
            (Some(id), Some(content)) => {
                drop(self.post(&format!("{memories}/{id}"), &json!({ "content": content })));
            }
            (Some(id), None) => {
                let (status, gone) = self.call("DELETE", &format!("{memories}/{id}"), &Value::Null);
                assert_eq!(status, 200, "{gone}");
            }
            (None, None) => {}
        }
    }

    /// The contents of a store, by path.
    #[must_use]
    pub fn contents(&self, store: &str) -> std::collections::BTreeMap<String, String> {
        let mut found = std::collections::BTreeMap::new();
        let mut page = String::new();
        loop {
            let path = format!("/v1/memory_stores/{store}/memories?view=full{page}");
            let (status, answer) = self.call("GET", &path, &Value::Null);
            assert_eq!(status, 200, "{answer}");
            for memory in answer["data"].as_array().expect("a page") {
                let text = |name: &str| memory[name].as_str().unwrap_or_default().to_owned();
                found.insert(text("path"), text("content"));
            }
            match answer["next_page"].as_str() {
                Some(next) => page = format!("&page={next}"),
                None => return found,
            }
        }
    }
}
