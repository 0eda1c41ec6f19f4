//! Calls about dreams.

use crate::error::RemoteError;
use crate::facts;
use crate::host::{Host, page_query, same, understood, wanted};
use crate::objects::{NewDream, Page, RemoteDream};
use crate::read::{self, Raw};
use retrace_outbound::{Call, Method};
use serde_json::json;

fn dream_path(dream: &str) -> Result<String, RemoteError> {
    wanted(dream, read::DREAM, say::dreams_id_drm())?;
    Ok(format!("/v1/dreams/{dream}"))
}

impl Host {
    /// A page of dreams, newest first.
    ///
    /// # Errors
    /// [`RemoteError`].
    pub fn dreams(
        &self,
        include_archived: bool,
        page: Option<&str>,
    ) -> Result<Page<RemoteDream>, RemoteError> {
        let mut query = page_query(page, facts::PAGE_MAX);
        if include_archived {
            query.push(("include_archived".into(), "true".into()));
        }
        let call = Call { query, ..Call::new(Method::Get, "/v1/dreams") };
        let answer = self.send(call, facts::DREAMS_BETA, facts::PAGE_BYTES, &[])?;
        understood(read::page(&answer.body, |raw: Raw| match raw {
            Raw::Dream(raw) => read::dream(raw).map(Some),
            _ => Ok(None),
        }))
    }

    /// One dream.
    ///
    /// # Errors
    /// [`RemoteError`].
    pub fn dream(&self, dream: &str) -> Result<RemoteDream, RemoteError> {
        self.dream_by(Call::new(Method::Get, dream_path(dream)?), Some(dream), &[])
    }

    /// Asks for a new dream. It runs at the host.
    ///
    /// # Errors
    /// [`RemoteError`].
    pub fn create_dream(&self, new: &NewDream) -> Result<RemoteDream, RemoteError> {
        wanted(&new.input_store, read::STORE, say::hosted_stores_id_memstore())?;
        for session in &new.sessions {
            wanted(session, read::SESSION, say::sessions_id_sesn())?;
        }
        let mut body = json!({
            "inputs": [
                {"type": "memory_store", "memory_store_id": new.input_store},
                {"type": "sessions", "session_ids": new.sessions},
            ],
            "model": new.model,
            "output_behavior": {"type": "create_new"},
        });
        if let Some(instructions) = &new.instructions {
            body["instructions"] = instructions.as_str().into();
        }
        if new.update_existing {
            body["output_behavior"] = json!({"type": "update_existing", "memory_store_id": new.input_store});
        }
        let call = Call { body: body.to_string().into_bytes(), ..Call::new(Method::Post, "/v1/dreams") };
        self.dream_by(call, None, new.instructions.as_deref().as_slice())
    }

    /// Stops a dream that has not ended; one that was stopped stays as it is.
    ///
    /// # Errors
    /// [`RemoteError`].
    pub fn cancel_dream(&self, dream: &str) -> Result<RemoteDream, RemoteError> {
        self.dream_by(Call::new(Method::Post, format!("{}/cancel", dream_path(dream)?)), Some(dream), &[])
    }

    /// Archives a dream that has ended; one that was archived stays as it is.
    ///
    /// # Errors
    /// [`RemoteError`].
    pub fn archive_dream(&self, dream: &str) -> Result<RemoteDream, RemoteError> {
        self.dream_by(Call::new(Method::Post, format!("{}/archive", dream_path(dream)?)), Some(dream), &[])
    }

    fn dream_by(&self, call: Call, asked: Option<&str>, sent: &[&str]) -> Result<RemoteDream, RemoteError> {
        let answer = self.send(call, facts::DREAMS_BETA, facts::OBJECT_BYTES, sent)?;
        understood(match read::json(&answer.body) {
            Ok(Raw::Dream(raw)) => {
                read::dream(raw).and_then(|dream| same(asked.is_none_or(|asked| dream.id == asked), dream))
            }
            Ok(_) => Err(say::not_dream()),
            Err(fault) => Err(fault),
        })
    }
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "dreams";
    dreams_id_drm() => "a dream's id (drm_…)",
    hosted_stores_id_memstore() => "a hosted store's id (memstore_…)",
    sessions_id_sesn() => "a session's id (sesn_…)",
    not_dream() => "it is not a dream",
}
