//! Facts of one memory without checking it: where its text begins, and which files it links to.

use crate::front_matter::front_matter;
use crate::links;
use crate::markdown::Code;
use crate::paths::resolve;
use crate::text::Text;
use std::ops::Range;

/// A Markdown link to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileLink {
    /// Where its path stands in the content, without an anchor.
    pub written: Range<usize>,
    /// Its line, from 1.
    pub line: u32,
    /// The path below the directory it leads to; `None` when it leads out of it.
    pub leads: Option<String>,
}

/// The Markdown links of the memory at `path` that could lead to files, in order; those in code are none.
#[must_use]
pub fn file_links(path: &str, bytes: &[u8]) -> Vec<FileLink> {
    let text = Text::new(bytes);
    let code = Code::of(&text);
    links::targets(text.as_str(), &code)
        .into_iter()
        .map(|(written, target)| FileLink {
            line: text.position(written.start).line,
            leads: resolve(path, &target),
            written,
        })
        .collect()
}

/// The first byte after the front matter; 0 without one.
#[must_use]
pub fn body_start(bytes: &[u8]) -> usize {
    front_matter(Text::new(bytes).as_str()).map_or(0, |found| found.whole.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_with_their_places() {
        let text = "---\nname: x\n---\n- [A](a.md#part) `[b](b.md)`\n- [C](../c.md) [D](d%20e.md)\n";
        let links = file_links("sub/MEMORY.md", text.as_bytes());
        let reported: Vec<_> = links
            .iter()
            .map(|link| (&text[link.written.clone()], link.line, link.leads.as_deref()))
            .collect();
        assert_eq!(
            reported,
            [
                ("a.md", 4, Some("sub/a.md")),
                ("../c.md", 5, Some("c.md")),
                ("d%20e.md", 5, Some("sub/d e.md"))
            ]
        );
        assert_eq!(file_links("MEMORY.md", b"[x](../x.md)")[0].leads, None);
        assert_eq!((body_start(text.as_bytes()), body_start(b"# x")), (16, 0));
    }
}
