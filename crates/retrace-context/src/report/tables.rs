//! The tables of a report.

use super::{Report, escape};
use crate::compose::Classes;
use crate::export::{dollars, grouped};
use crate::outcome::Totals;
use crate::regret::Regret;
use crate::weight::{FileClass, FileSource};
use std::fmt::Write as _;

/// Regrets and files that are listed; the rest is counted.
const LISTED: usize = 200;

/// A class: its name, and its tokens.
type Class = (&'static str, fn(&Classes) -> i64);

const CLASSES: [Class; 9] = [
    ("System and tools", |classes| classes.system),
    ("Instructions", |classes| classes.instructions),
    ("Memory", |classes| classes.memory),
    ("Tool results", |classes| classes.tool_results),
    ("Tool inputs", |classes| classes.tool_inputs),
    ("Text", |classes| classes.text),
    ("Thinking", |classes| classes.thinking),
    ("Attachments", |classes| classes.attachments),
    (NOT_RECORDED, |classes| classes.not_recorded),
];

/// What the parts of a context do not explain.
const NOT_RECORDED: &str = "Not recorded";

fn head(columns: &[&str], page: &mut String) {
    page.push_str("<div class=\"wide\"><table>\n<thead><tr>");
    for column in columns {
        let _ = write!(page, "<th scope=\"col\">{column}</th>");
    }
    page.push_str("</tr></thead>\n<tbody>\n");
}

const END: &str = "</tbody>\n</table></div>\n";

/// Sums by setting.
pub(super) fn settings(report: &Report<'_>, page: &mut String) {
    if report.settings.is_empty() {
        return;
    }
    page.push_str("<section>\n<h2>Settings</h2>\n");
    head(
        &[
            "Setting",
            "Largest context",
            "Input",
            "Cost",
            "Clearings",
            "Compactions",
            "Cache written",
            "Cache read",
            "Cache broken",
            "Needed again",
        ],
        page,
    );
    for tried in &report.settings {
        let Totals { peak, input, clears, compactions, cache_writes, cache_reads, cache_breaks, .. } =
            tried.outcome.totals;
        let numbers: Vec<String> =
            [clears, compactions, cache_writes, cache_reads, cache_breaks, tried.regrets.len() as u64]
                .into_iter()
                .map(|number| format!("<td>{}</td>", grouped(number)))
                .collect();
        let _ = writeln!(
            page,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td>{}</tr>",
            escape(tried.name),
            grouped(peak),
            grouped(input),
            dollars(tried.outcome.totals.cost_usd),
            numbers.concat()
        );
    }
    page.push_str(END);
    page.push_str("</section>\n");
}

/// Results that were cleared and needed again.
pub(super) fn regrets(regrets: &[Regret], page: &mut String) {
    if regrets.is_empty() {
        page.push_str("<p>No cleared result was needed again, as far as the rules see.</p>\n");
        return;
    }
    head(&["Cleared result", "Tokens", "Cleared at", "Needed at", "Rule", "Evidence"], page);
    for regret in regrets.iter().take(LISTED) {
        let _ = writeln!(
            page,
            "<tr><td class=\"text\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"text\">{}</td></tr>",
            escape(&regret.label),
            grouped(regret.tokens),
            regret.cleared_at + 1,
            regret.needed_at + 1,
            regret.rule.name(),
            escape(&regret.evidence)
        );
    }
    page.push_str(END);
    rest(regrets.len(), page);
}

fn rest(all: usize, page: &mut String) {
    if all > LISTED {
        let _ = writeln!(page, "<p>And {} more.</p>", grouped((all - LISTED) as u64));
    }
}

/// Composition of the largest context. Requests are counted from 1 here, as in the window.
pub(super) fn classes(report: &Report<'_>, page: &mut String) {
    let largest = (0..report.classes.len()).max_by_key(|&index| report.contexts.get(index));
    let Some((index, classes)) = largest.and_then(|index| Some((index, report.classes.get(index)?))) else {
        return;
    };
    let _ =
        writeln!(page, "<section>\n<h2>What the largest context was made of (request {})</h2>", index + 1);
    head(&["Class", "Tokens", "Share"], page);
    let is_sent = report.sent.get(index).copied().unwrap_or_default();
    for (name, of) in CLASSES {
        let name = if is_sent && name == NOT_RECORDED { "Framing" } else { name };
        let _ = writeln!(
            page,
            "<tr><th scope=\"row\">{name}</th><td>{}</td><td>{:.1} %</td></tr>",
            signed(of(classes)),
            of(classes) as f64 * 100.0 / (classes.sum().max(1)) as f64
        );
    }
    let _ = writeln!(
        page,
        "<tr><th scope=\"row\">All</th><td>{}</td><td>100.0 %</td></tr>",
        signed(classes.sum())
    );
    page.push_str(END);
    page.push_str("</section>\n");
}

fn signed(tokens: i64) -> String {
    let sign = if tokens < 0 { "−" } else { "" };
    format!("{sign}{}", grouped(tokens.unsigned_abs()))
}

/// Memory and instruction files.
pub(super) fn files(report: &Report<'_>, page: &mut String) {
    if report.files.is_empty() {
        return;
    }
    page.push_str("<section>\n<h2>Memory and instruction files</h2>\n");
    head(&["File", "Kind", "Came in", "Tokens", "Requests that carried it", "Price of carrying it"], page);
    for file in report.files.iter().take(LISTED) {
        let class = match file.class {
            FileClass::Instructions => "instructions",
            FileClass::Memory => "memory",
        };
        let source = match file.source {
            FileSource::Attached => "attached",
            FileSource::Embedded => "within a text",
            FileSource::ReadByTool => "read by a tool",
        };
        let _ = writeln!(
            page,
            "<tr><td class=\"text\">{}</td><td>{class}</td><td>{source}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            escape(&file.path),
            grouped(file.tokens),
            grouped(file.requests),
            dollars(file.cost_usd)
        );
    }
    page.push_str(END);
    rest(report.files.len(), page);
    page.push_str("</section>\n");
}

/// The table behind the chart.
pub(super) fn requests(report: &Report<'_>, page: &mut String) {
    page.push_str("<section>\n<h2>Every request</h2>\n");
    let names: Vec<String> = report.settings.iter().map(|tried| escape(tried.name)).collect();
    let mut columns = vec!["Request", "Model", "Without a setting"];
    columns.extend(names.iter().map(String::as_str));
    head(&columns, page);
    for (index, context) in report.contexts.iter().enumerate() {
        let model = report.transcript.requests.get(index).and_then(|request| request.model.as_deref());
        let _ = write!(
            page,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td>",
            index + 1,
            escape(model.unwrap_or("not known")),
            grouped(*context)
        );
        for tried in &report.settings {
            let after =
                tried.outcome.requests.get(index).map_or_else(String::new, |request| grouped(request.after));
            let _ = write!(page, "<td>{after}</td>");
        }
        page.push_str("</tr>\n");
    }
    page.push_str(END);
    page.push_str("</section>\n");
}
