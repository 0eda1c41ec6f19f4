//! Summaries of files that are read as a whole: one JSON document, or lines of a format that is not summarised line by
//! line.

use super::{MessageUse, Summary, Tokens, id_hash, memory_write};
use crate::{BlockKind, Cause, MemoryWrite, Reading, Request, Transcript, read};

/// The summary of a whole file.
pub(super) fn summary(bytes: &[u8]) -> Summary {
    match read(bytes) {
        Ok(reading) => Summary::of(reading),
        Err(refusal) => {
            let mut summary = Summary { refusal: Some(refusal), ..Summary::default() };
            summary.account.bytes = bytes.len() as u64;
            summary.account.lines = 1;
            summary
        }
    }
}

impl Summary {
    /// The summary of what was read in full.
    #[must_use]
    pub fn of(reading: Reading) -> Self {
        let mut summary = Self { account: reading.account, ..Self::default() };
        for (number, transcript) in reading.transcripts.iter().enumerate() {
            summary.add(transcript, number > 0);
        }
        summary.requests = summary.message_ids.len() as u64;
        let mut transcripts = reading.transcripts.into_iter();
        if let Some(main) = transcripts.next() {
            summary.format = Some(main.format);
            (summary.first_at, summary.last_at) = (main.session.started_at, main.session.ended_at);
            summary.session = main.session;
        }
        summary.subagents = transcripts.count() as u64;
        summary
    }

    fn add(&mut self, transcript: &Transcript, sidechain: bool) {
        if !sidechain {
            let is_compaction = |segment: &&crate::Segment| matches!(segment.cause, Cause::Compacted(_));
            self.compactions = transcript.segments.iter().filter(is_compaction).count() as u64;
        }
        for request in &transcript.requests {
            self.add_request(request, transcript, sidechain);
            self.add_writes(request, transcript);
        }
    }

    fn add_request(&mut self, request: &Request, transcript: &Transcript, sidechain: bool) {
        let name = request.model.as_deref().unwrap_or_default();
        let tokens = request.usage.as_ref().map(Tokens::from).unwrap_or_default();
        let model = self.model_names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.model_names.push(name.to_owned());
            self.model_names.len() - 1
        });
        let used = self.models.entry(name.to_owned()).or_default();
        used.requests += 1;
        used.tokens.add(&tokens);
        if !sidechain {
            self.peak_context = self.peak_context.max(tokens.context());
        }
        let session = transcript.session.id.as_deref().unwrap_or_default();
        self.message_ids.push(MessageUse {
            // Only ids of the API are unique beyond the file.
            id: if request.id.starts_with("msg_") {
                id_hash(&request.id)
            } else {
                id_hash(&format!("{session}/{}", request.id))
            },
            model: u32::try_from(model).unwrap_or(u32::MAX),
            tokens,
            output_is_final: request.output_is_final,
            sidechain,
            fast: request.usage.as_ref().is_some_and(crate::Usage::is_fast),
        });
    }

    fn add_writes(&mut self, request: &Request, transcript: &Transcript) {
        let Some(message) = request.response.and_then(|index| transcript.messages.get(index)) else { return };
        for block in &message.blocks {
            let BlockKind::ToolUse { name, input, .. } = &block.kind else { continue };
            for path in memory_write::paths_written(name, input) {
                if self.memory_writes.len() < Self::MEMORY_WRITES_KEPT {
                    let (tool, at, line) = (name.clone(), message.at, u64::from(block.line));
                    self.memory_writes.push(MemoryWrite { path: path.to_owned(), tool, at, line });
                }
            }
        }
    }
}
