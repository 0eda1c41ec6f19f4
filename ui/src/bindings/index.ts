// Made by `cargo run -p retrace-api --example bindings` from crates/retrace-wire/src. Do not edit.

/**
 * Lines that were not before the model.
 */
export type AbsentLines = { 
/**
 * The first and the last of them.
 */
lines: [number, number], 
/**
 * Why.
 */
cause: PresenceCause, };

/**
 * Takes memories of one store over into another, whole or in part. Files, stores of the API and hosted stores are all
 * written as by any other act: checked, recorded, undoable.
 */
export type AcceptMemoriesReq = { 
/**
 * Where they are taken from: `STORE` or `STORE@TIME`.
 */
from: string, 
/**
 * The store that is written, id or name.
 */
into: string, 
/**
 * These paths alone; all that differ when empty. A path that `from` lacks is deleted in `into`; the new path of a
 * moved memory moves it there. What is named must be possible, or nothing is done; of all that differ, what `into`
 * cannot hold is left, with a warning.
 */
paths: Array<string>, 
/**
 * Without `paths`: also delete what `from` lacks. Without it, a moved memory is there twice afterwards.
 */
delete: boolean, 
/**
 * Say what would be done, and do nothing.
 */
dry_run: boolean, };

/**
 * Result of an act, or its preview with `dry_run`.
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
 * True when some files were done and others not (a disk that filled up on the way, a directory in the place of a file).
 */
partial: boolean, 
/**
 * With `partial`: files that the act was to change and that are as they were before, for it did not come to them or put
 * them back. Those that could not be changed are `conflicts`.
 */
left: Array<FileWrite>, 
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
warnings: Array<Message>, 
/**
 * Changes that were not done but queued for the hosts of mirrored stores; a push sends them. In a preview, those that
 * would be.
 */
queued: number, 
/**
 * Versions that an import brought in and that lists leave out from then on: those of the import that is undone.
 */
withdrawn: number, 
/**
 * With the rollback of a session: changes that it is only likely to have made, and those left out, oldest first. None is
 * taken back unless it is `included`.
 */
likely: Array<LikelyChange>, 
/**
 * With the rollback of a session: changes that it is known to have made, oldest first. Each is taken back unless it is left
 * out.
 */
sure: Array<LikelyChange>, 
/**
 * With an undo: the operation that it takes back.
 */
undoes: UndoneAct | null, 
/**
 * With an undo of an act on a rule's guard: the edit of the settings. It is no operation of the log.
 */
guard?: GuardedRule | null, 
/**
 * With an undo of an act on the list of rules, or on breaks of rules. It is no operation of the log either.
 */
rule_act?: UndoneRuleAct | null, 
/**
 * With a restore from imported history: what is known of each file at that time, and how surely.
 */
imported: Array<ImportedState>, };

/**
 * When a store changed.
 */
export type Activity = { 
/**
 * Marks from old to new: those rebuilt, at most 1,000, then those observed, at most 1,000; neighbours joined beyond that.
 */
marks: Array<ActivityMark>, };

/**
 * One mark on the axis.
 */
