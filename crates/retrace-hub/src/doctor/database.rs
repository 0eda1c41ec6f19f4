//! The database itself: version, migrations, roles, copies.

use super::{Check, Examined, count};
use crate::Failure;
use crate::database::migrations;
use deadpool_postgres::Object;
use retrace_model::OrgId;

/// Bytes that a standby may be behind before that is worth a look.
const LAG: i64 = 64 << 20;

/// Version and migrations; the hub's organisation and key, where this is a database of a hub.
pub(super) async fn first(
    client: &Object,
    checks: &mut Vec<Check>,
) -> Result<Option<(OrgId, Vec<u8>)>, Failure> {
    let row = client
        .query_one(
            "SELECT current_setting('server_version_num')::int4, current_setting('server_version'),
                 COALESCE((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false),
                 inet_server_addr() IS NULL, pg_is_in_recovery()",
            &[],
        )
        .await?;
    let (number, version): (i32, String) = (row.get(0), row.get(1));
    if number < 150_000 {
        let next = "Move to PostgreSQL 15 or newer.";
        checks.push(Check::error("database", format!("It is PostgreSQL {version}."), next));
        return Ok(None);
    }
    checks.push(Check::ok("database", format!("PostgreSQL {version} answers.")));
    checks.push(match (row.get(2), row.get(3)) {
        (true, _) => Check::ok("encryption", "The connection to the database is encrypted."),
        (false, true) => {
            Check::ok("encryption", "The connection to the database is a socket of this machine.")
        }
        (false, false) => Check::warning(
            "encryption",
            "The connection to the database is not encrypted.",
            "Add sslmode=verify-full to its address, unless it stays on this machine.",
        ),
    });
    if row.get(4) {
        let next = "Point the hub at the primary: host=a,b and target_session_attrs=read-write find it.";
        checks.push(Check::warning("primary", "This server is a standby.", next));
    }
    let exists =
        "SELECT to_regclass('refinery_schema_history') IS NOT NULL AND to_regclass('hub') IS NOT NULL";
    if !client.query_one(exists, &[]).await?.get::<_, bool>(0) {
        let next = "`retrace hub serve` makes it one.";
        checks.push(Check::error("migrations", "This is not a database of a hub.", next));
        return Ok(None);
    }
    checks.push(migrated(client).await?);
    let Some(row) = client.query_opt("SELECT org, public_key FROM hub WHERE id = 1", &[]).await? else {
        let next = "`retrace hub serve` finishes its first start.";
        checks.push(Check::error("migrations", "The hub never started to its end.", next));
        return Ok(None);
    };
    let org = row.get::<_, Vec<u8>>(0).try_into();
    let org = org.map_err(|_| Failure::Database("its organisation is damaged".into()))?;
    Ok(Some((OrgId(org), row.get(1))))
}

async fn migrated(client: &Object) -> Result<Check, Failure> {
    let rows = client.query("SELECT version FROM refinery_schema_history ORDER BY version", &[]).await?;
    let applied: Vec<i32> = rows.iter().map(|row| row.get(0)).collect();
    let known = migrations();
    let list = |numbers: Vec<&i32>| numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let missing = list(known.iter().filter(|number| !applied.contains(number)).collect());
    let newer = list(applied.iter().filter(|number| !known.contains(number)).collect());
    Ok(if !newer.is_empty() {
        let next = "Bring this program up to date before it serves this database.";
        Check::error("migrations", format!("The database has migrations this program lacks: {newer}."), next)
    } else if !missing.is_empty() {
        let next = "The next start of `retrace hub serve` carries them out.";
        Check::warning("migrations", format!("The database lacks migrations: {missing}."), next)
    } else {
        Check::ok("migrations", format!("All {} are there.", known.len()))
    })
}

/// Row-level security, the role of requests, the triggers of the audit log.
pub(super) async fn security(examined: &Examined) -> Result<Vec<Check>, Failure> {
    let client = &examined.client;
    // A partition is reached through its parent; who had rights to it directly would pass by the policy.
    let open = client.query(include_str!("../../statements/doctor_security.sql"), &[]).await?;
    let open: Vec<String> = open.iter().map(|row| row.get(0)).collect();
    let mut checks = vec![if open.is_empty() {
        Check::ok("row_level_security", "It is forced on every table with an organisation.")
    } else {
        let next = "ALTER TABLE … ENABLE ROW LEVEL SECURITY and FORCE ROW LEVEL SECURITY on each.";
        Check::error("row_level_security", format!("It is not forced on {}.", open.join(", ")), next)
    }];
    let role = client.query_one(include_str!("../../statements/doctor_role.sql"), &[]).await?;
    let faults: Vec<&str> = [
        (0, "it passes by row-level security"),
        (1, "it can log in"),
        (2, "it owns tables"),
        (3, "it may change the audit log"),
    ]
    .into_iter()
    .filter_map(|(column, what)| role.get::<_, bool>(column).then_some(what))
    .collect();
    checks.push(if faults.is_empty() {
        Check::ok("role", "Requests run under a role that owns nothing and cannot log in.")
    } else {
        let next = "Take that from the role retrace_hub.";
        Check::error("role", format!("The role retrace_hub is too strong: {}.", faults.join(", ")), next)
    });
    let watched = "SELECT p.prosrc FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
         WHERE t.tgrelid = 'audit'::regclass AND NOT t.tgisinternal AND t.tgenabled IN ('O', 'A')";
    let functions: Vec<String> = client.query(watched, &[]).await?.iter().map(|row| row.get(0)).collect();
    let refuses = |body: &String| body.trim() == audit_function().trim();
    checks.push(if functions.iter().filter(|body| refuses(body)).count() >= 2 {
        Check::ok(
            "audit",
            "The audit log can only be added to, until the owner of its table switches that off.",
        )
    } else if functions.len() >= 2 {
        let next = "Put the function back as the hub's migrations have it; then find out who replaced it.";
        Check::error("audit", "The function that keeps the audit log is another one.", next)
    } else {
        let next = "ALTER TABLE audit ENABLE TRIGGER ALL; then find out who switched them off.";
        Check::error("audit", "The triggers that keep the audit log are switched off.", next)
    });
    Ok(checks)
}

/// Standbys and how far they are behind.
pub(super) async fn copies(examined: &Examined) -> Result<Vec<Check>, Failure> {
    let rows = examined.client.query(include_str!("../../statements/doctor_standbys.sql"), &[]).await?;
    let level: String = examined.client.query_one("SHOW wal_level", &[]).await?.get(0);
    if rows.is_empty() {
        let found = format!("No standby is connected (wal_level {level}).");
        let next = "A standby keeps the hub there when this server is lost; see Backup in docs/HUB.md.";
        return Ok(vec![Check::warning("replication", found, next)]);
    }
    let synchronous = rows.iter().any(|row| ["sync", "quorum"].contains(&row.get(2)));
    let mut checks: Vec<Check> = rows
        .iter()
        .map(|row| {
            let (name, state, sync): (String, String, String) = (row.get(0), row.get(1), row.get(2));
            let lag: i64 = row.get(3);
            let found = format!("Standby {name}: {state}, {sync}, {lag} bytes behind.");
            if state == "streaming" && lag <= LAG {
                Check::ok("replication", found)
            } else {
                Check::warning("replication", found, "See why it does not keep up.")
            }
        })
        .collect();
    if !synchronous {
        let next = "Name one in synchronous_standby_names; `retrace sync --resend` mends what was lost.";
        let found = "No standby is synchronous: a promoted one may lack what machines were told is kept.";
        checks.push(Check::warning("replication", found, next));
    }
    Ok(checks)
}

/// What can be known of backups: PostgreSQL notes archiving, nothing else.
pub(super) async fn backup(examined: &Examined) -> Result<Vec<Check>, Failure> {
    let row = examined
        .client
        .query_one(
            "SELECT current_setting('archive_mode'), to_char(last_archived_time AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI'),
                 COALESCE(last_failed_time > last_archived_time, last_failed_time IS NOT NULL)
             FROM pg_stat_archiver",
            &[],
        )
        .await?;
    let (mode, last, failing): (String, Option<String>, bool) = (row.get(0), row.get(1), row.get(2));
    let check = match last {
        _ if mode == "off" => Check::warning(
            "backup",
            "When the last backup was made is unknown: PostgreSQL does not note it, and archiving is off.",
            "Back up the database and, elsewhere, the key file; see docs/HUB.md.",
        ),
        _ if failing => Check::error(
            "backup",
            "The last part of the write-ahead log was not archived.",
            "See archive_command and the log of PostgreSQL.",
        ),
        Some(last) => Check::ok("backup", format!("The write-ahead log was last archived on {last} UTC.")),
        None => Check::warning("backup", "Nothing was archived yet.", "See archive_command."),
    };
    Ok(vec![check])
}

/// Where bytes of what was taken out may still lie.
pub(super) async fn leftovers(examined: &Examined) -> Result<Vec<Check>, Failure> {
    let client = &examined.client;
    let dead: i64 = client
        .query_one(
            "SELECT COALESCE(sum(n_dead_tup), 0)::int8 FROM pg_stat_user_tables
             WHERE relname = 'contents' OR relname LIKE 'versions%'",
            &[],
        )
        .await?
        .get(0);
    let slots = client
        .query("SELECT slot_name::text FROM pg_replication_slots WHERE NOT active ORDER BY 1", &[])
        .await?;
    let slots: Vec<String> = slots.iter().map(|row| row.get(0)).collect();
    let mut checks = vec![if dead == 0 {
        Check::ok("leftovers", "No row of a content or version that was changed or deleted waits for VACUUM.")
    } else {
        let rows = count(dead, "old row");
        let found =
            format!("{rows} of contents and versions, changed or deleted since, may still be in the files.");
        let next = "VACUUM contents, versions: until then who has these files and the key file can read a deleted content.";
        Check::warning("leftovers", found, next)
    }];
    if !slots.is_empty() {
        let found = format!(
            "Replication slots hold the write-ahead log and nobody reads them: {}.",
            slots.join(", ")
        );
        checks.push(Check::warning(
            "leftovers",
            found,
            "Drop those that are not wanted: pg_drop_replication_slot.",
        ));
    }
    Ok(checks)
}

/// The body of the function that keeps the audit log, as a migration made it.
fn audit_function() -> &'static str {
    let migration = include_str!("../../migrations/V2__policy.sql");
    let function = migration.split_once("FUNCTION audit_is_append_only()").map_or("", |(_, rest)| rest);
    function.split("$$").nth(1).unwrap_or_default()
}
