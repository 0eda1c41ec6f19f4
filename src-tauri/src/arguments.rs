//! Arguments of the app's start.

use std::path::PathBuf;

/// The window over what your agents remember. The same commands in a terminal: `retrace`.
#[derive(Debug, clap::Parser)]
#[command(name = "retrace-desktop", version)]
pub(crate) struct Arguments {
    /// Where the log is kept; the platform's data directory when absent
    #[arg(long, value_name = "DIR", env = "RETRACE_DATA_DIR")]
    pub data_dir: Option<PathBuf>,
}

/// Says what to do instead where no window can be shown. The window system would only panic.
///
/// # Errors
/// The sentence to print.
pub(crate) fn require_a_screen() -> Result<(), String> {
    let named = |variable| std::env::var_os(variable).is_some_and(|value| !value.is_empty());
    if cfg!(target_os = "linux") && !named("DISPLAY") && !named("WAYLAND_DISPLAY") {
        return Err("there is no screen (neither DISPLAY nor WAYLAND_DISPLAY is set). \
                    `retrace serve` shows the same app in a browser."
            .to_owned());
    }
    Ok(())
}
