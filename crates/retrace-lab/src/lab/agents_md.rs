//! The files in a text of instructions that Codex made of several.
//!
//! Codex sends the `AGENTS.md` of every directory from the project's root down to the session's as one text, with an empty line
//! between them and no word of which begins where. The files as they are now tell it where they agree; what is left between them
//! is the one whose directory lies between theirs.

use crate::presence::instruction_file;
use retrace_transcript::{AttachedFile, BlockKind, Transcript};
use std::ops::Range;
use std::path::Path;

/// The label of the text (0.169).
const AGENTS: &str = "agents_md.instructions";

/// Names that Codex takes for the file, the first that is there.
const NAMES: [&str; 2] = ["AGENTS.override.md", "AGENTS.md"];

/// What stands between two files that end with a line feed.
const BETWEEN: &str = "\n\n\n";

/// Directories above one that are looked at.
const MOST_DIRECTORIES: usize = 32;

/// Names each file of such texts by itself.
pub(crate) fn tell_apart(transcripts: &mut [Transcript]) {
    for block in transcripts.iter_mut().flat_map(|it| &mut it.messages).flat_map(|it| &mut it.blocks) {
        if let BlockKind::Attachment { attachment, files, .. } = &mut block.kind
            && attachment == AGENTS
            && let Some(joined) = files.pop()
        {
            files.extend(apart(joined, &instruction_file));
        }
    }
}

/// A file that may be in the text: its path, and its content where it is there.
struct Candidate {
    path: String,
    content: Option<String>,
}

/// The files of a text. `read` answers the content of a file.
fn apart(joined: AttachedFile, read: &dyn Fn(&Path) -> Option<String>) -> Vec<AttachedFile> {
    let Some(folder) = Path::new(&joined.path).parent().filter(|folder| folder.is_absolute()) else {
        return vec![joined];
    };
    let mut candidates: Vec<Candidate> = folder
        .ancestors()
        .take(MOST_DIRECTORIES)
        .map(|folder| {
            let paths = NAMES.map(|name| folder.join(name));
            let there = paths.iter().find_map(|path| Some((path, read(path)?)));
            let (path, content) = there.map_or((&paths[1], None), |(path, content)| (path, Some(content)));
            Candidate { path: path.display().to_string(), content }
        })
        .collect();
    candidates.reverse();
    let text = &joined.content;
    // By candidate: where its content stands in the text, each behind the one before.
    let mut places: Vec<Option<Range<usize>>> = Vec::with_capacity(candidates.len());
    let mut from = 0;
    for candidate in &candidates {
        let found = candidate.content.as_deref().and_then(|content| standing(text, from, content.trim()));
        from = found.as_ref().map_or(from, |place| place.end);
        places.push(found);
    }
    if candidates.iter().all(|candidate| candidate.content.is_none()) {
        return vec![joined];
    }
    let mut files = Vec::new();
    let mut add = |candidate: &Candidate, range: Range<usize>| {
        files.push(AttachedFile {
            path: candidate.path.clone(),
            content: text[range].trim().to_owned(),
            ..joined.clone()
        });
    };
    let (mut at, mut first) = (0, 0);
    for end in 0..=places.len() {
        let mut place = match places.get(end) {
            Some(None) => continue,
            Some(Some(place)) => place.clone(),
            None => text.len()..text.len(),
        };
        let between = &candidates[first..end];
        if end < candidates.len() && between.iter().all(|candidate| candidate.content.is_none()) {
            // No file between is there: what stands there is told as of the next one, rather than as of one that may never have been.
            place.start = at;
        } else {
            gap(text, at..place.start, between, &mut add);
        }
        if let Some(candidate) = candidates.get(end) {
            add(candidate, place.clone());
        }
        (at, first) = (place.end, end + 1);
    }
    if files.is_empty() { vec![joined] } else { files }
}

/// Where a content stands in a text from a place on, as whole lines with nothing or an empty line around it.
fn standing(text: &str, from: usize, content: &str) -> Option<Range<usize>> {
    if content.is_empty() {
        return None;
    }
    let places = text.get(from..)?.match_indices(content).map(|(at, _)| from + at..from + at + content.len());
    let is_apart = |place: &Range<usize>| {
        let (before, behind) = (&text[..place.start], &text[place.end..]);
        (before.trim().is_empty() || before.ends_with("\n\n"))
            && (behind.trim().is_empty() || behind.starts_with("\n\n"))
    };
    places.into_iter().find(is_apart)
}

