//! Times as people type them, as the commands take them: RFC 3339 in UTC.
//!
//! A time without a zone is local, as the times are that are printed as text. Clock and zone are passed in.

use chrono::{DateTime, Duration, NaiveDate, NaiveDateTime, NaiveTime, SecondsFormat, TimeZone, Utc};
use retrace_model::Timestamp;

/// The forms of a time, for the advice of an error.
pub(crate) const FORMS: &str = "A time is `now`, `today`, `yesterday`, how long ago (`5m`, `2h`, `3d`, `2w`), \
                                `14:00`, `2026-11-26`, `2026-11-26 14:00` or RFC 3339; without a zone it is local.";

/// Longest gap that a clock is set forward by, and more.
const OVER_A_GAP: Duration = Duration::hours(3);

/// The instant that a text means. `None` for what is no time.
pub(crate) fn read<Z: TimeZone>(text: &str, now: impl FnOnce() -> Timestamp, zone: &Z) -> Option<Timestamp> {
    if let Some(at) = with_zone(text) {
        return Some(at);
    }
    if let Some(local) = local_time(text) {
        return instant(local, zone);
    }
    if let Some(micros) = ago(text) {
        return now().micros().checked_sub(micros).map(Timestamp::from_micros);
    }
    let time = ["%H:%M", "%H:%M:%S"].iter().find_map(|form| NaiveTime::parse_from_str(text, form).ok());
    let (days, time) = match (text, time) {
        ("now", _) => return Some(now()),
        ("today", _) => (0, NaiveTime::MIN),
        ("yesterday", _) => (1, NaiveTime::MIN),
        (_, Some(time)) => (0, time),
        _ => return None,
    };
    let today = DateTime::<Utc>::from_timestamp_micros(now().micros())?.with_timezone(zone).date_naive();
    instant(today.checked_sub_days(chrono::Days::new(days))?.and_time(time), zone)
}

/// The instant as the commands take it.
pub(crate) fn printed(at: Timestamp) -> String {
    DateTime::<Utc>::from_timestamp_micros(at.micros())
        .map_or_else(|| at.to_rfc3339(), |at| at.to_rfc3339_opts(SecondsFormat::AutoSi, true))
}

/// RFC 3339, and the same without seconds.
fn with_zone(text: &str) -> Option<Timestamp> {
    let short = || {
        let (local, utc) = text.strip_suffix('Z').map_or((text, false), |local| (local, true));
        if utc {
            return Some(
                NaiveDateTime::parse_from_str(local, "%Y-%m-%dT%H:%M").ok()?.and_utc().fixed_offset(),
            );
        }
        DateTime::parse_from_str(text, "%Y-%m-%dT%H:%M%:z").ok()
    };
    let at = DateTime::parse_from_rfc3339(text).ok().or_else(short)?;
    Some(Timestamp::from_micros(at.timestamp_micros()))
}

/// A date, which is its beginning, or a date with a time.
fn local_time(text: &str) -> Option<NaiveDateTime> {
    let forms = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"];
    let date = || NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().map(|date| date.and_time(NaiveTime::MIN));
    forms.iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok()).or_else(date)
}

/// How long ago, in microseconds.
fn ago(text: &str) -> Option<i64> {
    let unit = match text.chars().last()? {
        'm' => 60,
        'h' => 60 * 60,
        'd' => 24 * 60 * 60,
        'w' => 7 * 24 * 60 * 60,
        _ => return None,
    };
    let number =
        text.get(..text.len() - 1).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    number.parse::<i64>().ok()?.checked_mul(unit * 1_000_000)
}

