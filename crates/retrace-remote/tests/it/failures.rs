//! Readings of refusals, lost answers and lies.

use crate::server::{KEY, MEMORY, Reply, STORE, Server, VERSION, memory, ok, page, refusal, store, version};
use retrace_model::Sha256;
use retrace_remote::{Cancel, Config, Host, Made, Method, RemoteError};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn error(reply: impl Fn(usize) -> Reply + Send + Sync + 'static) -> (RemoteError, usize) {
    let server = Server::start(move |at, _| reply(at));
    let error = server.host().update(STORE, MEMORY, None, Some("a line of content"), None).unwrap_err();
    assert!(!format!("{error} {error:?}").contains(KEY), "{error:?}");
    assert!(!format!("{error} {error:?}").contains("a line of content"), "{error:?}");
    (error, server.seen().len())
}

#[test]
fn each_status_has_its_error() {
    let message = format!("{KEY} said \"a line of content\"");
    for (status, kind, tries) in [
        (400, "invalid_request_error", 1),
        (401, "authentication_error", 1),
        (403, "permission_error", 1),
        (404, "not_found_error", 1),
        (409, "memory_precondition_failed_error", 1),
        (409, "memory_path_conflict_error", 1),
        (409, "conflict_error", 5),
        (412, "precondition", 1),
        (413, "request_too_large", 1),
        (429, "rate_limit_error", 5),
        (529, "overloaded_error", 5),
        (301, "", 1),
    ] {
        let stated = message.clone();
        let (error, calls) = error(move |_| refusal(status, kind, &stated));
        assert_eq!(calls, tries, "{status} {kind}");
        let fits = match (status, kind) {
            (401 | 403, _) => matches!(&error, RemoteError::KeyRefused { status: s, .. } if *s == status),
            (404, _) => matches!(error, RemoteError::NotFound { .. }),
            (409, "memory_precondition_failed_error") | (412, _) => {
                matches!(error, RemoteError::PreconditionFailed { .. })
            }
            (409, "memory_path_conflict_error") => matches!(error, RemoteError::PathConflict { .. }),
            (413, _) => matches!(error, RemoteError::TooLarge { .. }),
            (429, _) => matches!(error, RemoteError::Limited { retry_after: None, .. }),
            (529, _) => matches!(error, RemoteError::Unreachable { status: Some(529), tries: 5, .. }),
            (301, _) => matches!(error, RemoteError::Redirected { .. }),
            _ => matches!(&error, RemoteError::Refused { kind: stated, .. } if stated == kind),
        };
        assert!(fits, "{status} {kind}: {error:?}");
    }
}

#[test]
fn a_wait_that_is_too_long_is_reported() {
    let (limited, calls) =
        error(|_| Reply::Status(429, vec![("retry-after", "3600".into())], b"{}".to_vec()));
    assert_eq!(calls, 1);
    let wait = Some(Duration::from_secs(3600));
    assert_eq!(limited, RemoteError::Limited { retry_after: wait, message: "HTTP 429".into() });
}

#[test]
fn a_path_in_the_way_is_named() {
    let conflict = |path: &str, memory: &str| {
        let body = json!({"type": "error", "error": {"type": "memory_path_conflict_error", "message": "taken",
            "conflicting_path": path, "conflicting_memory_id": memory}});
        Reply::Status(409, Vec::new(), body.to_string().into_bytes())
    };
    let server = Server::start(move |at, _| match at {
        0 => conflict("/notes", "mem_9"),
        1 => conflict("", ""),
        _ => conflict("/a\u{7}b", "../x"),
    });
    let host = server.host();
    let create = || host.create(STORE, "/notes/todo.md", "x").unwrap_err();
    let named = |path: &str, memory: Option<&str>| RemoteError::PathConflict {
        path: path.into(),
        memory_id: memory.map(str::to_owned),
    };
    assert_eq!(create(), named("/notes", Some("mem_9")));
    assert_eq!(create(), named("/notes/todo.md", None));
    assert_eq!(create(), named("/a b", None));
}

