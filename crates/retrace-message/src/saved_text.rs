//! A message in a file of the data directory: its text, read back with [`Message::of_saved`]. For `#[serde(with = …)]`.

use crate::Message;
use serde::{Deserialize, Deserializer, Serializer};

/// Writes the text.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<S: Serializer>(message: &Message, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(message.text())
}

/// Reads the text.
///
/// # Errors
/// Those of the deserializer.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Message, D::Error> {
    String::deserialize(deserializer).map(|text| Message::of_saved(&text))
}
