//! Patches as Codex writes them (`apply_patch`): what they say, and what they make of a file.
//!
//! A hunk is found by its lines, not by numbers. Lines are compared as they are, then without white space at their end,
//! then without any around them, as the tool does; the result ends with a line feed.

use crate::write::Effect;

/// The first line of a patch.
pub(crate) const BEGIN: &str = "*** Begin Patch";

/// Changes of a patch to one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilePatch {
    /// Hunks in order.
    pub hunks: Vec<Hunk>,
    /// The path the file moves to, as named; `None` where it stays.
    pub moved_to: Option<String>,
}

/// One hunk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunk {
    /// A line that comes before it (`@@ line`), where one is named.
    pub after: Option<String>,
    /// Lines that are there.
    pub old: Vec<String>,
    /// Lines that stand in their place then.
    pub new: Vec<String>,
    /// True if it is the end of the file.
    pub at_end: bool,
}

/// Each file of a patch as named, with what happens to it. Nothing for what is no patch.
pub(crate) fn parse(patch: &str) -> Vec<(String, Effect)> {
    let mut files: Vec<(String, Effect)> = Vec::new();
    let begin = patch.lines().position(|line| line.trim() == BEGIN);
    for line in patch.lines().skip(begin.map_or(0, |at| at + 1)) {
        if line.trim() == "*** End Patch" {
            break;
        }
        if let Some(path) = line.strip_prefix("*** Add File: ") {
            files.push((path.trim().to_owned(), Effect::Whole(Vec::new())));
        } else if let Some(path) = line.strip_prefix("*** Delete File: ") {
            files.push((path.trim().to_owned(), Effect::Delete));
        } else if let Some(path) = line.strip_prefix("*** Update File: ") {
            files.push((path.trim().to_owned(), Effect::Patch(FilePatch::default())));
        } else if let Some((_, effect)) = files.last_mut() {
            continue_file(effect, line);
        }
    }
    files
}

fn continue_file(effect: &mut Effect, line: &str) {
    match effect {
        Effect::Whole(bytes) => {
            if let Some(added) = line.strip_prefix('+') {
                bytes.extend_from_slice(added.as_bytes());
                bytes.push(b'\n');
            }
        }
        Effect::Patch(patch) => continue_patch(patch, line),
        _ => {}
    }
}

fn continue_patch(patch: &mut FilePatch, line: &str) {
    if let Some(to) = line.strip_prefix("*** Move to: ") {
        patch.moved_to = Some(to.trim().to_owned());
        return;
    }
    if line.trim_end() == "*** End of File" {
        if let Some(hunk) = patch.hunks.last_mut() {
            hunk.at_end = true;
        }
        return;
    }
    if let Some(after) = line.strip_prefix("@@") {
        let after = after.strip_prefix(' ').filter(|after| !after.is_empty()).map(str::to_owned);
        patch.hunks.push(Hunk { after, ..Hunk::default() });
        return;
    }
    if patch.hunks.is_empty() {
        patch.hunks.push(Hunk::default());
    }
    let Some(hunk) = patch.hunks.last_mut() else { return };
    match (line.as_bytes().first(), line.get(1..)) {
        (Some(b'+'), Some(rest)) => hunk.new.push(rest.to_owned()),
        (Some(b'-'), Some(rest)) => hunk.old.push(rest.to_owned()),
        (Some(b' '), Some(rest)) => {
            hunk.old.push(rest.to_owned());
            hunk.new.push(rest.to_owned());
        }
        (None, _) => {
            hunk.old.push(String::new());
            hunk.new.push(String::new());
        }
        _ => {}
    }
}

impl FilePatch {
    /// The hunks of a unified diff of one file. Its line numbers are not used: hunks are found by their lines.
    pub(crate) fn of_diff(diff: &str, moved_to: Option<String>) -> Self {
        let mut hunks: Vec<Hunk> = Vec::new();
        for line in diff.split('\n') {
            if line.starts_with("@@") {
                hunks.push(Hunk::default());
                continue;
            }
            let Some(hunk) = hunks.last_mut() else { continue };
            match (line.as_bytes().first(), line.get(1..)) {
                (Some(b'+'), Some(rest)) => hunk.new.push(rest.to_owned()),
                (Some(b'-'), Some(rest)) => hunk.old.push(rest.to_owned()),
                (Some(b' '), Some(rest)) => {
                    hunk.old.push(rest.to_owned());
                    hunk.new.push(rest.to_owned());
                }
                // `\ No newline at end of file`, and what follows the last line feed.
                _ => {}
            }
        }
        Self { hunks, moved_to }
    }

