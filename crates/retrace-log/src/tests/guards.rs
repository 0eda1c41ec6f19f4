//! Records cannot be updated, deleted or replaced, not even through a connection past this crate.

use super::harness::*;
use crate::*;
use retrace_model::{Actor, Source, Timestamp, Verdict};
use rusqlite::Connection;

/// Tables whose rows stay, with the columns that may change: contents are written down another way when another one is
/// masked, stores have states, receipts are finished.
const KEPT: [(&str, &[&str]); 20] = [
    ("actors", &[]),
    ("api_stores", &["description", "metadata", "updated_at", "archived_at", "deleted_at"]),
    ("blobs", &["encoding", "depth", "base_id", "data"]),
    ("git_imports", &[]),
    ("memories", &[]),
    ("mirrored", &["redacted_at"]),
    ("operations", &[]),
    ("paths", &[]),
    ("put_back", &[]),
    ("rebuilt", &["withdrawn", "leaf"]),
    ("redactions", &["live_files", "purge", "chain_head", "chain_verified", "warnings"]),
    ("review_acts", &[]),
    ("reviews", &[]),
    ("rule_acts", &["fields"]),
    ("guard_acts", &["file", "command", "inserted"]),
    ("broken_rules", &["session", "transcript", "what"]),
    ("broken_rule_acts", &[]),
    ("seals", &[]),
    (
        "stores",
        &[
            "kind",
            "name",
            "paused",
            "removed_at",
            "state",
            "state_detail",
            "versions",
            "baseline",
            "last_change",
            "root_device",
            "root_file",
            "root_boot",
            "root_at",
            "root_made",
        ],
    ),
    ("versions", &[]),
];

/// Tables that can be made again from the others or from transcripts, that a receipt is finished in, that a redaction empties, or that
/// a person may have forgotten.
const DERIVED: [&str; 26] = [
    "elsewhere",
    "history_text",
    "kept_lines",
    "live",
    "live_text",
    "memory_modes",
    "memory_paths",
    "origin_seen",
    "origin_state",
    "origin_transcripts",
    "origins",
    "permissions",
    "prompts",
    "receipt_places",
    "redacted_back",
    "redacted_parts",
    "redaction_tags",
    "remote_queue",
    "remote_sent",
    "remote_staged",
    "remotes",
    "reviewers",
    "search_live",
    "search_state",
    "unreviewed",
    "unsettled",
];

/// A log with a row in every table that is kept, and one that is named by every key.
fn filled() -> TestLog {
    let mut log = TestLog::new();
    let at = log.tick();
    let ada = Actor::User { id: "ada".to_owned() };
    let append =
        Append { actor: &ada, note: Some("why"), ..scan(log.store, at, vec![put(log.store, "a.md", "one")]) };
    log.writer.append(append).expect("appends");
    let at = log.tick();
    let undo = Append {
        undoes: Some(1),
        source: Source::Rollback,
        ..scan(log.store, at, vec![gone(log.store, "a.md")])
    };
    log.writer.append(undo).expect("appends");
    log.put("b.md", "two");
    log.put("b.md", "secret");
    log.redact(&[4]);
    log.rebuild(vec![line(vec![PastVersion {
        written_at: Some(retrace_model::Timestamp::from_micros(START - 3 * MINUTE)),
        ..past("b.md", -2, Some("an older two"))
    }])]);
    log.review(Verdict::Approved, &[2, 4]);
    log.undo_review(1);
    let at = log.tick();
    let mut act = log.writer.begin().expect("begins");
    let new = NewRemote {
        base_url: "https://host.example".to_owned(),
        remote_id: "memstore_a".to_owned(),
        name: "hosted".to_owned(),
        at: Timestamp::from_micros(at),
    };
    act.note_git_import(2, &[1]).expect("an import that replaces one");
    let rule = act.add_rule(&ada, new.at, "{\"kind\":\"command_never\"}").expect("a rule");
    let guard = KeptGuard {
        seq: 0,
        rule,
        at: new.at,
        remind: false,
        made_file: true,
        file: "settings.json".to_owned(),
        command: "retrace rule check".to_owned(),
        inserted: "{}".to_owned(),
    };
    act.add_guard(&ada, &guard).expect("a guard");
    act.remove_guard(&ada, new.at, &KeptGuard { seq: 1, ..guard.clone() }).expect("it is taken out");
    let removal = GuardAct { guard: KeptGuard { seq: 2, ..guard }, is_removal: true };
    act.take_back_guard(&ada, new.at, &removal, None).expect("it is in again");
    let broken = act.add_broken(&broken_rule(rule, "npm ci")).expect("a break").expect("a new one");
    act.note_broken(&ada, new.at, broken, BrokenAct::Seen).expect("it is seen");
    act.list_rule(&ada, new.at, rule, false).expect("a rule off the list");
    let acts = act.reader().newest_rule_acts().expect("acts");
    act.take_back_rule_acts(&ada, new.at, &acts).expect("they are undone");
    let acts = act.reader().newest_seen_acts().expect("acts");
    act.take_back_seen(&ada, new.at, &acts).expect("it is undone");
    let mirror = act.add_remote(&new).expect("a mirror");
    let version = HostVersion {
        id: "memver_1".to_owned(),
        memory: "mem_1".to_owned(),
        operation: retrace_model::VersionOperation::Created,
        path: Some(path("a.md")),
        content: Some(b"hosted".to_vec()),
        actor: Actor::Unknown,
        happened_at: Timestamp::from_micros(START),
        redacted_at: None,
    };
    for id in ["memver_1", "memver_2"] {
        let version = HostVersion { id: id.to_owned(), ..version.clone() };
        act.mirror(mirror, &version, Timestamp::from_micros(at)).expect("mirrors");
    }
    act.commit().expect("commits");
    let at = log.tick();
    let mut act = log.writer.begin().expect("begins");
    let gone = |place: &'static TextPlace, text: &[u8]| {
        (place.table == "operations" && text == b"why").then(|| REDACTED_TEXT.as_bytes().to_vec())
    };
    act.redact_texts(&ada, gone).expect("redacts");
    act.append(Append { even_if_empty: true, ..scan(log.store, at, Vec::new()) }).expect("appends");
    act.commit().expect("commits");
    let act = log.writer.begin().expect("begins");
    act.share_store(log.store, Timestamp::from_micros(at)).expect("shares");
    act.commit().expect("commits");
    let at = log.tick();
    let back = Append {
        actor: &ada,
        source: Source::Rollback,
        ..scan(log.store, at, vec![put(log.store, "a.md", "one")])
    };
    log.writer.append(back).expect("appends");
    log
}

