//! Grammars, and the choice of one by file name or with the language named at a fence, and the grammars themselves.

use std::sync::LazyLock;
use syntect::parsing::{SyntaxDefinition, SyntaxReference, SyntaxSet};

static BUNDLED: LazyLock<SyntaxSet> = LazyLock::new(SyntaxSet::load_defaults_newlines);

/// Grammars of our own, for what the bundled ones lack. A set apart, because adding to the bundled one would load and link
/// all of it at the first use.
static OWN: LazyLock<SyntaxSet> = LazyLock::new(|| {
    let mut builder = SyntaxSet::new().into_builder();
    if let Ok(toml) = SyntaxDefinition::load_from_str(include_str!("toml.sublime-syntax"), true, None) {
        builder.add(toml);
    }
    builder.build()
});

/// Extensions, file names and fence languages (lower case) that the bundled grammars do not know, or know as something
/// else, and the grammar to take. TypeScript has none of its own and is close to JavaScript.
const ALIASES: &[(&str, &str)] = &[
    ("cargo.lock", "TOML"),
    ("cjs", "JavaScript"),
    ("console", "Bourne Again Shell (bash)"),
    ("csharp", "C#"),
    ("cts", "JavaScript"),
    ("golang", "Go"),
    ("h", "C"),
    ("javascript", "JavaScript"),
    ("jsonc", "JSON"),
    ("jsonl", "JSON"),
    ("jsx", "JavaScript"),
    ("mdc", "Markdown"),
    ("mdx", "Markdown"),
    ("mjs", "JavaScript"),
    ("mts", "JavaScript"),
    ("ndjson", "JSON"),
    ("objective-c", "Objective-C"),
    ("pipfile", "TOML"),
    ("plist", "XML"),
    ("poetry.lock", "TOML"),
    ("python3", "Python"),
    ("shell", "Bourne Again Shell (bash)"),
    ("toml", "TOML"),
    ("ts", "JavaScript"),
    ("tsx", "JavaScript"),
    ("typescript", "JavaScript"),
    ("uv.lock", "TOML"),
    ("vue", "HTML"),
    ("xsl", "XML"),
];

/// Programs named in a first line `#!…` and the grammar to take, matched by the start of the name: `python3.12` is Python.
const INTERPRETERS: [(&str, &str); 10] = [
    ("bash", "Bourne Again Shell (bash)"),
    ("dash", "Bourne Again Shell (bash)"),
    ("deno", "JavaScript"),
    ("node", "JavaScript"),
    ("perl", "Perl"),
    ("php", "PHP"),
    ("python", "Python"),
    ("ruby", "Ruby"),
    ("sh", "Bourne Again Shell (bash)"),
    ("zsh", "Bourne Again Shell (bash)"),
];

/// A grammar. Cheap to copy.
#[derive(Clone, Copy, Debug)]
pub struct Syntax {
    pub(super) reference: &'static SyntaxReference,
    pub(super) set: &'static SyntaxSet,
}

impl Syntax {
    /// Its name, such as `Markdown` or `YAML`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        &self.reference.name
    }

    pub(super) fn is_markdown(self) -> bool {
        self.name() == "Markdown"
    }
}

impl PartialEq for Syntax {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.reference, other.reference)
    }
}

impl Eq for Syntax {}

/// The grammar for a file: by its name (the last component counts), else by its first line (`#!…`, `<?xml`, `<!doctype html`).
/// `None` for plain text and for what no grammar is known for.
#[must_use]
pub fn syntax_for(file_name: &str, first_line: &str) -> Option<Syntax> {
    let name = file_name.rsplit(['/', '\\']).next().unwrap_or_default();
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    if extension.is_some_and(|extension| extension.eq_ignore_ascii_case("txt")) {
        return None;
    }
    by_token(name).or_else(|| extension.and_then(by_token)).or_else(|| by_first_line(first_line))
}

/// The grammar for the language named at a code fence.
pub(super) fn for_language(language: &str) -> Option<Syntax> {
    // `<?php` is usually left out in prose, and without it PHP is HTML.
    let name = if language.eq_ignore_ascii_case("php") { "PHP Source" } else { language };
    by_name(name).or_else(|| by_token(name))
}

pub(super) fn yaml() -> Option<Syntax> {
    by_name("YAML")
}

fn by_name(name: &str) -> Option<Syntax> {
    in_sets(|set| set.find_syntax_by_name(name))
}

