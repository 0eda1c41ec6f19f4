//! Preambles counted one after the other: what one shares with the one before, and a tool that any before had, is not counted
//! again.

use super::{TextCounter, Weighing, count};
use crate::weight::{PreambleCount, PromptFile};
use retrace_model::Sha256;
use retrace_transcript::requests::RecordedPreamble;
use std::collections::HashMap;

/// Counts the preambles of a session, of which every request may have its own. A client changes some of it from one to the next.
pub struct PreambleCounter<'a> {
    counter: &'a dyn TextCounter,
    weighing: &'a Weighing<'a>,
    /// The system prompt of the one before, with its tokens and files.
    system: (Vec<String>, u64, Vec<PromptFile>),
    /// By name: the definition that a tool had last, and its tokens.
    tools: HashMap<String, (String, u64)>,
    /// By digest: the tokens of every definition. A client goes back to one that it had before (a server that comes and goes, two
    /// sets of tools in turns), and comparing with the last one would count it anew.
    definitions: HashMap<Sha256, u64>,
}

/// Names of tools that are remembered. More are of no client.
const MOST_TOOLS: usize = 1_000;

/// Definitions whose tokens are remembered, some 50 bytes each. What comes after them is counted each time it changes.
const MOST_DEFINITIONS: usize = 20_000;

impl<'a> PreambleCounter<'a> {
    /// Nothing was counted yet.
    #[must_use]
    pub fn new(counter: &'a dyn TextCounter, weighing: &'a Weighing<'a>) -> Self {
        Self {
            counter,
            weighing,
            system: (Vec::new(), 0, Vec::new()),
            tools: HashMap::new(),
            definitions: HashMap::new(),
        }
    }

    /// What is counted of a preamble, for [`Counts::set_preambles`](super::Counts::set_preambles).
    pub fn count(&mut self, preamble: RecordedPreamble) -> PreambleCount {
        if self.system.0 != preamble.system {
            let (tokens, files) = count::system(&preamble.system, self.counter);
            self.system = (preamble.system, tokens, files);
        }
        let (counter, definitions) = (self.counter, &mut self.definitions);
        let mut count_once = |definition: &str| {
            let digest = Sha256::of(definition.as_bytes());
            if let Some(&tokens) = definitions.get(&digest) {
                return tokens;
            }
            let tokens = counter.content(definition);
            if definitions.len() < MOST_DEFINITIONS {
                definitions.insert(digest, tokens);
            }
            tokens
        };
        let tools = preamble.tools.into_iter().map(|tool| {
            if let Some((definition, tokens)) = self.tools.get_mut(&tool.name) {
                if *definition != tool.definition {
                    *tokens = count_once(&tool.definition);
                    *definition = tool.definition;
                }
                return *tokens;
            }
            let tokens = count_once(&tool.definition);
            if self.tools.len() < MOST_TOOLS {
                self.tools.insert(tool.name, (tool.definition, tokens));
            }
            tokens
        });
        let tools = tools.collect();
        let (_, system, files) = &self.system;
        count::preamble((*system, files.clone()), tools, &self.weighing.framing)
    }
}

impl std::fmt::Debug for PreambleCounter<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("PreambleCounter").field(self.weighing).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weigh::CountBy;
    use retrace_tokens::Family;
    use retrace_transcript::requests::RecordedTool;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn what_comes_again_is_counted_as_the_first_time() {
        let counter = CountBy(|text: &str| text.len() as u64);
        let weighing = Weighing::of(Family::V48, false, "");
        let preamble = |system: &str, tools: &[(&str, &str)]| RecordedPreamble {
            system: vec![system.to_owned()],
            tools: tools
                .iter()
                .map(|(name, definition)| RecordedTool {
                    name: (*name).to_owned(),
                    definition: (*definition).to_owned(),
                })
                .collect(),
        };
        let all = [
            preamble("one", &[("a", "{}"), ("b", "[1]")]),
            preamble("one", &[("b", "[1]"), ("a", "{\"x\":1}")]),
            preamble("other", &[]),
            preamble("one", &[("a", "{}"), ("a", "{\"x\":1}"), ("a", "{}")]),
        ];
        let mut going_on = PreambleCounter::new(&counter, &weighing);
        for preamble in all {
            let anew = PreambleCounter::new(&counter, &weighing).count(preamble.clone());
            let tools: Vec<u64> = preamble.tools.iter().map(|tool| tool.definition.len() as u64).collect();
            assert_eq!((anew.weight.system, &anew.tools), (preamble.system[0].len() as u64, &tools));
            let counted = going_on.count(preamble);
            assert_eq!(format!("{counted:?}"), format!("{anew:?}"));
        }
    }

    #[test]
    fn definitions_that_come_in_turns_are_counted_once_each() {
        let times = AtomicUsize::new(0);
        let counter = CountBy(|text: &str| {
            times.fetch_add(1, Ordering::Relaxed);
            text.len() as u64
        });
        let weighing = Weighing::of(Family::V48, false, "");
        let mut counting = PreambleCounter::new(&counter, &weighing);
        for turn in 0..40 {
            let definition = ["{}", "{\"x\":1}", "[1,2]"][turn % 3].to_owned();
            let length = definition.len() as u64;
            let tools = vec![RecordedTool { name: "a".to_owned(), definition }];
            let counted = counting.count(RecordedPreamble { system: Vec::new(), tools });
            assert_eq!(counted.tools, [length]);
        }
        assert_eq!(times.load(Ordering::Relaxed), 3);
    }
}
