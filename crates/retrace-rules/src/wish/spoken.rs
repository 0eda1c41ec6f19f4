//! Words that name an act or a file and ask for neither: what somebody else does, what comes with it, what is built.

use super::clauses::{Clauses, Mood};

/// Whose deed a verb behind them and "will" is: the model's own, or nobody's.
const OF_THE_MODEL: &[&str] = &[
    "you", "we", "it", "this", "that", "these", "them", "please", "now", "then", "and", "so", "ok", "okay",
    "also", "but", "just", "yes",
];

/// Words that say what somebody will do, or may.
const WILL: &[&str] =
    &["will", "shall", "may", "can", "could", "would", "should", "must", "might", "won't", "won’t"];

/// People with what they will do.
const PEOPLE_WILL: &[&str] = &[
    "i'll",
    "i’ll",
    "i'd",
    "i’d",
    "he'll",
    "he’ll",
    "she'll",
    "she’ll",
    "they'll",
    "they’ll",
    "i've",
    "i’ve",
];

/// People of whom something is said.
const PEOPLE: &[&str] = &[
    "you", "i", "we", "they", "he", "she", "anyone", "anybody", "someone", "somebody", "nobody", "everyone",
    "u",
];

/// Words with which a clause says when something is, and asks for nothing.
const WHEN: &[&str] = &[
    "before", "after", "when", "whenever", "until", "unless", "once", "while", "if", "because", "as", "since",
];

/// Words between a person and what they do.
const ADVERBS: &[&str] = &[
    "just", "then", "only", "also", "probably", "ever", "always", "actually", "never", "even", "really",
    "later", "first", "simply", "soon", "want", "to", "try",
];

/// Words before "to" and an act, of which they speak.
const TO_SPEAK: &[&str] = &[
    "how", "ready", "when", "where", "whether", "what", "which", "able", "fails", "failed", "unable", "order",
];

/// Words before an act that is a noun: "CI fails on push".
const BEFORE_NOUNS: &[&str] =
    &["on", "for", "during", "at", "in", "of", "via", "by", "with", "per", "upon", "against", "about"];

/// Words behind an act with which it names a thing: "the push hook".
const THINGS: &[&str] = &[
    "hook",
    "hooks",
    "notification",
    "notifications",
    "button",
    "buttons",
    "handler",
    "handlers",
    "event",
    "events",
    "trigger",
    "triggers",
    "message",
    "messages",
    "method",
    "methods",
    "api",
    "endpoint",
    "service",
    "protection",
    "permission",
    "permissions",
    "access",
    "url",
    "operation",
    "operations",
    "error",
    "errors",
    "failure",
    "failures",
    "problem",
    "problems",
    "support",
    "subscription",
    "subscriptions",
    "token",
    "tokens",
    "feature",
];

/// Words behind "push" with which it is another verb.
const OTHER_PUSHES: &[&str] = &["down", "aside", "against", "away", "harder"];

/// What is done to a list beside a "push".
const OF_LISTS: &[&str] = &["pop", "peek", "unshift", "shift", "enqueue", "dequeue", "popping"];

/// What has a "push" of its own.
const LISTS: &[&str] = &["stack", "array", "queue", "list", "vector", "deque", "heap", "web"];

/// Words behind which it is named with what something is done: "install it with npm".
const WITH: &[&str] = &["with", "using", "via", "through", "by", "mit", "to"];

/// Texts about something.
const WRITINGS: &[&str] = &[
    "docs",
    "doc",
    "documentation",
    "notes",
    "note",
    "readme",
    "section",
    "paragraph",
    "page",
    "article",
    "guide",
    "test",
    "tests",
    "chapter",
    "info",
    "information",
    "example",
    "examples",
];

impl Clauses {
    fn plain_at(&self, at: Option<usize>) -> Option<&str> {
        self.words.get(at?).map(super::clauses::Word::plain)
    }

    /// The word before one, in the same clause.
    fn before_in_clause(&self, at: usize) -> Option<usize> {
        at.checked_sub(1).filter(|before| !self.words[*before].ends_clause())
    }

    fn is_at(&self, at: Option<usize>, words: &[&str]) -> bool {
        self.plain_at(at).is_some_and(|word| words.contains(&word))
    }

