//! Any JSON as the input: fields missing, of other types, and more than are known.
#![no_main]
use retrace_memory_tool_fuzz::answers;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(input) = serde_json::from_slice(bytes) {
        answers(&input);
    }
});
