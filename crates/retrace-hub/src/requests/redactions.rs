//! Redactions that reach every machine: orders, their receipts, and what stays out.
//!
//! A content that one machine redacted is destroyed in the chains of all, in the same transaction. Each machine that had it
//! gets an order, which names versions by their place in its log, never by a hash: no hash of what was redacted stays here. The
//! content is known again by a code under the key file, so that no machine brings it back.

mod approve;
mod columns;
mod kept_out;
mod left;
mod list;
mod orders;
mod reach;
mod recheck;
mod search;
mod texts;

pub(crate) use approve::approve_order;
pub(crate) use kept_out::KeptOut;
pub(crate) use list::{redactions, replicas};
pub(crate) use orders::{orders, receipt};
pub(crate) use reach::{Masked, going, had_by, name, reach};
pub(crate) use recheck::recheck_order;
pub(crate) use search::{opened, search};
pub(crate) use texts::search_texts;

use super::{Caller, invalid, number};
use crate::Failure;
use crate::database::Scoped;
use retrace_model::{OrderId, OrgId, Sha256};
use retrace_sync::messages as m;
use retrace_sync::together::MAX_TEXT;
use std::collections::BTreeMap;
use tokio_postgres::types::ToSql;

/// A parameter of a statement.
pub(crate) type Value<'v> = &'v (dyn ToSql + Sync);

/// Parts of one content, at most.
const MAX_PARTS: usize = 1_000;

/// What a content is taken out of: all of it, or its parts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts {
    starts: Vec<i64>,
    ends: Vec<i64>,
}

impl Parts {
    fn of(parts: &[(u64, u64)]) -> Result<Self, Failure> {
        if parts.len() > MAX_PARTS || parts.iter().any(|(start, end)| start >= end) {
            return Err(invalid("The parts of a content are not such."));
        }
        let column = |of: fn(&(u64, u64)) -> u64| -> Result<Vec<i64>, Failure> {
            parts.iter().map(|part| number(of(part))).collect()
        };
        Ok(Self { starts: column(|part| part.0)?, ends: column(|part| part.1)? })
    }

    /// True where all of a content goes.
    fn is_whole(&self) -> bool {
        self.starts.is_empty()
    }

    fn sent(&self) -> Vec<(u64, u64)> {
        let number = |value: &i64| u64::try_from(*value).unwrap_or(0);
        self.starts.iter().map(number).zip(self.ends.iter().map(number)).collect()
    }
}

/// Contents that are to go, with what is known of each.
pub(crate) type Going = BTreeMap<Sha256, Parts>;

/// Machines send while no redaction is under way, and the other way round: so none sends what is just being taken out.
pub(crate) async fn beside_others(scoped: &Scoped, org: OrgId) -> Result<(), Failure> {
    let sql = "SELECT pg_advisory_xact_lock_shared(hashtextextended(encode($1, 'hex'), 7))";
    scoped.client()?.execute(sql, &[&&org.0[..]]).await?;
    Ok(())
}

pub(crate) async fn alone(scoped: &Scoped, org: OrgId) -> Result<(), Failure> {
    let sql = "SELECT pg_advisory_xact_lock(hashtextextended(encode($1, 'hex'), 7))";
    scoped.client()?.execute(sql, &[&&org.0[..]]).await?;
    Ok(())
}

fn short(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control() || *letter == '\n').take(MAX_TEXT).collect()
}

pub(crate) fn parse_order(text: &str) -> Result<OrderId, Failure> {
    OrderId::parse(text).map_err(|_| Failure::refused(m::NOT_FOUND, "There is no such order."))
}

/// The name of the asking machine.
pub(crate) async fn machine_name(scoped: &Scoped, caller: &Caller) -> Result<String, Failure> {
    let row = scoped
        .client()?
        .query_one(
            "SELECT name FROM machines WHERE org = $1 AND machine = $2",
            &[&&caller.org.0[..], &&caller.machine.0[..]],
        )
        .await?;
    Ok(row.get(0))
}
