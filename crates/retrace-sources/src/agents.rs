//! The agents of this machine: where their programs are and which version they are. No program is run: the version stands in
//! the package it was installed from, in the path, or in the newest session.

use crate::scan::{Scan, Sort};
use crate::{InstructionAgent, Surroundings};
use retrace_message::Message;
use serde_json::Value;
use std::cmp::Reverse;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// An agent whose files are here, or whose program is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentProgram {
    /// Which one.
    pub agent: InstructionAgent,
    /// Version of the program that a session would be started with. None where nothing says it; sessions in a database are not
    /// looked at here.
    pub version: Option<String>,
    /// Where the version stands.
    pub version_from: Option<Message>,
    /// The program. None where it is not on the search path.
    pub program: Option<PathBuf>,
    /// Directories that it keeps files in, of those that are there.
    pub places: Vec<PathBuf>,
}

/// Bytes at the end of a transcript in which its version is searched for.
const MAX_TAIL_BYTES: u64 = 256 * 1024;

/// Folders of sessions that are looked at.
const MAX_FOLDERS: usize = 2_000;

/// The agents of this user, in the order of [`InstructionAgent::ALL`]; those of which nothing is here are left out.
#[must_use]
pub fn agent_programs(surroundings: &Surroundings) -> Vec<AgentProgram> {
    let mut scan = Scan::default();
    InstructionAgent::ALL
        .iter()
        .map(|agent| program(surroundings, &mut scan, *agent))
        .filter(|found| found.program.is_some() || !found.places.is_empty())
        .collect()
}

pub(crate) fn program(surroundings: &Surroundings, scan: &mut Scan, agent: InstructionAgent) -> AgentProgram {
    let (name, package, places) = match agent {
        InstructionAgent::ClaudeCode => {
            ("claude", "@anthropic-ai/claude-code", vec![crate::config_root(surroundings)])
        }
        InstructionAgent::Codex => ("codex", "@openai/codex", vec![codex_home(surroundings)]),
        InstructionAgent::Gemini => ("gemini", "@google/gemini-cli", vec![gemini_home(surroundings)]),
        InstructionAgent::Opencode => {
            ("opencode", "opencode-ai", vec![opencode_config(surroundings), opencode_data(surroundings)])
        }
    };
    let places: Vec<PathBuf> = places.into_iter().filter(|place| place.is_dir()).collect();
    let program = on_path(surroundings, name);
    let (version, version_from) = program
        .as_deref()
        .and_then(|program| {
            let version = installed_version(scan, program, package)?;
            Some((version, say::of_program(program.display().to_string())))
        })
        .or_else(|| {
            let (version, transcript) = session_version(scan, agent, &places)?;
            Some((version, say::of_session(transcript.display().to_string())))
        })
        .unzip();
    AgentProgram { agent, version, version_from, program, places }
}

/// True for a directory, or one below it, in which an agent keeps what its user, or an administrator, tells it wherever it runs.
#[must_use]
pub fn is_for_user(surroundings: &Surroundings, directory: &Path) -> bool {
    let own = [
        crate::config_root(surroundings),
        codex_home(surroundings),
        gemini_home(surroundings),
        opencode_config(surroundings),
        surroundings.managed_directory.clone(),
    ];
    own.iter().any(|own| directory.starts_with(own))
}

/// The directory that Codex keeps its files in.
fn codex_home(surroundings: &Surroundings) -> PathBuf {
    surroundings.directory("CODEX_HOME", || surroundings.home.join(".codex"))
}

/// The directory that Gemini CLI keeps its files in.
pub(crate) fn gemini_home(surroundings: &Surroundings) -> PathBuf {
    surroundings.directory("GEMINI_CLI_HOME", || surroundings.home.clone()).join(".gemini")
}

/// The directory of opencode's settings.
pub(crate) fn opencode_config(surroundings: &Surroundings) -> PathBuf {
    surroundings.directory("XDG_CONFIG_HOME", || surroundings.home.join(".config")).join("opencode")
}

fn opencode_data(surroundings: &Surroundings) -> PathBuf {
    surroundings.directory("XDG_DATA_HOME", || surroundings.home.join(".local/share")).join("opencode")
}

