//! Programs that start another program, and which of their words are that program's.

use super::Argument;

/// How a program that starts another one is called.
pub(super) struct Starter {
    pub(super) program: &'static str,
    /// Words that must stand before what it starts, such as `exec` of `npm exec`; none where the program alone starts it.
    subcommands: &'static [&'static str],
    /// Options that take the next word as their value.
    with_value: &'static [&'static str],
    /// Words without a dash before the program, such as the duration of `timeout`.
    operands: usize,
    /// True if assignments may stand before the program.
    assignments: bool,
    /// True if the program stands behind `--` where there is one.
    behind_dashes: bool,
    /// True if a version may stand before the program: `nvm exec 18 npm`.
    version: bool,
}

const fn starter(
    program: &'static str,
    subcommands: &'static [&'static str],
    with_value: &'static [&'static str],
) -> Starter {
    Starter {
        program,
        subcommands,
        with_value,
        operands: 0,
        assignments: false,
        behind_dashes: false,
        version: false,
    }
}

/// One whose program stands behind `--`.
const fn behind(
    program: &'static str,
    subcommands: &'static [&'static str],
    with_value: &'static [&'static str],
) -> Starter {
    Starter { behind_dashes: true, ..starter(program, subcommands, with_value) }
}

/// One with words before the program.
const fn after(
    operands: usize,
    program: &'static str,
    subcommands: &'static [&'static str],
    with_value: &'static [&'static str],
) -> Starter {
    Starter { operands, ..starter(program, subcommands, with_value) }
}

const OF_SUDO: &[&str] = &[
    "-u",
    "--user",
    "-g",
    "--group",
    "-h",
    "--host",
    "-p",
    "--prompt",
    "-C",
    "--close-from",
    "-D",
    "--chdir",
    "-R",
    "--chroot",
    "-T",
    "--command-timeout",
    "-U",
    "--other-user",
    "-r",
    "--role",
    "-t",
    "--type",
];

const OF_ENV: &[&str] = &["-u", "-C", "--unset", "--chdir", "-a", "--argv0"];

const OF_XARGS: &[&str] = &[
    "-I",
    "-n",
    "--max-args",
    "-P",
    "--max-procs",
    "-d",
    "--delimiter",
    "-L",
    "--max-lines",
    "-a",
    "--arg-file",
    "-E",
    "-s",
    "--max-chars",
    "--process-slot-var",
];

const OF_PARALLEL: &[&str] = &[
    "-j",
    "--jobs",
    "-I",
    "-n",
    "--max-args",
    "-N",
    "-a",
    "--arg-file",
    "--joblog",
    "--timeout",
    "-d",
    "--delimiter",
    "-L",
    "--max-lines",
    "--retries",
    "--delay",
    "--colsep",
    "-C",
    "-S",
    "--sshlogin",
    "--results",
    "--halt",
    "--workdir",
    "--tmpdir",
    "--load",
    "--memfree",
];

const OF_UV: &[&str] = &[
    "--with",
    "--python",
    "-p",
    "--group",
    "--extra",
    "--project",
    "--directory",
    "--package",
    "--env-file",
    "--with-requirements",
    "--index",
    "--index-url",
    "--only-group",
];

const OF_CONTAINERS: &[&str] = &[
    "--config",
    "--context",
    "-H",
    "--host",
    "-a",
    "--attach",
    "--add-host",
    "-c",
    "--cap-add",
    "--cap-drop",
    "--cidfile",
    "--cpus",
    "--device",
    "--dns",
    "-e",
    "--env",
    "--entrypoint",
    "--env-file",
    "--expose",
    "-f",
    "--file",
    "--gpus",
    "--group-add",
    "-h",
    "--hostname",
    "--index",
    "--ipc",
    "-l",
    "--label",
    "--log-driver",
    "--log-opt",
    "-m",
    "--memory",
    "--mount",
    "--name",
    "--network",
    "--net",
    "-p",
    "--profile",
    "--project-name",
    "--project-directory",
    "--platform",
    "--publish",
    "--pull",
    "--restart",
    "--runtime",
    "--security-opt",
    "--shm-size",
    "--stop-signal",
    "--tmpfs",
    "-u",
    "--user",
    "--ulimit",
    "-v",
    "--volume",
    "--volumes-from",
    "-w",
    "--workdir",
];

