//! Values of variables, and the directory, while a command is followed.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// The name under which the directory is kept: no variable is called so.
pub(super) const DIRECTORY: &str = " directory";

/// The name under which the directories to come back to are kept, one a line, the last one first.
pub(super) const DIRECTORIES: &str = " directories";

/// A value; `None` for one that only the shell knows.
type Value = Option<Known>;

/// What is known of a value.
#[derive(Clone, PartialEq, Eq)]
struct Known {
    text: Rc<str>,
    /// False where a part of it stands as it was written.
    is_whole: bool,
}

/// What variables have, and what they had before, so that a branch can be left again without a copy of all.
#[derive(Default)]
pub(super) struct State {
    values: HashMap<String, Value>,
    /// Every change with the value before it; outer `None` where there was none.
    changes: Vec<(String, Option<Value>)>,
}

impl State {
    /// The value of a variable, where it is known.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name)?.as_ref().filter(|value| value.is_whole).map(|value| &*value.text)
    }

    /// The value of a variable of which a part stands as it was written.
    pub(super) fn partly(&self, name: &str) -> Option<&str> {
        self.values.get(name)?.as_ref().map(|value| &*value.text)
    }

    /// True if a variable was given a value, or may have been.
    pub(super) fn has(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    pub(super) fn set(&mut self, name: &str, value: Option<String>) {
        self.put(name, value.map(|text| Known { text: text.into(), is_whole: true }));
    }

    /// Sets a value of which a part stands as it was written.
    pub(super) fn set_partly(&mut self, name: &str, text: &str) {
        self.put(name, Some(Known { text: text.into(), is_whole: false }));
    }

    fn put(&mut self, name: &str, value: Value) {
        let before = self.values.insert(name.to_owned(), value);
        self.changes.push((name.to_owned(), before));
    }

    /// A place to come back to.
    pub(super) const fn mark(&self) -> usize {
        self.changes.len()
    }

    /// Takes every change since a mark back; answers what had another value.
    pub(super) fn roll_back(&mut self, mark: usize) -> Vec<String> {
        let mut touched = self.touched(mark);
        for (name, before) in self.changes.drain(mark..).rev() {
            match before {
                Some(value) => self.values.insert(name, value),
                None => self.values.remove(&name),
            };
        }
        touched.sort_unstable();
        touched
    }

    /// Only the shell knows whether the changes since a mark were made.
    pub(super) fn doubt(&mut self, mark: usize) {
        let touched = self.touched(mark);
        self.forget(touched);
    }

    /// Only the shell knows these from here on.
    pub(super) fn forget(&mut self, names: Vec<String>) {
        names.into_iter().for_each(|name| self.set(&name, None));
    }

    /// What has another value than at a mark.
    fn touched(&self, mark: usize) -> Vec<String> {
        let mut seen: HashSet<&str> = HashSet::new();
        let changes = self.changes.get(mark..).unwrap_or_default();
        let first = changes.iter().filter(|(name, _)| seen.insert(name));
        let other = first.filter(|(name, before)| self.values.get(name) != before.as_ref());
        other.map(|(name, _)| name.clone()).collect()
    }
}
