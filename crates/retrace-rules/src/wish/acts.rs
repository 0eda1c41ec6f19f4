//! Acts as people name them: by other words than the command has, and in other languages.
//!
//! A text is put into the words of the command, and then read as every other: see [`in_words_of`].

use super::clauses::is_form;
use std::borrow::Cow;

/// An act, and the words for it.
struct Act {
    /// Words of commands that carry it out.
    commands: &'static [&'static str],
    /// Forms by which it is asked for: German, French, Spanish, Portuguese.
    verbs: &'static [&'static str],
    /// Other words for it, or for what cannot be done without it. `a|b` is one of two words, `~` up to three words of any kind.
    phrases: &'static [&'static str],
    /// The beginning of the word in Japanese, Korean and Chinese, where its ending or nothing at all stands behind it.
    stems: &'static [&'static str],
}

/// The acts that people are asked about before they are done.
const ACTS: [Act; 7] = [
    Act {
        commands: &["push"],
        verbs: &[
            "pushe",
            "pushen",
            "pousse",
            "poussez",
            "pousser",
            "pushez",
            "pusher",
            "sube",
            "subir",
            "súbelo",
            "subelo",
            "empuja",
            "pushea",
            "pushear",
            "suba",
            "sobe",
            "pusha",
            "pushar",
            "empurre",
            "запушь",
            "запуши",
            "пушь",
        ],
        phrases: &[
            "create|raise|submit|file ~ pr|prs|mr",
            "create|raise|submit|file ~ pull|merge request|requests",
            "open|make|prepare|send a|an|another ~ pr|mr",
            "open|make|prepare|send a|an|another ~ pull|merge request",
            "get|put ~ pr ready|up|open|out",
            "put up ~ pr|prs|mr",
            "put ~ up for review",
            "erstelle|erstell ~ pr",
            "öffne|mach ein|einen ~ pr",
            "crée|créer|créez ~ pr",
            "ouvre|ouvrir|ouvrez|fais une|un ~ pr",
            "crea|crear ~ pr",
            "abre|abrir|haz un|una ~ pr",
            "crie|criar ~ pr",
            "abra|abrir|faça um|uma ~ pr",
            "ship it|this|that|them",
            "send|get|put it|this|that|them|everything upstream",
            "publish the|this|my|your ~ branch",
            "land it|this|that|them",
            "land the|my|your ~ pr|patch|change|changes|branch|fix|commit|commits",
            "get|bring it|this|that|them|everything on|onto|into|to main|master",
            "get|bring the|my|your ~ on|onto|into main|master",
            "merge it|this|that|them",
            "merge it|this|that|them|everything into|to main|master",
        ],
        stems: &[
            "プッシュ",
            "push",
            "PRを作",
            "PRを出",
            "プルリクを",
            "プルリクエストを",
            "푸시",
            "푸쉬",
            "PR 만들",
            "PR을 만들",
            "推送",
            "推上去",
            "推到",
            "提PR",
            "提 PR",
            "提个PR",
            "创建PR",
            "创建 PR",
            "开PR",
            "开个PR",
        ],
    },
    Act {
        commands: &["commit"],
        verbs: &[
            "committe",
            "committen",
            "commite",
            "commitez",
            "commiter",
            "committez",
            "commitea",
            "commitear",
            "commita",
            "commitar",
            "comita",
            "comitar",
        ],
        phrases: &[
            "create|raise|submit|file ~ pr|prs",
            "create|raise|submit|file ~ pull request|requests",
            "open|make a|an|another ~ pr",
            "open|make a|an|another ~ pull request",
            "ship it|this|that|them",
            "land it|this|that|them",
            "check it|this|them in",
        ],
        stems: &["コミット", "commit", "커밋", "提交"],
    },
    Act {
        commands: &["merge"],
        verbs: &[
            "merge",
            "mergen",
            "fusionne",
            "fusionnez",
            "fusionner",
            "mergez",
            "fusiona",
            "fusionar",
            "mergea",
            "mergear",
            "mescle",
            "mesclar",
            "mergeia",
        ],
        phrases: &[
            "ship it|this|that|them",
            "land it|this|that|them",
            "land the|my|your ~ pr|patch|change|changes|branch|fix|commit|commits",
            "bring|get it|this|that|them in",
            "get|bring it|this|that|them|everything on|onto|into|to main|master",
            "get|bring the|my|your ~ on|onto|into main|master",
        ],
        stems: &["マージ", "merge", "머지", "병합", "合并", "合併"],
    },
    Act {
        commands: &["deploy"],
        verbs: &[
            "deploye",
            "deployen",
            "déploie",
            "déployez",
            "déployer",
            "despliega",
            "despliégalo",
            "desplegar",
            "implante",
            "implantar",
        ],
        phrases: &[
            "roll it|this|that|them out",
            "bring ~ live",
            "ship ~ to prod|production|staging",
            "get|put ~ in|into|on|onto prod|production|staging",
            "roll ~ aus",
        ],
        stems: &["デプロイ", "deploy", "배포", "部署"],
    },
    Act {
        commands: &["publish"],
        verbs: &[
            "veröffentliche",
            "veröffentlichen",
            "publie",
            "publiez",
            "publier",
            "publica",
            "publícalo",
            "publicar",
            "publique",
        ],
        phrases: &[
            "release it|this|that|them",
            "cut|make|do a release",
            "release ~ to|on npm|pypi|crates.io",
        ],
        stems: &["公開", "パブリッシュ", "publish", "게시", "发布", "發布"],
    },
    Act {
        commands: &["delete", "rm"],
        verbs: &[
            "delete",
            "remove",
            "lösche",
            "löschen",
            "supprime",
            "supprimez",
            "supprimer",
            "efface",
            "effacer",
            "borra",
            "bórralo",
            "borrar",
            "elimina",
            "eliminar",
            "apague",
            "apagar",
            "exclua",
            "excluir",
        ],
        phrases: &["get rid of", "throw it|this|that|them away"],
        stems: &["削除", "消して", "delete", "삭제", "删除", "刪除", "删掉"],
    },
    Act {
        commands: &["install"],
        verbs: &[
            "installiere",
            "installieren",
            "installe",
            "installez",
            "instala",
            "instálalo",
            "instalar",
            "instale",
        ],
        phrases: &[],
        stems: &["インストール", "install", "설치", "安装", "安裝"],
    },
];

