//! What Claude Code's hook `InstructionsLoaded` told: which file it loaded for which session, and why. `retrace hook` keeps one
//! line an event in the data directory; a session's story reads them beside its transcript, which older clients write without.
//!
//! A line holds paths and ids, never a text of a file. A redaction takes lines out as those of other small files.

use crate::Lab;
use crate::session::reason;
use crate::wire::CarriedClass;
use crate::wire::{ApiError, LoadReason, LoadWitness, SessionFile, SessionLoad};
use retrace_context::LoadReason as Reason;
use retrace_engine::keep;
use retrace_log::Tags;
use retrace_model::Timestamp;
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

/// The file in the data directory.
pub const LOADS_FILE: &str = "instructions-loaded.jsonl";

/// The lines before these, once they are many.
pub const OLDER_LOADS_FILE: &str = "instructions-loaded.older.jsonl";

/// A file larger than this becomes the older one.
const LARGEST: u64 = 4 << 20;

/// Longer paths are no paths of files.
const LONGEST: usize = 8_192;

/// One event of the hook, as it is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadTold {
    /// When it came.
    pub at: String,
    /// The session.
    pub session_id: String,
    /// The subagent; null for the main conversation.
    pub agent_id: Option<String>,
    /// The file.
    pub file_path: String,
    /// The client's name for it.
    pub memory_type: Option<String>,
    /// Why, in the client's words.
    pub load_reason: String,
    /// The file that imports it.
    pub parent_file_path: Option<String>,
    /// The file that was read.
    pub trigger_file_path: Option<String>,
}

impl LoadTold {
    /// Reads an event of the hook; `None` for another event, and for one without a session or a file.
    #[must_use]
    pub fn of_event(event: &[u8], at: Timestamp) -> Option<Self> {
        let event: Value = serde_json::from_slice(event).ok()?;
        if event["hook_event_name"].as_str().is_some_and(|name| name != "InstructionsLoaded") {
            return None;
        }
        Self::of_fields(&event, at.to_rfc3339())
    }

    /// Reads a line that was kept.
    fn of_line(line: &str) -> Option<Self> {
        let kept: Value = serde_json::from_str(line).ok()?;
        let at = kept["at"].as_str().unwrap_or_default().to_owned();
        Self::of_fields(&kept, at)
    }

    fn of_fields(fields: &Value, at: String) -> Option<Self> {
        let text = |name: &str| {
            fields[name].as_str().filter(|text| !text.is_empty() && text.len() <= LONGEST).map(str::to_owned)
        };
        Some(Self {
            at,
            session_id: text("session_id")?,
            agent_id: text("agent_id"),
            file_path: text("file_path")?,
            memory_type: text("memory_type"),
            load_reason: text("load_reason").unwrap_or_default(),
            parent_file_path: text("parent_file_path"),
            trigger_file_path: text("trigger_file_path"),
        })
    }

    /// Why; a reason that is not known counts as loaded again.
    #[must_use]
    pub fn reason(&self) -> LoadReason {
        Reason::of_word(&self.load_reason).map_or(LoadReason::Refresh, reason)
    }

    /// The reason in the client's words, where it is none that is known.
    fn own_words(&self) -> Option<String> {
        let unknown = Reason::of_word(&self.load_reason).is_none() && !self.load_reason.is_empty();
        unknown.then(|| self.load_reason.clone())
    }

    /// The event without what was redacted: its paths and ids are texts of somebody else.
    #[must_use]
    pub fn without(self, tags: &Tags) -> Self {
        let clean = |text: String| tags.without_in_text(&text).unwrap_or(text);
        Self {
            at: self.at,
            session_id: clean(self.session_id),
            agent_id: self.agent_id.map(clean),
            file_path: clean(self.file_path),
            memory_type: self.memory_type.map(clean),
            load_reason: clean(self.load_reason),
            parent_file_path: self.parent_file_path.map(clean),
            trigger_file_path: self.trigger_file_path.map(clean),
        }
    }

    fn line(&self) -> String {
        let mut fields = json!({
            "at": self.at,
            "session_id": self.session_id,
            "file_path": self.file_path,
            "load_reason": self.load_reason,
        });
        for (name, value) in [
            ("agent_id", &self.agent_id),
            ("memory_type", &self.memory_type),
            ("parent_file_path", &self.parent_file_path),
            ("trigger_file_path", &self.trigger_file_path),
        ] {
            if let Some(value) = value {
                fields[name] = Value::String(value.clone());
            }
        }
        format!("{fields}\n")
    }

    /// Adds the event to those that are kept. One write of one line: of two processes none cuts the other's.
    ///
    /// # Errors
    /// The directory or the file cannot be written.
    pub fn keep(&self, data_dir: &Path) -> std::io::Result<()> {
        std::fs::create_dir_all(data_dir)?;
        let path = data_dir.join(LOADS_FILE);
        if std::fs::metadata(&path).is_ok_and(|file| file.len() > LARGEST) {
            std::fs::rename(&path, data_dir.join(OLDER_LOADS_FILE))?;
        }
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(path)?.write_all(self.line().as_bytes())
    }
}

/// Every event of the hook that is kept and of interest, the oldest first.
fn kept(inner: &Lab, is_wanted: impl Fn(&LoadTold) -> bool) -> Vec<LoadTold> {
    let mut told = Vec::new();
    for file in [OLDER_LOADS_FILE, LOADS_FILE] {
        // What cannot be read tells nothing.
        let text: Result<_, ApiError> = keep::read(&inner.options.data_dir.join(file));
        let text = text.ok().flatten().unwrap_or_default();
        told.extend(text.lines().filter_map(LoadTold::of_line).filter(&is_wanted));
    }
    told
}

