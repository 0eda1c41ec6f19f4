//! Blocks that the client put in, by the labels it writes beside them (0.169).

use crate::items::Item;
use crate::{AttachedFile, BlockKind, Origin, Role};

/// Label of what a person typed.
const TYPED: &str = "user.text";
/// Begins every label of what a person gave.
const OF_PERSON: &str = "user.";
/// Label of what nothing is known of: answers of the model carry it.
const UNKNOWN: &str = "unknown";
/// Label of the base instructions.
pub(super) const BASE_INSTRUCTIONS: &str = "model.base_instructions";
/// Label of the summary that a compaction wrote.
const SUMMARY: &str = "compaction.summary";
/// Labels of texts with files in them.
const AGENTS: &str = "agents_md.instructions";
const MEMORIES: &str = "memories.instructions";

/// Between the home's instructions and those of the project.
const PROJECT_DOC: &str = "--- project-doc ---";
/// The line that stands before instructions which were changed in the course of a session has these words. It is of no file.
const REPLACES: &str = "AGENTS.md instructions replace";
/// The line that stands alone where the files are gone ends so.
const NO_LONGER: &str = "AGENTS.md instructions no longer apply.";
/// Name of the files with instructions. Which of the names that Codex takes for it a file has is not recorded.
const AGENTS_FILE: &str = "AGENTS.md";
/// The home's, where its directory is not told.
const HOME_FILE: &str = "$CODEX_HOME/AGENTS.md";
/// Lines around the memory that was loaded.
const MEMORY_BEGINS: &str = "MEMORY_SUMMARY BEGINS";
const MEMORY_ENDS: &str = "MEMORY_SUMMARY ENDS";
const MEMORY_FILE: &str = "memory_summary.md";
/// Names of the memory directory in a home, those of the newer version first.
const MEMORY_FOLDERS: [&str; 2] = ["memories_v2", "memories"];

/// Origin of a labelled message; `None` where no label says.
pub(super) fn origin(item: &Item) -> Option<Origin> {
    if item.role == Role::Assistant || item.labels.is_empty() {
        return None;
    }
    if item.labels.iter().any(|label| label == SUMMARY) {
        return Some(Origin::Summary);
    }
    let is_of_person = |label: &String| label.starts_with(OF_PERSON);
    if item.labels.iter().any(is_of_person) {
        return Some(Origin::Typed);
    }
    item.labels.iter().any(|label| label != UNKNOWN).then_some(Origin::Client)
}

/// True if the message holds the base instructions.
pub(super) fn has_base_instructions(item: &Item) -> bool {
    item.labels.iter().any(|label| label == BASE_INSTRUCTIONS)
}

/// What the client put in becomes an attachment of its label, with the files that stand in it. `home` is the home's
/// directory, where it is known; the memory's text tells it.
pub(super) fn attach(item: &mut Item, home: &mut Option<String>) {
    for (block, label) in item.blocks.iter_mut().zip(&item.labels) {
        let stays = matches!(label.as_str(), TYPED | UNKNOWN | SUMMARY | BASE_INSTRUCTIONS)
            || label.starts_with(OF_PERSON);
        let BlockKind::Text { text } = block else { continue };
        if stays {
            continue;
        }
        let files = match label.as_str() {
            AGENTS => agents(text, home.as_deref()),
            MEMORIES => memory(text, home).into_iter().collect(),
            _ => Vec::new(),
        };
        *block = BlockKind::Attachment {
            attachment: label.clone(),
            files,
            text: String::new(),
            rendered: Some(std::mem::take(text)),
        };
    }
}

/// Files in the text of instructions: the home's file, and those of the project as one, since nothing stands between them.
fn agents(text: &str, home: Option<&str>) -> Vec<AttachedFile> {
    let directory = text.lines().next().and_then(|line| line.split_once(" instructions for "));
    let directory = directory.map(|(_, directory)| directory.trim().trim_end_matches('/'));
    let inside = text.split_once("<INSTRUCTIONS>").map_or(text, |(_, inside)| inside);
    let inside = inside.rsplit_once("</INSTRUCTIONS>").map_or(inside, |(inside, _)| inside).trim();
    let (first, rest) = inside.split_once('\n').unwrap_or((inside, ""));
    if rest.is_empty() && first.ends_with(NO_LONGER) {
        return Vec::new();
    }
    let inside = if first.contains(REPLACES) { rest.trim_start() } else { inside };
    let file = |path: String, content: &str| AttachedFile {
        path,
        content: content.trim().to_owned(),
        ..AttachedFile::default()
    };
    let of_home = || home.map_or_else(|| HOME_FILE.to_owned(), |home| format!("{home}/{AGENTS_FILE}"));
    let Some(directory) = directory else { return vec![file(of_home(), inside)] };
    let of_project = format!("{directory}/{AGENTS_FILE}");
    match inside.split_once(PROJECT_DOC) {
        Some((own, project)) => vec![file(of_home(), own), file(of_project, project)],
        None => vec![file(of_project, inside)],
    }
}

