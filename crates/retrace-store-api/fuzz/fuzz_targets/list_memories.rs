//! Any text as the query that lists memories; the same words stand for the view of one.
#![no_main]
use retrace_store_api_fuzz::{MEMORY, STORE, asks};

libfuzzer_sys::fuzz_target!(|query: &str| {
    asks("GET", &format!("/{STORE}/memories"), query, b"");
    asks("GET", &format!("/{STORE}/memories/{MEMORY}"), query, b"");
});
