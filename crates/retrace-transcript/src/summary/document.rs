//! Summaries of files that are read as a whole: one JSON document, or lines of a format that is not summarised line by
//! line.

use super::{MessageUse, Summary, Tokens, id_hash, memory_write};
use crate::{BlockKind, Cause, Done, Format, MemoryWrite, Reading, Request, Transcript, read};
use std::collections::HashMap;

/// Beginnings of the ids that an API gives its responses: they are unique beyond the file.
const API_IDS: [&str; 2] = ["msg_", "resp_"];

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
        let done = by_call(transcript);
        for (request, id) in transcript.requests.iter().zip(ids(transcript)) {
            self.add_request(request, id, sidechain);
            self.add_writes(request, transcript, &done);
        }
    }

    fn add_request(&mut self, request: &Request, id: u64, sidechain: bool) {
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
        self.message_ids.push(MessageUse {
            id,
            model: u32::try_from(model).unwrap_or(u32::MAX),
            tokens,
            output_is_final: request.output_is_final,
            sidechain,
            fast: request.usage.as_ref().is_some_and(crate::Usage::is_fast),
            copied: false,
        });
    }

    /// Writes to memory: what the client says it carried out for a call, else what the call asks for.
    fn add_writes(&mut self, request: &Request, transcript: &Transcript, done: &HashMap<&str, Vec<&Done>>) {
        let Some(message) = request.response.and_then(|index| transcript.messages.get(index)) else { return };
        for block in &message.blocks {
            let BlockKind::ToolUse { id, name, input, .. } = &block.kind else { continue };
            let carried_out = done.get(id.as_str()).into_iter().flatten();
            let files: Vec<&str> = carried_out.flat_map(|done| memory_write::paths_done(done)).collect();
            let paths = if files.is_empty() { memory_write::paths_written(name, input) } else { files };
            for path in paths {
                if self.memory_writes.len() < Self::MEMORY_WRITES_KEPT {
                    let (tool, at, line) = (name.clone(), message.at, u64::from(block.line));
                    self.memory_writes.push(MemoryWrite { path: path.to_owned(), tool, at, line });
                }
            }
        }
    }
}

/// For each request of a conversation what tells its answer from every other one, also where another file repeats it: the
/// [`MessageUse::id`] of its call.
#[must_use]
pub fn answer_ids(transcript: &Transcript) -> Vec<u64> {
    match transcript.format {
        // Its files are summarised line by line, by the ids of the lines.
        Format::ClaudeCode => transcript.requests.iter().map(|request| id_hash(&request.id)).collect(),
        _ => ids(transcript),
    }
}

fn ids(transcript: &Transcript) -> Vec<u64> {
    let session = transcript.session.id.as_deref().unwrap_or_default();
    let mut ids = Vec::with_capacity(transcript.requests.len());
    // Number of requests before it that were made at the same instant, as those of one message.
    let mut step = 0;
    for (index, request) in transcript.requests.iter().enumerate() {
        let is_further = index > 0 && request.at.is_some() && transcript.requests[index - 1].at == request.at;
        step = if is_further { step + 1 } else { 0 };
        ids.push(if let Some(copied) = copied_facts(request, transcript, step) {
            id_hash(&copied)
        } else if API_IDS.iter().any(|prefix| request.id.starts_with(prefix)) {
            id_hash(&request.id)
        } else {
            id_hash(&format!("{session}/{}", request.id))
        });
    }
    ids
}

/// What tells a call where a fork gives its copies ids of their own, as opencode does: when the answer began, which of the calls
/// of its message it is, and the tokens, which a copy keeps.
fn copied_facts(request: &Request, transcript: &Transcript, step: usize) -> Option<String> {
    if transcript.format != Format::Opencode {
        return None;
    }
    let (at, usage) = (request.at?.micros(), request.usage.as_ref()?);
    let tokens = [usage.input, usage.cache_creation, usage.cache_read, usage.output];
    Some(format!("opencode/{at}/{step}/{tokens:?}"))
}

/// What was carried out, by the call it was done for.
fn by_call(transcript: &Transcript) -> HashMap<&str, Vec<&Done>> {
    let mut done: HashMap<&str, Vec<&Done>> = HashMap::new();
    for one in &transcript.done {
        done.entry(&one.call).or_default().push(one);
    }
    done
}

#[cfg(test)]
mod tests {
    use super::summary;

    #[test]
    fn a_copy_of_an_opencode_answer_is_the_same_call() {
        let session = |id: &str, message: &str, created: u64| {
            let info =
                format!(r#"{{"info":{{"id":"{id}","directory":"/w","time":{{"created":1,"updated":2}}}}}}"#);
            let step = |input: u64| {
                format!(
                    r#"{{"type":"step-start"}},{{"type":"text","text":"x"}},{{"type":"step-finish","tokens":{{"input":{input},"output":2,"cache":{{"read":0,"write":0}}}}}}"#
                )
            };
            let answer = format!(
                r#"{{"info":{{"id":"{message}","role":"assistant","modelID":"m","time":{{"created":{created},"completed":{}}},"tokens":{{"input":9,"output":2}}}},"parts":[{},{}]}}"#,
                created + 5,
                step(7),
                step(9),
            );
            let ids = summary(format!("{info}\n{answer}\n").as_bytes()).message_ids;
            ids.iter().map(|used| used.id).collect::<Vec<_>>()
        };
        let (own, fork) = (session("ses_1", "msg_1", 1000), session("ses_2", "msg_2", 1000));
        assert_eq!((own.len(), &own), (2, &fork));
        assert_ne!(own[0], own[1]);
        assert_ne!(own, session("ses_3", "msg_3", 1001));
    }
}