/// Verbs that do what the noun behind them says: "do a push", "fais un commit".
const LIGHT: &[&str] =
    &["do", "make", "mach", "mache", "fais", "faites", "faire", "haz", "hacer", "faça", "faz", "fazer"];

/// Words between such a verb and its noun.
const ARTICLES: &[&str] = &["a", "the", "einen", "den", "un", "une", "le", "el", "o", "um"];

/// Words behind a verb that refuse it.
const BEHIND: &[&str] = &["pas", "nicht"];

/// Branches that a phrase ends with.
const BRANCHES: &[&str] = &["main", "master"];

/// Words behind a pull request that name another thing: "create a PR template".
const OF_A_REQUEST: &[&str] = &[
    "template",
    "templates",
    "comment",
    "comments",
    "description",
    "title",
    "review",
    "check",
    "checks",
    "summary",
    "feedback",
];

/// What a clause in Japanese, Korean or Chinese says with an act.
struct Written {
    refuses: &'static [&'static str],
    /// Behind the stem at once: it was done, or is spoken of.
    tells: &'static [&'static str],
    /// Anywhere: somebody else does it, or a question is about it.
    speaks: &'static [&'static str],
    /// It asks, also as a question.
    asks: &'static [&'static str],
}

/// Japanese, Korean and Chinese together: none of these is a word of another one with another meaning.
const WRITTEN: Written = Written {
    refuses: &[
        "しない",
        "せず",
        "するな",
        "ないで",
        "しなくて",
        "やめ",
        "禁止",
        "하지 마",
        "하지마",
        "하지 말",
        "하지말",
        "하면 안",
        "금지",
        "不要",
        "别",
        "別",
        "不用",
        "不得",
        "勿",
        "先不",
        "不能",
        "不准",
    ],
    tells: &[
        "した",
        "しました",
        "され",
        "済",
        "中",
        "鍵",
        "に失敗",
        "が失敗",
        "できな",
        "は",
        "했",
        "됐",
        "된",
        "가 ",
        "이 ",
        "실패",
        "了",
        "过",
        "過",
        "失败",
        "失敗",
        "后",
        "後",
        "通知",
        "알림",
    ],
    speaks: &[
        "なぜ",
        "どう",
        "왜",
        "어떻게",
        "为什么",
        "為什麼",
        "怎么",
        "怎麼",
        "如何",
        "我",
        "他",
        "她",
        "它",
    ],
    asks: &[
        "して",
        "しろ",
        "お願い",
        "ください",
        "下さい",
        "頼",
        "해줘",
        "해 줘",
        "해주",
        "해 주",
        "하세요",
        "주세요",
        "부탁",
        "줄래",
        "하자",
        "请",
        "請",
        "帮",
        "幫",
        "麻烦",
        "麻煩",
        "可以",
        "能",
        "一下",
    ],
};

fn act_of(word: &str) -> Option<&'static Act> {
    ACTS.iter().find(|act| act.commands.contains(&word))
}

/// True for the word of a command that names an act of the table.
pub(super) fn is_act(word: &str) -> bool {
    act_of(word).is_some()
}

/// A text in which every act of these words of a command is named by that word.
pub(super) fn in_words_of<'t>(text: &'t str, wanted: &[&str]) -> Cow<'t, str> {
    let mut text = Cow::Borrowed(text);
    for word in wanted {
        if let Some(act) = act_of(word) {
            text = Cow::Owned(with_word(&text, act, word));
        }
    }
    text
}

