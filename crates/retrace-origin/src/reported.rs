//! Facts in Claude Code's lines beside the conversation: the directory a call ran in, and the client's own account of a
//! result (`toolUseResult`), with the file before and the replacement as made.

use crate::write::{Effect, Replacement, Reported};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};

/// The lines asked for, as JSON; those that cannot be read are left out.
pub(crate) fn lines(bytes: &[u8], wanted: &BTreeSet<u32>) -> HashMap<u32, Value> {
    let mut found = HashMap::new();
    let mut wanted = wanted.iter().copied().peekable();
    let (mut rest, mut number) = (bytes, 0_u32);
    while let Some(&next) = wanted.peek() {
        if rest.is_empty() {
            break;
        }
        let end = memchr::memchr(b'\n', rest);
        number = number.saturating_add(1);
        let line = &rest[..end.unwrap_or(rest.len())];
        rest = end.map_or(&[][..], |end| &rest[end + 1..]);
        if number < next {
            continue;
        }
        wanted.next();
        let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        if let Ok(value) = serde_json::from_slice(line) {
            found.insert(number, value);
        }
    }
    found
}

/// Puts into a write what its result tells. A person may have changed the proposal: what was done counts.
pub(crate) fn take(result: &Value, effect: &mut Effect) -> Reported {
    let text = |key: &str| result[key].as_str();
    let before = text("originalFile").or(text("originalFileContents"));
    let mut reported = Reported {
        before: before.map(str::to_owned),
        was_absent: text("type") == Some("create") && before.is_none(),
        after: None,
        changed_by_person: result["userModified"].as_bool() == Some(true),
    };
    match effect {
        Effect::Whole(bytes) => {
            if let Some(content) = text("content") {
                *bytes = content.as_bytes().to_vec();
            }
        }
        Effect::Edit(edit) => {
            if let (Some(old), Some(new)) = (text("oldString"), text("newString")) {
                let all = result["replaceAll"].as_bool().unwrap_or(edit.all);
                *edit = Replacement { old: old.to_owned(), new: new.to_owned(), all };
            }
        }
        _ => {}
    }
    reported.before = reported
        .before
        .filter(|_| matches!(effect, Effect::Whole(_) | Effect::Edit(_) | Effect::MultiEdit(_)));
    // Of a whole content the result says all. An edit of a memory also changes what the client keeps in its front matter, which
    // only the patch tells (seen with 2.1.330).
    if let (Effect::Edit(_) | Effect::MultiEdit(_), Some(before)) = (effect, &reported.before) {
        reported.after = patched(before, result["structuredPatch"].as_array().map_or(&[], Vec::as_slice));
    }
    reported
}

/// The content that the hunks of a `structuredPatch` make of one; `None` where there are none, or they do not fit.
fn patched(before: &str, hunks: &[Value]) -> Option<String> {
    if hunks.is_empty() {
        return None;
    }
    let mut rest: Vec<&str> = before.split('\n').rev().collect();
    // The last one is what follows the last line feed: nothing, where the content ends with one.
    let mut ends_with_line_feed = before.is_empty() || before.ends_with('\n');
    if ends_with_line_feed {
        rest.remove(0);
    }
    let (all, mut made) = (rest.len(), Vec::new());
    for hunk in hunks {
        let number = |key: &str| hunk[key].as_u64().and_then(|number| usize::try_from(number).ok());
        // A hunk that takes nothing away stands behind the line that it names.
        let start = number("oldStart")?.saturating_sub(usize::from(number("oldLines")? > 0));
        while all - rest.len() < start {
            made.push(rest.pop()?);
        }
        let mut stays_without = false;
        let mut sign_before = "";
        for line in hunk["lines"].as_array()? {
            let line = line.as_str()?;
            let (sign, text) = line.split_at_checked(1)?;
            match sign {
                "+" => made.push(text),
                " " | "-" if rest.pop()? != text => return None,
                " " => made.push(text),
                "-" => {}
                // It says of the line before that no line feed follows.
                "\\" => stays_without |= sign_before != "-",
                _ => return None,
            }
            sign_before = sign;
        }
        if rest.is_empty() {
            ends_with_line_feed = !stays_without;
        }
    }
    made.extend(rest.into_iter().rev());
    let mut after = made.join("\n");
    if ends_with_line_feed && !after.is_empty() {
        after.push('\n');
    }
    Some(after)
}

