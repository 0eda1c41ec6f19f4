//! Differences in git's form.

use super::document::{mark, marks};
use super::{Style, count, layout, short_hash, visible};
use retrace_api::wire::{
    DiffLine, DiffSide, Document, DocumentLine, FileChange, FileDiff, Hunk, LineTag, StoreDiff,
    VersionOperation,
};
use std::io::{Result, Write};
use unicode_width::UnicodeWidthStr as _;

/// Widest bar of `--stat`.
const BAR: u64 = 40;

/// The difference of two contents as a unified diff.
pub fn file(out: &mut (impl Write + ?Sized), diff: &FileDiff, style: Style) -> Result<()> {
    let paint = style.paint;
    let same = diff.from.content_sha256 == diff.to.content_sha256 && diff.from.path == diff.to.path;
    if same && diff.from.content_sha256.is_some() {
        return Ok(());
    }
    for (sign, side) in [("---", &diff.from), ("+++", &diff.to)] {
        writeln!(out, "{}", paint.bold(&format!("{sign} {}", side_name(side))))?;
    }
    if diff.from.redacted || diff.to.redacted {
        return writeln!(out, "A side was redacted; there is nothing left to compare.");
    }
    if diff.binary {
        let (from, to) = (&diff.from.content_sha256, &diff.to.content_sha256);
        return writeln!(
            out,
            "Binary contents differ: {} → {}",
            short_hash(from.as_deref()),
            short_hash(to.as_deref())
        );
    }
    hunks(out, diff, style)
}

/// The lines of it, without the names of the sides.
pub fn hunks(out: &mut (impl Write + ?Sized), diff: &FileDiff, style: Style) -> Result<()> {
    for one in &diff.hunks {
        hunk(out, one, style)?;
    }
    if diff.truncated {
        let why = "(right, but perhaps not the smallest difference: it took too long)";
        writeln!(out, "{}", style.paint.yellow(why))?;
    }
    Ok(())
}

/// A side in the header: what git would call it, then which version it is.
fn side_name(side: &DiffSide) -> String {
    let name = match (&side.path, &side.content_sha256) {
        (_, None) if !side.redacted => return "/dev/null".to_owned(),
        (Some(path), _) => path.as_str(),
        (None, _) => "(redacted)",
    };
    // A target without a version is a file on disk: the path says which.
    let which = match &side.version_id {
        Some(version) => version,
        None if side.target.ends_with(name) => "live",
        None => &side.target,
    };
    format!("{}\t{}", visible::line(name), visible::line(which))
}

fn hunk(out: &mut (impl Write + ?Sized), hunk: &Hunk, style: Style) -> Result<()> {
    let range =
        |start: u32, lines: u32| if lines == 1 { start.to_string() } else { format!("{start},{lines}") };
    let (old, new) = (range(hunk.old_start, hunk.old_lines), range(hunk.new_start, hunk.new_lines));
    writeln!(out, "{}", style.paint.cyan(&format!("@@ -{old} +{new} @@")))?;
    for one in &hunk.lines {
        line(out, one, style)?;
    }
    Ok(())
}

fn line(out: &mut (impl Write + ?Sized), line: &DiffLine, style: Style) -> Result<()> {
    let paint = style.paint;
    let (sign, colour): (char, fn(super::paint::Paint, &str) -> String) = match line.tag.as_str() {
        "insert" => ('+', super::paint::Paint::green),
        "delete" => ('-', super::paint::Paint::red),
        _ => (' ', |_, text| text.to_owned()),
    };
    writeln!(out, "{}", colour(paint, &format!("{sign}{}", text(line, style))))?;
    if line.no_newline {
        writeln!(out, "\\ No newline at end of file")?;
    }
    Ok(())
}

