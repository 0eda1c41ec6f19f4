//! Times for people: RFC 3339 to the second, so that what is printed can be typed back.

use crate::io::Zone;
use chrono::{DateTime, Local, SecondsFormat};

/// A time of the wire (RFC 3339, UTC) in the zone; anything else as it stands, made visible.
pub(crate) fn time(text: &str, zone: Zone) -> String {
    let Ok(instant) = DateTime::parse_from_rfc3339(text) else { return super::visible::line(text) };
    match zone {
        Zone::Utc => instant.to_utc().to_rfc3339_opts(SecondsFormat::Secs, true),
        Zone::Machine => instant.with_timezone(&Local).to_rfc3339_opts(SecondsFormat::Secs, true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_cut_to_the_second() {
        assert_eq!(time("2026-11-20T14:02:17.123456Z", Zone::Utc), "2026-11-20T14:02:17Z");
        assert_eq!(time("2026-11-20T14:02:17+09:00", Zone::Utc), "2026-11-20T05:02:17Z");
        assert_eq!(time("yester\u{200b}day", Zone::Utc), "yester‹U+200B›day");
        assert!(time("2026-11-20T14:02:17Z", Zone::Machine).starts_with("2026-11-2"));
    }
}