/// The file that a `Read` showed: path, text, first line, whether it is all of it.
pub(crate) fn shown(result: &Value) -> Option<(&str, &str, u64, bool)> {
    let file = &result["file"];
    let number = |key: &str| file[key].as_u64();
    let (path, text) = (file["filePath"].as_str()?, file["content"].as_str()?);
    let first = number("startLine").unwrap_or(1);
    let is_whole = first <= 1 && number("numLines").is_some() && number("numLines") == number("totalLines");
    Some((path, text, first, is_whole))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_the_lines_asked_for_are_read() {
        let text = b"\xef\xbb\xbf{\"a\":1}\nbroken\n\n{\"a\":4}";
        let found = lines(text, &BTreeSet::from([1, 2, 4, 9]));
        assert_eq!(found.len(), 2);
        assert_eq!((&found[&1]["a"], &found[&4]["a"]), (&json!(1), &json!(4)));
    }

    #[test]
    fn what_was_done_counts_rather_than_what_was_asked_for() {
        let mut effect = Effect::Edit(Replacement { old: "a".into(), new: "b".into(), all: false });
        let result = json!({"originalFile": "a\n", "oldString": "a", "newString": "c", "userModified": true, "replaceAll": true});
        let reported = take(&result, &mut effect);
        assert_eq!(effect, Effect::Edit(Replacement { old: "a".into(), new: "c".into(), all: true }));
        assert_eq!((reported.before.as_deref(), reported.changed_by_person), (Some("a\n"), true));
        let mut effect = Effect::Whole(b"x".to_vec());
        assert!(
            take(&json!({"type": "create", "content": "y", "originalFile": null}), &mut effect).was_absent
        );
        assert_eq!(effect, Effect::Whole(b"y".to_vec()));
        assert_eq!(take(&json!("Error"), &mut effect), Reported::default());
    }

    #[test]
    fn a_patch_says_what_an_edit_made_of_the_whole_file() {
        let hunk = |start: u64, lines: &[&str]| {
            let count = |sign| lines.iter().filter(|line| line.starts_with([sign, ' '])).count();
            json!({"oldStart": start, "oldLines": count('-'), "newStart": start, "newLines": count('+'), "lines": lines})
        };
        let stamped = [hunk(2, &["-type: user", "+metadata:", "+  type: user", " ---", "-One.", "+Two."])];
        let before = "---\ntype: user\n---\nOne.\nEnd.\n";
        let after = "---\nmetadata:\n  type: user\n---\nTwo.\nEnd.\n";
        assert_eq!(patched(before, &stamped).as_deref(), Some(after));
        let without = "\\ No newline at end of file";
        for (before, hunks, after) in [
            ("a\nb\nc\nd\n", vec![hunk(1, &["-a", "+A"]), hunk(4, &["-d", "+D"])], "A\nb\nc\nD\n"),
            ("a\nb", vec![hunk(2, &["-b", without, "+B", without])], "a\nB"),
            ("a\nb", vec![hunk(2, &["-b", without, "+B"])], "a\nB\n"),
            ("a\nb\n", vec![hunk(2, &["-b", "+B", without])], "a\nB"),
            ("a\nb", vec![hunk(1, &["-a", "+A", " b", without])], "A\nb"),
            ("a\nb", vec![hunk(1, &["-a", "+A"])], "A\nb"),
            ("", vec![hunk(0, &["+a", "+b"])], "a\nb\n"),
            ("a\n", vec![hunk(1, &["-a"])], ""),
            ("a\nc\n", vec![hunk(1, &["+b"])], "a\nb\nc\n"),
        ] {
            assert_eq!(patched(before, &hunks).as_deref(), Some(after), "{before:?} {hunks:?}");
        }
        for (before, hunks) in [
            ("a\n", vec![]),
            ("a\n", vec![hunk(1, &["-b", "+c"])]),
            ("a\n", vec![hunk(5, &["-a"])]),
            ("a\n", vec![json!({"lines": ["-a"]})]),
            ("a\n", vec![hunk(1, &["-a", "*"])]),
        ] {
            assert_eq!(patched(before, &hunks), None, "{before:?} {hunks:?}");
        }
    }

    #[test]
    fn a_part_of_a_file_is_not_the_whole() {
        let result = |lines: u64| json!({"file": {"filePath": "/a", "content": "x", "startLine": 1, "numLines": lines, "totalLines": 5}});
        assert!(shown(&result(5)).unwrap().3 && !shown(&result(4)).unwrap().3);
        assert!(shown(&json!({})).is_none());
    }
}
