use super::*;
use crate::HiddenKind;
use proptest::prelude::*;
use std::fmt::Write as _;

fn unlimited() -> DiffOptions {
    DiffOptions { time_limit: None, ..DiffOptions::default() }
}

/// The raw bytes a line was made from.
fn bytes_of(line: &Line) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut at = 0;
    for invalid in line.hidden.iter().filter(|one| one.kind == HiddenKind::InvalidByte) {
        bytes.extend(&line.text.as_bytes()[at..invalid.range.start]);
        let crate::HiddenCode::Byte(byte) = invalid.code else { panic!("{} is no byte", invalid.code) };
        bytes.push(byte);
        at = invalid.range.end;
    }
    bytes.extend(&line.text.as_bytes()[at..]);
    bytes.extend(if line.carriage_return { &b"\r"[..] } else { b"" });
    bytes.extend(if line.no_newline { &b""[..] } else { b"\n" });
    bytes
}

/// Applies `diff` to `old`, checking on the way that everything it says about `old` is so.
fn apply(old: &[u8], diff: &Diff) -> Vec<u8> {
    let old = content::split(old);
    let mut built = Vec::new();
    let mut at = 0;
    let mut made = 0;
    for hunk in &diff.hunks {
        let start = if hunk.old_lines == 0 { hunk.old_start } else { hunk.old_start - 1 } as usize;
        built.extend(old[at..start].concat());
        made += start - at;
        at = start;
        let new_start = if hunk.new_lines == 0 { hunk.new_start } else { hunk.new_start - 1 } as usize;
        assert_eq!(made, new_start, "start on the new side");
        let first_made = made;
        for line in &hunk.lines {
            if line.tag != Tag::Insert {
                assert_eq!(bytes_of(line), old[at], "line {at} of the old side");
                at += 1;
                assert_eq!(line.old, Some(at as u32));
            }
            if line.tag != Tag::Delete {
                built.extend(bytes_of(line));
                made += 1;
                assert_eq!(line.new, Some(made as u32));
            }
        }
        assert_eq!(at - start, hunk.old_lines as usize);
        assert_eq!(made - first_made, hunk.new_lines as usize);
    }
    built.extend(old[at..].concat());
    built
}

fn content() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        8 => prop::sample::select(vec!["a", "b", "c d", "e f g", "日本", "\u{200b}", "<!--", "-->", ""]).prop_map(|text| text.as_bytes().to_vec()),
        1 => Just(vec![0xe9]),
        1 => Just(vec![0xff]),
        1 => Just(b"\r".to_vec()),
        4 => Just(b"\n".to_vec()),
        2 => Just(b"\r\n".to_vec()),
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn applying_a_difference_to_the_old_side_yields_the_new(
        old in content(),
        new in content(),
        context in 0usize..5,
        words: bool,
        late: bool,
        small: bool,
    ) {
        let options = DiffOptions {
            context,
            granularity: if words { Granularity::Words } else { Granularity::Lines },
            time_limit: late.then_some(Duration::ZERO),
            max_bytes: if small { 4 } else { DEFAULT_MAX_BYTES },
        };
        let found = diff(&old, &new, &options);
        if found.kind == DiffKind::Binary {
            prop_assert!(!content::is_text(&old) || !content::is_text(&new));
        } else {
            prop_assert_eq!(&apply(&old, &found), &new);
        }
        let counted = (found.kind == DiffKind::Text).then_some((found.added, found.removed));
        if options.time_limit.is_none() {
            prop_assert_eq!(changed_lines(&old, &new, &options), counted);
        }
        let count = |tag| found.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.tag == tag).count() as u64;
        prop_assert_eq!((count(Tag::Insert), count(Tag::Delete)), (found.added, found.removed));
        for line in found.hunks.iter().flat_map(|hunk| &hunk.lines) {
            for range in line.words.iter().chain(line.hidden.iter().map(|one| &one.range)) {
                prop_assert!(line.text.get(range.clone()).is_some_and(|part| !part.is_empty()));
            }
            prop_assert!(words || line.words.is_empty());
        }
    }

    #[test]
    fn no_bytes_panic(old: Vec<u8>, new: Vec<u8>) {
        let _ = diff(&old, &new, &DiffOptions { granularity: Granularity::Words, context: usize::MAX, ..unlimited() });
    }
}

/// A unified difference with line ends, words and hidden characters made visible.
fn rendered(found: &Diff) -> String {
    let mut text =
        format!("{:?} +{} -{} truncated={}\n", found.kind, found.added, found.removed, found.truncated);
    for hunk in &found.hunks {
        let Hunk { old_start, old_lines, new_start, new_lines, .. } = hunk;
        writeln!(text, "@@ -{old_start},{old_lines} +{new_start},{new_lines} @@")
            .expect("a String takes all");
        for line in &hunk.lines {
            text.push(match line.tag {
                Tag::Equal => ' ',
                Tag::Insert => '+',
                Tag::Delete => '-',
            });
            text.push_str(&marked(line));
            text.push_str(if line.carriage_return { "␍" } else { "" });
            text.push_str(if line.no_newline { " (no newline)" } else { "" });
            text.push('\n');
        }
    }
    text
}

