//! Reads a file piece by piece and keeps apart what records its requests, which is most of the bytes of a session of today.

use super::log::{RequestLog, Span, Speakers};
use crate::claude_code::line::request_record;
use crate::lines::trim;
use crate::{ForkedFrom, Format, ReadError, Reading};
use std::collections::BTreeMap;

/// Reads a transcript of any format; see [`SessionSplit::finish`].
#[derive(Default)]
pub struct SessionSplit {
    /// Everything but lines that record requests, each of which is an empty line here.
    rest: Vec<u8>,
    /// The line that is being read.
    line: Vec<u8>,
    /// Where lines go on in the file after one that was left out: places in `rest` and in the file.
    jumps: Vec<(u64, u64)>,
    log: RequestLog,
    counts: BTreeMap<&'static str, u64>,
    /// Bytes of whole lines so far, and their number.
    at: u64,
    number: u32,
}

impl SessionSplit {
    /// Nothing was read yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in the next bytes of the file.
    pub fn feed(&mut self, mut bytes: &[u8]) {
        self.rest.reserve(bytes.len());
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let (line, rest) = bytes.split_at(end + 1);
            bytes = rest;
            if self.line.is_empty() {
                self.whole_line(line);
            } else {
                self.line.extend_from_slice(line);
                let line = std::mem::take(&mut self.line);
                self.whole_line(&line);
            }
        }
        self.line.extend_from_slice(bytes);
    }

    fn whole_line(&mut self, line: &[u8]) {
        let start = self.at;
        self.at += line.len() as u64;
        self.number = self.number.saturating_add(1);
        let text = trim(line);
        let Some(kind) = request_record(text) else {
            self.rest.extend_from_slice(line);
            return;
        };
        let span = Span { at: start, bytes: line.len() as u64, line: self.number };
        if self.log.record(kind, span, text).is_err() {
            // It is told as a line that cannot be read.
            self.rest.extend_from_slice(line);
            return;
        }
        *self.counts.entry(kind).or_default() += 1;
        self.rest.push(b'\n');
        self.jumps.push((self.rest.len() as u64, self.at));
    }

    /// The transcripts of the file, and what it recorded of its requests.
    ///
    /// # Errors
    /// Those of [`crate::read`].
    pub fn finish(self) -> Result<(Reading, RequestLog), ReadError> {
        self.finish_after(|_| Vec::new())
    }

    /// The same, with the history of a Codex fork: `above` is asked for the rollouts that it goes on from, as
    /// [`crate::read_fork`] takes them.
    ///
    /// # Errors
    /// Those of [`crate::read`].
    pub fn finish_after(
        mut self,
        above: impl FnOnce(&ForkedFrom) -> Vec<(Vec<u8>, u64)>,
    ) -> Result<(Reading, RequestLog), ReadError> {
        let last = std::mem::take(&mut self.line);
        if !last.is_empty() {
            self.whole_line(&last);
        }
        if self.counts.is_empty() {
            let above = crate::forked_from(&self.rest).map(|from| above(&from)).unwrap_or_default();
            let reading = if above.is_empty() {
                crate::read(&self.rest)?
            } else {
                crate::read_fork(&self.rest, &above)
            };
            return Ok((reading, self.log));
        }
        self.find_speakers();
        let mut reading = crate::read_as(Format::ClaudeCode, &self.rest);
        reading.account.bytes = self.at;
        for (kind, count) in self.counts {
            reading.account.lines += count;
            *reading.account.without_context.entry(kind.to_owned()).or_default() += count;
        }
        Ok((reading, self.log))
    }

    fn find_speakers(&mut self) {
        let mut speakers = Speakers::default();
        let (mut at, mut number) = (0_usize, 0_u32);
        let (mut shift, mut jumps) = (0, self.jumps.iter().peekable());
        while let Some(rest) = self.rest.get(at..).filter(|rest| !rest.is_empty()) {
            let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let line = &rest[..end];
            number = number.saturating_add(1);
            while let Some((in_rest, in_file)) = jumps.next_if(|(in_rest, _)| *in_rest <= at as u64) {
                shift = in_file - in_rest;
            }
            let text = trim(line);
            if !text.is_empty() {
                let span = Span { at: at as u64 + shift, bytes: end as u64, line: number };
                speakers.line(&mut self.log, span, text);
            }
            at += end + 1;
        }
    }
}
