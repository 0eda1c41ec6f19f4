//! Scans and acts that other tests disturb: how the stage is set, what is done, and what must hold afterwards whatever
//! went wrong in between.

use base64::Engine as _;
use retrace_api::{commands, wire};
use retrace_model::Sha256;
use retrace_tests::tree::{self, Tree};
use retrace_tests::{World, holds_bytes, options, options_of};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use tempfile::TempDir;

/// Secret that the scene of a redaction takes out.
pub(crate) const SECRET: &str = "sk_live_4eC39HqLyjWDarjtT1zdp7dc";

/// Something to disturb.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scene {
    /// Its name.
    pub name: &'static str,
    prepare: fn(&World),
    /// Disturbed act. An error is an answer, and so is a conflict.
    pub act: fn(&World) -> Result<Option<wire::ActResult>, wire::ApiError>,
    /// True if it takes the secret out of history.
    pub redacts: bool,
}

/// Files were written, deleted and renamed since the last scan.
pub(crate) const SCAN: Scene = Scene { name: "look", prepare: changed_on_disk, act: scan, redacts: false };

/// One memory goes back to its first version.
pub(crate) const ROLLBACK: Scene =
    Scene { name: "rollback", prepare: two_versions, act: roll_back, redacts: false };

/// The same, but the file was edited since the last scan.
pub(crate) const CONFLICT: Scene =
    Scene { name: "conflict", prepare: edited_since, act: roll_back, redacts: false };

/// A whole directory goes back: contents, a rename, a file that was deleted, one that is new.
pub(crate) const RESTORE: Scene =
    Scene { name: "restore", prepare: a_later_state, act: restore, redacts: false };

/// The same where files and directories changed places meanwhile.
pub(crate) const PLACES: Scene =
    Scene { name: "places", prepare: places_changed, act: restore, redacts: false };

/// A secret leaves history and two live files.
pub(crate) const REDACTION: Scene =
    Scene { name: "redaction", prepare: with_secrets, act: redact, redacts: true };

/// Lines of an index move into a topic file that is made for them.
pub(crate) const MOVE: Scene = Scene { name: "move", prepare: an_index, act: move_entry, redacts: false };

/// Memories go, and the lines of the index that link to them.
pub(crate) const EXPIRY: Scene = Scene { name: "expiry", prepare: an_index, act: expire, redacts: false };

/// A change is rejected in review: its file goes back.
pub(crate) const REJECTION: Scene =
    Scene { name: "rejection", prepare: left_to_review, act: reject, redacts: false };

/// A change is approved with another text: its file is written.
pub(crate) const EDIT: Scene = Scene { name: "edit", prepare: left_to_review, act: edit, redacts: false };

/// A directory with three memories becomes a store.
pub(crate) const ADDITION: Scene =
    Scene { name: "addition", prepare: another_directory, act: add, redacts: false };

/// The memory tool edits a file that somebody else edited since the last scan.
pub(crate) const TOOL_EDIT: Scene =
    Scene { name: "tool-edit", prepare: edited_since, act: edit_by_tool, redacts: false };

/// The memory tool deletes such a file.
pub(crate) const TOOL_DELETION: Scene =
    Scene { name: "tool-deletion", prepare: edited_since, act: delete_by_tool, redacts: false };

/// All of them.
pub(crate) const SCENES: [Scene; 13] = [
    SCAN,
    ROLLBACK,
    CONFLICT,
    RESTORE,
    PLACES,
    REDACTION,
    MOVE,
    EXPIRY,
    REJECTION,
    EDIT,
    ADDITION,
    TOOL_EDIT,
    TOOL_DELETION,
];

/// The final text of the scene of an edit.
pub(crate) const FINAL_TEXT: &str = "as it should be\n";

fn first_state(world: &World) {
    world.write("kept.md", "kept\n");
    world.write("changed.md", "before\n");
    world.write("moved.md", "moved content\n");
    world.write("deep/removed.md", "removed\n");
    world.scan();
}

fn later_changes(world: &World) {
    world.write("changed.md", "after\n");
    world.remove("deep/removed.md");
    std::fs::remove_dir(world.path("notes/deep")).expect("it is empty");
    std::fs::create_dir(world.path("notes/new")).expect("a directory");
    std::fs::rename(world.path("notes/moved.md"), world.path("notes/new/place.md")).expect("a rename");
    world.write("added.md", "added\n");
}

fn changed_on_disk(world: &World) {
    first_state(world);
    later_changes(world);
}

fn scan(world: &World) -> Result<Option<wire::ActResult>, wire::ApiError> {
    commands::scan(&world.app, wire::ScanReq::default()).map(|_| None)
}

fn two_versions(world: &World) {
    world.record("a.md", "one\n");
    world.record("a.md", "two\n");
}

fn edited_since(world: &World) {
    two_versions(world);
    world.write("a.md", "edited since\n");
}

