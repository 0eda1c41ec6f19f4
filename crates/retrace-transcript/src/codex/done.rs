//! `item_completed`: what the client carried out, also where the call was code (0.169).

use crate::lenient::{List, Raw, Text, lenient_object};
use crate::{Done, DoneChange, DoneFile, DoneWhat};
use retrace_model::Timestamp;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

lenient_object! {
    struct RawItem<'a> {
        kind: Text<'a> = "type",
        id: Text<'a> = "id",
        changes: Raw<'a> = "changes",
        status: Text<'a> = "status",
        command: List<Text<'a>> = "command",
        cwd: Text<'a> = "cwd",
        exit_code: Raw<'a> = "exit_code",
    }
}

lenient_object! {
    struct RawChange<'a> {
        kind: Text<'a> = "type",
        content: Text<'a> = "content",
        diff: Text<'a> = "unified_diff",
        move_path: Text<'a> = "move_path",
    }
}

/// The item's own id, and what was carried out; `None` for items that carry nothing out.
pub(super) fn completed(json: &RawValue, line: u32, at: Option<Timestamp>) -> Option<(String, Done)> {
    let raw: RawItem<'_> = serde_json::from_str(json.get()).ok()?;
    let what = match raw.kind.or_empty() {
        "FileChange" => DoneWhat::Files(files(raw.changes.0?)),
        "CommandExecution" => DoneWhat::Command {
            command: raw.command.0.iter().filter_map(|word| word.as_str().map(str::to_owned)).collect(),
            directory: raw.cwd.as_str().map(plain_path),
        },
        _ => return None,
    };
    let succeeded = match raw.status.or_empty() {
        "completed" => Some(true),
        "failed" | "declined" => Some(false),
        _ => None,
    };
    // One that was declined was not run.
    let code = raw.exit_code.0.filter(|_| raw.status.or_empty() != "declined");
    let exit_code = code.and_then(|code| code.get().parse().ok());
    let id = raw.id.into_string().unwrap_or_default();
    Some((id, Done { call: String::new(), line, at, succeeded, exit_code, what }))
}

/// True for the end of a review. What it found is then told once more, as a message of the model.
pub(super) fn ends_review(json: &RawValue) -> bool {
    let raw: RawItem<'_> = serde_json::from_str(json.get()).unwrap_or_default();
    raw.kind.or_empty() == "ExitedReviewMode"
}

/// Changes by path, in order of the paths.
fn files(changes: &RawValue) -> Vec<DoneFile> {
    let changes: BTreeMap<String, &RawValue> = serde_json::from_str(changes.get()).unwrap_or_default();
    let files = changes.into_iter().filter_map(|(path, json)| {
        let raw: RawChange<'_> = serde_json::from_str(json.get()).unwrap_or_default();
        let change = match raw.kind.or_empty() {
            "add" => DoneChange::Written {
                before: None,
                created: true,
                after: raw.content.into_string().unwrap_or_default(),
            },
            "update" => DoneChange::Diff {
                diff: raw.diff.into_string().unwrap_or_default(),
                moved_to: raw.move_path.into_string(),
            },
            "delete" => DoneChange::Deleted,
            _ => return None,
        };
        Some(DoneFile { path, change })
    });
    files.collect()
}

/// Directories are written as `file:` addresses, with bytes outside of addresses in percent.
fn plain_path(address: &str) -> String {
    let Some(path) = address.strip_prefix("file://") else { return address.to_owned() };
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) if first == b'%' => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::plain_path;

    #[test]
    fn addresses_are_paths() {
        assert_eq!(plain_path("file:///w/a%20b/%C3%A9"), "/w/a b/é");
        assert_eq!(plain_path("/w/a%20b"), "/w/a%20b");
        assert_eq!(plain_path("file:///w/50%"), "/w/50%");
        assert_eq!(plain_path("file:///w/%zz"), "/w/%zz");
    }
}
