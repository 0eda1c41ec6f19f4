//! Keys of agents: who asks, and what a key gives.

use super::Stop;
use crate::Failure;
use crate::audit;
use crate::database::{Scoped, now};
use crate::requests::{Caller, invalid};
use crate::routes::Hub;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use retrace_model::{OrgId, Sha256, StoreId};
use retrace_store_api::{Call, Kind, Refusal, Refused};
use retrace_sync::agents::{
    AgentToken, AgentTokenId, AgentTokenMade, AgentTokens, MAX_NAME, NewAgentToken, is_name,
};
use retrace_sync::messages as m;

/// What the id of a key begins with, as the API has it.
const PREFIX: &str = "apikey_";

/// A key as a request shows it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown {
    pub(super) org: OrgId,
    sha256: Sha256,
}

/// The key of an agent among what a request shows.
pub(super) fn token_in(shown: &[u8]) -> Option<Shown> {
    let (org, _) = std::str::from_utf8(shown).ok()?.strip_prefix("rtagent_")?.split_once('_')?;
    Some(Shown { org: OrgId::parse(&format!("org_{org}")).ok()?, sha256: Sha256::of(shown) })
}

/// Who asks.
#[derive(Clone, Debug)]
pub(super) struct Agent {
    pub(super) org: OrgId,
    /// Id of the key.
    pub(super) id: String,
    /// The one store that the key is for; all without.
    pub(super) store: Option<StoreId>,
    pub(super) read_only: bool,
}

/// The agent that a key is of.
pub(super) async fn agent(scoped: &Scoped, shown: &Shown) -> Result<Agent, Stop> {
    let client = scoped.client()?;
    let find =
        "SELECT id, store, read_only FROM agent_tokens WHERE org = $1 AND sha256 = $2 AND revoked_at IS NULL";
    let row = client.query_opt(find, &[&&shown.org.0[..], &&shown.sha256.0[..]]).await?;
    let row = row.ok_or_else(|| Refused::Key.refusal())?;
    let store = row.get::<_, Option<Vec<u8>>>(1).map(<[u8; 16]>::try_from).transpose();
    let store = store.map_err(|_| Failure::Database("an id is damaged".into()))?.map(StoreId);
    Ok(Agent { org: shown.org, id: row.get(0), store, read_only: row.get(2) })
}

impl Agent {
    /// Whether the key gives what is asked for. Of a store that it is not for it is not said that it exists.
    pub(super) fn allows(&self, call: &Call) -> Result<(), Refusal> {
        if let (Some(mine), Some(store)) = (self.store, store_of(call))
            && mine != store
        {
            return Err(Refusal::not_found("memory store", &store.to_string()));
        }
        if self.read_only && call.writes() {
            return Err(Refusal::new(Kind::Permission, "This key may read only."));
        }
        let of_memories =
            matches!(call, Call::CreateMemory(..) | Call::UpdateMemory(..) | Call::DeleteMemory(..));
        if self.store.is_some() && call.writes() && !of_memories {
            let only = "This key may change the memories of its store, not the store itself or its history.";
            return Err(Refusal::new(Kind::Permission, only));
        }
        Ok(())
    }
}

fn store_of(call: &Call) -> Option<StoreId> {
    match call {
        Call::CreateStore(_) | Call::ListStores(_) | Call::ListTools => None,
        Call::GetStore(store)
        | Call::UpdateStore(store, _)
        | Call::DeleteStore(store)
        | Call::ArchiveStore(store)
        | Call::CreateMemory(store, _)
        | Call::ListMemories(store, _)
        | Call::GetMemory(store, ..)
        | Call::UpdateMemory(store, ..)
        | Call::DeleteMemory(store, ..)
        | Call::ListVersions(store, _)
        | Call::GetVersion(store, ..)
        | Call::RedactVersion(store, _)
        | Call::Tool(store, _) => Some(*store),
    }
}

