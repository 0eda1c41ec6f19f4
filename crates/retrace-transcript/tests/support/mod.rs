//! Shared by the tests of this crate.
#![allow(dead_code)]

use retrace_transcript::Transcript;
use std::collections::BTreeSet;

/// What of the model's invariants a transcript breaks; empty if none.
pub fn check(transcript: &Transcript) -> Vec<String> {
    let mut broken = Vec::new();
    let messages = transcript.messages.len();
    for (number, segment) in transcript.segments.iter().enumerate() {
        let distinct: BTreeSet<_> = segment.messages.iter().collect();
        if distinct.len() != segment.messages.len() {
            broken.push(format!("segment {number} names a message twice"));
        }
        if segment.messages.iter().any(|&index| index >= messages) {
            broken.push(format!("segment {number} names a message that is not there"));
        }
    }
    let mut ids = BTreeSet::new();
    for (number, request) in transcript.requests.iter().enumerate() {
        if !ids.insert(&request.id) {
            broken.push(format!("request {number} has the id of another"));
        }
        let Some(segment) = transcript.segments.get(request.segment) else {
            broken.push(format!("request {number} names a segment that is not there"));
            continue;
        };
        if request.upto > segment.messages.len() {
            broken.push(format!("request {number} sent more than its segment has"));
        }
        if let Some(response) = request.response {
            if response >= messages {
                broken.push(format!("request {number} has an answer that is not there"));
            }
            if transcript.sent(request).any(|(index, _)| index == response) {
                broken.push(format!("request {number} sent its own answer"));
            }
        }
        if request.preamble.is_some_and(|preamble| preamble >= transcript.preambles.len()) {
            broken.push(format!("request {number} names a preamble that is not there"));
        }
    }
    broken
}
