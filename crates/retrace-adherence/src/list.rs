//! The list of rules.

use crate::Rules;
use crate::anchor::source_now;
use crate::guard::guards;
use retrace_engine::Engine;
use retrace_log::{KeptGuard, KeptRule, Reader, RuleAct};
use retrace_model::Timestamp;
use retrace_rules::Rule;
use retrace_wire::{
    AddMemoryRule, AddMemoryRules, ApiError, Code, ListMemoryRule, MemoryRule, MemoryRules, MemoryRulesReq,
    RuleFields, RuleStanding, UndoneRuleAct,
};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// Prefix of a rule's id.
const PREFIX: &str = "rule_";

/// The rules that a person confirmed.
///
/// # Errors
/// A failure of the database.
pub fn memory_rules(inner: &Arc<Rules>, request: MemoryRulesReq) -> Result<MemoryRules, ApiError> {
    let (kept, hooks) = inner.read(|reader| {
        let mut kept = reader.rules()?;
        kept.retain(|rule| request.removed || rule.removed_at.is_none());
        let sources = kept.iter().map(|kept| renamed(inner, reader, kept)).collect::<Result<Vec<_>, _>>()?;
        Ok((kept.into_iter().zip(sources).collect::<Vec<_>>(), reader.guards()?))
    })?;
    let shown = kept.into_iter().filter_map(|(kept, renamed)| {
        let mut shown = view(&kept, &hooks)?;
        shown.rule.source = renamed.or(shown.rule.source);
        Some(shown)
    });
    Ok(MemoryRules { rules: shown.collect() })
}

/// Confirms a rule: it counts from now on, over every session there is. A dismissed one is kept off the list.
///
/// # Errors
/// `invalid` for a rule that cannot be used, with the field, and for a source with no such line; `not_found` for a source that is
/// not there.
pub fn add_memory_rule(inner: &Arc<Rules>, request: AddMemoryRule) -> Result<MemoryRule, ApiError> {
    let added = add(inner, &[request.rule], request.dismissed)?;
    added.into_iter().next().ok_or_else(|| unreadable(String::new()))
}

/// Confirms several rules, or none where one of them cannot be used.
///
/// # Errors
/// As [`add_memory_rule`].
pub fn add_memory_rules(inner: &Arc<Rules>, request: AddMemoryRules) -> Result<MemoryRules, ApiError> {
    Ok(MemoryRules { rules: add(inner, &request.rules, false)? })
}

fn add(inner: &Arc<Rules>, given: &[Value], dismissed: bool) -> Result<Vec<MemoryRule>, ApiError> {
    let usable = |given: &Value| {
        let rule = Rule::given(given)
            .map_err(|error| ApiError::invalid(retrace_wire::sentence(&error), subject(given)))?;
        crate::anchor::with_whole_source(inner, rule)
    };
    let rules = given.iter().map(usable).collect::<Result<Vec<Rule>, ApiError>>()?;
    let (user, now) = (inner.user(), inner.now());
    let kept = inner.write(|act| {
        let mut kept = Vec::with_capacity(rules.len());
        // The same rule twice would be counted twice.
        let mut known: HashMap<String, KeptRule> = HashMap::new();
        for rule in act.reader().rules()?.into_iter().filter(|rule| !dismissed && rule.removed_at.is_none()) {
            let now = current(inner, &act.reader(), &rule)?;
            // As it is called now, and as it was given.
            for same in now.into_iter().chain(rule_of(&rule)) {
                known.entry(same.to_json().to_string()).or_insert_with(|| rule.clone());
            }
        }
        for rule in &rules {
            let same = rule.to_json().to_string();
            if let Some(known) = known.get(&same) {
                kept.push(known.clone());
                continue;
            }
            let number = act.add_rule(&user, now, &rule.to_json().to_string())?;
            if dismissed {
                act.list_rule(&user, now, number, false)?;
            }
            let added = act.reader().rule(number)?;
            if !dismissed {
                known.insert(same, added.clone());
            }
            kept.push(added);
        }
        Ok(kept)
    })?;
    kept.iter().map(|kept| view(kept, &[]).ok_or_else(|| unreadable(id_of(kept.number)))).collect()
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

/// When the newest act on the list was that can be taken back.
///
/// # Errors
/// A failure of the database.
pub fn newest_rule_act(reader: &Reader<'_>) -> Result<Option<Timestamp>, ApiError> {
    Ok(reader.newest_rule_acts()?.first().map(|act| act.at))
}

/// Takes the newest act on the list back: a rule that was added or put back is off it again, one that was taken off is on it. What
/// was dismissed is proposed again.
///
/// # Errors
/// `not_found` where there is no such act.
pub fn undo_rule_act(inner: &Arc<Rules>, dry_run: bool) -> Result<UndoneRuleAct, ApiError> {
    let newest = |reader: &Reader<'_>| -> Result<(Vec<RuleAct>, RuleAct), ApiError> {
        let acts = reader.newest_rule_acts()?;
        let last = acts.last().copied();
        let last = last.ok_or_else(|| ApiError::new(Code::NotFound, say::no_rule_act(), ""))?;
        Ok((acts, last))
    };
    let answer = |reader: &Reader<'_>, undone: RuleAct| -> Result<UndoneRuleAct, ApiError> {
        let kept = reader.rule(undone.rule)?;
        Ok(UndoneRuleAct {
            becomes: if undone.is_on { RuleStanding::OffList } else { RuleStanding::OnList },
            rule_id: Some(id_of(undone.rule)),
            sentence: rule_of(&kept).map(|rule| rule.sentence),
            broken: Vec::new(),
            created_at: undone.at.to_rfc3339(),
        })
    };
    if dry_run {
        return inner.read(|reader| answer(reader, newest(reader)?.1));
    }
    let (user, now) = (inner.user(), inner.now());
    inner.write(|act| {
        let (acts, last) = newest(&act.reader())?;
        act.take_back_rule_acts(&user, now, &acts)?;
        answer(&act.reader(), last)
    })
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

/// Every rule that was added or dismissed, whether it is on the list or not.
pub(crate) fn answered(inner: &Engine) -> Result<Vec<Rule>, ApiError> {
    inner.read(|reader| {
        let mut answered = Vec::new();
        for kept in reader.rules()?.iter().filter(|kept| !kept.is_undone) {
            answered.extend(current(inner, reader, kept)?);
        }
        Ok(answered)
    })
}

/// A rule with its source as that is called now.
pub(crate) fn current(
    inner: &Engine,
    reader: &Reader<'_>,
    kept: &KeptRule,
) -> Result<Option<Rule>, ApiError> {
    let Some(mut rule) = rule_of(kept) else { return Ok(None) };
    rule.source = source_now(inner, reader, &rule, kept.added_at)?.or(rule.source);
    Ok(Some(rule))
}

/// The source of a rule, where it is called otherwise by now.
fn renamed(inner: &Engine, reader: &Reader<'_>, kept: &KeptRule) -> Result<Option<String>, ApiError> {
    let Some(rule) = rule_of(kept) else { return Ok(None) };
    source_now(inner, reader, &rule, kept.added_at)
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
    no_rule_act() => "There is no act on the list of rules to take back.",
    no_such_rule() => "There is no such rule.",
    rule_cannot_be_read() => "The rule was kept, and cannot be read any more.",
}