export type ActivityMark = { 
/**
 * The newest operation in the mark; of a rebuilt one the operation that rebuilt it, which is no instant to go back to.
 */
operation_seq: number, 
/**
 * True if it is from before the store was observed; `at` is then what names the instant.
 */
rebuilt: boolean, 
/**
 * Its time.
 */
at: string, 
/**
 * Its cause, as in [`Version`].
 */
source: ChangeSource, 
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
 * Asks when a store changed, for the time machine's axis.
 */
export type ActivityReq = { 
/**
 * Store, id or name.
 */
store: string, };

/**
 * Who made a change.
 */
export type ActorView = { "type": "session_actor", 
/**
 * The session's id.
 */
session_id: string, 
/**
 * Evidence: `stated`, `exact_content`, `front_matter`, `time_only`.
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
 * Confirms a rule.
 */
export type AddMemoryRule = { 
/**
 * The rule, with the fields of `RuleFields`; lists may be one text.
 */
rule: unknown, 
/**
 * True to keep it off the list: a proposal that a person dismissed is not made again.
 */
dismissed: boolean, };

/**
 * Confirms several rules at once.
 */
export type AddMemoryRules = { 
/**
 * The rules, each as in `AddMemoryRule`.
 */
rules: unknown[], };

/**
 * Begins to mirror a hosted store.
 */
export type AddRemoteReq = { 
/**
 * Base URL, without `/v1`. The API's own address when absent.
 */
base_url: string | null, 
/**
 * The store's id at the host, `memstore_…`.
 */
remote_id: string, 
/**
 * Name here; the host's name when absent.
 */
name: string | null, 
/**
 * A word chosen by the caller, to follow and cancel the first pull by.
 */
job: string | null, };

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
 * How sessions fared with the rules.
 */
export type Adherence = { 
/**
 * One row a rule.
 */
rules: Array<RuleLedger>, 
/**
 * Sessions on this machine that were read.
 */
sessions: number, 
/**
 * Transcripts that could not be read, with the reason.
 */
problems: Array<Message>, };

/**
 * Asks how sessions fared with the rules.
 */
export type AdherenceReq = { 
/**
 * One rule, by id; every rule on the list without it.
 */
rule: string | null, 
/**
 * Only what was done since this time, RFC 3339.
 */
since: string | null, 
/**
 * True to give the cases as well, the newest first.
 */
cases: boolean, };

/**
 * What a client keeps of a subagent beside its transcript.
 */
export type AgentFacts = { 
/**
 * Its type, such as `general-purpose`.
 */
agent_type: string, 
/**
 * Why it was started, in the words of the agent that started it.
 */
description: string | null, 
/**
 * The call that started it.
 */
tool_use_id: string | null, 
/**
 * 1 for one that the main agent started, as the client tells it.
 */
depth: number | null, 
/**
 * True if it ran in the background.
 */
background: boolean, 
/**
 * False if it did not come to its end.
 */
finished: boolean | null, 
/**
 * Id of the session it belongs to, where the place of the file or its first line says so.
 */
session: string | null, };

/**
 * Snapshots that projects offer to a subagent's memory.
 */
export type AgentSnapshot = { 
/**
 * The agent.
 */
agent: string, 
/**
 * `user`, `project` or `local`.
 */
scope: SnapshotScope, 
/**
 * Its memory directory.
 */
root: string, 
/**
 * Files directly in it.
 */
local_files: number, 
/**
 * One a project that has a snapshot for this agent, by project.
 */
snapshots: Array<ProjectSnapshot>, 
/**
 * Files that could not be read.
 */
problems: Array<Message>, };

/**
 * Writes a comment into a memory that allows a rule at a place, as an operation that `undo` takes back.
 */
export type AllowFindingReq = { 
/**
 * Store, id or name.
 */
store: string, 
/**
 * The memory.
 */
path: string, 
/**
 * The line the finding is on; for the file as a whole when absent.
 */
line: number | null, 
/**
 * The rule, `group/name`.
 */
rule: string, 
/**
 * Why; one line.
 */
reason: string | null, 
/**
 * Hash the file must have now; the newest version's when absent.
 */
expect: string | null, 
/**
 * Say what would be done, and do nothing.
 */
dry_run: boolean, };

/**
 * A part of an answer.
 */
export type AnswerPart = { 
/**
 * Its class.
 */
class: PartClass, 
/**
 * The tool, of results.
 */
tool: string | null, 
/**
 * Its tokens.
 */
tokens: number, 
/**
 * The same in round figures.
 */
said: number, };

/**
 * The parts that an answer does not name.
 */
export type AnswerRest = { 
/**
 * Number of parts.
 */
count: number, 
/**
 * Their tokens.
 */
tokens: number, 
/**
 * The same in round figures.
 */
said: number, };

/**
 * An error: what happened, to what, and what to do next.
 */
export type ApiError = { 
/**
 * For programs.
 */
code: Code, 
/**
 * One plain sentence, in English.
 */
message: string, 
/**
 * What to do next, in English; empty when there is nothing to advise.
 */
hint: string, 
/**
 * The thing concerned: a path, an id, a field. Never a secret.
 */
subject: string, 
/**
 * Sentence and advice with their ids, for other languages.
 */
messages?: ErrorMessages | null, };

/**
 * Summary of an approval of several items: how many, which, and what the rules find among them.
 */
export type Approval = { 
/**
 * `named`: the versions of the request. `up_to`: what was recorded up to a point, and everything before it.
 */
direction: ApprovalDirection, 
/**
 * Items that are approved: the rows of `done`.
 */
approved: number, 
/**
 * Items that are left because of findings of severity error: the rows of `skipped` with the reason `findings`.
 */
left: number, 
/**
 * Time of the oldest version among both; null where there is none.
 */
oldest_at: string | null, 
/**
 * Time of the newest.
 */
newest_at: string | null, 
/**
 * Findings of both, the worst first.
 */
findings: Array<RuleCount>, };

/**
 * Selection of an approval of several items.
 */
export type ApprovalDirection = "named" | "up_to";

/**
 * An argument of a message.
 */
export type Argument = number | string | Figure | Message | Array<Argument>;

/**
 * A guard held against recorded sessions: each call judged as the hook would have judged it.
 */
export type BackTest = { 
/**
 * Sessions in which the settings are in force and the rule counts.
 */
sessions: number, 
/**
 * Calls that it would have been asked about.
 */
calls: number, 
/**
 * Of these: calls that it would have stopped, or reminded of.
 */
fired: number, 
/**
 * Of the fired ones: the call broke the rule.
 */
broken: number, 
/**
 * Of the fired ones: the person had asked for the call, so that the guard would have been wrong.
 */
wrongly: number, 
/**
 * Of the fired ones: the rule did not stand there yet.
 */
predates: number, 
/**
 * The newest fired ones.
 */
cases: Array<RuleCase>, };

/**
 * The rebuilt version whose content stood when a memory was first observed.
 */
export type BaselineOf = { 
/**
 * Its place in the log.
 */
seq: number, 
/**
 * When it was written.
 */
written_at: string, 
/**
 * By whom; null when unknown.
 */
written_by: ActorView | null, };

/**
 * Who wrote each line of a text.
 */
export type Blame = { 
/**
 * False where it is of a version, which only a redaction changes.
 */
live: boolean, 
/**
 * Requested target.
 */
target: string, 
/**
 * The version that is blamed; null where the file on disk is not recorded as it is.
 */
version_id: string | null, 
/**
 * Path.
 */
path: string | null, 
/**
 * `text`, `binary`, `redacted` or `too_large`; only text has lines.
 */
kind: ContentKind, 
/**
 * The lines, each with the place in `versions` of the version that brought it in.
 */
lines: Array<BlameLine>, 
/**
 * The versions that lines come from, newest first.
 */
versions: Array<BlameVersion>, 
/**
 * True if there are more lines than are shown; 100,000 are.
 */
truncated: boolean, };

/**
 * One line.
 */
export type BlameLine = { 
/**
 * Its number, from 1.
 */
line: number, 
/**
 * Its text.
 */
text: string, 
/**
 * Place in [`Blame::versions`], from 0; null for a line that is on disk and not recorded yet.
 */
version: number | null, 
/**
 * Its number then, from 1.
 */
line_then: number, 
/**
 * True if it lies at or behind a version whose content is gone, so that it may be older than said.
 */
or_before: boolean, };

/**
 * Asks who wrote each line of a text.
 */
export type BlameReq = { 
/**
 * `STORE:PATH`, `STORE:PATH@TIME`, or `memver_…`. Where a memory of exactly the whole name is or was, that one is meant.
 */
target: string, 
/**
 * Name to stop it by, with `cancel`, and of its progress.
 */
job: string | null, };

/**
 * A version that lines come from.
 */
export type BlameVersion = { 
/**
 * `memver_…`
 */
version_id: string, 
/**
 * Place in the log.
 */
seq: number, 
/**
 * `mem_…`; another one than asked about where lines moved between files.
 */
memory_id: string, 
/**
 * Path then.
 */
path_then: string | null, 
/**
 * The path it had, where it is another memory: the lines moved from there.
 */
moved_from: string | null, 
/**
 * When it was written.
 */
created_at: string, 
/**
 * Who; null when unknown.
 */
created_by: ActorView | null, 
/**
 * As in a version.
 */
source: string, 
/**
 * True if it was rebuilt.
 */
rebuilt: boolean, 
/**
 * Why, where a reason was given.
 */
note: Message | null, 
/**
 * The session that wrote it, where that is known.
 */
origin: OriginNote | null, 
/**
 * The newest act of a person that put lines of it back.
 */
put_back: PutBack | null, };

/**
 * A rule that was broken while something recorded.
 */
export type BrokenRule = { 
/**
 * Its id, such as `break_7`.
 */
id: string, 
/**
 * The rule's id.
 */
rule_id: string, 
/**
 * The rule's sentence.
 */
sentence: string, 
/**
 * Where that stands: `STORE:PATH:LINE`, or a file.
 */
source: string | null, 
/**
 * The call or the path that broke it; of a rule about the end of a session, the call that was missing there.
 */
what: string, 
/**
 * True if the rule is about the end of a session.
 */
at_end: boolean, 
/**
 * Minutes without a call before the end was found, where there were 30 or more; null for other rules.
 */
quiet_minutes: number | null, 
/**
 * The session's id.
 */
session: string, 
/**
 * The session's title, where it has one.
 */
title: string | null, 
/**
 * The transcript.
 */
transcript: string, 
/**
 * True if a subagent did it.
 */
subagent: boolean, 
/**
 * The turn, from 1.
 */
turn: number | null, 
/**
 * Line of the transcript, from 1.
 */
line: number, 
/**
 * When the call was made.
 */
at: string | null, 
/**
 * When it was found.
 */
found_at: string, 
/**
 * True if the rule's line was before the model; null where the session does not tell.
 */
present: boolean | null, 
/**
 * Why it was not.
 */
cause: PresenceCause | null, 
/**
 * How well that is known.
 */
grade: PresenceGrade | null, 
/**
 * When a person saw it and let it be; null while it needs one.
 */
seen_at: string | null, 
/**
 * Who.
 */
seen_by: ActorView | null, };

/**
 * Breaks of rules, the newest first.
 */
export type BrokenRules = { 
/**
 * The breaks.
 */
broken: Array<BrokenRule>, 
/**
 * All of them, those that are not listed included.
 */
total: number, };

/**
 * Asks for the breaks of rules that were found while sessions ran.
 */
export type BrokenRulesReq = { 
/**
 * True to list those that were seen as well.
 */
seen: boolean, 
/**
 * Number at most; 200 when absent, 1000 at most.
 */
limit: number | null, };

/**
 * Result of stopping a job.
 */
export type Cancelled = { 
/**
 * False when no such job runs.
 */
cancelled: boolean, };

/**
 * Class of a file that a session carries.
 */
export type CarriedClass = "instructions" | "memory";

/**
 * In how many sessions since then any line that a change brought was before a model.
 */
export type ChangeReach = { 
/**
 * Lines that the change brought; 0 where it brought none, or they are not known any more.
 */
lines: number, 
/**
 * Conversations with requests since then that could have had it.
 */
sessions: number, 
/**
 * Of these, those in which any of the lines was. What the model wrote itself does not count.
 */
read: number, 
/**
 * Further ones in which that is inferred.
 */
inferred: number, };

/**
 * Asks in how many sessions a change was before a model.
 */
export type ChangeReachReq = { 
/**
 * The version that the change led to.
 */
version: string, 
/**
 * The version before it; everything is new when absent.
 */
base: string | null, };

/**
 * Cause of an operation.
 */
export type ChangeSource = "scan" | "rollback" | "restore" | "redact" | "api" | "tool" | "import" | "rebuilt";

/**
 * Checks a directory or a store. Files that the request brings (configuration, baseline) are given as text, so that a
 * caller on another machine names no path on this one.
 */
export type CheckReq = { 
/**
 * A directory, or a store by id or name.
 */
target: string, 
/**
 * Text of a configuration; `retrace.toml` of the directory, or of the repository it lies in, when absent.
 */
config: string | null, 
/**
 * Only these rules, by id or group; as configured when empty.
 */
rules: Array<string>, 
/**
 * Severity from which `failed` is set: `note`, `warning`, `error` or `never`; the configuration's, or `error`,
 * when absent.
 */
fail_on: string | null, 
/**
 * Text of a baseline: findings in it do not count.
 */
baseline: string | null, 
/**
 * Also make a baseline that accepts everything found.
 */
make_baseline: boolean, 
/**
 * Root of the repository the memories are about; found above the directory when absent.
 */
repository: string | null, 
/**
 * Do not let comments in memories allow findings.
 */
no_inline_allow: boolean, 
/**
 * Also make a SARIF 2.1.0 log.
 */
sarif: boolean, };

/**
 * Judges one call before it is made.
 */
export type CheckRuleReq = { 
/**
 * One rule, by id; every rule on the list without it.
 */
rule: string | null, 
/**
 * Name of the tool.
 */
tool: string, 
/**
 * Its input.
 */
input: unknown, 
/**
 * The directory it runs in.
 */
directory: string | null, 
/**
 * The transcript of its session. With it, rules of other projects are left out.
 */
transcript: string | null, };

/**
 * Result of a check.
 */
export type Checked = { 
/**
 * The directory.
 */
root: string, 
/**
 * Root of the repository that claims were compared with; null when none was needed or found.
 */
repository: string | null, 
/**
 * Findings that count, by path, place and rule.
 */
findings: Array<Finding>, 
/**
 * Number of errors.
 */
errors: number, 
/**
 * Number of warnings.
 */
warnings: number, 
/**
 * Number of notes.
 */
notes: number, 
/**
 * Number of further findings that a comment in a memory allows.
 */
allowed: number, 
/**
 * Number of further findings that the baseline accepts.
 */
accepted: number, 
/**
 * Files looked at.
 */
files: number, 
/**
 * Places that could not be looked at, each a sentence.
 */
problems: Array<Message>, 
/**
 * True if a finding is at or above the severity asked for.
 */
failed: boolean, 
/**
 * Text of the baseline, when asked for.
 */
baseline: string | null, 
/**
 * Text of the SARIF log, when asked for.
 */
sarif: string | null, };

/**
 * Rules that a call would break.
 */
export type CheckedRule = { 
/**
 * The rules; none where the call may be made.
 */
broken: Array<MemoryRule>, };

/**
 * An agent of this machine.
 */
export type Client = { 
/**
 * Which one.
 */
agent: InstructionAgent, 
/**
 * Its name for people.
 */
title: string, 
/**
 * Version that a session would be started with; null where nothing says it.
 */
version: string | null, 
/**
 * Where the version stands.
 */
version_from: Message | null, 
/**
 * Version that Retrace was compared with.
 */
seen_with: string, 
/**
 * The program; null where it is not on the search path.
 */
program: string | null, 
/**
 * Directories that it keeps files in.
 */
places: Array<string>, 
/**
 * What of it is read.
 */
parts: Array<ClientReading>, };

/**
 * A part of an agent's files.
 */
export type ClientPart = "sessions" | "requests" | "instructions" | "memory";

/**
 * A part of an agent's files, and how exactly it is read.
 */
export type ClientReading = { 
/**
 * Which part.
 */
part: ClientPart, 
/**
 * True if it is exact for the version that is here; null where the version is not known, or nothing exact is offered.
 */
exact: boolean | null, 
/**
 * First version for which it is exact; null where it is for none.
 */
since: string | null, 
/**
 * What is read, as a sentence.
 */
note: Message, };

/**
 * The agents of this machine.
 */
export type Clients = { 
/**
 * Those whose program or files are here.
 */
clients: Array<Client>, };

/**
 * The difference of the first of several changes, with what is otherwise in the others.
 */
export type ClusterDifference = { 
/**
 * Changes that were compared.
 */
members: number, 
/**
 * Changes that are left out: reviewed since, or of another form by now.
 */
others: number, 
/**
 * Its lines that came or went.
 */
lines: Array<ClusterLine>, };

/**
 * Asks for one difference that stands for those of several changes.
 */
export type ClusterDifferenceReq = { 
/**
 * Versions of a row of `triage` whose kind is `same_edit`.
 */
versions: Array<string>, };

/**
 * A line that came or went in each of the changes.
 */
export type ClusterLine = { 
/**
 * `insert` or `delete`.
 */
tag: LineTag, 
/**
 * Its text in the first change.
 */
text: string, 
/**
 * The stretch that changed, where the line replaces one: start, end.
 */
words: Array<[number, number]>, 
/**
 * Stretches that are otherwise in other changes.
 */
varies: Array<Varying>, 
/**
 * Characters a reader would not see.
 */
hidden: Array<Hidden>, };

/**
 * Why a command was refused or failed. A code exists because some client branches on it.
 */
export type Code = "invalid" | "not_found" | "head_moved" | "before_recording" | "store_unavailable" | "content_redacted" | "purge_pending" | "database_newer" | "database_damaged" | "cannot_write" | "not_recorded" | "busy" | "counter_unavailable" | "key_refused" | "host_limited" | "internal";

/**
 * Compares two stores with each other, memory by memory.
 */
export type CompareStoresReq = { 
/**
 * The store as it is: `STORE` or `STORE@TIME`.
 */
from: string, 
/**
 * The store as it might be: `STORE` or `STORE@TIME`.
 */
to: string, };

/**
 * A memory that differs between two stores.
 */
export type ComparedMemory = { 
/**
 * Path in both stores; of a moved memory, in `to`.
 */
path: string, 
/**
 * `created` (only in `to`), `modified`, `moved` (equal content elsewhere) or `deleted` (only in `from`).
 */
change: MemoryChange, 
/**
 * Path in `from`, where it was moved.
 */
moved_from: string | null, 
/**
 * Its newest version in `from`, `memver_…`.
 */
from_version_id: string | null, 
/**
 * Its newest version in `to`, `memver_…`.
 */
to_version_id: string | null, 
/**
 * Lines that `to` has and `from` has not; null where a content is no text or is redacted.
 */
added: number | null, 
/**
 * Lines that `from` has and `to` has not.
 */
removed: number | null, 
/**
 * Tokens of the content in `to` less those in `from`, counted offline; null where a content is no text.
 */
tokens: number | null, };

/**
 * Composition of one request, in detail.
 */
export type Composition = { 
/**
 * Index of the request.
 */
request: number, 
/**
 * Size of its context.
 */
context: number, 
/**
 * Kind of `context`.
 */
kind: FigureKind, 
/**
 * By class.
 */
classes: ContextClasses, 
/**
 * Memory and instruction files in it.
 */
files: Array<NamedTokens>, 
/**
 * Results by tool.
 */
tool_results: Array<NamedTokens>, 
/**
 * Inputs by tool.
 */
tool_inputs: Array<NamedTokens>, 
/**
 * Tokens of the system prompt, where the request holds it; a part of `system`.
 */
system_prompt: number, 
/**
 * Definitions of tools; a part of `system`.
 */
tools: Array<NamedTokens>, 
/**
 * What the client put in, by kind; instructions and memory among them.
 */
attachments: Array<NamedTokens>, 
/**
 * What the classes rest on.
 */
rests_on: RestsOn, 
/**
 * The largest single blocks: what they are and where.
 */
largest: Array<LargeBlock>, };

/**
 * Asks what one request was made of.
 */
export type CompositionReq = { 
/**
 * See [`ContextShowReq::transcript`].
 */
transcript: string, 
/**
 * Index of the request, from 0.
 */
request: number, };

/**
 * Plan of calls to a host.
 */
export type ConfirmPlan = { 
/**
 * Calls to make.
 */
calls: number, 
/**
 * Answers already known.
 */
cached: number, 
/**
 * Bytes to send.
 */
bytes: number, 
/**
 * To which address.
 */
base_url: string, 
/**
 * Where the key comes from: `environment`, `keyring`; null when there is none.
 */
key_source: KeySource | null, 
/**
 * Indices of the requests.
 */
requests: Array<number>, 
/**
 * Content of the calls, in words: messages and tool results of the transcript, to that address.
 */
what: Message, 
/**
 * Content that the count cannot hold, such as a system prompt that the file does not keep.
 */
limits: Array<Message>, };

/**
 * Checks forecasts of a setting with `count_tokens`.
 */
export type ConfirmReq = { 
/**
 * See [`super::ContextShowReq::transcript`].
 */
transcript: string, 
/**
 * The setting.
 */
variant: Variant, 
/**
 * Indices of the requests to check; chosen where the setting acts when absent.
 */
requests: Array<number> | null, 
/**
 * Number of points to choose; 4 when absent.
 */
points: number | null, 
/**
 * The user saw the plan and agreed. Without it nothing is sent, and only the plan is returned.
 */
agreed: boolean, 
/**
 * Name of the job, for progress and `cancel`.
 */
job: string | null, };

/**
 * The plan, and what came of it.
 */
export type Confirmed = { 
/**
 * Plan of the calls.
 */
plan: ConfirmPlan, 
/**
 * Forecast beside exact. Empty until agreed.
 */
points: Array<ConfirmedPoint>, 
/**
 * True if it was stopped before its end.
 */
cancelled: boolean, };

/**
 * One request, forecast beside exact.
 */
export type ConfirmedPoint = { 
/**
 * Index of the request.
 */
request: number, 
/**
 * Forecast of what was sent, without and with the setting.
 */
forecast_before: number, 
/**
 * See `forecast_before`.
 */
forecast_after: number, 
/**
 * Answer of `count_tokens`, without and with the setting; null where it failed.
 */
exact_before: number | null, 
/**
 * See `exact_before`.
 */
exact_after: number | null, 
/**
 * Error of `forecast_after` in percent.
 */
error_percent: number | null, 
/**
 * Why it failed; null when it did not.
 */
problem: Message | null, 
/**
 * True if the answer was already known.
 */
cached: boolean, };

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
 * Why.
 */
reason: ConflictReason, 
/**
 * One sentence: what stood in the way.
 */
message: Message, };

/**
 * Reason for which an act leaves everything as it is.
 */
export type ConflictReason = "changed" | "changed_since" | "path_taken" | "in_the_way" | "not_written" | "queue" | "store_removed";

/**
 * What is known of a content.
 */
export type ContentKind = "text" | "binary" | "too_large" | "redacted";

/**
 * What the largest context was made of, to be said in one sentence.
 */
export type ContextAnswer = { 
/**
 * Index of the request.
 */
request: number, 
/**
 * Its tokens.
 */
tokens: number, 
/**
 * The same in round figures. What is `said` of the parts and the rest adds up to it.
 */
said: number, 
/**
 * The parts that are named, the largest first.
 */
parts: Array<AnswerPart>, 
/**
 * All other parts; null where every part is named.
 */
rest: AnswerRest | null, };

/**
 * Tokens by class. All but `not_recorded` are counted offline.
 */
export type ContextClasses = { 
/**
 * System prompt and tool definitions, where the file holds them.
 */
system: number, 
/**
 * Instruction files (CLAUDE.md and the like).
 */
instructions: number, 
/**
 * Memory files.
 */
memory: number, 
/**
 * Results of tools.
 */
tool_results: number, 
/**
 * Calls of tools: names and inputs.
 */
tool_inputs: number, 
/**
 * Text of both sides, summaries included.
 */
text: number, 
/**
 * Thinking.
 */
thinking: number, 
/**
 * Tokens of client attachments, images and documents.
 */
attachments: number, 
/**
 * The recorded context less everything above. Never below zero.
 */
not_recorded: number, 
/**
 * By how much the counts came out higher than the recorded context: they were brought down to it in proportion. In no
 * sum.
 */
over_counted: number, };

/**
 * Something that took content away, or changed it in place, while the transcript was written.
 */
export type ContextEvent = { 
/**
 * Index of the first request after it.
 */
before_request: number, 
/**
 * `compaction`, `microcompaction`, `rewind`, `replaced`, `server_edit`.
 */
event: ContextEventKind, 
/**
 * Tokens before, as recorded or from the request before.
 */
tokens_before: number | null, 
/**
 * Tokens after.
 */
tokens_after: number | null, 
/**
 * One sentence.
 */
note: Message, };

/**
 * What took content out of a context.
 */
export type ContextEventKind = "compaction" | "microcompaction" | "rewind" | "replaced" | "server_edit";

/**
 * A file that was loaded into the context.
 */
export type ContextFile = { 
/**
 * Path as recorded.
 */
path: string, 
/**
 * `memory` or `instructions`.
 */
class: CarriedClass, 
/**
 * Tokens of its content when it was last loaded whole, counted offline.
 */
tokens: number, 
/**
 * True if only parts of it were loaded: `tokens` are those of the largest.
 */
partial: boolean, 
/**
 * Requests that carried it.
 */
requests: number, 
/**
 * Price of carrying it in this session, in US dollars, at the recorded share of cached input; null without a price.
 */
cost_usd: number | null, };

/**
 * A part of the contexts of a run: a class, or the results of a tool.
 */
export type ContextPart = { 
/**
 * Its class.
 */
class: PartClass, 
/**
 * The tool, of results; null for tools that have no part of their own.
 */
tool: string | null, 
/**
 * Its tokens, by request. Those of all parts add up to the context of the request.
 */
tokens: Array<number>, };

/**
 * The largest context of a run.
 */
export type ContextPeak = { 
/**
 * Index of the request.
 */
request: number, 
/**
 * Its tokens.
 */
tokens: number, 
/**
 * Kind of these figures.
 */
kind: FigureKind, };

/**
 * One request.
 */
export type ContextRequest = { 
/**
 * From 0.
 */
index: number, 
/**
 * Id of the response.
 */
id: string, 
/**
 * When.
 */
time: string | null, 
/**
 * Model, where it differs from the transcript's; always set in the terminal's JSON.
 */
model: string | null, 
/**
 * Usage as recorded.
 */
recorded: RecordedUsage | null, 
/**
 * Size of the context in tokens.
 */
context: number, 
/**
 * Kind of `context`.
 */
kind: FigureKind, 
/**
 * Classes of its content. The sum is `context`.
 */
classes: ContextClasses, 
/**
 * What `classes` rest on.
 */
rests_on: RestsOn, 
/**
 * Whether the client's digest proves the request that it recorded; null where it recorded none.
 */
proved: boolean | null, };

/**
 * Composition of the context, request by request.
 */
export type ContextShow = { 
/**
 * Session id, or path where there is none.
 */
transcript: string, 
/**
 * Path of the file.
 */
path: string, 
/**
 * `claude-code`, …
 */
format: string, 
/**
 * Title, where there is one.
 */
title: string | null, 
/**
 * Of a subagent: what the client keeps beside its transcript.
 */
agent: AgentFacts | null, 
/**
 * Ids of the transcripts of its subagents. Their requests and prices are not in any figure here.
 */
subagents: Array<string>, 
/**
 * Model of most requests.
 */
model: string | null, 
/**
 * Tokenizer family that was used, and whether it was assumed.
 */
family: string, 
/**
 * True if the family was assumed because the model is not known.
 */
family_assumed: boolean, 
/**
 * Window of the model in tokens, where known.
 */
context_window: number | null, 
/**
 * Believed bounds of counts of this family, in percent of what is shown, where it is an estimate; null
 * where the family's own vocabulary counts.
 */
family_range_percent: [number, number] | null, 
/**
 * The largest context: of those that are recorded, or of all where none is. Null without a request.
 */
peak: ContextPeak | null, 
/**
 * What the largest context was made of, in round figures that add up. Null without a request.
 */
answer: ContextAnswer | null, 
/**
 * The contexts by class and tool, in the order in which a chart stacks them.
 */
parts: Array<ContextPart>, 
/**
 * Requests that the client's digest proves. With fewer than all, the run is proved in part.
 */
proved_requests: number, 
/**
 * The setting in force while it was recorded; null where the requests carry none.
 */
in_force: InForce | null, 
/**
 * One entry a request.
 */
requests: Array<ContextRequest>, 
/**
 * Compactions and other things that took content away while the transcript was written.
 */
events: Array<ContextEvent>, 
/**
 * Memory and instruction files that were loaded, the dearest first.
 */
memory_files: Array<ContextFile>, 
/**
 * Price of the run as recorded, in US dollars; null where a model has none.
 */
cost_usd: number | null, 
/**
 * True if the true price is higher, for one of the two reasons that follow.
 */
cost_is_lower_bound: boolean, 
/**
 * Requests for whose output the client recorded a placeholder. A simulation prices those by what the answers weigh.
 */
requests_with_placeholder_output: number, 
/**
 * Requests in fast mode whose model has no known price for it: they are priced as others are.
 */
requests_fast_without_price: number, 
/**
 * What the session cost by the client's own figures, subagents included, in US dollars; null where it does not say.
 */
client_cost_usd: number | null, 
/**
 * Tools that were called, as the client keeps them; empty where it does not.
 */
tools_used: Array<string>, 
/**
 * Requests that the client recorded and that no answer in the transcript belongs to: they failed or were given up, or were
 * made for a summary.
 */
unanswered: Array<UnansweredRequest>, 
/**
 * Parts of the file that were not understood, in words; empty when nothing.
 */
remarks: Array<Message>, };

/**
 * Asks what fills the context of a transcript.
 */
export type ContextShowReq = { 
/**
 * Session id or a unique beginning of it, a path of a file, or words of a title.
 */
transcript: string, };

/**
 * Puts a key into the system's keyring, or takes it out.
 */
export type CounterKeyReq = { 
/**
 * The key to keep.
 */
key: string | null, 
/**
 * Take the key out instead. Said in so many words, so that an empty request takes nothing away.
 */
remove: boolean, };

/**
 * True if exact counts are available.
 */
export type CounterStatus = { 
/**
 * To which address calls would go.
 */
base_url: string, 
/**
 * Where the key comes from: `environment`, `keyring`; null when there is none.
 */
key_source: KeySource | null, 
/**
 * True if this machine has a keyring that can be used.
 */
keyring: boolean, 
/**
 * Calls made since the program started, newest first; at most 200.
 */
calls: Array<NetworkCall>, };

/**
 * Asks a host for a new dream. A dream reads its store at the host: what is queued here for it is not part of that.
 */
export type CreateDreamReq = { 
/**
 * Base URL, without `/v1`. The API's own address when absent.
 */
base_url: string | null, 
/**
 * The store to read: a mirror here (id or name) or an id at the host.
 */
store: string, 
/**
 * Sessions to read, 1 to 100, each once.
 */
sessions: Array<string>, 
/**
 * Model.
 */
model: string, 
/**
 * 1 to 4,096 characters.
 */
instructions: string | null, 
/**
 * Write into the store itself instead of a new one.
 */
update_existing: boolean, 
/**
 * Ask for it although changes of the store are queued here, which the dream does not read. Without it, that is refused.
 */
without_queued: boolean, };

/**
 * Forecast beside report.
 */
export type Deployed = { 
/**
 * The setting compared with the reports.
 */
variant: Variant | null, 
/**
 * Requests that reported something or were forecast to.
 */
requests: Array<DeployedRequest>, 
/**
 * Requests that say what the server edited, even if nothing.
 */
reporting: number, 
/**
 * Of those, how many agree in the number of cleared uses and turns.
 */
agreeing: number, };

/**
 * Compares the edits a server reported with what the simulator forecasts for the setting that was in force.
 */
export type DeployedReq = { 
/**
 * See [`ContextShowReq::transcript`].
 */
transcript: string, 
/**
 * The setting; that of the recorded requests when absent.
 */
variant: Variant | null, };

/**
 * One request, forecast beside report.
 */
export type DeployedRequest = { 
/**
 * Its index.
 */
index: number, 
/**
 * Edits that the simulator forecasts.
 */
forecast: unknown[], 
/**
 * Edits that the response reports.
 */
reported: unknown[], 
/**
 * Difference in freed tokens, forecast less reported, in percent of reported; null without both.
 */
error_percent: number | null, };

/**
 * Settings of a person. Kept in the data directory; what a file leaves out is as in a new one.
 */
export type DesktopSettings = { 
/**
 * Closing the window leaves the app in the tray, where it goes on recording. Without a tray it ends all the same.
 */
keep_in_tray: boolean, 
/**
 * One message for each session that wrote memory, once it has been quiet for a while.
 */
digests: boolean, 
/**
 * A message at once for a secret, a mass delete, hidden text or a broken rule.
 */
alarms: boolean, 
/**
 * Language of the tray and of messages, as the window has it: a language tag. As the system when null.
 */
language: string | null, };

/**
 * Settings of a person, and what this desktop can do.
 */
export type DesktopState = { 
/**
 * Settings.
 */
settings: DesktopSettings, 
/**
 * True if the desktop shows a tray at present.
 */
tray: boolean, 
/**
 * True if this process was told to pause recording, in the tray.
 */
paused: boolean, 
/**
 * Why messages cannot be shown, in the system's words; null when they can, or when none was tried.
 */
messages_problem: string | null, };

/**
 * One line of a difference.
 */
export type DiffLine = { 
/**
 * `equal`, `insert` or `delete`.
 */
tag: LineTag, 
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
 * Asks for the difference between two contents or two states of a store. Forms: `memver_…`, `STORE:PATH` (live),
 * `STORE:PATH@TIME`, `STORE` (live), `STORE@TIME`, where TIME is RFC 3339 or an operation's number. Where a memory of exactly the
 * whole name is or was, that one is meant and nothing of it is a time.
 */
export type DiffReq = { 
/**
 * The older side. A version alone is compared with the version before it; a live file against its newest version.
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
 * Requested target.
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
 * Searches for agent memory. Only reads.
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
 * Result of discovery.
 */
export type Discovered = { 
/**
 * Directories, those in use first.
 */
found: Array<Found>, 
/**
 * Places that could not be read or were refused, each in a sentence.
 */
problems: Array<DiscoveryProblem>, };

/**
 * Something discovery could not use.
 */
export type DiscoveryProblem = { 
/**
 * File or setting concerned.
 */
subject: string, 
/**
 * Problem.
 */
message: Message, };

/**
 * A content, ready to be shown: no line carries markup, hidden characters are named.
 */
export type Document = { 
/**
 * False where it is a version, which only a redaction changes.
 */
live: boolean, 
/**
 * Its version, where the log has it.
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
kind: ContentKind, 
/**
 * Lines; empty unless text.
 */
lines: Array<DocumentLine>, 
/**
 * True when not all lines are given (more than 100,000).
 */
truncated: boolean, 
/**
 * Of an index that agents load only up to a limit: where that is; null when all of it is loaded.
 */
cut: IndexCut | null, };

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
 * Names one content: a version, a file as it is on disk, or a memory at an instant. The same forms as in the terminal:
 * `memver_…`, `STORE:PATH` (live), `STORE:PATH@TIME` (TIME is RFC 3339 or an operation's number). Where a memory of exactly the
 * whole name is or was, that one is meant and nothing of it is a time.
 */
export type DocumentReq = { 
/**
 * The content.
 */
target: string, 
/**
 * True if colour spans are wanted.
 */
highlight: boolean, };

/**
 * A dream: a run that reads a store and sessions and writes a store anew.
 */
export type Dream = { 
/**
 * `drm_…`
 */
id: string, 
/**
 * `pending`, `running`, `completed`, `failed` or `canceled`.
 */
status: string, 
/**
 * The store it reads, by its id at the host.
 */
input_remote_id: string | null, 
/**
 * The mirror of that here.
 */
input_store_id: string | null, 
/**
 * The store it writes, by its id at the host; null before there is one.
 */
output_remote_id: string | null, 
/**
 * The mirror of that here.
 */
output_store_id: string | null, 
/**
 * Sessions it reads.
 */
sessions: Array<string>, 
/**
 * Model.
 */
model: string, 
/**
 * Its instructions.
 */
instructions: string | null, 
/**
 * `create_new` or `update_existing`. With the latter, input and output are the same store, and what the dream wrote
 * are the versions of its session.
 */
output_behavior: string, 
/**
 * Its own session.
 */
session_id: string | null, 
/**
 * Why it failed.
 */
error: Message | null, 
/**
 * Tokens it used: input, output, cache creation, cache read.
 */
usage: DreamUsage, 
/**
 * When it was made.
 */
created_at: string, 
/**
 * When it ended.
 */
ended_at: string | null, 
/**
 * When it was archived.
 */
archived_at: string | null, };

/**
 * Content of a request for a dream. No host is called to say it.
 */
export type DreamPlan = { 
/**
 * Base URL of the host that would be asked.
 */
base_url: string, 
/**
 * The store it would read, by its id at the host.
 */
input_remote_id: string, 
/**
 * The mirror of that here.
 */
input_store_id: string | null, 
/**
 * Sessions it would read.
 */
sessions: Array<string>, 
/**
 * Model.
 */
model: string, 
/**
 * Its instructions.
 */
instructions: string | null, 
/**
 * `create_new` or `update_existing`.
 */
output_behavior: string, 
/**
 * Changes of the store that wait here. The dream does not read them unless they are sent before.
 */
queued: RemoteQueue, };

/**
 * Names a dream.
 */
export type DreamRef = { 
/**
 * Base URL, without `/v1`. The API's own address when absent.
 */
base_url: string | null, 
/**
 * `drm_…`
 */
dream: string, };

/**
 * Tokens a dream used, as recorded by the host.
 */
export type DreamUsage = { 
/**
 * Input tokens.
 */
input_tokens: number, 
/**
 * Output tokens.
 */
output_tokens: number, 
/**
 * Tokens written to the cache.
 */
cache_creation_input_tokens: number, 
/**
 * Tokens read from the cache.
 */
cache_read_input_tokens: number, };

/**
 * The dreams of a host, newest first.
 */
export type Dreams = { 
/**
 * Base URL that was asked.
 */
base_url: string, 
/**
 * The dreams; at most 1,000.
 */
dreams: Array<Dream>, };

/**
 * Asks a host for its dreams. Asking calls the host.
 */
export type DreamsReq = { 
/**
 * Base URL, without `/v1`. The API's own address when absent.
 */
base_url: string | null, 
/**
 * Archived ones as well.
 */
include_archived: boolean, };

/**
 * The sentence and the advice of an error, with their ids.
 */
export type ErrorMessages = { 
/**
 * What happened.
 */
message: Message, 
/**
 * What to do next.
 */
hint: Message, };

/**
 * Notice to a client that did not ask. It says where to look, never what is there.
 */
export type Event = { "type": "advanced", 
/**
 * The newest operation.
 */
cursor: number, } | { "type": "stores" } | { "type": "receipts" } | { "type": "transcripts" } | { "type": "origins" } | { "type": "projects" } | { "type": "broken" } | { "type": "progress", 
/**
 * Name of the work.
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
 * A memory that goes.
 */
export type ExpireMemory = { 
/**
 * Its path.
 */
path: string, 
/**
 * Hash it must have now; the newest version's when absent.
 */
expect: string | null, };

/**
 * Removes memories and the lines of indexes that link to them, as one operation that `undo` takes back.
 */
export type ExpireReq = { 
/**
 * Store, id or name.
 */
store: string, 
/**
 * Memories to remove.
 */
memories: Array<ExpireMemory>, 
/**
 * Say what would be done, and do nothing.
 */
dry_run: boolean, };

/**
 * Proposals of memories to remove. Nothing goes by itself: `expire` takes what a person chose.
 */
export type Expiry = { 
/**
 * Proposals, by store and path; a memory occurs once.
 */
proposals: Array<ExpiryProposal>, 
/**
 * Days that were applied to memories nobody loads.
 */
unloaded_days: number, 
/**
 * Days that were applied to daily logs.
 */
log_days: number, 
/**
 * True if transcripts were read.
 */
loads: boolean, 
/**
 * True if reading them was stopped.
 */
cancelled: boolean, };

/**
 * Reason for which a memory may have expired.
 */
export type ExpiryKind = "unloaded" | "old_log" | "date_past" | "duplicate";

/**
 * A memory that could go, and why.
 */
export type ExpiryProposal = { 
/**
 * `memstore_…`
 */
store_id: string, 
/**
 * Its path.
 */
path: string, 
/**
 * `mem_…`
 */
memory_id: string, 
/**
 * Hash it has in the log; `expire` removes nothing else.
 */
content_sha256: string, 
/**
 * Its size in bytes.
 */
content_size_bytes: number, 
/**
 * When it last changed.
 */
changed_at: string, 
/**
 * Why, the strongest reason first.
 */
reasons: Array<ExpiryReason>, 
/**
 * Lines of indexes that link to it and would go with it.
 */
index_lines: Array<IndexLine>, };

/**
 * Why a memory could go.
 */
export type ExpiryReason = { 
/**
 * `unloaded`, `old_log`, `date_past` or `duplicate`.
 */
kind: ExpiryKind, 
/**
 * The evidence, a sentence.
 */
message: Message, 
/**
 * The line it is about; null for the file as a whole.
 */
line: number | null, };

/**
 * Asks what could go.
 */
export type ExpiryReq = { 
/**
 * Only this store, id or name; every listed store when absent.
 */
store: string | null, 
/**
 * Also read transcripts, for memories that no session loads; as in [`HealthReq`].
 */
loads: boolean, 
/**
 * Days without being loaded or changed after which a memory is proposed; 90 when absent.
 */
unloaded_days: number | null, 
/**
 * Age in days from which a daily log is proposed; 90 when absent.
 */
log_days: number | null, };

/**
 * Form of an exported store.
 */
export type ExportKind = "files" | "bundle";

/**
 * Asks for a setting in a form to deploy, with the evidence for it.
 */
export type ExportReq = { 
/**
 * See [`ContextShowReq::transcript`]: the evidence. None is needed.
 */
transcript: string | null, 
/**
 * The setting.
 */
variant: Variant, 
/**
 * Further settings a report compares with.
 */
against: Array<Variant>, 
/**
 * `json`, `curl`, `python`, `typescript` or `html`.
 */
format: string, 
/**
 * Model to name in the code; the transcript's when absent.
 */
model: string | null, };

/**
 * Asks to write a store, or its history, elsewhere.
 */
export type ExportStoreReq = { 
/**
 * Store, id or name.
 */
store: string, 
/**
 * As of this operation or time; now when absent. Not with a bundle.
 */
at: string | null, 
/**
 * The time lies before recording began: export what imported history knows of it.
 */
from_imported: boolean, 
/**
 * A new or empty directory, for the files; or a new file, whose name ends in `.retrace`, for a bundle of the whole
 * history.
 */
to: string, };

/**
 * A file to save or copy.
 */
export type Exported = { 
/**
 * A name for it.
 */
file_name: string, 
/**
 * Its media type.
 */
media_type: string, 
/**
 * Its content.
 */
text: string, };

/**
 * Exported store.
 */
export type ExportedStore = { 
/**
 * `files` or `bundle`.
 */
kind: ExportKind, 
/**
 * Where.
 */
to: string, 
/**
 * Files or versions written.
 */
written: number, 
/**
 * Bytes written.
 */
bytes: number, 
/**
 * Content that was left out, and why, each a sentence.
 */
warnings: Array<Message>, };

/**
 * An amount in a message. The English text has it as English writes it; another language writes the same amount, as exact as
 * it came.
 */
export type Figure = { "usd": string } | { "count": number } | { "tokens": number };

/**
 * Kind of a figure. Every figure carries its own.
 */
export type FigureKind = "recorded" | "exact" | "counted offline" | "estimated";

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
operation: VersionOperation, 
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
 * The difference between two contents.
 */
export type FileDiff = { 
/**
 * False where both sides are versions, which only a redaction changes.
 */
live: boolean, 
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
to_sha256: string | null, 
/**
 * In a preview, the difference the act would make, where the content to write is in no version yet.
 */
diff: FileDiff | null, };

/**
 * One finding. Secrets and personal data are masked in it.
 */
export type Finding = { 
/**
 * `group/name`.
 */
rule: string, 
/**
 * `error`, `warning` or `note`.
 */
severity: Severity, 
/**
 * Below the directory; empty for the directory as a whole.
 */
path: string, 
/**
 * Line, from 1; 1 for the file as a whole.
 */
line: number, 
/**
 * Column, from 1, in Unicode scalar values, as compilers count; 1 for the file as a whole.
 */
column: number, 
/**
 * Line of the character after the last; null for the file as a whole.
 */
end_line: number | null, 
/**
 * Its column.
 */
end_column: number | null, 
/**
 * First byte in the file; null for the file as a whole.
 */
start: number | null, 
/**
 * The byte after the last.
 */
end: number | null, 
/**
 * One sentence about this place.
 */
message: Message, 
/**
 * Advice.
 */
remedy: string, 
/**
 * Acts that mend it, the one that does most first; each is previewed and can be undone, except for a redaction.
 */
remedies?: Array<Remedy>, 
/**
 * Findings of the same rule in the same file that are left out behind this one, where one text has very many of them.
 * `check` lists each.
 */
more?: number, };

/**
 * Where a finding stands in a live file.
 */
export type FindingPlace = { 
/**
 * Store, id or name.
 */
store: string, 
/**
 * The file below it.
 */
path: string, 
/**
 * The rule, `group/name`.
 */
rule: string, 
/**
 * First byte in the file.
 */
start: number, };

/**
 * One rule.
 */
export type FindingRule = { 
/**
 * `group/name`.
 */
id: string, 
/**
 * Default severity of its findings.
 */
severity: Severity, 
/**
 * True if it is on by default.
 */
on: boolean, 
/**
 * Setting of the person: `off`, `on`, `note`, `warning` or `error`; null for nothing. It wins over the
 * configuration of a directory.
 */
own: string | null, 
/**
 * The hub whose organisation keeps the rule on, whatever is set; absent where nobody does.
 */
required_by?: string, 
/**
 * Explanation of what it searches for and why that matters.
 */
explanation: string, 
/**
 * Advice for its findings.
 */
remedy: string, };

/**
 * The rules, and what the person at this machine set of their own.
 */
export type FindingRules = { 
/**
 * Every rule.
 */
rules: Array<FindingRule>, 
/**
 * Where a person's own settings are kept.
 */
own_file: string, };

/**
 * Findings.
 */
export type Findings = { 
/**
 * By path, place and rule; then those about changes that are left to review, by time.
 */
findings: Array<Finding>, 
/**
 * Number of further findings that comments in memories allow.
 */
allowed: number, 
/**
 * Files of the store.
 */
files: number, 
/**
 * Of these, files whose last result was used again.
 */
reused: number, };

/**
 * Asks for the findings of a store, or of one memory of it.
 */
export type FindingsReq = { 
/**
 * Id, name or directory of a store.
 */
store: string, 
/**
 * Only this memory.
 */
path: string | null, };

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
kind: StoreKind, 
/**
 * Proposed name.
 */
name: string, 
/**
 * Why it is believed to be that, one fact each.
 */
evidence: Array<Message>, 
/**
 * The project it belongs to.
 */
project: string | null, 
/**
 * True if the agent uses it at present.
 */
enabled: boolean, 
/**
 * Why it is used or not.
 */
reason: Message, 
/**
 * True if the directory exists.
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
 * Findings of one group of rules.
 */
export type GroupCount = { 
/**
 * The part of the rules' ids before the slash.
 */
group: string, 
/**
 * Errors.
 */
errors: number, 
/**
 * Warnings.
 */
warnings: number, 
/**
 * Notes.
 */
notes: number, };

/**
 * Makes a rule a guard, or takes the guard off again.
 */
export type GuardRule = { 
/**
 * The rule's id.
 */
rule: string, 
/**
 * True to remind the model of the rule; without it the call is refused.
 */
remind: boolean, 
/**
 * True to take the guard off.
 */
remove: boolean, 
/**
 * A settings file, absolute. Without it and `project`, the settings of this user, or of the guard that is taken off.
 */
settings: string | null, 
/**
 * The settings that a directory has for this user alone.
 */
project: string | null, 
/**
 * True to change nothing.
 */
dry_run: boolean, 
/**
 * SHA-256 that the settings must have, `absent` where there must be none.
 */
expect: string | null, };

/**
 * What was changed in the settings, or would be.
 */
export type GuardedRule = { 
/**
 * True if nothing was changed.
 */
dry_run: boolean, 
/**
 * The rule, with its guards.
 */
rule: MemoryRule, 
/**
 * The settings.
 */
settings: string, 
/**
 * What the hook runs.
 */
command: string, 
/**
 * True if it reminds the model and lets the call be made.
 */
remind: boolean, 
/**
 * Hash of the settings before; `absent` where there were none.
 */
from_sha256: string, 
/**
 * Hash of the settings after; `absent` where there are none.
 */
to_sha256: string, 
/**
 * The edit, with the lines around it.
 */
lines: Array<SettingsLine>, 
/**
 * How often the hook would have fired on recorded sessions; null where a guard is taken off.
 */
back_test: BackTest | null, };

/**
 * Health of stores.
 */
export type Health = { 
/**
 * One row a store, by name.
 */
stores: Array<StoreHealth>, 
/**
 * Every finding, the worst first; then by store, path and place.
 */
findings: Array<StoreFinding>, 
/**
 * Findings that are errors.
 */
errors: number, 
/**
 * Findings that are warnings.
 */
warnings: number, 
/**
 * Findings that are notes.
 */
notes: number, 
/**
 * Transcripts that tell what they loaded; null when they were not asked for.
 */
sessions_telling: number | null, 
/**
 * True if reading the transcripts was stopped, so that what was loaded is not fully known.
 */
cancelled: boolean, };

/**
 * Asks how healthy stores are.
 */
export type HealthReq = { 
/**
 * Only this store, id or name; every listed store when absent.
 */
store: string | null, 
/**
 * Also read the transcripts of this machine for what was loaded. The first time this takes as long as reading them;
 * `cancel` with `health` stops it.
 */
loads: boolean, };

/**
 * A character or stretch that a reader would not see.
 */
export type Hidden = { 
/**
 * Where it starts.
 */
at: number, 
/**
 * Number of characters it covers.
 */
length: number, 
/**
 * Its name: `U+200B`, `0xE9` for a byte that is not UTF-8, `<!--` for a comment.
 */
code: string, 
/**
 * Its sort: `zero_width`, `bidi_control`, `tag`, `soft_hyphen`, `control`, `html_comment`, `invalid_byte`, …
 */
kind: HiddenKind, };

/**
 * Why a stretch of text is not seen.
 */
export type HiddenKind = "zero_width" | "bidi_control" | "tag" | "soft_hyphen" | "control" | "html_comment" | "invalid_byte" | "variation_selector" | "other_format";

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
 * Text of that line, cut to about 160 characters around the match.
 */
snippet: string, 
/**
 * Matches in the snippet: start, end.
 */
matches: Array<[number, number]>, 
/**
 * When the version was recorded.
 */
created_at: string, 
/**
 * Act of a person that put back with it what was written before.
 */
put_back: PutBack | null, };

/**
 * Keeps the key for a host in the system's keyring, or takes it out.
 */
export type HostKeyReq = { 
/**
 * Base URL, without `/v1`. The API's own address when absent.
 */
base_url: string | null, 
/**
 * The key to keep. Never answered, logged or put in an error.
 */
key: string | null, 
/**
 * Take the key out instead. Said in so many words, so that an empty request takes nothing away.
 */
remove: boolean, };

/**
 * Names a host of the Memory Stores API.
 */
export type HostRef = { 
/**
 * Base URL, without `/v1`. The API's own address when absent.
 */
base_url: string | null, };

/**
 * A store against the limits of a hosted one.
 */
export type HostedFit = { 
/**
 * Memories a hosted store takes at most.
 */
max_memories: number, 
/**
 * Bytes it takes at most in one memory.
 */
max_bytes: number, 
/**
 * Bytes of the largest file.
 */
largest_bytes: number, 
/**
 * Files that are too large for it.
 */
too_large: number, 
/**
 * Files whose path it would refuse.
 */
bad_paths: number, };

/**
 * A store as its host tells of it.
 */
export type HostedStore = { 
/**
 * Its id at the host, `memstore_…`.
 */
remote_id: string, 
/**
 * Its name there.
 */
name: string, 
/**
 * Purpose; empty when nothing was said.
 */
description: string, 
/**
 * When it was made.
 */
created_at: string, 
/**
 * When it was archived there.
 */
archived_at: string | null, 
/**
 * The mirror of it here, `memstore_…`; null when it is not mirrored.
 */
store_id: string | null, };

/**
 * The stores of a host. Asking calls the host.
 */
export type HostedStores = { 
/**
 * Base URL that was asked.
 */
base_url: string, 
/**
 * Its stores, newest first, archived ones included.
 */
stores: Array<HostedStore>, };

/**
 * Says whether proposals for a store are carried out without being accepted one by one.
 */
export type HubAcceptReq = { 
/**
 * The store.
 */
store: string, 
/**
 * True if they are.
 */
accept: boolean, };

/**
 * Acknowledges what a hub warns of, as an owner.
 */
export type HubAcknowledgeReq = { 
/**
 * An order that machines which left or were removed will not carry out; without one, that the database was put back.
 */
order?: string, };

/**
 * What was done as an owner and lost by the hub.
 */
export type HubActKind = "key" | "machine" | "role" | "policy";

/**
 * What a machine did as an owner's and the hub lost, since its database was restored or a lagging copy took over.
 */
export type HubActLost = { 
/**
 * What it was.
 */
kind: HubActKind, 
/**
 * The key of an agent, the machine, or the key of the policy.
 */
about: string, 
/**
 * The role, or the value of the policy.
 */
value?: string, 
/**
 * True if the machine did it again.
 */
again: boolean, 
/**
 * When it was done.
 */
at: string, 
/**
 * When the loss was found.
 */
found_at: string, };

/**
 * How the shared sessions of all machines fared with rules.
 */
export type HubAdherence = { 
/**
 * One row a rule.
 */
rules: Array<HubRuleLedger>, 
/**
 * Sessions that were counted.
 */
sessions: number, };

/**
 * Asks how the shared sessions of all machines fared with rules.
 */
export type HubAdherenceReq = { 
/**
 * One rule, by its id at the hub.
 */
rule?: string, };

/**
 * A key of an agent, as it is listed.
 */
export type HubAgentToken = { 
/**
 * Its id. Versions that it wrote have it as their author.
 */
id: string, 
/**
 * The store that it is for; none for all stores.
 */
store: string | null, 
/**
 * The store's name.
 */
store_name: string | null, 
/**
 * True if it reads only.
 */
read_only: boolean, 
/**
 * When it was made.
 */
created_at: string, 
/**
 * When it was revoked.
 */
revoked_at: string | null, };

/**
 * A key that was made. It is told once.
 */
export type HubAgentTokenMade = { 
/**
 * The key.
 */
token: string, 
/**
 * What is listed of it.
 */
made: HubAgentToken, };

/**
 * Names a key of an agent.
 */
export type HubAgentTokenRef = { 
/**
 * Its id, or its name.
 */
id: string, };

/**
 * Asks for a key with which an agent uses the hub's Memory Stores.
 */
export type HubAgentTokenReq = { 
/**
 * The store that it is for, by id or name; all stores without.
 */
store: string | null, 
/**
 * True if it reads only.
 */
read_only: boolean, 
/**
 * Its name, which becomes a part of its id; one is made up without.
 */
name: string | null, };

/**
 * Every key that was ever made, the newest first.
 */
export type HubAgentTokens = { 
/**
 * The keys.
 */
tokens: Array<HubAgentToken>, };

/**
 * Approves versions of any machine.
 */
export type HubApproveReq = { 
/**
 * `memver_…` each.
 */
versions: Array<string>, };

/**
 * What was approved.
 */
export type HubApproved = { 
/**
 * Memories that were not reviewed up to there before.
 */
memories: number, };

/**
 * What the organisation asks of every machine, as of the last sync.
 */
export type HubAsked = { 
/**
 * Rules of findings that cannot be switched off here.
 */
required_rules: Array<string>, 
/**
 * What of transcripts may be sent: `nothing`, `metadata` or `everything`.
 */
transcripts: string, 
/**
 * When that was said.
 */
at: string, };

/**
 * A page of the audit log.
 */
export type HubAudit = { 
/**
 * The rows.
 */
rows: Array<HubAuditRow>, 
/**
 * Where the next page begins; null after the last.
 */
next: number | null, };

/**
 * Asks for a page of the audit log.
 */
export type HubAuditReq = { 
/**
 * Only what happened then or later, as RFC 3339.
 */
since?: string, 
/**
 * Where the page before ended.
 */
after?: number, 
/**
 * Rows of the page, at most.
 */
limit?: number, 
/**
 * The newest row first; the oldest where absent.
 */
newest_first?: boolean, };

/**
 * One act, one reading of contents, or one refused attempt.
 */
export type HubAuditRow = { 
/**
 * Its number; they grow, and need not follow each other.
 */
seq: number, 
/**
 * When.
 */
at: string, 
/**
 * The machine; null for what the hub does by itself.
 */
machine: string | null, 
/**
 * Its name.
 */
machine_name: string | null, 
/**
 * The person who was signed in there.
 */
person: string | null, 
/**
 * True if that is who signed in at the organisation's identity provider.
 */
verified?: boolean, 
/**
 * What was asked: `append`, `redact`, `role`, …
 */
action: string, 
/**
 * Ids of what it concerned, or why it was refused.
 */
subject: string, 
/**
 * What was so before, of a change.
 */
before: string | null, 
/**
 * What is so after it.
 */
after: string | null, 
/**
 * `done` or `refused`.
 */
outcome: string, };

/**
 * Sync in the background, while this machine records.
 */
export type HubBackground = { 
/**
 * True if it was switched on.
 */
on: boolean, 
/**
 * When it last ran; null before the first time.
 */
last_at: string | null, 
/**
 * True if that went well; null before the first time.
 */
went_well: boolean | null, 
/**
 * What stood in the way; null when nothing did.
 */
problem: Message | null, 
/**
 * When it tries again at the latest, after a failure.
 */
next_at: string | null, };

/**
 * Switches sync in the background on or off.
 */
export type HubBackgroundReq = { 
/**
 * On or off.
 */
on: boolean, };

/**
 * A redaction of another machine that was carried out here.
 */
export type HubCarriedOut = { 
/**
 * `order_…`
 */
order: string, 
/**
 * The machine that redacted.
 */
by_name: string, 
/**
 * Done, or refused.
 */
state: HubReachState, 
/**
 * Versions that were masked.
 */
versions: number, 
/**
 * Live files that were changed.
 */
live_files: number, 
/**
 * Receipts in this machine's log.
 */
receipts: Array<string>, 
/**
 * Why it was refused.
 */
reason: string | null, 
/**
 * The same in words.
 */
why?: Message, };

/**
 * A comment on a version.
 */
export type HubComment = { 
/**
 * Its number.
 */
number: number, 
/**
 * The text; null where the version was redacted, or this role may not read it.
 */
text: string | null, 
/**
 * Who.
 */
person: string, 
/**
 * True if they signed in at the organisation's identity provider; else it is who their machine says.
 */
verified?: boolean, 
/**
 * On which machine.
 */
machine_name: string, 
/**
 * When.
 */
created_at: string, 
/**
 * True if `hub_remove_comment` removes it for who asks: their own, and of an owner any.
 */
removable?: boolean, };

/**
 * Names a comment.
 */
export type HubCommentRef = { 
/**
 * Its number.
 */
number: number, };

/**
 * Comments on a version of any machine.
 */
export type HubCommentReq = { 
/**
 * The version.
 */
version: string, 
/**
 * The text.
 */
text: string, };

/**
 * Compares two versions at the hub.
 */
export type HubDiffReq = { 
/**
 * The older version; where it is alone, it is compared with the one before it.
 */
a: string, 
/**
 * The newer version.
 */
b?: string, };

/**
 * What stands in the way of a sync.
 */
export type HubFault = "fork" | "chain_cut" | "hub_cut" | "altered" | "clock_skew" | "unreachable" | "refused" | "not_searched" | "said_lost" | "hub_restored";

/**
 * Versions of a memory on all machines, newest first.
 */
export type HubHistory = { 
/**
 * The versions.
 */
versions: Array<HubItem>, 
/**
 * Where the next page begins; null after the last.
 */
next: string | null, };

/**
 * Asks for the versions of a memory on all machines.
 */
export type HubHistoryReq = { 
/**
 * `STORE:PATH`; the store by id, or by a name that any machine gives it.
 */
memory: string, 
/**
 * Where the page before ended.
 */
after?: string, 
/**
 * Versions of the page, at most.
 */
limit?: number, };

/**
 * Memories that nobody reviewed, each with its newest version, newest first.
 */
export type HubInbox = { 
/**
 * The versions.
 */
items: Array<HubItem>, 
/**
 * Where the next page begins; null after the last.
 */
next: string | null, 
/**
 * All there are; with the first page alone. A hub counts up to ten thousand.
 */
total: number | null, 
/**
 * There are more than `total`.
 */
total_is_least: boolean, };

/**
 * Asks for a page of what nobody reviewed.
 */
export type HubInboxReq = { 
/**
 * Where the page before ended.
 */
after?: string, 
/**
 * Memories of the page, at most.
 */
limit?: number, 
/**
 * Only of this machine, by id or name.
 */
machine?: string, };

/**
 * A version of any machine.
 */
export type HubItem = { 
/**
 * `memver_…`
 */
id: string, 
/**
 * The machine.
 */
machine: string, 
/**
 * Its name.
 */
machine_name: string, 
/**
 * The store.
 */
store: string, 
/**
 * Its name.
 */
store_name: string, 
/**
 * The project that the store is of; null where it is of none.
 */
project: string | null, 
/**
 * Place in the chain of machine and store.
 */
seq: number, 
/**
 * The memory.
 */
memory: string, 
/**
 * Path; null when it was redacted.
 */
path: string | null, 
/**
 * Hash of the content.
 */
content_sha256: string | null, 
/**
 * Its size.
 */
content_size_bytes: number | null, 
/**
 * Content at the hub: `kept`, `not_sent`, `redacted`, `expired`, or `none` for a deletion.
 */
content: string, 
/**
 * Kind of the change.
 */
operation: string, 
/**
 * What caused it.
 */
source: string, 
/**
 * When it was recorded.
 */
created_at: string, 
/**
 * True if somebody reviewed it, on its machine or at the hub.
 */
reviewed: boolean, 
/**
 * Comments on it.
 */
comments: number, 
/**
 * True if it came in with an import that its machine took back: the log there does not list it.
 */
undone?: boolean, };

/**
 * Asks to join a hub. Nothing of a memory is sent by it.
 */
export type HubJoinReq = { 
/**
 * Address of the hub.
 */
url: string, 
/**
 * One-time token.
 */
token: string, 
/**
 * Name of this machine, for people.
 */
name?: string, 
/**
 * What stores may send for which nothing else is chosen; everything when absent.
 */
send?: HubSend, 
/**
 * Certificates that are believed, as PEM, where the system does not know that of the hub.
 */
certificates?: string, };

/**
 * Leaves the hub.
 */
export type HubLeaveReq = { 
/**
 * Forgets this machine's key too, so that it joins as another machine next time.
 */
new_identity: boolean, };

/**
 * A comment or a proposal that the hub lost, since its database was restored or a lagging copy took over.
 */
export type HubLost = { 
/**
 * Which of the two.
 */
kind: HubLostKind, 
/**
 * The version that it was about; of a store that was to be restored, the store.
 */
about: string, 
/**
 * When it was made.
 */
at: string, 
/**
 * When the loss was found.
 */
found_at: string, };

/**
 * What a hub lost of what was said on a machine.
 */
export type HubLostKind = "comment" | "proposal";

/**
 * A machine of the organisation.
 */
export type HubMachine = { 
/**
 * Its id.
 */
machine: string, 
/**
 * Its name.
 */
name: string, 
/**
 * What it may do.
 */
role: HubRole, 
/**
 * True for the machine that asks.
 */
is_this: boolean, 
/**
 * When it joined.
 */
joined_at: string, 
/**
 * When it last called.
 */
seen_at: string, 
/**
 * How far its clock was ahead of the hub's, in seconds.
 */
skew_seconds: number, 
/**
 * When it left.
 */
left_at: string | null, 
/**
 * When an owner removed it.
 */
removed_at: string | null, 
/**
 * Of a window that the hub serves: when it ends. Absent of a machine.
 */
window_ends_at?: string, 
/**
 * Who is signed in there.
 */
signed_in?: HubPerson, 
/**
 * The copy of its data directory that the hub refused last; absent for none in the last thirty days.
 */
copy?: HubRefusedCopy, };

/**
 * Where a memory was before a model on one machine.
 */
export type HubMachinePresence = { 
/**
 * The machine.
 */
machine: string, 
/**
 * Its name.
 */
machine_name: string, 
/**
 * Its store.
 */
store: string, 
/**
 * The store's name.
 */
store_name: string, 
/**
 * Shared sessions that could have had it.
 */
sessions: number, 
/**
 * Of these, those of which any request had any line of it.
 */
present: number, 
/**
 * Of these, those in which that is inferred alone.
 */
inferred: number, 
/**
 * When a request last had any of it.
 */
last_at: string | null, 
/**
 * Why the others did not have it: sessions by cause.
 */
absent: Record<string, number>, };

/**
 * Names a machine of the organisation.
 */
export type HubMachineRef = { 
/**
 * Its id, or its name where no other has it.
 */
machine: string, };

/**
 * The machines of the organisation, by name.
 */
export type HubMachines = { 
/**
 * The machines; those that left are among them.
 */
machines: Array<HubMachine>, 
/**
 * True if the hub has an identity provider at which people sign in.
 */
sign_in: boolean, };

/**
 * Whether a redaction goes to every machine.
 */
export type HubOrderState = "waiting" | "ordered";

/**
 * A person who signed in on a machine.
 */
export type HubPerson = { 
/**
 * The verified address; name and subject where there is none.
 */
person: string, 
/**
 * Their name.
 */
name: string, 
/**
 * The identity provider.
 */
issuer: string, 
/**
 * When the sign-in ends.
 */
ends_at: string, };

/**
 * What holds for all machines of an organisation.
 */
export type HubPolicy = { 
/**
 * True if a redaction that reaches other machines waits for a second person.
 */
two_person_redaction: boolean, 
/**
 * Days after which the hub drops the content of a version that is not the newest of a live memory; by id or name of the
 * store, or `*` for every other.
 */
retention_days: Record<string, number>, 
/**
 * What of transcripts the hub may keep: `nothing`, `metadata` or `everything`.
 */
transcripts: string, 
/**
 * Rules of findings that every machine checks.
 */
required_rules: Array<string>, 
/**
 * What is worth knowing of the change that was just made.
 */
note?: Message, };

/**
 * Changes one key of the policy.
 */
export type HubPolicyReq = { 
/**
 * `two_person_redaction`, `retention_days.STORE`, `transcripts` or `required_rules`.
 */
key: string, 
/**
 * The value as text; `none` takes days or rules away.
 */
value: string, };

/**
 * Where a memory was before a model.
 */
export type HubPresence = { 
/**
 * The memory, as it was named.
 */
memory: string, 
/**
 * By machine.
 */
machines: Array<HubMachinePresence>, 
/**
 * Shared sessions that could have had it.
 */
sessions: number, 
/**
 * Of these, those of which any request had any line of it.
 */
present: number, 
/**
 * Of these, those in which that is inferred alone.
 */
inferred: number, 
/**
 * When a request last had any of it.
 */
last_at: string | null, 
/**
 * Why the others did not have it: sessions by cause.
 */
absent: Record<string, number>, };

/**
 * Asks where a memory was before a model, over the shared sessions of all machines.
 */
export type HubPresenceReq = { 
/**
 * `STORE:PATH`; the store by id, or by a name that any machine gives it.
 */
memory: string, };

/**
 * What stands in the way of a sync.
 */
export type HubProblem = { 
/**
 * For programs.
 */
code: HubFault, 
/**
 * The store concerned.
 */
store_id: string | null, 
/**
 * One plain sentence.
 */
message: Message, 
/**
 * What to do next.
 */
hint: Message, };

/**
 * A project, and its stores on all machines.
 */
export type HubProject = { 
/**
 * `project_…`
 */
id: string, 
/**
 * Name of the repository.
 */
name: string, 
/**
 * Its stores.
 */
stores: Array<HubProjectStore>, };

/**
 * A store of a project.
 */
export type HubProjectStore = { 
/**
 * The machine.
 */
machine: string, 
/**
 * Its name.
 */
machine_name: string, 
/**
 * The store.
 */
store: string, 
/**
 * Its name.
 */
store_name: string, };

/**
 * Projects that several machines have.
 */
export type HubProjects = { 
/**
 * The projects, by name.
 */
projects: Array<HubProject>, };

/**
 * A change that one machine proposes to another.
 */
export type HubProposal = { 
/**
 * `proposal_…`
 */
id: string, 
/**
 * What it is to do.
 */
kind: HubProposalKind, 
/**
 * What became of it.
 */
state: HubProposalState, 
/**
 * The machine that is to carry it out.
 */
machine: string, 
/**
 * Its name.
 */
machine_name: string, 
/**
 * True if that is this machine.
 */
here: boolean, 
/**
 * The store.
 */
store: string, 
/**
 * Its name.
 */
store_name: string, 
/**
 * Path of the memory; null for a whole store.
 */
path: string | null, 
/**
 * The version to put back.
 */
to: string | null, 
/**
 * The instant to go back to.
 */
at: string | null, 
/**
 * Hash that the live content must have.
 */
expects: string | null, 
/**
 * Why.
 */
note: string | null, 
/**
 * Who proposed it.
 */
person: string, 
/**
 * True if they signed in at the organisation's identity provider; else it is who their machine says.
 */
person_verified?: boolean, 
/**
 * On which machine.
 */
by_name: string, 
/**
 * True if that is this machine, which alone may withdraw it.
 */
mine: boolean, 
/**
 * When.
 */
created_at: string, 
/**
 * When it was carried out or refused.
 */
settled_at: string | null, 
/**
 * The operation in the log of its machine.
 */
operation_seq: number | null, 
/**
 * Why it was not done.
 */
reason: string | null, 
/**
 * The same in words.
 */
why?: Message, 
/**
 * True if the machine's key signed the result; null before there is one.
 */
verified: boolean | null, };

/**
 * A proposal that was carried out or refused here.
 */
export type HubProposalDone = { 
/**
 * `proposal_…`
 */
id: string, 
/**
 * What it was to do.
 */
kind: HubProposalKind, 
/**
 * The store.
 */
store_id: string, 
/**
 * Path of the memory; null for a whole store.
 */
path: string | null, 
/**
 * What became of it.
 */
state: HubProposalState, 
/**
 * The operation in this machine's log.
 */
operation_seq: number | null, 
/**
 * Why it was not done.
 */
reason: string | null, 
/**
 * The same in words.
 */
why?: Message, };

/**
 * What a proposal is to do.
 */
export type HubProposalKind = "rollback" | "edit" | "restore";

/**
 * Names a proposal.
 */
export type HubProposalRef = { 
/**
 * `proposal_…`
 */
id: string, };

/**
 * What became of a proposal.
 */
export type HubProposalState = "waiting" | "done" | "conflict" | "refused" | "withdrawn";

/**
 * Proposals, newest first.
 */
export type HubProposals = { 
/**
 * The proposals.
 */
proposals: Array<HubProposal>, };

/**
 * Proposes a change to another machine.
 */
export type HubProposeReq = { 
/**
 * What it is to do.
 */
kind: HubProposalKind, 
/**
 * Of a rollback: the version to put the memory back to. Of an edit: the version that is replaced.
 */
version?: string, 
/**
 * Of an edit: the new text.
 */
text?: string, 
/**
 * Of a restore: the machine, by id or name.
 */
machine?: string, 
/**
 * Of a restore: the store there, by id or name.
 */
store?: string, 
/**
 * Of a restore: the instant, RFC 3339, or the number of an operation there.
 */
at?: string, 
/**
 * Why.
 */
note?: string, };

/**
 * How far a redaction is on one machine.
 */
export type HubReach = { 
/**
 * The machine.
 */
machine: string, 
/**
 * Its name.
 */
name: string, 
/**
 * How far it is.
 */
state: HubReachState, 
/**
 * Since when.
 */
since: string, 
/**
 * When the machine was last seen.
 */
seen_at: string, 
/**
 * True if it left the hub.
 */
left: boolean, 
/**
 * True if an owner removed it: its key is never taken again.
 */
removed?: boolean, 
/**
 * Of one that left: the machine that carried this out in the same log, under another key.
 */
carried_out_as?: string, 
/**
 * Of one that left: when an owner acknowledged that it will not carry this out.
 */
acknowledged_at?: string, 
/**
 * The machine of that owner.
 */
acknowledged_by?: string, 
/**
 * True if it is asked to look again at what is left, at its next sync.
 */
recheck?: boolean, 
/**
 * Its newest receipt.
 */
receipt: HubReceipt | null, };

/**
 * How far a redaction is on one machine.
 */
export type HubReachState = "outstanding" | "done" | "refused";

/**
 * A receipt that a machine signed.
 */
export type HubReceipt = { 
/**
 * True if the machine's key signed exactly this body.
 */
verified: boolean, 
/**
 * When.
 */
created_at: string, 
/**
 * Versions that were masked.
 */
versions: number, 
/**
 * Live files that were changed.
 */
live_files: number, 
/**
 * `done`, or `pending` while the bytes are in the files of the log.
 */
purge: string, 
/**
 * Places where something was left, or that could not be looked at.
 */
places_left: number, 
/**
 * Receipts in the machine's log.
 */
receipts: Array<string>, 
/**
 * Why it was refused.
 */
reason: string | null, 
/**
 * The same in words.
 */
why?: Message, 
/**
 * The body, exactly as it was signed.
 */
body: string, 
/**
 * The Ed25519 signature, base 64.
 */
signature: string, 
/**
 * The machine's public key, base 64.
 */
public_key: string, };

/**
 * A redaction, and how far it reached: the receipt of all machines together.
 */
export type HubRedaction = { 
/**
 * `order_…`
 */
id: string, 
/**
 * The machine that redacted.
 */
by: string, 
/**
 * Its name.
 */
by_name: string, 
/**
 * When.
 */
created_at: string, 
/**
 * Way of choosing the versions: `versions`, `find` or `secret`.
 */
method: string, 
/**
 * True if live files lose it as well.
 */
live: boolean, 
/**
 * Why.
 */
reason: string | null, 
/**
 * Whether it goes to every machine.
 */
state: HubOrderState, 
/**
 * Who approved it, where the policy asks for a second person.
 */
approved_by: string | null, 
/**
 * True if they signed in at the organisation's identity provider.
 */
approved_verified?: boolean, 
/**
 * The first of the two persons, where the hub knows who signed in.
 */
first_person?: string, 
/**
 * When.
 */
approved_at: string | null, 
/**
 * Versions of other machines that lost path and content at the hub.
 */
versions: number, 
/**
 * Contents that the hub destroyed, with their keys.
 */
contents: number, 
/**
 * Comments and proposals that lost their text, or the part of it that was redacted.
 */
texts: number, 
/**
 * Where the hub has it still, since nothing may be changed there.
 */
left?: Array<HubTextLeft>, 
/**
 * When the hub last destroyed something of it.
 */
destroyed_at: string | null, 
/**
 * The machines concerned, the one that redacted included.
 */
machines: Array<HubReach>, 
/**
 * True if every machine concerned sent a receipt that verifies.
 */
complete: boolean, };

/**
 * Names a redaction of the organisation.
 */
export type HubRedactionRef = { 
/**
 * `order_…`
 */
id: string, };

/**
 * Every redaction of the organisation, and how far it reached.
 */
export type HubRedactions = { 
/**
 * The redactions, newest first.
 */
redactions: Array<HubRedaction>, 
/**
 * What else may hold a copy, each a sentence.
 */
copies: Array<Message>, };

/**
 * A copy of a machine's data directory that went on under the same identity: the hub takes nothing from it.
 */
export type HubRefusedCopy = { 
/**
 * When it last called.
 */
at: string, 
/**
 * The store whose chain showed it.
 */
store: string, 
/**
 * Its name at the hub.
 */
store_name: string | null, 
/**
 * The first version of that chain that the copy does not have, or has another one of.
 */
seq: number, };

/**
 * The database of a hub was put back to an earlier state, as from a backup: what was ended or changed since may be as it was.
 */
export type HubRestored = { 
/**
 * The newest that it kept.
 */
kept_until: string, 
/**
 * The newest that a machine knows to be lost.
 */
lost_until: string, 
/**
 * When that was found.
 */
found_at: string, 
/**
 * One-time tokens that were ended for it.
 */
tokens: number, };

/**
 * A review made at the hub.
 */
export type HubReview = { 
/**
 * `approved`.
 */
verdict: string, 
/**
 * Who.
 */
person: string, 
/**
 * True if they signed in at the organisation's identity provider; else it is who their machine says.
 */
verified?: boolean, 
/**
 * On which machine.
 */
machine_name: string, 
/**
 * When.
 */
created_at: string, };

/**
 * What a machine is to the organisation of its hub.
 */
export type HubRole = "owner" | "reviewer" | "writer" | "auditor";

/**
 * Gives a machine another role.
 */
export type HubRoleReq = { 
/**
 * Its id, or its name where no other has it.
 */
machine: string, 
/**
 * The role.
 */
role: HubRole, };

/**
 * How sessions fared with one rule. Its id is the hub's; the same rule has the same one on every machine.
 */
export type HubRuleLedger = { 
/**
 * By machine.
 */
machines: Array<HubRuleMachine>, 
/**
 * The rule's id.
 */
rule_id: string, 
/**
 * Points at which it applied: followed, broken, excepted and undecidable ones.
 */
opportunities: number, 
/**
 * It was followed.
 */
followed: number, 
/**
 * It was not.
 */
broken: number, 
/**
 * Of the broken ones: the rule was before the model.
 */
broken_present: number, 
/**
 * Of those: that it was is inferred, not recorded. Absent where all of it is recorded.
 */
broken_inferred?: number, 
/**
 * Of the broken ones: it was not, by cause.
 */
broken_absent: { [key in string]: number }, 
/**
 * Of the broken ones: the session does not tell whether it was.
 */
broken_unknown: number, 
/**
 * It was not followed, and the person had asked for that.
 */
excepted: number, 
/**
 * The rule did not stand there then: not yet, or no longer.
 */
predates: number, 
/**
 * The session does not tell.
 */
undecidable: number, 
/**
 * Sessions with at least one opportunity.
 */
sessions: number, 
/**
 * Tokens of its line, as the newest models count: what it costs a session that loads it.
 */
tokens_per_session: number, 
/**
 * When it last applied.
 */
last_at: string | null, 
/**
 * Hooks that guard it.
 */
guards?: Array<RuleGuard>, 
/**
 * Directory of the project that its source belongs to; null where it belongs to none, or to one that is not here.
 */
project: string | null, 
/**
 * The wordings of its line, the oldest first, each with how it fared while it stood.
 */
by_version: Array<RuleWording>, 
/**
 * Cases, the newest first, where asked for; at most 500.
 */
cases?: Array<RuleCase>, 
/**
 * The kind.
 */
kind: RuleKind, 
/**
 * The program without its directory; `*` for any. Of kinds about one command.
 */
program?: string | null, 
/**
 * Words that its arguments hold: options anywhere, other words in this order.
 */
arguments?: Array<string>, 
/**
 * Of `command_form`: words that the call holds, or `!` and a text that it does not. Of `text_form`: a text that each place
 * holds, or `!` and a text that none does.
 */
form?: string | null, 
/**
 * Of `order`: the command that comes first.
 */
before?: string | null, 
/**
 * Of `order`: the command that may come then.
 */
after?: string | null, 
/**
 * Of `path_never` and `text_form`: patterns of paths.
 */
paths?: Array<string>, 
/**
 * Of `text_form`: the text with which each place begins that must have the form; none where a write is one place.
 */
text?: string | null, 
/**
 * The sentence.
 */
sentence: string, 
/**
 * Where it stands: `STORE:PATH:LINE`, or a file.
 */
source: string | null, };

/**
 * How the sessions of one machine fared with a rule.
 */
export type HubRuleMachine = { 
/**
 * The machine.
 */
machine: string, 
/**
 * Its name.
 */
machine_name: string, 
/**
 * Points at which it applied.
 */
opportunities: number, 
/**
 * It was followed.
 */
followed: number, 
/**
 * It was not.
 */
broken: number, 
/**
 * Of the broken ones: the rule was before the model.
 */
broken_present: number, 
/**
 * Sessions with at least one opportunity.
 */
sessions: number, 
/**
 * When it last applied.
 */
last_at: string | null, };

/**
 * What a store may send to a hub.
 */
export type HubSend = "everything" | "metadata" | "nothing";

/**
 * Chooses what a store may send.
 */
export type HubSendReq = { 
/**
 * The store; absent: every store for which nothing is chosen.
 */
store?: string, 
/**
 * What may be sent.
 */
send: HubSend, };

/**
 * A session of any machine.
 */
export type HubSession = { 
/**
 * The machine; the hub itself for sessions that agents mirror.
 */
machine: string, 
/**
 * Its name.
 */
machine_name: string, 
/**
 * The session's id there.
 */
session: string, 
/**
 * Whose it is: `claude-code`, `codex`, …
 */
agent: string, 
/**
 * Names of the stores that share it.
 */
stores: Array<string>, 
/**
 * Names of their projects.
 */
projects: Array<string>, 
/**
 * When it began.
 */
started_at: string | null, 
/**
 * When it ended, as far as is known.
 */
ended_at: string | null, 
/**
 * Calls of the model.
 */
requests: number, 
/**
 * Subagents.
 */
subagents: number, 
/**
 * Tokens of input that was not cached.
 */
input_tokens: number, 
/**
 * Tokens read from the cache.
 */
cache_read_tokens: number, 
/**
 * Tokens written to the cache.
 */
cache_write_tokens: number, 
/**
 * Tokens of output.
 */
output_tokens: number, 
/**
 * Price in US dollars; null where a model has none.
 */
cost_usd: number | null, 
/**
 * Entries of its transcript at the hub.
 */
entries: number, 
/**
 * Of these, those of which the hub keeps no text.
 */
without_text: number, };

/**
 * A page of sessions, the one that ended last first.
 */
export type HubSessions = { 
/**
 * The sessions.
 */
sessions: Array<HubSession>, 
/**
 * Where the next page begins; null after the last.
 */
next: string | null, };

/**
 * Asks for a page of the shared sessions of all machines.
 */
export type HubSessionsReq = { 
/**
 * Only this machine, by id or name.
 */
machine?: string, 
/**
 * Where the page before ended.
 */
after?: string, 
/**
 * Sessions of the page, at most.
 */
limit?: number, };

/**
 * What the sessions of a store share with a hub.
 */
export type HubShare = "nothing" | "summary" | "everything";

/**
 * Chooses what the sessions of a store share.
 */
export type HubShareReq = { 
/**
 * The store.
 */
store: string, 
/**
 * What is shared from now on.
 */
share: HubShare, };

/**
 * What of sessions was sent.
 */
export type HubShared = { 
/**
 * Sessions that were new or had changed.
 */
sessions: number, 
/**
 * Entries of transcripts.
 */
entries: number, };

/**
 * Names a version at the hub.
 */
export type HubShowReq = { 
/**
 * `memver_…`, or `memver_…@machine_…` where several machines have it.
 */
version: string, 
/**
 * With its content.
 */
content: boolean, };

/**
 * A version at the hub with what was said about it.
 */
export type HubShown = { 
/**
 * The version.
 */
version: HubItem, 
/**
 * Its content as text, where it was asked for, the hub has it, and it is text.
 */
text: string | null, 
/**
 * Its content, where it is no text.
 */
content_base64: string | null, 
/**
 * The version before it, of the same memory.
 */
before: string | null, 
/**
 * Comments, oldest first.
 */
comments: Array<HubComment>, 
/**
 * Reviews made at the hub, oldest first.
 */
reviews: Array<HubReview>, 
/**
 * Findings of the rules about one content, by the rules of this machine, where the content was asked for and is at the hub.
 */
findings: Array<Finding>, };

/**
 * A sign-in that began: where a person goes, and what they enter there.
 */
export type HubSignIn = { 
/**
 * Where to go.
 */
verification_uri: string, 
/**
 * The same with the code in it; null where the provider has none.
 */
verification_uri_complete: string | null, 
/**
 * What to enter there.
 */
user_code: string, 
/**
 * Seconds to wait between two questions about how it stands.
 */
interval_seconds: number, 
/**
 * When it ends without an answer.
 */
expires_at: string, 
/**
 * Finishes it, on this machine alone.
 */
handle: string, };

/**
 * Asks how a sign-in stands.
 */
export type HubSignInReq = { 
/**
 * What came when it began.
 */
handle: string, };

/**
 * How a sign-in stands.
 */
export type HubSignInState = { 
/**
 * Who signed in; null while the person has not answered.
 */
signed_in: HubPerson | null, 
/**
 * True if it was asked too soon: five seconds more between questions from now on.
 */
slower: boolean, };

/**
 * The membership of this machine, and its stores.
 */
export type HubStatus = { 
/**
 * Address of the hub; null when no hub is joined.
 */
url: string | null, 
/**
 * The organisation.
 */
org: string | null, 
/**
 * This machine.
 */
machine: string | null, 
/**
 * Its name.
 */
name: string | null, 
/**
 * Its role, as of the last sync.
 */
role: HubRole | null, 
/**
 * What stores may send for which nothing else is chosen.
 */
send: HubSend, 
/**
 * The stores.
 */
stores: Array<HubStore>, 
/**
 * Sync in the background.
 */
background: HubBackground, 
/**
 * What waited at the hub when this machine last synced; null before that.
 */
waiting: HubWaiting | null, 
/**
 * Who is signed in on this machine, as far as it was told; absent for nobody, or once that has ended.
 */
signed_in?: HubPerson, 
/**
 * What the organisation asks of this machine; absent before its first sync.
 */
asked?: HubAsked, 
/**
 * In a window that a hub serves; absent on a machine.
 */
window?: HubWindow, 
/**
 * Of a hub that was left here and does not know it: why, and what to do. Absent otherwise.
 */
not_told?: HubProblem, 
/**
 * Comments and proposals of this machine that the hub was found to have lost, for thirty days.
 */
lost?: Array<HubLost>, 
/**
 * What this machine did as an owner's and the hub lost, for thirty days.
 */
acts_lost?: Array<HubActLost>, };

/**
 * What a store may send, and how far it was sent.
 */
export type HubStore = { 
/**
 * The store.
 */
store_id: string, 
/**
 * Its name.
 */
name: string, 
/**
 * What it may send.
 */
send: HubSend, 
/**
 * True if that was chosen for this store.
 */
chosen: boolean, 
/**
 * Versions that the hub acknowledged.
 */
acknowledged: number, 
/**
 * Digest of the last link of its chain, countersigned by the hub.
 */
head: string | null, 
/**
 * When the hub signed that.
 */
signed_at: string | null, 
/**
 * True if proposals of other machines are carried out at a sync, without being accepted one by one.
 */
accept_proposals: boolean, 
/**
 * What its sessions share; absent for nothing.
 */
share?: HubShare, };

/**
 * What was sent of a store.
 */
export type HubStoreSynced = { 
/**
 * The store.
 */
store_id: string, 
/**
 * Its name.
 */
name: string, 
/**
 * What it may send.
 */
send: HubSend, 
/**
 * Versions sent now.
 */
versions: number, 
/**
 * Contents sent now that the hub did not have.
 */
contents: number, 
/**
 * Contents kept back now, since they hold what was redacted here: the hub has path and hash of their versions alone.
 */
withheld: number, 
/**
 * Versions whose path and content the hub destroyed now, since they were redacted here.
 */
redacted: number, 
/**
 * Links of its chain at the hub.
 */
seq: number, };

/**
 * Sends what the hub lacks.
 */
export type HubSyncReq = { 
/**
 * Only this store.
 */
store?: string, 
/**
 * Sends again what the hub acknowledged and has no more, as after a restored backup.
 */
resend: boolean, 
/**
 * Name by which `cancel` stops it.
 */
job?: string, };

/**
 * What was sent.
 */
export type HubSynced = { 
/**
 * The stores.
 */
stores: Array<HubStoreSynced>, 
/**
 * What stands in the way, or is worth knowing.
 */
problems: Array<HubProblem>, 
/**
 * Redactions of other machines that were carried out here now.
 */
redactions: Array<HubCarriedOut>, 
/**
 * Proposals of other machines that were carried out or refused here now.
 */
proposals: Array<HubProposalDone>, 
/**
 * Reviews made at the hub that were noted in the log now.
 */
reviews: number, 
/**
 * What waits at the hub.
 */
waiting: HubWaiting | null, 
/**
 * What of sessions was sent; absent where no store shares any.
 */
shared?: HubShared, };

/**
 * A place at the hub that holds what was redacted, and where nothing may be changed.
 */
export type HubTextLeft = { 
/**
 * `audit`: the audit log.
 */
place: string, 
/**
 * How many rows of it.
 */
rows: number, 
/**
 * Their numbers, of many the first hundred.
 */
numbers: Array<number>, 
/**
 * The same as a sentence.
 */
message: Message, 
/**
 * What to do about it.
 */
hint: Message, };

/**
 * A one-time token.
 */
export type HubToken = { 
/**
 * The token.
 */
token: string, 
/**
 * The role it gives.
 */
role: string, 
/**
 * When it ends.
 */
expires_at: string, };

/**
 * Asks for a token for one more machine.
 */
export type HubTokenReq = { 
/**
 * True for the token of an owner's machine.
 */
owner: boolean, 
/**
 * The role it gives; a writer's when none is named.
 */
role?: HubRole, };

/**
 * A version at the hub.
 */
export type HubVersion = { 
/**
 * The machine.
 */
machine: string, 
/**
 * Its name.
 */
machine_name: string, 
/**
 * The store.
 */
store: string, 
/**
 * Its name.
 */
store_name: string, 
/**
 * Place in the chain of machine and store.
 */
seq: number, 
/**
 * Path; null when it was redacted.
 */
path: string | null, 
/**
 * Hash of the content.
 */
content_sha256: string | null, 
/**
 * Its size.
 */
content_size_bytes: number | null, 
/**
 * Content at the hub: `kept`, `not_sent`, `expired`, `redacted`, or `none` for a deletion.
 */
content: string, 
/**
 * Kind of the change.
 */
operation: string, 
/**
 * What caused it.
 */
source: string, 
/**
 * When it was recorded.
 */
created_at: string, 
/**
 * True if it came in with an import that its machine took back: the log there does not list it.
 */
undone?: boolean, };

/**
 * A page of the versions of all machines.
 */
export type HubVersions = { 
/**
 * The versions, by store, machine and place.
 */
versions: Array<HubVersion>, 
/**
 * Where the next page begins; null after the last.
 */
next: string | null, };

/**
 * Asks for a page of the versions at the hub.
 */
export type HubVersionsReq = { 
/**
 * Where the page before ended.
 */
after?: string, 
/**
 * Versions of the page, at most.
 */
limit?: number, };

/**
 * What waits at the hub.
 */
export type HubWaiting = { 
/**
 * Redactions of other machines that this one has yet to carry out.
 */
redactions: number, 
/**
 * Redactions that some machine has yet to carry out.
 */
outstanding: number, 
/**
 * Redactions that wait for a second person.
 */
to_approve: number, 
/**
 * Proposals that wait for this machine.
 */
proposals: number, 
/**
 * Memories of all machines that nobody reviewed. A hub counts up to ten thousand.
 */
unreviewed: number, 
/**
 * There are more than `unreviewed`.
 */
unreviewed_is_least: boolean, 
/**
 * When that was so.
 */
at: string, 
/**
 * The copy of this machine's data directory that the hub refused last; absent for none in the last thirty days, and on the copy.
 */
copy?: HubRefusedCopy, 
/**
 * The hub's database was put back to an earlier state, and no owner acknowledged that.
 */
restored?: HubRestored, };

/**
 * A window that a hub serves.
 */
export type HubWindow = { 
/**
 * When it ends; null while nobody signed in.
 */
ends_at: string | null, 
/**
 * True if nobody signed in and the identity provider signs people in without a token.
 */
sign_in: boolean, };

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
 * Asks for what a bundle holds.
 */
export type ImportBundleReq = { 
/**
 * The file.
 */
file: string, 
/**
 * The store it belongs to, id or name; the one of the name in the bundle when absent.
 */
store: string | null, 
/**
 * Only say what would come in.
 */
dry_run: boolean, 
/**
 * Name to stop it by, with `cancel`, and of its progress.
 */
job: string | null, };

/**
 * Asks for the history that git kept.
 */
export type ImportGitReq = { 
/**
 * A directory that git keeps, or that lies in one.
 */
directory: string, 
/**
 * A directory or file below it; the directory itself when absent. `/` between parts.
 */
path: string | null, 
/**
 * The store it belongs to, id or name; the one whose directory it is, or lies in, when absent.
 */
store: string | null, 
/**
 * Only say what would come in.
 */
dry_run: boolean, 
/**
 * Name to stop it by, with `cancel`, and of its progress.
 */
job: string | null, };

/**
 * Result of an import, or its preview with `dry_run`. It is one operation, which `undo` takes back.
 */
export type ImportResult = { 
/**
 * Nothing was brought in.
 */
dry_run: boolean, 
/**
 * The operation; null when there was nothing new.
 */
operation_seq: number | null, 
/**
 * `git`, `transcripts` or `bundle`.
 */
from: ImportSource, 
/**
 * `memstore_…`
 */
store_id: string, 
/**
 * Its name.
 */
store: string, 
/**
 * Versions the source tells of.
 */
found: number, 
/**
 * Versions that came in.
 */
versions: number, 
/**
 * Memories that got any.
 */
memories: number, 
/**
 * Left out: rebuilt already, or redacted since.
 */
known: number, 
/**
 * Left out: the memory was observed by then.
 */
observed: number, 
/**
 * Left out: the same as the version before it, or the recorder saw the change itself.
 */
unchanged: number, 
/**
 * Versions that were redacted or hold what was: those of `redacted_files`, which come in with `[redacted]` in its
 * place or are in the log redacted, and `redacted_paths`.
 */
redacted: number, 
/**
 * Left out: the path holds what was redacted.
 */
redacted_paths: number, 
/**
 * The files whose versions hold it, those with most versions first.
 */
redacted_files: Array<ImportedFile>, 
/**
 * When the first of those found was.
 */
first_at: string | null, 
/**
 * When the last of those found was.
 */
last_at: string | null, 
/**
 * The files found, those with most versions first; 200 at most.
 */
files: Array<ImportedFile>, 
/**
 * Content that could not be brought in, and why, each a sentence.
 */
warnings: Array<Message>, };

/**
 * Source of a history that is brought in.
 */
export type ImportSource = "git" | "transcripts" | "bundle";

/**
 * Asks for what the transcripts of this machine's agents tell of a store, the copies Claude Code kept among it.
 */
export type ImportTranscriptsReq = { 
/**
 * Store, id or name.
 */
store: string, 
/**
 * Only say what would come in.
 */
dry_run: boolean, 
/**
 * Name to stop it by, with `cancel`, and of its progress.
 */
job: string | null, };

/**
 * A file that an import found.
 */
export type ImportedFile = { 
/**
 * Its path in the store, the last where it moved.
 */
path: string, 
/**
 * Versions found.
 */
versions: number, };

/**
 * State of a file in imported history at a time before recording began.
 */
export type ImportedState = { 
/**
 * Path, in the store.
 */
path: string, 
/**
 * Action of a restore: `write`, `delete`, or `leave`.
 */
act: RestoreAct, 
/**
 * True if its source kept whole states, as git does. Transcripts tell what sessions did, and nothing of anybody else.
 */
certain: boolean, 
/**
 * Why, in a sentence.
 */
reason: Message, };

/**
 * The setting that was in force while a run was recorded.
 */
export type InForce = { 
/**
 * As the requests carry it.
 */
config: unknown, 
/**
 * What it does, in a few words.
 */
what: Message, 
/**
 * Requests that carry exactly it.
 */
requests: number, };

/**
 * Unreviewed changes, newest first.
 */
export type Inbox = { 
/**
 * The groups of this page. One that does not end on it goes on with the same id on the next.
 */
groups: Array<InboxGroup>, 
/**
 * Items on all pages: what a badge shows, where neither a store nor a kind was asked for.
 */
total: number, 
/**
 * Groups on all pages.
 */
groups_total: number, 
/**
 * Asks for the next page; null on the last. Its form means nothing to clients. It goes on to ask for the items behind this
 * page when some of the list were reviewed or came since.
 */
next_before: string | null, };

/**
 * Changes that belong together: those of a session, or, where no session is known, changes of one store by one writer that
 * followed each other closely.
 */
export type InboxGroup = { 
/**
 * Names the group as it is now; something new in it gives it another name, so that nobody approves what they did not see.
 * Where the list is of one store or one kind, that is part of the name: `group_7@memstore_…`, `group_7:index`.
 */
id: string, 
/**
 * The session, where it is known. What a person put back is in the group of who wrote it.
 */
session: string | null, 
/**
 * Who; null when unknown.
 */
actor: ActorView | null, 
/**
 * When the oldest of its items changed last.
 */
started_at: string, 
/**
 * When the newest did.
 */
ended_at: string, 
/**
 * Items on all pages.
 */
total: number, 
/**
 * Items of this page, newest first.
 */
items: Array<InboxItem>, };

/**
 * One memory that changed since it was last reviewed. What cannot be read (binary, too large, redacted) is an item too.
 */
export type InboxItem = { 
/**
 * `memstore_…`
 */
store_id: string, 
/**
 * `mem_…`
 */
memory_id: string, 
/**
 * Path now, or the last one of a deleted memory; null when redacted.
 */
path: string | null, 
/**
 * Path when it was last reviewed, where that is another.
 */
previous_path: string | null, 
/**
 * From what was last reviewed to now: `created`, `changed`, `moved` (with or without other content), `deleted`.
 */
verb: ItemVerb, 
/**
 * The version last reviewed, or of the baseline; null when there is none.
 */
base_version_id: string | null, 
/**
 * The newest version: what a review of this item names.
 */
version_id: string, 
/**
 * Versions since the reviewed one, the newest included.
 */
versions: number, 
/**
 * The operation of the newest version.
 */
operation_seq: number, 
/**
 * When that was recorded.
 */
created_at: string, 
/**
 * Who wrote it; null when unknown. Where a person put it back, the one who wrote it first.
 */
created_by: ActorView | null, 
/**
 * Act of a person that put back what was written before.
 */
put_back: PutBack | null, 
/**
 * Cause, as in `Version`.
 */
source: ChangeSource, 
/**
 * Why, where a reason was given.
 */
note: Message | null, 
/**
 * `text`, `binary`, `too_large` or `redacted`; null when deleted.
 */
content_kind: ContentKind | null, 
/**
 * Bytes last reviewed; 0 when there was nothing, null when redacted.
 */
base_size_bytes: number | null, 
/**
 * Bytes now; 0 when deleted, null when redacted.
 */
content_size_bytes: number | null, 
/**
 * The difference of the two.
 */
size_change: number | null, 
/**
 * Tokens last reviewed, counted offline; null for what is no text, was redacted, or is too large to be kept.
 */
base_tokens: number | null, 
/**
 * Tokens now, likewise.
 */
tokens: number | null, 
/**
 * The difference of the two.
 */
token_change: number | null, 
/**
 * Kind of the tokens.
 */
tokens_kind: FigureKind, 
/**
 * This person rejected the same content, or the same deletion, before.
 */
reappeared: boolean, 
/**
 * Lines that came since `base_version_id`; null where a side is no text, redacted or too large to be kept. Of sides above
 * 256 KiB a line that only moved counts neither as added nor as removed.
 */
added: number | null, 
/**
 * Lines that went.
 */
removed: number | null, 
/**
 * Kind of the memory.
 */
kind: MemoryKind, 
/**
 * Who wrote it, and why, where that was looked up.
 */
origin: OriginNote | null, 
/**
 * Findings of the content as it is now, and with the change itself; secrets are masked.
 */
findings: Array<Finding>, };

/**
 * Items, as they are now.
 */
export type InboxItems = { 
/**
 * Those that are still left to review, in the order of the request.
 */
items: Array<InboxItem>, };

/**
 * Asks for items by their newest versions.
 */
export type InboxItemsReq = { 
/**
 * Versions of a row of `triage`; 500 at most.
 */
versions: Array<string>, };

/**
 * Number of items of each kind. An item may be of several.
 */
export type InboxKinds = { 
/**
 * Items of every kind.
 */
total: number, 
/**
 * Kinds that items are of: classes, then types of topics, then whose they are.
 */
kinds: Array<KindCount>, };

/**
 * Asks how many items are of which kind.
 */
export type InboxKindsReq = { 
/**
 * Only this store, id or name; all stores when absent.
 */
store: string | null, };

/**
 * Asks for a page of what this person has left to review.
 */
export type InboxReq = { 
/**
 * Only this store, id or name; all stores when absent.
 */
store: string | null, 
/**
 * Only memories of this kind: `index`, `topic`, `topic:TYPE` with the type of the front matter, `daily_log`,
 * `instructions`, `other`; or whose they are: `team`, `agent_user`, `agent_project`, `agent_local`. All when absent.
 */
kind: string | null, 
/**
 * The `next_before` of the page before; the first page when absent.
 */
before: string | null, 
/**
 * At most so many items; 50 when absent, 500 at most.
 */
limit: number | null, };

/**
 * Where an index stops being loaded, measured as the agent measures.
 */
export type IndexCut = { 
/**
 * The line, from 1, on which the first byte stands that is not loaded.
 */
line: number, 
/**
 * Lines of the file from there on.
 */
lost: number, 
/**
 * Limit that was met first: `lines` or `bytes`.
 */
limit: IndexLimit, 
/**
 * Size of that limit.
 */
size: number, };

/**
 * An index against its limits.
 */
export type IndexHealth = { 
/**
 * Its path.
 */
path: string, 
/**
 * Lines as the agent counts them: front matter and block comments left out.
 */
lines: number, 
/**
 * Bytes as the agent counts them.
 */
bytes: number, 
/**
 * Lines that are loaded at most.
 */
max_lines: number, 
/**
 * Bytes that are loaded at most.
 */
max_bytes: number, 
/**
 * First line of the file that is not loaded, from 1; null when all of it is.
 */
cut_line: number | null, 
/**
 * Lines of the file from there on.
 */
lost_lines: number, 
/**
 * Tokens of what is loaded, counted offline as the newest models count.
 */
tokens: number, 
/**
 * True if every session of the project loads it.
 */
each_session: boolean, };

/**
 * Limit of what is loaded of an index.
 */
export type IndexLimit = "lines" | "bytes";

/**
 * A line of an index.
 */
export type IndexLine = { 
/**
 * The index.
 */
path: string, 
/**
 * The line, from 1.
 */
line: number, 
/**
 * Its text.
 */
text: string, };

/**
 * One instruction file, or one that is named and not there.
 */
export type Instruction = { 
/**
 * Whose instructions.
 */
agent: InstructionAgent, 
/**
 * Who gives them.
 */
scope: InstructionScope, 
/**
 * The file as it is named, absolute.
 */
path: string, 
/**
 * Where it really is, where a symbolic link is on the way.
 */
leads_to: string | null, 
/**
 * State of loading.
 */
state: InstructionState, 
/**
 * Why, as a sentence.
 */
reason: Message, 
/**
 * Bytes after which the agent cuts it; null where it does not.
 */
cut_at: number | null, 
/**
 * Place in `files` of the file that imports it.
 */
imported_by: number | null, 
/**
 * Imports it is away from a file that is loaded by itself.
 */
depth: number, 
/**
 * Size of the file in bytes; null where it was not looked at.
 */
size_bytes: number | null, 
/**
 * Its lines; null where it was not read.
 */
lines: number | null, 
/**
 * Tokens as the agent loads it, counted offline; null where it was not read.
 */
tokens: number | null, 
/**
 * Files it applies to, as its front matter says.
 */
globs: Array<string>, 
/**
 * The store that records this file; null when none does.
 */
store_id: string | null, 
/**
 * Its path in that store.
 */
store_path: string | null, };

/**
 * Whose instructions a file holds.
 */
export type InstructionAgent = "claude-code" | "codex" | "gemini" | "opencode";

/**
 * Asks for the text of an instruction file: one of those that `instructions` lists for the same store or project.
 */
export type InstructionReq = { 
/**
 * As in `InstructionsReq`.
 */
store: string | null, 
/**
 * As in `InstructionsReq`.
 */
project: string | null, 
/**
 * Path as listed.
 */
path: string, 
/**
 * True if colour spans are wanted.
 */
highlight: boolean, };

/**
 * The version of an agent, and the one whose rules are applied.
 */
export type InstructionRules = { 
/**
 * Which agent.
 */
agent: InstructionAgent, 
/**
 * Version that a session would be started with; null where nothing says it.
 */
version: string | null, 
/**
 * Where the version stands.
 */
version_from: Message | null, 
/**
 * Version that the rules were compared with.
 */
seen_with: string, };

/**
 * Who gives instructions.
 */
export type InstructionScope = "managed" | "user" | "project" | "local";

/**
 * State of loading of an instruction file.
 */
export type InstructionState = "loaded" | "on_demand" | "cut" | "over_limit" | "empty" | "excluded" | "shadowed" | "already_loaded" | "missing" | "cycle" | "too_deep" | "not_approved" | "untrusted" | "not_text" | "too_large" | "unreadable" | "not_in_version" | "off";

/**
 * Instruction files that a session would load.
 */
export type Instructions = { 
/**
 * Where the session would be started; null for what every session of this user loads.
 */
directory: string | null, 
/**
 * Why that directory, for a store; null where the request names it.
 */
because: Message | null, 
/**
 * Top of the working tree.
 */
repository: string | null, 
/**
 * The files by agent, each agent's in load order; an import follows the file that names it.
 */
files: Array<Instruction>, 
/**
 * Why Claude Code would load none of them, where a variable says so.
 */
switched_off: Message | null, 
/**
 * Tokens that each agent loads when a session starts.
 */
totals: Array<InstructionsTotal>, 
/**
 * The agents of `files` and those that are here, with the version whose rules these are.
 */
agents: Array<InstructionRules>, 
/**
 * Kind of the tokens.
 */
tokens_kind: FigureKind, 
/**
 * Files that could not be read, or were cut short.
 */
problems: Array<Message>, };

/**
 * Asks which instruction files a session would load.
 */
export type InstructionsReq = { 
/**
 * The store whose project is meant, id or name.
 */
store: string | null, 
/**
 * The directory a session would be started in, absolute. With neither, what every session of this user loads.
 */
project: string | null, };

/**
 * Files that one agent loads when a session starts.
 */
export type InstructionsTotal = { 
/**
 * Which agent.
 */
agent: InstructionAgent, 
/**
 * Files.
 */
files: number, 
/**
 * Tokens.
 */
tokens: number, };

/**
 * Change of a memory from what was last reviewed to now.
 */
export type ItemVerb = "created" | "changed" | "moved" | "deleted";

/**
 * Names a job to stop.
 */
export type JobRef = { 
/**
 * Its name.
 */
job: string, };

/**
 * Where an API key comes from.
 */
export type KeySource = "environment" | "keyring" | "given";

/**
 * Number of items of one kind.
 */
export type KindCount = { 
/**
 * The kind, as `inbox` takes it.
 */
kind: string, 
/**
 * Items of it.
 */
count: number, };

/**
 * One file over the requests of a session.
 */
export type LaneFile = { 
/**
 * Its path: in its store, or on the machine where no store holds it.
 */
path: string, 
/**
 * Its path on the machine as the transcript has it, or as its store has it.
 */
file: string, 
/**
 * Its store; null where none is recorded.
 */
store_id: string | null, 
/**
 * Requests that held any line of it.
 */
requests: number, 
/**
 * Rows of requests that held it, in order. Requests between them held none of it.
 */
spans: Array<LaneSpan>, };

/**
 * A row of requests that held the same of a file.
 */
export type LaneSpan = { 
/**
 * The first request.
 */
from: number, 
/**
 * The last one.
 */
to: number, 
/**
 * Lines that were present.
 */
lines: number, 
/**
 * Tokens of these lines, counted offline as the session's model counts.
 */
tokens: number, 
/**
 * How well it is known.
 */
grade: PresenceGrade, };

/**
 * A block that takes much room.
 */
export type LargeBlock = { 
/**
 * Label, such as `Read src/main.rs`.
 */
label: string, 
/**
 * Its tokens.
 */
tokens: number, 
/**
 * Index of the first request that carried it.
 */
since_request: number, };

/**
 * A change that a session may have made.
 */
export type LikelyChange = { 
/**
 * `memver_…`
 */
version_id: string, 
/**
 * `memstore_…`
 */
store_id: string, 
/**
 * Path; null when redacted.
 */
path: string | null, 
/**
 * `created`, `modified` or `deleted`.
 */
operation: VersionOperation, 
/**
 * When.
 */
created_at: string, 
/**
 * Confidence that the session made it, as in `OriginNote`.
 */
confidence: string, 
/**
 * True for a file that was there when recording began and that the session may have changed only in part: it is taken back
 * where it is chosen alone, for it would be deleted whole.
 */
first_sight: boolean, 
/**
 * True if it is taken back.
 */
included: boolean, };

/**
 * A change that moved a line.
 */
export type LineMove = { 
/**
 * The version.
 */
version_id: string, 
/**
 * Which version of the memory it is, from 1.
 */
number: number, 
/**
 * When.
 */
at: string, 
/**
 * Number of the line before.
 */
from: number, 
/**
 * Number of it after.
 */
to: number, };

/**
 * Change of a line in a difference.
 */
export type LineTag = "equal" | "insert" | "delete";

/**
 * Asks for what a chart draws of settings over a transcript, which is much less to send than [`Simulations`].
 */
export type LinesReq = { 
/**
 * See [`ContextShowReq::transcript`].
 */
transcript: string, 
/**
 * Settings to try, at least one.
 */
variants: Array<Variant>, 
/**
 * See [`SimulateReq::model`].
 */
model: string | null, 
/**
 * See [`SimulateReq::cache_ttl`].
 */
cache_ttl: string | null, };

/**
 * Takes a rule off the list, or puts it back.
 */
export type ListMemoryRule = { 
/**
 * Its id.
 */
rule: string, 
/**
 * True to put it back.
 */
put_back: boolean, };

/**
 * Why an instruction or memory file came into a session's context.
 */
export type LoadReason = "session_start" | "include" | "nested_traversal" | "path_glob_match" | "compact" | "refresh" | "hook" | "recall" | "synthesis" | "mention" | "read";

/**
 * What says that a file was loaded.
 */
export type LoadWitness = "transcript" | "hook";

/**
 * A session that loaded a memory.
 */
export type LoadingSession = { 
/**
 * The session's id.
 */
session: string, 
/**
 * Its title, where it has one.
 */
title: string | null, 
/**
 * Directory it ran in.
 */
project: string | null, 
/**
 * When it was loaded last, as the client's hook told; else when the session came to its end.
 */
at: string | null, 
/**
 * Why it was loaded, each reason once.
 */
reasons: Array<LoadReason>, 
/**
 * True if the client's hook told it.
 */
hook: boolean, };

/**
 * A page of the log, newest first, rebuilt versions after the observed ones.
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
 * Only versions behind this one in the order of the list.
 */
before: number | null, };

/**
 * The memories of a store, by path.
 */
export type Memories = { 
/**
 * One row a memory.
 */
memories: Array<Memory>, 
/**
 * What is not known of the instant, each a sentence.
 */
warnings?: Array<Message>, };

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
at: string | null, 
/**
 * Only memories of this kind, as in `InboxReq`; all when absent.
 */
kind: string | null, };

/**
 * What memories cost and do: what costs and does nothing comes first.
 */
export type MemoriesWorth = { 
/**
 * The live memories.
 */
memories: Array<MemoryWorth>, 
/**
 * True if reading the transcripts was stopped.
 */
cancelled: boolean, };

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
content_kind: ContentKind | null, 
/**
 * Number of its versions.
 */
versions: number, 
/**
 * When it last changed.
 */
changed_at: string, 
/**
 * Kind of the memory.
 */
kind: MemoryKind, };

/**
 * Change of a memory from one state of a store to another.
 */
export type MemoryChange = "created" | "modified" | "moved" | "deleted";

/**
 * Purpose of a memory file.
 */
export type MemoryClass = "index" | "topic" | "daily_log" | "instructions" | "proposal" | "other";

/**
 * What a memory does, as far as that can be counted.
 */
export type MemoryEffect = "never_present" | "no_better" | "better" | "too_few" | "no_rule";

/**
 * Kind of a memory file, by its place, its name and its front matter.
 */
export type MemoryKind = { 
/**
 * `index`, `topic`, `daily_log`, `instructions`, `proposal`, or `other`.
 */
class: MemoryClass, 
/**
 * Type of the front matter, as it stands there (`user`, `feedback`, `project`, `reference`, or another); null without one.
 */
memory_type: string | null, 
/**
 * `project` (auto memory), `team`, or the scope of an agent's memory: `agent_user`, `agent_project`, `agent_local`; null elsewhere.
 */
scope: MemoryScope | null, 
/**
 * Name of the agent whose memory it is.
 */
agent: string | null, 
/**
 * Day of a daily log, `YYYY-MM-DD`.
 */
day: string | null, };

/**
 * Sessions that loaded a memory. Only main conversations on this machine are known.
 */
export type MemoryLoaded = { 
/**
 * Sessions that concern the store and tell what they loaded.
 */
sessions: number, 
/**
 * Sessions that loaded the memory.
 */
loaded: number, 
/**
 * By reason: sessions that loaded it for it, the most first.
 */
reasons: Array<ReasonCount>, 
/**
 * The sessions that loaded it, the newest first; at most 500.
 */
rows: Array<LoadingSession>, 
/**
 * True if reading was stopped, so that more may have loaded it.
 */
cancelled: boolean, };

/**
 * In how many sessions one memory was loaded.
 */
export type MemoryLoads = { 
/**
 * Its path.
 */
path: string, 
/**
 * Sessions.
 */
sessions: number, 
/**
 * When it last was; null for never.
 */
last_loaded_at: string | null, 
/**
 * Why.
 */
reasons: Array<ReasonCount>, };

/**
 * Asks which sessions loaded a memory.
 */
export type MemoryLoadsReq = { 
/**
 * The memory, `STORE:PATH`.
 */
memory: string, };

/**
 * Cost of one memory file.
 */
export type MemoryPrice = { 
/**
 * Path as recorded in transcripts, or below the store.
 */
path: string, 
/**
 * Tokens of the live file, or when it was last loaded whole; counted offline.
 */
tokens: number, 
/**
 * True if only parts of it were ever loaded and no live file is known: `tokens` are those of the largest part.
 */
partial: boolean, 
/**
 * Sessions in which it was loaded.
 */
sessions: number, 
/**
 * Mean tokens of what a session loaded of it, as it was then; null where none did. The price is of these, and not of
 * `tokens`.
 */
loaded_tokens_per_session: number | null, 
/**
 * Mean price of carrying it through a session, in US dollars; null without a price or a session.
 */
cost_usd_per_session: number | null, 
/**
 * When it was last loaded.
 */
last_loaded_at: string | null, 
/**
 * Why sessions loaded it: the session began, a compaction, the model read it, … One session may have several.
 */
reasons: Array<ReasonCount>, };

/**
 * Costs of memory files.
 */
export type MemoryPrices = { 
/**
 * Files, the dearest first.
 */
files: Array<MemoryPrice>, 
/**
 * Sessions looked at.
 */
sessions: number, 
/**
 * Of those, sessions whose transcript tells what was loaded.
 */
sessions_telling: number, 
/**
 * True if it was stopped before all sessions were read.
 */
cancelled: boolean, };

/**
 * Asks what the memory files cost.
 */
export type MemoryPricesReq = { 
/**
 * Only this store, id or name; files of transcripts outside any store too when absent.
 */
store: string | null, };

/**
 * A rule that a person confirmed.
 */
export type MemoryRule = { 
/**
 * Its id, such as `rule_3`.
 */
rule_id: string, 
/**
 * When it was confirmed.
 */
added_at: string, 
/**
 * When it was taken off the list; null while it is on it.
 */
removed_at: string | null, 
/**
 * Hooks that guard it.
 */
guards?: Array<RuleGuard>, 
/**
 * The kind.
 */
kind: RuleKind, 
/**
 * The program without its directory; `*` for any. Of kinds about one command.
 */
program?: string | null, 
/**
 * Words that its arguments hold: options anywhere, other words in this order.
 */
arguments?: Array<string>, 
/**
 * Of `command_form`: words that the call holds, or `!` and a text that it does not. Of `text_form`: a text that each place
 * holds, or `!` and a text that none does.
 */
form?: string | null, 
/**
 * Of `order`: the command that comes first.
 */
before?: string | null, 
/**
 * Of `order`: the command that may come then.
 */
after?: string | null, 
/**
 * Of `path_never` and `text_form`: patterns of paths.
 */
paths?: Array<string>, 
/**
 * Of `text_form`: the text with which each place begins that must have the form; none where a write is one place.
 */
text?: string | null, 
/**
 * The sentence.
 */
sentence: string, 
/**
 * Where it stands: `STORE:PATH:LINE`, or a file.
 */
source: string | null, };

/**
 * Rules, in the order in which they were confirmed.
 */
export type MemoryRules = { 
/**
 * The rules.
 */
rules: Array<MemoryRule>, };

/**
 * Asks for the rules.
 */
export type MemoryRulesReq = { 
/**
 * True to list those that were taken off as well.
 */
removed: boolean, };

/**
 * Who shares a memory.
 */
export type MemoryScope = "project" | "team" | "agent_user" | "agent_project" | "agent_local";

/**
 * The answer to a call.
 */
export type MemoryToolAnswer = { 
/**
 * The text of the `tool_result`.
 */
content: string, 
/**
 * True if it is an error the model should know of.
 */
is_error: boolean, 
/**
 * The operation that recorded it; nothing was changed when absent.
 */
operation_seq: number | null, 
/**
 * The versions it made, `memver_…`.
 */
versions: Array<string>, 
/**
 * Paths it changed that are no memories by the store's rules, such as hidden files, and are not recorded.
 */
not_recorded: Array<string>, };

/**
 * One call of the memory tool `memory_20250818`, recorded with its author.
 */
export type MemoryToolReq = { 
/**
 * The store, by id, name or directory. Either this or `root`.
 */
store: string | null, 
/**
 * The directory the model sees as `/memories`. Made when it is missing, and added as a store when it is none.
 */
root: string | null, 
/**
 * `docs`, `py` or `ts`; `docs` when absent.
 */
dialect: string | null, 
/**
 * The session that calls; nobody knows who when absent.
 */
session: string | null, 
/**
 * The prompt the call is made after. Its first 500 characters are kept until something is redacted: a prompt can hold
 * what no version holds.
 */
prompt: string | null, 
/**
 * The turn of the session, from 1; kept likewise.
 */
turn: number | null, 
/**
 * The `input` of the `tool_use` block.
 */
input: unknown, 
/**
 * Cut views after this many characters; 0 never cuts; as the dialect does when absent.
 */
view_characters: number | null, 
/**
 * Treatment of a write that adds a secret, personal data, or hidden or hostile text: `off`, `warn` (it is written,
 * and the answer says what was found) or `refuse`; `off` when absent.
 */
guard: string | null, 
/**
 * Text of a configuration for the guard, as in `check`; the rules as they come when absent. That of the directory is
 * not used: whoever is guarded may write it.
 */
guard_config: string | null, };

/**
 * One memory.
 */
export type MemoryWorth = { 
/**
 * The store.
 */
store_id: string, 
/**
 * Its name.
 */
store: string, 
/**
 * The memory.
 */
memory_id: string, 
/**
 * Its path.
 */
path: string, 
/**
 * Mean tokens of what a session loaded of it, as it was then; of its content, counted offline, where none did.
 */
tokens_per_session: number, 
/**
 * Mean price of carrying it in a session that loaded it, where the price of its model is known.
 */
cost_usd_per_session: number | null, 
/**
 * Conversations that could have had it, subagents among them.
 */
sessions: number, 
/**
 * Of these, those in which any line of it was before the model.
 */
present: number, 
/**
 * The rules on the list that come from it.
 */
rules: Array<RuleWorth>, 
/**
 * What it does, as far as that can be counted.
 */
effect: MemoryEffect, };

/**
 * Asks what memories cost and do.
 */
export type MemoryWorthReq = { 
/**
 * Only this store, id or name; every listed store when absent.
 */
store: string | null, 
/**
 * Only this memory, `STORE:PATH`; with it `store` is not looked at.
 */
memory: string | null, };

/**
 * A sentence for people: id, arguments and English text.
 *
 * It serialises as an object of these three. Within [`as_text`](crate::as_text) it serialises as its text.
 */
export type Message = { 
/**
 * Key of the translations; [`VERBATIM`] where there is none.
 */
id: string, 
/**
 * Arguments by name.
 */
args: Record<string, Argument>, 
/**
 * The English text.
 */
text: string, };

/**
 * Who or what a message comes from.
 */
export type MessageOrigin = "typed" | "model" | "tool_results" | "client" | "summary" | "synthetic" | "unsaid" | "system_prompt" | "tools";

/**
 * Role of a message.
 */
export type MessageRole = "user" | "assistant" | "system";

/**
 * Access of a session to a mounted store.
 */
export type MountAccess = "read_write" | "read_only";

/**
 * One store of an attach list.
 */
export type MountPreview = { 
/**
 * Position in the list, from 0.
 */
index: number, 
/**
 * `memory_store_id` as given.
 */
memory_store_id: string, 
/**
 * The store here: a mirror of it, or a store that this program's own API shows. Null when it is not known.
 */
store_id: string | null, 
/**
 * Its name.
 */
name: string | null, 
/**
 * `read_write` or `read_only`.
 */
access: MountAccess, 
/**
 * Characters of `instructions`, of at most 4,096.
 */
instructions_chars: number, 
/**
 * Where it would be mounted; null when the name is not known.
 */
mount_path: string | null, 
/**
 * True if the last part of `mount_path` rests on a rule that is not public, or on the name of a mirror, which the host
 * need not have.
 */
mount_path_assumed: boolean, 
/**
 * Files it has.
 */
files: number, 
/**
 * Their bytes.
 */
bytes: number, 
/**
 * Their tokens, counted offline.
 */
tokens: number, 
/**
 * The largest files, at most 100, largest first.
 */
largest: Array<MountedFile>, 
/**
 * Number of unreviewed changes in it.
 */
unreviewed: number, 
/**
 * Problems of the store.
 */
problems: Array<MountProblem>, };

/**
 * Something an attach list may not have, or should not.
 */
export type MountProblem = { 
/**
 * `error` (the API refuses it) or `warning`.
 */
severity: Severity, 
/**
 * Where in the list, as a JSON pointer.
 */
at: string, 
/**
 * One sentence.
 */
message: Message, };

/**
 * Gives a store of the Memory Stores API a directory, or takes it away.
 */
export type MountStoreReq = { 
/**
 * Id or name.
 */
store: string, 
/**
 * An empty directory, made when missing; none to take the present one away, whose files stay.
 */
directory: string | null, };

/**
 * A file of a mounted store.
 */
export type MountedFile = { 
/**
 * Path below the mount.
 */
path: string, 
/**
 * Bytes.
 */
bytes: number, 
/**
 * Tokens, counted offline; null where it is no text.
 */
tokens: number | null, };

/**
 * Mounts of an attach list.
 */
export type Mounts = { 
/**
 * True if the API would take it, as far as its public rules tell.
 */
ok: boolean, 
/**
 * Problems of the list as a whole.
 */
problems: Array<MountProblem>, 
/**
 * One for each memory store of the list, in its order.
 */
mounts: Array<MountPreview>, 
/**
 * Tokens of all files together, counted offline: what reading everything would take.
 */
tokens: number, 
/**
 * Tokens of what the system prompt gains, estimated: names, paths, descriptions and instructions are counted, the
 * sentences around them are the host's own.
 */
prompt_tokens: number, };

/**
 * Checks an attach list. Answered from the stores that are here; no host is called.
 */
export type MountsReq = { 
/**
 * The `resources` of a session: a list, or an object that has one of that name. Items of other types are passed over.
 */
resources: unknown, 
/**
 * Model whose tokenizer counts; the newest family when absent.
 */
model: string | null, };

/**
 * Moves lines of an index into a topic file: both files change in one operation that `undo` takes back.
 */
export type MoveEntryReq = { 
/**
 * Store, id or name.
 */
store: string, 
/**
 * The index.
 */
path: string, 
/**
 * First line that moves, from 1.
 */
line: number, 
/**
 * Last line that moves. Without it, a list item moves with the lines that belong to it.
 */
end_line: number | null, 
/**
 * The topic file; it is made where there is none.
 */
to: string, 
/**
 * Hash the index must have now; the newest version's when absent.
 */
expect: string | null, 
/**
 * Hash the topic file must have now.
 */
expect_to: string | null, 
/**
 * Say what would be done, and do nothing.
 */
dry_run: boolean, };

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
 * Number of lines.
 */
lines: number, };

