//! The real Claude Agent SDK against a scripted model, with the `SessionStore` of `examples/session-store`. The SDK is its vendor's and
//! is not shipped: `scripts/oracles DIRECTORY agent-sdk` installs it, `RETRACE_ORACLE_AGENT_SDK` names the directory. Skipped where it
//! is not there.

use super::Hub;
use retrace_api::commands;
use retrace_api::wire::{HubAgentTokenReq, HubPolicyReq, HubSessionsReq};
use retrace_tests::messages_api::MessagesApi;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where the SDK is; nothing, with the reason, when it is missing.
fn sdk() -> Option<PathBuf> {
    let named = std::env::var_os("RETRACE_ORACLE_AGENT_SDK").map(PathBuf::from);
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/oracles/agent-sdk");
    let home = named.unwrap_or(own);
    if home.join("node_modules/@anthropic-ai/claude-agent-sdk").is_dir() {
        return Some(home);
    }
    println!("skipped: {} has no Claude Agent SDK; scripts/oracles installs it", home.display());
    None
}

#[test]
fn the_agent_sdk_mirrors_a_session_and_resumes_it_on_another_host() {
    let Some(sdk) = sdk() else { return };
    let Some((hub, [owner])) = Hub::with_machines(["owner"]) else { return };
    let policy = HubPolicyReq { key: "transcripts".to_owned(), value: "everything".to_owned() };
    commands::hub_set_policy(&owner.world.app, policy).expect("the policy is set");
    let key = commands::hub_agent_token(&owner.world.app, HubAgentTokenReq::default()).expect("a key").token;
    let api = MessagesApi::start();
    let task = json!({"type": "tool_use", "name": "Task", "input":
        {"description": "look", "prompt": "Look around the wombat.", "subagent_type": "general-purpose"}});
    api.play(vec![vec![task], vec![json!({"type": "text", "text": "I remember quokka."})]]);
    api.play_to("Look around the wombat.", vec![vec![json!({"type": "text", "text": "Nothing there."})]]);
    let folder = tempfile::tempdir().expect("a folder");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracles/session_store.mjs");
    let ran = Command::new("node")
        .arg(script)
        .args([hub.url(), &key])
        .args([folder.path(), &sdk])
        .env("ANTHROPIC_BASE_URL", &api.url)
        .stdin(Stdio::null())
        .output()
        .expect("node runs");
    let (told, errors) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{told}{errors}");
    let told: Value = told.lines().last().and_then(|line| serde_json::from_str(line).ok()).expect("JSON");
    for run in ["first", "second"] {
        assert_eq!(
            (&told[run]["result"], &told[run]["mirrored"]),
            (&json!("success"), &json!(true)),
            "{told}"
        );
    }
    assert_eq!(told["first"]["session"], told["second"]["session"], "{told}");
    let parts = told["parts"].as_object().expect("parts");
    assert!(parts.values().all(|entries| entries.as_u64() > Some(0)), "{told}");
    let subagents = parts.keys().filter(|part| !part.is_empty()).count();
    assert!(subagents >= 1, "a subagent is mirrored: {told}");
    assert_eq!(told["subkeys"].as_array().map(Vec::len), Some(subagents), "{told}");
    assert_eq!(told["listed"], json!([told["first"]["session"]]));
    // The second host had nothing but what the hub gave it, and the model saw the first conversation again.
    let log = api.log();
    let resumed = log
        .bodies
        .iter()
        .map(ToString::to_string)
        .any(|body| body.contains("Which word was it?") && body.contains("Remember the word quokka."));
    assert!(resumed, "the second run began with the first conversation");
    let sessions =
        commands::hub_sessions(&owner.world.app, HubSessionsReq::default()).expect("a list").sessions;
    assert_eq!((sessions.len(), sessions[0].without_text), (1, 0));
    assert!(sessions[0].requests >= 3 && sessions[0].output_tokens > 0, "{sessions:?}");
}
