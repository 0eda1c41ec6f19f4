#![allow(clippy::needless_pass_by_value, reason = "a test reads better with the values in place")]

mod asking;
mod tasks;

use super::*;
use serde_json::{Value, json};

/// A session of one conversation: `you` says, `tool` calls, in order.
fn session(messages: Value) -> Deeds {
    let bytes = serde_json::to_vec(&json!({"model": "claude-opus-5", "messages": messages})).expect("JSON");
    let reading = retrace_transcript::read(&bytes).expect("a transcript");
    let found = retrace_origin::of_reading(&reading, &bytes, |_| true);
    deeds(&reading, &found)
}

fn said(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn told(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

/// The end of a turn.
fn done() -> [Value; 1] {
    [told("Done.")]
}

fn bash(id: &str, command: &str) -> [Value; 2] {
    call(id, "Bash", json!({"command": command}))
}

fn edit(id: &str, path: &str) -> [Value; 2] {
    call(id, "Edit", json!({"file_path": path, "old_string": "a", "new_string": "b"}))
}

fn call(id: &str, name: &str, input: Value) -> [Value; 2] {
    [
        json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": name, "input": input}]}),
        json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "ok"}]}),
    ]
}

fn rule(json: Value) -> Pattern {
    Rule::from_json(&json).expect("a rule").pattern
}

fn outcomes(pattern: &Pattern, messages: Vec<Value>) -> Vec<Outcome> {
    judge(pattern, &session(Value::Array(messages))).into_iter().map(|verdict| verdict.outcome).collect()
}

fn all(parts: &[&[Value]]) -> Vec<Value> {
    parts.iter().flat_map(|part| part.iter().cloned()).collect()
}

#[test]
fn a_forbidden_program_is_broken_and_a_wished_one_excepted() {
    let never = rule(json!({"kind": "command_never", "program": "npm"}));
    let go = [said("Install it.")];
    assert_eq!(outcomes(&never, all(&[&go, &bash("a", "cd x && npm ci")])), [Outcome::Broken]);
    assert_eq!(outcomes(&never, all(&[&go, &bash("a", "echo npm")])), []);
    assert_eq!(
        outcomes(&never, all(&[&[said("Use npm this time.")], &bash("a", "npm ci")])),
        [Outcome::Excepted]
    );
    assert_eq!(outcomes(&never, all(&[&[said("Do not use npm.")], &bash("a", "npm ci")])), [Outcome::Broken]);
    assert_eq!(outcomes(&never, all(&[&go, &bash("a", "if npm; then")])), [Outcome::Undecidable]);
}

#[test]
fn a_call_that_may_be_of_the_program_is_undecidable_and_another_is_none() {
    let go = [said("Install it.")];
    let never = rule(json!({"kind": "command_never", "program": "npm"}));
    let commit = rule(json!({"kind": "command_never", "program": "git", "arguments": ["commit"]}));
    for command in [
        "$PM ci",
        "sudo $CMD",
        "ls; eval \"$CMD\"",
        "ls; bash -c 'npm ci; if'",
        "[ -f p ] && PM=pnpm || PM=npm; $PM ci",
        "alias n=npm; n ci",
        "cmd=(npm); cmd+=(ci); \"${cmd[@]}\"",
    ] {
        assert_eq!(outcomes(&never, all(&[&go, &bash("a", command)])), [Outcome::Undecidable], "{command}");
    }
    for (command, expected) in [
        ("$PM ci", vec![]),
        ("\"$GIT\" status", vec![]),
        ("$GIT commit -m x", vec![Outcome::Undecidable]),
        ("$SUDO git commit", vec![Outcome::Undecidable]),
        ("$CMD", vec![Outcome::Undecidable]),
        ("ls; bash -c 'npm ci; if'", vec![]),
    ] {
        assert_eq!(outcomes(&commit, all(&[&go, &bash("a", command)])), expected, "{command}");
    }
    // Whether the earlier act ran is not known either.
    let order = rule(json!({"kind": "order", "before": "npm run lint", "after": "git commit"}));
    assert_eq!(
        outcomes(&order, all(&[&go, &bash("a", "$DO run lint && git commit")])),
        [Outcome::Undecidable]
    );
    let end = rule(json!({"kind": "at_end", "program": "git", "arguments": ["push"]}));
    assert_eq!(outcomes(&end, all(&[&go, &edit("e", "/w/a.rs"), &bash("a", "$DO")])), [Outcome::Undecidable]);
}

