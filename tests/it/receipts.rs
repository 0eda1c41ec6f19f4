//! What a receipt says of places: nothing is called clean that was not looked at, and a new look looks at all of them.

use super::rights::as_an_ordinary_user;
use base64::Engine as _;
use retrace_api::{commands, wire};
use retrace_tests::World;

const SECRET: &str = "sk_live_4eC39HqLyjWDarjtT1zdp7dc";

fn by_secret(live: bool) -> wire::RedactReq {
    let secret_base64 = Some(base64::engine::general_purpose::STANDARD.encode(SECRET));
    wire::RedactReq { secret_base64, live, ..wire::RedactReq::default() }
}

fn redact(world: &World, request: wire::RedactReq) -> wire::Receipt {
    commands::redact(&world.app, request).expect("a redaction").receipt.expect("a receipt")
}

fn recheck(world: &World, receipt: &wire::Receipt) -> wire::Receipt {
    commands::recheck_receipt(&world.app, wire::ReceiptRef { receipt: receipt.id.clone() })
        .expect("a receipt")
}

fn place<'r>(receipt: &'r wire::Receipt, beginning: &str) -> &'r wire::ReceiptPlace {
    let found = receipt.places.iter().find(|place| place.place.starts_with(beginning));
    found.unwrap_or_else(|| panic!("no {beginning} in {:?}", receipt.places))
}

/// What the program says of each place.
fn words(receipt: &wire::Receipt) -> Vec<[Option<String>; 3]> {
    let text = |message: &wire::Message| message.text().to_owned();
    let of_place = |it: &wire::ReceiptPlace| {
        [Some(text(&it.place)), it.detail.as_ref().map(text), it.remedy.as_ref().map(text)]
    };
    receipt.places.iter().map(of_place).collect()
}

/// Places of the log's own that something is left in: then the command does not end with 0.
fn left(receipt: &wire::Receipt) -> Vec<String> {
    let is_left = |place: &&wire::ReceiptPlace| place.owned && place.state == "left";
    receipt.places.iter().filter(is_left).map(|place| place.place.text().to_owned()).collect()
}

#[cfg(unix)]
fn set_mode(path: &std::path::Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("permissions");
}

#[cfg(unix)]
#[test]
fn a_live_file_that_cannot_be_read_is_left() {
    if !as_an_ordinary_user() {
        return;
    }
    let world = World::new();
    world.record("a.md", format!("a {SECRET}\n"));
    world.record("b.md", format!("b {SECRET}\n"));
    world.record("deep/c.md", format!("c {SECRET}\n"));
    world.record("whole.md", "a content of its own\n");
    let (file, folder, whole) =
        (world.path("notes/b.md"), world.path("notes/deep"), world.path("notes/whole.md"));
    set_mode(&file, 0o000);
    set_mode(&folder, 0o000);
    set_mode(&whole, 0o000);
    let preview = wire::RedactReq { dry_run: true, ..by_secret(true) };
    let preview = commands::redact(&world.app, preview).expect("a preview");
    let unread: Vec<_> = preview
        .matches
        .iter()
        .filter(|it| it.remedy.as_deref() == Some("Make the files readable, and repeat the redaction."))
        .filter_map(|it| it.path.clone())
        .collect();
    assert_eq!(unread, ["b.md", "deep", "whole.md"]);
    let receipt = redact(&world, by_secret(true));
    assert_eq!(left(&receipt), ["Live files that could not be read"]);
    let unread = place(&receipt, "Live files that could not be read");
    assert_eq!(unread.detail.as_deref(), Some("could not be read: notes:b.md, notes:deep, notes:whole.md"));
    assert!(unread.remedy.is_some());
    assert_eq!(place(&receipt, "Live files, 1 store").state.as_str(), "out_of_reach");
    // By version, of a content that one of them has.
    let version = world.log("whole.md")[0].id.clone();
    let by_version = wire::RedactReq { versions: vec![version], live: true, ..wire::RedactReq::default() };
    assert_eq!(left(&redact(&world, by_version)), ["Live files that could not be read"]);
    // What only a file holds that cannot be read.
    assert_eq!(left(&redact(&world, by_secret(true))), ["Live files that could not be read"]);
    for (path, mode) in [(&folder, 0o755), (&file, 0o644), (&whole, 0o644)] {
        set_mode(path, mode);
    }
    world.scan();
    assert_eq!(
        recheck(&world, &receipt).places.iter().filter(|it| it.place.starts_with("Live files that")).count(),
        0
    );
    assert_eq!(place(&recheck(&world, &receipt), "Live files, 1 store").state.as_str(), "left");
    let again = redact(&world, by_secret(true));
    assert_eq!((left(&again), place(&again, "Live files, 1 store").state.as_str()), (Vec::new(), "clean"));
}

