//! The text that a write brings to a file.

use retrace_origin::{Effect, Hunk, LineEdit, Write};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Longest text of one write that is kept, in bytes.
const LONGEST: usize = 64 << 10;

/// A text that was written to a file, and which of its lines are new.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// The lines, each with a line feed.
    pub text: String,
    /// Those that the replaced text did not have, or not as often, counted from 0.
    pub new: Vec<u32>,
}

impl Written {
    /// The new lines, each with a line feed.
    #[must_use]
    pub fn new_lines(&self) -> String {
        let lines: Vec<&str> = self.text.split_inclusive('\n').collect();
        self.new.iter().filter_map(|at| lines.get(usize::try_from(*at).ok()?)).copied().collect()
    }

    /// Adds a text in place of another.
    fn add(&mut self, old: &str, new: &str) {
        let mut known: HashMap<&str, usize> = HashMap::new();
        for line in old.lines() {
            *known.entry(line).or_default() += 1;
        }
        let before = self.text.lines().count();
        for (at, line) in (before..).zip(new.lines()) {
            match known.get_mut(line) {
                Some(count) if *count > 0 => *count -= 1,
                _ => self.new.extend(u32::try_from(at).ok()),
            }
            self.text.push_str(line);
            self.text.push('\n');
        }
    }
}

/// The text that a write brings; `None` where the call does not tell it, or it is too long to keep.
pub(crate) fn written_by(write: &Write) -> Option<Written> {
    let before = write.reported.before.as_deref().unwrap_or_default();
    let mut written = Written::default();
    match &write.effect {
        Effect::Whole(bytes) => written.add(before, std::str::from_utf8(bytes).ok()?),
        Effect::Append(bytes) => written.add("", std::str::from_utf8(bytes).ok()?),
        Effect::Insert { text, .. } => written.add("", text),
        Effect::Edit(edit) => written.add(&edit.old, &edit.new),
        Effect::MultiEdit(edits) => edits.iter().for_each(|edit| written.add(&edit.old, &edit.new)),
        Effect::Patch(patch) => patch.hunks.iter().for_each(|hunk| add_hunk(&mut written, hunk)),
        Effect::Lines(edits) => edits.iter().for_each(|edit| match edit {
            LineEdit::Replace { old, new, .. } => written.add(old, new),
            LineEdit::Delete(_) | LineEdit::DeleteWith(_) => {}
        }),
        Effect::Delete | Effect::Rename { .. } => {}
        Effect::Copy { .. } | Effect::Unparsed => return None,
    }
    (written.text.len() <= LONGEST).then_some(written)
}

fn add_hunk(written: &mut Written, hunk: &Hunk) {
    written.add(&hunk.old.join("\n"), &hunk.new.join("\n"));
}
