//! Programs that change files by themselves: formatters, linters that correct, and what git brings back.
//!
//! Which of the files below a directory they change nobody knows from the words; the directory stands for them.

use super::call::CallFile;
use super::targets::plain;
use crate::path::name_of;

/// When a program changes files.
#[derive(Clone, Copy)]
enum When {
    /// With one of these options.
    With(&'static [&'static str]),
    /// Without any of these options.
    Without(&'static [&'static str]),
}

use When::{With, Without};

/// A program that changes the files that it names.
struct Rewriter {
    program: &'static str,
    /// Words of which the first one must be among them; none where the program has no such word.
    subcommands: &'static [&'static str],
    when: When,
    /// Options that take the next word.
    with_value: &'static [&'static str],
}

const fn rewriter(
    program: &'static str,
    subcommands: &'static [&'static str],
    when: When,
    with_value: &'static [&'static str],
) -> Rewriter {
    Rewriter { program, subcommands, when, with_value }
}

const ESLINT: &[&str] = &[
    "-c",
    "--config",
    "--ext",
    "-f",
    "--format",
    "-o",
    "--output-file",
    "--rulesdir",
    "--plugin",
    "--ignore-path",
];
const PRETTIER: &[&str] =
    &["--config", "--ignore-path", "--parser", "--log-level", "--plugin", "--print-width", "--tab-width"];
const RUFF: &[&str] = &[
    "--config",
    "--select",
    "--ignore",
    "--exclude",
    "--line-length",
    "--target-version",
    "--extend-select",
    "--output-format",
];
const OF_PYTHON: &[&str] = &[
    "-l",
    "--line-length",
    "-t",
    "--target-version",
    "--config",
    "--exclude",
    "--include",
    "--profile",
    "--style",
    "--settings-path",
];

