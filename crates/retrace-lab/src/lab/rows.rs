//! Sessions of the index as clients see them, made once for each state of the index and of the prices.

use crate::Lab;
use crate::lab::prices::{Table, billed};
use crate::lab::{loaded, view};
use crate::wire::{FigureKind, TranscriptProblem, TranscriptRow, TranscriptTotals};
use crate::wire::{sentence, show};
use retrace_context::prices::ModelPrices;
use retrace_engine::lock;
use retrace_model::Timestamp;
use retrace_sessions::{Entry, Identity, SessionRow, Snapshot};
use retrace_transcript::Tokens;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// Characters of a title that are kept: it may be all that was typed first.
const TITLE: usize = 200;

/// The rows as last made.
#[derive(Default)]
pub(crate) struct RowCache {
    kept: Mutex<Option<Kept>>,
    peaks: Mutex<CountedPeaks>,
}

/// Largest contexts of files that record none, as counted: by path, for the file as it was then.
type CountedPeaks = HashMap<PathBuf, (Identity, Option<(u64, FigureKind)>)>;

/// Bytes of such files that are counted for one list. They are few and small; what is beyond has no peak until the next.
const MAX_COUNTED: u64 = 32 << 20;

struct Kept {
    of: (Arc<Snapshot>, Arc<Table>),
    rows: Arc<Rows>,
}

/// All sessions.
pub(crate) struct Rows {
    pub rows: Vec<TranscriptRow>,
    pub totals: TranscriptTotals,
    /// Transcripts that could not be read.
    pub problems: Vec<TranscriptProblem>,
}

/// The rows of what is known by now.
pub(crate) fn rows(inner: &Lab) -> Arc<Rows> {
    let of = (inner.lab.index.snapshot(), inner.lab.prices.get(inner));
    let mut kept = lock(&inner.lab.rows.kept);
    if let Some(kept) = &*kept
        && Arc::ptr_eq(&kept.of.0, &of.0)
        && Arc::ptr_eq(&kept.of.1, &of.1)
    {
        return Arc::clone(&kept.rows);
    }
    count_peaks(inner, &of.0);
    let rows = Arc::new(make(&of.0, &of.1, &lock(&inner.lab.rows.peaks)));
    *kept = Some(Kept { of, rows: Arc::clone(&rows) });
    rows
}

/// Counts the largest contexts of sessions that record none, so that a list says what their composition says.
fn count_peaks(inner: &Lab, snapshot: &Snapshot) {
    let mut bytes = 0;
    let unrecorded = snapshot.sessions().iter().filter(|session| session.peak_context() == 0);
    for entry in unrecorded.filter_map(|session| session.entries().next()) {
        let requests = entry.summary.as_ref().map_or(0, |summary| summary.requests);
        let known = lock(&inner.lab.rows.peaks).get(&entry.path).map(|known| known.0);
        if requests == 0 || known == Some(entry.identity) {
            continue;
        }
        bytes += entry.identity.size;
        if bytes > MAX_COUNTED {
            return;
        }
        let loaded = loaded::load_once(&entry.path).ok();
        let peak = loaded.and_then(|loaded| {
            let request = loaded.weights.peak()?;
            Some((loaded.weights.contexts[request], view::kind(loaded.weights.bases[request])))
        });
        lock(&inner.lab.rows.peaks).insert(entry.path.clone(), (entry.identity, peak));
    }
}