/// The store of the API that an owner names, by id or by name.
async fn named(scoped: &Scoped, org: OrgId, store: &str) -> Result<(StoreId, String), Failure> {
    let id = StoreId::parse(store).map(|id| id.0.to_vec()).unwrap_or_default();
    // No name has a control character, and a text of the database no NUL.
    let store: String = store.chars().filter(|letter| !letter.is_control()).collect();
    let rows = scoped
        .client()?
        .query(
            "SELECT store, name FROM api_stores WHERE org = $1 AND deleted_at IS NULL AND (store = $2 OR name = $3)
             ORDER BY store <> $2, place LIMIT 2",
            &[&&org.0[..], &id, &store],
        )
        .await?;
    let found = |row: &tokio_postgres::Row| -> Result<(StoreId, String), Failure> {
        Ok((StoreId(crate::requests::id16(row, 0)?), row.get(1)))
    };
    match rows.as_slice() {
        [] => Err(Failure::refused(m::NOT_FOUND, "The hub has no memory store of this name or id.")),
        [row] => found(row),
        [row, ..] if row.get::<_, Vec<u8>>(0) == id => found(row),
        _ => Err(invalid("Several memory stores have this name: give the id.")),
    }
}

/// Makes a key. It is told once; its hash is kept.
pub(crate) async fn agent_token(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    request: NewAgentToken,
) -> Result<AgentTokenMade, Failure> {
    let store = match &request.store {
        Some(store) => Some(named(scoped, caller.org, store).await?),
        None => None,
    };
    let name = match request.name {
        Some(name) if is_name(&name) => name,
        Some(_) => {
            return Err(invalid(&format!(
                "A name has 1 to {MAX_NAME} letters, digits, dots, hyphens and underscores."
            )));
        }
        None => URL_SAFE_NO_PAD.encode(hub.keys.random::<12>()?),
    };
    let (id, at) = (format!("{PREFIX}{name}"), now());
    let org = &caller.org.to_string()["org_".len()..];
    let token = format!("rtagent_{org}_{}", URL_SAFE_NO_PAD.encode(hub.keys.random::<32>()?));
    let inserted = scoped
        .client()?
        .execute(
            "INSERT INTO agent_tokens (org, id, sha256, store, read_only, created_at, created_by)
             VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (org, id) DO NOTHING",
            &[
                &&caller.org.0[..],
                &id,
                &&Sha256::of(token.as_bytes()).0[..],
                &store.as_ref().map(|(store, _)| store.0.to_vec()),
                &request.read_only,
                &at,
                &&caller.machine.0[..],
            ],
        )
        .await?;
    if inserted == 0 {
        return Err(invalid("A key has or had this name. Names are not used again: give another one."));
    }
    audit::note(scoped, caller, "agent_token", &id).await?;
    let token_info = AgentToken {
        id,
        store: store.as_ref().map(|(store, _)| store.to_string()),
        store_name: store.map(|(_, name)| name),
        read_only: request.read_only,
        created_at: at,
        revoked_at: None,
    };
    Ok(AgentTokenMade { token, made: token_info })
}

/// Every key that was ever made, the newest first.
pub(crate) async fn agent_tokens(scoped: &Scoped, caller: &Caller) -> Result<AgentTokens, Failure> {
    let rows = scoped
        .client()?
        .query(
            "SELECT t.id, t.store, s.name, t.read_only, t.created_at, t.revoked_at FROM agent_tokens t
             LEFT JOIN api_stores s ON s.org = t.org AND s.store = t.store
             WHERE t.org = $1 ORDER BY t.created_at DESC, t.id",
            &[&&caller.org.0[..]],
        )
        .await?;
    let token = |row: &tokio_postgres::Row| AgentToken {
        id: row.get(0),
        store: row
            .get::<_, Option<Vec<u8>>>(1)
            .and_then(|store| <[u8; 16]>::try_from(store).ok())
            .map(|store| StoreId(store).to_string()),
        store_name: row.get(2),
        read_only: row.get(3),
        created_at: row.get(4),
        revoked_at: row.get(5),
    };
    Ok(AgentTokens { tokens: rows.iter().map(token).collect() })
}

