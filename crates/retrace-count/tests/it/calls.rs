//! One call: answers, further tries, and everything that can go wrong with a stranger's answer.

use crate::server::{KEY, Reply, Server, read_all, refusal, tokens, without_old_results};
use crate::support::{Impatient, client, client_of, config, key, request};
use retrace_count::{Cancel, Client, Config, CountError, CountRequest, Counted, KeyHeader};
use serde_json::json;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

fn error(reply: impl Fn(usize) -> Reply + Send + Sync + 'static) -> (CountError, Vec<f64>, usize) {
    let server = Server::start(move |at, _| reply(at));
    let (client, timing) = client(&server);
    let error = client.count(&request("hello"), &Cancel::new()).unwrap_err();
    assert!(!format!("{error} {error:?}").contains(KEY), "{error:?}");
    (error, timing.seconds(), server.seen().len())
}

#[test]
fn counts_are_the_servers() {
    let server = Server::start(|_, _| Reply::Count);
    let (client, _) = client(&server);
    let asked = request("Count these words, 日本語 too.");
    let expected = tokens(&json!({"model": asked.model, "messages": asked.messages}));
    let counted = client.count(&asked, &Cancel::new()).unwrap();
    assert_eq!(counted, Counted { input_tokens: expected, original_input_tokens: None });
}

#[test]
fn editing_gives_both_counts() {
    let server = Server::start(|_, _| Reply::Count);
    let (client, _) = client(&server);
    let result =
        |id: &str| json!({"type": "tool_result", "tool_use_id": id, "content": "many words ".repeat(50)});
    let body = json!({
        "model": "claude-opus-4-6",
        "messages": [{"role": "user", "content": [result("a"), result("b")]}],
        "context_management": {"edits": [{"type": "clear_tool_uses_20250919"}]},
    });
    let asked = CountRequest::from_message_request(body.clone()).unwrap();
    let refused = client.count(&asked, &Cancel::new()).unwrap_err();
    assert!(
        matches!(&refused, CountError::Refused { status: 400, request_id: Some(id), .. } if id == "req_header")
    );

    let counted = client.count(&asked.with_needed_betas(), &Cancel::new()).unwrap();
    assert_eq!(counted.original_input_tokens, Some(tokens(&body)));
    assert_eq!(counted.input_tokens, tokens(&without_old_results(body)));
    assert!(Some(counted.input_tokens) < counted.original_input_tokens);
}