/**
 * A text with its name.
 */
export type NamedText = { 
/**
 * File or other name; returned as `file`.
 */
name: string, 
/**
 * The text.
 */
text: string, };

/**
 * Tokens under a name.
 */
export type NamedTokens = { 
/**
 * Name of a tool, path of a file.
 */
name: string, 
/**
 * Number of them.
 */
count: number, 
/**
 * Their tokens.
 */
tokens: number, };

/**
 * Why a change needs a decision, the most urgent first.
 */
export type NeedReason = "secret" | "hostile" | "deleted" | "index_cut" | "conflict" | "limit" | "hidden" | "personal" | "reappeared" | "error" | "warning";

/**
 * One call over the network.
 */
export type NetworkCall = { 
/**
 * When.
 */
at: string, 
/**
 * Purpose, such as `count_tokens`.
 */
purpose: string, 
/**
 * To which address.
 */
url: string, 
/**
 * Bytes sent.
 */
bytes: number, 
/**
 * Status of the answer; null without one.
 */
status: number | null, };

/**
 * Projects with memory that appeared after recording began: neither recorded nor declined.
 */
export type NewProjects = { 
/**
 * Directories that hold memory and are in use, by path.
 */
found: Array<Found>, 
/**
 * True if such directories are recorded without asking.
 */
always: boolean, };

