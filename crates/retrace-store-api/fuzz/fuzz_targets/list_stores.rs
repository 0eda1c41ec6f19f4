//! Any text as the query that lists stores.
#![no_main]
use retrace_store_api_fuzz::asks;

libfuzzer_sys::fuzz_target!(|query: &str| {
    asks("GET", "", query, b"");
});