#[test]
fn what_is_done_in_one_command_is_done_in_its_order() {
    let go = [said("Fix and save your work.")];
    let push = rule(json!({"kind": "at_end", "program": "git", "arguments": ["push"]}));
    let order = rule(json!({"kind": "order", "before": "npm run lint", "after": "git commit"}));
    let edited = edit("e", "/w/a.ts");
    for (command, expected) in [
        ("cat > a.ts <<'EOF'\nx\nEOF\ngit add -A && git commit -m x && git push", Outcome::Followed),
        ("sed -i s/a/b/ a.ts && git commit -am x && git push", Outcome::Followed),
        ("git push && sed -i s/a/b/ a.ts", Outcome::Broken),
        ("sed -i s/a/b/ a.ts; git push --dry-run", Outcome::Broken),
        ("sed -i s/a/b/ a.ts; git push -n", Outcome::Broken),
        ("git push > push.log", Outcome::Followed),
        ("git push | tee push.log", Outcome::Followed),
        ("git push; date > stamp", Outcome::Broken),
    ] {
        assert_eq!(
            outcomes(&push, all(&[&go, &edited, &bash("a", command), &done()])),
            [expected],
            "{command}"
        );
    }
    let (lint, commit) = (bash("l", "npm run lint"), bash("c", "git commit -m x"));
    let of = |steps: &[&[Value]]| outcomes(&order, all(&[&[&go[..], &edited], steps].concat()));
    assert_eq!(of(&[&bash("a", "sed -i s/a/b/ a.ts && npm run lint"), &commit]), [Outcome::Followed]);
    assert_eq!(of(&[&lint, &bash("a", "sed -i s/a/b/ a.ts && git commit -am x")]), [Outcome::Broken]);
    assert_eq!(
        of(&[&bash("a", "npm run lint && sed -i s/a/b/ a.ts && git commit -am x")]),
        [Outcome::Broken]
    );
    let written = "cat > b.ts <<'E'\nx\nE\nnpm run lint && git add b.ts && git commit -m x";
    assert_eq!(of(&[&bash("a", written)]), [Outcome::Followed]);
    assert_eq!(of(&[&lint, &bash("a", "npm run lint; date > stamp"), &commit]), [Outcome::Broken]);
    // A test and an arithmetic write nothing.
    for harmless in [
        "if (( 5 > 3 )); then echo y; fi",
        "[[ 1.2 > 1.1 ]] && echo newer",
        "for ((i=0; i>3; i++)); do :; done",
    ] {
        assert_eq!(of(&[&lint, &bash("a", harmless), &commit]), [Outcome::Followed], "{harmless}");
        assert_eq!(
            outcomes(&push, all(&[&go, &edited, &bash("p", "git push"), &bash("a", harmless)])),
            [Outcome::Followed],
            "{harmless}"
        );
    }
}

#[test]
fn arguments_narrow_a_pattern() {
    let go = [said("Go on.")];
    let stash = rule(json!({"kind": "command_never", "program": "git", "arguments": ["stash"]}));
    assert_eq!(outcomes(&stash, all(&[&go, &bash("a", "git -C x stash pop")])), [Outcome::Broken]);
    assert_eq!(outcomes(&stash, all(&[&go, &bash("a", "git commit -m stash")])), [Outcome::Followed]);
    let main = rule(json!({"kind": "command_never", "program": "git", "arguments": ["push", "main"]}));
    for command in ["git push origin main", "git push origin HEAD:main", "git push -u origin +main"] {
        assert_eq!(outcomes(&main, all(&[&go, &bash("a", command)])), [Outcome::Broken], "{command}");
    }
    assert_eq!(outcomes(&main, all(&[&go, &bash("a", "git push origin topic")])), [Outcome::Followed]);
    assert_eq!(outcomes(&main, all(&[&go, &bash("a", "git push origin $BRANCH")])), [Outcome::Undecidable]);
    let verify = rule(json!({"kind": "command_never", "program": "git commit", "arguments": "--no-verify"}));
    for command in ["git commit --no-verify -m x", "git commit -n -m x", "git commit -nm x"] {
        assert_eq!(outcomes(&verify, all(&[&go, &bash("a", command)])), [Outcome::Broken], "{command}");
    }
    assert_eq!(
        outcomes(&verify, all(&[&go, &bash("a", "git commit -m '--no-verify is bad'")])),
        [Outcome::Followed]
    );
}

#[test]
fn a_form_is_asked_of_every_call() {
    let go = [said("Check it.")];
    let tsc = rule(json!({"kind": "command_form", "program": "tsc", "form": "npx tsc --noEmit"}));
    assert_eq!(outcomes(&tsc, all(&[&go, &bash("a", "npx tsc -p . --noEmit")])), [Outcome::Followed]);
    assert_eq!(outcomes(&tsc, all(&[&go, &bash("a", "tsc --noEmit")])), [Outcome::Broken]);
    assert_eq!(outcomes(&tsc, all(&[&go, &bash("a", "npx tsc")])), [Outcome::Broken]);
    let trailer = rule(
        json!({"kind": "command_form", "program": "git", "arguments": ["commit"], "form": "!Co-Authored-By"}),
    );
    let with = "git commit -m \"$(cat <<'EOF'\nFix it\n\nCo-Authored-By: A Model <a@example.com>\nEOF\n)\"";
    assert_eq!(outcomes(&trailer, all(&[&go, &bash("a", with)])), [Outcome::Broken]);
    assert_eq!(outcomes(&trailer, all(&[&go, &bash("a", "git commit -m 'Fix it'")])), [Outcome::Followed]);
    let rtk = rule(json!({"kind": "command_form", "program": "*", "form": "rtk"}));
    assert_eq!(
        outcomes(&rtk, all(&[&go, &bash("a", "cd x && rtk git status")])),
        [Outcome::Followed, Outcome::Followed]
    );
    assert_eq!(outcomes(&rtk, all(&[&go, &bash("a", "git status")])), [Outcome::Broken]);
    for wish in ["just run plain `git status`, no rtk", "run git status without the rtk prefix"] {
        assert_eq!(
            outcomes(&rtk, all(&[&[said(wish)], &bash("a", "git status")])),
            [Outcome::Excepted],
            "{wish}"
        );
    }
}

