//! A home with transcripts, for tests.

use crate::{Cancel, Index, Progress, RootKind, Roots, UpdateReport};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

pub(crate) struct Home {
    folder: TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().join(relative)
    }

    /// Where the index is kept.
    pub(crate) fn kept(&self) -> PathBuf {
        self.path("transcripts.index")
    }

    pub(crate) fn roots(&self) -> Roots {
        crate::roots_of_home(self.folder.path(), &std::collections::BTreeMap::new())
    }

    pub(crate) fn write(&self, relative: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn append(&self, relative: &str, content: impl AsRef<[u8]>) {
        use std::io::Write as _;
        let mut file = fs::OpenOptions::new().append(true).open(self.path(relative)).unwrap();
        file.write_all(content.as_ref()).unwrap();
    }

    /// A session of Claude Code in the project `work`.
    pub(crate) fn session(&self, id: &str, lines: &str) -> PathBuf {
        self.write(&session_path(id), lines)
    }
}

pub(crate) fn session_path(id: &str) -> String {
    format!(".claude/projects/-work/{id}.jsonl")
}

pub(crate) fn update(index: &mut Index, roots: &Roots) -> UpdateReport {
    index.update(roots, &|_: Progress| {}, &Cancel::new())
}

/// An index of the home, read anew.
pub(crate) fn indexed(home: &Home) -> Index {
    let mut index = Index::default();
    update(&mut index, &home.roots());
    index
}

/// A prompt of session `session`, in the minute `minute`.
pub(crate) fn prompt(session: &str, minute: u32, text: &str) -> String {
    format!(
        r#"{{"type":"user","uuid":"u{minute}","parentUuid":null,"sessionId":"{session}","isSidechain":false,"cwd":"/proj","version":"2.1.100","timestamp":"2026-06-01T10:{minute:02}:00.000Z","message":{{"role":"user","content":"{text}"}}}}"#
    ) + "\n"
}

/// An answer with the response id `id` and a context of 110 tokens and `input`.
pub(crate) fn answer(session: &str, minute: u32, id: &str, input: u64) -> String {
    answer_of(session, minute, id, input, "claude-sonnet-4-5")
}

pub(crate) fn answer_of(session: &str, minute: u32, id: &str, input: u64, model: &str) -> String {
    format!(
        r#"{{"type":"assistant","uuid":"a{minute}","parentUuid":"u{minute}","sessionId":"{session}","isSidechain":false,"cwd":"/proj","version":"2.1.100","timestamp":"2026-06-01T10:{minute:02}:30.000Z","requestId":"req_{id}","message":{{"id":"{id}","type":"message","role":"assistant","model":"{model}","content":[{{"type":"text","text":"Done."}}],"stop_reason":"end_turn","usage":{{"input_tokens":{input},"cache_creation_input_tokens":10,"cache_read_input_tokens":100,"output_tokens":7}}}}}}"#
    ) + "\n"
}

/// Two turns.
pub(crate) fn two_turns(session: &str) -> String {
    [
        prompt(session, 1, "Name the harbour"),
        answer(session, 1, &format!("msg_{session}_1"), 5),
        prompt(session, 2, "And the lighthouse"),
        answer(session, 2, &format!("msg_{session}_2"), 9),
    ]
    .concat()
}

pub(crate) fn one_root(kind: RootKind, path: &Path) -> Roots {
    Roots::of(kind, path)
}
