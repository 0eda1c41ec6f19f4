//! The invariants of the layout, most of them of absence, read from `cargo metadata`.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// Direct dependencies (not those for tests) of each of our crates.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline", "--manifest-path"])
        .arg(manifest)
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("metadata is JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    packages
        .iter()
        .map(|package| {
            let names = package["dependencies"].as_array().expect("dependencies");
            let names = names
                .iter()
                .filter(|dependency| dependency["kind"].is_null())
                .map(|dependency| dependency["name"].as_str().expect("a name").to_owned())
                .collect();
            (package["name"].as_str().expect("a name").to_owned(), names)
        })
        .collect()
}

/// `only`: the crates that may depend on `name`; every other one may not.
fn check_only(name: &str, only: &[&str]) {
    for (package, names) in dependencies() {
        if names.contains(name) {
            assert!(
                only.contains(&package.as_str()),
                "{package} must not depend on {name}; only {only:?} may"
            );
        }
    }
}

#[test]
fn the_pure_crates_do_no_input_or_output() {
    let all = dependencies();
    let pure = [
        "aho-corasick",
        "base64",
        "chrono",
        "hmac",
        "memchr",
        "regex",
        "retrace-diff",
        "retrace-message",
        "retrace-model",
        "serde",
        "serde_json",
        "sha2",
        "similar",
        "syntect",
        "thiserror",
        "toml",
        "unicode-normalization",
        "unicode-properties",
        "unicode-segmentation",
        "yaml-rust2",
    ];
    for name in ["retrace-model", "retrace-diff", "retrace-findings", "retrace-store-api", "retrace-tags"] {
        for dependency in &all[name] {
            assert!(
                pure.contains(&dependency.as_str()),
                "{name} must stay pure, but depends on {dependency}"
            );
        }
    }
}

#[test]
fn the_pure_crates_of_the_context_lab_do_no_input_or_output() {
    let all = dependencies();
    let pure = [
        "base64",
        // Parses shell commands from a text.
        "brush-parser",
        "globset",
        "memchr",
        "retrace-context",
        "retrace-diff",
        "retrace-message",
        "retrace-model",
        "retrace-origin",
        "retrace-tokens",
        "retrace-transcript",
        "serde",
        "serde_json",
        "serde_json_canonicalizer",
        "sha2",
        "thiserror",
        // Its vocabularies are in the program; it reads no file and opens no connection.
        "tiktoken-rs",
        "unicode-normalization",
        "unicode-properties",
    ];
    for name in [
        "retrace-tokens",
        "retrace-transcript",
        "retrace-context",
        "retrace-presence",
        "retrace-origin",
        "retrace-rules",
    ] {
        for dependency in &all[name] {
            assert!(
                pure.contains(&dependency.as_str()),
                "{name} must stay pure, but depends on {dependency}"
            );
        }
    }
}

#[test]
fn each_outside_part_has_one_home() {
    check_only("rusqlite", &["retrace-log", "retrace-sessions"]);
    check_only("zstd", &["retrace-hub", "retrace-import", "retrace-joined", "retrace-log", "retrace-redact"]);
    check_only("notify", &["retrace-watch"]);
    check_only("rustix", &["retrace-files", "retrace-memory-tool"]);
    check_only("similar", &["retrace-diff"]);
    check_only("syntect", &["retrace-diff"]);
    check_only("axum", &["retrace-hub", "retrace-server", "retrace-store-http"]);
    check_only("clap", &["retrace-cli", "retrace-desktop"]);
    check_only("console", &["retrace-cli"]);
    check_only("tauri", &["retrace-desktop"]);
    check_only("notify-rust", &["retrace-desktop"]);
    check_only("zbus", &["retrace-desktop"]);
    check_only("rmcp", &["retrace-mcp"]);
    check_only(
        "tokio",
        &["retrace-hub", "retrace-server", "retrace-mcp", "retrace-store-http", "retrace-desktop"],
    );
    check_only("tokio-rustls", &["retrace-hub", "retrace-server"]);
    check_only("tokio-postgres", &["retrace-hub"]);
    check_only("ts-rs", &["retrace-api", "retrace-message", "retrace-wire"]);
    check_only("reqwest", &[]);
    check_only("ureq", &["retrace-outbound"]);
    check_only("keyring", &["retrace-outbound"]);
    check_only("tiktoken-rs", &["retrace-tokens"]);
    check_only("postcard", &["retrace-sessions"]);
}

