//! When and why each instruction and memory file came into the context of a conversation, and over which of its requests it
//! stood there.

use crate::weight::{FileClass, FileSource, FileWeight, Weights};
use retrace_model::Timestamp;
use retrace_transcript::{AttachedFile, BlockKind, Cause, MessageIndex, Transcript};
use std::collections::{BTreeMap, HashMap, HashSet};

/// A file that was in the context of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedFile {
    /// Its path as recorded.
    pub path: String,
    /// Instructions or memory.
    pub class: FileClass,
    /// The client's name for it (`User`, `Project`, `AutoMem`, …); empty where none is told.
    pub kind: String,
    /// Each time it came in, in order.
    pub loads: Vec<Load>,
    /// Ranges of requests that sent it, both ends included, in order and apart from each other.
    pub requests: Vec<(usize, usize)>,
}

/// A file comes into the context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Load {
    /// Why.
    pub reason: LoadReason,
    /// The reason in the client's words, where it is none of those known here.
    pub told: Option<String>,
    /// Whose memory it is, where it was recalled and the client says so.
    pub scope: Option<RecallScope>,
    /// When.
    pub at: Option<Timestamp>,
    /// The first request that sent it; `None` where none did.
    pub request: Option<usize>,
    /// The message that brought it; `None` for one in the system prompt.
    pub message: Option<MessageIndex>,
    /// Tokens of it.
    pub tokens: u64,
    /// True if it is a part of the file.
    pub partial: bool,
}

/// Why a file came into the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LoadReason {
    /// The session began.
    SessionStart,
    /// Another file imports it.
    Include,
    /// A file of its directory, or of one below, was read.
    NestedTraversal,
    /// A file that its patterns name was read.
    PathGlobMatch,
    /// A compaction took it away, and the client loaded it again.
    Compact,
    /// The client read it again: it had changed.
    Refresh,
    /// A hook added it.
    Hook,
    /// A selector chose it.
    Recall,
    /// A model wrote it from memories.
    Synthesis,
    /// A person mentioned it.
    Mention,
    /// The model read it.
    Read,
}

/// Whose memory a recalled one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecallScope {
    /// That of the person.
    Personal,
    /// That of a team.
    Team,
    /// That of an organization, kept by a server.
    Organization,
}

impl RecallScope {
    /// The scope that a client's word names.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        Some(match word {
            "personal" => Self::Personal,
            "team" => Self::Team,
            "organization" => Self::Organization,
            _ => return None,
        })
    }
}

impl LoadReason {
    /// The reason that a client's word names.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        Some(match word {
            "session_start" | "start" => Self::SessionStart,
            "include" => Self::Include,
            "nested_traversal" => Self::NestedTraversal,
            "path_glob_match" => Self::PathGlobMatch,
            "compact" => Self::Compact,
            "project_reread" | "refresh" | "changed" => Self::Refresh,
            "hook" => Self::Hook,
            _ => return None,
        })
    }
}

