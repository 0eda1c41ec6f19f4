//! Rows of the log as they are read from it and given to it.

use crate::{
    Actor, MemoryId, ReceiptId, RelPath, Sha256, Source, StoreId, StoreKind, Timestamp, Verdict,
    VersionOperation,
};
use retrace_message::Message;

/// Filters for versions; all given ones must hold.
#[derive(Clone, Debug, Default)]
pub struct VersionFilter {
    /// Of this store.
    pub store: Option<StoreId>,
    /// Of this memory.
    pub memory: Option<MemoryId>,
    /// Of memories that have been at this path, or below it.
    pub path: Option<RelPath>,
    /// With this operation.
    pub operation: Option<VersionOperation>,
    /// By an actor with this name, recorded, or joined by exact content or as likely, also where a person's act put back what
    /// they wrote; an empty text means unknown.
    pub actor: Option<String>,
    /// Recorded not before; of rebuilt ones, and of a mirror's, when they happened.
    pub since: Option<Timestamp>,
    /// Recorded not after; of rebuilt ones, and of a mirror's, when they happened.
    pub until: Option<Timestamp>,
    /// Of this operation.
    pub operation_seq: Option<u64>,
    /// Only redacted ones.
    pub only_redacted: bool,
    /// Behind this version in the order of the answer; the number of an observed version is its place in the log.
    pub before: Option<u64>,
    /// After this place in the log.
    pub after: Option<u64>,
    /// Leave out what was rebuilt.
    pub observed_only: bool,
    /// At most so many; 0 means no limit.
    pub limit: u64,
}

/// One answer, or one candidate, for a version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OriginRow {
    /// The session; `None` when unknown.
    pub session: Option<String>,
    /// Confidence: the printed form of an [`Evidence`], or `unknown`.
    pub confidence: String,
    /// Basis: one word of whoever joined.
    pub basis: String,
    /// Number of calls in a row that made the content.
    pub steps: u64,
    /// Who in the session.
    pub role: Option<String>,
    /// The subagent's id.
    pub agent: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// Path of the transcript, as bytes.
    pub transcript: Option<Vec<u8>>,
    /// Where the call stands in it.
    pub call: Option<CallPlace>,
}

/// Where a call stands in a transcript.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallPlace {
    /// Conversation of the file.
    pub conversation: u64,
    /// The message.
    pub message: u64,
    /// The block of the message.
    pub block: u64,
    /// Number of the change among those of the call.
    pub part: u64,
    /// Line of the file, from 1.
    pub line: u64,
    /// The turn, from 1.
    pub turn: Option<u64>,
    /// Name of the tool.
    pub tool: String,
    /// Id of the call.
    pub tool_use_id: Option<String>,
    /// When.
    pub at: Option<Timestamp>,
}

/// A mirror, as far as it is more than a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteRow {
    /// The mirror.
    pub store: StoreId,
    /// Base URL of its host, without `/v1`.
    pub base_url: String,
    /// Its id at the host.
    pub remote_id: String,
    /// Description at the host.
    pub description: String,
    /// The host's pairs, as a JSON object.
    pub metadata: String,
    /// When it was archived at the host.
    pub archived_at: Option<Timestamp>,
    /// When a pull last came to its end.
    pub pulled_at: Option<Timestamp>,
    /// Why the last pull or push did not come to its end.
    pub problem: Option<String>,
    /// A listing of versions was begun and did not come to its end.
    pub listing: bool,
    /// Where that listing goes on; from its beginning when there is none.
    pub cursor: Option<String>,
    /// Versions of the host that are known here.
    pub versions: u64,
    /// Of those, versions the host had redacted before they were mirrored.
    pub never_seen: u64,
    /// Of those, versions the host redacted since, and whose content is kept here.
    pub redacted_at_host: u64,
    /// Versions fetched and not appended yet.
    pub staged: u64,
    /// Its name at the host; `None` before a pull said it.
    pub host_name: Option<String>,
    /// Versions made after this instant of the host were walked through for those redacted there since; `None` where the next
    /// walk begins.
    pub swept_to: Option<Timestamp>,
    /// When such a walk last came to its end: all versions the host had were looked at.
    pub swept_at: Option<Timestamp>,
}

/// A mirror to add.
#[derive(Clone, Debug)]
pub struct NewRemote {
    /// Base URL of its host, without `/v1` and without a slash at its end.
    pub base_url: String,
    /// Its id at the host.
    pub remote_id: String,
    /// Its name here.
    pub name: String,
    /// Now.
    pub at: Timestamp,
}

