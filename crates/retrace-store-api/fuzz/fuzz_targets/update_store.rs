//! Any bytes as the body that changes a store.
#![no_main]
use retrace_store_api_fuzz::{STORE, asks};

libfuzzer_sys::fuzz_target!(|body: &[u8]| asks("POST", &format!("/{STORE}"), "", body));
