// Made by `cargo run -p retrace-api --example bindings` from crates/retrace-api/src/wire. Do not edit.

/**
 * A request without parameters.
 */
export type Nothing = Record<symbol, never>;

/**
 * Why a command was refused or failed. A code exists because some client branches on it.
 */
export type Code = "invalid" | "not_found" | "head_moved" | "store_unavailable" | "content_redacted" | "purge_pending" | "database_newer" | "database_damaged" | "cannot_write" | "busy" | "internal";

/**
 * An error: what happened, to what, and what to do next.
 */
export type ApiError = { 
/**
 * For programs.
 */
code: Code, 
/**
 * One plain sentence.
 */
message: string, 
/**
 * What to do next; empty when there is nothing to advise.
 */
hint: string, 
/**
 * The thing concerned: a path, an id, a field. Never a secret.
 */
subject: string, };

/**
 * A store as a list shows it.
 */
export type Store = { 
/**
 * `memstore_…`
 */
id: string, 
/**
 * Name for people, unique.
 */
name: string, 
/**
 * Whose memory it holds: `claude-auto`, `claude-agent`, `memory-tool`, `codex`, `gemini`, `letta`, `openclaw`,
 * `basic-memory`, `copilot`, `cline`, `plain`, `remote`.
 */
kind: string, 
/**
 * Its directory.
 */
root: string, 
/**
 * `recording`, `paused`, `missing`, `denied` or `limited`.
 */
state: string, 
/**
 * Why it is in that state, where there is more to say.
 */
state_detail: string | null, 
/**
 * Live memories.
 */
memories: number, 
/**
 * Versions recorded.
 */
versions: number, 
/**
 * Versions nobody has reviewed yet.
 */
unreviewed: number, 
/**
 * Time of the newest version.
 */
last_change: string | null, 
/**
 * What the store leaves out, one rule a line, for people.
 */
rules: Array<string>, };

/**
 * Adds a directory as a store and takes its baseline.
 */
export type AddStore = { 
/**
 * Directory, absolute or relative to the program's working directory.
 */
root: string, 
/**
 * One of the kinds of [`Store`]; `plain` when absent.
 */
kind: string | null, 
/**
 * Name; the directory's own name when absent.
 */
name: string | null, };

/**
 * Names one store.
 */
export type StoreRef = { 
/**
 * Id or name.
 */
store: string, };

/**
 * A look at directories right now.
 */
export type ScanReq = { 
/**
 * Ids or names; all stores when empty.
 */
stores: Array<string>, };

/**
 * What a look found.
 */
export type Scanned = { 
/**
 * Stores looked at.
 */
stores: Array<ScannedStore>, };

/**
 * What a look found in one store.
 */
export type ScannedStore = { 
/**
 * `memstore_…`
 */
id: string, 
/**
 * Name for people.
 */
name: string, 
/**
 * State after the look.
 */
state: string, 
/**
 * Why, where there is more to say.
 */
state_detail: string | null, 
/**
 * Versions recorded by this look.
 */
versions: number, };

/**
 * Looks for agent memory. Only reads.
 */
export type DiscoverReq = { 
/**
 * Home directory to look in; the user's own when absent.
 */
home: string | null, 
/**
 * Further project directories to look in.
 */
projects: Array<string>, };

/**
 * What was found.
 */
export type Discovered = { 
/**
 * Directories, those in use first.
 */
found: Array<Found>, 
/**
 * What could not be read or was refused, each in a sentence.
 */
problems: Array<DiscoveryProblem>, };

/**
 * One directory that holds agent memory.
 */
export type Found = { 
/**
 * The directory.
 */
root: string, 
/**
 * Store kind, as in [`super::Store`].
 */
kind: string, 
/**
 * Proposed name.
 */
name: string, 
/**
 * Why it is believed to be that, one fact each.
 */
evidence: Array<string>, 
/**
 * The project it belongs to.
 */
project: string | null, 
/**
 * Whether the agent uses it at present.
 */
enabled: boolean, 
/**
 * Why it is used or not.
 */
reason: string, 
/**
 * Whether the directory exists.
 */
exists: boolean, 
/**
 * Memory files in it.
 */
files: number, 
/**
 * The store that records it already.
 */
store_id: string | null, };

/**
 * Something discovery could not use.
 */
export type DiscoveryProblem = { 
/**
 * File or setting concerned.
 */
subject: string, 
/**
 * What is wrong with it.
 */
message: string, };

