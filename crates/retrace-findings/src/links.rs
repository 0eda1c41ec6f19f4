//! Links between memories: what each file points at, and what of that is not there.

use crate::checker::Directory;
use crate::finding::Span;
use crate::markdown::Code;
use crate::page::Page;
use crate::paths::{directory, file_name, is_index, is_instructions, is_markdown, resolve, stem};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::OnceLock;

/// Targets of one file's links.
#[derive(Clone, Debug, Default)]
pub(crate) struct Links {
    /// Targets of Markdown links that could be files, with anchors and titles taken off.
    files: Vec<Link>,
    /// Names in `[[…]]`.
    wiki: Vec<Link>,
    /// `@path` in an instruction file.
    imports: Vec<Link>,
    /// File names that an index mentions in any way, so that a topic named without a link is no orphan.
    mentioned: BTreeSet<String>,
}

#[derive(Clone, Debug)]
struct Link {
    target: String,
    /// For messages, masked.
    shown: String,
    span: Span,
}

pub(crate) fn read(page: &Page<'_>) -> Links {
    if !is_markdown(page.path) {
        return Links::default();
    }
    Links {
        files: found(page, file_expression(), file_target),
        wiki: found(page, wiki_expression(), wiki_target),
        imports: if is_instructions(page.path) {
            found(page, import_expression(), import_target)
        } else {
            Vec::new()
        },
        mentioned: if is_index(page.path) { mentioned(page.text.as_str()) } else { BTreeSet::new() },
    }
}

fn file_expression() -> &'static Regex {
    static SHAPE: OnceLock<Regex> = OnceLock::new();
    SHAPE.get_or_init(|| {
        Regex::new(r#"\]\((?:<([^<>\n]+)>|([^()\s]+(?:\([^()\s]*\)[^()\s]*)*))(?:\s+["'(][^\n)]*["')])?\)"#)
            .expect("a test runs it")
    })
}

fn wiki_expression() -> &'static Regex {
    static SHAPE: OnceLock<Regex> = OnceLock::new();
    SHAPE.get_or_init(|| Regex::new(r"\[\[([^\[\]\n]{1,200})\]\]").expect("a test runs it"))
}

fn import_expression() -> &'static Regex {
    static SHAPE: OnceLock<Regex> = OnceLock::new();
    SHAPE.get_or_init(|| {
        Regex::new(r"(?m)(?:^|[\s(])@([A-Za-z0-9_~./-][^\s`@,;:!?)\]]*)").expect("a test runs it")
    })
}

/// Matches of the expression outside code and comments, as `target` reads it.
fn found(page: &Page<'_>, expression: &Regex, target: fn(&str) -> Option<String>) -> Vec<Link> {
    let text = page.text.as_str();
    expression
        .captures_iter(text)
        .filter_map(|captures| {
            let written = (1..captures.len()).find_map(|group| captures.get(group))?;
            let range: Range<usize> = written.range();
            let target = target(written.as_str()).filter(|_| !page.code.contains(range.start))?;
            Some(Link { target, shown: page.shown(&range), span: page.span(&range) })
        })
        .collect()
}

/// Links to files in a text, code left out: where the path stands, without an anchor, and the path it means.
pub(crate) fn targets(text: &str, code: &Code) -> Vec<(Range<usize>, String)> {
    file_expression()
        .captures_iter(text)
        .filter_map(|captures| {
            let written = (1..captures.len()).find_map(|group| captures.get(group))?;
            let target = file_target(written.as_str()).filter(|_| !code.contains(written.start()))?;
            let length = written.as_str().find(['#', '?']).unwrap_or(written.len());
            Some((written.start()..written.start() + length, target))
        })
        .collect()
}

/// The path of a link to a file: no address with a scheme, no anchor, no absolute path, no placeholder.
fn file_target(written: &str) -> Option<String> {
    let path = written.split(['#', '?']).next().unwrap_or("");
    let scheme = path.split(['/', '.']).next().is_some_and(|start| start.contains(':'));
    let odd = path.is_empty()
        || path.starts_with(['/', '~', '\\', '$', '{'])
        || path.contains(['*', '<', '|', '…']);
    let is_file = is_markdown(path);
    (!scheme && !odd && is_file).then(|| percent_decoded(path))
}

