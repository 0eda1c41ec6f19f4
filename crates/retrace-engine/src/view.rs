//! From the log's types to the wire's.

use crate::wire;
use retrace_log::{ContentInfo, Older, OperationRow, ReceiptRow, StoreRow, VersionRow};
use retrace_message::Message;
use retrace_model::{Actor, Rules, StoreState, Timestamp};
use std::collections::HashMap;

/// Notes on the writers of the versions of a list, by their places.
#[derive(Default)]
pub struct Writers {
    /// Sessions that wrote.
    pub notes: HashMap<u64, wire::OriginNote>,
    /// Versions that a person put back.
    pub put_back: HashMap<u64, wire::PutBack>,
}

/// An actor; none of one that is not known.
pub fn actor(actor: &Actor) -> Option<wire::ActorView> {
    Some(match actor {
        Actor::Unknown => return None,
        Actor::Session { id, evidence } => {
            wire::ActorView::SessionActor { session_id: id.clone(), evidence: evidence.as_str().to_owned() }
        }
        Actor::Api { id } => wire::ActorView::ApiActor { api_key_id: id.clone() },
        Actor::User { id } => wire::ActorView::UserActor { user_id: id.clone() },
        Actor::ServiceAccount { id } => {
            wire::ActorView::ServiceAccountActor { service_account_id: id.clone() }
        }
    })
}

/// The word of the wire for a kind of content.
pub fn content_kind(content: &ContentInfo) -> wire::ContentKind {
    match (content.kept, content.is_text) {
        (false, _) => wire::ContentKind::TooLarge,
        (true, true) => wire::ContentKind::Text,
        (true, false) => wire::ContentKind::Binary,
    }
}

/// What a baseline is of.
pub fn baseline_of(older: &Older) -> wire::BaselineOf {
    wire::BaselineOf { seq: older.seq, written_at: older.at.to_rfc3339(), written_by: actor(&older.actor) }
}

/// A version.
pub fn version(row: &VersionRow) -> wire::Version {
    wire::Version {
        seq: row.id.seq,
        operation_seq: row.operation_seq,
        id: row.id.to_string(),
        store_id: row.store.to_string(),
        memory_id: row.memory.to_string(),
        operation: row.operation.into(),
        path: row.path.as_ref().map(ToString::to_string),
        previous_path: row.previous_path.as_ref().map(ToString::to_string),
        content_sha256: row.content.map(|content| content.sha256.to_hex()),
        content_size_bytes: row.content.map(|content| content.size),
        content_kind: row.content.as_ref().map(content_kind),
        created_at: row.created_at.to_rfc3339(),
        recorded_at: row.recorded_at.to_rfc3339(),
        rebuilt: row.rebuilt,
        withdrawn: row.withdrawn,
        written_at: row.written_at.map(Timestamp::to_rfc3339),
        baseline_of: row.baseline_of.as_ref().map(baseline_of),
        created_by: actor(&row.actor),
        origin: None,
        put_back: None,
        source: row.source.into(),
        note: row.note.as_deref().map(Message::of_saved),
        redacted_at: row.redaction.as_ref().map(|redaction| redaction.at.to_rfc3339()),
        redacted_by: row.redaction.as_ref().and_then(|redaction| actor(&redaction.actor)),
    }
}

/// A row of a list, with the session that wrote it.
pub fn listed(row: &VersionRow, writers: &Writers) -> wire::Version {
    wire::Version {
        origin: writers.notes.get(&row.id.seq).cloned(),
        put_back: writers.put_back.get(&row.id.seq).cloned(),
        ..version(row)
    }
}

/// Who made an operation: as recorded, else the one session that all its versions shown were joined with.
fn writer<'v>(row: &'v OperationRow, versions: &'v [VersionRow]) -> &'v Actor {
    match (&row.actor, versions.first()) {
        (Actor::Unknown, Some(first))
            if versions.iter().all(|version| same_writer(&version.actor, &first.actor)) =>
        {
            &first.actor
        }
        _ => &row.actor,
    }
}

