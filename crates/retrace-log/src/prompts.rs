//! Turn and prompt that a writer reported. Kept beside the log, not in its chain, because a
//! prompt can hold a secret that no version holds; a redaction takes every prompt out.

use crate::writer::Act;
use crate::{LogError, Reader};
use rusqlite::{Connection, OptionalExtension as _, params};

/// Prompt before an operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    /// The turn of the session, from 1.
    pub turn: Option<u64>,
    /// The prompt, as far as it was kept.
    pub text: Option<String>,
}

/// Longest part of a prompt that is kept, in characters.
const LONGEST: usize = 500;

fn shortened(text: &str) -> String {
    let mut words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = words.char_indices().nth(LONGEST) {
        words.truncate(end);
        words.push('…');
    }
    words
}

impl Act<'_> {
    /// Keeps what an operation was made after, without what was redacted: the prompt on one line and not all of a long one. Nothing
    /// is kept of an empty one.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn keep_prompt(&mut self, operation_seq: u64, prompt: &Prompt) -> Result<(), LogError> {
        // Shortened last: of what was redacted and is cut, or stands on other lines, nothing would be known.
        let text = prompt.text.as_deref().map(|text| self.clean(text)).transpose()?;
        let text = text.map(|text| shortened(&text)).filter(|text| !text.is_empty());
        if prompt.turn.is_some() || text.is_some() {
            self.transaction
                .prepare_cached(
                    "INSERT OR REPLACE INTO prompts (operation_seq, turn, prompt) VALUES (?1, ?2, ?3)",
                )?
                .execute(params![operation_seq, prompt.turn, text])?;
        }
        Ok(())
    }
}

/// Takes every prompt out. Which of them speak of what is redacted cannot be known.
pub(crate) fn forget_all(connection: &Connection) -> Result<(), LogError> {
    connection.execute("DELETE FROM prompts", [])?;
    Ok(())
}

impl Reader<'_> {
    /// Prompt before an operation, where that is known still.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn prompt_of(&self, operation_seq: u64) -> Result<Option<Prompt>, LogError> {
        let row = self
            .connection
            .prepare_cached("SELECT turn, prompt FROM prompts WHERE operation_seq = ?1")?
            .query_row([operation_seq], |row| Ok(Prompt { turn: row.get(0)?, text: row.get(1)? }));
        Ok(row.optional()?)
    }
}
