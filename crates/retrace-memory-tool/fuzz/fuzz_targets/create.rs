//! `create`: any path and content.
#![no_main]
use retrace_memory_tool_fuzz::{answers, path};
use serde_json::json;

libfuzzer_sys::fuzz_target!(|input: (&str, &str)| {
    let (at, text) = input;
    answers(&json!({ "command": "create", "path": path(at), "file_text": text }));
});
