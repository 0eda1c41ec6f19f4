//! The window of a hub: puts the one that `retrace-server` has beside the hub of `retrace-hub`.

use clap::Args;
use retrace_api::Door;
use retrace_api::wire::{ApiError, Message};
use retrace_hub::{Beside, Inside, WINDOW_HOURS};
use retrace_server::{Assets, HubWindow};
use std::sync::Arc;

/// Most hours that a window lasts: thirty days.
const MAX_HOURS: u32 = 720;

/// The window of a hub.
#[derive(Args)]
pub(crate) struct Options {
    /// Serve a window to browsers: who opens the address signs in with a token of an owner, or at the identity provider
    #[arg(long)]
    window: bool,
    /// A name that browsers reach it by, with or without a port; requests for other hosts are refused
    #[arg(long, value_name = "NAME", requires = "window")]
    host: Vec<String>,
    /// Hours that a window lasts which a token opened
    #[arg(long, value_name = "HOURS", default_value_t = WINDOW_HOURS, requires = "window")]
    window_hours: u32,
}

impl Options {
    /// What is served beside the hub, and how long a window lasts.
    pub(crate) fn told(self) -> Result<(Option<Beside>, u32), ApiError> {
        if self.window_hours == 0 || self.window_hours > MAX_HOURS {
            let message = Message::verbatim("A window lasts 1 to 720 hours.");
            return Err(ApiError::invalid(message, "--window-hours"));
        }
        if !self.window {
            return Ok((None, self.window_hours));
        }
        let window = HubWindow::new(&self.host, Assets::of_this_program())?;
        Ok((Some(beside(window)), self.window_hours))
    }
}

/// A window as what is served beside a hub.
pub fn beside(window: HubWindow) -> Beside {
    Beside::new(move |inside| {
        let (address, encrypted) = (inside.address(), inside.is_encrypted());
        window.routes(Arc::new(AtHub(inside)), address, encrypted)
    })
}

/// The hub, as its window asks it.
struct AtHub(Inside);

impl Door for AtHub {
    fn org(&self) -> String {
        self.0.org()
    }

    fn now(&self) -> i64 {
        self.0.now()
    }

    fn random(&self) -> Option<[u8; 32]> {
        self.0.random()
    }

    fn seal(&self, about: &[u8], text: &[u8]) -> Option<Vec<u8>> {
        self.0.seal(about, text)
    }

    fn open(&self, about: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
        self.0.open(about, sealed)
    }

    fn answer(&self, path: &str, headers: &[(&str, String)], body: Vec<u8>) -> (u16, Vec<u8>) {
        self.0.answer(path, headers, body)
    }
}
