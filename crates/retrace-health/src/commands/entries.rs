//! Acts on single entries of a memory: moving lines of an index into a topic file, allowing a finding in place.
//!
//! A plan is made from what the log holds and compared with the disk, as for a rollback: both files change in one operation,
//! each over the hash it was planned from, or neither does.

use crate::Checks;
use crate::check;
use crate::entries::{self, Move, Moved};
use crate::memories::{Bytes, bytes_of};
use crate::plan::{Plan, Step, Wanted};
use crate::target::{hash, rel_path};
use crate::wire::{ActResult, AllowFindingReq, ApiError, Code, MoveEntryReq, StripCharactersReq};
use retrace_findings::{Config, Remedy, check_one, is_index, is_instructions, rule};
use retrace_log::{Reader, StoreRow};
use retrace_model::{RelPath, Sha256, Source, StoreKind, VersionId};
use std::sync::Arc;

/// Longest reason in a comment, in characters: it is one line beside what it explains.
const LONGEST_REASON: usize = 200;

/// The group of rules about text that is not seen.
const HIDDEN: &str = "hidden";

/// Moves lines of an index into a topic file. The index keeps or gets a line that links to it.
///
/// # Errors
/// `not_found` for an unknown store or memory, `invalid` for lines or a path that cannot be used, `content_redacted`,
/// `store_unavailable`. Files that moved on are conflicts in the answer, and nothing is done then.
pub fn move_entry(inner: &Arc<Checks>, request: MoveEntryReq) -> Result<ActResult, ApiError> {
    let plan = inner.read(|reader| inner.plan_move(reader, &request))?;
    inner.carry_out(&plan, request.dry_run)
}

/// Writes a comment that allows a finding in place.
///
/// # Errors
/// `not_found` for an unknown store or memory, `invalid` for an unknown rule or where no comment can stand,
/// `content_redacted`, `store_unavailable`. A file that moved on is a conflict in the answer, and nothing is done then.
pub fn allow_finding(inner: &Arc<Checks>, request: AllowFindingReq) -> Result<ActResult, ApiError> {
    let plan = inner.read(|reader| inner.plan_allowance(reader, &request))?;
    inner.carry_out(&plan, request.dry_run)
}

/// Takes characters that are not seen out of a memory.
///
/// # Errors
/// `not_found` for an unknown store or memory, and where no such character stands; `invalid` for a rule of another group;
/// `content_redacted`, `store_unavailable`. A file that moved on is a conflict in the answer, and nothing is done then.
pub fn strip_characters(inner: &Arc<Checks>, request: StripCharactersReq) -> Result<ActResult, ApiError> {
    let plan = inner.read(|reader| inner.plan_strip(reader, &request))?;
    inner.carry_out(&plan, request.dry_run)
}

/// The newest content of a memory as the log holds it.
pub struct Recorded {
    pub bytes: Vec<u8>,
    pub sha256: Sha256,
    pub version: VersionId,
}

impl Recorded {
    /// The step that writes another content over this one; `expect` is what the caller saw.
    pub fn step(
        &self,
        store: &StoreRow,
        path: &RelPath,
        bytes: Option<Vec<u8>>,
        expect: Option<Sha256>,
    ) -> Step {
        let same = expect.is_none_or(|expect| expect == self.sha256);
        Step {
            store: store.id,
            path: path.clone(),
            expected: Some(expect.unwrap_or(self.sha256)),
            expected_version: same.then_some(self.version),
            deletion: None,
            wanted: bytes.map(|bytes| Wanted {
                sha256: Sha256::of(&bytes),
                bytes,
                version: None,
                moved_from: None,
            }),
        }
    }
}

