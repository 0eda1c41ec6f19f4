//! Log lines of a hub process, on standard error. They name requests, statuses, times and faults; no content, path or token.

use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// How log lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// Writes log lines of the hub to standard error from now on. Whatever was set up before in this process stays.
pub fn log_to_stderr(format: LogFormat) {
    let ours = Targets::new().with_target("retrace_hub", LevelFilter::INFO);
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_target(false);
    let layer = match format {
        LogFormat::Text => lines.with_ansi(false).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).with_current_span(false).boxed(),
    };
    // An error means that there is one already.
    let _ = tracing_subscriber::registry().with(layer.with_filter(ours)).try_init();
}
