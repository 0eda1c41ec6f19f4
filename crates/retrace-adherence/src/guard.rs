//! A rule as a guard: a hook in an agent's settings that has each call judged before it is made.

use crate::Rules;
use crate::backtest::back_test;
use crate::list::{id_of, rule_named};
use crate::settings::{Edited, Refusal, holds, is_as_made, with_hook, without_hook};
use retrace_files::{Expected, FileError, Root, RootError};
use retrace_log::{GuardAct, KeptGuard, Reader};
use retrace_model::{RelPath, Sha256, Timestamp};
use retrace_rules::{Pattern, Rule};
use retrace_wire::{ApiError, Code, GuardRule, GuardedRule, MemoryRule, RuleGuard, SettingsLine, show};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Larger files are no settings.
const LARGEST: u64 = 4 << 20;

/// Stands for the hash of a file that is not there.
const ABSENT: &str = "absent";

/// Tools of Claude Code that run commands, and those that write files.
const COMMANDS: &str = "Bash|PowerShell";
const WRITERS: &str = "Edit|MultiEdit|Write|NotebookEdit|Bash|PowerShell";

/// Makes a rule a guard, or takes the guard off. Nothing but the hook changes in the settings; they must be what they were when
/// they were read.
///
/// # Errors
/// `not_found` for an id that no rule has and a guard that is not there, `invalid` for a rule that one call cannot break or that is
/// off the list and for settings that are no JSON, `head_moved` when somebody else changed them, `cannot_write`.
pub fn guard_rule(inner: &Arc<Rules>, request: GuardRule) -> Result<GuardedRule, ApiError> {
    let (number, view, rule) = inner.read(|reader| rule_named(reader, &request.rule))?;
    let kept: Vec<KeptGuard> = inner.read(|reader| Ok(reader.guards()?))?;
    let kept: Vec<KeptGuard> = kept.into_iter().filter(|guard| guard.rule == number).collect();
    let asked = asked_file(inner, &request)?;
    let target = if request.remove {
        let guard =
            kept.iter().rev().find(|guard| asked.as_ref().is_none_or(|file| show(file) == guard.file));
        let guard =
            guard.ok_or_else(|| ApiError::new(Code::NotFound, say::no_guard_there(), &request.rule))?;
        PathBuf::from(&guard.file)
    } else {
        asked.unwrap_or_else(|| user_settings(inner))
    };
    let settings = Settings::read(&target)?;
    settings.expect(request.expect.as_deref())?;
    if request.remove {
        return take_off(inner, &request, view, kept, settings);
    }
    if !rule.pattern.is_of_one_call() {
        return Err(ApiError::invalid(say::not_of_one_call(), &request.rule).hint(say::kinds_of_one_call()));
    }
    // Its hook would let every call be made.
    if view.removed_at.is_some() {
        let hint = say::restore_the_rule(&view.rule_id);
        return Err(ApiError::invalid(say::rule_is_off_the_list(), &request.rule).hint(hint));
    }
    put_in(inner, &request, (view, &rule), kept, settings)
}