#[test]
fn limits_and_faults_of_the_service_are_waited_out() {
    let server = Server::start(|at, _| match at {
        0 => refusal(429, "rate_limit_error", "slower", &[("retry-after", "7")]),
        1 => refusal(529, "overloaded_error", "busy", &[("retry-after-ms", "250")]),
        2 => refusal(500, "api_error", "fault", &[]),
        3 => Reply::Raw(b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{\"input_".to_vec()),
        _ => Reply::Count,
    });
    let (client, timing) = client(&server);
    assert!(client.count(&request("hello"), &Cancel::new()).is_ok());
    assert_eq!(timing.seconds(), [7.0, 0.25, 2.0, 4.0]);
    let tries: Vec<_> =
        server.seen().iter().map(|call| call.header("x-stainless-retry-count").unwrap().to_owned()).collect();
    assert_eq!(tries, ["0", "1", "2", "3", "4"]);
}

#[test]
fn tries_end() {
    let (limited, waits, calls) =
        error(|_| refusal(429, "rate_limit_error", "slower", &[("request-id", "req_1")]));
    assert_eq!((waits, calls), (vec![0.5, 1.0, 2.0, 4.0], 5));
    assert_eq!(
        limited,
        CountError::Limited {
            tries: 5,
            retry_after: None,
            message: "slower".into(),
            request_id: Some("req_1".into())
        }
    );
    let (unavailable, waits, _) = error(|_| Reply::Status(503, Vec::new(), "<html>".into()));
    assert_eq!(waits.len(), 4);
    assert!(
        matches!(&unavailable, CountError::Unavailable { status: Some(503), tries: 5, cause, .. } if cause == "HTTP 503")
    );
}

#[test]
fn a_wait_that_is_too_long_ends_the_call() {
    let (limited, waits, calls) =
        error(|_| refusal(429, "rate_limit_error", "tomorrow", &[("retry-after", "86400")]));
    assert_eq!((waits.len(), calls), (0, 1));
    assert!(
        matches!(limited, CountError::Limited { tries: 1, retry_after: Some(wait), .. } if wait == Duration::from_secs(86400))
    );
}

#[test]
fn the_server_may_forbid_or_ask_for_a_further_try() {
    let (_, waits, calls) =
        error(|_| refusal(529, "overloaded_error", "busy", &[("x-should-retry", "false")]));
    assert_eq!((waits.len(), calls), (0, 1));
    let (refused, waits, _) = error(|at| {
        refusal(
            400,
            "invalid_request_error",
            "bad",
            if at == 0 { &[("x-should-retry", "true")] } else { &[] },
        )
    });
    assert_eq!(waits.len(), 1);
    assert!(matches!(refused, CountError::Refused { status: 400, .. }));
}

#[test]
fn refusals_are_reported_in_the_apis_words_but_never_with_the_key() {
    for status in [401, 403] {
        let message = format!("{KEY} is not known");
        let (bad, _, calls) = error(move |_| refusal(status, "authentication_error", &message, &[]));
        assert_eq!(calls, 1);
        assert_eq!(
            bad,
            CountError::BadKey {
                status,
                message: "[key] is not known".into(),
                request_id: Some("req_body".into())
            }
        );
    }
    let (refused, _, _) = error(|_| refusal(413, "request_too_large", "too large", &[]));
    assert!(matches!(&refused, CountError::Refused { status: 413, kind, .. } if kind == "request_too_large"));
}

#[test]
fn what_is_no_count_is_a_bad_answer() {
    let ok = |body: String| move |_| Reply::Status(200, vec![("request-id", "req_9".into())], body.clone());
    for body in [
        "",
        "{\"input_tokens\":",
        "<html></html>",
        "{\"input_tokens\":\"14\"}",
        "{\"input_tokens\":-1}",
        "[]",
    ] {
        let (bad, waits, _) = error(ok(body.to_owned()));
        assert!(
            matches!(&bad, CountError::BadAnswer { request_id: Some(id), .. } if id == "req_9"),
            "{body}: {bad:?}"
        );
        assert!(waits.is_empty());
    }
    let huge = format!("{{\"input_tokens\":1,\"x\":\"{}\"}}", "y".repeat(1 << 20));
    assert!(matches!(error(ok(huge)).0, CountError::BadAnswer { cause, .. } if cause.contains("longer")));
}

#[test]
fn broken_connections_are_tried_again_and_reported() {
    for raw in [
        &b""[..],
        b"HTTP/1.1 200 OK\r\nconte",
        b"not http at all\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{",
    ] {
        let (unavailable, waits, _) = error(|_| Reply::Raw(raw.to_vec()));
        assert!(
            matches!(unavailable, CountError::Unavailable { status: None, tries: 5, .. }),
            "{unavailable:?}"
        );
        assert_eq!(waits, [0.5, 1.0, 2.0, 4.0]);
    }
}

#[test]
fn endless_headers_are_not_read_to_the_end() {
    let mut raw = b"HTTP/1.1 200 OK\r\n".to_vec();
    for at in 0..20_000 {
        raw.extend_from_slice(format!("x-{at}: {}\r\n", "y".repeat(50)).as_bytes());
    }
    let (bad, _, _) = error(move |_| Reply::Raw(raw.clone()));
    assert!(
        matches!(bad, CountError::BadAnswer { .. } | CountError::Unavailable { status: None, .. }),
        "{bad:?}"
    );
}

#[test]
fn nobody_listening_is_unavailable() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let (client, timing) =
        client_of(Config { base_url: format!("http://127.0.0.1:{port}"), key: key(), ..Config::default() });
    let error = client.count(&request("hello"), &Cancel::new()).unwrap_err();
    assert!(matches!(error, CountError::Unavailable { status: None, tries: 5, .. }));
    assert_eq!(timing.seconds().len(), 4);
}

#[test]
fn no_answer_ends_by_the_timeout() {
    let timeout = Duration::from_millis(50);
    for begin in
        ["", "HTTP/1.1 200 OK\r\ncont", "HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{\"input_tokens\":"]
    {
        let server = Server::start(|_, _| Reply::Stall(begin));
        let (client, timing) = client_of(Config { timeout, retries: 1, ..config(&server) });
        let error = client.count(&request("hello"), &Cancel::new()).unwrap_err();
        assert_eq!(error, CountError::Timeout { timeout, tries: 2 }, "{begin}");
        assert_eq!(timing.seconds(), [0.5]);
    }
}