/// A receipt about to be written.
#[derive(Debug)]
pub struct NewReceipt<'a> {
    /// The redaction's operation, appended before in the same transaction.
    pub operation_seq: u64,
    /// When.
    pub at: Timestamp,
    /// By whom.
    pub actor: &'a Actor,
    /// Why.
    pub reason: Option<&'a str>,
    /// Way the versions were chosen: `versions`, `find` or `secret`.
    pub method: &'a str,
    /// Number of versions that are masked.
    pub versions: u64,
}

/// One place a receipt speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// For people.
    pub place: Message,
    /// State.
    pub state: PlaceState,
    /// Number of hits.
    pub hits: u64,
    /// More, where there is more to say.
    pub detail: Option<Message>,
    /// The place is the log's own: what is left there is not done.
    pub owned: bool,
    /// Step that removes it, where something is left.
    pub remedy: Option<Message>,
}

impl Place {
    /// A place that is not the log's own.
    #[must_use]
    pub fn outside(place: Message, state: PlaceState, hits: u64, detail: Option<Message>) -> Self {
        Self { place, state, hits, detail, owned: false, remedy: None }
    }

    /// A place of the log's own, which is clean when nothing was found.
    #[must_use]
    pub fn own(place: Message, hits: u64, detail: Option<Message>) -> Self {
        let state = if hits == 0 { PlaceState::Clean } else { PlaceState::Left };
        Self { place, state, hits, detail, owned: true, remedy: None }
    }
}

/// A receipt.
#[derive(Clone, Debug)]
pub struct ReceiptRow {
    /// Its id.
    pub id: ReceiptId,
    /// The redaction's operation.
    pub operation_seq: u64,
    /// When.
    pub created_at: Timestamp,
    /// By whom.
    pub actor: Actor,
    /// Why.
    pub reason: Option<String>,
    /// Way the versions were chosen.
    pub method: String,
    /// Number of versions that were masked.
    pub versions: u64,
    /// Number of live files that were changed.
    pub live_files: u64,
    /// True if the purge is done.
    pub purged: bool,
    /// Head of the chain after it.
    pub chain_head: Sha256,
    /// Result of verifying the chain after the purge; `None` before.
    pub chain_verified: Option<bool>,
    /// Things worth knowing.
    pub warnings: Vec<Message>,
    /// Where was looked.
    pub places: Vec<Place>,
}

/// State of one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceState {
    /// Nothing.
    Clean,
    /// Something that was not to be changed, or could not be.
    Left,
    /// Not to be looked at from here.
    OutOfReach,
}

/// A store to add.
#[derive(Clone, Debug)]
pub struct NewStore {
    /// Whose memory it holds.
    pub kind: StoreKind,
    /// Its directory, as bytes.
    pub root: Vec<u8>,
    /// Its name.
    pub name: String,
    /// Now.
    pub at: Timestamp,
}

/// Identity of a store's directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorePlace {
    /// Number of the file system.
    pub device: u64,
    /// Number of the directory in it.
    pub file_id: u64,
    /// When the directory was made; `None` when that was not kept, or the file system does not say.
    pub made_nanos: Option<i64>,
    /// The boot of the machine in which they were seen.
    pub boot: Option<String>,
}

impl PlaceState {
    const WORDS: [(Self, &'static str); 3] =
        [(Self::Clean, "clean"), (Self::Left, "left"), (Self::OutOfReach, "out_of_reach")];

    /// The printed form.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::WORDS.iter().find(|(state, _)| *state == self).map_or("left", |(_, word)| word)
    }

    /// The state of a printed form.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(_, known)| *known == word).map(|(state, _)| *state)
    }
}

/// A break to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewBroken {
    /// Number of the rule.
    pub rule: u64,
    /// Tells it from every other break of the rule.
    pub mark: [u8; 16],
    /// When it was found.
    pub found_at: Timestamp,
    /// When the call was made.
    pub made_at: Option<Timestamp>,
    /// Id of the session.
    pub session: String,
    /// The transcript.
    pub transcript: String,
    /// True if a subagent did it.
    pub subagent: bool,
    /// The turn, from 1.
    pub turn: Option<u64>,
    /// Line of the transcript, from 1.
    pub line: u64,
    /// The call or the path.
    pub what: String,
    /// True if the rule's line was before the model; `None` where that was not known.
    pub present: Option<bool>,
    /// Why it was not.
    pub cause: Option<String>,
    /// How well that is known.
    pub grade: Option<String>,
}