fn percent_decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digit = |at: usize| after.get(at).and_then(|byte| char::from(*byte).to_digit(16));
        match (first, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push(u8::try_from(high * 16 + low).unwrap_or(b'%'));
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| path.to_owned())
}

/// The name in a wiki link: without heading and alias. Tests of a shell and tables of TOML are none.
fn wiki_target(written: &str) -> Option<String> {
    let name = written.split(['|', '#']).next().unwrap_or("");
    let spaced = name.starts_with(' ') || name.ends_with(' ');
    let is_odd = |byte| {
        matches!(byte, b'"' | b'$' | b'=' | b'<' | b'>' | b'{' | b'(' | b'`' | b'\'' | b',' | b'*' | b'^')
    };
    let odd = spaced || name.is_empty() || name.bytes().any(is_odd) || name.starts_with('-');
    (!odd && name.contains(|letter: char| letter.is_alphabetic())).then(|| name.to_owned())
}

/// The path of an import that can be looked up: relative, and a file by its ending, so that `@name` and `@scope/package`
/// are left alone.
fn import_target(written: &str) -> Option<String> {
    let path = written.trim_end_matches(['.', '*', '_', '"', '\'']);
    let name = file_name(path);
    let ending = name.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && (1..=8).contains(&ending.len())
            && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
    });
    let elsewhere = path.starts_with(['/', '~']);
    (ending && !elsewhere).then(|| path.to_owned())
}

/// Words that end in `.md`.
fn mentioned(text: &str) -> BTreeSet<String> {
    text.split(|letter: char| !(letter.is_alphanumeric() || "-_./%".contains(letter)))
        .map(|word| word.trim_end_matches('.'))
        .filter(|word| is_markdown(word))
        .map(|word| percent_decoded(file_name(word)))
        .collect()
}

/// A name as links are compared: without ending, in lower case, with one kind of hyphen.
fn folded(name: &str) -> String {
    let name = name.trim().trim_end_matches(".md");
    name.to_lowercase().replace(['_', ' '], "-")
}

/// Rules over all files of a directory.
pub(crate) fn check(directory: &mut Directory<'_>) {
    missing_files(directory);
    orphans(directory);
    wiki(directory);
    imports(directory);
    names_twice(directory);
}

fn missing_files(directory: &mut Directory<'_>) {
    let readings = directory.readings.clone();
    for (path, reading) in &readings {
        for link in &reading.links.files {
            // A link out of the directory leads to what is not known here.
            let Some(leads) = resolve(path, &link.target) else { continue };
            if !directory.has(&leads) && !directory.repository_has(&leads) {
                let message = || say::no(&link.shown);
                directory.report_with("links/missing-file", path, Some(&link.span), message, &link.target);
            }
        }
    }
}

fn orphans(directory: &mut Directory<'_>) {
    let indexes: Vec<&String> = directory.readings.keys().filter(|path| is_index(path)).collect();
    if indexes.is_empty() {
        return;
    }
    let mut linked: BTreeSet<String> = BTreeSet::new();
    let mut named: BTreeSet<String> = BTreeSet::new();
    for path in &indexes {
        let links = &directory.readings[*path].links;
        linked.extend(links.files.iter().filter_map(|link| resolve(path, &link.target)));
        named.extend(links.wiki.iter().map(|link| folded(file_name(&link.target))));
        named.extend(links.mentioned.iter().map(|name| folded(name)));
    }
    let orphans: Vec<String> = directory
        .readings
        .iter()
        .filter(|(path, _)| {
            is_topic(path) && indexes.iter().any(|index| path.starts_with(crate::paths::directory(index)))
        })
        .filter(|(path, reading)| {
            let known = linked.contains(path.as_str())
                || named.contains(&folded(stem(path)))
                || reading.names.iter().any(|name| named.contains(&folded(name)));
            !known
        })
        .map(|(path, _)| path.clone())
        .collect();
    for path in orphans {
        directory.report("links/orphan", &path, None, say::no_index_links_file(), "");
    }
}