fn same_writer(one: &Actor, other: &Actor) -> bool {
    match (one, other) {
        (Actor::Session { id, .. }, Actor::Session { id: other, .. }) => id == other,
        _ => one == other,
    }
}

/// An operation with some of its versions.
pub fn operation(
    row: &OperationRow,
    versions: &[VersionRow],
    writers: &Writers,
    undoable: bool,
) -> wire::Operation {
    wire::Operation {
        seq: row.seq,
        store_id: row.store.map(|store| store.to_string()),
        source: row.source.into(),
        created_at: row.created_at.to_rfc3339(),
        created_by: actor(writer(row, versions)),
        note: row.note.as_deref().map(Message::of_saved),
        created: row.counts.0,
        modified: row.counts.1,
        deleted: row.counts.2,
        undone_by: row.undone_by,
        undoable,
        versions: versions.iter().map(|version| listed(version, writers)).collect(),
    }
}

/// Facts beyond a store's row.
#[derive(Default)]
pub struct OfStore {
    /// Number of live memories in it.
    pub memories: u64,
    /// Number of versions the person has left to review.
    pub unreviewed: u64,
    /// True if the Memory Stores API shows it.
    pub shared: bool,
}

/// `state` is what the directory looks like right now, where that was looked at.
pub fn store(
    row: &StoreRow,
    state: Option<(StoreState, Option<Message>)>,
    rules: &Rules,
    of: &OfStore,
) -> wire::Store {
    let (state, detail) = match state {
        _ if row.paused => (StoreState::Paused, None),
        Some(now) => now,
        None => (row.state, row.state_detail.as_deref().map(Message::of_saved)),
    };
    wire::Store {
        id: row.id.to_string(),
        name: row.name.clone(),
        kind: row.kind.into(),
        root: crate::wire::show(&crate::engine::root_of(row)),
        state: state.into(),
        state_detail: detail,
        memories: of.memories,
        versions: row.versions,
        unreviewed: of.unreviewed,
        last_change: row.last_change.map(|at| at.to_rfc3339()),
        rules: rule_lines(rules),
        shared: of.shared,
        mounted: row.has_directory(),
        redacted_before: Vec::new(),
    }
}

fn rule_lines(rules: &Rules) -> Vec<Message> {
    vec![
        say::hidden_files_names_begin_dot(),
        say::temporary_files_of_editors_and_agents(),
        say::directories(rules.skipped_directories.join(", ")),
        say::content_files_above_mib_only(rules.max_file_bytes >> 20),
        say::symbolic_links_not_followed(),
    ]
}

/// A receipt.
pub fn receipt(row: &ReceiptRow) -> wire::Receipt {
    wire::Receipt {
        id: row.id.to_string(),
        created_at: row.created_at.to_rfc3339(),
        created_by: actor(&row.actor),
        reason: row.reason.clone(),
        method: row.method.clone(),
        operation_seq: row.operation_seq,
        versions: row.versions,
        live_files: row.live_files,
        purge: if row.purged { wire::PurgeState::Done } else { wire::PurgeState::Pending },
        places: row
            .places
            .iter()
            .map(|place| wire::ReceiptPlace {
                place: place.place.clone(),
                state: place.state.into(),
                hits: place.hits,
                detail: place.detail.clone(),
                owned: place.owned,
                remedy: place.remedy.clone(),
            })
            .collect(),
        chain_head: row.chain_head.to_hex(),
        chain_verified: row.chain_verified,
        warnings: row.warnings.clone(),
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "view";
    hidden_files_names_begin_dot() => "Hidden files: names that begin with a dot",
    temporary_files_of_editors_and_agents() => "Temporary files of editors and agents: *.tmp, *.tmp.PROCESS.RANDOM, *~, .#*, 4913",
    directories(skipped_directories) => "Directories: {skipped_directories}",
    content_files_above_mib_only(max_file_bytes) => "Content of files above {max_file_bytes} MiB: only hash and size are recorded",
    symbolic_links_not_followed() => "Symbolic links are not followed",
}