/// docs/RULES.md has the list. Sources: the helps of gofmt 1.24, goimports, prettier 3, eslint 9, biome 2, ruff 0.12, black 25, isort 6,
/// rustfmt and cargo 1.95, clang-format 20, shfmt 3, terraform 1.12, rubocop 1.75 and the others named.
const REWRITERS: [Rewriter; 62] = [
    rewriter("gofmt", &[], With(&["-w"]), &["-r", "-cpuprofile"]),
    rewriter("gofumpt", &[], With(&["-w"]), &["-r", "-lang", "-modpath"]),
    rewriter("goimports", &[], With(&["-w"]), &["-local", "-srcdir", "-format-only"]),
    rewriter(
        "golines",
        &[],
        With(&["-w", "--write-output"]),
        &["-m", "--max-len", "-t", "--tab-len", "--base-formatter"],
    ),
    rewriter("gci", &["write"], Without(&[]), &["-s", "--section"]),
    rewriter("go", &["fmt"], Without(&["-n"]), &["-mod"]),
    rewriter("go", &["fix"], Without(&["-diff"]), &["-fix", "-go"]),
    rewriter(
        "golangci-lint",
        &["run"],
        With(&["--fix"]),
        &["-c", "--config", "-E", "--enable", "-D", "--disable", "--timeout"],
    ),
    rewriter("golangci-lint", &["fmt"], Without(&["-d", "--diff"]), &["-c", "--config", "-E", "--enable"]),
    rewriter("buf", &["format"], With(&["-w", "--write"]), &["--path", "--config"]),
    rewriter("prettier", &[], With(&["--write", "-w"]), PRETTIER),
    rewriter("prettierd", &[], With(&["--write"]), &[]),
    rewriter("eslint", &[], With(&["--fix"]), ESLINT),
    rewriter(
        "stylelint",
        &[],
        With(&["--fix"]),
        &["-c", "--config", "-f", "--formatter", "-o", "--output-file"],
    ),
    rewriter(
        "oxlint",
        &[],
        With(&["--fix", "--fix-suggestions"]),
        &["-c", "--config", "-f", "--format", "-A", "-W", "-D"],
    ),
    rewriter(
        "biome",
        &["format", "check", "lint"],
        With(&["--write", "--fix", "--apply", "--apply-unsafe"]),
        &["--config-path"],
    ),
    rewriter("dprint", &["fmt"], Without(&["--diff"]), &["-c", "--config"]),
    rewriter("standard", &[], With(&["--fix"]), &["--parser", "--plugin", "--env"]),
    rewriter("xo", &[], With(&["--fix"]), &[]),
    rewriter("tslint", &[], With(&["--fix"]), &["-c", "--config", "-p", "--project"]),
    rewriter("markdownlint", &[], With(&["--fix", "-f"]), &["-c", "--config", "-i", "--ignore"]),
    rewriter("markdownlint-cli2", &[], With(&["--fix"]), &["--config"]),
    rewriter("textlint", &[], With(&["--fix"]), &["-c", "--config"]),
    rewriter("deno", &["fmt"], Without(&["--check"]), &["-c", "--config", "--ext"]),
    rewriter("ruff", &["check"], With(&["--fix", "--fix-only", "--unsafe-fixes"]), RUFF),
    rewriter("ruff", &["format"], Without(&["--check", "--diff"]), RUFF),
    rewriter("black", &[], Without(&["--check", "--diff", "-c", "--code", "-"]), OF_PYTHON),
    rewriter("isort", &[], Without(&["--check", "--check-only", "-c", "--diff", "-"]), OF_PYTHON),
    rewriter("autopep8", &[], With(&["-i", "--in-place"]), OF_PYTHON),
    rewriter("yapf", &[], With(&["-i", "--in-place"]), OF_PYTHON),
    rewriter("autoflake", &[], With(&["-i", "--in-place"]), OF_PYTHON),
    rewriter("docformatter", &[], With(&["-i", "--in-place"]), OF_PYTHON),
    rewriter("pyupgrade", &[], Without(&[]), &[]),
    rewriter("sqlfluff", &["fix", "format"], Without(&[]), &["-d", "--dialect", "--config"]),
    rewriter("djlint", &[], With(&["--reformat"]), &["--profile"]),
    rewriter("rustfmt", &[], Without(&["--check"]), &["--edition", "--config", "--config-path", "--emit"]),
    rewriter("cargo", &["fmt"], Without(&["--check"]), &["-p", "--package", "--manifest-path"]),
    rewriter("cargo", &["fix"], Without(&[]), &["-p", "--package", "--manifest-path", "--bin", "--lib"]),
    rewriter(
        "cargo",
        &["clippy"],
        With(&["--fix"]),
        &["-p", "--package", "--manifest-path", "-F", "--features"],
    ),
    rewriter(
        "taplo",
        &["fmt", "format"],
        Without(&["--check", "--diff"]),
        &["-c", "--config", "-o", "--option"],
    ),
    rewriter("clang-format", &[], With(&["-i"]), &["--style-file"]),
    rewriter("shfmt", &[], With(&["-w", "--write"]), &["-i", "--indent", "-ln", "--language-dialect"]),
    rewriter("terraform", &["fmt"], Without(&["-check", "-write=false", "-"]), &[]),
    rewriter("tofu", &["fmt"], Without(&["-check", "-write=false", "-"]), &[]),
    rewriter("packer", &["fmt"], Without(&["-check", "-write=false", "-"]), &[]),
    rewriter(
        "rubocop",
        &[],
        With(&["-a", "-A", "-x", "--autocorrect", "--autocorrect-all", "--auto-correct", "--fix-layout"]),
        &["-c", "--config", "--only", "--except"],
    ),
    rewriter("standardrb", &[], With(&["--fix"]), &[]),
    rewriter(
        "swiftformat",
        &[],
        Without(&["--lint", "--dryrun"]),
        &["--config", "--rules", "--disable", "--enable"],
    ),
    rewriter("swiftlint", &[], With(&["--fix", "--autocorrect"]), &["--config"]),
    rewriter("ktlint", &[], With(&["-F", "--format"]), &["--editorconfig"]),
    rewriter("ktfmt", &[], Without(&["--dry-run", "-n", "-"]), &[]),
    rewriter("google-java-format", &[], With(&["-i", "-r", "--replace"]), &[]),
    rewriter("php-cs-fixer", &["fix"], Without(&["--dry-run"]), &["--config", "--rules"]),
    rewriter("phpcbf", &[], Without(&[]), &[]),
    rewriter("pint", &[], Without(&["--test"]), &["--config", "--preset"]),
    rewriter(
        "dotnet",
        &["format"],
        Without(&["--verify-no-changes"]),
        &["--include", "--exclude", "--severity", "-v"],
    ),
    rewriter("mix", &["format"], Without(&["--check-formatted", "--dry-run", "-"]), &[]),
    rewriter("zig", &["fmt"], Without(&["--check", "--stdin"]), &[]),
    rewriter(
        "dart",
        &["format"],
        Without(&["--output=none", "--output=show"]),
        &["-o", "--output", "-l", "--line-length"],
    ),
    rewriter("nixfmt", &[], Without(&["-c", "--check"]), &["-w", "--width"]),
    rewriter("alejandra", &[], Without(&["-c", "--check"]), &[]),
    rewriter("stylua", &[], Without(&["--check", "-"]), &["--config-path", "-f"]),
];

