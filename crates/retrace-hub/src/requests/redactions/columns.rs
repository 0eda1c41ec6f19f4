//! Columns with texts of people and programs, beside contents, comments and proposals: names, descriptions, authors. A redaction of a
//! secret goes through all of them. A test compares the list with the schema, so that no column is forgotten.

use super::texts::{MARKER, packed, without};
use super::{Going, Value};
use crate::Failure;
use crate::database::Scoped;
use crate::requests::digest;
use retrace_model::{OrgId, Sha256};
use retrace_sync::messages::{Bytes, PackedContent};
use retrace_sync::together::Searched;
use std::collections::BTreeSet;

/// Texts of a page that is searched, at most.
const SEARCHED: i64 = 256;

/// What a column holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Text,
    Bytes,
    /// A JSON object as text.
    Object,
    /// The path of a live memory of the API, of which no two may be the same.
    Path,
    /// The path of a version of the API's stores, which are the hub's own: no machine carries an order for it. The path goes with
    /// the salt that the chain knows it by, and the content stays.
    VersionPath,
}

/// Every column that a redaction goes through.
const COLUMNS: &[(&str, &str, Form)] = &[
    ("machines", "name", Form::Text),
    ("stores", "name", Form::Text),
    ("projects", "name", Form::Text),
    ("api_stores", "name", Form::Text),
    ("api_stores", "description", Form::Bytes),
    ("api_stores", "metadata", Form::Object),
    ("api_memories", "path", Form::Path),
    ("versions", "path", Form::VersionPath),
    ("api_versions", "actor_id", Form::Text),
    ("api_versions", "redacted_by_id", Form::Text),
    ("orders", "reason", Form::Text),
    ("orders", "approved_by", Form::Text),
    ("orders", "by_shown", Form::Text),
    ("comments", "person", Form::Text),
    ("comments", "by_name", Form::Text),
    ("hub_reviews", "person", Form::Text),
    ("hub_reviews", "by_name", Form::Text),
    ("proposals", "person", Form::Text),
    ("proposals", "by_name", Form::Text),
    ("proposals", "at_instant", Form::Text),
    ("sign_ins", "shown", Form::Text),
    ("sign_ins", "name", Form::Text),
    ("sessions", "agent", Form::Text),
    ("sessions", "key_id", Form::Text),
];

impl Form {
    /// The column as bytes.
    fn bytes(self, column: &str) -> String {
        match self {
            Self::Text | Self::Object => format!("convert_to({column}, 'UTF8')"),
            Self::Bytes | Self::Path | Self::VersionPath => column.to_owned(),
        }
    }

    /// Which rows of the table are meant.
    fn rows(self) -> &'static str {
        match self {
            Self::VersionPath => "store IN (SELECT store FROM api_stores WHERE org = $1)",
            _ => "true",
        }
    }

    /// What a row is set to instead: an expression over `$3`.
    fn instead(self, column: &str) -> String {
        match self {
            Self::Text | Self::Object => format!("{column} = convert_from($3, 'UTF8')"),
            Self::Bytes => format!("{column} = $3"),
            // Whatever the rest of it was, two paths must not become one.
            Self::Path => format!("{column} = $3 || convert_to(encode(memory, 'hex'), 'UTF8')"),
            Self::VersionPath => format!("{column} = nullif($3::bytea, $3), salt = NULL, redacted = true"),
        }
    }

    fn without(self, text: &[u8], going: &Going, sha256: &Sha256) -> Vec<u8> {
        let left = without(text, going.get(sha256));
        match self {
            Self::Path => b"redacted-".to_vec(),
            Self::Object if !is_object(&left) => b"{}".to_vec(),
            // Parts may begin or end within a letter.
            Self::Text if std::str::from_utf8(&left).is_err() => MARKER.to_vec(),
            _ => left,
        }
    }
}

fn is_object(text: &[u8]) -> bool {
    serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(text).is_ok()
}

