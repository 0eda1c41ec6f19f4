//! `retrace rule` and `retrace adherence`

use super::Ended;
use crate::exit::Exit;
use crate::input;
use crate::print::{self, json};
use crate::shell::{Failure, Shell};
use clap::{Args, Subcommand};
use retrace_api::commands;
use retrace_api::wire::{
    AddMemoryRules, AdherenceReq, ApiError, BrokenRules, BrokenRulesReq, CheckRuleReq, Code, GuardRule,
    ListMemoryRule, MemoryRulesReq, Message, ProposeRulesReq, SeeBrokenRules,
};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Largest file of rules, and of a call that is checked, in bytes.
const LARGEST: u64 = 16 << 20;

/// Rules that memories state: propose, confirm, list, check a call
///
/// A rule is a sentence of a memory or an instruction file with a pattern that
/// can be compared with what sessions did. Nothing counts before you confirmed
/// it. `retrace adherence` tells how sessions fared.
///
///     retrace rule propose
///     retrace rule add rule.json
///     retrace rule list
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Sentences that look like rules, with kind and pattern filled in
    ///
    /// Read are the memories of every store, the instruction files of this user
    /// and of the projects that sessions ran in. With --json, one rule a line, as
    /// `rule add` takes it.
    ///
    ///     retrace rule propose
    ///     retrace rule propose --store notes --json > rules.jsonl
    #[command(verbatim_doc_comment)]
    Propose {
        /// Only the memories of this store
        #[arg(long)]
        store: Option<String>,
        /// Only this file
        #[arg(long, conflicts_with = "store")]
        file: Option<PathBuf>,
        /// Also what people said in sessions to correct a model
        #[arg(long)]
        sessions: bool,
    },
    /// Confirm rules from a file
    ///
    /// The file holds one JSON object, a list of them, or one a line; - is standard
    /// input. Fields: `kind` (command_never, command_form, order, path_never,
    /// at_end, ask_first, text_form), `sentence`, `source` (STORE:PATH:LINE or a
    /// file), and by kind `program` and `arguments`, `form`, `before` and `after`,
    /// `paths`, `text`.
    ///
    ///     retrace rule add rule.json
    ///     echo '{"kind":"command_never","program":"npm","sentence":"pnpm, never npm"}' | retrace rule add -
    #[command(verbatim_doc_comment)]
    Add {
        /// The file
        file: PathBuf,
    },
    /// List the rules that were confirmed
    ///
    ///     retrace rule list
    #[command(verbatim_doc_comment)]
    List {
        /// Also those that were taken off the list
        #[arg(long)]
        removed: bool,
    },
    /// Take a rule off the list; it stays in the log
    ///
    ///     retrace rule remove rule_3
    #[command(verbatim_doc_comment)]
    Remove {
        /// The rule
        rule: String,
    },
    /// Put a rule back that was taken off the list
    ///
    ///     retrace rule restore rule_3
    #[command(verbatim_doc_comment)]
    Restore {
        /// The rule
        rule: String,
    },
    /// Say that you saw a break that was found while its session ran
    ///
    /// `retrace inbox` lists the breaks that nobody saw yet, `rule broken` all of
    /// them. What you say stays in the log; --undo puts a break back among what
    /// needs you.
    ///
    ///     retrace rule seen break_7
    ///     retrace rule seen break_7 --undo
    #[command(verbatim_doc_comment)]
    Seen {
        /// The breaks
        #[arg(required = true)]
        breaks: Vec<String>,
        /// Put them back among what needs you
        #[arg(long)]
        undo: bool,
    },
    /// List the breaks that were found while sessions ran, the newest first
    ///
    /// Something has to record meanwhile. `retrace adherence` counts every session,
    /// recorded or not.
    ///
    ///     retrace rule broken
    #[command(verbatim_doc_comment)]
    Broken {
        /// Number of breaks
        #[arg(long, default_value_t = 200)]
        limit: u64,
    },
    /// Judge one call before it is made
    ///
    /// As a hook of Claude Code (`PreToolUse`), standard input is the call as the
    /// hook gets it, and the answer is the hook's. With --command, the rules that
    /// the command would break are listed; the exit code is 5 then.
    ///
    ///     retrace rule check --command 'npm ci'
    ///     retrace rule check --rule rule_3 < call.json
    #[command(verbatim_doc_comment)]
    Check {
        /// Only this rule
        #[arg(long)]
        rule: Option<String>,
        /// A shell command, instead of a call on standard input
        #[arg(long)]
        command: Option<String>,
        /// As a hook: remind the model, and let the call be made
        #[arg(long, conflicts_with = "command")]
        remind: bool,
    },
    /// Make a rule a guard: a hook that stops a call before it breaks the rule
    ///
    /// Puts a hook (`PreToolUse`) into the settings of Claude Code that asks
    /// `rule check` before each call, and says how often it would have fired on
    /// recorded sessions, and how often wrongly, because you had asked for the call.
    /// Only the hook changes in the settings. --dry-run shows the edit and writes
    /// nothing; --remove takes the hook out again. For rules of the kinds
    /// command_never, command_form and path_never.
    ///
    ///     retrace rule guard rule_3 --dry-run
    ///     retrace rule guard rule_3 --remind
    ///     retrace rule guard rule_3 --remove
    #[command(verbatim_doc_comment)]
    Guard {
        /// The rule
        rule: String,
        /// Remind the model of the rule and let the call be made, instead of refusing it
        #[arg(long, conflicts_with = "remove")]
        remind: bool,
        /// These settings, instead of yours (`~/.claude/settings.json`)
        #[arg(long, value_name = "FILE", conflicts_with = "project")]
        settings: Option<PathBuf>,
        /// The settings that this directory has for you alone (`.claude/settings.local.json`)
        #[arg(long, value_name = "DIR")]
        project: Option<PathBuf>,
        /// Take the guard off
        #[arg(long)]
        remove: bool,
        /// Show the edit and write nothing
        #[arg(long)]
        dry_run: bool,
        /// Hash that the settings must have, as a preview gave it
        #[arg(long, value_name = "SHA256")]
        expect: Option<String>,
    },
}

