//! Opportunities of a rule in a session, and what became of each.

use crate::added::Written;
use crate::deeds::{Deed, Deeds, What};
use crate::matching::{Answer, Paths, call_matches, has_form, program_matches};
use crate::rule::{Command, Form, Pattern, TextForm};
use crate::shell::{Call, Calls};
use crate::wish::asked_for;
use std::borrow::Cow;

/// What became of an opportunity, by the session alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// The rule was followed.
    Followed,
    /// It was not.
    Broken,
    /// It was not, and the person had asked for it.
    Excepted,
    /// The session does not tell.
    Undecidable,
}

/// A point at which a rule applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Index in [`Deeds::all`] of what was done; of a session's end, of the last deed.
    pub deed: usize,
    /// The call or the path that counts, as one line.
    pub what: String,
    /// What became of it.
    pub outcome: Outcome,
}

/// Every opportunity of a rule in a session, in order.
#[must_use]
pub fn judge(pattern: &Pattern, deeds: &Deeds) -> Vec<Verdict> {
    Judging::of(pattern).judge(deeds)
}

/// A rule that is compared with many sessions.
pub struct Judging<'p> {
    pattern: Cow<'p, Pattern>,
    /// Its paths, compiled once.
    paths: Paths,
}

impl Judging<'static> {
    /// The rule of a pattern that is kept with it.
    #[must_use]
    pub fn keeping(pattern: Pattern) -> Self {
        Self::with(Cow::Owned(pattern))
    }
}

impl<'p> Judging<'p> {
    /// The rule of a pattern.
    #[must_use]
    pub fn of(pattern: &'p Pattern) -> Self {
        Self::with(Cow::Borrowed(pattern))
    }

    fn with(pattern: Cow<'p, Pattern>) -> Self {
        let paths = match &*pattern {
            Pattern::PathNever(paths) | Pattern::TextForm(TextForm { paths, .. }) => paths.as_slice(),
            _ => &[],
        };
        let paths = Paths::of(paths);
        Self { pattern, paths }
    }

    /// Every opportunity of the rule in a session, in order.
    #[must_use]
    pub fn judge(&self, deeds: &Deeds) -> Vec<Verdict> {
        match &*self.pattern {
            Pattern::AtEnd(command) => Judge { deeds, from: 0, found: Vec::new() }.at_end(command),
            _ => self.go_on(deeds, &mut Course::default()),
        }
    }

    /// The opportunities among the deeds that came since the last call, in order. A session that goes on has no end: a rule about it
    /// has none here.
    #[must_use]
    pub fn go_on(&self, deeds: &Deeds, course: &mut Course) -> Vec<Verdict> {
        let from = std::mem::replace(&mut course.judged, deeds.all.len());
        let judge = Judge { deeds, from, found: Vec::new() };
        match &*self.pattern {
            Pattern::CommandNever(command) => judge.never(command),
            Pattern::CommandForm { command, form } => judge.form(command, form),
            Pattern::Order { before, after } => judge.order(before, after, &mut course.ran),
            Pattern::PathNever(_) => judge.paths(&self.paths),
            Pattern::AtEnd(_) => Vec::new(),
            Pattern::AskFirst(command) => judge.ask_first(command),
            Pattern::TextForm(of) => judge.text_form(&self.paths, of),
        }
    }

    /// True for a rule about the end of a session.
    #[must_use]
    pub fn is_about_the_end(&self) -> bool {
        matches!(*self.pattern, Pattern::AtEnd(_))
    }

    /// True if the answer to a call can change what becomes of it, or of a later one.
    #[must_use]
    pub fn asks_for_answers(&self) -> bool {
        matches!(*self.pattern, Pattern::Order { .. } | Pattern::TextForm(_) | Pattern::PathNever(_))
    }
}

/// How far a session was judged by a rule, and what of it decides about what follows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Course {
    /// Deeds that were judged.
    judged: usize,
    /// Of a rule about an order, by conversation: true if the earlier act ran since the last edit.
    ran: Vec<bool>,
}

struct Judge<'d> {
    deeds: &'d Deeds,
    /// The first deed that is judged; those before it may decide.
    from: usize,
    found: Vec<Verdict>,
}

