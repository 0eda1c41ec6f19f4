//! Keys of hosts in a keyring, in a process of its own: this program, running one test of it.

#![cfg(target_os = "linux")]
#![allow(clippy::print_stdout, reason = "a test that is skipped says why")]

use retrace_remote::{Key, KeyKind, KeySource, forget_key_for, keep_key_for, key_for};
use std::process::Command;

/// In a session and a home of its own, with a keyring that only this test knows.
#[test]
fn each_host_keeps_its_own_key() {
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
        .args(["--exact", "keys::a_keyring_holds_keys_of_hosts", "--include-ignored", "--nocapture"])
        .envs(["HOME", "XDG_RUNTIME_DIR", "XDG_DATA_HOME"].map(|name| (name, home.path())))
        .output()
        .unwrap();
    let reported = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success(), "{}", reported.join("\n"));
}

#[test]
#[ignore = "run by another test, with a keyring that may be changed"]
fn a_keyring_holds_keys_of_hosts() {
    let key = |text: &str| Key::new(text, KeyKind::ApiKey, KeySource::Keyring).unwrap();
    let (api, one, two) = ("https://api.anthropic.com", "https://one.example/a", "https://one.example/b");
    for (url, text) in [(api, "sk-0"), (one, "sk-1"), (two, "sk-2"), (one, "sk-3")] {
        keep_key_for(url, &key(text)).unwrap();
    }
    assert_eq!(key_for("https://API.anthropic.com/").unwrap(), Some(key("sk-0")));
    assert_eq!(retrace_outbound::key_from_keyring().unwrap(), Some(key("sk-0")), "one key for one API");
    assert_eq!(key_for("https://ONE.example:443/a/").unwrap(), Some(key("sk-3")));
    assert_eq!(key_for(two).unwrap(), Some(key("sk-2")));
    assert_eq!(key_for("https://one.example").unwrap(), None);
    assert!(forget_key_for(one).unwrap());
    assert!(!forget_key_for(one).unwrap());
    assert_eq!((key_for(one).unwrap(), key_for(two).unwrap()), (None, Some(key("sk-2"))));
    assert!(forget_key_for(api).unwrap());
    assert_eq!(key_for(api).unwrap(), None);
}
