//! Hosted stores: what a host has, mirrors, queues, what pulls and pushes did.

use super::stores::NAME_COLUMNS;
use super::table::{Side, bytes, grouped, table};
use super::time::time;
use super::{Style, count, diff, short_hash, visible};
use retrace_api::wire::{
    HostedStores, Pulled, PulledStore, Pushed, QueuedChange, QueuedConflict, RemoteCall, RemoteHost,
    RemoteQueue, RemoteStore, Remotes,
};
use std::io::{Result, Write};

/// The stores of a host as a table.
pub fn hosted(out: &mut (impl Write + ?Sized), hosted: &HostedStores, style: Style) -> Result<()> {
    let rows: Vec<[String; 5]> = hosted
        .stores
        .iter()
        .map(|store| {
            [
                visible::line(&store.remote_id),
                visible::short(&store.name, NAME_COLUMNS),
                time(&store.created_at, style),
                store.archived_at.as_ref().map_or_else(String::new, |at| time(at, style)),
                store.store_id.as_deref().map_or_else(|| "no".to_owned(), visible::line),
            ]
        })
        .collect();
    let columns = ["ID", "NAME", "MADE", "ARCHIVED", "MIRROR"].map(|name| (name, Side::Left));
    table(out, columns, &rows, style)
}

/// Mirrors, then their hosts, then the calls of this process.
pub fn status(out: &mut (impl Write + ?Sized), remotes: &Remotes, style: Style) -> Result<()> {
    remotes.stores.iter().try_for_each(|store| mirror(out, store, style))?;
    hosts(out, &remotes.hosts)?;
    remotes.calls.iter().try_for_each(|made| call(out, made, style))
}

/// Versions redacted at a host that are named in a line.
const NAMED: usize = 20;

fn mirror(out: &mut (impl Write + ?Sized), store: &RemoteStore, style: Style) -> Result<()> {
    let name = style.paint.bold(&visible::line(&store.name));
    let place = format!("{} at {}", visible::line(&store.remote_id), visible::line(&store.base_url));
    writeln!(out, "{name}  {}", style.paint.dim(&place))?;
    let pulled = match &store.pulled_at {
        Some(at) => format!("pulled {}", time(at, style)),
        None => "not pulled to the end yet".to_owned(),
    };
    let queued = match store.queued {
        0 => "nothing queued".to_owned(),
        queued => format!("{} queued", count(queued, "change", "changes")),
    };
    writeln!(out, "  {}, {pulled}, {queued}", count(store.versions, "version", "versions"))?;
    if let Some(at) = &store.looked_through_at {
        let at = time(at, style);
        writeln!(out, "  all versions looked through for redacted ones {at}")?;
    }
    let mut notes = Vec::new();
    if store.pulling {
        notes.push("a pull was cut off; the next one goes on where it was".to_owned());
    }
    if let Some(at) = &store.archived_at {
        notes.push(format!("archived at the host {}", time(at, style)));
    }
    if store.conflicts > 0 {
        let many = count(store.conflicts, "queued change", "queued changes");
        notes.push(format!("{many} met a newer edit at the host"));
    }
    if store.never_seen > 0 {
        let many = count(store.never_seen, "version", "versions");
        notes.push(format!(
            "{many} without content: redacted at the host before a pull could bring it, or here"
        ));
    }
    if store.redacted_at_host > 0 {
        let many = count(store.redacted_at_host, "version", "versions");
        let named: Vec<&str> = store.redacted_versions.iter().take(NAMED).map(String::as_str).collect();
        let more = store.redacted_at_host.saturating_sub(named.len() as u64);
        let more = if more > 0 { format!("; {} more with --json", grouped(more)) } else { String::new() };
        let named = named.join(" ");
        notes.push(format!(
            "{many} redacted at the host since; still readable here until `retrace redact {named}`{more}"
        ));
    }
    notes.extend(store.problem.as_ref().map(ToString::to_string));
    notes
        .iter()
        .try_for_each(|note| writeln!(out, "  {} {}", style.paint.yellow("note:"), visible::line(note)))
}

