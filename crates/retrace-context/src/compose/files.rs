//! Memory and instruction files: how many requests carried each, and what that cost.

use crate::weight::{FileClass, FileSource, Weights};
use retrace_transcript::Transcript;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A memory or instruction file that was in the context of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct FileUse {
    /// Its path as recorded.
    pub path: String,
    /// Instructions or memory.
    pub class: FileClass,
    /// Way it came in first.
    pub source: FileSource,
    /// Tokens of its content when it came in last as a whole; of the largest part where it never did.
    pub tokens: u64,
    /// True if only parts of it came in.
    pub partial: bool,
    /// Requests that carried it at least once.
    pub requests: u64,
    /// Its tokens, added up over all requests that carried it, each time it stood there.
    pub carried_tokens: u64,
    /// Price of carrying it, in US dollars; `None` where a request that carried it has no price.
    pub cost_usd: Option<f64>,
}

/// The files of a session, the dearest first: by tokens carried, then by path.
///
/// `input_price` answers the price of one token of a request's input in US dollars, by the request's index: the mean over
/// its cached and uncached input as recorded.
#[must_use]
pub fn file_uses(
    transcript: &Transcript,
    weights: &Weights,
    input_price: &dyn Fn(usize) -> Option<f64>,
) -> Vec<FileUse> {
    let mut by_message: HashMap<usize, Vec<usize>> = HashMap::new();
    for (number, file) in weights.files.iter().enumerate() {
        by_message.entry(file.at.message).or_default().push(number);
    }
    let mut uses: BTreeMap<&str, FileUse> = BTreeMap::new();
    for file in &weights.files {
        let entry = uses.entry(&file.path).or_insert_with(|| FileUse {
            path: file.path.clone(),
            class: file.class,
            source: file.source,
            tokens: 0,
            partial: true,
            requests: 0,
            carried_tokens: 0,
            cost_usd: Some(0.0),
        });
        // A part says nothing of the size of the whole.
        entry.tokens = match (file.partial, entry.partial) {
            (false, _) => file.tokens,
            (true, true) => entry.tokens.max(file.tokens),
            (true, false) => entry.tokens,
        };
        entry.partial &= file.partial;
    }
    let mut in_prompts: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for (index, request) in transcript.requests.iter().enumerate() {
        for file in weights.in_prompt(request) {
            let entry = uses.entry(&file.path).or_insert_with(|| FileUse {
                path: file.path.clone(),
                class: file.class,
                source: FileSource::Embedded,
                tokens: 0,
                partial: true,
                requests: 0,
                carried_tokens: 0,
                cost_usd: Some(0.0),
            });
            entry.tokens = if entry.partial { entry.tokens.max(file.tokens) } else { entry.tokens };
            entry.partial &= file.partial;
            entry.carried_tokens = entry.carried_tokens.saturating_add(file.tokens);
            let cost = input_price(index).map(|price| price * file.tokens as f64);
            entry.cost_usd = entry.cost_usd.zip(cost).map(|(sum, cost)| sum + cost);
            in_prompts.entry(&file.path).or_default().insert(index);
        }
    }
    for (path, requests) in &in_prompts {
        if let Some(entry) = uses.get_mut(path) {
            entry.requests = requests.len() as u64;
        }
    }
    for (index, segment) in transcript.segments.iter().enumerate() {
        let later = Later::new(transcript, index, input_price);
        let mut first: BTreeMap<&str, usize> = BTreeMap::new();
        for (position, message) in segment.messages.iter().enumerate() {
            for &number in by_message.get(message).into_iter().flatten() {
                let file = &weights.files[number];
                let carried = later.than(position);
                if carried.requests == 0 {
                    continue;
                }
                first.entry(&file.path).or_insert(position);
                if let Some(entry) = uses.get_mut(file.path.as_str()) {
                    entry.carried_tokens =
                        entry.carried_tokens.saturating_add(file.tokens.saturating_mul(carried.requests));
                    let cost = carried.price.map(|price| price * file.tokens as f64);
                    entry.cost_usd = entry.cost_usd.zip(cost).map(|(sum, cost)| sum + cost);
                }
            }
        }
        for (path, position) in first {
            if let Some(entry) = uses.get_mut(path) {
                let known = in_prompts.get(path);
                let is_new = |request: &usize| known.is_none_or(|known| !known.contains(request));
                entry.requests +=
                    later.numbers(position).iter().filter(|request| is_new(request)).count() as u64;
            }
        }
    }
    let mut uses: Vec<FileUse> = uses.into_values().collect();
    uses.sort_by(|a, b| b.carried_tokens.cmp(&a.carried_tokens).then_with(|| a.path.cmp(&b.path)));
    uses
}

/// Of a segment, the requests that sent more than so many messages.
struct Later {
    /// In ascending order: how many messages each request sent.
    sent: Vec<usize>,
    /// In the same order: the requests.
    requests: Vec<usize>,
    /// By place in `sent`: the price of one token in that request and all after it; one entry more than `sent`.
    prices: Vec<Option<f64>>,
}

/// Requests that carried a message, and the price of one token in all of them.
struct Carried {
    requests: u64,
    price: Option<f64>,
}

impl Later {
    fn new(transcript: &Transcript, segment: usize, input_price: &dyn Fn(usize) -> Option<f64>) -> Self {
        let mut requests: Vec<(usize, usize)> = transcript
            .requests
            .iter()
            .enumerate()
            .filter(|(_, request)| request.segment == segment)
            .map(|(index, request)| (request.upto, index))
            .collect();
        requests.sort_unstable();
        let mut prices = vec![Some(0.0)];
        for &(_, index) in requests.iter().rev() {
            let later = prices.last().copied().flatten();
            prices.push(later.zip(input_price(index)).map(|(later, price)| later + price));
        }
        prices.reverse();
        let (sent, requests) = requests.into_iter().unzip();
        Self { sent, requests, prices }
    }

    /// The requests that carried the message at a position.
    fn numbers(&self, position: usize) -> &[usize] {
        &self.requests[self.sent.partition_point(|&upto| upto <= position)..]
    }

    fn than(&self, position: usize) -> Carried {
        let from = self.sent.partition_point(|&upto| upto <= position);
        Carried { requests: (self.sent.len() - from) as u64, price: self.prices[from] }
    }
}
