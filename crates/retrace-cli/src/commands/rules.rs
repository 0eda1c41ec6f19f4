//! `retrace health rules`

use super::Ended;
use crate::exit::Exit;
use crate::print::{self, json};
use crate::shell::Shell;
use clap::{Args, Subcommand};
use retrace_api::commands;
use retrace_api::wire::{Nothing, SetFindingRule};

/// List the rules of findings, and change your settings of them
///
/// Your settings hold for every store in `health`, `findings`, the inbox and
/// `check STORE`, and win over the configuration of a directory. `check DIR` is
/// the same for everybody and does not use them.
///
///     retrace health rules
///     retrace health rules set links/orphan off
///     retrace health rules set links/orphan default
///     retrace health rules set truth on
#[derive(Args)]
#[command(verbatim_doc_comment, args_conflicts_with_subcommands = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Subcommand)]
enum What {
    /// List every rule: severity, whether it is on, your setting, what it searches for
    ///
    ///     retrace health rules list --json
    #[command(verbatim_doc_comment)]
    List,
    /// Set a rule, or every rule of a group such as truth
    ///
    ///     retrace health rules set links/orphan off
    #[command(verbatim_doc_comment)]
    Set {
        /// The rule, or the group
        rule: String,
        /// off, on, note, warning, error; default takes your setting away
        setting: String,
    },
}

/// True if a rule is meant by its id or by its group's name.
fn is_named(id: &str, selector: &str) -> bool {
    id == selector || id.split_once('/').is_some_and(|(group, _)| group == selector)
}

pub(crate) fn run(arguments: Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let mut only = None;
    let rules = match arguments.what.unwrap_or(What::List) {
        What::List => commands::finding_rules(&app, Nothing {})?,
        What::Set { rule, setting } => {
            only = Some(rule.clone());
            let setting = (setting != "default").then_some(setting);
            commands::set_finding_rule(&app, SetFindingRule { rule, setting })?
        }
    };
    let shown: Vec<_> = rules
        .rules
        .iter()
        .filter(|rule| only.as_deref().is_none_or(|only| is_named(&rule.id, only)))
        .collect();
    let (as_json, style) = (shell.json, shell.style());
    shell.print_long(|out| {
        match as_json {
            true => shown.iter().try_for_each(|rule| json::line(out, rule))?,
            false => print::health::rules(out, &shown, style)?,
        }
        Ok(())
    })?;
    shell.note(&format!("Your settings are kept in {}.", print::visible::line(&rules.own_file)));
    Ok(Exit::DONE)
}
