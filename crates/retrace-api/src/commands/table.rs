//! The table of commands: what each takes, gives, shows, changes and refuses. Dispatch, the TypeScript, docs/API.md and the
//! shells' tests all come from it.

use super::advice::advised;
use super::features;
use crate::App;
use crate::wire::{ApiError, Code, Tag};
use retrace_joined::Member;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use ts_rs::TypeVisitor;

/// One command as the table names it.
#[derive(Clone, Copy, Debug)]
pub struct CommandInfo {
    /// Its name on every transport.
    pub name: &'static str,
    /// Documentation of one or two sentences.
    pub about: &'static str,
    /// True if it changes anything.
    pub writes: bool,
    /// Wire type of the request.
    pub request: &'static str,
    /// Wire type of the response.
    pub response: &'static str,
    /// Tags of the data in its answer; of a command that writes, that of its preview.
    pub provides: &'static [Tag],
    /// Tags of the data it changes when it is no preview.
    pub invalidates: &'static [Tag],
    /// Codes it refuses with, beside those of [`ANY_COMMAND`].
    pub errors: &'static [Code],
    /// True if a window that a hub serves has it too: it needs no machine.
    pub at_hub: bool,
}

/// Codes that any command may refuse with: a request that cannot be read, and the state of the log.
pub const ANY_COMMAND: &[Code] = &[
    Code::Invalid,
    Code::Busy,
    Code::CannotWrite,
    Code::DatabaseDamaged,
    Code::DatabaseNewer,
    Code::Internal,
];

/// Whether answers are held against the table.
static CODES_ARE_CHECKED: AtomicBool = AtomicBool::new(false);

/// Has every command of this process panic that refuses with a code which the table does not have. For tests alone: clients
/// branch on codes, so the table must name them, and a person must not pay for a mistake in it.
pub fn check_codes() {
    CODES_ARE_CHECKED.store(true, Ordering::Relaxed);
}

/// The answer of a command: an error with its next step. Held against the table where tests asked for that.
fn declared<T>(name: &str, answer: Result<T, ApiError>) -> Result<T, ApiError> {
    let answer = answer.map_err(advised);
    if CODES_ARE_CHECKED.load(Ordering::Relaxed)
        && let Err(error) = &answer
        && let Some(command) = COMMANDS.iter().find(|command| command.name == name)
    {
        let is_declared = command.errors.contains(&error.code) || ANY_COMMAND.contains(&error.code);
        assert!(is_declared, "{name} refuses with {:?}, which the table does not say: {error:?}", error.code);
    }
    answer
}

