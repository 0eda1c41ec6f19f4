//! After the masking: purge, look at every place anew, and write down what was found where.

use super::survey::{LiveHit, Selection, Survey, masked_text, name_remedy, path_remedy, transcripts_remedy};
use super::texts::{TextGroup, texts_holding};
use super::transcripts::{self, Rewritten};
use super::unread::{self, Unread};
use crate::Redactions;
use crate::hosts as remote;
use crate::wire::{ActResult, ApiError};
use retrace_engine::Point;
use retrace_engine::lock;
use retrace_log::{Needles, Place, PlaceState, RawHits, Reader, ReceiptRow, StoreRow, VersionFilter, Words};
use retrace_message::Message;
use std::collections::BTreeSet;
use std::path::Path;

impl Redactions {
    /// Purges, and writes down on the receipt what that found. What is not finished is pending on the receipt.
    pub(super) fn purge_and_finish(
        &self,
        mut row: ReceiptRow,
        needles: &Needles,
        selection: &Selection,
        stores: &[StoreRow],
        (survey, rewritten): (&Survey, &[Rewritten]),
        result: &mut ActResult,
    ) -> Result<(), ApiError> {
        lock(&self.pending_needles).insert(row.id, needles.clone());
        let purged = self.at(Point::BeforePurge).and_then(|()| Ok(self.writer().purge(needles)?));
        let purged = purged.unwrap_or_else(|error| {
            result.warnings.push(say::purge_could_not_done_yet(error.message));
            None
        });
        self.at(Point::AfterPurge)?;
        row.warnings = result.warnings.clone();
        self.finish(&mut row, selection, stores, (survey, rewritten), purged.as_ref())?;
        if purged.is_some() {
            lock(&self.pending_needles).remove(&row.id);
        }
        Ok(())
    }

    /// Fills in what a receipt says, and keeps it.
    fn finish(
        &self,
        row: &mut ReceiptRow,
        selection: &Selection,
        stores: &[StoreRow],
        (survey, rewritten): (&Survey, &[Rewritten]),
        purged: Option<&RawHits>,
    ) -> Result<(), ApiError> {
        row.purged = purged.is_some();
        row.places = self.places(selection, stores, (survey, rewritten), purged)?;
        // A purge that failed does not wait for other processes; the warning says what for.
        let failed = say::purge_could_not_done_yet("");
        if row.warnings.iter().any(|warning| warning.id() == failed.id()) {
            let waits = Some(say::purge_pending_finished_soon_no());
            for place in row.places.iter_mut().filter(|place| place.remedy == waits) {
                place.remedy = Some(say::purge_pending_finished_recorder_or());
            }
        }
        self.read(|reader| remote::enter_places(reader, row))?;
        row.chain_head = self.read(|reader| Ok(reader.chain_head()?))?;
        if purged.is_some() {
            let sound = self.read(|reader| Ok(reader.verify_chain()?))?.is_empty();
            row.chain_verified = Some(sound);
            *lock(&self.verified) = Some((self.now(), sound));
        }
        self.write(|act| Ok(act.finish_receipt(row)?))
    }

