//! `insert`: any path, line and text.
#![no_main]
use retrace_memory_tool_fuzz::{answers, path};
use serde_json::json;

libfuzzer_sys::fuzz_target!(|input: (&str, i64, &str)| {
    let (at, line, text) = input;
    answers(&json!({ "command": "insert", "path": path(at), "insert_line": line, "insert_text": text }));
});
