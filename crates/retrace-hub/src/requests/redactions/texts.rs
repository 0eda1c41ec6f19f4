//! Comments and proposals: they may quote what was redacted, so they are searched as contents are, and lose it.

use super::search::opened;
use super::{Going, Parts, Value, columns, left};
use crate::Failure;
use crate::audit;
use crate::database::Scoped;
use crate::keys::{Place, Sealed};
use crate::requests::{Caller, digest, id16, invalid};
use crate::routes::Hub;
use retrace_model::{MachineId, OrgId, ProposalId, Sha256, StoreId};
use retrace_sync::messages::{Bytes, PackedContent};
use retrace_sync::together::{MAX_TEXT, PAGE_BYTES, Search, Searched};
use std::collections::BTreeSet;

/// Comments of a page that is searched, at most.
const COMMENTS: i64 = 256;

/// Proposals of a page that is searched, at most: each may have a content.
const PROPOSALS: i64 = 20;

/// Bytes of a comment or a note, at most.
const MAX_TEXT_BYTES: usize = MAX_TEXT * 4;

/// What stands in the place of what was redacted.
pub(super) const REDACTED: &str = "[redacted]";
pub(super) const MARKER: &[u8] = REDACTED.as_bytes();

/// Effort of zstd.
const EFFORT: i32 = 3;

/// A page of the comments, of the texts and notes of proposals and of the other texts that are kept, for a machine that looks for what
/// it redacted.
pub(crate) async fn search_texts(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    request: Search,
) -> Result<Searched, Failure> {
    let bad = || invalid("The page begins nowhere.");
    let page = match request.after.as_deref().map(|after| after.split_once(':').ok_or_else(bad)) {
        None => comments(hub, scoped, caller, 0).await?,
        Some(after) => match after? {
            ("c", number) => comments(hub, scoped, caller, number.parse().map_err(|_| bad())?).await?,
            ("p", "") => proposals(hub, scoped, caller, Vec::new()).await?,
            ("p", id) => {
                let id = ProposalId::parse(id).map_err(|_| bad())?;
                proposals(hub, scoped, caller, id.0.to_vec()).await?
            }
            ("t", place) => columns::page(scoped, caller.org, place).await?.ok_or_else(bad)?,
            ("a", number) => left::page(scoped, caller.org, number.parse().map_err(|_| bad())?).await?,
            _ => return Err(bad()),
        },
    };
    audit::note(scoped, caller, "search_texts", &format!("{} texts", page.contents.len())).await?;
    Ok(page)
}

async fn comments(hub: &Hub, scoped: &Scoped, caller: &Caller, after: i64) -> Result<Searched, Failure> {
    let rows = scoped
        .client()?
        .query(
            "SELECT store, machine, sha256, size, wrapped_key, bytes, number FROM comments
             WHERE org = $1 AND number > $2 AND bytes IS NOT NULL ORDER BY number LIMIT $3",
            &[&&caller.org.0[..], &after, &COMMENTS],
        )
        .await?;
    let mut contents = Vec::with_capacity(rows.len());
    for row in &rows {
        let place = (caller.org, StoreId(id16(row, 0)?), MachineId(id16(row, 1)?));
        let sealed = Sealed { wrapped_key: row.get(4), bytes: row.get(5) };
        contents.push(opened(hub, place, digest(row, 2)?, row.get(3), &sealed)?);
    }
    let full = i64::try_from(rows.len()).unwrap_or(i64::MAX) == COMMENTS;
    let last = rows.last().filter(|_| full).map(|row| format!("c:{}", row.get::<_, i64>(6)));
    Ok(Searched { contents, next: Some(last.unwrap_or_else(|| "p:".to_owned())) })
}