/// The instant of a local time: the first of two where clocks are set back. One that clocks leave out when they are set forward is
/// read as if they were not yet.
fn instant<Z: TimeZone>(local: NaiveDateTime, zone: &Z) -> Option<Timestamp> {
    let there = zone.from_local_datetime(&local).earliest().map(|at| at.timestamp_micros());
    let micros = there.or_else(|| {
        let before = zone.from_local_datetime(&local.checked_sub_signed(OVER_A_GAP)?).latest()?;
        before.timestamp_micros().checked_add(OVER_A_GAP.num_microseconds()?)
    })?;
    Some(Timestamp::from_micros(micros))
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::{FixedOffset, MappedLocalTime, Offset as _};
    use proptest::prelude::*;

    fn now() -> Timestamp {
        Timestamp::parse("2026-11-26T20:30:15.5Z").expect("a time")
    }

    fn hours(east: i32) -> FixedOffset {
        FixedOffset::east_opt(east * 3600).expect("an offset")
    }

    fn said<Z: TimeZone>(text: &str, zone: &Z) -> Option<String> {
        read(text, now, zone).map(printed)
    }

    #[test]
    fn every_form_is_read_in_the_zone_that_is_passed() {
        // Nine hours to the east it is the morning after.
        for (text, in_utc, in_seoul) in [
            ("now", "2026-11-26T20:30:15.500Z", "2026-11-26T20:30:15.500Z"),
            ("today", "2026-11-26T00:00:00Z", "2026-11-26T15:00:00Z"),
            ("yesterday", "2026-11-25T00:00:00Z", "2026-11-25T15:00:00Z"),
            ("5m", "2026-11-26T20:25:15.500Z", "2026-11-26T20:25:15.500Z"),
            ("2h", "2026-11-26T18:30:15.500Z", "2026-11-26T18:30:15.500Z"),
            ("3d", "2026-11-23T20:30:15.500Z", "2026-11-23T20:30:15.500Z"),
            ("2w", "2026-11-12T20:30:15.500Z", "2026-11-12T20:30:15.500Z"),
            ("14:00", "2026-11-26T14:00:00Z", "2026-11-27T05:00:00Z"),
            ("14:00:30", "2026-11-26T14:00:30Z", "2026-11-27T05:00:30Z"),
            ("2026-11-26", "2026-11-26T00:00:00Z", "2026-11-25T15:00:00Z"),
            ("2026-11-26 14:00", "2026-11-26T14:00:00Z", "2026-11-26T05:00:00Z"),
            ("2026-11-26 14:00:09", "2026-11-26T14:00:09Z", "2026-11-26T05:00:09Z"),
            ("2026-11-26T14:00", "2026-11-26T14:00:00Z", "2026-11-26T05:00:00Z"),
            ("2026-11-26T14:00:00", "2026-11-26T14:00:00Z", "2026-11-26T05:00:00Z"),
            ("2026-11-26T14:00Z", "2026-11-26T14:00:00Z", "2026-11-26T14:00:00Z"),
            ("2026-11-26T14:00+02:00", "2026-11-26T12:00:00Z", "2026-11-26T12:00:00Z"),
            ("2026-11-26T14:00:00Z", "2026-11-26T14:00:00Z", "2026-11-26T14:00:00Z"),
            ("2026-11-26T14:00:00.25+02:00", "2026-11-26T12:00:00.250Z", "2026-11-26T12:00:00.250Z"),
        ] {
            assert_eq!(said(text, &Utc).as_deref(), Some(in_utc), "{text}");
            assert_eq!(said(text, &hours(9)).as_deref(), Some(in_seoul), "{text}");
        }
    }

    #[test]
    fn nonsense_is_no_time() {
        for text in [
            "",
            "m",
            "-5m",
            "5",
            "5 m",
            "5y",
            "9223372036854775807w",
            "97",
            "noon",
            "Today",
            "24:00",
            "14",
            "14:60",
            "2026-13-01",
            "2026-11-31",
            "2026-11-26 25:00",
            "2026-11-26T",
            "a.md",
            "日",
        ] {
            assert_eq!(said(text, &Utc), None, "{text:?}");
        }
    }

    /// Clocks are set forward by an hour at midnight (local) before 29 March 2026, and back at 1:00 of 25 October.
    #[derive(Clone)]
    struct Summer;

    impl TimeZone for Summer {
        type Offset = FixedOffset;
        fn from_offset(_: &FixedOffset) -> Self {
            Self
        }
        fn offset_from_local_date(&self, local: &NaiveDate) -> MappedLocalTime<FixedOffset> {
            self.offset_from_local_datetime(&local.and_time(NaiveTime::MIN))
        }
        fn offset_from_local_datetime(&self, local: &NaiveDateTime) -> MappedLocalTime<FixedOffset> {
            let fits = |offset: FixedOffset| self.offset_from_utc_datetime(&(*local - offset)) == offset;
            match (fits(hours(1)), fits(hours(0))) {
                (true, true) => MappedLocalTime::Ambiguous(hours(1), hours(0)),
                (true, false) => MappedLocalTime::Single(hours(1)),
                (false, true) => MappedLocalTime::Single(hours(0)),
                (false, false) => MappedLocalTime::None,
            }
        }
        fn offset_from_utc_date(&self, utc: &NaiveDate) -> FixedOffset {
            self.offset_from_utc_datetime(&utc.and_time(NaiveTime::MIN))
        }
        fn offset_from_utc_datetime(&self, utc: &NaiveDateTime) -> FixedOffset {
            let at = |text: &str| local_time(text).expect("a time");
            let summer = *utc >= at("2026-03-29 00:00") && *utc < at("2026-10-25 00:00");
            hours(i32::from(summer)).fix()
        }
    }

    #[test]
    fn clocks_that_are_set_forward_and_back_leave_no_time_unread() {
        for (text, at) in [
            ("2026-03-28", "2026-03-28T00:00:00Z"),
            ("2026-03-29", "2026-03-29T00:00:00Z"),
            ("2026-03-29 00:30", "2026-03-29T00:30:00Z"),
            ("2026-03-29 01:00", "2026-03-29T00:00:00Z"),
            ("2026-10-25 00:30", "2026-10-24T23:30:00Z"),
            ("2026-10-25 01:30", "2026-10-25T01:30:00Z"),
        ] {
            assert_eq!(said(text, &Summer).as_deref(), Some(at), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_as_local_is_read_back(seconds in -2_000_000_000_i64..4_000_000_000, east in -12_i32..=14) {
            let at = DateTime::<Utc>::from_timestamp(seconds, 0).expect("a time");
            let zone = hours(east);
            let local = at.with_timezone(&zone);
            for form in ["%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%S%:z"] {
                let text = local.format(form).to_string();
                let found = read(&text, now, &zone).map(Timestamp::micros);
                prop_assert_eq!(found, Some(seconds * 1_000_000), "{}", text);
            }
            // The day it is printed under has begun by then, and the one after has not.
            let day = |date: NaiveDate| read(&date.to_string(), now, &zone).expect("a date").micros();
            let date = local.date_naive();
            prop_assert!(day(date) <= seconds * 1_000_000);
            prop_assert!(day(date.succ_opt().expect("a date")) > seconds * 1_000_000);
        }

        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,12}|[0-9:TZ \\-+mhdw.]{0,26}") {
            let _ = read(&text, now, &Utc).map(printed);
        }
    }
}
