//! Attach lists: the memory stores that a session of managed agents is to get, as the `resources` of its creation name them.
//!
//! [`read`] says what is wrong with a list by itself, and [`mount_paths`] where its stores would be mounted. What the stores
//! are (archived, known, how large) is the caller's to find out. Facts: Python SDK 2.11.0
//! (`BetaManagedAgentsMemoryStoreResourceParam`) and documentation page "Using agent memory"; what they leave open is in
//! [`crate::open`]. Every function is total: a list is any JSON value.

use crate::limits::{INSTRUCTIONS_CHARACTERS, STORES_PER_SESSION};
use crate::open;
use retrace_message::Message;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Below this every store is mounted. Source: documentation page "Using agent memory".
pub const MOUNT_ROOT: &str = "/mnt/memory";

/// Type of an item that attaches a memory store.
const TYPE: &str = "memory_store";
/// Prefix of the id of a store.
const ID_PREFIX: &str = "memstore_";
/// Fields of such an item.
const FIELDS: [&str; 4] = ["type", "memory_store_id", "access", "instructions"];
/// Name of the instructions in the seed of the API.
const SEED_INSTRUCTIONS: &str = "prompt";

/// Access of a session to a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Read and write. The default.
    #[default]
    ReadWrite,
    /// Read.
    ReadOnly,
}

impl Access {
    /// The API's word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReadWrite => "read_write",
            Self::ReadOnly => "read_only",
        }
    }
}

/// Weight of a problem: the API refuses a list for an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// It refuses the list.
    Error,
    /// It takes the list, which may not do what was meant.
    Warning,
}

impl Weight {
    /// `error` or `warning`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// Something an attach list may not have, or should not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Its weight.
    pub weight: Weight,
    /// Where, as a JSON pointer into the value that was given.
    pub at: String,
    /// One sentence.
    pub message: Message,
}

impl Problem {
    /// Problem that the API refuses.
    #[must_use]
    pub fn error(at: impl Into<String>, message: impl Into<Message>) -> Self {
        Self { weight: Weight::Error, at: at.into(), message: message.into() }
    }

    /// Problem that the API accepts.
    #[must_use]
    pub fn warning(at: impl Into<String>, message: impl Into<Message>) -> Self {
        Self { weight: Weight::Warning, at: at.into(), message: message.into() }
    }
}

/// One attached store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// Position in the list, from 0.
    pub index: usize,
    /// JSON pointer of the item.
    pub at: String,
    /// The store's id as given; empty where there is none that is text.
    pub id: String,
    /// Access of the session.
    pub access: Access,
    /// Instructions for the session; `None` where nothing is.
    pub instructions: Option<String>,
    /// Problems of the store by itself.
    pub problems: Vec<Problem>,
}

/// An attach list as it was understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttachList {
    /// Problems of the list as a whole.
    pub problems: Vec<Problem>,
    /// Its memory stores, in order. Items of other types are passed over.
    pub stores: Vec<Attachment>,
}

/// Reads the `resources` of a session: a list, or an object that has one of that name.
#[must_use]
pub fn read(value: &Value) -> AttachList {
    let mut list = AttachList::default();
    let (items, base) = match value {
        Value::Array(items) => (items, String::new()),
        Value::Object(object) => match object.get("resources") {
            Some(Value::Array(items)) => (items, "/resources".to_owned()),
            Some(Value::Null) | None => {
                let sentence = say::no_resources_nothing_attached();
                list.problems.push(Problem::warning("", sentence));
                return list;
            }
            Some(_) => {
                list.problems.push(Problem::error("/resources", say::resources_must_list()));
                return list;
            }
        },
        _ => {
            list.problems.push(Problem::error("", say::neither_list_nor_object_resources()));
            return list;
        }
    };
    for (index, item) in items.iter().enumerate() {
        let at = format!("{base}/{index}");
        match item.as_object().map(|item| (item, item.get("type"))) {
            Some((item, Some(Value::String(kind)))) if kind == TYPE => {
                list.stores.push(attachment(index, at, item));
            }
            Some((_, Some(Value::String(_)))) => {}
            Some((_, Some(_))) => {
                list.problems.push(Problem::error(format!("{at}/type"), say::type_must_text()));
            }
            Some((_, None)) => list.problems.push(Problem::error(at, say::resource_must_type())),
            None => list.problems.push(Problem::error(at, say::resource_must_object())),
        }
    }
    check_together(&mut list, &base);
    list
}

