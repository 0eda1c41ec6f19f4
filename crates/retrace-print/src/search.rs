//! Hits of a search, as grep prints them.

use super::names::Names;
use super::time::time;
use super::version::named;
use super::{Style, visible};
use retrace_api::wire::Hit;
use std::io::{Result, Write};

/// `STORE:PATH:LINE:SNIPPET`; in history with the version that brought the words in.
pub fn hit(
    out: &mut (impl Write + ?Sized),
    hit: &Hit,
    names: &Names,
    history: bool,
    style: Style,
) -> Result<()> {
    let paint = style.paint;
    let place = names.place(&hit.store_id, hit.path.as_deref());
    if history {
        let version = format!("{} {}", named(&hit.version_id, style), time(&hit.created_at, style));
        write!(out, "{}  ", paint.dim(&version))?;
    }
    writeln!(
        out,
        "{}:{}:{}",
        paint.cyan(&place),
        paint.green(&hit.line.to_string()),
        snippet(&hit.snippet, &hit.matches, style)
    )
}

/// The snippet with its matches marked. Positions count characters; what lies outside the snippet is left out.
fn snippet(text: &str, matches: &[(u32, u32)], style: Style) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut printed = String::new();
    let mut at = 0;
    let stretch = |from: usize, to: usize| {
        let part: String = letters[from..to].iter().collect();
        visible::line_in(&part, style.paint)
    };
    for (start, end) in matches {
        let start = (*start as usize).clamp(at, letters.len());
        let end = (*end as usize).clamp(start, letters.len());
        printed.push_str(&stretch(at, start));
        printed.push_str(&style.paint.bold(&style.paint.red(&stretch(start, end))));
        at = end;
    }
    printed.push_str(&stretch(at, letters.len()));
    printed
}
