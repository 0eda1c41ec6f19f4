//! The database: connecting, migrating, and transactions that see one organisation.

use crate::doctor::{Grant, granted};
use crate::keys::HubKeys;
use crate::{Failure, audit, tls};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use deadpool_postgres::{Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime};
use retrace_model::{OrgId, Sha256};
use retrace_sync::roles::Role;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Error, NoTls, Row};
use tokio_postgres_rustls::MakeRustlsConnect;

mod migrations {
    refinery::embed_migrations!("migrations");
}

/// Connections of one process at once. Requests beyond wait for one.
const CONNECTIONS: usize = 16;

/// Wait for a connection before the request is answered with `unavailable`.
const WAIT: Duration = Duration::from_secs(10);

/// How long a server may leave what was sent to it unacknowledged.
const SILENCE: Duration = Duration::from_secs(30);

/// Lock under which processes that start at the same time migrate one after the other.
const MIGRATION_LOCK: i64 = 0x7265_7472_6163_6501;

/// How long a token can be used, in microseconds: a week.
pub(crate) const TOKEN_LIFE: i64 = 7 * 24 * 3_600 * 1_000_000;

/// Microseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

/// The database of a hub.
pub(crate) struct Database {
    pool: Pool,
    org: OrgId,
}

/// A transaction that sees one organisation. Dropped without [`Scoped::commit`], it is rolled back: its connection is then
/// closed, so that no half of it can be used again.
pub(crate) struct Scoped {
    client: Option<Object>,
    appended: AtomicU64,
}

/// A connection whose statements are parsed and planned once: each is asked for again and again, and preparing one costs a way
/// to the server and back.
#[derive(Clone, Copy)]
pub(crate) struct Prepared<'a>(pub(crate) &'a Object);

/// Values of a statement.
type Values<'a> = &'a [&'a (dyn ToSql + Sync)];

impl Prepared<'_> {
    pub(crate) async fn query(self, sql: &str, values: Values<'_>) -> Result<Vec<Row>, Error> {
        self.0.query(&self.0.prepare_cached(sql).await?, values).await
    }

    pub(crate) async fn query_one(self, sql: &str, values: Values<'_>) -> Result<Row, Error> {
        self.0.query_one(&self.0.prepare_cached(sql).await?, values).await
    }

    pub(crate) async fn query_opt(self, sql: &str, values: Values<'_>) -> Result<Option<Row>, Error> {
        self.0.query_opt(&self.0.prepare_cached(sql).await?, values).await
    }

    pub(crate) async fn execute(self, sql: &str, values: Values<'_>) -> Result<u64, Error> {
        self.0.execute(&self.0.prepare_cached(sql).await?, values).await
    }

    pub(crate) async fn batch_execute(self, sql: &str) -> Result<(), Error> {
        self.0.batch_execute(sql).await
    }
}

impl Scoped {
    pub(crate) fn client(&self) -> Result<Prepared<'_>, Failure> {
        let client = self.client.as_ref().map(Prepared);
        client.ok_or_else(|| Failure::Machine("the transaction has ended".into()))
    }

    /// Notes that versions were appended, for the figures.
    pub(crate) fn note_appended(&self, versions: usize) {
        self.appended.fetch_add(versions as u64, Ordering::Relaxed);
    }

    pub(crate) fn appended(&self) -> u64 {
        self.appended.load(Ordering::Relaxed)
    }

    /// Gives up what was done, and keeps the connection.
    pub(crate) async fn roll_back(mut self) -> Result<(), Failure> {
        self.client()?.batch_execute("ROLLBACK").await?;
        drop(self.client.take());
        Ok(())
    }

    pub(crate) async fn commit(mut self) -> Result<(), Failure> {
        self.client()?.batch_execute("COMMIT").await?;
        drop(self.client.take());
        Ok(())
    }
}

impl Drop for Scoped {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            drop(Object::take(client));
        }
    }
}