/// What the hook told of one file, by its whole path, the oldest first.
#[must_use]
pub fn loads_told_of(inner: &Lab, path: &str) -> Vec<LoadTold> {
    kept(inner, |event| event.file_path == path)
}

/// What the hook told of one session.
#[derive(Debug, Default)]
pub(crate) struct LoadsTold(Vec<LoadTold>);

impl LoadsTold {
    pub(crate) fn of_session(inner: &Lab, session: &str) -> Self {
        Self(kept(inner, |event| event.session_id == session))
    }

    /// Adds what the hook told: to a load that the transcript tells too, the reason and the file that brought it; a load that the
    /// transcript does not tell as one of its own.
    pub(crate) fn tell(&self, files: &mut Vec<SessionFile>) {
        for told in &self.0 {
            let load = SessionLoad {
                reason: told.reason(),
                told: told.own_words(),
                scope: None,
                at: Some(told.at.clone()).filter(|at| !at.is_empty()),
                request: None,
                by: told.parent_file_path.clone().or_else(|| told.trigger_file_path.clone()),
                agent: told.agent_id.clone(),
                witness: LoadWitness::Hook,
            };
            let Some(file) = files.iter_mut().find(|file| file.path == told.file_path) else {
                files.push(hook_alone(told, load));
                continue;
            };
            if file.loads.contains(&load) {
                continue;
            }
            // What the transcript tells by where an attachment stands, the client tells by name.
            let same = file.loads.iter_mut().find(|known| {
                let is_start = load.reason == LoadReason::Include && known.reason == LoadReason::SessionStart;
                known.witness == LoadWitness::Transcript
                    && load.agent.is_none()
                    && (known.reason == load.reason || is_start)
            });
            match same {
                Some(known) => {
                    (known.reason, known.witness) = (load.reason, LoadWitness::Hook);
                    known.by = load.by.or(known.by.take());
                }
                None => file.loads.push(load),
            }
        }
        // Instructions before memory, whoever told them.
        files.sort_by_key(|file| file.class != CarriedClass::Instructions);
    }
}

fn hook_alone(told: &LoadTold, load: SessionLoad) -> SessionFile {
    SessionFile {
        path: told.file_path.clone(),
        class: CarriedClass::Instructions,
        kind: told.memory_type.clone(),
        store_id: None,
        store_path: None,
        loads: vec![load],
        requests: Vec::new(),
        tokens: 0,
        partial: false,
        cost_usd: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Timestamp = Timestamp::from_micros(0);

    fn event(json: &str) -> Option<LoadTold> {
        LoadTold::of_event(json.as_bytes(), AT)
    }

    #[test]
    fn an_event_names_session_and_file() {
        let told = event(
            r#"{"session_id":"s","hook_event_name":"InstructionsLoaded","file_path":"/w/more.md","memory_type":"Project",
                "load_reason":"include","parent_file_path":"/w/CLAUDE.md","more":1}"#,
        )
        .expect("an event");
        assert_eq!(
            (told.load_reason.as_str(), told.parent_file_path.as_deref()),
            ("include", Some("/w/CLAUDE.md"))
        );
        for odd in [
            "",
            "null",
            "[]",
            "{}",
            r#"{"session_id":"s"}"#,
            r#"{"session_id":5,"file_path":"/w"}"#,
            r#"{"session_id":"s","file_path":"/w","hook_event_name":"Stop"}"#,
        ] {
            assert_eq!(event(odd), None, "{odd}");
        }
    }

    #[test]
    fn lines_are_added_and_read_again() {
        let directory = tempfile::tempdir().expect("a directory");
        let told = LoadTold { session_id: "s".into(), file_path: "/w/a\n.md".into(), ..LoadTold::default() };
        told.keep(directory.path()).expect("written");
        told.keep(directory.path()).expect("written");
        let text = std::fs::read_to_string(directory.path().join(LOADS_FILE)).expect("a file");
        let lines: Vec<LoadTold> = text.lines().filter_map(LoadTold::of_line).collect();
        assert_eq!(lines, [told.clone(), told]);
    }

    #[test]
    fn the_hook_says_better_why() {
        let mut files = vec![SessionFile {
            loads: vec![SessionLoad {
                reason: LoadReason::SessionStart,
                told: None,
                scope: None,
                at: None,
                request: Some(0),
                by: None,
                agent: None,
                witness: LoadWitness::Transcript,
            }],
            ..hook_alone(&LoadTold { file_path: "/w/more.md".into(), ..LoadTold::default() }, load_of("x"))
        }];
        let include = LoadTold {
            file_path: "/w/more.md".into(),
            load_reason: "include".into(),
            parent_file_path: Some("/w/CLAUDE.md".into()),
            ..LoadTold::default()
        };
        let other =
            LoadTold { file_path: "/w/b.md".into(), load_reason: "later".into(), ..LoadTold::default() };
        LoadsTold(vec![include, other]).tell(&mut files);
        assert_eq!(files.len(), 2);
        let load = &files[0].loads[0];
        assert_eq!(
            (load.reason, load.by.as_deref(), load.request),
            (LoadReason::Include, Some("/w/CLAUDE.md"), Some(0))
        );
        assert_eq!(
            (files[1].loads[0].reason, files[1].loads[0].told.as_deref()),
            (LoadReason::Refresh, Some("later"))
        );
    }

    fn load_of(word: &str) -> SessionLoad {
        SessionLoad {
            reason: LoadReason::Refresh,
            told: Some(word.to_owned()),
            scope: None,
            at: None,
            request: None,
            by: None,
            agent: None,
            witness: LoadWitness::Hook,
        }
    }
}