impl<'d> Judge<'d> {
    /// The deeds that are judged, with their places. A call that was never carried out followed no rule and broke none.
    fn new_deeds(&self) -> impl Iterator<Item = (usize, &'d Deed)> + use<'d> {
        self.deeds.all.iter().enumerate().skip(self.from).filter(|(_, deed)| !deed.refused)
    }

    fn add(&mut self, deed: usize, what: &str, outcome: Outcome) {
        self.found.push(Verdict { deed, what: one_line(what), outcome });
    }

    /// The calls of a command's program, each with what becomes of it; `None` where the rule did not apply.
    fn calls(
        mut self,
        command: &Command,
        outcome: impl Fn(&Self, usize, &Call, Answer) -> Option<Outcome>,
    ) -> Vec<Verdict> {
        for (index, deed) in self.new_deeds() {
            let What::Command { text, calls } = &deed.what else { continue };
            self.hidden(index, command, text, calls);
            for call in calls.calls.iter().filter(|call| program_matches(command, call)) {
                let found = match call_matches(command, call) {
                    Answer::Unknown => Some(Outcome::Undecidable),
                    matches => outcome(&self, index, call, matches),
                };
                if let Some(outcome) = found {
                    self.add(index, &call.text(), outcome);
                }
            }
        }
        self.found
    }

    /// Calls that match are breaks, the others were followed. Of any program, only breaks are found.
    fn never(self, command: &Command) -> Vec<Verdict> {
        self.calls(command, |judge, index, _, matches| match matches {
            Answer::Yes => Some(judge.broken_unless_wished(index, command)),
            _ => (command.program != "*").then_some(Outcome::Followed),
        })
    }

    fn broken_unless_wished(&self, index: usize, command: &Command) -> Outcome {
        if self.was_wished(index, command) { Outcome::Excepted } else { Outcome::Broken }
    }

    /// A command that could not be parsed and names the program.
    fn hidden(&mut self, deed: usize, command: &Command, text: &str, calls: &Calls) {
        let named = |name: &str| {
            text.split(|letter: char| !(letter.is_alphanumeric() || "-_.".contains(letter)))
                .any(|word| word == name)
        };
        if calls.unparsed && calls.calls.is_empty() && command.program != "*" && named(&command.program) {
            self.add(deed, &first_line(text), Outcome::Undecidable);
        }
    }

    fn form(self, command: &Command, form: &Form) -> Vec<Verdict> {
        // Of any program, what a program starts is judged with what starts it, and what the shell does itself is no call.
        let any = command.program == "*";
        self.calls(command, |_, _, call, matches| {
            if matches != Answer::Yes || any && BUILTINS.contains(&call.program.as_str()) {
                return None;
            }
            let has = if any && !call.within.is_empty() { Answer::Yes } else { has_form(form, call) };
            Some(match has {
                Answer::Yes => Outcome::Followed,
                Answer::Unknown => Outcome::Undecidable,
                Answer::No => Outcome::Broken,
            })
        })
    }

    fn order(mut self, before: &Command, after: &Command, ran: &mut Vec<bool>) -> Vec<Verdict> {
        for (index, deed) in self.new_deeds() {
            if ran.len() <= deed.conversation {
                ran.resize(deed.conversation + 1, false);
            }
            match &deed.what {
                What::Edit { .. } if self.is_change(index) && !self.is_output_of(index, before) => {
                    ran[deed.conversation] = false;
                }
                What::Command { text, calls } => {
                    self.hidden(index, after, text, calls);
                    let mut now = ran[deed.conversation];
                    for call in &calls.calls {
                        let follows = call_matches(after, call);
                        if follows != Answer::No {
                            let outcome = match (now, follows) {
                                (true, _) => Outcome::Followed,
                                (false, Answer::Unknown) => Outcome::Undecidable,
                                (false, _) => self.without(index, before),
                            };
                            self.add(index, &call.text(), outcome);
                        }
                        now |= call_matches(before, call) == Answer::Yes;
                    }
                    // What failed has run, but a later act does not rest on it; what ran within one command stays for that command.
                    ran[deed.conversation] = if deed.failed { ran[deed.conversation] } else { now };
                }
                _ => {}
            }
        }
        self.found
    }

    /// True if a deed changed the work.
    fn is_change(&self, index: usize) -> bool {
        let deed = &self.deeds.all[index];
        matches!(&deed.what, What::Edit { path, .. } if !deed.failed && self.is_work(path))
    }

    /// True for a file to which a call of the command went: what it put out is no change after it.
    fn is_output_of(&self, index: usize, command: &Command) -> bool {
        let edit = &self.deeds.all[index];
        if !matches!(edit.what, What::Edit { written: None, .. }) {
            return false;
        }
        self.command_of(index)
            .is_some_and(|calls| calls.calls.iter().any(|call| call_matches(command, call) == Answer::Yes))
    }

    /// True for a file that a command of the shell writes.
    fn is_by_command(&self, index: usize) -> bool {
        self.command_of(index).is_some()
    }

    /// The command whose call wrote a file.
    fn command_of(&self, index: usize) -> Option<&Calls> {
        let edit = &self.deeds.all[index];
        let before = self.deeds.all[..index].iter().rev();
        let of_call = before.take_while(|deed| {
            (deed.conversation, deed.line, &deed.tool_use_id)
                == (edit.conversation, edit.line, &edit.tool_use_id)
        });
        of_call.into_iter().find_map(|deed| match &deed.what {
            What::Command { calls, .. } => Some(calls),
            _ => None,
        })
    }

    /// True for a file whose change is a change of the work.
    fn is_work(&self, path: &str) -> bool {
        let below = |directory: &str| retrace_origin::is_below(path, directory);
        let is_temporary = TEMPORARY.iter().any(|temporary| below(temporary))
            && !self.deeds.directory.as_deref().is_some_and(below);
        // Where only the shell knows the place, nobody knows whose file it is.
        !is_temporary && !path.contains(['$', '`']) && !ASIDE.iter().any(|aside| path.contains(aside))
    }

    /// The person asked for the later act: an exception only where they said to leave the earlier one out.
    fn without(&self, index: usize, before: &Command) -> Outcome {
        let said = self.said_before(index).map(str::to_lowercase).unwrap_or_default();
        let word = before.arguments.last().unwrap_or(&before.program).to_lowercase();
        let left_out = ["without", "skip", "no "]
            .iter()
            .any(|no| said.find(no).is_some_and(|at| said[at..].contains(&word)));
        if left_out { Outcome::Excepted } else { Outcome::Broken }
    }

    fn paths(mut self, paths: &Paths) -> Vec<Verdict> {
        let directory = self.deeds.directory.as_deref();
        for (index, deed) in self.new_deeds() {
            let What::Edit { path, .. } = &deed.what else { continue };
            // A command that failed may have written before; what another tool failed to write was not written.
            if deed.failed && !self.is_by_command(index) {
                continue;
            }
            if !paths.matches(path, directory) {
                self.add(index, path, Outcome::Followed);
            } else {
                let name = path.rsplit('/').next().unwrap_or(path);
                let said = self.said_before(index).unwrap_or_default();
                let wished = said.contains(name) && !crate::wish::is_refused(said, name);
                self.add(index, path, if wished { Outcome::Excepted } else { Outcome::Broken });
            }
        }
        self.found
    }

    /// Writes whose text holds what must have the form, as many forms as things. Where it has fewer, new lines must lack it:
    /// what stood there before and was written again is no break of this write.
    fn text_form(mut self, paths: &Paths, of: &TextForm) -> Vec<Verdict> {
        let directory = self.deeds.directory.as_deref();
        for (index, deed) in self.new_deeds() {
            let What::Edit { path, written } = &deed.what else { continue };
            if deed.failed || !paths.matches(path, directory) {
                continue;
            }
            let outcome = match written {
                None => Some(Outcome::Undecidable),
                Some(written) => self.has_text_form(index, written, of),
            };
            if let Some(outcome) = outcome {
                self.add(index, path, outcome);
            }
        }
        self.found
    }

    fn has_text_form(&self, index: usize, written: &Written, of: &TextForm) -> Option<Outcome> {
        let things = |text: &str| match of.text.as_str() {
            "" => usize::from(!text.trim().is_empty()),
            thing => text.matches(thing).count(),
        };
        if things(&written.text) == 0 {
            return None;
        }
        let new = written.new_lines();
        let said = self.said_before(index).unwrap_or_default();
        let (breaks, wished) = match &of.form {
            Form::With(words) => {
                let form = words.join(" ");
                let lacks = |text: &str| text.matches(&form).count() < things(text);
                if !lacks(&written.text) {
                    return Some(Outcome::Followed);
                }
                (lacks(&new), crate::wish::is_refused(said, &form))
            }
            Form::Without(form) => {
                if !written.text.contains(form.as_str()) {
                    return Some(Outcome::Followed);
                }
                let named = said.contains(form.as_str());
                (new.contains(form.as_str()), named && !crate::wish::is_refused(said, form))
            }
        };
        breaks.then_some(if wished { Outcome::Excepted } else { Outcome::Broken })
    }

    fn at_end(mut self, command: &Command) -> Vec<Verdict> {
        let main = |deed: &&Deed| deed.conversation == 0;
        let edited = |at: &usize| {
            self.deeds.all[*at].conversation == 0 && self.is_change(*at) && !self.is_output_of(*at, command)
        };
        let Some(last_edit) = (0..self.deeds.all.len()).rev().find(edited) else { return self.found };
        let after = self.deeds.all.iter().enumerate().skip(last_edit).filter(|(_, deed)| main(deed));
        let mut outcome = Outcome::Broken;
        let mut last = last_edit;
        for (index, deed) in after {
            last = index;
            let What::Command { calls, .. } = &deed.what else { continue };
            for call in &calls.calls {
                outcome = match call_matches(command, call) {
                    Answer::Yes if !deed.failed => Outcome::Followed,
                    Answer::Unknown if outcome == Outcome::Broken => Outcome::Undecidable,
                    _ => outcome,
                };
            }
        }
        if outcome == Outcome::Broken
            && self.said_before(last).is_some_and(|said| {
                crate::wish::is_refused(said, command.arguments.last().unwrap_or(&command.program))
            })
        {
            outcome = Outcome::Excepted;
        }
        self.add(last, &command.text(), outcome);
        self.found
    }

    fn ask_first(self, command: &Command) -> Vec<Verdict> {
        self.calls(command, |judge, index, _, matches| {
            (matches == Answer::Yes).then(|| match judge.was_answered(index) {
                true => Outcome::Followed,
                false => judge.broken_unless_wished(index, command),
            })
        })
    }

    /// True if the person answered a question of the model before this deed: the model ended its turn with one, or a tool asked.
    fn was_answered(&self, index: usize) -> bool {
        let conversation = self.deeds.all[index].conversation;
        let mut said = false;
        for deed in self.deeds.all[..index].iter().rev().filter(|deed| deed.conversation == conversation) {
            match &deed.what {
                What::Answered => return true,
                What::Told(text) if said => return text.contains(['?', '？']),
                // Two texts of the person without an answer between them: nothing was asked.
                What::Said(_) if said => return false,
                What::Said(_) => said = true,
                What::Command { .. } | What::Edit { .. } if said => return false,
                _ => {}
            }
        }
        false
    }

    /// The person's last words before a deed. A subagent's conversation begins with what its agent told it.
    fn said_before(&self, index: usize) -> Option<&str> {
        let conversation = self.deeds.all[index].conversation;
        self.deeds.all[..=index].iter().rev().filter(|deed| deed.conversation == conversation).find_map(
            |deed| match &deed.what {
                What::Said(text) => Some(text.as_str()),
                _ => None,
            },
        )
    }

    fn was_wished(&self, index: usize, command: &Command) -> bool {
        self.said_before(index).is_some_and(|said| asked_for(said, command))
    }
}

/// Directories of what a client writes for itself: a plan or a note is no change of the work.
const ASIDE: [&str; 5] =
    ["/.claude/plans/", "/.claude/projects/", "/.claude/todos/", "/.codex/", "/.gemini/tmp/"];

/// Directories of files that nobody keeps.
const TEMPORARY: [&str; 5] = ["/tmp", "/private/tmp", "/var/tmp", "/var/folders", "/dev"];

/// Commands of the shell itself, which no wrapper starts.
const BUILTINS: [&str; 22] = [
    "cd", "echo", "export", "set", "unset", "source", ".", "true", "false", ":", "test", "[", "pwd", "exit",
    "wait", "printf", "read", "local", "return", "alias", "shift", "type",
];

/// A call without the ends of its lines.
fn one_line(text: &str) -> String {
    if !text.contains(['\n', '\r']) {
        return text.to_owned();
    }
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(200).collect()
}
