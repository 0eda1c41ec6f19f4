//! Unreviewed changes.

use crate::Review;
use crate::inbox::{Group, groups};
use crate::kinds::kind_filter;
use crate::view;
use crate::wire::{ApiError, Inbox, InboxGroup, InboxKinds, InboxKindsReq, InboxReq, KindCount};
use retrace_health::Configurations;
use retrace_log::Unreviewed;
use retrace_model::{Actor, KindFilter, StoreId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Items of a page where none is said.
const PAGE: u64 = 50;

/// Most items of a page: their contents are read and counted.
const LARGEST_PAGE: u64 = 500;

/// Versions that this person has left to review, in groups, newest first, a page at a time; of a store and of a kind
/// where such are asked for.
///
/// # Errors
/// `not_found` for an unknown store, `invalid` for a page that cannot be asked for or a kind that is none.
pub fn inbox(inner: &Arc<Review>, request: InboxReq) -> Result<Inbox, ApiError> {
    let limit = match request.limit {
        Some(0) => return Err(ApiError::invalid(say::page_least_one_item(), "limit")),
        limit => limit.unwrap_or(PAGE).min(LARGEST_PAGE),
    };
    let kind = kind_filter(request.kind.as_deref())?;
    let before = request.before.as_deref().map(Place::parse).transpose()?;
    inner.read(|reader| {
        let store = request.store.as_deref().map(|name| inner.store_named(reader, name)).transpose()?;
        let store = store.map(|store| store.id);
        let items = inner.left_to_review(reader, store, kind.as_ref())?;
        let of = narrowed(store, kind.as_ref());
        let all = groups(&items);
        let before = before.map(|before| before.now(&all, &items));
        let mut page = Inbox {
            groups: Vec::new(),
            total: items.len() as u64,
            groups_total: all.len() as u64,
            next_before: None,
        };
        let mut left = limit;
        let mut configurations = Configurations::default();
        let read = reader.items(&inner.user())?;
        let mut last = None;
        for group in &all {
            let start = Place::of_group(group, &items);
            let mut shown = None;
            for member in &group.members {
                let place = Place { item: items[*member].newest, ..start };
                if before.is_some_and(|before| !place.is_after(before)) {
                    continue;
                }
                if left == 0 {
                    page.next_before = last.map(Place::print);
                    page.groups.extend(shown);
                    return Ok(page);
                }
                (left, last) = (left - 1, Some(place));
                let shown = shown.get_or_insert_with(|| heading(group, &items, &of));
                shown.items.push(inner.inbox_item(&read, &items[*member], &mut configurations)?);
            }
            page.groups.extend(shown);
        }
        Ok(page)
    })
}

/// Number of items of each kind. It looks at all of them, of which `inbox` reads a page.
///
/// # Errors
/// `not_found` for an unknown store.
pub fn inbox_kinds(inner: &Arc<Review>, request: InboxKindsReq) -> Result<InboxKinds, ApiError> {
    inner.read(|reader| {
        let store = request.store.as_deref().map(|name| inner.store_named(reader, name)).transpose()?;
        let kinds = inner.kinds_left(reader, store.map(|store| store.id))?;
        let mut counts: BTreeMap<KindFilter, u64> = BTreeMap::new();
        for filter in kinds.values().flat_map(KindFilter::all_of) {
            *counts.entry(filter).or_default() += 1;
        }
        let count = |(kind, count): (KindFilter, u64)| KindCount { kind: kind.to_string(), count };
        Ok(InboxKinds { total: kinds.len() as u64, kinds: counts.into_iter().map(count).collect() })
    })
}

/// A place in the list: newest version of the group, newest version of the item. The oldest item of the group stands beside
/// them: a group gets another newest version when something comes to it, and the place is to be found again.
#[derive(Clone, Copy)]
struct Place {
    group: u64,
    item: u64,
    oldest: u64,
}

impl Place {
    fn of_group(group: &Group, items: &[Unreviewed]) -> Self {
        let newest = |member: Option<&usize>| member.map_or(0, |member| items[*member].newest);
        let group_newest = newest(group.members.first());
        Self { group: group_newest, item: group_newest, oldest: newest(group.members.last()) }
    }

    /// The same place in the list as it is now, where the group got something new since.
    fn now(self, all: &[Group], items: &[Unreviewed]) -> Self {
        let with = |newest: u64| {
            all.iter().find(|group| group.members.iter().any(|member| items[*member].newest == newest))
        };
        let group = with(self.item).or_else(|| with(self.oldest)).or_else(|| with(self.group));
        group.map_or(self, |group| Self { item: self.item, ..Self::of_group(group, items) })
    }

    fn is_after(self, other: Self) -> bool {
        (self.group, self.item) < (other.group, other.item)
    }

    fn print(self) -> String {
        format!("{}.{}.{}", self.group, self.item, self.oldest)
    }

    fn parse(text: &str) -> Result<Self, ApiError> {
        let numbers: Option<Vec<u64>> = text.split('.').map(|number| number.parse().ok()).collect();
        let place = match numbers.as_deref() {
            Some(&[group, item, oldest]) => Some(Self { group, item, oldest }),
            _ => None,
        };
        place.ok_or_else(|| ApiError::invalid(say::no_place_inbox(), text).hint(say::give_next_before_page()))
    }
}

/// Filter of a list, as the names of its groups say it: a name must stand for the items that were shown under it.
pub(super) fn narrowed(store: Option<StoreId>, kind: Option<&KindFilter>) -> String {
    let store = store.map(|store| format!("@{store}")).unwrap_or_default();
    let kind = kind.map(|kind| format!(":{kind}")).unwrap_or_default();
    store + &kind
}

pub(super) fn heading(group: &Group, items: &[Unreviewed], of: &str) -> InboxGroup {
    let members = || group.members.iter().map(|member| &items[*member]);
    let writer = members().next().map_or(&Actor::Unknown, |item| &item.writer);
    let time = |at: Option<retrace_model::Timestamp>| at.map(|at| at.to_rfc3339()).unwrap_or_default();
    InboxGroup {
        id: format!("group_{}{of}", Place::of_group(group, items).group),
        session: match writer {
            Actor::Session { id, .. } => Some(id.clone()),
            _ => None,
        },
        actor: view::actor(writer),
        started_at: time(members().map(|item| item.at).min()),
        ended_at: time(members().map(|item| item.at).max()),
        total: group.members.len() as u64,
        items: Vec::new(),
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "inbox";
    page_least_one_item() => "A page has at least one item.",
    no_place_inbox() => "This is no place in the inbox.",
    give_next_before_page() => "Give the `next_before` of a page.",
}
