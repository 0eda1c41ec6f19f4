#![no_main]
//! In two chunks, saved and resumed in between, a summary is what it is in one.
use retrace_transcript::Summariser;

libfuzzer_sys::fuzz_target!(|input: (u16, &[u8])| {
    let (at, bytes) = input;
    let mut whole = Summariser::new();
    whole.feed(bytes);
    let mut first = Summariser::new();
    first.feed(&bytes[..usize::from(at).min(bytes.len())]);
    let mut second = Summariser::from_bytes(&first.to_bytes()).expect("saved by this version");
    second.feed(&bytes[second.consumed() as usize..]);
    assert_eq!(second.summary(), whole.summary());
});