/**
 * Who made a change.
 */
export type ActorView = { "type": "session_actor", 
/**
 * The session's id.
 */
session_id: string, 
/**
 * How it is known: `stated`, `exact_content`, `front_matter`, `time_only`.
 */
evidence: string, } | { "type": "api_actor", 
/**
 * Id of its key.
 */
api_key_id: string, } | { "type": "user_actor", 
/**
 * Login name.
 */
user_id: string, } | { "type": "service_account_actor", 
/**
 * Its id.
 */
service_account_id: string, };

/**
 * One version of one memory.
 */
export type Version = { 
/**
 * Place in the log, from 1.
 */
seq: number, 
/**
 * The operation it belongs to.
 */
operation_seq: number, 
/**
 * `memver_…`
 */
id: string, 
/**
 * `memstore_…`
 */
store_id: string, 
/**
 * `mem_…`; stays the same through renames.
 */
memory_id: string, 
/**
 * `created`, `modified` or `deleted`.
 */
operation: string, 
/**
 * Path after the change; null when redacted.
 */
path: string | null, 
/**
 * Path before, where this version moved the memory.
 */
previous_path: string | null, 
/**
 * Hash of the raw bytes; null for deleted and redacted versions.
 */
content_sha256: string | null, 
/**
 * Size in bytes; null for deleted and redacted versions.
 */
content_size_bytes: number | null, 
/**
 * `text`, `binary`, `too_large` (content not kept), or null where there is none.
 */
content_kind: string | null, 
/**
 * When it was recorded.
 */
created_at: string, 
/**
 * Who; null when unknown.
 */
created_by: ActorView | null, 
/**
 * What caused it: `scan`, `rollback`, `restore`, `redact`, `api`, `tool`, `import`, `rebuilt`.
 */
source: string, 
/**
 * Why, where a reason was given.
 */
note: string | null, 
/**
 * When it was redacted.
 */
redacted_at: string | null, 
/**
 * By whom.
 */
redacted_by: ActorView | null, };

/**
 * Filters for the log. All given ones must hold.
 */
export type LogReq = { 
/**
 * Store, id or name.
 */
store: string | null, 
/**
 * Exact path, or a directory and all below it. Follows a memory through its renames when it names one.
 */
path: string | null, 
/**
 * One memory, `mem_…`.
 */
memory: string | null, 
/**
 * `created`, `modified` or `deleted`.
 */
operation: string | null, 
/**
 * An actor's id, or `unknown`.
 */
actor: string | null, 
/**
 * Not before this time.
 */
since: string | null, 
/**
 * Not after this time.
 */
until: string | null, 
/**
 * Versions of this operation only.
 */
operation_seq: number | null, 
/**
 * At most so many; 100 when absent, 1,000 at most.
 */
limit: number | null, 
/**
 * Only versions before this place.
 */
before: number | null, };

/**
 * A page of the log, newest first.
 */
export type LogPage = { 
/**
 * The versions.
 */
versions: Array<Version>, 
/**
 * Pass as `before` for the next page; null at the end.
 */
next_before: number | null, };

/**
 * Asks for one version.
 */
export type ShowReq = { 
/**
 * `memver_…`
 */
version: string, 
/**
 * Whether the content is wanted.
 */
content: boolean, };

/**
 * One version, with its content where asked.
 */
export type Shown = { 
/**
 * Content, when it is UTF-8.
 */
content?: string, 
/**
 * Content, when it is not UTF-8.
 */
content_base64?: string, 
/**
 * Place in the log, from 1.
 */
seq: number, 
/**
 * The operation it belongs to.
 */
operation_seq: number, 
/**
 * `memver_…`
 */
id: string, 
/**
 * `memstore_…`
 */
store_id: string, 
/**
 * `mem_…`; stays the same through renames.
 */
memory_id: string, 
/**
 * `created`, `modified` or `deleted`.
 */
operation: string, 
/**
 * Path after the change; null when redacted.
 */
path: string | null, 
/**
 * Path before, where this version moved the memory.
 */
previous_path: string | null, 
/**
 * Hash of the raw bytes; null for deleted and redacted versions.
 */
content_sha256: string | null, 
/**
 * Size in bytes; null for deleted and redacted versions.
 */
content_size_bytes: number | null, 
/**
 * `text`, `binary`, `too_large` (content not kept), or null where there is none.
 */
content_kind: string | null, 
/**
 * When it was recorded.
 */
created_at: string, 
/**
 * Who; null when unknown.
 */
created_by: ActorView | null, 
/**
 * What caused it: `scan`, `rollback`, `restore`, `redact`, `api`, `tool`, `import`, `rebuilt`.
 */
source: string, 
/**
 * Why, where a reason was given.
 */
note: string | null, 
/**
 * When it was redacted.
 */
redacted_at: string | null, 
/**
 * By whom.
 */
redacted_by: ActorView | null, };

