//! One file: what rules see of it, what they find in it alone, and what it says that others are compared with.

use crate::allow::Allowed;
use crate::config::Config;
use crate::finding::{Behind, Evidence, Finding, Rest, Span};
use crate::front_matter::{FrontMatter, front_matter};
use crate::links::{self, Links};
use crate::listed::Listed;
use crate::markdown::Code;
use crate::mask::{mask, masked};
use crate::registry::{Rule, known};
use crate::remedy::{Remedy, remedies};
use crate::similar::{self, Wording};
use crate::text::Text;
use crate::truth::{self, Claim};
use crate::{hidden, hostile, limits, personal, secrets};
use retrace_message::Message;
use std::ops::Range;

/// Longest quotation from a memory in a message, in characters.
const QUOTED: usize = 80;

/// One file while its rules run.
pub(crate) struct Page<'a> {
    /// Path below the directory.
    pub(crate) path: &'a str,
    pub(crate) bytes: &'a [u8],
    pub(crate) text: Text<'a>,
    pub(crate) code: Code,
    pub(crate) front_matter: Option<FrontMatter>,
    pub(crate) config: &'a Config,
    /// Where secrets and personal data stand, by start.
    sensitive: Vec<Range<usize>>,
    allowed: Allowed,
    findings: Listed,
}

/// Reading of one file.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// Findings that depend on this file alone, by place.
    pub(crate) findings: Vec<Finding>,
    pub(crate) allowed: Allowed,
    /// The names it can be linked by: front matter and first heading.
    pub(crate) names: Vec<String>,
    /// The `name` of its front matter, with its place.
    pub(crate) name: Option<(String, Span)>,
    pub(crate) links: Links,
    pub(crate) claims: Vec<Claim>,
    pub(crate) wording: Wording,
}

/// Runs every rule that looks at one file alone, and reads what rules over a directory need of it.
pub(crate) fn read(path: &str, bytes: &[u8], config: &Config) -> Reading {
    let page = check_alone(path, bytes, config);
    let mut reading = Reading::default();
    if retrace_diff::is_text(bytes) {
        reading.name = name(&page);
        reading.names = names(&page);
        reading.links = links::read(&page);
        reading.claims = if config.has_group("truth") { truth::claims(&page) } else { Vec::new() };
        reading.wording =
            if config.has_group("similar") { similar::wording(&page, config) } else { Wording::default() };
    }
    done(page, reading)
}

/// The same without what rules over a directory need.
pub(crate) fn read_alone(path: &str, bytes: &[u8], config: &Config) -> Reading {
    done(check_alone(path, bytes, config), Reading::default())
}

fn done(page: Page<'_>, mut reading: Reading) -> Reading {
    reading.allowed = page.allowed;
    reading.findings = page.findings.done();
    reading.findings.sort_by_key(|finding| Span::order(finding.span.as_ref()));
    reading
}

fn check_alone<'a>(path: &'a str, bytes: &'a [u8], config: &'a Config) -> Page<'a> {
    let text = Text::new(bytes);
    let is_text = retrace_diff::is_text(bytes);
    let mut page = Page {
        path,
        bytes,
        code: if is_text { Code::of(&text) } else { Code::default() },
        front_matter: if is_text { front_matter(text.as_str()) } else { None },
        allowed: if is_text { Allowed::of(&text) } else { Allowed::default() },
        text,
        config,
        sensitive: Vec::new(),
        findings: Listed::new(config.every_place),
    };
    // First, so that every other message can leave them out.
    sensitive(&mut page);
    if is_text {
        hidden::check(&mut page);
        hostile::check(&mut page);
        limits::check(&mut page);
        check_front_matter(&mut page);
    }
    page
}

fn sensitive(page: &mut Page<'_>) {
    let mut found: Vec<(&str, Range<usize>, String)> = secrets::secrets(page.text.as_str())
        .into_iter()
        .map(|secret| (secret.rule, secret.range, article(secret.name)))
        .collect();
    // In order, and none overlaps another.
    let taken: Vec<_> = found.iter().map(|(_, range, _)| range.clone()).collect();
    let free = |range: &Range<usize>| {
        let next = taken.partition_point(|other| other.end <= range.start);
        taken.get(next).is_none_or(|other| other.start >= range.end)
    };
    let emails = personal::emails(page.text.as_str(), page.config).into_iter();
    found.extend(emails.filter(free).map(|range| ("personal/email", range, "An e-mail address".to_owned())));
    let cards = personal::cards(page.text.as_str()).into_iter();
    found
        .extend(cards.filter(free).map(|range| ("personal/card", range, "A payment card number".to_owned())));
    found.sort_by_key(|(_, range, _)| range.start);
    page.sensitive = found.iter().map(|(_, range, _)| range.clone()).collect();
    for (rule, range, what) in found {
        page.report_with(known(rule), range, |found| match masked(found) {
            (shown, 1) => say::masked_one(what, shown),
            (shown, length) => say::masked(what, shown, length),
        });
    }
}

fn article(name: &str) -> String {
    let vowel = name.starts_with(['a', 'e', 'i', 'o', 'u', 'A', 'E', 'I', 'O', 'U', 'x']);
    format!("{} {name}", if vowel { "An" } else { "A" })
}

fn check_front_matter(page: &mut Page<'_>) {
    let Some(found) = page.front_matter.clone() else { return };
    if let Some(problem) = found.problem {
        let range = page.text.line_range(problem.line);
        page.report("front-matter/invalid", range, say::front_matter_cannot_read(problem.message));
    }
    if let Some(kind) = found.kind.filter(|kind| !is_known_type(page.path, &kind.text)) {
        let range = page.text.line_range(kind.line);
        let shown = page.shown_text(&kind.text, &range);
        page.report("front-matter/unknown-type", range, say::type_(shown));
    }
}

