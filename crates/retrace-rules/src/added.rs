//! The lines that a write brings to a file.

use retrace_origin::{Effect, Hunk, Write};
use std::collections::HashMap;

/// Longest text of one write that is kept, in bytes.
const LONGEST: usize = 64 << 10;

/// The lines that a write brings, each with a line feed; `None` where the call does not tell them, or there are too many.
pub(crate) fn added_by(write: &Write) -> Option<String> {
    let before = write.reported.before.as_deref().unwrap_or_default();
    let added = match &write.effect {
        Effect::Whole(bytes) => new_lines(before, std::str::from_utf8(bytes).ok()?),
        Effect::Append(bytes) => new_lines("", std::str::from_utf8(bytes).ok()?),
        Effect::Insert { text, .. } => new_lines("", text),
        Effect::Edit(edit) => new_lines(&edit.old, &edit.new),
        Effect::MultiEdit(edits) => edits.iter().map(|edit| new_lines(&edit.old, &edit.new)).collect(),
        Effect::Patch(patch) => patch.hunks.iter().map(of_hunk).collect(),
        _ => return None,
    };
    (added.len() <= LONGEST).then_some(added)
}

fn of_hunk(hunk: &Hunk) -> String {
    new_lines(&hunk.old.join("\n"), &hunk.new.join("\n"))
}

/// The lines of a text that another has not, or not as often.
fn new_lines(old: &str, new: &str) -> String {
    let mut known: HashMap<&str, usize> = HashMap::new();
    for line in old.lines() {
        *known.entry(line).or_default() += 1;
    }
    let mut added = String::new();
    for line in new.lines() {
        match known.get_mut(line) {
            Some(count) if *count > 0 => *count -= 1,
            _ => {
                added.push_str(line);
                added.push('\n');
            }
        }
    }
    added
}
