use super::*;
use crate::RootKind;
use crate::testing::{Home, answer, indexed, one_root, prompt, session_path, two_turns, update};
use std::cell::{Cell, RefCell};
use std::fs;

/// The counts of a report: read, grown, unchanged, gone, failed.
fn counts(report: &UpdateReport) -> [usize; 5] {
    [report.read, report.grown, report.unchanged, report.gone, report.failed.len()]
}

fn requests(index: &Index, path: &Path) -> u64 {
    index.snapshot().entry(path).unwrap().summary.as_ref().unwrap().requests
}

/// Asserts that an index that has seen nothing before makes the same of these files.
fn assert_like_new(index: &Index, home: &Home) {
    let new = indexed(home);
    let summaries = |index: &Index| -> Vec<_> {
        index.snapshot().entries().map(|entry| (entry.path.clone(), entry.summary.clone())).collect()
    };
    assert_eq!(summaries(index), summaries(&new));
}

#[test]
fn every_place_of_every_agent_is_searched() {
    let home = Home::new();
    home.session("s1", &two_turns("s1"));
    home.write(".claude/projects/-work/s1/subagents/agent-a1.jsonl", two_turns("s1"));
    home.write(".claude/projects/-work/s1/tool-results/x.jsonl", "{}");
    home.write(".claude/projects/-work/agent-a2.jsonl", two_turns("s1"));
    home.write(".claude/projects/-work/notes.txt", "x");
    home.write(".codex/sessions/2026/06/01/rollout-1.jsonl", "");
    home.write(".codex/sessions/2026/06/01/other.jsonl", "");
    home.write(".codex/archived_sessions/rollout-2.jsonl", "");
    home.write(".copilot/session-state/s2.jsonl", "");
    home.write(".copilot/session-state/s3/events.jsonl", "");
    home.write(".copilot/session-state/s3/workspace.yaml", "");
    let index = indexed(&home);
    let snapshot = index.snapshot();
    let found: Vec<_> = snapshot
        .entries()
        .map(|entry| {
            let path = entry.path.strip_prefix(home.path("")).unwrap().to_str().unwrap().to_owned();
            (path, entry.place.subagent)
        })
        .collect();
    let expected = [
        (".claude/projects/-work/agent-a2.jsonl", true),
        (".claude/projects/-work/s1/subagents/agent-a1.jsonl", true),
        (".claude/projects/-work/s1.jsonl", false),
        (".codex/archived_sessions/rollout-2.jsonl", false),
        (".codex/sessions/2026/06/01/rollout-1.jsonl", false),
        (".copilot/session-state/s2.jsonl", false),
        (".copilot/session-state/s3/events.jsonl", false),
    ];
    assert_eq!(found, expected.map(|(path, subagent)| (path.to_owned(), subagent)));
    assert!(snapshot.is_complete());
}

#[test]
fn a_user_names_a_file_of_any_name_or_a_directory() {
    let home = Home::new();
    let file = home.write("odd.log", two_turns("s1"));
    home.write("more/deep/a.jsonl", two_turns("s2"));
    home.write("more/deep/.hidden.jsonl", two_turns("s3"));
    home.write("more/readme.md", "x");
    let mut roots = one_root(RootKind::Named, &file);
    roots.add(RootKind::Named, home.path("more"));
    roots.add(RootKind::Named, home.path("absent"));
    let mut index = Index::default();
    assert_eq!(counts(&update(&mut index, &roots)), [2, 0, 0, 0, 0]);
    assert_eq!(requests(&index, &file), 2);
    assert_eq!(requests(&index, &home.path("more/deep/a.jsonl")), 2);
}

#[test]
fn nothing_changed_opens_nothing() {
    let home = Home::new();
    home.session("s1", &two_turns("s1"));
    let mut index = indexed(&home);
    let before = index.snapshot();
    let report = update(&mut index, &home.roots());
    assert_eq!(counts(&report), [0, 0, 1, 0, 0]);
    assert!(!report.changed && !report.stopped);
    assert!(Arc::ptr_eq(&before, &index.snapshot()));
}