/// A break as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptBroken {
    /// Its number.
    pub number: u64,
    /// What it is.
    pub broken: NewBroken,
    /// When a person saw it, and who; `None` while it needs one.
    pub seen: Option<(Timestamp, Actor)>,
}

/// An act of a person on a break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenAct {
    /// Its number.
    pub seq: u64,
    /// Number of the break.
    pub broken: u64,
    /// True if the person saw it; false where it was put back.
    pub is_seen: bool,
    /// When.
    pub at: Timestamp,
}

/// When a store changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActivityMark {
    /// Operation; the newest where several were joined.
    pub operation_seq: u64,
    /// Its time.
    pub at: Timestamp,
    /// Its cause.
    pub source: Source,
    /// Memories created, modified, deleted, in all that were joined.
    pub counts: (u64, u64, u64),
}

/// An act of review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewAct {
    /// Its number, from 1.
    pub seq: u64,
    /// Who.
    pub person: Actor,
    /// Their decision.
    pub verdict: Verdict,
    /// When.
    pub at: Timestamp,
    /// Why, where a reason was given.
    pub note: Option<String>,
    /// The operation that was appended with it.
    pub operation_seq: Option<u64>,
    /// The act it takes back.
    pub undoes: Option<u64>,
    /// The act that takes it back.
    pub undone_by: Option<u64>,
    /// Its digest in the chain of acts.
    pub digest: Sha256,
}

/// A hook that guards a rule, as it was put into an agent's settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptGuard {
    /// Number of the act.
    pub seq: u64,
    /// Number of the rule.
    pub rule: u64,
    /// When it was put in.
    pub at: Timestamp,
    /// True if it reminds and does not refuse.
    pub remind: bool,
    /// True if the settings were made for it.
    pub made_file: bool,
    /// The settings.
    pub file: String,
    /// What the hook runs.
    pub command: String,
    /// The stretch of text that was put in.
    pub inserted: String,
}

/// A rule as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptRule {
    /// Its number, which it keeps.
    pub number: u64,
    /// The rule as JSON.
    pub fields: String,
    /// When it was confirmed.
    pub added_at: Timestamp,
    /// When it was taken off the list, where it is not on it.
    pub removed_at: Option<Timestamp>,
    /// True if the act that added it was undone: nobody answered the proposal of it then.
    pub is_undone: bool,
}

/// A version as its host tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostVersion {
    /// Its id at the host, `memver_…`.
    pub id: String,
    /// Id of its memory at the host, `mem_…`.
    pub memory: String,
    /// Change.
    pub operation: VersionOperation,
    /// Path after it; `None` when the host redacted it.
    pub path: Option<RelPath>,
    /// Its content; `None` for a deletion and when the host redacted it.
    pub content: Option<Vec<u8>>,
    /// Who, as the host says.
    pub actor: Actor,
    /// When it was made at the host.
    pub happened_at: Timestamp,
    /// When the host redacted it.
    pub redacted_at: Option<Timestamp>,
}

/// A live memory of a mirror.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MirroredMemory {
    /// Where it lives here.
    pub path: RelPath,
    /// The memory here.
    pub memory: MemoryId,
    /// Place of its newest version here.
    pub head: u64,
    /// Its id at the host; `None` when none of its versions came from there.
    pub remote_memory: Option<String>,
    /// The host's newest version of it that is known here.
    pub remote_version: Option<String>,
}

/// A store as the API shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiStoreRow {
    /// Its id.
    pub id: StoreId,
    /// Place in the list of stores, from 1; a later store has a higher one.
    pub place: u64,
    /// Its name; several stores may have the same.
    pub name: String,
    /// Purpose; may be empty.
    pub description: String,
    /// The client's own pairs, as the JSON object they came as.
    pub metadata: String,
    /// Its directory; `None` when it lives in the log alone.
    pub directory: Option<Vec<u8>>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When name, description or metadata last changed, or it was archived.
    pub updated_at: Timestamp,
    /// When it was archived.
    pub archived_at: Option<Timestamp>,
}

/// A store to make for the API.
#[derive(Clone, Debug)]
pub struct NewApiStore {
    /// Its name.
    pub name: String,
    /// Purpose.
    pub description: String,
    /// The client's own pairs, as a JSON object.
    pub metadata: String,
    /// Now.
    pub at: Timestamp,
}

/// Memory and version that an act of review names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReviewedVersion {
    /// The memory.
    pub memory: MemoryId,
    /// Place of the version the person saw.
    pub reviewed_seq: u64,
    /// Place of the newest version the person knows from then on; not before `reviewed_seq`.
    pub through: u64,
}
