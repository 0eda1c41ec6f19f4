//! Transcripts of agents on this machine. They are named and left, unless they are asked for: then it is replaced by a
//! marker in those that no running program holds open.

use super::json_text::{self, Ranges};
use super::survey::for_each_file;
use super::{MARKER, forms, unread};
use crate::Redactions;
use crate::wire::show;
use retrace_files::{Expected, Root};
use retrace_log::{Place, PlaceState};
use retrace_message::{AsMessage as _, Message};
use retrace_model::{RelPath, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Larger transcripts are not searched.
const LARGEST: u64 = 512 << 20;

/// Fewer bytes occur by chance.
const SHORTEST: usize = 6;

/// What a search of all transcripts found.
#[derive(Default)]
pub(super) struct Searched {
    /// Transcripts with matches, and how many.
    pub(super) holding: Vec<(PathBuf, u64)>,
    /// Transcripts, and folders of some, that could not be read or are too large.
    pub(super) unread: BTreeSet<PathBuf>,
}

/// A transcript that was to be changed.
pub(super) struct Rewritten {
    pub(super) path: PathBuf,
    /// Matches that were replaced.
    pub(super) replaced: u64,
    /// Matches that are left.
    pub(super) left: u64,
    /// Why they are left.
    pub(super) why: Option<Message>,
}

impl Redactions {
    /// Looks for a matched text in all transcripts.
    pub(super) fn transcripts_holding(&self, matched: &BTreeSet<Vec<u8>>) -> Searched {
        let Some(search) = forms::any_of(matched.iter().filter(|text| text.len() >= SHORTEST)) else {
            return Searched::default();
        };
        self.transcripts_where(&|bytes| {
            search.find_iter(bytes).map(|found| (found.start(), found.end())).collect()
        })
    }

    /// Looks for matches in all transcripts.
    pub(super) fn transcripts_where(&self, ranges: Ranges<'_>) -> Searched {
        let mut searched = Searched::default();
        for folder in self.transcript_folders() {
            let is_whole = for_each_file(&folder, 8, &mut |path| {
                if !is_transcript(path) {
                    return;
                }
                let is_small = std::fs::metadata(path).map(|metadata| metadata.len() <= LARGEST);
                match is_small.and_then(|small| if small { std::fs::read(path).map(Some) } else { Ok(None) })
                {
                    Ok(Some(bytes)) => {
                        let hits = json_text::hits(&bytes, ranges);
                        if hits > 0 {
                            searched.holding.push((path.to_path_buf(), hits));
                        }
                    }
                    // An agent deletes what is old.
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                    Ok(None) | Err(_) => {
                        searched.unread.insert(path.to_path_buf());
                    }
                }
            });
            if !is_whole {
                searched.unread.insert(folder);
            }
        }
        searched.holding.sort();
        searched
    }

    /// Replaces matched texts in transcripts by a marker, in each file in one step, as long as it is what was read.
    pub(super) fn rewrite_transcripts(
        &self,
        transcripts: &[(PathBuf, u64)],
        matched: &BTreeSet<Vec<u8>>,
    ) -> Vec<Rewritten> {
        let Some(search) = forms::any_of(matched.iter().filter(|text| text.len() >= SHORTEST)) else {
            return Vec::new();
        };
        let ranges =
            |bytes: &[u8]| search.find_iter(bytes).map(|found| (found.start(), found.end())).collect();
        let open = OpenFiles::now();
        let rewrite = |(path, hits): &(PathBuf, u64)| {
            let done = match open.holder(path) {
                None if is_database(path) => Err(say::database_not_changed()),
                Some(why) => Err(why),
                None => self.rewrite(path, &ranges),
            };
            match done {
                Ok(replaced) => Rewritten { path: path.clone(), replaced, left: 0, why: None },
                Err(why) => Rewritten { path: path.clone(), replaced: 0, left: *hits, why: Some(why) },
            }
        };
        transcripts.iter().map(rewrite).collect()
    }

    fn rewrite(&self, path: &Path, ranges: Ranges<'_>) -> Result<u64, Message> {
        let system = |error: std::io::Error| error.message();
        let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str()))
        else {
            return Err(say::name_cannot_used());
        };
        let name = RelPath::parse(name).map_err(|error| error.message())?;
        let modified = std::fs::metadata(path).and_then(|metadata| metadata.modified());
        let before = std::fs::read(path).map_err(system)?;
        let Some((after, replaced)) = json_text::without(&before, ranges, MARKER) else { return Ok(0) };
        if !as_readable(&before, &after) {
            return Err(say::line_could_not_read_any());
        }
        let root = Root::open(folder).map_err(|error| error.message())?;
        let expected = Expected::Hash(Sha256::of(&before));
        let done = root
            .replace(&name, expected, &after, self.random(), &*self.options.faults)
            .map_err(|error| error.message())?;
        if let Some(hidden) = done.leftover {
            let removed = root
                .leftovers(&self.rules)
                .iter()
                .filter(|leftover| leftover.path == hidden)
                .all(|leftover| root.discard(leftover).is_ok());
            if !removed {
                return Err(say::old_content_could_not_removed(hidden.to_string()));
            }
        }
        // Agents list their sessions by when they were last written.
        if let Ok(modified) = modified
            && let Ok(file) = std::fs::File::options().append(true).open(path)
        {
            drop(file.set_modified(modified));
        }
        Ok(replaced)
    }

    /// The directory of Claude Code.
    pub(super) fn claude_folder(&self) -> PathBuf {
        self.folder_of_agent("CLAUDE_CONFIG_DIR", ".claude")
    }

    fn folder_of_agent(&self, variable: &str, fallback: &str) -> PathBuf {
        let surroundings = &self.options.surroundings;
        surroundings
            .env
            .get(variable)
            .filter(|value| !value.is_empty())
            .map_or_else(|| surroundings.home.join(fallback), PathBuf::from)
    }

    fn transcript_folders(&self) -> Vec<PathBuf> {
        vec![
            self.claude_folder().join("projects"),
            self.folder_of_agent("CODEX_HOME", ".codex").join("sessions"),
            self.folder_of_agent("COPILOT_HOME", ".copilot").join("session-state"),
            self.folder_of_agent("GEMINI_CLI_HOME", "").join(".gemini/tmp"),
            self.folder_of_agent("XDG_DATA_HOME", ".local/share").join("opencode"),
        ]
    }
}