impl Database {
    /// Connects, migrates, and sees to it that the key file is the database's. A token for the first owner comes with it where
    /// nobody joined yet and none is waiting, or where one is asked for.
    pub(crate) async fn open(
        url: &str,
        keys: &HubKeys,
        key_file: &str,
        new_owner_token: bool,
    ) -> Result<(Self, Option<String>), Failure> {
        let pool = pool(url, CONNECTIONS)?;
        let mut client = pool.get().await?;
        let version: String = client.query_one("SHOW server_version_num", &[]).await?.get(0);
        if version.parse().unwrap_or(0) < 150_000 {
            return Err(Failure::Database("it is older than PostgreSQL 15".into()));
        }
        client.execute("SELECT pg_advisory_lock($1)", &[&MIGRATION_LOCK]).await?;
        let prepared = prepare(&mut client, keys, key_file, new_owner_token).await;
        client.execute("SELECT pg_advisory_unlock($1)", &[&MIGRATION_LOCK]).await?;
        drop(client);
        let (org, token) = prepared?;
        Ok((Self { pool, org }, token))
    }

    /// True if a hub was started over the database before.
    pub(crate) async fn has_a_hub(url: &str) -> Result<bool, Failure> {
        let client = pool(url, 1)?.get().await?;
        if !client.query_one("SELECT to_regclass('hub') IS NOT NULL", &[]).await?.get::<_, bool>(0) {
            return Ok(false);
        }
        Ok(client.query_one("SELECT EXISTS (SELECT 1 FROM hub)", &[]).await?.get(0))
    }

    /// The organisation of the database.
    pub(crate) fn org(&self) -> OrgId {
        self.org
    }

    pub(crate) fn pool_status(&self) -> deadpool_postgres::Status {
        self.pool.status()
    }

    /// Begins a transaction that sees this organisation alone.
    pub(crate) async fn scoped(&self, org: OrgId) -> Result<Scoped, Failure> {
        let scoped = Scoped { client: Some(self.pool.get().await?), appended: AtomicU64::new(0) };
        scoped.client()?.batch_execute(&begin(org)).await?;
        Ok(scoped)
    }

    /// Begins a transaction as the user of the database, for what no request may change.
    pub(crate) async fn as_owner(&self, org: OrgId) -> Result<Scoped, Failure> {
        let scoped = self.scoped(org).await?;
        scoped.client()?.batch_execute("RESET ROLE").await?;
        Ok(scoped)
    }

    /// What else may hold a copy of the database, as its own user sees it.
    pub(crate) async fn replicas(&self) -> Result<retrace_sync::together::Replicas, Failure> {
        crate::requests::replicas(&*self.pool.get().await?).await
    }

    /// True if the database answers.
    pub(crate) async fn answers(&self) -> Result<(), Failure> {
        self.pool.get().await?.batch_execute("SELECT 1").await?;
        Ok(())
    }
}

