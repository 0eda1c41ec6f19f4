//! Any bytes as the body that redacts a version, which has nothing in it.
#![no_main]
use retrace_store_api_fuzz::{STORE, VERSION, asks};

libfuzzer_sys::fuzz_target!(|body: &[u8]| asks(
    "POST",
    &format!("/{STORE}/memory_versions/{VERSION}/redact"),
    "",
    body
));
