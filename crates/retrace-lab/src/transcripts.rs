//! Transcripts on this machine.

use crate::Lab;
use crate::lab::rows;
use crate::wire::{ApiError, RunOrder, TranscriptRow, Transcripts, TranscriptsReq};
use std::sync::Arc;

/// Sessions on this machine, in the order asked for, as far as the index knows them. The first call begins to bring it up to date.
///
/// # Errors
/// None: what cannot be read is among the problems.
pub fn transcripts(inner: &Arc<Lab>, request: TranscriptsReq) -> Result<Transcripts, ApiError> {
    let index = &inner.lab.index;
    if request.refresh || request.wait || !index.was_begun() {
        index.start(inner);
    }
    if request.wait {
        index.wait();
    }
    let words: Vec<String> =
        request.query.unwrap_or_default().to_lowercase().split_whitespace().map(str::to_owned).collect();
    let known = rows::rows(inner);
    let chosen = known.rows.iter().filter(|row| is_asked_for(row, &words, request.project.as_deref()));
    let mut transcripts: Vec<TranscriptRow> = chosen.cloned().collect();
    sort(&mut transcripts, request.sort.unwrap_or(RunOrder::Date));
    let (state, mut problems) = index.state();
    for problem in &known.problems {
        if problems.iter().all(|known| known.path != problem.path) {
            problems.push(problem.clone());
        }
    }
    Ok(Transcripts { transcripts, totals: known.totals.clone(), index: state, problems })
}

/// Puts rows in an order. They come newest first, and equal ones stay so.
fn sort(rows: &mut [TranscriptRow], order: RunOrder) {
    match order {
        RunOrder::Date => {}
        RunOrder::Cost => {
            let cost = |row: &TranscriptRow| row.cost_usd.or(row.client_cost_usd).unwrap_or(-1.0);
            rows.sort_by(|one, other| cost(other).total_cmp(&cost(one)));
        }
        RunOrder::Peak => rows.sort_by_key(|row| std::cmp::Reverse(row.peak)),
    }
}

/// True if every word is in title, first prompt, project, id or path.
fn is_asked_for(row: &TranscriptRow, words: &[String], project: Option<&str>) -> bool {
    if project.is_some_and(|project| row.project.as_deref() != Some(project)) {
        return false;
    }
    if words.is_empty() {
        return true;
    }
    let title = row.title.as_deref().unwrap_or_default();
    let of_project = row.project.as_deref().unwrap_or_default();
    let prompt = row.first_prompt.as_deref().unwrap_or_default();
    let haystack = format!("{title}\n{prompt}\n{of_project}\n{}\n{}", row.id, row.path).to_lowercase();
    words.iter().all(|word| haystack.contains(word))
}
