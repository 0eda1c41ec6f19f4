//! The marks for the cache that requests were sent with, among the facts of a run.

use super::prepare::{Prepared, RequestFacts, Stretch};
use crate::cache::marks::{Asking, Entries, Found, Mark, Marks};
use crate::prices::{CACHEABLE_WHEN_UNKNOWN, Models};
use crate::weight::Weights;
use retrace_transcript::Transcript;
use retrace_transcript::requests::{CacheMark, CachePart};

/// The marks of one request.
#[derive(Clone, Debug, Default)]
pub(super) struct RequestMarks {
    marks: Vec<Place>,
    /// True if what stands before the messages is as in the request before.
    pub(super) same_beginning: bool,
    /// What they find in the run as it was recorded.
    pub(super) as_ran: Found,
}

/// Where one mark stands.
#[derive(Clone, Copy, Debug)]
struct Place {
    at: At,
    blocks: u64,
    hour: bool,
}

#[derive(Clone, Copy, Debug)]
enum At {
    /// So many tokens, before the messages.
    Before(u64),
    /// At an offset of the stretch.
    Offset(u64),
    /// At the end of the request.
    End,
}

impl RequestMarks {
    /// The marks, in tokens of a request of `after` tokens; `position` tells where an offset of the stretch stands in it.
    pub(super) fn in_tokens(&self, after: u64, end: u64, position: impl Fn(u64) -> u64) -> Marks {
        let mut marks = Marks::default();
        for place in &self.marks {
            let (offset, tokens) = match place.at {
                At::Before(tokens) => (0, tokens),
                At::Offset(offset) => (offset, position(offset)),
                At::End => (end, after),
            };
            marks.push(Mark { offset, tokens: tokens.min(after), blocks: place.blocks, hour: place.hour });
        }
        marks
    }

    /// True if what it writes behind everything else lives for an hour.
    pub(super) fn writes_for_an_hour(&self) -> Option<bool> {
        self.marks.last().map(|place| place.hour)
    }
}

impl Prepared {
    /// With the marks for the cache that requests were sent with, by request; `None` where they are not known.
    #[must_use]
    pub fn with_marks<'m>(
        mut self,
        transcript: &Transcript,
        weights: &Weights,
        marks: impl IntoIterator<Item = Option<&'m [CacheMark]>>,
    ) -> Self {
        let mut entries = Entries::default();
        let models = Models::builtin();
        let cacheable = |model: Option<usize>| {
            let facts = model.and_then(|model| models.get(self.models.get(model)?));
            facts.map_or(CACHEABLE_WHEN_UNKNOWN, |facts| facts.cacheable)
        };
        for (index, marks) in marks.into_iter().enumerate().take(self.requests.len()) {
            let (Some(marks), Some(request)) = (marks, transcript.requests.get(index)) else {
                entries.clear();
                continue;
            };
            let facts = &self.requests[index];
            let stretch = &self.stretches[facts.stretch];
            let preamble = request.preamble.and_then(|preamble| weights.preambles.get(preamble));
            let tools = preamble.map_or(0, |preamble| preamble.tools).min(stretch.base);
            let places = marks.iter().map(|mark| place(mark, facts, stretch, tools)).collect();
            let previous = index.checked_sub(1).map(|previous| &transcript.requests[previous]);
            let same_beginning = previous.is_some_and(|previous| previous.preamble == request.preamble);
            let mut of = RequestMarks { marks: places, same_beginning, as_ran: Found::default() };
            let in_tokens =
                of.in_tokens(facts.before, stretch.end(facts), |offset| stretch.base.saturating_add(offset));
            let unchanged = same_beginning.then(|| {
                let before = index.checked_sub(1).map(|previous| &self.requests[previous]);
                stretch.shared_offset(before, facts)
            });
            let asking =
                Asking { model: facts.model, at: facts.at, life: None, cacheable: cacheable(facts.model) };
            of.as_ran = entries.find(&in_tokens, unchanged, &asking);
            entries.made(&in_tokens, unchanged, &asking);
            self.requests[index].marks = Some(of);
        }
        self
    }
}

impl Stretch {
    /// How far the messages of a request are those of the one before, as an offset.
    pub(super) fn shared_offset(&self, previous: Option<&RequestFacts>, facts: &RequestFacts) -> u64 {
        match previous {
            None => 0,
            Some(previous) if facts.shared >= previous.upto => u64::MAX,
            Some(_) => self.tokens(0, facts.shared),
        }
    }

    /// The end of a request, as an offset.
    pub(super) fn end(&self, facts: &RequestFacts) -> u64 {
        self.tokens(0, facts.upto)
    }
}