fn strings(connection: &Connection, sql: &str) -> Vec<String> {
    let mut query = connection.prepare(sql).expect("prepares");
    let rows = query.query_map([], |row| row.get(0)).expect("asks");
    rows.collect::<Result<_, _>>().expect("reads")
}

fn columns(connection: &Connection, table: &str) -> Vec<String> {
    strings(connection, &format!("SELECT name FROM pragma_table_info('{table}') ORDER BY cid"))
}

/// Every row of every table that is kept.
fn dump(connection: &Connection) -> Vec<String> {
    KEPT.iter()
        .flat_map(|(table, _)| {
            let values: Vec<String> =
                columns(connection, table).iter().map(|column| format!("quote({column})")).collect();
            let sql = format!("SELECT '{table} ' || {} FROM {table} ORDER BY 1", values.join(" || ' ' || "));
            strings(connection, &sql)
        })
        .collect()
}

/// Runs a statement that must be refused and must change nothing, with and without triggers that recurse.
fn refused(connection: &Connection, sql: &str) {
    for recursive in ["OFF", "ON"] {
        connection.execute_batch(&format!("PRAGMA recursive_triggers = {recursive}")).expect("a pragma");
        let before = dump(connection);
        let done = connection.execute(sql, []);
        assert!(done.is_err(), "{sql} did {done:?}");
        assert_eq!(dump(connection), before, "{sql}");
    }
}

#[test]
fn every_table_is_kept_or_derived() {
    let log = filled();
    let sql = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual')
               AND name NOT LIKE 'sqlite_%' ORDER BY name";
    let mut expected: Vec<&str> = KEPT.iter().map(|(table, _)| *table).chain(DERIVED).collect();
    expected.sort_unstable();
    assert_eq!(strings(&log.raw(), sql), expected);
    for (table, _) in KEPT {
        let rows: i64 = log
            .raw()
            .query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))
            .expect("counts");
        assert!(rows > 0, "{table} must have rows for the other tests to mean something");
    }
}

#[test]
fn no_row_is_deleted() {
    let log = filled();
    for (table, _) in KEPT {
        refused(&log.raw(), &format!("DELETE FROM {table}"));
    }
}

#[test]
fn no_column_is_updated() {
    let log = filled();
    let raw = log.raw();
    for (table, may_change) in KEPT {
        let fixed = columns(&raw, table).into_iter().filter(|column| !may_change.contains(&column.as_str()));
        for column in fixed.chain(["rowid".to_owned()]) {
            let other = format!(
                "CASE typeof({column}) WHEN 'integer' THEN {column} + 1000 WHEN 'text' THEN {column} || '!'
                 WHEN 'blob' THEN randomblob(length({column})) ELSE 1 END"
            );
            for verb in ["UPDATE", "UPDATE OR REPLACE", "UPDATE OR IGNORE"] {
                refused(&raw, &format!("{verb} {table} SET {column} = {other}"));
                refused(&raw, &format!("{verb} {table} SET {column} = NULL WHERE {column} IS NOT NULL"));
            }
        }
    }
}

