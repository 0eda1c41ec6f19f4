//! The session sync of the Python SDK against `retrace serve`, and against two hubs over one database: both sides edited, worker and
//! server killed, and in the end the same on both sides and everything recorded (`tests/oracles/session_sync.py`). Skipped where the
//! SDK or PostgreSQL is not there:
//! `scripts/oracles DIRECTORY store-clients` installs it, `RETRACE_ORACLE_STORE_CLIENTS` names the directory it prints.

#![allow(clippy::print_stdout, reason = "a test that is skipped says why, one that ran how much it did")]

use retrace_tests::postgres::Postgres;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Steps of each scenario.
const STEPS: &str = "20";

fn tree(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

fn scenario(seed: u64, database: Option<&str>) {
    let named = std::env::var_os("RETRACE_ORACLE_STORE_CLIENTS").map(PathBuf::from);
    let python = named.unwrap_or_else(|| tree("target/oracles/store-clients")).join("py-2.12.0/bin/python");
    if !python.exists() {
        println!("skipped: there is no {}; scripts/oracles installs it", python.display());
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(python);
    command.arg(tree("tests/oracles/session_sync.py")).arg(env!("CARGO_BIN_EXE_retrace"));
    command.arg(folder.path()).args([&seed.to_string(), STEPS]).args(database);
    let output = command.output().expect("the scenario runs");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    println!("{}", printed.trim());
}

#[test]
fn both_sides_converge_1() {
    scenario(1, None);
}

#[test]
fn both_sides_converge_2() {
    scenario(2, None);
}

#[test]
fn both_sides_converge_3() {
    scenario(3, None);
}

#[test]
fn both_sides_converge_4() {
    scenario(4, None);
}

fn at_hubs(seed: u64) {
    let Some(database) = Postgres::database() else { return };
    scenario(seed, Some(&database.url()));
}

#[test]
fn both_sides_converge_at_two_hubs_1() {
    at_hubs(1);
}

#[test]
fn both_sides_converge_at_two_hubs_2() {
    at_hubs(2);
}
