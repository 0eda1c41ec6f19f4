//! Texts of words.

use super::{Argument, Shell};
use brush_parser::ParserOptions;
use brush_parser::ast::Word as ShellWord;
use brush_parser::word::{self, Parameter, ParameterExpr, WordPiece, WordPieceWithSource};
use std::panic::catch_unwind;

impl Shell {
    /// The text of a word. Commands within it are followed.
    pub(super) fn word(&mut self, word: &ShellWord) -> Argument {
        let source = word.value.as_str();
        if source.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./:=,+@%".contains(&byte)) {
            return Argument { text: source.to_owned(), known: true };
        }
        let Some(pieces) = pieces(source, false) else {
            return Argument { text: source.to_owned(), known: false };
        };
        let mut argument = Argument { text: String::with_capacity(source.len()), known: true };
        self.add(source, &pieces, &mut argument);
        argument
    }

    /// Follows the commands within a here-document.
    pub(super) fn substitutions_of_document(&mut self, document: &ShellWord) {
        if !document.value.contains(['$', '`']) {
            return;
        }
        if let Some(pieces) = pieces(&document.value, true) {
            self.add(&document.value, &pieces, &mut Argument { text: String::new(), known: true });
        }
    }

    fn add(&mut self, source: &str, pieces: &[WordPieceWithSource], to: &mut Argument) {
        for piece in pieces {
            match &piece.piece {
                WordPiece::Text(text) => {
                    to.known &= !text.contains(['*', '?']);
                    to.text.push_str(text);
                }
                WordPiece::SingleQuotedText(text) => to.text.push_str(text),
                WordPiece::AnsiCQuotedText(text) => to.text.push_str(&plain_escapes(text)),
                WordPiece::DoubleQuotedSequence(pieces) | WordPiece::GettextDoubleQuotedSequence(pieces) => {
                    self.add_quoted(source, pieces, to);
                }
                WordPiece::EscapeSequence(text) => {
                    to.text.push_str(text.strip_prefix('\\').unwrap_or(text).trim_start_matches('\n'));
                }
                WordPiece::CommandSubstitution(command) => {
                    self.run_apart(command);
                    add_source(source, piece, to);
                }
                WordPiece::BackquotedCommandSubstitution(command) => {
                    self.run_apart(&command.replace("\\`", "`"));
                    add_source(source, piece, to);
                }
                WordPiece::ParameterExpansion(ParameterExpr::Parameter {
                    parameter: Parameter::Named(name),
                    indirect: false,
                }) if matches!(self.variables.get(name), Some(Some(_))) => {
                    let value = self.variables.get(name).cloned().flatten().unwrap_or_default();
                    to.text.push_str(&value);
                }
                WordPiece::TildeExpansion(_)
                | WordPiece::ParameterExpansion(_)
                | WordPiece::ArithmeticExpression(_) => add_source(source, piece, to),
            }
        }
    }

    /// As [`Self::add`]; between quotation marks a star is a star.
    fn add_quoted(&mut self, source: &str, pieces: &[WordPieceWithSource], to: &mut Argument) {
        for piece in pieces {
            if let WordPiece::Text(text) = &piece.piece {
                to.text.push_str(text);
            } else {
                self.add(source, std::slice::from_ref(piece), to);
            }
        }
    }
}

/// Adds a piece that only the shell knows, as it was written.
fn add_source(source: &str, piece: &WordPieceWithSource, to: &mut Argument) {
    to.known = false;
    to.text.push_str(source.get(piece.start_index..piece.end_index).unwrap_or_default());
}

fn pieces(source: &str, document: bool) -> Option<Vec<WordPieceWithSource>> {
    let parse = if document { word::parse_heredoc } else { word::parse };
    catch_unwind(|| parse(source, &ParserOptions::default()).ok()).ok().flatten()
}

/// A text between `$'` and `'` with its plain escapes; others stay.
fn plain_escapes(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\t", "\t").replace("\\'", "'").replace("\\\\", "\\")
}