/**
 * Answers the notice about new projects, or changes the setting.
 */
export type NewProjectsReq = { 
/**
 * Directories, as in [`Found::root`], that are not to be recorded and not offered again.
 */
decline: Array<string>, 
/**
 * Directories to be offered again.
 */
offer: Array<string>, 
/**
 * Record new projects without asking, or ask; as before when absent.
 */
always: boolean | null, };

/**
 * A request without parameters.
 */
export type Nothing = Record<symbol, never>;

/**
 * What the recorded directories hold at present, and how many sessions there are.
 */
export type Opening = { 
/**
 * Findings of warning or worse by group, the gravest group first; groups without any are left out.
 */
groups: Array<OpeningGroup>, 
/**
 * Memories that were checked.
 */
memories: number, 
/**
 * Stores that were checked.
 */
stores: number, 
/**
 * Sessions on this machine. Until the transcripts are read, the number of their files.
 */
sessions: number, 
/**
 * Stores that could not be checked, each a sentence.
 */
problems: Array<Message>, };

/**
 * Findings of one group.
 */
export type OpeningGroup = { 
/**
 * Group.
 */
kind: OpeningKind, 
/**
 * Findings; of `cut_index` the indexes.
 */
count: number, 
/**
 * Of `cut_index`, lines that no session loads, over all of them; otherwise 0.
 */
lines: number, 
/**
 * Name of the store of `first`.
 */
store: string, 
/**
 * The gravest, with the acts that mend it.
 */
first: StoreFinding, };

