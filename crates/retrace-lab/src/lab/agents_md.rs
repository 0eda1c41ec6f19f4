//! The files in a text of instructions that Codex made of several.
//!
//! Codex sends the `AGENTS.md` of every directory from the project's root down to the session's as one text, with an empty line
//! between them and no word of which begins where. The files as they are now tell it where they agree; what is left between them
//! is the one whose directory lies between theirs. What is too long for a limit is cut there, within a line or a character, and the
//! files behind it are not sent.

use crate::presence::instruction_file;
use retrace_transcript::{AttachedFile, BlockKind, Sent, Transcript};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The label of the text (0.169).
const AGENTS: &str = "agents_md.instructions";

/// Names that Codex takes for the file, the first that is there.
const NAMES: [&str; 2] = ["AGENTS.override.md", "AGENTS.md"];

/// What stands between two files that end with a line feed.
const BETWEEN: &str = "\n\n\n";

/// Directories above one that are looked at.
const MOST_DIRECTORIES: usize = 32;

/// Bytes of all files together that are sent, and the setting that says otherwise (0.169).
const DEFAULT_LIMIT: usize = 32 * 1024;
const LIMIT: &str = "project_doc_max_bytes";

/// What a file in the home is called where the transcript does not tell the home's directory.
const HOME: &str = "$CODEX_HOME";

/// Names each file of such texts by itself. `path` is where the transcript lies.
pub(crate) fn tell_apart(transcripts: &mut [Transcript], path: &Path) {
    let home = home_of(path);
    let mut limit = None;
    for block in transcripts.iter_mut().flat_map(|it| &mut it.messages).flat_map(|it| &mut it.blocks) {
        let BlockKind::Attachment { attachment, files, .. } = &mut block.kind else { continue };
        for file in files.iter_mut() {
            let below = file.path.strip_prefix(HOME).filter(|rest| rest.starts_with('/'));
            if let Some((rest, home)) = below.zip(home.as_deref()) {
                file.path = format!("{}{rest}", home.display());
            }
        }
        if attachment == AGENTS
            && let Some(joined) = files.pop()
        {
            let limit = *limit.get_or_insert_with(|| limit_in(home.as_deref()));
            files.extend(apart(joined, limit, &instruction_file));
        }
    }
}

/// Codex keeps its sessions in its home, so the place of a transcript tells it.
fn home_of(transcript: &Path) -> Option<PathBuf> {
    let is_sessions = |folder: &&Path| {
        folder.file_name().is_some_and(|name| name == "sessions" || name == "archived_sessions")
    };
    transcript.ancestors().find(is_sessions).and_then(Path::parent).map(Path::to_path_buf)
}

/// The limit that the settings of a home say, as they are now.
fn limit_in(home: Option<&Path>) -> usize {
    let settings = home.and_then(|home| std::fs::read_to_string(home.join("config.toml")).ok());
    let own = settings.iter().flat_map(|text| text.lines()).take_while(|line| !line.starts_with('['));
    let mut told = own.filter_map(|line| {
        let value = line.trim_start().strip_prefix(LIMIT)?.trim_start().strip_prefix('=')?;
        value.split('#').next()?.trim().replace('_', "").parse().ok()
    });
    told.next().unwrap_or(DEFAULT_LIMIT)
}

/// A file that may be in the text: its path, and its content where it is there.
struct Candidate {
    path: String,
    content: Option<String>,
}

