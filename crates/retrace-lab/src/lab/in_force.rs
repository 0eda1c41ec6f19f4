//! The setting that was in force while a run was recorded.

use crate::lab::loaded::Loaded;
use crate::wire;
use retrace_context::Setting;
use retrace_context::deployed::setting_in_force;
use retrace_message::Message;
use serde_json::Value;

/// Name of what ran, among variants.
pub(crate) const NAME: &str = "as it ran";

/// A setting in force.
pub(crate) struct InForce {
    /// As the requests carry it.
    pub config: Value,
    /// The same, read; none where this version does not know it. What ran stays what was recorded.
    pub setting: Setting,
    /// What it does.
    pub what: Message,
    /// Requests that carry exactly it.
    requests: u64,
}

impl InForce {
    /// As clients see it.
    pub(crate) fn shown(self) -> wire::InForce {
        wire::InForce { config: self.config, what: self.what, requests: self.requests }
    }
}

/// The setting in force; `None` where the requests carry none, or one that does nothing.
pub(crate) fn of(loaded: &Loaded) -> Option<InForce> {
    let transcript = loaded.transcript();
    let config = setting_in_force(transcript)?;
    let (setting, what) = match Setting::from_json(&config) {
        Ok(setting) if setting.is_none() => return None,
        Ok(setting) => {
            let what = say::as_it_ran(setting.in_words());
            (setting, what)
        }
        Err(_) => (Setting::default(), say::as_it_ran_unknown()),
    };
    let carried = &config["context_management"];
    let is_it = |parameters: &Value| parameters.get("context_management") == Some(carried);
    let requests = transcript.requests.iter().filter(|request| is_it(&request.parameters)).count() as u64;
    Some(InForce { setting, what, requests, config })
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "in_force";
    as_it_ran(what) => "as it ran: {what}",
    as_it_ran_unknown() => "as it ran: a setting that is not known here",
}