#[test]
fn no_row_is_replaced_through_any_unique_key() {
    let log = filled();
    let raw = log.raw();
    let mut keys = 0;
    for (table, _) in KEPT {
        let columns = columns(&raw, table);
        let indexes =
            strings(&raw, &format!("SELECT name FROM pragma_index_list('{table}') WHERE \"unique\" = 1"));
        let mut unique: Vec<Vec<String>> = indexes
            .iter()
            .map(|index| strings(&raw, &format!("SELECT name FROM pragma_index_info('{index}')")))
            .collect();
        unique.push(vec![columns[0].clone()]);
        for key in &unique {
            keys += 1;
            let in_another_key = |column: &String| unique.iter().flatten().any(|other| other == column);
            let values: Vec<String> = columns
                .iter()
                .map(|column| match column {
                    same if key.contains(same) => same.clone(),
                    first if *first == columns[0] => format!("{first} + 1000"),
                    other if in_another_key(other) => {
                        format!("CASE typeof({other}) WHEN 'blob' THEN randomblob(16) ELSE NULL END")
                    }
                    same => same.clone(),
                })
                .collect();
            let filled: Vec<String> = key.iter().map(|column| format!("{column} IS NOT NULL")).collect();
            let insert = format!(
                "INTO {table} ({}) SELECT {} FROM {table} WHERE {} LIMIT 1",
                columns.join(", "),
                values.join(", "),
                filled.join(" AND ")
            );
            refused(&raw, &format!("INSERT OR REPLACE {insert}"));
            refused(&raw, &format!("REPLACE {insert}"));
        }
    }
    assert_eq!(
        keys,
        20 + 13,
        "a primary key each; public ids of stores, memories and receipts, roots, paths, actors, undoes twice, judgements,
         versions of hosts by their id there and here, seals, marks of broken rules"
    );
}

#[test]
fn masking_is_one_way_and_takes_everything_at_once() {
    let log = filled();
    let raw = log.raw();
    for sql in [
        "UPDATE versions SET redaction_id = NULL, path_id = 1, commitment = NULL WHERE seq = 4",
        "UPDATE versions SET commitment = randomblob(32) WHERE seq = 4",
        "UPDATE versions SET redaction_id = 1, path_id = NULL, salt = NULL, commitment = randomblob(31) WHERE seq = 1",
        "UPDATE versions SET redaction_id = 1, path_id = NULL, salt = NULL WHERE seq = 1",
        "UPDATE versions SET redaction_id = 1, commitment = randomblob(32) WHERE seq = 1",
        "UPDATE versions SET redaction_id = 1, path_id = NULL, commitment = randomblob(32) WHERE change = 3",
        "UPDATE blobs SET encoding = 0, is_text = 1, data = x'00', size = 1, salt = randomblob(16),
            sha256 = randomblob(32) WHERE encoding = 9",
        "UPDATE blobs SET encoding = 9 WHERE encoding <> 9",
        "UPDATE rebuilt SET note = NULL",
        "UPDATE blobs SET encoding = 9, sha256 = NULL, salt = NULL, size = NULL, data = NULL WHERE encoding <> 9",
    ] {
        refused(&raw, sql);
    }
}

#[test]
fn a_path_goes_only_when_no_memory_was_there() {
    let log = filled();
    let raw = log.raw();
    raw.execute("INSERT INTO paths (bytes) VALUES (x'78')", []).expect("a path");
    assert_eq!(raw.execute("DELETE FROM paths WHERE bytes = x'78'", []).expect("deletes"), 1);
    refused(&raw, "DELETE FROM paths WHERE bytes = CAST('b.md' AS BLOB)");
}

#[test]
fn this_crates_own_connections_are_bound_as_well() {
    let log = filled();
    let connection = &log.writer.connection;
    for sql in [
        "DELETE FROM versions",
        "INSERT OR REPLACE INTO operations SELECT * FROM operations",
        "UPDATE operations SET note = 'other'",
    ] {
        assert!(connection.execute(sql, []).is_err(), "{sql}");
    }
    connection.execute_batch("PRAGMA writable_schema = ON").expect("a pragma");
    assert!(connection.execute("DELETE FROM sqlite_schema WHERE type = 'trigger'", []).is_err());
    log.assert_sound();
}
