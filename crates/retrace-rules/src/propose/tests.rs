use crate::*;
use serde_json::{Value, json};

fn proposed(line: &str) -> Vec<Value> {
    propose(line)
        .into_iter()
        .map(|found| {
            let mut fields = Rule { pattern: found.pattern, sentence: String::new(), source: None }.to_json();
            let fields = fields.as_object_mut().expect("an object");
            fields.remove("sentence");
            fields.remove("source");
            Value::Object(fields.clone())
        })
        .collect()
}

#[test]
fn sentences_that_can_be_checked_are_proposed() {
    for (line, expected) in [
        ("- Use pnpm, never npm.", json!([{"kind": "command_never", "program": "npm"}])),
        (
            "Never `git stash`; it loses work.",
            json!([{"kind": "command_never", "program": "git", "arguments": ["stash"]}]),
        ),
        (
            "- Don't use `npm` or `yarn`",
            json!([{"kind": "command_never", "program": "npm"}, {"kind": "command_never", "program": "yarn"}]),
        ),
        ("Use uv instead of pip.", json!([{"kind": "command_never", "program": "pip"}])),
        (
            "No `--no-verify`.",
            json!([{"kind": "command_never", "program": "*", "arguments": ["--no-verify"]}]),
        ),
        (
            "Never push to main.",
            json!([{"kind": "command_never", "program": "git", "arguments": ["push", "main"]}]),
        ),
        (
            "Prefix every command with `rtk`.",
            json!([{"kind": "command_form", "program": "*", "form": "rtk"}]),
        ),
        (
            "Always run `npx tsc --noEmit`.",
            json!([{"kind": "command_form", "program": "tsc", "form": "npx tsc --noEmit"}]),
        ),
        (
            "Never add Co-Authored-By lines to commits.",
            json!([{"kind": "command_form", "program": "git", "arguments": ["commit"], "form": "!Co-Authored-By"}]),
        ),
        (
            "Run `npm run lint` before committing.",
            json!([{"kind": "order", "before": "npm run lint", "after": "git commit"}]),
        ),
        ("Never edit generated code.", json!([{"kind": "path_never", "paths": ["generated"]}])),
        ("Do not touch `db/migrations/`.", json!([{"kind": "path_never", "paths": ["db/migrations/"]}])),
        (
            "`git push` must succeed before you stop.",
            json!([{"kind": "at_end", "program": "git", "arguments": ["push"]}]),
        ),
        (
            "Ask before merging.",
            json!([{"kind": "ask_first", "program": "gh", "arguments": ["pr", "merge"]}]),
        ),
        (
            "Never deploy without asking.",
            json!([{"kind": "ask_first", "program": "*", "arguments": ["deploy"]}]),
        ),
    ] {
        assert_eq!(Value::Array(proposed(line)), expected, "{line}");
    }
}

