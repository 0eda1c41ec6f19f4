//! Plans carried out: several calls at once, the cache, failures that end a run.

use crate::server::{Reply, Server, refusal, tokens};
use crate::support::{client, client_of, config, request};
use retrace_count::{Cache, Cancel, Client, Config, CountError, CountRequest, Plan, Progress};
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};

fn many(count: usize) -> Vec<CountRequest> {
    (0..count).map(|at| request(&format!("request {at} {}", "word ".repeat(at)))).collect()
}

fn expected(request: &CountRequest) -> u64 {
    tokens(&json!({"model": request.model, "messages": request.messages}))
}

#[test]
fn a_run_with_faults_mixed_in_counts_everything_once() {
    let failures = AtomicUsize::new(0);
    let server = Server::start(move |at, _| {
        let fault = if at % 5 == 4 { failures.fetch_add(1, Ordering::Relaxed) + 1 } else { 0 };
        match fault % 4 {
            _ if fault == 0 => Reply::Count,
            0 => Reply::Raw(Vec::new()),
            1 => refusal(429, "rate_limit_error", "slower", &[("retry-after", "1")]),
            2 => refusal(529, "overloaded_error", "busy", &[]),
            _ => refusal(500, "api_error", "fault", &[]),
        }
    });
    let directory = tempfile::tempdir().unwrap();
    let mut cache = Cache::open(directory.path()).unwrap();
    let (client, _) = client(&server);
    let requests = many(60);
    let plan = Plan::new(client.config(), requests.clone(), &cache).unwrap();
    assert_eq!((plan.calls, server.seen().len()), (60, 0));

    let mut reported: Vec<Progress> = Vec::new();
    let run = client.run(&plan, &mut cache, &Cancel::new(), &mut |progress| reported.push(progress));
    for (request, counted) in requests.iter().zip(&run.counts) {
        assert_eq!(counted.as_ref().unwrap().input_tokens, expected(request));
    }
    assert!(run.retries > 5 && run.ended_by.is_none() && run.not_kept.is_none());
    assert_eq!(server.seen().len(), 60 + run.retries);
    let last = reported.last().unwrap();
    assert_eq!((last.done, last.calls, last.failed, last.retries), (60, 60, 0, run.retries));
    assert_eq!(reported.iter().filter(|progress| progress.waiting.is_some()).count(), run.retries);

    // Another program, later: nothing is sent, and the numbers are the same.
    let mut cache = Cache::open(directory.path()).unwrap();
    let calls = server.seen().len();
    let again = Plan::new(client.config(), requests, &cache).unwrap();
    assert_eq!((again.calls, again.cached, again.bytes), (0, 60, 0));
    let second = client.run(&again, &mut cache, &Cancel::new(), &mut |_| {});
    assert_eq!(second.counts, run.counts);
    assert_eq!(server.seen().len(), calls);

    let kept = std::fs::read_to_string(directory.path().join("token-counts.jsonl")).unwrap();
    assert!(!kept.contains("word") && !kept.contains("claude"), "{kept}");
}

#[test]
fn equal_requests_are_sent_once() {
    let server = Server::start(|_, _| Reply::Count);
    let (client, _) = client(&server);
    let mut cache = Cache::in_memory();
    let plan = Plan::new(client.config(), vec![request("a"), request("b"), request("a")], &cache).unwrap();
    let run = client.run(&plan, &mut cache, &Cancel::new(), &mut |_| {});
    assert_eq!(run.counts[0], run.counts[2]);
    assert_eq!(server.seen().len(), 2);
    let bytes: usize = server.seen().iter().map(|call| call.body.len()).sum();
    assert_eq!(plan.bytes, bytes as u64, "what was announced is what was sent");
}