#[test]
fn an_order_holds_from_edit_to_edit() {
    let order = rule(json!({"kind": "order", "before": "npm run lint", "after": "git commit"}));
    let go = [said("Fix and save your work.")];
    let (lint, commit) = (bash("l", "npm run lint"), bash("c", "git commit -m x"));
    assert_eq!(outcomes(&order, all(&[&go, &edit("e", "/w/a.rs"), &lint, &commit])), [Outcome::Followed]);
    assert_eq!(outcomes(&order, all(&[&go, &lint, &edit("e", "/w/a.rs"), &commit])), [Outcome::Broken]);
    assert_eq!(
        outcomes(&order, all(&[&go, &bash("b", "npm run lint && git commit -m x")])),
        [Outcome::Followed]
    );
    assert_eq!(
        outcomes(&order, all(&[&go, &bash("b", "git commit -m x && npm run lint")])),
        [Outcome::Broken]
    );
}

#[test]
fn paths_are_written_by_tools_and_by_the_shell() {
    let never = rule(json!({"kind": "path_never", "paths": ["generated/**", "migrations"]}));
    let go = [said("Change the model.")];
    for step in [
        edit("e", "/w/src/generated/a.rs"),
        edit("e", "/w/db/migrations/1.sql"),
        bash("e", "echo x > /w/generated/b.rs"),
    ] {
        assert_eq!(outcomes(&never, all(&[&go, &step])), [Outcome::Broken], "{step:?}");
    }
    for step in [edit("e", "/w/src/a.rs"), edit("e", "/w/generated.rs")] {
        assert_eq!(outcomes(&never, all(&[&go, &step])), [Outcome::Followed], "{step:?}");
    }
    assert_eq!(outcomes(&never, all(&[&go, &bash("e", "cat /w/generated/b.rs")])), []);
    let wished = [said("Edit migrations/1.sql by hand: change 1.sql so that it drops the table.")];
    assert_eq!(outcomes(&never, all(&[&wished, &edit("e", "/w/db/migrations/1.sql")])), [Outcome::Excepted]);
}

#[test]
fn options_are_the_same_however_they_are_written() {
    let go = [said("Go on.")];
    let found = |rule: &Pattern, command: &str| {
        let found = outcomes(rule, all(&[&go, &bash("a", command)]));
        assert_eq!(found.len(), 1, "{command}");
        found[0]
    };
    let never =
        |arguments: &str| rule(json!({"kind": "command_never", "program": "rm", "arguments": arguments}));
    for arguments in ["-rf", "-fr", "-r -f", "-Rf", "--recursive --force"] {
        for command in [
            "rm -rf x",
            "rm -fr x",
            "rm -r -f x",
            "rm -rfv x",
            "rm -Rf x",
            "rm -f x -R",
            "rm --recursive --force x",
            "rm --recursive -f x",
            "sudo rm -vfr x",
        ] {
            assert_eq!(found(&never(arguments), command), Outcome::Broken, "{arguments}: {command}");
        }
        for command in ["rm -r x", "rm -f x", "rm -- -rf", "rm --force x", "rm -v x"] {
            assert_eq!(found(&never(arguments), command), Outcome::Followed, "{arguments}: {command}");
        }
    }
    let never = |program: &str, arguments: &str| {
        rule(json!({"kind": "command_never", "program": program, "arguments": arguments}))
    };
    for (program, arguments, command, outcome) in [
        ("git", "commit -am", "git commit -m x -a", Outcome::Broken),
        ("git", "commit -am", "git commit --all --message=x", Outcome::Broken),
        ("git", "commit -n", "git commit -mnew", Outcome::Followed),
        ("git", "commit -n", "git commit -m -n", Outcome::Followed),
        ("git", "commit --no-verify", "git commit -uno -m x", Outcome::Followed),
        ("git", "commit --no-verify", "git commit -Snone -m x", Outcome::Followed),
        ("git", "commit --no-verify", "git commit -amn", Outcome::Followed),
        ("git", "commit --no-verify", "git commit -anm x", Outcome::Broken),
        ("sed", "-n", "sed -in p a", Outcome::Followed),
        ("git", "push -f", "git push --force origin x", Outcome::Broken),
        ("git", "push -f", "git push --force-with-lease", Outcome::Followed),
        ("find", "-delete", "find . -newer a -depth", Outcome::Followed),
        ("find", "-n", "find . -name a", Outcome::Followed),
        ("go", "test -race", "go test -trace x", Outcome::Followed),
        ("go", "test -race", "go test -race ./...", Outcome::Broken),
        ("cp", "-r", "cp --recursive a b", Outcome::Broken),
    ] {
        assert_eq!(found(&never(program, arguments), command), outcome, "{program} {arguments}: {command}");
    }
    let signed =
        rule(json!({"kind": "command_form", "program": "git", "arguments": ["commit"], "form": "-s"}));
    for command in
        ["git commit -s -m x", "git commit -sm x", "git commit -asm x", "git commit --signoff -m x"]
    {
        assert_eq!(found(&signed, command), Outcome::Followed, "{command}");
    }
    for command in [
        "git commit -m '-s'",
        "git commit -am -s",
        "git commit -ms",
        "git commit -m x -- -s",
        "git commit -F -s",
        "git commit --message -s",
        "git commit --author=-s -m x",
        "git commit -m \"$(cat <<'E'\nx -s\nE\n)\"",
    ] {
        assert_eq!(found(&signed, command), Outcome::Broken, "{command}");
    }
    assert_eq!(found(&signed, "git commit $FLAGS -m x"), Outcome::Undecidable);
}

