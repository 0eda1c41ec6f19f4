//! Imports in Claude Code's instruction files, and what is taken out of one before it is loaded. Text in, text out.
//!
//! The client reads a file as Markdown and takes `@path` only from running text. Seen with 2.1.330 on some 80 forms of it.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::borrow::Cow;
use std::ops::Range;

/// An import as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Import {
    /// The path, without the sign before it.
    pub(super) target: String,
    /// Its line, from 1.
    pub(super) line: usize,
    /// It can only be meant as a path: it begins as one or has an ending. `@name` is a mention unless a file has that name.
    pub(super) is_path: bool,
}

/// Most imports of one file that are looked at.
pub(super) const MAX_IMPORTS: usize = 1_000;

const MARK: char = '\u{feff}';

/// The imports outside code and comments, in the order of the text. A text in an item of a list is looked at as it is written
/// too: there code and comments count.
pub(super) fn imports(text: &str) -> Vec<Import> {
    let before = text.len() - without_front_matter(text).len();
    let text = with_line_feeds(text);
    let body = &text[before..];
    let (running, written) = running_text(body);
    let mut named: Vec<(usize, String, bool)> = Vec::new();
    for (ranges, is_running) in [(running, true), (written, false)] {
        for range in ranges {
            let from = range.start;
            let targets = imports_of(&body[range]).map(|(at, target)| (from + at, target, is_running));
            named.extend(targets.take(MAX_IMPORTS));
        }
    }
    // What is found both ways counts as running text.
    named.sort_by_key(|(at, _, is_running)| (*at, !is_running));
    named.dedup_by_key(|(at, ..)| *at);
    named.truncate(MAX_IMPORTS);
    let (mut line, mut counted) = (1, 0);
    let import = |(at, target, is_running): (usize, String, bool)| {
        let place = before + at;
        line += text.as_bytes()[counted..place].iter().filter(|byte| **byte == b'\n').count();
        counted = place;
        // An example in code is not missed.
        Import { is_path: is_running && is_path(&target), target, line }
    };
    named.into_iter().map(import).collect()
}

/// The text with a line feed for each carriage return that stands alone, as the client reads it: of the same length.
fn with_line_feeds(text: &str) -> Cow<'_, str> {
    let is_alone = |at: usize| text.as_bytes().get(at + 1) != Some(&b'\n');
    if !text.match_indices('\r').any(|(at, _)| is_alone(at)) {
        return Cow::Borrowed(text);
    }
    let replaced = |(at, letter): (usize, char)| if letter == '\r' && is_alone(at) { '\n' } else { letter };
    Cow::Owned(text.char_indices().map(replaced).collect())
}

/// The text as it is loaded: without its front matter and block comments, and without white space around it.
pub(super) fn loaded(text: &str) -> String {
    let body = without_front_matter(text);
    let mut kept = String::with_capacity(body.len());
    let mut at = 0;
    // Where a comment is taken out, the ends of lines are put in one form.
    let unix = match body.contains("<!--") && body.contains('\r') {
        true => Cow::Owned(body.replace("\r\n", "\n").replace('\r', "\n")),
        false => Cow::Borrowed(body),
    };
    let blocks = if unix.contains("<!--") { comment_blocks(&unix) } else { Vec::new() };
    let body = if blocks.is_empty() { body } else { unix.as_ref() };
    for range in blocks {
        kept.push_str(&body[at..range.start]);
        let rest = without_comments(&body[range.clone()]);
        if !rest.trim().is_empty() {
            kept.push_str(&rest);
        }
        at = range.end;
    }
    kept.push_str(&body[at..]);
    kept.trim_matches(|letter: char| letter.is_whitespace() || letter == MARK).to_owned()
}

/// The text after its front matter, which begins on the first line.
pub(super) fn without_front_matter(text: &str) -> &str {
    let text = text.strip_prefix(MARK).unwrap_or(text);
    super::rule::front_matter(text).map_or(text, |(_, rest)| rest)
}

