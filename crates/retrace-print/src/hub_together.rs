//! What machines of a hub do to each other.

use super::hub_people::who;
use super::time::time;
use super::{Style, count, visible};
use retrace_api::wire::{
    HubBackground, HubItem, HubProjects, HubProposal, HubReach, HubReachState, HubRedaction, HubRedactions,
    HubShown, HubSynced, HubWaiting, Message,
};
use std::io::{Result, Write};

/// A version of any machine in one line.
pub fn item(out: &mut dyn Write, item: &HubItem) -> Result<()> {
    writeln!(
        out,
        "{}  {}  {}:{}  {}{}{}{}",
        item.id,
        visible::line(&item.machine_name),
        visible::line(&item.store_name),
        visible::line(item.path.as_deref().unwrap_or("(redacted)")),
        visible::line(&item.operation),
        if item.undone { " (undone)" } else { "" },
        if item.reviewed { "  reviewed" } else { "" },
        match item.comments {
            0 => String::new(),
            1 => "  1 comment".to_owned(),
            many => format!("  {many} comments"),
        }
    )
}

/// A version with what was said about it.
pub fn shown(out: &mut dyn Write, shown: &HubShown) -> Result<()> {
    item(out, &shown.version)?;
    writeln!(out, "  {}, content {}", shown.version.created_at, visible::line(&shown.version.content))?;
    for review in &shown.reviews {
        let person = who(&review.person, review.verified);
        let machine = visible::line(&review.machine_name);
        writeln!(
            out,
            "  {} by {person} on {machine}, {}",
            visible::line(&review.verdict),
            review.created_at
        )?;
    }
    for comment in &shown.comments {
        let person = who(&comment.person, comment.verified);
        let machine = visible::line(&comment.machine_name);
        writeln!(out, "  comment {} by {person} on {machine}, {}:", comment.number, comment.created_at)?;
        for line in comment.text.as_deref().unwrap_or("(not readable)").lines() {
            writeln!(out, "    {}", visible::line(line))?;
        }
    }
    for line in shown.text.as_deref().unwrap_or_default().lines() {
        writeln!(out, "{}", visible::line(line))?;
    }
    if shown.content_base64.is_some() {
        writeln!(out, "  its content is no text; --json has it")?;
    }
    Ok(())
}

/// Projects, and the stores of each.
pub fn projects(out: &mut dyn Write, list: &HubProjects) -> Result<()> {
    for project in &list.projects {
        writeln!(out, "{}  {}", visible::line(&project.name), project.id)?;
        for store in &project.stores {
            let (machine, name) = (visible::line(&store.machine_name), visible::line(&store.store_name));
            writeln!(out, "  {machine}  {name}  {}", store.store)?;
        }
    }
    Ok(())
}

/// Every redaction, and how far it reached.
pub fn redactions(out: &mut dyn Write, list: &HubRedactions, style: Style) -> Result<()> {
    for redaction in &list.redactions {
        one_redaction(out, redaction, style)?;
    }
    if list.redactions.is_empty() {
        writeln!(out, "No redaction reached the hub.")?;
    }
    for copy in &list.copies {
        writeln!(out, "{}", visible::line(copy.text()))?;
    }
    Ok(())
}

fn one_redaction(out: &mut dyn Write, redaction: &HubRedaction, style: Style) -> Result<()> {
    let how_far = match (redaction.state.as_str(), redaction.complete) {
        ("waiting", _) => "waits for a second person",
        (_, true) if redaction.machines.iter().any(|reach| reach.state != HubReachState::Done) => {
            "done, but for machines that are out of reach"
        }
        (_, true) => "done everywhere",
        (_, false) => "outstanding",
    };
    writeln!(
        out,
        "{}  {how_far}: {} and {} of other machines destroyed at the hub{}",
        redaction.id,
        count(redaction.versions, "version", "versions"),
        count(redaction.contents, "content", "contents"),
        match redaction.texts {
            0 => String::new(),
            texts => format!(", and taken out of {}", count(texts, "other text", "other texts")),
        }
    )?;
    let by = visible::line(&redaction.by_name);
    let at = time(&redaction.created_at, style);
    writeln!(out, "  redacted on {by}, {at}, chosen by {}", redaction.method)?;
    if let Some(reason) = &redaction.reason {
        writeln!(out, "  reason: {}", visible::line(reason))?;
    }
    if let Some(person) = &redaction.first_person {
        writeln!(out, "  first person: {}", visible::line(person))?;
    }
    if let (Some(person), Some(at)) = (&redaction.approved_by, &redaction.approved_at) {
        let at = time(at, style);
        writeln!(out, "  approved by {}, {at}", who(person, redaction.approved_verified))?;
    }
    for left in &redaction.left {
        writeln!(out, "  {} {}", visible::line(left.message.text()), visible::line(left.hint.text()))?;
    }
    redaction.machines.iter().try_for_each(|machine| reach(out, &redaction.id, machine, style))
}

