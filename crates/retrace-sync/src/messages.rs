//! Requests and answers as JSON. Hashes are 64 hexadecimal digits, bytes are base 64, times are microseconds since 1970.

use crate::chain::BadVersion;
use crate::people::SignedIn;
use crate::restored::{Restored, Seen};
use crate::together::{Ordered, Reached};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use retrace_model::{MemoryId, Sha256};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Version of the protocol.
pub const PROTOCOL: u32 = 1;

/// Versions in one request, at most.
pub const MAX_VERSIONS: usize = 1_000;

/// Contents in one request, at most.
pub const MAX_CONTENTS: usize = 1_000;

/// Bytes of one content, unpacked, at most.
pub const MAX_CONTENT_BYTES: usize = 64 << 20;

/// Bytes of a request's body, at most.
pub const MAX_BODY_BYTES: usize = 96 << 20;

/// Header with the hash of the body, in hexadecimal digits: by it a hub sees who signed a request before it reads a large body.
pub const BODY_HEADER: &str = "retrace-body";

/// How far the clocks of a request and of the hub may be apart, in microseconds.
pub const MAX_SKEW_MICROS: i64 = 5 * 60 * 1_000_000;

/// Bytes, written as base 64.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bytes(pub Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'_, str>::deserialize(deserializer)?;
        STANDARD.decode(text.as_bytes()).map(Self).map_err(D::Error::custom)
    }
}

/// A hash as a member.
pub mod hash {
    use retrace_model::Sha256;
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    /// Writes 64 hexadecimal digits.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(hash: &Sha256, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hash.to_hex())
    }

    /// Reads 64 hexadecimal digits.
    ///
    /// # Errors
    /// For anything else.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Sha256, D::Error> {
        let text = std::borrow::Cow::<'_, str>::deserialize(deserializer)?;
        Sha256::from_hex(&text).ok_or_else(|| D::Error::custom("64 hexadecimal digits are wanted"))
    }
}

/// What a hub says of itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hello {
    /// Version of the protocol.
    pub protocol: u32,
    /// Its time.
    pub time: i64,
    /// Its public key.
    pub public_key: Bytes,
    /// In the answer to a machine that belongs: its versions that the hub has without path and content. Fewer than the machine told
    /// it of are what a hub says that lost some redactions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redacted: Option<u64>,
    /// In the same answer: what the machine said last with [`Told`]; empty where it said nothing yet. Where that is another thing than
    /// the machine knows, the hub lost some of what it was told beside versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<String>,
    /// In the same answer: the newest row of the audit log, for the machine to show with its next requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<Seen>,
    /// In the same answer: the last time that the database was put back to an earlier state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restored: Option<Restored>,
}

/// Ends a sync of all stores: a hash of what the machine told beside versions, and of the reviews that it took.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Told {
    /// The hash. It means nothing to a hub, which gives it back.
    #[serde(with = "hash")]
    pub digest: Sha256,
}

/// A machine asks to be registered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Join {
    /// One-time token.
    pub token: String,
    /// Public key of the machine.
    pub public_key: Bytes,
    /// Signature of [`crate::sign::join_text`].
    pub signature: Bytes,
    /// Name of the machine, for people.
    pub name: String,
}

/// The machine is registered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Joined {
    /// Its organisation.
    pub org: String,
    /// Its id.
    pub machine: String,
    /// `owner`, `reviewer`, `writer` or `auditor`.
    pub role: String,
    /// Public key of the hub.
    pub hub_key: Bytes,
    /// Of a window: when it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends_at: Option<i64>,
    /// The name that it has there, which no other machine has; an older hub does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// A head that a hub signed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SignedHead {
    /// Number of links.
    pub seq: u64,
    /// Digest of the last one.
    #[serde(with = "hash")]
    pub digest: Sha256,
    /// When the hub signed it; 0 for an empty chain, which nobody signs.
    pub at: i64,
    /// Signature of [`crate::sign::head_text`].
    pub signature: Bytes,
    /// True where the hub lost the machine's own signature of it, and asks for it again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsigned: bool,
}

/// Signs a head once more that the hub has without the machine's signature.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SignHead {
    /// The store.
    pub store: String,
    /// Number of links.
    pub seq: u64,
    /// Digest of the last one.
    #[serde(with = "hash")]
    pub digest: Sha256,
    /// The machine's signature of the head, with time 0.
    pub signature: Bytes,
}

/// Names a store of the asking machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OfStore {
    /// The store.
    pub store: String,
    /// Its name now, where that is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Names a link of a chain of the asking machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LinkAt {
    /// The store.
    pub store: String,
    /// Place of the link.
    pub seq: u64,
}

/// A link.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Link {
    /// Its digest.
    #[serde(with = "hash")]
    pub digest: Sha256,
}

