//! Weight of each block, in tokens.

use crate::outcome::BlockAt;
use retrace_transcript::Request;

/// Basis of a figure. Every figure that is shown carries its own.
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

/// Weight of one block.
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

/// Weight of a preamble.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PreambleWeight {
    /// Tokens of the system prompt, memory and instruction files in it included.
    pub system: u64,
    /// Tokens of the tools' definitions.
    pub tools: u64,
}

/// Class of a standing text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileClass {
    /// Instructions a person wrote: CLAUDE.md, AGENTS.md, rules.
    Instructions,
    /// Memory of an agent: MEMORY.md and the files of a memory directory.
    Memory,
}

/// Way a file came into the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileSource {
    /// In an attachment that names it, or put by the client behind the result of a tool. Its tokens are of the class `instructions` or `memory`.
    Attached,
    /// Under a heading within a text, such as `Contents of PATH`, or in the system prompt. Its tokens are of the class `instructions` or `memory`, and no
    /// longer of the text.
    Embedded,
    /// As the result of a tool that the model called. Its tokens stay in the class `tool_results`, because an edit clears
    /// them as a result and because the results by tool must add up; the file is listed beside it.
    ReadByTool,
}

/// Weight of a memory or instruction file where it stands in a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileWeight {
    /// The block that carries it.
    pub at: BlockAt,
    /// Its path as recorded.
    pub path: String,
    /// Instructions or memory.
    pub class: FileClass,
    /// Way it came in.
    pub source: FileSource,
    /// Tokens of its content; a part of the block's.
    pub tokens: u64,
    /// True if it is a part of the file: some of its lines were asked for.
    pub partial: bool,
}

/// A memory or instruction file that stands in a system prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptFile {
    /// Its path as recorded.
    pub path: String,
    /// Instructions or memory.
    pub class: FileClass,
    /// Tokens of its content; a part of the system prompt's.
    pub tokens: u64,
    /// True if it says that it was cut.
    pub partial: bool,
}

/// What was counted of a preamble.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PreambleCount {
    /// Its weight.
    pub weight: PreambleWeight,
    /// Tokens of each of its tools.
    pub tools: Vec<u64>,
    /// Memory and instruction files in its system prompt.
    pub files: Vec<PromptFile>,
}

/// A block whose weight is estimated, and the range its content is believed to lie in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Margin {
    /// The block.
    pub at: BlockAt,
    /// Least tokens of its content.
    pub low: u64,
    /// Most tokens of its content.
    pub high: u64,
}

impl Weights {
    /// Memory and instruction files in the system prompt of a request.
    pub(crate) fn in_prompt(&self, request: &Request) -> &[PromptFile] {
        request.preamble.and_then(|preamble| self.prompt_files.get(preamble)).map_or(&[], Vec::as_slice)
    }

    /// The request with the largest context, the first of equal ones: of those whose context is recorded, or of all where none
    /// is. What is only counted may leave out or count too much, and would hide the largest that is certain.
    #[must_use]
    pub fn peak(&self) -> Option<usize> {
        let recorded = self.bases.contains(&Basis::Recorded);
        (0..self.contexts.len())
            .filter(|&request| !recorded || self.bases.get(request) == Some(&Basis::Recorded))
            .max_by_key(|&request| (self.contexts[request], std::cmp::Reverse(request)))
    }
}

/// Weights of everything in a transcript.
#[derive(Clone, Debug, Default)]
pub struct Weights {
    /// Name of the tokenizer family that was used.
    pub family: &'static str,
    /// True if the family was assumed because the model is not known.
    pub family_assumed: bool,
    /// By message, then by block: the shape of `Transcript::messages`.
    pub messages: Vec<Vec<BlockWeight>>,
    /// By preamble: the shape of `Transcript::preambles`.
    pub preambles: Vec<PreambleWeight>,
    /// By preamble, then by tool: tokens of its definition.
    pub tools: Vec<Vec<u64>>,
    /// By preamble: memory and instruction files in its system prompt.
    pub prompt_files: Vec<Vec<PromptFile>>,
    /// By request: size of its context. As recorded where it is recorded, else the sum of what it sent.
    pub contexts: Vec<u64>,
    /// By request: the sum of what it sent, as weighed here.
    pub weighed: Vec<u64>,
    /// By request: whether `contexts` is recorded or summed up.
    pub bases: Vec<Basis>,
    /// Tokens of the text that a cleared result is replaced by.
    pub placeholder: u64,
    /// Tokens of what the client left in place of a result that it dropped itself (`Segment::dropped_results`).
    pub dropped_result: u64,
    /// Memory and instruction files, in the order of the blocks that carry them.
    pub files: Vec<FileWeight>,
    /// Blocks whose weight is estimated, in order. All others are counted.
    pub margins: Vec<Margin>,
}