/**
 * Filters for the timeline.
 */
export type TimelineReq = { 
/**
 * Store, id or name; all stores when absent.
 */
store: string | null, 
/**
 * At most so many operations; 100 when absent, 1,000 at most.
 */
limit: number | null, 
/**
 * Only operations before this one.
 */
before: number | null, };

/**
 * One operation and what it changed.
 */
export type Operation = { 
/**
 * Place in the order of operations, from 1.
 */
seq: number, 
/**
 * The store it concerns; null for acts over several.
 */
store_id: string | null, 
/**
 * Cause, as in [`Version`].
 */
source: string, 
/**
 * When.
 */
created_at: string, 
/**
 * Who; null when unknown.
 */
created_by: ActorView | null, 
/**
 * Why, where a reason was given.
 */
note: string | null, 
/**
 * Memories created.
 */
created: number, 
/**
 * Memories modified.
 */
modified: number, 
/**
 * Memories deleted.
 */
deleted: number, 
/**
 * The operation that undid this one.
 */
undone_by: number | null, 
/**
 * Whether `undo` would accept it.
 */
undoable: boolean, 
/**
 * Its first versions, at most 20.
 */
versions: Array<Version>, };

/**
 * A page of the timeline, newest first.
 */
export type TimelinePage = { 
/**
 * The operations.
 */
operations: Array<Operation>, 
/**
 * Pass as `before` for the next page; null at the end.
 */
next_before: number | null, };

/**
 * Asks when a store changed, for the time machine's axis.
 */
export type ActivityReq = { 
/**
 * Store, id or name.
 */
store: string, };

/**
 * When a store changed.
 */
export type Activity = { 
/**
 * Marks from old to new; at most 1,000, neighbours joined beyond that.
 */
marks: Array<ActivityMark>, };

/**
 * One mark on the axis.
 */
export type ActivityMark = { 
/**
 * The newest operation in the mark.
 */
operation_seq: number, 
/**
 * Its time.
 */
at: string, 
/**
 * Its cause, as in [`Version`].
 */
source: string, 
/**
 * Memories created.
 */
created: number, 
/**
 * Memories modified.
 */
modified: number, 
/**
 * Memories deleted.
 */
deleted: number, };

/**
 * Asks for the memories of a store.
 */
export type MemoriesReq = { 
/**
 * Store, id or name.
 */
store: string, 
/**
 * As of this instant or operation (RFC 3339, or an operation's number); now when absent.
 */
at: string | null, };

/**
 * The memories of a store, by path.
 */
export type Memories = { 
/**
 * One row a memory.
 */
memories: Array<Memory>, };

/**
 * One memory.
 */
export type Memory = { 
/**
 * `mem_…`
 */
id: string, 
/**
 * Its path; null when its newest version is redacted and the file is gone.
 */
path: string | null, 
/**
 * Its newest version, `memver_…`.
 */
version_id: string, 
/**
 * Place of that version in the log.
 */
seq: number, 
/**
 * Hash of its content; null when redacted.
 */
content_sha256: string | null, 
/**
 * Size in bytes; null when redacted.
 */
content_size_bytes: number | null, 
/**
 * `text`, `binary`, `too_large`; null when redacted.
 */
content_kind: string | null, 
/**
 * How many versions it has.
 */
versions: number, 
/**
 * When it last changed.
 */
changed_at: string, };

/**
 * Names one content: a version, a file as it is on disk, or a memory at an instant. The same forms as in the terminal:
 * `memver_…`, `STORE:PATH` (live), `STORE:PATH@TIME` (TIME is RFC 3339 or an operation's number).
 */
export type DocumentReq = { 
/**
 * The content.
 */
target: string, 
/**
 * Whether colour spans are wanted.
 */
highlight: boolean, };

/**
 * A content, ready to be shown: no line carries markup, hidden characters are named.
 */