    /// Names of stores whose directory cannot be read now.
    pub(super) fn unreadable<'s>(&self, stores: &'s [StoreRow]) -> Vec<&'s str> {
        let with_directory = stores.iter().filter(|store| store.has_directory());
        with_directory
            .filter(|store| self.store_root(store).is_err())
            .map(|store| store.name.as_str())
            .collect()
    }

    /// Looks at every place anew, after the act.
    fn places(
        &self,
        selection: &Selection,
        stores: &[StoreRow],
        (survey, rewritten): (&Survey, &[Rewritten]),
        purged: Option<&RawHits>,
    ) -> Result<Vec<Place>, ApiError> {
        let mut places = Vec::new();
        // Their names are a place of their own.
        let of_content = |hit: &LiveHit| hit.hits - u64::from(hit.in_path);
        let left: u64 = survey.live.iter().filter(|hit| hit.after.is_none()).map(of_content).sum();
        let mask = |text: &str| masked_text(selection, text);
        // Looked at anew: what became readable meanwhile was not searched either.
        let mut unread = survey.unread.clone();
        unread.extend(self.unread(stores));
        unread.sort();
        unread.dedup();
        places.push(self.live_place(stores, left, &unread, &mask));
        places.extend(unread::place(&unread, &mask));
        places.extend(unread::places_off(&survey.off_the_list, &mask));
        places.extend(other_names(survey, &mask));
        let remaining = self.read(|reader| remaining(reader, selection))?;
        places.push(Place::own(say::version_log_contents_paths(), remaining, None));
        let in_index = self.read(|reader| in_index(reader, &survey.matched, selection))?;
        places.push(Place::own(say::search_index(), in_index, None));
        if !matches!(selection, Selection::Versions(..)) {
            self.text_places(selection, survey, &mut places)?;
        }
        for name in file_places() {
            places.push(pending(name, say::purge_pending_finished_soon_no()));
        }
        if let Some(raw) = purged {
            enter_raw_hits(&mut places, raw, true);
        }
        if !matches!(selection, Selection::Versions(..)) {
            transcript_places(selection, survey, rewritten, &mut places);
            places.extend(transcripts::place_of_unread(&survey.unread_transcripts, &mask));
            places.extend(survey.outside.iter().map(super::outside::Outside::entry));
        }
        places.push(backups());
        Ok(places)
    }

    /// The place of live files, of which `left` hits are left.
    pub(super) fn live_place(
        &self,
        stores: &[StoreRow],
        left: u64,
        unread: &[Unread],
        mask: &dyn Fn(&str) -> String,
    ) -> Place {
        let name = match stores.len() {
            1 => say::live_files_1_store(),
            count => say::live_files_stores(count),
        };
        let gone = self.unreadable(stores);
        let not_read = gone.iter().map(|name| mask(name)).chain(unread.iter().map(|one| mask(&one.shown())));
        let not_read: BTreeSet<String> = not_read.collect();
        let (state, remedy) = match (left, not_read.is_empty()) {
            (0, true) => (PlaceState::Clean, None),
            // A place that was not read is not known to be clean.
            (0, false) => (PlaceState::OutOfReach, (!gone.is_empty()).then(say::unreadable_remedy)),
            _ => (PlaceState::Left, Some(say::live_remedy())),
        };
        let detail = (!not_read.is_empty()).then(|| say::could_not_read(unread::listed(&not_read)));
        Place { remedy, ..Place::outside(name, state, left, detail) }
    }

    /// Texts of the log beside its versions, looked at anew: what was found there before, and what is there now.
    fn text_places(
        &self,
        selection: &Selection,
        survey: &Survey,
        places: &mut Vec<Place>,
    ) -> Result<(), ApiError> {
        let now = self.read(|reader| texts_holding(reader, selection, &self.options.user, |_| ()))?;
        let files = self.own_files_holding(selection);
        let taken = |rows: u64| (rows > 0).then(|| say::replaced_marker(rows));
        let rows_of = |groups: &[TextGroup], name: &Message| -> u64 {
            groups.iter().filter(|group| group.name == *name).map(|group| group.rows).sum()
        };
        let mut named: Vec<Message> = Vec::new();
        for group in survey.texts.texts.iter().chain(&now) {
            if named.contains(&group.name) {
                continue;
            }
            named.push(group.name.clone());
            let (before, left) = (rows_of(&survey.texts.texts, &group.name), rows_of(&now, &group.name));
            let remedy =
                now.iter().filter(|left| left.name == group.name).find_map(|left| left.remedy.clone());
            let remedy = (left > 0).then(|| remedy.unwrap_or_else(say::repeat_remedy));
            places.push(Place {
                remedy,
                ..Place::own(group.name.clone(), left, taken(before.saturating_sub(left)))
            });
        }
        if named.is_empty() {
            places.push(Place::own(say::notes_names_other_texts_log(), 0, None));
        }
        let names = survey.live.iter().filter(|hit| hit.in_path).count() as u64;
        if names > 0 {
            let remedy = Some(name_remedy());
            places.push(Place { remedy, ..Place::own(say::names_live_files(), names, None) });
        }
        if !survey.paths.is_empty() {
            let left = survey.paths.len() as u64;
            let remedy = Some(path_remedy());
            places.push(Place { remedy, ..Place::own(say::paths_memories_without_directory(), left, None) });
        }
        for file in &survey.texts.files {
            let left = files.iter().filter(|left| left.name == file.name).map(|left| left.hits).sum();
            let remedy = (left > 0).then(say::repeat_remedy);
            places.push(Place {
                remedy,
                ..Place::own(file.name.clone(), left, taken(file.hits.saturating_sub(left)))
            });
        }
        let encoded: u64 = survey.encoded.iter().map(super::survey::Encoded::hits).sum();
        let versions = survey.encoded.iter().any(|encoded| encoded.version.is_some());
        let remedy = (encoded > 0).then(say::encoded_remedy);
        let place = Place::own(say::other_forms_utf_16_base64(), encoded, None);
        places.push(Place { remedy, owned: versions, ..place });
        Ok(())
    }

    /// True if a redaction waits for its purge.
    pub(crate) fn purge_is_pending(&self) -> bool {
        self.writer().reader().purges_pending().is_ok_and(|pending| pending > 0)
    }

    /// Finishes purges that were held up or cut off, by this process or another. Cheap when there are none.
    pub fn finish_purges(&self) -> Result<(), ApiError> {
        let pending: Vec<ReceiptRow> = {
            let writer = self.writer();
            if writer.reader().purges_pending()? == 0 {
                return Ok(());
            }
            writer.reader().receipts()?.into_iter().filter(|row| !row.purged).collect()
        };
        for mut row in pending {
            let needles = lock(&self.pending_needles).get(&row.id).cloned();
            let known = needles.is_some();
            let Some(raw) = self.writer().purge(&needles.unwrap_or_default())? else { return Ok(()) };
            if row.places.is_empty() {
                self.complete(&mut row)?;
            }
            enter_raw_hits(&mut row.places, &raw, known);
            row.purged = true;
            row.chain_verified = Some(self.read(|reader| Ok(reader.verify_chain()?))?.is_empty());
            self.write(|act| Ok(act.finish_receipt(&row)?))?;
            lock(&self.pending_needles).remove(&row.id);
            self.events.send(&crate::wire::Event::Receipts);
        }
        Ok(())
    }

    /// Fills in the receipt of a redaction that was cut off after it was committed: what was not looked at is said.
    fn complete(&self, row: &mut ReceiptRow) -> Result<(), ApiError> {
        let filter = VersionFilter { operation_seq: Some(row.operation_seq), ..VersionFilter::default() };
        row.live_files = self.read(|reader| Ok(reader.versions(&filter)?))?.len() as u64;
        for name in file_places() {
            row.places.push(Place::own(name, 0, None));
        }
        for name in [say::live_files(), say::transcripts_machine(), say::places_outside_log()] {
            let detail = say::not_looked_because_redaction_cut();
            row.places.push(Place::outside(name, PlaceState::OutOfReach, 0, Some(detail)));
        }
        row.places.push(backups());
        self.read(|reader| remote::enter_places(reader, row))
    }
}