/// The files of a text, of which `limit` bytes are sent. `read` answers the content of a file.
fn apart(joined: AttachedFile, limit: usize, read: &dyn Fn(&Path) -> Option<String>) -> Vec<AttachedFile> {
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
    let (mut from, mut left) = (0, limit);
    // Where whole lines end of the file that is cut.
    let mut cut = None;
    for candidate in &candidates {
        let content = candidate.content.as_deref().unwrap_or_default();
        let found = standing(text, from, content.trim()).or_else(|| {
            let (place, whole) = begun(text, from, content, left)?;
            cut = Some(whole);
            Some(place)
        });
        if let Some(place) = &found {
            (from, left) = (place.end, left.saturating_sub(content.len()));
        }
        places.push(found);
    }
    // Of a file that is another one by now, the size alone tells that it is cut.
    let is_full = limit.saturating_sub(BLANK_ENDS)..=limit;
    if cut.is_none() && is_full.contains(&text.len()) && from < text.len() {
        cut = Some(text.rfind('\n').unwrap_or(0));
    }
    if candidates.iter().all(|candidate| candidate.content.is_none()) {
        return vec![sent(&joined, joined.path.clone(), 0..text.len(), cut)];
    }
    let mut files = Vec::new();
    let mut add = |candidate: &Candidate, range: Range<usize>| {
        files.push(sent(&joined, candidate.path.clone(), range, cut));
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

/// A file of the text, in a range of it. `cut` is where the whole lines of the last one end, where that is cut.
fn sent(joined: &AttachedFile, path: String, range: Range<usize>, cut: Option<usize>) -> AttachedFile {
    let text = &joined.content;
    let cut = cut.filter(|_| range.end == text.len());
    let range = range.start..cut.map_or(range.end, |cut| cut.clamp(range.start, range.end));
    let sent = if cut.is_some() { Sent::Cut } else { joined.sent };
    AttachedFile { path, content: text[range].trim().to_owned(), sent, ..joined.clone() }
}

/// Bytes of white space at the ends of files that are not sent, at most.
const BLANK_ENDS: usize = 8;

/// Where the first `limit` bytes of a content stand in a text from a place on to its end, and where its whole lines end. `None` for a
/// content that is no longer than that.
fn begun(text: &str, from: usize, content: &str, limit: usize) -> Option<(Range<usize>, usize)> {
    let end =
        (0..=limit).rev().find(|end| content.is_char_boundary(*end)).filter(|_| limit < content.len())?;
    let (begin, behind) = content.split_at(end);
    let first = begin.trim();
    let start = from + text[from..].len() - text[from..].trim_start().len();
    // A character of which a part was sent is sent as another one.
    let told = text[start..].trim_end_matches(char::REPLACEMENT_CHARACTER).trim_end();
    if first.is_empty() || told != first {
        return None;
    }
    let is_whole = begin.ends_with(['\n', '\r']) || behind.starts_with(['\n', '\r']);
    let lines = if is_whole { first.len() } else { first.rfind('\n').unwrap_or(0) };
    Some((start..text.len(), start + lines))
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
        let files = sent_of(content, DEFAULT_LIMIT, on_disk);
        assert!(files.iter().all(|file| file.sent == Sent::AsItIs));
        files.into_iter().map(|file| (file.path, file.content)).collect()
    }

    fn sent_of(content: &str, limit: usize, on_disk: &[(&str, &str)]) -> Vec<AttachedFile> {
        let joined = AttachedFile {
            path: "/w/a/b/AGENTS.md".into(),
            content: content.into(),
            ..AttachedFile::default()
        };
        let read = |path: &Path| {
            let known = on_disk.iter().find(|(known, _)| Path::new(known) == path);
            known.map(|(_, content)| (*content).to_owned())
        };
        apart(joined, limit, &read)
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

    #[test]
    fn a_file_that_was_cut_is_known_by_its_beginning_and_the_ones_behind_it_were_not_sent() {
        let root = "# Root\n- one\n- twö\n- three\n";
        let disk = [("/w/AGENTS.md", root), ("/w/a/b/AGENTS.md", "# Sub\n")];
        let of = |limit: usize, text: &str| {
            let files = sent_of(text, limit, &disk).into_iter();
            files.map(|file| (file.path, file.content, file.sent)).collect::<Vec<_>>()
        };
        let cut = |content: &str| vec![("/w/AGENTS.md".to_owned(), content.to_owned(), Sent::Cut)];
        // Within a line, within a character, and at the end of a line.
        assert_eq!(of(11, "# Root\n- on"), cut("# Root"));
        assert_eq!(of(18, "# Root\n- one\n- tw\u{fffd}"), cut("# Root\n- one"));
        assert_eq!(of(12, "# Root\n- one"), cut("# Root\n- one"));
        assert_eq!(of(13, "# Root\n- one"), cut("# Root\n- one"));
        // What is left of the limit is for the next one.
        let both = sent_of("# Root\n- one\n- twö\n- three\n\n\n# S", root.len() + 3, &disk);
        let both: Vec<_> = both.iter().map(|file| (&*file.path, &*file.content, file.sent)).collect();
        assert_eq!(both, [("/w/AGENTS.md", root.trim(), Sent::AsItIs), ("/w/a/b/AGENTS.md", "", Sent::Cut)]);
    }

    #[test]
    fn a_text_of_the_size_of_the_limit_is_cut_though_the_file_is_another_by_now() {
        let text = format!("{}- last", "- one\n".repeat(20));
        let found = sent_of(&text, text.len(), &[("/w/AGENTS.md", "# New\n")]);
        let last = &found[found.len() - 1];
        assert_eq!((last.path.as_str(), last.sent), ("/w/AGENTS.md", Sent::Cut));
        assert_eq!(last.content.lines().count(), 20);
    }
}
