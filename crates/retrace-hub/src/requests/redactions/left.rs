//! What a redaction leaves where nothing may be changed: rows of the audit log. They are searched as all texts are, and each that holds
//! what was redacted is named on the redaction, until it holds it no more.

use super::columns::{content, found};
use super::kept_out::known_tags;
use super::{Going, Value};
use crate::Failure;
use crate::database::Scoped;
use crate::requests::number;
use crate::routes::Hub;
use retrace_model::{OrgId, Sha256};
use retrace_sync::together::{LeftAt, Searched};
use std::collections::{BTreeMap, BTreeSet};
use tokio_postgres::Row;

/// Where the first page begins, after those of the columns.
pub(super) const FIRST_PAGE: &str = "a:0";

/// The place of a row of the audit log.
const AUDIT: &str = "audit";

/// Columns of the audit log with texts of people.
pub(super) const COLUMNS: &[&str] = &["person", "subject", "before", "after"];

/// Rows of a page that is searched.
const ROWS: i64 = 2_000;

/// Rows of one redaction that an answer names.
const NAMED: usize = 100;

/// The texts of a row whose first columns they are.
fn texts(row: &Row) -> impl Iterator<Item = String> {
    (0..COLUMNS.len()).filter_map(|at| row.get::<_, Option<String>>(at)).collect::<Vec<_>>().into_iter()
}

/// A page of the different texts of the audit log, in no order that says who did what.
pub(super) async fn page(scoped: &Scoped, org: OrgId, after: i64) -> Result<Searched, Failure> {
    let columns = COLUMNS.join(", ");
    let sql = format!("SELECT {columns}, seq FROM audit WHERE org = $1 AND seq > $2 ORDER BY seq LIMIT $3");
    let rows = scoped.client()?.query(&sql, &[&&org.0[..], &after, &ROWS]).await?;
    let different: BTreeSet<String> = rows.iter().flat_map(texts).filter(|text| !text.is_empty()).collect();
    let mut contents =
        different.iter().map(|text| content(text.as_bytes())).collect::<Result<Vec<_>, _>>()?;
    contents.sort_by_key(|content| content.sha256);
    let full = i64::try_from(rows.len()).unwrap_or(i64::MAX) == ROWS;
    let last = rows.last().filter(|_| full);
    Ok(Searched { contents, next: last.map(|row| format!("a:{}", row.get::<_, i64>(COLUMNS.len()))) })
}

/// Notes the rows that hold what goes, for the order that it goes by.
pub(super) async fn note(scoped: &Scoped, org: OrgId, id: &[u8], going: &Going) -> Result<(), Failure> {
    let hashes = found(going);
    if hashes.is_empty() {
        return Ok(());
    }
    let holds: Vec<String> =
        COLUMNS.iter().map(|column| format!("sha256(convert_to({column}, 'UTF8')) = ANY($3)")).collect();
    let sql = format!(
        "INSERT INTO order_left (org, id, place, number)
         SELECT o.org, o.id, '{AUDIT}', a.seq FROM audit a JOIN orders o ON o.org = a.org AND o.id = $2
         WHERE a.org = $1 AND ({}) ON CONFLICT DO NOTHING",
        holds.join(" OR ")
    );
    scoped.client()?.execute(&sql, &[&&org.0[..], &id, &hashes]).await?;
    Ok(())
}

/// The same for what was redacted before, each for its own order: a search that finds nothing else makes no new one.
pub(super) async fn note_known(
    scoped: &Scoped,
    org: OrgId,
    going: &Going,
    known: impl Iterator<Item = (&Sha256, &Vec<u8>)>,
) -> Result<(), Failure> {
    let mut of: BTreeMap<&[u8], Going> = BTreeMap::new();
    for (sha256, id) in known {
        if let Some(parts) = going.get(sha256) {
            of.entry(id).or_default().insert(*sha256, parts.clone());
        }
    }
    for (id, going) in of {
        note(scoped, org, id, &going).await?;
    }
    Ok(())
}

/// Looks at the rows of an order again, which whoever runs the database may have masked. Answers how many hold it still.
pub(super) async fn look_again(hub: &Hub, scoped: &Scoped, org: OrgId, id: &[u8]) -> Result<u64, Failure> {
    let client = scoped.client()?;
    let columns: Vec<String> = COLUMNS.iter().map(|column| format!("a.{column}")).collect();
    let sql = format!(
        "SELECT {}, l.number FROM order_left l LEFT JOIN audit a ON a.org = l.org AND a.seq = l.number
         WHERE l.org = $1 AND l.id = $2 AND l.place = '{AUDIT}'",
        columns.join(", ")
    );
    let of: [Value<'_>; 2] = [&&org.0[..], &id];
    let mut left = 0;
    for row in client.query(&sql, &of).await? {
        let hashes: Vec<Sha256> = texts(&row).map(|text| Sha256::of(text.as_bytes())).collect();
        if known_tags(hub, scoped, org, hashes.iter()).await?.is_empty() {
            let clean = "DELETE FROM order_left WHERE org = $1 AND id = $2 AND place = $3 AND number = $4";
            client.execute(clean, &[of[0], of[1], &AUDIT, &row.get::<_, i64>(COLUMNS.len())]).await?;
        } else {
            left += 1;
        }
    }
    Ok(left)
}

/// What is left of each of some orders.
pub(super) async fn of_orders(
    scoped: &Scoped,
    org: OrgId,
    ids: &[Vec<u8>],
) -> Result<BTreeMap<Vec<u8>, Vec<LeftAt>>, Failure> {
    let rows = scoped
        .client()?
        .query(
            "SELECT id, place, count(*), (array_agg(number ORDER BY number))[1:$3] FROM order_left
             WHERE org = $1 AND id = ANY($2) GROUP BY id, place ORDER BY place",
            &[&&org.0[..], &ids, &i32::try_from(number(NAMED as u64)?).unwrap_or(i32::MAX)],
        )
        .await?;
    let mut left: BTreeMap<Vec<u8>, Vec<LeftAt>> = BTreeMap::new();
    for row in &rows {
        let count = |value: i64| u64::try_from(value).unwrap_or(0);
        left.entry(row.get(0)).or_default().push(LeftAt {
            place: row.get(1),
            rows: count(row.get(2)),
            numbers: row.get::<_, Vec<i64>>(3).into_iter().map(count).collect(),
        });
    }
    Ok(left)
}
