//! Description of the tool for a client. The Messages API knows `memory_20250818` by its name and sends no schema; an
//! MCP client has to be told. Commands and parameters are those of that tool.

use serde_json::{Map, Value, json};

/// Name of the tool.
pub(crate) const NAME: &str = "memory";

/// Purpose of the server.
pub(crate) const INSTRUCTIONS: &str = "A directory of memory that outlives this conversation. View /memories before you \
begin, and write down what later conversations should know. Every change is recorded and can be reviewed and taken back.";

/// Description of the tool.
pub(crate) const DESCRIPTION: &str = "Reads and changes files of memory below /memories. Commands: view (a directory, or a \
file with line numbers), create (a new file), str_replace (one place in a file), insert (lines after a line), delete (a \
file or directory), rename (a file or directory).";

/// The schema of the input, as JSON Schema. One object for all commands, because some clients refuse `oneOf` at the top.
pub(crate) fn input() -> Map<String, Value> {
    let path = |what: &str| json!({ "type": "string", "description": what });
    let schema = json!({
        "type": "object",
        "properties": {
            "command": { "type": "string", "enum": ["view", "create", "str_replace", "insert", "delete", "rename"] },
            "path": path("The file or directory, beginning with /memories. For every command but rename."),
            "view_range": {
                "type": "array", "items": { "type": "integer" }, "minItems": 2, "maxItems": 2,
                "description": "view: first and last line, from 1; -1 for the end of the file."
            },
            "file_text": path("create: the whole content of the new file."),
            "old_str": path("str_replace: the text to replace, exactly as it stands there, and only once."),
            "new_str": path("str_replace: what comes in its place; nothing when left out."),
            "insert_line": {
                "type": "integer", "minimum": 0,
                "description": "insert: the line after which the text goes; 0 for the beginning."
            },
            "insert_text": path("insert: the lines."),
            "old_path": path("rename: the path now."),
            "new_path": path("rename: the new path, where nothing is yet.")
        },
        "required": ["command"],
        "additionalProperties": false
    });
    match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}
