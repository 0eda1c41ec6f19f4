//! Nothing that is fed breaks a reader: damaged, spliced, deep, huge and foreign files.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, clippy::needless_pass_by_value)] // tests

use super::support;
use super::support::samples;
use proptest::prelude::*;
use retrace_transcript::{Format, ReadError, Summariser, Summary, detect, read, read_as};

const FORMATS: [Format; 10] = [
    Format::ClaudeCode,
    Format::MessagesRequest,
    Format::MessagesResponse,
    Format::ProxyLog,
    Format::CodexRollout,
    Format::CopilotEvents,
    Format::GeminiChat,
    Format::Opencode,
    Format::OpenAiChat,
    Format::OpenAiResponses,
];

/// Reads bytes in every way there is.
fn survive(bytes: &[u8]) {
    for format in FORMATS {
        let reading = read_as(format, bytes);
        assert_eq!(reading.account.bytes, bytes.len() as u64);
        assert!(!reading.transcripts.is_empty());
        for transcript in &reading.transcripts {
            assert_eq!(support::check(transcript), Vec::<String>::new(), "{format:?}");
        }
    }
    assert_eq!(read(bytes).is_ok(), detect(bytes).is_some());
    let summary = summary(bytes);
    assert_eq!(summary.format, detect(bytes));
    assert_eq!(summary.account.bytes, bytes.len() as u64);
}

fn summary(bytes: &[u8]) -> Summary {
    let mut summariser = Summariser::new();
    summariser.feed(bytes);
    summariser.summary()
}

