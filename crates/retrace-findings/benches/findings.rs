//! Speed of checking directories: 10,000 memories for the first time, and again when one changed.
//!
//! ```text
//! cargo bench -p retrace-findings
//! ```

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use retrace_findings::{Checker, Config, Content, File, Report, Surroundings};
use retrace_model::Sha256;

/// As many as the promise is about.
const MEMORIES: usize = 10_000;

/// Threads of the machine the promise is about.
const THREADS: usize = 2;

const WORDS: [&str; 32] = [
    "the",
    "service",
    "retries",
    "twice",
    "before",
    "it",
    "gives",
    "up",
    "run",
    "`npm run build`",
    "after",
    "each",
    "change",
    "never",
    "commit",
    "to",
    "`main`",
    "see",
    "`src/app/main.ts`",
    "for",
    "details",
    "user",
    "prefers",
    "short",
    "answers",
    "tests",
    "are",
    "slow",
    "token",
    "counts",
    "of",
    "context",
];

struct Memory {
    path: String,
    bytes: Vec<u8>,
    sha256: Sha256,
}

fn main() {
    divan::main();
}

/// Memories of about 2 KB, the median of public ones, with front matter, links and code; one in fifty holds a token.
fn memories() -> Vec<Memory> {
    let mut state = 1_u64;
    let mut next = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or(0) % below
    };
    (0..MEMORIES)
        .map(|number| {
            let mut text = format!("---\nname: memory-{number}\ndescription: what was learned\nmetadata:\n  type: project\n---\n\n");
            for _ in 0..30 {
                let line: Vec<&str> = (0..12).map(|_| WORDS[next(WORDS.len())]).collect();
                text.push_str(&format!("- {}\n", line.join(" ")));
            }
            text.push_str(&format!("\nRelated: [[memory-{}]]\n", next(MEMORIES)));
            if number % 50 == 0 {
                text.push_str(&format!("{}_{:036}\n", "ghp", next(usize::MAX)));
            }
            let bytes = text.into_bytes();
            Memory { path: format!("topics/{}/memory-{number}.md", number % 100), sha256: Sha256::of(&bytes), bytes }
        })
        .collect()
}

fn files(memories: &[Memory]) -> Vec<File<'_>> {
    memories
        .iter()
        .map(|memory| File {
            path: &memory.path,
            size: memory.bytes.len() as u64,
            content: Content::Bytes(memory.sha256, &memory.bytes),
        })
        .collect()
}

fn check(checker: &mut Checker, files: &[File<'_>]) -> Report {
    checker.check(files, &Surroundings::default())
}

fn count(bencher: Bencher<'_, '_>, config: &Config) {
    let memories = memories();
    let files = files(&memories);
    let bytes: usize = memories.iter().map(|memory| memory.bytes.len()).sum();
    bencher
        .counter(ItemsCount::new(MEMORIES))
        .counter(BytesCount::new(bytes))
        .with_inputs(|| Checker::new(config.clone(), THREADS))
        .bench_local_values(|mut checker| black_box(check(&mut checker, &files)));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn first_time(bencher: Bencher<'_, '_>) {
    count(bencher, &Config::default());
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn first_time_with_every_rule(bencher: Bencher<'_, '_>) {
    let config = Config::parse("[rules]\ntruth = \"on\"\nsimilar = \"on\"\n").expect("a configuration");
    count(bencher, &config);
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn again_when_one_changed(bencher: Bencher<'_, '_>) {
    let memories = memories();
    let mut files = files(&memories);
    let mut checker = Checker::new(Config::default(), THREADS);
    let _ = check(&mut checker, &files);
    let other = b"something else\n";
    files[0].content = Content::Bytes(Sha256::of(other), other);
    bencher.counter(ItemsCount::new(MEMORIES)).bench_local(|| black_box(check(&mut checker, &files)));
}
