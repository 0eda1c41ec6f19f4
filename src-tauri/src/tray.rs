//! The icon beside the clock and its menu. There may be none: some desktops show no tray, and on Linux the library that
//! talks to it may be missing. Then nothing here fails, and [`is_shown`] says so.

use crate::background::Background;
use crate::badge::{self, Marks, Picture};
use crate::words::Words;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tauri::image::Image;
use tauri::menu::{Menu, MenuItem, PredefinedMenuItem};
use tauri::tray::{TrayIcon, TrayIconBuilder};
use tauri::{AppHandle, Manager as _, Runtime};

const OPEN: &str = "open";
const PAUSE: &str = "pause";
const QUIT: &str = "quit";

/// Large enough for a panel of twice the usual height on a screen of twice the usual density; panels make it smaller.
const PICTURE: Image<'_> = tauri::include_image!("../icons/128x128.png");

/// Longest wait for the session's bus to tell whether there is a tray.
const PATIENCE: Duration = Duration::from_secs(1);

/// Shown state of the tray.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    /// Number of unreviewed memories.
    pub to_review: u64,
    /// The line about it.
    pub to_review_line: String,
    /// The line about the last write.
    pub last_write_line: String,
    /// True if recording is paused.
    pub paused: bool,
}

/// A tray that was made.
pub(crate) struct Tray<R: Runtime> {
    icon: TrayIcon<R>,
    /// Marks of the picture.
    marks: Mutex<Marks>,
    review: MenuItem<R>,
    written: MenuItem<R>,
    open: MenuItem<R>,
    pause: MenuItem<R>,
    quit: MenuItem<R>,
}

impl<R: Runtime> Tray<R> {
    /// Makes the tray; `None` where the system has no way to. Pictures are kept in `folder` where the desktop reads them from
    /// files; without one, in a place that other windows share. To be called on the main thread.
    pub(crate) fn make(handle: &AppHandle<R>, words: &Words, folder: Option<&Path>) -> Option<Self> {
        // The library for trays is searched for when it is first used, and a missing one is a panic there.
        catch_unwind(AssertUnwindSafe(|| Self::try_make(handle, words, folder).ok())).ok().flatten()
    }

    fn try_make(handle: &AppHandle<R>, words: &Words, folder: Option<&Path>) -> tauri::Result<Self> {
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
                PAUSE => pause_or_resume(handle),
                QUIT => crate::end(handle),
                _ => {}
            },
        );
        icon = icon.icon(PICTURE);
        if let Some(folder) = folder {
            icon = icon.temp_dir_path(folder);
        }
        let marks = Mutex::default();
        Ok(Self { icon: icon.build(handle)?, marks, review, written, open, pause, quit })
    }

    /// Shows something else. What a desktop refuses stays as it is.
    pub(crate) fn show(&self, shown: &Shown, words: &Words) {
        let pause = if shown.paused { words.resume } else { words.pause };
        let set = [
            self.mark(Marks { to_review: shown.to_review, paused: shown.paused }),
            self.icon.set_tooltip(Some(format!("Retrace: {}", shown.to_review_line))),
            self.review.set_text(&shown.to_review_line),
            self.written.set_text(&shown.last_write_line),
            self.open.set_text(words.open_inbox),
            self.pause.set_text(pause),
            self.quit.set_text(words.quit),
        ];
        drop(set);
    }

    /// Shows the number beside the picture where every desktop does so, and in it elsewhere.
    fn mark(&self, marks: Marks) -> tauri::Result<()> {
        let mut shown = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        if *shown == marks {
            return Ok(());
        }
        let in_picture = if cfg!(target_os = "macos") {
            self.icon.set_title((marks.to_review > 0).then(|| marks.to_review.to_string()))?;
            Marks { to_review: 0, ..marks }
        } else {
            marks
        };
        let base =
            Picture { rgba: PICTURE.rgba().to_vec(), width: PICTURE.width(), height: PICTURE.height() };
        let Picture { rgba, width, height } = badge::drawn(&base, in_picture);
        self.icon.set_icon(Some(Image::new_owned(rgba, width, height)))?;
        *shown = marks;
        Ok(())
    }
}

/// Off the main thread: what is being recorded is waited for.
fn pause_or_resume<R: Runtime>(handle: &AppHandle<R>) {
    let background = Arc::clone(&handle.state::<Arc<Background<R>>>());
    tauri::async_runtime::spawn_blocking(move || background.toggle_pause());
}

/// True if the desktop shows trays at present. Elsewhere than on Linux every desktop does.
#[cfg(not(target_os = "linux"))]
pub fn is_shown() -> bool {
    true
}

/// True if the desktop shows trays at present: whether somebody watches for them on the session's bus.
#[cfg(target_os = "linux")]
pub(crate) fn is_shown() -> bool {
    const WATCHER: &str = "org.kde.StatusNotifierWatcher";
    const PATH: &str = "/StatusNotifierWatcher";
    let ask = || -> zbus::Result<bool> {
        let bus = zbus::blocking::connection::Builder::session()?.method_timeout(PATIENCE).build()?;
        let watcher = zbus::blocking::Proxy::new(&bus, WATCHER, PATH, WATCHER)?;
        watcher.get_property("IsStatusNotifierHostRegistered")
    };
    ask().unwrap_or(false)
}