/// The files of a conversation: instructions before memory, each in the order in which they came in.
#[must_use]
pub fn loaded_files(transcript: &Transcript, weights: &Weights) -> Vec<LoadedFile> {
    let seats = Seats::new(transcript);
    let mut order: Vec<&str> = Vec::new();
    let mut files: HashMap<&str, LoadedFile> = HashMap::new();
    for weight in &weights.files {
        let attached = attached(transcript, weight);
        let message = weight.at.message;
        let file = files.entry(&weight.path).or_insert_with(|| {
            order.push(&weight.path);
            LoadedFile {
                path: weight.path.clone(),
                class: weight.class,
                kind: String::new(),
                loads: Vec::new(),
                requests: Vec::new(),
            }
        });
        if let Some((_, attached)) = attached
            && file.kind.is_empty()
        {
            file.kind.clone_from(&attached.kind);
        }
        let requests = seats.requests(message);
        let (reason, told) = reason(weight, attached, seats.follows_compaction(message), transcript);
        file.loads.push(Load {
            reason,
            told,
            scope: attached.and_then(|(_, file)| RecallScope::of_word(&file.scope)),
            at: transcript.messages.get(message).and_then(|message| message.at),
            request: requests.iter().map(|(from, _)| *from).min(),
            message: Some(message),
            tokens: weight.tokens,
            partial: weight.partial,
        });
        file.requests.extend(requests);
    }
    // By preamble: the requests that sent it.
    let mut prompts: HashMap<usize, Vec<usize>> = HashMap::new();
    for (index, request) in transcript.requests.iter().enumerate() {
        if let Some(preamble) = request.preamble {
            prompts.entry(preamble).or_default().push(index);
        }
    }
    let mut prompts: Vec<(usize, Vec<usize>)> = prompts.into_iter().collect();
    prompts.sort_unstable_by_key(|(_, requests)| requests.first().copied());
    for (preamble, requests) in &prompts {
        for prompt in weights.prompt_files.get(*preamble).into_iter().flatten() {
            let file = files.entry(&prompt.path).or_insert_with(|| {
                order.push(&prompt.path);
                LoadedFile {
                    path: prompt.path.clone(),
                    class: prompt.class,
                    kind: String::new(),
                    loads: Vec::new(),
                    requests: Vec::new(),
                }
            });
            // The prompt is made anew for each request; the file came in again where it is another.
            let is_as_before = file.loads.iter().rfind(|load| load.message.is_none());
            if is_as_before.is_none_or(|load| load.tokens != prompt.tokens) {
                file.loads.push(Load {
                    reason: LoadReason::SessionStart,
                    told: None,
                    scope: None,
                    at: requests.first().and_then(|request| transcript.requests[*request].at),
                    request: requests.first().copied(),
                    message: None,
                    tokens: prompt.tokens,
                    partial: prompt.partial,
                });
            }
            file.requests.extend(requests.iter().map(|request| (*request, *request)));
        }
    }
    let mut found: Vec<LoadedFile> = order.into_iter().filter_map(|path| files.remove(path)).collect();
    for file in &mut found {
        file.requests = joined(std::mem::take(&mut file.requests));
        // Of a message that holds it several times, one is enough.
        file.loads.dedup_by(|one, other| {
            one.message.is_some() && one.message == other.message && one.reason == other.reason
        });
        file.loads.sort_by_key(|load| load.request.unwrap_or(usize::MAX));
    }
    found.sort_by_key(|file| file.class);
    found
}

/// The attachment that carries a file, by its name, and the file in it.
fn attached<'t>(transcript: &'t Transcript, weight: &FileWeight) -> Option<(&'t str, &'t AttachedFile)> {
    let block = transcript.messages.get(weight.at.message)?.blocks.get(weight.at.block)?;
    let BlockKind::Attachment { attachment, files, .. } = &block.kind else { return None };
    Some((attachment, files.iter().find(|file| file.path == weight.path)?))
}

fn reason(
    weight: &FileWeight,
    attached: Option<(&str, &AttachedFile)>,
    follows_compaction: bool,
    transcript: &Transcript,
) -> (LoadReason, Option<String>) {
    let again = |otherwise| if follows_compaction { LoadReason::Compact } else { otherwise };
    let Some((attachment, file)) = attached else {
        let message = transcript.messages.get(weight.at.message);
        let block = message.and_then(|message| message.blocks.get(weight.at.block));
        let is_result = matches!(block.map(|block| &block.kind), Some(BlockKind::ToolResult { .. }));
        let folded = transcript.folded.iter().find(|file| file.path == weight.path);
        let folded = folded.and_then(|file| LoadReason::of_word(&file.reason));
        return match weight.source {
            FileSource::ReadByTool => (LoadReason::Read, None),
            FileSource::Attached if is_result => (folded.unwrap_or(LoadReason::NestedTraversal), None),
            FileSource::Attached | FileSource::Embedded => (again(LoadReason::SessionStart), None),
        };
    };
    if !file.reason.is_empty() {
        // What a client says and nobody here knows is loaded again, for a reason of the client's own.
        let known = LoadReason::of_word(&file.reason);
        let told = known.is_none().then(|| file.reason.clone());
        return (known.unwrap_or(LoadReason::Refresh), told);
    }
    let known = match attachment {
        "nested_memory" => LoadReason::NestedTraversal,
        "file" | "compact_file_reference" => again(LoadReason::Mention),
        recall if recall.starts_with("relevant_memories") => match file.is_synthesis() {
            true => LoadReason::Synthesis,
            false => LoadReason::Recall,
        },
        hook if hook.starts_with("hook_") => LoadReason::Hook,
        _ => again(LoadReason::SessionStart),
    };
    (known, None)
}