#[test]
fn a_server_that_does_not_read_ends_by_the_timeout() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    let timeout = Duration::from_millis(200);
    let (client, _) = client_of(Config { base_url, key: key(), timeout, retries: 0, ..Config::default() });
    // More than the sockets' buffers hold.
    let error = client.count(&request(&"long ".repeat(8 << 20)), &Cancel::new()).unwrap_err();
    assert_eq!(error, CountError::Timeout { timeout, tries: 1 });
}

#[test]
fn a_call_in_the_air_is_left_when_stopped() {
    let cancel = Cancel::new();
    let stops = cancel.clone();
    let server = Server::start(move |_, _| {
        stops.cancel();
        Reply::Stall("")
    });
    let (client, _) = client(&server);
    assert_eq!(client.count(&request("hello"), &cancel), Err(CountError::Cancelled));
    assert_eq!(server.seen().len(), 1);
    assert_eq!(client.count(&request("hello"), &cancel), Err(CountError::Cancelled));
    assert_eq!(server.seen().len(), 1);
}

#[test]
fn a_wait_ends_when_stopped() {
    let server = Server::start(|_, _| refusal(429, "rate_limit_error", "slower", &[]));
    let cancel = Cancel::new();
    let timing = Arc::new(Impatient { stops: Some(cancel.clone()), ..Impatient::default() });
    let client = Client::with_timing(config(&server), timing).unwrap();
    assert_eq!(client.count(&request("hello"), &cancel), Err(CountError::Cancelled));
    assert_eq!(server.seen().len(), 1);
}

#[test]
fn redirects_are_not_followed() {
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    other.set_nonblocking(true).unwrap();
    let elsewhere = format!("http://localhost:{}/v1/x", other.local_addr().unwrap().port());
    for status in [301, 302, 303, 307, 308] {
        let to = elsewhere.clone();
        let (error, waits, calls) =
            error(move |_| Reply::Status(status, vec![("location", to.clone())], String::new()));
        assert_eq!(error, CountError::Redirected { status, host: Some("localhost".into()) });
        assert_eq!((waits.len(), calls), (0, 1));
    }
    let (error, _, calls) = error(|_| Reply::Status(307, vec![("location", "/other".into())], String::new()));
    assert_eq!((error, calls), (CountError::Redirected { status: 307, host: None }, 1));
    match other.accept() {
        Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock),
        Ok((stream, _)) => panic!("was called with {:?}", String::from_utf8_lossy(&read_all(stream))),
    }
}

#[test]
fn settings_say_how_the_key_and_headers_go() {
    let server = Server::start(|_, _| Reply::Status(200, Vec::new(), r#"{"input_tokens":3}"#.into()));
    let (client, _) = client_of(Config {
        key_header: KeyHeader::XApiKey,
        version: "2023-06-01".into(),
        headers: vec![("X-Team".into(), "lab".into())],
        base_url: format!("{}/gateway/", server.url()),
        ..config(&server)
    });
    client.count(&request("hello"), &Cancel::new()).unwrap();
    let call = server.seen().remove(0);
    assert_eq!(call.path, "/gateway/v1/messages/count_tokens");
    assert_eq!((call.header("x-api-key"), call.header("authorization")), (Some(KEY), None));
    assert_eq!((call.header("anthropic-version"), call.header("x-team")), (Some("2023-06-01"), Some("lab")));
}

#[test]
fn without_a_key_nothing_is_made() {
    assert_eq!(Client::new(Config::default()).unwrap_err(), CountError::NoKey);
    let own = Config { headers: vec![("Authorization".into(), "Bearer x".into())], ..Config::default() };
    assert!(Client::new(own).is_ok());
}

#[test]
fn a_credential_among_the_headers_is_cut_out_too() {
    let server = Server::start(|_, call| {
        let message = format!("{} is not known", call.header("authorization").unwrap());
        refusal(401, "authentication_error", &message, &[("request-id", "own-secret")])
    });
    let headers = vec![("Authorization".into(), "Bearer own-secret".into())];
    let (client, _) = client_of(Config { headers, key: None, ..config(&server) });
    let error = client.count(&request("hello"), &Cancel::new()).unwrap_err();
    assert!(!format!("{error:?}").contains("own-secret"), "{error:?}");
    assert!(error.to_string().contains("Bearer [key] is not known"), "{error}");
}
