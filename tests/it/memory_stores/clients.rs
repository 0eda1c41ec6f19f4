//! The Memory Stores API as the official SDKs see it: every method and every class of error, over a real socket; and its
//! description, tried by schemathesis. Skipped where those are not there: `scripts/oracles DIRECTORY store-clients` and
//! `scripts/oracles DIRECTORY schemathesis` install them, `RETRACE_ORACLE_STORE_CLIENTS` and `RETRACE_ORACLE_SCHEMATHESIS` name
//! the directories they print.

use super::hosts::{Served, Server, TwoHubs};
use std::path::{Path, PathBuf};
use std::process::Command;

fn tree(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// Where the clients are; nothing, with the reason, when one is missing.
fn clients(wanted: &str) -> Option<PathBuf> {
    installed("RETRACE_ORACLE_STORE_CLIENTS", "store-clients", wanted)
}

fn installed(variable: &str, name: &str, wanted: &str) -> Option<PathBuf> {
    let named = std::env::var_os(variable).map(PathBuf::from);
    let home = named.unwrap_or_else(|| tree("target/oracles").join(name));
    if home.join(wanted).exists() {
        return Some(home);
    }
    println!("skipped: {} has no {wanted}; scripts/oracles installs it", home.display());
    None
}

/// Runs a client against a server of its own and shows what it said.
fn run(server: &dyn Server, program: &Path, arguments: &[&Path], home: Option<&Path>) {
    let mut command = Command::new(program);
    command.args(arguments).arg(server.origin()).arg(server.key());
    if let Some(home) = home {
        command.arg(home);
    }
    for name in
        ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_CUSTOM_HEADERS"]
    {
        command.env_remove(name);
    }
    let output = command.output().expect("the client runs");
    let reply_text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{reply_text}{}", String::from_utf8_lossy(&output.stderr));
    println!("{reply_text}");
}

fn python(server: &dyn Server, version: &str) {
    let interpreter = format!("py-{version}/bin/python");
    let Some(home) = clients(&interpreter) else { return };
    run(server, &home.join(interpreter), &[&tree("tests/oracles/store_client_py.py")], None);
}

fn typescript(server: &dyn Server) {
    let Some(home) = clients("ts/node_modules/@anthropic-ai/sdk") else { return };
    run(server, Path::new("node"), &[&tree("tests/oracles/store_client_ts.mjs")], Some(&home.join("ts")));
}

fn schemathesis(server: &dyn Server) {
    let Some(home) = installed("RETRACE_ORACLE_SCHEMATHESIS", "schemathesis", "bin/schemathesis") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(home.join("bin/schemathesis"));
    command.arg("--config-file").arg(tree("tests/oracles/stores_schemathesis.toml"));
    command.args(["run", "--no-color"]).arg(format!("{}/openapi.json", server.origin()));
    command.env("RETRACE_TOKEN", server.key());
    command.env("RETRACE_HOOKS", tree("tests/oracles/stores_schemathesis_hooks.py"));
    // It keeps its notes where it runs.
    let output = command.current_dir(folder.path()).output().expect("schemathesis runs");
    let reply_text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{reply_text}{}", String::from_utf8_lossy(&output.stderr));
    println!("{}", reply_text.lines().filter(|line| line.contains("generated")).collect::<String>().trim());
}

#[test]
fn the_python_sdk_finds_what_it_expects() {
    python(&Served::start(), "2.12.0");
}

#[test]
fn an_older_python_sdk_does_too() {
    python(&Served::start(), "0.110.0");
}

#[test]
fn the_typescript_sdk_does_too() {
    typescript(&Served::start());
}

#[test]
fn schemathesis_finds_nothing_that_is_not_as_described() {
    schemathesis(&Served::start());
}

#[test]
fn the_python_sdk_finds_the_same_at_two_hubs() {
    let Some(hubs) = TwoHubs::start() else { return };
    python(&hubs, "2.12.0");
}

#[test]
fn an_older_python_sdk_does_so_at_two_hubs() {
    let Some(hubs) = TwoHubs::start() else { return };
    python(&hubs, "0.110.0");
}

#[test]
fn the_typescript_sdk_does_so_at_two_hubs() {
    let Some(hubs) = TwoHubs::start() else { return };
    typescript(&hubs);
}

#[test]
fn schemathesis_finds_nothing_at_two_hubs() {
    let Some(hubs) = TwoHubs::start() else { return };
    schemathesis(&hubs);
}