/// Finds problems of the stores of a list together.
fn check_together(list: &mut AttachList, base: &str) {
    let number = list.stores.len();
    if number > STORES_PER_SESSION {
        let sentence = say::memory_stores_attached_session_most(number, STORES_PER_SESSION);
        list.problems.push(Problem::error(base, sentence));
    }
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut again = Vec::new();
    for (place, store) in list.stores.iter().enumerate() {
        if store.id.is_empty() {
            continue;
        }
        match seen.get(store.id.as_str()) {
            Some(first) => again.push((place, *first)),
            None => drop(seen.insert(&store.id, store.index)),
        }
    }
    for (place, first) in again {
        let at = format!("{}/memory_store_id", list.stores[place].at);
        let sentence = say::same_store_attached_already_item(first);
        list.stores[place].problems.push(Problem::error(at, sentence));
    }
}

fn attachment(index: usize, at: String, item: &Map<String, Value>) -> Attachment {
    let mut problems = Vec::new();
    let field = |name: &str| format!("{at}/{}", pointer(name));
    let id = match item.get("memory_store_id") {
        Some(Value::String(id)) => {
            if !is_store_id(id) {
                let sentence = say::stores_id_begins_then_come(ID_PREFIX);
                problems.push(Problem::error(field("memory_store_id"), sentence));
            }
            id.clone()
        }
        Some(_) => {
            problems.push(Problem::error(field("memory_store_id"), say::memory_store_id_must_text()));
            String::new()
        }
        None => {
            problems.push(Problem::error(at.as_str(), say::memory_store_id_missing()));
            String::new()
        }
    };
    let access = match item.get("access") {
        None | Some(Value::Null) => Access::default(),
        Some(Value::String(word)) if word == Access::ReadWrite.as_str() => Access::ReadWrite,
        Some(Value::String(word)) if word == Access::ReadOnly.as_str() => Access::ReadOnly,
        Some(_) => {
            let sentence = say::access_must_read_write_or();
            problems.push(Problem::error(field("access"), sentence));
            Access::default()
        }
    };
    let instructions = match item.get("instructions") {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => {
            let characters = text.chars().count();
            if characters > INSTRUCTIONS_CHARACTERS {
                let sentence = say::instructions_characters_may(characters, INSTRUCTIONS_CHARACTERS);
                problems.push(Problem::error(field("instructions"), sentence));
            }
            Some(text.clone())
        }
        Some(_) => {
            problems.push(Problem::error(field("instructions"), say::instructions_must_text()));
            None
        }
    };
    for name in item.keys().filter(|name| !FIELDS.contains(&name.as_str())) {
        problems.push(unknown(field(name), name));
    }
    Attachment { index, at, id, access, instructions, problems }
}

fn unknown(at: String, name: &str) -> Problem {
    if name == SEED_INSTRUCTIONS {
        let sentence = say::prompt_name_research_preview_passed();
        return Problem::warning(at, sentence);
    }
    let sentence = say::no_field(Value::from(name).to_string());
    if open::MOUNT_UNKNOWN_FIELDS_PASS {
        Problem::warning(at, sentence)
    } else {
        Problem::error(at, sentence)
    }
}

