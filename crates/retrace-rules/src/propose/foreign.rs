//! Plain sentences in other languages that forbid a command in marks of code, and say no more.

use super::of_code;
use crate::rule::Pattern;

/// Beginnings behind which a command is forbidden.
const BEFORE: &[&str] = &[
    "verwende niemals",
    "verwende nie",
    "verwendet niemals",
    "benutze niemals",
    "benutze nie",
    "nutze niemals",
    "nutze nie",
    "niemals",
    "verwende nicht",
    "n'utilise jamais",
    "n’utilise jamais",
    "n'utilisez jamais",
    "n’utilisez jamais",
    "n'utilise pas",
    "n’utilise pas",
    "n'utilisez pas",
    "n’utilisez pas",
    "ne jamais utiliser",
    "ne jamais lancer",
    "ne pas utiliser",
    "ne lance jamais",
    "ne lancez jamais",
    "nunca uses",
    "nunca use",
    "nunca utilices",
    "nunca ejecutes",
    "no uses",
    "no uses nunca",
    "no utilices",
    "no ejecutes",
    "não use",
    "nunca execute",
    "不要使用",
    "不要运行",
    "不要用",
    "禁止使用",
    "禁止运行",
    "请勿使用",
    "请不要使用",
    "永远不要使用",
    "绝不使用",
    "别用",
    "不得使用",
];

/// What stands behind a command that is forbidden, where it begins the sentence.
const BEHIND: &[&str] = &[
    "は使わない",
    "は使わないでください",
    "を使わない",
    "を使わないでください",
    "は使用しない",
    "は使用しないでください",
    "を使用しない",
    "を使用しないでください",
    "は使用禁止",
    "は実行しない",
    "を実行しない",
    "を実行しないでください",
    "는 사용하지 마세요",
    "은 사용하지 마세요",
    "를 사용하지 마세요",
    "을 사용하지 마세요",
    "를 사용하지 않는다",
    "을 사용하지 않는다",
    "를 사용하지 말 것",
    "을 사용하지 말 것",
    "를 쓰지 마세요",
    "을 쓰지 마세요",
    "를 실행하지 마세요",
    "을 실행하지 마세요",
    "사용 금지",
    "는 사용 금지",
    "은 사용 금지",
];

/// Verbs at the end of a German sentence that begins with "niemals".
const VERBS_LAST: &[&str] = &["verwenden", "benutzen", "nutzen", "ausführen", "aufrufen"];

/// "Verwende niemals `npm`", "`npm` は使わない", "不要使用 `npm`".
pub(super) fn never(sentence: &str) -> Option<Pattern> {
    let (before, rest) = sentence.split_once('`')?;
    let (code, behind) = rest.split_once('`')?;
    let before = before.trim().to_lowercase();
    let behind = behind.trim();
    let forbids = if before.is_empty() {
        BEHIND.iter().any(|words| behind.strip_prefix(words).is_some_and(ends))
    } else {
        let behind = VERBS_LAST.iter().find_map(|verb| behind.strip_prefix(verb)).unwrap_or(behind);
        BEFORE.contains(&before.as_str()) && ends(behind)
    };
    // Another command that it names may be the one that is asked for; the same one is no plain sentence.
    (forbids && rest.matches(&format!("`{code}`")).count() == 0)
        .then(|| of_code(code).map(Pattern::CommandNever))
        .flatten()
}

/// True if a sentence ends, or what goes on is about what is used instead.
fn ends(rest: &str) -> bool {
    let rest = rest.trim();
    let begin = rest.trim_start_matches(['.', '!', '。', '！', ',', '，', '、', ';', '；', ' ']);
    let instead = [
        "sondern",
        "mais",
        "sino",
        "mas",
        "use `",
        "usa `",
        "utilise `",
        "用 `",
        "用`",
        "请用",
        "使用 `",
        "改用",
        "代わりに",
        "대신",
    ];
    begin.is_empty()
        || begin.len() < rest.len()
            && (begin.starts_with('`') || instead.iter().any(|word| begin.starts_with(word)))
        || rest.starts_with(['。', '！'])
}
