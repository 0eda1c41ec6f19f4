//! One transcript that is followed.

use super::LiveRule;
use super::found::{Found, News};
use super::kept::{Place, deeds_place, tail};
use super::report::{Candidate, Mark};
use retrace_model::Timestamp;
use retrace_rules::{Changed, Deeds, Following, NotFollowed, Sequence, Verdict};
use retrace_sessions::{Grown, Identity};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::time::{Duration, Instant};

/// A larger file is not followed.
const LARGEST: u64 = 1 << 30;

/// Bytes before the place up to which a file was judged that must still stand there.
const TAIL: u64 = 1024;

/// A file that is read whole whenever it grows is read so seldom that it takes one part of so many of the time.
const SHARE: u32 = 200;

pub(super) struct Sight {
    identity: Identity,
    following: Following,
    /// Bytes of whole lines that were taken in.
    offset: u64,
    /// The last of them.
    tail: Vec<u8>,
    /// Lines that were judged before: nothing in them is news.
    judged_lines: u32,
    /// Of a session in a database.
    stored: Option<Stored>,
    /// What was done before is no news either, where the file was not known.
    since: Option<Timestamp>,
    /// What rules about single calls found.
    found: Found,
    /// What became of what was known, since its session was judged last.
    changed: Changed,
    /// True if the file is another one than when its session was judged last.
    is_anew: bool,
    grown_at: Instant,
    /// When a file that is read whole may be read again; with true where it has grown meanwhile.
    pause: Option<(Instant, bool)>,
}

/// How far a session in a database was taken in.
#[derive(Clone, Copy, Default)]
struct Stored {
    /// Number of its last change.
    number: u64,
    /// Deeds that were judged before: none of them is news.
    judged: usize,
}

impl Sight {
    /// A transcript that is followed from now on. `place` is up to where it was judged.
    pub(super) fn open(
        path: &Path,
        identity: Identity,
        place: Option<&Place>,
        since: Timestamp,
        rules: &[LiveRule],
    ) -> Self {
        let mut sight = Self {
            identity,
            following: Following::default(),
            offset: 0,
            tail: Vec::new(),
            judged_lines: 0,
            stored: retrace_sessions::is_in_database(path).then(Stored::default),
            since: Some(since),
            found: Found::default(),
            changed: Changed::Nothing,
            is_anew: false,
            grown_at: Instant::now(),
            pause: None,
        };
        // A file that cannot be read is tried again when it changes.
        let Ok(bytes) = sight.read_whole(path) else { return sight };
        if let Some(stored) = &mut sight.stored {
            let deeds = &sight.following.deeds().all;
            let known = place.filter(|place| {
                let count = usize::try_from(place.offset).unwrap_or(usize::MAX);
                deeds.get(..count).is_some_and(|judged| deeds_place(judged) == **place)
            });
            if let Some(place) = known {
                stored.judged = usize::try_from(place.offset).unwrap_or(usize::MAX);
                sight.since = None;
            }
            sight.begin_anew(rules, |_| true);
            return sight;
        }
        let known = place.and_then(|place| {
            let judged = bytes.get(..usize::try_from(place.offset).ok()?)?;
            (tail(last_of(judged)) == place.tail).then_some(judged)
        });
        if let Some(judged) = known {
            sight.judged_lines = count_lines(judged);
            sight.since = None;
        }
        sight.begin_anew(rules, |_| true);
        sight
    }

    /// Reads all of it and takes that in; answers what was read of a file.
    fn read_whole(&mut self, path: &Path) -> io::Result<Vec<u8>> {
        self.grown_at = Instant::now();
        let Some(stored) = &mut self.stored else {
            let bytes = read_from(path, 0, self.identity.size)?;
            self.take_whole(&bytes);
            return Ok(bytes);
        };
        let (bytes, number) = retrace_sessions::read_growing(path)?;
        stored.number = number;
        self.following = Following::of_messages(&bytes);
        Ok(Vec::new())
    }

