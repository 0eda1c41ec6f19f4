//! Sessions that machines share: taking them. What is kept of one is bounded by the policy of the organisation.
//!
//! A session is told as a whole whenever it changed; its entries come apart, in order, and each has a key of its own. Rules are
//! known by a code under a key of the key file, so that no hash of a sentence stays.

mod read;
mod redact;

pub(crate) use read::{ledger, presence, sessions};
pub(crate) use redact::{elsewhere, keep_to, keep_within, search_sessions, take_out, take_out_own};

use super::redactions::{self, Value};
use super::{Caller, invalid, number, policy_of, store_id};
use crate::Failure;
use crate::audit;
use crate::database::{Scoped, now};
use crate::keys::Place;
use crate::routes::Hub;
use retrace_model::{MachineId, MemoryId, OrgId, Sha256, StoreId};
use retrace_sync::messages::{self as m, Done, PackedContent};
use retrace_sync::policy::Transcripts;
use retrace_sync::sessions::{
    AskSessions, EntriesTaken, KnownSession, KnownSessions, MAX_ENTRIES, MAX_ROWS_OF_SESSION, MAX_RULES,
    MAX_SESSIONS, PutEntries, PutRules, PutSessions, SentPresence, SentSession, SentVerdict, is_name,
};
use std::collections::{BTreeMap, BTreeSet};

/// What texts of sessions are authenticated with in the place of a store.
const TEXTS: StoreId = StoreId(*b"retrace.sessions");

/// Codes of rules are of this.
const RULE: &[u8] = b"rule";

/// What may become of a rule.
const OUTCOMES: [&str; 5] = ["followed", "broken", "excepted", "predates", "undecidable"];

/// Where the texts of a machine's sessions belong.
pub(crate) const fn place_of(org: OrgId, machine: MachineId) -> Place {
    Place { org, store: TEXTS, machine }
}

fn named(text: &str) -> Result<(), Failure> {
    if is_name(text) { Ok(()) } else { Err(invalid("A name in a session holds letters that none may have.")) }
}

/// What the policy keeps of transcripts; refuses those who send what it does not.
async fn kept(scoped: &Scoped, org: OrgId, texts: bool) -> Result<(), Failure> {
    // Whoever narrows the policy takes out what it keeps no more, and waits for those who send meanwhile.
    redactions::beside_others(scoped, org).await?;
    match policy_of(scoped.client()?, org, "").await?.transcripts {
        Transcripts::Everything => Ok(()),
        Transcripts::Metadata if !texts => Ok(()),
        Transcripts::Metadata => {
            Err(Failure::refused(m::NOT_ALLOWED, "The policy keeps no texts of transcripts."))
        }
        Transcripts::Nothing => {
            Err(Failure::refused(m::NOT_ALLOWED, "The policy keeps nothing of transcripts."))
        }
    }
}

/// How far sessions of the asking machine are here.
pub(crate) async fn sessions_known(
    scoped: &Scoped,
    caller: &Caller,
    request: AskSessions,
) -> Result<KnownSessions, Failure> {
    if request.sessions.len() > MAX_SESSIONS {
        return Err(invalid("Five hundred sessions at most are asked for at once."));
    }
    let rows = scoped
        .client()?
        .query(
            include_str!("../../statements/sessions_known.sql"),
            &[&&caller.org.0[..], &&caller.machine.0[..], &request.sessions],
        )
        .await?;
    let mut known: BTreeMap<String, KnownSession> = BTreeMap::new();
    for row in &rows {
        let session: String = row.get(0);
        let of = known.entry(session.clone()).or_insert_with(|| KnownSession {
            session,
            digest: None,
            parts: BTreeMap::new(),
        });
        let digest = row.get::<_, Option<Vec<u8>>>(1).map(|_| super::digest(row, 1)).transpose()?;
        of.digest = digest.map(|digest| digest.to_hex());
        if let (Some(part), Some(entries)) = (row.get::<_, Option<String>>(2), row.get::<_, Option<i64>>(3)) {
            of.parts.insert(part, u64::try_from(entries).unwrap_or(0));
        }
    }
    Ok(KnownSessions { sessions: known.into_values().collect() })
}

