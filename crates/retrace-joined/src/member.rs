//! Who asks a hub: a machine that joined it, or a window that the hub itself serves. Commands that need no machine take either.

use crate::client::Hub;
use crate::window::Window;
use crate::{Together, commands, state};
use retrace_engine::Engine;
use retrace_log::LogError;
use retrace_outbound::Cancel;
use retrace_sync::people::SignedIn;
use retrace_sync::roles::Role;
use retrace_wire::{ApiError, Finding, HubStatus};
use std::sync::Arc;

/// Who asks a hub.
#[derive(Clone)]
pub struct Member(Who);

#[derive(Clone)]
enum Who {
    Machine(Arc<Together>),
    Window(Arc<Window>),
}

impl Member {
    /// A machine, whether it joined a hub or not.
    #[must_use]
    pub fn machine(together: Arc<Together>) -> Self {
        Self(Who::Machine(together))
    }

    /// A window that somebody signed in to.
    #[must_use]
    pub fn window(window: Arc<Window>) -> Self {
        Self(Who::Window(window))
    }

    /// The log of a machine; none of a window.
    pub(crate) fn engine(&self) -> Option<&Arc<Engine>> {
        match &self.0 {
            Who::Machine(together) => Some(together),
            Who::Window(_) => None,
        }
    }

    /// The hub, to be asked by this member.
    pub(crate) fn hub(&self) -> Result<Hub, ApiError> {
        match &self.0 {
            Who::Machine(inner) => {
                let joined = state::joined(inner)?;
                let key = state::machine_key(inner)?;
                Hub::joined(inner, &joined, key, &Cancel::new())
                    .map_err(|error| error.of_command(&joined.url))
            }
            Who::Window(window) => window.hub(),
        }
    }

    /// Who the person is, as far as nobody signed in at the identity provider.
    pub(crate) fn person(&self) -> String {
        match &self.0 {
            Who::Machine(together) => together.options.user.clone(),
            Who::Window(window) => window.person(),
        }
    }

    /// Refuses a text that holds what was redacted on this machine. A window knows of nothing that was.
    pub(crate) fn refuse_redacted(&self, field: &str, text: Option<&str>) -> Result<(), ApiError> {
        let (Some(inner), Some(text)) = (self.engine(), text) else { return Ok(()) };
        match inner.tags()?.brings_back(None, text.as_bytes()) {
            true => Err(LogError::KeptOut(field.to_owned()).into()),
            false => Ok(()),
        }
    }

    /// What the rules find in a content: on a machine by the rules as they are set there, in a window by all that are usually on.
    pub(crate) fn findings(&self, path: &str, bytes: &[u8]) -> Vec<Finding> {
        match &self.0 {
            Who::Machine(together) => together.review.findings_of_content(path, bytes),
            Who::Window(_) => retrace_review::findings_by_usual_rules(path, bytes),
        }
    }

    /// Keeps who is signed in. Of a window the hub alone knows it.
    pub(crate) fn keep_person(&self, person: Option<&SignedIn>) -> Result<(), ApiError> {
        let Some(inner) = self.engine() else { return Ok(()) };
        state::update_all(inner, |member| member.person = person.cloned())?;
        inner.stores_changed();
        Ok(())
    }

    /// Keeps the role that this member has now. Of a window the hub alone knows it.
    pub(crate) fn keep_role(&self, role: Role) -> Result<(), ApiError> {
        let Some(inner) = self.engine() else { return Ok(()) };
        state::update_all(inner, |member| role.as_str().clone_into(&mut member.role))?;
        inner.stores_changed();
        Ok(())
    }

    pub(crate) fn status(&self) -> Result<HubStatus, ApiError> {
        match &self.0 {
            Who::Machine(inner) => commands::status(inner),
            Who::Window(window) => window.status(),
        }
    }
}