/// Hosts, each with where its key comes from.
pub fn hosts(out: &mut (impl Write + ?Sized), hosts: &[RemoteHost]) -> Result<()> {
    hosts.iter().try_for_each(|host| {
        let key = match &host.key {
            Some(source) => format!("key from the {}", visible::line(source)),
            None => "no key".to_owned(),
        };
        writeln!(out, "{}: {key}", visible::line(&host.base_url))
    })
}

fn call(out: &mut (impl Write + ?Sized), made: &RemoteCall, style: Style) -> Result<()> {
    let status = made.status.map_or_else(|| "no answer".to_owned(), |status| status.to_string());
    writeln!(
        out,
        "  {}  {:<6} {}  {status}, {} sent, {} received",
        style.paint.dim(&time(&made.at, style)),
        visible::line(&made.method),
        visible::line(&made.address),
        bytes(made.sent),
        bytes(made.received),
    )
}

/// Prints the result of a pull, a line a store.
pub fn pulled(out: &mut (impl Write + ?Sized), pulled: &Pulled, style: Style) -> Result<()> {
    pulled.stores.iter().try_for_each(|store| pulled_store(out, store, style))
}

fn pulled_store(out: &mut (impl Write + ?Sized), store: &PulledStore, style: Style) -> Result<()> {
    let state = if store.finished { "" } else { ", not to the end" };
    writeln!(
        out,
        "{}: {}, {}, {}{state}",
        visible::line(&store.name),
        count(store.versions, "new version", "new versions"),
        count(store.memories, "memory", "memories"),
        count(store.calls, "call", "calls"),
    )?;
    for version in &store.redacted_at_host {
        let id = visible::line(version);
        writeln!(
            out,
            "  {} {id} was redacted at the host; its content is still here (`retrace redact {id}`)",
            style.paint.yellow("note:")
        )?;
    }
    for version in &store.redacted_before {
        writeln!(
            out,
            "  {} {} holds what was redacted here before; [redacted] stands in its place",
            style.paint.yellow("note:"),
            visible::line(version)
        )?;
    }
    Ok(())
}

/// Prints the result of a push, and what is left.
pub fn pushed(out: &mut (impl Write + ?Sized), pushed: &Pushed, style: Style) -> Result<()> {
    let mut line = format!("{} sent", count(pushed.sent, "change", "changes"));
    for (number, what) in [(pushed.conflicts, "met a newer edit"), (pushed.failed, "refused by the host")] {
        if number > 0 {
            line.push_str(&format!(", {} {what}", grouped(number)));
        }
    }
    let waiting = pushed.queue.changes.iter().filter(|change| change.state == "waiting").count() as u64;
    if waiting > 0 {
        line.push_str(&format!(", {} still waiting", grouped(waiting)));
    }
    writeln!(out, "{line}")?;
    pushed
        .queue
        .changes
        .iter()
        .filter(|change| change.state != "waiting")
        .try_for_each(|left| change(out, left, style))
}

/// The queue; with `diffs` what each change changes.
pub fn queue(out: &mut (impl Write + ?Sized), queue: &RemoteQueue, diffs: bool, style: Style) -> Result<()> {
    for queued in &queue.changes {
        change(out, queued, style)?;
        if let Some(changed) = queued.diff.as_ref().filter(|_| diffs) {
            diff::file(out, changed, style)?;
        }
    }
    Ok(())
}

