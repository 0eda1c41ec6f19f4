//! Copies of a machine's data directory: they are refused, and whoever is at the machine itself is to know.

use super::{Caller, id16, number, store_id};
use crate::Failure;
use crate::audit;
use crate::database::{Scoped, now};
use retrace_model::StoreId;
use retrace_sync::messages::{CopyRefused, Done, RefusedCopy};
use tokio_postgres::Row;

/// How long it is told, in microseconds: thirty days.
pub(crate) const TOLD: i64 = 30 * 24 * 3_600 * 1_000_000;

/// Columns of [`refused_copy`], of the machine `m`.
pub(crate) const COLUMNS: &str = "m.copy_at, m.copy_store, m.copy_seq,
    (SELECT s.name FROM stores s WHERE s.org = m.org AND s.machine = m.machine AND s.store = m.copy_store)";

/// The copy that was refused last, of a row with [`COLUMNS`] from `first` on.
pub(crate) fn refused_copy(row: &Row, first: usize) -> Result<Option<RefusedCopy>, Failure> {
    let Some(at) = row.get::<_, Option<i64>>(first).filter(|at| *at > now().saturating_sub(TOLD)) else {
        return Ok(None);
    };
    let store = StoreId(id16(row, first + 1)?).to_string();
    let seq = u64::try_from(row.get::<_, i64>(first + 2)).unwrap_or(0);
    Ok(Some(RefusedCopy { at, store, store_name: row.get(first + 3), seq }))
}

/// Notes that a copy of the asking machine found out that it is one. It has the machine's key, and nothing else to tell them apart.
pub(crate) async fn copy_refused(
    scoped: &Scoped,
    caller: &Caller,
    request: CopyRefused,
) -> Result<Done, Failure> {
    let (store, seq) = (store_id(&request.store)?, number(request.seq)?);
    scoped
        .client()?
        .execute(
            "UPDATE machines SET copy_at = $3, copy_store = $4, copy_seq = $5 WHERE org = $1 AND machine = $2",
            &[&&caller.org.0[..], &&caller.machine.0[..], &now(), &&store.0[..], &seq],
        )
        .await?;
    audit::note(scoped, caller, "copy_refused", &format!("{store} {seq}")).await?;
    Ok(Done {})
}
