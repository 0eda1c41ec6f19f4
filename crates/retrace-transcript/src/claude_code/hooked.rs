//! Files in what a hook added to the context: many projects let a hook put the AGENTS.md of a directory in with the first file
//! that is read there. A hook writes what it likes, so a file is known only where the text says its path before its content.

use crate::AttachedFile;

/// Words before the path of a file, as Claude Code and hooks that imitate it write them.
const CONTENTS_OF: &str = "Contents of ";

/// Splits a hook's text into files, with why they came (`hook`), and what stands beside them.
pub(super) fn files(text: &str) -> (Vec<AttachedFile>, String) {
    let mut files: Vec<AttachedFile> = Vec::new();
    let mut beside = String::new();
    for line in text.split_inclusive('\n') {
        match heading(line) {
            Some((path, rest)) => files.push(AttachedFile {
                path: path.to_owned(),
                content: rest.to_owned(),
                reason: "hook".to_owned(),
                ..AttachedFile::default()
            }),
            None => files.last_mut().map_or(&mut beside, |file| &mut file.content).push_str(line),
        }
    }
    for file in &mut files {
        let ends = ["</system-reminder>", "</instructions>", "</file>", "</agents_md>"];
        let content = file.content.trim();
        let content = ends.iter().fold(content, |content, end| content.strip_suffix(end).unwrap_or(content));
        file.content = content.trim_end().to_owned();
    }
    (files, beside.trim().to_owned())
}

/// The path that a line says before a file's content, and what of the content stands in the same line.
fn heading(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    if let Some(rest) = line.strip_prefix(CONTENTS_OF) {
        let (head, rest) = match rest.split_once(": ") {
            Some(parts) => parts,
            None => (rest.strip_suffix(':')?, ""),
        };
        let path = head.find(" (").map_or(head, |remark| &head[..remark]);
        return (!path.trim().is_empty()).then_some((path.trim(), rest));
    }
    // `# /w/AGENTS.md`, `--- /w/AGENTS.md ---`, `<file path="/w/AGENTS.md">`, `[/w/AGENTS.md]`, `/w/AGENTS.md:`
    let mut words = line
        .split(|letter: char| letter.is_whitespace() || "\"'`<>[]()=#".contains(letter))
        .map(|word| word.trim_matches(|letter| "-:*".contains(letter)))
        .filter(|word| !word.is_empty());
    let path = words.clone().find(|word| is_instructions(word))?;
    // A sentence that mentions a file is no heading.
    let others = words.by_ref().filter(|word| *word != path && !is_label(word)).count();
    (others == 0).then_some((path, ""))
}

/// Words that stand beside a path in a heading.
fn is_label(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    ["file", "path", "instructions", "from", "context", "agents_md", "agents.md", "nested"]
        .contains(&word.as_str())
}

/// True for an absolute path, or one of several parts, of a file that instructions are kept in.
fn is_instructions(word: &str) -> bool {
    let Some((folder, name)) = word.rsplit_once(['/', '\\']) else { return false };
    let name = name.to_ascii_lowercase();
    let known = ["agents.md", "agents.override.md", "claude.md", "claude.local.md", "gemini.md"];
    !folder.contains("://") && known.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(text: &str) -> Vec<(String, String)> {
        files(text).0.into_iter().map(|file| (file.path, file.content)).collect()
    }

    fn one(path: &str, content: &str) -> Vec<(String, String)> {
        vec![(path.to_owned(), content.to_owned())]
    }

    #[test]
    fn a_hook_names_the_file_before_its_content() {
        for text in [
            "Contents of /w/pkg/AGENTS.md:\n\nUse tabs.\n",
            "Contents of /w/pkg/AGENTS.md (nested instructions):\nUse tabs.",
            "Contents of /w/pkg/AGENTS.md: Use tabs.",
            "# /w/pkg/AGENTS.md\nUse tabs.",
            "--- /w/pkg/AGENTS.md ---\nUse tabs.\n",
            "<file path=\"/w/pkg/AGENTS.md\">\nUse tabs.\n</file>",
            "Instructions from /w/pkg/AGENTS.md:\n\nUse tabs.",
        ] {
            assert_eq!(found(text), one("/w/pkg/AGENTS.md", "Use tabs."), "{text}");
        }
    }

    #[test]
    fn several_files_and_what_stands_beside_them() {
        let (files, beside) =
            files("Be careful.\nContents of /w/AGENTS.md:\nA\nContents of /w/sub/AGENTS.md:\nB\n");
        let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!((paths, beside.as_str()), (vec!["/w/AGENTS.md", "/w/sub/AGENTS.md"], "Be careful."));
        assert!(files.iter().all(|file| file.reason == "hook"));
    }

    #[test]
    fn a_sentence_that_mentions_a_file_holds_none() {
        for text in
            ["See /w/AGENTS.md before you commit.", "The tests passed.", "https://x/AGENTS.md", "AGENTS.md"]
        {
            assert_eq!(found(text), [], "{text}");
            assert_eq!(files(text).1, text);
        }
    }

    proptest! {
        #[test]
        fn no_text_is_lost(text in "[ -~\n☃]{0,200}") {
            let (files, beside) = files(&text);
            let kept: usize = files.iter().map(|file| file.content.len()).sum::<usize>() + beside.len();
            prop_assert!(kept <= text.len());
            if files.is_empty() {
                prop_assert_eq!(beside, text.trim());
            }
        }
    }
}
