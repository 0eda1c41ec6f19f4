//! A machine and its hub.

use super::{count, visible};
use retrace_api::wire::{HubActKind, HubAgentTokens, HubRefusedCopy, HubStatus, HubSynced, HubVersion};
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
        status.role.map(|role| role.to_string()).unwrap_or_default(),
        text(&status.machine)
    )?;
    for store in &status.stores {
        let chosen = if store.chosen { "" } else { " (default)" };
        writeln!(
            out,
            "  {}  sends {}{chosen}, {} acknowledged",
            visible::line(&store.name),
            store.send.as_str(),
            count(store.acknowledged, "version", "versions")
        )?;
        if let Some(share) = store.share {
            writeln!(out, "    shares {} of its sessions", share.as_str())?;
        }
        if store.accept_proposals {
            writeln!(out, "    carries out proposals without asking")?;
        }
    }
    if let Some(person) = &status.signed_in {
        writeln!(out, "  signed in as {}", super::hub_people::line(person))?;
    }
    if let Some(asked) = status.asked.as_ref().filter(|asked| !asked.required_rules.is_empty()) {
        writeln!(out, "  requires the rules {}", visible::line(&asked.required_rules.join(", ")))?;
    }
    let background = &status.background;
    let last = match (&background.last_at, background.went_well, &background.problem) {
        (Some(at), Some(true), _) => format!(", last {at}"),
        (Some(at), _, Some(problem)) => format!(", failed {at}: {}", problem.text()),
        _ => String::new(),
    };
    let on = if background.on { "on" } else { "off" };
    writeln!(out, "  sync in the background is {on}{}", visible::line(&last))?;
    if let Some(copy) = status.waiting.as_ref().and_then(|waiting| waiting.copy.as_ref()) {
        writeln!(out, "  a copy of this machine's data directory was refused: {}", refused_copy(copy))?;
        writeln!(
            out,
            "    stop it, or make it a machine of its own: `retrace hub leave --new-identity` there"
        )?;
    }
    for lost in &status.lost {
        writeln!(
            out,
            "  the hub lost a {} of this machine on {}, made {}: say it again if it still holds",
            lost.kind.as_str(),
            visible::line(&lost.about),
            lost.at
        )?;
    }
    for lost in &status.acts_lost {
        let about = visible::line(&lost.about);
        let what = match (lost.kind, lost.again) {
            (HubActKind::Key, true) => format!("the key {about} of an agent was ended again"),
            (HubActKind::Key, false) => {
                format!("the key {about} of an agent is open: `retrace hub agent-tokens`")
            }
            (HubActKind::Machine, true) => format!("{about} was removed again"),
            (HubActKind::Machine, false) => {
                format!("{about} is back: `retrace hub remove {about}` if it is to go")
            }
            (HubActKind::Role, _) => {
                let role = visible::line(lost.value.as_deref().unwrap_or_default()).to_string();
                format!("`retrace hub role {about} {role}` if that still holds")
            }
            (HubActKind::Policy, _) => {
                let value = visible::line(lost.value.as_deref().unwrap_or_default()).to_string();
                format!("{about} was set (`{value}`): set it again if that still holds, `retrace hub policy`")
            }
        };
        writeln!(out, "  the hub lost what was done here {}: {what}", lost.at)?;
    }
    let waits = status.waiting.as_ref().map(super::hub_together::waiting).unwrap_or_default();
    waits.iter().try_for_each(|line| writeln!(out, "  {line}"))
}

/// When a copy of a machine was refused, and from where on it is another one.
#[must_use]
pub fn refused_copy(copy: &HubRefusedCopy) -> String {
    let store = visible::line(copy.store_name.as_deref().unwrap_or(&copy.store)).to_string();
    format!("last {}, from version {} of {store} on", copy.at, copy.seq)
}

/// What was sent.
pub fn synced(out: &mut dyn Write, synced: &HubSynced) -> Result<()> {
    for store in &synced.stores {
        writeln!(
            out,
            "{}  {} and {} sent, {} redacted, {} at the hub",
            visible::line(&store.name),
            count(store.versions, "version", "versions"),
            count(store.contents, "content", "contents"),
            store.redacted,
            store.seq
        )?;
        if store.withheld > 0 {
            writeln!(
                out,
                "{}  {} not sent: they hold what was redacted here",
                visible::line(&store.name),
                count(store.withheld, "content", "contents")
            )?;
        }
    }
    if let Some(shared) = synced.shared.filter(|shared| shared.sessions > 0) {
        let sessions = count(shared.sessions, "session", "sessions");
        let entries = count(shared.entries, "entry of a transcript", "entries of transcripts");
        writeln!(out, "{sessions} and {entries} sent")?;
    }
    let mut exchanged = Vec::new();
    super::hub_together::exchanged(&mut exchanged, synced)?;
    if synced.stores.is_empty() && exchanged.is_empty() && synced.problems.is_empty() {
        return writeln!(out, "No store is on the list: nothing was sent. `retrace stores add` adds one.");
    }
    out.write_all(&exchanged)
}

/// One version.
pub fn version(out: &mut dyn Write, version: &HubVersion) -> Result<()> {
    writeln!(
        out,
        "{}  {}  {}  {}{}  {}  {}",
        visible::line(&version.machine_name),
        visible::line(&version.store_name),
        version.seq,
        visible::line(&version.operation),
        if version.undone { " (undone)" } else { "" },
        visible::line(version.path.as_deref().unwrap_or("(redacted)")),
        visible::line(
            version.content_sha256.as_deref().map_or("-", |sha256| sha256.get(..12).unwrap_or(sha256))
        )
    )
}

/// Keys of agents.
pub fn agent_tokens(out: &mut dyn Write, tokens: &HubAgentTokens) -> Result<()> {
    if tokens.tokens.is_empty() {
        return writeln!(out, "There are no keys. `retrace hub agent-token` makes one.");
    }
    for token in &tokens.tokens {
        let store = match (&token.store_name, &token.store) {
            (Some(name), _) | (None, Some(name)) => visible::line(name).to_string(),
            (None, None) => "all stores".to_owned(),
        };
        let rights = if token.read_only { "reads" } else { "reads and writes" };
        let ended = match &token.revoked_at {
            Some(at) => format!(", revoked {at}"),
            None => String::new(),
        };
        writeln!(out, "{}  {store}  {rights}, made {}{ended}", visible::line(&token.id), token.created_at)?;
    }
    Ok(())
}