#[test]
fn dependencies_point_downwards() {
    let below: BTreeMap<&str, &[&str]> = BTreeMap::from([
        ("retrace-message", &[][..]),
        ("retrace-message-derive", &[][..]),
        ("retrace-model", &[][..]),
        ("retrace-diff", &["retrace-model"][..]),
        ("retrace-tags", &["retrace-model"][..]),
        ("retrace-log", &["retrace-model", "retrace-tags"][..]),
        ("retrace-files", &["retrace-model"][..]),
        ("retrace-memory-tool", &["retrace-model", "retrace-files"][..]),
        ("retrace-sources", &["retrace-model"][..]),
        ("retrace-store-api", &["retrace-model"][..]),
        ("retrace-store-http", &["retrace-store-api"][..]),
        ("retrace-watch", &["retrace-model", "retrace-files"][..]),
        ("retrace-tokens", &[][..]),
        ("retrace-outbound", &[][..]),
        ("retrace-count", &["retrace-model", "retrace-outbound"][..]),
        ("retrace-remote", &["retrace-model", "retrace-outbound"][..]),
        ("retrace-findings", &["retrace-model", "retrace-diff"][..]),
        ("retrace-transcript", &["retrace-model"][..]),
        ("retrace-context", &["retrace-model", "retrace-tokens", "retrace-transcript"][..]),
        ("retrace-origin", &["retrace-model", "retrace-transcript"][..]),
        (
            "retrace-presence",
            &["retrace-context", "retrace-diff", "retrace-origin", "retrace-transcript"][..],
        ),
        (
            "retrace-sessions",
            &["retrace-model", "retrace-transcript", "retrace-context", "retrace-presence"][..],
        ),
        (
            "retrace-wire",
            &["retrace-diff", "retrace-files", "retrace-findings", "retrace-log", "retrace-model"][..],
        ),
        (
            "retrace-engine",
            &[
                "retrace-wire",
                "retrace-model",
                "retrace-diff",
                "retrace-log",
                "retrace-files",
                "retrace-findings",
                "retrace-memory-tool",
                "retrace-outbound",
                "retrace-sources",
                "retrace-tokens",
                "retrace-watch",
            ][..],
        ),
        (
            "retrace-redact",
            &[
                "retrace-wire",
                "retrace-engine",
                "retrace-model",
                "retrace-log",
                "retrace-files",
                "retrace-findings",
                "retrace-sources",
            ][..],
        ),
        (
            "retrace-served",
            &[
                "retrace-wire",
                "retrace-engine",
                "retrace-model",
                "retrace-log",
                "retrace-files",
                "retrace-redact",
                "retrace-findings",
                "retrace-memory-tool",
                "retrace-store-api",
            ][..],
        ),
        (
            "retrace-hosted",
            &[
                "retrace-wire",
                "retrace-engine",
                "retrace-model",
                "retrace-log",
                "retrace-files",
                "retrace-remote",
                "retrace-store-api",
                "retrace-tokens",
            ][..],
        ),
        (
            "retrace-lab",
            &[
                "retrace-wire",
                "retrace-engine",
                "retrace-model",
                "retrace-log",
                "retrace-files",
                "retrace-diff",
                "retrace-findings",
                "retrace-sources",
                "retrace-context",
                "retrace-count",
                "retrace-presence",
                "retrace-sessions",
                "retrace-tokens",
                "retrace-transcript",
            ][..],
        ),
        (
            "retrace-history",
            &[
                "retrace-wire",
                "retrace-engine",
                "retrace-model",
                "retrace-log",
                "retrace-files",
                "retrace-diff",
                "retrace-findings",
                "retrace-sources",
                "retrace-lab",
                "retrace-origin",
                "retrace-sessions",
                "retrace-transcript",
            ][..],
        ),
        (
            "retrace-import",
            &[
                "retrace-wire",
                "retrace-engine",
                "retrace-model",
                "retrace-log",
                "retrace-files",
                "retrace-diff",
                "retrace-findings",
                "retrace-sources",
                "retrace-lab",
                "retrace-origin",
                "retrace-sessions",
                "retrace-transcript",
            ][..],
        ),
        (
            "retrace-health",
            &[
                "retrace-wire",
                "retrace-engine",
                "retrace-model",
                "retrace-log",
                "retrace-files",
                "retrace-diff",
                "retrace-findings",
                "retrace-lab",
                "retrace-context",
                "retrace-sessions",
                "retrace-sources",
                "retrace-tokens",
            ][..],
        ),
        (
            "retrace-review",
            &[
                "retrace-adherence",
                "retrace-context",
                "retrace-wire",
                "retrace-engine",
                "retrace-model",
                "retrace-log",
                "retrace-files",
                "retrace-diff",
                "retrace-findings",
                "retrace-health",
                "retrace-history",
                "retrace-import",
                "retrace-tokens",
            ][..],
        ),
        (
            "retrace-adherence",
            &[
                "retrace-diff",
                "retrace-files",
                "retrace-wire",
                "retrace-engine",
                "retrace-model",
                "retrace-log",
                "retrace-health",
                "retrace-lab",
                "retrace-origin",
                "retrace-rules",
                "retrace-sessions",
                "retrace-sources",
                "retrace-tokens",
                "retrace-transcript",
                "retrace-watch",
            ][..],
        ),
        ("retrace-sync", &["retrace-model"][..]),
        (
            "retrace-hub",
            &["retrace-model", "retrace-outbound", "retrace-store-api", "retrace-store-http", "retrace-sync"]
                [..],
        ),
        (
            "retrace-joined",
            &[
                "retrace-adherence",
                "retrace-lab",
                "retrace-wire",
                "retrace-engine",
                "retrace-model",
                "retrace-log",
                "retrace-outbound",
                "retrace-redact",
                "retrace-review",
                "retrace-sync",
            ][..],
        ),
        ("retrace-rules", &["retrace-model", "retrace-origin", "retrace-transcript"][..]),
        (
            "retrace-api",
            &[
                "retrace-adherence",
                "retrace-joined",
                "retrace-review",
                "retrace-health",
                "retrace-import",
                "retrace-history",
                "retrace-lab",
                "retrace-hosted",
                "retrace-served",
                "retrace-redact",
                "retrace-engine",
                "retrace-wire",
                "retrace-model",
                "retrace-diff",
                "retrace-log",
                "retrace-files",
                "retrace-memory-tool",
                "retrace-sources",
                "retrace-store-api",
                "retrace-watch",
                "retrace-tokens",
                "retrace-count",
                "retrace-remote",
                "retrace-findings",
                "retrace-transcript",
                "retrace-context",
                "retrace-origin",
                "retrace-sessions",
            ][..],
        ),
        ("retrace-server", &["retrace-api", "retrace-store-http"][..]),
        ("retrace-mcp", &["retrace-api"][..]),
        ("retrace-print", &["retrace-api", "retrace-model"][..]),
        (
            "retrace-cli",
            &[
                "retrace-api",
                "retrace-hub",
                "retrace-link",
                "retrace-model",
                "retrace-print",
                "retrace-server",
                "retrace-mcp",
            ][..],
        ),
        ("retrace-link", &["retrace-api"][..]),
        ("retrace-desktop", &["retrace-link"][..]),
        ("retrace-tests", &["retrace-api", "retrace-model", "retrace-sources"][..]),
    ]);
    for (package, names) in dependencies() {
        let allowed =
            below.get(package.as_str()).unwrap_or_else(|| panic!("{package} has no place in the layout"));
        // Every crate may declare messages.
        let ours =
            names.iter().filter(|name| name.starts_with("retrace-") && !name.starts_with("retrace-message"));
        for name in ours {
            assert!(allowed.contains(&name.as_str()), "{package} must not depend on {name}");
        }
    }
}