/// Enters what a purge found in the files of the data directory. `known` says whether the secret was searched for.
pub(super) fn enter_raw_hits(places: &mut [Place], raw: &RawHits, known: bool) {
    for place in places {
        let Some(of_place) = files_of(&place.place) else { continue };
        place.hits = raw.files.iter().filter(|(path, _)| of_place(path)).map(|(_, hits)| *hits).sum();
        place.state = if place.hits == 0 { PlaceState::Clean } else { PlaceState::Left };
        place.detail = (!known).then(say::finished_another_process_did_not);
        if place.hits == 0 {
            continue;
        }
        if place.place == say::other_files() {
            let files: Vec<String> = raw
                .files
                .iter()
                .filter(|(path, hits)| of_place(path) && **hits > 0)
                .map(|(path, _)| crate::wire::show(path))
                .collect();
            place.detail = Some(say::in_files(files.join(", ")));
            place.remedy = Some(say::take_out_these_files_or());
        } else {
            place.remedy = Some(say::database_remedy());
        }
    }
}

/// Files of the data directory that a place on a receipt stands for; `None` for a place of another sort.
pub(super) fn files_of(place: &Message) -> Option<fn(&Path) -> bool> {
    let [database, write_ahead, others] = file_places();
    if *place == database {
        Some(|path| path == Path::new("retrace.db"))
    } else if *place == write_ahead {
        Some(|path| path == Path::new("retrace.db-wal") || path == Path::new("retrace.db-shm"))
    } else if *place == others {
        Some(|path| !path.to_string_lossy().starts_with("retrace.db"))
    } else {
        None
    }
}

/// Places on a receipt that stand for files of the data directory.
fn file_places() -> [Message; 3] {
    [say::database_file(), say::write_ahead_log(), say::other_files()]
}

/// The places on a receipt whose purge is still to come, and nothing else was looked at.
pub fn pending_places() -> Vec<Place> {
    let why = say::purge_pending_finished_recorder_or();
    let of_files = |name| pending(name, why.clone());
    file_places().into_iter().map(of_files).chain([backups()]).collect()
}

fn pending(name: Message, why: Message) -> Place {
    Place { state: PlaceState::Left, ..Place::own(name, 0, Some(why)) }
}

/// Transcripts: each file that was to be changed, or all of them as one place.
fn transcript_places(
    selection: &Selection,
    survey: &Survey,
    rewritten: &[Rewritten],
    places: &mut Vec<Place>,
) {
    if !rewritten.is_empty() {
        places.extend(rewritten.iter().map(|file| file.place(|path| masked_text(selection, path))));
        return;
    }
    let hits: u64 = survey.transcripts.iter().map(|(_, hits)| hits).sum();
    let files = survey.transcripts.len();
    let detail = match files {
        0 => None,
        1 => Some(say::n1_file_belongs_agent()),
        files => Some(say::files_belong_agent(files)),
    };
    let state = if hits == 0 { PlaceState::Clean } else { PlaceState::Left };
    let remedy = (hits > 0).then(transcripts_remedy);
    places.push(Place { remedy, ..Place::outside(say::transcripts_machine(), state, hits, detail) });
}