/// Programs of which the first word may be another program, as `pnpm prettier`.
const STARTING: [&str; 4] = ["pnpm", "yarn", "bun", "rye"];

/// Options with which every program does nothing to a file.
const IDLE: [&str; 5] = ["--help", "-h", "--version", "-V", "--stdin-filepath"];

/// The files that a program changes by itself, by its words; `None` for another program, or one that only looks.
pub(super) fn files(program: &str, words: &[&str]) -> Option<Vec<CallFile>> {
    match (program, words) {
        ("python" | "python3", ["-m", module, rest @ ..]) => return files(module, rest),
        (starter, [inner, rest @ ..]) if STARTING.contains(&starter) => return files(inner, rest),
        _ => {}
    }
    // `cargo +nightly fmt`
    let words = match words {
        [first, rest @ ..] if first.starts_with('+') => rest,
        _ => words,
    };
    let of_program = || REWRITERS.iter().filter(|rewriter| rewriter.program == program);
    let named = plain(words, &[]);
    let subcommand = named.first().copied();
    let rewriter = of_program().find(|rewriter| {
        rewriter.subcommands.is_empty() || subcommand.is_some_and(|word| rewriter.subcommands.contains(&word))
    })?;
    if !rewriter.changes(words) {
        return None;
    }
    let mut named = plain(words, rewriter.with_value);
    if !rewriter.subcommands.is_empty() {
        named.retain({
            let mut first = true;
            move |_| !std::mem::take(&mut first)
        });
    }
    // What stands behind the dashes of cargo is another program's.
    named.retain(|word| program != "cargo" && !word.starts_with('-'));
    if named.is_empty() {
        named.push(".");
    }
    let file = |word: &str| CallFile { path: below_of(word).to_owned(), ..CallFile::default() };
    Some(named.into_iter().map(file).collect())
}

impl Rewriter {
    fn changes(&self, words: &[&str]) -> bool {
        let has = |options: &[&str]| {
            let is_it = |word: &&str| {
                options.iter().any(|option| {
                    *word == *option
                        || option.starts_with("--")
                            && word.strip_prefix(option).is_some_and(|rest| rest.starts_with('='))
                })
            };
            words.iter().any(is_it)
        };
        let is_asked = match self.when {
            With(options) => has(options),
            Without(options) => !has(options),
        };
        let idle: Vec<&str> =
            IDLE.iter().copied().filter(|option| !self.with_value.contains(option)).collect();
        is_asked && !has(&idle)
    }
}

/// The directory of a pattern of packages: `./...` is all below `.`.
fn below_of(word: &str) -> &str {
    match word.strip_suffix("...") {
        Some("" | "/") => ".",
        Some(directory) => directory.trim_end_matches('/'),
        None => word,
    }
}

