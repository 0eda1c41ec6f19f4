//! The shell without a screen: the real configuration and capabilities on Tauri's mock runtime.

use crate::background::Background;
use crate::{commands, context, open_program};
use retrace_api::{AppOptions, COMMANDS};
use retrace_link::{Ends, Link, Start};
use serde_json::{Value, json};
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::Arc;
use tauri::test::{INVOKE_KEY, MockRuntime, get_ipc_response, mock_builder};
use tauri::{App, Manager as _, WebviewWindow};

/// The program behind the window, on a thread of this process rather than in one of its own.
fn program(data_dir: PathBuf) -> Start {
    Box::new(move |paused| {
        let options = AppOptions::for_this_machine(Some(data_dir.clone()));
        let (asked, requests) = std::io::pipe().expect("a pipe");
        let (answers, answered) = std::io::pipe().expect("a pipe");
        let serving =
            std::thread::spawn(move || retrace_link::serve(options, paused, BufReader::new(asked), answered));
        let wait = Box::new(move || drop(serving.join()));
        Ok(Ends { requests: Box::new(requests), answers: Box::new(answers), wait })
    })
}

/// An app whose log is in `data_dir`, with its window.
fn app(data_dir: &std::path::Path) -> (App<MockRuntime>, WebviewWindow<MockRuntime>) {
    let app = mock_builder().invoke_handler(commands()).build(context()).expect("the app builds");
    open_program(app.handle(), Arc::new(Link::new(program(data_dir.to_owned()))));
    crate::window::open(app.handle()).expect("the window opens");
    let window = app.get_webview_window("main").expect("the window is there");
    (app, window)
}

fn invoke(window: &WebviewWindow<MockRuntime>, command: &str, body: Value) -> Result<Value, Value> {
    let address = if cfg!(windows) { "http://tauri.localhost" } else { "tauri://localhost" };
    invoke_from(window, address, command, body)
}

fn invoke_from(
    window: &WebviewWindow<MockRuntime>,
    address: &str,
    command: &str,
    body: Value,
) -> Result<Value, Value> {
    let request = tauri::webview::InvokeRequest {
        cmd: command.to_owned(),
        callback: tauri::ipc::CallbackFn(0),
        error: tauri::ipc::CallbackFn(1),
        url: address.parse().expect("an address"),
        body: body.into(),
        headers: tauri::http::HeaderMap::default(),
        invoke_key: INVOKE_KEY.to_owned(),
    };
    get_ipc_response(window, request).map(|answer| answer.deserialize().expect("the answer is JSON"))
}

#[test]
fn every_command_answers() {
    let directory = tempfile::tempdir().expect("a directory");
    let (app, window) = app(directory.path());
    for command in COMMANDS {
        // Without an address these would ask the API's own host, with the key of whoever runs the test.
        let asks_a_host = ["hosted_stores", "dreams"].contains(&command.name);
        let payload = if asks_a_host { json!({ "base_url": "nowhere" }) } else { json!({}) };
        match invoke(&window, "call", json!({ "name": command.name, "payload": payload })) {
            Ok(answer) => assert!(answer.is_object(), "{}: {answer}", command.name),
            // An empty request lacks what the command needs; it must say so, and not fail in another way.
            Err(failure) => {
                let code = &failure["error"]["code"];
                assert!(code == "invalid" || code == "not_found", "{}: {failure}", command.name);
            }
        }
    }
    app.state::<Arc<Link>>().close();
}

#[test]
fn a_name_that_is_no_command_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let (_app, window) = app(directory.path());
    let failure = invoke(&window, "call", json!({ "name": "no_such_command" })).expect_err("refused");
    assert!(failure["error"]["message"].is_string(), "{failure}");
}

#[test]
fn a_log_that_cannot_be_opened_is_what_every_command_answers_until_it_can() {
    let directory = tempfile::tempdir().expect("a directory");
    let data_dir = directory.path().join("data");
    std::fs::write(&data_dir, "a file stands where the directory should be").expect("written");
    let (_app, window) = app(&data_dir);
    for name in ["status", "stores", "timeline"] {
        let failure = invoke(&window, "call", json!({ "name": name })).expect_err("the log cannot be opened");
        assert!(failure["error"]["message"].as_str().is_some_and(|text| !text.is_empty()), "{failure}");
    }
    std::fs::remove_file(&data_dir).expect("removed");
    let status = invoke(&window, "call", json!({ "name": "status" })).expect("the log is made");
    assert_eq!(status["recording_here"], true, "{status}");
}

#[test]
fn what_is_chosen_for_the_desktop_is_kept() {
    let directory = tempfile::tempdir().expect("a directory");
    let chosen = json!({"keep_in_tray": true, "digests": false, "alarms": true, "language": "ja"});
    {
        let (app, window) = app(directory.path());
        let state = invoke(&window, "desktop", json!({})).expect("a state");
        let first = json!({"keep_in_tray": false, "digests": true, "alarms": true, "language": null});
        assert_eq!((&state["settings"], &state["paused"]), (&first, &json!(false)));
        assert_eq!(state["tray"], false, "the mock runtime has none");
        invoke(&window, "set_desktop", json!({ "settings": chosen })).expect("it is kept");
        let background = app.state::<Arc<Background<MockRuntime>>>();
        assert!(!background.stays_when_closed(), "without a tray the app would be out of reach");
        app.state::<Arc<Link>>().close();
    }
    let (_app, window) = app(directory.path());
    assert_eq!(invoke(&window, "desktop", json!({})).expect("a state")["settings"], chosen);
}

#[test]
fn recording_is_paused_and_goes_on() {
    let directory = tempfile::tempdir().expect("a directory");
    let (app, window) = app(directory.path());
    let recording =
        || invoke(&window, "call", json!({ "name": "status" })).expect("a status")["recording_here"] == true;
    assert!(recording());
    let background = app.state::<Arc<Background<MockRuntime>>>();
    background.toggle_pause();
    assert!(!recording());
    assert_eq!(invoke(&window, "desktop", json!({})).expect("a state")["paused"], true);
    background.toggle_pause();
    assert!(recording());
}

#[test]
fn a_page_from_elsewhere_may_invoke_nothing() {
    let directory = tempfile::tempdir().expect("a directory");
    let (_app, window) = app(directory.path());
    let answer = invoke_from(&window, "https://example.com", "call", json!({ "name": "status" }));
    assert!(answer.is_err(), "{answer:?}");
}

#[test]
fn what_the_capability_does_not_name_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let (_app, window) = app(directory.path());
    for command in ["plugin:dialog|open", "plugin:window|close", "plugin:webview|create_webview_window"] {
        assert!(invoke(&window, command, json!({})).is_err(), "{command}");
    }
}