/// How sessions fared with your rules
///
/// For each rule: the points at which it applied, how often it was followed, how
/// often it was broken while it was before the model and while it was not (with
/// the cause), and how each wording of its line fared. What was done before the
/// rule stood in its memory does not count.
///
///     retrace adherence
///     retrace adherence --rule rule_3 --cases
///     retrace adherence --since 2026-11-01 --json
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct AdherenceArguments {
    /// Only this rule
    #[arg(long)]
    rule: Option<String>,
    /// Only what was done since this time: 3d (ago), today, 2026-11-26, RFC 3339
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Also each case: the call, the turn, the session
    #[arg(long)]
    cases: bool,
}

pub(crate) fn run(arguments: Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    match arguments.what {
        What::Propose { store, file, sessions } => propose(store, file, sessions, shell),
        What::Add { file } => add(&file, shell),
        What::List { removed } => list(removed, shell),
        What::Remove { rule } => set(rule, false, shell),
        What::Restore { rule } => set(rule, true, shell),
        What::Seen { breaks, undo } => seen(breaks, undo, shell),
        What::Broken { limit } => broken(limit, shell),
        What::Check { rule, command: Some(command), .. } => check(rule, &command, shell),
        What::Check { rule, command: None, remind } => Ok(answer_hook(rule, remind, shell)),
        What::Guard { rule, remind, settings, project, remove, dry_run, expect } => {
            let (settings, project) = (settings.map(absolute), project.map(absolute));
            guard(GuardRule { rule, remind, remove, settings, project, dry_run, expect }, shell)
        }
    }
}

fn absolute(path: PathBuf) -> String {
    std::path::absolute(&path).unwrap_or(path).to_string_lossy().into_owned()
}

fn guard(request: GuardRule, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let done = shell.work(&app, "Reading the sessions", || commands::guard_rule(&app, request))?;
    shell.print_one(&done, |out, style| print::guards::guarded(out, &done, style))?;
    Ok(Exit::DONE)
}

