//! Whatever happens to files between updates, the index ends like one made of them anew.

use super::Index;
use crate::testing::{Home, answer, indexed, prompt, session_path, update};
use proptest::prelude::*;
use std::fs;

/// Change of one of three files between two updates.
#[derive(Clone, Debug)]
enum Event {
    /// This many bytes more of the text that is written to it.
    Append(usize),
    /// Cut to this part of it, in hundredths.
    Cut(usize),
    /// Another file in its place, with this much of the other text.
    Replace(usize),
    /// Its last line is left half, and something that is no transcript follows.
    Spoil(Vec<u8>),
    Delete,
    /// The index is kept, and taken up by another program.
    Restart,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => (1_usize..900).prop_map(Event::Append),
        1 => (0_usize..100).prop_map(Event::Cut),
        1 => (0_usize..2000).prop_map(Event::Replace),
        1 => proptest::collection::vec(any::<u8>(), 1..40).prop_map(Event::Spoil),
        1 => Just(Event::Delete),
        1 => Just(Event::Restart),
    ]
}

fn text(session: &str) -> String {
    (1..6)
        .flat_map(|turn| [prompt(session, turn, "Name it"), answer(session, turn, &format!("msg_{turn}"), 3)])
        .collect()
}

fn happen(home: &Home, name: &str, event: &Event) {
    let path = home.path(&session_path(name));
    let size = fs::metadata(&path).map_or(0, |metadata| metadata.len());
    let start = usize::try_from(size).unwrap();
    match event {
        Event::Append(length) => {
            let text = text(name);
            let bytes: Vec<u8> = text.bytes().cycle().skip(start).take(*length).collect();
            if start == 0 {
                home.session(name, "");
            }
            home.append(&session_path(name), bytes);
        }
        Event::Cut(part) if start > 0 => {
            let file = fs::File::options().write(true).open(&path).unwrap();
            file.set_len(size * *part as u64 / 100).unwrap();
        }
        Event::Replace(length) => {
            let other = text("other");
            let aside = home.write("aside", &other.as_bytes()[..(*length).min(other.len())]);
            home.session(name, "");
            fs::rename(aside, &path).unwrap();
        }
        Event::Spoil(bytes) if start > 0 => home.append(&session_path(name), bytes),
        Event::Delete if start > 0 => fs::remove_file(&path).unwrap(),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_index_ends_like_a_new_one(events in proptest::collection::vec((0_usize..3, event()), 1..25)) {
        let home = Home::new();
        let mut index = Index::default();
        for (file, event) in events {
            happen(&home, ["s0", "s1", "s2"][file], &event);
            if matches!(event, Event::Restart) {
                index.save(&home.kept()).unwrap();
                index = Index::load(&home.kept());
            }
            update(&mut index, &home.roots());
            let new = indexed(&home);
            let known: Vec<_> = index.entries.values().map(|entry| (&entry.path, &entry.summary)).collect();
            let expected: Vec<_> = new.entries.values().map(|entry| (&entry.path, &entry.summary)).collect();
            prop_assert_eq!(known, expected);
        }
    }

    #[test]
    fn any_bytes_in_place_of_the_kept_index_are_an_empty_one(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let home = Home::new();
        fs::write(home.kept(), bytes).unwrap();
        prop_assert_eq!(Index::load(&home.kept()).entries.len(), 0);
    }
}
