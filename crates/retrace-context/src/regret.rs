//! Regret: which cleared results the run needed again.
//!
//! The rules look at what the run did, not at what it might have thought; each names its evidence. A result is needed by
//! an answer when the answer
//!
//! - `read_again`: reads the same file again, in a range that overlaps, and the run did not itself edit the file between;
//! - `run_again`: calls the same tool with the same input again (apart from remarks and spacing), gets the same answer
//!   again, and the run edited no file between;
//! - `edited_against`: replaces a text that stood in the result and, of all that the request sent, in results alone;
//! - `quoted`: repeats a passage of [`PASSAGE_WORDS`] words and at least [`PASSAGE_CHARACTERS`] characters that stood in the
//!   result and, of all that the request sent, in results alone. Line numbers and punctuation between words do not count;
//!   at least [`PASSAGE_OWN_CHARACTERS`] of the characters stand outside of paths and addresses.
//!
//! A need is charged to the latest result that would have served it; where an older one would have served it too, it is a
//! regret only if that one is cleared as well. Each cleared result is regretted once, for the first need after its clearing;
//! needs of one answer count in the order of the list above.
//!
//! The [`RegretIndex`] looks at texts once; after that a setting's regrets are look-ups. Only what a request really
//! sent can be needed: after a compaction in the transcript itself, results before it are gone anyway.

mod acts;
mod needs;
mod passages;

pub use passages::{PASSAGE_CHARACTERS, PASSAGE_OWN_CHARACTERS, PASSAGE_WORDS};

use crate::outcome::{BlockAt, Cleared, Outcome};
use needs::Needs;
use retrace_transcript::Transcript;
use std::collections::HashMap;

/// Why a result was needed. In the order in which they count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NeedRule {
    /// The same file was read again.
    ReadAgain,
    /// The same call was made again, with the same answer.
    RunAgain,
    /// A text that stood only in it was replaced.
    EditedAgainst,
    /// A passage that stood only in it was repeated.
    Quoted,
}

impl NeedRule {
    /// The word for it in every output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ReadAgain => "read_again",
            Self::RunAgain => "run_again",
            Self::EditedAgainst => "edited_against",
            Self::Quoted => "quoted",
        }
    }
}

/// A result that was cleared and later needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regret {
    /// The tool use.
    pub tool_use_id: String,
    /// Where the result is.
    pub at: BlockAt,
    /// Label, such as `Read src/main.rs`.
    pub label: String,
    /// Tokens of its result that were freed.
    pub tokens: u64,
    /// Index of the request at which it was cleared.
    pub cleared_at: usize,
    /// Index of the request whose answer needed it; `cleared_at` or later.
    pub needed_at: usize,
    /// The rule.
    pub rule: NeedRule,
    /// Evidence: the call made again, or the words quoted.
    pub evidence: String,
}

/// A result, and what needed it later.
#[derive(Clone, Debug)]
struct Needed {
    tool_use_id: String,
    at: BlockAt,
    label: String,
    /// By request, then by rule.
    needs: Vec<Need>,
}

/// One later need of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Need {
    request: usize,
    rule: NeedRule,
    evidence: String,
    /// Older results that would have served it too.
    also: Vec<BlockAt>,
}

/// Later needs of the results of a transcript.
#[derive(Clone, Debug, Default)]
pub struct RegretIndex {
    results: Vec<Needed>,
    by_place: HashMap<BlockAt, usize>,
}

impl RegretIndex {
    /// Searches the transcript once.
    #[must_use]
    pub fn new(transcript: &Transcript) -> Self {
        let results = Needs::of(transcript);
        let by_place = results.iter().enumerate().map(|(index, result)| (result.at, index)).collect();
        Self { results, by_place }
    }

    /// Number of results that were needed later at all: the most that a setting can regret.
    #[must_use]
    pub fn needed_results(&self) -> usize {
        self.results.len()
    }

    /// The regrets of a run, by the request that needed, then by place.
    #[must_use]
    pub fn regrets(&self, clearings: &Clearings) -> Vec<Regret> {
        let mut regrets: Vec<Regret> = self
            .regretted(clearings)
            .map(|(result, clearing, need)| Regret {
                tool_use_id: result.tool_use_id.clone(),
                at: result.at,
                label: result.label.clone(),
                tokens: clearing.tokens,
                cleared_at: clearing.request,
                needed_at: need.request,
                rule: need.rule,
                evidence: need.evidence.clone(),
            })
            .collect();
        regrets.sort_by_key(|regret| (regret.needed_at, regret.at));
        regrets
    }

    /// Number of regrets of a run: as many as [`Self::regrets`] lists.
    #[must_use]
    pub fn count(&self, clearings: &Clearings) -> u64 {
        self.regretted(clearings).count() as u64
    }

    fn regretted<'a>(
        &'a self,
        clearings: &'a Clearings,
    ) -> impl Iterator<Item = (&'a Needed, Clearing, &'a Need)> {
        clearings.first.iter().filter_map(|(at, &clearing)| {
            let result = &self.results[*self.by_place.get(at)?];
            let from = result.needs.partition_point(|need| need.request < clearing.request);
            let need = result.needs[from..].iter().find(|need| clearings.took_all(need))?;
            Some((result, clearing, need))
        })
    }
}

/// When a result was cleared, and what that freed.
#[derive(Clone, Copy, Debug)]
struct Clearing {
    request: usize,
    tokens: u64,
}

/// The first clearing of each result of a run.
#[derive(Clone, Debug, Default)]
pub struct Clearings {
    first: HashMap<BlockAt, Clearing>,
}

impl Clearings {
    /// Those of a whole outcome.
    #[must_use]
    pub fn of(outcome: &Outcome) -> Self {
        let mut clearings = Self::default();
        for request in &outcome.requests {
            for cleared in &request.newly_cleared {
                if let Cleared::Result { at, tokens, .. } = cleared {
                    clearings.add(*at, request.index, *tokens);
                }
            }
        }
        clearings
    }

    /// Records that the result at this place was cleared at this request, which freed so many tokens. Requests come in
    /// order; only the first clearing of a result counts.
    pub fn add(&mut self, at: BlockAt, request: usize, tokens: u64) {
        self.first.entry(at).or_insert(Clearing { request, tokens });
    }

    /// Forgets them all, and keeps the room for as many.
    pub fn forget(&mut self) {
        self.first.clear();
    }

    /// True if nothing was left that would have served the need.
    fn took_all(&self, need: &Need) -> bool {
        need.also.iter().all(|at| self.first.get(at).is_some_and(|clearing| clearing.request <= need.request))
    }
}

#[cfg(test)]
mod tests;