/// The blocks of HTML that begin as comments, each with the empty lines after it. Blocks within others (a list, a quotation)
/// stay as they are.
fn comment_blocks(text: &str) -> Vec<Range<usize>> {
    let mut blocks = Vec::new();
    let mut depth = 0usize;
    for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        match event {
            Event::Start(Tag::HtmlBlock)
                if depth == 0 && text[range.clone()].trim_start().starts_with("<!--") =>
            {
                let after = &text[range.end..];
                let feeds = after.len() - after.trim_start_matches(['\n', '\r']).len();
                blocks.push(range.start..range.end + feeds);
                depth += 1;
            }
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    blocks
}

/// A block of HTML without the comments in it. One that is never closed goes on to the end.
fn without_comments(block: &str) -> String {
    let mut left = String::new();
    let mut rest = block;
    while let Some(open) = rest.find("<!--") {
        left.push_str(&rest[..open]);
        match rest[open + 4..].find("-->") {
            Some(end) => rest = &rest[open + 4 + end + 3..],
            None => return left,
        }
    }
    left.push_str(rest);
    left
}

/// What an event of the parser stands in.
#[derive(Clone, Copy, PartialEq)]
enum Inside {
    Item,
    Block,
    Inline,
}

/// Texts that stand in an item of a list with nothing but markup of words around them.
#[derive(Default)]
struct Written {
    found: Vec<Range<usize>>,
    open: Option<Range<usize>>,
    inside: Vec<Inside>,
}

impl Written {
    fn see(&mut self, event: &Event<'_>, range: &Range<usize>) {
        let in_item = self.inside.last() == Some(&Inside::Item);
        let kind = match event {
            Event::Start(Tag::Item) => Inside::Item,
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Link { .. } | Tag::Image { .. }) => {
                Inside::Inline
            }
            Event::Start(_) | Event::End(TagEnd::Item) | Event::Rule => Inside::Block,
            _ => Inside::Inline,
        };
        if kind != Inside::Inline {
            self.found.extend(self.open.take());
        }
        match event {
            Event::Start(Tag::Paragraph) if in_item => self.found.push(range.clone()),
            Event::End(_) => {}
            _ if in_item && kind == Inside::Inline => match &mut self.open {
                Some(open) => open.end = open.end.max(range.end),
                None => self.open = Some(range.clone()),
            },
            _ => {}
        }
        match event {
            Event::Start(_) => self.inside.push(kind),
            Event::End(_) => _ = self.inside.pop(),
            _ => {}
        }
    }
}

/// Pieces of running text, each of which the client looks at by itself: an escaped letter ends one, and so does markup. Then
/// the texts in items of lists, as they are written.
fn running_text(text: &str) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let mut written = Written::default();
    let mut pieces: Vec<Range<usize>> = Vec::new();
    let (mut images, mut code, mut html) = (0usize, false, None::<Range<usize>>);
    let mut is_open = false;
    for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        written.see(&event, &range);
        match event {
            Event::Text(_) if images > 0 || code => {}
            Event::Text(_) => {
                let mut range = range;
                if range.start > 0 && text.as_bytes()[range.start - 1] == b'\\' {
                    range.start += text[range.start..].chars().next().map_or(0, char::len_utf8);
                    is_open = false;
                }
                match pieces.last_mut() {
                    Some(last) if is_open && last.end == range.start => last.end = range.end,
                    _ => pieces.push(range),
                }
                is_open = true;
                continue;
            }
            Event::Start(Tag::Image { .. }) => images += 1,
            Event::End(TagEnd::Image) => images = images.saturating_sub(1),
            Event::Start(Tag::CodeBlock(_)) => code = true,
            Event::End(TagEnd::CodeBlock) => code = false,
            Event::Start(Tag::HtmlBlock) => html = Some(range),
            Event::End(TagEnd::HtmlBlock) => {
                pieces.extend(html.take().into_iter().flat_map(|block| after_comments(text, block)));
            }
            _ => {}
        }
        is_open = false;
    }
    (pieces, written.found)
}

/// What stands between and after the comments of a block that begins as one; nothing of any other block.
fn after_comments(text: &str, block: Range<usize>) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut at = block.start;
    if !text[block.clone()].trim_start().starts_with("<!--") {
        return pieces;
    }
    while let Some(open) = text[at..block.end].find("<!--") {
        pieces.push(at..at + open);
        match text[at + open + 4..block.end].find("-->") {
            Some(end) => at += open + 4 + end + 3,
            None => return pieces,
        }
    }
    pieces.push(at..block.end);
    pieces
}

/// The imports of a piece of running text, with the place of each sign.
fn imports_of(piece: &str) -> impl Iterator<Item = (usize, String)> {
    piece.match_indices('@').filter_map(|(at, _)| {
        let before = piece[..at].chars().next_back();
        if before.is_some_and(|letter| !letter.is_whitespace() && letter != MARK) {
            return None;
        }
        Some((at, target(&piece[at + 1..])?))
    })
}

