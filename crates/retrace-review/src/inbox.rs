//! The inbox: what a person has left to review, in groups, and what each item says.
//!
//! Grouping looks at all that is left, which is little per item; contents are read for the items of one page alone.
//! Deliberately absent: deciding. That is `commands/review.rs`.

use crate::Review;
use crate::kinds;
use crate::triage::verb_of;
use crate::view;
use crate::wire::{ApiError, ContentKind, FigureKind, InboxItem, ItemVerb};
use retrace_health::Configurations;
use retrace_log::{Items, Unreviewed, VersionRow};
use retrace_message::Message;
use retrace_model::{Actor, StoreId, VersionOperation};
use std::collections::HashMap;

/// Changes of one store by one writer that are at most so far apart belong together, in microseconds: an agent that tidies
/// its memory takes seconds between two files, minutes where it thinks or asks in between.
const BURST_GAP_MICROS: u64 = 5 * 60 * 1_000_000;

/// Items that belong together, as places in the list they were made from, newest first.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub members: Vec<usize>,
}

/// Puts items (newest first) into groups, which come out newest first.
pub(crate) fn groups(items: &[Unreviewed]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut sessions: HashMap<&str, usize> = HashMap::new();
    let mut bursts: HashMap<(StoreId, &Actor), usize> = HashMap::new();
    for (at, item) in items.iter().enumerate() {
        let known = match &item.writer {
            Actor::Session { id, .. } => sessions.get(id.as_str()).copied(),
            writer => bursts.get(&(item.store, writer)).copied().filter(|group| {
                let last = groups[*group].members.last().map(|last| &items[*last]);
                last.is_some_and(|last| are_close(last, item))
            }),
        };
        match known {
            Some(group) => groups[group].members.push(at),
            None => {
                match &item.writer {
                    Actor::Session { id, .. } => drop(sessions.insert(id, groups.len())),
                    writer => drop(bursts.insert((item.store, writer), groups.len())),
                }
                groups.push(Group { members: vec![at] });
            }
        }
    }
    groups
}

/// The versions that an item is read from, by their place in the log.
pub(crate) fn places(item: &Unreviewed) -> impl Iterator<Item = u64> + use<> {
    item.base.into_iter().chain([item.newest])
}

fn are_close(one: &Unreviewed, other: &Unreviewed) -> bool {
    one.operation_seq == other.operation_seq
        || one.at.micros().abs_diff(other.at.micros()) <= BURST_GAP_MICROS
}

impl Review {
    /// Everything a page says of one item.
    pub fn inbox_item(
        &self,
        items: &Items<'_, '_>,
        item: &Unreviewed,
        configurations: &mut Configurations,
    ) -> Result<InboxItem, ApiError> {
        let reader = items.reader();
        let newest = items.version(item.newest)?;
        let base = item.base.map(|seq| items.version(seq)).transpose()?;
        let path = match &newest.path {
            Some(path) => Some(path.clone()),
            None => reader.path_of(newest.memory)?,
        };
        let previous_path = base.as_ref().and_then(|base| base.path.clone()).filter(|before| {
            newest.operation != VersionOperation::Deleted && path.as_ref().is_some_and(|now| now != before)
        });
        let verb = verb_of(&newest, path.as_ref(), base.as_ref());
        // Newer contents mostly lean on older ones, so the older one is read first.
        let contents = reader.recent();
        let base_size = base.as_ref().map_or(Some(0), size);
        let base_tokens = match &base {
            None => Some(0),
            Some(base) => self.token_counts.of(&contents, base)?,
        };
        let path = path.map(|path| path.to_string());
        let lines = self.line_counts.of(&contents, base.as_ref(), &newest)?;
        let (size, tokens) = (size(&newest), self.token_counts.of(&contents, &newest)?);
        // A deleted memory is of the kind that it was.
        let typed =
            base.as_ref().filter(|_| newest.operation == VersionOperation::Deleted).unwrap_or(&newest);
        Ok(InboxItem {
            store_id: newest.store.to_string(),
            memory_id: newest.memory.to_string(),
            kind: kinds::view(&self.kind_of(
                &contents,
                &self.store_place(reader, newest.store)?,
                path.as_deref(),
                typed,
            )?),
            path,
            previous_path: previous_path.filter(|_| verb == ItemVerb::Moved).map(|path| path.to_string()),
            verb,
            base_version_id: base.as_ref().map(|base| base.id.to_string()),
            version_id: newest.id.to_string(),
            versions: newest.number - base.as_ref().map_or(0, |base| base.number.min(newest.number)),
            operation_seq: newest.operation_seq,
            created_at: newest.created_at.to_rfc3339(),
            created_by: view::actor(&item.writer),
            put_back: retrace_engine::written::put_back(reader, &newest)?,
            source: newest.source.into(),
            note: newest.note.as_deref().map(Message::of_saved),
            content_kind: match (&newest.content, &newest.redaction) {
                (_, Some(_)) => Some(ContentKind::Redacted),
                (Some(content), None) => Some(view::content_kind(content)),
                (None, None) => None,
            },
            base_size_bytes: base_size,
            content_size_bytes: size,
            size_change: difference(base_size, size),
            base_tokens,
            tokens,
            token_change: difference(base_tokens, tokens),
            tokens_kind: FigureKind::CountedOffline,
            reappeared: items.was_rejected(&newest)?,
            added: lines.map(|(added, _)| added),
            removed: lines.map(|(_, removed)| removed),
            origin: retrace_history::origin_note(&self.history, reader, &newest)?,
            findings: self.checks.findings_of_item(
                (items, &contents),
                item,
                &newest,
                base.as_ref(),
                configurations,
            )?,
        })
    }
}

