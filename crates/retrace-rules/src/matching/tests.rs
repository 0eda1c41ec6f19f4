#![allow(clippy::needless_pass_by_value, reason = "a test reads better with the values in place")]

use crate::judge::{Outcome, judge};
use crate::rule::{Pattern, Rule};
use serde_json::{Value, json};

fn rule(value: Value) -> Pattern {
    Rule::from_json(&value).expect("a rule").pattern
}

fn never(program: &str, arguments: &str) -> Pattern {
    rule(json!({"kind": "command_never", "program": program, "arguments": arguments}))
}

/// What a rule says of one call of a tool.
fn of_call(pattern: &Pattern, tool: &str, input: &Value) -> Vec<Outcome> {
    let deeds = crate::proposed_call(tool, input, Some("/home/u/proj"));
    judge(pattern, &deeds).into_iter().map(|verdict| verdict.outcome).collect()
}

/// What a rule says of a command, but for the calls that follow it.
fn of(pattern: &Pattern, command: &str) -> Vec<Outcome> {
    let mut found = of_call(pattern, "Bash", &json!({"command": command}));
    found.retain(|outcome| *outcome != Outcome::Followed);
    found
}

fn breaks(pattern: &Pattern, commands: &[&str]) {
    for command in commands {
        assert_eq!(of(pattern, command), [Outcome::Broken], "{command}");
    }
}

fn follows(pattern: &Pattern, commands: &[&str]) {
    for command in commands {
        assert_eq!(of(pattern, command), [], "{command}");
    }
}

#[test]
fn other_names_of_a_command_are_the_command() {
    breaks(
        &never("npm", "install"),
        &[
            "npm install",
            "npm i",
            "npm in",
            "npm add -g x",
            "npm i -g x",
            "npm -C x install",
            "npm --loglevel error install",
            "npm --registry https://r install",
        ],
    );
    follows(&never("npm", "install"), &["npm ci", "npm run install", "npm --registry install ls", "pnpm i"]);
    breaks(
        &never("pip", "install"),
        &[
            "pip install x",
            "pip3 install x",
            "pip3.11 install x",
            "python -m pip install x",
            "python3 -m pip install -r x",
            "python3.12 -Im pip install x",
            "py -m pip install x",
        ],
    );
    follows(
        &never("pip", "install"),
        &["python x.py pip install", "python -c 'pip install' -m pip", "uv pip install x"],
    );
    breaks(&never("python*", ""), &["python3 x.py", "python3.11 x.py", "python x.py"]);
    follows(&never("python", ""), &["python3 x.py"]);
    breaks(&never("tsc", ""), &["pnpm tsc", "yarn tsc --noEmit", "yarn run tsc", "bun tsc", "npx tsc"]);
    follows(&never("tsc", ""), &["pnpm run tsc", "pnpm add tsc", "npm run tsc"]);
    breaks(
        &never("prisma", "migrate reset"),
        &["pnpm prisma migrate reset", "yarn prisma migrate reset --force"],
    );
}

#[test]
fn git_takes_the_beginning_of_an_option_for_it() {
    breaks(&never("git", "commit --no-verify"), &["git commit --no-verif -m x", "git commit -n -m x"]);
    follows(&never("git", "commit --no-verify"), &["git commit --no-edit -m x", "git commit --no- -m x"]);
    breaks(&never("git", "commit --amend"), &["git commit --amen"]);
    follows(&never("git", "push --force-with-lease"), &["git push --force"]);
    follows(&never("npm", "ci --ignore-scripts"), &["npm ci --ignore"]);
}

#[test]
fn to_ask_for_help_is_no_act() {
    let apply = never("terraform", "apply");
    breaks(&apply, &["terraform apply", "terraform apply -auto-approve"]);
    follows(&apply, &["terraform apply -help", "terraform apply --help"]);
    follows(&never("git", "push"), &["git push --help", "git push --dry-run", "git push -n"]);
    breaks(&never("git", "push --dry-run"), &["git push --dry-run"]);
    breaks(&never("npm", ""), &["npm ci --dry-run"]);
    follows(&never("npm", ""), &["npm ci --help"]);
    let ask = rule(json!({"kind": "ask_first", "program": "git", "arguments": "push"}));
    breaks(&ask, &["git push"]);
    follows(&ask, &["git push --dry-run origin main"]);
}

