//! The app: the engine and every feature, wired together.

use crate::allocator::MemoryUpkeep;
use crate::options::AppOptions;
use crate::wire::{ApiError, Event, Opening};
use retrace_adherence::{LiveUpkeep, Rules};
use retrace_engine::Engine;
use retrace_engine::recorder::{Recording, Upkeep};
use retrace_health::{Checks, ProjectsUpkeep};
use retrace_history::{History, JoinUpkeep};
use retrace_hosted::Hosted;
use retrace_import::Imports;
use retrace_joined::{Member, SyncUpkeep, Together};
use retrace_lab::Lab;
use retrace_log::LogFiles;
use retrace_redact::{PurgeUpkeep, Redactions};
use retrace_review::{Review, TodayUpkeep};
use retrace_served::Served;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

/// The log with everything commands need around it. Cheap to share between threads.
pub struct App {
    pub(crate) engine: Arc<Engine>,
    redactions: Arc<Redactions>,
    served: Arc<Served>,
    pub(crate) hosted: Arc<Hosted>,
    pub(crate) lab: Arc<Lab>,
    history: Arc<History>,
    imports: Arc<Imports>,
    checks: Arc<Checks>,
    review: Arc<Review>,
    rules: Arc<Rules>,
    together: Arc<Together>,
    member: Member,
}

/// What a command of a feature asks of the app.
macro_rules! has {
    ($($field:ident: $feature:ty),+ $(,)?) => {
        $(
            impl AsRef<$feature> for App {
                fn as_ref(&self) -> &$feature {
                    &self.$field
                }
            }
        )+
    };
}

has! {
    engine: Engine,
    engine: Arc<Engine>,
    redactions: Redactions,
    served: Arc<Served>,
    hosted: Arc<Hosted>,
    lab: Arc<Lab>,
    history: Arc<History>,
    imports: Arc<Imports>,
    checks: Arc<Checks>,
    review: Arc<Review>,
    rules: Arc<Rules>,
    together: Arc<Together>,
    member: Member,
}

impl AsRef<Self> for App {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl App {
    /// Opens the log, and makes it when there is none.
    ///
    /// # Errors
    /// `database_newer`, `database_damaged`, `cannot_write` or `busy`. Nothing is changed then.
    pub fn open(options: AppOptions) -> Result<Self, ApiError> {
        let AppOptions { engine, keys, hosts } = options;
        let engine = Engine::open(engine)?;
        let redactions = Arc::new(Redactions::new(Arc::clone(&engine)));
        let served = Arc::new(Served::new(Arc::clone(&engine), Arc::clone(&redactions)));
        let hosted = Arc::new(Hosted::new(Arc::clone(&engine), hosts));
        let lab = Arc::new(Lab::new(Arc::clone(&engine), keys));
        let history = Arc::new(History::new(Arc::clone(&engine), Arc::clone(&lab)));
        let imports = Arc::new(Imports::new(Arc::clone(&engine), Arc::clone(&lab)));
        let checks = Arc::new(Checks::new(Arc::clone(&engine), Arc::clone(&lab)));
        let rules = Arc::new(Rules::new(Arc::clone(&engine), Arc::clone(&lab)));
        let review = Arc::new(Review::new(
            Arc::clone(&engine),
            Arc::clone(&checks),
            Arc::clone(&history),
            Arc::clone(&imports),
            Arc::clone(&rules),
        ));
        let together = Arc::new(Together::new(
            Arc::clone(&engine),
            Arc::clone(&redactions),
            Arc::clone(&review),
            Arc::clone(&lab),
            Arc::clone(&rules),
        ));
        let member = Member::machine(Arc::clone(&together));
        engine.forget_with(&rules);
        engine.forget_with(&checks);
        engine.forget_with(&served);
        engine.forget_with(&history);
        engine.forget_with(&review);
        // Where that fails, on a full disk perhaps, the log can be used all the same: receipts say what is pending.
        drop(redactions.finish_purges());
        drop(engine.finish_baselines());
        Ok(Self {
            engine,
            redactions,
            served,
            hosted,
            lab,
            history,
            imports,
            checks,
            review,
            rules,
            together,
            member,
        })
    }

    /// True if a log is kept in the data directory, or was: opening one there makes no new one.
    #[must_use]
    pub fn has_log(options: &AppOptions) -> bool {
        Engine::has_log(options)
    }

    /// True if anything was redacted in the log of the data directory, as its key beside the log says. The log is not opened.
    #[must_use]
    pub fn has_redacted(options: &AppOptions) -> bool {
        LogFiles::new(&options.data_dir).redaction_key().exists()
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
        &self.served
    }

    /// What one store holds at present, for whoever just added it.
    ///
    /// # Errors
    /// `not_found`, `invalid`.
    pub fn opening_of(&self, store: &str) -> Result<Opening, ApiError> {
        retrace_health::opening_of(&self.checks, store.to_owned())
    }

    /// Reviews, for [`crate::commands::InboxList`].
    #[must_use]
    pub fn review(&self) -> &Arc<Review> {
        &self.review
    }

    /// Where the log is.
    #[must_use]
    pub fn data_dir(&self) -> PathBuf {
        self.engine.options.data_dir.clone()
    }

    /// Waits until everything that calls changed is on the disk. Dropping the app does so too, and where
    /// [`retrace_engine::EngineOptions::flushing`] says so, a thread does it shortly after each call.
    ///
    /// # Errors
    /// A failure of the database. What is not on the disk stays noted in the log.
    pub fn flush(&self) -> Result<(), ApiError> {
        self.engine.flush_now()
    }

    /// Compares versions with the transcripts that may explain them, those that came since. While something records this is done behind
    /// it.
    ///
    /// # Errors
    /// A failure of the log.
    pub fn join_writers(&self) -> Result<(), ApiError> {
        retrace_history::joined(&self.history)
    }

    /// Events from now on. The first listener starts a thread that also notices what other processes append.
    #[must_use]
    pub fn subscribe(&self) -> Receiver<Event> {
        self.engine.subscribe()
    }

    /// Starts recording the stores on the list, or those named, until the answer is stopped or dropped.
    ///
    /// # Errors
    /// `busy` when another process records with this data directory, `not_found` for an unknown store.
    pub fn record(&self, stores: &[String]) -> Result<Recording, ApiError> {
        let upkeep: Vec<Box<dyn Upkeep>> = vec![
            Box::new(PurgeUpkeep::new(Arc::clone(&self.redactions))),
            Box::new(JoinUpkeep::new(Arc::clone(&self.history))),
            Box::new(ProjectsUpkeep::new(Arc::clone(&self.checks))),
            Box::new(LiveUpkeep::new(Arc::clone(&self.rules))),
            Box::new(TodayUpkeep::new(Arc::clone(&self.review))),
            Box::new(SyncUpkeep::new(Arc::clone(&self.together))),
            Box::new(MemoryUpkeep::new(Arc::clone(&self.engine))),
        ];
        self.engine.record(stores, upkeep)
    }
}

impl Drop for App {
    fn drop(&mut self) {
        self.engine.close();
    }
}
