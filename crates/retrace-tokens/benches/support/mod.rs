//! The text that is counted: what agents read and write.

use flate2::read::GzDecoder;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Size of the text that is counted in one go, in bytes: more than fits a processor's cache.
const SIZE: usize = 5_000_000;

/// Every so many words of made text one is new. Of the words and operators of real transcripts about as many are counted
/// without having been seen in the megabytes before.
const NEW_WORD_EVERY: usize = 25;

pub(crate) struct Texts {
    pub texts: Vec<String>,
    pub origin: String,
}

impl Texts {
    /// From the transcripts of the folder that `RETRACE_SHARED_DATA` names or that is `shared` beside the workspace; without
    /// it, made from the slices of transcripts among the test vectors.
    pub(crate) fn load() -> Self {
        let shared = std::env::var_os("RETRACE_SHARED_DATA")
            .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
        let folder = shared.join("data/home");
        let texts = transcripts(&folder);
        if texts.is_empty() {
            return Self { texts: made(), origin: "slices of transcripts with new words put in".to_owned() };
        }
        Self { texts, origin: format!("the transcripts below {}", folder.display()) }
    }

    pub(crate) fn size(&self) -> usize {
        self.texts.iter().map(String::len).sum()
    }
}

fn transcripts(folder: &Path) -> Vec<String> {
    let mut texts = Vec::new();
    for path in files(folder).into_iter().filter(|path| path.extension().is_some_and(|name| name == "jsonl"))
    {
        let Ok(file) = File::open(path) else { continue };
        for line in BufReader::new(file).split(b'\n').map_while(Result::ok) {
            if let Ok(line) = serde_json::from_slice(&line) {
                collect(&line, &mut texts);
            }
        }
    }
    spread(texts)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries
        .flatten()
        .flat_map(|entry| if entry.path().is_dir() { files(&entry.path()) } else { vec![entry.path()] })
        .collect();
    found.sort();
    found
}

/// Replies, inputs of tools and their results.
fn collect(value: &Value, texts: &mut Vec<String>) {
    if let Value::Object(fields) = value {
        match fields.get("type").and_then(Value::as_str) {
            Some("text") => texts.extend(fields.get("text").and_then(Value::as_str).map(str::to_owned)),
            Some("tool_use") => texts.extend(fields.get("input").map(Value::to_string)),
            Some("tool_result") => {
                texts.extend(fields.get("content").and_then(Value::as_str).map(str::to_owned));
            }
            _ => {}
        }
        fields.values().for_each(|field| collect(field, texts));
    } else if let Value::Array(items) = value {
        items.iter().for_each(|item| collect(item, texts));
    }
}

/// Texts from everywhere in the list, up to the size that is counted.
fn spread(texts: Vec<String>) -> Vec<String> {
    let all: usize = texts.iter().map(String::len).sum();
    let every = all.div_ceil(SIZE).max(1);
    texts.into_iter().step_by(every).collect()
}

/// The texts of the test vectors whose group begins so, each once.
fn vectors(group: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/vectors.jsonl.gz");
    let file = File::open(path).expect("the vectors");
    BufReader::new(GzDecoder::new(file))
        .split(b'\n')
        .map(|line| serde_json::from_slice::<Value>(&line.expect("a line")).expect("JSON"))
        .filter(|row| {
            row["family"] == "v3" && row["group"].as_str().is_some_and(|name| name.starts_with(group))
        })
        .map(|row| row["text"].as_str().expect("a text").to_owned())
        .collect()
}

/// A megabyte in lines of 76 letters and digits.
pub(crate) fn base64() -> &'static str {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let mut state = 1u64;
        let letters = (1..1_000_000usize).map(|at| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if at % 77 == 0 { '\n' } else { char::from(ALPHABET[(state >> 58) as usize]) }
        });
        letters.collect()
    });
    &TEXT
}

/// Texts of the test vectors in many languages, ten times over.
pub(crate) fn languages() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| vectors("lang-").join("\n").repeat(10));
    &TEXT
}

fn made() -> Vec<String> {
    let slices = vectors("transcript-");
    let (mut texts, mut size, mut number) = (Vec::new(), 0, 0u64);
    for slice in slices.iter().cycle() {
        if size >= SIZE {
            break;
        }
        let mut text = String::with_capacity(slice.len() * 2);
        for (at, word) in slice.split_inclusive(char::is_whitespace).enumerate() {
            if at % NEW_WORD_EVERY == NEW_WORD_EVERY - 1 {
                number += 1;
                text.push_str(&name(number));
                text.push(' ');
            }
            text.push_str(word);
        }
        size += text.len();
        texts.push(text);
    }
    texts
}

/// A word of letters that stands for `number`.
fn name(number: u64) -> String {
    let mut mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let length = 4 + mixed % 9;
    let letters = (0..length).map(|_| {
        mixed = mixed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'a' + u8::try_from((mixed >> 40) % 26).expect("a letter"))
    });
    letters.collect()
}