/// Where each message stands in the segments, and which requests sent it.
struct Seats {
    /// By message: segments that name it, with its place there.
    of: HashMap<MessageIndex, Vec<(usize, usize)>>,
    /// By segment: how many messages each of its requests sent, and the request.
    sent: Vec<Vec<(usize, usize)>>,
    /// Messages that a compaction brought, until the conversation went on.
    compacted: HashSet<MessageIndex>,
}

impl Seats {
    fn new(transcript: &Transcript) -> Self {
        let mut of: HashMap<MessageIndex, Vec<(usize, usize)>> = HashMap::new();
        let mut compacted = HashSet::new();
        // By segment: how many messages its first request sent. With that the conversation goes on.
        let mut first: Vec<Option<usize>> = vec![None; transcript.segments.len()];
        for request in &transcript.requests {
            if let Some(first) = first.get_mut(request.segment) {
                *first = Some(first.map_or(request.upto, |upto| upto.min(request.upto)));
            }
        }
        for (number, segment) in transcript.segments.iter().enumerate() {
            let is_compacted = matches!(segment.cause, Cause::Compacted(_));
            for (place, &message) in segment.messages.iter().enumerate() {
                let seats = of.entry(message).or_default();
                let is_new = is_compacted && first[number].is_none_or(|upto| place < upto);
                if is_new && seats.is_empty() {
                    compacted.insert(message);
                }
                seats.push((number, place));
            }
        }
        let mut sent = vec![Vec::new(); transcript.segments.len()];
        for (index, request) in transcript.requests.iter().enumerate() {
            if let Some(of_segment) = sent.get_mut(request.segment) {
                of_segment.push((request.upto, index));
            }
        }
        Self { of, sent, compacted }
    }

    fn follows_compaction(&self, message: MessageIndex) -> bool {
        self.compacted.contains(&message)
    }

    /// Ranges of requests that sent a message.
    fn requests(&self, message: MessageIndex) -> Vec<(usize, usize)> {
        let mut found: Vec<usize> = Vec::new();
        for (segment, place) in self.of.get(&message).into_iter().flatten() {
            let sent = self.sent.get(*segment).into_iter().flatten();
            found.extend(sent.filter(|(upto, _)| upto > place).map(|(_, index)| *index));
        }
        joined(found.into_iter().map(|index| (index, index)).collect())
    }
}

/// Ranges in order, those that touch as one.
fn joined(mut ranges: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    ranges.sort_unstable();
    let mut whole: Vec<(usize, usize)> = Vec::new();
    for (from, to) in ranges {
        match whole.last_mut() {
            Some(last) if from <= last.1 + 1 => last.1 = last.1.max(to),
            _ => whole.push((from, to)),
        }
    }
    whole
}

/// Files whose text a request no longer sent although the one before did, by request.
#[must_use]
pub fn lost(files: &[LoadedFile]) -> BTreeMap<usize, Vec<&str>> {
    let mut lost: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for file in files {
        for (_, to) in &file.requests {
            lost.entry(to + 1).or_default().push(&file.path);
        }
    }
    lost
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_touch_are_one() {
        assert_eq!(joined(vec![(4, 5), (0, 1), (2, 2), (5, 9)]), [(0, 2), (4, 9)]);
        assert_eq!(joined(Vec::new()), []);
    }

    #[test]
    fn words_of_the_hook_are_reasons() {
        for (word, reason) in [
            ("session_start", Some(LoadReason::SessionStart)),
            ("include", Some(LoadReason::Include)),
            ("nested_traversal", Some(LoadReason::NestedTraversal)),
            ("path_glob_match", Some(LoadReason::PathGlobMatch)),
            ("compact", Some(LoadReason::Compact)),
            ("worktree_entered", None),
        ] {
            assert_eq!(LoadReason::of_word(word), reason);
        }
    }
}
