//! Contents: kept once, compressed, most as a difference to an earlier content of the same memory.

use crate::{LogError, codec};
use retrace_model::Sha256;
use rusqlite::{Connection, OptionalExtension as _, params};
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

/// Longest chain of delta bases. A longer chain saves space (a note that stands alone takes some
/// fifteen times what a difference takes) and makes reading dearer: fifty steps take a third of a millisecond. The same
/// as the default of git's packs, which weigh the same two costs.
pub(crate) const MAX_DEPTH: i64 = 50;

/// Larger contents are kept whole, and are no delta base: reading one must not unpack a row of large ones.
const MAX_DIFFERENCE_BYTES: usize = 1024 * 1024;

/// Kept as it is, because packing does not make it smaller.
const RAW: i64 = 0;
/// Packed alone.
const PACKED: i64 = 1;
/// Packed as a difference.
const DIFFERENCE: i64 = 2;
/// The content was too large to keep; hash and size are known.
pub(crate) const NOT_KEPT: i64 = 3;
/// The content was redacted.
pub(crate) const MASKED: i64 = 9;

/// Stored form of a content.
pub(crate) struct Encoded {
    pub encoding: i64,
    pub base: Option<i64>,
    pub depth: i64,
    pub data: Vec<u8>,
}

/// A content that can be a delta base.
pub(crate) struct Base {
    pub id: i64,
    pub depth: i64,
    pub bytes: Vec<u8>,
}

/// Text is UTF-8 without NUL bytes; everything else is shown as binary.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    memchr::memchr(0, bytes).is_none() && std::str::from_utf8(bytes).is_ok()
}

/// A short way to write `bytes` down: as a difference where that takes at most half of what it takes alone, because what
/// stands alone reads faster and ends a row of differences.
pub(crate) fn encode(bytes: &[u8], base: Option<&Base>) -> Result<Encoded, LogError> {
    let difference = match base {
        Some(base) if can_delta(bytes, base) => {
            let data = codec::pack(bytes, Some(&base.bytes))?;
            Some(Encoded { encoding: DIFFERENCE, base: Some(base.id), depth: base.depth + 1, data })
        }
        _ => None,
    };
    // Hardly any text packs to less than a quarter of its size alone: a small difference needs no comparison.
    let difference = match difference {
        Some(small) if small.data.len() * 8 < bytes.len() => return Ok(small),
        other => other,
    };
    let packed = codec::pack(bytes, None)?;
    let alone = if packed.len() < bytes.len() {
        Encoded { encoding: PACKED, base: None, depth: 0, data: packed }
    } else {
        Encoded { encoding: RAW, base: None, depth: 0, data: bytes.to_vec() }
    };
    Ok(difference.filter(|it| it.data.len() * 2 <= alone.data.len()).unwrap_or(alone))
}

fn can_delta(bytes: &[u8], base: &Base) -> bool {
    is_delta_allowed(base.depth, base.bytes.len(), bytes.len()) && codec::can_be_delta_base(&base.bytes)
}

/// True if a content of `size` bytes may be a delta against one of `base_size` bytes at `depth`.
fn is_delta_allowed(depth: i64, base_size: usize, size: usize) -> bool {
    depth < MAX_DEPTH && base_size > 0 && base_size <= MAX_DIFFERENCE_BYTES && size <= MAX_DIFFERENCE_BYTES
}

/// One content as it is written down.
struct Step {
    id: i64,
    encoding: i64,
    base: Option<i64>,
    size: usize,
    data: Option<Vec<u8>>,
}

fn step(connection: &Connection, id: i64) -> Result<Step, LogError> {
    let found = connection
        .prepare_cached("SELECT encoding, base_id, size, data FROM blobs WHERE id = ?1")?
        .query_row([id], |row| {
            Ok(Step {
                id,
                encoding: row.get(0)?,
                base: row.get(1)?,
                size: row.get::<_, Option<usize>>(2)?.unwrap_or(0),
                data: row.get(3)?,
            })
        })
        .optional()?;
    found.ok_or_else(|| LogError::Damaged(say::content_missing(id)))
}

impl Step {
    /// The content, given its delta base.
    fn unpack(self, base: Option<&[u8]>) -> Result<Vec<u8>, LogError> {
        let Some(data) = self.data else {
            return Err(LogError::Damaged(say::content_gone_delta_base_another(self.id)));
        };
        match (self.encoding, base) {
            (RAW, _) if data.len() == self.size => Ok(data),
            (PACKED, _) => codec::unpack(&data, None, self.size),
            (DIFFERENCE, Some(base)) => codec::unpack(&data, Some(base), self.size),
            (encoding, _) => Err(LogError::Damaged(say::content_encoding_no_sense(self.id, encoding))),
        }
    }
}

/// Reads a content back; `None` when it is masked or was not kept.
pub(crate) fn read(connection: &Connection, id: i64) -> Result<Option<Vec<u8>>, LogError> {
    Ok(read_with(connection, id, |_| None)?.map(|found| Rc::unwrap_or_clone(found.bytes)))
}

