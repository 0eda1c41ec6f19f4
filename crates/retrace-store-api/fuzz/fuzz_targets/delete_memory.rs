//! Any text as the query that deletes a memory.
#![no_main]
use retrace_store_api_fuzz::{MEMORY, STORE, asks};

libfuzzer_sys::fuzz_target!(|query: &str| {
    asks("DELETE", &format!("/{STORE}/memories/{MEMORY}"), query, b"");
});
