//! The words of a text, and what its clauses do with them.

/// Verbs that ask for a change of what they name.
const CHANGES: &[&str] = &[
    "edit",
    "change",
    "modify",
    "update",
    "fix",
    "write",
    "add",
    "put",
    "set",
    "remove",
    "delete",
    "create",
    "rename",
    "move",
    "replace",
    "append",
    "insert",
    "bump",
    "revert",
    "restore",
    "regenerate",
    "generate",
    "rewrite",
    "refactor",
    "adjust",
    "correct",
    "extend",
    "touch",
    "make",
    "clean",
    "drop",
    "patch",
    "implement",
    "overwrite",
    "copy",
    "migrate",
    "format",
    "convert",
    "store",
    "save",
    "populate",
    "fill",
    "include",
    "rm",
    "apply",
    "improve",
    "simplify",
    "configure",
    "enable",
    "disable",
    "translate",
    "document",
    "merge",
    "split",
    "sync",
    "reset",
    "repair",
    "tweak",
    "comment",
    "uncomment",
    "alter",
    "paste",
    "strip",
    "truncate",
    "link",
    "resolve",
    "finish",
    "rework",
    "ändere",
    "ändern",
    "bearbeite",
    "bearbeiten",
    "schreibe",
    "schreib",
    "schreiben",
    "füge",
    "ergänze",
    "ergänzen",
    "aktualisiere",
    "aktualisieren",
    "lösche",
    "löschen",
    "erstelle",
    "erstellen",
    "behebe",
    "beheben",
    "entferne",
    "entfernen",
    "ersetze",
];

/// Verbs that ask for an act, and for no change of a file that they name.
const ACTS: &[&str] = &[
    "commit", "push", "rebase", "stash", "publish", "deploy", "use", "run", "try", "install", "call",
    "execute", "invoke", "do", "start", "build", "test", "lint", "go", "nimm", "nutze", "benutze",
];

/// Verbs that ask for a look.
const LOOKS: &[&str] = &[
    "look", "read", "see", "show", "check", "review", "open", "explain", "compare", "print", "list", "find",
    "inspect", "view", "tell", "describe", "zeige", "zeig", "lies", "schau", "prüfe",
];

/// Words behind a name of which something is said, and that refuse what follows in their clause.
const SAYING_NOT: &[&str] = &[
    "isn't",
    "isn’t",
    "aren't",
    "aren’t",
    "won't",
    "won’t",
    "mustn't",
    "mustn’t",
    "shouldn't",
    "shouldn’t",
    "cannot",
];

/// Other words that refuse what follows in their clause.
const REFUSING: &[&str] = &[
    "never",
    "not",
    "don't",
    "don’t",
    "dont",
    "no",
    "without",
    "avoid",
    "stop",
    "skip",
    "leave",
    "ignore",
    "except",
    "excluding",
    "exclude",
    "can't",
    "nicht",
    "kein",
    "keine",
    "nie",
    "niemals",
    "ohne",
    "außer",
    "ne",
    "jamais",
    "sans",
    "sin",
    "nunca",
    "jamás",
    "não",
    "nao",
    "sem",
    "не",
    "без",
    "никогда",
];

/// Words between clauses.
const BETWEEN: &[&str] = &[
    "but", "and", "then", "just", "so", "und", "aber", "sondern", "dann", "nur", "et", "puis", "mais", "y",
    "luego", "pero", "e", "depois", "mas",
];

/// Those behind which nothing is asked or refused yet.
const OTHERWISE: &[&str] = &["but", "aber", "sondern", "mais", "pero", "mas"];

/// Refusals that a verb follows, be it behind a comma.
const OF_VERBS: &[&str] = &[
    "never", "not", "don't", "don’t", "dont", "nicht", "nie", "niemals", "avoid", "ne", "jamais", "nunca",
    "não",
];

/// Words before a "not" with which it refuses nothing: "if not, merge it".
const IF: &[&str] = &["if", "why"];

