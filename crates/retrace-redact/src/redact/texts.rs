//! Texts of the log beside versions: texts of its tables, and small files of the data directory.

use super::MARKER;
use super::json_text;
use super::survey::Selection;
use crate::Redactions;
use crate::keep;
use crate::wire::{ApiError, RedactionMatch};
use crate::wire::{RedactionAction, RedactionPlace};
use retrace_engine::lock;
use retrace_findings::OwnRules;
use retrace_log::{Act, REMOTE_ROOT, Reader, StoreRow, TEXTS, TextCare, TextHits, TextPlace};
use retrace_message::{AsMessage as _, Message};
use retrace_model::{Actor, RelPath, StoreId};
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::PathBuf;

/// Files of the data directory are read up to this size; none of those that hold texts grows so large.
const LARGEST: u64 = 64 << 20;

/// Treatment of a file of the data directory by a redaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileCare {
    /// Each string of the JSON it is gives way to a marker where it holds it.
    Json,
    /// The person's own rules: as text, where it can be read afterwards.
    Rules,
    /// Each place that holds it gives way to a marker, however it is.
    Lines,
    /// It is made anew when it is missing: it is removed.
    Disposable,
}

/// A file's name, what it is called for people, and what becomes of it.
type KeptFile = (&'static str, fn() -> Message, FileCare);

/// Files of the data directory beside the database that hold texts.
const FILES: [KeptFile; 10] = [
    ("variants.json", say::saved_settings_lab, FileCare::Json),
    ("desktop.json", say::settings_desktop, FileCare::Json),
    ("projects.json", say::answers_about_new_projects, FileCare::Json),
    ("findings.toml", say::own_rules_findings, FileCare::Rules),
    ("prices.tsv", say::own_prices, FileCare::Lines),
    ("instructions-loaded.jsonl", say::files_that_hook_told, FileCare::Json),
    ("instructions-loaded.older.jsonl", say::files_that_hook_told, FileCare::Json),
    ("token-counts.jsonl", say::kept_token_counts, FileCare::Disposable),
    ("transcripts.index", say::index_transcripts, FileCare::Disposable),
    ("deeds.index", say::index_deeds, FileCare::Disposable),
];

/// True for the name of texts of the log or of files of the data directory, as places on receipts have it.
pub(super) fn is_name(name: &Message) -> bool {
    let of_texts = TEXTS.iter().filter_map(|place| place.name).map(|name| name.message());
    of_texts.chain(FILES.iter().map(|(_, name, _)| name())).any(|known| known.id() == name.id())
}

/// A file of the data directory that holds it.
pub(super) struct OwnFile {
    path: PathBuf,
    pub(super) name: Message,
    care: FileCare,
    pub(super) hits: u64,
}

/// Texts of one name that hold it.
pub(super) struct TextGroup {
    pub(super) name: Message,
    pub(super) rows: u64,
    /// The first of them, masked.
    line: Option<String>,
    /// Why they stay, and what a person can do.
    pub(super) remedy: Option<Message>,
}

/// Hits in the log beside versions.
#[derive(Default)]
pub(super) struct TextSurvey {
    pub(super) texts: Vec<TextGroup>,
    pub(super) files: Vec<OwnFile>,
}

impl TextSurvey {
    /// True if anything of it can be taken out from here.
    pub(super) fn has_any_to_take_out(&self) -> bool {
        !self.files.is_empty() || self.texts.iter().any(|group| group.remedy.is_none())
    }

    pub(super) fn matches(&self) -> Vec<RedactionMatch> {
        let texts = self.texts.iter().map(|group| RedactionMatch {
            place: RedactionPlace::Text,
            name: Some(group.name.clone()),
            path: Some(group.name.text().to_owned()),
            masked: group.line.clone(),
            hits: group.rows,
            action: if group.remedy.is_some() {
                RedactionAction::Left
            } else {
                RedactionAction::ReplaceInPlace
            },
            remedy: group.remedy.clone(),
            ..RedactionMatch::default()
        });
        let files = self.files.iter().map(|file| RedactionMatch {
            place: RedactionPlace::File,
            name: Some(file.name.clone()),
            path: Some(file.name.text().to_owned()),
            hits: file.hits,
            action: RedactionAction::ReplaceInPlace,
            ..RedactionMatch::default()
        });
        texts.chain(files).collect()
    }
}

/// Text afterwards; `None` when it does not hold it.
fn without(selection: &Selection, place: &TextPlace, bytes: &[u8]) -> Option<(Vec<u8>, u64)> {
    let ranges = |bytes: &[u8]| selection.ranges(bytes);
    if place.care == TextCare::Json {
        return json_text::without(bytes, &ranges, MARKER);
    }
    let mut found = ranges(bytes);
    if place.holds_messages() && !found.is_empty() {
        let own = own_words(bytes);
        found.retain(|(start, end)| !own.iter().any(|own| own.start <= *start && *end <= own.end));
    }
    (!found.is_empty()).then(|| (json_text::replaced(bytes, &found, MARKER), found.len() as u64))
}

/// Where saved messages, one a line, are the program's own wording.
fn own_words(bytes: &[u8]) -> Vec<Range<usize>> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Vec::new() };
    let (mut own, mut from) = (Vec::new(), 0);
    for line in text.split('\n') {
        own.extend(Message::own_words_of_saved(line).into_iter().map(|it| from + it.start..from + it.end));
        from += line.len() + 1;
    }
    own
}

