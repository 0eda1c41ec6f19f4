//! Speed of counting agent text, beside `tiktoken-rs` with o200k on the same text; how long until the first count; how much
//! memory it takes.
//!
//! ```text
//! cargo bench -p retrace-tokens
//! ```

mod support;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use retrace_tokens::{Counter, Family};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use support::Texts;

fn main() {
    report_start();
    divan::main();
    report_memory();
}

fn texts() -> &'static Texts {
    static TEXTS: OnceLock<Texts> = OnceLock::new();
    TEXTS.get_or_init(Texts::load)
}

/// Nothing may be counted before this: both vocabularies are loaded by it.
#[expect(clippy::print_stdout, reason = "what it is for")]
fn report_start() {
    let before = resident();
    let start = Instant::now();
    let first =
        black_box(Counter::of(Family::V3).content("ready") + Counter::of(Family::V48).content("ready"));
    let elapsed = start.elapsed();
    println!("both vocabularies ready and {first} tokens counted after {elapsed:.1?}");
    if let (Some(before), Some(after)) = (before, resident()) {
        println!("resident memory for it: {} KiB", after.saturating_sub(before));
    }
    let texts = texts();
    println!("text: {} texts, {} bytes, from {}", texts.texts.len(), texts.size(), texts.origin);
    let before = resident();
    for family in Family::CLAUDE {
        let start = Instant::now();
        let tokens = count_all(family);
        let rate = texts.size() as f64 / 1e6 / start.elapsed().as_secs_f64();
        println!("{family}: {tokens} tokens, counted for the first time at {rate:.0} MB/s");
    }
    if let (Some(before), Some(after)) = (before, resident()) {
        println!("resident memory for counting it: {} KiB more", after.saturating_sub(before));
    }
}

/// Memory of the process as a whole, texts and the peer included.
#[expect(clippy::print_stdout, reason = "what it is for")]
fn report_memory() {
    if let Some(all) = resident() {
        println!("resident memory at the end, with the texts and the peer: {all} KiB");
    }
}

/// Resident memory in KiB, where the system tells.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?.split_whitespace().next()?.parse().ok()
}

fn count_all(family: Family) -> u64 {
    let counter = Counter::of(family);
    texts().texts.iter().map(|text| counter.content(text)).sum()
}

const FAMILIES: [Family; 3] = [Family::V3, Family::V47, Family::V48];

/// As a program counts: what words cost is remembered from the texts before.
#[divan::bench(args = FAMILIES, max_time = Duration::from_secs(4))]
fn counting(bencher: Bencher<'_, '_>, family: Family) {
    bencher.counter(BytesCount::new(texts().size())).bench(|| count_all(family));
}

/// Letters and digits without a pattern, where nothing can be remembered.
#[divan::bench(args = [Family::V3, Family::V48], max_time = Duration::from_secs(2))]
fn base64(bencher: Bencher<'_, '_>, family: Family) {
    count_one(bencher, family, support::base64());
}

/// Some fifty languages.
#[divan::bench(args = [Family::V3, Family::V48], max_time = Duration::from_secs(2))]
fn languages(bencher: Bencher<'_, '_>, family: Family) {
    count_one(bencher, family, support::languages());
}

fn count_one(bencher: Bencher<'_, '_>, family: Family, text: &str) {
    let counter = Counter::of(family);
    bencher.counter(BytesCount::of_str(text)).bench(|| counter.content(black_box(text)));
}

#[divan::bench(max_time = Duration::from_secs(2))]
fn tiktoken_o200k_base64(bencher: Bencher<'_, '_>) {
    peer_one(bencher, support::base64());
}

#[divan::bench(max_time = Duration::from_secs(2))]
fn tiktoken_o200k_languages(bencher: Bencher<'_, '_>) {
    peer_one(bencher, support::languages());
}

fn peer_one(bencher: Bencher<'_, '_>, text: &str) {
    let peer = tiktoken_rs::o200k_base_singleton();
    bencher.counter(BytesCount::of_str(text)).bench(|| peer.encode_ordinary(black_box(text)).len());
}

/// The peer, which also has to make the list of tokens.
#[divan::bench(max_time = Duration::from_secs(4))]
fn tiktoken_o200k(bencher: Bencher<'_, '_>) {
    let peer = tiktoken_rs::o200k_base_singleton();
    bencher
        .counter(BytesCount::new(texts().size()))
        .bench(|| texts().texts.iter().map(|text| peer.encode_ordinary(text).len()).sum::<usize>());
}

/// The peer without the list, where it can do without.
#[divan::bench(max_time = Duration::from_secs(4))]
fn tiktoken_o200k_count(bencher: Bencher<'_, '_>) {
    let peer = tiktoken_rs::o200k_base_singleton();
    bencher
        .counter(BytesCount::new(texts().size()))
        .bench(|| texts().texts.iter().map(|text| peer.count_ordinary(text)).sum::<usize>());
}