/// The four types of a memory; a rule or an agent file has types of its own, and so have notes of other programs.
fn is_known_type(path: &str, kind: &str) -> bool {
    let other_program =
        path.split('/').any(|part| matches!(part, "rules" | "agents" | "commands" | "skills" | "logs"));
    other_program || matches!(kind, "user" | "feedback" | "project" | "reference")
}

fn name(page: &Page<'_>) -> Option<(String, Span)> {
    let name = page.front_matter.as_ref()?.name.as_ref()?;
    (!name.text.trim().is_empty()).then(|| (name.text.clone(), page.span(&page.text.line_range(name.line))))
}

fn names(page: &Page<'_>) -> Vec<String> {
    let heading =
        page.text.lines().find_map(|(_, line)| line.strip_prefix("# ").map(|title| title.trim().to_owned()));
    let name = page.front_matter.as_ref().and_then(|found| found.name.as_ref()).map(|name| name.text.clone());
    name.into_iter().chain(heading).collect()
}

impl Page<'_> {
    /// Reports a finding at `range` unless its rule is off.
    pub(crate) fn report(&mut self, rule: &str, range: Range<usize>, message: Message) {
        self.report_with(known(rule), range, |_| message);
    }

    /// The same for what may be found many thousand times: the message is made, of what stands there, where it is listed.
    pub(crate) fn report_with(
        &mut self,
        rule: &'static Rule,
        range: Range<usize>,
        message: impl FnOnce(&str) -> Message,
    ) {
        let Some(severity) = self.config.severity(rule) else { return };
        let lines = (self.text.line_number(range.start), self.text.line_number(range.end));
        let found = self.text.as_str().get(range.clone()).unwrap_or("");
        let is_allowed = self.allowed.allows_at(rule, Some(lines));
        if !self.findings.counts(rule, self.path, is_allowed, (lines.1, found)) {
            return;
        }
        let message = message(found);
        let sensitive = rule.sensitive || self.sensitive_in(&range).next().is_some();
        let evidence = if sensitive { Evidence::of_sensitive(found) } else { Evidence::of(found) };
        let span = Some(self.span(&range));
        let remedies = remedies(rule, self.path, span.as_ref(), found);
        let path = self.path.to_owned();
        self.findings.push(Finding {
            rule,
            severity,
            path,
            span,
            message,
            evidence,
            remedies,
            rest: Rest::default(),
            behind: Behind::default(),
        });
    }

    /// Reports a finding about the file as a whole unless its rule is off.
    pub(crate) fn report_whole(&mut self, rule: &str, message: Message) {
        let rule = known(rule);
        let Some(severity) = self.config.severity(rule) else { return };
        if !self.findings.counts(rule, self.path, self.allowed.allows_at(rule, None), (1, "")) {
            return;
        }
        let evidence = Evidence::of("");
        let remedies = remedies(rule, self.path, None, "");
        let path = self.path.to_owned();
        self.findings.push(Finding {
            rule,
            severity,
            path,
            span: None,
            message,
            evidence,
            remedies,
            rest: Rest::default(),
            behind: Behind::default(),
        });
    }

    /// Puts an act before the others of the finding that was reported last, if it is of `rule`.
    pub(crate) fn mended_by(&mut self, rule: &str, remedy: Remedy) {
        self.findings.mended_by(rule, remedy);
    }

    /// Says what text the finding that was reported last is about as well, if it is of `rule`.
    pub(crate) fn with_text_behind(&mut self, rule: &str, text: Range<usize>) {
        let text = self.text.as_str().get(text).unwrap_or("");
        self.findings.with_text_behind(rule, text);
    }

    pub(crate) fn span(&self, range: &Range<usize>) -> Span {
        Span {
            bytes: range.clone(),
            start: self.text.position(range.start),
            end: self.text.position(range.end),
        }
    }

    fn sensitive_in(&self, range: &Range<usize>) -> impl Iterator<Item = &Range<usize>> {
        let first = self.sensitive.partition_point(|one| one.end <= range.start);
        let end = range.end;
        self.sensitive[first..].iter().take_while(move |one| one.start < end)
    }

    /// The text at `range` for a message: one line, cut, secrets and personal data masked.
    pub(crate) fn shown(&self, range: &Range<usize>) -> String {
        let mut shown = String::new();
        let mut at = range.start;
        for one in self.sensitive_in(range) {
            shown.push_str(self.text.as_str().get(at..one.start.max(at)).unwrap_or(""));
            shown.push_str(&mask(&self.text.as_str()[one.clone()]));
            at = one.end;
        }
        shown.push_str(self.text.as_str().get(at..range.end.max(at)).unwrap_or(""));
        one_line(&shown)
    }

    /// `text`, which was read from `range`, for a message: masked as a whole where a secret or personal data stands there.
    pub(crate) fn shown_text(&self, text: &str, range: &Range<usize>) -> String {
        if self.sensitive_in(range).next().is_some() { mask(text) } else { one_line(text) }
    }
}

/// `text` on one line, cut, with what is not seen written out.
pub(crate) fn one_line(text: &str) -> String {
    let mut shown = String::new();
    for (count, letter) in text.chars().enumerate() {
        if count == QUOTED {
            shown.push('…');
            break;
        }
        if letter.is_control() { shown.push(' ') } else { shown.push(letter) }
    }
    shown
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "page";
    masked(name, shown, count) => "{name}: {shown}… ({count} characters).",
    masked_one(name, shown) => "{name}: {shown}… (1 character).",
    front_matter_cannot_read(message) => "The front matter cannot be read: {message}.",
    type_(shown) => "The type is \"{shown}\".",
}