/// By extension or file name, in any case, aliases first.
fn by_token(token: &str) -> Option<Syntax> {
    let lower = token.to_lowercase();
    if let Ok(found) = ALIASES.binary_search_by_key(&lower.as_str(), |(alias, _)| alias) {
        return by_name(ALIASES[found].1);
    }
    // The exact spelling first: `R` and `M` are other languages than `r` and `m`.
    in_sets(|set| set.find_syntax_by_extension(token))
        .or_else(|| in_sets(|set| set.find_syntax_by_token(&lower)))
        .filter(|syntax| syntax.name() != "Plain Text")
}

fn in_sets(find: impl Fn(&'static SyntaxSet) -> Option<&'static SyntaxReference>) -> Option<Syntax> {
    let sets: [&'static SyntaxSet; 2] = [&BUNDLED, &OWN];
    sets.into_iter().find_map(|set| find(set).map(|reference| Syntax { reference, set }))
}

fn by_first_line(line: &str) -> Option<Syntax> {
    let line = line.trim_start_matches('\u{feff}').trim();
    if let Some(command) = line.strip_prefix("#!") {
        let mut words = command.split_whitespace();
        let program = words.next()?.rsplit('/').next()?;
        let program = if program == "env" { words.find(|word| !word.starts_with('-'))? } else { program };
        return INTERPRETERS
            .iter()
            .find(|(start, _)| program.starts_with(start))
            .and_then(|(_, name)| by_name(name));
    }
    let lower = line.get(..14.min(line.len())).unwrap_or_default().to_ascii_lowercase();
    if lower.starts_with("<?xml") {
        return by_name("XML");
    }
    lower.starts_with("<!doctype html").then(|| by_name("HTML")).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn tables_are_in_order_and_name_grammars_that_exist() {
        assert!(ALIASES.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for (alias, name) in ALIASES.iter().chain(&INTERPRETERS) {
            assert!(by_name(name).is_some(), "{alias}: {name}");
        }
        assert!(yaml().is_some());
    }

    #[test]
    fn files_by_name_and_first_line() {
        for (file, first_line, name) in [
            ("MEMORY.md", "", Some("Markdown")),
            ("a/b/NOTES.MD", "", Some("Markdown")),
            ("rules.mdc", "", Some("Markdown")),
            ("x.json", "", Some("JSON")),
            ("x.jsonl", "", Some("JSON")),
            ("x.yaml", "", Some("YAML")),
            ("x.yml", "", Some("YAML")),
            ("Cargo.toml", "", Some("TOML")),
            ("x.xml", "", Some("XML")),
            ("x.html", "", Some("HTML")),
            ("x.rs", "", Some("Rust")),
            ("x.py", "", Some("Python")),
            ("x.js", "", Some("JavaScript")),
            ("x.ts", "", Some("JavaScript")),
            ("x.go", "", Some("Go")),
            ("x.java", "", Some("Java")),
            ("x.c", "", Some("C")),
            ("x.h", "", Some("C")),
            ("x.cpp", "", Some("C++")),
            ("x.sh", "", Some("Bourne Again Shell (bash)")),
            ("x.sql", "", Some("SQL")),
            ("x.css", "", Some("CSS")),
            ("x.rb", "", Some("Ruby")),
            ("x.php", "", Some("PHP")),
            ("x.diff", "", Some("Diff")),
            ("x.patch", "", Some("Diff")),
            ("Makefile", "", Some("Makefile")),
            ("notes.txt", "#!/bin/sh", None),
            ("notes", "", None),
            ("notes", "# Title", None),
            ("run", "#!/usr/bin/env -S python3.12 -u", Some("Python")),
            ("run", "#!/bin/sh", Some("Bourne Again Shell (bash)")),
            ("run", "#!", None),
            ("feed", "<?xml version=\"1.0\"?>", Some("XML")),
            ("page", "<!DOCTYPE html>", Some("HTML")),
            ("photo.png", "", None),
        ] {
            assert_eq!(syntax_for(file, first_line).map(|syntax| syntax.name()), name, "{file} {first_line}");
        }
    }

    #[test]
    fn languages_of_fences() {
        for (language, name) in [
            ("rust", Some("Rust")),
            ("Python", Some("Python")),
            ("shell", Some("Bourne Again Shell (bash)")),
            ("php", Some("PHP Source")),
            ("toml", Some("TOML")),
            ("", None),
            ("mermaid", None),
        ] {
            assert_eq!(for_language(language).map(|syntax| syntax.name()), name, "{language}");
        }
    }

    proptest! {
        #[test]
        fn no_name_panics(file: String, line: String) {
            let _ = syntax_for(&file, &line);
            let _ = for_language(&line);
        }
    }
}
