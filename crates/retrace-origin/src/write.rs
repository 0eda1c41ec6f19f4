//! Effect of a call on a file, and who called.

use crate::patch::FilePatch;
use retrace_model::Timestamp;
use retrace_transcript::{Format, MessageIndex};
use std::sync::Arc;

/// One change to one file by one call. A call that changes several files is several writes.
#[derive(Clone, Debug, PartialEq)]
pub struct Write {
    /// The file: absolute where the call or its directory tell, with `/` between parts and without `.` and `..`. A path
    /// below the person's home that only the shell could resolve begins with `~/`; one of the memory tool with `/memories`.
    pub path: String,
    /// The path as the call names it.
    pub named: String,
    /// Its effect.
    pub effect: Effect,
    /// Facts about the file in the answer, beyond the call.
    pub reported: Reported,
    /// Format of the transcript, which says whose tool it is.
    pub format: Format,
    /// Name of the tool.
    pub tool: String,
    /// Id of the call.
    pub tool_use_id: Option<String>,
    /// Number of the write within its line, from 0: mostly within its call, since few lines hold several.
    pub part: usize,
    /// Line of the call in the transcript, from 1; 0 where a file is not made of lines.
    pub line: u32,
    /// When the call was written.
    pub at: Option<Timestamp>,
    /// When its answer was written.
    pub answered_at: Option<Timestamp>,
    /// Conversation of the file: 0 is the main one, others are inside it (sidechains).
    pub conversation: usize,
    /// The message that holds the call.
    pub message: MessageIndex,
    /// The block of the message.
    pub block: usize,
    /// The turn: the call of the model that asked for it, from 1 within its conversation, as the Context lab counts.
    pub turn: Option<u64>,
    /// The model.
    pub model: Option<String>,
    /// The session's id, as the transcript gives it.
    pub session: Option<String>,
    /// Who in the session.
    pub role: Role,
    /// Id of the subagent, where one wrote.
    pub agent: Option<String>,
    /// Success of the call. `None` where no answer is there or it does not say.
    pub succeeded: Option<bool>,
    /// True of a command that failed by its own exit code: it was carried out, up to what failed.
    pub was_run: bool,
    /// Prompt before it.
    pub prompt: Option<Prompt>,
    /// True if it may not have been carried out though its call succeeded: it stands in a branch or a loop of a shell
    /// command, or behind one that may have failed.
    pub conditional: bool,
}

/// [`Write::tool`] of what a session says a background extraction of it wrote. No call stands behind it: what it did is
/// [`Effect::Unparsed`], it was done by [`Write::answered_at`], and since when is not told.
pub const MEMORY_SAVED: &str = "memory_saved";

impl Write {
    /// True if it is what a session says of a background extraction, rather than a call.
    #[must_use]
    pub fn is_saying(&self) -> bool {
        self.tool == MEMORY_SAVED
    }
}

/// Prompt before a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// The message.
    pub message: MessageIndex,
    /// Its text, whole.
    pub text: Arc<str>,
}

/// Who in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The agent a person talks to.
    Main,
    /// One it started.
    Subagent,
    /// One the client runs by itself, such as an extraction of memories.
    Background,
}

impl Role {
    /// The printed form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Subagent => "subagent",
            Self::Background => "background",
        }
    }
}

/// Effect of a call on its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The file has these bytes then.
    Whole(Vec<u8>),
    /// These bytes are put after what is there; a file that is not there is made.
    Append(Vec<u8>),
    /// One replacement.
    Edit(Replacement),
    /// Several, one after another, all or none.
    MultiEdit(Vec<Replacement>),
    /// A text is put after line `line`; 0 is the top.
    Insert {
        /// The line.
        line: u64,
        /// The text.
        text: String,
    },
    /// The file, or the directory with all below it, is gone.
    Delete,
    /// The file is at another path, with its content.
    Rename {
        /// The new path, resolved.
        to: String,
    },
    /// The file has the content of another one.
    Copy {
        /// The old path, resolved.
        from: String,
    },
    /// Every line is changed by these, one after another, as `sed` does.
    Lines(Vec<LineEdit>),
    /// A patch as Codex writes them.
    Patch(FilePatch),
    /// The file is named by a command that may write, and what it does is not known.
    Unparsed,
}

/// A change of lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineEdit {
    /// In each line, a text becomes another one.
    Replace {
        /// Text that is replaced.
        old: String,
        /// By what.
        new: String,
        /// Every occurrence in a line rather than the first.
        all: bool,
    },
    /// The line of this number is gone, counted from 1 in the file as it was.
    Delete(u64),
    /// Lines that hold this text are gone.
    DeleteWith(String),
}

/// A replacement of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// Text that is replaced.
    pub old: String,
    /// By what.
    pub new: String,
    /// Every occurrence. Without it, a text that stands twice is not replaced at all.
    pub all: bool,
}

/// Facts about the file in a call's answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reported {
    /// The content before, with line feeds alone between lines.
    pub before: Option<String>,
    /// True if there was no file before.
    pub was_absent: bool,
    /// The content after, where it can be told without the file.
    pub after: Option<String>,
    /// A person changed the model's proposal before it was written.
    pub changed_by_person: bool,
}

/// A call whose answer shows the content of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// The file, as in [`Write::path`].
    pub path: String,
    /// Shown text, without line numbers.
    pub text: String,
    /// True if it is all of the file.
    pub is_whole: bool,
    /// True if the text ends as the file does. Numbered lines do not say whether the last one ends with a line feed.
    pub end_is_known: bool,
    /// First line shown, from 1.
    pub first_line: u64,
    /// Name of the tool.
    pub tool: String,
    /// Id of the call.
    pub tool_use_id: Option<String>,
    /// Line of the answer in the transcript, from 1; 0 where a file is not made of lines.
    pub line: u32,
    /// When it was answered.
    pub at: Option<Timestamp>,
    /// Conversation of the file.
    pub conversation: usize,
    /// The turn that asked for it, as in [`Write::turn`].
    pub turn: Option<u64>,
    /// The session's id.
    pub session: Option<String>,
}