/**
 * Group of findings that a first run opens with.
 */
export type OpeningKind = "secret" | "hostile" | "hidden" | "cut_index" | "other";

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
source: ChangeSource, 
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
note: Message | null, 
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
 * True if `undo` would accept it.
 */
undoable: boolean, 
/**
 * Its first versions, at most 20.
 */
versions: Array<Version>, };

/**
 * Who wrote a version, and why.
 */
export type Origin = { 
/**
 * `memver_…`
 */
version_id: string, 
/**
 * In short.
 */
note: OriginNote, 
/**
 * Act of a person that put back with this version what was written before; all else is of the one who wrote it.
 */
put_back: PutBack | null, 
/**
 * Evidence for the answer, one sentence each, the strongest first.
 */
evidence: Array<Message>, 
/**
 * The agent that keeps the transcript, as in `transcripts`; null when there is none.
 */
agent: string | null, 
/**
 * The project the session worked on.
 */
project: string | null, 
/**
 * The subagent's or agent's name, where one wrote.
 */
agent_name: string | null, 
/**
 * When the session began.
 */
started_at: string | null, 
/**
 * When it ended, as far as its transcript goes.
 */
ended_at: string | null, 
/**
 * The call that wrote; null when none was found.
 */
write: OriginWrite | null, 
/**
 * The prompt before it, whole up to 20,000 characters.
 */
prompt: string | null, 
/**
 * The messages around the write, in order, the write's own among them.
 */
around: Array<OriginMessage>, 
/**
 * Other sessions that could have written it as well: sure answers have none.
 */
candidates: Array<OriginNote>, };

/**
 * Kind of a message around a write.
 */
export type OriginBlockKind = "text" | "thinking" | "tool_use" | "tool_result" | "other";

/**
 * Confidence in who wrote a version.
 */
export type OriginConfidence = "stated" | "exact_content" | "likely" | "front_matter" | "time_only" | "unknown";

/**
 * A message near a write.
 */
export type OriginMessage = { 
/**
 * `user`, `assistant`, or `system`.
 */
role: MessageRole, 
/**
 * `text`, `thinking`, `tool_use`, `tool_result` or `other`.
 */
kind: OriginBlockKind, 
/**
 * Its text, up to 2,000 characters; of a call its name and input.
 */
text: string, 
/**
 * When.
 */
at: string | null, 
/**
 * The turn, from 1.
 */
turn: number | null, 
/**
 * True if this is the write itself.
 */
is_write: boolean, };

/**
 * Where a version came from, shortly: what a row of a list shows.
 */
export type OriginNote = { 
/**
 * Confidence: `stated` (the writer said so), `exact_content` (a write of a transcript gives exactly these bytes),
 * `likely` (path and time fit, the content in part), `front_matter` (the file names the session and nothing else fits),
 * `time_only` (a session was at work on the path's project then), `unknown`.
 */
confidence: OriginConfidence, 
/**
 * The session; null when unknown.
 */
session_id: string | null, 
/**
 * Its title; null where its transcript is not there.
 */
title: string | null, 
/**
 * The model that wrote.
 */
model: string | null, 
/**
 * Who in the session: `main`, `subagent`, `background` (an extraction the agent runs by itself); null when unknown.
 */
role: OriginRole | null, 
/**
 * The transcript, as the Context lab names it; null where it is not there.
 */
transcript: string | null, 
/**
 * The turn in the transcript, from 1; null when unknown.
 */
turn: number | null, 
/**
 * The prompt before it, its first 200 characters, on one line.
 */
prompt: string | null, };

/**
 * Asks who wrote a version, and why.
 */
export type OriginReq = { 
/**
 * `memver_…`
 */
version: string, 
/**
 * Number of messages before and after the write that are wanted; 4 when absent, 50 at most.
 */
around: number | null, };

/**
 * Who in a session wrote.
 */
export type OriginRole = "main" | "subagent" | "background";

/**
 * A call that wrote a memory.
 */
export type OriginWrite = { 
/**
 * Name of the tool.
 */
tool: string, 
/**
 * Id of the call.
 */
tool_use_id: string | null, 
/**
 * The path it named.
 */
path: string, 
/**
 * When it was called.
 */
at: string | null, 
/**
 * Line of the transcript, from 1; 0 where a file is not made of lines.
 */
line: number, 
/**
 * Its input as JSON, up to 20,000 characters.
 */
input: string, 
/**
 * True if `input` was cut.
 */
truncated: boolean, };

/**
 * Class of a part of a context.
 */
export type PartClass = "system" | "tool_definitions" | "instructions" | "memory" | "not_recorded" | "attachments" | "text" | "thinking" | "tool_inputs" | "tool_results";

/**
 * State of a place that a receipt lists.
 */
export type PlaceState = "clean" | "left" | "out_of_reach";

/**
 * The files whose text could reach a model, at one request.
 */
export type Presence = { 
/**
 * The transcript: the session's id, or a path.
 */
transcript: string, 
/**
 * Index of the request.
 */
request: number, 
/**
 * Number of requests.
 */
requests: number, 
/**
 * Requests that are proved by their digest.
 */
proved: number, 
/**
 * When its answer began.
 */
time: string | null, 
/**
 * Index of the first request after each compaction.
 */
compactions: Array<number>, 
/**
 * Type of the subagent whose conversation it is; null for the main one.
 */
agent: string | null, 
/**
 * Tokens of all lines that were present.
 */
tokens: number, 
/**
 * One a file: what was present first, then by path.
 */
sources: Array<PresenceSource>, };

/**
 * Why a line was not before a model.
 */
export type PresenceCause = "did_not_exist" | "other_version" | "cut" | "not_opened" | "other_directory" | "switched_off" | "subagent" | "compacted" | "cleared" | "not_in_scope" | "stripped" | "unknown";

/**
 * How well a presence or an absence is known.
 */
export type PresenceGrade = "proved" | "recorded" | "inferred" | "unknown";

/**
 * Which memories and instruction files each request of a session held: what a lane under a chart shows.
 */
export type PresenceLane = { 
/**
 * The transcript: the session's id, or a path.
 */
transcript: string, 
/**
 * Number of requests.
 */
requests: number, 
/**
 * Index of the first request after each compaction.
 */
compactions: Array<number>, 
/**
 * The files that any request held, the one that most requests held first; at most 100.
 */
files: Array<LaneFile>, 
/**
 * Files that are left out because there are more.
 */
left_out: number, };

/**
 * Asks which memories a session's requests held, all requests at once.
 */
export type PresenceLaneReq = { 
/**
 * Session, as `context_show` names transcripts.
 */
session: string, };

/**
 * Asks what a session's model had before it at one request.
 */
export type PresenceReq = { 
/**
 * Session, as `context_show` names transcripts; `#N` at its end is the request.
 */
session: string, 
/**
 * Index of the request among the session's own, from 0; the last one when absent.
 */
at: number | null, 
/**
 * True if each source is to say what it was at every request.
 */
spans: boolean, };

/**
 * One file at one request.
 */
export type PresenceSource = { 
/**
 * Its path: in its store, or on the machine where no store holds it.
 */
path: string, 
/**
 * Its path on the machine as the transcript has it, or as its store has it.
 */
file: string, 
/**
 * Its store; null where none is recorded.
 */
store_id: string | null, 
/**
 * The version that was loaded, or whose lines are told where nothing was; null where no recorded version agrees.
 */
version_id: string | null, 
/**
 * How well it is known.
 */
grade: PresenceGrade, 
/**
 * Ranges of lines that were present, both ends included.
 */
lines: Array<[number, number]>, 
/**
 * Tokens of these lines.
 */
tokens: number, 
/**
 * Ranges of lines that were not, each with its cause.
 */
absent: Array<AbsentLines>, 
/**
 * Lines of the version.
 */
total_lines: number, 
/**
 * What it was at every request, where asked.
 */
spans: Array<PresenceSpan>, };

/**
 * A row of requests in which nothing changes.
 */
export type PresenceSpan = { 
/**
 * The first request.
 */
from: number, 
/**
 * The last one.
 */
to: number, 
/**
 * True if all lines that are asked about were present.
 */
present: boolean, 
/**
 * How many of them were.
 */
lines: number, 
/**
 * How well it is known.
 */
grade: PresenceGrade, 
/**
 * Why most of the absent ones were absent; null where none was.
 */
cause: PresenceCause | null, 
/**
 * The last line that was loaded of a file that was cut.
 */
cut_after: number | null, 
/**
 * The version that was loaded; null where none was, or none agrees.
 */
version_id: string | null, 
/**
 * Number of the first line in that version.
 */
as_line: number | null, };

/**
 * Prices of one model in US dollars per million tokens.
 */
export type Price = { 
/**
 * Prefix of model ids.
 */
model: string, 
/**
 * Prompts up to so many tokens; null without tiers.
 */
up_to: number | null, 
/**
 * From this day on; null when always.
 */
from: string | null, 
/**
 * Window in tokens.
 */
window: number | null, 
/**
 * Input.
 */
input: number, 
/**
 * Output.
 */
output: number, 
/**
 * Cache write with a life of 5 minutes.
 */
cache_write_5m: number, 
/**
 * Cache write with a life of 1 hour.
 */
cache_write_1h: number, 
/**
 * Cache read.
 */
cache_read: number, 
/**
 * Where the line comes from.
 */
source: string, 
/**
 * As of which day.
 */
date: string, };

/**
 * The table of prices.
 */
export type Prices = { 
/**
 * Lines, the user's own first.
 */
prices: Array<Price>, 
/**
 * Where a user's own lines are kept.
 */
own_file: string, 
/**
 * Problem of that file, in words; null when nothing.
 */
own_file_problem: Message | null, };

/**
 * A snapshot, and what the agent would do with it.
 */
export type ProjectSnapshot = { 
/**
 * The project.
 */
project: string, 
/**
 * The snapshot's directory.
 */
directory: string, 
/**
 * `initialise`: the agent would copy it, since there is no memory yet. `ask`: it would ask the person. `current`: it was
 * taken over already. `unusable`: it names no time.
 */
state: SnapshotState, 
/**
 * Why, as a sentence.
 */
reason: Message, 
/**
 * Time of the snapshot, as it is written there.
 */
updated_at: string | null, 
/**
 * Time of the snapshot that was taken over last, as it is written in the memory.
 */
synced_from: string | null, 
/**
 * Change of each file by taking it over, by path: files of the snapshot, and files of the memory.
 */
changes: Array<SnapshotChange>, };

/**
 * Asks for sentences that look like rules.
 */
export type ProposeRulesReq = { 
/**
 * Of this store alone, id or name.
 */
store: string | null, 
/**
 * Of a file that is in no store, absolute.
 */
file: string | null, 
/**
 * True to read what people said in sessions as well.
 */
sessions: boolean, };

/**
 * Sentences that look like rules. None counts before it is confirmed.
 */
export type ProposedRules = { 
/**
 * The proposals, by source and line. Rules that are confirmed already are left out.
 */
rules: Array<RuleFields>, };

/**
 * Brings what is new of mirrored stores.
 */
export type PullReq = { 
/**
 * Id or name here; all mirrored stores when absent.
 */
store: string | null, 
/**
 * A word chosen by the caller, to follow and cancel the work by.
 */
job: string | null, 
/**
 * Look through all versions the hosts have for those they redacted since. Without it, a pull searches the newest
 * 1,000 and the next part of the others, so that all are searched by some pulls.
 */
full: boolean, };

/**
 * Result of a pull.
 */
export type Pulled = { 
/**
 * One for each store.
 */
stores: Array<PulledStore>, };

/**
 * Result of a pull for one store.
 */
export type PulledStore = { 
/**
 * The mirror here.
 */
store_id: string, 
/**
 * Name here.
 */
name: string, 
/**
 * True if it came to its end; a pull that did not goes on where it was.
 */
finished: boolean, 
/**
 * Versions that are new here.
 */
versions: number, 
/**
 * Live memories after it.
 */
memories: number, 
/**
 * Versions that the host redacted since they were mirrored; their content is still kept here.
 */
redacted_at_host: Array<string>, 
/**
 * Versions of the host that hold what was redacted here before, `memver_…`; they came without it.
 */
redacted_before: Array<string>, 
/**
 * Calls made.
 */
calls: number, 
/**
 * Why it did not come to its end.
 */
problem: Message | null, };

/**
 * State of the purge after a redaction.
 */
export type PurgeState = "done" | "pending";

/**
 * Result of a push.
 */
export type Pushed = { 
/**
 * Changes that the host took.
 */
sent: number, 
/**
 * Changes that met a newer edit; they stay in the queue.
 */
conflicts: number, 
/**
 * Changes that the host refused; they stay in the queue.
 */
failed: number, 
/**
 * Operations that record what was sent, oldest first.
 */
operations: Array<number>, 
/**
 * Rest of the queue.
 */
queue: RemoteQueue, 
/**
 * Why it ended early.
 */
problem: Message | null, };

/**
 * Act of a person that put back what somebody wrote before: a content, or a deletion.
 */
export type PutBack = { 
/**
 * The version that brought it, `memver_…`.
 */
version_id: string, 
/**
 * Who wrote that; null when unknown.
 */
written_by: ActorView | null, 
/**
 * When that was.
 */
written_at: string, 
/**
 * Who put it back; null where a file was gone, came back as it was, and nobody is known to have put it back.
 */
by: ActorView | null, 
/**
 * When.
 */
at: string, 
/**
 * The operation that did.
 */
operation_seq: number, 
/**
 * Kind of act, as `source` of a version.
 */
source: ChangeSource, };

/**
 * Kind of a queued change of a hosted store.
 */
export type QueueKind = "create" | "update" | "delete" | "redact" | "archive";

/**
 * State of a queued change of a hosted store.
 */
export type QueueState = "waiting" | "conflict" | "failed";

/**
 * A change that waits to be sent to a host.
 */
export type QueuedChange = { 
/**
 * Its number; never given twice.
 */
id: number, 
/**
 * The mirror here.
 */
store_id: string, 
/**
 * Name of the store here.
 */
store_name: string, 
/**
 * `create`, `update`, `delete`, `redact` or `archive`.
 */
kind: QueueKind, 
/**
 * The memory's path here; null where the store as a whole is meant, or the version has no path any more.
 */
path: string | null, 
/**
 * The path before, where the change moves the memory.
 */
moved_from: string | null, 
/**
 * The version to redact here, `memver_…`, with `redact`.
 */
version_id: string | null, 
/**
 * Hash the memory must have at the host; null where nothing may be there.
 */
expected_sha256: string | null, 
/**
 * Hash of the content to write.
 */
content_sha256: string | null, 
/**
 * Bytes of the content to write.
 */
content_size_bytes: number | null, 
/**
 * The operation that queued it; undoing that one takes back all it queued.
 */
operation_seq: number | null, 
/**
 * When it was queued.
 */
created_at: string, 
/**
 * `waiting`, `conflict` (the memory changed at the host) or `failed` (the host refused it).
 */
state: QueueState, 
/**
 * Answer of the host, in one sentence; null while it waits.
 */
message: Message | null, 
/**
 * Its change, against the mirror's newest version; null with `redact` and `archive`.
 */
diff: FileDiff | null, };

/**
 * A queued change beside what it would meet: three contents, as two differences. No host is called to say it; a pull brings
 * what is new there.
 */
export type QueuedConflict = { 
/**
 * The change.
 */
change: QueuedChange, 
/**
 * The version it was made against, `memver_…`; null where it makes a memory, or that version is not known.
 */
base_version_id: string | null, 
/**
 * The newest version that is there now, `memver_…`; null where nothing is.
 */
now_version_id: string | null, 
/**
 * Who made that one.
 */
now_by: ActorView | null, 
/**
 * When it was made.
 */
now_at: string | null, 
/**
 * True if what is there now is something else than the change was made against.
 */
moved_on: boolean, 
/**
 * Changes at the host since: from the version it was made against to what is there now; null where there is none
 * to hold it against.
 */
happened: FileDiff | null, 
/**
 * Effect of the change on what is there now; null with `redact` and `archive`.
 */
would: FileDiff | null, };

/**
 * Names a queued change.
 */
export type QueuedRef = { 
/**
 * Its number.
 */
id: number, };

/**
 * Where lines of a memory were before a model, and why not elsewhere.
 */
export type Reach = { 
/**
 * The store.
 */
store_id: string, 
/**
 * The memory.
 */
memory_id: string, 
/**
 * Its path.
 */
path: string, 
/**
 * The version whose lines are counted: the newest one.
 */
version_id: string, 
/**
 * Its lines.
 */
total_lines: number, 
/**
 * The first line that is asked about; null for the whole memory.
 */
from: number | null, 
/**
 * The last one.
 */
to: number | null, 
/**
 * Tokens of these lines.
 */
tokens: number, 
/**
 * Conversations that could have had it, subagents among them; those in other directories or of other agents are left out.
 */
sessions: number, 
/**
 * Of these, those of subagents.
 */
subagents: number, 
/**
 * Of these, those in which any request had every line that is asked about; of the whole memory, any line.
 */
present: number, 
/**
 * Of these, those whose presence is inferred alone.
 */
inferred: number, 
/**
 * Conversations in other directories or of other agents, which did not have it.
 */
elsewhere: number, 
/**
 * Why the others did not have it, the most frequent cause first.
 */
absent: Array<ReachCause>, 
/**
 * How conversations that had it lost it.
 */
lost: Array<ReachCause>, 
/**
 * Requests of these conversations, by grade.
 */
requests: ReachRequests, 
/**
 * For each line of the version: in how many conversations any request had it.
 */
lines: Array<number>, 
/**
 * Changes of the memory that moved the first line.
 */
moves: Array<LineMove>, 
/**
 * One a conversation, newest first.
 */
rows: Array<ReachRow>, 
/**
 * Transcripts that cannot be read, in words; empty when none.
 */
remarks: Array<Message>, };

/**
 * A cause with the number of conversations.
 */
export type ReachCause = { 
/**
 * The cause.
 */
cause: PresenceCause, 
/**
 * Conversations.
 */
sessions: number, 
/**
 * The line after which it was cut, where that is the cause and the same in all.
 */
cut_after: number | null, };

/**
 * Asks in which sessions lines of a memory were before a model.
 */
export type ReachReq = { 
/**
 * The memory: `STORE:PATH`.
 */
target: string, 
/**
 * The first line, from 1; the whole memory when absent.
 */
from: number | null, 
/**
 * The last line; the first one when absent.
 */
to: number | null, 
/**
 * Only conversations that began at or after this time (RFC 3339).
 */
since: string | null, };

/**
 * Numbers of requests.
 */
export type ReachRequests = { 
/**
 * Of which it is proved what they held.
 */
proved: number, 
/**
 * Of which it is recorded.
 */
recorded: number, 
/**
 * Of which it is inferred.
 */
inferred: number, 
/**
 * Of which nothing tells.
 */
unknown: number, };

/**
 * One conversation.
 */
export type ReachRow = { 
/**
 * Names the transcript for other commands.
 */
transcript: string, 
/**
 * Id of the session.
 */
session: string, 
/**
 * Its title.
 */
title: string | null, 
/**
 * Directory it ran in.
 */
project: string | null, 
/**
 * Type of the subagent; null for a main conversation.
 */
agent: string | null, 
/**
 * Why the subagent was started.
 */
description: string | null, 
/**
 * When its first request was answered.
 */
started_at: string | null, 
/**
 * When its last one was.
 */
ended_at: string | null, 
/**
 * Number of requests.
 */
requests: number, 
/**
 * True if any request had the lines.
 */
present: boolean, 
/**
 * Why no request did, or how it was lost.
 */
cause: PresenceCause | null, 
/**
 * Index of the first request after each compaction.
 */
compactions: Array<number>, 
/**
 * What the lines were, request by request.
 */
spans: Array<PresenceSpan>, };

/**
 * In how many sessions a file was loaded for a reason.
 */
export type ReasonCount = { 
/**
 * Why.
 */
reason: LoadReason, 
/**
 * Sessions.
 */
sessions: number, };

/**
 * Whose memory a recalled one is.
 */
export type RecallScope = "personal" | "team" | "organization";

/**
 * Result of a redaction, and the proof.
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
 * Method of choice: `versions`, `find` or `secret`.
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
purge: PurgeState, 
/**
 * Where was looked, and what was found.
 */
places: Array<ReceiptPlace>, 
/**
 * The head of the chain after it.
 */
chain_head: string, 
/**
 * Result of verifying the chain after the purge; null while pending.
 */
chain_verified: boolean | null, 
/**
 * Things worth knowing, each a sentence: a short secret, content that reappeared.
 */
warnings: Array<Message>, };

/**
 * One place a receipt speaks of.
 */
