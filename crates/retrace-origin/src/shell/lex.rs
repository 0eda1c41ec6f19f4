//! A shell command as simple commands with words, redirections and texts given in place. No expansion is made: a word that
//! needs one says so.

/// A word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    /// Its text without quotes.
    pub text: String,
    /// True if the shell would make something else of it: a variable, a command, a pattern.
    pub expands: bool,
    /// True if it holds a backslash that the command itself may read.
    pub backslash: bool,
    /// The variables in it, in order.
    pub variables: Vec<Variable>,
    /// True if something in it expands that is no plain variable.
    pub opaque: bool,
}

/// A plain variable in a word: `$X` or `${X}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    /// Where it stands in the word's text.
    pub at: std::ops::Range<usize>,
    pub name: String,
    pub quoted: bool,
}

/// Separator between a command and the one before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Joint {
    /// The beginning, `;`, `&`, a line end or a parenthesis.
    #[default]
    After,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `|`
    Pipe,
}

/// Where output goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Redirection {
    pub to: Word,
    pub append: bool,
    /// True if it takes the standard output.
    pub output: bool,
}

/// A command without control of flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Simple {
    pub words: Vec<Word>,
    pub redirections: Vec<Redirection>,
    /// The text given as its input; `None` within where it would be expanded.
    pub input: Option<Option<String>>,
    pub joint: Joint,
    /// Number of open parentheses around it.
    pub depth: usize,
}

/// Commands of one call are short; what is longer than this is not read. 1 MiB.
const MAX_BYTES: usize = 1 << 20;

/// The word that begins a test: within it `<`, `>`, `(` and `|` are no marks of the shell.
pub(super) const TEST: &str = "[[";

/// Stands for `(( … ))`, whose text is no command.
pub(super) const ARITHMETIC: &str = "((";

/// Simple commands in order. `None` for what does not end (an open quote) or is too long.
pub(super) fn commands(text: &str) -> Option<Vec<Simple>> {
    if text.len() > MAX_BYTES {
        return None;
    }
    let mut lexer = Lexer {
        bytes: text.as_bytes(),
        at: 0,
        done: Vec::new(),
        now: Simple::default(),
        waiting: Vec::new(),
        depth: 0,
        in_test: false,
    };
    lexer.run()?;
    Some(lexer.done)
}

/// A text in place whose lines are still to come.
struct Waiting {
    end: String,
    strip_tabs: bool,
    literal: bool,
    /// Its command: one that is done, or the one being read.
    command: usize,
}

struct Lexer<'t> {
    bytes: &'t [u8],
    at: usize,
    done: Vec<Simple>,
    now: Simple,
    waiting: Vec<Waiting>,
    depth: usize,
    /// Between `[[` and `]]`.
    in_test: bool,
}

