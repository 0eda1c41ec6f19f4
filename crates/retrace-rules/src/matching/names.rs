//! Other names of programs, commands and options. docs/RULES.md has the lists.

/// Commands of a program with more than one name. Sources: the helps of npm 11, pnpm 10, bun 1.2, cargo 1.90, composer 2, brew 4, helm 3.
const SAME_COMMANDS: [(&str, &[&str]); 22] = [
    (
        "npm",
        &[
            "install", "i", "in", "ins", "inst", "insta", "instal", "add", "isnt", "isnta", "isntal",
            "isntall",
        ],
    ),
    ("npm", &["ci", "clean-install", "ic", "install-clean", "isntall-clean"]),
    ("npm", &["uninstall", "unlink", "remove", "rm", "r", "un"]),
    ("npm", &["update", "up", "upgrade", "udpate"]),
    ("npm", &["run", "run-script", "rum", "urn"]),
    ("npm", &["test", "t", "tst"]),
    ("npm", &["exec", "x"]),
    ("npm", &["list", "ls", "ll", "la"]),
    ("npm", &["view", "info", "show", "v"]),
    ("pnpm", &["install", "i"]),
    ("pnpm", &["remove", "rm", "uninstall", "un"]),
    ("pnpm", &["update", "up", "upgrade"]),
    ("bun", &["install", "i"]),
    ("bun", &["add", "a"]),
    ("bun", &["remove", "rm"]),
    ("cargo", &["build", "b"]),
    ("cargo", &["test", "t"]),
    ("cargo", &["run", "r"]),
    ("composer", &["install", "i"]),
    ("composer", &["update", "u", "upgrade"]),
    ("brew", &["uninstall", "remove", "rm"]),
    ("helm", &["uninstall", "del", "delete", "un"]),
];

/// Long options of git that are the beginning of another one. Source: the manual pages of git 2.47.
const WHOLE: [&str; 24] = [
    "--all",
    "--color",
    "--date",
    "--decorate",
    "--edit",
    "--exec",
    "--force",
    "--follow",
    "--get",
    "--index",
    "--keep",
    "--merge",
    "--no-merge",
    "--no-verify",
    "--patch",
    "--prune",
    "--push",
    "--rebase",
    "--recurse",
    "--reset",
    "--set-upstream",
    "--staged",
    "--unset",
    "--word-diff",
];

/// Fewest letters of an option that git takes for a longer one, with its dashes: what is shorter may be several.
const SHORTEST: usize = 6;

/// True if two words are names of one command of a program.
pub(super) fn is_same_command(program: &str, one: &str, other: &str) -> bool {
    let of_program = SAME_COMMANDS.iter().filter(|(of, _)| *of == program);
    of_program.into_iter().any(|(_, names)| names.contains(&one) && names.contains(&other))
}

/// True for the beginning of a long option which git takes for it, as of no other: `--no-verif`.
pub(super) fn is_short_for(given: &str, wanted: &str) -> bool {
    given.len() >= SHORTEST
        && given.starts_with("--")
        && given != "--no-"
        && wanted.starts_with(given)
        && !WHOLE.contains(&given)
}

/// The name of a program without a version behind it, of those that are one program in each version: `pip` of `pip3.11`.
pub(super) fn plain(program: &str) -> &str {
    let name = program.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    if name == "pip" { name } else { program }
}
