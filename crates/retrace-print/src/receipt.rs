//! Receipts of redactions.

use super::time::instant;
use super::version::actor;
use super::{Style, count, visible};
use retrace_api::wire::{Receipt, ReceiptPlace};
use std::io::{Result, Write};

/// A receipt: what was done, and what was found in each place that was looked at.
pub fn receipt(out: &mut (impl Write + ?Sized), receipt: &Receipt, style: Style) -> Result<()> {
    let paint = style.paint;
    let left = |owned: bool| {
        let is_left = |place: &&ReceiptPlace| place.owned == owned && place.state == "left";
        receipt.places.iter().filter(is_left).count() as u64
    };
    // Backups are out of reach always, and say nothing more; a place that should have been read says why it was not.
    let is_unseen = |place: &&ReceiptPlace| place.state == "out_of_reach" && place.detail.is_some();
    let unseen = receipt.places.iter().filter(is_unseen).count() as u64;
    // What is left in a place of one's own without a hit was not searched.
    let is_unsearched = |place: &ReceiptPlace| !(place.owned && place.state == "left") || place.hits == 0;
    let purge = match receipt.purge.as_str() {
        "done" if left(true) > 0 && receipt.places.iter().all(is_unsearched) => {
            let places = count(left(true), "place", "places");
            paint.red(&format!("purged from the log, but {places} could not be searched"))
        }
        "done" if left(true) > 0 => {
            paint.red(&format!("purged, but still in {} of the log", count(left(true), "place", "places")))
        }
        "done" if left(false) > 0 => {
            let places = count(left(false), "place", "places");
            paint.yellow(&format!("purged from the log; left in {places} outside of it"))
        }
        "done" if unseen > 0 => {
            let places = count(unseen, "place", "places");
            paint.yellow(&format!("purged from the log; {places} outside of it could not be looked at"))
        }
        "done" => paint.green("purged from disk"),
        _ => paint.yellow("purge pending: the bytes are still in the files"),
    };
    writeln!(out, "{} {}", paint.bold(&visible::line(&receipt.id)), purge)?;
    writeln!(
        out,
        "  {} by {}, operation {}, chosen by {}",
        instant(&receipt.created_at, style.zone),
        actor(receipt.created_by.as_ref(), style),
        receipt.operation_seq,
        visible::line(&receipt.method),
    )?;
    if let Some(reason) = &receipt.reason {
        writeln!(out, "  {}", visible::line_in(reason, paint))?;
    }
    let versions = count(receipt.versions, "version", "versions");
    let files = count(receipt.live_files, "live file", "live files");
    writeln!(out, "  {versions} redacted, {files} changed")?;
    for place in &receipt.places {
        let state = match place.state.as_str() {
            "clean" => paint.green("clean"),
            "left" if place.hits == 0 => paint.red("left"),
            "left" => paint.red(&format!("{} left", place.hits)),
            "out_of_reach" => paint.yellow("out of reach"),
            other => visible::line(other),
        };
        let detail = place.detail.as_deref().map_or_else(String::new, |detail| format!("; {detail}"));
        writeln!(out, "  {}: {state}{}", visible::line(&place.place), visible::line(&detail))?;
        if let Some(remedy) = &place.remedy {
            writeln!(out, "      {}", visible::line(remedy))?;
        }
    }
    let chain = match receipt.chain_verified {
        Some(true) => paint.green("verified"),
        Some(false) => paint.red("broken"),
        None => paint.yellow("not verified yet"),
    };
    writeln!(out, "  chain {} {chain}", visible::line(&receipt.chain_head))?;
    for warning in &receipt.warnings {
        writeln!(out, "  {} {}", paint.yellow("note:"), visible::line(warning))?;
    }
    Ok(())
}