/// The files that `git checkout`, `git restore` and `git apply` write. What else git brings (a merge, a pull, another branch) is
/// no edit.
pub(super) fn of_git(subcommand: &str, words: &[&str], input: Option<&str>) -> Vec<CallFile> {
    let file = |path: &str| CallFile { path: path.to_owned(), ..CallFile::default() };
    let has =
        |options: &[&str]| words.iter().take_while(|word| **word != "--").any(|word| options.contains(word));
    match subcommand {
        "checkout" => {
            if has(&["-b", "-B", "--orphan", "--detach", "-t", "--track"]) {
                return Vec::new();
            }
            let behind = words.iter().position(|word| *word == "--").map(|at| &words[at + 1..]);
            if let Some(paths) = behind {
                return paths.iter().map(|path| file(path)).collect();
            }
            let named = plain(words, &["--conflict", "--pathspec-from-file"]);
            match named.as_slice() {
                paths if has(&["--theirs", "--ours", "-p", "--patch", "-m", "--merge"]) => {
                    paths.iter().map(|path| file(path)).collect()
                }
                // A name alone may be that of a branch.
                [path] if looks_like_file(path) => vec![file(path)],
                [tree, paths @ ..] => {
                    let own = Some(tree).filter(|tree| looks_like_file(tree));
                    own.into_iter().chain(paths).map(|path| file(path)).collect()
                }
                [] => Vec::new(),
            }
        }
        "restore" => {
            if has(&["--staged", "-S"]) && !has(&["--worktree", "-W", "-SW", "-WS"]) {
                return Vec::new();
            }
            let named =
                plain(words, &["-s", "--source", "--conflict", "--pathspec-from-file", "-U", "--unified"]);
            named.into_iter().map(file).collect()
        }
        "apply" if has(&["--check", "--stat", "--numstat", "--summary", "--cached"]) => Vec::new(),
        "apply" => patched(input),
        _ => Vec::new(),
    }
}

/// The files of a patch that is read; the directory where its text is not known.
pub(super) fn patched(input: Option<&str>) -> Vec<CallFile> {
    let lines = input.unwrap_or_default().lines();
    let names = lines.filter_map(|line| {
        let path = line.strip_prefix("+++ ").or_else(|| line.strip_prefix("--- "))?;
        let path = path.split('\t').next().unwrap_or_default();
        (path != "/dev/null")
            .then(|| path.strip_prefix("b/").or_else(|| path.strip_prefix("a/")).unwrap_or(path))
    });
    let mut paths: Vec<&str> = names.filter(|path| !path.is_empty()).collect();
    paths.dedup();
    if paths.is_empty() {
        paths.push(".");
    }
    paths.into_iter().map(|path| CallFile { path: path.to_owned(), ..CallFile::default() }).collect()
}

/// Endings of files that people keep in repositories: a branch is hardly called so.
const ENDINGS: [&str; 54] = [
    "astro", "bash", "c", "cc", "cfg", "conf", "cpp", "cs", "css", "csv", "dart", "env", "ex", "exs", "go",
    "gradle", "h", "hpp", "html", "ini", "java", "js", "json", "jsx", "kt", "kts", "lock", "lua", "md",
    "mdx", "mjs", "mod", "php", "png", "proto", "ps1", "py", "rb", "rs", "scss", "sh", "sql", "sum",
    "svelte", "svg", "swift", "tf", "toml", "ts", "tsx", "txt", "vue", "yaml", "yml",
];

/// True for a word that is hardly the name of a branch or a commit: it has the ending of a file, begins with a dot, or is a
/// pattern.
fn looks_like_file(word: &str) -> bool {
    let name = name_of(word.trim_end_matches('/'));
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    word.starts_with("./") || name.starts_with('.') || word.contains('*') || ENDINGS.contains(&ending)
}

#[cfg(test)]
mod tests {
    use super::super::files_of_call;