impl Lexer<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn takes(&mut self, text: &[u8]) -> bool {
        let found = self.bytes[self.at..].starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    fn run(&mut self) -> Option<()> {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\\' if self.bytes.get(self.at + 1) == Some(&b'\n') => self.at += 2,
                b'\n' | b'#' | b'(' | b')' | b'|' | b'&' | b'<' | b'>' if self.in_test => self.at += 1,
                b'\n' => {
                    self.at += 1;
                    self.end(Joint::After);
                    self.texts_in_place()?;
                }
                b'#' => {
                    let rest = &self.bytes[self.at..];
                    self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                }
                b';' => {
                    self.at += 1;
                    self.end(Joint::After);
                }
                b'(' if self.may_begin() && self.arithmetic() => {}
                b'(' => {
                    if self.now.words.last().is_some_and(|word| word.text.ends_with('=')) {
                        self.list()?;
                        continue;
                    }
                    self.at += 1;
                    if matches!(self.peek(), Some(b')')) {
                        // The effects of a function are not followed.
                        return None;
                    }
                    self.end(Joint::After);
                    self.depth += 1;
                }
                b')' => {
                    self.at += 1;
                    self.end(Joint::After);
                    self.depth = self.depth.saturating_sub(1);
                }
                b'|' => {
                    let or = self.takes(b"||");
                    if !or {
                        self.at += 1;
                        self.takes(b"&");
                    }
                    self.end(if or { Joint::Or } else { Joint::Pipe });
                }
                b'&' if self.bytes.get(self.at + 1) == Some(&b'>') => {
                    self.at += 1;
                    self.redirection(None)?;
                }
                b'&' => {
                    self.at += 1;
                    let and = self.takes(b"&");
                    self.end(if and { Joint::And } else { Joint::After });
                }
                b'>' | b'<' => self.redirection(None)?,
                b'0'..=b'9' if matches!(self.bytes.get(self.at + 1), Some(b'>' | b'<')) => {
                    self.at += 1;
                    self.redirection(Some(byte))?;
                }
                _ => {
                    let may_begin = self.may_begin();
                    let word = self.word()?;
                    self.in_test = match word.text.as_str() {
                        TEST => may_begin || self.in_test,
                        "]]" => false,
                        _ => self.in_test,
                    };
                    self.now.words.push(word);
                }
            }
        }
        self.end(Joint::After);
        // A text in place that never came.
        self.waiting.is_empty().then_some(())
    }

    /// True where a command may begin: behind nothing, or behind words such as `if` and `!`.
    fn may_begin(&self) -> bool {
        let opens = |word: &Word| word.text == "!" || super::keyword(word).is_some();
        self.now.words.iter().all(opens)
    }

    /// Passes over `(( … ))`; `false` for two parentheses that are not closed together.
    fn arithmetic(&mut self) -> bool {
        let Some(rest) = self.bytes[self.at..].strip_prefix(b"((") else { return false };
        let mut open = 0_usize;
        for (at, byte) in rest.iter().enumerate() {
            match byte {
                b'(' => open += 1,
                b')' if open > 0 => open -= 1,
                b')' if rest.get(at + 1) == Some(&b')') => {
                    self.at += at + 4;
                    let text = ARITHMETIC.to_owned();
                    self.now.words.push(Word { text, expands: true, opaque: true, ..Word::default() });
                    return true;
                }
                b')' => return false,
                _ => {}
            }
        }
        false
    }

    /// Ends the command being read; `joint` is what stands behind it.
    fn end(&mut self, joint: Joint) {
        self.in_test = false;
        let depth = self.depth;
        let mut command = std::mem::replace(&mut self.now, Simple { joint, depth, ..Simple::default() });
        command.depth = depth;
        if command == (Simple { joint: command.joint, depth, ..Simple::default() }) {
            // A line may end after `&&`.
            if joint == Joint::After {
                self.now.joint = command.joint;
            }
            return;
        }
        self.done.push(command);
    }

    /// Passes over `X=( … )`: the list is not followed.
    fn list(&mut self) -> Option<()> {
        self.at += 1;
        while self.peek()? != b')' {
            match self.peek()? {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                b';' | b'&' | b'|' | b'<' | b'>' | b'(' => return None,
                _ => drop(self.word()?),
            }
        }
        self.at += 1;
        if let Some(word) = self.now.words.last_mut() {
            (word.expands, word.opaque) = (true, true);
        }
        Some(())
    }

    fn redirection(&mut self, number: Option<u8>) -> Option<()> {
        if self.takes(b"<<<") {
            let word = self.next_word()?;
            self.now.input = Some((!word.expands).then(|| format!("{}\n", word.text)));
            return Some(());
        }
        if self.takes(b"<<") {
            let strip_tabs = self.takes(b"-");
            let start = self.at;
            let word = self.next_word()?;
            let literal = self.bytes[start..self.at].iter().any(|byte| matches!(byte, b'\'' | b'"' | b'\\'));
            self.now.input = Some(None);
            self.waiting.push(Waiting { end: word.text, strip_tabs, literal, command: self.done.len() });
            return Some(());
        }
        if self.takes(b"<(") {
            return None;
        }
        if self.takes(b"<") {
            self.takes(b"&");
            self.next_word()?;
            self.now.input = Some(None);
            return Some(());
        }
        if !self.takes(b">") {
            return None;
        }
        let append = self.takes(b">");
        self.takes(b"|");
        if self.takes(b"&") {
            // Another descriptor.
            self.next_word()?;
            return Some(());
        }
        let to = self.next_word()?;
        self.now.redirections.push(Redirection {
            to,
            append,
            output: number.is_none_or(|number| number == b'1'),
        });
        Some(())
    }

    fn next_word(&mut self) -> Option<Word> {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        self.word()
    }

    fn word(&mut self) -> Option<Word> {
        let mut text: Vec<u8> = Vec::new();
        let mut word = Word::default();
        let start = self.at;
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')' => break,
                b'\'' => {
                    let rest = &self.bytes[self.at + 1..];
                    let end = memchr::memchr(b'\'', rest)?;
                    word.backslash |= rest[..end].contains(&b'\\');
                    text.extend_from_slice(&rest[..end]);
                    self.at += end + 2;
                }
                b'"' => self.quoted(&mut text, &mut word)?,
                b'\\' => {
                    let next = self.bytes.get(self.at + 1)?;
                    if *next != b'\n' {
                        text.push(*next);
                    }
                    self.at += 2;
                }
                b'$' if self.home(&mut text) => {}
                b'$' if self.variable(&mut text, &mut word, false) => {}
                b'$' if self.bytes.get(self.at + 1) == Some(&b'(') => {
                    (word.expands, word.opaque) = (true, true);
                    self.substitution()?;
                }
                _ => {
                    let expands = matches!(byte, b'$' | b'`' | b'*' | b'?' | b'[' | b'{');
                    word.expands |= expands;
                    word.opaque |= expands;
                    text.push(byte);
                    self.at += 1;
                }
            }
        }
        if self.at == start {
            return None;
        }
        word.text = String::from_utf8(text).ok()?;
        Some(word)
    }

    /// Within double quotes.
    fn quoted(&mut self, text: &mut Vec<u8>, word: &mut Word) -> Option<()> {
        self.at += 1;
        loop {
            match self.peek()? {
                b'"' => {
                    self.at += 1;
                    return Some(());
                }
                b'\\' => {
                    let next = *self.bytes.get(self.at + 1)?;
                    match next {
                        b'$' | b'`' | b'"' | b'\\' => {
                            word.backslash |= next == b'\\';
                            text.push(next);
                        }
                        b'\n' => {}
                        _ => {
                            word.backslash = true;
                            text.extend_from_slice(&[b'\\', next]);
                        }
                    }
                    self.at += 2;
                }
                b'$' if self.home(text) => {}
                b'$' if self.variable(text, word, true) => {}
                b'$' if self.bytes.get(self.at + 1) == Some(&b'(') => {
                    (word.expands, word.opaque) = (true, true);
                    self.substitution()?;
                }
                byte => {
                    let expands = byte == b'`' || (byte == b'$' && self.begins_variable());
                    word.expands |= expands;
                    word.opaque |= expands;
                    text.push(byte);
                    self.at += 1;
                }
            }
        }
    }

    fn begins_variable(&self) -> bool {
        self.bytes.get(self.at + 1).is_some_and(|next| {
            next.is_ascii_alphanumeric()
                || matches!(next, b'_' | b'{' | b'(' | b'?' | b'!' | b'@' | b'*' | b'#' | b'$')
        })
    }

    /// Reads `$X` or `${X}`; it stays in the text as it is. `false` for anything else behind a `$`.
    fn variable(&mut self, text: &mut Vec<u8>, word: &mut Word, quoted: bool) -> bool {
        let rest = &self.bytes[self.at + 1..];
        let braced = rest.first() == Some(&b'{');
        let name: Vec<u8> = rest[usize::from(braced)..]
            .iter()
            .copied()
            .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            .collect();
        let ends = !braced || rest.get(1 + name.len()) == Some(&b'}');
        let Ok(name) = String::from_utf8(name) else { return false };
        if !ends || name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) {
            return false;
        }
        let length = 1 + name.len() + if braced { 2 } else { 0 };
        let at = text.len()..text.len() + length;
        text.extend_from_slice(&self.bytes[self.at..self.at + length]);
        self.at += length;
        word.expands = true;
        word.variables.push(Variable { at, name, quoted });
        true
    }

    /// `$HOME` at the beginning of a word, or of a value that is assigned, is `~`, which paths are resolved with.
    fn home(&mut self, text: &mut Vec<u8>) -> bool {
        let begins = text.is_empty()
            || text
                .strip_suffix(b"=")
                .is_some_and(|name| name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_'));
        if !begins {
            return false;
        }
        for name in [&b"${HOME}"[..], b"$HOME"] {
            let rest = &self.bytes[self.at..];
            let after = rest.get(name.len());
            if rest.starts_with(name)
                && after.is_none_or(|after| !after.is_ascii_alphanumeric() && *after != b'_')
            {
                text.push(b'~');
                self.at += name.len();
                return true;
            }
        }
        false
    }

    /// Passes over `$( … )`.
    fn substitution(&mut self) -> Option<()> {
        let mut open = 0_usize;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'(' => open += 1,
                b')' => {
                    open -= 1;
                    if open == 0 {
                        return Some(());
                    }
                }
                b'\\' => self.at += 1,
                b'\'' => self.at += memchr::memchr(b'\'', self.bytes.get(self.at..)?)? + 1,
                _ => {}
            }
        }
        None
    }

    /// Reads the texts given in place by the line before.
    fn texts_in_place(&mut self) -> Option<()> {
        for waiting in std::mem::take(&mut self.waiting) {
            let mut body = String::new();
            loop {
                if self.at >= self.bytes.len() {
                    return None;
                }
                let rest = &self.bytes[self.at..];
                let end = memchr::memchr(b'\n', rest);
                let line = std::str::from_utf8(&rest[..end.unwrap_or(rest.len())]).ok()?;
                self.at += end.map_or(rest.len(), |end| end + 1);
                let line = if waiting.strip_tabs { line.trim_start_matches('\t') } else { line };
                if line == waiting.end {
                    break;
                }
                body.push_str(line);
                body.push('\n');
            }
            let input = if waiting.literal { Some(body) } else { unexpanded(&body) };
            if let Some(command) = self.done.get_mut(waiting.command) {
                command.input = Some(input);
            }
        }
        Some(())
    }
}

/// A text in place that the shell looks at, where it leaves it as it is but for backslashes.
fn unexpanded(body: &str) -> Option<String> {
    let mut text = String::with_capacity(body.len());
    let mut letters = body.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '`' => return None,
            '$' if letters
                .peek()
                .is_some_and(|next| next.is_alphanumeric() || "_{(?!@*#$".contains(*next)) =>
            {
                return None;
            }
            '\\' => match letters.peek() {
                Some('\n') => drop(letters.next()),
                Some(next @ ('$' | '`' | '\\')) => {
                    text.push(*next);
                    letters.next();
                }
                _ => text.push('\\'),
            },
            letter => text.push(letter),
        }
    }
    Some(text)
}
