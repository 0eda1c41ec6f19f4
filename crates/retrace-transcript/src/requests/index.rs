//! What it takes to show one request of a large file without reading the file whole.

use super::RequestLog;
use crate::Transcript;
use serde::{Deserialize, Serialize};

/// Where the parts of each request stand, and which answer of each conversation has which index. It holds no contents, can be
/// kept, and belongs to one state of a file. Nothing rests on it but speed: what is rebuilt by it is proved by a digest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestIndex {
    log: RequestLog,
    answers: Vec<Vec<String>>,
}

impl RequestIndex {
    /// Of what [`super::SessionSplit::finish`] found.
    #[must_use]
    pub fn new(transcripts: &[Transcript], log: RequestLog) -> Self {
        let ids = |transcript: &Transcript| {
            transcript.requests.iter().map(|request| request.id.clone()).collect::<Vec<String>>()
        };
        Self { log, answers: transcripts.iter().map(ids).collect() }
    }

    /// What the file recorded of its requests.
    #[must_use]
    pub fn log(&self) -> &RequestLog {
        &self.log
    }

    /// Ids of the requests of a conversation, by index; `None` where the file has no such conversation.
    #[must_use]
    pub fn answers(&self, conversation: usize) -> Option<&[String]> {
        self.answers.get(conversation).map(Vec::as_slice)
    }

    /// The record of a request of a conversation.
    #[must_use]
    pub fn recorded(&self, conversation: usize, request: usize) -> Option<usize> {
        self.log.answered_by(self.answers(conversation)?.get(request)?)
    }

    /// False for what was not made by [`Self::new`], such as a damaged copy.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.log.bases_come_before()
    }
}