/// The place of names that lead to what stood in a file before it was replaced; `None` where there are none.
fn other_names(survey: &Survey, mask: &dyn Fn(&str) -> String) -> Option<Place> {
    let files: BTreeSet<String> = survey.with_other_names().map(|hit| mask(&hit.path.to_text())).collect();
    (!files.is_empty()).then(|| {
        let detail = Some(say::lead_to(unread::listed(&files)));
        let place = Place::outside(say::other_names(), PlaceState::Left, files.len() as u64, detail);
        Place { remedy: Some(say::find_other_names()), ..place }
    })
}

/// Where nobody can look from here.
pub(super) fn backups() -> Place {
    Place::outside(say::backups_file_sync(), PlaceState::OutOfReach, 0, None)
}
/// Matches in contents and paths the log still holds.
pub(super) fn remaining(reader: &Reader<'_>, selection: &Selection) -> Result<u64, ApiError> {
    let left = match selection {
        Selection::Versions(chosen, _) => {
            let mut left = 0;
            for version in chosen {
                left += u64::from(reader.version(version.id.seq)?.redaction.is_none());
            }
            left
        }
        _ => reader.versions_holding(None, |_, bytes| selection.hits(bytes))?.len() as u64,
    };
    Ok(left)
}

/// Contents the search index still leads to.
fn in_index(
    reader: &Reader<'_>,
    matched: &BTreeSet<Vec<u8>>,
    selection: &Selection,
) -> Result<u64, ApiError> {
    let mut hits = 0;
    for text in matched.iter().take(20) {
        let words = Words::parse(&String::from_utf8_lossy(text));
        if words.is_empty() {
            continue;
        }
        for hit in
            reader.search_live(&words, None, 50)?.iter().chain(&reader.search_history(&words, None, 50)?)
        {
            hits += u64::from(selection.hits(hit.text.as_bytes()) > 0);
        }
    }
    Ok(hits)
}

/// How paths of memories without a directory are named as a place.
pub(super) fn paths_of_memories() -> Message {
    say::paths_memories_without_directory()
}

retrace_message::messages! {
    /// Messages of this module.
    saved pub(super) mod say in "receipt";
    database_file() => "Database file, raw bytes",
    write_ahead_log() => "Write-ahead log, raw bytes",
    other_files() => "Other files of the data directory",
    in_files(files) => "in {files}",
    live_remedy() => "Repeat the redaction with `--live`, or edit the files.",
    unreadable_remedy() => "Put the directory back, and repeat the redaction.",
    repeat_remedy() => "Repeat the redaction.",
    database_remedy() => "It stands there for the places named above; once they are clean, repeat the redaction.",
    encoded_remedy() => "`retrace redact … --dry-run` names each of them; a version is redacted by its id, a live file is edited.",
    purge_could_not_done_yet(message) => "The purge could not be done yet: {message}",
    live_files_1_store() => "Live files, 1 store",
    live_files_stores(count) => "Live files, {count} stores",
    could_not_read(unreadable) => "could not be read: {unreadable}",
    version_log_contents_paths() => "Version log, contents and paths",
    search_index() => "Search index",
    replaced_marker(rows) => "replaced by a marker: {rows}",
    notes_names_other_texts_log() => "Notes, names and other texts of the log",
    paths_memories_without_directory() => "Paths of memories without a directory",
    names_live_files() => "Names of live files",
    other_forms_utf_16_base64() => "Other forms: UTF-16, base64, escaped",
    live_files() => "Live files",
    other_names() => "Other names of live files (hard links)",
    lead_to(files) => "They lead to what stood in {files}, outside the directory or left out there.",
    find_other_names() => "Find them by their content, and delete them: they are no memories of a store, so Retrace leaves them.",
    transcripts_machine() => "Transcripts on this machine",
    places_outside_log() => "Places outside of the log",
    not_looked_because_redaction_cut() => "not looked at, because the redaction was cut off: repeat it to look",
    finished_another_process_did_not() => "finished by another process, which did not know the secret: the database was written anew and the write-ahead log emptied",
    take_out_these_files_or() => "Take it out of these files, or delete them.",
    purge_pending_finished_recorder_or() => "purge pending: it is finished by the recorder, or by `retrace receipts RECEIPT --recheck`",
    n1_file_belongs_agent() => "in 1 file, which belongs to the agent",
    files_belong_agent(files) => "in {files} files, which belong to the agent",
    takes_secret_itself() => "It was not searched again, which takes the secret itself: `retrace verify --absent-file FILE` searches the data directory.",
    backups_file_sync() => "Backups and file sync",
    purge_pending_finished_soon_no() => "purge pending: it is finished as soon as no other process reads an older state",
}