#[test]
fn what_a_command_prints_is_no_refusal_of_codex() {
    use crate::deeds::Failure;
    use retrace_transcript::{Format, ResultPart};
    let of =
        |format, text: &str| Failure::of(format, false, false, &[ResultPart::Text(text.to_owned())]).refused;
    let refusal =
        "exec_command failed for `npm ci`: CreateProcess { message: \"Rejected(\\\"rejected by user\\\")\" }";
    for text in [refusal, "patch rejected by user"] {
        assert!(of(Format::CodexRollout, text), "{text}");
        assert!(!of(Format::ClaudeCode, text), "{text}");
        assert!(!of(Format::CodexRollout, &format!("Chunk ID: 1\nOutput:\n{text}")), "{text}");
    }
}

#[test]
fn a_call_that_was_never_carried_out_follows_no_rule_and_breaks_none() {
    let go = [said("Set it up.")];
    let answered = |id: &str, text: &str| json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": text, "is_error": true}]});
    let never = rule(json!({"kind": "command_never", "program": "npm"}));
    let form = rule(json!({"kind": "command_form", "program": "npm", "form": "npm --offline"}));
    let order = rule(json!({"kind": "order", "before": "make lint", "after": "npm ci"}));
    let ask = rule(json!({"kind": "ask_first", "program": "npm"}));
    let call = &bash("a", "npm ci")[..1];
    for refusal in [
        "PreToolUse:Bash hook error: Use pnpm, never npm.",
        "The user doesn't want to proceed with this tool use. The tool use was rejected.",
        "Permission to use Bash with command npm ci has been denied.",
        "<tool_use_error>InputValidationError: no command</tool_use_error>",
        "Tool execution denied by policy.",
        "Tool execution for \"Shell\" denied by policy.",
    ] {
        for rule in [&never, &form, &order, &ask] {
            assert_eq!(outcomes(rule, all(&[&go, call, &[answered("a", refusal)]])), [], "{refusal}");
        }
    }
    for failure in [
        "Exit code 1\nno package.json",
        "The user doesn't want to proceed with this tool use. Correction to the text above: this call was stopped while running.",
        "no such file: PreToolUse:Bash hook error: x",
        "grep: exec command rejected by user",
    ] {
        for rule in [&never, &form, &order, &ask] {
            assert_eq!(
                outcomes(rule, all(&[&go, call, &[answered("a", failure)]])),
                [Outcome::Broken],
                "{failure}"
            );
        }
    }
    // What ran before it counts only where it ran.
    let order = rule(json!({"kind": "order", "before": "npm ci", "after": "git push"}));
    let refused = [call[0].clone(), answered("a", "PreToolUse:Bash hook error: no")];
    assert_eq!(outcomes(&order, all(&[&go, &refused, &bash("b", "git push")])), [Outcome::Broken]);

    let paths = rule(json!({"kind": "path_never", "paths": [".env"]}));
    let write = &call_of_write("a")[..1];
    let unread =
        "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>";
    for failure in [unread, "String to replace not found in file.", "PreToolUse:Write hook error: no"] {
        assert_eq!(outcomes(&paths, all(&[&go, write, &[answered("a", failure)]])), [], "{failure}");
    }
    assert_eq!(outcomes(&paths, all(&[&go, &call_of_write("a")])), [Outcome::Broken]);
    // A command that failed may have written before.
    let command = &bash("a", "echo x > .env; false")[..1];
    assert_eq!(outcomes(&paths, all(&[&go, command, &[answered("a", "Exit code 1")]])), [Outcome::Broken]);
    assert_eq!(
        outcomes(&paths, all(&[&go, command, &[answered("a", "PreToolUse:Bash hook error: no")]])),
        []
    );
}

fn call_of_write(id: &str) -> [Value; 2] {
    call(id, "Write", json!({"file_path": "/w/.env", "content": "A=1"}))
}

#[test]
fn a_call_of_several_lines_is_told_on_one() {
    let never = rule(json!({"kind": "command_never", "program": "git", "arguments": ["commit"]}));
    let call =
        proposed_call("Bash", &json!({"command": "git commit -m 'Fix it\n\n  Since it broke.'"}), None);
    assert_eq!(one_line(&judge(&never, &call)[0].what), "git commit -m Fix it Since it broke.");
}

/// Commands that write a file, whatever comes to stand in it.
const WRITES: [&str; 51] = [
    "cat a > .env",
    "cat a >> .env",
    "jq . a > .env",
    "curl -s http://x > .env",
    "echo $X > .env",
    "echo x > $DIR/.env",
    "openssl rand -hex 32 >> .env",
    "pg_dump db > migrations/1.sql",
    "git show HEAD:x > migrations/1.sql",
    "ls 2> .env",
    "mv a.sql migrations/a.sql",
    "mv a.sql migrations/",
    "mv $x migrations/",
    "mv -n a.sql migrations/a.sql",
    "mv -t migrations a.sql",
    "cp -u a.sql migrations/a.sql",
    "cp a.sql migrations/a.sql",
    "git mv a migrations/b",
    "tee .env < x",
    "cat x | sudo -E tee -a .env",
    "sudo -u me tee .env < x",
    "perl -i -pe 's/a/b/' .env",
    "perl -pi.bak -e 's/a/b/' .env",
    "dd if=a of=.env",
    "install -m 644 a .env",
    "ln -sf a .env",
    "sed -i 's/\\(a\\)/b/g;p' .env",
    "sed -n -i p .env",
    "gawk -i inplace '{print}' .env",
    "sort -o .env a",
    "curl -o .env http://x",
    "wget -O .env http://x",
    "truncate -s 10 .env",
    "rsync -a a migrations/",
    "while read l; do echo $l >> .env; done < x",
    "while read l; do mv $l migrations/a.sql; done < x",
    "for f in a b; do cat $f >> .env; done",
    "while read l; do echo $l; done < x > .env",
    "if true; then date > .env; fi",
    "f(){ echo x > .env; }; f",
    "echo $(echo y > .env)",
    "timeout 5 tee .env",
    "xargs -I{} cp {} migrations/",
    "find . -name '*.sql' -exec cp {} migrations/ \\;",
    "curl -sSLo .env http://x",
    "curl -sSL --output=.env http://x",
    "wget -qO .env http://x",
    "wget -qO.env http://x",
    "rm -rf migrations/",
    "mv migrations old",
    "[[ a > b ]] && echo x > .env",
];

