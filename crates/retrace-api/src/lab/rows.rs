//! Sessions of the index as clients see them, made once for each state of the index and of the prices.

use crate::app::{Inner, lock};
use crate::error::{sentence, show};
use crate::lab::prices::{Table, billed};
use crate::wire::{TranscriptProblem, TranscriptRow, TranscriptTotals};
use retrace_context::prices::ModelPrices;
use retrace_model::Timestamp;
use retrace_sessions::{Entry, SessionRow, Snapshot};
use retrace_transcript::Tokens;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

/// Characters of a title that are kept: it may be all that was typed first.
const TITLE: usize = 200;

/// The rows as last made.
#[derive(Default)]
pub(crate) struct RowCache {
    kept: Mutex<Option<Kept>>,
}

struct Kept {
    of: (Arc<Snapshot>, Arc<Table>),
    rows: Arc<Rows>,
}

/// All sessions.
pub(crate) struct Rows {
    pub(crate) rows: Vec<TranscriptRow>,
    pub(crate) totals: TranscriptTotals,
    /// Transcripts that could not be read.
    pub(crate) problems: Vec<TranscriptProblem>,
}

/// The rows of what is known by now.
pub(crate) fn rows(inner: &Inner) -> Arc<Rows> {
    let of = (inner.lab.index.snapshot(), inner.lab.prices.get(inner));
    let mut kept = lock(&inner.lab.rows.kept);
    if let Some(kept) = &*kept
        && Arc::ptr_eq(&kept.of.0, &of.0)
        && Arc::ptr_eq(&kept.of.1, &of.1)
    {
        return Arc::clone(&kept.rows);
    }
    let rows = Arc::new(make(&of.0, &of.1));
    *kept = Some(Kept { of, rows: Arc::clone(&rows) });
    rows
}

fn make(snapshot: &Snapshot, table: &Table) -> Rows {
    let mut priced = Priced { table, models: HashMap::new() };
    let sessions = snapshot.sessions();
    let mut times: HashMap<String, u32> = HashMap::new();
    for id in sessions.iter().map(|session| &session.id) {
        *times.entry(id.clone()).or_default() += 1;
    }
    let rows = sessions.iter().map(|session| row(session, times[&session.id] == 1, &mut priced)).collect();
    let problems = snapshot
        .entries()
        .filter_map(|entry| {
            let reason = sentence(&entry.trouble()?);
            Some(TranscriptProblem { path: show(&entry.path), reason })
        })
        .collect();
    Rows { rows, totals: totals(snapshot, &mut priced), problems }
}

/// Prices by the models' names as recorded: looking one up normalises it.
struct Priced<'t> {
    table: &'t Table,
    models: HashMap<String, ModelPrices<'t>>,
}

impl Priced<'_> {
    /// `None` without a price for the model, and where no input was recorded: no call is free.
    fn price(&mut self, model: &str, at: Option<Timestamp>, tokens: &Tokens) -> Option<f64> {
        if tokens.context() == 0 {
            return None;
        }
        if !self.models.contains_key(model) {
            self.models.insert(model.to_owned(), self.table.prices.of(model));
        }
        self.models[model].cost(at, &billed(tokens))
    }
}

/// The sums count each response once, however many files repeat it.
fn totals(snapshot: &Snapshot, priced: &mut Priced<'_>) -> TranscriptTotals {
    let counts = snapshot.totals();
    let mut totals = TranscriptTotals {
        sessions: counts.sessions as u64,
        projects: counts.projects as u64,
        requests: counts.calls as u64,
        ..TranscriptTotals::default()
    };
    for call in snapshot.calls().iter() {
        match priced.price(call.model, last_at(call.entry), call.tokens) {
            Some(price) => totals.cost_usd += price,
            None => totals.requests_without_price += 1,
        }
    }
    totals
}

/// The index keeps no time for each call; prices that depend on the day are those of the session's end.
fn last_at(entry: &Entry) -> Option<Timestamp> {
    entry.summary.as_ref().and_then(|summary| summary.last_at)
}

