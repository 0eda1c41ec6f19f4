//! `retrace show`

use super::Ended;
use crate::exit::Exit;
use crate::print::names::Names;
use crate::print::{self, count};
use crate::shell::{Failure, Shell};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::Args;
use retrace_api::wire::Message;
use retrace_api::wire::{ApiError, Code, DocumentReq, Nothing, OriginReq, ShowReq, Shown};
use retrace_api::{App, commands};
use retrace_model::shell_word as word;

/// Show a version, or its content
///
/// With --content only the content is printed: its exact bytes into a file or
/// a pipe; on a terminal with everything hidden written out.
///
///     retrace show 824
///     retrace show memver_00000cw4zj9kq2m7x1b3a --content > auth.md
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Number of the version, as `retrace log` prints it, its id, or a beginning of that which no other has
    version: String,
    /// Print its content
    #[arg(long)]
    content: bool,
}

pub(crate) fn run(arguments: Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let Arguments { version, content } = arguments;
    let shown = commands::show(&app, ShowReq { version, content })?;
    if shell.json {
        shell.print(|out| print::json::line(out, &shown))?;
    } else if content {
        show_content(&app, &shown, shell)?;
    } else {
        let names = Names::of(commands::stores(&app, Nothing {})?);
        let style = shell.style();
        // Who and why comes with it; a transcript that cannot be read does not keep the version from being shown.
        let request = OriginReq { version: shown.version.id.clone(), around: Some(0) };
        let origin = commands::origin(&app, request).ok();
        let origin =
            origin.filter(|origin| origin.note.session_id.is_some() || !origin.candidates.is_empty());
        shell.print_long(|out| {
            print::version::full(out, &shown.version, &names, style)?;
            match &origin {
                Some(origin) => Ok(print::origin::facts(out, origin, style)?),
                None => Ok(()),
            }
        })?;
    }
    Ok(Exit::DONE)
}

fn show_content(app: &App, shown: &Shown, shell: &mut Shell<'_, '_>) -> Result<(), Failure> {
    let bytes = bytes(shown)?;
    if !shell.io.terminal.stdout {
        return shell.print_whole(|out| out.write_all(&bytes));
    }
    if shown.content.is_none() {
        let size = count(bytes.len() as u64, "byte", "bytes");
        shell.note(&format!("The content is not text: {size}. Pipe it into a file to have it."));
        return Ok(());
    }
    let request = DocumentReq { target: shown.version.id.clone(), highlight: false };
    let document = commands::document(app, request)?;
    let style = shell.style();
    shell.print_long_whole(|out| Ok(print::document::document(out, &document, style)?))
}

/// The content of a version.
///
/// # Errors
/// [`Code::NotFound`] when the version has none: it deleted the memory, or only its hash was kept.
fn bytes(shown: &Shown) -> Result<Vec<u8>, ApiError> {
    let absent = |message: &str, hint: String| ApiError {
        code: Code::NotFound,
        message: Message::verbatim(message),
        hint: Message::verbatim(hint),
        subject: shown.version.id.clone(),
    };
    match (&shown.content, &shown.content_base64) {
        (Some(text), _) => Ok(text.clone().into_bytes()),
        (None, Some(encoded)) => STANDARD.decode(encoded).map_err(|error| {
            let message = Message::verbatim(format!("The content cannot be decoded: {error}."));
            ApiError::new(Code::Internal, message, &shown.version.id)
        }),
        (None, None) if shown.version.operation == "deleted" => {
            let (store, path) = (word(&shown.version.store_id), shown.version.path.as_deref().map(word));
            let path = path.as_deref().unwrap_or("PATH");
            let hint = format!("`retrace log {store} --path {path}` lists the versions before it.");
            Err(absent("The version deleted the memory; it has no content.", hint))
        }
        (None, None) => {
            let hint = format!("`retrace show {} --json` has the hash.", shown.version.seq);
            Err(absent("The content was not kept; only its hash is known.", hint))
        }
    }
}