/// Takes sessions as they are now, without their transcripts.
pub(crate) async fn put_sessions(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    request: PutSessions,
) -> Result<Done, Failure> {
    if request.sessions.len() > MAX_SESSIONS {
        return Err(invalid("Five hundred sessions at most are sent at once."));
    }
    if request.recorded_since.len() > MAX_SESSIONS {
        return Err(invalid("Five hundred stores at most are told at once."));
    }
    kept(scoped, caller.org, false).await?;
    for since in &request.recorded_since {
        let (store, operation) = (store_id(&since.store)?, number(since.operation)?);
        scoped
            .client()?
            .execute(
                "UPDATE stores SET recorded_since = $4 WHERE org = $1 AND store = $2 AND machine = $3
                     AND recorded_since IS DISTINCT FROM $4",
                &[&&caller.org.0[..], &&store.0[..], &&caller.machine.0[..], &operation],
            )
            .await?;
    }
    for session in &request.sessions {
        check(session)?;
        put_session(hub, scoped, caller, session).await?;
    }
    if !request.sessions.is_empty() {
        audit::note(scoped, caller, "put_sessions", &request.sessions.len().to_string()).await?;
    }
    Ok(Done {})
}

fn check(session: &SentSession) -> Result<(), Failure> {
    if session.session.is_empty()
        || session.presence.len() + session.verdicts.len() > MAX_ROWS_OF_SESSION
        || session.stores.len() > 1_000
    {
        return Err(invalid("A session is too large, or has no id."));
    }
    [&session.session, &session.agent].into_iter().try_for_each(|text| named(text))?;
    for row in &session.presence {
        let texts = [Some(&row.part), Some(&row.grade), row.version.as_ref(), row.cause.as_ref()];
        texts.into_iter().flatten().try_for_each(|text| named(text))?;
    }
    for row in &session.verdicts {
        let texts = [Some(&row.part), row.version.as_ref(), row.cause.as_ref()];
        texts.into_iter().flatten().try_for_each(|text| named(text))?;
        if !OUTCOMES.contains(&row.outcome.as_str()) {
            return Err(invalid("No such thing becomes of a rule."));
        }
    }
    Ok(())
}

async fn put_session(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    session: &SentSession,
) -> Result<(), Failure> {
    let cost = session.cost_micros.map(number).transpose()?;
    let row = scoped
        .client()?
        .query_one(
            include_str!("../../statements/put_session.sql"),
            &[
                &&caller.org.0[..],
                &&caller.machine.0[..],
                &session.session,
                &session.agent,
                &session.started_at,
                &session.ended_at,
                &number(session.requests)?,
                &number(session.subagents)?,
                &number(session.tokens.input)?,
                &number(session.tokens.cache_read)?,
                &number(session.tokens.cache_write)?,
                &number(session.tokens.output)?,
                &cost,
                &&session.digest.0[..],
                &now(),
            ],
        )
        .await?;
    let id: i64 = row.get(0);
    for table in ["session_stores", "session_presence", "session_verdicts"] {
        let sql = format!("DELETE FROM {table} WHERE org = $1 AND id = $2");
        scoped.client()?.execute(&sql, &[&&caller.org.0[..], &id]).await?;
    }
    let stores: BTreeSet<Vec<u8>> = session
        .stores
        .iter()
        .map(|store| store_id(store).map(|store| store.0.to_vec()))
        .collect::<Result<_, _>>()?;
    let stores: Vec<Vec<u8>> = stores.into_iter().collect();
    scoped
        .client()?
        .execute(
            "INSERT INTO session_stores (org, id, store) SELECT $1, $2, unnest($3::bytea[])",
            &[&&caller.org.0[..], &id, &stores],
        )
        .await?;
    put_presence(scoped, caller.org, id, &session.presence).await?;
    put_verdicts(hub, scoped, caller.org, id, &session.verdicts).await
}