/// Verbs of acts that are nouns as well: "push failed", "publish to npm failed".
const NOUNS: &[&str] = &[
    "commit", "push", "merge", "rebase", "stash", "publish", "deploy", "build", "test", "lint", "install",
    "run",
];

/// Words between such a noun and what is said of it.
const OF_NOUNS: &[&str] =
    &["to", "on", "of", "in", "for", "from", "with", "job", "step", "workflow", "command"];

/// Verbs behind a refusal with which it asks for what follows: "don't forget to update".
const AFTER_ALL: &[&str] = &["forget", "hesitate", "fail", "vergiss"];

/// Words that begin a question within a sentence: "tell me how to change it".
const WITHIN: &[&str] = &["how", "why", "what", "whether", "where", "which", "who", "wie", "warum", "ob"];

/// Verbs whose object is put somewhere, and is not changed itself.
const PUTTING: &[&str] = &["add", "put", "include", "append", "insert", "copy", "link", "paste"];

/// Words behind which it is named where something is put.
const TO: &[&str] = &["to", "in", "into", "zu", "nach"];

/// Words before a name that is spoken of.
const ASIDE: &[&str] = &["of", "like", "about", "than", "per", "von", "wie"];

/// Marks around words.
const AROUND: &[char] = &['¿', '¡', '"', '\'', '`', '(', ')', '“', '”', '*', '「', '」', '[', ']', '<', '>'];

/// Words before a noun.
const DETERMINERS: &[&str] = &[
    "the", "a", "an", "this", "that", "these", "those", "my", "your", "our", "its", "their", "last", "each",
    "every", "any", "of", "about", "from", "after", "before", "since", "der", "die", "das", "von",
];

/// Whose deed a verb behind them tells.
const TELLING: &[&str] =
    &["i", "we", "they", "he", "she", "it", "which", "who", "that", "does", "did", "ich"];

/// Words that begin a question.
const ASKING: &[&str] = &[
    "what", "what's", "whats", "why", "how", "where", "which", "who", "whose", "is", "are", "does", "did",
    "was", "were", "should", "has", "have", "warum", "was", "wie", "wo", "welche", "ist",
];

/// Words that begin a question which asks for something all the same: "can you …?"
const REQUESTING: &[&str] = &[
    "can",
    "could",
    "would",
    "will",
    "please",
    "kannst",
    "könntest",
    "bitte",
    "kann",
    "mind",
    "let's",
    "peux-tu",
    "peux",
    "pouvez-vous",
    "pouvez",
    "puedes",
    "podrías",
    "puede",
    "favor",
    "pode",
    "poderia",
];

/// Other words behind a name of which something is said: "`.env` must …".
const SAYING: &[&str] = &[
    "is", "are", "was", "were", "must", "should", "may", "can", "shall", "will", "has", "does", "doesn't",
    "stays", "remains", "fails", "failed", "gives", "says", "shows", "takes", "hangs", "crashes", "breaks",
    "works",
];

/// Words that leave what stands before them as it is.
const UNTOUCHED: &[&str] = &["alone", "untouched", "unchanged", "intact", "as-is", "out", "off-limits"];

/// Words before a name, or behind it, with which a plain word is one.
const FILES: &[&str] = &["file", "files", "script", "directory", "folder", "datei", "ordner", "file:"];

/// Words by which a verb takes what was named before.
const PRONOUNS: &[&str] = &["it", "them", "this", "that", "one", "sie", "es"];

/// Words behind a name in which a word still belongs to what is said of it.
const NEAR: usize = 4;

/// A word of a text.
pub(super) struct Word {
    /// Without marks at its ends.
    text: String,
    lower: String,
    /// True between marks of code or quotation marks.
    is_marked: bool,
    /// True if a clause ends behind it.
    ends_clause: bool,
    /// True if a colon stands behind it.
    is_topic: bool,
}

/// What a clause does with what it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mood {
    /// Nothing is asked yet.
    Open,
    Asks,
    Refuses,
}

/// What is looked for in a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    /// A change of a file.
    Changes,
    /// Any act.
    Acts,
}