fn propose(store: Option<String>, file: Option<PathBuf>, sessions: bool, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let file = file.map(absolute);
    let found = commands::propose_rules(&app, ProposeRulesReq { store, file, sessions })?;
    let (as_json, style) = (shell.json, shell.style());
    shell.print_long(|out| {
        match as_json {
            true => found.rules.iter().try_for_each(|rule| json::line(out, rule))?,
            false => print::rules::proposed(out, &found.rules, style)?,
        }
        Ok(())
    })?;
    if !found.rules.is_empty() {
        shell.note(
            "To confirm some: `retrace rule propose --json > rules.jsonl`, take out the others, `retrace rule add rules.jsonl`.",
        );
    }
    Ok(Exit::DONE)
}

fn add(file: &std::path::Path, shell: &mut Shell<'_, '_>) -> Ended {
    let bytes = input::read(file, shell.io.stdin, LARGEST)?;
    let rules = rules_of(&bytes).ok_or_else(|| {
        ApiError::invalid(Message::verbatim("The file holds no JSON."), file.display().to_string())
            .hint(how_to_say())
    })?;
    if rules.is_empty() {
        let message = Message::verbatim("The file holds no rule.");
        return Err(ApiError::invalid(message, file.display().to_string()).hint(how_to_say()).into());
    }
    let app = shell.app()?;
    let rules = rules.into_iter().map(with_whole_path).collect();
    for added in commands::add_memory_rules(&app, AddMemoryRules { rules })?.rules {
        shell.print_one(&added, |out, style| print::rules::one(out, &added, style))?;
    }
    Ok(Exit::DONE)
}

fn how_to_say() -> Message {
    Message::verbatim(
        "One object, a list of objects, or one a line: `retrace rule add --help` lists the fields.",
    )
}

/// A rule whose source is a file below this directory names it by its whole path.
fn with_whole_path(mut rule: Value) -> Value {
    let Some(source) = rule.get("source").and_then(Value::as_str) else { return rule };
    let numbered = source.rsplit_once(':').filter(|(_, line)| line.bytes().all(|byte| byte.is_ascii_digit()));
    let path = std::path::Path::new(numbered.map_or(source, |(path, _)| path));
    if path.is_relative()
        && path.is_file()
        && let Ok(whole) = std::path::absolute(path)
    {
        let line = numbered.map(|(_, line)| format!(":{line}")).unwrap_or_default();
        rule["source"] = format!("{}{line}", whole.display()).into();
    }
    rule
}

/// One object, a list of them, or one a line.
fn rules_of(bytes: &[u8]) -> Option<Vec<Value>> {
    // Editors of Windows begin a file with a byte order mark.
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    match serde_json::from_slice(bytes) {
        Ok(Value::Array(rules)) => Some(rules),
        Ok(rule) => Some(vec![rule]),
        Err(_) => serde_json::Deserializer::from_slice(bytes).into_iter().collect::<Result<_, _>>().ok(),
    }
}

fn list(removed: bool, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let rules = commands::memory_rules(&app, MemoryRulesReq { removed })?.rules;
    let (as_json, style) = (shell.json, shell.style());
    shell.print_long(|out| {
        match as_json {
            true => rules.iter().try_for_each(|rule| json::line(out, rule))?,
            false => print::rules::list(out, &rules, style)?,
        }
        Ok(())
    })?;
    Ok(Exit::DONE)
}

fn set(rule: String, put_back: bool, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let rule = commands::list_memory_rule(&app, ListMemoryRule { rule, put_back })?;
    shell.print_one(&rule, |out, style| print::rules::one(out, &rule, style))?;
    Ok(Exit::DONE)
}

fn seen(broken: Vec<String>, put_back: bool, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let found = commands::see_broken_rules(&app, SeeBrokenRules { broken, put_back })?;
    print_broken(&found, shell)
}

fn broken(limit: u64, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let found = commands::broken_rules(&app, BrokenRulesReq { seen: true, limit: Some(limit) })?;
    if found.broken.is_empty() {
        shell.note("No running session broke a rule while something recorded.");
    }
    print_broken(&found, shell)
}

fn print_broken(found: &BrokenRules, shell: &mut Shell<'_, '_>) -> Ended {
    let (as_json, style) = (shell.json, shell.style());
    shell.print_long(|out| {
        found.broken.iter().try_for_each(|broken| match as_json {
            true => json::line(out, broken),
            false => print::broken::one(out, broken, style),
        })?;
        Ok(())
    })?;
    Ok(Exit::DONE)
}

