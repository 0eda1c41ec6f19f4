//! The TypeScript that the window is written against, made from the wire types, the list of commands, the rules and the
//! sentences.

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
        ShareStoreReq,
        MountStoreReq,
        HostRef,
        HostKeyReq,
        HostedStores,
        HostedStore,
        AddRemoteReq,
        RemoteRef,
        PullReq,
        Remotes,
        RemoteHost,
        RemoteCall,
        RemoteStore,
        Pulled,
        PulledStore,
        RemoteQueue,
        QueuedChange,
        QueuedRef,
        QueuedConflict,
        RetryQueuedReq,
        WithdrawReq,
        Pushed,
        DreamsReq,
        Dreams,
        Dream,
        DreamUsage,
        DreamRef,
        CreateDreamReq,
        DreamPlan,
        CompareStoresReq,
        StoreComparison,
        ComparedMemory,
        AcceptMemoriesReq,
        MountsReq,
        Mounts,
        MountProblem,
        MountPreview,
        MountedFile,
        ScanReq,
        Scanned,
        ScannedStore,
        DiscoverReq,
        Discovered,
        Found,
        DiscoveryProblem,
        ActorView,
        BaselineOf,
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
        ImportGitReq,
        ImportTranscriptsReq,
        ImportBundleReq,
        ImportResult,
        ImportedFile,
        ExportStoreReq,
        ExportedStore,
        BlameReq,
        Blame,
        BlameLine,
        BlameVersion,
        MemoriesReq,
        Memories,
        Memory,
        DocumentReq,
        Document,
        DocumentLine,
        MemoryKind,
        InstructionsReq,
        Instructions,
        InstructionsTotal,
        Instruction,
        InstructionReq,
        AgentSnapshot,
        ProjectSnapshot,
        SnapshotChange,
        OriginNote,
        PutBack,
        OriginReq,
        Origin,
        OriginWrite,
        OriginMessage,
        SessionRef,
        SessionWrites,
        SessionVersion,
        SessionWrite,
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
        RelocateStoreReq,
        Relocated,
        RestoreReq,
        UndoReq,
        RedactReq,
        FindingPlace,
        ActResult,
        UndoneAct,
        ImportedState,
        FileWrite,
        LikelyChange,
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
        HealthReq,
        Health,
        StoreHealth,
        StoreFinding,
        IndexHealth,
        HostedFit,
        GroupCount,
        StoreLoads,
        MemoryLoads,
        ExpiryReq,
        Expiry,
        ExpiryProposal,
        ExpiryReason,
        IndexLine,
        ExpireReq,
        ExpireMemory,
        MoveEntryReq,
        AllowFindingReq,
        StripCharactersReq,
        Remedy,
        FindingRules,
        FindingRule,
        SetFindingRule,
        IndexCut,
        DesktopSettings,
        DesktopState,
        VerifyReq,
        Verified,
        ReceiptRef,
        Stores,
        InboxReq,
        Inbox,
        InboxKindsReq,
        InboxKinds,
        KindCount,
        InboxGroup,
        InboxItem,
        ReviewReq,
        ReviewUpToReq,
        ReviewReportReq,
        UndoReviewReq,
        Reviewed,
        Approval,
        RuleCount,
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
        ContextPeak,
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

/// The whole text of `ui/src/bindings/words.ts`: what the program says of rules, each sentence marked as one that other
/// languages say anew. Written and compared with the tree as [`typescript`] is.
#[must_use]
pub fn words() -> String {
    let mut text = String::from(
        "// Made by `cargo run -p retrace-api --example bindings` from crates/retrace-findings. Do not edit.\n\
         import type { MessageDescriptor } from \"@lingui/core\";\n\
         import { msg } from \"@lingui/core/macro\";\n\n\
         /** What people are told about a rule. */\n\
         export type RuleWords = {\n\
         /** What it is called. */\n\
         name: MessageDescriptor;\n\
         /** What it checks; null for the kinds of secrets, which are explained by their names. */\n\
         explanation: MessageDescriptor | null;\n\
         /** What to do about a finding. */\n\
         remedy: MessageDescriptor;\n};\n\n\
         /** Every rule by its id. */\n\
         export const RULES: Readonly<Record<string, RuleWords>> = {\n",
    );
    for rule in retrace_findings::rules() {
        let explanation =
            if rule.group() == "secret" { "null".to_owned() } else { message(&rule.explanation) };
        let _ = writeln!(
            text,
            "  {:?}: {{\n    name: msg({{ context: \"rule\", message: {:?} }}),\n    explanation: {explanation},\n    \
             remedy: {},\n  }},",
            rule.id,
            rule.name,
            message(&rule.remedy)
        );
    }
    text.push_str("};\n");
    text
}

