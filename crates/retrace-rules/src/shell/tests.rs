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
        "git submodule foreach 'npm ci'",
        "nohup npm start > log 2>&1 &",
        "echo 'npm ci' | sh",
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
    ] {
        assert!(!programs(command).iter().any(|program| program == "npm"), "{command}: {:?}", calls(command));
    }
}

#[test]
fn what_only_the_shell_knows_is_said() {
    assert!(calls("$TOOL ci").hidden && calls("bin/$TOOL ci").hidden);
    assert!(calls("if true; then").unparsed);
    assert!(calls(&format!("{}true{}", "(".repeat(900), ")".repeat(900))).unparsed);
    let found = calls("npm $ARGS").calls;
    assert!(!found[0].arguments[0].known);
    assert!(!calls("npm ci").unparsed);
}

#[test]
fn what_stands_around_a_long_document_is_found() {
    for (quote, tabs) in [("'", ""), ("", "-")] {
        let long =
            format!("cat > a <<{tabs}{quote}EOF{quote}\n{}EOF\nnpm ci\n", "{\"a\": 1}\n".repeat(9_000));
        let found = calls(&long);
        let names: Vec<&str> = found.calls.iter().map(|call| call.program.as_str()).collect();
        assert_eq!((names, found.unparsed), (vec!["cat", "npm"], true), "{quote}");
    }
    let long = format!("echo '{}'; npm ci", "x".repeat(70_000));
    assert!(calls(&long).unparsed && calls(&long).calls.is_empty());
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
