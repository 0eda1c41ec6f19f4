//! What each request does, in one transaction. One file a subject.

mod chains;
mod contents;
pub(crate) mod copies;
mod members;
mod mend;
mod policy;
mod proposals;
mod redactions;
pub(crate) mod restored;
pub(crate) mod said;
mod sessions;
mod together;
mod versions;

pub(crate) use chains::{append, head, link_at, sign_head};
pub(crate) use contents::{contents, redact};
pub(crate) use copies::copy_refused;
pub(crate) use members::{
    caller, clock, hello, join, leave, machines, register, remove, set_role, token, told,
};
pub(crate) use mend::mend;
pub(crate) use policy::{audit, policy, policy_of, set_policy, store_that_is_not_there};
pub(crate) use proposals::{proposals, propose, settle, withdraw};
pub(crate) use redactions::{
    KeptOut, approve_order, beside_others, name, orders, receipt, recheck_order, redactions, replicas,
    search, search_texts,
};
pub(crate) use restored::acknowledge;
pub(crate) use said::said;
pub(crate) use sessions::{
    EntryRows, keep_to, keep_within, ledger, place_of, presence, put_entries, put_session_rules,
    put_sessions, search_sessions, sessions, sessions_known, text_of,
};
pub(crate) use together::{
    approve, comment, decisions, history, inbox, left, of_project, projects, remove_comment, show, waiting,
    withdrawn,
};
pub(crate) use versions::versions;

use crate::Failure;
use crate::people::Person;
use retrace_model::{MachineId, OrgId, Sha256, StoreId};
use retrace_sync::messages as m;
use retrace_sync::roles::Role;
use tokio_postgres::Row;

/// Who asks.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) org: OrgId,
    pub(crate) machine: MachineId,
    pub(crate) public_key: Vec<u8>,
    pub(crate) role: Role,
    /// The person who is signed in on the machine; of an agent, its key.
    pub(crate) person: Option<String>,
    /// The same, where a provider says so.
    pub(crate) verified: Option<Person>,
    /// True for a window that a hub process serves, which has no chain.
    pub(crate) is_window: bool,
}

impl Caller {
    /// The same machine with a person who signed in there.
    pub(crate) fn with(self, verified: Option<Person>) -> Self {
        Self { person: verified.as_ref().map(|person| person.shown.clone()), verified, ..self }
    }

    /// Who a person is: who signed in, with `true`, else who the machine says.
    pub(crate) fn who(&self, said: &str) -> (String, bool) {
        match &self.verified {
            Some(person) => (person.shown.clone(), true),
            None => (together::person_of(said), false),
        }
    }
}

pub(crate) fn invalid(message: &str) -> Failure {
    Failure::refused(m::INVALID, message)
}

pub(crate) fn store_id(text: &str) -> Result<StoreId, Failure> {
    StoreId::parse(text).map_err(|_| invalid("This is not the id of a store."))
}

pub(crate) fn number(value: u64) -> Result<i64, Failure> {
    i64::try_from(value).map_err(|_| invalid("A number is too large."))
}

pub(crate) fn digest(row: &Row, column: usize) -> Result<Sha256, Failure> {
    let bytes: Vec<u8> = row.try_get(column)?;
    bytes.try_into().map(Sha256).map_err(|_| Failure::Database("a digest is damaged".into()))
}

pub(crate) fn id16(row: &Row, column: usize) -> Result<[u8; 16], Failure> {
    let bytes: Vec<u8> = row.try_get(column)?;
    bytes.try_into().map_err(|_| Failure::Database("an id is damaged".into()))
}