/// Versions for the end of a chain.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Append {
    /// The store.
    pub store: String,
    /// Its name, for people.
    pub name: String,
    /// Whose memory it holds.
    pub kind: String,
    /// Links before the first version.
    pub after_seq: u64,
    /// Digest of the last one of them.
    #[serde(with = "hash")]
    pub after: Sha256,
    /// The versions, in order.
    pub versions: Vec<SentVersion>,
    /// The machine's signature of the head after them, with time 0.
    pub signature: Bytes,
}

/// A version.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SentVersion {
    /// Place in the log of the machine.
    pub local_seq: u64,
    /// Operation in that log.
    pub operation_seq: u64,
    /// Its memory.
    pub memory: String,
    /// Kind of the change: `created`, `modified` or `deleted`.
    pub operation: String,
    /// What caused it.
    pub source: String,
    /// When it was recorded.
    pub created_at: i64,
    /// Leaf hash.
    #[serde(with = "hash")]
    pub leaf: Sha256,
    /// What it commits to.
    #[serde(with = "hash")]
    pub commitment: Sha256,
    /// True if the leaf hash covers nothing but these fields.
    pub observed: bool,
    /// Path and content; none when it is redacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened: Option<SentOpened>,
}

impl SentVersion {
    /// Its memory.
    ///
    /// # Errors
    /// [`BadVersion::Field`] where it is none.
    pub fn memory(&self) -> Result<MemoryId, BadVersion> {
        MemoryId::parse(&self.memory).map_err(|_| BadVersion::Field)
    }
}

/// Path and content of a version.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SentOpened {
    /// Bytes of the path.
    pub path: Bytes,
    /// Salt of the commitment; none where it covers more than is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub salt: Option<Bytes>,
    /// The content; none for a deletion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<SentContent>,
}

/// Hash and size of a content.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SentContent {
    /// Hash of the raw bytes.
    #[serde(with = "hash")]
    pub sha256: Sha256,
    /// Their number.
    pub size: u64,
}

/// Contents of versions that the hub has.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Contents {
    /// The store.
    pub store: String,
    /// The contents.
    pub contents: Vec<PackedContent>,
}

/// One content.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PackedContent {
    /// Hash of the raw bytes.
    #[serde(with = "hash")]
    pub sha256: Sha256,
    /// Number of the raw bytes.
    pub size: u64,
    /// The bytes, packed with zstd.
    pub packed: Bytes,
}

/// How many contents a hub took.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Taken {
    /// Contents that it did not have before.
    pub new: u64,
}

/// Versions that were redacted on the machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Redact {
    /// The store.
    pub store: String,
    /// Places in the log of the machine.
    pub local_seqs: Vec<u64>,
    /// The redaction, which is to reach the other machines; none from a machine that cannot say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Ordered>,
    /// Where in the contents of these versions the redacted bytes stood. The content of a version that is not named goes as a whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartsAt>,
}

/// Where in the content of a version the redacted bytes stood. The bytes themselves are told to nobody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartsAt {
    /// Its place in the log of the machine.
    pub local_seq: u64,
    /// First byte and the one after the last, of each place; none where the path alone held them.
    pub parts: Vec<(u64, u64)>,
}

/// What a redaction took from the hub.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Redacted {
    /// Versions masked now.
    pub versions: u64,
    /// Contents destroyed, their keys included.
    pub contents: u64,
    /// How far it reached the other machines.
    #[serde(default)]
    pub reached: Reached,
}

/// Asks for a page of the versions of all machines.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ListVersions {
    /// Where the page before ended.
    #[serde(default)]
    pub after: Option<String>,
    /// Versions of the page, at most.
    pub limit: u64,
}

/// A page of versions.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct VersionPage {
    /// The versions.
    pub versions: Vec<ListedVersion>,
    /// Where the next page begins; none after the last.
    pub next: Option<String>,
}

/// A version of any machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ListedVersion {
    /// The machine.
    pub machine: String,
    /// Its name.
    pub machine_name: String,
    /// The store.
    pub store: String,
    /// Its name.
    pub store_name: String,
    /// Place in the chain.
    pub seq: u64,
    /// The memory.
    pub memory: String,
    /// Kind of the change.
    pub operation: String,
    /// What caused it.
    pub source: String,
    /// When it was recorded.
    pub created_at: i64,
    /// Bytes of the path; none when it is redacted.
    pub path: Option<Bytes>,
    /// Hash of the content.
    pub content_sha256: Option<String>,
    /// Its size.
    pub size: Option<u64>,
    /// `kept`, `not_sent`, `expired`, `redacted`, or `none` for a deletion.
    pub content: String,
    /// True if it came in with an import that its machine took back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undone: bool,
}

