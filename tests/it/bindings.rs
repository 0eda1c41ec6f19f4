//! Generated files are fresh.

use std::path::Path;

#[test]
fn the_typescript_is_made_from_the_wire_types_the_rules_and_the_sentences() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui/src/bindings");
    for (name, made) in [
        ("index.ts", retrace_api::bindings::typescript()),
        ("words.ts", retrace_api::bindings::words()),
        ("sentences.ts", retrace_api::bindings::sentences()),
    ] {
        let kept = std::fs::read_to_string(folder.join(name)).expect("the bindings are in the tree");
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
        }
    }
    let unknown = world.app.call("no_such_command", serde_json::json!({})).expect_err("unknown");
    assert_eq!(unknown.code, retrace_api::wire::Code::NotFound);
}
