//! Finds the transcripts below the roots. Lists and looks; opens nothing, follows no link below a root.

use crate::cancel::Cancel;
use crate::identity::Identity;
use crate::opencode;
use crate::roots::{Root, RootKind, Roots};
use retrace_message::{AsMessage, Message};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, DirEntry, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Greatest depth to which a directory the user named is examined.
const DEPTH_LIMIT: usize = 16;

/// Role of a file by the place it lies in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Kind of the root it lies below.
    pub kind: RootKind,
    /// Claude Code's folder of the project, such as `-home-ada-work`, or Gemini CLI's, which is a name.
    pub slug: Option<String>,
    /// True if the place is one for subagents.
    pub subagent: bool,
    /// For a subagent in a session's folder: that session's id.
    pub of_session: Option<String>,
}

impl Place {
    pub(crate) fn plain(kind: RootKind) -> Self {
        Self { kind, slug: None, subagent: false, of_session: None }
    }
}

/// A transcript that is there.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) place: Place,
    pub(crate) identity: Identity,
}

/// Files that were found, and places that could not be read.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    pub(crate) found: BTreeMap<PathBuf, Found>,
    /// Directories that could not be listed; nothing is known about what is below them.
    pub(crate) unlisted: Vec<(PathBuf, Message)>,
    /// Files that would be transcripts and are left alone, with the reason.
    pub(crate) left: Vec<(PathBuf, Message)>,
    /// True if the walk was stopped, so that absence says nothing.
    pub(crate) stopped: bool,
}

impl Walk {
    /// Searches every root.
    pub(crate) fn of(roots: &Roots, cancel: &Cancel) -> Self {
        let mut walk = Self::default();
        for root in &roots.0 {
            if cancel.is_cancelled() {
                walk.stopped = true;
                break;
            }
            walk.root(root, cancel);
        }
        walk
    }

    /// True if `path` is below a directory that could not be listed.
    pub(crate) fn is_unknown(&self, path: &Path) -> bool {
        self.unlisted.iter().any(|(directory, _)| path.starts_with(directory))
    }

    fn root(&mut self, root: &Root, cancel: &Cancel) {
        match root.kind {
            RootKind::ClaudeCode => self.claude_code(&root.path, cancel),
            RootKind::Codex => {
                self.rollouts(&root.path.join("sessions"), 3);
                self.rollouts(&root.path.join("archived_sessions"), 0);
            }
            RootKind::Copilot => self.copilot(&root.path.join("session-state")),
            RootKind::Named => self.named(&root.path, cancel),
            RootKind::Gemini => self.gemini(&root.path.join("tmp")),
            RootKind::Opencode => self.opencode(&root.path.join(opencode::DATABASE)),
        }
    }

