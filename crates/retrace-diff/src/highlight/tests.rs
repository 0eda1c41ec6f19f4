use super::*;
use proptest::prelude::*;
use std::fmt::Write as _;

fn unlimited() -> HighlightOptions {
    HighlightOptions { time_limit: None, ..HighlightOptions::default() }
}

fn syntax(file: &str) -> Syntax {
    syntax_for(file, "").expect("a known file")
}

/// Each line with its classes: `class(text)`, plain text bare.
fn rendered(file: &str, text: &str) -> String {
    let mut shown = String::new();
    let spans = highlight_with(text, syntax(file), &unlimited());
    for (line, spans) in text.split('\n').zip(spans) {
        for Span { range, class } in spans {
            let part = &line[range];
            match class {
                SpanClass::Plain => shown.push_str(part),
                class => write!(shown, "{}({part})", class.as_str()).expect("a String takes all"),
            }
        }
        shown.push('\n');
    }
    shown
}

#[test]
fn markdown() {
    let text = "---\nname: deploy\ntags: [a, 1]\n---\n# Title *now*\n\nSome *em* and **strong** `code` [text](http://x.y).\n\n- one\n  1. **two**\n\n> said *so*\n\n```rust\nlet x = 1; // c\n```\n## After\n~~~\nplain <b>\n~~~\n\n<!-- hidden -->\n<b class=\"x\">html</b>\n";
    insta::assert_snapshot!("markdown", rendered("a.md", text));
}

#[test]
fn data_formats() {
    insta::assert_snapshot!("json", rendered("a.json", "{\"a\": [1, true, \"x\\n\"], \"b\": null}\n"));
    insta::assert_snapshot!(
        "yaml",
        rendered("a.yaml", "name: x # c\nlist:\n  - a: 1\n  - \"q\"\nd: 2026-01-01\nb: true\n")
    );
    let toml = "# c\n[package.metadata]\nname = \"a\\n\"\nversion.workspace = true\n[[bin]]\nn = [1, 2.5, 0xff, 'lit'] # c\nt = { a = 1, \"b\" = false }\nd = 2026-01-01T00:00:00Z\nm = \"\"\"\ntwo\nlines\"\"\"\nlist = [\n  \"a\", # c\n]\nend = 1\n";
    insta::assert_snapshot!("toml", rendered("a.toml", toml));
    insta::assert_snapshot!(
        "xml",
        rendered("a.xml", "<?xml version=\"1.0\"?>\n<a b=\"c\">t &amp; <!-- x --></a>\n")
    );
    insta::assert_snapshot!("patch", rendered("a.diff", "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z\n"));
}

#[test]
fn code() {
    for (file, text, expected) in [
        (
            "a.rs",
            "fn main() { let s = \"x\"; } // c",
            [SpanClass::Function, SpanClass::Keyword, SpanClass::Comment],
        ),
        ("a.py", "def f(x): return 'a' # c", [SpanClass::Function, SpanClass::String, SpanClass::Comment]),
        (
            "a.js",
            "function f() { return 'a'; } // c",
            [SpanClass::Function, SpanClass::String, SpanClass::Comment],
        ),
        ("a.ts", "const x = 'a'; // c", [SpanClass::Keyword, SpanClass::String, SpanClass::Comment]),
        (
            "a.go",
            "func f() string { return \"a\" } // c",
            [SpanClass::Function, SpanClass::String, SpanClass::Comment],
        ),
        (
            "a.java",
            "class A { int x = 1; } // c",
            [SpanClass::Keyword, SpanClass::Number, SpanClass::Comment],
        ),
        (
            "a.c",
            "int f(void) { return 1; } // c",
            [SpanClass::Function, SpanClass::Number, SpanClass::Comment],
        ),
        ("a.cpp", "int f() { return 1; } // c", [SpanClass::Function, SpanClass::Number, SpanClass::Comment]),
        (
            "a.sh",
            "if true; then echo \"a\"; fi # c",
            [SpanClass::Keyword, SpanClass::String, SpanClass::Comment],
        ),
        ("a.sql", "SELECT 1, 'a' -- c", [SpanClass::Keyword, SpanClass::String, SpanClass::Comment]),
        (
            "a.css",
            "a { color: red; width: 1px } /* c */",
            [SpanClass::Tag, SpanClass::Key, SpanClass::Comment],
        ),
        ("a.rb", "def f; 'a'; end # c", [SpanClass::Function, SpanClass::String, SpanClass::Comment]),
        (
            "a.php",
            "<?php function f() { return 'a'; } // c",
            [SpanClass::Function, SpanClass::String, SpanClass::Comment],
        ),
        (
            "a.html",
            "<a href=\"x\">y</a><!-- c -->",
            [SpanClass::Tag, SpanClass::Attribute, SpanClass::Comment],
        ),
    ] {
        let spans = highlight_with(text, syntax(file), &unlimited());
        for class in expected {
            assert!(spans[0].iter().any(|span| span.class == class), "{file}: no {class:?} in {spans:?}");
        }
    }
}

#[test]
fn limits_leave_lines_without_spans() {
    let text = "# a\nb\n";
    let small = HighlightOptions { max_bytes: 5, ..unlimited() };
    assert_eq!(highlight_with(text, syntax("a.md"), &small), [vec![], vec![]]);
    let late = HighlightOptions { time_limit: Some(Duration::ZERO), ..unlimited() };
    assert_eq!(highlight_with(text, syntax("a.md"), &late), [vec![], vec![]]);
    let narrow = HighlightOptions { max_line_bytes: 2, ..unlimited() };
    let spans = highlight_with(text, syntax("a.md"), &narrow);
    assert_eq!(spans, [vec![], vec![Span { range: 0..1, class: SpanClass::Plain }]]);
}

#[test]
fn lines_are_counted_as_everywhere() {
    for text in ["", "a", "a\n", "a\r\nb", "\n\n", "a\rb\n"] {
        let spans = highlight_with(text, syntax("a.md"), &unlimited());
        assert_eq!(spans.len(), crate::text_lines(text.as_bytes()).expect("text").len(), "{text:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn spans_cover_their_lines(
        text in "([#*_`~>\\-\\[\\]()<>!&;:=\"'/\\\\{} 0-9a-zé日\u{200b}\n\r]|---\n|```rust\n|```\n|<!--|-->|/\\*|\"\"\"){0,60}",
        file in prop::sample::select(vec![
            "a.md", "a.json", "a.yaml", "a.toml", "a.xml", "a.html", "a.diff", "a.rs", "a.py", "a.js", "a.sh", "a.php", "a.rb", "a.css",
        ]),
    ) {
        let lines = crate::text_lines(text.as_bytes()).expect("text");
        let spans = highlight_with(&text, syntax(file), &unlimited());
        prop_assert_eq!(spans.len(), lines.len());
        for (line, spans) in lines.iter().zip(spans) {
            let mut at = 0;
            for span in &spans {
                prop_assert_eq!(span.range.start, at);
                prop_assert!(line.text.get(span.range.clone()).is_some_and(|part| !part.is_empty()));
                at = span.range.end;
            }
            prop_assert_eq!(at, line.text.len(), "{:?}", line.text);
            prop_assert!(spans.windows(2).all(|pair| pair[0].class != pair[1].class));
        }
    }
}
