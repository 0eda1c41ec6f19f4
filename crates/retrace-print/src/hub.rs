//! A machine and its hub.

use super::visible;
use retrace_api::wire::{HubStatus, HubSynced, HubVersion};
use std::io::{Result, Write};

/// Membership and stores.
pub fn status(out: &mut dyn Write, status: &HubStatus) -> Result<()> {
    let Some(url) = &status.url else {
        return writeln!(out, "No hub is joined. `retrace hub join URL --token TOKEN` joins one.");
    };
    let text = |text: &Option<String>| visible::line(text.as_deref().unwrap_or_default()).to_string();
    writeln!(
        out,
        "Hub {} as {} ({}, {})",
        visible::line(url),
        text(&status.name),
        text(&status.role),
        text(&status.machine)
    )?;
    for store in &status.stores {
        let chosen = if store.chosen { "" } else { " (default)" };
        writeln!(
            out,
            "  {}  sends {}{chosen}, {} versions acknowledged",
            visible::line(&store.name),
            store.send.as_str(),
            store.acknowledged
        )?;
    }
    Ok(())
}

/// What was sent.
pub fn synced(out: &mut dyn Write, synced: &HubSynced) -> Result<()> {
    for store in &synced.stores {
        writeln!(
            out,
            "{}  {} versions and {} contents sent, {} redacted, {} at the hub",
            visible::line(&store.name),
            store.versions,
            store.contents,
            store.redacted,
            store.seq
        )?;
    }
    Ok(())
}

/// One version.
pub fn version(out: &mut dyn Write, version: &HubVersion) -> Result<()> {
    writeln!(
        out,
        "{}  {}  {}  {}  {}  {}",
        visible::line(&version.machine_name),
        visible::line(&version.store_name),
        version.seq,
        visible::line(&version.operation),
        visible::line(version.path.as_deref().unwrap_or("(redacted)")),
        visible::line(
            version.content_sha256.as_deref().map_or("-", |sha256| sha256.get(..12).unwrap_or(sha256))
        )
    )
}