fn row(session: &SessionRow, is_unique: bool, priced: &mut Priced<'_>) -> TranscriptRow {
    // Where only subagents are left, the first of them stands for the session.
    let first = session.entries().next();
    let path = first.map(|entry| show(&entry.path)).unwrap_or_default();
    let id = match &session.main {
        Some(_) if is_unique && !session.id.is_empty() => session.id.clone(),
        _ => path.clone(),
    };
    let summary = first.and_then(|entry| entry.summary.as_ref());
    let inline =
        session.main.as_ref().and_then(|main| main.summary.as_ref()).map_or(0, |main| main.subagents);
    let subagents = (1..=inline)
        .map(|number| format!("{id}#{number}"))
        .chain(session.subagents.iter().map(|entry| subagent_id(entry)))
        .collect();
    let accounts = || session.entries().filter_map(|entry| Some(&entry.summary.as_ref()?.account));
    TranscriptRow {
        path,
        format: summary.and_then(|summary| summary.format).map_or("", |format| format.name()).to_owned(),
        title: session.title().map(|title| shortened(title, TITLE)),
        project: session.project().map(str::to_owned),
        models: models(session),
        requests: session.requests(),
        peak: Some(session.peak_context()).filter(|peak| *peak > 0),
        cost_usd: cost(session, priced),
        cost_is_lower_bound: session
            .entries()
            .filter_map(|entry| entry.summary.as_ref())
            .any(|summary| summary.message_ids.iter().any(|used| !used.output_is_final)),
        compactions: session.compactions(),
        memory_writes: session.memory_writes().count() as u64,
        started_at: session.started_at().map(|at| at.to_rfc3339()),
        ended_at: session.ended_at().map(|at| at.to_rfc3339()),
        bytes: session.bytes(),
        subagents,
        malformed_lines: accounts().map(|account| account.malformed_lines).sum(),
        unknown_lines: accounts().flat_map(|account| account.unknown.values()).sum(),
        id,
    }
}

/// By its path: ids of subagents are short, and may be of several.
fn subagent_id(entry: &Entry) -> String {
    show(&entry.path)
}

/// Models, most used first.
fn models(session: &SessionRow) -> Vec<String> {
    let mut requests: HashMap<&str, u64> = HashMap::new();
    for summary in session.entries().filter_map(|entry| entry.summary.as_ref()) {
        for (model, used) in &summary.models {
            *requests.entry(model).or_default() += used.requests;
        }
    }
    let mut models: Vec<(&str, u64)> = requests.into_iter().filter(|(model, _)| !model.is_empty()).collect();
    models.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(other.0)));
    models.into_iter().map(|(model, _)| model.to_owned()).collect()
}

/// Price of a session: of all its calls, those that other sessions hold copies of among them. `None` where a call's model
/// has no price or its input is not recorded, and where nothing was called.
fn cost(session: &SessionRow, priced: &mut Priced<'_>) -> Option<f64> {
    let mut seen = HashSet::new();
    let mut cost = None;
    for entry in session.entries() {
        let Some(summary) = &entry.summary else { continue };
        for used in summary.message_ids.iter().filter(|used| seen.insert((used.id, used.tokens.context()))) {
            let place = usize::try_from(used.model).ok();
            let model = place.and_then(|place| summary.model_names.get(place)).map_or("", String::as_str);
            cost = Some(cost.unwrap_or(0.0) + priced.price(model, summary.last_at, &used.tokens)?);
        }
    }
    cost
}

/// The first line of a text, cut to so many characters.
pub(crate) fn shortened(text: &str, characters: usize) -> String {
    let line = text.trim().lines().next().unwrap_or_default().trim_end();
    match line.char_indices().nth(characters) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn a_title_is_one_short_line() {
        assert_eq!(shortened("  One\ntwo", 10), "One");
        assert_eq!(shortened("ééé", 3), "ééé");
        assert_eq!(shortened("éééé", 3), "ééé…");
        assert_eq!(shortened("", 3), "");
    }
}