/// Searches every text of the log beside its versions. `matched` is told each text that matched.
///
/// # Errors
/// A failure of the database.
pub(super) fn texts_holding(
    reader: &Reader<'_>,
    selection: &Selection,
    person: &str,
    mut matched: impl FnMut(&[u8]),
) -> Result<Vec<TextGroup>, ApiError> {
    let off_the_list: BTreeSet<Vec<u8>> = reader
        .stores()?
        .into_iter()
        .filter(|store| store.removed_at.is_some() && !store.is_remote())
        .map(|store| store.root)
        .collect();
    let mut groups: Vec<TextGroup> = Vec::new();
    reader.texts(|place, bytes, rows| {
        let Some((after, _)) = without(selection, place, bytes) else { return };
        // Of one's own wording nothing is searched for elsewhere.
        let own = if place.holds_messages() { own_words(bytes) } else { Vec::new() };
        let is_own = |start, end| own.iter().any(|own: &Range<usize>| own.start <= start && end <= own.end);
        for (start, end) in selection.ranges(bytes) {
            if !is_own(start, end) {
                matched(&bytes[start..end]);
            }
        }
        let remedy = match place.care {
            TextCare::Root if off_the_list.contains(bytes) => None,
            TextCare::Root if bytes.starts_with(REMOTE_ROOT) => Some(say::host_remedy()),
            TextCare::Root => Some(say::root_remedy()),
            TextCare::Host => Some(say::host_remedy()),
            TextCare::Sealed if place.table == "actors" && bytes == person.as_bytes() => {
                Some(say::person_remedy())
            }
            _ => None,
        };
        let name = place.name.map(|name| name.message()).unwrap_or_default();
        match groups.iter_mut().find(|group| group.name == name && group.remedy == remedy) {
            Some(group) => group.rows += rows,
            None => {
                let text = String::from_utf8_lossy(&after).replace(MARKER, "████");
                let line = text.lines().find(|line| line.contains('█')).map(super::survey::shorten);
                groups.push(TextGroup { name, rows, line, remedy });
            }
        }
    })?;
    Ok(groups)
}

/// Takes it out of every text of the log beside its versions, in the transaction of the redaction and right before its
/// operation.
///
/// # Errors
/// A failure of the database.
pub(super) fn redact_texts(
    act: &mut Act<'_>,
    selection: &Selection,
    person: &Actor,
) -> Result<Vec<TextHits>, ApiError> {
    Ok(act.redact_texts(person, |place, bytes| without(selection, place, bytes).map(|(after, _)| after))?)
}

/// Names of the texts of the log that hold exactly these bytes, with the number of rows; paths of memories in stores without a
/// directory are among them.
///
/// # Errors
/// A failure of the database.
pub(crate) fn texts_with(reader: &Reader<'_>, secret: &[u8]) -> Result<Vec<(Message, u64)>, ApiError> {
    let selection = Selection::secret(secret.to_vec());
    let groups = texts_holding(reader, &selection, "", |_| ())?;
    let mut named: Vec<(Message, u64)> = groups.into_iter().map(|group| (group.name, group.rows)).collect();
    let paths = paths_without_directory(reader, &selection, &reader.stores()?)?.len() as u64;
    if paths > 0 {
        named.push((super::receipt::paths_of_memories(), paths));
    }
    Ok(named)
}

/// Paths of live memories, in stores without a directory, that hold it: no file has that name.
///
/// # Errors
/// A failure of the database.
pub(super) fn paths_without_directory(
    reader: &Reader<'_>,
    selection: &Selection,
    stores: &[StoreRow],
) -> Result<Vec<(StoreId, RelPath)>, ApiError> {
    let mut holding = Vec::new();
    for store in stores.iter().filter(|store| !store.has_directory()) {
        let paths = reader.memories_at(store.id, None)?.into_iter().filter_map(|memory| memory.path);
        let paths = paths.filter(|path| selection.hits(path.as_bytes()) > 0);
        holding.extend(paths.map(|path| (store.id, path)));
    }
    Ok(holding)
}

