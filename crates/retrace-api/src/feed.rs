//! Tells listeners of what other processes append. The log itself is the feed: this only asks it whether it went on.

use crate::app::{FEED_INTERVAL, Inner};
use crate::wire::{ApiError, Event};
use retrace_log::{LogError, LogFiles, ReadConnection};
use std::sync::{Arc, Weak};

/// How far the log was when listeners were last told.
struct Feed {
    /// Of its own: what it says of changes is about those of all others.
    connection: ReadConnection,
    data_version: i64,
    cursor: u64,
}

impl Feed {
    fn open(files: &LogFiles) -> Result<Self, ApiError> {
        let connection = ReadConnection::open(files)?;
        let (data_version, cursor) = Self::read(&connection)?;
        Ok(Self { connection, data_version, cursor })
    }

    fn read(connection: &ReadConnection) -> Result<(i64, u64), LogError> {
        connection.snapshot(|reader| Ok((reader.data_version()?, reader.cursor()?)))
    }

    /// What to tell since the last time.
    fn news(&mut self) -> Result<Vec<Event>, ApiError> {
        let (data_version, cursor) = Self::read(&self.connection)?;
        let mut news = Vec::new();
        if cursor != self.cursor {
            news.push(Event::Advanced { cursor });
        }
        if data_version != self.data_version {
            news.push(Event::Stores);
        }
        (self.data_version, self.cursor) = (data_version, cursor);
        Ok(news)
    }
}

/// Starts a thread that tells listeners, for as long as the app lives and somebody listens. What is appended after this
/// returns is told.
pub(crate) fn start(app: &Arc<Inner>) {
    let feed = Feed::open(&app.files).ok();
    let app = Arc::downgrade(app);
    // Without the thread, clients still see what this process does.
    drop(std::thread::Builder::new().name("retrace-feed".to_owned()).spawn(move || run(&app, feed)));
}

fn run(app: &Weak<Inner>, mut feed: Option<Feed>) {
    loop {
        std::thread::sleep(FEED_INTERVAL);
        let Some(inner) = app.upgrade() else { return };
        if inner.events.ends_feed() {
            return;
        }
        let news = match &mut feed {
            Some(known) => known.news(),
            // Nobody knows what was missed.
            None => Feed::open(&inner.files).map(|opened| {
                let cursor = opened.cursor;
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
