//! `retrace context compare`

use super::Ended;
use super::input::{Named, invalid, variants};
use crate::commands::tokens::bytes;
use crate::exit::Exit;
use crate::print;
use crate::print::compare::{Compared, ComparedSide, Difference};
use crate::shell::Shell;
use clap::Args;
use retrace_api::commands;
use retrace_api::wire::Message;
use retrace_api::wire::{ApiError, Code, Regret, SimulateReq, Simulation};
use std::path::{Path, PathBuf};

/// Compare two settings with each other: differences in peak, cost and regrets
///
/// BASE and NEW are what `retrace context simulate --json` wrote, one object a
/// line and the same transcripts in both; or, with --transcript, two settings.
///
///     retrace context compare before.json after.json
///     retrace context compare a.json b.json --transcript 5f3c
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Base of the comparison
    base: PathBuf,
    /// Output to compare
    new: PathBuf,
    /// Try both as settings on this transcript; may be given several times
    #[arg(long, value_name = "TRANSCRIPT")]
    transcript: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let pairs = if arguments.transcript.is_empty() {
        let (base, new) = (recorded(&arguments.base, shell)?, recorded(&arguments.new, shell)?);
        pairs(base, new, &arguments.new)?
    } else {
        tried(arguments, shell)?
    };
    for (base, new) in pairs {
        let compared = compared(base, new);
        shell.print_one(&compared, |out, style| print::compare::compared(out, &compared, style))?;
    }
    Ok(Exit::DONE)
}

/// Reads the output of `simulate --json`.
fn recorded(path: &Path, shell: &mut Shell<'_, '_>) -> Result<Vec<Simulation>, ApiError> {
    let text = String::from_utf8_lossy(&bytes(path, shell.io.stdin)?).into_owned();
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let mut simulations = lines
        .map(|(index, line)| {
            serde_json::from_str(line).map_err(|error| ApiError {
                hint: Message::verbatim("Give what `retrace context simulate --json` wrote, or name a --transcript to try both as \
                       settings."),
                ..invalid(path, &format!("Line {} is no simulation: {error}.", index + 1))
            })
        })
        .collect::<Result<Vec<Simulation>, _>>()?;
    // What ran is no setting of the two.
    simulations.retain(|simulation| !simulation.in_force);
    if simulations.is_empty() {
        return Err(invalid(path, "There is no simulation in it."));
    }
    Ok(simulations)
}

/// The same transcripts in the same order.
fn pairs(
    base: Vec<Simulation>,
    new: Vec<Simulation>,
    path: &Path,
) -> Result<Vec<(Simulation, Simulation)>, ApiError> {
    let differ = |message: String| ApiError {
        code: Code::Invalid,
        message: Message::verbatim(message),
        hint: Message::verbatim(
            "Simulate the same transcripts in the same order for both, one setting each.",
        ),
        subject: path.display().to_string(),
    };
    if base.len() != new.len() {
        return Err(differ(format!("One holds {} simulations, the other {}.", base.len(), new.len())));
    }
    let other = base.iter().zip(&new).find(|(base, new)| base.transcript != new.transcript);
    if let Some((base, new)) = other {
        return Err(differ(format!(
            "They are of different transcripts: {}, {}.",
            base.transcript, new.transcript
        )));
    }
    Ok(base.into_iter().zip(new).collect())
}

/// Both as settings on the transcripts.
fn tried(
    arguments: &Arguments,
    shell: &mut Shell<'_, '_>,
) -> Result<Vec<(Simulation, Simulation)>, ApiError> {
    let mut settings = Vec::new();
    for path in [&arguments.base, &arguments.new] {
        let mut list = variants(path, shell)?;
        match list.pop() {
            Some(one) if list.is_empty() => settings.push(one),
            _ => return Err(invalid(path, "Only one setting can be compared with another.")),
        }
    }
    let app = shell.app()?;
    let mut pairs = Vec::new();
    for transcript in &arguments.transcript {
        let named = Named::new(transcript, shell)?;
        let request = SimulateReq {
            transcript: named.name.clone(),
            variants: settings.clone(),
            ..SimulateReq::default()
        };
        let answer = shell.work(&app, "Simulating", || commands::context_simulate(&app, request));
        let mut simulations = answer.map_err(|error| named.in_error(error))?.simulations.into_iter();
        if let (Some(mut base), Some(new)) = (simulations.next(), simulations.next()) {
            base.transcript = named.called(&base.transcript);
            pairs.push((base, new));
        }
    }
    Ok(pairs)
}

fn compared(base: Simulation, new: Simulation) -> Compared {
    let (one, two) = (&base.totals, &new.totals);
    let less = |one: u64, two: u64| {
        let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        whole(two).saturating_sub(whole(one))
    };
    let difference = Difference {
        peak: less(one.peak, two.peak),
        input: less(one.input, two.input),
        clears: less(one.clears, two.clears),
        compactions: less(one.compactions, two.compactions),
        cache_breaks: less(one.cache_breaks, two.cache_breaks),
        cost_usd: one.cost_usd.zip(two.cost_usd).map(|(one, two)| two - one),
        regrets: less(one.regrets, two.regrets),
    };
    let without = |of: &[Regret], other: &[Regret]| -> Vec<Regret> {
        of.iter()
            .filter(|regret| other.iter().all(|other| other.tool_use_id != regret.tool_use_id))
            .cloned()
            .collect()
    };
    Compared {
        regrets_added: without(&new.regrets, &base.regrets),
        regrets_gone: without(&base.regrets, &new.regrets),
        transcript: base.transcript,
        base: ComparedSide { name: base.name, totals: base.totals },
        new: ComparedSide { name: new.name, totals: new.totals },
        difference,
    }
}