async fn put_presence(scoped: &Scoped, org: OrgId, id: i64, rows: &[SentPresence]) -> Result<(), Failure> {
    if rows.is_empty() {
        return Ok(());
    }
    let memory = |row: &SentPresence| {
        let id = MemoryId::parse(&row.memory).map_err(|_| invalid("This is not the id of a memory."))?;
        Ok::<_, Failure>(id.0.to_vec())
    };
    let numbers = |of: fn(&SentPresence) -> u64| -> Result<Vec<i64>, Failure> {
        rows.iter().map(|row| number(of(row))).collect()
    };
    let stores: Vec<Vec<u8>> = rows
        .iter()
        .map(|row| store_id(&row.store).map(|store| store.0.to_vec()))
        .collect::<Result<_, _>>()?;
    let memories: Vec<Vec<u8>> = rows.iter().map(memory).collect::<Result<_, _>>()?;
    let (from, to) = (numbers(|row| row.from)?, numbers(|row| row.to)?);
    let lines = numbers(|row| u64::from(row.lines))?;
    let parts: Vec<&str> = rows.iter().map(|row| row.part.as_str()).collect();
    let versions: Vec<Option<&str>> = rows.iter().map(|row| row.version.as_deref()).collect();
    let grades: Vec<&str> = rows.iter().map(|row| row.grade.as_str()).collect();
    let causes: Vec<Option<&str>> = rows.iter().map(|row| row.cause.as_deref()).collect();
    let times: Vec<Option<i64>> = rows.iter().map(|row| row.at).collect();
    scoped
        .client()?
        .execute(
            "INSERT INTO session_presence (org, id, store, memory, part, from_req, to_req, version, lines, grade, cause, at)
             SELECT $1, $2, r.* FROM unnest($3::bytea[], $4::bytea[], $5::text[], $6::int8[], $7::int8[], $8::text[],
                 $9::int8[], $10::text[], $11::text[], $12::int8[]) AS r ON CONFLICT DO NOTHING",
            &[
                &&org.0[..],
                &id,
                &stores,
                &memories,
                &parts,
                &from,
                &to,
                &versions,
                &lines,
                &grades,
                &causes,
                &times,
            ],
        )
        .await?;
    Ok(())
}

async fn put_verdicts(
    hub: &Hub,
    scoped: &Scoped,
    org: OrgId,
    id: i64,
    rows: &[SentVerdict],
) -> Result<(), Failure> {
    if rows.is_empty() {
        return Ok(());
    }
    let numbers: Vec<i64> = (0_i64..).take(rows.len()).collect();
    let rules: Vec<Vec<u8>> = rows.iter().map(|row| code_of(hub, org, &row.rule).to_vec()).collect();
    let parts: Vec<&str> = rows.iter().map(|row| row.part.as_str()).collect();
    let requests: Vec<Option<i64>> =
        rows.iter().map(|row| row.request.map(number).transpose()).collect::<Result<_, _>>()?;
    let versions: Vec<Option<&str>> = rows.iter().map(|row| row.version.as_deref()).collect();
    let outcomes: Vec<&str> = rows.iter().map(|row| row.outcome.as_str()).collect();
    let present: Vec<Option<bool>> = rows.iter().map(|row| row.present).collect();
    let causes: Vec<Option<&str>> = rows.iter().map(|row| row.cause.as_deref()).collect();
    let times: Vec<Option<i64>> = rows.iter().map(|row| row.at).collect();
    scoped
        .client()?
        .execute(
            "INSERT INTO session_verdicts (org, id, number, rule, part, request, version, outcome, present, cause, at)
             SELECT $1, $2, r.* FROM unnest($3::int8[], $4::bytea[], $5::text[], $6::int8[], $7::text[], $8::text[],
                 $9::bool[], $10::text[], $11::int8[]) AS r",
            &[
                &&org.0[..],
                &id,
                &numbers,
                &rules,
                &parts,
                &requests,
                &versions,
                &outcomes,
                &present,
                &causes,
                &times,
            ],
        )
        .await?;
    Ok(())
}

