//! Dreams, and two stores compared with each other.

use super::table::{grouped, signed};
use super::time::time;
use super::{Style, count, visible};
use retrace_api::wire::{ComparedMemory, Dream, DreamPlan, StoreComparison};
use std::io::{Result, Write};

/// A dream in a few lines.
pub fn one(out: &mut (impl Write + ?Sized), dream: &Dream, style: Style) -> Result<()> {
    let status = visible::line(&dream.status);
    let status = match dream.status.as_str() {
        "completed" => style.paint.green(&status),
        "failed" => style.paint.red(&status),
        _ => style.paint.yellow(&status),
    };
    let made = time(&dream.created_at, style);
    let archived = if dream.archived_at.is_some() { ", archived" } else { "" };
    writeln!(
        out,
        "{}  {status}{archived}  {}  {}",
        visible::line(&dream.id),
        visible::line(&dream.model),
        style.paint.dim(&made)
    )?;
    let store = |remote: &Option<String>, here: &Option<String>| match (remote, here) {
        (Some(remote), Some(here)) => format!("{} (here {})", visible::line(remote), visible::line(here)),
        (Some(remote), None) => format!("{} (not mirrored)", visible::line(remote)),
        (None, _) => "nothing yet".to_owned(),
    };
    let sessions = count(dream.sessions.len() as u64, "session", "sessions");
    writeln!(out, "  reads   {}, {sessions}", store(&dream.input_remote_id, &dream.input_store_id))?;
    writeln!(out, "  writes  {}", store(&dream.output_remote_id, &dream.output_store_id))?;
    let used = &dream.usage;
    let cached = used.cache_creation_input_tokens.saturating_add(used.cache_read_input_tokens);
    if used.input_tokens > 0 || used.output_tokens > 0 || cached > 0 {
        writeln!(
            out,
            "  used    {} input, {} output, {} cache tokens, recorded by the host",
            grouped(used.input_tokens),
            grouped(used.output_tokens),
            grouped(cached)
        )?;
    }
    match &dream.error {
        Some(error) => writeln!(out, "  {}", style.paint.red(&visible::line(error))),
        None => Ok(()),
    }
}

/// Prints a request for a dream, and what the dream would not read.
pub fn plan(out: &mut (impl Write + ?Sized), plan: &DreamPlan, style: Style) -> Result<()> {
    let here = match &plan.input_store_id {
        Some(here) => format!(" (here {})", visible::line(here)),
        None => " (not mirrored)".to_owned(),
    };
    let sessions = count(plan.sessions.len() as u64, "session", "sessions");
    let writes = if plan.output_behavior == "update_existing" { "the store it reads" } else { "a new store" };
    writeln!(out, "would ask {}; nothing was asked for (dry run)", visible::line(&plan.base_url))?;
    writeln!(out, "  reads   {}{here}, {sessions}", visible::line(&plan.input_remote_id))?;
    writeln!(out, "  writes  {writes}, with {}", visible::line(&plan.model))?;
    let queued = plan.queued.changes.len() as u64;
    if queued > 0 {
        let many = count(queued, "change", "changes");
        let note = style.paint.yellow("note:");
        writeln!(out, "  {note} queued here, and not read by the dream: {many}; push first:")?;
        super::remote::queue(out, &plan.queued, false, style)?;
    }
    Ok(())
}

/// A line a memory that differs, then the sums.
pub fn compared(out: &mut (impl Write + ?Sized), compared: &StoreComparison, style: Style) -> Result<()> {
    compared.memories.iter().try_for_each(|memory| row(out, memory, style))?;
    let differ = count(compared.memories.len() as u64, "memory differs", "memories differ");
    let same = count(compared.same, "is the same", "are the same");
    writeln!(out, "{differ}, {same}")
}

fn row(out: &mut (impl Write + ?Sized), memory: &ComparedMemory, style: Style) -> Result<()> {
    let sign = match memory.change.as_str() {
        "created" => style.paint.green("+"),
        "deleted" => style.paint.red("-"),
        "moved" => style.paint.cyan("→"),
        _ => style.paint.yellow("~"),
    };
    let path = match &memory.moved_from {
        Some(from) => format!("{} → {}", visible::line(from), visible::line(&memory.path)),
        None => visible::line(&memory.path),
    };
    let lines = match (memory.added, memory.removed) {
        (None, None) => "no lines to compare".to_owned(),
        (added, removed) => {
            format!("+{} -{}", grouped(added.unwrap_or_default()), grouped(removed.unwrap_or_default()))
        }
    };
    let tokens = match memory.tokens {
        Some(more) if more > 0 => format!(", +{} tokens", signed(more)),
        Some(0) | None => String::new(),
        Some(less) => format!(", {} tokens", signed(less)),
    };
    writeln!(out, "{sign} {path}  {}", style.paint.dim(&format!("{lines}{tokens}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{from_value, json};

    #[test]
    fn a_request_for_a_dream_says_what_it_would_not_read() {
        let plan_of = |changes: serde_json::Value| {
            json!({"base_url": "https://a.example", "input_remote_id": "memstore_01HxAb", "input_store_id": "memstore_1",
                "sessions": ["sesn_1", "sesn_2"], "model": "claude-opus-5", "instructions": null,
                "output_behavior": "create_new", "queued": {"changes": changes}})
        };
        let change = json!({"id": 7, "store_id": "memstore_1", "store_name": "notes", "kind": "delete", "path": "a.md",
            "moved_from": null, "version_id": null, "expected_sha256": "a".repeat(64), "content_sha256": null,
            "content_size_bytes": null, "operation_seq": 9, "created_at": "2026-11-20T14:02:17.000000Z",
            "state": "waiting", "message": null, "diff": null});
        let mut out = Vec::new();
        for answer in [plan_of(json!([])), plan_of(json!([change]))] {
            plan(&mut out, &from_value(answer).unwrap(), Style::PLAIN).unwrap();
        }
        insta::assert_snapshot!("dream_plan", String::from_utf8(out).unwrap());
    }

    #[test]
    fn a_dream_says_what_it_reads_and_writes() {
        let dream = |status: &str, output: Option<&str>| {
            json!({"id": "drm_01Hx", "status": status, "input_remote_id": "memstore_01HxAb", "input_store_id": "memstore_1",
                "output_remote_id": output, "output_store_id": null, "sessions": ["sesn_1"], "model": "claude-opus-5",
                "instructions": null, "output_behavior": "create_new", "session_id": null,
                "error": output.is_none().then_some("timeout: it took too long"),
                "usage": {"input_tokens": 120_000, "output_tokens": 4_000, "cache_creation_input_tokens": 0,
                    "cache_read_input_tokens": 0},
                "created_at": "2026-11-20T10:00:00Z", "ended_at": null,
                "archived_at": output.map(|_| "2026-11-20T11:00:00Z")})
        };
        let mut out = Vec::new();
        for answer in [dream("completed", Some("memstore_01HxCd")), dream("failed", None)] {
            one(&mut out, &from_value(answer).unwrap(), Style::PLAIN).unwrap();
        }
        insta::assert_snapshot!("dreams", String::from_utf8(out).unwrap());
    }
}
