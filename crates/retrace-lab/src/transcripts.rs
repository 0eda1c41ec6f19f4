//! Transcripts on this machine.

use crate::Lab;
use crate::lab::rows;
use crate::wire::{ApiError, TranscriptRow, Transcripts, TranscriptsReq};
use std::sync::Arc;

/// Sessions on this machine, newest first, as far as the index knows them. The first call begins to bring it up to date.
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
    let transcripts = chosen.cloned().collect();
    let (state, mut problems) = index.state();
    for problem in &known.problems {
        if problems.iter().all(|known| known.path != problem.path) {
            problems.push(problem.clone());
        }
    }
    Ok(Transcripts { transcripts, totals: known.totals.clone(), index: state, problems })
}

/// True if every word is in title, project, id or path.
fn is_asked_for(row: &TranscriptRow, words: &[String], project: Option<&str>) -> bool {
    if project.is_some_and(|project| row.project.as_deref() != Some(project)) {
        return false;
    }
    if words.is_empty() {
        return true;
    }
    let title = row.title.as_deref().unwrap_or_default();
    let of_project = row.project.as_deref().unwrap_or_default();
    let haystack = format!("{title}\n{of_project}\n{}\n{}", row.id, row.path).to_lowercase();
    words.iter().all(|word| haystack.contains(word))
}