impl Checks {
    /// The newest content at a path, which must be text of a size that is kept; `None` where the log knows of no memory.
    pub fn recorded_text(
        &self,
        reader: &Reader<'_>,
        store: &StoreRow,
        path: &RelPath,
    ) -> Result<Option<Recorded>, ApiError> {
        let Some(live) = reader.live_at(store.id, path)? else { return Ok(None) };
        let version = reader.version_by_id(live.version)?;
        let subject = || path.to_text();
        match bytes_of(reader, &version)? {
            Bytes::Kept(bytes) if retrace_diff::is_text(&bytes) => {
                Ok(Some(Recorded { sha256: Sha256::of(&bytes), bytes, version: version.id }))
            }
            Bytes::Kept(_) => Err(ApiError::invalid(say::file_not_text(), subject())),
            Bytes::TooLarge { .. } => Err(ApiError::invalid(say::file_too_large_kept_log(), subject())),
            Bytes::Redacted => {
                Err(ApiError::new(Code::ContentRedacted, say::newest_version_redacted(), subject())
                    .hint(say::look_directory_again_first_retrace()))
            }
            Bytes::Nothing => Ok(None),
        }
    }

    /// As [`Checks::recorded_text`], where there must be one.
    pub fn known_text(
        &self,
        reader: &Reader<'_>,
        store: &StoreRow,
        path: &RelPath,
    ) -> Result<Recorded, ApiError> {
        self.recorded_text(reader, store, path)?.ok_or_else(|| {
            ApiError::new(Code::NotFound, say::no_memory_recorded_path(), path.to_text())
                .hint(say::retrace_record_once_records_what())
        })
    }

    fn plan_move(&self, reader: &Reader<'_>, request: &MoveEntryReq) -> Result<Plan, ApiError> {
        let store = self.store_named(reader, &request.store)?;
        let (from, to) = (rel_path(&request.path)?, self.topic_path(&request.to)?);
        if !is_index(&request.path) {
            return Err(ApiError::invalid(say::entries_moved_out_index_memory(), &request.path));
        }
        let index = self.known_text(reader, &store, &from)?;
        let topic = self.recorded_text(reader, &store, &to)?;
        let (expect, expect_to) = (hash(request.expect.as_deref())?, hash(request.expect_to.as_deref())?);
        let lines = match request.end_line {
            Some(end) => (request.line, end),
            None => entries::entry_at(&index.bytes, request.line),
        };
        let (index_path, topic_path) = (from.to_text(), to.to_text());
        let Moved { index: index_after, topic: topic_after, warnings } = entries::moved(&Move {
            index_path: &index_path,
            index: &index.bytes,
            lines,
            topic_path: &topic_path,
            topic: topic.as_ref().map(|topic| topic.bytes.as_slice()),
            front_matter: matches!(store.kind, StoreKind::ClaudeAuto | StoreKind::ClaudeAgent),
        })?;
        let range = if lines.0 == lines.1 { say::line(lines.0) } else { say::lines_2(lines.0, lines.1) };
        let mut plan = Plan::new(Source::Api, Some(say::moved(range, from.to_string(), to.to_string())));
        plan.warnings = warnings;
        plan.steps.push(index.step(&store, &from, Some(index_after), expect));
        plan.steps.push(match &topic {
            Some(topic) => topic.step(&store, &to, Some(topic_after), expect_to),
            None => Step {
                store: store.id,
                path: to,
                expected: expect_to,
                expected_version: None,
                deletion: None,
                wanted: Some(Wanted {
                    sha256: Sha256::of(&topic_after),
                    bytes: topic_after,
                    version: None,
                    moved_from: None,
                }),
            },
        });
        plan.tidy();
        Ok(plan)
    }

    /// A path that a topic file can have.
    fn topic_path(&self, text: &str) -> Result<RelPath, ApiError> {
        let path = rel_path(text)?;
        if is_index(text) || is_instructions(text) {
            return Err(ApiError::invalid(say::entries_moved_into_topic_file(), text));
        }
        if !text.ends_with(".md") {
            return Err(ApiError::invalid(say::topic_file_markdown_name_ends(), text));
        }
        if self.rules.leaves_out(path.components()).is_some() {
            return Err(ApiError::invalid(say::files_name_left_out_rule(), text));
        }
        Ok(path)
    }

