//! A file line by line, with the account kept.

use crate::Account;
use crate::account::malformed;

/// Goes over the lines that are not blank: number (from 1) and bytes. A line for which `each` gives a reason is counted
/// as malformed, unless it is the last one and has no line break: then it is cut.
pub(crate) fn each_line<'a>(
    bytes: &'a [u8],
    account: &mut Account,
    mut each: impl FnMut(u32, &'a [u8], &mut Account) -> Result<(), retrace_message::Message>,
) {
    account.bytes = bytes.len() as u64;
    let mut rest = bytes;
    let mut number = 0_u32;
    while !rest.is_empty() {
        let end = memchr::memchr(b'\n', rest);
        let (line, after) = end.map_or((rest, &[][..]), |end| (&rest[..end], &rest[end + 1..]));
        rest = after;
        number = number.saturating_add(1);
        let line = trim(line);
        if line.is_empty() {
            continue;
        }
        account.lines += 1;
        if let Err(reason) = each(number, line, account) {
            if end.is_none() {
                account.last_line_cut = true;
            } else {
                malformed(account, u64::from(number), reason);
            }
        }
    }
}

/// Without white space around it and without a byte order mark before it.
pub(crate) fn trim(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii();
    line.strip_prefix("\u{feff}".as_bytes()).map_or(line, <[u8]>::trim_ascii)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_last_line_is_not_malformed() {
        let mut account = Account::default();
        let mut seen = Vec::new();
        each_line(b"\xef\xbb\xbfa\n\nb\r\nc", &mut account, |number, line, _| {
            seen.push((number, line.to_vec()));
            if line == b"a" { Ok(()) } else { Err(retrace_message::Message::verbatim("no")) }
        });
        assert_eq!(seen, [(1, b"a".to_vec()), (3, b"b".to_vec()), (4, b"c".to_vec())]);
        assert_eq!((account.lines, account.malformed_lines, account.last_line_cut), (3, 1, true));
        assert_eq!(account.malformed[0].line, 3);
    }
}