fn marked(line: &Line) -> String {
    let mut text = String::new();
    for (at, character) in line.text.char_indices() {
        text.extend(line.words.iter().filter(|range| range.end == at).map(|_| ']'));
        text.extend(line.words.iter().filter(|range| range.start == at).map(|_| '['));
        match line.hidden.iter().find(|one| one.range == (at..at + character.len_utf8())) {
            Some(one) => write!(text, "‹{}›", one.code).expect("a String takes all"),
            None => text.push(character),
        }
    }
    text.extend(line.words.iter().filter(|range| range.end == line.text.len()).map(|_| ']'));
    text
}

#[test]
fn a_memory_edit() {
    let old = "# Build\n\n- Run `make test` first.\n- Port is 8080.\n- Ask before pushing.\n\n## People\n\n- Ana owns the API.\n- Ben owns the UI.\n\n## Notes\n\nNothing yet.\n";
    let new = "# Build\n\n- Run `just test` first.\n- Port is 8080.\n- Never push on Friday.\n- Ask before pushing.\n\n## People\n\n- Ana owns the API.\n- Ben owns the UI.\n\n## Notes\n\nNothing\u{200b} yet.";
    let words = DiffOptions { granularity: Granularity::Words, ..unlimited() };
    insta::assert_snapshot!("memory_edit_words", rendered(&diff(old.as_bytes(), new.as_bytes(), &words)));
    let bare = DiffOptions { context: 0, ..unlimited() };
    insta::assert_snapshot!("memory_edit_bare", rendered(&diff(old.as_bytes(), new.as_bytes(), &bare)));
}

#[test]
fn line_ends_and_stray_bytes() {
    let words = DiffOptions { granularity: Granularity::Words, ..unlimited() };
    let found = diff(
        b"one\r\ntwo\nlone\rcr\ncaf\xe9 au lait\nend",
        b"one\ntwo\nlone\rcr\ncaf\xe8 au lait\nend\n",
        &words,
    );
    insta::assert_snapshot!("line_ends_and_stray_bytes", rendered(&found));
}

#[test]
fn empty_sides() {
    let found = diff(b"", b"a\nb", &unlimited());
    insta::assert_snapshot!("from_nothing", rendered(&found));
    let found = diff(b"a\nb", b"", &unlimited());
    insta::assert_snapshot!("to_nothing", rendered(&found));
    let found = diff(b"", b"", &unlimited());
    assert_eq!((found.kind, found.hunks.len()), (DiffKind::Text, 0));
}

#[test]
fn binary_is_sizes_only() {
    for (old, new) in [(&b"a\0b"[..], &b"text\n"[..]), (b"", b"\0"), (b"text", &[0x82; 40])] {
        let found = diff(old, new, &unlimited());
        assert_eq!(found.kind, DiffKind::Binary);
        assert_eq!((found.old_bytes, found.new_bytes), (old.len() as u64, new.len() as u64));
        assert_eq!((found.added, found.removed, found.truncated, found.hunks.len()), (0, 0, false, 0));
    }
}

#[test]
fn changes_share_a_hunk_when_their_context_touches() {
    let lines = |changed: &[usize]| -> String {
        (0..20).map(|n| if changed.contains(&n) { format!("new {n}\n") } else { format!("{n}\n") }).collect()
    };
    for (second, hunks) in [(9, 1), (10, 1), (11, 1), (12, 2)] {
        let found = diff(lines(&[]).as_bytes(), lines(&[4, second]).as_bytes(), &unlimited());
        assert_eq!(found.hunks.len(), hunks, "second change at {second}");
    }
}

#[test]
fn an_oversized_pair_is_one_replacement_of_the_middle() {
    let (old, new) = ("same\na\nkept\nb\nsame\n", "same\nc\nkept\nd\nsame\n");
    let found = diff(old.as_bytes(), new.as_bytes(), &DiffOptions { max_bytes: 10, ..unlimited() });
    assert!(found.truncated);
    assert_eq!((found.hunks.len(), found.added, found.removed), (1, 3, 3));
    assert_eq!(apply(old.as_bytes(), &found), new.as_bytes());
}

fn numbered(count: usize, step: usize, prefix: &str) -> String {
    (0..count).map(|n| format!("{prefix}{}\n", n * step % count)).collect()
}

#[test]
fn a_hundred_thousand_lines_respect_the_deadline() {
    let late = DiffOptions {
        time_limit: Some(Duration::ZERO),
        granularity: Granularity::Words,
        ..DiffOptions::default()
    };
    let old = numbered(100_000, 1, "old ");
    // The same lines shuffled, and lines that have nothing in common.
    for new in [numbered(100_000, 33_331, "old "), numbered(100_000, 1, "new ")] {
        let found = diff(old.as_bytes(), new.as_bytes(), &late);
        assert!(found.truncated);
        assert_eq!(apply(old.as_bytes(), &found), new.as_bytes());
    }
}

#[test]
fn a_hundred_thousand_lines_without_a_deadline_come_to_an_end() {
    let old = numbered(100_000, 1, "old ");
    for new in [numbered(100_000, 33_331, "old "), numbered(100_000, 1, "new ")] {
        let found = diff(old.as_bytes(), new.as_bytes(), &unlimited());
        assert!(!found.truncated);
        assert_eq!(apply(old.as_bytes(), &found), new.as_bytes());
    }
}