#[test]
fn growth_by_whole_and_half_lines_is_gone_on_with() {
    let home = Home::new();
    let path = home.session("s1", &two_turns("s1"));
    let mut index = indexed(&home);
    let more = [prompt("s1", 3, "Third"), answer("s1", 3, "msg_3", 11)].concat();
    let (first, second) = more.split_at(more.len() - 40);
    home.append(&session_path("s1"), first);
    assert_eq!(counts(&update(&mut index, &home.roots())), [0, 1, 0, 0, 0]);
    assert_eq!(requests(&index, &path), 2);
    assert!(index.snapshot().entry(&path).unwrap().summary.as_ref().unwrap().account.last_line_cut);
    assert_like_new(&index, &home);
    home.append(&session_path("s1"), second);
    assert_eq!(counts(&update(&mut index, &home.roots())), [0, 1, 0, 0, 0]);
    assert_eq!(requests(&index, &path), 3);
    assert_like_new(&index, &home);
}

#[test]
fn a_whole_last_line_without_a_line_break_counts_before_and_after_keeping() {
    let home = Home::new();
    let path = home.session("s1", two_turns("s1").trim_end());
    let index = indexed(&home);
    assert_eq!(requests(&index, &path), 2);
    index.save(&home.kept()).unwrap();
    let mut index = Index::load(&home.kept());
    assert_eq!(requests(&index, &path), 2);
    home.append(&session_path("s1"), format!("\n{}", answer("s1", 3, "msg_3", 1)));
    assert_eq!(counts(&update(&mut index, &home.roots())), [0, 1, 0, 0, 0]);
    assert_eq!(requests(&index, &path), 3);
    assert_like_new(&index, &home);
}

#[test]
fn any_way_of_growing_ends_like_one_reading() {
    let whole =
        [two_turns("s1"), prompt("s1", 3, &"long ".repeat(700)), answer("s1", 3, "msg_3", 1)].concat();
    for step in [1, 97, 1023, 1024, 1025, 3000] {
        let home = Home::new();
        home.session("s1", "");
        let mut index = indexed(&home);
        // Every step is a growth; the small ones are tried at the end only, where they cost little.
        let start = if step == 1 { whole.len() - 60 } else { 0 };
        home.append(&session_path("s1"), &whole.as_bytes()[..start]);
        for part in whole.as_bytes()[start..].chunks(step) {
            home.append(&session_path("s1"), part);
            update(&mut index, &home.roots());
        }
        assert_like_new(&index, &home);
    }
}

#[test]
fn a_file_that_shrank_or_was_replaced_is_read_anew() {
    let home = Home::new();
    let path = home.session("s1", &two_turns("s1"));
    let mut index = indexed(&home);

    // Shorter, in place.
    home.session("s1", &two_turns("s1")[..two_turns("s1").len() / 2]);
    assert_eq!(counts(&update(&mut index, &home.roots())), [1, 0, 0, 0, 0]);
    assert_eq!(requests(&index, &path), 1);

    // Another file of the same size under the same name.
    let other = two_turns("s2");
    assert_eq!(other.len(), two_turns("s1").len());
    home.session("s1", &two_turns("s1"));
    update(&mut index, &home.roots());
    let aside = home.write("aside", &other);
    fs::rename(aside, &path).unwrap();
    assert_eq!(counts(&update(&mut index, &home.roots())), [1, 0, 0, 0, 0]);
    assert_eq!(
        index.snapshot().entry(&path).unwrap().summary.as_ref().unwrap().session.id.as_deref(),
        Some("s2")
    );

    // Longer, in place, with another beginning.
    home.session("s1", &[two_turns("s3"), answer("s3", 3, "msg_3", 1)].concat());
    assert_eq!(counts(&update(&mut index, &home.roots())), [1, 0, 0, 0, 0]);

    // Longer, with the same beginning, but another file: what is between the edges may differ.
    let longer = [two_turns("s3"), answer("s3", 3, "msg_3", 1), answer("s3", 4, "msg_4", 1)].concat();
    let aside = home.write("aside", longer);
    fs::rename(aside, &path).unwrap();
    assert_eq!(counts(&update(&mut index, &home.roots())), [1, 0, 0, 0, 0]);
    assert_like_new(&index, &home);
}