fn reach(out: &mut dyn Write, order: &str, reach: &HubReach, style: Style) -> Result<()> {
    let left = match (reach.left, reach.removed) {
        (true, true) => " (removed: out of reach)",
        (true, false) => " (left the hub)",
        (false, _) => "",
    };
    let since = match style.now {
        Some(_) => time(&reach.since, style),
        None => format!("since {}", time(&reach.since, style)),
    };
    write!(out, "  {}{left}  {} {since}", visible::line(&reach.name), reach.state.as_str())?;
    if let Some(other) = &reach.carried_out_as {
        write!(out, ", carried out in the same log by {}", visible::line(other))?;
    }
    match (&reach.acknowledged_at, &reach.acknowledged_by) {
        (Some(at), by) => {
            let by = by.as_deref().unwrap_or("an owner");
            write!(out, ", acknowledged by {} {}", visible::line(by), time(at, style))?;
        }
        (None, _) if reach.left && reach.state != HubReachState::Done => {
            write!(out, ", an owner acknowledges that: `retrace hub acknowledge {order}`")?;
        }
        (None, _) => {}
    }
    let Some(receipt) = &reach.receipt else {
        return writeln!(out, ", last seen {}", time(&reach.seen_at, style));
    };
    let verified = if receipt.verified { "its signature verifies" } else { "ITS SIGNATURE DOES NOT VERIFY" };
    write!(
        out,
        ": {}, {}, purge {}, {verified}",
        count(receipt.versions, "version", "versions"),
        count(receipt.live_files, "live file", "live files"),
        visible::line(&receipt.purge)
    )?;
    if receipt.places_left > 0 {
        write!(out, ", {} left", count(receipt.places_left, "place", "places"))?;
    }
    if reach.recheck {
        write!(out, ", asked to look again")?;
    }
    match in_words(receipt.why.as_ref(), receipt.reason.as_deref()) {
        Some(reason) => writeln!(out, " ({})", visible::line(&reason)),
        None => writeln!(out),
    }
}

/// Why something was not done, in words where the program has some.
fn in_words(why: Option<&Message>, reason: Option<&str>) -> Option<String> {
    why.map(|why| why.text().to_string()).or_else(|| reason.map(str::to_owned))
}

/// A proposal.
pub fn proposal(out: &mut dyn Write, proposal: &HubProposal, style: Style) -> Result<()> {
    let path = proposal.path.as_deref().map(|path| format!(":{path}")).unwrap_or_default();
    writeln!(
        out,
        "{}  {}  {} of {}{} on {}{}",
        proposal.id,
        proposal.state.as_str(),
        proposal.kind.as_str(),
        visible::line(&proposal.store_name),
        visible::line(&path),
        visible::line(&proposal.machine_name),
        if proposal.here { " (this machine)" } else { "" },
    )?;
    let person = who(&proposal.person, proposal.person_verified);
    let by = visible::line(&proposal.by_name);
    writeln!(out, "  proposed by {person} on {by}, {}", time(&proposal.created_at, style))?;
    if let Some(to) = proposal.to.as_ref().or(proposal.at.as_ref()) {
        writeln!(out, "  to {}", visible::line(to))?;
    }
    if let Some(note) = &proposal.note {
        writeln!(out, "  {}", visible::line(note))?;
    }
    if let Some(at) = &proposal.settled_at {
        let operation = proposal.operation_seq.map(|seq| format!(", operation {seq}")).unwrap_or_default();
        let reason = in_words(proposal.why.as_ref(), proposal.reason.as_deref());
        let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
        writeln!(out, "  {}{operation}{}", time(at, style), visible::line(&reason))?;
    }
    if proposal.verified == Some(false) {
        writeln!(out, "  THE SIGNATURE OF THE RESULT DOES NOT VERIFY")?;
    }
    Ok(())
}

