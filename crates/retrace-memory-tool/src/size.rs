//! Sizes in directory views.

use crate::Dialect;

const UNITS: [char; 4] = ['B', 'K', 'M', 'G'];
const STEP: u64 = 1024;

/// A number of bytes as a dialect writes it.
///
/// `py` and `ts`: the largest unit not above the value; no decimals when it divides, else one, without going on to the
/// next unit (1,048,575 is `1024.0K`). `py` rounds an exact half to even, `ts` up, and `ts` has no unit for a tebibyte.
/// `docs`: as in the page's example, with one decimal always (`4.0K`), halves up; bytes without.
pub(crate) fn size(bytes: u64, dialect: Dialect) -> String {
    let mut unit = 0;
    while unit < 3 && bytes >= STEP.pow(unit + 1) {
        unit += 1;
    }
    if dialect == Dialect::Ts && bytes >= STEP.pow(4) {
        unit = 4;
    }
    let name = UNITS.get(unit as usize).map_or_else(|| "undefined".to_owned(), char::to_string);
    let whole = STEP.pow(unit);
    if bytes.is_multiple_of(whole) && (dialect != Dialect::Docs || unit == 0) {
        return format!("{}{name}", bytes / whole);
    }
    let tenths = u128::from(bytes) * 10;
    let (mut value, rest) = (tenths / u128::from(whole), tenths % u128::from(whole) * 2);
    let half = u128::from(whole);
    let up = rest > half || (rest == half && (dialect != Dialect::Py || value % 2 == 1));
    value += u128::from(up);
    format!("{}.{}{name}", value / 10, value % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_the_sheet() {
        for (bytes, docs, py, ts) in [
            (0, "0B", "0B", "0B"),
            (14, "14B", "14B", "14B"),
            (1023, "1023B", "1023B", "1023B"),
            (1024, "1.0K", "1K", "1K"),
            (1280, "1.3K", "1.2K", "1.3K"),
            (1536, "1.5K", "1.5K", "1.5K"),
            (1792, "1.8K", "1.8K", "1.8K"),
            (4096, "4.0K", "4K", "4K"),
            (1_048_575, "1024.0K", "1024.0K", "1024.0K"),
            (1_048_576, "1.0M", "1M", "1M"),
            (1 << 30, "1.0G", "1G", "1G"),
            (1 << 40, "1024.0G", "1024G", "1undefined"),
        ] {
            assert_eq!(size(bytes, Dialect::Docs), docs);
            assert_eq!(size(bytes, Dialect::Py), py);
            assert_eq!(size(bytes, Dialect::Ts), ts);
        }
    }
}
