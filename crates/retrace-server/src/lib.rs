//! The commands of Retrace over HTTP, with their events and the window's files. Used by `retrace serve` and by the desktop.
//!
//! | route | |
//! | --- | --- |
//! | `POST /api/v1/{command}` | any command of [`retrace_api::COMMANDS`]: its request as JSON in, its response as JSON out |
//! | `GET /api/v1/commands` | the list of commands |
//! | `GET /api/v1/events` | [`retrace_api::wire::Event`]s as server-sent events, the present cursor first |
//! | `/v1/memory_stores…` | the Memory Stores API, for the official clients |
//! | `GET /openapi.json` | what that API is |
//! | `GET /healthz` | whether the server answers; says nothing else |
//! | `GET` anything else | a file of the window |
//!
//! A hub serves [`HubWindow`] beside its own routes: the same files, and the commands that need no machine, for whoever signed in.
//!
//! Deliberately absent: logic. A request is unpacked, the command is called on a blocking thread, the answer is written.
//!
//! Invariants: it listens on a loopback address only, unless it was given a certificate or told in so many words to do without; every route below `/api` and `/v1` wants the token; a request under another
//! host's name or from another origin is refused before anything is looked at (a page in the user's browser can reach
//! loopback addresses, and can make any name resolve to one); every refusal has the same envelope,
//! `{"error":{code,message,hint,subject}}`, below `/v1` that of the API; every answer carries the same strict headers; a file of the window is found by
//! its exact name in a table, never by a path on disk.
//!
//! ```no_run
//! use retrace_api::{App, AppOptions};
//! use retrace_server::{Assets, StartOptions, Transport, start};
//! use std::sync::Arc;
//!
//! let options = AppOptions::for_this_machine(Some("data".into()))?;
//! let entropy = options.entropy.clone();
//! let server = start(
//!     Arc::new(App::open(options)?),
//!     StartOptions {
//!         listen: "127.0.0.1:0".into(),
//!         transport: Transport::ThisMachine,
//!         hosts: Vec::new(),
//!         token_file: "data/token".into(),
//!         assets: Assets::of_this_program(),
//!         legacy_stores: false,
//!         entropy,
//!     },
//! )?;
//! println!("open {}", server.url());
//! server.stop();
//! # Ok::<(), retrace_api::wire::ApiError>(())
//! ```

#[cfg(test)]
mod adversarial;
mod assets;
mod calls;
mod events;
mod guard;
mod hub_window;
mod listen;
mod places;
mod reply;
mod router;
mod serve;
mod stall;
mod stores;
#[cfg(test)]
mod tests;
mod tls;
mod token;
mod tries;

pub use assets::Assets;
pub use guard::{AllowedHosts, CONTENT_SECURITY_POLICY};
pub use hub_window::{HubWindow, SESSION_COOKIE};
pub use router::{ROUTES, ServerOptions, router};
pub use serve::{Entropy, Running, StartOptions, start};
pub use tls::Transport;
pub use token::{Token, TokenFile};
