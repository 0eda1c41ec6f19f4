//! The rules, and what a person set of their own.

use crate::Checks;
use crate::check::invalid;
use crate::wire::{ApiError, FindingRule, FindingRules, Nothing, SetFindingRule};
use retrace_findings::{ConfigError, rules};
use std::sync::Arc;

/// Every rule with what the person at this machine set.
///
/// # Errors
/// `invalid` when the file of settings cannot be used.
pub fn finding_rules(inner: &Arc<Checks>, _request: Nothing) -> Result<FindingRules, ApiError> {
    inner.listed_rules()
}

/// Sets one rule for every store of this person, or takes the setting away.
///
/// # Errors
/// `invalid` for an unknown rule or setting, for a rule that the organisation of this machine keeps on, or a file of settings that cannot be used; `cannot_write`.
pub fn set_finding_rule(inner: &Arc<Checks>, request: SetFindingRule) -> Result<FindingRules, ApiError> {
    {
        // One at a time, so that none overwrites what another just set.
        let _only = retrace_engine::lock(&inner.own_files_lock);
        let mut own = inner.own_rules()?;
        own.set(&request.rule, request.setting.as_deref()).map_err(|error| {
            let refused = invalid(&error);
            match error {
                ConfigError::Required { rule, .. } => {
                    ApiError { subject: rule, ..refused }.hint(say::ask_owner())
                }
                _ => refused,
            }
        })?;
        inner.keep_own_rules(&own)?;
    }
    inner.stores_changed();
    inner.listed_rules()
}

impl Checks {
    fn listed_rules(&self) -> Result<FindingRules, ApiError> {
        let own = self.own_rules()?;
        let rules = rules()
            .iter()
            .map(|rule| FindingRule {
                id: rule.id.clone(),
                severity: rule.severity.into(),
                on: rule.on,
                own: own.of(&rule.id).map(str::to_owned),
                required_by: own.required_by(&rule.id).map(str::to_owned),
                explanation: rule.explanation.clone(),
                remedy: rule.remedy.clone(),
            })
            .collect();
        Ok(FindingRules { rules, own_file: crate::wire::show(&self.own_rules_file()) })
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "finding_rules";
    ask_owner() => "An owner of the hub changes what is required with `retrace hub policy set required_rules`; leaving the hub frees this machine of it.",
}