    /// Takes in what a file has more. One that was cut, replaced or written anew is read from its beginning; what was told of it is
    /// known by its mark.
    pub(super) fn grow(&mut self, path: &Path, identity: &Identity, rules: &[LiveRule]) {
        if let Some((until, _)) = self.pause.filter(|(until, _)| *until > Instant::now()) {
            self.pause = Some((until, true));
            return;
        }
        self.pause = None;
        if let Some(stored) = self.stored {
            let is_same = self.identity.same_file(identity);
            self.identity = *identity;
            return if is_same { self.grow_stored(path, stored, rules) } else { self.anew(path, rules) };
        }
        let is_same = self.identity.same_file(identity) && identity.size >= self.offset;
        self.identity = *identity;
        match is_same.then(|| self.more(path, identity.size)) {
            Some(Ok(Some(new))) => self.take(path, &new, rules),
            // It stands where it stood, or cannot be read now.
            Some(Ok(None) | Err(_)) if self.offset > 0 && is_same => self.check(path, rules),
            _ => self.anew(path, rules),
        }
    }

    /// Takes in what changed in a session of a database.
    fn grow_stored(&mut self, path: &Path, stored: Stored, rules: &[LiveRule]) {
        // What cannot be read now is read with the next change.
        let Ok((grown, number)) = retrace_sessions::grown_since(path, stored.number) else { return };
        match grown {
            Grown::Messages(messages) if messages.is_empty() => {}
            Grown::Messages(messages) => match self.following.take(&messages) {
                Ok(changed) => {
                    self.grown_at = Instant::now();
                    self.judge(rules, changed);
                }
                Err(NotFollowed) => return self.whole(path, rules),
            },
            // What the model did it did, though the person took it back.
            Grown::Less => return self.anew(path, rules),
            Grown::Untold => return self.whole(path, rules),
        }
        self.stored = Some(Stored { number, ..stored });
    }

    /// The whole lines behind those that were taken in; `None` where there are none, or the file is another one by now.
    fn more(&self, path: &Path, size: u64) -> io::Result<Option<Vec<u8>>> {
        let start = self.offset - self.tail.len() as u64;
        let mut bytes = read_from(path, start, size)?;
        if bytes.get(..self.tail.len()) != Some(&self.tail) {
            return Ok(None);
        }
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        bytes.truncate(end);
        let new = bytes.split_off(self.tail.len().min(bytes.len()));
        Ok((!new.is_empty()).then_some(new))
    }

    /// Reads a file from its beginning where it does not hold what was taken in.
    fn check(&mut self, path: &Path, rules: &[LiveRule]) {
        let start = self.offset - self.tail.len() as u64;
        let stands = read_from(path, start, self.offset).is_ok_and(|bytes| bytes == self.tail);
        if !stands {
            self.anew(path, rules);
        }
    }

    fn take(&mut self, path: &Path, new: &[u8], rules: &[LiveRule]) {
        match self.following.take(new) {
            Ok(changed) => {
                self.offset += new.len() as u64;
                let mut last = std::mem::take(&mut self.tail);
                last.extend_from_slice(new);
                self.tail = last_of(&last).to_vec();
                self.grown_at = Instant::now();
                self.judge(rules, changed);
            }
            Err(NotFollowed) => self.whole(path, rules),
        }
    }

    /// Reads all of it: what its new lines say cannot be understood without the others.
    fn whole(&mut self, path: &Path, rules: &[LiveRule]) {
        let begun = Instant::now();
        if self.read_whole(path).is_err() {
            return;
        }
        self.judge(rules, Changed::Order);
        let took = begun.elapsed().max(Duration::from_micros(100));
        self.pause = Some((Instant::now() + took * SHARE, false));
    }

    /// Starts again with a file that is another one by now.
    fn anew(&mut self, path: &Path, rules: &[LiveRule]) {
        let since = self.since.or_else(|| self.following.deeds().all.iter().filter_map(|deed| deed.at).max());
        (self.judged_lines, self.since) = (0, since);
        if let Some(stored) = &mut self.stored {
            stored.judged = 0;
        }
        // What it held before stays what it was.
        self.found.begin_anew();
        self.is_anew = true;
        self.whole(path, rules);
    }

