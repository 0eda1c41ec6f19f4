//! `retrace check`

use super::Ended;
use super::stores::text;
use crate::exit::Exit;
use crate::input;
use crate::print::{self, json};
use crate::shell::{Failure, Shell};
use clap::{Args, ValueEnum};
use retrace_api::commands;
use retrace_api::wire::Message;
use retrace_api::wire::{ApiError, CheckReq, Checked, Code, Nothing, Remedy, Store};
use std::path::{Path, PathBuf};

/// Check memories: limits, links, secrets, hidden text
///
/// Looks at a directory, which need not be recorded, or at a store. At the root
/// of a repository only what agents read there is looked at. Rules are switched
/// in retrace.toml; a comment `<!-- retrace-allow: RULE why -->` allows what
/// stands on its line or the next. Exits with 5 when there is a finding at or
/// above the severity asked for. Below a finding of a store stands the command
/// that mends it, where there is one.
///
///     retrace check .claude/memory
///     retrace check --format sarif --fail-on warning > findings.sarif
///     retrace check --write-baseline retrace-baseline.json
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// A directory, or a store by id or name [default: the current directory]
    #[arg(value_name = "DIR|STORE")]
    target: Option<PathBuf>,
    /// Output format
    #[arg(long, value_name = "text|json|sarif", hide_possible_values = true)]
    format: Option<Format>,
    /// Exit with 5 from this severity on: note, warning, error or never [default: the configuration's, or error]
    #[arg(long, value_name = "SEVERITY", value_parser = ["note", "warning", "error", "never"], hide_possible_values = true)]
    fail_on: Option<String>,
    /// Findings in this file do not count
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write a baseline that accepts everything found, and exit with 0
    #[arg(long, value_name = "FILE")]
    write_baseline: Option<PathBuf>,
    /// Only this rule or group of rules, even where it is off; may be repeated
    #[arg(long, value_name = "RULE")]
    rule: Vec<String>,
    /// Rules and exceptions [default: retrace.toml of the directory or of its repository]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Root of the repository the memories are about [default: the one the directory lies in]
    #[arg(long, value_name = "DIR")]
    repository: Option<PathBuf>,
    /// Each finding on a line of its own, also where a rule finds many in one file
    #[arg(long)]
    all: bool,
    /// Do not let comments in memories allow findings
    #[arg(long)]
    no_inline_allow: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    Sarif,
}

pub(crate) fn run(arguments: &Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let target = arguments.target.as_deref().unwrap_or(Path::new("."));
    let format = arguments.format.unwrap_or(if shell.json { Format::Json } else { Format::Text });
    let request = CheckReq {
        target: text(target)?,
        config: arguments.config.as_deref().map(read).transpose()?,
        rules: arguments.rule.clone(),
        fail_on: arguments.fail_on.clone(),
        baseline: arguments.baseline.as_deref().map(read).transpose()?,
        make_baseline: arguments.write_baseline.is_some(),
        repository: arguments.repository.as_deref().map(text).transpose()?,
        no_inline_allow: arguments.no_inline_allow,
        sarif: format == Format::Sarif,
    };
    let checked = checked(&request, target, shell)?;
    for problem in &checked.problems {
        shell.warn(problem);
    }
    let store = (format == Format::Text).then(|| store_of(&checked, target, shell)).flatten();
    print(&checked, store.as_deref(), format, arguments.all, shell)?;
    if let (Some(path), Some(baseline)) = (&arguments.write_baseline, &checked.baseline) {
        std::fs::write(path, baseline)
            .map_err(|error| file_error(Code::CannotWrite, path, "written", &error))?;
        shell.note(&format!("Wrote the baseline {}.", path.display()));
        return Ok(Exit::DONE);
    }
    Ok(if checked.failed { Exit::FINDINGS } else { Exit::DONE })
}

/// A directory needs no log; one is opened only for the name of a store, and only where there is one.
fn checked(request: &CheckReq, target: &Path, shell: &Shell<'_, '_>) -> Result<Checked, ApiError> {
    let options = shell.options()?;
    if target.is_dir() || !options.data_dir.is_dir() {
        return commands::check_directory(&options, request);
    }
    commands::check(&*shell.app()?, request.clone())
}

/// The name of the store that was checked, so that commands can be named that mend what was found. Nothing else is asked of the
/// log: where there is none, or it cannot be opened, a check is as good without.
fn store_of(checked: &Checked, target: &Path, shell: &Shell<'_, '_>) -> Option<String> {
    let is_mended = |remedy: &Remedy| !matches!(remedy, Remedy::Open { .. });
    let options = shell.options().ok()?;
    if !checked.findings.iter().any(|one| one.remedies.iter().any(is_mended)) || !options.data_dir.is_dir() {
        return None;
    }
    let stores = commands::stores(&*shell.app().ok()?, Nothing {}).ok()?.stores;
    let real = |path: &str| Path::new(path).canonicalize().ok();
    let root = real(&checked.root)?;
    let is_meant = |store: &Store| match target.is_dir() {
        true => real(&store.root).is_some_and(|it| it == root),
        false => target
            .to_str()
            .is_some_and(|name| [&store.id, &store.name, &store.root].iter().any(|it| *it == name)),
    };
    stores.into_iter().find(is_meant).map(|store| store.name)
}

fn print(
    checked: &Checked,
    store: Option<&str>,
    format: Format,
    all: bool,
    shell: &mut Shell<'_, '_>,
) -> Result<(), Failure> {
    let style = shell.style();
    match format {
        Format::Sarif => {
            shell.print_whole(|out| out.write_all(checked.sarif.as_deref().unwrap_or("").as_bytes()))
        }
        Format::Json => {
            shell.print(|out| checked.findings.iter().try_for_each(|finding| json::line(out, finding)))
        }
        Format::Text => {
            shell.print_long(|out| {
                let findings: Vec<_> = checked.findings.iter().collect();
                print::check::findings(out, &findings, store, all, style)?;
                Ok(())
            })?;
            shell.note(&print::check::summary(checked));
            Ok(())
        }
    }
}

pub(super) fn read(path: &Path) -> Result<String, ApiError> {
    let bytes = input::read(path, &mut std::io::empty(), input::MAX_INPUT_BYTES)?;
    String::from_utf8(bytes).map_err(|_| ApiError {
        code: Code::Invalid,
        message: Message::verbatim("The file is not text in UTF-8."),
        hint: Message::verbatim("Name a text file, or save this one as UTF-8."),
        subject: path.display().to_string(),
    })
}

fn file_error(code: Code, path: &Path, what: &str, error: &std::io::Error) -> ApiError {
    ApiError {
        code,
        message: Message::verbatim(format!("The file cannot be {what}: {}.", retrace_api::wire::why(error))),
        hint: Message::verbatim("Check the path and its permissions."),
        subject: path.display().to_string(),
    }
}