/// What waits at the hub, in a few words; nothing where nothing does.
#[must_use]
pub fn waiting(waiting: &HubWaiting) -> Vec<String> {
    let words = [
        (waiting.redactions, "redaction", "of other machines to carry out here: `retrace sync`"),
        (waiting.outstanding, "redaction", "outstanding on some machine: `retrace hub redactions`"),
        (waiting.to_approve, "redaction", "waiting for a second person: `retrace hub redactions`"),
        (waiting.proposals, "proposal", "for this machine: `retrace hub proposals`"),
    ];
    let some = words.iter().filter(|(number, ..)| *number > 0);
    let some = some.map(|(number, one, what)| format!("{} {what}", count(*number, one, &format!("{one}s"))));
    let restored = waiting.restored.as_ref().map(|restored| {
        format!(
            "its database was put back to {}, so that access which was taken since may be open again ({} ended): an owner looks at `retrace hub machines`, `agent-tokens` and `policy`, then `retrace hub acknowledge`",
            restored.kept_until,
            count(restored.tokens, "token", "tokens")
        )
    });
    restored.into_iter().chain(some).collect()
}

/// One line about what waits at the hub, where anything does.
pub fn waits(out: &mut (impl Write + ?Sized), known: Option<&HubWaiting>, style: Style) -> Result<()> {
    let lines = known.map(waiting).unwrap_or_default();
    if lines.is_empty() {
        return Ok(());
    }
    let text = format!("At the hub: {}.", lines.join("; "));
    writeln!(out, "{}", style.paint.yellow(&text))
}

/// One line where the last sync in the background did not go well, with the next step.
pub fn troubled(out: &mut (impl Write + ?Sized), background: &HubBackground, style: Style) -> Result<()> {
    let Some(problem) = background.problem.as_ref().filter(|_| background.went_well == Some(false)) else {
        return Ok(());
    };
    let problem = visible::line(problem.text()).to_string();
    let text = format!(
        "The last sync with the hub failed: {problem} `retrace sync` tries again and says what to do."
    );
    writeln!(out, "{}", style.paint.yellow(&text))
}

/// How many memories nobody reviewed.
pub fn left(out: &mut (impl Write + ?Sized), total: u64, is_least: bool) -> Result<()> {
    let more = if is_least { "more than " } else { "" };
    let memories = count(total, "memory that nobody reviewed", "memories that nobody reviewed");
    writeln!(out, "{more}{memories}")
}

/// What a sync did for other machines.
pub fn exchanged(out: &mut dyn Write, synced: &HubSynced) -> Result<()> {
    for done in &synced.redactions {
        let by = visible::line(&done.by_name);
        match in_words(done.why.as_ref(), done.reason.as_deref()) {
            Some(reason) => {
                writeln!(
                    out,
                    "{}  of {by} could not be carried out: {}",
                    done.order,
                    visible::line(&reason)
                )?;
            }
            None => writeln!(
                out,
                "{}  of {by} carried out: {}, {}",
                done.order,
                count(done.versions, "version", "versions"),
                count(done.live_files, "live file", "live files")
            )?,
        }
    }
    for done in &synced.proposals {
        let reason = in_words(done.why.as_ref(), done.reason.as_deref());
        let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
        writeln!(out, "{}  {}{}", done.id, done.state.as_str(), visible::line(&reason))?;
    }
    if synced.reviews > 0 {
        let reviews = count(synced.reviews, "review", "reviews");
        writeln!(out, "{reviews} made at the hub noted in the log")?;
    }
    let waits = synced.waiting.as_ref().map(waiting).unwrap_or_default();
    waits.iter().try_for_each(|line| writeln!(out, "{line}"))
}