fn place(mark: &CacheMark, facts: &RequestFacts, stretch: &Stretch, tools: u64) -> Place {
    let part = |tokens: u64| {
        let (upto, all) = mark.upto;
        if upto >= all {
            return tokens;
        }
        u64::try_from(u128::from(tokens) * u128::from(upto) / u128::from(all)).unwrap_or(tokens)
    };
    let at = match mark.part {
        CachePart::Tools => At::Before(part(tools)),
        CachePart::System => At::Before(tools + part(stretch.base - tools)),
        CachePart::Message(message) if message + 1 == facts.upto && mark.upto.0 >= mark.upto.1 => At::End,
        CachePart::Message(message) => {
            let of_message = stretch.tokens(message, message + 1);
            At::Offset(stretch.tokens(0, message).saturating_add(part(of_message)))
        }
    };
    Place { at, blocks: mark.blocks, hour: mark.hour }
}

#[cfg(test)]
mod tests {
    use super::super::story::{BASE, Story, rounds};
    use super::super::{Options, simulate};
    use super::*;
    use crate::outcome::Outcome;
    use crate::settings::Setting;
    use serde_json::{Value, json};

    const MODEL: &str = "claude-opus-5";

    /// A mark at the end of the system prompt, as block 2, and one at the end of the last message.
    fn marks(story: &Story, system_for_an_hour: bool) -> Vec<Vec<CacheMark>> {
        let blocks = |request: usize| -> u64 {
            let request = &story.transcript.requests[request];
            story.transcript.sent(request).map(|(_, message)| message.blocks.len() as u64).sum()
        };
        let each = |index: usize| {
            let last = story.transcript.requests[index].upto - 1;
            vec![
                CacheMark { part: CachePart::System, upto: (7, 7), blocks: 2, hour: system_for_an_hour },
                CacheMark {
                    part: CachePart::Message(last),
                    upto: (0, 0),
                    blocks: 2 + blocks(index),
                    hour: false,
                },
            ]
        };
        (0..story.transcript.requests.len()).map(each).collect()
    }

    fn under(story: &Story, marks: &[Vec<CacheMark>], value: &Value) -> Outcome {
        let marks = marks.iter().map(|marks| Some(marks.as_slice()));
        let prepared = story.prepared().with_marks(&story.transcript, &story.weights, marks);
        simulate(&prepared, &Setting::from_json(value).expect("a setting"), &Options::default())
    }

    fn clear(trigger: u64, least: u64) -> Value {
        json!({"edits": [{"type": "clear_tool_uses_20250919", "trigger": {"type": "input_tokens", "value": trigger},
            "keep": {"type": "tool_uses", "value": 1}, "clear_at_least": {"type": "input_tokens", "value": least}}]})
    }

    fn reads(outcome: &Outcome) -> Vec<u64> {
        outcome.requests.iter().map(|request| request.cache_read).collect()
    }

    #[test]
    fn what_ran_is_the_baseline() {
        let story = rounds(MODEL, 8, 200);
        let outcome = under(&story, &marks(&story, false), &json!({}));
        let recorded: Vec<u64> = story
            .transcript
            .requests
            .iter()
            .map(|request| request.usage.as_ref().map_or(0, |usage| usage.cache_read))
            .collect();
        assert_eq!(reads(&outcome), recorded);
    }

    #[test]
    fn a_clearing_leaves_what_ends_at_a_mark_before_it() {
        let story = rounds(MODEL, 40, 200);
        let setting = clear(6_000, 3_000);
        let outcome = under(&story, &marks(&story, false), &setting);
        let newly: Vec<bool> =
            outcome.requests.iter().map(|request| !request.newly_cleared.is_empty()).collect();
        assert!(newly.contains(&true) && newly.contains(&false));
        for (index, cleared) in newly.into_iter().enumerate().skip(1) {
            let request = &outcome.requests[index];
            let expected = if cleared { BASE } else { outcome.requests[index - 1].after };
            assert_eq!(request.cache_read, expected, "request {index}");
            assert_eq!(request.cache_read + request.cache_write + request.uncached, request.after);
        }
        // Without the marks it would have been taken to read up to what was cleared.
        let unmarked = Setting::from_json(&setting).expect("a setting");
        let unmarked = simulate(&story.prepared(), &unmarked, &Options::default());
        assert!(reads(&unmarked).iter().sum::<u64>() > reads(&outcome).iter().sum::<u64>());
        // The end of the first request stands before the first result, and is near enough to be found.
        let short = rounds(MODEL, 8, 200);
        let outcome = under(&short, &marks(&short, false), &clear(1_000, 500));
        let first =
            outcome.requests.iter().find(|request| !request.newly_cleared.is_empty()).expect("a clearing");
        assert_eq!(first.cache_read, 1_105);
    }