#[cfg(unix)]
#[test]
fn a_live_file_that_cannot_be_written_is_a_conflict_and_a_transcript_that_cannot_be_read_is_named() {
    if !as_an_ordinary_user() {
        return;
    }
    let world = World::new();
    world.record("a.md", format!("a {SECRET}\n"));
    world.record("deep/b.md", format!("b {SECRET}\n"));
    let transcript = world.path("home/.claude/projects/-p/session.jsonl");
    std::fs::create_dir_all(transcript.parent().expect("a folder")).expect("folders");
    std::fs::write(&transcript, format!("{{\"type\":\"user\",\"text\":\"{SECRET}\"}}\n")).expect("a file");
    set_mode(&transcript, 0o000);
    let folder = world.path("notes/deep");
    set_mode(&folder, 0o500);
    let done = commands::redact(&world.app, by_secret(true)).expect("a redaction");
    let told: Vec<_> = done.conflicts.iter().map(|it| (it.path.as_str(), it.reason)).collect();
    assert_eq!(told, [("deep/b.md", wire::ConflictReason::NotWritten)]);
    let error = done.conflict_error().expect("the command does not end with 0");
    assert_eq!(
        (error.code, error.message.text()),
        (wire::Code::HeadMoved, "Only 1 of 2 files were changed.")
    );
    assert_eq!(world.read("deep/b.md"), Some(format!("b {SECRET}\n")));
    let receipt = done.receipt.expect("a receipt");
    let unread = place(&receipt, "Transcripts that were not searched");
    assert_eq!(unread.state.as_str(), "out_of_reach");
    assert!(unread.detail.as_deref().is_some_and(|it| it.contains("session.jsonl")), "{unread:?}");
    set_mode(&transcript, 0o644);
    set_mode(&folder, 0o700);
    let again = recheck(&world, &receipt);
    assert!(!again.places.iter().any(|it| it.place.starts_with("Transcripts that")), "{:?}", again.places);
    assert_eq!(place(&again, "Transcripts on this machine").hits, 1);
    assert_eq!(place(&again, "Live files, 1 store").hits, 1);
}

#[cfg(unix)]
#[test]
fn an_act_in_a_directory_that_may_not_be_written_to_does_nothing_and_its_preview_says_so() {
    if !as_an_ordinary_user() {
        return;
    }
    let world = World::new();
    world.record("a.md", "one\n");
    world.record("deep/b.md", "one\n");
    let at = world.cursor();
    world.record("a.md", "two\n");
    world.record("deep/b.md", "two\n");
    let folder = world.path("notes/deep");
    set_mode(&folder, 0o500);
    for dry_run in [true, false] {
        let request = wire::RestoreReq {
            store: "notes".to_owned(),
            at: at.to_string(),
            dry_run,
            ..wire::RestoreReq::default()
        };
        let error = commands::restore(&world.app, request).expect_err("it cannot be written");
        let told = (error.code, error.subject.as_str());
        assert_eq!(told, (wire::Code::StoreUnavailable, "deep/b.md"), "{dry_run}: {error:?}");
        assert_eq!(world.read("a.md").as_deref(), Some("two\n"));
    }
    set_mode(&folder, 0o700);
    let request =
        wire::RestoreReq { store: "notes".to_owned(), at: at.to_string(), ..wire::RestoreReq::default() };
    assert_eq!(commands::restore(&world.app, request).expect("a restore").writes.len(), 2);
}

