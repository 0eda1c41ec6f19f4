//! Files that are one JSON document, or one document a line.

use crate::Account;
use crate::account::json_reason;
use crate::lines::each_line;
use serde_json::value::RawValue;

/// Calls `each` with every document and its line (0 for a file that is one document).
pub(crate) fn each_document(
    bytes: &[u8],
    account: &mut Account,
    mut each: impl FnMut(u32, &RawValue, &mut Account),
) {
    if let Ok(document) = serde_json::from_slice::<&RawValue>(crate::lines::trim(bytes)) {
        *account = Account { bytes: bytes.len() as u64, lines: 1, ..Account::default() };
        each(0, document, account);
        return;
    }
    each_line(bytes, account, |number, line, account| {
        let document = serde_json::from_slice::<&RawValue>(line).map_err(|error| json_reason(&error))?;
        each(number, document, account);
        Ok(())
    });
}
