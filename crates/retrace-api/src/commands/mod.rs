//! The one list of commands. Dispatch, the TypeScript map, the terminal and the shells' tests all come from it.

#![allow(clippy::needless_pass_by_value, reason = "a command consumes its request, whatever it does with it")]

mod api_stores;
mod blame;
mod cancel;
pub(crate) mod check;
mod compared;
mod confirm;
mod context;
mod counter;
mod deployed;
mod diff;
mod discover;
mod dreams;
pub(crate) mod entries;
mod expiry;
mod export;
mod health;
mod history;
mod import;
mod inbox;
mod instructions;
mod memories;
mod memory_prices;
mod memory_tool;
mod mounts;
mod origin;
mod prices;
mod redact;
mod relocate;
mod remote;
mod review;
mod review_report;
mod rollback;
mod rules;
mod search;
mod session_rollback;
mod simulate;
mod snapshot;
mod status;
mod stores;
mod sweep;
mod tokens;
mod transcripts;
mod turn;
mod variants;
mod verify;

pub use api_stores::{mount_store, share_store};
pub use blame::blame;
pub use cancel::cancel;
pub use check::{check, check_directory, findings};
pub use compared::{accept_memories, compare_stores};
pub use confirm::context_confirm;
pub use context::{context_composition, context_show};
pub use counter::{counter_status, set_counter_key};
pub use deployed::context_deployed;
pub use diff::diff;
pub(crate) use diff::diff_of;
pub use discover::discover;
pub use dreams::{archive_dream, cancel_dream, create_dream, dreams, plan_dream};
pub use entries::{allow_finding, move_entry, strip_characters};
pub(crate) use expiry::MESSAGES as EXPIRY_MESSAGES;
pub use expiry::{expire, expiry};
pub use export::context_export;
pub use health::health;
pub use history::{activity, log, show, timeline};
pub use import::{export_store, import_bundle, import_git, import_transcripts};
pub use inbox::{InboxList, inbox, inbox_kinds};
pub use instructions::{instruction, instructions};
pub use memories::{document, memories};
pub use memory_prices::context_memory;
pub(crate) use memory_prices::{MemoryUses, SessionUses, memory_uses};
pub use memory_tool::memory_tool;
pub use mounts::check_mounts;
pub use origin::{origin, session_writes};
pub use prices::prices;
pub(crate) use redact::{Forms, pending_places, texts_with};
pub use redact::{receipts, recheck_receipt, redact};
pub use relocate::relocate_store;
pub use remote::{
    add_remote, archive_remote, hosted_stores, pull_remote, push_remote, queued_conflict, remote_queue,
    remotes, retry_queued, set_host_key, withdraw_queued,
};
pub use review::{review, review_up_to, undo_review};
pub use review_report::review_report;
pub use rollback::{restore, rollback, undo};
pub use rules::{finding_rules, set_finding_rule};
pub use search::search;
pub use simulate::context_simulate;
pub use snapshot::agent_snapshot;
pub use status::status;
pub use stores::{add_store, pause_store, remove_store, resume_store, scan, stores};
pub(crate) use stores::{answer as store_answer, directory as directory_named_by, refuse_overlap};
pub use sweep::context_sweep;
pub(crate) use tokens::NEWEST as NEWEST_FAMILY;
pub use tokens::tokens;
pub use transcripts::transcripts;
pub use turn::context_turn;
pub use variants::{remove_variant, save_variant, variants};
pub use verify::verify;

use crate::App;
use crate::wire::{ApiError, Code};
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// One command as the list names it.
#[derive(Clone, Copy, Debug)]
pub struct CommandInfo {
    /// Its name on every transport.
    pub name: &'static str,
    /// True if it changes anything.
    pub writes: bool,
    /// Wire type of the request.
    pub request: &'static str,
    /// Wire type of the response.
    pub response: &'static str,
}

macro_rules! commands {
    ($($access:ident $name:ident($request:ident) -> $response:ident,)+) => {
        /// Every command.
        pub const COMMANDS: &[CommandInfo] = &[$(CommandInfo {
            name: stringify!($name),
            writes: commands!(@writes $access),
            request: stringify!($request),
            response: stringify!($response),
        }),+];

        fn dispatch(app: &App, name: &str, request: Value) -> Result<Value, ApiError> {
            match name {
                $(stringify!($name) => {
                    let request: crate::wire::$request = serde_json::from_value(request).map_err(|error| {
                        ApiError::invalid(format!("The request of {name} cannot be read: {error}."), name)
                    })?;
                    let response: crate::wire::$response = $name(app, request)?;
                    serde_json::to_value(response).map_err(|error| {
                        ApiError::new(Code::Internal, format!("The answer cannot be written: {error}."), name)
                    })
                })+
                _ => Err(ApiError::new(Code::NotFound, "There is no such command.", name)),
            }
        }
    };
    (@writes read) => { false };
    (@writes write) => { true };
}