#[test]
fn a_lost_answer_is_found_again() {
    let conflict = || {
        let body = json!({"type": "error", "error": {"type": "memory_path_conflict_error", "message": "taken",
            "conflicting_path": "/prefs/format.md", "conflicting_memory_id": MEMORY}});
        Reply::Status(409, Vec::new(), body.to_string().into_bytes())
    };
    let lost = |second: fn() -> Reply| {
        Server::start(move |at, _| match at {
            0 => Reply::HangUp,
            1 => second(),
            _ => ok(&memory()),
        })
    };
    let server = lost(|| refusal(409, "memory_precondition_failed_error", "changed"));
    let update = |host: &Host, content: &str| {
        host.update(STORE, MEMORY, None, Some(content), Some(Sha256::of(b"before")))
    };
    assert_eq!(update(&server.host(), "").unwrap().id, MEMORY);
    let server = lost(|| refusal(409, "memory_precondition_failed_error", "changed"));
    assert!(matches!(update(&server.host(), "other"), Err(RemoteError::PreconditionFailed { .. })));
    // Without a loss it is a conflict, whatever stands there.
    let server = Server::start(|_, _| refusal(409, "memory_precondition_failed_error", "changed"));
    assert!(matches!(update(&server.host(), ""), Err(RemoteError::PreconditionFailed { .. })));
    assert_eq!(server.seen().len(), 1);

    let server = Server::start(move |at, _| match at {
        0 => Reply::HangUp,
        1 => conflict(),
        _ => ok(&memory()),
    });
    assert_eq!(server.host().create(STORE, "/prefs/format.md", "").unwrap().id, MEMORY);

    let server = lost(|| refusal(404, "not_found_error", "gone"));
    server.host().delete(STORE, MEMORY, None).unwrap();
    let server = Server::start(|_, _| refusal(404, "not_found_error", "gone"));
    assert!(matches!(server.host().delete(STORE, MEMORY, None), Err(RemoteError::NotFound { .. })));
}

#[test]
fn lies_are_not_taken() {
    let lie = |change: &dyn Fn(&mut Value)| {
        let mut lie = memory();
        change(&mut lie);
        lie
    };
    let hash = "ba7936d94c84d948a2232088f78228f175df6a8353b2d5bc9228eee5794a0024";
    for (lie, cause) in [
        (lie(&|memory| memory["content_sha256"] = hash.into()), "content does not have its hash"),
        (lie(&|memory| memory["content_size_bytes"] = 1.into()), "content does not have its size"),
        (lie(&|memory| memory["id"] = "mem_2".into()), "about something else"),
        (lie(&|memory| memory["memory_store_id"] = "memstore_2".into()), "about something else"),
        (lie(&|memory| memory["id"] = "mem_/../x".into()), "id is not an id"),
        (lie(&|memory| memory["path"] = "/../x".into()), "path is not"),
        (lie(&|memory| memory["path"] = "relative".into()), "path is not"),
        (lie(&|memory| memory["path"] = "/a\u{1b}[31m".into()), "path is not"),
        (lie(&|memory| memory["path"] = format!("/{}", "a".repeat(2000)).into()), "path is not"),
        (lie(&|memory| memory["updated_at"] = "soon".into()), "updated_at is not a time"),
        (lie(&|memory| memory["content_sha256"] = "0".into()), "content_sha256 is not a hash"),
        (lie(&|memory| memory["type"] = "memory_prefix".into()), "not a memory"),
        (json!({"type": "memory", "content_size_bytes": "a secret"}), "missing or of another type"),
        (json!([]), "missing or of another type"),
    ] {
        let server = Server::start(move |_, _| ok(&lie));
        let error = server.host().memory(STORE, MEMORY).unwrap_err();
        assert!(
            matches!(&error, RemoteError::NotUnderstood { cause: stated } if stated.contains(cause)),
            "{cause}: {error:?}"
        );
        assert!(!error.to_string().contains("secret"), "{error}");
    }
    let server = Server::start(|_, _| ok(&version()));
    assert!(server.host().redact(STORE, "memver_other").is_err());
    let server = Server::start(|_, _| ok(&store()));
    assert!(server.host().store("memstore_other").is_err());
}

