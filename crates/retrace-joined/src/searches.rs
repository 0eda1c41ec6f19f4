//! What was redacted on this machine is looked for at the hub: in contents of the others, in sessions, and in every other text that the
//! hub keeps. What holds it is named to the hub, by hash and place; the secret itself is not told.

use crate::client::HubError;
use crate::redactions::{Context, carried_out_by, ordered};
use crate::state;
use retrace_log::{ReceiptRow, Tags};
use retrace_model::{Sha256, StoreId};
use retrace_sync::messages::{ListVersions, NOT_ALLOWED, NOT_FOUND, PackedContent, VersionPage};
use retrace_sync::sessions::SearchSessions;
use retrace_sync::together::{Name, Named, Reached, Search, Searched, order_id};
use retrace_wire::{HubFault, HubProblem};
use std::collections::BTreeSet;

/// Contents that are named in one request.
const NAMED: usize = 500;

/// Places in one content, at most.
const MAX_PARTS: usize = 1_000;

/// Raw bytes of one content, at most.
const MAX_CONTENT: usize = 64 << 20;

/// Versions of a page whose hashes are looked at.
const VERSIONS: u64 = 500;

/// True if it was carried out for another machine, which looked for the secret itself.
fn is_ordered(row: &ReceiptRow) -> bool {
    carried_out_by(row).is_some()
}

/// Looks for the secrets that were redacted here in the contents of the other machines, and names those that hold them.
///
/// After joining, and where the hub lost something, that is for everything that was ever redacted here, whole contents among it, which
/// are known by their hash. Answers what is worth knowing. A role that does not read contents of others cannot look; what has the same
/// content is reached all the same.
pub(crate) fn search(context: &Context<'_>) -> Result<Option<HubProblem>, HubError> {
    let inner = context.together;
    let receipts = inner.read(|reader| Ok(reader.receipts()?))?;
    let newest = receipts.first().map(|row| row.id.to_string()).unwrap_or_default();
    let member = state::joined(inner)?;
    let all = member.search_all;
    let searched = || {
        state::update_all(inner, |member| {
            member.searched = Some(newest.clone());
            member.search_all = false;
        })
    };
    let is_own = |row: &&ReceiptRow| !is_ordered(row);
    let of_secret = |row: &&ReceiptRow| row.method != "versions" && !is_ordered(row);
    let row = match member.searched {
        // Whatever it was: the tags of all of them are looked for.
        _ if all => receipts
            .iter()
            .find(of_secret)
            .or_else(|| receipts.iter().find(is_own))
            .or_else(|| receipts.first()),
        Some(known) => receipts.iter().take_while(|row| row.id.to_string() != known).find(of_secret),
        None => None,
    };
    let Some(row) = row else {
        searched()?;
        return Ok(None);
    };
    let tags = inner.tags()?;
    let mut found = Vec::new();
    let mut problem = None;
    if tags.has_secrets() || !all {
        let looked = pages(context, row, &tags, &mut found, "search", |after| Search { after })?;
        if looked == Looked::NotAllowed {
            problem = Some(HubProblem {
                code: HubFault::NotSearched,
                store_id: None,
                message: say::not_searched(),
                hint: say::search_from_a_reviewer(),
            });
        }
        pages(context, row, &tags, &mut found, "search_sessions", |after| SearchSessions { after })?;
        // Comments and proposals. Who may not read contents was told so.
        pages(context, row, &tags, &mut found, "search_texts", |after| Search { after })?;
    }
    if !found.is_empty() {
        name(context, row, std::mem::take(&mut found))?;
    }
    // Afterwards: of a content that holds a secret no more than that goes.
    if all {
        equal(context, row, &tags)?;
    }
    searched()?;
    Ok(problem)
}

/// Whether texts could be looked at.
#[derive(PartialEq, Eq)]
enum Looked {
    All,
    NotAllowed,
}

/// Looks through all pages of what one request answers.
fn pages<R: serde::Serialize>(
    context: &Context<'_>,
    row: &ReceiptRow,
    tags: &Tags,
    found: &mut Vec<Named>,
    request: &str,
    page: impl Fn(Option<String>) -> R,
) -> Result<Looked, HubError> {
    let mut after = None;
    loop {
        let answer: Searched = match context.hub.call(request, &page(after)) {
            Err(HubError::Refused { kind, .. }) if kind == NOT_ALLOWED => return Ok(Looked::NotAllowed),
            // A hub that is older has no such texts.
            Err(HubError::Refused { kind, .. }) if kind == NOT_FOUND => return Ok(Looked::All),
            answer => answer?,
        };
        look(context, row, tags, answer.contents, found)?;
        match answer.next {
            Some(next) => after = Some(next),
            None => return Ok(Looked::All),
        }
    }
}