/// How long a refusal waits for its verb.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waits {
    No,
    /// To the end of its clause.
    InClause,
    /// Through clauses that stand between: "do not, under any circumstances, edit".
    Through,
}

/// A sentence.
pub(super) struct Clauses {
    pub(super) words: Vec<Word>,
    moods: Vec<Mood>,
    /// True if the next sentence asks for it: "FOO is missing in `.env`. Add it."
    is_taken_up: bool,
}

/// The sentences of a text.
pub(super) struct Sentences(Vec<Clauses>);

impl Sentences {
    /// True if it is so at a word of a sentence that asks for something.
    pub(super) fn any(&self, is_so: impl Fn(&Clauses, usize) -> bool) -> bool {
        self.0.iter().any(|clauses| (0..clauses.words.len()).any(|at| is_so(clauses, at)))
    }
}

impl Word {
    /// In lower case.
    pub(super) fn plain(&self) -> &str {
        &self.lower
    }

    pub(super) fn ends_clause(&self) -> bool {
        self.ends_clause
    }

    pub(super) fn is_marked(&self) -> bool {
        self.is_marked
    }

    /// True for what is no word of a language: a path, or what stands between marks.
    pub(super) fn is_name(&self) -> bool {
        self.is_marked || self.text.contains(['.', '/'])
    }

    /// True for a verb that asks for a change.
    pub(super) fn is_change(&self) -> bool {
        is_any_form(self, CHANGES)
    }

    fn is_one_of(&self, words: &[&str]) -> bool {
        words.contains(&self.plain())
    }

    fn refuses(&self) -> bool {
        self.is_one_of(REFUSING) || self.is_one_of(SAYING_NOT)
    }

    fn says_something(&self) -> bool {
        self.is_one_of(SAYING) || self.is_one_of(SAYING_NOT)
    }

    /// True if it names a path: as the whole of it or the end, part by part. A plain word that no mark says to be a name is a word.
    pub(super) fn is_path(&self, path: &str, is_called_a_file: bool) -> bool {
        let named = self.plain().replace('\\', "/");
        let named = named.trim_start_matches('@').trim_start_matches("./").trim_end_matches('/');
        // A line of the file: `main.rs:12`.
        let is_line = |line: &str| line.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
        let named = named.split_once(':').filter(|(_, line)| is_line(line)).map_or(named, |(name, _)| name);
        let is_plain = named.chars().all(char::is_alphabetic) && self.text == self.plain();
        if named.is_empty() || is_plain && !self.is_marked && !is_called_a_file {
            return false;
        }
        let path = path.to_lowercase();
        path == named
            || !named.starts_with('/') && path.strip_suffix(named).is_some_and(|rest| rest.ends_with('/'))
    }
}

impl Clauses {
    /// The sentences of a text that may ask for something.
    pub(super) fn of(text: &str, of: Of) -> Sentences {
        let mut all = Vec::new();
        for line in lines(text) {
            let mut words: Vec<Word> = Vec::new();
            for raw in line.split_whitespace() {
                let end = raw.trim_end_matches(AROUND);
                words.extend(word(raw));
                if end.ends_with(['.', '!', '?', '。', '？', ';', '…']) {
                    all.extend(Self::sentence(std::mem::take(&mut words), end.ends_with(['?', '？']), of));
                }
            }
            all.extend(Self::sentence(words, false, of));
        }
        for at in 1..all.len() {
            all[at - 1].is_taken_up = all[at].takes_up();
        }
        Sentences(all)
    }

    /// True if a sentence begins with a verb that asks, and "it".
    fn takes_up(&self) -> bool {
        (0..self.words.len().min(NEAR)).any(|at| {
            let is_pronoun = self.words.get(at + 1).is_some_and(|next| next.is_one_of(PRONOUNS));
            is_pronoun && self.is_verb(at) && self.mood(at) == Mood::Asks && self.begins_sentence(at)
        })
    }