#[test]
fn the_same_size_written_in_place_is_read_anew() {
    let home = Home::new();
    let path = home.session("s1", &two_turns("s1"));
    let mut index = indexed(&home);
    home.session("s1", &two_turns("s2"));
    // Some file systems tell times only to a few milliseconds; the test is about what is done once they tell.
    let later = fs::metadata(&path).unwrap().modified().unwrap() + std::time::Duration::from_secs(1);
    fs::File::options().append(true).open(&path).unwrap().set_modified(later).unwrap();
    assert_eq!(counts(&update(&mut index, &home.roots())), [1, 0, 0, 0, 0]);
    assert_like_new(&index, &home);
}

#[test]
fn what_disappears_is_dropped() {
    let home = Home::new();
    let path = home.session("s1", &two_turns("s1"));
    home.session("s2", &two_turns("s2"));
    let mut index = indexed(&home);
    fs::remove_file(&path).unwrap();
    let report = update(&mut index, &home.roots());
    assert_eq!(counts(&report), [0, 0, 1, 1, 0]);
    assert!(report.changed);
    assert!(index.snapshot().entry(&path).is_none());
    // A root that is no longer named.
    assert_eq!(counts(&update(&mut index, &Roots::default())), [0, 0, 0, 1, 0]);
}

/// Root may read everything, so the tests of permissions say nothing there.
#[cfg(unix)]
fn is_denied(path: &Path) -> bool {
    let denied = if path.is_dir() { fs::read_dir(path).is_err() } else { fs::File::open(path).is_err() };
    if !denied {
        println!("skipped: this user may read everything");
    }
    denied
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[cfg(unix)]
#[test]
fn a_file_that_may_no_longer_be_read_keeps_what_was_known_and_says_why() {
    let home = Home::new();
    let path = home.session("s1", &two_turns("s1"));
    let mut index = indexed(&home);
    set_mode(&path, 0o000);
    if !is_denied(&path) {
        return;
    }
    let report = update(&mut index, &home.roots());
    assert_eq!(counts(&report), [0, 0, 0, 0, 1]);
    assert!(report.changed);
    assert_eq!(requests(&index, &path), 2);
    assert!(index.snapshot().entry(&path).unwrap().trouble().is_some());
    // Tried again, and nothing new to say.
    assert!(!update(&mut index, &home.roots()).changed);
    set_mode(&path, 0o600);
    assert_eq!(counts(&update(&mut index, &home.roots())), [1, 0, 0, 0, 0]);
    assert!(index.snapshot().entry(&path).unwrap().trouble().is_none());
}

#[cfg(unix)]
#[test]
fn nothing_below_a_directory_that_cannot_be_listed_counts_as_gone() {
    let home = Home::new();
    let path = home.session("s1", &two_turns("s1"));
    let mut index = indexed(&home);
    set_mode(path.parent().unwrap(), 0o000);
    if is_denied(path.parent().unwrap()) {
        let report = update(&mut index, &home.roots());
        assert_eq!(counts(&report), [0, 0, 0, 0, 1]);
        assert_eq!(requests(&index, &path), 2);
        assert_eq!(index.snapshot().left_out().len(), 1);
    }
    set_mode(path.parent().unwrap(), 0o700);
}

#[cfg(unix)]
#[test]
fn links_and_pipes_are_left_alone_and_named() {
    use std::os::unix::fs::symlink;
    let home = Home::new();
    let outside = home.write("outside/s9.jsonl", two_turns("s9"));
    home.session("s1", &two_turns("s1"));
    symlink(&outside, home.path(&session_path("link"))).unwrap();
    symlink(home.path("outside"), home.path(".claude/projects/-linked")).unwrap();
    symlink(home.path("outside"), home.path(".codex")).unwrap();
    fs::create_dir_all(home.path("outside/sessions/2026/06/01")).unwrap();
    home.write("outside/sessions/2026/06/01/rollout-1.jsonl", "");
    fs::create_dir_all(home.path(".copilot")).unwrap();
    symlink(home.path("outside"), home.path(".copilot/session-state")).unwrap();
    let pipe = home.path(&session_path("pipe"));
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success());
    let mut index = Index::default();
    let report = update(&mut index, &home.roots());
    // `.codex` itself is a root, and a root may be a link.
    assert_eq!(report.read, 2);
    let left: Vec<_> = report.failed.iter().map(|(path, _)| path.clone()).collect();
    for path in [".claude/projects/-linked", ".copilot/session-state", &session_path("link")] {
        assert!(left.contains(&home.path(path)), "{path}");
    }
    assert_eq!(left.len(), 3 + usize::from(made));
    assert_eq!(index.snapshot().left_out().len(), left.len());
}