fn roll_back(world: &World) -> Result<Option<wire::ActResult>, wire::ApiError> {
    let first = world.log("a.md").pop().expect("a first version");
    world.rollback("a.md", &first).map(Some)
}

fn call_tool(world: &World, input: Value) -> Result<Option<wire::ActResult>, wire::ApiError> {
    let store = Some("notes".to_owned());
    let answer =
        commands::memory_tool(&world.app, wire::MemoryToolReq { store, input, ..Default::default() })?;
    if answer.is_error {
        return Err(wire::ApiError {
            code: wire::Code::Internal,
            message: retrace_api::wire::Message::verbatim(answer.content),
            hint: retrace_api::wire::Message::default(),
            subject: String::new(),
        });
    }
    Ok(None)
}

fn edit_by_tool(world: &World) -> Result<Option<wire::ActResult>, wire::ApiError> {
    let path = "/memories/a.md";
    call_tool(
        world,
        json!({ "command": "str_replace", "path": path, "old_str": "since", "new_str": "by both" }),
    )
}

fn delete_by_tool(world: &World) -> Result<Option<wire::ActResult>, wire::ApiError> {
    call_tool(world, json!({ "command": "delete", "path": "/memories/a.md" }))
}

fn a_later_state(world: &World) {
    first_state(world);
    later_changes(world);
    world.scan();
}

fn places_changed(world: &World) {
    for path in ["file.md", "folder/one.md", "folder/deep/two.md"] {
        world.write(path, format!("{path} at first\n"));
    }
    world.scan();
    world.remove("file.md");
    world.write("file.md/inside.md", "a directory has its name\n");
    std::fs::remove_dir_all(world.path("notes/folder")).expect("it goes");
    world.write("folder", "a file has its name\n");
    world.scan();
}

fn restore(world: &World) -> Result<Option<wire::ActResult>, wire::ApiError> {
    let first = world.log("").pop().expect("a first version").operation_seq;
    let request =
        wire::RestoreReq { store: "notes".to_owned(), at: first.to_string(), ..wire::RestoreReq::default() };
    commands::restore(&world.app, request).map(Some)
}

fn an_index(world: &World) {
    world.write("MEMORY.md", "# Memory\n\n- [A](a.md)\n- [B](b.md)\n- a fact\n  with more\n");
    world.write("a.md", "about a\n");
    world.write("b.md", "about b\n");
    world.scan();
}

fn move_entry(world: &World) -> Result<Option<wire::ActResult>, wire::ApiError> {
    let request = wire::MoveEntryReq {
        store: "notes".to_owned(),
        path: "MEMORY.md".to_owned(),
        line: 5,
        to: "facts.md".to_owned(),
        ..wire::MoveEntryReq::default()
    };
    commands::move_entry(&world.app, request).map(Some)
}

fn expire(world: &World) -> Result<Option<wire::ActResult>, wire::ApiError> {
    let memory = |path: &str| wire::ExpireMemory { path: path.to_owned(), expect: None };
    let memories = vec![memory("a.md"), memory("b.md")];
    let request = wire::ExpireReq { store: "notes".to_owned(), memories, dry_run: false };
    commands::expire(&world.app, request).map(Some)
}

fn with_secrets(world: &World) {
    world.record("keys.md", format!("# Keys\n\nsigning key is {SECRET}, rotate it\n"));
    world.record("keys.md", format!("# Keys\n\nsigning key is {SECRET}, rotate it soon\n"));
    world.record("other.md", format!("also here: {SECRET}\n"));
    world.record("clean.md", "nothing to hide\n");
}

fn redact(world: &World) -> Result<Option<wire::ActResult>, wire::ApiError> {
    let request = wire::RedactReq {
        secret_base64: Some(base64::engine::general_purpose::STANDARD.encode(SECRET)),
        live: true,
        ..wire::RedactReq::default()
    };
    commands::redact(&world.app, request).map(Some)
}

fn left_to_review(world: &World) {
    world.record("a.md", "one\n");
    let up_to = world.log("a.md").remove(0).id;
    let request = wire::ReviewUpToReq { up_to, ..wire::ReviewUpToReq::default() };
    commands::review_up_to(&world.app, request).expect("it is reviewed");
    world.record("a.md", "two\n");
}

fn review(
    world: &World,
    verdict: &str,
    text: Option<&str>,
) -> Result<Option<wire::ActResult>, wire::ApiError> {
    let request = wire::ReviewReq {
        versions: vec![world.log("a.md").remove(0).id],
        verdict: verdict.to_owned(),
        text: text.map(str::to_owned),
        ..wire::ReviewReq::default()
    };
    commands::review(&world.app, request).map(|reviewed| reviewed.act)
}

fn reject(world: &World) -> Result<Option<wire::ActResult>, wire::ApiError> {
    review(world, "reject", None)
}

fn edit(world: &World) -> Result<Option<wire::ActResult>, wire::ApiError> {
    review(world, "approve", Some(FINAL_TEXT))
}

