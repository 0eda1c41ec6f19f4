//! Times for people: how long ago, or, where more is asked for, RFC 3339 to the second, so that what is printed can be typed
//! back.

use super::{Style, Zone};
use chrono::{DateTime, Local, SecondsFormat};
use retrace_api::wire::Message;
use retrace_model::Timestamp;
use std::time::Duration;

/// A time of the wire (RFC 3339, UTC) as the style has it: “3 hours ago”, or the instant. Anything else as it stands, made
/// visible.
pub fn time(text: &str, style: Style) -> String {
    match style.now {
        Some(now) => ago(text, now).unwrap_or_else(|| instant(text, style.zone)),
        None => instant(text, style.zone),
    }
}

/// A time of the wire in the zone; anything else as it stands, made visible.
pub fn instant(text: &str, zone: Zone) -> String {
    let Ok(instant) = DateTime::parse_from_rfc3339(text) else { return super::visible::line(text) };
    match zone {
        Zone::Utc => instant.to_utc().to_rfc3339_opts(SecondsFormat::Secs, true),
        Zone::Machine => instant.with_timezone(&Local).to_rfc3339_opts(SecondsFormat::Secs, true),
    }
}

/// A sentence of the program, its times in the zone; everything in it made visible.
pub fn told(message: &Message, zone: Zone) -> String {
    let times = message.words().into_iter().filter(|word| Timestamp::parse(word).is_ok());
    let text = times.fold(message.text().to_owned(), |text, time| text.replace(time, &instant(time, zone)));
    super::visible::line(&text)
}

/// The instant, with how long ago that is, where there is a now.
pub fn both(text: &str, style: Style) -> String {
    let at = instant(text, style.zone);
    match style.now.and_then(|now| ago(text, now)) {
        Some(ago) => format!("{at} ({ago})"),
        None => at,
    }
}

/// How long ago a time was. `None` for what is no time, or lies ahead by more than clocks are apart.
fn ago(text: &str, now: Timestamp) -> Option<String> {
    let at = DateTime::parse_from_rfc3339(text).ok()?.timestamp_micros();
    let micros = now.micros().saturating_sub(at);
    if micros < -CLOCKS_APART {
        return None;
    }
    let mut formatter = timeago::Formatter::new();
    formatter.too_low("just now").min_unit(timeago::TimeUnit::Seconds);
    Some(formatter.convert(Duration::from_micros(u64::try_from(micros).unwrap_or(0))))
}

/// Clocks of machines differ by so much, in microseconds.
const CLOCKS_APART: i64 = 60 * 1_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_cut_to_the_second() {
        assert_eq!(instant("2026-11-20T14:02:17.123456Z", Zone::Utc), "2026-11-20T14:02:17Z");
        assert_eq!(instant("2026-11-20T14:02:17+09:00", Zone::Utc), "2026-11-20T05:02:17Z");
        assert_eq!(instant("yester\u{200b}day", Zone::Utc), "yester‹U+200B›day");
        assert!(instant("2026-11-20T14:02:17Z", Zone::Machine).starts_with("2026-11-2"));
    }

    #[test]
    fn times_within_a_sentence_are_cut_to_the_second() {
        retrace_message::messages! {
            mod say in "print_time_tests";
            began(path, at) => "{path}: recording began at {at}.",
        }
        let path = "2026-11-20T14:02:17.5Z.md";
        let said = say::began(path, "2026-11-20T14:02:17.123456Z").sentence();
        let printed = told(&Message::verbatim("").then(say::began(path, said)), Zone::Utc);
        assert_eq!(
            printed,
            format!("{path}: recording began at {path}: recording began at 2026-11-20T14:02:17Z..")
        );
    }

    #[test]
    fn times_are_told_from_the_clock_that_was_passed() {
        let now = Timestamp::parse("2026-11-20T14:00:00Z").expect("a time");
        let style = Style { now: Some(now), ..Style::PLAIN };
        for (at, said) in [
            ("2026-11-20T14:00:00Z", "just now"),
            ("2026-11-20T13:59:20Z", "40 seconds ago"),
            ("2026-11-20T13:59:00Z", "1 minute ago"),
            ("2026-11-20T10:02:17Z", "3 hours ago"),
            ("2026-11-18T10:02:17Z", "2 days ago"),
            ("2026-08-18T10:02:17Z", "3 months ago"),
            ("2026-11-20T14:00:30Z", "just now"),
            ("2026-11-20T15:00:00Z", "2026-11-20T15:00:00Z"),
            ("never", "never"),
        ] {
            assert_eq!(time(at, style), said, "{at}");
        }
        assert_eq!(time("2026-11-20T10:02:17Z", Style::PLAIN), "2026-11-20T10:02:17Z");
        assert_eq!(both("2026-11-20T10:02:17Z", style), "2026-11-20T10:02:17Z (3 hours ago)");
    }
}
