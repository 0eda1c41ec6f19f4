//! The desktop shell over [`retrace_link`]: a window on the pages of `ui/`, one command that carries all others, events,
//! the folder dialog, and beside the window the tray and messages.
//!
//! It decides nothing: what a command does is `retrace-api`'s, in a process of its own, how it looks is `ui/`'s. Invariants: the page talks to this
//! process only through the commands in [`call`], each allowed by `capabilities/main.json`; the window never leaves the
//! pages inside the program and opens nothing remote; it opens even when the log cannot be, and says why.

mod arguments;
mod background;
mod badge;
mod call;
mod instance;
mod messages;
#[cfg(test)]
mod tests;
mod tray;
mod window;
mod words;

use arguments::Arguments;
use background::Background;
use clap::Parser as _;
use instance::Instance;
use retrace_link::wire::{DesktopSettings, Event, Nothing};
use retrace_link::{Link, ask};
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tauri::ipc::Invoke;
use tauri::{
    AppHandle, Builder, Context, Emitter as _, Manager as _, RunEvent, Runtime, WindowEvent, async_runtime,
};
use tauri_plugin_window_state::StateFlags;

/// Name of the event that carries a [`retrace_link::wire::Event`] to the page.
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

fn start(data_dir: Option<std::path::PathBuf>) -> Result<(), String> {
    arguments::require_a_screen()?;
    let program = Arc::new(Link::to_program(data_dir));
    // A program that does not start, and a data directory that cannot be told, are told of in the window.
    let data_dir = program.hello().ok().and_then(|hello| hello.data_dir);
    let instance = match data_dir.map(|data_dir| instance::start(&data_dir, &random)) {
        Some(instance::Start::Other) => {
            program.close();
            return Ok(());
        }
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
    open_program(app.handle(), program);
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
            handle.state::<Arc<Link>>().close();
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
fn open_program<R: Runtime>(handle: &AppHandle<R>, program: Arc<Link>) {
    let to_page = handle.clone();
    let (wake, woken) = channel();
    let on_event = Mutex::new(wake.clone());
    program.listen(Arc::new(move |event| forward(&to_page, event, &on_event)));
    handle.manage(Arc::clone(&program));
    let background = Arc::new(Background::new(handle.clone(), Arc::clone(&program), wake));
    handle.manage(Arc::clone(&background));
    let follow = std::thread::Builder::new().name("retrace-background".to_owned());
    // Without a thread there are no messages, and the window works.
    drop(follow.spawn(move || background.follow(&woken)));
    // The page's first command shows what went wrong.
    async_runtime::spawn_blocking(move || drop(program.ask::<DesktopSettings>(ask::SETTINGS, &Nothing {})));
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

/// Passes an event on to the page, and wakes what works beside it.
fn forward<R: Runtime>(handle: &AppHandle<R>, event: Event, wake: &Mutex<Sender<()>>) {
    // Nobody listens any more when the app ends.
    let _ = wake.lock().unwrap_or_else(PoisonError::into_inner).send(());
    // An event that does not arrive is not lost: it only says where to look, and the next says so again.
    let _ = handle.emit(EVENT, event);
}

/// Fills a buffer with random bytes.
fn random(bytes: &mut [u8]) {
    getrandom::fill(bytes).expect("the system has randomness, as every process of it needs");
}
