#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    match retrace_transcript::read(bytes) {
        Ok(reading) => retrace_transcript_fuzz::holds(&reading, bytes),
        Err(_) => assert!(retrace_transcript::detect(bytes).is_none()),
    }
});
