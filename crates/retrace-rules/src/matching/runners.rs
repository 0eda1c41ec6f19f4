//! Programs that run what a project names: scripts, tasks, targets.
//!
//! `npm run lint`, `pnpm lint` and `make build lint` run the task `lint`, so that each is a call of it. docs/RULES.md has the list.

/// How a program is told which task to run.
struct Runner {
    program: &'static str,
    /// Words before the name of the task.
    run: &'static [&'static str],
    names: Names,
    /// True if every word is a task, not the first one alone.
    all: bool,
    /// A mark between what a task belongs to and its name: `app:lint`.
    mark: Option<char>,
}

/// Whether a task may be named without the word before it.
#[derive(Clone, Copy)]
enum Names {
    /// Only behind it.
    Behind,
    /// Without it, but for these words, which are commands of the program itself.
    But(&'static [&'static str]),
    /// These alone.
    Only(&'static [&'static str]),
}

use Names::{Behind, But, Only};

const fn runner(program: &'static str, run: &'static [&'static str], names: Names) -> Runner {
    Runner { program, run, names, all: false, mark: None }
}

/// One whose words are all tasks.
const fn tasks(program: &'static str, mark: Option<char>) -> Runner {
    Runner { all: true, mark, ..runner(program, &[], But(&[])) }
}

const OF_PNPM: &[&str] = &[
    "add",
    "audit",
    "config",
    "create",
    "deploy",
    "dlx",
    "exec",
    "fetch",
    "i",
    "import",
    "init",
    "install",
    "link",
    "list",
    "login",
    "ls",
    "outdated",
    "pack",
    "patch",
    "prune",
    "publish",
    "rebuild",
    "remove",
    "rm",
    "root",
    "setup",
    "store",
    "un",
    "uninstall",
    "unlink",
    "up",
    "update",
    "version",
    "view",
    "why",
];
const OF_YARN: &[&str] = &[
    "add",
    "audit",
    "cache",
    "config",
    "create",
    "dedupe",
    "dlx",
    "exec",
    "global",
    "info",
    "init",
    "install",
    "link",
    "list",
    "login",
    "node",
    "npm",
    "outdated",
    "pack",
    "patch",
    "plugin",
    "publish",
    "rebuild",
    "remove",
    "set",
    "unlink",
    "up",
    "upgrade",
    "version",
    "why",
    "workspace",
    "workspaces",
];
const OF_BUN: &[&str] = &[
    "add", "build", "create", "i", "init", "install", "link", "outdated", "patch", "pm", "publish", "remove",
    "rm", "test", "unlink", "update", "upgrade", "x",
];
const OF_COMPOSER: &[&str] = &[
    "archive",
    "audit",
    "config",
    "create-project",
    "diagnose",
    "dump-autoload",
    "exec",
    "global",
    "init",
    "install",
    "outdated",
    "remove",
    "require",
    "search",
    "show",
    "update",
    "validate",
    "why",
];
const OF_MISE: &[&str] = &[
    "activate",
    "cache",
    "config",
    "doctor",
    "env",
    "exec",
    "install",
    "ls",
    "outdated",
    "plugins",
    "prune",
    "set",
    "settings",
    "tasks",
    "trust",
    "uninstall",
    "upgrade",
    "use",
    "watch",
    "where",
    "which",
    "x",
];

/// Sources: the helps of npm 11, pnpm 10, yarn 4, bun 1.2, deno 2, mise 2026, turbo 2, nx 21, GNU make 4, gradle 8 and the others.
const RUNNERS: [Runner; 30] = [
    runner(
        "npm",
        &["run", "run-script", "rum", "urn"],
        Only(&["test", "t", "tst", "start", "stop", "restart"]),
    ),
    runner("pnpm", &["run", "run-script"], But(OF_PNPM)),
    runner("yarn", &["run"], But(OF_YARN)),
    runner("bun", &["run"], But(OF_BUN)),
    runner("deno", &["task"], Behind),
    runner("mise", &["run", "r"], But(OF_MISE)),
    runner("composer", &["run", "run-script"], But(OF_COMPOSER)),
    Runner { mark: Some(':'), ..runner("hatch", &["run"], Behind) },
    runner("pdm", &["run"], Behind),
    runner("rye", &["run"], Behind),
    runner("uv", &["run"], Behind),
    runner("poetry", &["run"], Behind),
    runner("pipenv", &["run"], Behind),
    runner("devbox", &["run"], Behind),
    runner("lerna", &["run"], Behind),
    runner("rush", &[], But(&["install", "update", "add", "publish"])),
    Runner {
        mark: Some(':'),
        ..runner("nx", &["run"], But(&["add", "generate", "g", "import", "migrate", "reset"]))
    },
    Runner { mark: Some(':'), all: true, ..runner("moon", &["run"], Behind) },
    Runner {
        mark: Some('#'),
        all: true,
        ..runner("turbo", &["run"], But(&["login", "link", "prune", "query"]))
    },
    tasks("npm-run-all", None),
    tasks("run-s", None),
    tasks("run-p", None),
    tasks("make", None),
    tasks("gmake", None),
    tasks("ninja", None),
    tasks("rake", None),
    tasks("task", None),
    tasks("gradle", Some(':')),
    tasks("gradlew", Some(':')),
    tasks("mvn", None),
];

/// Programs whose words are texts or files, so that none of them is a task or a subcommand.
const WITHOUT_TASKS: [&str; 85] = [
    "[", "ag", "alias", "awk", "bat", "basename", "builtin", "cat", "cd", "chmod", "chown", "code",
    "command", "cp", "cut", "diff", "dirname", "du", "echo", "egrep", "export", "fd", "fgrep", "file",
    "find", "gawk", "grep", "hash", "head", "jq", "kill", "killall", "less", "ln", "ls", "man", "mkdir",
    "more", "mv", "nano", "open", "pgrep", "pkill", "popd", "printf", "pushd", "read", "readlink",
    "realpath", "rg", "rm", "rmdir", "sed", "sort", "stat", "tail", "tee", "test", "touch", "tree", "type",
    "unset", "vi", "vim", "wc", "which", ".", "source", "bash", "curl", "gzip", "gunzip", "perl", "php",
    "pytest", "python", "python3", "ruby", "scp", "sh", "ssh", "tar", "unzip", "zip", "zsh",
];

/// Programs that change nothing but the shell, look at files, or end processes: none has an option that a rule is about, so that a
/// word which only the shell knows is no option.
const DOING_NOTHING: [&str; 56] = [
    "[", "alias", "basename", "builtin", "cat", "cd", "cmp", "command", "cut", "date", "df", "diff",
    "dirname", "du", "echo", "egrep", "exit", "export", "false", "fgrep", "file", "grep", "hash", "head",
    "jq", "kill", "killall", "less", "ls", "mkdir", "more", "pgrep", "pkill", "popd", "printf", "ps",
    "pushd", "pwd", "read", "readlink", "realpath", "return", "rg", "seq", "shift", "sleep", "stat", "tail",
    "test", "touch", "tr", "true", "type", "unset", "wc", "which",
];

/// True for a program of which a word that only the shell knows is no option that a rule is about.
pub(super) fn does_nothing(program: &str) -> bool {
    DOING_NOTHING.contains(&program)
}

/// Programs that only put out their words.
const PUTTING_OUT: [&str; 2] = ["echo", "printf"];

/// True if a call of a program may be one that a pattern of any program means: a word of the pattern is a task or a subcommand there,
/// and an option is the program's.
pub(super) fn may_be_meant(program: &str, arguments: &[String]) -> bool {
    let names_task = arguments.iter().any(|word| !word.starts_with('-') && word != "*");
    let others: &[&str] = match (names_task, arguments.is_empty()) {
        (true, _) => &WITHOUT_TASKS,
        (false, false) => &PUTTING_OUT,
        (false, true) => &[],
    };
    !others.contains(&program)
}

/// A word of a call, and whether it is known.
type Word<'c> = (&'c str, bool);