    fn claude_code(&mut self, config_root: &Path, cancel: &Cancel) {
        for project in self.list(&config_root.join("projects")) {
            if cancel.is_cancelled() {
                self.stopped = true;
                return;
            }
            let slug = name(&project);
            for entry in self.list_if_directory(&project) {
                let mut place = Place { slug: Some(slug.clone()), ..Place::plain(RootKind::ClaudeCode) };
                let file = name(&entry);
                if file.ends_with(".jsonl") {
                    place.subagent = file.starts_with("agent-");
                    self.file(&entry, place);
                } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    place.subagent = true;
                    place.of_session = Some(file);
                    self.subagents(&entry.path().join("subagents"), &place);
                }
            }
        }
    }

    fn subagents(&mut self, folder: &Path, place: &Place) {
        for entry in self.list(folder) {
            let file = name(&entry);
            if file.starts_with("agent-") && file.ends_with(".jsonl") {
                self.file(&entry, place.clone());
            }
        }
    }

    fn rollouts(&mut self, folder: &Path, levels: usize) {
        for entry in self.list(folder) {
            let file = name(&entry);
            if levels > 0 && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                self.rollouts(&entry.path(), levels - 1);
            } else if file.starts_with("rollout-") && file.ends_with(".jsonl") {
                self.file(&entry, Place::plain(RootKind::Codex));
            }
        }
    }

    fn copilot(&mut self, folder: &Path) {
        for entry in self.list(folder) {
            if name(&entry).ends_with(".jsonl") {
                self.file(&entry, Place::plain(RootKind::Copilot));
            } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                let events = entry.path().join("events.jsonl");
                match fs::symlink_metadata(&events) {
                    Ok(metadata) => self.visit(events, &metadata, Place::plain(RootKind::Copilot)),
                    Err(error) => self.absent_or_unlisted(&events, &error),
                }
            }
        }
    }

    /// The sessions of a database. It is opened, because it alone knows them.
    fn opencode(&mut self, database: &Path) {
        match fs::symlink_metadata(database) {
            Ok(metadata) if metadata.is_symlink() => {
                self.left.push((database.to_owned(), say::link_links_not_followed()));
                return;
            }
            Ok(metadata) if !metadata.is_file() => return,
            Ok(_) => {}
            Err(error) => return self.absent_or_unlisted(database, &error),
        }
        match opencode::sessions(database) {
            Ok(sessions) => {
                for (path, identity) in sessions {
                    let found = Found { place: Place::plain(RootKind::Opencode), identity };
                    self.found.entry(path).or_insert(found);
                }
            }
            Err(error) => self.absent_or_unlisted(database, &error),
        }
    }

    fn gemini(&mut self, projects: &Path) {
        for project in self.list(projects) {
            let slug = Some(name(&project));
            if !project.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            for entry in self.list(&project.path().join("chats")) {
                let file = name(&entry);
                let place = Place { slug: slug.clone(), ..Place::plain(RootKind::Gemini) };
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    let place = Place { subagent: true, of_session: Some(file), ..place };
                    for below in self.list(&entry.path()) {
                        if name(&below).ends_with(".jsonl") {
                            self.file(&below, place.clone());
                        }
                    }
                } else if file.starts_with("session-") && is_transcript_name(&file) {
                    self.file(&entry, place);
                }
            }
        }
    }

    fn named(&mut self, path: &Path, cancel: &Cancel) {
        // The root itself may be a link: the user named it.
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                let entries = self.entries(path);
                self.named_entries(entries, DEPTH_LIMIT, cancel);
            }
            // The file itself, since a link is not opened.
            Ok(metadata) => match fs::canonicalize(path) {
                Ok(file) if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) => {
                    self.visit(file, &metadata, Place::plain(RootKind::Named));
                }
                _ => self.visit(path.to_owned(), &metadata, Place::plain(RootKind::Named)),
            },
            Err(error) => self.absent_or_unlisted(path, &error),
        }
    }

    fn named_entries(&mut self, entries: Vec<DirEntry>, levels: usize, cancel: &Cancel) {
        for entry in entries {
            if cancel.is_cancelled() {
                self.stopped = true;
                return;
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                if levels > 0 {
                    let below = self.list(&entry.path());
                    self.named_entries(below, levels - 1, cancel);
                } else {
                    self.unlisted.push((entry.path(), say::more_than_levels_below_what(DEPTH_LIMIT)));
                }
            } else if is_transcript_name(&name(&entry)) {
                self.file(&entry, Place::plain(RootKind::Named));
            }
        }
    }

    fn file(&mut self, entry: &DirEntry, place: Place) {
        let path = entry.path();
        // Does not follow links.
        match entry.metadata() {
            Ok(metadata) => self.visit(path, &metadata, place),
            Err(error) => self.absent_or_unlisted(&path, &error),
        }
    }

    fn visit(&mut self, path: PathBuf, metadata: &Metadata, place: Place) {
        if metadata.is_file() {
            let found = Found { place, identity: Identity::of(metadata) };
            self.found.entry(path).or_insert(found);
        } else if metadata.is_symlink() {
            self.left.push((path, say::link_links_not_followed()));
        } else {
            self.left.push((path, say::not_regular_file()));
        }
    }

    fn list_if_directory(&mut self, entry: &DirEntry) -> Vec<DirEntry> {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => self.list(&entry.path()),
            Ok(kind) if kind.is_symlink() => {
                self.left.push((entry.path(), say::link_links_not_followed()));
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// The entries of a directory that is not a link, by name. One that is not there has none.
    fn list(&mut self, directory: &Path) -> Vec<DirEntry> {
        // Between this scan and the listing the directory could become a link; what is then read is a file of the
        // user's all the same, and the next walk leaves it alone.
        match fs::symlink_metadata(directory) {
            Ok(metadata) if metadata.is_symlink() => {
                self.left.push((directory.to_owned(), say::link_links_not_followed()));
                return Vec::new();
            }
            Ok(metadata) if !metadata.is_dir() => return Vec::new(),
            Ok(_) => {}
            Err(error) => {
                self.absent_or_unlisted(directory, &error);
                return Vec::new();
            }
        }
        self.entries(directory)
    }

    fn entries(&mut self, directory: &Path) -> Vec<DirEntry> {
        let entries = fs::read_dir(directory).and_then(Iterator::collect::<io::Result<Vec<DirEntry>>>);
        match entries {
            Ok(mut entries) => {
                entries.sort_by_key(DirEntry::file_name);
                entries
            }
            Err(error) => {
                self.absent_or_unlisted(directory, &error);
                Vec::new()
            }
        }
    }

    fn absent_or_unlisted(&mut self, path: &Path, error: &io::Error) {
        if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) {
            self.unlisted.push((path.to_owned(), error.message()));
        }
    }
}

fn name(entry: &DirEntry) -> String {
    entry.file_name().to_string_lossy().into_owned()
}

fn is_transcript_name(name: &str) -> bool {
    [".jsonl", ".ndjson", ".json"].iter().any(|ending| name.ends_with(ending)) && !name.starts_with('.')
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "walk";
    more_than_levels_below_what(value) => "more than {value} levels below what was named",
    link_links_not_followed() => "a link, and links are not followed",
    not_regular_file() => "not a regular file",
}