/// What stands between files that are known: of the candidates whose directories lie between theirs.
fn gap(
    text: &str,
    range: Range<usize>,
    candidates: &[Candidate],
    add: &mut dyn FnMut(&Candidate, Range<usize>),
) {
    let inner = &text[range.clone()];
    if inner.trim().is_empty() {
        return;
    }
    let there: Vec<&Candidate> = candidates.iter().filter(|candidate| candidate.content.is_some()).collect();
    // Files that were changed since then, in order; what does not fall into as many parts is of the nearest.
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut at = range.start;
    for (end, _) in inner.match_indices(BETWEEN) {
        parts.push(at..range.start + end);
        at = range.start + end + BETWEEN.len();
    }
    parts.push(at.min(range.end)..range.end);
    parts.retain(|part| !text[part.clone()].trim().is_empty());
    if there.len() > 1 && parts.len() == there.len() {
        for (candidate, part) in there.into_iter().zip(parts) {
            add(candidate, part);
        }
        return;
    }
    if let Some(nearest) = there.last().copied().or(candidates.last()) {
        add(nearest, range);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(content: &str, on_disk: &[(&str, &str)]) -> Vec<(String, String)> {
        let joined = AttachedFile {
            path: "/w/a/b/AGENTS.md".into(),
            content: content.into(),
            ..AttachedFile::default()
        };
        let read = |path: &Path| {
            let known = on_disk.iter().find(|(known, _)| Path::new(known) == path);
            known.map(|(_, content)| (*content).to_owned())
        };
        apart(joined, &read).into_iter().map(|file| (file.path, file.content)).collect()
    }

    fn pairs(files: &[(&str, &str)]) -> Vec<(String, String)> {
        files.iter().map(|(path, content)| ((*path).to_owned(), (*content).to_owned())).collect()
    }

    #[test]
    fn files_that_agree_with_the_disk_are_told_apart() {
        let disk = [("/w/AGENTS.md", "# Root\n\n\n- one\n"), ("/w/a/b/AGENTS.md", "# Sub\n- two\n")];
        let both = pairs(&[("/w/AGENTS.md", "# Root\n\n\n- one"), ("/w/a/b/AGENTS.md", "# Sub\n- two")]);
        assert_eq!(told("# Root\n\n\n- one\n\n\n# Sub\n- two", &disk), both);
        // Without a line feed at its end one empty line stands between.
        assert_eq!(told("# Root\n\n\n- one\n\n# Sub\n- two", &disk), both);
    }

    #[test]
    fn one_that_was_changed_since_is_what_is_left() {
        let disk = [("/w/AGENTS.md", "# Root\n- now\n"), ("/w/a/b/AGENTS.md", "# Sub\n- two\n")];
        let both = pairs(&[("/w/AGENTS.md", "# Root\n\n\n- then"), ("/w/a/b/AGENTS.md", "# Sub\n- two")]);
        assert_eq!(told("# Root\n\n\n- then\n\n\n# Sub\n- two", &disk), both);
        let disk = [("/w/AGENTS.md", "# Root\n"), ("/w/a/b/AGENTS.md", "# Sub\n- now\n")];
        let both = pairs(&[("/w/AGENTS.md", "# Root"), ("/w/a/b/AGENTS.md", "# Sub\n- then")]);
        assert_eq!(told("# Root\n\n\n# Sub\n- then", &disk), both);
    }

    #[test]
    fn files_that_were_all_changed_are_told_by_their_number() {
        let disk = [("/w/AGENTS.md", "# New\n"), ("/w/a/AGENTS.override.md", "# Newer\n")];
        let both = pairs(&[("/w/AGENTS.md", "# Root"), ("/w/a/AGENTS.override.md", "# A")]);
        assert_eq!(told("# Root\n\n\n# A", &disk), both);
        assert_eq!(
            told("# Root\n\n\n# A\n\n\n# B", &disk),
            pairs(&[("/w/a/AGENTS.override.md", "# Root\n\n\n# A\n\n\n# B")])
        );
    }

    #[test]
    fn no_file_is_named_that_is_not_there() {
        let disk = [("/w/a/AGENTS.md", "# A\n")];
        let one = pairs(&[("/w/a/AGENTS.md", "# Gone\n\n\n# A")]);
        assert_eq!(told("# Gone\n\n\n# A", &disk), one);
    }

    #[test]
    fn one_file_alone_stays_as_it_is() {
        let text = "# Root\n\n\n- one";
        let own = pairs(&[("/w/a/b/AGENTS.md", text)]);
        assert_eq!(told(text, &[]), own);
        assert_eq!(told(text, &[("/w/a/b/AGENTS.md", "# Other\n")]), own);
        for content in ["# Root\n\n\n- one\n", "# Other\n"] {
            assert_eq!(told(text, &[("/w/AGENTS.md", content)]), pairs(&[("/w/AGENTS.md", text)]));
        }
        assert_eq!(told("", &[("/w/AGENTS.md", "x")]), pairs(&[("/w/a/b/AGENTS.md", "")]));
    }
}
