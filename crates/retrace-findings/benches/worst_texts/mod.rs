//! Texts that cost most for their size: `worst.json`, which the benchmark of what the window renders reads too.

#![allow(dead_code, unreachable_pub, reason = "two benchmarks include it, and each uses a part of it")]

use serde::Deserialize;
use std::sync::LazyLock;

/// As many bytes as the promise is about.
pub const BYTES: usize = 1 << 20;

/// Text that is repeated, with what comes before and after all of it.
#[derive(Deserialize)]
struct Kind {
    name: String,
    before: String,
    repeated: String,
    after: String,
}

static KINDS: LazyLock<Vec<Kind>> =
    LazyLock::new(|| serde_json::from_str(include_str!("../worst.json")).expect("a list of kinds"));

/// What the kinds are called.
pub fn names() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|kind| kind.name.as_str())
}

/// A megabyte of a kind.
pub fn text(name: &str) -> String {
    let kind = KINDS.iter().find(|kind| kind.name == name).expect("it is one of them");
    let mut text = kind.before.clone();
    while text.len() + kind.repeated.len() + kind.after.len() <= BYTES {
        text.push_str(&kind.repeated);
    }
    text.push_str(&kind.after);
    text
}