/// A queued change beside what it would meet: what happened there since, then what it would do to that.
pub fn conflict(out: &mut (impl Write + ?Sized), conflict: &QueuedConflict, style: Style) -> Result<()> {
    change(out, &conflict.change, style)?;
    let there = match &conflict.now_version_id {
        None => "nothing is there any more".to_owned(),
        Some(version) => {
            let at = conflict.now_at.as_ref().map_or_else(String::new, |at| format!(", {}", time(at, style)));
            format!("there now: {}{at}", visible::line(version))
        }
    };
    writeln!(out, "{there}")?;
    if !conflict.moved_on {
        writeln!(out, "It is what the change was made against.")?;
    }
    if let Some(happened) = conflict.happened.as_ref().filter(|_| conflict.moved_on) {
        writeln!(out, "what happened there since the change was made:")?;
        diff::file(out, happened, style)?;
    }
    match &conflict.would {
        Some(would) => {
            writeln!(out, "what the change would do to what is there now:")?;
            diff::file(out, would, style)
        }
        None => Ok(()),
    }
}

fn change(out: &mut (impl Write + ?Sized), change: &QueuedChange, style: Style) -> Result<()> {
    let store = visible::line(&change.store_name);
    let place = match (&change.path, &change.moved_from) {
        (Some(path), Some(from)) => format!("{store}:{} → {}", visible::line(from), visible::line(path)),
        (Some(path), None) => format!("{store}:{}", visible::line(path)),
        (None, _) => store,
    };
    let hashes = match change.kind.as_str() {
        "create" | "update" | "delete" => format!(
            "  {} → {}",
            short_hash(change.expected_sha256.as_deref()),
            short_hash(change.content_sha256.as_deref())
        ),
        _ => change.version_id.as_ref().map_or_else(String::new, |id| format!("  {}", visible::line(id))),
    };
    let kind = visible::line(&change.kind);
    let state = match change.state.as_str() {
        "waiting" => style.paint.dim("waiting"),
        other => style.paint.red(&visible::line(other)),
    };
    writeln!(out, "{:>5}  {kind:<7}  {place}{hashes}  {state}", change.id)?;
    match &change.message {
        Some(sentence) => writeln!(out, "       {}", style.paint.yellow(&visible::line(sentence))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, from_value, json};

    fn printed(print: impl FnOnce(&mut Vec<u8>) -> Result<()>) -> String {
        let mut out = Vec::new();
        print(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn changes() -> Value {
        let change = |id: u64, kind: &str, path: Value, state: &str, message: Value| {
            json!({"id": id, "store_id": "memstore_1", "store_name": "notes", "kind": kind, "path": path,
                "moved_from": (id == 3).then_some("old.md"), "version_id": (kind == "redact").then_some("memver_1"),
                "expected_sha256": (kind == "update").then(|| "a".repeat(64)),
                "content_sha256": matches!(kind, "update" | "create").then(|| "b".repeat(64)),
                "content_size_bytes": 3, "operation_seq": 9, "created_at": "2026-11-20T14:02:17.000000Z",
                "state": state, "message": message, "diff": null})
        };
        json!([
            change(1, "create", json!("a\u{200b}.md"), "waiting", Value::Null),
            change(2, "update", json!("b.md"), "conflict", json!("The memory changed at the host.")),
            change(3, "update", json!("c.md"), "failed", json!("too large")),
            change(4, "redact", Value::Null, "waiting", Value::Null),
            change(5, "archive", Value::Null, "waiting", Value::Null),
        ])
    }

    #[test]
    fn what_a_host_has_is_a_table() {
        let store = |id: &str, mirror: Option<&str>| {
            json!({"remote_id": id, "name": "Demo Memory", "description": "", "created_at": "2026-11-20T10:00:00Z",
                "archived_at": mirror.map(|_| "2026-11-20T11:00:00Z"), "store_id": mirror})
        };
        let stores = [store("memstore_01HxAb", None), store("memstore_01HxCd", Some("memstore_1"))];
        let answer: HostedStores =
            from_value(json!({"base_url": "https://a.example", "stores": stores})).unwrap();
        insta::assert_snapshot!("hosted", printed(|out| hosted(out, &answer, Style::PLAIN)));
    }

    #[test]
    fn mirrors_say_what_needs_attention() {
        let mirror = |name: &str, quiet: bool| {
            let number = |number: u64| if quiet { 0 } else { number };
            json!({"store_id": "memstore_1", "name": name, "base_url": "https://a.example",
                "remote_id": "memstore_01HxAb", "description": "",
                "archived_at": (!quiet).then_some("2026-11-20T11:00:00Z"),
                "pulled_at": quiet.then_some("2026-11-20T12:00:00Z"), "pulling": !quiet,
                "problem": (!quiet).then_some("The host is not available."), "versions": 40,
                "never_seen": number(1), "redacted_at_host": number(22),
                "redacted_versions": (0..number(22)).map(|id| format!("memver_{id}")).collect::<Vec<_>>(),
                "looked_through_at": (!quiet).then_some("2026-11-20T12:00:00Z"), "queued": number(3), "conflicts": number(1)})
        };
        let call = |status: Option<u16>| {
            json!({"at": "2026-11-20T12:00:00Z", "method": "GET", "address": "https://a.example/v1/memory_stores",
                "status": status, "sent": 0, "received": 2048})
        };
        let answer: Remotes = from_value(json!({
            "stores": [mirror("notes", true), mirror("team", false)],
            "hosts": [{"base_url": "https://a.example", "key": "keyring"}, {"base_url": "https://b.example", "key": null}],
            "calls": [call(Some(200)), call(None)],
        }))
        .unwrap();
        insta::assert_snapshot!("remote_status", printed(|out| status(out, &answer, Style::PLAIN)));
    }

    #[test]
    fn a_pull_and_a_push_say_what_they_left() {
        let store = |finished: bool| {
            json!({"store_id": "memstore_1", "name": "notes", "finished": finished, "versions": 7, "memories": 1,
                "redacted_at_host": if finished { json!([]) } else { json!(["memver_1"]) }, "calls": 1, "problem": null})
        };
        let answer: Pulled = from_value(json!({"stores": [store(true), store(false)]})).unwrap();
        insta::assert_snapshot!("pulled", printed(|out| pulled(out, &answer, Style::PLAIN)));
        let answer: Pushed = from_value(json!({"sent": 1, "conflicts": 1, "failed": 1, "operations": [7],
            "queue": {"changes": changes()}, "problem": null}))
        .unwrap();
        insta::assert_snapshot!("pushed", printed(|out| pushed(out, &answer, Style::PLAIN)));
    }

    #[test]
    fn a_conflict_says_what_happened_and_what_the_change_would_do() {
        let side = |version: Option<&str>| {
            json!({"target": version.unwrap_or(""), "store_id": null, "version_id": version, "path": "b.md",
                "content_sha256": null, "content_size_bytes": 4, "redacted": false})
        };
        let diff = |from: Option<&str>| {
            json!({"from": side(from), "to": side(None), "truncated": false, "binary": false, "added": 1, "removed": 1,
                "hunks": []})
        };
        let moved: serde_json::Result<QueuedConflict> = from_value(json!({
            "change": changes()[1], "base_version_id": "memver_1", "now_version_id": "memver_2", "now_by": null,
            "now_at": "2026-11-20T14:00:00Z", "moved_on": true, "happened": diff(Some("memver_1")),
            "would": diff(Some("memver_2")),
        }));
        let gone: serde_json::Result<QueuedConflict> = from_value(json!({
            "change": changes()[1], "base_version_id": "memver_1", "now_version_id": null, "now_by": null,
            "now_at": null, "moved_on": true, "happened": null, "would": null,
        }));
        let both = [moved.unwrap(), gone.unwrap()];
        let sentence = printed(|out| both.iter().try_for_each(|one| conflict(out, one, Style::PLAIN)));
        insta::assert_snapshot!("conflict", sentence);
    }

    #[test]
    fn a_queue_is_a_line_a_change() {
        let answer: RemoteQueue = from_value(json!({"changes": changes()})).unwrap();
        insta::assert_snapshot!("queue", printed(|out| queue(out, &answer, true, Style::PLAIN)));
    }
}
