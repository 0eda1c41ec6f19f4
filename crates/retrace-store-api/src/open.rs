//! Choices that the public sources leave open, and what Retrace does. `docs/COMPATIBILITY.md` has the same table for
//! readers.

use crate::Kind;

/// No beta header of the API, or none at all.
pub const BETA_MISSING: Kind = Kind::InvalidRequest;
/// `content: null` when a memory is created.
pub const CONTENT_NULL: Kind = Kind::InvalidRequest;
/// A path of the API with a method it does not take.
pub const WRONG_METHOD: Kind = Kind::Method;
/// A cursor that is none, or of another list.
pub const BAD_CURSOR: Kind = Kind::InvalidRequest;
/// A memory or version asked for under another store than its own.
pub const WRONG_STORE: Kind = Kind::NotFound;
/// Redacting the newest version of a live memory.
pub const REDACT_HEAD: Kind = Kind::InvalidRequest;
/// Writing to an archived store, or changing it.
pub const ARCHIVED: Kind = Kind::InvalidRequest;
/// One memory more than a store may hold.
pub const STORE_FULL: Kind = Kind::InvalidRequest;
/// A content above the limit, in a body below the limit of the transport.
pub const CONTENT_TOO_LARGE: Kind = Kind::InvalidRequest;
/// A body above [`BODY_BYTES`].
pub const BODY_TOO_LARGE: Kind = Kind::TooLarge;
/// Bytes of a request's body. The largest content takes six times its size when every byte of it is escaped; the rest fits
/// in what is left.
pub const BODY_BYTES: usize = 1024 * 1024;
/// A failed precondition is checked before a taken path is.
pub const PRECONDITION_BEFORE_PATH: bool = true;
/// A failed precondition is no error when the memory already is what the update would make it. Source: API reference of
/// August 2026; the sentence is not in the Python SDK 2.11.0.
pub const ALREADY_AS_WANTED: bool = true;
/// Redacting twice answers as the first time, with the first time's `redacted_at`.
pub const REDACT_TWICE: bool = true;
/// The version that records a deletion may be redacted, which takes its path.
pub const REDACT_DELETION: bool = true;
/// Archiving twice answers as the first time.
pub const ARCHIVE_TWICE: bool = true;
/// Stores are listed newest first.
pub const STORES_NEWEST_FIRST: bool = true;
/// Fields of a body that the API does not know are passed over.
pub const UNKNOWN_FIELDS_PASS: bool = true;
/// An update that names neither content nor path, or nothing new, answers with the memory and makes no version.
pub const EMPTY_UPDATE: bool = true;
/// A semantic conflict says `x-should-retry: false`, because sending it again cannot help.
pub const CONFLICT_RETRY: bool = false;

/// The last part of a mount path has no hyphen at its beginning or end: " Notes!" is mounted as `notes`.
pub const MOUNT_TRIMS_HYPHENS: bool = true;
/// The last part of a mount path where a name has no ASCII letter or digit and nothing would be left.
pub const MOUNT_WITHOUT_NAME: &str = "store";
/// Where several stores of one session would get the same mount path, the second gets `-2` at its end, the third `-3`.
pub const MOUNT_NUMBERS_COLLISIONS: bool = true;
/// Fields of an attached store that the API does not know are passed over.
pub const MOUNT_UNKNOWN_FIELDS_PASS: bool = true;
