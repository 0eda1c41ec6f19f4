//! Sizes of summaries on this machine: learnt from the compactions that the user's own agents went through.

use crate::Lab;
use crate::lab::loaded;
use retrace_context::simulate::SummarySizes;
use retrace_engine::lock;
use retrace_sessions::Snapshot;
use retrace_tokens::Counter;
use retrace_transcript::{BlockKind, Cause, Transcript};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Sessions looked at, the latest ones with a compaction. More would hardly move the quantiles.
const MAX_SESSIONS: usize = 16;

/// Their bytes together; reading them is what takes the time.
const MAX_BYTES: u64 = 64 << 20;

/// Learnt sizes, and from which state of the index.
#[derive(Default)]
pub(crate) struct LearntSizes {
    kept: Mutex<Option<(Arc<Snapshot>, SummarySizes)>>,
}

/// The range of sizes; the assumed one where no compaction is known.
pub(crate) fn sizes(inner: &Lab) -> SummarySizes {
    let snapshot = inner.lab.index.snapshot();
    let mut kept = lock(&inner.lab.summaries.kept);
    if let Some((of, sizes)) = &*kept
        && Arc::ptr_eq(of, &snapshot)
    {
        return *sizes;
    }
    let sizes = SummarySizes::learnt(observed(&snapshot));
    *kept = Some((snapshot, sizes));
    sizes
}

fn observed(snapshot: &Snapshot) -> Vec<u64> {
    let mut bytes = 0;
    let with_compactions = snapshot.sessions().iter().filter(|session| session.compactions() > 0);
    with_compactions
        .filter_map(|session| session.main.as_ref())
        .take(MAX_SESSIONS)
        .take_while(|entry| {
            bytes += entry.identity.size;
            bytes <= MAX_BYTES
        })
        .flat_map(|entry| of_file(&entry.path))
        .collect()
}

/// A file that went away meanwhile teaches nothing.
fn of_file(path: &Path) -> Vec<u64> {
    let reading = loaded::bytes(path).ok().and_then(|bytes| retrace_transcript::read(&bytes).ok());
    reading.and_then(|reading| reading.transcripts.first().map(of_transcript)).unwrap_or_default()
}

fn of_transcript(transcript: &Transcript) -> Vec<u64> {
    let model = transcript.requests.iter().find_map(|request| request.model.as_deref());
    let counter = Counter::of(loaded::family(transcript, model).family);
    let summaries = transcript.segments.iter().filter_map(|segment| match &segment.cause {
        Cause::Compacted(compaction) => transcript.messages.get(compaction.summary?),
        _ => None,
    });
    summaries
        .map(|message| {
            let texts = message.blocks.iter().filter_map(|block| match &block.kind {
                BlockKind::Text { text } => Some(counter.content(text)),
                _ => None,
            });
            texts.sum()
        })
        .collect()
}