/// True if a file is one that an index should name: Markdown, and neither an index, a log, a readme nor instructions.
fn is_topic(path: &str) -> bool {
    let own = [
        "logs",
        "sessions",
        "archive",
        "rollout_summaries",
        "rules",
        "agents",
        "skills",
        "commands",
        "templates",
    ];
    is_markdown(path)
        && !is_index(path)
        && !is_instructions(path)
        && !matches!(
            file_name(path),
            "README.md" | "memory_summary.md" | "raw_memories.md" | "USER.md" | "DREAMS.md"
        )
        && !directory(path).split('/').any(|part| own.contains(&part))
}

fn wiki(directory: &mut Directory<'_>) {
    let mut known: BTreeSet<String> = BTreeSet::new();
    for (path, reading) in &directory.readings {
        known.insert(folded(path));
        known.insert(folded(stem(path)));
        known.extend(reading.names.iter().map(|name| folded(name)));
    }
    known.extend(directory.paths().flat_map(|path| [folded(file_name(path)), folded(path)]));
    let is_known = |link: &Link| {
        let name = folded(&link.target);
        let last = name.rsplit('/').next().unwrap_or(&name);
        known.contains(&name) || known.contains(last)
    };
    // A file may have one link a hundred thousand times.
    let mut decided: HashMap<&str, bool> = HashMap::new();
    let readings = directory.readings.clone();
    for (path, reading) in &readings {
        for link in &reading.links.wiki {
            if !*decided.entry(&link.target).or_insert_with(|| is_known(link)) {
                let message = || say::no_memory_called(&link.shown);
                directory.report_with("links/wiki", path, Some(&link.span), message, &link.target);
            }
        }
    }
}

fn imports(directory: &mut Directory<'_>) {
    let readings = directory.readings.clone();
    for (path, reading) in &readings {
        for link in &reading.links.imports {
            let Some(leads) = resolve(path, &link.target) else { continue };
            if !directory.has(&leads) && !directory.repository_has(&leads) {
                let message = || say::no_import(&link.shown);
                directory.report_with("links/import", path, Some(&link.span), message, &link.target);
            }
        }
    }
}

fn names_twice(directory: &mut Directory<'_>) {
    let mut by_name: BTreeMap<(String, String), Vec<(String, Span)>> = BTreeMap::new();
    for (path, reading) in &directory.readings {
        if let Some((name, span)) = &reading.name {
            let key = (crate::paths::directory(path).to_owned(), folded(name));
            by_name.entry(key).or_default().push((path.clone(), span.clone()));
        }
    }
    for ((_, name), files) in by_name {
        let Some((first, _)) = files.first().cloned() else { continue };
        for (path, span) in files.into_iter().skip(1) {
            let message = say::same_name(file_name(&first));
            directory.report("front-matter/name-twice", &path, Some(&span), message, &name);
        }
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "links";
    no(shown) => "The link leads to no file: \"{shown}\".",
    no_index_links_file() => "No index links to this file.",
    no_memory_called(shown) => "No memory is called \"{shown}\".",
    no_import(shown) => "There is no \"{shown}\" to import.",
    same_name(first) => "\"{first}\" has the same name.",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_of_links() {
        for (written, target) in [
            ("a.md", Some("a.md")),
            ("a%20b.md#x", Some("a b.md")),
            ("https://x.test/a.md", None),
            ("mailto:a@b.md", None),
            ("#heading", None),
            ("/etc/a.md", None),
            ("src/main.rs", None),
            ("{slug}.md", None),
        ] {
            assert_eq!(file_target(written).as_deref(), target, "{written}");
        }
        for (written, target) in [
            ("name", Some("name")),
            ("a/b|shown", Some("a/b")),
            ("a#part", Some("a")),
            (" -f x ", None),
            ("-f", None),
            ("$x", None),
            ("0", None),
        ] {
            assert_eq!(wiki_target(written).as_deref(), target, "{written}");
        }
        for (written, target) in [
            ("docs/a.md", Some("docs/a.md")),
            ("./a.md.", Some("./a.md")),
            ("tanstack/react-query", None),
            ("~/.claude/a.md", None),
            ("someone", None),
        ] {
            assert_eq!(import_target(written).as_deref(), target, "{written}");
        }
    }
}
