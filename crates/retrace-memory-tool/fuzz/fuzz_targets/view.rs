//! `view`: any path and range of lines.
#![no_main]
use retrace_memory_tool_fuzz::{answers, path};
use serde_json::json;

libfuzzer_sys::fuzz_target!(|input: (&str, Option<(i64, i64)>)| {
    let (at, range) = input;
    answers(
        &json!({ "command": "view", "path": path(at), "view_range": range.map(|(from, to)| [from, to]) }),
    );
});
