//! Requirements of every target on a request: it is read or refused, twice alike, and what is read keeps to the limits.

use retrace_store_api::limits::{CONTENT_BYTES, METADATA_PAIRS, NAME_CHARACTERS, PAGE_MAX, PATH_BYTES};
use retrace_store_api::{Call, MemoryPath, RequestParts, read_call};

/// An id of a store.
pub const STORE: &str = "memstore_00000000000000000000000000";
/// An id of a memory.
pub const MEMORY: &str = "mem_00000000000000000000000000";
/// An id of a version.
pub const VERSION: &str = "memver_000000000000000000000";

/// Reads a request in the mode of today and in the legacy mode.
pub fn asks(method: &str, tail: &str, query: &str, body: &[u8]) {
    for legacy in [false, true] {
        let path = format!("/v1/memory_stores{tail}");
        let request = RequestParts { method, path: &path, query, body, legacy };
        let read = read_call(&request);
        assert_eq!(read, read_call(&request));
        match read {
            Ok(call) => holds(&call),
            Err(refusal) => {
                assert!((400..500).contains(&refusal.kind.status()));
                assert!(!refusal.message.is_empty() && refusal.message.len() < 600, "{}", refusal.message);
                assert!(refusal.to_json("req_0")["error"]["message"].is_string());
            }
        }
    }
}

fn path_holds(path: &MemoryPath) {
    let parts = path.relative();
    assert!(path.as_str().starts_with('/') && path.as_str().len() <= PATH_BYTES);
    assert!(parts.components().all(|part| !matches!(part, b"" | b"." | b"..")), "{path}");
    assert_eq!(MemoryPath::of(&parts).as_ref(), Some(path));
}

fn holds(call: &Call) {
    match call {
        Call::CreateStore(new) => {
            assert!((1..=NAME_CHARACTERS).contains(&new.name.chars().count()));
            assert!(
                new.metadata.len() <= METADATA_PAIRS && new.metadata.values().all(|value| value.is_string())
            );
        }
        Call::CreateMemory(_, new) => {
            path_holds(&new.path);
            assert!(new.content.len() <= CONTENT_BYTES);
        }
        Call::UpdateMemory(_, _, change) => {
            change.path.iter().for_each(path_holds);
            assert!(change.content.as_ref().is_none_or(|content| content.len() <= CONTENT_BYTES));
        }
        Call::ListStores(list) => assert!((1..=PAGE_MAX).contains(&list.limit)),
        Call::ListVersions(_, list) => assert!((1..=PAGE_MAX).contains(&list.limit)),
        Call::ListMemories(_, list) => {
            assert!((1..=PAGE_MAX).contains(&list.limit));
            let prefix = list.prefix.as_str();
            assert!(prefix.starts_with('/') && prefix.ends_with('/') && !prefix.contains("/../"));
        }
        _ => {}
    }
}
