//! The tray's picture with what it has to say drawn into it: most desktops show a picture there and nothing else. Pure.

/// Marks to draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    /// Number of unreviewed memories; nothing is drawn for none.
    pub to_review: u64,
    /// True if recording is paused.
    pub paused: bool,
}

/// A picture: four bytes for each pixel, red, green, blue and how opaque, row by row from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Picture {
    /// The bytes.
    pub rgba: Vec<u8>,
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

type Colour = [u8; 4];

const INK: Colour = [0xff, 0xff, 0xff, 0xff];
/// Behind the signs: quiet, and unlike the tile it lies on.
const PLATE: Colour = [0x1c, 0x1b, 0x1a, 0xff];

/// Largest number that is drawn; more are drawn as this with a plus.
const LARGEST: u64 = 99;

/// A sign: five rows of three cells, a bit each, the left one highest.
type Sign = [u8; 5];

const DIGITS: [Sign; 10] = [
    [0b111, 0b101, 0b101, 0b101, 0b111],
    [0b010, 0b110, 0b010, 0b010, 0b111],
    [0b111, 0b001, 0b111, 0b100, 0b111],
    [0b111, 0b001, 0b111, 0b001, 0b111],
    [0b101, 0b101, 0b111, 0b001, 0b001],
    [0b111, 0b100, 0b111, 0b001, 0b111],
    [0b111, 0b100, 0b111, 0b101, 0b111],
    [0b111, 0b001, 0b010, 0b010, 0b010],
    [0b111, 0b101, 0b111, 0b101, 0b111],
    [0b111, 0b101, 0b111, 0b001, 0b111],
];
const PLUS: Sign = [0b000, 0b010, 0b111, 0b010, 0b000];
const BARS: Sign = [0b101, 0b101, 0b101, 0b101, 0b101];

/// Cells along a side of the picture. Three signs side by side take 13 of them, two signs one above the other 14; and in a
/// panel's 22 pixels a cell is still more than one.
const CELLS: u32 = 16;

/// Rows of cells of a sign, and cells in each.
const SIGN_ROWS: u32 = 5;
const SIGN_CELLS: u32 = 3;

/// `base` with the marks: the number in the lower right corner, the pause in the upper left.
pub(crate) fn drawn(base: &Picture, marks: Marks) -> Picture {
    let mut picture = base.clone();
    if marks.paused {
        plate(&mut picture, &[BARS], Corner::UpperLeft);
    }
    if marks.to_review > 0 {
        plate(&mut picture, &signs_of(marks.to_review), Corner::LowerRight);
    }
    picture
}

fn signs_of(number: u64) -> Vec<Sign> {
    let digit = |value: u64| usize::try_from(value % 10).ok().and_then(|at| DIGITS.get(at)).copied();
    let shown = number.min(LARGEST);
    let tens = (shown >= 10).then(|| digit(shown / 10)).flatten();
    let plus = (number > LARGEST).then_some(PLUS);
    tens.into_iter().chain(digit(shown)).chain(plus).collect()
}

#[derive(Clone, Copy)]
enum Corner {
    UpperLeft,
    LowerRight,
}

/// Draws signs side by side on a plate of its own in a corner: a cell apart, with a cell around.
fn plate(picture: &mut Picture, signs: &[Sign], corner: Corner) {
    let count = u32::try_from(signs.len()).unwrap_or(0);
    let cells = count * (SIGN_CELLS + 1) + 1;
    let rows = SIGN_ROWS + 2;
    let cell = picture.width.min(picture.height) / CELLS;
    let (left, top) = match corner {
        Corner::UpperLeft => (0, 0),
        Corner::LowerRight => (picture.width - cells * cell, picture.height - rows * cell),
    };
    fill(picture, (left, top), (cells * cell, rows * cell), PLATE);
    let mut at = left + cell;
    for sign in signs {
        for (row, bits) in (0..SIGN_ROWS).zip(sign) {
            for column in (0..SIGN_CELLS).filter(|column| bits >> (SIGN_CELLS - 1 - column) & 1 == 1) {
                let corner = (at + column * cell, top + (row + 1) * cell);
                fill(picture, corner, (cell, cell), INK);
            }
        }
        at += (SIGN_CELLS + 1) * cell;
    }
}

/// Fills a rectangle, of which nothing outside of the picture is drawn.
fn fill(picture: &mut Picture, (left, top): (u32, u32), (width, height): (u32, u32), colour: Colour) {
    // A picture without pixels has no rows either; only the length of one may not be nothing.
    let row_bytes = (picture.width as usize * colour.len()).max(1);
    for row in picture.rgba.chunks_exact_mut(row_bytes).skip(top as usize).take(height as usize) {
        for pixel in row.chunks_exact_mut(colour.len()).skip(left as usize).take(width as usize) {
            pixel.copy_from_slice(&colour);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIDE: u32 = 128;

    fn base() -> Picture {
        Picture { rgba: vec![9; (SIDE * SIDE * 4) as usize], width: SIDE, height: SIDE }
    }

    fn marked(to_review: u64, paused: bool) -> Picture {
        drawn(&base(), Marks { to_review, paused })
    }

    fn pixels(picture: &Picture, colour: Colour) -> usize {
        picture.rgba.chunks_exact(4).filter(|pixel| *pixel == colour).count()
    }

    #[test]
    fn nothing_to_say_leaves_the_picture_as_it_is() {
        assert_eq!(marked(0, false), base());
    }

    #[test]
    fn every_number_to_a_hundred_looks_different_and_keeps_the_size() {
        let pictures: Vec<Picture> = (0..=100).map(|number| marked(number, false)).collect();
        for (at, picture) in pictures.iter().enumerate() {
            assert_eq!(picture.rgba.len(), base().rgba.len());
            assert!(!pictures[..at].contains(picture), "{at} looks like another number");
        }
        assert_eq!(marked(100, false), marked(u64::MAX, false), "both are more than 99");
    }

    #[test]
    fn a_pause_is_drawn_as_a_sign_beside_the_number() {
        let cell = ((SIDE / CELLS) * (SIDE / CELLS)) as usize;
        for number in [0, 7, 42, 1000] {
            let (alone, both) = (marked(number, false), marked(number, true));
            // Two bars of five cells are inked, on a plate of five by seven, and nothing of the number is covered.
            assert_eq!(pixels(&both, INK) - pixels(&alone, INK), 10 * cell, "{number}");
            assert_eq!(pixels(&both, PLATE) - pixels(&alone, PLATE), 25 * cell, "{number}");
        }
    }

    #[test]
    fn a_picture_too_small_for_signs_is_left_in_peace() {
        for side in 0..12 {
            let base = Picture { rgba: vec![9; (side * side * 4) as usize], width: side, height: side };
            let picture = drawn(&base, Marks { to_review: 123, paused: true });
            assert_eq!(picture.rgba.len(), base.rgba.len());
        }
    }
}
