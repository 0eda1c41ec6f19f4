//! The inbox, and what a review did.

use super::names::Names;
use super::table::{change, grouped};
use super::time::{instant, time};
use super::version::{actor, named, put_back_by};
use super::{Style, act, check, count, remedy, visible};
use retrace_api::wire::{Approval, Finding, InboxGroup, InboxItem, OriginNote, PutBack, Reviewed};
use std::collections::BTreeSet;
use std::io::{Result, Write};

/// Items of a group that are looked at before its heading is printed, which says what they have in common.
const LOOKED_AT: usize = 500;

/// Memories that are named of those that one review is about.
const NAMED: usize = 10;

/// Groups while they come, item by item.
pub struct Groups<'o, W: Write + ?Sized> {
    out: &'o mut W,
    names: &'o Names,
    all: bool,
    style: Style,
    /// The group whose heading is not printed yet, with the items that came.
    held: Option<InboxGroup>,
    /// The reason that was printed last.
    said: Option<String>,
    mended: Mended<'o>,
}

impl<'o, W: Write + ?Sized> Groups<'o, W> {
    /// Begins a list of groups.
    pub fn new(out: &'o mut W, names: &'o Names, all: bool, style: Style) -> Self {
        Self {
            out,
            names,
            all,
            style,
            held: None,
            said: None,
            mended: Mended { store: None, shown: BTreeSet::new() },
        }
    }

    /// A group begins, after all of the one before it.
    pub fn begin(&mut self, group: InboxGroup) -> Result<()> {
        self.end()?;
        self.held = Some(group);
        Ok(())
    }

    /// An item of the group.
    pub fn item(&mut self, item: InboxItem) -> Result<()> {
        match &mut self.held {
            Some(group) => {
                group.items.push(item);
                let came = group.items.len();
                if came as u64 >= group.total || came == LOOKED_AT { self.end() } else { Ok(()) }
            }
            None => self.print(&item),
        }
    }

    /// Prints what is held.
    pub fn end(&mut self) -> Result<()> {
        let Some(group) = self.held.take() else { return Ok(()) };
        heading(self.out, &group, self.style)?;
        (self.said, self.mended.shown) = (None, BTreeSet::new());
        group.items.iter().try_for_each(|item| self.print(item))
    }

    fn print(&mut self, item: &InboxItem) -> Result<()> {
        line(self.out, item, self.names, self.style)?;
        let why = item.origin.as_ref().and_then(why);
        // The prompt of many writes in a row is said once.
        if let Some(why) = why.as_ref().filter(|why| self.said.as_ref() != Some(*why)) {
            writeln!(self.out, "      {}", self.style.paint.dim(why))?;
        }
        self.said = why.or_else(|| self.said.take());
        self.mended.store = self.names.typed(&item.store_id);
        findings(self.out, &item.findings, &mut self.mended, self.all, self.style)
    }
}

/// Who and when.
fn heading(out: &mut (impl Write + ?Sized), group: &InboxGroup, style: Style) -> Result<()> {
    let (first, last) = (time(&group.started_at, style), time(&group.ended_at, style));
    let when = if first == last { last } else { format!("{first} to {last}") };
    writeln!(
        out,
        "{}  {when}  {}{}{}, {}",
        style.paint.yellow(&visible::line(&group.id)),
        actor(group.actor.as_ref(), style),
        title(group).map(|title| format!(" “{title}”")).unwrap_or_default(),
        put_back(group).map(|back| format!(", {}", put_back_by(back, style))).unwrap_or_default(),
        count(group.total, "memory", "memories")
    )
}

/// Rules of one item that are printed, each once with the number of its findings; the others are counted.
const MAX_RULES: usize = 5;

/// Characters of a session's title and of a prompt.
const TITLE: usize = 60;
const PROMPT: usize = 100;

/// The act that put all of a group's items back; none where some were not, or were not looked at: each says so itself.
fn put_back(group: &InboxGroup) -> Option<&PutBack> {
    if (group.items.len() as u64) < group.total {
        return None;
    }
    let back = group.items.first()?.put_back.as_ref()?;
    let is_of_it =
        |item: &InboxItem| item.put_back.as_ref().is_some_and(|it| it.operation_seq == back.operation_seq);
    group.items.iter().all(is_of_it).then_some(back)
}

