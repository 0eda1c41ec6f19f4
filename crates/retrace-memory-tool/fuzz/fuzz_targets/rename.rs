//! `rename`: any two paths.
#![no_main]
use retrace_memory_tool_fuzz::{answers, path};
use serde_json::json;

libfuzzer_sys::fuzz_target!(|input: (&str, &str)| {
    let (from, to) = input;
    answers(&json!({ "command": "rename", "old_path": path(from), "new_path": path(to) }));
});
