//! Images and documents: how large they are, without keeping them.

use crate::lenient::{Text, lenient_object};
use crate::{Media, MediaKind};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Number of bytes of an image that are searched for its size. The frame header of a JPEG stands behind its metadata,
/// which may hold a preview of some size.
const MAX_INSPECTED: usize = 512 * 1024;

lenient_object! {
    /// `source` of an image or document.
    pub(crate) struct RawSource<'a> {
        kind: Text<'a> = "type",
        media_type: Text<'a> = "media_type",
        data: Text<'a> = "data",
    }
}

/// An image or document whose bytes are in base64.
pub(crate) fn from_base64(kind: MediaKind, media_type: &str, data: &str) -> Media {
    let data = data.trim();
    let characters = data.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=').count() as u64;
    let pixels = match kind {
        MediaKind::Image => pixels(&beginning(data)),
        MediaKind::Document => None,
    };
    Media { kind, media_type: media_type.to_owned(), bytes: characters * 3 / 4, pixels }
}

/// An image or document that is only referred to.
pub(crate) fn referred(kind: MediaKind, media_type: &str) -> Media {
    Media { kind, media_type: media_type.to_owned(), bytes: 0, pixels: None }
}

/// Media of a URL: its bytes where it is a `data:` URL, else a reference.
pub(crate) fn from_url(kind: MediaKind, url: &str) -> Media {
    let Some(inline) = url.strip_prefix("data:") else { return referred(kind, "") };
    let (head, data) = inline.split_once(',').unwrap_or((inline, ""));
    let media_type = head.split(';').next().unwrap_or_default();
    if head.ends_with(";base64") { from_base64(kind, media_type, data) } else { referred(kind, media_type) }
}

/// The first bytes of what is in base64; fewer where it is damaged.
fn beginning(data: &str) -> Vec<u8> {
    let characters: Vec<u8> = data
        .bytes()
        .filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=')
        .take(MAX_INSPECTED / 3 * 4)
        .collect();
    let whole = &characters[..characters.len() / 4 * 4];
    let mut bytes = STANDARD.decode(whole).unwrap_or_default();
    // The last group may be short; its bytes tell nothing more of an image's size, but of a tiny one everything.
    if whole.len() < characters.len() {
        let mut last = characters[whole.len()..].to_vec();
        last.resize(4, b'=');
        bytes.extend(STANDARD.decode(last).unwrap_or_default());
    }
    bytes
}

/// Width and height of a PNG, GIF, WebP or JPEG, from its header.
pub(crate) fn pixels(bytes: &[u8]) -> Option<(u32, u32)> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Some((big_endian(bytes, 16, 4)?, big_endian(bytes, 20, 4)?));
    }
    if bytes.starts_with(b"GIF8") {
        return Some((little_endian(bytes, 6, 2)?, little_endian(bytes, 8, 2)?));
    }
    if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        return webp(bytes);
    }
    if bytes.starts_with(b"\xff\xd8") {
        return jpeg(bytes);
    }
    None
}

/// The three kinds of WebP (RFC 9649): extended, lossless, lossy.
fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    match bytes.get(12..16)? {
        b"VP8X" => Some((little_endian(bytes, 24, 3)? + 1, little_endian(bytes, 27, 3)? + 1)),
        b"VP8L" => {
            let packed = little_endian(bytes, 21, 4)?;
            Some(((packed & 0x3fff) + 1, ((packed >> 14) & 0x3fff) + 1))
        }
        b"VP8 " => Some((little_endian(bytes, 26, 2)? & 0x3fff, little_endian(bytes, 28, 2)? & 0x3fff)),
        _ => None,
    }
}

/// Searches for the frame header (SOF0 to SOF15, but for the tables among them; ITU T.81, B.1.1.3).
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        if *bytes.get(at)? != 0xff {
            return None;
        }
        match *bytes.get(at + 1)? {
            0xff => at += 1,
            0x01 | 0xd0..=0xd8 => at += 2,
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                return Some((big_endian(bytes, at + 7, 2)?, big_endian(bytes, at + 5, 2)?));
            }
            0xd9 | 0xda => return None,
            _ => {
                let length = big_endian(bytes, at + 2, 2)? as usize;
                if length < 2 {
                    return None;
                }
                at += 2 + length;
            }
        }
    }
}

fn big_endian(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    Some(bytes.get(at..at + length)?.iter().fold(0, |value, &byte| value << 8 | u32::from(byte)))
}

fn little_endian(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    Some(bytes.get(at..at + length)?.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(width: u32, height: u32) -> Vec<u8> {
        [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &width.to_be_bytes(), &height.to_be_bytes()].concat()
    }

    #[test]
    fn sizes_are_read_from_headers() {
        assert_eq!(pixels(&png(640, 480)), Some((640, 480)));
        assert_eq!(pixels(b"GIF89a\x0a\0\x14\0"), Some((10, 20)));
        let jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x11\x08\0\x20\0\x10\x03";
        assert_eq!(pixels(jpeg), Some((16, 32)));
        let webp = b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x09\0\0\x13\0\0";
        assert_eq!(pixels(webp), Some((10, 20)));
        for cut in 0..jpeg.len() - 1 {
            let _ = pixels(&jpeg[..cut]);
        }
        assert_eq!(pixels(b"\xff\xd8\xff\xe0\0\0"), None);
    }

    #[test]
    fn bytes_are_counted_as_decoded() {
        let data = STANDARD.encode(png(3, 4));
        let media = from_base64(MediaKind::Image, "image/png", &data);
        assert_eq!((media.bytes, media.pixels), (24, Some((3, 4))));
        let media = from_url(MediaKind::Image, &format!("data:image/png;base64,{data}"));
        assert_eq!((media.media_type.as_str(), media.bytes, media.pixels), ("image/png", 24, Some((3, 4))));
        assert_eq!(from_url(MediaKind::Image, "https://example.org/a.png").bytes, 0);
        assert_eq!(from_base64(MediaKind::Image, "image/png", "!!!!").pixels, None);
    }
}
