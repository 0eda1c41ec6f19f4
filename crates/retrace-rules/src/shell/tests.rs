use super::*;
use proptest::prelude::*;

fn programs(command: &str) -> Vec<String> {
    calls(command).calls.into_iter().map(|call| call.program).collect()
}

#[test]
fn calls_of_a_program_are_found_where_the_shell_would_make_them() {
    for command in [
        "npm ci",
        "cd x && npm ci",
        "CI=1 npm test",
        "sh -c 'npm ls'",
        "bash -lc \"npm ci\"",
        "/usr/bin/npm install",
        "sudo -u me npm i",
        "env A=b npm ci",
        "env -S 'npm ci'",
        "timeout 20 npm test",
        "xargs -n 1 npm view < names",
        "ls | xargs npm view",
        "echo $(npm bin)",
        "echo \"in `npm bin`\"",
        "(cd a; npm ci)",
        "{ npm ci; }",
        "if true; then npm ci; fi",
        "for d in a b; do (cd $d && npm ci); done",
        "while read l; do npm view $l; done < f",
        "case $x in a) npm ci;; esac",
        "build() { npm ci; }; build",
        "NPM=npm; $NPM ci",
        "X='npm ci'; $X",
        "npx npm ci",
        "pnpm exec npm ci",
        "npx -c 'npm ci'",
        "eval \"npm ci\"",
        "find . -name package.json -execdir npm ci \\;",
        "bash <<'EOF'\nnpm ci\nEOF",
        "bash <<< 'npm ci'",
        "cat <(npm ls)",
        "npm ci || true",
        "! npm ci",
        "time npm ci",
        "npm ci &",
        "cat > f <<EOF\n$(npm bin)\nEOF",
        "trap 'npm ci' EXIT",
        "git bisect run npm test",
        "echo a # b\nnpm ci",
        "\\npm ci",
        "'npm' ci",
        "n\"p\"m ci",
        "for p in npm yarn; do $p ci; done",
        "select x in a; do npm ls; done </dev/null",
        "cd x && select x; do npm ls; break; done",
        "git submodule foreach 'npm ci'",
        "nohup npm start > log 2>&1 &",
        "echo 'npm ci' | sh",
        "echo 'npm ci' | (sh)",
        "echo 'npm ci' | { sh; }",
        "echo 'npm ci' | { cd x && sh; }",
        "echo 'npm ci' | if true; then sh; fi",
        "echo 'npm ci' | if true; then ls; else sh; fi",
        "echo 'npm ci' | { cat | sh; }",
        "f() { sh; }; echo 'npm ci' | f",
        "echo 'npm ci' | eval sh",
        "echo 'npm ci' | sh -c sh",
        "{ sh; } <<< 'npm ci'",
        "echo 'npm ci' | xargs -I{} sh -c {}",
        "echo 'npm ci' | xargs -I{} sh -c '{}'",
        "printf 'ls\\nnpm ci\\n' | xargs -I CMD bash -c CMD",
        "echo ci | xargs -i sh -c 'npm {}'",
        "x=\"$(case a in a) npm ci;; esac)\"",
        "echo \"a $(case $(uname) in Darwin) ls;; *) npm root;; esac) b\"",
        "echo \"$(case a in a) echo $(npm bin);; esac)\"",
        "cat <<EOF\n$(case a in a) npm ci;; esac)\nEOF",
        "echo -e 'cd x\\nnpm ci' | sudo bash",
        "printf 'npm ci\\n' | bash -s",
        "printf '%s\\n' 'npm ci' | sh",
        "cat <<'EOF' | bash\nnpm ci\nEOF",
        "cat <<E | tee log | sh\nnpm ci\nE",
        "~/bin/npm ci",
        "\"$HOME/bin/npm\" ci",
        "watch 'npm t'",
        "watch -n 2 npm t",
        "flock /tmp/l npm ci",
        "flock -w 5 /tmp/l -c 'npm ci'",
        "chroot /x npm ci",
        "unshare -n npm ci",
        "systemd-run --user npm ci",
        "parallel npm i ::: a b",
        "parallel 'cd {}; npm ci' ::: a b",
        "ls *.js | entr -r npm t",
        "export P=npm; $P ci",
        "declare -x P='npm ci'; $P",
        "sudo -Eu node npm ci",
        "sudo -iu node npm ci",
        "sudo --user node npm ci",
        "env -iu FOO npm ci",
        "env --split-string='npm ci'",
        "env -S\"npm ci\"",
        "env -S 'npm' ci",
        "nice --adjustment 5 npm ci",
        "cat list | xargs --max-args 1 npm i",
        "cat list | xargs --max-procs 4 npm i",
        "cat list | xargs --delimiter '\\n' npm i",
        "bash -ce 'npm ls'",
        "bash -cx 'npm ls'",
        "bash -euo pipefail -c 'npm ls'",
        "bash -o pipefail -c 'npm ls'",
        "bash --rcfile x -c 'npm ls'",
        "bash -s -- arg <<'EOF'\nnpm ci\nEOF",
        "bash - <<'EOF'\nnpm ci\nEOF",
        "if [[ -n \"$(npm ls)\" ]]; then echo x; fi",
        "[[ $(npm -v) == 9* ]] && echo y",
        "[[ a == b || ( -n $x && ! -f $(npm root) ) ]]",
        "(( $(npm ls | wc -l) > 3 )) && echo many",
        "echo $(( $(npm ls | wc -l) + 1 ))",
        "x=$(( `npm ls | wc -l` ))",
        "for ((i=$(npm ls | wc -l); i<3; i++)); do true; done",
        "echo ${X:-$(npm root)}",
        ": \"${X:=$(npm root -g)}\"",
        "echo ${X#$(npm root)} ${Y/a/$(true)}",
        "bash < <(echo npm ci)",
        "source <(echo npm ci)",
        ". <(echo 'npm ci')",
        "bash <(echo 'npm ci')",
        "{ echo cd x; echo npm ci; } | bash",
        "CMD=\"npm ci\"; sudo $CMD",
        "SUDO=; $SUDO npm ci",
        "run(){ \"$@\"; }; run npm ci",
        "run(){ echo \"+ $*\"; $1 ci; }; run npm",
        "bash -c '\"$@\"' _ npm ci",
        "mise exec node@20 -- npm ci",
        "mise x -- npm ci",
        "$(which npm) ci",
        "\"$(command -v npm)\" ci",
        "`which npm` ci",
        "volta run --node 18 npm ci",
        "asdf exec npm ci",
        "nvm exec 18 npm ci",
        "nvm exec npm ci",
        "fnm exec --using 18 npm ci",
        "dotenv -- npm ci",
        "dotenv -e .env npm ci",
        "doppler run -p x -- npm ci",
        "nix develop -c npm ci",
        "nix-shell --run 'npm ci'",
        "devbox run -- npm ci",
        "npx concurrently -k -n a,b 'npm:dev' 'npm run b'",
        "hyperfine --warmup 3 'npm t'",
        "runuser -u node -- npm ci",
        "runuser -l node -c 'npm ci'",
        "gosu node npm ci",
        "busybox sh -c 'npm ci'",
        "tmux new -d -s x 'npm start'",
        "nodemon --exec 'npm t'",
        "arch -arm64 npm ci",
        "pwsh -Command \"npm ci\"",
        "pwsh -c 'npm ci'",
        "cmd.exe /c \"npm ci\"",
        "cmd /c npm ci",
        "perf stat -e cycles npm t",
        "proxychains4 -q npm ci",
        "echo 'npm ci' | at now",
        "gdb --args npm t",
        "PM=npm && cd x && $PM ci",
        "if true; then PM=npm; $PM ci; fi",
    ] {
        assert!(programs(command).iter().any(|program| program == "npm"), "{command}: {:?}", calls(command));
    }
}

