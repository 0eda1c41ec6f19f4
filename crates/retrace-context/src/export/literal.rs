//! Text and values in other languages.

use retrace_model::is_hidden;
use serde_json::Value;
use std::fmt::Write as _;

/// A text for a comment or a label: control and format characters are written out, so that none can end a line or turn it
/// around.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if is_hidden(character) {
            // Writing to a string does not fail.
            let _ = write!(shown, "\\u{{{:x}}}", u32::from(character));
        } else {
            shown.push(character);
        }
    }
    shown
}

/// JSON text whose hidden characters are escaped in their strings, so that what is read is what is there.
pub(super) fn shown(json: &str) -> String {
    escape_hidden(json, |text, character| {
        let mut units = [0; 2];
        for unit in character.encode_utf16(&mut units) {
            let _ = write!(text, "\\u{unit:04x}");
        }
    })
}

/// A string as a Python literal: that of JSON, but for characters beyond the first plane.
pub(super) fn python_string(string: &str) -> String {
    escape_hidden(&Value::from(string).to_string(), |text, character| {
        let code = u32::from(character);
        let _ = if code > 0xffff { write!(text, "\\U{code:08x}") } else { write!(text, "\\u{code:04x}") };
    })
}

/// Line feeds stand between the lines of JSON; within its strings they are escaped already.
fn escape_hidden(json: &str, escape: impl Fn(&mut String, char)) -> String {
    let mut text = String::with_capacity(json.len());
    for character in json.chars() {
        if character != '\n' && is_hidden(character) {
            escape(&mut text, character);
        } else {
            text.push(character);
        }
    }
    text
}

/// A value as a JSON literal whose lines after the first are indented by `indent` spaces. JSON is TypeScript.
pub(super) fn json(value: &Value, indent: usize) -> String {
    indented(&shown(&serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string())), indent)
}

fn indented(text: &str, indent: usize) -> String {
    text.replace('\n', &format!("\n{}", " ".repeat(indent)))
}

/// A value as a Python literal, four spaces a level, its lines after the first indented by `indent` spaces.
pub(super) fn python(value: &Value, indent: usize) -> String {
    let mut text = String::new();
    write_python(value, 0, &mut text);
    indented(&text, indent)
}

fn write_python(value: &Value, level: usize, text: &mut String) {
    let inner = "    ".repeat(level + 1);
    let outer = "    ".repeat(level);
    match value {
        Value::Null => text.push_str("None"),
        Value::Bool(true) => text.push_str("True"),
        Value::Bool(false) => text.push_str("False"),
        Value::String(string) => text.push_str(&python_string(string)),
        Value::Number(number) => text.push_str(&number.to_string()),
        Value::Array(values) if values.is_empty() => text.push_str("[]"),
        Value::Object(fields) if fields.is_empty() => text.push_str("{}"),
        Value::Array(values) => {
            text.push_str("[\n");
            for value in values {
                text.push_str(&inner);
                write_python(value, level + 1, text);
                text.push_str(",\n");
            }
            text.push_str(&outer);
            text.push(']');
        }
        Value::Object(fields) => {
            text.push_str("{\n");
            for (name, value) in fields {
                text.push_str(&inner);
                text.push_str(&python_string(name));
                text.push_str(": ");
                write_python(value, level + 1, text);
                text.push_str(",\n");
            }
            text.push_str(&outer);
            text.push('}');
        }
    }
}
