//! Weights of images and documents. Nothing of this was measured: the figures are the documentation's, and marked as
//! estimated wherever they are used.

use super::Estimate;
use retrace_transcript::{Media, MediaKind};

/// Pixels to a token (documentation of vision: `width * height / 750`).
const PIXELS_TO_A_TOKEN: u64 = 750;

/// Tokens of the largest image of models that scale down to 1,568 pixels on the long edge (same documentation).
const LARGEST_IMAGE: u64 = 1_600;

/// Tokens of the largest image of models that take 2,576 pixels on the long edge (same documentation).
const LARGEST_HIGH_RESOLUTION_IMAGE: u64 = 4_784;

/// Tokens of a page of a document: text and image of it (documentation of PDF support: 1,500 to 3,000 of text).
const PAGE: (u64, u64, u64) = (1_500, 2_250, 4_600);

/// Bytes to a page, as nothing else is known of a document: an assumption.
const BYTES_TO_A_PAGE: u64 = 100_000;

/// Tokens of an image or a document.
pub(super) fn estimate(media: &Media) -> Estimate {
    match (media.kind, media.pixels) {
        (MediaKind::Image, Some((width, height))) => image(u64::from(width) * u64::from(height)),
        (MediaKind::Image, None) => {
            Estimate { low: 1, middle: LARGEST_IMAGE, high: LARGEST_HIGH_RESOLUTION_IMAGE }
        }
        (MediaKind::Document, _) => {
            let pages = media.bytes.div_ceil(BYTES_TO_A_PAGE).max(1);
            let of = |tokens: u64| tokens.saturating_mul(pages);
            Estimate { low: PAGE.0, middle: of(PAGE.1), high: of(PAGE.2) }
        }
    }
}

fn image(pixels: u64) -> Estimate {
    let tokens = pixels.div_ceil(PIXELS_TO_A_TOKEN).max(1);
    let middle = tokens.min(LARGEST_IMAGE);
    Estimate {
        low: middle - middle / 10,
        middle,
        high: (tokens + tokens / 10).min(LARGEST_HIGH_RESOLUTION_IMAGE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn media(kind: MediaKind, bytes: u64, pixels: Option<(u32, u32)>) -> Media {
        Media { kind, media_type: String::new(), bytes, pixels }
    }

    #[test]
    fn an_image_goes_by_its_pixels_up_to_the_largest() {
        assert_eq!(estimate(&media(MediaKind::Image, 0, Some((750, 100)))).middle, 100);
        assert_eq!(estimate(&media(MediaKind::Image, 0, Some((u32::MAX, u32::MAX)))).middle, 1_600);
        assert_eq!(estimate(&media(MediaKind::Image, 9, None)).middle, 1_600);
    }

    #[test]
    fn a_range_holds_its_middle() {
        for kind in [MediaKind::Image, MediaKind::Document] {
            for bytes in [0, 1, 100_001, u64::MAX] {
                for pixels in [None, Some((0, 0)), Some((3, 7)), Some((9_000, 9_000))] {
                    let estimate = estimate(&media(kind, bytes, pixels));
                    assert!(estimate.low <= estimate.middle && estimate.middle <= estimate.high);
                }
            }
        }
    }
}
