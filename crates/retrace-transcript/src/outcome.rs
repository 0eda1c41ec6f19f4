//! What the answer of a call says of its success.
//!
//! Clients of OpenAI's API have no field for it: it stands in the text of the answer.

use crate::ResultPart;
use serde_json::Value;

/// What stands before the exit code, on a line of its own before the output.
const LABELS: [&str; 2] = ["Process exited with code ", "Exit code: "];

/// The line behind which an answer holds what was put out.
const OUTPUT: &str = "Output:";

/// Most lines before the output.
const MOST_LINES: usize = 12;

/// How answers of Codex begin to calls that failed in the client. Source: texts of the client, 0.169.0.
const FAILURES: [&str; 15] = [
    "apply_patch verification failed",
    "apply_patch handler received",
    "exec_command failed for ",
    "write_stdin failed",
    "exec command rejected by user",
    "patch rejected by user",
    "unsupported call: ",
    "unsupported custom tool call: ",
    "failed to parse function arguments",
    "tool call failed for ",
    "execution error: ",
    "command timed out",
    "aborted by user",
    "Script failed",
    "Script terminated",
];

/// The exit code that an answer of a shell begins with; `None` where it tells none, as where the command was not run or still runs.
#[must_use]
pub fn exit_code(content: &[ResultPart]) -> Option<i64> {
    let text = first_text(content)?;
    if text.starts_with('{')
        && let Ok(Value::Object(reported)) = serde_json::from_str(text)
        && let Some(code) = reported.get("metadata").and_then(|reported| reported["exit_code"].as_i64())
    {
        return Some(code);
    }
    // Claude Code tells it of failures alone.
    if let Some(rest) = text.strip_prefix("Exit code ") {
        return number(rest);
    }
    in_head(text)
}

/// The code in the lines before the output. The output of a patch that a shell was asked for has lines of its own before it.
fn in_head(text: &str) -> Option<i64> {
    let labelled = |line: &str| LABELS.iter().find_map(|label| number(line.strip_prefix(label)?));
    let mut lines = text.lines().take(MOST_LINES);
    let mut first = true;
    while let Some(line) = lines.next() {
        if line == OUTPUT {
            return lines.next().and_then(|line| number(line.strip_prefix(LABELS[1])?));
        }
        if let Some(code) = labelled(line) {
            // What a command printed has no line about its output.
            return (first || lines.any(|line| line == OUTPUT)).then_some(code);
        }
        first = false;
    }
    None
}

fn number(text: &str) -> Option<i64> {
    text.split_whitespace().next()?.parse().ok()
}

fn first_text(content: &[ResultPart]) -> Option<&str> {
    content.iter().find_map(|part| match part {
        ResultPart::Text(text) | ResultPart::Other(text) => Some(text.as_str()),
        ResultPart::Media(_) => None,
    })
}

/// True if an answer of Codex says that its call failed.
pub(crate) fn has_failed(content: &[ResultPart]) -> bool {
    let Some(text) = first_text(content) else { return false };
    FAILURES.iter().any(|failure| text.starts_with(failure))
        || exit_code(content).is_some_and(|code| code != 0)
}

/// The session in which a command still runs when Codex answers its call.
pub(crate) fn running_in(content: &[ResultPart]) -> Option<u64> {
    const RUNNING: &str = "Process running with session ID ";
    let head = first_text(content)?.lines().take(MOST_LINES).take_while(|line| *line != OUTPUT);
    head.into_iter().find_map(|line| line.strip_prefix(RUNNING)?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> [ResultPart; 1] {
        [ResultPart::Text(text.to_owned())]
    }

    #[test]
    fn a_command_that_ran_tells_its_exit_code() {
        for (text, code) in [
            ("Exit code 2\nno such file", Some(2)),
            ("Process exited with code 1\nOutput:\n", Some(1)),
            ("Exit code: 1\nWall time: 0 seconds\nOutput:\n", Some(1)),
            (
                "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 128\nOriginal token count: 9\nOutput:\nx",
                Some(128),
            ),
            ("Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code -1\nOutput:\nx", Some(-1)),
            (r#"{"output":"x","metadata":{"exit_code":3,"duration_seconds":0.1}}"#, Some(3)),
            (
                "Wall time: 0.0 seconds\nOutput:\nExit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.",
                Some(0),
            ),
            // It was refused, still runs, or speaks of a code in what it prints.
            ("The call was refused.", None),
            ("See Exit code 2", None),
            ("Chunk ID: 1\nProcess running with session ID 7\nOutput:\nProcess exited with code 1\n", None),
            ("one\nExit code: 1\n", None),
        ] {
            assert_eq!(exit_code(&texts(text)), code, "{text}");
        }
    }

    #[test]
    fn a_call_that_failed_in_the_client_begins_so() {
        for (text, failed) in [
            ("apply_patch verification failed: Failed to find expected lines in /w/.env:\nx", true),
            ("write_stdin failed: Unknown process id 1000", true),
            ("unsupported custom tool call: apply_patch", true),
            ("Script failed\nWall time 0.0 seconds\nOutput:\n", true),
            ("Script completed\nWall time 0.0 seconds\nOutput:\n", false),
            ("Plan updated", false),
            ("Exit code: 0\nOutput:\napply_patch verification failed", false),
        ] {
            assert_eq!(has_failed(&texts(text)), failed, "{text}");
        }
        assert!(!has_failed(&[]));
        assert_eq!(
            running_in(&texts("Chunk ID: 1\nProcess running with session ID 86246\nOutput:\n")),
            Some(86246)
        );
        assert_eq!(running_in(&texts("Output:\nProcess running with session ID 86246\n")), None);
    }
}
