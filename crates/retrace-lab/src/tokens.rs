//! Tokens of texts, counted offline.

use crate::Lab;
use crate::wire::{ApiError, FigureKind, TokenCount, Tokens, TokensReq};
use retrace_tokens::{Counter, Family, family_of};
use std::sync::Arc;

/// The model that is assumed where none is named, one of the newest.
pub(crate) const ASSUMED_MODEL: &str = "claude-sonnet-5-5";

/// The family of Claude models that are not known: that of the newest ones.
pub(crate) const NEWEST: Family = retrace_engine::counts::NEWEST_FAMILY;

/// Counts texts.
///
/// # Errors
/// None: every text has a count.
pub fn tokens(_: &Arc<Lab>, request: TokensReq) -> Result<Tokens, ApiError> {
    let model = request.model.as_deref().unwrap_or(ASSUMED_MODEL);
    let resolved = family_of(model, NEWEST);
    let family = resolved.family;
    let counter = Counter::of(family);
    let counts = request
        .texts
        .into_iter()
        .map(|text| {
            let tokens = counter.content(&text.text);
            let range = family.range(tokens);
            TokenCount {
                tokens,
                file: text.name,
                model: model.to_owned(),
                family: family.name().to_owned(),
                family_assumed: resolved.assumed || request.model.is_none(),
                kind: if range.is_some() { FigureKind::Estimated } else { FigureKind::CountedOffline },
                range,
            }
        })
        .collect();
    Ok(Tokens { counts })
}