/// As [`read`], where some contents are `known`.
pub(crate) fn read_knowing(
    connection: &Connection,
    id: i64,
    known: impl Fn(i64) -> Option<Rc<Vec<u8>>>,
) -> Result<Option<Rc<Vec<u8>>>, LogError> {
    Ok(read_with(connection, id, known)?.map(|found| found.bytes))
}

/// A content read back.
struct Unpacked {
    bytes: Rc<Vec<u8>>,
    /// Its delta base; `None` also when it was known.
    base: Option<i64>,
}

/// Reads a content back: from the content itself down to one that stands alone or is `known`, then back up.
fn read_with(
    connection: &Connection,
    id: i64,
    known: impl Fn(i64) -> Option<Rc<Vec<u8>>>,
) -> Result<Option<Unpacked>, LogError> {
    let mut steps: Vec<Step> = Vec::new();
    let mut below: Option<Rc<Vec<u8>>> = None;
    let mut next = Some(id);
    while let Some(at) = next {
        below = known(at);
        if below.is_some() {
            break;
        }
        let step = step(connection, at)?;
        if step.data.is_none() && steps.is_empty() {
            return Ok(None);
        }
        next = step.base;
        steps.push(step);
        if i64::try_from(steps.len()).unwrap_or(i64::MAX) > MAX_DEPTH + 1 {
            return Err(LogError::Damaged(say::content_too_long_chain_delta(id)));
        }
    }
    let base = steps.first().and_then(|step| step.base);
    for step in steps.into_iter().rev() {
        below = Some(Rc::new(step.unpack(below.as_deref().map(Vec::as_slice))?));
    }
    Ok(below.map(|bytes| Unpacked { bytes, base }))
}

/// Reads many contents, mostly in the order they were written in. The newest content of each memory is what the next one
/// is a delta against, so contents are remembered up to a bound, and let go soon after another was read with them as its base.
pub(crate) struct Pass<'c> {
    connection: &'c Connection,
    known: HashMap<i64, Rc<Vec<u8>>>,
    /// Known contents, oldest first.
    order: VecDeque<i64>,
    /// Delta bases of other contents, oldest first.
    delta_bases: VecDeque<i64>,
    bytes: usize,
}

/// Size of a pass's memory: the newest contents of some tens of thousands of memories.
const PASS_BYTES: usize = 64 << 20;

/// Number of delta bases that a pass remembers: the one before is often asked for next, to compare.
const PASS_DELTA_BASES: usize = 100;

impl<'c> Pass<'c> {
    pub(crate) fn new(connection: &'c Connection) -> Self {
        Self {
            connection,
            known: HashMap::new(),
            order: VecDeque::new(),
            delta_bases: VecDeque::new(),
            bytes: 0,
        }
    }

    /// Connection that the contents are read from.
    pub(crate) fn connection(&self) -> &'c Connection {
        self.connection
    }

    /// As [`read`].
    pub(crate) fn read(&mut self, id: i64) -> Result<Option<Rc<Vec<u8>>>, LogError> {
        let known = &self.known;
        let Some(Unpacked { bytes, base }) = read_with(self.connection, id, |at| known.get(&at).cloned())?
        else {
            return Ok(None);
        };
        if !self.known.contains_key(&id) {
            self.remember(id, Rc::clone(&bytes));
            self.delta_bases.extend(base);
        }
        self.let_go();
        Ok(Some(bytes))
    }

    fn remember(&mut self, id: i64, bytes: Rc<Vec<u8>>) {
        self.bytes += bytes.len();
        self.order.push_back(id);
        self.known.insert(id, bytes);
    }

    fn let_go(&mut self) {
        while self.delta_bases.len() > PASS_DELTA_BASES
            && let Some(oldest) = self.delta_bases.pop_front()
        {
            self.forget(oldest);
        }
        while self.bytes > PASS_BYTES
            && let Some(oldest) = self.order.pop_front()
        {
            self.forget(oldest);
        }
    }

    fn forget(&mut self, id: i64) {
        self.bytes -= self.known.remove(&id).map_or(0, |bytes| bytes.len());
    }
}

/// The content with this hash, where the log has it; one that was kept before one that was too large to be.
pub(crate) fn find(connection: &Connection, sha256: &Sha256) -> Result<Option<i64>, LogError> {
    Ok(all_with(connection, sha256)?.first().copied())
}