fn make(snapshot: &Snapshot, table: &Table, peaks: &CountedPeaks) -> Rows {
    let mut priced = Priced { table, models: HashMap::new() };
    let sessions = snapshot.sessions();
    let mut times: HashMap<String, u32> = HashMap::new();
    for id in sessions.iter().map(|session| &session.id) {
        *times.entry(id.clone()).or_default() += 1;
    }
    let mut rows: Vec<TranscriptRow> =
        sessions.iter().map(|session| row(session, times[&session.id] == 1, &mut priced, peaks)).collect();
    let lengths = lengths(rows.iter().map(|row| row.id.as_str()));
    for (row, length) in rows.iter_mut().zip(lengths) {
        row.short_id = row.id.chars().take(length).collect();
    }
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

/// Price of a call.
struct Amount {
    dollars: f64,
    /// It is a lower bound: the call was served in fast mode, whose price is not known.
    fast_without_price: bool,
}

impl Priced<'_> {
    /// `None` without a price for the model, and where no input was recorded: no call is free.
    fn price(&mut self, model: &str, at: Option<Timestamp>, tokens: &Tokens, fast: bool) -> Option<Amount> {
        if tokens.context() == 0 {
            return None;
        }
        if !self.models.contains_key(model) {
            self.models.insert(model.to_owned(), self.table.prices.of(model));
        }
        let billed = billed(tokens, fast);
        let prices = &self.models[model];
        let fast_without_price = prices.is_lower_bound(at, &billed);
        prices.cost(at, &billed).map(|dollars| Amount { dollars, fast_without_price })
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
        match priced.price(call.model, last_at(call.entry), call.tokens, call.fast) {
            Some(price) => {
                totals.cost_usd += price.dollars;
                totals.requests_with_placeholder_output += u64::from(!call.output_is_final);
                totals.requests_fast_without_price += u64::from(price.fast_without_price);
            }
            None => totals.requests_without_price += 1,
        }
    }
    totals
}

/// The index keeps no time for each call; prices that depend on the day are those of the session's end.
fn last_at(entry: &Entry) -> Option<Timestamp> {
    entry.summary.as_ref().and_then(|summary| summary.last_at)
}

/// Ids of the transcripts of a session's subagents, of which those in its own file are named by its id.
pub(crate) fn subagents(session: &SessionRow, id: &str) -> Vec<String> {
    let inline =
        session.main.as_ref().and_then(|main| main.summary.as_ref()).map_or(0, |main| main.subagents);
    let inline = (1..=inline).map(|number| format!("{id}#{number}"));
    inline.chain(session.subagents.iter().map(|entry| subagent_id(entry))).collect()
}

fn row(
    session: &SessionRow,
    is_unique: bool,
    priced: &mut Priced<'_>,
    peaks: &CountedPeaks,
) -> TranscriptRow {
    // Where only subagents are left, the first of them stands for the session.
    let first = session.entries().next();
    let path = first.map(|entry| show(&entry.path)).unwrap_or_default();
    let id = match &session.main {
        Some(_) if is_unique && !session.id.is_empty() => session.id.clone(),
        _ => path.clone(),
    };
    let summary = first.and_then(|entry| entry.summary.as_ref());
    let subagents = subagents(session, &id);
    let peak = match session.peak_context() {
        0 => first.and_then(|entry| peaks.get(&entry.path)).and_then(|known| known.1),
        recorded => Some((recorded, FigureKind::Recorded)),
    };
    let cost = cost(session, priced);
    let accounts = || session.entries().filter_map(|entry| Some(&entry.summary.as_ref()?.account));
    TranscriptRow {
        path,
        format: summary.and_then(|summary| summary.format).map_or("", |format| format.name()).to_owned(),
        title: session.title().map(|title| shortened(title, TITLE)),
        first_prompt: session.first_prompt().map(|prompt| shortened(prompt, TITLE)),
        project: session.project().map(str::to_owned),
        models: models(session),
        requests: session.requests(),
        peak: peak.map(|(tokens, _)| tokens),
        peak_kind: peak.map(|(_, kind)| kind),
        cost_usd: cost.dollars,
        client_cost_usd: session.client_cost(),
        cost_is_lower_bound: cost.dollars.is_some() && cost.placeholders + cost.fast_without_price > 0,
        requests_with_placeholder_output: cost.placeholders,
        requests_fast_without_price: cost.fast_without_price,
        compactions: session.compactions(),
        memory_writes: session.memory_writes().count() as u64,
        started_at: session.started_at().map(|at| at.to_rfc3339()),
        ended_at: session.ended_at().map(|at| at.to_rfc3339()),
        bytes: session.bytes(),
        subagents,
        malformed_lines: accounts().map(|account| account.malformed_lines).sum(),
        unknown_lines: accounts().flat_map(|account| account.unknown.values()).sum(),
        short_id: String::new(),
        id,
    }
}