/// A page of the different texts of a column, for a machine that looks for what it redacted. `after` is `COLUMN:HASH`, of the last text
/// of the page before.
pub(super) async fn page(scoped: &Scoped, org: OrgId, after: &str) -> Result<Option<Searched>, Failure> {
    let (at, last) = after.split_once(':').unwrap_or(("0", ""));
    let Some((at, last)) = at.parse::<usize>().ok().zip(match last {
        "" => Some(Vec::new()),
        hex => Sha256::from_hex(hex).map(|sha256| sha256.0.to_vec()),
    }) else {
        return Ok(None);
    };
    let Some((table, column, form)) = COLUMNS.get(at) else { return Ok(None) };
    let (bytes, rows) = (form.bytes(column), form.rows());
    let sql = format!(
        "SELECT DISTINCT sha256({bytes}) AS hash, {bytes} FROM {table}
         WHERE org = $1 AND {rows} AND {column} IS NOT NULL AND sha256({bytes}) > $2 ORDER BY hash LIMIT $3"
    );
    let rows = scoped.client()?.query(&sql, &[&&org.0[..], &last, &SEARCHED]).await?;
    let mut contents = Vec::with_capacity(rows.len());
    for row in &rows {
        let text: Vec<u8> = row.get(1);
        let packed = Bytes(packed(&text)?);
        contents.push(PackedContent { sha256: digest(row, 0)?, size: text.len() as u64, packed });
    }
    let full = i64::try_from(rows.len()).unwrap_or(i64::MAX) == SEARCHED;
    let next = match contents.last().filter(|_| full) {
        Some(last) => Some(format!("t:{at}:{}", last.sha256.to_hex())),
        None => (at + 1 < COLUMNS.len()).then(|| format!("t:{}:", at + 1)),
    };
    Ok(Some(Searched { contents, next }))
}

/// Hashes of the texts that a search found: a redaction of whole contents looks into no other text.
fn found(going: &Going) -> Vec<&[u8]> {
    going.iter().filter(|(_, parts)| !parts.is_whole()).map(|(sha256, _)| &sha256.0[..]).collect()
}

/// Of what goes the hashes that a text of a column has.
pub(super) async fn elsewhere(
    scoped: &Scoped,
    org: OrgId,
    going: &Going,
) -> Result<BTreeSet<Vec<u8>>, Failure> {
    let (hashes, mut known) = (found(going), BTreeSet::new());
    if hashes.is_empty() {
        return Ok(known);
    }
    for (table, column, form) in COLUMNS {
        let (hash, rows) = (format!("sha256({})", form.bytes(column)), form.rows());
        let sql = format!(
            "SELECT DISTINCT {hash} FROM {table}
             WHERE org = $1 AND {rows} AND {column} IS NOT NULL AND {hash} = ANY($2)"
        );
        let rows = scoped.client()?.query(&sql, &[&&org.0[..], &hashes]).await?;
        known.extend(rows.iter().map(|row| row.get::<_, Vec<u8>>(0)));
    }
    Ok(known)
}

