//! The commands that the page can invoke. `call` carries every command of the program; `pick_directory` opens the dialog
//! that a page has no other way to; `desktop` and `set_desktop` are about the tray and messages, which only a desktop has.

use crate::background::Background;
use retrace_link::Link;
use retrace_link::wire::{ApiError, Code, DesktopSettings, DesktopState};
use retrace_link::wire::{Message, shell as say};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::channel;
use tauri::{AppHandle, Manager as _, Runtime, State, async_runtime};
use tauri_plugin_dialog::DialogExt as _;

/// Names a directory that stands for the user's choice, so that tests need not reach into a native dialog.
pub(crate) const TEST_PICK_VARIABLE: &str = "RETRACE_TEST_PICK";

/// Failure as it crosses to the page: `{"error": …}`, as over HTTP and in the terminal.
#[derive(Debug, Serialize)]
pub(crate) struct Failure {
    error: ApiError,
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self { error }
    }
}

/// Runs the command `name` on a thread that may block. Its answer is passed on as the program wrote it.
#[tauri::command]
pub(crate) async fn call(
    program: State<'_, Arc<Link>>,
    name: String,
    payload: Option<Value>,
) -> Result<Box<RawValue>, Failure> {
    let program = Arc::clone(&program);
    let payload = payload.unwrap_or_else(|| Value::Object(serde_json::Map::new()));
    on_a_thread(move || program.call(&name, payload)).await
}

/// Lets the user choose a directory. Gives its path, or null when the dialog was closed.
#[tauri::command]
pub(crate) async fn pick_directory<R: Runtime>(handle: AppHandle<R>) -> Result<Option<String>, Failure> {
    on_a_thread(move || {
        let Some(path) = picked(&handle)? else { return Ok(None) };
        path.into_os_string().into_string().map(Some).map_err(|path| ApiError {
            code: Code::Invalid,
            message: say::directorys_name_not_valid_unicode(),
            hint: say::add_terminal_retrace_stores_add(),
            subject: path.display().to_string(),
        })
    })
    .await
}

/// Chosen settings for the tray and messages, and what this desktop can do.
#[tauri::command]
pub(crate) async fn desktop<R: Runtime>(handle: AppHandle<R>) -> Result<DesktopState, Failure> {
    let background = Arc::clone(&handle.state::<Arc<Background<R>>>());
    on_a_thread(move || background.state()).await
}

/// Keeps what was chosen for the tray and messages.
#[tauri::command]
pub(crate) async fn set_desktop<R: Runtime>(
    handle: AppHandle<R>,
    settings: DesktopSettings,
) -> Result<DesktopState, Failure> {
    let background = Arc::clone(&handle.state::<Arc<Background<R>>>());
    on_a_thread(move || background.set(&settings)).await
}

fn picked<R: Runtime>(handle: &AppHandle<R>) -> Result<Option<PathBuf>, ApiError> {
    if let Some(path) = std::env::var_os(TEST_PICK_VARIABLE) {
        return Ok(Some(path.into()));
    }
    let (answer, answered) = channel();
    handle.dialog().file().pick_folder(move |path| {
        // Nobody waits any more when the window is gone.
        let _ = answer.send(path);
    });
    let Ok(Some(path)) = answered.recv() else { return Ok(None) };
    path.into_path().map(Some).map_err(|error| internal(say::chosen_place_not_directory_machine(), &error))
}

/// Runs `work` where it may block. A panic in it becomes an error of this one call.
async fn on_a_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, Failure> {
    match async_runtime::spawn_blocking(work).await {
        Ok(answer) => answer.map_err(Failure::from),
        Err(error) => Err(internal(say::program_failed_command_log_before(), &error).into()),
    }
}

fn internal(message: Message, cause: &dyn std::fmt::Display) -> ApiError {
    ApiError {
        code: Code::Internal,
        message,
        hint: say::please_report_what_you_did(),
        subject: cause.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Failure, async_runtime, on_a_thread};
    use retrace_link::wire::Code;

    #[test]
    fn a_panic_is_an_error_of_that_one_call() {
        let answer: Result<(), Failure> = async_runtime::block_on(on_a_thread(|| panic!("on purpose")));
        let failure = answer.expect_err("it failed");
        assert_eq!(failure.error.code, Code::Internal);
        assert!(failure.error.subject.contains("on purpose"), "{failure:?}");
        assert!(async_runtime::block_on(on_a_thread(|| Ok(()))).is_ok(), "the next call works");
    }
}