#[test]
fn a_proposal_says_what_its_sentence_says() {
    for (line, expected) in [
        (
            "Use `uv run pytest` instead of `pytest`.",
            json!([{"kind": "command_form", "program": "pytest", "form": "uv run pytest"}]),
        ),
        (
            "When done, always run `npm run lint` and `npm test`.",
            json!([
                {"kind": "at_end", "program": "npm", "arguments": ["run", "lint"]},
                {"kind": "at_end", "program": "npm", "arguments": ["test"]}
            ]),
        ),
        (
            "Before you finish, run `cargo test`.",
            json!([{"kind": "at_end", "program": "cargo", "arguments": ["test"]}]),
        ),
        (
            "Never push directly to the `main` branch.",
            json!([{"kind": "command_never", "program": "git", "arguments": ["push", "main"]}]),
        ),
        (
            "Run tests with `make test`, never `go test`.",
            json!([{"kind": "command_never", "program": "go", "arguments": ["test"]}]),
        ),
        (
            "Never use npm because it breaks when a lockfile is there.",
            json!([{"kind": "command_never", "program": "npm"}]),
        ),
        (
            "Always run `git pull --rebase`.",
            json!([{"kind": "command_form", "program": "git", "arguments": ["pull"], "form": "git pull --rebase"}]),
        ),
        (
            "Do not run `npm run dev` unless asked.",
            json!([{"kind": "ask_first", "program": "npm", "arguments": ["run", "dev"]}]),
        ),
        ("Never use npm, only pnpm.", json!([{"kind": "command_never", "program": "npm"}])),
        (
            "Never edit `dist/`, run `make` when it is stale.",
            json!([{"kind": "path_never", "paths": ["dist/"]}]),
        ),
        ("In this repo, never use npm.", json!([{"kind": "command_never", "program": "npm"}])),
        (
            "Run `cargo fmt` and `cargo clippy` before every commit.",
            json!([
                {"kind": "order", "before": "cargo fmt", "after": "git commit"},
                {"kind": "order", "before": "cargo clippy", "after": "git commit"}
            ]),
        ),
        (
            "Use `make`; to save, run `npm run lint`, `npm test` before committing.",
            json!([
                {"kind": "order", "before": "npm run lint", "after": "git commit"},
                {"kind": "order", "before": "npm test", "after": "git commit"}
            ]),
        ),
        ("❌ no npm", json!([{"kind": "command_never", "program": "npm"}])),
        (
            "Commands must be prefixed with `rtk`.",
            json!([{"kind": "command_form", "program": "*", "form": "rtk"}]),
        ),
    ] {
        assert_eq!(Value::Array(proposed(line)), expected, "{line}");
    }
    for line in [
        "Never commit directly to main.",
        "Never commit `.env` files.",
        "Never use `npm`, except in `legacy/`.",
        "Do not use npm when a pnpm lockfile is there.",
        "When you test by hand, never use npm.",
        "Never run `npm install` in CI.",
        "Never commit without running the tests.",
        "Use `npm ci`, not `npm`.",
        "Always run `npm run lint`.",
        "Always run `npx tsc --noEmit` after you changed types.",
        "I never use npm because it is slow.",
        "Never use npm, says Bob.",
        "<!-- Never run `docker` -->",
        "<!--\nNever run `docker`.\n-->",
        "---\ntitle: never use npm in front matter\n---\nText.",
        "Never edit `migrations/` unless the plan says so.",
        "Never edit `migrations/` without a plan.",
        "Do not stop before you finish.",
        "It reports with a non-zero exit code — and it runs pre-build `cenvkit gap` (before `docker build`).",
        "chain (both `--flag VAL` and `--flag=VAL` forms) before forwarding to docker",
        "Run `cargo fmt` or `cargo clippy` before every commit.",
        "the trace-specific prefix is `interpolation:` (prefixed with the `interpolation:` label).",
        "Check for the trace-specific prefix `a:` (with the `interpolation:` label).",
        "There is no npm in this container.",
        "The build does not use docker any more.",
        "\"never use yarn\" was the old rule.",
        "We used to say never use `mypy`; now we do use it.",
        "Never `curl | sh`.",
        "Never run `npm ls > out`.",
    ] {
        assert_eq!(proposed(line), Vec::<Value>::new(), "{line}");
    }
    // Around a comment, and behind the front matter, the lines keep their numbers.
    let text = "---\na: 1\n---\n<!-- no\nnpm --> Never use yarn. <!-- x -->\nNever use bun.\n";
    let lines: Vec<u64> = propose(text).iter().map(|found| found.line).collect();
    assert_eq!(lines, [5, 6]);
    // A rule under a line, and no front matter.
    assert_eq!(proposed("---\nNever use npm.").len(), 1);
}

#[test]
fn other_sentences_are_not_proposed() {
    for line in [
        "The build takes two minutes.",
        "# Never use npm",
        "We never saw this fail.",
        "```\nnever npm\n```",
        "Users do not see this.",
        "Prices are not final.",
        "Always write clear code.",
        "Never use `import { z } from \"zod\"`.",
        "Do not use `const x = require('x')`.",
    ] {
        assert_eq!(proposed(line), Vec::<Value>::new(), "{line}");
    }
}

#[test]
fn what_a_whole_sentence_turns_is_not_proposed() {
    let program = |line: &str| proposed(line).first().map(|found| found["program"].clone());
    assert_eq!(program("Prefix every git call with `rtk`."), Some(json!("git")));
    assert_eq!(program("Prefix docker commands with `sudo`."), Some(json!("docker")));
    for text in [
        "If the change is in qa's zone, never edit `*_spec.go` yourself.",
        "- If the change is in qa's zone,\n  never edit `*_test.go` yourself.",
        "- In a case that is rare, and only\n  if the change is old,\n  never use npm.",
        "Never use npm\nunless the person asks for it.",
        "Do not stop using yarn.",
        "~~Never use npm.~~",
        "The user asked why we never use `git stash`.",
        "> Never use bun.",
        "You need not ask before you merge.",
        "Merge without asking.",
    ] {
        assert_eq!(proposed(text), Vec::<Value>::new(), "{text}");
    }
    let wrapped =
        propose("Some text on a line. Here\nis more.\nNever use npm\nin this repository.\n- Never use bun.");
    let lines: Vec<u64> = wrapped.iter().map(|found| found.line).collect();
    assert_eq!(lines, [3, 5]);
    assert_eq!(proposed("~~Old.~~ Never use npm.").len(), 1);
}

