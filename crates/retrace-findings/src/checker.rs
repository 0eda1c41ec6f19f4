//! All rules over one directory.

use crate::config::Config;
use crate::finding::{Behind, Evidence, Finding, Rest, Span};
use crate::likeness::Likeness;
use crate::listed::Listed;
use crate::page::{Reading, read, read_alone};
use crate::registry::known;
use crate::remedy::{Remedy, remedies};
use crate::truth::{self, Repository};
use crate::usage::{self, Usage};
use crate::{limits, links, paths, similar};
use chrono::NaiveDate;
use retrace_message::Message;
use retrace_model::Sha256;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// One file of a directory.
#[derive(Clone, Debug)]
pub struct File<'a> {
    /// Path below the directory, `/` between segments.
    pub path: &'a str,
    /// Bytes.
    pub size: u64,
    /// Its content.
    pub content: Content<'a>,
}

/// Known content of a file.
#[derive(Clone, Debug)]
pub enum Content<'a> {
    /// The bytes with their hash.
    Bytes(Sha256, &'a [u8]),
    /// The hash of a content that this checker has seen at this path ([`Checker::knows`]).
    Known(Sha256),
    /// Too large, or not readable.
    Unread,
}

/// Surroundings of a directory.
#[derive(Clone, Copy, Default)]
pub struct Surroundings<'a> {
    /// The repository the memories are about.
    pub repository: Option<&'a dyn Repository>,
    /// Where the directory lies in the repository; empty for its root, absent when it lies elsewhere, so that its relative
    /// links do not lead there.
    pub place: Option<&'a str>,
    /// The day it is; no day is past when absent.
    pub today: Option<NaiveDate>,
    /// Use of the memories by sessions; nothing is said about it when absent.
    pub usage: Option<&'a Usage>,
}

/// Findings of a check.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Findings, by path, place and rule.
    pub findings: Vec<Finding>,
    /// Findings that a comment in the memory allows, in the same order.
    pub allowed: Vec<Finding>,
    /// Files looked at.
    pub files: usize,
    /// Files of which what was known was used again.
    pub reused: usize,
}

/// Checks a directory, and remembers what depends on one file alone.
pub struct Checker {
    config: Config,
    known: BTreeMap<String, (Sha256, Arc<Reading>)>,
    likeness: Likeness,
    threads: usize,
}

/// A directory while rules over all its files run.
pub(crate) struct Directory<'a> {
    /// Every file that was read, by path.
    pub(crate) readings: BTreeMap<String, Arc<Reading>>,
    pub(crate) surroundings: &'a Surroundings<'a>,
    all: BTreeSet<&'a str>,
    config: &'a Config,
    findings: Listed,
}

impl Checker {
    /// A checker that runs on `threads` threads; 0 is 1.
    #[must_use]
    pub fn new(config: Config, threads: usize) -> Self {
        Self { config, known: BTreeMap::new(), likeness: Likeness::default(), threads: threads.max(1) }
    }

