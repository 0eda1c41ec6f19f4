//! Full-text search.

use crate::History;
use crate::memories::positions;
use crate::wire::{ApiError, Hit, SearchReq, SearchResult};
use retrace_log::{LogError, Reader, SearchHit, Words};
use std::ops::Range;
use std::sync::Arc;

/// Hits unless asked otherwise.
const HITS: u64 = 100;
/// The most hits one call gives.
const MAX_HITS: u64 = 1000;
/// Characters of a snippet.
const SNIPPET: usize = 160;
/// Characters shown before the first match of a cut snippet.
const LEAD: usize = 40;

/// Searches for words in the live memories or in history.
///
/// # Errors
/// `invalid` when the query has no word in it, `not_found` for an unknown store.
pub fn search(inner: &Arc<History>, request: SearchReq) -> Result<SearchResult, ApiError> {
    let words = Words::parse(&request.query);
    if words.is_empty() {
        return Err(ApiError::invalid(say::no_word_look(), request.query)
            .hint(say::words_letters_digits_punctuation_alone()));
    }
    let limit = request.limit.unwrap_or(HITS).clamp(1, MAX_HITS) as usize;
    // The index follows the log; whoever searches brings it up to date first.
    if !inner.read(|reader| Ok(reader.search_is_current()?))? {
        let mut writer = inner.writer();
        loop {
            match writer.index_some() {
                Ok(true) => {}
                // Where the log cannot be written, what is indexed so far is searched.
                Ok(false) | Err(LogError::CannotWrite(_) | LogError::Full) => break,
                Err(error) => return Err(error.into()),
            }
        }
    }
    inner.read(|reader| {
        let store = request.store.as_deref().map(|name| inner.store_named(reader, name)).transpose()?;
        let store = store.map(|store| store.id);
        let mut found = if request.history {
            reader.search_history(&words, store, limit + 1)?
        } else {
            reader.search_live(&words, store, limit + 1)?
        };
        let more = found.len() > limit;
        found.truncate(limit);
        let hits = found.iter().map(|found| hit(reader, found)).collect::<Result<_, _>>()?;
        Ok(SearchResult { hits, more })
    })
}

fn hit(reader: &Reader<'_>, found: &SearchHit) -> Result<Hit, ApiError> {
    let (snippet, matches) = snippet(&found.text, &found.matches);
    Ok(Hit {
        store_id: found.version.store.to_string(),
        memory_id: found.version.memory.to_string(),
        version_id: found.version.id.to_string(),
        path: found.version.path.as_ref().map(ToString::to_string),
        line: u32::try_from(found.line).unwrap_or(u32::MAX),
        snippet,
        matches,
        created_at: found.version.created_at.to_rfc3339(),
        put_back: crate::origins::put_back(reader, &found.version)?,
    })
}

/// A stretch of the line around the first match, and the matches in it, both in characters.
fn snippet(line: &str, matches: &[Range<usize>]) -> (String, Vec<(u32, u32)>) {
    let position = positions(line);
    let position = |byte: usize| position(byte) as usize;
    let first = matches.first().map_or(0, |range| position(range.start));
    let length = line.chars().count();
    let from = if length <= SNIPPET { 0 } else { first.saturating_sub(LEAD).min(length - SNIPPET) };
    let to = length.min(from + SNIPPET);
    let (before, after) = (if from > 0 { "…" } else { "" }, if to < length { "…" } else { "" });
    let shift = before.chars().count();
    let body: String = line.chars().skip(from).take(to - from).collect();
    let marks = matches
        .iter()
        .map(|range| (position(range.start), position(range.end)))
        .filter(|(start, end)| *start >= from && *end <= to)
        .filter_map(|(start, end)| {
            Some((u32::try_from(start - from + shift).ok()?, u32::try_from(end - from + shift).ok()?))
        })
        .collect();
    (format!("{before}{body}{after}"), marks)
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "search";
    no_word_look() => "There is no word to look for.",
    words_letters_digits_punctuation_alone() => "Words are letters and digits; punctuation alone is not looked for.",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_cut_around_the_match() {
        let line = format!("{}needle{}", "é".repeat(300), "x".repeat(300));
        let start = line.find("needle").expect("it is there");
        let (snippet, marks) = snippet(&line, &[Range { start, end: start + 6 }]);
        assert_eq!(snippet.chars().count(), SNIPPET + 2);
        let (from, to) = marks[0];
        let marked: String = snippet.chars().skip(from as usize).take((to - from) as usize).collect();
        assert_eq!(marked, "needle");
    }
}