    fn take_whole(&mut self, bytes: &[u8]) {
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        // A document has no lines that count.
        let lines = if end == 0 { bytes } else { &bytes[..end] };
        self.following = Following::of(lines);
        self.offset = lines.len() as u64;
        self.tail = last_of(lines).to_vec();
        self.grown_at = Instant::now();
    }

    /// Judges all of it by other rules. What is found by those that were there before was told.
    pub(super) fn begin_anew(&mut self, rules: &[LiveRule], is_new: impl Fn(u64) -> bool) {
        self.found.clear(rules);
        self.judge(rules, Changed::Nothing);
        self.found.keep_news(|at| is_new(rules[at].number));
    }

    fn judge(&mut self, rules: &[LiveRule], changed: Changed) {
        self.changed = self.changed.max(changed);
        let deeds = Sequence::of(self.following.deeds());
        self.found.judge(rules, |rule| !rule.judging.is_of_session(), &deeds, changed);
    }

    /// What it did.
    pub(super) const fn deeds(&self) -> &Deeds {
        self.following.deeds()
    }

    /// What became of what was known since the last call, and whether it is another file by now.
    pub(super) fn take_changed(&mut self) -> (Changed, bool) {
        (std::mem::replace(&mut self.changed, Changed::Nothing), std::mem::take(&mut self.is_anew))
    }

    /// Breaks that were found since the last call and are news.
    pub(super) fn take_news(&mut self, rules: &[LiveRule]) -> Vec<Candidate> {
        let news = self.found.take_news();
        news.into_iter()
            .filter_map(|News { rule, mark, verdict }| self.news(&rules[rule], mark, verdict))
            .collect()
    }

    /// A break as news: of its deed, counted in this transcript.
    pub(super) fn news(&self, rule: &LiveRule, mark: Mark, verdict: Verdict) -> Option<Candidate> {
        // A verdict that was put off may be about a session that was read anew meanwhile.
        let deed = self.following.deeds().all.get(verdict.deed)?;
        let is_new = match &self.stored {
            Some(stored) => verdict.deed >= stored.judged,
            None => deed.line == 0 || deed.line > self.judged_lines,
        };
        let is_late = |than: Timestamp| deed.at.is_none_or(|at| at >= than);
        let is_news = is_new && is_late(rule.added_at) && self.since.is_none_or(is_late);
        is_news.then(|| Candidate { rule: rule.number, mark, what: verdict.what, deed: deed.clone() })
    }

    /// Breaks that are none by what came later.
    pub(super) fn take_withdrawn(&mut self) -> Vec<(u64, Mark)> {
        self.found.take_withdrawn()
    }

    /// When its file was written last.
    pub(super) const fn modified(&self) -> Timestamp {
        Timestamp::from_micros(self.identity.modified / 1_000)
    }

    /// True if the file is not as it was when it was read.
    pub(super) fn is_other(&self, identity: &Identity) -> bool {
        self.identity != *identity
    }

    /// Up to where it was judged.
    pub(super) fn place(&self) -> Option<Place> {
        if self.stored.is_some() {
            let deeds = &self.following.deeds().all;
            return (!deeds.is_empty()).then(|| deeds_place(deeds));
        }
        (self.offset > 0).then(|| Place { offset: self.offset, tail: tail(&self.tail) })
    }

    pub(super) const fn grown_at(&self) -> Instant {
        self.grown_at
    }

    /// When it is to be read again, where it has grown and that was put off.
    pub(super) fn due(&self) -> Option<Instant> {
        self.pause.filter(|(_, has_grown)| *has_grown).map(|(until, _)| until)
    }
}

/// Bytes of a file from one place to another.
fn read_from(path: &Path, start: u64, end: u64) -> io::Result<Vec<u8>> {
    if end > LARGEST {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(end.saturating_sub(start)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn last_of(bytes: &[u8]) -> &[u8] {
    &bytes[bytes.len().saturating_sub(usize::try_from(TAIL).unwrap_or(usize::MAX))..]
}

fn count_lines(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.iter().filter(|byte| **byte == b'\n').count()).unwrap_or(u32::MAX)
}
