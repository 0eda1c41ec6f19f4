//! `retrace receipts`

use super::Ended;
use super::rollback::unfinished;
use crate::exit::Exit;
use crate::print::{self, json};
use crate::shell::Shell;
use clap::Args;
use retrace_api::wire::Message;
use retrace_api::wire::{ApiError, Code, Nothing, Receipt, ReceiptRef};
use retrace_api::{App, commands};

/// List receipts of redactions, or check one again
///
/// With --recheck the places of one receipt are looked at again, and a purge
/// that was pending is finished if it can be.
///
///     retrace receipts
///     retrace receipts receipt_4r0jz5… --recheck
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Only this one
    receipt: Option<String>,
    /// Look again
    #[arg(long, requires = "receipt")]
    recheck: bool,
}

pub(crate) fn run(arguments: Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let Some(receipt) = arguments.receipt else { return list(&app, shell) };
    let receipt = if arguments.recheck {
        shell.work(&app, "Looking again", || commands::recheck_receipt(&app, ReceiptRef { receipt }))?
    } else {
        named(&app, receipt)?
    };
    shell.print_one(&receipt, |out, style| print::receipt::receipt(out, &receipt, style))?;
    match unfinished(&receipt).filter(|_| arguments.recheck) {
        Some(error) => Err(error.into()),
        None => Ok(Exit::DONE),
    }
}

fn list(app: &App, shell: &mut Shell<'_, '_>) -> Ended {
    let receipts = commands::receipts(app, Nothing {})?.receipts;
    if receipts.is_empty() {
        shell.note("Nothing was ever redacted.");
    }
    let (as_json, style) = (shell.json, shell.style());
    shell.print_long(|out| {
        for receipt in &receipts {
            if as_json {
                json::line(out, receipt)?;
            } else {
                print::receipt::receipt(out, receipt, style)?;
            }
        }
        Ok(())
    })?;
    Ok(Exit::DONE)
}

fn named(app: &App, id: String) -> Result<Receipt, ApiError> {
    let receipts = commands::receipts(app, Nothing {})?.receipts;
    receipts.into_iter().find(|receipt| receipt.id == id).ok_or_else(|| ApiError {
        code: Code::NotFound,
        message: Message::verbatim("There is no such receipt."),
        hint: Message::verbatim("`retrace receipts` lists them."),
        subject: id,
    })
}
