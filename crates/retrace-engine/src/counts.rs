//! Tokens of contents, remembered by hash.

use crate::remembered::{FactKey, Remembered};
use crate::wire::ApiError;
use retrace_log::{Recent, VersionRow};
use retrace_model::{MAX_FILE_BYTES, Sha256};
use retrace_tokens::{Counter, Family};

/// The family of Claude models that are not known: that of the newest ones.
pub const NEWEST_FAMILY: Family = Family::V48;

/// Any content that is recorded is counted, once for each content.
const LARGEST_COUNTED: u64 = MAX_FILE_BYTES;

/// Token counts of contents that were asked for before, by hash.
#[derive(Default)]
pub struct TokenCounts {
    known: Remembered<u64>,
}

impl TokenCounts {
    /// Tokens of a version's content; none of a deletion. `None` where it is redacted, no text, not kept or too large.
    pub fn of(&self, contents: &Recent<'_>, version: &VersionRow) -> Result<Option<u64>, ApiError> {
        let Some(content) = version.content else {
            return Ok((version.redaction.is_none()).then_some(0));
        };
        if !content.kept || !content.is_text || content.size > LARGEST_COUNTED {
            return Ok(None);
        }
        if let Some(known) = self.known.get(FactKey::of(content.sha256)) {
            return Ok(Some(known));
        }
        let Some(bytes) = contents.content(version)? else { return Ok(None) };
        Ok(self.count(content.sha256, &bytes))
    }

    /// Tokens of a content that may be in no version. `None` where it is no text or too large.
    pub fn of_content(&self, bytes: &[u8]) -> Option<u64> {
        if bytes.len() as u64 > LARGEST_COUNTED || !retrace_diff::is_text(bytes) {
            return None;
        }
        let sha256 = Sha256::of(bytes);
        if let Some(known) = self.known.get(FactKey::of(sha256)) {
            return Some(known);
        }
        self.count(sha256, bytes)
    }

    fn count(&self, sha256: Sha256, bytes: &[u8]) -> Option<u64> {
        let tokens = Counter::of(NEWEST_FAMILY).content(&String::from_utf8_lossy(bytes));
        self.known.keep(FactKey::of(sha256), tokens);
        Some(tokens)
    }
}
