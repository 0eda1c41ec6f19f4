//! Decides on a further try and its time. Follows `anthropic` 2.11.0; see [`crate::facts`].

use crate::answer::Answer;
use crate::cancel::Cancel;
use crate::facts::{FIRST_WAIT_SECONDS, JITTER, LONGEST_BACKOFF_SECONDS};
use chrono::{DateTime, Utc};
use std::time::{Duration, SystemTime};

/// The world outside that waiting needs: clock, patience and chance.
pub trait Timing: Send + Sync {
    /// The time, for `retry-after` dates.
    fn now(&self) -> SystemTime;
    /// Waits for a time, or until stopped. True when stopped.
    fn wait(&self, time: Duration, cancel: &Cancel) -> bool;
    /// A number from 0 up to, but not including, 1.
    fn random(&self) -> f64;
}

/// The machine's own clock and chance.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemTiming;

impl Timing for SystemTiming {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    fn wait(&self, time: Duration, cancel: &Cancel) -> bool {
        cancel.wait(time)
    }

    fn random(&self) -> f64 {
        // Without chance the waits are merely less spread.
        getrandom::u32().map_or(0.5, |number| f64::from(number) / (f64::from(u32::MAX) + 1.0))
    }
}

/// True if the SDK would try again after an answer.
pub(crate) fn is_retried(answer: &Answer) -> bool {
    match answer.should_retry.as_deref() {
        Some("true") => true,
        Some("false") => false,
        _ => matches!(answer.status, 408 | 409 | 429) || answer.status >= 500,
    }
}

/// The wait that an answer asks for; none where it asks for none or for none that is more than zero.
pub(crate) fn asked_wait(answer: &Answer, now: SystemTime) -> Option<Duration> {
    let number = |text: Option<&str>| text.and_then(|text| text.trim().parse::<f64>().ok());
    let seconds = number(answer.retry_after_ms.as_deref())
        .map(|milliseconds| milliseconds / 1000.0)
        .or_else(|| number(answer.retry_after.as_deref()))
        .or_else(|| {
            let date = DateTime::parse_from_rfc2822(answer.retry_after.as_deref()?.trim()).ok()?;
            let left = date.with_timezone(&Utc) - DateTime::<Utc>::from(now);
            left.to_std().ok().map(|left| left.as_secs_f64())
        })?;
    if seconds > 0.0 {
        // A value too large for a duration is longer than any limit.
        let wait = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        return Some(wait).filter(|wait| !wait.is_zero());
    }
    None
}

/// The wait after `tries` calls that asked for none. `random` is from 0 to 1.
pub(crate) fn backoff(tries: u32, random: f64) -> Duration {
    let exponent = i32::try_from(tries.saturating_sub(1).min(1000)).unwrap_or(1000);
    let seconds = (FIRST_WAIT_SECONDS * 2f64.powi(exponent)).min(LONGEST_BACKOFF_SECONDS);
    Duration::try_from_secs_f64(seconds * (1.0 - JITTER * random.clamp(0.0, 1.0))).unwrap_or(Duration::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::UNIX_EPOCH;

    fn answer(status: u16, after: Option<&str>, after_ms: Option<&str>, should: Option<&str>) -> Answer {
        let own = |text: Option<&str>| text.map(str::to_owned);
        Answer {
            status,
            retry_after: own(after),
            retry_after_ms: own(after_ms),
            should_retry: own(should),
            ..Answer::default()
        }
    }

    #[test]
    fn the_same_answers_are_tried_again_as_by_the_sdk() {
        for (status, should, expected) in [
            (408, None, true),
            (409, None, true),
            (429, None, true),
            (500, None, true),
            (529, None, true),
            (400, None, false),
            (401, None, false),
            (413, None, false),
            (429, Some("false"), false),
            (400, Some("true"), true),
            (500, Some("perhaps"), true),
        ] {
            assert_eq!(is_retried(&answer(status, None, None, should)), expected, "{status} {should:?}");
        }
    }

    #[test]
    fn the_wait_is_read_from_either_header() {
        let now = UNIX_EPOCH + Duration::from_secs(1_445_412_420); // 2015-10-21 07:27:00 UTC
        let seconds = |after: Option<&str>, after_ms: Option<&str>| {
            asked_wait(&answer(429, after, after_ms, None), now).map(|wait| wait.as_secs_f64())
        };
        assert_eq!(seconds(Some("7"), None), Some(7.0));
        assert_eq!(seconds(Some("1.5"), None), Some(1.5));
        assert_eq!(seconds(Some("7"), Some("250")), Some(0.25));
        assert_eq!(seconds(Some("7"), Some("soon")), Some(7.0));
        assert_eq!(seconds(Some("Wed, 21 Oct 2015 07:28:00 GMT"), None), Some(60.0));
        assert_eq!(seconds(Some("Wed, 21 Oct 2015 07:26:00 GMT"), None), None);
        for none in ["0", "-3", "NaN", "later", "", "Wed, 99 Oct"] {
            assert_eq!(seconds(Some(none), None), None, "{none}");
        }
        assert_eq!(asked_wait(&answer(429, Some("1e300"), None, None), now), Some(Duration::MAX));
        assert_eq!(asked_wait(&answer(429, Some("inf"), None, None), now), Some(Duration::MAX));
    }

    #[test]
    fn waits_double_up_to_their_limit_less_chance() {
        let without: Vec<f64> = (1..=7).map(|tries| backoff(tries, 0.0).as_secs_f64()).collect();
        assert_eq!(without, [0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0]);
        assert_eq!(backoff(1, 1.0).as_secs_f64(), 0.375);
        assert_eq!(backoff(u32::MAX, 0.5).as_secs_f64(), 7.0);
        assert!(backoff(0, f64::NAN) <= Duration::from_millis(500));
    }

    #[test]
    fn chance_stays_in_its_range() {
        for _ in 0..100 {
            let number = SystemTiming.random();
            assert!((0.0..1.0).contains(&number), "{number}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_header_is_a_wait_or_none(after: String, number: f64, tries: u32, random: f64) {
            for text in [after, number.to_string()] {
                let asked = answer(429, Some(&text), Some(&text), None);
                assert_ne!(asked_wait(&asked, UNIX_EPOCH), Some(Duration::ZERO));
            }
            assert!(backoff(tries, random) <= Duration::from_secs(8));
        }
    }
}
