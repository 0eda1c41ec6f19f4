//! Names of stores by their id, since versions carry the id only.

use super::visible;
use retrace_api::wire::Stores;
use std::collections::BTreeMap;

/// Names of stores by their id.
#[derive(Default)]
pub struct Names(BTreeMap<String, String>);

impl Names {
    /// The names of a list of stores.
    pub fn of(stores: Stores) -> Self {
        Self(stores.stores.into_iter().map(|store| (store.id, store.name)).collect())
    }

    /// The store's name, or its id when it is no longer on the list; ready to print.
    pub fn store(&self, id: &str) -> String {
        visible::line(self.0.get(id).map_or(id, String::as_str))
    }

    /// The store's name as it is typed; none when it is no longer on the list.
    pub fn typed(&self, id: &str) -> Option<&str> {
        self.0.get(id).map(String::as_str)
    }

    /// `STORE:PATH`, ready to print. A path that was redacted is said to be.
    pub fn place(&self, id: &str, path: Option<&str>) -> String {
        let path = path.map_or_else(|| "(redacted)".to_owned(), visible::line);
        format!("{}:{path}", self.store(id))
    }
}
