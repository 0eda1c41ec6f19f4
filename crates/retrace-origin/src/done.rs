//! What a client says it carried out, as changes of files. It counts rather than what the call asks for: a call that is code
//! does not name its files, and a patch may have failed.

use crate::patch::FilePatch;
use crate::path::resolve;
use crate::tools::{self, Change};
use crate::write::{Effect, Reported};
use retrace_transcript::{Done, DoneChange, DoneFile, DoneWhat};
use serde_json::json;

/// The changes, in order, with what is reported of each file.
pub(crate) fn changes(done: &Done, directory: Option<&str>) -> Vec<(Change, Reported)> {
    match &done.what {
        DoneWhat::Files(files) => files.iter().map(|file| of_file(file, directory)).collect(),
        DoneWhat::Command { command, directory: ran_in } => {
            let input = json!({ "command": command });
            let ran_in = ran_in.as_deref().map(|ran_in| resolve(ran_in, directory));
            let changes = tools::changes("shell", &input, ran_in.as_deref().or(directory));
            changes.into_iter().map(|change| (change, Reported::default())).collect()
        }
    }
}

fn of_file(file: &DoneFile, directory: Option<&str>) -> (Change, Reported) {
    let mut reported = Reported::default();
    let effect = match &file.change {
        DoneChange::Written { before, created, after } => {
            reported.was_absent = *created;
            reported.before = before.clone().filter(|_| !created);
            reported.after = Some(after.clone());
            Effect::Whole(after.as_bytes().to_vec())
        }
        DoneChange::Diff { diff, moved_to } => {
            let moved_to = moved_to.as_deref().map(|to| resolve(to, directory));
            Effect::Patch(FilePatch::of_diff(diff, moved_to))
        }
        DoneChange::Deleted => Effect::Delete,
    };
    let change = Change {
        named: file.path.clone(),
        path: resolve(&file.path, directory),
        effect,
        conditional: false,
        mentioned: false,
    };
    (change, reported)
}
