//! Effect of a call, as far as regret asks: reads a file, edits one, runs something.

use serde_json::Value;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

/// Lines that Claude Code's `Read` answers when no limit is given.
const LINES_READ: u64 = 2_000;

/// Parameters that do not change what a call does.
const REMARKS: [&str; 4] = ["description", "timeout", "run_in_background", "explanation"];

/// Tools whose every call asks for something new, or that answer nothing worth having twice.
const NEVER_AGAIN: [&str; 18] = [
    "AgentOutputTool",
    "AskUserQuestion",
    "BashOutput",
    "EnterPlanMode",
    "ExitPlanMode",
    "KillBash",
    "KillShell",
    "Skill",
    "Task",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskUpdate",
    "TodoRead",
    "TodoWrite",
    "update_plan",
    "write_stdin",
];

/// Words of which one is in the name of a server's tool that answers a question. Another one does something: that a browser
/// goes to the same page again says nothing of what it answered the first time.
const ASKS: [&str; 13] = [
    "get", "list", "read", "search", "find", "fetch", "query", "show", "view", "describe", "snapshot",
    "lookup", "resolve",
];

/// Effect of a call.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Act<'i> {
    /// Reads lines of a file.
    Read { path: &'i str, lines: Range<u64> },
    /// Writes a file, and replaces these texts in it.
    Edit { path: &'i str, replaced: Vec<&'i str> },
    /// Anything that could be run again: what tells it from other calls.
    Run { key: u64 },
    /// Nothing of these.
    Other,
}

/// Effect of a call of `tool` with `input`.
pub(super) fn act<'i>(tool: &str, input: &'i Value) -> Act<'i> {
    let text = |name: &str| input.get(name).and_then(Value::as_str);
    let path = || text("file_path").or_else(|| text("path")).or_else(|| text("notebook_path"));
    match tool {
        "Read" | "View" | "read_file" | "view_file" | "NotebookRead" => match path() {
            Some(path) => Act::Read { path, lines: lines_by_offset(input) },
            None => Act::Other,
        },
        "Edit" | "MultiEdit" | "Write" | "NotebookEdit" | "edit_file" | "write_file" | "create_file" => {
            match path() {
                Some(path) => Act::Edit { path, replaced: replaced(input) },
                None => Act::Other,
            }
        }
        "memory" | "str_replace_based_edit_tool" | "str_replace_editor" => {
            match (text("command"), path().or_else(|| text("old_path"))) {
                (Some("view"), Some(path)) => Act::Read { path, lines: lines_by_view_range(input) },
                (Some(_), Some(path)) => Act::Edit { path, replaced: replaced(input) },
                _ => Act::Other,
            }
        }
        "apply_patch" => Act::Edit { path: "", replaced: Vec::new() },
        _ if NEVER_AGAIN.contains(&tool) || is_a_servers_act(tool) => Act::Other,
        _ => Act::Run { key: key(tool, input) },
    }
}

/// True if a tool of an MCP server (`mcp__server__tool`) does something rather than answer.
fn is_a_servers_act(tool: &str) -> bool {
    let name = tool.strip_prefix("mcp__").map(|rest| rest.rsplit("__").next().unwrap_or(rest));
    name.is_some_and(|name| {
        let words = name.split(['_', '-']).map(str::to_lowercase);
        !words.into_iter().any(|word| ASKS.iter().any(|asks| word.starts_with(asks)))
    })
}

fn lines_by_offset(input: &Value) -> Range<u64> {
    let number = |name: &str| input.get(name).and_then(Value::as_u64);
    // Offset 0 and 1 both mean the first line.
    let from = number("offset").unwrap_or(1).max(1);
    from..from.saturating_add(number("limit").unwrap_or(LINES_READ))
}

fn lines_by_view_range(input: &Value) -> Range<u64> {
    let ends: Vec<i64> = input
        .get("view_range")
        .and_then(Value::as_array)
        .map(|ends| ends.iter().filter_map(Value::as_i64).collect())
        .unwrap_or_default();
    match ends[..] {
        [from, to] => {
            let from = u64::try_from(from).unwrap_or(1).max(1);
            // A negative end is the end of the file.
            from..u64::try_from(to).map_or(u64::MAX, |to| to.saturating_add(1))
        }
        _ => 1..u64::MAX,
    }
}

fn replaced(input: &Value) -> Vec<&str> {
    let several = input.get("edits").and_then(Value::as_array).into_iter().flatten();
    std::iter::once(input)
        .chain(several)
        .filter_map(|edit| edit.get("old_string").or_else(|| edit.get("old_str"))?.as_str())
        .filter(|text| !text.trim().is_empty())
        .collect()
}

/// The same for calls of one tool whose inputs differ in remarks and spacing alone.
fn key(tool: &str, input: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    tool.hash(&mut hasher);
    match input {
        Value::Object(fields) => {
            let telling: BTreeMap<&String, &Value> =
                fields.iter().filter(|(name, _)| !REMARKS.contains(&name.as_str())).collect();
            for (name, value) in telling {
                name.hash(&mut hasher);
                hash_value(value, &mut hasher);
            }
        }
        other => hash_value(other, &mut hasher),
    }
    hasher.finish()
}

fn hash_value(value: &Value, hasher: &mut DefaultHasher) {
    match value {
        Value::String(text) => text.split_whitespace().for_each(|word| word.hash(hasher)),
        other => other.to_string().hash(hasher),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_a_server_does_is_not_run_again() {
        let input = serde_json::json!({ "url": "http://localhost:5173" });
        for (tool, runs) in [
            ("mcp__playwright__browser_navigate", false),
            ("mcp__playwright__browser_snapshot", true),
            ("mcp__github__get_issue", true),
            ("mcp__docs__query-docs", true),
            ("Bash", true),
        ] {
            assert_eq!(matches!(act(tool, &input), Act::Run { .. }), runs, "{tool}");
        }
    }

    #[test]
    fn calls_are_classified_by_what_they_do() {
        assert_eq!(
            act("Read", &json!({"file_path": "/a", "offset": 10, "limit": 5})),
            Act::Read { path: "/a", lines: 10..15 }
        );
        assert_eq!(
            act("memory", &json!({"command": "view", "path": "/memories", "view_range": [3, -1]})),
            Act::Read { path: "/memories", lines: 3..u64::MAX }
        );
        assert_eq!(
            act(
                "MultiEdit",
                &json!({"file_path": "/a", "edits": [{"old_string": "x"}, {"old_string": " "}, 3]})
            ),
            Act::Edit { path: "/a", replaced: vec!["x"] }
        );
        assert_eq!(act("BashOutput", &json!({"bash_id": "1"})), Act::Other);
        assert_eq!(act("Read", &json!("nothing")), Act::Other);
    }

    #[test]
    fn remarks_and_spacing_do_not_tell_calls_apart() {
        let one = json!({"command": "git  status", "description": "look", "timeout": 5});
        let two = json!({"description": "look again", "command": "git status\n"});
        assert_eq!(act("Bash", &one), act("Bash", &two));
        assert_ne!(act("Bash", &one), act("Bash", &json!({"command": "git stash"})));
        assert_ne!(act("Grep", &json!({"pattern": "a"})), act("Glob", &json!({"pattern": "a"})));
    }
}
