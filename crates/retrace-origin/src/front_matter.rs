//! The two values of a file's front matter that tell of its writer: `originSessionId` and `modified`.
//!
//! Read line by line: both are written by the client on a line of their own (claude-code-memory.md, section 5).

use retrace_model::Timestamp;

/// Front matter longer than this is not read. Real ones are below 2 KiB.
const MAX_BYTES: usize = 64 * 1024;

/// Longest distance of the stamp from the call: clients write it right before the file, and clocks of one machine
/// agree.
const STAMP_WITHIN_MICROS: u64 = 120 * 1_000_000;

/// The session that a file's front matter names (`originSessionId`, at the top or below `metadata`).
#[must_use]
pub fn origin_session(content: &[u8]) -> Option<String> {
    let lines = front_matter(content)?;
    let value = lines.lines().find_map(|line| value_of(line, "originSessionId"))?;
    (!value.is_empty() && value.len() <= 200).then(|| value.to_owned())
}

/// True if two contents differ in nothing but the front matter's `modified`, which clients since 2.1.214 write themselves at
/// each write (claude-code-memory.md, section 5), and that of `found` is about `at`. Equal contents are not meant.
#[must_use]
pub fn is_equal_but_for_stamp(made: &[u8], found: &[u8], at: Option<Timestamp>) -> bool {
    let (Some(ours), Some(theirs), Some(at)) = (without_stamp(made), without_stamp(found), at) else {
        return false;
    };
    let Some(stamp) = theirs.1.and_then(|stamp| Timestamp::parse(stamp).ok()) else { return false };
    ours.0 == theirs.0 && stamp.micros().abs_diff(at.micros()) <= STAMP_WITHIN_MICROS
}

/// A content without the stamp's line, and the stamp.
fn without_stamp(content: &[u8]) -> Option<(Vec<u8>, Option<&str>)> {
    let head = front_matter(content)?;
    let start = head.as_ptr() as usize - content.as_ptr() as usize;
    let mut at = start;
    for line in head.split_inclusive('\n') {
        if let Some(stamp) = value_of(line, "modified") {
            let mut rest = content[..at].to_vec();
            rest.extend_from_slice(&content[at + line.len()..]);
            return Some((rest, Some(stamp)));
        }
        at += line.len();
    }
    Some((content.to_vec(), None))
}

/// The lines between the two `---`.
fn front_matter(content: &[u8]) -> Option<&str> {
    let content = content.strip_prefix("\u{feff}".as_bytes()).unwrap_or(content);
    let content = &content[..content.len().min(MAX_BYTES)];
    let text = match std::str::from_utf8(content) {
        Ok(text) => text,
        // Cut within a character, or binary further down.
        Err(error) => std::str::from_utf8(&content[..error.valid_up_to()]).ok()?,
    };
    let body =
        text.strip_prefix("---").and_then(|rest| rest.strip_prefix("\r\n").or(rest.strip_prefix('\n')))?;
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        if matches!(line.trim_end(), "---" | "...") {
            return Some(&body[..at]);
        }
        at += line.len();
    }
    None
}

fn value_of<'l>(line: &'l str, key: &str) -> Option<&'l str> {
    let value = line.trim_start().strip_prefix(key)?.strip_prefix(':')?.trim();
    let unquoted = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
    Some(
        unquoted
            .or_else(|| value.strip_prefix('\'').and_then(|value| value.strip_suffix('\'')))
            .unwrap_or(value),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_session_is_read_from_every_shape() {
        for text in [
            "---\nname: a\noriginSessionId: s-1\n---\nBody",
            "---\r\nmetadata:\r\n  originSessionId: \"s-1\"\r\n---\r\n",
            "\u{feff}---\noriginSessionId: 's-1'\n---\n",
        ] {
            assert_eq!(origin_session(text.as_bytes()).as_deref(), Some("s-1"), "{text}");
        }
        for text in [
            "originSessionId: s-1",
            "---\noriginSessionId: s-1\n",
            "---\na: b\n---\noriginSessionId: s-1\n",
            "",
        ] {
            assert_eq!(origin_session(text.as_bytes()), None, "{text}");
        }
        assert_eq!(origin_session(&[b'-', b'-', b'-', b'\n', 0xff]), None);
    }

    #[test]
    fn only_a_fresh_stamp_is_overlooked() {
        let made = b"---\nname: a\nmodified: 2026-01-01T00:00:00Z\n---\nx\n";
        let found = b"---\nname: a\nmodified: 2026-01-02T10:00:01Z\n---\nx\n";
        let at = |text| Timestamp::parse(text).ok();
        assert!(is_equal_but_for_stamp(made, found, at("2026-01-02T10:00:00Z")));
        assert!(!is_equal_but_for_stamp(made, found, at("2026-01-02T11:00:00Z")));
        assert!(!is_equal_but_for_stamp(made, found, None));
        assert!(!is_equal_but_for_stamp(
            made,
            b"---\nname: a\nmodified: 2026-01-02T10:00:01Z\n---\ny\n",
            at("2026-01-02T10:00:00Z")
        ));
        // A stamp that was put in anew.
        assert!(is_equal_but_for_stamp(
            b"---\nname: a\n---\n",
            b"---\nname: a\nmodified: 2026-01-02T10:00:01Z\n---\n",
            at("2026-01-02T10:00:00Z")
        ));
    }
}