/// The database of opencode, and what is not in it yet. Its texts lie in pages: one that goes over several is not found.
const DATABASES: [&str; 2] = ["opencode.db", "opencode.db-wal"];

fn is_database(path: &Path) -> bool {
    path.file_name().is_some_and(|name| DATABASES.iter().any(|database| name == *database))
}

fn is_transcript(path: &Path) -> bool {
    is_database(path) || path.extension().is_some_and(|extension| extension == "jsonl" || extension == "json")
}

/// The place on a receipt of transcripts that were not searched; `None` where there are none.
pub(super) fn place_of_unread(unread: &BTreeSet<PathBuf>, mask: &dyn Fn(&str) -> String) -> Option<Place> {
    let names = unread::listed(&unread.iter().map(|path| mask(&show(path))).collect());
    (!unread.is_empty()).then(|| Place {
        remedy: Some(say::make_transcripts_readable()),
        ..Place::outside(
            say::transcripts_not_searched(),
            PlaceState::OutOfReach,
            0,
            Some(say::unreadable_or_too_large(names)),
        )
    })
}

/// True for the place of transcripts that were not searched.
pub(super) fn is_unread(place: &Place) -> bool {
    place.place.id() == say::transcripts_not_searched().id()
}

/// What a preview says of transcripts that were not searched.
pub(super) fn unread_warning(unread: &BTreeSet<PathBuf>, mask: &dyn Fn(&str) -> String) -> Option<Message> {
    let names = unread::listed(&unread.iter().map(|path| mask(&show(path))).collect());
    (!unread.is_empty()).then(|| say::not_searched_unreadable_or_too_large(names))
}

/// True if every line that could be read as JSON still can be.
fn as_readable(before: &[u8], after: &[u8]) -> bool {
    let is_json = |line: &[u8]| serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok();
    let lines = |bytes: &[u8]| bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
    let (before, after) = (lines(before), lines(after));
    // A text that goes over lines is in no line of JSON, and such a file is no transcript of lines.
    before.len() == after.len()
        && before
            .iter()
            .zip(&after)
            .all(|(before, after)| before == after || !is_json(before) || is_json(after))
}