/// Title of the group's session.
fn title(group: &InboxGroup) -> Option<String> {
    group.session.as_ref()?;
    let title = group.items.iter().find_map(|item| item.origin.as_ref()?.title.as_deref())?;
    Some(shortened(title, TITLE))
}

/// Turn, model and prompt of a write.
fn why(origin: &OriginNote) -> Option<String> {
    let prompt = origin.prompt.as_deref().map(|prompt| format!("“{}”", shortened(prompt, PROMPT)));
    let turn = origin.turn.map(|turn| format!("turn {turn}"));
    let model = origin.model.as_deref().map(visible::line);
    let facts: Vec<String> = [turn, model, prompt].into_iter().flatten().collect();
    (!facts.is_empty()).then(|| facts.join(", "))
}

fn shortened(text: &str, most: usize) -> String {
    let mut letters = text.chars();
    let head: String = letters.by_ref().take(most).collect();
    let more = if letters.next().is_some() { "…" } else { "" };
    format!("{}{more}", visible::line(head.trim_end()))
}

/// Whose findings are mended, and by which commands that were said already: one may mend what several items show.
struct Mended<'a> {
    store: Option<&'a str>,
    shown: BTreeSet<String>,
}

fn findings(
    out: &mut (impl Write + ?Sized),
    findings: &[Finding],
    mended: &mut Mended<'_>,
    all: bool,
    style: Style,
) -> Result<()> {
    // The worst first, so that no error stands among those that are only counted.
    let mut findings: Vec<&Finding> = findings.iter().collect();
    findings.sort_by_key(|finding| match finding.severity.as_str() {
        "error" => 0,
        "warning" => 1,
        _ => 2,
    });
    let mut rules: Vec<Vec<&Finding>> = Vec::new();
    for finding in findings {
        // There are few rules, and with `all` each finding stands by itself.
        let same = |group: &&mut Vec<&Finding>| {
            group[0].rule == finding.rule && group[0].severity == finding.severity
        };
        let known = if all { None } else { rules.iter_mut().find(same) };
        match known {
            Some(group) => group.push(finding),
            None => rules.push(vec![finding]),
        }
    }
    let most = if all { usize::MAX } else { MAX_RULES };
    for group in rules.iter().take(most) {
        let finding = group[0];
        let severity = check::severity(finding, style);
        let place = finding.start.map(|_| format!("line {}: ", finding.line)).unwrap_or_default();
        let (message, rule) = (visible::line(&finding.message), visible::line(&finding.rule));
        let rule = style.paint.dim(&format!("[{rule}]"));
        match check::total(group) {
            1 => writeln!(out, "      {severity}: {place}{message} {rule}")?,
            number => {
                let name = visible::line(&finding.rule_name());
                writeln!(
                    out,
                    "      {severity}: {} × {name}, first {place}{message} {rule}",
                    grouped(number)
                )?;
            }
        }
        for command in mended.store.map(|store| remedy::commands(group, store)).unwrap_or_default() {
            if mended.shown.insert(command.clone()) {
                writeln!(out, "        {}", style.paint.cyan(&command))?;
            }
        }
    }
    match rules.iter().skip(most).map(|group| check::total(group)).sum::<u64>() {
        0 => Ok(()),
        more => writeln!(out, "      and {}", count(more, "finding more", "findings more")),
    }
}

fn line(out: &mut (impl Write + ?Sized), item: &InboxItem, names: &Names, style: Style) -> Result<()> {
    let paint = style.paint;
    let sign = match item.verb.as_str() {
        "created" => paint.green("+"),
        "deleted" => paint.red("-"),
        "moved" => paint.cyan("→"),
        _ => paint.yellow("~"),
    };
    let now = names.place(&item.store_id, item.path.as_deref());
    let place = match &item.previous_path {
        Some(before) => format!("{} → {now}", names.place(&item.store_id, Some(before))),
        None => now,
    };
    let mut facts = Vec::new();
    if let Some(kind) = item.content_kind.as_deref().filter(|kind| *kind != "text") {
        facts.push(visible::line(&kind.replace('_', " ")));
    }
    if let Some(back) = &item.put_back {
        facts.push(put_back_by(back, style));
    }
    facts.extend(item.size_change.map(|bytes| format!("{} bytes", change(bytes))));
    facts.extend(item.token_change.map(|tokens| format!("{} tokens", change(tokens))));
    if item.versions > 1 {
        facts.push(count(item.versions, "version", "versions"));
    }
    if item.reappeared {
        facts.push(paint.red("came back after a rejection"));
    }
    writeln!(out, "  {sign} {place}  {}  {}", facts.join(", "), paint.dim(&visible::line(&item.version_id)))
}

