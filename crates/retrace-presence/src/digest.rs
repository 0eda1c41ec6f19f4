//! What the requests of one conversation held of memory and instruction files.

use crate::found::{Calls, Finder, Found, Scope};
use crate::shelf::Shelf;
use crate::words::Way;
use retrace_context::edits::PLACEHOLDER;
use retrace_transcript::{
    AppliedEdit, Block, BlockKind, Cause, Format, Message, Request, ResultPart, Sent, Transcript,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// What is known of the record of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Proof {
    /// The client recorded nothing of it.
    #[default]
    None,
    /// It was recorded, and its digest proves what was rebuilt.
    Proved,
    /// It was recorded, and nothing proves what was rebuilt.
    Failed,
}

/// A request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestFacts {
    /// When its answer began to be written, in microseconds since 1970.
    pub at: Option<i64>,
    /// What is known of its record.
    pub proof: Proof,
    /// True if it holds instructions that the client loaded, so that those it does not hold were not loaded.
    pub tells: bool,
    /// Compactions before it.
    pub compactions: u32,
    /// True for one that was made before the compaction that stands before it: a fork of a session has the answers that a compaction
    /// kept, and not what was sent for them.
    pub is_copied: bool,
}

/// A part of a file in the requests of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// Path of the file, as recorded.
    pub path: String,
    /// The way in which it came.
    pub way: Way,
    /// Its text, on the shelf.
    pub text: u32,
    /// Requests that held it, both ends included, in order.
    pub spans: Vec<(u32, u32)>,
    /// Requests that held it no longer because of a context edit.
    pub cleared: Vec<(u32, u32)>,
}

impl Piece {
    /// True if a request held it.
    #[must_use]
    pub fn is_in(&self, request: u32) -> bool {
        within(&self.spans, request)
    }

    /// True if a context edit took it out of a request.
    #[must_use]
    pub fn is_cleared_in(&self, request: u32) -> bool {
        within(&self.cleared, request)
    }

    /// The first request that held it.
    #[must_use]
    pub fn first(&self) -> Option<u32> {
        self.spans.first().map(|span| span.0)
    }
}

fn within(spans: &[(u32, u32)], request: u32) -> bool {
    let at = spans.partition_point(|span| span.1 < request);
    spans.get(at).is_some_and(|span| span.0 <= request)
}

/// What the requests of one conversation held.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digest {
    /// Every request, in order.
    pub requests: Vec<RequestFacts>,
    /// Parts of files, by the first request that held them.
    pub pieces: Vec<Piece>,
    /// Version of the client.
    pub client_version: Option<String>,
    /// Directory it ran in.
    pub directory: Option<String>,
}

/// Micro-compaction of the client leaves this behind, or the placeholder of the API.
const CLEARED: [&str; 2] = ["[Old tool result content cleared]", PLACEHOLDER];

impl Digest {
    /// Reads a conversation whose proved requests are told as they were sent. `proofs` answers what is known of the record
    /// of a request.
    #[must_use]
    pub fn of(
        transcript: &Transcript,
        proofs: &dyn Fn(usize) -> Proof,
        scope: &Scope,
        shelf: &mut Shelf,
    ) -> Self {
        let mut calls = Calls::new();
        let mut failed: HashSet<&str> = HashSet::new();
        let mut loaded: HashSet<String> = transcript.folded.iter().map(|file| file.path.clone()).collect();
        for block in transcript.messages.iter().flat_map(|message| &message.blocks) {
            match &block.kind {
                BlockKind::ToolUse { id, name, input, .. } => drop(calls.insert(id, (name, input))),
                BlockKind::ToolResult { tool_use_id, content, is_error, .. }
                    if retrace_origin::succeeded(transcript.format, *is_error, content) == Some(false) =>
                {
                    failed.insert(tool_use_id.as_str());
                }
                BlockKind::Attachment { attachment, files, .. }
                    if matches!(attachment.as_str(), "instructions" | "nested_memory")
                        || attachment.starts_with("relevant_memories") =>
                {
                    loaded.extend(files.iter().map(|file| file.path.clone()));
                }
                // What one file imports is loaded as that is.
                BlockKind::Attachment { files, .. } => {
                    let imported = files.iter().filter(|file| file.sent == Sent::WithImports);
                    loaded.extend(imported.map(|file| file.path.clone()));
                }
                _ => {}
            }
        }
        let directory = transcript.session.project.as_deref();
        let finder = Finder { scope, calls, failed, loaded, directory };
        let mut making = Making {
            transcript,
            finder,
            shelf,
            pieces: Vec::new(),
            by_message: HashMap::new(),
            by_call: HashMap::new(),
            by_preamble: HashMap::new(),
        };
        let requests = making.requests(proofs);
        Self {
            requests,
            pieces: making
                .pieces
                .into_iter()
                .filter(|piece| !piece.piece.spans.is_empty())
                .map(|piece| piece.piece)
                .collect(),
            client_version: transcript.session.client_version.clone(),
            directory: directory.map(str::to_owned),
        }
    }