export type Document = { 
/**
 * What it is: the version, where the log has it.
 */
version: Version | null, 
/**
 * Path.
 */
path: string | null, 
/**
 * Hash of the raw bytes.
 */
content_sha256: string | null, 
/**
 * Size in bytes.
 */
content_size_bytes: number | null, 
/**
 * `text`, `binary`, `too_large` or `redacted`.
 */
kind: string, 
/**
 * Lines; empty unless text.
 */
lines: Array<DocumentLine>, 
/**
 * True when not all lines are given (more than 100,000).
 */
truncated: boolean, };

/**
 * One line of a content.
 */
export type DocumentLine = { 
/**
 * Text without its line end.
 */
text: string, 
/**
 * Colour: start, end, class.
 */
spans: Array<[number, number, string]>, 
/**
 * Characters a reader would not see.
 */
hidden: Array<Hidden>, };

/**
 * Asks for the difference between two contents or two states of a store. Forms: `memver_…`, `STORE:PATH` (live),
 * `STORE:PATH@TIME`, `STORE` (live), `STORE@TIME`, where TIME is RFC 3339 or an operation's number.
 */
export type DiffReq = { 
/**
 * The older side. A version alone is held against the version before it; a live file against its newest version.
 */
a: string, 
/**
 * The newer side.
 */
b: string | null, 
/**
 * Mark changed words within changed lines.
 */
words: boolean, 
/**
 * Unchanged lines around each change; 3 when absent.
 */
context: number | null, 
/**
 * Colour spans as in a document.
 */
highlight: boolean, };

/**
 * A difference.
 */
export type DiffResult = FileDiff | StoreDiff;

/**
 * One side of a difference.
 */
export type DiffSide = { 
/**
 * What was asked for.
 */
target: string, 
/**
 * `memstore_…`
 */
store_id: string | null, 
/**
 * The version, where the side is one.
 */
version_id: string | null, 
/**
 * Path.
 */
path: string | null, 
/**
 * Hash; null when there is nothing there.
 */
content_sha256: string | null, 
/**
 * Size in bytes; null when there is nothing there.
 */
content_size_bytes: number | null, 
/**
 * True when the content was redacted. Only the predecessor of a version asked for alone can be: the version is then
 * shown whole, every line as added.
 */
redacted: boolean, };

/**
 * The difference between two contents.
 */
export type FileDiff = { 
/**
 * Older side.
 */
from: DiffSide, 
/**
 * Newer side.
 */
to: DiffSide, 
/**
 * True when the deadline was hit: the difference is right but may not be the smallest.
 */
truncated: boolean, 
/**
 * True when a side is not text: no hunks then.
 */
binary: boolean, 
/**
 * Lines added.
 */
added: number, 
/**
 * Lines removed.
 */
removed: number, 
/**
 * The changes with their surroundings.
 */
hunks: Array<Hunk>, };

/**
 * One change with its surroundings.
 */
export type Hunk = { 
/**
 * First line on the older side.
 */
old_start: number, 
/**
 * Lines on the older side.
 */
old_lines: number, 
/**
 * First line on the newer side.
 */
new_start: number, 
/**
 * Lines on the newer side.
 */
new_lines: number, 
/**
 * The lines.
 */
lines: Array<DiffLine>, };

/**
 * One line of a difference.
 */
export type DiffLine = { 
/**
 * `equal`, `insert` or `delete`.
 */
tag: string, 
/**
 * Line number on the older side.
 */
old: number | null, 
/**
 * Line number on the newer side.
 */
new: number | null, 
/**
 * Text without its line end.
 */
text: string, 
/**
 * Changed stretches: start, end.
 */
words: Array<[number, number]>, 
/**
 * Characters a reader would not see.
 */
hidden: Array<Hidden>, 
/**
 * Colour: start, end, class.
 */
spans: Array<[number, number, string]>, 
/**
 * True on a last line without a line feed.
 */
no_newline: boolean, 
/**
 * True when the line ends in carriage return and line feed.
 */
carriage_return: boolean, };

/**
 * A character or stretch that a reader would not see.
 */
export type Hidden = { 
/**
 * Where it starts.
 */
at: number, 
/**
 * How many characters it covers.
 */
length: number, 
/**
 * Its name: `U+200B`, `0xE9` for a byte that is not UTF-8, `<!--` for a comment.
 */
code: string, 
/**
 * Its sort: `zero_width`, `bidi_control`, `tag`, `soft_hyphen`, `control`, `html_comment`, `invalid_byte`, …
 */
kind: string, };