async fn proposals(hub: &Hub, scoped: &Scoped, caller: &Caller, after: Vec<u8>) -> Result<Searched, Failure> {
    let rows = scoped
        .client()?
        .query(
            "SELECT store, machine, sha256, size, wrapped_key, bytes, note, id FROM proposals
             WHERE org = $1 AND id > $2 AND (bytes IS NOT NULL OR note IS NOT NULL) ORDER BY id LIMIT $3",
            &[&&caller.org.0[..], &after, &PROPOSALS],
        )
        .await?;
    let (mut contents, mut bytes, mut next) = (Vec::new(), 0, None);
    let full = i64::try_from(rows.len()).unwrap_or(i64::MAX) == PROPOSALS;
    for (place, row) in rows.iter().enumerate() {
        if let Some(note) = row.get::<_, Option<String>>(6) {
            bytes += note.len();
            contents.push(PackedContent {
                sha256: Sha256::of(note.as_bytes()),
                size: note.len() as u64,
                packed: Bytes(packed(note.as_bytes())?),
            });
        }
        let (key, text): (Option<Vec<u8>>, Option<Vec<u8>>) = (row.get(4), row.get(5));
        if let Some((wrapped_key, text)) = key.zip(text) {
            bytes += text.len();
            let of = (caller.org, StoreId(id16(row, 0)?), MachineId(id16(row, 1)?));
            let sealed = Sealed { wrapped_key, bytes: text };
            contents.push(opened(hub, of, digest(row, 2)?, row.get(3), &sealed)?);
        }
        let last = place + 1 == rows.len();
        if (last && full) || (!last && bytes >= PAGE_BYTES) {
            next = Some(format!("p:{}", ProposalId(id16(row, 7)?)));
            break;
        }
    }
    Ok(Searched { contents, next: Some(next.unwrap_or_else(|| "t:0:".to_owned())) })
}

pub(super) fn packed(text: &[u8]) -> Result<Vec<u8>, Failure> {
    zstd::bulk::compress(text, EFFORT).map_err(|_| Failure::Machine("a text could not be packed".into()))
}

/// Of what goes the hashes that comments, proposals, their notes or other texts have.
pub(super) async fn elsewhere(
    scoped: &Scoped,
    org: OrgId,
    going: &Going,
) -> Result<BTreeSet<Vec<u8>>, Failure> {
    let hashes: Vec<&[u8]> = going.keys().map(|sha256| &sha256.0[..]).collect();
    let rows = scoped
        .client()?
        .query(include_str!("../../../statements/texts_hashes.sql"), &[&&org.0[..], &hashes])
        .await?;
    let mut known: BTreeSet<Vec<u8>> = rows.iter().map(|row| row.get(0)).collect();
    known.extend(columns::elsewhere(scoped, org, going).await?);
    Ok(known)
}

