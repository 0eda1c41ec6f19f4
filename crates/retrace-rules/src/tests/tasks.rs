//! Tasks by the name of their runner, and what a formatter changes.

use super::*;

fn matches(pattern: &str, command: &str) -> bool {
    let mut words = pattern.split(' ');
    let program = words.next().expect("a program");
    let pattern =
        crate::rule::Command { program: program.to_owned(), arguments: words.map(str::to_owned).collect() };
    crate::shell::calls(command)
        .calls
        .iter()
        .any(|call| crate::matching::call_matches(&pattern, call) == crate::matching::Answer::Yes)
}

#[test]
fn a_task_is_known_whatever_runs_it() {
    for command in [
        "npm run lint",
        "npm run lint -- --quiet",
        "npm run -w pkg lint",
        "npm --prefix ui run lint",
        "pnpm lint",
        "pnpm -F web run lint",
        "yarn lint",
        "yarn workspace web lint",
        "bun run lint",
        "deno task lint",
        "make lint",
        "make -C sub build lint",
        "mise run lint",
        "rtk npm run lint",
        "cd x && uv run poe lint",
        "uv run lint",
        "hatch run dev:lint",
        "nx lint web",
        "nx run web:lint",
        "turbo run build lint",
        "run-s build lint",
        "./gradlew :app:lint",
        "ruff lint",
    ] {
        assert!(matches("* lint", command), "{command}");
    }
    for command in [
        "echo lint",
        "echo npm run lint",
        "npm run lint:fix",
        "npm run lintx",
        "npm run build lint",
        "npm install lint",
        "pnpm --filter lint build",
        "yarn workspace lint build",
        "git commit -m lint",
        "git checkout lint",
        "cat lint",
        "cd lint",
        "grep -r lint .",
        "mkdir lint",
        "rm -rf lint",
        "which lint",
        "command -v lint",
        "make build LINT=1",
        "make lint-docs",
    ] {
        assert!(!matches("* lint", command), "{command}");
    }
    assert!(matches("* lint*", "npm run lint:fix"));
    assert!(matches("* --no-verify", "git commit --no-verify"));
    assert!(!matches("* --no-verify", "echo --no-verify"));
}

#[test]
fn the_word_before_a_script_may_be_left_out() {
    for (pattern, command) in [
        ("pnpm lint", "pnpm run lint"),
        ("pnpm run lint", "pnpm lint"),
        ("yarn run build web", "yarn build web"),
        ("npm test", "npm run test"),
        ("npm run test", "npm t"),
        ("npm run lint", "npm run-script lint"),
        ("* test", "bun run test"),
        ("npm run *", "npm run lint"),
    ] {
        assert!(matches(pattern, command), "{pattern}: {command}");
    }
    for (pattern, command) in [
        ("pnpm install", "pnpm run install"),
        ("pnpm lint", "npm run lint"),
        ("npm run lint", "npm install lint"),
        ("npm install", "npm run build"),
        ("bun test", "bun run test"),
        ("npm run", "npm test"),
        ("pnpm add lint", "pnpm lint"),
    ] {
        assert!(!matches(pattern, command), "{pattern}: {command}");
    }
    // Which script that is, only the shell knows.
    let never =
        |arguments: Value| rule(json!({"kind": "command_never", "program": "npm", "arguments": arguments}));
    let run = [said("Go on.")];
    let run = all(&[&run, &bash("a", "npm run $SCRIPT")]);
    assert_eq!(outcomes(&never(json!(["test"])), run.clone()), [Outcome::Undecidable]);
    assert_eq!(outcomes(&never(json!(["install"])), run), [Outcome::Followed]);
}

#[test]
fn what_a_formatter_changes_comes_after_the_lint() {
    let order = rule(json!({"kind": "order", "before": "* lint", "after": "git commit"}));
    let start = all(&[&[said("Fix it.")], &edit("a", "/p/a.go"), &bash("b", "npm run lint")]);
    for (command, expected) in [
        ("true", Outcome::Followed),
        ("gofmt -l .", Outcome::Followed),
        ("gofmt -w a.go", Outcome::Broken),
        ("git checkout --theirs a.go", Outcome::Broken),
        ("git restore --staged a.go", Outcome::Followed),
        ("git restore a.go", Outcome::Broken),
        ("git apply x.patch", Outcome::Broken),
        ("cargo fmt", Outcome::Broken),
        ("cargo fmt && make lint", Outcome::Followed),
        ("ruff check --fix src", Outcome::Broken),
        ("npx prettier --write a.ts", Outcome::Broken),
        ("echo lint", Outcome::Followed),
    ] {
        let made = all(&[&start, &bash("c", command), &bash("d", "git commit -m x")]);
        assert_eq!(outcomes(&order, made), [expected], "{command}");
    }
    // What is asked first and changes files itself is no change behind it.
    let order = rule(json!({"kind": "order", "before": "cargo fmt", "after": "git commit"}));
    let made = all(&[&edit("a", "/p/a.rs"), &bash("b", "cargo fmt && git commit -m x")]);
    assert_eq!(outcomes(&order, made), [Outcome::Followed]);
}

#[test]
fn a_formatter_writes_the_files_that_it_names() {
    let never = rule(json!({"kind": "path_never", "paths": ["src/generated/**", ".env"]}));
    let go = [said("Go on.")];
    for (command, expected) in [
        ("prettier --write src/generated/a.ts", &[Outcome::Broken][..]),
        ("prettier --check src/generated/a.ts", &[]),
        ("git checkout --theirs src/generated/a.ts src/b.ts", &[Outcome::Broken, Outcome::Followed]),
        ("git restore .env", &[Outcome::Broken]),
        // Which files that changed, nobody knows.
        ("prettier --write .", &[Outcome::Followed]),
    ] {
        assert_eq!(outcomes(&never, all(&[&go, &bash("a", command)])), expected, "{command}");
    }
}
