//! One megabyte of the worst of each kind: text that costs most for its size. Each stays below 300 ms in a release build.
//!
//! ```text
//! cargo bench -p retrace-findings --bench worst
//! ```

#[path = "worst_texts/mod.rs"]
mod worst_texts;

use divan::{Bencher, black_box};
use retrace_diff::{DiffOptions, Granularity, diff, hidden, line_map, text_lines};
use retrace_findings::{Config, check_one};
use worst_texts::{names, text};

fn main() {
    divan::main();
}

#[divan::bench(args = names(), sample_count = 3, sample_size = 1)]
fn check(bencher: Bencher<'_, '_>, name: &str) {
    let text = text(name);
    let config = Config::default();
    bencher.bench(|| check_one("notes.md", black_box(text.as_bytes()), &config));
}

#[divan::bench(args = names(), sample_count = 3, sample_size = 1)]
fn characters(bencher: Bencher<'_, '_>, name: &str) {
    let text = text(name);
    bencher.bench(|| hidden(black_box(&text)));
}

#[divan::bench(args = names(), sample_count = 3, sample_size = 1)]
fn lines(bencher: Bencher<'_, '_>, name: &str) {
    let text = text(name);
    bencher.bench(|| text_lines(black_box(text.as_bytes())));
}

/// Against a text of which every line and every word is another one in the middle.
#[divan::bench(args = names(), sample_count = 3, sample_size = 1)]
fn difference_with_words(bencher: Bencher<'_, '_>, name: &str) {
    let old = text(name);
    let new: String =
        old.char_indices().map(|(at, c)| if at % 7 == 3 && c == 'a' { 'c' } else { c }).collect();
    let options = DiffOptions { granularity: Granularity::Words, ..DiffOptions::default() };
    bencher.bench(|| diff(black_box(old.as_bytes()), black_box(new.as_bytes()), &options));
}

/// 150,000 lines of which every one is written anew: what blame does for each version.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn lines_that_were_all_written_anew(bencher: Bencher<'_, '_>) {
    let lines = |word: &str| (0..150_000).map(|line| format!("{word} {line}\n")).collect::<String>();
    let (old, new) = (lines("old"), lines("new"));
    bencher.bench(|| line_map(black_box(old.as_bytes()), black_box(new.as_bytes())));
}

/// The same lines in reverse.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn lines_in_reverse(bencher: Bencher<'_, '_>) {
    let lines: Vec<String> = (0..100_000).map(|line| format!("line {line}\n")).collect();
    let (old, new) = (lines.concat(), lines.iter().rev().map(String::as_str).collect::<String>());
    bencher.bench(|| line_map(black_box(old.as_bytes()), black_box(new.as_bytes())));
}