/// Characters of an id that a list shows at least.
const SHORTEST_ID: usize = 8;

/// How many characters of each id tell it from the others. A path stands whole.
fn lengths<'i>(ids: impl Iterator<Item = &'i str>) -> Vec<usize> {
    let ids: Vec<&str> = ids.collect();
    let mut sorted = ids.clone();
    sorted.sort_unstable();
    sorted.dedup();
    let common = |one: &str, other: &str| one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let length = |id: &&str| {
        if id.contains(['/', '\\']) {
            return id.chars().count();
        }
        let Ok(at) = sorted.binary_search(id) else { return SHORTEST_ID };
        let neighbours = [at.checked_sub(1), at.checked_add(1)].into_iter().flatten();
        let shared = neighbours.filter_map(|at| sorted.get(at)).map(|other| common(id, other)).max();
        shared.map_or(SHORTEST_ID, |shared| (shared + 1).max(SHORTEST_ID))
    };
    ids.iter().map(length).collect()
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

/// Price of a session, and why it is a lower bound where it is one.
#[derive(Default)]
struct Cost {
    /// `None` where a call's model has no price or its input is not recorded, and where nothing was called.
    dollars: Option<f64>,
    /// Calls for whose output the client recorded a placeholder.
    placeholders: u64,
    /// Calls in fast mode that are priced as others are.
    fast_without_price: u64,
}

/// Price of a session: of all its calls, those that other sessions hold copies of among them.
fn cost(session: &SessionRow, priced: &mut Priced<'_>) -> Cost {
    let mut seen = HashSet::new();
    let mut cost = Cost::default();
    let mut has_all = true;
    for entry in session.entries() {
        let Some(summary) = &entry.summary else { continue };
        for used in summary.message_ids.iter().filter(|used| seen.insert((used.id, used.tokens.context()))) {
            let place = usize::try_from(used.model).ok();
            let model = place.and_then(|place| summary.model_names.get(place)).map_or("", String::as_str);
            // A fork copies answers with their usage set to nothing: no call is free, and what it cost is not told here.
            if used.tokens.context() == 0 && used.tokens.output == 0 {
                cost.placeholders += 1;
                continue;
            }
            cost.placeholders += u64::from(!used.output_is_final);
            match priced.price(model, summary.last_at, &used.tokens, used.fast) {
                Some(price) => {
                    cost.dollars = Some(cost.dollars.unwrap_or(0.0) + price.dollars);
                    cost.fast_without_price += u64::from(price.fast_without_price);
                }
                None => has_all = false,
            }
        }
    }
    cost.dollars = cost.dollars.filter(|_| has_all);
    cost
}

/// The first line of a text, cut to so many characters.
pub fn shortened(text: &str, characters: usize) -> String {
    let line = text.trim().lines().next().unwrap_or_default().trim_end();
    match line.char_indices().nth(characters) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{lengths, shortened};

    #[test]
    fn an_id_is_as_long_as_tells_it_from_the_others() {
        let ids = [
            "01a208c7-7a88-7003",
            "01a208c7-7fb4-71c0",
            "01a208c7-7a88-7f00",
            "5f3c2a10-99",
            "/w/a.jsonl",
            "5f",
        ];
        let short: Vec<String> = ids
            .iter()
            .zip(lengths(ids.into_iter()))
            .map(|(id, length)| id.chars().take(length).collect())
            .collect();
        assert_eq!(
            short,
            ["01a208c7-7a88-70", "01a208c7-7f", "01a208c7-7a88-7f", "5f3c2a10", "/w/a.jsonl", "5f"]
        );
    }

    #[test]
    fn a_title_is_one_short_line() {
        assert_eq!(shortened("  One\ntwo", 10), "One");
        assert_eq!(shortened("ééé", 3), "ééé");
        assert_eq!(shortened("éééé", 3), "ééé…");
        assert_eq!(shortened("", 3), "");
    }
}