#[test]
fn a_name_that_no_shell_would_call_is_no_call() {
    for command in [
        "echo npm",
        "echo 'npm ci'",
        "git commit -m 'npm never'",
        "pnpm run npm",
        "pnpm install",
        "cat <<'EOF'\nnpm ci\n$(npm bin)\nEOF",
        "grep npm README.md",
        "# npm ci",
        "ls node_modules/npm",
        "build() { npm ci; }",
        "A=npm",
        "rm -rf ~/.npm",
        "sed -i 's/npm ci/pnpm i/' f",
        "printf '%s' \"npm ci\"",
        "echo a > npm",
        "command -v npm",
        "which npm",
        "[[ npm == x ]]",
        "python -c 'print(\"npm ci\")'",
        "echo 'npm ci' | cat",
        "echo 'npm ci' | grep npm",
        "echo 'npm ci' | sh run.sh",
        "echo 'npm ci' | (read x; sh y)",
        "export P=npm; echo $P",
        "sudo -Eu npm ls",
        "env -u npm ls",
        "xargs --max-args npm ls",
        "bash -c 'echo npm ci'",
        "bash <(echo echo npm)",
        "[[ npm > generated/x ]]",
        "(( npm > 3 ))",
        "${X:-npm ci}",
        "run(){ \"$@\"; }; run echo npm",
        "mise exec npm@9 -- node x",
        "volta install npm",
        "nvm install-latest-npm",
        "nvm exec 18 node npm",
        "concurrently -n npm,web 'yarn a' 'yarn b'",
        "hyperfine -n npm 'yarn t'",
        "tmux new -s npm",
        "tmux send-keys -t x 'npm start' Enter",
        "PM=npm; (PM=yarn; $PM ci)",
        "PM=yarn; if true; then PM=npm; else $PM ci; fi",
        "[ -f p ] && PM=pnpm || PM=npm; $PM ci",
        "if [ -f p ]; then PM=npm; else PM=pnpm; fi; $PM ci",
        "ls -la $(which npm)",
    ] {
        assert!(!programs(command).iter().any(|program| program == "npm"), "{command}: {:?}", calls(command));
    }
}

