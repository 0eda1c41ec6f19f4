//! Preambles counted one after the other: what one shares with the one before is not counted again.

use super::{TextCounter, Weighing, count};
use crate::weight::{PreambleCount, PromptFile};
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
}

/// Names of tools that are remembered. More are of no client.
const MOST_TOOLS: usize = 1_000;

impl<'a> PreambleCounter<'a> {
    /// Nothing was counted yet.
    #[must_use]
    pub fn new(counter: &'a dyn TextCounter, weighing: &'a Weighing<'a>) -> Self {
        Self { counter, weighing, system: (Vec::new(), 0, Vec::new()), tools: HashMap::new() }
    }

    /// What is counted of a preamble, for [`Counts::set_preambles`](super::Counts::set_preambles).
    pub fn count(&mut self, preamble: RecordedPreamble) -> PreambleCount {
        if self.system.0 != preamble.system {
            let (tokens, files) = count::system(&preamble.system, self.counter);
            self.system = (preamble.system, tokens, files);
        }
        let tools = preamble.tools.into_iter().map(|tool| {
            if let Some((definition, tokens)) = self.tools.get_mut(&tool.name) {
                if *definition != tool.definition {
                    *tokens = self.counter.content(&tool.definition);
                    *definition = tool.definition;
                }
                return *tokens;
            }
            let tokens = self.counter.content(&tool.definition);
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
}
