//! Prints a discovery.

use super::{Style, count, visible};
use retrace_api::wire::Found;
use std::io::{Result, Write};

/// One directory: what it is, where, how much is in it, and why it is believed to be that.
pub fn found(out: &mut (impl Write + ?Sized), found: &Found, style: Style) -> Result<()> {
    let paint = style.paint;
    let mut facts = vec![visible::line(&found.kind)];
    facts.push(if found.exists { count(found.files, "file", "files") } else { "not there yet".to_owned() });
    if !found.enabled {
        facts.push("not in use".to_owned());
    }
    if found.store_id.is_some() {
        facts.push("recorded already".to_owned());
    }
    let sign = if found.enabled { paint.green("●") } else { paint.dim("○") };
    writeln!(out, "{sign} {}  {}", paint.bold(&visible::line(&found.name)), facts.join(", "))?;
    writeln!(out, "    {}", visible::line(&found.root))?;
    if let Some(project) = &found.project {
        writeln!(out, "    project {}", visible::line(project))?;
    }
    for evidence in &found.evidence {
        writeln!(out, "    {}", paint.dim(&visible::line(evidence)))?;
    }
    if !found.reason.is_empty() {
        writeln!(out, "    {}", paint.dim(&visible::line(&found.reason)))?;
    }
    Ok(())
}
