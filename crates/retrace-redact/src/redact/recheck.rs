//! Looking again at the places of a receipt. The secret is not kept, so what was redacted is known again by its tags. What takes the
//! secret itself is said to be so, and is not called clean any more.

use super::receipt::{enter_raw_hits, files_of, remaining, say};
use super::survey::{Selection, masked_text, mend_warnings, name_remedy, path_remedy, transcripts_remedy};
use super::texts::{is_name, texts_holding};
use super::{outside, transcripts, unread};
use crate::Redactions;
use crate::hosts::HOST_PLACE;
use crate::wire::{ApiError, show};
use retrace_log::{Place, PlaceState, ReadConnection, ReceiptRow, StoreRow};
use retrace_message::Message;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// What a new look found.
struct Found {
    /// Everything that the redaction took out is known again.
    known: bool,
    live: u64,
    names: u64,
    paths: u64,
    versions: u64,
    /// Hits in texts of the log and in files of the data directory, by the name of their place.
    texts: Vec<(Message, u64)>,
    /// Hits in transcripts, by their path.
    transcripts: BTreeMap<String, u64>,
    /// Transcripts that could not be searched.
    unread_transcripts: BTreeSet<PathBuf>,
}

impl Redactions {
    /// Looks again at every place of a receipt.
    pub(super) fn look_again(&self, row: &mut ReceiptRow) -> Result<(), ApiError> {
        if row.places.is_empty() {
            // Its purge is pending, and fills them in.
            return Ok(());
        }
        let tags = self.read(|reader| Ok(reader.tags_for(row.id, &self.files)?))?;
        let known = tags.lost() == 0 && self.is_known_again(row)?;
        let has_secrets = tags.has_secrets();
        let raw = match row.purged && has_secrets {
            true => Some(ReadConnection::open(&self.files)?.find_tagged(&self.files, &tags)?),
            false => None,
        };
        let tagged = Selection::Tagged(Box::new(tags));
        let stores = self.read(|reader| Ok(reader.stores()?))?;
        let stores: Vec<StoreRow> = stores.into_iter().filter(|store| store.removed_at.is_none()).collect();
        let found = self.found_again(&tagged, &stores, known)?;
        let (live, mut rest): (Vec<Place>, Vec<Place>) =
            std::mem::take(&mut row.places).into_iter().partition(is_live);
        let searched_transcripts =
            rest.iter().any(|place| is(place, &[say::transcripts_machine(), transcripts::place_of("")]));
        rest.retain(|place| {
            !unread::is_unread(place) && !unread::is_off(place) && !transcripts::is_unread(place)
        });
        // Without a secret of its own, what is searched in raw bytes is not all of it.
        let is_raw_known = known && has_secrets;
        rest.iter_mut().for_each(|place| settle_rest(place, &found, row.purged && !is_raw_known));
        if let Some(raw) = raw.filter(|_| is_raw_known) {
            enter_raw_hits(&mut rest, &raw, true);
        }
        add_found(&mut rest, &found);
        let mask = |text: &str| masked_text(&tagged, text);
        let unread = self.unread(&stores);
        let live_now = self.live_place(&stores, found.live, &unread, &mask);
        if let Some(before) = live.into_iter().next() {
            row.places.push(settled_live(before, live_now, known));
            row.places.extend(unread::place(&unread, &mask));
            let concerned = self.read(|reader| Ok(reader.stores_redacted_by(row.id)?))?;
            row.places.extend(unread::places_off(&self.off_the_list(&concerned, None), &mask));
        }
        row.places.extend(rest);
        if searched_transcripts {
            row.places.extend(transcripts::place_of_unread(&found.unread_transcripts, &mask));
        }
        if known {
            mend_warnings(&mut row.warnings, found.live, found.names);
        }
        self.write(|act| Ok(act.finish_receipt(row)?))
    }

    fn found_again(&self, tagged: &Selection, stores: &[StoreRow], known: bool) -> Result<Found, ApiError> {
        let (mut live, mut names) = (0, 0);
        for store in stores.iter().filter(|store| store.has_directory()) {
            let Ok(root) = self.store_root(store) else { continue };
            for path in root.scan(&self.rules, None).found.into_keys() {
                names += u64::from(!tagged.ranges(path.as_bytes()).is_empty());
                let read = root.read(&path, self.rules.max_file_bytes).ok();
                let holds = read.and_then(|content| content.bytes).is_some_and(|it| tagged.hits(&it) > 0);
                live += u64::from(holds);
            }
        }
        let person = &self.options.user;
        let (versions, paths, texts) = self.read(|reader| {
            let mut paths = 0;
            for store in stores.iter().filter(|store| !store.has_directory()) {
                let held = reader.memories_at(store.id, None)?.into_iter().filter_map(|memory| memory.path);
                paths += held.filter(|path| !tagged.ranges(path.as_bytes()).is_empty()).count() as u64;
            }
            let texts = texts_holding(reader, tagged, person, |_| ())?;
            let texts = texts.into_iter().map(|group| (group.name, group.rows)).collect();
            Ok((remaining(reader, tagged)?, paths, texts))
        })?;
        let mut texts: Vec<(Message, u64)> = texts;
        texts.extend(self.own_files_holding(tagged).into_iter().map(|file| (file.name, file.hits)));
        let searched = self.transcripts_where(&|bytes| tagged.ranges(bytes));
        let transcripts = searched.holding.into_iter().map(|(path, hits)| (show(&path), hits)).collect();
        let unread_transcripts = searched.unread;
        Ok(Found { known, live, names, paths, versions, texts, transcripts, unread_transcripts })
    }