    /// Places of the pieces of a file, under any of its paths.
    #[must_use]
    pub fn pieces_of(&self, paths: &[&str]) -> Vec<usize> {
        let fits = |piece: &Piece| paths.contains(&piece.path.as_str());
        (0..self.pieces.len()).filter(|&at| fits(&self.pieces[at])).collect()
    }

    /// Paths that the client loaded as its own memory, and all others, each once.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let mut seen = HashSet::new();
        self.pieces.iter().map(|piece| piece.path.as_str()).filter(move |path| seen.insert(*path))
    }
}

struct Held {
    piece: Piece,
    call: Option<String>,
}

/// Of one message: its pieces, and the calls whose results it says were cleared.
#[derive(Default)]
struct OfMessage {
    pieces: Vec<usize>,
    cleared: Vec<String>,
    /// The reading that the client repeats and whose result is in the next message.
    called: Option<String>,
}

struct Making<'t, 's> {
    transcript: &'t Transcript,
    finder: Finder<'t>,
    shelf: &'s mut Shelf,
    pieces: Vec<Held>,
    by_message: HashMap<usize, OfMessage>,
    by_call: HashMap<String, Vec<usize>>,
    by_preamble: HashMap<usize, Vec<usize>>,
}

impl Making<'_, '_> {
    fn requests(&mut self, proofs: &dyn Fn(usize) -> Proof) -> Vec<RequestFacts> {
        let transcript = self.transcript;
        let (mut compactions, mut segment_before) = (0, None);
        // By segment: places of its messages that hold anything, in order.
        let mut of_segment: HashMap<usize, Vec<usize>> = HashMap::new();
        let mut all = Vec::with_capacity(transcript.requests.len());
        for (index, request) in transcript.requests.iter().enumerate() {
            if segment_before != Some(request.segment) {
                let cause = transcript.segments.get(request.segment).map(|segment| &segment.cause);
                compactions += u32::from(matches!(cause, Some(Cause::Compacted(_))));
                segment_before = Some(request.segment);
            }
            let held = of_segment.entry(request.segment).or_insert_with(|| self.holding(request.segment));
            let held = held.clone();
            let facts = self.request(index, request, &held, proofs(index), compactions);
            all.push(facts);
        }
        all
    }

    /// Places of the messages of a segment that hold anything.
    fn holding(&mut self, segment: usize) -> Vec<usize> {
        let transcript = self.transcript;
        let Some(segment) = transcript.segments.get(segment) else { return Vec::new() };
        let mut places = Vec::new();
        let mut called: Option<String> = None;
        for (place, &index) in segment.messages.iter().enumerate() {
            if !self.by_message.contains_key(&index) {
                let message = transcript.messages.get(index);
                let of = message.map(|message| self.message(message, called.take())).unwrap_or_default();
                self.by_message.insert(index, of);
            }
            let Some(of) = self.by_message.get(&index) else { continue };
            called.clone_from(&of.called);
            if !of.pieces.is_empty() || !of.cleared.is_empty() {
                places.push(place);
            }
        }
        places
    }

    fn message(&mut self, message: &Message, mut called: Option<String>) -> OfMessage {
        let found = self.finder.in_message(message, &mut called);
        let cleared = message.blocks.iter().filter_map(cleared_call).map(str::to_owned).collect();
        let pieces = found.into_iter().filter_map(|found| self.piece(found)).collect();
        OfMessage { pieces, cleared, called }
    }

    fn piece(&mut self, found: Found) -> Option<usize> {
        if found.text.lines.is_empty() {
            return None;
        }
        let Found { path, way, text, words, call } = found;
        let text = self.shelf.put(text, || words);
        if let Some(call) = &call {
            self.by_call.entry(call.clone()).or_default().push(self.pieces.len());
        }
        self.pieces
            .push(Held { piece: Piece { path, way, text, spans: Vec::new(), cleared: Vec::new() }, call });
        Some(self.pieces.len() - 1)
    }