#[test]
fn what_cannot_be_the_option_is_decidable() {
    let verify = never("*", "--no-verify");
    follows(
        &verify,
        &[
            "cd \"$D\"",
            "cd $D",
            "[ -n \"$x\" ]",
            "[ -n $x ]",
            "kill $(pgrep foo)",
            "kill $PID",
            "cat \"$f\"",
            "ls $D",
            "ps -p $PID",
            "git add \"$f\"",
            "git log \"$x\"",
            "git -C \"$D\" status",
            "node \"$f\"",
            "curl \"$URL\"",
            "mkdir -p \"$D/x\"",
            "rm -f $D/x",
            "[ ! -f \"${r}/settings.json\" ]",
            "git commit -m \"$MSG\"",
            "rg -e --no-verify",
            "grep -e --no-verify x",
        ],
    );
    for command in
        ["git commit $FLAGS -m x", "git push \"$@\"", "git push \"${args[@]}\"", "git push `flags`"]
    {
        assert_eq!(of(&verify, command), [Outcome::Undecidable], "{command}");
    }
    let rm = never("rm", "-rf");
    follows(&rm, &["rm \"$f\"", "rm -f \"$tmp\"", "rm \"$D/x\"", "rm $D/x"]);
    breaks(&rm, &["rm -rf \"$tmp\"", "rm -rf $D", "rm -r -f \"${X:?}\""]);
    let main = never("git", "push * main");
    for command in ["git push origin \"$B\"", "git push origin HEAD:\"$B\"", "git push origin \"m$X\""] {
        assert_eq!(of(&main, command), [Outcome::Undecidable], "{command}");
    }
    follows(&main, &["git push origin \"feature/$B\"", "git push origin HEAD:\"feature/$B\""]);
    follows(
        &never("*", "test"),
        &["curl test", "ssh test", "zip test", "source test", "python test", "pytest test", "bash test"],
    );
}

#[test]
fn what_is_started_elsewhere_is_a_call() {
    let npm = never("npm", "");
    breaks(
        &npm,
        &[
            "docker run --rm -v \"$PWD:/w\" -w /w node:20 npm ci",
            "docker exec -it web npm ci",
            "docker compose run --rm app npm ci",
            "docker compose -f c.yml exec app npm ci",
            "docker-compose exec app npm ci",
            "podman run node npm ci",
            "podman exec web npm ci",
            "kubectl exec pod -- npm ci",
            "kubectl exec -n x pod -c web -- npm ci",
            "ssh host 'cd x && npm ci'",
            "ssh -p 22 me@host npm ci",
            "lerna exec -- npm ci",
            "git rebase -x 'npm test' main",
            "git rebase --exec='npm test' main",
            "foreman run npm start",
            "heroku run npm ci",
            "sg docker -c 'npm ci'",
            "aws-vault exec x -- npm ci",
        ],
    );
    follows(
        &npm,
        &["docker build npm", "docker run npm", "docker exec npm ls", "ssh npm ls", "kubectl exec npm -- ls"],
    );
    // Its files are none of here.
    let env = rule(json!({"kind": "path_never", "paths": [".env"]}));
    follows(&env, &["docker exec web rm .env", "ssh host 'rm .env'"]);
}

#[test]
fn files_are_written_in_more_ways() {
    let generated = rule(json!({"kind": "path_never", "paths": ["src/generated/**"]}));
    breaks(
        &generated,
        &[
            "yq -i .a=1 src/generated/a.yml",
            "yq eval -i .a=1 src/generated/a.yml",
            "ruby -pi -e 1 src/generated/a",
            "cat a | sponge src/generated/a",
            "shred src/generated/a",
            "gzip -k src/generated/a",
            "find src/generated -type f | xargs rm",
            "find src/generated -type f -print0 | xargs -0 sed -i s/a/b/",
            "find src/generated -type f | grep -v x | xargs rm",
        ],
    );
    assert_eq!(of(&generated, "gzip src/generated/a"), [Outcome::Broken, Outcome::Broken]);
    follows(
        &generated,
        &[
            "yq .a src/generated/a.yml",
            "ruby -e 1 src/generated/a",
            "gzip -c src/generated/a",
            "find src/generated -type f; rm x",
            "find src/generated -type f | xargs cat",
        ],
    );
    let env = rule(json!({"kind": "path_never", "paths": [".env"]}));
    follows(&env, &["cp .env /tmp/x"]);
    assert_eq!(of(&env, "cp .env backup"), [Outcome::Undecidable]);
    for (tool, input, found) in [
        ("mcp__filesystem__write_file", json!({"path": "/home/u/proj/.env", "content": "x"}), 1),
        ("mcp__fs__edit_file", json!({"path": ".env", "edits": [{"oldText": "a", "newText": "b"}]}), 1),
        ("mcp__fs__move_file", json!({"source": "a", "destination": ".env"}), 1),
        ("mcp__fs__read_file", json!({"path": ".env"}), 0),
        ("mcp__github__create_file", json!({"path": ".env", "content": "x"}), 0),
        ("mcp__notes__edit", json!({"path": ".env"}), 0),
    ] {
        let mut outcomes = of_call(&env, tool, &input);
        outcomes.retain(|outcome| *outcome != Outcome::Followed);
        assert_eq!(outcomes, vec![Outcome::Broken; found], "{tool}");
    }
}
