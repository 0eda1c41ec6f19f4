//! Every published vector and every recorded answer of the counting endpoint.

use flate2::read::GzDecoder;
use retrace_tokens::{Counter, Family};
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

fn rows(path: &Path) -> impl Iterator<Item = Value> {
    let file = File::open(path).expect("the file");
    BufReader::new(GzDecoder::new(file))
        .split(b'\n')
        .map(|line| serde_json::from_slice(&line.expect("a line")).expect("JSON"))
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(name)
}

fn text(row: &Value) -> String {
    match row["utf16"].as_array() {
        Some(units) => {
            let units: Vec<u16> = units.iter().map(|unit| unit.as_u64().expect("a unit") as u16).collect();
            String::from_utf16_lossy(&units)
        }
        None => row["text"].as_str().expect("a text").to_owned(),
    }
}

fn counter(row: &Value) -> &'static Counter {
    Counter::of(Family::parse(row["family"].as_str().expect("a family")).expect("a known family"))
}

/// Number of rows, all of which have to agree.
#[track_caller]
fn check(path: &Path) -> usize {
    let (mut all, mut wrong) = (0, Vec::new());
    for row in rows(path) {
        let (text, counter) = (text(&row), counter(&row));
        let count = counter.count(&text);
        let expected = row["count"].as_u64().expect("a count");
        let stream = row["stream"].as_str().map(|stream| (stream, counter.marked(&text).to_string()));
        if count != expected || stream.as_ref().is_some_and(|(expected, stream)| expected != stream) {
            wrong.push(format!("{}: {count} instead of {expected}; {stream:?}; {text:?}", row["id"]));
        }
        all += 1;
    }
    assert!(wrong.is_empty(), "{} of {all}, the first: {:#?}", wrong.len(), &wrong[..wrong.len().min(20)]);
    all
}

#[test]
fn every_vector_has_its_count_and_its_stream() {
    assert_eq!(check(&data("vectors.jsonl.gz")), 36_562);
}

#[test]
fn every_recorded_count_is_met() {
    assert_eq!(check(&data("gold.jsonl.gz")), 16_258);
}

/// Their texts are under a copyleft licence and not part of this project. The folder is named by
/// `RETRACE_SHARED_DATA`, or is `shared` beside the workspace.
#[test]
fn every_recorded_count_of_rosetta_code_is_met() {
    let shared = std::env::var_os("RETRACE_SHARED_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let path = shared.join("data/tokenizer/gold-rosetta.jsonl.gz");
    if !path.is_file() {
        println!("skipped: there is no {} (RETRACE_SHARED_DATA names another folder)", path.display());
        return;
    }
    assert_eq!(check(&path), 897);
}
