//! Keys with which agents use the hub's Memory Stores; an owner's machine makes them.

use crate::acts::{self, Act};
use crate::member::Member;
use retrace_model::Timestamp;
use retrace_sync::agents::{AgentToken, AgentTokenId, AgentTokenMade, AgentTokens, NewAgentToken};
use retrace_sync::messages::Done;
use retrace_wire::{
    ApiError, HubAgentToken, HubAgentTokenMade, HubAgentTokenRef, HubAgentTokenReq, HubAgentTokens, Nothing,
};

fn shown(token: AgentToken) -> HubAgentToken {
    let time = |at| Timestamp::from_micros(at).to_rfc3339();
    HubAgentToken {
        id: token.id,
        store: token.store,
        store_name: token.store_name,
        read_only: token.read_only,
        created_at: time(token.created_at),
        revoked_at: token.revoked_at.map(time),
    }
}

fn all(tokens: AgentTokens) -> HubAgentTokens {
    HubAgentTokens { tokens: tokens.tokens.into_iter().map(shown).collect() }
}

/// Makes a key with which an agent uses one memory store of the hub, or all of them.
///
/// # Errors
/// `not_found` when no hub is joined or it has no such store, `invalid` for a name that is taken or is none,
/// `content_redacted` for one that holds what was redacted here, `key_refused` on a machine that is not an owner's,
/// `store_unavailable`.
pub fn hub_agent_token(member: &Member, request: HubAgentTokenReq) -> Result<HubAgentTokenMade, ApiError> {
    let hub = member.hub()?;
    let HubAgentTokenReq { store, read_only, name } = request;
    // The audit log would keep it for good.
    member.refuse_redacted("name", name.as_deref())?;
    let about = store.clone().or_else(|| name.clone()).unwrap_or_else(|| "key".to_owned());
    let ask = NewAgentToken { store, read_only, name };
    let made: AgentTokenMade = hub.ask_about("agent_token", &ask, &about)?;
    Ok(HubAgentTokenMade { token: made.token, made: shown(made.made) })
}

/// Every key that was ever made for an agent.
///
/// # Errors
/// `not_found` when no hub is joined, `key_refused` on a machine that is not an owner's, `store_unavailable`.
pub fn hub_agent_tokens(member: &Member, _: Nothing) -> Result<HubAgentTokens, ApiError> {
    let hub = member.hub()?;
    let tokens: AgentTokens = hub.ask("agent_tokens", &Done {})?;
    Ok(all(tokens))
}

/// Ends a key of an agent: its next request is refused.
///
/// # Errors
/// `not_found` when no hub is joined or it has no such key, `key_refused` on a machine that is not an owner's,
/// `store_unavailable`.
pub fn hub_agent_token_revoke(
    member: &Member,
    request: HubAgentTokenRef,
) -> Result<HubAgentTokens, ApiError> {
    let hub = member.hub()?;
    let ask = AgentTokenId { id: request.id };
    let tokens: AgentTokens = hub.ask_about("revoke_agent_token", &ask, &ask.id)?;
    acts::note(member, &hub, Act::key(&ask.id))?;
    Ok(all(tokens))
}
