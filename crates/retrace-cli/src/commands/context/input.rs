//! Input of the commands of `context`: transcripts from standard input, settings from files.

use crate::commands::tokens::bytes;
use crate::shell::Shell;
use retrace_api::wire::Message;
use retrace_api::wire::{ApiError, Code, Variant};
use serde_json::Value;
use std::io::Write as _;
use std::path::Path;

/// A transcript as it was named; standard input is put into a file that goes with this.
pub(super) struct Named {
    /// Name given to the command.
    pub(super) name: String,
    file: Option<tempfile::NamedTempFile>,
}

impl Named {
    /// Reads standard input where `name` is `-`.
    pub(super) fn new(name: &str, shell: &mut Shell<'_, '_>) -> Result<Self, ApiError> {
        if name != "-" {
            return Ok(Self { name: name.to_owned(), file: None });
        }
        let content = bytes(Path::new("-"), shell.io.stdin)?;
        let written =
            tempfile::NamedTempFile::new().and_then(|mut file| file.write_all(&content).map(|()| file));
        let file = written.map_err(|error| ApiError {
            code: Code::CannotWrite,
            message: Message::verbatim(format!(
                "Standard input cannot be kept: {}.",
                retrace_api::wire::why(&error)
            )),
            hint: Message::verbatim("Write it to a file and name that."),
            subject: "-".to_owned(),
        })?;
        Ok(Self { name: file.path().display().to_string(), file: Some(file) })
    }

    /// Name in results: a file of ours is standard input.
    pub(super) fn called(&self, transcript: &str) -> String {
        if self.file.is_some() { "-".to_owned() } else { transcript.to_owned() }
    }

    /// Error with the name that the user gave.
    pub(super) fn in_error(&self, mut error: ApiError) -> ApiError {
        if self.file.is_some() && error.subject == self.name {
            "-".clone_into(&mut error.subject);
        }
        error
    }
}

/// The settings in a file: one setting, a setting with a name (`{"name","config"}`), or a list of these.
pub(super) fn variants(path: &Path, shell: &mut Shell<'_, '_>) -> Result<Vec<Variant>, ApiError> {
    let value = json(path, shell)?;
    let name = if path == Path::new("-") {
        "-".to_owned()
    } else {
        path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
    };
    let list = match value {
        Value::Object(mut fields) => match fields.remove("variants") {
            Some(Value::Array(list)) => list,
            Some(other) => return Err(invalid(path, &format!("\"variants\" must be a list, not {other}."))),
            None => return Ok(vec![variant(Value::Object(fields), name)]),
        },
        Value::Array(list) => list,
        _ => return Err(invalid(path, "A setting is a JSON object.")),
    };
    if list.is_empty() {
        return Err(invalid(path, "The list of settings is empty."));
    }
    Ok(list
        .into_iter()
        .enumerate()
        .map(|(index, value)| variant(value, format!("{name} {}", index + 1)))
        .collect())
}

/// An invalid setting is refused by the command, in the API's own words.
fn variant(value: Value, name: String) -> Variant {
    match value {
        Value::Object(mut fields) if fields.contains_key("config") => Variant {
            name: fields.get("name").and_then(Value::as_str).map_or(name, str::to_owned),
            config: fields.remove("config").unwrap_or_default(),
        },
        config => Variant { name, config },
    }
}

/// A file of JSON.
pub(super) fn json(path: &Path, shell: &mut Shell<'_, '_>) -> Result<Value, ApiError> {
    let bytes = bytes(path, shell.io.stdin)?;
    serde_json::from_slice(&bytes).map_err(|error| invalid(path, &format!("This is not JSON: {error}.")))
}

pub(super) fn invalid(path: &Path, message: &str) -> ApiError {
    ApiError {
        code: Code::Invalid,
        message: Message::verbatim(message),
        hint: Message::verbatim(
            "A setting is the value of context_management, {\"compaction_control\":{…}}, or a list of \
               {\"name\",\"config\"}.",
        ),
        subject: path.display().to_string(),
    }
}
