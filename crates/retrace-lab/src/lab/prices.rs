//! The table of prices with the user's own lines, read again when their file changes.

use crate::Lab;
use crate::keep;
use crate::wire::sentence;
use retrace_context::prices::{Billed, PriceError, Prices};
use retrace_engine::lock;
use retrace_message::Message;
use retrace_transcript::{Request, Tokens};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

/// The user's own lines in the data directory.
pub(crate) const FILE: &str = "prices.tsv";

/// The table as last read.
#[derive(Default)]
pub(crate) struct PriceTable {
    kept: Mutex<Option<Arc<Table>>>,
}

/// One reading of the table.
pub(crate) struct Table {
    /// Our lines and the user's.
    pub prices: Prices,
    /// Problem of the user's file.
    pub problem: Option<Message>,
    stamp: Stamp,
}

type Stamp = Option<(u64, Option<SystemTime>)>;

impl PriceTable {
    /// The table as the files are now. A file that cannot be used leaves our lines alone in force, and says so.
    pub(crate) fn get(&self, inner: &Lab) -> Arc<Table> {
        let path = path(inner);
        let stamp = stamp(&path);
        let mut kept = lock(&self.kept);
        match &*kept {
            Some(table) if table.stamp == stamp => Arc::clone(table),
            _ => {
                let table = Arc::new(read(&path, stamp));
                *kept = Some(Arc::clone(&table));
                table
            }
        }
    }
}

/// Where the user's own lines are.
pub(crate) fn path(inner: &Lab) -> PathBuf {
    inner.options.data_dir.join(FILE)
}

fn stamp(path: &Path) -> Stamp {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.len(), metadata.modified().ok()))
}

fn read(path: &Path, stamp: Stamp) -> Table {
    let ours = Prices::builtin();
    match keep::read(path) {
        Ok(None) => Table { prices: ours.clone(), problem: None, stamp },
        Ok(Some(text)) => {
            let (prices, errors) = ours.with_own(&text);
            Table { prices, problem: described(&errors), stamp }
        }
        Err(error) => Table { prices: ours.clone(), problem: Some(error.message), stamp },
    }
}

fn described(errors: &[PriceError]) -> Option<Message> {
    let first = errors.first()?;
    let rest = errors.len() - 1;
    let first = sentence(first);
    Some(if rest > 0 { say::more_lines_cannot_read(first, rest) } else { first })
}

/// Tokens of a recorded call, by what each costs: what was written to the cache and is not known to live an hour lives
/// five minutes.
pub(crate) fn billed(tokens: &Tokens, fast: bool) -> Billed {
    let write_1h = tokens.cache_creation_1h.min(tokens.cache_creation);
    Billed {
        uncached: tokens.input,
        write_5m: tokens.cache_creation - write_1h,
        write_1h,
        read: tokens.cache_read,
        output: tokens.output,
        fast,
    }
}

/// True if a recorded request costs more than [`request_price`] says, because its fast mode has no price of its own.
pub(crate) fn is_fast_without_price(prices: &Prices, request: &Request) -> bool {
    let (Some(usage), Some(model)) = (&request.usage, &request.model) else { return false };
    usage.is_fast() && prices.of(model).is_lower_bound(request.at, &billed(&Tokens::from(usage), true))
}

/// Price of a recorded request in US dollars, with its output or for its input alone; `None` where nothing is recorded or
/// its model has no price.
pub(crate) fn request_price(prices: &Prices, request: &Request, with_output: bool) -> Option<f64> {
    let usage = request.usage.as_ref()?;
    let mut tokens = Tokens::from(usage);
    if !with_output {
        tokens.output = 0;
    }
    prices.of(request.model.as_deref()?).cost(request.at, &billed(&tokens, usage.is_fast()))
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "prices";
    more_lines_cannot_read(first, rest) => "{first} And {rest} more of its lines cannot be read.",
}