/// Names versions of other machines that have a content which was redacted here as a whole. Hashes are enough for that, so it needs
/// no right to read contents, and reaches those that the hub does not have.
fn equal(context: &Context<'_>, row: &ReceiptRow, tags: &Tags) -> Result<(), HubError> {
    let own = context.machine.to_string();
    let (mut found, mut after) = (BTreeSet::new(), None);
    loop {
        let asked = ListVersions { after, limit: VERSIONS };
        let page: VersionPage = context.hub.call("versions", &asked)?;
        let others = page.versions.iter().filter(|version| version.machine != own);
        let hashes = others.filter_map(|version| Sha256::from_hex(version.content_sha256.as_deref()?));
        found.extend(hashes.filter(|sha256| tags.is_content(sha256)));
        match page.next {
            Some(next) => after = Some(next),
            None => break,
        }
    }
    let parts = context.together.read(|reader| Ok(reader.parts_by_code()?))?;
    let named = |sha256: Sha256| {
        let known = tags.code_of_content(&sha256).and_then(|code| parts.get(&code[..]));
        match known {
            // The path alone held it there.
            Some(parts) if parts.is_empty() => None,
            Some(parts) => Some(Named { sha256, parts: parts.iter().copied().take(MAX_PARTS).collect() }),
            None => Some(Named { sha256, parts: Vec::new() }),
        }
    };
    let found: Vec<Named> = found.into_iter().filter_map(named).collect();
    for contents in found.chunks(NAMED) {
        name(context, row, contents.to_vec())?;
    }
    Ok(())
}

/// Where the hub has fewer redacted versions of this machine than it was told of, a backup was restored or a standby took over, and it
/// lost redactions: it is told of all of them again. `known` is what it has.
pub(crate) fn tell_what_was_lost(context: &Context<'_>, known: Option<u64>) -> Result<(), HubError> {
    let inner = context.together;
    let member = state::joined(inner)?;
    let Some(known) = known else { return Ok(()) };
    let told = inner.read(|reader| {
        let mut told = 0;
        for (id, state) in &member.stores {
            let (Ok(store), Some(sent)) = (StoreId::parse(id), state.sent) else { continue };
            let (all, _) = reader.masked_after(store, 0)?;
            let (not_told, _) = reader.masked_after(store, state.redaction)?;
            let count = |seqs: &[u64]| seqs.iter().filter(|seq| **seq <= sent.local_seq).count();
            told += count(&all).saturating_sub(count(&not_told)) as u64;
        }
        Ok(told)
    })?;
    if known >= told {
        if member.lost_at.is_some() {
            state::update_all(inner, |member| member.lost_at = None)?;
        }
        return Ok(());
    }
    if member.lost_at != Some(known) {
        state::update_all(inner, |member| {
            member.search_all = true;
            member.lost_at = Some(known);
            member.stores.values_mut().for_each(|state| state.redaction = 0);
        })?;
    }
    Ok(())
}

/// Looks for the secrets in a page of texts, and names those that hold them.
fn look(
    context: &Context<'_>,
    row: &ReceiptRow,
    tags: &Tags,
    contents: Vec<PackedContent>,
    found: &mut Vec<Named>,
) -> Result<(), HubError> {
    for content in contents {
        let size = usize::try_from(content.size).unwrap_or(usize::MAX).min(MAX_CONTENT);
        // One that does not unpack is not what its machine sent: that machine's own sync tells.
        let Ok(bytes) = zstd::bulk::decompress(&content.packed.0, size) else { continue };
        let parts: Vec<(u64, u64)> = tags
            .secrets_at(&bytes)
            .into_iter()
            .take(MAX_PARTS)
            .map(|part| (part.start as u64, part.end as u64))
            .collect();
        if !parts.is_empty() {
            found.push(Named { sha256: content.sha256, parts });
        }
        if found.len() == NAMED {
            name(context, row, std::mem::take(found))?;
        }
    }
    Ok(())
}

fn name(context: &Context<'_>, row: &ReceiptRow, contents: Vec<Named>) -> Result<Reached, HubError> {
    context.hub.call("name", &Name { order: ordered(row), contents })
}

/// Looks again in every text that the hub keeps beside contents, where a redaction is to be looked at again: somebody may have written it
/// there since. Who may not read contents was told so when it was redacted.
pub(crate) fn search_texts_again(context: &Context<'_>, order: &str) -> Result<(), HubError> {
    let inner = context.together;
    let tags = inner.tags()?;
    if !tags.has_secrets() {
        return Ok(());
    }
    let receipts = inner.read(|reader| Ok(reader.receipts()?))?;
    let of = |row: &&ReceiptRow| order_id(context.machine, &row.id.to_string()).to_string() == order;
    // Where another machine ordered it, its own redactions are what this one can name.
    let Some(row) = receipts.iter().find(of).or_else(|| receipts.first()) else { return Ok(()) };
    let mut found = Vec::new();
    pages(context, row, &tags, &mut found, "search_texts", |after| Search { after })?;
    if !found.is_empty() {
        name(context, row, found)?;
    }
    Ok(())
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "hub_redactions";
    not_searched() => "This machine's role does not read contents of other machines, so the secret was not looked for there. What has exactly the same content is taken out everywhere all the same.",
    search_from_a_reviewer() => "Redact it on a machine of an owner or a reviewer as well.",
}
