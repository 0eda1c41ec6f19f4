//! Rules that decide which files of a directory are memories. The rules are data and are shown to the user.

/// Files above this size are recorded as too large, with their hash but without their content: 10 MiB.
/// Source: product decision; the largest memory seen in public directories is below 30 KB.
pub const MAX_FILE_BYTES: u64 = 10 * 1024 * 1024;

/// Rules of a store for what it leaves out. The default is the rule for every kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Largest content kept, in bytes.
    pub max_file_bytes: u64,
    /// Names of directories never entered.
    pub skipped_directories: Vec<String>,
}

/// Why a name is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// Begins with a dot.
    Hidden,
    /// A temporary file of an editor, or of an agent that writes a file.
    EditorTemporary,
    /// A directory of a version control system, of packages or of caches.
    SkippedDirectory,
}

impl Default for Rules {
    fn default() -> Self {
        let skipped =
            [".git", ".hg", ".svn", ".jj", "node_modules", ".venv", ".cache", "__pycache__", ".Trash"];
        Self {
            max_file_bytes: MAX_FILE_BYTES,
            skipped_directories: skipped.iter().map(|name| (*name).to_owned()).collect(),
        }
    }
}

impl Rules {
    /// Why a file of this name (last component) is not a memory; `None` when it is one.
    ///
    /// Hidden files, and what editors and agents leave while they write: `*.tmp`, `*.tmp.PROCESS.RANDOM`, `*~`, `.#*` and
    /// the probe file `4913`.
    #[must_use]
    pub fn leaves_out_file(&self, name: &[u8]) -> Option<LeftOut> {
        if name.ends_with(b".tmp")
            || is_agents_temporary(name)
            || name.ends_with(b"~")
            || name.starts_with(b".#")
            || name == b"4913"
        {
            return Some(LeftOut::EditorTemporary);
        }
        name.starts_with(b".").then_some(LeftOut::Hidden)
    }

    /// Why a directory of this name (last component) is not entered; `None` when it is. Hidden directories are entered:
    /// agents keep memory in such as `.claude/agent-memory`.
    #[must_use]
    pub fn leaves_out_directory(&self, name: &[u8]) -> Option<LeftOut> {
        self.skipped_directories
            .iter()
            .any(|skipped| skipped.as_bytes() == name)
            .then_some(LeftOut::SkippedDirectory)
    }

    /// Why the file at a path with these components is left out: the last is the file, the others its directories.
    pub fn leaves_out<'a>(&self, components: impl Iterator<Item = &'a [u8]>) -> Option<LeftOut> {
        let mut components = components.peekable();
        while let Some(name) = components.next() {
            let reason = if components.peek().is_some() {
                self.leaves_out_directory(name)
            } else {
                self.leaves_out_file(name)
            };
            if reason.is_some() {
                return reason;
            }
        }
        None
    }
}

/// Whether Claude Code writes a file under this name before it renames it: `NAME.tmp.PROCESS.RANDOM`, the number of its
/// process and at least six hexadecimal digits (seen with 2.1.330; older versions have a time in milliseconds there).
fn is_agents_temporary(name: &[u8]) -> bool {
    let mut parts = name.rsplitn(4, |byte| *byte == b'.');
    let (Some(random), Some(process), Some(tmp), Some(_)) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    tmp == b"tmp"
        && !process.is_empty()
        && process.iter().all(u8::is_ascii_digit)
        && random.len() >= 6
        && random.iter().all(u8::is_ascii_hexdigit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RelPath;

    #[test]
    fn the_rules_by_example() {
        let rules = Rules::default();
        for (path, reason) in [
            ("MEMORY.md", None),
            (".claude/agent-memory/reviewer/MEMORY.md", None),
            ("notes/4913.md", None),
            (".hidden", Some(LeftOut::Hidden)),
            ("a/.MEMORY.md.123.tmp", Some(LeftOut::EditorTemporary)),
            ("a/b.md~", Some(LeftOut::EditorTemporary)),
            ("a/.#b.md", Some(LeftOut::EditorTemporary)),
            ("4913", Some(LeftOut::EditorTemporary)),
            ("a/f.md.tmp.31747.38b4a42f7a30", Some(LeftOut::EditorTemporary)),
            ("f.md.tmp.31747.1795800000000", Some(LeftOut::EditorTemporary)),
            ("f.md.tmp.31747", None),
            ("f.md.tmp.x.38b4a42f7a30", None),
            ("f.tmp.2026.md", None),
            ("f.md.tmp.31747.38b4a42f7a30.md", None),
            ("x/.git/config", Some(LeftOut::SkippedDirectory)),
            ("node_modules/a/index.js", Some(LeftOut::SkippedDirectory)),
        ] {
            let path = RelPath::parse(path).expect("a path");
            assert_eq!(rules.leaves_out(path.components()), reason, "{path}");
        }
    }
}
