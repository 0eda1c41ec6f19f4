//! History from before the app was there, and who wrote each line.

use super::time::{instant, time};
use super::version::actor;
use super::{Style, count, visible};
use retrace_api::wire::{Blame, BlameVersion, ExportedStore, ImportResult};
use std::io::{Result, Write};
use unicode_width::UnicodeWidthStr as _;

/// Files named below what an import did.
const FILES: usize = 10;

/// Characters of a session's or another id that is not a name.
const SHORT: usize = 8;

/// Characters of who wrote a line.
const WHO: usize = 24;
/// Most of them: ids that begin with the time need more.
const LONGEST_WHO: usize = 48;

/// Prints the result of an import.
pub fn imported(out: &mut (impl Write + ?Sized), done: &ImportResult, style: Style) -> Result<()> {
    let store = visible::line(&done.store);
    let from = visible::line(&done.from);
    let versions = count(done.versions, "version", "versions");
    let memories = count(done.memories, "memory", "memories");
    match (done.dry_run, done.operation_seq, done.versions) {
        (_, _, 0) => writeln!(out, "{store}: nothing new in {from}.")?,
        (true, ..) => writeln!(out, "{store}: {versions} of {memories} would come in from {from}.")?,
        (false, Some(seq), _) => {
            writeln!(out, "{store}: {versions} of {memories} came in from {from}, as operation {seq}.")?;
        }
        (false, None, _) => {}
    }
    if let (Some(first), Some(last)) = (&done.first_at, &done.last_at) {
        let found = count(done.found, "version", "versions");
        writeln!(out, "  found: {found}, {} to {}", instant(first, style.zone), instant(last, style.zone))?;
    }
    for (number, why) in [
        (done.known, "known already or redacted"),
        (done.observed, "observed by then"),
        (done.unchanged, "the same as the one before"),
    ] {
        if number > 0 {
            writeln!(out, "  left out, {why}: {number}")?;
        }
    }
    for file in done.files.iter().take(FILES) {
        writeln!(out, "  {}  {}", visible::line(&file.path), count(file.versions, "version", "versions"))?;
    }
    if done.files.len() > FILES {
        writeln!(out, "  and {} more", count((done.files.len() - FILES) as u64, "file", "files"))?;
    }
    for warning in &done.warnings {
        writeln!(out, "  {}", style.paint.yellow(&visible::line(warning)))?;
    }
    Ok(())
}

/// Prints the result of an export.
pub fn exported(out: &mut (impl Write + ?Sized), done: &ExportedStore, style: Style) -> Result<()> {
    let what = if done.kind == "bundle" {
        count(done.written, "version", "versions")
    } else {
        count(done.written, "file", "files")
    };
    writeln!(out, "{what}, {}: {}", count(done.bytes, "byte", "bytes"), visible::line(&done.to))?;
    for warning in &done.warnings {
        writeln!(out, "  {}", style.paint.yellow(&visible::line(warning)))?;
    }
    Ok(())
}

/// Who wrote each line.
pub fn blame(out: &mut (impl Write + ?Sized), blame: &Blame, style: Style) -> Result<()> {
    let heads: Vec<String> = blame.versions.iter().map(|version| head(version, blame, style)).collect();
    let width = heads.iter().map(|head| head.width()).max().unwrap_or(0);
    let digits = blame.lines.len().to_string().len();
    for line in &blame.lines {
        let (mark, head) = match line.version.and_then(|place| heads.get(place as usize)) {
            Some(head) => (if line.or_before { "<" } else { " " }, head.as_str()),
            None => (" ", "not recorded yet"),
        };
        writeln!(
            out,
            "{}{} {}  {}",
            style.paint.dim(mark),
            style.paint.dim(&format!("{head}{}", " ".repeat(width.saturating_sub(head.width())))),
            style.paint.yellow(&format!("{:>digits$}", line.line)),
            visible::line_in(&line.text, style.paint)
        )?;
    }
    if blame.truncated {
        writeln!(out, "There are more lines than these.")?;
    }
    Ok(())
}

