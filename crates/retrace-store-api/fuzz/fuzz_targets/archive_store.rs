//! Any bytes as the body that archives a store, which has nothing in it.
#![no_main]
use retrace_store_api_fuzz::{STORE, asks};

libfuzzer_sys::fuzz_target!(|body: &[u8]| asks("POST", &format!("/{STORE}/archive"), "", body));
