//! Closed vocabularies of what a session, a redaction and an import answer.

use retrace_model::UnknownWord;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Deref;
use std::str::FromStr;
use ts_rs::TS;

vocabulary! {
    /// Act of a restore to a state from before the recording.
    RestoreAct {
        /// The memory is written as it stood.
        Write = "write",
        /// The memory goes: it was not there.
        Delete = "delete",
        /// It stays as it is: nothing is known of that time.
        Leave = "leave",
    }
}

vocabulary! {
    /// Kind of a place that holds what a redaction selects.
    RedactionPlace {
        /// A version of the log.
        Version = "version",
        /// A file of a store.
        Live = "live",
        /// A session's transcript.
        Transcript = "transcript",
        /// A text of the log beside its versions.
        Text = "text",
        /// A file of the data directory.
        File = "file",
        /// Another form of the same bytes, such as base64.
        Encoded = "encoded",
        /// A git repository.
        Git = "git",
        /// The client's copies of files it changed.
        FileHistory = "file_history",
        /// A bundle that this log wrote.
        Bundle = "bundle",
        /// A directory that this log exported to.
        Export = "export",
        /// Another worktree of the project.
        Worktree = "worktree",
        /// Another copy of the store.
        Store = "store",
    }
}

vocabulary! {
    /// Action of a redaction at a place.
    RedactionAction {
        /// The content of the version goes.
        RedactVersion = "redact_version",
        /// A marker takes the place of the bytes.
        ReplaceInPlace = "replace_in_place",
        /// None: the place is named with its remedy.
        Left = "left",
    }
}

vocabulary! {
    /// What took content out of a context.
    ContextEventKind {
        /// A summary took the place of what was said.
        Compaction = "compaction",
        /// The client dropped old results of tools.
        Microcompaction = "microcompaction",
        /// The person went back to an earlier message.
        Rewind = "rewind",
        /// The client sent another history.
        Replaced = "replaced",
        /// The API cleared content by the setting in force.
        ServerEdit = "server_edit",
    }
}

vocabulary! {
    /// Class of a file that a session carries.
    CarriedClass {
        /// An instruction file.
        Instructions = "instructions",
        /// A memory.
        Memory = "memory",
    }
}

vocabulary! {
    /// Reason for which a simulated run ends before its last request.
    StopCause {
        /// Each compaction makes the next one necessary.
        EndlessCompaction = "endless_compaction",
        /// The limit of iterations is reached.
        MaxIterations = "max_iterations",
        /// The API refuses the request.
        Refusal = "refusal",
    }
}

vocabulary! {
    /// Evidence that a cleared result was needed again.
    RegretRule {
        /// The same file is read again.
        ReadAgain = "read_again",
        /// The same command is run again.
        RunAgain = "run_again",
        /// The model quotes it.
        Quoted = "quoted",
        /// The model edits what it showed.
        EditedAgainst = "edited_against",
    }
}

vocabulary! {
    /// Role of a message.
    MessageRole {
        /// What the client sends for a person or a tool.
        User = "user",
        /// What the model answers.
        Assistant = "assistant",
        /// What the client or the API sets.
        System = "system",
    }
}

vocabulary! {
    /// Who or what a message comes from.
    MessageOrigin {
        /// A person.
        Typed = "typed",
        /// The model.
        Model = "model",
        /// Results of tools.
        ToolResults = "tool_results",
        /// The client.
        Client = "client",
        /// A compaction.
        Summary = "summary",
        /// The client, in the name of the model.
        Synthetic = "synthetic",
        /// The record does not say.
        Unsaid = "unsaid",
        /// System prompt of the request.
        SystemPrompt = "system_prompt",
        /// Tool definitions of the request.
        Tools = "tools",
    }
}

vocabulary! {
    /// Kind of a block of a request.
    TurnBlockKind {
        /// Text.
        Text = "text",
        /// Thinking.
        Thinking = "thinking",
        /// A call of a tool.
        ToolUse = "tool_use",
        /// The result of a call.
        ToolResult = "tool_result",
        /// An image.
        Image = "image",
        /// A document, such as a PDF.
        Document = "document",
        /// What the client put in.
        Attachment = "attachment",
        /// A summary of the API.
        Compaction = "compaction",
        /// A kind that is not known here.
        Unknown = "unknown",
        /// Definition of a tool.
        Tool = "tool",
    }
}

vocabulary! {
    /// Where an API key comes from.
    KeySource {
        /// A variable of the environment.
        Environment = "environment",
        /// The keyring of the desktop.
        Keyring = "keyring",
        /// The caller.
        Given = "given",
    }
}

vocabulary! {
    /// Reason for which a memory may have expired.
    ExpiryKind {
        /// No session loaded it for long.
        Unloaded = "unloaded",
        /// It is a log of a day long past.
        OldLog = "old_log",
        /// A date in it is past.
        DatePast = "date_past",
        /// Another memory says the same.
        Duplicate = "duplicate",
    }
}

vocabulary! {
    /// Limit of what is loaded of an index.
    IndexLimit {
        /// Lines.
        Lines = "lines",
        /// Bytes.
        Bytes = "bytes",
    }
}

