//! Contents: kept once, compressed, most as a difference to an earlier content of the same memory.

use crate::LogError;
use retrace_model::Sha256;
use rusqlite::{Connection, OptionalExtension as _, params};
use zstd::zstd_safe::{CCtx, CParameter, DCtx, DParameter, WriteBuf};

/// Compression level of zstd. Level 3 halves typical memory text at some hundred megabytes a second; higher levels gain
/// a few per cent and cost several times as much.
const LEVEL: i32 = 3;

/// A content leans on at most so many others, so that reading one stays cheap: 32 decompressions of a 2 KB text take
/// well under a millisecond.
pub(crate) const MAX_DEPTH: i64 = 32;

/// Larger contents are kept whole: the difference is found within a window of this size.
const MAX_DELTA_BYTES: usize = 1024 * 1024;

/// A content below this size is kept whole when it does not pay to compress it.
const RAW: i64 = 0;
const PACKED: i64 = 1;
const DELTA: i64 = 2;
/// The content was too large to keep; hash and size are known.
pub(crate) const NOT_KEPT: i64 = 3;
/// The content was redacted.
pub(crate) const MASKED: i64 = 9;

/// How a content is written down.
pub(crate) struct Encoded {
    pub encoding: i64,
    pub base: Option<i64>,
    pub depth: i64,
    pub data: Vec<u8>,
}

/// A content to lean on.
pub(crate) struct Base {
    pub id: i64,
    pub depth: i64,
    pub bytes: Vec<u8>,
}

/// Text is UTF-8 without NUL bytes; everything else is shown as binary.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    memchr::memchr(0, bytes).is_none() && std::str::from_utf8(bytes).is_ok()
}

/// The shortest way to write `bytes` down.
pub(crate) fn encode(bytes: &[u8], base: Option<&Base>) -> Result<Encoded, LogError> {
    let mut best = Encoded { encoding: RAW, base: None, depth: 0, data: bytes.to_vec() };
    if let Some(base) = base.filter(|base| leanable(base.depth, base.bytes.len(), bytes.len())) {
        let data = compress(bytes, Some(&base.bytes))?;
        if data.len() < best.data.len() {
            best = Encoded { encoding: DELTA, base: Some(base.id), depth: base.depth + 1, data };
        }
        // A small difference needs no comparison with the whole.
        if best.encoding == DELTA && best.data.len() * 4 < bytes.len() {
            return Ok(best);
        }
    }
    let data = compress(bytes, None)?;
    if data.len() < best.data.len() {
        best = Encoded { encoding: PACKED, base: None, depth: 0, data };
    }
    Ok(best)
}

/// Whether a content of `size` bytes may lean on one of `base_size` bytes at `depth`.
pub(crate) fn leanable(depth: i64, base_size: usize, size: usize) -> bool {
    depth + 1 < MAX_DEPTH && base_size > 0 && base_size <= MAX_DELTA_BYTES && size <= MAX_DELTA_BYTES
}

fn compress(bytes: &[u8], prefix: Option<&[u8]>) -> Result<Vec<u8>, LogError> {
    let mut out = Vec::with_capacity(zstd::zstd_safe::compress_bound(bytes.len()));
    let mut context = CCtx::create();
    let set =
        |context: &mut CCtx<'_>, parameter| context.set_parameter(parameter).map(drop).map_err(zstd_error);
    set(&mut context, CParameter::CompressionLevel(LEVEL))?;
    set(&mut context, CParameter::ContentSizeFlag(false))?;
    if let Some(prefix) = prefix {
        let window = (prefix.len() + bytes.len()).next_power_of_two().trailing_zeros().clamp(10, 22);
        set(&mut context, CParameter::WindowLog(window))?;
        context.ref_prefix(prefix).map_err(zstd_error)?;
    }
    context.compress2(&mut out, bytes).map_err(zstd_error)?;
    Ok(out)
}

fn decompress(data: &[u8], prefix: Option<&[u8]>, size: usize) -> Result<Vec<u8>, LogError> {
    let mut out = Vec::with_capacity(size);
    let mut context = DCtx::create();
    context.set_parameter(DParameter::WindowLogMax(27)).map_err(zstd_error)?;
    if let Some(prefix) = prefix {
        context.ref_prefix(prefix).map_err(zstd_error)?;
    }
    context
        .decompress(&mut out, data)
        .map_err(|code| LogError::Damaged(format!("a content does not unpack: {}", name(code))))?;
    if WriteBuf::as_slice(&out).len() != size {
        return Err(LogError::Damaged("a content unpacks to another size".to_owned()));
    }
    Ok(out)
}

