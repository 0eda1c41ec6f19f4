//! Rules that sessions broke while something recorded.

use super::time::time;
use super::{Style, visible};
use retrace_api::wire::BrokenRule;
use std::io::{Result, Write};

/// Columns of a call, and of a sentence.
const SHORT: usize = 100;

/// A break in three lines: the rule, what broke it and where, whether the rule was before the model.
pub fn one(out: &mut (impl Write + ?Sized), broken: &BrokenRule, style: Style) -> Result<()> {
    let paint = style.paint;
    let at = time(broken.at.as_deref().unwrap_or(&broken.found_at), style);
    let seen = if broken.seen_at.is_some() { ", seen" } else { "" };
    writeln!(
        out,
        "{}  {} {} broken{seen}  {at}",
        paint.bold(&broken.id),
        paint.red("!"),
        paint.dim(&broken.rule_id)
    )?;
    let source = broken.source.as_deref().map(|source| format!("  {}", visible::line(source)));
    let sentence = visible::short(&broken.sentence, SHORT);
    writeln!(out, "  “{sentence}”{}", paint.dim(&source.unwrap_or_default()))?;
    let turn = broken.turn.map(|turn| format!("#{turn}")).unwrap_or_default();
    let who = if broken.subagent { ", by a subagent" } else { "" };
    let session = broken.title.as_deref().unwrap_or(&broken.session);
    let (what, session) = (visible::short(&broken.what, SHORT), visible::short(session, SHORT));
    match (broken.at_end, broken.quiet_minutes) {
        (false, _) => writeln!(out, "  {what}  in {session}{turn}{who}")?,
        (true, None) => writeln!(out, "  {what}  not done when {session}{turn} ended")?,
        (true, Some(minutes)) => {
            writeln!(out, "  {what}  not done when {session}{turn} ended: no call in {minutes} minutes")?;
        }
    }
    writeln!(out, "  {}", was_there(broken))
}

fn was_there(broken: &BrokenRule) -> String {
    let grade = broken.grade.map(|grade| format!(" ({})", grade.as_str())).unwrap_or_default();
    match (broken.present, broken.cause) {
        (Some(true), _) => format!("the rule was before the model{grade}"),
        (Some(false), Some(cause)) => {
            format!("the rule was not before the model: {}{grade}", cause.as_str().replace('_', " "))
        }
        (Some(false), None) => format!("the rule was not before the model{grade}"),
        (None, _) => "whether the rule was before the model is not known".to_owned(),
    }
}
