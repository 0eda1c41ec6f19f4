//! Compression of contents: zstd, alone or as a difference to another content.
//!
//! Frames are kept without their first four bytes, which are the same in every frame. Contexts are kept per thread and
//! used again: making one takes longer than packing a note of two kilobytes.

use crate::LogError;
use std::cell::RefCell;
use zstd::zstd_safe::{CCtx, DCtx, get_error_name};

/// Level for contents that stand alone. Measured on notes of 1 to 3 KB: level 5 gains 1.5 % over level 3 and takes twice
/// as long; level 19 gains 2.3 % and takes fifteen times as long.
const LEVEL_ALONE: i32 = 3;

/// Level for differences. Measured on the same notes with one or two lines changed: 62 bytes at 5 µs; level 3 takes
/// 70 bytes at 2 µs, and no higher level takes fewer than level 5.
const LEVEL_DIFFERENCE: i32 = 5;

/// First bytes of every zstd frame (RFC 8878, section 3.1.1).
const FRAME_MAGIC: [u8; 4] = 0xfd2f_b528_u32.to_le_bytes();

/// First bytes of a trained zstd dictionary (RFC 8878, section 5). A content that begins so cannot be a delta base:
/// zstd would take it for such a dictionary.
const DICTIONARY_MAGIC: [u8; 4] = 0xec30_a437_u32.to_le_bytes();

/// Largest content that can be kept: 1 GiB. SQLite refuses values of more than 1,000,000,000 bytes, and a size beyond it
/// that stands in the database can only be damage.
const MAX_CONTENT_BYTES: usize = 1 << 30;

/// True if a content of so many bytes can be kept.
pub(crate) fn can_be_kept(size: usize) -> bool {
    size <= MAX_CONTENT_BYTES
}

thread_local! {
    static PACKER: RefCell<CCtx<'static>> = RefCell::new(CCtx::create());
    static UNPACKER: RefCell<DCtx<'static>> = RefCell::new(DCtx::create());
}

/// True if another content may be packed as a difference to this one.
pub(crate) fn can_be_delta_base(bytes: &[u8]) -> bool {
    !bytes.starts_with(&DICTIONARY_MAGIC)
}

/// Contents above this size are packed with a context of their own: one grows with what it packs, to some megabytes, and
/// a thread would keep it so.
const LARGE: usize = 1 << 20;

/// Packs `bytes`, as a difference to `base` when there is one.
pub(crate) fn pack(bytes: &[u8], base: Option<&[u8]>) -> Result<Vec<u8>, LogError> {
    let mut frame = Vec::with_capacity(zstd::zstd_safe::compress_bound(bytes.len()));
    let mut pack_with = |context: &mut CCtx<'static>| match base {
        None => context.compress(&mut frame, bytes, LEVEL_ALONE),
        Some(base) => context.compress_using_dict(&mut frame, bytes, base, LEVEL_DIFFERENCE),
    };
    let packed =
        if bytes.len() > LARGE { pack_with(&mut CCtx::create()) } else { PACKER.with_borrow_mut(pack_with) };
    packed.map_err(|code| LogError::Invalid(say::compression_failed(get_error_name(code))))?;
    frame.drain(..FRAME_MAGIC.len().min(frame.len()));
    frame.shrink_to_fit();
    Ok(frame)
}

/// Unpacks what [`pack`] made of `size` bytes and the same `base`.
pub(crate) fn unpack(packed: &[u8], base: Option<&[u8]>, size: usize) -> Result<Vec<u8>, LogError> {
    let damaged = |why: &str| LogError::Damaged(say::content_not_unpack(why));
    let mut bytes = Vec::new();
    if !can_be_kept(size) || bytes.try_reserve_exact(size).is_err() {
        return Err(damaged("it claims to be too large"));
    }
    let frame = [&FRAME_MAGIC, packed].concat();
    UNPACKER
        .with_borrow_mut(|context| match base {
            None => context.decompress(&mut bytes, &frame),
            Some(base) => context.decompress_using_dict(&mut bytes, &frame, base),
        })
        .map_err(|code| damaged(get_error_name(code)))?;
    if bytes.len() != size {
        return Err(damaged("it has another size"));
    }
    Ok(bytes)
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "codec";
    compression_failed(cause) => "compression failed: {cause}",
    content_not_unpack(cause) => "a content does not unpack: {cause}",
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn contents_of_up_to_a_gibibyte_can_be_kept() {
        let gibibyte = 1024 * 1024 * 1024;
        assert_eq!([0, gibibyte, gibibyte + 1].map(can_be_kept), [true, true, false]);
    }

    proptest! {
        #[test]
        fn what_is_packed_unpacks(bytes: Vec<u8>, base: Vec<u8>) {
            let alone = pack(&bytes, None).expect("packs");
            prop_assert_eq!(&unpack(&alone, None, bytes.len()).expect("unpacks"), &bytes);
            let difference = pack(&bytes, Some(&base)).expect("packs");
            prop_assert_eq!(unpack(&difference, Some(&base), bytes.len()).expect("unpacks"), bytes);
        }

        #[test]
        fn damage_is_an_error_and_never_a_panic(
            packed: Vec<u8>, base: Vec<u8>, size in prop_oneof![0usize..10_000, Just(usize::MAX)],
        ) {
            let _ = unpack(&packed, None, size);
            let _ = unpack(&packed, Some(&base), size);
        }

        #[test]
        fn a_damaged_frame_never_panics(bytes: Vec<u8>, at: prop::sample::Index, flip in 1u8..) {
            let mut packed = pack(&bytes, None).expect("packs");
            let at = at.index(packed.len());
            packed[at] ^= flip;
            let _ = unpack(&packed, None, bytes.len());
        }
    }

    #[test]
    fn large_contents_unpack_as_well() {
        let bytes: Vec<u8> = (0..2u32 << 20).map(|n| (n.wrapping_mul(2_654_435_761) >> 28) as u8).collect();
        for size in [LARGE, LARGE + 1, bytes.len()] {
            let packed = pack(&bytes[..size], None).expect("packs");
            assert!(packed.len() < size);
            assert_eq!(unpack(&packed, None, size).expect("unpacks"), bytes[..size]);
        }
    }

    #[test]
    fn frames_begin_with_the_magic_left_out() {
        let frame = zstd::bulk::compress(b"a note", 3).expect("packs");
        assert_eq!(frame[..4], FRAME_MAGIC);
    }

    #[test]
    fn a_content_that_looks_like_a_dictionary_is_no_delta_base() {
        let dictionary = [&DICTIONARY_MAGIC[..], b" and then something else entirely"].concat();
        assert!(!can_be_delta_base(&dictionary));
        assert!(can_be_delta_base(b"- a fact\n"));
        assert!(can_be_delta_base(b""));
    }
}