macro_rules! commands {
    ($(
        $(#[doc = $about:literal])+
        $access:ident $name:ident($request:ident) -> $response:ident
            $(at $hub:ident)?
            $(provides [$($provides:ident),*])?
            $(invalidates [$($invalidates:ident),*])?
            $(errors [$($error:ident),*])?;
    )+) => {
        /// Every command.
        pub const COMMANDS: &[CommandInfo] = &[$(CommandInfo {
            name: stringify!($name),
            about: concat!($($about),+),
            writes: commands!(@writes $access),
            request: stringify!($request),
            response: stringify!($response),
            provides: &[$($(Tag::$provides),*)?],
            invalidates: &[$($(Tag::$invalidates),*)?],
            errors: &[$($(Code::$error),*)?],
            at_hub: commands!(@at $($hub)?),
        }),+];

        /// Shows `visitor` the wire types of every command.
        pub(crate) fn visit_types(visitor: &mut impl TypeVisitor) {
            $(
                visitor.visit::<crate::wire::$request>();
                visitor.visit::<crate::wire::$response>();
            )+
        }

        $(
            $(#[doc = $about])+
            ///
            /// # Errors
            /// The codes that the table of commands lists.
            pub fn $name(
                app: &App,
                request: crate::wire::$request,
            ) -> Result<crate::wire::$response, ApiError> {
                declared(stringify!($name), features::$name(app.as_ref(), request))
            }
        )+

        fn dispatch(app: &App, name: &str, request: Value) -> Result<Value, ApiError> {
            match name {
                $(stringify!($name) => {
                    let request: crate::wire::$request = read(name, request)?;
                    let response: crate::wire::$response = $name(app, request)?;
                    written(name, response)
                })+
                _ => Err(no_such_command(name)),
            }
        }

        fn dispatch_at_hub(member: &Member, name: &str, request: Value) -> Result<Value, ApiError> {
            match name {
                $($(stringify!($name) => {
                    const { assert!(commands!(@at $hub)) };
                    let request: crate::wire::$request = read(name, request)?;
                    let answer = declared(stringify!($name), features::$name(member, request));
                    let response: crate::wire::$response = answer?;
                    written(name, response)
                })?)+
                _ => Err(not_at_hub(name)),
            }
        }
    };
    (@at) => { false };
    (@at hub) => { true };
    (@writes read) => { false };
    (@writes write) => { true };
}

commands! {
    /// Content of the status line.
    read status(Nothing) -> Status
        provides [Log, Stores, Reviews, Receipts, Rules, Broken, Hosts];
    /// The stores on the list, by name.
    read stores(Nothing) -> Stores
        provides [Log, Stores, Reviews];
    /// Agent memory on this machine: in the user's home or another one, and in the named projects.
    read discover(DiscoverReq) -> Discovered
        provides [Stores, Projects] errors [Invalid];
    /// Projects with memory that appeared after recording began and were neither recorded nor declined.
    read new_projects(Nothing) -> NewProjects
        provides [Stores, Projects];
    /// Declines new projects, offers them again, or says if new ones are recorded without asking.
    write set_new_projects(NewProjectsReq) -> NewProjects
        invalidates [Projects] errors [CannotWrite];
    /// What the recorded directories hold at present, for a first run: findings by group, and how many sessions there are.
    read opening(Nothing) -> Opening
        provides [Log, Stores, Rules, Transcripts] errors [Invalid];
    /// The memories of a store, now or right after an operation, of one kind where one is asked for.
    read memories(MemoriesReq) -> Memories
        provides [Log, Stores] errors [NotFound, Invalid];
    /// A content, live or recorded, ready to be shown. A redacted or binary content is a kind in the answer.
    read document(DocumentReq) -> Document
        provides [Files, Contents] errors [NotFound, Invalid, StoreUnavailable];
    /// The instruction files that a session would load, in a store's project, in a named directory, or in every session.
    read instructions(InstructionsReq) -> Instructions
        provides [Log, Files, Stores, Outside] errors [NotFound, Invalid];
    /// The text of one of the files that `instructions` lists for the same request, as it is on disk.
    read instruction(InstructionReq) -> Document
        provides [Log, Files, Stores, Outside, Contents] errors [NotFound, Invalid];
    /// The agents whose program or files are on this machine: version, what of them is read, since which version exactly.
    read clients(Nothing) -> Clients
        provides [Outside];
    /// The snapshots that projects have for the agent whose memory a store is, and what each would change.
    read agent_snapshot(StoreRef) -> AgentSnapshot
        provides [Log, Files, Stores, Outside, Contents] errors [NotFound, Invalid, StoreUnavailable];
    /// A page of versions, newest first.
    read log(LogReq) -> LogPage
        provides [Log, Writers] errors [NotFound, Invalid];
    /// A page of operations, newest first, each with its first versions.
    read timeline(TimelineReq) -> TimelinePage
        provides [Log, Stores, Writers] errors [NotFound, Invalid];
    /// When a store changed, for the axis of the time machine.
    read activity(ActivityReq) -> Activity
        provides [Log] errors [NotFound];
    /// One version, with its content where asked.
    read show(ShowReq) -> Shown
        provides [Writers, Contents] errors [NotFound, Invalid, ContentRedacted];
    /// The difference between two contents, or between two states of a store.
    read diff(DiffReq) -> DiffResult
        provides [Files, Contents] errors [NotFound, Invalid, ContentRedacted, StoreUnavailable];
    /// Where words stand, in the live memories or in history.
    read search(SearchReq) -> SearchResult
        provides [Log, Contents] errors [NotFound, Invalid];
    /// All receipts of redactions, newest first.
    read receipts(Nothing) -> Receipts
        provides [Receipts, Hosts];
    /// Checks a directory of memories, or a store. Where a name is both, the directory is meant.
    read check(CheckReq) -> Checked
        provides [Files, Rules] errors [NotFound, Invalid, StoreUnavailable];
    /// The findings of a store as it is on disk, then those about changes that are not reviewed.
    read findings(FindingsReq) -> Findings
        provides [Log, Files, Reviews, Rules] errors [NotFound, Invalid, StoreUnavailable];
    /// Health of one store, or every listed one. A store that cannot be read is a row with the reason.
    read health(HealthReq) -> Health
        provides [Log, Stores, Rules] errors [NotFound, Invalid];
    /// Sessions that loaded a memory, when and why. Reads every transcript once.
    read memory_loads(MemoryLoadsReq) -> MemoryLoaded
        provides [Log, Transcripts] errors [NotFound, Invalid];
    /// Proposals of memories to remove, with the evidence.
    read expiry(ExpiryReq) -> Expiry
        provides [Log, Stores, Rules] errors [NotFound, Invalid];
    /// Removes memories and the lines of indexes that link to them, in one operation.
    write expire(ExpireReq) -> ActResult
        provides [Log, Files]
        invalidates [Log, Files]
        errors [NotFound, Invalid, StoreUnavailable, ContentRedacted, HeadMoved, NotRecorded];
    /// Moves lines of an index into a topic file; the index keeps or gets a line that links to it.
    write move_entry(MoveEntryReq) -> ActResult
        provides [Log, Files]
        invalidates [Log, Files]
        errors [NotFound, Invalid, ContentRedacted, StoreUnavailable, HeadMoved, NotRecorded];
    /// Writes a comment that allows a finding in place.
    write allow_finding(AllowFindingReq) -> ActResult
        provides [Log, Files]
        invalidates [Log, Files]
        errors [NotFound, Invalid, ContentRedacted, StoreUnavailable, HeadMoved, NotRecorded];
    /// Takes characters that are not seen out of a memory.
    write strip_characters(StripCharactersReq) -> ActResult
        provides [Log, Files]
        invalidates [Log, Files]
        errors [NotFound, Invalid, ContentRedacted, StoreUnavailable, HeadMoved, NotRecorded];
    /// Every rule with what the person at this machine set.
    read finding_rules(Nothing) -> FindingRules
        provides [Log, Rules] errors [Invalid];
    /// Sets one rule for every store of this person, or takes the setting away.
    write set_finding_rule(SetFindingRule) -> FindingRules
        invalidates [Rules] errors [Invalid, CannotWrite];
    /// Rules that memories state and a person confirmed.
    read memory_rules(MemoryRulesReq) -> MemoryRules
        provides [Rules] errors [Invalid];
    /// Confirms a rule. It counts over every session there is.
    write add_memory_rule(AddMemoryRule) -> MemoryRule
        invalidates [Rules] errors [NotFound, Invalid];
    /// Confirms several rules, or none where one of them cannot be used.
    write add_memory_rules(AddMemoryRules) -> MemoryRules
        invalidates [Rules] errors [NotFound, Invalid];
    /// Takes a rule off the list, or puts it back.
    write list_memory_rule(ListMemoryRule) -> MemoryRule
        invalidates [Rules] errors [NotFound, Invalid];
    /// Makes a rule a guard by a hook in an agent's settings, or takes the guard off. Tells how often it would have fired.
    write guard_rule(GuardRule) -> GuardedRule
        provides [Rules, Transcripts] invalidates [Rules] errors [NotFound, Invalid, HeadMoved, StoreUnavailable];
    /// Sentences of memories, instruction files and sessions that look like rules.
    read propose_rules(ProposeRulesReq) -> ProposedRules
        provides [Log, Rules, Transcripts] errors [NotFound, Invalid];
    /// How sessions fared with each rule: followed, broken, excepted, before and after each edit of its line.
    read adherence(AdherenceReq) -> Adherence
        provides [Log, Rules, Transcripts] errors [NotFound, Invalid];
    /// What each memory costs a session, in which sessions it was, and how its rules fared before and after they were written.
    read memory_worth(MemoryWorthReq) -> MemoriesWorth
        provides [Log, Rules, Runs, Transcripts] errors [NotFound, Invalid];
    /// Breaks of rules that were found while sessions ran, the newest first: those that nobody saw yet, or all.
    read broken_rules(BrokenRulesReq) -> BrokenRules
        provides [Rules, Broken];
    /// Says that a person saw breaks of rules, or takes that back.
    write see_broken_rules(SeeBrokenRules) -> BrokenRules
        invalidates [Broken] errors [NotFound];
    /// The rules that a call would break, before it is made.
    read check_memory_rule(CheckRuleReq) -> CheckedRule
        provides [Rules] errors [NotFound, Invalid];
    /// Verifies schema, chain, contents and derived tables, and that given bytes are in no file of the data directory.
    read verify(VerifyReq) -> Verified
        provides [Log] errors [Invalid];
    /// Adds a directory and takes its baseline.
    write add_store(AddStore) -> Store
        invalidates [Log, Files, Stores] errors [NotFound, Invalid, StoreUnavailable];
    /// Takes a store off the list. Its history stays in the log.
    write remove_store(StoreRef) -> Store
        invalidates [Log, Files, Stores] errors [NotFound];
    /// Stops recording a store until it is resumed.
    write pause_store(StoreRef) -> Store
        invalidates [Log, Files, Stores] errors [NotFound];
    /// Records a paused store again.
    write resume_store(StoreRef) -> Store
        invalidates [Log, Files, Stores] errors [NotFound];
    /// Takes the directory that stands at a store's path now for the store's.
    write relocate_store(RelocateStoreReq) -> Relocated
        provides [Log, Stores] invalidates [Log, Files, Stores] errors [NotFound, Invalid, StoreUnavailable];
    /// Scans stores now and records what changed. Paused stores are passed over unless they are named.
    write scan(ScanReq) -> Scanned
        invalidates [Log, Files, Stores] errors [NotFound];
    /// Shows a directory's store in the Memory Stores API, or no longer.
    write share_store(ShareStoreReq) -> Store
        invalidates [Stores] errors [NotFound, Invalid];
    /// Gives a store of the Memory Stores API a directory, or takes the directory away again; its files stay.
    write mount_store(MountStoreReq) -> Store
        invalidates [Log, Files, Stores] errors [NotFound, Invalid, StoreUnavailable, HeadMoved, NotRecorded];
    /// Puts back one memory, or what a session or an operation changed. Files that moved on are conflicts in the answer.
    write rollback(RollbackReq) -> ActResult
        provides [Log, Files]
        invalidates [Log, Files]
        errors [NotFound, Invalid, ContentRedacted, StoreUnavailable, HeadMoved, NotRecorded];
    /// Puts a whole directory back to an instant, deletions included. Files that moved on are conflicts in the answer.
    write restore(RestoreReq) -> ActResult
        provides [Log, Files]
        invalidates [Log, Files]
        errors [NotFound, Invalid, HeadMoved, BeforeRecording, ContentRedacted, StoreUnavailable, NotRecorded];
    /// Takes an act back. Undoing an undo does the act again.
    write undo(UndoReq) -> ActResult
        provides [Log, Files, Rules, Broken]
        invalidates [Log, Files, Hosts, Rules, Broken]
        errors [NotFound, Invalid, ContentRedacted, StoreUnavailable, HeadMoved, NotRecorded];
    /// Version that added each line of a text.
    read blame(BlameReq) -> Blame
        provides [Files, Writers, Contents] errors [NotFound, Invalid, ContentRedacted, StoreUnavailable];
    /// Brings in the history that git kept of a directory, as one operation.
    write import_git(ImportGitReq) -> ImportResult
        provides [Receipts] invalidates [Log, Files, Writers]
        errors [NotFound, Invalid, StoreUnavailable, ContentRedacted];
    /// Brings in what the transcripts of this machine's agents hold of a store, as one operation.
    write import_transcripts(ImportTranscriptsReq) -> ImportResult
        provides [Receipts] invalidates [Log, Files, Writers] errors [NotFound, Invalid, ContentRedacted];
    /// Brings in what a bundle holds, as one operation.
    write import_bundle(ImportBundleReq) -> ImportResult
        provides [Receipts] invalidates [Log, Files, Writers] errors [NotFound, Invalid, ContentRedacted];
    /// Writes a store's files as of an instant to a new directory, or its whole history to a new bundle.
    read export_store(ExportStoreReq) -> ExportedStore
        errors [NotFound, Invalid, BeforeRecording, CannotWrite, ContentRedacted];
    /// Takes versions out of history: content, path, size and hash go; who, when, why and what kind of change stay.
    write redact(RedactReq) -> ActResult
        invalidates [Log, Files, Stores, Reviews, Receipts, Contents, Runs, Transcripts, Writers, Variants]
        errors [NotFound, Invalid, StoreUnavailable, HeadMoved, NotRecorded];
    /// Answers one call of the memory tool over a store's directory, recorded with its author.
    write memory_tool(MemoryToolReq) -> MemoryToolAnswer
        invalidates [Log, Files, Stores] errors [NotFound, Invalid, StoreUnavailable, HeadMoved, NotRecorded];
    /// Finishes a pending purge where that is possible now, and verifies the chain.
    write recheck_receipt(ReceiptRef) -> Receipt
        invalidates [Log, Files, Stores, Reviews, Receipts, Contents, Runs, Transcripts, Writers, Variants]
        errors [NotFound];
    /// Counts the tokens of texts, offline.
    read tokens(TokensReq) -> Tokens;
    /// Sessions on this machine, in the order asked for. The first call begins to bring the index up to date.
    read transcripts(TranscriptsReq) -> Transcripts
        provides [Transcripts];
    /// Composition of a run's context, request by request.
    read context_show(ContextShowReq) -> ContextShow
        provides [Runs] errors [NotFound, Invalid, StoreUnavailable];
    /// Composition of one request, in detail.
    read context_composition(CompositionReq) -> Composition
        provides [Runs] errors [NotFound, Invalid, StoreUnavailable];
    /// One request as it was sent, rebuilt from what the client recorded and proved by its digest.
    read context_request(RequestBodyReq) -> RequestBody
        provides [Runs] errors [NotFound, Invalid, Busy, StoreUnavailable];
    /// Simulations of settings on a transcript.
    read context_simulate(SimulateReq) -> Simulations
        provides [Runs] errors [NotFound, Invalid, StoreUnavailable];
    /// Chart lines of settings over a transcript; a setting that the API would refuse is null.
    read context_lines(LinesReq) -> SimulatedLines
        provides [Runs] errors [NotFound, Invalid, StoreUnavailable];
    /// The messages that a request sent, and its answer.
    read context_turn(TurnReq) -> Turn
        provides [Runs] errors [NotFound, Invalid, StoreUnavailable];
    /// Every setting of a grid tried on every transcript. `cancel` with the job's name stops it.
    read context_sweep(SweepReq) -> Sweep
        provides [Runs] errors [NotFound, Invalid, StoreUnavailable];
    /// The setting that would have cost least over a run, of some that are tried on it. `cancel` with the job's name stops it.
    read context_recommend(RecommendReq) -> Recommendation
        provides [Runs] errors [NotFound, Invalid, StoreUnavailable];
    /// Costs of memory files over all sessions, the dearest first. `cancel` with `memory` stops it.
    read context_memory(MemoryPricesReq) -> MemoryPrices
        provides [Transcripts, Runs] errors [NotFound, Invalid, StoreUnavailable];
    /// The edits that responses report, beside the forecast for the setting in force.
    read context_deployed(DeployedReq) -> Deployed
        provides [Runs] errors [NotFound, Invalid, StoreUnavailable];
    /// A setting as JSON, cURL, Python or TypeScript, or a report of it and those it is compared with.
    read context_export(ExportReq) -> Exported
        provides [Runs] errors [NotFound, Invalid, StoreUnavailable];
    /// What a session's model had before it at one request: which lines of which file, and why not the others.
    read presence(PresenceReq) -> Presence
        provides [Log, Runs, Transcripts] errors [NotFound, Invalid, StoreUnavailable];
    /// Which memories and instruction files each request of a session held, all requests at once.
    read presence_lane(PresenceLaneReq) -> PresenceLane
        provides [Log, Runs, Transcripts] errors [NotFound, Invalid, StoreUnavailable];
    /// In which sessions lines of a memory were before a model, and why not in the others. Reads every transcript once.
    read reach(ReachReq) -> Reach
        provides [Log, Runs, Transcripts] errors [NotFound, Invalid];
    /// In how many sessions since then a change was before a model. Reads every transcript once.
    read change_reach(ChangeReachReq) -> ChangeReach
        provides [Log, Runs, Transcripts] errors [NotFound, Invalid, StoreUnavailable];
    /// The table of prices, the user's own lines first.
    read prices(Nothing) -> Prices;
    /// Who wrote a version, and why: the session, the call, the prompt before it and the messages around it.
    read origin(OriginReq) -> Origin
        provides [Log, Writers] errors [NotFound, Invalid];
    /// Everything a session wrote, in all stores, and its calls that wrote and left no version.
    read session_writes(SessionRef) -> SessionWrites
        provides [Writers] errors [NotFound, Invalid];
    /// Everything known of a session: what it was asked, what it wrote after each prompt, what it had, what it cost.
    read session(SessionRef) -> Session
        provides [Log, Stores, Reviews, Writers, Runs] errors [NotFound, Invalid];
    /// Unreviewed changes of this person, in groups, newest first, a page at a time.
    read inbox(InboxReq) -> Inbox
        provides [Log, Stores, Reviews, Rules, Writers] errors [NotFound, Invalid];
    /// Number of items of each kind.
    read inbox_kinds(InboxKindsReq) -> InboxKinds
        provides [Log, Stores, Reviews] errors [NotFound, Invalid];
    /// Everything left to review as rows: what needs a decision, then the routine rest in clusters.
    read triage(TriageReq) -> Triage
        provides [Log, Stores, Reviews, Rules, Writers, Broken] errors [NotFound, Invalid];
    /// Items by their newest versions, as a row of `triage` names them.
    read inbox_items(InboxItemsReq) -> InboxItems
        provides [Log, Stores, Reviews, Rules, Writers] errors [NotFound, Invalid];
    /// One difference for several changes with the same edit, with what varies among them.
    read cluster_difference(ClusterDifferenceReq) -> ClusterDifference
        provides [Log, Reviews, Contents] errors [NotFound, Invalid];
    /// Reviews items. Those that changed since are skipped in the answer, and so are, among several, those with errors.
    write review(ReviewReq) -> Reviewed
        invalidates [Log, Files, Reviews] errors [NotFound, Invalid, StoreUnavailable, HeadMoved, NotRecorded];
    /// A report of a review: decisions since a time, what is left to review, and redactions.
    read review_report(ReviewReportReq) -> Exported
        provides [Log, Reviews] errors [NotFound, Invalid];
    /// Reviews everything recorded up to some point, of a store and of a kind where such are asked for.
    write review_up_to(ReviewUpToReq) -> Reviewed
        invalidates [Log, Files, Reviews] errors [NotFound, Invalid];
    /// Takes a review back: what it was about is in the inbox again, and files it changed are as they were before.
    write undo_review(UndoReviewReq) -> Reviewed
        invalidates [Log, Files, Reviews] errors [NotFound, Invalid, StoreUnavailable, HeadMoved, NotRecorded];
    /// Settings that were saved, by name.
    read variants(Nothing) -> Variants
        provides [Variants];
    /// Saves a setting; one of the same name is replaced.
    write save_variant(Variant) -> Variants
        invalidates [Variants] errors [Invalid, CannotWrite];
    /// Removes a saved setting.
    write remove_variant(VariantRef) -> Variants
        invalidates [Variants] errors [NotFound, CannotWrite];
    /// Plan of the calls for exact counts; sends them once the user agreed.
    write context_confirm(ConfirmReq) -> Confirmed
        invalidates [Hosts] errors [NotFound, Invalid, CounterUnavailable, StoreUnavailable];
    /// Where exact counts would come from, and which calls were made. Calls nothing.
    read counter_status(Nothing) -> CounterStatus
        provides [Hosts] errors [CounterUnavailable];
    /// Keeps a key in the system's keyring, or takes it out.
    write set_counter_key(CounterKeyReq) -> CounterStatus
        invalidates [Hosts] errors [Invalid, CounterUnavailable];
    /// The stores of a host. Calls the host.
    read hosted_stores(HostRef) -> HostedStores
        errors [NotFound, Invalid, StoreUnavailable, KeyRefused, HostLimited];
    /// The mirrored stores, their hosts, and the calls made for them.
    read remotes(Nothing) -> Remotes
        provides [Log, Stores, Hosts];
    /// Begins to mirror a hosted store, and takes its baseline.
    write add_remote(AddRemoteReq) -> Store
        invalidates [Log, Files, Stores, Hosts]
        errors [NotFound, Invalid, StoreUnavailable, KeyRefused, HostLimited, ContentRedacted];
    /// Mirrors what is new at the hosts. What stands in the way at a host is a problem in the answer.
    write pull_remote(PullReq) -> Pulled
        invalidates [Log, Files, Stores, Hosts] errors [NotFound, Invalid];
    /// Sends what is queued.
    write push_remote(RemoteRef) -> Pushed
        invalidates [Log, Files, Stores, Hosts] errors [NotFound, Invalid, Busy];
    /// Changes queued for a host.
    read remote_queue(RemoteRef) -> RemoteQueue
        provides [Log, Hosts] errors [NotFound, Invalid];
    /// Takes queued changes back. An act of which nothing else is left is undone with them.
    write withdraw_queued(WithdrawReq) -> RemoteQueue
        invalidates [Log, Files, Stores, Reviews, Hosts] errors [NotFound];
    /// A queued change beside what it would meet at the host. Calls no host.
    read queued_conflict(QueuedRef) -> QueuedConflict
        provides [Log, Hosts, Contents] errors [NotFound];
    /// Queues a change that met a newer edit, or that the host refused, once more.
    write retry_queued(RetryQueuedReq) -> RemoteQueue
        invalidates [Log, Files, Stores, Hosts] errors [NotFound, Invalid, HeadMoved, ContentRedacted];
    /// Queues that a hosted store be archived, which is one-way.
    write archive_remote(StoreRef) -> RemoteQueue
        invalidates [Stores, Hosts] errors [NotFound, Invalid];
    /// Keeps the key for a host in the keyring, or forgets it.
    write set_host_key(HostKeyReq) -> Remotes
        invalidates [Stores, Hosts] errors [Invalid, StoreUnavailable];
    /// The dreams of a host, newest first. Calls the host.
    read dreams(DreamsReq) -> Dreams
        provides [Dreams] errors [NotFound, Invalid, StoreUnavailable, KeyRefused, HostLimited];
    /// Content of a request for a dream, and what is queued that it would not read. Calls no host.
    read plan_dream(CreateDreamReq) -> DreamPlan
        provides [Hosts] errors [NotFound, Invalid];
    /// Asks a host for a dream, which runs there.
    write create_dream(CreateDreamReq) -> Dream
        invalidates [Dreams, Hosts]
        errors [NotFound, Invalid, HeadMoved, StoreUnavailable, KeyRefused, HostLimited];
    /// Stops a dream that has not ended.
    write cancel_dream(DreamRef) -> Dream
        invalidates [Dreams, Hosts] errors [NotFound, Invalid, StoreUnavailable, KeyRefused, HostLimited];
    /// Archives a dream that has ended.
    write archive_dream(DreamRef) -> Dream
        invalidates [Dreams, Hosts] errors [NotFound, Invalid, StoreUnavailable, KeyRefused, HostLimited];
    /// Two stores or states of stores compared. A directory without an instant is taken as it is on disk.
    read compare_stores(CompareStoresReq) -> StoreComparison
        provides [Log, Files] errors [NotFound, Invalid, StoreUnavailable];
    /// Takes memories of one store over into another, as one operation that can be undone.
    write accept_memories(AcceptMemoriesReq) -> ActResult
        provides [Log, Files]
        invalidates [Log, Files, Hosts]
        errors [NotFound, Invalid, StoreUnavailable, ContentRedacted, HeadMoved, NotRecorded];
    /// Mounts of a session's attach list, and the items that the API would refuse.
    read check_mounts(MountsReq) -> Mounts
        provides [Log, Stores];
    /// The hub that this machine joined, and what each store may send to it.
    read hub_status(Nothing) -> HubStatus
        at hub provides [Stores, Hosts] errors [Internal];
    /// Joins a hub. Nothing of a memory is sent by it.
    write hub_join(HubJoinReq) -> HubStatus
        at hub invalidates [Hosts] errors [Invalid, StoreUnavailable, KeyRefused, CannotWrite];
    /// Leaves the hub. What was sent stays there.
    write hub_leave(HubLeaveReq) -> HubStatus
        at hub invalidates [Hosts, Rules] errors [Invalid, NotFound, CannotWrite];
    /// Chooses what a store may send to the hub.
    write hub_send(HubSendReq) -> HubStatus
        invalidates [Hosts] errors [NotFound, CannotWrite];
    /// Sends what the hub lacks, and carries out what other machines redacted and proposed. `cancel` with the job's name stops it.
    write hub_sync(HubSyncReq) -> HubSynced
        invalidates [Hosts, Log, Files, Reviews, Receipts, Rules, Contents] errors [NotFound, Busy, CannotWrite, StoreUnavailable, KeyRefused];
    /// A page of the versions of all machines at the hub.
    read hub_versions(HubVersionsReq) -> HubVersions
        at hub provides [Outside] errors [NotFound, Invalid, StoreUnavailable, KeyRefused];
    /// Makes a one-time token with which one more machine joins.
    write hub_token(HubTokenReq) -> HubToken
        at hub errors [NotFound, StoreUnavailable, KeyRefused];
    /// The machines of the organisation, by name.
    read hub_machines(Nothing) -> HubMachines
        at hub provides [Hosts] errors [NotFound, StoreUnavailable, KeyRefused];
    /// Gives a machine another role.
    write hub_set_role(HubRoleReq) -> HubMachines
        at hub invalidates [Hosts] errors [NotFound, Invalid, StoreUnavailable, KeyRefused];
    /// Takes a machine out of the organisation. What it sent stays; its key is never taken again.
    write hub_remove_machine(HubMachineRef) -> HubMachines
        at hub invalidates [Hosts] errors [NotFound, Invalid, StoreUnavailable, KeyRefused];
    /// Begins to sign a person in at the identity provider of the hub: where they go, and what they enter there.
    write hub_sign_in(Nothing) -> HubSignIn
        at hub errors [NotFound, StoreUnavailable, KeyRefused];
    /// Asks whether the person answered. Where they did, they are signed in on this machine.
    write hub_finish_sign_in(HubSignInReq) -> HubSignInState
        at hub invalidates [Hosts] errors [NotFound, StoreUnavailable, KeyRefused];
    /// Signs the person out of this machine.
    write hub_sign_out(Nothing) -> HubStatus
        at hub invalidates [Hosts] errors [NotFound, StoreUnavailable, KeyRefused];
    /// The policy of the organisation.
    read hub_policy(Nothing) -> HubPolicy
        at hub provides [Hosts] errors [NotFound, StoreUnavailable, KeyRefused];
    /// Changes one key of the policy. The audit log of the hub keeps what was so before.
    write hub_set_policy(HubPolicyReq) -> HubPolicy
        at hub invalidates [Hosts] errors [NotFound, Invalid, ContentRedacted, StoreUnavailable, KeyRefused];
    /// A page of the audit log of the hub: who did and saw what.
    read hub_audit(HubAuditReq) -> HubAudit
        at hub provides [Outside, Hosts] errors [NotFound, Invalid, StoreUnavailable, KeyRefused];
    /// Makes a key with which an agent uses one memory store of the hub, or all of them.
    write hub_agent_token(HubAgentTokenReq) -> HubAgentTokenMade
        at hub invalidates [Hosts] errors [NotFound, Invalid, ContentRedacted, StoreUnavailable, KeyRefused];
    /// Every key that was ever made for an agent.
    read hub_agent_tokens(Nothing) -> HubAgentTokens
        at hub provides [Hosts] errors [NotFound, StoreUnavailable, KeyRefused];
    /// Ends a key of an agent: its next request is refused.
    write hub_agent_token_revoke(HubAgentTokenRef) -> HubAgentTokens
        at hub invalidates [Hosts] errors [NotFound, StoreUnavailable, KeyRefused];
    /// Switches sync in the background on or off. It runs while this machine records, and sends what `hub_sync` sends.
    write hub_background(HubBackgroundReq) -> HubStatus
        invalidates [Hosts] errors [NotFound, CannotWrite];
    /// Says whether proposals for a store are carried out at a sync without being accepted one by one.
    write hub_accept(HubAcceptReq) -> HubStatus
        invalidates [Hosts] errors [NotFound, CannotWrite];
    /// A page of the memories of all machines that nobody reviewed, each with its newest version.
    read hub_inbox(HubInboxReq) -> HubInbox
        at hub provides [Outside, Hosts] errors [NotFound, Invalid, StoreUnavailable, KeyRefused];
    /// A page of the versions of a memory on all machines that have its store or project.
    read hub_history(HubHistoryReq) -> HubHistory
        at hub provides [Outside, Hosts] errors [NotFound, Invalid, StoreUnavailable, KeyRefused];
    /// A version of any machine with its comments and reviews, and its content where that is asked for.
    read hub_show(HubShowReq) -> HubShown
        at hub provides [Outside, Hosts, Contents] errors [NotFound, Invalid, StoreUnavailable, KeyRefused];
    /// The difference of two versions of any machines, or of one and the version before it.
    read hub_diff(HubDiffReq) -> FileDiff
        at hub provides [Outside, Hosts, Contents] errors [NotFound, Invalid, StoreUnavailable, KeyRefused, ContentRedacted];
    /// Approves versions of any machine. Their machines note that in their own logs at their next sync.
    write hub_approve(HubApproveReq) -> HubApproved
        at hub invalidates [Hosts] errors [NotFound, Invalid, StoreUnavailable, KeyRefused];
    /// Comments on a version of any machine.
    write hub_comment(HubCommentReq) -> HubShown
        at hub invalidates [Hosts] errors [NotFound, Invalid, StoreUnavailable, KeyRefused, ContentRedacted];
    /// Removes a comment: one's own, or any where an owner asks.
    write hub_remove_comment(HubCommentRef) -> HubShown
        at hub invalidates [Hosts] errors [NotFound, StoreUnavailable, KeyRefused];
    /// Projects, and the stores that each has on every machine.
    read hub_projects(Nothing) -> HubProjects
        at hub provides [Outside, Hosts] errors [NotFound, StoreUnavailable, KeyRefused];
    /// Chooses what the sessions of a store share with the hub; nothing before that.
    write hub_share_sessions(HubShareReq) -> HubStatus
        invalidates [Hosts] errors [NotFound, CannotWrite];
    /// A page of the shared sessions of all machines, without their texts.
    read hub_sessions(HubSessionsReq) -> HubSessions
        at hub provides [Outside, Hosts] errors [NotFound, Invalid, StoreUnavailable, KeyRefused];
    /// In how many shared sessions of all machines a memory was before a model, when last, and why not in the others.
    read hub_presence(HubPresenceReq) -> HubPresence
        at hub provides [Outside, Hosts] errors [NotFound, Invalid, StoreUnavailable, KeyRefused];
    /// How the shared sessions of all machines fared with rules.
    read hub_adherence(HubAdherenceReq) -> HubAdherence
        at hub provides [Outside, Hosts] errors [NotFound, Invalid, StoreUnavailable, KeyRefused];
    /// Every redaction of the organisation, how far it reached on each machine, and what else may hold a copy.
    read hub_redactions(Nothing) -> HubRedactions
        at hub provides [Outside, Hosts] errors [NotFound, StoreUnavailable, KeyRefused];
    /// Approves a redaction that waits for a second person.
    write hub_approve_redaction(HubRedactionRef) -> HubRedactions
        at hub invalidates [Hosts] errors [NotFound, StoreUnavailable, KeyRefused];
    /// Asks the machines that carried a redaction out to look again at what was left there, at their next sync.
    write hub_recheck_redaction(HubRedactionRef) -> HubRedactions
        at hub invalidates [Hosts] errors [NotFound, Invalid, StoreUnavailable, KeyRefused];
    /// Acknowledges, as an owner, that the hub was put back, or that machines which are gone will not carry a redaction out.
    write hub_acknowledge(HubAcknowledgeReq) -> HubStatus
        at hub invalidates [Hosts] errors [NotFound, Invalid, CannotWrite, StoreUnavailable, KeyRefused];
    /// Proposes a change to another machine, which carries it out or refuses it.
    write hub_propose(HubProposeReq) -> HubProposal
        at hub invalidates [Hosts] errors [NotFound, Invalid, StoreUnavailable, KeyRefused, ContentRedacted];
    /// Proposals of the organisation, newest first, with their results.
    read hub_proposals(Nothing) -> HubProposals
        at hub provides [Outside, Hosts] errors [NotFound, StoreUnavailable, KeyRefused];
    /// Carries out a proposal for this machine now.
    write hub_accept_proposal(HubProposalRef) -> HubProposal
        invalidates [Log, Files, Reviews, Hosts] errors [NotFound, StoreUnavailable, KeyRefused];
    /// Refuses a proposal for this machine.
    write hub_refuse_proposal(HubProposalRef) -> HubProposal
        invalidates [Hosts] errors [NotFound, StoreUnavailable, KeyRefused];
    /// Takes back a proposal of this machine that was not carried out yet.
    write hub_withdraw_proposal(HubProposalRef) -> HubProposal
        at hub invalidates [Hosts] errors [NotFound, StoreUnavailable, KeyRefused];
    /// Stops a job; it ends soon and answers with what it has.
    write cancel(JobRef) -> Cancelled;
}

/// Reads the request of a command, for a shell that answers one itself. Null means no parameters; a field that the command does not
/// have is refused.
///
/// # Errors
/// [`Code::Invalid`].
pub fn read<T: DeserializeOwned>(name: &str, request: Value) -> Result<T, ApiError> {
    let request = if request.is_null() { Value::Object(serde_json::Map::new()) } else { request };
    // What is misspelt means something: passed over, a review that was named would be "the newest one".
    let mut unknown = None;
    let read = serde_ignored::deserialize(request, |path| {
        unknown.get_or_insert_with(|| path.to_string());
    });
    let refused = |message| Err(advised(ApiError::invalid(message, name)));
    match (read, unknown) {
        (Err(error), _) => refused(say::request_cannot_read(name, error.to_string())),
        (Ok(_), Some(field)) => refused(say::no_such_field(name, field)),
        (Ok(request), None) => Ok(request),
    }
}

/// Writes the answer of a command, for a shell that answers one itself.
///
/// # Errors
/// [`Code::Internal`].
pub fn written(name: &str, response: impl Serialize) -> Result<Value, ApiError> {
    serde_json::to_value(response)
        .map_err(|error| ApiError::new(Code::Internal, say::answer_cannot_written(error.to_string()), name))
}

/// The refusal of a command that a window which a hub serves does not have.
#[must_use]
pub fn not_at_hub(name: &str) -> ApiError {
    match COMMANDS.iter().any(|command| command.name == name) {
        true => ApiError::new(Code::NotFound, say::not_at_hub(), name).hint(say::use_a_machine()),
        false => no_such_command(name),
    }
}

fn no_such_command(name: &str) -> ApiError {
    advised(ApiError::new(Code::NotFound, say::no_such_command(), name))
}

/// Runs the command `name` in a window that a hub serves: those of [`COMMANDS`] that say `at_hub`, and no other.
///
/// # Errors
/// As [`App::call`]; [`Code::NotFound`] for a command that needs a machine.
pub fn call_at_hub(member: &Member, name: &str, request: Value) -> Result<Value, ApiError> {
    catch_unwind(AssertUnwindSafe(|| dispatch_at_hub(member, name, request)))
        .unwrap_or_else(|_| Err(bug(name)))
}

fn bug(name: &str) -> ApiError {
    ApiError::new(Code::Internal, say::bug_retrace_nothing_half_done(), name)
        .hint(say::please_report_what_you_did())
}

impl App {
    /// Runs the command `name` on a JSON request. A bug in one command is an error of that call, not the end of the
    /// program.
    ///
    /// # Errors
    /// Answer of the command; [`Code::NotFound`] for an unknown name, [`Code::Invalid`] for a request it cannot read.
    pub fn call(&self, name: &str, request: Value) -> Result<Value, ApiError> {
        catch_unwind(AssertUnwindSafe(|| dispatch(self, name, request))).unwrap_or_else(|_| Err(bug(name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Message;

    #[test]
    fn a_code_of_the_table_passes() {
        for code in [Code::NotFound, Code::Busy] {
            let refused = Err::<(), _>(ApiError::new(code, Message::verbatim("no"), ""));
            assert_eq!(declared("remove_store", refused).expect_err("it is refused").code, code);
        }
    }

    #[test]
    #[should_panic(expected = "remove_store refuses with")]
    fn a_code_that_the_table_does_not_have_is_noticed() {
        check_codes();
        let refused = Err::<(), _>(ApiError::new(Code::HostLimited, Message::verbatim("no"), ""));
        drop(declared("remove_store", refused));
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "table";
    request_cannot_read(name, error) => "The request of {name} cannot be read: {error}.",
    no_such_field(name, field) => "The request of {name} has no field {field}.",
    answer_cannot_written(error) => "The answer cannot be written: {error}.",
    no_such_command() => "There is no such command.",
    not_at_hub() => "A hub's window does not have this command: it needs a machine.",
    use_a_machine() => "Use it on a machine that joined the hub.",
    bug_retrace_nothing_half_done() => "This is a bug in Retrace; nothing was half done.",
    please_report_what_you_did() => "Please report what you did.",
}