    fn plan_strip(&self, reader: &Reader<'_>, request: &StripCharactersReq) -> Result<Plan, ApiError> {
        let store = self.store_named(reader, &request.store)?;
        let path = rel_path(&request.path)?;
        let selector = request.rule.as_deref().unwrap_or(HIDDEN);
        if selector.split('/').next() != Some(HIDDEN) {
            return Err(ApiError::invalid(say::rule_finds_no_characters_could(), selector));
        }
        let mut config = Config::default();
        config.only(&[selector.to_owned()]).map_err(|error| check::invalid(&error))?;
        config.inline_allow = false;
        config.every_place = true;
        let known = self.known_text(reader, &store, &path)?;
        let stripped: Vec<_> = check_one(&path.to_text(), &known.bytes, &config)
            .into_iter()
            .filter(|finding| finding.remedies.iter().any(|remedy| matches!(remedy, Remedy::StripCharacter)))
            .filter_map(|finding| finding.span)
            .filter(|span| request.start.is_none_or(|start| span.bytes.start as u64 == start))
            .filter(|span| request.line.is_none_or(|line| span.start.line == line))
            .map(|span| span.bytes)
            .collect();
        if stripped.is_empty() {
            let message = say::no_hidden_character_could_taken();
            return Err(ApiError::new(Code::NotFound, message, path.to_text())
                .hint(say::retrace_check_lists_where_they()));
        }
        let after = entries::without(&known.bytes, &stripped);
        let mut plan = Plan::new(Source::Api, Some(say::took_hidden_characters_out(path.to_string())));
        plan.steps.push(known.step(&store, &path, Some(after), hash(request.expect.as_deref())?));
        plan.tidy();
        Ok(plan)
    }

    fn plan_allowance(&self, reader: &Reader<'_>, request: &AllowFindingReq) -> Result<Plan, ApiError> {
        let store = self.store_named(reader, &request.store)?;
        let path = rel_path(&request.path)?;
        let rule =
            rule(&request.rule).ok_or_else(|| ApiError::invalid(say::no_such_rule(), &request.rule))?;
        if matches!(rule.group(), "events" | "use") {
            return Err(ApiError::invalid(say::what_rule_finds_stands_no(), &rule.id)
                .hint(say::switch_rule_off_instead_2()));
        }
        let reason = request.reason.as_deref().unwrap_or("").trim();
        if reason.contains(['\n', '\r']) || reason.contains("--") || reason.chars().count() > LONGEST_REASON {
            return Err(ApiError::invalid(say::reason_one_line_most_200(), reason));
        }
        let known = self.known_text(reader, &store, &path)?;
        let after = entries::with_allowance(&path.to_text(), &known.bytes, request.line, &rule.id, reason)?;
        let mut plan = Plan::new(Source::Api, Some(say::allowed(&rule.id, path.to_string())));
        plan.steps.push(known.step(&store, &path, Some(after), hash(request.expect.as_deref())?));
        plan.tidy();
        Ok(plan)
    }
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "entries";
    file_not_text() => "The file is not text.",
    file_too_large_kept_log() => "The file is too large to be kept in the log.",
    newest_version_redacted() => "The newest version is redacted.",
    look_directory_again_first_retrace() => "Look at the directory again first: `retrace record --once`.",
    no_memory_recorded_path() => "No memory is recorded at this path.",
    retrace_record_once_records_what() => "`retrace record --once` records what is there.",
    entries_moved_out_index_memory() => "Entries are moved out of an index (MEMORY.md).",
    line(lines) => "line {lines}",
    lines_2(lines, lines_2) => "lines {lines}-{lines_2}",
    moved(range, from, to) => "moved {range} of {from} to {to}",
    entries_moved_into_topic_file() => "Entries are moved into a topic file, not into an index or instructions.",
    topic_file_markdown_name_ends() => "A topic file is Markdown: its name ends in .md.",
    files_name_left_out_rule() => "Files of this name are left out by rule, so it would not be recorded.",
    rule_finds_no_characters_could() => "This rule finds no characters that could be removed.",
    no_hidden_character_could_taken() => "No hidden character that could be removed stands there.",
    retrace_check_lists_where_they() => "`retrace check` lists where they are now.",
    took_hidden_characters_out(path) => "took hidden characters out of {path}",
    no_such_rule() => "There is no such rule.",
    what_rule_finds_stands_no() => "What this rule finds stands in no file, so no comment allows it.",
    switch_rule_off_instead_2() => "Switch the rule off instead.",
    reason_one_line_most_200() => "A reason is one line of at most 200 characters, without two hyphens.",
    allowed(id, path) => "allowed {id} in {path}",
}