#[test]
fn what_only_the_shell_knows_is_said() {
    for command in [
        "$TOOL ci",
        "bin/$TOOL ci",
        "sudo $CMD",
        "bash -c \"$CMD\"",
        "eval \"$CMD\"",
        "[ -f p ] && PM=pnpm || PM=npm; $PM ci",
        "test -f p || PM=npm; $PM ci",
        "while read l; do PM=$l; done; $PM ci",
        "PM=npm; read PM; $PM ci",
        "case $x in a) PM=npm;; *) PM=yarn;; esac; $PM ci",
    ] {
        assert!(calls(command).hidden(), "{command}: {:?}", calls(command));
    }
    let unparsed = |command: &str| calls(command).unparsed;
    assert_eq!(unparsed("if true; then"), ["if true; then"]);
    assert_eq!(unparsed("ls; bash -c 'npm ci; if'"), ["npm ci; if"]);
    assert_eq!(unparsed("alias n='npm ci'; n"), ["npm ci"]);
    assert!(!unparsed(&format!("{}true{}", "(".repeat(900), ")".repeat(900))).is_empty());
    let found = calls("npm $ARGS").calls;
    assert!(!found[0].arguments[0].known);
    assert!(unparsed("npm ci").is_empty() && !calls("npm ci").hidden());
}

#[test]
fn functions_that_call_each_other_many_times_are_left() {
    let mut command = String::new();
    for level in 0..8 {
        command.push_str(&format!("f{level}() {{ {} }}\n", format!("f{}; ", level + 1).repeat(200)));
    }
    command.push_str("f0");
    assert!(calls(&command).unparsed.contains(&command));
}

/// The files that a command writes, each with the number of calls that are done by then.
fn written(command: &str) -> Vec<(String, usize)> {
    calls(command).writes.into_iter().map(|write| (write.path, write.by.1)).collect()
}

