//! A report of a review, as one file: what was decided, what is left, what was redacted.

use crate::Review;
use crate::inbox::groups;
use crate::memories::{Bytes, bytes_of};
use crate::review_page::{Change, ReviewPage, Section, html};
use crate::target::time;
use crate::wire::{ApiError, Exported, InboxItem, MemoryKind, ReviewReportReq};
use retrace_engine::written::written;
use retrace_health::Configurations;
use retrace_log::{Reader, ReviewAct, VersionRow};
use retrace_model::{Actor, StoreId, Timestamp, Verdict};
use std::sync::Arc;

/// Changes with their difference in one report: a file that people still open.
const MAX_CHANGES: usize = 500;

/// Acts of review that are looked at.
const MAX_ACTS: u64 = 1_000;

/// Writes a report of a review: this person's decisions since a time, and what is left to review, with findings and
/// differences; how sessions fared with the rules; and redactions since then. Lines with secrets and personal data are not printed.
///
/// # Errors
/// `not_found` for an unknown store, `invalid` for a time that is none.
pub fn review_report(inner: &Arc<Review>, request: ReviewReportReq) -> Result<Exported, ApiError> {
    let since = request.since.as_deref().map(time).transpose()?;
    let rules = super::report_rules::rules(inner, &request)?;
    let page = inner.read(|reader| {
        let store = request.store.as_deref().map(|name| inner.store_named(reader, name)).transpose()?;
        let mut report =
            Report { inner, reader, store: store.as_ref().map(|store| store.id), room: MAX_CHANGES };
        let decided = report.decided(since)?;
        let left = report.left(since)?;
        let receipts = report.receipts(since)?;
        let mut facts = vec![
            format!("Made {} by Retrace {}.", inner.now().to_rfc3339(), inner.options.program_version),
            format!("Reviewed by {}.", inner.options.user),
        ];
        facts.extend(store.map(|store| format!("Store: {}.", store.name)));
        facts.extend(since.map(|since| format!("Since {}.", since.to_rfc3339())));
        if report.room == 0 {
            facts.push(format!("Only the newest {MAX_CHANGES} changes are in it."));
        }
        Ok(ReviewPage { facts, decided, left, rules, receipts })
    })?;
    Ok(Exported {
        file_name: "review.html".to_owned(),
        media_type: "text/html".to_owned(),
        text: html(&page),
    })
}

struct Report<'a, 'r> {
    inner: &'a Review,
    reader: &'a Reader<'r>,
    store: Option<StoreId>,
    /// Changes that may still be added.
    room: usize,
}

impl Report<'_, '_> {
    fn decided(&mut self, since: Option<Timestamp>) -> Result<Vec<Section>, ApiError> {
        let acts = self.reader.review_acts(&self.inner.user(), None, MAX_ACTS)?;
        let mut sections = Vec::new();
        for act in acts.iter().take_while(|act| since.is_none_or(|since| act.at >= since)) {
            // Changes that a person made by other commands are their own change, not a decision about another's.
            if !matches!(act.verdict, Verdict::Own | Verdict::Undone)
                && let Some(section) = self.act(act)?
            {
                sections.push(section);
            }
        }
        Ok(sections)
    }

    fn act(&mut self, act: &ReviewAct) -> Result<Option<Section>, ApiError> {
        let mut section = Section {
            heading: format!("{} {}", act.verdict.as_str().replace('_', " "), act.at.to_rfc3339()),
            ..Section::default()
        };
        section.facts.extend(act.note.as_ref().map(|note| format!("Why: {note}")));
        section.facts.extend(act.undone_by.map(|_| "Undone later.".to_owned()));
        for reviewed_version in self.reader.reviewed_versions(act.seq)? {
            let version = self.reader.version(reviewed_version.reviewed_seq)?;
            if self.store.is_some_and(|store| store != version.store) || self.room == 0 {
                continue;
            }
            self.room -= 1;
            let before = self.reader.version_before(&version)?;
            let path = version.path.as_ref().map(ToString::to_string);
            section.changes.push(Change {
                heading: format!(
                    "{} {}",
                    version.operation.as_str(),
                    path.as_deref().unwrap_or("(redacted or gone)")
                ),
                facts: vec![format!("{}, by {}", version.id, self.writers(&version)?)],
                findings: Vec::new(),
                contents: self.contents(before.as_ref(), &version)?,
                path: path.unwrap_or_default(),
            });
        }
        Ok((!section.changes.is_empty()).then_some(section))
    }

    /// Who wrote a version, and who put it back.
    fn writers(&self, version: &VersionRow) -> Result<String, ApiError> {
        let first = writer(&written(self.reader, version)?.actor);
        Ok(match version.put_back_of {
            None => first,
            Some(_) => {
                format!("{first}, put back by {} {}", writer(&version.actor), version.created_at.to_rfc3339())
            }
        })
    }

