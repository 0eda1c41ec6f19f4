//! The desktop shell over [`retrace_api`]: a window on the pages of `ui/`, one command that carries all others, events,
//! the folder dialog, and beside the window the tray and messages.
//!
//! It decides nothing: what a command does is `retrace-api`'s, how it looks is `ui/`'s. Invariants: the page talks to this
//! process only through the commands in [`call`], each allowed by `capabilities/main.json`; the window never leaves the
//! pages inside the program and opens nothing remote; it opens even when the log cannot be, and says why.

mod arguments;
mod background;
mod badge;
mod call;
mod instance;
mod messages;
mod program;
#[cfg(test)]
mod tests;
mod tray;
mod window;
mod words;

use arguments::Arguments;
use background::Background;
use clap::Parser as _;
use instance::Instance;
use program::Program;
use retrace_api::AppOptions;
use retrace_api::wire::Event;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use tauri::ipc::Invoke;
use tauri::{
    AppHandle, Builder, Context, Emitter as _, Manager as _, RunEvent, Runtime, WindowEvent, async_runtime,
};
use tauri_plugin_window_state::StateFlags;

/// Name of the event that carries a [`retrace_api::wire::Event`] to the page.
pub const EVENT: &str = "retrace-event";

/// Name of the event that sends the page to a place in it, given as the fragment of an address.
pub const GO: &str = "retrace-go";

/// Runs the app until its window is closed. Reads the arguments of the process.
#[must_use]
pub fn run() -> ExitCode {
    let arguments = Arguments::parse();
    match start(arguments.data_dir) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            // Nothing is left to tell when standard error is closed.
            let _ = writeln!(std::io::stderr(), "retrace-desktop: {message}");
            ExitCode::FAILURE
        }
    }
}

fn start(data_dir: Option<PathBuf>) -> Result<(), String> {
    arguments::require_a_screen()?;
    // A data directory that cannot be told is told of in the window.
    let options = AppOptions::for_this_machine(data_dir.clone()).ok();
    let instance = match options.map(|options| instance::start(&options.data_dir, &*options.entropy)) {
        Some(instance::Start::Other) => return Ok(()),
        Some(instance::Start::First(instance)) => instance.map(Arc::new),
        None => None,
    };
    let opened = instance.as_ref().map(answer_later_starts);
    window::name_the_program();
    let app = Builder::default()
        .invoke_handler(commands())
        .on_menu_event(|handle, event| tray::on_menu_event(handle, &event))
        .plugin(tauri_plugin_dialog::init())
        .plugin(
            tauri_plugin_window_state::Builder::default()
                .with_state_flags(StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED)
                .build(),
        )
        .build(context())
        .map_err(|error| format!("the window system did not start: {error}"))?;
    let pictures = instance.as_ref().map(|instance| instance.tray_pictures());
    if let Some(instance) = instance {
        app.manage(instance);
    }
    open_program(app.handle(), data_dir);
    end_when_asked(app.handle());
    window::open(app.handle()).map_err(|error| format!("the window did not open: {error}"))?;
    app.state::<Arc<Background<tauri::Wry>>>().make_tray(pictures.as_deref());
    if let Some(opened) = opened {
        // Set here alone.
        let _ = opened.set(app.handle().clone());
    }
    app.run(|handle, event| match event {
        RunEvent::WindowEvent { event: WindowEvent::CloseRequested { api, .. }, label, .. } => {
            if handle.state::<Arc<Background<tauri::Wry>>>().stays_when_closed()
                && let Some(window) = handle.get_webview_window(&label)
                && window.hide().is_ok()
            {
                api.prevent_close();
            }
        }
        // The last window is gone, or somebody asked for the end.
        RunEvent::ExitRequested { .. } => leave(handle),
        RunEvent::Exit => {
            leave(handle);
            handle.state::<Arc<Program>>().close();
        }
        _ => {}
    });
    Ok(())
}

/// Brings the window to the front whenever the app is started again over the same data directory: the window of the app
/// that is put where this gives. Until then it is just opening, and comes to the front by itself.
fn answer_later_starts(instance: &Arc<Instance>) -> Arc<OnceLock<AppHandle>> {
    let opened = Arc::new(OnceLock::new());
    let (instance, here) = (Arc::clone(instance), Arc::clone(&opened));
    let answer = std::thread::Builder::new().name("retrace-instance".to_owned());
    // Without a thread a later start opens a window of its own.
    drop(answer.spawn(move || instance.answer(|| here.get().into_iter().for_each(window::show))));
    opened
}

/// Ends the app as if its window were closed.
fn end<R: Runtime>(handle: &AppHandle<R>) {
    leave(handle);
    handle.exit(0);
}

/// Lets a start that comes from now on wait for the end of this process, rather than bring up a window that goes.
fn leave<R: Runtime>(handle: &AppHandle<R>) {
    if let Some(instance) = handle.try_state::<Arc<Instance>>() {
        instance.leave();
    }
}

/// The configuration, the capabilities and the pages, all inside the program.
fn context<R: Runtime>() -> Context<R> {
    tauri::generate_context!()
}

/// Commands that the page can invoke. Each name is in `build.rs` too, and allowed in `capabilities/main.json`.
fn commands<R: Runtime>() -> impl Fn(Invoke<R>) -> bool + Send + Sync + 'static {
    tauri::generate_handler![call::call, call::pick_directory, call::desktop, call::set_desktop]
}

/// Opens the program in the background, so that the window need not wait for it; commands do.
fn open_program<R: Runtime>(handle: &AppHandle<R>, data_dir: Option<PathBuf>) {
    let to_page = handle.clone();
    let (wake, woken) = channel();
    let on_event = wake.clone();
    let program = Arc::new(Program::new(data_dir, move |events| forward(&to_page, events, on_event.clone())));
    handle.manage(Arc::clone(&program));
    let background = Arc::new(Background::new(handle.clone(), Arc::clone(&program), wake));
    handle.manage(Arc::clone(&background));
    let follow = std::thread::Builder::new().name("retrace-background".to_owned());
    // Without a thread there are no messages, and the window works.
    drop(follow.spawn(move || background.follow(&woken)));
    // The page's first command shows what went wrong.
    async_runtime::spawn_blocking(move || program.app().is_ok());
}

/// Ends the app when a terminal or the end of the desktop session asks for it.
#[cfg(unix)]
fn end_when_asked<R: Runtime>(handle: &AppHandle<R>) {
    use tokio::signal::unix::{SignalKind, signal};
    for kind in [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()] {
        let handle = handle.clone();
        async_runtime::spawn(async move {
            // Without this the system ends the process at once, which the log survives as well.
            if let Ok(mut asked) = signal(kind) {
                asked.recv().await;
                end(&handle);
            }
        });
    }
}

/// Other systems close the window themselves.
#[cfg(not(unix))]
fn end_when_asked<R: Runtime>(_handle: &AppHandle<R>) {}

/// Passes events on to the page, and wakes what works beside it, until the program is closed.
fn forward<R: Runtime>(handle: &AppHandle<R>, events: Receiver<Event>, wake: Sender<()>) {
    let handle = handle.clone();
    async_runtime::spawn_blocking(move || {
        // An event that does not arrive is not lost: it only says where to look, and the next says so again.
        events.iter().try_for_each(|event| {
            // Nobody listens any more when the app ends.
            let _ = wake.send(());
            handle.emit(EVENT, event)
        })
    });
}
