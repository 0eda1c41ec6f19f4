//! Usage as the Messages API writes it.

use crate::lenient::{Count, List, Text, lenient_object};
use crate::{Iteration, Usage};

lenient_object! {
    /// `usage` of a response.
    pub(crate) struct RawUsage<'a> {
        input: Count = "input_tokens",
        cache_creation: Count = "cache_creation_input_tokens",
        cache_read: Count = "cache_read_input_tokens",
        output: Count = "output_tokens",
        split: RawCacheCreation<'a> = "cache_creation",
        tier: Text<'a> = "service_tier",
        speed: Text<'a> = "speed",
        server_tools: RawServerTools<'a> = "server_tool_use",
        iterations: List<RawIteration<'a>> = "iterations",
    }
}

lenient_object! {
    pub(crate) struct RawCacheCreation<'a> {
        five_minutes: Count = "ephemeral_5m_input_tokens",
        one_hour: Count = "ephemeral_1h_input_tokens",
    }
}

lenient_object! {
    pub(crate) struct RawServerTools<'a> {
        web_searches: Count = "web_search_requests",
    }
}

lenient_object! {
    pub(crate) struct RawIteration<'a> {
        kind: Text<'a> = "type",
        input: Count = "input_tokens",
        cache_creation: Count = "cache_creation_input_tokens",
        cache_read: Count = "cache_read_input_tokens",
        output: Count = "output_tokens",
    }
}

impl RawUsage<'_> {
    /// True if any figure is there and not 0: an object without one is no usage. Every response has input and output; Claude Code
    /// writes 0 for all of an answer that it copies behind a compaction, and leaves the split as it was (2.1.330).
    pub(crate) fn is_recorded(&self) -> bool {
        [self.input, self.cache_creation, self.cache_read, self.output]
            .iter()
            .any(|count| count.or_zero() > 0)
    }

    /// Input written to the cache. Before 2.1.152 the total could be 0 where only the split was reported
    /// (transcripts.md, 3.1). 0 where nothing is recorded.
    pub(crate) fn cache_creation(&self) -> u64 {
        if !self.is_recorded() {
            return 0;
        }
        let split = self.split.five_minutes.or_zero().saturating_add(self.split.one_hour.or_zero());
        self.cache_creation.or_zero().max(split)
    }

    pub(crate) fn into_usage(self) -> Usage {
        Usage {
            input: self.input.or_zero(),
            cache_creation: self.cache_creation(),
            cache_creation_5m: self.split.five_minutes.0,
            cache_creation_1h: self.split.one_hour.0,
            cache_read: self.cache_read.or_zero(),
            output: self.output.or_zero(),
            reasoning: None,
            iterations: self.iterations.0.into_iter().map(RawIteration::into_iteration).collect(),
            service_tier: self.tier.into_string(),
            speed: self.speed.into_string(),
            web_searches: self.server_tools.web_searches.or_zero(),
        }
    }
}

impl RawIteration<'_> {
    fn into_iteration(self) -> Iteration {
        Iteration {
            kind: self.kind.into_string().unwrap_or_default(),
            input: self.input.or_zero(),
            cache_creation: self.cache_creation.or_zero(),
            cache_read: self.cache_read.or_zero(),
            output: self.output.or_zero(),
        }
    }
}

/// The field-wise maximum, as the lines of one response repeat its usage while the output grows.
pub(crate) fn raise_to(known: &mut Usage, other: Usage) {
    known.input = known.input.max(other.input);
    known.cache_creation = known.cache_creation.max(other.cache_creation);
    known.cache_creation_5m = known.cache_creation_5m.max(other.cache_creation_5m);
    known.cache_creation_1h = known.cache_creation_1h.max(other.cache_creation_1h);
    known.cache_read = known.cache_read.max(other.cache_read);
    known.output = known.output.max(other.output);
    known.reasoning = known.reasoning.max(other.reasoning);
    known.web_searches = known.web_searches.max(other.web_searches);
    let output =
        |iterations: &[Iteration]| iterations.iter().map(|one| one.output).fold(0, u64::saturating_add);
    if (other.iterations.len(), output(&other.iterations))
        > (known.iterations.len(), output(&known.iterations))
    {
        known.iterations = other.iterations;
    }
    known.speed = known.speed.take().or(other.speed);
    known.service_tier = known.service_tier.take().or(other.service_tier);
}
