//! Wire types as text for people, and as JSON: what the program `retrace` prints.
//!
//! Each function writes to what it is given. Only [`step`], a step of a review by key, calls commands that read.
//!
//! Invariants: texts from memories and transcripts are written out ([`visible`]), so that none acts on a terminal; rows are cut on
//! a terminal alone.
//!
//! ```
//! assert_eq!(retrace_print::visible::line("a\u{1b}b"), "a‹U+001B›b");
//! ```

pub mod act;
pub mod broken;
pub mod chart;
pub mod check;
pub mod compare;
pub mod confirm;
pub mod context;
pub mod diff;
pub mod discover;
pub mod document;
pub mod dreams;
pub mod error;
pub mod guards;
pub mod health;
pub mod hub;
pub mod hub_people;
pub mod hub_policy;
pub mod hub_sessions;
pub mod hub_together;
pub mod inbox;
pub mod json;
pub mod kinds;
pub mod layout;
pub mod memory;
pub mod mounts;
pub mod names;
pub mod opening;
pub mod origin;
pub mod paint;
pub mod past;
pub mod presence;
pub mod receipt;
pub mod recommend;
pub mod remedy;
pub mod remote;
pub mod request;
pub mod rules;
pub mod search;
pub mod session;
pub mod simulate;
pub mod step;
pub mod stores;
pub mod table;
#[cfg(test)]
mod tests;
pub mod time;
pub mod today;
pub mod tokens;
pub mod transcripts;
pub mod triage;
pub mod verify;
pub mod version;
pub mod visible;
pub mod worth;
pub mod wrap;

use paint::Paint;
use retrace_api::wire::CounterStatus;
use retrace_model::Timestamp;
use std::io::{Result, Write};

/// Time zone of printed times. JSON always has UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zone {
    /// In the machine's time zone.
    Machine,
    /// In UTC.
    Utc,
}

/// Style of printed text.
#[derive(Clone, Copy)]
pub struct Style {
    /// Colours, or none.
    pub paint: Paint,
    /// In which time zone.
    pub zone: Zone,
    /// Now, from which times are told; instants are printed without it.
    pub now: Option<Timestamp>,
    /// Columns of the terminal; into a file or a pipe nothing is cut.
    pub columns: Option<usize>,
    /// Every detail: whole ids, instants.
    pub verbose: bool,
}

impl Style {
    /// The same with instants in place of “3 hours ago”.
    pub fn with_instants(self) -> Self {
        Self { now: None, ..self }
    }
}

#[cfg(test)]
impl Style {
    /// In UTC, without colours.
    pub const PLAIN: Self =
        Self { paint: Paint::plain(), zone: Zone::Utc, now: None, columns: None, verbose: false };
    /// In UTC, with colours.
    pub const COLOURS: Self = Self { paint: Paint::colours(), ..Self::PLAIN };
}

/// `1 version`, `2 versions`, `1,204 versions`.
pub fn count(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", table::grouped(number), if number == 1 { one } else { many })
}

/// The first twelve digits of a hash: enough to tell contents apart by eye. `nothing` where there is none.
pub fn short_hash(hash: Option<&str>) -> &str {
    hash.map_or("nothing", |hash| hash.get(..12).unwrap_or(hash))
}

/// Where exact counts would come from.
pub fn counter(out: &mut (impl Write + ?Sized), status: &CounterStatus) -> Result<()> {
    let key = match status.key_source.as_deref() {
        Some(source) => format!("key from the {}", visible::line(source)),
        None => "no key".to_owned(),
    };
    let keyring = if status.keyring { "a keyring can be used" } else { "no keyring can be used here" };
    writeln!(out, "{}: {key}; {keyring}", visible::line(&status.base_url))
}
