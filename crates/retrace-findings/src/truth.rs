//! Compares claims of a memory with its repository; and finds future dates that have passed.
//!
//! Only claims with a shape are read: a path in a code span, a script after `npm run`, and the like. A claim that cannot be
//! decided (no package.json, no Makefile, a path of which nothing is there) is none, and so is what a memory itself calls
//! gone, planned or an example. Each of these limits stands for false alarms on real directories (docs/FINDINGS.md).

use crate::checker::Directory;
use crate::finding::Span;
use crate::page::Page;
use chrono::NaiveDate;
use regex::Regex;
use retrace_message::Message;
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// A view of the repository a directory of memories belongs to. `None` where it has nothing of that kind, so that nothing
/// can be said about it.
pub trait Repository {
    /// True if a file or directory exists whose path from the root is `path` or ends with `/path`. Memories leave out the
    /// front of a path where everybody knows it.
    fn has_path(&self, path: &str) -> bool;
    /// True if a directory of this name stands at the root.
    fn has_top_directory(&self, name: &str) -> bool;
    /// True if the repository leaves the path out (`.gitignore`): it may be there on another machine.
    fn ignores(&self, path: &str) -> bool;
    /// Names of the scripts of every package.json.
    fn scripts(&self) -> Option<&BTreeSet<String>>;
    /// Recipes of the justfiles.
    fn recipes(&self) -> Option<&BTreeSet<String>>;
    /// Names of the packages that every Cargo.toml is or depends on.
    fn crates(&self) -> Option<&BTreeSet<String>>;
    /// Targets of the Makefiles.
    fn make_targets(&self) -> Option<&BTreeSet<String>>;
    /// Packages that any package.json depends on or is.
    fn packages(&self) -> Option<&BTreeSet<String>>;
    /// Branches, local and remote, without the remote's name.
    fn branches(&self) -> Option<&BTreeSet<String>>;
    /// Numbers from 1024 that configuration files of the top directory mention.
    fn ports(&self) -> Option<&BTreeSet<u16>>;
}

/// Something that can be compared with the repository.
#[derive(Clone, Debug)]
pub(crate) struct Claim {
    about: About,
    value: String,
    shown: String,
    span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum About {
    File,
    Script,
    /// A file that a command runs.
    Program,
    Recipe,
    Crate,
    MakeTarget,
    Package,
    Branch,
    Port,
    Day,
}

impl About {
    /// The rule that a claim about this is for.
    const fn rule(self) -> &'static str {
        match self {
            Self::File => "truth/file",
            Self::Script => "truth/script",
            Self::Program | Self::Recipe | Self::Crate => "truth/command",
            Self::MakeTarget => "truth/make-target",
            Self::Package => "truth/package",
            Self::Branch => "truth/branch",
            Self::Port => "truth/port",
            Self::Day => "truth/date-past",
        }
    }
}

/// Beginnings of a script's name that the package managers run themselves.
const BUILT_IN: [&str; 18] = [
    "install", "add", "remove", "i", "ci", "init", "create", "exec", "dlx", "x", "publish", "pack", "link",
    "why", "outdated", "update", "upgrade", "run",
];

/// Endings of files that are written by hand and kept. A path with another ending may be a name in code
/// (`internal/envfiles.Assemble`), what a program makes, or a file of settings that everybody has their own of (`.env`).
const ENDINGS: [&str; 92] = [
    "adoc",
    "astro",
    "bash",
    "bat",
    "bazel",
    "bzl",
    "c",
    "cc",
    "cfg",
    "cjs",
    "clj",
    "cljs",
    "cmake",
    "coffee",
    "conf",
    "cpp",
    "cs",
    "css",
    "cts",
    "cxx",
    "dart",
    "dockerfile",
    "ejs",
    "elm",
    "erl",
    "ex",
    "exs",
    "fish",
    "fs",
    "fsx",
    "glsl",
    "go",
    "gql",
    "gradle",
    "graphql",
    "groovy",
    "h",
    "hbs",
    "hcl",
    "hpp",
    "hrl",
    "hs",
    "html",
    "ini",
    "ipynb",
    "java",
    "jl",
    "js",
    "json",
    "json5",
    "jsonc",
    "jsx",
    "kt",
    "kts",
    "less",
    "lua",
    "m",
    "md",
    "mdc",
    "mdx",
    "mjs",
    "mk",
    "ml",
    "mm",
    "mts",
    "nim",
    "nix",
    "php",
    "pl",
    "prisma",
    "proto",
    "ps1",
    "py",
    "pyi",
    "r",
    "rb",
    "rs",
    "rst",
    "sass",
    "scala",
    "scss",
    "sh",
    "sql",
    "svelte",
    "swift",
    "tf",
    "toml",
    "ts",
    "tsx",
    "vue",
    "yaml",
    "yml",
];

