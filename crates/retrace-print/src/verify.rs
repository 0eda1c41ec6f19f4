//! Prints a verification of the log.

use super::{Style, count, visible};
use retrace_api::wire::Verified;
use std::io::{Result, Write};

/// The verdict first, then what is wrong.
pub fn verified(out: &mut (impl Write + ?Sized), verified: &Verified, style: Style) -> Result<()> {
    let paint = style.paint;
    let verdict = if verified.ok { paint.green("sound") } else { paint.red("damaged") };
    writeln!(
        out,
        "The log is {verdict}: {}, {}, chain head {}",
        count(verified.versions, "version", "versions"),
        count(verified.blobs, "content", "contents"),
        visible::line(&verified.chain_head),
    )?;
    for problem in &verified.problems {
        writeln!(out, "  {} {}", paint.red("problem:"), visible::line(problem))?;
    }
    match verified.absent {
        Some(true) => writeln!(out, "The bytes are in no file of the data directory.")?,
        Some(false) => writeln!(out, "{}", paint.red("The bytes are still in the data directory."))?,
        None => {}
    }
    for place in &verified.found_in {
        writeln!(out, "  {} {}", paint.red("found in:"), visible::line(place))?;
    }
    for warning in &verified.warnings {
        writeln!(out, "  {} {}", paint.yellow("note:"), visible::line(warning))?;
    }
    Ok(())
}
