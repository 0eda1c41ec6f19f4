//! The copies of files that Claude Code keeps before it edits them: `file-history/<session>/` in its directory, named by
//! `file-history-snapshot` lines of the session's transcript.
//!
//! A line tells of each file it tracks the name of the copy and when it was made; no name says that there was no file. The
//! path is absolute, or relative to the directory the session ran in.

use retrace_model::Timestamp;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

/// A copy that a session says it kept.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Copy {
    /// The file, absolute, `/` between parts.
    pub path: String,
    pub at: Timestamp,
    /// Name of the copy below the session's directory; `None` when there was no file.
    pub name: Option<String>,
}

#[derive(Deserialize)]
struct Line {
    snapshot: Snapshot,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Snapshot {
    #[serde(default)]
    tracked_file_backups: BTreeMap<String, Backup>,
    timestamp: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Backup {
    backup_file_name: Option<String>,
    backup_time: Option<String>,
}

/// The copies a transcript tells of, of the files that are wanted, in the order of time. `directory` is where its session ran.
pub(crate) fn copies(
    transcript: &[u8],
    directory: Option<&str>,
    is_wanted: impl Fn(&str) -> bool,
) -> Vec<Copy> {
    let mut found = BTreeSet::new();
    for line in transcript.split(|byte| *byte == b'\n') {
        if memchr::memmem::find(line, b"\"file-history-snapshot\"").is_none() {
            continue;
        }
        let Ok(Line { snapshot }) = serde_json::from_slice(line) else { continue };
        for (named, backup) in snapshot.tracked_file_backups {
            let path = retrace_origin::resolve(&named, directory);
            let at = backup.backup_time.as_ref().or(snapshot.timestamp.as_ref());
            let Some(at) = at.and_then(|at| Timestamp::parse(at).ok()) else { continue };
            if is_wanted(&path) {
                found.insert(Copy { path, at, name: backup.backup_file_name });
            }
        }
    }
    let mut found: Vec<Copy> = found.into_iter().collect();
    found.sort_by_key(|copy| copy.at);
    found
}

/// Where a copy of a session is, for a transcript at `<directory>/projects/<slug>/<session>.jsonl`. `None` for a name that
/// would lead elsewhere.
pub(crate) fn place(transcript: &Path, session: &str, name: &str) -> Option<PathBuf> {
    let plain = |text: &str| {
        let mut parts = Path::new(text).components();
        matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None))
    };
    let claude = transcript.parent()?.parent()?.parent()?;
    (plain(session) && plain(name)).then(|| claude.join("file-history").join(session).join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_reported_once_in_the_order_of_time() {
        let line = |backups: &str| {
            format!(
                r#"{{"type":"file-history-snapshot","messageId":"m","snapshot":{{"messageId":"m","trackedFileBackups":{{{backups}}},"timestamp":"2026-01-02T03:04:05.000Z"}},"isSnapshotUpdate":true}}"#
            )
        };
        let one =
            r#""memory/a.md":{"backupFileName":"aa@v1","version":1,"backupTime":"2026-01-02T03:04:07.000Z"}"#;
        let absent = r#""/srv/memory/b.md":{"backupFileName":null,"version":1}"#;
        let other =
            r#""src/main.rs":{"backupFileName":"bb@v1","version":1,"backupTime":"2026-01-02T03:04:06.000Z"}"#;
        let transcript = [
            line(one),
            line(other),
            line(&format!("{one},{absent}")),
            "not json file-history-snapshot".to_owned(),
        ]
        .join("\n");
        let found = copies(transcript.as_bytes(), Some("/srv"), |path| path.starts_with("/srv/memory/"));
        let reported: Vec<_> = found.iter().map(|copy| (copy.path.as_str(), copy.name.as_deref())).collect();
        assert_eq!(reported, [("/srv/memory/b.md", None), ("/srv/memory/a.md", Some("aa@v1"))]);
    }

    #[test]
    fn a_copy_lies_below_the_directory_of_its_session() {
        let transcript = Path::new("/home/ada/.claude/projects/-work/s1.jsonl");
        let expected = PathBuf::from("/home/ada/.claude/file-history/s1/aa@v1");
        assert_eq!(place(transcript, "s1", "aa@v1"), Some(expected));
        for (session, name) in [("s1", "../x"), ("..", "x"), ("s1", "/etc/passwd"), ("s1", ""), ("a/b", "x")]
        {
            assert_eq!(place(transcript, session, name), None);
        }
        assert_eq!(place(Path::new("s1.jsonl"), "s1", "x"), None);
    }
}