    fn files(command: &str) -> Vec<String> {
        let words: Vec<(&str, bool)> = command.split(' ').map(|word| (word, true)).collect();
        files_of_call(words[0].0, &words[1..], None).into_iter().map(|file| file.path).collect()
    }

    #[test]
    fn formatters_and_linters_that_correct_change_what_they_name() {
        for (command, expected) in [
            ("gofmt -w a.go b.go", &["a.go", "b.go"][..]),
            ("gofmt -s -w ./cmd", &["./cmd"]),
            ("goimports -local x.org/y -w a.go", &["a.go"]),
            ("go fmt ./...", &["."]),
            ("golangci-lint run --fix ./cmd/...", &["./cmd"]),
            ("prettier --write src/a.ts", &["src/a.ts"]),
            ("prettier -w --config .p.json a.md", &["a.md"]),
            ("pnpm prettier --write .", &["."]),
            ("eslint --fix --ext .ts src", &["src"]),
            ("biome check --write src", &["src"]),
            ("ruff check --fix", &["."]),
            ("ruff format src a.py", &["src", "a.py"]),
            ("python -m black -l 100 a.py", &["a.py"]),
            ("isort a.py", &["a.py"]),
            ("cargo fmt", &["."]),
            ("cargo +nightly fmt --all -- --config x=y", &["."]),
            ("cargo clippy --fix --allow-dirty -- -D warnings", &["."]),
            ("rustfmt --edition 2024 a.rs", &["a.rs"]),
            ("clang-format -i a.c", &["a.c"]),
            ("shfmt -i 2 -w a.sh", &["a.sh"]),
            ("terraform fmt -recursive infra", &["infra"]),
            ("rubocop -A app", &["app"]),
            ("git checkout --theirs a.go", &["a.go"]),
            ("git checkout -- a b", &["a", "b"]),
            ("git checkout main -- a", &["a"]),
            ("git checkout HEAD~1 a.go Makefile", &["a.go", "Makefile"]),
            ("git checkout src/a.go", &["src/a.go"]),
            ("git checkout .", &["."]),
            ("git -C sub checkout --ours a.go", &["sub/a.go"]),
            ("git restore -s HEAD~2 a.go", &["a.go"]),
            ("git restore --staged --worktree a.go", &["a.go"]),
            ("git apply fix.patch", &["."]),
            ("patch -p1", &["."]),
        ] {
            assert_eq!(files(command), expected, "{command}");
        }
    }

    #[test]
    fn what_only_looks_changes_nothing() {
        for command in [
            "gofmt -l .",
            "gofmt -d a.go",
            "prettier --check .",
            "prettier a.ts",
            "eslint src",
            "eslint --fix-dry-run src",
            "ruff check .",
            "ruff format --check .",
            "black --check .",
            "isort --check-only a.py",
            "cargo fmt --check",
            "cargo fmt --all -- --check",
            "cargo clippy",
            "cargo test",
            "go test ./...",
            "go vet ./...",
            "rustfmt --check a.rs",
            "terraform fmt -check",
            "pnpm lint",
            "python -m pytest",
            "git checkout main",
            "git checkout feature/a-b",
            "git checkout release/1.2.x",
            "git checkout v1.2.3",
            "git checkout -b a.b",
            "git checkout migrations/1.sql.topic",
            "git restore --staged a.go",
            "git apply --check fix.patch",
            "git diff a.go",
            "patch --dry-run -p1",
            "black --help",
        ] {
            assert_eq!(files(command), Vec::<String>::new(), "{command}");
        }
    }

    #[test]
    fn a_patch_that_is_given_names_its_files() {
        let text = "--- a/x.go\t2026\n+++ b/x.go\n@@ -1 +1 @@\n-a\n+b\n--- /dev/null\n+++ b/y.go\n";
        for (program, words) in [("git", &[("apply", true)][..]), ("patch", &[("-p1", true)])] {
            let files = files_of_call(program, words, Some(text));
            let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
            assert_eq!(paths, ["x.go", "y.go"], "{program}");
        }
    }
}