    /// A sentence; `None` for a question that asks for nothing but an answer.
    fn sentence(words: Vec<Word>, is_question: bool, of: Of) -> Option<Self> {
        let first = words.first()?;
        let mut before = words.iter().take_while(|word| !word.is_one_of(ASKING)).take(NEAR);
        if !before.any(|word| word.is_one_of(REQUESTING)) && (is_question || first.is_one_of(ASKING)) {
            return None;
        }
        let mut clauses = Self { moods: Vec::with_capacity(words.len()), words, is_taken_up: false };
        clauses.read(of);
        Some(clauses)
    }

    /// Finds the mood of each word.
    fn read(&mut self, of: Of) {
        let mut mood = Mood::Open;
        let (mut waits, mut has_ended, mut is_asking) = (Waits::No, false, false);
        for at in 0..self.words.len() {
            let word = &self.words[at];
            let refuses = self.refuses(at);
            let is_verb = !refuses && self.is_verb(at);
            if refuses {
                (mood, waits, has_ended) = (Mood::Refuses, Waits::InClause, false);
            } else if mood == Mood::Refuses && word.is_one_of(AFTER_ALL) {
                (mood, waits, has_ended) = (Mood::Open, Waits::No, false);
            } else if is_verb && !is_asking {
                if mood != Mood::Refuses || has_ended && waits == Waits::No {
                    let asks = of == Of::Acts && !is_any_form(word, LOOKS) || is_any_form(word, CHANGES);
                    mood = if asks { Mood::Asks } else { Mood::Open };
                }
                (waits, has_ended) = (Waits::No, false);
            } else if word.is_one_of(BETWEEN) {
                has_ended = true;
                // Behind "but" nothing is asked or refused yet.
                if word.is_one_of(OTHERWISE) && waits == Waits::No {
                    mood = Mood::Open;
                }
            } else if word.ends_clause && waits == Waits::InClause {
                waits = Waits::No;
            }
            // "never edit, move or delete": the next verb has the same refusal.
            let governs = refuses && word.is_one_of(OF_VERBS) || is_verb && mood == Mood::Refuses;
            if governs && (word.ends_clause || self.is_before_between(at)) {
                waits = Waits::Through;
            } else if refuses && word.ends_clause {
                waits = Waits::No;
            }
            has_ended |= word.ends_clause;
            is_asking = !word.ends_clause && (is_asking || mood == Mood::Open && word.is_one_of(WITHIN));
            self.moods.push(mood);
        }
    }

    fn is_before_between(&self, at: usize) -> bool {
        self.words.get(at + 1).is_some_and(|next| next.is_one_of(BETWEEN))
    }

    /// True for a word that refuses. "instead" and "rather" refuse with what stands behind them.
    fn refuses(&self, at: usize) -> bool {
        let word = &self.words[at];
        let next = |with: &str| self.words.get(at + 1).is_some_and(|next| next.plain() == with);
        let by_two = word.is_one_of(&["instead"]) && next("of")
            || word.is_one_of(&["rather", "other"]) && next("than")
            || word.is_one_of(&["keep"]) && self.is_untouched_behind(at);
        let is_if = at > 0 && word.is_one_of(&["not"]) && self.words[at - 1].is_one_of(IF);
        !word.is_marked && (by_two || word.refuses() && !is_if)
    }

    /// True for a verb that asks: no noun behind "the", and nothing that somebody is said to do.
    pub(super) fn is_verb(&self, at: usize) -> bool {
        let before =
            |words: &[&str]| at > 0 && !self.words[at - 1].ends_clause && self.words[at - 1].is_one_of(words);
        let is_told = before(TELLING) && !self.words[0].is_one_of(REQUESTING) || before(DETERMINERS);
        if self.is_noun(at) || self.is_deed_of_others(at) {
            return false;
        }
        let word = self.words[at].plain();
        let all = || CHANGES.iter().chain(ACTS).chain(LOOKS);
        let is_passive = before(&["be"]) && all().any(|verb| is_form(word, verb, "ed"));
        !self.words[at].is_marked
            && (is_passive || !is_told && all().any(|verb| word == *verb || is_form(word, verb, "ing")))
    }

