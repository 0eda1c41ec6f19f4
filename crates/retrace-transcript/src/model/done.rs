//! Changes that the client says were carried out, beside the calls that asked for them.

use retrace_model::Timestamp;

/// One thing a client carried out for a call of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// Id of the call ([`BlockKind::ToolUse`](crate::BlockKind::ToolUse)) it was done for. A call that is code does several.
    pub call: String,
    /// Line of the file that says so, from 1; 0 where a file is not made of lines.
    pub line: u32,
    /// When it was done.
    pub at: Option<Timestamp>,
    /// Success, where it is said.
    pub succeeded: Option<bool>,
    /// What a command that was run ended with, where it is said.
    pub exit_code: Option<i64>,
    /// What was done.
    pub what: DoneWhat,
}

/// What a client carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DoneWhat {
    /// Files were changed, in the order the client names them.
    Files(Vec<DoneFile>),
    /// A command ran.
    Command {
        /// Program and arguments.
        command: Vec<String>,
        /// Directory it ran in.
        directory: Option<String>,
    },
}

/// One changed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DoneFile {
    /// Its path as recorded.
    pub path: String,
    /// Its change.
    pub change: DoneChange,
}

/// Change of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DoneChange {
    /// The file has this content now.
    Written {
        /// Content before, where it is recorded; empty too where there was no file.
        before: Option<String>,
        /// True if there was no file.
        created: bool,
        /// Content after.
        after: String,
    },
    /// The lines of a unified diff.
    Diff {
        /// The diff, from its first hunk.
        diff: String,
        /// Path the file moved to.
        moved_to: Option<String>,
    },
    /// The file is gone.
    Deleted,
}