/// A machine of the organisation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Machine {
    /// Its id.
    pub machine: String,
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: String,
    /// When it last called.
    pub seen_at: i64,
    /// How far its clock was ahead of the hub's, in microseconds.
    pub skew: i64,
    /// When it joined.
    #[serde(default)]
    pub joined_at: i64,
    /// When it left.
    pub left_at: Option<i64>,
    /// When an owner removed it.
    #[serde(default)]
    pub removed_at: Option<i64>,
    /// Of a window that the hub serves: when it ends. None of a machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends_at: Option<i64>,
    /// Who is signed in there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed_in: Option<SignedIn>,
    /// The copy of its data directory that was refused last, for thirty days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy: Option<RefusedCopy>,
}

/// A copy of a machine's data directory, which goes on under the same identity and is refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedCopy {
    /// When it last called.
    pub at: i64,
    /// The store whose chain showed it.
    pub store: String,
    /// Its name.
    pub store_name: Option<String>,
    /// The first version of that chain that the copy does not have, or has another one of.
    pub seq: u64,
}

/// Tells that this machine found itself to be a copy of another one's data directory: its chain is not the one at the hub.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CopyRefused {
    /// The store whose chain shows it.
    pub store: String,
    /// The first version of that chain that is not here, or is another one.
    pub seq: u64,
}

/// The machines of the organisation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Machines {
    /// The machines, by name.
    pub machines: Vec<Machine>,
    /// True if the organisation has an identity provider. A hub of before says nothing.
    #[serde(default)]
    pub sign_in: bool,
}

/// Says what the machine's own clock shows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Clock {
    /// Its time.
    pub time: i64,
}

/// Asks for a token with which one more machine can join.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NewToken {
    /// `owner`, `reviewer`, `writer` or `auditor`.
    pub role: String,
}

/// A token. It is told once; the hub keeps its hash.
#[derive(Clone, Serialize, Deserialize)]
pub struct Token {
    /// The token.
    pub token: String,
    /// The role it gives.
    pub role: String,
    /// When it ends.
    pub expires_at: i64,
}

/// An answer without content.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Done {}

/// An answer that something is refused.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Refusal {
    /// The error.
    pub error: Refused,
}

/// Why something is refused.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Refused {
    /// For programs; one of the constants of this module.
    #[serde(rename = "type")]
    pub kind: String,
    /// A sentence.
    pub message: String,
}

/// The chain has another head than the request says.
pub const HEAD_MOVED: &str = "head_moved";
/// A version, link or signature is not what it says.
pub const ALTERED: &str = "altered";
/// The clocks are too far apart.
pub const CLOCK_SKEW: &str = "clock_skew";
/// The very same signed request was carried out before.
pub const REPEATED: &str = "repeated";
/// The machine is not registered, or left.
pub const NOT_REGISTERED: &str = "not_registered";
/// The signature of the request does not fit.
pub const BAD_SIGNATURE: &str = "bad_signature";
/// The token is unknown, used or too old.
pub const BAD_TOKEN: &str = "bad_token";
/// The role may not do this.
pub const NOT_ALLOWED: &str = "not_allowed";
/// There is no such thing.
pub const NOT_FOUND: &str = "not_found";
/// The hub's own data does not fit together: a part of it is missing, or was changed past the hub.
pub const DAMAGED: &str = "damaged";
/// What it is about was redacted.
pub const REDACTED: &str = "redacted";
/// The request makes no sense.
pub const INVALID: &str = "invalid";
/// The person did not sign in: refused at the provider, too late, or its token is not believed.
pub const SIGN_IN_REFUSED: &str = "sign_in_refused";
/// Only a person who signed in may do this.
pub const SIGN_IN_WANTED: &str = "sign_in_wanted";
/// The identity provider is not reached, or refuses the hub.
pub const PROVIDER_FAILED: &str = "provider_failed";
/// The database cannot be reached at present.
pub const UNAVAILABLE: &str = "unavailable";

/// The machine is the last owner's, and nobody would be one without it.
pub const LAST_OWNER: &str = "last_owner";

/// Another person than the first is wanted.
pub const SECOND_PERSON: &str = "second_person_wanted";

/// Kinds that a further try would meet again.
pub const FINAL: &[&str] = &[
    HEAD_MOVED,
    LAST_OWNER,
    SECOND_PERSON,
    ALTERED,
    REPEATED,
    CLOCK_SKEW,
    NOT_REGISTERED,
    BAD_SIGNATURE,
    BAD_TOKEN,
    NOT_ALLOWED,
    NOT_FOUND,
    REDACTED,
    DAMAGED,
    INVALID,
    SIGN_IN_REFUSED,
    SIGN_IN_WANTED,
    PROVIDER_FAILED,
];