/// The program of that name on the search path, else where its own installer puts it.
fn on_path(surroundings: &Surroundings, name: &str) -> Option<PathBuf> {
    let path = surroundings.variable("PATH").cloned().unwrap_or_default();
    let own = [".local/bin", ".opencode/bin", ".claude/local", ".npm-global/bin"];
    let own = own.iter().map(|folder| surroundings.home.join(folder));
    std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .chain(own)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// The version of an installed program: of the package it lies in, else a part of its real path that is one.
fn installed_version(scan: &mut Scan, program: &Path, package: &str) -> Option<String> {
    let real = program.canonicalize().ok()?;
    let of_package = real.ancestors().skip(1).take(6).find_map(|folder| {
        let file = folder.join("package.json");
        let value = if file.is_file() { scan.json(&file)? } else { return None };
        (value["name"] == package).then(|| value["version"].as_str().map(str::to_owned))?
    });
    let parts: Vec<_> = real.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    of_package.or_else(|| parts.into_iter().rev().find(|part| is_version(part)))
}

fn is_version(text: &str) -> bool {
    let parts: Vec<&str> = text.split('.').collect();
    parts.len() == 3
        && parts.iter().all(|part| part.starts_with(|first: char| first.is_ascii_digit()))
        && parts[..2].iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The version that the newest session says, with the session's file.
fn session_version(
    scan: &mut Scan,
    agent: InstructionAgent,
    places: &[PathBuf],
) -> Option<(String, PathBuf)> {
    let (folder, key) = match agent {
        InstructionAgent::ClaudeCode => ("projects", "\"version\":\""),
        InstructionAgent::Codex => ("sessions", "\"cli_version\":\""),
        InstructionAgent::Gemini | InstructionAgent::Opencode => return None,
    };
    let mut sessions: Vec<(SystemTime, PathBuf)> = Vec::new();
    let mut waiting = vec![(places.first()?.join(folder), 0)];
    let mut folders = 0;
    while let Some((folder, depth)) = waiting.pop() {
        folders += 1;
        if folders > MAX_FOLDERS {
            break;
        }
        for entry in scan.entries(&folder) {
            if entry.sort == Sort::Directory && depth < 3 {
                waiting.push((entry.path, depth + 1));
            } else if entry.sort == Sort::File && entry.name.ends_with(".jsonl") {
                let changed = std::fs::metadata(&entry.path).and_then(|metadata| metadata.modified());
                sessions.extend(changed.ok().map(|changed| (changed, entry.path)));
            }
        }
    }
    sessions.sort_by_key(|(changed, _)| Reverse(*changed));
    sessions.into_iter().take(8).find_map(|(_, path)| {
        let text = match agent {
            InstructionAgent::Codex => scan.beginning(&path, MAX_TAIL_BYTES),
            _ => tail(&path),
        }?;
        let text = String::from_utf8_lossy(&text);
        let at = text.rfind(key)? + key.len();
        let version: String = text[at..].chars().take_while(|letter| *letter != '"').take(64).collect();
        is_version(&version).then_some((version, path))
    })
}

/// Says that a version stands in a session.
#[must_use]
pub fn session_says(session: &Path) -> Message {
    say::of_session(session.display().to_string())
}

fn tail(path: &Path) -> Option<Vec<u8>> {
    let mut file = std::fs::File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(MAX_TAIL_BYTES))).ok()?;
    let mut bytes = Vec::new();
    file.take(MAX_TAIL_BYTES).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The texts of a setting that may be one text or a list of them.
pub(crate) fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(list) => list.iter().filter_map(|one| one.as_str().map(str::to_owned)).collect(),
        _ => Vec::new(),
    }
}

retrace_message::messages! {
    /// Messages about programs.
    mod say in "agents";
    of_program(path) => "The program is {path}.",
    of_session(path) => "Read from the newest session: {path}.",
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Home;

    fn of(surroundings: &Surroundings, agent: InstructionAgent) -> Option<String> {
        let programs = agent_programs(surroundings);
        programs.into_iter().find(|one| one.agent == agent)?.version
    }

    #[cfg(unix)]
    #[test]
    fn the_version_stands_in_the_package_or_the_path_or_a_session() {
        let home = Home::new();
        let link = |to: &str, at: &str| {
            std::fs::create_dir_all(home.path(at).parent().unwrap()).unwrap();
            std::os::unix::fs::symlink(home.path(to), home.path(at)).unwrap();
        };
        assert_eq!(agent_programs(&home.surroundings()), []);
        home.write(
            ".claude/projects/-w/s.jsonl",
            "{\"version\":\"2.1.200\"}\n{\"type\":\"user\",\"version\":\"2.1.265\"}\n",
        );
        assert_eq!(of(&home.surroundings(), InstructionAgent::ClaudeCode).as_deref(), Some("2.1.265"));
        home.write(".local/share/claude/versions/2.1.315", "binary");
        link(".local/share/claude/versions/2.1.315", ".local/bin/claude");
        assert_eq!(of(&home.surroundings(), InstructionAgent::ClaudeCode).as_deref(), Some("2.1.315"));
        home.write("lib/gemini-cli/package.json", r#"{"name": "@google/gemini-cli", "version": "0.61.0"}"#);
        home.write("lib/gemini-cli/bundle/gemini.js", "");
        link("lib/gemini-cli/bundle/gemini.js", "bin/gemini");
        let mut surroundings = home.surroundings();
        surroundings.env.insert("PATH".to_owned(), home.path("bin").into());
        assert_eq!(of(&surroundings, InstructionAgent::Gemini).as_deref(), Some("0.61.0"));
        home.write(
            ".codex/sessions/2026/11/23/rollout-x.jsonl",
            "{\"payload\":{\"cli_version\":\"0.169.0\"}}\n",
        );
        assert_eq!(of(&surroundings, InstructionAgent::Codex).as_deref(), Some("0.169.0"));
        home.make_directory(".config/opencode");
        let opencode = agent_programs(&surroundings).pop().unwrap();
        assert_eq!((opencode.agent, opencode.version), (InstructionAgent::Opencode, None));
    }
}
