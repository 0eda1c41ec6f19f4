//! Requirements of every target on a reader.

use retrace_transcript::{Format, Reading, read_as};

/// Reads as one format; the account and the indices of the model must hold.
pub fn reads(format: Format, bytes: &[u8]) {
    holds(&read_as(format, bytes), bytes);
}

/// The invariants that readers of the model rely on.
pub fn holds(reading: &Reading, bytes: &[u8]) {
    assert_eq!(reading.account.bytes, bytes.len() as u64);
    assert!(!reading.transcripts.is_empty());
    for transcript in &reading.transcripts {
        for segment in &transcript.segments {
            assert!(segment.messages.iter().all(|&index| index < transcript.messages.len()));
        }
        for request in &transcript.requests {
            assert!(request.upto <= transcript.segments[request.segment].messages.len());
            assert!(request.response.is_none_or(|index| index < transcript.messages.len()));
            assert!(request.preamble.is_none_or(|index| index < transcript.preambles.len()));
            assert!(transcript.sent(request).all(|(index, _)| Some(index) != request.response));
        }
    }
}
