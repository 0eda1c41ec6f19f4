//! A line on the terminal that says long work goes on, erased when it is done.

use crate::print::visible;
use retrace_api::App;
use retrace_api::wire::Event;
use std::io::Write;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Work shorter than this shows nothing.
const QUIET: Duration = Duration::from_millis(400);
/// Between two pictures.
const STEP: Duration = Duration::from_millis(120);
const PICTURES: [char; 4] = ['|', '/', '-', '\\'];

/// Runs `work` and shows `task`, or what the app says about its progress, on `terminal` meanwhile.
pub(crate) fn run<T: Send>(
    terminal: &mut (dyn Write + Send),
    app: &App,
    task: &str,
    work: impl FnOnce() -> T + Send,
) -> T {
    let events = app.subscribe();
    let (done, ended) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || show(terminal, &events, &ended, task));
        let answer = work();
        drop(done);
        answer
    })
}

fn show(terminal: &mut (dyn Write + Send), events: &Receiver<Event>, ended: &Receiver<()>, task: &str) {
    if ended.recv_timeout(QUIET) == Err(RecvTimeoutError::Disconnected) {
        return;
    }
    let mut text = task.to_owned();
    for picture in PICTURES.iter().cycle() {
        if let Some(news) = events.try_iter().filter_map(|event| progress(&event)).last() {
            text = news;
        }
        // Nothing depends on it being seen.
        let _ =
            write!(terminal, "\r\x1b[K{picture} {}", visible::line(&text)).and_then(|()| terminal.flush());
        if ended.recv_timeout(STEP) == Err(RecvTimeoutError::Disconnected) {
            break;
        }
    }
    let _ = write!(terminal, "\r\x1b[K").and_then(|()| terminal.flush());
}

fn progress(event: &Event) -> Option<String> {
    match event {
        Event::Progress { task, done, total: Some(total) } => Some(format!("{task} {done} of {total}")),
        Event::Progress { task, done, total: None } => Some(format!("{task} {done}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_says_how_far_it_is() {
        let event = |total| Event::Progress { task: "Verifying".to_owned(), done: 3, total };
        assert_eq!(progress(&event(Some(10))).as_deref(), Some("Verifying 3 of 10"));
        assert_eq!(progress(&event(None)).as_deref(), Some("Verifying 3"));
        assert_eq!(progress(&Event::Stores), None);
    }

    #[test]
    fn short_work_shows_nothing() {
        let (done, ended) = channel::<()>();
        let (_sender, events) = channel();
        drop(done);
        let mut terminal = Vec::new();
        show(&mut terminal, &events, &ended, "Verifying");
        assert_eq!(terminal, b"");
    }
}