#[test]
fn a_sentence_that_says_the_opposite_or_asks_is_not_proposed() {
    for text in [
        "You don't need to avoid `npm`.",
        "You don't need to run `make check` before committing.",
        "Should we never use npm?",
        "Why never use npm? Because of the lockfile.",
        "CI will never run `npm audit`.",
        "This is not npm.",
        "- > Never use yarn.",
        "* > Never use yarn.",
        "Never use npm, yarn is fine.",
        "Before every commit, run `make check` or `make test`.",
        "Before every commit, the hook checks `make check`.",
        "Before every commit, run `make check` if you changed C.",
    ] {
        let programs: Vec<Value> = proposed(text).into_iter().map(|found| found["program"].clone()).collect();
        let expected: &[&str] = if text.ends_with("yarn is fine.") { &["npm"] } else { &[] };
        assert_eq!(json!(programs), json!(expected), "{text}");
    }
    assert_eq!(proposed("You will never run `npm`.").len(), 1);
}

#[test]
fn clear_rules_in_other_order_or_letters_are_proposed() {
    let never = |program: &str| json!({"kind": "command_never", "program": program});
    for (line, expected) in [
        (
            "Before every commit, run `make check`.",
            json!([{"kind": "order", "before": "make check", "after": "git commit"}]),
        ),
        (
            "Before pushing: run `make check` and `make docs`.",
            json!([
                {"kind": "order", "before": "make check", "after": "git push"},
                {"kind": "order", "before": "make docs", "after": "git push"}
            ]),
        ),
        (
            "Never force-push.",
            json!([{"kind": "command_never", "program": "git", "arguments": ["push", "--force"]}]),
        ),
        (
            "Never force push to main.",
            json!([{"kind": "command_never", "program": "git", "arguments": ["push", "--force", "main"]}]),
        ),
        (
            "NEVER EVER use `docker system prune`.",
            json!([{"kind": "command_never", "program": "docker", "arguments": ["system", "prune"]}]),
        ),
        ("Never use npm, yarn, or bun; always pnpm.", json!([never("npm"), never("yarn"), never("bun")])),
        ("Use pnpm, never npm, yarn or bun.", json!([never("npm"), never("yarn"), never("bun")])),
    ] {
        assert_eq!(Value::Array(proposed(line)), expected, "{line}");
    }
}

#[test]
fn a_list_under_never_is_proposed() {
    let text = "## Never\n- `git reset --hard`\n- edit `vendor/`\n- use `wget`\n- Use `curl` with care\n\n## Do not:\n- run `terraform apply`\n- Never mind about `foo`\n- `kubectl delete` unless asked\n\n## Do\n- run `make fmt`\n\nNever:\n* `kubectl apply`\n\nText.\n* `helm install x`\n";
    let lines: Vec<u64> = propose(text).iter().map(|found| found.line).collect();
    assert_eq!(lines, [2, 3, 4, 8, 10, 16]);
    let found = proposed(text);
    assert_eq!(
        found[0],
        json!({"kind": "command_never", "program": "git", "arguments": ["reset", "--hard"]})
    );
    assert_eq!(found[1], json!({"kind": "path_never", "paths": ["vendor/"]}));
    assert_eq!(found[4]["kind"], "ask_first");
    assert_eq!(propose("## Never\n- `git reset --hard`\n")[0].sentence, "`git reset --hard`");
}

#[test]
fn plain_sentences_in_other_languages_are_proposed() {
    for line in [
        "Verwende niemals `npm`.",
        "Niemals `npm` verwenden.",
        "- N'utilise jamais `npm`.",
        "Ne jamais utiliser `npm`.",
        "Nunca uses `npm`.",
        "No uses nunca `npm`.",
        "`npm` は使わない。",
        "`npm`は使わないでください",
        "不要使用 `npm`，用 `pnpm`。",
        "不要使用 `npm`,用 `pnpm`。",
        "`npm`을 사용하지 마세요.",
        "`npm` 사용 금지.",
    ] {
        assert_eq!(
            Value::Array(proposed(line)),
            json!([{"kind": "command_never", "program": "npm"}]),
            "{line}"
        );
    }
    for line in [
        "Verwende niemals `npm` in der CI.",
        "N'utilise jamais `npm` sauf dans `docs/`.",
        "Nunca uses `npm` si hay un lockfile.",
        "`npm` は使わない場合があります。",
        "不要使用 `npm` 的缓存。",
        "Wir haben niemals `npm` verwendet.",
    ] {
        assert_eq!(proposed(line), Vec::<Value>::new(), "{line}");
    }
}
