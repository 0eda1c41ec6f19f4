//! Texts that were loaded, each kept once.

use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// A line of a loaded text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Line {
    /// Its number as loaded; 0 where the text does not number its lines.
    pub number: u32,
    /// Its hash.
    pub hash: u64,
}

/// What the lines of a text have to do with a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Claim {
    /// They are the file's.
    #[default]
    Own,
    /// They are what a command that names the file put out; others may be among them.
    Output,
    /// They are the file's, in whatever order: a command names it and puts out nothing else.
    Whole,
    /// They were picked out of a text because enough of them are of this file alone, in whatever order.
    Sifted,
    /// They may be the file's or another's.
    Doubtful,
}

/// A text as it was loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Text {
    /// Its lines.
    pub lines: Vec<Line>,
    /// Lines of the file, where the text says that it was cut.
    pub total: Option<u32>,
    /// The first line that was cut, where the text says so.
    pub cut_at: Option<u32>,
    /// True if it may hold more than the file's lines, or parts of lines: output of a command, a part that was written.
    pub is_loose: bool,
    /// What its lines have to do with the file.
    pub claim: Claim,
}

impl Text {
    pub(crate) fn is_numbered(&self) -> bool {
        self.lines.first().is_some_and(|line| line.number > 0)
    }

    /// True if it says that it was cut.
    #[must_use]
    pub const fn is_cut(&self) -> bool {
        self.total.is_some() || self.cut_at.is_some()
    }
}

/// Loaded texts of many conversations.
#[derive(Clone, Debug, Default)]
pub struct Shelf {
    texts: Vec<Text>,
    known: HashMap<Text, u32>,
    words: Option<Vec<Vec<String>>>,
}

impl Shelf {
    /// A shelf that keeps the words of the texts, too.
    #[must_use]
    pub fn with_words() -> Self {
        Self { words: Some(Vec::new()), ..Self::default() }
    }

    /// A shelf of texts that were kept.
    #[must_use]
    pub fn from_texts(texts: Vec<Text>) -> Self {
        let known = texts.iter().enumerate().map(|(at, text)| (text.clone(), at as u32)).collect();
        Self { texts, known, words: None }
    }

    /// Every text; a piece names one by its place.
    #[must_use]
    pub fn texts(&self) -> &[Text] {
        &self.texts
    }

    /// The text in this place.
    #[must_use]
    pub fn text(&self, at: u32) -> Option<&Text> {
        self.texts.get(at as usize)
    }

    /// The lines of the text in this place as they were loaded; `None` where the shelf keeps hashes alone.
    #[must_use]
    pub fn words(&self, at: u32) -> Option<&[String]> {
        self.words.as_ref()?.get(at as usize).map(Vec::as_slice)
    }

    /// The place of a text.
    pub fn put(&mut self, text: Text, words: impl FnOnce() -> Vec<String>) -> u32 {
        if let Some(&at) = self.known.get(&text) {
            return at;
        }
        let at = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        self.known.insert(text.clone(), at);
        self.texts.push(text);
        if let Some(kept) = &mut self.words {
            kept.push(words());
        }
        at
    }
}
