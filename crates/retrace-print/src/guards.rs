//! Guards of rules: the edit of the settings, and how often the hook would have fired.

use super::time::time;
use super::{Style, count, visible};
use retrace_api::wire::{BackTest, GuardedRule, RuleGuard, RuleStanding, UndoneRuleAct};
use std::io::{Result, Write};

/// A guard as part of a rule's account: `guarded: refuses calls, by ~/.claude/settings.json`.
pub(crate) fn one(guard: &RuleGuard) -> String {
    let does = if guard.remind { "reminds" } else { "refuses the call" };
    let gone = if guard.in_place { "" } else { ", but the hook was taken out there" };
    format!("guarded: {does}, by {}{gone}", visible::line(&guard.settings))
}

/// A guard that was put in or taken off, or would be.
pub fn guarded(out: &mut (impl Write + ?Sized), done: &GuardedRule, style: Style) -> Result<()> {
    let paint = style.paint;
    if let Some(test) = &done.back_test {
        back_test(out, test)?;
    }
    if done.lines.is_empty() {
        writeln!(out, "{} stays as it is.", visible::line(&done.settings))?;
    } else {
        writeln!(out, "{}", paint.bold(&visible::line(&done.settings)))?;
    }
    for line in &done.lines {
        let text = visible::line(&line.text);
        match line.tag.as_str() {
            "insert" => writeln!(out, "{}", paint.green(&format!("+ {text}")))?,
            "delete" => writeln!(out, "{}", paint.red(&format!("- {text}")))?,
            _ => writeln!(out, "  {text}")?,
        }
    }
    let rule = paint.bold(&done.rule.rule_id);
    let is_guard =
        done.back_test.is_some() || done.rule.guards.iter().any(|one| one.settings == done.settings);
    match (done.dry_run, is_guard) {
        (true, _) => writeln!(out, "Nothing was written."),
        (false, true) if done.remind => writeln!(out, "{rule} is a guard: the model is reminded of it."),
        (false, true) => writeln!(out, "{rule} is a guard: a call that breaks it is refused."),
        (false, false) => writeln!(out, "{rule} is no guard any more."),
    }
}

/// An act on the list of rules, or on breaks of rules, that was taken back or would be.
pub(crate) fn undone(
    out: &mut (impl Write + ?Sized),
    undone: &UndoneRuleAct,
    dry_run: bool,
    style: Style,
) -> Result<()> {
    let what = match &undone.rule_id {
        Some(rule) => style.paint.bold(rule),
        None => count(undone.broken.len() as u64, "break of a rule", "breaks of rules"),
    };
    let one = undone.broken.len() == 1;
    let becomes = match (undone.becomes, dry_run) {
        (RuleStanding::OnList, false) => "is on the list again",
        (RuleStanding::OnList, true) => "would be on the list again",
        (RuleStanding::OffList, false) => "is off the list again",
        (RuleStanding::OffList, true) => "would be off the list again",
        (RuleStanding::Unseen, true) => "would need you again",
        (RuleStanding::Unseen, false) if one => "needs you again",
        (RuleStanding::Unseen, false) => "need you again",
        (RuleStanding::Seen, true) => "would be seen again",
        (RuleStanding::Seen, false) if one => "is seen again",
        (RuleStanding::Seen, false) => "are seen again",
    };
    let sentence = undone.sentence.as_deref().map(|text| format!(": {}", visible::line(text)));
    writeln!(out, "{what} {becomes}{}", sentence.unwrap_or_else(|| ".".to_owned()))?;
    writeln!(out, "  undoes an act of {}", time(&undone.created_at, style))?;
    if dry_run {
        writeln!(out, "Nothing was written.")?;
    }
    Ok(())
}

fn back_test(out: &mut (impl Write + ?Sized), test: &BackTest) -> Result<()> {
    writeln!(
        out,
        "Back-test: would have fired {} of {}, {} wrongly because you had asked for it, over {}: {} broken, {} while the rule did not stand there.",
        test.fired,
        count(test.calls, "call", "calls"),
        test.wrongly,
        count(test.sessions, "session", "sessions"),
        test.broken,
        test.predates
    )
}
