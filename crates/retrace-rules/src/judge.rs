//! Opportunities of a rule in a session, and what became of each.

mod asking;

use crate::added::Written;
use crate::deeds::{Deed, Deeds, What};
use crate::matching::{Answer, asks_for_help, call_matches, has_form, is_rehearsal, program_matches};
use crate::paths::Paths;
use crate::rule::{Command, Form, Pattern, TextForm};
use crate::sequence::Sequence;
use crate::shell::{Call, Calls};
use crate::wish::{asked_for, asks_to_change};
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
    /// Index in what was judged of what was done; of a session's end, of the last deed.
    pub deed: usize,
    /// The call or the path that counts; [`one_line`] makes it one for people.
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

    /// Every opportunity of the rule in one transcript, in order.
    #[must_use]
    pub fn judge(&self, deeds: &Deeds) -> Vec<Verdict> {
        if !self.is_of_session() {
            return self.judge_all(&Sequence::of(deeds));
        }
        let session = Sequence::of_session(vec![deeds], true);
        let mut found = self.judge_all(&session);
        found.iter_mut().for_each(|verdict| verdict.deed = session.order()[verdict.deed].1);
        found
    }

    /// Every opportunity of the rule among what was done, in order.
    #[must_use]
    pub fn judge_all(&self, deeds: &Sequence<'_>) -> Vec<Verdict> {
        match &*self.pattern {
            Pattern::AtEnd(command) => Judge { deeds, from: 0, found: Vec::new() }.at_end(command),
            _ => self.go_on(deeds, &mut Course::default()),
        }
    }

    /// The opportunities among the deeds that came since the last call, in order. A session that goes on has no end: a rule about it
    /// has none here.
    #[must_use]
    pub fn go_on(&self, deeds: &Sequence<'_>, course: &mut Course) -> Vec<Verdict> {
        let from = std::mem::replace(&mut course.judged, deeds.len());
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

    /// True for a rule that a single call does not follow or break: it is judged over a session with its subagents.
    #[must_use]
    pub fn is_of_session(&self) -> bool {
        matches!(*self.pattern, Pattern::Order { .. } | Pattern::AtEnd(_) | Pattern::AskFirst(_))
    }

    /// True for a rule about the order of two acts.
    #[must_use]
    pub fn is_about_an_order(&self) -> bool {
        matches!(*self.pattern, Pattern::Order { .. })
    }

    /// True if the earlier act of a rule about an order was called before the deed at `until`, by the model or the person: the
    /// project has such a program then. True for every other rule.
    #[must_use]
    pub fn has_called_first(&self, deeds: &Sequence<'_>, until: usize) -> bool {
        let Pattern::Order { before, .. } = &*self.pattern else { return true };
        deeds.deeds(0).take(until).any(|(_, deed)| match &deed.what {
            What::Command { calls, .. } if !deed.refused => {
                calls.calls.iter().any(|call| call_matches(before, call) == Answer::Yes)
            }
            What::Said(text) => ran_by_person(text, before) == Ran::Yes,
            _ => false,
        })
    }

    /// True for a rule about the end of a session.
    #[must_use]
    pub fn is_about_the_end(&self) -> bool {
        matches!(*self.pattern, Pattern::AtEnd(_))
    }

    /// True if the answer to a call can change what becomes of it, or of a later one.
    #[must_use]
    pub fn asks_for_answers(&self) -> bool {
        matches!(
            *self.pattern,
            Pattern::Order { .. } | Pattern::TextForm(_) | Pattern::PathNever(_) | Pattern::AskFirst(_)
        )
    }
}

/// How far a session was judged by a rule, and what of it decides about what follows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Course {
    /// Deeds that were judged.
    judged: usize,
    /// Of a rule about an order: whether the earlier act ran since the last edit.
    ran: Ran,
}

/// Whether an act was done since the last edit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Ran {
    #[default]
    No,
    /// Only the shell knows.
    Perhaps,
    Yes,
}

/// What a command does, in order.
enum Step<'d> {
    /// A call.
    Call(&'d Call),
    /// A file is written: the index of its deed.
    Edit(usize),
}