/// The code that a rule is known by.
fn code_of(hub: &Hub, org: OrgId, rule: &Sha256) -> [u8; 32] {
    hub.keys.tag(RULE, org, &rule.0)
}

/// Takes the rules of the asking machine, and drops those that it does not name.
pub(crate) async fn put_session_rules(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    request: PutRules,
) -> Result<Done, Failure> {
    if request.rules.len() > MAX_RULES {
        return Err(invalid("Too many rules are sent."));
    }
    kept(scoped, caller.org, false).await?;
    let client = scoped.client()?;
    let of: [Value<'_>; 2] = [&&caller.org.0[..], &&caller.machine.0[..]];
    client.execute("DELETE FROM session_rules WHERE org = $1 AND machine = $2", &of).await?;
    for rule in &request.rules {
        named(&rule.kind)?;
        let text = match &rule.fields {
            Some(fields) => text_of(hub, scoped, place_of(caller.org, caller.machine), fields).await?,
            None => None,
        };
        let text = text.as_ref();
        client
            .execute(
                "INSERT INTO session_rules (org, machine, rule, kind, tokens, sha256, size, wrapped_key, bytes)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING",
                &[
                    of[0],
                    of[1],
                    &&code_of(hub, caller.org, &rule.rule)[..],
                    &rule.kind,
                    &number(rule.tokens)?,
                    &text.map(|text| &text.sha256[..]),
                    &text.map(|text| text.size),
                    &text.map(|text| &text.wrapped_key[..]),
                    &text.map(|text| &text.bytes[..]),
                ],
            )
            .await?;
    }
    Ok(Done {})
}

/// A text as it is kept.
pub(crate) struct Text {
    pub(crate) sha256: Vec<u8>,
    pub(crate) size: i64,
    pub(crate) wrapped_key: Vec<u8>,
    pub(crate) bytes: Vec<u8>,
}

/// Encrypts a text; `None` for one that was redacted, which stays out.
pub(crate) async fn text_of(
    hub: &Hub,
    scoped: &Scoped,
    place: Place,
    content: &PackedContent,
) -> Result<Option<Text>, Failure> {
    let size = usize::try_from(content.size).unwrap_or(usize::MAX);
    let raw = (size <= m::MAX_CONTENT_BYTES)
        .then(|| zstd::bulk::decompress(&content.packed.0, size).ok())
        .flatten()
        .filter(|raw| raw.len() == size && Sha256::of(raw) == content.sha256);
    if raw.is_none() {
        return Err(Failure::refused(m::ALTERED, "A text of a session does not have its hash."));
    }
    if redactions::KeptOut::is_out(hub, scoped, place.org, &content.sha256).await? {
        return Ok(None);
    }
    let sealed = hub.keys.seal(place, &content.sha256, &content.packed.0)?;
    Ok(Some(Text {
        sha256: content.sha256.0.to_vec(),
        size: number(content.size)?,
        wrapped_key: sealed.wrapped_key,
        bytes: sealed.bytes,
    }))
}

/// Takes entries for the end of a part of a session. Those that are here already are left as they are.
pub(crate) async fn put_entries(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    request: PutEntries,
) -> Result<EntriesTaken, Failure> {
    if request.entries.len() > MAX_ENTRIES {
        return Err(invalid("A thousand entries at most are sent at once."));
    }
    if request.session.is_empty() {
        return Err(invalid("A session has an id."));
    }
    [&request.session, &request.part].into_iter().try_for_each(|text| named(text))?;
    kept(scoped, caller.org, true).await?;
    let id = session_of(scoped, caller, &request.session).await?;
    let client = scoped.client()?;
    let of: [Value<'_>; 3] = [&&caller.org.0[..], &id, &request.part];
    let here: i64 = client
        .query_one(
            "SELECT coalesce(max(number), 0) FROM session_entries WHERE org = $1 AND id = $2 AND part = $3",
            &of,
        )
        .await?
        .get(0);
    let after = number(request.after)?;
    let known = usize::try_from(here.saturating_sub(after)).unwrap_or(0);
    // What would leave a gap is not taken: the machine goes on from what the answer says.
    if after > here || known >= request.entries.len() {
        return Ok(EntriesTaken { entries: u64::try_from(here).unwrap_or(0) });
    }
    let mut rows = EntryRows::default();
    for (number, entry) in (here + 1..).zip(&request.entries[known..]) {
        let text = match &entry.content {
            Some(content) => text_of(hub, scoped, place_of(caller.org, caller.machine), content).await?,
            None => None,
        };
        rows.add(number, None, text);
    }
    let taken = rows.insert(scoped, caller.org, id, &request.part).await?;
    audit::note(scoped, caller, "put_entries", &format!("{} {taken}", request.session)).await?;
    Ok(EntriesTaken { entries: u64::try_from(here).unwrap_or(0) + taken })
}

/// The row of a session of the asking machine, locked; made where there is none.
async fn session_of(scoped: &Scoped, caller: &Caller, session: &str) -> Result<i64, Failure> {
    let client = scoped.client()?;
    let of: [Value<'_>; 3] = [&&caller.org.0[..], &&caller.machine.0[..], &session];
    client
        .execute(
            "INSERT INTO sessions (org, machine, session, agent, received_at) VALUES ($1, $2, $3, '', $4)
             ON CONFLICT DO NOTHING",
            &[of[0], of[1], of[2], &now()],
        )
        .await?;
    // Until it was told as a whole again, it did not come to its end.
    let row = client
        .query_one(
            "UPDATE sessions SET digest = NULL WHERE org = $1 AND machine = $2 AND scope = '' AND session = $3 RETURNING id",
            &of,
        )
        .await?;
    Ok(row.get(0))
}

/// Entries about to be written.
#[derive(Default)]
pub(crate) struct EntryRows {
    numbers: Vec<i64>,
    uuids: Vec<Option<String>>,
    hashes: Vec<Option<Vec<u8>>>,
    sizes: Vec<Option<i64>>,
    wrapped: Vec<Option<Vec<u8>>>,
    bytes: Vec<Option<Vec<u8>>>,
}

impl EntryRows {
    pub(crate) fn add(&mut self, number: i64, uuid: Option<String>, text: Option<Text>) {
        self.numbers.push(number);
        self.uuids.push(uuid);
        self.sizes.push(text.as_ref().map(|text| text.size));
        let (hash, wrapped, bytes) = match text {
            Some(text) => (Some(text.sha256), Some(text.wrapped_key), Some(text.bytes)),
            None => (None, None, None),
        };
        self.hashes.push(hash);
        self.wrapped.push(wrapped);
        self.bytes.push(bytes);
    }

    pub(crate) async fn insert(
        self,
        scoped: &Scoped,
        org: OrgId,
        id: i64,
        part: &str,
    ) -> Result<u64, Failure> {
        let taken = scoped
            .client()?
            .execute(
                include_str!("../../statements/session_entries.sql"),
                &[
                    &&org.0[..],
                    &id,
                    &part,
                    &now(),
                    &self.numbers,
                    &self.uuids,
                    &self.hashes,
                    &self.sizes,
                    &self.wrapped,
                    &self.bytes,
                ],
            )
            .await?;
        Ok(taken)
    }
}
