//! Generated files are fresh.

use std::path::Path;

#[test]
fn generated_files_are_made_from_the_commands_the_rules_and_the_sentences() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (name, made) in [
        ("docs/API.md", retrace_api::reference::markdown()),
        ("ui/src/bindings/index.ts", retrace_api::bindings::typescript()),
        ("ui/src/bindings/hidden.ts", retrace_api::bindings::hidden()),
        ("ui/src/bindings/words.ts", retrace_api::bindings::words()),
        ("ui/src/bindings/messages.ts", retrace_api::bindings::messages()),
        ("ui/src/bindings/sentences.ts", retrace_api::bindings::sentences()),
    ] {
        let kept = std::fs::read_to_string(root.join(name)).expect("generated files are in the tree");
        assert!(kept == made, "{name} is stale: run `cargo run -p retrace-api --example bindings`");
    }
}

#[test]
fn every_command_answers_to_its_name() {
    let world = retrace_tests::World::new();
    for command in retrace_api::COMMANDS {
        let answer = world.app.call(command.name, serde_json::json!({}));
        if let Err(error) = answer {
            assert_ne!(error.code, retrace_api::wire::Code::Internal, "{}: {error}", command.name);
            assert!(!error.message.is_empty());
            let named = command.errors.contains(&error.code);
            assert!(named || retrace_api::ANY_COMMAND.contains(&error.code), "{}: {error:?}", command.name);
        }
    }
    let unknown = world.app.call("no_such_command", serde_json::json!({})).expect_err("unknown");
    assert_eq!(unknown.code, retrace_api::wire::Code::NotFound);
}
