//! Memory that other programs write through this one: the memory tool, and the Memory Stores API.
//!
//! [`Served`] is the engine with the state of this feature. Each call is done and recorded in one step, with its session or its
//! key as the author. Deliberately absent: transports; whether a key is right.
//!
//! ```
//! use retrace_engine::{Engine, EngineOptions};
//! use retrace_redact::Redactions;
//! use retrace_served::Served;
//! use retrace_served::store_api::{StoreRequest, StoreService};
//! use std::sync::Arc;
//!
//! # let directory = tempfile::tempdir().expect("a directory");
//! let engine = Engine::open(EngineOptions::for_this_machine(Some(directory.path().to_path_buf()))?)?;
//! let redactions = Arc::new(Redactions::new(Arc::clone(&engine)));
//! let served = Arc::new(Served::new(engine, redactions));
//! let service = StoreService::start(&served, false)?;
//! let answer = service.answer(&StoreRequest {
//!     method: "GET".to_owned(),
//!     path: "/v1/memory_stores".to_owned(),
//!     betas: vec!["agent-memory-2026-07-22".to_owned()],
//!     ..StoreRequest::default()
//! });
//! assert_eq!(answer.status, 200);
//! # Ok::<(), retrace_wire::ApiError>(())
//! ```

#![allow(clippy::needless_pass_by_value, reason = "a command consumes its request, whatever it does with it")]

mod api_stores;
mod guard;
mod memory_tool;
pub mod store_api;

pub use api_stores::{mount_store, share_store};
pub use memory_tool::memory_tool;

use retrace_engine::kept_texts::KeptTexts;
use retrace_engine::{Engine, flush, kept_out, live_files, origin_lines, roots, stores};
use retrace_redact::Redactions;
use retrace_wire as wire;
use std::ops::Deref;
use std::sync::Arc;
use store_api::TextCache;

/// The engine with the state of what is served.
pub struct Served {
    engine: Arc<Engine>,
    redactions: Arc<Redactions>,
    /// Texts that clients of the Memory Stores API read.
    text_cache: TextCache,
}

impl Served {
    /// What is served from this log. The answer is to be given to [`Engine::forget_with`].
    #[must_use]
    pub fn new(engine: Arc<Engine>, redactions: Arc<Redactions>) -> Self {
        Self { engine, redactions, text_cache: TextCache::default() }
    }
}

impl Deref for Served {
    type Target = Arc<Engine>;

    fn deref(&self) -> &Arc<Engine> {
        &self.engine
    }
}

impl KeptTexts for Served {
    fn forget_memories(&self) {
        self.text_cache.forget();
    }
}