/// True if a text names an act, whatever it says of it.
pub(super) fn names_act(text: &str, word: &str) -> bool {
    let Some(act) = act_of(word) else { return super::names(text, word) };
    let lower = text.to_lowercase();
    let is_named = |stem: &&str| !stem.is_ascii() && lower.contains(&stem.to_lowercase());
    let text = with_word(text, act, word);
    let mut words = text.split_whitespace().map(plain);
    words.any(|found| found == word || is_form(&found, word, "ing")) || act.stems.iter().any(is_named)
}

/// A word in lower case without marks.
fn plain(word: &str) -> String {
    word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase()
}

/// A text with one word in the place of every form of an act and of every phrase for it.
fn with_word(text: &str, act: &Act, word: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(|line| line_with_word(line, act, word)).collect();
    lines.extend(text.split(['。', '！', '\n']).flat_map(|sentence| said_in(sentence, act, word)));
    lines.join("\n")
}

fn line_with_word(line: &str, act: &Act, word: &str) -> String {
    let raw: Vec<&str> = line.split_whitespace().collect();
    let plain: Vec<String> = raw.iter().map(|word| plain(word)).collect();
    let mut out: Vec<Cow<'_, str>> = Vec::with_capacity(raw.len());
    let (mut at, mut is_changed) = (0, false);
    while at < raw.len() {
        let Some(length) = length_of(act, word, &raw, &plain, at) else {
            out.push(Cow::Borrowed(raw[at]));
            at += 1;
            continue;
        };
        let last = raw[at + length - 1];
        let marks = &last[last.trim_end_matches(|letter: char| !letter.is_alphanumeric()).len()..];
        let is_refused = plain.get(at + length).is_some_and(|next| BEHIND.contains(&next.as_str()));
        // "get this on main": where it goes is said as well.
        let place = plain[at + length - 1].as_str();
        let place = if BRANCHES.contains(&place) { format!(" {place}") } else { String::new() };
        out.push(Cow::Owned(format!("{}{word}{place}{marks}", if is_refused { "not " } else { "" })));
        is_changed = true;
        at += length;
    }
    if is_changed { out.join(" ") } else { line.to_owned() }
}

/// How many words from a place on name the act.
fn length_of(act: &Act, word: &str, raw: &[&str], plain: &[String], at: usize) -> Option<usize> {
    if LIGHT.contains(&plain[at].as_str()) {
        let noun =
            at + 1 + usize::from(plain.get(at + 1).is_some_and(|next| ARTICLES.contains(&next.as_str())));
        if plain.get(noun).is_some_and(|noun| noun == word) {
            return Some(noun + 1 - at);
        }
    }
    let phrase = act.phrases.iter().find_map(|phrase| phrase_length(phrase, raw, plain, at));
    let is_of_it =
        |length: &usize| plain.get(at + length).is_some_and(|next| OF_A_REQUEST.contains(&next.as_str()));
    phrase.filter(|length| !is_of_it(length)).or_else(|| act.verbs.contains(&plain[at].as_str()).then_some(1))
}

/// Most words that a `~` stands for.
const MOST_BETWEEN: usize = 3;

fn phrase_length(phrase: &str, raw: &[&str], plain: &[String], at: usize) -> Option<usize> {
    let (mut here, mut between) = (at, 0);
    for part in phrase.split(' ') {
        if part == "~" {
            between = MOST_BETWEEN;
            continue;
        }
        let fits =
            |place: &usize| plain.get(*place).is_some_and(|word| part.split('|').any(|one| one == word));
        let found = (here..=here + between).find(fits)?;
        // No phrase goes on behind a clause.
        let ends = |word: &&str| word.ends_with([',', ';', ':', '.', '!', '?']);
        if raw[at.min(found)..found].iter().any(ends) {
            return None;
        }
        (here, between) = (found + 1, 0);
    }
    Some(here - at)
}

/// What a sentence in Japanese, Korean or Chinese says with an act, as sentences of their own.
fn said_in(sentence: &str, act: &Act, word: &str) -> Option<String> {
    let is_one = |letter: char| matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}');
    if !sentence.chars().any(is_one) {
        return None;
    }
    let is_question = sentence.trim_end().ends_with(['?', '？', '吗', '嗎', 'か', '까']);
    let any = |text: &str, of: &[&str]| of.iter().any(|one| text.contains(one));
    sentence.split(['、', '，', ',', '；', ';', '？', '?']).find_map(|clause| {
        let lower = clause.to_lowercase();
        let stem =
            act.stems.iter().map(|stem| stem.to_lowercase()).find(|stem| lower.contains(stem.as_str()))?;
        let behind = &lower[lower.find(&stem)? + stem.len()..];
        let asks = any(&lower, WRITTEN.asks);
        let is_told = WRITTEN.tells.iter().any(|tells| behind.starts_with(tells));
        if any(&lower, WRITTEN.refuses) {
            return Some(format!("Do not {word}."));
        }
        let is_spoken_of = is_told || any(&lower, WRITTEN.speaks) || is_question && !asks;
        (!is_spoken_of).then(|| format!("Please {word}."))
    })
}