export type ReceiptPlace = { 
/**
 * For people: "Database file, raw bytes".
 */
place: Message, 
/**
 * `clean`, `left` or `out_of_reach`.
 */
state: PlaceState, 
/**
 * Number of hits there.
 */
hits: number, 
/**
 * More, where there is more to say.
 */
detail: Message | null, 
/**
 * The place is the log's own: while something is left there, the redaction is not done.
 */
owned: boolean, 
/**
 * Step that removes what is left there.
 */
remedy: Message | null, };

/**
 * Names a receipt.
 */
export type ReceiptRef = { 
/**
 * `receipt_…`
 */
receipt: string, };

/**
 * The receipts, newest first.
 */
export type Receipts = { 
/**
 * All of them.
 */
receipts: Array<Receipt>, };

/**
 * Asks which setting would have cost least over a run.
 */
export type RecommendReq = { 
/**
 * See [`ContextShowReq::transcript`](super::ContextShowReq::transcript).
 */
transcript: string, 
/**
 * Name of the job, chosen by the caller; progress events carry it as `task`, and `cancel` takes it.
 */
job: string | null, 
/**
 * Model to price and default by, in place of the recorded one.
 */
model: string | null, 
/**
 * Life of the cache: `5m` or `1h`. As recorded when absent.
 */
cache_ttl: string | null, };

/**
 * The setting that would have cost least over a run, once results that are read again are paid for.
 */
export type Recommendation = { 
/**
 * Session id, or path.
 */
transcript: string, 
/**
 * The setting; null where none saves enough, and `why` says so.
 */
best: SweepPoint | null, 
/**
 * What ran: what all settings are compared with.
 */
baseline: SweepPoint, 
/**
 * Change of the input, as a share of that of `baseline`; negative for less. Null without a recommendation.
 */
input_change: number | null, 
/**
 * Change of the price in US dollars; null without a recommendation or a price.
 */
cost_change_usd: number | null, 
/**
 * Results that would be read again, beyond those of what ran.
 */
read_again: number, 
/**
 * Why it is this one, or why none is; a sentence each.
 */
why: Array<Message>, 
/**
 * Settings that were tried.
 */
tried: number, 
/**
 * What ran, doing without a setting, and every setting tried.
 */
points: Array<SweepPoint>, 
/**
 * True if it was stopped before its end.
 */
cancelled: boolean, 
/**
 * Warnings about the recommended setting on this run.
 */
warnings: Array<SimulationWarning>, 
/**
 * Requests in fast mode whose model has no known price for it: costs are lower bounds.
 */
requests_fast_without_price: number, };

/**
 * Usage of one call as recorded.
 */
export type RecordedUsage = { 
/**
 * Uncached input.
 */
input: number, 
/**
 * Written to the cache.
 */
cache_creation: number, 
/**
 * Read from the cache.
 */
cache_read: number, 
/**
 * Output. Clients before 2.1.98 recorded a placeholder.
 */
output: number, };

/**
 * Takes content out of history. Exactly one of `versions`, `find`, `secret_base64` and `finding` is given.
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
 * Every version that holds exactly the bytes a finding is about; they are read where it stands and told to nobody.
 */
finding: FindingPlace | null, 
/**
 * Only in this store, id or name; all stores when absent.
 */
store: string | null, 
/**
 * Also replace it in the live files by a marker.
 */
live: boolean, 
/**
 * Also replace it by a marker in transcripts of agents that no running program holds open.
 */
transcripts: boolean, 
/**
 * Why; must not hold the secret.
 */
reason: string | null, 
/**
 * Say what would be done, and do nothing.
 */
dry_run: boolean, };

/**
 * Action of a redaction at a place.
 */
export type RedactionAction = "redact_version" | "replace_in_place" | "left";

/**
 * One place a redaction is about, masked.
 */
export type RedactionMatch = { 
/**
 * `version`, `live`, `transcript`, `text` of the log beside its versions, `file` of the data directory, `encoded`, `git`,
 * `file_history`, `bundle`, `export`, `worktree` or `store`.
 */
place: RedactionPlace, 
/**
 * `memstore_…`
 */
store_id: string | null, 
/**
 * The version, with `version`.
 */
version_id: string | null, 
/**
 * What it is, for people, where it is no path: a text of the log, a file of the data directory. `path` has its text.
 */
name: Message | null, 
/**
 * Path, masked where it matches itself.
 */
path: string | null, 
/**
 * Line of the first match; null when the whole content goes because the version was named.
 */
line: number | null, 
/**
 * The line, each match replaced by `█`; at most 200 characters.
 */
masked: string | null, 
/**
 * Matches in this place.
 */
hits: number, 
/**
 * Action: `redact_version`, `replace_in_place`, `left`.
 */
action: RedactionAction, 
/**
 * More, where there is more to say.
 */
detail: Message | null, 
/**
 * With `left`: what takes it out of there.
 */
remedy: Message | null, };

/**
 * Kind of a place that holds what a redaction selects.
 */
export type RedactionPlace = "version" | "live" | "transcript" | "text" | "file" | "encoded" | "git" | "file_history" | "bundle" | "export" | "worktree" | "store";

/**
 * A result that was cleared and later needed.
 */
export type Regret = { 
/**
 * The tool use.
 */
tool_use_id: string, 
/**
 * Label, such as `Read src/main.rs`.
 */
label: string, 
/**
 * Tokens of its result.
 */
tokens: number, 
/**
 * Index of the request at which it was cleared.
 */
cleared_at: number, 
/**
 * Index of the request whose answer needed it.
 */
needed_at: number, 
/**
 * `read_again`, `run_again`, `quoted`, `edited_against`.
 */
rule: RegretRule, 
/**
 * Evidence: the call made again, or the words quoted.
 */
evidence: Message, };

/**
 * Evidence that a cleared result was needed again.
 */
export type RegretRule = "read_again" | "run_again" | "quoted" | "edited_against";

/**
 * Says that the directory which stands at a store's path now is the store's.
 */
export type RelocateStoreReq = { 
/**
 * Id, name or directory.
 */
store: string, 
/**
 * Only compare it with the log.
 */
dry_run: boolean, };

/**
 * A directory that is taken for a store's, compared with the log.
 */
export type Relocated = { 
/**
 * Nothing was changed.
 */
dry_run: boolean, 
/**
 * The store, as it is after that.
 */
store: Store, 
/**
 * Where the directory is: where the path leads, links resolved.
 */
directory: string, 
/**
 * Files that hold what the log says.
 */
same: number, 
/**
 * Files that hold something else.
 */
changed: number, 
/**
 * Files of which the log knows nothing.
 */
new: number, 
/**
 * Memories of the log that have no file there.
 */
gone: number, };

/**
 * An act that mends a finding, of the finding's store and path unless it says another.
 */
export type Remedy = { "act": "put_back", 
/**
 * Its sequence number.
 */
operation: number, 
/**
 * Only the memory at this path; null for every memory that it changed.
 */
path: string | null, 
/**
 * True for what it deleted alone.
 */
deleted: boolean, } | { "act": "redact", 
/**
 * The rule.
 */
rule: string, 
/**
 * First byte in the file.
 */
start: number, } | { "act": "strip_character", 
/**
 * The rule.
 */
rule: string, 
/**
 * First byte in the file.
 */
start: number, 
/**
 * The byte after the last.
 */
end: number, } | { "act": "move_lines", 
/**
 * First line, from 1: where there is one, the last that is loaded, which makes room for the link to the topic.
 */
from: number, 
/**
 * Last line.
 */
to: number, } | { "act": "reach", 
/**
 * First line, from 1.
 */
from: number, 
/**
 * Last line.
 */
to: number, } | { "act": "open", 
/**
 * The memory.
 */
path: string, 
/**
 * Its line, from 1.
 */
line: number, };

/**
 * A call that was made to a host.
 */
export type RemoteCall = { 
/**
 * When it was begun.
 */
at: string, 
/**
 * `GET`, `POST` or `DELETE`.
 */
method: string, 
/**
 * Host and path, without the query.
 */
address: string, 
/**
 * Status answered; null when there was no answer.
 */
status: number | null, 
/**
 * Bytes sent in the body.
 */
sent: number, 
/**
 * Bytes received in the body.
 */
received: number, };

/**
 * A host of mirrored stores.
 */
export type RemoteHost = { 
/**
 * Base URL.
 */
base_url: string, 
/**
 * Where the key comes from: `keyring`, `environment`, or null when there is none.
 */
key: KeySource | null, };

/**
 * Changes queued for hosts. Nothing of it is sent before a push.
 */
export type RemoteQueue = { 
/**
 * The changes, in the order in which they are sent.
 */
changes: Array<QueuedChange>, };

/**
 * Names a mirrored store.
 */
export type RemoteRef = { 
/**
 * Id or name here; all mirrored stores when absent.
 */
store: string | null, 
/**
 * A word chosen by the caller, to follow and cancel the work by.
 */
job: string | null, };

/**
 * A mirrored store.
 */
export type RemoteStore = { 
/**
 * The mirror here, `memstore_…`.
 */
store_id: string, 
/**
 * Name here.
 */
name: string, 
/**
 * Base URL of its host.
 */
base_url: string, 
/**
 * Its id at the host.
 */
remote_id: string, 
/**
 * Purpose by the host.
 */
description: string, 
/**
 * When it was archived at the host.
 */
archived_at: string | null, 
/**
 * When a pull last came to its end.
 */
pulled_at: string | null, 
/**
 * A pull was cut off and goes on where it was.
 */
pulling: boolean, 
/**
 * Why the last pull or push did not come to its end.
 */
problem: Message | null, 
/**
 * Versions mirrored.
 */
versions: number, 
/**
 * Versions that the host had redacted before they could be mirrored; they have no content here either.
 */
never_seen: number, 
/**
 * Versions whose content is kept here although the host redacted it since.
 */
redacted_at_host: number, 
/**
 * Those versions, `memver_…`, oldest first, whoever pulled; at most 1,000.
 */
redacted_versions: Array<string>, 
/**
 * When all versions the host had were last searched for redacted ones; null before that.
 */
looked_through_at: string | null, 
/**
 * Changes queued for the host.
 */
queued: number, 
/**
 * Of those, changes that met a newer edit.
 */
conflicts: number, };

/**
 * The mirrored stores. Answered from what is known here; no host is called.
 */
export type Remotes = { 
/**
 * The mirrors, by name.
 */
stores: Array<RemoteStore>, 
/**
 * Hosts that are called for them, each with whether there is a key.
 */
hosts: Array<RemoteHost>, 
/**
 * The newest calls of this process, newest first; at most 100.
 */
calls: Array<RemoteCall>, };

/**
 * One request as it was sent.
 */
export type RequestBody = { 
/**
 * Its index among the requests of the transcript; null for one without an answer there, such as that of a compaction.
 */
index: number | null, 
/**
 * Its id as the client recorded it, else that of the response.
 */
id: string, 
/**
 * What asked, as the client recorded it: `sdk`, `compact`, `agent:…`. Null where nothing is recorded.
 */
source: string | null, 
/**
 * True where the client's digest proves it; null where the client recorded nothing.
 */
proved: boolean | null, 
/**
 * Why it is not proved, in one sentence.
 */
reason: Message | null, 
/**
 * The body; null where nothing can be put together, and where `raw` is asked for.
 */
body: unknown, 
/**
 * The body as canonical JSON, where asked for.
 */
raw: string | null, };

/**
 * Asks for one request as it was sent.
 */
export type RequestBodyReq = { 
/**
 * See [`ContextShowReq::transcript`].
 */
transcript: string, 
/**
 * Index of the request, from 0, or the id of a recorded one or its beginning.
 */
at: string, 
/**
 * True for the body as canonical JSON, to the byte, in place of `body`.
 */
raw: boolean, };

/**
 * Act of a restore to a state from before the recording.
 */
export type RestoreAct = "write" | "delete" | "leave";

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
 * The time lies before recording began: restore what imported history knows of it. Files of which it knows nothing are
 * left as they are.
 */
from_imported: boolean, 
/**
 * Say what would be done, and do nothing.
 */
dry_run: boolean, };

/**
 * What a composition rests on.
 */
export type RestsOn = "request" | "transcript";

/**
 * Queues a change that met a newer edit, or was refused, once more: on what is there now.
 */
export type RetryQueuedReq = { 
/**
 * Its number.
 */
id: number, 
/**
 * The version that was seen there and that it may replace, `memver_…`; null where nothing was there. Another one that is
 * there by now is `head_moved`.
 */
over: string | null, };

/**
 * Asks for a report of a review, as one HTML file.
 */
export type ReviewReportReq = { 
/**
 * Only this store, id or name; all stores when absent.
 */
store: string | null, 
/**
 * Only what happened at or after this time, RFC 3339; everything when absent.
 */
since: string | null, };

/**
 * Reviews items.
 */
export type ReviewReq = { 
/**
 * The newest versions as the person saw them, `memver_…`, one an item.
 */
versions: Array<string>, 
/**
 * `approve`, or `reject`: put the memories back to what was last reviewed.
 */
verdict: string, 
/**
 * With `approve` and one version: the final text, which is written first.
 */
text: string | null, 
/**
 * With `text`: hash the file must have now; that of the version when absent.
 */
expected_sha256: string | null, 
/**
 * With `approve` and several versions: approve also those with findings of severity error, which are left otherwise.
 */
with_findings: boolean, 
/**
 * The same for these of the versions alone.
 */
ticked: Array<string>, 
/**
 * Why.
 */
note: string | null, 
/**
 * Say what would be done, and do nothing.
 */
dry_run: boolean, };

/**
 * Says that everything recorded up to some point is reviewed.
 */
export type ReviewUpToReq = { 
/**
 * A version, `memver_…`; an operation's number; or a time, RFC 3339.
 */
up_to: string, 
/**
 * Only in this store, id or name; all stores when absent.
 */
store: string | null, 
/**
 * Only memories that `inbox` lists under this kind; all when absent.
 */
kind: string | null, 
/**
 * Approve also items with findings of severity error, which are left otherwise.
 */
with_findings: boolean, 
/**
 * The same for the items of these versions alone, as a preview names them.
 */
ticked: Array<string>, 
/**
 * Why.
 */
note: string | null, 
/**
 * Say what would be done, and do nothing.
 */
dry_run: boolean, };

/**
 * Result of a review, or its preview with `dry_run`.
 */
export type Reviewed = { 
/**
 * Nothing was done.
 */
dry_run: boolean, 
/**
 * Number of the review, by which it is taken back; null when there is none.
 */
review_seq: number | null, 
/**
 * Items that were reviewed; with the undo of a review, those it was about.
 */
done: Array<ReviewedItem>, 
/**
 * Items that were left as they are.
 */
skipped: Array<SkippedItem>, 
/**
 * Changes of files; null when the review is not about files.
 */
act: ActResult | null, 
/**
 * Summary of an approval of several items; null for other reviews.
 */
approval: Approval | null, };

/**
 * An item that was reviewed.
 */
export type ReviewedItem = { 
/**
 * The version the person saw.
 */
version_id: string, 
/**
 * `memstore_…`
 */
store_id: string, 
/**
 * `mem_…`
 */
memory_id: string, 
/**
 * Its path; null when redacted.
 */
path: string | null, 
/**
 * `approved`, `edited`, `rejected`, `up_to` or `undone`.
 */
verdict: Verdict, };

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
 * With `session`: also what it is only likely to have written, by the file's front matter or by time alone.
 */
include_likely: boolean, 
/**
 * With `session`: these versions of what it is only likely to have written, `memver_…`.
 */
include: Array<string>, 
/**
 * With `session`: leave these versions as they are, `memver_…`.
 */
except: Array<string>, 
/**
 * Take back what this operation changed.
 */
operation_seq: number | null, 
/**
 * With `operation_seq`: only what it did to the memory at this path.
 */
path: string | null, 
/**
 * With `operation_seq`: only what it deleted.
 */
deleted: boolean, 
/**
 * With `to`: hash the file must have now; the newest version's when absent.
 */
expect: string | null, 
/**
 * Say what would be done, and do nothing.
 */
dry_run: boolean, };

/**
 * A point at which a rule applied.
 */
export type RuleCase = { 
/**
 * What became of it.
 */
outcome: RuleOutcome, 
/**
 * The call or the path that counts.
 */
what: string, 
/**
 * The session's id.
 */
session: string, 
/**
 * The session's title, where it has one.
 */
title: string | null, 
/**
 * The transcript.
 */
transcript: string, 
/**
 * True if a subagent did it.
 */
subagent: boolean, 
/**
 * The turn, from 1.
 */
turn: number | null, 
/**
 * Line of the transcript, from 1.
 */
line: number, 
/**
 * When.
 */
at: string | null, 
/**
 * Of a broken one: true if the rule was before the model; null where the session does not tell.
 */
present: boolean | null, 
/**
 * Why it was not.
 */
cause: PresenceCause | null, 
/**
 * How well that is known; absent where it is not known whether the rule was there.
 */
grade?: PresenceGrade, };

/**
 * Number of items with a finding of a rule.
 */
export type RuleCount = { 
/**
 * The rule, as in `Finding`.
 */
rule: string, 
/**
 * `error`, `warning` or `note`.
 */
severity: Severity, 
/**
 * Items with such a finding.
 */
items: number, };

/**
 * A rule: which calls or paths it is about, by kind, the sentence it comes from and where that stands.
 */
export type RuleFields = { 
/**
 * The kind.
 */
kind: RuleKind, 
/**
 * The program without its directory; `*` for any. Of kinds about one command.
 */
program?: string | null, 
/**
 * Words that its arguments hold: options anywhere, other words in this order.
 */
arguments?: Array<string>, 
/**
 * Of `command_form`: words that the call holds, or `!` and a text that it does not. Of `text_form`: a text that each place
 * holds, or `!` and a text that none does.
 */
form?: string | null, 
/**
 * Of `order`: the command that comes first.
 */
before?: string | null, 
/**
 * Of `order`: the command that may come then.
 */
after?: string | null, 
/**
 * Of `path_never` and `text_form`: patterns of paths.
 */
paths?: Array<string>, 
/**
 * Of `text_form`: the text with which each place begins that must have the form; none where a write is one place.
 */
text?: string | null, 
/**
 * The sentence.
 */
sentence: string, 
/**
 * Where it stands: `STORE:PATH:LINE`, or a file.
 */
source: string | null, };

/**
 * A hook that guards a rule: an agent's settings have a call judged before it is made.
 */
export type RuleGuard = { 
/**
 * The settings.
 */
settings: string, 
/**
 * True if it reminds the model and lets the call be made.
 */
remind: boolean, 
/**
 * When it was put in.
 */
since: string, 
/**
 * True if it stands there now.
 */
in_place: boolean, };

/**
 * Kind of a rule that a memory states.
 */
export type RuleKind = "command_never" | "command_form" | "order" | "path_never" | "at_end" | "ask_first" | "text_form";

/**
 * How sessions fared with one rule.
 */
export type RuleLedger = { 
/**
 * The rule's id.
 */
rule_id: string, 
/**
 * Points at which it applied: followed, broken, excepted and undecidable ones.
 */
opportunities: number, 
/**
 * It was followed.
 */
followed: number, 
/**
 * It was not.
 */
broken: number, 
/**
 * Of the broken ones: the rule was before the model.
 */
broken_present: number, 
/**
 * Of those: that it was is inferred, not recorded. Absent where all of it is recorded.
 */
broken_inferred?: number, 
/**
 * Of the broken ones: it was not, by cause.
 */
broken_absent: { [key in string]: number }, 
/**
 * Of the broken ones: the session does not tell whether it was.
 */
broken_unknown: number, 
/**
 * It was not followed, and the person had asked for that.
 */
excepted: number, 
/**
 * The rule did not stand there then: not yet, or no longer.
 */
predates: number, 
/**
 * The session does not tell.
 */
undecidable: number, 
/**
 * Sessions with at least one opportunity.
 */
sessions: number, 
/**
 * Tokens of its line, as the newest models count: what it costs a session that loads it.
 */
tokens_per_session: number, 
/**
 * When it last applied.
 */
last_at: string | null, 
/**
 * Hooks that guard it.
 */
guards?: Array<RuleGuard>, 
/**
 * Directory of the project that its source belongs to; null where it belongs to none, or to one that is not here.
 */
project: string | null, 
/**
 * The wordings of its line, the oldest first, each with how it fared while it stood.
 */
by_version: Array<RuleWording>, 
/**
 * Cases, the newest first, where asked for; at most 500.
 */
cases?: Array<RuleCase>, 
/**
 * The kind.
 */
kind: RuleKind, 
/**
 * The program without its directory; `*` for any. Of kinds about one command.
 */
program?: string | null, 
/**
 * Words that its arguments hold: options anywhere, other words in this order.
 */
arguments?: Array<string>, 
/**
 * Of `command_form`: words that the call holds, or `!` and a text that it does not. Of `text_form`: a text that each place
 * holds, or `!` and a text that none does.
 */
form?: string | null, 
/**
 * Of `order`: the command that comes first.
 */
before?: string | null, 
/**
 * Of `order`: the command that may come then.
 */
after?: string | null, 
/**
 * Of `path_never` and `text_form`: patterns of paths.
 */
paths?: Array<string>, 
/**
 * Of `text_form`: the text with which each place begins that must have the form; none where a write is one place.
 */
text?: string | null, 
/**
 * The sentence.
 */
sentence: string, 
/**
 * Where it stands: `STORE:PATH:LINE`, or a file.
 */
source: string | null, };

/**
 * What became of a point at which a rule applied.
 */
export type RuleOutcome = "followed" | "broken" | "excepted" | "predates" | "undecidable";

/**
 * What becomes of a rule, or of breaks of one, when an act on them is undone.
 */
export type RuleStanding = "on_list" | "off_list" | "unseen" | "seen";

/**
 * Points at which a rule was followed or broken. Below ten they are no rate.
 */
export type RuleTally = { 
/**
 * It was followed.
 */
followed: number, 
/**
 * It was broken.
 */
broken: number, };

/**
 * One wording of a rule's line.
 */
export type RuleWording = { 
/**
 * The version that brought it; null for the time before the line first stood there. After it was gone nothing is counted.
 */
version_id: string | null, 
/**
 * When that was.
 */
since: string | null, 
/**
 * The line then; null where the version was redacted, and before the line stood there.
 */
line: string | null, 
/**
 * Its number then, from 1.
 */
number: number | null, 
/**
 * Points at which it applied.
 */
opportunities: number, 
/**
 * It was followed.
 */
followed: number, 
/**
 * It was not.
 */
broken: number, 
/**
 * It was not, and the person had asked for that.
 */
excepted: number, 
/**
 * The session does not tell.
 */
undecidable: number, };

/**
 * How sessions fared with a rule before its line was written and after.
 */
export type RuleWorth = { 
/**
 * The rule's id.
 */
rule_id: string, 
/**
 * Its sentence.
 */
sentence: string, 
/**
 * While the line did not stand there.
 */
before: RuleTally, 
/**
 * While it stood there, in any wording.
 */
after: RuleTally, };

/**
 * Order of runs.
 */
export type RunOrder = "date" | "cost" | "peak";

/**
 * A scan of directories right now.
 */
export type ScanReq = { 
/**
 * Ids or names; all stores when empty.
 */
stores: Array<string>, };

/**
 * Result of a scan.
 */
export type Scanned = { 
/**
 * Stores looked at.
 */
stores: Array<ScannedStore>, };

/**
 * Result of a scan of one store.
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
 * State after the scan.
 */
state: StoreState, 
/**
 * Why, where there is more to say.
 */
state_detail: Message | null, 
/**
 * Versions recorded by this scan.
 */
versions: number, 
/**
 * Files that hold what was redacted before, among what this look recorded.
 */
redacted_back: Array<string>, };

/**
 * Searches for words. Every word must occur (as the beginning of a word, case folded) in the content.
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
 * Result of a search.
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
 * Says that a person saw breaks, or takes that back.
 */
export type SeeBrokenRules = { 
/**
 * Their ids.
 */
broken: Array<string>, 
/**
 * True to put them back among what needs a person.
 */
put_back: boolean, };

/**
 * Everything known of a session.
 */
export type Session = { 
/**
 * What a person asked first, on one line: the session's title. Null where that is not known.
 */
first_prompt: string | null, 
/**
 * Version of the client that wrote the transcript.
 */
client_version: string | null, 
/**
 * Branch of the repository.
 */
branch: string | null, 
/**
 * Calls of the model, those of subagents among them.
 */
requests: number, 
/**
 * Requests of the main conversation: those that `peak_request`, prompts, events and files number from 0.
 */
main_requests: number, 
/**
 * Of these, requests that were rebuilt and proved by their digest.
 */
proved_requests: number, 
/**
 * The largest context of the main conversation, in tokens.
 */
peak: number | null, 
/**
 * Kind of that figure.
 */
peak_kind: FigureKind | null, 
/**
 * The request that had it.
 */
peak_request: number | null, 
/**
 * Price in US dollars, subagents included; null where a model has none.
 */
cost_usd: number | null, 
/**
 * True if the true price is higher.
 */
cost_is_lower_bound: boolean, 
/**
 * Requests for whose output the client recorded a placeholder, so that their output is at least what is recorded.
 */
requests_with_placeholder_output?: number, 
/**
 * Requests in fast mode whose model has no known price for it: they are priced as others are.
 */
requests_fast_without_price?: number, 
/**
 * Price by the client's own figures.
 */
client_cost_usd: number | null, 
/**
 * What a person asked, in order.
 */
prompts: Array<SessionPrompt>, 
/**
 * Versions that no prompt is known for, oldest first.
 */
other_versions: Array<string>, 
/**
 * Versions that the person at this machine has left to review.
 */
unreviewed: Array<string>, 
/**
 * Compactions and other things that took content away.
 */
events: Array<SessionEvent>, 
/**
 * Instructions, then memory, in the order in which they were loaded.
 */
files: Array<SessionFile>, 
/**
 * Its subagents, in order of their beginning.
 */
agents: Array<SessionAgent>, 
/**
 * Why the transcript tells less than it could; null where it is there and was read.
 */
problem: Message | null, 
/**
 * The session's id.
 */
session_id: string, 
/**
 * Its title; null where its transcript is not there.
 */
title: string | null, 
/**
 * The agent that keeps the transcript, as in `transcripts`.
 */
agent: string | null, 
/**
 * The project it worked on.
 */
project: string | null, 
/**
 * Models it called, the main conversation's first.
 */
models: Array<string>, 
/**
 * When it began.
 */
started_at: string | null, 
/**
 * When it ended, as far as its transcript goes.
 */
ended_at: string | null, 
/**
 * The transcript, as the Context lab names it.
 */
transcript: string | null, 
/**
 * Versions in all stores, newest first.
 */
versions: Array<SessionVersion>, 
/**
 * Calls that succeeded, or did not say, and of which no version is known: they came before recording, were overwritten
 * before the recorder looked, or wrote where nothing is recorded.
 */
unrecorded: Array<SessionWrite>, };

/**
 * A subagent.
 */
export type SessionAgent = { 
/**
 * Its id.
 */
id: string | null, 
/**
 * Its type, such as `general-purpose`.
 */
agent_type: string | null, 
/**
 * Why it was started, in the words of the agent that started it.
 */
description: string | null, 
/**
 * Its transcript, as the Context lab names it.
 */
transcript: string, 
/**
 * When it began.
 */
at: string | null, 
/**
 * Number of the prompt it was started after, from 0.
 */
prompt: number | null, 
/**
 * Requests.
 */
requests: number, 
/**
 * Its largest context, in tokens; null where none is recorded.
 */
peak: number | null, 
/**
 * Instruction files it had; null where its transcript was not read.
 */
instructions: number | null, 
/**
 * Memory files it had.
 */
memories: number | null, 
/**
 * False if it did not come to its end.
 */
finished: boolean | null, };

/**
 * Something that took content away.
 */
export type SessionEvent = { 
/**
 * As in `context_show`: `compaction`, `microcompaction`, `rewind`, `replaced`, `server_edit`.
 */
event: ContextEventKind, 
/**
 * The request that follows it.
 */
before_request: number, 
/**
 * When that was made.
 */
at: string | null, 
/**
 * Number of the prompt it came after, from 0.
 */
prompt: number | null, 
/**
 * Context before.
 */
tokens_before: number | null, 
/**
 * Context after.
 */
tokens_after: number | null, 
/**
 * What happened, in a sentence.
 */
note: Message, 
/**
 * Instruction and memory files that the requests after it no longer sent.
 */
lost: Array<string>, };

/**
 * An instruction or memory file that the session had.
 */
export type SessionFile = { 
/**
 * Its path as recorded.
 */
path: string, 
/**
 * `instructions` or `memory`.
 */
class: CarriedClass, 
/**
 * The client's name for it (`User`, `Project`, `Local`, `AutoMem`, …); null where none is told.
 */
kind: string | null, 
/**
 * The store that records it; null where none does.
 */
store_id: string | null, 
/**
 * Its path in the store.
 */
store_path: string | null, 
/**
 * Each time it was loaded, in order.
 */
loads: Array<SessionLoad>, 
/**
 * Ranges of requests that sent it, first and last, from 0.
 */
requests: Array<[number, number]>, 
/**
 * Tokens when it was loaded last.
 */
tokens: number, 
/**
 * True if only a part of it was ever loaded.
 */
partial: boolean, 
/**
 * Price of carrying it, in US dollars; null where it has none.
 */
cost_usd: number | null, };

/**
 * A file is loaded.
 */
export type SessionLoad = { 
/**
 * Why.
 */
reason: LoadReason, 
/**
 * The reason in the client's words, where it is another.
 */
told: string | null, 
/**
 * Whose memory it is, where it was recalled; null where nothing says.
 */
scope: RecallScope | null, 
/**
 * When.
 */
at: string | null, 
/**
 * The first request that sent it; null where none did, or only the hook says that it was loaded.
 */
request: number | null, 
/**
 * The file that brought it: one that imports it, or one that was read; null where nothing says.
 */
by: string | null, 
/**
 * The subagent that it was loaded for; null for the main conversation.
 */
agent: string | null, 
/**
 * What says so.
 */
witness: LoadWitness, };

/**
 * What a person asked.
 */
export type SessionPrompt = { 
/**
 * Its text, up to 4,000 characters.
 */
text: string, 
/**
 * True if `text` was cut.
 */
truncated: boolean, 
/**
 * When.
 */
at: string | null, 
/**
 * The first request after it; null where none was made.
 */
request: number | null, 
/**
 * Requests of the main conversation until the next prompt.
 */
requests: number, 
/**
 * Price of these in US dollars; null where one has none.
 */
cost_usd: number | null, 
/**
 * True if the true price is higher, for a reason of the session.
 */
cost_is_lower_bound?: boolean, 
/**
 * Versions that were written after it and before the next, by the session or a subagent of it, oldest first.
 */
versions: Array<string>, };

