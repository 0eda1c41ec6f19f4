//! Any method, path, query, body and beta header.
#![no_main]
use retrace_store_api::check_betas;
use retrace_store_api_fuzz::asks;

const METHODS: [&str; 5] = ["GET", "POST", "PATCH", "DELETE", "PUT"];

libfuzzer_sys::fuzz_target!(|input: (u8, &str, &str, &str, &[u8])| {
    let (method, tail, query, betas, body) = input;
    asks(METHODS[usize::from(method) % METHODS.len()], tail, query, body);
    let _ = check_betas([betas].into_iter());
});
