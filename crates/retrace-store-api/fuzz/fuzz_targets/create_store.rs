//! Any bytes as the body that makes a store.
#![no_main]
use retrace_store_api_fuzz::asks;

libfuzzer_sys::fuzz_target!(|body: &[u8]| asks("POST", "", "", body));
