//! The one list of commands. Dispatch, the TypeScript map, the terminal and the shells' tests all come from it.

/// One command as the list names it.
#[derive(Clone, Copy, Debug)]
pub struct CommandInfo {
    /// Its name on every transport.
    pub name: &'static str,
    /// Whether it changes anything.
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
    read log(LogReq) -> LogPage,
    read timeline(TimelineReq) -> TimelinePage,
    read activity(ActivityReq) -> Activity,
    read show(ShowReq) -> Shown,
    read diff(DiffReq) -> DiffResult,
    read search(SearchReq) -> SearchResult,
    read receipts(Nothing) -> Receipts,
    read verify(VerifyReq) -> Verified,
    write add_store(AddStore) -> Store,
    write remove_store(StoreRef) -> Store,
    write pause_store(StoreRef) -> Store,
    write resume_store(StoreRef) -> Store,
    write scan(ScanReq) -> Scanned,
    write rollback(RollbackReq) -> ActResult,
    write restore(RestoreReq) -> ActResult,
    write undo(UndoReq) -> ActResult,
    write redact(RedactReq) -> ActResult,
    write recheck_receipt(ReceiptRef) -> Receipt,
}
