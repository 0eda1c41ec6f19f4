//! Costs, every call counted once however many files hold a copy of it.
//!
//! Resumed, forked and branched sessions copy earlier lines into a new file, and the lines of a subagent may be in its
//! own file and in its session's. Calls are told apart by the id of their response, its model and its input: on all lines
//! of one response these are equal (transcripts.md, 3.2), and where a file tells no ids, two calls that merely stand on
//! the same line of two files do not pass for one. Prices are the caller's.

use crate::entry::Entry;
use crate::snapshot::SessionRow;
use retrace_model::Timestamp;
use retrace_transcript::{MessageUse, Tokens};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Every call once.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    calls: Vec<Counted>,
    /// Calls of one file that another file had already.
    pub copies: u64,
}

#[derive(Clone, Debug)]
struct Counted {
    entry: Arc<Entry>,
    used: MessageUse,
}

/// A call of a model, and the file it counts for.
#[derive(Clone, Copy, Debug)]
pub struct Call<'c> {
    /// The file it counts for: the one in which it is not a subagent's, then one that does not say that it repeats
    /// it, then the one whose conversation began first, then the first by path.
    pub entry: &'c Entry,
    /// Name of the model as recorded; empty where it is not.
    pub model: &'c str,
    /// Recorded tokens; of the output the largest of all copies.
    pub tokens: &'c Tokens,
    /// True if the recorded output is final rather than a placeholder of the stream (transcripts.md, 3.2).
    pub output_is_final: bool,
    /// True if it was served in fast mode, which has prices of its own.
    pub fast: bool,
}

/// Calls and tokens of one model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// Calls.
    pub calls: u64,
    /// Their tokens.
    pub tokens: Tokens,
    /// Calls whose recorded output is a placeholder, so that the output of all is at least what is told.
    pub output_not_final: u64,
}

/// A sum of prices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cost {
    /// US dollars, or whatever the price function answers in.
    pub amount: f64,
    /// Calls that have a price.
    pub priced: u64,
    /// Calls by model that have none; their price is not in the amount.
    pub unpriced: BTreeMap<String, u64>,
    /// Of the priced, those whose recorded output is a placeholder, so that the amount is a lower bound.
    pub output_not_final: u64,
}

impl Cost {
    fn add(&mut self, call: &Call<'_>, price: Option<f64>) {
        match price {
            Some(price) => {
                self.amount += price;
                self.priced += 1;
                self.output_not_final += u64::from(!call.output_is_final);
            }
            None => *self.unpriced.entry(call.model.to_owned()).or_default() += 1,
        }
    }
}

/// The sums of prices of a snapshot. Each part adds up to the whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Costs {
    /// All calls.
    pub total: Cost,
    /// By model.
    pub by_model: BTreeMap<String, Cost>,
    /// By file the call counts for.
    pub by_file: BTreeMap<PathBuf, Cost>,
}

impl Costs {
    /// The cost that counts for a session, its subagents' among it.
    #[must_use]
    pub fn of_session(&self, session: &SessionRow) -> Cost {
        let mut sum = Cost::default();
        for part in session.entries().filter_map(|entry| self.by_file.get(&entry.path)) {
            sum.amount += part.amount;
            sum.priced += part.priced;
            sum.output_not_final += part.output_not_final;
            for (model, calls) in &part.unpriced {
                *sum.unpriced.entry(model.clone()).or_default() += calls;
            }
        }
        sum
    }

    /// The cost that counts for one file; nothing where all its calls count for others.
    #[must_use]
    pub fn of_file(&self, path: &Path) -> Cost {
        self.by_file.get(path).cloned().unwrap_or_default()
    }
}