fn name(code: usize) -> &'static str {
    zstd::zstd_safe::get_error_name(code)
}

fn zstd_error(code: usize) -> LogError {
    LogError::Invalid(format!("compression failed: {}", name(code)))
}

/// Reads a content back; `None` when it is masked or was not kept.
pub(crate) fn read(connection: &Connection, id: i64) -> Result<Option<Vec<u8>>, LogError> {
    // From the content itself down to one that stands alone, then back up.
    let mut steps = Vec::new();
    let mut next = Some(id);
    let mut query =
        connection.prepare_cached("SELECT encoding, base_id, size, data FROM blobs WHERE id = ?1")?;
    while let Some(id) = next {
        let row = query
            .query_row([id], |row| {
                Ok((
                    row.get::<_, i64>(0)?,
                    row.get(1)?,
                    row.get::<_, Option<i64>>(2)?,
                    row.get::<_, Option<Vec<u8>>>(3)?,
                ))
            })
            .optional()?
            .ok_or_else(|| LogError::Damaged(format!("content {id} is missing")))?;
        let (encoding, base, size, Some(data)) = row else {
            return if steps.is_empty() {
                Ok(None)
            } else {
                Err(LogError::Damaged(format!("content {id} is gone, and another leans on it")))
            };
        };
        let size = usize::try_from(size.unwrap_or(-1))
            .map_err(|_| LogError::Damaged(format!("content {id} has no size")))?;
        steps.push((encoding, size, data));
        if steps.len() > usize::try_from(MAX_DEPTH).unwrap_or(usize::MAX) * 2 {
            return Err(LogError::Damaged(format!("content {id} leans on itself")));
        }
        next = base;
    }
    let mut bytes: Option<Vec<u8>> = None;
    for (encoding, size, data) in steps.into_iter().rev() {
        bytes = Some(match encoding {
            RAW => data,
            PACKED => decompress(&data, None, size)?,
            DELTA => decompress(&data, bytes.as_deref(), size)?,
            other => return Err(LogError::Damaged(format!("a content has encoding {other}"))),
        });
    }
    Ok(bytes)
}

/// The content with this hash, where the log has it.
pub(crate) fn find(connection: &Connection, sha256: &Sha256) -> Result<Option<i64>, LogError> {
    let mut query = connection.prepare_cached(
        "SELECT id FROM blobs WHERE sha256 IS NOT NULL AND substr(sha256, 1, 8) = ?1 AND sha256 = ?2",
    )?;
    Ok(query.query_row(params![&sha256.0[..8], &sha256.0[..]], |row| row.get(0)).optional()?)
}

/// The content `id` as something to lean on; `None` when it is masked, not kept or too large.
pub(crate) fn base(connection: &Connection, id: i64, size: usize) -> Result<Option<Base>, LogError> {
    let mut query =
        connection.prepare_cached("SELECT depth, size FROM blobs WHERE id = ?1 AND data IS NOT NULL")?;
    let found: Option<(i64, i64)> = query.query_row([id], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let Some((depth, base_size)) = found else { return Ok(None) };
    if !leanable(depth, usize::try_from(base_size).unwrap_or(usize::MAX), size) {
        return Ok(None);
    }
    Ok(read(connection, id)?.map(|bytes| Base { id, depth, bytes }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_packed_unpacks(bytes: Vec<u8>, prefix: Vec<u8>) {
            let whole = compress(&bytes, None).expect("packs");
            prop_assert_eq!(decompress(&whole, None, bytes.len()).expect("unpacks"), bytes.clone());
            let delta = compress(&bytes, Some(&prefix)).expect("packs");
            prop_assert_eq!(decompress(&delta, Some(&prefix), bytes.len()).expect("unpacks"), bytes);
        }

        #[test]
        fn damaged_data_is_an_error_and_never_a_panic(data: Vec<u8>, size in 0usize..10_000) {
            let _ = decompress(&data, None, size);
        }
    }

    #[test]
    fn a_small_change_takes_few_bytes() {
        let old: String =
            (0..100).map(|line| format!("- fact number {line} about {}\n", line * 7919 % 1000)).collect();
        let new = old.replace("number 50 ", "number fifty ");
        let base = Base { id: 1, depth: 0, bytes: old.into_bytes() };
        let encoded = encode(new.as_bytes(), Some(&base)).expect("encodes");
        assert_eq!(encoded.encoding, DELTA);
        assert!(encoded.data.len() < 60, "{} bytes", encoded.data.len());
    }
}