/// Takes what goes out of every column; a marker stands in its place. Answers how many texts there were.
pub(super) async fn take_out(scoped: &Scoped, org: OrgId, going: &Going) -> Result<u64, Failure> {
    let (hashes, client, mut texts) = (found(going), scoped.client()?, 0);
    if hashes.is_empty() {
        return Ok(texts);
    }
    for (table, column, form) in COLUMNS {
        let (bytes, rows) = (form.bytes(column), form.rows());
        let sql = format!(
            "SELECT DISTINCT {bytes} FROM {table}
             WHERE org = $1 AND {rows} AND {column} IS NOT NULL AND sha256({bytes}) = ANY($2)"
        );
        for row in client.query(&sql, &[&&org.0[..], &hashes]).await? {
            let was: Vec<u8> = row.get(0);
            let left = form.without(&was, going, &Sha256::of(&was));
            let instead = form.instead(column);
            let sql = format!("UPDATE {table} SET {instead} WHERE org = $1 AND {rows} AND {bytes} = $2");
            let values: [Value<'_>; 3] = [&&org.0[..], &was, &left];
            texts += client.execute(&sql, &values).await?;
        }
    }
    Ok(texts)
}

/// Columns of texts that a redaction leaves, each with the reason.
#[cfg(test)]
const LEFT: &[(&str, &str, &str)] = &[
    ("agent_tokens", "id", "the id by which a key is ended; an owner chose it"),
    ("api_versions", "actor", "a word of the program"),
    ("api_versions", "redacted_by", "a word of the program"),
    ("audit", "*", "never changed; it names ids, roles and people"),
    ("hub_reviews", "verdict", "a word of the program"),
    ("machines", "role", "a word of the program"),
    ("order_machines", "state", "a word of the program"),
    ("order_receipts", "body", "signed by the machine; counts and ids alone"),
    ("orders", "method", "a word of the program"),
    ("orders", "state", "a word of the program"),
    ("policies", "policy", "an owner wrote it, with names of stores alone"),
    ("proposals", "kind", "a word of the program"),
    ("proposals", "note", "searched and taken out with proposals"),
    ("proposals", "state", "a word of the program"),
    ("proposals", "body", "signed by the machine; a code and ids alone"),
    ("proposals", "to_version", "the id of a version"),
    ("provider", "*", "who runs the hub wrote it"),
    ("session_entries", "part", "the place of an entry in its transcript"),
    ("session_entries", "uuid", "the id of an entry"),
    ("session_presence", "*", "ids and words of the program"),
    ("session_rules", "kind", "a word of the program"),
    ("session_verdicts", "*", "ids and words of the program"),
    ("sessions", "session", "the id by which a transcript is found again"),
    ("sign_ins", "issuer", "who runs the hub wrote it"),
    ("sign_ins", "client_id", "who runs the hub wrote it"),
    ("stores", "kind", "a word of the program"),
    ("tokens", "role", "a word of the program"),
    ("versions", "operation", "a word of the program"),
    ("versions", "source", "a word of the program"),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The columns of texts that the migrations make: `NAME text …`, arrays and JSON among them.
    fn columns_of_the_schema() -> BTreeSet<(String, String)> {
        let mut files: Vec<_> = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/migrations"))
            .expect("the migrations")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        files.sort();
        let mut found = BTreeSet::new();
        for file in files {
            let text = std::fs::read_to_string(&file).expect("a migration");
            let mut table = String::new();
            for line in text.lines() {
                let words: Vec<&str> =
                    line.split_whitespace().map(|word| word.trim_end_matches(&[',', ';', '('][..])).collect();
                let of_texts = |kind: &str| ["text", "text[]", "json", "jsonb", "varchar"].contains(&kind);
                match words.as_slice() {
                    ["CREATE", "TABLE", name, ..] => table = (*name).to_owned(),
                    ["ALTER", "TABLE", name, "ADD", "COLUMN", column, kind, ..] if of_texts(kind) => {
                        found.insert(((*name).to_owned(), (*column).to_owned()));
                    }
                    [column, kind, ..] if line.starts_with("    ") && of_texts(kind) => {
                        found.insert((table.clone(), (*column).to_owned()));
                    }
                    _ => {}
                }
            }
        }
        found
    }

    #[test]
    fn every_column_of_texts_is_gone_through_or_left_for_a_reason() {
        let schema = columns_of_the_schema();
        assert!(schema.len() > 40, "{schema:?}");
        let is_left = |table: &str, column: &str| {
            LEFT.iter()
                .any(|(of, name, why)| *of == table && (*name == column || *name == "*") && !why.is_empty())
        };
        let is_taken =
            |table: &str, column: &str| COLUMNS.iter().any(|(of, name, _)| *of == table && *name == column);
        let forgotten: Vec<_> = schema
            .iter()
            .filter(|(table, column)| !is_left(table, column) && !is_taken(table, column))
            .collect();
        assert!(forgotten.is_empty(), "{forgotten:?}");
    }
}