/// The text of a line with changed words and hidden characters marked. With colours words stand in reverse video and
/// hidden characters in reverse video and magenta; without, words stand in `[-…-]` and `{+…+}`.
fn text(line: &DiffLine, style: Style) -> String {
    let colours = style.paint.is_on();
    let marks = marks(&line.hidden);
    // Each word is passed once: a line may have as many as characters.
    let mut words: Vec<(usize, usize)> =
        line.words.iter().map(|(start, end)| (*start as usize, *end as usize)).collect();
    words.sort_unstable();
    let mut words = words.into_iter().peekable();
    let mut changed = |at: usize| {
        while words.next_if(|(_, end)| *end <= at).is_some() {}
        words.peek().is_some_and(|(start, _)| *start <= at)
    };
    let (open, close) = match (colours, line.tag.as_str()) {
        (true, _) => ("\x1b[7m", "\x1b[27m"),
        (false, "insert") => ("{+", "+}"),
        (false, _) => ("[-", "-]"),
    };
    let mut printed = String::with_capacity(line.text.len());
    let mut inside = false;
    for (at, letter) in line.text.chars().enumerate() {
        if changed(at) != inside {
            printed.push_str(if inside { close } else { open });
            inside = !inside;
        }
        match mark(&marks, at, letter) {
            Some(mark) => printed.push_str(&hidden(&mark, inside, line, colours)),
            None => printed.push(letter),
        }
    }
    if inside {
        printed.push_str(close);
    }
    // A line end of another system is a change that would not be seen; on unchanged lines it is no news.
    if line.carriage_return && line.tag != "equal" {
        printed.push_str(&hidden(&visible::mark("U+000D"), false, line, colours));
    }
    printed
}

fn hidden(mark: &str, inside: bool, line: &DiffLine, colours: bool) -> String {
    if !colours {
        return mark.to_owned();
    }
    let back = match line.tag.as_str() {
        "insert" => "\x1b[32m",
        "delete" => "\x1b[31m",
        _ => "\x1b[39m",
    };
    let reverse = if inside { ("", "") } else { ("\x1b[7m", "\x1b[27m") };
    format!("{}\x1b[35m{mark}{back}{}", reverse.0, reverse.1)
}

/// A content that is on one side only, as a difference from nothing.
pub fn whole(document: &Document, target: &str, change: &FileChange) -> FileDiff {
    let created = change.operation == "created";
    let lines = u32::try_from(document.lines.len()).unwrap_or(u32::MAX);
    let side = |there: bool| DiffSide {
        target: if there { target.to_owned() } else { String::new() },
        store_id: None,
        version_id: None,
        path: there.then(|| change.path.clone()),
        content_sha256: if there { document.content_sha256.clone() } else { None },
        content_size_bytes: if there { document.content_size_bytes } else { None },
        redacted: false,
    };
    let line = |(number, line): (u32, &DocumentLine)| DiffLine {
        tag: if created { LineTag::Insert } else { LineTag::Delete },
        old: (!created).then_some(number),
        new: created.then_some(number),
        text: line.text.clone(),
        words: Vec::new(),
        hidden: line.hidden.clone(),
        spans: Vec::new(),
        no_newline: false,
        carriage_return: false,
    };
    let (old, new) = if created { (0, lines) } else { (lines, 0) };
    let hunk = Hunk {
        old_start: old.min(1),
        old_lines: old,
        new_start: new.min(1),
        new_lines: new,
        lines: (1..).zip(&document.lines).map(line).collect(),
    };
    FileDiff {
        live: document.live,
        from: side(!created),
        to: side(created),
        truncated: document.truncated,
        binary: false,
        added: u64::from(new),
        removed: u64::from(old),
        hunks: if lines == 0 { Vec::new() } else { vec![hunk] },
    }
}

