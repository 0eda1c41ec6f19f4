//! Closed lists of words, each with its printed form.

use retrace_message::AsMessage;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A word outside its list.
#[derive(Clone, Debug, PartialEq, Eq, Error, AsMessage)]
#[message("kind")]
#[error("{word:?} is not one of: {known}")]
pub struct UnknownWord {
    /// The given word.
    pub word: String,
    /// The list, separated by commas.
    pub known: String,
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$variant_doc])* $variant,)+ }

        impl $name {
            /// Every value, in the order of the list.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The printed form, as it stands in JSON and in the database.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl FromStr for $name {
            type Err = UnknownWord;

            fn from_str(text: &str) -> Result<Self, UnknownWord> {
                Self::ALL.iter().copied().find(|value| value.as_str() == text).ok_or_else(|| UnknownWord {
                    word: text.to_owned(),
                    known: [$($word),+].join(", "),
                })
            }
        }
    };
}

words! {
    /// Whose memory a store holds, which decides how it is read and shown.
    StoreKind {
        /// Claude Code auto memory, its team folder included.
        ClaudeAuto = "claude-auto",
        /// Claude Code subagent memory.
        ClaudeAgent = "claude-agent",
        /// A directory the Anthropic memory tool shows to a model as `/memories`.
        MemoryTool = "memory-tool",
        /// Codex memories.
        Codex = "codex",
        /// Gemini CLI memory.
        Gemini = "gemini",
        /// Letta Code MemFS.
        Letta = "letta",
        /// OpenClaw workspace memory.
        Openclaw = "openclaw",
        /// Basic Memory project.
        BasicMemory = "basic-memory",
        /// VS Code Copilot memory tool.
        Copilot = "copilot",
        /// Cline memory bank.
        Cline = "cline",
        /// Any other directory of files.
        Plain = "plain",
        /// A hosted memory store.
        Remote = "remote",
    }
}

words! {
    /// State of a store. A state is shown to the user, not written to a log file.
    StoreState {
        /// Changes are recorded whenever a recorder runs.
        Recording = "recording",
        /// The user asked not to record it for now.
        Paused = "paused",
        /// Its directory is not there.
        Missing = "missing",
        /// Another directory stands at its path: nothing in it is read or written before a person says that it is the store's.
        Moved = "moved",
        /// Its directory, or part of it, may not be read.
        Denied = "denied",
        /// Recorded, but not in full or not at once: a watch limit, a file over the size cap, a failing read.
        Limited = "limited",
    }
}

words! {
    /// Change of a memory by a version.
    VersionOperation {
        /// The memory came to be.
        Created = "created",
        /// Its content, its path or both changed.
        Modified = "modified",
        /// The memory is gone.
        Deleted = "deleted",
    }
}

words! {
    /// A person's decision in an act of review.
    Verdict {
        /// The memory is right as it stands.
        Approved = "approved",
        /// The memory is right as the person rewrote it.
        Edited = "edited",
        /// The memory was wrong and was put back to what was known before.
        Rejected = "rejected",
        /// Everything recorded up to some point is known.
        UpTo = "up_to",
        /// The person changed the memory with an act of their own, so they know it.
        Own = "own",
        /// An earlier act of review does not count any more.
        Undone = "undone",
    }
}

words! {
    /// Cause of an operation.
    Source {
        /// A scan of the directory.
        Scan = "scan",
        /// A rollback, or the undo of an act.
        Rollback = "rollback",
        /// A restore of a whole directory.
        Restore = "restore",
        /// A redaction.
        Redact = "redact",
        /// A call of the Memory Stores API, or a person who wrote the text through Retrace.
        Api = "api",
        /// A call of the memory tool.
        Tool = "tool",
        /// Content brought in from elsewhere.
        Import = "import",
        /// History rebuilt from transcripts and the like.
        Rebuilt = "rebuilt",
    }
}