#[test]
fn only_the_wire_is_serialised() {
    for (package, names) in dependencies() {
        if ["retrace-model", "retrace-log", "retrace-diff", "retrace-files", "retrace-watch"]
            .contains(&package.as_str())
        {
            assert!(!names.contains("serde"), "{package} must not serialise its own types");
        }
    }
}

#[test]
fn no_dependency_wants_a_newer_rust_than_is_promised() {
    // Of this system alone: crates of other systems are not downloaded, and cannot be read offline.
    let rustc = Command::new("rustc").arg("-vV").output().expect("rustc runs");
    let host = String::from_utf8_lossy(&rustc.stdout);
    let host = host.lines().find_map(|line| line.strip_prefix("host: ")).expect("a host").to_owned();
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--offline",
            "--filter-platform",
            &host,
            "--manifest-path",
        ])
        .arg(manifest)
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("metadata is JSON");
    let number = |text: &str| -> Vec<u32> { text.split('.').map_while(|part| part.parse().ok()).collect() };
    let promised = number(
        metadata["packages"]
            .as_array()
            .and_then(|packages| packages.iter().find(|package| package["name"] == "retrace-model"))
            .and_then(|package| package["rust_version"].as_str())
            .expect("the workspace promises a version"),
    );
    for package in metadata["packages"].as_array().expect("packages") {
        let wanted = package["rust_version"].as_str().map(number).unwrap_or_default();
        // 1.90 and 1.90.0 are the same.
        let newer = wanted.iter().zip(promised.iter().chain(std::iter::repeat(&0)));
        let newer = newer.map(|(wanted, promised)| wanted.cmp(promised)).find(|order| order.is_ne());
        assert!(newer != Some(std::cmp::Ordering::Greater), "{} wants {wanted:?}", package["name"]);
    }
}

#[test]
fn every_feature_test_is_run() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("it");
    let main = std::fs::read_to_string(folder.join("main.rs")).expect("the list of modules");
    for entry in std::fs::read_dir(folder).expect("the folder").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if let Some(module) = name.strip_suffix(".rs").filter(|module| *module != "main") {
            assert!(main.contains(&format!("mod {module};")), "{name} is in no test");
        }
    }
}
