//! Tells listeners of what other processes append. The log itself is the feed: this only asks it whether it went on.

use crate::engine::{Engine, FEED_INTERVAL};
use crate::wire::{ApiError, Event};
use retrace_log::{LogError, LogFiles, ReadConnection};
use std::sync::{Arc, Weak};

/// Number of times in a row [`Event::Stores`] may be put off: two seconds.
const MAX_PUT_OFF: u32 = 8;

/// The log as it stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Standing {
    /// Changes with every commit of others than the feed, of this process too.
    data_version: i64,
    /// The newest operation.
    cursor: u64,
    /// Cursor of the search index.
    indexed: u64,
    /// The newest break of a rule, and the newest act on one.
    broken: (u64, u64),
}

/// State that listeners know.
#[derive(Debug, Default)]
struct Known {
    standing: Standing,
    /// Number of times news of the stores was put off.
    put_off: Option<u32>,
}

impl Known {
    /// Events since the last time; operations up to `reported` were told of by who appended them.
    ///
    /// Something other than operations may have changed with any commit, so each is told of. Only where there is a reason for
    /// the commit already, an operation that was told of or the search index that went on, nothing else is likely; then that
    /// waits until no more commits come, so that clients do not read everything anew with each.
    fn news(&mut self, now: Standing, reported: u64) -> Vec<Event> {
        let before = std::mem::replace(&mut self.standing, now);
        let mut news = Vec::new();
        let advanced = now.cursor != before.cursor;
        if advanced && now.cursor > reported {
            news.push(Event::Advanced { cursor: now.cursor });
        }
        if now.broken != before.broken {
            news.push(Event::Broken);
        }
        let committed = now.data_version != before.data_version;
        let has_reason = now.indexed != before.indexed || (advanced && now.cursor <= reported);
        match self.put_off {
            None if !committed => {}
            so_far if committed && has_reason && so_far.unwrap_or(0) < MAX_PUT_OFF => {
                self.put_off = Some(so_far.unwrap_or(0) + 1);
            }
            _ => {
                self.put_off = None;
                news.push(Event::Stores);
            }
        }
        news
    }
}

/// The feed of what others append.
struct Feed {
    /// Of its own: what it says of changes is about those of all others.
    connection: ReadConnection,
    known: Known,
}

impl Feed {
    fn open(files: &LogFiles) -> Result<Self, ApiError> {
        let connection = ReadConnection::open(files)?;
        let known = Known { standing: Self::read(&connection)?, put_off: None };
        Ok(Self { connection, known })
    }

    fn read(connection: &ReadConnection) -> Result<Standing, LogError> {
        connection.snapshot(|reader| {
            Ok(Standing {
                data_version: reader.data_version()?,
                cursor: reader.cursor()?,
                indexed: reader.indexed_through()?,
                broken: reader.broken_standing()?,
            })
        })
    }

    /// Events since the last time.
    fn news(&mut self, files: &LogFiles, reported: u64) -> Result<Vec<Event>, ApiError> {
        if !self.connection.sees_what_follows() {
            self.connection = ReadConnection::open(files)?;
        }
        let now = Self::read(&self.connection)?;
        Ok(self.known.news(now, reported))
    }
}

/// Starts a thread that tells listeners, for as long as the app lives and somebody listens. What is appended after this
/// returns is told.
pub(crate) fn start(app: &Arc<Engine>) {
    let feed = Feed::open(&app.files).ok();
    let app = Arc::downgrade(app);
    // Without the thread, clients still see what this process does.
    drop(std::thread::Builder::new().name("retrace-feed".to_owned()).spawn(move || run(&app, feed)));
}

fn run(app: &Weak<Engine>, mut feed: Option<Feed>) {
    loop {
        std::thread::sleep(FEED_INTERVAL);
        let Some(inner) = app.upgrade() else { return };
        if inner.events.ends_feed() {
            return;
        }
        let news = match &mut feed {
            Some(known) => known.news(&inner.files, inner.events.reported()),
            // Nobody knows what was missed.
            None => Feed::open(&inner.files).map(|opened| {
                let cursor = opened.known.standing.cursor;
                feed = Some(opened);
                vec![Event::Advanced { cursor }, Event::Stores]
            }),
        };
        match news {
            Ok(news) => news.iter().for_each(|event| inner.events.send(event)),
            Err(_) => feed = None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(data_version: i64, cursor: u64, indexed: u64) -> Standing {
        Standing { data_version, cursor, indexed, broken: (0, 0) }
    }

    #[test]
    fn what_others_did_is_reported_at_once() {
        let mut known = Known::default();
        assert_eq!(known.news(at(0, 0, 0), 0), []);
        assert_eq!(known.news(at(1, 4, 0), 0), [Event::Advanced { cursor: 4 }, Event::Stores]);
        assert_eq!(known.news(at(2, 4, 0), 4), [Event::Stores]);
        assert_eq!(known.news(at(2, 4, 0), 4), []);
    }

    #[test]
    fn a_break_of_a_rule_is_reported() {
        let mut known = Known::default();
        let broken = Standing { broken: (1, 0), ..at(1, 0, 0) };
        assert_eq!(known.news(broken, 0), [Event::Broken, Event::Stores]);
        assert_eq!(known.news(Standing { broken: (1, 1), ..at(1, 0, 0) }, 0), [Event::Broken]);
        assert_eq!(known.news(Standing { broken: (1, 1), ..at(1, 0, 0) }, 0), []);
    }

    #[test]
    fn what_was_reported_is_not_reported_again_and_the_stores_follow_once() {
        let mut known = Known::default();
        assert_eq!(known.news(at(1, 3, 0), 3), []);
        assert_eq!(known.news(at(1, 3, 0), 3), [Event::Stores]);
        assert_eq!(known.news(at(1, 3, 0), 3), []);
    }

    #[test]
    fn while_the_search_index_goes_on_the_stores_are_reported_now_and_then() {
        let mut known = Known::default();
        let reported: Vec<bool> =
            (1..=20).map(|scan| !known.news(at(scan, 0, scan as u64), 0).is_empty()).collect();
        assert_eq!(reported.iter().filter(|reported| **reported).count(), 2);
        assert_eq!(known.news(at(20, 0, 20), 0), [Event::Stores]);
        assert_eq!(known.news(at(20, 0, 20), 0), []);
        // Something else while it goes on.
        assert_eq!(known.news(at(21, 0, 21), 0), []);
        assert_eq!(known.news(at(22, 0, 21), 0), [Event::Stores]);
    }
}