    /// True if this content was seen at this path at the last [`Checker::check`].
    #[must_use]
    pub fn knows(&self, path: &str, content: Sha256) -> bool {
        self.known.get(path).is_some_and(|(known, _)| *known == content)
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Checks the files of a directory, all of them: what is not among them counts as not there.
    #[must_use]
    pub fn check(&mut self, files: &[File<'_>], surroundings: &Surroundings<'_>) -> Report {
        let taken: Vec<&File<'_>> = files.iter().filter(|file| self.config.takes(file.path)).collect();
        let reused = self.read_all(&taken);
        let mut directory = Directory {
            readings: taken
                .iter()
                .filter_map(|file| Some((file.path.to_owned(), Arc::clone(&self.known.get(file.path)?.1))))
                .collect(),
            surroundings,
            all: files.iter().map(|file| file.path).collect(),
            config: &self.config,
            findings: Listed::new(self.config.every_place),
        };
        of_files(&mut directory, &taken);
        links::check(&mut directory);
        truth::check(&mut directory);
        similar::check(&mut directory, &mut self.likeness, self.threads);
        usage::check(&mut directory);
        let Directory { findings, readings, .. } = directory;
        let mut findings = findings.done();
        findings.extend(readings.values().flat_map(|reading| reading.findings.iter().cloned()));
        findings.retain(|finding| self.config.counts(&finding.rule.id, &finding.path));
        findings.sort_by(|a, b| {
            let key = |one: &Finding| Span::order(one.span.as_ref());
            (&a.path, key(a), &a.rule.id, &a.message).cmp(&(&b.path, key(b), &b.rule.id, &b.message))
        });
        let (allowed, findings) = findings.into_iter().partition(|finding| {
            self.config.inline_allow
                && readings.get(&finding.path).is_some_and(|reading| reading.allowed.allows(finding))
        });
        Report { findings, allowed, files: taken.len(), reused }
    }

    /// Brings what is known up to these files; how many were known already.
    fn read_all(&mut self, files: &[&File<'_>]) -> usize {
        let mut known = BTreeMap::new();
        let mut unread = Vec::new();
        let mut reused = 0;
        for file in files {
            let hash = match &file.content {
                Content::Bytes(hash, _) | Content::Known(hash) => *hash,
                Content::Unread => continue,
            };
            match (self.known.remove(file.path), &file.content) {
                (Some(kept), _) if kept.0 == hash => {
                    reused += 1;
                    known.insert(file.path.to_owned(), kept);
                }
                (_, Content::Bytes(_, bytes)) => unread.push((file.path, hash, *bytes)),
                _ => {}
            }
        }
        let share = unread.len().div_ceil(self.threads).max(1);
        let config = &self.config;
        let fresh: Vec<(String, (Sha256, Arc<Reading>))> = std::thread::scope(|scope| {
            let work = |part: &[(&str, Sha256, &[u8])]| {
                part.iter()
                    .map(|(path, hash, bytes)| {
                        ((*path).to_owned(), (*hash, Arc::new(read(path, bytes, config))))
                    })
                    .collect::<Vec<_>>()
            };
            let mut parts = unread.chunks(share);
            let first = parts.next().unwrap_or(&[]);
            let others: Vec<_> = parts.map(|part| scope.spawn(move || work(part))).collect();
            let mut done = work(first);
            for other in others {
                match other.join() {
                    Ok(part) => done.extend(part),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            done
        });
        known.extend(fresh);
        self.known = known;
        reused
    }
}

/// Findings of one content by itself, at this path: no rule that needs other files, the repository or the day. In
/// the order of the content. What a comment in it allows is left out where the configuration lets comments allow.
#[must_use]
pub fn check_one(path: &str, bytes: &[u8], config: &Config) -> Vec<Finding> {
    if !config.takes(path) {
        return Vec::new();
    }
    let mut reading = read_alone(path, bytes, config);
    reading.findings.retain(|finding| config.counts(&finding.rule.id, path));
    if config.inline_allow {
        reading.findings.retain(|finding| !reading.allowed.allows(finding));
    }
    reading.findings
}

impl Directory<'_> {
    /// Paths of all files, also of those that were not read or are left out.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.all.iter().copied()
    }

    /// True if a file is there.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.all.contains(path)
    }

    /// True if the repository has the file at this place of the directory.
    pub(crate) fn repository_has(&self, path: &str) -> bool {
        let Some(place) = self.surroundings.place else { return false };
        let place = place.trim_matches('/');
        let whole = if place.is_empty() { path.to_owned() } else { format!("{place}/{path}") };
        self.surroundings.repository.is_some_and(|repository| repository.has_path(&whole))
    }

    /// True if a rule is on.
    pub(crate) fn asks_for(&self, rule: &str) -> bool {
        self.config.severity(known(rule)).is_some()
    }

    /// Reports a finding unless its rule is off. `value` is what was found, for its fingerprint.
    pub(crate) fn report(
        &mut self,
        rule: &str,
        path: &str,
        span: Option<&Span>,
        message: Message,
        value: &str,
    ) {
        self.report_all(rule, path, span, || message, (value, Vec::new()));
    }

    /// The same for what may be found many thousand times: the message is made where it is listed.
    pub(crate) fn report_with(
        &mut self,
        rule: &str,
        path: &str,
        span: Option<&Span>,
        message: impl FnOnce() -> Message,
        value: &str,
    ) {
        self.report_all(rule, path, span, message, (value, Vec::new()));
    }

    /// The same with remedies that do more than those of every rule.
    pub(crate) fn report_mended(
        &mut self,
        rule: &str,
        path: &str,
        span: Option<&Span>,
        message: Message,
        mended: Vec<Remedy>,
    ) {
        self.report_all(rule, path, span, || message, ("", mended));
    }

    fn report_all(
        &mut self,
        rule: &str,
        path: &str,
        span: Option<&Span>,
        message: impl FnOnce() -> Message,
        (value, mut mended): (&str, Vec<Remedy>),
    ) {
        let rule = known(rule);
        let Some(severity) = self.config.severity(rule) else { return };
        let lines = span.map(|span| (span.start.line, span.end.line));
        let is_allowed =
            self.readings.get(path).is_some_and(|reading| reading.allowed.allows_at(rule, lines));
        let last_line = lines.map_or(1, |(_, end)| end);
        if !self.findings.counts(rule, path, is_allowed, (last_line, value)) {
            return;
        }
        let evidence = Evidence::of(value);
        mended.extend(remedies(rule, path, span, value));
        self.findings.push(Finding {
            rule,
            severity,
            path: path.to_owned(),
            span: span.cloned(),
            message: message(),
            evidence,
            remedies: mended,
            rest: Rest::default(),
            behind: Behind::default(),
        });
    }
}

/// Rules about paths, sizes and the number of files.
fn of_files(directory: &mut Directory<'_>, files: &[&File<'_>]) {
    for file in files {
        if let Some(message) = paths::hosted_problem(file.path) {
            directory.report("limits/hosted-path", file.path, None, message, "");
        }
        if let Some(message) = paths::deception(file.path) {
            directory.report("hidden/path", file.path, None, message, "");
        }
        if file.size > limits::HOSTED_BYTES {
            let message = say::file_bytes_over(file.size, limits::HOSTED_BYTES);
            directory.report("limits/hosted-size", file.path, None, message, "");
        }
        if matches!(file.content, Content::Unread) {
            let message = say::file_bytes_not_read(file.size);
            directory.report("limits/not-checked", file.path, None, message, "");
        }
    }
    if files.len() > limits::HOSTED_MEMORIES {
        let message = say::files_over(files.len(), limits::HOSTED_MEMORIES);
        directory.report("limits/hosted-count", "", None, message, "");
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "checker";
    file_bytes_over(size, value) => "The file has {size} bytes, over {value}.",
    file_bytes_not_read(size) => "The file of {size} bytes was not read.",
    files_over(count, value) => "There are {count} files, over {value}.",
}