/// The tasks that a call runs, each with the words behind it; none where it runs no task.
pub(super) fn tasks_of<'c>(program: &str, words: &[Word<'c>]) -> Vec<Vec<Word<'c>>> {
    let Some(runner) = of(program) else { return Vec::new() };
    let words = match (program, words) {
        // Of one package, or of each.
        ("yarn", [("workspace", _), _, rest @ ..] | [("workspaces", _), ("foreach", _), rest @ ..]) => rest,
        _ => words,
    };
    let Some((first, rest)) = words.split_first() else { return Vec::new() };
    let is_behind = runner.run.contains(&first.0);
    let tasks = if is_behind { rest } else { words };
    let Some((task, _)) = tasks.first() else { return Vec::new() };
    let is_task = is_behind || runner.stands_alone(task);
    let name = |word: &'c str| match word {
        "t" | "tst" if program == "npm" => "test",
        word => runner.mark.and_then(|mark| word.rsplit(mark).next()).unwrap_or(word),
    };
    let way = |at: usize| {
        let ((task, known), behind) = (tasks[at], &tasks[at + 1..]);
        std::iter::once((name(task), known)).chain(behind.iter().copied()).collect()
    };
    let last = if runner.all { tasks.len() } else { 1 };
    if is_task { (0..last).map(way).collect() } else { Vec::new() }
}

/// The task that a pattern names, without the word before it: `lint` of `run lint`. With `named`, the pattern names this program; what
/// is a command of the program itself is no script of that name then.
pub(super) fn wanted_task<'w, 'p>(
    program: &str,
    wanted: &'w [&'p str],
    named: bool,
) -> Option<&'w [&'p str]> {
    let runner = of(program)?;
    match wanted {
        [first, rest @ ..] if !rest.is_empty() && runner.run.contains(first) => Some(rest),
        [first, ..] if !named || runner.stands_alone(first) => Some(wanted),
        _ => None,
    }
}

impl Runner {
    /// True for a task that may be named without a word before it.
    fn stands_alone(&self, task: &str) -> bool {
        match self.names {
            Behind => false,
            But(own) => !own.contains(&task),
            Only(these) => these.contains(&task),
        }
    }
}

/// True for the word of a program behind which a task stands.
pub(super) fn is_run(program: &str, word: &str) -> bool {
    of(program).is_some_and(|runner| runner.run.contains(&word))
}

/// True if a program of this name is what a runner starts that is given it alone, or behind its word: `tsc` of `pnpm tsc`. A script of that
/// name is started before it.
pub(crate) fn starts(runner: &str, name: &str) -> bool {
    let is_name = !name.is_empty()
        && name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '@')
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_@".contains(letter));
    ["pnpm", "yarn", "bun"].contains(&runner) && is_name && of(runner).is_some_and(|of| of.stands_alone(name))
}

fn of(program: &str) -> Option<&'static Runner> {
    RUNNERS.iter().find(|runner| runner.program == program)
}