fn put_in(
    inner: &Arc<Rules>,
    request: &GuardRule,
    (view, rule): (MemoryRule, &Rule),
    kept: Vec<KeptGuard>,
    settings: Settings,
) -> Result<GuardedRule, ApiError> {
    let file = show(&settings.file);
    // One hook a rule in each file: one that was there, with another answer perhaps, gives way.
    let before = settings.text.clone().unwrap_or_default();
    // What somebody took out by hand gives way to nothing: to undo this act does not bring it back.
    let stands = |guard: &KeptGuard| guard.file == file && holds(&before, &guard.command);
    let earlier = kept.into_iter().rfind(stands);
    let (tools, command) = (tools_of(&rule.pattern), command_of(inner, &view.rule_id, request.remind));
    let is_there = earlier.as_ref().is_some_and(|guard| {
        guard.command == command && is_as_made(&before, tools, &command, &guard.inserted)
    });
    let edited = match &earlier {
        _ if is_there => Edited { text: before, inserted: String::new() },
        Some(guard) => {
            let plain = settings.of(without_hook(&before, &guard.command, &guard.inserted))?;
            settings.of(with_hook(&plain.unwrap_or(before), tools, &command))?
        }
        None => settings.of(with_hook(&before, tools, &command))?,
    };
    let guard = KeptGuard {
        seq: 0,
        rule: number_in(&view)?,
        at: inner.now(),
        remind: request.remind,
        made_file: settings.text.is_none() || earlier.as_ref().is_some_and(|guard| guard.made_file),
        file,
        command: command.clone(),
        inserted: edited.inserted,
    };
    let test = back_test(
        inner,
        (rule, retrace_engine::target::time(&view.added_at)?),
        settings.project(&retrace_sources::config_root(&inner.options.surroundings)),
    )?;
    let after = Some(edited.text);
    let answer =
        |view| settings.answer(request, view, (&command, request.remind), after.as_deref(), Some(test));
    // Nothing is done twice, so that nothing is to be undone twice.
    if request.dry_run || is_there {
        return Ok(answer(view));
    }
    let user = inner.user();
    settings.change(inner, after.as_deref(), |act| {
        if let Some(earlier) = &earlier {
            act.remove_guard(&user, guard.at, earlier)?;
        }
        Ok(act.add_guard(&user, &guard)?)
    })?;
    Ok(answer(inner.read(|reader| Ok(rule_named(reader, &request.rule)?.1))?))
}

fn take_off(
    inner: &Arc<Rules>,
    request: &GuardRule,
    view: MemoryRule,
    kept: Vec<KeptGuard>,
    settings: Settings,
) -> Result<GuardedRule, ApiError> {
    let file = show(&settings.file);
    let guards: Vec<KeptGuard> = kept.into_iter().filter(|guard| guard.file == file).collect();
    let Some(newest) = guards.last().cloned() else {
        return Err(ApiError::new(Code::NotFound, say::no_guard_there(), &request.rule));
    };
    let mut after = settings.text.clone();
    for guard in guards.iter().rev() {
        let text = after.as_deref().unwrap_or_default();
        if let Some(without) = settings.of(without_hook(text, &guard.command, &guard.inserted))? {
            // Settings that were made for the hook, and hold nothing else, go with it.
            after = (!guard.made_file || !is_blank(&without)).then_some(without);
        }
    }
    let answer =
        |view| settings.answer(request, view, (&newest.command, newest.remind), after.as_deref(), None);
    if request.dry_run {
        return Ok(answer(view));
    }
    let (user, now) = (inner.user(), inner.now());
    settings.change(inner, after.as_deref(), |act| {
        guards.iter().try_for_each(|guard| Ok(act.remove_guard(&user, now, guard)?))
    })?;
    Ok(answer(inner.read(|reader| Ok(rule_named(reader, &request.rule)?.1))?))
}

/// When the newest act on a guard was that can be taken back.
///
/// # Errors
/// A failure of the database.
pub fn newest_guard_act(reader: &Reader<'_>) -> Result<Option<Timestamp>, ApiError> {
    Ok(reader.newest_guard_acts()?.first().map(|act| act.guard.at))
}

/// Takes the newest act on a guard back, in the settings as they are now: a hook that was put in comes out, one that was taken
/// out goes in again.
///
/// # Errors
/// `not_found` where there is no such act, `head_moved` where somebody else put the hook in or out meanwhile, or changed the
/// settings while they were edited; nothing is written then.
pub fn undo_guard(inner: &Arc<Rules>, dry_run: bool) -> Result<GuardedRule, ApiError> {
    let (mut acts, kept) = inner.read(|reader| Ok((reader.newest_guard_acts()?, reader.guards()?)))?;
    let Some(newest) = acts.first().map(|act| act.guard.clone()) else {
        return Err(ApiError::new(Code::NotFound, say::no_guard_act(), ""));
    };
    let id = id_of(newest.rule);
    let (_, view, rule) = inner.read(|reader| rule_named(reader, &id))?;
    let settings = Settings::read(Path::new(&newest.file))?;
    let mut after = settings.text.clone();
    let mut standing = Vec::with_capacity(acts.len());
    for act in &mut acts {
        let is_it = |one: &&KeptGuard| {
            let of = |guard: &KeptGuard| (guard.rule, guard.file.clone(), guard.command.clone());
            of(one) == of(&act.guard)
        };
        // The hook may have gone out and in again since it was put in.
        let stands = kept.iter().rev().find(is_it).filter(|_| !act.is_removal).cloned();
        if let Some(stands) = &stands {
            (act.guard.made_file, act.guard.inserted) = (stands.made_file, stands.inserted.clone());
        }
        standing.push(stands.map(|stands| stands.seq));
        after = settings.taken_back(after, act, &rule)?;
    }
    let request = GuardRule { rule: id.clone(), dry_run, ..GuardRule::default() };
    let answer =
        |view| settings.answer(&request, view, (&newest.command, newest.remind), after.as_deref(), None);
    if dry_run {
        return Ok(answer(view));
    }
    let (user, now) = (inner.user(), inner.now());
    settings.change(inner, after.as_deref(), |log| {
        let mut all = acts.iter().zip(&standing);
        all.try_for_each(|(act, standing)| Ok(log.take_back_guard(&user, now, act, *standing)?))
    })?;
    Ok(answer(inner.read(|reader| Ok(rule_named(reader, &id)?.1))?))
}

