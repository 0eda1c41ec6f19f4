//! From a normalised text to the parts of its marked stream.
//!
//! The text is cut into runs of one kind; a run's kind, its neighbours and the frame decide which markers it writes. The walk
//! looks one run back and one character ahead, keeps nothing else, and hands every part to a [`Sink`] in the order of the
//! stream. So one description serves counting, which wants parts that can be looked up, and writing, which wants the stream.

use crate::character::{Class, Kind, is_circled, leading_letters};

/// The one kind of whitespace that is left outside ASCII.
const IDEOGRAPHIC_SPACE: char = '\u{3000}';

/// Receives the parts of a stream in order. Parts that follow each other touch: only a sink that knows where a stream may be
/// cut may treat them apart.
pub(crate) trait Sink {
    /// A word that is written in full: case marker, opening, letters, end.
    fn word(&mut self, run: &str);
    /// Anything that pieces may join to what stands beside it: `text`, with an opening before and an end after it.
    fn joined(&mut self, opens: bool, text: &str, closes: bool);
    /// `length` times the same whitespace character.
    fn blank(&mut self, character: char, length: usize);
    /// A stretch of ASCII digits.
    fn digits(&mut self, digits: &str);
}

/// Walks through `text`, which is normalised and does not end in a newline, and tells `sink`. `frame_opens` says that the
/// frame before the message ends in an opening.
pub(crate) fn walk(text: &str, frame_opens: bool, sink: &mut impl Sink) {
    let mut walk = Walk {
        text,
        frame_opens,
        sink,
        held_space: false,
        closed: false,
        binds: false,
        after_free_quote: false,
    };
    walk.head();
    let mut at = 0;
    while at < text.len() {
        at = walk.run(at);
    }
    walk.flush_space(false);
}

struct Walk<'text, 'sink, S> {
    text: &'text str,
    frame_opens: bool,
    sink: &'sink mut S,
    /// A run of exactly one U+0020 after an end of word: dropped where an opening follows.
    held_space: bool,
    /// The stream ends in an end of word, apart from a held space.
    closed: bool,
    /// The run before binds to the right: a `'` after it does not begin a contraction.
    binds: bool,
    /// The run before is exactly `'`, and the one before that does not bind to it.
    after_free_quote: bool,
}

impl<S: Sink> Walk<'_, '_, S> {
    /// The frame's opening, unless the first run brings its own.
    fn head(&mut self) {
        let Some(first) = self.text.chars().next().filter(|_| self.frame_opens) else {
            if self.frame_opens {
                self.sink.joined(true, "", false);
            }
            return;
        };
        let brings_opening = match Class::of(first).kind() {
            Kind::Word => true,
            Kind::Punctuation => {
                if self.is_lone_quote(0, self.punctuation_end(0)) && self.word_begins(1) {
                    self.sink.blank(' ', 1);
                }
                true
            }
            Kind::Digit => Class::of(first) == Class::ArabicDigit,
            Kind::Space => first == ' ',
            Kind::Hard => self.hard_part(0, first).opens,
        };
        if !brings_opening {
            self.sink.joined(true, "", false);
        }
    }

    /// One run from `at` (of a hard run: one part). Where it ends.
    fn run(&mut self, at: usize) -> usize {
        let first = self.text.as_bytes()[at];
        if first.is_ascii() {
            return self.run_of(at, Kind::of_byte(first), char::from(first));
        }
        let character = self.text[at..].chars().next().unwrap_or(char::REPLACEMENT_CHARACTER);
        self.run_of(at, Class::of(character).kind(), character)
    }

    #[inline]
    fn run_of(&mut self, at: usize, kind: Kind, first: char) -> usize {
        match kind {
            Kind::Word => self.word(at),
            Kind::Punctuation => self.punctuation(at),
            Kind::Space => self.space(at),
            Kind::Digit => self.number(at),
            Kind::Hard => self.hard(at, first),
        }
    }

    fn word(&mut self, at: usize) -> usize {
        let mut end = at + leading_letters(&self.text.as_bytes()[at..]);
        if self.text.as_bytes().get(end).is_some_and(|byte| !byte.is_ascii()) {
            end = self.kind_end(end, Kind::Word);
        }
        let run = &self.text[at..end];
        if self.after_free_quote && matches!(run, "s" | "t" | "d" | "m" | "ll" | "re" | "ve") {
            self.sink.joined(false, run, true);
        } else {
            self.flush_space(true);
            self.sink.word(run);
        }
        self.closed = true;
        self.binds =
            !run.as_bytes()[run.len() - 1].is_ascii() && run.chars().next_back().is_some_and(is_circled);
        self.after_free_quote = false;
        end
    }

    fn punctuation(&mut self, at: usize) -> usize {
        let end = self.punctuation_end(at);
        let is_lone_quote = self.is_lone_quote(at, end);
        let opens = self.space_before(at) && !(is_lone_quote && self.word_begins(end));
        let closes = self.space_after(end);
        self.flush_space(opens);
        self.sink.joined(opens, &self.text[at..end], closes);
        self.after_free_quote = is_lone_quote && !self.binds;
        self.closed = closes;
        self.binds = true;
        end
    }

    fn space(&mut self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut end = at;
        // The common case first: one space between two words.
        let is_one_space = bytes[at] == b' ' && !self.space_continues(at + 1);
        if is_one_space {
            end += 1;
            if self.closed {
                self.held_space = true;
            } else {
                self.sink.blank(' ', 1);
            }
        } else {
            while self.space_continues(end) {
                let start = end;
                let (character, width) = self.blank_at(start);
                while self.space_continues(end) && self.blank_at(end).0 == character {
                    end += width;
                }
                self.sink.blank(character, (end - start) / width);
            }
            self.closed = false;
        }
        self.binds = false;
        self.after_free_quote = false;
        end
    }

