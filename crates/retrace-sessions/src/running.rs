//! Which sessions run, as their client says. Claude Code (2.1.330) keeps a file for each of its processes in `sessions` of its
//! configuration: it names the session and goes when the process ends. A process that was killed leaves its file behind; where the
//! system lists processes, such a file does not count. A session that waits for a person runs.

use crate::roots::{Root, RootKind, Roots};
use serde::Deserialize;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Sessions that run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Running {
    /// By the file of a process.
    by_file: HashMap<PathBuf, String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Process {
    pid: u64,
    session_id: String,
    #[serde(default)]
    proc_start: Option<String>,
    #[serde(default)]
    pid_domain: Option<String>,
}

impl Running {
    /// The sessions that run now. What a file said before counts where it is being written.
    #[must_use]
    pub fn read(roots: &Roots, before: &Self) -> Self {
        let mut by_file = HashMap::new();
        for folder in roots.0.iter().filter_map(processes_of) {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                let is_process = path.extension().is_some_and(|ending| ending == "json");
                if !is_process || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
                    continue;
                }
                let read = std::fs::read(&path).ok();
                let session = match read.and_then(|bytes| serde_json::from_slice::<Process>(&bytes).ok()) {
                    Some(process) if !is_gone(&process, Path::new("/proc")) => Some(process.session_id),
                    Some(_) => None,
                    None => before.by_file.get(&path).cloned(),
                };
                by_file.extend(session.map(|session| (path, session)));
            }
        }
        Self { by_file }
    }

    /// Their ids.
    #[must_use]
    pub fn sessions(&self) -> HashSet<&str> {
        self.by_file.values().map(String::as_str).collect()
    }

    /// True for a session that runs.
    #[must_use]
    pub fn has(&self, session: &str) -> bool {
        self.by_file.values().any(|running| running == session)
    }
}

/// The directory of a root's files of processes.
pub(crate) fn processes_of(root: &Root) -> Option<PathBuf> {
    (root.kind == RootKind::ClaudeCode).then(|| root.path.join("sessions"))
}

/// True for a file of a process below `roots`.
#[must_use]
pub fn is_of_process(roots: &Roots, path: &Path) -> bool {
    let folders = roots.0.iter().filter_map(processes_of);
    path.parent().is_some_and(|parent| folders.into_iter().any(|folder| folder == parent))
}

/// True where the system lists processes and has no such process, or another one under its number. A process of another namespace
/// has another number here, and is believed.
fn is_gone(process: &Process, listed: &Path) -> bool {
    let Ok(own) = std::fs::read_link(listed.join("self/ns/pid")) else { return false };
    let is_ours = process
        .pid_domain
        .as_deref()
        .is_none_or(|domain| own.to_str().is_some_and(|own| domain.ends_with(own)));
    if !is_ours {
        return false;
    }
    match std::fs::read_to_string(listed.join(process.pid.to_string()).join("stat")) {
        // Behind the name, which may hold anything, the twentieth field is when it began.
        Ok(stat) => {
            let began = stat.rsplit(')').next().and_then(|fields| fields.split_whitespace().nth(19));
            process.proc_start.as_deref().is_some_and(|start| began.is_some_and(|began| began != start))
        }
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: u64, start: &str, domain: &str) -> Process {
        let text = format!(
            r#"{{"pid": {pid}, "sessionId": "s", "procStart": "{start}", "pidDomain": "linux:1:{domain}"}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    #[cfg(unix)]
    #[test]
    fn a_process_that_was_killed_is_gone_and_one_that_cannot_be_seen_is_believed() {
        let folder = tempfile::tempdir().unwrap();
        let listed = folder.path();
        assert!(!is_gone(&process(7, "42", "pid:[1]"), listed), "nothing is listed here");
        std::fs::create_dir_all(listed.join("self/ns")).unwrap();
        std::os::unix::fs::symlink("pid:[1]", listed.join("self/ns/pid")).unwrap();
        std::fs::create_dir(listed.join("7")).unwrap();
        let fields: Vec<String> = (3..=52).map(|number| number.to_string()).collect();
        std::fs::write(listed.join("7/stat"), format!("7 (a (b) c) {}", fields.join(" "))).unwrap();
        assert!(!is_gone(&process(7, "22", "pid:[1]"), listed));
        assert!(is_gone(&process(7, "42", "pid:[1]"), listed), "another one has its number");
        assert!(is_gone(&process(8, "22", "pid:[1]"), listed));
        assert!(!is_gone(&process(8, "22", "pid:[2]"), listed), "another namespace");
    }

    #[test]
    fn a_file_that_is_being_written_says_what_it_said() {
        let folder = tempfile::tempdir().unwrap();
        let roots = Roots::of(RootKind::ClaudeCode, folder.path());
        std::fs::create_dir(folder.path().join("sessions")).unwrap();
        let file = folder.path().join("sessions/1.json");
        assert!(is_of_process(&roots, &file));
        // A number that no process has here, in a namespace that is not ours.
        let text = r#"{"pid": 1, "sessionId": "aaaa", "pidDomain": "linux:1:pid:[0]"}"#;
        std::fs::write(&file, text).unwrap();
        let first = Running::read(&roots, &Running::default());
        assert!(first.has("aaaa"));
        std::fs::write(&file, "").unwrap();
        assert_eq!(Running::read(&roots, &first), first);
        assert!(Running::read(&roots, &Running::default()).sessions().is_empty());
        std::fs::remove_file(&file).unwrap();
        assert!(!Running::read(&roots, &first).has("aaaa"));
    }
}
