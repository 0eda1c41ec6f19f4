//! Shows messages with the desktop's own means. Which and when is the program's; here they get words.

use crate::words::Words;
use retrace_link::wire::{AlarmKind, Notice};

/// A message in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    /// The first line.
    pub title: String,
    /// Below it.
    pub body: String,
    /// Effect of a press on it.
    pub action: String,
    /// Stays until it is seen.
    pub urgent: bool,
}

/// Puts a notice into words.
pub(crate) fn worded(notice: &Notice, words: &Words) -> Message {
    let action = words.open_inbox.to_owned();
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
            Message { title: title.to_owned(), body: places.join(words.comma), action, urgent: true }
        }
        Notice::Broken { sentence, what, title, present } => {
            let known = match present {
                Some(true) => Some(words.rule_was_there),
                Some(false) => Some(words.rule_was_not_there),
                None => None,
            };
            let lines = [Some(sentence.as_str()), Some(what.as_str()), title.as_deref(), known];
            let body = lines.into_iter().flatten().collect::<Vec<_>>().join("\n");
            Message { title: words.broken_rule.to_owned(), body, action, urgent: true }
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
            Message { title: who.to_owned(), body, action, urgent: false }
        }
    }
}

/// Shows a message. `shown` is told once what the system says when it cannot be shown, and nothing when it is; `pressed` is
/// called when a person presses the message. Blocks until the message is gone.
#[cfg(target_os = "linux")]
pub(crate) fn show(message: &Message, shown: impl FnOnce(Option<String>), pressed: impl FnOnce()) {
    match service::Shown::new(message) {
        Ok(message) => {
            shown(None);
            if message.waits_for_press() {
                pressed();
            }
        }
        Err(error) => shown(Some(error.to_string())),
    }
}

/// Shows a message. `shown` is told once what the system says when it cannot be shown, and nothing when it is.
#[cfg(not(target_os = "linux"))]
pub fn show(message: &Message, shown: impl FnOnce(Option<String>), _pressed: impl FnOnce()) {
    let sent = notify_rust::Notification::new()
        .appname("Retrace")
        .summary(&message.title)
        .body(&message.body)
        .show()
        .map(drop);
    shown(sent.err().map(|error| error.to_string()));
}

/// The desktop's service for messages, as freedesktop.org's Desktop Notifications Specification 1.2 has it.
#[cfg(target_os = "linux")]
mod service {
    use super::{Message, without_markup};
    use std::collections::HashMap;
    use std::time::Duration;
    use zbus::blocking::{Connection, MessageIterator, Proxy, connection, fdo::DBusProxy};
    use zbus::zvariant::Value;
    use zbus::{MatchRule, message::Type};

    const NAME: &str = "org.freedesktop.Notifications";
    const PATH: &str = "/org/freedesktop/Notifications";

    /// Name of a press on the message itself.
    const PRESSED: &str = "default";

    /// Longest wait for an answer of the service; it may have to be started.
    const PATIENCE: Duration = Duration::from_secs(20);

    /// A message that is shown.
    pub(super) struct Shown {
        id: u32,
        /// Signals on the bus from before the message was sent, so that nothing about it is missed.
        heard: MessageIterator,
    }

    impl Shown {
        /// Has a message shown.
        pub(super) fn new(message: &Message) -> zbus::Result<Self> {
            let bus = connection::Builder::session()?.method_timeout(PATIENCE).build()?;
            let heard = hear(&bus)?;
            let service = Proxy::new(&bus, NAME, PATH, NAME)?;
            let abilities: Vec<String> = service.call("GetCapabilities", &())?;
            let can = |ability: &str| abilities.iter().any(|each| each == ability);
            let body = if can("body-markup") { without_markup(&message.body) } else { message.body.clone() };
            let actions = if can("actions") { vec![PRESSED, message.action.as_str()] } else { Vec::new() };
            let hints = HashMap::from([
                ("urgency", Value::from(if message.urgent { 2_u8 } else { 0 })),
                ("desktop-entry", Value::from("Retrace")),
            ]);
            let (replaces, for_how_long) = (0_u32, -1_i32);
            let icon = "retrace-desktop";
            let title = message.title.as_str();
            let sent = ("Retrace", replaces, icon, title, body, actions, hints, for_how_long);
            Ok(Self { id: service.call("Notify", &sent)?, heard })
        }

        /// Waits until the message is gone; whether it was pressed.
        pub(super) fn waits_for_press(self) -> bool {
            for message in self.heard.flatten() {
                let (header, body) = (message.header(), message.body());
                match header.member().map(|member| member.as_str()) {
                    Some("ActionInvoked") => match body.deserialize::<(u32, &str)>() {
                        Ok((id, action)) if id == self.id => return action == PRESSED,
                        _ => {}
                    },
                    Some("NotificationClosed") => match body.deserialize::<(u32, u32)>() {
                        Ok((id, _)) if id == self.id => return false,
                        _ => {}
                    },
                    // With the service its messages go.
                    Some("NameOwnerChanged") => return false,
                    _ => {}
                }
            }
            false
        }
    }

    /// Signals about messages, and when the service for them goes.
    fn hear(bus: &Connection) -> zbus::Result<MessageIterator> {
        let heard = MessageIterator::from(bus);
        let reported = DBusProxy::new(bus)?;
        let signals = || MatchRule::builder().msg_type(Type::Signal);
        reported.add_match_rule(signals().interface(NAME)?.path(PATH)?.build())?;
        // Its coming says "" for the old owner, and may be what the first call brings about.
        let owner = signals().sender("org.freedesktop.DBus")?.member("NameOwnerChanged")?;
        reported.add_match_rule(owner.arg(0, NAME)?.arg(2, "")?.build())?;
        Ok(heard)
    }
}

/// Bodies may be read as markup on Linux; what others wrote must not be.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
fn without_markup(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::{Message, without_markup, worded};
    use crate::words::Language;
    use retrace_link::wire::{AlarmKind, Notice};

    #[test]
    fn an_alarm_says_what_and_where() {
        let notice = Notice::Alarm { kind: AlarmKind::Secret, path: Some("a.md".to_owned()), more: 2 };
        let message = worded(&notice, Language::English.words());
        let title = "Something like a secret was written to memory".to_owned();
        let (body, action) = ("a.md, and 2 more".to_owned(), "Open the inbox".to_owned());
        assert_eq!(message, Message { title, body, action, urgent: true });
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
        assert_eq!(message.body, "5 memories changed\na.md, b.md, and 3 more");
        assert_eq!(worded(&digest(None, true), words).title, "A session");
        assert_eq!(worded(&digest(None, false), words).title, "Unknown writer");
    }

    #[test]
    fn nothing_in_a_message_is_markup() {
        assert_eq!(without_markup("<a href='x'>&</a>"), "&lt;a href='x'&gt;&amp;&lt;/a&gt;");
    }
}
