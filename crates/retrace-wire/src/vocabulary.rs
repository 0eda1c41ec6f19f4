//! Closed vocabularies of responses: each is an enum here and a union of strings in TypeScript.
//!
//! A value reads as its word, like a string, so that shells print and test it as it stands in JSON. The
//! conversions from the enums below are exhaustive: a new value there does not compile before it has a word here.

use retrace_model::UnknownWord;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Deref;
use std::str::FromStr;
use ts_rs::TS;

macro_rules! vocabulary {
    (
        $(#[$doc:meta])*
        $name:ident from $below:path { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }
    ) => {
        vocabulary! { $(#[$doc])* $name { $($(#[$variant_doc])* $variant = $word,)+ } }

        impl From<$below> for $name {
            fn from(value: $below) -> Self {
                use $below as Below;
                match value { $(Below::$variant => Self::$variant),+ }
            }
        }
    };
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
        pub enum $name { $($(#[$variant_doc])* #[serde(rename = $word)] $variant,)+ }

        impl $name {
            /// Every value.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word in JSON.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                self.as_str()
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

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                self.as_str() == other
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                self.as_str() == *other
            }
        }
    };
}

mod records;

pub use records::*;

vocabulary! {
    /// What a store may send to a hub.
    HubSend {
        /// Versions and contents.
        Everything = "everything",
        /// Versions with paths and hashes, no content.
        Metadata = "metadata",
        /// Nothing.
        Nothing = "nothing",
    }
}

vocabulary! {
    /// What the sessions of a store share with a hub.
    HubShare {
        /// Nothing.
        Nothing = "nothing",
        /// Times, figures, and where memories and rules stood in it; no text of a transcript.
        Summary = "summary",
        /// The transcript as well.
        Everything = "everything",
    }
}

vocabulary! {
    /// What a machine is to the organisation of its hub.
    HubRole {
        /// Everything.
        Owner = "owner",
        /// Sends its own memories; reads, comments and approves those of all machines.
        Reviewer = "reviewer",
        /// Sends its own memories; of other machines it reads no content.
        Writer = "writer",
        /// Reads metadata and the audit log, never a content.
        Auditor = "auditor",
    }
}

vocabulary! {
    /// What stands in the way of a sync.
    HubFault {
        /// Another copy of this log continued the chain differently.
        Fork = "fork",
        /// The log ends before what the hub has of it.
        ChainCut = "chain_cut",
        /// The hub lost what it acknowledged.
        HubCut = "hub_cut",
        /// The hub's answer or signature does not fit.
        Altered = "altered",
        /// The clocks are far apart.
        ClockSkew = "clock_skew",
        /// The hub is not reached.
        Unreachable = "unreachable",
        /// The hub refuses.
        Refused = "refused",
        /// A secret was not looked for in contents of other machines, which this role does not read.
        NotSearched = "not_searched",
        /// The hub lost comments or proposals of this machine.
        SaidLost = "said_lost",
        /// The hub's database was put back to an earlier state: access that was taken may be open again.
        Restored = "hub_restored",
    }
}

vocabulary! {
    /// What was done as an owner and lost by the hub.
    HubActKind {
        /// A key of an agent was ended.
        Key = "key",
        /// A machine was removed.
        Machine = "machine",
        /// A machine was given another role.
        Role = "role",
        /// A key of the policy was set.
        Policy = "policy",
    }
}

vocabulary! {
    /// What a hub lost of what was said on a machine.
    HubLostKind {
        /// A comment on a version.
        Comment = "comment",
        /// A proposal for another machine.
        Proposal = "proposal",
    }
}

vocabulary! {
    /// Whether a redaction goes to every machine.
    HubOrderState {
        /// A second person has to approve it first.
        Waiting = "waiting",
        /// It goes to every machine that holds what was redacted.
        Ordered = "ordered",
    }
}

vocabulary! {
    /// How far a redaction is on one machine.
    HubReachState {
        /// The machine did not carry it out yet.
        Outstanding = "outstanding",
        /// It sent a signed receipt.
        Done = "done",
        /// It could not carry it out, and tries again with every sync.
        Refused = "refused",
    }
}

vocabulary! {
    /// What a proposal is to do.
    HubProposalKind {
        /// Puts a memory back to an earlier version.
        Rollback = "rollback",
        /// Writes another text in the place of a version.
        Edit = "edit",
        /// Puts a whole store back to an instant.
        Restore = "restore",
    }
}

vocabulary! {
    /// What became of a proposal.
    HubProposalState {
        /// Its machine did not carry it out yet.
        Waiting = "waiting",
        /// Carried out.
        Done = "done",
        /// The live content was another than the proposer saw.
        Conflict = "conflict",
        /// Its machine refused it.
        Refused = "refused",
        /// Its proposer took it back, or a redaction did.
        Withdrawn = "withdrawn",
    }
}

vocabulary! {
    /// What becomes of a rule, or of breaks of one, when an act on them is undone.
    RuleStanding {
        /// The rule is on the list.
        OnList = "on_list",
        /// The rule is off the list.
        OffList = "off_list",
        /// The breaks need a person.
        Unseen = "unseen",
        /// A person saw the breaks.
        Seen = "seen",
    }
}

vocabulary! {
    /// Severity of a finding.
    Severity from retrace_findings::Severity {
        /// Worth knowing.
        Note = "note",
        /// Something does not work as it looks.
        Warning = "warning",
        /// Harm is done or near.
        Error = "error",
    }
}

vocabulary! {
    /// Group of findings that a first run opens with.
    OpeningKind {
        /// Secrets.
        Secret = "secret",
        /// Text that gives an agent orders, or sends data elsewhere.
        Hostile = "hostile",
        /// Characters that a reader does not see.
        Hidden = "hidden",
        /// Indexes that sessions load in part.
        CutIndex = "cut_index",
        /// Every other warning and error.
        Other = "other",
    }
}

vocabulary! {
    /// Whose memory a store holds.
    StoreKind from retrace_model::StoreKind {
        /// Claude Code auto memory, its team folder included.
        ClaudeAuto = "claude-auto",
        /// Claude Code subagent memory.
        ClaudeAgent = "claude-agent",
        /// A directory that the Anthropic memory tool shows to a model as `/memories`.
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

vocabulary! {
    /// Class of a part of a context.
    PartClass {
        /// System prompt, and messages of the role system.
        System = "system",
        /// Definitions of tools, with what the API adds to them.
        ToolDefinitions = "tool_definitions",
        /// Instruction files.
        Instructions = "instructions",
        /// Memory files.
        Memory = "memory",
        /// What no content explains: framing of the API where the request is proved.
        NotRecorded = "not_recorded",
        /// What the client put in.
        Attachments = "attachments",
        /// Text of both sides.
        Text = "text",
        /// Thinking.
        Thinking = "thinking",
        /// Calls of tools.
        ToolInputs = "tool_inputs",
        /// Results of a tool, or of several.
        ToolResults = "tool_results",
    }
}

vocabulary! {
    /// Order of runs.
    RunOrder {
        /// The newest first.
        Date = "date",
        /// The dearest first; those without a price last.
        Cost = "cost",
        /// The largest context first.
        Peak = "peak",
    }
}

vocabulary! {
    /// What the changes of a row of `triage` have in common.
    TriageKind {
        /// It is one change.
        Single = "single",
        /// Deletions that followed each other closely.
        DeletedTogether = "deleted_together",
        /// The same edit in several memories.
        SameEdit = "same_edit",
        /// Memories that came to be after one prompt.
        CreatedTogether = "created_together",
        /// The same rule found something in each.
        SameFinding = "same_finding",
        /// Other changes of one session.
        Session = "session",
        /// Other changes of one writer without a session, in one store.
        Writer = "writer",
        /// Memories that are as they were when they were last reviewed.
        Unchanged = "unchanged",
    }
}

vocabulary! {
    /// Why a change needs a decision, the most urgent first.
    NeedReason {
        /// A secret stands in it.
        Secret = "secret",
        /// It gives orders to who reads it, or sends data away.
        Hostile = "hostile",
        /// A memory is gone.
        Deleted = "deleted",
        /// Lines of an index are not loaded, or went at once.
        IndexCut = "index_cut",
        /// Two writers or two memories disagree.
        Conflict = "conflict",
        /// A limit of the agent or the host is exceeded.
        Limit = "limit",
        /// It holds characters that do not show.
        Hidden = "hidden",
        /// Personal data stands in it, such as an e-mail address.
        Personal = "personal",
        /// The person rejected the same before.
        Reappeared = "reappeared",
        /// Another finding of severity error.
        Error = "error",
        /// Another finding of severity warning.
        Warning = "warning",
    }
}

vocabulary! {
    /// State of a store.
    StoreState from retrace_model::StoreState {
        /// Changes are recorded whenever a recorder runs.
        Recording = "recording",
        /// The user asked not to record it for now.
        Paused = "paused",
        /// Its directory is not there.
        Missing = "missing",
        /// Another directory stands at its path.
        Moved = "moved",
        /// Its directory, or part of it, may not be read.
        Denied = "denied",
        /// Recorded, but not in full or not at once.
        Limited = "limited",
    }
}

vocabulary! {
    /// Change of a memory by a version.
    VersionOperation from retrace_model::VersionOperation {
        /// The memory came to be.
        Created = "created",
        /// Its content, its path or both changed.
        Modified = "modified",
        /// The memory is gone.
        Deleted = "deleted",
    }
}

vocabulary! {
    /// Cause of an operation.
    ChangeSource from retrace_model::Source {
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

vocabulary! {
    /// Decision of a review.
    Verdict from retrace_model::Verdict {
        /// The memory is right as it stands.
        Approved = "approved",
        /// The memory is right as the person rewrote it.
        Edited = "edited",
        /// The memory was wrong and was put back to what was known before.
        Rejected = "rejected",
        /// Everything recorded up to some point is known.
        UpTo = "up_to",
        /// The person changed the memory with an act of their own.
        Own = "own",
        /// An earlier act of review does not count any more.
        Undone = "undone",
    }
}

vocabulary! {
    /// Purpose of a memory file.
    MemoryClass from retrace_model::MemoryClass {
        /// Loaded at the start of a session; points to the others.
        Index = "index",
        /// A memory on one subject, read on demand.
        Topic = "topic",
        /// Notes of one day.
        DailyLog = "daily_log",
        /// Written for an agent by people.
        Instructions = "instructions",
        /// Drafted by an agent for a person to accept; no session loads it.
        Proposal = "proposal",
        /// Anything else.
        Other = "other",
    }
}

#[allow(clippy::derivable_impls, reason = "the macro writes the enum")]
impl Default for MemoryClass {
    fn default() -> Self {
        Self::Other
    }
}

vocabulary! {
    /// Who shares a memory.
    MemoryScope from retrace_model::MemoryScope {
        /// This user in this project: auto memory.
        Project = "project",
        /// Everybody who works in the repository.
        Team = "team",
        /// An agent of this user, in all projects.
        AgentUser = "agent_user",
        /// An agent of a project, committed with it.
        AgentProject = "agent_project",
        /// An agent of a project, for this user alone.
        AgentLocal = "agent_local",
    }
}

vocabulary! {
    /// Change of a line in a difference.
    LineTag from retrace_diff::Tag {
        /// On both sides.
        Equal = "equal",
        /// On the new side only.
        Insert = "insert",
        /// On the old side only.
        Delete = "delete",
    }
}

vocabulary! {
    /// Why a stretch of text is not seen.
    HiddenKind from retrace_diff::HiddenKind {
        /// No width.
        ZeroWidth = "zero_width",
        /// Changes the order in which text is shown.
        BidiControl = "bidi_control",
        /// A tag character.
        Tag = "tag",
        /// U+00AD.
        SoftHyphen = "soft_hyphen",
        /// A control character other than tab and line ends.
        Control = "control",
        /// An HTML comment.
        HtmlComment = "html_comment",
        /// A byte that is not UTF-8.
        InvalidByte = "invalid_byte",
        /// A variation selector without an effect.
        VariationSelector = "variation_selector",
        /// Another character without a glyph.
        OtherFormat = "other_format",
    }
}

vocabulary! {
    /// What is known of a content.
    ContentKind {
        /// Text, shown as such.
        Text = "text",
        /// Not text.
        Binary = "binary",
        /// Larger than what is recorded; its hash and size are known.
        TooLarge = "too_large",
        /// Removed by a redaction.
        Redacted = "redacted",
    }
}

vocabulary! {
    /// Change of a memory from what was last reviewed to now.
    ItemVerb {
        /// There was none.
        Created = "created",
        /// Its content is another.
        Changed = "changed",
        /// Its path is another, with or without other content.
        Moved = "moved",
        /// It is gone.
        Deleted = "deleted",
    }
}

vocabulary! {
    /// Change of a memory from one state of a store to another.
    MemoryChange {
        /// Only in the later state.
        Created = "created",
        /// Other content.
        Modified = "modified",
        /// Equal content at another path.
        Moved = "moved",
        /// Only in the earlier state.
        Deleted = "deleted",
    }
}

vocabulary! {
    /// State of the purge after a redaction.
    PurgeState {
        /// The bytes are gone from every file of the data directory.
        Done = "done",
        /// Another process holds a read; the recorder finishes it.
        Pending = "pending",
    }
}

vocabulary! {
    /// State of a place that a receipt lists.
    PlaceState from retrace_log::PlaceState {
        /// Nothing is there.
        Clean = "clean",
        /// Something is there that was not to be changed, or could not be.
        Left = "left",
        /// It cannot be read from here.
        OutOfReach = "out_of_reach",
    }
}

vocabulary! {
    /// Kind of a queued change of a hosted store.
    QueueKind from retrace_log::QueueKind {
        /// Creates a memory.
        Create = "create",
        /// Changes a memory.
        Update = "update",
        /// Deletes a memory.
        Delete = "delete",
        /// Redacts versions.
        Redact = "redact",
        /// Archives the store.
        Archive = "archive",
    }
}

vocabulary! {
    /// State of a queued change of a hosted store.
    QueueState from retrace_log::QueueState {
        /// To be sent by the next push.
        Waiting = "waiting",
        /// The memory changed at the host.
        Conflict = "conflict",
        /// The host refused it.
        Failed = "failed",
    }
}

vocabulary! {
    /// Action of an agent on a snapshot of a project.
    SnapshotState {
        /// None: it has no usable time.
        Unusable = "unusable",
        /// The agent copies it, since there is no memory yet.
        Initialise = "initialise",
        /// The agent asks the person.
        Ask = "ask",
        /// None: it was taken over already.
        Current = "current",
    }
}

vocabulary! {
    /// Whose instructions a file holds.
    InstructionAgent {
        /// Claude Code.
        ClaudeCode = "claude-code",
        /// Codex.
        Codex = "codex",
        /// Gemini CLI.
        Gemini = "gemini",
        /// opencode.
        Opencode = "opencode",
    }
}

vocabulary! {
    /// A part of an agent's files.
    ClientPart {
        /// Sessions: prompts, calls, answers, usage.
        Sessions = "sessions",
        /// Requests as they were sent.
        Requests = "requests",
        /// Instruction files that a session loads.
        Instructions = "instructions",
        /// Memory.
        Memory = "memory",
    }
}

vocabulary! {
    /// Who gives instructions.
    InstructionScope {
        /// The administrator of the machine.
        Managed = "managed",
        /// The user, for all projects.
        User = "user",
        /// The project, or a directory above it.
        Project = "project",
        /// The user, for this project.
        Local = "local",
    }
}

vocabulary! {
    /// State of loading of an instruction file.
    InstructionState {
        /// When a session starts.
        Loaded = "loaded",
        /// Once a file it applies to is read.
        OnDemand = "on_demand",
        /// When a session starts, up to `cut_at`.
        Cut = "cut",
        /// The limit of all files together was reached before it.
        OverLimit = "over_limit",
        /// It holds nothing that would be loaded.
        Empty = "empty",
        /// A setting leaves it out.
        Excluded = "excluded",
        /// Another file stands in for it.
        Shadowed = "shadowed",
        /// It stands earlier in the list.
        AlreadyLoaded = "already_loaded",
        /// It is named and not there.
        Missing = "missing",
        /// It imports itself, directly or through others.
        Cycle = "cycle",
        /// Too many imports lead to it.
        TooDeep = "too_deep",
        /// It lies outside, and the user has not approved that.
        NotApproved = "not_approved",
        /// The user does not trust the project.
        Untrusted = "untrusted",
        /// Its name has not the ending of a text that is imported.
        NotText = "not_text",
        /// It is too large.
        TooLarge = "too_large",
        /// It cannot be read.
        Unreadable = "unreadable",
        /// The agent's version does not know such a file.
        NotInVersion = "not_in_version",
        /// Instruction files are switched off, or the agent gives up on all of them because of one.
        Off = "off",
    }
}

vocabulary! {
    /// Why an instruction or memory file came into a session's context.
    LoadReason {
        /// The session began.
        SessionStart = "session_start",
        /// Another file imports it.
        Include = "include",
        /// A file of its directory, or of one below, was read.
        NestedTraversal = "nested_traversal",
        /// A file that its patterns name was read.
        PathGlobMatch = "path_glob_match",
        /// A compaction took it away, and the client loaded it again.
        Compact = "compact",
        /// The client loaded it again: it had changed, or the client says another reason.
        Refresh = "refresh",
        /// A hook added it.
        Hook = "hook",
        /// A selector chose it.
        Recall = "recall",
        /// A model wrote it from memories.
        Synthesis = "synthesis",
        /// A person mentioned it.
        Mention = "mention",
        /// The model read it.
        Read = "read",
    }
}

vocabulary! {
    /// Whose memory a recalled one is.
    RecallScope {
        /// That of the person.
        Personal = "personal",
        /// That of a team.
        Team = "team",
        /// That of an organization, kept by a server.
        Organization = "organization",
    }
}

vocabulary! {
    /// What says that a file was loaded.
    LoadWitness {
        /// The session's transcript.
        Transcript = "transcript",
        /// The hook `InstructionsLoaded`, which `retrace hook` kept.
        Hook = "hook",
    }
}

vocabulary! {
    /// How well a presence or an absence is known.
    PresenceGrade {
        /// The request was rebuilt, and its digest is equal.
        Proved = "proved",
        /// An attachment or a result of the transcript says so.
        Recorded = "recorded",
        /// It follows from documented rules and from what the log has of that time.
        Inferred = "inferred",
        /// Nothing says so.
        Unknown = "unknown",
    }
}

vocabulary! {
    /// Why a line was not before a model.
    PresenceCause {
        /// It was written later.
        DidNotExist = "did_not_exist",
        /// It read differently then.
        OtherVersion = "other_version",
        /// It stood behind the limit of what is loaded.
        Cut = "cut",
        /// Nobody opened the file, or this part of it.
        NotOpened = "not_opened",
        /// The session ran in a directory whose memory is another.
        OtherDirectory = "other_directory",
        /// The client loaded no memory.
        SwitchedOff = "switched_off",
        /// The subagent got no memory.
        Subagent = "subagent",
        /// It was there and went in a compaction.
        Compacted = "compacted",
        /// It was there and a context edit took it out.
        Cleared = "cleared",
        /// The file is for paths that nobody touched, or for another agent.
        NotInScope = "not_in_scope",
        /// The client took it out of the text, as it does with comments and front matter.
        Stripped = "stripped",
        /// Nothing tells.
        Unknown = "unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_the_enums_below() {
        for severity in ["note", "warning", "error"] {
            let below: retrace_findings::Severity = severity.parse().expect("a severity");
            assert_eq!(Severity::from(below), *severity);
        }
        for below in retrace_model::StoreKind::ALL {
            assert_eq!(StoreKind::from(*below), below.as_str());
        }
        for below in retrace_model::StoreState::ALL {
            assert_eq!(StoreState::from(*below), below.as_str());
        }
        for below in retrace_model::VersionOperation::ALL {
            assert_eq!(VersionOperation::from(*below), below.as_str());
        }
        for below in retrace_model::Source::ALL {
            assert_eq!(ChangeSource::from(*below), below.as_str());
        }
        for below in retrace_model::Verdict::ALL {
            assert_eq!(Verdict::from(*below), below.as_str());
        }
        for below in retrace_model::MemoryClass::ALL {
            assert_eq!(MemoryClass::from(below), below.as_str());
        }
    }

    #[test]
    fn a_value_is_its_word_in_json() {
        let json = serde_json::to_string(&StoreKind::ALL).expect("JSON");
        let words: Vec<String> = serde_json::from_str(&json).expect("strings");
        assert_eq!(words, StoreKind::ALL.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(serde_json::from_str::<StoreKind>("\"memory-tool\"").expect("a kind"), "memory-tool");
    }
}

vocabulary! {
    /// Kind of a rule that a memory states.
    RuleKind {
        /// Calls that match are breaks.
        CommandNever = "command_never",
        /// Calls that match must have a form.
        CommandForm = "command_form",
        /// One command comes before another.
        Order = "order",
        /// Paths that nobody writes.
        PathNever = "path_never",
        /// What a session that changed files has done when it ends.
        AtEnd = "at_end",
        /// Calls before which the person is asked.
        AskFirst = "ask_first",
        /// Text written to some files must have a form.
        TextForm = "text_form",
    }
}

vocabulary! {
    /// What a memory does, as far as that can be counted.
    MemoryEffect {
        /// No session that could have had it had any line of it.
        NeverPresent = "never_present",
        /// Its rules are followed no more often than before they were written.
        NoBetter = "no_better",
        /// They are followed more often.
        Better = "better",
        /// They applied fewer than ten times before or after.
        TooFew = "too_few",
        /// No rule that is on the list comes from it, so nothing is counted.
        NoRule = "no_rule",
    }
}

vocabulary! {
    /// What became of a point at which a rule applied.
    RuleOutcome {
        /// It was followed.
        Followed = "followed",
        /// It was not.
        Broken = "broken",
        /// It was not, and the person had asked for that.
        Excepted = "excepted",
        /// The rule did not exist then, or read differently.
        Predates = "predates",
        /// The session does not tell.
        Undecidable = "undecidable",
    }
}
