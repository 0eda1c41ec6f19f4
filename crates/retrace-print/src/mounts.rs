//! Prints the mounts of an attach list.

use super::table::{bytes, grouped};
use super::{Style, count, visible};
use retrace_api::wire::{MountPreview, MountProblem, Mounts};
use std::io::{Result, Write};

/// Each store with its largest files, what is wrong, then the sums.
pub fn mounts(out: &mut (impl Write + ?Sized), mounts: &Mounts, style: Style) -> Result<()> {
    mounts.mounts.iter().try_for_each(|mount| preview(out, mount, style))?;
    mounts.problems.iter().try_for_each(|problem| line(out, "", problem, style))?;
    writeln!(
        out,
        "{}: {} of files (counted offline), {} more in the system prompt (estimated)",
        count(mounts.mounts.len() as u64, "store", "stores"),
        count(mounts.tokens, "token", "tokens"),
        grouped(mounts.prompt_tokens)
    )
}

/// Files that are named of each store.
const NAMED: usize = 5;

fn preview(out: &mut (impl Write + ?Sized), mount: &MountPreview, style: Style) -> Result<()> {
    let path = mount.mount_path.as_deref().map_or_else(|| "(no path known)".to_owned(), visible::line);
    let assumed = if mount.mount_path_assumed { " (assumed)" } else { "" };
    let name = mount.name.as_deref().unwrap_or(&mount.memory_store_id);
    writeln!(
        out,
        "{}{assumed}  {}  {}",
        style.paint.bold(&path),
        visible::line(name),
        style.paint.dim(&visible::line(&mount.access))
    )?;
    writeln!(
        out,
        "  {}, {}, {}, {} of instructions",
        count(mount.files, "file", "files"),
        bytes(mount.bytes),
        count(mount.tokens, "token", "tokens"),
        count(mount.instructions_chars, "character", "characters"),
    )?;
    if mount.unreviewed > 0 {
        let many = count(mount.unreviewed, "change is", "changes are");
        writeln!(out, "  {} {many} not reviewed", style.paint.yellow("note:"))?;
    }
    for file in mount.largest.iter().take(NAMED) {
        let tokens =
            file.tokens.map_or_else(|| "no text".to_owned(), |tokens| format!("{} tokens", grouped(tokens)));
        writeln!(out, "    {}  {tokens}", visible::line(&file.path))?;
    }
    mount.problems.iter().try_for_each(|problem| line(out, "  ", problem, style))
}

fn line(out: &mut (impl Write + ?Sized), indent: &str, problem: &MountProblem, style: Style) -> Result<()> {
    let severity = match problem.severity.as_str() {
        "error" => style.paint.red("error:"),
        other => style.paint.yellow(&format!("{}:", visible::line(other))),
    };
    let at = if problem.at.is_empty() { String::new() } else { format!("{} ", visible::line(&problem.at)) };
    writeln!(out, "{indent}{severity} {at}{}", visible::line(&problem.message))
}