    fn request(
        &mut self,
        index: usize,
        request: &Request,
        held: &[usize],
        proof: Proof,
        compactions: u32,
    ) -> RequestFacts {
        let transcript = self.transcript;
        let number = u32::try_from(index).unwrap_or(u32::MAX);
        let segment = transcript.segments.get(request.segment);
        if proof != Proof::Proved && is_copied(transcript, request) {
            let at = request.at.map(|at| at.micros());
            return RequestFacts { at, proof, tells: false, compactions, is_copied: true };
        }
        let messages = segment.map_or(&[][..], |segment| &segment.messages);
        let sent =
            held.iter().take_while(|place| **place < request.upto).filter_map(|place| messages.get(*place));
        let mut here: Vec<usize> = Vec::new();
        let mut cleared: HashSet<String> =
            segment.map(|segment| segment.dropped_results.iter().cloned().collect()).unwrap_or_default();
        for message in sent {
            let Some(of) = self.by_message.get(message) else { continue };
            here.extend(&of.pieces);
            cleared.extend(of.cleared.iter().cloned());
        }
        let by_marker: Vec<usize> =
            cleared.iter().filter_map(|call| self.by_call.get(call)).flatten().copied().collect();
        cleared.extend(cleared_by_edits(transcript, request));
        here.extend(self.of_preamble(request.preamble));
        for &place in &here {
            let Held { piece, call } = &mut self.pieces[place];
            let is_cleared = call.as_ref().is_some_and(|call| cleared.contains(call));
            extend(if is_cleared { &mut piece.cleared } else { &mut piece.spans }, number);
        }
        for place in by_marker {
            extend(&mut self.pieces[place].piece.cleared, number);
        }
        let is_instructions = |piece: &usize| self.pieces[*piece].piece.way == Way::Instructions;
        RequestFacts {
            at: request.at.map(|at| at.micros()),
            proof,
            tells: proof == Proof::Proved || here.iter().any(is_instructions),
            compactions,
            is_copied: false,
        }
    }

    fn of_preamble(&mut self, preamble: Option<usize>) -> Vec<usize> {
        let transcript = self.transcript;
        let Some(at) = preamble else { return Vec::new() };
        if let Some(known) = self.by_preamble.get(&at) {
            return known.clone();
        }
        let mut found = Vec::new();
        for text in transcript.preambles.get(at).into_iter().flat_map(|preamble| &preamble.system) {
            found.extend(self.finder.in_system(text));
        }
        let pieces: Vec<usize> = found.into_iter().filter_map(|found| self.piece(found)).collect();
        self.by_preamble.insert(at, pieces.clone());
        pieces
    }
}

/// True for a request that was answered before the compaction that its messages begin with.
fn is_copied(transcript: &Transcript, request: &Request) -> bool {
    let segment = transcript.segments.get(request.segment);
    let Some(Cause::Compacted(compaction)) = segment.map(|segment| &segment.cause) else { return false };
    let answered = request.at.zip(compaction.at).is_some_and(|(at, compacted)| at < compacted);
    transcript.format == Format::ClaudeCode && answered
}

fn extend(spans: &mut Vec<(u32, u32)>, request: u32) {
    match spans.last_mut() {
        Some((_, to)) if *to + 1 >= request => *to = request,
        _ => spans.push((request, request)),
    }
}

/// The call whose result a block says was cleared.
fn cleared_call(block: &Block) -> Option<&str> {
    let BlockKind::ToolResult { tool_use_id, content, .. } = &block.kind else { return None };
    let is_marker =
        |part: &ResultPart| matches!(part, ResultPart::Text(text) if CLEARED.contains(&text.trim()));
    (!content.is_empty() && content.iter().all(is_marker)).then_some(tool_use_id)
}

/// Calls whose results the server took out of a request, as its answer reports: the oldest ones that the setting allows.
fn cleared_by_edits(transcript: &Transcript, request: &Request) -> Vec<String> {
    let applied =
        request.applied_edits.iter().flatten().find(|edit| edit.edit.starts_with("clear_tool_uses"));
    let Some(AppliedEdit { cleared_tool_uses: Some(count), edit, .. }) = applied else { return Vec::new() };
    let edits = request.parameters["context_management"]["edits"].as_array().into_iter().flatten();
    let setting = edits.into_iter().find(|setting| setting["type"] == edit.as_str());
    let excluded: Vec<&str> = setting
        .and_then(|setting| setting["exclude_tools"].as_array())
        .map(|tools| tools.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let blocks = transcript.sent(request).flat_map(|(_, message)| &message.blocks);
    let calls = blocks.filter_map(|block| match &block.kind {
        BlockKind::ToolUse { id, name, server: false, .. } if !excluded.contains(&name.as_str()) => {
            Some(id.clone())
        }
        _ => None,
    });
    calls.take(usize::try_from(*count).unwrap_or(usize::MAX)).collect()
}
