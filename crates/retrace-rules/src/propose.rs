//! Sentences that look like rules, with kind and pattern filled in. A person confirms or changes each before it counts.

mod foreign;
mod limits;
mod lines;
mod sessions;

use crate::matching::{Answer, call_matches};
use crate::rule::{Command, Form, Pattern, TextForm};
use crate::shell::calls;
use limits::{CASES, EXCEPTIONS, asks_nothing, is_limited, is_of_a_case, is_said_of, says_no_more};
use lines::{lines, whole};
use sessions::{ask_first, at_end, order};

pub(crate) use limits::{is_told, takes_back};
pub use lines::{asking_lines, shown_lines};
pub(crate) use lines::{sentences, without_struck};
pub(crate) use sessions::needs_no_asking;

/// A sentence that looks like a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// Line of the sentence, from 1.
    pub line: u64,
    /// The sentence, without the marks of a list.
    pub sentence: String,
    /// What it seems to ask.
    pub pattern: Pattern,
}

/// Programs that a sentence may name without marks of code.
pub(crate) const PROGRAMS: [&str; 48] = [
    "npm",
    "npx",
    "pnpm",
    "yarn",
    "bun",
    "bunx",
    "node",
    "deno",
    "git",
    "gh",
    "docker",
    "podman",
    "make",
    "cmake",
    "cargo",
    "rustup",
    "pip",
    "pip3",
    "pipx",
    "uv",
    "uvx",
    "poetry",
    "pipenv",
    "conda",
    "python",
    "python3",
    "pytest",
    "tox",
    "jest",
    "vitest",
    "eslint",
    "prettier",
    "tsc",
    "ruff",
    "mypy",
    "terraform",
    "kubectl",
    "helm",
    "sudo",
    "curl",
    "wget",
    "rm",
    "sed",
    "awk",
    "grep",
    "psql",
    "aws",
    "gcloud",
];

/// Acts that a sentence names by a verb, and the command each is.
pub(crate) const ACTS: [(&[&str], &str); 10] = [
    (&["force-push", "force-pushing", "force-pushes"], "git push --force"),
    (&["commit", "committing", "commits"], "git commit"),
    (&["push", "pushing", "pushes"], "git push"),
    (&["merge", "merging"], "gh pr merge"),
    (&["rebase", "rebasing"], "git rebase"),
    (&["stash", "stashing"], "git stash"),
    (&["publish", "publishing"], "npm publish"),
    (&["deploy", "deploying"], "* deploy"),
    (&["lint", "linting"], "* lint"),
    (&["preflight"], "* preflight"),
];

/// Words that forbid what follows.
pub(crate) const FORBID: [&str; 14] = [
    "never ",
    "do not ",
    "don't ",
    "don’t ",
    "must not ",
    "should not ",
    "avoid ",
    "not ",
    "no ",
    "instead of ",
    "rather than ",
    "forbidden: ",
    "must never ",
    "stop using ",
];

/// Verbs for changing a file.
pub(crate) const EDITS: [&str; 9] = [
    "edit ",
    "touch ",
    "modify ",
    "change ",
    "write to ",
    "alter ",
    "hand-edit ",
    "manually edit ",
    "commit to ",
];

/// Most proposals of one text.
const MOST: usize = 500;

/// Longest line that is read, in characters.
const LONGEST_LINE: usize = 1_000;

/// Proposals of a Markdown text. Code blocks, headings, front matter, comments and quotations are left out.
#[must_use]
pub fn propose(text: &str) -> Vec<Proposal> {
    let lines = lines(text);
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        for (place, sentence) in line.sentences.iter().enumerate() {
            // Under "Never:" a line of a list is forbidden.
            let is_led = line.is_forbidden && place == 0;
            let read = |text: &str| if is_led { led(text) } else { patterns(text) };
            let mut asked = read(sentence);
            if !asked.is_empty() {
                // What the sentence says on other lines may turn it.
                let wholly = read(&whole(&lines, at, place));
                asked.retain(|pattern| wholly.contains(pattern));
            }
            for pattern in asked {
                found.push(Proposal { line: line.number, sentence: sentence.clone(), pattern });
                if found.len() >= MOST {
                    return found;
                }
            }
        }
    }
    found
}