#[test]
fn a_new_look_finds_what_is_back_in_places_that_were_clean() {
    let world = World::new();
    world.record("a.md", format!("a {SECRET}\n"));
    let receipt = redact(&world, by_secret(true));
    assert!(receipt.places.iter().all(|place| place.state != "left"), "{:?}", receipt.places);
    let same = recheck(&world, &receipt);
    for found in &same.places {
        let takes_secret = found.remedy.as_deref().is_some_and(|it| it.contains("verify --absent-file FILE"));
        let expected = match found.place.text() {
            "Backups and file sync" => "out_of_reach",
            "Other forms: UTF-16, base64, escaped" => "out_of_reach",
            _ => "clean",
        };
        assert_eq!(found.state.as_str(), expected, "{found:?}");
        assert_eq!(takes_secret, found.place.starts_with("Other forms"), "{found:?}");
    }
    world.write("b.md", format!("b {SECRET}\n"));
    let live = recheck(&world, &receipt);
    assert_eq!((place(&live, "Live files, 1 store").hits, left(&live)), (1, Vec::new()));
    world.scan();
    world.write(&format!("{SECRET}.md"), "named\n");
    world.scan();
    let back = recheck(&world, &receipt);
    assert_eq!(place(&back, "Live files, 1 store").hits, 1);
    assert_eq!(place(&back, "Version log").state.as_str(), "left");
    assert_eq!(place(&back, "Search index").state.as_str(), "left");
    let raw = ["Database file", "Write-ahead log"].map(|name| place(&back, name).hits);
    assert!(raw.iter().sum::<u64>() > 0, "a path stands there as it is: {:?}", back.places);
    assert_eq!(place(&back, "Names of live files").state.as_str(), "left");
    std::fs::remove_file(world.path(&format!("notes/{SECRET}.md"))).expect("removed");
    world.scan();
    redact(&world, by_secret(true));
    let clean = recheck(&world, &receipt);
    assert!(clean.places.iter().all(|place| place.state != "left"), "{:?}", clean.places);
}

#[test]
fn a_secret_of_another_redaction_is_none_of_a_receipt() {
    let other = "tok_another_0123456789abcdef";
    let world = World::new();
    world.record("a.md", format!("a {SECRET}\n"));
    let first = redact(&world, by_secret(true));
    world.record("b.md", format!("b {other}\n"));
    let secret_base64 = Some(base64::engine::general_purpose::STANDARD.encode(other));
    let second = redact(&world, wire::RedactReq { secret_base64, ..by_secret(true) });
    world.record("c.md", format!("c {other}\n"));
    assert!(recheck(&world, &first).places.iter().all(|place| place.state != "left"));
    assert_eq!(place(&recheck(&world, &second), "Version log").hits, 1);
    world.record("c.md", format!("c {SECRET}\n"));
    assert_eq!(place(&recheck(&world, &first), "Version log").hits, 1);
}

#[test]
fn a_note_of_live_files_goes_when_it_is_true_no_more() {
    let world = World::new();
    world.record("a.md", format!("a {SECRET}\n"));
    world.record("b.md", format!("b {SECRET}\n"));
    let receipt = redact(&world, by_secret(false));
    let noted = |receipt: &wire::Receipt| {
        receipt
            .warnings
            .iter()
            .filter(|warning| warning.contains("still hold"))
            .map(|it| it.text().to_owned())
            .collect::<Vec<_>>()
    };
    assert!(noted(&receipt)[0].starts_with("2 live files still hold it."));
    world.write("a.md", "clean\n");
    assert!(noted(&recheck(&world, &receipt))[0].starts_with("1 live file still holds it."));
    world.write("b.md", "clean\n");
    let clean = recheck(&world, &receipt);
    assert_eq!((noted(&clean), place(&clean, "Live files").state.as_str()), (Vec::new(), "clean"));
}

#[test]
fn what_has_no_tag_is_not_called_clean_by_a_new_look() {
    let world = World::new();
    world.record("pin.md", "pin 7391 of the door, and more words\n");
    let secret_base64 = Some(base64::engine::general_purpose::STANDARD.encode("7391"));
    let receipt = redact(&world, wire::RedactReq { secret_base64, ..by_secret(true) });
    let again = recheck(&world, &receipt);
    for found in again.places.iter().filter(|place| place.place.text() != "Backups and file sync") {
        assert_eq!(found.state.as_str(), "out_of_reach", "{found:?}");
        assert!(found.remedy.as_deref().is_some_and(|it| it.contains("--absent-file FILE")), "{found:?}");
    }
}

