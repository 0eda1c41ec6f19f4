//! Usage as recorded.

/// The `speed` of fast mode.
pub(crate) const FAST: &str = "fast";

/// Tokens of one call as the API reported them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Input that was neither read from nor written to the cache.
    pub input: u64,
    /// Input written to the cache: the larger of the total and the sum of its two parts.
    pub cache_creation: u64,
    /// Of that, with a life of 5 minutes, where the split is told.
    pub cache_creation_5m: Option<u64>,
    /// Of that, with a life of 1 hour, where the split is told.
    pub cache_creation_1h: Option<u64>,
    /// Input read from the cache.
    pub cache_read: u64,
    /// Output.
    pub output: u64,
    /// Of the output, reasoning, where told (OpenAI formats).
    pub reasoning: Option<u64>,
    /// Sampling passes of the response, compactions among them.
    pub iterations: Vec<Iteration>,
    /// `service_tier` where told.
    pub service_tier: Option<String>,
    /// `speed` where told: `standard` or `fast`.
    pub speed: Option<String>,
    /// Searches the server made.
    pub web_searches: u64,
}

impl Usage {
    /// True if it was served in fast mode, which has prices of its own.
    #[must_use]
    pub fn is_fast(&self) -> bool {
        self.speed.as_deref() == Some(FAST)
    }

    /// Size of the request's context: the three kinds of input.
    #[must_use]
    pub const fn context(&self) -> u64 {
        self.input.saturating_add(self.cache_creation).saturating_add(self.cache_read)
    }
}

/// One entry of `usage.iterations`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Iteration {
    /// `message`, `compaction`, …
    pub kind: String,
    /// Uncached input.
    pub input: u64,
    /// Written to the cache.
    pub cache_creation: u64,
    /// Read from the cache.
    pub cache_read: u64,
    /// Output.
    pub output: u64,
}

/// One entry of `context_management.applied_edits`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AppliedEdit {
    /// Dated type, such as `clear_tool_uses_20250919`.
    pub edit: String,
    /// `cleared_tool_uses`, for edits that report it.
    pub cleared_tool_uses: Option<u64>,
    /// `cleared_thinking_turns`, for edits that report it.
    pub cleared_thinking_turns: Option<u64>,
    /// `cleared_input_tokens`.
    pub cleared_input_tokens: u64,
}
