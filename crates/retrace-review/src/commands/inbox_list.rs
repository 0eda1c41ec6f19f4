//! All that is left to review, item by item.

use super::inbox::{heading, narrowed};
use crate::Review;
use crate::inbox::{Group, groups, places};
use crate::kinds::kind_filter;
use crate::wire::{ApiError, Code, InboxGroup, InboxItem, InboxReq};
use retrace_health::Configurations;
use retrace_log::Unreviewed;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Items that are read in one go: enough that handing them on costs nothing, few enough that the first ones come at once.
const PORTION: usize = 64;

/// Portions of one thread that wait to be taken.
const WAITING: usize = 4;

/// Threads that read: what they do is reading one database, and a list must not take the machine.
const MOST_THREADS: usize = 4;

/// All that is left to review, in groups, newest first. What is grouped is read once; what is to be said of the items is worked
/// out while they are handed out, so that the first ones come at once and a long inbox takes the memory of a few of them.
pub struct InboxList {
    items: Vec<Unreviewed>,
    groups: Vec<Group>,
    of: String,
}

/// A part of the list.
#[derive(Debug)]
pub enum InboxPart {
    /// A group begins; its items follow.
    Group(InboxGroup),
    /// An item of the group that began last.
    Item(Box<InboxItem>),
}

/// A portion of items in their order, or why it could not be read.
type Portion = Result<Vec<InboxItem>, ApiError>;

impl InboxList {
    /// What this person has left to review now; of a store and of a kind where such are asked for. Pages are not looked at.
    ///
    /// # Errors
    /// As [`inbox`](super::inbox).
    pub fn read(inner: &Arc<Review>, request: &InboxReq) -> Result<Self, ApiError> {
        let kind = kind_filter(request.kind.as_deref())?;
        inner.read(|reader| {
            let store = request.store.as_deref().map(|name| inner.store_named(reader, name)).transpose()?;
            let store = store.map(|store| store.id);
            let items = inner.left_to_review(reader, store, kind.as_ref())?;
            let groups = groups(&items);
            Ok(Self { items, groups, of: narrowed(store, kind.as_ref()) })
        })
    }

    /// Whether nothing is left to review.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The groups without their items.
    pub fn headings(&self) -> impl Iterator<Item = InboxGroup> {
        self.groups.iter().map(|group| heading(group, &self.items, &self.of))
    }

    /// The newest version of each item of a group; `None` where no group has this name.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn versions(&self, inner: &Arc<Review>, group: &str) -> Result<Option<Vec<String>>, ApiError> {
        let Some(index) = self.headings().position(|known| known.id == group) else { return Ok(None) };
        let members = self.groups[index].members.iter();
        inner.read(|reader| {
            let id = |member: &usize| Ok(reader.version(self.items[*member].newest)?.id.to_string());
            members.map(id).collect::<Result<_, ApiError>>().map(Some)
        })
    }

    /// Hands out every group with its items, in order, until `visit` fails. Several threads work out what is said of items; they
    /// are never far ahead of the one that is handed out.
    ///
    /// # Errors
    /// Those of `visit`, and failures of the database.
    pub fn each<E: From<ApiError>>(
        &self,
        inner: &Arc<Review>,
        mut visit: impl FnMut(InboxPart) -> Result<(), E>,
    ) -> Result<(), E> {
        let order: Vec<usize> = self.groups.iter().flat_map(|group| &group.members).copied().collect();
        let portions: Vec<&[usize]> = order.chunks(PORTION).collect();
        let most = std::thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS);
        let threads = most.min(portions.len());
        std::thread::scope(|scope| {
            // Portion after portion comes from thread after thread, so that their order is known and none has to be kept.
            let read: Vec<Receiver<Portion>> = (0..threads)
                .map(|first| {
                    let (give, take) = sync_channel(WAITING);
                    let own: Vec<&[usize]> = portions.iter().skip(first).step_by(threads).copied().collect();
                    scope.spawn(move || self.work_out(inner, &own, &give));
                    take
                })
                .collect();
            let mut portions = (0..portions.len()).map(|number| {
                let portion = read[number % threads].recv();
                portion.unwrap_or_else(|_| Err(ApiError::new(Code::Internal, say::bug_retrace(), "inbox")))
            });
            let mut items = Vec::new().into_iter();
            for group in &self.groups {
                visit(InboxPart::Group(heading(group, &self.items, &self.of)))?;
                for _ in &group.members {
                    let item = loop {
                        match items.next() {
                            Some(item) => break item,
                            None => match portions.next() {
                                Some(portion) => items = portion?.into_iter(),
                                None => return Ok(()),
                            },
                        }
                    };
                    visit(InboxPart::Item(Box::new(item)))?;
                }
            }
            Ok(())
        })
    }

    /// Works out what is said of items, portion by portion, until nobody takes them any more.
    fn work_out(&self, inner: &Review, portions: &[&[usize]], give: &SyncSender<Portion>) {
        let mut configurations = Configurations::default();
        for portion in portions {
            let read = inner.read(|reader| {
                let read = reader.items(&inner.user())?;
                read.read_ahead(portion.iter().flat_map(|at| places(&self.items[*at])))?;
                let mut items = Vec::with_capacity(portion.len());
                for at in *portion {
                    items.push(inner.inbox_item(&read, &self.items[*at], &mut configurations)?);
                }
                Ok::<_, ApiError>(items)
            });
            let failed = read.is_err();
            if give.send(read).is_err() || failed {
                return;
            }
        }
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "inbox_list";
    bug_retrace() => "This is a bug in Retrace.",
}