/// The summary of one file's difference, as `git diff --stat`.
pub fn file_stat(out: &mut (impl Write + ?Sized), diff: &FileDiff, style: Style) -> Result<()> {
    let side = if diff.to.content_sha256.is_some() { &diff.to } else { &diff.from };
    let name = side.path.clone().unwrap_or_else(|| side.target.clone());
    if diff.added + diff.removed == 0 && diff.from.content_sha256 == diff.to.content_sha256 {
        return Ok(());
    }
    let operation = match (&diff.from.content_sha256, &diff.to.content_sha256) {
        (None, _) => VersionOperation::Created,
        (_, None) => VersionOperation::Deleted,
        _ => VersionOperation::Modified,
    };
    let change = FileChange {
        path: name,
        previous_path: None,
        operation,
        from_sha256: diff.from.content_sha256.clone(),
        to_sha256: diff.to.content_sha256.clone(),
        added: diff.added,
        removed: diff.removed,
        binary: diff.binary,
    };
    stat(out, &[change], style)
}

/// The difference of two states of a store: its files, and the lines that went from one to another.
pub fn store(out: &mut (impl Write + ?Sized), diff: &StoreDiff, style: Style) -> Result<()> {
    stat(out, &diff.files, style)?;
    for block in &diff.moves {
        writeln!(
            out,
            " {} moved from {}:{} to {}:{}",
            count(u64::from(block.lines), "line", "lines"),
            visible::line(&block.from_path),
            block.from_line,
            visible::line(&block.to_path),
            block.to_line,
        )?;
    }
    Ok(())
}

fn stat(out: &mut (impl Write + ?Sized), files: &[FileChange], style: Style) -> Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    let most = files.iter().map(|file| file.added + file.removed).max().unwrap_or_default();
    let digits = most.to_string().len();
    // Two thirds for names, as git does it; sign, bar and blanks around them take the rest.
    let room = style.columns.map(|columns| columns.saturating_sub(digits + 8));
    let longest = room.map_or(usize::MAX, |room| room - room / 3);
    let names: Vec<String> = files.iter().map(|file| layout::cut_middle(&name(file), longest)).collect();
    let width = names.iter().map(|name| name.width()).max().unwrap_or_default();
    let widest = room.map_or(BAR, |room| BAR.min(room.saturating_sub(width).max(2) as u64));
    for (name, file) in names.iter().zip(files) {
        let fill = " ".repeat(width - name.width());
        let (sign, amount) = (sign(file, style), file.added + file.removed);
        if file.binary {
            writeln!(out, " {sign} {name}{fill} | binary")?;
        } else {
            let line = format!(" {sign} {name}{fill} | {amount:>digits$} {}", bar(file, most, widest, style));
            writeln!(out, "{}", line.trim_end())?;
        }
    }
    let (added, removed) = files.iter().fold((0, 0), |sum, file| (sum.0 + file.added, sum.1 + file.removed));
    writeln!(
        out,
        " {} changed, {}, {}",
        count(files.len() as u64, "file", "files"),
        count(added, "insertion(+)", "insertions(+)"),
        count(removed, "deletion(-)", "deletions(-)"),
    )
}

fn name(file: &FileChange) -> String {
    match &file.previous_path {
        Some(before) => format!("{} → {}", visible::line(before), visible::line(&file.path)),
        None => visible::line(&file.path),
    }
}

fn sign(file: &FileChange, style: Style) -> String {
    match file.operation.as_str() {
        _ if file.previous_path.is_some() => style.paint.cyan("→"),
        "created" => style.paint.green("+"),
        "deleted" => style.paint.red("-"),
        _ => style.paint.yellow("~"),
    }
}

/// A bar whose length says how much changed; what changed at all has at least one sign.
fn bar(file: &FileChange, most: u64, widest: u64, style: Style) -> String {
    let scale = |lines: u64| if most <= widest { lines } else { (lines * widest).div_ceil(most) };
    let signs = |sign: &str, lines| sign.repeat(usize::try_from(scale(lines)).unwrap_or_default());
    format!("{}{}", style.paint.green(&signs("+", file.added)), style.paint.red(&signs("-", file.removed)))
}
