//! Tests that depend on the process's environment, in a process of its own: this program, running one test of it.

use crate::server::{Reply, Server};
use crate::support::{client_of, key, request};
use retrace_count::{
    Cancel, Config, Key, KeyKind, KeySource, KeyringError, forget_key, keep_key, key_from_keyring,
};
use std::process::{Command, Output};

/// Runs one of the ignored tests below with these variables.
fn child(test: &str, variables: &[(&str, &str)]) -> Output {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--include-ignored", "--nocapture"])
        .envs(variables.iter().copied())
        .output()
        .unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn without_a_keyring_the_error_says_so() {
    let bus = [("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus"), ("XDG_RUNTIME_DIR", "/nowhere")];
    let output = child("children::there_is_no_keyring", &bus);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
#[ignore = "run by another test, without a session bus"]
fn there_is_no_keyring() {
    for _ in 0..2 {
        let error = key_from_keyring().unwrap_err();
        assert!(matches!(error, KeyringError::Unavailable { .. }), "{error:?}");
        assert!(error.to_string().contains("keyring cannot be used"), "{error}");
    }
}

/// In a session and a home of its own, with a keyring that only this test knows.
#[cfg(target_os = "linux")]
#[test]
fn a_key_is_kept_and_found_again() {
    let found = |program: &str| Command::new(program).arg("--version").output().is_ok();
    if !["dbus-run-session", "dbus-send", "gnome-keyring-daemon"].into_iter().all(found) {
        println!("skipped: dbus-run-session, dbus-send and gnome-keyring-daemon are not all installed");
        return;
    }
    let home = tempfile::tempdir().unwrap();
    // The keyring is there when its name is; asking takes a moment each time, so that a count is a bound.
    let unlocked =
        "printf word | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1 || exit 1
        for try in $(seq 500); do
            dbus-send --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner \
                string:org.freedesktop.secrets | grep -q true && exec timeout 60 \"$@\"
        done
        exit 1";
    let output = Command::new("dbus-run-session")
        .args(["--", "sh", "-c", unlocked, "sh"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "children::a_keyring_holds_a_key", "--include-ignored", "--nocapture"])
        .envs(["HOME", "XDG_RUNTIME_DIR", "XDG_DATA_HOME"].map(|name| (name, home.path())))
        .output()
        .unwrap();
    let reported = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success(), "{}", reported.join("\n"));
}

#[test]
#[ignore = "run by another test, with a keyring that may be changed"]
fn a_keyring_holds_a_key() {
    let key = |text: &str, kind| Key::new(text, kind, KeySource::Keyring).unwrap();
    assert_eq!(key_from_keyring().unwrap(), None);
    assert!(!forget_key(KeyKind::ApiKey).unwrap());

    keep_key(&key("tok-1", KeyKind::AuthToken)).unwrap();
    assert_eq!(key_from_keyring().unwrap(), Some(key("tok-1", KeyKind::AuthToken)));
    keep_key(&key("sk-1", KeyKind::ApiKey)).unwrap();
    keep_key(&key("sk-2", KeyKind::ApiKey)).unwrap();
    assert_eq!(key_from_keyring().unwrap(), Some(key("sk-2", KeyKind::ApiKey)));

    assert!(forget_key(KeyKind::ApiKey).unwrap());
    assert_eq!(key_from_keyring().unwrap(), Some(key("tok-1", KeyKind::AuthToken)));
    assert!(forget_key(KeyKind::AuthToken).unwrap());
    assert_eq!(key_from_keyring().unwrap(), None);
}

/// On Linux the system's certificates are files that this variable names.
#[cfg(target_os = "linux")]
#[test]
fn the_systems_certificates_are_believed() {
    let (settings, pem) = crate::secure::certificate("localhost");
    let server = Server::start_with(|_, _| Reply::Count, Some(settings));
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("roots.pem");
    std::fs::write(&file, pem).unwrap();
    let variables = [
        ("SSL_CERT_FILE", file.to_str().unwrap()),
        ("ANTHROPIC_BASE_URL", &format!("https://localhost:{}", server.port)),
    ];
    let output = child("children::a_call_believes_the_system", &variables);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(server.seen().len(), 1);
}

#[test]
#[ignore = "run by another test, with its own certificates"]
fn a_call_believes_the_system() {
    let environment = Config::from_environment(&|name| std::env::var(name).ok()).unwrap();
    let (client, _) = client_of(Config { key: key(), retries: 0, ..environment });
    client.count(&request("hello"), &Cancel::new()).unwrap();
}