    fn left(&mut self, since: Option<Timestamp>) -> Result<Vec<Section>, ApiError> {
        let items = self.reader.unreviewed(&self.inner.user(), self.store)?;
        let mut configurations = Configurations::default();
        let read = self.reader.items(&self.inner.user())?;
        let mut sections = Vec::new();
        for group in groups(&items) {
            let members = group.members.iter().map(|member| &items[*member]);
            let mut members = members.filter(|item| since.is_none_or(|since| item.at >= since)).peekable();
            let Some(first) = members.peek() else { continue };
            let mut section = Section {
                heading: format!("by {}, {}", writer(&first.writer), first.at.to_rfc3339()),
                ..Section::default()
            };
            for item in members {
                if self.room == 0 {
                    break;
                }
                self.room -= 1;
                let shown = self.inner.inbox_item(&read, item, &mut configurations)?;
                let newest = self.reader.version(item.newest)?;
                let base = item.base.map(|seq| self.reader.version(seq)).transpose()?;
                section.changes.push(change_of(&shown, self.contents(base.as_ref(), &newest)?));
            }
            if !section.changes.is_empty() {
                sections.push(section);
            }
        }
        Ok(sections)
    }

    fn receipts(&self, since: Option<Timestamp>) -> Result<Vec<Section>, ApiError> {
        let receipts = self.reader.receipts()?;
        let wanted = receipts.iter().filter(|receipt| since.is_none_or(|since| receipt.created_at >= since));
        let section = |receipt: &retrace_log::ReceiptRow| {
            let purge = if receipt.purged { "done" } else { "pending" };
            let mut facts = vec![format!(
                "{} versions, {} live files, purge {purge}, receipt {}",
                receipt.versions, receipt.live_files, receipt.id
            )];
            facts.extend(receipt.reason.as_ref().map(|reason| format!("Why: {reason}")));
            Section { heading: receipt.created_at.to_rfc3339(), facts, changes: Vec::new() }
        };
        Ok(wanted.map(section).collect())
    }

    /// Both sides of a change, where both are there to be compared.
    fn contents(&self, before: Option<&VersionRow>, after: &VersionRow) -> Result<Option<Sides>, ApiError> {
        let side = |version: &VersionRow| -> Result<Option<Vec<u8>>, ApiError> {
            Ok(match bytes_of(self.reader, version)? {
                Bytes::Nothing => Some(Vec::new()),
                Bytes::Kept(bytes) => Some(bytes),
                Bytes::Redacted | Bytes::TooLarge { .. } => None,
            })
        };
        let before = before.map_or(Ok(Some(Vec::new())), side)?;
        Ok(before.zip(side(after)?))
    }
}

/// The contents before and after a change.
type Sides = (Vec<u8>, Vec<u8>);

fn change_of(item: &InboxItem, contents: Option<Sides>) -> Change {
    let path = item.path.clone();
    let mut facts = vec![kind_words(&item.kind), item.version_id.clone()];
    facts.extend(item.previous_path.as_ref().map(|from| format!("Was {from}.")));
    facts.extend(item.token_change.map(|change| format!("{change:+} tokens, counted offline")));
    if let Some(put_back) = &item.put_back {
        let act = if put_back.came_back() { "Came back" } else { "Put back" };
        facts.push(format!("{act} {}, as operation {}.", put_back.at, put_back.operation_seq));
    }
    if item.reappeared {
        facts.push("Was rejected before and came back.".to_owned());
    }
    Change {
        heading: format!("{} {}", item.verb, path.as_deref().unwrap_or("(redacted)")),
        facts,
        findings: item
            .findings
            .iter()
            .map(|finding| {
                format!("{} {} line {}: {}", finding.severity, finding.rule, finding.line, finding.message)
            })
            .collect(),
        contents,
        path: path.unwrap_or_default(),
    }
}

fn kind_words(kind: &MemoryKind) -> String {
    let more = [&kind.memory_type, &kind.agent, &kind.day].into_iter().flatten().cloned();
    std::iter::once(kind.class.as_str().replace('_', " ")).chain(more).collect::<Vec<_>>().join(", ")
}

fn writer(actor: &Actor) -> String {
    match actor {
        Actor::Unknown => "an unknown writer".to_owned(),
        Actor::Session { id, evidence } => format!("session {id} ({})", evidence.as_str().replace('_', " ")),
        Actor::Api { id } => format!("API key {id}"),
        Actor::User { id } => id.clone(),
        Actor::ServiceAccount { id } => format!("service account {id}"),
    }
}