impl Redactions {
    /// Everything beside versions that holds it.
    pub(super) fn survey_texts(
        &self,
        selection: &Selection,
        matched: &mut BTreeSet<Vec<u8>>,
        most: usize,
    ) -> Result<TextSurvey, ApiError> {
        if matches!(selection, Selection::Versions(..)) {
            return Ok(TextSurvey::default());
        }
        let add = |text: &[u8]| {
            if matched.len() < most {
                matched.insert(text.to_vec());
            }
        };
        let texts = self.read(|reader| texts_holding(reader, selection, &self.options.user, add))?;
        let files = self.own_files_holding(selection);
        Ok(TextSurvey { texts, files })
    }

    pub(super) fn own_files_holding(&self, selection: &Selection) -> Vec<OwnFile> {
        let hits_of = |file: &str, care: FileCare| {
            let path = self.options.data_dir.join(file);
            let small = std::fs::metadata(&path).is_ok_and(|metadata| metadata.len() <= LARGEST);
            let bytes = if small { std::fs::read(&path).ok() } else { None };
            let hits = bytes.map_or(0, |bytes| match care {
                FileCare::Json | FileCare::Disposable => {
                    json_text::hits(&bytes, &|bytes| selection.ranges(bytes))
                }
                FileCare::Rules | FileCare::Lines => selection.hits(&bytes),
            });
            (path, hits)
        };
        FILES
            .iter()
            .map(|(file, name, care)| {
                let (path, hits) = hits_of(file, *care);
                OwnFile { path, name: name(), care: *care, hits }
            })
            .filter(|file| file.hits > 0)
            .collect()
    }

    /// Takes it out of the small files of the data directory; answers what could not be changed, and why.
    pub(super) fn redact_own_files(&self, selection: &Selection) -> Vec<Message> {
        let _own_files = lock(&self.own_files_lock);
        let mut failed = Vec::new();
        // Checked anew, for they may have changed since the survey.
        for file in self.own_files_holding(selection) {
            if let Err(why) = self.redact_own_file(&file, selection) {
                failed.push(say::file_data_directory_could_not(crate::wire::show(&file.path), why));
            }
        }
        failed
    }

    fn redact_own_file(&self, file: &OwnFile, selection: &Selection) -> Result<(), Message> {
        if file.care == FileCare::Disposable {
            return std::fs::remove_file(&file.path).map_err(|error| error.message());
        }
        let bytes = std::fs::read(&file.path).map_err(|error| error.message())?;
        let ranges = |bytes: &[u8]| selection.ranges(bytes);
        let after = match file.care {
            FileCare::Json => match json_text::without(&bytes, &ranges, MARKER) {
                Some((after, _)) => after,
                None => return Ok(()),
            },
            _ => json_text::replaced(&bytes, &ranges(&bytes), MARKER),
        };
        let reads = match file.care {
            FileCare::Json => {
                serde_json::from_slice::<serde_json::Value>(&after).is_ok()
                    || serde_json::from_slice::<serde_json::Value>(&bytes).is_err()
            }
            FileCare::Rules => {
                String::from_utf8(after.clone()).is_ok_and(|text| OwnRules::parse(&text).is_ok())
            }
            FileCare::Lines | FileCare::Disposable => true,
        };
        if !reads {
            return Err(say::could_not_read_any_more());
        }
        keep::replace(self, &file.path, &after).map_err(|error| error.message)
    }
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "texts";
    root_remedy() => "Rename the directory, add it anew and take the old store off the list; then repeat the redaction.",
    host_remedy() => "The host gave it: take the mirror off the list, or change it at the host.",
    person_remedy() => "It is the name of the person at this machine, which is written with every act.",
    file_data_directory_could_not(path, why) => "A file of the data directory could not be changed: {path} ({why}).",
    could_not_read_any_more() => "it could not be read any more with a marker in it",
    saved_settings_lab() => "Saved settings of the lab",
    settings_desktop() => "Settings of the desktop",
    answers_about_new_projects() => "Answers about new projects",
    own_rules_findings() => "Own rules of findings",
    own_prices() => "Own prices",
    files_that_hook_told() => "Loaded files that a hook reported",
    kept_token_counts() => "Kept token counts",
    index_transcripts() => "Index of transcripts",
    index_deeds() => "Index of what sessions did",
}