/// The summary of memory in a text, with the path that the text tells.
fn memory(text: &str, home: &mut Option<String>) -> Option<AttachedFile> {
    let root = MEMORY_FOLDERS.iter().find_map(|folder| directory_named(text, folder));
    if let Some((above, _)) = root.and_then(|root| root.rsplit_once('/')) {
        *home = Some(above.to_owned());
    }
    let (_, inside) = text.split_once(MEMORY_BEGINS)?;
    let inside = inside.split_once('\n')?.1;
    let (inside, _) = inside.rsplit_once(MEMORY_ENDS)?;
    let content = inside.rsplit_once('\n').map_or("", |(content, _)| content);
    let path = root.map_or_else(|| MEMORY_FILE.to_owned(), |root| format!("{root}/{MEMORY_FILE}"));
    Some(AttachedFile { path, content: content.to_owned(), ..AttachedFile::default() })
}

/// The first absolute path in a text whose part `folder` is, up to there.
fn directory_named<'t>(text: &'t str, folder: &str) -> Option<&'t str> {
    let mark = format!("/{folder}");
    text.match_indices(&mark).find_map(|(at, _)| {
        let end = at + mark.len();
        let is_whole =
            !text[end..].starts_with(|next: char| next.is_alphanumeric() || next == '_' || next == '-');
        let line = text[..at].rfind('\n').map_or(0, |start| start + 1);
        // Paths stand in back quotes.
        let start = text[line..at].rfind('`').map_or(line, |quote| line + quote + 1);
        (is_whole && text[start..].starts_with('/')).then_some(&text[start..end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_in_instructions_are_named() {
        let paths = |text: &str, home: Option<&str>| -> Vec<(String, String)> {
            agents(text, home).into_iter().map(|file| (file.path, file.content)).collect()
        };
        let pair = |path: &str, content: &str| (path.to_owned(), content.to_owned());
        assert_eq!(
            paths("# AGENTS.md instructions for /w/a\n\n<INSTRUCTIONS>\nTabs.\n\n</INSTRUCTIONS>", None),
            [pair("/w/a/AGENTS.md", "Tabs.")]
        );
        let both = "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nhome\n\n--- project-doc ---\n\nroot\n</INSTRUCTIONS>";
        assert_eq!(
            paths(both, Some("/h/.codex")),
            [pair("/h/.codex/AGENTS.md", "home"), pair("/w/AGENTS.md", "root")]
        );
        let changed = format!(
            "# AGENTS.md instructions for /w/a\n\n<INSTRUCTIONS>\nThese {REPLACES} them.\n\nSpaces.\n\n</INSTRUCTIONS>"
        );
        assert_eq!(paths(&changed, None), [pair("/w/a/AGENTS.md", "Spaces.")]);
        let gone = format!("# AGENTS.md instructions\n\n<INSTRUCTIONS>\nThe {NO_LONGER}\n</INSTRUCTIONS>");
        assert_eq!(paths(&gone, None), []);
        let own = "# AGENTS.md instructions\n\n<INSTRUCTIONS>\nhome\n</INSTRUCTIONS>";
        assert_eq!(paths(own, None), [pair("$CODEX_HOME/AGENTS.md", "home")]);
    }

    #[test]
    fn the_memory_that_was_loaded_is_named_by_its_file() {
        let text = "## Memory\nRead below `/h/.codex/memories_v2/rollout_summaries/`, or /memories_v2_1.\n\
            ===== MEMORY_SUMMARY BEGINS =====\nv1\nTabs.\n===== MEMORY_SUMMARY ENDS =====\n";
        let mut home = None;
        let file = memory(text, &mut home).expect("a file");
        assert_eq!(
            (file.path.as_str(), file.content.as_str()),
            ("/h/.codex/memories_v2/memory_summary.md", "v1\nTabs.")
        );
        assert_eq!(home.as_deref(), Some("/h/.codex"));
        for text in ["", "MEMORY_SUMMARY BEGINS", "MEMORY_SUMMARY BEGINS\nMEMORY_SUMMARY ENDS", "`/memories"]
        {
            let _ = memory(text, &mut None);
        }
    }
}
