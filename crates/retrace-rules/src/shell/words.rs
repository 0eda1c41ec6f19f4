//! Texts of words.

use super::{Argument, Shell};
use brush_parser::ParserOptions;
use brush_parser::ast::Word as ShellWord;
use brush_parser::word::{self, Parameter, ParameterExpr, SpecialParameter, WordPiece, WordPieceWithSource};
use std::panic::catch_unwind;

impl Shell {
    /// The text of a word. Commands within it are followed.
    pub(super) fn word(&mut self, word: &ShellWord) -> Argument {
        let source = word.value.as_str();
        if source.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./:=,+@%".contains(&byte)) {
            return Argument { text: source.to_owned(), known: true, quoted: false };
        }
        let Some(pieces) = pieces(source, false) else {
            return Argument { text: source.to_owned(), known: false, quoted: false };
        };
        let text = String::with_capacity(source.len());
        let mut argument = Argument { text, known: true, quoted: is_quoted(&pieces, source) };
        let before = std::mem::take(&mut self.followed_to);
        self.add(source, &pieces, &mut argument);
        self.followed_to = before;
        argument
    }

    /// The words that one word becomes: a variable without quotation marks is split at its spaces, and the arguments of a function
    /// are as many words.
    pub(super) fn split(&mut self, word: &ShellWord) -> Vec<Argument> {
        if let (Some(arguments), "\"$@\"" | "\"${@}\"" | "$@" | "${@}" | "$*" | "${*}") =
            (&self.positional, word.value.as_str())
        {
            return arguments.to_vec();
        }
        if let Some(words) = braced(&word.value) {
            let words = words.into_iter();
            return words
                .map(|text| Argument { known: !text.contains(['*', '?']), text, quoted: false })
                .collect();
        }
        let whole = self.word(word);
        let is_plain_variable = word.value.starts_with('$') && !word.value.starts_with("$'");
        if is_plain_variable && whole.known && (whole.text.contains(' ') || whole.text.is_empty()) {
            let parts = whole.text.split_whitespace();
            return parts
                .map(|part| Argument { text: part.to_owned(), known: true, quoted: false })
                .collect();
        }
        vec![whole]
    }

    /// Follows the commands within a text that is no word: a here-document, an arithmetic expression, a default value.
    pub(super) fn substitutions_of(&mut self, text: &str) {
        if !text.contains(['$', '`']) || !self.step() {
            return;
        }
        if let Some(pieces) = pieces(text, true) {
            let before = std::mem::take(&mut self.followed_to);
            self.add(text, &pieces, &mut Argument { text: String::new(), known: true, quoted: false });
            self.followed_to = before;
        }
    }

    fn add(&mut self, source: &str, pieces: &[WordPieceWithSource], to: &mut Argument) {
        for piece in pieces {
            // What a substitution that ends later than its parser said is made of.
            if piece.start_index < self.followed_to {
                continue;
            }
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
                    self.substitution(source, piece, command);
                    add_source(source, piece, to);
                }
                WordPiece::BackquotedCommandSubstitution(command) => {
                    self.run_apart(&command.replace("\\`", "`"));
                    add_source(source, piece, to);
                }
                WordPiece::ParameterExpansion(expansion) => match self.value_of(expansion) {
                    Some(value) => {
                        to.known &= value.known;
                        to.text.push_str(&value.text);
                    }
                    None => {
                        texts_of(expansion).into_iter().for_each(|text| self.substitutions_of(text));
                        add_source(source, piece, to);
                    }
                },
                WordPiece::ArithmeticExpression(expression) => {
                    self.substitutions_of(&expression.value);
                    add_source(source, piece, to);
                }
                WordPiece::TildeExpansion(_) => add_source(source, piece, to),
            }
        }
    }

    /// Follows a command substitution. The parser of words takes the bracket behind a pattern of `case` for its end; then the first
    /// bracket is, with which it can be parsed.
    fn substitution(&mut self, source: &str, piece: &WordPieceWithSource, command: &str) {
        let rest = source.get(piece.start_index..).and_then(|rest| rest.strip_prefix("$("));
        if !command.contains("case") || super::parsed(command).is_some() {
            return self.run_apart(command);
        }
        let Some(rest) = rest else { return self.found.unparsed.push(source.to_owned()) };
        let ends = rest.match_indices(')').map(|(at, _)| at).filter(|at| *at >= command.len());
        for end in ends.take(MOST_ENDS) {
            if super::parsed(&rest[..end]).is_some() {
                self.run_apart(&rest[..end]);
                self.followed_to = piece.start_index + "$(".len() + end + 1;
                return;
            }
        }
        // What stands within it may be anywhere in the word.
        self.found.unparsed.push(source.to_owned());
    }

    /// The value of a variable or of an argument, where it was given one.
    fn value_of(&self, expansion: &ParameterExpr) -> Option<Argument> {
        let ParameterExpr::Parameter { parameter, indirect: false } = expansion else { return None };
        match parameter {
            Parameter::Named(name) => {
                let text = self.state.partly(name)?.to_owned();
                Some(Argument { text, known: self.state.get(name).is_some(), quoted: false })
            }
            Parameter::Positional(at) => {
                let at = usize::try_from(*at).ok()?.checked_sub(1)?;
                self.positional.as_ref()?.get(at).cloned()
            }
            Parameter::Special(SpecialParameter::AllPositionalParameters { .. }) => {
                let arguments = self.positional.as_ref()?;
                let texts: Vec<&str> = arguments.iter().map(|argument| argument.text.as_str()).collect();
                let known = arguments.iter().all(|argument| argument.known);
                Some(Argument { text: texts.join(" "), known, quoted: false })
            }
            _ => None,
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

/// True for a word that stands in quotation marks as a whole. A list of arguments is as many words there, too.
fn is_quoted(pieces: &[WordPieceWithSource], source: &str) -> bool {
    let is_list = ["$@", "${@", "[@]"].iter().any(|list| source.contains(list));
    !is_list && matches!(pieces, [WordPieceWithSource { piece: WordPiece::DoubleQuotedSequence(_), .. }])
}

/// The texts within an expansion that the shell expands as well: `npm root` of `${X:-$(npm root)}`.
fn texts_of(expansion: &ParameterExpr) -> Vec<&str> {
    use ParameterExpr as Expr;
    let texts: [Option<&str>; 2] = match expansion {
        Expr::UseDefaultValues { default_value: text, .. }
        | Expr::AssignDefaultValues { default_value: text, .. }
        | Expr::IndicateErrorIfNullOrUnset { error_message: text, .. }
        | Expr::UseAlternativeValue { alternative_value: text, .. }
        | Expr::RemoveSmallestSuffixPattern { pattern: text, .. }
        | Expr::RemoveLargestSuffixPattern { pattern: text, .. }
        | Expr::RemoveSmallestPrefixPattern { pattern: text, .. }
        | Expr::RemoveLargestPrefixPattern { pattern: text, .. } => [text.as_deref(), None],
        Expr::Substring { offset, length, .. } => {
            [Some(offset.value.as_str()), length.as_ref().map(|length| length.value.as_str())]
        }
        Expr::ReplaceSubstring { pattern, replacement, .. } => {
            [Some(pattern.as_str()), replacement.as_deref()]
        }
        _ => [None, None],
    };
    texts.into_iter().flatten().collect()
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

/// Most brackets that are tried as the end of a substitution.
const MOST_ENDS: usize = 32;

/// Most words that one word with braces becomes.
const MOST_BRACED: usize = 64;

/// The words that a word with braces becomes, `.env{,.bak}`; `None` for one without, or with more than plain text.
fn braced(source: &str) -> Option<Vec<String>> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:=+@%*?{},".contains(&byte);
    if !source.contains('{') || !source.contains(',') || !source.bytes().all(is_plain) {
        return None;
    }
    let mut words = vec![source.to_owned()];
    while let Some(at) = words.iter().position(|word| innermost(word).is_some()) {
        let word = words.remove(at);
        let (begin, end) = innermost(&word)?;
        let each = word[begin + 1..end]
            .split(',')
            .map(|part| format!("{}{part}{}", &word[..begin], &word[end + 1..]));
        words.splice(at..at, each);
        if words.len() > MOST_BRACED {
            return None;
        }
    }
    (words.len() > 1).then_some(words)
}

/// The first pair of braces with a comma and no pair between them.
fn innermost(word: &str) -> Option<(usize, usize)> {
    word.match_indices('}').find_map(|(end, _)| {
        let begin = word[..end].rfind('{')?;
        let inner = &word[begin + 1..end];
        (inner.contains(',') && !inner.contains('}')).then_some((begin, end))
    })
}

/// A text between `$'` and `'` with its plain escapes; others stay.
fn plain_escapes(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\t", "\t").replace("\\'", "'").replace("\\\\", "\\")
}
