//! Any bytes as the body of an agent tool of the legacy mode, each tool with the same.
#![no_main]
use retrace_store_api_fuzz::{STORE, asks};

const TOOLS: [&str; 6] =
    ["memory_list", "memory_search", "memory_read", "memory_write", "memory_edit", "memory_delete"];

libfuzzer_sys::fuzz_target!(|body: &[u8]| {
    for tool in TOOLS {
        asks("POST", &format!("/{STORE}/tools/{tool}"), "", body);
    }
});
