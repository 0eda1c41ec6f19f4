//! `retrace inbox -i`: a review by key, row by row, as `git add -p` asks hunk by hunk.
//!
//! Each act is the command that the window uses, done at once and taken back by `u`: who quits in the middle loses nothing. The
//! rows are those of the triage; after an act what is left of its row is asked for again.

use super::Ended;
use super::inbox::{self, Narrowed};
use super::interactive_acts::{Act, Acts, left_of};
use crate::exit::Exit;
use crate::io::Key;
use crate::print::names::Names;
use crate::print::step::{self, Choice};
use crate::shell::{Failure, Shell};
use retrace_api::App;
use retrace_api::commands;
use retrace_api::wire::{Nothing, TriageRow};
use std::collections::HashSet;

/// What a person has left to go through, and where they are.
struct Walk {
    rows: Vec<TriageRow>,
    /// The row that is asked about; those before it were passed over.
    at: usize,
    acts: Acts,
}

pub(crate) fn run(app: &App, narrowed: &Narrowed, shell: &mut Shell<'_, '_>) -> Ended {
    let found = inbox::rows(narrowed, app)?;
    if found.total == 0 {
        shell.note(inbox::nothing_left(narrowed));
        return Ok(Exit::DONE);
    }
    let style = shell.style();
    shell.print(|out| step::begin(out, &found, style))?;
    let rows = found.needs.into_iter().chain(found.routine).collect();
    let names = Names::of(commands::stores(app, Nothing {})?);
    let mut walk = Walk { rows, at: 0, acts: Acts::default() };
    while walk.at < walk.rows.len() {
        walk.show(app, &names, shell)?;
        if !walk.ask(app, &names, shell)? {
            break;
        }
    }
    let left: u64 = walk.rows.iter().map(|row| row.versions.len() as u64).sum();
    let done = walk.acts.counts();
    shell.print(|out| step::end(out, [done.approved, done.rolled_back, done.mended], left, style))?;
    Ok(Exit::DONE)
}

/// Rows of a difference that are shown on however small a terminal.
const LEAST_ROWS: usize = 3;

impl Walk {
    fn row(&self) -> &TriageRow {
        &self.rows[self.at]
    }

    /// The row with its difference, as far as it fits.
    fn show(&self, app: &App, names: &Names, shell: &mut Shell<'_, '_>) -> Result<(), Failure> {
        let style = shell.style();
        let row = self.row();
        let place = (self.at + 1, self.rows.len());
        let mut heading = Vec::new();
        step::heading(&mut heading, row, place, names, style)?;
        let question = step::question(row, place, &self.choices(), style);
        shell.print(|out| out.write_all(&heading))?;
        let difference = step::difference(app, row, names, style)?;
        // On a terminal the question stays on the screen with what it is about.
        let most = shell.io.terminal.stdout.then(|| {
            let around = step::rows_around(&heading, &question, shell.io.columns());
            shell.io.terminal.height.saturating_sub(around).max(LEAST_ROWS)
        });
        shell.print_whole(|out| step::cut(out, &difference, most, style))
    }

    /// Asks until something is decided. False to end.
    fn ask(&mut self, app: &App, names: &Names, shell: &mut Shell<'_, '_>) -> Result<bool, Failure> {
        loop {
            let choices = self.choices();
            let style = shell.style();
            let question = step::question(self.row(), (self.at + 1, self.rows.len()), &choices, style);
            let Some(key) = answer(&question, shell)? else { return Ok(false) };
            let choice = choices.iter().copied().find(|choice| choice.key() == key);
            match choice {
                Some(Choice::Quit) => return Ok(false),
                Some(Choice::Next) => {
                    self.at += 1;
                    return Ok(true);
                }
                Some(Choice::Previous) => {
                    self.at = self.at.saturating_sub(1);
                    return Ok(true);
                }
                Some(Choice::Whole) => {
                    let difference = step::difference(app, self.row(), names, style)?;
                    shell.print_long_whole(|out| Ok(out.write_all(&difference)?))?;
                }
                Some(Choice::Split) => {
                    let apart = left_of(app, self.row())?;
                    self.replace(apart);
                    return Ok(true);
                }
                Some(Choice::Undo) => {
                    if let Some((place, rows)) = self.acts.undo(app, names, shell)? {
                        self.insert(place, rows);
                    }
                    return Ok(true);
                }
                Some(Choice::Routine) => {
                    if self.approve_routine(app, names, shell)? {
                        return Ok(true);
                    }
                }
                Some(choice @ (Choice::Approve | Choice::RollBack | Choice::Edit | Choice::Mend)) => {
                    let act = match choice {
                        Choice::Approve => Act::Approve,
                        Choice::RollBack => Act::RollBack,
                        Choice::Edit => Act::Edit,
                        _ => Act::Mend,
                    };
                    let row = self.row().clone();
                    if self.acts.act(app, act, (self.at, &[row]), names, shell)? {
                        let left = left_of(app, self.row())?;
                        self.after(left);
                        return Ok(true);
                    }
                }
                Some(Choice::Help) | None => shell.print(|out| step::help(out, &choices, style))?,
            }
        }
    }

