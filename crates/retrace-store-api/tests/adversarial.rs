//! 100,000 adversarial requests: paths that try to leave their store, ids that are none, bodies of every wrong shape. None may
//! panic, none may name a place outside its store, and none may be answered with a long echo.

use retrace_store_api::{Call, RequestParts, read_call};

const REQUESTS: u64 = 100_000;

/// Pieces that have opened holes elsewhere.
const PIECES: [&str; 40] = [
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
    "\u{0}",
    "\r\n",
    "\u{2028}",
    "\u{202e}",
    "\u{200b}",
    "\u{feff}",
    "e\u{301}",
    "é",
    "漢",
    "🦀",
    "~",
    "~root",
    "C:",
    "CON",
    "nul",
    "$HOME",
    "`id`",
    "'; --",
    "<script>",
    "{{7*7}}",
    "a",
    "b.md",
    " ",
    "*",
    "?",
    "|",
    "file://",
    "/etc/passwd",
    "/proc/self/environ",
    ".git",
];

/// Numbers that follow from a seed (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).expect("small")
    }

    fn text(&mut self) -> String {
        let count = self.below(8);
        (0..count).map(|_| PIECES[self.below(PIECES.len())]).collect()
    }

    /// A value of any shape, right or wrong.
    fn value(&mut self, depth: usize) -> serde_json::Value {
        match self.below(if depth > 3 { 5 } else { 8 }) {
            0 => serde_json::Value::Null,
            1 => (self.next().cast_signed()).into(),
            2 => (self.below(2) == 0).into(),
            3 => format!("/{}", self.text()).into(),
            4 => self.text().into(),
            5 => (0..self.below(3)).map(|_| self.value(depth + 1)).collect(),
            6 => serde_json::json!({ "type": "content_sha256", "content_sha256": self.text() }),
            _ => (0..self.below(3)).map(|_| (self.text(), self.value(depth + 1))).collect(),
        }
    }

    fn body(&mut self) -> Vec<u8> {
        let mut fields = serde_json::Map::new();
        for name in
            ["path", "content", "name", "description", "metadata", "precondition", "input", "session_id"]
        {
            if self.below(3) == 0 {
                fields.insert(name.to_owned(), self.value(0));
            }
        }
        let mut bytes = serde_json::Value::Object(fields).to_string().into_bytes();
        match self.below(6) {
            // Broken in the middle.
            0 if !bytes.is_empty() => {
                let at = self.below(bytes.len());
                bytes[at] = u8::try_from(self.below(256)).expect("a byte");
            }
            1 => bytes.truncate(self.below(bytes.len() + 1)),
            2 => bytes = vec![b'['; self.below(4_000)],
            _ => {}
        }
        bytes
    }
}

#[test]
fn none_panics_and_none_escapes() {
    let mut numbers = Numbers(7);
    let (mut understood, mut refused) = (0_u64, 0_u64);
    let ids = [
        "memstore_00000000000000000000000000",
        "mem_00000000000000000000000000",
        "memver_000000000000000000000",
        "memories",
        "memory_versions",
        "redact",
        "archive",
        "tools",
        "memory_write",
    ];
    for _ in 0..REQUESTS {
        let tail: String = (0..numbers.below(6))
            .map(|_| match numbers.below(12) {
                at @ 0..9 => format!("/{}", ids[at]),
                _ => format!("/{}", numbers.text()),
            })
            .collect();
        let path = match numbers.below(4) {
            0 => "/v1/memory_stores/memstore_00000000000000000000000000/memories".to_owned(),
            _ => format!("/v1/memory_stores{tail}"),
        };
        let query = match numbers.below(3) {
            0 => format!("path_prefix={}&depth={}", numbers.text(), numbers.below(3)),
            1 => format!("page={}&limit={}&view={}", numbers.text(), numbers.below(200), numbers.text()),
            _ => String::new(),
        };
        let body = numbers.body();
        let method = ["GET", "POST", "PATCH", "DELETE", "PUT"][numbers.below(5)];
        let legacy = numbers.below(2) == 0;
        let request = RequestParts { method, path: &path, query: &query, body: &body, legacy };
        match read_call(&request) {
            Err(refusal) => {
                refused += 1;
                assert!((400..500).contains(&refusal.kind.status()));
                assert!(refusal.message.len() < 600, "{}", refusal.message);
            }
            Ok(call) => {
                understood += 1;
                let named = match &call {
                    Call::CreateMemory(_, new) => Some(&new.path),
                    Call::UpdateMemory(_, _, change) => change.path.as_ref(),
                    _ => None,
                };
                if let Some(path) = named {
                    let relative = path.relative();
                    assert!(relative.components().all(|part| !matches!(part, b"" | b"." | b"..")), "{path}");
                }
            }
        }
    }
    assert!(understood > 1_000 && refused > 1_000, "{understood} understood, {refused} refused");
}