/**
 * The difference between two states of a store.
 */
export type StoreDiff = { 
/**
 * Older side.
 */
from: DiffSide, 
/**
 * Newer side.
 */
to: DiffSide, 
/**
 * Files that differ, by path.
 */
files: Array<FileChange>, 
/**
 * Blocks of lines that went from one file to another.
 */
moves: Array<MovedBlock>, };

/**
 * One file that differs.
 */
export type FileChange = { 
/**
 * Path on the newer side, or on the older where it is gone.
 */
path: string, 
/**
 * Path on the older side, where the memory moved.
 */
previous_path: string | null, 
/**
 * `created`, `modified` or `deleted`.
 */
operation: string, 
/**
 * Hash on the older side.
 */
from_sha256: string | null, 
/**
 * Hash on the newer side.
 */
to_sha256: string | null, 
/**
 * Lines added.
 */
added: number, 
/**
 * Lines removed.
 */
removed: number, 
/**
 * True when a side is not text.
 */
binary: boolean, };

/**
 * A block of lines that went from one file to another.
 */
export type MovedBlock = { 
/**
 * From which file.
 */
from_path: string, 
/**
 * First line there.
 */
from_line: number, 
/**
 * To which file.
 */
to_path: string, 
/**
 * First line there.
 */
to_line: number, 
/**
 * How many lines.
 */
lines: number, };

/**
 * Puts memories back. Exactly one of `to`, `session` and `operation_seq` is given.
 */
export type RollbackReq = { 
/**
 * With `to`: the memory, as `STORE:PATH` or `mem_…`.
 */
memory: string | null, 
/**
 * Put the memory back to this version, `memver_…`.
 */
to: string | null, 
/**
 * Take back what this session wrote.
 */
session: string | null, 
/**
 * Take back what this operation changed.
 */
operation_seq: number | null, 
/**
 * With `to`: hash the file must have now; the newest version's when absent.
 */
expect: string | null, 
/**
 * Say what would be done, and do nothing.
 */
dry_run: boolean, };

/**
 * Puts a whole directory back to an instant.
 */
export type RestoreReq = { 
/**
 * Store, id or name.
 */
store: string, 
/**
 * RFC 3339, or an operation's number: the state right after it.
 */
at: string, 
/**
 * Say what would be done, and do nothing.
 */
dry_run: boolean, };

/**
 * Takes an act back.
 */
export type UndoReq = { 
/**
 * The operation; the newest act that can be undone when absent.
 */
operation_seq: number | null, 
/**
 * Say what would be done, and do nothing.
 */
dry_run: boolean, };

/**
 * Takes content out of history. Exactly one of `versions`, `find` and `secret_base64` is given.
 */
export type RedactReq = { 
/**
 * These versions, `memver_…`.
 */
versions: Array<string>, 
/**
 * Every version whose content or path matches this regular expression.
 */
find: string | null, 
/**
 * Every version that holds exactly these bytes.
 */
secret_base64: string | null, 
/**
 * Only in this store, id or name; all stores when absent.
 */
store: string | null, 
/**
 * Also replace it in the live files by a marker.
 */
live: boolean, 
/**
 * Why; must not hold the secret.
 */
reason: string | null, 
/**
 * Say what would be done, and do nothing.
 */
dry_run: boolean, };

/**
 * What an act did, or with `dry_run` would do.
 */
export type ActResult = { 
/**
 * Nothing was done.
 */
dry_run: boolean, 
/**
 * The operation that was appended; null when nothing was.
 */
operation_seq: number | null, 
/**
 * Files written.
 */
writes: Array<FileWrite>, 
/**
 * Files deleted.
 */
deletes: Array<FileWrite>, 
/**
 * Files left alone because they moved on. The act did nothing at all unless `partial`.
 */
conflicts: Array<Conflict>, 
/**
 * True when some files were done and others not (a disk that filled up on the way).
 */
partial: boolean, 
/**
 * With a redaction: where the content stands, masked.
 */
matches: Array<RedactionMatch>, 
/**
 * With a redaction that was done: the receipt.
 */
receipt: Receipt | null, 
/**
 * Things worth knowing, each a sentence.
 */
warnings: Array<string>, };

/**
 * One file an act writes or deletes.
 */
export type FileWrite = { 
/**
 * `memstore_…`
 */
store_id: string, 
/**
 * Path.
 */
path: string, 
/**
 * Hash before; null when the file did not exist.
 */
from_sha256: string | null, 
/**
 * Hash after; null when the file is deleted.
 */
to_sha256: string | null, };