/// What a line of a list forbids under "Never:", where it is a command or says what is done with a name in marks of code.
fn led(item: &str) -> Vec<Pattern> {
    let lower = item.to_lowercase();
    let verbs = ["use ", "using ", "run ", "running ", "call ", "execute "];
    let begins = |verb: &&str| {
        tail(item, &lower, lower.strip_prefix(*verb).map_or(lower.len(), |_| verb.len())).starts_with('`')
    };
    let is_thing = item.starts_with('`') || verbs.iter().chain(&EDITS).any(begins);
    if is_thing { patterns(&format!("Never {item}")) } else { Vec::new() }
}

/// "`t.Parallel()` in every test".
fn text_form(lower: &str) -> Option<Pattern> {
    let in_each =
        ["every test", "all tests", "each test", "in tests"].iter().any(|each| lower.contains(each));
    let found = lower.contains("t.parallel()") && in_each && !FORBID.iter().any(|no| lower.contains(no));
    found.then(|| {
        Pattern::TextForm(TextForm {
            paths: vec!["*_test.go".to_owned()],
            text: "func Test".to_owned(),
            form: Form::With(vec!["t.Parallel()".to_owned()]),
        })
    })
}

pub(crate) fn patterns(sentence: &str) -> Vec<Pattern> {
    let lower = sentence.to_lowercase();
    if is_told(&lower) || asks_nothing(&lower) {
        return Vec::new();
    }
    if let Some(ask) = ask_first(&lower, sentence) {
        return vec![ask];
    }
    // No pattern says an exception.
    if EXCEPTIONS.iter().any(|exception| find_word(&lower, exception).is_some()) {
        return Vec::new();
    }
    let ends = at_end(&lower, sentence);
    if !ends.is_empty() {
        return ends;
    }
    let orders = order(&lower, sentence);
    if !orders.is_empty() {
        return orders;
    }
    if is_of_a_case(&lower) {
        return Vec::new();
    }
    let one = path_never(&lower, sentence)
        .or_else(|| prefix(&lower, sentence))
        .or_else(|| trailer(&lower, sentence))
        .or_else(|| text_form(&lower));
    if let Some(one) = one {
        return vec![one];
    }
    if let Some(never) = foreign::never(sentence) {
        return vec![never];
    }
    let never = never(&lower, sentence);
    if never.is_empty() { form(&lower, sentence).into_iter().collect() } else { never }
}

/// "never `git stash`", "pnpm, never npm", "use uv instead of pip".
fn never(lower: &str, sentence: &str) -> Vec<Pattern> {
    for forbid in FORBID {
        let Some(at) = find_word(lower, forbid) else { continue };
        let rest = tail(sentence, lower, at + forbid.len());
        // "Do not stop using" asks for it.
        let before = lower[..at].trim_end();
        if FORBID.iter().any(|forbid| forbid.trim_end().len() > 2 && before.ends_with(forbid.trim_end())) {
            continue;
        }
        // "CI will never run it".
        if is_said_of(before) {
            continue;
        }
        // "No need", "no more than": not of a thing, and of a thing only where the sentence or a part of it begins.
        if *forbid == *"no " && !begins_part(&lower[..at]) {
            continue;
        }
        let verbs = [
            "use ", "using ", "run ", "call ", "do ", "execute ", "invoke ", "ever ", "pass ", "add ", "a ",
            "the ",
        ];
        let rest = behind_any(rest, &verbs);
        let (forbidden, after) = listed(rest);
        if forbidden.is_empty() {
            continue;
        }
        if !says_no_more(after) {
            return Vec::new();
        }
        let wanted = spans(sentence.get(..at).unwrap_or_default()).into_iter().chain(spans(after));
        let wanted: Vec<&str> = wanted.collect();
        return forbidden.into_iter().filter_map(|command| not_contradicted(command, &wanted)).collect();
    }
    Vec::new()
}

/// A text behind as many of these words as it begins with.
fn behind_any<'t>(text: &'t str, words: &[&str]) -> &'t str {
    let mut rest = text;
    while let Some(next) = words.iter().find_map(|word| {
        let (begin, next) = rest.split_at_checked(word.len())?;
        begin.eq_ignore_ascii_case(word).then_some(next)
    }) {
        rest = next;
    }
    rest
}

