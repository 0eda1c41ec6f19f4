//! Where a page ends: an opaque text that leads on in the same list and in no other.

use crate::open::BAD_CURSOR;
use crate::refusal::Refusal;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use retrace_model::{Sha256, StoreId};

/// Source: API reference, `next_page`.
const PREFIX: &str = "page_";

/// Bytes of the mark that says which list a cursor belongs to.
const MARK: usize = 6;

/// List that a cursor belongs to.
#[derive(Clone, Copy, Debug)]
pub enum Listing<'a> {
    /// Stores.
    Stores,
    /// Memories of a store below a prefix, to a depth.
    Memories(StoreId, &'a str, u64),
    /// Versions of a store.
    Versions(StoreId),
}

/// The place after which a page begins: a number, or a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor(Vec<u8>);

impl Cursor {
    /// After a place that is a number.
    #[must_use]
    pub fn number(place: u64) -> Self {
        Self(place.to_be_bytes().to_vec())
    }

    /// After a path.
    #[must_use]
    pub fn path(path: &[u8]) -> Self {
        Self(path.to_vec())
    }

    /// The number.
    ///
    /// # Errors
    /// When it is none.
    pub fn as_number(&self) -> Result<u64, Refusal> {
        let bytes: [u8; 8] = self.0.as_slice().try_into().map_err(|_| refused())?;
        Ok(u64::from_be_bytes(bytes))
    }

    /// The path.
    #[must_use]
    pub fn as_path(&self) -> &[u8] {
        &self.0
    }

    /// The text a client gets.
    #[must_use]
    pub fn write(&self, listing: Listing<'_>) -> String {
        let bytes = [&mark(listing, &self.0)[..], &self.0].concat();
        format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(bytes))
    }

    /// Reads the text a client sent back.
    ///
    /// # Errors
    /// When it is no cursor of this list.
    pub fn read(text: &str, listing: Listing<'_>) -> Result<Self, Refusal> {
        let bytes = text.strip_prefix(PREFIX).and_then(|text| URL_SAFE_NO_PAD.decode(text).ok());
        let Some((found, place)) = bytes.as_deref().and_then(|bytes| bytes.split_at_checked(MARK)) else {
            return Err(refused());
        };
        if found != mark(listing, place) {
            return Err(refused());
        }
        Ok(Self(place.to_vec()))
    }
}

fn mark(listing: Listing<'_>, place: &[u8]) -> [u8; MARK] {
    let mut text = Vec::new();
    match listing {
        Listing::Stores => text.push(b's'),
        Listing::Memories(store, prefix, depth) => {
            text.push(b'm');
            text.extend(store.0);
            text.extend(depth.to_be_bytes());
            text.extend(prefix.as_bytes());
            text.push(0);
        }
        Listing::Versions(store) => {
            text.push(b'v');
            text.extend(store.0);
        }
    }
    text.extend(place);
    let mut mark = [0; MARK];
    mark.copy_from_slice(&Sha256::of(&text).0[..MARK]);
    mark
}

fn refused() -> Refusal {
    Refusal::new(BAD_CURSOR, "page: is not a cursor of this list")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const STORE: StoreId = StoreId([3; 16]);

    #[test]
    fn a_cursor_leads_on_in_its_own_list_only() {
        let text = Cursor::number(7).write(Listing::Versions(STORE));
        assert_eq!(Cursor::read(&text, Listing::Versions(STORE)).and_then(|it| it.as_number()), Ok(7));
        for other in [Listing::Stores, Listing::Versions(StoreId([4; 16])), Listing::Memories(STORE, "/", 0)]
        {
            assert!(Cursor::read(&text, other).is_err());
        }
    }

    proptest! {
        #[test]
        fn every_cursor_reads_back_and_no_other_text_does(path: Vec<u8>, text: String) {
            let listing = Listing::Memories(STORE, "/a/", 1);
            let cursor = Cursor::path(&path);
            prop_assert_eq!(Cursor::read(&cursor.write(listing), listing), Ok(cursor));
            prop_assert!(Cursor::read(&text, listing).is_err());
            let marked = format!("page_{text}");
            prop_assert!(Cursor::read(&marked, listing).is_err());
        }
    }
}