struct Judge<'s, 'd> {
    deeds: &'s Sequence<'d>,
    /// The first deed that is judged; those before it may decide.
    from: usize,
    found: Vec<Verdict>,
}

impl<'d> Judge<'_, 'd> {
    /// The deeds that are judged, with their places. A call that was never carried out followed no rule and broke none.
    fn new_deeds(&self) -> Vec<(usize, &'d Deed)> {
        self.deeds.deeds(self.from).filter(|(_, deed)| !deed.refused).collect()
    }

    fn add(&mut self, deed: usize, what: &str, outcome: Outcome) {
        // What a fork repeats counts in the session that did it.
        if !self.deeds.deed(deed).copied {
            self.found.push(Verdict { deed, what: what.to_owned(), outcome });
        }
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
                if asks_for_help(command, call) {
                    continue;
                }
                let found = match call_matches(command, call) {
                    Answer::Unknown => Some(Outcome::Undecidable),
                    // Of a program that only the shell knows, this is no call of the rule's.
                    Answer::No if !call.known => None,
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
        self.calls(command, |judge, index, call, matches| match matches {
            // A rehearsal of a call that the rule names is none. Where it names the program alone, it is a call of it.
            Answer::Yes if !command.arguments.is_empty() && is_rehearsal(command, call) => None,
            Answer::Yes => Some(judge.broken_unless_wished(index, command)),
            _ => (command.program != "*").then_some(Outcome::Followed),
        })
    }

    fn broken_unless_wished(&self, index: usize, command: &Command) -> Outcome {
        if self.was_wished(index, command) { Outcome::Excepted } else { Outcome::Broken }
    }

    /// A command that could not be parsed, or a part of one, and names the program.
    fn hidden(&mut self, deed: usize, command: &Command, text: &str, calls: &Calls) {
        let names = |text: &String| {
            text.split(|letter: char| !(letter.is_alphanumeric() || "-_.".contains(letter)))
                .any(|word| word == command.program)
        };
        if command.program != "*" && calls.unparsed.iter().any(names) {
            self.add(deed, &first_line(text), Outcome::Undecidable);
        }
    }

    fn form(self, command: &Command, form: &Form) -> Vec<Verdict> {
        // Of any program, what a program starts is judged with what starts it, and what the shell does itself is no call.
        let any = command.program == "*";
        self.calls(command, |judge, index, call, matches| {
            if matches != Answer::Yes || any && BUILTINS.contains(&call.program.as_str()) {
                return None;
            }
            let has = match (any && !call.within.is_empty(), call.known) {
                (true, _) => Answer::Yes,
                (false, true) => has_form(form, call),
                (false, false) => Answer::Unknown,
            };
            Some(match has {
                Answer::Yes => Outcome::Followed,
                Answer::Unknown => Outcome::Undecidable,
                Answer::No if judge.was_formless_wished(index, form, call) => Outcome::Excepted,
                Answer::No => Outcome::Broken,
            })
        })
    }

    /// True if the person refused a word of the form, or asked for the text that must not be there.
    fn was_formless_wished(&self, index: usize, form: &Form, call: &Call) -> bool {
        let Some(said) = self.said_before(index) else { return false };
        match form {
            Form::With(words) => {
                let mut own = words.iter().filter(|word| **word != call.program);
                own.any(|word| crate::wish::is_refused(said, word))
            }
            Form::Without(text) => asked_for(said, &Command { program: text.clone(), arguments: Vec::new() }),
        }
    }

    fn order(mut self, before: &Command, after: &Command, ran: &mut Ran) -> Vec<Verdict> {
        for (index, deed) in self.new_deeds() {
            match &deed.what {
                What::Edit { by: None, .. } if self.is_change(index) => *ran = Ran::No,
                What::Command { text, calls } => {
                    self.hidden(index, after, text, calls);
                    let now = self.order_within(index, calls, (before, after), *ran);
                    // What failed has run, but a later act does not rest on it; what ran within one command stays for that command.
                    if !deed.failed {
                        *ran = now;
                    }
                }
                What::Said(text) => *ran = (*ran).max(ran_by_person(text, before)),
                _ => {}
            }
        }
        self.found
    }

    /// The calls and edits of one command; answers whether the earlier act ran when it ends.
    fn order_within(
        &mut self,
        index: usize,
        calls: &Calls,
        (before, after): (&Command, &Command),
        mut now: Ran,
    ) -> Ran {
        for step in self.steps(index, calls) {
            let call = match step {
                Step::Call(call) => call,
                Step::Edit(edit) => {
                    if self.is_work_of(edit) && !self.is_output_of(edit, before) {
                        now = Ran::No;
                    }
                    continue;
                }
            };
            let follows = call_matches(after, call);
            // What only shows what it would do comes after nothing.
            if follows != Answer::No && !is_rehearsal(after, call) {
                let outcome = match (now, follows) {
                    (Ran::Yes, Answer::Yes) => Outcome::Followed,
                    (Ran::Yes, _) if call.known => Outcome::Followed,
                    (Ran::No, Answer::Yes) => self.without(index, before),
                    _ => Outcome::Undecidable,
                };
                self.add(index, &call.text(), outcome);
            }
            now = now.max(match call_matches(before, call) {
                Answer::Yes if !is_rehearsal(before, call) => Ran::Yes,
                Answer::Unknown => Ran::Perhaps,
                _ => Ran::No,
            });
        }
        if calls.unparsed.iter().any(|text| text.is_empty() || text.contains(&before.program)) {
            now = now.max(Ran::Perhaps);
        }
        now
    }

    /// The calls of a command and the files that it writes, in the order in which they are done.
    fn steps(&self, index: usize, calls: &'d Calls) -> Vec<Step<'d>> {
        let mut edits: Vec<(usize, usize)> = self.edits_of(index).map(|(edit, by)| (by.1, edit)).collect();
        edits.sort_unstable();
        let mut edits = edits.into_iter().peekable();
        let mut steps = Vec::with_capacity(calls.calls.len() + edits.len());
        for (at, call) in calls.calls.iter().enumerate() {
            while let Some((_, edit)) = edits.next_if(|(done, _)| *done <= at) {
                steps.push(Step::Edit(edit));
            }
            steps.push(Step::Call(call));
        }
        steps.extend(edits.map(|(_, edit)| Step::Edit(edit)));
        steps
    }

    /// The files that a command writes, each with the calls that write it.
    fn edits_of(&self, index: usize) -> impl Iterator<Item = (usize, (usize, usize))> + use<'_, 'd> {
        let behind = self.deeds.deeds(index + 1);
        let of_call = behind.take_while(move |(at, _)| self.deeds.is_of_one_call(*at, index));
        of_call.map_while(|(at, deed)| match deed.what {
            What::Edit { by, .. } => Some((at, by?)),
            _ => None,
        })
    }

    /// True if a deed changed the work.
    fn is_change(&self, index: usize) -> bool {
        !self.deeds.deed(index).failed && self.is_work_of(index)
    }

    fn is_work_of(&self, index: usize) -> bool {
        matches!(&self.deeds.deed(index).what, What::Edit { path, .. } if self.is_work(index, path))
    }

    /// True for a file to which a call of the command went: what it put out is no change after it.
    fn is_output_of(&self, index: usize, command: &Command) -> bool {
        let What::Edit { written: None, by: Some((from, to)), .. } = self.deeds.deed(index).what else {
            return false;
        };
        let calls = self.command_of(index).and_then(|calls| calls.calls.get(from..to));
        calls.is_some_and(|calls| calls.iter().any(|call| call_matches(command, call) == Answer::Yes))
    }

    /// True for a file that a command of the shell writes.
    fn is_by_command(&self, index: usize) -> bool {
        self.command_of(index).is_some()
    }

    /// The command whose call wrote a file.
    fn command_of(&self, index: usize) -> Option<&'d Calls> {
        let before = (0..index).rev().take_while(|at| self.deeds.is_of_one_call(*at, index));
        before.into_iter().find_map(|at| match &self.deeds.deed(at).what {
            What::Command { calls, .. } => Some(calls),
            _ => None,
        })
    }

    /// True for a file in a directory of files that nobody keeps, of a session that runs elsewhere.
    fn is_temporary(&self, index: usize, path: &str) -> bool {
        let below = |directory: &str| retrace_origin::is_below(path, directory);
        TEMPORARY.iter().any(|temporary| below(temporary)) && !self.deeds.directory(index).is_some_and(below)
    }

    /// True for a file whose change is a change of the work.
    fn is_work(&self, index: usize, path: &str) -> bool {
        // Where only the shell knows the place, nobody knows whose file it is.
        !self.is_temporary(index, path)
            && !path.contains(['$', '`'])
            && !ASIDE.iter().any(|aside| path.contains(aside))
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
        let mut counted: Option<&str> = None;
        for (index, deed) in self.new_deeds() {
            let directory = self.deeds.directory(index);
            if let What::Command { text, calls } = &deed.what
                && calls.unparsed.iter().any(|part| names_any(part, paths, directory))
                && !self.writes_any(index, paths, directory)
            {
                self.add(index, &first_line(text), Outcome::Undecidable);
            }
            let What::Edit { path, by, with_all_below, perhaps, .. } = &deed.what else { continue };
            // A command that failed may have written before; what another tool failed to write was not written.
            if deed.failed && !self.is_by_command(index) {
                continue;
            }
            let is_forbidden = match by {
                Some(_) => paths.written(path, directory, *with_all_below),
                None => Answer::from(paths.matches(path, directory)),
            };
            // Where the directory itself counts, the file that may be put there is no second write.
            let is_counted = counted.is_some_and(|place| retrace_origin::is_below(path, place));
            // That a directory for what nobody keeps has such a file is nothing.
            if *perhaps && (is_counted || is_forbidden == Answer::No || self.is_temporary(index, path)) {
                continue;
            }
            counted = Some(path.as_str()).filter(|_| is_forbidden == Answer::Yes);
            let outcome = match (is_forbidden, perhaps) {
                (Answer::No, _) => Outcome::Followed,
                _ if asks_to_change(self.said_before(index).unwrap_or_default(), path) => Outcome::Excepted,
                (Answer::Yes, false) => Outcome::Broken,
                _ => Outcome::Undecidable,
            };
            self.add(index, path, outcome);
        }
        self.found
    }

    /// True if a file that a command is known to write is one of these paths.
    fn writes_any(&self, command: usize, paths: &Paths, directory: Option<&str>) -> bool {
        let behind = (command + 1..self.deeds.len()).take_while(|at| self.deeds.is_of_one_call(command, *at));
        behind.into_iter().any(|at| match &self.deeds.deed(at).what {
            What::Edit { path, with_all_below, .. } => {
                paths.written(path, directory, *with_all_below) != Answer::No
            }
            _ => false,
        })
    }

    /// Writes whose text holds what must have the form, as many forms as things. Where it has fewer, new lines must lack it:
    /// what stood there before and was written again is no break of this write.
    fn text_form(mut self, paths: &Paths, of: &TextForm) -> Vec<Verdict> {
        for (index, deed) in self.new_deeds() {
            let directory = self.deeds.directory(index);
            let What::Edit { path, written, .. } = &deed.what else { continue };
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
        // What became of the act since the last change; none before the first one.
        let mut outcome: Option<Outcome> = None;
        // A fork's end is about its own changes.
        for (index, deed) in self.deeds.deeds(0).filter(|(_, deed)| !deed.copied) {
            match &deed.what {
                What::Edit { by: None, .. } if self.is_change(index) => outcome = Some(Outcome::Broken),
                What::Command { calls, .. } => outcome = self.at_end_within(index, calls, command, outcome),
                What::Said(text) if outcome.is_some() && ran_by_person(text, command) == Ran::Yes => {
                    outcome = Some(Outcome::Followed);
                }
                _ => {}
            }
        }
        let Some((mut outcome, last)) = outcome.zip(self.deeds.last()) else { return self.found };
        // The transcript ends in the middle of a turn: nobody knows what the model would have done.
        let is_cut = matches!(
            self.deeds.deed(last).what,
            What::Command { .. } | What::Edit { .. } | What::Asked(_) | What::Answered
        );
        if outcome == Outcome::Broken && is_cut {
            outcome = Outcome::Undecidable;
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

    fn at_end_within(
        &self,
        index: usize,
        calls: &Calls,
        command: &Command,
        mut outcome: Option<Outcome>,
    ) -> Option<Outcome> {
        let failed = self.deeds.deed(index).failed;
        let is_in_doubt = self.deeds.deed(index).in_doubt && command.program == "git";
        for step in self.steps(index, calls) {
            match step {
                Step::Edit(edit) if self.is_change(edit) && !self.is_output_of(edit, command) => {
                    outcome = Some(Outcome::Broken);
                }
                Step::Call(call) if outcome.is_some() => match call_matches(command, call) {
                    Answer::Yes if !failed && !is_rehearsal(command, call) => {
                        outcome = Some(if is_in_doubt { Outcome::Undecidable } else { Outcome::Followed });
                    }
                    Answer::Unknown if outcome == Some(Outcome::Broken) => {
                        outcome = Some(Outcome::Undecidable);
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        let may_hide = |text: &String| text.contains(&command.program);
        if outcome == Some(Outcome::Broken) && calls.unparsed.iter().any(may_hide) {
            outcome = Some(Outcome::Undecidable);
        }
        outcome
    }

    /// What was done before a deed, the newest first.
    fn before(&self, index: usize) -> impl Iterator<Item = (usize, &'d Deed)> {
        (0..index).rev().map(|at| (at, self.deeds.deed(at)))
    }

    /// The person's last words before a deed.
    fn said_before(&self, index: usize) -> Option<&'d str> {
        let heard = self.before(index).filter(|(at, _)| self.deeds.is_heard(*at, index));
        heard.into_iter().find_map(|(_, deed)| match &deed.what {
            What::Said(text) => Some(text.as_str()),
            _ => None,
        })
    }
}

/// Whether the person ran a command themselves, as Claude Code tells it: `! npm run lint`.
fn ran_by_person(said: &str, command: &Command) -> Ran {
    let Some((_, rest)) = said.split_once("<bash-input>") else { return Ran::No };
    let typed = rest.split("</bash-input>").next().unwrap_or_default();
    let found = crate::shell::calls(typed);
    let ran = found.calls.iter().map(|call| match call_matches(command, call) {
        Answer::Yes if !is_rehearsal(command, call) => Ran::Yes,
        Answer::Unknown => Ran::Perhaps,
        _ => Ran::No,
    });
    ran.max().unwrap_or_default()
}

/// Directories of what a client or git writes for itself: a plan or a note is no change of the work.
const ASIDE: [&str; 6] =
    ["/.git/", "/.claude/plans/", "/.claude/projects/", "/.claude/todos/", "/.codex/", "/.gemini/tmp/"];

/// Directories of files that nobody keeps.
const TEMPORARY: [&str; 5] = ["/tmp", "/private/tmp", "/var/tmp", "/var/folders", "/dev"];

/// Commands of the shell itself, which no wrapper starts.
const BUILTINS: [&str; 22] = [
    "cd", "echo", "export", "set", "unset", "source", ".", "true", "false", ":", "test", "[", "pwd", "exit",
    "wait", "printf", "read", "local", "return", "alias", "shift", "type",
];

/// A call without the ends of its lines.
/// What was done, on one line, for people to read. Kept is what it was: a redacted text of several lines is known in that alone.
#[must_use]
pub fn one_line(text: &str) -> String {
    if !text.contains(['\n', '\r']) {
        return text.to_owned();
    }
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// True if a text that could not be parsed holds a path that one of the patterns names.
fn names_any(text: &str, paths: &Paths, directory: Option<&str>) -> bool {
    let words = text.split(|letter: char| letter.is_whitespace() || "\"'`;|&<>()=".contains(letter));
    words.filter(|word| !word.is_empty()).any(|word| paths.matches(word, directory))
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(200).collect()
}