/// The path at the start of `text`: up to white space that is not escaped. What follows `#` is a place in the file.
fn target(text: &str) -> Option<String> {
    let mut path = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.peek() == Some(&' ') => path.extend(letters.next()),
            '\\' => break,
            letter if letter.is_whitespace() || letter == MARK => break,
            letter => path.push(letter),
        }
    }
    let path = path.split('#').next().unwrap_or_default();
    let begins = path.starts_with(|letter: char| letter.is_ascii_alphanumeric() || "._~/-".contains(letter));
    (begins && path != "/").then(|| path.to_owned())
}

fn is_path(target: &str) -> bool {
    let name = target.rsplit('/').next().unwrap_or(target);
    let has_ending = name.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && (1..=8).contains(&ending.len())
            && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
    });
    has_ending || ["./", "../", "~/", "/"].iter().any(|start| target.starts_with(start))
}

/// True if a file of that name is imported: it has no ending, or that of a text the client knows.
pub(super) fn is_text(name: &str) -> bool {
    let Some((stem, ending)) = name.rsplit_once('.') else { return true };
    stem.is_empty() || TEXT_ENDINGS.contains(&ending.to_ascii_lowercase().as_str())
}

/// Of 250 endings that were tried with 2.1.330, those whose files were imported.
const TEXT_ENDINGS: &[&str] = &[
    "adoc",
    "asciidoc",
    "bash",
    "bat",
    "c",
    "cc",
    "cfg",
    "cjs",
    "clj",
    "cljc",
    "cljs",
    "cmake",
    "cmd",
    "conf",
    "config",
    "cpp",
    "cs",
    "css",
    "csv",
    "cts",
    "cxx",
    "dart",
    "diff",
    "edn",
    "ejs",
    "elm",
    "env",
    "erb",
    "erl",
    "ex",
    "exs",
    "f",
    "f90",
    "f95",
    "fish",
    "for",
    "go",
    "gql",
    "gradle",
    "graphql",
    "h",
    "hbs",
    "hpp",
    "hrl",
    "hs",
    "htm",
    "html",
    "hxx",
    "ini",
    "jade",
    "java",
    "js",
    "json",
    "jsx",
    "kt",
    "kts",
    "latex",
    "less",
    "lhs",
    "lock",
    "log",
    "lua",
    "make",
    "makefile",
    "md",
    "mjs",
    "ml",
    "mli",
    "mts",
    "org",
    "patch",
    "php",
    "pl",
    "pm",
    "properties",
    "proto",
    "ps1",
    "pug",
    "py",
    "pyi",
    "pyw",
    "r",
    "rake",
    "rb",
    "rs",
    "rst",
    "sass",
    "sbt",
    "scala",
    "scss",
    "sh",
    "sql",
    "svelte",
    "swift",
    "tex",
    "text",
    "toml",
    "ts",
    "tsx",
    "txt",
    "vue",
    "xml",
    "yaml",
    "yml",
    "astro",
    "zsh",
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn targets(text: &str) -> Vec<String> {
        imports(text).into_iter().map(|import| import.target).collect()
    }

    #[test]
    fn imports_stand_in_running_text() {
        let text = "---\na: @front.md\n---\nSee @docs/build.md and @~/notes.md but\n\
                    Not `@code.md`, not a@mail.example, not @@twice, not (@up.md).\n\
                    ```sh\n@fenced.md\n```\n\
                    <!-- @hidden.md\n@more.md --> @after.md\n\n\
                    @with\\ space.md#part\n- @name asked for it\n";
        let expected = ["docs/build.md", "~/notes.md", "after.md", "with space.md", "name"];
        assert_eq!(targets(text), expected);
        let paths: Vec<bool> = imports(text).into_iter().map(|import| import.is_path).collect();
        assert_eq!(paths, [true, true, true, true, false]);
        assert_eq!(
            imports(text).into_iter().map(|import| import.line).collect::<Vec<_>>(),
            [4, 4, 10, 12, 13]
        );
    }

    /// As Claude Code 2.1.330 does with each of them.
    #[test]
    fn forms_that_are_imports_and_forms_that_are_not() {
        for text in [
            "**@p.md**",
            "*@p.md*",
            "[@p.md](y)",
            "> @p.md",
            "| @p.md | a |",
            "<b>@p.md</b>",
            "x <b>@p.md</b>",
            "- a\n    @p.md",
            "1. @p.md",
            "## x @p.md ##",
            "@p.md\n===",
            "`a @p.md",
            "a\\`@p.md\\`",
            "@p.md -->",
            "<!-- a --> @p.md",
            "<!-- a -->\n@p.md",
            "@p.md\\\n",
            "@p.md#a#b",
            "\u{3000}@p.md",
            "- [ ] @p.md",
            "_@p.md_",
            "<p>\n\n@p.md",
            "x\n```\n@q\n```\n@p.md",
        ] {
            assert!(targets(text).contains(&"p.md".to_owned()), "{text:?}: {:?}", targets(text));
        }
        for text in [
            "(@p.md)",
            "\"@p.md\"",
            "see @p.md, and",
            "see @p.md.",
            "@p.md:",
            "a/@p.md",
            "~~@p.md~~",
            "[@p.md]",
            "[x](@p.md)",
            "<div>@p.md</div>",
            "    @p.md",
            "\t@p.md",
            "- a\n\n      @p.md",
            "``a` @p.md``",
            "` @p.md\nb`",
            "~~~\n@p.md\n~~~",
            "```\n@p.md",
            "a\n<!-- x\n\n@p.md -->",
            "a <!-- x\n@p.md -->",
            "<script>\n@p.md\n</script>",
            "\\@p.md",
            "@p.md)",
            "a@p.md",
            "@@p.md",
            "@p.md@x",
            "![@p.md](x)",
            "<@p.md>",
            "&#64;p.md",
            "@#p.md",
            "---\nx: @p.md\n---\n",
            "[a]: @p.md",
            "<!-- a --><!-- @p.md -->",
            "@p.md's",
            "<a href='@p.md'>x</a>",
            "<!-- a -- @p.md --> b",
        ] {
            assert!(!targets(text).contains(&"p.md".to_owned()), "{text:?}");
        }
    }

    #[test]
    fn a_text_in_an_item_of_a_list_is_looked_at_as_it_is_written() {
        for text in [
            "- x <!-- @p.md -->",
            "1. x\na <!-- @p.md --> b",
            "- x `y @p.md z`",
            "- x ![y @p.md w](z)",
            "- x\n\n  para `y @p.md z`\n\n- z",
            "- a\n  - b `y @p.md z`",
            "- a\n  - b\n\n    p `y @p.md z`",
            "- ``\n  @p.md\n  ``",
            "- x [y](z @p.md w)",
            "- x <a title='b @p.md c'>",
            "> - x <!-- @p.md -->",
            "- x **y @p.md",
        ] {
            assert_eq!(targets(text), ["p.md"], "{text:?}");
        }
        for text in [
            "> q `y @p.md z`",
            "- > q <!-- @p.md -->",
            "- # h `y @p.md z`",
            "- x\n  <!-- @p.md -->",
            "- a\n\n      y @p.md z",
            "- x\n  ```\n  @p.md\n  ```",
            "- a\nlazy\n<!-- @p.md -->",
            "- s `b @p.md c`\n  ---",
            "- x <!-- \\@p.md -->",
        ] {
            assert_eq!(targets(text), [""; 0], "{text:?}");
        }
    }

    #[test]
    fn a_carriage_return_alone_ends_a_line() {
        let text = "m\r@sp\\ ace/i.md\rp @a.md\r```\r@b.md\r```\rc <!-- @c.md -->\r- l\r@d.md\r\r    @e.md\r\r~~~\r@f.md";
        assert_eq!(targets(text), ["sp ace/i.md", "a.md", "d.md", "e.md"]);
        assert_eq!(imports("x\r\ry @a.md\r\n@b.md").iter().map(|one| one.line).collect::<Vec<_>>(), [3, 4]);
        assert_eq!(loaded("a\r\r<!-- b -->\rc"), "a\n\nc");
    }

    #[test]
    fn front_matter_and_block_comments_are_taken_out() {
        assert_eq!(loaded("a\n<!-- b\nc -->\nd <!-- e -->\n"), "a\nd <!-- e -->");
        assert_eq!(loaded("```\n<!-- kept -->\n```\n"), "```\n<!-- kept -->\n```");
        assert_eq!(loaded("a\n\n<!-- m\nn -->\n\nd\n<!-- z --> tail\n"), "a\n\nd\n tail");
        assert_eq!(loaded("---\na: b\n---\n\n  lead\n---\nc\n"), "lead\n---\nc");
        assert_eq!(loaded("<!-- only -->\n"), "");
        assert_eq!(loaded("a\r\nb\r\n"), "a\r\nb");
        assert_eq!(loaded("a\r\n<!-- b -->\r\nc\r\n"), "a\nc");
    }

    #[test]
    fn endings_of_texts() {
        for name in ["a.md", "A.MD", "noext", ".env", "x.rs"] {
            assert!(is_text(name), "{name}");
        }
        assert!(!is_text("a.png") && !is_text("a.mdx") && !is_text("x.jsonl"));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "([`@~ a./\\\\<>!-]|-->|<!--|é|\n){0,80}") {
            let _ = imports(&text);
            prop_assert!(loaded(&text).len() <= text.len());
        }
    }
}
