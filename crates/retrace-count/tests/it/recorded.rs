//! Compares sent requests with those `anthropic` 2.11.0 sent for the same arguments (`sdk/record.py` made the
//! recording).

use crate::server::{Reply, Seen, Server};
use crate::support::client;
use retrace_count::{Cancel, CountRequest, facts};
use serde_json::Value;

/// The SDK's own words about itself, its compression, and the reuse of connections.
const OF_THE_SDK: [&str; 10] = [
    "user-agent",
    "accept-encoding",
    "connection",
    "x-stainless-timeout",
    "x-stainless-lang",
    "x-stainless-package-version",
    "x-stainless-os",
    "x-stainless-arch",
    "x-stainless-runtime",
    "x-stainless-runtime-version",
];

fn recording() -> Value {
    serde_json::from_str(include_str!("../sdk/recorded.json")).unwrap()
}

fn sent(request: &CountRequest) -> Seen {
    let server = Server::start(|_, _| Reply::Status(200, Vec::new(), r#"{"input_tokens":1}"#.into()));
    client(&server).0.count(request, &Cancel::new()).unwrap();
    server.seen().remove(0)
}

/// The names of an object's members in the order of its text.
fn order(body: &str) -> Vec<String> {
    let object: Value = serde_json::from_str(body).unwrap();
    let mut names: Vec<String> = object.as_object().unwrap().keys().cloned().collect();
    // At the top level the first appearance is the member's own: values repeat no name before it in these bodies.
    names.sort_by_key(|name| body.find(&format!("\"{name}\":")).unwrap());
    names
}

#[test]
fn every_call_is_the_sdks() {
    let recording = recording();
    assert_eq!(recording["sdk"], "anthropic 2.11.0");
    for call in recording["calls"].as_array().unwrap() {
        let name = call["name"].as_str().unwrap();
        let ours = sent(&CountRequest::from_message_request(call["arguments"].clone()).unwrap());
        assert_eq!(
            (ours.method.as_str(), ours.path.as_str()),
            ("POST", call["path"].as_str().unwrap()),
            "{name}"
        );

        let body = call["body"].as_str().unwrap();
        assert_eq!(ours.json(), serde_json::from_str::<Value>(body).unwrap(), "{name}");
        assert_eq!(order(std::str::from_utf8(&ours.body).unwrap()), order(body), "{name}");

        let headers = call["headers"].as_object().unwrap();
        for (header, value) in headers.iter().filter(|(header, _)| !OF_THE_SDK.contains(&header.as_str())) {
            let expected = match header.as_str() {
                "host" => continue,
                "x-stainless-async" => continue,
                // Ours differs, and is named.
                "x-stainless-read-timeout" => facts::DEFAULT_TIMEOUT_SECONDS.to_string(),
                _ => value.as_str().unwrap().to_owned(),
            };
            assert_eq!(ours.header(header), Some(expected.as_str()), "{name}: {header}");
        }
        for (header, value) in &ours.headers {
            assert!(
                headers.contains_key(header) && header != "accept-encoding",
                "{name}: {header}: {value} is not the SDK's"
            );
        }
        assert_eq!(ours.header("user-agent"), Some(concat!("retrace/", env!("CARGO_PKG_VERSION"))));
    }
}

#[test]
fn the_constants_are_the_sdks() {
    let calls = recording()["calls"].as_array().unwrap().clone();
    let edited = calls.iter().find(|call| call["name"] == "edited").unwrap();
    assert_eq!(edited["path"], facts::PATH);
    assert_eq!(edited["headers"]["anthropic-version"], facts::API_VERSION);
    let betas = format!("{},{}", facts::CONTEXT_MANAGEMENT_BETA, facts::COUNTING_BETA);
    assert_eq!(edited["headers"]["anthropic-beta"], betas);
}
