//! Background work of the app: keeps the tray and the messages in step with the log, on a thread of its own. It
//! decides nothing about which messages come; the program does.

use crate::EVENT;
use crate::messages::{self, Message};
use crate::tray::{self, Registration, Shown, Tray};
use crate::window;
use crate::words::{Language, Words};
use chrono::{DateTime, Local, Timelike as _};
use retrace_link::wire::{
    ApiError, DesktopLook, DesktopLookReq, DesktopSettings, DesktopState, Event, Nothing,
};
use retrace_link::{Link, ask};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tauri::{AppHandle, Emitter as _, Runtime};

/// Changes that come within so long of each other are looked at together: agents write several files in one go.
const GATHER: Duration = Duration::from_millis(800);

/// Time for a tray to take the icon, which it does in a few milliseconds where nothing else runs.
const TO_REGISTER: Duration = Duration::from_secs(2);

/// Icons that are made at most until a tray takes one.
const MAX_TRAYS: u32 = 4;

/// Names the milliseconds after which a session is quiet, so that tests need not wait for minutes.
const TEST_QUIET_VARIABLE: &str = "RETRACE_TEST_QUIET_MS";

/// Background work of the app.
pub(crate) struct Background<R: Runtime> {
    handle: AppHandle<R>,
    program: Arc<Link>,
    /// Wakes the thread.
    wake: Sender<()>,
    /// Taken out of the lock before anything is shown in it: that is done by the main thread, which may not wait for who waits
    /// for it.
    tray: Mutex<Option<Made<R>>>,
    /// Where the tray's pictures are kept.
    pictures: OnceLock<PathBuf>,
    /// Number of trays that were made.
    trays_made: AtomicU32,
    /// True if the desktop showed the tray when it was last asked; asking takes a call to another process.
    tray_is_shown: AtomicBool,
    chosen: Mutex<Chosen>,
}

/// A tray, and when it was made.
struct Made<R: Runtime> {
    tray: Arc<Tray<R>>,
    at: Instant,
}

#[derive(Default)]
struct Chosen {
    settings: DesktopSettings,
    messages_problem: Option<String>,
}

impl<R: Runtime> Background<R> {
    /// Neither a tray nor a thread yet. What is sent to the other end of `wake` makes the thread look.
    pub(crate) fn new(handle: AppHandle<R>, program: Arc<Link>, wake: Sender<()>) -> Self {
        let chosen = Mutex::default();
        Self {
            handle,
            program,
            wake,
            tray: Mutex::new(None),
            pictures: OnceLock::new(),
            trays_made: AtomicU32::new(0),
            tray_is_shown: AtomicBool::new(false),
            chosen,
        }
    }

    /// Makes the tray, where there can be one. To be called on the main thread.
    /// Its pictures are kept in `pictures`, a directory of this process alone, where the desktop reads them from files.
    pub(crate) fn make_tray(&self, pictures: Option<&Path>) {
        if let Some(pictures) = pictures {
            let _ = self.pictures.set(pictures.to_owned());
        }
        let number = self.trays_made.fetch_add(1, Ordering::Relaxed);
        let made = lock(&self.tray).take();
        if let Some(made) = made {
            made.tray.remove(&self.handle);
        }
        let pictures = self.pictures.get().map(PathBuf::as_path);
        if let Some(tray) = Tray::make(&self.handle, self.words(), pictures, number) {
            *lock(&self.tray) = Some(Made { tray: Arc::new(tray), at: Instant::now() });
            // The thread may have looked already, when there was nothing to show it in.
            self.update_soon();
        }
    }

    /// Makes the tray anew where the desktop shows trays and did not take this one. Returns how long to wait before it is
    /// asked again.
    fn mend_tray(self: &Arc<Self>) -> Option<Duration> {
        let at = lock(&self.tray).as_ref().map(|made| made.at)?;
        if self.ask_for_tray() != Registration::Missing {
            return None;
        }
        let wait = to_wait(at.elapsed(), self.trays_made.load(Ordering::Relaxed))?;
        if wait.is_zero() {
            let background = Arc::clone(self);
            drop(self.handle.run_on_main_thread(move || background.make_tray(None)));
        }
        Some(wait.max(GATHER))
    }

    /// Follows the log until the sender of `woken` is gone. Blocks.
    pub(crate) fn follow(self: &Arc<Self>, woken: &Receiver<()>) {
        loop {
            // A log that cannot be read is told of by the window; here the next event is waited for.
            let due = self.update().ok().flatten();
            let due = [due, self.mend_tray()].into_iter().flatten().min().unwrap_or(Duration::MAX);
            let asked = woken.recv_timeout(due.min(until_tomorrow(Local::now())));
            if asked == Err(RecvTimeoutError::Disconnected) {
                return;
            }
            gather(woken);
        }
    }

    /// True if closing the window leaves the app running.
    pub(crate) fn stays_when_closed(&self) -> bool {
        let is_wanted = lock(&self.chosen).settings.keep_in_tray;
        if is_wanted {
            // A panel may have come or gone since the last scan, and without one there is no way back to the window.
            self.ask_for_tray();
        }
        is_wanted && self.has_tray()
    }

    /// Stops recording, or goes on with it.
    /// Waits for what is being recorded.
    pub(crate) fn toggle_pause(&self) {
        // Where it does not work, the tray and the page show that it is as it was.
        drop(self.program.set_paused(!self.program.is_paused()));
        // The page asks how it stands.
        let _ = self.handle.emit(EVENT, Event::Stores);
        self.update_soon();
    }