/// True if a part of a sentence begins behind a text.
fn begins_part(before: &str) -> bool {
    let before = before.trim_end_matches([' ', '*', '_', '❌', '🚫', '[', ']', '"', '“', '⚠', '\u{fe0f}']);
    before.is_empty()
        || before.ends_with([',', ':', ';', '.', '—', '–', '-', '(', '!'])
        || before.ends_with(" and")
        || before.ends_with(" but")
        || before.ends_with(" with")
}

/// What forbids a command, where the sentence asks for others: where it asks for the same command as another one starts it
/// ("`uv run pytest` instead of `pytest`"), that form of it. `None` where it asks for what it would forbid.
fn not_contradicted(command: Command, wanted: &[&str]) -> Option<Pattern> {
    for text in wanted {
        let found = calls(text);
        let Some(call) = found.calls.iter().find(|call| call_matches(&command, call) == Answer::Yes) else {
            continue;
        };
        let form = Form::typed(text)?;
        return (!call.within.is_empty()).then_some(Pattern::CommandForm { command, form });
    }
    Some(Pattern::CommandNever(command))
}

/// Commands at the start of a text, and what stands behind them: "`npm` or `yarn`".
fn listed(text: &str) -> (Vec<Command>, &str) {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some((command, behind)) = named_command(rest) {
        found.push(command);
        rest = behind;
        let after = behind.trim_start_matches([',', '/', ' ']);
        let next = after
            .strip_prefix("or ")
            .or_else(|| after.strip_prefix("and "))
            .or_else(|| (after.starts_with('`') || goes_on_to_last(behind)).then_some(after));
        match next {
            Some(next) if named_command(next).is_some() => rest = next,
            _ => break,
        }
    }
    (found, rest)
}

/// True if a list of names goes on to the last one of it: ", yarn, or bun". Without the last one, what stands behind a comma is another
/// clause.
fn goes_on_to_last(behind: &str) -> bool {
    let mut rest = behind;
    while let Some(next) = rest.strip_prefix(", ") {
        let last = next.strip_prefix("or ").or_else(|| next.strip_prefix("nor "));
        if let Some(last) = last {
            return named_command(last).is_some();
        }
        let Some((_, behind)) = named_command(next) else { return false };
        rest = behind;
        if rest.strip_prefix(" or ").is_some_and(|last| named_command(last).is_some()) {
            return true;
        }
    }
    false
}

/// A command at the start of a text, as code or as the name of a known program or act, and what follows it.
fn named_command(text: &str) -> Option<(Command, &str)> {
    if let Some(code) = text.strip_prefix('`') {
        let (code, after) = code.split_once('`')?;
        return Some((of_code(code)?, after));
    }
    let end = text
        .find(|letter: char| !(letter.is_ascii_alphanumeric() || "-_".contains(letter)))
        .unwrap_or(text.len());
    let (word, after) = text.split_at(end);
    let lower = word.to_ascii_lowercase();
    if let Some(program) = PROGRAMS.iter().find(|program| **program == lower) {
        // "git stash": the word behind a program that has subcommands is one of them where it is no common word.
        return Some((Command { program: (*program).to_owned(), arguments: Vec::new() }, after));
    }
    let (lower, after) = match after.strip_prefix(' ').filter(|_| lower == "force") {
        Some(next) if next.starts_with("push") => {
            let end = next.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(next.len());
            (format!("force-{}", next[..end].to_ascii_lowercase()), &next[end..])
        }
        _ => (lower, after),
    };
    let act = ACTS.iter().find(|(verbs, _)| verbs.contains(&lower.as_str()))?;
    let mut command = Command::typed(act.1)?;
    // A push names its branch, so "directly" says no more than that; a commit names none.
    let branch =
        after.trim_start().strip_prefix("to ").or_else(|| after.trim_start().strip_prefix("directly to "));
    let branch = branch.map(|branch| branch.strip_prefix("the ").unwrap_or(branch));
    if let Some(branch) = branch.filter(|_| act.1.starts_with("git push")) {
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || "-_/".contains(letter);
        let name = branch.trim_start_matches('`');
        let end = name.find(|letter| !is_part(letter)).unwrap_or(name.len());
        let (name, after) = name.split_at(end);
        if !name.is_empty() {
            command.arguments.push(name.to_owned());
            let after = after.strip_prefix('`').unwrap_or(after);
            return Some((command, after.strip_prefix(" branch").unwrap_or(after)));
        }
    }
    Some((command, after))
}