/**
 * A file that moved on. Its present content is recorded; all three contents can be shown.
 */
export type Conflict = { 
/**
 * `memstore_…`
 */
store_id: string, 
/**
 * Path.
 */
path: string, 
/**
 * Hash the act expected; null when it expected no file.
 */
expected_sha256: string | null, 
/**
 * Hash found; null when there is no file.
 */
found_sha256: string | null, 
/**
 * The version the act expected to replace.
 */
expected_version_id: string | null, 
/**
 * The version that records what was found.
 */
found_version_id: string | null, 
/**
 * The version the act wanted to write.
 */
wanted_version_id: string | null, 
/**
 * One sentence: what stood in the way.
 */
message: string, };

/**
 * One place a redaction is about, masked.
 */
export type RedactionMatch = { 
/**
 * `version`, `live` or `transcript`.
 */
place: string, 
/**
 * `memstore_…`
 */
store_id: string | null, 
/**
 * The version, with `version`.
 */
version_id: string | null, 
/**
 * Path, masked where it matches itself.
 */
path: string | null, 
/**
 * Line of the first match; null when the whole content goes because the version was named.
 */
line: number | null, 
/**
 * That line, each match replaced by `█`; at most 200 characters.
 */
masked: string | null, 
/**
 * Matches in this place.
 */
hits: number, 
/**
 * What happens to it: `redact_version`, `replace_in_place`, `left`.
 */
action: string, };

/**
 * What a redaction did, and the proof.
 */
export type Receipt = { 
/**
 * `receipt_…`
 */
id: string, 
/**
 * When.
 */
created_at: string, 
/**
 * By whom.
 */
created_by: ActorView | null, 
/**
 * Why.
 */
reason: string | null, 
/**
 * How it was chosen: `versions`, `find` or `secret`.
 */
method: string, 
/**
 * The operation in the log.
 */
operation_seq: number, 
/**
 * Versions redacted.
 */
versions: number, 
/**
 * Live files changed.
 */
live_files: number, 
/**
 * `done`, or `pending` while another process holds a read.
 */
purge: string, 
/**
 * Where was looked, and what was found.
 */
places: Array<ReceiptPlace>, 
/**
 * The head of the chain after it.
 */
chain_head: string, 
/**
 * Whether the chain verified after the purge; null while pending.
 */
chain_verified: boolean | null, 
/**
 * Things worth knowing, each a sentence: a short secret, content that came back.
 */
warnings: Array<string>, };

/**
 * One place a receipt speaks of.
 */
export type ReceiptPlace = { 
/**
 * For people: "Database file, raw bytes".
 */
place: string, 
/**
 * `clean`, `left` or `out_of_reach`.
 */
state: string, 
/**
 * What was found there.
 */
hits: number, 
/**
 * More, where there is more to say.
 */
detail: string | null, };

/**
 * The receipts, newest first.
 */
export type Receipts = { 
/**
 * All of them.
 */
receipts: Array<Receipt>, };

/**
 * Looks for words. Every word must occur (as the beginning of a word, case folded) in the content.
 */
export type SearchReq = { 
/**
 * The words.
 */
query: string, 
/**
 * Look through all versions instead of the live memories: each hit is a version that brought the words in.
 */
history: boolean, 
/**
 * Only this store, id or name.
 */
store: string | null, 
/**
 * At most so many hits; 100 when absent, 1,000 at most.
 */
limit: number | null, };

/**
 * What was found.
 */
export type SearchResult = { 
/**
 * Hits, newest first.
 */
hits: Array<Hit>, 
/**
 * True when there are more than asked for.
 */
more: boolean, };

/**
 * One place where the words occur.
 */
export type Hit = { 
/**
 * `memstore_…`
 */
store_id: string, 
/**
 * `mem_…`
 */
memory_id: string, 
/**
 * `memver_…`
 */
version_id: string, 
/**
 * Path of that version.
 */
path: string | null, 
/**
 * Line of the best match.
 */
line: number, 
/**
 * That line, cut to about 160 characters around the match.
 */
snippet: string, 
/**
 * Matches in the snippet: start, end.
 */
matches: Array<[number, number]>, 
/**
 * When the version was recorded.
 */
created_at: string, };

/**
 * What the status line shows.
 */
