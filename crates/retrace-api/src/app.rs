//! The app: the engine with the state of each feature.

use crate::commands::check::CachedChecker;
use crate::item_findings::FindingsCache;
use crate::options::AppOptions;
use crate::wire::{ApiError, Event};
use retrace_engine::Engine;
use retrace_engine::kept_texts::KeptTexts;
use retrace_engine::recorder::{Recording, Upkeep};
pub(crate) use retrace_engine::{lock, root_of};
use retrace_history::{History, JoinUpkeep};
use retrace_hosted::Hosted;
use retrace_import::Imports;
use retrace_lab::Lab;
use retrace_model::{StoreId, Timestamp};
use retrace_redact::{PurgeUpkeep, Redactions};
use retrace_served::Served;
use std::collections::HashMap;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};

/// The log with everything commands need around it. Cheap to share between threads.
pub struct App {
    pub(crate) inner: Arc<Inner>,
}

/// The engine with the state of the features that have no crate of their own.
pub(crate) struct Inner {
    engine: Arc<Engine>,
    pub(crate) redactions: Arc<Redactions>,
    pub(crate) served: Arc<Served>,
    pub(crate) hosted: Arc<Hosted>,
    pub(crate) lab: Arc<Lab>,
    pub(crate) history: Arc<History>,
    pub(crate) imports: Arc<Imports>,
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

impl AsRef<Arc<Lab>> for App {
    fn as_ref(&self) -> &Arc<Lab> {
        &self.inner.lab
    }
}

impl AsRef<Arc<History>> for App {
    fn as_ref(&self) -> &Arc<History> {
        &self.inner.history
    }
}

impl AsRef<Arc<Imports>> for App {
    fn as_ref(&self) -> &Arc<Imports> {
        &self.inner.imports
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
        let lab = Arc::new(Lab::new(Arc::clone(&engine), keys));
        let app = Self {
            inner: Arc::new(Inner {
                served: Arc::new(Served::new(Arc::clone(&engine), Arc::clone(&redactions))),
                redactions,
                hosted: Arc::new(Hosted::new(Arc::clone(&engine), hosts)),
                history: Arc::new(History::new(Arc::clone(&engine), Arc::clone(&lab))),
                imports: Arc::new(Imports::new(Arc::clone(&engine), Arc::clone(&lab))),
                lab,
                engine,
                checkers: Mutex::new(HashMap::new()),
                repositories: Mutex::new(HashMap::new()),
                findings_cache: FindingsCache::default(),
            }),
        };
        app.inner.forget_with(&app.inner);
        app.inner.forget_with(&app.inner.served);
        app.inner.forget_with(&app.inner.history);
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
            Box::new(JoinUpkeep::new(Arc::clone(&self.inner.history))),
        ];
        self.inner.record(stores, upkeep)
    }
}

impl Drop for App {
    fn drop(&mut self) {
        self.inner.close();
    }
}
