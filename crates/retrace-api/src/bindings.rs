//! The TypeScript that the window is written against, made from the wire types and the list of commands.

use crate::wire;
use std::fmt::Write as _;
use ts_rs::{Config, TS};

/// The whole text of `ui/src/bindings/index.ts`. `cargo run -p retrace-api --example bindings` writes it; a test fails
/// when the file in the tree differs.
#[must_use]
pub fn typescript() -> String {
    let config = Config::new().with_large_int("number");
    let mut text = String::from(
        "// Made by `cargo run -p retrace-api --example bindings` from crates/retrace-api/src/wire. Do not edit.\n",
    );
    macro_rules! declare {
        ($($name:ident),+ $(,)?) => {
            $(
                text.push('\n');
                if let Some(docs) = <wire::$name as TS>::docs() {
                    let docs = docs.trim_end();
                    let _ = writeln!(text, "{docs}");
                }
                let _ = writeln!(text, "export {}", <wire::$name as TS>::decl(&config));
            )+
        };
    }
    declare!(
        Nothing,
        Code,
        ApiError,
        Store,
        AddStore,
        StoreRef,
        ScanReq,
        Scanned,
        ScannedStore,
        DiscoverReq,
        Discovered,
        Found,
        DiscoveryProblem,
        ActorView,
        Version,
        LogReq,
        LogPage,
        ShowReq,
        Shown,
        TimelineReq,
        Operation,
        TimelinePage,
        ActivityReq,
        Activity,
        ActivityMark,
        MemoriesReq,
        Memories,
        Memory,
        DocumentReq,
        Document,
        DocumentLine,
        MemoryKind,
        OriginNote,
        OriginReq,
        Origin,
        OriginWrite,
        OriginMessage,
        MemoryToolReq,
        MemoryToolAnswer,
        DiffReq,
        DiffResult,
        DiffSide,
        FileDiff,
        Hunk,
        DiffLine,
        Hidden,
        StoreDiff,
        FileChange,
        MovedBlock,
        RollbackReq,
        RestoreReq,
        UndoReq,
        RedactReq,
        ActResult,
        FileWrite,
        Conflict,
        RedactionMatch,
        Receipt,
        ReceiptPlace,
        Receipts,
        SearchReq,
        SearchResult,
        Hit,
        Status,
        Event,
        CheckReq,
        Finding,
        Checked,
        FindingsReq,
        Findings,
        VerifyReq,
        Verified,
        ReceiptRef,
        Stores,
        InboxReq,
        Inbox,
        InboxGroup,
        InboxItem,
        ReviewReq,
        ReviewUpToReq,
        UndoReviewReq,
        Reviewed,
        ReviewedItem,
        SkippedItem,
        FigureKind,
        TokensReq,
        NamedText,
        Tokens,
        TokenCount,
        TranscriptsReq,
        Transcripts,
        TranscriptIndexState,
        TranscriptProblem,
        TranscriptTotals,
        TranscriptRow,
        ContextShowReq,
        ContextShow,
        ContextRequest,
        RecordedUsage,
        ContextClasses,
        ContextEvent,
        ContextFile,
        CompositionReq,
        Composition,
        NamedTokens,
        LargeBlock,
        SimulateReq,
        Variant,
        Simulations,
        Simulation,
        SimulationStopped,
        SimulationWarning,
        SimulationTotals,
        SimulatedRequest,
        SimulatedCompaction,
        SimulatedLine,
        Regret,
        TurnReq,
        Turn,
        TurnMessage,
        TurnBlock,
        SweepReq,
        Sweep,
        SweepPoint,
        JobRef,
        Cancelled,
        DeployedReq,
        Deployed,
        DeployedRequest,
        ExportReq,
        Exported,
        Variants,
        VariantRef,
        MemoryPricesReq,
        MemoryPrices,
        MemoryPrice,
        Prices,
        Price,
        ConfirmReq,
        Confirmed,
        ConfirmPlan,
        ConfirmedPoint,
        CounterStatus,
        CounterKeyReq,
        NetworkCall,
    );
    text.push_str("\n/** Every command: what it takes and what it gives. */\nexport type Commands = {\n");
    for command in crate::COMMANDS {
        let _ = writeln!(
            text,
            "  {}: {{ request: {}; response: {}; writes: {} }};",
            command.name, command.request, command.response, command.writes
        );
    }
    text.push_str("};\n\n/** Commands that change something. */\nexport const WRITES: ReadonlySet<string> = new Set([\n");
    for command in crate::COMMANDS.iter().filter(|command| command.writes) {
        let _ = writeln!(text, "  \"{}\",", command.name);
    }
    text.push_str("]);\n");
    text
}