/// Prints the approval of several items: how many are approved and left, which they are, and what the rules find in
/// them.
pub fn approval(out: &mut (impl Write + ?Sized), approval: &Approval, style: Style) -> Result<()> {
    let (approved, left) = (approval.approved, approval.left);
    match (approved, left) {
        (0, 0) => return writeln!(out, "Nothing to approve"),
        (_, 0) => writeln!(out, "Approve {approved}")?,
        (0, _) => writeln!(out, "Approve none, leave {left} with findings")?,
        _ => writeln!(out, "Approve {approved}, leave {left} with findings")?,
    }
    let at = |at: &Option<String>| at.as_deref().map(|at| instant(at, style.zone)).unwrap_or_default();
    let (oldest, newest) = (at(&approval.oldest_at), at(&approval.newest_at));
    match approval.direction.as_str() {
        "up_to" => writeln!(out, "  everything recorded up to {newest}, back to {oldest}")?,
        _ if oldest == newest => writeln!(out, "  recorded at {newest}")?,
        _ => writeln!(out, "  recorded from {oldest} to {newest}")?,
    }
    for found in &approval.findings {
        let amount = count(found.items, "memory", "memories");
        let severity = check::severity_word(&found.severity, style);
        writeln!(
            out,
            "  {severity} in {amount} {}",
            style.paint.dim(&format!("[{}]", visible::line(&found.rule)))
        )?;
    }
    if left > 0 {
        writeln!(out, "  --with-findings approves what is left too")?;
    }
    Ok(())
}

/// The review in a line, what was done to files, then what was left.
pub fn reviewed(
    out: &mut (impl Write + ?Sized),
    what: &str,
    reviewed: &Reviewed,
    names: &Names,
    style: Style,
) -> Result<()> {
    if let Some(plan) = reviewed.approval.as_ref().filter(|_| reviewed.dry_run) {
        approval(out, plan, style)?;
    }
    let amount = count(reviewed.done.len() as u64, "memory", "memories");
    match (reviewed.dry_run, reviewed.review_seq) {
        (true, _) => writeln!(out, "{what}, not done (dry run): {amount}")?,
        (false, Some(seq)) => writeln!(out, "{what}, review {seq}: {amount}")?,
        (false, None) => writeln!(out, "{what}: {amount}")?,
    }
    let shown = if style.verbose { usize::MAX } else { NAMED };
    for item in reviewed.done.iter().take(shown) {
        writeln!(out, "  {}", names.place(&item.store_id, item.path.as_deref()))?;
    }
    more(out, reviewed.done.len(), shown, style)?;
    if let Some(result) = &reviewed.act {
        act::act(out, "Files", result, names, style)?;
    }
    for item in reviewed.skipped.iter().take(shown) {
        let place = names.place(&item.store_id, item.path.as_deref());
        writeln!(out, "  {}  {place}: {}", style.paint.yellow("left"), visible::line(&item.message))?;
        if item.reason == "findings" {
            let mut mended = Mended { store: names.typed(&item.store_id), shown: BTreeSet::new() };
            findings(out, &item.findings, &mut mended, false, style)?;
            writeln!(out, "      {}", style.paint.dim(&named(&item.version_id, style)))?;
            continue;
        }
        for (name, id) in [
            ("reviewed", item.base_version_id.as_deref()),
            ("seen", Some(item.version_id.as_str())),
            ("now", item.found_version_id.as_deref()),
        ] {
            writeln!(out, "        {name:<8}  {}", id.map_or_else(|| "-".to_owned(), |id| named(id, style)))?;
        }
    }
    more(out, reviewed.skipped.len(), shown, style)
}

