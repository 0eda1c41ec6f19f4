//! Summary of an approval of several items: which of them have errors, and what the rules find among all.
//!
//! Whoever approves one item looked at it. Whoever approves many did not look at each, so that an item with an error is left
//! out unless it is accepted. It is weighed by the findings of its row in the inbox, so that nothing is left out for a reason
//! the list does not show.

use crate::Review;
use crate::wire::{ApiError, Approval, ApprovalDirection, Finding, RuleCount, Severity};
use retrace_health::Configurations;
use retrace_log::{Items, Unreviewed, VersionRow};
use retrace_model::Timestamp;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Goes through the items of an approval.
pub(crate) struct Weighing {
    approval: Approval,
    span: Option<(Timestamp, Timestamp)>,
    /// Items with findings, by severity, the highest first, and rule.
    rules: BTreeMap<(Reverse<Severity>, String), u64>,
    configurations: Configurations,
}

impl Weighing {
    pub(crate) fn new(direction: ApprovalDirection) -> Self {
        Self {
            approval: Approval { direction, ..Approval::default() },
            span: None,
            rules: BTreeMap::new(),
            configurations: Configurations::default(),
        }
    }

    /// The errors for which an item is left out: none where it is approved. `version` is what would be reviewed of what
    /// is left, and `base` what was reviewed last.
    pub(crate) fn errors_of(
        &mut self,
        inner: &Review,
        items: &Items<'_, '_>,
        version: &VersionRow,
        base: Option<&VersionRow>,
        left: &Unreviewed,
        is_accepted: bool,
    ) -> Result<Vec<Finding>, ApiError> {
        let item = Unreviewed { newest: version.id.seq, ..left.clone() };
        let mut found = inner.checks.findings_of_item(
            (items, &items.reader().recent()),
            &item,
            version,
            base,
            &mut self.configurations,
        )?;
        self.count(version.created_at, &found);
        found.retain(|finding| finding.severity == Severity::Error && !is_accepted);
        *if found.is_empty() { &mut self.approval.approved } else { &mut self.approval.left } += 1;
        Ok(found)
    }

    fn count(&mut self, at: Timestamp, found: &[Finding]) {
        self.span = Some(self.span.map_or((at, at), |(oldest, newest)| (oldest.min(at), newest.max(at))));
        // An item counts once for a rule, however often that finds something in it.
        let rules: BTreeSet<_> =
            found.iter().map(|finding| (Reverse(finding.severity), finding.rule.clone())).collect();
        for rule in rules {
            *self.rules.entry(rule).or_default() += 1;
        }
    }

    pub(crate) fn finish(self) -> Approval {
        let findings = self.rules.into_iter();
        let findings = findings.map(|((Reverse(severity), rule), items)| RuleCount { rule, severity, items });
        Approval {
            oldest_at: self.span.map(|(oldest, _)| oldest.to_rfc3339()),
            newest_at: self.span.map(|(_, newest)| newest.to_rfc3339()),
            findings: findings.collect(),
            ..self.approval
        }
    }
}
