//! Several processes that keep the index in one file at once.

use retrace_sessions::{Cancel, FILE_NAME, Index, RootKind, Roots};
use std::fs;
use std::path::Path;
use std::process::{Child, Command};

/// Names the folder to a process started by the test.
const FOLDER: &str = "RETRACE_TEST_FOLDER";

const FILES: usize = 12;

fn update_and_save(folder: &Path) {
    let kept = folder.join(FILE_NAME);
    let mut index = Index::load(&kept);
    let report = index.update(&Roots::of(RootKind::Named, folder.join("named")), &|_| {}, &Cancel::new());
    assert_eq!(report.failed, []);
    // Whoever saved last had seen all, so a file that was not whole would show here.
    assert!(report.unchanged == FILES, "{report:?}");
    index.save(&kept).expect("room for the index");
}

#[test]
fn the_last_one_to_save_wins_and_the_file_is_always_whole() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        (0..40).for_each(|_| update_and_save(Path::new(&folder)));
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let named = folder.path().join("named");
    fs::create_dir(&named).expect("a directory");
    for number in 0..FILES {
        let line = format!("{{\"type\":\"summary\",\"summary\":\"Number {number}\",\"leafUuid\":\"a\"}}\n");
        fs::write(named.join(format!("{number}.jsonl")), line).expect("a file");
    }
    let mut index = Index::default();
    index.update(&Roots::of(RootKind::Named, named), &|_| {}, &Cancel::new());
    index.save(&folder.path().join(FILE_NAME)).expect("room for the index");

    let start = || -> Child {
        Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "processes::the_last_one_to_save_wins_and_the_file_is_always_whole"])
            .env(FOLDER, folder.path())
            .spawn()
            .expect("a process")
    };
    for mut process in [start(), start(), start()] {
        assert!(process.wait().expect("it ends").success());
    }
    let entries = fs::read_dir(folder.path()).expect("the folder").count();
    assert_eq!(entries, 2, "the index and the transcripts, and nothing left over");
}