/// Words of a line that speaks of what is not there: gone, to come, made by a program, or an example.
const NOT_THERE: [&str; 34] = [
    "delete",
    "deleted",
    "deletes",
    "remove",
    "removed",
    "removes",
    "rename",
    "renamed",
    "gone",
    "moved",
    "replaced",
    "dropped",
    "obsolete",
    "deprecated",
    "legacy",
    "former",
    "formerly",
    "old",
    "longer",
    "missing",
    "create",
    "creates",
    "generated",
    "generates",
    "writes",
    "output",
    "planned",
    "todo",
    "future",
    "proposed",
    "e.g",
    "example",
    "examples",
    "such",
];

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

fn shape(index: usize) -> &'static Regex {
    static SHAPES: OnceLock<Vec<Regex>> = OnceLock::new();
    const WRITTEN: [&str; 9] = [
        r"\b(?:npm|pnpm|yarn|bun)\s+run\s+([A-Za-z0-9][A-Za-z0-9:_.-]*)(?:[\s`;&|)\x22']|$)",
        r"(?:^|[`\s;&|(])make\s+([A-Za-z0-9][A-Za-z0-9_.-]*)(?:[\s`;&|)\x22']|$)",
        r"(?:^|[`\s\x22'(])(@[a-z0-9][a-z0-9-]*/[a-z0-9][a-z0-9._-]*)",
        r"(?i)\bbranch(?:es)?\s+`([A-Za-z0-9][A-Za-z0-9._/-]{1,80})`|`([A-Za-z0-9][A-Za-z0-9._/-]{1,80})`\s+branch\b",
        r"(?i)(?:\bport\s+`?|\blocalhost:|127\.0\.0\.1:)([0-9]{4,5})\b",
        r"(?i)\b(?:until|due(?:\s+(?:on|by))?|deadline(?:\s+is)?:?|expires?(?:\s+on)?|scheduled\s+for|planned\s+for|remove\s+after|revisit\s+(?:on|after|by)|freeze\s+(?:on|begins|starts|until)|valid\s+(?:through|until)|ETA:?)\s+(?:the\s+)?(20[0-9]{2}-[01][0-9]-[0-3][0-9]|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?\s+[0-9]{1,2},?\s+20[0-9]{2})\b",
        r"(?m)(?:^|[`;&|(])[ \t]*(?:\$ )?(?:(?:node|python3?|bash|sh|zsh|ruby|perl|php|tsx|ts-node|source|deno run|bun run|bun|uv run|npx tsx|poetry run python)(?: -[A-Za-z][A-Za-z-]*)* ((?:\./)?(?:[A-Za-z0-9_@.-]+/)+[A-Za-z0-9_@.-]*\.[A-Za-z0-9]{1,6})|(\./(?:[A-Za-z0-9_@.-]+/)*[A-Za-z0-9_@-][A-Za-z0-9_@.-]*))(?:[\s`;&|)]|$)",
        r"(?m)(?:^|[`;&|(])[ \t]*(?:\$ )?just ([a-z0-9][a-z0-9_-]*)(?:[\s`;&|)]|$)",
        r"\bcargo (?:build|test|run|check|bench|clippy|doc)\b[^\n`;&|]* (?:-p|--package)[ =]([A-Za-z][A-Za-z0-9_-]*)(?:[\s`;&|)]|$)",
    ];
    &SHAPES
        .get_or_init(|| WRITTEN.iter().map(|written| Regex::new(written).expect("a test runs it")).collect())
        [index]
}

/// The claims of a page.
pub(crate) fn claims(page: &Page<'_>) -> Vec<Claim> {
    let text = page.text.as_str();
    let mut claims = Vec::new();
    let mut take = |about, range: std::ops::Range<usize>| {
        claims.push(Claim {
            about,
            value: text[range.clone()].to_owned(),
            shown: page.shown(&range),
            span: page.span(&range),
        });
    };
    // Facts of a line are asked once: one line may hold all code of a text.
    let mut line_before: Option<(usize, bool)> = None;
    for code in page.code.ranges() {
        let inner = code.start..code.end;
        let content = &text[inner.clone()];
        let span = content.trim_matches('`');
        let line = page.text.line_of(code.start);
        let is_not_there = match line_before {
            Some((known, answer)) if known == line => answer,
            _ => speaks_of_what_is_not_there(&text[page.text.line_range(line)]),
        };
        line_before = Some((line, is_not_there));
        // A program at the root is run from there, rather than read.
        let is_file = is_file_claim(span) && span.trim_start_matches("./").contains('/');
        if !content.contains('\n') && is_file && !is_not_there {
            let start = inner.start + (content.len() - content.trim_start_matches('`').len());
            let length = without_line_number(span).len();
            take(About::File, start..start + length);
        } else if !is_not_there {
            for (index, about) in [(6, About::Program), (7, About::Recipe), (8, About::Crate)] {
                for captures in shape(index).captures_iter(content) {
                    if let Some(found) = captures.get(1).or_else(|| captures.get(2)) {
                        take(about, inner.start + found.start()..inner.start + found.end());
                    }
                }
            }
        }
        for (index, about) in [(0, About::Script), (1, About::MakeTarget), (2, About::Package)] {
            for found in shape(index).captures_iter(content).filter_map(|captures| captures.get(1)) {
                take(about, inner.start + found.start()..inner.start + found.end());
            }
        }
    }
    for (index, about) in [(3, About::Branch), (4, About::Port), (5, About::Day)] {
        for captures in shape(index).captures_iter(text) {
            if let Some(found) = captures.get(1).or_else(|| captures.get(2)) {
                take(about, found.range());
            }
        }
    }
    claims
}

