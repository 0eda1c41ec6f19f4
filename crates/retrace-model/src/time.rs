//! Instants, in UTC, to the microsecond.

use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};
use retrace_message::AsMessage;
use std::fmt;
use thiserror::Error;

/// An instant in UTC, in microseconds since 1970-01-01T00:00:00Z. Order in the log is by sequence number; times are
/// information, because clocks jump.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// A text is not an instant.
#[derive(Clone, Debug, PartialEq, Eq, Error, AsMessage)]
#[message("time")]
#[error("{0:?} is not a time; use RFC 3339 such as 2026-11-20T14:02:17Z, or a date such as 2026-11-20")]
pub struct TimestampError(pub String);

impl Timestamp {
    /// From microseconds since the Unix epoch.
    #[must_use]
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Microseconds since the Unix epoch.
    #[must_use]
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// Reads RFC 3339 with any offset, or a bare date, which means its first instant in UTC.
    ///
    /// # Errors
    /// [`TimestampError`] when `text` is neither.
    pub fn parse(text: &str) -> Result<Self, TimestampError> {
        if let Ok(instant) = DateTime::parse_from_rfc3339(text) {
            return Ok(Self(instant.timestamp_micros()));
        }
        NaiveDate::parse_from_str(text, "%Y-%m-%d")
            .ok()
            .and_then(|date| date.and_hms_opt(0, 0, 0))
            .map(|midnight| Self(midnight.and_utc().timestamp_micros()))
            .ok_or_else(|| TimestampError(text.to_owned()))
    }

    /// RFC 3339 in UTC with six fraction digits: `2026-11-20T14:02:17.000000Z`.
    #[must_use]
    pub fn to_rfc3339(self) -> String {
        DateTime::<Utc>::from_timestamp_micros(self.0)
            .unwrap_or(if self.0 < 0 { DateTime::<Utc>::MIN_UTC } else { DateTime::<Utc>::MAX_UTC })
            .to_rfc3339_opts(SecondsFormat::Micros, true)
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Timestamp({})", self.to_rfc3339())
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_rfc3339())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_and_dates_are_read_and_printed_in_utc() {
        for (text, printed) in [
            ("2026-11-20T14:02:17Z", "2026-11-20T14:02:17.000000Z"),
            ("2026-11-20T14:02:17.123456+09:00", "2026-11-20T05:02:17.123456Z"),
            ("2026-11-20", "2026-11-20T00:00:00.000000Z"),
        ] {
            assert_eq!(Timestamp::parse(text).expect("a time").to_rfc3339(), printed);
        }
    }

    #[test]
    fn nonsense_is_refused_and_extremes_still_print() {
        assert!(Timestamp::parse("yesterday").is_err());
        assert!(Timestamp::from_micros(i64::MAX).to_rfc3339().contains('T'));
        assert!(Timestamp::from_micros(i64::MIN).to_rfc3339().contains('T'));
    }
}
