//! Shows messages with the desktop's own means. Which and when is [`retrace_api::notices`]'s; here they get words.

use crate::words::Words;
use retrace_api::notices::{AlarmKind, Notice};

/// A message in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The first line.
    pub title: String,
    /// Below it.
    pub body: String,
    /// Stays until it is seen.
    pub urgent: bool,
}

/// Puts a notice into words.
pub fn worded(notice: &Notice, words: &Words) -> Message {
    match notice {
        Notice::Alarm { kind, path, more } => {
            let title = match kind {
                AlarmKind::Secret => words.secret,
                AlarmKind::MassDelete => words.mass_delete,
                AlarmKind::HiddenText => words.hidden_text,
            };
            let mut places = vec![path.clone().unwrap_or_else(|| words.redacted.to_owned())];
            if *more > 0 {
                places.push(words.more(*more));
            }
            Message { title: title.to_owned(), body: places.join(words.comma), urgent: true }
        }
        Notice::Digest { title, session, memories, paths } => {
            let who = match (session, title) {
                (true, Some(title)) => title.as_str(),
                (true, None) => words.untitled,
                (false, _) => words.unknown_writer,
            };
            let changed = words.changed(*memories);
            let left = memories.saturating_sub(paths.len() as u64);
            let mut named = paths.clone();
            if left > 0 && !paths.is_empty() {
                named.push(words.more(left));
            }
            let body =
                if named.is_empty() { changed } else { format!("{changed}\n{}", named.join(words.comma)) };
            Message { title: who.to_owned(), body, urgent: false }
        }
    }
}

/// Shows a message; when a person presses it, `pressed` is called. Gives what the system says when it cannot be shown.
///
/// # Errors
/// There is no service for messages, or it refused.
#[cfg(all(unix, not(target_os = "macos")))]
pub fn show(message: &Message, pressed: impl FnOnce() + Send + 'static) -> Result<(), String> {
    let urgency = if message.urgent { notify_rust::Urgency::Critical } else { notify_rust::Urgency::Low };
    let shown = notify_rust::Notification::new()
        .appname("Retrace")
        .icon("retrace-desktop")
        .summary(&message.title)
        .body(&without_markup(&message.body))
        .action("default", "")
        .urgency(urgency)
        .show()
        .map_err(|error| error.to_string())?;
    // Waits until the message is gone, which no other thread has to wait for.
    let wait = std::thread::Builder::new().name("retrace-message".to_owned());
    let waiting = wait.spawn(move || {
        shown.wait_for_action(|action| {
            if action == "default" {
                pressed();
            }
        });
    });
    // Without a thread the message is shown all the same, and only a press on it does nothing.
    drop(waiting);
    Ok(())
}

/// Shows a message. Gives what the system says when it cannot be shown.
///
/// # Errors
/// There is no service for messages, or it refused.
#[cfg(not(all(unix, not(target_os = "macos"))))]
pub fn show(message: &Message, _pressed: impl FnOnce() + Send + 'static) -> Result<(), String> {
    notify_rust::Notification::new()
        .appname("Retrace")
        .summary(&message.title)
        .body(&message.body)
        .show()
        .map(drop)
        .map_err(|error| error.to_string())
}

/// Bodies may be read as markup on Linux; what others wrote must not be.
#[cfg_attr(not(all(unix, not(target_os = "macos"))), allow(dead_code))]
fn without_markup(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::{Message, without_markup, worded};
    use crate::words::Language;
    use retrace_api::notices::{AlarmKind, Notice};

    #[test]
    fn an_alarm_says_what_and_where() {
        let notice = Notice::Alarm { kind: AlarmKind::Secret, path: Some("a.md".to_owned()), more: 2 };
        let message = worded(&notice, Language::English.words());
        let title = "Something like a secret was written to memory".to_owned();
        assert_eq!(message, Message { title, body: "a.md, and in 2 more".to_owned(), urgent: true });
        let redacted = Notice::Alarm { kind: AlarmKind::HiddenText, path: None, more: 0 };
        assert_eq!(worded(&redacted, Language::English.words()).body, "(redacted path)");
    }

    #[test]
    fn a_digest_says_who_and_what() {
        let digest = |title: Option<&str>, session| Notice::Digest {
            title: title.map(str::to_owned),
            session,
            memories: 5,
            paths: vec!["a.md".to_owned(), "b.md".to_owned()],
        };
        let words = Language::English.words();
        let message = worded(&digest(Some("Tidy up"), true), words);
        assert_eq!((message.title.as_str(), message.urgent), ("Tidy up", false));
        assert_eq!(message.body, "5 memories changed\na.md, b.md, and in 3 more");
        assert_eq!(worded(&digest(None, true), words).title, "A session");
        assert_eq!(worded(&digest(None, false), words).title, "Unknown writer");
    }

    #[test]
    fn nothing_in_a_message_is_markup() {
        assert_eq!(without_markup("<a href='x'>&</a>"), "&lt;a href='x'&gt;&amp;&lt;/a&gt;");
    }
}