const OF_KUBECTL: &[&str] =
    &["-n", "--namespace", "-c", "--container", "-f", "--filename", "--context", "--kubeconfig", "--cluster"];

const OF_SSH: &[&str] = &[
    "-B", "-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-m", "-O", "-o", "-P", "-p",
    "-Q", "-R", "-S", "-W", "-w",
];

/// Programs that start others elsewhere: in a container, on another machine. The files of these are none of here.
pub(super) const ELSEWHERE: [&str; 8] =
    ["docker", "docker-compose", "podman", "nerdctl", "kubectl", "oc", "ssh", "heroku"];

/// Programs that hand their words to a shell.
pub(super) const TO_A_SHELL: [&str; 3] = ["watch", "parallel", "nodemon"];

/// Programs that start the program named by their next words. Sources: their manual pages and helps.
pub(super) const STARTERS: [Starter; 117] = [
    after(1, "docker", &["run"], OF_CONTAINERS),
    after(1, "docker", &["exec"], OF_CONTAINERS),
    after(1, "docker", &["container", "run"], OF_CONTAINERS),
    after(1, "docker", &["container", "exec"], OF_CONTAINERS),
    after(1, "docker", &["compose", "run"], OF_CONTAINERS),
    after(1, "docker", &["compose", "exec"], OF_CONTAINERS),
    after(1, "docker-compose", &["run"], OF_CONTAINERS),
    after(1, "docker-compose", &["exec"], OF_CONTAINERS),
    after(1, "podman", &["run"], OF_CONTAINERS),
    after(1, "podman", &["exec"], OF_CONTAINERS),
    after(1, "nerdctl", &["run"], OF_CONTAINERS),
    after(1, "nerdctl", &["exec"], OF_CONTAINERS),
    Starter { behind_dashes: true, ..after(1, "kubectl", &["exec"], OF_KUBECTL) },
    Starter { behind_dashes: true, ..after(1, "oc", &["exec"], OF_KUBECTL) },
    after(1, "ssh", &[], OF_SSH),
    behind("lerna", &["exec"], &["--scope", "--ignore", "--concurrency", "--since"]),
    starter("foreman", &["run"], &["-e", "--env", "-f", "--procfile", "-d", "--root"]),
    behind("heroku", &["run"], &["-a", "--app", "-r", "--remote", "-s", "--size", "-e", "--env", "--type"]),
    Starter {
        behind_dashes: true,
        ..after(1, "aws-vault", &["exec"], &["-d", "--duration", "--region", "-t"])
    },
    Starter {
        behind_dashes: true,
        ..after(1, "chamber", &["exec"], &["-b", "--backend", "-r", "--retries"])
    },
    after(1, "envchain", &[], &[]),
    behind("nx", &["exec"], &["-p", "--projects", "--exclude"]),
    Starter { assignments: true, ..starter("sudo", &[], OF_SUDO) },
    Starter { assignments: true, ..starter("doas", &[], &["-u", "-C"]) },
    Starter { assignments: true, ..starter("env", &[], OF_ENV) },
    starter("command", &[], &[]),
    starter("builtin", &[], &[]),
    starter("exec", &[], &["-a"]),
    starter("time", &[], &["-f", "--format", "-o", "--output"]),
    starter("nohup", &[], &[]),
    starter("nice", &[], &["-n", "--adjustment"]),
    starter("ionice", &[], &["-c", "--class", "-n", "--classdata"]),
    starter("setsid", &[], &[]),
    starter("stdbuf", &[], &["-i", "--input", "-o", "--output", "-e", "--error"]),
    after(1, "timeout", &[], &["-s", "-k", "--signal", "--kill-after"]),
    after(1, "gtimeout", &[], &["-s", "-k", "--signal", "--kill-after"]),
    starter("xargs", &[], OF_XARGS),
    starter("watch", &[], &["-n", "--interval", "-q", "--equexit", "-s", "--shotsdir"]),
    starter("parallel", &[], OF_PARALLEL),
    after(1, "flock", &[], &["-w", "--wait", "--timeout", "-E", "--conflict-exit-code"]),
    after(1, "chroot", &[], &[]),
    starter("unshare", &[], &["-R", "-w", "--root", "--wd", "-S", "--setuid", "-G", "--setgid"]),
    after(1, "taskset", &[], &[]),
    after(1, "chrt", &[], &["-T", "-P", "-D"]),
    starter(
        "systemd-run",
        &[],
        &[
            "-p",
            "-u",
            "--unit",
            "--property",
            "-E",
            "--setenv",
            "-M",
            "--machine",
            "--slice",
            "--description",
        ],
    ),
    starter("xvfb-run", &[], &["-n", "-s", "-e", "--server-num", "--server-args", "--error-file"]),
    starter("fakeroot", &[], &[]),
    starter("entr", &[], &[]),
    starter("corepack", &[], &[]),
    Starter { assignments: true, ..starter("cross-env", &[], &[]) },
    starter("unbuffer", &[], &[]),
    starter("chronic", &[], &[]),
    starter("caffeinate", &[], &["-t", "-w"]),
    starter("rtk", &["proxy"], &[]),
    starter("rtk", &[], &[]),
    starter("npx", &[], &["-p", "--package", "-w", "--workspace"]),
    starter("bunx", &[], &["-p", "--package"]),
    starter("pnpx", &[], &[]),
    starter("uvx", &[], &["--from", "--with", "-p", "--python"]),
    starter("pipx", &["run"], &["--spec"]),
    starter("npm", &["exec"], &["-p", "--package", "-w", "--workspace", "--prefix"]),
    starter("npm", &["x"], &["-p", "--package", "-w", "--workspace", "--prefix"]),
    starter("pnpm", &["exec"], &["-C", "--dir", "-F", "--filter"]),
    starter("pnpm", &["dlx"], &["--package"]),
    starter("yarn", &["exec"], &[]),
    starter("yarn", &["dlx"], &["-p", "--package"]),
    starter("bun", &["x"], &[]),
    starter("uv", &["run"], OF_UV),
    starter("uv", &["tool", "run"], &["--with", "--python", "-p", "--from"]),
    starter("poetry", &["run"], &["-C", "--directory", "-P", "--project"]),
    starter("pipenv", &["run"], &[]),
    starter("pdm", &["run"], &["-p", "--project"]),
    starter("hatch", &["run"], &["-e", "--env"]),
    starter("rye", &["run"], &[]),
    starter("bundle", &["exec"], &[]),
    behind("mise", &["exec"], &["-C", "--cd", "-j", "--jobs", "-E", "--env"]),
    behind("mise", &["x"], &["-C", "--cd", "-j", "--jobs", "-E", "--env"]),
    after(1, "direnv", &["exec"], &[]),
    starter("git", &["bisect", "run"], &["-C", "-c"]),
    starter("strace", &[], &["-o", "-e", "-p", "-s", "-u", "-E", "-P", "-a", "-O", "-S"]),
    starter("ltrace", &[], &["-o", "-e", "-p", "-s", "-u", "-a", "-l", "-n", "-x"]),
    starter("volta", &["run"], &["--node", "--npm", "--pnpm", "--yarn"]),
    starter("asdf", &["exec"], &[]),
    Starter { version: true, ..starter("nvm", &["exec"], &[]) },
    behind("fnm", &["exec"], &["--using"]),
    behind("dotenv", &["run"], &["-f", "--file"]),
    behind("dotenv", &[], &["-e", "-f", "-v", "-c", "-p"]),
    behind("dotenvx", &["run"], &["-f", "--env-file", "-e", "--env", "-fk", "--env-keys-file"]),
    behind("doppler", &["run"], &["-p", "--project", "-c", "--config", "-t", "--token", "--scope"]),
    behind("op", &["run"], &["--env-file", "--account"]),
    behind("infisical", &["run"], &["--env", "--path", "--projectId", "--token"]),
    behind("devbox", &["run"], &["-c", "--config", "-e", "--env", "--env-file"]),
    starter("runuser", &[], &["-u", "--user", "-g", "--group", "-G", "--supp-group", "-s", "--shell", "-w"]),
    after(1, "gosu", &[], &[]),
    after(1, "su-exec", &[], &[]),
    starter("setpriv", &[], &["--reuid", "--regid", "--groups", "--bounding-set"]),
    starter("busybox", &[], &[]),
    starter("arch", &[], &["-d", "-e"]),
    starter(
        "perf",
        &["stat"],
        &["-e", "-o", "-p", "-t", "-C", "-r", "-I", "-x", "--event", "--output", "--repeat"],
    ),
    starter(
        "perf",
        &["record"],
        &["-e", "-o", "-p", "-t", "-C", "-F", "-c", "--event", "--output", "--freq", "--call-graph"],
    ),
    starter("proxychains", &[], &["-f"]),
    starter("proxychains4", &[], &["-f"]),
    starter("torsocks", &[], &["-u", "-p", "-a", "-P"]),
    starter("torify", &[], &[]),
    starter("dbus-run-session", &[], &["--config-file", "--dbus-daemon"]),
    starter("prlimit", &[], &["-p", "--pid", "-o", "--output"]),
    starter("numactl", &[], &["-N", "-m", "-C", "-i", "-p", "--cpunodebind", "--membind", "--physcpubind"]),
    starter("firejail", &[], &[]),
    starter("cpulimit", &[], &["-l", "--limit", "-p", "--pid", "-e", "--exe", "-P", "--path"]),
    starter("rlwrap", &[], &["-f", "-H", "-s", "-b", "-C", "-D", "-p", "-P", "-q", "-S", "-t"]),
    after(1, "faketime", &[], &[]),
    starter("daemonize", &[], &["-c", "-e", "-o", "-p", "-l", "-u", "-E"]),
    starter("screen", &[], &["-S", "-c", "-t", "-s", "-p", "-X", "-r", "-x", "-e", "-h", "-T"]),
    starter("catchsegv", &[], &[]),
    starter("valgrind", &[], &[]),
    starter("winpty", &[], &[]),
    starter("with-contenv", &[], &[]),
];