impl Calls {
    /// Joins the calls of all files. The answer does not depend on the order of the files.
    pub(crate) fn of<'e>(entries: impl Iterator<Item = &'e Arc<Entry>>) -> Self {
        let mut calls = Self::default();
        let mut places = HashMap::new();
        for entry in entries {
            let summary = entry.summary.iter();
            for used in summary.flat_map(|summary| &summary.message_ids) {
                calls.take(entry, used, &mut places);
            }
        }
        calls
    }

    fn take<'e>(&mut self, entry: &'e Arc<Entry>, used: &MessageUse, places: &mut HashMap<Key<'e>, usize>) {
        let key = key(entry, used);
        let Some(known) = places.get(&key).and_then(|&place| self.calls.get_mut(place)) else {
            places.insert(key, self.calls.len());
            self.calls.push(Counted { entry: Arc::clone(entry), used: *used });
            return;
        };
        self.copies += 1;
        // A copy may say that nothing was used.
        let is_empty = known.used.tokens.context() == 0;
        let mut tokens = if is_empty { used.tokens } else { known.used.tokens };
        tokens.output = known.used.tokens.output.max(used.tokens.output);
        tokens.web_searches = known.used.tokens.web_searches.max(used.tokens.web_searches);
        let output_is_final = known.used.output_is_final || used.output_is_final;
        if rank(entry, used) < rank(&known.entry, &known.used) {
            (known.entry, known.used) = (Arc::clone(entry), *used);
        }
        (known.used.tokens, known.used.output_is_final) = (tokens, output_is_final);
    }

    /// Each call.
    pub fn iter(&self) -> impl Iterator<Item = Call<'_>> {
        self.calls.iter().map(|counted| Call {
            entry: &counted.entry,
            model: model_of(&counted.entry, &counted.used),
            tokens: &counted.used.tokens,
            output_is_final: counted.used.output_is_final,
            fast: counted.used.fast,
        })
    }

    /// Number of calls.
    #[must_use]
    pub fn len(&self) -> usize {
        self.calls.len()
    }

    /// True if there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Use by model name.
    #[must_use]
    pub fn by_model(&self) -> BTreeMap<String, Use> {
        let mut models: BTreeMap<&str, Use> = BTreeMap::new();
        for call in self.iter() {
            let used = models.entry(call.model).or_default();
            used.calls += 1;
            used.tokens.add(call.tokens);
            used.output_not_final += u64::from(!call.output_is_final);
        }
        models.into_iter().map(|(model, used)| (model.to_owned(), used)).collect()
    }

    /// Adds up prices. `price` is asked once for each call, because a price may depend on the size of the request; `None`
    /// where it knows none for the model.
    #[must_use]
    pub fn costs(&self, price: &dyn Fn(&str, &Tokens) -> Option<f64>) -> Costs {
        let mut costs = Costs::default();
        let mut by_model: BTreeMap<&str, Cost> = BTreeMap::new();
        let mut by_file: BTreeMap<&Path, Cost> = BTreeMap::new();
        for call in self.iter() {
            let amount = price(call.model, call.tokens);
            costs.total.add(&call, amount);
            by_model.entry(call.model).or_default().add(&call, amount);
            by_file.entry(&call.entry.path).or_default().add(&call, amount);
        }
        costs.by_model = by_model.into_iter().map(|(model, cost)| (model.to_owned(), cost)).collect();
        costs.by_file = by_file.into_iter().map(|(path, cost)| (path.to_owned(), cost)).collect();
        costs
    }
}

/// Common parts of the copies of one call.
type Key<'e> = (u64, &'e str, [u64; 3]);

fn key<'e>(entry: &'e Entry, used: &MessageUse) -> Key<'e> {
    let Tokens { input, cache_creation, cache_read, .. } = used.tokens;
    (used.id, model_of(entry, used), [input, cache_creation, cache_read])
}

fn model_of<'e>(entry: &'e Entry, used: &MessageUse) -> &'e str {
    let names = entry.summary.as_ref().map(|summary| &summary.model_names);
    let place = usize::try_from(used.model).ok();
    names.zip(place).and_then(|(names, place)| names.get(place)).map_or("", String::as_str)
}

/// The least is the file a call counts for.
fn rank<'e>(entry: &'e Entry, used: &MessageUse) -> (bool, bool, bool, i64, &'e Path) {
    let first_at = entry.summary.as_ref().and_then(|summary| summary.first_at);
    let first_at = first_at.map_or(i64::MAX, Timestamp::micros);
    (used.sidechain, entry.is_subagent(), used.copied, first_at, &entry.path)
}

/// Which answers files only repeat, as forks do: they count for the file that [`Call::entry`] is.
#[derive(Clone, Debug, Default)]
pub struct Copies {
    by_path: HashMap<PathBuf, HashSet<u64>>,
}

impl Copies {
    pub(crate) fn of<'e>(entries: impl Iterator<Item = &'e Arc<Entry>>) -> Self {
        let mut all: Vec<(u64, &Arc<Entry>, &MessageUse)> = Vec::new();
        for entry in entries {
            let uses = entry.summary.iter().flat_map(|summary| &summary.message_ids);
            all.extend(uses.map(|used| (used.id, entry, used)));
        }
        all.sort_unstable_by(|(id, entry, used), (other, of, by)| {
            (id, rank(entry, used)).cmp(&(other, rank(of, by)))
        });
        let mut copies = Self::default();
        for same in all.chunk_by(|one, other| one.0 == other.0).filter(|same| same.len() > 1) {
            let mut seen = HashSet::new();
            for (at, (id, entry, used)) in same.iter().enumerate() {
                let is_new = seen.insert(key(entry, used));
                // A copy may say that nothing was used.
                let says_so = at > 0 && (used.copied || used.tokens.context() == 0);
                if !is_new || says_so {
                    copies.by_path.entry(entry.path.clone()).or_default().insert(*id);
                }
            }
        }
        copies
    }

    /// The answers of a file that it only repeats, by [`MessageUse::id`].
    #[must_use]
    pub fn in_file(&self, path: &Path) -> Option<&HashSet<u64>> {
        self.by_path.get(path)
    }
}