fn is_blank(text: &str) -> bool {
    matches!(text.split_whitespace().collect::<String>().as_str(), "" | "{}")
}

/// The guards of a rule, with whether each stands in its settings.
pub(crate) fn guards(kept: &[KeptGuard], rule: u64) -> Vec<RuleGuard> {
    // Of several in the same settings, the newest: those before it were taken out by hand.
    let is_newest = |at: usize, guard: &KeptGuard| {
        !kept[at + 1..].iter().any(|later| later.rule == rule && later.file == guard.file)
    };
    let of_rule = kept.iter().enumerate().filter(|(at, guard)| guard.rule == rule && is_newest(*at, guard));
    of_rule
        .map(|(_, guard)| guard)
        .map(|guard| RuleGuard {
            settings: guard.file.clone(),
            remind: guard.remind,
            since: guard.at.to_rfc3339(),
            in_place: Settings::read(Path::new(&guard.file))
                .is_ok_and(|found| found.text.is_some_and(|text| holds(&text, &guard.command))),
        })
        .collect()
}

/// The same, of a rule by its id.
pub(crate) fn guards_of(kept: &[KeptGuard], id: &str) -> Vec<RuleGuard> {
    let of_rule = kept.iter().find(|guard| id_of(guard.rule) == id);
    of_rule.map(|guard| guards(kept, guard.rule)).unwrap_or_default()
}

fn number_in(view: &MemoryRule) -> Result<u64, ApiError> {
    crate::list::number_of(&view.rule_id)
}

/// The settings that a request names.
fn asked_file(inner: &Rules, request: &GuardRule) -> Result<Option<PathBuf>, ApiError> {
    let absolute = |text: &str| {
        let path = PathBuf::from(text);
        match path.is_absolute() {
            true => Ok(path),
            false => Err(ApiError::invalid(say::settings_must_be_absolute(), text)),
        }
    };
    if let Some(file) = &request.settings {
        return absolute(file).map(|file| Some(followed(file)));
    }
    let Some(project) = &request.project else { return Ok(None) };
    let project = absolute(project)?;
    if !project.is_dir() {
        return Err(ApiError::new(Code::NotFound, say::no_such_directory(), show(&project)));
    }
    let folder = project.join(".claude");
    // The home directory is no project: its settings are the user's.
    if folder == retrace_sources::config_root(&inner.options.surroundings) {
        return Ok(Some(user_settings(inner)));
    }
    Ok(Some(followed(folder.join("settings.local.json"))))
}

fn user_settings(inner: &Rules) -> PathBuf {
    followed(retrace_sources::config_root(&inner.options.surroundings).join("settings.json"))
}

/// The file itself, where a link stands for it.
fn followed(file: PathBuf) -> PathBuf {
    std::fs::canonicalize(&file).unwrap_or(file)
}

/// Which tools a rule is about.
fn tools_of(pattern: &Pattern) -> &'static str {
    if matches!(pattern, Pattern::PathNever(_)) { WRITERS } else { COMMANDS }
}

