//! What the app does beside its window: keeps the tray and the messages in step with the log, on a thread of its own. It
//! decides nothing about which messages come; that is [`retrace_api::notices`].

use crate::program::Program;
use crate::tray::{self, Shown, Tray};
use crate::window;
use crate::words::{Language, Words};
use crate::{EVENT, messages};
use chrono::{DateTime, Local};
use retrace_api::App;
use retrace_api::notices::Notices;
use retrace_api::wire::{ApiError, DesktopSettings, DesktopState, Event, InboxReq, Nothing};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tauri::{AppHandle, Emitter as _, Runtime};

/// Changes that come within so long of each other are looked at together: agents write several files in one go.
const GATHER: Duration = Duration::from_millis(800);

/// Items looked at. More of them at once are counted, but not named.
const ITEMS: u64 = 200;

/// What the app does beside its window.
pub struct Beside<R: Runtime> {
    handle: AppHandle<R>,
    program: Arc<Program>,
    /// Wakes the thread.
    wake: Sender<()>,
    tray: Mutex<Option<Tray<R>>>,
    /// Whether the desktop showed a tray when it was last asked; asking takes a call to another process.
    tray_is_shown: AtomicBool,
    chosen: Mutex<Chosen>,
}

#[derive(Default)]
struct Chosen {
    settings: DesktopSettings,
    messages_problem: Option<String>,
}

impl<R: Runtime> Beside<R> {
    /// Neither a tray nor a thread yet. What is sent to the other end of `wake` makes the thread look.
    pub fn new(handle: AppHandle<R>, program: Arc<Program>, wake: Sender<()>) -> Self {
        let chosen = Mutex::default();
        Self { handle, program, wake, tray: Mutex::new(None), tray_is_shown: AtomicBool::new(false), chosen }
    }

    /// Makes the tray, where there can be one. To be called on the main thread.
    pub fn make_tray(&self) {
        *lock(&self.tray) = Tray::make(&self.handle, self.words());
    }

    /// Follows the log until the sender of `woken` is gone. Blocks.
    pub fn follow(self: &Arc<Self>, woken: &Receiver<()>) {
        let begun = Instant::now();
        let mut notices = Notices::new();
        loop {
            let now = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
            // A log that cannot be read is told of by the window; here the next event is waited for.
            drop(self.look(&mut notices, now));
            let asked = match notices.due() {
                Some(due) => woken.recv_timeout(Duration::from_millis(due.saturating_sub(now))),
                None => woken.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            if asked == Err(RecvTimeoutError::Disconnected) {
                return;
            }
            gather(woken);
        }
    }

    /// Whether closing the window leaves the app running.
    pub fn stays_when_closed(&self) -> bool {
        lock(&self.chosen).settings.keep_in_tray && self.has_tray()
    }

    /// Stops recording, or goes on with it.
    pub fn toggle_pause(&self) {
        self.program.set_paused(!self.program.is_paused());
        // The page asks how it stands.
        let _ = self.handle.emit(EVENT, Event::Stores);
        self.look_soon();
    }

    /// What was chosen, and what this desktop can do.
    ///
    /// # Errors
    /// Why the log, and what is kept beside it, cannot be opened.
    pub fn state(&self) -> Result<DesktopState, ApiError> {
        let settings = self.program.app()?.desktop_settings()?;
        self.tray_is_shown.store(tray::is_shown(), Ordering::Relaxed);
        let mut chosen = lock(&self.chosen);
        chosen.settings.clone_from(&settings);
        Ok(DesktopState {
            settings,
            tray: self.has_tray(),
            paused: self.program.is_paused(),
            messages_problem: chosen.messages_problem.clone(),
        })
    }

    /// Keeps what was chosen.
    ///
    /// # Errors
    /// Why it cannot be kept.
    pub fn set(&self, settings: &DesktopSettings) -> Result<DesktopState, ApiError> {
        self.program.app()?.set_desktop_settings(settings)?;
        let state = self.state()?;
        self.look_soon();
        Ok(state)
    }

    fn look_soon(&self) {
        // The thread is gone only when the app ends.
        let _ = self.wake.send(());
    }

    fn has_tray(&self) -> bool {
        lock(&self.tray).is_some() && self.tray_is_shown.load(Ordering::Relaxed)
    }

    fn words(&self) -> &'static Words {
        let language = lock(&self.chosen).settings.language.as_deref().map(Language::of);
        language.unwrap_or_else(Language::of_system).words()
    }

    /// Brings the tray and the messages up to date.
    fn look(self: &Arc<Self>, notices: &mut Notices, now: u64) -> Result<(), ApiError> {
        let app = self.program.app()?;
        let settings = self.state()?.settings;
        self.show(&app)?;
        let page = InboxReq { limit: Some(ITEMS), ..InboxReq::default() };
        let inbox = retrace_api::commands::inbox(&app, page)?;
        for notice in notices.look(&inbox, &settings, now) {
            let message = messages::worded(&notice, self.words());
            let handle = self.handle.clone();
            let shown = messages::show(&message, move || window::show_inbox(&handle));
            lock(&self.chosen).messages_problem = shown.err();
        }
        Ok(())
    }

    fn show(&self, app: &App) -> Result<(), ApiError> {
        let status = retrace_api::commands::status(app, Nothing {})?;
        let words = self.words();
        let at = status.last_write.as_deref().and_then(|at| DateTime::parse_from_rfc3339(at).ok());
        let shown = Shown {
            to_review: status.unreviewed,
            to_review_line: words.to_review(status.unreviewed),
            last_write_line: words.last_write(at.map(DateTime::<Local>::from), Local::now()),
            paused: self.program.is_paused(),
        };
        if let Some(tray) = &*lock(&self.tray) {
            tray.show(&shown, words);
        }
        Ok(())
    }
}

/// Waits until nothing more comes for a moment, but not for ever.
fn gather(woken: &Receiver<()>) {
    let end = Instant::now() + GATHER;
    while woken.recv_timeout(end.saturating_duration_since(Instant::now())).is_ok() {}
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Set in one step, so a panic elsewhere leaves it whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