    /// Acts that this row allows.
    fn choices(&self) -> Vec<Choice> {
        let row = self.row();
        let several = row.versions.len() > 1;
        let mut choices = vec![Choice::Approve, Choice::RollBack];
        if several {
            choices.push(Choice::Split);
        }
        if !several
            && row.items.first().is_some_and(|item| item.content_kind.is_some_and(|kind| kind == "text"))
        {
            choices.push(Choice::Edit);
        }
        if row.finding.as_ref().is_some_and(step::can_be_mended) {
            choices.push(Choice::Mend);
        }
        choices.push(Choice::Next);
        if self.at > 0 {
            choices.push(Choice::Previous);
        }
        choices.push(Choice::Whole);
        if self.rows[self.at..].iter().any(|row| row.reason.is_none()) {
            choices.push(Choice::Routine);
        }
        if self.acts.can_undo() {
            choices.push(Choice::Undo);
        }
        choices.extend([Choice::Quit, Choice::Help]);
        choices
    }

    /// The routine rows from here on, at once.
    fn approve_routine(
        &mut self,
        app: &App,
        names: &Names,
        shell: &mut Shell<'_, '_>,
    ) -> Result<bool, Failure> {
        let is_meant = |row: &&TriageRow| row.reason.is_none();
        let rest: Vec<TriageRow> = self.rows[self.at..].iter().filter(is_meant).cloned().collect();
        let place = self.at + self.rows[self.at..].iter().position(|row| is_meant(&row)).unwrap_or_default();
        if !self.acts.act(app, Act::ApproveRoutine, (place, &rest), names, shell)? {
            return Ok(false);
        }
        let mut left = Vec::new();
        for row in &rest {
            left.extend(left_of(app, row)?);
        }
        let (at, mut place) = (self.at, 0);
        self.rows.retain(|row| {
            place += 1;
            place <= at || row.reason.is_some()
        });
        let end = self.rows.len();
        self.rows.splice(end..end, left);
        Ok(true)
    }

    /// Puts what is left of the row in its place: the row as it is where all of it is left.
    fn after(&mut self, left: Vec<TriageRow>) {
        let stays = left.len() == self.row().versions.len()
            && left.iter().zip(&self.row().versions).all(|(row, version)| row.versions[0] == *version);
        match stays {
            true => self.at += 1,
            false => self.replace(left),
        }
    }

    fn replace(&mut self, with: Vec<TriageRow>) {
        self.rows.splice(self.at..=self.at, with);
    }

    /// Puts rows back where they stood. What comes before the row that is asked about is asked about next.
    fn insert(&mut self, place: usize, rows: Vec<TriageRow>) {
        // A part of them may be there still, as rows of their own.
        let again: HashSet<&String> = rows.iter().flat_map(|row| &row.versions).collect();
        let is_again: Vec<bool> =
            self.rows.iter().map(|row| row.versions.iter().all(|version| again.contains(version))).collect();
        let before = |place: usize| is_again.iter().take(place).filter(|is_again| **is_again).count();
        let (place, at) = (place.min(self.rows.len()), self.at);
        let (place, at) = (place - before(place), at - before(at));
        self.at = at.min(place);
        let mut is_again = is_again.iter();
        self.rows.retain(|_| is_again.next() == Some(&false));
        self.rows.splice(place..place, rows);
    }
}

/// Asks, and reads one key: without Enter where the terminal gives keys, else the first letter of a line. `None` at the end of
/// the input.
pub(super) fn answer(question: &str, shell: &mut Shell<'_, '_>) -> Result<Option<char>, Failure> {
    shell.print(|out| write!(out, "{question} "))?;
    if let Some(next) = &mut shell.io.keys {
        let key = loop {
            match next()? {
                Key::Char(letter) => break Some(letter),
                Key::End => break None,
                Key::Down => break Some(Choice::Next.key()),
                Key::Up => break Some(Choice::Previous.key()),
                Key::Other => {}
            }
        };
        shell.print(|out| match key {
            Some(letter) if !letter.is_control() => writeln!(out, "{letter}"),
            _ => writeln!(out),
        })?;
        return Ok(key);
    }
    let line = line(shell)?;
    shell.print(|out| writeln!(out))?;
    Ok(line.map(|line| line.trim().chars().next().unwrap_or(' ')))
}

/// The next line of standard input and no byte more: what follows is for an editor, or for the next question.
fn line(shell: &mut Shell<'_, '_>) -> Result<Option<String>, Failure> {
    let mut line = Vec::new();
    let mut byte = [0];
    while shell.io.stdin.read(&mut byte)? == 1 {
        if byte[0] == b'\n' {
            return Ok(Some(String::from_utf8_lossy(&line).into_owned()));
        }
        line.push(byte[0]);
    }
    Ok((!line.is_empty()).then(|| String::from_utf8_lossy(&line).into_owned()))
}
