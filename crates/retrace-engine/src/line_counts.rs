//! Added and removed lines between two contents, remembered by the pair of their hashes.
//!
//! A list asks for the counts of hundreds of pairs at once, and for the same ones again with every change; the difference
//! itself is worked out once. Contents that never change are all that is counted, so nothing remembered becomes wrong.

use crate::remembered::{FactKey, Remembered};
use crate::wire::ApiError;
use retrace_diff::DiffOptions;
use retrace_log::{Recent, VersionRow};
use retrace_model::{MAX_FILE_BYTES, Sha256};
use std::collections::HashMap;
use std::rc::Rc;

/// Of larger contents no smallest difference is searched for, which can take long: their lines are counted without their order.
const LARGEST_ORDERED: usize = 256 << 10;

/// Lines that came, and lines that went.
pub type Counts = (u64, u64);

/// Counts of pairs that were asked for before.
#[derive(Default)]
pub struct LineCounts {
    known: Remembered<Option<Counts>>,
}

impl LineCounts {
    /// Lines added and removed from one version to another; without the first, all are added. `None` where a side was
    /// redacted, is no text, is not kept or is too large.
    pub fn of(
        &self,
        contents: &Recent<'_>,
        from: Option<&VersionRow>,
        to: &VersionRow,
    ) -> Result<Option<Counts>, ApiError> {
        if !from.is_none_or(is_comparable) || !is_comparable(to) {
            return Ok(None);
        }
        let hash = |version: &VersionRow| version.content.map(|content| content.sha256);
        let (before, after) = (from.and_then(hash), hash(to));
        if before == after {
            return Ok(Some((0, 0)));
        }
        let key = key(before, after);
        if let Some(known) = self.known.get(key) {
            return Ok(known);
        }
        let old = from.map_or_else(|| Ok(Rc::default()), |from| bytes(contents, from))?;
        let counts = compare(&old, &bytes(contents, to)?);
        self.known.keep(key, counts);
        Ok(counts)
    }

    /// The same for contents that may be in no version; `None` is no file.
    pub fn of_contents(&self, from: Option<&[u8]>, to: Option<&[u8]>) -> Option<Counts> {
        let fits = |side: Option<&[u8]>| side.is_none_or(|bytes| bytes.len() as u64 <= MAX_FILE_BYTES);
        if !fits(from) || !fits(to) {
            return None;
        }
        let key = key(from.map(Sha256::of), to.map(Sha256::of));
        if let Some(known) = self.known.get(key) {
            return known;
        }
        let counts = compare(from.unwrap_or_default(), to.unwrap_or_default());
        self.known.keep(key, counts);
        counts
    }
}

/// The key of two contents; `None` is no file.
fn key(before: Option<Sha256>, after: Option<Sha256>) -> FactKey {
    let part = |content: &Option<Sha256>| content.map_or_else(Vec::new, |content| content.0.to_vec());
    FactKey::of_parts(&[&part(&before), &part(&after)])
}

fn is_comparable(version: &VersionRow) -> bool {
    version.redaction.is_none()
        && version
            .content
            .is_none_or(|content| content.kept && content.is_text && content.size <= MAX_FILE_BYTES)
}

/// The content of a version; nothing for a deletion.
fn bytes(contents: &Recent<'_>, version: &VersionRow) -> Result<Rc<Vec<u8>>, ApiError> {
    if version.content.is_none() {
        return Ok(Rc::default());
    }
    Ok(contents.content(version)?.unwrap_or_default())
}

fn compare(old: &[u8], new: &[u8]) -> Option<Counts> {
    if old.is_empty() || new.is_empty() || old.len().max(new.len()) > LARGEST_ORDERED {
        let are_texts = retrace_diff::is_text(old) && retrace_diff::is_text(new);
        return are_texts.then(|| without_order(old, new));
    }
    retrace_diff::changed_lines(old, new, &DiffOptions::default())
}

/// Number of lines of one side the other does not have, each as often as it stands there.
fn without_order(old: &[u8], new: &[u8]) -> Counts {
    let mut times: HashMap<&[u8], i64> = HashMap::new();
    for line in new.split_inclusive(|byte| *byte == b'\n') {
        *times.entry(line).or_default() += 1;
    }
    for line in old.split_inclusive(|byte| *byte == b'\n') {
        *times.entry(line).or_default() -= 1;
    }
    let total = |sign: i64| times.values().map(|times| (times * sign).max(0).unsigned_abs()).sum();
    (total(1), total(-1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_and_bytes_that_are_no_text_are_not() {
        assert_eq!(compare(b"a\nb\nc\n", b"a\nB\nc\nd\n"), Some((2, 1)));
        assert_eq!(compare(b"", b"a\nb"), Some((2, 0)));
        assert_eq!(compare(b"a\n", b""), Some((0, 1)));
        assert_eq!(compare(b"a\n", &[0, 159, 146, 150]), None);
        assert_eq!(compare(b"", &[0, 159, 146, 150]), None);
    }

    #[test]
    fn lines_of_large_contents_are_counted_too() {
        let lines = |from: usize, to: usize| -> Vec<u8> {
            (from..to).flat_map(|number| format!("line {number}\n").into_bytes()).collect()
        };
        let (old, new) = (lines(0, 100_000), lines(10, 100_003));
        assert!(old.len() > LARGEST_ORDERED);
        assert_eq!(compare(&old, &new), Some((3, 10)));
        assert_eq!(compare(b"", &new), Some((99_993, 0)));
        assert_eq!(compare(&old, b"line 5\nx"), Some((1, 99_999)));
    }
}