/// The whole text of `ui/src/bindings/sentences.ts`: every sentence of the program that the window shows. It is apart from
/// [`words`], since only a window in another language than English loads it. Written and compared with the tree as
/// [`typescript`] is.
#[must_use]
pub fn sentences() -> String {
    let mut text = String::from(
        "// Made by `cargo run -p retrace-api --example bindings` from crates/retrace-api/src/sentences. Do not edit.\n\
         import type { MessageDescriptor } from \"@lingui/core\";\n\
         import { msg } from \"@lingui/core/macro\";\n\n\
         /** A sentence of the program, and what other languages say for it. */\n\
         export type Sentence = { english: string; words: MessageDescriptor };\n\n\
         /** Every sentence that the window shows as the program said it; `{0}`, `{1}` … stand for what it is about. Where two \
         fit, the first is meant. */\n\
         export const SENTENCES: readonly Sentence[] = [\n",
    );
    for sentence in crate::sentences::sentences() {
        let _ = writeln!(text, "  {{ english: {sentence:?}, words: {} }},", message(sentence));
    }
    text.push_str("];\n");
    text
}

/// A sentence as one to be said in other languages. Rust writes a text with the escapes that TypeScript knows, as long as it
/// holds what people type.
fn message(english: &str) -> String {
    format!("msg({{ message: {:?} }})", escaped(english))
}

/// A sentence as the catalogues write it: braces that are no place stand in apostrophes with what is between them, and an
/// apostrophe beside a place is written twice.
fn escaped(english: &str) -> String {
    let mut text = String::new();
    let mut rest = english;
    while let Some(letter) = rest.chars().next() {
        let length = match letter {
            '{' if starts_with_place(rest) => PLACE,
            '{' | '}' => {
                let length = own_braces(rest);
                text.extend(["'", &rest[..length], "'"]);
                rest = &rest[length..];
                continue;
            }
            _ => letter.len_utf8(),
        };
        let (piece, after) = rest.split_at(length);
        let doubled = letter == '\'' && (starts_with_place(after) || text.ends_with('}'));
        text.push_str(if doubled { "''" } else { piece });
        rest = after;
    }
    text
}

/// The length of a place.
const PLACE: usize = "{0}".len();

fn starts_with_place(text: &str) -> bool {
    matches!(text.as_bytes(), [b'{', b'0'..=b'9', b'}', ..])
}

/// Length of a text that begins with a brace of its own, up to the last such brace before a place.
fn own_braces(text: &str) -> usize {
    let place = text.char_indices().map(|(at, _)| at).find(|at| starts_with_place(&text[*at..]));
    let before = &text[..place.unwrap_or(text.len())];
    before.rfind(['{', '}']).map_or(1, |last| last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_and_apostrophes_are_written_as_catalogues_read_them() {
        assert_eq!(escaped("There is no \"{0}\"."), "There is no \"{0}\".");
        assert_eq!(escaped("a store's name {0}"), "a store's name {0}");
        assert_eq!(escaped("Give one; {} is none."), "Give one; '{}' is none.");
        assert_eq!(escaped("As {\"a\":[{}]}, or {} for {0}."), "As '{\"a\":[{}]}, or {}' for {0}.");
        assert_eq!(escaped("tag '{0}' of '{1}'"), "tag ''{0}'' of ''{1}''");
    }
}
