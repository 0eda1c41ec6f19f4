//! Any bytes as the body that makes a memory.
#![no_main]
use retrace_store_api_fuzz::{STORE, asks};

libfuzzer_sys::fuzz_target!(|body: &[u8]| asks("POST", &format!("/{STORE}/memories"), "", body));