export type Status = { 
/**
 * Version of the program.
 */
program: string, 
/**
 * Where the log is.
 */
data_dir: string, 
/**
 * Stores.
 */
stores: number, 
/**
 * Live memories over all stores.
 */
memories: number, 
/**
 * Versions over all stores.
 */
versions: number, 
/**
 * The newest operation: the cursor of the change feed.
 */
cursor: number, 
/**
 * Time of the newest version.
 */
last_write: string | null, 
/**
 * Size of the log on disk, its write-ahead log included, in bytes.
 */
log_bytes: number, 
/**
 * Whether some process records at present.
 */
recording: boolean, 
/**
 * Whether it is this process.
 */
recording_here: boolean, 
/**
 * When the chain was last verified by this process.
 */
chain_verified_at: string | null, 
/**
 * What that found.
 */
chain_ok: boolean | null, 
/**
 * Redactions whose purge is not finished.
 */
purge_pending: number, 
/**
 * Network calls made by this process. There are none unless the user asked.
 */
network_calls: number, 
/**
 * First run: no store was ever added.
 */
first_run: boolean, };

/**
 * What a client is told without asking. It says where to look, never what is there.
 */
export type Event = { "type": "advanced", 
/**
 * The newest operation.
 */
cursor: number, } | { "type": "stores" } | { "type": "receipts" } | { "type": "progress", 
/**
 * What.
 */
task: string, 
/**
 * Done so far.
 */
done: number, 
/**
 * Of how many; null when not known.
 */
total: number | null, };

/**
 * Verifies the log.
 */
export type VerifyReq = { 
/**
 * Also prove that these bytes are in no file of the data directory.
 */
absent_base64: string | null, };

/**
 * What verification found.
 */
export type Verified = { 
/**
 * No problem at all.
 */
ok: boolean, 
/**
 * Versions checked.
 */
versions: number, 
/**
 * Contents checked.
 */
blobs: number, 
/**
 * Head of the chain.
 */
chain_head: string, 
/**
 * What is wrong, each in a sentence.
 */
problems: Array<string>, 
/**
 * Whether the bytes are absent; null when not asked.
 */
absent: boolean | null, 
/**
 * With `absent`: where they were found.
 */
found_in: Array<string>, 
/**
 * Things worth knowing, each a sentence.
 */
warnings: Array<string>, };

/**
 * Names a receipt.
 */
export type ReceiptRef = { 
/**
 * `receipt_…`
 */
receipt: string, };

/**
 * All stores, by name.
 */
export type Stores = { 
/**
 * The stores.
 */
stores: Array<Store>, };

/** Every command: what it takes and what it gives. */
export type Commands = {
  status: { request: Nothing; response: Status; writes: false };
  stores: { request: Nothing; response: Stores; writes: false };
  discover: { request: DiscoverReq; response: Discovered; writes: false };
  memories: { request: MemoriesReq; response: Memories; writes: false };
  document: { request: DocumentReq; response: Document; writes: false };
  log: { request: LogReq; response: LogPage; writes: false };
  timeline: { request: TimelineReq; response: TimelinePage; writes: false };
  activity: { request: ActivityReq; response: Activity; writes: false };
  show: { request: ShowReq; response: Shown; writes: false };
  diff: { request: DiffReq; response: DiffResult; writes: false };
  search: { request: SearchReq; response: SearchResult; writes: false };
  receipts: { request: Nothing; response: Receipts; writes: false };
  verify: { request: VerifyReq; response: Verified; writes: false };
  add_store: { request: AddStore; response: Store; writes: true };
  remove_store: { request: StoreRef; response: Store; writes: true };
  pause_store: { request: StoreRef; response: Store; writes: true };
  resume_store: { request: StoreRef; response: Store; writes: true };
  scan: { request: ScanReq; response: Scanned; writes: true };
  rollback: { request: RollbackReq; response: ActResult; writes: true };
  restore: { request: RestoreReq; response: ActResult; writes: true };
  undo: { request: UndoReq; response: ActResult; writes: true };
  redact: { request: RedactReq; response: ActResult; writes: true };
  recheck_receipt: { request: ReceiptRef; response: Receipt; writes: true };
};

/** Commands that change something. */
export const WRITES: ReadonlySet<string> = new Set([
  "add_store",
  "remove_store",
  "pause_store",
  "resume_store",
  "scan",
  "rollback",
  "restore",
  "undo",
  "redact",
  "recheck_receipt",
]);