    /// True for an act that is spoken of: its clause says what became of it.
    pub(super) fn is_noun(&self, at: usize) -> bool {
        let next = |place: usize| self.words.get(place).filter(|_| !self.words[place - 1].ends_clause);
        let is_of_it = |place: usize| next(place).is_some_and(|word| word.is_one_of(OF_NOUNS));
        let said = if is_of_it(at + 1) { at + 2..at + 2 + NEAR } else { at + 1..at + 2 };
        self.words[at].is_one_of(NOUNS)
            && !self.words[at].ends_clause
            && said
                .map_while(next)
                .take_while(|word| !word.is_one_of(WITHIN) && !word.is_one_of(TELLING))
                .any(Word::says_something)
    }

    pub(super) fn mood(&self, at: usize) -> Mood {
        self.moods.get(at).copied().unwrap_or(Mood::Open)
    }

    /// True for the first word of a sentence but for a please.
    pub(super) fn begins_sentence(&self, at: usize) -> bool {
        let polite = ["please", "ok", "okay", "now", "yes", "bitte", "just", "then", "and"];
        self.words[..at].iter().all(|word| word.is_one_of(&polite))
    }

    /// True if the sentence says something of a word rather than asking for it.
    pub(super) fn tells(&self, at: usize) -> bool {
        self.words[at + 1..].iter().any(Word::says_something)
    }

    /// True for a word behind "the" or "from": a part of what is named, or what is left.
    pub(super) fn is_part_of_a_name(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map(|before| &self.words[before]);
        !self.words[at].is_marked
            && before.is_some_and(|word| !word.ends_clause && word.is_one_of(DETERMINERS))
    }

    /// True for a word of which its clause says something.
    pub(super) fn is_subject(&self, at: usize) -> bool {
        !self.words[at].ends_clause && self.words.get(at + 1).is_some_and(Word::says_something)
    }

    /// True for a name that is only put into another, "add `.env` to `.gitignore`", or spoken of, "the parser of `.env`".
    pub(super) fn is_aside(&self, at: usize) -> bool {
        let is_put = at > 0 && self.words[at - 1].is_one_of(PUTTING);
        is_put && self.behind(at).any(|at| self.words[at].is_one_of(TO))
            || at > 0 && !self.words[at - 1].ends_clause && self.words[at - 1].is_one_of(ASIDE)
    }

    pub(super) fn is_called_a_file(&self, at: usize) -> bool {
        let is_file = |at: usize| self.words.get(at).is_some_and(|word| word.is_one_of(FILES));
        is_file(at + 1) || at > 0 && is_file(at - 1)
    }

    /// The words behind one that still speak of it.
    fn behind(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let end =
            (at..self.words.len()).find(|at| self.words[*at].ends_clause || self.is_before_between(*at));
        at + 1..end.map_or(self.words.len(), |end| end + 1)
    }

    fn is_untouched_behind(&self, at: usize) -> bool {
        self.behind(at).take(NEAR).any(|at| self.words[at].is_one_of(UNTOUCHED))
    }

    /// True if what is said behind a name refuses to change it: "`.env` must not be changed", "`.env` alone".
    pub(super) fn is_refused_behind(&self, at: usize) -> bool {
        // "ändere `.env` nicht"
        let last = self.behind(at).last();
        self.is_untouched_behind(at)
            || last.is_some_and(|last| self.words[last].is_one_of(&["nicht", "nie", "niemals"]))
            || self.is_subject(at) && self.behind(at).any(|at| self.refuses(at))
    }