/// What the hook runs: this program, with the log that the rule is in.
fn command_of(inner: &Rules, rule: &str, remind: bool) -> String {
    let quoted = |path: &Path| format!("'{}'", path.to_string_lossy().replace('\'', "'\\''"));
    let remind = if remind { " --remind" } else { "" };
    let (program, data_dir) = (quoted(&inner.options.program), quoted(&inner.options.data_dir));
    format!("{program} --data-dir {data_dir} rule check --rule {rule}{remind}")
}

/// A settings file as it was read.
struct Settings {
    file: PathBuf,
    /// `None` where there is no file.
    text: Option<String>,
    hash: Option<Sha256>,
}

impl Settings {
    fn read(file: &Path) -> Result<Self, ApiError> {
        let none = || Self { file: file.to_owned(), text: None, hash: None };
        let (directory, name) = place(file)?;
        let root = match Root::open(&directory) {
            Ok(root) => root,
            Err(RootError::Missing { .. }) => return Ok(none()),
            Err(error) => return Err(error.into()),
        };
        let content = match root.read(&name, LARGEST) {
            Ok(content) => content,
            Err(FileError::Missing { .. }) => return Ok(none()),
            Err(error) => return Err(error.into()),
        };
        let text = content.bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        let text = text.ok_or_else(|| ApiError::invalid(say::settings_are_no_json(), show(file)))?;
        Ok(Self { file: file.to_owned(), text: Some(text), hash: Some(content.sha256) })
    }

    /// Refuses settings that are not those a person saw.
    fn expect(&self, expected: Option<&str>) -> Result<(), ApiError> {
        match expected {
            Some(expected) if expected != hash_text(self.hash) => Err(self.moved()),
            _ => Ok(()),
        }
    }

    fn moved(&self) -> ApiError {
        ApiError::new(Code::HeadMoved, say::settings_changed(), show(&self.file)).hint(say::preview_again())
    }

    fn of<T>(&self, edited: Result<T, Refusal>) -> Result<T, ApiError> {
        edited.map_err(|refusal| {
            let why = match refusal {
                Refusal::NoObject => say::settings_are_no_json(),
                Refusal::OtherForm => say::hooks_of_another_form(),
                Refusal::Twice => say::hooks_stand_there_twice(),
            };
            ApiError::invalid(why, show(&self.file))
        })
    }

    /// The settings without what an act on a guard did to them. What goes in again is put into the act's guard.
    fn taken_back(
        &self,
        text: Option<String>,
        act: &mut GuardAct,
        rule: &Rule,
    ) -> Result<Option<String>, ApiError> {
        let guard = &mut act.guard;
        let before = text.clone().unwrap_or_default();
        if act.is_removal {
            if holds(&before, &guard.command) {
                return Err(self.hook_moved());
            }
            let edited = self.of(with_hook(&before, tools_of(&rule.pattern), &guard.command))?;
            (guard.made_file, guard.inserted) = (text.is_none(), edited.inserted);
            return Ok(Some(edited.text));
        }
        // What somebody made of the hook since is theirs.
        if !is_as_made(&before, tools_of(&rule.pattern), &guard.command, &guard.inserted) {
            return Err(self.hook_moved());
        }
        let without = self.of(without_hook(&before, &guard.command, &guard.inserted))?;
        let without = without.ok_or_else(|| self.hook_moved())?;
        // Settings that were made for the hook, and hold nothing else, go with it.
        Ok((!guard.made_file || !is_blank(&without)).then_some(without))
    }

    fn hook_moved(&self) -> ApiError {
        ApiError::new(Code::HeadMoved, say::hook_changed(), show(&self.file)).hint(say::see_settings())
    }

    /// The directory whose sessions read these settings; `None` for those of the user.
    fn project(&self, config_root: &Path) -> Option<&Path> {
        let folder = self.file.parent()?;
        let own = folder != config_root && folder.file_name() == Some(".claude".as_ref());
        own.then(|| folder.parent()).flatten()
    }

