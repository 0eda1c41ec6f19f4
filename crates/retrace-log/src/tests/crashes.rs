//! A process that is killed while it appends: what was committed is there, and nothing is half done.

use super::harness::*;
use super::processes::{Running, child_command, child_directory};
use crate::*;
use std::io::Write as _;

/// Text that operation `number` writes.
fn text(number: u64) -> String {
    format!("fact {number}\n{}\n", noise(number, 2000))
}

/// Not a test of its own: what the children of the next one do, which is to append until they are killed.
#[test]
fn child_that_appends() {
    let Some(directory) = child_directory() else { return };
    let mut writer =
        Writer::open(LogFiles::new(directory), entropy(u64::from(std::process::id()))).expect("a log");
    let store = writer.reader().stores().expect("stores")[0].id;
    loop {
        let number = writer.reader().cursor().expect("a cursor") + 1;
        let changes =
            vec![put(store, "a.md", text(number)), put(store, &format!("{number}.md"), text(number + 1))];
        writer.append(scan(store, START, changes)).expect("appends");
        writer.index_some().expect("indexes");
        println!("committed {number}");
        std::io::stdout().flush().expect("the parent listens");
    }
}

#[test]
fn what_was_committed_before_a_kill_is_there() {
    let mut log = TestLog::new();
    let files = log.files();
    for round in 0..8 {
        let child =
            child_command("tests::crashes::child_that_appends", files.directory()).spawn().expect("a child");
        let mut child = Running(child);
        // However many it has said by then, it is killed in the middle of something.
        let last = child.lines("committed ").nth(3 + round * 2).expect("it appends until it is killed");
        drop(child);
        let committed: u64 = last.parse().expect("a number");
        log = log.reopen(100 + round as u64);
        let cursor = log.writer.reader().cursor().expect("a cursor");
        assert!(cursor >= committed, "{cursor} operations are there, {committed} were committed");
        log.index();
        log.assert_sound();
    }
    let cursor = log.writer.reader().cursor().expect("a cursor");
    assert_eq!(log.versions().len() as u64, cursor * 2);
    for number in 1..=cursor {
        assert_eq!((log.text(number * 2 - 1), log.text(number * 2)), (text(number), text(number + 1)));
    }
}