/// Ends a key; the next request that shows it is refused. Once more changes nothing.
pub(crate) async fn revoke_agent_token(
    scoped: &Scoped,
    caller: &Caller,
    request: AgentTokenId,
) -> Result<AgentTokens, Failure> {
    let id = if request.id.starts_with(PREFIX) { request.id } else { format!("{PREFIX}{}", request.id) };
    let known = id.strip_prefix(PREFIX).is_some_and(is_name);
    let found = if !known {
        0
    } else {
        scoped
            .client()?
            .execute(
                "UPDATE agent_tokens SET revoked_at = coalesce(revoked_at, $3) WHERE org = $1 AND id = $2",
                &[&&caller.org.0[..], &id, &now()],
            )
            .await?
    };
    if found == 0 {
        return Err(Failure::refused(m::NOT_FOUND, "The hub has no key of this id."));
    }
    audit::note(scoped, caller, "revoke_agent_token", &id).await?;
    agent_tokens(scoped, caller).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use retrace_model::{MemoryId, VersionId};
    use retrace_store_api::{CreateStore, DeleteMemory, ListStores, View};

    const MINE: StoreId = StoreId([1; 16]);
    const OTHER: StoreId = StoreId([2; 16]);

    fn agent(store: Option<StoreId>, read_only: bool) -> Agent {
        Agent { org: OrgId([9; 16]), id: "apikey_a".to_owned(), store, read_only }
    }

    fn refused(agent: &Agent, call: &Call) -> Option<Kind> {
        agent.allows(call).err().map(|refusal| refusal.kind)
    }

    #[test]
    fn a_key_gives_what_it_was_made_for() {
        let memory = MemoryId([3; 16]);
        let list = ListStores { since: None, until: None, include_archived: false, limit: 20, after: None };
        let new = CreateStore {
            name: "n".to_owned(),
            description: String::new(),
            metadata: serde_json::Map::new(),
        };
        let version = VersionId { seq: 1, fingerprint: [0; 8] };
        let read = |store| Call::GetMemory(store, memory, View::Full);
        let write = |store| Call::DeleteMemory(store, memory, DeleteMemory { expected: None });
        let manage = [
            Call::CreateStore(new),
            Call::ArchiveStore(MINE),
            Call::DeleteStore(MINE),
            Call::RedactVersion(MINE, version),
        ];
        let (one, reader) = (agent(Some(MINE), false), agent(Some(MINE), true));
        let (all, all_reader) = (agent(None, false), agent(None, true));
        for agent in [&one, &reader, &all, &all_reader] {
            assert_eq!(refused(agent, &read(MINE)), None);
            assert_eq!(refused(agent, &Call::ListStores(list.clone())), None);
        }
        assert_eq!(refused(&one, &write(MINE)), None);
        assert_eq!(refused(&all, &write(OTHER)), None);
        for agent in [&reader, &all_reader] {
            assert_eq!(refused(agent, &write(MINE)), Some(Kind::Permission));
        }
        for agent in [&one, &reader] {
            for call in [read(OTHER), write(OTHER), Call::DeleteStore(OTHER), Call::GetStore(OTHER)] {
                assert_eq!(refused(agent, &call), Some(Kind::NotFound));
            }
        }
        for call in &manage {
            assert_eq!(refused(&all, call), None);
            for agent in [&one, &reader, &all_reader] {
                assert_eq!(refused(agent, call), Some(Kind::Permission), "{call:?}");
            }
        }
    }

    #[test]
    fn a_key_names_its_organisation() {
        let org = OrgId([7; 16]);
        let text = format!("rtagent_{}_secret", &org.to_string()["org_".len()..]);
        let shown = token_in(text.as_bytes()).expect("a key");
        assert_eq!((shown.org, shown.sha256), (org, Sha256::of(text.as_bytes())));
        for other in ["", "rtagent_", "rtagent_x_y", "rthub_x_y", "sk-1"] {
            assert!(token_in(other.as_bytes()).is_none(), "{other}");
        }
        assert!(token_in(&[0xff, 0xfe]).is_none());
    }
}
