//! The app: the engine with the state of each feature.

use crate::commands::check::CachedChecker;
use crate::item_findings::FindingsCache;
use crate::keys::KeyStore;
use crate::lab::Lab;
use crate::options::AppOptions;
use crate::origins::Origins;
use crate::wire::{ApiError, Event};
use retrace_engine::Engine;
use retrace_engine::recorder::{Recording, Upkeep};
pub(crate) use retrace_engine::{lock, path_from_bytes, path_to_bytes, root_of};
use retrace_hosted::Hosted;
use retrace_model::{StoreId, Timestamp};
use retrace_redact::{Held, KeptTexts, PurgeUpkeep, Redactions};
use retrace_served::Served;
use std::collections::HashMap;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, Weak};

/// The log with everything commands need around it. Cheap to share between threads.
pub struct App {
    pub(crate) inner: Arc<Inner>,
}

/// The engine with the state of the features that have no crate of their own.
pub(crate) struct Inner {
    engine: Arc<Engine>,
    /// Where the key for exact counts is kept.
    pub(crate) keys: Arc<dyn KeyStore>,
    pub(crate) redactions: Arc<Redactions>,
    pub(crate) served: Arc<Served>,
    pub(crate) hosted: Arc<Hosted>,
    pub(crate) lab: Lab,
    /// The join of versions with transcripts.
    pub(crate) origins: Origins,
    /// Last findings of each store, so that only changed files are checked anew.
    pub(crate) checkers: Mutex<HashMap<StoreId, CachedChecker>>,
    /// The repository each store is about, and when that was asked.
    pub(crate) repositories: Mutex<HashMap<StoreId, (Timestamp, Option<PathBuf>)>>,
    /// Findings of what the inbox showed.
    pub(crate) findings_cache: FindingsCache,
}

impl Deref for Inner {
    type Target = Arc<Engine>;

    fn deref(&self) -> &Arc<Engine> {
        &self.engine
    }
}

impl KeptTexts for Inner {
    fn forget_memories(&self) {
        self.findings_cache.forget();
    }

    fn forget_transcripts(&self) -> Box<dyn Held + '_> {
        self.lab.loaded.forget();
        // Titles of sessions may hold the secret, and their index is in the data directory: it is made anew.
        self.lab.index.cancel();
        let no_pass = self.origins.forget();
        self.lab.index.forget(self);
        Box::new(no_pass)
    }
}

impl AsRef<Redactions> for App {
    fn as_ref(&self) -> &Redactions {
        &self.inner.redactions
    }
}

impl AsRef<Arc<Served>> for App {
    fn as_ref(&self) -> &Arc<Served> {
        &self.inner.served
    }
}

impl AsRef<Arc<Hosted>> for App {
    fn as_ref(&self) -> &Arc<Hosted> {
        &self.inner.hosted
    }
}

impl AsRef<Self> for App {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl AsRef<Arc<Engine>> for App {
    fn as_ref(&self) -> &Arc<Engine> {
        &self.inner.engine
    }
}

impl AsRef<Engine> for App {
    fn as_ref(&self) -> &Engine {
        &self.inner.engine
    }
}

impl App {
    /// Opens the log, and makes it when there is none.
    ///
    /// # Errors
    /// [`Code::DatabaseNewer`], [`Code::DatabaseDamaged`], [`Code::CannotWrite`] or [`Code::Busy`]. Nothing is changed
    /// then.
    ///
    /// [`Code::DatabaseNewer`]: crate::wire::Code::DatabaseNewer
    /// [`Code::DatabaseDamaged`]: crate::wire::Code::DatabaseDamaged
    /// [`Code::CannotWrite`]: crate::wire::Code::CannotWrite
    /// [`Code::Busy`]: crate::wire::Code::Busy
    pub fn open(options: AppOptions) -> Result<Self, ApiError> {
        let AppOptions { engine, keys, hosts } = options;
        let engine = Engine::open(engine)?;
        let redactions = Arc::new(Redactions::new(Arc::clone(&engine)));
        let app = Self {
            inner: Arc::new(Inner {
                served: Arc::new(Served::new(Arc::clone(&engine), Arc::clone(&redactions))),
                redactions,
                hosted: Arc::new(Hosted::new(Arc::clone(&engine), hosts)),
                engine,
                keys,
                lab: Lab::default(),
                origins: Origins::default(),
                checkers: Mutex::new(HashMap::new()),
                repositories: Mutex::new(HashMap::new()),
                findings_cache: FindingsCache::default(),
            }),
        };
        let texts: Weak<dyn KeptTexts> = Arc::downgrade(&(Arc::clone(&app.inner) as Arc<dyn KeptTexts>));
        app.inner.redactions.forget_with(texts);
        let texts: Weak<dyn KeptTexts> =
            Arc::downgrade(&(Arc::clone(&app.inner.served) as Arc<dyn KeptTexts>));
        app.inner.redactions.forget_with(texts);
        // Where that fails, on a full disk perhaps, the log can be used all the same: receipts say what is pending.
        drop(app.inner.redactions.finish_purges());
        drop(app.inner.finish_baselines());
        Ok(app)
    }

    /// Takes whatever log is in the data directory for the one that is kept there from now on, a new one where there is none.
    ///
    /// # Errors
    /// `cannot_write` or `internal`.
    pub fn accept_log(options: &AppOptions) -> Result<(), ApiError> {
        Engine::accept_log(options)
    }

    /// What is served to other programs, for [`crate::store_api::StoreService`].
    #[must_use]
    pub fn served(&self) -> &Arc<Served> {
        &self.inner.served
    }

    /// Where the log is.
    #[must_use]
    pub fn data_dir(&self) -> PathBuf {
        self.inner.options.data_dir.clone()
    }

    /// Waits until everything that calls changed is on the disk. Dropping the app does so too, and where
    /// [`retrace_engine::EngineOptions::flushing`] says so, a thread does it shortly after each call.
    ///
    /// # Errors
    /// A failure of the database. What is not on the disk stays noted in the log.
    pub fn flush(&self) -> Result<(), ApiError> {
        self.inner.flush_now()
    }

    /// Events from now on. The first listener starts a thread that also notices what other processes append.
    #[must_use]
    pub fn subscribe(&self) -> Receiver<Event> {
        self.inner.subscribe()
    }

    /// Starts recording the stores on the list, or those named, until the answer is stopped or dropped.
    ///
    /// # Errors
    /// `busy` when another process records with this data directory, `not_found` for an unknown store.
    pub fn record(&self, stores: &[String]) -> Result<Recording, ApiError> {
        let upkeep: Vec<Box<dyn Upkeep>> = vec![
            Box::new(PurgeUpkeep::new(Arc::clone(&self.inner.redactions))),
            Box::new(crate::origins::JoinUpkeep::new(Arc::clone(&self.inner))),
        ];
        self.inner.record(stores, upkeep)
    }
}

impl Drop for App {
    fn drop(&mut self) {
        self.inner.close();
    }
}