/**
 * Names a session.
 */
export type SessionRef = { 
/**
 * Its id as the agent writes it, or the beginning of one that no other session has.
 */
session: string, };

/**
 * A version that a session wrote.
 */
export type SessionVersion = { 
/**
 * Name of the store.
 */
store: string, 
/**
 * Confidence, as in `OriginNote`.
 */
confidence: string, 
/**
 * The turn in the transcript, from 1.
 */
turn: number | null, 
/**
 * The version.
 */
version: Version, };

/**
 * A call that wrote, of which no version is known.
 */
export type SessionWrite = { 
/**
 * Id of the store it wrote to; null where nothing is recorded.
 */
store_id: string | null, 
/**
 * The turn in its transcript, from 1.
 */
turn: number | null, 
/**
 * The call.
 */
write: OriginWrite, };

/**
 * Writes of a session, anywhere.
 */
export type SessionWrites = { 
/**
 * The session's id.
 */
session_id: string, 
/**
 * Its title; null where its transcript is not there.
 */
title: string | null, 
/**
 * The agent that keeps the transcript, as in `transcripts`.
 */
agent: string | null, 
/**
 * The project it worked on.
 */
project: string | null, 
/**
 * Models it called, the main conversation's first.
 */
models: Array<string>, 
/**
 * When it began.
 */
started_at: string | null, 
/**
 * When it ended, as far as its transcript goes.
 */
ended_at: string | null, 
/**
 * The transcript, as the Context lab names it.
 */
transcript: string | null, 
/**
 * Versions in all stores, newest first.
 */
versions: Array<SessionVersion>, 
/**
 * Calls that succeeded, or did not say, and of which no version is known: they came before recording, were overwritten
 * before the recorder looked, or wrote where nothing is recorded.
 */
unrecorded: Array<SessionWrite>, };

/**
 * Sets one rule for every store of this person.
 */
export type SetFindingRule = { 
/**
 * The rule, `group/name`, or `group` for each of its rules.
 */
rule: string, 
/**
 * `off`, `on`, `note`, `warning` or `error`; null takes the setting away.
 */
setting: string | null, };

/**
 * A line of settings.
 */
export type SettingsLine = { 
/**
 * Its change.
 */
tag: LineTag, 
/**
 * Its text.
 */
text: string, };

/**
 * Severity of a finding.
 */
export type Severity = "note" | "warning" | "error";

/**
 * Shows a store in the Memory Stores API, or no longer.
 */
export type ShareStoreReq = { 
/**
 * Id or name.
 */
store: string, 
/**
 * True if it is to be shown.
 */
shared: boolean, };

/**
 * Asks for one version.
 */
export type ShowReq = { 
/**
 * `memver_…`
 */
version: string, 
/**
 * True if the content is wanted.
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
operation: VersionOperation, 
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
content_kind: ContentKind | null, 
/**
 * When it was recorded; of a rebuilt one, when it truly was.
 */
created_at: string, 
/**
 * When it was recorded, or rebuilt.
 */
recorded_at: string, 
/**
 * True if it lies before what was observed, and was rebuilt from what others kept. Lists show these after the observed
 * ones, by the time at which they were.
 */
rebuilt: boolean, 
/**
 * True if it is rebuilt and its operation was undone: lists leave it out.
 */
withdrawn: boolean, 
/**
 * When it was written, where that was before it came to stand at `created_at`: on a branch, or elsewhere.
 */
written_at: string | null, 
/**
 * Where it is the first sight of a memory that others kept the past of: the rebuilt version that had left exactly this.
 */
baseline_of: BaselineOf | null, 
/**
 * Who; null when unknown.
 */
created_by: ActorView | null, 
/**
 * The session that wrote it, with its title, where one is known.
 */
origin: OriginNote | null, 
/**
 * Act of a person that put back with it what was written before: `origin` is of that writer, `created_by` the
 * person.
 */
put_back: PutBack | null, 
/**
 * Cause: `scan`, `rollback`, `restore`, `redact`, `api`, `tool`, `import`, `rebuilt`.
 */
source: ChangeSource, 
/**
 * Why, where a reason was given.
 */
note: Message | null, 
/**
 * When it was redacted.
 */
redacted_at: string | null, 
/**
 * By whom.
 */
redacted_by: ActorView | null, };

/**
 * Asks what settings would do to a transcript.
 */
export type SimulateReq = { 
/**
 * See [`ContextShowReq::transcript`].
 */
transcript: string, 
/**
 * Settings to try, at least one.
 */
variants: Array<Variant>, 
/**
 * Model to price and default by, in place of the recorded one.
 */
model: string | null, 
/**
 * Life of the cache: `5m` or `1h`. As recorded when absent.
 */
cache_ttl: string | null, 
/**
 * List at each request all that is cleared there, as the terminal's JSON does, and not only what is newly cleared.
 */
all_cleared: boolean, 
/**
 * Answer also what ran under the setting in force, where the recorded requests carry one.
 */
in_force: boolean, };

/**
 * A compaction that a setting would make.
 */
export type SimulatedCompaction = { 
/**
 * Index of the request at which it takes place.
 */
request: number, 
/**
 * Context that triggered it.
 */
tokens_before: number, 
/**
 * Size of the summary: the middle of the range.
 */
summary: number, 
/**
 * Ends of the range.
 */
summary_range: [number, number], 
/**
 * Price of making it, in US dollars.
 */
cost_usd: number | null, 
/**
 * The request whose answer is thrown away and asked for again, for the SDK's compaction.
 */
dropped_response: number | null, };

/**
 * Chart line of a simulation. Requests are named by their index.
 */
export type SimulatedLine = { 
/**
 * Tokens of each request with the setting; as many as the run would have, which is fewer where it stops early.
 */
after: Array<number>, 
/**
 * Requests at which tool results or inputs are newly cleared.
 */
cleared: Array<number>, 
/**
 * Requests at which nothing but more thinking is cleared.
 */
thinking: Array<number>, 
/**
 * Requests before which the run is compacted.
 */
compacted: Array<number>, 
/**
 * Requests that need again what was cleared, each once, in order.
 */
needed_again: Array<number>, };

/**
 * Chart lines of settings.
 */
export type SimulatedLines = { 
/**
 * One a variant, in order: null for a setting that the API would refuse, so that a slider's neighbours can be asked for
 * unseen.
 */
lines: Array<SimulatedLine | null>, };

/**
 * One request under a setting.
 */
export type SimulatedRequest = { 
/**
 * From 0.
 */
index: number, 
/**
 * Context without the setting.
 */
before: number, 
/**
 * Context with it.
 */
after: number, 
/**
 * Ends of the range of `after`, where it is estimated.
 */
range: [number, number] | null, 
/**
 * Kind of `after`.
 */
kind: FigureKind, 
/**
 * Tool uses whose results are newly cleared at this request; all that are cleared with
 * [`SimulateReq::all_cleared`].
 */
cleared_tool_use_ids: Array<string>, 
/**
 * Tool uses whose inputs are newly cleared at this request.
 */
cleared_tool_inputs: Array<string>, 
/**
 * Turns of thinking cleared in all.
 */
cleared_thinking_turns: number, 
/**
 * Edits that the response would report.
 */
applied_edits: unknown[], 
/**
 * Tokens before the first that differs from the request before; null where the cached prefix holds.
 */
cache_break_at: number | null, 
/**
 * Tokens read from the cache.
 */
cache_read: number, 
/**
 * Tokens written to the cache.
 */
cache_write: number, 
/**
 * Price in US dollars.
 */
cost_usd: number | null, };

/**
 * Simulation of one setting.
 */
export type Simulation = { 
/**
 * Session id, or path.
 */
transcript: string, 
/**
 * Name of the variant.
 */
name: string, 
/**
 * What the setting does, in a few words: the name of a variant that nobody named.
 */
what: Message, 
/**
 * True for what ran under the setting in force: sizes and prices are those that were recorded.
 */
in_force: boolean, 
/**
 * The setting, with defaults filled in.
 */
config: unknown, 
/**
 * Model priced by.
 */
model: string | null, 
/**
 * Warnings before deploying it.
 */
warnings: Array<SimulationWarning>, 
/**
 * Sums.
 */
totals: SimulationTotals, 
/**
 * One entry a request.
 */
requests: Array<SimulatedRequest>, 
/**
 * Compactions it would make.
 */
compactions: Array<SimulatedCompaction>, 
/**
 * Results cleared and later needed.
 */
regrets: Array<Regret>, 
/**
 * Where the run would end before the recorded one; null where it does not.
 */
stopped: SimulationStopped | null, };

/**
 * End of a run under a setting before the recorded one. Requests after it have zeros.
 */
export type SimulationStopped = { 
/**
 * Index of the last request that is made.
 */
last: number, 
/**
 * `endless_compaction`, `max_iterations` or `refusal`.
 */
reason: StopCause, };

/**
 * Sums over a run under a setting.
 */
export type SimulationTotals = { 
/**
 * Largest context.
 */
peak: number, 
/**
 * Input over all requests.
 */
input: number, 
/**
 * Requests at which something was newly cleared.
 */
clears: number, 
/**
 * Compactions.
 */
compactions: number, 
/**
 * Input written to the cache.
 */
cache_writes: number, 
/**
 * Input read from the cache.
 */
cache_reads: number, 
/**
 * Requests at which the cached prefix was broken.
 */
cache_breaks: number, 
/**
 * Price in US dollars; null where a model has none.
 */
cost_usd: number | null, 
/**
 * Requests in fast mode whose model has no known price for it: they are priced as others are, and `cost_usd` is a lower
 * bound.
 */
requests_fast_without_price: number, 
/**
 * Results cleared and later needed.
 */
regrets: number, 
/**
 * Requests until a clearing has paid for itself, over all clearings; null where none does or none is.
 */
pays_back_after: number | null, 
/**
 * Kind of the figures: the weakest kind among the requests.
 */
kind: FigureKind, 
/**
 * Half width of the range of `peak`, in percent, where it is estimated.
 */
range_percent: number | null, };

/**
 * Something to know before deploying a setting.
 */
export type SimulationWarning = { 
/**
 * For programs, such as `trigger_never_reached`.
 */
code: string, 
/**
 * A sentence that names the number.
 */
message: Message, };

/**
 * Simulations of settings.
 */
export type Simulations = { 
/**
 * One a variant, in order.
 */
simulations: Array<Simulation>, 
/**
 * What ran under the setting in force: what the others are compared with. Null where it was not asked for, and where the
 * recorded requests carry none, so that no editing is what ran.
 */
in_force: Simulation | null, };

/**
 * Reason for which a review leaves an item out.
 */
export type SkipReason = "stale" | "imported" | "already_reviewed" | "findings" | "base_redacted" | "base_too_large" | "too_large";

/**
 * An item that was left as it is.
 */
export type SkippedItem = { 
/**
 * The version that was named.
 */
version_id: string, 
/**
 * `memstore_…`
 */
store_id: string, 
/**
 * `mem_…`
 */
memory_id: string, 
/**
 * Its path; null when redacted.
 */
path: string | null, 
/**
 * `stale`: it changed since it was looked at; `already_reviewed`; `findings`: it was not named alone and has findings of
 * severity error; `base_redacted`, `base_too_large`: what it would be put
 * back to is not there; `too_large`: its content is not kept, so it is not replaced.
 */
reason: SkipReason, 
/**
 * The reason as a sentence.
 */
message: Message, 
/**
 * The version last reviewed; null when there is none.
 */
base_version_id: string | null, 
/**
 * The version that is there now, where it is recorded.
 */
found_version_id: string | null, 
/**
 * With the reason `findings`: those of severity error. Empty otherwise.
 */
findings: Array<Finding>, };

/**
 * Change of one file by taking a snapshot over.
 */
export type SnapshotChange = { 
/**
 * Name of the file.
 */
path: string, 
/**
 * `added`, `changed`, `same`; `deleted`: a memory that the snapshot does not have; `kept`: a file that is no memory.
 */
change: SnapshotFileChange, 
/**
 * Bytes now; null when it is not there.
 */
local_size_bytes: number | null, 
/**
 * Bytes in the snapshot; null when it is not there.
 */
snapshot_size_bytes: number | null, 
/**
 * From the memory to the snapshot; null for `same` and `kept`, and where a side is too large to be compared.
 */
diff: FileDiff | null, };

/**
 * What taking a snapshot over does to a file.
 */
export type SnapshotFileChange = "added" | "changed" | "same" | "deleted" | "kept";

/**
 * Scope of a subagent's memory.
 */
export type SnapshotScope = "user" | "project" | "local";

/**
 * Action of an agent on a snapshot of a project.
 */
export type SnapshotState = "unusable" | "initialise" | "ask" | "current";

/**
 * Content of the status line.
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
 * True if some process records at present.
 */
recording: boolean, 
/**
 * True if it is this process.
 */
recording_here: boolean, 
/**
 * Stores that a recording process records: all but mirrors of hosted stores.
 */
recordable: number, 
/**
 * Those of them that are recorded while a process records: neither paused nor out of reach.
 */
recorded: number, 
/**
 * When the chain was last verified by this process.
 */
chain_verified_at: string | null, 
/**
 * Result of that verification.
 */
chain_ok: boolean | null, 
/**
 * Items this person has left to review, over all stores: the rows of the inbox.
 */
unreviewed: number, 
/**
 * Breaks of rules that nobody saw yet.
 */
broken_rules: number, 
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
 * Reason for which a simulated run ends before its last request.
 */
export type StopCause = "endless_compaction" | "max_iterations" | "refusal";

/**
 * A store as a list shows it.
 */
export type Store = { 
/**
 * `memstore_…`
 */
id: string, 
/**
 * Name for people; unique but for stores made through the Memory Stores API.
 */
name: string, 
/**
 * Whose memory it holds: `claude-auto`, `claude-agent`, `memory-tool`, `codex`, `gemini`, `letta`, `openclaw`,
 * `basic-memory`, `copilot`, `cline`, `plain`, `remote`.
 */
kind: StoreKind, 
/**
 * Its directory; `log:` and the id for a store of the Memory Stores API that has none.
 */
root: string, 
/**
 * `recording`, `paused`, `missing`, `moved`, `denied` or `limited`.
 */
state: StoreState, 
/**
 * Why it is in that state, where there is more to say.
 */
state_detail: Message | null, 
/**
 * Live memories.
 */
memories: number, 
/**
 * Versions recorded.
 */
versions: number, 
/**
 * Memories this person has left to review: the rows of the inbox that are of this store.
 */
unreviewed: number, 
/**
 * Time of the newest version.
 */
last_change: string | null, 
/**
 * Rules for what the store leaves out, one rule a line, for people.
 */
rules: Array<Message>, 
/**
 * True if the Memory Stores API shows it.
 */
shared: boolean, 
/**
 * True if it has a directory; false when it lives in the log alone.
 */
mounted: boolean, 
/**
 * When it was added just now: its files, or the versions of its host (`memver_…`), that hold what was redacted
 * before. What is on disk is recorded as it is; what a host has came without it.
 */
redacted_before?: Array<string>, };

/**
 * Differences of two stores, by path.
 */
export type StoreComparison = { 
/**
 * The store as it is.
 */
from_store_id: string, 
/**
 * The store as it might be.
 */
to_store_id: string, 
/**
 * Memories that are the same in both.
 */
same: number, 
/**
 * Memories that differ, by path.
 */
memories: Array<ComparedMemory>, };

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
moves: Array<MovedBlock>, 
/**
 * What is not known of a side, each a sentence.
 */
warnings?: Array<Message>, };

/**
 * A finding and whose it is.
 */
export type StoreFinding = { 
/**
 * `memstore_…`
 */
store_id: string, 
/**
 * The memory at that path; null when it is not recorded yet, or the whole store is meant.
 */
memory_id: string | null, 
/**
 * Finding.
 */
finding: Finding, };

/**
 * Health of one store.
 */
export type StoreHealth = { 
/**
 * `memstore_…`
 */
store_id: string, 
/**
 * Its name.
 */
name: string, 
/**
 * Whose memory it holds.
 */
kind: StoreKind, 
/**
 * Why it could not be looked at or only in part, each a sentence.
 */
problems: Array<Message>, 
/**
 * Files in the directory now.
 */
files: number, 
/**
 * Their bytes.
 */
bytes: number, 
/**
 * Its indexes, by path. Those that sessions of the project load come from the top directory and `team/`.
 */
indexes: Array<IndexHealth>, 
/**
 * Tokens that its indexes cost each session: what is loaded of those marked `each_session`.
 */
index_tokens: number, 
/**
 * Kind of the tokens.
 */
tokens_kind: FigureKind, 
/**
 * Against the limits of a hosted store.
 */
hosted: HostedFit, 
/**
 * Findings that are errors.
 */
errors: number, 
/**
 * Findings that are warnings.
 */
warnings: number, 
/**
 * Findings that are notes.
 */
notes: number, 
/**
 * Findings that comments in memories allow.
 */
allowed: number, 
/**
 * Findings by group, in the order of the groups' names; groups without any are left out.
 */
groups: Array<GroupCount>, 
/**
 * When it last changed, and by whom.
 */
last_write_at: string | null, 
/**
 * Who did that; null when unknown.
 */
last_write_by: ActorView | null, 
/**
 * When the person at this machine last reviewed anything of it.
 */
last_review_at: string | null, 
/**
 * Changes left to review.
 */
unreviewed: number, 
/**
 * Loads by sessions; null when that was not asked for.
 */
loads: StoreLoads | null, 
/**
 * Proposals of what could go ([`super::Expiry`]), as far as they can be made without transcripts where these were not
 * asked for.
 */
expiry: number, };

/**
 * Whose memory a store holds.
 */
export type StoreKind = "claude-auto" | "claude-agent" | "memory-tool" | "codex" | "gemini" | "letta" | "openclaw" | "basic-memory" | "copilot" | "cline" | "plain" | "remote";

/**
 * Loads of a store by sessions. Only transcripts of main conversations on this machine are known; a session concerns
 * the store when it ran in its project, or loaded any of its memories.
 */
export type StoreLoads = { 
/**
 * Sessions that concern the store and tell what they loaded.
 */
sessions: number, 
/**
 * When a memory of it was last loaded.
 */
last_loaded_at: string | null, 
/**
 * The memory that was loaded then, and in how many sessions each was: by path.
 */
memories: Array<MemoryLoads>, 
/**
 * Memories that none of them loaded.
 */
never_loaded: number, };

/**
 * Names one store.
 */
export type StoreRef = { 
/**
 * Id or name.
 */
store: string, };

/**
 * State of a store.
 */
export type StoreState = "recording" | "paused" | "missing" | "moved" | "denied" | "limited";

/**
 * All stores, by name.
 */
export type Stores = { 
/**
 * The stores.
 */
stores: Array<Store>, };

/**
 * Takes characters that are not seen out of a memory, as an operation that `undo` takes back.
 */
export type StripCharactersReq = { 
/**
 * Store, id or name.
 */
store: string, 
/**
 * The memory.
 */
path: string, 
/**
 * Only what this rule finds, `hidden/name`; all rules of hidden characters when absent.
 */
rule: string | null, 
/**
 * Only the finding whose first byte this is.
 */
start: number | null, 
/**
 * Only on this line, from 1.
 */
line: number | null, 
/**
 * Hash the file must have now; the newest version's when absent.
 */
expect: string | null, 
/**
 * Say what would be done, and do nothing.
 */
dry_run: boolean, };

/**
 * Result of a sweep.
 */
export type Sweep = { 
/**
 * What ran under the settings in force, where recorded requests carry one; then no setting, which is always tried; then
 * every setting tried, in the order of the grid.
 */
points: Array<SweepPoint>, 
/**
 * Settings that were tried over how many transcripts.
 */
transcripts: number, 
/**
 * True if it was stopped before its end; `points` are those done.
 */
cancelled: boolean, 
/**
 * Warnings about the settings on these transcripts.
 */
warnings: Array<SimulationWarning>, 
/**
 * Requests in fast mode whose model has no known price for it: they are priced as others are, and all costs are lower
 * bounds.
 */
requests_fast_without_price: number, };

/**
 * One setting of a sweep.
 */
export type SweepPoint = { 
/**
 * The setting.
 */
variant: Variant, 
/**
 * Largest context over all transcripts.
 */
peak: number, 
/**
 * Price over all transcripts in US dollars; null where a model has none.
 */
cost_usd: number | null, 
/**
 * Input over all transcripts.
 */
input: number, 
/**
 * Results cleared and later needed.
 */
regrets: number, 
/**
 * Clearings.
 */
clears: number, 
/**
 * True if no other setting, and not doing without one, is as good in peak, cost and regrets and better in one. A setting
 * that is as none in all three is not.
 */
pareto: boolean, 
/**
 * True if it is what the others are compared with: what ran under the settings in force, else no setting.
 */
baseline: boolean, 
/**
 * True if it is what ran under the settings in force, each transcript under its own.
 */
in_force: boolean, 
/**
 * What the setting does, in a few words.
 */
what: Message, };

/**
 * Tries a grid of settings over transcripts.
 */
export type SweepReq = { 
/**
 * See [`ContextShowReq::transcript`]; several.
 */
transcripts: Array<string>, 
/**
 * The grid: a setting whose values may be lists under `"grid"`. See `docs/CONTEXT.md`.
 */
grid: unknown, 
/**
 * Name of the job, chosen by the caller; progress events carry it as `task`, and `cancel` takes it.
 */
job: string | null, 
/**
 * Model to price and default by, in place of the recorded one.
 */
model: string | null, 
/**
 * Life of the cache: `5m` or `1h`. As recorded when absent.
 */
cache_ttl: string | null, };

/**
 * One kind of thing that answers show and that commands and events change. An answer that shows a tag is to be read again
 * after the tag was changed.
 */
export type Tag = "log" | "files" | "stores" | "reviews" | "receipts" | "contents" | "runs" | "transcripts" | "writers" | "rules" | "variants" | "hosts" | "dreams" | "projects" | "broken" | "outside";

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
 * Tokens of one text.
 */
export type TokenCount = { 
/**
 * Name as given.
 */
file: string, 
/**
 * Model as given or assumed.
 */
model: string, 
/**
 * Tokenizer family: `v3`, `v4.7`, `v4.8`, `opus-5`; `o200k`, `cl100k`; `other` where it is not known.
 */
family: string, 
/**
 * True if the family was assumed because the model is not known.
 */
family_assumed: boolean, 
/**
 * Tokens of the content, without the frame of a message.
 */
tokens: number, 
/**
 * Kind of the figure.
 */
kind: FigureKind, 
/**
 * Believed bounds, ends included, where it is estimated.
 */
range: [number, number] | null, };

/**
 * Counts, in the order asked.
 */
export type Tokens = { 
/**
 * One a text.
 */
counts: Array<TokenCount>, };

/**
 * Counts texts.
 */
export type TokensReq = { 
/**
 * Texts to count, by name.
 */
texts: Array<NamedText>, 
/**
 * Model id; the newest family when absent.
 */
model: string | null, };

/**
 * State of the index of transcripts.
 */
export type TranscriptIndexState = { 
/**
 * True if it is being brought up to date now.
 */
running: boolean, 
/**
 * Files looked at in this run.
 */
done: number, 
/**
 * Of how many.
 */
total: number, 
/**
 * When it was last up to date; null when never.
 */
updated_at: string | null, };

/**
 * A file that could not be read.
 */
export type TranscriptProblem = { 
/**
 * Its path.
 */
path: string, 
/**
 * Why, in a sentence.
 */
reason: Message, };

/**
 * One session.
 */
export type TranscriptRow = { 
/**
 * Names the transcript in every other command: session id, or path where there is none.
 */
id: string, 
/**
 * The first characters of the id that tell it from all others here, eight at least: ids that begin with the time are
 * equal for longer. A path stands whole.
 */
short_id: string, 
/**
 * Path of the file.
 */
path: string, 
/**
 * `claude-code`, `codex`, …
 */
format: string, 
/**
 * Title; the first words typed where there is none.
 */
title: string | null, 
/**
 * The first line a person typed, which names it; absent where that is its title or nobody typed.
 */
first_prompt: string | null, 
/**
 * Working directory or the folder's slug.
 */
project: string | null, 
/**
 * Models, most used first.
 */
models: Array<string>, 
/**
 * Calls of the model, those of its subagents and sidechains among them.
 */
requests: number, 
/**
 * Largest recorded context; the largest that was counted where none is recorded (`peak_kind`).
 */
peak: number | null, 
/**
 * Kind of `peak`; null without one.
 */
peak_kind: FigureKind | null, 
/**
 * Price as recorded, in US dollars; null where a model has none or no input is recorded.
 */
cost_usd: number | null, 
/**
 * Price by the client's own figures, in US dollars; null where it records none.
 */
client_cost_usd: number | null, 
/**
 * True if the true price is higher, for one of the two reasons that follow.
 */
cost_is_lower_bound: boolean, 
/**
 * Requests for whose output the client recorded a placeholder, so that their output is at least what is recorded.
 */
requests_with_placeholder_output: number, 
/**
 * Requests in fast mode whose model has no known price for it: they are priced as others are.
 */
requests_fast_without_price: number, 
/**
 * Compactions in it.
 */
compactions: number, 
/**
 * Writes to memory files in it.
 */
memory_writes: number, 
/**
 * First and last time in it.
 */
started_at: string | null, 
/**
 * See `started_at`.
 */
ended_at: string | null, 
/**
 * Size of the file in bytes.
 */
bytes: number, 
/**
 * Transcript ids of its subagents and sidechains.
 */
subagents: Array<string>, 
/**
 * Lines that could not be read.
 */
malformed_lines: number, 
/**
 * Lines of unknown types.
 */
unknown_lines: number, };

/**
 * Sums over transcripts, each response counted once however many files repeat it.
 */
export type TranscriptTotals = { 
/**
 * Sessions.
 */
sessions: number, 
/**
 * Projects.
 */
projects: number, 
/**
 * Requests.
 */
requests: number, 
/**
 * Price in US dollars of those that have one.
 */
cost_usd: number, 
/**
 * Requests without a price: of a model that has none, or without recorded input.
 */
requests_without_price: number, 
/**
 * Of those that have one, requests for whose output the client recorded a placeholder.
 */
requests_with_placeholder_output: number, 
/**
 * Of those that have one, requests in fast mode whose model has no known price for it.
 */
requests_fast_without_price: number, };

/**
 * Transcripts and the state of their index.
 */
export type Transcripts = { 
/**
 * Sessions in the order asked for; those inside a session (subagents) are in it.
 */
transcripts: Array<TranscriptRow>, 
/**
 * Sums over all of them, not only those shown.
 */
totals: TranscriptTotals, 
/**
 * State of the index.
 */
index: TranscriptIndexState, 
/**
 * Files that could not be read, with the reason.
 */
problems: Array<TranscriptProblem>, };

/**
 * Asks for transcripts. The index is brought up to date in the background; the answer is what is known.
 */
export type TranscriptsReq = { 
/**
 * Words in title, project or id.
 */
query: string | null, 
/**
 * Order; the newest first when absent.
 */
sort: RunOrder | null, 
/**
 * Only this project (as in `TranscriptRow::project`).
 */
project: string | null, 
/**
 * Start bringing the index up to date when it is not being done.
 */
refresh: boolean, 
/**
 * Wait until the index is up to date before answering (the terminal does).
 */
wait: boolean, };

/**
 * Everything left to review, as rows.
 */
export type Triage = { 
/**
 * Changes of all rows.
 */
total: number, 
/**
 * Changes of the rows in `needs`.
 */
needs_total: number, 
/**
 * Changes of the rows in `routine`: none of them has a finding of severity warning or error.
 */
routine_total: number, 
/**
 * Rows that need a decision, the most urgent first.
 */
needs: Array<TriageRow>, 
/**
 * The other rows: clusters, the largest first; then sessions and writers, newest first; then what is as it was.
 */
routine: Array<TriageRow>, 
/**
 * Rules that sessions broke and nobody saw yet, the newest first; at most 200. They need a person as rows in `needs` do, are no
 * changes, and are left out where a store or a kind is asked for.
 */
broken: Array<BrokenRule>, 
/**
 * All of them.
 */
broken_total: number, };

/**
 * What the changes of a row of `triage` have in common.
 */
export type TriageKind = "single" | "deleted_together" | "same_edit" | "created_together" | "same_finding" | "session" | "writer" | "unchanged";

/**
 * Asks for everything this person has left to review, as rows.
 */
export type TriageReq = { 
/**
 * Only this store, id or name; all stores when absent.
 */
store: string | null, 
/**
 * Only memories of this kind, as in `inbox`; all when absent.
 */
kind: string | null, };

/**
 * A row: one change, or several that are reviewed together.
 */
export type TriageRow = { 
/**
 * Names the row for as long as it is listed: `mem_…` of a single change, else a name of the cluster.
 */
id: string, 
/**
 * What its changes have in common.
 */
kind: TriageKind, 
/**
 * Why it needs a decision; null in `routine`.
 */
reason: NeedReason | null, 
/**
 * The finding of the first change for which it does; null where the change itself is the reason.
 */
finding: Finding | null, 
/**
 * The newest version of each change, newest first: what a review of the row names.
 */
versions: Array<string>, 
/**
 * The first of these as items; all of them where a row has few.
 */
items: Array<InboxItem>, 
/**
 * The stores of its changes, `memstore_…`.
 */
stores: Array<string>, 
/**
 * The session, where all changes are of one.
 */
session: string | null, 
/**
 * Who; null where they are of several, or unknown.
 */
actor: ActorView | null, 
/**
 * When the oldest of its changes was recorded.
 */
started_at: string, 
/**
 * When the newest was.
 */
ended_at: string, };

/**
 * Messages of one request.
 */
export type Turn = { 
/**
 * Index of the request.
 */
request: number, 
/**
 * Position of the first message shown.
 */
from: number, 
/**
 * Messages the request sent, plus one for its answer; of these, those that hold what was searched for.
 */
total: number, 
/**
 * What stands before the messages: the system prompt (origin `system_prompt`) and the definitions of tools (`tools`), where
 * the request is recorded.
 */
preamble: Array<TurnMessage>, 
/**
 * The messages.
 */
messages: Array<TurnMessage>, 
/**
 * What asked, as the client recorded it. Null where it recorded nothing.
 */
source: string | null, 
/**
 * True where the client's digest proves the request; null where the client recorded nothing.
 */
proved: boolean | null, 
/**
 * Why it is not proved, in one sentence.
 */
reason: Message | null, };

/**
 * One block.
 */
