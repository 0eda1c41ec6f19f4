//! Columns with texts of people and programs, beside contents, comments and proposals: names, descriptions, authors, keys, policies.
//! A redaction of a secret goes through all of them. A test compares the list with the schema, so that no column is forgotten. What
//! nothing may change is searched by [`super::left`].

use super::texts::{MARKER, REDACTED, packed, without};
use super::{Going, Value};
use crate::Failure;
use crate::database::Scoped;
use crate::requests::digest;
use retrace_model::{OrgId, Sha256};
use retrace_sync::messages::{Bytes, PackedContent};
use retrace_sync::texts::{different, rewritten_policy};
use retrace_sync::together::Searched;
use std::collections::BTreeSet;

/// Texts of a page that is searched, at most.
const SEARCHED: i64 = 256;

/// What a column holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Text,
    Bytes,
    /// A JSON object as text: its keys and its texts are searched one by one, as they read without escapes.
    Object,
    /// The policy: stores that it names and rules that it wants. Its other words are the program's.
    Policy,
    /// The id of an agent's key, by which it is ended. Another one stands in its place.
    Key,
    /// The path of a live memory of the API, of which no two may be the same.
    Path,
    /// The path of a version of the API's stores, which are the hub's own: no machine carries an order for it. The path goes with
    /// the salt that the chain knows it by, and the content stays.
    VersionPath,
    /// The path of a proposal, which is nothing without it: one that waits is withdrawn.
    ProposalPath,
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
    ("proposals", "path", Form::ProposalPath),
    ("sign_ins", "shown", Form::Text),
    ("sign_ins", "name", Form::Text),
    ("sessions", "agent", Form::Text),
    ("sessions", "key_id", Form::Text),
    ("agent_tokens", "id", Form::Key),
    ("policies", "policy", Form::Policy),
];

impl Form {
    /// The column as bytes.
    fn bytes(self, column: &str) -> String {
        match self {
            Self::Text | Self::Object | Self::Key => format!("convert_to({column}, 'UTF8')"),
            Self::Policy => format!("convert_to({column}::text, 'UTF8')"),
            Self::Bytes | Self::Path | Self::VersionPath | Self::ProposalPath => column.to_owned(),
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
            Self::Policy => format!("{column} = convert_from($3, 'UTF8')::jsonb"),
            // Letters that an id of a key may have, so that it can be ended as before; no two are the same.
            Self::Key => format!("{column} = convert_from($3, 'UTF8') || left(encode(sha256, 'hex'), 12)"),
            Self::Bytes => format!("{column} = $3"),
            // Whatever the rest of it was, two paths must not become one.
            Self::Path => format!("{column} = $3 || convert_to(encode(memory, 'hex'), 'UTF8')"),
            Self::VersionPath => format!("{column} = nullif($3::bytea, $3), salt = NULL, redacted = true"),
            Self::ProposalPath => format!(
                "{column} = nullif($3::bytea, $3), state = CASE WHEN state = 'waiting' THEN 'withdrawn' ELSE state END,
                 sha256 = NULL, size = NULL, wrapped_key = NULL, bytes = NULL"
            ),
        }
    }

    /// True where a value has several texts, each of which is searched by itself.
    fn has_parts(self) -> bool {
        matches!(self, Self::Object | Self::Policy)
    }

    /// The texts of a value.
    fn texts(self, value: Vec<u8>) -> Vec<Vec<u8>> {
        let mut texts = Vec::new();
        let note = |text: &str| {
            texts.push(text.as_bytes().to_vec());
            text.to_owned()
        };
        match self.rewritten(&value, note) {
            Some(_) => texts,
            None => vec![value],
        }
    }

    /// A value of several texts with each of them put through a function; `None` for any other.
    fn rewritten(self, value: &[u8], mut one: impl FnMut(&str) -> String) -> Option<Vec<u8>> {
        match self {
            Self::Object => {
                let object: serde_json::Map<String, serde_json::Value> =
                    serde_json::from_slice(value).ok()?;
                let mut out = serde_json::Map::new();
                for (key, value) in object {
                    let key = different(one(&key), |key| out.contains_key(key));
                    let text = value.as_str().map(|text| one(text).into());
                    out.insert(key, text.unwrap_or(value));
                }
                serde_json::to_vec(&out).ok()
            }
            Self::Policy => {
                let policy = rewritten_policy(serde_json::from_slice(value).ok()?, one);
                serde_json::to_vec(&policy).ok()
            }
            _ => None,
        }
    }

