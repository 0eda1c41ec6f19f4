//! Any bytes as the body that changes a memory.
#![no_main]
use retrace_store_api_fuzz::{MEMORY, STORE, asks};

libfuzzer_sys::fuzz_target!(|body: &[u8]| asks("POST", &format!("/{STORE}/memories/{MEMORY}"), "", body));