export type TurnBlock = { 
/**
 * `text`, `thinking`, `tool_use`, `tool_result`, `image`, `document`, `attachment`, `compaction`, `unknown`,
 * `tool` for the definition of one.
 */
block: TurnBlockKind, 
/**
 * Name of the tool, type of the attachment, or empty.
 */
name: string, 
/**
 * Id of the tool use, for calls and results.
 */
tool_use_id: string | null, 
/**
 * The text, or the input as JSON. Cut at 20,000 characters.
 */
text: string, 
/**
 * True if `text` is cut.
 */
cut: boolean, 
/**
 * True if the tool failed.
 */
is_error: boolean, 
/**
 * Tokens, counted offline.
 */
tokens: number, 
/**
 * True if the setting would have cleared it at this request: it would be gone.
 */
cleared: boolean, };

/**
 * Kind of a block of a request.
 */
export type TurnBlockKind = "text" | "thinking" | "tool_use" | "tool_result" | "image" | "document" | "attachment" | "compaction" | "unknown" | "tool";

/**
 * One message.
 */
export type TurnMessage = { 
/**
 * Position in the request's list.
 */
position: number, 
/**
 * `user`, `assistant` or `system`.
 */
role: MessageRole, 
/**
 * `typed`, `model`, `tool_results`, `client`, `summary`, `synthetic`, `unsaid`; before the messages `system_prompt`, `tools`.
 */
origin: MessageOrigin, 
/**
 * When.
 */
time: string | null, 
/**
 * Line of the file.
 */
line: number, 
/**
 * True if it is the answer to this request.
 */
answer: boolean, 
/**
 * Its blocks.
 */
blocks: Array<TurnBlock>, };

/**
 * Asks for the messages around one request, with what a setting would have cleared.
 */
export type TurnReq = { 
/**
 * See [`ContextShowReq::transcript`].
 */
transcript: string, 
/**
 * Index of the request.
 */
request: number, 
/**
 * Setting whose clearings are marked.
 */
variant: Variant | null, 
/**
 * Messages from this position of the request's list; when absent, those that end with the answer.
 */
from: number | null, 
/**
 * At most so many messages; 40 when absent, 400 at most.
 */
limit: number | null, 
/**
 * Only messages and parts that hold this text, in any case of letters.
 */
find: string | null, };

/**
 * A recorded request without an answer in the transcript.
 */
export type UnansweredRequest = { 
/**
 * Its id, by which `context_request` shows it.
 */
id: string, 
/**
 * When it was made.
 */
time: string | null, 
/**
 * What asked: `sdk`, `compact`, `agent:…`.
 */
source: string, 
/**
 * Number of its messages.
 */
messages: number, };

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
 * Takes a review back. Where files were changed by it, they are put back as they were before.
 */
export type UndoReviewReq = { 
/**
 * The review; this person's newest one that counts when absent.
 */
review_seq: number | null, 
/**
 * Say what would be done, and do nothing.
 */
dry_run: boolean, };

/**
 * The operation that an undo takes back.
 */
export type UndoneAct = { 
/**
 * Its number.
 */
operation_seq: number, 
/**
 * Its cause, as in `Version`.
 */
source: ChangeSource, 
/**
 * When it was done.
 */
created_at: string, 
/**
 * Description, where it says so.
 */
note: Message | null, };

/**
 * What an undo makes of a rule or of breaks of rules, or would make of them.
 */
export type UndoneRuleAct = { 
/**
 * What becomes of them.
 */
becomes: RuleStanding, 
/**
 * The rule whose place on the list changes; null with breaks.
 */
rule_id: string | null, 
/**
 * Its sentence; null with breaks, and where a redaction took it out.
 */
sentence: string | null, 
/**
 * The breaks, by id, oldest first; empty with a rule.
 */
broken: Array<string>, 
/**
 * When the act was that is undone.
 */
created_at: string, };

/**
 * A setting with a name.
 */
export type Variant = { 
/**
 * Its name.
 */
name: string, 
/**
 * The value of `context_management` (`{"edits":[…]}`), `{"compaction_control":{…}}`, `{"compaction":{…},"at":…}`, or
 * `{}` for no editing.
 */
config: unknown, };

/**
 * Names a saved setting.
 */
export type VariantRef = { 
/**
 * Its name.
 */
name: string, };

/**
 * Settings that were saved.
 */
export type Variants = { 
/**
 * By name.
 */
variants: Array<Variant>, };

/**
 * A stretch of a line that is not the same in all changes.
 */
export type Varying = { 
/**
 * Where it starts.
 */
start: number, 
/**
 * Where it ends.
 */
end: number, 
/**
 * Different texts at this place.
 */
values: number, };

/**
 * Decision of a review.
 */
export type Verdict = "approved" | "edited" | "rejected" | "up_to" | "own" | "undone";

/**
 * Result of verification.
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
 * Problems, each in a sentence.
 */
problems: Array<Message>, 
/**
 * True if the bytes are absent; null when not asked.
 */
absent: boolean | null, 
/**
 * With `absent`: where they were found.
 */
found_in: Array<Message>, 
/**
 * Things worth knowing, each a sentence.
 */
warnings: Array<Message>, };

/**
 * Verifies the log.
 */
export type VerifyReq = { 
/**
 * Also prove that these bytes are in no file of the data directory.
 */
absent_base64: string | null, 
/**
 * Forget what was redacted under a key that is gone: it is not kept out any more, and imports go on.
 */
forget_lost_key: boolean, };

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
operation: VersionOperation, 
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
content_kind: ContentKind | null, 
/**
 * When it was recorded; of a rebuilt one, when it truly was.
 */
created_at: string, 
/**
 * When it was recorded, or rebuilt.
 */
recorded_at: string, 
/**
 * True if it lies before what was observed, and was rebuilt from what others kept. Lists show these after the observed
 * ones, by the time at which they were.
 */
rebuilt: boolean, 
/**
 * True if it is rebuilt and its operation was undone: lists leave it out.
 */
withdrawn: boolean, 
/**
 * When it was written, where that was before it came to stand at `created_at`: on a branch, or elsewhere.
 */
written_at: string | null, 
/**
 * Where it is the first sight of a memory that others kept the past of: the rebuilt version that had left exactly this.
 */
baseline_of: BaselineOf | null, 
/**
 * Who; null when unknown.
 */
created_by: ActorView | null, 
/**
 * The session that wrote it, with its title, where one is known.
 */
origin: OriginNote | null, 
/**
 * Act of a person that put back with it what was written before: `origin` is of that writer, `created_by` the
 * person.
 */
put_back: PutBack | null, 
/**
 * Cause: `scan`, `rollback`, `restore`, `redact`, `api`, `tool`, `import`, `rebuilt`.
 */
source: ChangeSource, 
/**
 * Why, where a reason was given.
 */
note: Message | null, 
/**
 * When it was redacted.
 */
redacted_at: string | null, 
/**
 * By whom.
 */
redacted_by: ActorView | null, };

/**
 * Change of a memory by a version.
 */
export type VersionOperation = "created" | "modified" | "deleted";

/**
 * Takes queued changes back.
 */
export type WithdrawReq = { 
/**
 * Their numbers.
 */
ids: Array<number>, };

/** Every command: what it takes and what it gives. */
export type Commands = {
  status: { request: Nothing; response: Status; writes: false };
  stores: { request: Nothing; response: Stores; writes: false };
  discover: { request: DiscoverReq; response: Discovered; writes: false };
  new_projects: { request: Nothing; response: NewProjects; writes: false };
  set_new_projects: { request: NewProjectsReq; response: NewProjects; writes: true };
  opening: { request: Nothing; response: Opening; writes: false };
  memories: { request: MemoriesReq; response: Memories; writes: false };
  document: { request: DocumentReq; response: Document; writes: false };
  instructions: { request: InstructionsReq; response: Instructions; writes: false };
  instruction: { request: InstructionReq; response: Document; writes: false };
  clients: { request: Nothing; response: Clients; writes: false };
  agent_snapshot: { request: StoreRef; response: AgentSnapshot; writes: false };
  log: { request: LogReq; response: LogPage; writes: false };
  timeline: { request: TimelineReq; response: TimelinePage; writes: false };
  activity: { request: ActivityReq; response: Activity; writes: false };
  show: { request: ShowReq; response: Shown; writes: false };
  diff: { request: DiffReq; response: DiffResult; writes: false };
  search: { request: SearchReq; response: SearchResult; writes: false };
  receipts: { request: Nothing; response: Receipts; writes: false };
  check: { request: CheckReq; response: Checked; writes: false };
  findings: { request: FindingsReq; response: Findings; writes: false };
  health: { request: HealthReq; response: Health; writes: false };
  memory_loads: { request: MemoryLoadsReq; response: MemoryLoaded; writes: false };
  expiry: { request: ExpiryReq; response: Expiry; writes: false };
  expire: { request: ExpireReq; response: ActResult; writes: true };
  move_entry: { request: MoveEntryReq; response: ActResult; writes: true };
  allow_finding: { request: AllowFindingReq; response: ActResult; writes: true };
  strip_characters: { request: StripCharactersReq; response: ActResult; writes: true };
  finding_rules: { request: Nothing; response: FindingRules; writes: false };
  set_finding_rule: { request: SetFindingRule; response: FindingRules; writes: true };
  memory_rules: { request: MemoryRulesReq; response: MemoryRules; writes: false };
  add_memory_rule: { request: AddMemoryRule; response: MemoryRule; writes: true };
  add_memory_rules: { request: AddMemoryRules; response: MemoryRules; writes: true };
  list_memory_rule: { request: ListMemoryRule; response: MemoryRule; writes: true };
  guard_rule: { request: GuardRule; response: GuardedRule; writes: true };
  propose_rules: { request: ProposeRulesReq; response: ProposedRules; writes: false };
  adherence: { request: AdherenceReq; response: Adherence; writes: false };
  memory_worth: { request: MemoryWorthReq; response: MemoriesWorth; writes: false };
  broken_rules: { request: BrokenRulesReq; response: BrokenRules; writes: false };
  see_broken_rules: { request: SeeBrokenRules; response: BrokenRules; writes: true };
  check_memory_rule: { request: CheckRuleReq; response: CheckedRule; writes: false };
  verify: { request: VerifyReq; response: Verified; writes: false };
  add_store: { request: AddStore; response: Store; writes: true };
  remove_store: { request: StoreRef; response: Store; writes: true };
  pause_store: { request: StoreRef; response: Store; writes: true };
  resume_store: { request: StoreRef; response: Store; writes: true };
  relocate_store: { request: RelocateStoreReq; response: Relocated; writes: true };
  scan: { request: ScanReq; response: Scanned; writes: true };
  share_store: { request: ShareStoreReq; response: Store; writes: true };
  mount_store: { request: MountStoreReq; response: Store; writes: true };
  rollback: { request: RollbackReq; response: ActResult; writes: true };
  restore: { request: RestoreReq; response: ActResult; writes: true };
  undo: { request: UndoReq; response: ActResult; writes: true };
  blame: { request: BlameReq; response: Blame; writes: false };
  import_git: { request: ImportGitReq; response: ImportResult; writes: true };
  import_transcripts: { request: ImportTranscriptsReq; response: ImportResult; writes: true };
  import_bundle: { request: ImportBundleReq; response: ImportResult; writes: true };
  export_store: { request: ExportStoreReq; response: ExportedStore; writes: false };
  redact: { request: RedactReq; response: ActResult; writes: true };
  memory_tool: { request: MemoryToolReq; response: MemoryToolAnswer; writes: true };
  recheck_receipt: { request: ReceiptRef; response: Receipt; writes: true };
  tokens: { request: TokensReq; response: Tokens; writes: false };
  transcripts: { request: TranscriptsReq; response: Transcripts; writes: false };
  context_show: { request: ContextShowReq; response: ContextShow; writes: false };
  context_composition: { request: CompositionReq; response: Composition; writes: false };
  context_request: { request: RequestBodyReq; response: RequestBody; writes: false };
  context_simulate: { request: SimulateReq; response: Simulations; writes: false };
  context_lines: { request: LinesReq; response: SimulatedLines; writes: false };
  context_turn: { request: TurnReq; response: Turn; writes: false };
  context_sweep: { request: SweepReq; response: Sweep; writes: false };
  context_recommend: { request: RecommendReq; response: Recommendation; writes: false };
  context_memory: { request: MemoryPricesReq; response: MemoryPrices; writes: false };
  context_deployed: { request: DeployedReq; response: Deployed; writes: false };
  context_export: { request: ExportReq; response: Exported; writes: false };
  presence: { request: PresenceReq; response: Presence; writes: false };
  presence_lane: { request: PresenceLaneReq; response: PresenceLane; writes: false };
  reach: { request: ReachReq; response: Reach; writes: false };
  change_reach: { request: ChangeReachReq; response: ChangeReach; writes: false };
  prices: { request: Nothing; response: Prices; writes: false };
  origin: { request: OriginReq; response: Origin; writes: false };
  session_writes: { request: SessionRef; response: SessionWrites; writes: false };
  session: { request: SessionRef; response: Session; writes: false };
  inbox: { request: InboxReq; response: Inbox; writes: false };
  inbox_kinds: { request: InboxKindsReq; response: InboxKinds; writes: false };
  triage: { request: TriageReq; response: Triage; writes: false };
  inbox_items: { request: InboxItemsReq; response: InboxItems; writes: false };
  cluster_difference: { request: ClusterDifferenceReq; response: ClusterDifference; writes: false };
  review: { request: ReviewReq; response: Reviewed; writes: true };
  review_report: { request: ReviewReportReq; response: Exported; writes: false };
  review_up_to: { request: ReviewUpToReq; response: Reviewed; writes: true };
  undo_review: { request: UndoReviewReq; response: Reviewed; writes: true };
  variants: { request: Nothing; response: Variants; writes: false };
  save_variant: { request: Variant; response: Variants; writes: true };
  remove_variant: { request: VariantRef; response: Variants; writes: true };
  context_confirm: { request: ConfirmReq; response: Confirmed; writes: true };
  counter_status: { request: Nothing; response: CounterStatus; writes: false };
  set_counter_key: { request: CounterKeyReq; response: CounterStatus; writes: true };
  hosted_stores: { request: HostRef; response: HostedStores; writes: false };
  remotes: { request: Nothing; response: Remotes; writes: false };
  add_remote: { request: AddRemoteReq; response: Store; writes: true };
  pull_remote: { request: PullReq; response: Pulled; writes: true };
  push_remote: { request: RemoteRef; response: Pushed; writes: true };
  remote_queue: { request: RemoteRef; response: RemoteQueue; writes: false };
  withdraw_queued: { request: WithdrawReq; response: RemoteQueue; writes: true };
  queued_conflict: { request: QueuedRef; response: QueuedConflict; writes: false };
  retry_queued: { request: RetryQueuedReq; response: RemoteQueue; writes: true };
  archive_remote: { request: StoreRef; response: RemoteQueue; writes: true };
  set_host_key: { request: HostKeyReq; response: Remotes; writes: true };
  dreams: { request: DreamsReq; response: Dreams; writes: false };
  plan_dream: { request: CreateDreamReq; response: DreamPlan; writes: false };
  create_dream: { request: CreateDreamReq; response: Dream; writes: true };
  cancel_dream: { request: DreamRef; response: Dream; writes: true };
  archive_dream: { request: DreamRef; response: Dream; writes: true };
  compare_stores: { request: CompareStoresReq; response: StoreComparison; writes: false };
  accept_memories: { request: AcceptMemoriesReq; response: ActResult; writes: true };
  check_mounts: { request: MountsReq; response: Mounts; writes: false };
  hub_status: { request: Nothing; response: HubStatus; writes: false };
  hub_join: { request: HubJoinReq; response: HubStatus; writes: true };
  hub_leave: { request: HubLeaveReq; response: HubStatus; writes: true };
  hub_send: { request: HubSendReq; response: HubStatus; writes: true };
  hub_sync: { request: HubSyncReq; response: HubSynced; writes: true };
  hub_versions: { request: HubVersionsReq; response: HubVersions; writes: false };
  hub_token: { request: HubTokenReq; response: HubToken; writes: true };
  hub_machines: { request: Nothing; response: HubMachines; writes: false };
  hub_set_role: { request: HubRoleReq; response: HubMachines; writes: true };
  hub_remove_machine: { request: HubMachineRef; response: HubMachines; writes: true };
  hub_sign_in: { request: Nothing; response: HubSignIn; writes: true };
  hub_finish_sign_in: { request: HubSignInReq; response: HubSignInState; writes: true };
  hub_sign_out: { request: Nothing; response: HubStatus; writes: true };
  hub_policy: { request: Nothing; response: HubPolicy; writes: false };
  hub_set_policy: { request: HubPolicyReq; response: HubPolicy; writes: true };
  hub_audit: { request: HubAuditReq; response: HubAudit; writes: false };
  hub_agent_token: { request: HubAgentTokenReq; response: HubAgentTokenMade; writes: true };
  hub_agent_tokens: { request: Nothing; response: HubAgentTokens; writes: false };
  hub_agent_token_revoke: { request: HubAgentTokenRef; response: HubAgentTokens; writes: true };
  hub_background: { request: HubBackgroundReq; response: HubStatus; writes: true };
  hub_accept: { request: HubAcceptReq; response: HubStatus; writes: true };
  hub_inbox: { request: HubInboxReq; response: HubInbox; writes: false };
  hub_history: { request: HubHistoryReq; response: HubHistory; writes: false };
  hub_show: { request: HubShowReq; response: HubShown; writes: false };
  hub_diff: { request: HubDiffReq; response: FileDiff; writes: false };
  hub_approve: { request: HubApproveReq; response: HubApproved; writes: true };
  hub_comment: { request: HubCommentReq; response: HubShown; writes: true };
  hub_remove_comment: { request: HubCommentRef; response: HubShown; writes: true };
  hub_projects: { request: Nothing; response: HubProjects; writes: false };
  hub_share_sessions: { request: HubShareReq; response: HubStatus; writes: true };
  hub_sessions: { request: HubSessionsReq; response: HubSessions; writes: false };
  hub_presence: { request: HubPresenceReq; response: HubPresence; writes: false };
  hub_adherence: { request: HubAdherenceReq; response: HubAdherence; writes: false };
  hub_redactions: { request: Nothing; response: HubRedactions; writes: false };
  hub_approve_redaction: { request: HubRedactionRef; response: HubRedactions; writes: true };
  hub_recheck_redaction: { request: HubRedactionRef; response: HubRedactions; writes: true };
  hub_acknowledge: { request: HubAcknowledgeReq; response: HubStatus; writes: true };
  hub_propose: { request: HubProposeReq; response: HubProposal; writes: true };
  hub_proposals: { request: Nothing; response: HubProposals; writes: false };
  hub_accept_proposal: { request: HubProposalRef; response: HubProposal; writes: true };
  hub_refuse_proposal: { request: HubProposalRef; response: HubProposal; writes: true };
  hub_withdraw_proposal: { request: HubProposalRef; response: HubProposal; writes: true };
  cancel: { request: JobRef; response: Cancelled; writes: true };
};

/** What the answer of a command shows; of a command that writes, the answer of its preview. */
export const PROVIDES: { readonly [Name in keyof Commands]: readonly Tag[] } = {
  status: ["log", "stores", "reviews", "receipts", "rules", "broken", "hosts"],
  stores: ["log", "stores", "reviews"],
  discover: ["stores", "projects"],
  new_projects: ["stores", "projects"],
  set_new_projects: [],
  opening: ["log", "stores", "rules", "transcripts"],
  memories: ["log", "stores"],
  document: ["files", "contents"],
  instructions: ["log", "files", "stores", "outside"],
  instruction: ["log", "files", "stores", "outside", "contents"],
  clients: ["outside"],
  agent_snapshot: ["log", "files", "stores", "outside", "contents"],
  log: ["log", "writers"],
  timeline: ["log", "stores", "writers"],
  activity: ["log"],
  show: ["writers", "contents"],
  diff: ["files", "contents"],
  search: ["log", "contents"],
  receipts: ["receipts", "hosts"],
  check: ["files", "rules"],
  findings: ["log", "files", "reviews", "rules"],
  health: ["log", "stores", "rules"],
  memory_loads: ["log", "transcripts"],
  expiry: ["log", "stores", "rules"],
  expire: ["log", "files"],
  move_entry: ["log", "files"],
  allow_finding: ["log", "files"],
  strip_characters: ["log", "files"],
  finding_rules: ["log", "rules"],
  set_finding_rule: [],
  memory_rules: ["rules"],
  add_memory_rule: [],
  add_memory_rules: [],
  list_memory_rule: [],
  guard_rule: ["rules", "transcripts"],
  propose_rules: ["log", "rules", "transcripts"],
  adherence: ["log", "rules", "transcripts"],
  memory_worth: ["log", "rules", "runs", "transcripts"],
  broken_rules: ["rules", "broken"],
  see_broken_rules: [],
  check_memory_rule: ["rules"],
  verify: ["log"],
  add_store: [],
  remove_store: [],
  pause_store: [],
  resume_store: [],
  relocate_store: ["log", "stores"],
  scan: [],
  share_store: [],
  mount_store: [],
  rollback: ["log", "files"],
  restore: ["log", "files"],
  undo: ["log", "files", "rules", "broken"],
  blame: ["files", "writers", "contents"],
  import_git: ["receipts"],
  import_transcripts: ["receipts"],
  import_bundle: ["receipts"],
  export_store: [],
  redact: [],
  memory_tool: [],
  recheck_receipt: [],
  tokens: [],
  transcripts: ["transcripts"],
  context_show: ["runs"],
  context_composition: ["runs"],
  context_request: ["runs"],
  context_simulate: ["runs"],
  context_lines: ["runs"],
  context_turn: ["runs"],
  context_sweep: ["runs"],
  context_recommend: ["runs"],
  context_memory: ["transcripts", "runs"],
  context_deployed: ["runs"],
  context_export: ["runs"],
  presence: ["log", "runs", "transcripts"],
  presence_lane: ["log", "runs", "transcripts"],
  reach: ["log", "runs", "transcripts"],
  change_reach: ["log", "runs", "transcripts"],
  prices: [],
  origin: ["log", "writers"],
  session_writes: ["writers"],
  session: ["log", "stores", "reviews", "writers", "runs"],
  inbox: ["log", "stores", "reviews", "rules", "writers"],
  inbox_kinds: ["log", "stores", "reviews"],
  triage: ["log", "stores", "reviews", "rules", "writers", "broken"],
  inbox_items: ["log", "stores", "reviews", "rules", "writers"],
  cluster_difference: ["log", "reviews", "contents"],
  review: [],
  review_report: ["log", "reviews"],
  review_up_to: [],
  undo_review: [],
  variants: ["variants"],
  save_variant: [],
  remove_variant: [],
  context_confirm: [],
  counter_status: ["hosts"],
  set_counter_key: [],
  hosted_stores: [],
  remotes: ["log", "stores", "hosts"],
  add_remote: [],
  pull_remote: [],
  push_remote: [],
  remote_queue: ["log", "hosts"],
  withdraw_queued: [],
  queued_conflict: ["log", "hosts", "contents"],
  retry_queued: [],
  archive_remote: [],
  set_host_key: [],
  dreams: ["dreams"],
  plan_dream: ["hosts"],
  create_dream: [],
  cancel_dream: [],
  archive_dream: [],
  compare_stores: ["log", "files"],
  accept_memories: ["log", "files"],
  check_mounts: ["log", "stores"],
  hub_status: ["stores", "hosts"],
  hub_join: [],
  hub_leave: [],
  hub_send: [],
  hub_sync: [],
  hub_versions: ["outside"],
  hub_token: [],
  hub_machines: ["hosts"],
  hub_set_role: [],
  hub_remove_machine: [],
  hub_sign_in: [],
  hub_finish_sign_in: [],
  hub_sign_out: [],
  hub_policy: ["hosts"],
  hub_set_policy: [],
  hub_audit: ["outside", "hosts"],
  hub_agent_token: [],
  hub_agent_tokens: ["hosts"],
  hub_agent_token_revoke: [],
  hub_background: [],
  hub_accept: [],
  hub_inbox: ["outside", "hosts"],
  hub_history: ["outside", "hosts"],
  hub_show: ["outside", "hosts", "contents"],
  hub_diff: ["outside", "hosts", "contents"],
  hub_approve: [],
  hub_comment: [],
  hub_remove_comment: [],
  hub_projects: ["outside", "hosts"],
  hub_share_sessions: [],
  hub_sessions: ["outside", "hosts"],
  hub_presence: ["outside", "hosts"],
  hub_adherence: ["outside", "hosts"],
  hub_redactions: ["outside", "hosts"],
  hub_approve_redaction: [],
  hub_recheck_redaction: [],
  hub_acknowledge: [],
  hub_propose: [],
  hub_proposals: ["outside", "hosts"],
  hub_accept_proposal: [],
  hub_refuse_proposal: [],
  hub_withdraw_proposal: [],
  cancel: [],
};

/** What a command changes when it is no preview. */
export const INVALIDATES: { readonly [Name in keyof Commands]: readonly Tag[] } = {
  status: [],
  stores: [],
  discover: [],
  new_projects: [],
  set_new_projects: ["projects"],
  opening: [],
  memories: [],
  document: [],
  instructions: [],
  instruction: [],
  clients: [],
  agent_snapshot: [],
  log: [],
  timeline: [],
  activity: [],
  show: [],
  diff: [],
  search: [],
  receipts: [],
  check: [],
  findings: [],
  health: [],
  memory_loads: [],
  expiry: [],
  expire: ["log", "files"],
  move_entry: ["log", "files"],
  allow_finding: ["log", "files"],
  strip_characters: ["log", "files"],
  finding_rules: [],
  set_finding_rule: ["rules"],
  memory_rules: [],
  add_memory_rule: ["rules"],
  add_memory_rules: ["rules"],
  list_memory_rule: ["rules"],
  guard_rule: ["rules"],
  propose_rules: [],
  adherence: [],
  memory_worth: [],
  broken_rules: [],
  see_broken_rules: ["broken"],
  check_memory_rule: [],
  verify: [],
  add_store: ["log", "files", "stores"],
  remove_store: ["log", "files", "stores"],
  pause_store: ["log", "files", "stores"],
  resume_store: ["log", "files", "stores"],
  relocate_store: ["log", "files", "stores"],
  scan: ["log", "files", "stores"],
  share_store: ["stores"],
  mount_store: ["log", "files", "stores"],
  rollback: ["log", "files"],
  restore: ["log", "files"],
  undo: ["log", "files", "hosts", "rules", "broken"],
  blame: [],
  import_git: ["log", "files", "writers"],
  import_transcripts: ["log", "files", "writers"],
  import_bundle: ["log", "files", "writers"],
  export_store: [],
  redact: ["log", "files", "stores", "reviews", "receipts", "contents", "runs", "transcripts", "writers", "variants"],
  memory_tool: ["log", "files", "stores"],
  recheck_receipt: ["log", "files", "stores", "reviews", "receipts", "contents", "runs", "transcripts", "writers", "variants"],
  tokens: [],
  transcripts: [],
  context_show: [],
  context_composition: [],
  context_request: [],
  context_simulate: [],
  context_lines: [],
  context_turn: [],
  context_sweep: [],
  context_recommend: [],
  context_memory: [],
  context_deployed: [],
  context_export: [],
  presence: [],
  presence_lane: [],
  reach: [],
  change_reach: [],
  prices: [],
  origin: [],
  session_writes: [],
  session: [],
  inbox: [],
  inbox_kinds: [],
  triage: [],
  inbox_items: [],
  cluster_difference: [],
  review: ["log", "files", "reviews"],
  review_report: [],
  review_up_to: ["log", "files", "reviews"],
  undo_review: ["log", "files", "reviews"],
  variants: [],
  save_variant: ["variants"],
  remove_variant: ["variants"],
  context_confirm: ["hosts"],
  counter_status: [],
  set_counter_key: ["hosts"],
  hosted_stores: [],
  remotes: [],
  add_remote: ["log", "files", "stores", "hosts"],
  pull_remote: ["log", "files", "stores", "hosts"],
  push_remote: ["log", "files", "stores", "hosts"],
  remote_queue: [],
  withdraw_queued: ["log", "files", "stores", "reviews", "hosts"],
  queued_conflict: [],
  retry_queued: ["log", "files", "stores", "hosts"],
  archive_remote: ["stores", "hosts"],
  set_host_key: ["stores", "hosts"],
  dreams: [],
  plan_dream: [],
  create_dream: ["dreams", "hosts"],
  cancel_dream: ["dreams", "hosts"],
  archive_dream: ["dreams", "hosts"],
  compare_stores: [],
  accept_memories: ["log", "files", "hosts"],
  check_mounts: [],
  hub_status: [],
  hub_join: ["hosts"],
  hub_leave: ["hosts", "rules"],
  hub_send: ["hosts"],
  hub_sync: ["hosts", "log", "files", "reviews", "receipts", "rules", "contents"],
  hub_versions: [],
  hub_token: [],
  hub_machines: [],
  hub_set_role: ["hosts"],
  hub_remove_machine: ["hosts"],
  hub_sign_in: [],
  hub_finish_sign_in: ["hosts"],
  hub_sign_out: ["hosts"],
  hub_policy: [],
  hub_set_policy: ["hosts"],
  hub_audit: [],
  hub_agent_token: ["hosts"],
  hub_agent_tokens: [],
  hub_agent_token_revoke: ["hosts"],
  hub_background: ["hosts"],
  hub_accept: ["hosts"],
  hub_inbox: [],
  hub_history: [],
  hub_show: [],
  hub_diff: [],
  hub_approve: ["hosts"],
  hub_comment: ["hosts"],
  hub_remove_comment: ["hosts"],
  hub_projects: [],
  hub_share_sessions: ["hosts"],
  hub_sessions: [],
  hub_presence: [],
  hub_adherence: [],
  hub_redactions: [],
  hub_approve_redaction: ["hosts"],
  hub_recheck_redaction: ["hosts"],
  hub_acknowledge: ["hosts"],
  hub_propose: ["hosts"],
  hub_proposals: [],
  hub_accept_proposal: ["log", "files", "reviews", "hosts"],
  hub_refuse_proposal: ["hosts"],
  hub_withdraw_proposal: ["hosts"],
  cancel: [],
};

/** What changed when an event arrives. */
export const EVENT_TAGS: Readonly<Record<Event["type"], readonly Tag[]>> = {
  advanced: ["log", "files"],
  stores: ["stores", "reviews", "hosts"],
  receipts: ["log", "files", "reviews", "receipts", "contents", "runs", "transcripts", "writers", "variants"],
  transcripts: ["transcripts"],
  origins: ["writers"],
  projects: ["projects"],
  broken: ["broken"],
  progress: [],
};