#[cfg(unix)]
#[test]
fn what_the_user_names_may_be_a_link() {
    use std::os::unix::fs::symlink;
    let home = Home::new();
    let file = fs::canonicalize(home.write("outside/s1.jsonl", two_turns("s1"))).unwrap();
    symlink(&file, home.path("to-file")).unwrap();
    symlink(home.path("outside"), home.path("to-folder")).unwrap();
    symlink(home.path("nowhere"), home.path("to-nothing")).unwrap();
    let mut index = Index::default();
    let report = update(&mut index, &one_root(RootKind::Named, &home.path("to-file")));
    assert_eq!(counts(&report), [1, 0, 0, 0, 0]);
    assert_eq!(requests(&index, &file), 2);
    let report = update(&mut index, &one_root(RootKind::Named, &home.path("to-folder")));
    assert_eq!(counts(&report), [1, 0, 0, 1, 0]);
    assert_eq!(requests(&index, &home.path("to-folder/s1.jsonl")), 2);
    let report = update(&mut index, &one_root(RootKind::Named, &home.path("to-nothing")));
    assert_eq!(counts(&report), [0, 0, 0, 1, 0]);
}

#[test]
fn what_is_no_transcript_is_shown_as_such() {
    let home = Home::new();
    let path = home.write("named/a.json", r#"{"name":"a package","version":"1.0.0"}"#);
    let empty = home.write("named/empty.jsonl", "");
    let mut index = Index::default();
    update(&mut index, &one_root(RootKind::Named, &home.path("named")));
    index.save(&home.kept()).unwrap();
    for index in [&index, &Index::load(&home.kept())] {
        let snapshot = index.snapshot();
        assert!(snapshot.entry(&path).unwrap().trouble().is_some());
        assert!(snapshot.entry(&empty).unwrap().trouble().is_some());
        assert_eq!(snapshot.totals().problems, 2);
    }
}

#[test]
fn a_document_that_is_too_long_is_refused_and_not_read_again() {
    let home = Home::new();
    let path = home.write("named/a.json", "{\"messages\":[\n");
    // A hole: nothing of it is on disk.
    fs::File::options().append(true).open(&path).unwrap().set_len(16 << 20).unwrap();
    let mut index = Index::default();
    let roots = one_root(RootKind::Named, &home.path("named"));
    assert_eq!(counts(&update(&mut index, &roots)), [0, 0, 0, 0, 1]);
    let snapshot = index.snapshot();
    assert!(matches!(snapshot.entry(&path).unwrap().problem, Some(Problem::TooLong { .. })));
    let report = update(&mut index, &roots);
    assert_eq!(counts(&report), [0, 0, 1, 0, 1]);
    assert!(!report.changed);
}

#[test]
fn an_index_may_live_on_any_thread() {
    fn movable<T: Send + Sync>() {}
    movable::<Index>();
    movable::<Latest>();
    movable::<Snapshot>();
    movable::<Cancel>();
}

#[test]
fn an_update_that_is_stopped_leaves_a_consistent_part() {
    let home = Home::new();
    for number in 0..300 {
        home.session(&format!("s{number}"), &two_turns(&format!("s{number}")));
    }
    let old = home.session("old", &two_turns("old"));
    let mut index = Index::default();
    update(&mut index, &one_root(RootKind::Named, &old));
    home.append(&session_path("old"), answer("old", 3, "msg_3", 1));

    let cancel = Cancel::new();
    let stop = |progress: Progress| {
        if progress.files >= 3 {
            cancel.cancel();
        }
    };
    let report = index.update(&home.roots(), &stop, &cancel);
    assert!(report.stopped);
    let snapshot = index.snapshot();
    assert!(!snapshot.is_complete());
    // Of the old file either what was known or what is: never nothing.
    assert!(snapshot.entry(&old).is_some());
    for entry in snapshot.entries() {
        assert!(entry.summary.is_some() && entry.problem.is_none());
    }
    index.save(&home.kept()).unwrap();

    let mut index = Index::load(&home.kept());
    let report = update(&mut index, &home.roots());
    assert!(!report.stopped);
    assert_eq!(report.read + report.grown + report.unchanged, 301);
    assert_like_new(&index, &home);
}

#[test]
fn an_update_that_is_stopped_before_it_began_drops_nothing() {
    let home = Home::new();
    home.session("s1", &two_turns("s1"));
    let mut index = indexed(&home);
    let cancel = Cancel::new();
    cancel.cancel();
    let report = index.update(&home.roots(), &|_| {}, &cancel);
    assert!(report.stopped && !report.changed);
    assert_eq!(index.snapshot().entries().len(), 1);
}

#[test]
fn progress_only_goes_forward_and_snapshots_appear_on_the_way() {
    let home = Home::new();
    for number in 0..100 {
        home.session(&format!("s{number}"), &two_turns(&format!("s{number}")));
    }
    let mut index = Index::default();
    let latest = index.latest();
    let last = Cell::new(Progress::default());
    let sizes = RefCell::new(Vec::new());
    let progress = |now: Progress| {
        assert!(now.files >= last.get().files && now.bytes >= last.get().bytes);
        assert!(now.files <= now.of_files && now.bytes <= now.of_bytes);
        last.set(now);
        sizes.borrow_mut().push(latest.get().entries().len());
    };
    index.update(&home.roots(), &progress, &Cancel::new());
    let last = last.get();
    assert_eq!((last.files, last.of_files), (100, 100));
    assert_eq!(last.bytes, last.of_bytes);
    let sizes = sizes.into_inner();
    assert!(sizes.is_sorted());
    assert!(sizes.iter().any(|&size| size > 0 && size < 100), "{sizes:?}");
    assert_eq!(latest.get().entries().len(), 100);
}

#[test]
fn a_damaged_or_foreign_file_is_an_empty_index() {
    let home = Home::new();
    home.session("s1", &two_turns("s1"));
    let index = indexed(&home);
    index.save(&home.kept()).unwrap();
    let good = fs::read(home.kept()).unwrap();
    assert_eq!(Index::load(&home.kept()).snapshot().entries().len(), 1);
    let loaded = |bytes: &[u8]| {
        fs::write(home.kept(), bytes).unwrap();
        Index::load(&home.kept()).snapshot().entries().len()
    };
    // Every byte of the header, and some of the body.
    for place in (0..64).chain((64..good.len()).step_by(13)) {
        let mut bad = good.clone();
        bad[place] ^= 0x40;
        assert_eq!(loaded(&bad), 0, "byte {place}");
    }
    for length in (0..64).chain((64..good.len()).step_by(13)) {
        assert_eq!(loaded(&good[..length]), 0, "{length} bytes");
    }
    assert_eq!(loaded(&[&good[..], b"x"].concat()), 0);
    fs::remove_file(home.kept()).unwrap();
    assert_eq!(Index::load(&home.kept()).snapshot().entries().len(), 0);
    assert_eq!(Index::load(&home.path("")).snapshot().entries().len(), 0);
}

#[test]
fn a_kept_index_is_the_index() {
    let home = Home::new();
    home.session("s1", &two_turns("s1"));
    home.session("s2", &two_turns("s2")[..700]);
    let index = indexed(&home);
    index.save(&home.kept()).unwrap();
    let mut loaded = Index::load(&home.kept());
    assert_eq!(counts(&update(&mut loaded, &home.roots())), [0, 0, 2, 0, 0]);
    assert_like_new(&loaded, &home);
}

#[cfg(unix)]
#[test]
fn a_kept_index_is_its_owner_s_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::new();
    indexed(&home).save(&home.kept()).unwrap();
    assert_eq!(fs::metadata(home.kept()).unwrap().permissions().mode() & 0o777, 0o600);
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_no_text_is_kept() {
    use std::os::unix::ffi::OsStrExt as _;
    let home = Home::new();
    let first = home.session("s1", &two_turns("s1"));
    let odd = first.with_file_name(std::ffi::OsStr::from_bytes(b"od\xffd.jsonl"));
    fs::rename(first, &odd).unwrap();
    let index = indexed(&home);
    index.save(&home.kept()).unwrap();
    assert!(Index::load(&home.kept()).snapshot().entry(&odd).is_some());
}

#[test]
fn a_failed_save_leaves_what_was_there() {
    let home = Home::new();
    home.session("s1", &two_turns("s1"));
    let index = indexed(&home);
    let absent = home.path("absent/transcripts.index");
    assert!(matches!(index.save(&absent), Err(StoreError::Write { .. })));
    // A directory stands where the file belongs.
    let taken = home.path("taken");
    fs::create_dir_all(taken.join("x")).unwrap();
    assert!(index.save(&taken).is_err());
    let leftovers = fs::read_dir(home.path("")).unwrap().flatten();
    assert!(leftovers.into_iter().all(|entry| !entry.file_name().to_string_lossy().ends_with(".tmp")));
}

#[test]
fn leftovers_of_dead_writers_are_removed_once_they_are_old() {
    let home = Home::new();
    let old = home.write("transcripts.index.1-0.tmp", "x");
    let young = home.write("transcripts.index.2-0.tmp", "x");
    let other = home.write("transcripts.index.txt", "x");
    let modified = fs::metadata(&old).unwrap().modified().unwrap() - std::time::Duration::from_secs(7200);
    for path in [&old, &other] {
        fs::File::options().append(true).open(path).unwrap().set_modified(modified).unwrap();
    }
    Index::default().save(&home.kept()).unwrap();
    assert!(!old.exists() && young.exists() && other.exists());
}

#[test]
fn two_that_update_at_once_never_leave_a_broken_file() {
    let home = Home::new();
    for number in 0..8 {
        home.session(&format!("s{number}"), &two_turns(&format!("s{number}")));
    }
    indexed(&home).save(&home.kept()).unwrap();
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..20 {
                    let mut index = Index::load(&home.kept());
                    assert_eq!(index.snapshot().entries().len(), 8);
                    update(&mut index, &home.roots());
                    index.save(&home.kept()).unwrap();
                }
            });
        }
    });
    assert_eq!(Index::load(&home.kept()).snapshot().entries().len(), 8);
}
