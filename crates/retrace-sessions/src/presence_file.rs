//! What the requests of every transcript held of memory and instruction files, in one file of the data directory.
//!
//! The file is disposable, and a redaction deletes it. It holds paths, line numbers and hashes of lines, and no text.

use crate::error::StoreError;
use crate::identity::Identity;
use crate::{kept, stored_path};
use retrace_presence::{Digest, Text};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Usual name of the file in the data directory.
pub const PRESENCE_FILE: &str = "presence.index";

const MARK: &[u8; 8] = b"RTRPRSNC";

/// Raised whenever a digest is made in another way.
const VERSION: u32 = 9;

/// Presence in all known transcripts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PresenceFile {
    /// Directories that were asked about beside what is memory by its name.
    pub roots: Vec<String>,
    /// The last version of the log whose lines were looked for.
    pub through: u64,
    /// Texts that were loaded; a piece names one by its place.
    pub texts: Vec<Text>,
    /// One entry a file.
    pub known: Vec<KnownPresence>,
}

/// Presence in one transcript.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KnownPresence {
    /// The file.
    #[serde(with = "stored_path")]
    pub path: PathBuf,
    /// The file as it was.
    pub identity: Identity,
    /// Its conversations.
    pub conversations: Vec<Digest>,
    /// The subagent whose transcript it is.
    pub agent: Option<AgentName>,
}

/// How a client calls a subagent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentName {
    /// Its type.
    pub agent_type: String,
    /// Why it was started.
    pub description: Option<String>,
}

/// What was kept; `None` where there is nothing that can be used.
#[must_use]
pub fn load_presence(path: &Path) -> Option<PresenceFile> {
    let file: PresenceFile = kept::load(path, MARK, VERSION)?;
    let texts = file.texts.len();
    let is_sound = |digest: &Digest| digest.pieces.iter().all(|piece| (piece.text as usize) < texts);
    file.known.iter().flat_map(|known| &known.conversations).all(is_sound).then_some(file)
}

/// Keeps what is known.
///
/// # Errors
/// [`StoreError`] when it cannot be written; what was kept stays then.
pub fn save_presence(path: &Path, file: &PresenceFile) -> Result<(), StoreError> {
    kept::save(path, MARK, VERSION, file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_comes_back_and_a_damaged_file_is_as_none() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join(PRESENCE_FILE);
        assert!(load_presence(&path).is_none());
        let known = KnownPresence {
            path: "/s.jsonl".into(),
            identity: Identity::default(),
            conversations: vec![Digest::default()],
            agent: None,
        };
        let (roots, texts) = (vec!["/m".into()], vec![Text::default()]);
        let file = PresenceFile { roots, through: 7, texts, known: vec![known] };
        save_presence(&path, &file).expect("it is kept");
        let back = load_presence(&path).expect("what was kept");
        assert_eq!((back.roots, back.texts, back.known.len()), (file.roots, file.texts, 1));
        assert_eq!(back.through, 7);
        let bytes = std::fs::read(&path).expect("its bytes");
        std::fs::write(&path, &bytes[..bytes.len() - 1]).expect("a part");
        assert!(load_presence(&path).is_none());
    }
}