    /// A run that was edited while it was recorded: the setting in force is what ran, and another is compared with it.
    #[test]
    fn the_setting_that_was_in_force_is_what_ran() {
        let mut story = rounds(MODEL, 8, 200);
        let setting = clear(2_000, 0);
        let forecast = under(&story, &marks(&story, false), &setting);
        for (index, request) in forecast.requests.iter().enumerate() {
            let freed: u64 = request.applied_edits.iter().map(|edit| edit.cleared_input_tokens).sum();
            // The server counts a little otherwise than this program.
            let freed = freed + freed / 50;
            let recorded = &mut story.transcript.requests[index];
            let mut edits = request.applied_edits.clone();
            edits.iter_mut().for_each(|edit| edit.cleared_input_tokens = freed);
            recorded.applied_edits = Some(edits);
            let usage = recorded.usage.as_mut().expect("usage");
            (usage.cache_read, usage.cache_creation) = (700, story.weights.contexts[index] - freed - 700);
            story.weights.contexts[index] -= freed;
        }
        let ran = under(&story, &marks(&story, false), &setting);
        assert!(ran.requests.iter().any(|request| request.cleared_tool_uses > 0));
        for (index, request) in ran.requests.iter().enumerate() {
            assert_eq!(request.after, story.weights.contexts[index], "request {index}");
            assert_eq!(request.cache_read, 700, "request {index}");
            assert_eq!(request.cache_read + request.cache_write + request.uncached, request.after);
        }
        let without = under(&story, &marks(&story, false), &json!({}));
        for (request, ran) in without.requests.iter().zip(&ran.requests) {
            assert!(request.after >= ran.after);
            assert_eq!(request.cache_read + request.cache_write + request.uncached, request.after);
        }
        assert!(without.totals.input > ran.totals.input);
    }

    /// A server that cleared otherwise than is forecast: what ran is what was recorded all the same.
    #[test]
    fn what_ran_is_what_was_recorded_whatever_the_forecast_is() {
        let mut story = rounds(MODEL, 8, 200);
        let setting = Setting::from_json(&clear(2_000, 0)).expect("a setting");
        for (index, recorded) in story.transcript.requests.iter_mut().enumerate().skip(6) {
            recorded.applied_edits = Some(vec![retrace_transcript::AppliedEdit {
                edit: "clear_tool_uses_20250919".to_owned(),
                cleared_tool_uses: Some(1),
                cleared_thinking_turns: None,
                cleared_input_tokens: 90,
            }]);
            story.weights.contexts[index] -= 90;
        }
        let ran = Options { as_ran: true, ..Options::default() };
        let outcome = simulate(&story.prepared(), &setting, &ran);
        let contexts: Vec<u64> = outcome.requests.iter().map(|request| request.after).collect();
        assert_eq!(contexts, story.weights.contexts);
        let forecast = simulate(&story.prepared(), &setting, &Options::default());
        assert!(forecast.totals.input < outcome.totals.input, "the forecast clears more");
        assert_eq!(outcome.totals.peak, *story.weights.contexts.iter().max().expect("requests"));
    }

    #[test]
    fn where_nothing_is_recorded_each_mark_looks_back_over_twenty_blocks() {
        let wide: Vec<String> = (0..10).map(|call| format!("w{call}")).collect();
        let calls: Vec<(&str, &str)> = wide.iter().map(|id| (id.as_str(), "read")).collect();
        let results: Vec<(&str, usize)> = wide.iter().map(|id| (id.as_str(), 100)).collect();
        let narrow = rounds(MODEL, 3, 200).unrecorded();
        let outcome = under(&narrow, &marks(&narrow, false), &json!({}));
        assert_eq!(reads(&outcome)[1..], [1_105, 1_335, 1_565], "all that was sent before");
        // Ten calls and ten results are twenty blocks: the end of the request before is one too far.
        let story = Story::new(MODEL).typed(100).calls(0, &calls).results(&results).says(5).unrecorded();
        let outcome = under(&story, &marks(&story, false), &json!({}));
        assert_eq!(reads(&outcome)[1], BASE);
        let story =
            Story::new(MODEL).typed(100).calls(0, &calls[1..]).results(&results[1..]).says(5).unrecorded();
        let outcome = under(&story, &marks(&story, false), &json!({}));
        assert_eq!(reads(&outcome)[1], 1_105);
    }

    #[test]
    fn each_mark_lives_as_long_as_it_says() {
        let story = || {
            let before = Story::new(MODEL).typed(100).calls(0, &[("a", "read")]).results(&[("a", 200)]);
            before.minutes(10).says(5).unrecorded()
        };
        assert_eq!(reads(&under(&story(), &marks(&story(), true), &json!({})))[1], BASE);
        assert_eq!(reads(&under(&story(), &marks(&story(), false), &json!({})))[1], 0);
        let options = Options { cache_life: Some(crate::cache::CacheLife::Hour1), ..Options::default() };
        let (story, of) = (story(), marks(&story(), false));
        let of = of.iter().map(|marks| Some(marks.as_slice()));
        let prepared = story.prepared().with_marks(&story.transcript, &story.weights, of);
        let setting = Setting::from_json(&json!({})).expect("a setting");
        assert_eq!(reads(&simulate(&prepared, &setting, &options))[1], 1_105);
    }

    #[test]
    fn another_system_prompt_reads_nothing() {
        let mut story = rounds(MODEL, 2, 200).unrecorded();
        story.transcript.requests[2].preamble = Some(1);
        let outcome = under(&story, &marks(&story, false), &json!({}));
        assert!(reads(&outcome)[1] > 0);
        assert_eq!(reads(&outcome)[2], 0);
        assert_eq!(outcome.requests[2].cache_write, outcome.requests[2].after);
    }
}
