//! Any text is lines of prices, with an error for each that is none.
#![no_main]
use retrace_context::prices::Prices;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (prices, _) = Prices::builtin().with_own(text);
    let _ = prices.of("claude-sonnet-4-5");
});
