//! Reads the `.gitignore` of a repository: the file at its root, as far as names and paths go.
//!
//! Deliberately absent: `.gitignore` of deeper directories and of the user. A claim about a file that only those leave out
//! is decided as if they were not there.

use globset::{Glob, GlobBuilder, GlobMatcher};
use std::path::Path;

/// Largest file read: 1 MiB.
const READ_BYTES: u64 = 1024 * 1024;

/// Patterns in their order; the last one that fits decides.
#[derive(Debug, Default)]
pub(super) struct Ignored {
    patterns: Vec<(GlobMatcher, bool)>,
}

impl Ignored {
    /// Reads the file at the root; nothing is left out where there is none.
    pub(super) fn read(root: &Path) -> Self {
        let path = root.join(".gitignore");
        let small = path.symlink_metadata().is_ok_and(|found| found.is_file() && found.len() <= READ_BYTES);
        let bytes = if small { std::fs::read(path).unwrap_or_default() } else { Vec::new() };
        Self::parse(&String::from_utf8_lossy(&bytes))
    }

    /// One pattern a line, as gitignore(5) says; what is no pattern is passed over, as Git does.
    fn parse(text: &str) -> Self {
        let mut patterns = Vec::new();
        for line in text.lines().map(str::trim_end).filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            let (pattern, leaves_out) = match line.strip_prefix('!') {
                Some(rest) => (rest, false),
                None => (line, true),
            };
            let bare = pattern.trim_end_matches('/');
            // A slash at the start or in the middle ties the pattern to the root.
            let tied = bare.trim_start_matches('/').contains('/') || bare.starts_with('/');
            let bare = bare.trim_start_matches('/');
            let whole = if tied { bare.to_owned() } else { format!("**/{bare}") };
            patterns.extend(glob(&whole).map(|glob| (glob.compile_matcher(), leaves_out)));
        }
        Self { patterns }
    }

    /// True if the path, or a directory above it, is left out.
    pub(super) fn holds(&self, path: &str) -> bool {
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        ends.map(|end| &path[..end]).any(|part| {
            let last = self.patterns.iter().rev().find(|(pattern, _)| pattern.is_match(part));
            last.is_some_and(|(_, leaves_out)| *leaves_out)
        })
    }
}

fn glob(pattern: &str) -> Option<Glob> {
    GlobBuilder::new(pattern).literal_separator(true).backslash_escape(true).build().ok()
}