/// Every row with this hash: a content may stand there as too large to keep, and again as kept under a later limit.
pub(crate) fn all_with(connection: &Connection, sha256: &Sha256) -> Result<Vec<i64>, LogError> {
    let mut query = connection.prepare_cached(
        "SELECT id FROM blobs WHERE sha256 IS NOT NULL AND substr(sha256, 1, 8) = ?1 AND sha256 = ?2
         ORDER BY encoding = 3, id",
    )?;
    let rows = query.query_map(params![&sha256.0[..8], &sha256.0[..]], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The content `id` as a delta base; `None` when it is masked, not kept, too large or too deep.
pub(crate) fn base(connection: &Connection, id: i64, size: usize) -> Result<Option<Base>, LogError> {
    let mut query =
        connection.prepare_cached("SELECT depth, size FROM blobs WHERE id = ?1 AND data IS NOT NULL")?;
    let found: Option<(i64, usize)> =
        query.query_row([id], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let Some((depth, base_size)) = found else { return Ok(None) };
    if !is_delta_allowed(depth, base_size, size) {
        return Ok(None);
    }
    Ok(read(connection, id)?.map(|bytes| Base { id, depth, bytes }))
}

/// Writes a new content down; answers its row.
pub(crate) fn insert(
    connection: &Connection,
    bytes: &[u8],
    sha256: &Sha256,
    salt: &[u8; 16],
    base: Option<&Base>,
) -> Result<i64, LogError> {
    let encoded = encode(bytes, base)?;
    connection
        .prepare_cached(
            "INSERT INTO blobs (encoding, is_text, depth, base_id, size, salt, sha256, data)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            encoded.encoding,
            is_text(bytes),
            encoded.depth,
            encoded.base,
            bytes.len(),
            &salt[..],
            &sha256.0[..],
            encoded.data,
        ])?;
    Ok(connection.last_insert_rowid())
}

/// Writes hash and size of a content down that is too large to keep; answers its row.
pub(crate) fn insert_not_kept(
    connection: &Connection,
    size: u64,
    sha256: &Sha256,
    salt: &[u8; 16],
) -> Result<i64, LogError> {
    connection
        .prepare_cached(
            "INSERT INTO blobs (encoding, is_text, depth, size, salt, sha256) VALUES (?1, 0, 0, ?2, ?3, ?4)",
        )?
        .execute(params![NOT_KEPT, size, &salt[..], &sha256.0[..]])?;
    Ok(connection.last_insert_rowid())
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "blob";
    content_missing(id) => "content {id} is missing",
    content_gone_delta_base_another(id) => "content {id} is gone, and is the delta base of another",
    content_encoding_no_sense(id, encoding) => "content {id} has encoding {encoding} and no sense",
    content_too_long_chain_delta(id) => "content {id} has too long a chain of delta bases, or is its own delta base",
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hundred lines that have little in common.
    fn note() -> String {
        (0..100u32)
            .map(|line| format!("- fact number {line} about {}\n", Sha256::of(&line.to_be_bytes())))
            .collect()
    }

    #[test]
    fn a_small_change_takes_few_bytes() {
        let new = note().replace("number 50 ", "number fifty ");
        let base = Base { id: 1, depth: 0, bytes: note().into_bytes() };
        let encoded = encode(new.as_bytes(), Some(&base)).expect("encodes");
        assert_eq!((encoded.encoding, encoded.base, encoded.depth), (DIFFERENCE, Some(1), 1));
        assert!(encoded.data.len() < 60, "{} bytes", encoded.data.len());
    }

    #[test]
    fn a_short_way_is_taken() {
        let noise: Vec<u8> = (0..64u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        assert_eq!(encode(b"", None).expect("encodes").encoding, RAW);
        assert_eq!(encode(b"short", None).expect("encodes").encoding, RAW);
        assert_eq!(encode(&noise, None).expect("encodes").encoding, RAW);
        assert_eq!(encode(note().as_bytes(), None).expect("encodes").encoding, PACKED);
        let unrelated = Base { id: 1, depth: 0, bytes: noise };
        assert_eq!(encode(note().as_bytes(), Some(&unrelated)).expect("encodes").encoding, PACKED);
    }

    #[test]
    fn what_may_not_be_a_delta_base_is_not() {
        let new = note().replace("number 50 ", "number fifty ");
        let encoding = |depth, bytes: Vec<u8>| {
            encode(new.as_bytes(), Some(&Base { id: 1, depth, bytes })).expect("encodes").encoding
        };
        assert_eq!(encoding(MAX_DEPTH - 1, note().into_bytes()), DIFFERENCE);
        assert_eq!(encoding(MAX_DEPTH, note().into_bytes()), PACKED, "the row would be too long");
        let dictionary = [&0xec30_a437_u32.to_le_bytes()[..], note().as_bytes()].concat();
        assert_eq!(encoding(0, dictionary), PACKED, "zstd would take it for a dictionary");
        let large = note().repeat(MAX_DIFFERENCE_BYTES / note().len() + 1);
        assert_eq!(encoding(0, large.into_bytes()), PACKED, "too large for a delta base");
    }

    #[test]
    fn text_is_utf8_without_nul() {
        assert!(is_text("記憶\n".as_bytes()) && is_text(b""));
        assert!(!is_text(b"a\0b") && !is_text(b"caf\xe9"));
    }
}
