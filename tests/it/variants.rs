//! Saved settings of the Context lab.

use retrace_api::commands;
use retrace_api::wire::{Code, Nothing, Variant, VariantRef};
use retrace_tests::World;
use serde_json::{Value, json};

fn variant(name: &str, config: Value) -> Variant {
    Variant { name: name.to_owned(), config }
}

fn names(world: &World) -> Vec<String> {
    let kept = commands::variants(&world.app, Nothing {}).expect("the settings");
    kept.variants.into_iter().map(|variant| variant.name).collect()
}

#[test]
fn settings_are_kept_by_name() {
    let world = World::new();
    assert_eq!(names(&world), Vec::<String>::new());
    commands::save_variant(&world.app, variant(" late ", json!({"edits": []}))).expect("saved");
    commands::save_variant(&world.app, variant("early", json!({}))).expect("saved");
    let edits = json!({"edits": [{"type": "clear_tool_uses_20250919"}]});
    let all = commands::save_variant(&world.app, variant("late", edits.clone())).expect("replaced");
    assert_eq!(all.variants, [variant("early", json!({})), variant("late", edits)]);
    let reference = |name: &str| VariantRef { name: name.to_owned() };
    commands::remove_variant(&world.app, reference("early")).expect("removed");
    assert_eq!(names(&world), ["late"]);
    let error = commands::remove_variant(&world.app, reference("early")).expect_err("it is gone");
    assert_eq!((error.code, error.subject.as_str()), (Code::NotFound, "early"));
}

#[test]
fn what_is_no_setting_is_refused() {
    let world = World::new();
    for (name, config) in [
        ("", json!({})),
        ("   ", json!({})),
        (&*"x".repeat(81), json!({})),
        ("list", json!([])),
        ("null", Value::Null),
        ("large", json!({"edits": "x".repeat(70_000)})),
    ] {
        let error = commands::save_variant(&world.app, variant(name, config)).expect_err("refused");
        assert_eq!(error.code, Code::Invalid, "{name}");
    }
    assert_eq!(names(&world), Vec::<String>::new());
}

#[test]
fn a_damaged_file_of_settings_is_left_as_it_is() {
    let world = World::new();
    let file = world.app.data_dir().join("variants.json");
    std::fs::write(&file, "[{\"name\": \"cut").expect("a file");
    for error in [
        commands::variants(&world.app, Nothing {}).expect_err("damaged"),
        commands::save_variant(&world.app, variant("new", json!({}))).expect_err("damaged"),
    ] {
        assert_eq!(error.code, Code::Internal);
        assert!(error.subject.ends_with("variants.json") && error.hint.contains("Mend it"), "{error:?}");
    }
    assert_eq!(std::fs::read_to_string(&file).expect("the file"), "[{\"name\": \"cut");
}

#[cfg(unix)]
#[test]
fn only_this_user_reads_the_file_and_nothing_else_is_left() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    commands::save_variant(&world.app, variant("one", json!({}))).expect("saved");
    let metadata = std::fs::metadata(world.app.data_dir().join("variants.json")).expect("the file");
    assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
    let left = std::fs::read_dir(world.app.data_dir()).expect("the data directory").flatten();
    let left: Vec<_> =
        left.map(|entry| entry.file_name()).filter(|name| name.to_string_lossy().ends_with(".tmp")).collect();
    assert!(left.is_empty(), "{left:?}");
}