/// A change of a file's bytes.
#[derive(Clone, Debug)]
enum Change {
    Cut(prop::sample::Index),
    Replace(prop::sample::Index, u8),
    Remove(prop::sample::Index, usize),
    /// Part of one sample put into another.
    Splice(prop::sample::Index, usize, prop::sample::Index, usize),
    /// A value in place of what stands between two structural characters.
    Value(prop::sample::Index, &'static str),
}

fn change() -> impl Strategy<Value = Change> {
    let at = any::<prop::sample::Index>;
    prop_oneof![
        at().prop_map(Change::Cut),
        (at(), any::<u8>()).prop_map(|(at, byte)| Change::Replace(at, byte)),
        (at(), 1..200_usize).prop_map(|(at, length)| Change::Remove(at, length)),
        (at(), 0..8_usize, at(), 1..600_usize)
            .prop_map(|(at, from, start, length)| Change::Splice(at, from, start, length)),
        (
            at(),
            prop::sample::select(vec![
                "null",
                "[]",
                "{}",
                "-1",
                "1e400",
                "\"\\ud800\"",
                "true",
                "[[[[1]]]]",
                "\"u1\"",
                "18446744073709551616"
            ])
        )
            .prop_map(|(at, value)| Change::Value(at, value)),
    ]
}

fn apply(bytes: &mut Vec<u8>, change: &Change) {
    if bytes.is_empty() {
        return;
    }
    match change {
        Change::Cut(at) => bytes.truncate(at.index(bytes.len())),
        Change::Replace(at, byte) => {
            let at = at.index(bytes.len());
            bytes[at] = *byte;
        }
        Change::Remove(at, length) => {
            let at = at.index(bytes.len());
            bytes.drain(at..(at + length).min(bytes.len()));
        }
        Change::Splice(at, from, start, length) => {
            let at = at.index(bytes.len());
            let other = &samples::all()[*from];
            let start = start.index(other.len());
            let piece = other[start..(start + length).min(other.len())].to_vec();
            bytes.splice(at..at, piece);
        }
        Change::Value(at, value) => {
            // From a colon to the next comma or brace: mostly a whole value.
            let at = at.index(bytes.len());
            let Some(start) = bytes[at..].iter().position(|&byte| byte == b':').map(|found| at + found + 1)
            else {
                return;
            };
            let length = bytes[start..].iter().position(|byte| b",}]".contains(byte)).unwrap_or(0);
            bytes.splice(start..start + length, value.bytes());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn damaged_files_are_read(
        sample in 0..8_usize,
        changes in prop::collection::vec(change(), 1..8),
    ) {
        let mut bytes = samples::all().swap_remove(sample);
        for change in &changes {
            apply(&mut bytes, change);
        }
        survive(&bytes);
    }

    #[test]
    fn anything_is_read(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        survive(&bytes);
    }

    #[test]
    fn lines_in_any_order_are_read(order in prop::collection::vec(0..17_usize, 0..60)) {
        let lines = samples::claude_code();
        let lines: Vec<_> = order.into_iter().map(|number| lines[number].clone()).collect();
        survive(&support::session(&lines));
    }

    #[test]
    fn a_summary_does_not_depend_on_chunks(
        sample in 0..8_usize,
        changes in prop::collection::vec(change(), 0..4),
        sizes in prop::collection::vec(1..3000_usize, 1..40),
        resumed in any::<prop::sample::Index>(),
    ) {
        let mut bytes = samples::all().swap_remove(sample);
        for change in &changes {
            apply(&mut bytes, change);
        }
        let whole = summary(&bytes);
        let mut summariser = Summariser::new();
        let mut rest = bytes.as_slice();
        for size in sizes.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (chunk, after) = rest.split_at((*size).min(rest.len()));
            summariser.feed(chunk);
            rest = after;
        }
        prop_assert_eq!(&summariser.summary(), &whole);

        // Saved when part of the file was there, and gone on with when it had grown.
        let known = resumed.index(bytes.len() + 1);
        let mut first = Summariser::new();
        first.feed(&bytes[..known]);
        let mut second = Summariser::from_bytes(&first.to_bytes()).unwrap();
        prop_assert_eq!(second.consumed(), first.consumed());
        second.feed(&bytes[usize::try_from(second.consumed()).unwrap()..]);
        prop_assert_eq!(&second.summary(), &whole);
    }
}

#[test]
fn every_sample_is_recognised() {
    let formats: Vec<_> = samples::all().iter().map(|bytes| detect(bytes).unwrap().name()).collect();
    assert_eq!(
        formats,
        [
            "claude-code",
            "codex",
            "copilot",
            "gemini",
            "opencode",
            "proxy-log",
            "openai-chat",
            "openai-responses",
            "messages-request",
            "messages-response"
        ]
    );
}

#[test]
fn a_summary_agrees_with_the_full_reading() {
    for bytes in samples::all() {
        let mut full = Summary::of(read(&bytes).unwrap());
        let mut light = summary(&bytes);
        // The tree is gone over by the full reading alone, and the order of calls is by conversation there.
        full.account.oddities.clear();
        light.account.oddities.clear();
        assert_eq!(light, full);
    }
}

#[test]
fn a_saved_summary_of_another_version_is_refused() {
    assert!(Summariser::from_bytes(b"{}").is_err());
    let saved = String::from_utf8(Summariser::new().to_bytes()).unwrap();
    assert!(Summariser::from_bytes(saved.replace("\"version\":", "\"version\":9").as_bytes()).is_err());
}

#[test]
fn other_files_are_refused() {
    assert_eq!(read(b"").unwrap_err(), ReadError::Empty);
    assert_eq!(read(b"\n\n").unwrap_err(), ReadError::Empty);
    for bytes in [
        &b"\x89PNG\r\n\x1a\n\0\0"[..],
        b"name,age\na,1\n",
        b"{\"a\":1}",
        b"[[[[",
        b"null",
        b"{\"messages\":5}",
    ] {
        assert!(matches!(read(bytes), Err(ReadError::Unrecognised { .. })), "{bytes:?}");
        assert!(summary(bytes).refusal.is_some());
    }
}

#[test]
fn half_characters_cost_no_line() {
    let mut bytes = support::session(&[support::typed("u1", None, "Look HALF there")]);
    let at = bytes.windows(4).position(|four| four == b"HALF").unwrap();
    bytes.splice(at..at + 4, *b"\\ud83d");
    let reading = read(&bytes).unwrap();
    assert_eq!(reading.account.malformed_lines, 0);
    assert_eq!(reading.transcripts[0].session.title.as_deref(), Some("Look \u{fffd} there"));
    assert_eq!(summary(&bytes).session.title, reading.transcripts[0].session.title);
}

#[test]
fn nesting_of_any_depth_is_read() {
    let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    for depth in [200, 1_000_000] {
        let deep = deep(depth);
        let head = r#"{"type":"assistant","sessionId":"s","uuid":"a","message":{"id":"m","content":"#;
        for line in [
            format!(r#"{head}{deep}}}}}"#),
            format!(r#"{head}[{{"type":"tool_use","input":{deep}}}]}}}}"#),
            format!(r#"{head}[{{"type":"tool_result","content":{deep}}}]}}}}"#),
            format!(r#"{head}[]}},"unknown":{deep}}}"#),
            format!(r#"{{"type":"attachment","sessionId":"s","attachment":{deep}}}"#),
            format!(r#"{{"sessionId":"s","type":{deep}}}"#),
            format!(
                r#"{{"type":"response_item","payload":{{"type":"function_call_output","output":{deep}}}}}"#
            ),
            format!(r#"{{"model":"m","messages":[{{"role":"user","content":{deep}}}],"thinking":{deep}}}"#),
            deep.clone(),
            "[".repeat(depth),
            r#"{"request":"#.repeat(depth),
        ] {
            survive(line.as_bytes());
        }
    }
}

#[test]
fn a_line_of_100_megabytes_is_read() {
    let line = support::result("r1", "a1", "t1", &"x".repeat(100_000_000));
    let mut bytes = support::session(&[support::typed("u1", None, "Look"), line]);
    let reading = read(&bytes).unwrap();
    assert_eq!(reading.transcripts[0].messages.len(), 2);
    assert_eq!(summary(&bytes).account.lines, 2);
    bytes.truncate(bytes.len() - 10);
    let reading = read(&bytes).unwrap();
    assert!(reading.account.last_line_cut);
    assert_eq!(reading.transcripts[0].messages.len(), 1);
}

#[test]
fn a_tree_made_to_be_slow_is_not() {
    // Every line goes back to the middle of what is there.
    let mut lines = vec![support::typed("u0", None, "Go")];
    for number in 0..4000 {
        let parent = format!("u{}", number / 2);
        lines.push(support::answer(
            &format!("a{number}"),
            &parent,
            &format!("m{number}"),
            support::text("On"),
            9,
        ));
        lines.push(support::typed(&format!("u{}", number + 1), Some(&format!("a{number}")), "Go"));
    }
    survive(&support::session(&lines));
}