/// True if the content of a code span is a path of a file: segments, an ending, nothing that makes it a pattern, an address
/// or an example.
fn is_file_claim(span: &str) -> bool {
    static SHAPE: OnceLock<Regex> = OnceLock::new();
    let shape = SHAPE.get_or_init(|| {
        Regex::new(r"^(?:\./)?(?:[A-Za-z0-9_@.()\[\]-]+/)+[A-Za-z0-9_@.\[\]-]*[A-Za-z0-9_\]]\.[A-Za-z][A-Za-z0-9]{0,7}(?::[0-9]+(?:[-:][0-9]+)?)?$")
            .expect("a test runs it")
    });
    let odd = span.starts_with("../")
        || span.contains("...")
        || span.starts_with('@')
        || span.contains("node_modules/");
    shape.is_match(span) && !odd && !is_host(span) && has_known_ending(without_line_number(span))
}

/// True if a word outside of code says so.
fn speaks_of_what_is_not_there(line: &str) -> bool {
    let outside = line.split('`').step_by(2);
    let words =
        outside.flat_map(|part| part.split(|letter: char| !letter.is_alphanumeric() && letter != '.'));
    words.map(|word| word.trim_matches('.').to_lowercase()).any(|word| NOT_THERE.contains(&word.as_str()))
}

/// `example.com/a.html`: the first segment is a host.
fn is_host(span: &str) -> bool {
    let first = span.split('/').next().unwrap_or("");
    [".com", ".org", ".io", ".dev", ".net"].iter().any(|ending| first.ends_with(ending))
}

fn has_known_ending(path: &str) -> bool {
    let ending = path.rsplit('.').next().unwrap_or("");
    ENDINGS.contains(&ending) || matches!(ending, "R" | "S" | "C" | "H")
}

fn without_line_number(span: &str) -> &str {
    span.split(':').next().unwrap_or(span)
}

/// Rules that compare claims with the repository and the day.
pub(crate) fn check(directory: &mut Directory<'_>) {
    let mut found = Vec::new();
    for (path, reading) in &directory.readings {
        // Looking at a repository takes time, so that nothing is compared with it for a rule that is off.
        for claim in reading.claims.iter().filter(|claim| directory.asks_for(claim.about.rule())) {
            if let Some((rule, message)) = contradicted(claim, directory) {
                found.push((rule, path.clone(), claim.span.clone(), message, claim.value.clone()));
            }
        }
    }
    for (rule, path, span, message, value) in found {
        directory.report(rule, &path, Some(&span), message, &value);
    }
}

fn contradicted(claim: &Claim, directory: &Directory<'_>) -> Option<(&'static str, Message)> {
    let shown = &claim.shown;
    if claim.about == About::Day {
        let (today, day) = (directory.surroundings.today?, day(&claim.value)?);
        return (day < today).then(|| ("truth/date-past", say::past(day.to_string())));
    }
    let repository = directory.surroundings.repository?;
    let misses = |names: Option<&BTreeSet<String>>| names.is_some_and(|names| !names.contains(&claim.value));
    match claim.about {
        About::File => {
            let path = claim.value.trim_start_matches("./");
            let there = repository.has_path(path) || directory.has(path) || repository.ignores(path);
            (!there && belongs(path, repository)).then(|| ("truth/file", say::repository_no(shown)))
        }
        About::Program => {
            let path = claim.value.trim_start_matches("./");
            let there = repository.has_path(path) || directory.has(path) || repository.ignores(path);
            // A program at the root has no directory to know it by; one below a directory that is not there is another's.
            let is_own = !path.contains('/') || belongs(path, repository);
            (!there && is_own && !path.split('/').any(|part| part == ".."))
                .then(|| ("truth/command", say::repository_no_run(shown)))
        }
        About::Recipe => {
            misses(repository.recipes()).then(|| ("truth/command", say::no_justfile_recipe(shown)))
        }
        About::Crate => {
            misses(repository.crates()).then(|| ("truth/command", say::no_cargo_toml_package(shown)))
        }
        About::Script => (!BUILT_IN.contains(&claim.value.as_str()) && misses(repository.scripts()))
            .then(|| ("truth/script", say::no_package_json_script(shown))),
        About::MakeTarget => {
            misses(repository.make_targets()).then(|| ("truth/make-target", say::no_makefile_target(shown)))
        }
        About::Package => (misses(repository.packages()) && has_scope(&claim.value, repository))
            .then(|| ("truth/package", say::no_package_json_depends(shown))),
        About::Branch => misses(repository.branches()).then(|| ("truth/branch", say::no_branch(shown))),
        About::Port => {
            let port: u16 = claim.value.parse().ok()?;
            let known = repository.ports()?.contains(&port);
            (!known).then(|| ("truth/port", say::no_configuration_file_mentions_port(port)))
        }
        About::Day => None,
    }
}

