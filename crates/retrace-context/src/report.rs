//! A report: one HTML file that shows what settings do to a run, for people who do not have the program.
//!
//! The file loads nothing and runs nothing: its policy forbids both, styles are in it, the chart is inline SVG and the table
//! behind it follows. Every text from outside is escaped, and hidden characters are written out. Settings are told apart by
//! the dashes of their lines as well as by colour. It follows the reader's light or dark, and prints.

mod chart;
mod tables;

use crate::compose::{Classes, FileUse};
use crate::html::{escape, escape_lines};
use crate::outcome::Outcome;
use crate::regret::Regret;
use crate::warnings::Warning;
use retrace_transcript::Transcript;
use serde_json::Value;
use std::fmt::Write as _;

/// Number of settings that the chart shows apart.
pub const CHARTED: usize = 4;

/// Data of a report.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// Title of the subject, such as the title of a session.
    pub title: &'a str,
    /// Facts under the title: model, file, when it was made, how the figures were come by. A line each.
    pub facts: Vec<String>,
    /// The transcript.
    pub transcript: &'a Transcript,
    /// Contexts without any setting, by request.
    pub contexts: &'a [u64],
    /// Composition, by request.
    pub classes: &'a [Classes],
    /// By request: whether its composition rests on the request as it was sent, so that the rest is framing.
    pub sent: &'a [bool],
    /// Memory and instruction files.
    pub files: &'a [FileUse],
    /// Window of the model in tokens.
    pub window: Option<u64>,
    /// The settings; the chart shows the first [`CHARTED`].
    pub settings: Vec<Tried<'a>>,
}

/// A setting of a report.
#[derive(Clone, Copy, Debug)]
pub struct Tried<'a> {
    /// Its name.
    pub name: &'a str,
    /// The setting.
    pub setting: &'a Value,
    /// Outcome.
    pub outcome: &'a Outcome,
    /// Its regrets.
    pub regrets: &'a [Regret],
    /// Its warnings.
    pub warnings: &'a [Warning],
}

const STYLE: &str = "\
:root{color-scheme:light dark;--paper:#faf9f7;--panel:#fff;--line:#cfc9bf;--ink:#1e1c19;--soft:#57524a;--warn:#7d5200;\
--s0:#57524a;--s1:#3d4bb8;--s2:#1f8a84;--s3:#a85c0a;--s4:#8a4fbf;--bad:#a4231b}\
@media(prefers-color-scheme:dark){:root{--paper:#151412;--panel:#1b1a18;--line:#464139;--ink:#ece8e1;--soft:#b8b1a6;--warn:#ffcf70;\
--s0:#b8b1a6;--s1:#9aa5ff;--s2:#58c7bf;--s3:#f0ab57;--s4:#c699f2;--bad:#ff9d94}}\
body{margin:2rem auto;max-width:62rem;padding:0 1rem;background:var(--paper);color:var(--ink);font:14px/1.5 system-ui,sans-serif}\
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}p,li{max-width:46rem}.facts,figcaption{color:var(--soft)}\
table{border-collapse:collapse;width:100%;background:var(--panel);font-variant-numeric:tabular-nums}\
th,td{border-bottom:1px solid var(--line);padding:.25rem .5rem;text-align:right;vertical-align:top}\
th:first-child,td:first-child,.text{text-align:left}td.text{overflow-wrap:anywhere}thead{display:table-header-group}\
pre{background:var(--panel);border:1px solid var(--line);padding:.75rem;overflow:auto;white-space:pre-wrap}\
figure{margin:0}svg{width:100%;height:auto;background:var(--panel);border:1px solid var(--line)}\
svg text{fill:var(--soft);font:11px system-ui,sans-serif}.grid{stroke:var(--line);stroke-width:1}\
.line{fill:none;stroke-width:1.8}.limit{stroke:var(--bad);stroke-width:1;stroke-dasharray:2 3}\
.s0{stroke:var(--s0)}.s1{stroke:var(--s1);stroke-dasharray:8 3}.s2{stroke:var(--s2);stroke-dasharray:3 3}\
.s3{stroke:var(--s3);stroke-dasharray:10 3 2 3}.s4{stroke:var(--s4);stroke-dasharray:1 3}\
.mark{fill:none;stroke-width:1.6;stroke-dasharray:none}.wide{overflow-x:auto}\
@media print{body{margin:0;max-width:none;background:#fff}section{break-inside:auto}tr,figure{break-inside:avoid}.wide{overflow:visible}}";

/// The policy of the file: styles within it, and nothing else.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// Writes the report.
#[must_use]
pub fn html(report: &Report<'_>) -> String {
    let title = escape(report.title);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{title}: context</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n<p class=\"facts\">"
    );
    let facts: Vec<String> = report.facts.iter().map(|fact| escape(fact)).collect();
    page.push_str(&facts.join("<br>\n"));
    page.push_str("</p>\n");
    chart::write(report, &mut page);
    tables::settings(report, &mut page);
    for tried in &report.settings {
        setting(tried, &mut page);
    }
    tables::classes(report, &mut page);
    tables::files(report, &mut page);
    tables::requests(report, &mut page);
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

fn setting(tried: &Tried<'_>, page: &mut String) {
    let pretty = serde_json::to_string_pretty(tried.setting).unwrap_or_else(|_| tried.setting.to_string());
    let _ =
        writeln!(page, "<section>\n<h2>{}</h2>\n<pre>{}</pre>", escape(tried.name), escape_lines(&pretty));
    if !tried.warnings.is_empty() {
        page.push_str("<ul>\n");
        for warning in tried.warnings {
            let _ = writeln!(page, "<li><code>{}</code>: {}</li>", warning.code, escape(&warning.message));
        }
        page.push_str("</ul>\n");
    }
    tables::regrets(tried.regrets, page);
    page.push_str("</section>\n");
}

#[cfg(test)]
mod tests;