#[test]
fn pages_in_a_circle_end() {
    let server = Server::start(|at, _| ok(&page(&[store()], Some(["a", "b"][at % 2]))));
    let error = server.host().stores(false).unwrap_err();
    assert!(matches!(&error, RemoteError::NotUnderstood { cause } if cause.contains("circle")), "{error:?}");
    assert_eq!(server.seen().len(), 3);
    let server = Server::start(|_, _| ok(&page(&vec![json!({"type": "x"}); 1001], None)));
    assert!(matches!(server.host().stores(false), Err(RemoteError::NotUnderstood { .. })));
    let server = Server::start(|_, _| ok(&page(&[], Some(&"x".repeat(5000)))));
    assert!(matches!(server.host().dreams(false, None), Err(RemoteError::NotUnderstood { .. })));
}

#[test]
fn an_answer_without_end_is_not_read() {
    let server = Server::start(|_, _| Reply::Status(200, Vec::new(), vec![b' '; (64 << 20) + 1]));
    assert!(matches!(server.host().store(STORE), Err(RemoteError::AnswerTooLarge { .. })));
}

#[test]
fn stopping_ends_a_call_in_the_air() {
    let cancel = Cancel::new();
    let stops = cancel.clone();
    let server = Server::start(move |_, _| {
        stops.cancel();
        Reply::Stall
    });
    assert_eq!(server.host().until(&cancel).stores(false), Err(RemoteError::Cancelled));
    assert_eq!(server.host().until(&cancel).stores(false), Err(RemoteError::Cancelled));
    assert_eq!(server.seen().len(), 1);
}

#[test]
fn each_call_is_reported() {
    let server = Server::start(|at, _| match at {
        0 => refusal(500, "api_error", "fault"),
        1 => Reply::HangUp,
        _ => ok(&memory()),
    });
    let reported = Arc::new(Mutex::new(Vec::<Made>::new()));
    let log = reported.clone();
    let host = server.host().telling(Arc::new(move |made: &Made| log.lock().unwrap().push(made.clone())));
    host.update(STORE, MEMORY, None, Some("x"), None).unwrap();
    let reported = reported.lock().unwrap().clone();
    let statuses: Vec<Option<u16>> = reported.iter().map(|made| made.status).collect();
    assert_eq!(statuses, [Some(500), None, Some(200)]);
    assert!(reported.iter().all(|made| made.method == Method::Post
        && made.address.ends_with("/base/v1/memory_stores/memstore_01a/memories/mem_01b")
        && made.sent == 15));
    assert_eq!((reported[1].received, reported[2].received), (0, memory().to_string().len() as u64));
}

#[test]
fn a_host_needs_a_key_and_a_safe_way() {
    let config = Config::for_host(Some("https://gateway.example"), &|_| None).unwrap();
    assert_eq!(Host::new(config).unwrap_err(), RemoteError::NoKey);
    let server = Server::start(|_, _| Reply::HangUp);
    let open = Config { base_url: "http://gateway.example".into(), ..server.config() };
    assert!(matches!(Host::new(open), Err(RemoteError::Config(_))));
    let closed = Config { base_url: "http://127.0.0.1:1".into(), retries: 0, ..server.config() };
    let error = Host::new(closed).unwrap().stores(false).unwrap_err();
    assert!(matches!(error, RemoteError::Unreachable { status: None, tries: 1, .. }), "{error:?}");
    assert!(matches!(
        server.host().version(STORE, &format!("{VERSION}/../x")),
        Err(RemoteError::BadId { .. })
    ));
}
