//! How the commands are cut into crates: no crate too large, no circle between features, and the engine's public interface on
//! one page of docs/ARCHITECTURE.md.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Lines of code that a crate has at most: without tests, comments and blank lines.
const MAX_LINES: usize = 10_000;

/// The same of the top, which has no feature.
const MAX_LINES_OF_TOP: usize = 2_000;

/// Lines of the page about the engine, its table included.
const MAX_LINES_OF_PAGE: usize = 60;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A source without its tests, which come last where they are in it.
fn without_tests(source: &str) -> &str {
    let opens = |at: &usize| source[*at..].lines().nth(1).is_some_and(|line| line.ends_with('{'));
    let tests = source.match_indices("#[cfg(test)]\nmod ").map(|(at, _)| at).find(opens);
    tests.map_or(source, |tests| &source[..tests])
}

/// Modules that a source declares in files of their own, those for tests left out.
fn declared(source: &str) -> Vec<String> {
    let mut modules = Vec::new();
    let mut attributes = String::new();
    for line in source.lines().map(str::trim) {
        if line.starts_with("#[") {
            attributes.push_str(line);
            continue;
        }
        let name = line.strip_suffix(';').and_then(|line| line.rsplit_once("mod "));
        if let Some((before, name)) = name
            && (before.is_empty() || before.starts_with("pub"))
            && !attributes.contains("cfg(test)")
        {
            modules.push(name.to_owned());
        }
        attributes.clear();
    }
    modules
}

/// Lines of code of a module and those below it; `folder` is where those are.
fn lines_of_code(file: &Path, folder: &Path) -> usize {
    let source = read(file);
    let source = without_tests(&source);
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with("//");
    let own = source.lines().filter(is_code).count();
    let below = declared(source).into_iter().map(|name| {
        let inside = folder.join(&name);
        let file = [folder.join(format!("{name}.rs")), inside.join("mod.rs")];
        let file = file.iter().find(|file| file.exists());
        file.map_or(0, |file| lines_of_code(file, &inside))
    });
    own + below.sum::<usize>()
}

#[test]
fn no_crate_is_too_large() {
    for entry in fs::read_dir(root().join("crates")).expect("the crates").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let sources = entry.path().join("src");
        let lines = lines_of_code(&sources.join("lib.rs"), &sources);
        assert!(lines > 0, "{name} was not read");
        let most = if name == "retrace-api" { MAX_LINES_OF_TOP } else { MAX_LINES };
        assert!(lines <= most, "{name} has {lines} lines of code, and {most} at most");
    }
}

/// The engine and the features, each with those of them that it calls.
fn calls() -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline", "--manifest-path"])
        .arg(root().join("Cargo.toml"))
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("metadata is JSON");
    let crates = retrace_tests::api_crates();
    let named = |value: &Value| value["name"].as_str().expect("a name").to_owned();
    metadata["packages"]
        .as_array()
        .expect("packages")
        .iter()
        .filter(|package| crates.contains(&&*named(package)))
        .map(|package| {
            // Those for tests count as well: a test of a feature needs no other feature above it.
            let all = package["dependencies"].as_array().expect("dependencies").iter().map(named);
            (named(package), all.filter(|name| crates.contains(&&**name)).collect())
        })
        .collect()
}

#[test]
fn features_do_not_call_each_other_in_a_circle() {
    let calls = calls();
    assert_eq!(calls.len(), retrace_tests::api_crates().len());
    assert!(calls["retrace-engine"].is_empty(), "the engine knows no feature: {:?}", calls["retrace-engine"]);
    for (name, called) in &calls {
        assert!(name == "retrace-engine" || called.contains("retrace-engine"), "{name} stands on the engine");
        assert!(!called.contains("retrace-api"), "{name} is below the top");
    }
    // Whoever calls nobody that is left is taken away, until all are.
    let mut left: BTreeSet<&str> = calls.keys().map(String::as_str).collect();
    while !left.is_empty() {
        let free: Vec<&str> = left
            .iter()
            .copied()
            .filter(|name| calls[*name].iter().all(|called| !left.contains(&**called)))
            .collect();
        assert!(!free.is_empty(), "these call each other in a circle: {left:?}");
        left.retain(|name| !free.contains(name));
    }
}

/// The word after `pub` and a keyword in a line of source, with the spaces before it.
fn public_name(line: &str) -> Option<(usize, &str)> {
    let indent = line.len() - line.trim_start().len();
    let rest = line.trim_start().strip_prefix("pub ")?;
    let rest = rest.strip_prefix("const fn ").or_else(|| {
        ["fn ", "struct ", "enum ", "trait ", "type ", "const "]
            .iter()
            .find_map(|word| rest.strip_prefix(word))
    })?;
    let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
    Some((indent, &rest[..end]))
}

/// Public names of a module of the engine, methods of `Engine` with a dot before them.
fn public_names(source: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut in_engine = false;
    for line in without_tests(source).lines() {
        match (line, public_name(line)) {
            ("impl Engine {", _) => in_engine = true,
            ("}", _) => in_engine = false,
            (_, Some((0, name))) => drop(names.insert(name.to_owned())),
            (_, Some((4, name))) if in_engine => drop(names.insert(format!(".{name}"))),
            _ => {}
        }
    }
    names
}

#[test]
fn the_page_about_the_engine_says_all_that_is_public() {
    let sources = root().join("crates/retrace-engine/src");
    let front = read(&sources.join("lib.rs"));
    let mut modules: BTreeSet<&str> =
        front.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    // Private modules whose names the front page gives out.
    modules.extend(front.lines().filter_map(|line| Some(line.strip_prefix("pub use ")?.split_once("::")?.0)));
    let page = read(&root().join("docs/ARCHITECTURE.md"));
    let (_, page) = page.split_once("## The engine\n").expect("a section about the engine");
    let page = page.split("\n## ").next().unwrap_or_default();
    assert!(page.lines().count() <= MAX_LINES_OF_PAGE, "it is no page any more");
    let mut told = BTreeMap::new();
    for row in page.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let names: BTreeSet<String> =
            cells[2].split_whitespace().map(|name| name.trim_matches('`').to_owned()).collect();
        told.insert(cells[1].trim_matches('`'), names);
    }
    assert_eq!(told.keys().copied().collect::<BTreeSet<&str>>(), modules);
    for (module, names) in told {
        assert_eq!(names, public_names(&read(&sources.join(format!("{module}.rs")))), "of {module}");
    }
}