impl Starter {
    /// The index of the program that is started; `None` if none is.
    pub(super) fn starts_at(&self, words: &[Argument]) -> Option<usize> {
        let (mut subcommands, mut operands) = (self.subcommands.iter(), self.operands);
        let mut wanted = subcommands.next();
        let mut may_be_version = self.version;
        let mut at = 1;
        while let Some(word) = words.get(at) {
            let text = word.text.as_str();
            if wanted.is_none()
                && self.behind_dashes
                && let Some(dashes) = words[at..].iter().position(|word| word.text == "--")
            {
                at += dashes + 1;
                break;
            }
            if text == "--" && wanted.is_none() {
                at += 1;
                break;
            }
            if is_option(text) {
                at += if self.takes_next(text) { 2 } else { 1 };
            } else if let Some(subcommand) = wanted {
                if text != *subcommand {
                    return None;
                }
                wanted = subcommands.next();
                at += 1;
            } else if self.assignments && is_assignment(text)
                || std::mem::take(&mut may_be_version) && is_version(text)
            {
                at += 1;
            } else if operands > 0 {
                operands -= 1;
                at += 1;
            } else {
                break;
            }
        }
        (wanted.is_none() && at < words.len()).then_some(at)
    }

    /// True for an option that takes the next word: itself, or the last of several letters behind one dash.
    fn takes_next(&self, option: &str) -> bool {
        takes_next(self.with_value, option)
    }
}

