//! Comments in a memory that allow a finding in place.
//!
//! `<!-- retrace-allow: RULE[, RULE…] REASON -->` or `# retrace-allow: RULE[, RULE…] REASON`, where RULE is an id or a
//! group. It allows findings on its own line and on the next one; findings about a file as a whole wherever it stands.
//! Without a rule it allows nothing.

use crate::finding::Finding;
use crate::registry::{Rule, rules};
use crate::text::Text;
use std::collections::BTreeMap;

const MARK: &str = "retrace-allow:";

/// Findings that the comments of one file allow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Allowed {
    /// The lines, from 1, of the comments that name a rule or group, in order.
    entries: BTreeMap<String, Vec<u32>>,
}

impl Allowed {
    pub(crate) fn of(text: &Text<'_>) -> Self {
        let mut entries: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for found in memchr::memmem::find_iter(text.as_str().as_bytes(), MARK) {
            let line = text.line_range(text.line_of(found));
            let before = text.as_str().get(line.start..found).unwrap_or("").trim_end();
            if !before.ends_with("<!--") && !before.ends_with('#') {
                continue;
            }
            let rest = text.as_str().get(found + MARK.len()..line.end).unwrap_or("");
            let rest = rest.split("-->").next().unwrap_or(rest);
            let number = text.position(found).line;
            for selector in selectors(rest) {
                entries.entry(selector.to_owned()).or_default().push(number);
            }
        }
        Self { entries }
    }

    /// True if a comment allows `finding`, which is in the same file.
    pub(crate) fn allows(&self, finding: &Finding) -> bool {
        self.allows_at(finding.rule, finding.span.as_ref().map(|span| (span.start.line, span.end.line)))
    }

    /// Whether a comment allows what a rule finds from one line to another; `None` is the whole file.
    pub(crate) fn allows_at(&self, rule: &Rule, lines: Option<(u32, u32)>) -> bool {
        if self.entries.is_empty() {
            return false;
        }
        [rule.id.as_str(), rule.group()].into_iter().any(|selector| {
            let Some(comments) = self.entries.get(selector) else { return false };
            let Some((start, end)) = lines else { return true };
            let first = comments.partition_point(|line| line.saturating_add(1) < start);
            comments.get(first).is_some_and(|line| *line <= end.max(start))
        })
    }
}

/// The rules at the start of `text`, as far as commas join them.
fn selectors(text: &str) -> impl Iterator<Item = &str> {
    let mut more = true;
    text.split_inclusive(|letter: char| letter == ',' || letter.is_whitespace())
        .map(|word| {
            (
                word.trim_end().ends_with(','),
                word.trim_matches(|letter: char| letter == ',' || letter.is_whitespace()),
            )
        })
        .filter(|(_, word)| !word.is_empty())
        .map_while(move |(comma, word)| {
            let taken = more && rules().iter().any(|rule| rule.is_named(word));
            more = comma;
            taken.then_some(word)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(text: &str) -> Vec<(String, u32)> {
        let entries = Allowed::of(&Text::new(text.as_bytes())).entries;
        let each =
            |(rule, lines): (String, Vec<u32>)| lines.into_iter().map(move |line| (rule.clone(), line));
        entries.into_iter().flat_map(each).collect()
    }

    #[test]
    fn rules_and_reasons() {
        let one = |rule: &str| vec![(rule.to_owned(), 1)];
        assert_eq!(entries("<!-- retrace-allow: secret/github it is revoked -->"), one("secret/github"));
        assert_eq!(entries("key # retrace-allow: secret links are fine here"), one("secret"));
        assert_eq!(
            entries("\n<!--retrace-allow: links/wiki, links/orphan, not a rule-->"),
            [("links/orphan".to_owned(), 2), ("links/wiki".to_owned(), 2)]
        );
        for text in ["retrace-allow: secret", "<!-- retrace-allow: -->", "<!-- retrace-allow: because -->"] {
            assert_eq!(entries(text), [], "{text}");
        }
    }
}