    /// A value without what goes of it.
    fn without(self, value: &[u8], going: &Going) -> Vec<u8> {
        let one = |text: &str| match going.get(&Sha256::of(text.as_bytes())) {
            Some(parts) if !parts.is_whole() => {
                // Parts may begin or end within a letter.
                String::from_utf8(without(text.as_bytes(), Some(parts)))
                    .unwrap_or_else(|_| REDACTED.to_owned())
            }
            _ => text.to_owned(),
        };
        match self {
            Self::Path => b"redacted-".to_vec(),
            Self::Key => b"apikey_redacted-".to_vec(),
            Self::Object | Self::Policy => self.rewritten(value, one).unwrap_or_else(|| b"{}".to_vec()),
            Self::Text => match std::str::from_utf8(value) {
                Ok(text) => one(text).into_bytes(),
                Err(_) => MARKER.to_vec(),
            },
            Self::Bytes | Self::VersionPath | Self::ProposalPath => {
                without(value, going.get(&Sha256::of(value)))
            }
        }
    }
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
    let texts = rows.iter().flat_map(|row| form.texts(row.get(1)));
    let contents = texts.map(|text| content(&text)).collect::<Result<_, _>>()?;
    let full = i64::try_from(rows.len()).unwrap_or(i64::MAX) == SEARCHED;
    let next = match rows.last().filter(|_| full) {
        Some(last) => format!("t:{at}:{}", digest(last, 0)?.to_hex()),
        None if at + 1 < COLUMNS.len() => format!("t:{}:", at + 1),
        None => super::left::FIRST_PAGE.to_owned(),
    };
    Ok(Some(Searched { contents, next: Some(next) }))
}

/// A text as it is sent to whoever searches.
pub(super) fn content(text: &[u8]) -> Result<PackedContent, Failure> {
    let packed = Bytes(packed(text)?);
    Ok(PackedContent { sha256: Sha256::of(text), size: text.len() as u64, packed })
}

/// Hashes of the texts that a search found: a redaction of whole contents looks into no other text.
pub(super) fn found(going: &Going) -> Vec<&[u8]> {
    going.iter().filter(|(_, parts)| !parts.is_whole()).map(|(sha256, _)| &sha256.0[..]).collect()
}

/// Of what goes the hashes that a text of a column has.
pub(super) async fn elsewhere(
    scoped: &Scoped,
    org: OrgId,
    going: &Going,
) -> Result<BTreeSet<Vec<u8>>, Failure> {
    let (hashes, mut known) = (found(going), BTreeSet::new());
    for at in COLUMNS {
        for value in holding(scoped, org, at, &hashes).await? {
            let of_value = at.2.texts(value).into_iter().map(|text| Sha256::of(&text).0.to_vec());
            known.extend(of_value.filter(|sha256| hashes.contains(&&sha256[..])));
        }
    }
    Ok(known)
}

/// The different values of a column that have a text with one of these hashes.
async fn holding(
    scoped: &Scoped,
    org: OrgId,
    (table, column, form): &(&str, &str, Form),
    hashes: &[&[u8]],
) -> Result<Vec<Vec<u8>>, Failure> {
    if hashes.is_empty() {
        return Ok(Vec::new());
    }
    let (bytes, rows) = (form.bytes(column), form.rows());
    // What has several texts is looked through here: the database knows no hashes of them.
    let which = if form.has_parts() {
        "$2::bytea[] IS NOT NULL".to_owned()
    } else {
        format!("sha256({bytes}) = ANY($2)")
    };
    let sql = format!(
        "SELECT DISTINCT {bytes} FROM {table} WHERE org = $1 AND {rows} AND {column} IS NOT NULL AND {which}"
    );
    let rows = scoped.client()?.query(&sql, &[&&org.0[..], &hashes]).await?;
    let values = rows.iter().map(|row| row.get::<_, Vec<u8>>(0));
    let has = |value: &Vec<u8>| {
        !form.has_parts()
            || form.texts(value.clone()).iter().any(|text| hashes.contains(&&Sha256::of(text).0[..]))
    };
    Ok(values.filter(has).collect())
}