#[test]
fn calls_are_in_the_air_together_but_no_more_than_allowed() {
    // Each answer waits for three more calls: fewer at a time, and the test would not end.
    let together = Arc::new(Barrier::new(4));
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (counted, highest) = (now.clone(), most.clone());
    let server = Server::start(move |_, _| {
        highest.fetch_max(counted.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        together.wait();
        counted.fetch_sub(1, Ordering::SeqCst);
        Reply::Count
    });
    let (client, _) = client(&server);
    let mut cache = Cache::in_memory();
    let plan = Plan::new(client.config(), many(8), &cache).unwrap();
    let run = client.run(&plan, &mut cache, &Cancel::new(), &mut |_| {});
    assert!(run.counts.iter().all(Result::is_ok));
    assert_eq!((now.load(Ordering::SeqCst), most.load(Ordering::SeqCst)), (0, 4));
}

#[test]
fn one_refused_request_does_not_stop_the_others() {
    let server = Server::start(|_, call| {
        if String::from_utf8_lossy(&call.body).contains("request 3 ") {
            refusal(400, "invalid_request_error", "messages: bad", &[])
        } else {
            Reply::Count
        }
    });
    let (client, _) = client(&server);
    let mut cache = Cache::in_memory();
    let plan = Plan::new(client.config(), many(8), &cache).unwrap();
    let run = client.run(&plan, &mut cache, &Cancel::new(), &mut |_| {});
    let failed: Vec<usize> = (0..8).filter(|at| run.counts[*at].is_err()).collect();
    assert_eq!(failed, [3]);
    assert!(matches!(&run.counts[3], Err(CountError::Refused { status: 400, .. })));
    assert_eq!((run.ended_by, cache.len()), (None, 7));
}

#[test]
fn a_refused_key_ends_the_run_and_keeps_what_was_counted() {
    let server = Server::start(|at, _| {
        if at < 3 { Reply::Count } else { refusal(401, "authentication_error", "expired", &[]) }
    });
    let (client, _) = client_of(Config { threads: 1, ..config(&server) });
    let mut cache = Cache::in_memory();
    let plan = Plan::new(client.config(), many(20), &cache).unwrap();
    let run = client.run(&plan, &mut cache, &Cancel::new(), &mut |_| {});
    assert_eq!(server.seen().len(), 4);
    assert_eq!((run.counts.iter().filter(|counted| counted.is_ok()).count(), cache.len()), (3, 3));
    assert!(matches!(run.ended_by, Some(CountError::BadKey { status: 401, .. })));
    assert_eq!(run.counts[19], Err(CountError::NotSent));
}

#[test]
fn a_stopped_run_keeps_what_was_counted() {
    let cancel = Cancel::new();
    let stops = cancel.clone();
    let server = Server::start(move |at, _| {
        if at < 5 {
            return Reply::Count;
        }
        stops.cancel();
        Reply::Stall("")
    });
    let (client, _) = client_of(Config { threads: 1, ..config(&server) });
    let mut cache = Cache::in_memory();
    let plan = Plan::new(client.config(), many(20), &cache).unwrap();
    let run = client.run(&plan, &mut cache, &cancel, &mut |_| {});
    assert_eq!(run.ended_by, Some(CountError::Cancelled));
    assert_eq!((server.seen().len(), cache.len()), (6, 5));
    assert_eq!(run.counts[5], Err(CountError::Cancelled));
    assert_eq!(run.counts[6], Err(CountError::NotSent));
}

/// With the machine's own clock, and waits that nobody would sit through.
#[test]
fn a_failure_that_all_share_ends_the_others_waits() {
    let server = Server::start(|_, call| {
        if String::from_utf8_lossy(&call.body).contains("request 0 ") {
            refusal(529, "overloaded_error", "busy", &[("retry-after", "50")])
        } else {
            refusal(401, "authentication_error", "expired", &[])
        }
    });
    let client = Client::new(Config { threads: 2, ..config(&server) }).unwrap();
    let mut cache = Cache::in_memory();
    let plan = Plan::new(client.config(), many(2), &cache).unwrap();
    let run = client.run(&plan, &mut cache, &Cancel::new(), &mut |_| {});
    assert!(matches!(
        &run.counts[0],
        Err(CountError::Unavailable { status: Some(529), tries: 1, .. } | CountError::NotSent)
    ));
    assert!(matches!(&run.counts[1], Err(CountError::BadKey { .. })));
}

#[test]
fn stopping_ends_every_wait_at_once() {
    let server = Server::start(|_, _| refusal(429, "rate_limit_error", "slower", &[("retry-after", "50")]));
    let client = Client::new(config(&server)).unwrap();
    let mut cache = Cache::in_memory();
    let plan = Plan::new(client.config(), many(9), &cache).unwrap();
    let cancel = Cancel::new();
    let run = client.run(&plan, &mut cache, &cancel, &mut |progress| {
        if progress.waiting.is_some() {
            cancel.cancel();
        }
    });
    assert_eq!(run.ended_by, Some(CountError::Cancelled));
    assert!(run.counts.iter().all(|count| matches!(count, Err(CountError::Cancelled | CountError::NotSent))));
}

#[test]
fn a_plan_for_elsewhere_is_not_carried_out() {
    let server = Server::start(|_, _| Reply::Count);
    let (client, _) = client(&server);
    let mut cache = Cache::in_memory();
    let plan = Plan::new(&Config::default(), many(1), &cache).unwrap();
    let run = client.run(&plan, &mut cache, &Cancel::new(), &mut |_| {});
    assert!(matches!(run.ended_by, Some(CountError::Config(_))));
    assert_eq!((server.seen().len(), &run.counts[0]), (0, &Err(CountError::NotSent)));
}

#[test]
fn an_empty_plan_is_done_at_once() {
    let server = Server::start(|_, _| Reply::Count);
    let (client, _) = client(&server);
    let mut cache = Cache::in_memory();
    let plan = Plan::new(client.config(), Vec::new(), &cache).unwrap();
    let run = client.run(&plan, &mut cache, &Cancel::new(), &mut |_| {});
    assert!(run.counts.is_empty() && run.ended_by.is_none());
}
