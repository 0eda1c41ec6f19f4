//! Reading a call's input.

use crate::{Dialect, ToolError};
use serde_json::{Map, Value};

/// A call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    View { path: String, range: Option<(i64, i64)> },
    Create { path: String, text: String },
    Replace { path: String, old: String, new: String },
    Insert { path: String, line: i64, text: String },
    Delete { path: String },
    Rename { from: String, to: String },
}

/// Reads an input. Parameters the tool does not know are passed over.
///
/// `new_str` may be left out, which deletes `old_str`, in every dialect: the documentation says so, and what the SDKs do
/// then (an exception; the text `undefined`) serves nobody.
pub(crate) fn read(input: &Value, dialect: Dialect) -> Result<Command, ToolError> {
    let Value::Object(input) = input else {
        return Err(wrong("The input must be an object with a `command`."));
    };
    let command = text(input, "command")?;
    let path = || text(input, "path");
    Ok(match command.as_str() {
        "view" => Command::View { path: path()?, range: range(input)? },
        "create" => Command::Create { path: path()?, text: text(input, "file_text")? },
        "str_replace" => Command::Replace {
            path: path()?,
            old: text(input, "old_str")?,
            new: match input.get("new_str") {
                None | Some(Value::Null) => String::new(),
                Some(_) => text(input, "new_str")?,
            },
        },
        "insert" => {
            Command::Insert { path: path()?, line: line(input, dialect)?, text: text(input, "insert_text")? }
        }
        "delete" => Command::Delete { path: path()? },
        "rename" => Command::Rename { from: text(input, "old_path")?, to: text(input, "new_path")? },
        _ => return Err(ToolError::UnknownCommand { command }),
    })
}

fn wrong(problem: impl Into<String>) -> ToolError {
    ToolError::Input { problem: problem.into() }
}

fn text(input: &Map<String, Value>, name: &str) -> Result<String, ToolError> {
    match input.get(name) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(wrong(format!("The parameter `{name}` must be a string."))),
        None => Err(wrong(format!("The parameter `{name}` is missing."))),
    }
}

fn line(input: &Map<String, Value>, dialect: Dialect) -> Result<i64, ToolError> {
    let value = input.get("insert_line").ok_or_else(|| wrong("The parameter `insert_line` is missing."))?;
    // The Python SDK takes digits in a string for a number.
    let digits = value.as_str().filter(|_| dialect == Dialect::Py).and_then(|text| text.parse().ok());
    whole(value).or(digits).ok_or_else(|| wrong("The parameter `insert_line` must be a whole number."))
}

/// Used only with exactly two items; anything else is the whole file. Source: both SDKs.
fn range(input: &Map<String, Value>) -> Result<Option<(i64, i64)>, ToolError> {
    let Some(Value::Array(items)) = input.get("view_range") else { return Ok(None) };
    let [start, end] = items.as_slice() else { return Ok(None) };
    match (whole(start), whole(end)) {
        (Some(start), Some(end)) => Ok(Some((start, end))),
        _ => Err(wrong("The parameter `view_range` must hold whole numbers.")),
    }
}

#[allow(clippy::cast_possible_truncation, reason = "the value is whole and in range")]
fn whole(value: &Value) -> Option<i64> {
    /// Above this, floating-point numbers are not whole numbers one by one: 2 to the power of 53.
    const LARGEST: f64 = 9_007_199_254_740_992.0;
    value.as_i64().or_else(|| {
        value
            .as_f64()
            .filter(|number| number.fract() == 0.0 && number.abs() <= LARGEST)
            .map(|number| number as i64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn inputs_are_read() {
        let view = |range| Ok(Command::View { path: "/memories".to_owned(), range });
        for (range, read_as) in [
            (json!([1, 2]), Some((1, 2))),
            (json!([1]), None),
            (json!([]), None),
            (json!(null), None),
            (json!([1, 2, 3]), None),
        ] {
            let input = json!({ "command": "view", "path": "/memories", "view_range": range });
            assert_eq!(read(&input, Dialect::Docs), view(read_as));
        }
        let input = json!({ "command": "str_replace", "path": "p", "old_str": "a" });
        let replace = Command::Replace { path: "p".to_owned(), old: "a".to_owned(), new: String::new() };
        assert_eq!(read(&input, Dialect::Ts), Ok(replace));
    }

    #[test]
    fn what_cannot_be_read_is_reported() {
        for (input, quoted) in [
            (json!([]), "The input must be an object with a `command`."),
            (json!({}), "The parameter `command` is missing."),
            (json!({ "command": "view" }), "The parameter `path` is missing."),
            (json!({ "command": "view", "path": 1 }), "The parameter `path` must be a string."),
            (
                json!({ "command": "insert", "path": "p", "insert_line": "1", "insert_text": "" }),
                "The parameter `insert_line` must be a whole number.",
            ),
        ] {
            assert_eq!(read(&input, Dialect::Docs), Err(wrong(quoted)));
            assert_eq!(wrong(quoted).text(Dialect::Docs), format!("Error: {quoted}"));
            assert_eq!(wrong(quoted).text(Dialect::Py), quoted);
        }
        let bogus = read(&json!({ "command": "bogus" }), Dialect::Py).unwrap_err();
        assert_eq!(bogus.text(Dialect::Py), "NotImplementedError('Unknown command: bogus')");
        assert_eq!(bogus.text(Dialect::Ts), "Error: bogus not implemented");
    }
}