fn another_directory(world: &World) {
    std::fs::create_dir(world.path("more")).expect("a directory");
    for name in ["a.md", "b.md", "c.md"] {
        std::fs::write(world.path("more").join(name), format!("{name} was there before\n")).expect("a file");
    }
}

fn add(world: &World) -> Result<Option<wire::ActResult>, wire::ApiError> {
    let root = world.path("more").to_string_lossy().into_owned();
    commands::add_store(&world.app, wire::AddStore { root, ..wire::AddStore::default() }).map(|_| None)
}

/// Paths that are left to review.
pub(crate) fn unreviewed(world: &World) -> Vec<String> {
    let inbox = commands::inbox(&world.app, wire::InboxReq::default()).expect("the inbox");
    let status = commands::status(&world.app, wire::Nothing {}).expect("a status");
    assert_eq!(inbox.total, status.unreviewed, "badge = rows");
    inbox.groups.into_iter().flat_map(|group| group.items).filter_map(|item| item.path).collect()
}

/// A scene set up once, and put back before each disturbance.
pub(crate) struct Stage {
    /// The scene.
    pub scene: Scene,
    /// Where it is.
    pub directory: TempDir,
    data: Tree,
    /// The live files before.
    pub before: Tree,
    /// The live files after an undisturbed act.
    pub after: Tree,
    /// Hashes of every content that was on the disk or in the log before.
    observed: BTreeSet<String>,
}

impl Stage {
    /// Sets a scene up.
    pub(crate) fn new(scene: Scene) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let world = World::over(options(directory.path()));
        world.add("notes");
        (scene.prepare)(&world);
        let before = tree::read(&world.path("notes"));
        let mut observed = recorded(&world);
        observed.extend(before.values().map(|content| Sha256::of(content).to_hex()));
        drop(world);
        let data = tree::read(&directory.path().join("data"));
        let world = World::over(options_of(directory.path(), 1));
        (scene.act)(&world).expect("undisturbed it works");
        let after = tree::read(&world.path("notes"));
        drop(world);
        Self { scene, directory, data, before, after, observed }
    }

    /// Puts everything back as it was before the act.
    pub(crate) fn reset(&self) {
        tree::write(&self.directory.path().join("data"), &self.data);
        tree::write(&self.directory.path().join("notes"), &self.before);
    }

    /// Asserts what must hold after a disturbed act and one more scan, whatever happened.
    pub(crate) fn check(&self, world: &World, when: &str) {
        let name = self.scene.name;
        world.scan();
        let now = tree::read(&world.path("notes"));
        let paths: BTreeSet<&String> =
            self.before.keys().chain(self.after.keys()).chain(now.keys()).collect();
        for path in paths {
            let found = now.get(path);
            let whole = found == self.before.get(path) || found == self.after.get(path);
            assert!(whole, "{name}, {when}: {path} is neither old nor new: {found:?}");
        }
        let redacted = world.log("").iter().any(|version| version.redacted_at.is_some());
        if !redacted {
            let lost: Vec<_> = self.observed.difference(&recorded(world)).cloned().collect();
            assert_eq!(lost, Vec::<String>::new(), "{name}, {when}: contents are lost");
        }
        if self.scene.redacts {
            self.check_redaction(world, redacted, when);
        }
        assert_eq!(world.scan(), 0, "{name}, {when}: the log says what the disk says");
        world.verify();
    }

    /// A redaction happened as a whole, or not at all and can be repeated.
    fn check_redaction(&self, world: &World, redacted: bool, when: &str) {
        let receipts = || commands::receipts(&world.app, wire::Nothing {}).expect("receipts").receipts;
        assert_eq!(receipts().len(), usize::from(redacted), "{when}");
        if !redacted {
            (self.scene.act)(world).expect("it can be repeated");
        }
        let receipt = receipts().remove(0);
        let request = wire::ReceiptRef { receipt: receipt.id };
        let receipt = commands::recheck_receipt(&world.app, request).expect("looked at again");
        assert_eq!((receipt.purge.as_str(), receipt.chain_verified), ("done", Some(true)), "{when}");
        assert!(receipt.places.iter().any(|place| place.place.starts_with("Database")), "{when}");
        assert!(!holds_bytes(&world.path("data"), SECRET.as_bytes()), "{when}: it is in the data directory");
        for version in world.log("") {
            let content = commands::show(&world.app, wire::ShowReq { version: version.id, content: true });
            assert!(
                !content.is_ok_and(|shown| shown.content.is_some_and(|text| text.contains(SECRET))),
                "{when}"
            );
        }
    }
}

/// Hashes of all contents that can be read from the log.
pub(crate) fn recorded(world: &World) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for version in world.log("") {
        let Some(sha256) = version.content_sha256 else { continue };
        let request = wire::ShowReq { version: version.id, content: true };
        let shown = commands::show(&world.app, request).expect("a kept version is readable");
        let content = shown.content.expect("these contents are text");
        assert_eq!(Sha256::of(content.as_bytes()).to_hex(), sha256);
        found.insert(sha256);
    }
    found
}
