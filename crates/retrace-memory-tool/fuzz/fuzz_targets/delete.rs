//! `delete`: any path.
#![no_main]
use retrace_memory_tool_fuzz::{answers, path};
use serde_json::json;

libfuzzer_sys::fuzz_target!(|input: &str| {
    let at = input;
    answers(&json!({ "command": "delete", "path": path(at) }));
});
