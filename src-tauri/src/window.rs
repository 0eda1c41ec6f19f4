//! The one window: built from `tauri.conf.json`, and kept on the pages that ship inside the program.

use crate::GO;
use tauri::webview::{DownloadEvent, NewWindowResponse};
use tauri::{AppHandle, Emitter as _, Manager as _, Runtime, Url, WebviewWindowBuilder};

/// Says how the program is called to people: panels and their settings name a tray's icon by it.
#[cfg(target_os = "linux")]
pub(crate) fn name_the_program() {
    webkit2gtk::glib::set_application_name("Retrace");
}

/// Elsewhere the system knows from the package.
#[cfg(not(target_os = "linux"))]
pub fn name_the_program() {}

/// Opens the window.
///
/// # Errors
/// When the system refuses to make one.
pub(crate) fn open<R: Runtime>(handle: &AppHandle<R>) -> tauri::Result<()> {
    let config = handle.config().app.windows.first().ok_or(tauri::Error::WindowNotFound)?;
    let window = WebviewWindowBuilder::from_config(handle, config)?
        .on_navigation(|url| is_ours(url) || is_made_here(url))
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .on_download(|_, event| match event {
            // A receipt that is exported. It goes to the user's downloads, under a name that is free there.
            DownloadEvent::Requested { url, .. } => is_made_here(&url),
            _ => true,
        })
        .build()?;
    draw_directly_without_graphics_processor(&window);
    Ok(())
}

/// Where no graphics processor is, layers that a processor would put together cost more than they save: the inbox of ten
/// thousand scrolled at 50 frames a second with them and at 80 without (`tests/e2e/inbox-speed.mjs`). The web view then draws
/// into its window directly.
#[cfg(target_os = "linux")]
fn draw_directly_without_graphics_processor<R: Runtime>(window: &tauri::WebviewWindow<R>) {
    use webkit2gtk::{HardwareAccelerationPolicy, SettingsExt as _, WebViewExt as _};
    // Whoever asks for layers by the web view's own variable has a reason: its driver takes no pictures without them.
    if std::path::Path::new("/dev/dri").exists()
        || std::env::var_os("WEBKIT_FORCE_COMPOSITING_MODE").is_some()
    {
        return;
    }
    // A window without a web view to set is left as it is; nothing but speed hangs on it.
    drop(window.with_webview(|view| {
        if let Some(settings) = view.inner().settings() {
            settings.set_hardware_acceleration_policy(HardwareAccelerationPolicy::Never);
        }
    }));
}

#[cfg(not(target_os = "linux"))]
fn draw_directly_without_graphics_processor<R: Runtime>(_: &tauri::WebviewWindow<R>) {}

/// Brings the window to the front, as it is.
pub(crate) fn show<R: Runtime>(handle: &AppHandle<R>) {
    let Some(window) = handle.get_webview_window("main") else { return };
    // A refusal of the desktop, such as taking the focus, is left to the person.
    drop([window.show(), window.unminimize(), window.set_focus()]);
}

/// Brings the window to the front, on the inbox.
pub(crate) fn show_inbox<R: Runtime>(handle: &AppHandle<R>) {
    show(handle);
    drop(handle.emit(GO, "#/inbox"));
}

/// True if an address is a page that ships inside the program. Memory text is shown here and may hold any link.
fn is_ours(url: &Url) -> bool {
    match url.scheme() {
        "tauri" => url.host_str() == Some("localhost"),
        // Spelling of the same on Windows.
        "http" | "https" => url.host_str() == Some("tauri.localhost") && url.port().is_none(),
        _ => false,
    }
}

/// True if an address stands for data that one of our pages made, to be saved. Only a page's own script can make one, and
/// no other script runs here.
fn is_made_here(url: &Url) -> bool {
    url.scheme() == "blob" && url.path().parse().is_ok_and(|page: Url| is_ours(&page))
}

#[cfg(test)]
mod tests {
    use super::{is_made_here, is_ours};

    #[test]
    fn only_the_pages_inside_the_program_are_opened() {
        for (address, ours) in [
            ("tauri://localhost/", true),
            ("tauri://localhost/index.html#/timeline", true),
            ("http://tauri.localhost/", true),
            ("tauri://elsewhere/", false),
            ("http://tauri.localhost:8080/", false),
            ("http://tauri.localhost.example.com/", false),
            ("https://example.com/", false),
            ("file:///etc/passwd", false),
            ("data:text/html,hello", false),
            ("about:blank", false),
        ] {
            assert_eq!(is_ours(&address.parse().expect("an address")), ours, "{address}");
        }
    }

    #[test]
    fn only_what_a_page_made_is_saved() {
        for (address, ours) in [
            ("blob:tauri://localhost/0c9b1f1e-0000-4000-8000-000000000000", true),
            ("blob:https://example.com/0c9b1f1e-0000-4000-8000-000000000000", false),
            ("blob:null/0c9b1f1e-0000-4000-8000-000000000000", false),
            ("tauri://localhost/index.html", false),
            ("data:application/json,{}", false),
        ] {
            assert_eq!(is_made_here(&address.parse().expect("an address")), ours, "{address}");
        }
    }
}
