//! The icon beside the clock and its menu. There may be none: some desktops show no tray, and on Linux the library that
//! talks to it may be missing. Then nothing here fails, and [`is_shown`] says so.

use crate::beside::Beside;
use crate::words::Words;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use tauri::menu::{Menu, MenuItem, PredefinedMenuItem};
use tauri::tray::{TrayIcon, TrayIconBuilder};
use tauri::{AppHandle, Manager as _, Runtime};

const OPEN: &str = "open";
const PAUSE: &str = "pause";
const QUIT: &str = "quit";

/// What the tray shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// What is left to review.
    pub to_review: u64,
    /// The line about it.
    pub to_review_line: String,
    /// The line about the last write.
    pub last_write_line: String,
    /// Whether recording is paused.
    pub paused: bool,
}

/// A tray that was made.
pub struct Tray<R: Runtime> {
    icon: TrayIcon<R>,
    review: MenuItem<R>,
    written: MenuItem<R>,
    open: MenuItem<R>,
    pause: MenuItem<R>,
    quit: MenuItem<R>,
}

impl<R: Runtime> Tray<R> {
    /// Makes the tray; `None` where the system has no way to. To be called on the main thread.
    pub fn make(handle: &AppHandle<R>, words: &Words) -> Option<Self> {
        // The library for trays is looked for when it is first used, and a missing one is a panic there.
        catch_unwind(AssertUnwindSafe(|| Self::try_make(handle, words).ok())).ok().flatten()
    }

    fn try_make(handle: &AppHandle<R>, words: &Words) -> tauri::Result<Self> {
        let item = |id: &str, text: &str, enabled| MenuItem::with_id(handle, id, text, enabled, None::<&str>);
        let line = || PredefinedMenuItem::separator(handle);
        let review = item("review", &words.to_review(0), false)?;
        let written = item("written", "", false)?;
        let open = item(OPEN, words.open_inbox, true)?;
        let pause = item(PAUSE, words.pause, true)?;
        let quit = item(QUIT, words.quit, true)?;
        let menu = Menu::with_items(handle, &[&review, &written, &line()?, &open, &pause, &line()?, &quit])?;
        let mut icon = TrayIconBuilder::with_id("retrace").menu(&menu).tooltip("Retrace").on_menu_event(
            |handle, event| match event.id().as_ref() {
                OPEN => crate::window::show_inbox(handle),
                PAUSE => handle.state::<Arc<Beside<R>>>().toggle_pause(),
                QUIT => handle.exit(0),
                _ => {}
            },
        );
        if let Some(picture) = handle.default_window_icon() {
            icon = icon.icon(picture.clone());
        }
        Ok(Self { icon: icon.build(handle)?, review, written, open, pause, quit })
    }

    /// Shows something else. What a desktop refuses stays as it is.
    pub fn show(&self, shown: &Shown, words: &Words) {
        let badge = (shown.to_review > 0).then(|| shown.to_review.to_string());
        let pause = if shown.paused { words.resume } else { words.pause };
        let set = [
            self.icon.set_title(badge),
            self.icon.set_tooltip(Some(format!("Retrace: {}", shown.to_review_line))),
            self.review.set_text(&shown.to_review_line),
            self.written.set_text(&shown.last_write_line),
            self.open.set_text(words.open_inbox),
            self.pause.set_text(pause),
            self.quit.set_text(words.quit),
        ];
        drop(set);
    }
}

/// Whether the desktop shows trays at present. Elsewhere than on Linux every desktop does.
#[cfg(not(target_os = "linux"))]
pub fn is_shown() -> bool {
    true
}

/// Whether the desktop shows trays at present: whether somebody watches for them on the session's bus.
#[cfg(target_os = "linux")]
pub fn is_shown() -> bool {
    const WATCHER: &str = "org.kde.StatusNotifierWatcher";
    const PATH: &str = "/StatusNotifierWatcher";
    let ask = || -> zbus::Result<bool> {
        let bus = zbus::blocking::Connection::session()?;
        let watcher = zbus::blocking::Proxy::new(&bus, WATCHER, PATH, WATCHER)?;
        watcher.get_property("IsStatusNotifierHostRegistered")
    };
    ask().unwrap_or(false)
}