    fn number(&mut self, at: usize) -> usize {
        let end = self.kind_end(at, Kind::Digit);
        let run = &self.text[at..end];
        let is_arabic = |byte: Option<&u8>| byte.is_some_and(|byte| !byte.is_ascii());
        let (begins, ends) = (is_arabic(run.as_bytes().first()), is_arabic(run.as_bytes().last()));
        let opens = begins && self.space_before(at);
        let closes = ends && self.space_after(end);
        self.flush_space(opens);
        let mut from = 0;
        while from < run.len() {
            let ascii = run.as_bytes()[from].is_ascii();
            let length = run.as_bytes()[from..].iter().take_while(|byte| byte.is_ascii() == ascii).count();
            let stretch = &run[from..from + length];
            let (is_first, is_last) = (from == 0, from + length == run.len());
            if ascii {
                self.sink.digits(stretch);
            } else {
                self.sink.joined(opens && is_first, stretch, closes && is_last);
            }
            from += length;
        }
        self.closed = closes;
        self.binds = ends;
        self.after_free_quote = false;
        end
    }

    fn hard(&mut self, at: usize, first: char) -> usize {
        let part = self.hard_part(at, first);
        let opens = part.opens && self.space_before(at);
        let closes = part.closes && self.space_after(part.end);
        self.flush_space(opens);
        self.sink.joined(opens, &self.text[at..part.end], closes);
        self.closed = closes;
        self.binds = part.closes;
        self.after_free_quote = false;
        part.end
    }

    /// The part of a hard run that begins at `at` with `first`: characters of one sub-kind, and variation selectors.
    fn hard_part(&self, at: usize, first: char) -> HardPart {
        let first_class = Class::of(first);
        let sub_kind = SubKind::of(first_class);
        let (mut end, mut last_class) = (at, first_class);
        let (mut all_digits, mut all_numbers) = (true, true);
        for character in self.text[at..].chars() {
            let class = Class::of(character);
            let stays = end == at || class == Class::VariationSelector || SubKind::of(class) == sub_kind;
            if class.kind() != Kind::Hard || !stays {
                break;
            }
            all_digits &= class == Class::OtherDigit;
            all_numbers &= class == Class::OtherNumber;
            last_class = class;
            end += character.len_utf8();
        }
        let takes = |class| matches!(class, Class::OtherPunctuation | Class::VariationSelector);
        if takes(first_class) || takes(last_class) {
            HardPart { end, opens: takes(first_class), closes: takes(last_class) }
        } else {
            let uniform = all_digits || all_numbers;
            HardPart { end, opens: uniform, closes: uniform }
        }
    }

    /// Decides on a held space now that it is known whether an opening follows.
    fn flush_space(&mut self, opens: bool) {
        if self.held_space {
            self.held_space = false;
            if !opens {
                self.sink.blank(' ', 1);
            }
        }
    }

    fn space_before(&self, at: usize) -> bool {
        match at.checked_sub(1) {
            Some(before) => self.text.as_bytes()[before] == b' ',
            None => self.frame_opens,
        }
    }

    /// One space, and not a second, at `at`.
    fn space_after(&self, at: usize) -> bool {
        let bytes = self.text.as_bytes();
        bytes.get(at) == Some(&b' ') && bytes.get(at + 1) != Some(&b' ')
    }

    fn space_continues(&self, at: usize) -> bool {
        match self.text.as_bytes().get(at) {
            Some(b' ' | b'\t' | b'\n') => true,
            Some(0xE3) => self.text[at..].starts_with(IDEOGRAPHIC_SPACE),
            _ => false,
        }
    }

    /// The whitespace character at `at`, where there is one, and its bytes.
    fn blank_at(&self, at: usize) -> (char, usize) {
        let byte = self.text.as_bytes()[at];
        if byte.is_ascii() {
            (char::from(byte), 1)
        } else {
            (IDEOGRAPHIC_SPACE, IDEOGRAPHIC_SPACE.len_utf8())
        }
    }

    fn is_lone_quote(&self, at: usize, end: usize) -> bool {
        end == at + 1 && self.text.as_bytes()[at] == b'\''
    }

    fn word_begins(&self, at: usize) -> bool {
        self.text[at..].chars().next().is_some_and(|next| Class::of(next).kind() == Kind::Word)
    }

    fn punctuation_end(&self, at: usize) -> usize {
        self.kind_end(at, Kind::Punctuation)
    }

    /// The end of the characters of one kind that begin at `at`.
    fn kind_end(&self, at: usize, kind: Kind) -> usize {
        let bytes = self.text.as_bytes();
        let mut end = at;
        while let Some(byte) = bytes.get(end) {
            if byte.is_ascii() {
                if Kind::of_byte(*byte) != kind {
                    break;
                }
                end += 1;
            } else {
                let Some(character) = self.text[end..].chars().next() else { break };
                if Class::of(character).kind() != kind {
                    break;
                }
                end += character.len_utf8();
            }
        }
        end
    }
}

/// A part of a hard run, and whether it takes an opening before and an end after it.
struct HardPart {
    end: usize,
    opens: bool,
    closes: bool,
}

/// Kind of the characters that form a hard run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SubKind {
    Punctuation,
    Number,
    Ideograph,
}

impl SubKind {
    /// A variation selector is asked about only where it begins a run, and then it begins a part of ideographs.
    fn of(class: Class) -> Self {
        match class {
            Class::OtherPunctuation => Self::Punctuation,
            Class::OtherDigit | Class::OtherNumber => Self::Number,
            _ => Self::Ideograph,
        }
    }
}