/// Bytes of a version: none when it deleted the memory, unknown when it is redacted.
fn size(version: &VersionRow) -> Option<u64> {
    match (&version.content, &version.redaction) {
        (Some(content), _) => Some(content.size),
        (None, Some(_)) => None,
        (None, None) => Some(0),
    }
}

fn difference(before: Option<u64>, after: Option<u64>) -> Option<i64> {
    let signed = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    Some(signed(after?) - signed(before?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use retrace_model::{Evidence, Timestamp};

    fn item(newest: u64, operation_seq: u64, seconds: i64, writer: &Actor, store: u8) -> Unreviewed {
        Unreviewed {
            store: StoreId([store; 16]),
            base: None,
            newest,
            operation_seq,
            at: Timestamp::from_micros(seconds * 1_000_000),
            writer: writer.clone(),
        }
    }

    fn session(id: &str, evidence: Evidence) -> Actor {
        Actor::Session { id: id.to_owned(), evidence }
    }

    fn members(items: &[Unreviewed]) -> Vec<Vec<u64>> {
        let newest = |group: Group| group.members.into_iter().map(|at| items[at].newest).collect();
        groups(items).into_iter().map(newest).collect()
    }

    #[test]
    fn a_session_is_one_group_however_it_is_known_and_wherever_it_wrote() {
        let (sure, likely) = (session("a", Evidence::Stated), session("a", Evidence::TimeOnly));
        let other = session("b", Evidence::Stated);
        let items = [
            item(9, 9, 90_000, &sure, 1),
            item(8, 8, 50_000, &other, 1),
            item(7, 7, 10, &likely, 2),
            item(6, 6, 9, &other, 1),
        ];
        assert_eq!(members(&items), [vec![9, 7], vec![8, 6]]);
    }

    #[test]
    fn without_a_session_a_pause_another_store_or_another_writer_begins_a_group() {
        let user = Actor::User { id: "ada".to_owned() };
        let items = [
            item(9, 9, 1000, &Actor::Unknown, 1),
            item(8, 8, 990, &Actor::Unknown, 2),
            item(7, 7, 980, &user, 1),
            item(6, 6, 700, &Actor::Unknown, 1),
            item(5, 5, 399, &Actor::Unknown, 1),
            // A clock that jumps does not tear an operation apart.
            item(4, 5, 90_000, &Actor::Unknown, 1),
        ];
        assert_eq!(members(&items), [vec![9, 6], vec![8], vec![7], vec![5, 4]]);
    }

    #[test]
    fn a_burst_goes_on_as_long_as_no_pause_is_too_long() {
        let items: Vec<Unreviewed> =
            (1..=5).rev().map(|at| item(at, at, 300 * at as i64, &Actor::Unknown, 1)).collect();
        assert_eq!(members(&items), [vec![5, 4, 3, 2, 1]]);
        assert!(groups(&[]).is_empty());
    }
}