/// A name as part of a JSON pointer (RFC 6901).
fn pointer(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn is_store_id(text: &str) -> bool {
    let rest = text.strip_prefix(ID_PREFIX).unwrap_or_default();
    !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Where a store is mounted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MountPath {
    /// The path.
    pub path: String,
    /// True if it rests on a rule that is not public.
    pub assumed: bool,
    /// True if another store of the same list would be mounted there as well.
    pub collides: bool,
}

/// The last part of a mount path, made from a store's name; and whether a rule that is not public had a say. Lower case,
/// every run of characters other than ASCII letters and digits is one hyphen (Python SDK 2.11.0, `mount_path`).
#[must_use]
pub fn slug(name: &str) -> (String, bool) {
    let mut slug = String::with_capacity(name.len());
    for letter in name.chars() {
        if letter.is_ascii_alphanumeric() {
            slug.push(letter.to_ascii_lowercase());
        } else if !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let trimmed = slug.trim_matches('-');
    if trimmed.is_empty() {
        return (open::MOUNT_WITHOUT_NAME.to_owned(), true);
    }
    let assumed = trimmed.len() < slug.len();
    let slug = if open::MOUNT_TRIMS_HYPHENS { trimmed.to_owned() } else { slug };
    (slug, assumed)
}

/// Where the stores of one session are mounted, by their names in the order of the list; `None` for a store whose name is not
/// known.
#[must_use]
pub fn mount_paths(names: &[Option<&str>]) -> Vec<Option<MountPath>> {
    let slugs: Vec<Option<(String, bool)>> = names.iter().map(|name| name.map(slug)).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (slug, _) in slugs.iter().flatten() {
        *counts.entry(slug).or_default() += 1;
    }
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut paths = Vec::with_capacity(slugs.len());
    for place in &slugs {
        let Some((slug, assumed)) = place else {
            paths.push(None);
            continue;
        };
        let collides = counts.get(slug.as_str()).is_some_and(|count| *count > 1);
        let mut own = slug.clone();
        let mut number = 2;
        while open::MOUNT_NUMBERS_COLLISIONS && !taken.insert(own.clone()) {
            own = format!("{slug}-{number}");
            number += 1;
        }
        let assumed = *assumed || collides || own != *slug;
        paths.push(Some(MountPath { path: format!("{MOUNT_ROOT}/{own}"), assumed, collides }));
    }
    paths
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "mounts";
    no_resources_nothing_attached() => "There is no `resources`, so nothing is attached.",
    resources_must_list() => "`resources` must be a list.",
    neither_list_nor_object_resources() => "This is neither a list nor an object with `resources`.",
    type_must_text() => "`type` must be a text.",
    resource_must_type() => "A resource must have a `type`.",
    resource_must_object() => "A resource must be an object.",
    memory_stores_attached_session_most(number, value) => "{number} memory stores are attached; a session has at most {value}.",
    same_store_attached_already_item(first) => "The same store is attached already, by item {first}.",
    stores_id_begins_then_come(value) => "A store's id begins with `{value}`, then come ASCII letters and digits.",
    memory_store_id_must_text() => "`memory_store_id` must be a text.",
    memory_store_id_missing() => "`memory_store_id` is missing.",
    access_must_read_write_or() => "`access` must be `read_write` or `read_only`.",
    instructions_characters_may(characters, value) => "`instructions` has {characters} characters; it may have {value}.",
    instructions_must_text() => "`instructions` must be a text.",
    prompt_name_research_preview_passed() => "`prompt` was the name of a research preview and is passed over today; it is `instructions` now.",
    no_field(name) => "There is no field {name}.",
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn sentence(value: &Value) -> Vec<String> {
        let list = read(value);
        let own = list.stores.iter().flat_map(|store| store.problems.clone());
        let all = list.problems.clone().into_iter().chain(own);
        all.map(|problem| format!("{} {}: {}", problem.weight.as_str(), problem.at, problem.message))
            .collect()
    }

    fn store(id: &str) -> Value {
        json!({ "type": "memory_store", "memory_store_id": id })
    }

    #[test]
    fn a_list_that_is_in_order() {
        let value = json!({ "resources": [
            { "type": "file", "file_id": "file_1", "anything": [] },
            { "type": "memory_store", "memory_store_id": "memstore_01Hx", "access": "read_only", "instructions": "é" },
            { "type": "memory_store", "memory_store_id": "memstore_02", "access": null, "instructions": null },
        ] });
        assert!(sentence(&value).is_empty(), "{:?}", sentence(&value));
        let list = read(&value);
        let reported: Vec<_> = list
            .stores
            .iter()
            .map(|store| {
                (store.index, store.at.as_str(), store.access.as_str(), store.instructions.as_deref())
            })
            .collect();
        assert_eq!(
            reported,
            [(1, "/resources/1", "read_only", Some("é")), (2, "/resources/2", "read_write", None)]
        );
        assert_eq!(read(&json!([store("memstore_1")])).stores[0].at, "/0");
    }

    #[test]
    fn what_is_wrong_with_a_list() {
        assert_eq!(sentence(&json!("x")), ["error : This is neither a list nor an object with `resources`."]);
        assert_eq!(sentence(&json!({})), ["warning : There is no `resources`, so nothing is attached."]);
        assert_eq!(sentence(&json!({ "resources": 1 })), ["error /resources: `resources` must be a list."]);
        assert_eq!(
            sentence(&json!([1, {}, { "type": 2 }])),
            [
                "error /0: A resource must be an object.",
                "error /1: A resource must have a `type`.",
                "error /2/type: `type` must be a text.",
            ]
        );
        let nine: Vec<Value> = (0..9).map(|number| store(&format!("memstore_{number}"))).collect();
        assert_eq!(
            sentence(&json!({ "resources": nine })),
            ["error /resources: 9 memory stores are attached; a session has at most 8."]
        );
        assert_eq!(
            sentence(&json!([store("memstore_1"), store("memstore_1")])),
            ["error /1/memory_store_id: The same store is attached already, by item 0."]
        );
    }

    #[test]
    fn what_is_wrong_with_an_item() {
        let item = json!([{ "type": "memory_store", "memory_store_id": "mem_1", "access": "write", "instructions": 5,
            "prompt": "x", "a/b": 1 }]);
        assert_eq!(
            sentence(&item),
            [
                "error /0/memory_store_id: A store's id begins with `memstore_`, then come ASCII letters and digits.",
                "error /0/access: `access` must be `read_write` or `read_only`.",
                "error /0/instructions: `instructions` must be a text.",
                "warning /0/a~1b: There is no field \"a/b\".",
                "warning /0/prompt: `prompt` was the name of a research preview and is passed over today; it is \
                 `instructions` now.",
            ]
        );
        assert_eq!(
            sentence(&json!([{ "type": "memory_store" }])),
            ["error /0: `memory_store_id` is missing."]
        );
        let long = json!([{ "type": "memory_store", "memory_store_id": "memstore_1",
            "instructions": "é".repeat(4_097) }]);
        assert_eq!(
            sentence(&long),
            ["error /0/instructions: `instructions` has 4097 characters; it may have 4096."]
        );
    }

    #[test]
    fn names_become_paths() {
        for (name, path, assumed) in [
            ("Demo Memory", "demo-memory", false),
            ("a -- b__C", "a-b-c", false),
            ("Ünder", "nder", true),
            (" x!", "x", true),
            ("記憶", "store", true),
            ("", "store", true),
        ] {
            assert_eq!(slug(name), (path.to_owned(), assumed), "{name}");
        }
        let paths = mount_paths(&[Some("A b"), None, Some("a-B"), Some("a b 2"), Some("a.b")]);
        let reported: Vec<_> = paths
            .iter()
            .map(|path| path.as_ref().map(|path| (path.path.as_str(), path.assumed, path.collides)))
            .collect();
        assert_eq!(
            reported,
            [
                Some(("/mnt/memory/a-b", true, true)),
                None,
                Some(("/mnt/memory/a-b-2", true, true)),
                Some(("/mnt/memory/a-b-2-2", true, false)),
                Some(("/mnt/memory/a-b-3", true, true)),
            ]
        );
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let word = prop_oneof![
            Just("type".to_owned()),
            Just("memory_store".to_owned()),
            Just("memory_store_id".to_owned()),
            Just("resources".to_owned()),
            Just("access".to_owned()),
            Just("instructions".to_owned()),
            Just("memstore_1".to_owned()),
            any::<String>(),
        ];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            word.clone().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 64, 10, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..10).prop_map(Value::from),
                prop::collection::vec((word.clone(), inner), 0..6)
                    .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_value_is_understood(value in any_json()) {
            let list = read(&value);
            for problem in list.problems.iter().chain(list.stores.iter().flat_map(|store| &store.problems)) {
                // A missing field is reported where it should be.
                prop_assert!(value.pointer(&problem.at).is_some(), "{}", problem.at);
                prop_assert!(problem.message.ends_with('.'));
            }
            for store in &list.stores {
                prop_assert_eq!(&value.pointer(&store.at).expect("an item")["type"], "memory_store");
            }
        }

        #[test]
        fn no_two_stores_share_a_path(names in prop::collection::vec(".{0,6}", 0..9)) {
            let names: Vec<Option<&str>> = names.iter().map(|name| Some(name.as_str())).collect();
            let mut seen = BTreeSet::new();
            for path in mount_paths(&names).into_iter().flatten() {
                let last = path.path.strip_prefix("/mnt/memory/").expect("below the root").to_owned();
                prop_assert!(!last.is_empty() && last.bytes().all(|byte| byte.is_ascii_lowercase()
                    || byte.is_ascii_digit() || byte == b'-'));
                prop_assert!(seen.insert(last));
            }
        }
    }
}
