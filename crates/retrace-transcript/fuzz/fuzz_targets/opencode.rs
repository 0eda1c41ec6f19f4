#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    retrace_transcript_fuzz::reads(retrace_transcript::Format::Opencode, bytes);
});
