//! What each block weighs, in tokens.

/// How a figure was come by. Every figure that is shown carries its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The API reported it when the call was made.
    Recorded,
    /// `count_tokens` answered it.
    Exact,
    /// Counted here, offline.
    Counted,
    /// Estimated; the true figure is believed to lie within the range, ends included.
    Estimated {
        /// Lower end.
        low: u64,
        /// Upper end.
        high: u64,
    },
}

/// What one block weighs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockWeight {
    /// Tokens of what an edit can take away: a result's content, a call's input, the text of thinking; for other blocks
    /// all of their text.
    pub content: u64,
    /// Tokens around it that stay when the content goes: the frame of a call and its result, the tool's name.
    pub frame: u64,
}

impl BlockWeight {
    /// Both together.
    #[must_use]
    pub const fn total(self) -> u64 {
        self.content + self.frame
    }
}

/// What a preamble weighs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PreambleWeight {
    /// Tokens of the system prompt.
    pub system: u64,
    /// Tokens of the tools' definitions.
    pub tools: u64,
}

/// What everything in a transcript weighs.
#[derive(Clone, Debug)]
pub struct Weights {
    /// Name of the tokenizer family that was used.
    pub family: &'static str,
    /// Whether the family was assumed because the model is not known.
    pub family_assumed: bool,
    /// By message, then by block: the shape of `Transcript::messages`.
    pub messages: Vec<Vec<BlockWeight>>,
    /// By preamble: the shape of `Transcript::preambles`.
    pub preambles: Vec<PreambleWeight>,
    /// By request: size of its context. As recorded where it is recorded, else the sum of what it sent.
    pub contexts: Vec<u64>,
    /// By request: the sum of what it sent, as weighed here.
    pub weighed: Vec<u64>,
    /// By request: whether `contexts` is recorded or summed up.
    pub bases: Vec<Basis>,
    /// Tokens of the text that a cleared result is replaced by.
    pub placeholder: u64,
}