fn check(rule: Option<String>, command: &str, shell: &mut Shell<'_, '_>) -> Ended {
    let input = json!({"command": command});
    let request = CheckRuleReq { rule, tool: "Bash".to_owned(), input, directory: None, transcript: None };
    let app = shell.app()?;
    let found = commands::check_memory_rule(&app, request)?;
    if found.broken.is_empty() {
        let rules = commands::memory_rules(&app, MemoryRulesReq { removed: false })?.rules;
        shell.note(match rules.is_empty() {
            true => "No rule is confirmed yet: `retrace rule propose` lists sentences that look like rules.",
            false => "The command breaks no rule.",
        });
        return Ok(Exit::DONE);
    }
    let (as_json, style) = (shell.json, shell.style());
    shell.print(|out| {
        match as_json {
            true => found.broken.iter().try_for_each(|rule| json::line(out, rule))?,
            false => print::rules::list(out, &found.broken, style)?,
        }
        Ok(())
    })?;
    Ok(Exit::FINDINGS)
}

/// Answers a hook before a call. A failure is told and the call goes on: the client takes the exit code 2, that of a request that
/// makes no sense, for a refusal.
fn answer_hook(rule: Option<String>, remind: bool, shell: &mut Shell<'_, '_>) -> Exit {
    match hook(rule, remind, shell) {
        Ok(()) => Exit::DONE,
        Err(Failure::Api(error)) => {
            shell.fail(&error);
            Exit::of(Code::Internal)
        }
        Err(Failure::Output(_)) => Exit::of(Code::Internal),
    }
}

fn hook(rule: Option<String>, remind: bool, shell: &mut Shell<'_, '_>) -> Result<(), Failure> {
    let bytes = input::read(std::path::Path::new("-"), shell.io.stdin, LARGEST)?;
    let call: Value = serde_json::from_slice(&bytes)
        .map_err(|_| {
            ApiError::invalid(Message::verbatim("Standard input holds no call."), "tool_name").hint(Message::verbatim(
                "A hook (`PreToolUse`) passes the call as JSON; a command is judged with `retrace rule check --command COMMAND`.",
            ))
        })?;
    let text = |field: &str| call[field].as_str().map(str::to_owned);
    let request = CheckRuleReq {
        rule,
        tool: text("tool_name").unwrap_or_default(),
        input: call["tool_input"].clone(),
        directory: text("cwd"),
        transcript: text("transcript_path"),
    };
    let found = match retrace_api::check_call(&shell.options()?.engine, &request) {
        // A log of an older program is brought up to date by opening it.
        Err(error) if error.code == Code::Invalid => commands::check_memory_rule(&*shell.app()?, request)?,
        found => found?,
    };
    if !found.broken.is_empty() {
        let answer = hook_answer(&found.broken, remind);
        shell.print(|out| json::line(out, &answer))?;
    }
    Ok(())
}

/// The answer of a `PreToolUse` hook that refuses a call, or reminds the model of the rule beside the call's result.
fn hook_answer(broken: &[retrace_api::wire::MemoryRule], remind: bool) -> Value {
    let sentences: Vec<&str> = broken.iter().map(|rule| rule.rule.sentence.as_str()).collect();
    let reason = sentences.join("\n");
    json!({"hookSpecificOutput": match remind {
        true => json!({"hookEventName": "PreToolUse", "additionalContext": format!("Rule: {reason}")}),
        false => json!({
            "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason,
        }),
    }})
}

pub(crate) fn adherence(arguments: AdherenceArguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let AdherenceArguments { rule, since, cases } = arguments;
    let since = shell.time_if_any(since.as_deref())?;
    let request = AdherenceReq { rule, since, cases };
    let found = shell.work(&app, "Reading the sessions", || commands::adherence(&app, request))?;
    let (as_json, style) = (shell.json, shell.style());
    shell.print_long(|out| {
        match as_json {
            true => found.rules.iter().try_for_each(|rule| json::line(out, rule))?,
            false => print::rules::adherence(out, &found, style)?,
        }
        Ok(())
    })?;
    for problem in &found.problems {
        shell.warn(problem.text());
    }
    Ok(Exit::DONE)
}
