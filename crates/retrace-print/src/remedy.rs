//! Prints remedies of findings, as commands that are ready to be typed.

use super::visible;
use retrace_api::wire::{Finding, Remedy};
use retrace_model::shell_word as word;

/// Where cut lines go when nobody says where.
const ARCHIVE: &str = "archive.md";

/// The commands that mend findings of one rule in a store, the one that does most of each: of several findings that one command
/// mends it comes once. What cannot be undone is previewed first. Empty where no command mends them, or each its own.
pub fn commands(findings: &[&Finding], store: &str) -> Vec<String> {
    let several = findings.len() > 1;
    let mut commands: Vec<String> = Vec::new();
    for command in findings.iter().flat_map(|finding| of_one(finding, store, several)) {
        if !commands.contains(&command) {
            commands.push(command);
        }
    }
    let apart = several && findings.iter().any(|one| one.remedies.iter().any(is_of_one));
    if apart { Vec::new() } else { commands }
}

/// True if a remedy is of a single place, so that a command for each would be needed.
fn is_of_one(remedy: &Remedy) -> bool {
    matches!(remedy, Remedy::Redact { .. })
}

fn of_one(finding: &Finding, store: &str, several: bool) -> Vec<String> {
    let place = |rest: String| word(&format!("{store}:{}{rest}", finding.path)).into_owned();
    let rule = word(&finding.rule);
    let mended = |remedy: &Remedy| match remedy {
        Remedy::PutBack { operation, path, deleted } => {
            let only = match path {
                Some(path) => format!(" --path {}", word(path)),
                None if *deleted => " --deleted".to_owned(),
                None => String::new(),
            };
            Some(format!("retrace rollback --operation {operation}{only}"))
        }
        Remedy::Redact { .. } => {
            let at = place(format!(":{}:{}", finding.line, finding.column));
            Some(format!("retrace redact --finding {at} --rule {rule} --live --transcripts --dry-run"))
        }
        Remedy::StripCharacter { .. } => {
            let line = if several { String::new() } else { format!(":{}", finding.line) };
            Some(format!("retrace health strip {} --rule {rule}", place(line)))
        }
        Remedy::MoveLines { from, to } => {
            Some(format!("retrace health move-entry {} --to {ARCHIVE}", place(format!(":{from}-{to}"))))
        }
        Remedy::Reach { from, to } => Some(format!("retrace presence {}", place(format!(":{from}-{to}")))),
        Remedy::Open { .. } => None,
    };
    let all = finding.remedies.iter().filter_map(mended);
    // What would not be shown as it is (a bidirectional mark among the words of a rule) cannot be typed either.
    all.filter(|command| visible::line(command) == *command).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn found(path: &str, line: u32, remedies: &Value) -> Finding {
        serde_json::from_value(json!({ "rule": "group/rule", "severity": "error", "path": path, "line": line, "column": 7,
            "end_line": line, "end_column": 9, "start": 6, "end": 8, "message": "m", "remedy": "r", "remedies": remedies }))
        .unwrap()
    }

    #[test]
    fn each_act_is_a_command_and_opening_is_none() {
        let acts = json!([
            { "act": "put_back", "operation": 21 },
            { "act": "redact", "rule": "group/rule", "start": 6 },
            { "act": "strip_character", "rule": "group/rule", "start": 6, "end": 8 },
            { "act": "move_lines", "from": 200, "to": 224 },
            { "act": "open", "path": "a.md", "line": 3 },
        ]);
        assert_eq!(
            commands(&[&found("a.md", 3, &acts)], "notes"),
            [
                "retrace rollback --operation 21",
                "retrace redact --finding notes:a.md:3:7 --rule group/rule --live --transcripts --dry-run",
                "retrace health strip notes:a.md:3 --rule group/rule",
                "retrace health move-entry notes:a.md:200-224 --to archive.md",
            ]
        );
    }

    #[test]
    fn a_command_that_mends_many_stands_once_and_those_of_single_places_not_at_all() {
        let back = json!([{ "act": "put_back", "operation": 21 }]);
        let strip = json!([{ "act": "strip_character", "rule": "group/rule", "start": 6, "end": 8 }]);
        let redact = json!([{ "act": "redact", "rule": "group/rule", "start": 6 }]);
        let two = |acts: &Value| {
            let (one, other) = (found("a.md", 3, acts), found("a.md", 9, acts));
            commands(&[&one, &other], "notes")
        };
        assert_eq!(two(&back), ["retrace rollback --operation 21"]);
        assert_eq!(two(&strip), ["retrace health strip notes:a.md --rule group/rule"]);
        assert_eq!(two(&redact), [""; 0]);
    }

    #[test]
    fn names_are_quoted_for_a_shell() {
        let strip = json!([{ "act": "strip_character", "rule": "group/rule", "start": 6, "end": 8 }]);
        let of = |path: &str, store: &str| commands(&[&found(path, 1, &strip)], store);
        assert_eq!(
            of("it's $x.md", "my notes"),
            [r"retrace health strip 'my notes:it'\''s $x.md:1' --rule group/rule"]
        );
        assert_eq!(of("メモ.md", "notes"), ["retrace health strip 'notes:メモ.md:1' --rule group/rule"]);
        assert_eq!(
            of("a\u{200b}b.md", "notes"),
            [r"retrace health strip $'notes:a\U0000200bb.md:1' --rule group/rule"]
        );
        assert_eq!(of("a\nb.md", "notes"), [r"retrace health strip $'notes:a\nb.md:1' --rule group/rule"]);
    }
}
