//! Reviewing together: what nobody reviewed, approvals, comments, contents and history of all machines, projects.

mod comments;
mod lists;
mod memories;
mod one;
mod projects;

pub(crate) use comments::remove_comment;
pub(crate) use lists::{history, inbox, machine_named, waiting};
pub(crate) use memories::{decisions, left, note_memories, path_key, withdrawn};
pub(crate) use one::{approve, comment, found, show};
pub(crate) use projects::{of_project, projects};

use super::{Caller, digest, id16};
use crate::Failure;
use retrace_model::{MachineId, MemoryId, StoreId, VersionId};
use retrace_sync::messages::{Bytes, ListedVersion};
use retrace_sync::roles::{Right, allows};
use retrace_sync::together::{HubVersionRow, MAX_TEXT};
use tokio_postgres::Row;

/// What [`row_of`] reads, of `v` joined with `m` and `s`.
pub(crate) const COLUMNS: &str = "v.store, v.machine, v.seq, v.memory, v.operation, v.source, v.created_at, v.path,
    v.content_sha256, v.content_size, v.redacted, m.name, s.name, EXISTS (SELECT 1 FROM contents c WHERE c.org = v.org
        AND c.store = v.store AND c.machine = v.machine AND c.sha256 = v.content_sha256),
    v.local_seq, v.leaf, s.project, EXISTS (SELECT 1 FROM memories r WHERE r.org = v.org AND r.store = v.store
        AND r.machine = v.machine AND r.memory = v.memory AND GREATEST(r.reviewed, r.reviewed_hub) >= v.seq),
    (SELECT count(*) FROM comments k WHERE k.org = v.org AND k.store = v.store AND k.machine = v.machine AND k.seq = v.seq),
    v.expired, v.withdrawn";

/// The tables that [`COLUMNS`] are of.
pub(crate) const TABLES: &str = "versions v JOIN machines m ON m.org = v.org AND m.machine = v.machine
    JOIN stores s ON s.org = v.org AND s.store = v.store AND s.machine = v.machine";

fn count(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

/// A text of a person, without control characters.
pub(crate) fn words(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control() || *letter == '\n').take(MAX_TEXT).collect()
}

/// A person, as a machine names them.
pub(crate) fn person_of(text: &str) -> String {
    let name: String = text.chars().filter(|letter| !letter.is_control()).take(100).collect();
    if name.trim().is_empty() { "unknown".to_owned() } else { name }
}

/// Whether the hub has the content of a version.
fn content_word(redacted: bool, has_content: bool, expired: bool, kept: bool) -> &'static str {
    match (redacted, has_content, expired, kept) {
        // Of a version that lost its path alone the content is there.
        (true, false, ..) => "redacted",
        (false, false, ..) => "none",
        (_, true, true, _) => "expired",
        (_, true, false, true) => "kept",
        (_, true, false, false) => "not_sent",
    }
}

/// True if the caller may read contents of a machine: an auditor of none, a writer of its own.
pub(crate) fn may_read(caller: &Caller, machine: MachineId) -> bool {
    allows(caller.role, Right::ReadContent) || (machine == caller.machine && allows(caller.role, Right::Send))
}

fn project_id(bytes: &[u8]) -> String {
    format!("project_{}", bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
}

/// Reads [`COLUMNS`].
pub(crate) fn row_of(row: &Row) -> Result<HubVersionRow, Failure> {
    let sha256: Option<Vec<u8>> = row.get(8);
    Ok(HubVersionRow {
        id: VersionId::new(count(row.get(14)), &digest(row, 15)?).to_string(),
        row: ListedVersion {
            machine: MachineId(id16(row, 1)?).to_string(),
            machine_name: row.get(11),
            store: StoreId(id16(row, 0)?).to_string(),
            store_name: row.get(12),
            seq: count(row.get(2)),
            memory: MemoryId(id16(row, 3)?).to_string(),
            operation: row.get(4),
            source: row.get(5),
            created_at: row.get(6),
            path: row.get::<_, Option<Vec<u8>>>(7).map(Bytes),
            content: content_word(row.get(10), sha256.is_some(), row.get(19), row.get(13)).to_owned(),
            content_sha256: sha256.is_some().then(|| digest(row, 8)).transpose()?.map(|hash| hash.to_hex()),
            size: row.get::<_, Option<i64>>(9).map(count),
            undone: row.get(20),
        },
        project: row.get::<_, Option<Vec<u8>>>(16).map(|id| project_id(&id)),
        reviewed: row.get(17),
        comments: count(row.get(18)),
    })
}
