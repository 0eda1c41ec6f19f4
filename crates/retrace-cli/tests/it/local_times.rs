//! Times without a zone, and dates, in the time zone of the machine.

use std::path::Path;
use std::process::Command;

fn retrace(folder: &Path, zone: &str, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_retrace"));
    command.args(arguments).env("TZ", zone).env("RETRACE_DATA_DIR", folder.join("data")).env("HOME", folder);
    let output = command.output().expect("it runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// A zone as POSIX writes it, so that no database of zones is needed: hours to the west.
const ZONES: [&str; 5] = ["UTC0", "AAA-14", "BBB+12", "CCC-5:30", "DDD+3:30"];

#[cfg(unix)]
#[test]
fn the_day_that_the_log_prints_is_the_day_it_is_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let notes = folder.path().join("notes");
    std::fs::create_dir(&notes).expect("a directory");
    std::fs::write(notes.join("a.md"), "one\n").expect("a file");
    retrace(folder.path(), "UTC0", &["stores", "add", &notes.display().to_string()]);
    for zone in ZONES {
        let log = |arguments: &[&str]| retrace(folder.path(), zone, &[&["log"], arguments].concat());
        let printed = log(&["-v"]);
        let instant = printed.split_whitespace().nth(1).expect("a time").to_owned();
        let (day, time) = (&instant[..10], &instant[11..19]);
        assert_eq!(log(&["--since", day, "--json"]).lines().count(), 1, "{zone}: {printed}");
        assert_eq!(log(&["--until", day, "--json"]).lines().count(), 0, "{zone}: {printed}");
        let local = format!("{day} {time}");
        assert_eq!(log(&["--since", &local, "--json"]).lines().count(), 1, "{zone}: {printed}");
        let row: serde_json::Value = serde_json::from_str(log(&["--json"]).trim()).expect("JSON");
        assert!(row["created_at"].as_str().expect("a time").ends_with('Z'), "JSON is in UTC: {row}");
    }
}