/// Takes what goes out of every column; a marker stands in its place. Answers how many texts there were.
pub(super) async fn take_out(scoped: &Scoped, org: OrgId, going: &Going) -> Result<u64, Failure> {
    let (hashes, client, mut texts) = (found(going), scoped.client()?, 0);
    for at in COLUMNS {
        let (table, column, form) = at;
        let (bytes, rows) = (form.bytes(column), form.rows());
        for was in holding(scoped, org, at, &hashes).await? {
            let left = form.without(&was, going);
            let instead = form.instead(column);
            let sql = format!("UPDATE {table} SET {instead} WHERE org = $1 AND {rows} AND {bytes} = $2");
            let values: [Value<'_>; 3] = [&&org.0[..], &was, &left];
            texts += client.execute(&sql, &values).await?;
        }
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::super::left;
    use super::*;
    use retrace_sync::policy::Policy;

    /// Columns of texts that a redaction leaves, each with the reason.
    const LEFT: &[(&str, &str, &str)] = &[
        ("api_versions", "actor", "a word of the program"),
        ("api_versions", "redacted_by", "a word of the program"),
        ("audit", "action", "a word of the program"),
        ("audit", "outcome", "a word of the program"),
        ("audit", "*", "never changed: searched, and named as left"),
        ("hub_reviews", "verdict", "a word of the program"),
        ("machines", "role", "a word of the program"),
        ("order_left", "place", "a word of the program"),
        ("order_machines", "state", "a word of the program"),
        ("order_receipts", "body", "signed by the machine; counts and ids alone"),
        ("orders", "method", "a word of the program"),
        ("orders", "state", "a word of the program"),
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

    /// Columns of bytes that hold no text of anybody, whatever their table.
    const BYTES: &[(&str, &str)] = &[
        (
            "org machine store id memory by_machine project created_by used_by acknowledged_by copy_store call",
            "ids",
        ),
        (
            "sha256 content_sha256 expects digest leaf commitment rule remote person by_person told request",
            "hashes",
        ),
        ("path_key scope tag", "codes under a key, or hashes"),
        ("public_key signature machine_signature salt wrapped_key", "keys, signatures, random bytes"),
        ("bytes", "encrypted: searched as contents, sessions, comments and proposals"),
    ];

    /// The columns that the migrations make, each with its type.
    fn columns_of_the_schema() -> BTreeSet<(String, String, String)> {
        let mut found = BTreeSet::new();
        let mut note = |table: &str, column: &str, kind: &str| {
            found.insert((table.to_owned(), column.to_owned(), kind.to_owned()));
        };
        for text in migrations() {
            let mut table = "";
            for line in text.lines() {
                let words: Vec<&str> =
                    line.split_whitespace().map(|word| word.trim_end_matches(&[',', ';', '('][..])).collect();
                match words.as_slice() {
                    ["CREATE", "TABLE", "IF", "NOT", "EXISTS", name, ..] | ["CREATE", "TABLE", name, ..] => {
                        table = name;
                    }
                    ["ALTER", "TABLE", name, "ADD", "COLUMN", "IF", "NOT", "EXISTS", column, kind, ..]
                    | ["ALTER", "TABLE", name, "ADD", "COLUMN", column, kind, ..] => note(name, column, kind),
                    [column, kind, ..] if line.starts_with("    ") => note(table, column, kind),
                    _ => {}
                }
            }
        }
        found
    }

    fn migrations() -> Vec<String> {
        let mut files: Vec<_> = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/migrations"))
            .expect("the migrations")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        files.sort();
        files.iter().map(|file| std::fs::read_to_string(file).expect("a migration")).collect()
    }

    fn is_taken(table: &str, column: &str) -> bool {
        COLUMNS.iter().any(|(of, name, _)| *of == table && *name == column)
    }

    #[test]
    fn every_column_of_texts_is_gone_through_or_left_for_a_reason() {
        let schema = columns_of_the_schema();
        let is_left = |table: &str, column: &str| {
            (table == "audit" && left::COLUMNS.contains(&column))
                || LEFT.iter().any(|(of, name, why)| {
                    *of == table && (*name == column || *name == "*") && !why.is_empty()
                })
        };
        let is_no_text = |kind: &str, column: &str| {
            kind == "bytea" && BYTES.iter().any(|(names, _)| names.split(' ').any(|name| name == column))
        };
        let of_texts = ["text", "text[]", "json", "jsonb", "varchar", "bytea"];
        let texts: Vec<_> = schema.iter().filter(|(_, _, kind)| of_texts.contains(&kind.as_str())).collect();
        assert!(texts.len() > 150, "{}: {texts:?}", texts.len());
        let forgotten: Vec<_> = texts
            .into_iter()
            .filter(|(table, column, kind)| {
                !is_left(table, column) && !is_taken(table, column) && !is_no_text(kind, column)
            })
            .collect();
        assert!(forgotten.is_empty(), "{forgotten:?}");
        // And none that there is not.
        for (table, column, _) in COLUMNS {
            let is_there = schema.iter().any(|(of, name, _)| of == table && name == column);
            assert!(is_there, "{table}.{column}");
        }
        for column in left::COLUMNS {
            assert!(schema.iter().any(|(of, name, _)| of == "audit" && name == column), "{column}");
        }
    }

    #[test]
    fn the_planner_collects_no_figures_of_what_a_redaction_goes_through() {
        let text = migrations().concat();
        for (table, column, _) in COLUMNS {
            let in_a_list = text.contains(&format!("'{table} {column}'"));
            let by_itself = text.contains(&format!("ALTER COLUMN {column} SET STATISTICS 0"));
            assert!(in_a_list || by_itself, "{table}.{column}");
        }
    }

    fn going(texts: &[(&str, (u64, u64))]) -> Going {
        let one = |(text, part): &(&str, (u64, u64))| {
            (Sha256::of(text.as_bytes()), super::super::Parts::of(&[*part]).expect("parts"))
        };
        texts.iter().map(one).collect()
    }

    #[test]
    fn texts_of_an_object_are_searched_without_their_escapes() {
        let value = br#"{"a \"key\"":"quoted \"heron\"","n":1,"other":"stays"}"#.to_vec();
        let texts = Form::Object.texts(value.clone());
        let texts: Vec<&str> = texts.iter().map(|text| std::str::from_utf8(text).expect("text")).collect();
        assert_eq!(texts, ["a \"key\"", "quoted \"heron\"", "n", "other", "stays"]);
        let going = going(&[("quoted \"heron\"", (7, 14)), ("a \"key\"", (0, 7))]);
        let left = Form::Object.without(&value, &going);
        assert_eq!(left, br#"{"[redacted]":"quoted [redacted]","n":1,"other":"stays"}"#);
    }

    #[test]
    fn a_policy_keeps_its_days_and_its_own_words() {
        let policy = br#"{"two_person_redaction":true,"retention_days":{"heron a":3,"heron b":4,"*":9},
            "transcripts":"metadata","required_rules":["secret/heron"]}"#;
        let texts = Form::Policy.texts(policy.to_vec());
        assert_eq!(texts, [&b"*"[..], b"heron a", b"heron b", b"secret/heron"]);
        let going = going(&[("heron a", (0, 7)), ("heron b", (0, 7)), ("secret/heron", (7, 12))]);
        let left: Policy = serde_json::from_slice(&Form::Policy.without(policy, &going)).expect("a policy");
        let days: Vec<(&str, u32)> =
            left.retention_days.iter().map(|(store, of)| (&store[..], *of)).collect();
        assert_eq!(days, [("*", 9), ("[redacted]", 3), ("[redacted] 2", 4)]);
        assert_eq!(left.required_rules, ["secret/[redacted]"]);
        assert!(left.two_person_redaction);
    }
}