#[test]
fn a_command_that_writes_a_file_breaks_a_rule_of_its_path_whatever_it_writes() {
    let never = rule(json!({"kind": "path_never", "paths": ["migrations/**", ".env"]}));
    let checked = |command: &str| {
        let call = proposed_call("Bash", &json!({"command": command}), Some("/w"));
        judge(&never, &call).iter().any(|verdict| verdict.outcome == Outcome::Broken)
    };
    let go = [said("Set it up.")];
    for command in WRITES {
        assert!(checked(command), "{command}");
        let found = outcomes(&never, all(&[&go, &bash("a", command)]));
        assert!(found.contains(&Outcome::Broken), "{command}: {found:?}");
    }
    for command in [
        "cat .env > a",
        "jq . .env",
        "perl -ne 'print' .env",
        "python3 tool.py .env",
        "git checkout migrations/1.sql.topic",
        "git show HEAD:migrations/1.sql",
        "cp migrations/1.sql a",
        "dd if=.env of=a",
        "sort .env > a",
        "ln -s migrations/1.sql a",
        "grep x migrations/1.sql | tee a",
        "sed -n p .env",
        "curl -T .env http://x",
        "echo x > $FILE",
        "install -d migrations/x",
        "[[ $a > .env ]]",
        "[[ -n $a && ( $a < .env ) ]]",
        "if (( n > 3 )); then ls; fi",
        "f(){ echo x > .env; }",
        "curl -sSL -H o http://x/.env",
        "curl -sSO http://x",
        "mkdir -p migrations",
        "ls migrations > a",
        "echo x > migrations",
    ] {
        assert!(!checked(command), "{command}");
        let found = outcomes(&never, all(&[&go, &bash("a", command)]));
        assert!(!found.contains(&Outcome::Broken), "{command}: {found:?}");
    }
}

#[test]
fn a_place_that_only_the_shell_knows_is_undecidable_and_what_is_known_of_it_counts() {
    let go = [said("Set it up.")];
    let found = |paths: &str, command: &str| {
        let never = rule(json!({"kind": "path_never", "paths": [paths]}));
        let mut found = outcomes(&never, all(&[&go, &bash("a", command)]));
        found.retain(|outcome| *outcome != Outcome::Followed);
        found
    };
    let generated = "src/generated/**";
    for (paths, command, expected) in [
        (generated, "for f in src/generated/*.ts; do sed -i s/a/b/ \"$f\"; done", &[Outcome::Broken][..]),
        (generated, "for f in src/other/*.ts; do sed -i s/a/b/ \"$f\"; done", &[]),
        (generated, "for f in $(ls src); do rm \"$f\"; done", &[Outcome::Undecidable]),
        (generated, "find src/generated -name '*.ts' -exec sed -i s/a/b/ {} +", &[Outcome::Broken]),
        (generated, "find src/generated -delete", &[Outcome::Broken]),
        (generated, "find src -name '*.ts' -delete", &[Outcome::Undecidable]),
        (".env", "find . -name '*.pyc' -delete", &[]),
        (".env", "find . -name .env -delete", &[Outcome::Broken]),
        (generated, "find src/generated -type f | xargs rm", &[Outcome::Broken]),
        (".env", "find . -name '*.pyc' | xargs rm", &[]),
        (generated, "echo x > \"src/generated/$f\"", &[Outcome::Broken]),
        (generated, "rm \"src/generated/$f\"", &[Outcome::Broken]),
        (generated, "rm \"$f\"", &[Outcome::Undecidable]),
        (generated, "echo x > $FILE", &[Outcome::Undecidable]),
        (generated, "rm dist/*.js", &[]),
        (generated, "cp a.ts src/generated", &[Outcome::Broken]),
        (generated, "cp -r gen/* src/generated", &[Outcome::Broken]),
        (generated, "cp -r gen/. src/generated", &[Outcome::Broken]),
        (generated, "rsync -a gen/ src/generated", &[Outcome::Broken]),
        (generated, "rsync -a gen/ src/generated/", &[Outcome::Broken]),
        (generated, "mv gen src/generated", &[Outcome::Broken]),
        (generated, "git -C src mv generated/a.ts b.ts", &[Outcome::Broken]),
        (generated, "pushd src/generated && popd && touch x", &[]),
        (generated, "pushd src/generated && touch x && popd", &[Outcome::Broken]),
        (generated, "x=$(case a in a) touch src/generated/a;; esac)", &[Outcome::Broken]),
        (generated, "x=$(case a in a) make src/generated/a;; esac)", &[Outcome::Undecidable]),
        (generated, "x=\"$(case a in a) touch src/generated/a;; esac)\"", &[Outcome::Broken]),
        (generated, "echo 'touch src/generated/a' | { sh; }", &[Outcome::Broken]),
        (generated, "x=$(case a in a) touch src/other/a;; esac)", &[]),
        (".env", "ln -s a link", &[]),
        (".env", "ln -s .env link", &[Outcome::Undecidable]),
        (".env", "ln -s .env a/link.txt", &[]),
        (".env", "cp .env backup", &[Outcome::Undecidable]),
        (".env", "cp .env backup/", &[Outcome::Broken]),
        (".env", "git mv .env x", &[Outcome::Broken, Outcome::Undecidable]),
        (".env", "rm .env{,.bak}", &[Outcome::Broken]),
        (".env", "rm a{1,2}.txt", &[]),
    ] {
        assert_eq!(found(paths, command), expected, "{paths}: {command}");
    }
}