    /// The content after the patch; `None` where it does not fit.
    pub(crate) fn apply(&self, before: &str) -> Option<String> {
        let mut lines: Vec<&str> = before.split('\n').collect();
        if lines.last() == Some(&"") {
            lines.pop();
        }
        let mut result: Vec<&str> = Vec::with_capacity(lines.len());
        let mut at = 0;
        for hunk in &self.hunks {
            let mut from = at;
            if let Some(after) = &hunk.after {
                from = find(&lines, std::slice::from_ref(after), from, false)? + 1;
            }
            let place = if hunk.old.is_empty() {
                // Lines without a place go to the end.
                if hunk.after.is_some() { from } else { lines.len() }
            } else {
                find(&lines, &hunk.old, from, hunk.at_end)?
            };
            result.extend_from_slice(lines.get(at..place)?);
            result.extend(hunk.new.iter().map(String::as_str));
            at = place + hunk.old.len();
        }
        result.extend_from_slice(lines.get(at..)?);
        let mut text = result.join("\n");
        if !result.is_empty() {
            text.push('\n');
        }
        Some(text)
    }
}

/// Where `wanted` stands in `lines`, from `from` on; at the end where that is asked for and fits.
fn find(lines: &[&str], wanted: &[String], from: usize, at_end: bool) -> Option<usize> {
    let last = lines.len().checked_sub(wanted.len())?;
    let ways: [fn(&str) -> &str; 3] = [|line| line, str::trim_end, str::trim];
    let fits = |at: usize, way: fn(&str) -> &str| {
        lines[at..at + wanted.len()].iter().zip(wanted).all(|(line, wanted)| way(line) == way(wanted))
    };
    for way in ways {
        if at_end && last >= from && fits(last, way) {
            return Some(last);
        }
        if let Some(at) = (from..=last).find(|at| fits(*at, way)) {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "*** Begin Patch\n*** Add File: a.md\n+one\n+\n*** Update File: b.md\n*** Move to: c.md\n@@ ## Two\n \
                         kept\n-old\n+new\n*** Delete File: d.md\n*** End Patch\n*** Add File: never.md\n";

    #[test]
    fn each_file_of_a_patch_is_reported() {
        let files = parse(PATCH);
        assert_eq!(files.len(), 3);
        assert_eq!(files[0], ("a.md".to_owned(), Effect::Whole(b"one\n\n".to_vec())));
        assert_eq!(files[2], ("d.md".to_owned(), Effect::Delete));
        let Effect::Patch(patch) = &files[1].1 else { panic!("an update") };
        assert_eq!(patch.moved_to.as_deref(), Some("c.md"));
        let before = "# T\nkept\nold\n## Two\nkept  \nold\nend";
        assert_eq!(patch.apply(before).as_deref(), Some("# T\nkept\nold\n## Two\nkept\nnew\nend\n"));
        assert_eq!(patch.apply("nothing of it\n"), None);
    }

    #[test]
    fn a_unified_diff_is_a_patch() {
        let diff = "--- a\n+++ b\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n@@ -4 +4,2 @@\n four\n+five\n";
        let patch = FilePatch::of_diff(diff, None);
        assert_eq!(patch.apply("one\ntwo\nthree\nfour\n").as_deref(), Some("one\nTWO\nthree\nfour\nfive\n"));
        assert_eq!(patch.apply("else\n"), None);
        let whole = FilePatch::of_diff("@@ -1 +0,0 @@\n-x\n\\ No newline at end of file", None);
        assert_eq!(whole.apply("x").as_deref(), Some(""));
        assert!(FilePatch::of_diff("no diff", None).hunks.is_empty());
    }

    #[test]
    fn lines_without_a_place_go_to_the_end() {
        let files = parse("*** Begin Patch\n*** Update File: b\n@@\n+last\n*** End Patch");
        let Effect::Patch(patch) = &files[0].1 else { panic!("an update") };
        assert_eq!(patch.apply("a\n").as_deref(), Some("a\nlast\n"));
        assert_eq!(patch.apply("").as_deref(), Some("last\n"));
    }

    #[test]
    fn what_is_no_patch_changes_nothing() {
        for text in ["", "*** Begin Patch", "@@\n+a", "*** End Patch\n*** Add File: a"] {
            assert!(parse(text).is_empty(), "{text}");
        }
    }
}
