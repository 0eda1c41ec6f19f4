//! The ledger of rules in a report: counts, wordings, and the calls that broke a rule.

use crate::Review;
use crate::review_page::Section;
use crate::wire::{AdherenceReq, ApiError, ReviewReportReq, RuleCase, RuleLedger, RuleOutcome};
use retrace_adherence::adherence;
use retrace_engine::target::Target;
use retrace_findings::{Config, check_one};
use std::sync::Arc;

/// Breaks of one rule that are printed, the newest first.
const MAX_BREAKS: usize = 20;

/// A section a rule on the list, of a store where one is asked for. Texts in which a finding's rule finds a secret or personal
/// data are not printed.
pub(crate) fn rules(inner: &Arc<Review>, request: &ReviewReportReq) -> Result<Vec<Section>, ApiError> {
    let asked = AdherenceReq { rule: None, since: request.since.clone(), cases: true };
    let mut ledgers = adherence(&inner.memory_rules, asked)?.rules;
    if let Some(name) = request.store.as_deref() {
        let store = inner.read(|reader| inner.store_named(reader, name))?;
        ledgers.retain(|ledger| {
            let Some((target, _)) = ledger.rule.source.as_deref().and_then(|source| source.rsplit_once(':'))
            else {
                return false;
            };
            let found = inner.read(|reader| Ok(inner.target(reader, target).ok()));
            matches!(found, Ok(Some(Target::File { store: of, .. })) if of.id == store.id)
        });
    }
    let config = Config::default().with_every_place();
    Ok(ledgers.iter().map(|ledger| section(ledger, &config)).collect())
}

fn section(ledger: &RuleLedger, config: &Config) -> Section {
    let mut facts = Vec::new();
    facts.extend(ledger.rule.source.as_ref().map(|source| format!("{}, {source}", ledger.rule_id)));
    facts.push(match ledger.opportunities {
        0 => "Never applicable.".to_owned(),
        all if ledger.sessions == 1 => format!("{} of {all} followed, in 1 session", ledger.followed),
        all => format!("{} of {all} followed, in {} sessions", ledger.followed, ledger.sessions),
    });
    if ledger.broken > 0 {
        let absent = ledger.broken_absent.iter();
        let absent =
            absent.map(|(cause, count)| format!(", {count} without it ({})", cause.replace('_', " ")));
        facts.push(format!(
            "{} broken: {} with the rule before the model{}{}, {} not known",
            ledger.broken,
            ledger.broken_present,
            ledger.broken_inferred.map(|count| format!(" ({count} of these inferred)")).unwrap_or_default(),
            absent.collect::<String>(),
            ledger.broken_unknown
        ));
    }
    for (count, what) in [
        (ledger.excepted, "excepted, because the person asked for it"),
        (ledger.undecidable, "undecidable"),
        (ledger.predates, "while the rule did not stand there, not counted"),
    ] {
        facts.extend((count > 0).then(|| format!("{count} {what}")));
    }
    for wording in &ledger.by_version {
        let when = match (&wording.since, wording.number) {
            (Some(since), Some(line)) => format!("Since {since}, line {line}"),
            (Some(since), None) => format!("Since {since}"),
            _ => "Before the line stood there".to_owned(),
        };
        let judged = wording.followed + wording.broken;
        facts.push(format!("{when}: {} of {judged} followed", wording.followed));
    }
    let broken = ledger.cases.iter().filter(|case| case.outcome == RuleOutcome::Broken);
    facts.extend(broken.take(MAX_BREAKS).map(|case| broken_line(case, config)));
    Section { heading: shown(&ledger.rule.sentence, config), facts, changes: Vec::new() }
}

/// One break with where it stands.
fn broken_line(case: &RuleCase, config: &Config) -> String {
    let presence = match (case.present, case.cause) {
        (Some(true), _) => "the rule was before the model".to_owned(),
        (_, Some(cause)) => {
            format!("the rule was not before the model: {}", cause.as_str().replace('_', " "))
        }
        _ => "not known if the rule was before the model".to_owned(),
    };
    format!(
        "Broken {}: “{}” in {}, {} line {}; {presence}",
        case.at.as_deref().unwrap_or("at an unknown time"),
        shown(&case.what, config),
        shown(case.title.as_deref().unwrap_or(&case.session), config),
        shown(&case.transcript, config),
        case.line
    )
}

/// A text as one line; withheld where it holds a secret or personal data.
fn shown(text: &str, config: &Config) -> String {
    if check_one("rule.md", text.as_bytes(), config).iter().any(|finding| finding.rule.sensitive) {
        return "(not printed: it holds a secret or personal data)".to_owned();
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