#[test]
fn powershell_writes_with_its_own_words_and_separators() {
    let go = [said("Set it up.")];
    let never = rule(json!({"kind": "path_never", "paths": [".env", "src/generated/**"]}));
    for command in [
        "Remove-Item .env",
        "Remove-Item -Force .env",
        "Remove-Item -Recurse -Force src/generated",
        "Move-Item a .env",
        "Set-Content src\\generated\\d.ts x",
        "Get-Content a | Tee-Object -FilePath .env",
        "Rename-Item a .env",
        "del .env",
        "ri -Force .env",
    ] {
        let found = outcomes(&never, all(&[&go, &call("a", "PowerShell", json!({"command": command}))]));
        assert!(found.contains(&Outcome::Broken), "{command}: {found:?}");
    }
    let copied = call("a", "PowerShell", json!({"command": "Copy-Item .env a"}));
    assert_eq!(outcomes(&never, all(&[&go, &copied])), [Outcome::Followed]);
}

#[test]
fn a_command_whose_output_goes_to_a_file_changes_the_work() {
    let order = rule(json!({"kind": "order", "before": "npm run lint", "after": "git commit"}));
    let end = rule(json!({"kind": "at_end", "program": "npm", "arguments": ["run", "lint"]}));
    let go = [said("Fix and save your work.")];
    let (lint, commit) = (bash("l", "npm run lint"), bash("c", "git commit -m x"));
    for command in ["pg_dump db > schema.sql", "node gen.js >> src/a.ts", "perl -pi -e 's/a/b/' src/a.ts"] {
        let made = bash("m", command);
        assert_eq!(outcomes(&order, all(&[&go, &lint, &made, &commit])), [Outcome::Broken], "{command}");
        assert_eq!(outcomes(&end, all(&[&go, &lint, &made, &done()])), [Outcome::Broken], "{command}");
        assert_eq!(outcomes(&end, all(&[&go, &made, &lint])), [Outcome::Followed], "{command}");
    }
    // What the act itself put out is no change after it, and neither is what nobody keeps or knows.
    let logged = bash("l", "npm run lint > lint.log 2>&1");
    assert_eq!(outcomes(&order, all(&[&go, &logged, &commit])), [Outcome::Followed]);
    assert_eq!(outcomes(&end, all(&[&go, &edit("e", "/w/a.rs"), &logged])), [Outcome::Followed]);
    for command in ["npm ls > /tmp/list", "rm -rf $OUT/x", "date > /dev/null"] {
        let aside = bash("m", command);
        assert_eq!(outcomes(&order, all(&[&go, &lint, &aside, &commit])), [Outcome::Followed], "{command}");
    }
}

#[test]
fn the_end_of_a_session_that_changed_files_is_an_opportunity() {
    let end = rule(json!({"kind": "at_end", "program": "git", "arguments": ["push"]}));
    let go = [said("Fix it.")];
    let push = bash("p", "git push");
    assert_eq!(outcomes(&end, all(&[&go, &edit("e", "/w/a.rs"), &push])), [Outcome::Followed]);
    assert_eq!(outcomes(&end, all(&[&go, &push, &edit("e", "/w/a.rs"), &done()])), [Outcome::Broken]);
    assert_eq!(outcomes(&end, all(&[&go, &bash("l", "ls")])), []);
    // What a client writes for itself is no change of the work.
    let plan = edit("n", "/home/ada/.claude/plans/next-step.md");
    assert_eq!(outcomes(&end, all(&[&go, &edit("e", "/w/a.rs"), &push, &plan])), [Outcome::Followed]);
    assert_eq!(outcomes(&end, all(&[&go, &plan])), []);
    let failed = json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "p", "content": "no", "is_error": true}]});
    assert_eq!(
        outcomes(&end, all(&[&go, &edit("e", "/w/a.rs"), &push[..1], &[failed], &done()])),
        [Outcome::Broken]
    );
    // A file of git is none of the work.
    let of_git = bash("g", "rm /w/.git/hooks-state/a.json");
    assert_eq!(
        outcomes(&end, all(&[&go, &edit("e", "/w/a.rs"), &push, &of_git, &done()])),
        [Outcome::Followed]
    );
}

#[test]
fn a_session_that_breaks_off_in_a_turn_has_no_known_end() {
    let end = rule(json!({"kind": "at_end", "program": "git", "arguments": ["push"]}));
    let (go, edited, test) = ([said("Fix it and push.")], edit("e", "/w/a.rs"), bash("t", "cargo test"));
    assert_eq!(outcomes(&end, all(&[&go, &edited])), [Outcome::Undecidable]);
    assert_eq!(outcomes(&end, all(&[&go, &edited, &test])), [Outcome::Undecidable]);
    assert_eq!(outcomes(&end, all(&[&go, &edited, &test, &done()])), [Outcome::Broken]);
    assert_eq!(outcomes(&end, all(&[&go, &edited, &bash("p", "git push")])), [Outcome::Followed]);
    // A tool's question waits for the person.
    let question = call("q", "AskUserQuestion", json!({"questions": [{"question": "Which one?"}]}));
    assert_eq!(outcomes(&end, all(&[&go, &edited, &question[..1]])), [Outcome::Undecidable]);
}