    /// True if everything that the redaction took out is known again by its tags: each content of versions that were chosen has one
    /// of its own, and no text that was looked for was too short for one.
    fn is_known_again(&self, row: &ReceiptRow) -> Result<bool, ApiError> {
        match row.method.as_str() {
            "versions" => Ok(self.read(|reader| Ok(reader.tags_of(row.id)?))? >= row.versions),
            _ => Ok(!super::survey::some_have_no_tag(&row.warnings)),
        }
    }
}

fn is(place: &Place, names: &[Message]) -> bool {
    names.iter().any(|name| name.id() == place.place.id())
}

fn is_live(place: &Place) -> bool {
    is(place, &[say::live_files_1_store(), say::live_files_stores(0), say::live_files()])
}

/// The place of live files as it is now.
fn settled_live(before: Place, now: Place, known: bool) -> Place {
    match (now.state, known) {
        (PlaceState::Clean, false) if before.state == PlaceState::Left => before,
        (PlaceState::Clean, false) => {
            let mut now = now;
            cannot(&mut now, say::takes_secret_itself());
            now
        }
        _ => now,
    }
}

/// Enters what a new look found in a place.
fn settle(place: &mut Place, hits: u64, known: bool, remedy: impl FnOnce() -> Message) {
    match (hits, known) {
        (0, true) => {
            if place.state != PlaceState::Clean {
                place.detail = None;
            }
            (place.hits, place.state, place.remedy) = (0, PlaceState::Clean, None);
        }
        (0, false) => cannot(place, say::takes_secret_itself()),
        _ => {
            (place.hits, place.state, place.remedy) = (hits, PlaceState::Left, Some(remedy()));
            place.detail = None;
        }
    }
}

/// A place that was clean and cannot be searched now.
fn cannot(place: &mut Place, remedy: Message) {
    if place.state == PlaceState::Clean {
        (place.state, place.detail, place.remedy) = (PlaceState::OutOfReach, None, Some(remedy));
    }
}

/// Enters what a new look found in any place but that of live files. `is_raw_unknown`: raw bytes were searched and cannot be now.
fn settle_rest(place: &mut Place, found: &Found, is_raw_unknown: bool) {
    let known = found.known;
    if is(place, &[say::version_log_contents_paths(), say::search_index()]) {
        // The index leads to nothing but versions.
        settle(place, found.versions, known, say::repeat_remedy);
    } else if is(place, &[say::names_live_files()]) {
        settle(place, found.names, known, name_remedy);
    } else if is(place, &[say::paths_memories_without_directory()]) {
        settle(place, found.paths, known, path_remedy);
    } else if is(place, &[say::notes_names_other_texts_log()]) || is_name(&place.place) {
        let hits = found.texts.iter().filter(|(name, _)| *name == place.place).map(|(_, hits)| hits).sum();
        // Names of hosts and directories on the list have a step of their own.
        let before = place.remedy.clone();
        settle(place, hits, known, || before.unwrap_or_else(say::repeat_remedy));
    } else if files_of(&place.place).is_some() {
        if is_raw_unknown {
            cannot(place, say::takes_secret_itself());
        }
    } else if is(place, &[say::transcripts_machine()]) {
        settle(place, found.transcripts.values().sum(), known, transcripts_remedy);
    } else if is(place, &[transcripts::place_of("")]) {
        let hits = found.transcripts.iter().find(|(path, _)| transcripts::place_of(path) == place.place);
        settle(place, hits.map_or(0, |(_, hits)| *hits), known, transcripts_remedy);
    } else if is(place, &[say::other_forms_utf_16_base64()]) {
        cannot(place, say::takes_secret_itself());
    } else if !place.place.starts_with(HOST_PLACE) {
        cannot(place, outside::takes_secret_itself());
    }
}

/// Adds places that were clean before without being named.
fn add_found(places: &mut Vec<Place>, found: &Found) {
    let mut add = |name: Message, hits: u64, remedy: Message| {
        if hits > 0 && !places.iter().any(|place| place.place == name) {
            places.push(Place { remedy: Some(remedy), ..Place::own(name, hits, None) });
        }
    };
    for (name, hits) in &found.texts {
        add(name.clone(), *hits, say::repeat_remedy());
    }
    add(say::names_live_files(), found.names, name_remedy());
    add(say::paths_memories_without_directory(), found.paths, path_remedy());
    if found.texts.iter().any(|(_, hits)| *hits > 0) {
        places.retain(|place| !is(place, &[say::notes_names_other_texts_log()]));
    }
}
