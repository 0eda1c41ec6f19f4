//! Wire types as JSON, one object a line.

use super::visible;
use retrace_api::wire::ApiError;
use serde::Serialize;
use std::io::{Result, Write};

/// One object and a line feed. Characters that a terminal would not show are written as `\uHHHH`.
pub(crate) fn line<T: Serialize + ?Sized>(out: &mut (impl Write + ?Sized), value: &T) -> Result<()> {
    let text = serde_json::to_string(value)?;
    writeln!(out, "{}", visible::json(&text))
}

/// The envelope of an error.
pub(crate) fn error(out: &mut (impl Write + ?Sized), error: &ApiError) -> Result<()> {
    line(out, &Envelope { error })
}

#[derive(Serialize)]
struct Envelope<'a> {
    error: &'a ApiError,
}