/// Words with which lines of programs begin.
const OF_LANGUAGES: [&str; 16] = [
    "import", "from", "const", "let", "var", "export", "use", "fn", "def", "class", "return", "select",
    "async", "await", "function", "type",
];

/// A command from marks of code: a typed command, a known program, or an option alone.
fn of_code(code: &str) -> Option<Command> {
    let code = code.trim();
    if code.starts_with("--") && !code.contains(' ') {
        return Some(Command { program: "*".to_owned(), arguments: vec![code.to_owned()] });
    }
    let command = Command::typed(code)?;
    let is_program = |name: &str| {
        name.bytes().all(|letter| letter.is_ascii_alphanumeric() || b"-_.".contains(&letter))
            && !name.ends_with(".md")
    };
    // A line of a program, which begins with one of its language's own words, is typed into no shell.
    if OF_LANGUAGES.contains(&command.program.as_str()) {
        return None;
    }
    // More than one call, or what the shell does with its output, no pattern names.
    if code.contains(['|', '>', '<', ';', '&', '$', '(', '`']) {
        return None;
    }
    let known = PROGRAMS.contains(&command.program.as_str());
    (known || code.contains(' ') && is_program(&command.program) && calls(code).calls.len() == 1)
        .then_some(command)
}

/// "never edit generated code", "do not touch `migrations/`".
fn path_never(lower: &str, sentence: &str) -> Option<Pattern> {
    let forbids = ["never ", "do not ", "don't ", "don’t ", "must not ", "avoid "];
    let at = forbids.iter().find_map(|forbid| find_word(lower, forbid).map(|at| at + forbid.len()))?;
    let rest = tail(sentence, lower, at);
    let rest =
        EDITS.iter().find_map(|verb| rest.to_lowercase().starts_with(verb).then(|| &rest[verb.len()..]))?;
    if is_limited(&rest.to_lowercase()) {
        return None;
    }
    let paths: Vec<String> =
        spans(rest).into_iter().filter(|span| is_path(span)).map(str::to_owned).collect();
    if !paths.is_empty() {
        return Some(Pattern::PathNever(paths));
    }
    let words: Vec<String> = rest
        .split_whitespace()
        .take(6)
        .map(|word| word.trim_matches(|letter: char| ".,;:()".contains(letter)).to_lowercase())
        .collect();
    let word = ["generated", "migrations", "vendor", "vendored", "dist", "node_modules"]
        .into_iter()
        .find(|known| words.iter().any(|word| word == known))?;
    Some(Pattern::PathNever(vec![if word == "vendored" { "vendor" } else { word }.to_owned()]))
}

fn is_path(text: &str) -> bool {
    !text.contains(' ')
        && (text.contains('/') || text.contains('*') || text.contains('.'))
        && !text.starts_with('-')
        && crate::paths::path_globs(text).is_some()
}

/// "prefix every command with `rtk`".
fn prefix(lower: &str, sentence: &str) -> Option<Pattern> {
    let at = asked_prefix(lower)?;
    let with = lower[at..].find("with ").map(|with| at + with + "with ".len())?;
    let rest = tail(sentence, lower, with);
    let word = spans(rest).into_iter().next().or_else(|| rest.split_whitespace().next())?;
    let word = word.trim_matches(|letter: char| "`.,;:\"'".contains(letter));
    let named = spans(sentence.get(..at).unwrap_or_default())
        .into_iter()
        .chain(spans(tail(sentence, lower, at).get(..with - at).unwrap_or_default()));
    let between = tail(sentence, lower, at).get(..with - at).unwrap_or_default();
    let plain = between.split(|letter: char| !(letter.is_alphanumeric() || "-_".contains(letter)));
    let plain = plain.map(str::to_lowercase).find(|word| PROGRAMS.contains(&word.as_str()));
    let program = named.filter_map(of_code).map(|command| command.program).next().or(plain);
    let command = Command { program: program.unwrap_or_else(|| "*".to_owned()), arguments: Vec::new() };
    (!word.is_empty()).then(|| Pattern::CommandForm { command, form: Form::With(vec![word.to_owned()]) })
}

