//! `retrace context simulate`

use super::Ended;
use super::input::{Named, variants};
use crate::exit::Exit;
use crate::print::{self, json};
use crate::shell::Shell;
use clap::Args;
use retrace_api::commands;
use retrace_api::wire::{SimulateReq, Simulation, Variant};
use std::path::PathBuf;

/// Simulate settings on runs: peak, cost, what was cleared and later needed
///
/// A FILE holds the value of context_management, {"compaction_control":{...}}, or
/// a list of {"name","config"}; {} is no editing. With --json one object for each
/// transcript and setting, for `retrace context compare`. What ran under a
/// recorded setting comes first ("in_force": true).
///
///     retrace context simulate 5f3c --config c.json
///     retrace context simulate request.json --config a.json b.json --json
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Session ids, paths or words of a title; - for standard input
    #[arg(required = true, value_name = "TRANSCRIPT")]
    transcripts: Vec<String>,
    /// Settings to try; - for standard input
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    config: Vec<PathBuf>,
    /// Price and default by this model, in place of the recorded one
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Life of the cache [default: as recorded]
    #[arg(long, value_name = "5m|1h")]
    cache_ttl: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let mut settings: Vec<Variant> = Vec::new();
    for path in &arguments.config {
        settings.extend(variants(path, shell)?);
    }
    let app = shell.app()?;
    for transcript in &arguments.transcripts {
        let named = Named::new(transcript, shell)?;
        let request = SimulateReq {
            transcript: named.name.clone(),
            variants: settings.clone(),
            model: arguments.model.clone(),
            cache_ttl: arguments.cache_ttl.clone(),
            all_cleared: true,
            in_force: true,
        };
        let answer = shell.work(&app, "Simulating", || commands::context_simulate(&app, request));
        let answer = answer.map_err(|error| named.in_error(error))?;
        let mut simulations: Vec<Simulation> =
            answer.in_force.into_iter().chain(answer.simulations).collect();
        for simulation in &mut simulations {
            simulation.transcript = named.called(&simulation.transcript);
        }
        print(&simulations, shell)?;
    }
    Ok(Exit::DONE)
}

fn print(simulations: &[Simulation], shell: &mut Shell<'_, '_>) -> Result<(), crate::shell::Failure> {
    let (as_json, style) = (shell.json, shell.style());
    shell.print(|out| match as_json {
        true => simulations.iter().try_for_each(|simulation| json::line(out, simulation)),
        false => print::simulate::simulations(out, simulations, style),
    })
}