    /// Chosen settings, and what this desktop can do.
    ///
    /// # Errors
    /// Why the log, and what is kept beside it, cannot be opened.
    pub(crate) fn state(&self) -> Result<DesktopState, ApiError> {
        let settings: DesktopSettings = self.program.ask(ask::SETTINGS, &Nothing {})?;
        self.ask_for_tray();
        let (tray, paused) = (self.has_tray(), self.program.is_paused());
        let mut chosen = lock(&self.chosen);
        chosen.settings.clone_from(&settings);
        Ok(DesktopState { settings, tray, paused, messages_problem: chosen.messages_problem.clone() })
    }

    /// Keeps what was chosen.
    ///
    /// # Errors
    /// Why it cannot be kept.
    pub(crate) fn set(&self, settings: &DesktopSettings) -> Result<DesktopState, ApiError> {
        let _: DesktopSettings = self.program.ask(ask::SET_SETTINGS, settings)?;
        let state = self.state()?;
        self.update_soon();
        Ok(state)
    }

    fn update_soon(&self) {
        // The thread is gone only when the app ends.
        let _ = self.wake.send(());
    }

    fn ask_for_tray(&self) -> Registration {
        let registration = tray::registration();
        let is_shown = match registration {
            Registration::NoTray => false,
            // Not every desktop lists the icons it shows.
            Registration::Missing => self.trays_made.load(Ordering::Relaxed) >= MAX_TRAYS,
            Registration::Shown => true,
        };
        self.tray_is_shown.store(is_shown, Ordering::Relaxed);
        registration
    }

    fn has_tray(&self) -> bool {
        lock(&self.tray).is_some() && self.tray_is_shown.load(Ordering::Relaxed)
    }

    fn words(&self) -> &'static Words {
        let language = lock(&self.chosen).settings.language.as_deref().map(Language::of);
        language.unwrap_or_else(Language::of_system).words()
    }

    /// Brings the tray and the messages up to date. Gives after how long a next message may be due.
    fn update(self: &Arc<Self>) -> Result<Option<Duration>, ApiError> {
        self.state()?;
        let look: DesktopLook = self.program.ask(ask::LOOK, &DesktopLookReq { quiet_ms: quiet_ms() })?;
        self.show(&look);
        for notice in &look.notices {
            self.tell(messages::worded(notice, self.words()));
        }
        Ok(look.next_ms.map(Duration::from_millis))
    }

    /// Shows a message on a thread of its own: the service may be slow, and is waited for until the message is gone.
    fn tell(self: &Arc<Self>, message: Message) {
        let (handle, background) = (self.handle.clone(), Arc::clone(self));
        let shown = move |problem| lock(&background.chosen).messages_problem = problem;
        let work = move || messages::show(&message, shown, || window::show_inbox(&handle));
        if let Err(error) = std::thread::Builder::new().name("retrace-message".to_owned()).spawn(work) {
            lock(&self.chosen).messages_problem = Some(error.to_string());
        }
    }

    fn show(&self, look: &DesktopLook) {
        let words = self.words();
        let at = look.last_write.as_deref().and_then(|at| DateTime::parse_from_rfc3339(at).ok());
        let shown = Shown {
            to_review: look.unreviewed,
            to_review_line: words.to_review(look.unreviewed),
            last_write_line: words.last_write(at.map(DateTime::<Local>::from), Local::now()),
            paused: self.program.is_paused(),
        };
        let tray = lock(&self.tray).as_ref().map(|made| Arc::clone(&made.tray));
        if let Some(tray) = tray {
            tray.show(&shown, words);
            // Only the main thread may take it away, and it may have been replaced meanwhile.
            drop(self.handle.run_on_main_thread(move || drop(tray)));
        }
    }
}

/// Quiet time of a session before its digest, in milliseconds, where a test names one.
fn quiet_ms() -> Option<u64> {
    std::env::var(TEST_QUIET_VARIABLE).ok().and_then(|value| value.parse().ok())
}

/// Until the day changes, and with it how the tray says when memory was written last. A look too soon or too late, where a
/// clock is set forward or back, does no harm.
fn until_tomorrow(now: DateTime<Local>) -> Duration {
    const DAY: u32 = 24 * 60 * 60;
    Duration::from_secs(u64::from(DAY.saturating_sub(now.num_seconds_from_midnight()).max(1)))
}

/// Waits until nothing more comes for a moment, but not for ever.
fn gather(woken: &Receiver<()>) {
    let end = Instant::now() + GATHER;
    while woken.recv_timeout(end.saturating_duration_since(Instant::now())).is_ok() {}
}

/// Time to wait for the tray to take an icon that it did not take in `elapsed`: none where another is to be made, and `None` where
/// enough of them were.
fn to_wait(elapsed: Duration, trays_made: u32) -> Option<Duration> {
    (trays_made < MAX_TRAYS).then(|| TO_REGISTER.saturating_sub(elapsed))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Set in one step, so a panic elsewhere leaves it whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_icon_that_no_tray_takes_is_made_again_a_few_times() {
        assert_eq!(to_wait(Duration::ZERO, 1), Some(TO_REGISTER));
        assert_eq!(to_wait(TO_REGISTER / 2, 1), Some(TO_REGISTER / 2));
        assert_eq!(to_wait(TO_REGISTER, 1), Some(Duration::ZERO));
        assert_eq!(to_wait(Duration::MAX, MAX_TRAYS - 1), Some(Duration::ZERO));
        assert_eq!(to_wait(Duration::MAX, MAX_TRAYS), None);
    }
}