#[test]
fn an_order_knows_whether_its_first_act_was_ever_called() {
    let order = rule(json!({"kind": "order", "before": "npm run lint", "after": "git commit"}));
    let (go, lint, commit) = ([said("Go.")], bash("l", "npm run lint"), bash("c", "git commit -m x"));
    let called = |messages: Vec<Value>, until: usize| {
        Judging::of(&order).has_called_first(&Sequence::of(&session(Value::Array(messages))), until)
    };
    assert!(!called(all(&[&go, &bash("o", "make lint"), &commit]), usize::MAX));
    assert!(called(all(&[&go, &commit, &lint]), usize::MAX));
    assert!(!called(all(&[&go, &commit, &lint]), 2));
    assert!(called(all(&[&[said("<bash-input>npm run lint</bash-input>")], &commit]), usize::MAX));
    let never = rule(json!({"kind": "command_never", "program": "npm"}));
    assert!(Judging::of(&never).has_called_first(&Sequence::of(&Deeds::default()), 0));
}

#[test]
fn what_a_pipeline_hides_and_what_the_person_ran_counts() {
    let go = [said("Fix it.")];
    let end = rule(json!({"kind": "at_end", "program": "git", "arguments": ["push"]}));
    let push = |output: &str| {
        let result = json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "p", "content": output}]});
        [bash("p", "git push 2>&1 | tail -3")[0].clone(), result]
    };
    let edited = edit("e", "/w/a.rs");
    let rejected =
        " ! [rejected]        main -> main (non-fast-forward)\nerror: failed to push some refs to 'x'";
    assert_eq!(outcomes(&end, all(&[&go, &edited, &push(rejected)])), [Outcome::Undecidable]);
    assert_eq!(outcomes(&end, all(&[&go, &edited, &push("   1..2  main -> main")])), [Outcome::Followed]);
    let typed = |command: &str| [said(&format!("<bash-input>{command}</bash-input>"))];
    assert_eq!(outcomes(&end, all(&[&go, &edited, &typed("git push")])), [Outcome::Followed]);
    let order = rule(json!({"kind": "order", "before": "npm run lint", "after": "git commit"}));
    let commit = bash("c", "git commit -m x");
    assert_eq!(outcomes(&order, all(&[&go, &edited, &typed("npm run lint"), &commit])), [Outcome::Followed]);
    assert_eq!(outcomes(&order, all(&[&go, &edited, &typed("npm ci"), &commit])), [Outcome::Broken]);
    assert_eq!(outcomes(&order, all(&[&go, &typed("npm run lint"), &edited, &commit])), [Outcome::Broken]);
    assert_eq!(outcomes(&order, all(&[&go, &edited, &bash("c", "git commit --dry-run")])), []);
}

#[test]
fn an_option_and_its_value_are_a_form_however_they_are_written() {
    let go = [said("Go on.")];
    let form = rule(
        json!({"kind": "command_form", "program": "docker", "arguments": ["compose"], "form": "--env-file .env.dev"}),
    );
    for (command, outcome) in [
        ("docker compose --env-file=.env.dev up", Outcome::Followed),
        ("docker compose --env-file .env.dev up", Outcome::Followed),
        ("docker compose --env-file=.env up", Outcome::Broken),
        ("docker compose --file=.env.dev up", Outcome::Broken),
    ] {
        assert_eq!(outcomes(&form, all(&[&go, &bash("a", command)])), [outcome], "{command}");
    }
}

#[test]
fn a_subcommand_of_two_words_stands_at_the_beginning() {
    let go = [said("Go on.")];
    let never = rule(json!({"kind": "command_never", "program": "gh", "arguments": ["pr", "merge"]}));
    for (command, outcome) in [
        ("gh pr list --search merge", Outcome::Followed),
        ("gh pr comment 5 -b merge", Outcome::Followed),
        ("gh pr merge 5", Outcome::Broken),
        ("gh -R a/b pr merge 5", Outcome::Broken),
        ("gh pr -R a/b merge 5", Outcome::Broken),
        ("gh pr --repo=a/b merge 5", Outcome::Broken),
        ("gh pr $ACT 5", Outcome::Undecidable),
    ] {
        assert_eq!(outcomes(&never, all(&[&go, &bash("a", command)])), [outcome], "{command}");
    }
}

#[test]
fn a_rule_comes_back_from_its_json() {
    for fields in [
        json!({"kind": "command_never", "program": "npm", "sentence": "pnpm, never npm", "source": "notes:/a.md:3"}),
        json!({"kind": "command_form", "program": "git", "arguments": ["commit"], "form": "!Co-Authored-By", "sentence": "", "source": null}),
        json!({"kind": "order", "before": "npm run lint", "after": "git commit", "sentence": "x", "source": null}),
        json!({"kind": "path_never", "paths": ["generated/**"], "sentence": "x", "source": null}),
        json!({"kind": "at_end", "program": "git", "arguments": ["push"], "sentence": "x", "source": null}),
        json!({"kind": "ask_first", "program": "gh", "arguments": ["pr", "merge"], "sentence": "x", "source": null}),
    ] {
        assert_eq!(Rule::from_json(&fields).expect("a rule").to_json(), fields);
    }
    for (fields, error) in [
        (json!([]), "A rule is a JSON object."),
        (json!({"kind": "sometimes"}), "“sometimes” is no kind of rule"),
        (json!({"kind": "order", "before": "a"}), "needs the field “after”"),
        (json!({"kind": "path_never", "paths": []}), "needs the field “paths”"),
        (json!({"kind": "path_never", "paths": ["[a"]}), "is no pattern of paths"),
        (json!({"kind": "command_form", "program": "git"}), "needs the field “form”"),
    ] {
        let refused = Rule::from_json(&fields).expect_err("refused").to_string();
        assert!(refused.contains(error), "{refused}");
    }
}