    /// Writes them and the log's act, both or none.
    fn change(
        &self,
        inner: &Arc<Rules>,
        after: Option<&str>,
        note: impl Fn(&mut retrace_log::Act<'_>) -> Result<(), ApiError>,
    ) -> Result<(), ApiError> {
        let mut written = false;
        let done = inner.write(|act| {
            note(act)?;
            self.write(inner, self.text.as_deref(), after)?;
            written = true;
            Ok(())
        });
        if done.is_err() && written {
            self.write(inner, after, self.text.as_deref())?;
        }
        done
    }

    /// Puts one text in place of another, which must stand there.
    fn write(&self, inner: &Rules, before: Option<&str>, after: Option<&str>) -> Result<(), ApiError> {
        if before == after {
            return Ok(());
        }
        let (directory, name) = place(&self.file)?;
        if !directory.is_dir() {
            std::fs::create_dir_all(&directory).map_err(|error| {
                ApiError::new(Code::CannotWrite, say::folder_cannot_be_made(error), show(&directory))
            })?;
        }
        let root = Root::open(&directory)?;
        let expected = before.map(|text| Sha256::of(text.as_bytes()));
        let (random, steps) = (inner.random(), &*inner.options.faults);
        let done = match (after, expected) {
            (Some(text), expected) => {
                let expected = expected.map_or(Expected::Absent, Expected::Hash);
                root.replace(&name, expected, text.as_bytes(), random, steps)
            }
            (None, Some(expected)) => root.delete(&name, expected, false, random, steps),
            (None, None) => return Ok(()),
        };
        match done {
            Ok(_) => Ok(()),
            Err(FileError::Moved { .. }) => Err(self.moved()),
            Err(error) => Err(error.into()),
        }
    }

    fn answer(
        &self,
        request: &GuardRule,
        rule: MemoryRule,
        (command, remind): (&str, bool),
        after: Option<&str>,
        back_test: Option<retrace_wire::BackTest>,
    ) -> GuardedRule {
        let before = self.text.as_deref().unwrap_or_default();
        let options = retrace_diff::DiffOptions::default();
        let found = retrace_diff::diff(before.as_bytes(), after.unwrap_or_default().as_bytes(), &options);
        let lines = found.hunks.into_iter().flat_map(|hunk| hunk.lines);
        GuardedRule {
            dry_run: request.dry_run,
            rule,
            settings: show(&self.file),
            command: command.to_owned(),
            remind,
            from_sha256: hash_text(self.hash),
            to_sha256: hash_text(after.map(|text| Sha256::of(text.as_bytes()))),
            lines: lines.map(|line| SettingsLine { tag: line.tag.into(), text: line.text }).collect(),
            back_test,
        }
    }
}

fn hash_text(hash: Option<Sha256>) -> String {
    hash.map_or_else(|| ABSENT.to_owned(), |hash| hash.to_string())
}

/// A file's directory and its name there.
fn place(file: &Path) -> Result<(PathBuf, RelPath), ApiError> {
    let name = file.file_name().and_then(|name| RelPath::parse(&name.to_string_lossy()).ok());
    let place = file.parent().zip(name).map(|(folder, name)| (folder.to_path_buf(), name));
    place.ok_or_else(|| ApiError::invalid(say::settings_must_be_absolute(), show(file)))
}

retrace_message::messages! {
    /// Messages about guards.
    mod say in "guards";
    no_guard_there() => "The rule has no guard there.",
    not_of_one_call() => "A rule of this kind cannot be judged by one call alone.",
    rule_is_off_the_list() => "The rule is off the list, so that its hook would let every call be made.",
    restore_the_rule(rule) => "`retrace rule restore {rule}` puts it back on the list.",
    kinds_of_one_call() => "Rules of the kinds command_never, command_form and path_never can be guards.",
    settings_must_be_absolute() => "The settings must be named by their whole path.",
    no_such_directory() => "There is no such directory.",
    settings_are_no_json() => "The settings are no JSON object.",
    hooks_stand_there_twice() => "The settings have their hooks twice, of which the agent reads the last. Make one of them.",
    hooks_of_another_form() => "The hooks in the settings are of a form that is not known.",
    settings_changed() => "The settings were changed meanwhile.",
    no_guard_act() => "There is nothing to undo.",
    hook_changed() => "Somebody else changed the hook in the settings since.",
    see_settings() => "Look at the settings; `retrace rule guard` puts the hook in, with --remove takes it out. Nothing was written.",
    preview_again() => "Preview the edit again. Nothing was written.",
    folder_cannot_be_made(error) => "The directory of the settings cannot be made: {error}.",
}
