//! The list of rules.

use crate::Rules;
use crate::guard::guards;
use retrace_engine::Engine;
use retrace_log::{KeptGuard, KeptRule, Reader};
use retrace_rules::Rule;
use retrace_wire::{
    AddMemoryRule, ApiError, Code, ListMemoryRule, MemoryRule, MemoryRules, MemoryRulesReq, RuleFields,
};
use serde_json::Value;
use std::sync::Arc;

/// Prefix of a rule's id.
const PREFIX: &str = "rule_";

/// The rules that a person confirmed.
///
/// # Errors
/// A failure of the database.
pub fn memory_rules(inner: &Arc<Rules>, request: MemoryRulesReq) -> Result<MemoryRules, ApiError> {
    let (kept, hooks) = inner.read(|reader| Ok((reader.rules()?, reader.guards()?)))?;
    let shown = kept.iter().filter(|rule| request.removed || rule.removed_at.is_none());
    Ok(MemoryRules { rules: shown.filter_map(|kept| view(kept, &hooks)).collect() })
}

/// Confirms a rule: it counts from now on, over every session there is. A dismissed one is kept off the list.
///
/// # Errors
/// `invalid` for a rule that cannot be used, with the field; `not_found` for a source whose store is unknown.
pub fn add_memory_rule(inner: &Arc<Rules>, request: AddMemoryRule) -> Result<MemoryRule, ApiError> {
    let rule = Rule::from_json(&request.rule)
        .map_err(|error| ApiError::invalid(retrace_wire::sentence(&error), subject(&request.rule)))?;
    let rule = crate::anchor::with_whole_source(inner, rule)?;
    let fields = rule.to_json().to_string();
    let (user, now) = (inner.user(), inner.now());
    let kept = inner.write(|act| {
        // The same rule twice would be counted twice.
        let is_it = |kept: &KeptRule| kept.removed_at.is_none() && rule_of(kept).as_ref() == Some(&rule);
        if let Some(known) = act.reader().rules()?.into_iter().find(is_it).filter(|_| !request.dismissed) {
            return Ok(known);
        }
        let number = act.add_rule(&user, now, &fields)?;
        if request.dismissed {
            act.list_rule(&user, now, number, false)?;
        }
        Ok(act.reader().rule(number)?)
    })?;
    view(&kept, &[]).ok_or_else(|| unreadable(id_of(kept.number)))
}

/// Takes a rule off the list, or puts it back. What it counted stays countable.
///
/// # Errors
/// `not_found` for an id that no rule has.
pub fn list_memory_rule(inner: &Arc<Rules>, request: ListMemoryRule) -> Result<MemoryRule, ApiError> {
    let number = number_of(&request.rule)?;
    let (user, now) = (inner.user(), inner.now());
    let (kept, hooks) = inner.write(|act| {
        act.list_rule(&user, now, number, request.put_back)?;
        let reader = act.reader();
        Ok((reader.rule(number)?, reader.guards()?))
    })?;
    view(&kept, &hooks).ok_or_else(|| unreadable(request.rule))
}

fn unreadable(rule: String) -> ApiError {
    ApiError::new(Code::Internal, say::rule_cannot_be_read(), rule)
}

/// One rule, as clients see it and as it is judged.
pub(crate) fn rule_named(reader: &Reader<'_>, id: &str) -> Result<(u64, MemoryRule, Rule), ApiError> {
    let number = number_of(id)?;
    let kept = reader.rule(number)?;
    let rule = rule_of(&kept).zip(view(&kept, &reader.guards()?));
    rule.map(|(rule, view)| (number, view, rule)).ok_or_else(|| unreadable(id.to_owned()))
}

/// A rule as clients see it and as it is judged.
pub(crate) type Listed = (MemoryRule, Rule);

/// The rules on the list, or the one that is named, whether it is on it or not. Their guards are left out.
pub(crate) fn listed(reader: &Reader<'_>, named: Option<&str>) -> Result<Vec<Listed>, ApiError> {
    let kept = match named {
        Some(named) => vec![reader.rule(number_of(named)?)?],
        None => reader.rules()?,
    };
    let shown = kept.iter().filter(|rule| named.is_some() || rule.removed_at.is_none());
    Ok(shown.filter_map(|kept| Some((view(kept, &[])?, rule_of(kept)?))).collect())
}

/// Every rule, whether it is on the list or not.
pub(crate) fn every(inner: &Engine) -> Result<Vec<Rule>, ApiError> {
    Ok(inner.read(|reader| Ok(reader.rules()?))?.iter().filter_map(rule_of).collect())
}

pub(crate) fn number_of(id: &str) -> Result<u64, ApiError> {
    let number = id.strip_prefix(PREFIX).unwrap_or(id).parse().ok();
    number.ok_or_else(|| ApiError::new(Code::NotFound, say::no_such_rule(), id))
}

pub(crate) fn id_of(number: u64) -> String {
    format!("{PREFIX}{number}")
}

pub(crate) fn rule_of(kept: &KeptRule) -> Option<Rule> {
    Rule::from_json(&serde_json::from_str(&kept.fields).ok()?).ok()
}

/// A rule as clients see it; `None` for one whose pattern a redaction took out.
fn view(kept: &KeptRule, hooks: &[KeptGuard]) -> Option<MemoryRule> {
    Some(MemoryRule {
        rule_id: id_of(kept.number),
        rule: fields(&rule_of(kept)?)?,
        added_at: kept.added_at.to_rfc3339(),
        removed_at: kept.removed_at.map(|at| at.to_rfc3339()),
        guards: guards(hooks, kept.number),
    })
}

pub(crate) fn fields(rule: &Rule) -> Option<RuleFields> {
    serde_json::from_value(rule.to_json()).ok()
}

fn subject(rule: &Value) -> String {
    rule["sentence"].as_str().unwrap_or_default().chars().take(200).collect()
}

retrace_message::messages! {
    /// Messages about rules.
    mod say in "memory_rules";
    no_such_rule() => "There is no such rule.",
    rule_cannot_be_read() => "The rule was kept, and cannot be read any more.",
}
