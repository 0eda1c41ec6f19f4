//! `retrace` alone: what needs a person today, in ten lines

use super::Ended;
use crate::exit::Exit;
use crate::print::names::Names;
use crate::print::{self, json};
use crate::shell::Shell;
use retrace_api::App;
use retrace_api::commands::{self, Today};
use retrace_api::wire::{BrokenRulesReq, Nothing, Triage, TriageReq};

pub(crate) fn run(shell: &mut Shell<'_, '_>) -> Ended {
    // A look at a machine without a log makes none.
    if !App::has_log(&shell.options()?) {
        let style = shell.style();
        match shell.json {
            true => shell.print(|out| json::line(out, &Triage::default()))?,
            false => shell.print(|out| print::today::nothing_recorded(out, style))?,
        }
        return Ok(Exit::DONE);
    }
    let app = shell.app()?;
    if shell.json {
        let found = commands::triage(&app, TriageReq::default())?;
        shell.print(|out| json::line(out, &found))?;
        return Ok(Exit::DONE);
    }
    let status = commands::status(&app, Nothing {})?;
    let found = Today::read(app.review(), status.recording)?;
    let stores = commands::stores(&app, Nothing {})?;
    let names = Names::of(stores.clone());
    let broken = commands::broken_rules(&app, BrokenRulesReq { limit: Some(1), ..Default::default() })?;
    let style = shell.style();
    // As of the last sync; nothing is asked of the hub now. Without a hub, or where its file cannot be read, nothing is said.
    let hub = commands::hub_status(&app, Nothing {}).ok();
    let waiting = hub.as_ref().and_then(|status| status.waiting.as_ref());
    shell.print(|out| {
        print::today::today(out, &found, &broken, &status, (&stores.stores, &names), style)?;
        if let Some(hub) = &hub {
            print::hub_together::troubled(out, &hub.background, style)?;
        }
        print::hub_together::waits(out, waiting, style)
    })?;
    Ok(Exit::DONE)
}
