//! The key that calls are made with. It never shows itself.

use retrace_message::AsMessage;
use std::fmt;

/// A credential. Its text can be sent, and nothing else: it has no `Display`, and `Debug` masks it.
#[derive(Clone, PartialEq, Eq)]
pub struct Key {
    secret: String,
    kind: KeyKind,
    source: KeySource,
}

/// Kind of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyKind {
    /// An API key (`ANTHROPIC_API_KEY`).
    ApiKey,
    /// A bearer token (`ANTHROPIC_AUTH_TOKEN`).
    AuthToken,
}

/// Where a key comes from; safe to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeySource {
    /// Handed over by the caller.
    Given,
    /// An environment variable.
    Environment,
    /// The system's keyring.
    Keyring,
}

/// The text cannot be a key: it is empty, or has a character that a header cannot carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, AsMessage)]
#[message("key")]
#[error("that cannot be a key: it is empty, or holds spaces or characters that no header can carry")]
pub struct BadKeyText;

impl Key {
    /// Takes a key's text; white space around it is dropped.
    pub fn new(text: &str, kind: KeyKind, source: KeySource) -> Result<Self, BadKeyText> {
        let text = text.trim();
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(BadKeyText);
        }
        Ok(Self { secret: text.to_owned(), kind, source })
    }

    /// Reads the environment as the SDK does: `ANTHROPIC_API_KEY`, then `ANTHROPIC_AUTH_TOKEN`; an empty variable is
    /// as good as none. `variable` looks one up.
    pub fn from_environment(variable: &dyn Fn(&str) -> Option<String>) -> Result<Option<Self>, BadKeyText> {
        for (name, kind) in
            [("ANTHROPIC_API_KEY", KeyKind::ApiKey), ("ANTHROPIC_AUTH_TOKEN", KeyKind::AuthToken)]
        {
            if let Some(text) = variable(name).filter(|text| !text.is_empty()) {
                return Self::new(&text, kind, KeySource::Environment).map(Some);
            }
        }
        Ok(None)
    }

    /// Its kind.
    pub fn kind(&self) -> KeyKind {
        self.kind
    }

    /// Where it comes from.
    pub fn source(&self) -> KeySource {
        self.source
    }

    /// The text itself, for the header.
    pub(crate) fn secret(&self) -> &str {
        &self.secret
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key")
            .field("secret", &"[hidden]")
            .field("kind", &self.kind)
            .field("source", &self.source)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(pairs: &'static [(&str, &str)]) -> impl Fn(&str) -> Option<String> {
        move |name| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
    }

    #[test]
    fn the_api_key_wins_and_an_empty_one_is_none() {
        let both = environment(&[("ANTHROPIC_API_KEY", "sk-a\n"), ("ANTHROPIC_AUTH_TOKEN", "tok")]);
        let key = Key::from_environment(&both).unwrap().unwrap();
        assert_eq!((key.secret(), key.kind()), ("sk-a", KeyKind::ApiKey));

        let token = environment(&[("ANTHROPIC_API_KEY", ""), ("ANTHROPIC_AUTH_TOKEN", "tok")]);
        let key = Key::from_environment(&token).unwrap().unwrap();
        assert_eq!(
            (key.secret(), key.kind(), key.source()),
            ("tok", KeyKind::AuthToken, KeySource::Environment)
        );

        assert_eq!(Key::from_environment(&environment(&[])).unwrap(), None);
    }

    #[test]
    fn it_does_not_show_itself() {
        let key = Key::new("sk-very-secret", KeyKind::ApiKey, KeySource::Given).unwrap();
        assert!(!format!("{key:?} {key:#?}").contains("very-secret"));
    }

    #[test]
    fn text_that_no_header_can_carry_is_no_key() {
        for text in ["", "  ", "a b", "a\nb", "schlüssel", "a\u{0}"] {
            assert_eq!(Key::new(text, KeyKind::ApiKey, KeySource::Given), Err(BadKeyText), "{text:?}");
        }
    }
}