/// How many were not shown, and what shows them.
fn more(out: &mut (impl Write + ?Sized), all: usize, shown: usize, style: Style) -> Result<()> {
    match all.saturating_sub(shown) {
        0 => Ok(()),
        more => writeln!(out, "  {}", style.paint.dim(&format!("and {more} more; -v lists each"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn of_many_memories_the_first_are_named_and_the_others_counted() {
        let item = |number: u32| {
            json!({ "version_id": format!("memver_{number}"), "store_id": "s", "memory_id": "m", "path": format!("{number}.md"),
                "verdict": "approved" })
        };
        let reviewed_of = |many: u32| -> Reviewed {
            let done: Vec<_> = (0..many).map(item).collect();
            serde_json::from_value(
                json!({ "dry_run": false, "review_seq": 3, "done": done, "skipped": [], "act": null }),
            )
            .expect("a review")
        };
        let printed = |many: u32, verbose: bool| {
            let mut out = Vec::new();
            let style = Style { verbose, ..Style::PLAIN };
            reviewed(&mut out, "Reviewed", &reviewed_of(many), &Names::default(), style)
                .expect("it is printed");
            String::from_utf8(out).expect("text")
        };
        let short = printed(108, false);
        assert!(
            short.starts_with("Reviewed, review 3: 108 memories\n") && short.lines().count() == 12,
            "{short}"
        );
        assert!(short.ends_with("  and 98 more; -v lists each\n"), "{short}");
        assert_eq!(printed(108, true).lines().count(), 109);
        assert_eq!(printed(10, false), printed(10, true));
    }

    #[test]
    fn a_group_says_who_wrote_why_and_what_is_wrong() {
        let item = |path: &str, findings: &[(&str, &str, Option<u64>)]| {
            let findings: Vec<_> = findings
                .iter()
                .map(|(severity, message, start)| {
                    json!({ "rule": "group/rule", "severity": severity, "path": path, "line": 3, "column": 1, "end_line": null,
                        "end_column": null, "start": start, "end": start, "message": message, "remedy": "" })
                })
                .collect();
            json!({ "store_id": "s", "memory_id": "m", "path": path, "verb": "changed", "version_id": "memver_x", "versions": 1,
                "operation_seq": 1, "created_at": "2026-11-22T10:00:00Z", "source": "scan", "content_kind": "text", "size_change": 5,
                "token_change": 2, "tokens_kind": "counted offline", "reappeared": false, "kind": { "class": "topic" },
                "origin": { "confidence": "exact_content", "session_id": "5f2c", "title": "Fix \u{1b}the cart", "model": "claude-x",
                    "turn": 4, "prompt": "p".repeat(120) },
                "findings": findings })
        };
        let one: InboxGroup = serde_json::from_value(json!({
            "id": "group_9", "session": "5f2c", "started_at": "2026-11-22T10:00:00Z", "ended_at": "2026-11-22T10:00:00Z", "total": 2,
            "items": [
                item("a.md", &[("note", "No index.", None), ("error", "A key.", Some(9))]),
                item("b.md", &[("note", "n", None); 7]),
            ],
        }))
        .unwrap();
        let printed = |all: bool| {
            let (mut out, names) = (Vec::new(), Names::default());
            let mut groups = Groups::new(&mut out, &names, all, Style::PLAIN);
            groups.begin(InboxGroup { items: Vec::new(), ..one.clone() }).unwrap();
            one.items.iter().for_each(|item| groups.item(item.clone()).unwrap());
            groups.end().unwrap();
            String::from_utf8(out).unwrap()
        };
        let text = printed(false);
        assert!(text.contains("“Fix ") && !text.contains('\u{1b}'), "{text}");
        assert_eq!(text.matches("turn 4, claude-x, “").count(), 1, "one prompt is said once: {text}");
        assert!(
            text.contains("error: line 3: A key. [group/rule]\n      note: No index. [group/rule]"),
            "{text}"
        );
        assert!(text.ends_with("note: 7 × rule, first n [group/rule]\n"), "{text}");
        let text = printed(true);
        assert_eq!(text.matches("note: n [group/rule]").count(), 7, "{text}");
    }
}