/// Takes what goes out of comments, of the other texts that are kept, and of notes of proposals; a marker stands in its place. A
/// proposal that waits and holds it, in its
/// text or its note, is withdrawn. Answers how many there were.
pub(super) async fn take_out(hub: &Hub, scoped: &Scoped, org: OrgId, going: &Going) -> Result<u64, Failure> {
    let client = scoped.client()?;
    let hashes: Vec<&[u8]> = going.keys().map(|sha256| &sha256.0[..]).collect();
    let of: [Value<'_>; 2] = [&&org.0[..], &hashes];
    let rows = client
        .query(
            "SELECT store, machine, sha256, size, wrapped_key, bytes, number FROM comments
             WHERE org = $1 AND sha256 = ANY($2)",
            &of,
        )
        .await?;
    let mut texts = rows.len() as u64 + columns::take_out(scoped, org, going).await?;
    for row in &rows {
        let sha256 = digest(row, 2)?;
        let place = Place { org, store: StoreId(id16(row, 0)?), machine: MachineId(id16(row, 1)?) };
        let sealed = Sealed { wrapped_key: row.get(4), bytes: row.get(5) };
        let was = opened(hub, (org, place.store, place.machine), sha256, row.get(3), &sealed)?;
        let was = zstd::bulk::decompress(&was.packed.0, MAX_TEXT_BYTES)
            .map_err(|_| Failure::Database("a comment is damaged".into()))?;
        let text = without(&was, going.get(&sha256));
        let sha256 = Sha256::of(&text);
        let sealed = hub.keys.seal(place, &sha256, &packed(&text)?)?;
        client
            .execute(
                "UPDATE comments SET sha256 = $3, size = $4, wrapped_key = $5, bytes = $6 WHERE org = $1 AND number = $2",
                &[
                    of[0],
                    &row.get::<_, i64>(6),
                    &&sha256.0[..],
                    &i64::try_from(text.len()).unwrap_or(i64::MAX),
                    &sealed.wrapped_key,
                    &sealed.bytes,
                ],
            )
            .await?;
    }
    let rows = client
        .query(
            "SELECT id, note FROM proposals WHERE org = $1 AND note IS NOT NULL
                 AND sha256(convert_to(note, 'UTF8')) = ANY($2)",
            &of,
        )
        .await?;
    texts += rows.len() as u64;
    for row in &rows {
        let was: String = row.get(1);
        let text = without(was.as_bytes(), going.get(&Sha256::of(was.as_bytes())));
        client
            .execute(
                "UPDATE proposals SET note = $3, state = CASE WHEN state = 'waiting' THEN 'withdrawn' ELSE state END,
                     sha256 = NULL, size = NULL, wrapped_key = NULL, bytes = NULL
                 WHERE org = $1 AND id = $2",
                &[of[0], &row.get::<_, Vec<u8>>(0), &String::from_utf8_lossy(&text)],
            )
            .await?;
    }
    // Those whose text holds it. What is no text of a person was looked at before: the content that a proposal expects.
    texts += client
        .execute(
            "UPDATE proposals SET state = CASE WHEN state = 'waiting' THEN 'withdrawn' ELSE state END, path = NULL,
                 expects = NULL, sha256 = NULL, size = NULL, wrapped_key = NULL, bytes = NULL, note = NULL
             WHERE org = $1 AND (sha256 = ANY($2) OR expects = ANY($2))",
            &of,
        )
        .await?;
    Ok(texts)
}

/// A text without parts of it, which a marker stands for; of one that goes as a whole, or whose parts are none of it, the marker alone.
pub(super) fn without(text: &[u8], parts: Option<&Parts>) -> Vec<u8> {
    let mut parts: Vec<(u64, u64)> = parts.map(Parts::sent).unwrap_or_default();
    parts.sort_unstable();
    let (mut out, mut kept) = (Vec::with_capacity(text.len()), 0);
    for (start, end) in &parts {
        let range = usize::try_from(*start).ok().zip(usize::try_from(*end).ok());
        let Some((start, end)) = range.filter(|(_, end)| *end <= text.len()) else { return MARKER.to_vec() };
        // Parts may lie over each other, or touch: one marker stands for them.
        if start > kept || (start == 0 && kept == 0) {
            out.extend_from_slice(text.get(kept..start).unwrap_or_default());
            out.extend_from_slice(MARKER);
        }
        kept = kept.max(end);
    }
    if parts.is_empty() {
        return MARKER.to_vec();
    }
    out.extend_from_slice(text.get(kept..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(text: &str, parts: &[(u64, u64)]) -> String {
        let parts = Parts::of(parts).expect("parts");
        String::from_utf8(without(text.as_bytes(), Some(&parts))).expect("text")
    }

    #[test]
    fn a_marker_stands_for_each_part() {
        assert_eq!(left("open with heron now", &[(10, 15)]), "open with [redacted] now");
        assert_eq!(left("heron, heron", &[(7, 12), (0, 5)]), "[redacted], [redacted]");
        assert_eq!(left("a heron-heron b", &[(2, 8), (4, 13), (8, 13)]), "a [redacted] b");
        assert_eq!(left("heron", &[]), "[redacted]", "the whole");
        assert_eq!(left("heron", &[(0, 50)]), "[redacted]", "what is no part of it");
    }
}