/// The line of a transcript that belongs to a receipt.
impl Rewritten {
    pub(super) fn place(&self, shown: impl Fn(&str) -> String) -> Place {
        let state = if self.left == 0 { PlaceState::Clean } else { PlaceState::Left };
        let detail = match &self.why {
            None => say::replaced_marker(self.replaced),
            Some(why) => why.clone(),
        };
        let remedy = (self.left > 0).then(say::end_program_writes_repeat_redaction);
        let name = say::transcript(shown(&show(&self.path)));
        Place { remedy, ..Place::outside(name, state, self.left, Some(detail)) }
    }
}

/// The name of the place of a transcript.
pub(super) fn place_of(path: &str) -> Message {
    say::transcript(path)
}

/// Files that running programs hold open. On Linux the system says which; elsewhere a file counts as open that was written in
/// the last minutes.
struct OpenFiles {
    /// By device and inode, the programs.
    open: BTreeMap<(u64, u64), String>,
    knows: bool,
}

/// Elsewhere than on Linux: how recently a file was written that may still be written to.
const RECENT: std::time::Duration = std::time::Duration::from_secs(600);

impl OpenFiles {
    #[cfg(target_os = "linux")]
    fn now() -> Self {
        use std::os::unix::fs::MetadataExt as _;
        let mut open = BTreeMap::new();
        let Ok(processes) = std::fs::read_dir("/proc") else { return Self { open, knows: false } };
        let own = std::process::id().to_string();
        for process in processes.flatten() {
            let number = process.file_name().to_string_lossy().into_owned();
            if number == own || !number.bytes().all(|byte| byte.is_ascii_digit()) {
                continue;
            }
            let Ok(files) = std::fs::read_dir(process.path().join("fd")) else { continue };
            for file in files.flatten() {
                // The link is followed to the file itself, whatever its name is by now.
                if let Ok(metadata) = std::fs::metadata(file.path())
                    && metadata.is_file()
                {
                    let name = std::fs::read_to_string(process.path().join("comm")).unwrap_or_default();
                    open.entry((metadata.dev(), metadata.ino()))
                        .or_insert_with(|| format!("{} ({number})", name.trim()));
                }
            }
        }
        Self { open, knows: true }
    }

    #[cfg(not(target_os = "linux"))]
    fn now() -> Self {
        Self { open: BTreeMap::new(), knows: false }
    }

    /// Why a file is not to be written: who holds it open.
    fn holder(&self, path: &Path) -> Option<Message> {
        let metadata = std::fs::metadata(path).ok()?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            if let Some(program) = self.open.get(&(metadata.dev(), metadata.ino())) {
                return Some(say::held_open(program));
            }
        }
        let recent = !self.knows
            && metadata.modified().ok().and_then(|at| at.elapsed().ok()).is_none_or(|age| age < RECENT);
        recent.then(say::written_last_ten_minutes_program)
    }
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "transcripts";
    name_cannot_used() => "its name cannot be used",
    line_could_not_read_any() => "a line could not be read any more with a marker in it",
    old_content_could_not_removed(hidden) => "the old content could not be removed: delete the hidden file {hidden}",
    replaced_marker(replaced) => "replaced by a marker: {replaced}",
    end_program_writes_repeat_redaction() => "End the program that writes it, and repeat the redaction.",
    transcript(path) => "Transcript {path}",
    database_not_changed() => "This is a database, which only its program changes: delete the session there.",
    transcripts_not_searched() => "Transcripts that were not searched",
    unreadable_or_too_large(names) => "could not be read, or too large: {names}",
    make_transcripts_readable() => "Make them readable, and look again at the receipt. Search what is too large yourself.",
    not_searched_unreadable_or_too_large(names) => "Transcripts that could not be read, or are too large, were not searched: {names}.",
    held_open(program) => "held open by {program}",
    written_last_ten_minutes_program() => "written in the last ten minutes, so that a program may hold it open",
}