#[test]
fn a_file_is_written_when_its_pipeline_is_done() {
    for (command, expected) in [
        ("echo x > a && npm t", vec![("a", 1)]),
        ("npm t | tee log; cd x; sed -i s/a/b/ f", vec![("log", 2), ("x/f", 4)]),
        ("cat > a <<'E'\nx\nE\ngit add a", vec![("a", 1)]),
        ("f(){ echo x > generated/a; }; f", vec![("generated/a", 1)]),
        ("echo $(echo y > generated/a)", vec![("generated/a", 1)]),
        ("timeout 5 tee generated/a", vec![("generated/a", 2)]),
        ("xargs -I{} cp {} generated/", vec![("generated/{}", 2)]),
        ("{ npm t; npm ls; } > log; ls", vec![("log", 2)]),
        ("while read l; do echo $l; done > a", vec![("a", 2)]),
        ("bash -c 'cd y && rm z'", vec![("y/z", 3)]),
        ("(cd y); rm z", vec![("z", 2)]),
        ("mv a b/", vec![("a", 1), ("b/a", 1)]),
        ("[[ $a > b ]] && (( n > 3 ))", vec![]),
        ("[ a \\> b ]", vec![]),
        ("ls > /dev/null 2>&1", vec![]),
        ("cat < a", vec![]),
        ("ls &> log", vec![("log", 1)]),
    ] {
        let expected: Vec<(String, usize)> =
            expected.into_iter().map(|(path, at): (&str, usize)| (path.to_owned(), at)).collect();
        assert_eq!(written(command), expected, "{command}");
    }
    let places: Vec<bool> =
        calls("cd $X && rm a; cd /w && rm b").writes.iter().map(|write| write.from_start).collect();
    assert_eq!(places, [false, true]);
}

#[test]
fn what_stands_around_a_long_document_is_found() {
    for (quote, tabs) in [("'", ""), ("", "-")] {
        let long =
            format!("cat > a <<{tabs}{quote}EOF{quote}\n{}EOF\nnpm ci\n", "{\"a\": 1}\n".repeat(9_000));
        let found = calls(&long);
        let names: Vec<&str> = found.calls.iter().map(|call| call.program.as_str()).collect();
        assert_eq!((names, found.unparsed.len()), (vec!["cat", "npm"], 1), "{quote}");
    }
    let long = format!("echo '{}'; npm ci", "x".repeat(70_000));
    assert!(!calls(&long).unparsed.is_empty() && calls(&long).calls.is_empty());
}

#[test]
fn a_call_keeps_what_started_it() {
    let found = calls("npx tsc@5 --noEmit").calls;
    assert_eq!(found.len(), 2);
    assert_eq!((found[1].program.as_str(), found[1].text().as_str()), ("tsc", "tsc --noEmit"));
    assert_eq!(found[1].within, [vec!["npx".to_owned()]]);
}

proptest! {
    #[test]
    fn no_command_makes_it_panic(command in "[ a-z$(){}`'\"|&;<>\\\\\n#*!-]{0,80}") {
        let _found = calls(&command);
    }

    #[test]
    fn no_text_makes_it_panic(command in "\\PC{0,60}") {
        let _found = calls(&command);
    }
}

#[test]
fn a_shell_in_another_command_reads_what_that_one_gets_once() {
    let is = |command: &str| programs(command);
    assert_eq!(is("echo 'npm ci' | { sh; sh; }"), ["echo", "sh", "npm", "sh"]);
    assert_eq!(is("echo 'npm ci' | { cat >/dev/null; sh; }"), ["echo", "cat", "sh"]);
    assert_eq!(is("echo 'npm ci' | { echo a | sh; }"), ["echo", "echo", "sh", "a"]);
    assert_eq!(is("echo 'npm ci' | (read x; sh)"), ["echo", "read", "sh"]);
    // Of lines that nobody knows, only the shell knows what they call.
    assert!(calls("cat list | xargs -I{} sh -c '{}'").hidden());
    assert_eq!(is("cat list | xargs -I{} sh -c 'npm {}'"), ["cat", "xargs", "sh", "npm"]);
    // Without quotation marks it is not parsed, and told so.
    assert_eq!(calls("x=$(case a in a) npm ci;; esac)").unparsed.len(), 1);
    // A call within is one call.
    let found = is("echo \"$(case a in a) echo $(npm bin);; esac)\"");
    assert_eq!(found.iter().filter(|program| *program == "npm").count(), 1, "{found:?}");
    let found = calls("x=\"$(case a in a) touch gen/a;; esac) $(npm ci)\"");
    assert_eq!((found.writes.len(), found.calls.len()), (1, 2), "{found:?}");
}
