//! Wire types as text for people, and as JSON. Each function writes; none calls a command.

pub(crate) mod act;
pub(crate) mod chart;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod confirm;
pub(crate) mod context;
pub(crate) mod diff;
pub(crate) mod discover;
pub(crate) mod document;
pub(crate) mod dreams;
pub(crate) mod error;
pub(crate) mod health;
pub(crate) mod inbox;
pub(crate) mod json;
pub(crate) mod kinds;
pub(crate) mod memory;
pub(crate) mod mounts;
pub(crate) mod names;
pub(crate) mod origin;
pub(crate) mod paint;
pub(crate) mod past;
pub(crate) mod receipt;
pub(crate) mod remedy;
pub(crate) mod remote;
pub(crate) mod request;
pub(crate) mod search;
pub(crate) mod simulate;
pub(crate) mod stores;
pub(crate) mod table;
#[cfg(test)]
mod tests;
pub(crate) mod time;
pub(crate) mod tokens;
pub(crate) mod transcripts;
pub(crate) mod triage;
pub(crate) mod verify;
pub(crate) mod version;
pub(crate) mod visible;

use crate::io::Zone;
use paint::Paint;
use retrace_api::wire::CounterStatus;
use std::io::{Result, Write};

/// Style of printed text.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    /// Colours, or none.
    pub(crate) paint: Paint,
    /// In which time zone.
    pub(crate) zone: Zone,
}

#[cfg(test)]
impl Style {
    pub(crate) const PLAIN: Self = Self { paint: Paint::plain(), zone: Zone::Utc };
    pub(crate) const COLOURS: Self = Self { paint: Paint::colours(), zone: Zone::Utc };
}

/// `1 version`, `2 versions`.
pub(crate) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// The first twelve digits of a hash: enough to tell contents apart by eye. `nothing` where there is none.
pub(crate) fn short_hash(hash: Option<&str>) -> &str {
    hash.map_or("nothing", |hash| hash.get(..12).unwrap_or(hash))
}

/// Where exact counts would come from.
pub(crate) fn counter(out: &mut (impl Write + ?Sized), status: &CounterStatus) -> Result<()> {
    let key = match status.key_source.as_deref() {
        Some(source) => format!("key from the {}", visible::line(source)),
        None => "no key".to_owned(),
    };
    let keyring = if status.keyring { "a keyring can be used" } else { "no keyring can be used here" };
    writeln!(out, "{}: {key}; {keyring}", visible::line(&status.base_url))
}