/// True if a path is one of this repository: the directory it names is there, or the first part of it stands at the root.
/// A path of which nothing is there belongs to a library, another repository or an example.
fn belongs(path: &str, repository: &dyn Repository) -> bool {
    let Some((directory, _)) = path.rsplit_once('/') else { return false };
    let first = path.split('/').next().unwrap_or(path);
    repository.has_path(directory) || repository.has_top_directory(first)
}

/// True if the repository uses any package of the scope; another one may be an alias of paths.
fn has_scope(package: &str, repository: &dyn Repository) -> bool {
    let scope = package.split('/').next().unwrap_or(package);
    let packages = repository.packages().into_iter().flatten();
    packages.filter_map(|name| name.split_once('/')).any(|(known, _)| known == scope)
}

/// A day as `2026-03-05` or `March 5, 2026`.
fn day(text: &str) -> Option<NaiveDate> {
    if let Ok(day) = NaiveDate::parse_from_str(text, "%Y-%m-%d") {
        return Some(day);
    }
    let mut words = text.split([' ', ',', '.', '\n', '\t']).filter(|word| !word.is_empty());
    let month = words.next()?.get(..3)?.to_lowercase();
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    let number = words.next()?.parse().ok()?;
    NaiveDate::from_ymd_opt(words.next()?.parse().ok()?, u32::try_from(month).ok()?, number)
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "truth";
    past(day) => "{day} is past.",
    repository_no(shown) => "The repository has no \"{shown}\".",
    repository_no_run(shown) => "The repository has no \"{shown}\" to run.",
    no_justfile_recipe(shown) => "No justfile has a recipe \"{shown}\".",
    no_cargo_toml_package(shown) => "No Cargo.toml has a package \"{shown}\".",
    no_package_json_script(shown) => "No package.json has a script \"{shown}\".",
    no_makefile_target(shown) => "No Makefile has a target \"{shown}\".",
    no_package_json_depends(shown) => "No package.json depends on \"{shown}\".",
    no_branch(shown) => "There is no branch \"{shown}\".",
    no_configuration_file_mentions_port(port) => "No configuration file mentions port {port}.",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_claims_a_file() {
        for span in [
            "src/main.rs",
            "./a/b.ts",
            "src/app/[id]/page.tsx",
            "docs/a.md:12",
            "src/a_b-c.test.ts:3-9",
            "(app)/x.tsx",
        ] {
            assert!(is_file_claim(span), "{span}");
        }
        for span in [
            "main.rs",
            "src/**/*.ts",
            "https://a.b/c.html",
            "a/b",
            "npm run x",
            "../x/y.rs",
            "example.com/a.html",
            "a.b/c",
            "src/<x>.ts",
            "internal/envfiles.Assemble",
            "web/.web.env",
            "out/run.csv",
        ] {
            assert!(!is_file_claim(span), "{span}");
        }
    }

    #[test]
    fn lines_about_what_is_not_there() {
        for line in
            ["- `a/b.rs` was removed in May", "Old: `a/b.rs`", "such as `a/b.rs`", "`x` writes `a/b.rs`"]
        {
            assert!(speaks_of_what_is_not_there(line), "{line}");
        }
        for line in ["- the parser is in `a/b.rs`", "see `old/removed.rs` for it", "threshold in `a/b.rs`"] {
            assert!(!speaks_of_what_is_not_there(line), "{line}");
        }
    }

    #[test]
    fn days() {
        let expected = NaiveDate::from_ymd_opt(2026, 3, 5);
        for text in ["2026-03-05", "March 5, 2026", "Mar. 5 2026"] {
            assert_eq!(day(text), expected, "{text}");
        }
        assert_eq!(day("2026-13-05"), None);
        assert_eq!(day("Mar 45, 2026"), None);
    }
}