/// A version in short: its number, who, when, and where the lines moved from.
fn head(version: &BlameVersion, blame: &Blame, style: Style) -> String {
    let who = match &version.origin {
        Some(origin) if origin.session_id.is_some() => {
            let id = origin.session_id.as_deref().unwrap_or_default();
            let likely = match origin.confidence.as_str() {
                "stated" | "exact_content" => "",
                _ => "likely ",
            };
            let turn = origin.turn.map(|turn| format!(" turn {turn}")).unwrap_or_default();
            format!("{likely}session {}{turn}", short(id, blame))
        }
        _ => actor(version.created_by.as_ref(), style),
    };
    let who: String = visible::line(&who).chars().take(LONGEST_WHO).collect();
    let rebuilt = if version.rebuilt { " rebuilt" } else { "" };
    let back = version.put_back.as_ref().map(|it| {
        let act = if it.came_back() { "came" } else { "put" };
        format!(" {act} back {}", time(&it.at, style))
    });
    let back = back.unwrap_or_default();
    let from =
        version.moved_from.as_deref().map(|path| format!(" {}", visible::line(path))).unwrap_or_default();
    format!("{:>5} {who:<WHO$} {}{rebuilt}{from}{back}", version.seq, time(&version.created_at, style))
}

/// The beginning of a session's id, as long as tells it from the other sessions here.
fn short<'i>(id: &'i str, blame: &Blame) -> &'i str {
    let others = blame.versions.iter().filter_map(|version| version.origin.as_ref()?.session_id.as_deref());
    let common = |other: &str| id.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    let shared = others.filter(|other| *other != id).map(common).max().unwrap_or(0);
    id.char_indices().nth(SHORT.max(shared + 1)).map_or(id, |(end, _)| &id[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use retrace_api::wire::{BlameLine, ContentKind, ImportSource, ImportedFile};

    fn printed(print: impl FnOnce(&mut Vec<u8>) -> Result<()>) -> String {
        let mut out = Vec::new();
        print(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn import() -> ImportResult {
        ImportResult {
            dry_run: false,
            operation_seq: Some(7),
            from: ImportSource::Git,
            store_id: "memstore_x".to_owned(),
            store: "notes".to_owned(),
            found: 5,
            versions: 3,
            memories: 1,
            known: 1,
            observed: 0,
            unchanged: 1,
            redacted: 0,
            redacted_paths: 0,
            redacted_files: Vec::new(),
            first_at: Some("2026-11-01T10:00:00Z".to_owned()),
            last_at: Some("2026-11-02T10:00:00Z".to_owned()),
            files: vec![ImportedFile { path: "a.md".to_owned(), versions: 5 }],
            warnings: vec![retrace_api::wire::Message::verbatim(
                "Left out because they are above 10 MiB: 1.",
            )],
        }
    }

    #[test]
    fn an_import_says_what_came_in_and_what_did_not() {
        insta::assert_snapshot!(printed(|out| imported(out, &import(), Style::PLAIN)), @r"
        notes: 3 versions of 1 memory came in from git, as operation 7.
          found: 5 versions, 2026-11-01T10:00:00Z to 2026-11-02T10:00:00Z
          left out, known already or redacted: 1
          left out, the same as the one before: 1
          a.md  5 versions
          Left out because they are above 10 MiB: 1.
        ");
        let dry = ImportResult { dry_run: true, operation_seq: None, ..import() };
        assert!(
            printed(|out| imported(out, &dry, Style::PLAIN))
                .starts_with("notes: 3 versions of 1 memory would")
        );
        let none = ImportResult { versions: 0, operation_seq: None, ..import() };
        assert!(printed(|out| imported(out, &none, Style::PLAIN)).starts_with("notes: nothing new in git."));
    }

    #[test]
    fn a_line_says_who_wrote_it_and_from_where_it_came() {
        let version = BlameVersion {
            version_id: "memver_x".to_owned(),
            seq: 12,
            memory_id: "mem_x".to_owned(),
            path_then: Some("old.md".to_owned()),
            moved_from: Some("old.md".to_owned()),
            created_at: "2026-11-01T10:00:00Z".to_owned(),
            created_by: None,
            source: "import".to_owned(),
            rebuilt: true,
            note: None,
            origin: None,
            put_back: None,
        };
        let line = |line, version, or_before| BlameLine {
            line,
            text: format!("fact {line}"),
            version,
            line_then: line,
            or_before,
        };
        let summary = Blame {
            live: true,
            target: "notes:a.md".to_owned(),
            version_id: None,
            path: Some("a.md".to_owned()),
            kind: ContentKind::Text,
            lines: vec![line(1, Some(0), false), line(2, Some(0), true), line(3, None, false)],
            versions: vec![version],
            truncated: false,
        };
        insta::assert_snapshot!(printed(|out| blame(out, &summary, Style::PLAIN)), @r"
            12 unknown writer           2026-11-01T10:00:00Z rebuilt old.md 1  fact 1
        <   12 unknown writer           2026-11-01T10:00:00Z rebuilt old.md 2  fact 2
         not recorded yet                                                   3  fact 3
        ");
    }
}