vocabulary! {
    /// Selection of an approval of several items.
    ApprovalDirection {
        /// The versions of the request.
        Named = "named",
        /// What was recorded up to a point, and everything before it.
        UpTo = "up_to",
    }
}

vocabulary! {
    /// Reason for which a review leaves an item out.
    SkipReason {
        /// The memory changed since it was looked at.
        Stale = "stale",
        /// It is imported: it lies before what was recorded, where nothing is reviewed.
        Imported = "imported",
        /// It is reviewed already.
        AlreadyReviewed = "already_reviewed",
        /// It was not named alone, and has findings of severity error.
        Findings = "findings",
        /// What it would be put back to is redacted.
        BaseRedacted = "base_redacted",
        /// What it would be put back to was too large to be kept.
        BaseTooLarge = "base_too_large",
        /// It is too large to be kept, so that putting it back would lose it.
        TooLarge = "too_large",
    }
}

vocabulary! {
    /// Reason for which an act leaves everything as it is.
    ConflictReason {
        /// The file is not what the act expects. What it is now is recorded, so that the act can be looked at again and repeated.
        Changed = "changed",
        /// The memory was changed again after what the act would take back; repeating it does not help.
        ChangedSince = "changed_since",
        /// Another memory stands where the act would write.
        PathTaken = "path_taken",
        /// Something that is no file stands where the act would write, or on the way there.
        InTheWay = "in_the_way",
        /// The system refused to write there: rights, room, or the disk itself.
        NotWritten = "not_written",
        /// A change of the memory waits for its host, or was overtaken there.
        Queue = "queue",
        /// The store is off the list.
        StoreRemoved = "store_removed",
    }
}

vocabulary! {
    /// Confidence in who wrote a version.
    OriginConfidence {
        /// The writer said so.
        Stated = "stated",
        /// A write of a transcript gives exactly these bytes.
        ExactContent = "exact_content",
        /// Path and time fit, the content in part.
        Likely = "likely",
        /// The file names the session and nothing else fits.
        FrontMatter = "front_matter",
        /// A session was at work on the path's project then.
        TimeOnly = "time_only",
        /// Nothing is known.
        Unknown = "unknown",
    }
}

vocabulary! {
    /// Who in a session wrote.
    OriginRole {
        /// The session itself.
        Main = "main",
        /// A subagent.
        Subagent = "subagent",
        /// An extraction that the agent runs by itself.
        Background = "background",
    }
}

vocabulary! {
    /// Kind of a message around a write.
    OriginBlockKind {
        /// Text.
        Text = "text",
        /// Thinking.
        Thinking = "thinking",
        /// A call of a tool.
        ToolUse = "tool_use",
        /// The result of a call.
        ToolResult = "tool_result",
        /// Anything else.
        Other = "other",
    }
}

vocabulary! {
    /// Source of a history that is brought in.
    ImportSource {
        /// A git repository.
        Git = "git",
        /// Transcripts of sessions.
        Transcripts = "transcripts",
        /// A bundle of another log.
        Bundle = "bundle",
    }
}

vocabulary! {
    /// Form of an exported store.
    ExportKind {
        /// Its files as they were.
        Files = "files",
        /// Its whole history in one file.
        Bundle = "bundle",
    }
}

vocabulary! {
    /// Scope of a subagent's memory.
    SnapshotScope {
        /// All projects of the user.
        User = "user",
        /// One project, committed with it.
        Project = "project",
        /// One project of this user.
        Local = "local",
    }
}

vocabulary! {
    /// What taking a snapshot over does to a file.
    SnapshotFileChange {
        /// It comes to be.
        Added = "added",
        /// It gets other content.
        Changed = "changed",
        /// Nothing.
        Same = "same",
        /// It goes: a memory that the snapshot does not have.
        Deleted = "deleted",
        /// It stays: a file that is no memory.
        Kept = "kept",
    }
}

vocabulary! {
    /// Access of a session to a mounted store.
    MountAccess {
        /// The session may write.
        ReadWrite = "read_write",
        /// The session may read.
        ReadOnly = "read_only",
    }
}

impl From<retrace_model::Evidence> for OriginConfidence {
    fn from(evidence: retrace_model::Evidence) -> Self {
        use retrace_model::Evidence;
        match evidence {
            Evidence::Stated => Self::Stated,
            Evidence::ExactContent => Self::ExactContent,
            Evidence::Likely => Self::Likely,
            Evidence::FrontMatter => Self::FrontMatter,
            Evidence::TimeOnly => Self::TimeOnly,
        }
    }
}

#[allow(clippy::derivable_impls, reason = "the macro writes the enum")]
impl Default for RedactionPlace {
    fn default() -> Self {
        Self::Version
    }
}

#[allow(clippy::derivable_impls, reason = "the macro writes the enum")]
impl Default for RedactionAction {
    fn default() -> Self {
        Self::Left
    }
}

#[allow(clippy::derivable_impls, reason = "the macro writes the enum")]
impl Default for ApprovalDirection {
    fn default() -> Self {
        Self::Named
    }
}