#[test]
fn a_rule_that_no_call_can_be_is_refused() {
    let given = |fields: Value| {
        Rule::given(&fields).map(|rule| rule.pattern.kind()).map_err(|error| error.to_string())
    };
    for command in
        ["npm run lint && npm test", "!npm", "npm run lint; npm test", "cat a | sort", "$(npm bin)/eslint"]
    {
        let refused =
            given(json!({"kind": "order", "before": command, "after": "git commit"})).expect_err(command);
        assert!(refused.contains("is not one command"), "{refused}");
    }
    let rule =
        json!({"kind": "ask_first", "program": "git", "arguments": ["push", "--force-with-lease=a&b"]});
    assert_eq!(given(rule), Ok("ask_first"));
    let same = given(json!({"kind": "order", "before": "git  commit", "after": "git commit"}));
    assert!(same.expect_err("nothing is before itself").contains("both “git commit”"));
    for kind in ["path_never", "text_form"] {
        let fields = json!({"kind": kind, "paths": ["src/**", "!src/a.rs"], "form": "x"});
        let refused = given(fields).expect_err("an exception");
        assert!(refused.contains("“!src/a.rs” is an exception"), "{refused}");
    }
    // What the log holds is read as it was confirmed.
    assert!(Rule::from_json(&json!({"kind": "at_end", "program": "a", "arguments": ["&&", "b"]})).is_ok());
}

#[test]
fn a_model_is_shown_no_comments() {
    let shown = |text: &str| {
        let lines = shown_lines(text).into_iter();
        lines.map(|(number, line)| format!("{number}{line}")).collect::<Vec<_>>().join("|")
    };
    assert_eq!(shown("a\n<!-- b -->c\n<!--\nd\n-->\ne"), "1a|2c|3|4|5|6e");
    assert_eq!(shown("```\n<!-- a\n```\nb"), "1```|2<!-- a|3```|4b");
}

#[test]
fn a_text_needs_its_form_as_often_as_it_is_brought() {
    let go = [said("Add tests.")];
    let parallel = rule(
        json!({"kind": "text_form", "paths": ["*_test.go"], "text": "func Test", "form": "t.Parallel()"}),
    );
    let written = |path: &str, old: &str, new: &str| {
        let edit = call("a", "Edit", json!({"file_path": path, "old_string": old, "new_string": new}));
        outcomes(&parallel, all(&[&go, &edit]))
    };
    let one = "func TestA(t *testing.T) {\n\tt.Parallel()\n}\n";
    let bare = "func TestB(t *testing.T) {\n}\n";
    assert_eq!(written("/p/a_test.go", "x", one), [Outcome::Followed]);
    assert_eq!(written("/p/a_test.go", "x", bare), [Outcome::Broken]);
    assert_eq!(written("/p/a_test.go", "x", &format!("{one}{bare}")), [Outcome::Broken]);
    // A test that stood there without it and is written again is no break; another file is none of the rule's.
    assert_eq!(written("/p/a_test.go", one, &one.replace("}", "\twork()\n}")), [Outcome::Followed]);
    assert_eq!(written("/p/a_test.go", bare, &format!("{bare}{one}")), []);
    assert_eq!(written("/p/a_test.go", bare, &format!("{bare}// done\n")), []);
    assert_eq!(written("/p/a.go", "x", bare), []);
    let whole = call("a", "Write", json!({"file_path": "/p/b_test.go", "content": bare}));
    assert_eq!(outcomes(&parallel, all(&[&go, &whole])), [Outcome::Broken]);
    let never = rule(json!({"kind": "text_form", "paths": ["*.ts"], "form": "!console.log"}));
    let written = |new: &str| {
        let edit = call("a", "Edit", json!({"file_path": "/p/a.ts", "old_string": "", "new_string": new}));
        outcomes(&never, all(&[&go, &edit]))
    };
    assert_eq!(written("console.log(1)"), [Outcome::Broken]);
    assert_eq!(written("log(1)"), [Outcome::Followed]);
}

#[test]
fn a_text_form_is_proposed_and_keeps_its_json() {
    let found = propose("Always use `t.Parallel()` in all tests.");
    let [one] = found.as_slice() else { panic!("{found:?}") };
    let json = json!({
        "kind": "text_form", "paths": ["*_test.go"], "text": "func Test", "form": "t.Parallel()",
        "sentence": "", "source": null,
    });
    assert_eq!(one.pattern, rule(json.clone()));
    assert_eq!(Rule::from_json(&json).expect("a rule").to_json(), json);
    let of = Rule { pattern: one.pattern.clone(), sentence: one.sentence.clone(), source: None };
    assert!(is_wording_of("Tests call `t.Parallel()`.", &of));
    assert!(!is_wording_of("Never call `t.Parallel()`.", &of));
    assert!(!is_wording_of("Run the tests.", &of));
    assert!(Rule::from_json(&json!({"kind": "text_form", "paths": ["a"], "form": "!"})).is_err());
}
