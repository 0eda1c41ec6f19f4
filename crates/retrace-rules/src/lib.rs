//! Rules that memories and instructions state, and whether sessions followed them.
//!
//! A [`Rule`] is a sentence with a [`Pattern`] that a person confirmed. [`deeds`] lists what a session did; [`judge`] finds the
//! points at which a rule applied and what became of each. Commands are compared as calls of programs ([`shell::calls`]), never
//! as text. [`propose`] finds sentences that look like rules.
//!
//! Deliberately absent: files, the log, the clock, and whether a rule was before the model (presence).
//!
//! Invariants: nothing here panics on any input; what only the shell knows is [`Outcome::Undecidable`], never a guess.
//!
//! ```
//! use retrace_rules::shell::calls;
//!
//! let names = |command| calls(command).calls.into_iter().map(|call| call.program).collect::<Vec<_>>();
//! assert_eq!(names("cd x && CI=1 npm ci"), ["cd", "npm"]);
//! assert_eq!(names("echo 'npm ci'"), ["echo"]);
//! ```

mod added;
mod deeds;
mod follow;
mod judge;
mod matching;
mod paths;
mod propose;
mod rule;
mod sequence;
pub mod shell;
mod wish;
mod wording;

pub use added::Written;
pub use deeds::{Deed, Deeds, What, deeds, proposed_call};
pub use follow::{Changed, Following, NotFollowed};
pub use judge::{Course, Judging, Outcome, Verdict, judge, one_line};
pub use matching::{Answer, call_matches, has_form};
pub use paths::Paths;
pub use propose::{Proposal, asking_lines, propose, shown_lines};
pub use rule::{Command, Form, KINDS, Pattern, Rule, RuleError, TextForm};
pub use sequence::Sequence;
pub use wish::asked_for;
pub use wording::{has_sentence_of, is_wording_of};

#[cfg(test)]
mod tests;