    /// True if a verb behind a name asks for it: at the end of its clause, behind a colon, or by a pronoun.
    pub(super) fn is_asked_behind(&self, at: usize) -> bool {
        let asks = |at: usize| self.is_verb(at) && self.mood(at) == Mood::Asks;
        let is_pronoun = |at: usize| self.words.get(at + 1).is_some_and(|next| next.is_one_of(PRONOUNS));
        let topic = (at..self.words.len()).take(NEAR).find(|at| self.words[*at].is_topic);
        self.is_taken_up
            || self.behind(at).any(asks)
            || topic.is_some_and(|topic| (topic + 1..self.words.len()).any(asks))
            || (at + 1..self.words.len()).any(|at| asks(at) && is_pronoun(at))
    }
}

/// True if a text in lower case begins as a question.
pub(super) fn begins_with_question(lower: &str) -> bool {
    let first = lower.split_whitespace().next().unwrap_or_default();
    let first = first.trim_matches(|letter: char| !letter.is_alphanumeric());
    let others = [
        "wer",
        "wann",
        "wieso",
        "weshalb",
        "pourquoi",
        "quelle",
        "quel",
        "quoi",
        "qué",
        "cuál",
        "quién",
        "qual",
        "quais",
        "почему",
        "зачем",
        "что",
        "какой",
        "когда",
        "when",
        "whats",
        "perché",
        "porque",
    ];
    let within = ["吗", "嗎", "为什么", "什么", "なぜ", "どの", "ですか", "ますか", "왜", "까요"];
    ASKING.contains(&first) || others.contains(&first) || within.iter().any(|word| lower.contains(word))
}

/// True if a text begins with a verb that asks for something.
pub(super) fn begins_with_order(text: &str) -> bool {
    let polite = [
        "please", "now", "first", "bitte", "zuerst", "erst", "just", "then", "and", "also", "you", "should",
        "let's",
    ];
    // What these ask for may be the act itself: "use main".
    let open = ["use", "try", "do", "go", "call", "start", "see", "make"];
    Clauses::of(text, Of::Acts).any(|clauses, at| {
        let is_begin = clauses.words[..at].iter().all(|word| word.is_one_of(&polite));
        is_begin && clauses.is_verb(at) && !clauses.words[at].is_one_of(&open)
    })
}

/// The lines of a text; one that goes on in lower case is no new one.
fn lines(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for line in text.lines() {
        let goes_on = line.trim_start().starts_with(char::is_lowercase);
        match all.last_mut().filter(|last| goes_on && !last.trim().is_empty()) {
            Some(last) => {
                last.push(' ');
                last.push_str(line);
            }
            None => all.push(line.to_owned()),
        }
    }
    all
}

/// A word without the marks around it; `None` for marks alone.
fn word(raw: &str) -> Option<Word> {
    let ends: &[char] = &[',', ';', ':', '!', '?', '.', '…'];
    let is_marked = raw.starts_with(['`', '"', '\'', '“']);
    let begun = raw.trim_start_matches(AROUND);
    let text = begun.trim_end_matches(|letter| AROUND.contains(&letter) || ends.contains(&letter));
    let behind = &begun[text.len()..];
    let dash = ["-", "–", "—"].contains(&raw);
    let text = text.strip_suffix("'s").unwrap_or(text);
    (!text.is_empty()).then_some(Word {
        text: text.to_owned(),
        lower: text.to_lowercase(),
        is_marked,
        ends_clause: behind.contains([',', ';', ':']) || dash,
        is_topic: behind.contains(':'),
    })
}

/// True for a verb with an ending: "editing", "moving", "setting".
pub(super) fn is_form(word: &str, verb: &str, ending: &str) -> bool {
    let Some(stem) = word.strip_suffix(ending) else { return false };
    let doubled = || {
        let last = stem.chars().next_back();
        last.is_some_and(|last| {
            stem.strip_suffix(last).is_some_and(|short| short == verb && short.ends_with(last))
        })
    };
    stem == verb || verb.strip_suffix('e') == Some(stem) || doubled()
}

/// True for one of these verbs in a form that asks.
fn is_any_form(word: &Word, verbs: &[&str]) -> bool {
    let word = word.plain();
    verbs.iter().any(|verb| word == *verb || is_form(word, verb, "ing") || is_form(word, verb, "ed"))
}
