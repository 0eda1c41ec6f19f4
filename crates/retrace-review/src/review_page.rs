//! A report of a review: one HTML file with what was decided, what is left and what was redacted.
//!
//! The file loads nothing and runs nothing: its policy forbids both, and its styles are in it. Every text from outside is
//! escaped, and characters that a reader would not see are written out. A line in which a rule finds a secret or personal data
//! is not printed. It follows the reader's light or dark, and prints.
//!
//! Deliberately absent: reading the log (the caller passes in what is shown) and deciding anything.

use retrace_context::html::escape;
use retrace_diff::{Diff, DiffKind, DiffOptions, Tag, diff};
use retrace_findings::{Checker, Config, Content, File, Surroundings};
use retrace_model::Sha256;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Lines of one difference that are printed.
const MAX_LINES: usize = 400;

/// Content of a report.
#[derive(Debug, Default)]
pub(crate) struct ReviewPage {
    /// Facts under the title, a line each.
    pub facts: Vec<String>,
    /// Acts of review, newest first.
    pub decided: Vec<Section>,
    /// Groups of changes that are left, newest first.
    pub left: Vec<Section>,
    /// The ledger of rules: a section a rule.
    pub rules: Vec<Section>,
    /// Redactions, newest first: a heading and a line a place.
    pub receipts: Vec<Section>,
}

/// A heading with facts and changes under it.
#[derive(Debug, Default)]
pub(crate) struct Section {
    /// Heading.
    pub heading: String,
    /// Lines of text under it.
    pub facts: Vec<String>,
    /// The memories.
    pub changes: Vec<Change>,
}

/// A change of one memory.
#[derive(Debug, Default)]
pub(crate) struct Change {
    /// Verb and path.
    pub heading: String,
    /// Lines of text under it: kind, sizes, version.
    pub facts: Vec<String>,
    /// Findings: severity, rule, place and sentence.
    pub findings: Vec<String>,
    /// Contents before and after; none where a side is redacted or was not kept.
    pub contents: Option<(Vec<u8>, Vec<u8>)>,
    /// The path, for the rules.
    pub path: String,
}

const STYLE: &str = "\
:root{color-scheme:light dark;--paper:#faf9f7;--panel:#fff;--line:#cfc9bf;--ink:#1e1c19;--soft:#57524a;--warn:#7d5200;\
--add:#1a6b35;--add-bg:#e3f5e6;--del:#a4231b;--del-bg:#fdeae8}\
@media(prefers-color-scheme:dark){:root{--paper:#151412;--panel:#1b1a18;--line:#464139;--ink:#ece8e1;--soft:#b8b1a6;--warn:#ffcf70;\
--add:#86d99a;--add-bg:#16301d;--del:#ff9d94;--del-bg:#3a1b18}}\
body{margin:2rem auto;max-width:62rem;padding:0 1rem;background:var(--paper);color:var(--ink);font:14px/1.5 system-ui,sans-serif}\
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}h3{font-size:1rem;margin:1.5rem 0 .25rem}h4{font-size:.9rem;margin:1rem 0 .25rem}\
p,li{max-width:46rem;overflow-wrap:anywhere}p{margin:.25rem 0}.facts{color:var(--soft)}.finding{color:var(--warn)}\
pre{background:var(--panel);border:1px solid var(--line);padding:.5rem;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere;margin:.25rem 0}\
ins,del{display:block;text-decoration:none}ins{background:var(--add-bg);color:var(--add)}del{background:var(--del-bg);color:var(--del)}\
.at{color:var(--soft);display:block}\
@media print{body{margin:0;max-width:none;background:#fff}h2,h3,h4{break-after:avoid}}";

/// The policy of the file: styles within it, and nothing else.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// Writes the report.
pub(crate) fn html(page: &ReviewPage) -> String {
    let mut text = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>Review of memory</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>Review of memory</h1>\n"
    );
    facts(&page.facts, &mut text);
    // Each line in which a secret stands is masked.
    let mut checker = Checker::new(Config::default().with_every_place(), 1);
    for (heading, sections, nothing) in [
        ("Decided", &page.decided, "Nothing was decided."),
        ("Left to review", &page.left, "Nothing is left to review."),
        ("Rules", &page.rules, "No rule is on the list."),
        ("Redacted", &page.receipts, "Nothing was redacted."),
    ] {
        let _ = writeln!(text, "<section>\n<h2>{heading}</h2>");
        if sections.is_empty() {
            let _ = writeln!(text, "<p class=\"facts\">{nothing}</p>");
        }
        for section in sections {
            let _ = writeln!(text, "<h3>{}</h3>", escape(&section.heading));
            facts(&section.facts, &mut text);
            for one in &section.changes {
                change(one, &mut checker, &mut text);
            }
        }
        text.push_str("</section>\n");
    }
    text.push_str("</main>\n</body>\n</html>\n");
    text
}