/// True for an option that takes the next word: one of `with_value`, or several letters behind one dash whose last one does.
pub(super) fn takes_next(with_value: &[&str], option: &str) -> bool {
    if with_value.contains(&option) {
        return true;
    }
    let Some(letters) = option.strip_prefix('-').filter(|letters| !letters.starts_with('-')) else {
        return false;
    };
    // A letter that takes a value takes what stands behind it, if anything does.
    let takes = |letter: char| with_value.contains(&format!("-{letter}").as_str());
    letters
        .char_indices()
        .find(|(_, letter)| takes(*letter))
        .is_some_and(|(at, letter)| at + letter.len_utf8() == letters.len())
}

pub(super) fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    })
}

fn is_version(word: &str) -> bool {
    let number = word.strip_prefix('v').unwrap_or(word);
    number.starts_with(|first: char| first.is_ascii_digit())
        || word.starts_with("lts/")
        || ["node", "stable", "default", "system", "iojs"].contains(&word)
}

/// The command that a program takes as one word, or as all words behind an option: of `npx -c`, `env -S`, `nix develop -c`.
pub(super) enum Handed {
    /// A text that a shell reads.
    Text(String),
    /// A program with its arguments.
    Words(Vec<Argument>),
}

/// What a program hands over by an option; none where it is called in another way.
pub(super) fn handed(program: &str, arguments: &[Argument]) -> Vec<Handed> {
    let texts = |options: &[&str]| -> Vec<Handed> {
        values_of(arguments, options).into_iter().map(Handed::Text).collect()
    };
    match program {
        "npx" => of_npx(arguments),
        "npm" => match arguments.split_first() {
            Some((first, rest)) if ["exec", "x"].contains(&first.text.as_str()) => of_npx(rest),
            _ => Vec::new(),
        },
        "env" => of_env(arguments),
        "python" | "python3" | "py" => of_python(arguments),
        program if program.starts_with("python3.") => of_python(arguments),
        "git" if arguments.iter().any(|word| word.text == "rebase") => texts(&["-x", "--exec"]),
        // Behind the file.
        "flock" => texts(&["-c", "--command"]),
        "doppler" | "mise" => {
            // Behind `--` stands a program with options of its own.
            let end = arguments.iter().position(|word| word.text == "--").unwrap_or(arguments.len());
            let options: &[&str] = if program == "mise" { &["-c", "--command"] } else { &["--command"] };
            values_of(&arguments[..end], options).into_iter().map(Handed::Text).collect()
        }
        "nix-shell" => texts(&["--run", "--command"]),
        "nodemon" => texts(&["--exec", "-x"]),
        "hyperfine" => {
            let mut all = operands(
                arguments,
                &[
                    "-w",
                    "--warmup",
                    "-r",
                    "--runs",
                    "-m",
                    "--min-runs",
                    "-M",
                    "--max-runs",
                    "-P",
                    "-D",
                    "-L",
                    "-S",
                    "--shell",
                    "-u",
                    "-n",
                    "--command-name",
                    "--export-json",
                    "--export-markdown",
                    "--export-csv",
                    "--style",
                    "-p",
                    "--prepare",
                    "-s",
                    "--setup",
                    "-c",
                    "--cleanup",
                ],
            );
            all.extend(values_of(arguments, &["-p", "--prepare", "-s", "--setup", "-c", "--cleanup"]));
            all.into_iter().map(Handed::Text).collect()
        }
        "concurrently" | "conc" => {
            let all = operands(
                arguments,
                &[
                    "-n",
                    "--names",
                    "-c",
                    "--prefix-colors",
                    "-p",
                    "--prefix",
                    "-l",
                    "--prefix-length",
                    "-m",
                    "--max-processes",
                    "-s",
                    "--success",
                    "--restart-tries",
                    "--restart-after",
                    "--kill-signal",
                    "--hide",
                    "--name-separator",
                    "-t",
                    "--timestamp-format",
                    "--default-input-target",
                ],
            );
            all.into_iter().map(|text| Handed::Text(of_shorthand(text))).collect()
        }
        "tmux" => of_tmux(arguments),
        "nix" => behind_option(arguments, &["-c", "--command"]),
        "gdb" => behind_option(arguments, &["--args", "-args"]),
        "start-stop-daemon" => {
            let rest = arguments.iter().skip_while(|word| word.text != "--").skip(1);
            let start = values_of(arguments, &["--exec", "-x", "--startas", "-a"]).into_iter().next();
            let start = start.map(|text| Argument { text, known: true, quoted: false });
            start
                .map(|start| Handed::Words(std::iter::once(start).chain(rest.cloned()).collect()))
                .into_iter()
                .collect()
        }
        "pwsh" | "powershell" => {
            let at = arguments.iter().position(|word| {
                let lower = word.text.to_lowercase();
                ["-c", "-command", "/c", "/command"].contains(&lower.as_str())
            });
            at.map(|at| Handed::Text(joined(&arguments[at + 1..]))).into_iter().collect()
        }
        "cmd" => {
            let at = arguments
                .iter()
                .position(|word| ["/c", "/k", "//c", "//k"].contains(&word.text.to_lowercase().as_str()));
            at.map(|at| Handed::Text(joined(&arguments[at + 1..]))).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// The module that Python runs as a program, among the options before any other word: `python -m pip install`.
fn of_python(arguments: &[Argument]) -> Vec<Handed> {
    let mut at = 0;
    while let Some(word) = arguments.get(at).filter(|word| is_option(&word.text)) {
        let is_cluster = !word.text.starts_with("--");
        if is_cluster && word.text.ends_with('c') {
            break;
        }
        if is_cluster && word.text.ends_with('m') {
            let module = arguments.get(at + 1..).unwrap_or_default();
            return if module.is_empty() { Vec::new() } else { vec![Handed::Words(module.to_vec())] };
        }
        at += if takes_next(&["-W", "-X"], &word.text) { 2 } else { 1 };
    }
    Vec::new()
}

fn behind_option(arguments: &[Argument], options: &[&str]) -> Vec<Handed> {
    let at = arguments.iter().position(|word| options.contains(&word.text.as_str()));
    at.map(|at| Handed::Words(arguments[at + 1..].to_vec())).into_iter().collect()
}

/// Values of options, in the next word or behind `=`.
fn values_of(arguments: &[Argument], options: &[&str]) -> Vec<String> {
    let of = |(at, word): (usize, &Argument)| {
        if options.contains(&word.text.as_str()) {
            return arguments.get(at + 1).map(|value| value.text.clone());
        }
        let (option, value) = word.text.split_once('=')?;
        (option.starts_with("--") && options.contains(&option)).then(|| value.to_owned())
    };
    arguments.iter().enumerate().filter_map(of).collect()
}

/// `npx -c 'npm ci'`: up to the first word that is no option, for what stands behind it is another program's.
fn of_npx(arguments: &[Argument]) -> Vec<Handed> {
    let values = ["-p", "--package", "-w", "--workspace", "--prefix"];
    let mut at = 0;
    while let Some(word) = arguments.get(at).filter(|word| is_option(&word.text)) {
        if ["-c", "--call"].contains(&word.text.as_str()) {
            return arguments.get(at + 1).map(|text| Handed::Text(text.text.clone())).into_iter().collect();
        }
        at += if takes_next(&values, &word.text) { 2 } else { 1 };
    }
    Vec::new()
}

/// `env -S 'npm ci'`, also behind other letters, with the text at once, and with more words behind it.
fn of_env(arguments: &[Argument]) -> Vec<Handed> {
    let mut at = 0;
    while let Some(word) = arguments.get(at).filter(|word| is_option(&word.text)) {
        let text = word.text.as_str();
        let is_short = !text.starts_with("--");
        let value = match text.strip_prefix("--split-string") {
            Some("") => Some(""),
            Some(rest) => rest.strip_prefix('='),
            None if is_short => {
                let before = |behind: &str| text.len() - behind.len() - 1;
                let behind = text.split_once('S').map(|(_, behind)| behind);
                behind.filter(|behind| !text[..before(behind)].contains(['u', 'C', 'a']))
            }
            None => None,
        };
        match value {
            Some("") => return vec![Handed::Text(joined(&arguments[at + 1..]))],
            Some(value) => {
                let rest = joined(&arguments[at + 1..]);
                return vec![Handed::Text(format!("{value} {rest}").trim().to_owned())];
            }
            None => at += if takes_next(OF_ENV, text) { 2 } else { 1 },
        }
    }
    Vec::new()
}

/// The commands that tmux starts in a window of its own.
fn of_tmux(arguments: &[Argument]) -> Vec<Handed> {
    const OPENING: [&str; 9] = [
        "new-session",
        "new",
        "new-window",
        "neww",
        "split-window",
        "splitw",
        "respawn-pane",
        "respawnp",
        "run-shell",
    ];
    let Some(at) = arguments.iter().position(|word| OPENING.contains(&word.text.as_str())) else {
        return Vec::new();
    };
    let values = ["-s", "-n", "-t", "-c", "-x", "-y", "-e", "-F", "-l", "-f"];
    let command = operands(&arguments[at + 1..], &values).join(" ");
    if command.is_empty() { Vec::new() } else { vec![Handed::Text(command)] }
}

/// `npm:dev` of concurrently is `npm run dev`.
fn of_shorthand(text: String) -> String {
    match text.split_once(':') {
        Some((program @ ("npm" | "pnpm" | "yarn" | "bun"), script)) if !script.starts_with(' ') => {
            format!("{program} run {script}")
        }
        _ => text,
    }
}

/// Words that are no options and no values of these.
fn operands(arguments: &[Argument], with_value: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        if word.text == "--" {
            found.extend(arguments[at + 1..].iter().map(|word| word.text.clone()));
            break;
        }
        if is_option(&word.text) {
            at += usize::from(takes_next(with_value, &word.text));
        } else {
            found.push(word.text.clone());
        }
        at += 1;
    }
    found
}

pub(super) fn joined(arguments: &[Argument]) -> String {
    arguments.iter().map(|argument| argument.text.as_str()).collect::<Vec<_>>().join(" ")
}
