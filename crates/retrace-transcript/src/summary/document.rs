//! Summaries of files that are one JSON document: they are read as a whole.

use super::Summary;
use crate::{Account, ReadError};

/// The summary of a whole document.
pub(super) fn summary(bytes: &[u8]) -> Summary {
    let account = Account { bytes: bytes.len() as u64, lines: 1, ..Account::default() };
    let refusal = Some(ReadError::Unrecognised { looks_like: "a JSON document".to_owned() });
    Summary { account, refusal, ..Summary::default() }
}