fn facts(lines: &[String], text: &mut String) {
    if !lines.is_empty() {
        let lines: Vec<String> = lines.iter().map(|line| escape(line)).collect();
        let _ = writeln!(text, "<p class=\"facts\">{}</p>", lines.join("<br>\n"));
    }
}

fn change(change: &Change, checker: &mut Checker, text: &mut String) {
    let _ = writeln!(text, "<h4>{}</h4>", escape(&change.heading));
    facts(&change.facts, text);
    if !change.findings.is_empty() {
        text.push_str("<ul>\n");
        for finding in &change.findings {
            let _ = writeln!(text, "<li class=\"finding\">{}</li>", escape(finding));
        }
        text.push_str("</ul>\n");
    }
    match &change.contents {
        None => text.push_str("<p class=\"facts\">There is no content to compare.</p>\n"),
        Some((before, after)) => {
            let hidden = (masked(checker, &change.path, before), masked(checker, &change.path, after));
            difference(&diff(before, after, &DiffOptions::default()), &hidden, text);
        }
    }
}

/// Lines of which nothing is printed, from 1.
fn masked(checker: &mut Checker, path: &str, bytes: &[u8]) -> BTreeSet<u32> {
    let content = Content::Bytes(Sha256::of(bytes), bytes);
    let file = File { path, size: bytes.len() as u64, content };
    let report = checker.check(&[file], &Surroundings::default());
    report
        .findings
        .iter()
        .chain(&report.allowed)
        .filter(|finding| finding.rule.sensitive)
        .filter_map(|finding| finding.span.as_ref())
        .flat_map(|span| span.start.line..=span.end.line)
        .collect()
}

fn difference(diff: &Diff, masked: &(BTreeSet<u32>, BTreeSet<u32>), text: &mut String) {
    if diff.kind == DiffKind::Binary {
        text.push_str("<p class=\"facts\">A side is not text.</p>\n");
        return;
    }
    if diff.hunks.is_empty() {
        return;
    }
    text.push_str("<pre>");
    let mut left = MAX_LINES;
    for hunk in &diff.hunks {
        let _ = write!(text, "<span class=\"at\">@@ -{} +{} @@</span>", hunk.old_start, hunk.new_start);
        for line in hunk.lines.iter().take(left) {
            let is_masked = line.old.is_some_and(|number| masked.0.contains(&number))
                || line.new.is_some_and(|number| masked.1.contains(&number));
            let shown =
                if is_masked { "[masked: secret or personal data]".to_owned() } else { escape(&line.text) };
            let _ = match line.tag {
                Tag::Insert => write!(text, "<ins>+ {shown}</ins>"),
                Tag::Delete => write!(text, "<del>- {shown}</del>"),
                Tag::Equal => writeln!(text, "  {shown}"),
            };
        }
        left = left.saturating_sub(hunk.lines.len());
    }
    text.push_str("</pre>\n");
    if left == 0 {
        let _ =
            writeln!(text, "<p class=\"facts\">More than {MAX_LINES} lines; the others are left out.</p>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(before: &str, after: &str) -> String {
        let change = Change {
            heading: "changed <b>.md".to_owned(),
            facts: vec!["index".to_owned()],
            findings: vec!["warning x/y: a & b".to_owned()],
            contents: Some((before.as_bytes().to_vec(), after.as_bytes().to_vec())),
            path: "b.md".to_owned(),
        };
        let section = Section { heading: "a session".to_owned(), facts: Vec::new(), changes: vec![change] };
        html(&ReviewPage { facts: vec!["Made now".to_owned()], left: vec![section], ..ReviewPage::default() })
    }

    #[test]
    fn the_file_loads_and_runs_nothing_whatever_it_shows() {
        let text = page(
            "old\n",
            "<script>alert(1)</script>\n<img src=https://x.invalid onerror=y>\na\u{202e}b\u{200b}\n",
        );
        assert!(!text.contains("<script") && !text.contains("<img"), "{text}");
        assert!(text.contains("&lt;script&gt;") && text.contains("‹U+202E›") && text.contains("‹U+200B›"));
        assert!(text.contains("changed &lt;b&gt;.md") && text.contains("a &amp; b"));
        assert!(text.contains("default-src 'none'"));
        assert!(text.contains("<del>- old</del>"));
        assert!(text.contains("Nothing was decided."));
    }

    #[test]
    fn a_secret_is_on_neither_side() {
        let secret = ["ghp", "_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        let text = page(&format!("token {secret}\n"), &format!("kept\nnow {secret} too\n"));
        assert!(!text.contains(&secret), "{text}");
        assert_eq!(text.matches("[masked: secret or personal data]").count(), 2);
        assert!(text.contains("<ins>+ kept</ins>"));
    }

    #[test]
    fn a_long_difference_is_cut_and_says_so() {
        let text = page("", &"line\n".repeat(1_000));
        assert_eq!(text.matches("<ins>").count(), MAX_LINES);
        assert!(text.contains("the others are left out"));
    }
}
