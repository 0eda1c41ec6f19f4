//! Colour: which stretches of a text are what.
//!
//! Deliberately absent: colours, themes and output. Grammars are loaded at the first use and kept. Colour is a comfort: it
//! stops at limits of size and time, and a grammar that fails leaves the rest of the text without.

mod class;
mod markdown;
mod syntaxes;

pub use class::SpanClass;
pub use syntaxes::{Syntax, syntax_for};

use crate::content;
use crate::script;
use class::Classifier;
use markdown::Markdown;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use syntect::parsing::{ParseState, ScopeStack};

/// A stretch of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Byte range in the line's text.
    pub range: Range<usize>,
    /// Its class.
    pub class: SpanClass,
}

/// Limits for [`highlight_with`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HighlightOptions {
    /// Texts above this many bytes get no spans at all: 512 KiB. A person scrolls through no such file for its colours.
    pub max_bytes: usize,
    /// Lines above this many bytes get no spans and are left out for the grammar, whose work on one line cannot be
    /// interrupted: 8 KiB.
    pub max_line_bytes: usize,
    /// Time from the call on, looked at between lines; lines not reached get no spans. `None` for no limit. Two seconds:
    /// the first use also compiles the grammar's patterns.
    pub time_limit: Option<Duration>,
}

impl Default for HighlightOptions {
    fn default() -> Self {
        Self { max_bytes: 512 * 1024, max_line_bytes: 8 * 1024, time_limit: Some(Duration::from_secs(2)) }
    }
}

/// The spans of `text` within the default limits: one list a line, lines as everywhere in this crate. The spans of a line
/// cover it without gap or overlap, neighbours differ in class; a line without spans is empty or was not reached, and is
/// to be shown plain.
#[must_use]
pub fn highlight(text: &str, syntax: Syntax) -> Vec<Vec<Span>> {
    highlight_with(text, syntax, &HighlightOptions::default())
}

/// The same within other limits.
#[must_use]
pub fn highlight_with(text: &str, syntax: Syntax, options: &HighlightOptions) -> Vec<Vec<Span>> {
    let deadline = options.time_limit.and_then(|limit| Instant::now().checked_add(limit));
    let lines: Vec<&str> = text.split_inclusive('\n').map(without_line_end).collect();
    let mut spans = vec![Vec::new(); lines.len()];
    if text.len() > options.max_bytes {
        return spans;
    }
    let mut reader = Reader::new(syntax, &lines);
    for (line, spans) in lines.iter().zip(&mut spans) {
        if deadline.is_some_and(script::passed) {
            break;
        }
        if line.len() > options.max_line_bytes {
            continue;
        }
        let Some(found) = reader.line(line) else { break };
        *spans = found;
    }
    spans
}

fn without_line_end(line: &str) -> &str {
    // Cutting ASCII off a text leaves a text.
    &line[..content::without_line_end(line.as_bytes()).len()]
}

enum Reader {
    Markdown(Box<Markdown>),
    Other(Box<Parser>),
}

impl Reader {
    fn new(syntax: Syntax, lines: &[&str]) -> Self {
        if syntax.is_markdown() {
            Self::Markdown(Box::new(Markdown::new(syntax, lines)))
        } else {
            Self::Other(Box::new(Parser::new(syntax)))
        }
    }

    fn line(&mut self, line: &str) -> Option<Vec<Span>> {
        match self {
            Self::Markdown(markdown) => markdown.line(line),
            Self::Other(parser) => parser.line(line),
        }
    }
}

/// A text under way in one grammar.
struct Parser {
    syntax: Syntax,
    state: ParseState,
    scopes: ScopeStack,
    classes: Classifier,
    /// The line with its line feed, which the grammars want to see.
    buffer: String,
}

impl Parser {
    fn new(syntax: Syntax) -> Self {
        Self {
            syntax,
            state: ParseState::new(syntax.reference),
            scopes: ScopeStack::new(),
            classes: Classifier::default(),
            buffer: String::new(),
        }
    }

    /// The spans of the next line, given without its line end; `None` when the grammar failed. It is not to be used after
    /// that.
    fn line(&mut self, line: &str) -> Option<Vec<Span>> {
        self.buffer.clear();
        self.buffer.push_str(line);
        self.buffer.push('\n');
        // The grammars are data of others, whose patterns are compiled when first met: one that does not compile panics.
        let parsed = catch_unwind(AssertUnwindSafe(|| self.state.parse_line(&self.buffer, self.syntax.set)));
        let operations = parsed.ok()?.ok()?;
        let mut spans = Vec::new();
        let mut at = 0;
        for (end, operation) in operations {
            self.push(&mut spans, at..end.min(line.len()));
            at = at.max(end.min(line.len()));
            self.scopes.apply(&operation).ok()?;
        }
        self.push(&mut spans, at..line.len());
        Some(spans)
    }

    fn push(&mut self, spans: &mut Vec<Span>, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        let class = self.classes.class(self.scopes.as_slice());
        match spans.last_mut() {
            Some(last) if last.class == class => last.range.end = range.end,
            _ => spans.push(Span { range, class }),
        }
    }
}

#[cfg(test)]
mod tests;