#[test]
fn a_common_word_is_taken_out_of_what_people_wrote_and_not_of_own_sentences() {
    let world = World::new();
    world.record("a.md", format!("a {SECRET}\n"));
    let first = redact(&world, by_secret(true));
    world.record("b.md", "Database password of the Database\n");
    // A person's name for a file, in a sentence of the program.
    world.record("Database.md", "the other\n");
    let find =
        wire::RedactReq { find: Some("Database".to_owned()), live: true, ..wire::RedactReq::default() };
    let done = commands::redact(&world.app, find).expect("a redaction");
    let receipts = commands::receipts(&world.app, wire::Nothing {}).expect("receipts").receipts;
    let old = receipts.iter().find(|receipt| receipt.id == first.id).expect("the first");
    assert_eq!(words(old), words(&first));
    let receipt = done.receipt.expect("a receipt");
    assert_eq!(place(&receipt, "Database file").state.as_str(), "clean", "{receipt:?}");
    assert!(
        receipt.warnings.iter().any(|it| it.contains("Retrace's own sentences")),
        "{:?}",
        receipt.warnings
    );
    assert!(world.read("b.md").is_some_and(|text| text == "[redacted] password of the [redacted]\n"));
    // Every word of the sentences, and nothing is lost of them.
    let find = wire::RedactReq {
        find: Some("Live|clean|left|secret|user|scan|Backups and|store|raw bytes".to_owned()),
        live: true,
        ..wire::RedactReq::default()
    };
    world.record("c.md", "Live and clean, left of the store\n");
    commands::redact(&world.app, find).expect("a redaction");
    let receipts = commands::receipts(&world.app, wire::Nothing {}).expect("receipts").receipts;
    let old = receipts.iter().find(|receipt| receipt.id == first.id).expect("the first");
    assert_eq!(words(old), words(&first));
    world.verify();
}

#[test]
fn what_people_wrote_is_taken_out_of_own_sentences() {
    let world = World::new();
    world.record("a.md", "a word\n");
    let word = "Hummingbird";
    let request = wire::ExportStoreReq {
        store: "notes".to_owned(),
        to: world.path(&format!("{word}.retrace")).to_string_lossy().into_owned(),
        ..wire::ExportStoreReq::default()
    };
    commands::export_store(&world.app, request).expect("a bundle");
    let file = world.path(&format!("{word}.retrace")).to_string_lossy().into_owned();
    let clock = retrace_tests::options_of(std::path::Path::new("/"), 9).engine.clock;
    let other = World::with(|options| options.clock = clock);
    other.add("kept");
    let request =
        wire::ImportBundleReq { file, store: Some("kept".to_owned()), ..wire::ImportBundleReq::default() };
    commands::import_bundle(&other.app, request).expect("an import");
    let find = wire::RedactReq { find: Some(word.to_owned()), ..wire::RedactReq::default() };
    commands::redact(&other.app, find).expect("a redaction");
    assert!(!retrace_tests::holds_bytes(&other.path("data"), word.as_bytes()));
    other.verify();
}

#[test]
fn the_directory_of_a_store_off_the_list_is_left() {
    let world = World::new();
    world.add("kept");
    world.record("a.md", format!("a {SECRET}\n"));
    let request = wire::StoreRef { store: "notes".to_owned() };
    commands::remove_store(&world.app, request).expect("removed");
    let receipt = redact(&world, by_secret(true));
    let directory = place(&receipt, "Directory of a store that is off the list");
    assert!(directory.place.contains(&*world.path("notes").to_string_lossy()), "{directory:?}");
    assert_eq!((directory.state.as_str(), directory.owned), ("left", true));
    assert!(directory.remedy.as_deref().is_some_and(|remedy| remedy.contains("retrace stores add")));
    assert_eq!(left(&recheck(&world, &receipt)).len(), 1);
    // Of a redaction that concerns nothing of it, it is told and is no failure.
    let other = "tok_another_0123456789abcdef";
    std::fs::write(world.path("kept/b.md"), other).expect("a file");
    let secret_base64 = Some(base64::engine::general_purpose::STANDARD.encode(other));
    let elsewhere = redact(&world, wire::RedactReq { secret_base64, ..by_secret(true) });
    assert_eq!(left(&elsewhere), Vec::<String>::new());
    assert_eq!(place(&elsewhere, "Directory of a store").state.as_str(), "out_of_reach");
}