commands! {
    read status(Nothing) -> Status,
    read stores(Nothing) -> Stores,
    read discover(DiscoverReq) -> Discovered,
    read memories(MemoriesReq) -> Memories,
    read document(DocumentReq) -> Document,
    read instructions(InstructionsReq) -> Instructions,
    read instruction(InstructionReq) -> Document,
    read agent_snapshot(StoreRef) -> AgentSnapshot,
    read log(LogReq) -> LogPage,
    read timeline(TimelineReq) -> TimelinePage,
    read activity(ActivityReq) -> Activity,
    read show(ShowReq) -> Shown,
    read diff(DiffReq) -> DiffResult,
    read search(SearchReq) -> SearchResult,
    read receipts(Nothing) -> Receipts,
    read check(CheckReq) -> Checked,
    read findings(FindingsReq) -> Findings,
    read health(HealthReq) -> Health,
    read expiry(ExpiryReq) -> Expiry,
    write expire(ExpireReq) -> ActResult,
    write move_entry(MoveEntryReq) -> ActResult,
    write allow_finding(AllowFindingReq) -> ActResult,
    write strip_characters(StripCharactersReq) -> ActResult,
    read finding_rules(Nothing) -> FindingRules,
    write set_finding_rule(SetFindingRule) -> FindingRules,
    read verify(VerifyReq) -> Verified,
    write add_store(AddStore) -> Store,
    write remove_store(StoreRef) -> Store,
    write pause_store(StoreRef) -> Store,
    write resume_store(StoreRef) -> Store,
    write relocate_store(RelocateStoreReq) -> Relocated,
    write scan(ScanReq) -> Scanned,
    write share_store(ShareStoreReq) -> Store,
    write mount_store(MountStoreReq) -> Store,
    write rollback(RollbackReq) -> ActResult,
    write restore(RestoreReq) -> ActResult,
    write undo(UndoReq) -> ActResult,
    read blame(BlameReq) -> Blame,
    write import_git(ImportGitReq) -> ImportResult,
    write import_transcripts(ImportTranscriptsReq) -> ImportResult,
    write import_bundle(ImportBundleReq) -> ImportResult,
    read export_store(ExportStoreReq) -> ExportedStore,
    write redact(RedactReq) -> ActResult,
    write memory_tool(MemoryToolReq) -> MemoryToolAnswer,
    write recheck_receipt(ReceiptRef) -> Receipt,
    read tokens(TokensReq) -> Tokens,
    read transcripts(TranscriptsReq) -> Transcripts,
    read context_show(ContextShowReq) -> ContextShow,
    read context_composition(CompositionReq) -> Composition,
    read context_simulate(SimulateReq) -> Simulations,
    read context_turn(TurnReq) -> Turn,
    read context_sweep(SweepReq) -> Sweep,
    read context_memory(MemoryPricesReq) -> MemoryPrices,
    read context_deployed(DeployedReq) -> Deployed,
    read context_export(ExportReq) -> Exported,
    read prices(Nothing) -> Prices,
    read origin(OriginReq) -> Origin,
    read session_writes(SessionRef) -> SessionWrites,
    read inbox(InboxReq) -> Inbox,
    read inbox_kinds(InboxKindsReq) -> InboxKinds,
    write review(ReviewReq) -> Reviewed,
    read review_report(ReviewReportReq) -> Exported,
    write review_up_to(ReviewUpToReq) -> Reviewed,
    write undo_review(UndoReviewReq) -> Reviewed,
    read variants(Nothing) -> Variants,
    write save_variant(Variant) -> Variants,
    write remove_variant(VariantRef) -> Variants,
    write context_confirm(ConfirmReq) -> Confirmed,
    read counter_status(Nothing) -> CounterStatus,
    write set_counter_key(CounterKeyReq) -> CounterStatus,
    read hosted_stores(HostRef) -> HostedStores,
    read remotes(Nothing) -> Remotes,
    write add_remote(AddRemoteReq) -> Store,
    write pull_remote(PullReq) -> Pulled,
    write push_remote(RemoteRef) -> Pushed,
    read remote_queue(RemoteRef) -> RemoteQueue,
    write withdraw_queued(WithdrawReq) -> RemoteQueue,
    read queued_conflict(QueuedRef) -> QueuedConflict,
    write retry_queued(RetryQueuedReq) -> RemoteQueue,
    write archive_remote(StoreRef) -> RemoteQueue,
    write set_host_key(HostKeyReq) -> Remotes,
    read dreams(DreamsReq) -> Dreams,
    read plan_dream(CreateDreamReq) -> DreamPlan,
    write create_dream(CreateDreamReq) -> Dream,
    write cancel_dream(DreamRef) -> Dream,
    write archive_dream(DreamRef) -> Dream,
    read compare_stores(CompareStoresReq) -> StoreComparison,
    write accept_memories(AcceptMemoriesReq) -> ActResult,
    read check_mounts(MountsReq) -> Mounts,
    write cancel(JobRef) -> Cancelled,
}

impl App {
    /// Runs the command `name` on a JSON request. A bug in one command is an error of that call, not the end of the
    /// program.
    ///
    /// # Errors
    /// Answer of the command; [`Code::NotFound`] for an unknown name, [`Code::Invalid`] for a request it cannot read.
    pub fn call(&self, name: &str, request: Value) -> Result<Value, ApiError> {
        let request = if request.is_null() { Value::Object(serde_json::Map::new()) } else { request };
        catch_unwind(AssertUnwindSafe(|| dispatch(self, name, request))).unwrap_or_else(|_| {
            Err(ApiError::new(Code::Internal, "This is a bug in Retrace; nothing was half done.", name)
                .hint("Please report what you did."))
        })
    }
}
