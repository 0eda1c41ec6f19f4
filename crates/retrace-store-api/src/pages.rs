//! Pages of lists, wherever the stores are kept.

use crate::call::ListMemories;
use crate::cursor::{Cursor, Listing};
use crate::objects::{self, ListItem};
use crate::path::MemoryPath;
use retrace_model::StoreId;
use serde_json::Value;

/// A page of rows in the order of the list, of which one more was read than the page may have. `place` says where a row is.
///
/// # Errors
/// That of `item`.
pub fn page<T, E>(
    mut rows: Vec<T>,
    limit: u64,
    listing: Listing<'_>,
    place: impl Fn(&T) -> u64,
    item: impl Fn(&T) -> Result<Value, E>,
) -> Result<Value, E> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| more).map(|row| Cursor::number(place(row)).write(listing));
    Ok(objects::page(rows.iter().map(item).collect::<Result<_, E>>()?, next))
}

/// What a path adds to a page of memories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Slot {
    /// Nothing: it was on a page before, or its directory is on this one already, or the API cannot name it.
    Passed,
    /// An item for a directory; give it to [`MemoryPage::add`].
    Directory(String),
    /// Its memory; give that to [`MemoryPage::add`].
    Memory,
}

/// A page of memories that is being filled, from paths in the order of their bytes.
#[derive(Debug)]
pub struct MemoryPage<'l> {
    list: &'l ListMemories,
    limit: usize,
    last: Vec<u8>,
    items: Vec<Value>,
    more: bool,
}

impl<'l> MemoryPage<'l> {
    /// An empty page of a list.
    #[must_use]
    pub fn of(list: &'l ListMemories) -> Self {
        let limit = usize::try_from(list.limit).unwrap_or(usize::MAX);
        Self { list, limit, last: Vec::new(), items: Vec::new(), more: false }
    }

    /// The item's place in the list: its directory, where only what is directly below the prefix is listed, or its path.
    fn place<'p>(&self, path: &'p [u8]) -> (&'p [u8], bool) {
        let prefix = self.list.prefix.relative().len();
        let below = if self.list.direct { path.get(prefix..).unwrap_or_default() } else { &[] };
        match below.iter().position(|byte| *byte == b'/') {
            Some(at) => (&path[..=prefix + at], true),
            None => (path, false),
        }
    }

    /// What the next path adds.
    #[must_use]
    pub fn slot(&self, path: &[u8]) -> Slot {
        let (place, is_directory) = self.place(path);
        // A directory comes once, at its first memory.
        if self.list.after.as_deref().is_some_and(|after| place <= after) || place == self.last {
            return Slot::Passed;
        }
        if !is_directory {
            return Slot::Memory;
        }
        let text = std::str::from_utf8(place).ok();
        let named =
            text.filter(|text| MemoryPath::parse(&format!("/{}", text.trim_end_matches('/'))).is_ok());
        named.map_or(Slot::Passed, |text| Slot::Directory(format!("/{text}")))
    }

    /// Adds the item of a path. False when the page is full and the item begins the next one.
    pub fn add(&mut self, path: &[u8], item: &ListItem, legacy: bool) -> bool {
        if self.items.len() == self.limit {
            self.more = true;
            return false;
        }
        self.last = self.place(path).0.to_vec();
        self.items.push(item.to_json(legacy));
        true
    }

    /// The page as it is answered.
    #[must_use]
    pub fn finish(self, store: StoreId) -> Value {
        let next = self.more.then(|| Cursor::path(&self.last).write(self.list.listing(store)));
        objects::page(self.items, next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::View;
    use crate::path::Prefix;

    const STORE: StoreId = StoreId([3; 16]);
    const PATHS: [&str; 6] = ["a", "b/c", "b/d/e", "b0", "c/x", "c/y"];

    fn pages(prefix: &str, direct: bool, limit: u64) -> Vec<Vec<String>> {
        let prefix = Prefix::parse(prefix).expect("a prefix");
        let mut list = ListMemories { prefix, direct, view: View::Basic, limit, after: None };
        let mut pages = Vec::new();
        loop {
            let asked = list.clone();
            let (mut page, mut shown) = (MemoryPage::of(&asked), Vec::new());
            let relative = asked.prefix.relative();
            for path in PATHS.iter().map(|path| path.as_bytes()).filter(|path| path.starts_with(relative)) {
                let (name, item) = match page.slot(path) {
                    Slot::Passed => continue,
                    Slot::Directory(text) => (text.clone(), ListItem::Prefix(text)),
                    Slot::Memory => {
                        let text = format!("/{}", String::from_utf8_lossy(path));
                        (text.clone(), ListItem::Prefix(text))
                    }
                };
                if !page.add(path, &item, false) {
                    break;
                }
                shown.push(name);
            }
            pages.push(shown);
            let answer = page.finish(STORE);
            let Some(next) = answer["next_page"].as_str() else { return pages };
            let cursor = Cursor::read(next, asked.listing(STORE)).expect("a cursor");
            list.after = Some(cursor.as_path().to_vec());
        }
    }

    #[test]
    fn directories_come_once_over_all_pages() {
        assert_eq!(pages("/", true, 2), [vec!["/a", "/b/"], vec!["/b0", "/c/"]]);
        assert_eq!(pages("/", true, 100), [["/a", "/b/", "/b0", "/c/"]]);
        assert_eq!(pages("/b/", true, 1), [["/b/c"], ["/b/d/"]]);
        assert_eq!(pages("/c/", false, 1), [["/c/x"], ["/c/y"]]);
        assert_eq!(pages("/none/", true, 1), [[""; 0]]);
    }

    #[test]
    fn a_page_of_rows_says_where_it_ends() {
        let page = |rows: Vec<u64>| {
            page(rows, 2, Listing::Stores, |row| *row, |row| Ok::<Value, ()>((*row).into())).expect("a page")
        };
        assert_eq!(page(vec![3, 2]), serde_json::json!({ "data": [3, 2], "next_page": null }));
        let next = Cursor::number(2).write(Listing::Stores);
        assert_eq!(page(vec![3, 2, 1]), serde_json::json!({ "data": [3, 2], "next_page": next }));
    }
}