/// Where a sentence asks to prefix something: "prefix" is a thing as well ("the prefix is …").
fn asked_prefix(lower: &str) -> Option<usize> {
    let asks = ["always", "must", "please", "should", "to", "and", "be", "also"];
    let places = lower.match_indices("prefix").map(|(at, _)| at);
    places.into_iter().find(|at| {
        let rest = &lower[at + "prefix".len()..];
        let is_verb = rest.starts_with(' ') || rest.starts_with("ed with ");
        let before = lower[..*at].trim_end();
        let last = before.rsplit(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
        let begins = before.is_empty()
            || before.ends_with([',', ':', ';', '.', '—', '–'])
            || asks.contains(&last) && lower[..*at].ends_with(' ');
        is_verb && begins
    })
}

/// "no Co-Authored-By in commits".
fn trailer(lower: &str, _sentence: &str) -> Option<Pattern> {
    let at = lower.find("co-authored-by")?;
    let forbids = FORBID.iter().any(|forbid| find_word(&lower[..at], forbid).is_some())
        || lower[..at].contains("without ");
    forbids.then(|| Pattern::CommandForm {
        command: Command { program: "git".to_owned(), arguments: vec!["commit".to_owned()] },
        form: Form::Without("Co-Authored-By".to_owned()),
    })
}

/// "always `npx tsc --noEmit`".
fn form(lower: &str, sentence: &str) -> Option<Pattern> {
    let at = ["always ", "must use ", "must be run as ", "only ever "]
        .iter()
        .find_map(|word| find_word(lower, word).map(|at| at + word.len()))?;
    let rest = tail(sentence, lower, at);
    let span = spans(rest).into_iter().find(|span| span.contains(' '))?;
    if CASES.iter().any(|case| find_word(&rest.to_lowercase(), case).is_some()) {
        return None;
    }
    let found = calls(span);
    let inner = found.calls.last().filter(|_| found.unparsed.is_empty())?;
    if found.calls.iter().any(|call| call.program != inner.program && call.within.len() == inner.within.len())
    {
        return None;
    }
    let arguments =
        inner.arguments.first().map(|first| first.text.clone()).filter(|first| !first.starts_with('-'));
    // More words name another thing to do, and no form of this one: not every `npm run` is an `npm run lint`.
    let named = usize::from(arguments.is_some());
    if inner.arguments.iter().skip(named).any(|argument| !argument.text.starts_with('-')) {
        return None;
    }
    let command = Command { program: inner.program.clone(), arguments: arguments.into_iter().collect() };
    let form = Form::typed(span)?;
    let says_more = matches!(&form, Form::With(words) if words.len() > 1 + command.arguments.len());
    says_more.then_some(Pattern::CommandForm { command, form })
}

/// The first command that a text names, as code, program or act.
fn first_command(text: &str) -> Option<Command> {
    let starts = std::iter::once(0)
        .chain(text.char_indices().filter(|(_, letter)| *letter == ' ').map(|(at, _)| at + 1));
    starts.filter_map(|at| text.get(at..)).find_map(named_command).map(|(command, _)| command)
}

/// Texts between marks of code.
fn spans(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).map(str::trim).filter(|span| !span.is_empty()).collect()
}

/// Where words stand, at the start of a word.
pub(crate) fn find_word(lower: &str, wanted: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = lower.get(from..)?.find(wanted) {
        let at = from + at;
        if at == 0 || !lower[..at].ends_with(|letter: char| letter.is_alphanumeric()) {
            return Some(at);
        }
        from = at + wanted.len();
    }
    None
}

/// The end of a sentence from a place of its text in lower case, which may have another length.
fn tail<'s>(sentence: &'s str, lower: &str, at: usize) -> &'s str {
    if sentence.len() == lower.len() { sentence.get(at..).unwrap_or_default() } else { "" }
}

#[cfg(test)]
mod tests;