    /// True for a verb of which a clause tells whose deed it is, or when: "I will push it myself", "ask before you push".
    pub(super) fn is_deed_of_others(&self, at: usize) -> bool {
        let mut before = self.before_in_clause(at);
        while before.is_some() && self.is_at(before, ADVERBS) {
            before = before.and_then(|before| self.before_in_clause(before));
        }
        let Some(last) = before else { return false };
        let second = self.before_in_clause(last);
        if self.is_at(before, PEOPLE_WILL) || self.is_at(before, &["nobody"]) {
            return true;
        }
        if self.is_at(before, WILL) {
            return second.is_some_and(|subject| {
                let word = self.words[subject].plain();
                let is_name = self.words[subject].is_name();
                !OF_THE_MODEL.contains(&word) && !is_name
            });
        }
        self.is_at(before, PEOPLE) && self.is_at(second, WHEN)
            || self.is_at(before, &["me", "him", "her", "them"]) && self.is_at(second, &["let"])
    }

    /// True for an act that is a thing, or that is only spoken of: "on push", "the push hook", "how to push".
    pub(super) fn is_spoken_of(&self, at: usize, start: usize) -> bool {
        let before = self.before_in_clause(start);
        let next = Some(at + 1).filter(|_| !self.words[at].ends_clause());
        let to = before.filter(|before| self.is_at(Some(*before), &["to"]));
        let act = self.words[at].plain();
        let is_push = act == "push";
        let beside = (at + 1..self.words.len()).find(|at| !self.is_at(Some(*at), &["and", "or"]));
        let beside_before = at
            .checked_sub(1)
            .and_then(|last| (0..=last).rev().find(|at| !self.is_at(Some(*at), &["and", "or"])));
        self.is_at(before, BEFORE_NOUNS)
            || to.is_some_and(|to| self.is_at(self.before_in_clause(to), TO_SPEAK))
            || self.is_at(next, THINGS)
            || is_push
                && (self.is_at(next, OTHER_PUSHES)
                    || self.is_at(next, &["back"]) && !self.is_at(Some(at + 2), &["to"])
                    || self.is_at(before, LISTS)
                    || self.is_at(beside, OF_LISTS)
                    || self.is_at(beside_before, OF_LISTS) && !self.is_at(Some(0), &["git", "stash"]))
            || self.is_made_to(at, 3)
    }

    /// True for what something is made to do, at least so many words behind it: "make the button push down".
    fn is_made_to(&self, at: usize, words: usize) -> bool {
        let make = (0..at).rev().take_while(|at| !self.words[*at].ends_clause());
        let make = make.into_iter().find(|at| self.is_at(Some(*at), &["make", "let"]));
        make.is_some_and(|make| {
            self.is_at(Some(make + 1), &["the", "a", "an", "this", "that", "our", "my"])
                && at >= make + words
                && !(make..at)
                    .any(|at| self.is_at(Some(at), &["and", "then", "but", "to", "in", "so", "before"]))
        })
    }

    /// True for what a clause asks a change of, and no use: "replace npm with pnpm", "rename `push`". A verb of its own, and what begins
    /// a clause or stands behind "with", is asked for itself.
    pub(super) fn is_changed_itself(&self, at: usize, start: usize, is_program: bool) -> bool {
        let begins =
            self.before_in_clause(start).is_none_or(|before| self.is_at(Some(before), &["and", "then"]));
        let is_means = self.is_at(self.before_in_clause(start), WITH);
        let is_own = !is_program && self.is_verb(at) && !self.words[at].is_marked();
        !begins && !is_means && !is_own && self.is_governed_by_change(start)
    }

    /// True if the last verb before a word asks for a change.
    fn is_governed_by_change(&self, at: usize) -> bool {
        let verb = (0..at).rev().find(|at| self.is_verb(*at));
        verb.is_some_and(|verb| self.mood(verb) == Mood::Asks && self.words[verb].is_change())
    }

    /// True for a file that is only spoken of: "the loader that reads `.env`", "docs on `.env`", "make the app load `.env`".
    pub(super) fn is_named_aside(&self, at: usize) -> bool {
        let skip = |at: Option<usize>| match self.is_at(at, &["the", "a", "an", "my", "our", "your"]) {
            true => at.and_then(|at| self.before_in_clause(at)),
            false => at,
        };
        let before = skip(self.before_in_clause(at));
        let second = before.and_then(|before| self.before_in_clause(before));
        let is_deed = self
            .plain_at(before)
            .is_some_and(|verb| verb.len() > 3 && verb.ends_with('s') && !verb.ends_with("ss"));
        let told = is_deed && self.is_at(second, &["that", "which", "who"]);
        let about = self.is_at(before, &["on", "for"]) && self.is_at(second, WRITINGS);
        let is_place = self.is_at(before, &["in", "into", "inside", "to", "sure", "that", "with"]);
        told || about || !is_place && self.is_made_to(at, 4)
    }
}
