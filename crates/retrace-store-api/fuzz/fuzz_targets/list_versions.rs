//! Any text as the query that lists versions; the same words stand for the view of one.
#![no_main]
use retrace_store_api_fuzz::{STORE, VERSION, asks};

libfuzzer_sys::fuzz_target!(|query: &str| {
    asks("GET", &format!("/{STORE}/memory_versions"), query, b"");
    asks("GET", &format!("/{STORE}/memory_versions/{VERSION}"), query, b"");
});
