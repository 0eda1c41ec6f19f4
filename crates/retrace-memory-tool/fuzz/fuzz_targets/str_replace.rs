//! `str_replace`: any path and texts; the files have some to find.
#![no_main]
use retrace_memory_tool_fuzz::{answers, path};
use serde_json::json;

libfuzzer_sys::fuzz_target!(|input: (&str, &str, Option<&str>)| {
    let (at, old, new) = input;
    answers(&json!({ "command": "str_replace", "path": path(at), "old_str": old, "new_str": new }));
});
