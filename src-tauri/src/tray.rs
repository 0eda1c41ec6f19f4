//! The icon beside the clock and its menu. There may be none: some desktops show no tray, and on Linux the library that
//! talks to it may be missing. Then nothing here fails, and [`registration`] says so.
//!
//! libayatana-appindicator 0.5.92 asks for the bus and for the watcher at the same time, and never registers an icon where the
//! watcher answers first. A tray without the icon of this process is therefore given a new one.

use crate::background::Background;
use crate::badge::{self, Marks, Picture};
use crate::words::Words;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tauri::image::Image;
use tauri::menu::{Menu, MenuEvent, MenuItem, PredefinedMenuItem};
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
    /// Makes the tray; `None` where the system has no way to. `number` is that of this tray among those of this process.
    /// Pictures are kept in `folder` where the desktop reads them from files; without one, in a place that other windows share.
    /// To be called on the main thread.
    pub(crate) fn make(
        handle: &AppHandle<R>,
        words: &Words,
        folder: Option<&Path>,
        number: u32,
    ) -> Option<Self> {
        // The library for trays is searched for when it is first used, and a missing one is a panic there.
        catch_unwind(AssertUnwindSafe(|| Self::try_make(handle, words, folder, number).ok())).ok().flatten()
    }

    /// Takes the icon out of the tray. To be called on the main thread.
    pub(crate) fn remove(&self, handle: &AppHandle<R>) {
        drop(self.icon.set_visible(false));
        drop(handle.remove_tray_by_id(self.icon.id()));
    }

    fn try_make(
        handle: &AppHandle<R>,
        words: &Words,
        folder: Option<&Path>,
        number: u32,
    ) -> tauri::Result<Self> {
        let item = |id: &str, text: &str, enabled| MenuItem::with_id(handle, id, text, enabled, None::<&str>);
        let line = || PredefinedMenuItem::separator(handle);
        let review = item("review", &words.to_review(0), false)?;
        let written = item("written", "", false)?;
        let open = item(OPEN, words.open_inbox, true)?;
        let pause = item(PAUSE, words.pause, true)?;
        let quit = item(QUIT, words.quit, true)?;
        let menu = Menu::with_items(handle, &[&review, &written, &line()?, &open, &pause, &line()?, &quit])?;
        // Each icon has a name of its own, which is also that of its picture's file.
        let id = format!("retrace-{number}");
        let mut icon = TrayIconBuilder::with_id(id).menu(&menu).tooltip("Retrace").icon(PICTURE);
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

/// Does what was chosen in the menu.
pub(crate) fn on_menu_event<R: Runtime>(handle: &AppHandle<R>, event: &MenuEvent) {
    match event.id().as_ref() {
        OPEN => crate::window::show_inbox(handle),
        PAUSE => pause_or_resume(handle),
        QUIT => crate::end(handle),
        _ => {}
    }
}

/// Off the main thread: what is being recorded is waited for.
fn pause_or_resume<R: Runtime>(handle: &AppHandle<R>) {
    let background = Arc::clone(&handle.state::<Arc<Background<R>>>());
    tauri::async_runtime::spawn_blocking(move || background.toggle_pause());
}

/// How the desktop shows the icon of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Registration {
    /// The desktop shows no tray at present.
    NoTray,
    /// There is a tray, which has no icon of this process.
    Missing,
    /// The tray has it.
    Shown,
}

/// Whether the tray has the icon of this process. Elsewhere than on Linux every desktop shows it.
#[cfg(not(target_os = "linux"))]
pub(crate) fn registration() -> Registration {
    Registration::Shown
}

/// Whether the tray has the icon of this process, as the watcher on the session's bus tells.
#[cfg(target_os = "linux")]
pub(crate) fn registration() -> Registration {
    linux::registration().unwrap_or(Registration::NoTray)
}

#[cfg(target_os = "linux")]
mod linux {
    use super::{PATIENCE, Registration};
    use zbus::blocking::{Connection, Proxy, connection, fdo::DBusProxy};
    use zbus::names::BusName;

    const WATCHER: &str = "org.kde.StatusNotifierWatcher";
    const PATH: &str = "/StatusNotifierWatcher";

    pub(super) fn registration() -> zbus::Result<Registration> {
        let connection = connection::Builder::session()?.method_timeout(PATIENCE).build()?;
        let watcher = Proxy::new(&connection, WATCHER, PATH, WATCHER)?;
        if !watcher.get_property::<bool>("IsStatusNotifierHostRegistered")? {
            return Ok(Registration::NoTray);
        }
        let items: Vec<String> = watcher.get_property("RegisteredStatusNotifierItems")?;
        Ok(if has_own(&connection, &items)? { Registration::Shown } else { Registration::Missing })
    }

    /// True if one of `items` belongs to this process. The bus is asked for its number, which is another one in a sandbox.
    fn has_own(connection: &Connection, items: &[String]) -> zbus::Result<bool> {
        let bus = DBusProxy::new(connection)?;
        let process = |name: &str| {
            let name = BusName::try_from(name).ok()?;
            bus.get_connection_unix_process_id(name).ok()
        };
        let own = connection.unique_name().and_then(|name| process(name.as_str()));
        Ok(own.is_some() && items.iter().any(|item| process(bus_name(item)) == own))
    }

    /// The name on the bus in an item, which is `NAME`, `NAME/PATH` or `NAME@/PATH`, as watchers write it.
    fn bus_name(item: &str) -> &str {
        item.split(['/', '@']).next().unwrap_or(item)
    }

    #[cfg(test)]
    mod tests {
        #[test]
        fn the_name_of_an_item_in_every_form() {
            for (item, name) in [
                (":1.490/org/ayatana/NotificationItem/retrace", ":1.490"),
                (":1.490@/org/ayatana/NotificationItem/retrace", ":1.490"),
                ("org.kde.StatusNotifierItem-2055-1", "org.kde.StatusNotifierItem-2055-1"),
            ] {
                assert_eq!(super::bus_name(item), name);
            }
        }
    }
}