/// Begins a transaction. The organisation's digits are ours, so they can stand in the text.
pub(crate) fn begin(org: OrgId) -> String {
    format!("BEGIN; SET LOCAL ROLE retrace_hub; SELECT set_config('retrace.org', '{}', true)", hex(&org.0))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

async fn prepare(
    client: &mut Object,
    keys: &HubKeys,
    key_file: &str,
    new_owner_token: bool,
) -> Result<(OrgId, Option<String>), Failure> {
    // A migration may differ from the one that was carried out in what it says of a failure.
    let runner = migrations::migrations::runner().set_abort_divergent(false);
    runner.run_async(&mut ***client).await.map_err(|error| {
        let mut cause: &dyn std::error::Error = &error;
        while let Some(deeper) = cause.source() {
            cause = deeper;
        }
        Failure::Database(format!("it cannot be migrated: {cause}"))
    })?;
    let org: [u8; 16] = keys.random()?;
    client
        .execute(
            "INSERT INTO hub (id, org, public_key, created_at) VALUES (1, $1, $2, $3) ON CONFLICT DO NOTHING",
            &[&&org[..], &keys.signing.public(), &now()],
        )
        .await?;
    let row = client.query_one("SELECT org, public_key FROM hub WHERE id = 1", &[]).await?;
    if row.get::<_, Vec<u8>>(1) != keys.signing.public() {
        return Err(Failure::OtherKeyFile(key_file.to_owned()));
    }
    let org = OrgId(
        row.get::<_, Vec<u8>>(0)
            .try_into()
            .map_err(|_| Failure::Database("its organisation is damaged".into()))?,
    );
    client.batch_execute(&begin(org)).await?;
    let wanted = "SELECT NOT EXISTS (SELECT 1 FROM machines WHERE ends_at IS NULL)
        AND NOT EXISTS (SELECT 1 FROM tokens WHERE used_by IS NULL AND expires_at > $1)";
    let wanted: bool = client.query_one(wanted, &[&now()]).await?.get(0);
    let mut token = None;
    if wanted || new_owner_token {
        token = Some(new_token(Prepared(client), keys, org, Role::Owner, None).await?.0);
        audit::note_at_start(client, org, "token", Role::Owner.as_str()).await?;
    }
    client.batch_execute("COMMIT").await?;
    Ok((org, token))
}

/// Connections to the database of an address; none is opened yet.
pub(crate) fn pool(url: &str, connections: usize) -> Result<Pool, Failure> {
    let (mut config, tls) = tls::parse(url)?;
    config.application_name("retrace hub");
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(Duration::from_secs(10));
    }
    // A server whose host is gone says nothing more: without these, requests under way would wait for it for many minutes.
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(SILENCE);
    }
    config.keepalives_idle(config.get_keepalives_idle().min(SILENCE));
    let fast = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let manager = match tls {
        Some(tls) => Manager::from_config(config, MakeRustlsConnect::new(tls), fast),
        None => Manager::from_config(config, NoTls, fast),
    };
    Pool::builder(manager)
        .max_size(connections)
        .wait_timeout(Some(WAIT))
        .create_timeout(Some(WAIT))
        .runtime(Runtime::Tokio1)
        .build()
        .map_err(|error| Failure::Database(error.to_string()))
}

/// Numbers of the migrations that this program has.
pub(crate) fn migrations() -> Vec<i32> {
    let runner = migrations::migrations::runner();
    runner.get_migrations().iter().map(|migration| migration.version()).collect()
}

/// The rights that some migrations of this program give the role of requests.
pub(crate) fn grants(applied: &[i32]) -> BTreeSet<Grant> {
    let runner = migrations::migrations::runner();
    let applied = runner.get_migrations().iter().filter(|migration| applied.contains(&migration.version()));
    applied.filter_map(|migration| migration.sql()).flat_map(granted).collect()
}

/// Makes a token and keeps its hash; answers it and when it ends.
pub(crate) async fn new_token(
    client: Prepared<'_>,
    keys: &HubKeys,
    org: OrgId,
    role: Role,
    by: Option<&[u8]>,
) -> Result<(String, i64), Failure> {
    let secret: [u8; 32] = keys.random()?;
    let token = format!("rthub_{}_{}", &org.to_string()["org_".len()..], URL_SAFE_NO_PAD.encode(secret));
    let (at, ends) = (now(), now().saturating_add(TOKEN_LIFE));
    client
        .execute(
            "INSERT INTO tokens (org, sha256, role, created_at, expires_at, created_by)
             VALUES ($1, $2, $3, $4, $5, $6)",
            &[&&org.0[..], &&Sha256::of(token.as_bytes()).0[..], &role.as_str(), &at, &ends, &by],
        )
        .await?;
    Ok((token, ends))
}

/// The organisation that a token is for.
pub(crate) fn org_of(token: &str) -> Option<OrgId> {
    let (org, _) = token.strip_prefix("rthub_")?.split_once('_')?;
    OrgId::parse(&format!("org_{org}")).ok()
}
